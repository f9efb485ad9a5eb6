/* SPDX-License-Identifier: Apache-2.0 */
/* Benches that claim inputs of a real daemon and feed them, and what the daemon says about it.
 * Every failure ends the running test.
 *
 * The model steps at 500 Hz, see harness_step_s(); its inputs are torque (limits -10 to 10, initial
 * value 1), push (three scalars, limits -100 to 100) and motor. */
#ifndef TEST_BENCHES_H
#define TEST_BENCHES_H

#include "harness.h"

/* For all daemons of these tests, which do not depend on the machine. */
#define NOT_REALTIME "realtime: {degraded: allow, priority: 0, core: none}\n"

#define KIND(name)      LINKAGE__V1__INJECTION_KIND__INJECTION_##name
#define ACTION(name)    LINKAGE__V1__ACTION__ACTION_##name
#define CONDITION(name) LINKAGE__V1__CONDITION__CONDITION_##name
#define FLAG(name)      LINKAGE__V1__FLAG__FLAG_##name

/** struct bench - with a socket of its own.
 * @token: of its claim, 0: none;  @sequence: of its last sample */
struct bench {
    struct harness *h;
    void *socket;
    bool subscribed;
    uint64_t token;
    uint64_t sequence;
    uint32_t number;
};

/** benches_open() - a daemon with this configuration and the model above, loaded.
 * Return: the model_id. */
uint64_t benches_open(struct harness *h, const char *config);
/** benches_load() - the model once more.  Return: its model_id. */
uint64_t benches_load(struct harness *h);

/** bench_open(), bench_close() - connect and disconnect without a message to the daemon. */
void bench_open(struct bench *b, struct harness *h);
void bench_close(struct bench *b);

/** bench_ask_claim() - up to two channels, NULL for none; stores the token. Return: the reply. */
const Linkage__V1__ControlReply *bench_ask_claim(struct bench *b, const char *name,
                                                 const char *first, const char *second);
/** bench_claim() - the same, which must succeed. */
void bench_claim(struct bench *b, const char *name, const char *first, const char *second);
/** bench_ask_release() - and drops the token. */
const Linkage__V1__ControlReply *bench_ask_release(struct bench *b);

/** bench_send() - a sample;  bench_beat() - a heartbeat. */
void bench_send(struct bench *b, const double *values, size_t n);
void bench_beat(struct bench *b);
/** bench_feed() - one value, so many times, a thousand times per second. */
void bench_feed(struct bench *b, double value, int n);

/** benches_nap() - so many ms. */
void benches_nap(int ms);

/** benches_inputs() - the report. Lives until the next request, as all below. */
const Linkage__V1__InputsReport *benches_inputs(struct harness *h);
/** benches_input() - of one channel;  benches_claim() - of one bench, which must exist. */
const Linkage__V1__InputReport *benches_input(struct harness *h, const char *channel);
const Linkage__V1__ClaimReport *benches_claim(struct harness *h, const char *bench);
/** benches_await_acting() - until the first scalar acts with @value. */
const Linkage__V1__InputReport *benches_await_acting(struct harness *h, const char *channel,
                                                     double value);
/** bench_feed_until() - one value, until it acts on @channel and no rule of the policy does. */
void bench_feed_until(struct bench *b, double value, const char *channel);
/** benches_await_lost() - until that bench is lost. */
void benches_await_lost(struct harness *h, const char *bench);

/** benches_policy() - the row of a condition. */
const Linkage__V1__PolicyRow *benches_policy(struct harness *h, Linkage__V1__Condition condition);

/** benches_inject() - one injection;  benches_clear() - all end;  benches_injections() - a
 * look.  Return: the reply. */
const Linkage__V1__ControlReply *benches_inject(struct harness *h, Linkage__V1__InjectionKind kind,
                                                const char *target, double amount, double for_s);
const Linkage__V1__ControlReply *benches_clear(struct harness *h);
const Linkage__V1__ControlReply *benches_injections(struct harness *h);

/** benches_await_flags() - until an output sample has all flags @with and none of @without. */
const Linkage__V1__OutputSample *benches_await_flags(struct harness *h, uint32_t with,
                                                     uint32_t without);

#endif
