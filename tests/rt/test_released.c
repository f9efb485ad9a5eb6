/* SPDX-License-Identifier: Apache-2.0 */
/* A run without a clock, on a simulated clock: the cycle makes no step before it is allowed. */
#include "cycle_rig.h"
#include "fake_clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define P       INT64_C(1000000)
#define LOG_MAX 1000

static const char *model_path;
static struct lk_system *lk_system;
static struct lkd_cycle *cycle;

/* figures of the cycles so far */
static struct lkd_figures logged[LOG_MAX];
static size_t n_logged;

static void note_cycle(const struct lkd_cycle *of, void *context)
{
    (void)context;
    assert_true(n_logged < LOG_MAX);
    logged[n_logged++] = of->rt.figures;
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
    n_logged = 0;
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

static enum lkd_ask end = LKD_ASK_END;

static size_t n_then;

static void allow_five(void *data)
{
    (void)data;
    n_then = n_logged;
    atomic_store(&cycle->steps_max, 5);
}

/* Steps that are allowed during a nap belong to the next cycle, not to the one that slept. */
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
        cmocka_unit_test(test_no_step_from_a_nap),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
