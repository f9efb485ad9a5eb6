/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a CSV file of numbers over time. */
#include "csv.h"
#include "linkage/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* that some programs write before UTF-8 */

/** struct reader - a file while it is read. @line: the present one */
struct reader {
    const char *path;
    struct lk_csv_table *table;
    struct lk_error *error;
    long line;
};

static int out_of_memory(const struct reader *r)
{
    lk_error_set(r->error, "%s: out of memory", r->path);
    return LK_E_TEXT;
}

/* ---- the header ---- */

/* Cuts " [unit]" off @name. Return: the unit, "" for none. */
static char *cut_unit(char *name)
{
    char *unit = strstr(name, " [");

    if (unit == NULL)
        return name + strlen(name);
    *unit = '\0';
    unit += 2;
    unit[strcspn(unit, "]")] = '\0';
    return unit;
}

static int add_column(struct reader *r, const char *name, const char *unit)
{
    struct lk_csv_table *t = r->table;
    size_t n = (size_t)t->n + 1;
    char **names = realloc(t->name, n * sizeof(*names));
    char **units;

    t->name = names != NULL ? names : t->name;
    units = realloc(t->unit, n * sizeof(*units));
    t->unit = units != NULL ? units : t->unit;
    if (names == NULL || units == NULL)
        return out_of_memory(r);
    t->name[t->n] = strdup(name);
    t->unit[t->n] = strdup(unit);
    t->n++;
    return t->name[t->n - 1] != NULL && t->unit[t->n - 1] != NULL ? 0 : out_of_memory(r);
}

static int read_header(struct reader *r, char *line)
{
    bool is_time = true;
    int result = 0;
    char *word;

    line[strcspn(line, "\r\n")] = '\0';
    line +=
        strncmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0 ? strlen(BYTE_ORDER_MARK) : 0;
    while (result == 0 && (word = strsep(&line, ",")) != NULL) {
        char *unit = cut_unit(word);

        word += strspn(word, " ");
        if (*word == '\0') {
            lk_error_set(r->error, "%s:%ld: column %d has no name", r->path, r->line,
                         is_time ? 1 : r->table->n + 2);
            return LK_E_TEXT;
        }
        if (is_time && strcmp(word, "t") != 0 && strcmp(word, "time") != 0) {
            lk_error_set(r->error,
                         "%s:%ld: expected a header that begins with the time (t or time)", r->path,
                         r->line);
            return LK_E_TEXT;
        }
        if (is_time && *unit != '\0' && strcmp(unit, "s") != 0) {
            lk_error_set(r->error, "%s:%ld: the time is in [%s], expected [s]", r->path, r->line,
                         unit);
            return LK_E_TEXT;
        }
        result = is_time ? 0 : add_column(r, word, unit);
        is_time = false;
    }
    return result;
}

/* ---- rows ---- */

bool lk_csv_table_grow(struct lk_csv_table *t)
{
    size_t more = t->room > 0 ? 2 * (size_t)t->room : 256;
    double *time, *value;
    long *line;

    if (t->n_rows < t->room)
        return true;
    time = realloc(t->time, more * sizeof(*time));
    t->time = time != NULL ? time : t->time;
    value = realloc(t->value, (more * (size_t)t->n + 1) * sizeof(*value));
    t->value = value != NULL ? value : t->value;
    line = realloc(t->line, more * sizeof(*line));
    t->line = line != NULL ? line : t->line;
    if (time == NULL || value == NULL || line == NULL)
        return false;
    t->room = (int)more;
    return true;
}

/* Whether a field ends here; the last one ends with its line. */
static bool ends(const char *at, bool is_last)
{
    return is_last ? at[strspn(at, " \r\n")] == '\0' : *at == ',';
}

/* Field @i of a row that begins @at and reads as a number up to @end. */
static int refuse_field(const struct reader *r, int i, const char *at, const char *end)
{
    int n = r->table->n;

    if (i == n && end != at && *end == ',')
        lk_error_set(r->error, "%s:%ld: more than %d fields", r->path, r->line, n + 1);
    else if (i < n && end != at && ends(end, true))
        lk_error_set(r->error, "%s:%ld: the row ends after field %d, expected %d fields", r->path,
                     r->line, i + 1, n + 1);
    else
        lk_error_set(r->error, "%s:%ld: field %d is no finite number, expected %d numbers", r->path,
                     r->line, i + 1, r->table->n + 1);
    return LK_E_TEXT;
}

static int read_row(struct reader *r, const char *line)
{
    struct lk_csv_table *t = r->table;
    double *row = t->value + (size_t)t->n_rows * (size_t)t->n, value;
    const char *at = line;
    char *end;

    for (int i = 0; i <= t->n; i++) {
        value = strtod(at, &end);
        if (end == at || !isfinite(value) || !ends(end, i == t->n))
            return refuse_field(r, i, at, end);
        if (i == 0)
            t->time[t->n_rows] = value;
        else
            row[i - 1] = value;
        at = end + 1;
    }
    if (t->n_rows > 0 && t->time[t->n_rows] <= t->time[t->n_rows - 1]) {
        lk_error_set(r->error, "%s:%ld: time is %g s, expected more than in the row before",
                     r->path, r->line, t->time[t->n_rows]);
        return LK_E_TEXT;
    }
    t->line[t->n_rows++] = r->line;
    return 0;
}

static int read_lines(struct reader *r, FILE *file, double end)
{
    struct lk_csv_table *t = r->table;
    char *line = NULL;
    size_t size = 0;
    int result = 0;

    while (result == 0 && getline(&line, &size, file) > 0) {
        r->line++;
        if (r->line == 1) {
            result = read_header(r, line);
            continue;
        }
        if (line[strspn(line, " \r\n")] == '\0')
            continue;
        result = lk_csv_table_grow(t) ? read_row(r, line) : out_of_memory(r);
        if (result == 0 && t->time[t->n_rows - 1] > end * (1 + 1e-9)) {
            t->n_rows--;
            break;
        }
    }
    free(line);
    if (r->line == 0) {
        lk_error_set(r->error, "%s: nothing is in it, expected a header that begins with the time",
                     r->path);
        return LK_E_TEXT;
    }
    return result;
}

int lk_csv_read(const char *path, double end, struct lk_csv_table *t, struct lk_error *ret_error)
{
    struct reader r = {.path = path, .table = t, .error = ret_error};
    int fd = lk_file_open(path), result;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

    *t = (struct lk_csv_table){0};
    if (file == NULL) {
        lk_error_set(ret_error, "%s: %s", path, lk_file_error(fd < 0 ? fd : -errno));
        return LK_E_TEXT;
    }
    result = read_lines(&r, file, end);
    fclose(file);
    return result;
}

void lk_csv_table_release(struct lk_csv_table *t)
{
    for (int i = 0; i < t->n; i++) {
        free(t->name[i]);
        free(t->unit[i]);
    }
    free(t->name);
    free(t->unit);
    free(t->time);
    free(t->value);
    free(t->line);
    *t = (struct lk_csv_table){0};
}
