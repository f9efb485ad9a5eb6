/* SPDX-License-Identifier: Apache-2.0 */
#include "rig_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ARM_NS  INT64_C(120000000000) /* time limit after which the daemon is considered dead */
#define LOOK_NS INT64_C(50000000)

/* Send @request. A refusal counts as an error. */
static int send_request(struct lat_rig *rig, Linkage__V1__ControlRequest *request, const char *verb,
                        const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    struct lk_error reason;
    int code = lk_client_call(rig->client, request, ret_reply, &reason);

    if (code == LK_CLIENT_E_NO_ANSWER || code == LK_CLIENT_E_SILENT)
        lk_error_set(&reason, "no answer");
    if (code == 0 && (*ret_reply)->result != LINKAGE__V1__RESULT__RESULT_OK) {
        lk_error_set(&reason, "%s", (*ret_reply)->text);
        code = 1;
    }
    if (code != 0)
        lk_error_set(error, "linkaged (wake: %s), %s: %.300s; its log: %s",
                     lat_wake_name(rig->wake), verb, reason.text, rig->log);
    return code;
}

static int ask_status(struct lat_rig *rig, const Linkage__V1__Status **ret_status,
                      struct lk_error *error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status = LINKAGE__V1__STATUS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int code;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS;
    request.status = &status;
    code = send_request(rig, &request, "status", &reply, error);
    if (code == 0 && reply->status == NULL) {
        lk_error_set(error, "linkaged answers without a status");
        code = 1;
    }
    if (code == 0)
        *ret_status = reply->status;
    return code;
}

static int request_description(struct lat_rig *rig, struct lk_error *error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest command = LINKAGE__V1__DESCRIBE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__ModelDescription *d;
    int code;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    request.describe = &command;
    code = send_request(rig, &request, "describe", &reply, error);
    if (code == 0 && reply->description == NULL) {
        lk_error_set(error, "linkaged describes no model");
        code = 1;
    }
    if (code != 0)
        return code;
    d = reply->description;
    rig->model_id = d->model_id;
    rig->period_ns = (int64_t)d->period_ns;
    rig->n_inputs = 0;
    if (d->n_inputs > 0)
        rig->n_inputs =
            d->inputs[d->n_inputs - 1]->offset + d->inputs[d->n_inputs - 1]->n_components;
    return 0;
}

int lat_rig_load(struct lat_rig *rig, const char *name, const char *text,
                 struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int code;

    load.name = (char *)name;
    load.text.data = (uint8_t *)text;
    load.text.len = strlen(text);
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &load;
    code = send_request(rig, &request, "load", &reply, ret_error);
    return code != 0 ? code : request_description(rig, ret_error);
}

static void keep_degraded(struct lat_rig *rig, const Linkage__V1__Status *status)
{
    rig->n_degraded = 0;
    for (size_t i = 0; i < status->n_degraded && rig->n_degraded < LAT_DEGRADED_MAX; i++)
        snprintf(rig->degraded[rig->n_degraded++], LAT_TEXT, "%s", status->degraded[i]);
}

static int await_armed(struct lat_rig *rig, struct lk_error *error)
{
    int64_t until_ns = lk_client_now_ns() + ARM_NS;
    const Linkage__V1__Status *status;

    for (;;) {
        int code = ask_status(rig, &status, error);

        if (code != 0)
            return code;
        if (status->state != LINKAGE__V1__STATE__STATE_ARMING)
            break;
        if (!lat_wait_until(lk_client_now_ns() + LOOK_NS))
            return -EINTR;
        if (lk_client_now_ns() > until_ns)
            break;
    }
    if (status->proof != NULL)
        snprintf(rig->proof, sizeof(rig->proof), "%s", status->proof->text);
    keep_degraded(rig, status);
    if (status->state == LINKAGE__V1__STATE__STATE_ARMED)
        return 0;
    lk_error_set(error, "linkaged (wake: %s) is %s instead of armed: %.300s",
                 lat_wake_name(rig->wake), lk_client_state_name(status->state), rig->proof);
    return 1;
}

int lat_rig_arm(struct lat_rig *rig, uint32_t steps, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int code;

    arm.allow_degraded = true;
    arm.steps = steps;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &arm;
    code = send_request(rig, &request, "arm", &reply, ret_error);
    return code != 0 ? code : await_armed(rig, ret_error);
}

static int send_command(struct lat_rig *rig, Linkage__V1__ControlRequest *request, const char *verb,
                        struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;
    int code = send_request(rig, request, verb, &reply, error);

    if (code == 0 && reply->status != NULL)
        keep_degraded(rig, reply->status);
    return code;
}

int lat_rig_start(struct lat_rig *rig, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StartRequest start = LINKAGE__V1__START_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_START;
    request.start = &start;
    return send_command(rig, &request, "start", ret_error);
}

int lat_rig_stop(struct lat_rig *rig, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StopRequest stop = LINKAGE__V1__STOP_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP;
    request.stop = &stop;
    return send_command(rig, &request, "stop", ret_error);
}

int lat_rig_take_durations(const Linkage__V1__Durations *durations,
                           struct lat_histogram *ret_histogram)
{
    struct lat_histogram histogram = {.max_us = (double)durations->max_ns * 1e-3};
    int code = 0;

    for (size_t i = 0;
         i < durations->n_bucket_upper_ns && i < durations->n_bucket_count && code == 0; i++) {
        /* the last bucket has no upper bound; its samples are at most the maximum */
        uint64_t last_ns =
            durations->bucket_upper_ns[i] > durations->max_ns + (durations->max_ns >> 5)
                ? durations->max_ns
                : durations->bucket_upper_ns[i];
        int power = last_ns > 0 ? (int)log2((double)last_ns) : 0;
        double width_ns = power > 5 ? ldexp(1, power - 5) : 1;

        code = lat_histogram_add(&histogram, ((double)last_ns + 1 - width_ns) * 1e-3,
                                 ((double)last_ns + 1) * 1e-3, durations->bucket_count[i]);
    }
    if (code != 0)
        lat_histogram_fini(&histogram);
    else
        *ret_histogram = histogram;
    return code;
}

int lat_rig_wakeups(struct lat_rig *rig, struct lat_wakeups *ret_wakeups,
                    struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest ask_for = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lat_wakeups wakeups = {0};
    int code;

    ask_for.with_histograms = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &ask_for;
    code = send_request(rig, &request, "evidence", &reply, ret_error);
    if (code != 0)
        return code;
    if (reply->evidence == NULL || reply->evidence->wakeup == NULL) {
        lk_error_set(ret_error, "linkaged tells nothing of its wake-ups");
        return 1;
    }
    wakeups.overruns = reply->evidence->overruns;
    wakeups.skipped = reply->evidence->skipped;
    code = lat_rig_take_durations(reply->evidence->wakeup, &wakeups.late);
    if (code == 0)
        *ret_wakeups = wakeups;
    else
        lk_error_set(ret_error, "out of memory");
    return code;
}
