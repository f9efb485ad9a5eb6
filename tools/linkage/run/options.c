/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `linkage run`. */
#include "run.h"

#include "linkage/pool.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

#define RADIUS_MIN 1e-3
#define KAPPA_MIN  1e-10 /* where Newton iterations stop, relative to the tolerance */

/* options without a letter */
enum {
    OPTION_SET = 256,
    INPUTS,
    INTERPOLATE,
    START_STATE,
    SAVE_STATE,
    FORMULATION,
    INTEGRATOR,
    TOLERANCE,
    ORIENTATION,
    STABILISATION,
    BAUMGARTE,
    RADIUS,
    KAPPA,
    FIRST_STEPS
};

static const struct option longs[] = {
    {"step", required_argument, NULL, 's'},
    {"duration", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"iterations", required_argument, NULL, 'i'},
    {"every", required_argument, NULL, 'n'},
    {"set", required_argument, NULL, OPTION_SET},
    {"param", required_argument, NULL, 'p'},
    {"inputs", required_argument, NULL, INPUTS},
    {"interpolate", no_argument, NULL, INTERPOLATE},
    {"start-state", required_argument, NULL, START_STATE},
    {"save-state", required_argument, NULL, SAVE_STATE},
    {"workers", required_argument, NULL, 'w'},
    {"formulation", required_argument, NULL, FORMULATION},
    {"integrator", required_argument, NULL, INTEGRATOR},
    {"tolerance", required_argument, NULL, TOLERANCE},
    {"orientation", required_argument, NULL, ORIENTATION},
    {"stabilisation", required_argument, NULL, STABILISATION},
    {"baumgarte", required_argument, NULL, BAUMGARTE},
    {"spectral-radius", required_argument, NULL, RADIUS},
    {"kappa", required_argument, NULL, KAPPA},
    {"first-steps", required_argument, NULL, FIRST_STEPS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool parse_whole(const char *text, long min, long max, long *ret_value)
{
    double value;

    if (!parse_number(text, &value) || value != floor(value) || value < (double)min ||
        value > (double)max)
        return false;
    *ret_value = (long)value;
    return true;
}

static int parse_iterations(const char *text, struct run_options *o)
{
    long iterations;

    if (!parse_whole(text, 1, LK_ITERATIONS_MAX, &iterations))
        return usage_error("iterations is '%s', expected 1 to %d", text, LK_ITERATIONS_MAX);
    o->solver.iterations = (int)iterations;
    return EXIT_DONE;
}

static int parse_workers(const char *text, struct run_options *o)
{
    o->workers = 0;
    if (strcmp(text, "auto") != 0 && !parse_whole(text, 1, LK_POOL_MAX, &o->workers))
        return usage_error("workers is '%s', expected auto or 1 to %d", text, LK_POOL_MAX);
    return EXIT_DONE;
}

static int parse_radius(const char *text, double *ret_radius)
{
    if (!parse_number(text, ret_radius) || *ret_radius < RADIUS_MIN || *ret_radius > 1)
        return usage_error("spectral-radius is '%s', expected %g to 1", text, RADIUS_MIN);
    return EXIT_DONE;
}

static int parse_kappa(const char *text, double *ret_kappa)
{
    if (!parse_number(text, ret_kappa) || *ret_kappa < KAPPA_MIN || *ret_kappa > 1)
        return usage_error("kappa is '%s', expected %g to 1", text, KAPPA_MIN);
    return EXIT_DONE;
}

/* "S,T": T is a multiple of S */
static int parse_first_steps(const char *text, struct run_options *o)
{
    const char *at = text;
    double n;

    if (take_value(&at, &o->first_step) && *at++ == ',' && take_value(&at, &o->first_until) &&
        *at == '\0' && o->first_step >= LK_STEP_MIN && o->first_step <= LK_STEP_MAX) {
        n = o->first_until / o->first_step;
        if (n >= 1 - 1e-6 && n <= RUN_STEPS_MAX && fabs(n - round(n)) < 1e-6 * n)
            return EXIT_DONE;
    }
    return usage_error("first-steps is '%s', expected S,T: steps of S, %g to %g s, until T, a "
                       "multiple of S",
                       text, LK_STEP_MIN, LK_STEP_MAX);
}

static int take_method(int option, const char *text, struct lk_method *method)
{
    switch (option) {
    case FORMULATION:
        method->formulation = text;
        return EXIT_DONE;
    case INTEGRATOR:
        method->integrator = text;
        return EXIT_DONE;
    case TOLERANCE:
        return parse_tolerance(text, &method->tolerance);
    case ORIENTATION:
        method->orientation = text;
        return EXIT_DONE;
    case STABILISATION:
        method->stabilisation = text;
        return EXIT_DONE;
    case BAUMGARTE:
        return parse_baumgarte(text, method->baumgarte);
    case RADIUS:
        return parse_radius(text, &method->spectral_radius);
    case KAPPA:
        return parse_kappa(text, &method->kappa);
    default: /* getopt has printed the error */
        return EXIT_USAGE;
    }
}

static int take_option(int option, const char *text, struct run_options *o)
{
    switch (option) {
    case 's':
        return parse_step(text, &o->solver.step);
    case 'd':
        return parse_duration(text, &o->duration);
    case 'i':
        return parse_iterations(text, o);
    case 'n':
        return parse_whole(text, 1, 1000000000, &o->every)
                   ? EXIT_DONE
                   : usage_error("every is '%s', expected a number of steps", text);
    case 'w':
        return parse_workers(text, o);
    case 'o':
        o->output = text;
        return EXIT_DONE;
    case 'p':
        return take_param(text);
    case OPTION_SET:
        o->sets[o->n_sets++] = text;
        return EXIT_DONE;
    case INPUTS:
        o->inputs = text;
        return EXIT_DONE;
    case INTERPOLATE:
        o->interpolate = true;
        return EXIT_DONE;
    case START_STATE:
        o->start_state = text;
        return EXIT_DONE;
    case SAVE_STATE:
        o->save_state = text;
        return EXIT_DONE;
    case FIRST_STEPS:
        o->has_method = true;
        return parse_first_steps(text, o);
    default:
        o->has_method = true;
        return take_method(option, text, &o->method);
    }
}

int run_options_parse(int argc, char *argv[], struct run_options *o, bool *ret_help)
{
    int option, code;

    while ((option = getopt_long(argc, argv, "s:d:o:i:n:w:p:h", longs, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return EXIT_DONE;
        }
        code = take_option(option, optarg, o);
        if (code != EXIT_DONE)
            return code;
    }
    if (optind != argc - 1)
        return usage_error("run takes one model");
    if (o->has_method && o->solver.iterations > 0)
        return usage_error("iterations are of the model's own step, expected none with a method");
    if (o->has_method && o->workers != 1)
        return usage_error("workers share the model's own step, expected none with a method");
    if (o->has_method && (o->start_state != NULL || o->save_state != NULL))
        return usage_error("a state is of the model's own step, expected none with a method");
    if (o->interpolate && o->inputs == NULL)
        return usage_error("interpolate is of values over time, expected --inputs FILE with it");
    if (o->first_until > o->duration)
        return usage_error("first-steps go on until %g s, expected at most the duration, %g s",
                           o->first_until, o->duration);
    o->path = argv[optind];
    o->method.step = o->first_step > 0 ? o->first_step : o->solver.step;
    return EXIT_DONE;
}
