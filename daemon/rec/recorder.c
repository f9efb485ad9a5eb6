/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"
#include "linkage/text.h"
#include "log.h"
#include "recorder_run.h"
#include "wait.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time limit for creating the file of a recording. */
#define BEGIN_PATIENCE_NS INT64_C(2000000000)
#define NO_ANSWER         "the disk does not answer"
/* Time limits for ending a recording, for its queue and then for its file. After them the end
 * continues in the background. */
#define DRAIN_PATIENCE_NS INT64_C(2000000000)
#define FILE_PATIENCE_NS  INT64_C(3000000000)
/* The same time limit when the daemon ends. */
#define LAST_PATIENCE_NS INT64_C(20000000000)

int lkd_recorder_new(const struct lkd_record_config *config, struct lkd_recorder **ret_recorder)
{
    struct lkd_recorder *rec = calloc(1, sizeof(*rec));
    pthread_condattr_t clock;
    int r;

    if (!rec)
        return -ENOMEM;
    rec->config = config;
    pthread_mutex_init(&rec->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&rec->wake, &clock);
    pthread_cond_init(&rec->done, &clock);
    pthread_condattr_destroy(&clock);
    r = pthread_create(&rec->thread, NULL, lkd_recorder_run, rec);
    if (r) {
        free(rec);
        return -r;
    }
    *ret_recorder = rec;
    return 0;
}

/* Wait until @what() is true. Requires the lock.
 * Return: true if @what() became true in time. */
static bool await(struct lkd_recorder *rec, bool (*what)(const struct lkd_recorder *), int64_t ns)
{
    struct timespec until = lkd_time_in(ns);

    while (!what(rec))
        if (pthread_cond_timedwait(&rec->done, &rec->lock, &until) == ETIMEDOUT)
            return what(rec);
    return true;
}

static bool has_no_queue(const struct lkd_recorder *rec)
{
    return !rec->queue;
}

static bool has_no_take(const struct lkd_recorder *rec)
{
    return !rec->take;
}

static bool has_answered(const struct lkd_recorder *rec)
{
    return rec->begun || !rec->take;
}

static bool is_gone(const struct lkd_recorder *rec)
{
    return rec->gone;
}

void lkd_recorder_free(struct lkd_recorder *rec)
{
    bool gone;

    if (!rec)
        return;
    lkd_recorder_end(rec);
    pthread_mutex_lock(&rec->lock);
    rec->quit = true;
    pthread_cond_signal(&rec->wake);
    gone = await(rec, is_gone, LAST_PATIENCE_NS);
    pthread_mutex_unlock(&rec->lock);
    if (!gone) {
        lkd_log(LKD_C_RECORDING_FAILED, NO_ANSWER ": %s has no end", rec->recording.file);
        pthread_detach(rec->thread);
        return;
    }
    pthread_join(rec->thread, NULL);
    pthread_cond_destroy(&rec->wake);
    pthread_cond_destroy(&rec->done);
    pthread_mutex_destroy(&rec->lock);
    free(rec);
}

bool lkd_recorder_name_fits(const char *name)
{
    size_t n = strlen(name);

    if (!lk_text_is_clean(name) || strchr(name, '/'))
        return false;
    return n > 0 && n < LKD_RECORDING_NAME_SIZE - 8 && *name != '.' && *name != '-';
}

/* Format the name and the path of a recording; append ".mcap" if it is missing.
 * Return: 0, -ENAMETOOLONG. */
static int make_path(const struct lkd_recorder *rec, const char *name, char *ret_file,
                     char *ret_path)
{
    const char *suffix = strrchr(name, '.');
    int n;

    n = snprintf(ret_file, LKD_RECORDING_NAME_SIZE, "%s%s", name,
                 suffix && strcmp(suffix, ".mcap") == 0 ? "" : ".mcap");
    if (n < 0 || n >= LKD_RECORDING_NAME_SIZE)
        return -ENAMETOOLONG;
    n = snprintf(ret_path, PATH_MAX, "%s/%s", rec->config->directory, ret_file);
    return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Pass a recording to the thread. Requires the lock, and no recording. */
static void start_recording(struct lkd_recorder *rec, const char *file, struct lkd_take *take,
                            struct lkd_spsc *queue, struct lkd_spsc *platform)
{
    rec->recording = (struct lkd_recording){.active = true};
    memcpy(rec->recording.file, file, strlen(file) + 1);
    rec->take = take;
    rec->queue = queue;
    rec->platform = platform;
    rec->ending = rec->failed = false;
    rec->begun = rec->abandoned = rec->spoilt = false;
    rec->refusal = 0;
    rec->first_event = rec->n_events = 0;
    rec->n_events_lost = rec->said_dropped = 0;
    rec->said_ns = 0;
    lkd_spsc_start(queue);
    if (platform)
        lkd_spsc_start(platform);
    pthread_cond_signal(&rec->wake);
}

/* Wait until the thread has created the file. Requires the lock, and a started recording.
 * Return: 0, or negative errno: the recording was not created. */
static int await_begin(struct lkd_recorder *rec)
{
    if (await(rec, has_answered, BEGIN_PATIENCE_NS))
        return rec->begun ? 0 : rec->refusal;
    rec->abandoned = true;
    rec->recording.active = false;
    snprintf(rec->recording.trouble, sizeof(rec->recording.trouble), NO_ANSWER);
    lkd_recorder_stop_queues(rec);
    lkd_recorder_give_back(rec);
    return -ETIMEDOUT;
}

/* Start a recording and wait until its file exists.
 * Return: 0 or negative errno; on failure the state of the last recording is unchanged. */
static int start_and_wait(struct lkd_recorder *rec, const char *file, const char *path,
                          struct lkd_take *take, struct lkd_spsc *queue, struct lkd_spsc *platform)
{
    struct lkd_recording last;
    int r;

    pthread_mutex_lock(&rec->lock);
    last = rec->recording;
    memcpy(rec->path, path, strlen(path) + 1);
    start_recording(rec, file, take, queue, platform);
    r = await_begin(rec);
    if (r && r != -ETIMEDOUT)
        rec->recording = last;
    pthread_mutex_unlock(&rec->lock);
    return r;
}

/* Check that a recording named @name can begin now.
 * Return: 0, LK_E_TEXT, -EBUSY. */
static int check_request(struct lkd_recorder *rec, const char *name, struct lk_error *ret_error)
{
    struct lkd_recording now;
    bool busy;

    pthread_mutex_lock(&rec->lock);
    busy = rec->take != NULL;
    now = rec->recording;
    pthread_mutex_unlock(&rec->lock);
    if (busy) {
        lk_error_set(ret_error, "%s%s", now.file,
                     now.active ? " is being recorded: stop it first"
                                : ": " NO_ANSWER ", and holds up what comes after it");
        return -EBUSY;
    }
    if (!lkd_recorder_name_fits(name)) {
        lk_error_set(ret_error,
                     "'%.80s' is no name for a recording, expected a file name without a folder, "
                     "not beginning with a dot or a hyphen",
                     name);
        return LK_E_TEXT;
    }
    return 0;
}

int lkd_recorder_begin(struct lkd_recorder *rec, const char *name, struct lkd_spsc *queue,
                       const struct lkd_take_source *source, struct lk_error *ret_error)
{
    char file[LKD_RECORDING_NAME_SIZE], path[PATH_MAX];
    struct lkd_take *take;
    int r;

    r = check_request(rec, name, ret_error);
    if (r)
        return r;
    r = make_path(rec, name, file, path);
    if (r == 0)
        r = lkd_take_new(source, rec->config, &take);
    if (r == 0)
        r = start_and_wait(rec, file, path, take, queue, source->platform.queue);
    if (r) {
        lk_error_set(ret_error, "%s/%s: %s", rec->config->directory, file,
                     r == -ETIMEDOUT ? NO_ANSWER : strerror(-r));
        return r == -EEXIST ? -EEXIST : LK_E_TEXT;
    }
    lkd_log(LKD_C_RECORDING, "recording %s", path);
    return 0;
}

bool lkd_recorder_end(struct lkd_recorder *rec)
{
    bool finished;

    pthread_mutex_lock(&rec->lock);
    lkd_recorder_stop_queues(rec);
    rec->ending = true;
    pthread_cond_signal(&rec->wake);
    if (!await(rec, has_no_queue, DRAIN_PATIENCE_NS))
        lkd_recorder_give_back(rec); /* unread frames are lost */
    finished = await(rec, has_no_take, FILE_PATIENCE_NS);
    pthread_mutex_unlock(&rec->lock);
    return finished;
}

void lkd_recorder_event(struct lkd_recorder *rec, uint64_t step, const char *id, const char *format,
                        ...)
{
    struct lk_error line;
    char text[LK_RECORDING_TEXT_SIZE];
    va_list args;

    if (!rec)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    lk_error_set(&line, "%s", text); /* removes control characters */
    pthread_mutex_lock(&rec->lock);
    if (rec->take && !rec->ending)
        lkd_recorder_push(rec, step, id, line.text);
    pthread_mutex_unlock(&rec->lock);
}

void lkd_recorder_state(struct lkd_recorder *rec, struct lkd_recording *ret_recording)
{
    *ret_recording = (struct lkd_recording){0};
    if (!rec)
        return;
    pthread_mutex_lock(&rec->lock);
    *ret_recording = rec->recording;
    if (rec->queue)
        ret_recording->dropped = atomic_load_explicit(&rec->queue->dropped, memory_order_relaxed);
    pthread_mutex_unlock(&rec->lock);
}
