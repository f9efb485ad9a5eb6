/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's states over its real sockets: which commands are allowed in each state, and the
 * outputs of a run. */
#include "harness.h"
#include "linkage/linkage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Return the next sample in @state with at least @step steps. */
static const Linkage__V1__OutputSample *await_sample(struct harness *h, Linkage__V1__State state,
                                                     uint64_t step)
{
    for (;;) {
        const Linkage__V1__OutputSample *sample = harness_sample(h, PATIENCE_MS);

        assert_non_null(sample);
        if (sample->state == state && sample->step >= step)
            return sample;
    }
}

static void test_empty(void **state)
{
    const Linkage__V1__Status *status;
    const double torque = 1;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    assert_string_equal(status->model, "");
    assert_int_equal(status->model_id, 0);
    harness_expect(&h, START, RESULT(WRONG_STATE), STATE(EMPTY));
    assert_string_equal(h.reply->text, "start is not allowed in state EMPTY, load a model first");
    harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(EMPTY));
    harness_expect(&h, STOP, RESULT(WRONG_STATE), STATE(EMPTY));
    harness_expect(&h, RESET, RESULT(WRONG_STATE), STATE(EMPTY));
    assert_int_equal(harness_command(&h, DESCRIBE)->result, RESULT(WRONG_STATE));
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(WRONG_STATE));
    harness_close(&h);
}

static void test_description(void **state)
{
    const Linkage__V1__ModelDescription *d;
    const Linkage__V1__ChannelDescription *pose;
    uint64_t model_id;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    model_id = harness_load_model(&h);
    assert_int_equal(harness_command(&h, DESCRIBE)->result, RESULT(OK));
    d = h.reply->description;
    assert_non_null(d);
    assert_null(h.reply->status);
    assert_string_equal(d->name, "four-bar");
    assert_int_equal(d->model_id, model_id);
    assert_int_equal(d->period_ns, (uint64_t)(1e9 * harness_step_s(0.001)));
    assert_true(d->step_s == harness_step_s(0.001));
    assert_int_equal(d->n_inputs, 1);
    assert_string_equal(d->inputs[0]->name, "motor");
    assert_string_equal(d->inputs[0]->units[0], "N m");
    assert_int_equal(d->n_outputs, 7);
    pose = d->outputs[2];
    assert_string_equal(pose->name, "coupler_pose");
    assert_int_equal(pose->offset, 2);
    assert_int_equal(pose->n_components, 7);
    assert_string_equal(pose->components[3], "qw");
    assert_string_equal(pose->units[0], "m");

    /* loading the same text again gives another model */
    assert_true(harness_load_model(&h) != model_id);
    harness_close(&h);
}

static void test_life(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    uint64_t step, model_id, sequence;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    model_id = harness_load_model(&h);
    harness_go(&h);

    sample = await_sample(&h, STATE(RUNNING), 20);
    assert_int_equal(sample->model_id, model_id);
    assert_int_equal(sample->n_values, 23);
    assert_true(sample->time_s == (double)sample->step * harness_step_s(0.001));
    assert_true(sample->computed_ns >= sample->deadline_ns);
    assert_true(sample->published_ns >= sample->computed_ns);
    assert_int_equal(sample->input_sequence, 0);
    step = sample->step;
    sequence = sample->sequence;
    sample = await_sample(&h, STATE(RUNNING), step + 1);
    assert_true(sample->sequence > sequence);

    /* paused: the cycle continues, the steps do not */
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    step = await_sample(&h, STATE(PAUSED), 0)->step;
    harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(PAUSED));
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(PAUSED));
    assert_int_equal(status->step, step);
    assert_true(status->cycles > step);

    /* resume, then stop: the figures of the run are kept */
    harness_go(&h);
    await_sample(&h, STATE(RUNNING), step + 10);
    status = harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    assert_true(status->step >= step + 10);
    assert_true(status->outputs_published > 0);
    assert_true(status->wakeup->count == status->cycles);
    assert_true(status->compute->count == status->step);
    assert_true(status->wakeup->p50_ns <= status->wakeup->p99_ns);
    assert_true(status->wakeup->p999_ns <= status->wakeup->max_ns);
    assert_int_equal(status->wakeup->n_bucket_count, 0);
    /* steps of 20 ms may end near an aligned pose */
    assert_true(status->residual_position < (SANITIZED ? 1e-6 : 1e-9));
    step = status->step;
    await_sample(&h, STATE(ARMED), step);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(ARMED));
    assert_int_equal(status->step, step);

    /* a new start begins with step 0 */
    status = harness_go(&h);
    assert_true(status->cycles < step);
    await_sample(&h, STATE(RUNNING), 5);
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    status = harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    assert_int_equal(status->step, 0);
    assert_int_equal(status->cycles, 0);
    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    harness_close(&h);
}

static void test_wrong_states_while_running(void **state)
{
    struct harness h;
    uint64_t model_id;
    char *text;

    (void)state;
    harness_open(&h, NULL);
    model_id = harness_load_model(&h);
    harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(READY));
    harness_expect(&h, STOP, RESULT(WRONG_STATE), STATE(READY));
    harness_go(&h);
    harness_expect(&h, START, RESULT(WRONG_STATE), STATE(RUNNING));
    harness_expect(&h, RESET, RESULT(WRONG_STATE), STATE(RUNNING));
    text = harness_model_text();
    assert_int_equal(harness_load(&h, "x", text)->result, RESULT(WRONG_STATE));
    assert_string_equal(h.reply->text, "load is not allowed in state RUNNING, stop first");
    assert_int_equal(h.reply->status->model_id, model_id);
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    assert_int_equal(harness_load(&h, "x", text)->result, RESULT(WRONG_STATE));
    free(text);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_close(&h);
}

static void bad_model(struct harness *h, const char *name, const char *text, const char *words)
{
    const Linkage__V1__ControlReply *reply = harness_load(h, name, text);

    assert_int_equal(reply->result, RESULT(BAD_MODEL));
    if (!strstr(reply->text, words))
        fail_msg("'%s' lacks '%s'", reply->text, words);
    assert_null(strpbrk(reply->text, "\n\x1b"));
}

/* Load the model with another step in its text, which must be refused. */
static void bad_step(struct harness *h, const char *step, const char *words)
{
    char *text = harness_model_text(), changed[8192];
    char *place = strstr(text, "step: 0.001");

    assert_non_null(place);
    snprintf(changed, sizeof(changed), "%.*sstep: %s%s", (int)(place - text), text, step,
             place + strlen("step: 0.001"));
    bad_model(h, "fast.yaml", changed, words);
    free(text);
}

static void test_bad_models(void **state)
{
    struct harness h;
    uint64_t model_id;

    (void)state;
    harness_open(&h, NULL);
    bad_model(&h, "bad.yaml", "linkage: 1\nname: [\n", "bad.yaml:");
    assert_int_equal(h.reply->status->state, STATE(EMPTY));

    model_id = harness_load_model(&h);
    bad_model(&h, "bad.yaml", "linkage: 1\nname: a\nbodys: {}\n", "bad.yaml:3:1: ");
    bad_model(&h, "", "", "model:");
    bad_model(&h, "\x1b[31m\n", "linkage: 2\n", "expected");
    bad_step(&h, "0.00001", "expected 5e-05 to 0.1 s"); /* a valid model whose step is too short */
    bad_step(&h, "2", "expected");

    /* the old model is unchanged and can run */
    assert_int_equal(h.reply->status->model_id, model_id);
    assert_int_equal(h.reply->status->state, STATE(READY));
    harness_go(&h);
    await_sample(&h, STATE(RUNNING), 3);
    harness_close(&h);
}

/* All errors come in one reply, limited in number. The next reply contains none of them. */
static void test_all_that_is_wrong(void **state)
{
    char text[8192] = "linkage: 1\nname: a\nbodies:\n";
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    bad_model(&h, "m.yaml",
              "linkage: 1\nname: a\nbodies:\n"
              "  p: {mass: -1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
              "  q: {mas: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\nsolver: {step: no}\n",
              "m.yaml:4:");
    assert_int_equal(h.reply->n_errors, 3);
    assert_string_equal(h.reply->errors[0], h.reply->text);
    assert_non_null(strstr(h.reply->errors[1], "did you mean"));
    assert_non_null(strstr(h.reply->errors[2], "m.yaml:6:"));
    assert_int_equal(h.reply->n_warnings, 0);

    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "  b%d: {mass: -1}\n", i);
    bad_model(&h, "m.yaml", text, "m.yaml:4:");
    assert_int_equal(h.reply->n_errors, 20);

    harness_load_model(&h);
    assert_int_equal(h.reply->n_errors, 0);
    assert_int_equal(h.reply->n_warnings, 0);
    harness_close(&h);
}

/* A value set before the start acts step for step like the same torque in the library. */
static void test_set_acts(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const double torque = 4;
    const struct lk_options options = {.step = harness_step_s(0.001)};
    double expected[64];
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    sample = await_sample(&h, STATE(RUNNING), 50);

    assert_int_equal(lk_model_read_file(harness_model(), &model, &error), 0);
    assert_int_equal(lk_system_new(model, &options, &system, &error), 0);
    lk_model_free(model);
    assert_int_equal(lk_system_output_size(system), sample->n_values);
    for (uint64_t i = 0; i < sample->step; i++)
        assert_int_equal(lk_system_step(system, &torque), 0);
    lk_system_outputs(system, expected);
    for (size_t i = 0; i < sample->n_values; i++)
        assert_true(fabs(sample->values[i] - expected[i]) <= 1e-9 * (1 + fabs(expected[i])));
    lk_system_free(system);
    assert_int_equal(harness_command(&h, STATUS)->result, RESULT(OK));
    assert_true(h.reply->status->work_input != 0);

    /* after a stop the torque is zero again */
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_go(&h);
    await_sample(&h, STATE(ARMED), 50);
    await_sample(&h, STATE(RUNNING), 20);
    assert_int_equal(harness_command(&h, STATUS)->result, RESULT(OK));
    assert_true(h.reply->status->work_input == 0);
    harness_close(&h);
}

static void test_set_refused(void **state)
{
    const double two[] = {1, 2}, bad = NAN, good = 1;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    assert_int_equal(harness_set(&h, "moto", &good, 1)->result, RESULT(UNKNOWN_CHANNEL));
    assert_string_equal(h.reply->text, "no input named 'moto', did you mean 'motor'?");
    assert_int_equal(harness_set(&h, "crank_angle", &good, 1)->result, RESULT(UNKNOWN_CHANNEL));
    assert_int_equal(harness_set(&h, "motor", two, 2)->result, RESULT(BAD_VALUE));
    assert_int_equal(harness_set(&h, "motor", two, 0)->result, RESULT(BAD_VALUE));
    assert_int_equal(harness_set(&h, "motor", &bad, 1)->result, RESULT(BAD_VALUE));
    assert_int_equal(harness_set(&h, "motor", &good, 1)->result, RESULT(OK));
    harness_close(&h);
}

/* A value beyond the limits of the model is refused with a message that contains the limits, and
 * the previous value continues to act. */
static void test_set_answers_with_what_acts(void **state)
{
    const double far_too_much = 1e9, torque = 4;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    assert_string_equal(h.reply->text, "");
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    assert_string_equal(h.reply->text,
                        "motor goes to 4 N m by at most 100000 N m a second, then that acts");
    assert_int_equal(harness_set(&h, "motor", &far_too_much, 1)->result, RESULT(BAD_VALUE));
    assert_string_equal(h.reply->text, "motor: 1e+09 N m is beyond its limits, expected -10 to 10 "
                                       "N m; the previous value continues to act");
    harness_load_unlimited(&h);
    assert_string_equal(h.reply->text, "loaded with 2 warnings");
    assert_int_equal(h.reply->n_warnings, 2);
    assert_string_equal(h.reply->warnings[0]->id, "input-without-limits");
    assert_string_equal(h.reply->warnings[0]->where, "input motor");
    assert_string_equal(h.reply->warnings[1]->id, "input-without-rate");
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    assert_string_equal(h.reply->text, "motor acts with 4 N m");
    harness_close(&h);
}

/* A torque that rotates a body by more than half a turn in the first step causes FAULT, which all
 * clients see. A reset ends it. */
static void test_fault(void **state)
{
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    const double torque = 1e12;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_unlimited(&h);
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    sample = await_sample(&h, STATE(FAULT), 0);
    assert_true(sample->step < 3);
    harness_notice(&h, "STATUS=FAULT");
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(FAULT));
    assert_non_null(strstr(status->fault, "half a turn"));
    harness_expect(&h, START, RESULT(WRONG_STATE), STATE(FAULT));
    harness_expect(&h, STOP, RESULT(WRONG_STATE), STATE(FAULT));
    harness_expect(&h, PAUSE, RESULT(WRONG_STATE), STATE(FAULT));
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(WRONG_STATE));
    status = harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    assert_string_equal(status->fault, "");

    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    await_sample(&h, STATE(READY), 0);
    await_sample(&h, STATE(FAULT), 0);
    harness_load_model(&h);
    harness_close(&h);
}

/* Settings that the system refuses are reported in the status and in each sample. */
static void test_degraded(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;
    bool said = false;

    (void)state;
    harness_open(&h, "realtime: {core: 1023}\n");
    harness_load_model(&h);
    status = harness_go(&h);
    assert_true(status->n_degraded >= 1);
    for (size_t i = 0; i < status->n_degraded; i++)
        said = said || strstr(status->degraded[i], "core 1023");
    assert_true(said);
    assert_true(await_sample(&h, STATE(RUNNING), 1)->degraded);
    harness_close(&h);

    harness_open(&h, "realtime: {core: 1023}\n");
    harness_load_model(&h);
    assert_int_equal(harness_ask_arm(&h, false, 0)->result, RESULT(NO_REALTIME));
    assert_int_equal(h.reply->status->state, STATE(READY));
    assert_non_null(strstr(h.reply->text, "not fit"));
    harness_expect(&h, RESET, RESULT(OK), STATE(READY));
    harness_close(&h);
}

/* Return the text of a model in the folder of the tests' model. The caller frees it. */
#define MODEL_SIZE (1u << 20)

static char *read_beside(const char *name, char *ret_path, size_t size)
{
    const char *slash = strrchr(harness_model(), '/');
    char *text = calloc(1, MODEL_SIZE);
    FILE *file;

    assert_non_null(text);
    snprintf(ret_path, size, "%.*s/%s", (int)(slash - harness_model()), harness_model(), name);
    file = fopen(ret_path, "r");
    assert_non_null(file);
    assert_in_range(fread(text, 1, MODEL_SIZE - 1, file), 1, MODEL_SIZE - 2);
    fclose(file);
    return text;
}

/* Compute the library's result for the same model after @steps. */
static void step_alone(const char *path, uint64_t steps, double *values)
{
    const struct lk_options options = {.step = 0.05};
    struct lk_system *system;
    struct lk_error error;
    struct lk_model *model;

    assert_int_equal(lk_model_read_file(path, &model, &error), 0);
    assert_int_equal(lk_system_new(model, &options, &system, &error), 0);
    lk_model_free(model);
    for (uint64_t i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(system, NULL), 0);
    lk_system_outputs(system, values);
    lk_system_free(system);
}

static void check_bits(const Linkage__V1__OutputSample *sample, const char *path)
{
    double expected[1024];

    assert_true(sample->n_values > 0 && sample->n_values <= 1024);
    step_alone(path, sample->step, expected);
    assert_memory_equal(sample->values, expected, sample->n_values * sizeof(double));
}

static void slow_down(char *text)
{
    char *place = strstr(text, "step: 0.001");

    assert_non_null(place);
    memcpy(place, "step: 0.050", strlen("step: 0.050"));
}

/* A chain gives the same bits with any number of workers, throughout a daemon's life. With a
 * sanitizer a short chain is used, because a long one needs most of its step. */
static void test_workers(void **state)
{
    static const char *const configs[] = {
        "realtime: {workers: 1, priority: 0, core: none}\nbudget: {time: 1}\n",
        "realtime: {workers: 2, priority: 0, core: none}\nbudget: {time: 1}\n",
        "realtime: {workers: auto, priority: 0, core: none}\nbudget: {time: 1}\n"};
    char path[256];
    char *text = read_beside(SANITIZED ? "chain-8.yaml" : "chain-128.yaml", path, sizeof(path));

    (void)state;
    slow_down(text);
    for (int i = 0; i < 3; i++) {
        const Linkage__V1__OutputSample *sample;
        struct harness h;

        harness_open(&h, configs[i]);
        assert_int_equal(harness_load(&h, "chain", text)->result, RESULT(OK));
        harness_go(&h);
        check_bits(await_sample(&h, STATE(RUNNING), 30), path);
        harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
        harness_go(&h);
        harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
        if (i < 2)
            assert_int_equal(h.reply->status->workers, i + 1);
        assert_true(h.reply->status->workers >= 1);
        harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
        harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
        harness_load_model(&h);
        assert_int_equal(harness_load(&h, "chain", text)->result, RESULT(OK));
        harness_go(&h);
        await_sample(&h, STATE(ARMED), 0);
        sample = await_sample(&h, STATE(RUNNING), 5);
        check_bits(sample, path);
        harness_close(&h); /* during the run */
    }
    free(text);
}

static void start_refused(const char *realtime, const char *words)
{
    char path[128], log[128];
    struct harness h;

    harness_open(&h, NULL);
    snprintf(path, sizeof(path), "%s/second.yaml", h.folder);
    snprintf(log, sizeof(log), "%s/log2", h.folder);
    harness_write_config(&h, path, realtime);
    assert_int_equal(
        harness_wait(harness_spawn((const char *const[]){"-c", path, NULL}, log, -1), PATIENCE_MS),
        1);
    assert_true(harness_log_has(h.folder, "log2", words));
    harness_close(&h);
}

/* Real-time workers without a core for each of them end the daemon before it opens its
 * endpoints. */
static void test_workers_refused(void **state)
{
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    char all[64];

    (void)state;
    start_refused("realtime: {workers: 2, core: none}\n", "core: none with 2 real-time workers");
    start_refused("realtime: {workers: 2, worker_cores: [1023]}\n", "no core 1023 for worker 2");
    snprintf(all, sizeof(all), "realtime: {workers: %ld}\n", n_cores);
    if (n_cores > 1 && n_cores <= 64)
        start_refused(all, "leave to others, this process may use cores");
}

static void test_histograms(void **state)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__StatusRequest status_request = LINKAGE__V1__STATUS_REQUEST__INIT;
    const Linkage__V1__Durations *wakeup;
    uint64_t sum = 0, before = 0;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    await_sample(&h, STATE(RUNNING), 50);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));

    status_request.with_histograms = 1;
    request.command_case = STATUS;
    request.status = &status_request;
    wakeup = harness_ask(&h, &request)->status->wakeup;
    assert_true(wakeup->n_bucket_count > 0);
    assert_int_equal(wakeup->n_bucket_count, wakeup->n_bucket_upper_ns);
    for (size_t i = 0; i < wakeup->n_bucket_count; i++) {
        assert_true(wakeup->bucket_count[i] > 0);
        assert_true(wakeup->bucket_upper_ns[i] > before);
        before = wakeup->bucket_upper_ns[i];
        sum += wakeup->bucket_count[i];
    }
    assert_int_equal(sum, wakeup->count);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_wrong_states_while_running),
        cmocka_unit_test(test_bad_models),
        cmocka_unit_test(test_all_that_is_wrong),
        cmocka_unit_test(test_set_acts),
        cmocka_unit_test(test_set_refused),
        cmocka_unit_test(test_set_answers_with_what_acts),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_workers_refused),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
