/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators of y' = f alone, on equations whose solution is known. */
#include "cmocka_all.h"
#include "known_equations.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const controlled[] = {
    "dormand-prince",
    "radau",
    "cvode:bdf",
    "cvode:adams",
    "ida",
    "arkode-erk:order-3",
    "arkode-erk:order-4",
    "arkode-erk:order-5",
    "arkode-erk:order-6",
    "arkode-erk:order-8",
    "arkode-dirk:order-3",
    "arkode-dirk:order-4",
    "arkode-dirk:order-5",
};
#define N_CONTROLLED (sizeof(controlled) / sizeof(*controlled))

static void run_to(struct known_run *run, double t)
{
    struct lk_error error;

    if (run->integrator->advance(run->self, t, &error) != 0)
        fail_msg("%s", error.text);
}

/* ---- orders ---- */

/** struct order - @step: such that errors are far from round-off and follow their leading term */
struct order {
    const char *name;
    int order;
    double step;
};

static double error_of_fixed(const char *name, double step)
{
    struct known_run run;
    double error;

    known_open(&run, &known_smooth, name, step, 0);
    run_to(&run, 2);
    assert_int_equal(run.problem.counts.steps, lround(2 / step));
    error = known_error(&run);
    known_close(&run);
    return error;
}

/* Halving the step divides the error by 2^order, but for terms of the next order: they change the
 * exponent by a multiple of the step. By less than a third; where the leading term is small they
 * make it larger. */
static void has_its_order(void **state)
{
    const struct order *o = *state;
    double coarse = error_of_fixed(o->name, o->step), fine = error_of_fixed(o->name, o->step / 2);
    double order = log2(coarse / fine);

    printf("    %s: %.2e, %.2e, order %.2f\n", o->name, coarse, fine, order);
    assert_true(fine > 1e-14);
    assert_true(order > o->order - 1.0 / 3);
}

/* ---- tolerances ---- */

static double error_of_controlled(const char *name, double tolerance, double *ret_steps)
{
    struct known_run run;
    double error;

    known_open(&run, &known_smooth, name, 1e-3, tolerance);
    run_to(&run, 2);
    error = known_error(&run);
    *ret_steps = (double)run.problem.counts.steps;
    known_close(&run);
    return error;
}

/* A step may err by one tolerance of 1 + |y| < 2 in the mean of all numbers, by sqrt(3) more in one
 * of them; what follows does not amplify it: y1 forgets, the circle keeps its length but lets
 * phases add up. So the error is at most 2 sqrt(3) tolerances a step. */
static void keeps_its_tolerance(void **state)
{
    const char *name = *state;
    double before = INFINITY;

    for (double tolerance = 1e-3; tolerance > 1e-12; tolerance *= 1e-3) {
        double steps, error = error_of_controlled(name, tolerance, &steps);

        printf("    %s, %.0e: %.2e, %.0f steps\n", name, tolerance, error, steps);
        assert_true(error < 2 * sqrt(3) * steps * tolerance);
        /* the error follows the tolerance: a thousandth of it gives at most a tenth of it */
        assert_true(error < before / 10);
        before = error;
    }
}

/* What is left are the sums over the steps: a step adds up to half a digit of t < 2 and of y < 2,
 * at random, and phases move 2 t < 4 times as fast as time. Implicit stages are known to the end of
 * their iteration only, and order 8 has coefficients of 10 that cancel. */
static void reaches_round_off(void **state)
{
    double steps, error = error_of_controlled("dormand-prince", 1e-15, &steps);

    (void)state;
    printf("    dormand-prince: %.2e, %.0f steps\n", error, steps);
    assert_true(error < 4 * sqrt(steps) * DBL_EPSILON);
    assert_true(error_of_controlled("arkode-erk:order-8", 1e-14, &steps) < 1e-13);
    assert_true(error_of_controlled("radau", 1e-14, &steps) < 1e-12);
}

/* ---- times and states ---- */

static void meets_every_time(void **state)
{
    static const double times[] = {1e-3, 0.1, 0.1 + 1e-9, 0.35, 0.35, 1, 1.7000000001, 2};

    (void)state;
    for (size_t i = 0; i < N_CONTROLLED; i++) {
        struct known_run run;

        known_open(&run, &known_smooth, controlled[i], 1e-3, 1e-6);
        for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
            run_to(&run, times[k]);
            assert_true(run.known.t == times[k]);
        }
        assert_true(run.known.n_accepted == run.problem.counts.steps);
        known_close(&run);
    }
}

static void goes_on_with_what_is_settled(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CONTROLLED; i++) {
        struct known_run run;

        known_open(&run, &known_circle, controlled[i], 1e-3, 1e-5);
        run_to(&run, 2);
        printf("    %s: %.2e, %llu steps\n", controlled[i], known_error(&run),
               run.problem.counts.steps);
        /* as in keeps_its_tolerance(), of two numbers */
        assert_true(known_error(&run) < 2 * sqrt(2) * (double)run.problem.counts.steps * 1e-5);
        known_close(&run);
    }
}

/* ---- stiff ---- */

static double rates_of_stiff(const char *name)
{
    struct known_run run;
    double rates;

    known_open(&run, &known_stiff, name, 1e-3, 1e-6);
    run_to(&run, 1);
    assert_true(known_error(&run) < 1e-5);
    rates = (double)run.problem.counts.rates;
    printf("    %s: %.0f right-hand sides\n", name, rates);
    known_close(&run);
    return rates;
}

/* An explicit method of order 5 is stable up to a step of about 3.3 / stiffness (E. Hairer, G.
 * Wanner, Solving ordinary differential equations II, 1996, section IV.2), so it needs at least 6
 * rates in each of 3e5 steps. */
static void implicit_methods_follow_a_stiff_equation(void **state)
{
    static const char *const implicit[] = {"radau", "cvode:bdf", "ida", "arkode-dirk:order-4"};

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(rates_of_stiff(implicit[i]) < 1e-2 * 6 * 3e5);
}

/* ---- what cannot be ---- */

/* A solver that complains by itself would write to standard error. */
static void says_why_it_stalls(void **state)
{
    FILE *complaints = tmpfile();
    int standard = dup(STDERR_FILENO);

    (void)state;
    assert_non_null(complaints);
    dup2(fileno(complaints), STDERR_FILENO);
    for (size_t i = 0; i < N_CONTROLLED; i++) {
        struct lk_error error = {""};
        struct known_run run;
        const char *at;
        int r;

        known_open(&run, &known_blow_up, controlled[i], 1e-3, 1e-8);
        r = run.integrator->advance(run.self, 2, &error);
        at = strstr(error.text, "t = ");
        printf("    %s\n", error.text);
        assert_true(r == LK_E_STALLED || r == LK_E_NOT_FINITE);
        assert_non_null(at);
        assert_true(fabs(strtod(at + 4, NULL) - 1) < 1e-3);
        assert_non_null(strstr(error.text, run.integrator->name));
        known_close(&run);
    }
    fflush(stderr);
    dup2(standard, STDERR_FILENO);
    close(standard);
    assert_int_equal(lseek(fileno(complaints), 0, SEEK_END), 0);
    fclose(complaints);
}

static void says_where_equations_are_singular(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CONTROLLED; i++) {
        struct lk_error error = {""};
        struct known_run run;
        int r;

        known_open(&run, &known_smooth, controlled[i], 1e-3, 1e-6);
        run.known.rate_fails_after = 0.5;
        r = run.integrator->advance(run.self, 1, &error);
        printf("    %s\n", error.text);
        assert_true(r == LK_E_STALLED || r == LK_E_SINGULAR);
        assert_non_null(strstr(error.text, "singular"));
        /* ARKODE does not try a smaller step, the others come near */
        assert_true(run.known.t <= 0.5);
        assert_true(run.known.t > (strncmp(controlled[i], "arkode", 6) == 0 ? 0 : 0.49));
        known_close(&run);
    }
}

static void asks_for_a_tolerance(void **state)
{
    static const char *const names[] = {"cvode", "ida"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_error error = {""};
        struct lk_problem problem = {.equations = &known_smooth, .step = 1e-3};
        const struct lk_integrator *integrator = known_find(names[i], &problem.variant);
        void *self;

        assert_int_equal(integrator->open(&problem, &self, &error), LK_E_MODEL);
        assert_non_null(strstr(error.text, "expected a tolerance"));
    }
}

static struct order orders[] = {
    {"rk4", 4, 0.02},
    {"dormand-prince", 5, 0.02},
    {"radau", 5, 0.04},
    {"arkode-erk:order-3", 3, 0.01},
    {"arkode-erk:order-4", 4, 0.02},
    {"arkode-erk:order-5", 5, 0.02},
    {"arkode-erk:order-6", 6, 0.04},
    {"arkode-erk:order-8", 8, 0.125},
    {"arkode-dirk:order-3", 3, 0.01},
    {"arkode-dirk:order-4", 4, 0.02},
    {"arkode-dirk:order-5", 5, 0.02},
};
#define N_ORDERS (sizeof(orders) / sizeof(*orders))

int main(void)
{
    struct CMUnitTest tests[N_ORDERS + N_CONTROLLED + 8];
    int n = 0;

    for (size_t i = 0; i < N_ORDERS; i++)
        tests[n++] = (struct CMUnitTest){orders[i].name, has_its_order, NULL, NULL, &orders[i]};
    for (size_t i = 0; i < N_CONTROLLED; i++)
        tests[n++] = (struct CMUnitTest){controlled[i], keeps_its_tolerance, NULL, NULL,
                                         (void *)(uintptr_t)controlled[i]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(reaches_round_off);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(meets_every_time);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(goes_on_with_what_is_settled);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(implicit_methods_follow_a_stiff_equation);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(says_why_it_stalls);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(says_where_equations_are_singular);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(asks_for_a_tolerance);
    return _cmocka_run_group_tests("integrators", tests, (size_t)n, NULL, NULL);
}
