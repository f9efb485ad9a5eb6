/* SPDX-License-Identifier: Apache-2.0 */
/* Energies of bodies with modes: what their deformation stores, and what its damping takes in a
 * step: the mean force c dq / h times dq. A quasi-static mode has its elastic force at the end of
 * the step, not in its middle: the difference is lost. */
#include "step/elements/elements.h"
#include "step/system.h"

static bool is_in(const struct lk_system *sys)
{
    return sys->n_modals > 0;
}

static void book(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++) {
            double u = sys->next.mode[m->at + k].q - sys->now.mode[m->at + k].q;

            sys->next.balance->dissipated +=
                m->is_static[k] ? (m->damping[k] / sys->h + 0.5 * m->stiffness[k]) * u * u
                                : m->decay[k] / sys->h * u * u;
        }
    }
}

static double energy(const struct lk_system *sys, const struct lk_state *state)
{
    return lk_modal_elastic(sys, state);
}

const struct lk_element_ops lk_mode_ops = {.is_in = is_in, .book = book, .energy = energy};
