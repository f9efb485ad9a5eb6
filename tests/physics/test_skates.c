/* SPDX-License-Identifier: Apache-2.0 */
/* Skates and wheels that roll: rows K v = 0 without a value. Against closed forms (a skate on a
 * slope, a sleigh, a disc that rolls in a circle) and between two formulations that share K alone.
 */
#include "cmocka_all.h"
#include "known_motion.h"
#include "model/model.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PULL 2.0 /* gravity along the slope [m/s^2] */
#define TURN 1.5 /* of the skate about its normal [rad/s] */

static const char slope[] =
    HEAD("[2, 0, -9.6]") "bodies:\n"
                         "  sled: {mass: 3, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0.1],\n"
                         "    angular_velocity: [0, 0, 1.5]}\n"
                         "joints:\n"
                         "  slope: {type: planar, bodies: [ground, sled], point: [0, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  blade: {type: skate, bodies: [ground, sled], point: [0, 0, 0], axis: "
                         "[0, 1, 0]}\n"
                         "outputs:\n"
                         "  pose: {type: body-pose, body: sled}\n"
                         "  side: {type: joint-reaction, joint: blade}\n"
                         "  work: {type: work}\n"
                         "  residual: {type: residual}\n";

/* Return the largest distance from the closed form over 4 s. A blade that turns with a constant
 * rate w: its speed is g sin(w t) / w, so it moves on a cycloid across the slope, x = g sin^2(w t)
 * / 2 w^2, y = g (w t - sin(2 w t) / 2) / 2 w^2, and never slides down. */
static double slope_error(const char *formulation, double h, double *ret_force)
{
    struct lk_system *sys;
    double worst = 0;

    step_with(formulation);
    sys = compile(slope, h);
    step_with("auto");
    *ret_force = 0;
    while (lk_system_time(sys) < 4 - 0.5 * h) {
        double t, x, y, force;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        t = lk_system_time(sys);
        x = PULL / (2 * TURN * TURN) * sin(TURN * t) * sin(TURN * t);
        y = PULL / (2 * TURN * TURN) * (TURN * t - 0.5 * sin(2 * TURN * t));
        worst =
            fmax(worst, hypot(read_output(sys, "pose", 0) - x, read_output(sys, "pose", 1) - y));
        /* from the left of the blade, m (w u + g sin(w t)) */
        force = -read_output(sys, "side", 0) * sin(TURN * t) +
                read_output(sys, "side", 1) * cos(TURN * t);
        *ret_force = fmax(*ret_force, fabs(force - 6 * PULL * sin(TURN * t)));
        assert_true(read_output(sys, "residual", 1) < 1e-12);
    }
    lk_system_free(sys);
    return worst;
}

static void skate_on_a_slope_follows_a_cycloid(void **state)
{
    static const char *const formulations[] = {"rattle", "ali3"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        double force[2], error[2] = {slope_error(formulations[k], 0.01, &force[0]),
                                     slope_error(formulations[k], 0.005, &force[1])};

        if (!(error[0] > 3.8 * error[1] && error[1] < 1e-4))
            fail_msg("%s: %g, %g m", formulations[k], error[0], error[1]);
        if (!(force[0] > 3.8 * force[1] && force[1] < 2e-4))
            fail_msg("%s: %g, %g N", formulations[k], force[0], force[1]);
    }
}

static void higher_orders_take_skates(void **state)
{
    static const char *const solvers[] = {"formulation: rk4", "formulation: rattle, order: 4",
                                          "formulation: ali3, order: 4"};

    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[2048];
        double error[2];

        snprintf(text, sizeof(text), "%ssolver: {%s}\n", slope, solvers[k]);
        for (int i = 0; i < 2; i++) {
            double h = i == 0 ? 0.02 : 0.01, t = 4;
            struct lk_system *sys = compile_text(text, h);

            while (lk_system_time(sys) < t - 0.5 * h)
                assert_int_equal(lk_system_step(sys, NULL), 0);
            error[i] = hypot(read_output(sys, "pose", 0) -
                                 PULL / (2 * TURN * TURN) * sin(TURN * t) * sin(TURN * t),
                             read_output(sys, "pose", 1) -
                                 PULL / (2 * TURN * TURN) * (TURN * t - 0.5 * sin(2 * TURN * t)));
            lk_system_free(sys);
        }
        if (!(error[0] > 14 * error[1] && error[1] < 1e-7))
            fail_msg("%s: %g, %g m", solvers[k], error[0], error[1]);
    }
}

/* ---- the sleigh of S. A. Chaplygin (1911) ---- */

/* A blade at the distance a behind the centre of mass, on level ice without friction. Its equations
 * are u' = a w^2, (I + m a^2) w' = -m a u w, with the energy m u^2 / 2 + (I + m a^2) w^2 / 2 as
 * integral. So w = W sech(k t), u = U tanh(k t) with U = W sqrt((I + m a^2) / m) and k = a W^2 / U:
 * the sleigh ends up running straight ahead, however it was turned. */
static void sleigh_turns_into_its_track(void **state)
{
    static const char text[] = HEAD(
        "[0, 0, -9.81]") "bodies:\n"
                         "  sleigh: {mass: 3, inertia: [0.2, 0.3, 0.4], position: [0.15, 0, 0.1],\n"
                         "    velocity: [0, 0.3, 0], angular_velocity: [0, 0, 2]}\n"
                         "joints:\n"
                         "  ice: {type: planar, bodies: [ground, sleigh], point: [0.15, 0, 0], "
                         "axis: [0, 0, 1]}\n"
                         "  blade: {type: skate, bodies: [ground, sleigh], point: [0, 0, 0], axis: "
                         "[0, 1, 0]}\n"
                         "outputs:\n"
                         "  velocity: {type: body-velocity, body: sleigh}\n"
                         "  energy: {type: energy}\n"
                         "  residual: {type: residual}\n";
    const double a = 0.15, m = 3, I = 0.4 + m * a * a, W = 2, U = W * sqrt(I / m),
                 k = a * W * W / U, h = 0.002;
    static const char *const formulations[] = {"rattle", "ali3"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_system *sys;
        double energy;

        step_with(formulations[i]);
        sys = compile(text, h);
        step_with("auto");
        energy = read_output(sys, "energy", 0);
        assert_true(fabs(energy - 0.5 * I * W * W) < 1e-12);
        while (lk_system_time(sys) < 20 - 0.5 * h) {
            double t, w, u;

            assert_int_equal(lk_system_step(sys, NULL), 0);
            t = lk_system_time(sys);
            w = read_output(sys, "velocity", 5);
            u = hypot(read_output(sys, "velocity", 0), read_output(sys, "velocity", 1));
            assert_true(fabs(w - W / cosh(k * t)) < 1e-5);
            /* the centre of mass moves with u along and a w across the blade */
            assert_true(fabs(u - hypot(U * tanh(k * t), a * W / cosh(k * t))) < 1e-5);
            assert_true(fabs(read_output(sys, "energy", 0) - energy) < 1e-5 * energy);
            assert_true(read_output(sys, "residual", 1) < 1e-12);
        }
        lk_system_free(sys);
    }
}

/* ---- two bodies that tumble ---- */

/* Write the poses of sledge and raft after 3 s with the shipped step size. */
static void slide_on_the_raft(const char *engine, const char *formulation, int order,
                              double ret[14])
{
    const struct lk_options options = {.engine = engine, .order = order};
    struct lk_model *model = NULL;
    struct lk_system *sys = NULL;
    struct lk_error error = {""};

    if (lk_model_read_file("tests/physics/machines/sledge.yaml", &model, &error) != 0)
        fail_msg("%s", error.text);
    snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s", formulation);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    while (lk_system_time(sys) < 3 - 1e-6)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    for (int i = 0; i < 7; i++) {
        ret[i] = read_output(sys, "pose", i);
        ret[7 + i] = read_output(sys, "raft_pose", i);
    }
    lk_system_free(sys);
}

/* rattle integrates K v over a step and never its derivative; rk4 integrates accelerations with
 * gamma. They share neither with each other but K. */
static void sledge_on_a_tumbling_raft(void **state)
{
    double right[14], other[14];

    (void)state;
    slide_on_the_raft("none", "rattle", 4, right);
    slide_on_the_raft("none", "rk4", 0, other);
    for (int i = 0; i < 14; i++)
        if (!(fabs(other[i] - right[i]) < 1e-9))
            fail_msg("number %d is %.12g by rk4, %.12g by rattle", i, other[i], right[i]);
}

/* Lanes do not take skates, even if an engine is named: the step is that one by one. */
static void named_engines_step_one_by_one(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    double right[14], other[14];

    (void)state;
    lk_engines_here(here);
    assert_non_null(here[0]);
    for (int k = 0; k < 2; k++) {
        slide_on_the_raft("none", k == 0 ? "rattle" : "ali3", 2, right);
        for (int i = 0; here[i]; i++) {
            slide_on_the_raft(here[i]->name, k == 0 ? "rattle" : "ali3", 2, other);
            assert_memory_equal(right, other, sizeof(right));
        }
    }
}

/* ---- a disc that rolls in a circle ---- */

#define RADIUS   0.3
#define MASS     2.0
#define ALONG    0.1  /* moment of inertia about the axle [kg m^2] */
#define ACROSS   0.05 /* and about a diameter */
#define LEAN     0.3  /* of the disc from the vertical [rad] */
#define HEADING  2.0  /* rate of its direction [rad/s] */
#define STRENGTH 9.0  /* of gravity, against the normal of the plane [m/s^2] */

/* Return the speed of the centre of a disc that leans by LEAN into its circle: the torque of
 * gravity and of the force at the contact about the centre is the rate of the angular momentum, A
 * W^2 sin a cos a + C W v cos a / r + m r W v cos a = m g r sin a. */
static double circling_speed(void)
{
    return sin(LEAN) * (RADIUS * MASS * STRENGTH - ACROSS * HEADING * HEADING * cos(LEAN)) /
           (HEADING * cos(LEAN) * (ALONG / RADIUS + RADIUS * MASS));
}

/* The plane is askew: its normal, and two directions in it. */
static const double frame[3][3] = {
    {2.0 / 3, -1.0 / 3, 2.0 / 3}, {2.0 / 3, 2.0 / 3, -1.0 / 3}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};

static void in_world(double normal, double ahead, double aside, double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = normal * frame[0][i] + ahead * frame[1][i] + aside * frame[2][i];
}

/* Write a disc that begins to roll ahead and leans aside. Its axle is cos a aside - sin a normal,
 * and it turns about it by v / r + W sin a beside the turn of its heading. */
static void write_disc(double v, char *ret, size_t size)
{
    double x[3], u[3], w[3], g[3], axle[3], cross[3], cosine, spin = v / RADIUS;

    in_world(RADIUS * cos(LEAN), 0, 0, x);
    in_world(0, v, 0, u);
    in_world(-sin(LEAN), 0, cos(LEAN), axle);
    for (int i = 0; i < 3; i++) {
        w[i] = HEADING * frame[0][i] + (spin + HEADING * sin(LEAN)) * axle[i];
        g[i] = -STRENGTH * frame[0][i];
    }
    /* the body's z axis is the axle: turned about z x axle */
    cross[0] = -axle[1];
    cross[1] = axle[0];
    cross[2] = 0;
    cosine = axle[2];
    snprintf(ret, size,
             "linkage: 1\nname: disc\ngravity: [%.17g, %.17g, %.17g]\nbodies:\n"
             "  disc: {mass: %g, inertia: [%g, %g, %g], position: [%.17g, %.17g, %.17g],\n"
             "    orientation: {axis: [%.17g, %.17g, %.17g], angle: %.17g},\n"
             "    velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n"
             "joints:\n"
             "  contact: {type: rolling, bodies: [ground, disc], wheel_radius: %g,\n"
             "    points: [[0, 0, 0], [%.17g, %.17g, %.17g]],\n"
             "    axes: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}\n"
             "outputs:\n"
             "  pose: {type: body-pose, body: disc}\n"
             "  side: {type: joint-reaction, joint: contact}\n"
             "  residual: {type: residual}\n",
             g[0], g[1], g[2], MASS, ACROSS, ACROSS, ALONG, x[0], x[1], x[2], cross[0], cross[1],
             cross[2], acos(cosine), u[0], u[1], u[2], w[0], w[1], w[2], RADIUS, x[0], x[1], x[2],
             frame[0][0], frame[0][1], frame[0][2], axle[0], axle[1], axle[2]);
}

/* Return the largest distance of the centre from its circle over 5 s, and the largest deviation of
 * the force at the contact. */
static double circle_error(const char *formulation, double h, double *ret_force)
{
    double v = circling_speed(), radius = v / HEADING, worst = 0;
    struct lk_system *sys;
    char text[2048];

    write_disc(v, text, sizeof(text));
    step_with(formulation);
    sys = compile(text, h);
    step_with("auto");
    *ret_force = 0;
    while (lk_system_time(sys) < 5 - 0.5 * h) {
        double t, place[3], push[3], off = 0, by = 0;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        t = HEADING * lk_system_time(sys);
        in_world(RADIUS * cos(LEAN), radius * sin(t), radius * (1 - cos(t)), place);
        in_world(MASS * STRENGTH, -MASS * HEADING * v * sin(t), MASS * HEADING * v * cos(t), push);
        for (int i = 0; i < 3; i++) {
            off += pow(read_output(sys, "pose", i) - place[i], 2);
            by += pow(read_output(sys, "side", i) - push[i], 2);
        }
        worst = fmax(worst, sqrt(off));
        *ret_force = fmax(*ret_force, sqrt(by));
        assert_true(read_output(sys, "residual", 0) < 1e-12);
        assert_true(read_output(sys, "residual", 1) < 1e-12);
    }
    lk_system_free(sys);
    return worst;
}

static void disc_rolls_in_a_circle(void **state)
{
    static const char *const formulations[] = {"rattle", "ali3"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        double force[2], error[2] = {circle_error(formulations[k], 0.004, &force[0]),
                                     circle_error(formulations[k], 0.002, &force[1])};

        if (!(error[0] > 3.8 * error[1] && error[1] < 5e-4))
            fail_msg("%s: %g, %g m", formulations[k], error[0], error[1]);
        if (!(force[0] > 3.8 * force[1] && force[1] < 5e-3))
            fail_msg("%s: %g, %g N", formulations[k], force[0], force[1]);
    }
}

/* A disc that falls flat has no lowest point. The step fails there, whatever its size, and its
 * energy is right until then. */
static void disc_that_falls_flat_ends_the_run(void **state)
{
    static const char *const formulations[] = {"rattle", "ali3", "rk4"};
    static const char text[] =
        "linkage: 1\nname: flat\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  disc: {mass: 1, inertia: [0.01, 0.02, 0.01], position: [0, 0, =0.2*cos(0.2)],\n"
        "    orientation: {axis: [1, 0, 0], angle: 0.2}}\njoints:\n"
        "  contact: {type: rolling, bodies: [ground, disc], wheel_radius: 0.2,\n"
        "    points: [[0, 0, 0], [0, 0, =0.2*cos(0.2)]],\n"
        "    axes: [[0, 0, 1], [0, =cos(0.2), =sin(0.2)]]}\n";

    (void)state;
    for (int k = 0; k < 6; k++) {
        struct lk_system *sys;
        struct lk_health health;
        double start, drift = 0;
        int r = 0;

        step_with(formulations[k / 2]);
        sys = compile(text, k % 2 == 0 ? 1e-3 : 1e-4);
        step_with("auto");
        lk_system_health(sys, &health);
        start = health.kinetic + health.potential;
        while (r == 0 && lk_system_time(sys) < 3) {
            lk_system_health(sys, &health);
            drift = fmax(drift, fabs(health.kinetic + health.potential - start));
            r = lk_system_step(sys, NULL);
        }
        if (!(r == LK_E_NOT_FINITE || r == LK_E_TURN) || !(drift < 5e-3))
            fail_msg("%s: %d after %g s, %g J", formulations[k / 2], r, lk_system_time(sys), drift);
        lk_system_free(sys);
    }
}

/* ---- what does not take them ---- */

static void other_formulations_refuse_skates(void **state)
{
    static const char *const solvers[] = {"formulation: dca", "formulation: hdca",
                                          "coordinates: euler-parameters"};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct lk_model *model = NULL;
        struct lk_system *sys = NULL;
        struct lk_error error = {""};
        char text[2048];

        snprintf(text, sizeof(text), "%ssolver: {step: 0.001, %s}\n", slope, solvers[k]);
        assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
        assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_MODEL);
        assert_string_equal(error.text, "joint 'blade' is of type skate, expected formulation "
                                        "rattle, ali3 or rk4, without coordinates: "
                                        "euler-parameters");
        lk_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skate_on_a_slope_follows_a_cycloid),
        cmocka_unit_test(higher_orders_take_skates),
        cmocka_unit_test(sleigh_turns_into_its_track),
        cmocka_unit_test(sledge_on_a_tumbling_raft),
        cmocka_unit_test(disc_rolls_in_a_circle),
        cmocka_unit_test(disc_that_falls_flat_ends_the_run),
        cmocka_unit_test(named_engines_step_one_by_one),
        cmocka_unit_test(other_formulations_refuse_skates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
