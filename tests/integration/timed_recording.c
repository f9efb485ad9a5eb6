/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of 2000 cycles of 1 ms whose timing is known, for the test of linkage report.
 * usage: timed_recording KIND FILE */
#include "mcap/recording.h"
#include "mcap/summary.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES 2000
#define PERIOD 1000000

static const char *kind;

static bool is(const char *name)
{
    return strcmp(kind, name) == 0;
}

static void put_front(struct lk_mcap_buffer *file)
{
    const struct lk_mcap_pair facts[] = {{"model", is("hostile") ? "<b>&x</b>" : "tested"},
                                         {"period_ns", "1000000"},
                                         {"mode", is("asap") ? "asap" : "realtime"}};
    struct lk_mcap_buffer cycle = {.grows = true}, event = {.grows = true};

    lk_recording_cycle_schema(&cycle);
    lk_recording_event_schema(&event);
    lk_mcap_put_header(file, "test");
    lk_mcap_put_schema(file, 1, "linkage.recording.Cycle", cycle.data, cycle.size);
    lk_mcap_put_schema(file, 4, "linkage.recording.Event", event.data, event.size);
    lk_mcap_put_channel(file, 1, 1, "/cycle", NULL, 0);
    lk_mcap_put_channel(file, 4, 4, "/events", NULL, 0);
    lk_mcap_put_metadata(file, LK_RECORDING_BEGIN, facts, 3);
    lk_mcap_buffer_fini(&cycle);
    lk_mcap_buffer_fini(&event);
}

static void put_cycle(struct lk_mcap_chunk *chunk, uint64_t k)
{
    struct lk_recording_cycle c = {.cycle = k,
                                   .step = k + 1,
                                   .time_s = 1e-3 * (double)(k + 1),
                                   .deadline_ns = 5000000 + k * PERIOD,
                                   .woken_ns = 10000,
                                   .computed_ns = 30000,
                                   .state = 3,
                                   .stepped = 1,
                                   .flags = is("degraded")};

    if (is("late") && k == 700)
        c.woken_ns = 1200000, c.computed_ns = 1220000;
    if ((is("long") || is("behind")) && k == 800)
        c.computed_ns = 2100000;
    if (is("behind") && k == 801)
        c.woken_ns = 1100000, c.computed_ns = 1120000;
    c.overruns = is("sent") && k > 900;
    c.skipped = is("skipped") && k > 5 ? 3 : 0;
    lk_recording_cycle_fill(&c, lk_mcap_chunk_add(chunk, 1, (uint32_t)k, 1000 + k * PERIOD,
                                                  c.deadline_ns, LK_RECORDING_CYCLE_SIZE));
}

static void put_event(struct lk_mcap_chunk *chunk)
{
    const struct lk_recording_event event = {
        .id = "inject", .text = "spike on <script>alert(1)</script>", .step = 3};
    unsigned char bytes[512];
    struct lk_mcap_buffer message = {.data = bytes, .capacity = sizeof(bytes)};

    lk_recording_event_put(&message, &event);
    memcpy(lk_mcap_chunk_add(chunk, 4, 0, 1000, 1000, message.size), bytes, message.size);
}

static void put_tail(struct lk_mcap_buffer *file, struct lk_mcap_summary *summary)
{
    const struct lk_mcap_pair end[] = {{"dropped_cycles", is("dropped") ? "7" : "0"},
                                       {"dropped_events", "0"},
                                       {"trouble", is("trouble") ? "the disk is full" : ""}};
    struct lk_mcap_buffer tail = {.grows = true};

    lk_mcap_put_metadata(&tail, LK_RECORDING_END, end, 3);
    if (lk_mcap_summary_front(summary, &tail) != 0)
        abort();
    lk_mcap_summary_close(summary, &tail);
    lk_mcap_put(file, tail.data, tail.size);
    lk_mcap_buffer_fini(&tail);
}

static int save(const struct lk_mcap_buffer *file, const char *path)
{
    size_t size = is("cut") ? file->size - 500 : file->size;
    FILE *f = fopen(path, "w");
    bool good = f != NULL && fwrite(file->data, 1, size, f) == size;

    return f != NULL && fclose(f) == 0 && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    size_t size = lk_mcap_chunk_size(1 << 20);
    struct lk_mcap_buffer file = {.grows = true};
    struct lk_mcap_summary summary;
    struct lk_mcap_chunk_index index;
    struct lk_mcap_chunk chunk;
    void *memory = malloc(size);
    int code;

    if (argc != 3 || memory == NULL || lk_mcap_chunk_init(&chunk) != 0)
        return 2;
    kind = argv[1];
    lk_mcap_summary_init(&summary);
    put_front(&file);
    if (lk_mcap_summary_front(&summary, &file) != 0)
        return 2;
    lk_mcap_chunk_begin(&chunk, memory, size);
    put_event(&chunk);
    for (uint64_t k = is("part") ? 500 : 0; k < CYCLES; k++)
        put_cycle(&chunk, k);
    lk_mcap_chunk_close(&chunk, &index);
    if (lk_mcap_summary_chunk(&summary, &index) != 0)
        return 2;
    lk_mcap_put(&file, chunk.buffer.data, chunk.buffer.size);
    put_tail(&file, &summary);
    code = save(&file, argv[2]);
    lk_mcap_chunk_fini(&chunk);
    lk_mcap_summary_fini(&summary);
    lk_mcap_buffer_fini(&file);
    free(memory);
    return code;
}
