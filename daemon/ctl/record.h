/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a rig: when they begin and end, and what goes into them beside the cycles. The
 * thread that writes them is in rec/recorder.h. Control thread only.
 *
 * A recording that is asked for before a run waits for it and has it from its first step. It ends
 * with the run, with a fault, or when it is asked to. */
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

/** lkd_record_run_begins() - before the first cycle of a run: begins a recording where every run is
 * to have one. A refusal costs a line in the log.
 * lkd_record_run_ends() - before the threads of a run are ended: none of them waits for the disk
 * any more.
 * lkd_record_run_over() - when they are: what is on the tape is written, the file finished. Also
 * before the model goes. */
void lkd_record_run_begins(struct lkd_rig *rig);
void lkd_record_run_ends(struct lkd_rig *rig);
void lkd_record_run_over(struct lkd_rig *rig);

/** lkd_record_watch() - now and then during a run: inputs that were tripped become events.
 * lkd_record_state() - the state has changed;  lkd_record_fault() - to FAULT: rig->fault says why,
 * and the recording ends. */
void lkd_record_watch(struct lkd_rig *rig);
void lkd_record_state(struct lkd_rig *rig, const char *from, const char *to);
void lkd_record_fault(struct lkd_rig *rig);

/** lkd_record_reply() - for the status. Return: 0, -ENOMEM. */
int lkd_record_reply(const struct lkd_rig *rig, struct lk_wire_arena *arena,
                     Linkage__V1__Recording **ret_recording);

#endif
