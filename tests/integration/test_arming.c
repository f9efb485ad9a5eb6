/* SPDX-License-Identifier: Apache-2.0 */
/* Arming over the real sockets: refusals and their reasons, cancellation, and what arming proves;
 * also the evidence and traces of a run. Nothing here depends on the latency of the machine. */
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* configuration of a proof that takes longer than a test */
#define LONG_PROOF "budget: {steps: 100000000, time: 3600}\n"
#define ALLOWED    "realtime: {degraded: allow, priority: 0, core: none}\n"

static void start_is_refused(struct harness *h)
{
    harness_expect(h, START, RESULT(WRONG_STATE), STATE(READY));
    assert_string_equal(h->reply->text, "start is not allowed in state READY, arm first");
}

static void test_refused_budget(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, "budget: {share: 0.01, time: 3600}\n");
    if (SANITIZED) /* the step of the file is too short for it */
        runs_load_file_as_it_is(&h, "chain-8");
    else
        runs_load_file(&h, "chain-128", "0.001");
    start_is_refused(&h);
    assert_int_equal(harness_ask_arm(&h, true, 200)->result, RESULT(OK)); /* the proof starts */
    assert_int_equal(h.reply->status->state, STATE(ARMING));
    status = runs_await_state(&h, STATE(READY));
    assert_false(status->proof->valid);
    assert_true(status->proof->steps >= 200); /* too few steps prove nothing */
    assert_true(status->proof->share_limit == 0.01);
    assert_true(status->proof->judged_ns > 10000);
    runs_says(status->proof->text, "more than the budget of 1 %");
    runs_says(status->proof->text, "would fit: ");
    start_is_refused(&h);
    assert_true(harness_log_has(h.folder, "log", "not armed"));
    harness_close(&h);
}

/* Check the part of a status that is constant before the first step. */
static void same_start(const Linkage__V1__Status *status, double kinetic, double potential)
{
    assert_int_equal(status->step, 0);
    assert_int_equal(status->cycles, 0);
    assert_true(status->kinetic == kinetic);
    assert_true(status->potential == potential);
    assert_true(status->energy_start == kinetic + potential);
    assert_true(status->work_input == 0);
}

static void test_refused_degraded(void **state)
{
    const Linkage__V1__Status *status;
    double kinetic, potential;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    kinetic = status->kinetic;
    potential = status->potential;
    same_start(status, kinetic, potential);
    /* even if the machine is fit for real time, a daemon without priority is not */
    assert_int_equal(harness_ask_arm(&h, false, 100)->result, RESULT(NO_REALTIME));
    runs_says(h.reply->text, "the machine is not fit for real time: ");
    runs_says(h.reply->text, "linkage doctor");
    assert_int_equal(h.reply->status->state, STATE(READY));
    assert_true(h.reply->status->n_degraded > 0);
    same_start(harness_command(&h, STATUS)->status, kinetic, potential); /* no step was made */
    start_is_refused(&h);

    /* allowed by the request; a refused request discards the proof */
    harness_arm(&h);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(ARMED));
    assert_true(status->proof->degraded);
    same_start(status, kinetic, potential);
    assert_int_equal(harness_ask_arm(&h, false, 100)->result, RESULT(NO_REALTIME));
    assert_int_equal(h.reply->status->state, STATE(READY));
    assert_false(h.reply->status->proof->valid);
    start_is_refused(&h);
    harness_close(&h);

    /* allowed by the configuration */
    harness_open(&h, ALLOWED);
    harness_load_model(&h);
    assert_int_equal(harness_ask_arm(&h, false, 100)->result, RESULT(OK));
    harness_close(&h);
}

static void test_stop_cancels(void **state)
{
    const double torque = 1;
    const Linkage__V1__Status *status;
    struct harness h;
    char *text = harness_model_text();

    (void)state;
    harness_open(&h, LONG_PROOF);
    harness_load_model(&h);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
        harness_expect(&h, STATUS, RESULT(OK), STATE(ARMING));
        assert_int_equal(harness_load(&h, "x", text)->result, RESULT(WRONG_STATE));
        runs_says(h.reply->text, "load is not allowed in state ARMING");
        harness_expect(&h, START, RESULT(WRONG_STATE), STATE(ARMING));
        harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(ARMING));
        harness_expect(&h, RESET, RESULT(WRONG_STATE), STATE(ARMING));
        assert_int_equal(harness_ask_arm(&h, true, 1)->result, RESULT(WRONG_STATE));
        assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(WRONG_STATE));
        status = harness_expect(&h, STOP, RESULT(OK), STATE(READY));
        assert_int_equal(status->step, 0);
        assert_false(status->proof->valid);
        start_is_refused(&h);
    }
    /* a daemon that is ended during the proof ends */
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    harness_close(&h);
    free(text);
}

/* If an automatic start is stopped before it happens, arming the rig again does not start a run. */
static void test_stop_cancels_autostart(void **state)
{
    char model[] = "/tmp/linkaged-model-XXXXXX", more[512];
    struct harness h;

    (void)state;
    runs_slow_model(model);
    snprintf(more, sizeof(more), "model: %s\nautostart: true\n" ALLOWED LONG_PROOF, model);
    harness_open(&h, more);
    harness_expect(&h, STATUS, RESULT(OK), STATE(ARMING));
    harness_expect(&h, STOP, RESULT(OK), STATE(READY));
    harness_arm(&h);
    for (int i = 0; i < 20; i++) {
        harness_expect(&h, STATUS, RESULT(OK), STATE(ARMED));
        runs_nap();
    }
    harness_close(&h);
    unlink(model);
}

static void test_disarm(void **state)
{
    const Linkage__V1__ControlReply *reply;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(WRONG_STATE));
    runs_says(h.reply->text, "arm is not allowed in state EMPTY");
    harness_load_model(&h);
    harness_arm(&h);
    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(ARMED));
    reply = harness_load(&h, "bad.yaml", "linkage: 1\nname: [\n");
    assert_int_equal(reply->result, RESULT(BAD_MODEL));
    assert_int_equal(reply->status->state, STATE(ARMED)); /* the old proof is unchanged */
    harness_arm(&h);                                      /* arming again is allowed */
    harness_expect(&h, STOP, RESULT(OK), STATE(READY));
    start_is_refused(&h);
    harness_arm(&h);
    harness_load_model(&h); /* a model without a proof: READY */
    start_is_refused(&h);
    harness_go(&h);
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(WRONG_STATE));
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(WRONG_STATE));
    harness_close(&h);
}

static void test_proof_in_status(void **state)
{
    const Linkage__V1__Proof *proof;
    const unsigned int steps = SANITIZED ? 1000 : 20000; /* long enough to observe progress */
    struct harness h;
    double progress = 0;
    char words[64];

    (void)state;
    snprintf(words, sizeof(words), "budget: {steps: %u, time: 3600}\n", steps);
    harness_open(&h, words);
    harness_load_model(&h);
    proof = harness_command(&h, STATUS)->status->proof;
    assert_non_null(proof);
    assert_false(proof->valid);
    assert_string_equal(proof->text, "");
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    while (h.reply->status->state == STATE(ARMING)) {
        proof = harness_command(&h, STATUS)->status->proof;
        if (h.reply->status->state == STATE(ARMING)) {
            assert_in_range((int)(1e6 * proof->progress), (int)(1e6 * progress), 1000000);
            assert_false(proof->valid);
            progress = proof->progress;
        }
        runs_nap();
    }
    assert_true(proof->valid == (h.reply->status->state == STATE(ARMED)));
    assert_true(proof->progress == 1);
    assert_int_equal(proof->steps, steps);
    assert_int_equal(proof->period_ns, (uint64_t)(1e9 * harness_step_s(0.001)));
    assert_true(proof->share_limit == 0.7);
    assert_true(proof->p50_ns > 0 && proof->p50_ns <= proof->p999_ns);
    assert_true(proof->p999_ns <= proof->max_ns && proof->judged_ns <= proof->max_ns);
    assert_true(proof->valid == (proof->judged_ns <= 0.7e9 * harness_step_s(0.001)));
    assert_true(proof->degraded ? proof->quantile >= 0.5 && proof->quantile <= 0.999
                                : proof->quantile == 1);
    assert_true(proof->machine_gap_ns > 0);
    assert_true(proof->spin_margin_ns >= 20000 &&
                proof->spin_margin_ns <= 0.4e9 * harness_step_s(0.001));
    snprintf(words, sizeof(words), " us of %g us, slack ", 1e6 * harness_step_s(0.001));
    runs_says(proof->text, words);
    snprintf(words, sizeof(words), "(%u steps", steps);
    runs_says(proof->text, words);

    harness_load_model(&h); /* a new model has no proof */
    proof = h.reply->status->proof;
    assert_false(proof->valid);
    assert_int_equal(proof->steps, 0);
    assert_string_equal(proof->text, "");
    harness_close(&h);
}

static void test_arm_again_after_fault(void **state)
{
    const double far_too_much = 1e12;
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_unlimited(&h);
    harness_go(&h);
    assert_int_equal(harness_set(&h, "motor", &far_too_much, 1)->result, RESULT(OK));
    status = runs_await_state(&h, STATE(FAULT));
    runs_says(status->fault, "step ");
    assert_false(status->proof->valid);
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(WRONG_STATE));
    harness_expect(&h, START, RESULT(WRONG_STATE), STATE(FAULT));
    harness_expect(&h, STOP, RESULT(WRONG_STATE), STATE(FAULT));
    harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    start_is_refused(&h);
    harness_arm(&h);
    harness_close(&h);
}

/* The time of failed steps proves nothing, however short it is. */
static void test_steps_that_fail(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, "policy: {residual: {limit: 1e-30}}\n"); /* below round-off */
    harness_load_model(&h);
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    harness_command(&h, STATUS);
    status = runs_await_state(&h, STATE(READY));
    assert_false(status->proof->valid);
    runs_says(status->proof->text, "failed");
    start_is_refused(&h);
    harness_close(&h);
}

/* ---- evidence ---- */

#define RUN_CYCLES (SANITIZED ? 120 : 300) /* more than the number of worst cycles */

static void check_buckets(const Linkage__V1__Durations *d)
{
    uint64_t sum = 0, last = 0;

    assert_int_equal(d->n_bucket_count, d->n_bucket_upper_ns);
    for (size_t i = 0; i < d->n_bucket_count; i++) {
        assert_true(i == 0 || d->bucket_upper_ns[i] > last);
        assert_true(d->bucket_count[i] > 0);
        last = d->bucket_upper_ns[i];
        sum += d->bucket_count[i];
    }
    assert_int_equal(sum, d->count);
    assert_true(d->count == 0 || last >= d->max_ns);
    assert_true(d->p50_ns <= d->p99_ns && d->p99_ns <= d->p999_ns && d->p999_ns <= d->max_ns);
}

static void check_cycle(const Linkage__V1__Evidence *e, const Linkage__V1__CycleRecord *c)
{
    assert_true(c->cycle < e->cycles);
    assert_true(c->step <= e->step);
    assert_true(0 <= c->woken_ns && c->woken_ns <= c->latched_ns);
    assert_true(c->latched_ns <= c->stepped_ns && c->stepped_ns <= c->computed_ns);
    assert_true(c->computed_ns <= c->ended_ns);
    assert_true(c->utc_ns > UINT64_C(1700000000000000000));
}

static void check_worst(const Linkage__V1__Evidence *e)
{
    assert_int_equal(e->n_worst, e->cycles < 100 ? e->cycles : 100);
    for (size_t i = 0; i < e->n_worst; i++) {
        check_cycle(e, e->worst[i]);
        assert_string_equal(e->worst[i]->cause, "");
        if (i > 0)
            assert_true(e->worst[i]->ended_ns <= e->worst[i - 1]->ended_ns);
    }
    assert_int_equal(e->worst[0]->ended_ns, e->response->max_ns);
}

static void check_missed(const Linkage__V1__Evidence *e)
{
    static const char causes[] =
        "|cycle before|late wake-up|long computation|wake-up and computation|";

    assert_int_equal(e->n_missed + e->missed_left_out, e->overruns);
    for (size_t i = 0; i < e->n_missed; i++) {
        check_cycle(e, e->missed[i]);
        assert_true(e->missed[i]->ended_ns > (int64_t)e->period_ns);
        assert_true(strlen(e->missed[i]->cause) > 5);
        runs_says(causes, e->missed[i]->cause);
        assert_true(i == 0 || e->missed[i]->cycle > e->missed[i - 1]->cycle);
    }
}

static void check_host(const Linkage__V1__Evidence *e)
{
    static const char *const names[] = {"kernel", "processor", "clocksource",
                                        "wake",   "workers",   "memory_locked"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        bool found = false;

        for (size_t k = 0; k < e->n_host; k++)
            found = found || (strcmp(e->host[k]->name, names[i]) == 0 && *e->host[k]->value);
        if (!found)
            fail_msg("the evidence does not say '%s'", names[i]);
    }
    assert_true(*e->version);
}

/* Check that the evidence is empty, as before the first run and after a withdrawn one. */
static void check_nothing(struct harness *h)
{
    const Linkage__V1__Evidence *e;

    assert_int_equal(runs_ask_evidence(h, true, true)->result, RESULT(OK));
    e = h->reply->evidence;
    assert_non_null(e);
    assert_int_equal(e->cycles + e->overruns + e->step, 0);
    assert_int_equal(e->wakeup->count + e->compute->count + e->response->count, 0);
    assert_int_equal(e->n_missed + e->missed_left_out, 0);
    assert_int_equal(e->n_worst, 0);
    assert_string_equal(e->started_utc, "");
    check_host(e);
}

static void check_ended_run(struct harness *h, uint64_t accepted)
{
    const Linkage__V1__Evidence *e;

    assert_int_equal(runs_ask_evidence(h, true, true)->result, RESULT(OK));
    e = h->reply->evidence;
    assert_string_equal(e->model, "four-bar");
    assert_int_equal(e->period_ns, (uint64_t)(1e9 * harness_step_s(0.001)));
    assert_true(e->cycles >= RUN_CYCLES);
    assert_int_equal(e->wakeup->count, e->cycles);
    assert_int_equal(e->response->count, e->cycles);
    assert_int_equal(e->compute->count, e->step);
    assert_true(e->hand_over->count > 0);
    assert_in_range(e->input_age->count, 1, accepted);
    check_buckets(e->wakeup);
    check_buckets(e->compute);
    check_buckets(e->response);
    check_buckets(e->hand_over);
    check_buckets(e->input_age);
    check_worst(e);
    check_missed(e);
    check_host(e);
    assert_true(e->proof->valid);
    assert_true(strlen(e->started_utc) == strlen("2026-03-01T12:00:00Z"));
    assert_true(fabs(e->time_s - (double)e->step * harness_step_s(0.001)) < 1e-9);
}

static void test_evidence(void **state)
{
    const Linkage__V1__Evidence *e;
    const double torque = 1;
    uint64_t model_id, cycles;
    struct harness h;

    (void)state;
    harness_open(&h, "overrun: {fault_in_a_row: 0}\nwatchdog: {time: 0}\n");
    assert_int_equal(runs_ask_evidence(&h, true, true)->result, RESULT(WRONG_STATE));
    assert_null(h.reply->evidence);
    model_id = harness_load_model(&h);
    check_nothing(&h);
    harness_arm(&h);
    check_nothing(&h); /* the steps of the proof do not belong to a run */
    harness_go(&h);
    for (uint64_t i = 1; i <= 20; i++) {
        harness_send(&h, i, model_id, &torque, 1);
        runs_nap();
    }
    harness_await_counts(&h, 20, 0);
    runs_await_cycles(&h, RUN_CYCLES);

    /* evidence of the live run, which is short unless details are requested */
    assert_int_equal(runs_ask_evidence(&h, false, false)->result, RESULT(OK));
    e = h.reply->evidence;
    assert_null(h.reply->status);
    assert_int_equal(e->state, STATE(RUNNING));
    assert_true(e->cycles >= RUN_CYCLES && e->wakeup->count >= e->cycles);
    assert_int_equal(e->wakeup->n_bucket_count + e->n_worst + e->n_missed, 0);
    assert_int_equal(runs_ask_evidence(&h, true, true)->result, RESULT(OK));
    e = h.reply->evidence;
    assert_int_equal(e->n_worst, 100);
    for (size_t i = 1; i < e->n_worst; i++)
        assert_true(e->worst[i]->ended_ns <= e->worst[i - 1]->ended_ns);

    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    check_ended_run(&h, 20);
    cycles = h.reply->evidence->cycles;
    assert_int_equal(harness_command(&h, STATUS)->status->cycles, cycles);
    assert_int_equal(runs_ask_evidence(&h, true, true)->evidence->cycles, cycles);

    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    check_nothing(&h);
    harness_close(&h);
}

/* A proof after a run reuses the histograms of the run and discards the rest. */
static void test_evidence_after_arming(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    runs_await_cycles(&h, 50 / THINNED);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_arm(&h);
    check_nothing(&h);
    harness_close(&h);
}

/* ---- traces ---- */

static int count(const char *text, const char *words)
{
    int n = 0;

    while ((text = strstr(text, words))) {
        text += strlen(words);
        n++;
    }
    return n;
}

/* Return a copy of the trace, which the caller frees. */
static char *trace(struct harness *h, uint32_t cycles)
{
    const Linkage__V1__ControlReply *reply = runs_ask_trace(h, cycles);
    char *text;

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_null(reply->status);
    text = calloc(1, reply->trace.len + 1);
    assert_non_null(text);
    memcpy(text, reply->trace.data, reply->trace.len);
    assert_int_equal(strlen(text), reply->trace.len);
    runs_check_json(text, strlen(text));
    runs_says(text, "\"traceEvents\":[");
    return text;
}

static int cycles_in(const char *text)
{
    return count(text, "\"name\":\"period\"") + count(text, "\"name\":\"OVERRUN\"");
}

static void test_trace(void **state)
{
    struct harness h;
    char *text;

    (void)state;
    harness_open(&h, "overrun: {fault_in_a_row: 0}\n");
    assert_int_equal(runs_ask_trace(&h, 0)->result, RESULT(WRONG_STATE));
    harness_load_model(&h);
    text = trace(&h, 0);
    assert_int_equal(count(text, "\"ph\":\"X\""), 0); /* nothing has happened yet */
    assert_int_equal(count(text, "\"thread_name\""), 3);
    free(text);

    harness_go(&h);
    runs_await_sample(&h, STATE(RUNNING)); /* the exchange has a track of its own */
    runs_await_cycles(&h, 100 / THINNED);
    text = trace(&h, 10); /* during the run */
    assert_int_equal(cycles_in(text), 10);
    assert_int_equal(runs_check_tracks(text, strlen(text)), 50);
    free(text);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    text = trace(&h, 0);
    assert_true(cycles_in(text) >= 100 / THINNED);
    assert_true(count(text, "\"name\":\"publish\"") > 0);
    runs_check_tracks(text, strlen(text));
    free(text);
    harness_close(&h);
}

/* A trace has at most 4000 cycles. The mode has no clock, so that the cycles are fast. */
static void test_long_trace(void **state)
{
    struct harness h;
    char *text;

    (void)state;
    harness_open(&h, "mode: asap\n");
    runs_load_file(&h, "pendulum", "0.001");
    harness_go(&h);
    runs_await_cycles(&h, 4500);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    text = trace(&h, UINT32_MAX);
    assert_int_equal(cycles_in(text), 4000);
    free(text);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_budget),
        cmocka_unit_test(test_refused_degraded),
        cmocka_unit_test(test_stop_cancels),
        cmocka_unit_test(test_stop_cancels_autostart),
        cmocka_unit_test(test_disarm),
        cmocka_unit_test(test_proof_in_status),
        cmocka_unit_test(test_arm_again_after_fault),
        cmocka_unit_test(test_steps_that_fail),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_evidence_after_arming),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_long_trace),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
