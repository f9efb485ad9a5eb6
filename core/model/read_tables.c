/* SPDX-License-Identifier: Apache-2.0 */
/* Functions given by points, for drives, springs and dampers. */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>

/* Number of points, from the list of abscissas. */
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

/* Appends a table of @n points; x and y share one block. */
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

void lk_free_tables(struct lk_model *model)
{
    for (int i = 0; i < model->n_tables; i++)
        free(model->tables[i].x);
    free(model->tables);
}
