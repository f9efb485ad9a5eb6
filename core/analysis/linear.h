/* SPDX-License-Identifier: Apache-2.0 */
/* Private to small motions: linear.c and linear_motions.c. */
#ifndef LK_ANALYSIS_LINEAR_H
#define LK_ANALYSIS_LINEAR_H

#include "linkage/modes.h"
#include "step/system.h"

/** struct lk_linear_work - @base: block of the start;  @n: values of a motion, six a body
 * @spin: angular velocity of each body at the start, world
 * @N: n x f, column by column;  @MN: M N;  @mass: Cholesky factor of N^T M N
 * @is_idle: of each coordinate: it turns a body without inertia and nothing else, as of a point
 * mass
 * @rest: accelerations at the start, n
 * @side: of two states beside it: velocities, accelerations, outputs, rates of blocks */
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

/** lk_linear_find_motions() - N of the free coordinates, each of which changes by its own motion
 * alone. Return: 0, -ENOMEM, -EINVAL. */
int lk_linear_find_motions(struct lk_linear_work *work);
/** lk_linear_weigh() - M N, N^T M N and its factor. Return: 0; LK_E_MODEL: @error says what moves
 * without mass. */
int lk_linear_weigh(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_drop_idle() - leaves the idle coordinates out of the result, once it is complete.
 * Return: 0; LK_E_MODEL: @error names one on which something depends. */
int lk_linear_drop_idle(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_project() - (N^T M N)^-1 N^T M of @move, n values. @ret: n_motions */
void lk_linear_project(const struct lk_linear_work *work, const double *move, double *ret);
/** lk_linear_keep_motions() - N and M N of the bodies of the model into the result. */
void lk_linear_keep_motions(struct lk_linear_work *work);

#endif
