/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the coordinate of a joint that an entry names, and values of coordinates. If a joint has
 * one coordinate, its name is omitted; if it has several, each is named. */
#include "reader.h"

#include <stdio.h>

static bool is_of_kind(enum lk_joint_type type, int i, enum lk_coordinate_kind kind)
{
    bool is_angle = lk_joint_coordinate_is_angle(type, i);

    return kind == LK_COORDINATE_ANY || is_angle == (kind == LK_COORDINATE_ANGLE);
}

static int count_coordinates(enum lk_joint_type type, enum lk_coordinate_kind kind)
{
    int n = 0;

    for (int i = 0; i < lk_joint_traits[type].n_coordinates; i++)
        n += is_of_kind(type, i, kind);
    return n;
}

int lk_check_coordinate(struct lk_node node, const struct lk_model *model, int joint,
                        enum lk_coordinate_kind kind, struct lk_error *err)
{
    static const char *const wanted[] = {"a coordinate", "an angle", "a length"};
    const struct lk_joint_def *def = &model->joints[joint];
    char types[256] = "";
    size_t used = 0;

    if (count_coordinates(def->type, kind) > 0)
        return 0;
    for (int type = 0; type < LK_JOINT_IN_FILE && used < sizeof(types); type++) {
        if (count_coordinates((enum lk_joint_type)type, kind) > 0)
            used += (size_t)snprintf(types + used, sizeof(types) - used, "%s%s",
                                     used > 0 ? ", " : "", lk_joint_traits[type].name);
    }
    return lk_node_refuse(node, err, "joint '%s' is a %s joint, expected one with %s (%s)",
                          def->name, lk_joint_traits[def->type].name, wanted[kind], types);
}

/* Collects names and indices of the coordinates of @kind. */
static void collect_coordinates(enum lk_joint_type type, enum lk_coordinate_kind kind,
                                const char *names[LK_COORDINATES_MAX + 1],
                                int which[LK_COORDINATES_MAX])
{
    int n = 0;

    for (int i = 0; i < lk_joint_traits[type].n_coordinates; i++) {
        if (is_of_kind(type, i, kind)) {
            names[n] = lk_joint_traits[type].coordinate[i];
            which[n++] = i;
        }
    }
    names[n] = NULL;
}

int lk_read_coordinate(struct lk_node map, const struct lk_model *model,
                       enum lk_coordinate_kind kind, int joint, int *ret_coordinate,
                       struct lk_error *err)
{
    const struct lk_joint_def *def = &model->joints[joint];
    struct lk_node node = lk_node_get(map, "coordinate");
    const char *names[LK_COORDINATES_MAX + 1];
    int which[LK_COORDINATES_MAX] = {0};
    int n = count_coordinates(def->type, kind);
    int choice = 0;
    int result = 0;

    collect_coordinates(def->type, kind, names, which);
    if (node.index != 0 && lk_joint_traits[def->type].n_coordinates == 1)
        return lk_node_refuse(
            node, err, "joint '%s' has one coordinate, expected no key 'coordinate'", def->name);
    if (n > 1 && lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(
            map, err, "joint '%s' has several coordinates, expected {joint: %s, coordinate: %s}",
            def->name, def->name, names[0]);
    if (node.index != 0 || n > 1)
        result = lk_node_read_choice(map, "coordinate", names, &choice, err);
    if (result == 0)
        *ret_coordinate = which[choice];
    return result;
}

int lk_read_coordinate_key(struct lk_node map, const struct lk_model *model,
                           enum lk_coordinate_kind kind, int *ret_joint, int *ret_coordinate,
                           struct lk_error *err)
{
    int result = lk_read_joint_key(map, model, ret_joint, err);

    if (result == 0)
        result = lk_check_coordinate(lk_node_get(map, "joint"), model, *ret_joint, kind, err);
    if (result == 0)
        result = lk_read_coordinate(map, model, kind, *ret_joint, ret_coordinate, err);
    return result;
}

void lk_coordinate_names(enum lk_joint_type type, const char *ret[LK_COORDINATES_MAX + 1])
{
    const struct lk_joint_traits *traits = &lk_joint_traits[type];

    for (int i = 0; i < traits->n_coordinates; i++)
        ret[i] = traits->coordinate[i];
    ret[traits->n_coordinates] = NULL;
}

int lk_read_coordinates(struct lk_node map, const char *key, enum lk_joint_type type, double *ret,
                        unsigned *ret_given, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);
    const char *names[LK_COORDINATES_MAX + 1];
    int n = lk_joint_traits[type].n_coordinates;
    unsigned given = 0;
    int result = 0;

    if (node.index == 0)
        return 0;
    lk_coordinate_names(type, names);
    if (n == 1) {
        given = 1;
        result = lk_read_number_or(map, key, -LK_NUMBER_MAX, ret, err);
    } else {
        result = lk_node_check_keys(node, key, names, err);
    }
    for (int i = 0; n > 1 && i < n && result == 0; i++) {
        given |= (unsigned)(lk_node_get(node, names[i]).index != 0) << i;
        result = lk_read_number_or(node, names[i], -LK_NUMBER_MAX, &ret[i], err);
    }
    if (result == 0 && ret_given != NULL)
        *ret_given = given;
    return result;
}
