/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly and disassembly over the fronts. */
#include "solve/fronts.h"
#include "maths/vec.h"
#include "solve/kernels.h"
#include <stdbool.h>
#include <string.h>

/* compute s W Phi^T of one block, direction by direction, with as many rows at a time as fit
 * into a register. Here and below n, pad and is_point of a side are compile-time constants in
 * the instances for common joints. */
LK_INLINE void weigh(const struct lk_side *rows, const struct lk_inverse_mass *sW,
                     lk_part WJ[2 * LK_PARTS][6])
{
    const double *I = sW->inertia, *turn = rows->turn;

    for (int r = 0; r < rows->pad; r += LK_PART) {
        lk_part j[3], *to = WJ[r / LK_PART];

        for (int k = 0; k < 3; k++) {
            j[k] = *(const lk_part *)&turn[k * rows->pad + r];
            if (!rows->is_point)
                to[k] = sW->mass * *(const lk_part *)&turn[(k - 3) * rows->pad + r];
        }
        to[3] = I[0] * j[0] + I[3] * j[1] + I[4] * j[2];
        to[4] = I[3] * j[0] + I[1] * j[1] + I[5] * j[2];
        to[5] = I[4] * j[0] + I[5] * j[1] + I[2] * j[2];
    }
}

/* return the translation part of a product of point rows, from @r on, with column @c */
LK_INLINE lk_part point_product(const struct lk_side *rows, const struct lk_side *columns, int r,
                                int c, double m)
{
    const double *move = columns->turn - 3 * columns->pad + c;
    int pad = columns->pad, first = rows->first;

    if (!columns->is_point)
        return m * rows->sign *
               LK_THREE(move[first * pad], move[lk_point_axis(first, 1) * pad],
                        move[lk_point_axis(first, 2) * pad], r);
    /* all pins of a plane omit the same axis, and a plane has no spherical joints */
    m *= rows->sign * columns->sign;
    return LK_THREE(c == 0 ? m : 0, c == 1 ? m : 0, c == 2 ? m : 0, r);
}

/* Return the rows from @r on of column @c of (s W Phi_rows^T)^T Phi_columns^T, for two blocks of
 * one body.
 * @w: rows of s W Phi_rows^T;  @m: s / mass */
LK_INLINE lk_part product_column(const lk_part w[6], const struct lk_side *rows,
                                 const struct lk_side *columns, int r, int c, double m)
{
    const double *turn = columns->turn;
    int pad = columns->pad;
    lk_part sum = w[3] * turn[c];

    sum += w[4] * turn[pad + c];
    sum += w[5] * turn[2 * pad + c];
    for (int k = 0; k < 3 && !rows->is_point; k++) {
        if (!columns->is_point)
            sum += w[k] * turn[(k - 3) * pad + c];
        else if (c < 3 && k == lk_point_axis(columns->first, c))
            sum += w[k] * columns->sign;
    }
    if (rows->is_point && r < 4 && (!columns->is_point || c < 3))
        sum += point_product(rows, columns, r, c, m);
    return sum;
}

/* Add the product of two blocks to F, in whole vectors. So zeros are added beyond the last row, and
 * in diagonal blocks the part above the diagonal is added, too. */
LK_INLINE void add_product(double *F, int stride, lk_part WJ[2 * LK_PARTS][6],
                           const struct lk_side *rows, const struct lk_side *columns, double m)
{
#pragma GCC unroll 6
    for (int c = 0; c < columns->n; c++)
        for (int r = 0; r < rows->pad; r += LK_PART)
            *(lk_part *)&F[c * stride + r] +=
                product_column(WJ[r / LK_PART], rows, columns, r, c, m);
}

/* Add the product of two blocks if the type of the columns is not a compile-time constant. In each
 * branch the storage format of the columns is a constant. */
LK_INLINE void add_product_of(double *F, int stride, lk_part WJ[2 * LK_PARTS][6],
                              const struct lk_side *rows, const struct lk_side *columns, double m)
{
    struct lk_side side = *columns;

    if (side.is_point && side.pad == 8) {
        side.is_point = 1;
        side.pad = 8;
        side.first = 0;
        add_product(F, stride, WJ, rows, &side, m);
    } else if (side.is_point && side.first == 0) {
        side.is_point = 1;
        side.first = 0;
        add_product(F, stride, WJ, rows, &side, m);
    } else if (side.is_point) {
        side.is_point = 1;
        add_product(F, stride, WJ, rows, &side, m);
    } else {
        side.is_point = 0;
        add_product(F, stride, WJ, rows, &side, m);
    }
}

/* add the products of block @j of a body with the blocks before it and with itself */
LK_INLINE void add_blocks(double *F, int stride, const struct lk_block *block, int j, int rows_n,
                          int pad, int is_point, const struct lk_inverse_mass *sW)
{
    struct lk_side rows = block[j].side;
    lk_part WJ[2 * LK_PARTS][6];

    rows.n = rows_n;
    rows.pad = pad;
    rows.is_point = is_point;
    rows.first = rows_n == 2 ? rows.first : 0;
    weigh(&rows, sW, WJ);
    for (int k = 0; k < j; k++) {
        double *corner = F + block[k].at * stride + block[j].at;
        struct lk_side columns = block[k].side;

        if (is_point && columns.is_point && columns.n == rows_n) {
            columns.n = rows_n;
            columns.pad = pad;
            columns.is_point = 1;
            add_product(corner, stride, WJ, &rows, &columns, sW->mass);
        } else {
            add_product_of(corner, stride, WJ, &rows, &columns, sW->mass);
        }
    }
    add_product(F + block[j].at * (stride + 1), stride, WJ, &rows, &rows, sW->mass);
}

/* Add the products of rows of less common joints, as add_blocks() does. It is a separate function
 * because it is large, and otherwise every instance of a front would contain it. */
static LK_APART void add_rare_blocks(double *F, int stride, const struct lk_block *block, int j,
                                     const struct lk_inverse_mass *sW)
{
    const struct lk_side *rows = &block[j].side;

    if (rows->is_point && rows->n == 6)
        add_blocks(F, stride, block, j, 6, 8, 1, sW);
    else if (rows->is_point) /* add_element() handles joints of 3 and 5 rows */
        add_blocks(F, stride, block, j, 4, 4, 1, sW);
    else if (rows->n == 1)
        add_blocks(F, stride, block, j, 1, 4, 0, sW);
    else if (rows->pad == 8)
        add_blocks(F, stride, block, j, rows->n, 8, 0, sW);
    else
        add_blocks(F, stride, block, j, rows->n, 4, 0, sW);
}

/* Add s Phi_b W Phi_b^T of one body. The blocks have the order of their rows, so the product of
 * block j with a block k <= j lies in the lower triangle. */
LK_INLINE void add_element(double *F, int stride, const struct lk_block *block, int n_blocks,
                           const struct lk_inverse_mass *sW)
{
    for (int j = 0; j < n_blocks; j++) {
        const struct lk_side *rows = &block[j].side;

        if (rows->is_point && rows->n == 3)
            add_blocks(F, stride, block, j, 3, 4, 1, sW);
        else if (rows->is_point && rows->n == 2)
            add_blocks(F, stride, block, j, 2, 4, 1, sW);
        else if (rows->is_point && rows->n == 5)
            add_blocks(F, stride, block, j, 5, 8, 1, sW);
        else
            add_rare_blocks(F, stride, block, j, sW);
    }
}

/* add the element of a body with modes to a front of @n rows */
static LK_APART void add_flexible(const struct lk_fronts *fr, const struct lk_element *el, int n,
                                  double *F, int stride)
{
    const struct lk_flexible *body = &fr->flexible[el->flexible];
    const struct lk_block *block = fr->block + el->first_block;

    lk_flexible_clear(body, stride);
    for (int i = 0; i < el->n_blocks; i++)
        lk_flexible_take(body, &block[i].side, block[i].node, block[i].at, stride);
    lk_flexible_add(body, n, F, stride);
}

/* Add the Schur complement @C of a child front to F. */
LK_INLINE void add_remainder(double *restrict F, const double *restrict C, int rest, int stride,
                             const int *place)
{
    for (int c = 0; c < rest; c++)
#pragma GCC unroll 4
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

/* Add Phi_h, which couples the rows of block @b with the motion of the hub in rows @at to @at + 5.
 * Only the lower triangle is written, whichever of the two comes first. No pin of two rows is at a
 * hub, see compile/passes/hubs.h. */
LK_INLINE void add_motion_block(double *F, int stride, const struct lk_block *b, int at)
{
    const struct lk_side *side = &b->side;
    int along = b->at < at ? 1 : stride, across = b->at < at ? stride : 1;
    double *corner = F + at * along + b->at * across;

    for (int c = 0; c < side->n; c++)
        for (int k = 0; k < 3; k++) {
            const double *turn = side->turn + k * side->pad + c;
            double move = side->is_point ? (k == c ? side->sign : 0) : turn[-3 * side->pad];

            corner[k * along + c * across] += move;
            corner[(k + 3) * along + c * across] += *turn;
        }
}

#define HELD 1e100 /* M/s of a hub with W = 0, which does not move */

/* Compute M/s of a hub from s W. */
static void invert_mass(const struct lk_inverse_mass *sW, double *ret_mass, double ret_inertia[6])
{
    if (sW->mass > 0) {
        *ret_mass = 1 / sW->mass;
        lk_sym_inverse(sW->inertia, ret_inertia);
        return;
    }
    *ret_mass = HELD;
    for (int i = 0; i < 6; i++)
        ret_inertia[i] = i < 3 ? HELD : 0;
}

/* add the motions of hubs to front @f, see tree.h. A separate function, because it is large */
static LK_APART void add_hubs(const struct lk_fronts *fr, const struct lk_front *f, double *F,
                              int stride, const struct lk_inverse_mass *sW)
{
    for (int i = f->first_hub; i < f->first_hub + f->n_hubs; i++) {
        const struct lk_hub_block *hub = &fr->hub[i];
        double *corner = F + hub->at * (stride + 1), mass, inertia[6];

        for (int k = 0; k < hub->n_blocks; k++)
            add_motion_block(F, stride, &fr->block[hub->first_block + k], hub->at);
        if (!hub->has_mass)
            continue;
        invert_mass(&sW[hub->body], &mass, inertia);
        for (int c = 0; c < 3; c++) {
            corner[c * (stride + 1)] -= mass;
            for (int r = c; r < 3; r++)
                corner[(3 + c) * stride + 3 + r] -= inertia[lk_sym_at(r, c)];
        }
    }
}

/* assemble front @f into F; n and e are compile-time constants in the instances for common shapes
 */
LK_INLINE void build_front(struct lk_fronts *fr, const struct lk_front *f, int n, int e,
                           bool is_fixed, double *F, const double *regular,
                           const struct lk_inverse_mass *sW)
{
    int stride = 4 * lk_vectors(n);

    if (is_fixed || n <= 16)
        for (int k = 0; k < n * stride; k += 4)
            *(lk_four *)&F[k] = (lk_four){0};
    else
        memset(F, 0, (size_t)(n * stride) * sizeof(double));
    for (int k = 0; k < f->n_elements; k++) {
        const struct lk_element *el = &fr->element[f->first_element + k];

        if (el->flexible >= 0)
            add_flexible(fr, el, n, F, stride);
        else
            add_element(F, stride, fr->block + el->first_block, el->n_blocks, &sW[el->body]);
    }
    for (int k = 0; k < f->n_children; k++)
        add_child(fr, F, &fr->child[f->first_child + k]);
    if (f->n_hubs > 0)
        add_hubs(fr, f, F, stride, sW);
    for (int r = 0; r < e && f->row < fr->motions; r++)
        F[r * (stride + 1)] += regular[f->row + r];
}

/* Assemble and factor one front. @l: scratch of e values */
LK_INLINE void factor_front(struct lk_fronts *fr, const struct lk_front *f, int n, int e,
                            const double *regular, const struct lk_inverse_mass *sW, double *l)
{
    lk_four *F = (lk_four *)(fr->matrices + f->matrix);
    double *pivot = fr->matrices + f->pivot;
    int height = lk_vectors(n);

    build_front(fr, f, n, e, true, (double *)F, regular, sW);
    lk_fixed_kernel_eliminate(F, height, n, e, pivot);
    lk_fixed_kernel_invert(F, height, e, pivot, l);
    lk_fixed_kernel_transpose(F, height, n, e, fr->matrices + f->across);
}

static LK_APART void build_any(struct lk_fronts *fr, const struct lk_front *f,
                               const double *regular, const struct lk_inverse_mass *sW)
{
    build_front(fr, f, f->n, f->e, false, fr->matrices + f->matrix, regular, sW);
}

/* eliminate a front after build_any(); the number of columns is not a constant */
LK_INLINE void eliminate_any(struct lk_fronts *fr, const struct lk_front *f, int height, int e)
{
    lk_four *F = (lk_four *)(fr->matrices + f->matrix);
    double *pivot = fr->matrices + f->pivot;

    lk_any_kernel_eliminate(F, height, f->n, e, pivot);
    lk_any_kernel_invert(F, height, e, pivot, fr->local);
    lk_any_kernel_transpose(F, height, f->n, e, fr->matrices + f->across);
}

/* factor a front without an instance: only the height is a constant, if it is small */
static void factor_any(struct lk_fronts *fr, const struct lk_front *f, const double *regular,
                       const struct lk_inverse_mass *sW)
{
    int height = lk_vectors(f->n);

    build_any(fr, f, regular, sW);
    switch (height) {
#define X(HEIGHT)                                                                                  \
    case HEIGHT:                                                                                   \
        eliminate_any(fr, f, HEIGHT, f->e);                                                        \
        break;
        X(1)
        X(2)
        X(3)
        X(4)
#undef X
    default:
        eliminate_any(fr, f, height, f->e);
        break;
    }
}

/* Each instance is a separate function, because some passes of gcc 12 are quadratic in the size of
 * a function: one function for all takes three times as long to compile. */
#define X(E, N)                                                                                    \
    static LK_APART void factor_##E##_##N(struct lk_fronts *fr, const struct lk_front *f,          \
                                          const double *regular, const struct lk_inverse_mass *sW) \
    {                                                                                              \
        double l[E];                                                                               \
                                                                                                   \
        factor_front(fr, f, N, E, regular, sW, l);                                                 \
    }
LK_FRONTS(X)
#undef X
#define X(E, HEIGHT)                                                                               \
    static LK_APART void factor_tall_##E##_##HEIGHT(                                               \
        struct lk_fronts *fr, const struct lk_front *f, const double *regular,                     \
        const struct lk_inverse_mass *sW)                                                          \
    {                                                                                              \
        build_any(fr, f, regular, sW);                                                             \
        eliminate_any(fr, f, HEIGHT, E);                                                           \
    }
LK_FRONTS_TALL(X)
#undef X

void lk_fronts_factor(struct lk_fronts *fr, const double *regular, const struct lk_inverse_mass *sW)
{
    for (int i = 0; i < fr->n_fronts; i++) {
        const struct lk_front *f = &fr->front[i];

        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N:                                                                       \
        factor_##E##_##N(fr, f, regular, sW);                                                      \
        break;
            LK_FRONTS(X)
#undef X
#define X(E, HEIGHT)                                                                               \
    case LK_FRONT_TALL_##E##_##HEIGHT:                                                             \
        factor_tall_##E##_##HEIGHT(fr, f, regular, sW);                                            \
        break;
            LK_FRONTS_TALL(X)
#undef X
        case LK_FRONT_ANY:
            factor_any(fr, f, regular, sW);
            break;
        }
    }
}

/* Compute y, the right-hand side of front @f. Values are loaded one at a time, because a wide load
 * would wait for the preceding narrow stores. */
LK_INLINE void collect(const struct lk_fronts *fr, const struct lk_front *f, int height, int e,
                       const double *x, lk_four *y)
{
    const double *own = x + f->row, *sums = fr->sums;
    int v = 0;

    for (; 4 * v + 4 <= e; v++, own += 4)
        y[v] = (lk_four){own[0], own[1], own[2], own[3]};
    if (e % 4 > 0)
        y[v++] = (lk_four){own[0], e % 4 > 1 ? own[1] : 0, e % 4 > 2 ? own[2] : 0, 0};
    for (; v < height; v++)
        y[v] = (lk_four){0};
    for (int k = 0; k < f->n_children; k++) {
        const struct lk_child *c = &fr->child[f->first_child + k];
        const double *first = sums + c->reduced;
        const int *pull = fr->pull + c->pull;

        if (c->rest == e && c->is_first) {
            for (v = 0; 4 * v + 4 <= e; v++, first += 4)
                y[v] += (lk_four){first[0], first[1], first[2], first[3]};
            if (e % 4 > 0)
                y[v] += (lk_four){first[0], e % 4 > 1 ? first[1] : 0, e % 4 > 2 ? first[2] : 0, 0};
        } else {
            for (v = 0; v < height; v++, pull += 4)
                y[v] += (lk_four){sums[pull[0]], sums[pull[1]], sums[pull[2]], sums[pull[3]]};
        }
    }
}

LK_INLINE void store(const lk_four *y, int n, double *t)
{
    for (int v = 0; v < n; v++)
        *(lk_four *)&t[4 * v] = y[v];
}

/* Copy the first @e values of @y to @t. If e is a constant, they are copied one by one, so that @t
 * stays in registers. */
LK_INLINE void spread(const lk_four *y, int e, bool is_fixed, double *t)
{
    if (is_fixed) {
#pragma GCC unroll 16
        for (int r = 0; r < e; r++)
            t[r] = y[r / 4][r % 4];
    } else {
        store(y, lk_vectors(e), t);
    }
}

/* Perform the upward sweep for one front. @height, @width: lk_vectors() of n and e, compile-time
 * constants if they are small. @e: a constant if @is_fixed.  @y: scratch of @height */
LK_INLINE void assemble_front(struct lk_fronts *fr, const struct lk_front *f, int height, int width,
                              int e, bool is_fixed, lk_four *y, double *t, const double *x)
{
    const lk_four *columns = (const lk_four *)(fr->matrices + f->matrix);
    const lk_four *across = (const lk_four *)(fr->matrices + f->across);
    const lk_four *pivot = (const lk_four *)(fr->matrices + f->pivot);

    collect(fr, f, height, e, x, y);
    spread(y, e, is_fixed, t);
    lk_kernel_add_columns(is_fixed, columns, height, e, t, is_fixed ? LK_BELOW : LK_FILLED, y);
    store(y, height, fr->sums + f->reduced);
    for (int v = 0; v < width; v++)
        y[v] *= pivot[v];
    spread(y, e, is_fixed, t);
    lk_kernel_add_columns(is_fixed, across, width, e, t, is_fixed ? LK_ABOVE : LK_FILLED, y);
    store(y, width, fr->sums + f->solved);
}

LK_INLINE void disassemble_front(const struct lk_fronts *fr, const struct lk_front *f, int width,
                                 int n, int e, bool is_fixed, lk_four *y, double *t, double *x)
{
    const lk_four *across = (const lk_four *)(fr->matrices + f->across);
    const int *rest = fr->rest + f->rest;

    for (int v = 0; v < width; v++)
        y[v] = *(const lk_four *)&fr->sums[f->solved + 4 * v];
    for (int r = 0; r < n - e; r++)
        t[r] = x[rest[r]];
    lk_kernel_add_columns(is_fixed, across + e * width, width, n - e, t, LK_FILLED, y);
    for (int r = 0; r < e; r++)
        x[f->row + r] = y[r / 4][r % 4];
}

#define X(E, N)                                                                                    \
    static LK_APART void assemble_##E##_##N(struct lk_fronts *fr, const struct lk_front *f,        \
                                            const double *x)                                       \
    {                                                                                              \
        lk_four y[(N + 3) / 4];                                                                    \
        double t[E];                                                                               \
                                                                                                   \
        assemble_front(fr, f, (N + 3) / 4, (E + 3) / 4, E, true, y, t, x);                         \
    }                                                                                              \
    static LK_APART void disassemble_##E##_##N(const struct lk_fronts *fr,                         \
                                               const struct lk_front *f, double *x)                \
    {                                                                                              \
        lk_four y[(E + 3) / 4];                                                                    \
        double t[N - E + 1];                                                                       \
                                                                                                   \
        disassemble_front(fr, f, (E + 3) / 4, N, E, true, y, t, x);                                \
    }
LK_FRONTS(X)
#undef X

#define X(E, HEIGHT)                                                                               \
    static LK_APART void assemble_tall_##E##_##HEIGHT(struct lk_fronts *fr,                        \
                                                      const struct lk_front *f, const double *x)   \
    {                                                                                              \
        lk_four y[HEIGHT];                                                                         \
        double t[E];                                                                               \
                                                                                                   \
        assemble_front(fr, f, HEIGHT, (E + 3) / 4, E, true, y, t, x);                              \
    }
LK_FRONTS_TALL(X)
#undef X

/* Fronts without an instance: the numbers of vectors are constants if they are small. NARROW lists
 * the heights if one vector is eliminated, WIDE if two are. */
#define NARROW(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define WIDE(X)   X(2) X(3) X(4) X(5) X(6) X(7) X(8)

/* Return the case label for the size of front @f; 0: the size has no case. */
LK_INLINE int size_of(const struct lk_front *f)
{
    int width = lk_vectors(f->e);

    return width <= 2 ? 2 * lk_vectors(f->n) + width - 1 : 0;
}

static void assemble_any(struct lk_fronts *fr, const struct lk_front *f, const double *x)
{
    lk_four *y = (lk_four *)fr->local;
    double *t = fr->local + 4 * lk_vectors(fr->largest);

    switch (size_of(f)) {
#define X(HEIGHT)                                                                                  \
    case 2 * HEIGHT:                                                                               \
        assemble_front(fr, f, HEIGHT, 1, f->e, false, y, t, x);                                    \
        break;
        NARROW(X)
#undef X
#define X(HEIGHT)                                                                                  \
    case 2 * HEIGHT + 1:                                                                           \
        assemble_front(fr, f, HEIGHT, 2, f->e, false, y, t, x);                                    \
        break;
        WIDE(X)
#undef X
    default:
        assemble_front(fr, f, lk_vectors(f->n), lk_vectors(f->e), f->e, false, y, t, x);
    }
}

/* Disassemble a front with one or two vectors of eliminated rows and any number of remaining rows.
 * The remaining rows are processed in pairs, with two separate sums, because an addition waits for
 * the previous addition to the same sum. */
LK_INLINE void disassemble_narrow(const struct lk_fronts *fr, const struct lk_front *f, int width,
                                  double *x)
{
    const lk_part *column = (const lk_part *)(fr->matrices + f->across + 4 * f->e * width);
    const int *rest = fr->rest + f->rest;
    int parts = width * LK_PARTS;
    lk_part sum[2][2 * LK_PARTS] = {0};
    int r = 0;

    for (int v = 0; v < parts; v++)
        sum[0][v] = *(const lk_part *)&fr->sums[f->solved + LK_PART * v];
    for (; r + 2 <= f->n - f->e; r += 2, column += 2 * parts)
        for (int v = 0; v < parts; v++) {
            sum[0][v] += column[v] * x[rest[r]];
            sum[1][v] += column[parts + v] * x[rest[r + 1]];
        }
    for (int v = 0; v < parts; v++) {
        if (r < f->n - f->e)
            sum[0][v] += column[v] * x[rest[r]];
        sum[0][v] += sum[1][v];
    }
    for (r = 0; r < f->e; r++)
        x[f->row + r] = sum[0][r / LK_PART][r % LK_PART];
}

static void disassemble_any(struct lk_fronts *fr, const struct lk_front *f, double *x)
{
    int width = lk_vectors(f->e);

    if (width == 1)
        disassemble_narrow(fr, f, 1, x);
    else if (width == 2)
        disassemble_narrow(fr, f, 2, x);
    else
        disassemble_front(fr, f, width, f->n, f->e, false, (lk_four *)fr->local,
                          fr->local + 4 * lk_vectors(fr->largest), x);
}

void lk_fronts_solve(struct lk_fronts *fr, double *x)
{
    for (int i = 0; i < LK_MOTION_ROWS * fr->n_motions; i++)
        x[fr->motions + i] = 0;
    for (const struct lk_front *f = fr->front; f < fr->front + fr->n_fronts; f++)
        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N:                                                                       \
        assemble_##E##_##N(fr, f, x);                                                              \
        break;
            LK_FRONTS(X)
#undef X
#define X(E, HEIGHT)                                                                               \
    case LK_FRONT_TALL_##E##_##HEIGHT:                                                             \
        assemble_tall_##E##_##HEIGHT(fr, f, x);                                                    \
        break;
            LK_FRONTS_TALL(X)
#undef X
        case LK_FRONT_ANY:
            assemble_any(fr, f, x);
            break;
        }
    for (const struct lk_front *f = fr->front + fr->n_fronts - 1; f >= fr->front; f--)
        switch (f->shape) {
#define X(E, N)                                                                                    \
    case LK_FRONT_##E##_##N:                                                                       \
        disassemble_##E##_##N(fr, f, x);                                                           \
        break;
            LK_FRONTS(X)
#undef X
        default:
            disassemble_any(fr, f, x);
            break;
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

        for (int r = 0; r < f->e && f->row < fr->motions; r++)
            largest = lk_max(largest, fr->matrices[f->pivot + r] * scale[f->row + r]);
    }
    return largest > 0 ? 1 / largest : 1;
}

int lk_fronts_dependent_rows(const struct lk_fronts *fr, const double *regular, double share)
{
    int n = 0;

    for (int i = 0; i < fr->n_fronts; i++) {
        const struct lk_front *f = &fr->front[i];

        for (int r = 0; r < f->e && f->row < fr->motions; r++)
            n += fr->matrices[f->pivot + r] * regular[f->row + r] > share;
    }
    return n;
}
