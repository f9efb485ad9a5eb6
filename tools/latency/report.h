/* SPDX-License-Identifier: Apache-2.0 */
/* The report: a table for people, JSON for programs, and files for plots. */
#ifndef TOOLS_LATENCY_REPORT_H
#define TOOLS_LATENCY_REPORT_H

#include "results.h"
#include <stdio.h>

/** lat_report_table() - Print the report as a table. */
void lat_report_table(FILE *file, const struct lat_report *report);

/** lat_report_json() - Print the report as one line of JSON. */
void lat_report_json(FILE *file, const struct lat_report *report);

/** lat_report_distribution() - Write a CSV file for one load. The classes have equal width on a
 * logarithmic axis. For each method and trip, the file contains the share of samples in the class
 * and the share above its lower end [%].
 * Return: 0, negative errno. */
int lat_report_distribution(const char *path, const struct lat_report *report,
                            const struct lat_load_result *result);

/** lat_report_files() - Write all files, including pictures, into the output folder. Without
 * gnuplot, the report contains a note and there are no pictures.
 * Return: 0, negative errno after an error message. */
int lat_report_files(struct lat_report *report);

#endif
