/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange thread: samples from the bench in, samples to the bench out.
 *
 * Inputs are decoded and checked as they arrive and go into the input table at once. Outputs are
 * picked up a little behind the cycle's grid points, by an absolute timer on the same grid: the
 * cycle signals nobody. The distance behind the grid point follows the measured computing time
 * (its 99 % quantile and 30 us); if a record is not there yet, the thread tries again shortly.
 *
 *     cycle      |step|              |step|              |step|
 *     exchange          |send|    in       |send|  in          |send|
 *     grid       T(k)                T(k+1)              T(k+2)
 *
 * A record goes first to motion platforms (motion.h), then as an OutputSample (publisher.h), then
 * into the streams that somebody subscribes to (streams.h). If the thread
 * is late, the records wait in the mailbox (LKD_OUTPUTS_BYTES) and are sent in order, 32 in a row,
 * so that samples are received in between. Datagrams carry the newest record only. Without a grid
 * (lockstep, asap) it polls every millisecond and publishes the newest record.
 *
 * The thread spends at most an eighth of the time on samples that come in: a flood of them waits in
 * the line process and with those who send it, and leaves the core to others.
 *
 * Every 10 ms, in every state: heartbeats, subscribers that came or went, benches that have become
 * silent, the low rate of motion platforms.
 *
 * The thread has the priority that it is given, below that of the cycle. Its locks
 * inherit priority, see lkd_realtime_lock_init(). Channels belong to the thread from its start to
 * its end. */
#ifndef LKD_IO_EXCHANGE_H
#define LKD_IO_EXCHANGE_H

#include "inputs.h"
#include "linkage.pb-c.h"
#include "motion.h"
#include "realtime.h"
#include "streams.h"
#include "villas.h"

struct lkd_exchange;
struct lkd_segments;

/** struct lkd_exchange_options - its resources; all owned by the caller.
 * @inputs:         where samples go
 * @inputs_port, @outputs_port: channels that samples come and go by
 * @thread:         its priority and core
 * @divisor:        of the steps, for OutputSamples; 0 is 1
 * @newest_only:    records that are overtaken by a newer one are not published
 * @motion:         @n_motion receivers of datagrams
 * @cueing:         washout and platform; NULL: none
 * @segments:           gets publications, or NULL
 * @villas:         endpoints of a gateway, or NULL */
struct lkd_exchange_options {
    struct lkd_inputs *inputs;
    struct lkd_port *inputs_port;
    struct lkd_port *outputs_port;
    struct lkd_thread_wish thread;
    uint64_t divisor;
    bool newest_only;
    const struct lkd_motion_config *motion;
    int n_motion;
    const struct lkd_cueing_config *cueing;
    struct lkd_segments *segments;
    struct lkd_villas *villas;
};

/** lkd_exchange_start() - make the thread.
 * Thread: control.
 * Return: 0, negative errno. */
int lkd_exchange_start(const struct lkd_exchange_options *options,
                       struct lkd_exchange **ret_exchange);

/** lkd_exchange_stop() - end the thread and release; NULL is allowed. */
void lkd_exchange_stop(struct lkd_exchange *exchange);

/** lkd_exchange_load() - another model: streams of the one before end, and motion platforms get the
 * outputs of this one. Nothing may be attached, and no thread run @cycle.
 * Thread: control. */
void lkd_exchange_load(struct lkd_exchange *exchange, struct lkd_cycle *cycle);

/** lkd_exchange_attach() - publish the outputs of a run that is about to begin.
 * @cycle:    its outputs are read until detached
 * @degraded: what samples say about the real-time properties
 * Thread: control. */
void lkd_exchange_attach(struct lkd_exchange *exchange, struct lkd_cycle *cycle, uint64_t model_id,
                         bool degraded);

/** lkd_exchange_detach() - the run's thread has ended: publish its last outputs once more, in
 * @state, and release the cycle. Does nothing if nothing is attached.
 * Thread: control. */
void lkd_exchange_detach(struct lkd_exchange *exchange, Linkage__V1__State state);

/** lkd_exchange_fault() - the cycle hangs: publish its last outputs in state FAULT, a
 * hundred times a second until it moves again and says itself that it has failed. A step that it
 * was in is never published.
 * @zero: as zeros instead
 * Thread: control. */
void lkd_exchange_fault(struct lkd_exchange *exchange, bool zero);

/** lkd_exchange_tell() - set the content of heartbeats; the step of a run comes from its records.
 * @step: without a run
 * Thread: control; NULL is allowed. */
void lkd_exchange_tell(struct lkd_exchange *exchange, Linkage__V1__State state, uint64_t model_id,
                       enum lkd_mode mode, uint64_t step);

/** lkd_exchange_subscribe() - the stream for @selection of the outputs of the model.
 * Thread: control. Return: see lkd_streams_add(). */
int lkd_exchange_subscribe(struct lkd_exchange *exchange, const struct lkd_selection *selection,
                           uint64_t *ret_id);

/** lkd_exchange_platform() - carry out @order.
 * @ret_cueing: what became of it; its pointers are the exchange's
 * Thread: control. Return: LK_RIDE_NO_CAUSE, or why not. */
enum lk_ride_cause lkd_exchange_platform(struct lkd_exchange *exchange,
                                         enum lkd_platform_order order,
                                         struct lkd_cueing *ret_cueing);

/** lkd_exchange_platform_queue() - of the steps of the platform, to a recording; valid as long as
 * the exchange. NULL: there is no platform, or there are no recordings. */
struct lkd_spsc *lkd_exchange_platform_queue(struct lkd_exchange *exchange);

/** lkd_exchange_streams() - number of streams. Thread: any. */
int lkd_exchange_streams(struct lkd_exchange *exchange);

/** enum lkd_span - what the exchange thread did for a time. */
enum lkd_span { LKD_SPAN_PUBLISH, LKD_SPAN_RECEIVE };

/** lkd_exchange_spans() - its last spans: words are enum lkd_span, begin and end [ns on
 * CLOCK_MONOTONIC], and the steps done or samples received. Thread: any. */
const struct lkd_ring *lkd_exchange_spans(const struct lkd_exchange *exchange);

/** lkd_exchange_forbidden() - input samples refused because of the role of their client; NULL:
 * none. Thread: any. */
uint64_t lkd_exchange_forbidden(struct lkd_exchange *exchange);

/** lkd_exchange_gateway() - what its gateway sent and received. Return: false: there is none; NULL
 * is allowed. Thread: any but the cycle. */
bool lkd_exchange_gateway(struct lkd_exchange *exchange, struct lkd_villas_counts *ret);

/** lkd_exchange_priority() - SCHED_FIFO priority that the thread has, 0: normal; NULL is allowed.
 * Thread: any. */
int lkd_exchange_priority(struct lkd_exchange *exchange);

/** lkd_exchange_published() - OutputSamples published of the present or last run. Thread: any. */
uint64_t lkd_exchange_published(struct lkd_exchange *exchange);

/** lkd_exchange_outputs_max() - how many output scalars fit into a sample. */
int lkd_exchange_outputs_max(void);

#endif
