/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-latency: measures whether this machine can run a rig in real time. See README.md for the
 * method. */
#include "linkage/stacks.h"
#include "linkage/version.h"
#include "message.h"
#include "report.h"
#include "setup.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* Start the daemons, and use the step of the model as the period. */
static int open_rigs(struct lat_course *course, const struct lat_setup *setup,
                     struct lk_error *error)
{
    struct lat_report *report = course->report;
    struct lat_options *o = &report->options;
    int code = 0;

    for (int i = 0; i < o->n_wakes && code == 0; i++) {
        struct lat_rig *rig = &course->rigs[i];

        code = lat_rig_open(&setup->rig, o->wakes[i], rig, error);
        for (int k = 0; k < rig->n_degraded; k++)
            lat_report_note(report, "NOT REAL-TIME: %s", rig->degraded[k]);
        if (rig->proof[0] != '\0')
            lat_report_note(report, "%s armed: %s", lat_wake_name(rig->wake), rig->proof);
    }
    if (code != 0)
        return code;
    if (course->rigs[0].period_ns % 1000 != 0 || course->rigs[0].period_ns < 50000) {
        lk_error_set(error,
                     "the model steps every %.3f us, expected whole microseconds, 50 and more",
                     (double)course->rigs[0].period_ns * 1e-3);
        return 1;
    }
    if (o->period_us > 0 && course->rigs[0].period_ns != o->period_us * INT64_C(1000)) {
        lk_error_set(error, "the model steps every %.0f us, --period says %d; leave --period out",
                     (double)course->rigs[0].period_ns * 1e-3, o->period_us);
        return 1;
    }
    o->period_us = (int)(course->rigs[0].period_ns / 1000);
    course->cyclictest.period_us = o->period_us;
    report->with_trips = course->rigs[0].n_inputs > 0;
    if (!report->with_trips)
        lat_report_note(report, "no round trips: the model has no inputs");
    return 0;
}

/* Measure under one load. With --gate, measure once more if a gate was missed. */
static int measure_load(struct lat_course *course, enum lat_load load, struct lk_error *error)
{
    struct lat_report *report = course->report;
    struct lat_load_result *result = &report->loads[report->n_loads++];
    int code = 0;

    for (int attempt = 0; attempt < 2; attempt++) {
        int outcome;

        lat_load_result_fini(result);
        outcome = lat_course_run(course, load, result, error);
        result->repeated = attempt > 0;
        code = outcome == 0 || outcome == -EINTR ? lat_load_result_total(result) : outcome;
        if (code == 0)
            code = lat_load_result_judge(result, report);
        if (code == -ENOMEM)
            lk_error_set(error, "out of memory");
        code = code != 0 ? code : outcome;
        if (code != 0 || !report->options.gate || !lat_load_result_missed(result, report))
            break;
    }
    return code;
}

static int measure_all(struct lat_course *course, struct lk_error *error)
{
    struct lat_report *report = course->report;
    const struct lat_options *o = &report->options;
    double time_s = lat_course_time_s(report);
    int code = 0;

    course->stress.time_s = 2 * time_s + 120;
    for (int i = 0; i < o->n_loads && code == 0; i++) {
        fprintf(stderr, "linkage-latency: core %d, load %s, for %.0f s\n", o->core,
                lat_load_name(o->loads[i]), time_s);
        code = measure_load(course, o->loads[i], error);
        if (report->loads[i].left_out[0] != '\0')
            fprintf(stderr, "linkage-latency: load %s left out: %s\n", lat_load_name(o->loads[i]),
                    report->loads[i].left_out);
    }
    return code;
}

static int run_course(struct lat_course *course, struct lat_setup *setup, struct lk_error *error)
{
    int code = lat_setup_machine(course, &setup->rig, error);

    for (int i = 0; i < course->report->n_notes && code == 0; i++)
        fprintf(stderr, "linkage-latency: %s\n", course->report->notes[i]);
    if (code == 0)
        code = lat_setup_files(setup, &course->report->options, error);
    if (code == 0)
        code = open_rigs(course, setup, error);
    if (code == 0)
        code = measure_all(course, error);
    for (int i = 0; i < LAT_N_WAKES; i++)
        lat_rig_close(&course->rigs[i]);
    return code;
}

static int publish_report(struct lat_report *report)
{
    const struct lat_options *o = &report->options;
    bool measured = false;

    for (int i = 0; i < report->n_loads; i++)
        measured = measured || report->loads[i].n_rounds > 0;
    if (report->interrupted && !measured) {
        complain("interrupted before the first round had ended");
        return LAT_FAILED;
    }
    for (int i = 0; i < report->n_notes && report->failed; i++)
        fprintf(stderr, "linkage-latency: %s\n", report->notes[i]);
    if (report->failed && !measured)
        return LAT_FAILED;
    if (lat_report_files(report) != 0)
        return LAT_FAILED;
    if (o->json)
        lat_report_json(stdout, report);
    else
        lat_report_table(stdout, report);
    if (fflush(stdout) != 0)
        return LAT_FAILED;
    return report->failed || (o->gate && !lat_report_accepted(report)) ? LAT_FAILED : LAT_DONE;
}

static void date_report(struct lat_report *report)
{
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc) != NULL)
        strftime(report->date_utc, sizeof(report->date_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(report->version, sizeof(report->version), "%s", LK_VERSION);
}

int main(int argc, char *argv[])
{
    static struct lat_report report;
    static struct lat_course course = {.report = &report};
    struct lat_setup setup = {0};
    struct lk_error error = {0};
    int status = lat_options_parse(argc, argv, &report.options);
    int code;

    if (lk_stacks_prepare(&error) != 0) {
        complain("%s", error.text);
        return LAT_FAILED;
    }
    if (status != LAT_DONE)
        return status;
    lat_signals_init();
    date_report(&report);
    code = run_course(&course, &setup, &error);
    lat_setup_fini(&setup);
    report.interrupted = code == -EINTR || lat_interrupted();
    if (code != 0 && !report.interrupted)
        complain("%s", error.text);
    status = code != 0 && !report.interrupted ? LAT_FAILED : publish_report(&report);
    for (int i = 0; i < report.n_loads; i++)
        lat_load_result_fini(&report.loads[i]);
    return status;
}
