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
 * @frame: angular velocity of the axes in which motions are described, world [rad/s]; @is_turning:
 *         it is not 0;  @pivot: a point of its axis [m]
 * @spin: angular velocity of each body at the start, world [rad/s]
 * @place: motions between poses, one for each coordinate
 * @rate: motions that velocities can have, one for each coordinate with a rate. The same as @place
 *        without nonholonomic rows
 * @is_idle: for each coordinate, whether it only turns bodies without inertia, such as point masses
 * @anchor: for each point of contact, where it touches, see compile/contact_springs.h
 * @coordinates: a value for each coordinate
 * @rest: accelerations at the start, n
 * @nudge: motion of a body to the nearby states of a column [m or rad]
 * @side: velocities, accelerations, outputs and rates of blocks at two nearby states, for
 *        central differences
 * @turned: scratch, a motion */
struct lk_linear_work {
    struct lk_system *sys;
    struct lk_linear *l;
    double *base;
    int n;
    double frame[3];
    double pivot[3];
    bool is_turning;
    double (*spin)[3];
    struct lk_moves place;
    struct lk_moves rate;
    bool *is_idle;
    double (*anchor)[2][3];
    double *coordinates;
    double *rest;
    double nudge;
    double *side[2];
    double *turned;
};

/** lk_linear_move_body() - shift and rotate a body by @amount times @move, world axes; its spin
 * rotates with the body. */
void lk_linear_move_body(struct lk_system *system, int body, const double *move, double amount);

/** lk_linear_turn() - make all bodies of the present state turn with body @name: write the frame.
 * Return: 0; LK_E_MODEL: there is no such body, or it does not turn. */
int lk_linear_turn(struct lk_linear_work *work, const char *name, struct lk_error *error);
/** lk_linear_add_turn() - add @factor w x each vector of @motion to @ret, w of the frame. */
void lk_linear_add_turn(const struct lk_linear_work *work, double factor, const double *motion,
                        double *ret);
/** lk_linear_check_speeds() - check that the velocities @v at the start are those of the frame.
 * lk_linear_scatter() - move the present state along all coordinates, each by another amount.
 * lk_linear_check_turn() - check that accelerations @turned, after a turn by LK_LINEAR_TURN [rad],
 * are the accelerations @a turned. Return: 0; LK_E_MODEL: a body, or a load or joint, does not turn
 * with the frame. */
#define LK_LINEAR_TURN 1.0
int lk_linear_check_speeds(const struct lk_linear_work *work, const double *v,
                           struct lk_error *error);
void lk_linear_scatter(struct lk_linear_work *work);
int lk_linear_check_turn(const struct lk_linear_work *work, const double *a, const double *turned,
                         struct lk_error *error);
/** lk_linear_rest() - move the present state by one step of Newton's method towards rest in the
 * frame. Return: 0, -ENOMEM, -EINVAL: LAPACK failed, LK_E_ASSEMBLY: the joints do not close. */
int lk_linear_rest(struct lk_linear_work *work, struct lk_error *error);
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
