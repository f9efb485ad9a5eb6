/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a step is one that a mechanism could have made, asked before its outputs leave.
 *
 * A step may give finite numbers, close all joints, and be nonsense all the same: a bench pushes
 * with 1e15 N, or the step is too long for the masses and energy grows out of nothing. Four figures
 * tell, each with a limit of the policy (guard.h): violation of the joints, place and speed of the
 * bodies, energy that appears, and the last increment of the iteration.
 *
 * Energy appears where kinetic and potential energy grow by more than inputs, drives and loads put
 * in. Dissipation does not count as a gain, although the balance of a body that rings on a stiff
 * damper books more of it than was there; energy that vanishes brakes, and is in the condition
 * `energy`. What appears is summed up with a memory of LKD_JUDGE_STEPS steps, in which a loss
 * cancels a gain, and compared with the energy in the mechanism: its kinetic energy, and what moved
 * between potential, work and dissipation, the largest within the same memory. Growth by a tenth
 * every step shows as one half, growth by any factor in one step as up to one.
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
#include "linkage/linkage.h"
#include <stdbool.h>

#define LKD_JUDGE_STEPS   10
#define LKD_JUDGE_LASTING 1000

/** struct lkd_judge - @before: the last step;  @appeared: sum with memory [J];  @turnover: largest
 * with memory [J];  @peak: largest kinetic energy since the start [J]
 * @share: see lk_system_dependent_rows();  @usual: number of these;  @lasting: steps in a row with
 * more, @least of them;  @has_lasted: once */
struct lkd_judge {
    struct lk_health before;
    double appeared;
    double turnover;
    double peak;
    double share;
    int usual;
    int lasting;
    int least;
    bool has_lasted;
};

/** struct lkd_findings - of a step. @energy_jump: share;  @appeared: the same [J]
 * @dependent: rows more than usual */
struct lkd_findings {
    struct lk_health health;
    struct lk_extent extent;
    double energy_jump;
    double appeared;
    int dependent;
};

/** struct lkd_beyond - what was beyond a limit at which a run ends.
 * @value, @limit: [m or rad], [m], [m/s] or a share, as the condition says
 * @appeared: of LKD_CONDITION_ENERGY_JUMP [J];  @body, @is_speed: of LKD_CONDITION_BOUNDS */
struct lkd_beyond {
    double value;
    double limit;
    double appeared;
    int body;
    bool is_speed;
};

/** lkd_judge_begin() - at the start of a run, or after a reset. @start: then;  @dependent: rows
 * then, of at least @share, see lk_system_dependent_rows() Thread: whoever runs the cycle.  RT:
 * yes. */
LK_RT void lkd_judge_begin(struct lkd_judge *judge, const struct lk_health *start, int dependent,
                           double share);

/** lkd_judge_look() - the figures of the step that @system has made.
 * Thread: cycle.  RT: yes, O(bodies): 60 ns with one, 2.8 us with 1000, the rule included
 * (tests/bench/guard). */
LK_RT void lkd_judge_look(struct lkd_judge *judge, const struct lk_system *system,
                          struct lkd_findings *ret_found);

/** lkd_judge_energy() - share of the energy in the mechanism that appeared by the step that led to
 * @after. @ret_appeared: the same [J]
 * Thread: cycle.  RT: yes. */
LK_RT double lkd_judge_energy(struct lkd_judge *judge, const struct lk_health *after,
                              double *ret_appeared);

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
