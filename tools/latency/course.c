/* SPDX-License-Identifier: Apache-2.0 */
#include "course.h"
#include "probe.h"
#include "trip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX (LAT_METHODS_MAX + 1 + LAT_N_TRIPS)
#define END_MS    3000

/* Kinds of slices in a round. */
enum kind { KIND_CYCLICTEST, KIND_CYCLE, KIND_GAPS, KIND_TRIP };

struct slice {
    enum kind kind;
    int index; /* way of waiting, or kind of round trip */
};

static int list_slices(const struct lat_report *report, struct slice ret_slices[KINDS_MAX])
{
    int n = 0;

    if (report->with_cyclictest)
        ret_slices[n++] = (struct slice){KIND_CYCLICTEST, 0};
    for (int i = 0; i < report->options.n_wakes; i++)
        ret_slices[n++] = (struct slice){KIND_CYCLE, i};
    ret_slices[n++] = (struct slice){KIND_GAPS, 0};
    for (int i = 0; i < LAT_N_TRIPS && report->with_trips; i++)
        ret_slices[n++] = (struct slice){KIND_TRIP, i};
    return n;
}

double lat_course_time_s(const struct lat_report *report)
{
    struct slice slices[KINDS_MAX];

    return report->options.n_rounds * list_slices(report, slices) * report->options.slice_s;
}

/* ---- slices ---- */

static int run_cycle(struct lat_rig *rig, double slice_s, struct lat_wakeups *ret_wakeups,
                     struct lk_error *error)
{
    int code = lat_rig_start(rig, error);

    if (code != 0)
        return code;
    lat_wait_until(lk_client_now_ns() + (int64_t)(slice_s * 1e9));
    code = lat_rig_stop(rig, error);
    if (code == 0)
        code = lat_rig_wakeups(rig, ret_wakeups, error);
    return code == 0 && lat_interrupted() ? -EINTR : code;
}

/* Measure gaps. Under a load on the core itself the loop needs real-time priority: with normal
 * priority it would measure the load. */
static int run_gaps(const struct lat_report *report, enum lat_load load, struct lat_gaps *ret_gaps,
                    struct lk_error *error)
{
    const struct lat_options *o = &report->options;
    int code = lat_probe_run(o->core, load == LAT_CORE ? o->priority : 0, o->slice_s, ret_gaps);

    if (code < 0 && code != -EINTR)
        lk_error_set(error, "core %d: %s", o->core, strerror(-code));
    return code;
}

static int run_slice(struct lat_course *course, enum lat_load load, struct slice slice,
                     struct lat_round *round, struct lk_error *error)
{
    double slice_s = course->report->options.slice_s;

    switch (slice.kind) {
    case KIND_CYCLICTEST:
        return lat_cyclictest_run(&course->cyclictest, slice_s, &round->wakeups[0].late, error);
    case KIND_CYCLE:
        return run_cycle(&course->rigs[slice.index], slice_s, &round->wakeups[1 + slice.index],
                         error);
    case KIND_GAPS:
        return run_gaps(course->report, load, &round->gaps, error);
    default:
        return lat_trip_run(&course->rigs[0], (enum lat_trip_kind)slice.index, slice_s,
                            &round->trips[slice.index], error);
    }
}

/* ---- rounds ---- */

static int run_round(struct lat_course *course, enum lat_load load, int number,
                     struct lat_round *ret_round, enum kind *ret_kind, struct lk_error *error)
{
    struct slice slices[KINDS_MAX];
    struct lat_round round = {0};
    int n = list_slices(course->report, slices), code = 0;

    for (int i = 0; i < n && code == 0; i++) {
        *ret_kind = slices[(number + i) % n].kind;
        code = run_slice(course, load, slices[(number + i) % n], &round, error);
    }
    if (code == 0 && lat_interrupted())
        code = -EINTR;
    if (code != 0)
        lat_round_fini(&round);
    else
        *ret_round = round;
    return code;
}

/* Return true if only one method failed. Other errors, such as an interruption, concern the whole
 * measurement. */
static bool is_failure(int code)
{
    return code != 0 && code != -EINTR && code != -ENOMEM && !lat_interrupted();
}

/* Continue without the failed method, if that is possible: no results exist yet, and no other part
 * needs the method.
 * Return: true if the course may continue. */
static bool do_without(struct lat_report *report, enum kind kind, const char *reason)
{
    for (int i = 0; i < report->n_loads; i++)
        if (report->loads[i].n_rounds > 0)
            return false;
    if (kind == KIND_CYCLICTEST)
        report->with_cyclictest = false;
    else if (kind == KIND_TRIP)
        report->with_trips = false;
    else
        return false;
    report->failed = true;
    lat_report_note(report, "%s is not measured: %.200s",
                    kind == KIND_TRIP ? "the round trip" : "cyclictest", reason);
    return true;
}

/* End the rounds under this load. The results so far are reported, and the other loads follow. */
static int give_up(struct lat_report *report, struct lat_load_result *result, const char *reason)
{
    report->failed = true;
    if (result->n_rounds == 0)
        snprintf(result->left_out, sizeof(result->left_out), "%.250s", reason);
    else
        lat_report_note(report, "load %s ended after %d rounds: %.180s",
                        lat_load_name(result->load), result->n_rounds, reason);
    return 0;
}

static int run_rounds(struct lat_course *course, struct lat_load_result *result,
                      struct lk_error *error)
{
    enum kind kind = KIND_CYCLE;

    int n = course->report->options.n_rounds, code = 0;

    result->rounds = calloc((size_t)n, sizeof(*result->rounds));
    if (result->rounds == NULL) {
        lk_error_set(error, "out of memory");
        return -ENOMEM;
    }
    for (int k = 0; k < n && code == 0; k++) {
        code = run_round(course, result->load, k, &result->rounds[k], &kind, error);
        if (code == 0) {
            result->n_rounds++;
        } else if (is_failure(code) && do_without(course->report, kind, error->text)) {
            code = 0;
            k--;
        }
    }
    return is_failure(code) ? give_up(course->report, result, error->text) : code;
}

/* Return the reason why this load is impossible on this machine; NULL: the load is possible. */
static const char *left_out(const struct lat_course *course, enum lat_load load)
{
    if (load == LAT_NONE)
        return NULL;
    if (load == LAT_HOUSEKEEPING && CPU_COUNT(&course->others) == 0)
        return "there is no other core";
    return NULL;
}

int lat_course_run(struct lat_course *course, enum lat_load load,
                   struct lat_load_result *ret_result, struct lk_error *ret_error)
{
    struct lat_process process = {0};
    struct lk_error reason;
    const char *why = left_out(course, load);
    int code = 0;

    *ret_result = (struct lat_load_result){.load = load};
    if (why != NULL) {
        snprintf(ret_result->left_out, sizeof(ret_result->left_out), "%s", why);
        return 0;
    }
    if (load != LAT_NONE)
        code = lat_load_start(&course->stress, load, &process, &reason);
    if (code == 0)
        code = run_rounds(course, ret_result, ret_error);
    else if (code > 0) {
        snprintf(ret_result->left_out, sizeof(ret_result->left_out), "%.250s", reason.text);
        code = 0;
    } else {
        lk_error_set(ret_error, "%s", reason.text);
    }
    lat_process_stop(&process, END_MS);
    return code;
}
