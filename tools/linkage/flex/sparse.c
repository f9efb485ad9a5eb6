/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices. */
#include "solid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow(struct flex_triplets *t)
{
    size_t room = t->room > 0 ? 2 * t->room : 1024;
    long *row = realloc(t->row, room * sizeof(*row)), *column;
    double *value;

    if (row == NULL)
        return -ENOMEM;
    t->row = row;
    column = realloc(t->column, room * sizeof(*column));
    if (column == NULL)
        return -ENOMEM;
    t->column = column;
    value = realloc(t->value, room * sizeof(*value));
    if (value == NULL)
        return -ENOMEM;
    t->value = value;
    t->room = room;
    return 0;
}

int flex_triplets_add(struct flex_triplets *t, long row, long column, double value)
{
    if (t->n == t->room && grow(t) != 0)
        return -ENOMEM;
    t->row[t->n] = row;
    t->column[t->n] = column;
    t->value[t->n++] = value;
    return 0;
}

void flex_triplets_free(struct flex_triplets *t)
{
    free(t->row);
    free(t->column);
    free(t->value);
    *t = (struct flex_triplets){0};
}

/* Write the order of the @n entries by @key, stable: the entries @from[0], @from[1] .. */
static void sort_by(const long *key, long n_keys, const size_t *from, size_t n, size_t *count,
                    size_t *ret)
{
    memset(count, 0, ((size_t)n_keys + 1) * sizeof(*count));
    for (size_t i = 0; i < n; i++)
        count[key[i] + 1]++;
    for (long k = 0; k < n_keys; k++)
        count[k + 1] += count[k];
    for (size_t i = 0; i < n; i++)
        ret[count[key[from[i]]]++] = from[i];
}

/* Copy the entries in the order @order; those of the same place are summed. */
static void compress(const struct flex_triplets *t, const size_t *order, struct flex_sparse *ret)
{
    long k = 0, used = 0;

    for (size_t i = 0; i < t->n; i++) {
        size_t at = order[i];

        while (k <= t->column[at])
            ret->start[k++] = used;
        if (used > ret->start[k - 1] && ret->row[used - 1] == t->row[at]) {
            ret->value[used - 1] += t->value[at];
            continue;
        }
        ret->row[used] = t->row[at];
        ret->value[used++] = t->value[at];
    }
    while (k <= ret->n)
        ret->start[k++] = used;
}

int flex_sparse_new(const struct flex_triplets *t, long n, struct flex_sparse *ret)
{
    size_t *order = calloc(3 * t->n + 1, sizeof(*order)),
           *count = calloc((size_t)n + 2, sizeof(*count));
    struct flex_sparse A = {n, calloc((size_t)n + 1, sizeof(long)), calloc(t->n + 1, sizeof(long)),
                            calloc(t->n + 1, sizeof(double))};
    int result = -ENOMEM;

    if (order != NULL && count != NULL && A.start != NULL && A.row != NULL && A.value != NULL) {
        for (size_t i = 0; i < t->n; i++)
            order[i] = i;
        sort_by(t->row, n, order, t->n, count, order + t->n);
        sort_by(t->column, n, order + t->n, t->n, count, order + 2 * t->n);
        compress(t, order + 2 * t->n, &A);
        result = 0;
    }
    free(order);
    free(count);
    if (result == 0)
        *ret = A;
    else
        flex_sparse_free(&A);
    return result;
}

void flex_sparse_multiply(const struct flex_sparse *A, const double *X, int columns, double *ret)
{
    size_t n = (size_t)A->n;

    memset(ret, 0, n * (size_t)columns * sizeof(*ret));
    for (int c = 0; c < columns; c++, X += n, ret += n)
        for (long k = 0; k < A->n; k++)
            for (long e = A->start[k]; e < A->start[k + 1]; e++)
                ret[A->row[e]] += A->value[e] * X[k];
}

double flex_sparse_entry(const struct flex_sparse *A, long row, long column)
{
    long low = A->start[column], high = A->start[column + 1];

    while (low < high) {
        long middle = low + (high - low) / 2;

        if (A->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->start[column + 1] && A->row[low] == row ? A->value[low] : 0;
}

void flex_sparse_free(struct flex_sparse *A)
{
    free(A->start);
    free(A->row);
    free(A->value);
    *A = (struct flex_sparse){0};
}
