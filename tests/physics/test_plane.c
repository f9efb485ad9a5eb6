/* SPDX-License-Identifier: Apache-2.0 */
/* What moves in a plane is stepped with pins: the motion must be that of all rows, wherever the
 * plane lies; reactions must be those of all rows, or not be said to be known; and what may leave
 * its plane must not be stepped so. */
#include "cmocka_all.h"
#include "linkage/analysis.h"
#include "linkage/linkage.h"
#include "linkage/modes.h"
#include "maths/vec.h"
#include "mechanism.h"
#include "sanitized.h"
#include "step/batch/batch.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MECHANISMS (120 / THINNED)
#define STEPS      100
#define BODIES     6
#define TEXT       16384
#define SAME       1e-9 /* of the size of a quantity */

/** struct sheet - a plane: @e: two directions in it and its normal, @q: the turn to them;  @origin:
 * [m]
 * @text: of a model that is drawn on it, @n bytes so far */
struct sheet {
    double e[3][3];
    double q[4];
    double origin[3];
    char text[TEXT];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct sheet *s, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    s->n += (size_t)vsnprintf(s->text + s->n, TEXT - s->n, format, list);
    va_end(list);
    assert_true(s->n < TEXT);
}

static void put_vector(struct sheet *s, const char *key, const double v[3])
{
    put(s, "%s: [%.17g, %.17g, %.17g]", key, v[0], v[1], v[2]);
}

/* along the sheet and @z above it */
static void put_along(struct sheet *s, const char *key, double x, double y, double z)
{
    double v[3];

    for (int i = 0; i < 3; i++)
        v[i] = x * s->e[0][i] + y * s->e[1][i] + z * s->e[2][i];
    put_vector(s, key, v);
}

static void put_place(struct sheet *s, const char *key, double x, double y, double z)
{
    double v[3];

    for (int i = 0; i < 3; i++)
        v[i] = s->origin[i] + x * s->e[0][i] + y * s->e[1][i] + z * s->e[2][i];
    put_vector(s, key, v);
}

static void lay_sheet(struct dice *dice, struct sheet *s)
{
    double R[9];

    s->n = 0;
    dice_unit(dice, s->q, 4);
    lk_quat_matrix(s->q, R);
    for (int i = 0; i < 3; i++) {
        s->origin[i] = dice_uniform(dice, -1, 1);
        for (int k = 0; k < 3; k++)
            s->e[k][i] = R[3 * i + k];
    }
}

/* moments of a body whose axes are those of the sheet, as its quaternion says; @skew: products with
 * the normal */
static void put_body(struct dice *dice, struct sheet *s, int b, const double at[2], double z,
                     double skew)
{
    double a = dice_uniform(dice, 0.05, 0.15), c = dice_uniform(dice, 0.05, 0.15);

    put(s, "  b%d: {mass: %.3f, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], ", b,
        dice_uniform(dice, 0.5, 2), a, c, 0.7 * (a + c), 0.004, skew, 0.5 * skew);
    put(s, "orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", s->q[0], s->q[1], s->q[2],
        s->q[3]);
    put_place(s, "position", at[0], at[1], z);
    put(s, "}\n");
}

/* A tree of hinges and sliders, which rods and springs close; each body hangs on the one before or
 * on the ground. @height: of bodies and joints, and @skew of their moments: 0: it is flat
 * @slides: sliders are among the joints */
static void draw(struct dice *dice, struct sheet *s, double height, double skew, bool slides)
{
    double at[BODIES][2], level[BODIES];
    int n = 2 + dice_below(dice, BODIES - 1);

    lay_sheet(dice, s);
    put(s, "linkage: 1\nname: sheet\n");
    put_along(s, "gravity", 3, -9, height == 0 ? 0 : 2);
    put(s, "\nbodies:\n");
    for (int b = 0; b < n; b++) {
        at[b][0] = b + dice_uniform(dice, 0.2, 0.8);
        at[b][1] = dice_uniform(dice, -0.5, 0.5);
        level[b] = height * dice_uniform(dice, -1, 1);
        put_body(dice, s, b, at[b], level[b], skew);
    }
    put(s, "joints:\n");
    for (int b = 0; b < n; b++) {
        bool is_slider = slides && b > 0 && dice_chance(dice, 0.25);
        char with[16];

        snprintf(with, sizeof(with), b == 0 ? "ground" : "b%d", b - 1);
        put(s, "  j%d: {type: %s, bodies: [%s, b%d], ", b, is_slider ? "prismatic" : "revolute",
            with, b);
        put_place(s, "point", b, 0.1 * b, height * dice_uniform(dice, -1, 1));
        put(s, ", ");
        if (is_slider)
            put_along(s, "axis", 0.6, 0.8, 0);
        else
            put_along(s, "axis", 0, 0, 1);
        put(s, "}\n");
    }
    if (dice_chance(dice, 0.5)) {
        put(s, "  rod: {type: distance, bodies: [ground, b%d], points: [", n - 1);
        for (int k = 0; k < 2; k++) {
            double v[3];

            for (int i = 0; i < 3; i++)
                v[i] =
                    s->origin[i] + n * s->e[0][i] + (k - 2) * s->e[1][i] + k * height * s->e[2][i];
            put(s, "%s[%.17g, %.17g, %.17g]", k ? ", " : "", v[0], v[1], v[2]);
        }
        put(s, "]}\n");
    }
    put(s, "forces:\n  spring: {type: spring-damper, stiffness: 40, damping: 0.5, bodies: [ground, "
           "b0], points: [");
    for (int k = 0; k < 2; k++) {
        double v[3];

        for (int i = 0; i < 3; i++)
            v[i] = s->origin[i] + (k + 0.3) * s->e[0][i] - (1 - k) * s->e[1][i] +
                   (1 - k) * height * s->e[2][i];
        put(s, "%s[%.17g, %.17g, %.17g]", k ? ", " : "", v[0], v[1], v[2]);
    }
    put(s, "]}\n  bearing: {type: joint-spring-damper, joint: j0, stiffness: 5, damping: 0.2}\n");
    put(s, "outputs:\n  angle: {type: joint-position, joint: j0}\n");
}

/* @formulation: NULL: as the model says */
static struct lk_system *compile_by(const char *formulation, const char *text,
                                    const struct lk_options *options)
{
    struct lk_model *model = NULL;
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (lk_model_read_text("plane", text, strlen(text), &model, &error) != 0)
        fail_msg("%s\n%s", error.text, text);
    if (formulation)
        strcpy(model->solver.formulation, formulation);
    if (lk_system_new(model, options, &sys, &error) != 0)
        fail_msg("%s\n%s", error.text, text);
    lk_model_free(model);
    return sys;
}

static struct lk_system *compile_text(const char *text, const struct lk_options *options)
{
    return compile_by(NULL, text, options);
}

static int n_in_plane(const struct lk_system *sys)
{
    struct lk_summary s;

    lk_system_summary(sys, &s);
    return s.n_in_plane;
}

static void assert_near(const double *a, const double *b, int n, double size, const char *text)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= SAME * size))
            fail_msg("%.17g and %.17g differ by more than %g of %g\n%s", a[i], b[i], SAME, size,
                     text);
}

static void assert_same_motion(const struct lk_system *a, const struct lk_system *b,
                               const char *text)
{
    struct lk_summary s;

    lk_system_summary(a, &s);
    for (int i = 0; i < s.n_bodies; i++) {
        struct lk_body_state x, y;

        lk_system_body_state(a, i, &x);
        lk_system_body_state(b, i, &y);
        assert_near(x.position, y.position, 3, 1, text);
        assert_near(x.orientation, y.orientation, 4, 1, text);
        assert_near(x.velocity, y.velocity, 3, 1 + lk_norm(y.velocity), text);
        assert_near(x.angular_velocity, y.angular_velocity, 3, 1 + lk_norm(y.angular_velocity),
                    text);
        assert_near(x.acceleration, y.acceleration, 3, 100 + lk_norm(y.acceleration), text);
    }
}

/* @knows: reactions are those of all rows; otherwise they are said to be unknown */
static void assert_reactions(const struct lk_system *pins, const struct lk_system *all, bool knows,
                             const char *text)
{
    struct lk_summary s;

    lk_system_summary(pins, &s);
    for (int j = 0; j < s.n_joints; j++) {
        double x[6], y[6];

        if (strcmp(lk_system_joint_name(pins, j), "rod") == 0)
            continue;
        lk_system_joint_reaction(pins, j, x);
        lk_system_joint_reaction(all, j, y);
        if (knows)
            assert_near(x, y, 6, 1e3 + lk_norm(y), text);
        for (int i = 0; i < 6; i++)
            assert_int_equal(isnan(x[i]) != 0, !knows);
    }
}

static void compare_by(const char *formulation, double height, double skew, int seed)
{
    const struct lk_options whole = {.all_rows = 1, .step = 1e-3};
    const struct lk_options lean = {.step = 1e-3};
    struct dice dice = {(uint64_t)seed};
    struct sheet *s = calloc(1, sizeof(*s));
    struct lk_system *pins, *all;

    assert_non_null(s);
    draw(&dice, s, height, skew, true);
    pins = compile_by(formulation, s->text, &lean);
    all = compile_by(formulation, s->text, &whole);
    assert_true(n_in_plane(pins) > 1);
    assert_int_equal(n_in_plane(all), 0);
    for (int i = 0; i < STEPS; i++) {
        assert_same_motion(pins, all, s->text);
        assert_reactions(pins, all, height == 0 && skew == 0, s->text);
        assert_int_equal(lk_system_step(pins, NULL), 0);
        assert_int_equal(lk_system_step(all, NULL), 0);
    }
    lk_system_free(pins);
    lk_system_free(all);
    free(s);
}

static void compare(double height, double skew, int seed)
{
    compare_by("rattle", height, skew, seed);
    compare_by("rk4", height, skew, seed);
}

static void what_is_flat_moves_and_pushes_as_with_all_rows(void **state)
{
    (void)state;
    for (int i = 0; i < MECHANISMS; i++)
        compare(0, 0, i);
}

static void what_stands_out_of_its_plane_moves_so(void **state)
{
    (void)state;
    for (int i = 0; i < MECHANISMS; i++)
        compare(0.3, 0.005, 1000 + i);
}

/* Nothing holds a body upright but that nothing tilts it: half a unit in the last place of its
 * quaternion a step at most. */
static void nothing_tilts_in_a_long_run(void **state)
{
    const int steps = 200000 / THINNED;
    struct dice dice = {7};
    struct sheet *s = calloc(1, sizeof(*s));
    struct lk_body_state first, last;
    double R[9], n[3], normal[3];
    struct lk_system *sys;

    (void)state;
    assert_non_null(s);
    draw(&dice, s, 0.3, 0.005, false);
    sys = compile_text(s->text, &(struct lk_options){.step = 1e-3});
    assert_true(n_in_plane(sys) > 1);
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
    assert_true(fabs(lk_dot(last.position, s->e[2]) - lk_dot(first.position, s->e[2])) <
                1e-16 * steps);
    lk_system_free(sys);
    free(s);
}

/* in lanes as one by one; @moments of its links */
static void compare_lanes(const char *moments)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    const char *engines[] = {"none", NULL}, *names[] = {"one by one", NULL};
    struct lk_system *sys[2], *all;
    char text[TEXT];
    int n;

    lk_engines_here(here);
    engines[1] = names[1] = here[0]->name;
    n = snprintf(text, sizeof(text), "linkage: 1\nname: chain\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int b = 0; b < 24; b++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  b%d: {mass: 1, inertia: [%s], position: [%g, 0, %g]}\n", b, moments,
                      b + 0.5, 0.1 * (b % 3));
    n += snprintf(text + n, sizeof(text) - (size_t)n, "joints:\n");
    for (int b = 0; b < 24; b++) {
        char with[16];

        snprintf(with, sizeof(with), b == 0 ? "ground" : "b%d", b - 1);
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  j%d: {type: revolute, bodies: [%s, b%d], point: [%d, 0, 0.2], axis: [0, "
                      "0, 1]}\n",
                      b, with, b, b);
    }
    all = compile_text(text, &(struct lk_options){.step = 1e-3, .all_rows = 1, .engine = "none"});
    for (int k = 0; k < 2; k++) {
        sys[k] = compile_text(text, &(struct lk_options){.step = 1e-3, .engine = engines[k]});
        assert_int_equal(n_in_plane(sys[k]), 24);
        assert_string_equal(lk_system_engine(sys[k]), names[k]);
    }
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < 2; k++) {
            assert_same_motion(sys[k], all, text);
            assert_int_equal(lk_system_step(sys[k], NULL), 0);
        }
        assert_int_equal(lk_system_step(all, NULL), 0);
    }
    for (int k = 0; k < 2; k++)
        lk_system_free(sys[k]);
    lk_system_free(all);
}

static void a_long_chain_in_lanes(void **state)
{
    (void)state;
    compare_lanes("0.01, 0.02, 0.025, 0, 0.001, 0.002");
    compare_lanes("0.02, 0.02, 0.02"); /* balls */
}

#define ARM(more)                                                                                  \
    "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"                                     \
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]" more "}\n"                    \
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\n"                            \
    "joints:\n"
#define FIRST  "  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
#define SECOND "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n"

/* one body whose hinge is at a height */
#define ONE(gravity, inertia, position, height)                                                    \
    "linkage: 1\nname: one\ngravity: " gravity "\nbodies:\n  a: {mass: 1, inertia: " inertia       \
    ", position: " position                                                                        \
    "}\njoints:\n  q: {type: revolute, bodies: [ground, a], point: [0, 0, " height                 \
    "], axis: [0, 0, 1]}\n"
#define SHOWN "outputs:\n  f: {type: joint-reaction, joint: q}\n"

/** struct arm - a model, and how many of its two bodies are stepped in their plane. */
static const struct arm {
    const char *what;
    const char *text;
    int n;
} arms[] = {
    {"two hinges", ARM("") FIRST SECOND, 2},
    {"a tilted hinge",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 1e-9, 1]}\n",
     0},
    {"a hinge whose axes are tilted against each other",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axes: [[0, 0, 1], [0, "
                   "1e-9, 1]]}\n",
     0},
    {"a joint that is open along the normal",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], points: [[1, 0, 0], [1, 0, 1e-9]], axis: "
                   "[0, 0, 1]}\n",
     0},
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
     0},
    {"a weld", ARM("") FIRST "  q: {type: fixed, bodies: [a, b], point: [1, 0, 0]}\n", 0},
    {"a slider",
     ARM("") FIRST "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [1, 1, 0]}\n",
     2},
    {"a slider along the normal",
     ARM("") FIRST "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n",
     0},
    {"sliders alone",
     ARM("") "  p: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  q: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [0, 1, 0]}\n",
     0},
    {"compliance",
     ARM("") FIRST "  q: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1], "
                   "compliance: {stiffness: [1e6, 1e6, 1e6, 1e4, 1e4]}}\n",
     0},
    {"a spin across the normal", ARM(", angular_velocity: [0, 1e-6, 1]") FIRST SECOND, 0},
    {"a velocity along the normal", ARM(", velocity: [0, 0, 1e-6]") FIRST SECOND, 0},
    {"a moment that is 0",
     "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"
     "  a: {mass: 1, inertia: [0, 0.1, 0.1], position: [0.5, 0, 0]}\njoints:\n" FIRST,
     0},
    {"a reaction of what is flat",
     ARM("") FIRST SECOND "outputs:\n  f: {type: joint-reaction, joint: q}\n", 2},
    {"a reaction beside a load out of the plane",
     ARM("") FIRST SECOND "inputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n"
                          "outputs:\n  f: {type: joint-reaction, joint: q}\n",
     0},
    {"a reaction of what is skew",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1, 0, 0.01, 0]", "[0.5, 0, 0]", "0") SHOWN, 0},
    {"a reaction of what stands out of its plane",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0.1]", "0") SHOWN, 0},
    {"a reaction beside a body that stands out",
     "linkage: 1\nname: arm\ngravity: [0, -9.81, 0]\nbodies:\n"
     "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0.1]}\n"
     "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}\njoints:\n" FIRST SECOND
         SHOWN,
     0},
    {"a reaction at another height",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0.1") SHOWN, 0},
    {"a reaction to weight along the normal",
     ONE("[0, -9.81, 1]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0") SHOWN, 0},
    {"a reaction of what is flat alone",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]", "0") SHOWN, 1},
    {"a reaction to a spring out of the plane",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: spring-damper, bodies: [ground, "
              "a], points: [[0, 1, 0.1], [0.5, 0, 0]], stiffness: 1, damping: 0}\n" SHOWN,
     0},
    {"a reaction to a torque across the normal",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: constant-torque, body: a, "
              "torque: [1, 0, 0]}\n" SHOWN,
     0},
    {"a reaction to a torque about the normal",
     ONE("[0, -9.81, 0]", "[0.1, 0.1, 0.1]", "[0.5, 0, 0]",
         "0") "forces:\n  s: {type: constant-torque, body: a, "
              "torque: [0, 0, 1]}\n" SHOWN,
     1},
    {"a load out of the plane",
     ARM("") FIRST SECOND "inputs:\n  u: {type: body-force, body: b, point: [2, 0, 0]}\n", 2},
    {"a static equilibrium", "start: equilibrium\n" ARM("") FIRST SECOND, 0},
    {"another formulation", ARM("") FIRST SECOND "solver: {formulation: ali3}\n", 0},
};

static void what_may_leave_its_plane_keeps_its_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(arms) / sizeof(*arms); i++) {
        struct lk_system *sys = compile_text(arms[i].text, NULL);

        if (n_in_plane(sys) != arms[i].n)
            fail_msg("%s: %d bodies in a plane", arms[i].what, n_in_plane(sys));
        lk_system_free(sys);
    }
}

/* Rows that are left out do not tell what holds: an analysis of them would find freedoms. */
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
        cmocka_unit_test(nothing_tilts_in_a_long_run),
        cmocka_unit_test(a_long_chain_in_lanes),
        cmocka_unit_test(what_may_leave_its_plane_keeps_its_rows),
        cmocka_unit_test(analyses_want_all_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
