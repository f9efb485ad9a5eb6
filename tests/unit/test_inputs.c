/* SPDX-License-Identifier: Apache-2.0 */
/* The input table with samples that need no claim and with values set by hand. A refused sample
 * does not change the acting values, and is counted by reason. */
#include "bench_rig.h"
#include "names.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define N 5

static const double good[N] = {1, 2, 3, 4, 5};

static void check_counts(uint64_t accepted, uint64_t refused)
{
    uint64_t a, r;

    lkd_inputs_counts(&inputs, &a, &r);
    assert_int_equal(a, accepted);
    assert_int_equal(r, refused);
}

static uint64_t refusals(int reason)
{
    uint64_t n[LKD_INPUT_STATUSES];

    lkd_inputs_refusals(&inputs, n);
    return n[reason];
}

static int set(size_t offset, const double *values, size_t n)
{
    return lkd_inputs_set(&inputs, offset, values, n, false, &said);
}

static void test_accepted(void **state)
{
    (void)state;
    values_are(1, 0, 0, 0, 0); /* initial values */
    assert_false(news_of(0)->watched);
    assert_int_equal(offer(0, 10, good, N), LKD_INPUT_OK);
    values_are(1, 2, 3, 4, 5);
    assert_int_equal(newest()->n_stamps, 1);
    assert_int_equal(newest()->newest, 0);
    assert_int_equal(newest()->stamp[0].claim, 0);
    assert_int_equal(newest()->stamp[0].sequence, 10);
    assert_int_equal(newest()->stamp[0].origin_ns, 10000);
    assert_int_equal(newest()->stamp[0].received_ns, now_ns);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(news_of(i)->heard, 1);
        assert_true(news_of(i)->watched);
        assert_false(news_of(i)->lost);
    }
    check_counts(1, 0);
}

static void test_refused(void **state)
{
    const double nan[N] = {4, 5, NAN, 7, 8}, infinite[N] = {INFINITY, 1, 1, 1, -INFINITY};
    struct lkd_sample foreign = {.sequence = 99, .model_id = 78, .values = good, .n_values = N};

    (void)state;
    assert_int_equal(offer(0, 10, good, N), LKD_INPUT_OK);
    assert_int_equal(offer(0, 11, good, N - 1), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(0, 11, good, N + 1), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(0, 12, NULL, 0), LKD_INPUT_E_LENGTH);
    assert_int_equal(offer(0, 13, nan, N), LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(offer(0, 14, infinite, N), LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(offer(0, 10, good, N), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(offer(0, 9, good, N), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(offer(5, 11, good, N), LKD_INPUT_E_TOKEN);
    assert_int_equal(lkd_inputs_offer(&inputs, &foreign, NULL), LKD_INPUT_E_OTHER_MODEL);
    lkd_inputs_refuse(&inputs);
    lkd_inputs_forbid(&inputs);
    values_are(1, 2, 3, 4, 5);
    assert_int_equal(newest()->stamp[0].sequence, 10);
    check_counts(1, 11);
    assert_int_equal(refusals(LKD_INPUT_E_LENGTH), 3);
    assert_int_equal(refusals(LKD_INPUT_E_NOT_FINITE), 2);
    assert_int_equal(refusals(LKD_INPUT_E_NOT_NEWER), 2);
    assert_int_equal(refusals(LKD_INPUT_E_TOKEN), 1);
    assert_int_equal(refusals(LKD_INPUT_E_OTHER_MODEL), 1);
    assert_int_equal(refusals(LKD_INPUT_E_UNDECODABLE), 1);
    assert_int_equal(refusals(LKD_INPUT_E_ROLE), 1);
    /* the refusal is counted for each channel that causes it */
    assert_int_equal(news_of(0)->not_finite, 1);
    assert_int_equal(news_of(1)->not_finite, 1);
    assert_int_equal(news_of(2)->not_finite, 1);

    /* the sequence numbers of refused samples are not stored */
    assert_int_equal(offer(0, 11, good, N), LKD_INPUT_OK);
}

static void test_channel_at(void **state)
{
    struct lkd_inputs_channel channel;
    int n = 0;

    (void)state;
    assert_false(lkd_inputs_channel_at(&inputs, -1, &channel));
    assert_int_equal(offer(0, 10, good, N), LKD_INPUT_OK);
    while (lkd_inputs_channel_at(&inputs, n, &channel))
        n++;
    assert_int_equal(n, 3);
    assert_false(lkd_inputs_channel_at(&inputs, 4, &channel));
    assert_true(lkd_inputs_channel_at(&inputs, 0, &channel));
    assert_true(channel.values[0] == 1);
    assert_string_equal(channel.bench, "");
}

/* One value beyond the limits of its channel refuses the whole sample, or the whole set. */
static void test_limits(void **state)
{
    const double edge[N] = {-10, 100, -100, 0, 1e300}, low[N] = {-10.001, 0, 0, 0, 0};
    const double high[N] = {0, 0, 100.001, 0, 0}, both[N] = {11, 0, 0, -101, 0};

    (void)state;
    assert_int_equal(offer(0, 1, edge, N), LKD_INPUT_OK);
    assert_int_equal(offer(0, 2, low, N), LKD_INPUT_E_LIMITS);
    assert_int_equal(offer(0, 3, high, N), LKD_INPUT_E_LIMITS);
    assert_int_equal(offer(0, 4, both, N), LKD_INPUT_E_LIMITS);
    values_are(-10, 100, -100, 0, 1e300);
    assert_int_equal(refusals(LKD_INPUT_E_LIMITS), 3);
    assert_int_equal(news_of(0)->out_of_range, 2);
    assert_int_equal(news_of(1)->out_of_range, 2);
    assert_int_equal(news_of(2)->out_of_range, 0);
    assert_int_equal(set(0, &both[0], 1), LKD_INPUT_E_LIMITS);
    assert_int_equal(set(4, &both[0], 1), LKD_INPUT_OK);
    values_are(-10, 100, -100, 0, 11);
}

/* A bench whose clock is set back is still accepted: samples are ordered by their sequence
 * numbers. */
static void test_a_clock_that_steps_back(void **state)
{
    struct lkd_sample sample = {.sequence = 5, .origin_ns = 1000, .values = good, .n_values = N};

    (void)state;
    sample.received_ns = now_ns;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_OK);
    sample.sequence = 6;
    sample.origin_ns = 1;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_OK);
    assert_int_equal(newest()->stamp[0].origin_ns, 1);
    sample.sequence = 5;
    sample.origin_ns = 2000; /* later time, but older sequence number */
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(newest()->stamp[0].sequence, 6);
}

/* A bench that restarts after a silence may begin with any sequence number. */
static void test_silence(void **state)
{
    (void)state;
    assert_int_equal(offer(0, 1000, good, N), LKD_INPUT_OK);
    now_ns += LKD_INPUT_SILENCE_NS - 1;
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_E_NOT_NEWER);
    now_ns++;
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_OK);
    assert_int_equal(newest()->stamp[0].sequence, 1);
}

static void test_required(void **state)
{
    const struct lkd_peer reader = {.role = LINKAGE__V1__ROLE__ROLE_READ};
    const struct lkd_sample sample = {.sequence = 1, .values = good, .n_values = N};

    (void)state;
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_E_UNCLAIMED);
    assert_int_equal(beat(0), LKD_INPUT_E_UNCLAIMED);
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, &reader), LKD_INPUT_E_ROLE);
    values_are(1, 0, 0, 0, 0);
    assert_int_equal(refusals(LKD_INPUT_E_UNCLAIMED), 2);
    assert_int_equal(refusals(LKD_INPUT_E_ROLE), 1);
    assert_false(news_of(0)->watched);
}

static void test_set(void **state)
{
    const double two[] = {8, 9}, bad[] = {NAN};

    (void)state;
    assert_int_equal(set(1, two, 2), LKD_INPUT_OK);
    values_are(1, 8, 9, 0, 0);
    assert_int_equal(newest()->n_stamps, 0);
    assert_false(news_of(1)->watched);
    assert_int_equal(set(4, two, 2), LKD_INPUT_E_LENGTH);
    assert_int_equal(set(6, two, 0), LKD_INPUT_E_LENGTH);
    assert_int_equal(set(0, good, N + 1), LKD_INPUT_E_LENGTH);
    assert_int_equal(set(0, bad, 1), LKD_INPUT_E_NOT_FINITE);
    assert_non_null(strstr(said.text, "finite"));
    values_are(1, 8, 9, 0, 0);
    check_counts(0, 0);

    /* a sample overwrites values set by hand; a set keeps the stamps of the sample */
    assert_int_equal(offer(0, 3, good, N), LKD_INPUT_OK);
    assert_int_equal(set(0, two, 1), LKD_INPUT_OK);
    values_are(8, 2, 3, 4, 5);
    assert_int_equal(newest()->stamp[0].sequence, 3);
    assert_int_equal(news_of(0)->heard, 1);
}

static void test_clear_and_begin(void **state)
{
    (void)state;
    assert_int_equal(offer(0, 50, good, N), LKD_INPUT_OK);
    lkd_inputs_begin(&inputs);
    check_counts(0, 0);
    values_are(1, 2, 3, 4, 5);
    assert_true(news_of(0)->watched);
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_OK);

    lkd_inputs_clear(&inputs);
    values_are(1, 0, 0, 0, 0);
    assert_int_equal(newest()->n_stamps, 0);
    assert_false(news_of(0)->watched);
    assert_int_equal(news_of(0)->heard, 2); /* the count continues */
    check_counts(1, 0);
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_OK);
}

/* A run does not start with values that a bench sent long ago, but with values that were set by
 * hand since. */
static void test_left_behind(void **state)
{
    const double seven = 7;

    (void)state;
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_OK);
    pass(SECOND);
    values_are(1, 2, 3, 4, 5);
    pass(10 * MS);
    values_are(1, 0, 0, 0, 0);
    assert_false(news_of(0)->watched);
    assert_int_equal(newest()->n_stamps, 0);
    assert_int_equal(lkd_inputs_set(&inputs, 4, &seven, 1, false, &said), LKD_INPUT_OK);
    pass(2 * SECOND);
    values_are(1, 0, 0, 0, 7);
    /* within a run the guard decides which values act */
    assert_int_equal(offer(0, 2, good, N), LKD_INPUT_OK);
    lkd_inputs_begin(&inputs);
    pass(3 * SECOND);
    values_are(1, 2, 3, 4, 5);
    assert_true(news_of(0)->watched);
}

static void test_without_model(void **state)
{
    (void)state;
    assert_int_equal(lkd_inputs_attach(&inputs, NULL, 0), 0);
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_E_NO_MODEL);
    assert_int_equal(offer(9, 1, NULL, 0), LKD_INPUT_E_NO_MODEL);
    assert_int_equal(set(0, good, 1), LKD_INPUT_E_NO_MODEL);
    assert_int_equal(lkd_inputs_model_id(&inputs), 0);
    lkd_inputs_clear(&inputs);
    lkd_inputs_begin(&inputs);
    pass(50 * MS);
    check_counts(0, 0);
    assert_int_equal(refusals(LKD_INPUT_E_NO_MODEL), 2);
    assert_int_equal(lkd_inputs_attach(&inputs, loaded->cycle, MODEL_ID), 0);
    assert_int_equal(refusals(LKD_INPUT_E_NO_MODEL), 0);
    assert_int_equal(lkd_inputs_model_id(&inputs), MODEL_ID);
}

/* All fields of a message, as the decoder returns it, are used. */
static void test_message(void **state)
{
    const struct lkd_peer bench = {.role = LINKAGE__V1__ROLE__ROLE_BENCH, .name = "b"};
    Linkage__V1__InputSample message = LINKAGE__V1__INPUT_SAMPLE__INIT;
    double values[N] = {1, 1, 1, 1, 1};

    (void)state;
    message.sequence = 4;
    message.origin_ns = 40;
    message.model_id = MODEL_ID;
    message.values = values;
    message.n_values = N;
    assert_int_equal(lkd_inputs_offer_message(&inputs, &message, &bench, 123), LKD_INPUT_OK);
    assert_int_equal(newest()->stamp[0].received_ns, 123);
    assert_int_equal(newest()->stamp[0].origin_ns, 40);
    message.sequence = 5;
    values[4] = NAN;
    assert_int_equal(lkd_inputs_offer_message(&inputs, &message, &bench, 124),
                     LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(news_of(2)->not_finite, 1);
    message.heartbeat = true;
    assert_int_equal(lkd_inputs_offer_message(&inputs, &message, &bench, 124), LKD_INPUT_OK);
    values_are(1, 1, 1, 1, 1);
}

static void slopes_are(const double *expected)
{
    const struct lkd_input *input = newest();

    for (int i = 0; i < N; i++)
        assert_true(input->values[N + i] == (expected ? expected[i] : 0));
}

/* A sample has as many slopes as values, or none. Values without a slope stay constant. */
static void test_slopes(void **state)
{
    const double slopes[N] = {9, 8, 7, 6, 5}, nan[N] = {0, 0, NAN, 0, 0}, other = 3;
    const double left[N] = {0, 8, 7, 6, 5};
    struct lkd_sample sample = {.sequence = 1, .values = good, .n_values = N, .slopes = slopes};

    (void)state;
    sample.n_slopes = N;
    sample.received_ns = now_ns;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_OK);
    slopes_are(slopes);
    sample.sequence = 2;
    sample.n_slopes = N - 1;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_E_LENGTH);
    sample.n_slopes = N;
    sample.slopes = nan;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_E_NOT_FINITE);
    assert_int_equal(news_of(0)->not_finite, 0);
    assert_int_equal(news_of(1)->not_finite, 1);
    slopes_are(slopes);
    assert_int_equal(set(0, &other, 1), LKD_INPUT_OK);
    values_are(3, 2, 3, 4, 5);
    slopes_are(left);
    assert_int_equal(offer(0, 3, good, N), LKD_INPUT_OK);
    slopes_are(NULL);
    sample.sequence = 4;
    sample.slopes = slopes;
    assert_int_equal(lkd_inputs_offer(&inputs, &sample, NULL), LKD_INPUT_OK);
    lkd_inputs_clear(&inputs);
    slopes_are(NULL);
}

static int heard_by_segments;

static void listen(struct lkd_segments *segments, const struct lkd_claim *claim,
                   const struct lkd_sample *sample)
{
    assert_ptr_equal(segments, (struct lkd_segments *)(void *)&heard_by_segments);
    heard_by_segments += claim ? 100 : 1;
    assert_int_equal(sample->n_values, claim ? 1 : N);
}

static void test_listener(void **state)
{
    uint64_t token;

    (void)state;
    heard_by_segments = 0;
    lkd_inputs_listen(&inputs, listen, (struct lkd_segments *)(void *)&heard_by_segments);
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_OK);
    assert_int_equal(offer(0, 1, good, N), LKD_INPUT_E_NOT_NEWER);
    assert_int_equal(heard_by_segments, 1);
    now_ns += 2 * SECOND;
    token = claimed("b", "torque", NULL, NULL);
    assert_int_equal(offer1(token, 1, 2), LKD_INPUT_OK);
    assert_int_equal(beat(token), LKD_INPUT_OK);
    assert_int_equal(heard_by_segments, 101);
}

/* The enumerations of the contract and of the real-time code agree, and each status has a text. */
static void test_words(void **state)
{
    (void)state;
    for (int r = 0; r <= LKD_INPUT_STATUSES; r++)
        assert_true(*lkd_input_status_text(r) != '\0');
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)(LKD_CONDITION_NOT_FINITE + 1)),
                        "not-finite");
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)(LKD_CONDITION_ENERGY + 1)),
                        "energy");
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)(LKD_CONDITION_BOUNDS + 1)),
                        "bounds");
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)(LKD_CONDITION_INCREMENT + 1)),
                        "increment");
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)LKD_CONDITIONS), "contact");
    assert_string_equal(lk_names_condition((Linkage__V1__Condition)(LKD_CONDITION_LATE + 1)),
                        "late");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_rig_open_optional, bench_rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accepted),
        TEST(test_refused),
        TEST(test_channel_at),
        TEST(test_limits),
        TEST(test_a_clock_that_steps_back),
        TEST(test_silence),
        cmocka_unit_test_setup_teardown(test_required, bench_rig_open, bench_rig_close),
        TEST(test_set),
        TEST(test_clear_and_begin),
        TEST(test_left_behind),
        TEST(test_without_model),
        TEST(test_message),
        TEST(test_slopes),
        TEST(test_listener),
        TEST(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
