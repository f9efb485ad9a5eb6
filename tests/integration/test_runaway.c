/* SPDX-License-Identifier: Apache-2.0 */
/* What the policy does about the motion itself: a bench that drives the model beyond all bounds,
 * energy from no source, an iteration that does not converge, a change point, a body that turns far
 * in a step. */
#include "../kinked_rope.h"
#include "benches.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* A sled on a guide without end stops, with an unlimited force. */
static const char model[] = "linkage: 1\nname: runaway\n"
                            "bodies:\n"
                            "  post: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
                            "  sled: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                            "joints:\n"
                            "  foot: {type: fixed, bodies: [ground, post], point: [0, 1, 0]}\n"
                            "  guide: {type: prismatic, bodies: [ground, sled],\n"
                            "          point: [0, 0, 0], axis: [1, 0, 0]}\n"
                            "inputs:\n"
                            "  push: {type: joint-force, joint: guide}\n"
                            "outputs:\n"
                            "  travel: {type: joint-position, joint: guide}\n"
                            "solver: {step: 0.005}\n";

/* The pendulum falls and swings. In some steps it gains a little energy, which is a property of the
 * trapezoidal rule. */
static const char pendulum[] = "linkage: 1\nname: pendulum\ngravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  rod: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                               "joints:\n"
                               "  pin: {type: revolute, bodies: [ground, rod],\n"
                               "        point: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "outputs:\n"
                               "  angle: {type: joint-position, joint: pin}\n"
                               "solver: {step: 0.005}\n";

/* A parallelogram of cranks. A drive moves it to within 0.001 rad of its change point and back. */
static const char parallelogram[] =
    "linkage: 1\nname: parallelogram\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [1, 1, 1], position: [0.206334, 0.141161, 0]}\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], position: [0.912668, 0.282321, 0]}\n"
    "  rocker: {mass: 1, inertia: [1, 1, 1], position: [1.206334, 0.141161, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1],\n"
    "      coordinate: 0.6, drive: {harmonic: {amplitude: 0.2995, omega: 3, phase: 1.5708,\n"
    "      offset: 0.3005}}}\n"
    "  b: {type: revolute, bodies: [crank, rod], point: [0.412668, 0.282321, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, bodies: [rod, rocker], point: [1.412668, 0.282321, 0], axis: [0, 0, "
    "1]}\n"
    "  d: {type: revolute, bodies: [ground, rocker], point: [1, 0, 0], axis: [0, 0, 1]}\n"
    "outputs:\n"
    "  angle: {type: joint-position, joint: d}\n"
    "solver: {step: 0.005}\n";

static void open_runaway(struct harness *h, const char *config)
{
    char text[512];

    snprintf(text, sizeof(text), NOT_REALTIME "%s", config);
    harness_open(h, text);
    assert_int_equal(harness_load(h, "runaway.yaml", model)->result, RESULT(OK));
}

/* A bench sends a force that is far too large, as after an error of units. */
static void test_bounds_fault(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    struct harness h;
    struct bench b;
    time_t until;

    (void)state;
    open_runaway(&h, "");
    bench_open(&b, &h);
    bench_claim(&b, "bench", "push", NULL);
    harness_go(&h);
    runs_await_sample(&h, STATE(RUNNING));
    until = time(NULL) + PATIENCE_MS / 1000;
    /* several samples: a bench that was silent during arming must recover first */
    while (harness_command(&h, STATUS)->status->state == STATE(RUNNING) && time(NULL) < until)
        bench_feed(&b, 1e15, 1);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(FAULT));
    runs_says(status->fault, "body 'sled'");
    runs_says(status->fault, "limit of 1e+08 m");
    assert_true(status->speed < 1e5 && status->position < 1e8); /* last good steps */
    assert_true(harness_log_has(h.folder, "log", "fault: step "));
    assert_true(harness_log_has(h.folder, "log", "body 'sled' is away from the origin by"));
    assert_int_equal(benches_policy(&h, CONDITION(BOUNDS))->count, 1);
    assert_int_equal(benches_policy(&h, CONDITION(BOUNDS))->action, ACTION(FAULT));
    assert_string_equal(benches_policy(&h, CONDITION(BOUNDS))->limit, "1e+08 m, 100000 m/s");
    sample = runs_await_sample(&h, STATE(FAULT));
    assert_true(fabs(sample->values[0]) < 1e8); /* last good step */
    bench_close(&b);
    harness_close(&h);
}

/* With the action count the run continues, the condition is counted, and the log reports it
 * once. */
static void test_bounds_count(void **state)
{
    const double push = 1;
    struct harness h;

    (void)state;
    open_runaway(&h, "policy: {stale: count, bounds: {action: count, speed: 0.01}}\n");
    harness_go(&h);
    harness_set(&h, "push", &push, 1);
    harness_await_log(&h, "a body is beyond its bounds: up to", 1);
    assert_int_equal(benches_policy(&h, CONDITION(BOUNDS))->count, 1);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->speed > 0.01);
    harness_close(&h);
}

/* With limits that every step exceeds, the fault names its cause, and nothing of the step is
 * published. */
static void test_energy_jump(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, NOT_REALTIME "policy: {stale: count, energy_jump: {action: fault, "
                                  "limit: 1e-12}}\n");
    assert_int_equal(harness_load(&h, "pendulum.yaml", pendulum)->result, RESULT(OK));
    harness_go(&h);
    status = runs_await_state(&h, STATE(FAULT));
    runs_says(status->fault, "energy appears from nowhere: ");
    runs_says(status->fault, "% of that in the mechanism");
    assert_true(status->energy_jump <= 1e-12);
    assert_int_equal(benches_policy(&h, CONDITION(ENERGY_JUMP))->count, 1);
    assert_string_equal(benches_policy(&h, CONDITION(ENERGY_JUMP))->limit, "1e-10 %, fault at 90");
    harness_close(&h);
}

/* Energy that appears slowly is a fault by default, and the fault names the body with the largest
 * motion. */
static void test_energy_appears(void **state)
{
    struct harness h;

    (void)state;
    /* depending on round-off, the snap may also be an energy jump or violate a joint in the same
     * step */
    harness_open(&h, NOT_REALTIME "policy: {residual: count, energy_jump: {fault: 0}}\n");
    assert_int_equal(harness_load(&h, "rope.yaml", kinked_rope(2.5e-4))->result, RESULT(OK));
    harness_go(&h);
    runs_says(runs_await_state(&h, STATE(FAULT))->fault,
              "J appeared since the start that nothing put in");
    runs_says(harness_command(&h, STATUS)->status->fault, "; body 'p");
    assert_int_equal(benches_policy(&h, CONDITION(ENERGY))->action, ACTION(FAULT));
    harness_close(&h);
}

static void test_increment(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NOT_REALTIME "policy: {stale: count, increment: {limit: 1e-15, fault: 0}}\n");
    harness_load_model(&h);
    harness_go(&h);
    harness_await_log(&h, "the iteration does not converge: last increments of up to", 1);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->increment > 0);
    assert_true(benches_policy(&h, CONDITION(INCREMENT))->count > 0);
    assert_string_equal(benches_policy(&h, CONDITION(INCREMENT))->limit, "1e-15 m or rad");
    harness_close(&h);

    harness_open(&h, NOT_REALTIME "policy: {stale: count, increment: {limit: 1e-15, "
                                  "fault: 1e-15}}\n");
    harness_load_model(&h);
    harness_go(&h);
    runs_says(runs_await_state(&h, STATE(FAULT))->fault, "its last increment is");
    harness_close(&h);
}

static void test_pivot(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NOT_REALTIME "policy: {stale: count, pivot: {limit: 0.002}}\n");
    assert_int_equal(harness_load(&h, "parallelogram.yaml", parallelogram)->result, RESULT(OK));
    harness_go(&h);
    harness_await_log(&h, "a change point: rows of joints depend on others: up to", 1);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->dependent > 0);
    assert_true(benches_policy(&h, CONDITION(PIVOT))->count > 0);
    assert_string_equal(benches_policy(&h, CONDITION(PIVOT))->limit, "a share of 0.002");
    harness_close(&h);
}

static void test_turn(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NOT_REALTIME "policy: {stale: count, turn: {limit: 0.005}}\n");
    assert_int_equal(harness_load(&h, "pendulum.yaml", pendulum)->result, RESULT(OK));
    harness_go(&h);
    harness_await_log(&h, "a body turns far in a step: body 'rod' by up to", 1);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->turn > 0.005);
    assert_true(benches_policy(&h, CONDITION(TURN))->count > 0);
    assert_string_equal(benches_policy(&h, CONDITION(TURN))->limit, "0.005 rad a step");
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_fault), cmocka_unit_test(test_bounds_count),
        cmocka_unit_test(test_energy_jump),  cmocka_unit_test(test_energy_appears),
        cmocka_unit_test(test_increment),    cmocka_unit_test(test_pivot),
        cmocka_unit_test(test_turn),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
