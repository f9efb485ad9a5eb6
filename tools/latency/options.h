/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of linkage-latency. */
#ifndef TOOLS_LATENCY_OPTIONS_H
#define TOOLS_LATENCY_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum lat_exit { LAT_DONE = 0, LAT_FAILED = 1, LAT_USAGE = 2 };

/** enum lat_wake - way in which the daemon's cycle waits for its next start. */
enum lat_wake { LAT_SLEEP, LAT_HYBRID, LAT_SPIN, LAT_N_WAKES };

/** enum lat_load - background load of the machine. */
enum lat_load { LAT_NONE, LAT_HOUSEKEEPING, LAT_CORE, LAT_N_LOADS };

/** struct lat_options - the command line.
 * @daemon:            path of linkaged
 * @model:             path of a model, NULL: the built-in model
 * @output:            folder for the files
 * @core:              measured core; -1: choose a core
 * @priority:          SCHED_FIFO priority; 0: normal
 * @period_us:         period [us]; 0: the step of the model, or 1000 without a model
 * @slice_s:           length of a slice [s]
 * @n_rounds:          slices of each kind
 * @wakes, @loads:     requested values, ascending, without duplicates
 * @n_wakes, @n_loads: numbers of requested values
 * @gate:              exit status 1 unless all gates are met
 * @quick:             prove the budget with fewer steps
 * @json:              print the report to the standard output as JSON */
struct lat_options {
    char daemon[PATH_MAX];
    const char *model;
    const char *output;
    int core;
    int priority;
    int period_us;
    double slice_s;
    int n_rounds;
    enum lat_wake wakes[LAT_N_WAKES];
    int n_wakes;
    enum lat_load loads[LAT_N_LOADS];
    int n_loads;
    uint64_t seed;
    bool gate;
    bool quick;
    bool json;
};

/** lat_options_parse() - Parse the command line. The options --help and --version end the program.
 * Return: LAT_DONE, LAT_USAGE or LAT_FAILED (daemon not found) after an error message. */
int lat_options_parse(int argc, char *argv[], struct lat_options *ret_options);

/** lat_wake_name(), lat_load_name() - Return the name that is used on the command line. */
const char *lat_wake_name(enum lat_wake wake);
const char *lat_load_name(enum lat_load load);

#endif
