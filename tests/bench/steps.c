/* SPDX-License-Identifier: Apache-2.0 */
/* steps FOLDER|MODEL...: compare the steps of `rattle` and `ali3` on the same models.
 *
 * Each row has the results for the step h of the model and inputs at their initial values. First
 * the largest errors of a body's position or angle and of its velocities within a second, relative
 * to `rattle` with h / 16. Then the order of the first error, from h and h / 2. Then the energy
 * balance over ten seconds: its largest error, and the mean of the last second minus that of the
 * first, both relative to the largest kinetic energy. Then the largest violation of a joint and of
 * its rate. Last the time of a step, the minimum of several measurements in turns. If a formulation
 * refuses the model, the row has its reason. */
#include "linkage/energy.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FINE      16
#define SECOND    1.0 /* [s], duration of the error comparison */
#define DRIFT     10  /* [s], duration of the energy balance */
#define REPEATS   9
#define TIMED     0.05 /* [s] of processor time of each, about */
#define PATH_SIZE 1024

static const char *const formulations[] = {"rattle", "ali3"};
enum { FORMULATIONS = sizeof(formulations) / sizeof(*formulations) };

/** struct runner - a system with its inputs. */
struct runner {
    struct lk_system *system;
    double *inputs;
};

/* Make a runner for @path with the model's step divided by @divisor.
 * Return: 0, or another value with the reason in @error */
static int open_runner(const char *path, const char *formulation, int divisor, struct runner *ret,
                       struct lk_error *error)
{
    struct lk_model *model;
    struct lk_options options = {0};
    const struct lk_channel *channels;
    int n, r = lk_model_read_file(path, &model, error);

    if (r != 0)
        return r;
    snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s", formulation);
    options.step = model->solver.step / divisor;
    r = lk_system_new(model, &options, &ret->system, error);
    lk_model_free(model);
    if (r != 0)
        return r;
    ret->inputs = calloc((size_t)lk_system_input_size(ret->system) + 1, sizeof(double));
    if (!ret->inputs)
        abort();
    channels = lk_system_input_channels(ret->system, &n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < channels[i].size; k++)
            ret->inputs[channels[i].offset + k] = channels[i].initial;
    return 0;
}

static void close_runner(struct runner *r)
{
    lk_system_free(r->system);
    free(r->inputs);
}

/* Make @steps steps. A failed step does not change the state, so the errors show the failure. */
static void advance(struct runner *r, int steps)
{
    for (int i = 0; i < steps; i++)
        (void)lk_system_step(r->system, r->inputs);
}

static int bodies_of(const struct lk_system *system)
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    return summary.n_bodies;
}

static double largest_of(const double *a, const double *b, int n, double sign)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - sign * b[i]));
    return most;
}

/* Update the largest differences of two systems: [m or rad], [m/s or rad/s]. */
static void compare(const struct lk_system *a, const struct lk_system *b, double error[2])
{
    for (int i = 0; i < bodies_of(a); i++) {
        struct lk_body_state x, y;

        lk_system_body_state(a, i, &x);
        lk_system_body_state(b, i, &y);
        error[0] = fmax(error[0], largest_of(x.position, y.position, 3, 1));
        error[0] = fmax(error[0], 2 * fmin(largest_of(x.orientation, y.orientation, 4, 1),
                                           largest_of(x.orientation, y.orientation, 4, -1)));
        error[1] = fmax(error[1], largest_of(x.velocity, y.velocity, 3, 1));
        error[1] = fmax(error[1], largest_of(x.angular_velocity, y.angular_velocity, 3, 1));
    }
}

/* Compute the errors of @formulation with the model's step divided by @divisor. */
static int find_errors(const char *path, const char *formulation, int divisor, double error[2],
                       struct lk_error *why)
{
    struct runner coarse, fine;
    int r = open_runner(path, formulation, divisor, &coarse, why), n;

    error[0] = error[1] = 0;
    if (r != 0)
        return r;
    r = open_runner(path, "rattle", FINE, &fine, why);
    if (r == 0) {
        n = (int)lround(SECOND / lk_system_step_size(coarse.system));
        for (int i = 0; i < n; i++) {
            advance(&coarse, 1);
            advance(&fine, FINE / divisor);
            compare(coarse.system, fine.system, error);
        }
        close_runner(&fine);
    }
    close_runner(&coarse);
    return r;
}

/** struct held - results of hold()
 * @largest, @trend: errors of the energy balance, relative to the kinetic energy
 * @position, @velocity: largest violations */
struct held {
    double largest;
    double trend;
    double position;
    double velocity;
};

static struct held hold(struct runner *r)
{
    struct held held = {0};
    struct lk_health health;
    double start, kinetic = 0, mean[2] = {0};
    int second = (int)lround(1 / lk_system_step_size(r->system));

    lk_system_health(r->system, &health);
    start = lk_energy_balance(&health);
    for (int i = 0; i < DRIFT * second; i++) {
        double error;

        advance(r, 1);
        lk_system_health(r->system, &health);
        error = lk_energy_balance(&health) - start;
        kinetic = fmax(kinetic, health.kinetic);
        held.largest = fmax(held.largest, fabs(error));
        mean[0] += i < second ? error / second : 0;
        mean[1] += i >= (DRIFT - 1) * second ? error / second : 0;
        held.position = fmax(held.position, health.residual_position);
        held.velocity = fmax(held.velocity, health.residual_velocity);
    }
    held.largest /= kinetic > 0 ? kinetic : 1;
    held.trend = (mean[1] - mean[0]) / (kinetic > 0 ? kinetic : 1);
    return held;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Return the time of a step [us] as the mean of @n steps from the start. */
static double time_steps(struct runner *r, int n)
{
    double begin;

    lk_system_reset(r->system);
    begin = now();
    advance(r, n);
    return 1e6 * (now() - begin) / n;
}

/* Measure the minimum of several times. The formulations alternate, so that a disturbance affects
 * both. */
static void time_in_turns(struct runner *runners, const int *is_open, double *ret)
{
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int f = 0; f < FORMULATIONS; f++) {
            double rough = is_open[f] ? time_steps(&runners[f], 100) : 0;
            int n = is_open[f] ? (int)fmin(fmax(TIMED * 1e6 / rough, 100), 2000) : 0;

            if (n > 0)
                ret[f] = fmin(repeat > 0 ? ret[f] : INFINITY, time_steps(&runners[f], n));
        }
}

static void print_row(const char *name, double h, const char *path, int f, struct runner *runner,
                      double time_us)
{
    double error[2], half[2];
    struct held held;
    struct lk_error why;

    printf("| %s | %g | `%s` | ", name, 1e3 * h, formulations[f]);
    if (find_errors(path, formulations[f], 1, error, &why) ||
        find_errors(path, formulations[f], 2, half, &why)) {
        printf("%s\n", why.text);
        return;
    }
    lk_system_reset(runner->system);
    held = hold(runner);
    printf("%.1e | %.1e | ", error[0], error[1]);
    if (half[0] > 1e-12) /* round-off has no order */
        printf("%.2f", log2(error[0] / half[0]));
    printf(" | %.1e | %+.1e | %.0e | %.0e | %.2f |\n", held.largest, held.trend, held.position,
           held.velocity, time_us);
    fflush(stdout);
}

static void print_model(const char *path)
{
    struct runner runners[FORMULATIONS];
    int is_open[FORMULATIONS];
    double time_us[FORMULATIONS] = {0};
    struct lk_error why;
    char name[PATH_SIZE];
    const char *slash = strrchr(path, '/');

    snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
    if (strrchr(name, '.'))
        *strrchr(name, '.') = '\0';
    for (int f = 0; f < FORMULATIONS; f++) {
        is_open[f] = open_runner(path, formulations[f], 1, &runners[f], &why) == 0;
        if (!is_open[f])
            printf("| %s | | `%s` | %s\n", name, formulations[f], why.text);
    }
    time_in_turns(runners, is_open, time_us);
    for (int f = 0; f < FORMULATIONS; f++)
        if (is_open[f]) {
            print_row(name, lk_system_step_size(runners[f].system), path, f, &runners[f],
                      time_us[f]);
            close_runner(&runners[f]);
        }
}

static int is_model(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".yaml") == 0;
}

static void print_folder(const char *folder)
{
    struct dirent **entries;
    char path[PATH_SIZE];
    int n = scandir(folder, &entries, is_model, alphasort);

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        print_model(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

int main(int argc, char *argv[])
{
    struct stat status;

    if (argc < 2) {
        fprintf(stderr, "usage: steps FOLDER|MODEL...\n");
        return 2;
    }
    puts("| model | h [ms] | | error [m, rad] | [m/s, rad/s] | order | energy, at most | trend | "
         "joints [m, rad] | rates | a step [us] |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 1; i < argc; i++) {
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
            print_folder(argv[i]);
        else
            print_model(argv[i]);
    }
    return 0;
}
