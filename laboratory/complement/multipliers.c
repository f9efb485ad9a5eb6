/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/complement/complement.h"
#include "maths/vec.h"

#include <lapacke.h>
#include <string.h>

/* Compute Q - M v', six numbers per body. */
static void remainder_of(const struct lk_complement *c, double *ret)
{
    for (int i = 0; i < c->g.mechanics->n_bodies; i++) {
        const struct lk_body *body = &c->g.mechanics->system->body[i];
        double torque[3];

        lk_sym_mul(body->inertia, &c->a[6 * i + 3], torque);
        for (int k = 0; k < 3; k++) {
            ret[6 * i + k] = c->g.forces[i].v[k] - body->mass * c->a[6 * i + k];
            ret[6 * i + 3 + k] = c->g.forces[i].w[k] - torque[k];
        }
    }
}

/* Compute the multipliers from Phi_q^T = W L V^T: lambda = V L^+ W^T (Q - M v'), with the r
 * largest singular values. */
int lk_complement_multipliers(struct lk_complement *c, double *ret)
{
    struct lk_mechanics *mechanics = c->g.mechanics;
    int width = mechanics->n_velocities, n = mechanics->n_rows, r = c->r - (c->g.m - n), info;
    int least = width < n ? width : n;

    memset(ret, 0, (size_t)n * sizeof(double));
    if (r <= 0)
        return 0;
    remainder_of(c, c->u);
    memcpy(c->A, c->g.plain, (size_t)width * (size_t)n * sizeof(double));
    info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', width, n, c->A, width, c->v, c->B, width,
                          c->C, least, c->tau);
    for (int k = 0; k < r && info == 0; k++) {
        const double *W = &c->B[(size_t)k * (size_t)width];
        double part = 0;

        for (int i = 0; i < width; i++)
            part += W[i] * c->u[i];
        for (int i = 0; i < n && c->v[k] > 0; i++)
            ret[i] += c->C[(size_t)i * (size_t)least + (size_t)k] * part / c->v[k];
    }
    return lk_complement_status(info);
}
