/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method for a step of an alpha method.
 *
 * Unknowns and equations are scaled as in M. Arnold, DAE aspects of multibody system dynamics,
 * 2016, eqs. (69) and (70). The unknowns are D, h lambda and mu; the equations are h times the
 * force balance, Phi / h, and Phi'. With this scaling the matrix and its inverse remain bounded as
 * h -> 0:
 *
 *     c M + ..   G^T B^T   ..              c = (1 - alpha_m) / (beta (1 - alpha_f))
 *     B G + ..   0         - B G W G^T B^T  (ggl)
 *     ..
 *
 * The terms written as dots (stiffness and damping of forces, rotation of forces and rows with the
 * bodies, the tangent of the exponential map) are computed by finite differences. The rows are B
 * Phi, with B from the complete orthogonal decomposition at the pose of the matrix. Therefore the
 * matrix remains regular with redundant rows and in singular poses. A matrix is reused in many
 * steps, until Newton's method converges slowly. */
#include "laboratory/constrained/alpha.h"
#include "maths/vec.h"
#include <lapacke.h>
#include <math.h>
#include <string.h>

#define ITERATIONS_MAX 25
#define ITERATIONS_OLD 6 /* iterations after which the next step gets a new matrix */
/* increment of D at which the iteration ends, relative to the largest velocity */
#define DONE 1e-12
/* increments below this size that no longer shrink are round-off */
#define ROUND_OFF       1e-8
#define SLOW            0.3   /* ratio of increments above which a new matrix is computed */
#define DIFFERENCE      1e-5  /* difference of D, relative to the largest velocity of its type */
#define DIFFERENCE_TURN 1e-3  /* largest difference as a rotation [rad] */
#define MISFIT          1e-10 /* tolerated violation of rows outside the basis */

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* ---- the matrix ---- */

/* Choose the basis of the rows at the pose that the unknowns determine. */
static int choose_basis(struct lk_alpha *p)
{
    int r = lk_kkt_factor(p->state.kkt);

    if (r != 0)
        return r;
    p->rank = p->state.kkt->rank;
    p->n_unknown = p->state.n + (p->form == LK_ALPHA_GGL ? 2 : 1) * p->rank;
    lk_kkt_basis(p->state.kkt, p->B);
    return 0;
}

/* Compute s = h (B B^T)^-1 B lambda, in the metric of the basis, from lambda of the previous step
 * or basis. Components outside the span of the new basis are lost; Newton's method recovers
 * them. */
static void gather_multipliers(struct lk_alpha *p)
{
    const struct lk_kkt *kkt = p->state.kkt;

    for (int k = 0; k < p->rank; k++) {
        p->s[k] = 0;
        for (int r = 0; r < p->state.m; r++)
            p->s[k] += p->B[area(k, p->state.m) + (size_t)r] * kkt->length[r] * kkt->length[r] *
                       p->lambda[r] * p->h;
    }
}

/* Compute W G_n^T B^T at the start of the step. */
static void correction_directions(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;

    if (p->form != LK_ALPHA_GGL)
        return;
    lk_constrained_evaluate(s, s->t, s->q, s->v);
    for (int k = 0; k < p->rank; k++) {
        double *to = p->WG + area(k, s->n);

        memset(to, 0, area(s->n, 1) * sizeof(double));
        lk_alpha_add_reactions(s->mechanics, p->B + area(k, s->m), 1, to);
        lk_kkt_weight(s->kkt, to, to);
    }
}

/* Compute a column of the matrix from a finite difference in the unknown *@x. */
static int difference_column(struct lk_alpha *p, double *x, double step, double *column)
{
    double was = *x;
    int r;

    *x += step;
    r = lk_alpha_place(p);
    *x = was;
    lk_alpha_evaluate(p, column);
    for (int i = 0; i < p->n_unknown; i++)
        column[i] = (column[i] - p->probe[i]) / step;
    return r;
}

/* Return the step of the finite difference in D[i]. The step is proportional to the largest
 * velocity of the same type (linear or angular), and limited so that the rotation remains small. */
static double probe_length(const struct lk_alpha *p, int i)
{
    double ret = 0;

    for (int k = 0; k < p->state.n; k++)
        if (i % 6 / 3 == k % 6 / 3)
            ret = lk_max(ret, fabs(p->D[k]));
    ret = DIFFERENCE * (1 + ret);
    return i % 6 >= 3 && ret > DIFFERENCE_TURN / p->h ? DIFFERENCE_TURN / p->h : ret;
}

/* Add the exact terms: the derivative of h M v', and the columns G^T B^T at the unknowns. */
static int exact_columns(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;
    double factor = (1 - p->alpha_m) / (p->beta * (1 - p->alpha_f));
    int r = lk_alpha_place(p);

    for (int i = 0; i < s->n; i++) {
        memset(s->force, 0, area(s->n, 1) * sizeof(double));
        s->force[i] = factor;
        lk_kkt_mass(s->kkt, s->force, s->force);
        for (int k = 0; k < s->n; k++)
            p->LU[area(i, p->n_unknown) + (size_t)k] += s->force[k];
    }
    for (int k = 0; k < p->rank; k++) {
        double *column = p->LU + area(s->n + k, p->n_unknown);

        memset(column, 0, area(p->n_unknown, 1) * sizeof(double));
        lk_alpha_add_reactions(s->mechanics, p->B + area(k, s->m), 1, column);
    }
    return r;
}

/* Compute and factor the matrix, eq. (70) and the equation after (94), at the unknowns of the
 * last evaluation. */
static int new_matrix(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;
    int r = choose_basis(p), N = p->n_unknown;

    if (r == 0) {
        gather_multipliers(p);
        lk_alpha_spread(p);
        correction_directions(p);
        r = lk_alpha_place(p);
    }
    lk_alpha_evaluate(p, p->probe);
    for (int i = 0; i < s->n && r == 0; i++)
        r = difference_column(p, &p->D[i], probe_length(p, i), p->LU + area(i, N));
    for (int k = 0; k < p->rank && p->form == LK_ALPHA_GGL && r == 0; k++)
        r = difference_column(p, &p->mu[k], DIFFERENCE, p->LU + area(s->n + p->rank + k, N));
    if (r == 0)
        r = exact_columns(p);
    if (r == 0 && LAPACKE_dgetrf(LAPACK_COL_MAJOR, N, N, p->LU, N, p->swaps) != 0)
        r = LK_E_SINGULAR;
    s->problem->counts.jacobians++;
    s->problem->counts.factorisations++;
    p->has_matrix = r == 0;
    p->matrix_h = p->h;
    return r;
}

/* ---- iterations ---- */

/* Return the norm of the D part of @x, or of the effect of its mu part on D if this is larger. */
static double size_of(const struct lk_alpha *p, const double *x)
{
    int n = p->state.n;
    double size = lk_alpha_largest(x, n);

    for (int i = 0; i < n && p->form == LK_ALPHA_GGL; i++) {
        double sum = 0;

        for (int k = 0; k < p->rank; k++)
            sum += p->WG[area(k, n) + (size_t)i] * x[n + p->rank + k];
        size = lk_max(size, fabs(sum));
    }
    return size;
}

/* Make one Newton iteration. Return: the increment, relative to the largest velocity. */
static double improve_unknowns(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;
    const double *x = p->residual;
    double scale = 1 + lk_alpha_largest(p->v, s->n);

    lk_alpha_residual(p);
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', p->n_unknown, 1, p->LU, p->n_unknown, p->swaps,
                   p->residual, p->n_unknown);
    for (int i = 0; i < s->n; i++)
        p->D[i] -= x[i];
    for (int k = 0; k < p->rank; k++) {
        p->s[k] -= x[s->n + k];
        p->mu[k] -= p->form == LK_ALPHA_GGL ? x[s->n + p->rank + k] : 0;
    }
    s->problem->counts.iterations++;
    return size_of(p, x) / scale;
}

/* Return whether rows outside the basis are violated. The reason may be that the basis belongs to
 * another pose. */
static int is_misfit(struct lk_alpha *p)
{
    const struct lk_constrained *s = &p->state;

    lk_alpha_raw_rows(p);
    return lk_alpha_largest(p->raw, p->form == LK_ALPHA_GGL ? 2 * s->m : s->m) >
           MISFIT * (1 + lk_alpha_largest(p->v, s->n)) / p->h;
}

/* Iterate.
 * Return: 0: converged; 1: the matrix is too old, compute it again for this step; or an error. */
static int iterate_newton(struct lk_alpha *p, int is_fresh)
{
    double before = INFINITY;
    int r = lk_alpha_place(p);

    for (int i = 0; i < ITERATIONS_MAX && r == 0; i++) {
        double size = improve_unknowns(p);

        lk_alpha_spread(p);
        r = lk_alpha_place(p);
        if (!isfinite(size))
            return LK_E_NOT_FINITE;
        if (r != 0)
            return r;
        if (size < DONE || (size < ROUND_OFF && size > 0.5 * before)) {
            p->has_matrix = i < ITERATIONS_OLD;
            return is_misfit(p) && !is_fresh;
        }
        if (!is_fresh && size > SLOW * before)
            return 1;
        if (size > 10 * before)
            return LK_E_STALLED;
        before = size;
    }
    return r != 0 ? r : LK_E_STALLED;
}

/* Predict the unknowns: accelerations and multipliers remain unchanged. */
static void predict_unknowns(struct lk_alpha *p)
{
    const struct lk_constrained *s = &p->state;

    for (int i = 0; i < s->n; i++)
        p->D[i] = s->v[i] + 0.5 * p->h * p->a[i];
    memset(p->mu, 0, area(s->m, 1) * sizeof(double));
    memcpy(p->lambda, s->lambda, area(s->m, 1) * sizeof(double));
}

int lk_alpha_solve(struct lk_alpha *p)
{
    int r = 1;

    if (p->has_matrix && p->matrix_h == p->h) {
        predict_unknowns(p);
        gather_multipliers(p);
        lk_alpha_spread(p);
        correction_directions(p);
        r = iterate_newton(p, 0);
    }
    if (r == 0)
        return 0;
    predict_unknowns(p);
    r = lk_alpha_place(p);
    if (r == 0)
        r = new_matrix(p);
    return r == 0 ? iterate_newton(p, 1) : r;
}
