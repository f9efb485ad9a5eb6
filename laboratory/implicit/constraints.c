/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/implicit/constraints.h"
#include "laboratory/coordinates.h"
#include "maths/vec.h"

#include <string.h>

struct lk_mechanics *lk_dae_motion_mechanics(const struct lk_dae_motion *c)
{
    return c->dae.problem->mechanics;
}

static int is_resal(const struct lk_dae_motion *c)
{
    return c->dae.problem->orientation == LK_ORIENTATION_RESAL;
}

/* ---- g ---- */

void lk_dae_motion_weigh(const struct lk_dae_motion *c, const double *x, double *ret)
{
    for (int b = 0; b < c->nv / 6; b++) {
        double turn[3];

        lk_sym_mul(c->W[b].inertia, &x[6 * b + 3], turn);
        for (int i = 0; i < 3; i++) {
            ret[6 * b + i] = c->W[b].mass * x[6 * b + i];
            ret[6 * b + 3 + i] = turn[i];
        }
    }
}

/* Compute @ret = Phi_q^T @lambda. */
static void apply_transpose(const struct lk_dae_motion *c, const double *lambda, double *ret)
{
    memset(ret, 0, (size_t)c->nv * sizeof(double));
    for (int r = 0; r < c->nr; r++)
        for (int k = 0; k < c->nv; k++)
            ret[k] += c->G[r * c->nv + k] * lambda[r];
}

static double row_times(const struct lk_dae_motion *c, int r, const double *x)
{
    double sum = 0;

    for (int k = 0; k < c->nv; k++)
        sum += c->G[r * c->nv + k] * x[k];
    return sum;
}

void lk_dae_motion_evaluate(struct lk_dae_motion *c, double t, const double *y)
{
    struct lk_mechanics *m = lk_dae_motion_mechanics(c);

    lk_coordinates_write(m, c->dae.problem->orientation, y, y + c->nq);
    lk_mechanics_evaluate(m, t);
    lk_mechanics_jacobian(m, c->G);
    for (int r = 0; r < c->nr && is_resal(c); r++)
        for (int b = 0; b < c->nv / 6; b++)
            lk_coordinates_turn(&y[6 * b + 3], &c->G[r * c->nv + 6 * b + 3]);
}

void lk_dae_motion_forces(struct lk_dae_motion *c, const double *y, double *ret)
{
    lk_mechanics_forces(lk_dae_motion_mechanics(c), (struct lk_twist *)ret);
    for (int b = 0; b < c->nv / 6 && is_resal(c); b++)
        lk_coordinates_turn(&y[6 * b + 3], &ret[6 * b + 3]);
}

void lk_dae_motion_add_turn(const struct lk_dae_motion *c, const double *q_rate, const double *v,
                            int has_mass, double *ret)
{
    const struct lk_system *sys = lk_dae_motion_mechanics(c)->system;

    for (int b = 0; b < c->nv / 6 && is_resal(c); b++) {
        const double roll = q_rate[6 * b + 5], *w = &v[6 * b + 3];
        double J = has_mass ? sys->body[b].inertia[1] : 1;

        ret[6 * b + 4] -= J * roll * w[2];
        ret[6 * b + 5] += J * roll * w[1];
    }
}

int lk_dae_motion_position_rates(const struct lk_dae_motion *c, const double *q, const double *u,
                                 double *ret)
{
    const struct lk_problem *p = c->dae.problem;
    int n = p->mechanics->n_bodies, r = lk_coordinates_rates(p->orientation, n, q, u, ret);

    if (r != 0 || c->nq == 6 * n)
        return r;
    for (int b = 0; b < n; b++) {
        const double *e = &q[7 * b + 3];
        double missing = 1 - e[0] * e[0] - e[1] * e[1] - e[2] * e[2] - e[3] * e[3];

        for (int i = 0; i < 4; i++)
            ret[7 * b + 3 + i] += missing * e[i];
    }
    return 0;
}

/* Compute d2Phi/dt2 of the rows for v' = W (force - pull). */
static void row_accelerations(struct lk_dae_motion *c, double *ret)
{
    double *a = c->u;

    lk_mechanics_gamma(lk_dae_motion_mechanics(c), ret);
    for (int k = 0; k < c->nv; k++)
        a[k] = c->force[k] - c->pull[k];
    lk_dae_motion_weigh(c, a, a);
    for (int r = 0; r < c->nr; r++)
        ret[r] += row_times(c, r, a);
}

/* Evaluate the equations of g for lambda, then with ggl the equations for mu. */
static void constraint_residual(struct lk_dae_motion *c, const double *lambda, double *ret)
{
    const struct lk_mechanics *m = lk_dae_motion_mechanics(c);

    if (c->level == LK_DAE_INDEX_3)
        lk_mechanics_violation(m, ret);
    else if (c->level == LK_DAE_INDEX_1)
        row_accelerations(c, ret);
    else
        lk_mechanics_rates(m, ret);
    if (c->decay > 0) {
        lk_mechanics_violation(m, c->lambda);
        for (int r = 0; r < c->nr; r++)
            ret[r] += c->decay * c->lambda[r];
    }
    if (c->level == LK_DAE_GGL)
        lk_mechanics_violation(m, ret + c->nr);
    for (int r = 0; r < c->nr; r++) {
        if (c->is_kept[r])
            continue;
        ret[r] = lambda[r];
        if (c->level == LK_DAE_GGL)
            ret[c->nr + r] = lambda[c->nr + r];
    }
}

int lk_dae_motion_rate(struct lk_dae *dae, double t, const double *y, double *ret)
{
    struct lk_dae_motion *c = (struct lk_dae_motion *)dae;
    const double *v = y + c->nq, *lambda = v + c->nv;
    int r;

    dae->problem->counts.rates++;
    lk_dae_motion_evaluate(c, t, y);
    lk_dae_motion_forces(c, y, c->force);
    apply_transpose(c, lambda, c->pull);
    for (int k = 0; k < c->nv; k++)
        ret[c->nq + k] = c->force[k] - c->pull[k];
    memcpy(c->u, v, (size_t)c->nv * sizeof(double));
    if (c->level == LK_DAE_GGL) {
        apply_transpose(c, lambda + c->nr, c->pull);
        lk_dae_motion_weigh(c, c->pull, c->pull);
        for (int k = 0; k < c->nv; k++)
            c->u[k] -= c->pull[k];
    }
    r = lk_dae_motion_position_rates(c, y, c->u, ret);
    lk_dae_motion_add_turn(c, ret, v, 1, ret + c->nq);
    constraint_residual(c, lambda, ret + c->nq + c->nv);
    return r;
}

/* ---- the Jacobian of g ---- */

/* Compute the column of dg/dy for the lambda of row @r. */
static void lambda_column(struct lk_dae_motion *c, int r, double *ret)
{
    double *below = ret + c->nq + c->nv;

    if (!c->is_kept[r]) {
        below[r] = 1;
        return;
    }
    for (int k = 0; k < c->nv; k++)
        c->u[k] = ret[c->nq + k] = -c->G[r * c->nv + k];
    if (c->level != LK_DAE_INDEX_1)
        return;
    lk_dae_motion_weigh(c, c->u, c->u);
    for (int i = 0; i < c->nr; i++)
        below[i] = c->is_kept[i] ? row_times(c, i, c->u) : 0;
}

/* Compute the column of dg/dy for the mu of row
 * @r: -K W Phi_q^T. */
static int mu_column(struct lk_dae_motion *c, const double *q, int r, double *ret)
{
    const struct lk_problem *p = c->dae.problem;

    if (!c->is_kept[r]) {
        ret[c->nq + c->nv + c->nr + r] = 1;
        return 0;
    }
    for (int k = 0; k < c->nv; k++)
        c->u[k] = -c->G[r * c->nv + k];
    lk_dae_motion_weigh(c, c->u, c->u);
    return lk_coordinates_rates(p->orientation, p->mechanics->n_bodies, q, c->u, ret);
}

int lk_dae_motion_jacobian(struct lk_dae *dae, double t, const double *y, const double *g,
                           double *ret)
{
    struct lk_dae_motion *c = (struct lk_dae_motion *)dae;
    size_t n = (size_t)dae->n, first = (size_t)(c->nq + c->nv);
    int r = lk_dae_differences(dae, t, y, g, 0, (int)first, ret);

    dae->problem->counts.jacobians++;
    memset(&ret[first * n], 0, (n - first) * n * sizeof(double));
    lk_dae_motion_evaluate(c, t, y);
    for (int i = 0; i < c->nr && r == 0; i++) {
        lambda_column(c, i, &ret[(first + (size_t)i) * n]);
        if (c->level == LK_DAE_GGL)
            r = mu_column(c, y, i, &ret[(first + (size_t)(c->nr + i)) * n]);
    }
    return r;
}
