/* SPDX-License-Identifier: Apache-2.0 */
/* A CSV file of numbers, one column a scalar, one row an instant.
 *
 * Columns are named `channel.component [unit]`, or `channel [unit]` for a channel of one scalar,
 * the same in every tool. Numbers are written with 17 significant digits: reading them back gives
 * the same bits. Fields with a comma or a quote are quoted (RFC 4180).
 *
 *     lk_csv_open()  lk_csv_add_column() ...  lk_csv_write_row() ...  lk_csv_close()
 *
 * The first error is kept: later calls do nothing and return it again, so a caller may check
 * lk_csv_close() only. A file belongs to one thread at a time. */
#ifndef TOOLS_COMMON_CSV_H
#define TOOLS_COMMON_CSV_H

struct lk_csv;

/** lk_csv_open() - create or truncate @path; "-": standard output.
 * Return: 0, negative errno. */
int lk_csv_open(const char *path, struct lk_csv **ret_csv);

/** lk_csv_add_column() - append a column. Only before the first row.
 * @channel:   "time", "crank_angle"
 * @component: "x"; "" or NULL for a channel of one scalar
 * @unit:      "m/s", "1"; "" or NULL leaves the brackets out
 * Return: 0, negative errno. */
int lk_csv_add_column(struct lk_csv *csv, const char *channel, const char *component,
                      const char *unit);

/** lk_csv_write_row() - append a row; the first one ends the header.
 * @values: as many as there are columns
 * Return: 0, negative errno (-ENOSPC on a full disk; it may show late, as rows are buffered). */
int lk_csv_write_row(struct lk_csv *csv, const double *values);

/** lk_csv_close() - write what is buffered, close, release; NULL is allowed. A file without rows
 * gets its header.
 * Return: 0, or the first error since lk_csv_open() as negative errno. */
int lk_csv_close(struct lk_csv *csv);

#endif
