/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: fork, join, sleep and idle.
 *
 * Fork. The caller writes phase, context and what, then increments order.word (release). Workers
 * spin on the cache line of the order (acquire), so an order costs the transfer of a single
 * line. The caller does not wait for the workers: it starts its own part at once.
 *
 * Join. Each worker sets its lane to the order after its part (release), and the caller reads
 * one lane after another (acquire). The caller overwrites an order only after all lanes contain
 * it.
 *
 * Sleep. A worker whose spin is over increments `sleepers` and sleeps on order.word; the kernel
 * lets it sleep only if the word is unchanged. The caller loads `sleepers` right after its store,
 * without a barrier, which would make it wait for the line. Caller and worker may therefore miss
 * each other's write, because the processor may execute the load before the store. So the caller
 * reads `sleepers` again before it waits for the workers, by a read-modify-write operation. Two
 * such operations on one variable are ordered. If the caller's operation is first, the worker's
 * operation acquires the order, and the kernel does not let the worker sleep. If the worker's is
 * first, the caller sees the sleeper and wakes it. The caller sleeps on the lane that it waits for,
 * and marks the lane with LK_POOL_AWAITED. The worker swaps the lane and sees the mark. The swap
 * waits for the transfer of the cache line, but no thread waits for the worker at that time.
 *
 * Idle. A pool that runs once per period would spin for the whole period, or the caller would have
 * to wake it by a system call. Instead, a timeout wakes a sleeping worker shortly before the next
 * period (order.next_ns), and the worker then spins for longer. */
#include "step/pool.h"
#include "maths/arithmetic.h"
#include "step/futex.h"

/* bits of order.word */
#define LK_POOL_RESTING 1u
#define LK_POOL_NEXT    2u
/* bit of lane.done */
#define LK_POOL_AWAITED 1u

LK_RT void lk_pool_set_mark(struct lk_pool *pool, lk_pool_mark mark, void *context)
{
    /* plain stores: the next order releases them to the workers */
    pool->order.mark = mark;
    pool->order.mark_context = context;
}

static void execute(const struct lk_pool *pool, lk_pool_phase phase, void *context, int what,
                    int worker)
{
    if (pool->order.mark)
        pool->order.mark(pool->order.mark_context, worker, true);
    phase(context, what, worker);
    if (pool->order.mark)
        pool->order.mark(pool->order.mark_context, worker, false);
}

LK_RT int lk_pool_size(const struct lk_pool *pool)
{
    return pool ? pool->n_workers : 1;
}

/* ---- the worker's side ---- */

/* Sleep until the word differs from @word, or until @until_ns. Return: whether the wait
 * timed out. */
static bool sleep_on(struct lk_pool *pool, uint32_t word, int64_t until_ns)
{
    bool time_has_come;

    /* acquire and release: see the top of this file */
    atomic_fetch_add_explicit(&pool->sleepers, 1, memory_order_acq_rel);
    time_has_come = lk_futex_wait(&pool->order.word, word, until_ns);
    atomic_fetch_sub_explicit(&pool->sleepers, 1, memory_order_acq_rel);
    return time_has_come;
}

/* Spin while the word is @done, for a bounded time. A worker that is @expecting a run, because its
 * timeout woke it, spins for longer and ignores LK_POOL_RESTING. */
static uint32_t spin_on(struct lk_pool *pool, uint32_t done, bool expecting)
{
    int spins = expecting ? LK_POOL_SPINS_EXPECTING : LK_POOL_SPINS;
    uint32_t ignored = expecting ? LK_POOL_RESTING : 0, word;

    for (int i = 0; i < spins; i++) {
        /* acquire: phase and context were written before */
        word = atomic_load_explicit(&pool->order.word, memory_order_acquire);
        if ((word & ~ignored) != done)
            return word;
        lk_relax();
    }
    return atomic_load_explicit(&pool->order.word, memory_order_acquire);
}

/* Return the next order after @done. @up_ns: last timeout that woke the worker. */
static uint32_t await_order(struct lk_pool *pool, uint32_t done, int64_t *up_ns)
{
    bool expecting = false;

    for (;;) {
        uint32_t word = spin_on(pool, done, expecting);
        int64_t next_ns;

        if ((word & ~LK_POOL_RESTING) != done)
            return word & ~LK_POOL_RESTING;
        next_ns = atomic_load_explicit(&pool->order.next_ns, memory_order_relaxed);
        if (sleep_on(pool, word, next_ns == *up_ns ? 0 : next_ns))
            *up_ns = next_ns;
        /* false if the word has changed, e.g. only by the bit LK_POOL_RESTING */
        expecting = word == atomic_load_explicit(&pool->order.word, memory_order_relaxed);
    }
}

LK_RT void lk_pool_serve(struct lk_pool *pool, int worker)
{
    _Atomic uint32_t *lane = &pool->lane[worker].done;
    LK_ARITHMETIC;
    uint32_t done = atomic_load_explicit(lane, memory_order_relaxed) & ~LK_POOL_AWAITED;
    lk_pool_phase phase;
    int64_t up_ns = 0;

    do {
        uint32_t order = await_order(pool, done, &up_ns);

        phase = pool->order.phase;
        if (phase)
            execute(pool, phase, pool->order.context, pool->order.what, worker);
        done = order;
        /* release: all that the phase wrote; acquire: the mark that the caller wrote */
        if (atomic_exchange_explicit(lane, done, memory_order_acq_rel) & LK_POOL_AWAITED)
            lk_futex_wake(lane);
    } while (phase);
}

/* ---- the caller's side ---- */

static void give_order(struct lk_pool *pool, lk_pool_phase phase, void *context, int what)
{
    pool->last += LK_POOL_NEXT;
    pool->order.phase = phase;
    pool->order.context = context;
    pool->order.what = what;
    /* release: the inputs of the phase, and phase, context and what of the order */
    atomic_store_explicit(&pool->order.word, pool->last, memory_order_release);
}

static bool spin_on_lane(const _Atomic uint32_t *lane, uint32_t order, int spins)
{
    for (int i = 0; i < spins; i++) {
        /* acquire: what the worker wrote */
        if (atomic_load_explicit(lane, memory_order_acquire) == order)
            return true;
        lk_relax();
    }
    return false;
}

static void await_lane(_Atomic uint32_t *lane, uint32_t order)
{
    while (!spin_on_lane(lane, order, LK_POOL_SPINS)) {
        uint32_t seen = atomic_load_explicit(lane, memory_order_acquire);

        /* do not mark the lane if the worker has finished, or if the mark is set already */
        if (seen == order)
            return;
        if (!(seen & LK_POOL_AWAITED) &&
            !atomic_compare_exchange_strong_explicit(lane, &seen, seen | LK_POOL_AWAITED,
                                                     memory_order_acq_rel, memory_order_acquire))
            continue;
        lk_futex_wait(lane, seen | LK_POOL_AWAITED, 0);
    }
}

/* Wait until all lanes have finished. Wake workers that did not see the start of the phase, as the
 * top of this file explains. */
static void join_workers(struct lk_pool *pool, bool woken)
{
    for (int k = 1; k < pool->n_workers; k++) {
        _Atomic uint32_t *lane = &pool->lane[k].done;

        if (spin_on_lane(lane, pool->last, 1))
            continue;
        /* a sleeping worker may also be done and wait for the next order */
        if (!woken && atomic_fetch_add_explicit(&pool->sleepers, 0, memory_order_acq_rel) > 0 &&
            !spin_on_lane(lane, pool->last, 1))
            lk_futex_wake(&pool->order.word);
        woken = true;
        await_lane(lane, pool->last);
    }
}

LK_RT void lk_pool_run(struct lk_pool *pool, lk_pool_phase phase, void *context, int what)
{
    bool asleep;

    if (pool->n_workers == 1) {
        phase(context, what, 0);
        return;
    }
    give_order(pool, phase, context, what);
    asleep = atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0;
    if (asleep)
        lk_futex_wake(&pool->order.word);
    execute(pool, phase, context, what, 0);
    join_workers(pool, asleep);
}

LK_RT void lk_pool_rouse(struct lk_pool *pool, int64_t next_ns)
{
    atomic_store_explicit(&pool->order.next_ns, next_ns, memory_order_relaxed);
    if (atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0)
        lk_futex_wake(&pool->order.word);
}

LK_RT void lk_pool_rest(struct lk_pool *pool)
{
    /* release: the writes of lk_pool_rouse(). A sleeping worker continues to sleep */
    atomic_store_explicit(&pool->order.word, pool->last | LK_POOL_RESTING, memory_order_release);
}

static void meet(void *context, int what, int worker)
{
    (void)context;
    (void)what;
    (void)worker;
}

void lk_pool_wait_ready(struct lk_pool *pool)
{
    lk_pool_run(pool, meet, NULL, 0);
}

void lk_pool_stop(struct lk_pool *pool)
{
    give_order(pool, NULL, NULL, 0);
    lk_futex_wake(&pool->order.word); /* the system call orders the accesses to `sleepers` */
}
