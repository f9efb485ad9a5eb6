/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add(char (*list)[REASON_SIZE], int *n, const char *format, va_list arguments)
{
    if (*n < REASONS_MAX)
        vsnprintf(list[(*n)++], REASON_SIZE, format, arguments);
}

__attribute__((format(printf, 2, 3))) static void refuse(struct verdict *v, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(v->against, &v->n_against, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static void reserve(struct verdict *v, const char *format,
                                                          ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(v->reserved, &v->n_reserved, format, arguments);
    va_end(arguments);
}

static void judge_timing(const struct gathered *g, struct verdict *v)
{
    if (strcmp(g->mode, "realtime") != 0)
        refuse(v, "the run was in mode %s, which has no deadlines",
               g->mode[0] ? g->mode : "unknown");
    if (g->n_missed > 0)
        refuse(v, "%" PRIu64 " of %zu cycles ended after their period", g->n_missed, g->n);
    if (g->last.skipped > 0)
        refuse(v, "%" PRIu64 " grid points were skipped", g->last.skipped);
    if (g->n_fault > 0)
        refuse(v, "the run had a fault in %" PRIu64 " cycles", g->n_fault);
}

static void judge_record(const struct gathered *g, struct verdict *v)
{
    static const char *const what[] = {"cycles", "events", "steps of the platform"};

    if (g->trouble[0] != '\0')
        refuse(v, "the recording broke off (%.80s): it shows nothing of the cycles after it",
               g->trouble);
    if (!g->is_whole)
        refuse(v, "the recording is not complete: it does not prove anything about the rest");
    for (int i = 0; i < 3; i++) {
        if (g->dropped[i][0] == '\0' || strcmp(g->dropped[i], "0") == 0)
            continue;
        if (i == 0)
            refuse(v, "%s %s were not recorded", g->dropped[i], what[i]);
        else
            reserve(v, "%s %s were not recorded", g->dropped[i], what[i]);
    }
    if (g->last.cycle + 1 != g->n)
        refuse(v, "the recording has %zu of %" PRIu64 " cycles", g->n, g->last.cycle + 1);
}

void judge(const struct gathered *g, struct verdict *v)
{
    *v = (struct verdict){0};
    judge_timing(g, v);
    judge_record(g, v);
    if (g->n_degraded > 0)
        reserve(v,
                "the machine was not fit for real time, and the run was allowed (%" PRIu64
                " cycles)",
                g->n_degraded);
    if (g->n_stale > 0)
        reserve(v, "an input was beyond its time-out in %" PRIu64 " cycles", g->n_stale);
    if (g->n_tripped > 0)
        reserve(v, "an input was held, zeroed or ramped by its policy in %" PRIu64 " cycles",
                g->n_tripped);
    if (g->n_injected > 0)
        reserve(v, "faults were injected in %" PRIu64 " cycles", g->n_injected);
    v->is_met = v->n_against == 0;
}
