/* SPDX-License-Identifier: Apache-2.0 */
/* A step of copies side by side; see copies.h. */
#include "step/copies.h"
#include "maths/arithmetic.h"

/* Those that begin it; the others keep their fault. */
static void begin_all(struct lk_copies *c, const double *const *inputs)
{
    for (int i = 0; i < c->n; i++) {
        if (c->fault[i] == 0 && !lk_step_inputs_are_finite(c->system[i], inputs[i]))
            c->fault[i] = LK_E_NOT_FINITE;
        if (c->fault[i] == 0)
            lk_step_begin(c->system[i], inputs[i], &c->before[i]);
    }
}

void lk_copies_step(struct lk_copies *c, const double *const *inputs, int *ret_fault)
{
    LK_ARITHMETIC;
    bool steps[LK_LANES_MAX];

    begin_all(c, inputs);
    for (int i = 0; i < c->n; i++)
        steps[i] = c->fault[i] == 0;
    c->view[0].engine->copies_step(c, inputs);
    for (int i = 0; i < c->n; i++) {
        if (steps[i])
            c->fault[i] = lk_step_end(c->system[i], inputs[i], &c->before[i], c->fault[i]);
        if (c->fault[i] == 0)
            lk_step_swap(c->system[i]);
        ret_fault[i] = c->fault[i];
    }
}
