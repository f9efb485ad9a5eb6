/* SPDX-License-Identifier: Apache-2.0 */
/* A run that stops stepping, on a clock of the test's own: it is told once, when its record is
 * there; and without a clock nothing steps that was not allowed to before. */
#include "cycle_rig.h"
#include "fake_clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define P       INT64_C(1000000)
#define LOG_MAX 1000
#define TOLD    8

static const char *model_path;
static struct lk_system *lk_system;
static struct lkd_cycle *cycle;

/* Cycles so far, and the states in which it was told that no step follows. */
static struct lkd_figures logged[LOG_MAX];
static size_t n_logged;
static enum lkd_cycle_state told[TOLD];
static int n_told;

static void note_cycle(const struct lkd_cycle *of, void *context)
{
    (void)context;
    assert_true(n_logged < LOG_MAX);
    logged[n_logged++] = of->rt.figures;
}

/* As the exchange does, which looks for the record then. */
static void note_rest(void *context)
{
    const struct lkd_output *output;

    assert_ptr_equal(context, &n_told);
    assert_true(lkd_mailbox_take(&cycle->outputs));
    output = lkd_mailbox_front(&cycle->outputs);
    assert_int_equal(output->figures.cycles, n_logged + 1); /* of this very cycle */
    assert_true(n_told < TOLD);
    told[n_told++] = output->figures.state;
}

void __wrap_lkd_nap(int64_t duration_ns);
void __wrap_lkd_nap(int64_t duration_ns)
{
    fake_clock_spend(duration_ns);
}

static void open_cycle(void)
{
    const struct lkd_settings settings = lkd_settings_default();

    fake_clock_begin();
    cycle = rig_cycle_new(model_path, 1e-9 * (double)P, &settings, &lk_system);
    cycle->t0_ns = fake_clock.now_ns + 2 * P;
    cycle->after = note_cycle;
    cycle->rests = note_rest;
    cycle->rests_context = &n_told;
    n_logged = 0;
    n_told = 0;
}

static void close_cycle(void)
{
    rig_cycle_free(cycle, lk_system);
    cycle = NULL;
}

static void ask(void *data)
{
    lkd_cycle_ask(cycle, *(const enum lkd_ask *)data);
}

/* In the middle between two grid points. */
static int64_t between(int64_t k)
{
    return cycle->t0_ns + k * P - P / 2;
}

static enum lkd_ask run = LKD_ASK_RUN, pause = LKD_ASK_PAUSE, fault = LKD_ASK_FAULT,
                    end = LKD_ASK_END;

static void test_told_once(void **state)
{
    (void)state;
    open_cycle();
    fake_clock_at(between(10), ask, &pause);
    fake_clock_at(between(20), ask, &run);
    fake_clock_at(between(30), ask, &pause);
    fake_clock_at(between(40), ask, &run);
    fake_clock_at(between(50), ask, &fault);
    fake_clock_at(between(60), ask, &end);
    lkd_cycle_run(cycle);
    assert_int_equal(n_logged, 60);
    assert_int_equal(n_told, 3);
    assert_true(told[0] == LKD_CYCLE_PAUSED && told[1] == LKD_CYCLE_PAUSED);
    assert_true(told[2] == LKD_CYCLE_FAULT);

    /* the next run tells its own rest */
    lkd_cycle_rewind(cycle);
    n_logged = 0;
    cycle->t0_ns = fake_clock.now_ns + 2 * P;
    atomic_store(&cycle->steps_max, 5);
    fake_clock.n_events = 0;
    fake_clock_at(between(10), ask, &end);
    lkd_cycle_run(cycle);
    assert_int_equal(n_told, 4);
    assert_true(told[3] == LKD_CYCLE_PAUSED);
    assert_int_equal(logged[n_logged - 1].step, 5);

    /* and one that never steps */
    lkd_cycle_rewind(cycle);
    lkd_cycle_ask(cycle, LKD_ASK_PAUSE);
    n_logged = 0;
    cycle->t0_ns = fake_clock.now_ns + 2 * P;
    fake_clock.n_events = 0;
    fake_clock_at(between(10), ask, &end);
    lkd_cycle_run(cycle);
    assert_int_equal(n_told, 5);
    close_cycle();
}

static size_t n_then;

static void allow_five(void *data)
{
    (void)data;
    n_then = n_logged;
    atomic_store(&cycle->steps_max, 5);
}

/* Steps that are allowed while it naps are not those of the cycle that napped. */
static void test_no_step_from_a_nap(void **state)
{
    (void)state;
    open_cycle();
    cycle->mode = LKD_MODE_ASAP;
    atomic_store(&cycle->steps_max, 3);
    fake_clock_at(fake_clock.now_ns + 35 * P, allow_five, NULL);
    fake_clock_at(fake_clock.now_ns + 75 * P, ask, &end);
    lkd_cycle_run_released(cycle);
    assert_true(n_then > 4 && n_logged > n_then + 4);
    assert_int_equal(logged[n_then - 1].step, 3);
    assert_true(logged[n_then].state == LKD_CYCLE_PAUSED);
    assert_int_equal(logged[n_then].step, 3);
    assert_true(logged[n_then + 1].state == LKD_CYCLE_RUNNING);
    assert_int_equal(logged[n_then + 2].step, 5);
    assert_int_equal(logged[n_logged - 1].step, 5);
    close_cycle();
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_once),
        cmocka_unit_test(test_no_step_from_a_nap),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
