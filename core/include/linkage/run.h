/* SPDX-License-Identifier: Apache-2.0 */
/* Many steps in one call, for callers with expensive function calls, such as interpreted
 * languages. Steps and bits are the same as with single calls of lk_system_step(). */
#ifndef LINKAGE_RUN_H
#define LINKAGE_RUN_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_run - a run and the memory for its results.
 * @steps:    number of steps
 * @inputs:   rows of lk_system_input_size() values; NULL for a model without inputs
 * @stride:   distance between the rows of two successive steps, in values; 0: one row for all
 *            steps
 * @every:    number of steps between two rows of outputs; 0: no outputs
 * @times:    time of each row of outputs [s], @steps / @every values, rounded down; NULL: not
 *            wanted
 * @outputs:  @steps / @every rows of lk_system_output_size() values; NULL: not wanted */
struct lk_run {
    uint64_t steps;
    const double *inputs;
    size_t stride;
    uint64_t every;
    double *times;
    double *outputs;
};

/** lk_system_run() - advance by @run->steps steps.
 * @ret_done: number of completed steps, also if a step fails
 * Thread: the stepping thread.  RT: no allocation; takes as long as all its steps.
 * Return: 0, or as lk_system_step() of the first step that fails. After a failure the system is in
 *         the state before the failed step, and the rows of the completed steps are written. */
int lk_system_run(struct lk_system *system, const struct lk_run *run, uint64_t *ret_done);

#ifdef __cplusplus
}
#endif
#endif
