/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: the state of a run in a file of the configured folder, and a run that begins from one.
 *
 *     snapshot   READY, ARMED, RUNNING, PAUSED   does not disturb the run, see rt/snapshot.h
 *     restore    READY, ARMED, PAUSED            like reset, but the next start continues here
 *
 * A file contains the state of the system, which is checked against model, build and engine, and
 * the commanded and acting values of all inputs. The file does not contain the state of benches and
 * policy: after a restore no input is tripped, and each input keeps its restored value until a
 * bench sends a new one. Control thread only. */
#ifndef LKD_CTL_SNAPSHOT_H
#define LKD_CTL_SNAPSHOT_H

#include "rig.h"
#include "wire.h"

/** struct lkd_resume - state from which the next run continues; if @bytes is NULL, the run begins
 * at t = 0.
 * @bytes: checked snapshot of @size bytes
 * @step:  step number in the snapshot
 * @name:  name of the snapshot file */
struct lkd_resume {
    unsigned char *bytes;
    size_t size;
    uint64_t step;
    char name[LKD_SNAPSHOT_NAME_SIZE];
};

/** lkd_snapshot_bytes() - Convert the copy in the cycle to the file format. @ret_bytes: on the
 * heap.
 * Return: 0, -ENOMEM. */
int lkd_snapshot_bytes(const struct lkd_cycle *cycle, unsigned char **ret_bytes, size_t *ret_size);
/** lkd_snapshot_check() - Check untrusted @bytes. If the bytes are valid, the system has their
 * state afterwards; otherwise the system is unchanged. Do not call while the cycle steps.
 * Return: 0, LK_E_STATE (@ret_error: the reason in one line). */
int lkd_snapshot_check(struct lkd_cycle *cycle, const unsigned char *bytes, size_t size,
                       struct lk_error *ret_error);
/** lkd_snapshot_apply() - Call lkd_cycle_resume() with checked @bytes. */
void lkd_snapshot_apply(struct lkd_cycle *cycle, const unsigned char *bytes);
/** lkd_snapshot_commanded() - Return the commanded values of all inputs in checked @bytes, aligned
 * for doubles. */
const double *lkd_snapshot_commanded(const struct lkd_cycle *cycle, const unsigned char *bytes);

void lkd_snapshot_take(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);
/** lkd_snapshot_copy() - Copy the run into a message, in @arena. Return: the message; NULL: the
 * refusal is in the answer. */
Linkage__V1__StateCopy *lkd_snapshot_copy(struct lkd_rig *rig, struct lk_wire_arena *arena,
                                          struct lkd_answer *ret_answer);
void lkd_snapshot_restore(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);

/** lkd_snapshot_forget() - Discard the restored snapshot; the next run begins at t = 0. */
void lkd_snapshot_forget(struct lkd_rig *rig);
/** lkd_snapshot_begin() - Apply the restored snapshot when a run begins, before its threads step.
 * lkd_snapshot_begun() - Log the restored start after the recording has begun, and discard the
 * snapshot. */
void lkd_snapshot_begin(struct lkd_rig *rig);
void lkd_snapshot_begun(struct lkd_rig *rig);

#endif
