/* SPDX-License-Identifier: Apache-2.0 */
/* A body in seven coordinates q = (x, p), where p are the four Euler parameters, within a step of
 * euler.c. All functions are real-time safe; the cycle calls them. Equation numbers are those of
 * the index-3 DCA paper. */
#ifndef LK_METHODS_EULER_BODY_H
#define LK_METHODS_EULER_BODY_H

#include "maths/vec.h"
#include "methods/delta.h"
#include "step/mechanism.h"
#include "step/state.h"
#include "step/system.h"

#define LK_EULER_Q LK_DELTA_Q
#define LK_EULER_P 4 /* index of p in the eight stored coordinates */

/** struct lk_euler_along - components along p of q, q' and q'', and the multiplier of the
 * normalisation p.p = 1. A pose with six velocities and six accelerations does not determine these
 * four numbers. The variant `as-printed` stores them in lk_state.own.
 * @norm:         |p|
 * @rate:         p.p' / p.p
 * @acceleration: p.p'' / p.p
 * @mu:           multiplier of the normalisation */
struct lk_euler_along {
    double norm;
    double rate;
    double acceleration;
    double mu;
};

/** struct lk_euler_body - a body within a step.
 * @old:                q, q', q'' at the start of the step
 * @u:                  q - q_old
 * @q, @v, @a:          q, q', q''
 * @g:                  residual of eq. (12)
 * @p:                  Euler parameters at which the matrix was factored
 * @pp:                 p.p
 * @mu:                 multiplier of the normalisation
 * @soft:               1/alpha of the normalisation
 * @increment:          largest increment of the last iteration [m or rad]
 * @start_a, @massless: see struct lk_quad */
struct lk_euler_body {
    double old[3][LK_EULER_Q];
    double u[LK_EULER_Q];
    double q[LK_EULER_Q];
    double v[LK_EULER_Q];
    double a[LK_EULER_Q];
    double g[LK_EULER_Q];
    double p[4];
    double pp;
    double mu;
    double soft;
    double increment;
    double start_a[2];
    double massless[2];
};

LK_INLINE double lk_euler_inner(const double a[4], const double b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/** lk_euler_turn_to_rate() - compute @ret = @scale G^T @w = @scale p o (0, w), where o is the
 * quaternion product and G is the matrix of the paper for @p. */
LK_INLINE void lk_euler_turn_to_rate(const double p[4], double scale, const double w[3],
                                     double ret[4])
{
    const double pure[4] = {0, w[0], w[1], w[2]};

    lk_quat_mul(p, pure, ret);
    for (int i = 0; i < 4; i++)
        ret[i] *= scale;
}

/** lk_euler_rate_to_turn() - compute @ret_w = @scale G @y, the vector part of @scale conj(p) o
 * y. */
LK_INLINE void lk_euler_rate_to_turn(const double p[4], double scale, const double y[4],
                                     double ret_w[3])
{
    const double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    double r[4];

    lk_quat_mul(conjugate, y, r);
    for (int i = 0; i < 3; i++)
        ret_w[i] = scale * r[i + 1];
}

/** lk_euler_twist() - convert a rate of @q to the six velocities that ali3.c uses: w = 2 G p' /
 * p.p. */
LK_RT struct lk_twist lk_euler_twist(const double q[LK_EULER_Q], const double rate[LK_EULER_Q]);

/** lk_euler_along_motion() - return the components along p if |p| = 1 at all times: p.p' = 0, p.p''
 * = -p'.p', and mu = w.J w. */
LK_RT struct lk_euler_along lk_euler_along_motion(const struct lk_motion *motion,
                                                  const struct lk_body *constants);

/** lk_euler_along_body() - return the components along p of the coordinates of @body. */
LK_RT struct lk_euler_along lk_euler_along_body(const struct lk_euler_body *body);

/** lk_euler_load() - set q_old, q'_old, q''_old and mu.
 * @a: accelerations; they differ from the accelerations in @motion after a jump of an input */
LK_RT void lk_euler_load(const struct lk_motion *motion, const struct lk_twist *a,
                         const struct lk_euler_along *along, struct lk_euler_body *body);

/** lk_euler_trapezoidal() - compute q, q', q'' from u with the trapezoidal rule, eqs. (15), (16).
 * Bodies without inertia use a different rule, see ali3.c. */
LK_RT void lk_euler_trapezoidal(double h, struct lk_euler_body *body);

/** lk_euler_residual() - compute g of eq. (12).
 * @sum:   Phi_q^T lambda - Q in the six directions of ali3.c
 * @along: component of Phi_q^T lambda along p, as a multiple of p */
LK_RT void lk_euler_residual(const struct lk_body *constants, const struct lk_twist *sum,
                             double along, struct lk_euler_body *body);

/** lk_euler_delta() - compute @delta = -s (M + s Psi_q^T alpha Psi_q)^-1, eq. (26), at the present
 * p, and store this p in @body.
 * @sW: s times the inverse mass */
LK_RT void lk_euler_delta(const struct lk_inverse_mass *sW, struct lk_euler_body *body,
                          double *delta);

/** lk_euler_bias() - compute delta_i3 of eq. (27) with the sign corrected: delta g - p Psi / (2
 * p.p). alpha cancels in the last term. */
LK_RT void lk_euler_bias(const double *delta, const struct lk_euler_body *body, double *bias);

/** lk_euler_predict() - predict u = h q' + h^2/2 q''. The angular acceleration of light bodies is
 * omitted, see ali3.c.
 * Return: square of the angle by which the body would turn [rad^2]. */
LK_RT double lk_euler_predict(double h, struct lk_euler_body *body);

#endif
