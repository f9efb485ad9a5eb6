/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"
#include <math.h>

LK_RT void lkd_judge_begin(struct lkd_judge *judge, const struct lk_system *system, double share)
{
    *judge = (struct lkd_judge){.usual = lk_system_dependent_rows(system, share), .share = share};
    lk_energy_begin(&judge->energy, system);
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
    lk_energy_look(&judge->energy, system, &ret->health);
    ret->energy_jump = judge->energy.jump;
    ret->appears = lk_energy_appears(&judge->energy);
    ret->energy = &judge->energy;
}

static double fault_beyond(const struct lkd_policy *policy, enum lkd_condition condition,
                           double limit, double fault)
{
    return policy->rule[condition].action == LKD_ACTION_FAULT ? fmin(limit, fault) : fault;
}

/* Return true if @value is beyond @limit, or NaN. */
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

    /* Check first the limit whose message names a body. */
    if (leaves_bounds(policy, &found->extent, ret))
        return LKD_CONDITION_BOUNDS;
    if (is_beyond(found->health.residual_position, residual, ret))
        return LKD_CONDITION_RESIDUAL;
    if (is_beyond(found->health.increment, increment, ret))
        return LKD_CONDITION_INCREMENT;
    if (is_beyond(found->energy_jump, jump, ret)) {
        ret->energy = found->energy->jumped;
        return LKD_CONDITION_ENERGY_JUMP;
    }
    if (!found->appears || policy->rule[LKD_CONDITION_ENERGY].action != LKD_ACTION_FAULT)
        return -1;
    *ret = (struct lkd_beyond){.value = found->energy->appeared,
                               .limit = found->energy->explained,
                               .energy = found->energy->moved,
                               .body = found->energy->body};
    return LKD_CONDITION_ENERGY;
}
