/* SPDX-License-Identifier: Apache-2.0 */
#include "spsc.h"
#include "release.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Interval at which the writer checks for room, in modes in which it may wait [ns]. */
#define NAP_NS 200000

int lkd_spsc_init(struct lkd_spsc *queue, int n_inputs, int n_outputs)
{
    size_t values = (size_t)n_inputs + (size_t)n_outputs, n = LKD_SPSC_MAX;

    memset(queue, 0, sizeof(*queue));
    queue->n_inputs = n_inputs;
    queue->n_outputs = n_outputs;
    queue->stride = (sizeof(struct lkd_frame) + values * sizeof(double) + 63) / 64 * 64;
    while (n > LKD_SPSC_MIN && n * queue->stride > LKD_SPSC_BYTES)
        n /= 2;
    queue->n_slots = n;
    queue->slots = aligned_alloc(64, n * queue->stride);
    if (!queue->slots)
        return -ENOMEM;
    memset(queue->slots, 0, n * queue->stride);
    return 0;
}

void lkd_spsc_fini(struct lkd_spsc *queue)
{
    free(queue->slots);
    queue->slots = NULL;
}

void lkd_spsc_start(struct lkd_spsc *queue)
{
    /* Discard frames left in the stopped queue: they belong to an ended recording. */
    atomic_store_explicit(&queue->tail, atomic_load_explicit(&queue->head, memory_order_acquire),
                          memory_order_release);
    atomic_store_explicit(&queue->dropped, 0, memory_order_relaxed);
    atomic_store_explicit(&queue->on, true, memory_order_release);
}

void lkd_spsc_stop(struct lkd_spsc *queue)
{
    atomic_store_explicit(&queue->on, false, memory_order_release);
}

static struct lkd_frame *slot(const struct lkd_spsc *queue, uint64_t number)
{
    return (struct lkd_frame *)(void *)(queue->slots +
                                        (number & (queue->n_slots - 1)) * queue->stride);
}

static bool is_on(const struct lkd_spsc *queue)
{
    return atomic_load_explicit(&queue->on, memory_order_acquire);
}

static bool is_full(const struct lkd_spsc *queue, uint64_t head)
{
    return head - atomic_load_explicit(&queue->tail, memory_order_acquire) >= queue->n_slots;
}

static bool may_wait(const struct lkd_spsc *queue)
{
    return atomic_load_explicit(&queue->wait, memory_order_relaxed) && is_on(queue);
}

/* Wait until the queue has room; only in modes without real time. */
static void await_room(struct lkd_spsc *queue, uint64_t head)
{
    int64_t waited_ns = 0;

    if (!is_full(queue, head))
        return;
    atomic_store_explicit(&queue->waiting, true, memory_order_relaxed);
    for (; is_full(queue, head) && may_wait(queue); waited_ns += NAP_NS) {
        if (waited_ns >= LKD_SPSC_PATIENCE_NS)
            atomic_store_explicit(&queue->wait, false, memory_order_relaxed);
        lkd_nap(NAP_NS);
    }
    atomic_store_explicit(&queue->waiting, false, memory_order_relaxed);
}

LK_RT struct lkd_frame *lkd_spsc_back(struct lkd_spsc *queue)
{
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);

    if (!is_on(queue))
        return NULL;
    if (atomic_load_explicit(&queue->wait, memory_order_relaxed))
        await_room(queue, head);
    if (is_full(queue, head)) {
        atomic_fetch_add_explicit(&queue->dropped, 1, memory_order_relaxed);
        return NULL;
    }
    return slot(queue, head);
}

LK_RT void lkd_spsc_push(struct lkd_spsc *queue)
{
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);

    /* release: the frame is written before the number that includes it */
    atomic_store_explicit(&queue->head, head + 1, memory_order_release);
}

const struct lkd_frame *lkd_spsc_front(struct lkd_spsc *queue)
{
    uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);

    /* acquire: the number is read before the frame */
    if (tail == atomic_load_explicit(&queue->head, memory_order_acquire))
        return NULL;
    return slot(queue, tail);
}

void lkd_spsc_pop(struct lkd_spsc *queue)
{
    uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);

    atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
}

size_t lkd_spsc_backlog(const struct lkd_spsc *queue)
{
    return (size_t)(atomic_load_explicit(&queue->head, memory_order_acquire) -
                    atomic_load_explicit(&queue->tail, memory_order_acquire));
}
