/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `recursive` with bodies without inertia: compared with closed forms and with the
 * limit of small masses, and its refusals. (M. Arnold, A recursive multibody formalism for systems
 * with small mass and inertia terms, 2013: solutions differ from the limit by O(m), sections 2 and
 * 4.) */
#include "../cmocka_all.h"
#include "../physics/reference_cases.h"
#include "linkage/laboratory.h"
#include "methods/registry.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUES_MAX 32

static struct lk_system *system_of(struct lk_model *model, double h)
{
    const struct lk_options options = {.step = h};
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static struct lk_model *model_of_text(const char *text)
{
    struct lk_model *model = NULL;
    struct lk_error error;

    if (lk_model_read_text("massless", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

/* outputs at this many instants */
#define SAMPLES 20
struct motion {
    int n;
    double value[SAMPLES][VALUES_MAX];
};

static void move(struct lk_model *model, double h, double end, struct motion *ret)
{
    struct lk_system *sys = system_of(model, h);
    int steps = (int)lround(end / h / SAMPLES);

    ret->n = lk_system_output_size(sys);
    assert_in_range(ret->n, 1, VALUES_MAX);
    for (int k = 0; k < SAMPLES; k++) {
        for (int i = 0; i < steps; i++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_outputs(sys, ret->value[k]);
    }
    lk_system_free(sys);
}

/* largest difference of an output in the second half, after the fast modes have decayed */
static double distance(const struct motion *a, const struct motion *b)
{
    double largest = 0;

    assert_int_equal(a->n, b->n);
    for (int k = SAMPLES / 2; k < SAMPLES; k++)
        for (int i = 0; i < a->n; i++)
            largest = fmax(largest, fabs(a->value[k][i] - b->value[k][i]));
    return largest;
}

/* ---- the oscillator of section 2.2 and its closed form ---- */

/* error of positions relative to columns of the reference; @rename: or NULL, those of @id */
static double oscillator_error(const char *id, const char *const *rename, double begin, double end,
                               double h)
{
    struct reference_case c = *reference_case(id);
    const char *replace[REPLACE_MAX + 1];
    struct trajectory t;
    int n = 0;

    for (; c.replace[n]; n++)
        replace[n] = c.replace[n];
    replace[n] = "solver: {";
    replace[n + 1] = "solver: {formulation: recursive, ";
    replace[n + 2] = NULL;
    c.replace = replace;
    c.rename = rename ? rename : c.rename;
    c.begin = begin;
    c.end = end;
    trajectory_run(&c, h, 0, &t);
    return t.error[POSITION];
}

/* Without mass the light body has a rate of 1e4 1/s: order 4 appears once h times this is well
 * below one. */
static void test_oscillator_without_mass(void **state)
{
    double coarse = oscillator_error("oscillator-0", NULL, 0.5, 1, 1e-4);
    double fine = oscillator_error("oscillator-0", NULL, 0.5, 1, 5e-5);

    (void)state;
    assert_true(coarse < 1e-10);
    assert_in_range((long)(10 * coarse / fine), 130, 260);
}

static void test_oscillator_with_mass(void **state)
{
    double coarse = oscillator_error("oscillator-2", NULL, 0.5, 1, 2e-4);
    double fine = oscillator_error("oscillator-2", NULL, 0.5, 1, 1e-4);

    (void)state;
    assert_true(coarse < 1e-7);
    assert_in_range((long)(10 * coarse / fine), 140, 180);
}

/* The motion without mass compared with the closed form of ever smaller masses: the distance of the
 * heavy body falls with the mass. */
static void test_limit_of_the_oscillator(void **state)
{
    static const char *const columns[] = {"m1e-3.p2", "m1e-4.p2", "m1e-5.p2", "m1e-6.p2"};
    double last = 0;

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *const rename[] = {columns[i], "heavy.x", NULL};
        double error = oscillator_error("oscillator-0", rename, 0, 0.5, 1e-4);

        if (i > 0)
            assert_in_range((long)(100 * last / error), 990, 1010);
        last = error;
    }
}

/* ---- the two planar configurations of section 4 ---- */

static void check_limit(const char *path, const char *light)
{
    static const char *const masses[] = {"1e-2", "1e-3", "1e-4"};
    static const double steps[] = {2.5e-4, 5e-5, 1e-5};
    struct motion limit, motion;
    double last = 0;

    move(trajectory_model(path, NULL), 1e-3, 0.2, &limit);
    for (int i = 0; i < 3; i++) {
        char with[160];
        const char *replace[] = {light, with, NULL};
        double d;

        snprintf(with, sizeof(with), "body_i: {mass: %s, inertia: [1, 1, 1]", masses[i]);
        move(trajectory_model(path, replace), steps[i], 0.2, &motion);
        d = distance(&limit, &motion);

        if (i > 0)
            assert_in_range((long)(10 * last / d), 70, 130);
        last = d;
    }
}

static void test_limit_of_the_configurations(void **state)
{
    (void)state;
    check_limit("config/models/small-mass-chain.yaml", "body_i: {mass: 0, inertia: [0, 0, 0]");
    check_limit("config/models/small-mass-chain-guided.yaml",
                "body_i: {mass: 0, inertia: [0, 0, 0]");
}

/* ---- null directions that rotate with the mechanism ---- */

/* A disc on a damped, sprung hinge carries a block that slides in its plane and turns in it, held
 * by a spring and damper along one axis of the disc. Without inertia of the disc, there is a
 * pose-dependent direction in which the disc turns and the block stands still. */
#define DISC(mass, inertia, damping, joints)                                                       \
    "linkage: 1\nname: disc\ngravity: [0, -9.81, 0]\nbodies:\n"                                    \
    "  disc: {mass: " mass ", inertia: [" inertia ", " inertia ", " inertia "],\n"                 \
    "    position: [0, 0, 0]}\n"                                                                   \
    "  block: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.5, 0.1, 0],\n"                   \
    "    velocity: [0, 2, 0], angular_velocity: [0, 0, 1]}\n"                                      \
    "joints:\n"                                                                                    \
    "  hinge: {type: revolute, bodies: [ground, disc], point: [0, 0, 0], axis: [0, 0, 1]}\n"       \
    "  face: {type: planar, bodies: [disc, block], point: [0.5, 0.1, 0], axis: [0, 0, "            \
    "1]}\n" joints "forces:\n"                                                                     \
    "  bearing: {type: joint-spring-damper, joint: hinge, stiffness: 20, " damping "}\n"           \
    "  sprung: {type: joint-spring-damper, joint: face, coordinate: x, stiffness: 60, damping: "   \
    "1}\n"                                                                                         \
    "  held: {type: joint-spring-damper, joint: face, coordinate: y, stiffness: 40, damping: "     \
    "1}\n"                                                                                         \
    "outputs:\n"                                                                                   \
    "  angle: {type: joint-position, joint: hinge}\n"                                              \
    "  turning: {type: joint-velocity, joint: hinge}\n"                                            \
    "  block: {type: point-position, body: block, point: [0.5, 0.1, 0]}\n"                         \
    "  velocity: {type: body-velocity, body: block}\n"                                             \
    "solver: {formulation: recursive, step: 0.001}\n"
#define LINEAR "damping: 2"
#define TABLE  "damping_table: {rate: [-50, -2, 0, 2, 50], force: [-60, -8, 0, 8, 60]}"
#define TIE    "  rod: {type: distance, bodies: [ground, disc], points: [[0, 1, 0], [0.5, 0.1, 0]]}\n"
#define ROD    "  rod: {type: distance, bodies: [ground, block], points: [[0, 1, 0], [0.5, 0.1, 0]]}\n"

/* order 4 by self-convergence, and O(m) relative to a disc with decreasing inertia */
static void check_disc(const char *without, const char *light, const char *lighter)
{
    struct motion best, coarse, fine, near, nearer;
    double ratio;

    move(model_of_text(without), 2.5e-4, 1, &best);
    move(model_of_text(without), 2.5e-3, 1, &coarse);
    move(model_of_text(without), 1.25e-3, 1, &fine);
    ratio = distance(&coarse, &best) / distance(&fine, &best);
    assert_true(ratio > 14 && ratio < 18);
    move(model_of_text(light), 5e-4, 1, &near);
    move(model_of_text(lighter), 1e-4, 1, &nearer);
    ratio = distance(&near, &best) / distance(&nearer, &best);
    assert_true(ratio > 9 && ratio < 11);
}

static void test_turning_null_direction(void **state)
{
    (void)state;
    check_disc(DISC("0", "0", LINEAR, ""), DISC("1e-2", "1e-2", LINEAR, ""),
               DISC("1e-3", "1e-3", LINEAR, ""));
}

/* a cut row at a body with mass, next to a null direction */
static void test_loop_beside_null_direction(void **state)
{
    (void)state;
    check_disc(DISC("0", "0", LINEAR, ROD), DISC("1e-2", "1e-2", LINEAR, ROD),
               DISC("1e-3", "1e-3", LINEAR, ROD));
}

/* forces must balance at a settled state: residual of y' = f(t, y), whose last rows are the
 * directions without inertia; @move: index of the coordinate, changed by up to 4 times @by */
static void check_balance(const char *text, int move, double by)
{
    const struct lk_equations *recursive = &lk_equations_recursive;
    const struct lk_equations_options options = {.variant = ""};
    struct lk_model *model = model_of_text(text);
    struct lk_mechanics *mechanics = NULL;
    struct lk_error error;
    void *self = NULL;
    double y[8], rate[8], left[8];
    int n;

    if (lk_mechanics_new(model, 0, &mechanics, &error) != 0 ||
        recursive->open(mechanics, &options, &self, &error) != 0)
        fail_msg("%s", error.text);
    n = recursive->size(self);
    assert_in_range(n, 1, 8);
    for (int k = -4; k <= 4; k++) {
        recursive->read(self, y);
        y[move] = by * k;
        assert_int_equal(recursive->settle(self, 0, y), 0);
        assert_int_equal(recursive->rate(self, 0, y, rate), 0);
        assert_int_equal(recursive->residual(self, 0, y, rate, left), 0);
        for (int i = 0; i < n; i++)
            if (!(fabs(left[i]) < 1e-10))
                fail_msg("at %g: residual %d is %g", y[move], i, left[i]);
    }
    recursive->close(self);
    lk_mechanics_free(mechanics);
    lk_model_free(model);
}

/* Newton's method on a damper with a piecewise linear law: forces balance at rates on either side
 * of the kinks of its table; the spring of the hinge gives up to 24 N m. */
static void test_curved_damper(void **state)
{
    (void)state;
    check_balance(DISC("0", "0", TABLE, ""), 0, 0.3);
}

/* two bodies without mass on parallel guides, connected only by a damper */
static void test_damper_between_massless_bodies(void **state)
{
    (void)state;
    check_balance(
        "linkage: 1\nname: pair\nbodies:\n"
        "  a: {mass: 0, inertia: [0, 0, 0], position: [0, 0, 0]}\n"
        "  b: {mass: 0, inertia: [0, 0, 0], position: [0.3, 0, 0]}\n"
        "joints:\n"
        "  guide_a: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, "
        "0]}\n"
        "  guide_b: {type: prismatic, bodies: [ground, b], point: [0.3, 0, 0], axis: [1, "
        "0, 0]}\n"
        "forces:\n"
        "  spring_a: {type: joint-spring-damper, joint: guide_a, stiffness: 5}\n"
        "  spring_b: {type: joint-spring-damper, joint: guide_b, stiffness: 7, damping: "
        "1}\n"
        "  between: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [0.3, 0, "
        "0]],\n    stiffness: 20, damping: 3}\n"
        "solver: {formulation: ali3, step: 0.001}\n",
        0, 0.03);
}

/* The acceleration along a null direction does not occur in the equations: it must be the
 * derivative of the velocity that they determine. */
static void test_acceleration_without_mass(void **state)
{
    const double h = 1e-3;
    struct lk_system *sys = system_of(model_of_text(DISC("0", "0", LINEAR, "")), h);
    int disc = lk_system_body_index(sys, "disc");
    double rate[3] = {0}, acceleration = 0;

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct lk_body_state s;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_body_state(sys, disc, &s);
        rate[0] = rate[1];
        rate[1] = rate[2];
        rate[2] = s.angular_velocity[2];
        if (i > 2 &&
            !(fabs((rate[2] - rate[0]) / (2 * h) - acceleration) < 1e-3 * (1 + fabs(acceleration))))
            fail_msg("%g, expected %g", acceleration, (rate[2] - rate[0]) / (2 * h));
        acceleration = s.angular_acceleration[2];
    }
    lk_system_free(sys);
}

/* ---- the residual form ---- */

static void state_by(const char *text, const char *integrator, double tolerance, double ret[6])
{
    const struct lk_method method = {
        .formulation = "recursive", .integrator = integrator, .tolerance = tolerance, .step = 5e-4};
    struct lk_model *model = model_of_text(text);
    struct lk_laboratory *laboratory = NULL;
    struct lk_body_state s;
    struct lk_error error;

    if (lk_laboratory_open(model, &method, &laboratory, &error) != 0 ||
        lk_laboratory_advance(laboratory, 0.5, NULL, &error) != 0)
        fail_msg("%s", error.text);
    lk_system_body_state(lk_laboratory_system(laboratory), 1, &s);
    for (int i = 0; i < 3; i++) {
        ret[i] = s.position[i];
        ret[3 + i] = s.velocity[i];
    }
    lk_laboratory_close(laboratory);
    lk_model_free(model);
}

/* BDF on F(t, y, y') = 0, an index-1 system, against the explicit form */
static void test_residual_form(void **state)
{
    static const char text[] = DISC("0", "0", LINEAR, "");
    double expected[6], coarse[6], fine[6], error[2] = {0, 0};

    (void)state;
    state_by(text, "rk4", 0, expected);
    state_by(text, "ida", 1e-6, coarse);
    state_by(text, "ida", 1e-9, fine);
    for (int i = 0; i < 6; i++) {
        error[0] = fmax(error[0], fabs(coarse[i] - expected[i]));
        error[1] = fmax(error[1], fabs(fine[i] - expected[i]));
    }
    assert_true(error[0] < 1e-4 && error[1] < 1e-7);
}

/* ---- refusals ---- */

#define STIFF(stiffness)                                                                           \
    "linkage: 1\nname: stiff\nbodies:\n"                                                           \
    "  light: {mass: 0, inertia: [0, 0, 0], position: [0, 0, 0]}\n"                                \
    "  block: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"                                \
    "joints:\n"                                                                                    \
    "  x: {type: prismatic, bodies: [ground, light], point: [0, 0, 0], axis: [1, 0, 0]}\n"         \
    "  y: {type: prismatic, bodies: [ground, block], point: [1, 0, 0], axis: [1, 0, 0]}\n"         \
    "forces:\n"                                                                                    \
    "  soft: {type: joint-spring-damper, joint: x, stiffness: 10, damping: 1}\n"                   \
    "  stiff: {type: joint-spring-damper, joint: y, stiffness: " stiffness "}\n"                   \
    "solver: {formulation: recursive, step: 0.001}\n"

static void check_refused(struct lk_model *model, const char *must_say)
{
    struct lk_system *sys = NULL;
    struct lk_error error;

    assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_MODEL);
    lk_model_free(model);
    if (!strstr(error.text, must_say))
        fail_msg("'%s' does not say '%s'", error.text, must_say);
}

static void test_refused(void **state)
{
    static const char *const undamped[] = {"joint: y_i, stiffness: 1000, damping: 10",
                                           "joint: y_i, stiffness: 1000", NULL};
    static const char *const full_rank[] = {"formulation: recursive",
                                            "formulation: 'recursive:full-rank'", NULL};
    struct lk_system *sys;
    struct lk_model *model;

    (void)state;
    check_refused(trajectory_model("config/models/small-mass-chain.yaml", undamped),
                  "body 'body_i' has no inertia along (0, 1, 0)");
    check_refused(trajectory_model("config/models/small-mass-chain.yaml", full_rank),
                  "has no full rank, and body 'slide_i' lacks mass or inertia");
    check_refused(model_of_text(DISC("0", "0", LINEAR, TIE)),
                  "body 'disc' has directions without inertia and lies in a closed loop");
    /* a slider without mass does not hide a spring that is too stiff for the step */
    check_refused(model_of_text(STIFF("1e8")), "'stiff' oscillates at 1e+04 rad/s");
    model = model_of_text(STIFF("1e5"));
    assert_int_equal(lk_system_new(model, NULL, &sys, NULL), 0);
    lk_model_free(model);
    lk_system_free(sys);
}

/* Rates of bodies without inertia are set after each step; BDF, whose history does not know this,
 * continues with its own and takes no more steps for it. */
static void test_several_steps(void **state)
{
    const struct lk_method method = {
        .formulation = "recursive", .integrator = "cvode:bdf", .tolerance = 1e-6};
    struct lk_model *model = trajectory_model("config/models/small-mass-chain-guided.yaml", NULL);
    struct lk_laboratory *lab;
    struct lk_lab_report report;
    struct lk_error error;

    (void)state;
    if (lk_laboratory_open(model, &method, &lab, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_laboratory_advance(lab, 1e-3, NULL, &error) != 0)
        fail_msg("%s", error.text);
    lk_laboratory_report(lab, &report);
    assert_in_range(report.steps, 5, 200);
    lk_laboratory_close(lab);
    lk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator_without_mass),
        cmocka_unit_test(test_oscillator_with_mass),
        cmocka_unit_test(test_limit_of_the_oscillator),
        cmocka_unit_test(test_limit_of_the_configurations),
        cmocka_unit_test(test_turning_null_direction),
        cmocka_unit_test(test_loop_beside_null_direction),
        cmocka_unit_test(test_curved_damper),
        cmocka_unit_test(test_damper_between_massless_bodies),
        cmocka_unit_test(test_acceleration_without_mass),
        cmocka_unit_test(test_residual_form),
        cmocka_unit_test(test_several_steps),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
