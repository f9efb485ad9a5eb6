/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers of a model. They are finite and within LK_NUMBER_MAX, so that results
 * computed from them are finite. */
#include "linkage/nearest.h"
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lk_check_file(struct lk_node node, const char *what, const char *name, struct lk_error *err)
{
    size_t n = strlen(name);

    if (name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../") != NULL ||
        (n >= 3 && strcmp(name + n - 3, "/..") == 0))
        return lk_node_refuse(node, err,
                              "the file '%s' is outside of the folder of %s, expected a name "
                              "within it",
                              name, what);
    return 0;
}

static int check_within(struct lk_node node, const char *what, double value, double max,
                        struct lk_error *err)
{
    if (fabs(value) <= max)
        return 0;
    return lk_node_refuse(node, err, "%s is %.40s, expected at most %g in magnitude", what,
                          lk_node_text(node), max);
}

static int check_magnitude(struct lk_node node, const char *what, double value,
                           struct lk_error *err)
{
    return check_within(node, what, value, LK_NUMBER_MAX, err);
}

int lk_read_numbers_within(struct lk_node list, const char *what, int n, double max, double *ret,
                           struct lk_error *err)
{
    int result = lk_node_numbers(list, what, n, ret, err);
    char name[96];

    for (int i = 0; i < n && result == 0; i++) {
        snprintf(name, sizeof(name), "entry %d of %s", i + 1, what);
        result = check_within(lk_node_at(list, i), name, ret[i], max, err);
    }
    return result;
}

int lk_read_numbers_node(struct lk_node list, const char *what, int n, double *ret,
                         struct lk_error *err)
{
    return lk_read_numbers_within(list, what, n, LK_NUMBER_MAX, ret, err);
}

/* Report that @node names no point. */
static int refuse_point(struct lk_node node, const char *what, struct lk_node points,
                        struct lk_error *err)
{
    int n = lk_node_size(points);
    const char **words = calloc((size_t)n + 1, sizeof(*words)), *nearest;

    if (words == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        words[i] = lk_node_text(lk_node_key_at(points, i));
    nearest = lk_nearest(lk_node_text(node), words);
    if (nearest != NULL)
        lk_node_refuse(node, err, "%s is '%.40s', did you mean the point '%.63s'?", what,
                       lk_node_text(node), nearest);
    else
        lk_node_refuse(
            node, err,
            "%s is '%.40s', expected a list of 3 numbers, or a name of the section points", what,
            lk_node_text(node));
    free(words);
    return LK_E_TEXT;
}

int lk_read_vector_node(struct lk_node node, const char *what, double ret[3], struct lk_error *err)
{
    struct lk_node points = lk_node_get(lk_document_root(node.document), "points"), point;

    if (lk_node_kind(node) != LK_NODE_SCALAR || points.index == 0)
        return lk_read_numbers_node(node, what, 3, ret, err);
    point = lk_node_get(points, lk_node_text(node));
    return point.index == 0 ? refuse_point(node, what, points, err)
                            : lk_read_numbers_node(point, what, 3, ret, err);
}

int lk_read_numbers(struct lk_node map, const char *key, int n, double *ret, struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);

    if (list.index == 0)
        return lk_node_read_numbers(map, key, n, ret, err); /* reports the missing key */
    return lk_read_numbers_node(list, key, n, ret, err);
}

int lk_read_vector(struct lk_node map, const char *key, double ret[3], struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);

    return node.index == 0 ? lk_read_numbers(map, key, 3, ret, err)
                           : lk_read_vector_node(node, key, ret, err);
}

int lk_read_vector_or(struct lk_node map, const char *key, double ret[3], struct lk_error *err)
{
    return lk_node_get(map, key).index == 0 ? 0 : lk_read_vector(map, key, ret, err);
}

int lk_read_number_or(struct lk_node map, const char *key, double min, double *ret,
                      struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);
    double value;
    int result;

    if (node.index == 0)
        return 0;
    result = lk_node_number(node, key, &value, err);
    if (result == 0)
        result = check_magnitude(node, key, value, err);
    if (result == 0 && value < min)
        result = lk_node_refuse(node, err, "%s is %.40s, expected at least %g", key,
                                lk_node_text(node), min);
    if (result == 0)
        *ret = value;
    return result;
}

int lk_read_number(struct lk_node map, const char *key, double min, double *ret,
                   struct lk_error *err)
{
    if (lk_node_get(map, key).index == 0)
        return lk_node_read_number(map, key, ret, err); /* reports the missing key */
    return lk_read_number_or(map, key, min, ret, err);
}

int lk_read_number_node(struct lk_node node, const char *what, double *ret, struct lk_error *err)
{
    int result = lk_node_number(node, what, ret, err);

    return result != 0 ? result : check_magnitude(node, what, *ret, err);
}

int lk_read_limits(struct lk_node map, double limits[2], struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "limits");
    int result = lk_node_read_numbers_or(map, "limits", 2, limits, err);

    if (result == 0 && lk_node_kind(node) != LK_NODE_NONE && !(limits[0] <= limits[1]))
        return lk_node_refuse(node, err,
                              "limits of %g to %g, expected a lowest and a highest value",
                              limits[0], limits[1]);
    return result;
}

static int refuse_near_zero(struct lk_node map, const char *key, const char *expected,
                            struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);

    return lk_node_refuse(node, err, "%s is %.40s, expected %s %g", key, lk_node_text(node),
                          expected, LK_POSITIVE_MIN);
}

/* Set the unit of a signal, or check it: a signal has one unit, wherever it is used. */
static int take_unit(struct lk_node node, struct lk_input_def *input, const char *unit,
                     struct lk_error *err)
{
    if (input->unit != NULL && strcmp(input->unit, unit) != 0)
        return lk_node_refuse(node, err, "input '%s' is in %s elsewhere, expected one in %s",
                              input->name, input->unit, unit);
    input->unit = unit;
    return 0;
}

/* Read the index of a block, which counts after all inputs. */
static int take_block(struct lk_node node, const char *key, const struct lk_model *model,
                      int *ret_input, struct lk_error *err)
{
    static const char *const keys[] = {"block", NULL};
    int block, result = lk_node_check_keys(node, key, keys, err);

    if (result == 0)
        result = lk_read_block(lk_node_get(node, "block"), model, &block, err);
    if (result != 0)
        return result;
    model->blocks[block].is_used = 1;
    *ret_input = model->n_inputs + block;
    return 0;
}

int lk_read_signal(struct lk_node node, const char *key, const char *unit,
                   const struct lk_model *model, double *ret, int *ret_input, struct lk_error *err)
{
    static const char *const keys[] = {"input", NULL}, *const either[] = {"input", "block", NULL};
    struct lk_input_def *input;
    int result;

    if (lk_node_get(node, "block").index != 0)
        return take_block(node, key, model, ret_input, err);
    result = lk_node_check_keys(node, key, lk_node_size(node) == 1 ? either : keys, err);
    if (result == 0)
        result = lk_read_input_key(node, model, ret_input, err);
    if (result != 0)
        return result;
    input = &model->inputs[*ret_input];
    if (input->type != LK_INPUT_SIGNAL)
        return lk_node_refuse(lk_node_get(node, "input"), err,
                              "input '%s' is not of type signal, expected one that is",
                              input->name);
    input->is_used = 1;
    *ret = input->initial;
    return take_unit(lk_node_get(node, "input"), input, unit, err);
}

int lk_read_number_or_signal(struct lk_node map, const char *key, double min, const char *unit,
                             const struct lk_model *model, double *ret, int *ret_input,
                             struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);

    return lk_node_kind(node) == LK_NODE_MAP
               ? lk_read_signal(node, key, unit, model, ret, ret_input, err)
               : lk_read_number_or(map, key, min, ret, err);
}

int lk_read_vector_or_signals(struct lk_node map, const char *key, const char *unit,
                              const struct lk_model *model, double ret[3], int ret_input[3],
                              struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    bool has_signal = false;
    int result = 0;

    for (int i = 0; i < lk_node_size(list); i++)
        has_signal |= lk_node_kind(lk_node_at(list, i)) == LK_NODE_MAP;
    if (!has_signal || lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != 3)
        return lk_read_vector_or(map, key, ret, err);
    for (int i = 0; i < 3; i++) {
        struct lk_node node = lk_node_at(list, i);
        int one = lk_node_kind(node) == LK_NODE_MAP
                      ? lk_read_signal(node, key, unit, model, &ret[i], &ret_input[i], err)
                      : lk_node_number(node, key, &ret[i], err);

        if (one == 0)
            one = check_magnitude(node, key, ret[i], err);
        result = lk_also(result, one);
    }
    return result;
}

int lk_read_positive_or(struct lk_node map, const char *key, double *ret, struct lk_error *err)
{
    double value = 1;
    int result = lk_read_number_or(map, key, -LK_NUMBER_MAX, &value, err);

    if (result != 0 || lk_node_get(map, key).index == 0)
        return result;
    if (value < LK_POSITIVE_MIN)
        return refuse_near_zero(map, key, "more than 0, at least", err);
    *ret = value;
    return 0;
}

int lk_read_positive(struct lk_node map, const char *key, double *ret, struct lk_error *err)
{
    if (lk_node_get(map, key).index == 0)
        return lk_node_read_number(map, key, ret, err); /* reports the missing key */
    return lk_read_positive_or(map, key, ret, err);
}

int lk_read_nonzero(struct lk_node map, const char *key, double *ret, struct lk_error *err)
{
    int result = lk_read_number(map, key, -LK_NUMBER_MAX, ret, err);

    if (result == 0 && fabs(*ret) < LK_POSITIVE_MIN)
        return refuse_near_zero(map, key, "a number that is not 0, in magnitude at least", err);
    return result;
}

/* reads @n non-negative numbers */
static int read_moduli(struct lk_node map, const char *key, int n, double *ret,
                       struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    int result = lk_read_numbers(map, key, n, ret, err);

    for (int i = 0; i < n && result == 0; i++) {
        if (ret[i] < 0)
            result = lk_node_refuse(lk_node_at(list, i), err,
                                    "entry %d of %s is %.40s, expected at least 0", i + 1, key,
                                    lk_node_text(lk_node_at(list, i)));
    }
    return result;
}

int lk_read_compliance(struct lk_node map, int n, struct lk_compliance *ret, struct lk_error *err)
{
    double sum = 0;
    int result = read_moduli(map, "stiffness", n, ret->stiffness, err);

    if (result == 0 && lk_node_get(map, "damping").index != 0)
        result = read_moduli(map, "damping", n, ret->damping, err);
    if (result != 0)
        return result;
    for (int i = 0; i < n; i++)
        sum += ret->stiffness[i] + ret->damping[i];
    if (sum == 0)
        return lk_node_refuse(lk_node_get(map, "stiffness"), err,
                              "stiffness and damping are 0 in all directions, expected more than 0 "
                              "in at least one");
    return 0;
}

static double norm(const double *v, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

int lk_read_direction_node(struct lk_node node, const char *what, double ret[3],
                           struct lk_error *err)
{
    int result = lk_read_vector_node(node, what, ret, err);
    double length;

    if (result != 0)
        return result;
    length = norm(ret, 3);
    if (length < 1e-9)
        return lk_node_refuse(node, err,
                              "%s has no direction (length %g), expected a vector that is not zero",
                              what, length);
    for (int i = 0; i < 3; i++)
        ret[i] /= length;
    return 0;
}

int lk_read_both(struct lk_node map, const char *key, lk_vector_reader *read, double ret[2][3],
                 struct lk_error *err)
{
    struct lk_node pair = lk_node_get(map, key);
    int result;

    if (pair.index == 0)
        return lk_node_refuse(map, err,
                              "the key '%s' is missing, expected a list of 2 vectors, one for each "
                              "body",
                              key);
    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, err,
                              "%s is not a list of 2 vectors, expected one for each body", key);
    result = read(lk_node_at(pair, 0), key, ret[0], err);
    return lk_also(result, read(lk_node_at(pair, 1), key, ret[1], err));
}

int lk_read_sides(struct lk_node map, const char *one, const char *two, lk_vector_reader *read,
                  double ret[2][3], struct lk_error *err)
{
    struct lk_node single = lk_node_get(map, one);
    struct lk_node pair = lk_node_get(map, two);
    int result;

    if (single.index == 0 && pair.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected %s or %s", one, one,
                              two);
    if (single.index != 0 && pair.index != 0)
        return lk_node_refuse(pair, err, "both %s and %s are given, expected one of them", one,
                              two);
    if (single.index == 0)
        return lk_read_both(map, two, read, ret, err);
    result = read(single, one, ret[0], err);
    memcpy(ret[1], ret[0], sizeof(ret[0]));
    return result;
}

int lk_check_apart(struct lk_node map, double point[2][3], double *ret_distance,
                   struct lk_error *err)
{
    double d[3];

    for (int i = 0; i < 3; i++)
        d[i] = point[1][i] - point[0][i];
    *ret_distance = norm(d, 3);
    if (*ret_distance < 1e-9)
        return lk_node_refuse(lk_node_get(map, "points"), err,
                              "points are %g m apart, expected two different points",
                              *ret_distance);
    return 0;
}

static int read_axis_angle(struct lk_node map, double ret[4], struct lk_error *err)
{
    struct lk_node axis_node = lk_node_get(map, "axis");
    double axis[3], angle;
    int result;

    if (axis_node.index == 0)
        return lk_node_read_numbers(map, "axis", 3, axis, err); /* reports the missing key */
    result = lk_read_direction_node(axis_node, "axis", axis, err);
    if (result == 0)
        result = lk_node_read_number(map, "angle", &angle, err);
    if (result == 0)
        result = check_magnitude(lk_node_get(map, "angle"), "angle", angle, err);
    if (result != 0)
        return result;
    ret[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        ret[i + 1] = axis[i] * sin(angle / 2);
    return 0;
}

/* Read a quaternion. Small deviations from unit length are due to rounding; larger deviations
 * are refused as mistakes. */
static int read_quaternion(struct lk_node map, double ret[4], struct lk_error *err)
{
    double length;
    int result = lk_read_numbers(map, "quaternion", 4, ret, err);

    if (result != 0)
        return result;
    length = norm(ret, 4);
    if (fabs(length - 1) > 1e-6)
        return lk_node_refuse(lk_node_get(map, "quaternion"), err,
                              "quaternion has length %.9g, expected 1 (within 1e-6)", length);
    for (int i = 0; i < 4; i++)
        ret[i] /= length;
    return 0;
}

int lk_read_orientation_or(struct lk_node map, const char *key, double ret[4], struct lk_error *err)
{
    static const char *const by_axis[] = {"axis", "angle", NULL};
    static const char *const by_quaternion[] = {"quaternion", NULL};
    static const char *const either[] = {"axis", "angle", "quaternion", NULL};
    struct lk_node value = lk_node_get(map, key);
    bool quaternion = lk_node_get(value, "quaternion").index != 0;
    const char *const *allowed = quaternion                              ? by_quaternion
                                 : lk_node_get(value, "axis").index != 0 ? by_axis
                                                                         : either;
    double q[4];
    int result;

    if (value.index == 0)
        return 0;
    result =
        lk_node_check_keys(value, quaternion ? "an orientation by quaternion" : key, allowed, err);
    if (result == 0)
        result = quaternion ? read_quaternion(value, q, err) : read_axis_angle(value, q, err);
    if (result == 0)
        memcpy(ret, q, sizeof(q));
    return result;
}

void lk_quaternion_to(const double axis[3], double ret[4])
{
    double length;

    ret[0] = 1 + axis[2];
    ret[1] = -axis[1];
    ret[2] = axis[0];
    ret[3] = 0;
    if (ret[0] < 1e-9) { /* half a turn, about x */
        ret[0] = ret[2] = 0;
        ret[1] = 1;
    }
    length = sqrt(ret[0] * ret[0] + ret[1] * ret[1] + ret[2] * ret[2]);
    for (int i = 0; i < 4; i++)
        ret[i] /= length;
}

int lk_read_frame_or(struct lk_node map, const char *key, enum lk_frame *ret, struct lk_error *err)
{
    static const char *const frames[] = {"world", "body", NULL};
    int choice;
    int result;

    if (lk_node_get(map, key).index == 0)
        return 0;
    result = lk_node_read_choice(map, key, frames, &choice, err);
    if (result == 0)
        *ret = choice == 0 ? LK_FRAME_WORLD : LK_FRAME_BODY;
    return result;
}
