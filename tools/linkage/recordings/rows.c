/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rows_begin(struct recorded *file, const char *topic, struct rows *rows)
{
    int result;

    *rows = (struct rows){.file = file, .topic = recorded_topic(file, topic)};
    if (rows->topic == NULL) {
        complain("%s: there is no topic '%s'; linkage info lists those that there are", file->path,
                 topic);
        return false;
    }
    result = lk_columns_read(rows->topic->schema, rows->topic->type, &rows->columns);
    if (result != 0 || rows->columns.n == 0) {
        complain("%s: %s: %s", file->path, rows->topic->name,
                 result != 0 ? "its schema cannot be read" : "there are no numbers in it");
        return false;
    }
    rows->has_clock = strcmp(rows->topic->name, "/cycle") == 0;
    rows->n = rows->columns.n + !rows->has_clock;
    for (size_t i = 0; i < rows->columns.n && rows->has_clock; i++)
        if (strcmp(rows->columns.column[i].field, "time") == 0)
            rows->time_at = i;
    rows->values = calloc(rows->n, sizeof(double));
    if (rows->values == NULL)
        complain("out of memory");
    return rows->values != NULL;
}

void rows_name(const struct rows *rows, size_t i, struct rows_name *ret)
{
    const struct lk_column *column;
    char key[2 * LK_COLUMN_NAME_SIZE + 16];

    *ret = (struct rows_name){.channel = "time", .unit = "s"};
    if (i == 0 && !rows->has_clock)
        return;
    column = &rows->columns.column[i - !rows->has_clock];
    snprintf(key, sizeof(key), "%s%s%s", column->field, *column->component ? "." : "",
             column->component);
    lk_mcap_map_get(rows->topic->units, key, ret->unit, sizeof(ret->unit));
    snprintf(key, sizeof(key), "name of %s", column->field);
    if (!lk_mcap_map_get(rows->topic->units, key, ret->channel, sizeof(ret->channel)))
        memcpy(ret->channel, column->field, sizeof(ret->channel));
    memcpy(ret->component, column->component, sizeof(ret->component));
}

/* Return the time of a message: simulated time if the file has cycles, otherwise time since the
 * first message [s]. A message of a topic with its own steps, such as a platform, gets a time
 * between two cycles. */
static double time_of(struct rows *rows, const struct lk_mcap_item *item)
{
    if (rows->first_ns == 0)
        rows->first_ns = item->log_ns;
    if (rows->has_cycle)
        return rows->time_s + (double)(int64_t)(item->publish_ns - rows->deadline_ns) * 1e-9;
    return (double)(int64_t)(item->log_ns - rows->first_ns) * 1e-9;
}

static void note_cycle(struct rows *rows, const struct lk_mcap_item *item)
{
    struct lk_recording_cycle cycle;

    rows->has_cycle = lk_recording_cycle_take(item->data.data, item->data.size, &cycle);
    if (rows->has_cycle) {
        rows->deadline_ns = cycle.deadline_ns;
        rows->time_s = cycle.time_s;
    }
}

int rows_next(struct rows *rows)
{
    struct recorded_topic *topic;
    struct lk_mcap_item item;
    int result;

    while ((result = recorded_next(rows->file, &item, &topic)) == 1) {
        if (topic != NULL && strcmp(topic->name, "/cycle") == 0)
            note_cycle(rows, &item);
        if (topic == NULL || topic != rows->topic)
            continue;
        if (!lk_columns_decode(&rows->columns, item.data, rows->values + !rows->has_clock)) {
            complain("%s: a message of %s cannot be decoded", rows->file->path, topic->name);
            return -1;
        }
        if (!rows->has_clock)
            rows->values[0] = time_of(rows, &item);
        if (rows->start_ns == 0)
            rows->start_ns = item.log_ns - (uint64_t)(int64_t)(1e9 * rows->values[rows->time_at]);
        return 1;
    }
    return result;
}

void rows_end(struct rows *rows)
{
    lk_columns_fini(&rows->columns);
    free(rows->values);
}
