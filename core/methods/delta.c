/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer in the coordinates of the handles; see delta.h for the equations. */
#include "methods/delta.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define Q LK_DELTA_Q

/* ---- layout ---- */

/** struct shape - handles of every front, determined before the layout.
 * @first: index in @body of the first handle of each front, n_fronts + 1
 * @body:  handles of all fronts, one front after another
 * @mark:  for each body, whether a joint of the body remains after the present front */
struct shape {
    const struct lk_topology *t;
    const struct lk_plan *plan;
    int *first;
    int *body;
    int *mark;
    int n;
    int capacity;
};

/** struct counts - number of items of each array, to compute sizes and offsets. */
struct counts {
    int parts, blocks, kept, vectors, deltas, factors, phi, scratch;
};

static void shape_fini(struct shape *s)
{
    free(s->first);
    free(s->body);
    free(s->mark);
}

static int shape_add(struct shape *s, int body)
{
    if (s->n == s->capacity) {
        int capacity = 2 * s->capacity + 64;
        int *grown = realloc(s->body, (size_t)capacity * sizeof(int));

        if (!grown)
            return -ENOMEM;
        s->body = grown;
        s->capacity = capacity;
    }
    s->body[s->n++] = body;
    return 0;
}

/* set the mark of the bodies of the joints that remain after front @f to @value */
static void mark_remaining(struct shape *s, const struct lk_front_plan *f, int value)
{
    for (int i = f->n_elim; i < f->n_joints; i++)
        for (int side = 0; side < LK_TREE_SIDES; side++)
            s->mark[s->t->body[f->joints[i]][side]] = value;
}

/* Find the handles of a front: the marked bodies among the handles and bodies of its parts. */
static int shape_front(struct shape *s, int i)
{
    const struct lk_front_plan *f = &s->plan->fronts[i];
    int r = 0;

    s->first[i] = s->n;
    mark_remaining(s, f, 1);
    for (int k = 0; k < f->n_children && r == 0; k++) {
        int child = f->children[k];

        for (int h = s->first[child]; h < s->first[child + 1] && r == 0; h++)
            if (s->mark[s->body[h]])
                r = shape_add(s, s->body[h]);
    }
    for (int k = 0; k < f->n_bodies && r == 0; k++)
        if (s->mark[f->bodies[k]])
            r = shape_add(s, f->bodies[k]);
    mark_remaining(s, f, 0);
    s->first[i + 1] = s->n;
    return r;
}

static int shape_init(struct shape *s)
{
    int r = 0;

    s->first = calloc((size_t)s->plan->n_fronts + 1, sizeof(int));
    s->mark = calloc((size_t)s->t->n_bodies + 1, sizeof(int));
    if (!s->first || !s->mark)
        return -ENOMEM;
    for (int i = 0; i < s->plan->n_fronts && r == 0; i++)
        r = shape_front(s, i);
    return r;
}

/** struct joined - one of the joined handles of a front.
 * @part:   index of the part to which the handle belongs
 * @local:  index among the handles of this part
 * @joined: index among the handles of all parts */
struct joined {
    int part;
    int local;
    int joined;
};

/* Find the joined handle of @body. The plan guarantees that it exists. */
static struct joined find_joined(const struct shape *s, const struct lk_front_plan *f, int body)
{
    struct joined at = {0};

    for (int k = 0; k < f->n_children; k++, at.part++) {
        int child = f->children[k];

        at.local = 0;
        for (int h = s->first[child]; h < s->first[child + 1]; h++, at.local++, at.joined++)
            if (s->body[h] == body)
                return at;
    }
    at.local = 0;
    for (int k = 0; k < f->n_bodies; k++, at.part++, at.joined++)
        if (f->bodies[k] == body)
            return at;
    return at;
}

static void place_parts(struct lk_delta *d, const struct lk_front_plan *f,
                        struct lk_delta_front *front)
{
    struct lk_delta_part *part = d->part + front->first_part;

    for (int k = 0; k < f->n_children; k++) {
        const struct lk_delta_front *child = &d->front[f->children[k]];

        *part++ = (struct lk_delta_part){
            .n = child->n_kept,
            .first = front->n_joined,
            .delta = child->delta,
            .vector = child->vector,
        };
        front->n_joined += child->n_kept;
    }
    for (int k = 0; k < f->n_bodies; k++)
        *part++ = (struct lk_delta_part){
            .n = 1,
            .first = front->n_joined++,
            .delta = f->bodies[k] * Q * Q,
            .vector = f->bodies[k] * Q,
        };
}

static void place_blocks(struct lk_delta *d, const struct shape *s, const struct lk_front_plan *f,
                         struct lk_delta_front *front)
{
    for (int i = 0; i < f->n_elim; i++) {
        int j = f->joints[i], n = s->t->n_rows[j];

        for (int side = 0; side < LK_TREE_SIDES; side++) {
            int body = s->t->body[j][side];
            struct joined at;

            if (body >= s->t->n_bodies)
                continue;
            at = find_joined(s, f, body);
            d->block[front->first_block + front->n_blocks++] = (struct lk_delta_block){
                .row = s->plan->row[j] - front->row,
                .n = n,
                .phi = d->phi_at[j] + side * n * Q,
                .part = front->first_part + at.part,
                .local = at.local,
                .joined = at.joined,
            };
        }
    }
}

static void place_kept(struct lk_delta *d, const struct shape *s, int i,
                       struct lk_delta_front *front)
{
    for (int h = s->first[i]; h < s->first[i + 1]; h++) {
        struct joined at = find_joined(s, &s->plan->fronts[i], s->body[h]);

        d->kept[front->first_kept + h - s->first[i]] = (struct lk_delta_kept){
            .part = front->first_part + at.part, .local = at.local, .joined = at.joined};
    }
}

static void place_front(struct lk_delta *d, const struct shape *s, int i, const struct counts *c)
{
    const struct lk_front_plan *f = &s->plan->fronts[i];
    struct lk_delta_front *front = &d->front[i];
    int kept = s->first[i + 1] - s->first[i];

    *front = (struct lk_delta_front){
        .row = s->plan->row[f->joints[0]],
        .e = f->elim_rows,
        .n_kept = kept,
        .first_part = c->parts,
        .n_parts = f->n_children + f->n_bodies,
        .first_block = c->blocks,
        .first_kept = c->kept,
        .factor = c->factors,
        .reach = c->factors + (f->elim_rows * f->elim_rows + Q - 1) / Q * Q,
        .delta = c->deltas,
        .vector = c->vectors,
        .scratch = c->scratch,
    };
    place_parts(d, f, front);
    place_blocks(d, s, f, front);
    place_kept(d, s, i, front);
}

/* Add the numbers of items of front @i to @c. */
static void count_front(struct counts *c, const struct shape *s, int i)
{
    const struct lk_front_plan *f = &s->plan->fronts[i];
    int kept = s->first[i + 1] - s->first[i], joined = f->n_bodies, e = f->elim_rows;

    for (int k = 0; k < f->n_children; k++)
        joined += s->first[f->children[k] + 1] - s->first[f->children[k]];
    c->parts += f->n_children + f->n_bodies;
    for (int k = 0; k < f->n_elim; k++)
        for (int side = 0; side < LK_TREE_SIDES; side++)
            c->blocks += s->t->body[f->joints[k]][side] < s->t->n_bodies;
    c->kept += kept;
    c->vectors += kept * Q;
    c->deltas += kept * Q * kept * Q;
    c->factors += (e * e + Q - 1) / Q * Q + e * kept * Q;
    c->scratch += e * joined * Q;
}

/* Return the number of sides of joint @j, up to and including the last side that is a body. */
static int sides_of(const struct lk_topology *t, int j)
{
    int n = LK_TREE_SIDES;

    while (n > 0 && t->body[j][n - 1] >= t->n_bodies)
        n--;
    return n;
}

/* Compute the offset of Phi_q of every joint.
 * @phi_at: offsets, or NULL to count only
 * Return: number of doubles. */
static int place_phi(const struct lk_topology *t, int *phi_at)
{
    int n = 0;

    for (int j = 0; j < t->n_joints; j++) {
        if (phi_at)
            phi_at[j] = n;
        n += sides_of(t, j) * t->n_rows[j] * Q;
    }
    return n;
}

static struct counts first_counts(const struct lk_topology *t)
{
    return (struct counts){.vectors = t->n_bodies * Q, .deltas = t->n_bodies * Q * Q};
}

static void take_memory(struct lk_delta *d, const struct shape *s, struct lk_arena *arena)
{
    struct counts c = first_counts(s->t);

    for (int i = 0; i < s->plan->n_fronts; i++)
        count_front(&c, s, i);
    d->n_bodies = s->t->n_bodies;
    d->n_fronts = s->plan->n_fronts;
    d->front = lk_arena_take(arena, (size_t)d->n_fronts, sizeof(*d->front));
    d->part = lk_arena_take(arena, (size_t)c.parts, sizeof(*d->part));
    d->block = lk_arena_take(arena, (size_t)c.blocks, sizeof(*d->block));
    d->kept = lk_arena_take(arena, (size_t)c.kept, sizeof(*d->kept));
    d->phi_at = lk_arena_take(arena, (size_t)s->t->n_joints, sizeof(int));
    d->phi = lk_arena_take(arena, (size_t)place_phi(s->t, NULL), sizeof(double));
    d->delta = lk_arena_take(arena, (size_t)c.deltas, sizeof(double));
    d->bias = lk_arena_take(arena, (size_t)c.vectors, sizeof(double));
    d->force = lk_arena_take(arena, (size_t)c.vectors, sizeof(double));
    d->factors = lk_arena_take(arena, (size_t)c.factors, sizeof(double));
    d->scratch = lk_arena_take(arena, (size_t)c.scratch, sizeof(double));
}

int lk_delta_layout(struct lk_delta *d, const struct lk_topology *topology,
                    const struct lk_plan *plan, struct lk_arena *arena)
{
    struct shape s = {.t = topology, .plan = plan};
    int r = shape_init(&s);

    if (r == 0) {
        struct counts c = first_counts(topology);

        take_memory(d, &s, arena);
        lk_levels_layout(&d->levels, plan, arena);
        if (arena->base)
            place_phi(topology, d->phi_at);
        for (int i = 0; i < plan->n_fronts && arena->base; i++) {
            place_front(d, &s, i, &c);
            count_front(&c, &s, i);
        }
    }
    shape_fini(&s);
    return r;
}

/* ---- factor ---- */

/* Add @a x to y, for @n groups of eight values. */
LK_INLINE void add_scaled(double *restrict y, double a, const double *restrict x, int n)
{
    for (int i = 0; i < n * Q; i += 4)
        *(lk_four *)&y[i] += a * *(const lk_four *)&x[i];
}

LK_INLINE double dot(const double *a, const double *b)
{
    lk_four sum = *(const lk_four *)a * *(const lk_four *)b +
                  *(const lk_four *)(a + 4) * *(const lk_four *)(b + 4);

    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Compute Y = Phi_q delta, e rows of 8 n_joined values. */
static void reach_of_rows(struct lk_delta *d, const struct lk_delta_front *f)
{
    double *Y = d->scratch + f->scratch;
    int width = f->n_joined * Q;

    for (int i = 0; i < f->e * width; i += 4)
        *(lk_four *)&Y[i] = (lk_four){0};
    for (int k = 0; k < f->n_blocks; k++) {
        const struct lk_delta_block *b = &d->block[f->first_block + k];
        const struct lk_delta_part *part = &d->part[b->part];
        const double *delta = d->delta + part->delta + b->local * Q * part->n * Q;

        for (int r = 0; r < b->n; r++) {
            const double *phi = d->phi + b->phi + r * Q;
            double *row = Y + (b->row + r) * width + part->first * Q;

            for (int i = 0; i < Q; i++)
                add_scaled(row, phi[i], delta + i * part->n * Q, part->n);
        }
    }
}

/* Factor C^-1 = 1/alpha - Y Phi_q^T = L L^T. L is stored row-major in its lower triangle. */
static void factor_rows(struct lk_delta *d, const struct lk_delta_front *f, const double *soft)
{
    double *L = d->factors + f->factor;
    int e = f->e, width = f->n_joined * Q;

    for (int i = 0; i < e * e; i++)
        L[i] = 0;
    for (int i = 0; i < e; i++)
        L[i * (e + 1)] = soft[f->row + i];
    for (int k = 0; k < f->n_blocks; k++) {
        const struct lk_delta_block *b = &d->block[f->first_block + k];

        for (int c = 0; c < b->n; c++)
            for (int r = b->row + c; r < e; r++)
                L[r * e + b->row + c] -= dot(d->scratch + f->scratch + r * width + b->joined * Q,
                                             d->phi + b->phi + c * Q);
    }
    for (int c = 0; c < e; c++) {
        double pivot = L[c * (e + 1)];

        for (int k = 0; k < c; k++)
            pivot -= L[c * e + k] * L[c * e + k];
        L[c * (e + 1)] = sqrt(pivot);
        for (int r = c + 1; r < e; r++) {
            double sum = L[r * e + c];

            for (int k = 0; k < c; k++)
                sum -= L[r * e + k] * L[c * e + k];
            L[r * e + c] = sum / L[c * (e + 1)];
        }
    }
}

/* Compute Z = L^-1 Y at the kept handles. */
static void reach_of_kept(struct lk_delta *d, const struct lk_delta_front *f)
{
    const double *L = d->factors + f->factor;
    double *Z = d->factors + f->reach;
    int width = f->n_kept * Q;

    for (int r = 0; r < f->e; r++) {
        double *row = Z + r * width;

        for (int k = 0; k < f->n_kept; k++) {
            const double *from =
                d->scratch + f->scratch + (r * f->n_joined + d->kept[f->first_kept + k].joined) * Q;

            for (int i = 0; i < Q; i++)
                row[k * Q + i] = from[i];
        }
        for (int c = 0; c < r; c++)
            add_scaled(row, -L[r * f->e + c], Z + c * width, f->n_kept);
        for (int i = 0; i < width; i++)
            row[i] /= L[r * (f->e + 1)];
    }
}

/* Compute delta_C = delta + Z^T Z, eqs. (36)-(38). */
static void merge_front(struct lk_delta *d, const struct lk_delta_front *f)
{
    const struct lk_delta_kept *kept = d->kept + f->first_kept;
    const double *Z = d->factors + f->reach;
    double *to = d->delta + f->delta;
    int width = f->n_kept * Q;

    for (int a = 0; a < f->n_kept; a++)
        for (int b = 0; b < f->n_kept; b++) {
            const struct lk_delta_part *part = &d->part[kept[a].part];
            const double *from =
                d->delta + part->delta + (kept[a].local * Q * part->n + kept[b].local) * Q;
            int is_same = kept[a].part == kept[b].part;

            for (int i = 0; i < Q; i++)
                for (int k = 0; k < Q; k++)
                    to[(a * Q + i) * width + b * Q + k] = is_same ? from[i * part->n * Q + k] : 0;
        }
    for (int r = 0; r < width; r++)
        for (int c = 0; c < f->e; c++)
            add_scaled(to + r * width, Z[c * width + r], Z + c * width, f->n_kept);
}

/** struct sweep - what the fronts of a level share. @front: indices of these fronts */
struct sweep {
    struct lk_delta *delta;
    const double *soft;
    double *x;
    const int *front;
};

/* Call @round for all fronts of level @level. */
static void share_level(struct sweep *s, int level, void (*round)(void *context, int i),
                        struct lk_pool *pool)
{
    const struct lk_levels *levels = &s->delta->levels;

    s->front = levels->front + levels->first[level];
    lk_share(pool, levels->first[level + 1] - levels->first[level], round, s);
}

static void factor_front(void *context, int i)
{
    const struct sweep *s = context;
    const struct lk_delta_front *f = &s->delta->front[s->front[i]];

    reach_of_rows(s->delta, f);
    factor_rows(s->delta, f, s->soft);
    reach_of_kept(s->delta, f);
    merge_front(s->delta, f);
}

void lk_delta_factor(struct lk_delta *d, const double *soft, struct lk_pool *pool)
{
    struct sweep s = {.delta = d, .soft = soft};

    for (int level = 0; level < d->levels.n; level++)
        share_level(&s, level, factor_front, pool);
}

/* ---- solve ---- */

/* Compute beta, overwrite it with L^-1 beta, and compute delta_C3 = delta_3 + Z^T L^-1 beta, eq.
 * (39). */
static void assemble_front(struct lk_delta *d, const struct lk_delta_front *f, double *x)
{
    const double *L = d->factors + f->factor, *Z = d->factors + f->reach;
    double *bias = d->bias + f->vector;

    for (int k = 0; k < f->n_blocks; k++) {
        const struct lk_delta_block *b = &d->block[f->first_block + k];
        const double *part = d->bias + d->part[b->part].vector + b->local * Q;

        for (int r = 0; r < b->n; r++)
            x[f->row + b->row + r] += dot(d->phi + b->phi + r * Q, part);
    }
    x += f->row;
    for (int r = 0; r < f->e; r++) {
        for (int c = 0; c < r; c++)
            x[r] -= L[r * f->e + c] * x[c];
        x[r] /= L[r * (f->e + 1)];
    }
    for (int k = 0; k < f->n_kept; k++) {
        const struct lk_delta_kept *kept = &d->kept[f->first_kept + k];
        const double *part = d->bias + d->part[kept->part].vector + kept->local * Q;

        for (int i = 0; i < Q; i++)
            bias[k * Q + i] = part[i];
    }
    for (int r = 0; r < f->e; r++)
        add_scaled(bias, x[r], Z + r * f->n_kept * Q, f->n_kept);
}

/* Compute dlambda = L^-T (Z dF + L^-1 beta), eq. (35). */
static void multipliers(const struct lk_delta *d, const struct lk_delta_front *f, double *x)
{
    const double *L = d->factors + f->factor, *Z = d->factors + f->reach;
    const double *force = d->force + f->vector;
    int e = f->e;

    for (int r = 0; r < e; r++)
        for (int k = 0; k < f->n_kept; k++)
            x[r] += dot(Z + (r * f->n_kept + k) * Q, force + k * Q);
    for (int r = e - 1; r >= 0; r--) {
        for (int c = r + 1; c < e; c++)
            x[r] -= L[c * e + r] * x[c];
        x[r] /= L[r * (e + 1)];
    }
}

/* Compute the forces at the handles of the parts: the forces from joints outside the front, and the
 * forces of the rows that this front eliminates, eq. (14). */
static void hand_down(struct lk_delta *d, const struct lk_delta_front *f, const double *x)
{
    for (int k = 0; k < f->n_parts; k++) {
        const struct lk_delta_part *part = &d->part[f->first_part + k];

        for (int i = 0; i < part->n * Q; i++)
            d->force[part->vector + i] = 0;
    }
    for (int k = 0; k < f->n_kept; k++) {
        const struct lk_delta_kept *kept = &d->kept[f->first_kept + k];
        double *to = d->force + d->part[kept->part].vector + kept->local * Q;

        add_scaled(to, 1, d->force + f->vector + k * Q, 1);
    }
    for (int k = 0; k < f->n_blocks; k++) {
        const struct lk_delta_block *b = &d->block[f->first_block + k];
        double *to = d->force + d->part[b->part].vector + b->local * Q;

        for (int r = 0; r < b->n; r++)
            add_scaled(to, x[b->row + r], d->phi + b->phi + r * Q, 1);
    }
}

static void go_up(void *context, int i)
{
    const struct sweep *s = context;

    assemble_front(s->delta, &s->delta->front[s->front[i]], s->x);
}

static void go_down(void *context, int i)
{
    const struct sweep *s = context;
    const struct lk_delta_front *f = &s->delta->front[s->front[i]];

    multipliers(s->delta, f, s->x + f->row);
    hand_down(s->delta, f, s->x + f->row);
}

/* Compute eq. (24) of a body. */
static void move_body(void *context, int b)
{
    struct lk_delta *d = context;

    for (int i = 0; i < Q; i++)
        add_scaled(d->bias + b * Q, d->force[b * Q + i], d->delta + (b * Q + i) * Q, 1);
}

void lk_delta_solve(struct lk_delta *d, double *x, struct lk_pool *pool)
{
    struct sweep s = {.delta = d, .x = x};

    for (int level = 0; level < d->levels.n; level++)
        share_level(&s, level, go_up, pool);
    for (int level = d->levels.n - 1; level >= 0; level--)
        share_level(&s, level, go_down, pool);
    lk_share(pool, d->n_bodies, move_body, d);
}
