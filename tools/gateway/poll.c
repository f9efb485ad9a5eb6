/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that asks the daemon how it is, several times a second. */
#include "draft.h"
#include "gateway.h"
#include "reply_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY_EVERY 5 /* polls */

/* ---- the status ---- */

/* Finishes @draft and hands it over. */
static void post_draft(struct gate_hub *hub, enum gate_topic topic, uint32_t meaning,
                       struct draft *draft)
{
    if (draft_end(draft))
        gate_hub_post(hub,
                      gate_parcel_new(topic, meaning, gate_now_ns(), draft->text, draft->size));
    free(draft->text);
}

static void post_status(struct gate_hub *hub, const Linkage__V1__Status *status)
{
    struct draft draft;

    if (!draft_begin(&draft, "status"))
        return;
    lk_reply_status_json(&draft.json, status);
    post_draft(hub, GATE_STATUS, 0, &draft);
}

/* ---- inputs and parameters ---- */

/* the values that act, in the order of the model; NULL: the report is of another one */
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

/* a tunable parameter is the input of its name */
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
    struct gate_parcel *inputs, *parameters;

    inputs =
        gate_parcel_new(GATE_INPUTS, meaning->number, gate_now_ns(), NULL, meaning->inputs.size);
    if (inputs != NULL)
        lk_mcap_type_fill(&meaning->inputs, acting, inputs->data);
    gate_hub_post(hub, inputs);
    parameters =
        gate_parcel_new(GATE_PARAMETERS, meaning->number, gate_now_ns(), NULL, n * sizeof(double));
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
    post_draft(hub, GATE_REPORT, meaning, &draft);
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

/* ---- the policy ---- */

static void poll_policy(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PolicyRequest ask = LINKAGE__V1__POLICY_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;
    struct draft draft;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_POLICY;
    request.policy = &ask;
    if (lk_client_call(line->poller, &request, &reply, &error) != 0 || reply->policy == NULL ||
        !draft_begin(&draft, "policy"))
        return;
    lk_reply_policy_json(&draft.json, reply->policy);
    post_draft(line->hub, GATE_POLICY, 0, &draft);
}

void *gate_poll(void *arg)
{
    struct gate_line *line = arg;
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest ask = LINKAGE__V1__STATUS_REQUEST__INIT;
    struct gate_seen seen = {0};
    uint64_t n = 0;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &ask;
    while (!line->hub->stop) {
        const Linkage__V1__ControlReply *reply;
        struct lk_error error;

        if (lk_client_call(line->poller, &request, &reply, &error) != 0) {
            gate_events_lost(line->hub, &seen, error.text);
        } else if (reply->status != NULL) {
            gate_events_find(line->hub, &seen, reply->status);
            post_status(line->hub, reply->status);
            poll_inputs(line);
            if (n++ % POLICY_EVERY == 0)
                poll_policy(line);
        }
        gate_sleep_ms(GATE_POLL_MS);
    }
    return NULL;
}
