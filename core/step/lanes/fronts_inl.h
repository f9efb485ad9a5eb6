/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts in lanes: elements of bodies, factorisation, forward and backward substitution. Matrix E +
 * s Phi_q W Phi_q^T and factor are the same as in solve/fronts.h. Sizes and joint types are
 * compile-time constants in the instances for common joints. There is no include guard, see
 * lanes_inl.h. */

/* return the index of entry (@r, @c) of a strictly lower triangle of @e rows, column by
 * column */
LK_INLINE int lower_at(int e, int r, int c)
{
    return c * e - c * (c + 1) / 2 + r - c - 1;
}

/** struct rows_at - rows of one joint as they act on one body; rotations are about the world axes.
 * @arm: arm of the point rows. Their rotation parts are arm x e_k, their translation parts @sign
 *       e_k
 * @n, @turn: translation and rotation parts of slides and squares; squares have no n */
struct rows_at {
    lanes_t arm[3];
    double sign;
    lanes_t n[ROWS_MAX][3];
    lanes_t turn[ROWS_MAX][3];
};

LK_INLINE void look_at(const struct lk_joint_kind *k, const lanes_t *J, int side, struct rows_at *r)
{
    double sign = side == 0 ? 1 : -1;

    r->sign = sign;
    if (lk_kind_is_pin(k)) { /* a pin is treated as two slides along world axes */
        for (int i = 0; i < 2; i++) {
            for (int c = 0; c < 3; c++)
                r->n[i][c] = r->turn[i][c] = (lanes_t){0};
            r->n[i][lk_kind_axis(k, i)] += sign;
        }
        r->turn[0][lk_kind_axis(k, 2)] = -sign * J[2 * side + 1];
        r->turn[1][lk_kind_axis(k, 2)] = sign * J[2 * side];
        return;
    }
    if (k->point) {
        for (int i = 0; i < 3; i++)
            r->arm[i] = sign * J[3 * side + i];
        J += 6;
    }
    for (int c = 0; c < 3 && lk_kind_sides(k) > 2; c++) {
        r->n[0][c] = J[6 * side + c];
        r->turn[0][c] = J[6 * side + 3 + c];
    }
    for (int i = 0; i < k->n_slide && lk_kind_sides(k) == 2; i++, J += 9)
        for (int c = 0; c < 3; c++) {
            r->n[i][c] = sign * J[c];
            r->turn[i][c] = J[3 + 3 * side + c];
        }
    for (int i = 0; i < k->n_square; i++, J += 3)
        for (int c = 0; c < 3; c++)
            r->turn[k->n_slide + i][c] = sign * J[c];
}

/* return the type of the rows that look_at() returns for a block */
LK_INLINE const struct lk_joint_kind *rows_of(const struct lk_joint_kind *k)
{
    return lk_kind_is_pin(k) ? &lk_single_kinds[1] : k;
}

/* multiply the rotation part of every row by A */
LK_INLINE void weigh_rows(const struct lk_joint_kind *k, const lanes_t *A, const struct rows_at *r,
                          lanes_t w[ROWS_MAX][3])
{
    int n = 0;

    if (k->point) {
        for (int c = 0; c < 3; c++) {
            lanes_t x = A[lk_sym_at(0, c)], y = A[lk_sym_at(1, c)], z = A[lk_sym_at(2, c)];

            w[0][c] = y * r->arm[2] - z * r->arm[1];
            w[1][c] = z * r->arm[0] - x * r->arm[2];
            w[2][c] = x * r->arm[1] - y * r->arm[0];
        }
        n = 3;
    }
    for (int i = 0; i < k->n_slide + k->n_square; i++)
        lk_sym_mul_lanes(A, r->turn[i], w[n + i]);
}

/* add the products of the rows of @row, from @first on, with column @c of the other side to
 * F. @w: the rotation part of this column, multiplied by A */
LK_INLINE void add_column(const struct lk_joint_kind *kr, const struct rows_at *row,
                          const struct lk_joint_kind *kc, const struct rows_at *column, int c,
                          int first, const lanes_t w[3], lanes_t m, lanes_t *F)
{
    int nr = 0, pc = lk_kind_point_rows(kc);
    int is_slide = c >= pc && c < pc + kc->n_slide;

    if (kr->point) {
        lanes_t turn[3];

        lk_cross_lanes(w, row->arm, turn);
        for (int i = first; i < 3; i++) {
            if (c < pc && i == c)
                turn[i] += m * (row->sign * column->sign);
            else if (is_slide)
                turn[i] += m * row->sign * column->n[c - pc][i];
            F[i] += turn[i];
        }
        nr = 3;
    }
    for (int i = first > nr ? first - nr : 0; i < kr->n_slide + kr->n_square; i++) {
        lanes_t sum = lk_inner_lanes(row->turn[i], w);

        if (i < kr->n_slide && c < pc)
            sum += m * column->sign * row->n[i][c];
        else if (i < kr->n_slide && is_slide)
            sum += m * lk_inner_lanes(row->n[i], column->n[c - pc]);
        F[nr + i] += sum;
    }
}

/* add the products of the blocks of a body: columns of each block with its own rows and
 * those of later blocks; @uniform: the type of all blocks, or NULL if they differ */
LK_INLINE void add_element(const struct lk_batches *p, const struct lk_batch_element *el,
                           const struct lk_joint_kind *uniform, int n_blocks, int n, lanes_t *F)
{
    const struct lk_batch_block *block = p->blocks + el->first_block;
    lanes_t buffer[7], far[JACOBIAN_MAX];
    const lanes_t *A = view(p, &el->body, LK_BODY_A, 7, buffer);

#pragma GCC unroll 2
    for (int b = 0; b < n_blocks; b++) {
        const struct lk_joint_kind *kc = uniform ? uniform : lk_lane_kind(block[b].kind);
        int size = lk_kind_regular(kc) - lk_kind_jacobian(kc);
        struct rows_at column;
        lanes_t w[ROWS_MAX][3];

        look_at(kc, view(p, &block[b].joint, lk_kind_jacobian(kc), size, far), block[b].side,
                &column);
        kc = rows_of(kc);
        weigh_rows(kc, A, &column, w);
#pragma GCC unroll 2
        for (int a = b; a < n_blocks; a++) {
            const struct lk_joint_kind *kr = uniform ? uniform : lk_lane_kind(block[a].kind);
            lanes_t *corner = F + block[b].at * n + block[a].at;
            struct rows_at row;

            size = lk_kind_regular(kr) - lk_kind_jacobian(kr);
            if (a != b)
                look_at(kr, view(p, &block[a].joint, lk_kind_jacobian(kr), size, far),
                        block[a].side, &row);
            kr = rows_of(kr);
#pragma GCC unroll 6
            for (int c = 0; c < lk_kind_rows(kc); c++)
                add_column(kr, a == b ? &column : &row, kc, &column, c, a == b ? c : 0, w[c], A[6],
                           corner + c * n);
        }
    }
}

/** struct pin - one side of a pin. @arm: components across the normal;  @turned: A times @arm */
struct pin {
    lanes_t arm[2];
    lanes_t turned[2];
};

/* read one side of a pin. A: inverse inertia, times s, about the normal */
LK_INLINE void look_at_pin(const struct lk_batches *p, const struct lk_ref *joint, int kind,
                           int side, lanes_t A, struct pin *ret)
{
    int at = lk_kind_jacobian(lk_lane_kind(kind)) + 2 * side;
    lanes_t buffer[2];
    const lanes_t *arm = view(p, joint, at, 2, buffer);

    for (int i = 0; i < 2; i++) {
        ret->arm[i] = arm[i];
        ret->turned[i] = A * arm[i];
    }
}

/* return entry (@r, @c) of the product of two sides, without the signs of the sides */
LK_INLINE lanes_t pin_product(const struct pin *row, const struct pin *column, int r, int c,
                              lanes_t m)
{
    lanes_t turn = row->arm[1 - r] * column->turned[1 - c];

    if (r == c)
        return m + turn;
    return -turn;
}

/* add the products of pins of one plane at a body */
LK_INLINE void add_pins(const struct lk_batches *p, const struct lk_batch_element *el, int n_blocks,
                        int n, lanes_t *F)
{
    const struct lk_batch_block *block = p->blocks + el->first_block;
    int axis = el->kind - LK_KIND_PIN_X;
    lanes_t one, other, A = *view(p, &el->body, LK_BODY_A + axis, 1, &one);
    lanes_t m = *view(p, &el->body, LK_BODY_SM, 1, &other);
    struct pin pin[2];

#pragma GCC unroll 2
    for (int b = 0; b < n_blocks; b++)
        look_at_pin(p, &block[b].joint, el->kind, block[b].side, A, &pin[b]);
#pragma GCC unroll 2
    for (int b = 0; b < n_blocks; b++)
#pragma GCC unroll 2
        for (int a = b; a < n_blocks; a++) {
            double sign = block[a].side == block[b].side ? 1 : -1;
            lanes_t *corner = F + block[b].at * n + block[a].at;

            for (int c = 0; c < 2; c++)
                for (int r = a == b ? c : 0; r < 2; r++)
                    corner[c * n + r] += sign * pin_product(&pin[a], &pin[b], r, c, m);
        }
}

/* add elements of any joint types; one function for all shapes of fronts */
static LK_APART void add_any_element(const struct lk_batches *p, const struct lk_batch_element *el,
                                     int n, lanes_t *F)
{
    add_element(p, el, NULL, el->n_blocks, n, F);
}

/* add all elements of a front. The most frequent joint types have instances in fronts with
 * the rows of two joints of this type */
LK_INLINE void add_elements(const struct lk_batches *p, const struct lk_batch_front *f, int n,
                            lanes_t *F)
{
    for (int i = f->first_element; i < f->first_element + f->n_elements; i++) {
        const struct lk_batch_element *el = &p->elements[i];

        bool are_pins = lk_lane_is_pin(el->kind);

        if (n >= 4 && are_pins && el->n_blocks == 2)
            add_pins(p, el, 2, n, F);
        else if (are_pins && el->n_blocks == 1)
            add_pins(p, el, 1, n, F);
        else if (n >= 6 && el->kind == LK_KIND_SPHERICAL && el->n_blocks == 2)
            add_element(p, el, &lk_joint_kinds[LK_KIND_SPHERICAL], 2, n, F);
        else if (n >= 10 && el->kind == LK_KIND_REVOLUTE && el->n_blocks == 2)
            add_element(p, el, &lk_joint_kinds[LK_KIND_REVOLUTE], 2, n, F);
        else
            add_any_element(p, el, n, F);
    }
}

#define CHUNK 24 /* vectors gathered at a time */

/* add block[from[k]] to to[place[k]] for k < @n; if @from is NULL, from[k] = k */
LK_INLINE void add_scattered(const struct lk_batches *p, const struct lk_ref *ref, const int *from,
                             const int *place, int n, lanes_t *to)
{
    if (ref->map < 0 && !from) {
        const lanes_t *block = block_at(p, ref->at);

#pragma GCC unroll 3
        for (int k = 0; k < n; k++)
            to[place[k]] += block[k];
        return;
    }
    for (int first = 0; first < n; first += CHUNK) {
        int end = n - first < CHUNK ? n : first + CHUNK;
        lanes_t buffer[CHUNK], one;

        if (!from)
            collect(p, ref, first, end - first, buffer);
        for (int k = first; k < end; k++)
            to[place[k]] += from ? *view(p, ref, from[k], 1, &one) : buffer[k - first];
    }
}

/* Set rows to 0 in the lanes that lack these rows, because elements write to all lanes. Remainders
 * of children never contain rows that a lane lacks. */
LK_INLINE void mask_rows(const struct lk_batches *p, const struct lk_batch_front *f, int n,
                         lanes_t *F)
{
    for (int i = f->first_mask; i < f->first_mask + f->n_masks; i++) {
        lanes_t mask = *block_at(p, p->masks[i].at);
        int row = p->masks[i].row;

        for (int c = 0; c <= row; c++)
            F[c * n + row] *= mask;
        for (int r = row + 1; r < n; r++)
            F[row * n + r] *= mask;
    }
}

LK_INLINE void build_front(const struct lk_batches *p, const struct lk_batch_front *f, int n,
                           lanes_t *F)
{
    for (int c = 0; c < n; c++)
        for (int r = c; r < n; r++)
            F[c * n + r] = (lanes_t){0};
    add_elements(p, f, n, F);
    if (__builtin_expect(f->n_masks > 0, 0))
        mask_rows(p, f, n, F);
    for (int i = f->first_child; i < f->first_child + f->n_children; i++) {
        const struct lk_batch_child *c = &p->children[i];

        add_scattered(p, &c->remainder, c->from_entry < 0 ? NULL : p->table + c->from_entry,
                      p->table + c->places, c->n_entries, F);
    }
    for (int i = f->first_slot, r = 0; i < f->first_slot + f->n_elim; i++) {
        const struct lk_batch_slot *s = &p->slots[i];
        lanes_t buffer[ROWS_MAX];
        const lanes_t *E = view(p, &s->joint, s->regular, s->rows, buffer);

        for (int k = 0; k < s->rows; k++, r++)
            F[r * (n + 1)] += E[k];
    }
}

/* write D^-1, L^-1 (strictly lower) and U = A21 A11^-1 into @factor, A22 - U A12 into @rest;
 * see solve/kernels.h. @l: scratch of e */
LK_INLINE void eliminate_front(lanes_t *restrict F, int n, int e, lanes_t *restrict l,
                               lanes_t *restrict factor, lanes_t *restrict rest)
{
    lanes_t *restrict lower = factor + e, *restrict U = lower + e * (e - 1) / 2;

    /* F: columns L D below the diagonal; the columns of L are stored in the upper triangle */
#pragma GCC unroll 6
    for (int k = 0; k < e; k++) {
        lanes_t inverse = 1.0 / F[k * n + k];

        factor[k] = inverse;
#pragma GCC unroll 6
        for (int j = k + 1; j < e; j++) {
            lanes_t scaled = F[k * n + j] * inverse;

            F[j * n + k] = scaled;
#pragma GCC unroll 16
            for (int i = j; i < n; i++)
                F[j * n + i] -= F[k * n + i] * scaled;
        }
    }
    /* the remainder, all pivots at once; U from L21 L11^-1 = L21 D D^-1 L11^-1 */
#pragma GCC unroll 16
    for (int j = 0; j < n - e; j++) {
        lanes_t *column = F + (e + j) * n + e;

#pragma GCC unroll 6
        for (int k = 0; k < e; k++)
            l[k] = F[k * n + e + j] * factor[k];
#pragma GCC unroll 16
        for (int i = j; i < n - e; i++) {
            lanes_t sum = column[i];

#pragma GCC unroll 6
            for (int k = 0; k < e; k++)
                sum -= F[k * n + e + i] * l[k];
            *rest++ = sum;
        }
        /* row j of L21 times L11^-1, from the last column on */
#pragma GCC unroll 6
        for (int k = e - 2; k >= 0; k--)
#pragma GCC unroll 6
            for (int i = k + 1; i < e; i++)
                l[k] -= l[i] * F[i * n + k];
#pragma GCC unroll 6
        for (int k = 0; k < e; k++)
            U[k * (n - e) + j] = l[k];
    }
    /* L11^-1, unit lower: column by column, from the rows above */
#pragma GCC unroll 6
    for (int c = 0; c < e; c++)
#pragma GCC unroll 6
        for (int r = c + 1; r < e; r++) {
            lanes_t sum = F[r * n + c];

#pragma GCC unroll 6
            for (int k = c + 1; k < r; k++)
                sum += F[r * n + k] * lower[lower_at(e, k, c)];
            lower[lower_at(e, r, c)] = -sum;
        }
}

/* substitute forward: remaining rows t2 -= U t1, then t1 := A11^-1 t1 */
LK_INLINE void forward_front(const lanes_t *restrict factor, int n, int e, lanes_t *restrict t)
{
    const lanes_t *lower = factor + e, *U = lower + e * (e - 1) / 2;

#pragma GCC unroll 6
    for (int k = 0; k < e; k++)
#pragma GCC unroll 16
        for (int i = e; i < n; i++)
            t[i] -= U[k * (n - e) + i - e] * t[k];
#pragma GCC unroll 6
    for (int i = e - 1; i > 0; i--)
#pragma GCC unroll 6
        for (int k = 0; k < i; k++)
            t[i] += lower[lower_at(e, i, k)] * t[k];
#pragma GCC unroll 6
    for (int i = 0; i < e; i++)
        t[i] *= factor[i];
#pragma GCC unroll 6
    for (int k = 0; k < e; k++)
#pragma GCC unroll 6
        for (int i = k + 1; i < e; i++)
            t[k] += lower[lower_at(e, i, k)] * t[i];
}

/* copy the values of the rows of the first @n slots of a front into @t. Return: number of
 * rows */
LK_INLINE int take_rows(const struct lk_batches *p, const struct lk_batch_front *f, int n,
                        lanes_t *t)
{
    int r = 0;

    for (int i = f->first_slot; i < f->first_slot + n; i++) {
        const struct lk_batch_slot *s = &p->slots[i];
        lanes_t buffer[ROWS_MAX];
        const lanes_t *x = view(p, &s->joint, s->x, s->rows, buffer);

        for (int k = 0; k < s->rows; k++)
            t[r++] = x[k];
    }
    return r;
}

/* copy the values of the eliminated rows back to their joints */
LK_INLINE void give_rows(const struct lk_batches *p, const struct lk_batch_front *f,
                         const lanes_t *t)
{
    for (int i = f->first_slot; i < f->first_slot + f->n_elim; i++) {
        const struct lk_batch_slot *s = &p->slots[i];

        put(p, &s->joint, s->x, s->rows, t);
        t += s->rows;
    }
}

/* assemble the right-hand side of a front on the way up: its own rows, and the sums of its
 * children */
LK_INLINE void assemble(const struct lk_batches *p, const struct lk_batch_front *f, int n, int e,
                        lanes_t *t)
{
    lanes_t *sums = block_at(p, f->sums);
    int r = take_rows(p, f, f->n_elim, t);

    for (; r < n; r++)
        t[r] = (lanes_t){0};
    for (int i = f->first_child; i < f->first_child + f->n_children; i++) {
        const struct lk_batch_child *c = &p->children[i];

        add_scattered(p, &c->sums, c->from_row < 0 ? NULL : p->table + c->from_row,
                      p->table + c->rows, c->n_rows, t);
    }
    forward_front(block_at(p, f->factor), n, e, t);
    give_rows(p, f, t);
    for (r = e; r < n; r++)
        sums[r - e] = t[r];
}

/* compute t1 -= U^T t2 of a front, on the way down */
LK_INLINE void disassemble(const struct lk_batches *p, const struct lk_batch_front *f, int n, int e,
                           lanes_t *t)
{
    const lanes_t *U = block_at(p, f->factor) + e + e * (e - 1) / 2;

    take_rows(p, f, f->n_slots, t);
#pragma GCC unroll 6
    for (int k = 0; k < e; k++) {
        lanes_t sum = {0};

#pragma GCC unroll 16
        for (int i = e; i < n; i++)
            sum += U[k * (n - e) + i - e] * t[i];
        t[k] -= sum;
    }
    give_rows(p, f, t);
}

LK_INLINE void factor_front(const struct lk_batches *p, const struct lk_batch_front *f, int n,
                            int e, lanes_t *F, lanes_t *l)
{
    build_front(p, f, n, F);
    eliminate_front(F, n, e, l, block_at(p, f->factor), block_at(p, f->remainder));
}

/* ---- links: merges of two parts and the joint between them, see struct lk_batch_part ---- */

#define LINK_ROWS 6
#define LINK_LOW  (LINK_ROWS * (LINK_ROWS + 1) / 2)

/** struct link - contribution of one part: @own: lower triangle at the eliminated joint;
 * @cross: rows of the kept joint with those of the eliminated joint, column by column;  @kept:
 * lower triangle at the kept joint */
struct link {
    lanes_t own[LINK_LOW];
    lanes_t cross[LINK_ROWS * LINK_ROWS];
    lanes_t kept[LINK_LOW];
};

LK_INLINE void link_body(const struct lk_joint_kind *k, const struct lk_batches *p,
                         const struct lk_batch_part *part, int keeps, struct link *ret)
{
    int e = lk_kind_rows(k), size = lk_kind_regular(k) - lk_kind_jacobian(k), at = 0;
    lanes_t buffer[7], far[2][6 + 3 * SQUARE_MAX], w[ROWS_MAX][3], column[ROWS_MAX];
    const lanes_t *A = view(p, &part->block, LK_BODY_A, 7, buffer);
    struct rows_at own, kept;

    look_at(k, view(p, &part->joint[0], lk_kind_jacobian(k), size, far[0]), part->side[0], &own);
    weigh_rows(k, A, &own, w);
    if (keeps)
        look_at(k, view(p, &part->joint[1], lk_kind_jacobian(k), size, far[1]), part->side[1],
                &kept);
#pragma GCC unroll 6
    for (int c = 0; c < e; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < e; r++)
            column[r] = (lanes_t){0};
        add_column(k, &own, k, &own, c, c, w[c], A[6], column);
#pragma GCC unroll 6
        for (int r = c; r < e; r++)
            ret->own[at++] = column[r];
    }
    if (!keeps)
        return;
#pragma GCC unroll 6
    for (int c = 0; c < e; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < e; r++)
            ret->cross[c * e + r] = (lanes_t){0};
        add_column(k, &kept, k, &own, c, 0, w[c], A[6], ret->cross + c * e);
    }
    weigh_rows(k, A, &kept, w);
    at = 0;
#pragma GCC unroll 6
    for (int c = 0; c < e; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < e; r++)
            column[r] = (lanes_t){0};
        add_column(k, &kept, k, &kept, c, c, w[c], A[6], column);
#pragma GCC unroll 6
        for (int r = c; r < e; r++)
            ret->kept[at++] = column[r];
    }
}

/* compute the contribution of a body whose joints are pins of one plane */
LK_INLINE void link_pins(const struct lk_batches *p, const struct lk_batch_part *part, int keeps,
                         struct link *ret)
{
    int axis = part->kind - LK_KIND_PIN_X;
    double sign = part->side[0] == part->side[1] ? 1 : -1;
    lanes_t one, other, A = *view(p, &part->block, LK_BODY_A + axis, 1, &one);
    lanes_t m = *view(p, &part->block, LK_BODY_SM, 1, &other);
    struct pin own, kept;

    look_at_pin(p, &part->joint[0], part->kind, part->side[0], A, &own);
    if (keeps)
        look_at_pin(p, &part->joint[1], part->kind, part->side[1], A, &kept);
    for (int c = 0, at = 0; c < 2; c++)
        for (int r = c; r < 2; r++, at++) {
            ret->own[at] = pin_product(&own, &own, r, c, m);
            if (keeps)
                ret->kept[at] = pin_product(&kept, &kept, r, c, m);
        }
    for (int c = 0; c < 2 && keeps; c++)
        for (int r = 0; r < 2; r++)
            ret->cross[c * 2 + r] = sign * pin_product(&kept, &own, r, c, m);
}

/* copy a lower triangle of @e rows, beginning at column @first, out of a lower triangle of
 * @n rows */
LK_INLINE void take_low(const lanes_t *low, int n, int first, int e, lanes_t *ret)
{
    for (int c = first; c < first + e; c++)
        for (int r = c; r < first + e; r++)
            *ret++ = low[c * n - c * (c - 1) / 2 + r - c];
}

LK_INLINE void link_child(const struct lk_batches *p, const struct lk_batch_part *part,
                          enum lk_batch_form form, int e, int keeps, struct link *ret)
{
    lanes_t buffer[LINK_ROWS * (2 * LINK_ROWS + 1)];
    int n = form == LK_BATCH_ONE ? e : 2 * e;
    const lanes_t *low;

    if (n == e) {
        if (keeps) /* a child with only one joint has no joint to keep */
            __builtin_unreachable();
        take_low(view(p, &part->block, 0, e * (e + 1) / 2, buffer), e, 0, e, ret->own);
        return;
    }
    low = view(p, &part->block, 0, e * (2 * e + 1), buffer);
    if (form == LK_BATCH_FIRST) {
        take_low(low, 2 * e, 0, e, ret->own);
        for (int c = 0; c < e && keeps; c++)
            for (int r = 0; r < e; r++)
                ret->cross[c * e + r] = low[c * 2 * e - c * (c - 1) / 2 + e + r - c];
        if (keeps)
            take_low(low, 2 * e, e, e, ret->kept);
    } else {
        take_low(low, 2 * e, e, e, ret->own);
        for (int c = 0; c < e && keeps; c++)
            for (int r = 0; r < e; r++)
                ret->cross[c * e + r] = low[r * 2 * e - r * (r - 1) / 2 + e + c - r];
        if (keeps)
            take_low(low, 2 * e, 0, e, ret->kept);
    }
}

/* set the contributions of the kept joint to 0 in lanes without this joint */
LK_INLINE void mask_link(const struct lk_batches *p, const struct lk_batch_part *part, int e,
                         struct link *ret)
{
    lanes_t mask = *block_at(p, part->mask);

    for (int i = 0; i < e * e; i++)
        ret->cross[i] *= mask;
    for (int i = 0; i < e * (e + 1) / 2; i++)
        ret->kept[i] *= mask;
}

LK_INLINE void link_part(const struct lk_batches *p, const struct lk_batch_part *part,
                         enum lk_batch_form form, int e, int keeps, struct link *ret)
{
    if (form == LK_BATCH_BODY && e == 2)
        link_pins(p, part, keeps, ret);
    else if (form == LK_BATCH_BODY && e == 3)
        link_body(&lk_joint_kinds[LK_KIND_SPHERICAL], p, part, keeps, ret);
    else if (form == LK_BATCH_BODY && e == 5)
        link_body(&lk_joint_kinds[LK_KIND_REVOLUTE], p, part, keeps, ret);
    else
        link_child(p, part, form, e, keeps, ret);
    if (keeps && __builtin_expect(part->mask >= 0, 0))
        mask_link(p, part, e, ret);
}

/* compute L D L^T of the rows between the parts: @d: D^-1;  @l: L, strictly lower, row by
 * row */
LK_INLINE void factor_own(lanes_t *a, int e, lanes_t *d, lanes_t *l)
{
#pragma GCC unroll 6
    for (int k = 0; k < e; k++) {
        const lanes_t *column = a + k * e - k * (k - 1) / 2 - k;

        d[k] = 1.0 / column[k];
#pragma GCC unroll 6
        for (int j = k + 1; j < e; j++) {
            lanes_t *target = a + j * e - j * (j - 1) / 2 - j;
            lanes_t scaled = column[j] * d[k];

            l[j * (j - 1) / 2 + k] = scaled;
#pragma GCC unroll 6
            for (int i = j; i < e; i++)
                target[i] -= column[i] * scaled;
        }
    }
}

/* compute @u, row @c (of A21) times A11^-1 */
LK_INLINE void solve_row(const lanes_t *d, const lanes_t *l, int e, const lanes_t *c, int stride,
                         lanes_t *u)
{
#pragma GCC unroll 6
    for (int k = 0; k < e; k++) {
        u[k] = c[k * stride];
#pragma GCC unroll 6
        for (int i = 0; i < k; i++)
            u[k] -= l[k * (k - 1) / 2 + i] * u[i];
    }
#pragma GCC unroll 6
    for (int k = 0; k < e; k++)
        u[k] *= d[k];
#pragma GCC unroll 6
    for (int k = e - 2; k >= 0; k--)
#pragma GCC unroll 6
        for (int i = k + 1; i < e; i++)
            u[k] -= l[i * (i - 1) / 2 + k] * u[i];
}

/* compute L^-1 from L: unit lower, column by column */
LK_INLINE void invert_own(const lanes_t *l, int e, lanes_t *lower)
{
#pragma GCC unroll 6
    for (int c = 0; c < e; c++)
#pragma GCC unroll 6
        for (int r = c + 1; r < e; r++) {
            lanes_t sum = l[r * (r - 1) / 2 + c];

#pragma GCC unroll 6
            for (int k = c + 1; k < r; k++)
                sum += l[r * (r - 1) / 2 + k] * lower[lower_at(e, k, c)];
            lower[lower_at(e, r, c)] = -sum;
        }
}

LK_INLINE lanes_t *meet_rows(const lanes_t *cross, const lanes_t *u, int e, lanes_t *rest)
{
#pragma GCC unroll 6
    for (int i = 0; i < e; i++) {
        lanes_t sum = -cross[i] * u[0];

#pragma GCC unroll 6
        for (int k = 1; k < e; k++)
            sum -= cross[k * e + i] * u[k];
        *rest++ = sum;
    }
    return rest;
}

/* compute the same factor as factor_front(); @e and @kept are compile-time constants, as are
 * the forms in the common instances */
LK_INLINE void factor_forms(const struct lk_batches *p, const struct lk_batch_front *f, int e,
                            int kept, enum lk_batch_form form0, enum lk_batch_form form1)
{
    const struct lk_batch_part *part = &p->parts[f->merge];
    const struct lk_batch_slot *slot = &p->slots[f->first_slot];
    lanes_t *factor = block_at(p, f->factor), *rest = block_at(p, f->remainder);
    lanes_t *U = factor + e * (e + 1) / 2, buffer[LINK_ROWS], d[LINK_ROWS], l[LINK_LOW];
    lanes_t u[LINK_ROWS];
    struct link link[2];

    link_part(p, &part[0], form0, e, kept > 0, &link[0]);
    link_part(p, &part[1], form1, e, kept > 1, &link[1]);
    for (int i = 0; i < e * (e + 1) / 2; i++)
        link[0].own[i] += link[1].own[i];
    const lanes_t *E = view(p, &slot->joint, slot->regular, e, buffer);
    for (int r = 0; r < e; r++)
        link[0].own[r * e - r * (r - 1) / 2] += E[r];
    factor_own(link[0].own, e, d, l);
    for (int r = 0; r < e; r++)
        factor[r] = d[r];
    invert_own(l, e, factor + e);
    /* rows of the kept joints, column j of the remainder */
#pragma GCC unroll 2
    for (int s = 0; s < kept; s++)
#pragma GCC unroll 6
        for (int j = 0; j < e; j++) {
            solve_row(d, l, e, link[s].cross + j, e, u);
#pragma GCC unroll 6
            for (int k = 0; k < e; k++)
                U[k * kept * e + s * e + j] = u[k];
#pragma GCC unroll 6
            for (int i = j; i < e; i++) {
                lanes_t sum = link[s].kept[j * e - j * (j - 1) / 2 + i - j];

#pragma GCC unroll 6
                for (int k = 0; k < e; k++)
                    sum -= link[s].cross[k * e + i] * u[k];
                *rest++ = sum;
            }
            /* products of the rows of the second joint with the rows of the first: only in this
             * column loop */
            if (s == 0 && kept == 2)
                rest = meet_rows(link[1].cross, u, e, rest);
        }
}

LK_INLINE void factor_link(const struct lk_batches *p, const struct lk_batch_front *f, int e,
                           int kept)
{
    const struct lk_batch_part *part = &p->parts[f->merge];

    if (kept == 2 && part[0].form == LK_BATCH_SECOND && part[1].form == LK_BATCH_FIRST)
        factor_forms(p, f, e, kept, LK_BATCH_SECOND, LK_BATCH_FIRST);
    else if (kept == 2 && part[0].form == LK_BATCH_BODY && part[1].form == LK_BATCH_BODY)
        factor_forms(p, f, e, kept, LK_BATCH_BODY, LK_BATCH_BODY);
    else
        factor_forms(p, f, e, kept, part[0].form, part[1].form);
}

/* add the right-hand sides of a child part at the eliminated and at the kept joint */
LK_INLINE void add_link_sums(const struct lk_batches *p, const struct lk_batch_part *part, int e,
                             int keeps, lanes_t *own, lanes_t *kept)
{
    lanes_t buffer[2 * LINK_ROWS];
    int n = part->form == LK_BATCH_ONE ? e : 2 * e;
    int first = part->form == LK_BATCH_SECOND ? e : 0;
    const lanes_t *sums;

    if (part->form == LK_BATCH_BODY)
        return;
    sums = view(p, &part->sums, 0, n, buffer);
    for (int r = 0; r < e; r++)
        own[r] += sums[first + r];
    for (int r = 0; r < e && keeps; r++)
        kept[r] = sums[e - first + r];
}

LK_INLINE void assemble_link(const struct lk_batches *p, const struct lk_batch_front *f, int e,
                             int kept)
{
    const struct lk_batch_part *part = &p->parts[f->merge];
    const struct lk_batch_slot *slot = &p->slots[f->first_slot];
    lanes_t *sums = block_at(p, f->sums), buffer[LINK_ROWS], t[3 * LINK_ROWS];
    const lanes_t *x = view(p, &slot->joint, slot->x, e, buffer);

    for (int r = 0; r < e; r++)
        t[r] = x[r];
    for (int r = e; r < (1 + kept) * e; r++)
        t[r] = (lanes_t){0};
    add_link_sums(p, &part[0], e, kept > 0, t, t + e);
    add_link_sums(p, &part[1], e, kept > 1, t, t + 2 * e);
    forward_front(block_at(p, f->factor), (1 + kept) * e, e, t);
    put(p, &slot->joint, slot->x, e, t);
    for (int r = 0; r < kept * e; r++)
        sums[r] = t[e + r];
}

LK_INLINE void disassemble_link(const struct lk_batches *p, const struct lk_batch_front *f, int e,
                                int kept)
{
    const lanes_t *U = block_at(p, f->factor) + e * (e + 1) / 2;
    const struct lk_batch_slot *slot = &p->slots[f->first_slot];
    lanes_t buffer[LINK_ROWS], sum[LINK_ROWS];
    const lanes_t *x = view(p, &slot[0].joint, slot[0].x, e, buffer);

    for (int k = 0; k < e; k++)
        sum[k] = x[k];
#pragma GCC unroll 2
    for (int s = 0; s < kept; s++) {
        const lanes_t *rest = view(p, &slot[1 + s].joint, slot[1 + s].x, e, buffer);

#pragma GCC unroll 6
        for (int i = 0; i < e; i++)
#pragma GCC unroll 6
            for (int k = 0; k < e; k++)
                sum[k] -= U[k * kept * e + s * e + i] * rest[i];
    }
    put(p, &slot[0].joint, slot[0].x, e, sum);
}

#define LINKS(X)                                                                                   \
    X(2, 2) X(2, 1) X(2, 0) X(3, 2) X(3, 1) X(3, 0) X(5, 2) X(5, 1) X(5, 0) X(6, 2) X(6, 1) X(6, 0)

#define X(E, KEPT)                                                                                 \
    static LK_APART void factor_link_##E##_##KEPT(const struct lk_batches *p,                      \
                                                  const struct lk_batch_front *f)                  \
    {                                                                                              \
        factor_link(p, f, E, KEPT);                                                                \
    }
LINKS(X)
#undef X

static void upward_link(const struct lk_batches *p, const struct lk_batch_front *f,
                        enum front_work work)
{
#define X(E, KEPT)                                                                                 \
    if (f->e == (E) && f->n_kept == (KEPT)) {                                                      \
        if (work & FACTOR)                                                                         \
            factor_link_##E##_##KEPT(p, f);                                                        \
        if (work & ASSEMBLE)                                                                       \
            assemble_link(p, f, E, KEPT);                                                          \
    }
    LINKS(X)
#undef X
}

static void downward_link(const struct lk_batches *p, const struct lk_batch_front *f)
{
#define X(E, KEPT)                                                                                 \
    if (f->e == (E) && f->n_kept == (KEPT))                                                        \
        disassemble_link(p, f, E, KEPT);
    LINKS(X)
#undef X
}

#include "step/lanes/root_inl.h"

/* ---- the instance for the shape of a front ---- */

#define X(E, N)                                                                                    \
    static LK_APART void factor_##E##_##N(const struct lk_batches *p,                              \
                                          const struct lk_batch_front *f)                          \
    {                                                                                              \
        lanes_t F[(N) * (N)], l[E];                                                                \
                                                                                                   \
        factor_front(p, f, N, E, F, l);                                                            \
    }
LK_BATCH_SHAPES(X)
#undef X

static LK_APART void factor_any(const struct lk_batches *p, const struct lk_batch_front *f,
                                lanes_t *scratch)
{
    factor_front(p, f, f->n, f->e, scratch, scratch + f->n * f->n);
}

static void upward(const struct lk_batches *p, int front, enum front_work work, lanes_t *scratch)
{
    const struct lk_batch_front *f = &p->fronts[front];

    if (f->root != LK_BATCH_BELOW_ROOT) {
        if (f->root == LK_BATCH_IS_ROOT && (work & FACTOR))
            factor_root(p);
        if (f->root == LK_BATCH_IS_ROOT && (work & ASSEMBLE))
            solve_root(p);
        return;
    }
    if (f->merge >= 0) {
        upward_link(p, f, work);
        return;
    }
    switch ((enum lk_batch_shape)f->shape) {
#define X(E, N)                                                                                    \
    case LK_BATCH_SHAPE_##E##_##N: {                                                               \
        lanes_t t[N];                                                                              \
        if (work & FACTOR)                                                                         \
            factor_##E##_##N(p, f);                                                                \
        if (work & ASSEMBLE)                                                                       \
            assemble(p, f, N, E, t);                                                               \
        break;                                                                                     \
    }
        LK_BATCH_SHAPES(X)
#undef X
    case LK_BATCH_SHAPE_ANY:
        if (work & FACTOR)
            factor_any(p, f, scratch);
        if (work & ASSEMBLE)
            assemble(p, f, f->n, f->e, scratch);
        break;
    }
}

static void downward(const struct lk_batches *p, int front, lanes_t *scratch)
{
    const struct lk_batch_front *f = &p->fronts[front];

    if (f->root != LK_BATCH_BELOW_ROOT)
        return;
    if (f->merge >= 0) {
        downward_link(p, f);
        return;
    }
    switch ((enum lk_batch_shape)f->shape) {
#define X(E, N)                                                                                    \
    case LK_BATCH_SHAPE_##E##_##N: {                                                               \
        lanes_t t[N];                                                                              \
        disassemble(p, f, N, E, t);                                                                \
        break;                                                                                     \
    }
        LK_BATCH_SHAPES(X)
#undef X
    case LK_BATCH_SHAPE_ANY:
        disassemble(p, f, f->n, f->e, scratch);
        break;
    }
}
