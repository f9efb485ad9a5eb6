/* SPDX-License-Identifier: Apache-2.0 */
/* The output side of the daemon, piece by piece: when a record is due, the contents of a sample,
 * subscriptions of topics, and the end of a stream. */
#include "identity.h"
#include "publisher.h"
#include "segments.h"
#include "streams.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the clock ---- */

static void test_clock_is_judged(void **state)
{
    struct timex answer = {.status = STA_PLL, .maxerror = 1500, .tai = 37};
    struct lkd_wall_clock clock = {0};

    (void)state;
    lkd_wall_clock_judge(&clock, TIME_OK, &answer);
    assert_true(clock.synchronised);
    assert_int_equal(clock.uncertainty_ns, 1500000);
    assert_int_equal(clock.tai_offset_ns, 37000000000);

    answer.status |= STA_UNSYNC; /* the error bound is then meaningless */
    lkd_wall_clock_judge(&clock, TIME_ERROR, &answer);
    assert_false(clock.synchronised);
    assert_int_equal(clock.uncertainty_ns, 0);

    answer.status = STA_PLL; /* no answer of the kernel: @answer is meaningless */
    lkd_wall_clock_judge(&clock, -1, &answer);
    assert_false(clock.synchronised);
    assert_int_equal(clock.tai_offset_ns, 0);
}

static void test_clock_is_asked_once_a_second(void **state)
{
    struct lkd_wall_clock clock = {0};

    (void)state;
    assert_true(lkd_wall_clock_refresh(&clock, 5000000000));
    assert_false(lkd_wall_clock_refresh(&clock, 5999999999));
    assert_true(lkd_wall_clock_refresh(&clock, 6000000000));
    assert_true(lkd_wall_clock_ns() > UINT64_C(1700000000000000000));
}

/* ---- the pace ---- */

static bool due(struct lkd_pace *pace, uint64_t step, uint64_t cycles, enum lkd_cycle_state state)
{
    return lkd_pace_due(pace,
                        &(struct lkd_figures){.state = state, .step = step, .cycles = cycles});
}

static bool due_at(struct lkd_pace *pace, uint64_t step)
{
    return due(pace, step, step, LKD_CYCLE_RUNNING);
}

static void test_every_multiple_is_due(void **state)
{
    struct lkd_pace pace;

    (void)state;
    lkd_pace_begin(&pace, 3);
    for (uint64_t step = 1; step < 100; step++)
        assert_int_equal(due_at(&pace, step), step % 3 == 0);
    lkd_pace_begin(&pace, 1);
    for (uint64_t step = 7; step < 20; step++)
        assert_true(due_at(&pace, step));
    assert_false(due_at(&pace, 19)); /* the same step */
}

static void test_an_overtaken_step_is_made_up_for(void **state)
{
    struct lkd_pace pace;

    (void)state;
    lkd_pace_begin(&pace, 10);
    assert_false(due_at(&pace, 4));
    assert_true(due_at(&pace, 12)); /* step 10 was missed */
    assert_false(due_at(&pace, 19));
    assert_true(due_at(&pace, 20)); /* the grid of steps does not move */
    assert_true(due_at(&pace, 55)); /* one sample instead of steps 30, 40 and 50 */
    assert_false(due_at(&pace, 59));
    assert_true(due_at(&pace, 60));
}

static void test_standing_still_is_said(void **state)
{
    struct lkd_pace pace;

    (void)state;
    lkd_pace_begin(&pace, 10);
    assert_true(due_at(&pace, 10));
    assert_false(due_at(&pace, 13));
    assert_true(due(&pace, 13, 14, LKD_CYCLE_PAUSED)); /* a change of state is published at once */
    for (uint64_t cycle = 15; cycle < 24; cycle++)
        assert_false(due(&pace, 13, cycle, LKD_CYCLE_PAUSED));
    assert_true(due(&pace, 13, 24, LKD_CYCLE_PAUSED));
    assert_false(due(&pace, 14, 25, LKD_CYCLE_RUNNING)); /* 14 is no multiple of 10 */
    assert_true(due(&pace, 14, 26, LKD_CYCLE_FAULT));
}

/* ---- the sample ---- */

#define N_VALUES 2

/* Return a record with two values and stamps of three benches, one of which has not sent a message
 * yet. */
static struct lkd_output *make_record(void)
{
    static struct lkd_output *record;

    if (!record)
        record = malloc(sizeof(*record) + N_VALUES * sizeof(double));
    *record = (struct lkd_output){
        .figures = {.state = LKD_CYCLE_RUNNING,
                    .step = 42,
                    .time_s = 0.042,
                    .deadline_ns = 1000,
                    .computed_ns = 2000,
                    .flags = LINKAGE__V1__FLAG__FLAG_STALE},
        .n_stamps = 3,
        .stamp = {{0}, {3, 77, 12345, 800, 900, 41}, {4, 78, 54321, 801, 901, 40}},
    };
    record->values[0] = 1.5;
    record->values[1] = -2;
    return record;
}

static void test_a_sample_says_it_all(void **state)
{
    const struct lkd_run_facts facts = {99, LKD_MODE_LOCKSTEP, true};
    const struct lkd_wall_clock clock = {.synchronised = true, .uncertainty_ns = 7000};
    struct lkd_output *record = make_record();
    struct lkd_outgoing out;
    const Linkage__V1__OutputSample *s = &out.sample;

    (void)state;
    lkd_outgoing_fill(&out, record, 2, &facts, LINKAGE__V1__STATE__STATE_UNSPECIFIED, &clock);
    lkd_outgoing_stamp(&out, 5);
    assert_int_equal(s->sequence, 5);
    assert_int_equal(s->step, 42);
    assert_int_equal(s->state, LINKAGE__V1__STATE__STATE_RUNNING);
    assert_int_equal(s->mode, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    assert_int_equal(s->model_id, 99);
    assert_int_equal(s->daemon_id, lkd_daemon_id());
    assert_true(s->degraded);
    assert_int_equal(s->flags, LINKAGE__V1__FLAG__FLAG_STALE | LINKAGE__V1__FLAG__FLAG_DEGRADED);
    assert_int_equal(s->clock->id, LINKAGE__V1__CLOCK__ID__ID_UTC);
    assert_true(s->clock->synchronised);
    assert_int_equal(s->clock->uncertainty_ns, 7000);
    assert_true(s->utc_ns > UINT64_C(1700000000000000000));
    assert_int_equal(s->n_values, 2);
    assert_true(s->values[1] == -2);
}

/* One echo for each bench that has sent a message, with its own stamps. */
static void test_echoes(void **state)
{
    const struct lkd_run_facts facts = {0};
    const struct lkd_wall_clock clock = {0};
    struct lkd_output *record = make_record();
    struct lkd_outgoing out;

    (void)state;
    lkd_outgoing_fill(&out, record, 2, &facts, LINKAGE__V1__STATE__STATE_FAULT, &clock);
    assert_int_equal(out.sample.state, LINKAGE__V1__STATE__STATE_FAULT);
    assert_int_equal(out.sample.n_echoes, 2);
    assert_int_equal(out.sample.echoes[0]->claim, 3);
    assert_int_equal(out.sample.echoes[0]->sequence, 77);
    assert_int_equal(out.sample.echoes[0]->origin_ns, 12345);
    assert_int_equal(out.sample.echoes[0]->received_ns, 800);
    assert_int_equal(out.sample.echoes[0]->latched_ns, 900);
    assert_int_equal(out.sample.echoes[0]->latched_step, 41);
    assert_int_equal(out.sample.echoes[1]->claim, 4);
}

/* The largest possible sample fits, also within a stream. */
static void test_the_largest_sample_fits(void **state)
{
    const struct lkd_run_facts facts = {UINT64_MAX, LKD_MODE_ASAP, true};
    const struct lkd_wall_clock clock = {true, UINT64_MAX, 0, 0};
    Linkage__V1__StreamSample stream = LINKAGE__V1__STREAM_SAMPLE__INIT;
    size_t n = (size_t)LKD_PUBLISHER_OUTPUTS_MAX;
    struct lkd_output *output = calloc(1, sizeof(*output) + n * sizeof(double));
    struct lkd_outgoing out;

    (void)state;
    memset(&output->figures, 0xff, sizeof(output->figures));
    memset(output->stamp, 0xff, sizeof(output->stamp));
    output->n_stamps = LKD_STAMPS;
    lkd_outgoing_fill(&out, output, (int)n, &facts, LINKAGE__V1__STATE__STATE_FAULT, &clock);
    lkd_outgoing_stamp(&out, UINT64_MAX);
    out.sample.daemon_id = UINT64_MAX;
    stream.stream = UINT64_MAX;
    stream.sample = &out.sample;
    assert_true(lk_wire_encoded_size(&stream.base) <= LK_WIRE_SAMPLE_MAX);
    free(output);
}

/* ---- topics ---- */

static struct lkd_topics topics;

static bool hear(unsigned char sign, const void *topic, size_t size)
{
    unsigned char message[64] = {sign};

    memcpy(message + 1, topic, size);
    return lkd_topics_hear(&topics, message, size + 1);
}

static int clear_topics(void **state)
{
    (void)state;
    memset(&topics, 0, sizeof(topics));
    return 0;
}

#define STREAM "\x09\x01\x02\x03\x04\x05\x06\x07\x08"
#define OTHER  "\x09\x01\x02\x03\x04\x05\x06\x07\x09"

static bool wanted(const char *topic)
{
    return lkd_topics_wanted(&topics, (const unsigned char *)topic);
}

static void test_a_topic_and_its_beginnings(void **state)
{
    (void)state;
    assert_false(wanted(STREAM));
    assert_true(hear(1, STREAM, 9));
    assert_true(wanted(STREAM));
    assert_false(wanted(OTHER));
    assert_true(hear(0, STREAM, 9));
    assert_false(wanted(STREAM));
    for (size_t size = 0; size < 9; size++) { /* all outputs, all streams, some streams */
        assert_true(hear(1, STREAM, size));
        assert_true(wanted(STREAM) && wanted(OTHER));
        assert_true(hear(0, STREAM, size));
        assert_false(wanted(STREAM));
    }
}

/* A topic longer than a stream's number is a prefix of its messages, so it counts as a subscription
 * of the stream. */
static void test_longer_topics_count_for_their_stream(void **state)
{
    (void)state;
    assert_true(hear(1, STREAM "\x12", 10));
    assert_true(hear(1, STREAM "\x13", 10));
    assert_true(hear(0, STREAM "\x12", 10));
    assert_true(wanted(STREAM));
    assert_true(hear(0, STREAM "\x13", 10));
    assert_false(wanted(STREAM));
}

static void test_what_is_no_stream_is_passed_over(void **state)
{
    (void)state;
    assert_false(hear(1, "\x08", 1));
    assert_false(hear(1, "\x0a", 1));
    assert_false(hear(2, STREAM, 9));
    assert_false(lkd_topics_hear(&topics, (const unsigned char *)"", 0));
    assert_true(hear(0, STREAM, 9)); /* no earlier subscription */
    assert_int_equal(topics.n, 0);
}

/* Many new topics displace only topics that no stream uses. */
static void test_a_flood_of_topics(void **state)
{
    (void)state;
    assert_true(hear(1, STREAM, 9));
    assert_true(wanted(STREAM));
    for (uint64_t i = 0; i < 3 * LKD_TOPICS_MAX; i++) {
        unsigned char topic[LKD_TOPIC_SIZE];

        lkd_stream_topic(i << 8, topic);
        hear(1, topic, sizeof(topic));
    }
    assert_true(wanted(STREAM));
    assert_int_equal(topics.n, LKD_TOPICS_MAX);
    assert_int_equal(topics.forgotten, 2 * LKD_TOPICS_MAX + 1);
}

/* ---- streams ---- */

#define S INT64_C(1000000000)

/** struct pair - the channel of the outputs: @out the daemon's end, @in the line's. */
struct pair {
    int fd[2];
    struct lkd_port out;
    struct lkd_port in;
    struct lkd_streams streams;
};

static int open_pair(void **state)
{
    struct pair *p = calloc(1, sizeof(*p));

    if (lkd_port_pair(p->fd) || lkd_port_init(&p->out, p->fd[0], LK_WIRE_SAMPLE_MAX) ||
        lkd_port_init(&p->in, p->fd[1], LK_WIRE_SAMPLE_MAX))
        return -1;
    *state = p;
    return lkd_streams_init(&p->streams, &p->out, NULL);
}

static int close_pair(void **state)
{
    struct pair *p = *state;

    lkd_streams_fini(&p->streams);
    lkd_port_fini(&p->out);
    lkd_port_fini(&p->in);
    close(p->fd[0]);
    close(p->fd[1]);
    free(p);
    return 0;
}

/* Report a subscription, or its end, as an XPUB socket does. */
static void subscribe(struct pair *p, bool comes, const unsigned char *topic)
{
    unsigned char message[1 + LKD_TOPIC_SIZE] = {comes};

    memcpy(message + 1, topic, LKD_TOPIC_SIZE);
    assert_true(lkd_port_send_bytes(&p->in, message, sizeof(message)));
}

static int add(struct pair *p, const int *from, int n, uint64_t divisor, int64_t now_ns,
               uint64_t *ret_id)
{
    struct lkd_selection selection = {.from = from, .n_values = n, .divisor = divisor};
    char name[16];

    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "o%d", from[i]);
        selection.hash = lkd_stream_hash(selection.hash, name);
    }
    return lkd_streams_add(&p->streams, &selection, now_ns, ret_id);
}

static void expect_subscription(struct pair *p, int64_t now_ns, bool subscribed)
{
    lkd_streams_tick(&p->streams, now_ns);
    assert_int_equal(p->streams.stream[0].subscribed, subscribed);
}

static void test_the_same_request_is_the_same_stream(void **state)
{
    struct pair *p = *state;
    uint64_t a, b, other;

    assert_int_equal(add(p, (int[]){0, 1}, 2, 4, 0, &a), 0);
    assert_int_equal(add(p, (int[]){0, 1}, 2, 4, 0, &b), 0);
    assert_true(a != 0 && a == b);
    assert_int_equal(p->streams.n, 1);
    assert_int_equal(add(p, (int[]){1, 0}, 2, 4, 0, &other), 0);
    assert_true(other != a);
    assert_int_equal(add(p, (int[]){0, 1}, 2, 5, 0, &other), 0);
    assert_true(other != a);
    assert_int_equal(p->streams.n, 3);
}

/* A bench that outlives the daemon can use its topic again: the number of a stream depends only on
 * its selection of outputs. */
static void test_the_number_is_always_the_same(void **state)
{
    struct pair *p = *state;
    uint64_t id;

    assert_int_equal(add(p, (int[]){0, 1}, 2, 4, 0, &id), 0);
    assert_int_equal(id, UINT64_C(0x3cd02a43e0bf2ea6));
}

/* Two selections with equal hashes are two streams. */
static void test_equal_hashes(void **state)
{
    const int from[2] = {0, 1};
    struct lkd_selection one = {42, from, 2, 1}, two = {42, from, 1, 1};
    struct pair *p = *state;
    uint64_t a, b;

    assert_int_equal(lkd_streams_add(&p->streams, &one, 0, &a), 0);
    assert_int_equal(lkd_streams_add(&p->streams, &two, 0, &b), 0);
    assert_true(a != b);
    assert_int_equal(lkd_streams_add(&p->streams, &two, 0, &a), 0);
    assert_true(a == b);
}

static void test_a_stream_nobody_takes_ends(void **state)
{
    struct pair *p = *state;
    uint64_t id;

    assert_int_equal(add(p, (int[]){0}, 1, 1, 10 * S, &id), 0);
    lkd_streams_tick(&p->streams, 14 * S);
    assert_int_equal(p->streams.n, 1);
    assert_int_equal(add(p, (int[]){0}, 1, 1, 14 * S, &id), 0); /* the request is repeated */
    lkd_streams_tick(&p->streams, 18 * S);
    assert_int_equal(p->streams.n, 1);
    lkd_streams_tick(&p->streams, 19 * S);
    assert_int_equal(p->streams.n, 0);
}

static void test_a_stream_lives_with_its_subscriber(void **state)
{
    unsigned char topic[LKD_TOPIC_SIZE];
    struct pair *p = *state;
    uint64_t id;

    assert_int_equal(add(p, (int[]){0}, 1, 1, 0, &id), 0);
    lkd_stream_topic(id, topic);
    subscribe(p, true, topic);
    expect_subscription(p, 0, true);
    lkd_streams_tick(&p->streams, 1000 * S);
    assert_int_equal(p->streams.n, 1);
    subscribe(p, false, topic);
    expect_subscription(p, 2000 * S, false);
    lkd_streams_tick(&p->streams, 2004 * S);
    assert_int_equal(p->streams.n, 1);
    lkd_streams_tick(&p->streams, 2005 * S);
    assert_int_equal(p->streams.n, 0);
}

/* A bench may subscribe to a stream before it exists, as when it was connected to the daemon before
 * its restart. */
static void test_a_subscription_before_its_stream(void **state)
{
    unsigned char topic[LKD_TOPIC_SIZE];
    struct pair *p = *state;
    uint64_t id;

    assert_int_equal(add(p, (int[]){0}, 1, 1, 0, &id), 0);
    lkd_stream_topic(id, topic);
    subscribe(p, true, topic);
    expect_subscription(p, 0, true);
    lkd_streams_end(&p->streams); /* a model is unloaded */
    assert_int_equal(add(p, (int[]){0}, 1, 1, 0, &id), 0);
    assert_true(p->streams.stream[0].subscribed);
}

/* After a restart of the line process there are no subscribers until they subscribe again. */
static void test_another_line_has_no_subscribers(void **state)
{
    unsigned char topic[LKD_TOPIC_SIZE];
    struct pair *p = *state;
    uint64_t id;

    assert_int_equal(add(p, (int[]){0}, 1, 1, 0, &id), 0);
    lkd_stream_topic(id, topic);
    subscribe(p, true, topic);
    expect_subscription(p, 0, true);
    assert_true(lkd_port_send(&p->in, &(struct lkd_message){.kind = LKD_FRAME_OPENED}, false));
    expect_subscription(p, 10 * S, false);
    subscribe(p, true, topic);
    expect_subscription(p, 11 * S, true);
    subscribe(p, false, topic); /* once: earlier subscriptions are forgotten */
    expect_subscription(p, 12 * S, false);
}

static void test_no_more_than_there_may_be(void **state)
{
    struct pair *p = *state;
    uint64_t id;

    for (int i = 0; i < LKD_STREAMS_MAX; i++)
        assert_int_equal(add(p, &i, 1, 1, 0, &id), 0);
    assert_int_equal(add(p, (int[]){1000}, 1, 1, 0, &id), LKD_STREAM_E_MANY);
    assert_int_equal(add(p, (int[]){3}, 1, 1, 0, &id), 0); /* this stream already exists */
}

/* Messages of a stream begin with its topic, have the values that it selects, and have a counter of
 * their own. */
static void test_samples_of_a_stream(void **state)
{
    const struct lkd_run_facts facts = {1, LKD_MODE_REALTIME, false};
    const struct lkd_wall_clock clock = {0};
    struct lkd_output *record = make_record();
    unsigned char topic[LKD_TOPIC_SIZE];
    Linkage__V1__StreamSample *sample;
    struct lkd_message message;
    struct pair *p = *state;
    struct lkd_outgoing out;
    uint64_t id;

    assert_int_equal(add(p, (int[]){1}, 1, 2, 0, &id), 0);
    lkd_stream_topic(id, topic);
    subscribe(p, true, topic);
    expect_subscription(p, 0, true);
    for (record->figures.step = 40; record->figures.step < 46; record->figures.step++) {
        lkd_outgoing_fill(&out, record, 2, &facts, LINKAGE__V1__STATE__STATE_UNSPECIFIED, &clock);
        lkd_streams_send(&p->streams, record, &out, false);
    }
    for (uint64_t i = 1; i <= 3; i++) {
        assert_true(lkd_port_receive(&p->in, &message));
        assert_memory_equal(message.data, topic, sizeof(topic));
        sample = linkage__v1__stream_sample__unpack(NULL, message.size, message.data);
        assert_int_equal(sample->stream, id);
        assert_int_equal(sample->sample->sequence, i);
        assert_int_equal(sample->sample->step, 38 + 2 * i);
        assert_int_equal(sample->sample->n_values, 1);
        assert_true(sample->sample->values[0] == -2);
        assert_int_equal(sample->sample->n_echoes, 2);
        linkage__v1__stream_sample__free_unpacked(sample, NULL);
    }
    assert_false(lkd_port_receive(&p->in, &message));
}

/* All outputs at each third step. The number of published samples is counted from the beginning of
 * the run. */
static void test_all_outputs(void **state)
{
    const struct lkd_run_facts facts = {1, LKD_MODE_REALTIME, false};
    const struct lkd_wall_clock clock = {0};
    struct lkd_output *record = make_record();
    struct lkd_publisher publisher;
    struct lkd_message message;
    struct pair *p = *state;
    struct lkd_outgoing out;
    int n_due = 0;

    assert_int_equal(lkd_publisher_init(&publisher, &p->out, 3), 0);
    for (record->figures.step = 40; record->figures.step <= 48; record->figures.step++) {
        if (!lkd_publisher_due(&publisher, &record->figures))
            continue;
        n_due++;
        lkd_outgoing_fill(&out, record, 2, &facts, LINKAGE__V1__STATE__STATE_UNSPECIFIED, &clock);
        assert_true(lkd_publisher_send(&publisher, &out) > 0);
        assert_int_equal(publisher.published, n_due);
        assert_int_equal(publisher.sequence, n_due);
        assert_true(lkd_port_receive(&p->in, &message));
    }
    assert_int_equal(n_due, 3);
    lkd_publisher_begin(&publisher);
    assert_int_equal(publisher.published, 0);
    assert_int_equal(publisher.sequence, n_due);
    lkd_publisher_fini(&publisher);
}

/* ---- samples that are not sent ---- */

/* Return true if the latency budget knows the publication of @out, that is, if it accepts an answer
 * to it. */
static bool can_be_answered(struct lkd_segments *segments, const struct lkd_outgoing *out)
{
    const struct lkd_sample answer = {
        .reply_to = out->sample.sequence,
        .reply_published_ns = out->sample.published_ns,
        .reply_received_ns = 1,
        .origin_ns = 1,
        .received_ns = (int64_t)out->sample.published_ns,
    };
    struct lkd_segments_view view;

    lkd_segments_received(segments, NULL, &answer);
    lkd_segments_view(segments, 0, &view);
    return view.false_replies == 0;
}

/* If the channel is full, a sample that was not sent is neither counted as published nor used in
 * measurements. */
static void test_what_was_not_sent_does_not_count(void **state)
{
    const struct lkd_run_facts facts = {1, LKD_MODE_REALTIME, false};
    const struct lkd_wall_clock clock = {0};
    struct lkd_output *record = make_record();
    struct lkd_port nowhere = {.fd = -1, .size_max = LK_WIRE_SAMPLE_MAX};
    struct lkd_publisher publisher;
    struct lkd_streams streams;
    struct lkd_outgoing out;
    struct lkd_segments *segments;
    uint64_t id;

    (void)state;
    assert_int_equal(lkd_segments_new(&segments), 0);
    assert_int_equal(lkd_publisher_init(&publisher, &nowhere, 1), 0);
    assert_int_equal(lkd_streams_init(&streams, &nowhere, segments), 0);
    lkd_outgoing_fill(&out, record, 2, &facts, LINKAGE__V1__STATE__STATE_UNSPECIFIED, &clock);
    assert_int_equal(lkd_publisher_send(&publisher, &out), 0);
    assert_int_equal(publisher.published, 0);
    assert_int_equal(publisher.sequence, 1); /* subscribers see the gap */

    assert_int_equal(
        lkd_streams_add(
            &streams,
            &(struct lkd_selection){.hash = 5, .from = (int[]){0}, .n_values = 1, .divisor = 1}, 0,
            &id),
        0);
    streams.stream[0].subscribed = true;
    lkd_streams_send(&streams, record, &out, true);
    assert_int_equal(streams.stream[0].sequence, 1);
    assert_false(can_be_answered(segments, &out));
    lkd_streams_fini(&streams);
    lkd_publisher_fini(&publisher);
    lkd_segments_free(segments);
}

#define ON_TOPICS(test)  cmocka_unit_test_setup(test, clear_topics)
#define ON_STREAMS(test) cmocka_unit_test_setup_teardown(test, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_is_judged),
        cmocka_unit_test(test_clock_is_asked_once_a_second),
        cmocka_unit_test(test_every_multiple_is_due),
        cmocka_unit_test(test_an_overtaken_step_is_made_up_for),
        cmocka_unit_test(test_standing_still_is_said),
        cmocka_unit_test(test_a_sample_says_it_all),
        cmocka_unit_test(test_echoes),
        cmocka_unit_test(test_the_largest_sample_fits),
        ON_TOPICS(test_a_topic_and_its_beginnings),
        ON_TOPICS(test_longer_topics_count_for_their_stream),
        ON_TOPICS(test_what_is_no_stream_is_passed_over),
        ON_TOPICS(test_a_flood_of_topics),
        ON_STREAMS(test_the_same_request_is_the_same_stream),
        ON_STREAMS(test_the_number_is_always_the_same),
        ON_STREAMS(test_equal_hashes),
        ON_STREAMS(test_a_stream_nobody_takes_ends),
        ON_STREAMS(test_a_stream_lives_with_its_subscriber),
        ON_STREAMS(test_a_subscription_before_its_stream),
        ON_STREAMS(test_another_line_has_no_subscribers),
        ON_STREAMS(test_no_more_than_there_may_be),
        ON_STREAMS(test_all_outputs),
        ON_STREAMS(test_samples_of_a_stream),
        cmocka_unit_test(test_what_was_not_sent_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
