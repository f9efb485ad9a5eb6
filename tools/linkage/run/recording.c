/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs read from a recording, for a run with the same or another model. */
#include "linkage/file.h"
#include "mcap/decode.h"
#include "recordings/recorded.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** struct taking - state of the reader.
 * @begin:          time of the first step [s]
 * @before, @after: begin and end of the present step [s]
 * @sequence:       sequence number of the messages of this cycle */
struct taking {
    struct recorded file;
    struct recorded_topic *inputs;
    struct lk_columns columns;
    struct lk_csv_table *table;
    double begin;
    double before;
    double after;
    uint32_t sequence;
    bool has_cycle;
    bool has_begun;
};

bool run_is_recording(const char *path)
{
    char begin[sizeof(LK_MCAP_MAGIC)] = "";
    int fd = lk_file_open(path);
    bool is = fd >= 0 && read(fd, begin, sizeof(begin) - 1) == (ssize_t)sizeof(begin) - 1 &&
              memcmp(begin, LK_MCAP_MAGIC, sizeof(begin) - 1) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

/* Set the name of a column to that of the input channel, and set its unit. */
static bool name_column(struct taking *t, int i)
{
    const struct lk_column *column = &t->columns.column[i];
    char key[2 * LK_COLUMN_NAME_SIZE + 16], unit[64] = "", name[LK_COLUMN_NAME_SIZE];
    char full[2 * LK_COLUMN_NAME_SIZE + 2];

    snprintf(key, sizeof(key), "%s%s%s", column->field, *column->component ? "." : "",
             column->component);
    lk_mcap_map_get(t->inputs->units, key, unit, sizeof(unit));
    snprintf(key, sizeof(key), "name of %s", column->field);
    if (!lk_mcap_map_get(t->inputs->units, key, name, sizeof(name)))
        memcpy(name, column->field, sizeof(name));
    snprintf(full, sizeof(full), "%s%s%s", name, *column->component ? "." : "", column->component);
    t->table->name[i] = strdup(full);
    t->table->unit[i] = strdup(unit);
    return t->table->name[i] != NULL && t->table->unit[i] != NULL;
}

static bool read_names(struct taking *t)
{
    t->inputs = recorded_topic(&t->file, "inputs");
    if (t->inputs == NULL ||
        lk_columns_read(t->inputs->schema, t->inputs->type, &t->columns) != 0) {
        complain("%s: there is no topic /inputs that can be read: this is no recording of linkaged",
                 t->file.path);
        return false;
    }
    t->table->name = calloc(t->columns.n + 1, sizeof(char *));
    t->table->unit = calloc(t->columns.n + 1, sizeof(char *));
    for (size_t i = 0; t->table->name != NULL && t->table->unit != NULL && i < t->columns.n; i++) {
        t->table->n++;
        if (!name_column(t, (int)i))
            break;
    }
    if ((size_t)t->table->n == t->columns.n)
        return true;
    complain("out of memory");
    return false;
}

/* Compute begin and end of the step that a cycle made. */
static void take_cycle(struct taking *t, const struct lk_mcap_item *item)
{
    struct lk_recording_cycle cycle;

    t->has_cycle =
        lk_recording_cycle_take(item->data.data, item->data.size, &cycle) && cycle.stepped != 0;
    if (!t->has_cycle)
        return;
    t->sequence = item->sequence;
    t->before = t->has_begun ? t->after : cycle.time_s * (1 - 1 / (double)cycle.step);
    t->begin = t->has_begun ? t->begin : t->before;
    t->after = cycle.time_s;
    t->has_begun = true;
}

static bool take_inputs(struct taking *t, const struct lk_mcap_item *item)
{
    struct lk_csv_table *table = t->table;
    int row = table->n_rows;

    if (!t->has_cycle || item->sequence != t->sequence)
        return true;
    if (!lk_csv_table_grow(table)) {
        complain("out of memory");
        return false;
    }
    if (!lk_columns_decode(&t->columns, item->data,
                           table->value + (size_t)row * (size_t)table->n)) {
        complain("%s: a message of /inputs cannot be decoded", t->file.path);
        return false;
    }
    table->time[row] = t->before - t->begin;
    table->line[row] = row + 1;
    table->n_rows++;
    t->has_cycle = false;
    return true;
}

static bool read_rows(struct taking *t)
{
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    int result;

    while ((result = recorded_next(&t->file, &item, &topic)) == 1) {
        if (topic != NULL && strcmp(topic->name, "/cycle") == 0)
            take_cycle(t, &item);
        else if (topic != NULL && topic == t->inputs && !take_inputs(t, &item))
            return false;
    }
    return result == 0;
}

bool run_read_recording(const char *path, struct lk_csv_table *table)
{
    struct taking t = {.table = table};
    bool done;

    *table = (struct lk_csv_table){0};
    if (!recorded_open(path, &t.file))
        return false;
    done = read_names(&t) && read_rows(&t);
    lk_columns_fini(&t.columns);
    recorded_close(&t.file);
    return done;
}
