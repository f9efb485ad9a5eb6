/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a rig's run and of its budget proof: threads, faults, watchdog. Private to rig.c,
 * whose commands check the state, and rig_run.c. Control thread only. */
#ifndef LKD_CTL_RIG_RUN_H
#define LKD_CTL_RIG_RUN_H

#include "rig.h"

#define EMPTY   LINKAGE__V1__STATE__STATE_EMPTY
#define READY   LINKAGE__V1__STATE__STATE_READY
#define RUNNING LINKAGE__V1__STATE__STATE_RUNNING
#define PAUSED  LINKAGE__V1__STATE__STATE_PAUSED
#define FAULT   LINKAGE__V1__STATE__STATE_FAULT
#define ARMED   LINKAGE__V1__STATE__STATE_ARMED
#define ARMING  LINKAGE__V1__STATE__STATE_ARMING
#define LOADING LINKAGE__V1__STATE__STATE_LOADING

#define IN(state) (1u << (state))

#define LKD_RIVALS_SIZE (sizeof(((struct lk_host_rivals *)NULL)->names) + 32)

/* Text for a proof that was stopped before it had a verdict. */
#define STOPPED "stopped before the proof was done"

/** lkd_rig_enter() - Change the state of the rig and log the change. */
void lkd_rig_enter(struct lkd_rig *rig, Linkage__V1__State state);
/** lkd_rig_tell() - Send state, model and step to the exchange, which sends them in heartbeats. */
void lkd_rig_tell(const struct lkd_rig *rig);

/** lkd_rig_answer_ok() - Fill the answer RESULT_OK without text. */
void lkd_rig_answer_ok(struct lkd_answer *a);
/** lkd_rig_answer_stuck() - Fill the refusal for a hung cycle, which still uses its resources;
 * names the other threads on its core. */
void lkd_rig_answer_stuck(const struct lkd_rig *rig, struct lkd_answer *a);

/** lkd_run_is_live() - Return true in RUNNING or PAUSED. */
bool lkd_run_is_live(const struct lkd_rig *rig);

/** lkd_run_show() - Read the newest figures of the cycle and update the content of heartbeats. */
void lkd_run_show(struct lkd_rig *rig);
/** lkd_run_rewind() - Reset the model to t = 0. No run may be active. */
void lkd_run_rewind(struct lkd_rig *rig);

/** lkd_run_make_threads() - Create the threads for a run or, with @proof, for its budget proof, if
 * the machine is fit for it or a degraded run is allowed.
 * Return: true on success; otherwise the refusal is in @a. */
bool lkd_run_make_threads(struct lkd_rig *rig, struct lkd_proof *proof, struct lkd_answer *a);

/** lkd_run_start() - Change from ARMED to RUNNING. @steps: number of steps until the run pauses, 0:
 * unlimited */
void lkd_run_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *a);

/** lkd_run_end() - End the threads of a run, keep its figures, and write its report. Does nothing
 * without a run.
 * @next: the state in the last sample.
 * Return: 0, -ETIMEDOUT (the cycle hangs; lkd_rig_refresh() completes the end). */
int lkd_run_end(struct lkd_rig *rig, Linkage__V1__State next);

/** lkd_run_end_proof() - End the threads of a budget proof, finished or not.
 * Return: as lkd_run_end(). */
int lkd_run_end_proof(struct lkd_rig *rig);

#endif
