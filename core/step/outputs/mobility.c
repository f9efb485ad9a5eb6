/* SPDX-License-Identifier: Apache-2.0 */
#include "step/outputs/mobility.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <string.h>

/* Replace the forces @sum on all bodies by the accelerations that they cause, without gyroscopic
 * terms: W Q - W Phi_q^T (Phi_q W Phi_q^T)^-1 Phi_q W Q */
static void respond(struct lk_system *sys, struct lk_twist *sum)
{
    lk_evaluate_weigh(sys, sys->W, sum);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, i, sum, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = r < lk_rigid_rows(j) ? rates[r] : 0;
    }
    lk_evaluate_refined(sys, sys->elements->port_rows);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sum[b].v[i] -= sys->correction[b].v[i];
            sum[b].w[i] -= sys->correction[b].w[i];
        }
}

/* add a unit of force between two points to @sum */
static void pull_at_row(const struct lk_system *sys, const struct lk_law *law, struct lk_twist *sum)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    for (int s = 0; s < 2; s++) {
        struct lk_twist *own = &sum[j->body[s]];
        double row[6];

        lk_jacobian_row(sys->jacobian[law->joint], s, law->row, row);
        for (int i = 0; i < 3; i++) {
            own->v[i] += row[i];
            own->w[i] += row[3 + i];
        }
    }
}

static double mobility_of_row(struct lk_system *sys, const struct lk_law *law)
{
    double rates[LK_ROWS_PAD];

    pull_at_row(sys, law, sys->residual);
    respond(sys, sys->residual);
    lk_evaluate_row_rates(sys, law->joint, sys->residual, rates);
    return rates[law->row];
}

static bool is_between_points(const struct lk_system *sys, const struct lk_port *p)
{
    return p->law >= 0 && !sys->joint[sys->law[p->law].joint].of[0];
}

static void show_mobility(struct lk_system *sys, const struct lk_port *p, double *ret)
{
    int n = p->place.type == LK_INPUT_BODY_FORCE || p->place.type == LK_INPUT_BODY_TORQUE ? 3 : 1;
    size_t places = (size_t)(sys->n_bodies + 1 + sys->n_frames);

    if (is_between_points(sys, p)) {
        memset(sys->residual, 0, places * sizeof(*sys->residual));
        ret[0] = mobility_of_row(sys, &sys->law[p->law]);
        return;
    }
    for (int k = 0; k < n; k++) {
        double unit[3] = {0};

        unit[k] = -1;
        memset(sys->residual, 0, places * sizeof(*sys->residual));
        lk_loads_subtract_input(sys, &p->place, unit, sys->residual);
        respond(sys, sys->residual);
        unit[k] = 0;
        for (int l = k; l < n; l++) {
            unit[l] = 1;
            ret[lk_sym_at(k, l)] = lk_loads_input_power(sys, &p->place, unit, sys->residual);
            unit[l] = 0;
        }
    }
}

void lk_ports_show(struct lk_system *sys, struct lk_state *state)
{
    for (int i = 0; i < sys->n_shown_ports; i++)
        if (sys->port[i].type == LK_OUTPUT_MOBILITY)
            show_mobility(sys, &sys->port[i], state->shown + sys->port[i].at);
}
