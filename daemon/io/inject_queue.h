/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that the injector delays: a queue of fixed size. Private to inject.c. */
#ifndef LKD_IO_INJECT_QUEUE_H
#define LKD_IO_INJECT_QUEUE_H

#include "inject.h"
#include "inputs.h"

/** struct lkd_held - a slot of the queue.
 * @order:   arrival number of the sample
 * @due_ns:  time at which the sample is passed on
 * @place:   number of its claim
 * @waiting: the sample is held until the next sample of that claim, regardless of @due_ns */
struct lkd_held {
    bool used;
    bool waiting;
    int place;
    uint64_t order;
    int64_t due_ns;
    struct lkd_sample sample;
};

/** lkd_queue_width() - Return the number of doubles needed to store a sample of up to @n_values
 * values with their slopes. */
static inline size_t lkd_queue_width(size_t n_values)
{
    return 2 * n_values + 1;
}

/** lkd_queue_copy() - Copy the numbers of @sample to @room, lkd_queue_width() doubles, and let
 * @sample point to the copy. */
void lkd_queue_copy(double *room, size_t n_values, struct lkd_sample *sample);

/** lkd_queue_keep() - Enqueue a copy; a full queue drops its oldest sample. */
void lkd_queue_keep(struct lkd_injector *injector, const struct lkd_sample *sample, int place,
                    int64_t due_ns, bool waiting);

/** lkd_queue_waiting() - Return the sample of claim @place that is held until its next sample, or
 * NULL. */
struct lkd_held *lkd_queue_waiting(struct lkd_injector *injector, int place);

#endif
