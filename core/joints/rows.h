/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of constraint row that joints are made of. P is the joint's point on either body,
 * d = P0 - P1, and u, n are unit vectors fixed to a body.
 *
 *   point     d = 0                      3 rows [m], world axes
 *   square    u (on 0) . v (on 1) = 0    1 row [rad], the two directions stay at a right angle
 *   sliding   n (on 0) . d = 0           1 row [m], the point of 1 stays in a plane of 0
 *
 * For each: value, Phi_q^T lambda ("load"), Jacobian row, and gamma, the second time derivative
 * with all accelerations zero. With R -> R exp(dtheta): d(R u) = R (dtheta x u), so v . d(R u) =
 * dtheta . (u x R^T v); and the second derivative of a body-fixed vector p is R (w x (w x p)). */
#ifndef LK_JOINTS_ROWS_H
#define LK_JOINTS_ROWS_H

#include "joints/joint.h"
#include "maths/vec.h"

/* P0 - P1 [m], world */
LK_INLINE void lk_rows_gap(const struct lk_joint *j, const struct lk_pose *const pose[2],
                           double d[3])
{
    double r0[3], r1[3];

    lk_rotate(pose[0]->R, j->p[0], r0);
    lk_rotate(pose[1]->R, j->p[1], r1);
    for (int i = 0; i < 3; i++)
        d[i] = (pose[0]->x[i] - pose[1]->x[i]) + (r0[i] - r1[i]);
}

/* dd/dt [m/s], world */
LK_INLINE void lk_rows_gap_rate(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                const struct lk_twist *const twist[2], double d[3])
{
    double wp[3], r0[3], r1[3];

    lk_cross(twist[0]->w, j->p[0], wp);
    lk_rotate(pose[0]->R, wp, r0);
    lk_cross(twist[1]->w, j->p[1], wp);
    lk_rotate(pose[1]->R, wp, r1);
    for (int i = 0; i < 3; i++)
        d[i] = (twist[0]->v[i] - twist[1]->v[i]) + (r0[i] - r1[i]);
}

/* gamma of the point rows [m/s^2], world */
LK_INLINE void lk_rows_gap_gamma(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                 const struct lk_twist *const twist[2], double d[3])
{
    double wwp[3], r0[3], r1[3];

    lk_cross_twice(twist[0]->w, j->p[0], wwp);
    lk_rotate(pose[0]->R, wwp, r0);
    lk_cross_twice(twist[1]->w, j->p[1], wwp);
    lk_rotate(pose[1]->R, wwp, r1);
    lk_sub(r0, r1, d);
}

LK_INLINE void lk_rows_point_load(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                  const double lambda[3], struct lk_twist *const sum[2])
{
    double l0[3], l1[3], t0[3], t1[3];

    lk_rotate_back(pose[0]->R, lambda, l0);
    lk_rotate_back(pose[1]->R, lambda, l1);
    lk_cross(j->p[0], l0, t0);
    lk_cross(j->p[1], l1, t1);
    for (int i = 0; i < 3; i++) {
        sum[0]->v[i] += lambda[i];
        sum[0]->w[i] += t0[i];
        sum[1]->v[i] -= lambda[i];
        sum[1]->w[i] -= t1[i];
    }
}

/* the d/dtheta part, -sign R p~, of three point rows of one side */
LK_INLINE void lk_rows_point_jacobian_side(const double R[9], const double p[3], double sign,
                                           double *turn, int pad)
{
    for (int i = 0; i < 3; i++) {
        const double *r = R + 3 * i; /* row i of R is R^T e_i: world axis i in body axes */

        turn[i] = sign * (p[1] * r[2] - p[2] * r[1]);
        turn[pad + i] = sign * (p[2] * r[0] - p[0] * r[2]);
        turn[2 * pad + i] = sign * (p[0] * r[1] - p[1] * r[0]);
    }
}

/* rows 0 to 2 of a joint with is_point */
LK_INLINE void lk_rows_point_jacobian(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                      struct lk_jacobian ret)
{
    for (int s = 0; s < 2; s++)
        lk_rows_point_jacobian_side(pose[s]->R, j->p[s], lk_jacobian_sign(s),
                                    lk_jacobian_turn(ret, s), ret.pad);
}

LK_INLINE double lk_rows_square(const struct lk_pose *const pose[2], const double u[3],
                                const double v[3])
{
    double uw[3], vw[3];

    lk_rotate(pose[0]->R, u, uw);
    lk_rotate(pose[1]->R, v, vw);
    return lk_dot(uw, vw);
}

/* the two torque directions u x R0^T R1 v (body 0) and v x R1^T R0 u (body 1) */
LK_INLINE void lk_rows_square_directions(const struct lk_pose *const pose[2], const double u[3],
                                         const double v[3], double t0[3], double t1[3])
{
    double uw[3], vw[3], in0[3], in1[3];

    lk_rotate(pose[0]->R, u, uw);
    lk_rotate(pose[1]->R, v, vw);
    lk_rotate_back(pose[0]->R, vw, in0);
    lk_rotate_back(pose[1]->R, uw, in1);
    lk_cross(u, in0, t0);
    lk_cross(v, in1, t1);
}

LK_INLINE void lk_rows_square_load(const struct lk_pose *const pose[2], const double u[3],
                                   const double v[3], double lambda, struct lk_twist *const sum[2])
{
    double t0[3], t1[3];

    lk_rows_square_directions(pose, u, v, t0, t1);
    for (int i = 0; i < 3; i++) {
        sum[0]->w[i] += lambda * t0[i];
        sum[1]->w[i] += lambda * t1[i];
    }
}

LK_INLINE void lk_rows_square_jacobian(const struct lk_pose *const pose[2], const double u[3],
                                       const double v[3], int row, struct lk_jacobian ret)
{
    double J[2][6] = {{0}};

    lk_rows_square_directions(pose, u, v, J[0] + 3, J[1] + 3);
    for (int s = 0; s < 2; s++)
        lk_jacobian_set_row(ret, s, row, J[s]);
}

LK_INLINE double lk_rows_square_gamma(const struct lk_pose *const pose[2],
                                      const struct lk_twist *const twist[2], const double u[3],
                                      const double v[3])
{
    double tmp[3], uw[3], vw[3], du[3], dv[3], ddu[3], ddv[3];

    lk_rotate(pose[0]->R, u, uw);
    lk_rotate(pose[1]->R, v, vw);
    lk_cross(twist[0]->w, u, tmp);
    lk_rotate(pose[0]->R, tmp, du);
    lk_cross(twist[1]->w, v, tmp);
    lk_rotate(pose[1]->R, tmp, dv);
    lk_cross_twice(twist[0]->w, u, tmp);
    lk_rotate(pose[0]->R, tmp, ddu);
    lk_cross_twice(twist[1]->w, v, tmp);
    lk_rotate(pose[1]->R, tmp, ddv);
    return lk_dot(ddu, vw) + 2 * lk_dot(du, dv) + lk_dot(uw, ddv);
}

LK_INLINE double lk_rows_sliding(const struct lk_pose *const pose[2], const double n[3],
                                 const double d[3])
{
    double nw[3];

    lk_rotate(pose[0]->R, n, nw);
    return lk_dot(nw, d);
}

/* Jacobian of n . d: [n, n x R0^T d + p0 x n] and -[n, p1 x R1^T n] */
LK_INLINE void lk_rows_sliding_jacobian(const struct lk_joint *j,
                                        const struct lk_pose *const pose[2], const double n[3],
                                        const double d[3], double J0[6], double J1[6])
{
    double in0[3], in1[3], turn[3], lever[3];

    lk_rotate(pose[0]->R, n, J0);
    lk_rotate_back(pose[0]->R, d, in0);
    lk_cross(n, in0, turn);
    lk_cross(j->p[0], n, lever);
    lk_rotate_back(pose[1]->R, J0, in1);
    lk_cross(j->p[1], in1, J1 + 3);
    for (int i = 0; i < 3; i++) {
        J0[3 + i] = turn[i] + lever[i];
        J1[i] = -J0[i];
        J1[3 + i] = -J1[3 + i];
    }
}

LK_INLINE void lk_rows_sliding_load(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                    const double n[3], const double d[3], double lambda,
                                    struct lk_twist *const sum[2])
{
    double J0[6], J1[6];

    lk_rows_sliding_jacobian(j, pose, n, d, J0, J1);
    for (int i = 0; i < 3; i++) {
        sum[0]->v[i] += lambda * J0[i];
        sum[0]->w[i] += lambda * J0[3 + i];
        sum[1]->v[i] += lambda * J1[i];
        sum[1]->w[i] += lambda * J1[3 + i];
    }
}

/* @d, @rate, @gamma: of the gap, see lk_rows_gap*() */
LK_INLINE double lk_rows_sliding_gamma(const struct lk_pose *const pose[2],
                                       const struct lk_twist *const twist[2], const double n[3],
                                       const double d[3], const double rate[3],
                                       const double gamma[3])
{
    double tmp[3], nw[3], dn[3], ddn[3];

    lk_rotate(pose[0]->R, n, nw);
    lk_cross(twist[0]->w, n, tmp);
    lk_rotate(pose[0]->R, tmp, dn);
    lk_cross_twice(twist[0]->w, n, tmp);
    lk_rotate(pose[0]->R, tmp, ddn);
    return lk_dot(ddn, d) + 2 * lk_dot(dn, rate) + lk_dot(nw, gamma);
}

#endif
