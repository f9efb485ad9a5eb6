/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of small motions: shared by linear.c and linear_motions.c. */
#ifndef LK_ANALYSIS_LINEAR_H
#define LK_ANALYSIS_LINEAR_H

#include "linkage/modes.h"
#include "step/system.h"

/** struct lk_linear_work - working state.
 * @base: memory of the state at the start;  @n: number of values of a motion, six per body
 * @spin: angular velocity of each body at the start, world [rad/s]
 * @N: n x f, column by column;  @MN: M N;  @mass: Cholesky factor of N^T M N
 * @is_idle: for each coordinate, whether it only turns bodies without inertia, such as point masses
 * @rest: accelerations at the start, n
 * @side: velocities, accelerations, outputs and rates of blocks at two nearby states, for
 *        central differences */
struct lk_linear_work {
    struct lk_system *sys;
    struct lk_linear *l;
    double *base;
    int n;
    double (*spin)[3];
    double *N;
    double *MN;
    double *mass;
    bool *is_idle;
    double *rest;
    double *side[2];
};

/** lk_linear_find_motions() - compute N of the free coordinates; motion i changes only coordinate
 * i. Return: 0, -ENOMEM, -EINVAL. */
int lk_linear_find_motions(struct lk_linear_work *work);
/** lk_linear_weigh() - compute M N, N^T M N and its factor. Return: 0; LK_E_MODEL: @error
 * contains the name of a motion without mass. */
int lk_linear_weigh(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_drop_idle() - remove the idle coordinates from the complete result.
 * Return: 0; LK_E_MODEL: @error contains the name of an idle coordinate that affects a rate. */
int lk_linear_drop_idle(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_project() - compute (N^T M N)^-1 N^T M @move; @move: n values;  @ret: n_motions */
void lk_linear_project(const struct lk_linear_work *work, const double *move, double *ret);
/** lk_linear_keep_motions() - copy N and M N of the bodies of the model to the result. */
void lk_linear_keep_motions(struct lk_linear_work *work);

#endif
