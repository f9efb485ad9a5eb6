/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"
#include "log.h"
#include "recorder.h"
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- reason for the end of a run ---- */

static const char *condition_text(enum lkd_condition condition)
{
    static const char *const texts[LKD_CONDITIONS] = {
        [LKD_CONDITION_LATE] = "a deadline was missed",
        [LKD_CONDITION_STALE] = "an input had no new sample for longer than its time-out",
        [LKD_CONDITION_RANGE] = "a sample was beyond the limits of an input",
        [LKD_CONDITION_NOT_FINITE] = "a sample had a value that is not a finite number",
        [LKD_CONDITION_LOST] = "a bench was silent for longer than its lease",
        [LKD_CONDITION_RESIDUAL] = "a joint is violated beyond the limit",
        [LKD_CONDITION_ENERGY] = "the balance of energy is off",
        [LKD_CONDITION_BOUNDS] = "a body is beyond its bounds",
        [LKD_CONDITION_ENERGY_JUMP] = "energy appears from nowhere",
        [LKD_CONDITION_INCREMENT] = "the iteration does not converge",
        [LKD_CONDITION_PIVOT] = "a change point: rows of joints depend on others",
        [LKD_CONDITION_TURN] = "a body turns far in a step",
        [LKD_CONDITION_STRAIN] = "a beam is strained far",
        [LKD_CONDITION_CONTACT] = "a contact force is not resolved",
        [LKD_CONDITION_PORT] = "the work of a port is not what its bench told",
    };

    return texts[condition];
}

/* Describe the failed step in @f. */
static void describe_beyond(struct lkd_rig *rig, const struct lkd_figures *f)
{
    const struct lkd_beyond *b = &f->beyond;
    uint64_t step = f->step + 1;
    size_t size = sizeof(rig->fault);

    switch (f->condition) {
    case LKD_CONDITION_BOUNDS:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": body '%s' %s %.3g %s, more than the limit of %g %s", step,
                 lk_system_body_name(rig->loaded->system, b->body),
                 b->is_speed ? "moves at" : "is away from the origin by", b->value,
                 b->is_speed ? "m/s" : "m", b->limit, b->is_speed ? "m/s" : "m");
        return;
    case LKD_CONDITION_ENERGY_JUMP:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": energy appears from nowhere: %.3g J within %d steps, %.0f %% "
                 "of that in the mechanism, more than the limit of %g %%",
                 step, b->energy, LK_ENERGY_STEPS, 100 * b->value, 100 * b->limit);
        return;
    case LKD_CONDITION_ENERGY:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": %.3g J appeared since the start that nothing put in, where "
                 "%.3g J moved and the step explains %.2g J; body '%s' swings most; shorten the "
                 "step%s",
                 step, b->value, b->energy, b->limit,
                 lk_system_body_name(rig->loaded->system, b->body),
                 lk_energy_known_source(rig->loaded->system));
        return;
    case LKD_CONDITION_INCREMENT:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": the iteration does not converge: its last increment is %.3g m "
                 "or rad, more than the limit of %g",
                 step, b->value, b->limit);
        return;
    default:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": a joint is violated by %.3g m or rad, more than the limit of "
                 "%.3g",
                 step, b->value, b->limit);
    }
}

void lkd_fault_describe(struct lkd_rig *rig)
{
    const struct lkd_figures *f = &rig->figures;
    size_t size = sizeof(rig->fault);

    switch (f->fault) {
    case LKD_FAULT_BEYOND:
        describe_beyond(rig, f);
        return;
    case LKD_FAULT_TURN:
        snprintf(rig->fault, size,
                 "step %" PRIu64
                 ": a body would turn by more than half a turn, the step is too long "
                 "for it",
                 f->step + 1);
        return;
    case LKD_FAULT_BENT:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": a modal body would bend by more than its modes describe",
                 f->step + 1);
        return;
    case LKD_FAULT_SINGULAR:
        snprintf(rig->fault, size, "step %" PRIu64 ": the formulation has no solution in this pose",
                 f->step + 1);
        return;
    case LKD_FAULT_OVERRUN:
        snprintf(rig->fault, size,
                 "step %" PRIu64 ": too many deadlines missed: %" PRIu64 " overruns in %" PRIu64
                 " cycles",
                 f->step, f->overruns, f->cycles);
        return;
    case LKD_FAULT_POLICY:
        snprintf(rig->fault, size, "step %" PRIu64 ": %s, and the policy for that is fault",
                 f->step, condition_text(f->condition));
        return;
    case LKD_FAULT_WATCHDOG:
        snprintf(rig->fault, size, "step %" PRIu64 ": the cycle stood still for a time", f->step);
        return;
    default:
        snprintf(rig->fault, size, "step %" PRIu64 " gave a value that is not a finite number",
                 f->step + 1);
    }
}

/* ---- counted conditions ---- */

/* Describe a counted condition with the maximum so far, because the figures of the step itself may
 * have been overwritten. */
static void describe_count(const struct lkd_rig *rig, enum lkd_condition condition, char *text,
                           size_t size)
{
    const struct lkd_policy *policy = &rig->config->cycle.policy;
    const struct lkd_figures *f = &rig->figures;

    switch (condition) {
    case LKD_CONDITION_BOUNDS:
        snprintf(text, size, "up to %.3g m from the origin and %.3g m/s so far (limits %g, %g)",
                 f->position_max, f->speed_max, policy->position_limit, policy->speed_limit);
        return;
    case LKD_CONDITION_ENERGY_JUMP:
        snprintf(text, size, "up to %.0f %% of that in the mechanism so far (limit %g %%)",
                 100 * f->energy_jump_max, 100 * policy->energy_jump.limit);
        return;
    case LKD_CONDITION_INCREMENT:
        snprintf(text, size, "last increments of up to %.3g m or rad so far (limit %g)",
                 f->increment_max, policy->increment.limit);
        return;
    case LKD_CONDITION_PIVOT:
        snprintf(text, size, "up to %d rows so far that did not before (limit %g)",
                 f->dependent_max, policy->pivot_limit);
        return;
    case LKD_CONDITION_TURN:
        snprintf(text, size, "body '%s' by up to %.3g rad so far (limit %g)",
                 lk_system_body_name(rig->loaded->system, f->turning), f->turn_max,
                 policy->turn_limit);
        return;
    case LKD_CONDITION_STRAIN:
        snprintf(text, size, "at body '%s' by up to %.3g so far (limit %g)",
                 lk_system_body_name(rig->loaded->system, f->strained), f->strain_max,
                 policy->strain_limit);
        return;
    case LKD_CONDITION_CONTACT:
        snprintf(text, size, "at body '%s' by up to %.3g of the largest contact force (limit %g)",
                 lk_system_body_name(rig->loaded->system, f->touching), f->contact_max,
                 policy->contact_limit);
        return;
    case LKD_CONDITION_PORT:
        snprintf(text, size, "by up to %.3g J so far (limit %g J)", f->port_gap_max,
                 policy->port_limit);
        return;
    case LKD_CONDITION_RESIDUAL:
        snprintf(text, size, "by up to %.3g m or rad so far (limit %g)", f->residual_position_max,
                 policy->residual_limit);
        return;
    default:
        if (isfinite(policy->energy_limit))
            snprintf(text, size, "limit %g J", policy->energy_limit);
        else
            snprintf(text, size, "energy appears that nothing put in");
    }
}

static const struct {
    enum lkd_condition condition;
    enum lkd_condition_id id;
} of_model[] = {
    {LKD_CONDITION_RESIDUAL, LKD_C_JOINT_VIOLATED}, {LKD_CONDITION_ENERGY, LKD_C_ENERGY_OFF},
    {LKD_CONDITION_BOUNDS, LKD_C_BEYOND_BOUNDS},    {LKD_CONDITION_ENERGY_JUMP, LKD_C_ENERGY_JUMP},
    {LKD_CONDITION_INCREMENT, LKD_C_NOT_CONVERGED}, {LKD_CONDITION_PIVOT, LKD_C_CHANGE_POINT},
    {LKD_CONDITION_TURN, LKD_C_TURNS_FAR},          {LKD_CONDITION_PORT, LKD_C_PORT_APART},
    {LKD_CONDITION_STRAIN, LKD_C_STRAINED},         {LKD_CONDITION_CONTACT, LKD_C_CONTACT_OFF},
};

void lkd_fault_begin(struct lkd_rig *rig)
{
    memset(rig->counted, 0, sizeof(rig->counted));
}

void lkd_fault_follow(struct lkd_rig *rig)
{
    struct lkd_guard *guard = &rig->loaded->cycle->guard;

    if (rig->figures.state == LKD_CYCLE_FAULT) /* the line about FAULT reports it */
        return;
    for (size_t i = 0; i < sizeof(of_model) / sizeof(of_model[0]); i++) {
        enum lkd_condition condition = of_model[i].condition;
        uint64_t n = atomic_load_explicit(&guard->count[condition], memory_order_relaxed);
        uint64_t step = atomic_load_explicit(&guard->last_step[condition], memory_order_relaxed);
        char text[120];

        if (n == rig->counted[condition])
            continue;
        rig->counted[condition] = n;
        describe_count(rig, condition, text, sizeof(text));
        lkd_log(of_model[i].id, "step %" PRIu64 ": %s: %s", step, condition_text(condition), text);
        lkd_recorder_event(rig->recorder, step, "condition", "%s: %s: %s",
                           lkd_condition_info(of_model[i].id)->id, condition_text(condition), text);
    }
}
