/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped models against reference trajectories, and the order of convergence.
 *
 * Every case runs with a step and its half three times. The trapezoidal rule is of order 2 in
 * positions and velocities, and so are the reactions, which the acceleration projection corrects:
 * halving the step divides every error by four. A tolerance bounds the error at the coarsest step
 * (measured once, with a margin of two); order 2 then bounds all the finer ones. */
#include "cmocka_all.h"
#include "trajectory.h"
#include <math.h>
#include <stdio.h>

#define HALVINGS 3

struct expectation {
    struct reference_case c;
    double h;
    double tolerance[QUANTITIES]; /* of the coarsest run: m or rad, m/s or rad/s, N */
};

static const char *const without_damper[] = {"damping: 0.05", "damping: 0", NULL};

static const struct expectation cases[] = {
    {{.name = "pendulum",
      .model = "config/models/pendulum.yaml",
      .csv = "tests/reference/pendulum/reference-rigid.csv",
      .forces = {{"F.", "hinge"}},
      .end = 10},
     .h = 0.01,
     .tolerance = {2e-3, 3e-3, 1e-2}},
    {{.name = "double-pendulum",
      .model = "config/models/double-pendulum.yaml",
      .csv = "tests/reference/double-pendulum/reference.csv",
      .forces = {{"F1.", "joint_1"}},
      .end = 4},
     .h = 0.01,
     .tolerance = {2e-3, 5e-3, 3e-2}},
    {{.name = "heavy-top",
      .model = "config/models/heavy-top.yaml",
      .csv = "tests/reference/heavy-top/reference.csv",
      .body = "top",
      .forces = {{"F.", "tip"}},
      .end = 2},
     .h = 0.005,
     .tolerance = {1e-3, 4e-3, 4e-1}},
    {{.name = "four-bar",
      .model = "config/models/four-bar.yaml",
      .csv = "tests/reference/four-bar/reference.csv",
      .replace = without_damper,
      .forces = {{"F0.", "pin_a"}, {"FB.", "pin_b"}},
      .skip_column = "theta",
      .skip_below = 0.1,
      .end = 10},
     .h = 0.01,
     .tolerance = {5e-3, 2e-2, 1e-1}},
    {{.name = "chain-8",
      .model = "config/models/chain-8.yaml",
      .csv = "tests/reference/chain-8/reference.csv",
      .forces = {{"F1.", "joint1"}},
      .end = 3},
     .h = 0.005,
     .tolerance = {1e-3, 4e-3, 3e-2}},
    {{.name = "chain-128",
      .model = "config/models/chain-128.yaml",
      .csv = "tests/reference/chain-128/reference.csv",
      .forces = {{"F1.", "joint1"}},
      .end = 6},
     .h = 0.005,
     .tolerance = {0.7, 0, 9}},
    {{.name = "free-body",
      .model = "config/models/free-body.yaml",
      .csv = "tests/reference/free-body/reference.csv",
      .body = "rotor",
      .end = 20},
     .h = 0.01,
     .tolerance = {3e-4, 3e-4, 0}},
};

static void check_order(const struct expectation *e, double errors[HALVINGS + 1][QUANTITIES])
{
    static const char *const names[QUANTITIES] = {"position", "velocity", "reaction"};

    for (int q = 0; q < QUANTITIES; q++) {
        double order = log2(errors[HALVINGS - 1][q] / errors[HALVINGS][q]);

        if (isnan(errors[0][q]))
            continue;
        printf("    %-16s %-9s %.2e %.2e %.2e %.2e  order %.2f\n", e->c.name, names[q],
               errors[0][q], errors[1][q], errors[2][q], errors[3][q], order);
        assert_true(errors[0][q] < e->tolerance[q]);
        assert_true(order > 1.9 && order < 2.2);
    }
}

static void follows_reference(void **state)
{
    const struct expectation *e = *state;
    double errors[HALVINGS + 1][QUANTITIES];

    for (int k = 0; k <= HALVINGS; k++)
        trajectory_errors(&e->c, e->h / (1 << k), 3, errors[k]);
    check_order(e, errors);
}

/* the figure that the project states: spatial double pendulum, 1 ms, tip at t = 2 s */
static void double_pendulum_at_one_millisecond(void **state)
{
    struct reference_case c = cases[1].c;
    double errors[QUANTITIES];

    (void)state;
    c.end = 2;
    trajectory_errors(&c, 1e-3, 3, errors);
    printf("    largest error of any position until 2 s: %.2e m\n", errors[POSITION]);
    assert_true(errors[POSITION] < 2e-5);
}

int main(void)
{
    struct CMUnitTest tests[sizeof(cases) / sizeof(*cases) + 1];
    int n = 0;

    for (; n < (int)(sizeof(cases) / sizeof(*cases)); n++)
        tests[n] = (struct CMUnitTest){cases[n].c.name, follows_reference, NULL, NULL,
                                       (void *)(uintptr_t)&cases[n]};
    tests[n] = (struct CMUnitTest)cmocka_unit_test(double_pendulum_at_one_millisecond);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
