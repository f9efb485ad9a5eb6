/* SPDX-License-Identifier: Apache-2.0 */
/* Single-producer, single-consumer queue: every cycle of a run, from the cycle thread to the
 * recorder.
 *
 * A ring of slots of equal size with one writer and one reader. The writer never waits: if the ring
 * is full, the cycle is dropped and counted. Head and tail are free-running counters, each on its
 * own cache line; the reader owns the slots between them.
 *
 * The memory is allocated when the model is loaded; a recording enables and disables the queue. */
#ifndef LKD_RT_SPSC_H
#define LKD_RT_SPSC_H

#include "cycle_types.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_SPSC_BYTES (16u << 20) /* size of all slots; larger if LKD_SPSC_MIN slots need more */
#define LKD_SPSC_MIN   64
#define LKD_SPSC_MAX   8192
/* A disk without progress for this time counts as failed; no run waits longer for the disk [ns]. */
#define LKD_SPSC_PATIENCE_NS INT64_C(10000000000)

/** struct lkd_frame - one cycle in the queue.
 * @cycle:              number of the cycle, from 0
 * @step:               steps done when it ended
 * @stepped:            the cycle made a step
 * @state, @fault:      enum lkd_cycle_state, enum lkd_fault
 * @flags:              enum Flag
 * @record:             time stamps of the cycle, except @ended_ns, because it has not ended yet
 * @overruns, @skipped: counts when the cycle began
 * @stamp:              the newest acting sample of any bench
 * @values:             the n_inputs input values that acted in the step, then the n_outputs outputs
 *                      after the step */
struct lkd_frame {
    uint64_t cycle;
    uint64_t step;
    bool stepped;
    int state;
    int fault;
    uint32_t flags;
    struct lkd_record record;
    uint64_t overruns;
    uint64_t skipped;
    struct lkd_stamp stamp;
    double values[];
};

/** struct lkd_spsc - queue of frames.
 * @stride:  bytes of a slot
 * @n_slots: number of slots, a power of two
 * @wait:    the writer waits for room instead of dropping, in modes without real time; it stops
 *           waiting if there is no room for LKD_SPSC_PATIENCE_NS
 * @waiting: the writer waits now
 * @on:      the queue is enabled
 * @dropped: number of cycles dropped since it was enabled
 * @head:    slots written so far
 * @tail:    slots returned by the reader */
struct lkd_spsc {
    unsigned char *slots;
    size_t stride;
    size_t n_slots;
    int n_inputs;
    int n_outputs;
    _Atomic bool wait;
    _Atomic bool waiting;
    _Atomic bool on;
    alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t dropped;
    alignas(64) _Atomic uint64_t tail;
};

/** lkd_spsc_init() - Allocate and touch memory for the frames of a model. The queue is disabled
 * afterwards.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_spsc_init(struct lkd_spsc *queue, int n_inputs, int n_outputs);
/** lkd_spsc_fini() - Release @queue, which may be zeroed. */
void lkd_spsc_fini(struct lkd_spsc *queue);

/** lkd_spsc_start() - Empty the queue, reset its counts and enable it.
 * lkd_spsc_stop() - Disable the queue. Its frames can still be read. A frame that is being written
 * still arrives.
 * Thread: the reader's side. */
void lkd_spsc_start(struct lkd_spsc *queue);
void lkd_spsc_stop(struct lkd_spsc *queue);

/** lkd_spsc_back() - Return the slot for the next frame, or NULL if the queue is disabled or full;
 * a full queue is counted in @dropped.
 * Thread: cycle.  RT: yes, unless @wait is set. */
LK_RT struct lkd_frame *lkd_spsc_back(struct lkd_spsc *queue);
/** lkd_spsc_push() - Pass the slot to the reader.  Thread: cycle.  RT: yes. */
LK_RT void lkd_spsc_push(struct lkd_spsc *queue);

/** lkd_spsc_front() - Return the oldest frame, or NULL.
 * lkd_spsc_pop() - Return the slot of the oldest frame to the writer.
 * Thread: reader. */
const struct lkd_frame *lkd_spsc_front(struct lkd_spsc *queue);
void lkd_spsc_pop(struct lkd_spsc *queue);

/** lkd_spsc_backlog() - Return the number of unread frames.  Thread: any. */
size_t lkd_spsc_backlog(const struct lkd_spsc *queue);

#endif
