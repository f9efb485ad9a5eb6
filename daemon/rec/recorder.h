/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: a thread that takes the frames of the cycle off its tape, makes messages of them
 * and writes them to a file.
 *
 * The cycle never waits for it: where the disk does not follow, the tape gets full, cycles are left
 * out, and everybody is told how many. (Where time is not real the cycle waits, see tape.h; the
 * recorder lets it go when the disk does not answer at all.) Whatever happens to the file, a full
 * disk too, ends the recording and not the run; what was written stays readable. So does a file
 * that somebody removes, cuts or moves while it is written, which is looked for at each flush.
 *
 * All calls from the control thread. */
#ifndef LKD_REC_RECORDER_H
#define LKD_REC_RECORDER_H

#include "linkage/error.h"
#include "record_config.h"
#include "take.h"

#define LKD_RECORDING_NAME_SIZE    256
#define LKD_RECORDING_TROUBLE_SIZE 200

struct lkd_recorder;

/** struct lkd_recording - of the present or last one, see Recording in linkage.proto. */
struct lkd_recording {
    bool active;
    char file[LKD_RECORDING_NAME_SIZE];
    uint64_t cycles;
    uint64_t dropped;
    uint64_t bytes;
    char trouble[LKD_RECORDING_TROUBLE_SIZE];
    uint64_t begins_at_step;
};

/** lkd_recorder_new() - start the thread; it inherits where it may run and has normal priority.
 * @config: stays the caller's.  Return: 0, negative errno. */
int lkd_recorder_new(const struct lkd_record_config *config, struct lkd_recorder **ret_recorder);

/** lkd_recorder_free() - end a recording and the thread; NULL is allowed. A disk that does not
 * answer for long is left alone, with what it holds. */
void lkd_recorder_free(struct lkd_recorder *recorder);

/** lkd_recorder_begin() - begin a recording; the tape is switched on. When this returns the file is
 * there and holds all that comes before its messages, or why it is not is known. A disk that does
 * not answer within two seconds is a reason; the recording is then undone when it does.
 * @name:  of the file, without folder; ".mcap" is appended where it is missing
 * @tape:  the caller's, until lkd_recorder_end()
 * Return: 0, or with @ret_error, and nothing changed: LK_E_TEXT, -EBUSY (there is a recording),
 * -EEXIST (there is such a file). */
int lkd_recorder_begin(struct lkd_recorder *recorder, const char *name, struct lkd_tape *tape,
                       const struct lkd_take_source *source, struct lk_error *ret_error);

/** lkd_recorder_end() - take what is on the tape, finish the file; nothing without a recording. The
 * tape is the caller's again; frames that nobody came for within a few seconds count as dropped.
 * Return: whether the file is finished; else it goes on by itself. */
bool lkd_recorder_end(struct lkd_recorder *recorder);

/** lkd_recorder_event() - something to be found in the recording; nothing without one.
 * @step: steps done;  @id: "state", "fault", "trip", ... */
void lkd_recorder_event(struct lkd_recorder *recorder, uint64_t step, const char *id,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/** lkd_recorder_look() - how it is. NULL is allowed: nothing. */
void lkd_recorder_look(struct lkd_recorder *recorder, struct lkd_recording *ret_recording);

#endif
