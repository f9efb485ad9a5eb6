/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a rig: when they begin and end, and what they contain besides the cycles. The
 * thread that writes them is in rec/recorder.h. Control thread only.
 *
 * A recording requested before a run waits for it and contains it from its first step. It ends with
 * the run, with a fault, or on request. */
#ifndef LKD_CTL_RECORD_H
#define LKD_CTL_RECORD_H

#include "rig.h"

/** lkd_record_open(), lkd_record_close() - the recorder's thread, where the configuration has a
 * folder. @config_path: of the configuration, attached to recordings; NULL: none
 * Return: 0, negative errno. */
int lkd_record_open(struct lkd_rig *rig, const char *config_path);
void lkd_record_close(struct lkd_rig *rig);

/** lkd_record_begin() - @name: of the file, "": by model and time;  lkd_record_end(). */
void lkd_record_begin(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);
void lkd_record_end(struct lkd_rig *rig, struct lkd_answer *ret_answer);

/** lkd_record_run_begins() - before the first cycle of a run: begin a recording if `autostart` is
 * set. A refusal is logged.
 * lkd_record_run_ends() - before the threads of a run end: none of them waits for the disk from now
 * on.
 * lkd_record_run_over() - after they have ended: write what is on the queue, finish the file. Also
 * before the model is released. */
void lkd_record_run_begins(struct lkd_rig *rig);
void lkd_record_run_ends(struct lkd_rig *rig);
void lkd_record_run_over(struct lkd_rig *rig);

/** lkd_record_watch() - call regularly during a run: tripped inputs, and the states of a platform,
 * become events.
 * lkd_record_state() - the state has changed;  lkd_record_fault() - to FAULT: rig->fault says why,
 * and the recording ends. */
void lkd_record_watch(struct lkd_rig *rig);
void lkd_record_state(struct lkd_rig *rig, const char *from, const char *to);
void lkd_record_fault(struct lkd_rig *rig);

/** lkd_record_reply() - for the status. Return: 0, -ENOMEM. */
int lkd_record_reply(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Recording **ret_recording);

#endif
