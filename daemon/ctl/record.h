/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a rig: their begin and end, and their contents other than cycles. The thread that
 * writes recordings is in rec/recorder.h. Control thread only.
 *
 * A recording requested before a run begins with the first step of the run. A recording ends with
 * the run, with a fault, or on request. */
#ifndef LKD_CTL_RECORD_H
#define LKD_CTL_RECORD_H

#include "rig.h"

/** lkd_record_open(), lkd_record_close() - Start and stop the recorder's thread, if the
 * configuration names a folder. @config_path: path of the configuration, which is attached to
 * recordings; NULL: none
 * Return: 0, negative errno. */
int lkd_record_open(struct lkd_rig *rig, const char *config_path);
void lkd_record_close(struct lkd_rig *rig);

/** lkd_record_begin(), lkd_record_end() - Begin or end a recording.
 * @name: name of the file; "": the name is derived from model and time */
void lkd_record_begin(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);
void lkd_record_end(struct lkd_rig *rig, struct lkd_answer *ret_answer);

/** lkd_record_run_begins() - Begin a recording if `autostart` is set. A refusal is logged. Call
 * before the first cycle of a run.
 * lkd_record_run_ends() - Keep the threads of the run from waiting for the disk from now on. Call
 * before they end.
 * lkd_record_run_over() - Write the queue and finish the file. Call after the threads have ended,
 * and before releasing the model. */
void lkd_record_run_begins(struct lkd_rig *rig);
void lkd_record_run_ends(struct lkd_rig *rig);
void lkd_record_run_over(struct lkd_rig *rig);

/** lkd_record_watch() - Record tripped inputs and states of a platform as events. Call regularly
 * during a run.
 * lkd_record_state() - Record a change of state.
 * lkd_record_fault() - Record the change to FAULT with its reason in rig->fault, and end the
 * recording. */
void lkd_record_watch(struct lkd_rig *rig);
void lkd_record_state(struct lkd_rig *rig, const char *from, const char *to);
void lkd_record_fault(struct lkd_rig *rig);

/** lkd_record_reply() - Fill the section of the status about recordings.
 * Return: 0, -ENOMEM. */
int lkd_record_reply(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Recording **ret_recording);

#endif
