/* SPDX-License-Identifier: Apache-2.0 */
/* Ten thousand cycles of the real cycle at 2 kHz, while another thread writes inputs and reads
 * outputs. The cycle makes no heap call, has no page fault and waits once per cycle, and every grid
 * point is accounted for.
 *
 * The test also runs without privileges. Priority and locked memory are then left out, and page
 * faults are reported but not judged. Nothing here depends on the latency of the machine. */
#include "../skip.h"
#include "alloc_guard.h"
#include "counted.h"
#include "cycle_rig.h"
#include "runner.h"
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define CYCLES    10000u
#define PERIOD_S  0.0005
#define PERIOD_NS INT64_C(500000)
/* limit of waits beyond one per cycle. None is known; the reserve is for a signal that interrupts a
 * wait. */
#define SPARE_WAITS 5

static const char *model_path;
static const int no_core[] = {LKD_CORE_NONE, LKD_CORE_NONE};

struct bench {
    struct lkd_cycle *cycle;
    struct lk_system *system;
    struct rig_counted counted;
    bool locked;
};

static void open_bench(struct bench *bench, double step)
{
    struct lkd_settings settings = lkd_settings_default();

    *bench = (struct bench){0};
    settings.overrun.in_a_row = 0; /* a busy machine must cause no fault */
    bench->cycle = rig_cycle_new(model_path, step, &settings, &bench->system);
}

static void close_bench(struct bench *bench)
{
    rig_cycle_free(bench->cycle, bench->system);
}

static void work(void *data)
{
    struct lkd_cycle *cycle = data;

    cycle->t0_ns = lkd_clock_ns() + 2000000;
    lkd_cycle_run(cycle);
}

/* Run the cycle like runner.c, with the counts around the grid. */
static void *run_counted(void *data)
{
    struct bench *bench = data;

    rig_count(lkd_realtime_pick_core(LKD_CORE_AUTO), 80, work, bench->cycle, &bench->counted);
    return NULL;
}

static void feed(struct lkd_cycle *cycle, uint64_t sequence)
{
    struct lkd_input *input = lkd_mailbox_back(&cycle->inputs);

    input->n_stamps = 1;
    input->stamp[0].sequence = sequence;
    input->stamp[0].origin_ns = sequence;
    input->stamp[0].received_ns = lkd_clock_ns();
    for (int i = 0; i < cycle->n_inputs; i++)
        input->values[i] = (double)(sequence % 7) - 3;
    lkd_mailbox_publish(&cycle->inputs);
}

static void check_record(const struct lkd_cycle *cycle, const struct lkd_output *output,
                         uint64_t last_step)
{
    const struct lkd_figures *f = &output->figures;
    int64_t grid = (f->deadline_ns - cycle->t0_ns) / PERIOD_NS;

    assert_int_equal((f->deadline_ns - cycle->t0_ns) % PERIOD_NS, 0);
    assert_int_equal(f->cycles + f->skipped, grid + 1);
    assert_true(f->step > last_step);
    assert_true(f->woken_ns >= f->deadline_ns);
    assert_true(f->computed_ns >= f->woken_ns);
    assert_true(f->state == LKD_CYCLE_RUNNING);
    assert_true(f->time_s == (double)f->step * PERIOD_S);
    for (int i = 0; i < cycle->n_outputs; i++)
        assert_true(isfinite(output->values[i]));
}

/* Write inputs and read outputs beside the cycle until the cycle has made @cycles. */
static void attend(struct lkd_cycle *cycle, uint64_t cycles)
{
    const struct timespec nap = {.tv_nsec = 100000};
    uint64_t sequence = 0, step = 0, seen_input = 0, done = 0;

    while (done < cycles) {
        feed(cycle, ++sequence);
        if (lkd_mailbox_take(&cycle->outputs)) {
            const struct lkd_output *output = lkd_mailbox_front(&cycle->outputs);

            check_record(cycle, output, step);
            assert_true(output->figures.input_sequence >= seen_input);
            seen_input = output->figures.input_sequence;
            step = output->figures.step;
            done = output->figures.cycles;
        }
        nanosleep(&nap, NULL);
    }
    assert_true(seen_input > 0);
    lkd_cycle_ask(cycle, LKD_ASK_END);
}

static void report(const struct bench *bench)
{
    const struct lkd_cycle *cycle = bench->cycle;
    const struct lkd_figures *f = &cycle->rt.figures;

    printf("memory %s, priority %s\n", bench->locked ? "locked" : "not locked",
           bench->counted.fifo ? "real-time" : "normal");
    printf("cycles %" PRIu64 ", overruns %" PRIu64 ", skipped %" PRIu64 "\n", f->cycles,
           f->overruns, f->skipped);
    printf("wake-up p50 %.1f p99 %.1f max %.1f us, compute p50 %.1f p99 %.1f max %.1f us\n",
           (double)lkd_histogram_quantile(&cycle->wakeup, 0.5) * 1e-3,
           (double)lkd_histogram_quantile(&cycle->wakeup, 0.99) * 1e-3,
           (double)lkd_histogram_max(&cycle->wakeup) * 1e-3,
           (double)lkd_histogram_quantile(&cycle->compute, 0.5) * 1e-3,
           (double)lkd_histogram_quantile(&cycle->compute, 0.99) * 1e-3,
           (double)lkd_histogram_max(&cycle->compute) * 1e-3);
    rig_counted_print("cycle", &bench->counted);
}

static void test_ten_thousand_cycles(void **state)
{
    struct bench bench;
    const struct lkd_figures *f;
    pthread_t thread;
    int latency_fd = lkd_realtime_hold_latency();

    (void)state;
    open_bench(&bench, PERIOD_S);
    bench.locked = lkd_realtime_lock_memory() == 0;
    assert_int_equal(bench.cycle->period_ns, PERIOD_NS);
    assert_int_equal(pthread_create(&thread, NULL, run_counted, &bench), 0);
    attend(bench.cycle, CYCLES);
    pthread_join(thread, NULL);
    if (latency_fd >= 0)
        close(latency_fd);
    report(&bench);

    f = &bench.cycle->rt.figures;
    assert_true(f->cycles >= CYCLES);
    assert_int_equal(f->cycles + f->skipped, (f->deadline_ns - bench.cycle->t0_ns) / PERIOD_NS + 1);
    assert_int_equal(f->step, f->cycles);
    assert_int_equal(lkd_histogram_count(&bench.cycle->wakeup), f->cycles);
    assert_int_equal(lkd_histogram_count(&bench.cycle->compute), f->cycles);
    assert_int_equal(bench.counted.heap_calls, 0);
    if (bench.locked)
        assert_int_equal(bench.counted.usage.minor_faults + bench.counted.usage.major_faults, 0);
    /* one wait per cycle, and the wait that ended the run */
    assert_true(bench.counted.usage.voluntary <= f->cycles + 1 + SPARE_WAITS);
    close_bench(&bench);
}

/* Test of the guard itself: it must detect a heap call of an armed thread. */
static void test_guard(void **state)
{
    void *volatile block;
    unsigned long calls;

    (void)state;
    alloc_guard_arm();
    block = malloc(10);
    free(block);
    calls = alloc_guard_disarm();
    assert_int_equal(calls, 2);
}

static const struct lkd_figures *await(struct lkd_cycle *cycle, uint64_t cycles)
{
    const struct timespec nap = {.tv_nsec = 200000};
    const struct lkd_figures *f;

    for (;;) {
        lkd_mailbox_take(&cycle->status);
        f = lkd_mailbox_front(&cycle->status);
        if (f->cycles >= cycles)
            return f;
        nanosleep(&nap, NULL);
    }
}

static const struct lkd_figures *await_pause(struct lkd_cycle *cycle)
{
    const struct lkd_figures *f;

    do
        f = await(cycle,
                  ((const struct lkd_figures *)lkd_mailbox_front(&cycle->status))->cycles + 1);
    while (f->state != LKD_CYCLE_PAUSED);
    return f;
}

/* A pause keeps the grid and the state, and the run continues from there. */
static void test_pause(void **state)
{
    struct lkd_runner runner;
    struct lkd_grant grant;
    struct lkd_usage usage;
    struct bench bench;
    uint64_t step, cycles;

    (void)state;
    open_bench(&bench, 0);
    assert_int_equal(lkd_runner_start(&runner, bench.cycle, NULL, 1, no_core, 80, &grant), 0);
    lkd_runner_go(&runner);
    await(bench.cycle, 20);
    lkd_cycle_ask(bench.cycle, LKD_ASK_PAUSE);
    cycles = await_pause(bench.cycle)->cycles;
    step = await(bench.cycle, cycles)->step;
    assert_true(await(bench.cycle, cycles + 10)->step == step);
    assert_true(await(bench.cycle, cycles)->state == LKD_CYCLE_PAUSED);
    lkd_runner_usage(&runner, &usage);
    assert_true(usage.voluntary > 0);
    lkd_cycle_ask(bench.cycle, LKD_ASK_RUN);
    while (await(bench.cycle, ++cycles)->step == step)
        ;
    assert_true(await(bench.cycle, cycles)->step > step);
    lkd_runner_stop(&runner);
    lkd_runner_stop(&runner); /* nothing runs any more */

    cycles = await(bench.cycle, 1)->cycles;
    assert_int_equal(bench.cycle->rt.figures.cycles, await(bench.cycle, cycles)->cycles);
    assert_true(bench.cycle->rt.figures.step < bench.cycle->rt.figures.cycles);

    /* after a rewind everything is as at the start */
    lkd_cycle_rewind(bench.cycle);
    assert_int_equal(bench.cycle->rt.figures.cycles, 0);
    assert_int_equal(lk_system_step_count(bench.system), 0);
    assert_int_equal(lkd_histogram_count(&bench.cycle->wakeup), 0);
    close_bench(&bench);
}

/* A thread that never got the start signal ends without a cycle. */
static void test_start_and_think_again(void **state)
{
    struct lkd_runner runner;
    struct lkd_grant grant;
    struct bench bench;

    (void)state;
    open_bench(&bench, 0);
    assert_int_equal(
        lkd_runner_start(&runner, bench.cycle, NULL, 1, (const int[]){1023}, 80, &grant), 0);
    assert_int_not_equal(grant.core_error, 0); /* no such core here */
    lkd_runner_stop(&runner);
    assert_int_equal(bench.cycle->rt.figures.cycles, 0);
    close_bench(&bench);
}

/* A second worker with normal priority beside the cycle. It sleeps and wakes once per cycle, and
 * the waits of both threads are counted. Afterwards the system works without the pool again. */
static void test_two_workers(void **state)
{
    struct lkd_runner runner;
    struct lkd_grant grant;
    struct lkd_usage usage;
    struct bench bench;
    uint64_t cycles = 1, waits = 0;

    (void)state;
    open_bench(&bench, 0);
    assert_int_equal(lkd_runner_start(&runner, bench.cycle, NULL, 2, no_core, 0, &grant), 0);
    assert_int_equal(grant.core_error, 0);
    assert_int_equal(grant.priority_error, 0);
    assert_non_null(bench.cycle->pool);
    lkd_runner_go(&runner);
    /* each thread waits once per cycle. A late cycle does not wait, so up to 100 attempts are
     * made. */
    for (int i = 0; i < 100 && waits * 2 <= cycles * 3; i++) {
        lkd_runner_usage(&runner, &usage);
        cycles = await(bench.cycle, 1)->cycles;
        waits = usage.voluntary;
        cycles = await(bench.cycle, cycles + 100)->cycles - cycles;
        lkd_runner_usage(&runner, &usage);
        waits = usage.voluntary - waits;
    }
    assert_true(waits * 2 > cycles * 3);
    lkd_runner_stop(&runner);
    assert_null(bench.cycle->pool);
    assert_true(bench.cycle->rt.figures.state == LKD_CYCLE_RUNNING);
    assert_int_equal(lk_system_step(bench.system, bench.cycle->rt.values), 0);

    /* no start signal, and the second core is refused */
    lkd_cycle_rewind(bench.cycle);
    assert_int_equal(lkd_runner_start(&runner, bench.cycle, NULL, 2,
                                      (const int[]){LKD_CORE_NONE, 1023}, 0, &grant),
                     0);
    assert_int_not_equal(grant.core_error, 0);
    assert_int_equal(grant.core_worker, 1);
    lkd_runner_stop(&runner);
    close_bench(&bench);
}

/* Two real-time workers with a core each: both are armed together, without a page fault, and the
 * steps are on time. The daemon requires a third core for its other threads. This test needs none,
 * because both workers sleep between steps. */
static void test_two_real_time_workers(void **state)
{
    const int cores[] = {lkd_realtime_pick_core(LKD_CORE_AUTO), 0};
    struct lkd_runner runner;
    struct lkd_grant grant;
    struct lkd_usage usage;
    struct bench bench;
    bool locked;

    (void)state;
    if (cores[0] <= 0)
        skip_because("it takes a second core", "give it two cores");
    open_bench(&bench, 0);
    locked = lkd_realtime_lock_memory() == 0;
    assert_int_equal(lkd_runner_start(&runner, bench.cycle, NULL, 2, cores, 50, &grant), 0);
    lkd_runner_go(&runner);
    await(bench.cycle, 300);
    lkd_runner_usage(&runner, &usage);
    lkd_runner_stop(&runner);
    printf("two workers: %s, wake-up p50 %.1f us, compute p50 %.1f p99 %.1f us\n",
           grant.priority_error ? "normal priority" : "real-time",
           (double)lkd_histogram_quantile(&bench.cycle->wakeup, 0.5) * 1e-3,
           (double)lkd_histogram_quantile(&bench.cycle->compute, 0.5) * 1e-3,
           (double)lkd_histogram_quantile(&bench.cycle->compute, 0.99) * 1e-3);
    assert_true(bench.cycle->rt.figures.state == LKD_CYCLE_RUNNING);
    assert_int_equal(bench.cycle->rt.figures.step, bench.cycle->rt.figures.cycles);
    if (locked)
        assert_int_equal(usage.minor_faults + usage.major_faults, 0);
    close_bench(&bench);
}

/* The grid began half a second ago. The past grid points are skipped and counted, and the grid is
 * not shifted. */
static void test_skip(void **state)
{
    const struct lkd_figures *f;
    struct bench bench;
    pthread_t thread;
    int64_t late;

    (void)state;
    open_bench(&bench, 0);
    late = 500000000 / bench.cycle->period_ns;
    bench.cycle->t0_ns = lkd_clock_ns() - 500000000;
    assert_int_equal(pthread_create(&thread, NULL, (void *(*)(void *))(void (*)(void))lkd_cycle_run,
                                    bench.cycle),
                     0);
    f = await(bench.cycle, 10);
    assert_true(f->skipped >= (uint64_t)late - 1);
    assert_true(f->overruns >= 1);
    assert_int_equal((f->deadline_ns - bench.cycle->t0_ns) % bench.cycle->period_ns, 0);
    assert_int_equal(f->cycles + f->skipped,
                     (f->deadline_ns - bench.cycle->t0_ns) / bench.cycle->period_ns + 1);
    lkd_cycle_ask(bench.cycle, LKD_ASK_END);
    pthread_join(thread, NULL);
    close_bench(&bench);
}

static void run_to_fault(struct bench *bench, enum lkd_fault fault)
{
    struct lkd_runner runner;
    struct lkd_grant grant;
    const struct lkd_figures *f;

    assert_int_equal(lkd_runner_start(&runner, bench->cycle, NULL, 1, no_core, 80, &grant), 0);
    lkd_runner_go(&runner);
    f = await(bench->cycle, 5);
    assert_true(f->state == LKD_CYCLE_FAULT);
    assert_true(f->fault == fault);
    assert_int_equal(f->step, 0);
    lkd_runner_stop(&runner);
}

/* After a fault the outputs are those of the last good step, here of the start. */
static void test_faults(void **state)
{
    const struct lkd_output *output;
    double start[64];
    struct lk_health health;
    struct bench bench;

    (void)state;
    open_bench(&bench, 0);
    assert_true(bench.cycle->n_outputs <= 64);
    lk_system_health(bench.system, &health);
    lk_system_outputs(bench.system, start);
    bench.cycle->settings.policy.residual_limit = -1; /* no step satisfies this limit */
    run_to_fault(&bench, LKD_FAULT_BEYOND);
    assert_true(lkd_mailbox_take(&bench.cycle->outputs));
    output = lkd_mailbox_front(&bench.cycle->outputs);
    assert_memory_equal(output->values, start, (size_t)bench.cycle->n_outputs * sizeof(double));
    /* the health figures are also those of the start; the violated limit is reported separately */
    assert_memory_equal(&output->figures.health, &health, sizeof(health));
    assert_true(output->figures.residual_position_max == health.residual_position);
    assert_int_equal(output->figures.condition, LKD_CONDITION_RESIDUAL);
    assert_true(output->figures.beyond.value >= 0 && output->figures.beyond.limit == -1);
    assert_int_equal(bench.cycle->guard.count[LKD_CONDITION_RESIDUAL], 1);

    bench.cycle->settings.policy.residual_limit = 1e-3;
    lkd_cycle_rewind(bench.cycle);
    ((struct lkd_input *)lkd_mailbox_back(&bench.cycle->inputs))->values[0] = NAN;
    lkd_mailbox_publish(&bench.cycle->inputs);
    run_to_fault(&bench, LKD_FAULT_NOT_FINITE);
    assert_true(lkd_mailbox_take(&bench.cycle->outputs));
    output = lkd_mailbox_front(&bench.cycle->outputs);
    assert_memory_equal(output->values, start, (size_t)bench.cycle->n_outputs * sizeof(double));
    close_bench(&bench);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard),       cmocka_unit_test(test_ten_thousand_cycles),
        cmocka_unit_test(test_pause),       cmocka_unit_test(test_start_and_think_again),
        cmocka_unit_test(test_two_workers), cmocka_unit_test(test_two_real_time_workers),
        cmocka_unit_test(test_skip),        cmocka_unit_test(test_faults),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
