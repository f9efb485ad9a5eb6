/* SPDX-License-Identifier: Apache-2.0 */
/* Thread that requests the status of the daemon several times a second. */
#include "draft.h"
#include "gateway.h"
#include "reply_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY_EVERY 5 /* polls between two requests for policy, injected faults, and histograms   \
                        */
#define MISSED 50      /* number of missed deadlines that are reported */

/* ---- the status ---- */

static void post_status(struct gate_hub *hub, const Linkage__V1__Status *status)
{
    struct draft draft;

    if (!draft_begin(&draft, "status"))
        return;
    lk_reply_status_json(&draft.json, status);
    gate_hub_post(hub, gate_parcel_end(GATE_STATUS, 0, gate_utc_ns(), &draft));
}

/* ---- inputs and parameters ---- */

/* Return the values that act, in the order of the model. Return NULL if the report belongs to
 * another model. */
static double *collect_acting(const struct gate_meaning *meaning,
                              const Linkage__V1__InputsReport *report)
{
    double *acting = calloc(meaning->n_inputs + 1, sizeof(*acting));
    size_t n = 0;

    for (size_t i = 0; i < report->n_inputs && acting != NULL; i++) {
        const Linkage__V1__InputReport *input = report->inputs[i];

        if (i >= meaning->model->n_inputs || n + input->n_acting > meaning->n_inputs ||
            strcmp(input->channel, meaning->model->inputs[i]->name) != 0)
            break;
        memcpy(acting + n, input->acting, input->n_acting * sizeof(*acting));
        n += input->n_acting;
    }
    if (n != meaning->n_inputs) {
        free(acting);
        return NULL;
    }
    return acting;
}

/* Return the value of a parameter. A tunable parameter has the value of the input with the same
 * name. */
static double find_value(const struct gate_meaning *meaning, const double *acting,
                         const Linkage__V1__ParameterDescription *parameter)
{
    for (size_t i = 0; parameter->tunable && i < meaning->model->n_inputs; i++)
        if (strcmp(meaning->model->inputs[i]->name, parameter->name) == 0)
            return acting[meaning->model->inputs[i]->offset];
    return parameter->value;
}

static void post_inputs(struct gate_hub *hub, const struct gate_meaning *meaning,
                        const double *acting)
{
    size_t n = meaning->model->n_parameters;
    struct gate_parcel *parameters;

    gate_meaning_post(meaning, hub, GATE_INPUTS, acting, gate_utc_ns());
    parameters =
        gate_parcel_new(GATE_PARAMETERS, meaning->number, gate_utc_ns(), NULL, n * sizeof(double));
    for (size_t i = 0; i < n && parameters != NULL; i++) {
        double value = find_value(meaning, acting, meaning->model->parameters[i]);

        memcpy(parameters->data + i * sizeof(value), &value, sizeof(value));
    }
    gate_hub_post(hub, parameters);
}

static void post_report(struct gate_hub *hub, uint32_t meaning,
                        const Linkage__V1__InputsReport *report)
{
    struct draft draft;

    if (!draft_begin(&draft, "inputs"))
        return;
    lk_reply_inputs_json(&draft.json, report);
    gate_hub_post(hub, gate_parcel_end(GATE_REPORT, meaning, gate_utc_ns(), &draft));
}

static void poll_inputs(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    struct gate_meaning *meaning = gate_hub_meaning(line->hub);
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    double *acting = NULL;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    if (meaning != NULL && meaning->n_inputs > 0 &&
        lk_client_call(line->poller, &request, &reply, &error) == 0 && reply->inputs != NULL)
        acting = collect_acting(meaning, reply->inputs);
    if (acting != NULL) {
        post_inputs(line->hub, meaning, acting);
        post_report(line->hub, meaning->number, reply->inputs);
    }
    free(acting);
    gate_meaning_drop(meaning);
}

/* ---- histograms ---- */

/* Write a distribution. Cycles later than the limit of the configuration are the last ones of it.
 * @late: number of these cycles */
static void put_histogram(struct lk_json *json, const char *name,
                          const Linkage__V1__Durations *durations, uint64_t late)
{
    size_t n = durations != NULL ? durations->n_bucket_upper_ns : 0;

    lk_json_open(json, name, '{');
    lk_json_count(json, "late", late);
    lk_json_open(json, "upper_ns", '[');
    for (size_t i = 0; i < n; i++)
        lk_json_count(json, NULL, durations->bucket_upper_ns[i]);
    lk_json_close(json, ']');
    lk_json_open(json, "count", '[');
    for (size_t i = 0; i < n && i < durations->n_bucket_count; i++)
        lk_json_count(json, NULL, durations->bucket_count[i]);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

/* ---- the policy; for a client with role control, also injected faults and the platform ---- */

/* Functions of this type write the requested content.
 * Return: true if the reply contains it; otherwise nothing is posted. */
typedef bool put_part(struct lk_json *json, const Linkage__V1__ControlReply *reply);

static bool put_policy(struct lk_json *json, const Linkage__V1__ControlReply *reply)
{
    if (reply->policy != NULL)
        lk_reply_policy_json(json, reply->policy);
    return reply->policy != NULL;
}

static bool put_faults(struct lk_json *json, const Linkage__V1__ControlReply *reply)
{
    if (reply->injections != NULL)
        lk_reply_injections_json(json, reply->injections);
    return reply->injections != NULL;
}

/* if there is no platform, an empty message reports this */
static bool put_platform(struct lk_json *json, const Linkage__V1__ControlReply *reply)
{
    if (reply->platform != NULL)
        lk_reply_platform_json(json, reply->platform);
    return true;
}

/* Send a request, and post the content of the reply.
 * Return: the reply, valid until the next request; NULL: no reply. */
static const Linkage__V1__ControlReply *poll_part(struct gate_line *line,
                                                  Linkage__V1__ControlRequest *request,
                                                  enum gate_topic topic, const char *op,
                                                  put_part *put)
{
    const Linkage__V1__ControlReply *reply;
    struct gate_parcel *parcel;
    struct lk_error error;
    struct draft draft;
    bool is_told;

    if (lk_client_call(line->poller, request, &reply, &error) != 0)
        return NULL;
    if (!draft_begin(&draft, op))
        return reply;
    is_told = put(&draft.json, reply);
    parcel = gate_parcel_end(topic, 0, gate_utc_ns(), &draft);
    if (is_told)
        gate_hub_post(line->hub, parcel);
    else
        gate_parcel_drop(parcel);
    return reply;
}

static bool put_histograms(struct lk_json *json, const Linkage__V1__ControlReply *reply)
{
    const Linkage__V1__Status *status = reply->status;

    if (status == NULL)
        return false;
    lk_json_count(json, "period_ns", status->period_ns);
    put_histogram(json, "wakeup", status->wakeup, status->late_wakeups);
    put_histogram(json, "compute", status->compute, status->long_computations);
    return true;
}

static void poll_histograms(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest ask = LINKAGE__V1__STATUS_REQUEST__INIT;

    ask.with_histograms = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &ask;
    poll_part(line, &request, GATE_HISTOGRAMS, "histograms", put_histograms);
}

static void poll_policy(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PolicyRequest ask = LINKAGE__V1__POLICY_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_POLICY;
    request.policy = &ask;
    poll_part(line, &request, GATE_POLICY, "policy", put_policy);
}

static void poll_faults(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InjectRequest ask = LINKAGE__V1__INJECT_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request.inject = &ask;
    poll_part(line, &request, GATE_FAULTS, "faults", put_faults);
}

/* Return false if the daemon has no platform. */
static bool poll_platform(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PlatformRequest ask = LINKAGE__V1__PLATFORM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_PLATFORM;
    request.platform = &ask;
    reply = poll_part(line, &request, GATE_PLATFORM, "platform", put_platform);
    return reply == NULL || reply->platform != NULL;
}

/* ---- missed deadlines ---- */

/* struct poll - state of the thread. It avoids requests whose result cannot have changed.
 * @n:            number of polls
 * @platform_of:  identifier of the daemon that was asked for its platform
 * @has_platform: this daemon has a platform
 * @overruns:     number of missed deadlines at the last request for them
 * @next:         number of the next missed deadline to be requested, from 1
 * @cycle:        ring buffer of the last missed deadlines
 * @n_cycles:     number of missed deadlines received so far */
struct poll {
    struct gate_line *line;
    struct gate_seen seen;
    uint64_t n;
    uint64_t platform_of;
    bool has_platform;
    uint64_t overruns;
    uint64_t next;
    size_t n_cycles;
    struct {
        uint64_t step;
        uint64_t utc_ns;
        int64_t woken_ns;
        int64_t ended_ns;
        char cause[64];
    } cycle[MISSED];
};

static void keep_cycle(struct poll *poll, const Linkage__V1__CycleRecord *record)
{
    size_t i = poll->n_cycles++ % MISSED;

    poll->cycle[i].step = record->step;
    poll->cycle[i].utc_ns = record->utc_ns;
    poll->cycle[i].woken_ns = record->woken_ns;
    poll->cycle[i].ended_ns = record->ended_ns;
    snprintf(poll->cycle[i].cause, sizeof(poll->cycle[i].cause), "%s", record->cause);
}

/* Post the missed deadlines, the newest first. */
static void post_missed(struct poll *poll)
{
    struct draft draft;

    if (!draft_begin(&draft, "missed"))
        return;
    lk_json_open(&draft.json, "cycles", '[');
    for (size_t i = 0; i < poll->n_cycles && i < MISSED; i++) {
        size_t k = (poll->n_cycles - 1 - i) % MISSED;

        lk_json_open(&draft.json, NULL, '{');
        lk_json_count(&draft.json, "step", poll->cycle[k].step);
        lk_json_number(&draft.json, "time", (double)poll->cycle[k].utc_ns / 1e9);
        lk_json_number(&draft.json, "woken_ns", (double)poll->cycle[k].woken_ns);
        lk_json_number(&draft.json, "ended_ns", (double)poll->cycle[k].ended_ns);
        lk_json_text(&draft.json, "cause", poll->cycle[k].cause);
        lk_json_close(&draft.json, '}');
    }
    lk_json_close(&draft.json, ']');
    gate_hub_post(poll->line->hub, gate_parcel_end(GATE_MISSED, 0, gate_utc_ns(), &draft));
}

static void poll_missed(struct poll *poll)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest ask = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;

    ask.with_cycles = true;
    ask.missed_from = poll->next;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &ask;
    if (lk_client_call(poll->line->poller, &request, &reply, &error) != 0 ||
        reply->evidence == NULL)
        return;
    for (size_t i = 0; i < reply->evidence->n_missed; i++)
        keep_cycle(poll, reply->evidence->missed[i]);
    poll->next = reply->evidence->missed_next > 0 ? reply->evidence->missed_next : poll->next;
    post_missed(poll);
}

/* Request new missed deadlines. After the begin of another run, start with an empty list. */
static void find_missed(struct poll *poll, uint64_t overruns)
{
    if (overruns < poll->overruns || poll->next == 0) {
        poll->next = 1;
        poll->n_cycles = 0;
        poll->overruns = 0;
        post_missed(poll);
    }
    if (overruns == poll->overruns && poll->next > overruns) /* a record may be late */
        return;
    poll->overruns = overruns;
    poll_missed(poll);
}

/* ---- all requests ---- */

static void poll_rest(struct poll *poll, uint64_t daemon_id, Linkage__V1__Role role)
{
    bool is_seldom = poll->n++ % POLICY_EVERY == 0;

    poll_inputs(poll->line);
    if (is_seldom) {
        poll_policy(poll->line);
        poll_histograms(poll->line);
    }
    if (role != LINKAGE__V1__ROLE__ROLE_CONTROL)
        return;
    if (is_seldom)
        poll_faults(poll->line);
    if (poll->platform_of != daemon_id || poll->has_platform)
        poll->has_platform = poll_platform(poll->line);
    poll->platform_of = daemon_id;
}

void *gate_poll(void *arg)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest ask = LINKAGE__V1__STATUS_REQUEST__INIT;
    struct poll poll = {.line = arg};
    struct gate_hub *hub = poll.line->hub;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &ask;
    while (!hub->stop) {
        const Linkage__V1__ControlReply *reply;
        struct lk_error error;

        if (lk_client_call(poll.line->poller, &request, &reply, &error) != 0) {
            gate_events_lost(hub, &poll.seen, error.text);
        } else if (reply->status != NULL) {
            uint64_t daemon_id = reply->status->daemon_id, overruns = reply->status->overruns;
            Linkage__V1__Role role = reply->status->role;

            gate_events_find(hub, &poll.seen, reply->status);
            post_status(hub, reply->status);
            find_missed(&poll, overruns);
            poll_rest(&poll, daemon_id, role);
        }
        gate_sleep_ms(GATE_POLL_MS);
    }
    return NULL;
}
