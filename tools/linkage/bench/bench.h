/* SPDX-License-Identifier: Apache-2.0 */
/* linkage bench: common declarations of its files.
 *
 *     options.c   the command line
 *     names.c     built-in models, generated as YAML text in memory
 *     measure.c   times lk_system_step() for one or more numbers of workers
 *     counters.c  hardware counters: instructions and cycles, if available
 *     host.c      processor, kernel, caches;  peak.c: peak arithmetic
 *     meeting.c   latency from a write by one thread until another thread reads it
 *     print.c     results as text;  json.c: results for programs */
#ifndef TOOLS_LINKAGE_BENCH_H
#define TOOLS_LINKAGE_BENCH_H

#include "linkage/linkage.h"
#include "linkage/pool.h"
#include <stdbool.h>
#include <stdio.h>

#define BENCH_VARIANTS_MAX 8 /* largest number of values of --workers */
#define BENCH_WORKERS_MAX  LK_POOL_MAX

/* ---- options ---- */

/** struct bench_options - the command line.
 * @time_s:  duration of the measurement for each model and number of workers
 * @steps:   number of steps to measure, replaces @time_s if it is not 0
 * @workers: @n_workers numbers of workers to compare
 * @names:   @n_names arguments: built-in models, files, folders
 * @show:    called with the part of the measurement of a model that is done, or NULL */
struct bench_options {
    double time_s;
    long steps;
    int workers[BENCH_VARIANTS_MAX];
    int n_workers;
    bool is_quick;
    bool is_json;
    bool is_list;
    char **names;
    int n_names;
    void (*show)(double part);
};

/** bench_options_parse() - Parse the command line. @argv[0] is "linkage".
 * Return: as options_parse(). */
int bench_options_parse(int argc, char *argv[], struct bench_options *ret_options);

/** bench_parse_workers() - Parse a list such as "1,2,4": 1 to BENCH_VARIANTS_MAX ascending numbers
 * of 1 to BENCH_WORKERS_MAX.
 * Return: length of the list, 0 if the text is invalid. */
int bench_parse_workers(const char *text, int ret_workers[BENCH_VARIANTS_MAX]);

/* ---- models ---- */

/** bench_built_in - names of the built-in models, in the order in which they run; terminated by
 * NULL. */
extern const char *const bench_built_in[];

/** bench_model_text() - Generate the text of a built-in model: chain-N, chain-N-revolute, ladder-N,
 * tree-N, net-N, hub-N, free-N (N = 1 to 4096 bodies), or four-bar.
 * @ret_size: size of the text without the terminating zero
 * Return: the text, to be freed; NULL with errno EINVAL if no such model exists, or ENOMEM. */
char *bench_model_text(const char *name, size_t *ret_size);

/** bench_is_built_in() - Return true if bench_model_text() accepts the name. */
bool bench_is_built_in(const char *name);

/* ---- the machine ---- */

/** struct bench_host - properties of the machine.
 * @processor:    name of the processor
 * @n_cpus:       processors that this process may use
 * @l1_bytes, @l2_bytes: data caches of one core
 * @caches_known: false: the sizes are assumed */
struct bench_host {
    char processor[128];
    char kernel[128];
    int n_cpus;
    long l1_bytes;
    long l2_bytes;
    bool caches_known;
};

void bench_host_read(struct bench_host *ret_host);

#define BENCH_UNITS_MAX 4

/** struct bench_unit - a vector instruction set.
 * @name:  name of the engine that uses the set
 * @lanes: doubles per vector
 * @flops: [1/s] peak of one core; a multiply-add counts as two operations */
struct bench_unit {
    const char *name;
    int lanes;
    double flops;
};

/** struct bench_peak - measured peak arithmetic of one core.
 * @step:  instruction set used by the step
 * @units: @n_units vector instruction sets of the processor, widest first */
struct bench_peak {
    struct bench_unit step;
    int n_units;
    struct bench_unit units[BENCH_UNITS_MAX];
};

/** bench_peak_measure() - Measure the peak arithmetic of one core; takes about @time_s. */
void bench_peak_measure(double time_s, struct bench_peak *ret_peak);

/** bench_meeting_measure() - Measure the time from a write on one core until a thread on another
 * core has read the value [ns], median. Takes about @time_s.
 * Return: 0, -ENOTSUP (one processor only), negative errno. */
int bench_meeting_measure(double time_s, double *ret_meeting_ns);

/** bench_fork_measure() - Measure the time of a fork and a join of two workers on two cores without
 * work between them [ns], median. Arguments and result are as for bench_meeting_measure(). */
int bench_fork_measure(double time_s, double *ret_fork_ns);

/* ---- counters ---- */

/** struct bench_counters - hardware counters of the calling thread, user space only.
 * @error: 0, or the positive errno that explains why counters are missing */
struct bench_counters {
    int instructions_fd;
    int cycles_fd;
    int error;
};

void bench_counters_open(struct bench_counters *ret_counters);
void bench_counters_close(struct bench_counters *counters);
/** bench_counters_run() - Start or stop the hardware counters. */
void bench_counters_run(const struct bench_counters *counters, bool run);
/** bench_counters_read() - Read the counts since bench_counters_open().
 * Return: false if there are no counters. */
bool bench_counters_read(const struct bench_counters *counters, double *ret_instructions,
                         double *ret_cycles);
/** bench_counters_reason() - Return the reason for missing counters, as a phrase. */
const char *bench_counters_reason(const struct bench_counters *counters);

/* ---- measuring ---- */

/** struct bench_times - times of one model with one number of workers; all times are per step [ns].
 * @n_steps: number of measured steps
 * @batch:   number of steps between two readings of the clock
 * @median_ns, @p99_ns, @p999_ns, @max_ns: wall time of batches, per step
 * @cpu_ns:  CPU time of the calling thread, median of slices
 * @instructions, @cycles: counts of the calling thread, valid if @has_counters */
struct bench_times {
    int n_workers;
    long n_steps;
    int batch;
    double median_ns;
    double p99_ns;
    double p999_ns;
    double max_ns;
    double cpu_ns;
    bool has_counters;
    double instructions;
    double cycles;
};

/** struct bench_result - results for one model.
 * @shares_work: workers have an effect on its step
 * @workers_useful: number of workers that shorten the step, as computed by liblinkage */
struct bench_result {
    char name[LK_NAME_SIZE];
    struct lk_summary summary;
    bool shares_work;
    int workers_useful;
    double step_s;
    int n_times;
    struct bench_times times[BENCH_VARIANTS_MAX];
};

/** bench_measure() - Measure all numbers of workers of the options in alternating time slices, so
 * that disturbances of the machine affect all variants alike. Fills the times of @result.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message. */
int bench_measure(const char *name, const struct lk_model *model,
                  const struct bench_options *options, struct bench_result *result);

/** bench_quantile() - Return the quantile of @n > 0 ascending values: the smallest value that at
 * least a share @q of the values does not exceed. */
double bench_quantile(const float *sorted, size_t n, double q);

/** bench_batch() - Return the number of steps between two readings of the clock, if a step takes
 * @step_ns. */
int bench_batch(double step_ns);

/* ---- reports ---- */

/** struct bench_run - results of a whole run. @meeting_ns, @fork_ns: measured times, below 0 if not
 * measured */
struct bench_run {
    const struct bench_options *options;
    struct bench_host host;
    struct bench_peak peak;
    const char *counters_missing;
    double meeting_ns;
    double fork_ns;
    int n_results;
    struct bench_result *results;
};

/* Print the results as text of at most 100 columns: first the machine, then a line for each model
 * after its measurement, then the rest. */
void bench_print_begin(FILE *file, const struct bench_run *run);
void bench_print_result(FILE *file, const struct bench_result *result);
void bench_print_end(FILE *file, const struct bench_run *run);

/** bench_peak_share() - Return the share of the peak that the linear algebra of a step reaches,
 * from the median of the first number of workers; NAN if its operations are not counted. */
double bench_peak_share(const struct bench_run *run, const struct bench_result *result);

/** bench_json() - Print one JSON object; README.md documents its keys. */
void bench_json(FILE *file, const struct bench_run *run);

#endif
