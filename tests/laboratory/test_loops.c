/* SPDX-License-Identifier: Apache-2.0 */
/* dca and hdca compared with each other, where references are few: spatial loops closed by every
 * kind of joint, and random mechanisms.
 *
 * Planar loops do not detect errors in the derivatives of the directions of cut rows, or of the
 * joints; loops of skew axes do. */
#include "../cmocka_all.h"
#include "../physics/mechanism.h"
#include "methods/relative/relative.h"
#include "system_run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- spatial loops ---- */

/* Body A hangs from the ground. Seven bodies and eight joints, all axes skew, form a loop that
 * begins and ends at A; the test chooses the joint between the fourth and the fifth. Grown from A
 * both ways, the tree leaves that joint out. */
static const char loop_text[] =
    "linkage: 1\n"
    "name: loop\n"
    "gravity: [1, -2, -9.81]\n"
    "bodies:\n"
    "  A: {mass: 3, inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], position: [0.1, 0.1, -0.3],\n"
    "      orientation: {axis: [1, 2, 3], angle: 0.7}, angular_velocity: [1, 2, 0.5]}\n"
    "  b1: {mass: 1, inertia: [0.1, 0.12, 0.15], position: [0.6, 0.1, -0.4], velocity: [1, 0, 1]}\n"
    "  b2: {mass: 1.2, inertia: [0.2, 0.12, 0.15], position: [1.2, 0.4, -0.5],\n"
    "      orientation: {axis: [1, -2, 3], angle: 1.1}, angular_velocity: [0, 1, 2]}\n"
    "  b3: {mass: 0.8, inertia: [0.1, 0.2, 0.25], position: [1.7, 1, -0.6]}\n"
    "  b4: {mass: 1, inertia: [0.1, 0.12, 0.15, 0.02, 0, 0.01], position: [1.5, 1.6, -0.2],\n"
    "      orientation: {axis: [2, 1, 3], angle: -2}, angular_velocity: [1, -1, 1]}\n"
    "  b5: {mass: 1.4, inertia: [0.3, 0.2, 0.25], position: [0.9, 1.8, 0.1], velocity: [0, 1, 0]}\n"
    "  b6: {mass: 1, inertia: [0.1, 0.12, 0.15], position: [0.3, 1.4, 0.2],\n"
    "      orientation: {axis: [1, 1, 0], angle: 0.4}}\n"
    "  b7: {mass: 0.9, inertia: [0.1, 0.14, 0.12], position: [0, 0.8, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, A], point: [0, 0, 0], axis: [1, 2, 2]}\n"
    "  j1: {type: revolute, bodies: [A, b1], point: [0.3, 0.1, -0.4], axis: [1, 2, -1]}\n"
    "  j2: {type: revolute, bodies: [b2, b1], point: [0.9, 0.2, -0.4], axis: [0, 2, 1]}\n"
    "  j3: {type: revolute, bodies: [b2, b3], point: [1.5, 0.7, -0.6], axis: [3, 1, 1]}\n"
    "  j4: {type: revolute, bodies: [b3, b4], point: [1.7, 1.4, -0.4], axis: [0, 1, -2]}\n"
    "  closing: {bodies: [b4, b5], %s}\n"
    "  j6: {type: revolute, bodies: [b5, b6], point: [0.6, 1.7, 0.2], axis: [-1, 1, 3]}\n"
    "  j7: {type: revolute, bodies: [b7, b6], point: [0.1, 1.1, 0.1], axis: [2, 2, 1]}\n"
    "  j8: {type: revolute, bodies: [A, b7], point: [0, 0.5, -0.1], axis: [1, 0, 1]}\n"
    "%s";

/** struct closing - @more: lines after the joints;  @n_cut: number of cut blocks */
static const struct closing {
    const char *joint;
    const char *more;
    int n_cut;
} closings[] = {
    {"type: revolute, point: [1.2, 1.7, 0], axis: [1, 1, -2]", "", 1},
    {"type: prismatic, point: [1.2, 1.7, 0], axis: [1, 1, -2]", "", 1},
    {"type: screw, point: [1.2, 1.7, 0], axis: [1, 1, -2], pitch: 0.1", "", 1},
    {"type: cylindrical, point: [1.2, 1.7, 0], axis: [1, 1, -2]", "", 1},
    {"type: universal, point: [1.2, 1.7, 0], axes: [[1, 1, -2], [2, 0, 1]]", "", 1},
    {"type: planar, point: [1.2, 1.7, 0], axis: [1, 1, -2], direction: [1, -1, 0]", "", 1},
    {"type: spherical, point: [1.2, 1.7, 0]", "", 1},
    {"type: constant-velocity, point: [1.2, 1.7, 0], axes: [[1, 1, -2], [1, 2, -1]]", "", 1},
    {"type: point-on-line, points: [[1.2, 1.7, 0], [1.3, 1.8, -0.2]], axis: [1, 1, -2]", "", 1},
    {"type: distance, points: [[1.2, 1.7, 0], [1, 1.5, 0.3]]", "", 1},
    /* rows between coordinates: of joints in the tree and of the cut one; rheonomic drives */
    {"type: cylindrical, point: [1.2, 1.7, 0], axis: [1, 1, -2]",
     "  gear: {type: gear, joints: [j2, j7], ratio: -1.5}\n", 2},
    {"type: universal, point: [1.2, 1.7, 0], axes: [[1, 1, -2], [2, 0, 1]]",
     "  gear: {type: gear, joints: [{joint: closing, coordinate: second}, j7], ratio: 0.7}\n", 2},
    {"type: cylindrical, point: [1.2, 1.7, 0], axis: [1, 1, -2]",
     "  rack: {type: rack, joints: [hinge, {joint: closing, coordinate: travel}], radius: 0.3}\n",
     2},
    {"type: cylindrical, point: [1.2, 1.7, 0], axis: [1, 1, -2],\n"
     "            drive: {travel: {harmonic: {amplitude: 0.1, omega: 5}}}",
     "", 2},
};

static void count_cuts(struct lk_model *model, const char *name, int expected)
{
    struct lk_mechanics *m = NULL;
    struct lk_relative *r = NULL;
    struct lk_error error;

    if (lk_mechanics_new(model, 0, &m, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    assert_int_equal(lk_relative_new(m, &r, &error), 0);
    assert_int_equal(r->n_cut, expected);
    lk_relative_free(r);
    lk_mechanics_free(m);
}

#define LOOP_STEP 1e-3
#define LOOP_END  0.05

/* The difference is the error of the steps, measured as at most 1e-12. */
static void test_loops(void **state)
{
    static const char *const others[] = {"dca", "hdca:as-printed", "hdca", "hdca:corrected"};

    (void)state;
    for (size_t i = 0; i < sizeof(closings) / sizeof(*closings); i++) {
        struct lk_model *model;
        struct system_run first, other;
        char text[6000];

        snprintf(text, sizeof(text), loop_text, closings[i].joint, closings[i].more);
        model = system_run_model(text);
        count_cuts(model, closings[i].joint, closings[i].n_cut);
        system_run_well(model, "dca:corrected", LOOP_STEP, LOOP_END, &first);
        printf("    %-60.60s", closings[i].joint);
        for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
            system_run_well(model, others[k], LOOP_STEP, LOOP_END, &other);
            printf(" %.1e", system_run_difference(&first, &other));
            assert_true(system_run_difference(&first, &other) < 1e-11);
            assert_true(k == 0 || other.worst[1] < 1e-13);
        }
        printf("\n");
        lk_model_free(model);
    }
}

/* ---- random mechanisms: branches, coupled loops, duplicate joints, springs, gears, drives ---- */

#define SEEDS 12

/* distance of the others from dca:corrected after 10 ms; 0: springs too fast for the step, or
 * bodies without inertia */
static int compare(uint64_t seed, double h, double *ret)
{
    static const char *const others[] = {"dca", "hdca", "hdca:as-printed", "hdca:corrected"};
    struct mechanism *m = mechanism_make(seed, MECHANISM_MOVABLE, 8);
    struct lk_model *model;
    struct lk_error error;
    struct system_run first, other;
    char *text;
    int r;

    mechanism_smoothen(m);
    text = mechanism_text(m);
    model = system_run_model(text);
    r = system_run(model, "dca:corrected", h, 0.01, &first, &error);
    *ret = 0;
    for (size_t k = 0; k < sizeof(others) / sizeof(*others) && r == 0; k++) {
        system_run_well(model, others[k], h, 0.01, &other);
        *ret = fmax(*ret, system_run_difference(&first, &other));
        assert_true(k == 0 || other.worst[1] < 1e-11);
    }
    lk_model_free(model);
    free(text);
    mechanism_free(m);
    return r == 0;
}

static void test_random(void **state)
{
    int n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double coarse, fine;

        if (!compare(seed, 2.5e-4, &coarse))
            continue;
        compare(seed, 1.25e-4, &fine);
        printf("    seed %2d: %.1e %.1e\n", (int)seed, coarse, fine);
        assert_true(fine < 1e-10 || fine < coarse / 8);
        n++;
    }
    assert_true(n >= SEEDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
