/* SPDX-License-Identifier: Apache-2.0 */
/* Tyres as part of the step: their rows, changes that must not matter (side, place, reset), rest
 * and flight, energy, order. The laws alone: unit/test_tyre_laws.c; a whole car:
 * test_strut_car.c. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "rows/wheel.h"
#include "sanitized.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows ---- */

static uint64_t dice = 5;

/* Return a pseudo-random number, -1 to 1. */
static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)dice / 9.3e18;
}

/** struct scene - a wheel on a plane, and the motion of both */
struct scene {
    struct lk_joint joint;
    struct lk_road_plane plane;
    struct lk_pose pose[2];
    struct lk_twist twist[2];
};

static void random_pose(struct lk_pose *pose)
{
    double theta[3], q[4];

    for (int i = 0; i < 3; i++) {
        pose->x[i] = draw();
        theta[i] = 0.3 * draw();
    }
    lk_rotation_exp(theta, q);
    lk_quat_matrix(q, pose->R);
}

static void make_scene(struct scene *s)
{
    *s = (struct scene){.joint = {.type = LK_JOINT_TYRE,
                                  .kind = LK_ROWS_COMPLIANT,
                                  .n_sides = 2,
                                  .n_rows = 6,
                                  .radius = 0.35,
                                  .p = {{0}, {0.1 * draw(), 0.1 * draw(), 0.1 * draw()}},
                                  .f[1][2] = {0, 1, 0},
                                  .plane = &s->plane},
                        .plane = {{draw(), draw(), -1 + 0.1 * draw()}, {0.6, 0, 0.8}}};
    for (int k = 0; k < 2; k++) {
        random_pose(&s->pose[k]);
        for (int i = 0; i < 3; i++) {
            s->twist[k].v[i] = draw();
            s->twist[k].w[i] = draw();
        }
    }
}

/* Compute the poses after the time @t. */
static void move(const struct scene *s, double t, struct lk_pose pose[2])
{
    for (int k = 0; k < 2; k++) {
        double theta[3], q[4], turn[9];

        for (int i = 0; i < 3; i++) {
            pose[k].x[i] = s->pose[k].x[i] + t * s->twist[k].v[i];
            theta[i] = t * s->twist[k].w[i];
        }
        lk_rotation_exp(theta, q);
        lk_quat_matrix(q, turn);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                pose[k].R[3 * r + c] = 0;
                for (int i = 0; i < 3; i++)
                    pose[k].R[3 * r + c] += s->pose[k].R[3 * r + i] * turn[3 * i + c];
            }
    }
}

static double depth_after(const struct scene *s, double t)
{
    struct lk_pose pose[2];
    const struct lk_pose *const at[LK_SIDES_MAX] = {&pose[0], &pose[1]};
    struct lk_wheel w;

    move(s, t, pose);
    lk_wheel_at(&s->joint, at, &w);
    return w.depth;
}

static void rates_of(const struct scene *s, double ret[6])
{
    const struct lk_pose *const at[LK_SIDES_MAX] = {&s->pose[0], &s->pose[1]};
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, 8, 0};

    lk_joint_jacobian(&s->joint, at, jacobian);
    for (int r = 0; r < 6; r++) {
        ret[r] = 0;
        for (int k = 0; k < 2; k++) {
            double row[6];

            lk_jacobian_row(jacobian, k, r, row);
            ret[r] += lk_dot(row, s->twist[k].v) + lk_dot(row + 3, s->twist[k].w);
        }
    }
}

/* Compute the velocity of the point @P of side @k, in world axes. */
static void velocity_at(const struct scene *s, int k, const double P[3], double ret[3])
{
    double arm[3], w[3], swing[3];

    lk_sub(P, s->pose[k].x, arm);
    lk_rotate(s->pose[k].R, s->twist[k].w, w);
    lk_cross(w, arm, swing);
    for (int i = 0; i < 3; i++)
        ret[i] = s->twist[k].v[i] + swing[i];
}

/* The first row is the displacement of the lowest point, the next two are the slip at the contact,
 * and the others the rotation about its axes. */
static void rows_are_rates(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        struct scene s;
        struct lk_wheel w;
        double rate[6], v[2][3], slip[3], turn[2][3], spin[3];

        make_scene(&s);
        lk_wheel_at(&s.joint, (const struct lk_pose *const[]){&s.pose[0], &s.pose[1]}, &w);
        rates_of(&s, rate);
        assert_true(fabs(rate[0] + (depth_after(&s, 1e-5) - depth_after(&s, -1e-5)) / 2e-5) < 1e-8);
        for (int k = 0; k < 2; k++) {
            velocity_at(&s, k, w.P, v[k]);
            lk_rotate(s.pose[k].R, s.twist[k].w, turn[k]);
        }
        lk_sub(v[1], v[0], slip);
        lk_sub(turn[1], turn[0], spin);
        assert_true(fabs(rate[1] - lk_dot(slip, w.ex)) < 1e-13);
        assert_true(fabs(rate[2] - lk_dot(slip, w.el)) < 1e-13);
        assert_true(fabs(rate[3] - lk_dot(spin, w.ex)) < 1e-13);
        assert_true(fabs(rate[4] - lk_dot(spin, w.el)) < 1e-13);
        assert_true(fabs(rate[5] - lk_dot(spin, w.n)) < 1e-13);
    }
}

static void load_is_transpose_of_rows(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        struct scene s;
        struct lk_twist sum[2] = {{{0}, {0}}, {{0}, {0}}};
        double lambda[6], rate[6], power = 0, work = 0;

        make_scene(&s);
        rates_of(&s, rate);
        for (int r = 0; r < 6; r++) {
            lambda[r] = draw();
            power += lambda[r] * rate[r];
        }
        lk_joint_types[LK_JOINT_TYRE]->load(&s.joint,
                                            (const struct lk_pose *const[]){&s.pose[0], &s.pose[1]},
                                            lambda, (struct lk_twist *const[]){&sum[0], &sum[1]});
        for (int k = 0; k < 2; k++)
            work += lk_dot(sum[k].v, s.twist[k].v) + lk_dot(sum[k].w, s.twist[k].w);
        assert_true(fabs(work - power) < 1e-12);
    }
}

/* ---- models ---- */

#define TMEASY                                                                                     \
    "{type: tmeasy, load: 3500, rolling: 0.01,\n"                                                  \
    "      longitudinal: {initial: [1e5, 1.9e5], peak_slip: [0.11, 0.15], peak: [3900, 7400],\n"   \
    "        slide_slip: [0.33, 0.45], slide: [3510, 6660]},\n"                                    \
    "      lateral: {initial: [8e4, 1.52e5], peak_slip: [0.16, 0.21], peak: [3650, 6935],\n"       \
    "        slide_slip: [0.48, 0.63], slide: [3285, 6241.5]},\n"                                  \
    "      trail: [0.167, 0.167], trail_zero: [0.24, 0.315], trail_end: [0.32, 0.42]}"

/* a wheel with the mass of a corner of a car, in an upright fork */
static const char corner_text[] =
    "linkage: 1\n"
    "name: corner\n"
    "gravity: [%.17g, 0, %.17g]\n"
    "bodies:\n"
    "  fork: {mass: 330, inertia: [20, 20, 20], position: [%g, 0, %.17g], velocity: [%g, 0, 0]}\n"
    "  wheel: {mass: 20, inertia: [1, 1.7, 1], position: [%g, 0, %.17g], velocity: [%g, 0, 0], "
    "angular_velocity: [0, %.17g, 0]}\n"
    "joints:\n"
    "  guide: {type: planar, bodies: [ground, fork], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  axle: {type: revolute, bodies: [fork, wheel], point: [%g, 0, %.17g], axis: [0, 1, 0]}\n"
    "roads:\n"
    "  road: {type: plane}\n"
    "forces:\n"
    "  tyre: {type: tyre, joint: axle, road: road, side: left, radius: 0.3469, width: 0.215,\n"
    "    stiffness: 2e5, damping: %g, carcass: {stiffness: [2.5e5, 1.75e5]}, law: " TMEASY "}\n"
    "  upright: {type: joint-spring-damper, joint: guide, coordinate: angle, stiffness: 1e6, "
    "damping: 1e4}\n"
    "  brake: {type: friction, joint: axle, coulomb: 2000, wind_up: {}, scale: {input: brake}}\n"
    "inputs:\n"
    "  brake: {type: signal, limits: [0, 1]}\n"
    "outputs:\n"
    "  pose: {type: body-pose, body: wheel}\n"
    "  motion: {type: body-velocity, body: wheel}\n"
    "  force: {type: tyre, force: tyre}\n"
    "  contact: {type: tyre-contact, force: tyre}\n"
    "  energy: {type: energy}\n"
    "  work: {type: work}\n"
    "solver: {step: %g}\n";

enum corner_output {
    OUT_X = 0,
    OUT_Z = 2,
    OUT_VX = 7,
    OUT_SPIN = 11,
    OUT_FX = 13,
    OUT_FY = 14,
    OUT_FZ = 15,
    OUT_MY = 17,
    OUT_DEPTH = 22,
    OUT_KINETIC = 26,
    OUT_DISSIPATED = 29,
    OUT_BALANCE = 32,
    OUTPUTS = 35
};

/** struct corner - a wheel on a plane
 * @slope:  direction of gravity [rad]
 * @height: height of the wheel's centre [m]
 * @speed:  speed [m/s]
 * @spin:   [rad/s]
 * @x:      initial position [m] */
struct corner {
    double slope;
    double height;
    double speed;
    double spin;
    double damping;
    double x;
    double h;
};

#define LOAD        (350 * 9.81)
#define REST_HEIGHT (0.3469 - LOAD / 2e5)

static struct lk_system *compile_text(const char *text)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static void write_corner(const struct corner *c, char *text, size_t size)
{
    snprintf(text, size, corner_text, -9.81 * sin(c->slope), -9.81 * cos(c->slope), c->x, c->height,
             c->speed, c->x, c->height, c->speed, c->spin, c->x, c->height, c->damping,
             c->h > 0 ? c->h : 0.001);
}

static struct lk_system *compile_corner(const struct corner *c)
{
    static char text[8192];

    write_corner(c, text, sizeof(text));
    return compile_text(text);
}

static void go(struct lk_system *sys, double brake, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, &brake), 0);
}

static void look(const struct lk_system *sys, double out[OUTPUTS])
{
    assert_int_equal(lk_system_output_size(sys), OUTPUTS);
    lk_system_outputs(sys, out);
}

/* On a slope of 10 % with the brake applied: carcass and brake deflect, and the wheel stays at
 * rest. */
static void stands_on_a_slope(void **state)
{
    struct lk_system *sys =
        compile_corner(&(struct corner){.slope = 0.0996687, .height = REST_HEIGHT, .damping = 500});
    double early[OUTPUTS], late[OUTPUTS];
    int minutes = SANITIZED ? 1 : 4;

    (void)state;
    go(sys, 1, 20000);
    look(sys, early);
    go(sys, 1, minutes * 60000);
    look(sys, late);
    assert_true(fabs(late[OUT_X] - early[OUT_X]) < 1e-9);
    assert_true(fabs(late[OUT_VX]) < 1e-10 && fabs(late[OUT_SPIN]) < 1e-10);
    /* the longitudinal force is the weight along the slope */
    assert_true(fabs(late[OUT_FX] / (LOAD * sin(0.0996687)) - 1) < 1e-6);
    assert_true(fabs(late[OUT_FZ] / (LOAD * cos(0.0996687)) - 1) < 1e-9);
    lk_system_free(sys);
}

/* Starting from its static equilibrium the wheel does not move at all; carcass and brake have their
 * deflections from the start. */
static void rests_from_the_start(void **state)
{
    static char text[8192];
    const struct corner c = {.slope = 0.0996687, .height = REST_HEIGHT + 0.003, .damping = 500};
    const char *input = "brake: {type: signal, limits: [0, 1]";
    double first[OUTPUTS], last[OUTPUTS];
    struct lk_system *sys;
    char *at;

    (void)state;
    write_corner(&c, text, sizeof(text));
    at = strstr(text, input);
    assert_non_null(at);
    memmove(at + strlen(input) + 12, at + strlen(input), strlen(at + strlen(input)) + 1);
    memcpy(at + strlen(input), ", initial: 1", 12);
    strcat(text, "start: equilibrium\n");
    sys = compile_text(text);
    look(sys, first);
    assert_true(fabs(first[OUT_FX] / (LOAD * sin(0.0996687)) - 1) < 1e-9);
    assert_true(fabs(first[OUT_FZ] / (LOAD * cos(0.0996687)) - 1) < 1e-9);
    go(sys, 1, 5000);
    look(sys, last);
    assert_true(fabs(last[OUT_X] - first[OUT_X]) < 1e-10);
    assert_true(fabs(last[OUT_VX]) < 1e-11);
    lk_system_free(sys);
}

/* Rolling freely up a ramp of 0.1 m: the contact point stays on the ramp, the load returns to the
 * weight, and the loss of speed corresponds to the gain of height. */
static void climbs(void **state)
{
    static char text[8192];
    const struct corner c = {.height = REST_HEIGHT, .speed = 5, .spin = 5 / 0.341, .damping = 5000};
    const char *plane = "{type: plane}";
    const char *ramp =
        "{type: profile, left: {distance: [0, 1, 2, 3, 4], height: [0, 0, 0.05, 0.1, 0.1]}}";
    double first[OUTPUTS], out[OUTPUTS];
    struct lk_system *sys;
    char *at;

    (void)state;
    write_corner(&c, text, sizeof(text));
    at = strstr(text, plane);
    assert_non_null(at);
    memmove(at + strlen(ramp), at + strlen(plane), strlen(at + strlen(plane)) + 1);
    memcpy(at, ramp, strlen(ramp));
    sys = compile_text(text);
    go(sys, 0, 100);
    look(sys, first);
    for (int i = 0; i < 1500; i++) {
        go(sys, 0, 1);
        look(sys, out);
        if (out[23] > 1.9999 && out[23] < 2.0001) /* the middle of the ramp */
            assert_true(fabs(out[25] - 0.05) < 1e-5);
    }
    assert_true(out[OUT_X] > 6 && fabs(out[25] - 0.1) < 1e-9);
    assert_true(fabs(out[OUT_FZ] / LOAD - 1) < 1e-2);
    assert_true(fabs(out[OUT_Z] - first[OUT_Z] - 0.1) < 1e-3);
    /* kinetic energy lost: the height, and the losses of tyre and damper */
    assert_true(first[OUT_KINETIC] - out[OUT_KINETIC] > 350 * 9.81 * 0.1);
    assert_true(fabs(out[OUT_BALANCE]) < 1);
    lk_system_free(sys);
}

/* A wheel that is dropped without a damper bounces forever: the lost energy is less than the
 * round-off of the balance. */
static void bounces(void **state)
{
    struct lk_system *sys =
        compile_corner(&(struct corner){.height = REST_HEIGHT + 0.1, .damping = 0});
    double out[OUTPUTS], highest = 0, deepest = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        go(sys, 0, 1);
        look(sys, out);
        highest = i > 4000 ? fmax(highest, out[OUT_Z]) : highest;
        deepest = fmax(deepest, out[OUT_DEPTH]);
        assert_true(out[OUT_DEPTH] > 0 || fabs(out[OUT_FZ]) < 1e-12);
    }
    assert_true(deepest > 0.05);
    assert_true(fabs(highest - (REST_HEIGHT + 0.1)) < 1e-4);
    assert_true(fabs(out[OUT_BALANCE]) < 1e-4 * 350 * 9.81 * 0.1);
    lk_system_free(sys);
}

/* A car corner with a locked wheel slides from 10 m/s to a stand, due to friction. The energy
 * balance contains the dissipated energy. */
static void stops_from_sliding(void **state)
{
    struct lk_system *sys = compile_corner(
        &(struct corner){.height = REST_HEIGHT, .speed = 10, .spin = 10 / 0.34, .damping = 500});
    double before[OUTPUTS], after[OUTPUTS];

    (void)state;
    look(sys, before);
    go(sys, 1, 8000);
    look(sys, after);
    assert_true(fabs(after[OUT_VX]) < 1e-6 && fabs(after[OUT_SPIN]) < 1e-6);
    assert_true(after[OUT_X] > 4.5 && after[OUT_X] < 7);
    assert_true(fabs(after[OUT_DISSIPATED] / before[OUT_KINETIC] - 1) < 1e-2);
    assert_true(fabs(after[OUT_BALANCE]) < 1e-3 * before[OUT_KINETIC]);
    lk_system_free(sys);
}

/* Driving backwards is the mirror image of driving forwards. */
static void reverses(void **state)
{
    struct corner c = {.height = REST_HEIGHT, .speed = 8, .spin = 20, .damping = 500};
    struct lk_system *ahead = compile_corner(&c), *back;
    double a[OUTPUTS], b[OUTPUTS];

    (void)state;
    c.speed = -8;
    c.spin = -20;
    back = compile_corner(&c);
    for (int i = 0; i < 2000; i++) {
        go(ahead, 0, 1);
        go(back, 0, 1);
    }
    look(ahead, a);
    look(back, b);
    assert_true(fabs(a[OUT_X] + b[OUT_X]) < 1e-10 && fabs(a[OUT_SPIN] + b[OUT_SPIN]) < 1e-9);
    assert_true(fabs(a[OUT_FX] + b[OUT_FX]) < 1e-6 && fabs(a[OUT_FZ] - b[OUT_FZ]) < 1e-6);
    lk_system_free(ahead);
    lk_system_free(back);
}

/* Ten kilometres away the motion is the same. */
static void place_does_not_matter(void **state)
{
    struct corner c = {.height = REST_HEIGHT + 0.02, .speed = 8, .spin = 30, .damping = 500};
    struct lk_system *here = compile_corner(&c), *there;
    double a[OUTPUTS], b[OUTPUTS];

    (void)state;
    c.x = 10000;
    there = compile_corner(&c);
    go(here, 0.3, 2000);
    go(there, 0.3, 2000);
    look(here, a);
    look(there, b);
    assert_true(fabs(b[OUT_X] - 10000 - a[OUT_X]) < 1e-9);
    assert_true(fabs(b[OUT_FX] - a[OUT_FX]) < 1e-4 && fabs(b[OUT_FZ] - a[OUT_FZ]) < 1e-4);
    lk_system_free(here);
    lk_system_free(there);
}

/* A reset gives the same bits, including the state of the carcass. */
static void reset_has_the_same_bits(void **state)
{
    struct lk_system *sys = compile_corner(
        &(struct corner){.height = REST_HEIGHT + 0.05, .speed = 5, .spin = 30, .damping = 500});
    double first[OUTPUTS], second[OUTPUTS];

    (void)state;
    go(sys, 0.5, 700);
    look(sys, first);
    lk_system_reset(sys);
    go(sys, 0.5, 700);
    look(sys, second);
    assert_memory_equal(first, second, sizeof(first));
    lk_system_free(sys);
}

/* Spinning wheels at rest and in the air, and a car corner that falls: all values stay finite. */
static void stays_finite(void **state)
{
    static const struct corner wild[] = {
        {.height = REST_HEIGHT, .spin = 200, .damping = 500},
        {.height = 1, .spin = -300, .speed = 60, .damping = 500},
        {.height = 0.1, .speed = -20, .spin = 100, .damping = 500},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
        struct lk_system *sys = compile_corner(&wild[i]);
        double out[OUTPUTS];

        go(sys, 0, 4000);
        look(sys, out);
        for (int k = 0; k < OUTPUTS; k++)
            assert_true(isfinite(out[k]) && fabs(out[k]) < 1e6);
        assert_true(out[OUT_DISSIPATED] > 0);
        lk_system_free(sys);
    }
}

/* Order 2 in smooth driving: braked with a torque, without lift-off. */
static void converges_with_order_two(void **state)
{
    double x[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        double h = 0.004 / (1 << i), out[OUTPUTS];
        struct lk_system *sys = compile_corner(&(struct corner){
            .height = REST_HEIGHT + 0.002, .speed = 15, .spin = 40, .damping = 500, .h = h});

        go(sys, 0, (int)lround(0.4 / h));
        look(sys, out);
        x[i] = out[OUT_X] + out[OUT_SPIN];
        lk_system_free(sys);
    }
    for (int i = 0; i < 2; i++) {
        double ratio = (x[i] - x[i + 1]) / (x[i + 1] - x[i + 2]);

        if (!(ratio > 3 && ratio < 5.5))
            fail_msg("ratio %g of %g", ratio, x[i] - x[i + 1]);
    }
}

/* ---- refusals ---- */

/* Return the rolling resistance of a law with a speed-dependent term, directly after the start: the
 * law must be evaluated at the speed of the wheel. */
static double resistance(double speed)
{
    static const char law[] =
        "{type: mf52, parameters: {FNOMIN: 3500, VERTICAL_STIFFNESS: 2e5, UNLOADED_RADIUS: 0.3469, "
        "LONGVL: 10, PCX1: 1.6, "
        "PDX1: 1.1, PKX1: 20, PCY1: 1.3, PDY1: 1, PKY1: -12, PKY2: 1.6, QSY1: 0.01, QSY3: 0.05}}";
    static char text[8192], with_law[8192];
    struct lk_system *sys;
    double out[OUTPUTS];
    char *tmeasy;

    write_corner(
        &(struct corner){
            .height = REST_HEIGHT, .speed = speed, .spin = speed / REST_HEIGHT, .damping = 500},
        text, sizeof(text));
    tmeasy = strstr(text, TMEASY);
    assert_non_null(tmeasy);
    snprintf(with_law, sizeof(with_law), "%.*s%s%s", (int)(tmeasy - text), text, law,
             tmeasy + strlen(TMEASY));
    sys = compile_text(with_law);
    go(sys, 0, 1);
    look(sys, out);
    lk_system_free(sys);
    return fabs(out[OUT_MY] / out[OUT_FZ]);
}

static void law_is_asked_at_the_speed(void **state)
{
    /* the torque decreases to zero at rest, with the factor V / sqrt(V^2 + 1) */
    double slow = 0.3469 * (0.01 + 0.05 * 0.5) * 5 / sqrt(26);
    double fast = 0.3469 * (0.01 + 0.05 * 2) * 20 / sqrt(401);

    (void)state;
    print_message("    %.5f and %.5f m\n", resistance(5), resistance(20));
    assert_true(fabs(resistance(5) / slow - 1) < 0.01);
    assert_true(fabs(resistance(20) / fast - 1) < 0.01);
}

static void refuse(const char *solver, const char *wanted)
{
    static char text[8192];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error = {""};
    char *at;

    snprintf(text, sizeof(text), corner_text, 0.0, -9.81, 0.0, 0.33, 0.0, 0.0, 0.33, 0.0, 0.0, 0.0,
             0.33, 500.0, 0.001);
    at = strstr(text, "solver:");
    snprintf(at, (size_t)(text + sizeof(text) - at), "solver: {%s}\n", solver);
    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_MODEL);
    assert_string_equal(error.text, wanted);
    lk_model_free(model);
}

static void others_refuse(void **state)
{
    (void)state;
    refuse("formulation: ali3", "formulation ali3 does not step tyres, expected rattle");
    refuse("formulation: rk4", "formulation rk4 does not step tyres, expected rattle");
    refuse("formulation: recursive", "formulation recursive does not step tyres, expected rattle");
    refuse("formulation: rattle, order: 4", "order: 4 with a tyre, expected 2");
    refuse("redundancy: soft", "formulation ali3 does not step tyres, expected rattle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_rates),
        cmocka_unit_test(load_is_transpose_of_rows),
        cmocka_unit_test(stands_on_a_slope),
        cmocka_unit_test(rests_from_the_start),
        cmocka_unit_test(climbs),
        cmocka_unit_test(bounces),
        cmocka_unit_test(stops_from_sliding),
        cmocka_unit_test(reverses),
        cmocka_unit_test(place_does_not_matter),
        cmocka_unit_test(reset_has_the_same_bits),
        cmocka_unit_test(stays_finite),
        cmocka_unit_test(converges_with_order_two),
        cmocka_unit_test(law_is_asked_at_the_speed),
        cmocka_unit_test(others_refuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
