/* SPDX-License-Identifier: Apache-2.0 */
/* Sequence of a measurement: rounds under each load; in each round, one slice of every kind.
 *
 * Slices are short and alternate, so that a disturbance of the machine affects all kinds alike. The
 * order is rotated by one from round to round, so that no kind always follows the same kind. */
#ifndef TOOLS_LATENCY_COURSE_H
#define TOOLS_LATENCY_COURSE_H

#include "cyclictest.h"
#include "load.h"
#include "rig.h"

/** struct lat_course - everything that a measurement uses.
 * @report:   report of this measurement
 * @others:   cores except the measured one
 * @rigs:     one for each way of waiting, in the order of the options
 * @stress:   its path is empty without stress-ng */
struct lat_course {
    struct lat_report *report;
    cpu_set_t others;
    struct lat_cyclictest cyclictest;
    struct lat_stress stress;
    struct lat_rig rigs[LAT_N_WAKES];
};

/** lat_course_time_s() - Return the duration of the rounds under one load [s]. */
double lat_course_time_s(const struct lat_report *report);

/** lat_course_run() - Measure under @load. @ret_result: the complete rounds, even if interrupted;
 * lat_load_result_fini() releases
 * Return: 0 (@ret_result says if the load was left out), -EINTR (interrupted), 1 or another
 *         negative errno (@ret_error says why). */
int lat_course_run(struct lat_course *course, enum lat_load load,
                   struct lat_load_result *ret_result, struct lk_error *ret_error);

#endif
