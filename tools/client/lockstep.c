/* SPDX-License-Identifier: Apache-2.0 */
#include "lockstep.h"

#define RESULT(name) LINKAGE__V1__RESULT__RESULT_##name
#define CHANNELS_MAX 256

/* Send a request without arguments. Return: 0 if it was not refused. */
static int ask(struct lk_client_lockstep *l, Linkage__V1__ControlRequest__CommandCase command,
               const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    struct lk_error why;
    int code = lk_client_command(l->client, command, ret_reply, &why);

    if (code == 0 && (*ret_reply)->result == RESULT(OK))
        return 0;
    lk_error_set(error, "%s", code ? why.text : (*ret_reply)->text);
    return 1;
}

int lk_client_lockstep_describe(struct lk_client_lockstep *l,
                                const Linkage__V1__ModelDescription **ret_model,
                                struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;

    if (ask(l, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply, error) != 0)
        return 1;
    if (reply->description == NULL ||
        reply->description->mode != LINKAGE__V1__MODE__MODE_LOCKSTEP) {
        lk_error_set(error, "not in lockstep, expected `linkagectl arm --mode lockstep`, or "
                            "--realtime here");
        return 1;
    }
    l->model_id = reply->description->model_id;
    *ret_model = reply->description;
    return 0;
}

static int claim(struct lk_client_lockstep *l, const char *bench, const char *const *channels,
                 int n, struct lk_error *error)
{
    Linkage__V1__ClaimedChannel channel[CHANNELS_MAX], *list[CHANNELS_MAX];
    Linkage__V1__ClaimRequest request = LINKAGE__V1__CLAIM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;

    if (n == 0)
        return 0;
    if (n > CHANNELS_MAX) {
        lk_error_set(error, "%d inputs, expected at most %d", n, CHANNELS_MAX);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        linkage__v1__claimed_channel__init(&channel[i]);
        channel[i].name = (char *)channels[i];
        list[i] = &channel[i];
    }
    request.bench = (char *)bench;
    request.channels = list;
    request.n_channels = (size_t)n;
    request.model_id = l->model_id;
    if (lk_client_claim(l->client, &request, &reply, error) != 0)
        return 1;
    if (reply->claim == NULL) {
        lk_error_set(error, "%s", reply->text);
        return 1;
    }
    l->token = reply->claim->token;
    return 0;
}

/* Check that the run is at step 0, and start it if it is armed. */
static int begin_run(struct lk_client_lockstep *l, struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;

    if (ask(l, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply, error) != 0)
        return 1;
    if (reply->status->step > 0) {
        lk_error_set(error, "at step %llu, expected a run at its start: stop and reset it",
                     (unsigned long long)reply->status->step);
        return 1;
    }
    if (reply->status->state != LINKAGE__V1__STATE__STATE_ARMED)
        return 0;
    return ask(l, LINKAGE__V1__CONTROL_REQUEST__COMMAND_START, &reply, error);
}

int lk_client_lockstep_begin(struct lk_client_lockstep *l, const char *bench,
                             const char *const *channels, int n, struct lk_error *error)
{
    l->number = (uint64_t)lk_client_now_ns();
    if (claim(l, bench, channels, n, error) != 0)
        return 1;
    if (begin_run(l, error) != 0) {
        lk_client_lockstep_end(l);
        return 1;
    }
    return 0;
}

int lk_client_lockstep_step(struct lk_client_lockstep *l, double *values, int n,
                            bool (*is_over)(void), const Linkage__V1__OutputSample **ret_outputs,
                            struct lk_error *error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StepRequest step = LINKAGE__V1__STEP_REQUEST__INIT;
    Linkage__V1__InputSample input = LINKAGE__V1__INPUT_SAMPLE__INIT;
    const Linkage__V1__ControlReply *reply = NULL;
    int code;

    input.sequence = step.number = ++l->number;
    input.token = l->token;
    input.model_id = l->model_id;
    input.n_values = (size_t)n;
    input.values = values;
    step.steps = 1;
    step.input = n > 0 ? &input : NULL;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STEP;
    request.step = &step;
    do
        code = lk_client_call(l->client, &request, &reply, error);
    while (code == 0 && reply->result == RESULT(INTERNAL) && !is_over());
    if (code == 0 && (reply->result != RESULT(OK) || reply->outputs == NULL)) {
        lk_error_set(error, "%s", reply->text);
        code = LK_CLIENT_E_REFUSED;
    }
    if (code == 0)
        *ret_outputs = reply->outputs;
    return code;
}

void lk_client_lockstep_end(struct lk_client_lockstep *l)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error unused;

    if (l->token != 0)
        (void)lk_client_release(l->client, l->token, &reply, &unused);
    l->token = 0;
}
