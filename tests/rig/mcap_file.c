/* SPDX-License-Identifier: Apache-2.0 */
#include "mcap_file.h"
#include "mcap/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lk_channel channels[] = {
    {.name = "a-b", .size = 1, .offset = 0, .component = {""}, .unit = {"rad"}},
    {.name = "a_b", .size = 1, .offset = 1, .component = {""}, .unit = {"rad/s"}},
    {.name = "aB", .size = 1, .offset = 2, .component = {""}, .unit = {"m"}},
    {.name = "pose", .size = 3, .offset = 3, .component = {"x", "y", "z"}, .unit = {"m", "m", "m"}},
    {.name = "pose_t",
     .size = 3,
     .offset = 6,
     .component = {"x", "y", "z"},
     .unit = {"N", "N", "N m"}},
    {.name = "last", .size = 1, .offset = 9, .component = {""}, .unit = {"1"}},
};

const struct lk_channel *mcap_file_channels(int *ret_n)
{
    *ret_n = sizeof(channels) / sizeof(channels[0]);
    return channels;
}

double mcap_file_value(unsigned int cycle, unsigned int i)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324};

    return i == 2 ? special[cycle % 6] : 1.0 / (1 + cycle) - (double)i * 0.1;
}

static void demand(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "mcap_file: %s\n", what);
    abort();
}

static void put_front(struct lk_mcap_buffer *file, const struct lk_mcap_type *inputs,
                      const struct lk_mcap_type *outputs)
{
    const struct lk_mcap_pair facts[] = {{"model", "test"}, {"engine", "none"}};
    struct lk_mcap_buffer cycle = {.grows = true}, event = {.grows = true};

    lk_recording_cycle_schema(&cycle);
    lk_recording_event_schema(&event);
    lk_mcap_put_header(file, "test");
    lk_mcap_put_schema(file, 1, "linkage.recording.Cycle", cycle.data, cycle.size);
    lk_mcap_put_schema(file, 2, inputs->name, inputs->descriptor.data, inputs->descriptor.size);
    lk_mcap_put_schema(file, 3, outputs->name, outputs->descriptor.data, outputs->descriptor.size);
    lk_mcap_put_schema(file, 4, "linkage.recording.Event", event.data, event.size);
    lk_mcap_put_channel(file, 1, 1, "/cycle", NULL, 0);
    lk_mcap_put_channel(file, 2, 2, "/inputs", inputs->unit, inputs->n_units);
    lk_mcap_put_channel(file, 3, 3, "/outputs", outputs->unit, outputs->n_units);
    lk_mcap_put_channel(file, 4, 4, "/events", NULL, 0);
    lk_mcap_put_attachment(file, 7, LK_RECORDING_MODEL, "application/yaml", "model: text\n", 12);
    lk_mcap_put_metadata(file, LK_RECORDING_BEGIN, facts, 2);
    lk_mcap_buffer_fini(&cycle);
    lk_mcap_buffer_fini(&event);
}

static void put_cycle(struct lk_mcap_chunk *chunk, const struct lk_mcap_type *inputs,
                      const struct lk_mcap_type *outputs, unsigned int k)
{
    const struct lk_recording_cycle cycle = {
        .cycle = k, .step = k + 1, .time_s = 0.5 * (k + 1), .stepped = 1, .state = 3};
    const struct lk_recording_event event = {.id = "state", .text = "here", .step = k};
    double values[MCAP_FILE_VALUES];
    unsigned char bytes[64];
    struct lk_mcap_buffer message = {.data = bytes, .capacity = sizeof(bytes)};
    uint64_t at = 1000 + 10 * k;

    for (unsigned int i = 0; i < MCAP_FILE_VALUES; i++)
        values[i] = mcap_file_value(k, i);
    lk_recording_cycle_fill(&cycle, lk_mcap_chunk_add(chunk, 1, k, at, k, LK_RECORDING_CYCLE_SIZE));
    lk_mcap_type_fill(inputs, values, lk_mcap_chunk_add(chunk, 2, k, at, k, inputs->size));
    lk_mcap_type_fill(outputs, values, lk_mcap_chunk_add(chunk, 3, k, at, k, outputs->size));
    if (k % 7 != 3)
        return;
    lk_recording_event_put(&message, &event);
    memcpy(lk_mcap_chunk_add(chunk, 4, k, at, k, message.size), bytes, message.size);
}

static void put_chunk(struct lk_mcap_buffer *file, struct lk_mcap_chunk *chunk,
                      struct lk_mcap_summary *summary, bool crc)
{
    struct lk_mcap_chunk_index index;

    lk_mcap_chunk_close(chunk, &index);
    if (!crc)
        lk_mcap_store_u32(chunk->buffer.data + LK_MCAP_HEAD_SIZE + 24, 0);
    demand(lk_mcap_summary_chunk(summary, &index) == 0, "no memory");
    lk_mcap_put(file, chunk->buffer.data, chunk->buffer.size);
}

static void put_tail(struct lk_mcap_buffer *file, struct lk_mcap_summary *summary)
{
    const struct lk_mcap_pair end[] = {{"dropped_cycles", "0"}};
    struct lk_mcap_buffer tail = {.grows = true};

    lk_mcap_put_metadata(&tail, LK_RECORDING_END, end, 1);
    demand(lk_mcap_summary_front(summary, &tail) == 0, "no memory");
    lk_mcap_summary_close(summary, &tail);
    demand(tail.size <= lk_mcap_summary_size(summary, 0) + 256, "the end is larger than said");
    lk_mcap_put(file, tail.data, tail.size);
    lk_mcap_buffer_fini(&tail);
}

void mcap_file_make(struct lk_mcap_buffer *file, bool crc, size_t *ret_data_end)
{
    size_t size = lk_mcap_chunk_size(1 << 16);
    void *memory = malloc(size);
    struct lk_mcap_type inputs, outputs;
    struct lk_mcap_summary summary;
    struct lk_mcap_chunk chunk;

    *file = (struct lk_mcap_buffer){.grows = true};
    lk_mcap_summary_init(&summary);
    demand(memory && lk_mcap_chunk_init(&chunk) == 0 &&
               lk_mcap_type_init(&inputs, "my-model", "Inputs", channels, MCAP_FILE_INPUTS) == 0 &&
               lk_mcap_type_init(&outputs, "my-model", "Outputs", channels,
                                 sizeof(channels) / sizeof(channels[0])) == 0,
           "no memory");
    put_front(file, &inputs, &outputs);
    demand(lk_mcap_summary_front(&summary, file) == 0, "no memory");
    for (unsigned int k = 0; k < MCAP_FILE_CYCLES; k++) {
        if (k % (MCAP_FILE_CYCLES / 2) == 0)
            lk_mcap_chunk_begin(&chunk, memory, size);
        put_cycle(&chunk, &inputs, &outputs, k);
        if ((k + 1) % (MCAP_FILE_CYCLES / 2) == 0)
            put_chunk(file, &chunk, &summary, crc);
    }
    if (ret_data_end)
        *ret_data_end = file->size;
    put_tail(file, &summary);
    demand(!file->full, "no memory");
    lk_mcap_type_fini(&inputs);
    lk_mcap_type_fini(&outputs);
    lk_mcap_chunk_fini(&chunk);
    lk_mcap_summary_fini(&summary);
    free(memory);
}
