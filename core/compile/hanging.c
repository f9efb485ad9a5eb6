/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/hanging.h"
#include "maths/vec.h"
#include "step/elements/tension.h"
#include <string.h>

static bool is_part_of(const struct lk_system *sys, int body, int b)
{
    return body < sys->n_bodies && sys->body[body].of == sys->body[b].of;
}

/* Return the body that moves with @body: itself, the ground, or the body of which it is a node. */
static int leader_of(const struct lk_system *sys, int body)
{
    return body < sys->n_bodies ? sys->body[body].leader : body;
}

/* Return the mass of the bodies that are connected to the ground without body @b; -1: no body is
 * excluded. @is_held: returns for each body whether it is connected to the ground */
static double held_mass(const struct lk_system *sys, int b, bool *is_held)
{
    double mass = 0;
    bool grows = true;

    memset(is_held, 0, (size_t)sys->n_bodies * sizeof(*is_held));
    /* alternate forward and backward sweeps: two suffice for a chain */
    for (int sweep = 0; grows; sweep++) {
        grows = false;
        for (int n = 0; n < sys->n_joints; n++) {
            const struct lk_joint *j = &sys->joint[sweep % 2 ? sys->n_joints - 1 - n : n];
            bool reaches = false;

            for (int s = 0; s < j->n_sides; s++)
                reaches |= j->body[s] >= sys->n_bodies || is_held[leader_of(sys, j->body[s])];
            for (int s = 0; s < j->n_sides && reaches; s++) {
                int body = leader_of(sys, j->body[s]);

                if (body < sys->n_bodies && !is_held[body] && (b < 0 || !is_part_of(sys, body, b)))
                    is_held[body] = grows = true;
            }
        }
    }
    for (int k = 0; k < sys->n_bodies; k++)
        mass += is_held[k] ? sys->body[k].mass : 0;
    return mass;
}

double lk_hanging_weight(const struct lk_system *sys, int b, bool *scratch)
{
    double with = held_mass(sys, -1, scratch), mass = with - held_mass(sys, b, scratch);

    for (int k = 0; k < sys->n_bodies; k++)
        mass -= is_part_of(sys, k, b) ? sys->body[k].mass : 0;
    return fmax(mass, 0) * sys->most_gravity;
}

void lk_hanging_stiffness(const struct lk_system *sys, int b, double weight, double ret[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

    memset(ret, 0, 6 * sizeof(double));
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2; s++) {
            const double *l = sys->joint[i].p[s];
            double lever = lk_norm(l);

            if (!is_part_of(sys, sys->joint[i].body[s], b) || !lk_tension_holds_point(sys, i) ||
                !(lever > 0))
                continue;
            for (int k = 0; k < 6; k++)
                ret[k] += weight / sys->body[b].n_parts *
                          ((k < 3 ? lever : 0) - l[at[k][0]] * l[at[k][1]] / lever);
        }
}
