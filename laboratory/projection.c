/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/projection.h"
#include <math.h>

#define STEPS_MAX 20

static double largest(const double *x, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= ret))
            ret = fabs(x[i]);
    return ret;
}

/* Iterations stop when the violation no longer halves. The violation is then round-off, or the
 * residual of inconsistent redundant rows. */
int lk_projection_positions(struct lk_kkt *kkt, enum lk_orientation orientation, double t,
                            double *q, const double *v, double *move, double *phi)
{
    struct lk_mechanics *mechanics = kkt->mechanics;
    double before = INFINITY;
    int r = 0;

    lk_coordinates_write(mechanics, orientation, q, v);
    lk_mechanics_evaluate(mechanics, t);
    if (kkt->m == 0)
        return 0;
    r = lk_kkt_factor(kkt);
    for (int i = 0; i < STEPS_MAX && r == 0; i++) {
        double size;

        lk_mechanics_violation(mechanics, phi);
        size = largest(phi, kkt->m);
        if (!isfinite(size))
            return LK_E_NOT_FINITE;
        if (size == 0 || size > 0.5 * before)
            return 0;
        before = size;
        for (int k = 0; k < kkt->m; k++)
            phi[k] = -phi[k];
        lk_kkt_solve(kkt, NULL, phi, move, NULL);
        r = lk_coordinates_move(orientation, mechanics->n_bodies, q, move, q);
        lk_coordinates_write(mechanics, orientation, q, v);
        lk_mechanics_evaluate(mechanics, t);
    }
    return r;
}

int lk_projection_velocities(struct lk_kkt *kkt, double decay, double *v, double *change,
                             double *phi)
{
    int r = lk_kkt_factor(kkt);

    if (r != 0 || kkt->m == 0)
        return r;
    lk_mechanics_violation(kkt->mechanics, phi);
    for (int i = 0; i < kkt->m; i++)
        phi[i] *= -decay;
    lk_mechanics_rates(kkt->mechanics, kkt->c);
    for (int i = 0; i < kkt->m; i++)
        phi[i] -= kkt->c[i];
    lk_kkt_solve(kkt, NULL, phi, change, NULL);
    for (int i = 0; i < kkt->n; i++)
        v[i] += change[i];
    return 0;
}
