/* SPDX-License-Identifier: Apache-2.0 */
/* Beams against closed forms: frequencies, deflections under end loads (exact for any number of
 * elements), weight, taper, an arc, the roll-up to half a circle, the spin-up of Kane. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/modes.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 8192

static struct lk_system *compile(const char *text, int equilibrium, struct lk_model **ret_model)
{
    const struct lk_options options = {.equilibrium = equilibrium, .all_rows = 1};
    struct lk_system *system = NULL;
    struct lk_error error;

    if (lk_model_read_text("beam", text, strlen(text), ret_model, &error) != 0 ||
        lk_system_new(*ret_model, &options, &system, &error) != 0)
        fail_msg("%s", error.text);
    return system;
}

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

/* ---- frequencies ---- */

/* Write the first frequencies [rad/s] of a cantilever with EI of 1 about y and 4 about z. */
static void frequencies(int elements, double *ret, int n)
{
    char text[TEXT];
    struct lk_model *model;
    struct lk_linear linear;
    struct lk_mode *modes;
    struct lk_error error;
    struct lk_system *system;
    int found, k = 0;

    snprintf(
        text, sizeof(text),
        "linkage: 1\nname: cantilever\nflexible:\n  b: {type: beam, from: [0.2, 0, 0], to: [0.2, "
        "0.6, 0.8], up: [1, 0, 0], elements: %d, EA: 1e6, EI: [1, 4], GJ: 1e3, mass_per_length: "
        "1}\njoints:\n  root: {type: fixed, bodies: [ground, b@0], point: [0.2, 0, 0]}\n",
        elements);
    system = compile(text, 0, &model);
    assert_int_equal(lk_linear_init(system, true, &linear, &error), 0);
    found = lk_modes_find(&linear, &modes);
    for (int i = 0; i < found && k < n; i++)
        if (modes[i].im > 0)
            ret[k++] = modes[i].im;
    assert_int_equal(k, n);
    lk_modes_free(modes, found);
    lk_linear_fini(&linear);
    lk_system_free(system);
    lk_model_free(model);
}

static void cantilever_vibrates(void **state)
{
    static const double exact[] = {3.51602,      2 * 3.51602, 22.03449,
                                   2 * 22.03449, 61.69721,    120.9019};
    double coarse[6], fine[6];

    (void)state;
    frequencies(16, coarse, 6);
    frequencies(32, fine, 6);
    for (int i = 0; i < 5; i++) {
        near_to("16 elements", coarse[i] / exact[i], 1, 0.012);
        near_to("32 elements", fine[i] / exact[i], 1, 0.003);
        assert_true(fabs(coarse[i] - exact[i]) > 3.3 * fabs(fine[i] - exact[i]));
    }
}

/* ---- deflections ---- */

/* Return the state of the body @name in the static equilibrium of a beam, whose keys and loads are
 * @beam and @load. */
static struct lk_body_state rest(const char *beam, const char *root, const char *name,
                                 const char *gravity, const char *load)
{
    struct lk_body_state b;
    struct lk_model *model;
    struct lk_system *system;
    char text[TEXT];

    snprintf(
        text, sizeof(text),
        "linkage: 1\nname: m\ngravity: %s\nflexible:\n  b: {type: beam, %s, nodes: {root: 0, tip: "
        "1}}\njoints:\n  root: {type: fixed, bodies: [ground, b.root], point: %s}\n%s",
        gravity, beam, root, load);
    system = compile(text, 1, &model);
    lk_system_body_state(system, lk_system_body_index(system, name), &b);
    lk_system_free(system);
    lk_model_free(model);
    return b;
}

#define STRAIGHT                                                                                   \
    "from: [0, 0, 0], to: [2, 0, 0], EA: 1e3, EI: [5, 8], GJ: 3, shear: [40, 60], "                \
    "mass_per_length: "                                                                            \
    "0.7, elements: "
#define END_FORCE(force)   "forces: {f: {type: constant-force, body: b.tip, force: " force "}}\n"
#define END_TORQUE(torque) "forces: {f: {type: constant-torque, body: b.tip, torque: " torque "}}\n"

/* The element is exact: one is as good as many. */
static void end_loads(void **state)
{
    static const char *const elements[] = {STRAIGHT "1", STRAIGHT "2", STRAIGHT "7"};
    const double L = 2, f = 1e-4;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_body_state b =
            rest(elements[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_FORCE("[0, 1e-4, 0]"));

        near_to("along y", b.position[1] / f, L * L * L / (3 * 8) + L / 40, 1e-7);
        near_to("slope", 2 * b.orientation[3] / f, L * L / (2 * 8), 1e-7);
        b = rest(elements[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_FORCE("[0, 0, 1e-4]"));
        near_to("along z", b.position[2] / f, L * L * L / (3 * 5) + L / 60, 1e-7);
        near_to("slope", 2 * b.orientation[2] / f, -L * L / (2 * 5), 1e-7);
        b = rest(elements[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_FORCE("[1e-4, 0, 0]"));
        near_to("stretch", (b.position[0] - L) / f, L / 1e3, 1e-9);
        b = rest(elements[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_TORQUE("[1e-4, 0, 0]"));
        near_to("twist", 2 * b.orientation[1] / f, L / 3, 1e-7);
        b = rest(elements[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_TORQUE("[0, 1e-4, 0]"));
        near_to("moment", b.position[2] / f, -L * L / (2 * 5), 1e-7);
    }
}

/* A load between nodes of the grid has a node of its own. */
static void load_at_a_fraction(void **state)
{
    struct lk_body_state b =
        rest(STRAIGHT "4", "[0, 0, 0]", "b.tip", "[0, 0, 0]",
             "forces: {f: {type: constant-force, body: b@0.3, force: [0, 1e-4, 0]}}\n");
    const double a = 0.6, L = 2;

    (void)state;
    near_to("tip", b.position[1] / 1e-4, a * a * (3 * L - a) / (6 * 8) + a / 40, 1e-7);
}

/* The strain while a beam runs is that of its forces: the axial one and those of the bent fibres.
 */
static void strain_is_watched(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, 0]\nflexible:\n  b: {type: beam, " STRAIGHT
        "4, nodes: {root: 0, tip: 1}}\njoints:\n  root: {type: fixed, bodies: [ground, b.root], "
        "point: [0, 0, 0]}\nforces:\n  f: {type: constant-force, body: b.tip, force: [0.02, 0, "
        "0]}\n"
        "  m: {type: constant-torque, body: b.tip, torque: [0, -0.001, 0.002]}\n";
    double expected = 0.02 / 1e3 + 0.001 * sqrt(3 * 5 / 1e3) / 5 + 0.002 * sqrt(3 * 8 / 1e3) / 8;
    struct lk_extent extent;
    struct lk_model *model;
    struct lk_system *system = compile(text, 1, &model);

    (void)state;
    for (int i = 0; i < 200; i++)
        assert_int_equal(lk_system_step(system, NULL), 0);
    lk_system_extent(system, &extent);
    near_to("strain", extent.strain / expected, 1, 2e-3);
    assert_non_null(strstr(lk_system_body_name(system, extent.strained), "b"));
    lk_system_free(system);
    lk_model_free(model);
}

/* A portal frame with clamped feet, a closed loop, that a force at its corner moves sideways: H h^3
 * (3 k + 2) / (12 EI (6 k + 1)) with k = 1 for a girder as long and stiff as the columns. */
static void portal_sways(void **state)
{
    struct lk_body_state b =
        rest("through: [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]], up: [0, 1, 0], elements: 6, "
             "EA: 1e8, EI: [7, 5], GJ: 3, mass_per_length: 1",
             "[0, 0, 0]", "b.2", "[0, 0, 0]",
             "  foot: {type: fixed, bodies: [ground, b.tip], point: [1, 0, 0]}\nforces: {f: {type: "
             "constant-force, body: b.2, force: [1e-3, 0, 0]}}\n");

    (void)state;
    near_to("height", b.position[2], 1, 1e-3);
    near_to("sway", b.position[0] / 1e-3, 5 / (12.0 * 5 * 7), 1e-6);
}

/* A column under nine tenths of Euler's load and a small force across: F (tan kL - kL) / (P k). */
static void column_near_buckling(void **state)
{
    const double EI = 5, P = 0.9 * M_PI * M_PI * EI / 4, k = sqrt(P / EI), F = 1e-5;
    char load[200];
    struct lk_body_state b;

    (void)state;
    snprintf(load, sizeof(load),
             "forces: {f: {type: constant-force, body: b.tip, force: [%.17g, 0, %.17g]}}\n", F, -P);
    b = rest("from: [0, 0, 0], to: [0, 0, 1], up: [0, 1, 0], elements: 32, EA: 1e8, EI: [7, 5], "
             "GJ: 3, mass_per_length: 1",
             "[0, 0, 0]", "b.tip", "[0, 0, 0]", load);
    near_to("deflection", b.position[0] / (F * (tan(k) - k) / (P * k)), 1, 0.005);
}

static void weight_converges(void **state)
{
    const double L = 2, w = 0.7e-4;
    double exact = w * L * L * L * L / (8 * 5) + w * L * L / (2 * 60), off[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_body_state b =
            rest(i == 0 ? STRAIGHT "8" : STRAIGHT "16", "[0, 0, 0]", "b.tip", "[0, 0, -1e-4]", "");

        off[i] = -b.position[2] - exact;
    }
    near_to("weight", off[1], 0, 0.005 * exact);
    assert_true(fabs(off[0]) > 3.3 * fabs(off[1]));
}

static void taper_converges(void **state)
{
    static const char *const text[] = {
        "from: [0, 0, 0], to: [2, 0, 0], elements: 8, sections: [{at: 0, EA: 1e4, EI: [8, 8], GJ: "
        "1, "
        "mass_per_length: 1}, {at: 1, EA: 1e4, EI: [2, 2], GJ: 1, mass_per_length: 1}]",
        "from: [0, 0, 0], to: [2, 0, 0], elements: 16, sections: [{at: 0, EA: 1e4, EI: [8, 8], GJ: "
        "1, "
        "mass_per_length: 1}, {at: 1, EA: 1e4, EI: [2, 2], GJ: 1, mass_per_length: 1}]"};
    double exact = 0, off[2];

    (void)state;
    for (int i = 0; i < 20000; i++) { /* sum of (L - x)^2 / EI dx */
        double x = 2 * (i + 0.5) / 20000;

        exact += (2 - x) * (2 - x) / (8 - 3 * x) * 2 / 20000;
    }
    for (int i = 0; i < 2; i++)
        off[i] = rest(text[i], "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_FORCE("[0, 0, 1e-4]"))
                         .position[2] /
                     1e-4 -
                 exact;
    near_to("taper", off[1], 0, 0.003 * exact);
    assert_true(fabs(off[0]) > 3.3 * fabs(off[1]));
}

/* A quarter of a circle of radius 1 that hangs at one end: pi F R^3 / (4 EI) along the force. */
static void arc(void **state)
{
    double off[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        int n = i == 0 ? 12 : 24, used;
        char beam[TEXT / 2];
        struct lk_body_state b;

        used = snprintf(beam, sizeof(beam),
                        "elements: %d, EA: 1e7, EI: [5, 5], GJ: 1, "
                        "mass_per_length: 1, up: [0, 1, 0], through: [",
                        n);
        for (int k = 0; k <= n; k++)
            used += snprintf(beam + used, sizeof(beam) - (size_t)used, "%s[%.15g, 0, %.15g]",
                             k > 0 ? ", " : "", cos(M_PI / 2 * k / n), sin(M_PI / 2 * k / n));
        snprintf(beam + used, sizeof(beam) - (size_t)used, "]");
        b = rest(beam, "[1, 0, 0]", "b.tip", "[0, 0, 0]", END_FORCE("[0, 0, 1e-5]"));
        off[i] = (b.position[2] - 1) / 1e-5 - M_PI / (4 * 5);
    }
    near_to("arc", off[1], 0, 0.005 * M_PI / 20);
    assert_true(fabs(off[0]) > 3.3 * fabs(off[1]));
}

/* An end moment of pi EI / L rolls the beam up to half a circle. */
static void rolls_up(void **state)
{
    double off[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        char beam[256];
        struct lk_body_state b;

        snprintf(beam, sizeof(beam),
                 "from: [0, 0, 0], to: [1, 0, 0], elements: %d, EA: 1e6, EI: [2, 4], GJ: 3, "
                 "mass_per_length: 1",
                 16 << i);
        b = rest(beam, "[0, 0, 0]", "b.tip", "[0, 0, 0]", END_TORQUE("[0, -6.283185307179586, 0]"));
        near_to("half a turn", fabs(b.orientation[2]), 1, 1e-6);
        near_to("tip", b.position[0], 0, 1e-6);
        off[i] = b.position[2] - 2 / M_PI;
    }
    near_to("height", off[1], 0, 1e-3 * 2 / M_PI);
    assert_true(fabs(off[0]) > 3.3 * fabs(off[1]));
}

/* ---- motion ---- */

static double root_angle(double t)
{
    const double T = 15, w = 2 * M_PI / T;

    return t < T ? 6 / T * (t * t / 2 + (cos(w * t) - 1) / (w * w)) : 6 * t - 45;
}

/* The values are those of a geometrically exact beam, see flexible bodies in doc/figures.md. */
static void spins_up(void **state)
{
    static const char text[] =
        "linkage: 1\nname: spin\nflexible:\n  b: {type: beam, from: [0, 0, 0], to: [10, 0, 0], EA: "
        "2.8e7, EI: [1.4e4, 1.4e4], GJ: 1e4, shear: [1e7, 1e7], mass_per_length: 1.2, "
        "inertia_per_length: [1.2e-3, 0.6e-3, 0.6e-3]}\njoints:\n  root: {type: revolute, bodies: "
        "[ground, b@0], point: [0, 0, 0], axis: [0, 0, 1], drive: {input: angle, period: "
        "0}}\ninputs:\n  "
        "angle: "
        "{type: drive}\noutputs:\n  root: {type: joint-position, joint: root}\n  tip: {type: "
        "body-pose, body: b@1}\nsolver: {step: 0.001}\n";
    static const struct {
        double t, u, v, turn, tolerance[3];
    } rows[] = {
        {3, -2.728e-3, -0.21727, -0.029624, {0.01 * 2.728e-3, 0.01 * 0.21727, 0.01 * 0.029624}},
        {7.5, -1.7742e-2, -0.55908, -0.074779, {3e-3 * 1.7742e-2, 3e-3 * 0.559, 3e-3 * 0.0748}},
        {15, 5.140e-4, 1.303e-3, 1.68e-4, {0.01 * 5.14e-4, 2e-3 * 0.559, 2e-3 * 0.0748}},
    };
    struct lk_model *model;
    struct lk_system *system = compile(text, 0, &model);
    int row = 0;

    (void)state;
    for (int k = 0; row < 3; k++) {
        double input = root_angle((k + 1) * 0.001), out[8], a, turn;

        assert_int_equal(lk_system_step(system, &input), 0);
        if (k != (int)(rows[row].t / 0.001 + 0.5)) /* the drive is a step behind its input */
            continue;
        lk_system_outputs(system, out);
        a = out[0];
        turn = 2 * atan2(out[7], out[4]) - a;
        near_to("u", cos(a) * out[1] + sin(a) * out[2] - 10, rows[row].u, rows[row].tolerance[0]);
        near_to("v", -sin(a) * out[1] + cos(a) * out[2], rows[row].v, rows[row].tolerance[1]);
        near_to("turn", remainder(turn, 2 * M_PI), rows[row].turn, rows[row].tolerance[2]);
        row++;
    }
    lk_system_free(system);
    lk_model_free(model);
}

/* A beam that is thrown bends, turns and keeps its energy. */
static void keeps_its_energy(void **state)
{
    static const char text[] =
        "linkage: 1\nname: thrown\nflexible:\n  b: {type: beam, from: [0, 0, 0], to: [1, 0, 0], "
        "elements: 6, EA: 1e4, EI: [0.5, 2], GJ: 0.8, mass_per_length: 1, inertia_per_length: "
        "[2e-3, "
        "1e-3, 1e-3], angular_velocity: [1, 2, 3], velocity: [1, 0, 0]}\nbodies:\n  "
        "tip: {mass: "
        "0.3, "
        "inertia: [0.01, 0.01, 0.01], position: [1, 0, 0.1], velocity: [1, 3, -2]}\njoints:\n  "
        "tip: "
        "{type: spherical, bodies: [b@1, tip], point: [1, 0, 0.1]}\noutputs:\n  e: {type: "
        "energy}\n";
    struct lk_model *model;
    struct lk_system *system = compile(text, 0, &model);
    double first = 0, most[2] = {0}, out[2];

    (void)state;
    lk_system_outputs(system, out);
    first = out[0] + out[1];
    for (int k = 0; k < 40000; k++) {
        assert_int_equal(lk_system_step(system, NULL), 0);
        lk_system_outputs(system, out);
        most[k / 20000] = fmax(most[k / 20000], fabs(out[0] + out[1] - first));
    }
    near_to("energy", most[0] / first, 0, 2e-3);
    assert_true(most[1] < 1.5 * most[0]);
    lk_system_free(system);
    lk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_vibrates),
        cmocka_unit_test(end_loads),
        cmocka_unit_test(load_at_a_fraction),
        cmocka_unit_test(strain_is_watched),
        cmocka_unit_test(portal_sways),
        cmocka_unit_test(column_near_buckling),
        cmocka_unit_test(weight_converges),
        cmocka_unit_test(taper_converges),
        cmocka_unit_test(arc),
        cmocka_unit_test(rolls_up),
        cmocka_unit_test(spins_up),
        cmocka_unit_test(keeps_its_energy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
