/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a run between two steps, handed from the cycle to the control thread.
 *
 * The control thread wants one; the cycle, in the slack of its period, copies the state of the
 * system and the values of the inputs into memory that is there since the load, once, and goes on.
 * One word says whose turn it is: who finds its own touches the copy, nobody waits for the other.
 * The sum over the copy, and the file, are the control thread's work. */
#ifndef LKD_RT_SNAPSHOT_H
#define LKD_RT_SNAPSHOT_H

#include "linkage/linkage.h"
#include <stdatomic.h>
#include <stdbool.h>

struct lkd_cycle;

/** enum lkd_snapshot_turn - control: IDLE, READY; cycle: WANTED. */
enum lkd_snapshot_turn { LKD_SNAPSHOT_IDLE, LKD_SNAPSHOT_WANTED, LKD_SNAPSHOT_READY };

/** struct lkd_snapshot - @turn: enum lkd_snapshot_turn
 * @state: @size bytes, of lk_system_state_copy();  @commanded, @acting: of all inputs: what benches
 * ask for, and what acted in the last step */
struct lkd_snapshot {
    _Atomic int turn;
    size_t size;
    void *state;
    double *commanded;
    double *acting;
};

/** lkd_snapshot_init() - memory for a system. Return: 0, -ENOMEM.  lkd_snapshot_fini() - release.
 */
int lkd_snapshot_init(struct lkd_snapshot *snapshot, const struct lk_system *system);
void lkd_snapshot_fini(struct lkd_snapshot *snapshot);

/** lkd_snapshot_fill() - copy, without a word about turns.
 * Thread: control, while no thread runs the cycle.  RT: yes, one copy. */
LK_RT void lkd_snapshot_fill(struct lkd_cycle *cycle);
/** lkd_snapshot_serve() - the same where the control thread wants it. Thread: cycle.  RT: yes. */
LK_RT void lkd_snapshot_serve(struct lkd_cycle *cycle);

/** lkd_cycle_resume() - after lkd_cycle_rewind(): the system goes on from @state, its inputs from
 * the values @acting; figures are those of that step, the judge knows of no earlier one.
 * Thread: control, while no thread steps.  RT: no.
 * Return: 0, LK_E_STATE (@ret_error; all is as before). */
int lkd_cycle_resume(struct lkd_cycle *cycle, const void *state, size_t size, const double *acting,
                     struct lk_error *ret_error);

#endif
