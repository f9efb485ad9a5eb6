/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's own thread. */
#include "recorder_run.h"
#include "linkage/file.h"
#include "log.h"
#include "wait.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Interval of polling the queue. */
#define LOOK_NS INT64_C(2000000)
/* Number of frames processed in a row before the lock is released for other threads. */
#define BATCH 128

/* ---- the thread: with the lock ---- */

void lkd_recorder_stop_queues(struct lkd_recorder *rec)
{
    if (rec->queue)
        lkd_spsc_stop(rec->queue);
    if (rec->platform)
        lkd_spsc_stop(rec->platform);
}

static uint64_t left_out(const struct lkd_spsc *queue)
{
    return atomic_load_explicit(&queue->dropped, memory_order_relaxed) + lkd_spsc_backlog(queue);
}

void lkd_recorder_give_back(struct lkd_recorder *rec)
{
    if (!rec->queue)
        return;
    rec->recording.dropped = left_out(rec->queue);
    rec->platform_lost = rec->platform ? left_out(rec->platform) : 0;
    rec->queue = rec->platform = NULL;
    pthread_cond_broadcast(&rec->done);
}

/* Store and log the first error of a recording; later errors are its consequences. */
static void note_trouble(struct lkd_recorder *rec, int r, const char *what)
{
    if (rec->failed)
        return;
    rec->failed = true;
    snprintf(rec->recording.trouble, sizeof(rec->recording.trouble), "%s%s%s", what, r ? ": " : "",
             r ? strerror(-r) : "");
    lkd_log(LKD_C_RECORDING_FAILED, "the recording %s ends, the run goes on: %s",
            rec->recording.file, rec->recording.trouble);
}

/* Stop reading frames and return the queues, so that the cycle never waits. */
static void break_off(struct lkd_recorder *rec)
{
    lkd_recorder_stop_queues(rec);
    lkd_recorder_give_back(rec);
    rec->ending = true;
}

void lkd_recorder_push(struct lkd_recorder *rec, uint64_t step, const char *id, const char *text)
{
    struct event *e = &rec->event[(rec->first_event + rec->n_events) % EVENTS_MAX];

    if (rec->n_events == EVENTS_MAX) {
        rec->n_events_lost++;
        return;
    }
    rec->n_events++;
    *e = (struct event){.now_ns = lkd_clock_ns(), .event = {.step = step}};
    snprintf(e->event.id, sizeof(e->event.id), "%s", id);
    snprintf(e->event.text, sizeof(e->event.text), "%.*s", LK_RECORDING_TEXT_SIZE - 1, text);
}

/* Log lost cycles, at most one line per second. */
static void tell_losses(struct lkd_recorder *rec, uint64_t step)
{
    uint64_t dropped = atomic_load_explicit(&rec->queue->dropped, memory_order_relaxed);
    int64_t now_ns = lkd_clock_ns();
    char text[96];

    rec->recording.dropped = dropped;
    if (dropped == rec->said_dropped || now_ns < rec->said_ns + 1000000000)
        return;
    snprintf(text, sizeof(text), "%" PRIu64 " cycles left out so far: the disk does not follow",
             dropped);
    snprintf(rec->recording.trouble, sizeof(rec->recording.trouble), "%s", text);
    lkd_log(LKD_C_RECORDING_DROPS, "recording %s: %s", rec->recording.file, text);
    lkd_recorder_push(rec, step, "drop", text);
    rec->said_dropped = dropped;
    rec->said_ns = now_ns;
}

/* Record steps of the platform. Return: true if more of them are available immediately. */
static bool take_platform(struct lkd_recorder *rec)
{
    const struct lkd_frame *frame;
    int n = 0;

    while (n < BATCH && rec->platform && (frame = lkd_spsc_front(rec->platform)) != NULL) {
        if (!lkd_take_platform(rec->take, frame))
            return true;
        lkd_spsc_pop(rec->platform);
        n++;
    }
    return n == BATCH;
}

/* Record frames. Return: true if more frames are available immediately. */
static bool take_frames(struct lkd_recorder *rec)
{
    struct lkd_take *take = rec->take;
    const struct lkd_frame *frame = NULL;
    bool more = take_platform(rec);
    uint64_t step = 0;
    int n = 0;

    while (n < BATCH && rec->queue && (frame = lkd_spsc_front(rec->queue)) != NULL &&
           lkd_take_frame(take, frame)) {
        step = frame->step;
        lkd_spsc_pop(rec->queue);
        n++;
    }
    rec->recording.cycles = take->n_frames;
    rec->recording.begins_at_step = take->begins_at_step;
    if (rec->queue && n > 0)
        tell_losses(rec, step);
    if (rec->ending && rec->queue && !frame && !more)
        lkd_recorder_give_back(rec);
    return n == BATCH;
}

static void take_events(struct lkd_recorder *rec)
{
    while (rec->n_events > 0) {
        const struct event *e = &rec->event[rec->first_event];

        if (!lkd_take_event(rec->take, &e->event, e->now_ns))
            return;
        rec->first_event = (rec->first_event + 1) % EVENTS_MAX;
        rec->n_events--;
    }
}

/* ---- the thread: without the lock, where the disk may block ---- */

/* Create the file of the recording; an existing file is never overwritten.
 * Return: 0, negative errno: there is no file. */
static int create_file(struct lkd_recorder *rec)
{
    int fd = lk_file_create(rec->path, 0644), r;

    if (fd < 0)
        return fd;
    r = lkd_take_begin(rec->take, fd);
    if (r)
        unlink(rec->path);
    return r;
}

/* Prepare the writes and create the file.
 * Return: 0, negative errno. */
static int begin_recording(struct lkd_recorder *rec)
{
    struct lkd_take *take = rec->take;
    int r = 0;

    if (rec->config->io != LKD_RECORD_IO_PWRITE)
        r = lkd_file_ring(&take->file);
    if (r && rec->config->io == LKD_RECORD_IO_AUTO) {
        lkd_log(LKD_C_RECORDER_FALLBACK, "recording without io_uring: %s", strerror(-r));
        r = 0;
    }
    return r ? r : create_file(rec);
}

/* Report the result of the start to the waiting caller.
 * Return: true if there is a recording. */
static bool tell_begin(struct lkd_recorder *rec, int r)
{
    bool begun, unwanted;

    pthread_mutex_lock(&rec->lock);
    unwanted = r == 0 && rec->abandoned;
    begun = rec->begun = r == 0 && !unwanted;
    rec->refusal = r;
    if (!begun)
        break_off(rec);
    pthread_cond_broadcast(&rec->done);
    pthread_mutex_unlock(&rec->lock);
    if (unwanted)
        unlink(rec->path);
    return begun;
}

/* Check that the file is still as written. Called at each flush, and at the same interval if there
 * is no data.
 * @closely: also search for holes, at the end of the recording */
static void look_after(struct lkd_recorder *rec, bool closely)
{
    enum lkd_file_fate fate;

    rec->look_ns = lkd_clock_ns() + rec->config->flush_ns;
    fate = lkd_file_check(&rec->take->file, rec->path, rec->take->summary.offset, closely);
    if (fate == LKD_FILE_THERE)
        return;
    rec->spoilt = fate != LKD_FILE_MOVED;
    pthread_mutex_lock(&rec->lock);
    note_trouble(rec, 0, lkd_file_fate_text(fate));
    break_off(rec);
    pthread_mutex_unlock(&rec->lock);
}

/* Submit chunks that are due, and process written chunks.
 * Return: 0, negative errno. */
static int move_chunks(struct lkd_recorder *rec)
{
    struct lkd_take *take = rec->take;
    int64_t now_ns = lkd_clock_ns();
    bool due = lkd_take_is_due(take, now_ns, rec->config->flush_ns);
    int r = 0;

    if (due || now_ns >= rec->look_ns)
        look_after(rec, false);
    if (due && !rec->spoilt)
        r = lkd_take_write(take);
    return r ? r : lkd_take_accept(take, false);
}

static bool is_too_large(const struct lkd_recorder *rec)
{
    return rec->config->max_size > 0 &&
           rec->take->file.next + rec->take->chunk.buffer.size >= rec->config->max_size;
}

static void finish_recording(struct lkd_recorder *rec)
{
    char cycles[24], dropped[24], offset[24], events[24], bytes[24], platform[24];
    const struct lk_mcap_pair pairs[] = {
        {"cycles", cycles},          {"dropped_cycles", dropped},
        {"dropped_events", events},  {"dropped_platform_steps", platform},
        {"bytes_before_end", bytes}, {"io", rec->take->file.uring ? "io_uring" : "pwrite"},
        {"utc_offset_ns", offset},   {"trouble", rec->recording.trouble},
    };
    struct lkd_take *take = rec->take;
    int r = 0;

    pthread_mutex_lock(&rec->lock);
    snprintf(cycles, sizeof(cycles), "%" PRIu64, take->n_frames);
    snprintf(dropped, sizeof(dropped), "%" PRIu64, rec->recording.dropped);
    snprintf(events, sizeof(events), "%" PRIu64, rec->n_events_lost);
    snprintf(platform, sizeof(platform), "%" PRIu64, rec->platform_lost);
    snprintf(bytes, sizeof(bytes), "%" PRIu64, take->summary.offset);
    snprintf(offset, sizeof(offset), "%" PRId64, take->utc_offset_ns);
    pthread_mutex_unlock(&rec->lock);
    if (rec->spoilt)
        lkd_take_leave(take);
    else
        r = lkd_take_end(take, pairs, sizeof(pairs) / sizeof(pairs[0]));
    pthread_mutex_lock(&rec->lock);
    if (r)
        note_trouble(rec, r, "the file has no end, and is readable up to its last chunk");
    rec->recording.bytes = take->summary.offset;
    pthread_mutex_unlock(&rec->lock);
}

static bool has_room(struct lkd_take *take)
{
    return take->slot || lkd_file_free_slot(&take->file);
}

/* Record frames and events until the end is requested or an error ends the recording.
 * Return: 0, negative errno. */
static int follow_queue(struct lkd_recorder *rec)
{
    bool more = false, over = false;
    int r = 0;

    while (r == 0 && !over) {
        struct timespec next = lkd_time_in(LOOK_NS);

        pthread_mutex_lock(&rec->lock);
        if (!more && !(rec->ending && has_room(rec->take)))
            pthread_cond_timedwait(&rec->wake, &rec->lock, &next);
        more = take_frames(rec);
        take_events(rec);
        rec->recording.bytes = rec->take->summary.offset;
        over = rec->spoilt || (rec->ending && !rec->queue && rec->n_events == 0);
        if (is_too_large(rec) && !over) {
            note_trouble(rec, 0, "the file has reached its largest size");
            break_off(rec);
        }
        pthread_mutex_unlock(&rec->lock);
        r = move_chunks(rec);
    }
    return r;
}

static void record_frames(struct lkd_recorder *rec)
{
    int r = follow_queue(rec);

    if (r == 0 && !rec->spoilt)
        r = lkd_take_write(rec->take);
    if (r == 0)
        r = lkd_take_accept(rec->take, true);
    if (!rec->failed)
        look_after(rec, true);
    pthread_mutex_lock(&rec->lock);
    if (r)
        note_trouble(rec, r, "writing");
    break_off(rec);
    pthread_mutex_unlock(&rec->lock);
    finish_recording(rec);
    pthread_mutex_lock(&rec->lock);
    lkd_log(
        LKD_C_RECORDED, "recording %s: %" PRIu64 " cycles, %" PRIu64 " left out, %" PRIu64 " bytes",
        rec->recording.file, rec->recording.cycles, rec->recording.dropped, rec->recording.bytes);
    pthread_mutex_unlock(&rec->lock);
}

/* Release the recording, except its figures. */
static void forget_recording(struct lkd_recorder *rec)
{
    lkd_take_free(rec->take);
    rec->take = NULL;
    rec->recording.active = false;
    rec->n_events = 0;
    pthread_cond_broadcast(&rec->done);
}

void *lkd_recorder_run(void *data)
{
    struct lkd_recorder *rec = data;

    pthread_setname_np(pthread_self(), "lkd-recorder");
    pthread_mutex_lock(&rec->lock);
    for (;;) {
        while (!rec->take && !rec->quit)
            pthread_cond_wait(&rec->wake, &rec->lock);
        if (!rec->take)
            break;
        pthread_mutex_unlock(&rec->lock);
        if (tell_begin(rec, begin_recording(rec)))
            record_frames(rec);
        pthread_mutex_lock(&rec->lock);
        forget_recording(rec);
    }
    rec->gone = true;
    pthread_cond_broadcast(&rec->done);
    pthread_mutex_unlock(&rec->lock);
    return NULL;
}
