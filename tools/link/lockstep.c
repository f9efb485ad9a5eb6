/* SPDX-License-Identifier: Apache-2.0 */
/* Both daemons in lockstep: each makes a step when this program says so, with what the other one
 * has sent. The same bits in every run. */
#include "link.h"

#include <math.h>

#define RESULT(name) LINKAGE__V1__RESULT__RESULT_##name

static int call(struct link *link, int side, Linkage__V1__ControlRequest *request,
                const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    struct lk_error why;
    int code = lk_client_call(link->side[side].client, request, ret_reply, &why);

    if (code != 0)
        lk_error_set(error, "%s: %s", link_side_names[side], why.text);
    return code;
}

/* Return: 0 with the outputs, or a code of the client. */
static int step_side(struct link *link, int side, const Linkage__V1__OutputSample **ret_outputs,
                     struct lk_error *error)
{
    struct link_side *s = &link->side[side];
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StepRequest step = LINKAGE__V1__STEP_REQUEST__INIT;
    Linkage__V1__InputSample input = LINKAGE__V1__INPUT_SAMPLE__INIT;
    const Linkage__V1__ControlReply *reply = NULL;
    int code;

    input.sequence = step.number = ++s->number;
    input.token = s->token;
    input.model_id = s->model_id;
    input.n_values = (size_t)s->n;
    input.values = s->values;
    step.steps = 1;
    step.input = s->n > 0 ? &input : NULL;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STEP;
    request.step = &step;
    do /* the same request again where the machine had no time for it yet */
        code = call(link, side, &request, &reply, error);
    while (code == 0 && reply->result == RESULT(INTERNAL) && !link_stop_asked());
    if (code == 0 && (reply->result != RESULT(OK) || reply->outputs == NULL)) {
        lk_error_set(error, "%s: %s", link_side_names[side], reply->text);
        code = LK_CLIENT_E_REFUSED;
    }
    if (code == 0)
        *ret_outputs = reply->outputs;
    return code;
}

static int claim_side(struct link *link, int side, struct lk_error *error)
{
    struct link_side *s = &link->side[side];
    Linkage__V1__ClaimedChannel channel[LINK_VALUES_MAX], *list[LINK_VALUES_MAX];
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error why;

    for (int i = 0; i < s->n; i++) {
        linkage__v1__claimed_channel__init(&channel[i]);
        channel[i].name = (char *)s->in[i];
        list[i] = &channel[i];
    }
    claim.bench = (char *)"linkage-link";
    claim.channels = list;
    claim.n_channels = (size_t)s->n;
    claim.model_id = s->model_id;
    if (s->n == 0)
        return 0;
    if (lk_client_claim(s->client, &claim, &reply, &why) != 0) {
        lk_error_set(error, "%s: %s", link_side_names[side], why.text);
        return 1;
    }
    if (reply->claim == NULL) {
        lk_error_set(error, "%s: %s", link_side_names[side], reply->text);
        return 1;
    }
    s->token = reply->claim->token;
    return 0;
}

/* A request without arguments. Return: 0 with an answer that is no refusal. */
static int ask(struct link *link, int side, Linkage__V1__ControlRequest__CommandCase command,
               const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    struct lk_error why;
    int code = lk_client_command(link->side[side].client, command, ret_reply, &why);

    if (code == 0 && (*ret_reply)->result == RESULT(OK))
        return 0;
    lk_error_set(error, "%s: %s", link_side_names[side], code ? why.text : (*ret_reply)->text);
    return 1;
}

static int describe_side(struct link *link, int side, struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;

    if (ask(link, side, LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE, &reply, error) != 0)
        return 1;
    if (reply->description == NULL ||
        reply->description->mode != LINKAGE__V1__MODE__MODE_LOCKSTEP) {
        lk_error_set(error,
                     "%s: not in lockstep, expected `linkagectl arm --mode lockstep`, or "
                     "--realtime here",
                     link_side_names[side]);
        return 1;
    }
    return link_describe(link, side, reply->description, error);
}

/* starts it if it is armed */
static int open_side(struct link *link, int side, struct lk_error *error)
{
    const Linkage__V1__ControlReply *reply;

    if (describe_side(link, side, error) != 0 || claim_side(link, side, error) != 0 ||
        ask(link, side, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply, error) != 0)
        return 1;
    if (reply->status->step > 0) {
        lk_error_set(error, "%s: at step %llu, expected a run at its start: stop and reset it",
                     link_side_names[side], (unsigned long long)reply->status->step);
        return 1;
    }
    if (reply->status->state != LINKAGE__V1__STATE__STATE_ARMED)
        return 0;
    return ask(link, side, LINKAGE__V1__CONTROL_REQUEST__COMMAND_START, &reply, error);
}

/* A claim that is not given back would keep its channels until its lease is over. */
static void release_side(struct link *link, int side)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error unused;

    if (link->side[side].token != 0)
        (void)lk_client_release(link->side[side].client, link->side[side].token, &reply, &unused);
}

static int make_step(struct link *link, struct lk_error *error)
{
    const Linkage__V1__OutputSample *outputs[LINK_SIDES];

    for (int side = 0; side < LINK_SIDES; side++)
        link_waves(link, side, link->done);
    for (int side = 0; side < LINK_SIDES; side++)
        if (step_side(link, side, &outputs[side], error) != 0)
            return 1;
    for (int side = 0; side < LINK_SIDES; side++)
        link_take(link, side, outputs[side]->values, link->done, 1);
    link->done++;
    return 0;
}

int link_lockstep(struct link *link, struct lk_error *error)
{
    int r = 0;

    for (int side = 0; side < LINK_SIDES && r == 0; side++) {
        link->side[side].number = (uint64_t)lk_client_now_ns();
        r = open_side(link, side, error);
    }
    if (r == 0 && fabs(link->side[LINK_LEFT].h - link->side[LINK_RIGHT].h) >
                      1e-12 * link->side[LINK_LEFT].h) {
        lk_error_set(error, "steps of %g s and %g s, expected the same in both models",
                     link->side[LINK_LEFT].h, link->side[LINK_RIGHT].h);
        r = 1;
    }
    while (r == 0 && (link->steps == 0 || link->done < link->steps) && !link_stop_asked())
        r = make_step(link, error);
    for (int side = 0; side < LINK_SIDES; side++)
        release_side(link, side);
    return r;
}
