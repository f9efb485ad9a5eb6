/* SPDX-License-Identifier: Apache-2.0 */
/* linkage washout: a recorded drive on a platform with another washout. Data flow:
 *
 *     drive.c    sensor over time, configuration -> steps of a ride -> struct drive_result
 *     print.c    struct drive_result -> text, JSON
 *     washout.c  options, files */
#ifndef TOOLS_LINKAGE_WASHOUT_H
#define TOOLS_LINKAGE_WASHOUT_H

#include "csv.h"
#include "cueing/cueing_read.h"

#define DRIVE_SPANS_MAX 8

/** struct drive - a table with the outputs of a model over time, and what steps over it.
 * @sensor_at: first of the six columns of the sensor
 * @gain_at:   column of each gain, -1: as configured
 * @scale:     factor on the scales of all cues
 * @curves:    receives a row for each step, see drive_columns(); NULL: none */
struct drive {
    const struct lk_csv_table *table;
    struct lk_ride_config ride;
    int sensor_at;
    int gain_at[LK_WASHOUT_VALUES];
    double scale;
    struct lk_csv *curves;
};

/** struct drive_leg - what an actuator did, in its unit, per s and per s^2.
 * @low, @high: its positions;  @wanted_low, @wanted_high: those that the washout asked for */
struct drive_leg {
    double low;
    double high;
    double speed;
    double acceleration;
    double wanted_low;
    double wanted_high;
};

/** struct drive_result - a drive on the platform.
 * @duration: of the drive [s]
 * @cue:      RMS of the specific force times its scale, less gravity, of each axis [m/s^2]
 * @error:    RMS of the difference between felt and scaled force, as a part of @cue
 * @limited:  time in which the guard changed the motion [s], in @n_spans times; @span: begin and
 *            end of the first ones */
struct drive_result {
    double duration;
    double cue[3];
    double error[3];
    struct drive_leg leg[LK_PLATFORM_ACTUATORS];
    double limited;
    int n_spans;
    double span[DRIVE_SPANS_MAX][2];
};

/** drive_unit() - Return the unit of an actuator, "m" or "rad". */
const char *drive_unit(const struct lk_platform *platform, int actuator);

/** drive_columns() - Begin the columns of the curves. Return: 0, negative errno. */
int drive_columns(struct lk_csv *csv, const struct lk_platform *platform);

/** drive_run() - Raise the platform in the first row, follow until the pose is faded in, then drive
 * through all rows. As in the daemon, a step uses the values of the row that comes at its end or
 * after it. */
void drive_run(const struct drive *drive, struct drive_result *ret_result);

/** drive_find_fit() - Find the largest factor on all scales, up to 2, at which the guard never
 * acts. Return: the factor, within 0.005; 0: there is none. @ret_result: of the drive with it */
double drive_find_fit(const struct drive *drive, struct drive_result *ret_result);

/** drive_print_text(), drive_print_json() - Print what the actuators did, when the guard acted,
 * what was felt, and the scales that would fit, which takes some drives more. */
void drive_print_text(const struct drive *drive, const char *path,
                      const struct drive_result *result);
void drive_print_json(const struct drive *drive, const char *path,
                      const struct drive_result *result);

#endif
