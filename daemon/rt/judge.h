/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a step is one that a mechanism could have made, asked before its outputs leave.
 *
 * A step may give finite numbers, close all joints, and be nonsense all the same: a bench pushes
 * with 1e15 N, or the step is too long for the masses and energy grows out of nothing. Four figures
 * tell, each with a limit of the policy (guard.h): violation of the joints, place and speed of the
 * bodies, energy that appears, and the last increment of the iteration.
 *
 * Energy that appears is judged by linkage/energy.h: in the last steps (`energy_jump`), and since
 * the start (`energy`).
 *
 * A fifth one tells of change points, where rows depend on others that did not before. What is
 * usual is the least number since the start, which may be such a pose itself, or a greater one that
 * has lasted for LKD_JUDGE_LASTING steps: pivots show redundant rows of mixed units in most poses
 * only.
 *
 * Every step costs the same: plain arithmetic on a few numbers, and one pass over the bodies. */
#ifndef LKD_RT_JUDGE_H
#define LKD_RT_JUDGE_H

#include "guard.h"
#include "linkage/energy.h"
#include "linkage/linkage.h"
#include <stdbool.h>

#define LKD_JUDGE_LASTING 1000

/** struct lkd_judge - @energy: since the start;  @share: see lk_system_dependent_rows()
 * @usual: number of these;  @lasting: steps in a row with more, @least of them;  @has_lasted: once
 */
struct lkd_judge {
    struct lk_energy_watch energy;
    double share;
    int usual;
    int lasting;
    int least;
    bool has_lasted;
};

/** struct lkd_findings - of a step. @energy_jump: share;  @appears: since the start, beyond what
 * the step explains;  @energy: both, of the judge
 * @dependent: rows more than usual */
struct lkd_findings {
    struct lk_health health;
    struct lk_extent extent;
    double energy_jump;
    bool appears;
    const struct lk_energy_watch *energy;
    int dependent;
};

/** struct lkd_beyond - what was beyond a limit at which a run ends.
 * @value, @limit: [m or rad], [m], [m/s] or a share, as the condition says; of LKD_CONDITION_ENERGY
 *                 the energy that appeared, and its explained part [J]
 * @energy: of LKD_CONDITION_ENERGY_JUMP the energy that appeared, of LKD_CONDITION_ENERGY the
 * energy that moved [J]
 * @body, @is_speed: of LKD_CONDITION_BOUNDS;  @body: of LKD_CONDITION_ENERGY, too */
struct lkd_beyond {
    double value;
    double limit;
    double energy;
    int body;
    bool is_speed;
};

/** lkd_judge_begin() - at the start of a run, or after a reset, in the present state of @system.
 * @share: see lk_system_dependent_rows()
 * Thread: whoever runs the cycle.  RT: yes. */
LK_RT void lkd_judge_begin(struct lkd_judge *judge, const struct lk_system *system, double share);

/** lkd_judge_look() - the figures of the step that @system has made.
 * Thread: cycle.  RT: yes, O(bodies), see tests/bench/guard. */
LK_RT void lkd_judge_look(struct lkd_judge *judge, const struct lk_system *system,
                          struct lkd_findings *ret_found);

/** lkd_judge_rows() - how many of the @dependent rows are more than usual.
 * Thread: cycle.  RT: yes. */
LK_RT int lkd_judge_rows(struct lkd_judge *judge, int dependent);

/** lkd_judge_rule() - whether the run ends.
 * @ret_beyond: written where it does
 * Thread: cycle.  RT: yes.
 * Return: the condition, or -1. */
LK_RT int lkd_judge_rule(const struct lkd_policy *policy, const struct lkd_findings *found,
                         struct lkd_beyond *ret_beyond);

#endif
