/* SPDX-License-Identifier: Apache-2.0 */
/* The last records of one thread, readable by any thread while the writer continues.
 *
 * The memory is a ring of slots. The writer overwrites the oldest slot, never waits and needs no
 * list of readers. Every slot contains the number of its record, which is cleared before the record
 * is written and set afterwards. A reader that reads the same number before and after copying has a
 * complete record (a seqlock for each slot, H.-J. Boehm, "Can seqlocks get along with programming
 * language memory models?", 2012). All words are atomics, so there is no data race. */
#ifndef LKD_RT_RING_H
#define LKD_RT_RING_H

#include "linkage/error.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LKD_RING_WORDS 7 /* words of a record; with the number one cache line */

/** struct lkd_slot - one slot of the ring.
 * @number: number of the record in the slot, counted from 1; 0 while the record is written */
struct lkd_slot {
    alignas(64) _Atomic uint64_t number;
    _Atomic uint64_t word[LKD_RING_WORDS];
};

/** struct lkd_ring - ring of records.
 * @n_slots: number of slots, a power of two
 * @written: number of records so far */
struct lkd_ring {
    struct lkd_slot *slot;
    size_t n_slots;
    alignas(64) _Atomic uint64_t written;
};

/** lkd_ring_init() - Allocate and touch memory for @n_slots records (a power of two).
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -EINVAL, -ENOMEM. */
int lkd_ring_init(struct lkd_ring *ring, size_t n_slots);

/** lkd_ring_fini() - Release @ring, which may be zeroed. RT: no. */
void lkd_ring_fini(struct lkd_ring *ring);

/** lkd_ring_clear() - Discard all records. Thread: any, while no thread writes or reads. */
void lkd_ring_clear(struct lkd_ring *ring);

/** lkd_ring_put() - Overwrite the oldest record with a new one. @words: LKD_RING_WORDS words
 * Thread: the writer.  RT: yes, constant time. */
LK_RT void lkd_ring_put(struct lkd_ring *ring, const uint64_t *words);

/** lkd_ring_written() - Return the number of records so far; the next one gets this number.
 * Thread: any.  RT: yes. */
LK_RT uint64_t lkd_ring_written(const struct lkd_ring *ring);

/** lkd_ring_first() - Return the number of the record at which to begin reading, counted from 0.
 * The oldest half of the ring is skipped as a margin for the writer.
 * Thread: any.  RT: yes. */
LK_RT uint64_t lkd_ring_first(const struct lkd_ring *ring);

/** lkd_ring_get() - Copy record @number, counted from 0.
 * @ret_words: LKD_RING_WORDS words; written also on failure
 * Thread: any.  RT: yes.
 * Return: true if the copy is complete; false: the record was overwritten, or is not written
 * yet. */
LK_RT bool lkd_ring_get(const struct lkd_ring *ring, uint64_t number, uint64_t *ret_words);

#endif
