/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a run between two steps, passed from the cycle to the control thread. The control
 * thread requests a copy. The cycle, in the slack of its period, copies the state of the system and
 * the values of the inputs once into memory allocated at the load, and continues. The field @turn
 * states which thread may access the copy; neither thread waits for the other. The control thread
 * computes the checksum and writes the file. */
#ifndef LKD_RT_SNAPSHOT_H
#define LKD_RT_SNAPSHOT_H

#include "linkage/linkage.h"
#include <stdatomic.h>
#include <stdbool.h>

struct lkd_cycle;

/** enum lkd_snapshot_turn - thread that may access the copy: control in IDLE and READY, cycle in
 * WANTED. */
enum lkd_snapshot_turn { LKD_SNAPSHOT_IDLE, LKD_SNAPSHOT_WANTED, LKD_SNAPSHOT_READY };

/** struct lkd_snapshot - a copy of a run.
 * @turn:      enum lkd_snapshot_turn
 * @state:     @size bytes written by lk_system_state_copy()
 * @commanded: values of all inputs as sent by the benches
 * @acting:    input values that acted in the last step */
struct lkd_snapshot {
    _Atomic int turn;
    size_t size;
    void *state;
    double *commanded;
    double *acting;
};

/** lkd_snapshot_init() - Allocate memory for the snapshots of a system.
 * Return: 0, -ENOMEM.
 * lkd_snapshot_fini() - Release this memory. */
int lkd_snapshot_init(struct lkd_snapshot *snapshot, const struct lk_system *system);
void lkd_snapshot_fini(struct lkd_snapshot *snapshot);

/** lkd_snapshot_fill() - Copy state and inputs into @snapshot without changing @turn.
 * Thread: control, while no thread runs the cycle.  RT: yes, one copy. */
LK_RT void lkd_snapshot_fill(struct lkd_cycle *cycle);
/** lkd_snapshot_serve() - Copy state and inputs if the control thread has requested a snapshot.
 * Thread: cycle.  RT: yes. */
LK_RT void lkd_snapshot_serve(struct lkd_cycle *cycle);

/** lkd_cycle_resume() - Continue the system from @state and its inputs from the values @acting;
 * call after lkd_cycle_rewind(). The figures are those of the step at which @state was copied, and
 * the judge begins at that step.
 * Thread: control, while no thread steps.  RT: no.
 * Return: 0, LK_E_STATE (@ret_error; nothing has changed). */
int lkd_cycle_resume(struct lkd_cycle *cycle, const void *state, size_t size, const double *acting,
                     struct lk_error *ret_error);

#endif
