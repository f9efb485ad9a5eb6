/* SPDX-License-Identifier: Apache-2.0 */
/* A reference trajectory from a CSV file: the first column is the time; the names of the others
 * give their meaning, see columns.c. */
#include "commands.h"
#include "compare.h"
#include "linkage/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** struct table - a file while it is read. @place: for each field its column, or -1 */
struct table {
    FILE *file;
    const char *path;
    long line;
    int n_fields;
    int *place;
    int size;
    int rows;
};

static const char *find_map(const struct compare_options *o, const char *name)
{
    for (int i = 0; i < o->n_maps; i++) {
        size_t n = strcspn(o->maps[i], "=");

        if (strlen(name) == n && strncmp(o->maps[i], name, n) == 0)
            return o->maps[i] + n + 1;
    }
    return name;
}

static void note_ignored(struct compare_reference *r, const char *name)
{
    size_t at = strlen(r->ignored);

    snprintf(r->ignored + at, sizeof(r->ignored) - at, "%s%s", at > 0 ? ", " : "", name);
}

/* Return: EXIT_DONE, EXIT_REFUSED after an error message */
static int take_name(struct compare *compare, struct table *t, const char *name)
{
    struct compare_reference *r = &compare->reference;
    const char *target = find_map(compare->options, name);
    struct compare_column *columns =
        realloc(r->columns, ((size_t)r->n_columns + 1) * sizeof(*columns));
    int *place = realloc(t->place, ((size_t)t->n_fields + 1) * sizeof(*place));

    r->columns = columns != NULL ? columns : r->columns;
    t->place = place != NULL ? place : t->place;
    if (columns == NULL || place == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    t->place[t->n_fields] = -1;
    if (t->n_fields > 0 && compare_columns_find(compare->system, target, &columns[r->n_columns])) {
        t->place[t->n_fields] = r->n_columns++;
    } else if (target != name) {
        complain("--map %s=%s: the model has no %s", name, target, target);
        return EXIT_REFUSED;
    } else if (t->n_fields > 0) {
        note_ignored(r, name);
    }
    t->n_fields++;
    return EXIT_DONE;
}

/* a map of a column that does not exist is a mistake */
static bool maps_are_used(const struct compare_options *o, const char *header)
{
    for (int i = 0; i < o->n_maps; i++) {
        char spaced[2 * LK_NAME_SIZE], bare[2 * LK_NAME_SIZE];
        int n = (int)strcspn(o->maps[i], "=");

        snprintf(spaced, sizeof(spaced), ",%.*s [", n, o->maps[i]);
        snprintf(bare, sizeof(bare), ",%.*s,", n, o->maps[i]);
        if (strstr(header, spaced) == NULL && strstr(header, bare) == NULL) {
            complain("--map %s: %s has no such column", o->maps[i], o->reference);
            return false;
        }
    }
    return true;
}

/* Reads the name of the next column. Return: false after an error message */
static bool check_name(const struct table *t, const char *name)
{
    bool is_time = strcmp(name, "t") == 0 || strcmp(name, "time") == 0;

    if (name[strspn(name, " ")] == '\0')
        complain("%s:1: column %d has no name", t->path, t->n_fields + 1);
    else if (t->n_fields == 0 && !is_time)
        complain("%s:1: expected a header that begins with the time (t or time)", t->path);
    else
        return true;
    return false;
}

static int read_header(struct compare *compare, struct table *t, char *line)
{
    int code = maps_are_used(compare->options, line) ? EXIT_DONE : EXIT_REFUSED;
    char *word;

    line[strcspn(line, "\r\n")] = '\0';
    while (code == EXIT_DONE && (word = strsep(&line, ",")) != NULL) {
        char *unit = strstr(word, " [");

        if (unit != NULL)
            *unit = '\0';
        code = check_name(t, word) ? take_name(compare, t, word) : EXIT_REFUSED;
    }
    if (code == EXIT_DONE && compare->reference.n_columns == 0) {
        complain("%s: none of its columns is a body, a joint or an output of the model; --map "
                 "COLUMN=TARGET names one",
                 t->path);
        code = EXIT_REFUSED;
    }
    return code;
}

static bool make_room(struct compare_reference *r, struct table *t)
{
    size_t more = t->size > 0 ? 2 * (size_t)t->size : 256;
    double *time, *value;

    if (r->n_times < t->size)
        return true;
    time = realloc(r->time, more * sizeof(*time));
    if (time != NULL)
        r->time = time;
    value = realloc(r->value, more * (size_t)r->n_columns * sizeof(*value));
    if (value != NULL)
        r->value = value;
    if (time == NULL || value == NULL) {
        complain("out of memory");
        return false;
    }
    t->size = (int)more;
    return true;
}

/* Whether a field ends here; the last one ends with its line. */
static bool ends(const char *at, bool is_last)
{
    return is_last ? at[strspn(at, " \r\n")] == '\0' : *at == ',';
}

/* Return: EXIT_DONE, EXIT_REFUSED after an error message */
static int read_row(struct compare_reference *r, struct table *t, char *line)
{
    double *row = r->value + (size_t)r->n_times * (size_t)r->n_columns, value;
    char *at = line, *end;

    for (int i = 0; i < t->n_fields; i++) {
        value = strtod(at, &end);
        if (i + 1 == t->n_fields && end != at && *end == ',') {
            complain("%s:%ld: more than %d fields", t->path, t->line, t->n_fields);
            return EXIT_REFUSED;
        }
        if (end == at || !isfinite(value) || !ends(end, i + 1 == t->n_fields)) {
            complain("%s:%ld: field %d is no finite number, expected %d numbers", t->path, t->line,
                     i + 1, t->n_fields);
            return EXIT_REFUSED;
        }
        if (i == 0)
            r->time[r->n_times] = value;
        else if (t->place[i] >= 0)
            row[t->place[i]] = value;
        at = end + 1;
    }
    if (r->n_times > 0 && r->time[r->n_times] <= r->time[r->n_times - 1]) {
        complain("%s:%ld: time is %g s, expected more than in the row before", t->path, t->line,
                 r->time[r->n_times]);
        return EXIT_REFUSED;
    }
    r->n_times++;
    return EXIT_DONE;
}

static int read_rows(struct compare *compare, struct table *t)
{
    struct compare_reference *r = &compare->reference;
    double end = compare->options->duration > 0 ? compare->options->duration : HUGE_VAL;
    char *line = NULL;
    size_t size = 0;
    int code = EXIT_DONE;

    while (code == EXIT_DONE && getline(&line, &size, t->file) > 0) {
        t->line++;
        if (t->line == 1) {
            code = read_header(compare, t, line);
            continue;
        }
        if (line[strspn(line, " \r\n")] == '\0')
            continue;
        code = make_room(r, t) ? read_row(r, t, line) : EXIT_REFUSED;
        if (code == EXIT_DONE && r->time[r->n_times - 1] > end * (1 + 1e-9)) {
            r->n_times--;
            break;
        }
    }
    free(line);
    if (code == EXIT_DONE && (r->n_times < 2 || fabs(r->time[0]) > 0)) {
        complain("%s: expected at least two rows, the first of them at t = 0", t->path);
        code = EXIT_REFUSED;
    }
    return code;
}

int compare_table_read(struct compare *compare)
{
    struct compare_reference *r = &compare->reference;
    struct table t = {.path = compare->options->reference};
    int fd = lk_file_open(t.path), code;

    t.file = fd < 0 ? NULL : fdopen(fd, "r");
    if (t.file == NULL) {
        complain("%s: %s", t.path, lk_file_error(fd < 0 ? fd : -errno));
        return EXIT_REFUSED;
    }
    code = read_rows(compare, &t);
    fclose(t.file);
    free(t.place);
    snprintf(r->name, sizeof(r->name), "%s", t.path);
    snprintf(r->confirmed, sizeof(r->confirmed), "%d of its columns are compared", r->n_columns);
    return code;
}
