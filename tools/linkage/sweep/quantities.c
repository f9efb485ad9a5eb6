/* SPDX-License-Identifier: Apache-2.0 */
/* Varied quantities of a study: numbers, lists, grids and distributions for parameters and inputs,
 * and files. */
#include "linkage/hash.h"
#include "study_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED                                                                                   \
    "expected a number, {list: [...]}, {grid: [FROM, TO, COUNT]}, {uniform: [LOW, HIGH]}, "        \
    "{log-uniform: [LOW, HIGH]} or {normal: [MEAN, DEVIATION]}"

static struct quantity *add_quantity(struct study *s, enum role role, const char *name,
                                     struct lk_node node)
{
    size_t n = (size_t)s->n_quantities + 1;
    struct quantity *list = realloc(s->quantity, n * sizeof(*list)), *x;
    unsigned char kind = (unsigned char)role;

    if (list == NULL)
        return NULL;
    s->quantity = list;
    x = &list[s->n_quantities++];
    *x = (struct quantity){.role = role, .node = node};
    strncpy(x->name, name, sizeof(x->name) - 1);
    x->hash = lk_hash(lk_hash(LK_HASH_BEGIN, &kind, 1), name, strlen(name));
    return x;
}

static int read_list(struct lk_node node, struct quantity *x, struct lk_error *err)
{
    int n = lk_node_size(node), result = 0;

    if (lk_node_kind(node) != LK_NODE_LIST || n < 1 || n > STUDY_VALUES_MAX)
        return lk_node_refuse(node, err, "list of %s is no list, expected 1 to %d numbers", x->name,
                              STUDY_VALUES_MAX);
    x->value = calloc((size_t)n, sizeof(*x->value));
    if (x->value == NULL)
        return -ENOMEM;
    x->n = n;
    for (int i = 0; i < n && lk_node_goes_on(node, result); i++)
        result = lk_also(result, lk_node_number(lk_node_at(node, i), x->name, &x->value[i], err));
    return result;
}

static int read_grid(struct lk_node node, struct quantity *x, struct lk_error *err)
{
    double grid[3];
    int result = lk_node_numbers(node, x->name, 3, grid, err);

    if (result != 0)
        return result;
    if (!(grid[2] >= 1 && grid[2] <= STUDY_VALUES_MAX && grid[2] == floor(grid[2])))
        return lk_node_refuse(node, err, "the grid of %s has %g values, expected 1 to %d of them",
                              x->name, grid[2], STUDY_VALUES_MAX);
    x->n = (int)grid[2];
    x->value = calloc((size_t)x->n, sizeof(*x->value));
    if (x->value == NULL)
        return -ENOMEM;
    for (int i = 0; i < x->n; i++)
        x->value[i] = x->n == 1       ? grid[0]
                      : i == x->n - 1 ? grid[1]
                                      : grid[0] + (grid[1] - grid[0]) * i / (x->n - 1);
    return 0;
}

static int read_spread(struct lk_node node, struct quantity *x, struct lk_error *err)
{
    double pair[2];
    int result = lk_node_numbers(node, x->name, 2, pair, err);

    if (result != 0)
        return result;
    x->low = pair[0];
    x->high = pair[1];
    if (x->spread == SPREAD_NORMAL && !(x->high > 0))
        return lk_node_refuse(node, err, "the deviation of %s is %g, expected more than 0", x->name,
                              x->high);
    if (x->spread != SPREAD_NORMAL && !(x->low < x->high && isfinite(x->high - x->low)))
        return lk_node_refuse(node, err,
                              "the range of %s is %g to %g, expected the lower one first", x->name,
                              x->low, x->high);
    if (x->spread == SPREAD_LOG_UNIFORM && !(x->low >= 1e-300))
        return lk_node_refuse(node, err, "the range of %s begins at %g, expected more than 0",
                              x->name, x->low);
    return 0;
}

static int read_number(struct lk_node node, struct quantity *x, struct lk_error *err)
{
    x->value = calloc(1, sizeof(*x->value));
    x->n = 1;
    return x->value == NULL ? -ENOMEM : lk_node_number(node, x->name, x->value, err);
}

static int read_quantity(struct lk_node node, struct quantity *x, struct lk_error *err)
{
    static const char *const keys[] = {"list", "grid", "uniform", "log-uniform", "normal", NULL};
    static const enum spread spreads[] = {SPREAD_UNIFORM, SPREAD_LOG_UNIFORM, SPREAD_NORMAL};
    int result;

    if (lk_node_kind(node) == LK_NODE_SCALAR)
        return read_number(node, x, err);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_refuse(node, err, "%s is no number, " EXPECTED, x->name);
    result = lk_node_check_keys(node, x->name, keys, err);
    if (result == 0 && lk_node_size(node) != 1)
        return lk_node_refuse(node, err, "%s has %d of them, " EXPECTED, x->name,
                              lk_node_size(node));
    if (result != 0)
        return result;
    if (lk_node_get(node, keys[0]).index != 0)
        return read_list(lk_node_at(node, 0), x, err);
    if (lk_node_get(node, keys[1]).index != 0)
        return read_grid(lk_node_at(node, 0), x, err);
    for (int i = 0; i < 3; i++)
        if (lk_node_get(node, keys[2 + i]).index != 0)
            x->spread = spreads[i];
    return read_spread(lk_node_at(node, 0), x, err);
}

static bool has_room(const struct study *s)
{
    return s->n_quantities < STUDY_QUANTITIES_MAX;
}

static int refuse_many(struct lk_node node, struct lk_error *err)
{
    return lk_node_refuse(node, err, "more than %d quantities vary, expected at most so many",
                          STUDY_QUANTITIES_MAX);
}

/* Read the section of parameters or of inputs. */
static int read_section(struct lk_node root, const char *key, enum role role, struct study *s,
                        struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, key);
    int result = 0;

    if (map.index == 0)
        return 0;
    if (lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(map, err, "%s is no map, expected NAME: VALUE", key);
    for (int i = 0; i < lk_node_size(map) && lk_node_goes_on(map, result); i++) {
        struct lk_node name = lk_node_key_at(map, i);
        struct quantity *x;

        if (!has_room(s))
            return refuse_many(name, err);
        if (strlen(lk_node_text(name)) >= LK_PATH_SIZE || lk_node_text(name)[0] == '\0') {
            result = lk_also(result, lk_node_refuse(name, err,
                                                    "a name in %s has %d bytes, expected "
                                                    "1 to %d",
                                                    key, (int)strlen(lk_node_text(name)),
                                                    LK_PATH_SIZE - 1));
            continue;
        }
        x = add_quantity(s, role, lk_node_text(name), lk_node_at(map, i));
        if (x == NULL)
            return -ENOMEM;
        result = lk_also(result, read_quantity(lk_node_at(map, i), x, err));
    }
    return result;
}

/* Read the path of a file, or a list of paths. */
static int read_files(struct lk_node root, const char *key, enum role role, const char *name,
                      struct study *s, struct lk_error *err)
{
    struct lk_node node = lk_node_get(root, key);
    bool is_one = lk_node_kind(node) == LK_NODE_SCALAR;
    int n = is_one ? 1 : lk_node_size(node);
    struct quantity *x;

    if (node.index == 0)
        return 0;
    if (!has_room(s))
        return refuse_many(node, err);
    if (lk_node_kind(node) == LK_NODE_MAP || n < 1 || n > STUDY_VALUES_MAX)
        return lk_node_refuse(node, err, "%s is no list, expected a file or a list of files", key);
    x = add_quantity(s, role, key, node);
    if (x == NULL || (x->file = calloc((size_t)n, sizeof(*x->file))) == NULL)
        return -ENOMEM;
    x->n = n;
    for (int i = 0; i < n; i++) {
        struct lk_node entry = is_one ? node : lk_node_at(node, i);

        if (lk_node_kind(entry) != LK_NODE_SCALAR || lk_node_text(entry)[0] == '\0')
            return lk_node_refuse(entry, err, "entry %d of %s is no text, expected a file", i + 1,
                                  key);
        x->file[i] = study_beside(name, lk_node_text(entry));
        if (x->file[i] == NULL)
            return -ENOMEM;
    }
    return 0;
}

int study_read_quantities(struct lk_node root, const char *name, struct study *s,
                          struct lk_error *err)
{
    struct lk_node states = lk_node_get(root, "start_states");
    int result = read_section(root, "parameters", ROLE_PARAMETER, s, err);

    if (result == 0 && s->n_quantities > 0 && states.index != 0)
        result =
            lk_node_refuse(states, err,
                           "a state is of one model with its numbers, expected no start_states "
                           "beside parameters");
    result = lk_also(result, read_section(root, "inputs", ROLE_INPUT, s, err));
    if (result >= 0)
        result = lk_also(result, read_files(root, "input_files", ROLE_INPUT_FILE, name, s, err));
    if (result >= 0)
        result = lk_also(result, read_files(root, "start_states", ROLE_START_STATE, name, s, err));
    if (result == 0 && s->interpolate && lk_node_get(root, "input_files").index == 0)
        result = lk_node_refuse(lk_node_get(root, "interpolate"), err,
                                "interpolate is of values over time, expected input_files as well");
    return result;
}
