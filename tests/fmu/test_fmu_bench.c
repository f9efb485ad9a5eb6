/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-fmu: a controller as a unit beside a real daemon, over real sockets. Claim, lease and
 * policy limit the effects of its faults.
 *
 * usage: test_fmu_bench DAEMON MODEL LINKAGE-FMU FOLDER-OF-UNITS */
#include "benches.h"
#include "linkage/linkage.h"
#include "runs.h"
#include "vault.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STEPS 300
#define KP    6.5
#define KI    4.0
#define GOAL  0.25
#define H     0.001

static const char *program, *units;

static const char text[] =
    "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\n"
    "bodies:\n  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "inputs:\n  motor: {type: joint-torque, joint: pin}\n"
    "outputs:\n  tip: {type: body-pose, body: arm}\n  angle: {type: joint-position, joint: pin}\n"
    "  rate: {type: joint-velocity, joint: pin}\n"
    "solver: {step: 0.001}\n";

#define MAPS                                                                                       \
    "--map rig:angle=y --map unit:u=motor --set kp=6.5 --set ki=4 --set set=0.25 --patience 60 "

/* Load the model of @text and arm. */
static void arm_rig(struct harness *h, Linkage__V1__Mode mode)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest ask = LINKAGE__V1__ARM_REQUEST__INIT;

    assert_int_equal(harness_load_as_it_is(h, "arm", text)->result, RESULT(OK));
    if (mode == LINKAGE__V1__MODE__MODE_REALTIME) {
        harness_arm(h);
        harness_expect(h, START, RESULT(OK), STATE(RUNNING));
        return;
    }
    ask.allow_degraded = true;
    ask.mode = mode;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &ask;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
    runs_await_state(h, STATE(ARMED));
}

static void open_rig(struct harness *h, Linkage__V1__Mode mode)
{
    harness_open(h,
                 NOT_REALTIME "inputs: {claims: required, lease: 3}\noverrun: {fault_in_a_row: 0}\n"
                              "policy: {stale: {action: zero, timeout: 500}}\n");
    arm_rig(h, mode);
}

/* Run linkage-fmu with a unit.
 * Return: the exit status
 * @said: its whole output */
static int run_unit(const struct harness *h, const char *unit, const char *more, char said[4096])
{
    char command[4096];
    FILE *pipe;
    size_t n;

    snprintf(command, sizeof(command), "%s %s/%s.fmu --control %s,%s,%s %s 2>&1", program, units,
             unit, h->endpoint[0], h->endpoint[1], h->endpoint[2], more);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(said, 1, 4095, pipe);
    said[n] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void expect_end(const struct harness *h, const char *unit, const char *more, int status,
                       const char *words)
{
    char said[4096];
    int was = run_unit(h, unit, more, said);

    if (was != status || strstr(said, words) == NULL ||
        (status == 1 && strchr(said, '\n') != said + strlen(said) - 1))
        fail_msg("%s: status %d, expected one line with '%s': %s", unit, was, words, said);
}

/* Compute the same loop in one process. */
static void compute(double *values)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    double u = 0, sum = 0;

    assert_int_equal(lk_model_read_text("arm", text, sizeof(text) - 1, &model, NULL), 0);
    assert_int_equal(lk_system_new(model, NULL, &system, NULL), 0);
    for (int i = 0; i < STEPS; i++) {
        volatile double error, part; /* rounded like in the unit: no fused products */

        assert_int_equal(lk_system_step(system, &u), 0);
        lk_system_outputs(system, values);
        error = GOAL - values[7];
        part = error * H;
        sum += part;
        part = KP * error;
        error = KI * sum;
        u = part + error;
    }
    lk_system_free(system);
    lk_model_free(model);
}

static void test_lockstep(void **state)
{
    static const char *const names[] = {"pi2", "pi3"};
    double expected[16];

    (void)state;
    compute(expected);
    assert_true(expected[7] != 0);
    for (int i = 0; i < 2; i++) {
        const Linkage__V1__OutputSample *sample;
        struct harness h;

        open_rig(&h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
        expect_end(&h, names[i], MAPS "--steps 300", 0, "{\"steps\": 300}");
        do {
            sample = harness_sample(&h, PATIENCE_MS);
            assert_non_null(sample);
        } while (sample->step == 0);
        /* Samples may be lost, also the last one. The request for the last step, sent again,
         * returns its reply. */
        sample = runs_ask_step(&h, sample->input_sequence + STEPS - sample->step, 1, NULL)->outputs;
        assert_non_null(sample);
        assert_int_equal(sample->step, STEPS);
        assert_memory_equal(sample->values, expected, 9 * sizeof(double));
        assert_int_equal(benches_inputs(&h)->n_claims, 0); /* no claim stays */
        harness_close(&h);
    }
}

static void test_realtime(void **state)
{
    char said[4096];
    struct harness h;
    const char *at;

    (void)state;
    open_rig(&h, LINKAGE__V1__MODE__MODE_REALTIME);
    if (run_unit(&h, "pi3", MAPS "--realtime --duration 1.5", said) != 0)
        fail_msg("%s", said);
    print_message("%s", said);
    at = strstr(said, "delay_median_s\": ");
    assert_non_null(at);
    assert_true(strtod(strchr(at, ':') + 1, NULL) > 0);
    assert_int_equal(benches_inputs(&h)->n_claims, 0);
    runs_await_state(&h, STATE(RUNNING));
    harness_close(&h);
}

/* A unit that fails sends no more samples. The policy sets its input to zero, its lease expires,
 * the run continues, and another bench can claim the channel. */
static void test_failures(void **state)
{
    static const struct {
        const char *more;
        const char *words;
    } cases[] = {
        {"--set mode=1", "the unit ended its process: Aborted"},
        {"--set mode=2", "the unit gives nan as u"},
        {"--set mode=3 --patience 0.5", "has not returned from a call for 0.5 s"},
        {"--set mode=4", "the unit does not step: status error"},
    };
    struct harness h;

    (void)state;
    open_rig(&h, LINKAGE__V1__MODE__MODE_REALTIME);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char more[512];

        snprintf(more, sizeof(more), MAPS "--realtime %s", cases[i].more);
        expect_end(&h, i % 2 ? "pi2" : "pi3", more, 1, cases[i].words);
        benches_await_lost(&h, "linkage-fmu");
        benches_await_acting(&h, "motor", 0);
        runs_await_state(&h, STATE(RUNNING));
    }
    /* the next unit gets the channel */
    expect_end(&h, "pi3", MAPS "--realtime --duration 0.5", 0, "delay_median_s");
    harness_close(&h);
}

/* In lockstep the run stops at the step at which the unit failed. */
static void test_failures_in_lockstep(void **state)
{
    struct harness h;

    (void)state;
    open_rig(&h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    expect_end(&h, "pi2", MAPS "--set mode=1", 1, "the unit ended its process: Aborted");
    assert_true(runs_await_state(&h, STATE(RUNNING))->step == 21);
    harness_close(&h);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *unit;
        const char *more;
        int status;
        const char *words;
    } cases[] = {
        {"out", MAPS, 1, "a file leads out of it: 'resources/../../../evil'"},
        {"root", MAPS, 1, "a file leads out of it: '/tmp/evil'"},
        {"bare", MAPS, 1, "cannot be loaded on this machine"},
        {"empty", MAPS, 1, "its modelDescription.xml is none"},
        {"xml", MAPS, 1, "its modelDescription.xml is none"},
        {"exchange", MAPS, 1, "it is not for co-simulation"},
        {"identifier", MAPS, 1, "its modelIdentifier is no identifier"},
        {"binary", MAPS, 1, "cannot be loaded on this machine"},
        {"text", MAPS, 1, "expected a unit of FMI"},
        {"cut", MAPS, 1, "expected a unit of FMI"},
        {"size", MAPS, 1, "it would fill more than 512 MiB"},
        {"large", MAPS, 1, "more than 16 MiB are in 'modelDescription.xml'"},
        {"folders", MAPS, 1, "it has too many folders"},
        {"none", MAPS, 1, "none.fmu: "},
        {"pi3", "--map rig:angle=q", 1, "the unit has no input 'q'"},
        {"pi3", "--map rig:angle=u", 1, "the unit has no input 'u'"},
        {"pi3", "--map unit:q=motor", 1, "the unit has no variable 'q'"},
        {"pi3", "--map rig:nothing=y", 1, "model 'arm' has no output 'nothing'"},
        {"pi3", "--map rig:tip=y", 1, "model 'arm' has no output 'tip' of one number"},
        {"pi3", "--map unit:u=nothing", 1, "model 'arm' has no input 'nothing'"},
        {"pi3", MAPS "--set nothing=1", 1, "the unit has no variable 'nothing'"},
        {"pi3", "", 2, "missing: '--map'"},
        {"pi3", "--map angle=y", 2, "not a map"},
        {"pi3", MAPS "--duration 1", 2, "does not fit: '--duration'"},
        {"pi3", MAPS "--set kp=nan", 2, "not a value"},
    };
    struct harness h;

    (void)state;
    open_rig(&h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_end(&h, cases[i].unit, cases[i].more, cases[i].status, cases[i].words);
    assert_int_equal(benches_inputs(&h)->n_claims, 0);
    harness_close(&h);
}

/* Return true if @folder has any entry, or @name in its only subfolder. */
static bool has_entry(const char *folder, const char *name)
{
    char command[512];

    snprintf(command, sizeof(command), "ls -d %s/*%s >/dev/null 2>&1", folder, name);
    return system(command) == 0;
}

/* A signal ends the program while it unpacks 19000 files, and its folder is removed. */
static void test_stopped_while_it_unpacks(void **state)
{
    char folder[] = "/tmp/test-fmu-XXXXXX", path[256];
    int status = -1;
    pid_t pid;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/many.fmu", units);
    pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", folder, 1);
        execl(program, program, path, "--map", "rig:angle=y", (char *)NULL);
        _exit(127);
    }
    for (int ms = 0; ms < 60000 && !has_entry(folder, "/resources/0"); ms++)
        usleep(1000);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_false(has_entry(folder, ""));
    assert_int_equal(rmdir(folder), 0);
}

static void expect_end_with_key(const struct vault *v, const char *key, int status,
                                const char *words)
{
    char more[1000];

    snprintf(more, sizeof(more), MAPS "--steps 300 --server-key %s/server --key %s/%s", v->folder,
             v->folder, key);
    expect_end(&v->h, "pi3", more, status, words);
}

/* A controller starts a rig with keys. A bench may then step it. */
static void test_keys(void **state)
{
    struct vault v;

    (void)state;
    vault_open(&v);
    vault_write_keys(&v);
    arm_rig(&v.h, LINKAGE__V1__MODE__MODE_LOCKSTEP);
    expect_end(&v.h, "pi3", "--map rig:angle=y --patience 2 --steps 1", 1, "keys");
    expect_end(&v.h, "pi3", MAPS "--key x", 2, "--server-key and --key");
    expect_end_with_key(&v, "shown", 1, "shown: others can read");
    expect_end_with_key(&v, "stranger", 1, "key");
    expect_end_with_key(&v, "bench", 1, "beyond the role");
    expect_end_with_key(&v, "controller", 0, "{\"steps\": 300}");
    vault_close(&v);
}

/* Without --control the endpoints are those of LINKAGE_ENDPOINT. A wrong value there does not
 * matter if the command line names endpoints or requests help. */
static void test_environment(void **state)
{
    static const struct {
        const char *environment, *more;
        int status;
        const char *words;
    } cases[] = {
        {"nowhere", MAPS, 2, "not an endpoint, or not three: 'nowhere'"},
        {"nowhere", "--help", 0, "$LINKAGE_ENDPOINT"},
        {"tcp://127.0.0.1:1", MAPS, 1, "tcp://127.0.0.1:1"},
        {"nowhere", "--control tcp://127.0.0.1:1", 2, "missing: '--map'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char command[1024], said[4096];
        FILE *pipe;
        size_t n;
        int status;

        snprintf(command, sizeof(command), "LINKAGE_ENDPOINT=%s %s %s/pi3.fmu %s 2>&1",
                 cases[i].environment, program, units, cases[i].more);
        pipe = popen(command, "r");
        assert_non_null(pipe);
        n = fread(said, 1, sizeof(said) - 1, pipe);
        said[n] = '\0';
        status = WEXITSTATUS(pclose(pipe));
        if (status != cases[i].status || !strstr(said, cases[i].words))
            fail_msg("%s: status %d: %s", command, status, said);
    }
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lockstep),    cmocka_unit_test(test_realtime),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_failures_in_lockstep),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_keys),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_stopped_while_it_unpacks),
    };

    program = argv[3];
    units = argv[4];
    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
