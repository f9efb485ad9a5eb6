/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about benches and their inputs: ownership and acting values. The rules themselves are in
 * inputs.h and guard.h. */
#include "commands.h"
#include "identity.h"
#include "outgoing.h"
#include "reply.h"
#include <errno.h>
#include <string.h>

/* ---- claims ---- */

static int fill_claimed(struct lkd_call *call, const struct lkd_claim_grant *grant, size_t n,
                        Linkage__V1__Claim *claim)
{
    const struct lkd_cycle *cycle = call->rig->loaded->cycle;
    Linkage__V1__ChannelDescription *description;
    const struct lk_channel *channels;
    uint32_t offset = 0;
    int n_inputs;

    channels = lk_system_input_channels(cycle->system, &n_inputs);
    description = lkd_call_list(call, n, sizeof(*description), &claim->channels);
    if (!description)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int channel = lkd_inputs_claimed(call->rig->inputs, grant->token, (int)i);
        int r;

        if (channel < 0 || channel >= n_inputs)
            return -ENOMEM;
        r = lkd_reply_channel(&channels[channel], &cycle->guard.channel[channel], call->arena,
                              &description[i]);
        if (r)
            return r;
        description[i].offset = offset;
        offset += (uint32_t)channels[channel].size;
    }
    claim->n_channels = n;
    return 0;
}

static int reply_claim(struct lkd_call *call, const struct lkd_claim_grant *grant, size_t n)
{
    Linkage__V1__Claim *claim = lk_wire_arena_take(call->arena, sizeof(*claim));

    if (!claim)
        return -ENOMEM;
    linkage__v1__claim__init(claim);
    claim->token = grant->token;
    claim->number = grant->number;
    claim->lease_s = 1e-9 * (double)grant->lease_ns;
    claim->daemon_id = lkd_daemon_id();
    claim->model_id = grant->model_id;
    call->reply->claim = claim;
    return fill_claimed(call, grant, n, claim);
}

int lkd_command_claim(struct lkd_call *call)
{
    const Linkage__V1__ClaimRequest *request = call->request->claim;
    size_t n = request->n_channels;
    struct lkd_channel_wish *channels = lk_wire_arena_take(call->arena, n * sizeof(*channels));
    struct lkd_claim_wish wish = {
        .bench = request->bench,
        .channels = channels,
        .n_channels = n,
        .token = request->token,
        .model_id = request->model_id,
        .peer = call->peer->name,
        .yields = request->yields,
    };
    struct lkd_claim_grant grant;
    Linkage__V1__Result result;
    struct lk_error error;

    if (!channels && n > 0)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        channels[i] = (struct lkd_channel_wish){
            .name = request->channels[i]->name,
            .units = (const char *const *)request->channels[i]->units,
            .n_units = request->channels[i]->n_units,
        };
    result = lkd_inputs_claim(call->rig->inputs, &wish, lkd_clock_ns(), &grant, &error);
    if (result == LINKAGE__V1__RESULT__RESULT_OK)
        return reply_claim(call, &grant, n);
    lkd_rig_answer(call->answer, result, "%s", error.text);
    return 0;
}

int lkd_command_release(struct lkd_call *call)
{
    struct lk_error error;
    Linkage__V1__Result result = lkd_inputs_release(
        call->rig->inputs, call->request->release->token, call->peer->name, &error);

    if (result != LINKAGE__V1__RESULT__RESULT_OK)
        lkd_rig_answer(call->answer, result, "%s", error.text);
    return 0;
}

/* ---- inputs ---- */

static int fill_names(struct lkd_call *call, const struct lkd_claim *claim,
                      Linkage__V1__ClaimReport *report)
{
    const struct lk_channel *channels;
    int n_inputs;

    channels = lk_system_input_channels(call->rig->loaded->system, &n_inputs);
    report->channels = lk_wire_arena_take(call->arena, (size_t)claim->n_channels * sizeof(char *));
    if (!report->channels)
        return -ENOMEM;
    for (int i = 0; i < claim->n_channels; i++) {
        int channel = lkd_inputs_claimed(call->rig->inputs, claim->token, i);

        if (channel >= 0) /* -1: the claim has ended meanwhile */
            report->channels[report->n_channels++] = (char *)channels[channel].name;
    }
    return 0;
}

static int fill_claim(struct lkd_call *call, const struct lkd_claim *claim, int64_t now_ns,
                      Linkage__V1__ClaimReport *report)
{
    linkage__v1__claim_report__init(report);
    report->number = claim->number;
    report->bench = lk_wire_arena_format(call->arena, "%s", claim->bench);
    report->peer = lk_wire_arena_format(call->arena, "%s", claim->peer);
    if (!report->bench || !report->peer)
        return -ENOMEM;
    report->silent_s = claim->heard_ns > 0 ? 1e-9 * (double)(now_ns - claim->heard_ns) : -1;
    report->lost = claim->lost;
    report->accepted = claim->accepted;
    report->refused = claim->refused;
    report->gaps = claim->gaps;
    report->heartbeats = claim->heartbeats;
    report->yields = claim->yields;
    return fill_names(call, claim, report);
}

static int fill_claims(struct lkd_call *call, Linkage__V1__InputsReport *inputs)
{
    struct lkd_claim claims[LKD_CLAIMS_MAX];
    int n = lkd_inputs_claims(call->rig->inputs, claims), r = 0;
    Linkage__V1__ClaimReport *report;

    report = lkd_call_list(call, (size_t)n, sizeof(*report), &inputs->claims);
    if (!report)
        return -ENOMEM;
    for (int i = 0; i < n && r == 0; i++)
        r = fill_claim(call, &claims[i], lkd_clock_ns(), &report[i]);
    inputs->n_claims = (size_t)n;
    return r;
}

static int fill_values(struct lkd_call *call, const struct lkd_guard *guard,
                       const struct lk_channel *c, const double *values,
                       Linkage__V1__InputReport *report)
{
    size_t n = (size_t)c->size;

    report->values = lk_wire_arena_take(call->arena, n * sizeof(double));
    report->acting = lk_wire_arena_take(call->arena, n * sizeof(double));
    if (!report->values || !report->acting)
        return -ENOMEM;
    report->n_values = report->n_acting = n;
    memcpy(report->values, values, n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        report->acting[i] =
            atomic_load_explicit(&guard->shown[(size_t)c->offset + i], memory_order_relaxed);
    return 0;
}

static void fill_guarded(struct lkd_guarded *c, Linkage__V1__InputReport *report)
{
    enum lkd_action action = (enum lkd_action)atomic_load(&c->acting_action);

    report->age_steps = atomic_load(&c->age_now);
    report->stale = c->timeout_steps > 0 && report->age_steps > c->timeout_steps;
    report->acting_action = lkd_outgoing_action(action);
    if (action != LKD_ACTION_COUNT)
        report->condition = (Linkage__V1__Condition)(atomic_load(&c->acting_condition) + 1);
    report->trips = atomic_load(&c->trips);
    report->trip_step = atomic_load(&c->trip_step);
    report->rate_limited = atomic_load(&c->rate_limited);
}

static int fill_input(struct lkd_call *call, const struct lk_channel *channel, int index,
                      Linkage__V1__InputReport *report)
{
    struct lkd_guard *guard = &call->rig->loaded->cycle->guard;
    struct lkd_inputs_channel now;

    linkage__v1__input_report__init(report);
    if (!lkd_inputs_channel_at(call->rig->inputs, index, &now))
        return -ENOMEM;
    report->channel = (char *)channel->name;
    report->bench = lk_wire_arena_format(call->arena, "%s", now.bench);
    if (!report->bench)
        return -ENOMEM;
    report->not_finite = now.news.not_finite;
    report->out_of_range = now.news.out_of_range;
    fill_guarded(&guard->channel[index], report);
    return fill_values(call, guard, channel, now.values, report);
}

static int fill_inputs(struct lkd_call *call, Linkage__V1__InputsReport *inputs)
{
    const struct lk_channel *channels;
    Linkage__V1__InputReport *report;
    int n, r = 0;

    channels = lk_system_input_channels(call->rig->loaded->system, &n);
    report = lkd_call_list(call, (size_t)n, sizeof(*report), &inputs->inputs);
    if (!report)
        return -ENOMEM;
    for (int i = 0; i < n && r == 0; i++)
        r = fill_input(call, &channels[i], i, &report[i]);
    inputs->n_inputs = (size_t)n;
    return r;
}

static int fill_refusals(struct lkd_call *call, Linkage__V1__InputsReport *inputs)
{
    Linkage__V1__Refusals *refusals = lk_wire_arena_take(call->arena, sizeof(*refusals));
    uint64_t n[LKD_INPUT_STATUSES];

    if (!refusals)
        return -ENOMEM;
    linkage__v1__refusals__init(refusals);
    lkd_inputs_refusals(call->rig->inputs, n);
    refusals->undecodable = n[LKD_INPUT_E_UNDECODABLE];
    refusals->length = n[LKD_INPUT_E_LENGTH];
    refusals->not_finite = n[LKD_INPUT_E_NOT_FINITE];
    refusals->range = n[LKD_INPUT_E_LIMITS];
    refusals->not_newer = n[LKD_INPUT_E_NOT_NEWER];
    refusals->other_model = n[LKD_INPUT_E_OTHER_MODEL];
    refusals->no_model = n[LKD_INPUT_E_NO_MODEL];
    refusals->token = n[LKD_INPUT_E_TOKEN];
    refusals->unclaimed = n[LKD_INPUT_E_UNCLAIMED];
    refusals->role = n[LKD_INPUT_E_ROLE];
    inputs->refusals = refusals;
    return 0;
}

int lkd_command_inputs(struct lkd_call *call)
{
    Linkage__V1__InputsReport *inputs = lk_wire_arena_take(call->arena, sizeof(*inputs));
    int r;

    if (!inputs)
        return -ENOMEM;
    linkage__v1__inputs_report__init(inputs);
    call->reply->inputs = inputs;
    r = fill_refusals(call, inputs);
    if (r || !call->rig->loaded)
        return r;
    r = fill_claims(call, inputs);
    return r ? r : fill_inputs(call, inputs);
}
