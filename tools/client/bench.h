/* SPDX-License-Identifier: Apache-2.0 */
/* A bench on the line that looks after itself: it claims its channels, keeps the claim alive, sends
 * samples with all the stamps that the daemon's latency budget wants, and follows the outputs.
 *
 *     lk_client_bench_open()
 *     loop:  lk_client_bench_receive()   hears outputs, and does what recovery needs
 *            lk_client_bench_send()      sends if the channels are claimed, says so if not
 *     lk_client_bench_close()            gives the channels back
 *
 * The bench may be there before the daemon, survives its restart, a cut line, a model that changes
 * and another bench that holds a channel: it asks and claims again, twice a second, until it owns
 * its channels. What it waits for can be read at any time (lk_client_bench_read_state()). Nothing
 * that it does about that waits: lk_client_bench_receive() returns within its time-out.
 *
 * Thread: the bench belongs to the thread that receives. lk_client_bench_send() and
 * lk_client_bench_read_state() may be called from other threads at the same time. Not for a
 * real-time thread. */
#ifndef TOOLS_CLIENT_BENCH_H
#define TOOLS_CLIENT_BENCH_H

#include "client.h"

/** enum lk_client_bench_state -
 * LK_CLIENT_BENCH_WAITING: no daemon, no model, or not connected yet
 * LK_CLIENT_BENCH_REFUSED: the daemon refuses the claim: a channel is somebody else's or is not
 *                          there, a unit differs, the key is not allowed to
 * LK_CLIENT_BENCH_CONNECTED: the channels are claimed, samples are sent */
enum lk_client_bench_state {
    LK_CLIENT_BENCH_WAITING,
    LK_CLIENT_BENCH_REFUSED,
    LK_CLIENT_BENCH_CONNECTED,
};

/** struct lk_client_bench_channel - an input to be claimed.
 * @unit: of each of its scalars, as the bench has it in mind; the daemon refuses a claim with
 *        another one. NULL: not checked */
struct lk_client_bench_channel {
    const char *name;
    const char *unit;
};

/** struct lk_client_bench_setup - what lk_client_bench_open() needs; copied.
 * @control, @inputs, @outputs: endpoints; NULL: the usual ones
 * @keys:       NULL: none
 * @name:       for people: "motor rig 2"
 * @channels:   @n_channels inputs to be claimed, in the order of the values in each sample
 * @selection:  @n_selection outputs to follow, in this order; 0: all of them
 * @divisor:    every so many steps; 0 or 1: every step
 * @wall_clock: stamp samples with UTC, so that the daemon may tell one-way times where both clocks
 *              are synchronised. Otherwise CLOCK_MONOTONIC */
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
    bool wall_clock;
};

/** struct lk_client_bench_view - how a bench is.
 * @text:      why it is not connected, one line; "" when it is
 * @result:    of the daemon's last refusal
 * @token, @number, @n_values, @model_id, @daemon_id: of the claim, while connected; @n_values a
 *             sample has
 * @times_claimed: how often it got its channels: above 1 after a recovery
 * @sent:      samples since the present claim
 * @accepted, @refused, @gaps: of the claim, by the daemon's count, about a second old
 * @received:  output samples since open;  @lost: that their sequence numbers miss */
struct lk_client_bench_view {
    enum lk_client_bench_state state;
    char text[sizeof(((struct lk_error *)NULL)->text)];
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

/** lk_client_bench_open() - make a bench; it connects in the course of lk_client_bench_receive().
 * Return: 0, LK_CLIENT_E_ENDPOINT, LK_CLIENT_E_KEYS, negative errno; @ret_error says why. */
int lk_client_bench_open(const struct lk_client_bench_setup *setup,
                         struct lk_client_bench **ret_bench, struct lk_error *ret_error);

/** lk_client_bench_close() - give the channels back if they are held, and release; NULL is
 * allowed. Waits for the daemon's answer for at most a fifth of a second. */
void lk_client_bench_close(struct lk_client_bench *bench);

/** lk_client_bench_receive() - the next output sample of the model that the claim is for.
 * @timeout_ms:      how long to wait; 0 looks and returns
 * @ret_received_ns: CLOCK_MONOTONIC when the message was in hand; NULL is allowed
 * @ret_sample:      belongs to @bench, valid until the next call
 * Call it several times a lease (200 ms is enough for the usual second), or the claim may be lost.
 * Return: 0, LK_CLIENT_E_NO_ANSWER (no sample came; the state tells why), negative errno. */
int lk_client_bench_receive(struct lk_client_bench *bench, int timeout_ms, int64_t *ret_received_ns,
                            const Linkage__V1__OutputSample **ret_sample);

/** lk_client_bench_send() - send one sample: the values of the claimed channels, in the order of
 * the set-up.
 * @n:            must be the number of scalars that the channels have together
 * @ret_sequence: of the sample, to be found again in echoes; NULL is allowed
 * Never waits. Return: 0, LK_CLIENT_E_BUSY (not connected: nothing was sent),
 * LK_CLIENT_E_TOO_LARGE (@n is not what the claim has), negative errno. */
int lk_client_bench_send(struct lk_client_bench *bench, const double *values, size_t n,
                         uint64_t *ret_sequence);

/** lk_client_bench_read_state() - its present state. Any thread. */
void lk_client_bench_read_state(struct lk_client_bench *bench,
                                struct lk_client_bench_view *ret_view);

/** lk_client_bench_model() - what the model's channels mean; NULL while not connected. Of the
 * receiving thread, until its next receive. */
const Linkage__V1__ModelDescription *lk_client_bench_model(const struct lk_client_bench *bench);

/** lk_client_bench_echo() - the newest sample of this bench whose effect is in @sample; NULL: none
 * yet. */
const Linkage__V1__Echo *lk_client_bench_echo(const struct lk_client_bench *bench,
                                              const Linkage__V1__OutputSample *sample);

/** lk_client_bench_state_name() - "waiting", "refused", "connected". Static text. */
const char *lk_client_bench_state_name(enum lk_client_bench_state state);

#endif
