/* SPDX-License-Identifier: Apache-2.0 */
/* Higher orders by extrapolation (P. Deuflhard, E. Hairer, J. Zugck, One-step and
 * extrapolation methods for differential-algebraic systems, 1987).
 *
 * From one state the same interval is stepped once with h, twice with h/2 and, for the highest
 * order of a formulation, three times with h/3. The results are combined so that the leading powers
 * of h in the error cancel. Positions, velocities, accelerations, multipliers and works are
 * combined directly; orientations are combined as rotation vectors relative to the finest sequence.
 * Because the constraints are nonlinear, the formulation then projects positions and velocities
 * once more, and computes the accelerations; see ali3_extrapolate.c and rattle_extrapolate.c.
 *
 * Each sequence except the first is a separate system, compiled from the same model with a
 * different step. Sequences share only the initial state, so they may run in parallel. They keep no
 * state from one step to the next. */
#include "step/scripts/extrapolate.h"
#include "maths/vec.h"
#include "step/scripts/step.h"
#include <string.h>

/* ---- sequences ---- */

/* step @sequence @parts times from sys->now */
static int run_sequence(const struct lk_system *sys, struct lk_system *sequence, int parts,
                        const double *inputs)
{
    struct lk_state *from = &sequence->now;
    int r = 0;

    /* copy the state except E of laws, which depends on the step */
    memcpy(from->block, sys->now.block,
           (size_t)(sys->now.tangent - sys->now.block) * sizeof(double));
    *from->balance = *sys->now.balance;
    from->balance->steps *= parts;
    sys->formulation->extrapolation->begin(sys, sequence);
    for (int i = 0; i < parts && r == 0; i++) {
        r = lk_system_step(sequence, inputs);
        if (r == 0 && sequence->settles && i < parts - 1)
            sys->formulation->extrapolation->settle(sequence, inputs);
    }
    return r;
}

/* ---- combination ---- */

/* Replace @n doubles of the block of system->next, the result of the first sequence, by the
 * combination of all sequences.
 * @part: the first of these doubles */
static void combine(const struct lk_system *sys, const double *weight, const double *part, size_t n)
{
    size_t at = (size_t)(part - sys->next.block);
    double *first = sys->next.block + at;

    for (size_t i = 0; i < n; i++) {
        double sum = weight[0] * first[i];

        for (int k = 0; k < sys->n_sequences - 1; k++)
            sum += weight[k + 1] * sys->sequence[k]->now.block[at + i];
        first[i] = sum;
    }
}

/* compute q = q_fine exp(sum of weight log(q_fine^-1 q)) */
static void combine_orientation(const struct lk_system *sys, const double *weight, int b)
{
    const double *fine = sys->sequence[sys->n_sequences - 2]->now.motion[b].q;
    const double inverse[4] = {fine[0], -fine[1], -fine[2], -fine[3]};
    double *q = sys->next.motion[b].q, sum[3] = {0}, turn[4], theta[3];

    for (int k = 0; k < sys->n_sequences - 1; k++) {
        lk_quat_mul(inverse, k == 0 ? q : sys->sequence[k - 1]->now.motion[b].q, turn);
        lk_rotation_log(turn, theta);
        for (int i = 0; i < 3; i++)
            sum[i] += weight[k] * theta[i];
    }
    lk_rotation_exp(sum, turn);
    lk_quat_mul(fine, turn, q);
    lk_quat_normalise(q);
}

static void combine_states(struct lk_system *sys)
{
    const double *weight = sys->combination->weight;
    struct lk_balance *balance = sys->next.balance;

    for (int b = 0; b < sys->n_bodies; b++) {
        combine_orientation(sys, weight, b);
        combine(sys, weight, sys->next.motion[b].x, 3);
        combine(sys, weight, sys->next.motion[b].v.v, 12);
    }
    combine(sys, weight, sys->next.lambda, (size_t)sys->n_rows);
    combine(sys, weight, &balance->work_input, 6);
    for (int k = 0; k < sys->n_sequences - 1; k++)
        balance->increment = lk_max(balance->increment, sys->sequence[k]->now.balance->increment);
}

int lk_extrapolate(struct lk_system *sys, const double *inputs)
{
    for (int k = 0; k < sys->n_sequences - 1; k++) {
        int r = run_sequence(sys, sys->sequence[k], k + 2, inputs);

        if (r != 0)
            return r;
    }
    combine_states(sys);
    sys->formulation->extrapolation->finish(sys, inputs);
    return lk_step_account(sys);
}
