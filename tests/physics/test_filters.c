/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of any order and time scale: step responses of Butterworth filters in closed form. */
#include "block_models.h"
#include "cmocka_all.h"
#include "known_motion.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ORDER_MAX 16

/* Compute a Butterworth low-pass of order @n at @rate [rad/s].
 * @den:            coefficients from the highest power down, @den[0] = 1
 * @pole, @residue: its step response is 1 + sum residue exp(pole t) */
static void butterworth(int n, double rate, double *den, double complex *pole,
                        double complex *residue)
{
    double complex poly[ORDER_MAX + 1] = {1};

    for (int k = 0; k < n; k++) {
        pole[k] = rate * cexp(I * M_PI * (2 * k + n + 1) / (2 * n));
        for (int j = k + 1; j > 0; j--)
            poly[j] -= pole[k] * poly[j - 1];
    }
    for (int k = 0; k < n; k++) {
        residue[k] = rate / pole[k];
        for (int j = 0; j < n; j++)
            residue[k] *= j == k ? 1 : rate / (pole[k] - pole[j]);
    }
    for (int k = 0; k <= n; k++)
        den[k] = creal(poly[k]);
}

/* Write the filter as a transfer function, with all coefficients multiplied by @times. */
static void write_filter(FILE *f, const double *den, int n, double times)
{
    fprintf(f, "blocks:\n  y: {type: transfer-function, input: u, num: [%.17g], den: [",
            den[n] * times);
    for (int k = 0; k <= n; k++)
        fprintf(f, "%s%.17g", k > 0 ? ", " : "", den[k] * times);
    fprintf(f, "]}\n");
}

/* Write the filter in companion form, without scaling. */
static void write_companion(FILE *f, const double *den, int n)
{
    fprintf(f, "blocks:\n  y: {type: state-space, inputs: [u], a: [");
    for (int i = 0; i < n * n; i++)
        fprintf(f, "%s%.17g%s",
                i % n > 0 ? ", "
                : i > 0   ? ", ["
                          : "[",
                i < n ? -den[i + 1] : i / n == i % n + 1, i % n == n - 1 ? "]" : "");
    fprintf(f, "], b: [[1]");
    for (int i = 1; i < n; i++)
        fprintf(f, ", [0]");
    fprintf(f, "], c: [");
    for (int i = 1; i < n; i++)
        fprintf(f, "0, ");
    fprintf(f, "%.17g]}\n", den[n]);
}

/* Return the largest error of the step response, relative to the input step, over 1.2 n / rate [s],
 * which includes the delay of the filter and its rise.
 * @times: factor of the coefficients, 0: companion form
 * @part:  step size times rate */
static double filter_error(int n, double rate, double times, double part)
{
    double den[ORDER_MAX + 1] = {0}, h = part / rate, worst = 0;
    double complex pole[ORDER_MAX], residue[ORDER_MAX];
    struct lk_system *sys;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    butterworth(n, rate, den, pole, residue);
    if (times > 0)
        write_filter(f, den, n, times);
    else
        write_companion(f, den, n);
    fclose(f);
    sys = compile_rotor(0, h, text);
    free(text);
    for (int i = 1; i <= (int)(1.2 * n / part); i++) {
        const double u = 1;
        double complex known = 1;

        for (int k = 0; k < n; k++)
            known += residue[k] * cexp(pole[k] * (i * h));
        assert_int_equal(lk_system_step(sys, &u), 0);
        worst = fmax(worst, fabs(read_output(sys, "y", 0) - creal(known)));
    }
    lk_system_free(sys);
    return worst;
}

/* Coefficients have units of powers of the rate. Whatever their range, and whatever common factor
 * they have, the response is the known one to the order of the step. */
static void filters_of_any_order_respond_as_known(void **state)
{
    static const struct {
        int n;
        double rate, times;
    } filters[] = {
        {5, 2 * M_PI * 1000, 1},    {5, 2 * M_PI * 1000, 1.02117614e-19},
        {5, 2 * M_PI * 1000, 1e9},  {16, 2 * M_PI * 20, 1},
        {16, 2 * M_PI * 20, 1e-34}, {16, 2 * M_PI * 0.2, 1},
        {16, 2 * M_PI * 100, 1e30}, {8, 2 * M_PI * 500, 1e-60},
        {1, 2 * M_PI * 0.1, 1e40},  {5, 2 * M_PI * 1000, 0},
        {16, 2 * M_PI * 20, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
        double error[2];

        for (int k = 0; k < 2; k++)
            error[k] =
                filter_error(filters[i].n, filters[i].rate, filters[i].times, k == 0 ? 0.02 : 0.01);
        print_message("filter %zu: off by %.2g, %.2g with half the step\n", i, error[0], error[1]);
        assert_true(error[0] < 2e-3 && error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters_of_any_order_respond_as_known)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
