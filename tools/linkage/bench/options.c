/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of linkage bench. */
#include "bench.h"
#include "commands.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

#define TIME_S       0.5
#define TIME_QUICK_S 0.02
#define TIME_MAX_S   600.0
#define STEPS_MAX    1e7 /* memory is one time per batch */

/* Reads one whole number at *@text and advances. Return: 0 if there is none from 1 to @max. */
static int take_number(const char **text, int max)
{
    int value = 0;

    if (**text < '1' || **text > '9')
        return 0;
    while (**text >= '0' && **text <= '9') {
        value = 10 * value + (**text - '0');
        if (value > max)
            return 0;
        ++*text;
    }
    return value;
}

int bench_parse_workers(const char *text, int ret_workers[BENCH_VARIANTS_MAX])
{
    int n = 0;

    for (;;) {
        int value = take_number(&text, BENCH_WORKERS_MAX);

        if (value == 0 || n == BENCH_VARIANTS_MAX || (n > 0 && value <= ret_workers[n - 1]))
            return 0;
        ret_workers[n++] = value;
        if (*text == '\0')
            return n;
        if (*text++ != ',')
            return 0;
    }
}

static int parse_time(const char *text, struct bench_options *o)
{
    if (!parse_number(text, &o->time_s) || o->time_s <= 0 || o->time_s > TIME_MAX_S)
        return usage_error("time is '%s', expected seconds, more than 0 and at most %g", text,
                           TIME_MAX_S);
    return 0;
}

static int parse_steps(const char *text, struct bench_options *o)
{
    double steps;

    if (!parse_number(text, &steps) || steps != floor(steps) || steps < 1 || steps > STEPS_MAX)
        return usage_error("steps is '%s', expected a whole number from 1 to %g", text, STEPS_MAX);
    o->steps = (long)steps;
    return 0;
}

static int parse_workers(const char *text, struct bench_options *o)
{
    o->n_workers = bench_parse_workers(text, o->workers);
    if (o->n_workers == 0)
        return usage_error("workers is '%s', expected up to %d ascending numbers from 1 to %d, "
                           "separated by commas",
                           text, BENCH_VARIANTS_MAX, BENCH_WORKERS_MAX);
    return 0;
}

/* Return: 0, EXIT_USAGE after an error message */
static int take_option(int option, struct bench_options *o)
{
    switch (option) {
    case 't':
        return parse_time(optarg, o);
    case 's':
        return parse_steps(optarg, o);
    case 'w':
        return parse_workers(optarg, o);
    case 'q':
        o->is_quick = true;
        return 0;
    case 'j':
        o->is_json = true;
        return 0;
    case 'l':
        o->is_list = true;
        return 0;
    case 'p':
        o->is_prices = true;
        return 0;
    case 'S':
        o->simulates = true;
        return 0;
    case 'h':
        o->is_help = true;
        return 0;
    default: /* getopt has printed the error */
        return EXIT_USAGE;
    }
}

int bench_options_parse(int argc, char *argv[], struct bench_options *ret_options)
{
    static const struct option longs[] = {
        {"time", required_argument, NULL, 't'},    {"steps", required_argument, NULL, 's'},
        {"workers", required_argument, NULL, 'w'}, {"quick", no_argument, NULL, 'q'},
        {"json", no_argument, NULL, 'j'},          {"list", no_argument, NULL, 'l'},
        {"prices", no_argument, NULL, 'p'},        {"simulate", no_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    struct bench_options o = {.workers = {1}, .n_workers = 1};
    int option, result;

    while ((option = getopt_long(argc, argv, "t:s:w:qjlSh", longs, NULL)) != -1) {
        result = take_option(option, &o);
        if (result != 0)
            return result;
    }
    if (o.steps > 0 && o.time_s > 0)
        return usage_error("bench takes --steps or --time, not both");
    if (o.simulates && o.workers[0] != 1)
        return usage_error("--simulate goes out from one worker, expected --workers 1,...");
    if (o.time_s <= 0)
        o.time_s = o.is_quick ? TIME_QUICK_S : TIME_S;
    o.names = argv + optind;
    o.n_names = argc - optind;
    *ret_options = o;
    return 0;
}
