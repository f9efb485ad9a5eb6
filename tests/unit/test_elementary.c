/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of the cycle: within 2 units in the last place of the C library's functions,
 * which themselves are within 1, over their ranges, and finite beyond these ranges. The search for
 * the interval of a table. */
#include "cmocka_all.h"
#include "maths/elementary.h"
#include "maths/table.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define POINTS 400000

static uint64_t dice = 7;

/* Return a pseudo-random number, 0 to 1. */
static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice >> 11) / 9007199254740992.0;
}

/* Return the distance of @x from @wanted in units in the last place of @wanted. */
static double units_off(double x, double wanted)
{
    double size = fabs(wanted);

    return fabs(x - wanted) / (nextafter(size, INFINITY) - size);
}

/* Return a random number of either sign, distributed evenly over the exponents from 10^@low to
 * 10^@high. */
static double spread(double low, double high)
{
    double x = pow(10, low + (high - low) * draw());

    return draw() < 0.5 ? -x : x;
}

static double sine(double x)
{
    double s, c;

    lk_sin_cos(x, &s, &c);
    return s;
}

static double cosine(double x)
{
    double s, c;

    lk_sin_cos(x, &s, &c);
    return c;
}

static void check(double (*function)(double), double (*reference)(double), double x)
{
    double off = units_off(function(x), reference(x));

    if (!(off <= 2))
        fail_msg("%.17g: %.17g instead of %.17g, %.2f units", x, function(x), reference(x), off);
}

static void test_arc_tangent(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++) {
        check(lk_atan, atan, spread(-10, 10));
        check(lk_atan, atan, 3 * draw() - 1.5);
    }
    assert_true(lk_atan(0) == 0 && lk_atan(INFINITY) == atan(INFINITY));
    assert_true(lk_atan(-DBL_MAX) == atan(-DBL_MAX));
}

static void test_sine_and_cosine(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++) {
        double x = spread(-8, 5), near = (int)(spread(0, 4)) * 1.5707963267948966;

        check(sine, sin, x);
        check(cosine, cos, x);
        check(sine, sin, near);
        check(cosine, cos, near);
    }
    assert_true(fabs(sine(1e300)) <= 1 && fabs(cosine(-INFINITY)) <= 1);
}

/* Four values computed at once have the same bits as each computed alone, whatever the other three
 * values are. */
static void test_fours(void **state)
{
    (void)state;
    for (int n = 0; n < POINTS; n++) {
        lk_four x = {spread(-8, 5), 3 * draw() - 1.5, spread(-2, 1), n % 3 ? 0 : INFINITY};
        lk_four angle, s, c;

        lk_atan_four(&x, &angle);
        lk_sin_cos_four(&x, &s, &c);
        for (int i = 0; i < 4; i++)
            assert_true(angle[i] == lk_atan(x[i]) && s[i] == sine(x[i]) && c[i] == cosine(x[i]));
    }
}

static void test_exponential_and_logarithm(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++) {
        check(lk_exp, exp, spread(-8, 2.845));
        check(lk_log, log, fabs(spread(-300, 300)));
        check(lk_log, log, 1 + 0.5 * (draw() - 0.5));
    }
    assert_true(isfinite(lk_exp(1e300)) && lk_exp(-1e300) > 0);
    assert_true(isfinite(lk_log(0)) && isfinite(lk_log(-1)) && isfinite(lk_log(INFINITY)));
}

static void test_powers(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++) {
        double x = fabs(spread(-3, 3)), y = 4 * draw() - 2;

        assert_true(fabs(lk_power(x, y) / pow(x, y) - 1) < 1e-14);
    }
}

/* Return the last point that is not above @x, at most the last but one; 0 if all are above @x. */
static int interval_of(int n, const double *points, double x)
{
    int i = 0;

    while (i < n - 2 && x >= points[i + 1])
        i++;
    return i;
}

/* Tables of all sizes: the search compares points one by one, after halving larger tables once or
 * several times. */
static void test_intervals(void **state)
{
    (void)state;
    for (int n = 2; n < 300; n++) {
        double *points = malloc((size_t)n * sizeof(*points));

        assert_non_null(points);
        points[0] = spread(-1, 1);
        for (int i = 1; i < n; i++)
            points[i] = points[i - 1] + 0.01 + draw();
        for (int i = 0; i < n; i++) {
            const double at[] = {points[i], nextafter(points[i], -INFINITY), points[i] + 0.005};

            for (int k = 0; k < 3; k++)
                assert_int_equal(lk_points_interval(n, points, at[k]),
                                 interval_of(n, points, at[k]));
        }
        assert_int_equal(lk_points_interval(n, points, -1e300), 0);
        assert_int_equal(lk_points_interval(n, points, 1e300), n - 2);
        assert_in_range(lk_points_interval(n, points, NAN), 0, n - 2);
        free(points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arc_tangent), cmocka_unit_test(test_sine_and_cosine),
        cmocka_unit_test(test_fours),       cmocka_unit_test(test_exponential_and_logarithm),
        cmocka_unit_test(test_powers),      cmocka_unit_test(test_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
