/* SPDX-License-Identifier: Apache-2.0 */
/* Order 3 and 4 of `ali3`, see extrapolate.c.
 *
 * The error of a step, as a function of h, is e2 h^2 + e3 h^3 + e4 h^4 + ..., with odd powers
 * because the projections make the step unsymmetric. The combinations
 *
 *     order 3:  -1/3 z(h) + 4/3 z(h/2)
 *     order 4:  1/12 z(h) - 4/3 z(h/2) + 9/4 z(h/3)
 *
 * cancel e2 (order 3), and e2 and e3 (order 4). Errors cancel only if they have the same expansion
 * in h in all sequences. Therefore E of rigid rows is the same fraction of the diagonal in all
 * sequences, and sub-steps begin as described at settle_accelerations(). */
#include "step/executor.h"
#include "step/scripts/ali3.h"
#include "step/scripts/extrapolate.h"

/* ---- accelerations that belong to a state ---- */

/* Accelerations and multipliers at the end of a plain step correspond to its velocities before the
 * projection, and include the springs' response to the projections. They differ by c h^2 from the
 * accelerations and multipliers that belong to the state. A sequence started from a combined state
 * would have this difference in its first step only, an error c h^3 / n^3 that no combination
 * cancels. So if forces depend on velocities, or if there are springs, sub-steps begin with
 * accelerations and multipliers computed from the state: first the forces, then the projection with
 * rigid rows only. */
static void settle_accelerations(struct lk_system *sys, const double *inputs)
{
    sys->executor->settle(sys, inputs);
}

/* return whether a step uses poses, Jacobians or the factor of the previous step */
static int looks_back(const struct lk_system *sys)
{
    return sys->n_jumps + sys->n_loads + sys->n_laws + sys->n_drives > 0;
}

static void begin_sequence(const struct lk_system *sys, struct lk_system *sequence)
{
    (void)sys;
    if (sequence->formulation->renew || looks_back(sequence))
        sequence->executor->renew(sequence);
}

static void finish_combination(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    lk_ali3_finish(sys);
}

const struct lk_extrapolation lk_extrapolation_ali3 = {
    .by = {{3, {-1.0 / 3, 4.0 / 3, 0}, 0.5}, {4, {1.0 / 12, -4.0 / 3, 9.0 / 4}, 1.0}},
    .n_solves = LK_EXTRAPOLATE_ROUNDS + 2,
    .begin = begin_sequence,
    .settle = settle_accelerations,
    .finish = finish_combination,
};
