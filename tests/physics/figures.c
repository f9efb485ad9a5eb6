/* SPDX-License-Identifier: Apache-2.0 */
/* figures [--coordinates lie|euler-parameters]: results of the step for the reference mechanisms.
 *
 * For each case and step size: largest error relative to the reference, largest violation of the
 * joints in position, velocity and acceleration, largest drift of the energy, and time per step.
 * Run it from the source folder. */
#include "cmocka_all.h"
#include "reference_cases.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define REPEATS 5

static const char *const names[] = {"double-pendulum", "four-bar", "chain-128",
                                    "heavy-top",       "strut",    "ladder-2"};
static const double steps[] = {10e-3, 5e-3, 2.5e-3, 1e-3};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Return the shortest time per step [us] of several runs over the same second. Longer times were
 * disturbed by other load. */
static double microseconds_a_step(const struct reference_case *c, double h)
{
    struct lk_model *model = trajectory_model(c->model, c->replace);
    struct lk_options options = {.step = h};
    static const double zero[16];
    double best = INFINITY;
    struct lk_system *sys;
    struct lk_error error;
    int n = (int)lround(1 / h);

    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    for (int k = 0; k < REPEATS; k++) {
        double start = now();

        for (int i = 0; i < n; i++)
            assert_int_equal(lk_system_step(sys, zero), 0);
        best = fmin(best, (now() - start) / n);
        lk_system_reset(sys);
    }
    lk_system_free(sys);
    lk_model_free(model);
    return best * 1e6;
}

/* Print a quantity, or a dash if the reference does not contain it. */
static void print_figure(double value)
{
    if (isnan(value))
        printf(" %9s", "-");
    else
        printf(" %9.2e", value);
}

/* Print the row of a case with step @h. @timed: the same case without the outputs that only the
 * errors need */
static void print_row(const struct reference_case *c, const struct reference_case *timed, double h)
{
    struct trajectory run;

    trajectory_run(c, h, 0, &run);
    printf("%-16s %5.1f", c->name, h * 1e3);
    for (int q = 0; q < QUANTITIES; q++)
        print_figure(run.error[q]);
    for (int i = 0; i < 3; i++)
        print_figure(run.violation[i]);
    print_figure(run.energy_drift);
    printf(" %9.2f\n", microseconds_a_step(timed, h));
    fflush(stdout);
}

static void print_case(const char *name, const char *coordinates)
{
    struct reference_case c = *reference_case(name);
    const char *replace[REPLACE_MAX + 5] = {NULL}, *without[REPLACE_MAX + 5];
    struct reference_case timed = c;
    char solver[64];
    int n = 0;

    for (; c.replace && c.replace[n]; n++) {
        assert_true(n < REPLACE_MAX);
        replace[n] = c.replace[n];
    }
    if (strcmp(coordinates, "lie") != 0) { /* the default of a model */
        snprintf(solver, sizeof(solver), "solver: {coordinates: %s, ", coordinates);
        replace[n] = "solver: {";
        replace[n + 1] = solver;
    }
    n += replace[n] ? 2 : 0;
    memcpy(without, replace, sizeof(without));
    timed.replace = without;
    /* evaluating the violation of accelerations needs some time itself */
    replace[n] = "outputs:\n";
    replace[n + 1] = "outputs:\n  figures_condition: {type: condition}\n";
    c.replace = replace;
    for (size_t k = 0; k < sizeof(steps) / sizeof(*steps); k++)
        print_row(&c, &timed, steps[k]);
}

static int print_table(const char *coordinates)
{
    printf("%-16s %5s %9s %9s %9s %9s %9s %9s %9s %9s\n", "case", "h", "position", "velocity",
           "reaction", "viol. x", "viol. v", "viol. a", "energy", "a step");
    printf("%-16s %5s %9s %9s %9s %9s %9s %9s %9s %9s\n", coordinates, "[ms]", "[m]", "[m/s]",
           "[N]", "[m]", "[m/s]", "[m/s^2]", "[J]", "[us]");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        print_case(names[i], coordinates);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return print_table("lie");
    if (argc == 3 && strcmp(argv[1], "--coordinates") == 0 &&
        (strcmp(argv[2], "lie") == 0 || strcmp(argv[2], "euler-parameters") == 0))
        return print_table(argv[2]);
    fprintf(stderr, "usage: figures [--coordinates lie|euler-parameters]\n");
    return 2;
}
