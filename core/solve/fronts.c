/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly and disassembly over the fronts. */
#include "solve/fronts.h"
#include "maths/vec.h"
#include "solve/kernels.h"

/* s W Phi^T of one block, direction by direction, four rows at a time. Here and below n, pad and
 * is_point of a side are compile-time constants in the instances for common joints. */
LK_INLINE void weigh(const struct lk_side *rows, const struct lk_inverse_mass *sW, lk_four WJ[2][6])
{
    const double *I = sW->inertia, *turn = rows->turn;

    for (int r = 0; r < rows->pad; r += 4) {
        lk_four j[3], *to = WJ[r / 4];

        for (int k = 0; k < 3; k++) {
            j[k] = *(const lk_four *)&turn[k * rows->pad + r];
            if (!rows->is_point)
                to[k] = sW->mass * *(const lk_four *)&turn[(k - 3) * rows->pad + r];
        }
        to[3] = I[0] * j[0] + I[3] * j[1] + I[4] * j[2];
        to[4] = I[3] * j[0] + I[1] * j[1] + I[5] * j[2];
        to[5] = I[4] * j[0] + I[5] * j[1] + I[2] * j[2];
    }
}

/* column @c of (s W Phi_rows^T)^T Phi_columns^T, two blocks of one body; @m: s / mass */
LK_INLINE void product_column(lk_four WJ[2][6], const struct lk_side *rows,
                              const struct lk_side *columns, int c, double m,
                              double product[LK_ROWS_PAD])
{
    const double *turn = columns->turn;
    int pad = columns->pad;

    for (int r = 0; r < rows->pad; r += 4) {
        const lk_four *w = WJ[r / 4];
        lk_four sum = w[3] * turn[c];

        sum += w[4] * turn[pad + c];
        sum += w[5] * turn[2 * pad + c];
        for (int k = 0; k < 3 && !rows->is_point; k++) {
            if (!columns->is_point)
                sum += w[k] * turn[(k - 3) * pad + c];
            else if (k == c)
                sum += w[k] * columns->sign;
        }
        *(lk_four *)&product[r] = sum;
    }
    for (int k = 0; k < 3 && rows->is_point; k++) {
        if (!columns->is_point)
            product[k] += m * rows->sign * turn[(k - 3) * pad + c];
        else if (k == c)
            product[k] += m * rows->sign * columns->sign;
    }
}

LK_INLINE void add_product(double *F, int n, lk_four WJ[2][6], const struct lk_side *rows,
                           const struct lk_side *columns, double m, int is_diagonal)
{
#pragma GCC unroll 6
    for (int c = 0; c < columns->n; c++) {
        double *column = F + c * n;
        double product[LK_ROWS_PAD];

        product_column(WJ, rows, columns, c, m, product);
        for (int r = is_diagonal ? c : 0; r < rows->n; r++)
            column[r] += product[r];
    }
}

/* products of block @j of a body with the blocks before it and with itself */
LK_INLINE void add_blocks(double *F, int n, const struct lk_block *block, int j, int rows_n,
                          int pad, int is_point, const struct lk_inverse_mass *sW)
{
    struct lk_side rows = block[j].side;
    lk_four WJ[2][6];

    rows.n = rows_n;
    rows.pad = pad;
    rows.is_point = is_point;
    weigh(&rows, sW, WJ);
    for (int k = 0; k < j; k++) {
        double *corner = F + block[k].at * n + block[j].at;
        struct lk_side columns = block[k].side;

        if (is_point && columns.is_point && columns.n == rows_n) {
            columns.n = rows_n;
            columns.pad = pad;
            columns.is_point = 1;
            add_product(corner, n, WJ, &rows, &columns, sW->mass, 0);
        } else {
            add_product(corner, n, WJ, &rows, &columns, sW->mass, 0);
        }
    }
    add_product(F + block[j].at * (n + 1), n, WJ, &rows, &rows, sW->mass, 1);
}

/* add s Phi_b W Phi_b^T of one body; blocks come in the order of their rows, so block k <= j lies
 * in the lower triangle */
LK_INLINE void add_element(double *F, int n, const struct lk_block *block, int n_blocks,
                           const struct lk_inverse_mass *sW)
{
    for (int j = 0; j < n_blocks; j++) {
        const struct lk_side *rows = &block[j].side;

        if (rows->is_point && rows->n == 3)
            add_blocks(F, n, block, j, 3, 4, 1, sW);
        else if (rows->is_point && rows->n == 5)
            add_blocks(F, n, block, j, 5, 8, 1, sW);
        else
            add_blocks(F, n, block, j, rows->n, rows->pad, rows->is_point, sW);
    }
}

/* add what elimination left of a child */
LK_INLINE void add_remainder(double *restrict F, const double *restrict C, int rest, int stride,
                             const int *place)
{
    for (int c = 0; c < rest; c++)
        for (int r = c; r < rest; r++)
            F[*place++] += C[c * stride + r];
}

LK_INLINE void add_child(struct lk_fronts *fr, double *F, const struct lk_child *c)
{
    const double *C = fr->matrices + c->corner;
    const int *place = fr->place + c->place;

    if (c->rest == 3)
        add_remainder(F, C, 3, c->stride, place);
    else if (c->rest == 5)
        add_remainder(F, C, 5, c->stride, place);
    else
        add_remainder(F, C, c->rest, c->stride, place);
}

/* assemble front @f into F; n and e are compile-time constants in the instances for common shapes
 */
LK_INLINE void build_front(struct lk_fronts *fr, const struct lk_front *f, int n, int e, double *F,
                           const double *regular, const struct lk_inverse_mass *sW)
{
    for (int k = 0; k < n * n; k += 4)
        *(lk_four *)&F[k] = (lk_four){0};
    for (int k = 0; k < f->n_elements; k++) {
        const struct lk_element *el = &fr->element[f->first_element + k];

        add_element(F, n, fr->block + el->first_block, el->n_blocks, &sW[el->body]);
    }
    for (int k = 0; k < f->n_children; k++)
        add_child(fr, F, &fr->child[f->first_child + k]);
    for (int r = 0; r < e; r++)
        F[r * (n + 1)] += regular[f->row + r];
}

/* a small front: assembled on the stack, factored in a copy that the compiler keeps in registers,
 * so that no load waits for a store */
LK_INLINE void factor_small(struct lk_fronts *fr, const struct lk_front *f, int n, int e,
                            const double *regular, const struct lk_inverse_mass *sW)
{
    double *F = fr->matrices + f->matrix;
    double built[36], local[36];

    build_front(fr, f, n, e, built, regular, sW);
#pragma GCC unroll 8
    for (int c = 0; c < n; c++)
#pragma GCC unroll 8
        for (int r = c; r < n; r++)
            local[c * n + r] = built[c * n + r];
    lk_kernel_factor(local, n, e);
#pragma GCC unroll 8
    for (int c = 0; c < n; c++)
#pragma GCC unroll 8
        for (int r = c; r < n; r++)
            F[c * n + r] = local[c * n + r];
}

/* Each instance is a function of its own: some passes of gcc 12 are quadratic in the size of a
 * function; one function for all takes three times as long to compile. */
#define X(E, N)                                                                                    \
    static LK_APART void factor_##E##_##N(struct lk_fronts *fr, const struct lk_front *f,          \
                                          const double *regular, const struct lk_inverse_mass *sW) \
    {                                                                                              \
        factor_small(fr, f, N, E, regular, sW);                                                    \
    }
LK_SMALL_FRONTS(X)
#undef X

#define X(E, N)                                                                                    \
    static LK_APART void factor_##E##_##N(struct lk_fronts *fr, const struct lk_front *f,          \
                                          const double *regular, const struct lk_inverse_mass *sW) \
    {                                                                                              \
        double *F = fr->matrices + f->matrix;                                                      \
                                                                                                   \
        build_front(fr, f, N, E, F, regular, sW);                                                  \
        lk_kernel_factor(F, N, E);                                                                 \
    }
LK_LARGE_FRONTS(X)
#undef X

void lk_fronts_factor(struct lk_fronts *fr, const double *regular, const struct lk_inverse_mass *sW)
{
    for (int i = 0; i < fr->n_fronts; i++) {
        const struct lk_front *f = &fr->front[i];
        double *F = fr->matrices + f->matrix;

        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N:                                                                       \
        factor_##E##_##N(fr, f, regular, sW);                                                      \
        break;
            LK_SMALL_FRONTS(X)
            LK_LARGE_FRONTS(X)
#undef X
        case LK_FRONT_ANY:
            build_front(fr, f, f->n, f->e, F, regular, sW);
            lk_kernel_factor(F, f->n, f->e);
            break;
        }
    }
}

LK_INLINE void add_sums(const double *restrict sum, const int *restrict map, int rest,
                        double *restrict t)
{
    for (int r = 0; r < rest; r++)
        t[map[r]] += sum[r];
}

/* one front of the upward sweep; n and e as in build_front() */
LK_INLINE void assemble_front(struct lk_fronts *fr, const struct lk_front *f, int n, int e,
                              double *t, double *restrict x)
{
    for (int r = 0; r < e; r++)
        t[r] = x[f->row + r];
    for (int r = e; r < n; r++)
        t[r] = 0;
    for (int k = 0; k < f->n_children; k++) {
        const struct lk_child *c = &fr->child[f->first_child + k];

        if (c->rest == e && c->is_first)
            for (int r = 0; r < e; r++)
                t[r] += fr->sums[c->reduced + r];
        else
            add_sums(fr->sums + c->reduced, fr->map + c->map, c->rest, t);
    }
    lk_kernel_forward(fr->matrices + f->matrix, n, e, t);
    for (int r = 0; r < e; r++)
        x[f->row + r] = t[r];
    for (int r = e; r < n; r++)
        fr->sums[f->reduced + r - e] = t[r];
}

LK_INLINE void disassemble_front(const struct lk_fronts *fr, const struct lk_front *f, int n, int e,
                                 double *t, double *restrict x)
{
    const int *rest = fr->rest + f->rest;

    for (int r = 0; r < e; r++)
        t[r] = x[f->row + r];
    for (int r = e; r < n; r++)
        t[r] = x[rest[r - e]];
    lk_kernel_backward(fr->matrices + f->matrix, n, e, t);
    for (int r = 0; r < e; r++)
        x[f->row + r] = t[r];
}

void lk_fronts_solve(struct lk_fronts *fr, double *x)
{
    for (int i = 0; i < fr->n_fronts; i++) {
        const struct lk_front *f = &fr->front[i];

        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N: {                                                                     \
        double t[N];                                                                               \
        assemble_front(fr, f, N, E, t, x);                                                         \
        break;                                                                                     \
    }
            LK_SMALL_FRONTS(X)
            LK_LARGE_FRONTS(X)
#undef X
        case LK_FRONT_ANY:
            assemble_front(fr, f, f->n, f->e, fr->local, x);
            break;
        }
    }
    for (int i = fr->n_fronts - 1; i >= 0; i--) {
        const struct lk_front *f = &fr->front[i];

        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N: {                                                                     \
        double t[N];                                                                               \
        disassemble_front(fr, f, N, E, t, x);                                                      \
        break;                                                                                     \
    }
            LK_SMALL_FRONTS(X)
            LK_LARGE_FRONTS(X)
#undef X
        case LK_FRONT_ANY:
            disassemble_front(fr, f, f->n, f->e, fr->local, x);
            break;
        }
    }
}

void lk_fronts_schedule(struct lk_fronts *fr, const int *order)
{
    for (int i = 0; i < fr->n_fronts; i++)
        fr->front[i] = fr->plan_front[order[i]];
}

double lk_fronts_smallest_pivot(const struct lk_fronts *fr, const double *scale)
{
    double largest = 0;

    for (int i = 0; i < fr->n_fronts; i++) {
        const struct lk_front *f = &fr->front[i];

        /* the factor keeps the inverse of every pivot on its diagonal */
        for (int r = 0; r < f->e; r++)
            largest = lk_max(largest, fr->matrices[f->matrix + r * (f->n + 1)] * scale[f->row + r]);
    }
    return largest > 0 ? 1 / largest : 1;
}
