/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/relative/assembly.h"
#include "maths/vec.h"
#include "methods/relative/assembly_fronts.h"
#include <string.h>

/* ---- factor ---- */

static void divide_by_mass(const struct lk_inverse_mass *W, const double *force, double *ret)
{
    double turn[3];

    lk_sym_mul(W->inertia, force + 3, turn);
    for (int i = 0; i < 3; i++) {
        ret[i] = W->mass * force[i];
        ret[3 + i] = turn[i];
    }
}

static double product(const double a[6], const double b[6])
{
    return lk_dot(a, b) + lk_dot(a + 3, b + 3);
}

/* Add J W J^T of body @i of the front, over all links. */
static void add_body(struct lk_assembly *a, struct lk_assembly_front *f, int i)
{
    const struct lk_inverse_mass *W = &a->mechanics->system->W[f->body[i]];

    for (int l = f->first_link[i]; l < f->first_link[i + 1]; l++) {
        const struct lk_assembly_link *column = &f->link[l];
        const struct lk_mechanics_block *block = &a->block[column->block];

        for (int c = 0; c < block->n_rows; c++) {
            double heavy[6];

            divide_by_mass(W, block->J[column->side][c], heavy);
            for (int k = f->first_link[i]; k < f->first_link[i + 1]; k++) {
                const struct lk_assembly_link *row = &f->link[k];
                const struct lk_mechanics_block *other = &a->block[row->block];

                for (int r = 0; r < other->n_rows; r++)
                    f->matrix[(row->at + r) * f->n + column->at + c] +=
                        product(other->J[row->side][r], heavy);
            }
        }
    }
}

static void add_child(const struct lk_assembly *a, struct lk_assembly_front *f, int c)
{
    const struct lk_assembly_front *child = &a->front[f->child[c]];

    for (int i = child->e; i < child->n; i++)
        for (int j = child->e; j < child->n; j++)
            f->matrix[f->map[c][i - child->e] * f->n + f->map[c][j - child->e]] +=
                child->matrix[i * child->n + j];
}

/* Eliminate rows of a front: xi' = xi - B K^+ B^T for the remaining rows. */
static int eliminate_front(const struct lk_assembly *a, struct lk_assembly_front *f)
{
    int n = f->n, e = f->e, rest = n - e, r;

    for (int i = 0; i < e; i++)
        f->diagonal[i] = a->diagonal[f->row[i]];
    r = lk_pseudo_inverse_factor(&f->K, f->matrix, n, f->diagonal);
    for (int i = 0; i < e; i++)
        for (int j = 0; j < rest; j++)
            f->weight[i * rest + j] = f->matrix[i * n + e + j];
    for (int j = 0; j < rest; j++)
        lk_pseudo_inverse_solve(&f->K, f->weight + j, rest);
    for (int i = e; i < n; i++)
        for (int k = 0; k < e; k++)
            for (int j = 0; j < rest; j++)
                f->matrix[i * n + e + j] -= f->matrix[i * n + k] * f->weight[k * rest + j];
    return r;
}

/* Read block @i, and compute the diagonal of Phi_q W Phi_q^T of its rows: the scale of the pivots.
 */
static void read_block(void *context, int i)
{
    struct lk_assembly *a = context;
    struct lk_mechanics_block *block = &a->block[i];

    lk_mechanics_read_block(a->mechanics, i, block);
    for (int r = 0; r < block->n_rows; r++) {
        double sum = 1e-300;

        for (int s = 0; s < block->n_sides; s++) {
            double heavy[6];

            divide_by_mass(&a->mechanics->system->W[block->body[s]], block->J[s][r], heavy);
            sum += product(block->J[s][r], heavy);
        }
        a->diagonal[block->first_row + r] = sum;
    }
}

/** struct sweep - what the fronts of a level share. @front: indices of these fronts;  @x:
 * right-hand side, then solution */
struct sweep {
    struct lk_assembly *assembly;
    double *x;
    const int *front;
};

/* Call @round for all fronts of level @level. */
static void share_level(struct sweep *s, int level, void (*round)(void *context, int i))
{
    const struct lk_levels *levels = &s->assembly->levels;

    s->front = levels->front + levels->first[level];
    lk_share(s->assembly->mechanics->system->pool, levels->first[level + 1] - levels->first[level],
             round, s);
}

static void factor_front(void *context, int i)
{
    const struct sweep *s = context;
    struct lk_assembly *a = s->assembly;
    struct lk_assembly_front *f = &a->front[s->front[i]];

    memset(f->matrix, 0, (size_t)f->n * (size_t)f->n * sizeof(double));
    for (int k = 0; k < f->n_bodies; k++)
        add_body(a, f, k);
    for (int c = 0; c < f->n_children; c++)
        add_child(a, f, c);
    f->status = eliminate_front(a, f);
}

int lk_assembly_factor(struct lk_assembly *a)
{
    struct sweep s = {.assembly = a};
    int status = 0;

    lk_share(a->mechanics->system->pool, a->mechanics->n_blocks, read_block, a);
    for (int level = 0; level < a->levels.n; level++)
        share_level(&s, level, factor_front);
    for (int i = 0; i < a->n_fronts; i++)
        status = status != 0 ? status : a->front[i].status;
    return status;
}

/* ---- solve ---- */

static void assemble_front(const struct lk_assembly *a, struct lk_assembly_front *f,
                           const double *b)
{
    for (int i = 0; i < f->n; i++)
        f->x[i] = i < f->e ? b[f->row[i]] : 0;
    for (int c = 0; c < f->n_children; c++) {
        const struct lk_assembly_front *child = &a->front[f->child[c]];

        for (int i = child->e; i < child->n; i++)
            f->x[f->map[c][i - child->e]] += child->x[i];
    }
    for (int k = 0; k < f->e; k++)
        for (int i = f->e; i < f->n; i++)
            f->x[i] -= f->weight[k * (f->n - f->e) + i - f->e] * f->x[k];
}

static void disassemble_front(struct lk_assembly_front *f, double *x)
{
    int rest = f->n - f->e;

    lk_pseudo_inverse_solve(&f->K, f->x, 1);
    for (int k = 0; k < f->e; k++) {
        for (int i = 0; i < rest; i++)
            f->x[k] -= f->weight[k * rest + i] * x[f->row[f->e + i]];
        x[f->row[k]] = f->x[k];
    }
}

static void go_up(void *context, int i)
{
    const struct sweep *s = context;

    assemble_front(s->assembly, &s->assembly->front[s->front[i]], s->x);
}

static void go_down(void *context, int i)
{
    const struct sweep *s = context;

    disassemble_front(&s->assembly->front[s->front[i]], s->x);
}

void lk_assembly_solve(struct lk_assembly *a, double *x)
{
    struct sweep s = {.assembly = a, .x = x};

    for (int level = 0; level < a->levels.n; level++)
        share_level(&s, level, go_up);
    for (int level = a->levels.n - 1; level >= 0; level--)
        share_level(&s, level, go_down);
}

/* ---- products ---- */

const struct lk_mechanics_block *lk_assembly_block(const struct lk_assembly *a, int i)
{
    return &a->block[i];
}

/** struct products - arguments of a shared product. */
struct products {
    const struct lk_assembly *assembly;
    const struct lk_twist *twist;
    double *rows;
    struct lk_twist *ret;
};

static void add_rates_of_block(void *context, int i)
{
    const struct products *p = context;
    const struct lk_mechanics_block *block = &p->assembly->block[i];

    for (int s = 0; s < block->n_sides; s++)
        for (int r = 0; r < block->n_rows; r++)
            p->rows[block->first_row + r] += lk_dot(block->J[s][r], p->twist[block->body[s]].v) +
                                             lk_dot(block->J[s][r] + 3, p->twist[block->body[s]].w);
}

void lk_assembly_add_rates(const struct lk_assembly *a, const struct lk_twist *v, double *ret)
{
    struct products p = {.assembly = a, .twist = v, .rows = ret};

    lk_share(a->mechanics->system->pool, a->mechanics->n_blocks, add_rates_of_block, &p);
}

void lk_assembly_subtract_forces(const struct lk_assembly *a, const double *x, struct lk_twist *ret)
{
    for (int i = 0; i < a->mechanics->n_blocks; i++) {
        const struct lk_mechanics_block *block = &a->block[i];

        for (int s = 0; s < block->n_sides; s++)
            for (int r = 0; r < block->n_rows; r++)
                for (int k = 0; k < 3; k++) {
                    ret[block->body[s]].v[k] -= block->J[s][r][k] * x[block->first_row + r];
                    ret[block->body[s]].w[k] -= block->J[s][r][3 + k] * x[block->first_row + r];
                }
    }
}

static void divide_body(void *context, int b)
{
    const struct products *p = context;
    const struct lk_inverse_mass *W = &p->assembly->mechanics->system->W[b];
    double turn[3];

    lk_sym_mul(W->inertia, p->twist[b].w, turn);
    for (int i = 0; i < 3; i++) {
        p->ret[b].v[i] = W->mass * p->twist[b].v[i];
        p->ret[b].w[i] = turn[i];
    }
}

void lk_assembly_divide(const struct lk_assembly *a, const struct lk_twist *force,
                        struct lk_twist *ret)
{
    struct products p = {.assembly = a, .twist = force, .ret = ret};

    lk_share(a->mechanics->system->pool, a->mechanics->n_bodies, divide_body, &p);
}
