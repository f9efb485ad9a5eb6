/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the report, shared by its source files. Users of the report include
 * report.h. */
#ifndef LK_REPORT_PARTS_H
#define LK_REPORT_PARTS_H

#include "report.h"

/** lk_report_durations_head() - Print the head of a table of durations.
 * lk_report_durations_text() - Print a row of the table.
 * @d: durations, NULL: none */
void lk_report_durations_head(FILE *file);
void lk_report_durations_text(FILE *file, const char *label, const Linkage__V1__Durations *d);

/** lk_report_durations_json() - Add durations as member @key.
 * @d:       NULL: none, all fields are zero
 * @bracket: format of a bucket: '[' for [upper_ns, count], '{' for an object with these two keys */
void lk_report_durations_json(struct lk_json *json, const char *key,
                              const Linkage__V1__Durations *d, char bracket);

/** lk_report_budgets_text(), lk_report_budgets_json() - Write the latency budgets of all
 * benches. */
void lk_report_budgets_text(FILE *file, const Linkage__V1__Evidence *evidence);
void lk_report_budgets_json(struct lk_json *json, const Linkage__V1__Evidence *evidence);

#endif
