/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/run.h"
#include "maths/arithmetic.h"

int lk_system_run(struct lk_system *system, const struct lk_run *run, uint64_t *ret_done)
{
    const size_t n_outputs = (size_t)lk_system_output_size(system);
    uint64_t row = 0;

    LK_ARITHMETIC;
    for (*ret_done = 0; *ret_done < run->steps; ++*ret_done) {
        const double *inputs =
            run->inputs != NULL ? run->inputs + *ret_done * run->stride : run->inputs;
        int r = lk_system_step(system, inputs);

        if (r != 0)
            return r;
        if (run->every == 0 || (*ret_done + 1) % run->every != 0)
            continue;
        if (run->times != NULL)
            run->times[row] = lk_system_time(system);
        if (run->outputs != NULL)
            lk_system_outputs(system, run->outputs + row * n_outputs);
        row++;
    }
    return 0;
}
