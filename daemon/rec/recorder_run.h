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

/* struct lkd_recorder - state of the recorder. @lock guards the fields that follow it, which both
 * threads access.
 * @wake, @done:   there is work; work has been completed
 * @take:          the recording, until its file is finished; used by the recorder's thread, except
 *                 at begin and end
 * @queue:         source of frames, or NULL after it was returned
 * @platform:      source of platform steps, or NULL, likewise
 * @path:          path of the file
 * @begun:         the file exists and contains everything before the first message
 * @refusal:       negative errno if the file could not be created; 0: not known yet
 * @abandoned:     the caller has timed out; undo the recording
 * @look_ns:       time of the next check of the file
 * @spoilt:        the file was removed or truncated; write nothing more
 * @ending:        request to the thread: drain and return the queues
 * @quit:          request to the thread: end
 * @failed:        the recording ends without a request
 * @first_event, @n_events, @n_events_lost: see EVENTS_MAX
 * @platform_lost: number of omitted platform steps
 * @said_dropped, @said_ns: number of lost cycles in the last report, and time of that report
 * @gone:          the thread has ended */
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

/** lkd_recorder_run() - Start routine of the recorder's thread.
 * @data: struct lkd_recorder */
void *lkd_recorder_run(void *data);

/** lkd_recorder_stop_queues() - Disable the queues of the cycle and of the platform. The lock must
 * be held.
 * lkd_recorder_give_back() - Return the queues to their owners, and count unread frames as dropped.
 * lkd_recorder_push() - Add an event with the present time. The lock must be held. */
void lkd_recorder_stop_queues(struct lkd_recorder *rec);
void lkd_recorder_give_back(struct lkd_recorder *rec);
void lkd_recorder_push(struct lkd_recorder *rec, uint64_t step, const char *id, const char *text);

#endif
