/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: the state of a run in a file of the configured folder, and a run that begins from one.
 *
 *     snapshot   READY, ARMED, RUNNING, PAUSED   a run is not disturbed, see rt/snapshot.h
 *     restore    READY, ARMED, PAUSED            as a reset, but the next start goes on from there
 *
 * A file has the state of the system, which is checked against model, build and engine, and the
 * values of all inputs, commanded and acting. What benches and policy do is not in it: nothing is
 * tripped after a restore, and the values hold until a bench sends others. Control thread only. */
#ifndef LKD_CTL_SNAPSHOT_H
#define LKD_CTL_SNAPSHOT_H

#include "rig.h"

/** struct lkd_resume - what the next start goes on from; no @bytes: t = 0.
 * @bytes: @size of them, checked;  @step: of it;  @name: of its file */
struct lkd_resume {
    unsigned char *bytes;
    size_t size;
    uint64_t step;
    char name[LKD_SNAPSHOT_NAME_SIZE];
};

/** lkd_snapshot_bytes() - the copy in the cycle as a file has it. @ret_bytes: on the heap.
 * Return: 0, -ENOMEM. */
int lkd_snapshot_bytes(const struct lkd_cycle *cycle, unsigned char **ret_bytes, size_t *ret_size);
/** lkd_snapshot_check() - such @bytes, which may come from anywhere; where they are good the system
 * has their state already, else it is as before. Not while the cycle steps. Return: 0, LK_E_STATE
 * (one line). */
int lkd_snapshot_check(struct lkd_cycle *cycle, const unsigned char *bytes, size_t size,
                       struct lk_error *ret_error);
/** lkd_snapshot_apply() - lkd_cycle_resume() from checked @bytes. */
void lkd_snapshot_apply(struct lkd_cycle *cycle, const unsigned char *bytes);
/** lkd_snapshot_commanded() - values of all inputs in checked @bytes. Aligned as doubles are. */
const double *lkd_snapshot_commanded(const struct lkd_cycle *cycle, const unsigned char *bytes);

void lkd_snapshot_take(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);
void lkd_snapshot_restore(struct lkd_rig *rig, const char *name, struct lkd_answer *ret_answer);

/** lkd_snapshot_forget() - the next start is at t = 0 again. */
void lkd_snapshot_forget(struct lkd_rig *rig);
/** lkd_snapshot_begin() - a run begins, its threads stand: from what was restored.
 * lkd_snapshot_begun() - the recorder knows of it: tell it, and forget. */
void lkd_snapshot_begin(struct lkd_rig *rig);
void lkd_snapshot_begun(struct lkd_rig *rig);

#endif
