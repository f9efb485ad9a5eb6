/* SPDX-License-Identifier: Apache-2.0 */
#include "take.h"
#include "linkage/version.h"
#include "wait.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Space for the metadata at the end [bytes]. */
#define END_SIZE 4096
/* Number of platform steps between two full messages. */
#define WHOLE_EVERY 1000
/* Values of enum State in linkage.proto, indexed by enum lkd_cycle_state. */
static const uint64_t states[] = {3, 4, 5};

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- the header ---- */

static void put_type(struct lk_mcap_buffer *front, uint16_t id, const struct lk_mcap_type *type)
{
    lk_mcap_put_schema(front, id, type->name, type->descriptor.data, type->descriptor.size);
}

static void put_types(struct lk_mcap_buffer *front, const struct lkd_take *take)
{
    struct lk_mcap_buffer cycle = {.grows = true}, event = {.grows = true};

    lk_recording_cycle_schema(&cycle);
    lk_recording_event_schema(&event);
    lk_mcap_put_schema(front, LK_RECORDING_CYCLE, "linkage.recording.Cycle", cycle.data,
                       cycle.size);
    put_type(front, LK_RECORDING_INPUTS, &take->inputs);
    put_type(front, LK_RECORDING_OUTPUTS, &take->outputs);
    lk_mcap_put_schema(front, LK_RECORDING_EVENTS, "linkage.recording.Event", event.data,
                       event.size);
    if (take->platform_step.size) {
        put_type(front, LK_RECORDING_PLATFORM, &take->platform_step);
        put_type(front, LK_RECORDING_PLATFORM_STATE, &take->platform_whole);
    }
    front->full = front->full || cycle.full || event.full;
    lk_mcap_buffer_fini(&cycle);
    lk_mcap_buffer_fini(&event);
}

static void put_channels(struct lk_mcap_buffer *front, const struct lkd_take *take)
{
    const struct lk_mcap_pair *pairs[] = {
        NULL, NULL, take->inputs.unit, take->outputs.unit, NULL, take->platform_step.unit, NULL};
    size_t n[] = {0, 0, take->inputs.n_units, take->outputs.n_units, 0, take->platform_step.n_units,
                  0};
    uint16_t last = take->platform_step.size ? LK_RECORDING_PLATFORM_STATE : LK_RECORDING_EVENTS;

    pairs[LK_RECORDING_CYCLE] = lk_recording_cycle_units(&n[LK_RECORDING_CYCLE]);
    for (uint16_t id = LK_RECORDING_CYCLE; id <= last; id++)
        lk_mcap_put_channel(front, id, id, lk_recording_topic(id), pairs[id], n[id]);
}

static int make_front(struct lkd_take *take, const struct lkd_take_source *source)
{
    struct lk_mcap_buffer *front = &take->front;
    uint64_t now_ns = (uint64_t)read_clock_ns(CLOCK_REALTIME);

    lk_mcap_put_header(front, "linkaged " LK_VERSION);
    put_types(front, take);
    put_channels(front, take);
    lk_mcap_put_attachment(front, now_ns, LK_RECORDING_MODEL, "application/yaml", source->text,
                           source->text_size);
    if (source->config)
        lk_mcap_put_attachment(front, now_ns, LK_RECORDING_CONFIG, "application/yaml",
                               source->config, source->config_size);
    lk_mcap_put_metadata(front, LK_RECORDING_BEGIN, source->pair, (size_t)source->n_pairs);
    return lk_mcap_summary_front(&take->summary, front);
}

/* ---- allocation ---- */

/* Return the size of the messages of a frame [bytes]. */
static size_t frame_size(const struct lkd_take *take)
{
    return LK_RECORDING_CYCLE_SIZE + take->inputs.size + take->outputs.size;
}

static size_t platform_size(const struct lkd_take *take)
{
    return take->platform_step.size + take->platform_whole.size;
}

/* Return true if the next frame or step of the platform fits into the chunk. */
static bool has_room(const struct lkd_take *take)
{
    return lk_mcap_chunk_fits(&take->chunk, 3, frame_size(take)) &&
           lk_mcap_chunk_fits(&take->chunk, 2, platform_size(take));
}

static int prepare_platform(struct lkd_take *take, const struct lkd_take_platform *platform)
{
    int r;

    if (!platform->queue)
        return 0;
    take->moved = platform->moved;
    r = lk_mcap_type_init(&take->platform_step, "platform", "Step", platform->step,
                          platform->n_step);
    return r ? r
             : lk_mcap_type_init(&take->platform_whole, "platform", "State", platform->whole,
                                 platform->n_whole);
}

static int prepare_messages(struct lkd_take *take, const struct lkd_take_source *source,
                            const struct lkd_record_config *config)
{
    size_t records = config->chunk;
    int r;

    if ((r = lk_mcap_type_init(&take->inputs, source->model, "Inputs", source->inputs,
                               source->n_inputs)) ||
        (r = lk_mcap_type_init(&take->outputs, source->model, "Outputs", source->outputs,
                               source->n_outputs)) ||
        (r = prepare_platform(take, &source->platform)) || (r = lk_mcap_chunk_init(&take->chunk)) ||
        (r = make_front(take, source)))
        return r;
    if (records < 2 * (frame_size(take) + platform_size(take)) + 4096)
        records = 2 * (frame_size(take) + platform_size(take)) + 4096;
    return lkd_file_init(&take->file, lk_mcap_chunk_size(records));
}

int lkd_take_new(const struct lkd_take_source *source, const struct lkd_record_config *config,
                 struct lkd_take **ret_take)
{
    struct lkd_take *take = calloc(1, sizeof(*take));
    int r;

    if (!take)
        return -ENOMEM;
    take->front.grows = true;
    take->file.fd = -1;
    take->step_s = source->step_s;
    take->utc_offset_ns = read_clock_ns(CLOCK_REALTIME) - lkd_clock_ns();
    lk_mcap_summary_init(&take->summary);
    r = prepare_messages(take, source, config);
    if (r) {
        lkd_take_free(take);
        return r;
    }
    take->file.sync = config->sync;
    *ret_take = take;
    return 0;
}

void lkd_take_free(struct lkd_take *take)
{
    if (!take)
        return;
    lkd_file_fini(&take->file);
    lk_mcap_chunk_fini(&take->chunk);
    lk_mcap_summary_fini(&take->summary);
    lk_mcap_type_fini(&take->inputs);
    lk_mcap_type_fini(&take->outputs);
    lk_mcap_type_fini(&take->platform_step);
    lk_mcap_type_fini(&take->platform_whole);
    lk_mcap_buffer_fini(&take->front);
    free(take);
}

/* Return the size of the end of the file, plus the summary entry of one more chunk. */
static uint64_t tail_size(const struct lkd_take *take)
{
    return END_SIZE + lk_mcap_summary_size(&take->summary, LKD_FILE_SLOTS + 1);
}

int lkd_take_begin(struct lkd_take *take, int fd)
{
    struct lkd_file *file = &take->file;
    int r;

    file->fd = fd;
    r = lkd_file_reserve(file, take->front.size + tail_size(take));
    if (r == 0)
        r = lkd_file_put(file, take->front.data, take->front.size, 0);
    if (r == 0 && file->sync && fdatasync(fd))
        r = -errno;
    file->next = take->front.size;
    lk_mcap_buffer_fini(&take->front);
    return r;
}

/* ---- messages ---- */

/* Prepare a chunk for messages.
 * Return: false if all slots are being written. */
static bool have_chunk(struct lkd_take *take)
{
    if (take->slot)
        return true;
    take->slot = lkd_file_free_slot(&take->file);
    if (!take->slot)
        return false;
    lk_mcap_chunk_begin(&take->chunk, take->slot->data, take->file.capacity);
    return true;
}

static int64_t input_age_ns(const struct lkd_frame *frame)
{
    return frame->stamp.sequence ? frame->record.latched_ns - frame->stamp.received_ns : -1;
}

static void add_cycle(struct lkd_take *take, const struct lkd_frame *frame, uint64_t log_ns)
{
    const struct lkd_record *r = &frame->record;
    const struct lk_recording_cycle cycle = {
        .cycle = frame->cycle,
        .step = frame->step,
        .time_s = (double)frame->step * take->step_s,
        .deadline_ns = (uint64_t)r->deadline_ns,
        .woken_ns = r->woken_ns - r->deadline_ns,
        .latched_ns = r->latched_ns - r->deadline_ns,
        .stepped_ns = r->stepped_ns - r->deadline_ns,
        .computed_ns = r->computed_ns - r->deadline_ns,
        .state = states[frame->state],
        .fault = (uint64_t)frame->fault,
        .stepped = frame->stepped,
        .flags = frame->flags,
        .overruns = frame->overruns,
        .skipped = frame->skipped,
        .input_claim = frame->stamp.claim,
        .input_sequence = frame->stamp.sequence,
        .input_age_ns = input_age_ns(frame),
    };
    unsigned char *to =
        lk_mcap_chunk_add(&take->chunk, LK_RECORDING_CYCLE, (uint32_t)frame->cycle, log_ns,
                          (uint64_t)r->deadline_ns, LK_RECORDING_CYCLE_SIZE);

    lk_recording_cycle_fill(&cycle, to);
}

static void add_values(struct lkd_take *take, const struct lkd_frame *frame, uint64_t log_ns,
                       uint16_t channel, const struct lk_mcap_type *type, const double *values)
{
    unsigned char *to = lk_mcap_chunk_add(&take->chunk, channel, (uint32_t)frame->cycle, log_ns,
                                          (uint64_t)frame->record.deadline_ns, type->size);

    lk_mcap_type_fill(type, values, to);
}

static void note_message(struct lkd_take *take)
{
    if (take->chunk.n_entries == 0)
        take->chunk_ns = lkd_clock_ns();
}

bool lkd_take_frame(struct lkd_take *take, const struct lkd_frame *frame)
{
    uint64_t log_ns = (uint64_t)(frame->record.computed_ns + take->utc_offset_ns);

    if (!have_chunk(take) || !lk_mcap_chunk_fits(&take->chunk, 3, frame_size(take)))
        return false;
    note_message(take);
    if (take->n_frames++ == 0)
        take->begins_at_step = frame->step - (frame->stepped ? 1 : 0);
    add_cycle(take, frame, log_ns);
    if (!frame->stepped)
        return true;
    add_values(take, frame, log_ns, LK_RECORDING_INPUTS, &take->inputs, frame->values);
    add_values(take, frame, log_ns, LK_RECORDING_OUTPUTS, &take->outputs,
               frame->values + take->inputs.n_values);
    return true;
}

static void add_numbers(struct lkd_take *take, const struct lkd_frame *frame, uint16_t channel,
                        const struct lk_mcap_type *type, const double *values)
{
    int64_t at_ns = frame->record.deadline_ns;
    unsigned char *to =
        lk_mcap_chunk_add(&take->chunk, channel, (uint32_t)frame->cycle,
                          (uint64_t)(at_ns + take->utc_offset_ns), (uint64_t)at_ns, type->size);

    lk_mcap_type_fill(type, values, to);
}

bool lkd_take_platform(struct lkd_take *take, const struct lkd_frame *frame)
{
    const double *step = frame->values, *whole = step + take->platform_step.n_values;

    if (!have_chunk(take) || !lk_mcap_chunk_fits(&take->chunk, 2, platform_size(take)))
        return false;
    note_message(take);
    if (take->n_platform++ == 0 || frame->cycle != take->platform_next ||
        frame->cycle >= take->platform_due || step[take->moved] != 0) {
        add_numbers(take, frame, LK_RECORDING_PLATFORM_STATE, &take->platform_whole, whole);
        take->platform_due = frame->cycle + WHOLE_EVERY;
    }
    add_numbers(take, frame, LK_RECORDING_PLATFORM, &take->platform_step, step);
    take->platform_next = frame->cycle + 1;
    return true;
}

bool lkd_take_event(struct lkd_take *take, const struct lk_recording_event *event, int64_t now_ns)
{
    unsigned char bytes[LK_RECORDING_ID_SIZE + LK_RECORDING_TEXT_SIZE + 32], *to;
    struct lk_mcap_buffer message = {.data = bytes, .capacity = sizeof(bytes)};

    lk_recording_event_put(&message, event);
    if (!have_chunk(take) || !lk_mcap_chunk_fits(&take->chunk, 1, message.size))
        return false;
    note_message(take);
    to =
        lk_mcap_chunk_add(&take->chunk, LK_RECORDING_EVENTS, take->n_events++,
                          (uint64_t)(now_ns + take->utc_offset_ns), (uint64_t)now_ns, message.size);
    memcpy(to, bytes, message.size);
    return true;
}

/* ---- chunks ---- */

bool lkd_take_is_due(const struct lkd_take *take, int64_t now_ns, int64_t flush_ns)
{
    if (!take->slot || take->chunk.n_entries == 0)
        return false;
    return now_ns - take->chunk_ns >= flush_ns || !has_room(take);
}

int lkd_take_write(struct lkd_take *take)
{
    struct lkd_file_slot *slot = take->slot;
    int r;

    if (!slot || take->chunk.n_entries == 0)
        return 0;
    lk_mcap_chunk_close(&take->chunk, &take->slot_index[slot - take->file.slot]);
    take->slot = NULL;
    r = lkd_file_reserve(&take->file, take->chunk.buffer.size + tail_size(take));
    if (r)
        return r;
    lkd_file_write(&take->file, slot, take->chunk.buffer.size);
    return 0;
}

int lkd_take_accept(struct lkd_take *take, bool wait)
{
    struct lkd_file_slot *slot;
    int r = 0;

    while (r == 0 && (slot = lkd_file_accept(&take->file, wait)) != NULL) {
        r = slot->result;
        if (r == 0)
            r = lk_mcap_summary_chunk(&take->summary, &take->slot_index[slot - take->file.slot]);
    }
    return r;
}

int lkd_take_end(struct lkd_take *take, const struct lk_mcap_pair *pairs, size_t n)
{
    struct lk_mcap_buffer tail = {.grows = true};
    struct lkd_file *file = &take->file;
    uint64_t offset = take->summary.offset; /* end of the last complete chunk */
    int r;

    while (lkd_file_accept(file, true)) /* no write is submitted after these */
        ;
    lk_mcap_put_metadata(&tail, LK_RECORDING_END, pairs, n);
    r = lk_mcap_summary_front(&take->summary, &tail);
    lk_mcap_summary_close(&take->summary, &tail);
    if (r == 0)
        r = tail.full ? -ENOMEM : lkd_file_put(file, tail.data, tail.size, offset);
    /* Release the reserved space and remove an incomplete chunk. */
    if (ftruncate(file->fd, (off_t)(offset + (r ? 0 : tail.size))) && r == 0)
        r = -errno;
    if (r == 0 && file->sync && fdatasync(file->fd))
        r = -errno;
    lk_mcap_buffer_fini(&tail);
    return r;
}

void lkd_take_leave(struct lkd_take *take)
{
    struct stat st;

    while (lkd_file_accept(&take->file, true))
        ;
    /* Release the reserved space. */
    if (fstat(take->file.fd, &st) == 0 && ftruncate(take->file.fd, st.st_size) == 0)
        take->summary.offset = (uint64_t)st.st_size;
}
