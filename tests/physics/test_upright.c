/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies connected to the ground by hinges and prismatic joints, in mechanisms whose motion is not
 * planar, or that rotate in place. Without the rows that keep them upright they have the same
 * motion as with all rows. Planar mechanisms: test_plane.c. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "maths/vec.h"
#include "sheet.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 100

/* Four bodies are connected to the ground by a hinge, by stacked prismatic joints, and by a hinge
 * on these; four others by ball joints, a universal joint and a hinge across its axis. The initial
 * velocities do not satisfy the joints. */
#define SPATIAL                                                                                    \
    "linkage: 1\nname: spatial\ngravity: [1, -2, -9]\nbodies:\n"                                   \
    "  arm: {mass: 1, inertia: [0.1, 0.2, 0.15, 0.01, 0.02, -0.01], position: [0.5, 0.1, 0], "     \
    "angular_velocity: [1, 2, 0.5]}\n"                                                             \
    "  hub: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [1.2, 0.2, 0.3]}\n"                     \
    "  rod: {mass: 0.4, inertia: [0.02, 0.02, 0.01], position: [1.3, 0.6, 0.8]}\n"                 \
    "  rack: {mass: 3, inertia: [0.3, 0.2, 0.3], position: [1, 1, 1], velocity: [0.3, 1, 0], "     \
    "angular_velocity: [0.2, 0, 0.1]}\n"                                                           \
    "  slide: {mass: 1.5, inertia: [0.1, 0.1, 0.2], position: [1, 1, 1.5]}\n"                      \
    "  wheel: {mass: 1, inertia: [0.25, 0.2, 0.15, 0.02, 0.01, 0.03], position: [1.2, 1, 1.6], "   \
    "angular_velocity: [3, 3, 3]}\n"                                                               \
    "  fan: {mass: 0.5, inertia: [0.1, 0.1, 0.05], position: [1.3, 1.2, 1.9]}\n"                   \
    "  flap: {mass: 0.7, inertia: [0.1, 0.1, 0.05], position: [0.4, -0.5, 0.2]}\n"                 \
    "  rotor: {mass: 2, inertia: [0.1, 0.2, 0.15, 0.02, 0.01, 0.03], position: [0, -1, 0.4], "     \
    "velocity: [1, 0, 0], angular_velocity: [1, 1, 5]}\n"                                          \
    "  shaft: {mass: 0.5, inertia: [0.05, 0.05, 0.01], position: [0.1, -1.1, 1]}\n"                \
    "  bob: {mass: 0.3, inertia: [0.01, 0.02, 0.015], position: [0.4, -1.3, 0.1]}\n"               \
    "joints:\n"                                                                                    \
    "  hinge: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0.1, 1, 0.3]}\n"    \
    "  ball: {type: spherical, bodies: [arm, hub], point: [1, 0.2, 0.1]}\n"                        \
    "  end: {type: spherical, bodies: [hub, rod], point: [1.4, 0.3, 0.5]}\n"                       \
    "  tie: {type: spherical, bodies: [rod, rack], point: [1.2, 0.9, 1.1]}\n"                      \
    "  guide: {type: prismatic, bodies: [ground, rack], point: [1, 1, 1], axis: [0.6, 0.8, 0]}\n"  \
    "  cross: {type: prismatic, bodies: [slide, rack], point: [1, 1, 1.2], axis: [0, 0.6, 0.8]}\n" \
    "  axle: {type: revolute, bodies: [slide, wheel], point: [1.1, 1, 1.5], axis: [1, -1, 2]}\n"   \
    "  cardan: {type: universal, bodies: [wheel, fan], point: [1.2, 1.1, 1.7], axes: [[1, 0, 0], " \
    "[0, 1, 0]]}\n"                                                                                \
    "  leaf: {type: revolute, bodies: [arm, flap], point: [0.5, -0.2, 0.1], axis: [1, 0, 0]}\n"    \
    "  bearing: {type: revolute, bodies: [rotor, ground], point: [0, -1, -0.5], axis: [0, 0, "     \
    "2]}\n"                                                                                        \
    "  joint: {type: universal, bodies: [rotor, shaft], point: [0, -1, 0.8], axes: [[1, 0, 0], "   \
    "[0, 1, 0]]}\n"                                                                                \
    "  pin: {type: spherical, bodies: [rotor, bob], point: [0.3, -1.1, 0.3]}\n"                    \
    "forces:\n"                                                                                    \
    "  s: {type: joint-spring-damper, joint: hinge, stiffness: 30, damping: 0.3}\n"                \
    "  t: {type: joint-spring-damper, joint: cross, stiffness: 200, damping: 1}\n"                 \
    "  u: {type: spring-damper, bodies: [ground, flap], points: [[0, 0, 1], [0.4, -0.6, 0.2]], "   \
    "stiffness: 50, damping: 0.1}\n"
#define ALL_OF_SPATIAL 50 /* number of rows */

#define LACKING 15

#define STOP                                                                                       \
    "  r: {type: stop, joint: cross, lower: -0.05, upper: 0.02, stiffness: 5000, damping: 1}\n"
#define PUSHED(stop)                                                                               \
    "  w: {type: harmonic-force, body: slide, point: [1.1, 1.2, 1.4], amplitude: [3, -2, 5], "     \
    "omega: 25}\n"                                                                                 \
    "  f: {type: constant-torque, body: rotor, torque: [1, 2, 3], frame: body}\n" stop "inputs:\n" \
    "  push: {type: body-force, body: slide, point: [1.4, 1.2, 2]}\n"                              \
    "  turn: {type: body-torque, body: flap}\n"                                                    \
    "  drive: {type: joint-torque, joint: cardan, coordinate: second}\n"                           \
    "  lift: {type: joint-force, joint: guide}\n"                                                  \
    "outputs:\n"                                                                                   \
    "  a: {type: joint-reaction, joint: hinge}\n"                                                  \
    "  b: {type: joint-reaction, joint: bearing}\n"                                                \
    "  c: {type: joint-reaction, joint: tie}\n"

static const double pushes[] = {10, -20, 5, 1, 2, -3, 4, 30};

/* Compare with a step of all rows. The motion is the same, and so are the reactions of joints,
 * whether or not their rows were omitted. */
static void compare_spatial(const char *more, const double *inputs, const char *formulation,
                            const char *engine)
{
    struct lk_system *held, *all;
    struct lk_summary summary;
    char text[TEXT];

    snprintf(text, sizeof(text), SPATIAL "%s", more);
    held = compile_by(formulation, text, &(struct lk_options){.step = 1e-3, .engine = engine});
    all = compile_by(formulation, text,
                     &(struct lk_options){.step = 1e-3, .engine = "none", .all_rows = 1});
    lk_system_summary(all, &summary);
    assert_int_equal(count_rows(all), ALL_OF_SPATIAL);
    assert_int_equal(count_rows(held), ALL_OF_SPATIAL - LACKING);
    for (int i = 0; i < STEPS; i++) {
        assert_same_motion(formulation, held, all, text);
        for (int j = 0; j < summary.n_joints; j++) {
            double x[6], y[6];

            lk_system_joint_reaction(held, j, x);
            lk_system_joint_reaction(all, j, y);
            assert_near(formulation, x, y, 6, 1e2 + lk_norm(y), lk_system_joint_name(all, j));
        }
        assert_int_equal(lk_system_step(held, inputs), 0);
        assert_int_equal(lk_system_step(all, inputs), 0);
    }
    lk_system_free(held);
    lk_system_free(all);
}

#define CRANKS                                                                                     \
    "linkage: 1\nname: cranks\ngravity: [1, -9, 0]\nbodies:\n"                                     \
    "  a: {mass: 3, inertia: [0.2, 0.2, 0.3, 0.01, 0.02, 0.01], position: [0, 0, 0.1], "           \
    "angular_velocity: [0, 0, 4]}\n"                                                               \
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.8, 0.4, 0], velocity: [-1, 1, 0]}\n"    \
    "  c: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [1.5, 0, 0]}\n"                            \
    "joints:\n"                                                                                    \
    "  p: {type: revolute, bodies: [ground, a], point: [0, 0, -1], axis: [0, 0, 1]}\n"             \
    "  q: {type: revolute, bodies: [a, b], point: [0.2, 0.3, 0.4], axis: [0, 0, 1]}\n"             \
    "  r: {type: revolute, bodies: [b, c], point: [1.4, 0.5, 0], axis: [0, 0, 1]}\n"               \
    "  s: {type: revolute, bodies: [c, ground], point: [1.5, 0, 0], axis: [0, 0, 1]}\n"            \
    "forces:\n  t: {type: joint-spring-damper, joint: p, stiffness: 3, damping: 0.1}\n"

static void balanced_cranks_turn_in_place(void **state)
{
    static const char *const by[] = {"rattle", "ali3", "rk4"};

    (void)state;
    for (int f = 0; f < 3; f++) {
        struct lk_system *held = compile_by(by[f], CRANKS, &(struct lk_options){.step = 1e-3});
        struct lk_system *all =
            compile_by(by[f], CRANKS, &(struct lk_options){.step = 1e-3, .all_rows = 1});

        assert_int_equal(count_rows(all), 20);
        assert_int_equal(count_rows(held), 4);
        for (int i = 0; i < STEPS; i++) {
            double x[6];

            assert_int_equal(lk_system_joint_reaction(held, 0, x), LK_E_MODEL);
            assert_true(isnan(x[0]));
            assert_same_motion(by[f], held, all, CRANKS);
            assert_int_equal(lk_system_step(held, NULL), 0);
            assert_int_equal(lk_system_step(all, NULL), 0);
        }
        lk_system_free(held);
        lk_system_free(all);
    }
}

/* A shaft on a hinge that is also held by a ball at its centre, and by a rod and a weld in space.
 * These rows move nothing. */
#define IDLE(more)                                                                                 \
    "linkage: 1\nname: idle\ngravity: [1, -9, 3]\nbodies:\n"                                       \
    "  a: {mass: 3, inertia: [0.2, 0.2, 0.3, 0.01, 0.02, 0.01], position: [0.3, -0.4, 0.1], "      \
    "angular_velocity: [0, 0, 4]}\n"                                                               \
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.8, 0.4, 0.5]}\n"                        \
    "  c: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [0.3, -0.4, 2]}\n"                         \
    "  d: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [5, 0, 0]}\n"                              \
    "joints:\n"                                                                                    \
    "  p: {type: revolute, bodies: [ground, a], point: [0.3, -0.4, -1], axis: [0, 0, 1]}\n"        \
    "  q: {type: spherical, bodies: [a, ground], point: [0.3, -0.4, 0.1]}\n"                       \
    "  r: {type: universal, bodies: [a, b], point: [0.6, 0.1, 0.3], axes: [[1, 0, 0], [0, 1, "     \
    "0]]}\n"                                                                                       \
    "  s: {type: distance, bodies: [ground, a], points: [[1, 1, 1], [0.3, -0.4, 0.6]]}\n"          \
    "  t: {type: revolute, bodies: [ground, c], point: [0.3, -0.4, 3], axis: [0, 0, 1]}\n"         \
    "  u: {type: spherical, bodies: [a, c], point: [0.3, -0.4, 1.5]}\n" more

/* A disk that rotates in place: its front eliminates no row, while the rows of up to five arms
 * remain. */
static void many_arms_hang_on_what_turns_in_place(void **state)
{
    static const char *const by[] = {"rattle", "ali3", "rk4"};

    (void)state;
    for (int arms = 1; arms <= 5; arms++)
        for (int f = 0; f < 3; f++) {
            struct sheet *s = calloc(1, sizeof(*s));
            struct lk_system *held, *all;

            assert_non_null(s);
            sheet_put(s,
                      "linkage: 1\nname: spider\ngravity: [1, -9, 3]\nbodies:\n  disk: {mass: 3, "
                      "inertia: "
                      "[0.2, 0.2, 0.3], position: [0, 0, 0.1], angular_velocity: [0, 0, 4]}\n");
            for (int a = 0; a < arms; a++)
                sheet_put(s,
                          "  b%d: {mass: 1, inertia: [0.1, 0.12, 0.1], position: [%d, 0.5, 0.3]}\n",
                          a, a - 2);
            sheet_put(
                s, "joints:\n  pivot: {type: revolute, bodies: [ground, disk], point: [0, 0, 0], "
                   "axis: [0, 0, 1]}\n");
            for (int a = 0; a < arms; a++)
                sheet_put(s,
                          "  j%d: {type: spherical, bodies: [disk, b%d], point: [%g, 0.2, 0.1]}\n",
                          a, a, 0.5 * (a - 2));
            held = compile_by(by[f], s->text, &(struct lk_options){.step = 1e-3, .engine = "none"});
            all = compile_by(by[f], s->text,
                             &(struct lk_options){.step = 1e-3, .engine = "none", .all_rows = 1});
            assert_int_equal(count_rows(held), 3 * arms);
            for (int i = 0; i < STEPS; i++) {
                assert_same_motion(by[f], held, all, s->text);
                assert_int_equal(lk_system_step(held, NULL), 0);
                assert_int_equal(lk_system_step(all, NULL), 0);
            }
            lk_system_free(held);
            lk_system_free(all);
            free(s);
        }
}

static void rows_that_move_nothing_do_no_harm(void **state)
{
    static const char *const by[] = {"rattle", "ali3", "rk4"};
    static const char shown[] = IDLE("outputs:\n  f: {type: joint-reaction, joint: q}\n");
    static const char *const named[] = {"q", NULL};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    (void)state;
    lk_engines_here(here);
    for (int f = 0; f < 3; f++) {
        const char *engines[] = {"none", here[0]->name};
        struct lk_system *all =
            compile_by(by[f], IDLE(""), &(struct lk_options){.step = 1e-3, .all_rows = 1});
        struct lk_system *held[2], *told, *asked;
        double y[6];

        for (int k = 0; k < 2; k++) {
            double x[6];

            held[k] = compile_by(by[f], IDLE(""),
                                 &(struct lk_options){.step = 1e-3, .engine = engines[k]});
            assert_int_equal(count_rows(held[k]), count_rows(all) - 10);
            /* the reactions of the omitted rows are unknown as well */
            assert_int_equal(
                lk_system_joint_reaction(held[k], lk_system_joint_index(held[k], "q"), x),
                LK_E_MODEL);
        }
        asked = compile_by(by[f], IDLE(""), &(struct lk_options){.step = 1e-3, .reactions = named});
        assert_int_equal(count_rows(asked), count_rows(all));
        assert_int_equal(lk_system_joint_reaction(asked, lk_system_joint_index(asked, "q"), y), 0);
        lk_system_free(asked);
        told = compile_by(by[f], shown, &(struct lk_options){.step = 1e-3});
        assert_int_equal(count_rows(told), count_rows(all));
        for (int i = 0; i < STEPS; i++) {
            for (int k = 0; k < 2; k++) {
                assert_same_motion(by[f], held[k], all, IDLE(""));
                assert_int_equal(lk_system_step(held[k], NULL), 0);
            }
            assert_int_equal(lk_system_step(all, NULL), 0);
        }
        lk_system_free(held[0]);
        lk_system_free(held[1]);
        lk_system_free(told);
        lk_system_free(all);
    }
}

/* A plate that drives move, and a bushing, beside rows that depend on each other: the forces of
 * drives and bushing are known. */
static void forces_beside_redundant_rows_are_known(void **state)
{
    static const char text[] = IDLE(
        "  m: {type: fixed, bodies: [ground, d], point: [5, 0, 0], drive: {z: {harmonic: "
        "{amplitude: 0.1, omega: 2}}}}\n"
        "forces:\n  e: {type: bushing, bodies: [ground, b], point: [0.8, 0.4, 0.5], stiffness: "
        "[1000, 900, 800, 10, 9, 8], damping: [1, 1, 1, 0.1, 0.1, 0.1]}\n"
        "outputs:\n  f: {type: drive-force, joint: m}\n  g: {type: force, force: e}\n");
    struct lk_system *held = compile_by("rattle", text, &(struct lk_options){.step = 1e-3});
    struct lk_system *all =
        compile_by("rattle", text, &(struct lk_options){.step = 1e-3, .all_rows = 1});

    (void)state;
    for (int i = 0; i < STEPS; i++) {
        double x[12], y[12];

        lk_system_outputs(held, x);
        lk_system_outputs(all, y);
        assert_near("rattle", x, y, 12, 1e3, text);
        assert_int_equal(lk_system_step(held, NULL), 0);
        assert_int_equal(lk_system_step(all, NULL), 0);
    }
    lk_system_free(held);
    lk_system_free(all);
}

static void what_hinges_hold_to_the_ground_moves_so(void **state)
{
    static const char *const by[] = {"rattle", "ali3", "rk4"};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    (void)state;
    lk_engines_here(here);
    for (int f = 0; f < 3; f++)
        for (int lanes = 0; lanes < 2; lanes++) {
            const char *engine = lanes ? here[0]->name : "none";

            compare_spatial("", NULL, by[f], engine);
            compare_spatial(PUSHED(""), pushes, by[f], engine);
            if (strcmp(by[f], "rk4") != 0)
                compare_spatial(PUSHED(STOP), pushes, by[f], engine);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hinges_hold_to_the_ground_moves_so),
        cmocka_unit_test(balanced_cranks_turn_in_place),
        cmocka_unit_test(rows_that_move_nothing_do_no_harm),
        cmocka_unit_test(forces_beside_redundant_rows_are_known),
        cmocka_unit_test(many_arms_hang_on_what_turns_in_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
