/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a measurement, from a single slice to the whole report. */
#ifndef TOOLS_LATENCY_RESULTS_H
#define TOOLS_LATENCY_RESULTS_H

#include "bootstrap.h"
#include "histogram.h"
#include "linkage/host.h"
#include "options.h"

#define LAT_GAP_US       20.0 /* longer gaps do not occur on a quiet core */
#define LAT_TEXT         256
#define LAT_METHODS_MAX  (1 + LAT_N_WAKES)
#define LAT_DEGRADED_MAX 8

/** struct lat_wakeups - wake-up latencies of one program, in one slice or in all slices. @overruns:
 * cycles that ended after the next grid point;  @skipped: skipped grid points */
struct lat_wakeups {
    struct lat_histogram late;
    uint64_t overruns;
    uint64_t skipped;
};

/** struct lat_gaps - gaps seen by the loop of probe.h.
 * @time_s: duration of the loop; @n: number of gaps longer than LAT_GAP_US; @max_us: largest gap */
struct lat_gaps {
    double time_s;
    uint64_t n;
    double max_us;
};

/** enum lat_trip_kind - way in which a bench sends. LAT_STREAM:    500 samples a second, regardless
 * of the outputs, evenly spread over the cycle's phase LAT_PING_PONG: the next sample is sent when
 * the effect of the last one is seen */
enum lat_trip_kind { LAT_STREAM, LAT_PING_PONG, LAT_N_TRIPS };

/** struct lat_trips - times from sending an input to receiving the first output with its effect.
 * @unseen: number of samples whose effect was never seen */
struct lat_trips {
    struct lat_histogram time;
    uint64_t unseen;
};

/** struct lat_round - one slice of each kind. @wakeups[0]: cyclictest, the others: daemons. */
struct lat_round {
    struct lat_wakeups wakeups[LAT_METHODS_MAX];
    struct lat_gaps gaps;
    struct lat_trips trips[LAT_N_TRIPS];
};

/** enum lat_verdict - verdict on one way of waiting under one load. */
enum lat_verdict { LAT_NO_VERDICT, LAT_ACCEPTED, LAT_MISSED };

/** struct lat_judgement - verdict and its reasons.
 * @ratios: ratios of latencies to those of cyclictest; @why: missed gates, or reason for a missing
 *          verdict
 */
struct lat_judgement {
    struct lat_ratio ratios[LAT_N_STATISTICS];
    enum lat_verdict verdict;
    char why[LAT_TEXT];
};

/** struct lat_load_result - all rounds under one load.
 * @left_out:  reason for missing rounds, or ""
 * @repeated: this is a second measurement, because the first missed a gate @rounds: @n_rounds
 *            complete rounds @total: sum of all rounds
 * @judgement: [0] is unused */
struct lat_load_result {
    enum lat_load load;
    char left_out[LAT_TEXT];
    bool repeated;
    struct lat_round *rounds;
    int n_rounds;
    struct lat_round total;
    struct lat_judgement judgement[LAT_METHODS_MAX];
};

/** struct lat_report - all results of a measurement.
 * @options: options with the used core, priority and period @with_cyclictest, @with_trips:
 *           cyclictest or round trips were measured; otherwise the notes have the reason @failed: a
 *           requested measurement was not possible; the notes name it @notes: missing or degraded
 *           properties, one line each @governor: frequency governor of the core, or "" */
struct lat_report {
    struct lat_options options;
    struct lk_host host;
    char governor[32];
    bool with_cyclictest;
    bool with_trips;
    bool failed;
    char notes[2 * LAT_DEGRADED_MAX][LAT_TEXT];
    int n_notes;
    bool interrupted;
    char date_utc[32];
    char version[64];
    struct lat_load_result loads[LAT_N_LOADS];
    int n_loads;
};

/** lat_report_note() - Add a note, unless the report already contains it. */
void lat_report_note(struct lat_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lat_report_method() - Return the name of a method: "cyclictest" for 0, otherwise the name of
 * enum lat_wake. */
const char *lat_report_method(const struct lat_report *report, int method);

/** lat_report_accepted() - Return true if every way of waiting is accepted under every requested
 * load. */
bool lat_report_accepted(const struct lat_report *report);

/** lat_round_fini() - Release a round. lat_load_result_fini() - Release all rounds of a load. */
void lat_round_fini(struct lat_round *round);
void lat_load_result_fini(struct lat_load_result *result);

/** lat_load_result_total() - Add up all rounds in @total.  Return: 0, -ENOMEM. */
int lat_load_result_total(struct lat_load_result *result);

/** lat_load_result_judge() - Compare the results with those of cyclictest and apply the gates of
 * lat_gate_for().
 * Return: 0, -ENOMEM. */
int lat_load_result_judge(struct lat_load_result *result, const struct lat_report *report);

/** lat_load_result_missed() - Return true if any way of waiting missed a gate. */
bool lat_load_result_missed(const struct lat_load_result *result, const struct lat_report *report);

/** struct lat_gate - largest accepted ratios. */
struct lat_gate {
    double p50;
    double lower_mean;
    double p99;
};

/** lat_gate_for() - Return the gates for @n_rounds blocks of @slice_s [s]; NULL: too few blocks, or
 * they are too short. */
const struct lat_gate *lat_gate_for(int n_rounds, double slice_s);

#endif
