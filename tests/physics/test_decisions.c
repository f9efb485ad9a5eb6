/* SPDX-License-Identifier: Apache-2.0 */
/* The table of decisions that are made at load (core/compile/decisions.h). The table agrees with
 * the document. For each row there is a motion in which the quantity that determines the decision
 * changes after the load; it is compared with the same motion with a step that is 50 times
 * shorter. */
#include "cmocka_all.h"
#include "compile/decisions.h"
#include "linkage/linkage.h"
#include "sheet.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP    1e-3
#define FINER   50
#define SECONDS 1.0

/** struct motion - a motion of the model @text whose inputs change
 * @input:   value of input @i at time @t
 * @body:    body whose position is compared
 * @most:    largest error, relative to the largest displacement
 * @else_by: function that tests the row instead of a motion */
struct motion {
    const char *text;
    double (*input)(int i, double t);
    const char *body;
    double most;
    void (*else_by)(void);
};

static double *inputs_of(const struct lk_system *system)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));

    assert_non_null(inputs);
    return inputs;
}

static void advance(struct lk_system *system, const struct motion *m, int steps, double *inputs)
{
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < lk_system_input_size(system) && m->input; i++)
            inputs[i] = m->input(i, lk_system_time(system) + lk_system_step_size(system) / 2);
        assert_int_equal(lk_system_step(system, inputs), 0);
    }
}

static void place_of(const struct lk_system *system, const char *body, double ret[3])
{
    struct lk_body_state state;

    lk_system_body_state(system, lk_system_body_index(system, body), &state);
    memcpy(ret, state.position, sizeof(state.position));
}

static void compare(const char *what, const struct motion *m)
{
    struct lk_system *coarse = compile_by(NULL, m->text, &(struct lk_options){.step = STEP});
    struct lk_system *fine = compile_by(NULL, m->text, &(struct lk_options){.step = STEP / FINER});
    double *inputs = inputs_of(coarse), start[3], error = 0, way = 0;

    place_of(coarse, m->body, start);
    for (int i = 0; i < (int)(SECONDS / STEP); i++) {
        double a[3], b[3], apart = 0, moved = 0;

        advance(coarse, m, 1, inputs);
        advance(fine, m, FINER, inputs);
        place_of(coarse, m->body, a);
        place_of(fine, m->body, b);
        for (int k = 0; k < 3; k++) {
            apart += (a[k] - b[k]) * (a[k] - b[k]);
            moved += (b[k] - start[k]) * (b[k] - start[k]);
        }
        error = fmax(error, sqrt(apart));
        way = fmax(way, sqrt(moved));
    }
    print_message("%-50.50s error %.2g of %.2g m\n", what, error, way);
    if (!(error <= m->most * way))
        fail_msg("%s: %g of %g m", what, error, way);
    free(inputs);
    lk_system_free(coarse);
    lk_system_free(fine);
}

/* ---- a motion for each row, in the order of the table ---- */

#define ARM                                                                                        \
    "linkage: 1\nname: arm\ngravity: [0, 0, -9.81]\nbodies:\n"                                     \
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.5, 0, 0]}\n"                         \
    "  b: {mass: 0.3, inertia: [0.003, 0.003, 0.003], position: [1.2, 0, 0]}\n"                    \
    "joints:\n"                                                                                    \
    "  j: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}\n"              \
    "  k: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 1, 0]}\n"
#define SIGNAL(name, low, high) "inputs: {" name ": {type: signal, limits: [" low ", " high "]}}\n"

/* Without damping at the start, then nearly locked, then free again. */
static double damp(int i, double t)
{
    (void)i;
    return t < 0.1 ? 0 : t < 0.5 ? 3e5 : 2;
}

/* Return the friction: little at the start, then so much that the block stops, then little
 * again. */
static double level(int i, double t)
{
    (void)i;
    return t < 0.3 ? 0.02 : t < 0.6 ? 1 : 0.02;
}

static double weight(int i, double t)
{
    (void)i;
    return t < 0.1 ? 0 : 9.81;
}

static double torque(int i, double t)
{
    (void)i;
    return t < 0.5 ? 20 : -20;
}

static double stiffness(int i, double t)
{
    (void)i;
    return t < 0.2 ? 0 : t < 0.6 ? 40 : 2;
}

static const char chain[] =
    "linkage: 1\nname: chain\ngravity: [{input: g}, 0, 0]\nbodies:\n"
    "  a: {mass: 0.02, inertia: [1e-6, 2e-5, 2e-5], position: [0.05, 0, 0]}\n"
    "  b: {mass: 0.02, inertia: [1e-6, 2e-5, 2e-5], position: [0.15, 0, 0]}\n"
    "  c: {mass: 0.02, inertia: [1e-6, 2e-5, 2e-5], position: [0.25, 0, 0]}\n"
    "  load: {mass: 50, inertia: [0.2, 0.2, 0.2], position: [0.4, 0, 0], velocity: [0, 0.3, 0]}\n"
    "joints:\n"
    "  j: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  k: {type: revolute, bodies: [a, b], point: [0.1, 0, 0], axis: [0, 0, 1]}\n"
    "  l: {type: revolute, bodies: [b, c], point: [0.2, 0, 0], axis: [0, 0, 1]}\n"
    "  m: {type: revolute, bodies: [c, load], point: [0.3, 0, 0], axis: [0, 0, 1]}\n" SIGNAL(
        "g", "-20", "20");

/* A wheel at rest is driven up to 10 rad/s, with a pendulum on its rim. */
static const char wheel[] =
    "linkage: 1\nname: wheel\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  hub: {mass: 5, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  bob: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0.5, 0.3, 0]}\n"
    "joints:\n"
    "  axle: {type: revolute, bodies: [ground, hub], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  pin: {type: revolute, bodies: [hub, bob], point: [0.5, 0, 0], axis: [1, 0, 0]}\n"
    "inputs: {motor: {type: joint-torque, joint: axle, limits: [-30, 30]}}\n";

/* At rest; after a second at 40 rad/s about an axis that is no principal axis. */
static const char spinning[] =
    "linkage: 1\nname: spinning\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
    "  rim: {mass: 1, inertia: [0.2, 0.3, 0.35, 0.02, 0.03, 0.01], position: [0.2, 0, 0.4]}\n"
    "joints:\n"
    "  axle: {type: revolute, bodies: [ground, shaft], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  hook: {type: universal, bodies: [shaft, rim], point: [0, 0, 0.3], axes: [[1, 0, 0], [0, 1, "
    "0]]}\n"
    "forces: {s: {type: joint-spring-damper, joint: hook, coordinate: first, stiffness: 400, "
    "damping: "
    "1}}\n"
    "inputs: {motor: {type: joint-torque, joint: axle, limits: [-30, 30]}}\n";

/* ---- rows without a motion ---- */

/* If reactions are wrong by more than 1 %, dependent rows have been reported within the last twenty
 * steps. The linkage passes a change point. */
static void reactions_are_watched(void)
{
    struct lk_system *coarse, *fine;
    int since = 1000;
    struct lk_error error;
    struct lk_model *model;
    double *inputs;

    assert_int_equal(lk_model_read_file("config/models/ladder-2.yaml", &model, &error), 0);
    assert_int_equal(lk_system_new(model, NULL, &coarse, &error), 0);
    assert_int_equal(lk_system_new(model, &(struct lk_options){.step = STEP / 10}, &fine, &error),
                     0);
    lk_model_free(model);
    inputs = inputs_of(coarse);
    for (int i = 0; i < 1500; i++) {
        struct lk_summary summary;

        assert_int_equal(lk_system_step(coarse, inputs), 0);
        for (int k = 0; k < 10; k++)
            assert_int_equal(lk_system_step(fine, inputs), 0);
        since = lk_system_dependent_rows(coarse, 0.003) > 0 ? 0 : since + 1;
        lk_system_summary(coarse, &summary);
        for (int j = 0; j < summary.n_joints; j++) {
            double a[6], b[6], apart = 0, size = 1;

            lk_system_joint_reaction(coarse, j, a);
            lk_system_joint_reaction(fine, j, b);
            for (int k = 0; k < 3; k++) {
                apart = fmax(apart, fabs(a[k] - b[k]));
                size = fmax(size, fabs(b[k]));
            }
            if (apart > 0.01 * size && since > 20)
                fail_msg("joint %d at step %d: %g of %g N", j, i, apart, size);
        }
    }
    free(inputs);
    lk_system_free(coarse);
    lk_system_free(fine);
}

/* Check that an order above 2 is refused if a stiffness is an input, because the stiffness may have
 * any value. The message names the element. */
static void orders_are_refused(void)
{
    static const char text[] =
        ARM "forces: {d: {type: impedance, joint: k, stiffness: {input: k}, damping: 0}}\n" SIGNAL(
            "k", "0", "1e4");
    struct lk_system *system;
    struct lk_model *model;
    struct lk_error error;

    assert_int_equal(lk_model_read_text("text", text, strlen(text), &model, &error), 0);
    assert_int_equal(lk_system_new(model, &(struct lk_options){.order = 4}, &system, &error),
                     LK_E_MODEL);
    assert_non_null(strstr(error.text, "d"));
    lk_model_free(model);
}

/* ---- the table ---- */

static void walk(int row)
{
    /* the elbow falls and folds, so the inertia at the stop of the shoulder changes by a factor of
     * four */
    static const struct motion motions[] = {
        {ARM "forces: {d: {type: impedance, joint: k, damping: {input: damp}}}\n" SIGNAL(
             "damp", "0", "1e6"),
         damp, "b", 1e-4},
        {ARM "forces: {s: {type: stop, joint: j, lower: -1, upper: 0.2, stiffness: 5e4, damping: "
             "500}}\n",
         NULL, "b", 2e-3},
        {"linkage: 1\nname: block\ngravity: [0, 0, -9.81]\nbodies:\n"
         "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0]}\n"
         "joints:\n"
         "  j: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, -0.3]}\n"
         "forces: {f: {type: friction, joint: j, coulomb: 20, scale: {input: level}}}\n" SIGNAL(
             "level", "0", "1"),
         level, "a", 1e-2},
        {chain, weight, "load", 1e-3},
        {.else_by = reactions_are_watched},
        {wheel, torque, "bob", 1e-3},
        {spinning, torque, "rim", 1e-3},
        {ARM "forces: {d: {type: impedance, joint: k, stiffness: {input: k}, damping: 0}}\n" SIGNAL(
             "k", "0", "1e4"),
         stiffness, "b", 5e-3},
        {.else_by = orders_are_refused},
    };

    assert_int_equal(lk_n_decisions, sizeof(motions) / sizeof(motions[0]));
    if (motions[row].else_by)
        motions[row].else_by();
    else
        compare(lk_decisions[row].what, &motions[row]);
}

static void test_walk(void **state)
{
    (void)state;
    for (int i = 0; i < lk_n_decisions; i++)
        walk(i);
}

/* Each row of the table equals a row of the document. */
static void test_document(void **state)
{
    FILE *file = fopen("doc/architecture.md", "r");
    char line[2048], row[2048];
    int n = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) && strcmp(line, "## Decisions taken at load\n") != 0)
        ;
    while (fgets(line, sizeof(line), file) && strncmp(line, "## ", 3) != 0) {
        const struct lk_decision *d = &lk_decisions[n];

        if (line[0] != '|' || strncmp(line, "| decision", 10) == 0 || line[2] == '-')
            continue;
        assert_true(n < lk_n_decisions);
        snprintf(row, sizeof(row), "| %s | %s | %s | %s | %s |\n", d->what, d->file, d->depends,
                 d->changes, d->guard);
        assert_string_equal(line, row);
        n++;
    }
    fclose(file);
    assert_int_equal(n, lk_n_decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_document),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
