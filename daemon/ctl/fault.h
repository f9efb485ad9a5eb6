/* SPDX-License-Identifier: Apache-2.0 */
/* Words for what is wrong with a step or a run: why it ended in FAULT, and what the policy counted
 * about the model. Control thread only. */
#ifndef LKD_CTL_FAULT_H
#define LKD_CTL_FAULT_H

#include "rig.h"

/** lkd_fault_describe() - rig->fault from the newest figures, one line. */
void lkd_fault_describe(struct lkd_rig *rig);

/** lkd_fault_begin() - a run begins: nothing has been counted.
 * lkd_fault_follow() - call often during a run: log and recording of the conditions of the model
 * that were counted since the last call. */
void lkd_fault_begin(struct lkd_rig *rig);
void lkd_fault_follow(struct lkd_rig *rig);

#endif
