/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between scripts and executors. A script (scripts/) is a method written once: sweeps
 * over the elimination tree, and decisions in between; it contains no loop over bodies, rows or
 * lanes. An executor performs each stage of a sweep (stages.h): `one` processes four bodies at a
 * time and joint by joint (one/), `lanes` processes similar assemblies side by side in the lanes of
 * vector registers (lanes/). */
#ifndef LK_STEP_EXECUTOR_H
#define LK_STEP_EXECUTOR_H

#include "step/system.h"
#include <stdbool.h>

struct lk_law_powers; /* step/elements/loads.h */

/** enum lk_script - the methods that are scripts. */
enum lk_script { LK_SCRIPT_NONE, LK_SCRIPT_RATTLE, LK_SCRIPT_ALI3, LK_SCRIPT_RK4, LK_SCRIPTS };

/** enum lk_increment_measure - two inner products of increments a, b. BY_MASS: a . M b;  BY_TURNS:
 * the product of the rotations only. The iterations use the matrix of q_n, which is wrong by the
 * rotation of the bodies in the step. BY_TURNS measures that error; BY_MASS is insensitive to the
 * rotation of a light body if a heavy body moves. BY_MASS measures the error of nonlinear laws;
 * BY_TURNS does not if a wheel spins. */
enum lk_increment_measure { LK_BY_MASS, LK_BY_TURNS, LK_MEASURES };
typedef double lk_measures __attribute__((vector_size(LK_MEASURES * sizeof(double))));

/** struct lk_progress - state of the iterations of a step. The script writes this state, and the
 * stages read it. rattle:
 * @found, @done: number of increments that were computed, and that were applied
 * @product: inner products of the last increment with each increment
 * @part:  factor on the last increment
 * @alpha: factors with which the increments from number 1 on are added to the last increment,
 *         see lk_rattle_look_back()
 * @goes_back: the last iterate is discarded;  @ends: an iterate was discarded: further
 *         increments are 0
 * rk4:
 * @stage: number of the Runge-Kutta stage;  @is_stage: false at both ends of a step
 * ali3:
 * @leaks: multipliers of rigid rows lose E lambda in this iteration
 * @jumps: the present projection is the one over a jump of inputs or stops
 * @is_small: all rotations of the step are below half a turn; written by executor `one` */
struct lk_progress {
    int found;
    int done;
    lk_measures product[LK_ITERATIONS_MAX];
    double part;
    double alpha[LK_ITERATIONS_MAX];
    bool ends;
    bool goes_back;
    int stage;
    bool is_stage;
    bool leaks;
    bool jumps;
    bool is_small;
};

/** struct lk_executor - functions of a method. All are for the cycle, RT: yes. NULL: the
 * script of the method does not call the function, or the executor has nothing to do.
 * @renew:  compute the scratch of the next step from system->now
 * @begin:  discard results of the last step, or of the state of a higher order
 * @carry:  use the multipliers of rigid rows of system->now as the initial guess, if bodies lack
 *          inertia
 * @take:   rattle: copy multipliers of elements into the rows, and compute the gaps, see
 *          lk_one_find_gaps(); rk4: copy the motion of system->now
 * @sweep:  run stage @down of the method on the way down the tree, which begins with the
 *          solution; then run stage @up on the way up, which ends with the right-hand side and,
 *          if the stage requires it, the factor
 * @violation: return the largest |Phi| of the last stage that evaluated it
 * @multiply: compute the products of increment number @last with earlier increments and with
 *          itself; NULL if the stage has computed them
 * @push:   call lk_stops_push() on the last increment, then compute its products again
 * @hold:   compute the multipliers of all rows that resist the motions @shove of the bodies, with
 *          the last factor, into system->solution, and their effect on the bodies into
 *          system->correction. @is_refined: solve in two parts. Called between two sweeps
 * @keeps_right_side: @hold preserves the right-hand side of the next solve
 * @loads:  compute -Q at the present poses and at time @t [s], with the present multipliers of
 *          laws
 * @jump:   ali3: add W dQ of the jump of inputs and stops to the accelerations, and evaluate the
 *          rows of laws; @leaving: see lk_loads_subtract_stops()
 * @follow: rk4: compute multipliers of laws and -Q at the present poses, twists and time @t [s].
 *          Return: powers of the laws
 * @knows_multipliers: system->next has the multipliers of the last sweep
 * @settle: ali3: compute accelerations and multipliers of system->now from its poses and
 *          velocities, see ali3_extrapolate.c
 * @give:   copy motions from the executor's memory into system->next
 * @give_multipliers: copy multipliers from the executor's memory into system->next
 * @fetch:  copy changed motions back from system->next
 * @store:  complete the new state: energy balance and output values. Return: 0, LK_E_TURN,
 *          LK_E_NOT_FINITE */
struct lk_executor {
    LK_RT void (*renew)(struct lk_system *system);
    LK_RT void (*begin)(struct lk_system *system);
    LK_RT void (*carry)(struct lk_system *system);
    LK_RT void (*take)(struct lk_system *system);
    LK_RT void (*sweep)(struct lk_system *system, int down, int up);
    LK_RT double (*violation)(const struct lk_system *system);
    LK_RT void (*multiply)(struct lk_system *system, int last);
    LK_RT bool (*push)(struct lk_system *system, int iteration);
    LK_RT void (*hold)(struct lk_system *system, const struct lk_twist *shove, bool is_refined);
    bool keeps_right_side;
    LK_RT void (*loads)(struct lk_system *system, double t, const double *inputs);
    LK_RT void (*jump)(struct lk_system *system, const double *inputs, int leaving);
    LK_RT struct lk_law_powers (*follow)(struct lk_system *system, double t, const double *inputs);
    bool knows_multipliers;
    LK_RT void (*settle)(struct lk_system *system, const double *inputs);
    LK_RT void (*give)(struct lk_system *system);
    LK_RT void (*give_multipliers)(struct lk_system *system);
    LK_RT void (*fetch)(struct lk_system *system);
    LK_RT int (*store)(struct lk_system *system);
};

/** lk_executors_one - executor `one` of each script. */
extern const struct lk_executor *const lk_executors_one[LK_SCRIPTS];

#endif
