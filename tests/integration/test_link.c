/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-link: a machine that is split over two daemons moves like the machine in one daemon. The
 * tests use real daemons and real sockets. */
#include "benches.h"
#include "runs.h"
#include "vault.h"
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#define STEPS 600

static const char *program;

/* A pendulum. Its pin is coupled through a transmission line to the guide of a mass on a spring. */
#define ARM                                                                                        \
    "linkage: 1\nname: machine\ngravity: [0, -9.81, 0]\n"                                          \
    "bodies:\n"                                                                                    \
    "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
#define SLIDE                                                                                      \
    "  mass: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0.4, 0], velocity: [0, 1, 0]}\n"
#define ARM_JOINT                                                                                  \
    "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
#define SLIDE_JOINT                                                                                \
    "  guide: {type: prismatic, bodies: [ground, mass], point: [3, 0, 0], axis: [0, 1, 0]}\n"
#define SPRING                                                                                     \
    "  spring: {type: spring-damper, bodies: [ground, mass], points: [[3, 2, 0], [3, 0.4, 0]], "   \
    "stiffness: 200}\n"
#define ARM_OUT   "  x: {type: joint-position, joint: pin}\n"
#define SLIDE_OUT "  y: {type: joint-position, joint: guide}\n"
#define LAST      "  energy: {type: energy}\nsolver: {step: 0.001}\n"

static const char whole_text[] = ARM SLIDE
    "joints:\n" ARM_JOINT SLIDE_JOINT "forces:\n" SPRING
    "  line: {type: line, joints: [pin, guide], impedance: 30, delay: 0.004, ratio: [1, -0.5]}\n"
    "outputs:\n" ARM_OUT SLIDE_OUT LAST;

static const char arm_text[] =
    ARM "joints:\n" ARM_JOINT "forces:\n"
        "  port: {type: impedance, joint: pin, force: {input: wave}, damping: 30}\n"
        "inputs:\n  wave: {type: signal}\n"
        "outputs:\n" ARM_OUT "  port: {type: force, force: port}\n"
        "  work: {type: port-work, force: port}\n" LAST;

/* damping: ratio^2 impedance */
static const char slide_text[] =
    "linkage: 1\nname: slide\ngravity: [0, -9.81, 0]\nbodies:\n" SLIDE "joints:\n" SLIDE_JOINT
    "forces:\n" SPRING
    "  port: {type: impedance, joint: guide, force: {input: wave}, damping: 7.5}\n"
    "inputs:\n  wave: {type: signal}\n  other: {type: signal}\n"
    "outputs:\n" SLIDE_OUT "  port: {type: force, force: port}\n"
    "  work: {type: port-work, force: port}\n  heard: {type: input, input: other}\n" LAST;

static void arm(struct harness *h, Linkage__V1__Mode mode)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest ask = LINKAGE__V1__ARM_REQUEST__INIT;

    if (mode == LINKAGE__V1__MODE__MODE_REALTIME) {
        harness_arm(h); /* a failed proof on a busy machine is requested again */
        return;
    }
    ask.allow_degraded = true;
    ask.mode = mode;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &ask;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
    runs_await_state(h, STATE(ARMED));
}

static void open_with(struct harness *h, const char *name, const char *text, Linkage__V1__Mode mode)
{
    harness_open(h, NOT_REALTIME "inputs: {claims: required}\n"
                                 "overrun: {fault_in_a_row: 0}\n");
    assert_int_equal(harness_load_as_it_is(h, name, text)->result, RESULT(OK));
    arm(h, mode);
}

static pid_t link_pid; /* process of the last link */

static FILE *start_link(const struct harness *left, const struct harness *right, const char *more)
{
    char command[4096];
    FILE *pipe;

    snprintf(command, sizeof(command), "echo $$; exec %s --left %s,%s,%s --right %s,%s,%s %s 2>&1",
             program, left->endpoint[0], left->endpoint[1], left->endpoint[2], right->endpoint[0],
             right->endpoint[1], right->endpoint[2], more);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(command, sizeof(command), pipe));
    link_pid = (pid_t)strtol(command, NULL, 10);
    return pipe;
}

/* Wait until the link ends.
 * Return: the exit status
 * @text: output of the link */
static int end_link(FILE *pipe, char text[4096])
{
    size_t n = fread(text, 1, 4095, pipe);

    text[n] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static double number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    if (at == NULL)
        fail_msg("no %s in: %s", key, text);
    return strtod(strchr(at, ':') + 1, NULL);
}

/* Read output samples up to step @step or a later one. */
static void await_step(struct harness *h, uint64_t step, double *values)
{
    const Linkage__V1__OutputSample *sample;

    do {
        sample = harness_sample(h, PATIENCE_MS);
        assert_non_null(sample);
    } while (sample->step < step);
    memcpy(values, sample->values, sample->n_values * sizeof(double));
}

#define LINE "line:x,wave=y,wave,30,4,1,-0.5"

static void two_halves_are_the_whole(void **state)
{
    double expected[16], left[16], right[16], under_way;
    struct harness whole, a, b;
    char text[4096];

    (void)state;
    open_with(&whole, "whole", whole_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    harness_expect(&whole, START, RESULT(OK), STATE(RUNNING));
    memcpy(expected, runs_ask_step(&whole, 1, STEPS, NULL)->outputs->values, 4 * sizeof(double));
    harness_close(&whole);

    open_with(&a, "arm", arm_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    open_with(&b, "slide", slide_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    if (end_link(start_link(&a, &b, "--steps 600 " LINE " left:x=other"), text) != 0)
        fail_msg("%s", text);
    assert_true(number_of(text, "\"steps\"") == STEPS);
    await_step(&a, STEPS, left);
    await_step(&b, STEPS, right);
    print_message("%.3g rad, %.3g m; apart by %.2g and %.2g\n", expected[0], expected[1],
                  left[0] - expected[0], right[0] - expected[1]);
    assert_true(fabs(expected[0]) > 1e-3 && fabs(left[0] - expected[0]) < 1e-10);
    assert_true(fabs(right[0] - expected[1]) < 1e-10);

    /* energy balance: the line loses the energy that a port adds to its model */
    under_way = number_of(text, "under_way_j");
    assert_true(fabs(left[2] + number_of(text, "left_j")) < 1e-9);
    assert_true(fabs(right[2] + number_of(text, "right_j")) < 1e-9);
    assert_true(fabs(left[2] + right[2] + under_way) < 1e-9);
    assert_true(under_way > 0.01);

    /* no claim stays, and the second daemon has received x */
    assert_int_equal(benches_inputs(&a)->n_claims, 0);
    assert_int_equal(benches_inputs(&b)->n_claims, 0);
    assert_true(right[3] != 0);
    harness_close(&a);
    harness_close(&b);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        const char *more;
        int status;
        const char *words;
    } cases[] = {
        {"--steps 1 line:x,wave=y,wave,30,0", 2, "not a coupling: 'line:x"},
        {"--steps 1.5", 2, "not a number of steps: '1.5'"},
        {"--steps 1", 2, "missing: 'COUPLING'"},
        {"--steps 1 left:x", 2, "not a coupling: 'left:x'"},
        {"--duration 1 " LINE, 2, "does not fit: '--duration'"},
        {"--steps 1 left:z=other", 1, "left: model 'machine' has no output 'z'"},
        {"--steps 1 " LINE ",7", 2, "not a coupling"},
        {"--steps 1 right:y=other", 1, "left: model 'machine' has no input 'other'"},
    };
    struct harness a, b;
    char text[4096];

    (void)state;
    open_with(&a, "arm", arm_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    open_with(&b, "slide", slide_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int status = end_link(start_link(&a, &b, cases[i].more), text);

        if (status != cases[i].status || strstr(text, cases[i].words) == NULL)
            fail_msg("case %zu: status %d: %s", i, status, text);
    }
    assert_int_equal(benches_inputs(&a)->n_claims, 0);
    harness_close(&a);
    harness_close(&b);
}

/* If one daemon ends, the link ends too and releases the channels of the second daemon. */
static void one_end_is_the_end(void **state)
{
    struct harness a, b;
    char text[4096];
    double values[16];
    FILE *pipe;

    (void)state;
    open_with(&a, "arm", arm_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    open_with(&b, "slide", slide_text, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    pipe = start_link(&a, &b, LINE);
    await_step(&a, 50, values);
    kill(b.pid, SIGKILL);
    assert_int_equal(harness_wait(b.pid, PATIENCE_MS), 128 + SIGKILL);
    b.pid = 0;
    assert_int_equal(end_link(pipe, text), 1);
    assert_non_null(strstr(text, "linkage-link: right: "));
    assert_int_equal(benches_inputs(&a)->n_claims, 0);
    harness_close(&a);
    harness_close(&b);
}

/* In real time the delay is that of the line, and the link reports it. The end of a run ends the
 * link. */
static void in_real_time_it_tells_its_delay(void **state)
{
    struct harness a, b;
    char text[4096];

    (void)state;
    open_with(&a, "arm", arm_text, LINKAGE__V1__MODE__MODE_REALTIME);
    open_with(&b, "slide", slide_text, LINKAGE__V1__MODE__MODE_REALTIME);
    harness_expect(&a, START, RESULT(OK), STATE(RUNNING));
    harness_expect(&b, START, RESULT(OK), STATE(RUNNING));
    /* on a busy machine one side may send nothing for seconds */
    for (int duration = 2;; duration *= 3) {
        char options[100];

        snprintf(options, sizeof(options), "--realtime --duration %d " LINE, duration);
        if (end_link(start_link(&a, &b, options), text) != 0)
            fail_msg("%s", text);
        print_message("%s", text);
        if (number_of(text, "delay_median_s") > 0 && number_of(text, "left_j") != 0)
            break;
        assert_true(3 * duration < PATIENCE_MS / 1000);
    }
    harness_close(&a);
    harness_close(&b);
}

/* ---- daemons with keys ---- */

static void open_vault(struct vault *v, const char *name, const char *text)
{
    vault_open(v);
    vault_write_keys(v);
    assert_int_equal(harness_load_as_it_is(&v->h, name, text)->result, RESULT(OK));
    arm(&v->h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
}

/* @left:  key for the left side
 * @right: key for the right side */
static FILE *start_link_with(const struct vault *a, const struct vault *b, const char *left,
                             const char *right, const char *more)
{
    char keys[1000];

    snprintf(keys, sizeof(keys),
             "--left-server-key %s/server --left-key %s/%s --right-server-key %s/server "
             "--right-key %s/%s %s",
             a->folder, a->folder, left, b->folder, b->folder, right, more);
    return start_link(&a->h, &b->h, keys);
}

static void expect_refusal(FILE *pipe, int status, const char *words)
{
    char text[4096];
    int was = end_link(pipe, text);

    if (was != status || strstr(text, words) == NULL)
        fail_msg("status %d, no '%s': %s", was, words, text);
}

/* Each side has its own keys. A bench may step a run, but only a controller may start one. */
static void each_side_has_its_keys(void **state)
{
    struct vault a, b;
    char text[4096];

    (void)state;
    open_vault(&a, "arm", arm_text);
    open_vault(&b, "slide", slide_text);
    expect_refusal(start_link(&a.h, &b.h, "--steps 1 " LINE), 1, "left: ");
    expect_refusal(start_link(&a.h, &b.h, "--left-key x --steps 1 " LINE), 2,
                   "--left-server-key and --left-key");
    expect_refusal(start_link_with(&a, &b, "shown", "bench", "--steps 1 " LINE), 1,
                   "shown: others can read");
    expect_refusal(start_link_with(&a, &b, "controller", "stranger", "--steps 1 " LINE), 1,
                   "right: ");
    harness_expect(&a.h, STOP, RESULT(OK), STATE(ARMED)); /* the link had started the run */
    harness_expect(&a.h, RESET, RESULT(OK), STATE(ARMED));
    expect_refusal(start_link_with(&a, &b, "bench", "controller", "--steps 1 " LINE), 1,
                   "left: start is beyond the role");
    if (end_link(start_link_with(&a, &b, "controller", "controller", "--steps 20 " LINE), text))
        fail_msg("%s", text);
    harness_expect(&a.h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(&b.h, STOP, RESULT(OK), STATE(ARMED));
    harness_expect(&a.h, RESET, RESULT(OK), STATE(ARMED));
    harness_expect(&b.h, RESET, RESULT(OK), STATE(ARMED));
    harness_expect(&a.h, START, RESULT(OK), STATE(RUNNING));
    harness_expect(&b.h, START, RESULT(OK), STATE(RUNNING));
    if (end_link(start_link_with(&a, &b, "bench", "bench", "--steps 20 " LINE), text) != 0)
        fail_msg("%s", text);
    assert_true(number_of(text, "\"steps\"") == 20);
    vault_close(&a);
    vault_close(&b);
}

static uint64_t accepted(struct harness *h)
{
    return harness_command(h, STATUS)->status->inputs_accepted;
}

static void in_real_time_with_keys(void **state)
{
    struct vault a, b;
    char text[4096];
    FILE *pipe;

    (void)state;
    open_vault(&a, "arm", arm_text);
    open_vault(&b, "slide", slide_text);
    harness_arm(&a.h);
    harness_arm(&b.h);
    harness_expect(&a.h, START, RESULT(OK), STATE(RUNNING));
    harness_expect(&b.h, START, RESULT(OK), STATE(RUNNING));
    pipe = start_link_with(&a, &b, "bench", "bench", "--realtime --duration 60 " LINE);
    for (int i = 0; accepted(&a.h) == 0 || accepted(&b.h) == 0; i++) {
        assert_true(i < PATIENCE_MS / 20);
        benches_nap(20);
    }
    kill(link_pid, SIGINT);
    if (end_link(pipe, text))
        fail_msg("%s", text);
    assert_true(number_of(text, "samples") > 0);
    vault_close(&a);
    vault_close(&b);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_halves_are_the_whole),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(one_end_is_the_end),
        cmocka_unit_test(in_real_time_it_tells_its_delay),
        cmocka_unit_test(each_side_has_its_keys),
        cmocka_unit_test(in_real_time_with_keys),
    };

    program = argv[3];
    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
