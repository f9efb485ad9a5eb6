/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks with several states: transfer functions and state spaces of any order and unit of time.
 * The units of their coefficients are powers of a rate, so that the coefficients of one block
 * may span many decades. States are scaled for the matrix that the step solves. */
#include "reader.h"

#include <math.h>

/* ---- scaling ---- */

/* Compute the sums of the magnitudes in row and column @i of @a, without its diagonal. */
static void sums_of(const double *a, int n, int i, double *ret_row, double *ret_column)
{
    *ret_row = *ret_column = 0;
    for (int k = 0; k < n; k++)
        if (k != i) {
            *ret_row += fabs(a[i * n + k]);
            *ret_column += fabs(a[k * n + i]);
        }
}

/* Scale state @i to units of @unit, which is a power of two, so that no bit is lost. */
static void scale_state(struct lk_block_def *b, int i, double unit)
{
    int n = b->n_states;

    for (int k = 0; k < n; k++)
        b->a[i * n + k] /= unit;
    for (int k = 0; k < n; k++)
        b->a[k * n + i] *= unit;
    for (int k = 0; k < b->n_sources; k++)
        b->b[i * b->n_sources + k] /= unit;
    b->c[i] *= unit;
    b->initial[i] /= unit;
}

/* Balance rows and columns of the matrix a (B. N. Parlett, C. Reinsch, Balancing a Matrix for
 * Calculation of Eigenvalues and Eigenvectors, 1969). Each pass lowers the sum of the magnitudes by
 * at least 5 %, so that the iteration ends. */
static void balance(struct lk_block_def *b)
{
    bool goes_on = true;

    while (goes_on) {
        goes_on = false;
        for (int i = 0; i < b->n_states; i++) {
            double row, column, before;
            int e;

            sums_of(b->a, b->n_states, i, &row, &column);
            if (!(row > 0 && column > 0 && isfinite(row + column)))
                continue;
            before = row + column;
            e = (int)rint(0.5 * (log2(row) - log2(column)));
            if (ldexp(row, -e) + ldexp(column, e) >= 0.95 * before)
                continue;
            scale_state(b, i, ldexp(1, e));
            goes_on = true;
        }
    }
}

/* Return the largest magnitude of @n numbers; a number that is not finite counts as infinite. */
static double largest_of(const double *x, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, isfinite(x[i]) ? fabs(x[i]) : INFINITY);
    return largest;
}

/* Check that the step can calculate with the block. @map: node of the block */
static int check_block(struct lk_node map, const struct lk_block_def *b, struct lk_error *err)
{
    int n = b->n_states;
    double rate = largest_of(b->a, n * n), out = largest_of(b->c, n);
    double in = fmax(largest_of(b->b, n * b->n_sources), largest_of(b->initial, n));
    double through = largest_of(b->d, b->n_sources);

    if (rate > LK_NUMBER_MAX)
        return lk_node_refuse(map, err,
                              "a state changes at a rate of %.2g 1/s, expected at most %g: leave "
                              "out what is too fast to have an effect",
                              rate, LK_NUMBER_MAX);
    if (!(in * out <= LK_NUMBER_MAX * LK_NUMBER_MAX && through <= LK_NUMBER_MAX))
        return lk_node_refuse(map, err, "a gain or initial value of %.2g, expected at most %g",
                              fmax(in * out / fmax(rate, 1), through), LK_NUMBER_MAX);
    return 0;
}

/* ---- transfer functions ---- */

/* Reads a list of 1 to @max numbers. */
static int read_list(struct lk_node map, const char *key, int max, double *ret, int *ret_n,
                     struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    int n = lk_node_kind(list) == LK_NODE_LIST ? lk_node_size(list) : 0;

    if (list.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected a list of numbers", key);
    if (n < 1 || n > max)
        return lk_node_refuse(list, err, "%s has %d entries, expected a list of 1 to %d numbers",
                              key, n, max);
    *ret_n = n;
    return lk_read_numbers_within(list, key, n, LK_FACTOR_MAX, ret, err);
}

/* Fill the controllable canonical form of num/den. Both have descending powers of s; num has
 * @shift coefficients fewer. */
static void fill_form(struct lk_block_def *b, const double *num, const double *den, int shift)
{
    int n = b->n_states;

    b->d[0] = shift == 0 ? num[0] / den[0] : 0;
    for (int k = 0; k < n; k++) {
        b->a[k] = -den[k + 1] / den[0];
        b->c[k] = (k + 1 >= shift ? num[k + 1 - shift] / den[0] : 0) + b->a[k] * b->d[0];
        if (k > 0)
            b->a[k * n + k - 1] = 1;
    }
    b->b[0] = n > 0;
}

int lk_read_transfer_function(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    double num[LK_BLOCK_STATES_MAX + 1], den[LK_BLOCK_STATES_MAX + 1];
    int n_num = 0, n_den = 0;
    int result = read_list(map, "num", LK_BLOCK_STATES_MAX + 1, num, &n_num, err);

    result = lk_also(result, read_list(map, "den", LK_BLOCK_STATES_MAX + 1, den, &n_den, err));
    if (result != 0)
        return result;
    if (den[0] == 0)
        return lk_node_refuse(lk_node_at(lk_node_get(map, "den"), 0), err,
                              "den begins with 0, expected the coefficient of the highest power "
                              "of s, not 0");
    if (n_num > n_den)
        return lk_node_refuse(lk_node_get(map, "num"), err,
                              "num has %d entries and den %d, expected a proper transfer function: "
                              "no more in num than in den",
                              n_num, n_den);
    b->n_states = n_den - 1;
    fill_form(b, num, den, n_den - n_num);
    balance(b);
    return check_block(map, b, err);
}

/* ---- state spaces ---- */

/* Reads a list of @rows lists of @columns numbers. */
static int read_matrix(struct lk_node map, const char *key, int rows, int columns, double *ret,
                       struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);
    int result = 0;

    if (list.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected a list of %d rows", key,
                              rows);
    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != rows)
        return lk_node_refuse(list, err, "%s is not a list of %d rows, expected [[...], ...]", key,
                              rows);
    for (int r = 0; r < rows; r++)
        result = lk_also(result, lk_read_numbers_within(lk_node_at(list, r), key, columns,
                                                        LK_FACTOR_MAX, ret + r * columns, err));
    return result;
}

/* Read @n coefficients; the key is required. */
static int read_factors(struct lk_node map, const char *key, int n, double *ret,
                        struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, key);

    if (list.index == 0)
        return lk_read_numbers(map, key, n, ret, err); /* reports the missing key */
    return lk_read_numbers_within(list, key, n, LK_FACTOR_MAX, ret, err);
}

int lk_read_state_space(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    struct lk_node a = lk_node_get(map, "a");
    int n = lk_node_kind(a) == LK_NODE_LIST ? lk_node_size(a) : 0, result;

    if (n < 1 || n > LK_BLOCK_STATES_MAX)
        return lk_node_refuse(a.index != 0 ? a : map, err,
                              "a has %d rows, expected a list of 1 to %d rows, one for each state",
                              n, LK_BLOCK_STATES_MAX);
    b->n_states = n;
    result = read_matrix(map, "a", n, n, b->a, err);
    result = lk_also(result, read_matrix(map, "b", n, b->n_sources, b->b, err));
    result = lk_also(result, read_factors(map, "c", n, b->c, err));
    if (lk_node_get(map, "d").index != 0)
        result = lk_also(result, lk_read_numbers(map, "d", b->n_sources, b->d, err));
    if (lk_node_get(map, "initial").index != 0)
        result = lk_also(result, read_factors(map, "initial", n, b->initial, err));
    if (result != 0)
        return result;
    balance(b);
    return check_block(map, b, err);
}
