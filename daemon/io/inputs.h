/* SPDX-License-Identifier: Apache-2.0 */
/* The table of input values. Every input value of the model passes through this table.
 *
 * Samples from benches (exchange thread and others) and single channels set by hand (control
 * thread) are checked here and written to the mailbox of the cycle. A lock serialises the writers.
 * The cycle never acquires this lock.
 *
 *     sample --> role, token, model --> injected faults --> length, numbers, limits, sequence
 *                                                                       |
 *     set by hand ------------------------------------------------> table of values, news, stamps
 *                                                                       |  mailbox
 *                                                                     cycle: guard, step
 *
 * A bench owns its channels by a claim, and its samples contain the token of the claim. Samples
 * without a token are accepted if the configuration allows it (`claims: optional`), as long as no
 * bench has a claim.
 *
 * If one value of a sample is bad, the whole sample is refused, and the last good values stay in
 * the table. The refusal is counted for its reason and, if it concerns a channel, for that channel.
 * The guard (guard.h) handles channels without good samples. After a second of silence a sample
 * with any sequence number is accepted, because the bench may have restarted. The same applies
 * after load, start, stop and reset.
 *
 * After load, stop and reset all channels have the initial values of the model. A channel whose
 * claim has ended also gets its initial value, unless another bench claims the channel. Without a
 * run, all channels return to their initial values when a bench without a claim is silent for
 * longer than the lease. Claims survive start, stop and reset. */
#ifndef LKD_IO_INPUTS_H
#define LKD_IO_INPUTS_H

#include "claims.h"
#include "cycle.h"
#include "inject.h"
#include "linkage.pb-c.h"
#include "peer.h"
#include <pthread.h>

#define LKD_INPUT_SILENCE_NS INT64_C(1000000000)
#define LKD_LEASE_NS         INT64_C(1000000000) /* default, see lkd_inputs_configure() */

/** enum lkd_input_status - result for a sample or a value set by hand. */
enum lkd_input_status {
    LKD_INPUT_OK = 0,
    LKD_INPUT_E_NO_MODEL = 1,
    LKD_INPUT_E_OTHER_MODEL = 2,
    LKD_INPUT_E_LENGTH = 3,
    LKD_INPUT_E_NOT_FINITE = 4,
    LKD_INPUT_E_NOT_NEWER = 5,
    LKD_INPUT_E_LIMITS = 6,
    LKD_INPUT_E_TOKEN = 7,
    LKD_INPUT_E_UNCLAIMED = 8,
    LKD_INPUT_E_ROLE = 9,
    LKD_INPUT_E_UNDECODABLE = 10,
    LKD_INPUT_E_CLAIMED = 11, /* only for values set by hand */
    LKD_INPUT_STATUSES,
};

/** lkd_input_status_text() - Return a short static text, such as "wrong number of values". */
const char *lkd_input_status_text(int status);

/** struct lkd_sample - a sample from a bench, decoded; see InputSample in linkage.proto.
 * @model_id:    intended model, or 0
 * @token:       token of the bench's claim, or 0
 * @received_ns: CLOCK_MONOTONIC
 * @values:      @n_values values; a heartbeat has none
 * @slopes:      rates of change of the values [unit/s], @n_slopes of them: @n_values or 0
 * @reply_to, @reply_published_ns, @reply_received_ns, @clock: for the latency budget, copied
 *               unchanged */
struct lkd_sample {
    uint64_t sequence;
    uint64_t origin_ns;
    uint64_t model_id;
    uint64_t token;
    bool heartbeat;
    int64_t received_ns;
    const double *values;
    size_t n_values;
    const double *slopes;
    size_t n_slopes;
    uint64_t reply_to;
    uint64_t reply_published_ns;
    uint64_t reply_received_ns;
    struct {
        Linkage__V1__Clock__Id id;
        bool synchronised;
        uint64_t uncertainty_ns;
    } clock;
};

struct lkd_segments;

/** lkd_inputs_listener - callback for every accepted sample other than heartbeats.
 * @claim:  claim of the sample; NULL: a sample without a token
 * @sample: valid during the call. After an injected delay, @received_ns is the end of the delay
 * Thread: the one that offered the sample, or the one that calls lkd_inputs_tick(). The lock of the
 * table is held, so the callback must not call functions of the table. */
typedef void lkd_inputs_listener(struct lkd_segments *segments, const struct lkd_claim *claim,
                                 const struct lkd_sample *sample);

/** struct lkd_inputs - the table of input values. @lock guards everything except the fields that
 * lkd_inputs_configure() and lkd_inputs_listen() set before threads exist.
 * @claims_optional:    samples without a token are accepted while no claim exists
 * @segments, @listener: receiver of accepted samples, or NULL
 * @cycle:              cycle whose mailbox is written; NULL without a model
 * @values:             the present @n_values values
 * @slopes:             rates of change of the values [unit/s]
 * @news:               state of each channel
 * @stamp:              stamp of the newest sample of each claim
 * @newest:             index of the newest stamp
 * @n_stamps:           number of entries up to the last one in use
 * @claims:             ownership of the channels
 * @anonymous:          the last good sample without a token
 * @anonymous_heard_ns: arrival of the last sample without a token, good or not, 0: none since the
 *                      load or the last claim
 * @anonymous_peer:     name of the sender of that sample
 * @anonymous_feeds:    a sample without a token was accepted since load, stop, reset or a claim
 * @injector:           injected faults
 * @injected:           a fault is being injected, as last reported to the cycle
 * @tripped:            trip state of each channel, as last logged
 * @live:               a run has begun and not ended
 * @accepted, @refused: since load or start
 * @refusals:           number of refusals for each enum lkd_input_status, since load */
struct lkd_inputs {
    pthread_mutex_t lock;
    bool claims_optional;
    int64_t lease_ns;
    struct lkd_segments *segments;
    lkd_inputs_listener *listener;

    struct lkd_cycle *cycle;
    const struct lk_channel *channels;
    int n_channels;
    uint64_t model_id;
    size_t n_values;
    double *values;
    double *slopes;
    struct lkd_news *news;
    int newest;
    int n_stamps;
    struct lkd_stamp stamp[LKD_STAMPS];
    struct lkd_claims claims;
    struct lkd_memory anonymous;
    int64_t anonymous_heard_ns;
    bool anonymous_feeds;
    char anonymous_peer[LKD_PEER_NAME_SIZE];
    struct lkd_injector injector;
    bool injected;
    bool *tripped;
    bool live;
    uint64_t accepted;
    uint64_t refused;
    uint64_t refusals[LKD_INPUT_STATUSES];
};

/** lkd_inputs_init() - Initialise @inputs without a model, with required claims and a lease of
 * LKD_LEASE_NS.
 * lkd_inputs_fini() - Release @inputs. */
void lkd_inputs_init(struct lkd_inputs *inputs);
void lkd_inputs_fini(struct lkd_inputs *inputs);

/** lkd_inputs_configure() - Set options of the configuration. Call before any other thread uses the
 * table. */
void lkd_inputs_configure(struct lkd_inputs *inputs, bool claims_optional, int64_t lease_ns);

/** lkd_inputs_listen() - Set the listener for accepted samples; NULL removes it. Call before any
 * other thread uses the table. */
void lkd_inputs_listen(struct lkd_inputs *inputs, lkd_inputs_listener *listener,
                       struct lkd_segments *segments);

/* ---- functions for a model and its runs; thread: control ---- */

/** lkd_inputs_attach() - Attach @cycle, with initial values, no claims, no injections and zero
 * counters.
 * @cycle: NULL detaches
 * Return: 0, -ENOMEM (nothing has changed). */
int lkd_inputs_attach(struct lkd_inputs *inputs, struct lkd_cycle *cycle, uint64_t model_id);

/** lkd_inputs_clear() - Restore initial values and discard sequence numbers and injections after
 * stop or reset. Claims remain. */
void lkd_inputs_clear(struct lkd_inputs *inputs);

/** lkd_inputs_begin() - Reset the counts of accepted and refused samples and the sequence numbers
 * when a run begins. Values, claims and injections remain. */
void lkd_inputs_begin(struct lkd_inputs *inputs);

/* ---- samples ---- */

/** lkd_inputs_offer_message() - Check a decoded InputSample from any socket and enter it into the
 * table.
 * @message:     unchecked values, possibly NaN; valid during the call
 * @peer:        its sender
 * @received_ns: CLOCK_MONOTONIC
 * Thread: any but the cycle.  RT: no.
 * Return: enum lkd_input_status; anything but LKD_INPUT_OK was counted as refused. LKD_INPUT_OK is
 * also returned if an injected fault delays or drops the sample. */
int lkd_inputs_offer_message(struct lkd_inputs *inputs, const Linkage__V1__InputSample *message,
                             const struct lkd_peer *peer, int64_t received_ns);

/** lkd_inputs_offer() - Check a sample received in another format than InputSample and enter it
 * into the table. The token of a claim made with another key than that of @peer counts as unknown.
 * @peer: sender; NULL has all rights */
int lkd_inputs_offer(struct lkd_inputs *inputs, const struct lkd_sample *sample,
                     const struct lkd_peer *peer);

/** lkd_inputs_refuse() - Count a message that could not be decoded.
 * lkd_inputs_forbid() - Count a message that the role of its sender forbids, and that need not be
 * decoded.
 * Thread: any but the cycle. */
void lkd_inputs_refuse(struct lkd_inputs *inputs);
void lkd_inputs_forbid(struct lkd_inputs *inputs);

/** lkd_inputs_set() - Set @n values of one channel, beginning at its scalar @offset.
 * @force: set the values even if a bench has claimed the channel. They act until its next sample.
 * Thread: control.
 * Return: 0, LKD_INPUT_E_NO_MODEL, LKD_INPUT_E_LENGTH, LKD_INPUT_E_NOT_FINITE, LKD_INPUT_E_LIMITS,
 * LKD_INPUT_E_CLAIMED (@ret_error names the owner). */
int lkd_inputs_set(struct lkd_inputs *inputs, size_t offset, const double *values, size_t n,
                   bool force, struct lk_error *ret_error);

/** lkd_inputs_tick() - Perform the periodic work: detect silent benches; begin and end injections
 * and pass on their delayed samples. Call about every 10 ms from the exchange thread.
 * Return: time of the next call [ns], at most 10 ms from now. */
int64_t lkd_inputs_tick(struct lkd_inputs *inputs, int64_t now_ns);

/* ---- claims; thread: any but the cycle ---- */

/** lkd_inputs_claim() - Claim all requested channels or none; see lkd_claims_add(). Also refused
 * while samples without a token arrive.
 * Return: RESULT_OK; RESULT_WRONG_STATE (no model), RESULT_BAD_VALUE (no name, no channels, a
 * channel twice, another model), RESULT_UNKNOWN_CHANNEL, RESULT_BAD_UNIT, RESULT_CLAIMED,
 * RESULT_INTERNAL; @ret_error gives the reason in one line. */
Linkage__V1__Result lkd_inputs_claim(struct lkd_inputs *inputs, const struct lkd_claim_wish *wish,
                                     int64_t now_ns, struct lkd_claim_grant *ret_grant,
                                     struct lk_error *ret_error);

/** lkd_inputs_release() - End a claim; its channels return to their initial values.
 * @peer: name of the requesting key, "" for none
 * Return: RESULT_OK, RESULT_BAD_TOKEN (also for a claim made with another key). */
Linkage__V1__Result lkd_inputs_release(struct lkd_inputs *inputs, uint64_t token, const char *peer,
                                       struct lk_error *ret_error);

/** lkd_inputs_model_id() - Return the identifier of the attached model, 0: none. Claims end when it
 * changes. */
uint64_t lkd_inputs_model_id(struct lkd_inputs *inputs);

/* ---- fault injection; thread: control ---- */

/** lkd_inputs_inject() - If @clear, remove all injections; then add @n injections. If one of them
 * is refused, nothing changes. See inject.h.
 * Return: RESULT_OK, RESULT_WRONG_STATE (no model), RESULT_BAD_VALUE, RESULT_UNKNOWN_CHANNEL;
 * @ret_error gives the reason. */
Linkage__V1__Result lkd_inputs_inject(struct lkd_inputs *inputs, bool clear,
                                      const struct lkd_injection *add, size_t n, int64_t now_ns,
                                      struct lk_error *ret_error);

/** lkd_inputs_injections() - Copy all injections.
 * Return: number of injections. */
int lkd_inputs_injections(struct lkd_inputs *inputs,
                          struct lkd_injection ret_injections[LKD_INJECTIONS_MAX]);

/* ---- queries; thread: any but the cycle ---- */

/** struct lkd_inputs_channel - present state of a channel.
 * @bench:  owner, "" for none
 * @values: last good values */
struct lkd_inputs_channel {
    char bench[LKD_BENCH_NAME_SIZE];
    double values[LK_COMPONENTS_MAX];
    struct lkd_news news;
};

/** lkd_inputs_counts() - Return the number of samples accepted and refused since the last load or
 * start. */
void lkd_inputs_counts(struct lkd_inputs *inputs, uint64_t *ret_accepted, uint64_t *ret_refused);

/** lkd_inputs_refusals() - Return the number of refusals for each enum lkd_input_status since the
 * model was loaded. */
void lkd_inputs_refusals(struct lkd_inputs *inputs, uint64_t ret_refusals[LKD_INPUT_STATUSES]);

/** lkd_inputs_claims() - Copy all claims. In the copies @channel is NULL, see
 * lkd_inputs_channel_at().
 * Return: number of claims. */
int lkd_inputs_claims(struct lkd_inputs *inputs, struct lkd_claim ret_claims[LKD_CLAIMS_MAX]);

/** lkd_inputs_claimed() - Return the index of the channel at position @place of the claim with
 * @token, -1: none. */
int lkd_inputs_claimed(struct lkd_inputs *inputs, uint64_t token, int place);

/** lkd_inputs_channel_at() - Return the state of channel @index of the model.
 * Return: false if there is none. */
bool lkd_inputs_channel_at(struct lkd_inputs *inputs, int index,
                           struct lkd_inputs_channel *ret_channel);

/** lkd_inputs_n_claims() - Return the number of claims. */
int lkd_inputs_n_claims(struct lkd_inputs *inputs);

#endif
