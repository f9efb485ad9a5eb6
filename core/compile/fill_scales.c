/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the scales of all rows, and the regularisation E of rigid rows. */
#include "compile/fill.h"
#include "maths/vec.h"
#include "model/reader.h"
#include <math.h>

/* least E, relative to the diagonal: above the round-off of elimination */
#define ROUNDOFF_FLOOR 1e-13
#define INDEPENDENT    1e-16 /* eps at round-off level, for rows that are never redundant */
/* stiffness of a joint with soft redundancy, typical of steel parts [N/m] */
#define SOFT_STIFFNESS 2e9

/* Return s Phi W Phi^T of row @r for one side of a joint. */
static double row_diagonal(const struct lk_system *sys, int joint, int side, int r)
{
    int body = sys->joint[joint].body[side];
    double row[6], turn[3];

    if (body >= sys->n_bodies)
        return 0;
    if (sys->body[body].is_node)
        return lk_fill_modal_diagonal(sys, joint, side, r);
    lk_jacobian_row(sys->jacobian[joint], side, r, row);
    lk_sym_mul(sys->sW[body].inertia, row + 3, turn);
    return sys->sW[body].mass * lk_dot(row, row) + lk_dot(row + 3, turn);
}

void lk_fill_scales(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < sys->joint[i].n_rows; r++)
            for (int s = 0; s < sys->joint[i].n_sides; s++)
                sys->scale[sys->joint[i].row + r] += row_diagonal(sys, i, s, r);
}

/* Compute s Phi W Phi^T of row @r with the body's largest moment of inertia about every axis, or
 * with the mass and moment of a neighbour if the body has none. With the true moment about a
 * slender axis, or with the artificial mass, E would be too large: relative to the masses of the
 * other bodies, the rows would act as springs. */
static double rounded_diagonal(const struct lk_system *sys, int joint, int side, int r)
{
    int b = sys->joint[joint].body[side];
    const struct lk_body *body;
    double row[6], turn[3], moment, shift;

    if (b >= sys->n_bodies) /* the ground is not in the array of bodies */
        return 0;
    body = &sys->body[b];
    if (body->is_node)
        return lk_fill_modal_diagonal(sys, joint, side, r);
    lk_jacobian_row(sys->jacobian[joint], side, r, row);
    lk_sym_mul(sys->sW[b].inertia, row + 3, turn);
    moment = lk_max(lk_max(body->inertia[0], body->inertia[1]), body->inertia[2]);
    shift = sys->sW[b].mass * (body->mass > 0 ? 1 : LK_ARTIFICIAL_MASS) * lk_dot(row, row);
    if (sys->sW[b].mass == 0) /* the body rotates in place, with W = 0: use its true mass */
        shift = sys->s / body->mass * lk_dot(row, row);
    return shift + (moment > 0 ? sys->s / moment * lk_dot(row + 3, row + 3)
                               : LK_ARTIFICIAL_MASS * lk_dot(row + 3, turn));
}

double lk_fill_inverse_mass(const struct lk_system *sys, const struct lk_draft *d, int joint, int r)
{
    double sum = 0;

    for (int s = 0; s < sys->joint[joint].n_sides; s++) {
        int body = sys->joint[joint].body[s];

        if (body < sys->n_bodies)
            sum += rounded_diagonal(sys, joint, s, r) / d->n_parts[sys->body[body].of];
    }
    return sum / sys->s;
}

/* Set E of rigid rows: 2 eps times the smallest mean diagonal among the bodies, lengths and
 * angles separately. The value of eps is the smallest that keeps the multipliers of redundant
 * rows above round-off. Next to a body without mass, whose artificial mass dominates the
 * diagonal, E stays above the round-off of the elimination. Independent rows need only an E of
 * round-off, if the step uses a regularisation at all. With soft redundancy every joint is as
 * compliant as steel parts. */
void lk_fill_regularise(struct lk_system *sys, int is_soft)
{
    double ratio = 1e-3 / sys->h;
    double own = sys->formulation->regularisation;
    double eps = own > 0 ? own : fmin(1e-8 * fmax(1, ratio * ratio), 1e-6);

    double floor = sys->rows_are_independent ? 0 : ROUNDOFF_FLOOR;

    if (sys->rows_are_independent)
        eps = INDEPENDENT;

    for (int i = 0; i < sys->n_joints; i++) {
        struct lk_joint *j = &sys->joint[i];
        const int bound[3] = {0, j->n_length, lk_rigid_rows(j)};

        for (int unit = 0; unit < 2 && !lk_is_compliant(j); unit++) {
            double least = INFINITY, all = 0;
            int n = bound[unit + 1] - bound[unit];

            for (int s = 0; s < j->n_sides && n > 0; s++) {
                double sum = 0;

                for (int r = bound[unit]; r < bound[unit + 1]; r++) {
                    sum += rounded_diagonal(sys, i, s, r);
                    all += row_diagonal(sys, i, s, r);
                }
                if (j->body[s] < sys->n_bodies && sum > 0)
                    least = fmin(least, sum / n);
            }
            double soft =
                unit == 0 ? 1 / SOFT_STIFFNESS : 1 / (SOFT_STIFFNESS * sys->arm * sys->arm);
            double E = fmax(2 * eps * (isinf(least) ? 0 : least), floor * all);

            for (int r = bound[unit]; r < bound[unit + 1]; r++)
                sys->regular[j->row + r] = sys->rigid[j->row + r] = is_soft ? fmax(E, soft) : E;
        }
    }
}

/* largest accelerations of a balanced rotor, relative to w^2 times its size */
#define BALANCE 0.01

bool lk_fill_is_unbalanced(const struct lk_system *sys, const struct lk_state *state, int b)
{
    const struct lk_body *body = &sys->body[b];
    const struct lk_motion *m = &state->motion[b];
    double moment[3], size, w = lk_norm(m->v.w);

    lk_principal_moments(body->inertia, moment);
    size = body->mass > 0 ? sqrt(moment[2] / body->mass) : 0;
    return lk_norm(m->a.v) > BALANCE * w * w * size || lk_norm(m->a.w) > BALANCE * w * w;
}
