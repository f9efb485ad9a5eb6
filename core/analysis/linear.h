/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of small motions: shared by linear.c and linear_motions.c. */
#ifndef LK_ANALYSIS_LINEAR_H
#define LK_ANALYSIS_LINEAR_H

#include "linkage/modes.h"
#include "step/system.h"

/** struct lk_moves - motions of all bodies, one for each of the first @n coordinates: a unit of
 * this coordinate, and none of the other n - 1.
 * @N: column by column;  @MN: M N;  @mass: Cholesky factor of N^T M N */
struct lk_moves {
    int n;
    double *N;
    double *MN;
    double *mass;
};

/** struct lk_linear_work - working state.
 * @base: memory of the state at the start;  @n: number of values of a motion, six per body, then
 *        one for each modal coordinate
 * @spin: angular velocity of each body at the start, world [rad/s]
 * @place: motions between poses, one for each coordinate
 * @rate: motions that velocities can have, one for each coordinate with a rate. The same as @place
 *        without nonholonomic rows
 * @is_idle: for each coordinate, whether it only turns bodies without inertia, such as point masses
 * @coordinates: a value for each coordinate
 * @rest: accelerations at the start, n
 * @nudge: motion of a body to the nearby states of a column [m or rad]
 * @side: velocities, accelerations, outputs and rates of blocks at two nearby states, for
 *        central differences */
struct lk_linear_work {
    struct lk_system *sys;
    struct lk_linear *l;
    double *base;
    int n;
    double (*spin)[3];
    struct lk_moves place;
    struct lk_moves rate;
    bool *is_idle;
    double *coordinates;
    double *rest;
    double nudge;
    double *side[2];
};

/** lk_linear_find_coordinates() - choose the coordinates, those with rates first. Return: 0,
 * -ENOMEM, -EINVAL, LK_E_MODEL: too many. */
int lk_linear_find_coordinates(struct lk_linear_work *work);
/** lk_linear_find_motions() - compute N of places and rates. Return: 0, -ENOMEM, -EINVAL. */
int lk_linear_find_motions(struct lk_linear_work *work);
/** lk_linear_weigh() - compute M N, N^T M N and its factor of places and rates. Return: 0;
 * LK_E_MODEL: @error contains the name of a motion without mass. */
int lk_linear_weigh(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_drop_idle() - remove the idle coordinates from the complete result.
 * Return: 0; LK_E_MODEL: @error contains the name of an idle coordinate that affects a rate. */
int lk_linear_drop_idle(struct lk_linear_work *work, struct lk_error *error);
/** lk_linear_project() - compute (N^T M N)^-1 N^T M @move; @move: work->n values;  @ret: moves->n
 */
void lk_linear_project(const struct lk_linear_work *work, const struct lk_moves *moves,
                       const double *move, double *ret);
void lk_linear_free_motions(struct lk_linear_work *work);
/** lk_linear_keep_motions() - copy N and M N of the bodies of the model to the result. */
void lk_linear_keep_motions(struct lk_linear_work *work);

#endif
