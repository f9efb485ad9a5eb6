/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCRG files: the numbers after the head. */
#include "crg_reading.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RECORD 80 /* bytes of a record of data */

static int allocate(struct lk_crg *c, const struct lk_crg_reading *r)
{
    size_t n = (size_t)c->n;
    bool done;

    c->z = malloc(n * (size_t)c->n_v * sizeof(double));
    c->phi = lk_crg_count(r, LK_CRG_PHI) > 0 ? malloc(n * sizeof(double)) : NULL;
    c->slope = lk_crg_count(r, LK_CRG_SLOPE) > 0 ? malloc(n * sizeof(double)) : NULL;
    c->banking = lk_crg_count(r, LK_CRG_BANKING) > 0 ? malloc(n * sizeof(double)) : NULL;
    done = c->z != NULL && (c->phi != NULL || lk_crg_count(r, LK_CRG_PHI) == 0) &&
           (c->slope != NULL || lk_crg_count(r, LK_CRG_SLOPE) == 0) &&
           (c->banking != NULL || lk_crg_count(r, LK_CRG_BANKING) == 0);
    return done ? 0 : -ENOMEM;
}

static void put(struct lk_crg *c, enum lk_crg_channel kind, int row, int section, double value)
{
    double *const column[] = {NULL, c->phi, c->slope, c->banking};

    if (kind == LK_CRG_LONG)
        c->z[(size_t)row * (size_t)c->n_v + (size_t)section] = value;
    else if (kind != LK_CRG_OTHER)
        column[kind][row] = value;
}

/* Read a number in @width characters; a field that begins with '*' is missing. Return: whether
 * the field is a number or missing. */
static bool read_field(const struct lk_crg_reading *r, const char *from, size_t width, double *ret)
{
    char text[24];

    memcpy(text, from, width);
    text[width] = '\0';
    *ret = NAN;
    return *lk_crg_trim(text) == '*' || lk_crg_number(r, lk_crg_trim(text), ret);
}

/* Read row @row, of as many lines as it needs. Return: whether the row is complete and valid. */
static bool read_text_row(struct lk_crg_reading *r, int row)
{
    size_t width = r->is_double ? 20 : 10, length = 0;
    char text[LK_CRG_LINE_MAX + 1];
    int section = 0;

    for (int i = 0, k = 0; i < r->n_channels; i++, k = (k + 1) % (int)(RECORD / width)) {
        size_t from = (size_t)k * width, end;
        double value;

        if (k == 0 && !lk_crg_next_line(r, text, &length)) {
            lk_crg_refuse(r, r->line, "the file ends within row %d, expected %d numbers a row",
                          row + 1, r->n_channels);
            return false;
        }
        end = strlen(text);
        if (from >= end) {
            lk_crg_refuse(r, r->line, "%d numbers, expected %d in this line, %zu characters each",
                          k,
                          r->n_channels - i + k < (int)(RECORD / width) ? r->n_channels - i + k
                                                                        : (int)(RECORD / width),
                          width);
            return false;
        }
        if (!read_field(r, text + from, end - from < width ? end - from : width, &value)) {
            lk_crg_refuse(r, r->line, "number %d is '%.*s', expected one in columns %zu to %zu",
                          k + 1, (int)(end - from < width ? end - from : width), text + from,
                          from + 1, from + width);
            return false;
        }
        put(r->crg, r->channel[i], row, r->channel[i] == LK_CRG_LONG ? section++ : 0, value);
    }
    return true;
}

/* count the lines that are not empty, from the present position on */
static size_t count_lines(const struct lk_crg_reading *r)
{
    size_t n = 0;
    bool empty = true;

    for (size_t i = r->at; i < r->size; i++) {
        empty = empty && isspace((unsigned char)r->bytes[i]);
        if (r->bytes[i] == '\n' || i + 1 == r->size) {
            n += !empty;
            empty = true;
        }
    }
    return n;
}

static double read_binary(const struct lk_crg_reading *r, size_t index)
{
    const unsigned char *from =
        (const unsigned char *)r->bytes + r->at + index * (r->is_double ? 8 : 4);
    uint64_t bits = 0;

    for (int i = 0; i < (r->is_double ? 8 : 4); i++)
        bits = bits << 8 | from[i];
    if (r->is_double) {
        double value;

        memcpy(&value, &bits, sizeof(value));
        return value;
    } else {
        uint32_t half = (uint32_t)bits;
        float value;

        memcpy(&value, &half, sizeof(value));
        return (double)value;
    }
}

static bool read_binary_row(struct lk_crg_reading *r, int row)
{
    int section = 0;

    for (int i = 0; i < r->n_channels; i++) {
        double value = read_binary(r, (size_t)row * (size_t)r->n_channels + (size_t)i);

        if (!isnan(value) && !(fabs(value) <= LK_CRG_NUMBER_MAX)) {
            lk_crg_refuse(r, 0, "number %d of row %d is %g, expected one within 1e9", i + 1,
                          row + 1, value);
            return false;
        }
        put(r->crg, r->channel[i], row, r->channel[i] == LK_CRG_LONG ? section++ : 0, value);
    }
    return true;
}

/* count the rows in the rest of the file; the last record of a binary file is padded with NANs */
static size_t count_rows(const struct lk_crg_reading *r)
{
    size_t width = r->is_double ? 8 : 4, per_line = RECORD / (r->is_double ? 20 : 10);
    size_t n = (size_t)r->n_channels, rows;

    if (!r->is_binary)
        return count_lines(r) / ((n + per_line - 1) / per_line);
    rows = (r->size - r->at) / width / n;
    for (size_t spare = 0; rows > 0 && (spare + n) * width < RECORD; spare += n, rows--)
        for (size_t i = 0; i < n; i++)
            if (!isnan(read_binary(r, (rows - 1) * n + i)))
                return rows;
    return rows;
}

/* return the number of rows according to the head, or 0 if the head does not state it */
static size_t rows_by_head(const struct lk_crg_reading *r)
{
    double length = r->end_u - (isnan(r->start_u) ? 0 : r->start_u);

    return length > 0 && length / r->crg->step < 1e9 ? (size_t)llround(length / r->crg->step) + 1
                                                     : 0;
}

static void choose_rows(struct lk_crg_reading *r)
{
    size_t there = count_rows(r), wanted = rows_by_head(r);

    if (wanted > 0 && there < wanted)
        lk_crg_refuse(r, 0,
                      "%zu rows of numbers, expected %zu from REFERENCE_LINE_START_U to _END_U",
                      there, wanted);
    else if (wanted > 0 && there > wanted)
        lk_crg_note(r, "%zu rows of numbers behind the end of the line have no effect",
                    there - wanted);
    else
        wanted = there;
    if (r->errors->n == 0 && (wanted < 2 || wanted > 10000000))
        lk_crg_refuse(r, 0, "%zu rows of numbers, expected 2 to 10000000", wanted);
    r->crg->n = r->errors->n == 0 ? (int)wanted : 0;
}

/* check that a value along the line has no holes */
static void check_line(struct lk_crg_reading *r, const char *name, const double *value, int from)
{
    for (int i = from; i < r->crg->n && value != NULL; i++)
        if (isnan(value[i])) {
            lk_crg_refuse(r, 0, "%s is missing in row %d, expected a number", name, i + 1);
            return;
        }
}

static int read_rows(struct lk_crg_reading *r)
{
    struct lk_crg *c = r->crg;

    choose_rows(r);
    if (r->errors->n > 0)
        return 0;
    if (allocate(c, r) != 0)
        return -ENOMEM;
    for (int i = 0; i < c->n; i++)
        if (!(r->is_binary ? read_binary_row(r, i) : read_text_row(r, i)))
            return 0;
    check_line(r, "phi", c->phi, 1);
    check_line(r, "slope", c->slope, 1);
    check_line(r, "banking", c->banking, 0);
    return 0;
}

static int read_all(struct lk_crg_reading *r)
{
    int result = lk_crg_read_head(r);

    return result != 0 || r->errors->n > 0 ? result : read_rows(r);
}

static void forget(struct lk_crg *c)
{
    *c = (struct lk_crg){.step = NAN};
    for (int i = 0; i < 2; i++)
        c->x[i] = c->y[i] = c->z0[i] = c->heading[i] = c->rise[i] = c->bank[i] = NAN;
}

int lk_crg_read(const char *name, const void *bytes, size_t size, struct lk_crg *ret,
                struct lk_errors *ret_errors)
{
    struct lk_crg_reading *r = calloc(1, sizeof(*r));
    int result = -ENOMEM;

    forget(ret);
    ret_errors->n = 0;
    if (r == NULL)
        return result;
    r->name = name;
    r->bytes = bytes;
    r->size = size;
    r->crg = ret;
    r->errors = ret_errors;
    r->start_u = r->end_u = r->right = r->left = r->step_v = NAN;
    r->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r->locale != (locale_t)0) {
        result = read_all(r);
        freelocale(r->locale);
    }
    free(r);
    if (result == 0 && ret_errors->n > 0)
        result = LK_E_TEXT;
    if (result != 0)
        lk_crg_free(ret);
    return result;
}

void lk_crg_free(struct lk_crg *c)
{
    free(c->v);
    free(c->phi);
    free(c->slope);
    free(c->banking);
    free(c->z);
    c->v = c->phi = c->slope = c->banking = c->z = NULL;
}
