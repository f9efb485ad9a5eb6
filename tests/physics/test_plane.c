/* SPDX-License-Identifier: Apache-2.0 */
/* Planar mechanisms are stepped with fewer rows. The motion must be that of all rows, for any
 * position of the plane. Reactions must be those of all rows, or be reported as unknown. Bodies
 * that may tilt must not be stepped with fewer rows. Bodies in other mechanisms: test_upright.c. */
#include "cmocka_all.h"
#include "linkage/analysis.h"
#include "linkage/linkage.h"
#include "linkage/modes.h"
#include "maths/vec.h"
#include "mechanism.h"
#include "sanitized.h"
#include "sheet.h"
#include "step/lanes/batch.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MECHANISMS (120 / THINNED)
#define STEPS      100
#define BODIES     6

/* Write a body whose orientation is that of the sheet. @skew: products of inertia with the
 * normal */
static void put_body(struct dice *dice, struct sheet *s, int b, const double at[2], double z,
                     double skew)
{
    double a = dice_uniform(dice, 0.05, 0.15), c = dice_uniform(dice, 0.05, 0.15);

    sheet_put(s, "  b%d: {mass: %.3f, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], ", b,
              dice_uniform(dice, 0.5, 2), a, c, 0.7 * (a + c), 0.004, skew, 0.5 * skew);
    sheet_put(s, "orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", s->q[0], s->q[1],
              s->q[2], s->q[3]);
    sheet_place(s, "position", at[0], at[1], z);
    sheet_put(s, "}\n");
}

/** struct kind - a kind of mechanism
 * @height: height of bodies and joints above the plane, and @skew of their moments; 0: flat
 * @slides: prismatic joints are among the joints
 * @across: see sheet_lay(); along a world axis there are only hinges, and no load has a component
 *          along it */
struct kind {
    double height;
    double skew;
    bool slides;
    int across;
};

/* Draw a hinge or a rod that may close a loop over @n bodies. */
static void draw_end(struct dice *dice, struct sheet *s, const struct kind *kind, int n)
{
    if (kind->across >= 0 && n > 2 && dice_chance(dice, 0.5)) {
        sheet_put(s, "  end: {type: revolute, bodies: [ground, b%d], ", n - 1);
        sheet_place(s, "point", n, -0.6, kind->height);
        sheet_put(s, ", ");
        sheet_along(s, "axis", 0, 0, -1);
        sheet_put(s, "}\n");
    }
    if (kind->across < 0 && dice_chance(dice, 0.5)) {
        sheet_put(s, "  rod: {type: distance, bodies: [ground, b%d], points: [", n - 1);
        for (int k = 0; k < 2; k++) {
            double v[3];

            for (int i = 0; i < 3; i++)
                v[i] = s->origin[i] + n * s->e[0][i] + (k - 2) * s->e[1][i] +
                       k * kind->height * s->e[2][i];
            sheet_put(s, "%s[%.17g, %.17g, %.17g]", k ? ", " : "", v[0], v[1], v[2]);
        }
        sheet_put(s, "]}\n");
    }
}

static void draw_forces(struct sheet *s, const struct kind *kind)
{
    sheet_put(s, "forces:\n");
    if (kind->across < 0)
        sheet_put(
            s, "  spring: {type: spring-damper, stiffness: 40, damping: 0.5, bodies: [ground, b0], "
               "points: [");
    for (int k = 0; k < 2 && kind->across < 0; k++) {
        double v[3];

        for (int i = 0; i < 3; i++)
            v[i] = s->origin[i] + (k + 0.3) * s->e[0][i] - (1 - k) * s->e[1][i] +
                   (1 - k) * kind->height * s->e[2][i];
        sheet_put(s, "%s[%.17g, %.17g, %.17g]", k ? ", " : "", v[0], v[1], v[2]);
    }
    sheet_put(s,
              "%s  bearing: {type: joint-spring-damper, joint: j0, stiffness: 5, damping: 0.2}\n",
              kind->across >= 0 ? "" : "]}\n");
    if (kind->across >= 0) {
        sheet_put(s, "  wind: {type: constant-force, body: b1, frame: world, ");
        sheet_place(s, "point", 1, 0, kind->height);
        sheet_put(s, ", ");
        sheet_along(s, "force", 1, 2, 0);
        sheet_put(s, "}\n");
    }
}

/* Draw a tree of hinges and prismatic joints, with loops closed by rods, hinges and springs. Each
 * body is attached to the one before or to the ground. */
static void draw(struct dice *dice, struct sheet *s, const struct kind *kind)
{
    double at[BODIES][2], level[BODIES], height = kind->height;
    int n = 2 + dice_below(dice, BODIES - 1);
    bool is_pure = kind->across >= 0;

    sheet_lay(dice, kind->across, s);
    sheet_put(s, "linkage: 1\nname: sheet\n");
    sheet_along(s, "gravity", 3, -9, height == 0 || is_pure ? 0 : 2);
    sheet_put(s, "\nbodies:\n");
    for (int b = 0; b < n; b++) {
        at[b][0] = b + dice_uniform(dice, 0.2, 0.8);
        at[b][1] = dice_uniform(dice, -0.5, 0.5);
        level[b] = height * dice_uniform(dice, -1, 1);
        put_body(dice, s, b, at[b], level[b], kind->skew);
    }
    sheet_put(s, "joints:\n");
    for (int b = 0; b < n; b++) {
        bool is_slider = kind->slides && b > 0 && dice_chance(dice, 0.25);
        char with[16];

        snprintf(with, sizeof(with), b == 0 ? "ground" : "b%d", b - 1);
        sheet_put(s, "  j%d: {type: %s, bodies: [%s, b%d], ", b,
                  is_slider ? "prismatic" : "revolute", with, b);
        sheet_place(s, "point", b, 0.1 * b, height * dice_uniform(dice, -1, 1));
        sheet_put(s, ", ");
        if (is_slider)
            sheet_along(s, "axis", 0.6, 0.8, 0);
        else
            sheet_along(s, "axis", 0, 0, 1);
        sheet_put(s, "}\n");
    }
    draw_end(dice, s, kind, n);
    draw_forces(s, kind);
    sheet_put(s, "outputs:\n  angle: {type: joint-position, joint: j0}\n");
}

static struct lk_system *compile_text(const char *text, const struct lk_options *options)
{
    return compile_by(NULL, text, options);
}

static int n_joints(const struct lk_system *sys)
{
    struct lk_summary s;

    lk_system_summary(sys, &s);
    return s.n_joints;
}

/* Check that reactions are equal to those of all rows. In loops of hinges that are not flat, they
 * are reported as unknown. In any loop, `ali3` leaves an error of the iterations in the redundant
 * rows. */
static void assert_reactions(const char *by, const struct lk_system *pins,
                             const struct lk_system *all, bool is_flat, const char *text)
{
    struct lk_summary s;
    bool is_loop = strstr(text, "  end:") != NULL;
    bool knows = is_flat || !is_loop;

    lk_system_summary(pins, &s);
    for (int j = 0; j < s.n_joints; j++) {
        double x[6], y[6];

        if (strcmp(lk_system_joint_name(pins, j), "rod") == 0)
            continue;
        assert_int_equal(lk_system_joint_reaction(pins, j, x), knows ? 0 : LK_E_MODEL);
        assert_int_equal(lk_system_joint_reaction(all, j, y), 0);
        if (knows && !(is_loop && strcmp(by, "ali3") == 0))
            assert_near(by, x, y, 6, 1e4 + lk_norm(y), text);
        for (int i = 0; i < 6; i++)
            assert_int_equal(isnan(x[i]) != 0, !knows);
    }
}

static void compare_by(const char *formulation, const struct kind *kind, int seed)
{
    const struct lk_options whole = {.all_rows = 1, .step = 1e-3};
    const struct lk_options lean = {.step = 1e-3};
    struct dice dice = {(uint64_t)seed};
    struct sheet *s = calloc(1, sizeof(*s));
    struct lk_system *pins, *all;

    assert_non_null(s);
    draw(&dice, s, kind);
    pins = compile_by(formulation, s->text, &lean);
    all = compile_by(formulation, s->text, &whole);
    assert_true(count_upright(pins) > 1);
    assert_int_equal(count_upright(all), 0);
    if (kind->across >= 0)
        assert_int_equal(count_rows(pins), 2 * n_joints(pins));
    for (int i = 0; i < STEPS; i++) {
        assert_same_motion(formulation, pins, all, s->text);
        assert_reactions(formulation, pins, all, kind->height == 0 && kind->skew == 0, s->text);
        assert_int_equal(lk_system_step(pins, NULL), 0);
        assert_int_equal(lk_system_step(all, NULL), 0);
    }
    lk_system_free(pins);
    lk_system_free(all);
    free(s);
}

static void compare(const struct kind *kind, int seed)
{
    compare_by("rattle", kind, seed);
    compare_by("ali3", kind, seed);
    compare_by("rk4", kind, seed);
}

static void what_is_flat_moves_and_pushes_as_with_all_rows(void **state)
{
    (void)state;
    for (int i = 0; i < MECHANISMS; i++)
        compare(&(struct kind){0, 0, true, -1}, i);
}

static void what_stands_out_of_its_plane_moves_so(void **state)
{
    (void)state;
    for (int i = 0; i < MECHANISMS; i++)
        compare(&(struct kind){0.3, 0.005, true, -1}, 1000 + i);
}

/* Two rows per hinge, for any world axis as the normal, and with known or unknown reactions. */
static void what_is_across_a_world_axis_moves_so(void **state)
{
    (void)state;
    for (int i = 0; i < MECHANISMS; i++)
        compare(&(struct kind){i % 2 ? 0.3 : 0, i % 2 ? 0.005 : 0, false, i % 3}, 2000 + i);
}

/* Links at different heights: an arm on the ground carries a loop, and the loop a weight. Reactions
 * within the loop are unknown; those of the joints below and above the loop are known. */
static const char crane[] =
    "linkage: 1\nname: crane\ngravity: [1, -9, 0]\nbodies:\n"
    "  arm: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0.3]}\n"
    "  left: {mass: 2, inertia: [0.1, 0.2, 0.15, 0.01, 0.02, 0.01], position: [1, 0.5, -0.1]}\n"
    "  right: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [2, 0.5, 0.2]}\n"
    "  top: {mass: 3, inertia: [0.1, 0.2, 0.15], position: [1.5, 1, 0.5]}\n"
    "  weight: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [2.5, 0.8, -0.4]}\n"
    "joints:\n"
    "  loop_a: {type: revolute, bodies: [arm, left], point: [1, 0, 0.1], axis: [0, 0, 1]}\n"
    "  loop_b: {type: revolute, bodies: [right, arm], point: [2, 0, 0.2], axis: [0, 0, 1]}\n"
    "  loop_c: {type: revolute, bodies: [left, top], point: [1, 1, 0.3], axis: [0, 0, 1]}\n"
    "  loop_d: {type: revolute, bodies: [top, right], point: [2, 1, 0.1], axis: [0, 0, 1]}\n"
    "  rope: {type: revolute, bodies: [weight, top], point: [2.2, 1.1, 0], axis: [0, 0, 1]}\n"
    "  base: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n";

static void a_joint_bears_a_loop(void **state)
{
    static const char *const by[] = {"rattle", "rk4"};

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct lk_system *pins = compile_by(by[f], crane, &(struct lk_options){.step = 1e-3});
        struct lk_system *all =
            compile_by(by[f], crane, &(struct lk_options){.step = 1e-3, .all_rows = 1});

        assert_int_equal(count_rows(pins), 12);
        for (int i = 0; i < STEPS; i++) {
            assert_same_motion(by[f], pins, all, crane);
            for (int j = 0; j < n_joints(all); j++) {
                bool is_loop = strncmp(lk_system_joint_name(all, j), "loop", 4) == 0;
                double x[6], y[6];

                assert_int_equal(lk_system_joint_reaction(pins, j, x), is_loop ? LK_E_MODEL : 0);
                assert_int_equal(lk_system_joint_reaction(all, j, y), 0);
                if (!is_loop)
                    assert_near(by[f], x, y, 6, 1e3 + lk_norm(y), lk_system_joint_name(all, j));
                assert_int_equal(isnan(x[3]) != 0, is_loop);
            }
            assert_int_equal(lk_system_step(pins, NULL), 0);
            assert_int_equal(lk_system_step(all, NULL), 0);
        }
        lk_system_free(pins);
        lk_system_free(all);
    }
}

/* No row keeps the bodies upright; they do not tilt because nothing tilts them. The drift is at
 * most half a unit in the last place of the quaternion per step. */
static void nothing_tilts(int across, double drift)
{
    const int steps = 200000 / THINNED;
    struct dice dice = {7};
    struct sheet *s = calloc(1, sizeof(*s));
    struct lk_body_state first, last;
    double R[9], n[3], normal[3];
    struct lk_system *sys;

    assert_non_null(s);
    draw(&dice, s, &(struct kind){0.3, 0.005, false, across});
    sys = compile_text(s->text, &(struct lk_options){.step = 1e-3});
    assert_true(count_upright(sys) > 1);
    lk_system_body_state(sys, 1, &first);
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    lk_system_body_state(sys, 1, &last);
    lk_quat_matrix(first.orientation, R);
    lk_rotate_back(R, s->e[2], n);
    lk_quat_matrix(last.orientation, R);
    lk_rotate(R, n, normal);
    lk_sub(normal, s->e[2], n);
    printf("    tilted by %.1e rad in %d steps\n", lk_norm(n), steps);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(normal[i] - s->e[2][i]) < 1e-16 * steps);
    assert_true(fabs(lk_dot(last.position, s->e[2]) - lk_dot(first.position, s->e[2])) <=
                drift * steps);
    lk_system_free(sys);
    free(s);
}

/* if no row holds a body along the normal, it does not move at all in this direction */
static void nothing_tilts_in_a_long_run(void **state)
{
    (void)state;
    nothing_tilts(-1, 1e-16);
    for (int across = 0; across < 3; across++)
        nothing_tilts(across, 0);
}

#define LINKS 24

static void draw_chain(struct sheet *s, const char *moments, bool has_springs)
{
    sheet_put(s, "linkage: 1\nname: chain\n");
    sheet_along(s, "gravity", 0, -9.81, 0);
    sheet_put(s, "\nbodies:\n");
    for (int b = 0; b < LINKS; b++) {
        sheet_put(s, "  b%d: {mass: 1, inertia: [%s], ", b, moments);
        sheet_put(s, "orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", s->q[0], s->q[1],
                  s->q[2], s->q[3]);
        sheet_place(s, "position", b + 0.5, 0, 0.1 * (b % 3));
        sheet_put(s, "}\n");
    }
    sheet_put(s, "joints:\n");
    for (int b = 0; b < LINKS; b++) {
        char with[16];

        snprintf(with, sizeof(with), b == 0 ? "ground" : "b%d", b - 1);
        sheet_put(s, "  j%d: {type: revolute, bodies: [%s, b%d], ", b, with, b);
        sheet_place(s, "point", b, 0, 0.2);
        sheet_put(s, ", ");
        sheet_along(s, "axis", 0, 0, 1);
        sheet_put(s, "}\n");
    }
    sheet_put(s, has_springs ? "forces:\n" : "");
    for (int b = 0; b < LINKS && has_springs; b += 3)
        sheet_put(s, "  s%d: {type: joint-spring-damper, joint: j%d, stiffness: 9, damping: 0.2}\n",
                  b, b);
}

/* Compare steps in lanes and one by one with steps of all rows.
 * @rows:    number of rows of a hinge
 * @moments: moments of inertia of the links; the third axis is the normal of the plane */
static void compare_lanes(const char *formulation, int across, int rows, const char *moments,
                          bool has_springs)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    const char *engines[] = {"none", NULL}, *names[] = {"one by one", NULL};
    struct lk_system *sys[2], *all;
    struct dice dice = {11};
    struct sheet *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    lk_engines_here(here);
    engines[1] = names[1] = here[0]->name;
    sheet_lay(&dice, across, s);
    draw_chain(s, moments, has_springs);
    all = compile_by(formulation, s->text,
                     &(struct lk_options){.step = 1e-3, .all_rows = 1, .engine = "none"});
    for (int k = 0; k < 2; k++) {
        sys[k] = compile_by(formulation, s->text,
                            &(struct lk_options){.step = 1e-3, .engine = engines[k]});
        assert_int_equal(count_upright(sys[k]), LINKS);
        assert_int_equal(count_rows(sys[k]), rows * LINKS);
        assert_string_equal(lk_system_engine(sys[k]), names[k]);
    }
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < 2; k++) {
            assert_same_motion(formulation, sys[k], all, s->text);
            assert_int_equal(lk_system_step(sys[k], NULL), 0);
        }
        assert_int_equal(lk_system_step(all, NULL), 0);
    }
    for (int k = 0; k < 2; k++)
        lk_system_free(sys[k]);
    lk_system_free(all);
    free(s);
}

static void a_long_chain_in_lanes(void **state)
{
    static const char *const by[] = {"rattle", "ali3", "rk4"};

    (void)state;
    for (int f = 0; f < 3; f++)
        for (int across = -1; across < 3; across++) {
            int rows = across < 0 ? 3 : 2;

            compare_lanes(by[f], across, rows, "0.01, 0.02, 0.025, 0, 0.001, 0.002", false);
            compare_lanes(by[f], across, rows, "0.02, 0.02, 0.02", false); /* balls */
            compare_lanes(by[f], across, rows, "0.01, 0.02, 0.025", true);
        }
}

#define ARM(more)                                                                                  \
    "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"                                     \
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]" more "}\n"                    \
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"                            \
    "joints:\n"
#define FIRST  "  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
#define SECOND "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n"

#define BALANCED "  p: {type: revolute, bodies: [ground, a], point: [0.5, 0, 0], axis: [0, 0, 1]}\n"

/* one body whose hinge is at the height @height */
#define ONE(gravity, inertia, position, height)                                                    \
    "linkage: 1\nname: one\ngravity: " gravity "\nbodies:\n  a: {mass: 1, inertia: " inertia       \
    ", position: " position                                                                        \
    "}\njoints:\n  q: {type: revolute, bodies: [ground, a], point: [0, 0, " height                 \
    "], axis: [0, 0, 1]}\n"
#define SHOWN "outputs:\n  f: {type: joint-reaction, joint: q}\n"

/** struct arm - a model, and the number of its two bodies that are stepped with planar reduction */
static const struct arm {
    const char *what;
    const char *text;
    int n;
} arms[] = {
    {"two hinges", ARM("") FIRST SECOND, 2},
    {"a tilted hinge",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 1e-9, 1]}\n",
     1},
    {"a hinge whose axes are tilted against each other",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axes: [[0, 0, 1], [0, "
                   "1e-9, 1]]}\n",
     1},
    {"a joint that is open along the normal",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], points: [[1, 0, 0], [1, 0, 1e-9]], axis: "
                   "[0, 0, 1]}\n",
     2},
    {"nothing holds it to the ground", ARM("") SECOND, 0},
    {"a ball holds it to the ground",
     ARM("") "  p: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n" SECOND, 0},
    {"a ball beside hinges",
     ARM("") FIRST SECOND "  r: {type: spherical, bodies: [ground, b], point: [2, 0, 0.3]}\n", 2},
    {"a rod out of the plane",
     ARM("") FIRST SECOND
     "  r: {type: distance, bodies: [ground, b], points: [[1, 1, 0.5], [2, 0, 0]]}\n",
     2},
    {"a universal joint",
     ARM("") FIRST "  q: {type: universal, bodies: [a, b], point: [1, 0, 0], axes: [[0, 0, 1], [0, "
                   "1, 0]]}\n",
     1},
    {"a weld", ARM("") FIRST "  q: {type: fixed, bodies: [a, b], point: [1, 0, 0]}\n", 1},
    {"a slider",
     ARM("") FIRST "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [1, 1, 0]}\n",
     2},
    {"a slider along the normal",
     ARM("") FIRST "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n",
     1},
    {"sliders alone",
     ARM("") "  p: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [0, 1, 0]}\n",
     2},
    {"compliance",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1], "
                   "compliance: {stiffness: [1e6, 1e6, 1e6, 1e4, 1e4]}}\n",
     1},
    {"a spin across the normal", ARM(", angular_velocity: [0, 1e-6, 1]") FIRST SECOND, 2},
    {"a velocity along the normal", ARM(", velocity: [0, 0, 1e-6]") FIRST SECOND, 2},
    {"a moment that is 0",
     "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"
     "  a: {mass: 1, inertia: [0, 0.1, 0.1], position: [0.5, 0, 0]}\njoints:\n" FIRST,
     0},
    {"a reaction of what is flat",
     ARM("") FIRST SECOND "outputs:\n  f: {type: joint-reaction, joint: q}\n", 2},
    {"a reaction beside a load out of the plane",
     ARM("") FIRST SECOND "inputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n"
                          "outputs:\n  f: {type: joint-reaction, joint: q}\n",
     2},
    {"a reaction in a loop beside a load out of the plane",
     ARM("") FIRST SECOND
     "  r: {type: revolute, bodies: [b, ground], point: [2, -1, 0], axis: [0, 0, "
     "1]}\ninputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n"
     "outputs:\n  f: {type: joint-reaction, joint: q}\n",
     0},
    {"the same, of another mechanism",
     ARM("") FIRST SECOND
     "  r: {type: revolute, bodies: [b, ground], point: [2, -1, 0], axis: [0, 0, "
     "1]}\ninputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n",
     2},
    {"a reaction of what is skew",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1, 0, 0.01, 0]", "[0.5, 0, 0]", "0") SHOWN, 1},
    {"a reaction of what stands out of its plane",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0.1]", "0") SHOWN, 1},
    {"a reaction beside a body that stands out",
     "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"
     "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0.1]}\n"
     "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\njoints:\n" FIRST SECOND
         SHOWN,
     2},
    {"a reaction at another height",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0.1") SHOWN, 1},
    {"a reaction to weight along the normal",
     ONE("[0, -9.81, 1]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0") SHOWN, 1},
    {"a reaction of what is flat alone",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0") SHOWN, 1},
    {"a reaction to a spring out of the plane",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: spring-damper, bodies: [ground, "
              "a], points: [[0, 1, 0.1], [0.5, 0, 0]], stiffness: 1, damping: 0}\n" SHOWN,
     1},
    {"a reaction to a torque across the normal",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: constant-torque, body: a, "
              "torque: [1, 0, 0]}\n" SHOWN,
     1},
    {"a reaction to a torque about the normal",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: constant-torque, body: a, "
              "torque: [0, 0, 1]}\n" SHOWN,
     1},
    {"a load out of the plane",
     ARM("") FIRST SECOND "inputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n", 2},
    {"a static equilibrium", "start: equilibrium\n" ARM("") FIRST SECOND, 0},
    {"another formulation", ARM("") FIRST SECOND "solver: {formulation: hdca}\n", 0},
};

/** struct push - a model of two hinges and further loads, and the number of its remaining rows */
static const struct push {
    const char *what;
    const char *text;
    int rows;
} pushes[] = {
    {"two hinges", ARM("") FIRST SECOND, 4},
    {"a balanced crank", ARM("") BALANCED SECOND, 2},
    {"a balanced crank whose reaction is shown",
     ARM("") BALANCED SECOND "outputs:\n  f: {type: joint-reaction, joint: p}\n", 2},
    {"a balanced crank whose bearing is off by more than round-off",
     ARM("") "  p: {type: revolute, bodies: [ground, a], point: [0.50000000001, 0, 0], axis: [0, "
             "0, "
             "1]}\n" SECOND,
     4},
    {"two bearings of a balanced crank",
     ARM("") BALANCED SECOND
     "  r: {type: revolute, bodies: [a, ground], point: [0.5, 0, 1], axis: [0, 0, -1]}\n",
     2},
    {"a hinge that lets a balanced crank turn no more",
     ARM("") BALANCED SECOND
     "  r: {type: revolute, bodies: [a, ground], point: [0.6, 0, 0], axis: [0, 0, 1]}\n",
     4},
    {"a torque", ARM("") FIRST SECOND "inputs:\n  u: {type: body-torque, body: b}\n", 4},
    {"a hinge at another height",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0.7], axis: [0, 0, -2]}\n",
     4},
    {"an axis that is the world's but for round-off",
     ARM("") "  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [1e-14, 0, "
             "1]}\n"
             "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [1e-14, 0, 1]}\n",
     6},
    {"a slider",
     ARM("") FIRST "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [1, 1, 0]}\n",
     6},
    {"a rod",
     ARM("") FIRST SECOND
     "  r: {type: distance, bodies: [ground, b], points: [[1, 1, 0], [2, 0, 0]]}\n",
     7},
    {"a ball",
     ARM("") FIRST SECOND "  r: {type: spherical, bodies: [ground, b], point: [2, 0, 0]}\n", 9},
    {"a spring",
     ARM("") FIRST SECOND
     "forces:\n  s: {type: spring-damper, bodies: [ground, b], points: [[0, 1, "
     "0], [2, 0, 0]], stiffness: 1, damping: 0}\n",
     6},
    {"a force", ARM("") FIRST SECOND "inputs:\n  u: {type: body-force, body: b}\n", 6},
    {"a force that turns with its body",
     ARM("") FIRST SECOND "forces:\n  s: {type: constant-force, body: b, point: [2, 0, 0], force: "
                          "[1, 0, 0], frame: body}\n",
     6},
    {"a force along the normal",
     ARM("") FIRST SECOND "forces:\n  s: {type: constant-force, body: b, point: [2, 0, 0], force: "
                          "[1, 0, 1e-14], frame: world}\n",
     6},
    {"a velocity along the normal", ARM(", velocity: [0, 1, 1e-14]") FIRST SECOND, 6},
    {"weight along the normal",
     "linkage: 1\nname: one\ngravity: [0, 0, -9.81]\nbodies:\n  a: {mass: 1, inertia: [1, 1, "
     "1], "
     "position: [0.5, 0, 0]}\njoints:\n" FIRST,
     3},
    {"weight that may come along the normal",
     "linkage: 1\nname: one\ngravity: [0, -9.81, {input: g}]\nbodies:\n  a: {mass: 1, inertia: "
     "[1, "
     "1, 1], "
     "position: [0.5, 0, 0]}\njoints:\n" FIRST "inputs:\n  g: {type: signal}\n",
     3},
};

static void what_is_pushed_along_its_normal_keeps_a_row_for_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(pushes) / sizeof(*pushes); i++) {
        struct lk_system *sys = compile_text(pushes[i].text, NULL);

        if (count_rows(sys) != pushes[i].rows || count_upright(sys) == 0)
            fail_msg("%s: %d rows", pushes[i].what, count_rows(sys));
        lk_system_free(sys);
    }
}

static void what_may_tilt_keeps_its_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(arms) / sizeof(*arms); i++) {
        struct lk_system *sys = compile_text(arms[i].text, NULL);

        if (count_upright(sys) != arms[i].n)
            fail_msg("%s: %d bodies in a plane", arms[i].what, count_upright(sys));
        lk_system_free(sys);
    }
}

/* Analyses refuse a system without all rows, because they would find additional degrees of
 * freedom. */
static void analyses_want_all_rows(void **state)
{
    struct lk_system *sys = compile_text(arms[0].text, NULL);
    struct lk_mobility mobility;
    struct lk_linear linear;
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_mobility_init(sys, &mobility), -EINVAL);
    assert_int_equal(lk_linear_init(sys, true, &linear, &error), -EINVAL);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_flat_moves_and_pushes_as_with_all_rows),
        cmocka_unit_test(what_stands_out_of_its_plane_moves_so),
        cmocka_unit_test(what_is_across_a_world_axis_moves_so),
        cmocka_unit_test(a_joint_bears_a_loop),
        cmocka_unit_test(nothing_tilts_in_a_long_run),
        cmocka_unit_test(a_long_chain_in_lanes),
        cmocka_unit_test(what_may_tilt_keeps_its_rows),
        cmocka_unit_test(what_is_pushed_along_its_normal_keeps_a_row_for_it),
        cmocka_unit_test(analyses_want_all_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
