/* SPDX-License-Identifier: Apache-2.0 */
#include "tape.h"
#include "release.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How long the writer sleeps between looks for room, where it may. */
#define NAP_NS 200000

int lkd_tape_init(struct lkd_tape *tape, int n_inputs, int n_outputs)
{
    size_t values = (size_t)n_inputs + (size_t)n_outputs, n = LKD_TAPE_MAX;

    memset(tape, 0, sizeof(*tape));
    tape->n_inputs = n_inputs;
    tape->n_outputs = n_outputs;
    tape->stride = (sizeof(struct lkd_frame) + values * sizeof(double) + 63) / 64 * 64;
    while (n > LKD_TAPE_MIN && n * tape->stride > LKD_TAPE_BYTES)
        n /= 2;
    tape->n_slots = n;
    tape->slots = aligned_alloc(64, n * tape->stride);
    if (!tape->slots)
        return -ENOMEM;
    memset(tape->slots, 0, n * tape->stride);
    return 0;
}

void lkd_tape_fini(struct lkd_tape *tape)
{
    free(tape->slots);
    tape->slots = NULL;
}

void lkd_tape_start(struct lkd_tape *tape)
{
    /* what a stopped tape still holds belongs to a recording that is over */
    atomic_store_explicit(&tape->tail, atomic_load_explicit(&tape->head, memory_order_acquire),
                          memory_order_release);
    atomic_store_explicit(&tape->dropped, 0, memory_order_relaxed);
    atomic_store_explicit(&tape->on, true, memory_order_release);
}

void lkd_tape_stop(struct lkd_tape *tape)
{
    atomic_store_explicit(&tape->on, false, memory_order_release);
}

static struct lkd_frame *slot(const struct lkd_tape *tape, uint64_t number)
{
    return (struct lkd_frame *)(void *)(tape->slots +
                                        (number & (tape->n_slots - 1)) * tape->stride);
}

static bool is_on(const struct lkd_tape *tape)
{
    return atomic_load_explicit(&tape->on, memory_order_acquire);
}

static bool is_full(const struct lkd_tape *tape, uint64_t head)
{
    return head - atomic_load_explicit(&tape->tail, memory_order_acquire) >= tape->n_slots;
}

static bool may_wait(const struct lkd_tape *tape)
{
    return atomic_load_explicit(&tape->wait, memory_order_relaxed) && is_on(tape);
}

/* Only where time is not real. */
static void await_room(struct lkd_tape *tape, uint64_t head)
{
    int64_t waited_ns = 0;

    if (!is_full(tape, head))
        return;
    atomic_store_explicit(&tape->waiting, true, memory_order_relaxed);
    for (; is_full(tape, head) && may_wait(tape); waited_ns += NAP_NS) {
        if (waited_ns >= LKD_TAPE_PATIENCE_NS)
            atomic_store_explicit(&tape->wait, false, memory_order_relaxed);
        lkd_nap(NAP_NS);
    }
    atomic_store_explicit(&tape->waiting, false, memory_order_relaxed);
}

LK_RT struct lkd_frame *lkd_tape_back(struct lkd_tape *tape)
{
    uint64_t head = atomic_load_explicit(&tape->head, memory_order_relaxed);

    if (!is_on(tape))
        return NULL;
    if (atomic_load_explicit(&tape->wait, memory_order_relaxed))
        await_room(tape, head);
    if (is_full(tape, head)) {
        atomic_fetch_add_explicit(&tape->dropped, 1, memory_order_relaxed);
        return NULL;
    }
    return slot(tape, head);
}

LK_RT void lkd_tape_push(struct lkd_tape *tape)
{
    uint64_t head = atomic_load_explicit(&tape->head, memory_order_relaxed);

    /* release: the frame before its number */
    atomic_store_explicit(&tape->head, head + 1, memory_order_release);
}

const struct lkd_frame *lkd_tape_front(struct lkd_tape *tape)
{
    uint64_t tail = atomic_load_explicit(&tape->tail, memory_order_relaxed);

    /* acquire: the number before the frame */
    if (tail == atomic_load_explicit(&tape->head, memory_order_acquire))
        return NULL;
    return slot(tape, tail);
}

void lkd_tape_pop(struct lkd_tape *tape)
{
    uint64_t tail = atomic_load_explicit(&tape->tail, memory_order_relaxed);

    atomic_store_explicit(&tape->tail, tail + 1, memory_order_release);
}

size_t lkd_tape_backlog(const struct lkd_tape *tape)
{
    return (size_t)(atomic_load_explicit(&tape->head, memory_order_acquire) -
                    atomic_load_explicit(&tape->tail, memory_order_acquire));
}
