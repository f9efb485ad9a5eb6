/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-demo: runs a bench against the daemon and checks the results.
 *
 *     main.c       command line, sequence of the run
 *     bench.c      sends torques on a time grid, receives every output; in two threads
 *     figures.c    evaluation of the record: round trips, losses, energy, the time grid
 *     report.c     the table and the verdict
 *     files.c      the recording and the latencies as CSV
 *
 * All data is recorded first and evaluated after the run, so that the evaluation does not disturb
 * the run. */
#ifndef TOOLS_DEMO_DEMO_H
#define TOOLS_DEMO_DEMO_H

#include "bench.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEMO_RATE_HZ   500
#define DEMO_CLASSES   72 /* classes of latencies: 12 per decade, from 0.1 us */
#define DEMO_PATH_SIZE 4096

/** struct demo_layout - indices of the demo's channels in a sample.
 * @description:  description of the model; belongs to the control client
 * @n_outputs:    number of scalars of the outputs
 * @angle, @rate: indices among the outputs
 * @kinetic:      index among the outputs, or -1 if the model has no energy output */
struct demo_layout {
    const Linkage__V1__ModelDescription *description;
    size_t n_outputs;
    size_t angle;
    size_t rate;
    long kinetic;
};

/** struct demo_sent - one input sample; its sequence number is demo_record.first_sequence + index.
 * @sent_ns: CLOCK_MONOTONIC just before sending
 * @torque:  [N m] */
struct demo_sent {
    int64_t sent_ns;
    double torque;
};

/** struct demo_received - one output sample; its values are in demo_record.values.
 * @received_ns: CLOCK_MONOTONIC when it was received; the other fields are as in OutputSample */
struct demo_received {
    int64_t received_ns;
    uint64_t sequence;
    uint64_t step;
    uint64_t input_sequence;
    double time_s;
    int64_t deadline_ns;
    int64_t computed_ns;
    int64_t published_ns;
};

/** struct demo_record - all sent and received samples.
 * @values:    @n_received rows of demo_layout.n_outputs values
 * @n_dropped: number of samples for which there was no room, or that could not be decoded */
struct demo_record {
    uint64_t first_sequence;
    size_t n_sent;
    size_t sent_size;
    struct demo_sent *sent;
    size_t n_received;
    size_t received_size;
    struct demo_received *received;
    double *values;
    size_t n_dropped;
};

/** struct demo_line - connections.
 * @client: arms, starts and stops
 * @bench:  owns the motor input */
struct demo_line {
    struct lk_client *client;
    struct lk_client_bench *bench;
};

/** struct demo_span - bounds on the start and the end of the run, CLOCK_MONOTONIC.
 * @asked_start_ns, @started_ns: before and after the start request
 * @asked_stop_ns, @stopped_ns:  before and after the stop request */
struct demo_span {
    int64_t asked_start_ns;
    int64_t started_ns;
    int64_t asked_stop_ns;
    int64_t stopped_ns;
};

/** struct demo_quantiles - quantiles of durations [us]. */
struct demo_quantiles {
    size_t n;
    double p50;
    double p99;
    double max;
};

/** struct demo_figures - evaluation of a record.
 * @round_trip_us:   sorted round-trip times, one for each sent sample whose effect was observed
 * @n_round_trips:   number of these times
 * @n_missing:       number of sent samples whose effect was never observed
 * @n_lost:          output samples published and not received (gaps in the sequence)
 * @n_unpublished:   steps never published (gaps in the steps beyond the lost samples)
 * @grid_misfit:     number of grid points between the first and last received sample that are
 *                   neither a step nor counted as skipped by the daemon
 * @work_bench:      work put in, according to the bench's own record [J]: integral of torque in
 *                   effect over crank angle
 * @work_complete:   no sample is missing: @work_bench is valid
 * @gained:          kinetic + potential energy gained [J]
 * @remainder:       work put in - dissipated - gained [J], as the daemon reports them
 * @remainder_bound: see demo_figures_compute() */
struct demo_figures {
    double *round_trip_us;
    size_t n_round_trips;
    size_t n_missing;
    struct demo_quantiles round_trip;
    uint64_t n_lost;
    uint64_t n_unpublished;
    uint64_t grid_misfit;
    double work_bench;
    bool work_complete;
    double gained;
    double remainder;
    double remainder_bound;
};

/** struct demo_latencies - shares [%] of cycles, and of round trips, in logarithmic classes. */
struct demo_latencies {
    double wakeup[DEMO_CLASSES];
    double compute[DEMO_CLASSES];
    double round_trip[DEMO_CLASSES];
};

/** demo_record_init() - Allocate memory for a run of @duration_s. Return: 0, -ENOMEM. */
int demo_record_init(struct demo_record *ret_record, const struct demo_layout *layout,
                     double duration_s);
/** demo_record_fini() - Release @record. */
void demo_record_fini(struct demo_record *record);
/** demo_record_values() - Return the outputs of received sample @i. */
const double *demo_record_values(const struct demo_record *record, const struct demo_layout *layout,
                                 size_t i);
/** demo_record_torque() - Return the torque that acts in received sample @i [N m]. */
double demo_record_torque(const struct demo_record *record, size_t i);

/** demo_torque() - Return the torque [N m] of the torque profile at time @t [s] of a run of
 * @duration [s]. */
double demo_torque(double t, double duration);

/** demo_bench_run() - Start the model, send and receive for @duration_s, and stop the model.
 * Return: 0; not 0 after an error message. */
int demo_bench_run(struct demo_line *line, const struct demo_layout *layout, double duration_s,
                   struct demo_record *record, struct demo_span *ret_span);

/** demo_figures_compute() - Evaluate a record. Release the result with demo_figures_fini().
 * @status: status of the daemon after the run
 * Return: 0, -ENOMEM. */
int demo_figures_compute(const struct demo_record *record, const struct demo_layout *layout,
                         const Linkage__V1__Status *status, struct demo_figures *ret_figures);
void demo_figures_fini(struct demo_figures *figures);

/** demo_report() - Print the table, followed by a line for each failed check.
 * Return: number of failed checks. */
int demo_report(const struct demo_record *record, const struct demo_figures *figures,
                const struct demo_span *span, double duration_s, const Linkage__V1__Status *status);

/** demo_latencies_sort() - Sort the latencies of daemon and bench into classes. @status: status of
 * the daemon after the run */
void demo_latencies_sort(const struct demo_figures *figures, const Linkage__V1__Status *status,
                         struct demo_latencies *ret_latencies);

/** demo_write_recording(), demo_write_latencies() - Write recording.csv, with a row for each output
 * sample; write latency.csv, with a row for each class.
 * Return: 0, negative errno. */
int demo_write_recording(const char *directory, const struct demo_record *record,
                         const struct demo_layout *layout);
int demo_write_latencies(const char *directory, const struct demo_latencies *latencies);

#endif
