/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"
#include "linkage/file.h"
#include "log.h"
#include "reply.h"
#include "report.h"
#include "trace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Names that are tried where something is in the way of the first one. */
#define TRIES        100
#define TRACES_MAX   10
#define TRACE_CYCLES 400
/* From the overrun until the trace is written: two looks of the control thread, and the delay. */
#define TRACE_REACH_NS INT64_C(300000000)
/* The cycles after the overrun are to be in the trace, too. */
#define TRACE_DELAY_NS INT64_C(50000000)

/* MODEL-20260301T120000.250Z and @suffix, for the second and later tries with their number between;
 * @ret: PATH_MAX bytes. Return: whether it fits. */
static bool make_path(const struct lkd_rig *rig, int try, const char *suffix, char *ret)
{
    time_t started = (time_t)(rig->evidence.started_utc_ns / 1000000000);
    char utc[24], model[LK_NAME_SIZE], number[16] = "";
    struct tm tm;
    int n;

    gmtime_r(&started, &tm);
    strftime(utc, sizeof(utc), "%Y%m%dT%H%M%S", &tm);
    snprintf(model, sizeof(model), "%s", rig->loaded->name);
    for (char *c = model; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
    if (try > 0)
        snprintf(number, sizeof(number), "-%d", try + 1);
    n = snprintf(ret, PATH_MAX, "%s/%s-%s.%03dZ%s%s", rig->config->evidence, model, utc,
                 (int)(rig->evidence.started_utc_ns / 1000000 % 1000), number, suffix);
    return n > 0 && n < PATH_MAX;
}

/* Return: a new file, or NULL after a line in the log. */
static FILE *create(const struct lkd_rig *rig, const char *suffix, char *ret_path)
{
    FILE *file = NULL;
    int fd = -EEXIST;

    for (int i = 0; i < TRIES && fd == -EEXIST; i++)
        fd = make_path(rig, i, suffix, ret_path) ? lk_file_create(ret_path, 0666) : -ENAMETOOLONG;
    if (fd >= 0)
        file = fdopen(fd, "w");
    if (!file)
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s: %s", ret_path,
                strerror(fd < 0 ? -fd : errno));
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static void finish(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) || failed)
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not complete: %s: %s", path, strerror(errno));
    else
        lkd_log(LKD_C_EVIDENCE_KEPT, "evidence: %s", path);
}

static void write_trace(struct lkd_rig *rig)
{
    char suffix[24], path[PATH_MAX];
    FILE *file;

    rig->traced = rig->figures.overruns;
    rig->trace_due_ns = 0;
    snprintf(suffix, sizeof(suffix), "-trace-%d.json", ++rig->n_traces);
    file = create(rig, suffix, path);
    if (!file)
        return;
    lkd_trace_write(file, rig->loaded->cycle, rig->exchange,
                    TRACE_CYCLES + (uint64_t)(TRACE_REACH_NS / rig->loaded->cycle->period_ns));
    finish(file, path);
}

void lkd_files_report(struct lkd_rig *rig, Linkage__V1__State state)
{
    Linkage__V1__EvidenceRequest whole = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    Linkage__V1__Evidence evidence;
    struct lk_wire_arena arena;
    char path[PATH_MAX];
    FILE *file;

    if (!*rig->config->evidence || lk_wire_arena_init(&arena, LK_WIRE_CONTROL_MAX))
        return;
    if ((rig->trace_due_ns > 0 || rig->figures.overruns > rig->traced) &&
        rig->n_traces < TRACES_MAX)
        write_trace(rig); /* of an overrun that ended the run */
    whole.with_histograms = whole.with_cycles = true;
    if (lkd_reply_evidence(rig, &whole, &arena, &evidence) == 0) {
        evidence.state = state;
        file = create(rig, ".json", path);
        if (file) {
            lk_report_json(file, &evidence);
            finish(file, path);
        }
        file = create(rig, ".hist", path);
        if (file) {
            lk_report_histogram(file, &evidence, 0);
            finish(file, path);
        }
    }
    lk_wire_arena_fini(&arena);
}

void lkd_files_trace(struct lkd_rig *rig)
{
    int64_t now_ns = lkd_clock_ns();

    if (!*rig->config->evidence || rig->n_traces == TRACES_MAX)
        return;
    if (rig->trace_due_ns == 0 && rig->figures.overruns > rig->traced) {
        rig->traced = rig->figures.overruns;
        rig->trace_due_ns = now_ns + TRACE_DELAY_NS;
    } else if (rig->trace_due_ns > 0 && now_ns >= rig->trace_due_ns) {
        write_trace(rig);
    }
}
