/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"
#include "log.h"
#include "reply.h"
#include "report.h"
#include "trace.h"
#include "writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRACES_MAX   10
#define TRACE_CYCLES 400
/* Longest time from an overrun until its trace is written: two polls of the control thread, and the
 * delay [ns]. */
#define TRACE_REACH_NS INT64_C(300000000)
/* Delay of the trace, so that it also contains cycles after the overrun [ns]. */
#define TRACE_DELAY_NS INT64_C(50000000)
/* Longest wait at the end of a run until its report is on the disk [ns]. */
#define DISK_NS INT64_C(2000000000)

/* Write the beginning of a file name, FOLDER/MODEL-20260301T120000.250Z.
 * @ret: LKD_STEM_SIZE bytes */
static void make_stem(const struct lkd_rig *rig, char *ret)
{
    time_t started = (time_t)(rig->evidence.started_utc_ns / 1000000000);
    char utc[24], model[LK_NAME_SIZE];
    struct tm tm;

    gmtime_r(&started, &tm);
    strftime(utc, sizeof(utc), "%Y%m%dT%H%M%S", &tm);
    snprintf(model, sizeof(model), "%s", rig->loaded->name);
    for (char *c = model; *c; c++)
        if (*c == '/' || *c == ' ')
            *c = '_';
    snprintf(ret, LKD_STEM_SIZE, "%s/%s-%s.%03dZ", rig->config->evidence, model, utc,
             (int)(rig->evidence.started_utc_ns / 1000000 % 1000));
}

/** struct draft - a text in memory that will be written to a file. */
struct draft {
    FILE *file;
    char *text;
    size_t size;
};

/* Open a draft.
 * Return: a stream for writing the text, or NULL: the failure is logged. */
static FILE *begin(struct draft *draft)
{
    *draft = (struct draft){0};
    draft->file = open_memstream(&draft->text, &draft->size);
    if (!draft->file)
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s", strerror(errno));
    return draft->file;
}

static void hand_over(const struct lkd_rig *rig, struct draft *draft, const char *suffix)
{
    char stem[LKD_STEM_SIZE];

    if (fclose(draft->file)) {
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s", strerror(errno));
        free(draft->text);
        return;
    }
    make_stem(rig, stem);
    lkd_writer_give(rig->writer, stem, suffix, draft->text, draft->size);
}

static void write_trace(struct lkd_rig *rig)
{
    struct draft draft;
    char suffix[24];

    rig->traced = rig->figures.overruns;
    rig->trace_due_ns = 0;
    snprintf(suffix, sizeof(suffix), "-trace-%d.json", ++rig->n_traces);
    if (!begin(&draft))
        return;
    lkd_trace_write(draft.file, rig->loaded->cycle, rig->exchange,
                    TRACE_CYCLES + (uint64_t)(TRACE_REACH_NS / rig->loaded->cycle->period_ns));
    hand_over(rig, &draft, suffix);
}

static void write_report(struct lkd_rig *rig, const Linkage__V1__Evidence *evidence)
{
    struct draft draft;

    if (begin(&draft)) {
        lk_report_json(draft.file, evidence);
        hand_over(rig, &draft, ".json");
    }
    if (begin(&draft)) {
        lk_report_histogram(draft.file, evidence, 0);
        hand_over(rig, &draft, ".hist");
    }
}

int lkd_files_open(struct lkd_rig *rig)
{
    return *rig->config->evidence ? lkd_writer_new(&rig->writer) : 0;
}

void lkd_files_close(struct lkd_rig *rig)
{
    lkd_writer_free(rig->writer);
    rig->writer = NULL;
}

void lkd_files_report(struct lkd_rig *rig, Linkage__V1__State state)
{
    Linkage__V1__EvidenceRequest whole = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    Linkage__V1__Evidence evidence;
    struct lk_wire_arena arena;

    if (!rig->writer || lk_wire_arena_init(&arena, LK_WIRE_CONTROL_MAX))
        return;
    if ((rig->trace_due_ns > 0 || rig->figures.overruns > rig->traced) &&
        rig->n_traces < TRACES_MAX)
        write_trace(rig); /* the trace of an overrun that ended the run */
    whole.with_histograms = whole.with_cycles = true;
    if (lkd_reply_evidence(rig, &whole, &arena, &evidence) == 0) {
        evidence.state = state;
        write_report(rig, &evidence);
    }
    lk_wire_arena_fini(&arena);
    lkd_writer_await(rig->writer, DISK_NS);
}

void lkd_files_trace(struct lkd_rig *rig)
{
    int64_t now_ns = lkd_clock_ns();

    if (!rig->writer || rig->n_traces == TRACES_MAX)
        return;
    if (rig->trace_due_ns == 0 && rig->figures.overruns > rig->traced) {
        rig->traced = rig->figures.overruns;
        rig->trace_due_ns = now_ns + TRACE_DELAY_NS;
    } else if (rig->trace_due_ns > 0 && now_ns >= rig->trace_due_ns) {
        write_trace(rig);
    }
}
