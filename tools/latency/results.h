/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured, from the single slice to the whole report. */
#ifndef TOOLS_LATENCY_RESULTS_H
#define TOOLS_LATENCY_RESULTS_H

#include "bootstrap.h"
#include "histogram.h"
#include "linkage/host.h"
#include "options.h"

#define LAT_GAP_US       20.0 /* a loop that only reads the clock sees no longer gap on a quiet core */
#define LAT_TEXT         256
#define LAT_METHODS_MAX  (1 + LAT_N_WAKES)
#define LAT_DEGRADED_MAX 8

/** struct lat_wakeups - how late one program woke up in a slice, or in all.
 * @overruns: cycles that ended after the next grid point;  @skipped: grid points passed over */
struct lat_wakeups {
    struct lat_histogram late;
    uint64_t overruns;
    uint64_t skipped;
};

/** struct lat_gaps - what a loop saw that only reads the clock, on the measured core.
 * @time_s: it ran;  @n: gaps of more than LAT_GAP_US;  @max_us: the largest of all */
struct lat_gaps {
    double time_s;
    uint64_t n;
    double max_us;
};

/** enum lat_trip_kind - how a bench sends.
 * LAT_STREAM:    500 samples a second, whatever comes back, spread evenly over the cycle
 * LAT_PING_PONG: the next one when the effect of the last is seen */
enum lat_trip_kind { LAT_STREAM, LAT_PING_PONG, LAT_N_TRIPS };

/** struct lat_trips - from sending an input to having the first output in hand that shows it.
 * @unseen: samples whose effect never came */
struct lat_trips {
    struct lat_histogram time;
    uint64_t unseen;
};

/** struct lat_round - one slice of each kind. @wakeups[0]: cyclictest, the others: cycles. */
struct lat_round {
    struct lat_wakeups wakeups[LAT_METHODS_MAX];
    struct lat_gaps gaps;
    struct lat_trips trips[LAT_N_TRIPS];
};

/** enum lat_verdict - on one way of waiting under one load. */
enum lat_verdict { LAT_NO_VERDICT, LAT_ACCEPTED, LAT_MISSED };

/** struct lat_judgement - @ratios: to cyclictest;  @why: what was missed, or why there is none */
struct lat_judgement {
    struct lat_ratio ratios[LAT_N_STATISTICS];
    enum lat_verdict verdict;
    char why[LAT_TEXT];
};

/** struct lat_load_result - all rounds under one load.
 * @left_out:  why there are none, or ""
 * @repeated:  the first measurement missed a gate, this is the second one
 * @rounds:    complete ones only, @n_rounds
 * @total:     all of them together
 * @judgement: [0] is not used */
struct lat_load_result {
    enum lat_load load;
    char left_out[LAT_TEXT];
    bool repeated;
    struct lat_round *rounds;
    int n_rounds;
    struct lat_round total;
    struct lat_judgement judgement[LAT_METHODS_MAX];
};

/** struct lat_report - everything.
 * @options:     as they came to be: core, priority and period are set
 * @with_cyclictest, @with_trips: whether these were measured; the notes say why not
 * @failed:      something was to be measured, and could not be; the notes say what
 * @notes:       lines for people: what is missing, what is degraded
 * @governor:    of the core's frequency, or "" */
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

/** lat_report_note() - add a line for people, unless it is there already. */
void lat_report_note(struct lat_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** lat_report_method() - "cyclictest" for 0, else how the cycle waits. */
const char *lat_report_method(const struct lat_report *report, int method);

/** lat_report_accepted() - is every way of waiting accepted under every load that was asked for? */
bool lat_report_accepted(const struct lat_report *report);

/** lat_round_fini() - release;  lat_load_result_fini(): all rounds of a load. */
void lat_round_fini(struct lat_round *round);
void lat_load_result_fini(struct lat_load_result *result);

/** lat_load_result_total() - sum the rounds up.  Return: 0, -ENOMEM. */
int lat_load_result_total(struct lat_load_result *result);

/** lat_load_result_judge() - compare with cyclictest, by the gates for so many blocks.
 * Return: 0, -ENOMEM. */
int lat_load_result_judge(struct lat_load_result *result, const struct lat_report *report);

/** lat_load_result_missed() - has any way of waiting missed a gate? */
bool lat_load_result_missed(const struct lat_load_result *result, const struct lat_report *report);

/** struct lat_gate - largest accepted ratios. */
struct lat_gate {
    double p50;
    double lower_mean;
    double p99;
};

/** lat_gate_for() - the gates that so many blocks of this length can bear; NULL: none. */
const struct lat_gate *lat_gate_for(int n_rounds, double slice_s);

#endif
