/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a pool meets in; pool.c says how. The interface is linkage/pool.h. */
#ifndef LK_STEP_POOL_H
#define LK_STEP_POOL_H

#include "linkage/pool.h"
#include "maths/arena.h"
#include <stdalign.h>
#include <stdatomic.h>

/* Pauses before who waits goes to sleep: some 20 to 100 us, the pause of processors differs. */
#define LK_POOL_SPINS 2000
/* The same for a worker that got up at a given time for a run to come. */
#define LK_POOL_SPINS_EXPECTING (4 * LK_POOL_SPINS)

/** struct lk_pool_lane - what one worker says; a cache line of its own.
 * @done: the order that it executed last, or with LK_POOL_AWAITED when the caller sleeps until it
 *        has executed the next one */
struct lk_pool_lane {
    alignas(LK_CACHE_LINE) _Atomic uint32_t done;
};

/** struct lk_pool - see the top of pool.c.
 * @order:    the line that the caller writes and workers spin on
 * @word:     counts orders in steps of LK_POOL_NEXT, or with LK_POOL_RESTING
 * @phase:    of the order; NULL: leave.  @context: for it
 * @mark, @mark_context: told of the parts of a phase, NULL: nobody is; in the line that workers
 * have at hand anyway
 * @next_ns:  when workers that sleep get up by themselves, 0: they do not
 * @sleepers: workers that sleep on @word, or are about to
 * @last:     the newest order, of the caller alone */
struct lk_pool {
    struct {
        alignas(LK_CACHE_LINE) _Atomic uint32_t word;
        lk_pool_phase phase;
        void *context;
        _Atomic int64_t next_ns;
        lk_pool_mark mark;
        void *mark_context;
    } order;
    alignas(LK_CACHE_LINE) _Atomic uint32_t sleepers;
    alignas(LK_CACHE_LINE) uint32_t last;
    int n_workers;
    struct lk_pool_lane lane[];
};

#endif
