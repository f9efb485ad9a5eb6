/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: a thread that reads the frames of the cycle from their queue, encodes them as
 * messages and writes them to a file.
 *
 * The cycle never waits for the recorder. If the disk is too slow, the queue fills up and cycles
 * are omitted; status, log and file contain the number of omitted cycles. (In modes without real
 * time the cycle waits, see spsc.h; the recorder releases it if the disk does not respond at all.)
 * A failure of the file, for example a full disk, ends the recording but not the run; the written
 * part stays readable. Removing, truncating or moving the file also ends the recording; this is
 * checked at each flush.
 * Thread: control, for all functions. */
#ifndef LKD_REC_RECORDER_H
#define LKD_REC_RECORDER_H

#include "linkage/error.h"
#include "record_config.h"
#include "take.h"

#define LKD_RECORDING_NAME_SIZE    256
#define LKD_RECORDING_TROUBLE_SIZE 200

struct lkd_recorder;

/** struct lkd_recording - state of the present or last recording, see Recording in
 * linkage.proto. */
struct lkd_recording {
    bool active;
    char file[LKD_RECORDING_NAME_SIZE];
    uint64_t cycles;
    uint64_t dropped;
    uint64_t bytes;
    char trouble[LKD_RECORDING_TROUBLE_SIZE];
    uint64_t begins_at_step;
};

/** lkd_recorder_new() - Start the thread, which inherits its affinity and has normal priority.
 * @config: owned by the caller.
 * Return: 0, negative errno. */
int lkd_recorder_new(const struct lkd_record_config *config, struct lkd_recorder **ret_recorder);

/** lkd_recorder_free() - End a recording and the thread. @recorder may be NULL. If the disk does
 * not respond for a long time, the thread and its buffers are leaked. */
void lkd_recorder_free(struct lkd_recorder *recorder);

/** lkd_recorder_name_fits() - Return true if @name is a valid file name without folder: not hidden,
 * not like an option (-x), and clean text (lk_text_is_clean()). */
bool lkd_recorder_name_fits(const char *name);

/** lkd_recorder_begin() - Begin a recording and enable the queue. On success the file exists and
 * contains everything that precedes its messages. If the disk does not respond within two seconds,
 * the function fails, and the file is removed as soon as the disk responds.
 * @name:  name of the file, without folder; ".mcap" is appended if it is missing
 * @queue: borrowed until lkd_recorder_end()
 * Return: 0; LK_E_TEXT, -EBUSY (a recording is in progress), -EEXIST (the file exists) or another
 * negative errno: @ret_error gives the reason, and nothing has changed. */
int lkd_recorder_begin(struct lkd_recorder *recorder, const char *name, struct lkd_spsc *queue,
                       const struct lkd_take_source *source, struct lk_error *ret_error);

/** lkd_recorder_end() - Drain the queue and finish the file. Does nothing without a recording.
 * Returns the queue to the caller; frames not drained within a few seconds count as dropped.
 * Return: true if the file is finished; otherwise finishing continues in the background. */
bool lkd_recorder_end(struct lkd_recorder *recorder);

/** lkd_recorder_event() - Add an event to the recording. Does nothing without a recording.
 * @step: steps done
 * @id:   "state", "fault", "trip", ... */
void lkd_recorder_event(struct lkd_recorder *recorder, uint64_t step, const char *id,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/** lkd_recorder_state() - Return the state of the present or last recording. @recorder may be NULL:
 * no recording. */
void lkd_recorder_state(struct lkd_recorder *recorder, struct lkd_recording *ret_recording);

#endif
