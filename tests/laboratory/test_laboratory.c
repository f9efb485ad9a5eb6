/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the laboratory: which choices fit together, steps of the library as in the daemon,
 * and the measurements beside them. */
#include "cmocka_all.h"
#include "linkage/laboratory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct lk_model *read_model(const char *name)
{
    struct lk_model *model = NULL;
    struct lk_error error;
    char path[128];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static struct lk_laboratory *open_lab(const struct lk_model *model, const struct lk_method *method)
{
    struct lk_laboratory *lab = NULL;
    struct lk_error error;

    if (lk_laboratory_open(model, method, &lab, &error) != 0)
        fail_msg("%s: %s", method->formulation, error.text);
    return lab;
}

static void advance(struct lk_laboratory *lab, double t)
{
    struct lk_error error;

    if (lk_laboratory_advance(lab, t, NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(lk_laboratory_time(lab) == t);
}

/* ---- steps of the library ---- */

static void same_states(const struct lk_system *a, const struct lk_system *b, int n_bodies)
{
    struct lk_body_state x, y;

    for (int i = 0; i < n_bodies; i++) {
        lk_system_body_state(a, i, &x);
        lk_system_body_state(b, i, &y);
        assert_memory_equal(&x, &y, sizeof(x));
    }
}

/* The measurement of drift writes scratch of the system: the motion must keep every bit. the
 * formulation by its name is the one that the model leaves open. */
static void own_steps_have_the_same_bits(void **state)
{
    static const char *const models[] = {"four-bar", "chain-128", "strut", "slider-crank-3d"};
    static const double none[16];

    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
        struct lk_model *model = read_model(models[i]);
        struct lk_laboratory *lab = open_lab(model, &(struct lk_method){.formulation = "rattle"});
        struct lk_system *system = NULL;
        struct lk_summary summary;

        assert_int_equal(lk_system_new(model, NULL, &system, NULL), 0);
        lk_system_summary(system, &summary);
        for (int k = 1; k <= 60; k++) {
            assert_int_equal(lk_system_step(system, none), 0);
            advance(lab, k * 1e-3);
        }
        same_states(lk_laboratory_system(lab), system, summary.n_bodies);
        lk_laboratory_close(lab);
        lk_system_free(system);
        lk_model_free(model);
    }
}

static const char with_condition[] =
    "linkage: 1\nname: link\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  link: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], angular_velocity: [0, 0, 3],"
    " velocity: [0, 1.5, 0]}\n"
    "joints:\n  hinge: {type: revolute, bodies: [ground, link], point: [0, 0, 0], axis: [0, 0, "
    "1]}\n"
    "outputs:\n  health: {type: condition}\n";

/* the report gives the largest values that the system reports after each step, also of
 * accelerations, which the system only evaluates for an output of the model */
static void drift_is_what_the_system_says(void **state)
{
    static const char *const names[] = {"ali3", "ali3:euler-parameters", "rk4"};
    double largest[3];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct lk_model *model = NULL;
        struct lk_method method = {.formulation = names[i], .step = 0.01};
        struct lk_lab_report report;
        struct lk_laboratory *lab;
        struct lk_health health;

        assert_int_equal(
            lk_model_read_text("link", with_condition, strlen(with_condition), &model, NULL), 0);
        lab = open_lab(model, &method);
        memset(largest, 0, sizeof(largest));
        for (int k = 1; k <= 50; k++) {
            advance(lab, k * method.step);
            lk_system_health(lk_laboratory_system(lab), &health);
            largest[0] = fmax(largest[0], health.residual_position);
            largest[1] = fmax(largest[1], health.residual_velocity);
            largest[2] = fmax(largest[2], health.residual_acceleration);
        }
        lk_laboratory_report(lab, &report);
        assert_true(report.position == largest[0]);
        assert_true(report.velocity == largest[1]);
        assert_true(largest[2] > 0 && report.acceleration == largest[2]);
        assert_true(report.energy > 0);
        /* a clock of processor time may not have moved yet */
        for (int k = 51; k < 100000 && report.cpu_s <= 0; k++) {
            advance(lab, k * method.step);
            lk_laboratory_report(lab, &report);
        }
        assert_true(report.cpu_s > 0);
        lk_laboratory_close(lab);
        lk_model_free(model);
    }
}

static void own_work_is_counted(void **state)
{
    static const struct {
        const char *name;
        unsigned rates;
    } known[] = {{"ali3", 3},   {"ali3:order-3", 9},    {"ali3:order-4", 18},
                 {"rattle", 5}, {"rattle:order-4", 12}, {"rattle:order-6", 24},
                 {"rk4", 4}};
    struct lk_model *model = read_model("pendulum");

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct lk_method method = {.formulation = known[i].name, .step = 0.01};
        struct lk_laboratory *lab = open_lab(model, &method);
        struct lk_lab_report report;

        advance(lab, 0.2);
        lk_laboratory_report(lab, &report);
        assert_int_equal(report.steps, 20);
        assert_int_equal(report.rates, 20 * known[i].rates);
        lk_laboratory_close(lab);
    }
    lk_model_free(model);
}

/* nothing chosen: the model's own step, whatever its solver section contains */
static void nothing_said_is_the_models(void **state)
{
    static const char text[] =
        "linkage: 1\nname: free\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0],"
        " velocity: [1, 0, 0]}\nsolver: {formulation: rk4, step: 0.01}\n";
    struct lk_lab_report report;
    struct lk_model *model = NULL;
    struct lk_laboratory *lab;

    (void)state;
    assert_int_equal(lk_model_read_text("free", text, strlen(text), &model, NULL), 0);
    lab = open_lab(model, &(struct lk_method){0});
    advance(lab, 0.5);
    lk_laboratory_report(lab, &report);
    assert_int_equal(report.steps, 50);
    assert_int_equal(report.rates, 200);
    lk_laboratory_close(lab);
    lk_model_free(model);
}

static void steps_that_cannot_be_made_say_why(void **state)
{
    struct lk_model *model = read_model("free-body");
    struct lk_method method = {.formulation = "ali3", .step = 0.01};
    struct lk_laboratory *lab = open_lab(model, &method);
    double spin[3] = {0, 1e9, 0};
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_laboratory_advance(lab, 0.005, NULL, &error), LK_E_STALLED);
    assert_string_equal(error.text, "t = 0.005 s is not a multiple of the step of 0.01 s");
    assert_int_equal(lk_laboratory_advance(lab, 0.05, spin, &error), LK_E_STALLED);
    assert_non_null(strstr(error.text, "more than half a turn, expected a shorter step"));
    spin[1] = NAN;
    assert_int_equal(lk_laboratory_advance(lab, 0.05, spin, &error), LK_E_NOT_FINITE);
    lk_laboratory_close(lab);
    lk_model_free(model);
}

/* ---- formulations with an integrator ---- */

/* Joint coordinates cannot drift on a tree; the report covers the accepted states. */
static void methods_are_driven(void **state)
{
    struct lk_model *model = read_model("double-pendulum");
    struct lk_method method = {
        .formulation = "recursive", .integrator = "rk4", .step = 0.01, .tolerance = 0};
    struct lk_laboratory *lab = open_lab(model, &method);
    struct lk_lab_report report;

    (void)state;
    advance(lab, 0.2);
    lk_laboratory_report(lab, &report);
    assert_int_equal(report.steps, 20);
    assert_int_equal(report.rates, 80);
    assert_true(report.position < 1e-14 && report.velocity < 1e-13 && report.acceleration < 1e-12);
    assert_true(report.energy > 0 && report.energy < 1e-5);
    assert_true(fabs(lk_system_time(lk_laboratory_system(lab)) - 0.2) < 1e-12);
    lk_laboratory_close(lab);
    lk_model_free(model);
}

/* a tolerance selects the integrator with error control; a tighter one takes more steps */
static void a_tolerance_controls_the_error(void **state)
{
    struct lk_model *model = read_model("double-pendulum");
    unsigned long long steps[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_method method = {.formulation = "recursive", .tolerance = i ? 1e-10 : 1e-4};
        struct lk_laboratory *lab = open_lab(model, &method);
        struct lk_lab_report report;

        advance(lab, 1);
        lk_laboratory_report(lab, &report);
        steps[i] = report.steps;
        lk_laboratory_close(lab);
    }
    assert_true(steps[1] > 3 * steps[0]);
    lk_model_free(model);
}

/* ---- dense output ---- */

#define DENSE_END 1.0

/* Run to DENSE_END by way of @n times. @ret: state of body 1 at each of them;  return the report */
static struct lk_lab_report run_by(const struct lk_model *model, const struct lk_method *method,
                                   int n, struct lk_body_state *ret)
{
    struct lk_laboratory *lab = open_lab(model, method);
    struct lk_lab_report report;

    lk_laboratory_keep_inputs(lab);
    for (int i = 0; i < n; i++) {
        advance(lab, DENSE_END * (i + 1) / n);
        lk_system_body_state(lk_laboratory_system(lab), 1, &ret[i]);
    }
    lk_laboratory_report(lab, &report);
    lk_laboratory_close(lab);
    return report;
}

static double distance(const struct lk_body_state *a, const struct lk_body_state *b)
{
    double d = 0;

    for (int i = 0; i < 3; i++)
        d = fmax(
            d, fmax(fabs(a->position[i] - b->position[i]), fabs(a->velocity[i] - b->velocity[i])));
    return d;
}

/* A method with error control makes the same steps however often it is asked; the states in between
 * are those of its interpolant, as accurate as its tolerance; and the drift is that of the steps.
 */
static void rows_do_not_shorten_steps(void **state)
{
    static const struct lk_method methods[] = {
        {.formulation = "recursive", .integrator = "dormand-prince", .tolerance = 1e-8},
        {.formulation = "recursive", .integrator = "adams", .tolerance = 1e-8},
        {.formulation = "hdca:as-printed", .integrator = "adams", .tolerance = 1e-8},
        {.formulation = "recursive", .integrator = "radau", .tolerance = 1e-8},
        {.formulation = "absolute", .integrator = "radau:ggl", .tolerance = 1e-8},
        {.formulation = "absolute", .integrator = "radau:index-2", .tolerance = 1e-8},
        {.formulation = "absolute", .integrator = "ida:ggl", .tolerance = 1e-8},
        {.formulation = "recursive", .integrator = "cvode:bdf", .tolerance = 1e-8},
        {.formulation = "absolute", .integrator = "cvode:adams", .tolerance = 1e-8},
        {.formulation = "recursive", .integrator = "arkode-erk", .tolerance = 1e-8},
        {.formulation = "recursive", .integrator = "arkode-dirk", .tolerance = 1e-8},
        {.formulation = "hdca:as-printed", .integrator = "dormand-prince", .tolerance = 1e-8},
        {.formulation = "dca:corrected", .integrator = "dormand-prince", .tolerance = 1e-8}};
    enum { N = 500 };
    struct lk_model *model = read_model("double-pendulum");
    struct lk_body_state exact[N], often[N], seldom;

    (void)state;
    run_by(model, &(struct lk_method){.formulation = "rk4", .step = 1e-3}, N, exact);
    for (size_t k = 0; k < sizeof(methods) / sizeof(*methods); k++) {
        struct lk_lab_report a = run_by(model, &methods[k], N, often),
                             b = run_by(model, &methods[k], 1, &seldom);
        double error = 0;

        for (int i = 0; i < N; i++)
            error = fmax(error, distance(&often[i], &exact[i]));
        printf("    %-20s %-16s %llu steps, error %.1e\n", methods[k].formulation,
               methods[k].integrator, a.steps, error);
        assert_true(a.steps == b.steps && a.rates == b.rates);
        assert_true(a.position == b.position && a.energy == b.energy);
        assert_true(memcmp(&often[N - 1], &seldom, sizeof(seldom)) == 0);
        assert_true(a.steps < N);
        assert_true(error < 2e-5);
    }
    lk_model_free(model);
}

/* Where inputs may change, steps end where they do: a torque that begins at 0.5 s */
static void steps_end_where_inputs_change(void **state)
{
    struct lk_model *model = read_model("four-bar");
    struct lk_method method = {.formulation = "recursive", .tolerance = 1e-9};
    struct lk_laboratory *lab = open_lab(model, &method), *fixed;
    struct lk_method exact = {.formulation = "rk4", .step = 2.5e-4};
    struct lk_body_state a, b;
    struct lk_error error;
    double torque[2] = {0, 3};

    (void)state;
    fixed = open_lab(model, &exact);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lk_laboratory_advance(lab, 0.5 * (i + 1), &torque[i], &error), 0);
        assert_int_equal(lk_laboratory_advance(fixed, 0.5 * (i + 1), &torque[i], &error), 0);
    }
    lk_system_body_state(lk_laboratory_system(lab), 1, &a);
    lk_system_body_state(lk_laboratory_system(fixed), 1, &b);
    printf("    %.1e\n", distance(&a, &b));
    assert_true(distance(&a, &b) < 1e-6);
    lk_laboratory_close(lab);
    lk_laboratory_close(fixed);
    lk_model_free(model);
}

/* With radius 1 a mode that is fast for the step persists, with 0 it vanishes: the oscillation of
 * the reaction at the start of Example 8 (M. Arnold, DAE aspects of multibody system dynamics,
 * 2016). */
static void the_spectral_radius_damps(void **state)
{
    struct lk_model *model = read_model("pendulum-aside");
    double ringing[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_method method = {.integrator = "generalized-alpha:index-3",
                                   .step = 0.01,
                                   .spectral_radius = i ? 1 : 0.1};
        struct lk_laboratory *lab = open_lab(model, &method);
        double before[6], at[6], after[6];

        advance(lab, 0.5);
        lk_system_joint_reaction(lk_laboratory_system(lab), 0, before);
        advance(lab, 0.51);
        lk_system_joint_reaction(lk_laboratory_system(lab), 0, at);
        advance(lab, 0.52);
        lk_system_joint_reaction(lk_laboratory_system(lab), 0, after);
        ringing[i] = hypot(before[0] - 2 * at[0] + after[0], before[1] - 2 * at[1] + after[1]);
        lk_laboratory_close(lab);
    }
    assert_true(ringing[1] > 5 * ringing[0]);
    lk_model_free(model);
}

/* ---- choices that do not fit together ---- */

static void misfits_are_refused(void **state)
{
    static const struct {
        struct lk_method method;
        const char *says;
    } known[] = {
        {{.formulation = "newton"},
         "no formulation 'newton', expected one of ali3, rattle, rk4, dca"},
        {{.formulation = "ali3:order-5"}, "no formulation 'ali3:order-5'"},
        {{.formulation = "complement:lu"}, "expected complement, or with a colon one of qr"},
        {{.formulation = "absolute", .integrator = "euler"}, "no integrator 'euler', expected"},
        {{.formulation = "absolute", .integrator = "rk4:5"}, "expected one of rk4"},
        {{.formulation = "ali3", .integrator = "rk4"}, "expected no integrator with it"},
        {{.formulation = "rk4", .tolerance = 1e-6}, "makes fixed steps, expected no tolerance"},
        {{.formulation = "ali3", .orientation = "lie"}, "has its own orientations"},
        {{.formulation = "ali3", .stabilisation = "none"}, "expected no stabilisation with it"},
        {{.formulation = "absolute", .integrator = "rk4", .tolerance = 1e-6},
         "with error control: dormand-prince"},
        {{.formulation = "hdca", .integrator = "generalized-alpha"},
         "expected formulation absolute with it instead of hdca"},
        {{.formulation = "dca", .orientation = "angles"}, "expected no orientation with it"},
        {{.formulation = "hdca", .integrator = "adams", .tolerance = 1e-6},
         "expected hdca:as-printed with it"},
        {{.formulation = "absolute", .integrator = "adams"}, "expected a tolerance"},
        {{.formulation = "absolute", .absolute_tolerance = 1e-6}, "expected both"},
        {{.formulation = "absolute", .orientation = "rodrigues"},
         "no orientation 'rodrigues', expected lie, parameters, angles, euler or resal"},
        {{.formulation = "absolute", .stabilisation = "ggl"},
         "no stabilisation 'ggl', expected none, baumgarte, projection or position"},
        {{.formulation = "dca", .stabilisation = "position"}, "expected projection with dca"},
        {{.integrator = "radau:ggl", .stabilisation = "position"}, "expected projection with rad"},
        {{.formulation = "ali3", .spectral_radius = 0.5}, "ali3 has no spectral radius"},
        {{.integrator = "half-explicit", .spectral_radius = 0.5}, "generalized-alpha has"},
        {{.integrator = "dormand-prince", .kappa = 0.1}, "dormand-prince has no kappa; radau"},
        {{.integrator = "generalized-alpha", .kappa = 0.1}, "generalized-alpha has no kappa"},
        {{.formulation = "absolute", .baumgarte = {2, 2}}, "expected stabilisation baumgarte"},
    };
    struct lk_model *model = read_model("pendulum");

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct lk_laboratory *lab = NULL;
        struct lk_error error = {""};

        assert_int_equal(lk_laboratory_open(model, &known[i].method, &lab, &error), LK_E_MODEL);
        assert_null(lab);
        if (strstr(error.text, known[i].says) == NULL)
            fail_msg("'%s' instead of '%s'", error.text, known[i].says);
    }
    lk_model_free(model);
}

/* an unsupported model has the same message as everywhere */
static void models_that_do_not_fit_are_refused(void **state)
{
    struct lk_method method = {.formulation = "absolute", .integrator = "rk4"};
    struct lk_model *model = read_model("steering");
    struct lk_laboratory *lab = NULL;
    struct lk_error error = {""};

    (void)state;
    assert_int_equal(lk_laboratory_open(model, &method, &lab, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "expected formulation rattle"));
    lk_model_free(model);
}

/* The outputs at the start already come from the formulation: reactions of redundant joints are
 * nearly the same a microsecond later. */
static void first_samples_are_like_the_next(void **state)
{
    static const char *const names[] = {"dca", "hdca", "recursive", "complement", "absolute"};
    struct lk_model *model = read_model("strut-redundant");

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct lk_method method = {.formulation = names[i], .integrator = "rk4", .step = 1e-6};
        struct lk_laboratory *lab = open_lab(model, &method);
        const struct lk_system *system = lk_laboratory_system(lab);
        double before[64], after[64];
        int n = lk_system_output_size(system);

        assert_true(n <= 64);
        lk_system_outputs(system, before);
        advance(lab, 1e-6);
        lk_system_outputs(system, after);
        for (int k = 0; k < n; k++)
            if (fabs(before[k] - after[k]) > 1e-4 * (1 + fabs(after[k])))
                fail_msg("%s: output %d is %.9g, then %.9g", names[i], k, before[k], after[k]);
        lk_laboratory_close(lab);
    }
    lk_model_free(model);
}

/* every name in the tables can be opened on a model that all support, or its message says what it
 * needs */
static void tables_name_what_there_is(void **state)
{
    struct lk_model *model = read_model("double-pendulum"),
                    *touching = read_model("box-on-platform");
    int n, n_default = 0;
    const struct lk_lab_name *names = lk_laboratory_formulations(&n);

    (void)state;
    for (int i = 0; i < n; i++) {
        struct lk_method method = {.formulation = names[i].name, .step = 1e-3};
        bool is_of_contacts = strcmp(names[i].name, "rattle:exact-contact") == 0;

        lk_laboratory_close(open_lab(is_of_contacts ? touching : model, &method));
        n_default += names[i].is_default;
        assert_true(strlen(names[i].paper) > 0 || strchr(names[i].name, ':') != NULL);
    }
    assert_true(n_default >= 7);
    names = lk_laboratory_integrators(&n);
    for (int i = 0; i < n; i++) {
        struct lk_method method = {.formulation = "absolute",
                                   .integrator = names[i].name,
                                   .tolerance = names[i].has_error_control ? 1e-6 : 0};

        lk_laboratory_close(open_lab(model, &method));
    }
    lk_model_free(touching);
    lk_model_free(model);
}

/* All threads share the tables, so reading them writes nothing. */
static void tables_are_made_once(void **state)
{
    int n;
    const struct lk_lab_name *formulations = lk_laboratory_formulations(&n);
    const struct lk_lab_name *integrators = lk_laboratory_integrators(&n);
    struct lk_lab_name *marked[] = {(struct lk_lab_name *)formulations,
                                    (struct lk_lab_name *)integrators};

    (void)state;
    for (int i = 0; i < 2; i++) {
        int own = marked[i]->is_own;

        marked[i]->is_own = 77;
        assert_ptr_equal(lk_laboratory_formulations(&n), formulations);
        assert_ptr_equal(lk_laboratory_integrators(&n), integrators);
        assert_int_equal(marked[i]->is_own, 77);
        marked[i]->is_own = own;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_steps_have_the_same_bits),
        cmocka_unit_test(drift_is_what_the_system_says),
        cmocka_unit_test(own_work_is_counted),
        cmocka_unit_test(nothing_said_is_the_models),
        cmocka_unit_test(steps_that_cannot_be_made_say_why),
        cmocka_unit_test(methods_are_driven),
        cmocka_unit_test(a_tolerance_controls_the_error),
        cmocka_unit_test(rows_do_not_shorten_steps),
        cmocka_unit_test(steps_end_where_inputs_change),
        cmocka_unit_test(the_spectral_radius_damps),
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(models_that_do_not_fit_are_refused),
        cmocka_unit_test(first_samples_are_like_the_next),
        cmocka_unit_test(tables_name_what_there_is),
        cmocka_unit_test(tables_are_made_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
