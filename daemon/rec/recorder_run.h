/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the recorder, shared by its thread (recorder_run.c) and the functions for the
 * control thread (recorder.c). */
#ifndef LKD_REC_RECORDER_RUN_H
#define LKD_REC_RECORDER_RUN_H

#include "recorder.h"
#include <pthread.h>
#include <time.h>

/* Capacity of the queue of events. */
#define EVENTS_MAX 64
struct event {
    int64_t now_ns;
    struct lk_recording_event event;
};

/* struct lkd_recorder - both threads access the fields below @lock.
 * @wake, @done: there is work; work has been completed
 * @take:   the recording, until its file is finished; only the recorder's thread uses it, except at
 *          its begin and end
 * @queue:   source of frames, or NULL after it was returned;  @platform: likewise, of the platform
 * @path:   of the file
 * @begun:  the file exists up to its first message;  @refusal: reason if it does not, negative
 *          errno; 0: not known yet
 * @abandoned: the caller has timed out; undo the recording
 * @look_ns:  time of the next check of the file;  @spoilt: it was removed or truncated; add nothing
 * @ending: drain and return the queue;  @quit: then end the thread
 * @failed: the recording ends without a request
 * @first_event, @n_events, @n_events_lost: see EVENTS_MAX
 * @platform_lost: omitted steps of the platform
 * @said_dropped, @said_ns: losses at the last report, and its time
 * @gone:   the thread has ended */
struct lkd_recorder {
    const struct lkd_record_config *config;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_cond_t done;
    struct lkd_take *take;
    struct lkd_spsc *queue;
    struct lkd_spsc *platform;
    char path[PATH_MAX];
    bool begun;
    bool abandoned;
    bool spoilt;
    int refusal;
    int64_t look_ns;
    bool ending;
    bool failed;
    bool quit;
    bool gone;
    struct lkd_recording recording;
    struct event event[EVENTS_MAX];
    int first_event;
    int n_events;
    uint64_t n_events_lost;
    uint64_t platform_lost;
    uint64_t said_dropped;
    int64_t said_ns;
};

/** lkd_recorder_run() - the thread. @data: struct lkd_recorder */
void *lkd_recorder_run(void *data);

/** lkd_recorder_stop_queues() - Disable the queues of the cycle and of the platform.
 * lkd_recorder_give_back() - return the queues to their owners; frames left on them count as
 * dropped. lkd_recorder_push() - Add an event with the present time. Call this and the first with
 * the lock held. */
void lkd_recorder_stop_queues(struct lkd_recorder *rec);
void lkd_recorder_give_back(struct lkd_recorder *rec);
void lkd_recorder_push(struct lkd_recorder *rec, uint64_t step, const char *id, const char *text);

#endif
