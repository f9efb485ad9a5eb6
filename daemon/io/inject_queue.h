/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that the injector delays: a queue of fixed size. Private to inject.c. */
#ifndef LKD_IO_INJECT_QUEUE_H
#define LKD_IO_INJECT_QUEUE_H

#include "inject.h"
#include "inputs.h"

/** struct lkd_held - a slot of the queue.
 * @order:   in which samples came in;  @due_ns: to be let through
 * @place:   of its claim;  @waiting: for the next sample of that place, whatever @due_ns says */
struct lkd_held {
    bool used;
    bool waiting;
    int place;
    uint64_t order;
    int64_t due_ns;
    struct lkd_sample sample;
};

/** lkd_queue_width() - numbers that a sample of up to @n_values has: values and slopes. */
static inline size_t lkd_queue_width(size_t n_values)
{
    return 2 * n_values + 1;
}

/** lkd_queue_copy() - the numbers of @sample to @room, of lkd_queue_width() of them, where they are
 * from then on. */
void lkd_queue_copy(double *room, size_t n_values, struct lkd_sample *sample);

/** lkd_queue_keep() - enqueue a copy; a full queue drops the oldest one. */
void lkd_queue_keep(struct lkd_injector *injector, const struct lkd_sample *sample, int place,
                    int64_t due_ns, bool waiting);

/** lkd_queue_waiting() - the one of @place that waits for the next one, or NULL. */
struct lkd_held *lkd_queue_waiting(struct lkd_injector *injector, int place);

#endif
