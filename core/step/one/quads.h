/* SPDX-License-Identifier: Apache-2.0 */
/* Four bodies in one vector: functions that copy values between the arrays of bodies and the lanes
 * of struct lk_quad. All are for the cycle, RT: yes. */
#ifndef LK_STEP_QUADS_H
#define LK_STEP_QUADS_H

#include "step/equations.h"
#include "step/system.h"

/** struct lk_lanes - indices of four bodies; the first @n are distinct, the others repeat the last
 * one. */
struct lk_lanes {
    int n;
    size_t at[4];
};

LK_INLINE struct lk_lanes lk_lanes_of(const struct lk_system *sys, int quad)
{
    struct lk_lanes l = {.n = sys->n_bodies - 4 * quad < 4 ? sys->n_bodies - 4 * quad : 4};

    for (int i = 0; i < 4; i++)
        l.at[i] = (size_t)(4 * quad + (i < l.n ? i : l.n - 1));
    return l;
}

/* load @n values of each of four bodies; @first: first value of body 0;  @stride: doubles from body
 * to body */
LK_INLINE void lk_gather(const struct lk_lanes *l, const double *first, size_t stride, int n,
                         lk_four *ret)
{
    for (int i = 0; i < n; i++)
        ret[i] =
            (lk_four){first[l->at[0] * stride + (size_t)i], first[l->at[1] * stride + (size_t)i],
                      first[l->at[2] * stride + (size_t)i], first[l->at[3] * stride + (size_t)i]};
}

/* store @n values of each of four bodies; lanes that repeat a body write the same values
 * again. Groups of four values are stored as whole vectors: a later load of a single value need
 * not wait for a wide store */
LK_INLINE void lk_scatter(const struct lk_lanes *l, const lk_four *values, size_t stride, int n,
                          double *first)
{
    int whole = n / 4 * 4;

    for (int i = 0; i < whole; i += 4) {
        lk_four of_lane[4];

        lk_transpose_four(values + i, of_lane);
        for (int lane = 0; lane < 4; lane++)
            *(lk_four *)&first[l->at[lane] * stride + (size_t)i] = of_lane[lane];
    }
    for (int i = whole; i < n; i++)
        for (int lane = 0; lane < 4; lane++)
            first[l->at[lane] * stride + (size_t)i] = values[i][lane];
}

#define LK_STRIDE(type) (sizeof(type) / sizeof(double))

/* compute the pose of four bodies from their motion within the step */
LK_INLINE void lk_quad_place(struct lk_system *sys, const struct lk_lanes *l,
                             const struct lk_quad *quad)
{
    lk_four x[3], R[9];

    lk_moved_place_four(quad->x_old, quad->q_old, quad->u, quad->turn, x, R);
    lk_scatter(l, x, LK_STRIDE(struct lk_pose), 3, sys->pose[0].x);
    lk_scatter(l, R, LK_STRIDE(struct lk_pose), 9, sys->pose[0].R);
}

#endif
