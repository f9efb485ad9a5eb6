/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of the variants of formulation complement on both McPherson struts, as in M. Pekal, J.
 * Fraczek, Comparison of natural complement formulations for multibody dynamics, 2016, figures 2 to
 * 5. The test uses Euler's angles, 10 s of motion and an explicit method of order 5 with error
 * control. From the source folder:
 *
 *     OPENBLAS_NUM_THREADS=1 build/tests/bench/complement_cost */
#include "cmocka_all.h"
#include "complement_run.h"

#include <stdio.h>
#include <time.h>

#define REPEATS   5
#define RATES_MAX 100000

static const char *const models[] = {"strut", "strut-redundant"};

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Return the time of one evaluation [us], the best of REPEATS rows of 200 evaluations. */
static double cost_of(const char *model, const char *variant, enum lk_orientation orientation)
{
    double rates[256], best = 1e9;
    struct run run;

    run_turned(model, variant, orientation, LK_STABILISATION_NONE, &run);
    for (int k = 0; k < REPEATS; k++) {
        double start = cpu(), used;

        for (int i = 0; i < 200; i++)
            run_rate(&run, rates);
        used = 1e6 / 200 * (cpu() - start);
        best = used < best ? used : best;
    }
    run_close(&run);
    return best;
}

static void print_evaluations(void)
{
    printf("one evaluation of y' = f(t, y) [us]\n%-24s %17s %17s\n%-24s %8s %8s %8s %8s\n", "",
           models[0], models[1], "", "lie", "euler", "lie", "euler");
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        printf("%-24s", *variant);
        for (int i = 0; i < 2; i++)
            printf(" %8.1f %8.1f", cost_of(models[i], *variant, LK_ORIENTATION_LIE),
                   cost_of(models[i], *variant, LK_ORIENTATION_EULER));
        printf("\n");
    }
}

static void print_run(const char *model, const char *variant, enum lk_stabilisation stabilisation)
{
    static const double tolerances[] = {1e-10, 1e-8, 1e-6, 1e-3};

    printf("%-24s", variant);
    for (int i = 0; i < 4; i++) {
        unsigned long rates;
        struct run run;
        double start;

        run_turned(model, variant, LK_ORIENTATION_EULER, stabilisation, &run);
        start = cpu();
        if (run_adaptive(&run, tolerances[i], 10, RATES_MAX, &rates) == 0 && run.t >= 10)
            printf(" %9.3f %6lu", cpu() - start, rates);
        else
            printf(" %9s %6lu", "-", rates);
        run_close(&run);
    }
    printf("\n");
}

static void print_runs(const char *model)
{
    static const char *const names[] = {"no stabilisation", "Baumgarte, 10 and 10",
                                        "positions by Newton-Raphson"};

    static const enum lk_stabilisation stabilisations[] = {
        LK_STABILISATION_NONE, LK_STABILISATION_BAUMGARTE, LK_STABILISATION_POSITION};

    for (int k = 0; k < 3; k++) {
        printf("\n%s, %s: processor time [s] and evaluations at tolerance\n%-24s %16s %16s %16s "
               "%16s\n",
               model, names[k], "", "1e-10", "1e-8", "1e-6", "1e-3");
        for (const char *const *variant = lk_complement_variants; *variant; variant++)
            print_run(model, *variant, stabilisations[k]);
    }
}

int main(void)
{
    print_evaluations();
    for (int i = 0; i < 2; i++)
        print_runs(models[i]);
    return 0;
}
