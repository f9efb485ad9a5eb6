/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for fault injection and for the table of rules. See inject.h and guard.h. */
#include "commands.h"
#include "outgoing.h"
#include "recorder.h"
#include "reply.h"
#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- fault injection ---- */

static int take_injection(const Linkage__V1__Injection *from, struct lkd_injection *to,
                          struct lkd_answer *a)
{
    *to = (struct lkd_injection){
        .kind = from->kind,
        .amount = from->amount,
        .share = from->share,
        .every_s = from->every_s,
        .after_s = from->after_s,
        .for_s = from->for_s,
        .seed = from->seed,
    };
    if (strlen(from->target) >= sizeof(to->target)) {
        lkd_rig_answer(a, LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL,
                       "no bench and no input is named '%s'", from->target);
        return -1;
    }
    strcpy(to->target, from->target);
    return 0;
}

static int reply_injections(struct lkd_call *call)
{
    struct lkd_injection all[LKD_INJECTIONS_MAX];
    size_t n = (size_t)lkd_inputs_injections(call->rig->inputs, all);
    Linkage__V1__InjectReport *report = lk_wire_arena_take(call->arena, sizeof(*report));
    Linkage__V1__Injection *to;

    if (!report)
        return -ENOMEM;
    linkage__v1__inject_report__init(report);
    call->reply->injections = report;
    to = lkd_call_list(call, n, sizeof(*to), &report->injections);
    if (!to)
        return -ENOMEM;
    report->n_injections = n;
    for (size_t i = 0; i < n; i++) {
        linkage__v1__injection__init(&to[i]);
        to[i].number = all[i].number;
        to[i].kind = all[i].kind;
        to[i].target = lk_wire_arena_format(call->arena, "%s", all[i].target);
        if (!to[i].target)
            return -ENOMEM;
        to[i].amount = all[i].amount;
        to[i].share = all[i].share;
        to[i].every_s = all[i].every_s;
        to[i].after_s = all[i].after_s;
        to[i].for_s = all[i].for_s;
        to[i].seed = all[i].seed;
        to[i].active = all[i].active;
        to[i].count = all[i].count;
    }
    return 0;
}

int lkd_command_inject(struct lkd_call *call)
{
    const Linkage__V1__InjectRequest *request = call->request->inject;
    struct lkd_injection add[LKD_INJECTIONS_MAX];
    Linkage__V1__Result result;
    struct lk_error error;

    if (request->n_add > LKD_INJECTIONS_MAX) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%zu injections, expected at most %d at a time", request->n_add,
                       LKD_INJECTIONS_MAX);
        return 0;
    }
    for (size_t i = 0; i < request->n_add; i++)
        if (take_injection(request->add[i], &add[i], call->answer))
            return 0;
    result = lkd_inputs_inject(call->rig->inputs, request->clear, add, request->n_add,
                               lkd_clock_ns(), &error);
    if (result == LINKAGE__V1__RESULT__RESULT_OK) {
        if (request->clear || request->n_add > 0)
            lkd_recorder_event(call->rig->recorder, call->rig->figures.step, "inject",
                               "%s%zu injections asked for", request->clear ? "cleared; " : "",
                               request->n_add);
        return reply_injections(call);
    }
    lkd_rig_answer(call->answer, result, "%s", error.text);
    return 0;
}

/* ---- policy ---- */

static char *format_joules(struct lk_wire_arena *arena, double limit)
{
    return isfinite(limit) ? lk_wire_arena_format(arena, "%g J", limit)
                           : lk_wire_arena_format(arena, "off");
}

/* Format a threshold, such as "0.1 m" or "0.1 m, fault at 1". */
static char *format_threshold(struct lk_wire_arena *arena, const struct lkd_threshold *threshold,
                              double unit, const char *name)
{
    return isfinite(threshold->fault)
               ? lk_wire_arena_format(arena, "%g %s, fault at %g", unit * threshold->limit, name,
                                      unit * threshold->fault)
               : lk_wire_arena_format(arena, "%g %s", unit * threshold->limit, name);
}

static char *limit_of_model(const struct lkd_policy *policy, enum lkd_condition condition,
                            struct lk_wire_arena *arena)
{
    switch (condition) {
    case LKD_CONDITION_RESIDUAL:
        return lk_wire_arena_format(arena, "%g m or rad", policy->residual_limit);
    case LKD_CONDITION_BOUNDS:
        return lk_wire_arena_format(arena, "%g m, %g m/s", policy->position_limit,
                                    policy->speed_limit);
    case LKD_CONDITION_ENERGY_JUMP:
        return format_threshold(arena, &policy->energy_jump, 100, "%");
    case LKD_CONDITION_INCREMENT:
        return format_threshold(arena, &policy->increment, 1, "m or rad");
    case LKD_CONDITION_PIVOT:
        return lk_wire_arena_format(arena, "a share of %g", policy->pivot_limit);
    case LKD_CONDITION_PORT:
        return format_joules(arena, policy->port_limit);
    case LKD_CONDITION_STRAIN:
        return lk_wire_arena_format(arena, "a strain of %g", policy->strain_limit);
    case LKD_CONDITION_CONTACT:
        return lk_wire_arena_format(arena, "an error of %g of the largest contact force",
                                    policy->contact_limit);
    case LKD_CONDITION_TURN:
        return lk_wire_arena_format(arena, "%g rad a step", policy->turn_limit);
    default:
        return isfinite(policy->energy_limit)
                   ? lk_wire_arena_format(arena, "%g J, or energy that appears",
                                          policy->energy_limit)
                   : lk_wire_arena_format(arena, "energy that appears");
    }
}

static char *limit_of(struct lkd_call *call, enum lkd_condition condition)
{
    const struct lkd_policy *policy = &call->rig->config->cycle.policy;
    struct lk_wire_arena *arena = call->arena;

    switch (condition) {
    case LKD_CONDITION_LATE:
        return lk_wire_arena_format(arena, "the next grid point");
    case LKD_CONDITION_STALE:
        return policy->timeout_steps == 0
                   ? lk_wire_arena_format(arena, "off")
                   : lk_wire_arena_format(arena, "timeout %llu steps",
                                          (unsigned long long)policy->timeout_steps);
    case LKD_CONDITION_RANGE:
        return lk_wire_arena_format(arena, "limits of the channel");
    case LKD_CONDITION_NOT_FINITE:
        return lk_wire_arena_format(arena, "NaN or infinite");
    case LKD_CONDITION_LOST:
        return lk_wire_arena_format(arena, "lease %g s",
                                    1e-9 * (double)call->rig->config->lease_ns);
    default:
        return limit_of_model(policy, condition, arena);
    }
}

static void fill_rule(const struct lkd_rule *rule, enum lkd_condition condition,
                      Linkage__V1__PolicyRow *row)
{
    linkage__v1__policy_row__init(row);
    row->condition = (Linkage__V1__Condition)(condition + 1);
    row->action = lkd_outgoing_action(rule->action);
    row->value = rule->value;
    row->ramp_s = rule->ramp_s;
}

static int fill_row(struct lkd_call *call, enum lkd_condition condition,
                    Linkage__V1__PolicyRow *row)
{
    struct lkd_guard *guard = call->rig->loaded ? &call->rig->loaded->cycle->guard : NULL;

    fill_rule(&call->rig->config->cycle.policy.rule[condition], condition, row);
    row->limit = limit_of(call, condition);
    if (guard) {
        row->count = atomic_load(&guard->count[condition]);
        row->last_step = atomic_load(&guard->last_step[condition]);
    }
    return row->limit ? 0 : -ENOMEM;
}

/* Fill in how often the input channel of a rule became stale, if the model has this channel. */
static void fill_channel_count(struct lkd_call *call, const char *name, Linkage__V1__PolicyRow *row)
{
    const struct lk_channel *channels;
    int n;

    if (!call->rig->loaded)
        return;
    channels = lk_system_input_channels(call->rig->loaded->system, &n);
    for (int i = 0; i < n; i++) {
        struct lkd_guarded *c = &call->rig->loaded->cycle->guard.channel[i];

        if (strcmp(channels[i].name, name) != 0)
            continue;
        row->count = atomic_load(&c->times_stale);
        row->last_step = atomic_load(&c->stale_step);
    }
}

static int fill_channel_row(struct lkd_call *call, const struct lkd_channel_rule *rule,
                            Linkage__V1__PolicyRow *row)
{
    fill_rule(&rule->rule, LKD_CONDITION_STALE, row);
    row->channel = (char *)rule->name;
    row->limit = rule->timeout_steps == 0
                     ? lk_wire_arena_format(call->arena, "off")
                     : lk_wire_arena_format(call->arena, "timeout %llu steps",
                                            (unsigned long long)rule->timeout_steps);
    fill_channel_count(call, rule->name, row);
    return row->limit ? 0 : -ENOMEM;
}

int lkd_command_policy(struct lkd_call *call)
{
    const struct lkd_policy *policy = &call->rig->config->cycle.policy;
    size_t n = LKD_CONDITIONS + (size_t)policy->n_channels;
    Linkage__V1__Policy *reply = lk_wire_arena_take(call->arena, sizeof(*reply));
    Linkage__V1__PolicyRow *row;
    int r = 0;

    if (!reply)
        return -ENOMEM;
    linkage__v1__policy__init(reply);
    call->reply->policy = reply;
    row = lkd_call_list(call, n, sizeof(*row), &reply->rows);
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++)
        r = i < LKD_CONDITIONS
                ? fill_row(call, (enum lkd_condition)i, &row[i])
                : fill_channel_row(call, &policy->channel[i - LKD_CONDITIONS], &row[i]);
    reply->n_rows = n;
    reply->recover_samples = (uint32_t)policy->recover_samples;
    return r;
}
