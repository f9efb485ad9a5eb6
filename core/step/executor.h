/* SPDX-License-Identifier: Apache-2.0 */
/* What a script asks of an executor. A script (scripts/) is a method written once: sweeps over the
 * elimination tree, and decisions in between. It knows no body, no row and no lane. An executor
 * does each stage of a sweep (stages.h): four bodies at a time and rows one by one (one/), or alike
 * parts of the mechanism in the lanes of vector registers (lanes/). */
#ifndef LK_STEP_EXECUTOR_H
#define LK_STEP_EXECUTOR_H

#include "step/system.h"
#include <stdbool.h>

struct lk_law_powers; /* step/elements/loads.h */

/** enum lk_script - the methods that are scripts. */
enum lk_script { LK_SCRIPT_NONE, LK_SCRIPT_RATTLE, LK_SCRIPT_ALI3, LK_SCRIPT_RK4, LK_SCRIPTS };

/** enum lk_increment_measure - of increments. BY_MASS: a . M b;  BY_TURNS: of the turns alone. The
 * matrix is wrong because bodies turn: turns tell how wrong, where in the measure of the mass the
 * turn of a light body is nothing beside the way of a heavy one that it leads to. The mass tells it
 * where laws bend, and a wheel that spins says nothing of the rest. */
enum lk_increment_measure { LK_BY_MASS, LK_BY_TURNS, LK_MEASURES };
typedef double lk_measures __attribute__((vector_size(LK_MEASURES * sizeof(double))));

/** struct lk_progress - of the iterations of a step; the script writes it, stages read it.
 * @found, @done: increments so far, and those of them that were applied
 * @product: of the last one with each;  @part: factor on the last one;  @alpha: that times
 * increment k + 1 is added to it
 * @ends: an iterate was taken back: later increments are 0;  @goes_back: the last one is
 * @stage: of rk4, the one under way, @is_stage: none of the ends of a step;  @leaks: of ali3,
 * multipliers of rigid rows are forgotten in this iteration;  @jumps: of ali3, inputs or stops are
 * about to jump
 * @is_small: all turns of the step are less than half a turn, as executor `one` found */
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

/** struct lk_executor - all for the cycle, RT: yes. NULL where no script of the method asks it.
 * @renew:  the scratch that a step begins with, from system->now
 * @begin:  nothing of the step, or of the combination of a higher order, is known yet
 * @carry:  multipliers of rigid rows in system->now go on, where they do
 * @take:   what elements have begun with, into the rows; what is left of Phi at the present poses;
 * of rk4, the state whose accelerations are made anew
 * @sweep:  stage @down of a method, on the way down the tree, which begins with a solution; then
 *          stage @up, on the way up, which ends with what is solved for
 * @violation: the largest |Phi| of the last stage that evaluated it
 * @multiply: the products of the last increment, with number @last, with all up to itself, unless
 *          its stage has found them
 * @push:   lk_stops_push() on the last increment, and its products anew
 * @hold:   multipliers of all rows that hold against the motions @shove of the bodies, with the
 *          last factor, into system->solution, and what they do into system->correction;
 *          @is_refined: as projections are. Between two sweeps
 * @keeps_right_side: the right-hand side of the next solve outlives @hold
 * @loads:  -Q at the present poses and at time @t [s], with multipliers of laws as they are
 * @jump:   of ali3, W dQ of inputs and stops that jump into the accelerations, and what it leaves
 * of the rows of laws; @leaving: see lk_loads_subtract_stops()
 * @follow: of rk4, multipliers of laws and -Q at the present poses, twists and time @t [s]. Return:
 *          powers of the laws;  @knows_multipliers: those of system->next are those of the last
 *          sweep
 * @settle: of ali3, accelerations and multipliers of system->now that belong to its poses and
 *          velocities, see ali3_extrapolate.c
 * @give:   motions that stages have found, into system->next, and @give_multipliers
 * @fetch:  motions back from there, after they were changed
 * @store:  the new state is complete: its balance, what outputs read. Return: 0, LK_E_TURN,
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
