/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lkd_ring_init(struct lkd_ring *ring, size_t n_slots)
{
    size_t size = n_slots * sizeof(struct lkd_slot);

    if (n_slots < 2 || (n_slots & (n_slots - 1)))
        return -EINVAL;
    memset(ring, 0, sizeof(*ring));
    ring->slot = aligned_alloc(alignof(struct lkd_slot), size);
    if (!ring->slot)
        return -ENOMEM;
    ring->n_slots = n_slots;
    memset(ring->slot, 0, size);
    return 0;
}

void lkd_ring_fini(struct lkd_ring *ring)
{
    free(ring->slot);
    memset(ring, 0, sizeof(*ring));
}

void lkd_ring_clear(struct lkd_ring *ring)
{
    for (size_t i = 0; i < ring->n_slots; i++)
        atomic_store_explicit(&ring->slot[i].number, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->written, 0, memory_order_release);
}

LK_RT void lkd_ring_put(struct lkd_ring *ring, const uint64_t *words)
{
    uint64_t number = atomic_load_explicit(&ring->written, memory_order_relaxed);
    struct lkd_slot *slot = &ring->slot[number & (ring->n_slots - 1)];

    atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
    /* release stores: a reader that sees a word also sees that the number was cleared before. On
     * x86 these stores cost the same as plain stores. A fence would also do, but the thread
     * sanitizer does not support fences. */
    for (int i = 0; i < LKD_RING_WORDS; i++)
        atomic_store_explicit(&slot->word[i], words[i], memory_order_release);
    atomic_store_explicit(&slot->number, number + 1, memory_order_release);
    atomic_store_explicit(&ring->written, number + 1, memory_order_release);
}

LK_RT uint64_t lkd_ring_written(const struct lkd_ring *ring)
{
    return atomic_load_explicit(&ring->written, memory_order_acquire);
}

LK_RT uint64_t lkd_ring_first(const struct lkd_ring *ring)
{
    uint64_t written = lkd_ring_written(ring), kept = ring->n_slots / 2;

    return written > kept ? written - kept : 0;
}

LK_RT bool lkd_ring_get(const struct lkd_ring *ring, uint64_t number, uint64_t *ret_words)
{
    const struct lkd_slot *slot = &ring->slot[number & (ring->n_slots - 1)];
    uint64_t before = atomic_load_explicit(&slot->number, memory_order_acquire);

    /* acquire loads: the second read of the number is ordered after these loads */
    for (int i = 0; i < LKD_RING_WORDS; i++)
        ret_words[i] = atomic_load_explicit(&slot->word[i], memory_order_acquire);
    return before == number + 1 &&
           atomic_load_explicit(&slot->number, memory_order_relaxed) == before;
}
