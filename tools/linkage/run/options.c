/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `linkage run`. */
#include "run.h"

#include "linkage/pool.h"

#include <float.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#define METHOD 1 /* mark of options that select a method */

static int take_workers(const struct option_row *row, const char *text)
{
    long *workers = row->data;
    double value = 0;

    if (strcmp(text, "auto") != 0 &&
        (!parse_number(text, &value) || value != floor(value) || value < 1 || value > LK_POOL_MAX))
        return usage_error("workers is '%s', expected auto or 1 to %d", text, LK_POOL_MAX);
    *workers = (long)value;
    return EXIT_DONE;
}

/* Parse "S,T". T must be a multiple of S. */
static int take_first_steps(const struct option_row *row, const char *text)
{
    struct run_options *o = row->data;
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

int run_options_parse(int argc, char *argv[], struct run_options *o)
{
    struct lk_method *method = &o->method;
    const struct option_row rows[] = {
        {"step", 's', .number = &o->solver.step, .low = LK_STEP_MIN, .high = LK_STEP_MAX,
         .unit = "s"},
        {"duration", 'd', .number = &o->duration, .low = 0, .high = DBL_MAX,
         .expected = "a number of seconds"},
        {"output", 'o', .text = &o->output},
        {"plot", .text = &o->picture},
        OUTPUT_FORCE_ROW,
        {"json", 'j', .flag = &o->is_json},
        {"iterations", 'i', .integer = &o->solver.iterations, .low = 1, .high = LK_ITERATIONS_MAX},
        {"contact-rounds", .integer = &o->solver.contact_rounds, .low = 1,
         .high = LK_CONTACT_ROUNDS_MAX},
        {"every", 'n', .whole = &o->every, .low = 1, .high = 1e9, .expected = "a number of steps"},
        {"set", .list = o->sets, .n = &o->n_sets},
        {"param", 'p', .take = take_param},
        {"inputs", .text = &o->inputs},
        {"interpolate", .flag = &o->interpolate},
        {"start-state", .text = &o->start_state},
        {"save-state", .text = &o->save_state},
        {"workers", 'w', .take = take_workers, .data = &o->workers},
        {"formulation", .text = &method->formulation, .mark = METHOD},
        {"integrator", .text = &method->integrator, .mark = METHOD},
        {"tolerance", .number = &method->tolerance, .low = TOLERANCE_MIN, .high = TOLERANCE_MAX,
         .mark = METHOD},
        {"absolute-tolerance", .number = &method->absolute_tolerance, .low = 1e-18, .high = 1,
         .mark = METHOD},
        {"orientation", .text = &method->orientation, .mark = METHOD},
        {"stabilisation", .text = &method->stabilisation, .mark = METHOD},
        {"baumgarte", .take = take_baumgarte, .data = method->baumgarte, .mark = METHOD},
        {"spectral-radius", .number = &method->spectral_radius, .low = 1e-3, .high = 1,
         .mark = METHOD},
        {"kappa", .number = &method->kappa, .low = 1e-10, .high = 1, .mark = METHOD},
        {"first-steps", .take = take_first_steps, .data = o, .mark = METHOD},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    unsigned int given = 0;
    const struct option_table table = {rows, .refuse = refuse_value, .given = &given};
    int code = options_parse(argc, argv, &table);

    if (code != EXIT_DONE)
        return code;
    o->has_method = given != 0;
    if (optind != argc - 1)
        return usage_error("run takes one model");
    if (o->has_method && o->solver.iterations > 0)
        return usage_error("iterations are of the model's own step, expected none with a method");
    if (o->has_method && o->solver.contact_rounds > 0)
        return usage_error(
            "contact-rounds are of the model's own step, expected none with a method");
    if (o->has_method && o->workers != 1)
        return usage_error("workers share the model's own step, expected none with a method");
    if (o->has_method && (o->start_state != NULL || o->save_state != NULL))
        return usage_error("a state is of the model's own step, expected none with a method");
    if (o->interpolate && o->inputs == NULL)
        return usage_error("interpolate is of values over time, expected --inputs FILE with it");
    if (o->picture != NULL && o->output != NULL && strcmp(o->output, "-") == 0)
        return usage_error("--plot draws the rows of a file, expected --output FILE.csv or none");
    if (o->first_until > o->duration)
        return usage_error("first-steps go on until %g s, expected at most the duration, %g s",
                           o->first_until, o->duration);
    o->path = argv[optind];
    o->method.step = o->first_step > 0 ? o->first_step : o->solver.step;
    return EXIT_DONE;
}
