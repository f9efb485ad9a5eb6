/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file of numbers, one column per scalar, one row per instant.
 *
 * Columns are named `channel.component [unit]`, or `channel [unit]` for a channel of one scalar,
 * the same in every tool. Numbers are written with 17 significant digits: reading them back gives
 * the same bits. Fields with a comma or a quote are quoted (RFC 4180).
 *
 *     lk_csv_open()  lk_csv_add_column() ...  lk_csv_write_row() ...  lk_csv_close()
 *
 * After the first error, later calls do nothing and return the same error. So a caller may check
 * the result of lk_csv_close() only. A file belongs to one thread at a time. */
#ifndef TOOLS_COMMON_CSV_H
#define TOOLS_COMMON_CSV_H

#include "linkage/error.h"
#include <stdbool.h>

/* Names of a first column that has a logarithmic axis: frequencies; lower ends of classes. */
#define LK_CSV_FREQUENCY "frequency"
#define LK_CSV_CLASS     "from"

struct lk_csv;

/** lk_csv_open() - Begin the file @path; "-": standard output. @mark: see output_check()
 * Return: 0, negative errno, see output_error(). */
int lk_csv_open(const char *path, const char *mark, struct lk_csv **ret_csv);

/** lk_csv_add_column() - Append a column. Call only before the first row.
 * @channel:   name such as "time" or "crank_angle"
 * @component: name such as "x"; "" or NULL for a channel of one scalar
 * @unit:      "m/s", "1"; "" or NULL: no brackets are written
 * Return: 0, negative errno. */
int lk_csv_add_column(struct lk_csv *csv, const char *channel, const char *component,
                      const char *unit);

/** lk_csv_write_row() - Append a row. The first row ends the header.
 * @values: one value per column
 * Return: 0, negative errno (-ENOSPC on a full disk; it may be reported late, because rows are
 * buffered). */
int lk_csv_write_row(struct lk_csv *csv, const double *values);

/** lk_csv_close() - Write buffered rows, close the file, and release @csv, which may be NULL. If
 * there are no rows, the header is written.
 * Return: 0, or the first error since lk_csv_open() as negative errno. */
int lk_csv_close(struct lk_csv *csv);

/* ---- reading: csv_read.c ---- */

/** struct lk_csv_table - numbers over time, as lk_csv_write_row() and other programs write them.
 * @n:           number of columns after the first one, which is the ascending time
 * @name, @unit: name and unit of each column, "" for no unit
 * @n_rows:      number of rows
 * @time:        time of each row [s]
 * @value:       @n numbers per row
 * @line:        line of each row in its file, from 1
 * @room:        number of rows for which memory is allocated
 * @axis:        of lk_csv_read_curves(): name and unit of the first column, "height [m]"; "": time
 */
struct lk_csv_table {
    int n;
    char axis[64];
    char **name;
    char **unit;
    int n_rows;
    double *time;
    double *value;
    long *line;
    int room;
};

/** lk_csv_read() - Read a file up to the first row beyond @end [s]. Empty lines are ignored.
 * @ret_error: "path:line: error, expectation"
 * Return: 0, LK_E_TEXT; release the table in either case. */
int lk_csv_read(const char *path, double end, struct lk_csv_table *ret_table,
                struct lk_error *ret_error);
/** lk_csv_read_curves() - do the same, but the first column may also be a height or a steering
 * travel, as `linkage kc` writes them, a frequency, or the lower end of a class; other fields of
 * such a file may be nan. */
int lk_csv_read_curves(const char *path, struct lk_csv_table *ret_table,
                       struct lk_error *ret_error);
/** lk_csv_table_grow() - Allocate memory for one more row. Return: false: out of memory. */
bool lk_csv_table_grow(struct lk_csv_table *table);
/** lk_csv_table_release() - Free the memory of a table. */
void lk_csv_table_release(struct lk_csv_table *table);

#endif
