/* SPDX-License-Identifier: Apache-2.0 */
/* Order 3 and 4 of `ali3`, see extrapolate.c.
 *
 * The error of a step, as a function of h, is e2 h^2 + e3 h^3 + e4 h^4 + ..., with odd powers
 * because the projections make the step unsymmetric. The combinations
 *
 *     order 3:  -1/3 z(h) + 4/3 z(h/2)
 *     order 4:  1/12 z(h) - 4/3 z(h/2) + 9/4 z(h/3)
 *
 * are free of e2, and of e2 and e3. Errors must have the same expansion in h in all
 * sequences, or they would not cancel: E of rigid rows is the same fraction of the diagonal in all
 * of them, and see settle_accelerations(). */
#include "maths/vec.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/lanes/batch.h"
#include "step/one/evaluate.h"
#include "step/scripts/extrapolate.h"
#include "step/step.h"

/* ---- accelerations that belong to a state ---- */

/* E of compliant rows is so large that a projection leaves them alone */
static void decouple_laws(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
}

/* Accelerations and multipliers at the end of a plain step correspond to its velocities before the
 * projection, and include the springs' response to the projections: they differ from those of the
 * state by c h^2. A sequence started from a combined state would show this difference in its first
 * step, an error c h^3 / n^3 that no combination cancels. So if forces depend on velocities, or
 * rows on springs, sub-steps begin with values of the state: forces, then the projection with rigid
 * rows only. */
static void settle_accelerations(struct lk_system *sys, const double *inputs)
{
    if (sys->batches) {
        sys->batches->engine->ali3.settle(sys, inputs);
        return;
    }
    lk_loads_accelerate(sys, &sys->now, lk_time(sys), inputs);
    decouple_laws(sys);
    if (sys->n_laws > 0)
        lk_evaluate_factor(sys);
    lk_project_accelerations(sys, &sys->now, NULL);
    lk_start_take_tangents(sys);
}

/* whether a step uses poses, Jacobians or the factor of the previous one */
static int looks_back(const struct lk_system *sys)
{
    return sys->n_jumps + sys->n_loads + sys->n_laws + sys->n_drives > 0;
}

static void begin_sequence(const struct lk_system *sys, struct lk_system *sequence)
{
    (void)sys;
    if (sequence->batches)
        sequence->formulation->renew(sequence);
    else if (looks_back(sequence))
        lk_start_renew(sequence);
}

static void finish_combination(struct lk_system *sys, const double *inputs)
{
    if (sys->batches) {
        sys->batches->engine->ali3.finish(sys, inputs);
        return;
    }
    /* the factor is still that of the first sequence: near enough for a Newton iteration */
    lk_evaluate_twists(sys, &sys->next);
    for (int i = 0; i < LK_EXTRAPOLATE_ROUNDS; i++)
        lk_project_positions(sys);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
    lk_project_velocities(sys, &sys->next);
    lk_project_accelerations(sys, &sys->next, NULL);
}

const struct lk_extrapolation lk_extrapolation_ali3 = {
    .by = {{3, {-1.0 / 3, 4.0 / 3, 0}, 0.5}, {4, {1.0 / 12, -4.0 / 3, 9.0 / 4}, 1.0}},
    .n_solves = LK_EXTRAPOLATE_ROUNDS + 2,
    .begin = begin_sequence,
    .settle = settle_accelerations,
    .finish = finish_combination,
};
