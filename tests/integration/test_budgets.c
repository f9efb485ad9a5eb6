/* SPDX-License-Identifier: Apache-2.0 */
/* From input to effect: a sample acts exactly when the contract says, and the daemon's latency
 * budget shows the segments of a bench that answers over real sockets. */
#include "harness.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* a wheel of 200 kg m^2 without load, which only the input can accelerate */
static const char wheel[] =
    "linkage: 1\n"
    "name: wheel\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  wheel: {mass: 1, inertia: [200, 200, 200], position: [0, 0, 0]}\n"
    "joints:\n"
    "  axle: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "inputs:\n"
    "  torque: {type: joint-torque, joint: axle}\n"
    "outputs:\n"
    "  rate: {type: joint-velocity, joint: axle}\n"
    "solver: {formulation: ali3, step: %s, iterations: 3}\n";

/* offset between the clocks of bench and daemon: hours */
#define ELSEWHERE_NS UINT64_C(50000000000000)
/* Hold time of a slow bench, and its step: many times the delays of a machine that also runs other
 * tests. */
#define HOLD_NS   200000000
#define SLOW      "0.05"
#define SLOW_NS   50000000
#define N_ANSWERS 12
#define N_MOST    100

static uint64_t bench_now(void)
{
    return (uint64_t)harness_now_ns() + ELSEWHERE_NS;
}

static void nap(int64_t ns)
{
    const struct timespec time = {ns / 1000000000, ns % 1000000000};

    nanosleep(&time, NULL);
}

static void open_wheel(struct harness *h, const char *step)
{
    char text[sizeof(wheel) + 16];

    harness_open(h, NULL);
    snprintf(text, sizeof(text), wheel, step);
    assert_int_equal(harness_load(h, "wheel.yaml", text)->result, RESULT(OK));
}

static void send_sample(struct harness *h, const Linkage__V1__InputSample *sample)
{
    unsigned char buffer[512];
    size_t size;

    assert_int_equal(lk_wire_encode(&sample->base, buffer, sizeof(buffer), &size), 0);
    harness_send_bytes(h, buffer, size, 0);
}

static void send_torque(struct harness *h, uint64_t sequence, double torque)
{
    harness_send(h, sequence, 0, &torque, 1);
}

static const Linkage__V1__OutputSample *next(struct harness *h)
{
    const Linkage__V1__OutputSample *sample = harness_sample(h, PATIENCE_MS);

    assert_non_null(sample);
    assert_int_not_equal(sample->state, STATE(FAULT));
    assert_true(sample->n_values == 1);
    return sample;
}

/* ---- the contract ---- */

/* Check the first sample with an effect. @before: step of the sample published before it */
static void check_first(const Linkage__V1__OutputSample *sample, uint64_t before)
{
    const Linkage__V1__Echo *echo;

    assert_int_equal(sample->n_echoes, 1);
    echo = sample->echoes[0];
    assert_int_equal(echo->claim, 0);
    assert_int_equal(echo->sequence, 1);
    assert_int_equal(echo->origin_ns, 3);
    assert_true(echo->received_ns <= echo->latched_ns);
    assert_true(echo->latched_ns <= sample->computed_ns);
    assert_true(sample->computed_ns <= sample->published_ns);
    assert_true(before <= echo->latched_step && echo->latched_step < sample->step);
    if (sample->step != before + 1) /* the step between was not published */
        return;
    assert_int_equal(sample->step, echo->latched_step + 1);
    assert_true(echo->latched_ns >= sample->deadline_ns);
}

/* A sample that is latched at T(k) acts on [t_k, t_k + h]: the outputs of t_k do not contain its
 * effect, those of t_k + h do. The wheel is at rest, so the first effect is unambiguous. */
static void test_first_effect(void **state)
{
    struct harness h;
    int in_a_row = 0;

    (void)state;
    open_wheel(&h, "0.005");
    for (int trial = 0; trial < 8; trial++) {
        const Linkage__V1__OutputSample *sample;
        uint64_t before;

        harness_go(&h);
        /* the wheel is at rest, and each trial has another phase of the cycle */
        while ((sample = next(&h))->state != STATE(RUNNING) || sample->step < 3)
            ;
        nap(trial * 700000);
        send_torque(&h, 1, 10);
        do {
            before = sample->step;
            assert_int_equal(sample->n_echoes, 0);
        } while ((sample = next(&h))->values[0] == 0);
        in_a_row += sample->step == before + 1;
        check_first(sample, before);
        harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
        runs_await_sample(&h, STATE(ARMED)); /* the samples of this trial end here */
    }
    assert_true(in_a_row > 0);
    harness_close(&h);
}

/** struct change - the outputs of a step */
struct change {
    uint64_t step;
    double rate;
    uint64_t sequence;
    uint64_t latched_step;
};

/* Check that the rate increases by h torque / inertia in a step, so that each torque is visible in
 * an increment. */
static void check_change(const struct change *last, const struct change *now)
{
    const double h_by_inertia = harness_step_s(0.005) / 200;
    double torque = now->sequence ? (double)now->sequence : 0;
    double increment = now->rate - last->rate;

    if (now->step != last->step + 1) /* a record is missing: check the next */
        return;
    if (now->sequence != last->sequence)
        assert_int_equal(now->latched_step, last->step);
    if (fabs(increment - h_by_inertia * torque) > 1e-9)
        fail_msg("step %d: increment %.12g, but sample %d is said to act", (int)now->step,
                 increment, (int)now->sequence);
}

/* Many samples in a run, each with another torque: the torque that acts belongs to the sample in
 * the echo. */
static void test_each_effect(void **state)
{
    struct change last = {0}, now;
    int changes = 0;
    struct harness h;

    (void)state;
    open_wheel(&h, "0.005");
    harness_go(&h);
    while (changes < 60) {
        const Linkage__V1__OutputSample *sample = next(&h);

        if (sample->state != STATE(RUNNING))
            continue;
        now = (struct change){sample->step, sample->values[0], 0, 0};
        if (sample->n_echoes > 0) {
            now.sequence = sample->echoes[0]->sequence;
            now.latched_step = sample->echoes[0]->latched_step;
        }
        assert_int_equal(sample->input_sequence, now.sequence);
        if (last.step > 0)
            check_change(&last, &now);
        changes += now.sequence != last.sequence;
        last = now;
        if (sample->step % 3 == 0) {
            nap((int64_t)(sample->step % 7) * 600000);
            send_torque(&h, sample->step, (double)sample->step);
        }
    }
    harness_close(&h);
}

/* ---- the budget ---- */

static uint64_t claim_torque(struct harness *h, const char *bench)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    Linkage__V1__ClaimedChannel channel = LINKAGE__V1__CLAIMED_CHANNEL__INIT;
    Linkage__V1__ClaimedChannel *channels[] = {&channel};

    channel.name = (char *)"torque";
    claim.bench = (char *)bench;
    claim.channels = channels;
    claim.n_channels = 1;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = &claim;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
    assert_non_null(h->reply->claim);
    return h->reply->claim->token;
}

/* Answer the newest output sample after @hold_ns.
 * @shift_ns: error of the publication time that the answer claims */
static void answer(struct harness *h, uint64_t token, uint64_t sequence, int64_t hold_ns,
                   int64_t shift_ns)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    Linkage__V1__Clock clock = LINKAGE__V1__CLOCK__INIT;
    const Linkage__V1__OutputSample *output = next(h), *newer;
    double torque = 0;

    while ((newer = harness_sample(h, 0)))
        output = newer;
    sample.reply_received_ns = bench_now();
    sample.reply_to = output->sequence;
    sample.reply_published_ns = output->published_ns + (uint64_t)shift_ns;
    nap(hold_ns);
    sample.sequence = sequence;
    sample.token = token;
    sample.values = &torque;
    sample.n_values = 1;
    clock.id = LINKAGE__V1__CLOCK__ID__ID_MONOTONIC;
    clock.synchronised = 1; /* a false claim */
    sample.clock = &clock;
    sample.origin_ns = bench_now();
    send_sample(h, &sample);
}

static const Linkage__V1__LatencyBudget *budget_of(struct harness *h, const char *bench)
{
    const Linkage__V1__Evidence *e = runs_ask_evidence(h, true, false)->evidence;

    assert_non_null(e);
    for (size_t i = 0; i < e->n_budgets; i++)
        if (strcmp(e->budgets[i]->bench, bench) == 0)
            return e->budgets[i];
    fail_msg("no budget of bench '%s'", bench);
    return NULL;
}

/* If a bench holds each sample for some time, this time is counted for the bench, not for the
 * wire. */
static void test_hold(void **state)
{
    const Linkage__V1__LatencyBudget *b;
    uint64_t token, n;
    struct harness h;

    (void)state;
    open_wheel(&h, SLOW);
    token = claim_torque(&h, "rig");
    harness_go(&h);
    while (next(&h)->state != STATE(RUNNING))
        ;
    /* on a busy machine the step with an answer may not be published, and waits may be long */
    for (n = 1; n <= N_MOST; n++) {
        answer(&h, token, n, HOLD_NS, 0);
        harness_await_counts(&h, n, 0);
        b = budget_of(&h, "rig");
        if (n >= N_ANSWERS && b->publish->count >= N_ANSWERS * 3 / 4 &&
            b->wire->p50_ns < HOLD_NS / 2 && b->wait->p50_ns < 2 * SLOW_NS)
            break;
    }
    assert_int_equal(b->claim, 1);
    assert_int_equal(b->wire->count, n);
    assert_int_equal(b->bench_hold->count, n);
    assert_true(b->bench_hold->p50_ns >= HOLD_NS);
    assert_true(b->wire->p50_ns < HOLD_NS / 2);
    assert_in_range(b->wait->count, N_ANSWERS * 3 / 4, n);
    assert_true(b->step->count == b->wait->count && b->publish->count == b->wait->count);
    /* a sample waits for the next grid point, at most one period if all cycles are in time */
    assert_true(b->wait->p50_ns < 2 * SLOW_NS);
    assert_true(b->step->p50_ns > 0 && b->step->p50_ns < SLOW_NS);
    assert_true(b->publish->p50_ns > 0 && b->publish->p50_ns < SLOW_NS);
    /* whatever the bench claims, its clock is not synchronised */
    assert_false(b->one_way);
    assert_null(b->wire_in);
    assert_null(b->wire_out);
    assert_int_equal(b->uncertainty_ns, 0);
    harness_close(&h);
}

/* An answer to a sample that was never published is not measured, but reported. */
static void test_false_reply(void **state)
{
    const Linkage__V1__LatencyBudget *b;
    struct harness h;

    (void)state;
    open_wheel(&h, "0.005");
    harness_go(&h);
    while (next(&h)->state != STATE(RUNNING))
        ;
    for (uint64_t i = 1; i <= 5; i++)
        answer(&h, 0, i, 1000000, -3000000); /* faster than the wire can be */
    harness_await_counts(&h, 5, 0);
    b = budget_of(&h, "");
    assert_int_equal(b->claim, 0);
    assert_int_equal(b->wire->count, 0);
    assert_int_equal(b->bench_hold->count, 0);
    assert_true(harness_log_has(h.folder, "log", "never published at that time"));
    answer(&h, 0, 6, 1000000, 0);
    harness_await_counts(&h, 6, 0);
    assert_int_equal(budget_of(&h, "")->wire->count, 1);

    /* counts of the next run start at zero */
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_int_equal(budget_of(&h, "")->wire->count, 1);
    harness_go(&h);
    assert_int_equal(runs_ask_evidence(&h, false, false)->evidence->n_budgets, 0);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_effect),
        cmocka_unit_test(test_each_effect),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_false_reply),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
