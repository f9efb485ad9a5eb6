/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange thread: samples from the bench in, samples to the bench out.
 *
 * Inputs are decoded and checked as they arrive and go into the input table at once. Outputs are
 * read shortly after the cycle's grid points, by an absolute timer on the same grid, because the
 * cycle wakes no other thread. The delay after the grid point is the measured computing time (99 %
 * quantile) plus 30 us. If a record is not yet available, the thread retries shortly.
 *
 *     cycle      |step|              |step|              |step|
 *     exchange          |send|    in       |send|  in          |send|
 *     grid       T(k)                T(k+1)              T(k+2)
 *
 * A record goes first to motion platforms (motion.h), then as an OutputSample (publisher.h), then
 * into the streams that have subscribers (streams.h). If the thread is late, records wait in the
 * mailbox (LKD_OUTPUTS_BYTES) and are sent in order, at most 32 in a row, so that input samples are
 * received in between. Datagrams carry the newest record only. Without a grid (lockstep, asap) it
 * polls every millisecond and publishes the newest record.
 *
 * The thread spends at most an eighth of its time on incoming samples. A flood of samples queues in
 * the line process and at the senders, and does not occupy the core.
 *
 * Every 10 ms, in every state, it sends heartbeats, processes new and ended subscriptions, detects
 * silent benches, and sends datagrams to motion platforms at their low rate.
 *
 * The thread has the configured priority, which is below that of the cycle. Its locks inherit
 * priority, see lkd_realtime_lock_init(). Only this thread uses its channels while it runs. */
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

/** struct lkd_exchange_options - resources of the exchange, all owned by the caller.
 * @inputs:      table that receives the samples
 * @inputs_port, @outputs_port: channels of incoming and outgoing samples
 * @thread:      priority and core of the exchange thread
 * @divisor:     publish an OutputSample every @divisor steps; 0 means 1
 * @newest_only: publish only the newest record; skip older ones
 * @motion:      @n_motion receivers of datagrams
 * @cueing:      washout and platform; NULL: none
 * @segments:    receives the times of publications, or NULL
 * @villas:      endpoints of a gateway, or NULL */
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

/** lkd_exchange_start() - Create the exchange thread.
 * Thread: control.
 * Return: 0, negative errno. */
int lkd_exchange_start(const struct lkd_exchange_options *options,
                       struct lkd_exchange **ret_exchange);

/** lkd_exchange_stop() - End the thread and release the exchange. @exchange may be NULL. */
void lkd_exchange_stop(struct lkd_exchange *exchange);

/** lkd_exchange_load() - Change the model: end the streams of the previous one and map the motion
 * platforms to the new outputs. No run may be attached, and no thread may run @cycle.
 * Thread: control. */
void lkd_exchange_load(struct lkd_exchange *exchange, struct lkd_cycle *cycle);

/** lkd_exchange_attach() - Publish the outputs of a run, from now on until lkd_exchange_detach().
 * Call it before the run begins.
 * @cycle:    cycle of the run; its outputs are read until lkd_exchange_detach()
 * @degraded: flag in the samples: the run lacks real-time properties
 * Thread: control. */
void lkd_exchange_attach(struct lkd_exchange *exchange, struct lkd_cycle *cycle, uint64_t model_id,
                         bool degraded);

/** lkd_exchange_detach() - Publish the last outputs of the run once more, in @state, and release
 * the cycle. Call after the threads of the run have ended. Does nothing if no run is attached.
 * Thread: control. */
void lkd_exchange_detach(struct lkd_exchange *exchange, Linkage__V1__State state);

/** lkd_exchange_fault() - Publish the last outputs of a hung cycle in state FAULT, a hundred times
 * a second, until the cycle continues and reports its failure itself. The interrupted step is never
 * published.
 * @zero: publish zeros instead of the last outputs
 * Thread: control. */
void lkd_exchange_fault(struct lkd_exchange *exchange, bool zero);

/** lkd_exchange_tell() - Set the content of heartbeats. During a run their step number comes from
 * its records.
 * @step: step number if there is no run
 * Thread: control. */
void lkd_exchange_tell(struct lkd_exchange *exchange, Linkage__V1__State state, uint64_t model_id,
                       enum lkd_mode mode, uint64_t step);

/** lkd_exchange_subscribe() - Add the stream for @selection of the model's outputs.
 * Thread: control.
 * Return: see lkd_streams_add(). */
int lkd_exchange_subscribe(struct lkd_exchange *exchange, const struct lkd_selection *selection,
                           uint64_t *ret_id);

/** lkd_exchange_platform() - Execute @order.
 * @ret_cueing: resulting state; its pointers are owned by the exchange
 * Thread: control.
 * Return: LK_RIDE_NO_CAUSE, or the reason for a refusal. */
enum lk_ride_cause lkd_exchange_platform(struct lkd_exchange *exchange,
                                         enum lkd_platform_order order,
                                         struct lkd_cueing *ret_cueing);

/** lkd_exchange_platform_queue() - Return the queue of platform steps to a recording, valid as long
 * as the exchange; NULL without a platform or without recordings. */
struct lkd_spsc *lkd_exchange_platform_queue(struct lkd_exchange *exchange);

/** lkd_exchange_streams() - Return the number of streams. Thread: any. */
int lkd_exchange_streams(struct lkd_exchange *exchange);

/** enum lkd_span - activity of the exchange thread in a span of time. */
enum lkd_span { LKD_SPAN_PUBLISH, LKD_SPAN_RECEIVE };

/** lkd_exchange_spans() - Return the ring of the last activities of the exchange thread. The words
 * of an entry are enum lkd_span, begin and end [ns, CLOCK_MONOTONIC], and the number of the step or
 * of received samples.
 * Thread: any. */
const struct lkd_ring *lkd_exchange_spans(const struct lkd_exchange *exchange);

/** lkd_exchange_forbidden() - Return the number of input samples refused because of the client's
 * role; 0 for NULL.
 * Thread: any. */
uint64_t lkd_exchange_forbidden(struct lkd_exchange *exchange);

/** lkd_exchange_gateway() - Read the counts of the gateway. @exchange may be NULL.
 * Return: false if there is no gateway.
 * Thread: any but the cycle. */
bool lkd_exchange_gateway(struct lkd_exchange *exchange, struct lkd_villas_counts *ret);

/** lkd_exchange_priority() - Return the SCHED_FIFO priority of the thread, 0: normal. @exchange may
 * be NULL.
 * Thread: any. */
int lkd_exchange_priority(struct lkd_exchange *exchange);

/** lkd_exchange_published() - Return the number of OutputSamples published in the present or last
 * run.
 * Thread: any. */
uint64_t lkd_exchange_published(struct lkd_exchange *exchange);

/** lkd_exchange_outputs_max() - Return the number of output scalars that fit into a sample. */
int lkd_exchange_outputs_max(void);

#endif
