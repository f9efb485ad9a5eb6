/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of a conical wheel (side 1) with a straight, round rail (side 0).
 *
 * The rail is a cylinder of radius rho about the line through C along t. The wheel is a cone about
 * the axle, the line through W along b. The cone has the radius r at W, and its surface makes the
 * angle delta with the axle; for delta > 0 the cone widens along b. The common normal n of wheel
 * and rail points from the wheel into the rail. The normal is perpendicular to t and makes the
 * cone's fixed angle with the axle,
 *
 *     n . t = 0,   n . b = -sin delta,   |n| = 1
 *
 * These equations have two solutions; the side of the axle on which the rail lies selects one of
 * them. A tangent plane of the cone has the distance r cos delta from W, and a tangent plane of the
 * rail the distance rho from C. So with d = C - W the gap is
 *
 *     Phi = n . d - (r cos delta + rho)
 *
 * With m = t x n (normal to the rail, in the contact plane) d = k b + l t + j n, which locates the
 * contact along axle and rail: k = d . m / b . m, l = d . t - k b . t, j = n . d + k sin delta. The
 * derivatives of n follow from the three equations above,
 *
 *     n' = -(n . t') t + ((b . t) (n . t') - n . b') / (b . m) m
 *
 * and, because d - k b - l t is along n and n' is normal to it,
 *
 *     Phi'  = n . u,   u = d' - k b' - l t'       the approach of the material points in contact
 *     Phi'' = n' . u + n . (d'' - k b'' - l t'' - k' b' - l' t')
 *     k' = (u . m - j n' . m) / (b . m),   l' = u . t - k' b . t - j n' . t */
#ifndef LK_ROWS_CONE_H
#define LK_ROWS_CONE_H

#include "rows/rows.h"

/** struct lk_cone - contact geometry at one pose; vectors in world axes, symbols as above. @bm: b .
 * m. If the axle is parallel to the rail, this would be zero, and it is replaced by a small
 * number. */
struct lk_cone {
    double d[3];
    double t[3];
    double b[3];
    double n[3];
    double m[3];
    double bt;
    double bm;
    double k;
    double l;
    double j;
};

LK_INLINE void lk_cone_contact(const struct lk_joint *joint, const struct lk_pose *const *pose,
                               struct lk_cone *c)
{
    double sine = joint->sine, across[3], square, level, side;

    lk_rows_gap(joint, pose, c->d);
    lk_rotate(pose[0]->R, joint->f[0][2], c->t);
    lk_rotate(pose[1]->R, joint->f[1][2], c->b);
    c->bt = lk_dot(c->b, c->t);
    lk_cross(c->t, c->b, across);
    square = lk_max(1 - c->bt * c->bt, 1e-12);
    level = sqrt(lk_max(square - sine * sine, 1e-12));
    side = copysign(1, lk_dot(across, c->d));
    for (int i = 0; i < 3; i++)
        c->n[i] = (side * level * across[i] - sine * (c->b[i] - c->bt * c->t[i])) / square;
    lk_cross(c->t, c->n, c->m);
    c->bm = -side * level;
    c->k = lk_dot(c->d, c->m) / c->bm;
    c->l = lk_dot(c->d, c->t) - c->k * c->bt;
    c->j = lk_dot(c->d, c->n) + c->k * sine;
}

/* Compute the arms from the centre of mass of each body to the contact point on the rail [m],
 * world. */
LK_INLINE void lk_cone_arms(const struct lk_joint *joint, const struct lk_pose *const *pose,
                            const struct lk_cone *c, double arm[2][3])
{
    lk_rotate(pose[0]->R, joint->p[0], arm[0]);
    for (int i = 0; i < 3; i++) {
        arm[0][i] -= c->l * c->t[i] + joint->radius * c->n[i];
        arm[1][i] = arm[0][i] + (pose[0]->x[i] - pose[1]->x[i]);
    }
}

#endif
