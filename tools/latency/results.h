/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a measurement, from a single slice to the whole report. */
#ifndef TOOLS_LATENCY_RESULTS_H
#define TOOLS_LATENCY_RESULTS_H

#include "bootstrap.h"
#include "histogram.h"
#include "linkage/host.h"
#include "options.h"

#define LAT_GAP_US       20.0 /* [us]; longer gaps do not occur on a quiet core */
#define LAT_TEXT         256
#define LAT_METHODS_MAX  (1 + LAT_N_WAKES)
#define LAT_DEGRADED_MAX 8

/** struct lat_wakeups - wake-up latencies of one program, in one slice or in all slices.
 * @overruns: number of cycles that ended after the next grid point
 * @skipped:  number of skipped grid points */
struct lat_wakeups {
    struct lat_histogram late;
    uint64_t overruns;
    uint64_t skipped;
};

/** struct lat_gaps - gaps that the loop of probe.h detected.
 * @time_s: duration of the loop [s]
 * @n:      number of gaps longer than LAT_GAP_US
 * @max_us: largest gap [us] */
struct lat_gaps {
    double time_s;
    uint64_t n;
    double max_us;
};

/** enum lat_trip_kind - way in which a bench sends samples.
 * LAT_STREAM: 500 samples a second, regardless of the outputs, and evenly distributed over the
 * phase of the cycle. LAT_PING_PONG: each sample is sent as soon as the effect of the previous
 * sample is observed. */
enum lat_trip_kind { LAT_STREAM, LAT_PING_PONG, LAT_N_TRIPS };

/** struct lat_trips - times from sending an input to receiving the first output with the effect of
 * this input.
 * @unseen: number of samples whose effect was never observed */
struct lat_trips {
    struct lat_histogram time;
    uint64_t unseen;
};

/** struct lat_round - one slice of each kind.
 * @wakeups: [0]: cyclictest, others: daemons */
struct lat_round {
    struct lat_wakeups wakeups[LAT_METHODS_MAX];
    struct lat_gaps gaps;
    struct lat_trips trips[LAT_N_TRIPS];
};

/** enum lat_verdict - verdict on one way of waiting under one load. */
enum lat_verdict { LAT_NO_VERDICT, LAT_ACCEPTED, LAT_MISSED };

/** struct lat_judgement - verdict and its reasons.
 * @ratios: ratios of latencies to those of cyclictest
 * @why:    missed gates, or the reason why there is no verdict */
struct lat_judgement {
    struct lat_ratio ratios[LAT_N_STATISTICS];
    enum lat_verdict verdict;
    char why[LAT_TEXT];
};

/** struct lat_load_result - all rounds under one load.
 * @left_out:  reason why there are no rounds, or ""
 * @repeated:  the first measurement missed a gate, and this is the second measurement
 * @rounds:    @n_rounds complete rounds
 * @total:     sum of all rounds
 * @judgement: verdict on each method; [0] is unused */
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
 * @options:  options with the core, priority and period that were used
 * @governor: frequency governor of the core, or ""
 * @with_cyclictest, @with_trips: cyclictest and round trips were measured; otherwise the notes
 *            contain the reason
 * @failed:   a requested measurement was not possible; the notes name it
 * @notes:    missing or degraded properties, one line each */
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

/** lat_round_fini() - Release a round.
 * lat_load_result_fini() - Release all rounds of a load. */
void lat_round_fini(struct lat_round *round);
void lat_load_result_fini(struct lat_load_result *result);

/** lat_load_result_total() - Set @total to the sum of all rounds.
 * Return: 0, -ENOMEM. */
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

/** lat_gate_for() - Return the gates for @n_rounds blocks of @slice_s [s]. NULL: there are too few
 * blocks, or the blocks are too short. */
const struct lat_gate *lat_gate_for(int n_rounds, double slice_s);

#endif
