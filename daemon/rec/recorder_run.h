/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of the recorder: its thread (recorder_run.c), and the control thread's calls
 * (recorder.c). Nobody else includes this. */
#ifndef LKD_REC_RECORDER_RUN_H
#define LKD_REC_RECORDER_RUN_H

#include "recorder.h"
#include <pthread.h>
#include <time.h>

/* Events that wait. */
#define EVENTS_MAX 64
struct event {
    int64_t now_ns;
    struct lk_recording_event event;
};

/* struct lkd_recorder - what is behind @lock is touched by both threads.
 * @wake, @done: something to do; something has been done
 * @take:   the recording, from begin to the end of its file; but for its begin and end it is the
 *          recorder's thread alone that looks into it
 * @tape:   what it takes frames from, or NULL: given back
 * @path:   of the file
 * @begun:  the file is there, and what comes before its messages is written;  @refusal: or negative
 *          errno; 0: not known yet
 * @abandoned: nobody waits for that any more: there shall be no recording
 * @look_ns:  when to look after the file again;  @spoilt: it was removed or cut, nothing is added
 * @ending: the tape is to be emptied and given back;  @quit: and then the thread ends
 * @failed: the recording ends before somebody asked for it
 * @first_event, @n_events, @n_events_lost: see EVENTS_MAX
 * @said_dropped, @said_ns: of losses, as last told
 * @gone:   the thread has ended */
struct lkd_recorder {
    const struct lkd_record_config *config;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_cond_t done;
    struct lkd_take *take;
    struct lkd_tape *tape;
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
    uint64_t said_dropped;
    int64_t said_ns;
};

/** lkd_recorder_run() - the thread. @data: struct lkd_recorder */
void *lkd_recorder_run(void *data);

/** lkd_recorder_give_back() - the tape is its owner's again; what is on it counts as dropped.
 * lkd_recorder_push() - an event, with the time of now. With the lock, as the first. */
void lkd_recorder_give_back(struct lkd_recorder *rec);
void lkd_recorder_push(struct lkd_recorder *rec, uint64_t step, const char *id, const char *text);

/** lkd_recorder_in() - the time in so many ns, for waits. */
struct timespec lkd_recorder_in(int64_t ns);

#endif
