/* SPDX-License-Identifier: Apache-2.0 */
/* A reference trajectory from a CSV file. The first column is the time; the names of the other
 * columns give their meaning, see columns.c. */
#include "commands.h"
#include "compare.h"
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t at = strlen(r->ignored), room = sizeof(r->ignored) - at;

    snprintf(r->ignored + at, room, "%s%s", at > 0 ? ", " : "", name);
}

/* Return false with a message if an option --map names a column that the file does not have. */
static bool maps_are_used(const struct compare_options *o, const struct lk_csv_table *t)
{
    for (int i = 0; i < o->n_maps; i++) {
        size_t n = strcspn(o->maps[i], "=");
        bool found = false;

        for (int k = 0; k < t->n; k++)
            found |= strlen(t->name[k]) == n && strncmp(t->name[k], o->maps[i], n) == 0;
        if (!found) {
            complain("--map %s: %s has no such column", o->maps[i], o->reference);
            return false;
        }
    }
    return true;
}

/* Find the meaning of all columns.
 * @place: for each column of the file the column of the reference, or -1
 * Return: false after an error message */
static bool take_names(struct compare *compare, const struct lk_csv_table *t, int *place)
{
    struct compare_reference *r = &compare->reference;

    for (int i = 0; i < t->n; i++) {
        const char *target = find_map(compare->options, t->name[i]);

        place[i] = -1;
        if (compare_columns_find(compare->system, target, &r->columns[r->n_columns])) {
            place[i] = r->n_columns++;
        } else if (target != t->name[i]) {
            complain("--map %s=%s: the model has no %s", t->name[i], target, target);
            return false;
        } else {
            note_ignored(r, t->name[i]);
        }
    }
    if (r->n_columns > 0)
        return true;
    complain("%s: none of its columns is a body, a joint or an output of the model; --map "
             "COLUMN=TARGET names one",
             compare->options->reference);
    return false;
}

/* Copy the columns that the model has. The times are moved out of the table without a copy. */
static bool take_values(struct compare_reference *r, struct lk_csv_table *t, const int *place)
{
    size_t rows = (size_t)t->n_rows;

    r->value = calloc(rows * (size_t)r->n_columns + 1, sizeof(*r->value));
    if (r->value == NULL)
        return false;
    for (size_t k = 0; k < rows; k++)
        for (int i = 0; i < t->n; i++)
            if (place[i] >= 0)
                r->value[k * (size_t)r->n_columns + (size_t)place[i]] =
                    t->value[k * (size_t)t->n + (size_t)i];
    r->n_times = t->n_rows;
    r->time = t->time;
    t->time = NULL;
    return true;
}

static int take_table(struct compare *compare, struct lk_csv_table *t)
{
    struct compare_reference *r = &compare->reference;
    int *place = calloc((size_t)t->n + 1, sizeof(*place));
    int code = EXIT_REFUSED;

    r->columns = calloc((size_t)t->n + 1, sizeof(*r->columns));
    if (place == NULL || r->columns == NULL)
        complain("out of memory");
    else if (!maps_are_used(compare->options, t) || !take_names(compare, t, place))
        code = EXIT_REFUSED;
    else if (t->n_rows < 2 || fabs(t->time[0]) > 0)
        complain("%s: expected at least two rows, the first of them at t = 0",
                 compare->options->reference);
    else if (!take_values(r, t, place))
        complain("out of memory");
    else
        code = EXIT_DONE;
    free(place);
    return code;
}

int compare_table_read(struct compare *compare)
{
    struct compare_reference *r = &compare->reference;
    const struct compare_options *o = compare->options;
    struct lk_csv_table table;
    struct lk_error error;
    int code = EXIT_REFUSED;

    if (lk_csv_read(o->reference, o->duration > 0 ? o->duration : HUGE_VAL, &table, &error) != 0)
        complain("%s", error.text);
    else
        code = take_table(compare, &table);
    lk_csv_table_release(&table);
    snprintf(r->name, sizeof(r->name), "%s", o->reference);
    snprintf(r->confirmed, sizeof(r->confirmed), "%d of its columns are compared", r->n_columns);
    return code;
}
