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

/* Eliminate rows of a front: xi' = xi - B K^+ B^T for the rows that remain. */
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

/* Compute the diagonal of Phi_q W Phi_q^T of every row: the scale of the pivots. */
static void find_diagonal(struct lk_assembly *a)
{
    for (int i = 0; i < a->mechanics->n_blocks; i++) {
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
}

int lk_assembly_factor(struct lk_assembly *a)
{
    int status = 0;

    find_diagonal(a);
    for (int i = 0; i < a->n_fronts; i++) {
        struct lk_assembly_front *f = &a->front[i];
        int r;

        memset(f->matrix, 0, (size_t)f->n * (size_t)f->n * sizeof(double));
        for (int k = 0; k < f->n_bodies; k++)
            add_body(a, f, k);
        for (int c = 0; c < f->n_children; c++)
            add_child(a, f, c);
        r = eliminate_front(a, f);
        status = status != 0 ? status : r;
    }
    return status;
}

/* ---- solve ---- */

static void go_up(const struct lk_assembly *a, struct lk_assembly_front *f, const double *b)
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

static void go_down(struct lk_assembly_front *f, double *x)
{
    int rest = f->n - f->e;

    lk_pseudo_inverse_solve(&f->K, f->x, 1);
    for (int k = 0; k < f->e; k++) {
        for (int i = 0; i < rest; i++)
            f->x[k] -= f->weight[k * rest + i] * x[f->row[f->e + i]];
        x[f->row[k]] = f->x[k];
    }
}

void lk_assembly_solve(struct lk_assembly *a, double *x)
{
    for (int i = 0; i < a->n_fronts; i++)
        go_up(a, &a->front[i], x);
    for (int i = a->n_fronts - 1; i >= 0; i--)
        go_down(&a->front[i], x);
}

/* ---- products ---- */

const struct lk_mechanics_block *lk_assembly_block(const struct lk_assembly *a, int i)
{
    return &a->block[i];
}

void lk_assembly_add_rates(const struct lk_assembly *a, const struct lk_twist *v, double *ret)
{
    for (int i = 0; i < a->mechanics->n_blocks; i++) {
        const struct lk_mechanics_block *block = &a->block[i];

        for (int s = 0; s < block->n_sides; s++)
            for (int r = 0; r < block->n_rows; r++)
                ret[block->first_row + r] += lk_dot(block->J[s][r], v[block->body[s]].v) +
                                             lk_dot(block->J[s][r] + 3, v[block->body[s]].w);
    }
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

void lk_assembly_divide(const struct lk_assembly *a, const struct lk_twist *force,
                        struct lk_twist *ret)
{
    for (int b = 0; b < a->mechanics->n_bodies; b++) {
        const struct lk_inverse_mass *W = &a->mechanics->system->W[b];
        double turn[3];

        lk_sym_mul(W->inertia, force[b].w, turn);
        for (int i = 0; i < 3; i++) {
            ret[b].v[i] = W->mass * force[b].v[i];
            ret[b].w[i] = turn[i];
        }
    }
}
