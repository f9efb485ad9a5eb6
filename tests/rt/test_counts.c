/* SPDX-License-Identifier: Apache-2.0 */
/* The cycle on a simulated clock: exact tests of the time grid, the counts, overruns and faults.
 *
 * The test sets the duration of each step and the lateness of each sleep. Each record that the
 * cycle publishes is stored. After every run the figures, records, histograms and the list of
 * missed deadlines are checked against each other. */
#include "cycle_rig.h"
#include "fake_clock.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define P       INT64_C(1000000)
#define US      INT64_C(1000)
#define LOG_MAX 3000

/** struct script - durations and results of steps
 * @made:      number of steps so far
 * @step_ns:   duration of a normal step
 * @stall_ns:  additional duration of step number @stall_at, and of each @stall_every-th step after
 *             it
 * @random:    state of the generator of random durations, 0 for none
 * @fail_with: result of step number @fail_at and of all later steps
 * @fault_in:  step within which the watchdog requests a fault, counted from 1; 0 for none */
struct script {
    uint64_t made;
    int64_t step_ns;
    uint64_t stall_at;
    uint64_t stall_every;
    int64_t stall_ns;
    uint64_t random;
    uint64_t fail_at;
    int fail_with;
    uint64_t fault_in;
};

struct entry {
    struct lkd_figures figures;
    double first;
    bool all_zero;
};

static const char *model_path;
static struct lk_system *lk_system;
static struct lkd_cycle *cycle;
static struct script script;
static struct entry entries[LOG_MAX];
static size_t n_entries;

int __real_lk_system_step(struct lk_system *system, const double *inputs);
int __wrap_lk_system_step(struct lk_system *system, const double *inputs);
void __real_lkd_mailbox_publish(struct lkd_mailbox *mailbox);
void __wrap_lkd_mailbox_publish(struct lkd_mailbox *mailbox);

static int64_t draw_duration(void)
{
    uint64_t *r = &script.random;

    *r ^= *r << 13;
    *r ^= *r >> 7;
    *r ^= *r << 17;
    switch (*r >> 60) {
    case 0:
        return (int64_t)(*r % (uint64_t)(6 * P));
    case 1:
    case 2:
        return P - 100 + (int64_t)(*r % 200); /* close to a period */
    default:
        return (int64_t)(*r % (uint64_t)(P / 2));
    }
}

int __wrap_lk_system_step(struct lk_system *system, const double *inputs)
{
    uint64_t n = script.made++;

    fake_clock_spend(script.random ? draw_duration() : script.step_ns);
    if (script.stall_ns > 0 && n >= script.stall_at &&
        (script.stall_every ? (n - script.stall_at) % script.stall_every == 0
                            : n == script.stall_at))
        fake_clock_spend(script.stall_ns);
    if (n + 1 == script.fault_in)
        lkd_cycle_ask(cycle, LKD_ASK_FAULT);
    if (script.fail_with && n >= script.fail_at)
        return script.fail_with;
    return __real_lk_system_step(system, inputs);
}

void __wrap_lkd_mailbox_publish(struct lkd_mailbox *mailbox)
{
    if (cycle && mailbox == &cycle->outputs && n_entries < LOG_MAX) {
        const struct lkd_output *output = lkd_mailbox_back(mailbox);
        struct entry *entry = &entries[n_entries++];

        *entry = (struct entry){output->figures, output->values[0], true};
        for (int i = 0; i < cycle->n_outputs; i++)
            entry->all_zero = entry->all_zero && output->values[i] == 0;
    }
    __real_lkd_mailbox_publish(mailbox);
}

/* ---- a run ---- */

/* Make a cycle on the simulated clock.
 * @step_s: step [s], 0 for that of the model, P */
static void open_cycle_at(const struct lkd_settings *settings, double step_s)
{
    fake_clock_begin();
    fake_clock.tick_ns = 100; /* coarse, because a test reads the clock a million times */
    script = (struct script){.step_ns = 100 * US};
    n_entries = 0;
    cycle = rig_cycle_new(model_path, step_s, settings, &lk_system);
    cycle->t0_ns = fake_clock.now_ns + 2 * P;
}

static void open_cycle(const struct lkd_settings *settings)
{
    open_cycle_at(settings, 0);
    assert_int_equal(cycle->period_ns, P);
}

static void close_cycle(void)
{
    rig_cycle_free(cycle, lk_system);
    cycle = NULL;
}

static void ask_end(void *data)
{
    (void)data;
    lkd_cycle_ask(cycle, LKD_ASK_END);
}

static void ask_pause(void *data)
{
    (void)data;
    lkd_cycle_ask(cycle, LKD_ASK_PAUSE);
}

static void ask_run(void *data)
{
    (void)data;
    lkd_cycle_ask(cycle, LKD_ASK_RUN);
}

static void ask_fault(void *data)
{
    (void)data;
    lkd_cycle_ask(cycle, LKD_ASK_FAULT);
}

/* Return the time in the middle between grid points @k - 1 and @k. */
static int64_t between(int64_t k)
{
    return cycle->t0_ns + k * P - P / 2;
}

static struct lkd_figures last;

/* ---- the counts, computed a second time ---- */

static void check_grid(size_t i)
{
    const struct lkd_figures *f = &entries[i].figures;
    int64_t k = (f->deadline_ns - cycle->t0_ns) / P;

    assert_int_equal((f->deadline_ns - cycle->t0_ns) % P, 0);
    assert_int_equal(f->cycles, i + 1);
    assert_int_equal(f->cycles + f->skipped, k + 1);
    assert_int_equal(f->behind_ns, (k + 1 - (int64_t)f->step) * P);
    assert_true(fabs(f->time_s - (double)f->step * 1e-3) < 1e-9);
    assert_true(f->state == LKD_CYCLE_FAULT || f->fault == LKD_FAULT_NONE);
    if (i > 0)
        assert_true(f->deadline_ns > entries[i - 1].figures.deadline_ns);
}

static void check_record(size_t i, const struct lkd_record *r)
{
    const struct lkd_figures *f = &entries[i].figures;

    assert_int_equal(r->deadline_ns, f->deadline_ns);
    assert_int_equal(r->woken_ns, f->woken_ns);
    assert_int_equal(r->computed_ns, f->computed_ns);
    assert_int_equal(r->step, f->step);
    assert_true(r->deadline_ns <= r->woken_ns && r->woken_ns <= r->latched_ns);
    assert_true(r->latched_ns <= r->stepped_ns && r->stepped_ns <= r->computed_ns);
    assert_true(r->computed_ns <= r->ended_ns);
}

/** struct counts - numbers counted from the records alone */
struct counts {
    uint64_t overruns, skipped, caught_up, late, is_long;
    int64_t response_max_ns, wakeup_max_ns;
};

static void count_record(struct counts *b, const struct lkd_record *r, int64_t before_ns)
{
    bool waited = r->deadline_ns >= before_ns;

    b->caught_up += !waited;
    b->late += waited && r->woken_ns - r->deadline_ns > P / 10;
    b->is_long += r->computed_ns - r->woken_ns > P * 7 / 10;
    if (r->ended_ns - r->deadline_ns > b->response_max_ns)
        b->response_max_ns = r->ended_ns - r->deadline_ns;
    if (r->woken_ns - r->deadline_ns > b->wakeup_max_ns)
        b->wakeup_max_ns = r->woken_ns - r->deadline_ns;
    if (r->ended_ns <= r->deadline_ns + P)
        return;
    if (b->overruns < LKD_MISSED_MAX)
        assert_memory_equal(&cycle->missed[b->overruns].record, r, sizeof(*r));
    b->overruns++;
}

static void check_counts(void)
{
    struct lkd_record r, before = {.ended_ns = INT64_MIN};
    struct counts b = {0};

    for (size_t i = 0; i < n_entries; i++) {
        check_grid(i);
        assert_true(lkd_cycle_record(cycle, i, &r));
        check_record(i, &r);
        if (i > 0)
            b.skipped += (uint64_t)((r.deadline_ns - before.deadline_ns) / P - 1);
        count_record(&b, &r, before.ended_ns);
        before = r;
    }
    assert_false(lkd_cycle_record(cycle, n_entries, &r));
    assert_int_equal(last.cycles, n_entries);
    assert_int_equal(last.overruns, b.overruns);
    assert_int_equal(lkd_cycle_missed(cycle),
                     b.overruns < LKD_MISSED_MAX ? b.overruns : LKD_MISSED_MAX);
    assert_int_equal(last.late_wakeups, b.late);
    assert_int_equal(last.long_computations, b.is_long);
    /* the overrun of the very last cycle may have skipped grid points, or started to catch up with
     * a cycle that was not begun */
    assert_true(last.skipped >= b.skipped && last.caught_up - b.caught_up <= 1);
    if (before.ended_ns <= before.deadline_ns + P)
        assert_true(last.skipped == b.skipped && last.caught_up == b.caught_up);
    assert_int_equal(lkd_histogram_count(&cycle->wakeup), n_entries);
    assert_int_equal(lkd_histogram_count(&cycle->response), n_entries);
    assert_int_equal(lkd_histogram_count(&cycle->compute), script.made);
    assert_int_equal(lkd_histogram_max(&cycle->response), b.response_max_ns);
    assert_int_equal(lkd_histogram_max(&cycle->wakeup), b.wakeup_max_ns);
}

static void run_until(int64_t end_ns)
{
    fake_clock_at(end_ns, ask_end, NULL);
    lkd_cycle_run(cycle);
    lkd_cycle_settle(cycle);
    assert_true(lkd_mailbox_take(&cycle->status));
    last = *(const struct lkd_figures *)lkd_mailbox_front(&cycle->status);
    assert_true(n_entries > 0 && n_entries < LOG_MAX);
    check_counts();
}

/* ---- the grid ---- */

static void test_grid(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    for (int wake = LKD_WAKE_SLEEP; wake <= LKD_WAKE_SPIN; wake++) {
        settings.wake = (enum lkd_wake)wake;
        open_cycle(&settings);
        fake_clock.late_ns = 30 * US;
        run_until(between(1000));
        assert_int_equal(last.cycles, 1000);
        assert_int_equal(last.step, 1000);
        assert_int_equal(last.overruns + last.skipped + last.late_wakeups, 0);
        assert_int_equal(last.behind_ns, 0);
        assert_int_equal(fake_clock.sleeps, wake == LKD_WAKE_SPIN ? 0 : 1001);
        if (wake == LKD_WAKE_SLEEP)
            assert_in_range(lkd_histogram_max(&cycle->wakeup), 30 * US, 31 * US);
        else
            assert_true(lkd_histogram_max(&cycle->wakeup) <= 2 * fake_clock.tick_ns);
        close_cycle();
    }
}

/* The period is not a whole number of nanoseconds. The grid stays with simulated time and with the
 * seconds of the clock, even if grid points are skipped. */
static void test_rates(void **state)
{
    static const int64_t rates[] = {60, 1024, 3000, 44100};
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun = (struct lkd_overrun_policy){.window = 1};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const int64_t second = INT64_C(1000000000), rate = rates[i];

        open_cycle_at(&settings, 1.0 / (double)rate);
        script.step_ns = second / rate / 10;
        script.stall_ns = 20 * second / rate + 1000;
        script.stall_at = 100;
        fake_clock_at(cycle->t0_ns + (2000 * second - second / 2) / rate, ask_end, NULL);
        lkd_cycle_run(cycle);
        assert_int_equal(n_entries, 1980);
        for (size_t e = 0; e < n_entries; e++) {
            const struct lkd_figures *f = &entries[e].figures;
            int64_t k = (int64_t)(f->cycles + f->skipped) - 1, steps = (int64_t)f->step;

            assert_int_equal(f->deadline_ns - cycle->t0_ns, (k * second + rate / 2) / rate);
            assert_int_equal(f->behind_ns, ((k + 1) * second + rate / 2) / rate -
                                               (steps * second + rate / 2) / rate);
            assert_true(fabs(f->time_s - (double)steps / (double)rate) < 1e-12);
        }
        close_cycle();
    }
}

/* Steps of random length: with every policy each grid point is accounted for. */
static void test_random_steps(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun = (struct lkd_overrun_policy){.window = 1};
    for (int i = 0; i < 9; i++) {
        settings.wake = (enum lkd_wake)(i / 3);
        settings.overrun.action = i % 3 ? LKD_OVERRUN_CATCH_UP : LKD_OVERRUN_CONTINUE;
        settings.overrun.catch_up = i % 3 == 1 ? 2 : 1000;
        open_cycle(&settings);
        script.random = 88172645463325252u + (uint64_t)i;
        fake_clock.late_ns = 300 * US;
        fake_clock.late_every = 5;
        run_until(between(2000));
        assert_true(last.overruns > 100);
        assert_true(last.caught_up > 0);
        if (settings.wake == LKD_WAKE_SLEEP)
            assert_true(last.late_wakeups > 0);
        if (settings.overrun.catch_up == 1000 && i % 3)
            assert_int_equal(last.skipped, 0);
        assert_int_equal(last.behind_ns, (int64_t)(last.cycles - last.step) * P +
                                             entries[n_entries - 1].figures.skipped * P);
        close_cycle();
    }
}

/* ---- overruns ---- */

static void stall_once(enum lkd_overrun_action action, int64_t catch_up, int64_t stall_ns)
{
    struct lkd_settings settings = lkd_settings_default();

    settings.overrun = (struct lkd_overrun_policy){.action = action, .catch_up = catch_up};
    open_cycle(&settings);
    script.stall_at = 100;
    script.stall_ns = stall_ns;
    run_until(between(300));
}

static void test_continue(void **state)
{
    (void)state;
    stall_once(LKD_OVERRUN_CONTINUE, 4, 20 * P + 3 * P / 10); /* 20.4 with the step */
    assert_int_equal(last.overruns, 1);
    assert_int_equal(last.skipped, 20);
    assert_int_equal(last.caught_up, 0);
    assert_int_equal(last.behind_ns, 20 * P); /* permanently */
    assert_int_equal(cycle->missed[0].cycle, 100);
    assert_true(cycle->missed[0].cause == LKD_CAUSE_COMPUTATION);
    close_cycle();

    /* an overrun of less than a period: the next cycle starts at once */
    stall_once(LKD_OVERRUN_CONTINUE, 4, P + P / 2);
    assert_int_equal(last.skipped, 0);
    assert_int_equal(last.caught_up, 1);
    assert_int_equal(last.overruns, 1);
    assert_int_equal(last.late_wakeups, 0); /* the next cycle did not sleep */
    assert_int_equal(last.behind_ns, 0);
    close_cycle();
}

static void test_catch_up(void **state)
{
    (void)state;
    stall_once(LKD_OVERRUN_CATCH_UP, 100, 20 * P + P / 2);
    assert_int_equal(last.skipped, 0);
    assert_int_equal(last.step, 300);
    assert_int_equal(last.behind_ns, 0); /* simulated time is wall time again */
    /* 22 cycles: two more periods pass while twenty cycles are made, because a step needs a tenth
     * of a period */
    assert_in_range(last.caught_up, 21, 24);
    assert_true(cycle->missed[0].cause == LKD_CAUSE_COMPUTATION);
    assert_true(cycle->missed[1].cause == LKD_CAUSE_BEHIND);
    close_cycle();

    stall_once(LKD_OVERRUN_CATCH_UP, 4, 20 * P + 3 * P / 10);
    assert_int_equal(last.skipped, 16);
    assert_int_equal(last.behind_ns, 16 * P);
    assert_int_equal(last.caught_up, 4);
    close_cycle();
}

/* The grid began 500 periods ago. */
static void test_catch_up_from_the_past(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun =
        (struct lkd_overrun_policy){.action = LKD_OVERRUN_CATCH_UP, .catch_up = 1000};
    open_cycle(&settings);
    cycle->t0_ns = fake_clock.now_ns - 500 * P;
    run_until(between(1500));
    assert_int_equal(last.step, 1500);
    assert_int_equal(last.behind_ns, 0);
    assert_in_range(last.overruns, 500, 560);
    close_cycle();
}

/* There are more missed deadlines than the list can store. Further ones are only counted. */
static void test_many_missed(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun = (struct lkd_overrun_policy){.window = 1};
    open_cycle(&settings);
    script.stall_ns = 2 * P;
    script.stall_every = 1;
    run_until(between(4000));
    assert_int_equal(lkd_cycle_missed(cycle), LKD_MISSED_MAX);
    assert_true(last.overruns > LKD_MISSED_MAX);
    close_cycle();
}

static void test_causes(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun = (struct lkd_overrun_policy){.window = 1};
    open_cycle(&settings);
    fake_clock.late_ns = 2 * P;
    fake_clock.late_every = 50;
    run_until(between(60));
    assert_int_equal(lkd_cycle_missed(cycle), 1);
    assert_true(cycle->missed[0].cause == LKD_CAUSE_WAKEUP);
    assert_int_equal(last.late_wakeups, 1);
    assert_int_equal(last.long_computations, 0);
    close_cycle();

    open_cycle(&settings); /* neither alone would cause an overrun */
    fake_clock.late_ns = P / 2;
    script.step_ns = P * 8 / 10;
    run_until(between(10));
    assert_true(cycle->missed[0].cause == LKD_CAUSE_BOTH);
    assert_int_equal(cycle->missed[0].cycle, 0);
    close_cycle();
}

/* ---- faults ---- */

static void check_fault(size_t at, enum lkd_fault fault, bool zero)
{
    for (size_t i = 0; i < n_entries; i++) {
        const struct entry *e = &entries[i];

        assert_true((e->figures.state == LKD_CYCLE_FAULT) == (i >= at));
        if (i < at)
            continue;
        assert_true(e->figures.fault == fault);
        assert_int_equal(e->figures.step, entries[at - 1].figures.step);
        assert_true(e->all_zero == zero);
        if (!zero)
            assert_true(e->first == entries[at - 1].first);
    }
    assert_true(n_entries > at + 50);
    assert_true(last.fault == fault);
    assert_int_equal(last.behind_ns,
                     (int64_t)(last.cycles + last.skipped - last.step) * P); /* grid continues */
}

static void test_fault_in_a_row(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    for (int zero = 0; zero < 2; zero++) {
        settings.zero_outputs = zero;
        settings.overrun = (struct lkd_overrun_policy){.in_a_row = 5};
        open_cycle(&settings);
        script.stall_at = 40;
        script.stall_every = 1;
        script.stall_ns = 2 * P;
        run_until(between(300));
        assert_int_equal(last.overruns, 5);
        assert_int_equal(script.made, 45);
        check_fault(45, LKD_FAULT_OVERRUN, zero);
        close_cycle();
    }
}

/* Every tenth cycle is an overrun. The third overrun within 25 grid points causes a fault, and
 * within 20 grid points it does not. */
static void test_fault_in_window(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.overrun = (struct lkd_overrun_policy){.in_window = 3, .window = 25};
    for (int i = 0; i < 2; i++) {
        open_cycle(&settings);
        script.stall_at = 40;
        script.stall_every = 10;
        script.stall_ns = P;
        run_until(between(300));
        if (i == 0)
            check_fault(61, LKD_FAULT_OVERRUN, false);
        else
            assert_true(last.state == LKD_CYCLE_RUNNING);
        settings.overrun.window = 20;
        close_cycle();
    }
}

static void test_failed_steps(void **state)
{
    struct lkd_settings settings = lkd_settings_default();
    const struct {
        int code;
        enum lkd_fault fault;
    } all[] = {{LK_E_TURN, LKD_FAULT_TURN},
               {LK_E_NOT_FINITE, LKD_FAULT_NOT_FINITE},
               {LK_E_SINGULAR, LKD_FAULT_SINGULAR},
               {LK_E_BENT, LKD_FAULT_BENT}};

    (void)state;
    for (int i = 0; i < 8; i++) {
        settings.zero_outputs = i >= 4;
        open_cycle(&settings);
        script.fail_at = 30;
        script.fail_with = all[i % 4].code;
        run_until(between(200));
        assert_int_equal(script.made, 31); /* no step after the fault */
        check_fault(30, all[i % 4].fault, settings.zero_outputs);
        close_cycle();
    }
}

/* The watchdog requests a fault. No later request cancels the fault. */
static void test_fault_asked_for(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.zero_outputs = true;
    open_cycle(&settings);
    fake_clock_at(between(50), ask_fault, NULL);
    fake_clock_at(between(100), ask_run, NULL);
    run_until(between(200));
    assert_int_equal(last.step, 50);
    check_fault(50, LKD_FAULT_WATCHDOG, true);

    /* a rewind clears all of it */
    lkd_cycle_rewind(cycle);
    n_entries = 0;
    script.made = 0;
    cycle->t0_ns = fake_clock.now_ns + P;
    run_until(between(20));
    assert_int_equal(last.step, 20);
    assert_true(last.state == LKD_CYCLE_RUNNING);
    close_cycle();
}

/* The watchdog detects within a step that the cycle stands still, and reports this. The step must
 * then be published as a fault, not as a good step. */
static void test_fault_within_a_step(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.zero_outputs = true;
    open_cycle(&settings);
    script.fault_in = 51;
    run_until(between(60));
    assert_true(n_entries > 51);
    assert_true(entries[49].figures.state == LKD_CYCLE_RUNNING);
    assert_true(entries[50].figures.state == LKD_CYCLE_FAULT);
    assert_true(entries[50].figures.fault == LKD_FAULT_WATCHDOG);
    assert_true(entries[50].all_zero);
    assert_int_equal(script.made, 51);
    close_cycle();
}

/* ---- pause, inputs ---- */

static void test_pause(void **state)
{
    struct lkd_settings settings = lkd_settings_default();
    struct lkd_record r;

    (void)state;
    open_cycle(&settings);
    fake_clock_at(between(100), ask_pause, NULL);
    fake_clock_at(between(150), ask_run, NULL);
    run_until(between(200));
    assert_int_equal(last.cycles, 200);
    assert_int_equal(last.step, 150);
    assert_int_equal(last.overruns, 0);
    assert_int_equal(last.behind_ns, 50 * P); /* includes a pause */
    assert_int_equal(lkd_histogram_count(&cycle->compute), 150);
    for (size_t i = 0; i < n_entries; i++) {
        bool paused = i >= 100 && i < 150;

        assert_true(entries[i].figures.state == (paused ? LKD_CYCLE_PAUSED : LKD_CYCLE_RUNNING));
        lkd_cycle_record(cycle, i, &r);
        if (paused)
            assert_true(r.latched_ns == r.woken_ns && r.stepped_ns == r.woken_ns);
        else
            assert_true(r.stepped_ns - r.latched_ns >= script.step_ns);
    }
    close_cycle();
}

/* Publish an input sample with the number @data. A repeated number keeps its time of receipt, as it
 * does when a manual set changes the values of the last sample. */
static void feed(void *data)
{
    static uint64_t sequence;
    static int64_t received_ns;
    struct lkd_input *input = lkd_mailbox_back(&cycle->inputs);

    if (*(const uint64_t *)data != sequence)
        received_ns = fake_clock.now_ns;
    sequence = *(const uint64_t *)data;
    input->n_stamps = 1;
    input->stamp[0].sequence = sequence;
    input->stamp[0].origin_ns = 3 * sequence;
    input->stamp[0].received_ns = received_ns;
    for (int i = 0; i < cycle->n_inputs; i++)
        input->values[i] = 1;
    lkd_mailbox_publish(&cycle->inputs);
}

/* The histogram counts each sample once, in the cycle that reads it. It never counts a sample that
 * a newer one replaced. A manual set keeps the number and is not counted. */
static void test_input_age(void **state)
{
    struct lkd_settings settings = lkd_settings_default();
    uint64_t first = 7, second = 8, third = 9;

    (void)state;
    open_cycle(&settings);
    fake_clock_at(between(10), feed, &first);
    fake_clock_at(between(20) - 100 * US, feed, &second);
    fake_clock_at(between(20), feed, &third);
    fake_clock_at(between(30), feed, &third);
    run_until(between(50));
    assert_int_equal(lkd_histogram_count(&cycle->input_age), 2);
    assert_in_range(lkd_histogram_max(&cycle->input_age), P / 2, P / 2 + US);
    for (size_t i = 0; i < n_entries; i++)
        assert_int_equal(entries[i].figures.input_sequence, i < 10 ? 0 : i < 20 ? first : third);
    assert_int_equal(last.input_origin_ns, 3 * third);
    assert_int_equal(last.input_received_ns, between(20)); /* newest sample that acts */
    close_cycle();
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_catch_up),
        cmocka_unit_test(test_catch_up_from_the_past),
        cmocka_unit_test(test_many_missed),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_fault_in_a_row),
        cmocka_unit_test(test_fault_in_window),
        cmocka_unit_test(test_failed_steps),
        cmocka_unit_test(test_fault_asked_for),
        cmocka_unit_test(test_fault_within_a_step),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_input_age),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
