/* SPDX-License-Identifier: Apache-2.0 */
/* The three primitive constraints of joints. P is the joint's point on either body, d = P0 - P1,
 * and u, v, n are unit vectors fixed to a body.
 *
 *   point     d = 0                      3 rows [m] (2 for a pin), world axes; Haug: spherical
 *   square    u (on 0) . v (on 1) = 0    1 row [rad], the two directions stay orthogonal; dot-1
 *   sliding   n (on 0) . d = 0           1 row [m], the point of 1 stays in a plane of 0; dot-2
 *
 * Each primitive has functions for its value, Phi_q^T lambda ("load"), Jacobian row, and gamma, the
 * second time derivative with all accelerations zero. With R -> R exp(dtheta): d(R u) = R (dtheta x
 * u), so v . d(R u) = dtheta . (u x R^T v); and the second derivative of a body-fixed vector p is R
 * (w x (w x p)). For a square, the second derivative is, with u, v and the angular velocities a, b
 * of its sides in world axes,
 *
 *     d^2(u . v)/dt^2 = ((a - b) . u) (a . v) - ((a - b) . v) (b . u) - |a - b|^2 u . v
 *
 * because d(u . v)/dt = (a - b) . (u x v). In this form no large terms cancel if both sides spin at
 * the same rate. */
#ifndef LK_ROWS_ROWS_H
#define LK_ROWS_ROWS_H

#include "maths/vec.h"
#include "rows/joint.h"

/* Set gamma to 0, for rows that are always compliant. The projection of accelerations does not use
 * such rows. */
LK_INLINE void lk_rows_no_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                const struct lk_twist *const *twist, double *ret)
{
    (void)pose;
    (void)twist;
    for (int r = 0; r < j->n_rows; r++)
        ret[r] = 0;
}

/* Compute the gap d = P0 - P1 [m], world. */
LK_INLINE void lk_rows_gap(const struct lk_joint *j, const struct lk_pose *const *pose, double d[3])
{
    double r0[3], r1[3];

    lk_rotate(pose[0]->R, j->p[0], r0);
    lk_rotate(pose[1]->R, j->p[1], r1);
    for (int i = 0; i < 3; i++)
        d[i] = (pose[0]->x[i] - pose[1]->x[i]) + (r0[i] - r1[i]);
}

/* Compute the rate dd/dt of the gap [m/s], world. */
LK_INLINE void lk_rows_gap_rate(const struct lk_joint *j, const struct lk_pose *const *pose,
                                const struct lk_twist *const *twist, double d[3])
{
    double wp[3], r0[3], r1[3];

    lk_cross(twist[0]->w, j->p[0], wp);
    lk_rotate(pose[0]->R, wp, r0);
    lk_cross(twist[1]->w, j->p[1], wp);
    lk_rotate(pose[1]->R, wp, r1);
    for (int i = 0; i < 3; i++)
        d[i] = (twist[0]->v[i] - twist[1]->v[i]) + (r0[i] - r1[i]);
}

/* Compute gamma of the point rows [m/s^2], world. */
LK_INLINE void lk_rows_gap_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                 const struct lk_twist *const *twist, double d[3])
{
    double wwp[3], r0[3], r1[3];

    lk_cross_twice(twist[0]->w, j->p[0], wwp);
    lk_rotate(pose[0]->R, wwp, r0);
    lk_cross_twice(twist[1]->w, j->p[1], wwp);
    lk_rotate(pose[1]->R, wwp, r1);
    lk_sub(r0, r1, d);
}

LK_INLINE void lk_rows_point_load(const struct lk_joint *j, const struct lk_pose *const *pose,
                                  const double lambda[3], struct lk_twist *const *sum)
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

/* compute the d/dtheta part, -sign R p~, of @n point rows of one side */
LK_INLINE void lk_rows_point_jacobian_side(const double R[9], const double p[3], double sign,
                                           int first, int n, double *turn, int pad)
{
    for (int i = 0; i < n; i++) {
        /* row k of R is R^T e_k: world axis k in body axes */
        const double *r = R + 3 * lk_point_axis(first, i);

        turn[i] = sign * (p[1] * r[2] - p[2] * r[1]);
        turn[pad + i] = sign * (p[2] * r[0] - p[0] * r[2]);
        turn[2 * pad + i] = sign * (p[0] * r[1] - p[1] * r[0]);
    }
}

/* Compute the Jacobian of the @n point rows of a joint; the first row is along world axis @first.
 */
LK_INLINE void lk_rows_point_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                      int first, int n, struct lk_jacobian ret)
{
    for (int s = 0; s < 2; s++)
        lk_rows_point_jacobian_side(pose[s]->R, j->p[s], lk_jacobian_sign(s), first, n,
                                    lk_jacobian_turn(ret, s), ret.pad);
}

LK_INLINE double lk_rows_square(const struct lk_pose *const *pose, const double u[3],
                                const double v[3])
{
    double uw[3], vw[3];

    lk_rotate(pose[0]->R, u, uw);
    lk_rotate(pose[1]->R, v, vw);
    return lk_dot(uw, vw);
}

/* compute the two torque directions u x R0^T R1 v (body 0) and v x R1^T R0 u (body 1) */
LK_INLINE void lk_rows_square_directions(const struct lk_pose *const *pose, const double u[3],
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

LK_INLINE void lk_rows_square_load(const struct lk_pose *const *pose, const double u[3],
                                   const double v[3], double lambda, struct lk_twist *const *sum)
{
    double t0[3], t1[3];

    lk_rows_square_directions(pose, u, v, t0, t1);
    for (int i = 0; i < 3; i++) {
        sum[0]->w[i] += lambda * t0[i];
        sum[1]->w[i] += lambda * t1[i];
    }
}

LK_INLINE void lk_rows_square_jacobian(const struct lk_pose *const *pose, const double u[3],
                                       const double v[3], int row, struct lk_jacobian ret)
{
    double J[2][6] = {{0}};

    lk_rows_square_directions(pose, u, v, J[0] + 3, J[1] + 3);
    for (int s = 0; s < 2; s++)
        lk_jacobian_set_row(ret, s, row, J[s]);
}

LK_INLINE double lk_rows_square_gamma(const struct lk_pose *const *pose,
                                      const struct lk_twist *const *twist, const double u[3],
                                      const double v[3])
{
    double uw[3], vw[3], a[3], b[3], ab[3];

    lk_rotate(pose[0]->R, u, uw);
    lk_rotate(pose[1]->R, v, vw);
    lk_rotate(pose[0]->R, twist[0]->w, a);
    lk_rotate(pose[1]->R, twist[1]->w, b);
    lk_sub(a, b, ab);
    return lk_dot(ab, uw) * lk_dot(a, vw) - lk_dot(ab, vw) * lk_dot(b, uw) -
           lk_dot(ab, ab) * lk_dot(uw, vw);
}

LK_INLINE double lk_rows_sliding(const struct lk_pose *const *pose, const double n[3],
                                 const double d[3])
{
    double nw[3];

    lk_rotate(pose[0]->R, n, nw);
    return lk_dot(nw, d);
}

/* compute the Jacobian of n . d: [n, n x R0^T d + p0 x n] and -[n, p1 x R1^T n] */
LK_INLINE void lk_rows_sliding_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                        const double n[3], const double d[3], double J0[6],
                                        double J1[6])
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

LK_INLINE void lk_rows_sliding_load(const struct lk_joint *j, const struct lk_pose *const *pose,
                                    const double n[3], const double d[3], double lambda,
                                    struct lk_twist *const *sum)
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

/* Compute gamma of a sliding row. @d, @rate, @gamma: value, rate and gamma of the gap, see
 * lk_rows_gap*() */
LK_INLINE double lk_rows_sliding_gamma(const struct lk_pose *const *pose,
                                       const struct lk_twist *const *twist, const double n[3],
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

/* ---- rows and coordinates that several joint types share ---- */

/* Compute the rate of a square row. */
LK_INLINE double lk_rows_square_rate(const struct lk_pose *const *pose,
                                     const struct lk_twist *const *twist, const double u[3],
                                     const double v[3])
{
    double t0[3], t1[3];

    lk_rows_square_directions(pose, u, v, t0, t1);
    return lk_dot(t0, twist[0]->w) + lk_dot(t1, twist[1]->w);
}

/* Compute two square rows that keep the axes parallel: the axis of side 0 is perpendicular to
 * f[1][0] and f[1][1]. */
LK_INLINE void lk_rows_parallel(const struct lk_joint *j, const struct lk_pose *const *pose,
                                double *phi)
{
    phi[0] = lk_rows_square(pose, j->f[0][2], j->f[1][0]);
    phi[1] = lk_rows_square(pose, j->f[0][2], j->f[1][1]);
}

LK_INLINE void lk_rows_parallel_load(const struct lk_joint *j, const struct lk_pose *const *pose,
                                     const double *lambda, struct lk_twist *const *sum)
{
    lk_rows_square_load(pose, j->f[0][2], j->f[1][0], lambda[0], sum);
    lk_rows_square_load(pose, j->f[0][2], j->f[1][1], lambda[1], sum);
}

LK_INLINE void lk_rows_parallel_jacobian(const struct lk_joint *j,
                                         const struct lk_pose *const *pose, int row,
                                         struct lk_jacobian ret)
{
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][0], row, ret);
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][1], row + 1, ret);
}

LK_INLINE void lk_rows_parallel_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                      const struct lk_twist *const *twist, double *ret)
{
    ret[0] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][0]);
    ret[1] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][1]);
}

/* Compute @n sliding rows, along f[0][first] and the directions after it. */
LK_INLINE void lk_rows_slides(const struct lk_joint *j, const struct lk_pose *const *pose,
                              int first, int n, double *phi)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    for (int i = 0; i < n; i++)
        phi[i] = lk_rows_sliding(pose, j->f[0][first + i], d);
}

LK_INLINE void lk_rows_slides_load(const struct lk_joint *j, const struct lk_pose *const *pose,
                                   int first, int n, const double *lambda,
                                   struct lk_twist *const *sum)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    for (int i = 0; i < n; i++)
        lk_rows_sliding_load(j, pose, j->f[0][first + i], d, lambda[i], sum);
}

LK_INLINE void lk_rows_slides_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                       int first, int n, int row, struct lk_jacobian ret)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    for (int i = 0; i < n; i++) {
        double J[2][6];

        lk_rows_sliding_jacobian(j, pose, j->f[0][first + i], d, J[0], J[1]);
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, row + i, J[s]);
    }
}

LK_INLINE void lk_rows_slides_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                    const struct lk_twist *const *twist, int first, int n,
                                    double *ret)
{
    double d[3], rate[3], gamma[3];

    lk_rows_gap(j, pose, d);
    lk_rows_gap_rate(j, pose, twist, rate);
    lk_rows_gap_gamma(j, pose, twist, gamma);
    for (int i = 0; i < n; i++)
        ret[i] = lk_rows_sliding_gamma(pose, twist, j->f[0][first + i], d, rate, gamma);
}

/* return the travel of the point of side 1 along f[0][k]: -f[0][k] . d, because d = P0 - P1 */
LK_INLINE double lk_rows_travel(const struct lk_joint *j, const struct lk_pose *const *pose, int k)
{
    double slide;

    lk_rows_slides(j, pose, k, 1, &slide);
    return -slide;
}

LK_INLINE void lk_rows_travel_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                       int k, double J[2][6])
{
    double d[3];

    lk_rows_gap(j, pose, d);
    lk_rows_sliding_jacobian(j, pose, j->f[0][k], d, J[0], J[1]);
    for (int i = 0; i < 6; i++) {
        J[0][i] = -J[0][i];
        J[1][i] = -J[1][i];
    }
}

LK_INLINE double lk_rows_travel_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                      const struct lk_twist *const *twist, int k)
{
    double slide;

    lk_rows_slides_gamma(j, pose, twist, k, 1, &slide);
    return -slide;
}

/* return the angle of side 1 relative to side 0 about the axis, in (-pi, pi]: the angle of
 * f[1][0] in the frame f[0] */
LK_INLINE double lk_rows_angle(const struct lk_joint *j, const struct lk_pose *const *pose)
{
    return atan2(lk_rows_square(pose, j->f[0][1], j->f[1][0]),
                 lk_rows_square(pose, j->f[0][0], j->f[1][0]));
}

/* Compute the Jacobian of the angle for parallel axes; in this case it is constant. */
LK_INLINE void lk_rows_angle_jacobian(const struct lk_joint *j, double J[2][6])
{
    for (int k = 0; k < 3; k++) {
        J[0][k] = J[1][k] = 0;
        J[0][3 + k] = -j->f[0][2][k];
        J[1][3 + k] = j->f[1][2][k];
    }
}

/* return c^2 + s^2 of the angle atan2(s, c), with a lower bound. If f[1][0] lies along the
 * axis, the angle is undefined; the bound keeps its derivatives finite */
LK_INLINE double lk_rows_angle_square(double c, double s)
{
    return lk_max(c * c + s * s, 1e-30);
}

/* Compute the Jacobian of the angle with respect to rotations, at any pose: d(atan2(s, c)) = (c ds
 * - s dc) / (c^2 + s^2). */
LK_INLINE void lk_rows_angle_directions(const struct lk_joint *j, const struct lk_pose *const *pose,
                                        double t0[3], double t1[3])
{
    double c = lk_rows_square(pose, j->f[0][0], j->f[1][0]);
    double s = lk_rows_square(pose, j->f[0][1], j->f[1][0]);
    double scale = 1 / lk_rows_angle_square(c, s);
    double c0[3], c1[3], s0[3], s1[3];

    lk_rows_square_directions(pose, j->f[0][0], j->f[1][0], c0, c1);
    lk_rows_square_directions(pose, j->f[0][1], j->f[1][0], s0, s1);
    for (int i = 0; i < 3; i++) {
        t0[i] = scale * (c * s0[i] - s * c0[i]);
        t1[i] = scale * (c * s1[i] - s * c1[i]);
    }
}

/* compute gamma of the angle at any pose, with r2 = c^2 + s^2 and accelerations zero:
 * (c s'' - s c'') / r2 - 2 (c c' + s s') (c s' - s c') / r2^2 */
LK_INLINE double lk_rows_angle_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                     const struct lk_twist *const *twist)
{
    double c = lk_rows_square(pose, j->f[0][0], j->f[1][0]);
    double s = lk_rows_square(pose, j->f[0][1], j->f[1][0]);
    double dc = lk_rows_square_rate(pose, twist, j->f[0][0], j->f[1][0]);
    double ds = lk_rows_square_rate(pose, twist, j->f[0][1], j->f[1][0]);
    double ddc = lk_rows_square_gamma(pose, twist, j->f[0][0], j->f[1][0]);
    double dds = lk_rows_square_gamma(pose, twist, j->f[0][1], j->f[1][0]);
    double scale = 1 / lk_rows_angle_square(c, s);
    double rate = scale * (c * ds - s * dc);

    return scale * (c * dds - s * ddc - 2 * (c * dc + s * ds) * rate);
}

/* Compute the Jacobian of the angle as a coordinate. Rigid rows keep the axes parallel, so that the
 * constant Jacobian is exact. Compliant rows need the derivative at any pose, otherwise their force
 * would gain or lose energy. */
LK_INLINE void lk_rows_angle_coordinate_jacobian(const struct lk_joint *j,
                                                 const struct lk_pose *const *pose, double J[2][6])
{
    lk_rows_angle_jacobian(j, J);
    if (lk_is_compliant(j))
        lk_rows_angle_directions(j, pose, J[0] + 3, J[1] + 3);
}

LK_INLINE double lk_rows_angle_coordinate_gamma(const struct lk_joint *j,
                                                const struct lk_pose *const *pose,
                                                const struct lk_twist *const *twist)
{
    return lk_is_compliant(j) ? lk_rows_angle_gamma(j, pose, twist) : 0;
}

/* ---- coordinates of other joints, for coordinate rows and couplings: poses and twists belong to
 * the sides of @j; @k selects the joint of[k] ---- */

LK_INLINE void lk_rows_poses_of(const struct lk_joint *j, int k, const struct lk_pose *const *pose,
                                const struct lk_pose *of[2])
{
    static const struct lk_pose ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

    for (int s = 0; s < 2; s++)
        of[s] = j->at_side[k][s] < 0 ? &ground : pose[j->at_side[k][s]];
}

LK_INLINE double lk_rows_coordinate(const struct lk_joint *j, int k,
                                    const struct lk_pose *const *pose)
{
    const struct lk_pose *of[2];

    lk_rows_poses_of(j, k, pose, of);
    return lk_joint_ops(j->of[k]->type)->coordinate(j->of[k], of, j->which[k]);
}

/* Add @scale times the derivative of the coordinate to the row of each side. The function adds
 * instead of assigning, because two joints may share a body. */
LK_INLINE void lk_rows_coordinate_jacobian(const struct lk_joint *j, int k, double scale,
                                           const struct lk_pose *const *pose,
                                           double J[LK_SIDES_MAX][6])
{
    const struct lk_pose *of[2];
    double part[2][6];

    lk_rows_poses_of(j, k, pose, of);
    lk_joint_ops(j->of[k]->type)->coordinate_jacobian(j->of[k], of, j->which[k], part);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 6 && j->at_side[k][s] >= 0; i++)
            J[j->at_side[k][s]][i] += scale * part[s][i];
}

LK_INLINE double lk_rows_coordinate_gamma(const struct lk_joint *j, int k,
                                          const struct lk_pose *const *pose,
                                          const struct lk_twist *const *twist)
{
    static const struct lk_twist rest = {{0}, {0}};
    const struct lk_pose *of[2];
    const struct lk_twist *motion[2];

    lk_rows_poses_of(j, k, pose, of);
    for (int s = 0; s < 2; s++)
        motion[s] = j->at_side[k][s] < 0 ? &rest : twist[j->at_side[k][s]];
    return lk_joint_ops(j->of[k]->type)->coordinate_gamma(j->of[k], of, motion, j->which[k]);
}

/* Compute the Jacobian of @sign e . (velocity of the material of side 0 - that of side 1) at a
 * point. @arm: the point from the centres of mass [m], world;  @e: unit vector, world */
LK_INLINE void lk_rows_material_row(const struct lk_pose *const *pose, double arm[2][3],
                                    const double e[3], double sign, double J[2][6])
{
    for (int s = 0; s < 2; s++) {
        double turn[3], moment[3];

        lk_cross(arm[s], e, moment);
        lk_rotate_back(pose[s]->R, moment, turn);
        for (int i = 0; i < 3; i++) {
            J[s][i] = sign * lk_jacobian_sign(s) * e[i];
            J[s][3 + i] = sign * lk_jacobian_sign(s) * turn[i];
        }
    }
}

/* add @lambda times one row to the bodies of all sides */
LK_INLINE void lk_rows_add_load(int n_sides, double J[][6], double lambda,
                                struct lk_twist *const *sum)
{
    for (int s = 0; s < n_sides; s++)
        for (int i = 0; i < 3; i++) {
            sum[s]->v[i] += lambda * J[s][i];
            sum[s]->w[i] += lambda * J[s][3 + i];
        }
}

#endif
