/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection in a live daemon: each kind has its effect, and output samples are marked exactly
 * while it lasts. */
#include "benches.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct harness h;
static struct bench b;

static void begin(const char *config)
{
    benches_open(&h, config);
    bench_open(&b, &h);
    bench_claim(&b, "bench", "torque", NULL);
    harness_go(&h);
    bench_feed_until(&b, 2, "torque");
}

static void end(void)
{
    bench_close(&b);
    harness_close(&h);
}

/* Check the marks of @n samples after a request, except the steps that were already under way. */
static void expect_marks(bool marked, int n)
{
    const Linkage__V1__OutputSample *sample =
        benches_await_flags(&h, marked ? FLAG(INJECTED) : 0, marked ? 0 : FLAG(INJECTED));

    for (int i = 0; i < n; i++) {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
        if (!(sample->flags & FLAG(INJECTED)) == marked)
            fail_msg("step %d: flags 0x%x", (int)sample->step, sample->flags);
    }
}

static const Linkage__V1__Injection *inject(Linkage__V1__InjectionKind kind, const char *target,
                                            double amount)
{
    const Linkage__V1__ControlReply *reply = benches_inject(&h, kind, target, amount, 0);

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_int_equal(reply->injections->n_injections, 1);
    assert_true(reply->injections->injections[0]->active);
    benches_await_flags(&h, FLAG(INJECTED), 0); /* skip the samples published before the request */
    return reply->injections->injections[0];
}

static void clear(void)
{
    const Linkage__V1__ControlReply *reply = benches_clear(&h);

    assert_int_equal(reply->result, RESULT(OK));
    assert_int_equal(reply->injections->n_injections, 0);
    expect_marks(false, 20);
}

static double value_now(void)
{
    return benches_input(&h, "torque")->values[0];
}

static void test_kinds(void **state)
{
    (void)state;
    begin("inputs: {lease: 60}\npolicy: {stale: count}\n");
    expect_marks(false, 20);

    inject(KIND(DELAY), "bench", 2);
    bench_feed(&b, 3, 1);
    assert_true(value_now() == 2);
    expect_marks(true, 20);
    benches_await_acting(&h, "torque", 3);
    clear();

    inject(KIND(DROP), "bench", 1);
    bench_feed(&b, 4, 20);
    expect_marks(true, 20);
    assert_true(value_now() == 3);
    clear();

    inject(KIND(FREEZE), "torque", 0);
    bench_feed(&b, 5, 1);
    bench_feed(&b, 6, 20);
    expect_marks(true, 20);
    benches_await_acting(&h, "torque", 5);
    clear();

    inject(KIND(SPIKE), "torque", -1);
    bench_feed(&b, 6, 20);
    expect_marks(true, 20);
    benches_await_acting(&h, "torque", 5);
    clear();

    inject(KIND(REORDER), "", 1);
    bench_feed(&b, 7, 20);
    expect_marks(true, 20);
    while (benches_inputs(&h)->refusals->not_newer < 9)
        benches_nap(5);
    benches_await_acting(&h, "torque", 7);
    clear();
    end();
}

/* With a spike beyond the limits and with a silent bench, the rules of the policy can be tested
 * without a change of the bench. */
static void test_policy_tried_out(void **state)
{
    (void)state;
    begin("inputs: {lease: 2}\n"
          "policy: {stale: {action: hold, timeout: 500}, lost: {action: zero}, range: hold}\n");
    inject(KIND(SPIKE), "torque", 100);
    bench_feed(&b, 3, 20);
    while (benches_input(&h, "torque")->out_of_range < 20)
        benches_nap(5);
    while (benches_policy(&h, CONDITION(RANGE))->count == 0)
        benches_nap(5);
    clear();
    bench_feed_until(&b, 3, "torque");
    inject(KIND(DROP), "bench", 1);
    while (!benches_claim(&h, "bench")->lost)
        bench_feed(&b, 4, 10);
    benches_await_flags(&h, FLAG(LOST) | FLAG(TRIPPED) | FLAG(INJECTED), 0);
    assert_int_equal(benches_await_acting(&h, "torque", 0)->condition, CONDITION(LOST));
    clear();
    end();
}

/* Stall a cycle and return its sample. A busy machine may not publish this sample; then another
 * cycle is stalled. The policy reacts to the overrun, and the stalled cycle is marked. */
static const Linkage__V1__OutputSample *await_stalled_sample(void)
{
    const uint32_t flags = FLAG(INJECTED) | FLAG(TRIPPED);
    time_t until = time(NULL) + PATIENCE_MS / 1000;

    while (time(NULL) < until) {
        assert_int_equal(benches_inject(&h, KIND(STALL), "", 0.2, 0)->result, RESULT(OK));
        for (int i = 0; i < 200; i++) {
            const Linkage__V1__OutputSample *sample = harness_sample(&h, PATIENCE_MS);

            assert_non_null(sample);
            if ((sample->flags & flags) == flags)
                return sample;
        }
    }
    fail_msg("no sample of a stalled cycle is marked");
    return NULL;
}

static void test_stall(void **state)
{
    const Linkage__V1__OutputSample *sample;
    time_t until;
    uint64_t late;

    (void)state;
    begin("inputs: {lease: 60}\npolicy: {stale: count, late: {action: hold, ramp: 0.02}}\n");
    late = benches_policy(&h, CONDITION(LATE))->count;
    sample = await_stalled_sample();
    until = time(NULL) + PATIENCE_MS / 1000;
    assert_true(sample->overruns >= 1);
    /* on a busy machine another late cycle may have tripped the input before the stalled cycle
     * ends */
    while (benches_policy(&h, CONDITION(LATE))->count <= late && time(NULL) < until)
        benches_nap(5);
    assert_true(benches_policy(&h, CONDITION(LATE))->count > late);
    benches_await_flags(&h, 0, FLAG(INJECTED)); /* only one cycle was stalled */
    assert_int_equal(harness_command(&h, STATUS)->status->state, STATE(RUNNING));
    bench_feed_until(&b, 5, "torque");
    assert_true(harness_log_has(h.folder, "log", "injection 1 begins: stall"));
    assert_true(harness_log_has(h.folder, "log", "injection 1 is over: stall"));
    assert_true(harness_log_has(h.folder, "log", " cycles touched"));
    assert_int_equal(harness_log_count(&h, " samples touched"), 0);
    end();
}

/* An injection ends by itself after its time, or at the end of the run. */
static void test_ends(void **state)
{
    (void)state;
    begin("inputs: {lease: 60}\npolicy: {stale: count}\n");
    assert_int_equal(benches_inject(&h, KIND(FREEZE), "", 0, 1.5)->result, RESULT(OK));
    benches_await_flags(&h, FLAG(INJECTED), 0);
    benches_await_flags(&h, 0, FLAG(INJECTED));
    assert_int_equal(benches_inject(&h, KIND(FREEZE), "", 0, 0)->result, RESULT(OK));
    benches_await_flags(&h, FLAG(INJECTED), 0);
    assert_true(harness_log_has(h.folder, "log", "injection 1 is over: freeze"));
    assert_true(harness_log_has(h.folder, "log", " samples touched"));
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    benches_await_flags(&h, 0, FLAG(INJECTED));
    expect_marks(false, 20);
    assert_int_equal(benches_inject(&h, KIND(DROP), "nobody", 1, 0)->result,
                     RESULT(UNKNOWN_CHANNEL));
    assert_int_equal(benches_inject(&h, KIND(DROP), "bench", 2, 0)->result, RESULT(BAD_VALUE));
    end();
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_policy_tried_out),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_ends),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
