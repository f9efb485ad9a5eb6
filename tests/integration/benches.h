/* SPDX-License-Identifier: Apache-2.0 */
/* Benches that claim inputs of a real daemon and send samples, and the daemon's reports about them.
 * Each failure ends the running test.
 *
 * The model steps at 500 Hz, see harness_step_s(). Its inputs are torque (limits -10 to 10, initial
 * value 1), push (three scalars, limits -100 to 100) and motor. */
#ifndef TEST_BENCHES_H
#define TEST_BENCHES_H

#include "harness.h"

/* configuration of all daemons in these tests, so that they do not depend on the machine */
#define NOT_REALTIME "realtime: {degraded: allow, priority: 0, core: none}\n"

#define KIND(name)      LINKAGE__V1__INJECTION_KIND__INJECTION_##name
#define ACTION(name)    LINKAGE__V1__ACTION__ACTION_##name
#define CONDITION(name) LINKAGE__V1__CONDITION__CONDITION_##name
#define FLAG(name)      LINKAGE__V1__FLAG__FLAG_##name

/** struct bench - a bench with a socket of its own
 * @token:    token of its claim, 0 for none
 * @sequence: number of its last sample */
struct bench {
    struct harness *h;
    void *socket;
    bool subscribed;
    uint64_t token;
    uint64_t sequence;
    uint32_t number;
};

/** benches_open() - Start a daemon with this configuration and load the model above.
 * Return: the model_id */
uint64_t benches_open(struct harness *h, const char *config);
/** benches_load() - Load the model again.
 * Return: its model_id */
uint64_t benches_load(struct harness *h);

/** bench_open(), bench_close() - Connect and disconnect without a message to the daemon. */
void bench_open(struct bench *b, struct harness *h);
void bench_close(struct bench *b);

/** bench_ask_claim() - Request up to two channels, NULL for none, and store the token.
 * Return: the reply */
const Linkage__V1__ControlReply *bench_ask_claim(struct bench *b, const char *name,
                                                 const char *first, const char *second);
/** bench_claim() - Claim channels like bench_ask_claim(), which must succeed. */
void bench_claim(struct bench *b, const char *name, const char *first, const char *second);
/** bench_ask_release() - Release the claim and forget the token. */
const Linkage__V1__ControlReply *bench_ask_release(struct bench *b);

/** bench_send() - Send a sample. bench_beat() - Send a heartbeat. */
void bench_send(struct bench *b, const double *values, size_t n);
void bench_beat(struct bench *b);
/** bench_feed() - Send one value @n times, a thousand times per second. */
void bench_feed(struct bench *b, double value, int n);

/** benches_nap() - Pause for @ms. */
void benches_nap(int ms);

/** benches_inputs() - Return the report. It is valid until the next request, like all results
 * below. */
const Linkage__V1__InputsReport *benches_inputs(struct harness *h);
/** benches_input() - Return the report of a channel. benches_claim() - Return the report of a
 * bench, which must exist. */
const Linkage__V1__InputReport *benches_input(struct harness *h, const char *channel);
const Linkage__V1__ClaimReport *benches_claim(struct harness *h, const char *bench);
/** benches_await_acting() - Wait until the first scalar acts with @value. */
const Linkage__V1__InputReport *benches_await_acting(struct harness *h, const char *channel,
                                                     double value);
/** bench_feed_until() - Send one value until it acts on @channel and no rule of the policy acts. */
void bench_feed_until(struct bench *b, double value, const char *channel);
/** benches_await_lost() - Wait until this bench is lost. */
void benches_await_lost(struct harness *h, const char *bench);

/** benches_policy() - Return the row of a condition. */
const Linkage__V1__PolicyRow *benches_policy(struct harness *h, Linkage__V1__Condition condition);

/** benches_inject() - Start one injection. benches_clear() - End all injections.
 * benches_injections() - List them.
 * Return: the reply */
const Linkage__V1__ControlReply *benches_inject(struct harness *h, Linkage__V1__InjectionKind kind,
                                                const char *target, double amount, double for_s);
const Linkage__V1__ControlReply *benches_clear(struct harness *h);
const Linkage__V1__ControlReply *benches_injections(struct harness *h);

/** benches_await_flags() - Wait for an output sample that has all flags @with and none of
 * @without. */
const Linkage__V1__OutputSample *benches_await_flags(struct harness *h, uint32_t with,
                                                     uint32_t without);

#endif
