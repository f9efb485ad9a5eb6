/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that describe the failure of a step or a run: the reason for FAULT, and the conditions of
 * the model that the policy counted. Control thread only. */
#ifndef LKD_CTL_FAULT_H
#define LKD_CTL_FAULT_H

#include "rig.h"

/** lkd_fault_describe() - Write the reason for the fault to rig->fault, in one line, from the
 * newest figures. */
void lkd_fault_describe(struct lkd_rig *rig);

/** lkd_fault_begin() - Reset the counts of conditions when a run begins.
 * lkd_fault_follow() - Log and record the conditions of the model that were counted since the last
 * call. Call it often during a run. */
void lkd_fault_begin(struct lkd_rig *rig);
void lkd_fault_follow(struct lkd_rig *rig);

#endif
