/* SPDX-License-Identifier: Apache-2.0 */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lat_report_note(struct lat_report *report, const char *format, ...)
{
    const int n_max = (int)(sizeof(report->notes) / sizeof(report->notes[0]));
    char line[LAT_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    for (int i = 0; i < report->n_notes; i++) {
        if (strcmp(report->notes[i], line) == 0)
            return;
    }
    if (report->n_notes < n_max)
        memcpy(report->notes[report->n_notes++], line, sizeof(line));
}

const char *lat_report_method(const struct lat_report *report, int method)
{
    return method == 0 ? "cyclictest" : lat_wake_name(report->options.wakes[method - 1]);
}

void lat_round_fini(struct lat_round *round)
{
    for (int m = 0; m < LAT_METHODS_MAX; m++)
        lat_histogram_fini(&round->wakeups[m].late);
    for (int t = 0; t < LAT_N_TRIPS; t++)
        lat_histogram_fini(&round->trips[t].time);
    *round = (struct lat_round){0};
}

void lat_load_result_fini(struct lat_load_result *result)
{
    for (int k = 0; k < result->n_rounds; k++)
        lat_round_fini(&result->rounds[k]);
    free(result->rounds);
    lat_round_fini(&result->total);
    *result = (struct lat_load_result){.load = result->load};
}

static int add_round(struct lat_round *total, const struct lat_round *round)
{
    int code = 0;

    for (int m = 0; m < LAT_METHODS_MAX && code == 0; m++) {
        code = lat_histogram_merge(&total->wakeups[m].late, &round->wakeups[m].late);
        total->wakeups[m].overruns += round->wakeups[m].overruns;
        total->wakeups[m].skipped += round->wakeups[m].skipped;
    }
    for (int t = 0; t < LAT_N_TRIPS && code == 0; t++) {
        code = lat_histogram_merge(&total->trips[t].time, &round->trips[t].time);
        total->trips[t].unseen += round->trips[t].unseen;
    }
    total->gaps.time_s += round->gaps.time_s;
    total->gaps.n += round->gaps.n;
    total->gaps.max_us = fmax(total->gaps.max_us, round->gaps.max_us);
    return code;
}

int lat_load_result_total(struct lat_load_result *result)
{
    int code = 0;

    lat_round_fini(&result->total);
    for (int k = 0; k < result->n_rounds && code == 0; k++)
        code = add_round(&result->total, &result->rounds[k]);
    return code;
}
