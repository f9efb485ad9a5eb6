/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with modes, of random numbers: a Lagrangian system whatever they are. Momenta, energy,
 * order, velocities and accelerations of nodes against differences, the rigid limit, loops, states
 * that are kept. tests/physics/test_flex.c has bodies of finite elements. */
#include "cmocka_all.h"
#include "compile/fastest.h"
#include "linkage/analysis.h"
#include "linkage/linkage.h"
#include "linkage/modes.h"
#include "linkage/state.h"
#include "maths/vec.h"
#include "model/model.h"
#include "step/equations.h"
#include "step/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT  65536
#define MODES 5

static struct lk_system *compile_with(const char *text, const struct lk_options *options,
                                      struct lk_model **ret_model)
{
    struct lk_system *system = NULL;
    struct lk_error error;

    if (lk_model_read_text("modal", text, strlen(text), ret_model, &error) != 0 ||
        lk_system_new(*ret_model, options, &system, &error) != 0)
        fail_msg("%s", error.text);
    return system;
}

static struct lk_system *compile(const char *text, double step, struct lk_model **ret_model)
{
    const struct lk_options options = {.step = step};

    return compile_with(text, &options, ret_model);
}

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

/* ---- a random body ---- */

struct text {
    char *at;
    size_t left;
    unsigned seed;
};

static double random_of(struct text *t, double size)
{
    t->seed = t->seed * 1103515245U + 12345U;
    return size * ((double)(t->seed >> 8) / (1 << 23) - 1);
}

static void put(struct text *t, const char *words)
{
    int used = snprintf(t->at, t->left, "%s", words);

    assert_true(used >= 0 && (size_t)used < t->left);
    t->at += used;
    t->left -= (size_t)used;
}

static void put_random(struct text *t, int n, double size)
{
    for (int i = 0; i < n; i++) {
        char number[32];

        snprintf(number, sizeof(number), "%s%.9g", i > 0 ? ", " : "", random_of(t, size));
        put(t, number);
    }
}

/* all pairs of modes, @n numbers each */
static void put_pairs(struct text *t, int n, double size)
{
    put(t, "second: [");
    for (int k = 1; k <= MODES; k++)
        for (int l = k; l <= MODES; l++) {
            char number[32];

            snprintf(number, sizeof(number), "%s[%d, %d, ", k + l > 2 ? ", " : "", k, l);
            put(t, number);
            put_random(t, k == l ? 6 : n, size);
            put(t, k == l && n == 9 ? ", 0, 0, 0]" : "]"); /* phi x phi = 0 */
        }
    put(t, "]");
}

/* Write body `arm` with nodes a, b, c. @motion: further keys;  @hertz: of the first mode, the
 * others are multiples;  @damping: ratio */
static void put_arm(struct text *t, const char *motion, double hertz, double damping)
{
    static const char *const nodes[] = {"a: {position: [-0.5, 0, 0]", "b: {position: [0.5, 0.1, 0]",
                                        "c: {position: [0, 0, 0.2]"};
    char number[64];

    put(t, "  arm: {mass: 2, inertia: [0.05, 0.2, 0.22, 0.01, 0.005, -0.01], ");
    put(t, motion);
    put(t, ", modes: {frequency: [");
    for (int k = 0; k < MODES; k++) {
        snprintf(number, sizeof(number), "%s%.9g", k > 0 ? ", " : "", hertz * (1 + 0.7 * k));
        put(t, number);
    }
    put(t, "], damping: [");
    for (int k = 0; k < MODES; k++) {
        snprintf(number, sizeof(number), "%s%.9g", k > 0 ? ", " : "", damping);
        put(t, number);
    }
    put(t, "], inertia_first: [");
    for (int k = 0; k < MODES; k++) {
        put(t, k > 0 ? ", [" : "[");
        put_random(t, 6, 0.1);
        put(t, "]");
    }
    put(t, "], ");
    put_pairs(t, 9, 0.2);
    put(t, ", nodes: {");
    for (int i = 0; i < 3; i++) {
        put(t, i > 0 ? ", " : "");
        put(t, nodes[i]);
        put(t, ", shape: [");
        for (int k = 0; k < MODES; k++) {
            put(t, k > 0 ? ", [" : "[");
            put_random(t, 6, 0.5);
            put(t, "]");
        }
        put(t, "], ");
        put_pairs(t, 6, 0.4);
        put(t, "}");
    }
    put(t, "}}}\n");
}

static char *begin(struct text *t, const char *words, unsigned seed)
{
    char *text = malloc(TEXT);

    assert_non_null(text);
    *t = (struct text){text, TEXT, seed};
    put(t, "linkage: 1\nname: modal\n");
    put(t, words);
    return text;
}

static void step(struct lk_system *system, int n)
{
    double inputs[8] = {0};

    for (int i = 0; i < n; i++)
        assert_int_equal(lk_system_step(system, inputs), 0);
}

/* An arm that springs and a ball pull on, in flight. */
static char *thrown(unsigned seed, double hertz, double damping)
{
    struct text t;
    char *text = begin(&t, "gravity: [0.3, 0, -2]\nbodies:\n", seed);

    put_arm(&t,
            "position: [0, 0, 0], angular_velocity: [1, -2, 1.5], orientation: {axis: [0.6, 0, "
            "0.8], angle: 0.7}",
            hertz, damping);
    put(&t, "  ball: {mass: 0.5, inertia: [0.01, 0.02, 0.02], position: [0.6, 0.4, 0.3], "
            "velocity: [0, 1, 0]}\nforces:\n  pull: {type: spring-damper, bodies: [arm.b, ball], "
            "points: [[0.35, 0.3, 0.2], [0.6, 0.4, 0.4]], stiffness: 60, rest_length: 0.2}\n  own: "
            "{type: spring-damper, bodies: [arm.a, arm.c], points: [[-0.4, 0.1, 0], [0.1, 0, "
            "0.25]], stiffness: 40, rest_length: 0.3}\n  turn: {type: constant-torque, body: "
            "arm.c, torque: [0.1, 0.2, -0.1], frame: body}\n");
    return text;
}

/* ---- nodes ---- */

/* Compare velocities and accelerations of all bodies with central differences over two steps. */
static void nodes_move_as_they_say(void **state)
{
    const double h = 2e-5;

    (void)state;
    for (unsigned seed = 1; seed < 4; seed++) {
        char *text = thrown(seed, 3, 0.02);
        struct lk_model *model;
        struct lk_system *sys = compile(text, h, &model);
        struct lk_motion before[8], at[8];
        int n = sys->n_bodies;

        assert_true(n == 5 && sys->n_modes == MODES);
        for (int k = 0; k < MODES; k++) /* for angular rates that matter */
            sys->now.mode[k].v += k % 2 ? -1 : 1;
        step(sys, 15000);
        memcpy(before, sys->now.motion, (size_t)n * sizeof(*before));
        step(sys, 1);
        memcpy(at, sys->now.motion, (size_t)n * sizeof(*at));
        step(sys, 1);
        for (int b = 0; b < n; b++) {
            const struct lk_motion *next = &sys->now.motion[b];
            const double back[4] = {before[b].q[0], -before[b].q[1], -before[b].q[2],
                                    -before[b].q[3]};
            double turned[4], turn[3];

            lk_quat_mul(back, next->q, turned);
            lk_rotation_log(turned, turn);
            for (int i = 0; i < 3; i++) {
                near_to("v", at[b].v.v[i], (next->x[i] - before[b].x[i]) / (2 * h), 1e-5);
                near_to("w", at[b].v.w[i], turn[i] / (2 * h), 1e-4);
                near_to("a", at[b].a.v[i], (next->v.v[i] - before[b].v.v[i]) / (2 * h), 2e-3);
                near_to("alpha", at[b].a.w[i], (next->v.w[i] - before[b].v.w[i]) / (2 * h), 1e-4);
            }
        }
        lk_system_free(sys);
        lk_model_free(model);
        free(text);
    }
}

/* ---- conservation ---- */

/* momentum and angular momentum about the origin of the world */
static void momenta_of(struct lk_system *sys, double p[3], double L[3])
{
    memset(p, 0, 3 * sizeof(double));
    memset(L, 0, 3 * sizeof(double));
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        double J[6], spin[3], world[3], R[9], arm[3], q[MODES], v[MODES], cross[3] = {0};

        memcpy(J, sys->body[b].inertia, sizeof(J));
        for (int i = 0; i < sys->n_modals; i++)
            if (sys->modal[i].body == b) {
                for (int k = 0; k < MODES; k++) {
                    q[k] = sys->now.mode[sys->modal[i].at + k].q;
                    v[k] = sys->modal[i].is_static[k]
                               ? sys->now.mode[sys->modal[i].at + k].moved / sys->h
                               : sys->now.mode[sys->modal[i].at + k].v;
                }
                lk_modal_inertia(&sys->modal[i], q, J);
                lk_modal_cross(&sys->modal[i], q, v, cross);
            }
        lk_sym_mul(J, m->v.w, spin);
        lk_quat_matrix(m->q, R);
        for (int k = 0; k < 3; k++)
            spin[k] += cross[k];
        lk_rotate(R, spin, world);
        lk_cross(m->x, m->v.v, arm);
        for (int k = 0; k < 3; k++) {
            p[k] += sys->body[b].mass * m->v.v[k];
            L[k] += sys->body[b].mass * arm[k] + world[k];
        }
    }
}

static double energy_of(const struct lk_system *sys)
{
    struct lk_health health;

    lk_system_health(sys, &health);
    return health.kinetic + health.potential;
}

/* An arm that turns and swings, tied to a ball by a joint, alone in space. */
static char *alone(unsigned seed)
{
    struct text t;
    char *text = begin(&t, "gravity: [0, 0, 0]\nbodies:\n", seed);

    put_arm(&t, "position: [0, 0, 0], angular_velocity: [2, -3, 4]", 4, 0);
    put(&t, "  ball: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.8, 0.1, 0], velocity: "
            "[0.5, 4, 2], angular_velocity: [5, 0, 1]}\njoints:\n  j: {type: spherical, bodies: "
            "[arm.b, ball], point: [0.5, 0.1, 0]}\n");
    return text;
}

static void keeps_momenta_and_energy(void **state)
{
    (void)state;
    for (unsigned seed = 5; seed < 8; seed++) {
        char *text = alone(seed);
        double off[2] = {0};

        for (int fine = 0; fine < 2; fine++) {
            struct lk_model *model;
            struct lk_system *sys = compile(text, 1e-3 / (1 + fine), &model);
            double p[2][3], L[2][3], first = energy_of(sys);

            momenta_of(sys, p[0], L[0]);
            for (int i = 0; i < 5000 * (1 + fine); i++) {
                step(sys, 1);
                off[fine] = fmax(off[fine], fabs(energy_of(sys) - first));
            }
            momenta_of(sys, p[1], L[1]);
            for (int k = 0; k < 3; k++) {
                near_to("momentum", p[1][k], p[0][k], 1e-11 * fmax(1, lk_norm(p[0])));
                near_to("angular momentum", L[1][k], L[0][k], 1e-9 * lk_norm(L[0]));
            }
            near_to("energy", off[fine], 0, 2e-3 * first);
            lk_system_free(sys);
            lk_model_free(model);
        }
        near_to("order of the energy", off[0] / off[1], 4, 0.4);
        free(text);
    }
}

/* The energy that damping takes is booked, and all work with it. */
static void books_its_energy(void **state)
{
    char *text = thrown(11, 6, 0.1);
    struct lk_model *model;
    struct lk_system *sys = compile(text, 5e-4, &model);
    struct lk_health start, end;
    double balance;

    (void)state;
    lk_system_health(sys, &start);
    step(sys, 6000);
    lk_system_health(sys, &end);
    balance = end.kinetic + end.potential - start.kinetic - start.potential;
    balance += end.dissipated - start.dissipated - end.work_input - end.work_applied;
    assert_true(end.dissipated > 0.01);
    near_to("balance", balance, 0, 1e-4 * end.dissipated);
    lk_system_free(sys);
    lk_model_free(model);
    free(text);
}

/* The error after a second falls with h^2. */
static void is_of_order_2(void **state)
{
    char *text = thrown(21, 3, 0.05);
    double at[3][6];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_model *model;
        struct lk_system *sys = compile(text, 1e-3 / (1 << (i == 2 ? 4 : i)), &model);

        step(sys, 1000 << (i == 2 ? 4 : i));
        memcpy(at[i], sys->now.motion[2].x, 3 * sizeof(double));
        for (int k = 0; k < 3; k++)
            at[i][3 + k] = sys->now.mode[k].q;
        lk_system_free(sys);
        lk_model_free(model);
    }
    for (int k = 0; k < 6; k++)
        if (fabs(at[0][k] - at[2][k]) > 1e-8)
            near_to("order", (at[0][k] - at[2][k]) / (at[1][k] - at[2][k]), 4, 0.25);
    free(text);
}

/* ---- the rigid limit ---- */

static struct lk_body_state swing_of(const char *text)
{
    struct lk_model *model;
    struct lk_system *sys = compile(text, 1e-3, &model);
    struct lk_body_state ret = {0};
    const struct lk_motion *m;

    step(sys, 1000);
    m = &sys->now.motion[lk_system_body_index(sys, "end")];
    memcpy(ret.position, m->x, sizeof(ret.position));
    memcpy(ret.velocity, m->v.v, sizeof(ret.velocity));
    lk_system_free(sys);
    lk_model_free(model);
    return ret;
}

/* Modes far beyond the step do not move: w h is 628 and more. */
static void is_rigid_in_the_limit(void **state)
{
    static const char end[] =
        "  end: {mass: 0.5, inertia: [0.01, 0.01, 0.02], position: [0.9, 0.1, 0]}\njoints:\n  "
        "root: "
        "{type: revolute, bodies: [ground, %s], point: [-0.5, 0, 0], axis: [0, 1, 0]}\n  elbow: "
        "{type: revolute, bodies: [%s, end], point: [0.5, 0.1, 0], axis: [0, 0.6, 0.8]}\n";
    char joints[1024];
    struct lk_body_state rigid, modal;
    struct text t;
    char *text = begin(&t, "gravity: [0, 0, -9.81]\nbodies:\n", 31);

    (void)state;
    put(&t, "  arm: {mass: 2, inertia: [0.05, 0.2, 0.22, 0.01, 0.005, -0.01], position: [0, 0, "
            "0]}\n");
    snprintf(joints, sizeof(joints), end, "arm", "arm");
    put(&t, joints);
    rigid = swing_of(text);
    free(text);
    text = begin(&t, "gravity: [0, 0, -9.81]\nbodies:\n", 31);
    put_arm(&t, "position: [0, 0, 0]", 1e5, 0.01);
    snprintf(joints, sizeof(joints), end, "arm.a", "arm.b");
    put(&t, joints);
    modal = swing_of(text);
    free(text);
    for (int k = 0; k < 3; k++) {
        near_to("position", modal.position[k], rigid.position[k], 1e-10);
        near_to("velocity", modal.velocity[k], rigid.velocity[k], 5e-6);
    }
}

/* A mode that a step can resolve decays as it should, w h is 0.06 to 1.9; faster ones are at rest
 * after a step. */
static void decays(void **state)
{
    static const double hertz[] = {10, 100, 300, 1000, 10000};

    (void)state;
    for (int i = 0; i < 5; i++) {
        char text[1024];
        struct lk_model *model;
        struct lk_system *sys;
        double w = 2 * M_PI * hertz[i], zeta = 0.02, energy[2] = {0};
        int n = (int)fmax(1 / (zeta * w * 1e-3), 5);

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: decay\ngravity: [0, 0, 0]\nbodies:\n  arm: {mass: 3, inertia: "
                 "[1, 1, 1], position: [0, 0, 0], modes: {frequency: [%g], damping: [0.02], nodes: "
                 "{root: {position: [0, 0, 0], shape: [[0, 0, 0, 0, 0, 0]]}}}}\n",
                 hertz[i]);
        sys = compile(text, 1e-3, &model);
        sys->now.mode[0].q = 0.01;
        sys->now.mode[0].moved = 0;
        for (int half = 0; half < 2; half++) {
            step(sys, n);
            energy[half] = energy_of(sys);
        }
        if (w * 1e-3 > 2)
            near_to("energy", energy[1], 0, 1e-12);
        else
            near_to("decay", log(energy[0] / energy[1]) / (2 * n * zeta * w * 1e-3), 1, 0.1);
        lk_system_free(sys);
        lk_model_free(model);
    }
}

/* ---- loops, states ---- */

/* A four-bar whose coupler has modes. */
static char *loop(void)
{
    struct text t;
    char *text = begin(&t, "bodies:\n", 41);

    put_arm(&t, "position: [0.5, 0, 0.4]", 20, 0.02);
    put(&t,
        "  crank: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.2], angular_velocity: "
        "[0, 2, 0], velocity: [0.4, 0, 0]}\n  rocker: {mass: 1, inertia: [0.02, 0.02, 0.02], "
        "position: [1, 0.1, 0.2]}\njoints:\n"
        "  o: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  a: {type: revolute, bodies: [crank, arm.a], point: [0, 0, 0.4], axis: [0, 1, 0]}\n"
        "  b: {type: revolute, bodies: [arm.b, rocker], point: [1, 0.1, 0.4], axis: [0, 1, 0]}\n"
        "  c: {type: revolute, bodies: [rocker, ground], point: [1, 0.1, 0], axis: [0, 1, 0]}\n"
        "  hold: {type: fixed, bodies: [arm.c, weight], point: [0.5, 0, 0.6]}\noutputs:\n"
        "  r: {type: joint-reaction, joint: b}\n");
    return text;
}

static void put_weight(char *text)
{
    char *joints = strstr(text, "joints:\n"), rest[4096];

    snprintf(rest, sizeof(rest), "%s", joints);
    sprintf(joints,
            "  weight: {mass: 0.3, inertia: [0.001, 0.001, 0.001], position: [0.5, 0, "
            "0.7]}\n%s",
            rest);
}

static void loops_stay_closed(void **state)
{
    char *text = loop();
    struct lk_model *model;
    struct lk_model *other_model;
    struct lk_system *one, *two;
    size_t size;
    void *bytes, *other;
    struct lk_error error;

    (void)state;
    put_weight(text);
    one = compile(text, 1e-3, &model);
    two = compile_with(text, &(struct lk_options){.step = 1e-3}, &other_model);
    size = lk_system_state_size(one);
    bytes = malloc(size);
    other = malloc(size);
    step(one, 1000);
    lk_system_state_get(one, bytes);
    step(one, 1000);
    step(two, 2000);
    assert_true(one->now.balance->residual_position < 1e-11);
    assert_true(one->now.balance->residual_velocity < 1e-9);
    lk_system_state_get(one, other);
    assert_memory_equal(one->now.block, two->now.block, one->state_size * sizeof(double));
    /* the same bits from a state that was kept */
    assert_int_equal(lk_system_state_set(two, bytes, size, &error), 0);
    step(two, 1000);
    lk_system_state_get(two, bytes);
    assert_memory_equal(bytes, other, size);
    lk_system_reset(one);
    step(one, 2000);
    lk_system_state_get(one, bytes);
    assert_memory_equal(bytes, other, size);
    lk_system_free(one);
    lk_system_free(two);
    lk_model_free(model);
    lk_model_free(other_model);
    free(bytes);
    free(other);
    free(text);
}

/* ---- rest ---- */

/* A force F along x at a node with the shape S bends mode k by S F / w^2, to first order. */
static void rests_bent(void **state)
{
    static const char text[] =
        "linkage: 1\nname: rest\ngravity: [0, 0, 0]\nbodies:\n  arm: {mass: 3, inertia: [1, 1, "
        "1], position: [0, 0, 0], modes: {frequency: [2, 5], nodes: {root: {position: [0, 0, 0], "
        "shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}, tip: {position: [1, 0, 0], shape: "
        "[[0.3, 0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0]]}}}}\njoints:\n  root: {type: fixed, bodies: "
        "[ground, arm.root], point: [0, 0, 0]}\nforces:\n  push: {type: constant-force, body: "
        "arm.tip, force: [7, 0, 0], point: [1, 0, 0]}\n";
    struct lk_model *model;
    struct lk_system *sys = compile_with(text, &(struct lk_options){.equilibrium = 1}, &model);
    double w[2] = {4 * M_PI, 10 * M_PI};
    struct lk_linear linear;
    struct lk_mode *modes;
    struct lk_error error;
    int n;

    (void)state;
    near_to("mode 1", sys->now.mode[0].q, 0.3 * 7 / (w[0] * w[0]), 1e-12);
    near_to("mode 2", sys->now.mode[1].q, 0.1 * 7 / (w[1] * w[1]), 1e-12);
    assert_int_equal(lk_linear_init(sys, true, &linear, &error), 0);
    n = lk_modes_find(&linear, &modes);
    assert_int_equal(n, 2);
    near_to("frequency 1", modes[0].im, w[0], 1e-6);
    near_to("frequency 2", modes[1].im, w[1], 1e-6);
    lk_modes_free(modes, n);
    lk_linear_fini(&linear);
    lk_system_free(sys);
    lk_model_free(model);
}

/* A table on four legs, with a load on one: without its mode of torsion, the forces in the legs are
 * not determined. Its elastic force is 0, because the legs do not let the table
 * deform: ra - rb + rc - rd = 40, so that the leg below carries all of the load. A mode that the
 * step resolves, and a quasi-static one. */
static void legs_carry_their_share(void **state)
{
    static const double hertz[] = {30, 1000};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[2048];
        struct lk_model *model;
        struct lk_system *sys;
        double out[24];

        snprintf(
            text, sizeof(text),
            "linkage: 1\nname: table\ngravity: [0, 0, -9.81]\nbodies:\n  top: {mass: 4, "
            "inertia: [1, 1, 2], position: [0, 0, 0], modes: {frequency: [%g], damping: [0.5], "
            "nodes: {a: {position: [1, 1, 0], shape: [[0, 0, 0.5, 0, 0, 0]]}, "
            "b: {position: [-1, 1, 0], shape: [[0, 0, -0.5, 0, 0, 0]]}, "
            "c: {position: [-1, -1, 0], shape: [[0, 0, 0.5, 0, 0, 0]]}, "
            "d: {position: [1, -1, 0], shape: [[0, 0, -0.5, 0, 0, 0]]}, "
            "m: {position: [0, 0, 0], shape: [[0, 0, 0, 0, 0, 0]]}}}}\njoints:\n"
            "  la: {type: distance, bodies: [ground, top.a], points: [[1, 1, -1], [1, 1, 0]]}\n"
            "  lb: {type: distance, bodies: [ground, top.b], points: [[-1, 1, -1], [-1, 1, "
            "0]]}\n"
            "  lc: {type: distance, bodies: [ground, top.c], points: [[-1, -1, -1], [-1, -1, "
            "0]]}\n"
            "  ld: {type: distance, bodies: [ground, top.d], points: [[1, -1, -1], [1, -1, "
            "0]]}\n"
            "forces:\n"
            "  x: {type: spring-damper, bodies: [ground, top.m], points: [[-5, 0, 0], [0, 0, "
            "0]], stiffness: 2000, damping: 500, rest_length: 5}\n"
            "  y: {type: spring-damper, bodies: [ground, top.m], points: [[0, -5, 0], [0, 0, "
            "0]], stiffness: 2000, damping: 500, rest_length: 5}\n"
            "  z: {type: spring-damper, bodies: [ground, top.a], points: [[1, -5, 0], [1, 1, "
            "0]], stiffness: 2000, damping: 500, rest_length: 6}\n"
            "  load: {type: constant-force, body: top.a, force: [0, 0, -40], point: [1, 1, "
            "0]}\n"
            "outputs:\n"
            "  ra: {type: joint-reaction, joint: la}\n"
            "  rb: {type: joint-reaction, joint: lb}\n"
            "  rc: {type: joint-reaction, joint: lc}\n"
            "  rd: {type: joint-reaction, joint: ld}\n",
            hertz[i]);
        sys = compile(text, 1e-3, &model);
        step(sys, 3000);
        lk_system_outputs(sys, out);
        for (int leg = 0; leg < 4; leg++)
            near_to("leg", out[6 * leg + 2], leg == 0 ? 49.81 : 9.81, 1e-5);
        lk_system_free(sys);
        lk_model_free(model);
    }
}

/* Dampers at nodes that stop a motion within a step do not move a body at rest. */
static void rests_on_stiff_dampers(void **state)
{
    static const char text[] =
        "linkage: 1\nname: rest\ngravity: [0, 0, -9.81]\nbodies:\n  arm: {mass: 3, inertia: [1, "
        "1, 1], position: [0, 0, 0], modes: {frequency: [20, 800], nodes: {root: {position: [-1, "
        "0, 0], shape: [[0, 0, 0.3, 0, 0.6, 0], [0, 0, 0.2, 0, 1, 0]]}, tip: {position: [1, 0, 0], "
        "shape: [[0, 0, 0.3, 0, -0.6, 0], [0, 0, -0.2, 0, 1, 0]]}}}}\n"
        "  load: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0.1]}\njoints:\n"
        "  seat: {type: fixed, bodies: [arm.tip, load], point: [1, 0, 0]}\nforces:\n"
        "  root: {type: bushing, bodies: [ground, arm.root], point: [-1, 0, 0], stiffness: [1e5, "
        "1e5, 1e5, 1e4, 1e4, 1e4], damping: [1e5, 1e5, 1e5, 1e4, 1e4, 1e4]}\n"
        "  tip: {type: bushing, bodies: [ground, arm.tip], point: [1, 0, 0], stiffness: [0, 0, "
        "1e4, 0, 0, 0], damping: [0, 0, 1e5, 0, 0, 0]}\n";
    const struct lk_options options = {.equilibrium = 1, .step = 1e-3};
    struct lk_model *model;
    struct lk_system *sys = compile_with(text, &options, &model);

    (void)state;
    assert_true(sys->closes_dampers);
    step(sys, 200);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            near_to("velocity", sys->now.motion[b].v.v[i], 0, 1e-9);
            near_to("rate", sys->now.motion[b].v.w[i], 0, 1e-9);
        }
    lk_system_free(sys);
    lk_model_free(model);
}

/* ---- quasi-static modes ---- */

/* Momenta are kept with quasi-static modes too, if the iterations converge; w h is 3 and more. The
 * rate in their momentum is that of the last step. */
static void static_modes_keep_momenta(void **state)
{
    struct text t;
    char *text = begin(&t, "gravity: [0, 0, 0]\nbodies:\n", 51);
    struct lk_model *model;
    struct lk_system *sys;
    double p[2][3], L[2][3];

    (void)state;
    put_arm(&t, "position: [0, 0, 0], angular_velocity: [20, -30, 40]", 100, 0.1);
    put(&t, "  ball: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.8, 0.1, 0], velocity: "
            "[0.5, 4, 2]}\nforces:\n  pull: {type: spring-damper, bodies: [arm.b, ball], points: "
            "[[0.5, 0.1, 0], [0.8, 0.1, 0]], stiffness: 500, rest_length: 0.2}\n");
    sys = compile_with(text, &(struct lk_options){.step = 5e-3, .iterations = 20}, &model);
    for (int k = 0; k < MODES; k++)
        assert_true(sys->modal[0].is_static[k]);
    momenta_of(sys, p[0], L[0]);
    step(sys, 500);
    momenta_of(sys, p[1], L[1]);
    for (int k = 0; k < 3; k++) {
        near_to("momentum", p[1][k], p[0][k], 1e-11 * fmax(1, lk_norm(p[0])));
        near_to("angular momentum", L[1][k], L[0][k], 1e-12 * lk_norm(L[0]));
    }
    lk_system_free(sys);
    lk_model_free(model);
    free(text);
}

/* A force that acts at once on a quasi-static mode: its work is twice what the mode stores, and the
 * rest is booked as dissipated. */
static void static_modes_book_their_loss(void **state)
{
    static const char text[] =
        "linkage: 1\nname: loss\ngravity: [0, 0, 0]\nbodies:\n  arm: {mass: 3, inertia: [1, 1, "
        "1], position: [0, 0, 0], modes: {frequency: [1000], nodes: {root: {position: [0, 0, 0], "
        "shape: [[0, 0, 0, 0, 0, 0]]}, tip: {position: [1, 0, 0], shape: [[0.3, 0, 0, 0, 0, "
        "0]]}}}}\njoints:\n  root: {type: fixed, bodies: [ground, arm.root], point: [0, 0, "
        "0]}\nforces:\n  push: {type: constant-force, body: arm.tip, force: [7e4, 0, 0], point: "
        "[1, "
        "0, 0]}\n";
    const double w = 2000 * M_PI, stored = 0.5 * pow(0.3 * 7e4 / w, 2);
    struct lk_model *model;
    struct lk_system *sys = compile(text, 1e-3, &model);
    struct lk_health health;

    (void)state;
    step(sys, 5);
    near_to("place", sys->now.mode[0].q, 0.3 * 7e4 / (w * w), 1e-12);
    lk_system_health(sys, &health);
    near_to("dissipated", health.dissipated, stored, 1e-9 * stored);
    lk_system_free(sys);
    lk_model_free(model);
}

/* A body that turns steadily about an axis of its own, with the deflection that the rotation makes:
 * its modes, which are quasi-static and coupled by beta, have no rates. */
static void static_modes_rest_in_rotation(void **state)
{
    static const char text[] =
        "linkage: 1\nname: spin\ngravity: [0, 0, 0]\nbodies:\n  arm: {mass: 3, inertia: [1, 1, "
        "2], position: [0, 0, 0], angular_velocity: [0, 0, 300], modes: {frequency: [500, 700], "
        "damping: [0.1, 0.1], inertia_first: [[0, 0, 1, 0, 0, 0], [0, 0, 2, 0, 0, 0]], second: "
        "[[1, "
        "2, 0, 0, 0, 0, 0, 0, 0, 0, 0.5]], nodes: {root: {position: [0, 0, 0], shape: [[0, 0, 0, "
        "0, 0, 0], [0, 0, 0, 0, 0, 0]]}}}}\n";
    struct lk_model *model;
    struct lk_system *sys = compile(text, 1e-3, &model);

    (void)state;
    step(sys, 300);
    assert_true(sys->now.mode[0].q > 1e-3);
    near_to("rate 1", sys->now.mode[0].v, 0, 1e-9);
    near_to("rate 2", sys->now.mode[1].v, 0, 1e-9);
    lk_system_free(sys);
    lk_model_free(model);
}

/* ---- limits ---- */

static void too_much(const char *inertia_first, const char *shape, const char *load)
{
    char text[1024];
    struct lk_model *model;
    struct lk_system *sys;
    double none[1] = {0};
    int r = 0;

    snprintf(
        text, sizeof(text),
        "linkage: 1\nname: much\ngravity: [0, 0, 0]\nbodies:\n  arm: {mass: 3, inertia: [1, "
        "1, 1], position: [0, 0, 0], modes: {frequency: [0.5], inertia_first: [%s], nodes: "
        "{root: {position: [0, 0, 0], shape: [[0, 0, 0, 0, 0, 0]]}, tip: {position: [1, 0, "
        "0], shape: [%s]}}}}\njoints:\n  root: {type: fixed, bodies: [ground, arm.root], point: "
        "[0, 0, 0]}\nforces:\n  load: {body: arm.tip, %s}\n",
        inertia_first, shape, load);
    sys = compile(text, 1e-3, &model);
    for (int i = 0; i < 2000 && r == 0; i++)
        r = lk_system_step(sys, none);
    assert_int_equal(r, LK_E_BENT);
    assert_true(fabs(sys->now.mode[0].q) > 0.9 && fabs(sys->now.mode[0].q) < 1.1);
    lk_system_free(sys);
    lk_model_free(model);
}

/* A step ends where a node turns by a radian, where a moment of inertia is almost 0, and where a
 * product of inertia is as large as the moments: q = 1 in all three. */
static void bends_too_far(void **state)
{
    static const char push[] = "type: constant-force, force: [30, 0, 0], point: [1, 0, 0]";

    (void)state;
    too_much("[0, 0, 0, 0, 0, 0]", "[0, 0, 0, 1, 0, 0]",
             "type: constant-torque, torque: [30, 0, 0]");
    too_much("[-0.9, 0, 0, 0, 0, 0]", "[1, 0, 0, 0, 0, 0]", push);
    too_much("[0, 0, 0, 1, 0, 0]", "[1, 0, 0, 0, 0, 0]", push);
}

/* ---- what programs learn of a model ---- */

/* The tree that programs draw is the tree of the step; a blow along a coordinate moves bodies with
 * modes as rigid ones. */
static void programs_know_the_body_of_a_node(void **state)
{
    char *text = loop();
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_tree_view view;
    double rate;
    int joint, node, weight;

    (void)state;
    put_weight(text);
    sys = compile(text, 1e-3, &model);
    assert_int_equal(lk_tree_view_init(sys, &view), 0);
    assert_int_equal(view.n_fronts, sys->summary.tree_fronts);
    assert_int_equal(view.largest, sys->summary.largest_front);
    lk_tree_view_fini(&view);
    joint = lk_system_joint_index(sys, "o");
    node = lk_system_body_index(sys, "arm.c");
    weight = lk_system_body_index(sys, "weight");
    assert_true(node >= 0 && lk_blow_to_rate(sys, joint, 3));
    lk_modal_follow(sys, &sys->now);
    rate = lk_norm(sys->now.motion[weight].v.w);
    assert_true(rate > 0.01);
    for (int i = 0; i < 3; i++) /* `hold` is a fixed joint at a node */
        near_to("rate", sys->now.motion[node].v.w[i], sys->now.motion[weight].v.w[i], 1e-5 * rate);
    lk_system_free(sys);
    lk_model_free(model);
    free(text);
}

/* Data of second order count as operations of a step. */
static void pairs_are_work(void **state)
{
    double flops[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[512];
        struct lk_model *model;
        struct lk_system *sys;

        snprintf(text, sizeof(text),
                 "linkage: 1\nname: work\nbodies:\n  arm: {mass: 3, inertia: [1, 1, 2], position: "
                 "[0, 0, 0], modes: {frequency: [5, 7], second: [%s], nodes: {root: {position: [0, "
                 "0, 0], shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}}}}\n",
                 i > 0 ? "[1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0.5]" : "");
        sys = compile(text, 1e-3, &model);
        flops[i] = sys->summary.step_flops;
        lk_system_free(sys);
        lk_model_free(model);
    }
    assert_true(flops[1] > flops[0] + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_move_as_they_say),
        cmocka_unit_test(keeps_momenta_and_energy),
        cmocka_unit_test(books_its_energy),
        cmocka_unit_test(is_of_order_2),
        cmocka_unit_test(is_rigid_in_the_limit),
        cmocka_unit_test(decays),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(rests_bent),
        cmocka_unit_test(legs_carry_their_share),
        cmocka_unit_test(rests_on_stiff_dampers),
        cmocka_unit_test(static_modes_keep_momenta),
        cmocka_unit_test(static_modes_book_their_loss),
        cmocka_unit_test(static_modes_rest_in_rotation),
        cmocka_unit_test(bends_too_far),
        cmocka_unit_test(programs_know_the_body_of_a_node),
        cmocka_unit_test(pairs_are_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
