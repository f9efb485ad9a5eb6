/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the library does not depend on its caller: each public function gives the same
 * bits for any treatment of denormal numbers that the caller has set, and restores this setting.
 * The test case is a pendulum whose motion decays through the denormals to zero. The table below
 * names each public function, and a test reads the headers to find missing ones. */
#include "../skip.h"
#include "cmocka_all.h"
#include "decay.h"
#include "linkage/analysis.h"
#include "linkage/document.h"
#include "linkage/energy.h"
#include "linkage/findings.h"
#include "linkage/json.h"
#include "linkage/laboratory.h"
#include "linkage/linkage.h"
#include "linkage/modes.h"
#include "linkage/pace.h"
#include "linkage/parameters.h"
#include "linkage/pool.h"
#include "linkage/run.h"
#include "linkage/scene.h"
#include "linkage/state.h"
#include "linkage/suspension.h"
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS  8000 /* steps of 1 ms; all values are denormal at some time between 7000 and 8000 */
#define LOOKED 5    /* number of steps between two observations */
#define VALUES 256

static char **header_folders; /* NULL-terminated */

/* ---- the caller's setting ---- */

#if defined(__SSE2__)
#define HAS_SETTING 1
static uint64_t setting(void)
{
    uint32_t word;

    __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
    return word;
}

static void set(uint64_t word)
{
    const uint32_t value = (uint32_t)word;

    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

/* default; results flushed; operands also flushed; both, rounding down, with flags raised */
static const uint64_t settings[] = {0x1f80, 0x9f80, 0x9fc0, 0xbfff};
#elif defined(__aarch64__)
#define HAS_SETTING 1
static uint64_t setting(void)
{
    uint64_t word;

    __asm__ volatile("mrs %0, fpcr" : "=r"(word) : : "memory");
    return word;
}

static void set(uint64_t word)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory");
}

/* default; flushed; flushed, with rounding down */
static const uint64_t settings[] = {0, UINT64_C(1) << 24, UINT64_C(1) << 24 | UINT64_C(2) << 22};
#else
#define HAS_SETTING 0
static uint64_t setting(void)
{
    return 0;
}

static void set(uint64_t word)
{
    (void)word;
}

static const uint64_t settings[] = {0};
#endif

#define SETTINGS ((int)(sizeof(settings) / sizeof(settings[0])))

/* ---- results of functions ---- */

/* struct scene - objects for the observed functions.
 * @document: a text of numbers
 * @lab:      laboratory at time @lab_time */
struct scene {
    struct lk_model *model;
    struct lk_system *system;
    struct lk_document *document;
    struct lk_laboratory *lab;
    double lab_time;
};

/* struct trace - the results of a row of the table, one observation after another */
struct trace {
    double *values;
    size_t n;
    size_t size;
};

static void keep(struct trace *trace, const void *bytes, size_t size)
{
    size_t n = (size + sizeof(double) - 1) / sizeof(double);

    if (trace->n + n > trace->size) {
        trace->size = 2 * (trace->size + n);
        trace->values = realloc(trace->values, trace->size * sizeof(double));
        assert_non_null(trace->values);
    }
    memset(trace->values + trace->n, 0, n * sizeof(double));
    memcpy(trace->values + trace->n, bytes, size);
    trace->n += n;
}

static void keep_number(struct trace *trace, double value)
{
    keep(trace, &value, sizeof(value));
}

static void look_step(struct scene *s, struct trace *trace)
{
    const double nothing = 1e-310;

    for (int i = 0; i < LOOKED; i++)
        keep_number(trace, lk_system_step(s->system, &nothing));
}

static void look_energy(struct scene *s, struct trace *trace)
{
    const double nothing = 1e-310;
    struct lk_energy_watch watch;
    struct lk_health health;

    lk_energy_begin(&watch, s->system);
    for (int i = 0; i < 2; i++) {
        keep_number(trace, lk_system_step(s->system, &nothing));
        lk_system_health(s->system, &health);
        lk_energy_look(&watch, s->system, &health);
        lk_energy_account(&watch, &health);
    }
    keep_number(trace, lk_energy_balance(&health));
    keep_number(trace, watch.appeared);
    keep_number(trace, watch.explained);
    keep_number(trace, watch.jump);
    keep_number(trace, lk_energy_appears(&watch) + 2 * lk_energy_explodes(&watch));
}

static void look_run(struct scene *s, struct trace *trace)
{
    const double nothing = 1e-310;
    double times[2], values[2 * VALUES];
    const struct lk_run run = {
        .steps = 2, .inputs = &nothing, .every = 1, .times = times, .outputs = values};
    size_t n = (size_t)lk_system_output_size(s->system);
    uint64_t done;

    assert_true(n <= VALUES);
    keep_number(trace, lk_system_run(s->system, &run, &done));
    keep(trace, times, sizeof(times));
    keep(trace, values, 2 * n * sizeof(double));
}

static void look_outputs(struct scene *s, struct trace *trace)
{
    double values[VALUES];
    size_t n = (size_t)lk_system_output_size(s->system);

    assert_true(n <= VALUES);
    lk_system_outputs(s->system, values);
    keep(trace, values, n * sizeof(double));
}

static void look_body_state(struct scene *s, struct trace *trace)
{
    struct lk_body_state body;

    lk_system_body_state(s->system, 0, &body);
    keep(trace, &body, sizeof(body));
}

/* Observe the scene: a spring between the world and a body that has hardly moved, and the gap of
 * the joint. */
static void look_scene(struct scene *s, struct trace *trace)
{
    const double local[3] = {1e-310, 0.1, 0};
    double poses[7 * 8], place[3];
    struct lk_scene_gap gap;
    struct lk_scene *scene;

    lk_system_poses(s->system, poses);
    keep(trace, poses, 7 * sizeof(double));
    assert_int_equal(lk_scene_new(s->model, &scene), 0);
    keep(trace, &scene->unit, sizeof(scene->unit));
    lk_scene_gap(scene, 0, poses, &gap);
    keep(trace, &gap, sizeof(gap));
    lk_scene_place(poses, 0, local, place);
    keep(trace, place, sizeof(place));
    lk_scene_turn(poses, 0, local, place);
    keep(trace, place, sizeof(place));
    for (int i = 0; i < scene->n_shapes; i++)
        if (scene->shape[i].part == LK_PART_SPRING || scene->shape[i].part == LK_PART_ROD) {
            double span[LK_SPAN_POINTS][3];

            keep(trace, span,
                 (size_t)lk_scene_span(scene, &scene->shape[i], poses, span) * sizeof(*span));
        }
    lk_scene_free(scene);
}

static void look_assembly(struct scene *s, struct trace *trace)
{
    double poses[7 * 8];

    assert_int_equal(lk_scene_assemble(s->model, poses, NULL), 0);
    keep(trace, poses, 7 * sizeof(double));
}

static void look_reaction(struct scene *s, struct trace *trace)
{
    double reaction[6];

    lk_system_joint_reaction(s->system, 0, reaction);
    keep(trace, reaction, sizeof(reaction));
}

static void look_health(struct scene *s, struct trace *trace)
{
    struct lk_health health;

    lk_system_health(s->system, &health);
    keep(trace, &health, sizeof(health));
}

static void look_extent(struct scene *s, struct trace *trace)
{
    struct lk_extent extent;

    lk_system_extent(s->system, &extent);
    keep(trace, &extent, sizeof(extent));
}

static void look_mobility(struct scene *s, struct trace *trace)
{
    struct lk_mobility m;

    assert_int_equal(lk_mobility_init(s->system, &m), 0);
    keep_number(trace, m.rank);
    lk_mobility_fini(&m);
}

static void look_modes(struct scene *s, struct trace *trace)
{
    struct lk_mode *modes;
    struct lk_linear l;
    struct lk_error error;
    int n;

    assert_int_equal(lk_linear_init(s->system, true, &l, &error), 0);
    keep(trace, l.A, (size_t)l.n_states * (size_t)l.n_states * sizeof(double));
    n = lk_modes_find(&l, &modes);
    assert_true(n > 0);
    for (int i = 0; i < n; i++)
        keep(trace, &modes[i].re, 4 * sizeof(double));
    lk_modes_free(modes, n);
    lk_linear_fini(&l);
    assert_int_equal(
        lk_linear_init_with(s->system, &(struct lk_linear_options){true, 2, NULL}, &l, &error), 0);
    keep(trace, l.A, (size_t)l.n_states * (size_t)l.n_states * sizeof(double));
    lk_linear_fini(&l);
}

static void keep_findings(struct trace *trace, struct lk_findings *f)
{
    keep_number(trace, f->n);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->list[i].n_numbers; k++)
            keep(trace, &f->list[i].number[k].value, sizeof(double));
    lk_findings_fini(f);
}

static void look_findings(struct scene *s, struct trace *trace)
{
    struct lk_findings f;

    assert_int_equal(lk_findings_init(s->model, s->system, NULL, NULL, NULL, &f), 0);
    keep_findings(trace, &f);
    assert_int_equal(lk_findings_start(s->model, s->system, &f), 0);
    keep_findings(trace, &f);
}

static void look_pace(struct scene *s, struct trace *trace)
{
    struct lk_findings f = {0};
    struct lk_pace p;
    struct lk_error error;

    assert_int_equal(lk_pace_init(s->model, s->system, NULL, 0, &f, &p, &error), 0);
    keep(trace, p.increment, sizeof(p.increment));
    keep_number(trace, p.needed);
    keep(trace, &p.spring.rate, sizeof(double));
    keep(trace, &p.swing.rate, sizeof(double));
    lk_findings_fini(&f);
}

static void look_pose(struct scene *s, struct trace *trace)
{
    struct lk_pose_check c;

    assert_int_equal(lk_pose_check_init(s->system, &c), 0);
    keep(trace, &c.smallest, sizeof(c.smallest));
    keep(trace, &c.largest, sizeof(c.largest));
    lk_pose_check_fini(&c);
}

static void look_row(struct scene *s, struct trace *trace)
{
    char text[LK_TEXT_SIZE] = "";

    lk_row_text(s->system, (struct lk_row){0, 4}, text, sizeof(text));
    keep(trace, text, sizeof(text));
}

static void look_tree(struct scene *s, struct trace *trace)
{
    struct lk_tree_view view;

    assert_int_equal(lk_tree_view_init(s->system, &view), 0);
    keep_number(trace, view.largest);
    lk_tree_view_fini(&view);
}

static void look_workers(struct scene *s, struct trace *trace)
{
    keep_number(trace, lk_system_workers_useful(s->system));
}

static void look_read(struct scene *s, struct trace *trace)
{
    struct lk_error error;

    (void)trace;
    assert_int_equal(
        lk_model_read_text("decay", decay_text, sizeof(decay_text) - 1, &s->model, &error), 0);
}

static void look_flatten(struct scene *s, struct trace *trace)
{
    static const char text[] =
        "linkage: 1\nname: m\nparts: {a: {file: pendulum.yaml, orientation: {axis: [1, 2, 3], "
        "angle: "
        "0.7}}, b: {file: pendulum.yaml, names: \"*\", mirror: y, position: [0.1, 0, 0.3]}}\n";
    struct lk_errors errors;
    char *flat = NULL;
    size_t size = 0;

    (void)s;
    assert_int_equal(lk_model_flatten("config/models", "m", text, sizeof(text) - 1, NULL, 0, &flat,
                                      &size, &errors),
                     0);
    keep(trace, flat, size / sizeof(double) * sizeof(double));
    free(flat);
}

static void look_suspension(struct scene *s, struct trace *trace)
{
    struct lk_suspension_request request = {.n_wheels = 2};
    struct lk_suspension_spring springs[8];
    struct lk_suspension *suspension;
    struct lk_suspension_curve curve;
    struct lk_system *system;
    struct lk_model *model;
    struct lk_error error;

    (void)s;
    assert_int_equal(lk_model_read_file("config/models/strut-car.yaml", &model, &error), 0);
    assert_int_equal(lk_system_new(model, &(struct lk_options){.all_rows = 1}, &system, &error), 0);
    request.wheel[0].joint = lk_system_joint_index(system, "axle_rl");
    request.wheel[1].joint = lk_system_joint_index(system, "axle_rr");
    request.wheel[0].radius = request.wheel[1].radius = 0.3;
    assert_int_equal(lk_suspension_new(system, &request, &suspension, &error), 0);
    assert_int_equal(
        lk_suspension_sweep(suspension, 0, LK_SUSPENSION_OPPOSITE, 0.02, 3, &curve, &error), 0);
    for (int i = 0; i < curve.n; i++)
        keep(trace, &curve.row[i].point[0].camber, sizeof(double));
    assert_true(lk_suspension_springs(suspension, 0, springs, 8) > 0);
    keep(trace, springs[0].ratio, sizeof(springs[0].ratio));
    lk_suspension_curve_fini(&curve);
    lk_suspension_free(suspension);
    lk_system_free(system);
    lk_model_free(model);
}

static void look_new(struct scene *s, struct trace *trace)
{
    struct lk_error error;
    struct lk_summary summary;

    /* the analyses use this system as well */
    assert_int_equal(
        lk_system_new(s->model, &(struct lk_options){.all_rows = 1}, &s->system, &error), 0);
    lk_system_summary(s->system, &summary);
    keep(trace, &summary.step_flops, sizeof(double));
    keep(trace, &summary.velocity_change, sizeof(double));
}

static void look_reset(struct scene *s, struct trace *trace)
{
    (void)trace;
    lk_system_reset(s->system);
}

/* Observe lk_system_start_at() with the present poses and velocities as the initial state. */
static void look_start_at(struct scene *s, struct trace *trace)
{
    struct lk_body_state bodies[8], body;
    struct lk_summary summary;
    struct lk_error error;

    lk_system_summary(s->system, &summary);
    assert_in_range(summary.n_bodies, 1, 8);
    for (int b = 0; b < summary.n_bodies; b++)
        lk_system_body_state(s->system, b, &bodies[b]);
    assert_int_equal(lk_system_start_at(s->system, bodies, &error), 0);
    lk_system_body_state(s->system, 0, &body);
    keep(trace, &body, sizeof(body));
}

static void look_state(struct scene *s, struct trace *trace)
{
    size_t size = lk_system_state_size(s->system);
    struct lk_error error;
    char *bytes = malloc(size);
    double last;

    assert_non_null(bytes);
    lk_system_state_get(s->system, bytes);
    memcpy(&last, bytes + size - sizeof(last), sizeof(last));
    keep_number(trace, last);
    assert_int_equal(lk_system_state_set(s->system, bytes, size, &error), 0);
    free(bytes);
}

static void look_document(struct scene *s, struct trace *trace)
{
    static const char text[] = "[1e-310, 0.1, 2.3, 1e23, 4.9e-324, 2.2250738585072011e-308]";
    struct lk_error error;
    double numbers[6];

    assert_int_equal(lk_document_parse("numbers", text, sizeof(text) - 1, &s->document, &error), 0);
    assert_int_equal(lk_node_numbers(lk_document_root(s->document), "numbers", 6, numbers, &error),
                     0);
    keep(trace, numbers, sizeof(numbers));
    lk_document_free(s->document);
}

static void look_json(struct scene *s, struct trace *trace)
{
    static const double numbers[] = {1e-310, 0.1, 2.3, 1e23, 4.9e-324};
    struct lk_json json = {0};
    char *text = NULL;
    size_t size;

    (void)s;
    json.file = open_memstream(&text, &size);
    assert_non_null(json.file);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        lk_json_number(&json, NULL, numbers[i]);
    lk_json_rounded(&json, NULL, numbers[0], 6);
    lk_json_fixed(&json, NULL, numbers[0], 320);
    fclose(json.file);
    keep(trace, text, size);
    free(text);
}

static void look_lab_open(struct scene *s, struct trace *trace)
{
    const struct lk_method method = {.integrator = "rk4", .stabilisation = "projection"};
    struct lk_error error;

    (void)trace;
    if (lk_laboratory_open(s->model, &method, &s->lab, &error) != 0)
        fail_msg("%s", error.text);
}

static void look_lab_advance(struct scene *s, struct trace *trace)
{
    const double nothing = 1e-310;
    struct lk_error error;
    struct scene own = {.system = (struct lk_system *)(uintptr_t)lk_laboratory_system(s->lab)};

    s->lab_time += 0.25; /* exact in any setting */
    if (lk_laboratory_advance(s->lab, s->lab_time, &nothing, &error) != 0)
        fail_msg("%s", error.text);
    look_outputs(&own, trace);
}

static void look_lab_report(struct scene *s, struct trace *trace)
{
    struct lk_lab_report report;

    lk_laboratory_report(s->lab, &report);
    keep(trace, &report.position, 4 * sizeof(double));
}

static void multiply(void *context, int what, int worker)
{
    volatile double *product = context;
    volatile double tiny = 1e-300;

    (void)what;
    if (worker == 1)
        *product = tiny * 1e-20;
}

static void *serve(void *pool)
{
    lk_pool_serve(pool, 1);
    return NULL;
}

static void look_pool(struct scene *s, struct trace *trace)
{
    double product = 1;
    struct lk_pool *pool;
    pthread_t thread;

    (void)s;
    assert_int_equal(lk_pool_new(2, &pool), 0);
    /* the thread inherits the setting of this thread */
    assert_int_equal(pthread_create(&thread, NULL, serve, pool), 0);
    lk_pool_run(pool, multiply, &product, 0);
    lk_pool_stop(pool);
    pthread_join(thread, NULL);
    lk_pool_free(pool);
    keep_number(trace, product);
}

/* struct row - functions that compute, and a function that calls them. @when: ONCE: before the run,
 * in this order; LOOK: every few steps; ONCE_AFTER: after the run */
enum when { ONCE, LOOK, ONCE_AFTER };
static const struct row {
    const char *functions;
    enum when when;
    void (*look)(struct scene *scene, struct trace *trace);
} rows[] = {
    {"lk_document_parse lk_node_number lk_node_numbers lk_node_read_number lk_node_read_number_or "
     "lk_node_read_numbers lk_node_read_numbers_or",
     ONCE, look_document},
    {"lk_json_number lk_json_rounded lk_json_fixed", ONCE, look_json},
    {"lk_model_read_text lk_model_read_file lk_model_read_text_all lk_model_read_file_all "
     "lk_model_read_text_in lk_model_read_file_with lk_model_read_text_with lk_setting_parse "
     "lk_settings_read lk_settings_write lk_numbers_new lk_numbers_new_in",
     ONCE, look_read},
    {"lk_model_flatten lk_model_text", ONCE, look_flatten},
    {"lk_formulation_choose lk_system_new lk_system_new_within lk_system_summary", ONCE, look_new},
    {"lk_findings_init lk_findings_start", ONCE, look_findings},
    {"lk_pace_init", ONCE, look_pace},
    {"lk_scene_assemble", ONCE, look_assembly},
    {"lk_scene_new lk_scene_gap lk_scene_place lk_scene_span lk_scene_turn", ONCE, look_scene},
    {"lk_system_workers_useful", ONCE, look_workers},
    {"lk_pool_serve", ONCE, look_pool},
    {"lk_laboratory_open", ONCE, look_lab_open},
    {"lk_system_step", LOOK, look_step},
    {"lk_system_run", LOOK, look_run},
    {"lk_energy_begin lk_energy_look lk_energy_account lk_energy_balance lk_energy_appears "
     "lk_energy_explodes",
     LOOK, look_energy},
    {"lk_system_outputs", LOOK, look_outputs},
    {"lk_system_body_state", LOOK, look_body_state},
    {"lk_system_joint_reaction", LOOK, look_reaction},
    {"lk_system_health lk_system_dependent_rows", LOOK, look_health},
    {"lk_system_extent", LOOK, look_extent},
    {"lk_system_state_get lk_system_state_set", LOOK, look_state},
    {"lk_row_text", LOOK, look_row},
    {"lk_mobility_init", LOOK, look_mobility},
    {"lk_pose_check_init", LOOK, look_pose},
    {"lk_tree_view_init", LOOK, look_tree},
    {"lk_system_start_at", ONCE_AFTER, look_start_at},
    {"lk_system_reset", ONCE_AFTER, look_reset},
    {"lk_system_outputs", ONCE_AFTER, look_outputs},
    {"lk_linear_init lk_linear_init_with lk_modes_find", ONCE_AFTER, look_modes},
    {"lk_suspension_new lk_suspension_sweep lk_suspension_springs", ONCE_AFTER, look_suspension},
    {"lk_laboratory_report", ONCE_AFTER, look_lab_report},
    {"lk_laboratory_advance lk_laboratory_system", ONCE_AFTER, look_lab_advance},
};

#define ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

/* Functions that compute nothing, by name or by prefix: they copy, count, allocate, free, wait or
 * return names. lk_system_time() is the product of two positive numbers; lk_pool_run() computes
 * what its caller provides. */
static const char others[] =
    " lk_also lk_build_ lk_edit_distance lk_nearest lk_meant lk_document_ lk_node_ lk_host_ "
    "lk_ptp_ lk_ptp_ "
    "lk_error_ "
    "lk_errors_ lk_file_ lk_hash lk_crc32 lk_crc32_join lk_text_ "
    "lk_stacks_ "
    "lk_treatment_ lk_direction_text lk_version_text "
    "lk_body_text "
    "lk_joint_coordinate_is_angle lk_input_is_load lk_input_is_along lk_coupled_joints "
    "lk_system_equilibrium lk_channel_index lk_system_input_index lk_system_output_index "
    "lk_status_text lk_step_fault_text lk_version "
    "lk_energy_known_source "
    "lk_joint_text "
    "lk_free_coordinate_text"
    " lk_mobility_fini lk_linear_fini lk_modes_free lk_pose_check_fini lk_tree_view_fini "
    "lk_findings_fini lk_pool_free "
    "lk_pool_new"
    " lk_scene_free lk_system_poses lk_pool_rest lk_pool_rouse lk_pool_run lk_pool_set_mark "
    "lk_pool_size lk_pool_stop"
    " lk_pool_wait_ready lk_json_bool lk_json_close lk_json_count lk_json_end lk_json_line"
    " lk_json_null lk_json_open lk_json_text lk_json_texts lk_laboratory_blas "
    "lk_laboratory_change_step "
    "lk_laboratory_close "
    "lk_laboratory_formulations "
    "lk_laboratory_integrators lk_laboratory_keep_inputs"
    " lk_system_state_copy lk_state_seal lk_settings_add lk_settings_fini lk_numbers_list "
    "lk_model_has_parts lk_suspension_free lk_suspension_axles lk_suspension_floating "
    "lk_suspension_contact "
    "lk_suspension_curve_fini "
    "lk_numbers_free lk_model_parameters"
    " lk_laboratory_time lk_model_free lk_model_name lk_model_files lk_system_body_index "
    "lk_system_body_name"
    " lk_system_engine lk_system_free lk_system_input_channels "
    "lk_system_input_size"
    " lk_system_input_period lk_system_input_delay"
    " lk_system_joint_index lk_system_joint_name lk_system_note lk_system_output_channels"
    " lk_system_output_size lk_system_set_pool lk_system_shares_work lk_system_step_count"
    " lk_system_state_size lk_system_step_size lk_system_time ";

/* Call the functions of all rows. Return the number of rows that changed the caller's setting. */
static int count_changes(enum when when, uint64_t word, struct scene *scene, struct trace *traces)
{
    int n = 0;

    for (int i = 0; i < ROWS; i++) {
        uint64_t after;

        if (rows[i].when != when)
            continue;
        set(word);
        rows[i].look(scene, &traces[i]);
        after = setting();
        set(settings[0]);
        n += after != word;
        if (after != word)
            print_error("%s: the caller's setting was %llx and is %llx\n", rows[i].functions,
                        (unsigned long long)word, (unsigned long long)after);
    }
    return n;
}

static int run(uint64_t word, struct trace *traces)
{
    struct scene scene = {0};
    int n = count_changes(ONCE, word, &scene, traces);

    for (int i = 0; i < STEPS && n < 20; i += LOOKED)
        n += count_changes(LOOK, word, &scene, traces);
    n += count_changes(ONCE_AFTER, word, &scene, traces);
    lk_laboratory_close(scene.lab);
    lk_system_free(scene.system);
    lk_model_free(scene.model);
    return n;
}

/* Return 1 if the bits of two traces differ. */
static int differ(const struct row *row, uint64_t word, const struct trace *a,
                  const struct trace *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (memcmp(&a->values[i], &b->values[i], sizeof(double)) != 0) {
            print_error("%s: value %zu is %.17g, and %.17g where the caller has set %llx\n",
                        row->functions, i, a->values[i], b->values[i], (unsigned long long)word);
            return 1;
        }
    return a->n != b->n;
}

static void test_bits_are_the_librarys(void **state)
{
    struct trace plain[ROWS] = {{0}};
    int n;

    (void)state;
    if (!HAS_SETTING)
        skip_because("this test cannot set the arithmetic of this processor",
                     "nothing: it is for x86 and aarch64");
    n = run(settings[0], plain);
    for (int k = 1; k < SETTINGS; k++) {
        struct trace traces[ROWS] = {{0}};

        n += run(settings[k], traces);
        for (int i = 0; i < ROWS; i++) {
            n += differ(&rows[i], settings[k], &plain[i], &traces[i]);
            free(traces[i].values);
        }
    }
    for (int i = 0; i < ROWS; i++)
        free(plain[i].values);
    assert_int_equal(n, 0);
}

/* ---- the table compared with the headers ---- */

#define HEADER_SIZE 65536

static void read_header(const char *folder, const char *name, char text[HEADER_SIZE])
{
    char path[512];
    size_t n;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    n = fread(text, 1, HEADER_SIZE - 1, file);
    fclose(file);
    assert_true(n > 0 && n < HEADER_SIZE - 1);
    text[n] = '\0';
}

static void blank_comments(char *text)
{
    char *end, *at = text;

    while ((at = strstr(at, "/*")) != NULL && (end = strstr(at, "*/")) != NULL) {
        memset(at, ' ', (size_t)(end + 2 - at));
        at = end;
    }
}

static int is_word(const char *list, const char *name, size_t size)
{
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += size)
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return 1;
    return 0;
}

/* Return 1 if @name is among the functions that compute nothing. */
static int is_other(const char *name)
{
    for (const char *at = strchr(others, 'l'); at; at = strstr(at + 1, " lk_")) {
        size_t size;

        at += *at == ' ';
        size = strcspn(at, " ");
        if (strncmp(at, name, size) == 0 && (name[size] == '\0' || at[size - 1] == '_'))
            return 1;
    }
    return 0;
}

static int is_listed(const char *name)
{
    int listed = is_other(name);

    for (int i = 0; i < ROWS && !listed; i++)
        listed = is_word(rows[i].functions, name, strlen(name));
    return listed;
}

/* Check each function that @text declares: it must be in the table, or among those that compute
 * nothing. Return the number of functions. */
static int check_functions(const char *header, const char *text)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, "lk_")) != NULL; at += 3) {
        size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        char name[64];

        if (at[size] != '(' || strchr(" *(", at[-1]) == NULL)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)size, at);
        n++;
        if (!is_listed(name))
            fail_msg("%s: %s() is not in the table of %s", header, name, __FILE__);
    }
    return n;
}

static int check_folder(const char *folder)
{
    static char text[HEADER_SIZE];
    struct dirent *entry;
    int n = 0;
    DIR *dir = opendir(folder);

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        size_t size = strlen(entry->d_name);

        if (size < 3 || strcmp(entry->d_name + size - 2, ".h") != 0)
            continue;
        read_header(folder, entry->d_name, text);
        blank_comments(text);
        n += check_functions(entry->d_name, text);
    }
    closedir(dir);
    return n;
}

static void test_table_is_whole(void **state)
{
    int n = 0;

    (void)state;
    for (int i = 0; header_folders[i] != NULL; i++)
        n += check_folder(header_folders[i]);
    assert_in_range(n, 70, 1000);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_are_the_librarys),
        cmocka_unit_test(test_table_is_whole),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER-OF-HEADERS...\n", argv[0]);
        return 2;
    }
    header_folders = argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
