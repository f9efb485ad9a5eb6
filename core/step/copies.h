/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a mechanism side by side: systems that differ in their numbers alone, each in one lane.
 *
 * Systems that were compiled for the engine "copies" have all of their program in its first lane. A
 * set of them has one array of values, where the program is the same and each lane is a system:
 * every operand is in the lane of its system, nothing is gathered, and no lane depends on another.
 * So a system has the same bits in whichever lane, beside whatever else, and alone by
 * lk_system_step(). What is not in lanes (loads, laws, drives, energies) is done for one system
 * after another, and convergence is judged for each. */
#ifndef LK_STEP_COPIES_H
#define LK_STEP_COPIES_H

#include "step/batch/batch.h"

/** struct lk_copies - @view: the program of each system, as if all lanes were moved to the first
 * @own: what it has when it steps alone;  @fault: 0, or why it steps no more
 * @before: powers at the start of a step under way */
struct lk_copies {
    int n;
    double *values;
    struct lk_system *system[LK_LANES_MAX];
    struct lk_batches view[LK_LANES_MAX];
    struct lk_batches *own[LK_LANES_MAX];
    int fault[LK_LANES_MAX];
    struct lk_powers before[LK_LANES_MAX];
};

/** lk_copies_step() - advance each of them by one step, as lk_system_step() does, with the same
 * bits.
 * @inputs: of each;  @ret_fault: written, of each what lk_system_step() returns. One that failed
 * keeps its state and steps no more, and says so again in every later step; its outputs are of
 * nothing.
 * Thread: that which steps.  RT: yes. */
LK_RT void lk_copies_step(struct lk_copies *copies, const double *const *inputs, int *ret_fault);

#endif
