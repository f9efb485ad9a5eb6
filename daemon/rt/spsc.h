/* SPDX-License-Identifier: Apache-2.0 */
/* Single-producer, single-consumer queue: every cycle of a run, from the cycle thread to the
 * recorder.
 *
 * A ring of slots of equal size with one writer and one reader. The writer never waits: where the
 * reader has not made room, the cycle is left out and counted. Head and tail are free-running
 * counters, each on its own cache line; the slots between them belong to the reader.
 *
 * The memory is taken when the model is loaded; a recording switches the queue on and off. */
#ifndef LKD_RT_SPSC_H
#define LKD_RT_SPSC_H

#include "cycle_types.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_SPSC_BYTES (16u << 20) /* of all slots, unless that makes fewer than LKD_SPSC_MIN */
#define LKD_SPSC_MIN   64
#define LKD_SPSC_MAX   8192
/* A disk that takes nothing for so long has failed: no run hangs on it. */
#define LKD_SPSC_PATIENCE_NS INT64_C(10000000000)

/** struct lkd_frame - one cycle in the queue.
 * @cycle:    number of the cycle, from 0
 * @step:     steps done when it ended;  @stepped: it made one
 * @state, @fault: enum lkd_cycle_state, enum lkd_fault
 * @flags:    enum Flag
 * @record:   its time stamps, but @ended_ns, which is not known yet
 * @overruns, @skipped: as known when it began
 * @stamp:    the newest sample of any bench that acts
 * @values:   n_inputs values that acted in the step, then n_outputs outputs after it */
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

/** struct lkd_spsc - see above.
 * @stride:  bytes of a slot;  @n_slots: a power of two
 * @wait:    the writer waits for room instead of dropping: where time is not real; it gives that up
 *           when there is none for LKD_SPSC_PATIENCE_NS
 * @waiting: it does so now
 * @on:      cycles are written;  @dropped: cycles left out since it was switched on
 * @head:    slots written so far;  @tail: slots given back */
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

/** lkd_spsc_init() - memory for the frames of a model, touched; off.  RT: no.
 * Return: 0, -ENOMEM. */
int lkd_spsc_init(struct lkd_spsc *queue, int n_inputs, int n_outputs);
/** lkd_spsc_fini() - release; a zeroed queue is allowed. */
void lkd_spsc_fini(struct lkd_spsc *queue);

/** lkd_spsc_start() - empty it, forget what was dropped, and switch it on.
 * lkd_spsc_stop() - switch it off; what is on it stays to be read. A frame that is being written
 * still arrives. Thread: the reader's side. */
void lkd_spsc_start(struct lkd_spsc *queue);
void lkd_spsc_stop(struct lkd_spsc *queue);

/** lkd_spsc_back() - the slot for the next frame, or NULL: off, or full (counted).
 * Thread: cycle.  RT: yes, unless @wait is set. */
LK_RT struct lkd_frame *lkd_spsc_back(struct lkd_spsc *queue);
/** lkd_spsc_push() - hand the slot over.  Thread: cycle.  RT: yes. */
LK_RT void lkd_spsc_push(struct lkd_spsc *queue);

/** lkd_spsc_front() - the oldest frame, or NULL; lkd_spsc_pop() - give its slot back.
 * Thread: reader. */
const struct lkd_frame *lkd_spsc_front(struct lkd_spsc *queue);
void lkd_spsc_pop(struct lkd_spsc *queue);

/** lkd_spsc_backlog() - frames that wait.  Thread: any. */
size_t lkd_spsc_backlog(const struct lkd_spsc *queue);

#endif
