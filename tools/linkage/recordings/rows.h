/* SPDX-License-Identifier: Apache-2.0 */
/* A topic of a recording as rows of numbers over time. */
#ifndef TOOLS_LINKAGE_ROWS_H
#define TOOLS_LINKAGE_ROWS_H

#include "mcap/decode.h"
#include "recorded.h"

/** struct rows - a topic as rows.
 * @n:         number of columns;  @time_at: the one with the time [s]
 * @values:    the present row: n numbers
 * @start_ns:  UTC at the time 0, from the first row
 * @has_clock: the topic itself has the time; otherwise it is a column before its own */
struct rows {
    struct recorded *file;
    struct recorded_topic *topic;
    struct lk_columns columns;
    size_t n;
    size_t time_at;
    double *values;
    bool has_clock;
    bool has_cycle;
    uint64_t deadline_ns;
    double time_s;
    uint64_t first_ns;
    uint64_t start_ns;
};

/** struct rows_name - name of a column, as in a CSV file. */
struct rows_name {
    char channel[LK_COLUMN_NAME_SIZE];
    char component[LK_COLUMN_NAME_SIZE];
    char unit[64];
};

/** rows_begin() - Find a topic and its columns in @file, which stays the caller's. Return: false
 * after an error message. Release in either case. */
bool rows_begin(struct recorded *file, const char *topic, struct rows *ret_rows);
/** rows_name() - Return the name of column @i. */
void rows_name(const struct rows *rows, size_t i, struct rows_name *ret);
/** rows_next() - Read the next row. Return: 1; 0: the end; -1 after an error message. */
int rows_next(struct rows *rows);
void rows_end(struct rows *rows);

#endif
