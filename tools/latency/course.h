/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence of a measurement: rounds under each load. A round contains one slice of every kind.
 *
 * Slices are short and alternate, so that a disturbance of the machine affects all kinds alike. The
 * order is rotated by one position from round to round, so that no kind always begins a round. */
#ifndef TOOLS_LATENCY_COURSE_H
#define TOOLS_LATENCY_COURSE_H

#include "cyclictest.h"
#include "load.h"
#include "rig.h"

/** struct lat_course - everything that a measurement uses.
 * @report: report of this measurement
 * @others: all cores except the measured core
 * @rigs:   one daemon for each way of waiting, in the order of the options
 * @stress: parameters of the load; its path is empty if stress-ng is missing */
struct lat_course {
    struct lat_report *report;
    cpu_set_t others;
    struct lat_cyclictest cyclictest;
    struct lat_stress stress;
    struct lat_rig rigs[LAT_N_WAKES];
};

/** lat_course_time_s() - Return the duration of the rounds under one load [s]. */
double lat_course_time_s(const struct lat_report *report);

/** lat_course_run() - Measure under @load.
 * @ret_result: the complete rounds, also after an interruption; release with lat_load_result_fini()
 * Return: 0 (also if @ret_result has a reason why the load was left out), -EINTR (interrupted), 1
 * or another negative errno (with @ret_error). */
int lat_course_run(struct lat_course *course, enum lat_load load,
                   struct lat_load_result *ret_result, struct lk_error *ret_error);

#endif
