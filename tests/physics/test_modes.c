/* SPDX-License-Identifier: Apache-2.0 */
/* Small motions: eigenvalues known in closed form, the published ones of the Iltis, and the
 * response of A, B, C and D compared with the step. */
#include "car.h"
#include "cmocka_all.h"
#include "linkage/modes.h"
#include "model/model.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 8192

static struct lk_system *compile(const char *text, const struct lk_options *options)
{
    struct lk_options whole = options ? *options : (struct lk_options){0};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    whole.all_rows = 1;
    if (lk_model_read_text("test", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, &whole, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

/** struct case_of - a system with its linearised motions */
struct case_of {
    struct lk_system *sys;
    struct lk_linear l;
    struct lk_mode *mode;
    int n;
};

/* Check that z'' = A21 z + A22 z' for each mode with its eigenvalue w and z' = w z, relative to the
 * terms. */
static void expect_pairs(const struct case_of *c)
{
    int f = c->l.n_motions, n = c->l.n_states;

    for (int m = 0; m < c->n && n == 2 * f; m++) {
        double complex w = c->mode[m].re + I * c->mode[m].im;
        double left = 0, terms = 0;

        for (int i = 0; i < f; i++) {
            double complex sum = 0;

            for (int k = 0; k < f; k++) {
                const double *row = c->l.A + (size_t)(f + i) * (size_t)n;
                const double *z = c->mode[m].shape + 2 * (size_t)k;
                double complex part =
                    (row[k] + w * row[f + k] - (k == i ? w * w : 0)) * (z[0] + I * z[1]);

                sum += part;
                terms = fmax(terms, cabs(part));
            }
            left = fmax(left, cabs(sum));
        }
        if (!(left <= 1e-6 * terms + 1e-9))
            fail_msg("mode %d of %d: %g is left of terms of %g", m + 1, c->n, left, terms);
    }
}

static void open_case(struct case_of *c, struct lk_system *sys, bool at_rest)
{
    struct lk_error error;

    c->sys = sys;
    if (lk_linear_init(sys, at_rest, &c->l, &error) != 0)
        fail_msg("%s", error.text);
    c->n = lk_modes_find(&c->l, &c->mode);
    assert_true(c->n >= 0);
    expect_pairs(c);
}

static void close_case(struct case_of *c)
{
    lk_modes_free(c->mode, c->n);
    lk_linear_fini(&c->l);
    lk_system_free(c->sys);
}

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g, more than %.3g off", value, expected, tolerance);
}

/* ---- closed forms ---- */

/* A rotor and its circuit: s^2 + R/L s + K^2 / (L J) = 0, and the free angle. The direct effect of
 * the voltage is 1/L on the current and none on the speed. */
static void motor_and_current(void **state)
{
    const double L = 0.002, R = 0.5, K = 0.05, J = 2e-4, half = R / L / 2;
    const double apart = sqrt(half * half - K * K / (L * J));
    struct case_of c;

    (void)state;
    open_case(
        &c,
        compile("linkage: 1\nname: motor\nbodies:\n"
                "  rotor: {mass: 1, inertia: [2e-4, 2e-4, 2e-4], position: [0, 0, 0]}\n"
                "joints:\n  shaft: {type: revolute, bodies: [ground, rotor], point: [0, 0, 0], "
                "axis: [0, 0, 1]}\n"
                "inputs:\n  u: {type: signal}\n"
                "blocks:\n  emf: {type: gain, input: {velocity: shaft}, gain: 0.05}\n"
                "  across: {type: sum, inputs: [u, emf], signs: \"+-\"}\n"
                "  amps: {type: transfer-function, input: across, num: [1], den: [0.002, 0.5]}\n"
                "  torque: {type: gain, input: amps, gain: 0.05}\n"
                "forces:\n  f: {type: impedance, joint: shaft, force: {block: torque}}\n"
                "outputs:\n  i: {type: block, block: amps}\n",
                NULL),
        false);
    assert_int_equal(c.l.n_states, 3);
    assert_string_equal(c.l.block[0], "amps");
    assert_int_equal(c.n, 3);
    near_to(c.mode[0].re, 0, 1e-6);
    near_to(c.mode[1].re, -half + apart, 1e-6 * half);
    near_to(c.mode[2].re, -half - apart, 1e-6 * half);
    near_to(c.l.C[2] * c.l.B[2], 1 / L, 1e-6 / L);
    near_to(c.l.B[0], 0, 1e-9);
    near_to(c.l.B[1], 0, 1e-9);
    near_to(c.l.D[0], 0, 1e-9);
    close_case(&c);
}

/* A car on one spring and a tyre, whose wheel rotates freely. Round-off in the column of its angle
 * made the balancing of LAPACK exchange the motions of modes. The slow mode lifts the car. */
static void a_wheel_spins_freely(void **state)
{
    struct case_of c;
    int slow = -1;

    (void)state;
    open_case(
        &c,
        compile(
            "linkage: 1\nname: spin\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  car: {mass: 300, inertia: [20, 20, 20], position: [0, 0, 0.5]}\n"
            "  arm: {mass: 6, inertia: [0.06, 0.06, 0.03], position: [0, 0.5, 0.4]}\n"
            "  wheel: {mass: 18, inertia: [0.6, 1, 0.6], position: [0, 0.8, 0.33]}\n"
            "joints:\n"
            "  lift: {type: prismatic, bodies: [ground, car], point: [0, 0, 0.5], "
            "axis: [0, 0, 1]}\n"
            "  hinge: {type: revolute, bodies: [car, arm], point: [0, 0.3, 0.4], "
            "axis: [1, 0, 0]}\n"
            "  axle: {type: revolute, bodies: [arm, wheel], point: [0, 0.8, 0.33], "
            "axis: [0, 1, 0]}\n"
            "forces:\n"
            "  coil: {type: joint-spring-damper, joint: hinge, stiffness: 20000, damping: 400}\n"
            "  tyre: {type: spring-damper, bodies: [ground, arm], points: [[0, 0.8, 0], "
            "[0, 0.8, 0.33]], stiffness: 250000, damping: 300, rest_length: 0.33}\n",
            NULL),
        false);
    for (int m = 0; m < c.n; m++)
        slow = c.mode[m].frequency > 1 && slow < 0 ? m : slow;
    assert_true(slow >= 0);
    near_to(c.mode[slow].frequency, 2.256, 1e-3); /* in equilibrium, with deflection: 2.238 */
    for (int i = 0; i < c.l.n_motions; i++)
        if (c.l.coordinate[i].joint == 2) /* the wheel's angle is not part of the mode */
            near_to(hypot(c.mode[slow].shape[2 * i], c.mode[slow].shape[2 * i + 1]), 0, 1e-6);
    close_case(&c);
}

/* Two masses in series on springs of 1e10 and 0.01 N/m: the slow mode has all its digits although
 * the other frequency is a million times higher. */
static void slow_beside_stiff(void **state)
{
    struct case_of c;

    (void)state;
    open_case(
        &c,
        compile("linkage: 1\nname: stiff\nbodies:\n"
                "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                "joints:\n"
                "  ra: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], "
                "axis: [1, 0, 0]}\n"
                "  rb: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [1, 0, 0]}\n"
                "forces:\n"
                "  ka: {type: joint-spring-damper, joint: ra, stiffness: 1.0e10, damping: 0}\n"
                "  kb: {type: joint-spring-damper, joint: rb, stiffness: 0.01, damping: 0}\n",
                NULL),
        false);
    assert_int_equal(c.n, 2);
    near_to(c.mode[0].im, 0.1, 1e-9);
    near_to(c.mode[1].im, 1e5, 1e-2);
    close_case(&c);
}

#define MASSES    6
#define STIFFNESS 400.0
#define MASS      0.5
#define DAMPING   0.8

/* n equal masses between n + 1 equal springs: w_k = 2 sqrt(k/m) sin(k pi / 2 (n + 1)). Dampers
 * parallel to the springs damp each mode with c/k w_k / 2. */
static void row_of_masses(void **state)
{
    char text[TEXT];
    struct case_of c;
    int at =
        snprintf(text, sizeof(text), "linkage: 1\nname: row\ngravity: [0, 0, -9.81]\nbodies:\n");

    (void)state;
    for (int i = 1; i <= MASSES; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at,
                       "  m%d: {mass: %g, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, MASS, i);
    at += snprintf(text + at, sizeof(text) - (size_t)at, "joints:\n");
    for (int i = 1; i <= MASSES; i++)
        at += snprintf(
            text + at, sizeof(text) - (size_t)at,
            "  s%d: {type: prismatic, bodies: [ground, m%d], point: [%d, 0, 0], axis: [1, 0, "
            "0]}\n",
            i, i, i);
    at += snprintf(text + at, sizeof(text) - (size_t)at, "forces:\n");
    for (int i = 0; i <= MASSES; i++) {
        char left[8] = "ground", right[8] = "ground";

        if (i > 0)
            snprintf(left, sizeof(left), "m%d", i);
        if (i < MASSES)
            snprintf(right, sizeof(right), "m%d", i + 1);
        at += snprintf(
            text + at, sizeof(text) - (size_t)at,
            "  k%d: {type: spring-damper, bodies: [%s, %s], points: [[%d, 0, 0], [%d, 0, 0]], "
            "stiffness: %g, damping: %g, rest_length: 1}\n",
            i, left, right, i, i + 1, STIFFNESS, DAMPING);
    }
    open_case(&c, compile(text, NULL), false);
    assert_int_equal(c.n, MASSES);
    for (int k = 1; k <= MASSES; k++) {
        double w = 2 * sqrt(STIFFNESS / MASS) * sin(k * M_PI / (2 * (MASSES + 1)));
        double d = 0.5 * DAMPING / STIFFNESS * w * w;

        near_to(c.mode[k - 1].re, -d, 1e-7 * w);
        near_to(c.mode[k - 1].im, sqrt(w * w - d * d), 1e-7 * w);
        near_to(c.mode[k - 1].frequency, w / (2 * M_PI), 1e-7 * w);
        near_to(c.mode[k - 1].damping, d / w, 1e-7);
    }
    near_to(c.l.unrest, 0, 1e-9);
    close_case(&c);
}

/* A spinning top upright on its tip: s^2 A -+ i s C n - m g l = 0, with A about the tip (L. D.
 * Landau, E. M. Lifshitz, Mechanics, 1976, section 35). */
static void sleeping_top(void **state)
{
    static const char form[] =
        "linkage: 1\nname: top\ngravity: [0, 0, -9.81]\nbodies:\n  top: {mass: 2, inertia: [0.03, "
        "0.03, 0.02], position: [0, 0, 0.3], angular_velocity: [0, 0, %g]}\njoints:\n  tip: {type: "
        "spherical, bodies: [ground, top], point: [0, 0, 0]}\n";
    const double A = 0.03 + 2 * 0.09, C = 0.02, mgl = 2 * 9.81 * 0.3;

    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        double spin = fast ? 200 : 100, half = C * spin / (2 * A);
        double left = half * half - mgl / A;
        char text[1024];
        struct case_of c;

        snprintf(text, sizeof(text), form, spin);
        open_case(&c, compile(text, NULL), false);
        if (left < 0) { /* too slow: the top falls with the rate sqrt(-left) */
            assert_true(!fast);
            near_to(c.mode[c.n - 1].im, half, 1e-6);
            near_to(fabs(c.mode[c.n - 1].re), sqrt(-left), 1e-6);
        } else {
            near_to(c.mode[c.n - 1].im, half + sqrt(left), 1e-6);
            near_to(c.mode[c.n - 2].im, half - sqrt(left), 1e-6);
            near_to(c.mode[c.n - 1].re, 0, 1e-6);
        }
        close_case(&c);
    }
}

/* Two links of length 1 with point masses at their ends: w^2 = (2 -+ sqrt(2)) g */
static void double_pendulum(void **state)
{
    static const char text[] =
        "linkage: 1\nname: two\ngravity: [0, 0, -10]\nbodies:\n  a: {mass: 1, inertia: [1e-9, "
        "1e-9, "
        "1e-9], position: [0, 0, -1]}\n  b: {mass: 1, inertia: [1e-9, 1e-9, 1e-9], position: [0, "
        "0, "
        "-2]}\njoints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, "
        "0]}\n  q: {type: revolute, bodies: [a, b], point: [0, 0, -1], axis: [0, 1, 0]}\n";
    struct case_of c;

    (void)state;
    open_case(&c, compile(text, NULL), false);
    assert_int_equal(c.n, 2);
    near_to(c.mode[0].im, sqrt((2 - sqrt(2)) * 10), 1e-6);
    near_to(c.mode[1].im, sqrt((2 + sqrt(2)) * 10), 1e-6);
    /* in the slow mode both links swing to the same side; the lower end moves 1 + sqrt(2) times as
     * far as the upper one */
    near_to(c.mode[0].shape[2] / c.mode[0].shape[0], sqrt(2) - 1, 1e-6);
    close_case(&c);
}

/* Two point masses on rods: rotations about the rods are no modes, and each swinging mode occurs in
 * two directions. */
static void points_on_a_rope(void **state)
{
    static const char text[] =
        "linkage: 1\nname: rope\ngravity: [0, 0, -10]\nbodies:\n"
        "  a: {mass: 2, inertia: [0, 0, 0], position: [0.1, 0, -1]}\n"
        "  b: {mass: 2, inertia: [0, 0, 0], position: [0.1, 0, -2]}\njoints:\n"
        "  p: {type: distance, bodies: [ground, a], points: [[0.1, 0, 0], [0.1, 0, -1]]}\n"
        "  q: {type: distance, bodies: [a, b], points: [[0.1, 0, -1], [0.1, 0, -2]]}\n";
    struct case_of c;

    (void)state;
    open_case(&c, compile(text, NULL), false);
    assert_int_equal(c.l.n_motions, 4);
    assert_int_equal(c.l.n_states, 8);
    assert_int_equal(c.n, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(c.l.coordinate[i].direction < 3);
        near_to(c.mode[i].im, sqrt((2 + (i < 2 ? -1 : 1) * sqrt(2)) * 10), 1e-6);
        near_to(c.mode[i].re, 0, 1e-6);
    }
    for (int i = 0; i < 16; i++)
        near_to(c.l.mass[i], i % 5 == 0 ? 2 : 0, 1e-9);
    close_case(&c);
}

/* Return the lowest frequency of a cantilever of @n links with springs between them: EI = 1, 1
 * kg/m, 1 m. The clamp holds the first link with half an element. */
static double beam_of(int n)
{
    const double l = 1.0 / n;
    char *text = malloc(TEXT * 4);
    struct case_of c;
    double w;
    int at;

    assert_non_null(text);
    at = snprintf(text, TEXT * 4, "linkage: 1\nname: beam\nbodies:\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, TEXT * 4 - (size_t)at,
                       "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, "
                       "0]}\n",
                       i, l, 1e-3 * l * l * l, l * l * l / 12, l * l * l / 12, (i - 0.5) * l);
    at += snprintf(text + at, TEXT * 4 - (size_t)at, "joints:\n");
    for (int i = 1; i <= n; i++) {
        char before[16] = "ground";

        if (i > 1)
            snprintf(before, sizeof(before), "b%d", i - 1);
        at += snprintf(
            text + at, TEXT * 4 - (size_t)at,
            "  p%d: {type: revolute, bodies: [%s, b%d], point: [%.17g, 0, 0], axis: [0, 1, "
            "0]}\n",
            i, before, i, (i - 1) * l);
    }
    at += snprintf(text + at, TEXT * 4 - (size_t)at, "forces:\n");
    for (int i = 1; i <= n; i++)
        at += snprintf(text + at, TEXT * 4 - (size_t)at,
                       "  k%d: {type: joint-spring-damper, joint: p%d, stiffness: %.17g}\n", i, i,
                       (i == 1 ? 2 : 1) / l);
    open_case(&c, compile(text, NULL), false);
    assert_int_equal(c.n, n);
    w = c.mode[0].im;
    close_case(&c);
    free(text);
    return w;
}

/* The frequency converges to the first bending frequency of a beam, 3.5160 (cos x cosh x = -1, x =
 * 1.8751), with the square of the element length. */
static void beam_of_links(void **state)
{
    const double beam = 1.875104068711961 * 1.875104068711961;
    double coarse = fabs(beam_of(8) / beam - 1), fine = fabs(beam_of(16) / beam - 1);

    (void)state;
    assert_true(coarse < 0.01 && fine < 0.0025);
    near_to(coarse / fine, 4, 0.2);
}

/* All four matrices of a damped oscillator with an input force. */
static void matrices(void **state)
{
    static const char text[] =
        "linkage: 1\nname: one\nbodies:\n  m: {mass: 4, inertia: [1, 1, 1], position: [0, 0, "
        "0]}\njoints:\n  s: {type: prismatic, bodies: [ground, m], point: [0, 0, 0], axis: [1, 0, "
        "0]}\nforces:\n  k: {type: joint-spring-damper, joint: s, stiffness: 100, damping: 2}\n"
        "inputs:\n  f: {type: joint-force, joint: s, limits: [-1000, 1000]}\noutputs:\n  x: {type: "
        "joint-position, joint: s}\n  a: {type: point-acceleration, body: m, point: [0, 0, 0]}\n";
    const double A[4] = {0, 1, -25, -0.5}, C[8] = {1, 0, -25, -0.5, 0, 0, 0, 0};
    const double B[2] = {0, 0.25}, D[4] = {0, 0.25, 0, 0};
    struct case_of c;

    (void)state;
    open_case(&c, compile(text, NULL), false);
    assert_true(c.l.n_states == 2 && c.l.n_inputs == 1 && c.l.n_outputs == 4);
    for (int i = 0; i < 4; i++)
        near_to(c.l.A[i], A[i], 1e-7);
    for (int i = 0; i < 8; i++)
        near_to(c.l.C[i], C[i], 1e-7);
    for (int i = 0; i < 2; i++)
        near_to(c.l.B[i], B[i], 1e-9);
    for (int i = 0; i < 4; i++)
        near_to(c.l.D[i], D[i], 1e-9);
    near_to(c.l.mass[0], 4, 1e-12);
    close_case(&c);
}

/* ---- comparison with the step ---- */

#define STEP  1e-4
#define STEPS 3000

static bool is_linear(const struct lk_channel *c)
{
    return strncmp(c->type, "joint-", 6) == 0 || strncmp(c->type, "point-", 6) == 0 ||
           strncmp(c->type, "body-", 5) == 0;
}

/* Integrate x' = A x + B u with the Runge-Kutta method, u constant. */
static void advance(const struct lk_linear *l, const double *Bu, double *x)
{
    size_t n = (size_t)l->n_states;
    double *k = calloc(5 * n + 1, sizeof(double)), *at = k + 4 * n;

    assert_non_null(k);
    for (int stage = 0; stage < 4; stage++) {
        double part = stage == 0 ? 0 : stage < 3 ? 0.5 : 1;

        for (size_t i = 0; i < n; i++)
            at[i] = x[i] + (stage > 0 ? part * STEP * k[(size_t)(stage - 1) * n + i] : 0);
        for (size_t i = 0; i < n; i++) {
            double sum = Bu[i];

            for (size_t m = 0; m < n; m++)
                sum += l->A[i * n + m] * at[m];
            k[(size_t)stage * n + i] = sum;
        }
    }
    for (size_t i = 0; i < n; i++)
        x[i] += STEP / 6 * (k[i] + 2 * k[n + i] + 2 * k[2 * n + i] + k[3 * n + i]);
    free(k);
}

/* Judge the difference between matrices and step.
 * @most: largest value of each output according to the matrices
 * @off:  largest difference from the step */
static void judge_outputs(const char *path, const struct lk_channel *out, int n_out,
                          const double *most, const double *off)
{
    for (int i = 0; i < n_out; i++) {
        double largest = 0;

        for (int k = 0; k < out[i].size; k++)
            largest = fmax(largest, most[out[i].offset + k]);
        for (int k = 0; k < out[i].size && is_linear(&out[i]); k++)
            if (!(off[out[i].offset + k] <= 2e-3 * largest + 1e-12))
                fail_msg("%s: %s %d is off by %.3g of %.3g", path, out[i].name, k,
                         off[out[i].offset + k], largest);
    }
}

/* Compare the outputs under a small constant input according to the step and to the matrices. */
static void responds_alike(const char *path, const char *input, double value)
{
    const struct lk_options options = {.step = STEP, .equilibrium = 1};
    const struct lk_channel *in, *out;
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    struct case_of c;
    double *u, *Bu, *x, *y, *y0, *most, *off;
    int n_in, n_out, which = -1;

    if (lk_model_read_file(path, &model, &error) != 0 ||
        lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    open_case(&c, sys, false);
    in = lk_system_input_channels(sys, &n_in);
    out = lk_system_output_channels(sys, &n_out);
    for (int i = 0; i < n_in; i++)
        which = strcmp(in[i].name, input) == 0 ? in[i].offset : which;
    assert_true(which >= 0);
    u = calloc((size_t)c.l.n_inputs, sizeof(double));
    x = calloc((size_t)c.l.n_states, sizeof(double));
    Bu = calloc((size_t)c.l.n_states, sizeof(double));
    y = calloc(4 * (size_t)c.l.n_outputs, sizeof(double));
    assert_true(u && x && Bu && y);
    y0 = y + c.l.n_outputs;
    most = y0 + c.l.n_outputs;
    off = most + c.l.n_outputs;
    u[which] = value;
    for (int i = 0; i < c.l.n_states; i++)
        Bu[i] = c.l.B[i * c.l.n_inputs + which] * value;
    lk_system_outputs(sys, y0);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(lk_system_step(sys, u), 0);
        lk_system_outputs(sys, y);
        advance(&c.l, Bu, x);
        for (int i = 0; i < c.l.n_outputs; i++) {
            double by_matrix = c.l.D[i * c.l.n_inputs + which] * value;

            for (int k = 0; k < c.l.n_states; k++)
                by_matrix += c.l.C[i * c.l.n_states + k] * x[k];
            most[i] = fmax(most[i], fabs(by_matrix));
            off[i] = fmax(off[i], fabs(y[i] - y0[i] - by_matrix));
        }
    }
    judge_outputs(path, out, n_out, most, off);
    free(u);
    free(x);
    free(Bu);
    free(y);
    close_case(&c);
}

static void step_agrees(void **state)
{
    (void)state;
    responds_alike("config/models/mass-spring.yaml", "push", 1e-3);
    responds_alike("config/models/pendulum.yaml", "motor", 1e-4);
    responds_alike("config/models/four-bar.yaml", "motor", 1e-4);
    responds_alike("config/models/double-pendulum.yaml", "push", 1e-4);
}

/* ---- the Iltis ---- */

/* At rest with the exact laws, without side force, as published with the benchmark. */
static void iltis(void **state)
{
    static const double published[7][2] = {{-3.78, 9.58},   {-4.82, 11.00},  {-22.31, 11.34},
                                           {-27.17, 70.60}, {-29.08, 82.48}, {-28.90, 83.18},
                                           {-28.73, 86.14}};
    static char text[CAR_TEXT];
    const struct lk_options options = {.equilibrium = 1};
    struct case_of c;

    (void)state;
    car_read("config/models/iltis.yaml", text);
    car_stand_iltis(text);
    open_case(&c, compile(text, &options), true);
    for (int k = 0; k < 7; k++) {
        double nearest = INFINITY;

        for (int i = 0; i < c.n; i++)
            nearest = fmin(nearest,
                           hypot(c.mode[i].re - published[k][0], c.mode[i].im - published[k][1]));
        near_to(nearest, 0, 0.01);
    }
    close_case(&c);
}

/* ---- steady rolling ---- */

/* Compile config/models/bicycle.yaml with another speed. */
static struct lk_system *bicycle_at(double speed)
{
    static const double radius[] = {0.3, INFINITY, INFINITY, 0.35};
    static const struct lk_options whole = {.all_rows = 1};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_file("config/models/bicycle.yaml", &model, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(model->n_bodies, 4);
    for (int b = 0; b < 4; b++) {
        model->bodies[b].velocity[0] = speed;
        model->bodies[b].angular_velocity[1] = speed / radius[b];
    }
    if (lk_system_new(model, &whole, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

/* The bicycle of J. P. Meijaard and others (2007), table 2: at each speed four eigenvalues, beside
 * six zeros for place, heading, speed and the turns of both wheels. */
static void bicycle(void **state)
{
    static const struct {
        double speed;
        double published[4][2];
    } at[] = {
        {0, {{-5.53094371765393}, {-3.13164324790656}, {3.13164324790656}, {5.53094371765393}}},
        {1, {{3.52696170990070, 0.80774027519930}, {-3.13423125066578}, {-7.11008014637442}}},
        {5, {{-0.77534188219585, 4.46486771378823}, {-0.32286642900409}, {-14.07838969279822}}},
        {10, {{-3.72016840437287, 10.90681139476287}, {0.16105338653172}, {-24.62459635017404}}}};

    (void)state;
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        struct case_of c;
        int n_zero = 0;

        open_case(&c, bicycle_at(at[i].speed), false);
        assert_int_equal(c.l.n_rates, 3);
        assert_int_equal(c.l.n_motions, 7);
        assert_int_equal(c.l.n_states, 10);
        assert_true(c.l.unrest < 1e-9);
        for (int k = 0; k < 4 && at[i].published[k][0] != 0; k++) {
            double nearest = INFINITY;

            for (int m = 0; m < c.n; m++)
                nearest = fmin(nearest, hypot(c.mode[m].re - at[i].published[k][0],
                                              c.mode[m].im - at[i].published[k][1]));
            near_to(nearest, 0, 1e-7);
        }
        for (int m = 0; m < c.n; m++)
            if (hypot(c.mode[m].re, c.mode[m].im) < 1e-3)
                n_zero += c.mode[m].im > 0 ? 2 : 1;
        assert_int_equal(n_zero, 6);
        close_case(&c);
    }
}

/* At rest a skate may be beside its place, where it has no way to go: one state more than two for
 * each degree of freedom, and a rate of zero. */
static void skate_at_rest(void **state)
{
    struct case_of c;

    (void)state;
    open_case(
        &c,
        compile("linkage: 1\nname: sled\ngravity: [0, 0, -10]\nbodies:\n"
                "  sled: {mass: 3, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0.1]}\n"
                "joints:\n"
                "  ice: {type: planar, bodies: [ground, sled], point: [0, 0, 0], axis: [0, 0, "
                "1]}\n"
                "  blade: {type: skate, bodies: [ground, sled], point: [0, 0, 0], axis: [0, 1, "
                "0]}\n"
                "forces:\n"
                "  post: {type: spring-damper, bodies: [ground, sled], points: [[2, 0, 0.1], "
                "[0, 0, 0.1]], stiffness: 300, rest_length: 2}\n",
                NULL),
        true);
    assert_int_equal(c.l.n_motions, 3);
    assert_int_equal(c.l.n_rates, 2);
    assert_int_equal(c.n, 4); /* to and fro, a turn, aside */
    near_to(c.mode[c.n - 1].im, 10, 1e-8);
    for (int m = 0; m < c.n - 1; m++)
        near_to(hypot(c.mode[m].re, c.mode[m].im), 0, 1e-4);
    close_case(&c);
}

/* ---- distance of the differences ---- */

/* The error of a central difference grows with the square of the distance. */
static void nudges(void **state)
{
    static const char text[] =
        "linkage: 1\nname: hanging\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  bar: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -1]}\njoints:\n"
        "  pin: {type: revolute, bodies: [ground, bar], point: [0, 0, 0], axis: [0, 1, 0]}\n";
    const double factor[] = {1, 2000, 4000};
    struct lk_system *sys = compile(text, NULL);
    struct lk_error error;
    double stiffness[3] = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_linear l;

        assert_int_equal(lk_linear_init_with(
                             sys, &(struct lk_linear_options){true, factor[i], NULL}, &l, &error),
                         0);
        for (int k = 0; k < l.n_states * l.n_states; k++)
            stiffness[i] = fmin(stiffness[i], l.A[k]);
        lk_linear_fini(&l);
    }
    near_to(stiffness[0], -9.81 / 1.1, 1e-8);
    near_to((stiffness[2] - stiffness[0]) / (stiffness[1] - stiffness[0]), 4, 1e-2);
    lk_system_free(sys);
}

/* ---- models that cannot be linearised ---- */

static void refused(const char *text, bool at_rest, const char *why)
{
    struct lk_system *sys = compile(text, NULL);
    struct lk_linear l;
    struct lk_error error;
    double *inputs;

    assert_int_equal(lk_linear_init(sys, at_rest, &l, &error), LK_E_MODEL);
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
    inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    assert_non_null(inputs);
    assert_int_equal(lk_system_step(sys, inputs), 0); /* the system still steps */
    free(inputs);
    lk_system_free(sys);
}

static void refusals(void **state)
{
    static char car[CAR_TEXT];

    (void)state;
    refused("linkage: 1\nname: light\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
            "0]}\n  b: {mass: 0, "
            "inertia: [0, 0, 0], position: [1, 0, 0]}\njoints:\n  s: {type: prismatic, bodies: "
            "[ground, b], point: [1, 0, 0], axis: [1, 0, 0]}\nforces:\n  k: {type: "
            "joint-spring-damper, joint: s, stiffness: 100, damping: 5}\n",
            false, "body 'b' moves without any mass");
    /* the effect of a spring beside its centre depends on the rotation of a body without inertia */
    refused(
        "linkage: 1\nname: light\nbodies:\n  a: {mass: 1, inertia: [0, 0, 0], position: [0, 0, "
        "0]}\nforces:\n  k: {type: bushing, bodies: [ground, a], point: [0.3, 0, 0], stiffness: "
        "[100, 100, 100, 1, 1, 1]}\n",
        false, "body 'a' moves without any mass");
    car_read("config/models/iltis.yaml", car);
    refused(car, false, "tyres");
}

/* ---- about a steady rotation ---- */

#define SPIN 5.0 /* of the hub [rad/s] */

static const char carousel[] =
    "linkage: 1\nname: carousel\ngravity: [0, 0, %g]\nbodies:\n"
    "  hub: {mass: 1, inertia: [1e9, 1e9, 1e9], position: [0, 0, 0], angular_velocity: [0, 0, "
    "%g]}\n"
    "  ball: {mass: 2, inertia: [%g, %g, %g], position: [%.9g, 0, %.9g]}\n"
    "joints:\n  axle: {type: revolute, bodies: [ground, hub], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "%s";

static int turning(const char *text, const char *body, struct lk_linear *ret,
                   struct lk_error *error)
{
    const struct lk_linear_options options = {.turning = body};
    struct lk_system *sys = compile(text, NULL);
    int r = lk_linear_init_with(sys, &options, ret, error);

    lk_system_free(sys);
    return r;
}

static void expect_turning(const char *text, const double *expected, int n)
{
    struct lk_linear l;
    struct lk_error error;
    struct lk_mode *mode;
    int found, k = 0;

    if (turning(text, "hub", &l, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(l.unrest < 1e-7);
    found = lk_modes_find(&l, &mode);
    for (int i = 0; i < found; i++) {
        if (mode[i].frequency < 1e-3) /* the hub turns freely */
            continue;
        assert_true(k < n);
        near_to(2 * M_PI * mode[i].frequency, expected[k++], 1e-5 * expected[n - 1]);
    }
    assert_int_equal(k, n);
    lk_modes_free(mode, found);
    lk_linear_fini(&l);
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* A ball on a bushing of a turning hub, k along x and y of the hub: with a = k_x / m - w^2 and b =
 * k_y / m - w^2, s^4 + (a + b + 4 w^2) s^2 + a b = 0; about x and y, as it has the same moment of
 * inertia J about all axes, s^4 + (2 c + w^2) s^2 + c^2 = 0 with c = k / J. Drawn where it would be
 * without a rotation. */
static void ball_on_a_carousel(void **state)
{
    const double a = 900.0 / 2 - SPIN * SPIN, b = 300.0 / 2 - SPIN * SPIN, c = 8 / 0.05;
    const double p = (a + b + 4 * SPIN * SPIN) / 2, q = (2 * c + SPIN * SPIN) / 2;
    double expected[6] = {sqrt(p - sqrt(p * p - a * b)),
                          sqrt(p + sqrt(p * p - a * b)),
                          sqrt(q - sqrt(q * q - c * c)),
                          sqrt(q + sqrt(q * q - c * c)),
                          sqrt(500.0 / 2),
                          sqrt(c)};
    char text[2048];

    (void)state;
    snprintf(text, sizeof(text), carousel, 0.0, SPIN, 0.05, 0.05, 0.05, 0.3, 0.0,
             "forces:\n  mount: {type: bushing, bodies: [hub, ball], point: [0.3, 0, 0], "
             "stiffness: [900, 300, 500, 8, 8, 8]}\n");
    qsort(expected, 6, sizeof(double), ascending);
    expect_turning(text, expected, 6);
}

/* A pendulum on an axis across that of the hub, drawn elsewhere: it rests at cos a = g / (w^2 l)
 * and swings with w sin a. */
static void conical_pendulum(void **state)
{
    const double cosine = 9.81 / (SPIN * SPIN * 0.5), drawn = acos(cosine) - 0.2;
    const double expected[1] = {SPIN * sqrt(1 - cosine * cosine)};
    char text[2048];

    (void)state;
    snprintf(text, sizeof(text), carousel, -9.81, SPIN, 1e-8, 1e-8, 1e-8, 0.5 * sin(drawn),
             -0.5 * cos(drawn),
             "  pin: {type: revolute, bodies: [hub, ball], point: [0, 0, 0], axis: [0, 1, 0]}\n");
    expect_turning(text, expected, 1);
}

static void what_does_not_turn_is_refused(void **state)
{
    static const char pin[] =
        "  pin: {type: revolute, bodies: [hub, ball], point: [0.3, 0, 0], axis: [0, 1, 0]}\n";
    static const char spring[] =
        "  pin: {type: revolute, bodies: [hub, ball], point: [0.3, 0, 0], axis: [0, 1, "
        "0]}\nforces:\n  spring: {type: "
        "spring-damper, bodies: [ground, ball], points: [[2, 1, 0], [0.4, 0, 0]], stiffness: "
        "100}\n";
    static const char ground[] =
        "  pin: {type: revolute, bodies: [ground, ball], point: [0.3, 0, 0], axis: [1, 0, 0]}\n";
    const struct {
        const char *body, *rest, *why;
        double spin;
    } cases[] = {
        {"hub", spring, "does not turn with the mechanism", SPIN},
        {"hub", ground, "cannot turn with the others", SPIN},
        {"hub", pin, "body 'hub' does not turn at the start", 0},
        {"nave", pin, "there is no body 'nave'", SPIN},
    };
    struct lk_linear l;
    struct lk_error error;
    char text[2048];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text), carousel, 0.0, cases[i].spin, 0.1, 0.1, 0.1, 0.4, 0.0,
                 cases[i].rest);
        assert_int_equal(turning(text, cases[i].body, &l, &error), LK_E_MODEL);
        if (strstr(error.text, cases[i].why) == NULL)
            fail_msg("%s", error.text);
    }
    snprintf(text, sizeof(text),
             "linkage: 1\nname: top\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  hub: {mass: 1, inertia: [1, 1, 1], position: [0.1, 0, 0], "
             "angular_velocity: [0, 0, 5], velocity: [0, 0.5, 0]}\njoints:\n"
             "  axle: {type: revolute, bodies: [ground, hub], point: [0, 0, "
             "0], axis: [0, 0, 1]}\n");
    assert_int_equal(turning(text, "hub", &l, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "gravity across the axis"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_and_current),
        cmocka_unit_test(a_wheel_spins_freely),
        cmocka_unit_test(slow_beside_stiff),
        cmocka_unit_test(row_of_masses),
        cmocka_unit_test(sleeping_top),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(ball_on_a_carousel),
        cmocka_unit_test(conical_pendulum),
        cmocka_unit_test(what_does_not_turn_is_refused),
        cmocka_unit_test(beam_of_links),
        cmocka_unit_test(matrices),
        cmocka_unit_test(step_agrees),
        cmocka_unit_test(iltis),
        cmocka_unit_test(points_on_a_rope),
        cmocka_unit_test(bicycle),
        cmocka_unit_test(skate_at_rest),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nudges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
