/* SPDX-License-Identifier: Apache-2.0 */
/* The course of a measurement: under each load, rounds; in each round, a slice of every kind.
 *
 * Slices are short and taken in turn, so that a machine that has a bad minute is bad to all of them
 * alike; the order is shifted by one from round to round, so that none of them always follows the
 * same other. */
#ifndef TOOLS_LATENCY_COURSE_H
#define TOOLS_LATENCY_COURSE_H

#include "cyclictest.h"
#include "load.h"
#include "rig.h"

/** struct lat_course - everything that is up while measuring.
 * @report:   of this measurement
 * @others:   cores but the measured one
 * @rigs:     one for each way of waiting, in the order of the options
 * @stress:   its path is empty where there is no stress-ng */
struct lat_course {
    struct lat_report *report;
    cpu_set_t others;
    struct lat_cyclictest cyclictest;
    struct lat_stress stress;
    struct lat_rig rigs[LAT_N_WAKES];
};

/** lat_course_time_s() - how long the rounds under one load take. */
double lat_course_time_s(const struct lat_report *report);

/** lat_course_run() - measure under @load.
 * @ret_result: complete rounds, also when interrupted; lat_load_result_fini() releases
 * Return: 0 (@ret_result says when the load was left out), -EINTR (interrupted), 1 or another
 *         negative errno (@ret_error says why). */
int lat_course_run(struct lat_course *course, enum lat_load load,
                   struct lat_load_result *ret_result, struct lk_error *ret_error);

#endif
