/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of a CSV file of numbers over time. */
#include "csv.h"
#include "linkage/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some programs write it before UTF-8 */

#define SEPARATORS ",;\t" /* field separators; a file uses one of them */

/** struct reader - a file while it is read.
 * @line:      number of the present line
 * @separator: separator of fields, the first one found in the header
 * @is_curves: the first column need not be the time, see lk_csv_read_curves() */
struct reader {
    const char *path;
    struct lk_csv_table *table;
    struct lk_error *error;
    long line;
    char separator;
    bool is_curves;
};

static int out_of_memory(const struct reader *r)
{
    lk_error_set(r->error, "%s: out of memory", r->path);
    return LK_E_TEXT;
}

/* ---- fields ---- */

static bool is_blank(const struct reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->separator != '\t');
}

/* Remove the quotes of a quoted field at @at. A doubled quote stands for one quote.
 * Return: position after the closing quote; NULL: the field has none. */
static char *unquote(char *at)
{
    char *to = at;

    for (char *from = at + 1; *from != '\0'; from++) {
        if (*from == '"' && *++from != '"') {
            *to = '\0';
            return from;
        }
        *to++ = *from;
    }
    return NULL;
}

/* Split off the next field at @at, without the blanks around it (RFC 4180 for quotes). @at is NULL
 * after the last field.
 * Return: 0, LK_E_TEXT: a closing quote is missing, or text follows it. */
static int next_field(const struct reader *r, char **at, char **ret)
{
    char *field = *at, *end, *last;

    while (is_blank(r, *field))
        field++;
    if (*field == '"') {
        end = last = unquote(field);
        while (end != NULL && is_blank(r, *end))
            end++;
        if (end == NULL || (*end != '\0' && *end != r->separator)) {
            lk_error_set(r->error,
                         "%s:%ld: a quote that does not end, expected \" before the next %s",
                         r->path, r->line, r->separator == '\t' ? "tab" : "separator");
            return LK_E_TEXT;
        }
    } else {
        end = last = strchr(field, r->separator) != NULL ? strchr(field, r->separator)
                                                         : field + strlen(field);
        while (last > field && is_blank(r, last[-1]))
            last--;
    }
    *at = *end != '\0' ? end + 1 : NULL;
    *last = '\0';
    *ret = field;
    return 0;
}

/* ---- the header ---- */

/* Remove "[unit]" and the blanks before it from @name.
 * Return: the unit, "" for none. */
static char *cut_unit(char *name)
{
    char *unit = strrchr(name, '['), *end = name + strlen(name);

    if (unit == NULL || unit == name || end[-1] != ']')
        return end;
    end[-1] = '\0';
    for (end = unit; end > name + 1 && end[-1] == ' ';)
        end--;
    *end = '\0';
    return unit + 1;
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

static void find_separator(struct reader *r, const char *line)
{
    bool is_quoted = false;

    r->separator = ',';
    for (; *line != '\0'; line++) {
        is_quoted ^= *line == '"';
        if (!is_quoted && strchr(SEPARATORS, *line) != NULL) {
            r->separator = *line;
            return;
        }
    }
}

static int check_time(const struct reader *r, const char *name, const char *unit)
{
    if (r->is_curves && (strcmp(name, "height") == 0 || strcmp(name, "steer") == 0 ||
                         strcmp(name, LK_CSV_FREQUENCY) == 0 || strcmp(name, LK_CSV_CLASS) == 0)) {
        snprintf(r->table->axis, sizeof(r->table->axis), "%s [%.16s]", name, unit);
        return 0;
    }
    if (strcasecmp(name, "t") != 0 && strcasecmp(name, "time") != 0) {
        lk_error_set(r->error,
                     "%s:%ld: expected a header that begins with the time (t or time), and commas, "
                     "semicolons or tabs between columns; it begins with '%.40s'",
                     r->path, r->line, name);
        return LK_E_TEXT;
    }
    if (*unit == '\0' || strcmp(unit, "s") == 0)
        return 0;
    lk_error_set(r->error, "%s:%ld: the time is in [%s], expected [s]", r->path, r->line, unit);
    return LK_E_TEXT;
}

static int read_header(struct reader *r, char *line)
{
    int result = 0;
    char *name, *unit;

    line +=
        strncmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0 ? strlen(BYTE_ORDER_MARK) : 0;
    find_separator(r, line);
    for (int column = 1; result == 0 && line != NULL; column++) {
        result = next_field(r, &line, &name);
        if (result != 0)
            break;
        unit = cut_unit(name);
        if (*name == '\0') {
            lk_error_set(r->error, "%s:%ld: column %d has no name", r->path, r->line, column);
            return LK_E_TEXT;
        }
        result = column == 1 ? check_time(r, name, unit) : add_column(r, name, unit);
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

/* Guess the cause of an invalid number in a field. */
static const char *guess(const struct reader *r, const char *field)
{
    return strpbrk(field, SEPARATORS) == NULL ? ""
           : r->separator == ','              ? " with a comma between them, as in the header"
           : r->separator == ';'
               ? " with a decimal point, and a semicolon between them, as in the header"
               : " with a decimal point, and a tab between them, as in the header";
}

/* Store field @i of a row; 0 is the time. */
static int take_field(struct reader *r, int i, const char *field)
{
    struct lk_csv_table *t = r->table;
    double *row = t->value + (size_t)t->n_rows * (size_t)t->n;
    char *end;
    double value = strtod(field, &end);

    if (i > t->n) {
        lk_error_set(r->error, "%s:%ld: more than %d fields", r->path, r->line, t->n + 1);
        return LK_E_TEXT;
    }
    bool is_gap = i > 0 && t->axis[0] != '\0' && isnan(value);

    if (end == field || *end != '\0' || (!isfinite(value) && !is_gap)) {
        lk_error_set(r->error, "%s:%ld: field %d is no finite number, expected %d numbers%s",
                     r->path, r->line, i + 1, t->n + 1, guess(r, field));
        return LK_E_TEXT;
    }
    if (i == 0)
        t->time[t->n_rows] = value;
    else
        row[i - 1] = value;
    return 0;
}

static int read_row(struct reader *r, char *line)
{
    struct lk_csv_table *t = r->table;
    int n = 0, result = 0;
    char *field;

    for (; line != NULL; n++) {
        result = next_field(r, &line, &field);
        if (result == 0)
            result = take_field(r, n, field);
        if (result != 0)
            return result;
    }
    if (n <= t->n) {
        lk_error_set(r->error, "%s:%ld: the row ends after field %d, expected %d fields", r->path,
                     r->line, n, t->n + 1);
        return LK_E_TEXT;
    }
    if (t->n_rows > 0 && t->time[t->n_rows] <= t->time[t->n_rows - 1]) {
        lk_error_set(r->error, "%s:%ld: %s is %g%s, expected more than in the row before", r->path,
                     r->line, t->axis[0] != '\0' ? t->axis : "time", t->time[t->n_rows],
                     t->axis[0] != '\0' ? "" : " s");
        return LK_E_TEXT;
    }
    t->line[t->n_rows++] = r->line;
    return 0;
}

/* Remove the line ending. Return: 0, LK_E_TEXT: the file is not text (zero bytes, UTF-16). */
static int check_line(const struct reader *r, char *line, size_t length)
{
    if (strlen(line) < length || strncmp(line, "\xff\xfe", 2) == 0) {
        lk_error_set(r->error, "%s:%ld: a zero byte or UTF-16, expected text in UTF-8", r->path,
                     r->line);
        return LK_E_TEXT;
    }
    while (length > 0 && strchr("\r\n", line[length - 1]) != NULL)
        line[--length] = '\0';
    return 0;
}

static int read_lines(struct reader *r, FILE *file, double end)
{
    struct lk_csv_table *t = r->table;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int result = 0;

    while (result == 0 && (length = getline(&line, &size, file)) > 0) {
        r->line++;
        result = check_line(r, line, (size_t)length);
        if (result == 0 && r->line == 1)
            result = read_header(r, line);
        if (result != 0 || r->line == 1 || line[strspn(line, " \t")] == '\0')
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

static int read_file(const char *path, double end, bool is_curves, struct lk_csv_table *t,
                     struct lk_error *ret_error)
{
    struct reader r = {.path = path, .table = t, .error = ret_error, .is_curves = is_curves};
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

int lk_csv_read(const char *path, double end, struct lk_csv_table *t, struct lk_error *ret_error)
{
    return read_file(path, end, false, t, ret_error);
}

int lk_csv_read_curves(const char *path, struct lk_csv_table *t, struct lk_error *ret_error)
{
    return read_file(path, HUGE_VAL, true, t, ret_error);
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
