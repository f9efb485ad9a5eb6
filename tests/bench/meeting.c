/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of a pool's meetings on this machine: one way, fork and join, and waking a sleeping worker.
 *
 *     meeting [CORE CORE]    two cores; default: the first two that the process may use
 *
 * Prints p50 and p99. Run by hand; this is not a test. Fork and join are timed in batches, because
 * reading the clock needs as long as a hand-off between near cores. */
#include "linkage/pool.h"
#include "pool_threads.h"
#include "step/futex.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 2000
#define BATCH   100
#define SLEEPS  300

static int cores[2];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void show(const char *what, double *ns, int n)
{
    qsort(ns, (size_t)n, sizeof(*ns), compare);
    printf("%-44s p50 %8.0f ns   p99 %8.0f ns\n", what, ns[n / 2], ns[n * 99 / 100]);
}

static void nothing(void *context, int what, int worker)
{
    (void)context;
    (void)what;
    (void)worker;
}

static void work(void *context, int what, int worker)
{
    int64_t until = now_ns() + *(int64_t *)context;

    (void)what;
    (void)worker;
    while (now_ns() < until)
        ;
}

/* ---- a flag that goes back and forth ---- */

struct ball {
    _Alignas(64) _Atomic uint32_t there;
    _Alignas(64) _Atomic uint32_t back;
};

static void play(void *context, int what, int worker)
{
    struct ball *ball = context;
    static double ns[SAMPLES];

    (void)what;
    for (uint32_t i = 1; i <= SAMPLES * BATCH; i++) {
        if (worker == 0) {
            static int64_t begin;

            if (i % BATCH == 1)
                begin = now_ns();
            atomic_store_explicit(&ball->there, i, memory_order_release);
            while (atomic_load_explicit(&ball->back, memory_order_acquire) != i)
                lk_relax();
            if (i % BATCH == 0)
                ns[i / BATCH - 1] = (double)(now_ns() - begin) / BATCH / 2;
        } else {
            while (atomic_load_explicit(&ball->there, memory_order_acquire) != i)
                lk_relax();
            atomic_store_explicit(&ball->back, i, memory_order_release);
        }
    }
    if (worker == 0)
        show("one way, a flag to and fro, half of it", ns, SAMPLES);
}

/* ---- meetings ---- */

static void measure_meetings(struct lk_pool *pool)
{
    static double ns[SAMPLES];

    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = now_ns();

        for (int k = 0; k < BATCH; k++)
            lk_pool_run(pool, nothing, NULL, 0);
        ns[i] = (double)(now_ns() - begin) / BATCH;
    }
    show("fork and join, phases of nothing", ns, SAMPLES);
}

/* Measure the time of fork and join beyond the longer part of a phase of length @phase_ns. */
static void measure_phases(struct lk_pool *pool, int64_t phase_ns)
{
    static double ns[SAMPLES];
    char what[64];

    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = now_ns();

        for (int k = 0; k < 10; k++)
            lk_pool_run(pool, work, &phase_ns, 0);
        ns[i] = (double)(now_ns() - begin) / 10 - (double)phase_ns;
    }
    snprintf(what, sizeof(what), "fork and join, beyond phases of %g us", (double)phase_ns * 1e-3);
    show(what, ns, SAMPLES);
}

/* ---- a period: idle, then a first meeting ---- */

/* Measure the first meeting of a period.
 * @how: 0: the run wakes the workers; 1: they are roused, and the caller first works alone for 5
 *       us; 2: they wake @lead_ns before the next grid point */
static void measure_period(struct lk_pool *pool, const char *what, int how, int64_t lead_ns)
{
    static double ns[SLEEPS];
    const int64_t period_ns = 1000000;
    int64_t grid_ns = now_ns() + period_ns;

    for (int i = 0; i < SLEEPS; i++, grid_ns += period_ns) {
        const struct timespec at = {grid_ns / 1000000000, grid_ns % 1000000000};
        int64_t begin, alone_ns = how == 0 ? 0 : 5000;

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        begin = now_ns();
        if (how > 0)
            lk_pool_rouse(pool, how == 2 ? grid_ns + period_ns - lead_ns : 0);
        work(&alone_ns, 0, 0);
        lk_pool_run(pool, nothing, NULL, 0);
        ns[i] = (double)(now_ns() - begin - alone_ns);
        lk_pool_rest(pool);
    }
    show(what, ns, SLEEPS);
}

static void pick_cores(int argc, char *argv[])
{
    cpu_set_t allowed;
    int n = 0;

    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &allowed))
            cores[n++] = i;
    if (argc == 3)
        for (int i = 0; i < 2; i++)
            cores[i] = atoi(argv[i + 1]);
}

int main(int argc, char *argv[])
{
    struct pool_threads *threads;
    struct ball ball = {0};
    struct lk_pool *pool;

    pick_cores(argc, argv);
    if (pool_threads_start(2, cores, &threads)) {
        fprintf(stderr, "meeting: two cores are needed\n");
        return 1;
    }
    pool = pool_threads_pool(threads);
    printf("cores %d and %d\n", cores[0], cores[1]);
    lk_pool_run(pool, play, &ball, 0);
    measure_meetings(pool);
    measure_phases(pool, 5000);
    measure_phases(pool, 20000);
    measure_period(pool, "first meeting of 1 ms, woken by it", 0, 0);
    measure_period(pool, "  roused, 5 us alone", 1, 0);
    measure_period(pool, "  up by themselves  0 us ahead, 5 us alone", 2, 0);
    measure_period(pool, "  up by themselves 30 us ahead, 5 us alone", 2, 30000);
    measure_period(pool, "  up by themselves 50 us ahead, 5 us alone", 2, 50000);
    measure_period(pool, "  up by themselves 80 us ahead, 5 us alone", 2, 80000);
    pool_threads_stop(threads);
    return 0;
}
