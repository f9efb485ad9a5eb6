/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection: each kind has its documented effect, on schedule and identical for the same
 * seed, and each record is marked while the injection lasts. */
#include "bench_rig.h"
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KIND(name) LINKAGE__V1__INJECTION_KIND__INJECTION_##name

static uint64_t left, right, sequence;

/* Two benches: left has the torque, right has push and motor. */
static int open_benches(void **state)
{
    int r = bench_rig_open(state);

    left = claimed("left", "torque", NULL, NULL);
    right = claimed("right", "push", "motor", NULL);
    sequence = 0;
    return r;
}

static Linkage__V1__Result inject(struct lkd_injection injection)
{
    return lkd_inputs_inject(&inputs, false, &injection, 1, now_ns, &said);
}

static void injected(Linkage__V1__InjectionKind kind, const char *target, double amount,
                     double for_s)
{
    struct lkd_injection injection = {.kind = kind, .amount = amount, .for_s = for_s, .seed = 7};

    strcpy(injection.target, target);
    if (inject(injection) != RESULT(OK))
        fail_msg("%s", said.text);
}

static void clear(void)
{
    assert_int_equal(lkd_inputs_inject(&inputs, true, NULL, 0, now_ns, &said), RESULT(OK));
}

static struct lkd_injection report(int i)
{
    struct lkd_injection all[LKD_INJECTIONS_MAX];

    assert_true(i < lkd_inputs_injections(&inputs, all));
    return all[i];
}

static bool marked(void)
{
    return newest()->flags & LINKAGE__V1__FLAG__FLAG_INJECTED;
}

/* Send a sample of the left bench, one millisecond after the previous one. */
static void send(double value)
{
    now_ns += MS;
    assert_int_equal(offer1(left, ++sequence, value), LKD_INPUT_OK);
}

static void torque_is(double value)
{
    values_are(value, 0, 0, 0, 0);
}

static void test_delay(void **state)
{
    (void)state;
    send(2);
    assert_false(marked());
    injected(KIND(DELAY), "left", 0.005, 0);
    assert_true(marked()); /* immediately, also without samples */
    assert_true(report(0).active);
    send(3);
    send(4);
    torque_is(2);
    assert_int_equal(lkd_inputs_tick(&inputs, now_ns), now_ns + 4 * MS); /* time of the next call */
    now_ns += 4 * MS;
    lkd_inputs_tick(&inputs, now_ns);
    torque_is(3);
    assert_int_equal(newest()->stamp[1].received_ns, now_ns); /* stamped with the delayed time */
    assert_int_equal(newest()->stamp[1].sequence, 2);
    now_ns += 10 * MS;
    lkd_inputs_tick(&inputs, now_ns);
    torque_is(4);
    assert_int_equal(report(0).count, 2);
    assert_int_equal(claim_now(left).refused, 0);

    /* other benches are not affected, and a sample with an unknown token is refused, not delayed */
    assert_int_equal(offer(right, 1, (const double[]){1, 2, 3, 4}, 4), LKD_INPUT_OK);
    values_are(4, 1, 2, 3, 4);
    assert_int_equal(offer1(left + 1, 1, 9), LKD_INPUT_E_TOKEN);

    /* delayed samples are delivered when the injection ends */
    send(5);
    clear();
    values_are(5, 1, 2, 3, 4);
    pass(10 * MS);
    assert_false(marked());
    send(6);
    values_are(6, 1, 2, 3, 4);
}

/* A channel as the target selects the samples that contain it. */
static void test_target_channel(void **state)
{
    (void)state;
    injected(KIND(DROP), "motor", 1, 0);
    assert_int_equal(offer(right, 1, (const double[]){1, 2, 3, 4}, 4), LKD_INPUT_OK);
    values_are(1, 0, 0, 0, 0);
    send(5);
    torque_is(5);
    assert_int_equal(report(0).count, 1);
}

static void test_drop(void **state)
{
    (void)state;
    injected(KIND(DROP), "", 0.3, 0);
    for (int i = 0; i < 1000; i++)
        send(i % 10);
    assert_int_equal(claim_now(left).accepted + report(0).count, 1000);
    /* binomial distribution: 300 +- 14.5 */
    assert_true(report(0).count > 230 && report(0).count < 370);
    assert_int_equal(claim_now(left).gaps, report(0).count);
}

/* Heartbeats are dropped like samples: this simulates a dead bench. */
static void test_drop_all(void **state)
{
    (void)state;
    injected(KIND(DROP), "left", 1, 0);
    for (int i = 0; i < 120; i++) {
        pass(10 * MS);
        beat(left);
        beat(right);
    }
    assert_true(news_of(0)->lost);
    assert_false(news_of(1)->lost);
    clear();
    assert_int_equal(beat(left), LKD_INPUT_OK);
    assert_false(news_of(0)->lost);
}

/* Send @n samples while a random half is dropped. The same seed must drop the same samples, and
 * another seed must drop other samples.
 * @ret_pattern: whether each sample was accepted */
static void draw(uint64_t seed, char *ret_pattern, int n)
{
    struct lkd_injection drop = {.kind = KIND(DROP), .amount = 0.5, .seed = seed};

    assert_int_equal(lkd_inputs_inject(&inputs, true, &drop, 1, now_ns, &said), RESULT(OK));
    for (int i = 0; i < n; i++) {
        uint64_t before = claim_now(left).accepted;

        send(1);
        ret_pattern[i] = claim_now(left).accepted > before;
    }
}

static void test_seed(void **state)
{
    char a[100], b[100], c[100];

    (void)state;
    draw(5, a, 100);
    draw(5, b, 100);
    draw(6, c, 100);
    assert_memory_equal(a, b, 100);
    assert_memory_not_equal(a, c, 100);
}

static void test_reorder(void **state)
{
    (void)state;
    injected(KIND(REORDER), "left", 1, 0);
    send(2); /* sample 1 waits */
    torque_is(1);
    send(3); /* sample 2 overtakes sample 1, which is then outdated */
    torque_is(3);
    assert_int_equal(claim_now(left).refused, 1);
    assert_int_equal(claim_now(left).accepted, 1);
    send(4); /* sample 3 waits */
    torque_is(3);
    assert_true(marked());
    clear();
    torque_is(4);
    assert_int_equal(claim_now(left).refused, 1);
}

/* With both kinds at once, a pair of samples is swapped and delivered after the delay of the later
 * one. */
static void test_reorder_and_delay(void **state)
{
    (void)state;
    injected(KIND(REORDER), "left", 1, 0);
    injected(KIND(DELAY), "left", 0.005, 0);
    send(2);
    send(3);
    now_ns += 4 * MS;
    lkd_inputs_tick(&inputs, now_ns);
    torque_is(1);
    now_ns += MS;
    lkd_inputs_tick(&inputs, now_ns);
    torque_is(3);
    assert_int_equal(claim_now(left).accepted, 1);
    assert_int_equal(claim_now(left).refused, 1); /* sample 1, which arrived last */
}

/* Records are marked until the last delayed sample was delivered, even after the injection has
 * ended. */
static void test_mark_of_the_held(void **state)
{
    (void)state;
    injected(KIND(DELAY), "left", 1, 0.1);
    send(2);
    pass(500 * MS);
    assert_false(report(0).active);
    assert_true(marked());
    torque_is(1);
    pass(520 * MS);
    torque_is(2);
    assert_false(marked());
}

static void test_freeze(void **state)
{
    const double first[] = {1, 2, 3, 4}, second[] = {5, 6, 7, 8};

    (void)state;
    injected(KIND(FREEZE), "motor", 0, 0);
    assert_int_equal(offer(right, 1, first, 4), LKD_INPUT_OK);
    now_ns += MS;
    assert_int_equal(offer(right, 2, second, 4), LKD_INPUT_OK);
    values_are(1, 5, 6, 7, 4); /* only the target channel */
    assert_int_equal(news_of(2)->heard, 2);
    clear();
    injected(KIND(FREEZE), "right", 0, 0);
    now_ns += MS;
    assert_int_equal(offer(right, 3, first, 4), LKD_INPUT_OK);
    now_ns += MS;
    assert_int_equal(offer(right, 4, second, 4), LKD_INPUT_OK);
    values_are(1, 1, 2, 3, 4);
    send(6);
    values_are(6, 1, 2, 3, 4);
    clear();
    now_ns += MS;
    assert_int_equal(offer(right, 5, second, 4), LKD_INPUT_OK);
    values_are(6, 5, 6, 7, 8);
}

static int offer_slopes(uint64_t number, const double *values, const double *slopes)
{
    const struct lkd_sample sample = {
        .sequence = number,
        .token = right,
        .received_ns = now_ns,
        .values = values,
        .n_values = 4,
        .slopes = slopes,
        .n_slopes = 4,
    };

    return lkd_inputs_offer(&inputs, &sample, NULL);
}

static void slopes_are(double x, double y, double z, double motor)
{
    const double *slopes = newest()->values + 5;

    assert_true(slopes[1] == x && slopes[2] == y && slopes[3] == z && slopes[4] == motor);
}

/* Slopes are delayed together with their values, and zero for a frozen channel. */
static void test_slopes(void **state)
{
    const double values[] = {1, 2, 3, 4}, slopes[] = {5, 6, 7, 8};

    (void)state;
    injected(KIND(DELAY), "right", 0.002, 0);
    injected(KIND(SPIKE), "push", 50, 0);
    assert_int_equal(offer_slopes(1, values, slopes), LKD_INPUT_OK);
    slopes_are(0, 0, 0, 0);
    pass(10 * MS);
    values_are(1, 51, 52, 53, 4);
    slopes_are(5, 6, 7, 8);
    clear();
    injected(KIND(FREEZE), "motor", 0, 0);
    assert_int_equal(offer_slopes(2, values, slopes), LKD_INPUT_OK);
    slopes_are(5, 6, 7, 0);
}

static void test_spike(void **state)
{
    const double values[] = {1, 2, 3, 4};

    (void)state;
    injected(KIND(SPIKE), "push", 50, 0);
    assert_int_equal(offer(right, 1, values, 4), LKD_INPUT_OK);
    values_are(1, 51, 52, 53, 4);
    /* a value that the spike moves beyond the limits is refused */
    now_ns += MS;
    assert_int_equal(offer(right, 2, (const double[]){51, 0, 0, 0}, 4), LKD_INPUT_E_LIMITS);
    assert_int_equal(news_of(1)->out_of_range, 1);
    assert_int_equal(report(0).count, 2);
    /* a sample that would be refused without the spike is still refused */
    assert_int_equal(offer(right, 3, values, 3), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(right, 3, (const double[]){NAN, 0, 0, 0}, 4), LKD_INPUT_E_NOT_FINITE);
}

static void test_share(void **state)
{
    struct lkd_injection spike = {
        .kind = KIND(SPIKE), .target = "torque", .amount = 5, .share = 0.2};

    (void)state;
    assert_int_equal(inject(spike), RESULT(OK));
    for (int i = 0; i < 1000; i++)
        send(0);
    assert_true(report(0).count > 130 && report(0).count < 270);
}

/* Several injections are applied in the order of their numbers. */
static void test_several(void **state)
{
    (void)state;
    injected(KIND(SPIKE), "torque", 3, 0);
    injected(KIND(FREEZE), "torque", 0, 0);
    injected(KIND(DELAY), "", 0.002, 0);
    injected(KIND(DELAY), "left", 0.003, 0);
    send(1);
    send(5);
    torque_is(1);
    pass(10 * MS);
    torque_is(4);
    assert_int_equal(newest()->stamp[1].sequence, 2);
    assert_int_equal(report(3).number, 4);
}

static void test_schedule(void **state)
{
    struct lkd_injection freeze = {.kind = KIND(FREEZE), .after_s = 0.1, .for_s = 0.2};

    (void)state;
    assert_int_equal(inject(freeze), RESULT(OK));
    pass(90 * MS);
    assert_false(marked());
    assert_false(report(0).active);
    send(2);
    torque_is(2);
    pass(10 * MS);
    assert_true(marked());
    assert_true(report(0).active);
    send(3);
    send(4);
    torque_is(3);
    pass(180 * MS);
    assert_true(marked());
    pass(20 * MS);
    assert_false(marked());
    assert_false(report(0).active);
    send(5);
    torque_is(5);
    assert_int_equal(report(0).count, 2);
}

/* An injection begins and ends according to the times of samples, even between two ticks. */
static void test_schedule_of_samples(void **state)
{
    struct lkd_injection drop = {
        .kind = KIND(DROP), .amount = 1, .after_s = 0.0015, .for_s = 0.001};

    (void)state;
    assert_int_equal(inject(drop), RESULT(OK));
    send(2);
    send(3);
    torque_is(2);
    assert_true(marked());
    send(4);
    torque_is(4);
    assert_false(marked());
}

static int64_t stall_asked(void)
{
    return atomic_load(&loaded->cycle->stall_ns);
}

/* Perform the stall, as the cycle does when it writes its next record. */
static void carry_out_stall(void)
{
    assert_true(marked());
    atomic_store(&loaded->cycle->stall_ns, 0);
}

static void test_stall(void **state)
{
    struct lkd_injection every = {.kind = KIND(STALL), .amount = 0.002, .every_s = 0.1};

    (void)state;
    injected(KIND(STALL), "", 0.004, 0);
    pass(100 * MS);
    assert_int_equal(stall_asked(), 0); /* without a run no stall is possible */
    lkd_inputs_begin(&inputs);
    pass(10 * MS);
    assert_int_equal(stall_asked(), 4 * MS);
    pass(100 * MS);
    assert_int_equal(stall_asked(), 4 * MS); /* requested once */
    carry_out_stall();
    pass(30 * MS);
    assert_int_equal(stall_asked(), 0);
    assert_false(marked());
    assert_false(report(0).active);
    assert_int_equal(report(0).count, 1);

    assert_int_equal(inject(every), RESULT(OK));
    assert_int_equal(stall_asked(), 0); /* a stall begins only when a record can be marked */
    for (int i = 0; i < 50; i++) {
        pass(10 * MS);
        if (stall_asked())
            carry_out_stall();
    }
    assert_int_equal(report(1).count, 5);
    pass(100 * MS);
    assert_int_equal(stall_asked(), 2 * MS);
    clear();
    assert_int_equal(stall_asked(), 0); /* pending stalls are cancelled */
}

/* With a cycle of 50 ms, the record of the stalled cycle is marked at its beginning, and the next
 * record is also marked because it is late. */
static void test_stall_of_a_long_cycle(void **state)
{
    (void)state;
    loaded->cycle->period_ns = 50 * MS;
    lkd_inputs_begin(&inputs);
    injected(KIND(STALL), "", 0.004, 0);
    pass(90 * MS);
    assert_int_equal(stall_asked(), 0);
    pass(10 * MS);
    assert_int_equal(stall_asked(), 4 * MS);
    carry_out_stall();
    pass(100 * MS);
    assert_true(marked());
    pass(10 * MS);
    assert_false(marked());
}

static void test_ends(void **state)
{
    struct lkd_injection all[LKD_INJECTIONS_MAX];

    (void)state;
    injected(KIND(DELAY), "", 1, 0);
    lkd_inputs_begin(&inputs);
    send(5);
    assert_true(marked());
    lkd_inputs_clear(&inputs);
    assert_false(marked());
    assert_int_equal(lkd_inputs_injections(&inputs, all), 0);
    pass(2 * SECOND);
    torque_is(1); /* delayed samples are dropped when the run ends */
    injected(KIND(FREEZE), "", 0, 0);
    assert_int_equal(lkd_inputs_attach(&inputs, loaded->cycle, MODEL_ID), 0);
    assert_int_equal(lkd_inputs_injections(&inputs, all), 0);
    assert_int_equal(lkd_inputs_attach(&inputs, NULL, 0), 0);
    assert_int_equal(inject((struct lkd_injection){.kind = KIND(FREEZE)}), RESULT(WRONG_STATE));
}

/* If more samples are delayed than the queue holds, the oldest are lost. */
static void test_full_queue(void **state)
{
    size_t n = inputs.injector.n_slots;

    (void)state;
    injected(KIND(DELAY), "", 10, 0);
    for (size_t i = 0; i < n + 5; i++)
        send((double)(i % 7));
    assert_int_equal(inputs.injector.lost, 5);
    assert_int_equal(inputs.injector.n_held, n);
    now_ns += 20 * SECOND;
    lkd_inputs_tick(&inputs, now_ns);
    assert_int_equal(inputs.injector.n_held, 0);
    assert_int_equal(claim_now(left).accepted, n);
    assert_int_equal(claim_now(left).gaps, 0); /* the oldest samples are lost, so no gap is seen */
    assert_int_equal(newest()->stamp[1].sequence, n + 5);
}

static void refused(struct lkd_injection injection, Linkage__V1__Result expected, const char *words)
{
    struct lkd_injection all[LKD_INJECTIONS_MAX];
    const struct lkd_injection two[] = {{.kind = KIND(FREEZE)}, injection};

    assert_int_equal(lkd_inputs_inject(&inputs, false, two, 2, now_ns, &said), expected);
    if (!strstr(said.text, words))
        fail_msg("'%s' does not say '%s'", said.text, words);
    assert_int_equal(lkd_inputs_injections(&inputs, all), 0); /* if one is refused, none is added */
}

#define I(...) ((struct lkd_injection){__VA_ARGS__})

static void test_refusals(void **state)
{
    struct lkd_injection many[LKD_INJECTIONS_MAX + 1];

    (void)state;
    refused(I(0), RESULT(BAD_VALUE), "no known kind");
    refused(I(.kind = 99), RESULT(BAD_VALUE), "no known kind");
    refused(I(.kind = KIND(DELAY)), RESULT(BAD_VALUE), "delay: amount of 0, expected more than 0");
    refused(I(.kind = KIND(DELAY), .amount = 11), RESULT(BAD_VALUE), "at most 10 s");
    refused(I(.kind = KIND(DELAY), .amount = NAN), RESULT(BAD_VALUE), "nan");
    refused(I(.kind = KIND(DROP), .amount = 1.01), RESULT(BAD_VALUE), "a share");
    refused(I(.kind = KIND(REORDER), .amount = -1), RESULT(BAD_VALUE), "a share");
    refused(I(.kind = KIND(SPIKE), .target = "torque", .amount = INFINITY), RESULT(BAD_VALUE),
            "inf");
    refused(I(.kind = KIND(SPIKE), .target = "torque"), RESULT(BAD_VALUE), "another number");
    refused(I(.kind = KIND(SPIKE), .target = "left", .amount = 1), RESULT(UNKNOWN_CHANNEL),
            "expected the name of an input");
    refused(I(.kind = KIND(SPIKE), .amount = 1), RESULT(UNKNOWN_CHANNEL), "name of an input");
    refused(I(.kind = KIND(STALL), .amount = 1, .target = "left"), RESULT(BAD_VALUE), "no target");
    refused(I(.kind = KIND(STALL), .amount = 10.5), RESULT(BAD_VALUE), "at most 10 s");
    refused(I(.kind = KIND(FREEZE), .amount = 1), RESULT(BAD_VALUE), "none");
    refused(I(.kind = KIND(FREEZE), .target = "leftt"), RESULT(UNKNOWN_CHANNEL),
            "no bench and no input is named 'leftt'");
    refused(I(.kind = KIND(FREEZE), .share = 0.5), RESULT(BAD_VALUE), "it is of spike");
    refused(I(.kind = KIND(FREEZE), .every_s = 1), RESULT(BAD_VALUE), "it is of stall");
    refused(I(.kind = KIND(FREEZE), .after_s = -1), RESULT(BAD_VALUE), "after of -1");
    refused(I(.kind = KIND(FREEZE), .for_s = NAN), RESULT(BAD_VALUE), "for of nan");
    refused(I(.kind = KIND(FREEZE), .for_s = 1e9), RESULT(BAD_VALUE), "86400");
    for (int i = 0; i <= LKD_INJECTIONS_MAX; i++)
        many[i] = I(.kind = KIND(FREEZE));
    assert_int_equal(lkd_inputs_inject(&inputs, false, many, LKD_INJECTIONS_MAX + 1, now_ns, &said),
                     RESULT(BAD_VALUE));
    assert_non_null(strstr(said.text, "at most 16"));
}

/* Finished injections are removed to make room for new ones, but not by a refused request. */
static void test_room(void **state)
{
    struct lkd_injection all[LKD_INJECTIONS_MAX], bad = {0};

    (void)state;
    for (int i = 0; i < LKD_INJECTIONS_MAX; i++)
        injected(KIND(FREEZE), "left", 0, i % 2 ? 0 : 0.1);
    assert_int_equal(inject(I(.kind = KIND(FREEZE))), RESULT(BAD_VALUE));
    assert_int_equal(lkd_inputs_inject(&inputs, true, &bad, 1, now_ns, &said), RESULT(BAD_VALUE));
    assert_int_equal(lkd_inputs_injections(&inputs, all), LKD_INJECTIONS_MAX);
    pass(200 * MS);
    send(2);
    injected(KIND(SPIKE), "torque", 2, 0);
    injected(KIND(FREEZE), "", 0, 0);
    assert_int_equal(lkd_inputs_injections(&inputs, all), LKD_INJECTIONS_MAX);
    assert_int_equal(report(LKD_INJECTIONS_MAX - 1).number, 18);
    send(5);
    torque_is(4); /* frozen at its first value, plus the spike */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_benches, bench_rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_delay),
        TEST(test_target_channel),
        TEST(test_drop),
        TEST(test_drop_all),
        TEST(test_seed),
        TEST(test_reorder),
        TEST(test_reorder_and_delay),
        TEST(test_mark_of_the_held),
        TEST(test_freeze),
        TEST(test_slopes),
        TEST(test_spike),
        TEST(test_share),
        TEST(test_several),
        TEST(test_schedule),
        TEST(test_schedule_of_samples),
        TEST(test_stall),
        TEST(test_stall_of_a_long_cycle),
        TEST(test_ends),
        TEST(test_full_queue),
        TEST(test_refusals),
        TEST(test_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
