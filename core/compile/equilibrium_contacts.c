/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts in the search for a static equilibrium (equilibrium.c). A point is a spring along its
 * normal while it is closed, with the compliance that it has in a step, 1 / 2 E_n. A contact with
 * friction also has two springs of 1 / 2 E_t along its tangents, from the place where it was drawn:
 * it sticks. The search does not limit their forces, because the points of a contact can share them
 * in many ways; afterwards their sum must be within the limit of friction. If nothing balances
 * while all contacts stick, the search goes on without friction from the same start. */
#include "compile/contact_springs.h"
#include "compile/equilibrium_work.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <errno.h>
#include <stdlib.h>

#define SHARE 1e-6 /* by which friction may exceed its limit */

static const struct lk_joint *joint_of(const struct lk_system *sys, int point)
{
    return &sys->joint[sys->contact[point].joint];
}

int lk_equilibrium_anchor(struct lk_equilibrium_work *w)
{
    w->anchor = calloc((size_t)w->sys->n_contacts + 1, sizeof(*w->anchor));
    for (int i = 0; i < w->sys->n_contacts && w->anchor; i++)
        lk_contact_anchor(w->sys, i, w->anchor[i]);
    return w->anchor ? 0 : -ENOMEM;
}

void lk_equilibrium_law_values(const struct lk_equilibrium_work *w, int joint, double *phi)
{
    const struct lk_joint *j = &w->sys->joint[joint];

    if (j->type == LK_JOINT_CONTACT)
        lk_contact_deflections(w->sys, j->contact, (const double(*)[3])w->anchor[j->contact], phi);
    else
        lk_evaluate_violation(w->sys, joint, phi);
}

double lk_equilibrium_contact_force(const struct lk_equilibrium_work *w, int i, double x,
                                    double *ret_force, double *ret_potential)
{
    const struct lk_law *law = &w->sys->law[i];
    const struct lk_contact_point *c = &w->sys->contact[w->sys->joint[law->joint].contact];
    double k = 0.5 / c->soft[law->row], gap = w->place[i - law->row + 2];
    bool sticks = w->sticks && gap < 0 && lk_contacts_friction(c, w->sys->now.inputs) > 0;

    if (law->row == 2 ? x > 0 : !sticks)
        k = 0;
    *ret_force = k * x;
    *ret_potential = 0.5 * k * x * x;
    return k;
}

int lk_equilibrium_slips(const struct lk_equilibrium_work *w, double *ret_friction)
{
    const struct lk_system *sys = w->sys;

    for (int i = 0, first = 0; i < sys->n_contacts; first = i) {
        double normal = 0, friction = 0;

        do { /* the points of a contact */
            const double *lambda = sys->now.lambda + joint_of(sys, i)->row;

            normal -= lambda[2];
            friction += hypot(lambda[0], lambda[1]);
        } while (++i < sys->n_contacts && sys->contact[i].pair.point > 0);
        *ret_friction = friction / lk_max(normal, 1e-300);
        if (friction >
            (1 + SHARE) * normal * lk_contacts_friction(&sys->contact[first], sys->now.inputs))
            return first;
    }
    return -1;
}

void lk_equilibrium_keep_contacts(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_joint *j = joint_of(sys, i);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_contact_place place;
        double force[3] = {0};

        lk_contact_place(j->pair, pose, &place);
        for (int r = 0; r < 3; r++)
            lk_add_scaled(3, -sys->now.lambda[j->row + r], place.axes[r], force);
        lk_rotate_back(pose[0]->R, force, sys->now.contact[i].force);
    }
}
