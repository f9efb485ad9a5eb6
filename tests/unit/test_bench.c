/* SPDX-License-Identifier: Apache-2.0 */
/* linkage bench without its clock: command line, built-in models, and the output.
 * argv[1]: config/models. */
#include "../cmocka_all.h"
#include "bench.h"
#include "commands.h"
#include "linkage/analysis.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *models;

/* stubs of what main.c provides */
static int complaints;

void complain(const char *format, ...)
{
    (void)format;
    complaints++;
}

int usage_error(const char *format, ...)
{
    (void)format;
    complaints++;
    return EXIT_USAGE;
}

int refuse_value(const struct option_row *row, const char *text, const char *expected)
{
    return usage_error("%s is '%s', expected %s", row->name, text, expected);
}

int print_help(void)
{
    return EXIT_DONE;
}

/* each reading advances the simulated clock by this time, however long the work took */
#define TICK_S 1e-4

double now_s(void)
{
    static double time_s;

    time_s += TICK_S;
    return time_s;
}

struct lk_system *compile_model(const char *path, const struct lk_model *model,
                                const struct lk_options *options)
{
    struct lk_system *system = NULL;
    struct lk_error error = {""};

    (void)path;
    assert_int_equal(lk_system_new(model, options, &system, &error), 0);
    return system;
}

/* ---- the command line ---- */

static void workers_are_ascending_numbers(void **state)
{
    static const char *const bad[] = {"",    "0",   "65",         "x",  "1,", ",1",
                                      "1,1", "2,1", "1;2",        "01", " 1", "1,2,3,4,5,6,7,8,9",
                                      "-1",  "1.5", "99999999999"};
    int workers[BENCH_VARIANTS_MAX];

    (void)state;
    assert_int_equal(bench_parse_workers("1", workers), 1);
    assert_int_equal(bench_parse_workers("1,2,64", workers), 3);
    assert_int_equal(workers[0], 1);
    assert_int_equal(workers[1], 2);
    assert_int_equal(workers[2], 64);
    assert_int_equal(bench_parse_workers("1,2,3,4,5,6,7,8", workers), 8);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(bench_parse_workers(bad[i], workers), 0);
}

/* Parse a command line.
 * @line: options, separated by single blanks */
static int parse(const char *line, struct bench_options *options)
{
    static char text[256], name[] = "linkage";
    char *argv[16] = {name}, *rest = text, *word;
    int argc = 1;

    snprintf(text, sizeof(text), "%s", line);
    while ((word = strsep(&rest, " ")) != NULL && *word != '\0')
        argv[argc++] = word;
    optind = 0;
    opterr = 0;
    return bench_options_parse(argc, argv, options);
}

static void options_have_defaults_and_bounds(void **state)
{
    static const char *const bad[] = {"-t 0",   "-t x",      "-t 601", "-s 0",  "-s 1.5",
                                      "-s 1e8", "-s 5 -t 1", "-w 2,1", "--fast"};
    struct bench_options o;

    (void)state;
    assert_int_equal(parse("", &o), 0);
    assert_true(o.time_s == 0.5 && o.steps == 0 && o.n_workers == 1 && o.workers[0] == 1);
    assert_true(!o.is_quick && !o.is_json && !o.is_list && o.n_names == 0);
    assert_int_equal(parse("--quick --json -w 1,2 chain-8 four-bar", &o), 0);
    assert_true(o.is_quick && o.is_json && o.time_s == 0.02 && o.n_workers == 2);
    assert_int_equal(o.n_names, 2);
    assert_string_equal(o.names[1], "four-bar");
    assert_int_equal(parse("-q -t 2", &o), 0);
    assert_true(o.time_s == 2);
    assert_int_equal(parse("-s 100 -l", &o), 0);
    assert_true(o.steps == 100 && o.is_list);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse(bad[i], &o), EXIT_USAGE);
}

/* ---- built-in models ---- */

/** struct subject - a model in all forms that the tests need. */
struct subject {
    struct lk_model *model;
    struct lk_system *system;
    struct lk_summary summary;
};

static struct subject open_text(const char *name, const char *text, size_t size)
{
    struct subject s = {0};
    struct lk_error error = {""};

    if (lk_model_read_text(name, text, size, &s.model, &error) != 0)
        fail_msg("%s", error.text);
    s.system = compile_model(name, s.model, NULL);
    lk_system_summary(s.system, &s.summary);
    return s;
}

static struct subject open_built_in(const char *name)
{
    size_t size;
    char *text = bench_model_text(name, &size);
    struct subject s;

    assert_non_null(text);
    s = open_text(name, text, size);
    free(text);
    return s;
}

static struct subject open_shipped(const char *name)
{
    char path[512], text[65536];
    size_t size;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s.yaml", models, name);
    f = fopen(path, "re");
    assert_non_null(f);
    size = fread(text, 1, sizeof(text), f);
    fclose(f);
    return open_text(name, text, size);
}

static void close_subject(struct subject *s)
{
    lk_system_free(s->system);
    lk_model_free(s->model);
}

static void names_say_what_is_built_in(void **state)
{
    static const char *const good[] = {"chain-1", "chain-4096", "chain-7-revolute", "ladder-2047",
                                       "tree-3",  "four-bar",   "net-64",           "hub-4095"};
    static const char *const bad[] = {
        "chain",    "chain-",     "chain-0",      "chain-4097", "chain-08",
        "chain-8x", "chain--1",   "ladder-2048",  "four-bar-2", "chain-8-spherical",
        "",         "./four-bar", "four-bar.yaml"};

    (void)state;
    for (int i = 0; bench_built_in[i] != NULL; i++)
        assert_true(bench_is_built_in(bench_built_in[i]));
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(bench_is_built_in(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        size_t size;

        assert_false(bench_is_built_in(bad[i]));
        assert_null(bench_model_text(bad[i], &size));
    }
}

/* The joints of built-in models are closed at the start: the compiler corrects only round-off.
 * Coordinates of up to 128 m in files with 15 digits have that round-off. */
static void built_in_models_are_assembled(void **state)
{
    static const char *const names[] = {"chain-2",  "chain-128", "chain-32-revolute",
                                        "four-bar", "ladder-2",  "ladder-40",
                                        "tree-255", "net-5",     "hub-40"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct subject s = open_built_in(names[i]);

        assert_string_equal(lk_model_name(s.model), names[i]);
        assert_true(s.summary.assembly_gap < 1e-12);
        assert_true(s.summary.velocity_change < 1e-12);
        close_subject(&s);
    }
}

static void check_size(const char *name, int bodies, int joints, int rows)
{
    struct subject s = open_built_in(name);

    assert_int_equal(s.summary.n_bodies, bodies);
    assert_int_equal(s.summary.n_joints, joints);
    assert_int_equal(s.summary.n_rows_rigid, rows);
    close_subject(&s);
}

static void built_in_models_have_their_size(void **state)
{
    (void)state;
    check_size("chain-1", 1, 1, 3);
    check_size("chain-32", 32, 32, 96);
    check_size("chain-32-revolute", 32, 32, 64); /* planar reduction: two rows a pin */
    check_size("four-bar", 3, 4, 8);
    check_size("ladder-2", 5, 7, 14);
    check_size("ladder-40", 81, 121, 242);
    check_size("tree-255", 255, 255, 510);
    check_size("net-3", 9, 13, 3);
    check_size("hub-3", 4, 4, 6);
    check_size("free-3", 3, 0, 0);
}

/* The second body of a tree begins at the tip of the first, (1, 0), rotated up by a sixth of a
 * turn. Its first child begins at its tip, another sixth of a turn up. 1e-14: files have 15
 * digits. */
static void a_tree_grows_from_its_tips(void **state)
{
    struct subject s = open_built_in("tree-7");
    double root = sqrt(3) / 2;
    const double second[3] = {1.25, root / 2, 0}, fourth[3] = {1.25, 1.5 * root, 0};
    struct lk_body_state at;

    (void)state;
    for (int i = 0; i < 3; i++) {
        lk_system_body_state(s.system, 1, &at);
        assert_true(fabs(at.position[i] - second[i]) < 1e-14);
        lk_system_body_state(s.system, 3, &at);
        assert_true(fabs(at.position[i] - fourth[i]) < 1e-14);
    }
    close_subject(&s);
}

/* Check that the built-in and the shipped model give the same bits. They have the same bodies and
 * joints in the same order. */
static void check_motion(const char *name)
{
    struct subject a = open_built_in(name), b = open_shipped(name);

    for (int i = 0; i < 50; i++) {
        assert_int_equal(lk_system_step(a.system, NULL), 0);
        assert_int_equal(lk_system_step(b.system, NULL), 0);
    }
    for (int i = 0; i < a.summary.n_bodies; i++) {
        struct lk_body_state x, y;

        lk_system_body_state(a.system, i, &x);
        lk_system_body_state(b.system, i, &y);
        assert_memory_equal(&x, &y, sizeof(x));
    }
    close_subject(&a);
    close_subject(&b);
}

static void built_in_models_move_as_those_that_are_shipped(void **state)
{
    (void)state;
    check_motion("chain-8");
    check_motion("chain-128");
    check_motion("ladder-2");
}

/* ---- numbers ---- */

static void quantiles_are_values_that_occurred(void **state)
{
    float values[100];

    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = (float)(i + 1);
    assert_true(bench_quantile(values, 100, 0.5) == 50);
    assert_true(bench_quantile(values, 100, 0.99) == 99);
    assert_true(bench_quantile(values, 100, 1) == 100);
    assert_true(bench_quantile(values, 100, 0) == 1);
    assert_true(bench_quantile(values, 1, 0.99) == 1);
    assert_true(bench_quantile(values, 3, 0.5) == 2);
}

static void batches_last_five_microseconds(void **state)
{
    (void)state;
    assert_int_equal(bench_batch(1e6), 1);
    assert_int_equal(bench_batch(5000), 1);
    assert_int_equal(bench_batch(4999), 2);
    assert_int_equal(bench_batch(500), 10);
    assert_int_equal(bench_batch(0), 5000);
}

/* ---- the linear algebra of a step ---- */

/* The operations of all fronts equal the compiler's count. 1e-12: sums of exact numbers and thirds.
 * Models without loops need no extra solves to remove the effect of the regularisation. */
static void fronts_add_up_to_what_the_compiler_counts(void **state)
{
    static const struct {
        const char *name;
        int solves;
    } counted[] = {{"chain-32", 8}, {"ladder-10", 11}, {"tree-255", 8}};

    (void)state;
    for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]); k++) {
        struct subject s = open_built_in(counted[k].name);
        struct lk_tree_view view;
        double sum = 0;

        assert_int_equal(lk_tree_view_init(s.system, &view), 0);
        for (int i = 0; i < view.n_fronts; i++)
            sum += view.fronts[i].factor_flops + counted[k].solves * view.fronts[i].solve_flops;
        assert_true(fabs(sum - s.summary.step_flops) <= 1e-12 * sum);
        lk_tree_view_fini(&view);
        close_subject(&s);
    }
}

/* One body on a slide of two rows, because planar reduction removes the others, and a spring of one
 * row. Five iterations include the spring; afterwards its row is in no front. Operations: e^3 / 3
 * for a factorisation, 2 e^2 for a solve. */
static void a_spring_is_in_the_iterations_alone(void **state)
{
    struct subject s = open_shipped("mass-spring");

    (void)state;
    assert_true(fabs(s.summary.step_flops - (27 + 8) / 3.0 - 5 * 18 - 3 * 8) < 1e-9);
    close_subject(&s);
}

/* ---- output ---- */

static struct bench_result result_of(struct subject *s, double median_ns)
{
    struct bench_result r = {.summary = s->summary, .step_s = 1e-3, .n_times = 1};

    snprintf(r.name, sizeof(r.name), "%s", lk_model_name(s->model));
    r.times[0] = (struct bench_times){.n_workers = 1,
                                      .n_steps = 100,
                                      .batch = 1,
                                      .median_ns = median_ns,
                                      .p99_ns = median_ns,
                                      .max_ns = median_ns,
                                      .cpu_ns = median_ns};
    return r;
}

static char *printed(const struct bench_run *run, bool is_json)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    if (is_json) {
        bench_json(f, run);
    } else {
        bench_print_begin(f, run);
        for (int i = 0; i < run->n_results; i++)
            bench_print_result(f, &run->results[i]);
        bench_print_end(f, run);
    }
    fclose(f);
    return text;
}

/* Make a run with all kinds of results: two numbers of workers, and a model without joints. */
static struct bench_run example(struct bench_result results[2], struct bench_options *options)
{
    struct subject s = open_built_in("ladder-2"), free_body = open_shipped("free-body");
    struct bench_run run = {
        .options = options,
        .host = {"a \"good\" \\ processor", "Linux 1", 2, 49152, 2097152, false},
        .peak = {{"avx512", 8, 2.5e11},
                 3,
                 {{"avx512", 8, 2.5e11}, {"avx2", 4, 1.5e11}, {"portable", 2, 3.5e10}}},
        .counters_missing = "there are none",
        .meeting_ns = 1234,
        .fork_ns = 2345,
        .n_results = 2,
        .results = results,
    };

    assert_int_equal(parse("-w 1,64", options), 0);
    results[0] = result_of(&s, 12345678);
    strcpy(results[0].name, "a name of more than twenty-four characters");
    results[0].summary.n_bodies = results[0].summary.n_joints = 4096;
    results[0].summary.n_rows_rigid = 24576;
    results[0].summary.memory = 123456789;
    results[0].summary.step_flops = 99e6;
    results[0].times[1] = results[0].times[0];
    results[0].times[1].n_workers = 64;
    results[0].n_times = 2;
    results[1] = result_of(&free_body, 321);
    close_subject(&s);
    close_subject(&free_body);
    return run;
}

static void the_table_has_at_most_a_hundred_columns(void **state)
{
    struct bench_result results[2];
    struct bench_options options;
    struct bench_run run = example(results, &options);
    char *text, *rest, *line;

    (void)state;
    for (int i = 0; i < 2; i++) {
        rest = text = printed(&run, false);
        while ((line = strsep(&rest, "\n")) != NULL)
            if (strlen(line) > 100)
                fail_msg("%zu columns: %s", strlen(line), line);
        free(text);
        for (int k = 0; k < 2; k++) { /* first without counters, then with them */
            results[k].times[0].has_counters = true;
            results[k].times[0].instructions = 2e7;
            results[k].times[0].cycles = 1e7;
        }
    }
}

static void what_is_not_there_is_said(void **state)
{
    struct bench_result results[2];
    struct bench_options options;
    struct bench_run run = example(results, &options);
    char *text = printed(&run, false);

    (void)state;
    assert_non_null(strstr(text, "instructions and cycles: not available, there are none"));
    assert_non_null(strstr(text, "64 workers have to take turns on fewer processors"));
    assert_non_null(strstr(text, "(assumed)"));
    free(text);
    text = printed(&run, true);
    assert_non_null(strstr(text, "\"instructions\": null, \"cycles\": null"));
    assert_non_null(strstr(text, "\"ns_per_joint\": null"));
    assert_non_null(strstr(text, "\"processor\": \"a \\\"good\\\" \\\\ processor\""));
    free(text);
    run.meeting_ns = -1;
    run.counters_missing = NULL;
    results[0].summary.step_flops = 0;
    text = printed(&run, true);
    assert_non_null(strstr(text, "\"meeting_ns\": null"));
    assert_non_null(strstr(text, "\"counters_missing\": null"));
    assert_non_null(strstr(text, "\"step_flops\": 0, \"peak_share\": null"));
    free(text);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_ascending_numbers),
        cmocka_unit_test(options_have_defaults_and_bounds),
        cmocka_unit_test(names_say_what_is_built_in),
        cmocka_unit_test(built_in_models_are_assembled),
        cmocka_unit_test(built_in_models_have_their_size),
        cmocka_unit_test(a_tree_grows_from_its_tips),
        cmocka_unit_test(built_in_models_move_as_those_that_are_shipped),
        cmocka_unit_test(quantiles_are_values_that_occurred),
        cmocka_unit_test(batches_last_five_microseconds),
        cmocka_unit_test(fronts_add_up_to_what_the_compiler_counts),
        cmocka_unit_test(a_spring_is_in_the_iterations_alone),
        cmocka_unit_test(the_table_has_at_most_a_hundred_columns),
        cmocka_unit_test(what_is_not_there_is_said),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: test_bench MODELS-DIRECTORY\n");
        return 2;
    }
    models = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
