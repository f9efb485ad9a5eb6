/* SPDX-License-Identifier: Apache-2.0 */
/* Transmission lines: a wave from one end reaches the other end after a delay of n steps.
 *
 * Let p be the pressure at an end, and q the flow into the line there. An ideal line of impedance Z
 * obeys (D. M. Auslander, Distributed system simulation with bilateral delay-line models, 1968)
 *
 *     p = c + Z q,    c(t) = c_2(t - T) + 2 Z q_2(t - T)    (2: the other end)
 *
 * At an end with the coordinate x, the flow is q = ratio x', and the force on x is -ratio p: a
 * damper and a constant force. The step solves both with the constraints; q is the mean rate of the
 * step, and the wave is constant over the step. The energy h c^2 / 4 Z of each travelling wave then
 * balances the work of both ends to round-off, (c + Z q) q = ((c + 2 Z q)^2 - c^2) / 4 Z, for any
 * delay: a line never creates energy.
 *
 * State: the waves that each end has sent, in a ring indexed by the number of the step, and the
 * pressure at both ends. */
#include "step/elements/lines.h"
#include "step/elements/elements.h"
#include <stdint.h>

static int slot_of(const struct lk_system *sys, const struct lk_line *line)
{
    return (int)((int64_t)sys->now.balance->steps % line->steps);
}

/* return the wave that reaches @end now */
static double arriving(const struct lk_system *sys, const struct lk_line *line, int end)
{
    return sys->now.waves[line->at + !end * line->steps + slot_of(sys, line)];
}

static void take_waves(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_lines; i++) {
        const struct lk_line *line = &sys->line[i];

        for (int end = 0; end < 2; end++)
            sys->term[line->term[end]].now->push = -line->ratio[end] * arriving(sys, line, end);
    }
}

static double way_of(const struct lk_system *sys, const struct lk_law *law)
{
    const struct lk_joint *j = &sys->joint[law->joint];
    int at = j->of[0]->first_coordinate + j->which[0];

    return sys->next.coordinate[at] - sys->now.coordinate[at];
}

static void keep(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_lines; i++) {
        const struct lk_line *line = &sys->line[i];
        double *own = sys->next.waves + line->at;

        for (int end = 0; end < 2; end++) {
            double c = arriving(sys, line, end);
            double q = line->ratio[end] * way_of(sys, &sys->law[line->law[end]]) / sys->h;

            own[end * line->steps + slot_of(sys, line)] = c + 2 * line->impedance * q;
            own[2 * line->steps + end] = c + line->impedance * q;
        }
    }
}

static double energy_of(const struct lk_system *sys, const struct lk_state *state)
{
    double energy = 0;

    for (int i = 0; i < sys->n_lines; i++) {
        const struct lk_line *line = &sys->line[i];
        const double *wave = state->waves + line->at;
        double sum = 0;

        for (int k = 0; k < 2 * line->steps; k++)
            sum += wave[k] * wave[k];
        energy += 0.25 * sys->h / line->impedance * sum;
    }
    return energy;
}

double lk_lines_force(const struct lk_system *sys, const struct lk_line *line, int end)
{
    return 0.0 - line->ratio[end] * sys->now.waves[line->at + 2 * line->steps + end];
}

static void refer(struct lk_system *sys, const struct lk_state *state)
{
    (void)state;
    take_waves(sys);
}

static void follow(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    take_waves(sys);
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_lines > 0;
}

const struct lk_element_ops lk_line_ops = {
    .is_in = is_in,
    .refer = refer,
    .follow = follow,
    .keep = keep,
    .energy = energy_of,
};
