/* SPDX-License-Identifier: Apache-2.0 */
/* Functions given by points, for drives, springs and dampers. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read the number of points from the list of abscissas. */
static int read_size(struct lk_node map, const char *x, int *ret_n, struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, x);
    int n = lk_node_size(list);

    if (list.index == 0)
        return lk_node_refuse(map, err,
                              "the key '%s' is missing, expected a list of 2 to %d numbers", x,
                              LK_POINTS_MAX);
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, err, "%s is not a list, expected a list of 2 to %d numbers", x,
                              LK_POINTS_MAX);
    if (n < 2 || n > LK_POINTS_MAX)
        return lk_node_refuse(list, err, "%s has %d entries, expected a list of 2 to %d numbers", x,
                              n, LK_POINTS_MAX);
    *ret_n = n;
    return 0;
}

/* Checks that abscissas increase by at least LK_POSITIVE_MIN, so that slopes stay finite. */
static int check_ascending(struct lk_node list, const char *what, const double *x, int n,
                           struct lk_error *err)
{
    for (int i = 1; i < n; i++) {
        if (x[i] - x[i - 1] < LK_POSITIVE_MIN)
            return lk_node_refuse(lk_node_at(list, i), err,
                                  "entry %d of %s is %.40s, expected more than the one before, by "
                                  "at least %g",
                                  i + 1, what, lk_node_text(lk_node_at(list, i)), LK_POSITIVE_MIN);
    }
    return 0;
}

/* Checks that the force of a spring or damper never falls as deflection or rate grows: such an
 * element would feed energy into the motion. */
static int check_rising(struct lk_node list, const char *what, const double *y, int n,
                        struct lk_error *err)
{
    for (int i = 1; i < n; i++) {
        if (y[i] < y[i - 1])
            return lk_node_refuse(lk_node_at(list, i), err,
                                  "entry %d of %s is %.40s, expected no less than the one before: "
                                  "an element whose force falls is unstable",
                                  i + 1, what, lk_node_text(lk_node_at(list, i)));
    }
    return 0;
}

/* Append a table of @n points. x and y share one block of memory. */
static int append_table(struct lk_model *model, int n, struct lk_table **ret_table)
{
    size_t size = (size_t)(model->n_tables + 1) * sizeof(*model->tables);
    struct lk_table *tables = realloc(model->tables, size);
    struct lk_table *table;

    if (tables == NULL)
        return -ENOMEM;
    model->tables = tables;
    table = &tables[model->n_tables];
    *table = (struct lk_table){.n = n, .x = calloc((size_t)n, 2 * sizeof(double))};
    if (table->x == NULL)
        return -ENOMEM;
    table->y = table->x + n;
    model->n_tables++;
    *ret_table = table;
    return 0;
}

int lk_read_table(struct lk_node map, const char *key, const char *x, const char *y, bool rising,
                  struct lk_model *model, int *ret_table, struct lk_error *err)
{
    const char *const keys[] = {x, y, NULL};
    struct lk_node node = lk_node_get(map, key);
    struct lk_table *table = NULL;
    int n = 0;
    int result = 0;

    if (node.index == 0)
        return 0;
    result = lk_node_check_keys(node, key, keys, err);
    if (result == 0)
        result = read_size(node, x, &n, err);
    if (result == 0)
        result = append_table(model, n, &table);
    if (result == 0)
        result = lk_read_numbers(node, x, n, table->x, err);
    if (result == 0)
        result = check_ascending(lk_node_get(node, x), x, table->x, n, err);
    if (result == 0)
        result = lk_read_numbers(node, y, n, table->y, err);
    if (result == 0 && rising)
        result = check_rising(lk_node_get(node, y), y, table->y, n, err);
    if (result == 0)
        *ret_table = model->n_tables - 1;
    return result;
}

/* read the list of forces over the rates @rate, one table for each level */
static int read_levels(struct lk_node list, const char *what, int levels, const double *rate, int n,
                       struct lk_model *model, struct lk_error *err)
{
    int result = 0;

    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != levels)
        return lk_node_refuse(list, err, "force is no list of %d lists, one for each level",
                              levels);
    for (int i = 0; i < levels && result == 0; i++) {
        struct lk_table *table = NULL;

        result = append_table(model, n, &table);
        if (result != 0)
            return result;
        memcpy(table->x, rate, (size_t)n * sizeof(double));
        result = lk_read_numbers_node(lk_node_at(list, i), what, n, table->y, err);
    }
    return result;
}

int lk_read_map(struct lk_node map, const char *key, struct lk_model *model, int *ret_table,
                struct lk_error *err)
{
    static const char *const keys[] = {"rate", "level", "force", NULL};
    struct lk_node node = lk_node_get(map, key), forces = lk_node_get(node, "force");
    struct lk_table *table = NULL;
    double rate[LK_POINTS_MAX];
    int n = 0, levels = 0, result;

    if (node.index == 0)
        return lk_node_refuse(map, err,
                              "the key '%s' is missing, expected {rate: [...], level: "
                              "[...], force: [[...], ...]}",
                              key);
    result = lk_node_check_keys(node, key, keys, err);
    if (result == 0)
        result = read_size(node, "rate", &n, err);
    if (result == 0)
        result = read_size(node, "level", &levels, err);
    if (result == 0 && (long)n * levels > LK_POINTS_MAX)
        return lk_node_refuse(node, err, "%s has %d rates and %d levels, expected at most %d pairs",
                              key, n, levels, LK_POINTS_MAX);
    if (result == 0)
        result = lk_read_numbers(node, "rate", n, rate, err);
    if (result == 0)
        result = check_ascending(lk_node_get(node, "rate"), "rate", rate, n, err);
    if (result == 0)
        result = append_table(model, levels, &table);
    if (result != 0)
        return result;
    *ret_table = model->n_tables - 1;
    result = lk_read_numbers(node, "level", levels, table->x, err);
    if (result == 0)
        result = check_ascending(lk_node_get(node, "level"), "level", table->x, levels, err);
    if (result == 0 && forces.index == 0)
        return lk_node_refuse(node, err,
                              "the key 'force' is missing, expected a list of %d lists, "
                              "one for each level",
                              levels);
    return result == 0 ? read_levels(forces, "force", levels, rate, n, model, err) : result;
}

void lk_free_tables(struct lk_model *model)
{
    for (int i = 0; i < model->n_tables; i++)
        free(model->tables[i].x);
    free(model->tables);
}
