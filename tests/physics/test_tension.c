/* SPDX-License-Identifier: Apache-2.0 */
/* Light links and points under a tension that the weight at the start does not predict: gravity
 * from an input or a parameter, and springs, dampers, benches and drives that pull. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/state.h"
#include "maths/vec.h"
#include "sanitized.h"
#include "sheet.h"
#include "step/elements/tension.h"
#include "step/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1e-3

static void where(const struct lk_system *sys, const char *name, double ret[3])
{
    struct lk_body_state state;

    lk_system_body_state(sys, lk_system_body_index(sys, name), &state);
    memcpy(ret, state.position, sizeof(state.position));
}

/* ---- a chain that is loaded by gravity from an input ---- */

#define LINKS  10
#define LENGTH 0.1 /* length of a link [m] */
#define LOAD   100 /* mass of the load [kg] */

static void draw_chain(struct sheet *s, double mass, const char *gravity, const char *rest)
{
    sheet_put(s, "linkage: 1\nname: chain\ngravity: %s\n%sbodies:\n", gravity, rest);
    for (int i = 0; i < LINKS; i++)
        sheet_put(s, "  l%d: {mass: %.9g, inertia: [%.9g, %.9g, %.9g], position: [%.9g, 0, 0]}\n",
                  i, mass, mass / 6000, mass / 1200, mass / 1200, (i + 0.5) * LENGTH);
    sheet_put(s,
              "  load: {mass: %d, inertia: [0.25, 0.25, 0.25], position: [%.9g, 0, 0]}\njoints:\n",
              LOAD, (LINKS + 1) * LENGTH);
    for (int i = 0; i <= LINKS; i++) {
        char from[16], to[16];

        snprintf(from, sizeof(from), i == 0 ? "ground" : "l%d", i - 1);
        snprintf(to, sizeof(to), i == LINKS ? "load" : "l%d", i);
        sheet_put(s, "  j%d: {type: revolute, bodies: [%s, %s], point: [%.9g, 0, 0], ", i, from, to,
                  i * LENGTH);
        sheet_put(s, "axis: [0, 0, 1]}\n");
    }
}

/** struct pull - the text that defines gravity, and the @input that makes it -9.81 m/s^2 */
struct pull {
    const char *gravity;
    const char *section;
    double input;
};

/* Compute the position of the load after a second. The error of the energy balance must be
 * small. */
static void fall(double mass, const struct pull *pull, double ret[3])
{
    struct sheet *s = calloc(1, sizeof(*s));
    struct lk_system *sys;
    double most = LOAD * 9.81 * LINKS * LENGTH;

    assert_non_null(s);
    draw_chain(s, mass, pull->gravity, pull->section);
    sys = compile_by("rattle", s->text, &(struct lk_options){.step = STEP});
    for (int i = 0; i < 1000 / THINNED; i++) {
        struct lk_health h;

        assert_int_equal(lk_system_step(sys, &pull->input), 0);
        lk_system_health(sys, &h);
        assert_true(h.residual_position < 1e-9);
        assert_true(fabs(sys->now.balance->taken) < 0.01 * most);
    }
    where(sys, "load", ret);
    lk_system_free(sys);
    free(s);
}

/* However gravity is defined, a chain swings as with constant gravity. */
static void gravity_pulls_a_chain_however_it_is_given(void **state)
{
    static const double masses[] = {1, 0.1, 0.01, 1e-3, 1e-4}; /* masses of a link [kg] */
    static const struct pull constant = {"[0, -9.81, 0]", "", 0};
    static const struct pull pulls[] = {
        {"[0, {input: g}, 0]", "inputs:\n  g: {type: signal, limits: [-20, 20]}\n", -9.81},
        {"[0, {input: g}, 0]", "inputs:\n  g: {type: signal}\n", -9.81},
        {"[0, 0, 0]",
         "parameters:\n  g: {acts: gravity.2, value: 0, limits: [-10, 0], tunable: true}\n", -9.81},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(masses) / sizeof(*masses); k++) {
        double right[3], found[3];

        fall(masses[k], &constant, right);
        for (size_t i = 0; i < sizeof(pulls) / sizeof(*pulls); i++) {
            fall(masses[k], &pulls[i], found);
            lk_sub(found, right, found);
            printf("    links of %g kg, %zu: %.1e m\n", masses[k], i, lk_norm(found));
            assert_true(lk_norm(found) < 5e-6); /* differences of order h^2 */
        }
    }
}

/* ---- a trolley that pulls a load with a rope ---- */

#define POINTS 8
#define FAR    2.1 /* distance of load and trolley [m] */

static void put_rope(struct sheet *s, const char *from, double a, const char *to, double b, int k,
                     double z)
{

    sheet_put(s, "  d%d: {type: distance, bodies: [%s, %s], points: [[%.9g, %.9g, 0], ", k, from,
              to, a,
              k == 0  ? 0
              : k % 2 ? z
                      : -z);
    sheet_put(s, "[%.9g, %.9g, 0]]}\n", b, k == POINTS ? 0 : k % 2 ? -z : z);
}

/* Write a trolley with a rope. @drive: drive of the trolley's rail */
static void draw_trolley(struct sheet *s, double mass, const char *drive)
{
    double kink = 3e-3 * fmin(1, mass / 0.01); /* larger kinks snap, see doc/limits.md */

    sheet_put(s, "linkage: 1\nname: trolley\ngravity: [0, 0, 0]\nbodies:\n"
                 "  cart: {mass: 5, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                 "  load: {mass: 50, inertia: [1, 1, 1], position: [-2.1, 0, 0]}\n");
    for (int k = 0; k < POINTS; k++)
        sheet_put(s, "  p%d: {mass: %g, inertia: [0, 0, 0], position: [%.9g, %.9g, 0]}\n", k, mass,
                  -0.2 * (k + 1), k % 2 ? -kink : kink);
    sheet_put(s,
              "joints:\n  rail: {type: prismatic, bodies: [ground, cart], point: [0, 0, 0], axis: "
              "[1, 0, 0]%s}\n  behind: {type: prismatic, bodies: [ground, load], point: [-2.1, 0, "
              "0], axis: [1, 0, 0]}\n",
              drive);
    for (int k = 0; k <= POINTS; k++) {
        char from[16], to[16];

        snprintf(from, sizeof(from), k == 0 ? "cart" : "p%d", k - 1);
        snprintf(to, sizeof(to), k == POINTS ? "load" : "p%d", k);
        put_rope(s, from, -0.2 * k, to, k == POINTS ? -1.8 : -0.2 * (k + 1), k, kink);
    }
}

/** struct puller - a trolley, its @rail, and the @sections of the model that pull it. @input: their
 * input at time @t */
struct puller {
    const char *rail;
    const char *sections;
    double (*input)(double t);
};

/* Input of a bench. It does not jump, because a jump would straighten the kinks of the rope within
 * a step. */
static double half_metre(double t)
{
    return 0.5 * fmin(1, t / 0.05);
}

static double force(double t)
{
    return 400 * fmin(1, t / 0.05);
}

static double ahead(double t)
{
    const double rise = 0.05, late = t - rise; /* rise to 4 m/s^2 */

    return t < rise ? 4 * t * t * t / (6 * rise)
                    : 2 * rise * rise / 3 + 2 * rise * late + 2 * late * late;
}

/* The trolley and the load move together while the rope is taut. */
static void trolley_pulls_its_load(void **state)
{
    static const struct puller pullers[] = {
        {"", "forces:\n  s: {type: joint-spring-damper, joint: rail, stiffness: 1000, rest: 0.5}\n",
         NULL},
        {"",
         "forces:\n  s: {type: joint-spring-damper, joint: rail, rest: 0.5, stiffness_table: "
         "{deflection: [-1, 0, 1], force: [-1000, 0, 1000]}}\n",
         NULL},
        {"",
         "forces:\n  s: {type: spring-damper, bodies: [ground, cart], points: [[2, 0, 0], [0, 0, "
         "0]], stiffness: 1000, rest_length: 1.5}\n",
         NULL},
        {"",
         "forces:\n  s: {type: impedance, joint: rail, stiffness: 1000, rest: {input: "
         "x}}\ninputs:\n"
         "  x: {type: signal, limits: [0, 0.6]}\n",
         half_metre},
        {"",
         "forces:\n  s: {type: impedance, joint: rail, force: {input: x}}\ninputs:\n"
         "  x: {type: signal, limits: [0, 600]}\n",
         force},
        {"", "inputs:\n  x: {type: joint-force, joint: rail}\n", force},
        {", drive: {input: x}", "inputs:\n  x: {type: drive, limits: [0, 1], rate: 2}\n", ahead},
    };
    static const double masses[] = {0.1, 0.01, 1e-3};

    (void)state;
    for (size_t i = 0; i < sizeof(pullers) / sizeof(*pullers); i++)
        for (size_t k = 0; k < sizeof(masses) / sizeof(*masses); k++) {
            struct sheet *s = calloc(1, sizeof(*s));
            double cart[3], load[3], apart = 0;
            struct lk_system *sys;

            assert_non_null(s);
            draw_trolley(s, masses[k], pullers[i].rail);
            sheet_put(s, "%s", pullers[i].sections);
            sys = compile_by("rattle", s->text, &(struct lk_options){.step = STEP});
            for (int n = 0; n < 300; n++) {
                double x = pullers[i].input ? pullers[i].input((n + 1) * STEP) : 0;

                assert_int_equal(lk_system_step(sys, &x), 0);
                where(sys, "cart", cart);
                where(sys, "load", load);
                apart = fmax(apart, fabs(cart[0] - load[0] - FAR));
            }
            printf("    %zu, points of %g kg: %d followed, %.2g m apart after %.3g m\n", i,
                   masses[k], sys->n_sways, apart, cart[0]);
            assert_true(sys->n_sways > 0 || masses[k] > 0.05);
            assert_true(apart < 1e-3);
            assert_true(cart[0] > 0.1);
            lk_system_free(sys);
            free(s);
        }
}

/* ---- the bound ---- */

/* A link of 1 m and 0.1 kg between the ground and a load, without gravity, pulled by a force F.
 * lk_pulls_most() is the weight, 0, or a third of it with F. s K / J = h^2/4 (F/3) (l/2) divided by
 * the mean 1.5e-3 kg m^2 of two moments: 2.78e-5 per newton. From LK_TENSE on the step has
 * geometric stiffness, and the bodies keep all rows, because geometric stiffness rotates them out
 * of the plane. */
static void a_force_decides(void **state)
{
    static const double forces[] = {300, 3000};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sheet *s = calloc(1, sizeof(*s));
        struct lk_system *sys;
        double bound = 1e-6 / 4 * forces[i] / 3 * 0.5 / 1.5e-3;
        bool is_tense = bound > LK_TENSE;

        assert_non_null(s);
        sheet_put(s, "linkage: 1\nname: pulled\nbodies:\n"
                     "  link: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.5, 0, 0]}\n"
                     "  load: {mass: 10, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                     "joints:\n"
                     "  top: {type: revolute, bodies: [ground, link], point: [0, 0, 0], axis: [0, "
                     "0, 1]}\n"
                     "  eye: {type: revolute, bodies: [link, load], point: [1, 0, 0], axis: [0, 0, "
                     "1]}\n");
        sheet_put(s,
                  "gravity: [0, 0, 0]\nforces:\n"
                  "  pull: {type: constant-force, body: load, force: [%.9g, 0, 0]}\n",
                  forces[i]);
        sys = compile_by("rattle", s->text, &(struct lk_options){.step = STEP});
        assert_true(fabs(sys->body[0].tension - bound) < 1e-12);
        assert_int_equal(i == 1, is_tense);
        assert_int_equal(lk_tension_is_followed(sys, 0), is_tense);
        assert_int_equal(sys->summary.n_in_plane, is_tense ? 0 : 2);
        lk_system_free(sys);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_pulls_a_chain_however_it_is_given),
        cmocka_unit_test(trolley_pulls_its_load),
        cmocka_unit_test(a_force_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
