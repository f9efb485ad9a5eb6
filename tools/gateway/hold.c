/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"
#include "channels.h"
#include "draft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READY_MS 1000 /* time limit for the connection to the daemon's inputs */

static int find(const struct hold *hold, const char *name)
{
    for (int i = 0; i < hold->n; i++)
        if (strcmp(hold->channel[i].name, name) == 0)
            return i;
    return -1;
}

/* Report the claimed channels to pages. */
static void tell(const struct hold *hold)
{
    struct draft draft;

    if (!draft_begin(&draft, "held"))
        return;
    lk_json_open(&draft.json, "channels", '[');
    for (int i = 0; i < hold->n; i++)
        lk_json_text(&draft.json, NULL, hold->channel[i].name);
    lk_json_close(&draft.json, ']');
    gate_hub_post(hold->line->hub, gate_parcel_end(GATE_HELD, 0, gate_utc_ns(), &draft));
}

static uint32_t present_meaning(struct gate_hub *hub)
{
    struct gate_meaning *meaning = gate_hub_meaning(hub);
    uint32_t number = meaning != NULL ? meaning->number : 0;

    gate_meaning_drop(meaning);
    return number;
}

static void forget(struct hold *hold)
{
    hold->n = 0;
    hold->token = 0;
    tell(hold);
}

/* ---- samples ---- */

static void send_values(struct hold *hold)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    double values[HOLD_CHANNELS * LK_COMPONENTS_MAX];

    sample.sequence = ++hold->sequence;
    sample.origin_ns = (uint64_t)lk_client_now_ns();
    sample.token = hold->token;
    sample.values = values;
    for (int i = 0; i < hold->n; i++) {
        memcpy(values + sample.n_values, hold->channel[i].value,
               hold->channel[i].size * sizeof(*values));
        sample.n_values += hold->channel[i].size;
    }
    lk_client_inputs_send(hold->sender, &sample);
}

static int open_sender(struct hold *hold, struct lk_error *ret_error)
{
    int code;

    if (hold->sender != NULL)
        return 0;
    if (*hold->line->inputs == '\0') {
        lk_error_set(ret_error, "--inputs is wanted beside --endpoint %s",
                     hold->line->options->endpoint);
        return 1;
    }
    code =
        lk_client_inputs_open(hold->line->operator, hold->line->inputs, &hold->sender, ret_error);
    if (code == 0 && lk_client_inputs_wait(hold->sender, READY_MS) != 0) {
        lk_error_set(ret_error, "no inputs are taken at %s", hold->line->inputs);
        code = 1;
    }
    if (code != 0) {
        lk_client_inputs_close(hold->sender);
        hold->sender = NULL;
    }
    return code != 0;
}

/* ---- claims ---- */

/* Request a claim of all held channels, and of @extra (may be NULL), but without the channel with
 * index @left_out (-1: none). The new claim replaces the previous one.
 * Return: 0, 1. */
static int ask_claim(struct hold *hold, const char *extra, int left_out,
                     const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error)
{
    Linkage__V1__ClaimedChannel channels[HOLD_CHANNELS], *list[HOLD_CHANNELS];
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;

    for (int i = 0; i < hold->n + (extra != NULL); i++) {
        if (i == left_out)
            continue;
        list[claim.n_channels] = &channels[claim.n_channels];
        linkage__v1__claimed_channel__init(&channels[claim.n_channels]);
        channels[claim.n_channels++].name = (char *)(i < hold->n ? hold->channel[i].name : extra);
    }
    claim.bench = (char *)HOLD_NAME;
    claim.channels = list;
    claim.token = hold->token;
    if (lk_client_claim(hold->line->operator, & claim, ret_reply, ret_error) != 0) {
        *ret_reply = NULL;
        return 1;
    }
    if ((*ret_reply)->claim == NULL || (*ret_reply)->claim->n_channels != claim.n_channels) {
        lk_error_set(ret_error, "%s", (*ret_reply)->text);
        return 1;
    }
    hold->token = (*ret_reply)->claim->token;
    return 0;
}

/* Set the initial value to the value that is commanded at present. */
static void take_over(struct hold *hold, struct held *held)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored; /* after a failure the channel keeps the initial value of the model */

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    if (lk_client_call(hold->line->operator, & request, &reply, &ignored) != 0 ||
        reply->inputs == NULL)
        return;
    for (size_t i = 0; i < reply->inputs->n_inputs; i++) {
        const Linkage__V1__InputReport *input = reply->inputs->inputs[i];

        if (strcmp(input->channel, held->name) == 0 && input->n_values == held->size)
            memcpy(held->value, input->values, held->size * sizeof(*held->value));
    }
}

int hold_claim(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
               struct lk_error *ret_error)
{
    const Linkage__V1__ChannelDescription *c;
    struct held *held = &hold->channel[hold->n];

    *ret_reply = NULL;
    if (find(hold, name) >= 0)
        return 0;
    if (hold->n == HOLD_CHANNELS || strlen(name) > LK_WIRE_NAME_MAX) {
        lk_error_set(ret_error, "this page holds %d inputs, no more than that", hold->n);
        return 1;
    }
    if (open_sender(hold, ret_error) != 0 || ask_claim(hold, name, -1, ret_reply, ret_error) != 0)
        return 1;
    c = (*ret_reply)->claim->channels[hold->n];
    *held = (struct held){.low = c->low, .high = c->high};
    snprintf(held->name, sizeof(held->name), "%s", name);
    held->size = c->n_units < LK_COMPONENTS_MAX ? c->n_units : LK_COMPONENTS_MAX;
    for (size_t i = 0; i < held->size; i++)
        held->value[i] = c->initial;
    *ret_reply = NULL;
    take_over(hold, held);
    hold->n++;
    hold->meaning = present_meaning(hold->line->hub);
    hold->operator= hold->line->hub->operator;
    tell(hold);
    return 0;
}

int hold_release(struct hold *hold, const char *name, const Linkage__V1__ControlReply **ret_reply,
                 struct lk_error *ret_error)
{
    int i = find(hold, name);

    *ret_reply = NULL;
    if (i < 0) {
        lk_error_set(ret_error, "'%s' is not claimed by this page", name);
        return 1;
    }
    if (hold->n > 1) {
        if (ask_claim(hold, NULL, i, ret_reply, ret_error) != 0)
            return 1;
        *ret_reply = NULL;
        hold->n--;
        memmove(hold->channel + i, hold->channel + i + 1,
                (size_t)(hold->n - i) * sizeof(*hold->channel));
        tell(hold);
        return 0;
    }
    lk_client_release(hold->line->operator, hold->token, ret_reply, ret_error);
    *ret_reply = NULL;
    forget(hold);
    return 0;
}

/* ---- values ---- */

int hold_set(struct hold *hold, const char *name, const double *values, size_t n,
             struct lk_error *ret_error)
{
    int found = find(hold, name);
    struct held *held = &hold->channel[found < 0 ? 0 : found];

    if (found < 0) {
        lk_error_set(ret_error, "claim '%s' first: only then its value is this page's", name);
        return 1;
    }
    if (n != held->size) {
        lk_error_set(ret_error, "'%s' has %zu values, not %zu", name, held->size, n);
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        if (!(values[i] >= held->low && values[i] <= held->high)) {
            lk_error_set(ret_error, "%.9g is beyond the limits of '%s': %.9g to %.9g", values[i],
                         name, held->low, held->high);
            return 1;
        }
    memcpy(held->value, values, n * sizeof(*values));
    send_values(hold);
    return 0;
}

void hold_feed(struct hold *hold)
{
    struct gate_hub *hub = hold->line->hub;
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored;
    bool is_silent = gate_clock_ns() > hub->heard_ns + HOLD_SILENCE_S * UINT64_C(1000000000);

    if (hold->n == 0)
        return;
    if (hold->meaning != present_meaning(hub)) {
        forget(hold); /* the claim ended with its model or daemon */
    } else if (is_silent || hold->operator!= hub->operator) {
        lk_client_release(hold->line->operator, hold->token, &reply, &ignored);
        gate_hub_say(hub, GATE_WARNING, "claims", NULL,
                     "the inputs that the page has claimed are free: %s",
                     is_silent ? "it is not heard of" : "it has given the controls back");
        forget(hold);
    } else {
        send_values(hold);
    }
}

void hold_close(struct hold *hold)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_error ignored;

    if (hold->n > 0)
        lk_client_release(hold->line->operator, hold->token, &reply, &ignored);
    lk_client_inputs_close(hold->sender);
}
