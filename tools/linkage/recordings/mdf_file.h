/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers as a measurement file of ASAM MDF 4.1, sorted, with one group and compressed
 * data. */
#ifndef TOOLS_LINKAGE_MDF_FILE_H
#define TOOLS_LINKAGE_MDF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mdf;

/** mdf_new() - Begin a table of @n columns, of which column @time is the master [s].
 * @group: name of the group
 * Return: NULL: out of memory. */
struct mdf *mdf_new(size_t n, size_t time, const char *group);

/** mdf_name() - Name a column, in UTF-8. @unit: "" for none. Return: false: out of memory. */
bool mdf_name(struct mdf *mdf, size_t column, const char *name, const char *unit);

/** mdf_add_row() - Append a row. Return: false: out of memory. */
bool mdf_add_row(struct mdf *mdf, const double *values);

/** mdf_write() - Write the file @path. No row is added after it. @start_ns: UTC at the time 0 of the
 * table. Return: 0, or negative errno, see output_error(). */
int mdf_write(struct mdf *mdf, const char *path, uint64_t start_ns);

void mdf_free(struct mdf *mdf);

#endif
