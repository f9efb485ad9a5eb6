/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a step of an alpha method, scaled as in M. Arnold, DAE aspects of multibody
 * system dynamics, 2016, eqs. (69) and (94). */
#include "laboratory/constrained/alpha.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

int lk_alpha_take_memory(struct lk_alpha *p)
{
    int n = p->state.n, m = p->state.m, all = n + 2 * m;

    p->D = lk_constrained_zeros(n);
    p->s = lk_constrained_zeros(m);
    p->mu = lk_constrained_zeros(m);
    p->q = lk_constrained_zeros(p->state.n_q);
    p->v = lk_constrained_zeros(n);
    p->vdot = lk_constrained_zeros(n);
    p->a_next = lk_constrained_zeros(n);
    p->lambda = lk_constrained_zeros(m);
    p->B = lk_constrained_zeros(m * m);
    p->WG = lk_constrained_zeros(m * n);
    p->LU = lk_constrained_zeros(all * all);
    p->residual = lk_constrained_zeros(all);
    p->probe = lk_constrained_zeros(all);
    p->raw = lk_constrained_zeros(2 * m);
    p->swaps = calloc((size_t)all + 1, sizeof(int));
    return p->D && p->s && p->mu && p->q && p->v && p->vdot && p->a_next && p->lambda && p->B &&
                   p->WG && p->LU && p->residual && p->probe && p->raw && p->swaps
               ? 0
               : -ENOMEM;
}

double lk_alpha_largest(const double *x, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= ret))
            ret = fabs(x[i]);
    return ret;
}

/* Compute the state from the unknowns, eqs. (68), (94), and evaluate the mechanics there. */
int lk_alpha_place(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;
    double h = p->h, f = 1 - p->alpha_f;
    int r;

    for (int i = 0; i < s->n; i++) {
        double step = p->D[i];

        p->a_next[i] = ((p->D[i] - s->v[i]) / h - (0.5 - p->beta) * p->a[i]) / p->beta;
        p->v[i] = s->v[i] + h * ((1 - p->gamma) * p->a[i] + p->gamma * p->a_next[i]);
        p->vdot[i] =
            ((1 - p->alpha_m) * p->a_next[i] + p->alpha_m * p->a[i]) / f - p->alpha_f / f * s->a[i];
        for (int k = 0; k < p->rank && p->form == LK_ALPHA_GGL; k++)
            step -= p->WG[area(k, s->n) + (size_t)i] * p->mu[k];
        s->move[i] = h * step;
    }
    r = lk_coordinates_move(s->orientation, s->mechanics->n_bodies, s->q, s->move, p->q);
    lk_constrained_evaluate(s, p->t_next, p->q, p->v);
    return r;
}

/* Compute lambda = B^T s / h. */
void lk_alpha_spread(struct lk_alpha *p)
{
    for (int r = 0; r < p->state.m; r++) {
        p->lambda[r] = 0;
        for (int k = 0; k < p->rank; k++)
            p->lambda[r] += p->B[area(k, p->state.m) + (size_t)r] * p->s[k] / p->h;
    }
}

/* Compute @ret += @factor Phi_q^T @lambda at the last evaluation. */
void lk_alpha_add_reactions(const struct lk_mechanics *mechanics, const double *lambda,
                            double factor, double *ret)
{
    struct lk_mechanics_block block;

    for (int i = 0; i < mechanics->n_blocks; i++) {
        lk_mechanics_read_block(mechanics, i, &block);
        for (int side = 0; side < block.n_sides; side++)
            for (int r = 0; r < block.n_rows; r++)
                for (int k = 0; k < 6; k++)
                    ret[6 * block.body[side] + k] +=
                        factor * lambda[block.first_row + r] * block.J[side][r][k];
    }
}

/* Compute the unreduced rows of the variant: Phi / h, or Phi' + alpha_0 Phi; with ggl also Phi'. */
void lk_alpha_raw_rows(struct lk_alpha *p)
{
    const struct lk_constrained *s = &p->state;
    double *rates = p->form == LK_ALPHA_GGL ? p->raw + s->m : s->c;

    lk_mechanics_violation(s->mechanics, p->raw);
    lk_mechanics_rates(s->mechanics, rates);
    for (int i = 0; i < s->m; i++)
        p->raw[i] =
            p->form == LK_ALPHA_INDEX_2 ? rates[i] + p->decay * p->raw[i] : p->raw[i] / p->h;
}

/* Compute B times the rows; with ggl also B times Phi'. */
static void reduce_rows(const struct lk_alpha *p, double *ret)
{
    int m = p->state.m, halves = p->form == LK_ALPHA_GGL ? 2 : 1;

    for (int half = 0; half < halves; half++)
        for (int k = 0; k < p->rank; k++) {
            double sum = 0;

            for (int r = 0; r < m; r++)
                sum += p->B[area(k, m) + (size_t)r] * p->raw[half * m + r];
            ret[half * p->rank + k] = sum;
        }
}

/* Evaluate all terms except h M v', which is linear in the unknowns. Call after lk_alpha_place()
 * and lk_alpha_spread(). */
void lk_alpha_evaluate(struct lk_alpha *p, double *ret)
{
    struct lk_constrained *s = &p->state;

    lk_mechanics_forces(s->mechanics, (struct lk_twist *)s->force);
    for (int i = 0; i < s->n; i++)
        ret[i] = -p->h * s->force[i];
    lk_alpha_add_reactions(s->mechanics, p->lambda, p->h, ret);
    lk_alpha_raw_rows(p);
    reduce_rows(p, ret + s->n);
}

void lk_alpha_residual(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;

    lk_alpha_evaluate(p, p->residual);
    lk_kkt_mass(s->kkt, p->vdot, s->force);
    for (int i = 0; i < s->n; i++)
        p->residual[i] += p->h * s->force[i];
}
