/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of linkage bench. */
#include "bench.h"
#include "commands.h"

#include <getopt.h>

#define TIME_S       0.5
#define TIME_QUICK_S 0.02

/* Read one whole number at *@text and advance *@text.
 * Return: the number; 0 if there is no number from 1 to @max. */
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

static int take_workers(const struct option_row *row, const char *text)
{
    struct bench_options *o = row->data;

    o->n_workers = bench_parse_workers(text, o->workers);
    if (o->n_workers == 0)
        return usage_error("workers is '%s', expected up to %d ascending numbers from 1 to %d, "
                           "separated by commas",
                           text, BENCH_VARIANTS_MAX, BENCH_WORKERS_MAX);
    return 0;
}

int bench_options_parse(int argc, char *argv[], struct bench_options *ret_options)
{
    struct bench_options o = {.workers = {1}, .n_workers = 1};
    const struct option_row rows[] = {
        {"time", 't', .number = &o.time_s, .low = OPTIONS_ABOVE_0, .high = 600,
         .expected = "seconds, more than 0 and at most 600"},
        {"steps", 's', .whole = &o.steps, .low = 1, .high = 1e7, /* limits the memory */
         .expected = "a whole number from 1 to 1e+07"},
        {"workers", 'w', .take = take_workers, .data = &o},
        {"quick", 'q', .flag = &o.is_quick},
        {"json", 'j', .flag = &o.is_json},
        {"list", 'l', .flag = &o.is_list},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int result = options_parse(argc, argv, &(struct option_table){rows, .refuse = refuse_value});

    if (result != 0)
        return result;
    if (o.steps > 0 && o.time_s > 0)
        return usage_error("bench takes --steps or --time, not both");
    if (o.time_s <= 0)
        o.time_s = o.is_quick ? TIME_QUICK_S : TIME_S;
    o.names = argv + optind;
    o.n_names = argc - optind;
    *ret_options = o;
    return 0;
}
