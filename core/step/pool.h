/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory of a thread pool; see pool.c for the protocol, linkage/pool.h for the interface. */
#ifndef LK_STEP_POOL_H
#define LK_STEP_POOL_H

#include "linkage/pool.h"
#include "maths/arena.h"
#include <stdalign.h>
#include <stdatomic.h>

/* Spins before a waiting thread sleeps: 20 to 100 us, because the duration of the pause
 * instruction differs between processors. */
#define LK_POOL_SPINS 2000
/* Spins of a worker that was woken by its timeout, before the next run. */
#define LK_POOL_SPINS_EXPECTING (4 * LK_POOL_SPINS)

/** struct lk_pool_lane - progress of one worker, in a separate cache line.
 * @done: the order executed last. The bit LK_POOL_AWAITED is set while the caller sleeps until
 *        the worker has executed the next order */
struct lk_pool_lane {
    alignas(LK_CACHE_LINE) _Atomic uint32_t done;
};

/** struct lk_pool - shared memory of a pool, see the top of pool.c.
 * @order:    the cache line that the caller writes and workers spin on
 * @word:     counts orders in steps of LK_POOL_NEXT; the bit LK_POOL_RESTING is set between
 *            cycles
 * @phase:    phase of the order, with its @context and @what; NULL: return from lk_pool_serve()
 * @mark, @mark_context: called around a worker's part of a phase, or NULL; in this line because
 *            workers read it anyway
 * @next_ns:  timeout of sleeping workers on CLOCK_MONOTONIC, 0: none
 * @sleepers: number of workers that sleep on @word, or are about to; all workers read this line
 * @n_workers: number of workers, constant
 * @last:     the newest order; only the caller reads and writes it */
struct lk_pool {
    struct {
        alignas(LK_CACHE_LINE) _Atomic uint32_t word;
        int what;
        lk_pool_phase phase;
        void *context;
        _Atomic int64_t next_ns;
        lk_pool_mark mark;
        void *mark_context;
    } order;
    alignas(LK_CACHE_LINE) _Atomic uint32_t sleepers;
    int n_workers;
    alignas(LK_CACHE_LINE) uint32_t last;
    struct lk_pool_lane lane[];
};

#endif
