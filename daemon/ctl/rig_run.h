/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a rig and its proof: threads, faults, watchdog. Behind the commands of rig.c, which
 * say what is allowed when; nobody else includes this. Control thread only. */
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

/* why there is no verdict */
#define STOPPED "stopped before the proof was done"

/** lkd_rig_enter() - change the state and log it. */
void lkd_rig_enter(struct lkd_rig *rig, Linkage__V1__State state);
/** lkd_rig_tell() - the state, model and step, for heartbeats. */
void lkd_rig_tell(const struct lkd_rig *rig);

/** lkd_rig_answer_ok() - OK without a line. */
void lkd_rig_answer_ok(struct lkd_answer *a);
/** lkd_rig_answer_stuck() - the cycle stands still and holds everything that it uses; who else is
 * on its core. */
void lkd_rig_answer_stuck(const struct lkd_rig *rig, struct lkd_answer *a);

/** lkd_run_is_live() - RUNNING or PAUSED. */
bool lkd_run_is_live(const struct lkd_rig *rig);

/** lkd_run_rewind() - back to t = 0, without a run. */
void lkd_run_rewind(struct lkd_rig *rig);

/** lkd_run_make_threads() - threads for a run or, with @proof, for its proof stand, and the machine
 * is fit for it or allowed not to be. Return: whether they do; a refusal is answered. */
bool lkd_run_make_threads(struct lkd_rig *rig, struct lkd_proof *proof, struct lkd_answer *a);

/** lkd_run_start() - from ARMED to RUNNING. @steps: after which it pauses, 0: never */
void lkd_run_start(struct lkd_rig *rig, uint64_t steps, struct lkd_answer *a);

/** lkd_run_end() - the threads of a run end, its figures stay, its report is written; nothing
 * without a run. @next: the state that the last sample says. Return: 0, -ETIMEDOUT (the cycle
 * stands still; lkd_rig_refresh() does the rest when it has ended). */
int lkd_run_end(struct lkd_rig *rig, Linkage__V1__State next);

/** lkd_run_end_proof() - the threads of a proof end, whether it was over or not. Return: likewise.
 */
int lkd_run_end_proof(struct lkd_rig *rig);

#endif
