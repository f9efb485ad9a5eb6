/* SPDX-License-Identifier: Apache-2.0 */
/* After The MathWorks, MAT-File Format, chapter 1: elements of a type, a size and data, which end
 * at multiples of 8 bytes. Written uncompressed and by hand: libmatio needs HDF5, which is larger
 * than this program. Little-endian, as all machines that this project supports. */
#include "mat_file.h"
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK      "MATLAB 5.0 MAT-file"
#define HEAD      116 /* bytes of text at the beginning */
#define NAME_SIZE 64  /* MATLAB accepts names of 63 characters */
#define UNITS     "units"

/* Types of elements, and classes of arrays. */
enum { INT8 = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14 };
enum { STRUCT_CLASS = 2, CHAR_CLASS = 4, DOUBLE_CLASS = 6 };

struct column {
    char name[NAME_SIZE];
    char unit[NAME_SIZE];
};

/* struct mat - @n columns of @n_rows values, row by row. */
struct mat {
    size_t n;
    size_t n_rows;
    size_t room;
    struct column *column;
    double *value;
};

struct mat *mat_new(size_t n)
{
    struct mat *mat = calloc(1, sizeof(*mat));

    if (mat == NULL)
        return NULL;
    mat->n = n;
    mat->column = calloc(n + 1, sizeof(*mat->column));
    if (mat->column != NULL)
        return mat;
    free(mat);
    return NULL;
}

void mat_free(struct mat *mat)
{
    if (mat != NULL) {
        free(mat->column);
        free(mat->value);
    }
    free(mat);
}

/* ---- names ---- */

/* Return whether the name cannot be that of a new variable: a keyword of MATLAB, or taken. */
static bool is_taken(const struct mat *mat, size_t n, const char *name)
{
    static const char *const words[] = {
        "break",      "case",   "catch",    "classdef", "continue", "else",      "elseif",
        "end",        "for",    "function", "global",   "if",       "otherwise", "parfor",
        "persistent", "return", "spmd",     "switch",   "try",      "while",     UNITS};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (size_t i = 0; i < n; i++)
        if (strcmp(mat->column[i].name, name) == 0)
            return true;
    return false;
}

void mat_name(struct mat *mat, size_t column, const char *name, const char *unit)
{
    struct column *c = &mat->column[column];
    char plain[NAME_SIZE];

    snprintf(plain, sizeof(plain), "%s%s", isalpha((unsigned char)*name) ? "" : "x_", name);
    for (char *p = plain; *p != '\0'; p++)
        *p = isalnum((unsigned char)*p) ? *p : '_';
    strcpy(c->name, plain);
    for (int k = 2; is_taken(mat, column, c->name); k++)
        snprintf(c->name, sizeof(c->name), "%.52s_%d", plain, k);
    snprintf(c->unit, sizeof(c->unit), "%s", unit);
}

bool mat_add_row(struct mat *mat, const double *values)
{
    if (mat->n_rows == mat->room) {
        size_t room = mat->room > 0 ? 2 * mat->room : 1024;
        double *value = realloc(mat->value, room * mat->n * sizeof(double));

        if (value == NULL)
            return false;
        mat->value = value;
        mat->room = room;
    }
    memcpy(mat->value + mat->n_rows++ * mat->n, values, mat->n * sizeof(double));
    return true;
}

/* ---- elements ---- */

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static void put_tag(FILE *to, uint32_t type, size_t size)
{
    const uint32_t tag[] = {type, (uint32_t)size};

    fwrite(tag, sizeof(tag), 1, to);
}

static void put_element(FILE *to, uint32_t type, const void *data, size_t size)
{
    static const char zeros[8] = {0};

    put_tag(to, type, size);
    fwrite(data, 1, size, to);
    fwrite(zeros, 1, padded(size) - size, to);
}

/* Return the size of what begin_matrix() writes after the tag. */
static size_t head_size(const char *name)
{
    return 16 + 16 + 8 + padded(strlen(name));
}

/* Begin an array of @n_rows x @n_columns. @size: of its data, with tags and padding */
static void begin_matrix(FILE *to, uint32_t class, const char *name, size_t n_rows,
                         size_t n_columns, size_t size)
{
    const uint32_t flags[] = {class, 0};
    const int32_t dimensions[] = {(int32_t)n_rows, (int32_t)n_columns};

    put_tag(to, MATRIX, head_size(name) + size);
    put_element(to, UINT32, flags, sizeof(flags));
    put_element(to, INT32, dimensions, sizeof(dimensions));
    put_element(to, INT8, name, strlen(name));
}

static void put_column(FILE *to, const struct mat *mat, size_t column)
{
    size_t size = mat->n_rows * sizeof(double);

    begin_matrix(to, DOUBLE_CLASS, mat->column[column].name, mat->n_rows, 1, 8 + size);
    put_tag(to, DOUBLE, size);
    for (size_t i = 0; i < mat->n_rows; i++)
        fwrite(&mat->value[i * mat->n + column], sizeof(double), 1, to);
}

static size_t text_size(const char *text)
{
    return 8 + padded(strlen(text) * sizeof(uint16_t));
}

static void put_text(FILE *to, const char *text)
{
    uint16_t wide[NAME_SIZE];
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++)
        wide[i] = (unsigned char)text[i];
    begin_matrix(to, CHAR_CLASS, "", n > 0, n, text_size(text));
    put_element(to, UINT16, wide, n * sizeof(*wide));
}

/* Write the structure of the units. Its data: the size of a name, all names, an array for each. */
static void put_units(FILE *to, const struct mat *mat)
{
    const uint32_t name_size[] = {4u << 16 | INT32, NAME_SIZE};
    size_t size = sizeof(name_size) + 8 + mat->n * NAME_SIZE;

    for (size_t i = 0; i < mat->n; i++)
        size += 8 + head_size("") + text_size(mat->column[i].unit);
    begin_matrix(to, STRUCT_CLASS, UNITS, 1, 1, size);
    fwrite(name_size, sizeof(name_size), 1, to);
    put_tag(to, INT8, mat->n * NAME_SIZE);
    for (size_t i = 0; i < mat->n; i++)
        fwrite(mat->column[i].name, NAME_SIZE, 1, to);
    for (size_t i = 0; i < mat->n; i++)
        put_text(to, mat->column[i].unit);
}

static void put_head(FILE *to)
{
    static const char none[8] = {0};
    static const char version[4] = {0, 1, 'I', 'M'}; /* the order of the letters is that of bytes */

    fprintf(to, "%-*s", HEAD, MARK ", by linkage export");
    fwrite(none, sizeof(none), 1, to);
    fwrite(version, sizeof(version), 1, to);
}

int mat_write(const struct mat *mat, const char *path)
{
    struct output *to = NULL;
    int fault;

    if (mat->n_rows >= (size_t)INT32_MAX / sizeof(double) - 16)
        return -EFBIG;
    fault = output_open(path, MARK, &to);
    if (fault != 0)
        return fault;
    put_head(output_file(to));
    for (size_t i = 0; i < mat->n; i++)
        put_column(output_file(to), mat, i);
    put_units(output_file(to), mat);
    return output_close(to, true);
}
