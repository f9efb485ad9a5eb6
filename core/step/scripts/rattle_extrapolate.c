/* SPDX-License-Identifier: Apache-2.0 */
/* Order 4 and 6 of `rattle`, see extrapolate.c.
 *
 * The step is symmetric, so its error has only even powers of h, e2 h^2 + e4 h^4 + ..., and
 *
 *     order 4:  -1/3 z(h) + 4/3 z(h/2)
 *     order 6:  1/24 z(h) - 16/15 z(h/2) + 81/40 z(h/3)
 *
 * remove one term (order 4, 3 steps) or two terms (order 6, 6 steps) (E. Hairer, C. Lubich, G.
 * Wanner, Geometric Numerical Integration, II.4). The step is symmetric only as far as its
 * iterations have converged; the remaining error of the iterations has odd powers. Pose and
 * velocity are the state of `rattle`: accelerations and multipliers are computed from the combined
 * poses and velocities. The combination itself is not symmetric: an undamped mode of phase 0.5 rad
 * per step (order 4) or 0.8 rad per step (order 6) grows by a factor of 1 + 1.2e-5 per step. */
#include "step/rattle_state.h"
#include "step/scripts/extrapolate.h"
#include "step/scripts/rattle.h"
#include "step/scripts/step.h"
#include <string.h>

/* return the acceleration of the half kick that led to @state with step @h */
static double last_kick(const struct lk_state *state, int b, int i, double h)
{
    const struct lk_motion *m = &state->motion[b];

    return 2 / h * ((i < 3 ? m->v.v[i] : m->v.w[i - 3]) - lk_rattle_own(state)[b].moved[i] / h);
}

/* return the displacement that corresponds to the acceleration of the last half kick in a
 * state with step @h */
static double moved_by(const struct lk_state *state, int b, int i, double h, double kick)
{
    const struct lk_motion *m = &state->motion[b];

    return h * ((i < 3 ? m->v.v[i] : m->v.w[i - 3]) - 0.5 * h * kick);
}

static void begin_sequence(const struct lk_system *sys, struct lk_system *sequence)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_rattle_own *own = &lk_rattle_own(&sequence->now)[b];

        *own = lk_rattle_own(&sys->now)[b];
        for (int i = 0; i < 6; i++)
            own->moved[i] =
                moved_by(&sequence->now, b, i, sequence->h, last_kick(&sys->now, b, i, sys->h));
    }
    lk_start_resume(sequence);
}

/* Compute the values from which the next step predicts, from the last half kick of the finest
 * sequence. The pose of the factor is the combined pose. */
static void make_own(struct lk_system *sys)
{
    const struct lk_system *fine = sys->sequence[sys->n_sequences - 2];

    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_rattle_own *own = &lk_rattle_own(&sys->next)[b];
        const struct lk_motion *m = &sys->next.motion[b];

        memcpy(own->x, m->x, sizeof(own->x));
        memcpy(own->q, m->q, sizeof(own->q));
        for (int i = 0; i < 6; i++) {
            own->moved[i] =
                moved_by(&sys->next, b, i, sys->h, last_kick(&fine->now, b, i, fine->h));
            own->curvature[i] = 0; /* used only for bodies without inertia */
        }
    }
}

static void finish_combination(struct lk_system *sys, const double *inputs)
{
    make_own(sys);
    lk_rattle_finish(sys, inputs);
}

const struct lk_extrapolation lk_extrapolation_rattle = {
    .by = {{4, {-1.0 / 3, 4.0 / 3, 0}, 0.5}, {6, {1.0 / 24, -16.0 / 15, 81.0 / 40}, 0.8}},
    .n_solves = LK_EXTRAPOLATE_ROUNDS + 4,
    .iterations = 4, /* most parts are short; a small number is better next to a singular
                      * pose */
    .begin = begin_sequence,
    .finish = finish_combination,
};
