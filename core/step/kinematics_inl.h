/* SPDX-License-Identifier: Apache-2.0 */
/* Inline functions of one joint or one body, for kinematics.c and executor `one`. They are inline
 * because every solve calls them for all joints and bodies. */
#ifndef LK_STEP_KINEMATICS_INL_H
#define LK_STEP_KINEMATICS_INL_H

#include "maths/vec.h"
#include "step/system.h"

LK_INLINE void gamma_of_joint(const struct lk_system *sys, int i, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    const struct lk_twist *const twist[2] = LK_TWO_SIDES(sys->twist, j);

    if (j->of[1]) {
        const struct lk_pose *const all[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
        const struct lk_twist *const twists[LK_SIDES_MAX] = LK_SIDES(sys->twist, j);

        lk_joint_ops(j->type)->gamma(j, all, twists, ret);
    } else {
        lk_joint_ops(j->type)->gamma(j, pose, twist, ret);
    }
    if (j->kind == LK_ROWS_DRIVEN)
        ret[0] -= sys->drive[j->drive].acceleration;
}

/* compute Phi_q t of one joint, four rows at a time; @pad, @is_point and @first are
 * compile-time constants in the frequent cases */
LK_INLINE void row_rates(struct lk_jacobian jacobian, int pad, int is_point, int first_axis,
                         const struct lk_twist *t0, const struct lk_twist *t1, double *ret)
{
    const double *turn0 = jacobian.J + (is_point ? 0 : 3) * pad;
    const double *turn1 = jacobian.J + (is_point ? 3 : 9) * pad;
    const int x = first_axis, y = lk_point_axis(x, 1), z = lk_point_axis(x, 2);

    for (int r = 0; r < pad; r += LK_PART) {
        lk_part first = {0}, second = {0};

        if (is_point && r < 4)
            first = LK_THREE(t0->v[x] - t1->v[x], t0->v[y] - t1->v[y], t0->v[z] - t1->v[z], r);
        for (int k = 0; k < 3; k++) {
            first += *(const lk_part *)&turn0[k * pad + r] * t0->w[k];
            second += *(const lk_part *)&turn1[k * pad + r] * t1->w[k];
            if (!is_point) {
                first += *(const lk_part *)&turn0[(k - 3) * pad + r] * t0->v[k];
                second += *(const lk_part *)&turn1[(k - 3) * pad + r] * t1->v[k];
            }
        }
        *(lk_part *)&ret[r] = first + second;
    }
}

LK_INLINE void rates_of_joint(const struct lk_system *sys, int j, const struct lk_twist *twist,
                              double *ret)
{
    const struct lk_joint *joint = &sys->joint[j];
    const struct lk_twist *t0 = &twist[joint->body[0]], *t1 = &twist[joint->body[1]];
    struct lk_jacobian jacobian = sys->jacobian[j];

    if (!jacobian.is_point)
        row_rates(jacobian, jacobian.pad, 0, 0, t0, t1, ret);
    else if (jacobian.pad == 8)
        row_rates(jacobian, 8, 1, 0, t0, t1, ret);
    else if (jacobian.first == 0)
        row_rates(jacobian, 4, 1, 0, t0, t1, ret);
    else
        row_rates(jacobian, 4, 1, jacobian.first, t0, t1, ret);
    /* couplings have one row and may have more bodies */
    for (int s = 2; s < joint->n_sides; s++) {
        double row[6];

        lk_jacobian_row(jacobian, s, 0, row);
        ret[0] += lk_dot(row, twist[joint->body[s]].v) + lk_dot(row + 3, twist[joint->body[s]].w);
    }
}

/** struct sums - six sums of products, each spread over four lanes until all rows are added. The
 * translation part of point rows is a vector of its own. */
struct sums {
    lk_four direction[6];
    lk_four point;
};

/* return a vector with the first two lanes of @pin along the world axis @first and the next
 * axis */
LK_INLINE lk_four along_axes(lk_four pin, int first)
{
    const lk_four zero = {0};

    return first == 0   ? __builtin_shufflevector(pin, zero, 0, 1, 4, 4)
           : first == 1 ? __builtin_shufflevector(pin, zero, 4, 0, 1, 4)
                        : __builtin_shufflevector(pin, zero, 1, 4, 0, 4);
}

/* add J^T lambda of one side to @sums, four rows at a time; @pad, @is_point and @is_pin are
 * compile-time constants in the frequent cases. In lanes beyond the rows the Jacobian is 0. */
LK_INLINE void add_transpose(const struct lk_side *side, int pad, int is_point, bool is_pin,
                             const double *lambda, struct sums *sums)
{
    const double *turn = side->turn;

    for (int r = 0; r < pad; r += 4) {
        lk_four l = *(const lk_four *)&lambda[r];

        if (is_pin)
            sums->point += side->sign * along_axes(l, side->first);
        else if (is_point && r == 0)
            sums->point += side->sign * l;
        for (int k = 0; k < 3; k++) {
            sums->direction[3 + k] += *(const lk_four *)&turn[k * pad + r] * l;
            if (!is_point)
                sums->direction[k] += *(const lk_four *)&turn[(k - 3) * pad + r] * l;
        }
    }
}

/* compute the sums over the lanes of three vectors, in the first three lanes */
LK_INLINE void sum_lanes(const lk_four v[3], double ret[3])
{
    lk_four ab = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) +
                 __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    lk_four cc = __builtin_shufflevector(v[2], v[2], 0, 4, 2, 6) +
                 __builtin_shufflevector(v[2], v[2], 1, 5, 3, 7);
    lk_four abc =
        __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);

    for (int k = 0; k < 3; k++)
        ret[k] = abc[k];
}

/* compute Phi_q^T lambda of one body, over sides @from to @to of joints. @lambda is read up
 * to LK_ROWS_PAD beyond its last row. */
LK_INLINE void transpose_of_body(const struct lk_system *sys, int from, int to,
                                 const double *lambda, double ret[6])
{
    struct sums sums = {0};
    bool has_general = false;

    for (int i = from; i < to; i++) {
        const struct lk_side *side = &sys->side[i];
        const double *l = lambda + side->row;

        if (!side->is_point) {
            add_transpose(side, side->pad, 0, false, l, &sums);
            has_general = true;
        } else if (side->pad == 8) {
            add_transpose(side, 8, 1, false, l, &sums);
        } else if (side->n > 2) {
            add_transpose(side, 4, 1, false, l, &sums);
        } else {
            add_transpose(side, 4, 1, true, l, &sums);
        }
    }
    sum_lanes(sums.direction + 3, ret + 3);
    if (has_general)
        sum_lanes(sums.direction, ret);
    for (int k = 0; k < 3; k++)
        ret[k] = has_general ? ret[k] + sums.point[k] : sums.point[k];
}

#endif
