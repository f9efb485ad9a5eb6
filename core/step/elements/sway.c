/* SPDX-License-Identifier: Apache-2.0 */
/* Geometric stiffness of rods and springs in a step, see sway.h. */
#include "step/elements/sway.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/elements/tension.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/rattle_state.h"
#include "step/system.h"
#include <string.h>

/* return the geometric stiffness: tension / length of the gap [N/m]; 0 for a rod under
 * pressure */
static double stiffness_across(const struct lk_system *sys, int along, const double *value)
{
    const struct lk_joint *j = &sys->joint[along];
    double length = j->length + (lk_is_compliant(j) ? value[j->law] : 0);

    return length > 0 ? lk_max(sys->now.lambda[j->row] / length, 0) : 0;
}

/* copy the motion of the last step to system->correction, as a twist */
static void take_motion(struct lk_system *sys, int body)
{
    if (body < sys->n_bodies)
        memcpy(&sys->correction[body], lk_rattle_own(&sys->now)[body].moved,
               sizeof(sys->correction[body]));
    else
        sys->correction[body] = (struct lk_twist){0};
}

/* set K+ and delta' of the next step in the terms of sway rows */
static void start(struct lk_system *sys, const double *inputs)
{
    const double *value = sys->elements->value;

    (void)inputs;
    for (int i = 0; i < sys->n_sways; i++) {
        const struct lk_sway *sway = &sys->sway[i];
        const struct lk_joint *j = &sys->joint[sway->block];
        double K = stiffness_across(sys, sway->along, value), last[LK_ROWS_PAD];

        for (int s = 0; s < 2; s++)
            take_motion(sys, j->body[s]);
        lk_evaluate_row_rates(sys, sway->block, sys->correction, last);
        for (int r = 0; r < j->n_rows; r++) {
            const struct lk_term *t = &sys->term[sys->law[j->law + r].first_term];

            t->now->stiffness = sys->is_part ? 0 : K * lk_tension_share(K * sys->scale[j->row + r]);
            t->now->from = last[r];
        }
    }
}

/* add the force of a sway row in the first half kick, and twice its derivative */
void lk_sway_step(const struct lk_term *t, double delta, struct lk_law_value *sum)
{
    sum->elastic += t->now->stiffness * (0.5 * delta + LK_TENSION_LATE * (delta - t->now->from));
    sum->stiffness += t->now->stiffness * (1 + 2 * LK_TENSION_LATE);
}

/* convert the multipliers of sway rows from the first half kick to the second, and book the
 * energy that both half kicks dissipate */
static void turn(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_sways; i++) {
        const struct lk_joint *j = &sys->joint[sys->sway[i].block];

        for (int r = 0; r < j->n_rows; r++) {
            const struct lk_term *t = &sys->term[sys->law[j->law + r].first_term];
            double *lambda = &sys->next.lambda[j->row + r];
            double late = LK_TENSION_LATE * t->now->stiffness;
            /* K+ delta */
            double change = (*lambda + late * t->now->from) / (0.5 + LK_TENSION_LATE);
            double delta = t->now->stiffness > 0 ? change / t->now->stiffness : 0;

            sys->next.balance->taken += late * delta * (delta - t->now->from);
            *lambda -= change;
        }
    }
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_sways > 0;
}

const struct lk_element_ops lk_sway_ops = {
    .is_in = is_in,
    .start = start,
    .close = turn,
};
