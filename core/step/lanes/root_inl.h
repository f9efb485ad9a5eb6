/* SPDX-License-Identifier: Apache-2.0 */
/* The root, a dense matrix whose rows fill the lanes, see struct lk_batch_root_row. If its fronts
 * were eliminated one by one, each front would wait for the previous front, and few lanes would be
 * used. There is no include guard, see lanes_inl.h.
 *
 * The factor is C = L D L^T, stored as L^-1 and D^-1, so that a solution is the two products L^-T
 * (D^-1 (L^-1 b)). The condition number of L D^1/2 is the square root of the condition number of C,
 * so that these products have less round-off than C^-1. */

/** struct root - matrices and vectors of the root. @stride: length of a column in doubles, in
 * @n_vectors vectors
 * @columns, @rows: L^-1, unit lower */
struct root {
    int n;
    int stride;
    int n_vectors;
    double *C;
    double *columns;
    double *rows;
    double *inverse; /* D^-1 */
    double *solution;
};

LK_INLINE struct root root_of(const struct lk_batches *p)
{
    int n = p->n_root_rows, stride = lk_root_stride(LK_LANES, n);
    double *C = (double *)block_at(p, p->root);

    return (struct root){
        .n = n,
        .stride = stride,
        .n_vectors = stride / LK_LANES,
        .C = C,
        .columns = C + n * stride,
        .rows = C + 2 * n * stride,
        .inverse = C + LK_ROOT_MATRICES * n * stride,
        .solution = C + LK_ROOT_MATRICES * n * stride + stride,
    };
}

LK_INLINE lanes_t *column_of(double *matrix, struct root r, int k)
{
    return (lanes_t *)(matrix + k * r.stride);
}

/* assemble E + s Phi_q W Phi_q^T, below the diagonal, from the remainders of the children */
LK_INLINE void build_root(const struct lk_batches *p, struct root r)
{
    const struct lk_batch_root_entry *entry = p->root_entries, *end = entry + p->n_root_entries;
    const struct lk_batch_root_row *row = p->root_rows;
    const double *values = p->values;

    for (int i = 0; i < r.n * r.n_vectors; i++)
        ((lanes_t *)r.C)[i] = (lanes_t){0};
    for (; entry < end; entry++)
        r.C[entry->to] += values[entry->from];
    for (int k = 0; k < r.n; k++)
        r.C[k * (r.stride + 1)] += values[row[k].regular];
}

/* set @rows to the unit matrix, which the elimination turns into L^-1, and @columns to 0 */
LK_INLINE void begin_inverse(struct root r, int n)
{
    for (int i = 0; i < r.n * n; i++)
        ((lanes_t *)r.rows)[i] = ((lanes_t *)r.columns)[i] = (lanes_t){0};
    for (int k = 0; k < r.n; k++)
        r.rows[k * (r.stride + 1)] = 1;
    for (int k = r.n; k < r.stride; k++)
        r.inverse[k] = 0;
}

/* eliminate column @k from later columns and from the rows of the unit matrix. Entries above the
 * diagonal are not read. @n: number of vectors;  @own: index of the vector that contains the
 * diagonal. Both are compile-time constants in the instances */
LK_INLINE void eliminate_column(struct root r, int k, int n, int own)
{
    lanes_t from[LK_ROOT_ROWS_MAX / LK_LANES], unity[LK_ROOT_ROWS_MAX / LK_LANES];
    double inverse = 1 / r.C[k * (r.stride + 1)];

#pragma GCC unroll 6
    for (int v = 0; v < n; v++) {
        from[v] = inverse * column_of(r.C, r, k)[v];
        unity[v] = inverse * column_of(r.rows, r, k)[v];
    }
    r.inverse[k] = inverse;
#pragma GCC unroll 6
    for (int block = own; block < n; block++) {
        int first = block == own ? k + 1 : block * LK_LANES;
        int end = (block + 1) * LK_LANES < r.n ? (block + 1) * LK_LANES : r.n;

        for (int j = first; j < end; j++) {
            lanes_t *to = column_of(r.C, r, j), *row = column_of(r.rows, r, j);
            double factor = r.C[k * r.stride + j];

#pragma GCC unroll 6
            for (int v = block; v < n; v++)
                to[v] -= factor * from[v];
#pragma GCC unroll 6
            for (int v = 0; v <= own; v++)
                row[v] -= factor * unity[v];
        }
    }
}

LK_INLINE void factor_root_of(const struct lk_batches *p, struct root r, int n)
{
    build_root(p, r);
    begin_inverse(r, n);
#pragma GCC unroll 6
    for (int own = 0; own < n; own++)
        for (int k = own * LK_LANES; k < (own + 1) * LK_LANES && k < r.n; k++)
            eliminate_column(r, k, n, own);
    for (int i = 0; i < r.n; i++)
        for (int k = 0; k <= i; k++)
            r.columns[k * r.stride + i] = r.rows[i * r.stride + k];
}

/* return the right-hand side of a row, with the contributions of its children */
LK_INLINE double root_side(const double *values, const int *sums, struct lk_batch_root_row row)
{
    double sum = values[row.x];

    for (int i = row.first_sum; i < row.first_sum + row.n_sums; i++)
        sum += values[sums[i]];
    return sum;
}

LK_INLINE void add_root_column(double *matrix, struct root r, int k, double part, int n,
                               lanes_t *sum)
{
    const lanes_t *column = column_of(matrix, r, k);

#pragma GCC unroll 6
    for (int v = 0; v < n; v++)
        sum[v] += part * column[v];
}

/* solve with the root. @n: number of vectors, a compile-time constant in the instances. Sums are
 * then in registers: one for even and one for odd columns, so that additions do not wait for each
 * other */
LK_INLINE void solve_root_of(const struct lk_batches *p, struct root r, int n)
{
    lanes_t y[2][LK_ROOT_ROWS_MAX / LK_LANES], x[2][LK_ROOT_ROWS_MAX / LK_LANES];
    const struct lk_batch_root_row *rows = p->root_rows;
    const int *sums = p->root_sums;
    double *values = p->values;
    int k;

#pragma GCC unroll 6
    for (int v = 0; v < n; v++)
        x[0][v] = x[1][v] = y[0][v] = y[1][v] = (lanes_t){0};
    for (k = 0; k + 1 < r.n; k += 2) {
        add_root_column(r.columns, r, k, root_side(values, sums, rows[k]), n, y[0]);
        add_root_column(r.columns, r, k + 1, root_side(values, sums, rows[k + 1]), n, y[1]);
    }
    if (k < r.n)
        add_root_column(r.columns, r, k, root_side(values, sums, rows[k]), n, y[0]);
#pragma GCC unroll 6
    for (int v = 0; v < n; v++)
        ((lanes_t *)r.solution)[v] = (y[0][v] + y[1][v]) * ((lanes_t *)r.inverse)[v];
    for (k = 0; k + 1 < r.n; k += 2) {
        add_root_column(r.rows, r, k, r.solution[k], n, x[0]);
        add_root_column(r.rows, r, k + 1, r.solution[k + 1], n, x[1]);
    }
    if (k < r.n)
        add_root_column(r.rows, r, k, r.solution[k], n, x[0]);
#pragma GCC unroll 6
    for (int v = 0; v < n; v++)
        ((lanes_t *)r.solution)[v] = x[0][v] + x[1][v];
    for (k = 0; k < r.n; k++)
        values[rows[k].x] = r.solution[k];
}

/* instances for all possible numbers of vectors */
#if LK_LANES == 8
#define ROOTS(X) X(1) X(2) X(3)
#elif LK_LANES == 4
#define ROOTS(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define ROOTS(X)
#endif
_Static_assert(LK_ROOT_ROWS_MAX == 24, "instances for all numbers of vectors");
#define X(N)                                                                                       \
    static LK_APART void factor_root_##N(const struct lk_batches *p)                               \
    {                                                                                              \
        factor_root_of(p, root_of(p), N);                                                          \
    }                                                                                              \
    static LK_APART void solve_root_##N(const struct lk_batches *p)                                \
    {                                                                                              \
        solve_root_of(p, root_of(p), N);                                                           \
    }
ROOTS(X)
#undef X

static LK_APART void factor_root(const struct lk_batches *p)
{
    int n = root_of(p).n_vectors;

#define X(N)                                                                                       \
    if (n == (N)) {                                                                                \
        factor_root_##N(p);                                                                        \
        return;                                                                                    \
    }
    ROOTS(X)
#undef X
    factor_root_of(p, root_of(p), n);
}

static LK_APART void solve_root(const struct lk_batches *p)
{
    int n = root_of(p).n_vectors;

#define X(N)                                                                                       \
    if (n == (N)) {                                                                                \
        solve_root_##N(p);                                                                         \
        return;                                                                                    \
    }
    ROOTS(X)
#undef X
    solve_root_of(p, root_of(p), n);
}
