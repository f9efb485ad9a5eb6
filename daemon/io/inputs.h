/* SPDX-License-Identifier: Apache-2.0 */
/* The table of input values: the one place where a value becomes an input of the model.
 *
 * Samples from benches (exchange thread and others) and single channels set by hand (control
 * thread) all arrive here, are checked here, and continue to the cycle through its mailbox. A lock
 * makes them a single writer; the cycle never takes it.
 *
 *     sample --> role, token, model --> injected faults --> length, numbers, limits, sequence
 *                                                                       |
 *     set by hand ------------------------------------------------> table of values, news, stamps
 *                                                                       |  mailbox
 *                                                                     cycle: guard, step
 *
 * A bench owns its channels by a claim, and its samples carry the token of the claim. Samples
 * without a token are accepted if the configuration allows it (`claims: optional`), as long as no
 * bench has a claim.
 *
 * A sample is refused as a whole: nothing of it acts, the last good values stay in the table, and
 * the refusal is counted by its reason and, if it is about a channel, with the channel. The guard
 * (guard.h) handles channels without good samples. Sequence numbers are forgotten after a second of
 * silence, so that a restarted bench is accepted, and with every load, start, stop and reset.
 *
 * After load, stop and reset all channels have the initial values of the model; so has a channel
 * whose claim has ended while nobody else claims it, and so have all channels when a bench without
 * a claim is silent for longer than the lease while there is no run. Claims survive start, stop and
 * reset. */
#ifndef LKD_IO_INPUTS_H
#define LKD_IO_INPUTS_H

#include "claims.h"
#include "cycle.h"
#include "inject.h"
#include "linkage.pb-c.h"
#include "peer.h"
#include <pthread.h>

#define LKD_INPUT_SILENCE_NS INT64_C(1000000000)
#define LKD_LEASE_NS         INT64_C(1000000000) /* unless lkd_inputs_configure() says otherwise */

/** enum lkd_input_status - what became of a sample or a set. */
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
    LKD_INPUT_E_CLAIMED = 11, /* of a set by hand only */
    LKD_INPUT_STATUSES,
};

/** lkd_input_status_text() - in a few words, as "wrong number of values". Static text. */
const char *lkd_input_status_text(int status);

/** struct lkd_sample - a sample from a bench, decoded; see InputSample in linkage.proto.
 * @model_id: 0, or the model it was made for;  @token: of a claim, or 0
 * @received_ns: CLOCK_MONOTONIC
 * @values:   @n_values of them; a heartbeat has none
 * @slopes:   how fast they change [unit/s], @n_slopes of them: as many, or none
 * @reply_to, @reply_published_ns, @reply_received_ns, @clock: for the latency budget, untouched */
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

/** lkd_inputs_listener - called for every accepted sample other than heartbeats.
 * @claim:  whose sample it is; NULL: one without a token
 * @sample: valid during the call. Of an injected delay, @received_ns is when it was let through
 * Thread: the one that offered the sample, or that of the tick; the lock of the table is held: it
 *         must not call into the table. */
typedef void lkd_inputs_listener(struct lkd_segments *segments, const struct lkd_claim *claim,
                                 const struct lkd_sample *sample);

/** struct lkd_inputs - see above; everything behind @lock, apart from what lkd_inputs_configure()
 * and lkd_inputs_listen() set before there are threads.
 * @claims_optional: samples without a token are taken while nobody has a claim
 * @segments, @listener: get accepted samples, or NULL
 * @cycle:    whose mailbox is fed; NULL without a model
 * @values:   @n_values of them, the present table;  @slopes: likewise;  @news: of each channel
 * @stamp:    the newest sample of each place, @newest of all; @n_stamps up to the last one in use
 * @claims:   who owns what
 * @anonymous, @anonymous_heard_ns: memory of samples without a token; when the last one came, good
 *            or not, 0: none since the load or the last claim;  @anonymous_peer: whose
 * @anonymous_feeds: one of them was good, since load, stop, reset or a claim
 * @injector: injected faults;  @injected: one of them is active, as the cycle knows
 * @tripped:  of each channel, as last logged
 * @live:     a run has begun and not ended
 * @accepted, @refused: since load or start;  @refusals: by enum lkd_input_status, since load */
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

/** lkd_inputs_init(), lkd_inputs_fini() - no model, claims required, a lease of LKD_LEASE_NS. */
void lkd_inputs_init(struct lkd_inputs *inputs);
void lkd_inputs_fini(struct lkd_inputs *inputs);

/** lkd_inputs_configure() - from the configuration. Before any other thread uses the table. */
void lkd_inputs_configure(struct lkd_inputs *inputs, bool claims_optional, int64_t lease_ns);

/** lkd_inputs_listen() - set the listener for accepted samples, or NULL. Likewise. */
void lkd_inputs_listen(struct lkd_inputs *inputs, lkd_inputs_listener *listener,
                       struct lkd_segments *segments);

/* ---- a model and its runs; control thread ---- */

/** lkd_inputs_attach() - feed @cycle from now on: initial values, no claims, no injections,
 * counters zero.
 * @cycle: NULL detaches
 * Return: 0, -ENOMEM (nothing has changed). */
int lkd_inputs_attach(struct lkd_inputs *inputs, struct lkd_cycle *cycle, uint64_t model_id);

/** lkd_inputs_clear() - a run has ended, by stop or reset: initial values, sequence numbers
 * forgotten, no injections. Claims stay. */
void lkd_inputs_clear(struct lkd_inputs *inputs);

/** lkd_inputs_begin() - a run begins: accepted and refused from zero, sequence numbers forgotten;
 * values, claims and injections stay. */
void lkd_inputs_begin(struct lkd_inputs *inputs);

/* ---- samples ---- */

/** lkd_inputs_offer_message() - a decoded InputSample, from any socket.
 * @message: its values may be anything, NaN included; not kept
 * @peer:    who sent it;  @received_ns: CLOCK_MONOTONIC
 * Thread: any but the cycle.  RT: no.
 * Return: enum lkd_input_status; anything but LKD_INPUT_OK was counted as refused. LKD_INPUT_OK is
 *         also the answer where an injected fault keeps the sample back. */
int lkd_inputs_offer_message(struct lkd_inputs *inputs, const Linkage__V1__InputSample *message,
                             const struct lkd_peer *peer, int64_t received_ns);

/** lkd_inputs_offer() - the same for a sample that came in another format. The token of a claim
 * that was made with another key than that of @peer counts as unknown.
 * @peer: NULL: it may do everything */
int lkd_inputs_offer(struct lkd_inputs *inputs, const struct lkd_sample *sample,
                     const struct lkd_peer *peer);

/** lkd_inputs_refuse() - count a message that did not even decode;  lkd_inputs_forbid() - one from
 * a client whose role does not allow it, which need not be decoded. Thread: any but the cycle. */
void lkd_inputs_refuse(struct lkd_inputs *inputs);
void lkd_inputs_forbid(struct lkd_inputs *inputs);

/** lkd_inputs_set() - set @n values from scalar @offset on, of one channel.
 * @force: also where a bench has claimed it: until its next sample
 * Thread: control.
 * Return: 0, LKD_INPUT_E_NO_MODEL, LKD_INPUT_E_LENGTH, LKD_INPUT_E_NOT_FINITE,
 *         LKD_INPUT_E_LIMITS, LKD_INPUT_E_CLAIMED (@ret_error names the owner). */
int lkd_inputs_set(struct lkd_inputs *inputs, size_t offset, const double *values, size_t n,
                   bool force, struct lk_error *ret_error);

/** lkd_inputs_tick() - what happens without traffic: benches that have become silent, injections
 * that begin, end, or let samples through. About every 10 ms, from the exchange thread.
 * Return: when it wants to be called next [ns], at most 10 ms from now. */
int64_t lkd_inputs_tick(struct lkd_inputs *inputs, int64_t now_ns);

/* ---- claims; any thread but the cycle ---- */

/** lkd_inputs_claim() - all channels of the wish or none; see lkd_claims_add(). Refused as well
 * while samples without a token come.
 * Return: RESULT_OK; RESULT_WRONG_STATE (no model), RESULT_BAD_VALUE (no name, no channels, one of
 *         them twice, another model), RESULT_UNKNOWN_CHANNEL, RESULT_BAD_UNIT, RESULT_CLAIMED,
 *         RESULT_INTERNAL; @ret_error says it in a line. */
Linkage__V1__Result lkd_inputs_claim(struct lkd_inputs *inputs, const struct lkd_claim_wish *wish,
                                     int64_t now_ns, struct lkd_claim_grant *ret_grant,
                                     struct lk_error *ret_error);

/** lkd_inputs_release() - the channels are nobody's again, and go to their initial values.
 * @peer: name of the key it was asked with, "" for none
 * Return: RESULT_OK, RESULT_BAD_TOKEN (also of a claim that was made with another key). */
Linkage__V1__Result lkd_inputs_release(struct lkd_inputs *inputs, uint64_t token, const char *peer,
                                       struct lk_error *ret_error);

/** lkd_inputs_model_id() - of the model that is fed now, 0: none. Claims end when it changes. */
uint64_t lkd_inputs_model_id(struct lkd_inputs *inputs);

/* ---- faults on purpose; control thread ---- */

/** lkd_inputs_inject() - @clear all injections, then add @n; all of them or, with @clear not
 * carried out either, none. See inject.h.
 * Return: RESULT_OK, RESULT_WRONG_STATE (no model), RESULT_BAD_VALUE, RESULT_UNKNOWN_CHANNEL;
 *         @ret_error says why. */
Linkage__V1__Result lkd_inputs_inject(struct lkd_inputs *inputs, bool clear,
                                      const struct lkd_injection *add, size_t n, int64_t now_ns,
                                      struct lk_error *ret_error);

/** lkd_inputs_injections() - all there are. Return: how many. */
int lkd_inputs_injections(struct lkd_inputs *inputs,
                          struct lkd_injection ret_injections[LKD_INJECTIONS_MAX]);

/* ---- what is known; any thread but the cycle ---- */

/** struct lkd_inputs_channel - a channel as it is now.
 * @bench:  that owns it, "" for none;  @values: the last good ones */
struct lkd_inputs_channel {
    char bench[LKD_BENCH_NAME_SIZE];
    double values[LK_COMPONENTS_MAX];
    struct lkd_news news;
};

/** lkd_inputs_counts() - samples accepted and refused since load or start. */
void lkd_inputs_counts(struct lkd_inputs *inputs, uint64_t *ret_accepted, uint64_t *ret_refused);

/** lkd_inputs_refusals() - by enum lkd_input_status, since load. */
void lkd_inputs_refusals(struct lkd_inputs *inputs, uint64_t ret_refusals[LKD_INPUT_STATUSES]);

/** lkd_inputs_claims() - copies of all claims; their @channel is NULL, see lkd_inputs_channel_at().
 * Return: how many. */
int lkd_inputs_claims(struct lkd_inputs *inputs, struct lkd_claim ret_claims[LKD_CLAIMS_MAX]);

/** lkd_inputs_claimed() - index of the channel at @place of the claim with @token, -1: none. */
int lkd_inputs_claimed(struct lkd_inputs *inputs, uint64_t token, int place);

/** lkd_inputs_channel_at() - channel @index of the model. Return: false: there is none. */
bool lkd_inputs_channel_at(struct lkd_inputs *inputs, int index,
                           struct lkd_inputs_channel *ret_channel);

/** lkd_inputs_n_claims() - how many claims there are. */
int lkd_inputs_n_claims(struct lkd_inputs *inputs);

#endif
