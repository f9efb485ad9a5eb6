/* SPDX-License-Identifier: Apache-2.0 */
/* A mass of 10 kg in the daemon and its spring on the bench: the effect of the loop over the line.
 * With a real daemon and real sockets. Prints the table of doc/bench.md. */
#include "benches.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MASS  10.0
#define SPEED 0.1 /* initial speed [m/s] */
#define H     0.001
#define STEPS 1000

static const char mass_text[] =
    "linkage: 1\n"
    "name: coupled\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  mass: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0.1, 0, 0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, bodies: [ground, mass], point: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  port: {type: impedance, joint: guide, stiffness: {input: stiffness}, rest: {input: rest}}\n"
    "inputs:\n"
    "  push: {type: joint-force, joint: guide}\n"
    "  stiffness: {type: signal, limits: [0, 1e7], rate: 1e12}\n"
    "  rest: {type: signal, limits: [-1, 1]}\n"
    "  told: {type: signal}\n"
    "outputs:\n"
    "  x: {type: joint-position, joint: guide}\n"
    "  v: {type: joint-velocity, joint: guide}\n"
    "  x_ahead: {type: joint-position, joint: guide, ahead: 0.001}\n"
    "  v_ahead: {type: joint-velocity, joint: guide, ahead: 0.001}\n"
    "  mobility: {type: mobility, input: push}\n"
    "  push_work: {type: port-work, input: push, told: {input: told}}\n"
    "  port_work: {type: port-work, force: port}\n"
    "  energy: {type: energy}\n"
    "solver: {step: 0.001}\n";

/* the outputs, in the order of the model */
enum { X, V, X_AHEAD, V_AHEAD, MOBILITY, PUSH_WORK, GAP, PORT_WORK, KINETIC, POTENTIAL, OUTPUTS };

/** enum way - how the bench couples its spring. BY_FORCE: force of the last position;
 * BY_LATE_FORCE: the same a step later; BY_IMPEDANCE: sends its stiffness; BY_MOBILITY: force at
 * the middle of the next step, solved with the port's mobility; BY_PREDICTION: the same a step
 * late, from outputs that are a step ahead */
enum way { BY_FORCE, BY_LATE_FORCE, BY_IMPEDANCE, BY_MOBILITY, BY_PREDICTION, WAYS };

/** struct spring - the spring of the bench.
 * @k:      stiffness
 * @acting: force that acts in the next step
 * @work:   its work so far */
struct spring {
    enum way way;
    double k;
    double acting;
    double work;
};

/* Return the force at the middle of a step that begins at @x with the speed @v, if no other force
 * acts. */
static double solve_middle(const struct spring *b, double x, double v, double mobility)
{
    return -b->k * (x + 0.5 * H * v) / (1 + 0.25 * H * H * b->k * mobility);
}

/* Return the force that the bench sends after it has received @y. It acts in the next step, or for
 * late couplings in the step after it. */
static double answer(const struct spring *b, const double *y, double before)
{
    double change = b->acting - before, x, v;

    switch (b->way) {
    case BY_FORCE:
    case BY_LATE_FORCE:
        return -b->k * y[X];
    case BY_MOBILITY:
        return solve_middle(b, y[X], y[V], y[MOBILITY]);
    case BY_PREDICTION: /* the model's prediction lacks the next force */
        x = y[X_AHEAD] + 0.5 * H * H * y[MOBILITY] * change;
        v = y[V_AHEAD] + H * y[MOBILITY] * change;
        return solve_middle(b, x, v, y[MOBILITY]);
    default:
        return 0;
    }
}

/* Send the inputs and make steps in lockstep. @slopes: NULL: none */
static const double *step_on(struct harness *h, uint64_t number, uint32_t steps,
                             const double values[4], const double *slopes)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StepRequest step = LINKAGE__V1__STEP_REQUEST__INIT;
    Linkage__V1__InputSample input = LINKAGE__V1__INPUT_SAMPLE__INIT;
    const Linkage__V1__ControlReply *reply;

    input.sequence = number;
    input.n_values = 4;
    input.values = (double *)values;
    input.slopes = (double *)slopes;
    input.n_slopes = slopes ? 4 : 0;
    step.steps = steps;
    step.number = number;
    step.input = values ? &input : NULL;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STEP;
    request.step = &step;
    do
        reply = harness_ask(h, &request);
    while (reply->result == RESULT(INTERNAL)); /* no time for the steps yet */
    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_int_equal(reply->outputs->n_values, OUTPUTS);
    return reply->outputs->values;
}

static const double *step_once(struct harness *h, uint64_t number, const double values[4])
{
    return step_on(h, number, 1, values, NULL);
}

static void arm_lockstep(struct harness *h)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest ask = LINKAGE__V1__ARM_REQUEST__INIT;

    ask.allow_degraded = true;
    ask.mode = LINKAGE__V1__MODE__MODE_LOCKSTEP;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &ask;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
    runs_await_state(h, STATE(ARMED));
}

static double amplitude(const struct spring *b, const double *y)
{
    double potential = 0.5 * b->k * y[X] * y[X];

    return sqrt(2 * (y[KINETIC] + potential) / MASS) / SPEED;
}

/* Run a second in lockstep.
 * Return: growth of the amplitude since the first step, in which a late bench does not push yet
 * @ret_error: largest distance from the exact oscillation, relative to its amplitude */
static double swing(struct harness *h, struct spring *b, double *ret_error)
{
    double late = b->way == BY_LATE_FORCE || b->way == BY_PREDICTION ? 1 : 0, w = sqrt(b->k / MASS);
    double y[OUTPUTS] = {[V] = SPEED, [X_AHEAD] = H * SPEED, [V_AHEAD] = SPEED, [MOBILITY] = 0.1};
    double before = 0, first = 1;

    *ret_error = 0;
    harness_expect(h, START, RESULT(OK), STATE(RUNNING));
    for (uint64_t n = 1; n <= STEPS; n++) {
        double next = answer(b, y, before), x = y[X], v = y[V], values[4] = {0}, way;

        before = b->acting;
        values[0] = late > 0 ? b->acting : next;
        values[1] = b->way == BY_IMPEDANCE ? b->k : 0;
        values[3] = b->way == BY_IMPEDANCE ? 0 : b->work;
        b->acting = next;
        memcpy(y, step_once(h, n, values), sizeof(y));
        way = y[X] - x;
        first = n == 1 ? amplitude(b, y) : first;
        b->work += 0.5 * H * values[0] * (v + y[V]) - values[1] * (x + 0.5 * way) * way;
        *ret_error = fmax(*ret_error, fabs(y[X] - SPEED / w * sin(w * H * (double)n)) * w / SPEED);
        /* energy balance of both ends, if the numbers are not too large */
        if (fabs(b->work) < 1) {
            assert_true(fabs(y[PUSH_WORK] + y[PORT_WORK] - b->work) < 1e-9);
            assert_true(fabs(y[GAP]) < 1e-9);
        }
    }
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(h, RESET, RESULT(OK), STATE(ARMED));
    return amplitude(b, y) / first;
}

/* bounds of the growth of each coupling, due to its delay, see doc/bench.md */
static const struct {
    double k;
    double least[WAYS];
    double most[WAYS];
} table[] = {
    {1e4, {1.2, 2.0, 0.999, 0.999, 0.999}, {1.4, 2.2, 1.001, 1.001, 1.001}},
    {1e5, {10, 1000, 0.999, 0.999, 0.999}, {13, 2000, 1.001, 1.001, 1.001}},
    {1e6, {1e10, 1e27, 0.999, 0.999, 0.999}, {1e11, 1e29, 1.001, 1.001, 1.001}},
};

/* Return the bound of the error. The step makes a period too long by (w h)^2 / 12, so after a
 * second the phase is behind by this part of w. With order 1 phase or amplitude would have an error
 * of w h / 2, which is fifty times more. */
static double right_to(double k)
{
    double w = sqrt(k / MASS);

    return fmin(1.1 * w * w * H * w * H / 12, 2.01);
}

static void test_what_a_line_makes_of_a_spring(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, "policy: {bounds: count, residual: count, energy_jump: {fault: 0}, increment: "
                     "{fault: 0}}\n");
    assert_int_equal(harness_load_as_it_is(&h, "coupled", mass_text)->result, RESULT(OK));
    arm_lockstep(&h);
    print_message("%8s %12s %12s %12s %12s %12s\n", "N/m", "force", "a step late", "impedance",
                  "mobility", "and ahead");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        double grown[WAYS], error[WAYS];

        for (int way = 0; way < WAYS; way++) {
            struct spring b = {.way = (enum way)way, .k = table[i].k};

            grown[way] = swing(&h, &b, &error[way]);
        }
        print_message("%8.0e %12.6g %12.6g %12.6g %12.6g %12.6g\n", table[i].k, grown[0], grown[1],
                      grown[2], grown[3], grown[4]);
        print_message("%8s %12.2g %12.2g %12.2g %12.2g %12.2g\n", "error", error[0], error[1],
                      error[2], error[3], error[4]);
        for (int way = BY_IMPEDANCE; way < WAYS; way++)
            if (!(error[way] < right_to(table[i].k)))
                fail_msg("%g N/m, way %d: off by %g", table[i].k, way, error[way]);
        for (int way = 0; way < WAYS; way++)
            if (!(grown[way] >= table[i].least[way] && grown[way] <= table[i].most[way]))
                fail_msg("%g N/m, way %d: %g", table[i].k, way, grown[way]);
    }
    harness_close(&h);
}

/* ---- a slow bench ---- */

#define HELD 10 /* number of steps per sample */

/* A bench of 100 Hz pulls the mass with a spring whose end it moves.
 * Return: position of the mass after a second. Samples contain the value at the middle of their
 * first step, or of their whole time if they have no slope */
static double pull(struct harness *h, bool sloped)
{
    const double w = 20;
    double x = 0;

    harness_expect(h, START, RESULT(OK), STATE(RUNNING));
    for (int i = 0; i < STEPS / HELD; i++) {
        double t = (i * HELD + 0.5) * H;
        const double values[4] = {0, 2000, 0.1 * sin(w * t), 0};
        const double slopes[4] = {0, 0, 0.1 * w * cos(w * t), 0};

        x = step_on(h, (uint64_t)i + 1, HELD, values, sloped ? slopes : NULL)[X];
    }
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(h, RESET, RESULT(OK), STATE(ARMED));
    return x;
}

/* Return the exact position: x'' = -p^2 (x - a sin w t), x(0) = 0, x'(0) = v. */
static double pulled(double t)
{
    double w = 20, p = sqrt(2000 / MASS), forced = 0.1 * p * p / (p * p - w * w);

    return forced * sin(w * t) + (SPEED - forced * w) / p * sin(p * t);
}

static double horizon_of(struct harness *h, int input)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__DescribeRequest describe = LINKAGE__V1__DESCRIBE_REQUEST__INIT;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    request.describe = &describe;
    return harness_ask(h, &request)->description->inputs[input]->horizon_s;
}

static void test_slopes_of_a_slow_bench(void **state)
{
    const double still[4] = {0}, values[4] = {0, 0, 0.5, 7}, slopes[4] = {0, 0, 40, 100};
    double held, sloped;
    struct harness h;

    (void)state;
    harness_open(&h, "inputs: {claims: optional, channels: {told: {extrapolate: 0.005}}}\n");
    assert_int_equal(harness_load_as_it_is(&h, "coupled", mass_text)->result, RESULT(OK));
    assert_true(horizon_of(&h, 2) == 0.02);
    assert_true(horizon_of(&h, 3) == 0.005);
    arm_lockstep(&h);
    held = fabs(pull(&h, false) - pulled(1));
    sloped = fabs(pull(&h, true) - pulled(1));
    print_message("after a second, m: held %.2g, with slopes %.2g\n", held, sloped);
    assert_true(sloped < 0.1 * held);

    /* the acting values step by step: the gap of the port is the error of the work that the bench
     * reported for the step before */
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    assert_true(step_on(&h, 1, 1, values, slopes)[GAP] == -7);
    for (uint64_t i = 1; i < 10; i++) {
        double told = 7 + 100 * H * (double)(i < 5 ? i : 5);

        assert_true(fabs(-step_on(&h, i + 1, 1, NULL, NULL)[GAP] - told) < 1e-12);
    }
    step_once(&h, 11, still);
    assert_true(step_on(&h, 12, 1, NULL, NULL)[GAP] == 0);
    harness_close(&h);
}

/* ---- in real time ---- */

static void go(struct harness *h, const char *config)
{
    harness_open(h, config);
    assert_int_equal(harness_load(h, "coupled", mass_text)->result, RESULT(OK));
    harness_arm(h);
}

/* Read the newest sample of a run, which is the one that a late bench answers.
 * @since: beginning of the run on the clock of deadlines; samples of the run before may still
 *         arrive
 * Return: its step */
static uint64_t read_newest(struct harness *h, int64_t since, double y[OUTPUTS])
{
    const Linkage__V1__OutputSample *sample = harness_sample(h, PATIENCE_MS);
    uint64_t step = 0;

    assert_non_null(sample);
    for (; sample; sample = harness_sample(h, 0)) {
        assert_int_not_equal(sample->state, STATE(FAULT));
        if (sample->state == STATE(RUNNING) && (int64_t)sample->deadline_ns > since) {
            step = sample->step;
            memcpy(y, sample->values, OUTPUTS * sizeof(double));
        }
    }
    return step;
}

/* Run for a second of the daemon's clock, beginning when the bench's first sample has acted.
 * Return: growth of the amplitude */
static double swing_by_the_clock(struct harness *h, const struct spring *b)
{
    uint64_t first = 0, step = 0, sequence = 0;
    int64_t since = harness_now_ns();
    double y[OUTPUTS], begin = 1;
    int by = b->way == BY_IMPEDANCE ? PORT_WORK : PUSH_WORK;

    harness_expect(h, START, RESULT(OK), STATE(RUNNING));
    while (first == 0 || step < first + STEPS / THINNED) {
        double values[4] = {0};

        step = read_newest(h, since, y);
        if (step == 0)
            continue;
        if (first == 0 && y[by] != 0) {
            begin = amplitude(b, y);
            first = step;
        }
        values[0] = answer(b, y, 0);
        values[1] = b->way == BY_IMPEDANCE ? b->k : 0;
        harness_send(h, ++sequence, 0, values, 4);
    }
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(h, RESET, RESULT(OK), STATE(ARMED));
    return pow(amplitude(b, y) / begin, (double)STEPS / (double)(step - first));
}

/* The same couplings in real time. Late forces grow at least as in lockstep. How much more depends
 * on the machine, and so does whether the force with mobility arrives in time: doc/bench.md has
 * numbers. */
static void test_what_a_clock_makes_of_a_spring(void **state)
{
    static const enum way ways[] = {BY_FORCE, BY_IMPEDANCE, BY_MOBILITY};
    struct harness h;

    (void)state;
    go(&h, NOT_REALTIME "inputs: {claims: optional}\n"
                        "overrun: {fault_in_a_row: 0, fault_in_window: 0}\n"
                        "policy: {stale: {action: count, timeout: 0}, bounds: count, residual: "
                        "count, energy_jump: {fault: 0}, increment: {fault: 0}}\n");
    print_message("%8s %12s %12s %12s\n", "N/m", "force", "impedance", "mobility");
    for (int i = 0; i < 3; i++) {
        print_message("%8.0e", table[i].k);
        for (int k = 0; k < 3; k++) {
            double grown;

            if ((i == 2 || SANITIZED) && ways[k] != BY_IMPEDANCE) { /* late: it overflows */
                print_message(" %12s", "-");
                continue;
            }
            grown = swing_by_the_clock(&h, &(struct spring){.way = ways[k], .k = table[i].k});
            print_message(" %12.6g", grown);
            assert_true(ways[k] != BY_FORCE || grown > table[i].least[BY_FORCE]);
            assert_true(ways[k] != BY_IMPEDANCE || fabs(grown - 1) < 0.01);
        }
        print_message("\n");
    }
    harness_close(&h);
}

/* Whatever the line does, an oscillation on a spring of 1e5 N/m that the bench sends as a stiffness
 * does not grow. */
static void test_in_real_time_nothing_grows(void **state)
{
    const struct spring b = {.way = BY_IMPEDANCE, .k = 1e5};
    const double stiffness = 1e5;
    uint64_t step = 0;
    struct harness h;

    (void)state;
    go(&h, NULL);
    assert_int_equal(harness_set(&h, "stiffness", &stiffness, 1)->result, RESULT(OK));
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    while (step < 2 * STEPS) {
        const Linkage__V1__OutputSample *sample = harness_sample(&h, PATIENCE_MS);

        assert_non_null(sample);
        if (sample->state != STATE(RUNNING) || sample->step == 0)
            continue;
        step = sample->step;
        assert_true(fabs(amplitude(&b, sample->values) - 1) < 0.01);
    }
    harness_close(&h);
}

/* After a bench falls silent, its values act until they are stale; then the stiffness is ramped to
 * 0 and the other values stay. */
static void test_a_silent_bench_lets_go(void **state)
{
    struct harness h;
    struct bench b;

    (void)state;
    go(&h, NOT_REALTIME "inputs: {lease: 60, channels: {rest: {action: hold, timeout: 300},\n"
                        "  stiffness: {action: ramp, value: 0, ramp: 0.05, timeout: 300}}}\n");
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    bench_open(&b, &h);
    bench_claim(&b, "rig", "stiffness", "rest");
    bench_send(&b, (const double[]){1e5, 0.25}, 2);
    bench_send(&b, (const double[]){-1, 0.5}, 2);
    benches_await_acting(&h, "rest", 0.25);
    benches_await_acting(&h, "stiffness", 0);
    assert_true(benches_input(&h, "rest")->acting[0] == 0.25);
    assert_int_equal(benches_claim(&h, "rig")->accepted, 1);
    assert_int_equal(benches_claim(&h, "rig")->refused, 1);
    bench_close(&b);
    harness_close(&h);
}

/* A bench that reports other work than it has done is detected. */
static void test_a_bench_that_tells_another_work(void **state)
{
    const double honest[4] = {5, 0, 0, 0}, other[4] = {5, 0, 0, 1};
    struct harness h;

    (void)state;
    harness_open(&h, "policy: {port: {action: fault, limit: 0.5}}\n");
    assert_int_equal(harness_load_as_it_is(&h, "coupled", mass_text)->result, RESULT(OK));
    arm_lockstep(&h);
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    step_once(&h, 1, honest);
    step_once(&h, 2, other);
    runs_ask_step_once(&h, 3, 1, NULL);
    runs_says(runs_await_state(&h, STATE(FAULT))->fault, "work of a port");
    assert_int_equal(benches_policy(&h, CONDITION(PORT))->count, 1);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_line_makes_of_a_spring),
        cmocka_unit_test(test_slopes_of_a_slow_bench),
        cmocka_unit_test(test_what_a_clock_makes_of_a_spring),
        cmocka_unit_test(test_in_real_time_nothing_grows),
        cmocka_unit_test(test_a_silent_bench_lets_go),
        cmocka_unit_test(test_a_bench_that_tells_another_work),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
