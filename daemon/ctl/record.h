/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a rig: when they begin and end, and what they contain besides the cycles. The
 * thread that writes recordings is in rec/recorder.h. Control thread only.
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

/** lkd_record_begin(), lkd_record_end() - Begin or end a recording. @name: name of the file; "":
 * derived from model and time */
void lkd_record_begin(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);
void lkd_record_end(struct lkd_rig *rig, struct lkd_answer *ret_answer);

/** lkd_record_run_begins() - before the first cycle of a run: begin a recording if `autostart` is
 * set. A refusal is logged.
 * lkd_record_run_ends() - before the threads of a run end: from now on none of them waits for the
 * disk.
 * lkd_record_run_over() - after the threads have ended: write the queue and finish the file. Call
 * also before releasing the model. */
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

/** lkd_record_reply() - Fill the recording's section of the status. Return: 0, -ENOMEM. */
int lkd_record_reply(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Recording **ret_recording);

#endif
