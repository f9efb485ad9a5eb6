/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that asks the daemon how it is, several times a second. */
#include "gateway.h"
#include "linkage/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY_EVERY 5 /* polls */

/* ---- the status as JSON ---- */

static void put_durations(struct lk_json *json, const char *key,
                          const Linkage__V1__Durations *durations)
{
    if (durations == NULL)
        return;
    lk_json_open(json, key, '{');
    lk_json_number(json, "p50_us", (double)durations->p50_ns / 1e3);
    lk_json_number(json, "p99_us", (double)durations->p99_ns / 1e3);
    lk_json_number(json, "max_us", (double)durations->max_ns / 1e3);
    lk_json_close(json, '}');
}

static void put_proof(struct lk_json *json, const Linkage__V1__Proof *proof)
{
    if (proof == NULL)
        return;
    lk_json_open(json, "proof", '{');
    lk_json_bool(json, "valid", proof->valid);
    lk_json_number(json, "progress", proof->progress);
    lk_json_number(json, "share_limit", proof->share_limit);
    lk_json_text(json, "text", proof->text);
    lk_json_close(json, '}');
}

static void put_recording(struct lk_json *json, const Linkage__V1__Recording *recording)
{
    if (recording == NULL)
        return;
    lk_json_open(json, "recording", '{');
    lk_json_bool(json, "active", recording->active);
    lk_json_text(json, "file", recording->file);
    lk_json_count(json, "cycles", recording->cycles);
    lk_json_count(json, "dropped", recording->dropped);
    lk_json_text(json, "trouble", recording->trouble);
    lk_json_close(json, '}');
}

static void put_status(struct lk_json *json, const Linkage__V1__Status *status)
{
    char words[LK_NAMES_FLAGS_SIZE];

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "op", "status"); /* what pages know it by */
    lk_json_text(json, "state", lk_client_state_name(status->state));
    lk_json_text(json, "fault", status->fault);
    lk_json_text(json, "flags", lk_names_flags(status->flags, words));
    lk_json_texts(json, "degraded", (const char *const *)status->degraded, status->n_degraded);
    lk_json_text(json, "model", status->model);
    lk_json_text(json, "mode", lk_names_mode(status->mode));
    lk_json_count(json, "step", status->step);
    lk_json_number(json, "time_s", status->time_s);
    lk_json_number(json, "period_us", (double)status->period_ns / 1e3);
    lk_json_count(json, "cycles", status->cycles);
    lk_json_count(json, "overruns", status->overruns);
    lk_json_count(json, "late_wakeups", status->late_wakeups);
    lk_json_count(json, "long_computations", status->long_computations);
    lk_json_count(json, "skipped", status->skipped);
    put_durations(json, "wakeup", status->wakeup);
    put_durations(json, "compute", status->compute);
    lk_json_count(json, "inputs_accepted", status->inputs_accepted);
    lk_json_count(json, "inputs_refused", status->inputs_refused);
    lk_json_number(json, "residual_position", status->residual_position);
    lk_json_number(json, "energy_j", status->kinetic + status->potential);
    lk_json_count(json, "claims", status->claims);
    lk_json_count(json, "trips", status->trips);
    lk_json_text(json, "role", lk_names_role(status->role));
    lk_json_text(json, "version", status->version);
    put_proof(json, status->proof);
    put_recording(json, status->recording);
    lk_json_close(json, '}');
}

static void post_status(struct gate_hub *hub, const Linkage__V1__Status *status)
{
    char *text = NULL;
    size_t size = 0;
    struct lk_json json = {.file = open_memstream(&text, &size)};

    if (json.file == NULL)
        return;
    put_status(&json, status);
    if (fclose(json.file) == 0)
        gate_hub_post(hub, gate_parcel_new(GATE_STATUS, 0, gate_now_ns(), text, size));
    free(text);
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

static void put_numbers(struct lk_json *json, const char *key, const double *values, size_t n)
{
    lk_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++)
        lk_json_number(json, NULL, values[i]);
    lk_json_close(json, ']');
}

static void put_input(struct lk_json *json, const Linkage__V1__InputReport *input)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "channel", input->channel);
    lk_json_text(json, "bench", input->bench);
    put_numbers(json, "values", input->values, input->n_values);
    put_numbers(json, "acting", input->acting, input->n_acting);
    lk_json_bool(json, "stale", input->stale);
    lk_json_text(json, "action", lk_names_action(input->acting_action));
    lk_json_text(json, "condition",
                 input->condition != 0 ? lk_names_condition(input->condition) : "");
    lk_json_count(json, "age_steps", input->age_steps);
    lk_json_count(json, "trips", input->trips);
    lk_json_close(json, '}');
}

static void post_report(struct gate_hub *hub, uint32_t meaning,
                        const Linkage__V1__InputsReport *report)
{
    char *text = NULL;
    size_t size = 0;
    struct lk_json json = {.file = open_memstream(&text, &size)};

    if (json.file == NULL)
        return;
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "op", "inputs");
    lk_json_open(&json, "inputs", '[');
    for (size_t i = 0; i < report->n_inputs; i++)
        put_input(&json, report->inputs[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    if (fclose(json.file) == 0)
        gate_hub_post(hub, gate_parcel_new(GATE_REPORT, meaning, gate_now_ns(), text, size));
    free(text);
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

static void put_row(struct lk_json *json, const Linkage__V1__PolicyRow *row)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "condition", lk_names_condition(row->condition));
    lk_json_text(json, "action", lk_names_action(row->action));
    lk_json_text(json, "limit", row->limit);
    lk_json_text(json, "channel", row->channel);
    lk_json_count(json, "count", row->count);
    lk_json_count(json, "last_step", row->last_step);
    lk_json_close(json, '}');
}

static void poll_policy(struct gate_line *line)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PolicyRequest ask = LINKAGE__V1__POLICY_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_json json = {0};
    struct lk_error error;
    char *text = NULL;
    size_t size = 0;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_POLICY;
    request.policy = &ask;
    if (lk_client_call(line->poller, &request, &reply, &error) != 0 || reply->policy == NULL)
        return;
    json.file = open_memstream(&text, &size);
    if (json.file == NULL)
        return;
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "op", "policy");
    lk_json_open(&json, "rows", '[');
    for (size_t i = 0; i < reply->policy->n_rows; i++)
        put_row(&json, reply->policy->rows[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    if (fclose(json.file) == 0)
        gate_hub_post(line->hub, gate_parcel_new(GATE_POLICY, 0, gate_now_ns(), text, size));
    free(text);
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
