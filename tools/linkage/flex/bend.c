/* SPDX-License-Identifier: Apache-2.0 */
/* Quadratic displacement field of a beam.
 *
 * The modal coordinates q are strain coordinates: the local deformations d_e of element e are
 * exactly D_e S q, so that its energy is exactly quadratic in q. The nodes follow by composition of
 * rigid motions, see core/rows/bushing.c for the definition of d:
 *
 *   x_b = x_a + R_a (p - X_a) + R_a Q d_t + R_b (X_b - p),   R_b = R_a exp(Q d_r)
 *
 * with the positions X of the undeformed nodes, the middle p of the element and its axes Q. The
 * first node moves by S q. With R = exp(theta) and theta = sum P_k q_k + 1/2 sum theta_kl q_k q_l,
 * the second derivatives with respect to q_k and q_l are
 *
 *   theta_b = theta_a + 1/2 (P_a,k x phi_l + P_a,l x phi_k),                     phi = Q d_r
 *   R v:      theta_kl x v + 1/2 (P_k x (P_l x v) + P_l x (P_k x v))
 *   R Q d_t:  P_a,k x tau_l + P_a,l x tau_k,                                     tau = Q d_t
 *
 * A rigid motion c + g x u0 of second order is added so that the centre of mass remains at the
 * origin of the frame and the angular momentum of the modes has no part that is symmetric in k and
 * l: sum m u = 0, sum m u0 x u + J theta + 1/2 (P_k x J P_l + P_l x J P_k) = 0. */
#include "flex.h"
#include "maths/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct chain - data of all pairs. @phi, @tau: 3 for each element of each mode */
struct chain {
    const struct flex_beam *beam;
    const struct flex_mass *mass;
    const struct flex_modes *modes;
    double *phi;
    double *tau;
};

static const double *shape_of(const struct chain *c, int k, int node)
{
    return c->modes->shape + 6 * ((size_t)k * (size_t)c->beam->n + (size_t)node);
}

/* Compute the deformations of all elements in the axes of the file. */
static void deform(struct chain *c, int n_modes)
{
    for (int k = 0; k < n_modes; k++)
        for (int e = 0; e < c->beam->n - 1; e++) {
            size_t at = 3 * ((size_t)k * (size_t)c->beam->n + (size_t)e);
            double d[6];

            flex_element_strain(c->beam, c->mass, e, shape_of(c, k, 0), d);
            lk_rotate(c->beam->element[e].axes, d, c->tau + at);
            lk_rotate(c->beam->element[e].axes, d + 3, c->phi + at);
        }
}

/* Add @scale (a x b + c x d). */
static void add_crosses(double scale, const double a[3], const double b[3], const double c[3],
                        const double d[3], double ret[3])
{
    double ab[3], cd[3];

    lk_cross(a, b, ab);
    lk_cross(c, d, cd);
    for (int i = 0; i < 3; i++)
        ret[i] += scale * (ab[i] + cd[i]);
}

/* Add the second derivative of R v. */
static void add_turned(const double theta[3], const double P_k[3], const double P_l[3],
                       const double v[3], double ret[3])
{
    double kv[3], lv[3], turn[3];

    lk_cross(theta, v, turn);
    lk_cross(P_k, v, kv);
    lk_cross(P_l, v, lv);
    add_crosses(0.5, P_k, lv, P_l, kv, ret);
    for (int i = 0; i < 3; i++)
        ret[i] += turn[i];
}

/* Compute the second derivatives of node @e + 1 from those of node @e. */
static void step(const struct chain *c, int k, int l, int e, const double *a, double *b)
{
    const double *P_k = shape_of(c, k, e) + 3, *P_l = shape_of(c, l, e) + 3;
    const double *p = c->beam->element[e].point, *X = c->mass->position + 3 * (size_t)e;
    size_t at_k = 3 * ((size_t)k * (size_t)c->beam->n + (size_t)e);
    size_t at_l = 3 * ((size_t)l * (size_t)c->beam->n + (size_t)e);
    double arm[3];

    memcpy(b, a, 6 * sizeof(*b));
    add_crosses(0.5, P_k, c->phi + at_l, P_l, c->phi + at_k, b + 3);
    lk_sub(p, X, arm);
    add_turned(a + 3, P_k, P_l, arm, b);
    add_crosses(1, P_k, c->tau + at_l, P_l, c->tau + at_k, b);
    lk_sub(X + 3, p, arm);
    add_turned(b + 3, shape_of(c, k, e + 1) + 3, shape_of(c, l, e + 1) + 3, arm, b);
}

/* Sum momentum and angular momentum of the field @u, with the symmetric rotary part. */
static void sum_up(const struct chain *c, int k, int l, const double *u, double ret_sum[3],
                   double ret_moment[3])
{
    memset(ret_sum, 0, 3 * sizeof(*ret_sum));
    memset(ret_moment, 0, 3 * sizeof(*ret_moment));
    for (int i = 0; i < c->beam->n; i++) {
        const double *J = c->mass->inertia + 6 * (size_t)i, *v = u + 6 * (size_t)i;
        const double *P_k = shape_of(c, k, i) + 3, *P_l = shape_of(c, l, i) + 3;
        double m = c->mass->value[i], arm[3], turn[3], JP_k[3], JP_l[3];

        lk_sub(c->mass->position + 3 * (size_t)i, c->mass->center, arm);
        lk_cross(arm, v, turn);
        for (int r = 0; r < 3; r++) {
            ret_sum[r] += m * v[r];
            ret_moment[r] += m * turn[r];
        }
        lk_sym_mul(J, v + 3, turn);
        for (int r = 0; r < 3; r++)
            ret_moment[r] += turn[r];
        lk_sym_mul(J, P_k, JP_k);
        lk_sym_mul(J, P_l, JP_l);
        add_crosses(0.5, P_k, JP_l, P_l, JP_k, ret_moment);
    }
}

/* Subtract the rigid motion of second order. */
static void center(const struct chain *c, int k, int l, double *u)
{
    double sum[3], moment[3], inverse[6], turn[3];

    sum_up(c, k, l, u, sum, moment);
    lk_sym_inverse(c->mass->tensor, inverse);
    lk_sym_mul(inverse, moment, turn);
    for (int i = 0; i < c->beam->n; i++) {
        double arm[3], shift[3];

        lk_sub(c->mass->position + 3 * (size_t)i, c->mass->center, arm);
        lk_cross(turn, arm, shift);
        for (int r = 0; r < 3; r++) {
            u[6 * i + r] -= sum[r] / c->mass->mass + shift[r];
            u[6 * i + 3 + r] -= turn[r];
        }
    }
}

int flex_bend(const struct flex_beam *beam, const struct flex_mass *mass,
              const struct flex_modes *modes, struct flex_pairs *pairs)
{
    size_t n = (size_t)beam->n, m = (size_t)pairs->n;
    struct chain c = {beam, mass, modes, calloc(3 * n * m + 1, sizeof(double)),
                      calloc(3 * n * m + 1, sizeof(double))};
    double *bend = calloc(6 * n * m * (m + 1) / 2 + 1, sizeof(*bend));
    int result = c.phi != NULL && c.tau != NULL && bend != NULL ? 0 : -ENOMEM;

    if (result == 0)
        deform(&c, pairs->n);
    for (int l = 0; l < pairs->n && result == 0; l++)
        for (int k = 0; k <= l; k++) {
            double *u = bend + 6 * n * flex_pair(k, l);

            for (int e = 0; e < beam->n - 1; e++)
                step(&c, k, l, e, u + 6 * e, u + 6 * e + 6);
            center(&c, k, l, u);
        }
    free(c.phi);
    free(c.tau);
    if (result == 0)
        pairs->bend = bend;
    else
        free(bend);
    return result;
}
