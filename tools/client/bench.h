/* SPDX-License-Identifier: Apache-2.0 */
/* A bench that manages its own connection: it claims its channels, keeps the claim alive, sends
 * samples with all the time stamps that the daemon's latency budget needs, and receives the
 * outputs.
 *
 *     lk_client_bench_open()
 *     loop:  lk_client_bench_receive()   receives outputs; connects and reconnects
 *            lk_client_bench_send()      sends a sample; LK_CLIENT_E_BUSY while not connected
 *     lk_client_bench_close()            releases the channels
 *
 * The bench may start before the daemon. After a restart of the daemon, a broken connection or a
 * change of model it claims its channels again. It retries twice a second until it owns its
 * channels, also if another bench owns them at first. lk_client_bench_read_state() returns the
 * reason for waiting. Recovery never blocks: lk_client_bench_receive() returns within its time-out.
 *
 * Thread: the bench belongs to the thread that receives. lk_client_bench_send() and
 * lk_client_bench_read_state() may be called from other threads at the same time.  RT: no. */
#ifndef TOOLS_CLIENT_BENCH_H
#define TOOLS_CLIENT_BENCH_H

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/** enum lk_client_bench_state - state of a bench's connection.
 * LK_CLIENT_BENCH_WAITING: no daemon, no model, or not connected yet. LK_CLIENT_BENCH_REFUSED: the
 * daemon refuses the claim, because another bench has a channel, a channel does not exist, a unit
 * differs, or the role of the key does not permit it. LK_CLIENT_BENCH_CONNECTED: the channels are
 * claimed, and samples are sent. */
enum lk_client_bench_state {
    LK_CLIENT_BENCH_WAITING,
    LK_CLIENT_BENCH_REFUSED,
    LK_CLIENT_BENCH_CONNECTED,
};

/** struct lk_client_bench_channel - an input to be claimed.
 * @unit: unit of each scalar of the channel; the daemon refuses the claim if a unit of the model
 *        differs. NULL: not checked */
struct lk_client_bench_channel {
    const char *name;
    const char *unit;
};

/** struct lk_client_bench_setup - arguments of lk_client_bench_open(), which copies them.
 * @control, @inputs, @outputs: endpoints; NULL: the defaults
 * @keys:            encryption keys; NULL: none
 * @name:            displayed name, such as "motor rig 2"
 * @channels:        @n_channels inputs to be claimed, in the order of the values in each sample; 0:
 *                   the bench only receives outputs, for which the role read is sufficient
 * @selection:       @n_selection outputs to receive, in this order; 0: all of them
 * @divisor:         one output sample every @divisor steps; 0 or 1: every step
 * @without_outputs: receive no outputs; the bench only sends
 * @yields:          a stand-in: another bench, which is none, may claim the channels at any time. This
 *                   one claims them again once they are free
 * @wall_clock:      stamp samples with UTC, so that the daemon can compute one-way times if both
 *                   clocks are synchronised. Otherwise CLOCK_MONOTONIC */
struct lk_client_bench_setup {
    const char *control;
    const char *inputs;
    const char *outputs;
    const struct lk_client_options *keys;
    const char *name;
    const struct lk_client_bench_channel *channels;
    size_t n_channels;
    char *const *selection;
    size_t n_selection;
    uint32_t divisor;
    bool without_outputs;
    bool yields;
    bool wall_clock;
};

/** struct lk_client_bench_view - state and counters of a bench.
 * @text:          reason in one line if the bench is not connected; otherwise ""
 * @result:        result of the daemon's last refusal
 * @token, @number, @model_id, @daemon_id: properties of the claim, while connected. A bench without
 *                 channels has neither token nor number
 * @n_values:      number of values in a sample, while connected
 * @times_claimed: number of granted claims, above 1 after a recovery; without channels, number of
 *                 connections
 * @sent:          number of samples sent since the present claim
 * @accepted, @refused, @gaps: samples of the claim as counted by the daemon, updated about once a
 *                 second
 * @received:      number of output samples received since lk_client_bench_open()
 * @lost:          number of samples missing according to their sequence numbers */
struct lk_client_bench_view {
    enum lk_client_bench_state state;
    char text[LK_ERROR_SIZE];
    Linkage__V1__Result result;
    uint64_t token;
    uint32_t number;
    size_t n_values;
    uint64_t model_id;
    uint64_t daemon_id;
    uint64_t times_claimed;
    uint64_t sent;
    uint64_t accepted;
    uint64_t refused;
    uint64_t gaps;
    uint64_t received;
    uint64_t lost;
};

struct lk_client_bench;

/** lk_client_bench_open() - Create a bench. lk_client_bench_receive() connects it.
 * Return: 0, LK_CLIENT_E_ENDPOINT, LK_CLIENT_E_KEYS, negative errno; @ret_error gives the
 * reason. */
int lk_client_bench_open(const struct lk_client_bench_setup *setup,
                         struct lk_client_bench **ret_bench, struct lk_error *ret_error);

/** lk_client_bench_close() - Release the channels and the bench. @bench may be NULL. Waits at most
 * 200 ms for the daemon's answer. */
void lk_client_bench_close(struct lk_client_bench *bench);

/** lk_client_bench_receive() - Receive the next output sample of the claimed model. Call it several
 * times per lease (every 200 ms for the default of 1 s); otherwise the claim may be lost.
 * @timeout_ms:      longest wait; 0: do not wait
 * @ret_received_ns: CLOCK_MONOTONIC when the message was received; may be NULL
 * @ret_sample:      owned by @bench, valid until the next call
 * Return: 0, LK_CLIENT_E_NO_ANSWER (no sample arrived; see lk_client_bench_read_state()), negative
 * errno. */
int lk_client_bench_receive(struct lk_client_bench *bench, int timeout_ms, int64_t *ret_received_ns,
                            const Linkage__V1__OutputSample **ret_sample);

/** lk_client_bench_send() - Send one sample: the values of the claimed channels, in the order of
 * the set-up. Never waits.
 * @n:            total number of scalars of the channels
 * @ret_sequence: sequence number of the sample, as in echoes; may be NULL
 * Return: 0, LK_CLIENT_E_BUSY (not connected: nothing was sent), LK_CLIENT_E_TOO_LARGE (@n differs
 * from the claim), negative errno. */
int lk_client_bench_send(struct lk_client_bench *bench, const double *values, size_t n,
                         uint64_t *ret_sequence);

/** lk_client_bench_send_slopes() - Send one sample with the rate of change of each value. From the
 * first step in which a value acts, the daemon extrapolates it with its slope until the next
 * sample, within the `horizon_s` and the limits of its channel. A daemon without support of slopes
 * holds the values.
 * @slopes: @n finite slopes [unit/s]; NULL: the values are held */
int lk_client_bench_send_slopes(struct lk_client_bench *bench, const double *values,
                                const double *slopes, size_t n, uint64_t *ret_sequence);

/** lk_client_bench_send_as_of() - Send one sample with values that have an earlier origin, such as
 * a frame of another bus stamped by the kernel.
 * @origin_ns: time of origin on the clock of the bench's stamps, see struct
 *             lk_client_bench_setup */
int lk_client_bench_send_as_of(struct lk_client_bench *bench, const double *values, size_t n,
                               uint64_t origin_ns, uint64_t *ret_sequence);

/** lk_client_bench_read_state() - Read the present state of the bench. Thread: any. */
void lk_client_bench_read_state(struct lk_client_bench *bench,
                                struct lk_client_bench_view *ret_view);

/** lk_client_bench_model() - Return the description of the model; NULL while not connected. Valid
 * until the next lk_client_bench_receive().
 * Thread: the one that receives. */
const Linkage__V1__ModelDescription *lk_client_bench_model(const struct lk_client_bench *bench);

/** lk_client_bench_echo() - Return the newest sample of this bench that acts in @sample; NULL: none
 * yet. */
const Linkage__V1__Echo *lk_client_bench_echo(const struct lk_client_bench *bench,
                                              const Linkage__V1__OutputSample *sample);

/** lk_client_bench_state_name() - Return "waiting", "refused" or "connected", static text. */
const char *lk_client_bench_state_name(enum lk_client_bench_state state);

#ifdef __cplusplus
}
#endif
#endif
