/* SPDX-License-Identifier: Apache-2.0 */
/* Newton-Raphson projection onto the rows. If rows are redundant, the first r pivots of a QR
 * decomposition select independent rows. Each change has minimal norm: Q1 R11^-T (-Phi). */
#include "laboratory/complement/complement.h"
#include "laboratory/coordinates.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#define CLOSED     1e-13 /* violation at which a row counts as satisfied [m or rad] */
#define NEARLY     1e-9  /* largest violation that round-off and redundant rows may cause */
#define ROUNDS_MAX 12

static double largest(const double *x, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

static void evaluate_state(struct lk_complement *c, double t, const double *q, const double *v)
{
    lk_coordinates_write(c->g.mechanics, c->orientation, q, v);
    lk_mechanics_evaluate(c->g.mechanics, t);
}

/* Compute the minimum-norm solution @ret of Phi_q change = -@rows at the last evaluation. */
static int shortest_change(struct lk_complement *c, const double *rows, double *ret)
{
    struct lk_mechanics *mechanics = c->g.mechanics;
    int width = mechanics->n_velocities, n = mechanics->n_rows, r = c->r - (c->g.m - n), info;

    lk_mechanics_jacobian(mechanics, c->A);
    memset(c->pivot, 0, (size_t)n * sizeof(int));
    memset(ret, 0, (size_t)width * sizeof(double));
    info = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, width, n, c->A, width, c->pivot, c->tau);
    if (info == 0 && !(lk_complement_margin(c->A, width, r) > LK_COMPLEMENT_SINGULAR))
        return LK_E_SINGULAR;
    for (int i = 0; i < r && info == 0; i++)
        ret[i] = -rows[c->pivot[i] - 1];
    if (info == 0 && r > 0)
        info = LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', r, 1, c->A, width, ret, width);
    if (info == 0 && r > 0)
        info = LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', width, 1, r, c->A, width, c->tau, ret,
                              width);
    return lk_complement_status(info);
}

/* Iterate until the violation is below CLOSED, or until it no longer halves. The violation is then
 * round-off, or the residual of inconsistent redundant rows. */
static int close_positions(struct lk_complement *c, double t, double *q, const double *v)
{
    double before = INFINITY;

    for (int i = 0; i < ROUNDS_MAX; i++) {
        double open;
        int r;

        evaluate_state(c, t, q, v);
        lk_mechanics_violation(c->g.mechanics, c->u);
        open = largest(c->u, c->g.mechanics->n_rows);
        if (open < CLOSED || (open < NEARLY && open > 0.5 * before))
            return 0;
        before = open;
        r = shortest_change(c, c->u, c->v);
        if (r == 0)
            r = lk_coordinates_move(c->orientation, c->g.mechanics->n_bodies, q, c->v, q);
        if (r != 0)
            return r;
    }
    return LK_E_STALLED;
}

int lk_complement_newton(struct lk_complement *c, double t, double *q, double *v, int velocities)
{
    int r = close_positions(c, t, q, v);

    if (r != 0 || !velocities)
        return r;
    lk_mechanics_rates(c->g.mechanics, c->u);
    r = shortest_change(c, c->u, c->v);
    for (int i = 0; i < c->g.mechanics->n_velocities && r == 0; i++)
        v[i] += c->v[i];
    return r;
}
