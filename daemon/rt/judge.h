/* SPDX-License-Identifier: Apache-2.0 */
/* Plausibility check of a step, before its outputs are published.
 *
 * A step may be finite, close all joints, and still be wrong: a bench applies 1e15 N, or the step
 * is too long for the masses, so that energy grows without a source. Four figures detect this, each
 * with a limit of the policy (guard.h): violation of the joints, position and speed of the bodies,
 * energy that appears, and the last increment of the iteration.
 *
 * Energy that appears is judged by linkage/energy.h: in the last steps (`energy_jump`), and since
 * the start (`energy`).
 *
 * A fifth figure detects change points, where additional rows become dependent. The usual number of
 * dependent rows is the least number since the start. But the run may start in a change point.
 * Therefore a greater number replaces the usual one after it has lasted for LKD_JUDGE_LASTING
 * steps. The reason is that pivots reveal redundant rows of mixed units in most poses, but not in
 * all.
 *
 * The cost of every step is the same: plain arithmetic on a few numbers, and one pass over the
 * bodies. */
#ifndef LKD_RT_JUDGE_H
#define LKD_RT_JUDGE_H

#include "guard.h"
#include "linkage/energy.h"
#include "linkage/linkage.h"
#include <stdbool.h>

#define LKD_JUDGE_LASTING 1000

/** struct lkd_judge - state of the plausibility check.
 * @energy:     energy watch since the start
 * @share:      see lk_system_dependent_rows()
 * @usual:      usual number of dependent rows
 * @lasting:    number of successive steps with more dependent rows than usual
 * @least:      smallest number of dependent rows in these steps
 * @has_lasted: @usual was raised once */
struct lkd_judge {
    struct lk_energy_watch energy;
    double share;
    int usual;
    int lasting;
    int least;
    bool has_lasted;
};

/** struct lkd_findings - figures of a step.
 * @energy_jump: energy jump as a share of the energy
 * @appears:     energy has appeared since the start that the order of the step does not explain;
 * @energy:      details of @energy_jump and @appears, in the judge
 * @dependent:   number of dependent rows above the usual number */
struct lkd_findings {
    struct lk_health health;
    struct lk_extent extent;
    double energy_jump;
    bool appears;
    const struct lk_energy_watch *energy;
    int dependent;
};

/** struct lkd_beyond - figure that exceeded the limit of a fault.
 * @value, @limit: [m or rad], [m], [m/s] or a share, depending on the condition; for
 *                 LKD_CONDITION_ENERGY the energy that appeared, and its explained amount [J]
 * @energy:        for LKD_CONDITION_ENERGY_JUMP the energy that appeared, for LKD_CONDITION_ENERGY
 *                 the energy that moved [J]
 * @body:          body of LKD_CONDITION_BOUNDS or LKD_CONDITION_ENERGY
 * @is_speed:      LKD_CONDITION_BOUNDS was caused by the speed */
struct lkd_beyond {
    double value;
    double limit;
    double energy;
    int body;
    bool is_speed;
};

/** lkd_judge_begin() - Begin in the present state of @system, at the start of a run or after a
 * reset.
 * @share: see lk_system_dependent_rows()
 * Thread: the one that runs the cycle. RT: yes. */
LK_RT void lkd_judge_begin(struct lkd_judge *judge, const struct lk_system *system, double share);

/** lkd_judge_look() - Compute the figures of the last step of @system, and update the state of the
 * check.
 * Thread: cycle.  RT: yes, O(bodies), see tests/bench/guard. */
LK_RT void lkd_judge_look(struct lkd_judge *judge, const struct lk_system *system,
                          struct lkd_findings *ret_found);

/** lkd_judge_rows() - Return the number of dependent rows above the usual number.
 * Thread: cycle.  RT: yes. */
LK_RT int lkd_judge_rows(struct lkd_judge *judge, int dependent);

/** lkd_judge_rule() - Decide whether the run ends.
 * @ret_beyond: written if the run ends
 * Thread: cycle.  RT: yes.
 * Return: the condition, or -1. */
LK_RT int lkd_judge_rule(const struct lkd_policy *policy, const struct lkd_findings *found,
                         struct lkd_beyond *ret_beyond);

#endif
