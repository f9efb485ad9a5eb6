/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a recording: it is read to its end, within the available bytes, and every message is
 * decoded with any schema of the recording. */
#include "mcap/decode.h"
#include "mcap/read.h"
#include "mcap/recording.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SCHEMAS_MAX 16

static struct lk_columns schemas[SCHEMAS_MAX];
static int n_schemas;

static void read_map(struct lk_mcap_span map)
{
    struct lk_mcap_span key, value;
    char text[32];

    lk_mcap_map_get(map, "engine", text, sizeof(text));
    while (lk_mcap_map_next(&map, &key, &value))
        if (key.size + value.size > map.size + (1u << 20))
            abort();
}

static void read_schema(const struct lk_mcap_item *item)
{
    if (n_schemas < SCHEMAS_MAX &&
        lk_columns_read(item->data, item->name, &schemas[n_schemas]) == 0)
        n_schemas++;
}

static void read_message(const struct lk_mcap_item *item)
{
    struct lk_recording_cycle cycle;
    struct lk_recording_event event;

    lk_recording_cycle_take(item->data.data, item->data.size, &cycle);
    lk_recording_event_take(item->data.data, item->data.size, &event);
    for (int i = 0; i < n_schemas; i++) {
        double *values = malloc((schemas[i].n + 1) * sizeof(*values));

        if (!values)
            abort();
        lk_columns_decode(&schemas[i], item->data, values);
        free(values);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;
    int r;

    if (lk_mcap_open_memory(data, size, &reader))
        return 0;
    n_schemas = 0;
    while ((r = lk_mcap_next(&reader, &item)) == 1) {
        if (item.kind == LK_MCAP_IS_SCHEMA)
            read_schema(&item);
        else if (item.kind == LK_MCAP_IS_MESSAGE)
            read_message(&item);
        read_map(item.map);
    }
    if (r == 0 && (reader.ending == LK_MCAP_OPEN || reader.end > size))
        abort();
    while (n_schemas > 0)
        lk_columns_fini(&schemas[--n_schemas]);
    lk_mcap_close(&reader);
    return 0;
}
