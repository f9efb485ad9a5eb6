/* SPDX-License-Identifier: Apache-2.0 */
/* A run is saved in a file and continued from it with the same bits, whatever happened in between.
 * Files that do not match the model change nothing. Also a model whose parameters come with the
 * request. */
#include "linkage/hash.h"
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COMMAND(name) LINKAGE__V1__CONTROL_REQUEST__COMMAND_##name
#define FOLDER        "snapshots: {directory: kept}\n"
#define STEPS         40

/* the motor's rate limit is below the jumps of torque() */
static const char driven[] =
    "linkage: 1\nname: driven\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  drag: {type: friction, joint: pin, coulomb: 1, wind_up: {}}\n"
    "inputs:\n  motor: {type: joint-torque, joint: pin, limits: [-10, 10], rate: 500}\n"
    "outputs:\n  angle: {type: joint-position, joint: pin}\n"
    "  acts: {type: input, input: motor}\n  work: {type: work}\n"
    "solver: {step: 0.001}\n";

static void open_daemon(struct harness *h)
{
    harness_open(h, FOLDER);
    runs_make_folder(h);
    assert_int_equal(harness_load(h, "driven.yaml", driven)->result, RESULT(OK));
}

static const Linkage__V1__ControlReply *ask_snapshot(struct harness *h, const char *name)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SnapshotRequest snapshot = LINKAGE__V1__SNAPSHOT_REQUEST__INIT;

    snapshot.name = (char *)name;
    request.command_case = COMMAND(SNAPSHOT);
    request.snapshot = &snapshot;
    return harness_ask(h, &request);
}

static const Linkage__V1__ControlReply *ask_restore(struct harness *h, const char *name)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__RestoreRequest restore = LINKAGE__V1__RESTORE_REQUEST__INIT;

    restore.name = (char *)name;
    request.command_case = COMMAND(RESTORE);
    request.restore = &restore;
    return harness_ask(h, &request);
}

static void arm_in_lockstep(struct harness *h)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;

    arm.mode = LINKAGE__V1__MODE__MODE_LOCKSTEP;
    request.command_case = COMMAND(ARM);
    request.arm = &arm;
    assert_int_equal(harness_ask(h, &request)->result, RESULT(OK));
}

/* Return the commanded torque of step @k. It jumps by more than the rate limit allows within a
 * step. */
static double torque(uint64_t k)
{
    return k % 7 < 3 ? 8 : -6 + 0.1 * (double)k;
}

/* Make @n steps from step @first on, one request for each.
 * @ret: outputs after the last step, to be freed
 * Return: number of outputs */
static size_t go(struct harness *h, uint64_t first, uint64_t n, double **ret)
{
    const Linkage__V1__ControlReply *reply = NULL;
    size_t size;

    for (uint64_t k = first; k < first + n; k++) {
        double value = torque(k);

        reply = runs_ask_step(h, k, 1, &value);
        assert_int_equal(reply->result, RESULT(OK));
        assert_int_equal(reply->outputs->step, k);
    }
    size = reply->outputs->n_values * sizeof(double);
    free(*ret);
    *ret = malloc(size);
    memcpy(*ret, reply->outputs->values, size);
    return size;
}

static void expect_from(struct harness *h, const char *name, uint64_t step, const double *expected,
                        double **found)
{
    size_t size;

    assert_int_equal(ask_restore(h, name)->result, RESULT(OK));
    assert_int_equal(h->reply->status->step, step);
    assert_int_equal(runs_ask_start(h, 0)->result, RESULT(OK));
    size = go(h, step + 1, 2 * STEPS - step, found);
    assert_memory_equal(*found, expected, size);
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
}

/* Restore a snapshot of a continuing run, of a paused run and of a finished run. */
static void test_goes_on_with_the_same_bits(void **state)
{
    double *expected = NULL, *found = NULL;
    struct harness h;

    (void)state;
    open_daemon(&h);
    assert_int_equal(ask_snapshot(&h, "start")->result, RESULT(OK));
    arm_in_lockstep(&h);
    assert_int_equal(runs_ask_start(&h, 2 * STEPS)->result, RESULT(OK));
    go(&h, 1, 3, &expected);
    assert_int_equal(ask_snapshot(&h, "third")->result, RESULT(OK));
    go(&h, 4, STEPS - 3, &expected);
    assert_int_equal(ask_snapshot(&h, "half")->result, RESULT(OK));
    go(&h, STEPS + 1, STEPS, &expected);
    runs_await_state(&h, STATE(PAUSED));
    assert_int_equal(ask_snapshot(&h, "end")->result, RESULT(OK));

    expect_from(&h, "half", STEPS, expected, &found);
    expect_from(&h, "start", 0, expected, &found);
    expect_from(&h, "third.snapshot", 3, expected, &found);
    /* a restore acts once: the next start is at t = 0 */
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    go(&h, 1, 2 * STEPS, &found);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_int_equal(ask_restore(&h, "end")->result, RESULT(OK));
    assert_int_equal(h.reply->status->step, 2 * STEPS);
    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    assert_int_equal(h.reply->status->step, 0);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    go(&h, 1, 5, &found);
    free(expected);
    free(found);
    harness_close(&h);
}

static void expect_refusal(struct harness *h, const Linkage__V1__ControlReply *reply,
                           const char *words)
{
    assert_int_not_equal(reply->result, RESULT(OK));
    runs_says(reply->text, words);
    (void)h;
}

/* Flip a bit of byte @at of a file, or cut the file after this byte. */
static void damage(const struct harness *h, const char *name, long at, bool cut)
{
    char path[256];
    FILE *f;
    int c;

    snprintf(path, sizeof(path), "%s/kept/%s.snapshot", h->folder, name);
    f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    c = fgetc(f);
    assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    if (cut)
        assert_int_equal(ftruncate(fileno(f), ftell(f)), 0);
    else
        fputc(c ^ 0x40, f);
    fclose(f);
}

/* Write @value at place @i of the inputs' values with the correct hash. Place 0 is the commanded
 * value and place 1 the acting one. */
static void forge(const struct harness *h, const char *name, int i, double value)
{
    unsigned char head[32];
    double values[2];
    char path[256];
    uint64_t sum;
    FILE *f;

    snprintf(path, sizeof(path), "%s/kept/%s.snapshot", h->folder, name);
    f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fread(head, sizeof(head), 1, f) + fread(values, sizeof(values), 1, f), 2);
    values[i] = value;
    sum = lk_hash(LK_HASH_BEGIN, values, sizeof(values));
    memcpy(head + sizeof(head) - sizeof(sum), &sum, sizeof(sum));
    rewind(f);
    assert_int_equal(fwrite(head, sizeof(head), 1, f) + fwrite(values, sizeof(values), 1, f), 2);
    assert_int_equal(fclose(f), 0);
}

static void test_forged_inputs_stay_within_limits(void **state)
{
    static const struct {
        double value;
        bool good;
    } forged[] = {{10, true},         {-10, true},        {0.5, true},
                  {10.000001, false}, {-1000, false},     {1e300, false},
                  {INFINITY, false},  {-INFINITY, false}, {NAN, false}};
    struct harness h;
    char name[32];

    (void)state;
    open_daemon(&h);
    arm_in_lockstep(&h);
    for (int k = 0; k < 2 * (int)(sizeof(forged) / sizeof(forged[0])); k++) {
        snprintf(name, sizeof(name), "forged-%d", k);
        assert_int_equal(ask_snapshot(&h, name)->result, RESULT(OK));
        forge(&h, name, k % 2, forged[k / 2].value);
        if (forged[k / 2].good)
            assert_int_equal(ask_restore(&h, name)->result, RESULT(OK));
        else
            expect_refusal(&h, ask_restore(&h, name), "beyond the limits of the model");
    }
    harness_close(&h);
}

static void test_what_does_not_fit_changes_nothing(void **state)
{
    static const long places[] = {3, 9, 40, 60, 100, -3};
    double *expected = NULL, *found = NULL;
    char name[16];
    struct harness h;
    size_t size;

    (void)state;
    open_daemon(&h);
    arm_in_lockstep(&h);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    go(&h, 1, 2 * STEPS, &expected);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));

    assert_int_equal(runs_ask_start(&h, STEPS)->result, RESULT(OK));
    go(&h, 1, STEPS, &found);
    runs_await_state(&h, STATE(PAUSED));
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(name, sizeof(name), "bad-%zu", i);
        assert_int_equal(ask_snapshot(&h, name)->result, RESULT(OK));
        damage(&h, name, places[i], i == 4);
        assert_int_equal(ask_restore(&h, name)->result, RESULT(NO_SNAPSHOT));
        assert_int_equal(h.reply->status->state, STATE(PAUSED));
    }
    expect_refusal(&h, ask_snapshot(&h, "bad-1"), "exists");
    expect_refusal(&h, ask_snapshot(&h, "../out"), "no name for a snapshot");
    expect_refusal(&h, ask_snapshot(&h, ""), "no name for a snapshot");
    expect_refusal(&h, ask_snapshot(&h, "-rf"), "no name for a snapshot");
    expect_refusal(&h, ask_restore(&h, "../out"), "no name for a snapshot");
    expect_refusal(&h, ask_restore(&h, "none"), "No such file");
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    expect_refusal(&h, ask_restore(&h, "bad-1"), "not allowed in state RUNNING");
    size = go(&h, STEPS + 1, STEPS, &found);
    assert_memory_equal(found, expected, size);
    free(expected);
    free(found);
    harness_close(&h);
}

static void test_without_a_folder(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    expect_refusal(&h, ask_snapshot(&h, "a"), "load a model first");
    harness_load_model(&h);
    expect_refusal(&h, ask_snapshot(&h, "a"), "no folder for snapshots");
    expect_refusal(&h, ask_restore(&h, "a"), "no folder for snapshots");
    harness_close(&h);
}

/* Take a snapshot of a continuing run on the time grid, between two steps. */
static void test_in_real_time(void **state)
{
    uint64_t steps;
    struct harness h;

    (void)state;
    open_daemon(&h);
    harness_go(&h);
    assert_int_equal(ask_snapshot(&h, "live")->result, RESULT(OK));
    assert_int_equal(h.reply->status->state, STATE(RUNNING));
    steps = harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step;
    while (harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step <= steps)
        runs_nap();
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_int_equal(ask_restore(&h, "live")->result, RESULT(OK));
    steps = h.reply->status->step;
    harness_go(&h);
    assert_true(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step >= steps);
    harness_close(&h);
}

/* ---- parameters ---- */

static const char model[] =
    "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  coil: {type: joint-spring-damper, joint: pin, stiffness: 20}\n"
    "outputs:\n  angle: {type: joint-position, joint: pin}\n"
    "parameters:\n  load: {acts: bodies.arm.mass, limits: [0.5, 9]}\n"
    "  coil: {acts: forces.coil.stiffness, limits: [0, 100], tunable: true}\n"
    "solver: {step: 0.001}\n";

static const Linkage__V1__ControlReply *load_with(struct harness *h, const char *path, double value)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    Linkage__V1__Setting setting = LINKAGE__V1__SETTING__INIT, *settings[] = {&setting};

    load.name = (char *)"m.yaml";
    load.text = (ProtobufCBinaryData){sizeof(model) - 1, (uint8_t *)model};
    setting.path = (char *)path;
    setting.value = value;
    load.settings = settings;
    load.n_settings = path != NULL;
    request.command_case = COMMAND(LOAD);
    request.load = &load;
    return harness_ask(h, &request);
}

/* Check that the daemon returns the loaded text with its settings. */
static void expect_text(struct harness *h, size_t n_settings, uint64_t model_id)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ModelRequest ask = LINKAGE__V1__MODEL_REQUEST__INIT;
    const Linkage__V1__ModelText *said;

    request.command_case = COMMAND(MODEL);
    request.model = &ask;
    said = harness_ask(h, &request)->model;
    assert_non_null(said);
    assert_true(said->model_id == model_id);
    assert_int_equal(said->text.len, sizeof(model) - 1);
    assert_memory_equal(said->text.data, model, said->text.len);
    assert_int_equal(said->n_settings, n_settings);
    if (n_settings > 0) {
        assert_string_equal(said->settings[0]->path, "load");
        assert_true(said->settings[0]->value == 2.5);
    }
}

static void test_numbers_with_the_model(void **state)
{
    const Linkage__V1__ModelDescription *d;
    struct harness h;

    (void)state;
    open_daemon(&h);
    expect_refusal(&h, load_with(&h, "bodies.amr.mass", 1), "did you mean 'arm'");
    expect_refusal(&h, load_with(&h, "load", 10), "parameter load is 10, expected 0.5 to 9");
    expect_refusal(&h, load_with(&h, "a b", 1), "expected a path");
    assert_int_equal(load_with(&h, "load", 2.5)->result, RESULT(OK));
    assert_int_equal(ask_snapshot(&h, "heavy")->result, RESULT(OK));
    d = harness_command(&h, DESCRIBE)->description;
    assert_non_null(d);
    assert_int_equal(d->n_parameters, 2);
    assert_string_equal(d->parameters[0]->name, "load");
    assert_string_equal(d->parameters[0]->acts[0], "bodies.arm.mass");
    assert_true(d->parameters[0]->value == 2.5 && d->parameters[0]->high == 9);
    assert_true(d->parameters[1]->tunable);
    assert_int_equal(d->n_inputs, 1);
    assert_string_equal(d->inputs[0]->name, "coil");
    assert_true(d->inputs[0]->initial == 20);
    expect_text(&h, 1, d->model_id);
    assert_int_equal(load_with(&h, NULL, 0)->result, RESULT(OK));
    expect_refusal(&h, ask_restore(&h, "heavy"), "of another model");
    assert_int_equal(load_with(&h, "bodies.arm.mass", 2.5)->result, RESULT(OK));
    assert_int_equal(ask_restore(&h, "heavy")->result, RESULT(OK));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_with_the_same_bits),
        cmocka_unit_test(test_what_does_not_fit_changes_nothing),
        cmocka_unit_test(test_forged_inputs_stay_within_limits),
        cmocka_unit_test(test_in_real_time),
        cmocka_unit_test(test_without_a_folder),
        cmocka_unit_test(test_numbers_with_the_model),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
