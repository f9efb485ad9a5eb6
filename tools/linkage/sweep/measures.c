/* SPDX-License-Identifier: Apache-2.0 */
/* Results and checks of a study for each case: their definitions in the study file. */
#include "linkage/nearest.h"
#include "study_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"last", "min",         "max",         "mean",
                                    "rms",  "time-of-min", "time-of-max", NULL};

#define NAMES "last, min, max, mean, rms, time-of-min or time-of-max"

const char *reduction_name(enum reduction reduction)
{
    return reduction == REDUCTION_ALWAYS ? "" : names[reduction];
}

/* struct list - array of measures to which new ones are appended. */
struct list {
    struct measure **list;
    int *n;
};

static int add_measure(struct list to, struct lk_node name, struct lk_node node,
                       enum reduction reduction, struct measure **ret, struct lk_error *err)
{
    struct measure *list, *x;

    if (*to.n >= STUDY_MEASURES_MAX)
        return lk_node_refuse(node, err, "more than %d of them, expected at most so many",
                              STUDY_MEASURES_MAX);
    if (lk_node_kind(name) != LK_NODE_SCALAR || strlen(lk_node_text(name)) >= sizeof(x->output) ||
        lk_node_text(name)[0] == '\0')
        return lk_node_refuse(name, err, "expected the name of an output");
    list = realloc(*to.list, ((size_t)*to.n + 1) * sizeof(*list));
    if (list == NULL)
        return -ENOMEM;
    *to.list = list;
    x = &list[(*to.n)++];
    *x = (struct measure){.node = node, .reduction = reduction, .low = -INFINITY, .high = INFINITY};
    strcpy(x->output, lk_node_text(name));
    if (ret != NULL)
        *ret = x;
    return 0;
}

static int read_reduction(struct lk_node node, enum reduction *ret, struct lk_error *err)
{
    const char *nearest;

    for (int i = 0; names[i] != NULL && lk_node_kind(node) == LK_NODE_SCALAR; i++)
        if (strcmp(lk_node_text(node), names[i]) == 0) {
            *ret = (enum reduction)i;
            return 0;
        }
    nearest = lk_node_kind(node) == LK_NODE_SCALAR ? lk_nearest(lk_node_text(node), names) : NULL;
    if (nearest != NULL)
        return lk_node_refuse(node, err, "'%.64s', did you mean '%s'? Expected " NAMES,
                              lk_node_text(node), nearest);
    return lk_node_refuse(node, err, "'%.64s', expected " NAMES, lk_node_text(node));
}

/* Read NAME: REDUCTION, or NAME: [REDUCTION, ...]. */
static int read_reductions(struct lk_node name, struct lk_node node, struct study *s,
                           struct lk_error *err)
{
    struct list to = {&s->output, &s->n_outputs};
    bool is_list = lk_node_kind(node) == LK_NODE_LIST;
    int n = is_list ? lk_node_size(node) : 1, result = 0;
    enum reduction reduction;

    if (n == 0)
        return lk_node_refuse(node, err, "the list is empty, expected " NAMES);
    for (int i = 0; i < n && lk_node_goes_on(node, result); i++) {
        struct lk_node entry = is_list ? lk_node_at(node, i) : node;
        int outcome = read_reduction(entry, &reduction, err);

        if (outcome == 0)
            outcome = add_measure(to, name, name, reduction, NULL, err);
        result = lk_also(result, outcome);
    }
    return result;
}

int study_read_outputs(struct lk_node root, struct study *s, struct lk_error *err)
{
    struct lk_node node = lk_node_get(root, "outputs");
    struct list to = {&s->output, &s->n_outputs};
    bool is_list = lk_node_kind(node) == LK_NODE_LIST;
    int result = 0;

    if (node.index == 0)
        return 0;
    if (!is_list && lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_refuse(node, err,
                              "outputs is no list, expected [NAME, ...] or NAME: [REDUCTION, ...]");
    for (int i = 0; i < lk_node_size(node) && lk_node_goes_on(node, result); i++)
        result = lk_also(result, is_list ? add_measure(to, lk_node_at(node, i), lk_node_at(node, i),
                                                       REDUCTION_LAST, NULL, err)
                                         : read_reductions(lk_node_key_at(node, i),
                                                           lk_node_at(node, i), s, err));
    return result;
}

/* ---- checks ---- */

/* Read a bound. The word "none" means no bound. */
static int read_bound(struct lk_node node, double none, double *ret, struct lk_error *err)
{
    if (lk_node_kind(node) == LK_NODE_SCALAR && strcmp(lk_node_text(node), "none") == 0) {
        *ret = none;
        return 0;
    }
    return lk_node_number(node, "a bound", ret, err);
}

static int read_bounds(struct lk_node node, struct measure *x, struct lk_error *err)
{
    int result;

    if (lk_node_kind(node) != LK_NODE_LIST || lk_node_size(node) != 2)
        return lk_node_refuse(node, err, "bounds of %s, expected [LOW, HIGH], each may be none",
                              x->output);
    result = read_bound(lk_node_at(node, 0), -INFINITY, &x->low, err);
    result = lk_also(result, read_bound(lk_node_at(node, 1), INFINITY, &x->high, err));
    if (result == 0 && !(x->low <= x->high))
        return lk_node_refuse(node, err, "bounds of %s are %g to %g, expected the lower one first",
                              x->output, x->low, x->high);
    return result;
}

static int read_check(struct lk_node name, struct lk_node node, enum reduction reduction,
                      struct study *s, struct lk_error *err)
{
    struct measure *x;
    int result =
        add_measure((struct list){&s->check, &s->n_checks}, name, name, reduction, &x, err);

    return result == 0 ? read_bounds(node, x, err) : result;
}

/* Read NAME: [LOW, HIGH], a check at all times, or NAME: {REDUCTION: [LOW, HIGH], ...}. */
static int read_output_checks(struct lk_node name, struct lk_node node, struct study *s,
                              struct lk_error *err)
{
    enum reduction reduction;
    int result = 0;

    if (lk_node_kind(node) != LK_NODE_MAP)
        return read_check(name, node, REDUCTION_ALWAYS, s, err);
    for (int i = 0; i < lk_node_size(node) && lk_node_goes_on(node, result); i++) {
        int outcome = read_reduction(lk_node_key_at(node, i), &reduction, err);

        if (outcome == 0)
            outcome = read_check(name, lk_node_at(node, i), reduction, s, err);
        result = lk_also(result, outcome);
    }
    return result;
}

static int read_limit(struct lk_node map, const char *key, double *ret, struct lk_error *err)
{
    int result = lk_node_read_number_or(map, key, ret, err);

    if (result == 0 && !(*ret > 0))
        return lk_node_refuse(lk_node_get(map, key), err, "%s is %g, expected more than 0", key,
                              *ret);
    return result;
}

int study_read_checks(struct lk_node root, struct study *s, struct lk_error *err)
{
    static const char *const keys[] = {"residual", "energy", "outputs", NULL};
    struct lk_node map = lk_node_get(root, "checks"), outputs = lk_node_get(map, "outputs");
    int result;

    if (map.index == 0)
        return 0;
    result = lk_node_check_keys(map, "checks", keys, err);
    if (lk_node_kind(map) != LK_NODE_MAP)
        return result;
    result = lk_also(result, read_limit(map, "residual", &s->residual, err));
    result = lk_also(result, read_limit(map, "energy", &s->energy, err));
    if (outputs.index != 0 && lk_node_kind(outputs) != LK_NODE_MAP)
        return lk_also(result, lk_node_refuse(outputs, err,
                                              "outputs is no map, expected NAME: "
                                              "[LOW, HIGH]"));
    for (int i = 0; i < lk_node_size(outputs) && lk_node_goes_on(outputs, result); i++)
        result = lk_also(
            result, read_output_checks(lk_node_key_at(outputs, i), lk_node_at(outputs, i), s, err));
    return result;
}
