/* SPDX-License-Identifier: Apache-2.0 */
#include "proof.h"
#include <math.h>
#include <string.h>

/* Duration of a burst. After a burst the clock-reading loop runs for the same time, and the thread
 * sleeps for half of that time. So steps, loop and sleep take two fifths, two fifths and one
 * fifth. */
#define BURST_NS     INT64_C(2000000)
#define PAUSE_MIN_NS INT64_C(200000)
/* The same on a shared core: short bursts, and two thirds of the time asleep. */
#define SHARED_BURST_NS INT64_C(100000)
#define SHARED_PAUSE    4
/* Number of steps between changes of the inputs. */
#define HOLD 16
/* Amplitude for a channel without limits [SI unit]. */
#define UNLIMITED 1.0

void lkd_proof_init(struct lkd_proof *proof, uint64_t steps, int64_t time_ns)
{
    memset(proof, 0, sizeof(*proof));
    proof->steps = steps;
    proof->time_ns = time_ns;
}

/* Return the next pseudo-random number: xorshift; Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Set each scalar at random to its lower limit, its upper limit or its initial value. */
static void choose_inputs(struct lkd_cycle *cycle, uint64_t *random)
{
    for (int i = 0; i < cycle->n_inputs; i++) {
        double low = isinf(cycle->low[i]) ? -UNLIMITED : cycle->low[i];
        double high = isinf(cycle->high[i]) ? UNLIMITED : cycle->high[i];
        uint64_t r = draw(random) >> 60;

        cycle->rt.trial[i] = r < 6 ? low : r < 12 ? high : cycle->guard.acting[i];
    }
}

/* Run the guard with every channel stale, its most expensive case. The proof has a separate guard,
 * whose result is not used. */
static void guard_inputs(const struct lkd_proof *proof, struct lkd_cycle *cycle)
{
    const struct lkd_guard_view view = {.step = proof->steps_done};

    lkd_guard_apply(&cycle->rt.trial_guard, &view, cycle->rt.trial, cycle->rt.trial,
                    cycle->rt.trial_news);
}

/* Return true if a step of the proof failed. Random inputs may drive bodies beyond their bounds;
 * such a step has done all its work, so its time counts. A step that did not close the joints is a
 * failure. */
static bool is_failure(const struct lkd_cycle *cycle, enum lkd_fault fault)
{
    return fault != LKD_FAULT_BEYOND || cycle->rt.figures.condition == LKD_CONDITION_RESIDUAL;
}

static void count_step(struct lkd_proof *proof, struct lkd_cycle *cycle, uint64_t *random)
{
    int64_t begin_ns;
    enum lkd_fault fault;

    if (proof->steps_done % HOLD == 0)
        choose_inputs(cycle, random);
    begin_ns = lkd_clock_ns();
    guard_inputs(proof, cycle);
    fault = lkd_cycle_compute(cycle, cycle->rt.trial);
    if (fault == LKD_FAULT_BEYOND)
        lk_system_outputs(cycle->system, cycle->rt.values);
    lkd_histogram_add(&proof->compute, lkd_clock_ns() - begin_ns);
    proof->steps_done++;
    if (fault) {
        lkd_cycle_restart(cycle);
        proof->restarts += is_failure(cycle, fault);
    }
}

/* Execute steps for the duration of a burst.
 * Return: duration of the burst [ns]. */
static int64_t burst(struct lkd_proof *proof, struct lkd_cycle *cycle, uint64_t *random)
{
    int64_t begin_ns = lkd_clock_ns(), now_ns = begin_ns;
    int64_t length_ns = proof->shared ? SHARED_BURST_NS : BURST_NS;

    if (cycle->pool)
        lk_pool_rouse(cycle->pool, 0);
    while (proof->steps_done < proof->steps && now_ns - begin_ns < length_ns) {
        count_step(proof, cycle, random);
        now_ns = lkd_clock_ns();
    }
    if (cycle->pool)
        lk_pool_rest(cycle->pool);
    return now_ns - begin_ns;
}

static void watch_clock(struct lkd_proof *proof, int64_t duration_ns, int64_t gap_ns)
{
    int64_t begin_ns = lkd_clock_ns(), last_ns = begin_ns, now_ns = begin_ns;

    while (now_ns - begin_ns < duration_ns) {
        now_ns = lkd_clock_ns();
        if (now_ns - last_ns > proof->gap_max_ns)
            proof->gap_max_ns = now_ns - last_ns;
        proof->gaps += now_ns - last_ns > gap_ns;
        last_ns = now_ns;
    }
    proof->gap_time_ns += now_ns - begin_ns;
}

static void pause_for(struct lkd_proof *proof, int64_t duration_ns)
{
    int64_t until_ns = lkd_clock_ns();

    until_ns += duration_ns > PAUSE_MIN_NS ? duration_ns : PAUSE_MIN_NS;
    lkd_sleep_until(until_ns);
    lkd_histogram_add(&proof->wakeup, lkd_clock_ns() - until_ns);
}

static double how_far(const struct lkd_proof *proof, int64_t spent_ns)
{
    return fmax((double)proof->steps_done / (double)proof->steps,
                (double)spent_ns / (double)proof->time_ns);
}

LK_RT void lkd_proof_run(struct lkd_proof *proof, struct lkd_cycle *cycle)
{
    int64_t begin_ns = lkd_clock_ns();
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    double progress = 0;
    /* Gaps shorter than this do not decide whether a step fits into the period. */
    int64_t gap_ns =
        cycle->period_ns / 20 > LKD_PROOF_GAP_NS ? cycle->period_ns / 20 : LKD_PROOF_GAP_NS;

    lkd_guard_begin(&cycle->rt.trial_guard, cycle->rt.trial_news);
    while (progress < 1) {
        int64_t spent_ns;

        proof->cancelled = atomic_load_explicit(&cycle->ask, memory_order_relaxed) == LKD_ASK_END;
        if (proof->cancelled)
            break;
        spent_ns = burst(proof, cycle, &random);
        watch_clock(proof, spent_ns, gap_ns);
        pause_for(proof, proof->shared ? SHARED_PAUSE * spent_ns : spent_ns / 2);
        progress = how_far(proof, lkd_clock_ns() - begin_ns);
        atomic_fetch_add_explicit(&proof->bursts, 1, memory_order_relaxed);
        atomic_store_explicit(&proof->progress, (int)(1000 * fmin(progress, 1)),
                              memory_order_relaxed);
    }
    /* release: all results are written before the flag */
    atomic_store_explicit(&proof->done, true, memory_order_release);
}
