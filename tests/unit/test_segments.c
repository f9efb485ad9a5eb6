/* SPDX-License-Identifier: Apache-2.0 */
/* The latency budget from synthetic times: each segment alone, and the rejection of impossible
 * times. */
#include "segments.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US    INT64_C(1000)
#define S     INT64_C(1000000000)
#define BENCH (700 * S) /* clock of the bench, with a large offset */
#define BEGIN (50 * S)

static struct lkd_segments *segments;
static struct lkd_claim rig = {.number = 3, .bench = "rig"};
static struct lkd_output *output;

static int make(void **state)
{
    (void)state;
    output = calloc(1, sizeof(*output) + sizeof(double));
    if (!output || lkd_segments_new(&segments))
        return -1;
    lkd_segments_begin(segments, BEGIN);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    lkd_segments_free(segments);
    free(output);
    return 0;
}

static void publish(uint64_t sequence, int64_t at_ns)
{
    output->n_stamps = 0;
    lkd_segments_published(segments, output, sequence, at_ns);
}

/* Make a sample that answers publication @reply. The bench has held it for @hold_ns; the daemon
 * received it at @received_ns. */
static struct lkd_sample answer(uint64_t reply, int64_t published_ns, int64_t hold_ns,
                                int64_t received_ns)
{
    return (struct lkd_sample){
        .sequence = 1,
        .origin_ns = (uint64_t)(BENCH + hold_ns),
        .received_ns = received_ns,
        .reply_to = reply,
        .reply_published_ns = (uint64_t)published_ns,
        .reply_received_ns = (uint64_t)BENCH,
    };
}

static struct lkd_segments_view view_of(const char *bench)
{
    struct lkd_segments_view view;

    for (int i = 0; i < lkd_segments_count(segments); i++) {
        lkd_segments_view(segments, i, &view);
        if (strcmp(view.bench, bench) == 0)
            return view;
    }
    fail_msg("no bench '%s'", bench);
    return view;
}

static void check_segment(const struct lkd_segments_view *view, enum lkd_segment segment,
                          uint64_t count, int64_t max_ns)
{
    assert_int_equal(lkd_histogram_count(view->segment[segment]), count);
    assert_int_equal(lkd_histogram_max(view->segment[segment]), max_ns);
}

static void check_counts(const char *bench, uint64_t wires, uint64_t false_replies,
                         uint64_t dropped)
{
    struct lkd_segments_view view = view_of(bench);

    assert_int_equal(lkd_histogram_count(view.segment[LKD_SEGMENT_WIRE]), wires);
    assert_int_equal(lkd_histogram_count(view.segment[LKD_SEGMENT_HOLD]), wires);
    assert_int_equal(view.false_replies, false_replies);
    assert_int_equal(view.dropped, dropped);
}

static void receive(const struct lkd_claim *claim, struct lkd_sample sample)
{
    lkd_segments_received(segments, claim, &sample);
}

/* A round trip of 400 us, 300 us of it in the bench, gives 100 us on the wire, whatever the offset
 * of the clocks. */
static void test_wire(void **state)
{
    struct lkd_segments_view view;

    (void)state;
    publish(5, BEGIN + 1000 * US);
    receive(&rig, answer(5, BEGIN + 1000 * US, 300 * US, BEGIN + 1400 * US));
    view = view_of("rig");
    assert_int_equal(view.claim, 3);
    check_segment(&view, LKD_SEGMENT_WIRE, 1, 100 * US);
    check_segment(&view, LKD_SEGMENT_HOLD, 1, 300 * US);
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 0, 0);
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 0, 0);
    check_counts("rig", 1, 0, 0);
}

static void show(uint32_t claim, uint64_t sequence, int64_t received_ns, int64_t latched_ns,
                 int64_t computed_ns, int64_t published_ns)
{
    output->n_stamps = 2; /* the first stamp is of another bench */
    output->stamp[0] = (struct lkd_stamp){.claim = 9, .sequence = 4, .received_ns = BEGIN};
    output->stamp[1] = (struct lkd_stamp){
        .claim = claim,
        .sequence = sequence,
        .received_ns = received_ns,
        .latched_ns = latched_ns,
    };
    output->figures.computed_ns = computed_ns;
    lkd_segments_published(segments, output, sequence + 100, published_ns);
}

/* Each sample is counted once, when its effect is first published, even if several streams publish
 * it. */
static void test_inside(void **state)
{
    const int64_t t = BEGIN + S;
    struct lkd_segments_view view;

    (void)state;
    receive(&rig, (struct lkd_sample){.sequence = 7, .received_ns = t});
    for (int i = 0; i < 3; i++)
        show(3, 7, t, t + 500 * US, t + 540 * US, t + 600 * US + i);
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WAIT, 1, 500 * US);
    check_segment(&view, LKD_SEGMENT_STEP, 1, 40 * US);
    check_segment(&view, LKD_SEGMENT_PUBLISH, 1, 60 * US);
    show(3, 8, t + 900 * US, t + 1500 * US, t + 1545 * US, t + 1600 * US);
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WAIT, 2, 600 * US);
    check_segment(&view, LKD_SEGMENT_STEP, 2, 45 * US);
    check_segment(&view, LKD_SEGMENT_PUBLISH, 2, 60 * US);
    assert_int_equal(view.dropped, 0);
    assert_int_equal(lkd_segments_count(segments), 1);
}

/* A sample that answers an unknown publication, or one too old to be known, is a false reply. */
static void test_false_replies(void **state)
{
    const int64_t t = BEGIN + S;

    (void)state;
    for (uint64_t i = 0; i <= LKD_SEGMENTS_KEPT; i++)
        publish(i + 1, t + (int64_t)i * US);
    receive(&rig, answer(2, t + 2 * US, 5 * US, t + 50000 * US)); /* another one's time */
    receive(&rig, answer(9, t + 2 * US + 1, 5 * US, t + 50000 * US));
    receive(&rig, answer(UINT64_MAX, t + 2 * US, 5 * US, t + 50000 * US));
    receive(&rig, answer(1, t, 5 * US, t + 50000 * US)); /* too old */
    receive(&rig, answer(LKD_SEGMENTS_KEPT + 2, t + (LKD_SEGMENTS_KEPT + 1) * US, 5 * US, t + S));
    receive(&rig, answer(3, INT64_MAX, 5 * US, t + 50000 * US));
    check_counts("rig", 0, 6, 0);
    receive(&rig, answer(2, t + US, 5 * US, t + 50000 * US)); /* the oldest known publication */
    receive(&rig, answer(LKD_SEGMENTS_KEPT + 1, t + LKD_SEGMENTS_KEPT * US, 5 * US, t + S));
    check_counts("rig", 2, 6, 0);
}

/* Several streams are published within a nanosecond; each publication can be answered. */
static void test_same_instant(void **state)
{
    const int64_t t = BEGIN + S;
    const struct lkd_claim other = {.number = 4, .bench = "other"};

    (void)state;
    publish(1000, t);
    publish(40, t);
    publish(7, t);
    receive(&rig, answer(40, t, 5 * US, t + 10 * US));
    receive(&other, answer(7, t, 5 * US, t + 10 * US));
    receive(NULL, answer(8, t, 5 * US, t + 10 * US));
    check_counts("rig", 1, 0, 0);
    check_counts("other", 1, 0, 0);
    check_counts("", 0, 1, 0);
}

/* Publications of two threads may be reported in the wrong order; each can still be answered. */
static void test_out_of_order(void **state)
{
    const int64_t t = BEGIN + S;
    const int order[] = {0, 3, 1, 2, 6, 5, 4};

    (void)state;
    for (int i = 0; i < 7; i++)
        publish(100 + (uint64_t)order[i], t + order[i]);
    for (int i = 0; i < 7; i++)
        receive(&rig, answer(100 + (uint64_t)i, t + i, 5 * US, t + 10 * US));
    check_counts("rig", 7, 0, 0);
    for (int i = 0; i < LKD_SEGMENTS_KEPT; i++) /* the ring is full */
        publish(1, t + S + i);
    publish(2, t + S + LKD_SEGMENTS_KEPT - 10);
    receive(&rig, answer(2, t + S + LKD_SEGMENTS_KEPT - 10, 5 * US, t + 2 * S));
    receive(&rig, answer(1, t + S + LKD_SEGMENTS_KEPT - 1, 5 * US, t + 2 * S));
    publish(3, t); /* older than all known publications */
    receive(&rig, answer(1, t + S + LKD_SEGMENTS_KEPT - 1, 5 * US, t + 2 * S));
    check_counts("rig", 9, 0, 0);
}

/* A bench sends twice as often as it receives. Its second sample answers no new publication and is
 * not counted. */
static void test_answered_once(void **state)
{
    const int64_t t = BEGIN + S;

    (void)state;
    publish(1, t);
    publish(2, t + 1000 * US);
    receive(&rig, answer(2, t + 1000 * US, 100 * US, t + 1200 * US));
    receive(&rig, answer(2, t + 1000 * US, 600 * US, t + 1700 * US));
    receive(&rig, answer(1, t, 600 * US, t + 1700 * US));
    check_counts("rig", 1, 0, 0);
}

/* Negative and implausible times, and arbitrary bits as stamps, are dropped and counted, without
 * overflow. */
static void test_dropped(void **state)
{
    const uint64_t wild[] = {0, 1, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    const int64_t t = BEGIN + S;
    struct lkd_sample sample;
    uint64_t sequence = 1;

    (void)state;
    publish(1, t);
    receive(&rig, answer(1, t, -1, t + 100)); /* sent before its cause was received */
    publish(2, t + 1);
    receive(&rig, answer(2, t + 1, 101, t + 101)); /* held longer than the round trip */
    publish(3, t + 2);
    receive(&rig, answer(3, t + 2, 11 * S, t + 20 * S));
    publish(4, t + 3);
    receive(&rig, answer(4, t + 3, 0, t + 3 + 10 * S + 1));
    publish(5, t + 4);
    receive(&rig, answer(5, t + 4, 0, t)); /* received before the publication */
    check_counts("rig", 0, 0, 5);
    for (size_t i = 0; i < 25; i++) {
        publish(++sequence + 10, t + 100 + (int64_t)i);
        sample = answer(sequence + 10, t + 100 + (int64_t)i, 0, t + 500);
        sample.origin_ns = wild[i / 5];
        sample.reply_received_ns = wild[i % 5];
        receive(&rig, sample);
    }
    /* valid pairs: the 5 equal ones, 0 to 1, and INT64_MAX to the next value */
    check_counts("rig", 7, 0, 5 + 18);
    publish(99, t + 1000);
    receive(&rig, answer(99, t + 1000, 0, t + 1000 + 10 * S)); /* longest accepted round trip */
    check_counts("rig", 8, 0, 23);
}

static void set_clock(bool synchronised, int64_t offset_ns, int64_t tai_ns, int64_t uncertainty_ns)
{
    const struct lkd_segments_clock clock = {synchronised, offset_ns, tai_ns, uncertainty_ns};

    lkd_segments_clock(segments, &clock);
}

/* Make an answer of a bench with a wall clock: 30 us out, 20 us hold, 50 us back.
 * @t: time of the publication on the daemon's clock */
static struct lkd_sample wall_answer(uint64_t reply, int64_t t, int64_t offset_ns,
                                     Linkage__V1__Clock__Id id, bool synchronised)
{
    struct lkd_sample sample = answer(reply, t, 0, t + 100 * US);

    sample.reply_received_ns = (uint64_t)(t + offset_ns + 30 * US);
    sample.origin_ns = (uint64_t)(t + offset_ns + 50 * US);
    sample.clock.id = id;
    sample.clock.synchronised = synchronised;
    sample.clock.uncertainty_ns = 2000;
    return sample;
}

#define UTC LINKAGE__V1__CLOCK__ID__ID_UTC
#define TAI LINKAGE__V1__CLOCK__ID__ID_TAI

static void test_one_way(void **state)
{
    const int64_t offset = 1700000000 * S, t = BEGIN + S;
    struct lkd_segments_view view;

    (void)state;
    set_clock(true, offset, 37 * S, 5000);
    publish(1, t);
    receive(&rig, wall_answer(1, t, offset, UTC, true));
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE, 1, 80 * US);
    check_segment(&view, LKD_SEGMENT_HOLD, 1, 20 * US);
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 1, 50 * US);
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 1, 30 * US);
    assert_int_equal(view.uncertainty_ns, 7000);
    publish(2, t + S);
    receive(&rig, wall_answer(2, t + S, offset + 37 * S, TAI, true));
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 2, 50 * US);
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 2, 30 * US);
    assert_int_equal(view.dropped, 0);
}

/* Without two synchronised wall clocks there are no one-way times. */
static void test_no_one_way(void **state)
{
    const int64_t offset = 1700000000 * S, t = BEGIN + S;
    struct lkd_segments_view view;

    (void)state;
    publish(1, t); /* the daemon's clock is unknown */
    receive(&rig, wall_answer(1, t, offset, UTC, true));
    set_clock(false, offset, 37 * S, 5000);
    publish(2, t + 1);
    receive(&rig, wall_answer(2, t + 1, offset, UTC, true));
    set_clock(true, offset, 0, 5000);
    publish(3, t + 2);
    receive(&rig, wall_answer(3, t + 2, offset, UTC, false));
    publish(4, t + 3);
    receive(&rig, wall_answer(4, t + 3, offset, LINKAGE__V1__CLOCK__ID__ID_MONOTONIC, true));
    publish(5, t + 4); /* the offset of TAI is unknown */
    receive(&rig, wall_answer(5, t + 4, offset + 37 * S, TAI, true));
    publish(6, t + 5);
    receive(&rig, wall_answer(6, t + 5, offset, LINKAGE__V1__CLOCK__ID__ID_UNSPECIFIED, true));
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 0, 0);
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 0, 0);
    check_segment(&view, LKD_SEGMENT_WIRE, 6, 80 * US);
}

/* The daemon's clock loses its master between a publication and its answer. */
static void test_one_way_half(void **state)
{
    const int64_t offset = 1700000000 * S, t = BEGIN + S;
    struct lkd_segments_view view;

    (void)state;
    set_clock(true, offset, 0, 5000);
    publish(1, t);
    set_clock(false, offset, 0, 5000);
    receive(&rig, wall_answer(1, t, offset, UTC, true));
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 0, 0);
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 1, 30 * US);
}

/* The offset of two clocks may be as large as their error bounds and make a short time negative: it
 * counts as zero. */
static void test_one_way_uncertain(void **state)
{
    const int64_t offset = 1700000000 * S, t = BEGIN + S;
    struct lkd_segments_view view;

    (void)state;
    set_clock(true, offset, 0, 40 * US);
    publish(1, t);
    receive(&rig, wall_answer(1, t, offset - 40 * US, UTC, true)); /* out: -10 us */
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 1, 0);
    check_segment(&view, LKD_SEGMENT_WIRE_IN, 1, 90 * US);
    assert_int_equal(view.uncertainty_ns, 42 * US);
    publish(2, t + S);
    receive(&rig, wall_answer(2, t + S, offset - 100 * US, UTC, true)); /* out: -70 us */
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 1, 0);
    assert_int_equal(view.dropped, 1);

    set_clock(true, offset, 0, 0); /* no error bound */
    publish(3, t + 2 * S);
    receive(&rig, wall_answer(3, t + 2 * S, offset, UTC, true));
    view = view_of("rig");
    check_segment(&view, LKD_SEGMENT_WIRE_OUT, 2, 30 * US);
    assert_int_equal(view.uncertainty_ns, 0);
}

/* A run begins with empty histograms and ignores earlier times. */
static void test_begin(void **state)
{
    const int64_t t = BEGIN + S, begin = t + 500 * US;

    (void)state;
    publish(1, t);
    receive(&rig, answer(1, t, 10 * US, t + 50 * US));
    lkd_segments_begin(segments, begin);
    assert_int_equal(lkd_segments_count(segments), 0);
    show(3, 1, t + 50 * US, begin + 10 * US, begin + 20 * US, begin + 30 * US);
    assert_int_equal(lkd_segments_count(segments), 0);
    receive(&rig, answer(1, t, 600 * US, begin + 300 * US)); /* valid, but from the previous run */
    check_counts("rig", 0, 0, 0);
    publish(2, begin + 400 * US);
    receive(&rig, answer(2, begin + 400 * US, 10 * US, begin + 450 * US));
    check_counts("rig", 1, 0, 0);
}

/* If another bench gets the number of a claim, the histograms of both benches are separate. */
static void test_number_again(void **state)
{
    const struct lkd_claim heir = {.number = 3, .bench = "heir"};
    const int64_t t = BEGIN + S;

    (void)state;
    publish(1, t);
    receive(&rig, answer(1, t, 10 * US, t + 50 * US));
    receive(&heir, answer(1, t, 20 * US, t + 60 * US));
    show(3, 1, t + 60 * US, t + 100 * US, t + 120 * US, t + 130 * US);
    assert_int_equal(lkd_segments_count(segments), 2);
    check_counts("rig", 1, 0, 0);
    check_counts("heir", 1, 0, 0);
    assert_int_equal(lkd_histogram_count(view_of("rig").segment[LKD_SEGMENT_WAIT]), 0);
    assert_int_equal(lkd_histogram_count(view_of("heir").segment[LKD_SEGMENT_WAIT]), 1);
}

/* If a run has more benches than places, the bench that was silent for longest is dropped. */
static void test_many(void **state)
{
    struct lkd_segments_view view;

    (void)state;
    for (int i = 0; i < LKD_STAMPS + 3; i++) {
        struct lkd_claim claim = {.number = 1 + (uint32_t)i};

        snprintf(claim.bench, sizeof(claim.bench), "bench-%d", i);
        receive(&claim, (struct lkd_sample){.sequence = 1, .received_ns = BEGIN + i});
        receive(&rig, (struct lkd_sample){.sequence = 1, .received_ns = BEGIN + i});
    }
    assert_int_equal(lkd_segments_count(segments), LKD_STAMPS);
    view_of("rig");
    view_of("bench-19");
    for (int i = 0; i < LKD_STAMPS; i++) {
        lkd_segments_view(segments, i, &view);
        assert_string_not_equal(view.bench, "bench-0");
    }
}

static void test_none(void **state)
{
    const struct lkd_sample sample = {.sequence = 1};

    (void)state;
    lkd_segments_begin(NULL, 1);
    lkd_segments_clock(NULL, NULL);
    lkd_segments_received(NULL, NULL, &sample);
    lkd_segments_published(NULL, output, 1, 1);
    assert_int_equal(lkd_segments_count(NULL), 0);
    lkd_segments_free(NULL);
}

#define SEGMENTS_TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEGMENTS_TEST(test_wire),
        SEGMENTS_TEST(test_inside),
        SEGMENTS_TEST(test_false_replies),
        SEGMENTS_TEST(test_same_instant),
        SEGMENTS_TEST(test_out_of_order),
        SEGMENTS_TEST(test_answered_once),
        SEGMENTS_TEST(test_dropped),
        SEGMENTS_TEST(test_one_way),
        SEGMENTS_TEST(test_no_one_way),
        SEGMENTS_TEST(test_one_way_half),
        SEGMENTS_TEST(test_one_way_uncertain),
        SEGMENTS_TEST(test_begin),
        SEGMENTS_TEST(test_number_again),
        SEGMENTS_TEST(test_many),
        SEGMENTS_TEST(test_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
