/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"
#include <math.h>

/* Below this, energy is round-off: of the sums, of a mechanism that has come to rest, of one that
 * never moved. */
#define SUM_SHARE  1e-9
#define PEAK_SHARE 1e-6
#define LEAST_J    1e-9

LK_RT void lkd_judge_begin(struct lkd_judge *judge, const struct lk_health *start, int dependent,
                           double share)
{
    *judge = (struct lkd_judge){.before = *start, .usual = dependent, .share = share};
}

/* Energy in the mechanism, and what moved in the step [J]. */
static double turnover(const struct lk_health *before, const struct lk_health *after)
{
    return fmax(before->kinetic, after->kinetic) + fabs(after->potential - before->potential) +
           fabs(after->work_input - before->work_input) +
           fabs(after->work_drive - before->work_drive) +
           fabs(after->work_applied - before->work_applied) +
           fabs(after->dissipated - before->dissipated);
}

static double round_off(const struct lk_health *h, double peak)
{
    double sums = h->kinetic + fabs(h->potential) + fabs(h->work_input) + fabs(h->work_drive) +
                  fabs(h->work_applied) + fabs(h->dissipated);

    return SUM_SHARE * sums + PEAK_SHARE * peak + LEAST_J;
}

static double put_in(const struct lk_health *h)
{
    return h->work_input + h->work_drive + h->work_applied;
}

LK_RT double lkd_judge_energy(struct lkd_judge *judge, const struct lk_health *after,
                              double *ret_appeared)
{
    const double memory = 1 - 1.0 / LKD_JUDGE_STEPS;
    const struct lk_health *before = &judge->before;
    double dissipated = after->dissipated - before->dissipated;
    double appeared = after->kinetic - before->kinetic + after->potential - before->potential -
                      put_in(after) + put_in(before);

    /* a law with a negative slope gives energy, and says so */
    appeared += fmin(dissipated, 0);
    judge->peak = fmax(judge->peak, after->kinetic);
    judge->turnover =
        fmax(memory * judge->turnover, turnover(before, after) + round_off(after, judge->peak));
    judge->appeared = fmax(memory * judge->appeared + appeared, 0);
    judge->before = *after;
    *ret_appeared = judge->appeared;
    return judge->appeared / judge->turnover;
}

LK_RT int lkd_judge_rows(struct lkd_judge *judge, int dependent)
{
    if (dependent <= judge->usual) {
        judge->usual = judge->has_lasted ? judge->usual : dependent;
        judge->lasting = 0;
        return 0;
    }
    judge->least = judge->lasting == 0 || dependent < judge->least ? dependent : judge->least;
    if (++judge->lasting < LKD_JUDGE_LASTING)
        return dependent - judge->usual;
    judge->usual = judge->least;
    judge->has_lasted = true;
    judge->lasting = 0;
    return dependent - judge->usual;
}

LK_RT void lkd_judge_look(struct lkd_judge *judge, const struct lk_system *system,
                          struct lkd_findings *ret)
{
    ret->dependent = lkd_judge_rows(judge, lk_system_dependent_rows(system, judge->share));
    lk_system_health(system, &ret->health);
    lk_system_extent(system, &ret->extent);
    ret->energy_jump = lkd_judge_energy(judge, &ret->health, &ret->appeared);
}

static double fault_beyond(const struct lkd_policy *policy, enum lkd_condition condition,
                           double limit, double fault)
{
    return policy->rule[condition].action == LKD_ACTION_FAULT ? fmin(limit, fault) : fault;
}

/* Return: whether @value is beyond @limit; a NaN is. */
static bool is_beyond(double value, double limit, struct lkd_beyond *ret)
{
    if (value <= limit)
        return false;
    *ret = (struct lkd_beyond){.value = value, .limit = limit};
    return true;
}

static bool leaves_bounds(const struct lkd_policy *policy, const struct lk_extent *extent,
                          struct lkd_beyond *ret)
{
    enum lkd_condition condition = LKD_CONDITION_BOUNDS;

    if (is_beyond(extent->position,
                  fault_beyond(policy, condition, policy->position_limit, INFINITY), ret)) {
        ret->body = extent->farthest;
        return true;
    }
    if (!is_beyond(extent->speed, fault_beyond(policy, condition, policy->speed_limit, INFINITY),
                   ret))
        return false;
    ret->body = extent->fastest;
    ret->is_speed = true;
    return true;
}

LK_RT int lkd_judge_rule(const struct lkd_policy *policy, const struct lkd_findings *found,
                         struct lkd_beyond *ret)
{
    double residual =
        fault_beyond(policy, LKD_CONDITION_RESIDUAL, policy->residual_limit, INFINITY);
    double jump = fault_beyond(policy, LKD_CONDITION_ENERGY_JUMP, policy->energy_jump.limit,
                               policy->energy_jump.fault);
    double increment = fault_beyond(policy, LKD_CONDITION_INCREMENT, policy->increment.limit,
                                    policy->increment.fault);

    /* first what names a body */
    if (leaves_bounds(policy, &found->extent, ret))
        return LKD_CONDITION_BOUNDS;
    if (is_beyond(found->health.residual_position, residual, ret))
        return LKD_CONDITION_RESIDUAL;
    if (is_beyond(found->health.increment, increment, ret))
        return LKD_CONDITION_INCREMENT;
    if (!is_beyond(found->energy_jump, jump, ret))
        return -1;
    ret->appeared = found->appeared;
    return LKD_CONDITION_ENERGY_JUMP;
}
