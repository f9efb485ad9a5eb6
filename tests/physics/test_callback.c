/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that functions of the program compute: compared with equivalent elements of the library
 * and with closed forms. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STIFFNESS 400.
#define DAMPING   3.

/* two arms with a force at the elbow */
#define ARMS(solver, element)                                                                      \
    "linkage: 1\nname: arms\ngravity: [0, -9.81, 0]\nsolver: {step: 0.001" solver "}\nbodies:\n"   \
    "  upper: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"                        \
    "  lower: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [1.5, 0, 0]}\n"                        \
    "joints:\n"                                                                                    \
    "  shoulder: {type: revolute, bodies: [ground, upper], point: [0, 0, 0], axis: [0, 0, 1]}\n"   \
    "  elbow: {type: revolute, bodies: [upper, lower], point: [1, 0, 0], axis: [0, 0, 1]}\n"       \
    "forces:\n  spring: {" element "}\n"                                                           \
    "outputs:\n  angle: {type: joint-position, joint: elbow}\n"                                    \
    "  torque: {type: force, force: spring}\n  work: {type: work}\n"

static void spring(void *context, double value, double rate, struct lk_callback_force *ret)
{
    const double *factor = context;

    *ret = (struct lk_callback_force){
        .force = -*factor * (STIFFNESS * value + DAMPING * rate),
        .stiffness = *factor * STIFFNESS,
        .damping = *factor * DAMPING,
    };
}

static int compile(const char *text, const struct lk_options *options, struct lk_system **ret,
                   struct lk_error *error)
{
    struct lk_model *model;
    int r = lk_model_read_text("text", text, strlen(text), &model, error);

    if (r != 0)
        return r;
    r = lk_system_new(model, options, ret, error);
    lk_model_free(model);
    return r;
}

static struct lk_system *make(const char *text, const struct lk_options *options)
{
    struct lk_system *system;
    struct lk_error error;

    if (compile(text, options, &system, &error) != 0)
        fail_msg("%s", error.text);
    return system;
}

/* The callback gives the same motion and the same force output as an element of the model. */
static void as_an_element(const char *element, const char *callback, const char *engine)
{
    double one = 1, a[16], b[16];
    struct lk_callback callbacks[] = {{"spring", spring, &one}, {NULL}};
    struct lk_system *x = make(element, &(struct lk_options){.engine = engine});
    struct lk_system *y =
        make(callback, &(struct lk_options){.engine = engine, .callbacks = callbacks});

    callbacks[0] = (struct lk_callback){NULL}; /* the list is only read by the compiler */
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(lk_system_step(x, NULL), 0);
        assert_int_equal(lk_system_step(y, NULL), 0);
        lk_system_outputs(x, a);
        lk_system_outputs(y, b);
        assert_true(fabs(a[0] - b[0]) < 1e-9);
        assert_true(fabs(a[1] - b[1]) < 1e-6);
    }
    lk_system_free(x);
    lk_system_free(y);
}

static void test_as_an_element(void **state)
{
    (void)state;
    as_an_element(ARMS("", "type: joint-spring-damper, joint: elbow, stiffness: 400, damping: 3"),
                  ARMS("", "type: callback, joint: elbow"), "none");
    as_an_element(ARMS("", "type: joint-spring-damper, joint: elbow, stiffness: 400, damping: 3"),
                  ARMS("", "type: callback, joint: elbow"), "auto");
    as_an_element(ARMS(", formulation: ali3",
                       "type: joint-spring-damper, joint: elbow, stiffness: 400, damping: 3"),
                  ARMS(", formulation: ali3", "type: callback, joint: elbow"), "none");
}

/* a mass on a spring above a magnet with the force c / (gap - x)^2: at rest, and oscillating about
 * this position */
#define MAGNET                                                                                     \
    "linkage: 1\nname: magnet\ngravity: [0, 0, 0]\nsolver: {step: 0.0005}\nbodies:\n"              \
    "  ball: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0]}\njoints:\n"             \
    "  guide: {type: prismatic, bodies: [ground, ball], point: [0, 0, 0], axis: [1, 0, 0]}\n"      \
    "forces:\n  spring: {type: joint-spring-damper, joint: guide, stiffness: 100}\n"               \
    "  magnet: {type: callback, joint: guide}\n"                                                   \
    "outputs:\n  x: {type: joint-position, joint: guide}\n  work: {type: work}\n"

#define STRENGTH 0.05
#define GAP      0.1

static void magnet(void *context, double value, double rate, struct lk_callback_force *ret)
{
    int *calls = context;

    (void)rate;
    ++*calls;
    ret->force = STRENGTH * 1e-1 / ((GAP - value) * (GAP - value));
}

static double potential(double x)
{
    return 50 * x * x - STRENGTH * 1e-1 / (GAP - x);
}

static void test_magnet(void **state)
{
    int calls = 0, crossings = 0;
    struct lk_callback callbacks[] = {{"magnet", magnet, &calls}, {NULL}};
    struct lk_system *system =
        make(MAGNET, &(struct lk_options){.callbacks = callbacks, .equilibrium = 1});
    double rest, x[8], before = 0, first = 0, last = 0, curvature;
    struct lk_body_state body;

    (void)state;
    lk_system_outputs(system, x);
    rest = x[0];
    assert_true(fabs(100 * rest - STRENGTH * 1e-1 / ((GAP - rest) * (GAP - rest))) < 1e-8);
    lk_system_free(system);
    system = make(MAGNET, &(struct lk_options){.callbacks = callbacks});
    /* the mass starts at 0 and oscillates about its position of rest; the energy of the mass is the
     * sum of both potentials */
    for (int i = 1; i <= 20000; i++) {
        double energy;

        assert_int_equal(lk_system_step(system, NULL), 0);
        lk_system_body_state(system, 0, &body);
        energy = 0.25 * body.velocity[0] * body.velocity[0] + potential(body.position[0]);
        assert_true(fabs(energy - potential(0)) < 2e-6);
        if (before < rest && body.position[0] >= rest) {
            last = i;
            first = crossings++ == 0 ? i : first;
        }
        before = body.position[0];
    }
    /* For a small oscillation the frequency is that of the curvature at rest. 2 %: effect of the
     * finite amplitude. */
    curvature = 100 - 2 * STRENGTH * 1e-1 / pow(GAP - rest, 3);
    assert_true(fabs(2 * M_PI * (crossings - 1) / ((last - first) * 5e-4) - sqrt(curvature / 0.5)) <
                0.02 * sqrt(curvature / 0.5));
    assert_true(calls > 20000);
    lk_system_free(system);
}

static void none(void *context, double value, double rate, struct lk_callback_force *ret)
{
    (void)context, (void)value, (void)rate, (void)ret;
}

/* A callback whose force is the value of @context, NAN included. */
static void nan_force(void *context, double value, double rate, struct lk_callback_force *ret)
{
    const double *force = context;

    (void)value, (void)rate;
    ret->force = *force;
}

static void expect_refusal(const char *text, const struct lk_callback *callbacks, const char *line)
{
    struct lk_system *system;
    struct lk_error error;

    assert_int_equal(compile(text, &(struct lk_options){.callbacks = callbacks}, &system, &error),
                     LK_E_MODEL);
    assert_string_equal(error.text, line);
}

static void test_refused(void **state)
{
    static const struct lk_callback wrong[] = {
        {"magnet", none, NULL}, {"gust", none, NULL}, {NULL}};
    static const struct lk_callback empty[] = {{"magnet", NULL, NULL}, {NULL}};
    double force = 0;
    const struct lk_callback bad[] = {{"magnet", nan_force, &force}, {NULL}};
    static const char missing[] =
        "force 'magnet' is a callback and has no function; expected one in lk_options.callbacks: "
        "programs that call the library step such a model, linkage and linkaged cannot";
    struct lk_system *system;

    (void)state;
    expect_refusal(MAGNET, NULL, missing);
    expect_refusal(MAGNET, &(struct lk_callback){NULL}, missing);
    expect_refusal(MAGNET, wrong,
                   "a function for 'gust', expected the name of a force of type callback");
    expect_refusal(MAGNET, empty, "a function for 'magnet', expected one that is not NULL");
    expect_refusal(ARMS(", order: 4", "type: callback, joint: elbow"),
                   (const struct lk_callback[]){{"spring", none, NULL}, {NULL}},
                   "order 4 is for smooth motion, expected order 2 with the callback 'spring'");
    system = NULL;
    assert_int_equal(
        compile(MAGNET, &(struct lk_options){.callbacks = bad}, &system, &(struct lk_error){{0}}),
        0);
    assert_int_equal(lk_system_step(system, NULL), 0);
    force = NAN;
    assert_true(lk_system_step(system, NULL) != 0); /* a NaN force fails the step */
    force = 0;
    assert_int_equal(lk_system_step(system, NULL), 0);
    lk_system_free(system);
    force = INFINITY;
    expect_refusal(MAGNET, bad,
                   "the motion of body 'ball' is not finite at the start; expected finite forces "
                   "(callbacks, inputs), and masses, stiffnesses and velocities of a mechanism");
}

/* The work of the function is work of inputs; no other energy appears. */
static void test_work(void **state)
{
    double factor = 0.02;
    struct lk_callback callbacks[] = {{"spring", spring, &factor}, {NULL}};
    struct lk_system *system = make(ARMS("", "type: callback, joint: elbow"),
                                    &(struct lk_options){.callbacks = callbacks});
    struct lk_health health, start;

    (void)state;
    lk_system_health(system, &start);
    for (int i = 0; i < 3000; i++) {
        factor = i < 1500 ? 0.02 : 0.005; /* the context may change between steps */
        assert_int_equal(lk_system_step(system, NULL), 0);
    }
    lk_system_health(system, &health);
    assert_true(fabs(health.work_input) > 1);
    assert_true(fabs((health.kinetic + health.potential) - (start.kinetic + start.potential) -
                     (health.work_input - start.work_input) +
                     (health.dissipated - start.dissipated)) < 1e-3 * fabs(health.work_input));
    lk_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_an_element),
        cmocka_unit_test(test_magnet),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
