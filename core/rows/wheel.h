/* SPDX-License-Identifier: Apache-2.0 */
/* Contact of a wheel (side 1) with the road (side 0): contact point and axes.
 *
 * With the centre c, the spin axis e_y to the left, and the plane of the road through Q with the
 * normal n,
 *
 *     e_x = e_y x n / |e_y x n|    ahead, along the road
 *     e_l = n x e_x                to the left, along the road
 *     e_r = e_x x e_y              in the plane of the wheel, up from the contact
 *     R_l = (c - Q) . n / (e_r . n),  P = c - R_l e_r      the contact point
 *     rho = R0 e_r . n - (c - Q) . n                       depth of the lowest point of the rim
 *
 * rho is a function of the pose, and its rate is minus the velocity of the point c - R0 e_r along
 * n. Therefore a spring with the deflection rho has a potential. The IAVSD benchmark defines
 * instead, with the height z of the centre over the road along the normal n0 of the road as a
 * whole, (c - Q) . n = z n . n0,
 *
 *     rho = (R0 - z) n . n0                                depth below the centre */
#ifndef LK_ROWS_WHEEL_H
#define LK_ROWS_WHEEL_H

#include "rows/rows.h"
#include "tyre/road.h"

#define LK_WHEEL_UPRIGHT 0.1 /* least e_r . n of a rolling tyre; below it, the tyre lies flat */

/** struct lk_wheel - contact geometry at one pose; vectors in world axes.
 * @upright: e_r . n;  @camber: e_y . n, the sine of the angle by which the wheel leans to the
 *           right;  @height: height of the centre over the road, along n [m];  @radius: R_l;
 *           @depth: rho [m] */
struct lk_wheel {
    double c[3];
    double n[3];
    double ey[3];
    double ex[3];
    double el[3];
    double er[3];
    double P[3];
    double upright;
    double camber;
    double height;
    double radius;
    double depth;
};

/** lk_wheel_axes() - compute all values of @w that follow from c, n, ey and height. @R0: free
 * radius;
 * @cosine: n . n0 if the depth is measured below the centre, else 0 */
LK_INLINE void lk_wheel_axes(struct lk_wheel *w, double R0, double cosine)
{
    double length, least;

    lk_cross(w->ey, w->n, w->ex);
    length = lk_norm(w->ex);
    least = lk_max(length, 1e-6);
    for (int i = 0; i < 3; i++)
        w->ex[i] /= least;
    lk_cross(w->n, w->ex, w->el);
    lk_cross(w->ex, w->ey, w->er);
    w->upright = length;
    w->camber = lk_dot(w->ey, w->n);
    w->radius = w->height / lk_max(length, LK_WHEEL_UPRIGHT);
    w->depth = R0 * (cosine > 0 ? cosine : length) - w->height;
    if (cosine > 0 && w->depth > 0) /* keep the contact of an inclined wheel within its rim */
        w->radius = lk_min(R0, w->radius);
    for (int i = 0; i < 3; i++)
        w->P[i] = w->c[i] - w->radius * w->er[i];
}

/** lk_wheel_at() - compute the contact of joint @j with its road plane at @pose. */
LK_INLINE void lk_wheel_at(const struct lk_joint *j, const struct lk_pose *const *pose,
                           struct lk_wheel *w)
{
    double Q[3], over[3];

    lk_rotate(pose[0]->R, j->plane->point, Q);
    lk_rotate(pose[0]->R, j->plane->normal, w->n);
    lk_rotate(pose[1]->R, j->p[1], w->c);
    lk_rotate(pose[1]->R, j->f[1][2], w->ey);
    for (int i = 0; i < 3; i++) {
        w->c[i] += pose[1]->x[i];
        over[i] = w->c[i] - (Q[i] + pose[0]->x[i]);
    }
    w->height = lk_dot(over, w->n);
    lk_wheel_axes(w, j->radius, j->is_by_centre ? j->plane->cosine : 0);
}

#endif
