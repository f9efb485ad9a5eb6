/* SPDX-License-Identifier: Apache-2.0 */
/* Many steps in one call, for callers with expensive function calls, such as interpreted languages.
 * Same steps and bits as with single calls of lk_system_step(). */
#ifndef LINKAGE_RUN_H
#define LINKAGE_RUN_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_run - a run and the memory for its results.
 * @steps:  number of steps
 * @inputs: rows of lk_system_input_size() values; NULL for a model without inputs.  @stride: from a
 *          row to that of the next step, in values: 0: one row acts in all steps
 * @every:  a row of outputs after each @every steps; 0: none
 * @times:    @steps / @every values, rounded down: time of each row [s]; NULL: not wanted
 * @outputs:  so many rows of lk_system_output_size() values; NULL: not wanted */
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
 * Thread: that which steps.  RT: no allocation; the duration is that of all its steps.
 * Return: 0, or as lk_system_step() of the first step that fails, from which the state is as before
 *         it; the rows up to there are written. */
int lk_system_run(struct lk_system *system, const struct lk_run *run, uint64_t *ret_done);

#ifdef __cplusplus
}
#endif
#endif
