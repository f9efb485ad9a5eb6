/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/formulations/cut_rows.h"
#include "maths/vec.h"
#include "rows/joint.h"

void lk_cut_rows_add_impulses(const struct lk_relative *relative, const double *sigma,
                              struct lk_twist *ret)
{
    struct lk_assembly *assembly = lk_relative_assembly(relative);

    for (int i = 0; i < relative->n_cut; i++) {
        const struct lk_mechanics_block *b = lk_assembly_block(assembly, relative->cut[i]);

        for (int s = 0; s < b->n_sides; s++)
            for (int r = 0; r < b->n_rows; r++)
                for (int k = 0; k < 3; k++) {
                    ret[b->body[s]].v[k] += b->J[s][r][k] * sigma[b->first_row + r];
                    ret[b->body[s]].w[k] += b->J[s][r][3 + k] * sigma[b->first_row + r];
                }
    }
}

/* Compute sigma . g(v + @sign u) of the rows, where u is the unit velocity @direction (0 to 5) of
 * side @side. */
static double row_gamma(const struct lk_system *sys, const struct lk_joint *j, int side,
                        int direction, double sign, const double *sigma)
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    const struct lk_twist *twist[LK_SIDES_MAX] = LK_SIDES(sys->twist, j);
    struct lk_twist moved = *twist[side];
    double gamma[LK_ROWS_PAD], sum = 0;

    if (direction < 3)
        moved.v[direction] += sign;
    else
        moved.w[direction - 3] += sign;
    twist[side] = &moved;
    lk_joint_ops(j->type)->gamma(j, pose, twist, gamma);
    for (int r = 0; r < lk_rigid_rows(j); r++)
        sum += sigma[r] * gamma[r];
    return sum;
}

/* Compute (J'(v) u)^T sigma for the six unit velocities u of one side.
 * @turn: angular part of J^T sigma, in the axes of that side */
static void turn_rate(const struct lk_system *sys, const struct lk_joint *j, int side,
                      const double turn[3], const double *sigma, double ret[6])
{
    double commutator[3];

    /* because turn . (w x u) = u . (turn x w) */
    lk_cross(turn, sys->twist[j->body[side]].w, commutator);
    for (int k = 0; k < 6; k++) {
        double both =
            0.5 * (row_gamma(sys, j, side, k, 1, sigma) - row_gamma(sys, j, side, k, -1, sigma));

        ret[k] = 0.5 * (both + (k < 3 ? 0 : commutator[k - 3]));
    }
}

/* Add the load that corresponds to d/dt(Phi_q^T) sigma to one body. @impulse contains the force f
 * (world) and the torque j (body axes), @rate their derivatives. The time derivative of R j is R (w
 * x j + j'). The derivative of the moment x x f + R j also contains v x f. */
static void add_load(const struct lk_system *sys, int body, const double rate[6],
                     const double impulse[6], struct lk_twist *ret)
{
    const struct lk_twist *t = &sys->twist[body];
    double turn[3], lever[3], in_body[3];

    lk_cross(t->w, impulse + 3, turn);
    lk_cross(t->v, impulse, lever);
    lk_rotate_back(sys->pose[body].R, lever, in_body);
    for (int i = 0; i < 3; i++) {
        ret->v[i] += rate[i];
        ret->w[i] += rate[3 + i] + turn[i] + in_body[i];
    }
}

static void add_loads_of(const struct lk_system *sys, const struct lk_mechanics_block *b,
                         const double *sigma, struct lk_twist *ret)
{
    const struct lk_joint *j = &sys->joint[b->joint];

    for (int s = 0, side = 0; s < j->n_sides; s++) {
        double impulse[6] = {0}, rate[6];

        if (j->body[s] >= sys->n_bodies)
            continue;
        for (int r = 0; r < b->n_rows; r++)
            for (int k = 0; k < 6; k++)
                impulse[k] += b->J[side][r][k] * sigma[b->first_row + r];
        turn_rate(sys, j, s, impulse + 3, sigma + b->first_row, rate);
        add_load(sys, j->body[s], rate, impulse, &ret[j->body[s]]);
        side++;
    }
}

void lk_cut_rows_add_loads(const struct lk_relative *relative, const double *sigma,
                           struct lk_twist *ret)
{
    struct lk_assembly *assembly = lk_relative_assembly(relative);

    for (int i = 0; i < relative->n_cut; i++)
        add_loads_of(relative->mechanics->system, lk_assembly_block(assembly, relative->cut[i]),
                     sigma, ret);
}
