/* SPDX-License-Identifier: Apache-2.0 */
#include "benches.h"
#include "arm.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include <cmocka.h>

/* The motion decays, whatever inputs act. */
static const char model[] =
    RIG_ARM("benches",
            "forces:\n"
            "  drag: {type: joint-spring-damper, joint: pin, damping: 5, stiffness: 20}\n"
            "  more: {type: joint-spring-damper, joint: elbow, damping: 5, stiffness: 20}\n",
            "", "", "0.002");

/* number of tries with pauses of 5 ms until PATIENCE_MS of the harness */
#define TRIES (PATIENCE_MS / 5)

void benches_nap(int ms)
{
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&nap, NULL);
}

uint64_t benches_load(struct harness *h)
{
    const Linkage__V1__ControlReply *reply = harness_load(h, "benches.yaml", model);

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    return reply->status->model_id;
}

uint64_t benches_open(struct harness *h, const char *config)
{
    char text[1024];

    snprintf(text, sizeof(text), NOT_REALTIME "%s", config);
    harness_open(h, text);
    return benches_load(h);
}

/* ---- a bench ---- */

void bench_open(struct bench *b, struct harness *h)
{
    int zero = 0;

    *b = (struct bench){.h = h, .socket = zmq_socket(h->context, ZMQ_XPUB)};
    assert_non_null(b->socket);
    zmq_setsockopt(b->socket, ZMQ_LINGER, &zero, sizeof(zero));
    assert_int_equal(zmq_connect(b->socket, h->endpoint[1]), 0);
}

void bench_close(struct bench *b)
{
    zmq_close(b->socket);
}

const Linkage__V1__ControlReply *bench_ask_claim(struct bench *b, const char *name,
                                                 const char *first, const char *second)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    Linkage__V1__ClaimedChannel channel[2];
    Linkage__V1__ClaimedChannel *channels[2] = {&channel[0], &channel[1]};
    const Linkage__V1__ControlReply *reply;

    linkage__v1__claimed_channel__init(&channel[0]);
    linkage__v1__claimed_channel__init(&channel[1]);
    channel[0].name = (char *)first;
    channel[1].name = (char *)second;
    claim.bench = (char *)name;
    claim.channels = channels;
    claim.n_channels = second ? 2 : first ? 1 : 0;
    claim.token = b->token;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = &claim;
    reply = harness_ask(b->h, &request);
    if (reply->result == RESULT(OK)) {
        assert_non_null(reply->claim);
        b->token = reply->claim->token;
        b->number = reply->claim->number;
    }
    return reply;
}

void bench_claim(struct bench *b, const char *name, const char *first, const char *second)
{
    const Linkage__V1__ControlReply *reply = bench_ask_claim(b, name, first, second);

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
}

const Linkage__V1__ControlReply *bench_ask_release(struct bench *b)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ReleaseRequest release = LINKAGE__V1__RELEASE_REQUEST__INIT;

    release.token = b->token;
    b->token = 0;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RELEASE;
    request.release = &release;
    return harness_ask(b->h, &request);
}

/* Wait until the daemon subscribes. It does so when the connection is made, and again after each
 * interruption. */
static void await_subscription(struct bench *b)
{
    zmq_pollitem_t item = {.socket = b->socket, .events = ZMQ_POLLIN};
    char subscription[8];

    while (!b->subscribed || zmq_poll(&item, 1, 0) == 1) {
        assert_int_equal(zmq_poll(&item, 1, PATIENCE_MS), 1);
        assert_true(zmq_recv(b->socket, subscription, sizeof(subscription), 0) >= 0);
        b->subscribed = subscription[0] == 1;
    }
}

static void send(struct bench *b, Linkage__V1__InputSample *sample)
{
    unsigned char buffer[512];
    size_t size;

    await_subscription(b);
    sample->token = b->token;
    assert_int_equal(lk_wire_encode(&sample->base, buffer, sizeof(buffer), &size), 0);
    assert_true(zmq_send(b->socket, buffer, size, 0) >= 0);
}

void bench_send(struct bench *b, const double *values, size_t n)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    sample.sequence = ++b->sequence;
    sample.values = (double *)values;
    sample.n_values = n;
    send(b, &sample);
}

void bench_beat(struct bench *b)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;

    sample.heartbeat = true;
    send(b, &sample);
}

void bench_feed(struct bench *b, double value, int n)
{
    for (; n > 0; n--) {
        bench_send(b, &value, 1);
        benches_nap(1);
    }
}

/* ---- reports of the daemon ---- */

const Linkage__V1__InputsReport *benches_inputs(struct harness *h)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InputsRequest inputs = LINKAGE__V1__INPUTS_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INPUTS;
    request.inputs = &inputs;
    reply = harness_ask(h, &request);
    assert_int_equal(reply->result, RESULT(OK));
    assert_non_null(reply->inputs);
    assert_non_null(reply->inputs->refusals);
    return reply->inputs;
}

const Linkage__V1__InputReport *benches_input(struct harness *h, const char *channel)
{
    const Linkage__V1__InputsReport *inputs = benches_inputs(h);

    for (size_t i = 0; i < inputs->n_inputs; i++)
        if (strcmp(inputs->inputs[i]->channel, channel) == 0)
            return inputs->inputs[i];
    fail_msg("no input %s", channel);
    return NULL;
}

const Linkage__V1__ClaimReport *benches_claim(struct harness *h, const char *bench)
{
    const Linkage__V1__InputsReport *inputs = benches_inputs(h);

    for (size_t i = 0; i < inputs->n_claims; i++)
        if (strcmp(inputs->claims[i]->bench, bench) == 0)
            return inputs->claims[i];
    fail_msg("no claim of %s", bench);
    return NULL;
}

const Linkage__V1__InputReport *benches_await_acting(struct harness *h, const char *channel,
                                                     double value)
{
    const Linkage__V1__InputReport *input = NULL;

    for (int i = 0; i < TRIES; i++) {
        input = benches_input(h, channel);
        if (fabs(input->acting[0] - value) < 1e-9)
            return input;
        benches_nap(5);
    }
    fail_msg("%s acts with %g, expected %g", channel, input->acting[0], value);
    return NULL;
}

void bench_feed_until(struct bench *b, double value, const char *channel)
{
    const Linkage__V1__InputReport *input = NULL;

    for (int i = 0; i < TRIES; i++) {
        bench_feed(b, value, 5);
        input = benches_input(b->h, channel);
        if (fabs(input->acting[0] - value) < 1e-9 && input->acting_action == ACTION(COUNT))
            return;
    }
    fail_msg("%s acts with %g by action %d, expected %g", channel, input->acting[0],
             (int)input->acting_action, value);
}

void benches_await_lost(struct harness *h, const char *bench)
{
    for (int i = 0; i < TRIES; i++) {
        if (benches_claim(h, bench)->lost)
            return;
        benches_nap(5);
    }
    fail_msg("%s is not lost", bench);
}

const Linkage__V1__PolicyRow *benches_policy(struct harness *h, Linkage__V1__Condition condition)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__PolicyRequest policy = LINKAGE__V1__POLICY_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_POLICY;
    request.policy = &policy;
    reply = harness_ask(h, &request);
    assert_int_equal(reply->result, RESULT(OK));
    assert_non_null(reply->policy);
    for (size_t i = 0; i < reply->policy->n_rows; i++)
        if (reply->policy->rows[i]->condition == condition)
            return reply->policy->rows[i];
    fail_msg("no row of condition %d", (int)condition);
    return NULL;
}

static const Linkage__V1__ControlReply *ask_inject(struct harness *h, Linkage__V1__InjectRequest *q)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request.inject = q;
    return harness_ask(h, &request);
}

const Linkage__V1__ControlReply *benches_inject(struct harness *h, Linkage__V1__InjectionKind kind,
                                                const char *target, double amount, double for_s)
{
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;
    Linkage__V1__Injection injection = LINKAGE__V1__INJECTION__INIT, *list = &injection;

    injection.kind = kind;
    injection.target = (char *)target;
    injection.amount = amount;
    injection.for_s = for_s;
    inject.add = &list;
    inject.n_add = 1;
    return ask_inject(h, &inject);
}

const Linkage__V1__ControlReply *benches_clear(struct harness *h)
{
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;

    inject.clear = true;
    return ask_inject(h, &inject);
}

const Linkage__V1__ControlReply *benches_injections(struct harness *h)
{
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;

    return ask_inject(h, &inject);
}

const Linkage__V1__OutputSample *benches_await_flags(struct harness *h, uint32_t with,
                                                     uint32_t without)
{
    const Linkage__V1__OutputSample *sample = NULL;

    time_t until = time(NULL) + PATIENCE_MS / 1000;

    while (time(NULL) < until) {
        sample = harness_sample(h, PATIENCE_MS);
        assert_non_null(sample);
        if ((sample->flags & with) == with && (sample->flags & without) == 0)
            return sample;
    }
    fail_msg("flags are 0x%x, expected 0x%x without 0x%x", sample->flags, with, without);
    return NULL;
}
