/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of numbers as a MAT-file of level 5, which MATLAB, Octave and scipy.io.loadmat read. */
#ifndef TOOLS_LINKAGE_MAT_FILE_H
#define TOOLS_LINKAGE_MAT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct mat;

/** mat_new() - Begin a table of @n columns. Return: NULL: out of memory. */
struct mat *mat_new(size_t n);

/** mat_name() - Name a column. Its variable has the letters, digits and underscores of the name,
 * "pose.x" is pose_x, and a name of its own among those before. @unit: "" for none */
void mat_name(struct mat *mat, size_t column, const char *name, const char *unit);

/** mat_add_row() - Append a row. Return: false: out of memory. */
bool mat_add_row(struct mat *mat, const double *values);

/** mat_write() - Write the file @path: a column vector for each column, and the structure `units`
 * with their units. Return: 0, -EFBIG: a column has 2 GB or more; or negative errno, see
 * output_error(). */
int mat_write(const struct mat *mat, const char *path);

void mat_free(struct mat *mat);

#endif
