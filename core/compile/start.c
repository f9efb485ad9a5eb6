/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the initial configuration consistent.
 *
 * Positions: Gauss-Newton on the rigid rows, dq = -W Phi_q^T (Phi_q W Phi_q^T)^-1 Phi, the smallest
 * motion in the mass metric. Velocities: mass-orthogonal projection. Accelerations and multipliers:
 * M a + Phi_q^T lambda = Q, Phi_q a + gamma = 0, refined to round-off so that the regularisation
 * has no effect; starting from zero, the multipliers are of minimum norm. Compliant rows are forces
 * here: E is so large that the solve does not change their multipliers. */
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "compile/effort.h"
#include "compile/equilibrium.h"
#include "maths/vec.h"
#include "rows/table.h"
#include "step/elements/air.h"
#include "step/elements/bearing.h"
#include "step/elements/creep.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/elements/ports.h"
#include "step/elements/tyres.h"
#include "step/elements/wind_up.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSEMBLY_ROUNDS 100
/* largest number of iterations if every iteration reduces the gaps */
#define ASSEMBLY_TURNING 3000
/* gap of a joint that is closed to double precision, in sizes of the model */
#define ASSEMBLY_ROUNDOFF 1e-14
#define ASSEMBLY_ENOUGH   1e-4 /* gap that the joints can absorb, in sizes of the model */
/* largest gap if joints absorb no misfit, in sizes of the model */
#define ASSEMBLY_CLOSED 1e-9
/* largest gap of a pose given by the caller [sizes of the model, or rad] */
#define ASSEMBLY_NEAR 0.1
#define ASSEMBLY_TURN 0.3 /* largest rotation in one iteration [rad] */
#define REFINEMENTS   8
/* residual of the forces on bodies without inertia that counts as 0, relative to the largest
 * multiplier */
#define MASSLESS_BALANCED 1e-6
#define REFINEMENTS_MAX   3000  /* limit near a singular pose */
#define REFINEMENT_SLOW   0.999 /* stop if the change / previous change is above this, */
#define REFINEMENT_ENOUGH 1e-12 /* or if the change / largest value is below this */

/* Count the work of a factorisation and some solves, ten operations as one unit. Return: whether
 * to cancel the compilation, see compile/effort.h */
static bool spend_round(const struct lk_system *sys)
{
    return lk_effort_spend((uint64_t)(sys->project_flops / 10));
}

/* Return the deflection of the row of a law, and its rate, in the current state. */
static double law_place(const struct lk_system *sys, const struct lk_law *law, double *ret_rate)
{
    double phi[LK_ROWS_MAX], rates[LK_ROWS_PAD];

    lk_evaluate_violation(sys, law->joint, phi);
    lk_evaluate_row_rates(sys, law->joint, sys->twist, rates);
    *ret_rate = rates[law->row];
    lk_air_follow_pose(sys, &sys->joint[law->joint], rates);
    lk_creep_follow_pose(sys, &sys->joint[law->joint], sys->now.lambda, rates);
    lk_bearing_follow(sys, &sys->joint[law->joint], sys->now.lambda);
    return phi[law->row];
}

/* Set E of the compliant rows: to the working value, or so large that a solve leaves their
 * multipliers unchanged. */
static void couple_compliant_rows(struct lk_system *sys, int coupled)
{
    for (int i = 0; i < sys->n_laws; i++) {
        struct lk_law *law = &sys->law[i];
        struct lk_law_value f = {0};
        double rate;

        if (coupled) {
            double x = law_place(sys, law, &rate);

            law->now->stop.counts = 1;
            lk_law_evaluate(law, sys->term, x, rate, 1, &f);
        }
        sys->now.tangent[i] = lk_law_regular(&f, sys->h);
        sys->regular[sys->joint[law->joint].row + law->row] = sys->now.tangent[i];
    }
}

/* Return the scale of a gap: the largest initial distance, or the largest joint arm of a body if
 * that is larger. */
static double model_size(const struct lk_system *sys)
{
    double size = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = lk_max(size, fabs(sys->now.motion[b].x[i] - sys->now.motion[0].x[i]));
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && !sys->joint[i].of[0]; s++)
            if (sys->joint[i].body[s] < sys->n_bodies)
                size = lk_max(size, lk_norm(sys->joint[i].p[s]));
    return size > 0 ? size : 1;
}

/* Return the largest violation among the rigid rows of a joint, lengths in sizes of the model.
 * Write the violations into the right-hand side. @ret_row: row of the largest violation;  @ret_gap:
 * this violation in m or rad */
static double joint_gap(struct lk_system *sys, int i, double size, int *ret_row, double *ret_gap)
{
    const struct lk_joint *j = &sys->joint[i];
    double *phi = sys->solution + j->row, worst = 0;

    *ret_row = 0;
    *ret_gap = 0;
    lk_evaluate_violation(sys, i, phi);
    for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
        phi[r] = 0;
    for (int r = 0; r < lk_rigid_rows(j); r++) {
        double relative = fabs(phi[r]) / (r < j->n_length ? size : 1);

        /* NaN counts as the largest violation */
        if (!(relative <= worst) && !isnan(worst)) {
            worst = relative;
            *ret_row = r;
            *ret_gap = fabs(phi[r]);
        }
    }
    return worst;
}

/* Evaluate the violations of all joints. Return the largest violation in sizes of the model.
 * @ret_gap: the same violation in m or rad */
static double measure_gaps(struct lk_system *sys, double size, double *ret_gap)
{
    double worst = 0;

    *ret_gap = 0;
    for (int i = 0; i < sys->n_joints; i++) {
        double gap, relative;
        int row;

        relative = joint_gap(sys, i, size, &row, &gap);
        if (!(relative <= worst) && !isnan(worst)) {
            worst = relative;
            *ret_gap = gap;
        }
    }
    return worst;
}

/* Make one Gauss-Newton iteration, scaled so that no body rotates by more than ASSEMBLY_TURN. */
static void move_bodies(struct lk_system *sys)
{
    double turn = 0, scale;

    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        turn = lk_max(turn, lk_norm(sys->correction[b].w));
    scale = turn > ASSEMBLY_TURN ? ASSEMBLY_TURN / turn : 1;
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->now.motion[b];
        double theta[3], dq[4], q[4];

        for (int i = 0; i < 3; i++) {
            m->x[i] -= scale * sys->correction[b].v[i];
            theta[i] = -scale * sys->correction[b].w[i];
        }
        lk_rotation_exp(theta, dq);
        lk_quat_mul(m->q, dq, q);
        lk_quat_normalise(q);
        for (int i = 0; i < 4; i++)
            m->q[i] = q[i];
    }
    lk_modal_settle(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
}

/* Return the name, for messages, of the joint that owns the rows of block @i. */
static const char *name_of(const struct lk_system *sys, int i)
{
    const struct lk_joint *of = sys->joint[i].of[0];

    return sys->joint_name[i < sys->n_named_joints || !of ? i : (int)(of - sys->joint)];
}

#define GAPS_TOLD 3 /* number of joints that a message names */

/* Write the joints with the largest gaps, in descending order, as "'a' (0.3 m), 'b' (0.1 rad)". */
static void list_gaps(struct lk_system *sys, double size, char *text, size_t room)
{
    int told[GAPS_TOLD];
    size_t used = 0;

    text[0] = 0;
    for (int n = 0; n < GAPS_TOLD && used < room; n++) {
        double worst = 0, worst_gap = 0;
        int worst_joint = -1, is_length = 0;

        for (int i = 0; i < sys->n_joints; i++) {
            double gap, relative;
            int row, known = 0;

            for (int k = 0; k < n; k++)
                known |= told[k] == i;
            relative = joint_gap(sys, i, size, &row, &gap);
            if (relative > worst && !known) {
                worst = relative;
                worst_gap = gap;
                worst_joint = i;
                is_length = row < sys->joint[i].n_length;
            }
        }
        if (worst_joint < 0 || worst < ASSEMBLY_ENOUGH)
            break;
        used += (size_t)snprintf(text + used, room - used, "%s'%.40s' (%.3g %s)", n > 0 ? ", " : "",
                                 name_of(sys, worst_joint), worst_gap, is_length ? "m" : "rad");
        told[n] = worst_joint;
    }
}

/* Compute the coordinates at the current poses. Angles unwrap from their previous values, so
 * that a start, a drive or a gear may turn a joint by more than half a turn. One iteration turns
 * a body by less than half a turn. */
static void start_coordinates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_named_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double *coordinate = sys->now.coordinate + j->first_coordinate;

        for (int k = 0; k < lk_joint_traits[j->type].n_coordinates; k++)
            coordinate[k] = lk_evaluate_coordinate_near(sys, j, k, coordinate[k]);
    }
}

/* Make Gauss-Newton iterations with the current weights. @ret_relative: remaining gap, in sizes
 * of the model. Return: 0, -ECANCELED. */
static int close_joints(struct lk_system *sys, double size, double *ret_relative)
{
    double gap, relative = measure_gaps(sys, size, &gap), previous = INFINITY;

    for (int i = 0; relative > ASSEMBLY_ROUNDOFF &&
                    (i < ASSEMBLY_ROUNDS || (i < ASSEMBLY_TURNING && relative < previous));
         i++) {
        /* The joints are closed as well as the model allows: further iterations do not help. */
        if (relative < ASSEMBLY_ENOUGH && relative > 0.5 * previous)
            break;
        previous = relative;
        if (spend_round(sys))
            return -ECANCELED;
        move_bodies(sys);
        start_coordinates(sys);
        relative = measure_gaps(sys, size, &gap);
    }
    *ret_relative = relative;
    return 0;
}

/* set equal weights for all bodies: the geometric mean of their inverse masses, and a moment of
 * inertia from the size of the model */
static void weigh_alike(struct lk_system *sys, double size)
{
    double sum = 0;
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        if (!sys->body[b].is_node) {
            sum += log(sys->sW[b].mass);
            n++;
        }
    for (int b = 0; b < sys->n_bodies; b++) {
        double mass = exp(sum / n), turn = mass / (0.01 * size * size);

        if (sys->body[b].is_node)
            continue;

        sys->sW_now[b] = (struct lk_inverse_mass){.mass = mass, .inertia = {turn, turn, turn}};
    }
}

/* Repeat close_joints() from the initial configuration @drawn with equal weights of all bodies.
 * With weights from the masses, close_joints() may fail if a light body would have to move a
 * heavy one a long way. */
static int close_alike(struct lk_system *sys, double size, const double *drawn,
                       double *ret_relative)
{
    int result;

    /* also restores coordinates that the first attempt has changed by whole turns */
    memcpy(sys->now.block, drawn, sys->state_size * sizeof(*drawn));
    lk_evaluate_poses(sys, &sys->now);
    start_coordinates(sys);
    weigh_alike(sys, size);
    result = close_joints(sys, size, ret_relative);
    memcpy(sys->sW_now, sys->sW, (size_t)sys->n_bodies * sizeof(*sys->sW));
    return result;
}

/* Evaluate the joints in the configuration of the model file. Return: the largest gap, in sizes
 * of the model. */
static double measure_drawn(struct lk_system *sys, double size, double *ret_gap)
{
    couple_compliant_rows(sys, 0);
    lk_evaluate_poses(sys, &sys->now);
    lk_drives_evaluate(sys, &sys->now);
    return measure_gaps(sys, size, ret_gap);
}

int lk_start_is_open(struct lk_system *sys)
{
    double gap;

    return !(measure_drawn(sys, model_size(sys), &gap) < ASSEMBLY_ENOUGH);
}

/* Assemble the positions. @size: size of the model [m];  @enough: largest remaining gap, in sizes
 * of the model */
static int assemble(struct lk_system *sys, double size, double enough, struct lk_error *ret_error)
{
    double relative;
    double *drawn = malloc(sys->state_size * sizeof(*drawn));
    char gaps[256];
    int result;

    if (!drawn)
        return -ENOMEM;
    memcpy(drawn, sys->now.block, sys->state_size * sizeof(*drawn));
    measure_drawn(sys, size, &sys->summary.assembly_gap);
    lk_modal_weigh_by(sys, LK_MODAL_RIGID);
    result = close_joints(sys, size, &relative);
    if (!result && !(relative < ASSEMBLY_ENOUGH))
        result = close_alike(sys, size, drawn, &relative);
    lk_modal_weigh_by(sys, LK_MODAL_FREE);
    lk_modal_settle(sys, &sys->now);
    free(drawn);
    if (result || relative < enough)
        return result;
    list_gaps(sys, size, gaps, sizeof(gaps));
    lk_error_set(
        ret_error,
        "the initial configuration cannot be assembled: gaps are left at %s; expected points "
        "and axes that meet within %.1g m",
        gaps[0] ? gaps : "joints that are not finite", enough * size);
    return LK_E_ASSEMBLY;
}

int lk_start_assemble(struct lk_system *sys, struct lk_error *ret_error)
{
    return assemble(sys, model_size(sys), ASSEMBLY_ENOUGH, ret_error);
}

/* Compute a direction of side 0 in the axes of side 1. */
static void see_from_side_1(const struct lk_pose *const pose[2], const double in0[3], double ret[3])
{
    double world[3];

    lk_rotate(pose[0]->R, in0, world);
    lk_rotate_back(pose[1]->R, world, ret);
}

/* Move the point of side 1 to the point of side 0, but keep the gap along the directions in @free
 * (bit i: f[0][i]), in which the joint can slide. */
static void take_point(struct lk_joint *j, const struct lk_pose *const pose[2], unsigned free)
{
    double P0[3], P1[3], arm[3], gap[3];

    lk_rotate(pose[0]->R, j->p[0], P0);
    lk_rotate(pose[1]->R, j->p[1], P1);
    for (int k = 0; k < 3; k++)
        gap[k] = (P0[k] + pose[0]->x[k]) - (P1[k] + pose[1]->x[k]);
    for (int i = 0; i < 3; i++) {
        double axis[3], along;

        lk_rotate(pose[0]->R, j->f[0][i], axis);
        along = (free >> i) & 1 ? lk_dot(axis, gap) : 0;
        for (int k = 0; k < 3; k++)
            gap[k] -= along * axis[k];
    }
    lk_rotate_back(pose[1]->R, gap, arm);
    for (int k = 0; k < 3; k++)
        j->p[1][k] += arm[k];
}

/* Set the axis of side 1 to the axis of side 0. The angle of side 1 about the axis remains. */
static void take_axis(struct lk_joint *j, const struct lk_pose *const pose[2])
{
    double axis[3], along, length, *t1 = j->f[1][0];

    see_from_side_1(pose, j->f[0][2], axis);
    along = lk_dot(t1, axis);
    for (int k = 0; k < 3; k++)
        t1[k] -= along * axis[k];
    length = lk_norm(t1);
    for (int k = 0; k < 3; k++) {
        t1[k] /= length;
        j->f[1][2][k] = axis[k];
    }
    lk_cross(axis, t1, j->f[1][1]);
}

/* Return the directions of side 0 along which a joint lets the point of side 1 slide, as bits; -1:
 * no row of the joint constrains a point. */
static int free_directions(enum lk_joint_type type)
{
    enum lk_kind kind = lk_kind_of(type);
    int free = 7;

    if (kind == LK_KINDS)
        return type == LK_JOINT_CONSTANT_VELOCITY ? 0 : -1;
    for (int i = 0; i < lk_joint_kinds[kind].n_slide; i++)
        free &= ~(1 << lk_joint_kinds[kind].dir[0][lk_joint_kinds[kind].slide[i]]);
    return lk_joint_kinds[kind].point ? 0 : free;
}

/* Recompute the constants of side 1 from side 0, so that a misfit of redundant joints too small
 * to detect does not cause large forces. The coordinates of the joint keep their values. */
static void absorb_misfit(struct lk_system *sys, struct lk_joint *j)
{
    const struct lk_pose *const pose[2] = {&sys->pose[j->body[0]], &sys->pose[j->body[1]]};
    enum lk_kind kind = lk_kind_of(j->type);
    int free = free_directions(j->type);
    int n_square = kind < LK_KINDS ? lk_joint_kinds[kind].n_square : 0;

    if (free >= 0)
        take_point(j, pose, (unsigned)free);
    /* three dot-1 rows keep the frames parallel; two dot-1 rows keep the axes parallel */
    if (n_square == 3)
        for (int k = 0; k < 3; k++)
            see_from_side_1(pose, j->f[0][k], j->f[1][k]);
    if (n_square == 2 || j->type == LK_JOINT_SCREW)
        take_axis(j, pose);
}

/* Return the largest of @most and the magnitudes of the components of @twist. */
static double larger(double most, const struct lk_twist *twist)
{
    for (int i = 0; i < 3; i++)
        most = lk_max(most, lk_max(fabs(twist->v[i]), fabs(twist->w[i])));
    return most;
}

/* Return whether to continue after @done refinements of the velocities or accelerations in
 * system->now; the last one is system->correction. The error due to E shrinks by a constant factor.
 * If rows nearly depend on each other, many refinements are needed. If rows depend on each other
 * exactly, further refinements have no effect.
 * @change: in: change by the previous refinement, initially 0; out: change by the last
 *          refinement */
static bool refines_on(const struct lk_system *sys, int done, bool are_accelerations,
                       double *change)
{
    double last = *change, size = 0;

    *change = 0;
    for (int b = 0; b < sys->n_bodies && done > 0; b++) {
        const struct lk_motion *m = &sys->now.motion[b];

        *change = larger(*change, &sys->correction[b]);
        size = larger(size, are_accelerations ? &m->a : &m->v);
    }
    if (done >= REFINEMENTS && (done >= REFINEMENTS_MAX || *change > REFINEMENT_SLOW * last ||
                                !(*change > REFINEMENT_ENOUGH * size)))
        return false;
    return !spend_round(sys);
}

static void project_velocities(struct lk_system *sys)
{
    double change = 0;

    for (int k = 0; refines_on(sys, k, false, &change); k++) {
        lk_evaluate_twists(sys, &sys->now);
        lk_project_velocities(sys, &sys->now);
    }
}

void lk_start_hold_upright(const struct lk_system *sys, int b, struct lk_twist *twist)
{
    double Jw[3];

    lk_sym_mul(sys->body[b].inertia, twist->w, Jw);
    lk_sym_mul(sys->W[b].inertia, Jw, twist->w);
    for (int i = 0; i < 3 && sys->W[b].mass == 0; i++)
        twist->v[i] = 0;
}

static void fit_velocities(struct lk_system *sys)
{
    double change = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        if (sys->body[b].is_in_plane)
            lk_start_hold_upright(sys, b, &sys->now.motion[b].v);
    project_velocities(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *given = &sys->start.motion[b].v, *fit = &sys->now.motion[b].v;

        for (int i = 0; i < 3; i++)
            change = lk_max(change,
                            lk_max(fabs(fit->v[i] - given->v[i]), fabs(fit->w[i] - given->w[i])));
    }
    sys->summary.velocity_change = change;
}

/* Compute the accelerations without joint forces. These accelerations are 0 in directions without
 * inertia.
 * @is_balanced: the start is an equilibrium, and the multipliers of rigid rows act too: forces that
 *               bodies without inertia transmit appear only in these multipliers. */
static void free_accelerations(struct lk_system *sys, bool is_balanced)
{
    for (int r = 0; r < sys->n_rows && !is_balanced; r++)
        sys->now.lambda[r] = 0;
    for (int b = 0; b < sys->n_bodies; b++)
        sys->now.motion[b].a = (struct lk_twist){0};
    lk_loads_accelerate(sys, &sys->now, 0, sys->now.inputs);
}

/* If @hold is set, fix all bodies, except for the translation of bodies without mass and the
 * rotation of bodies without any moment of inertia. Else release all bodies. */
static void hold_heavy_bodies(struct lk_system *sys, int hold)
{
    lk_modal_weigh_by(sys, hold ? LK_MODAL_HELD : LK_MODAL_FREE);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        double shift = hold ? quad->massless[0][b % 4] : 1;
        double turn = hold ? quad->massless[1][b % 4] : 1;

        sys->sW_now[b].mass = sys->s * shift * sys->W[b].mass;
        for (int i = 0; i < 6; i++)
            sys->sW_now[b].inertia[i] = sys->s * turn * sys->W[b].inertia[i];
    }
}

/* Write the right-hand side of an implicit Euler step of @t seconds. For every law: lambda = f + c
 * Phi_q dv, with E = 1 / c. For rigid rows: the violation of the velocities, which E leaves in each
 * iteration and the next iteration removes. */
static void damper_residual(struct lk_system *sys, double t)
{
    lk_evaluate_velocity_violation(sys);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, i, sys->residual, rates);
        for (int r = 0; r < j->n_rows; r++) {
            double *regular = &sys->regular[j->row + r], rate, x;
            double phi = sys->s / t * sys->solution[j->row + r];

            if (lk_is_compliant(j)) {
                const struct lk_law *law = &sys->law[j->law + r];
                struct lk_law_value f;

                x = law_place(sys, law, &rate);
                lk_law_evaluate(law, sys->term, x, rate, 1, &f);
                *regular = fmin(sys->s / (t * f.damping), LK_DECOUPLED);
                phi = (f.elastic + f.dissipative - sys->now.lambda[j->row + r]) * *regular;
            }
            sys->solution[j->row + r] = phi - rates[r];
        }
    }
}

/* Return the residual of 0 = Q - Phi_q^T lambda at bodies without inertia, relative to the
 * largest multiplier. */
static double massless_imbalance(struct lk_system *sys)
{
    double left = 0, largest = 0;

    lk_evaluate_transpose(sys, sys->now.lambda, sys->residual);
    lk_loads_subtract(sys, 0, sys->now.inputs, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];

        left = lk_max(left, quad->massless[0][b % 4] * lk_norm(sys->residual[b].v));
        left = lk_max(left, quad->massless[1][b % 4] * lk_norm(sys->residual[b].w));
    }
    for (int r = 0; r < sys->n_rows; r++)
        largest = lk_max(largest, fabs(sys->now.lambda[r]));
    return largest > 0 ? left / largest : left;
}

/* Make one iteration: take an implicit Euler step of @t seconds for all bodies without inertia */
static void move_massless(struct lk_system *sys, double t)
{
    lk_evaluate_transpose(sys, sys->now.lambda, sys->residual);
    lk_loads_subtract(sys, 0, sys->now.inputs, sys->residual);
    lk_evaluate_weigh(sys, sys->sW_now, sys->residual);
    damper_residual(sys, t);
    lk_evaluate_factor(sys);
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *v = &sys->now.motion[b].v;

        for (int i = 0; i < 3; i++) {
            v->v[i] -= t / sys->s * (sys->correction[b].v[i] + sys->residual[b].v[i]);
            v->w[i] -= t / sys->s * (sys->correction[b].w[i] + sys->residual[b].w[i]);
        }
    }
    for (int r = 0; r < sys->n_rows; r++)
        sys->now.lambda[r] += sys->solution[r];
    lk_evaluate_twists(sys, &sys->now);
}

/* Compute the velocities of bodies without inertia on dampers. The model file cannot choose these
 * velocities, because the forces determine them: 0 = Q - Phi_q^T lambda with lambda = f(x, v). The
 * velocities are found by an implicit Euler step of t seconds with all other bodies fixed, because
 * the artificial mass in W is negligible in such a long step; further iterations remove its
 * remaining effect. */
static void fit_massless_velocities(struct lk_system *sys)
{
    const double t = 1;
    size_t motions = (size_t)sys->n_bodies * sizeof(*sys->now.motion);
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        n += sys->quad[b / 4].massless[0][b % 4] > 0 || sys->quad[b / 4].massless[1][b % 4] > 0;
    if (n == 0 || sys->n_laws == 0)
        return;
    memcpy(sys->next.motion, sys->now.motion, motions);
    hold_heavy_bodies(sys, 1);
    for (int r = 0; r < sys->n_rows; r++)
        sys->now.lambda[r] = 0;
    for (int round = 0; round < REFINEMENTS && !spend_round(sys); round++)
        move_massless(sys, t);
    /* if no damper can balance the forces, the velocities keep their given values */
    if (!(massless_imbalance(sys) < MASSLESS_BALANCED))
        memcpy(sys->now.motion, sys->next.motion, motions);
    lk_evaluate_twists(sys, &sys->now);
    hold_heavy_bodies(sys, 0);
    couple_compliant_rows(sys, 0);
    lk_evaluate_factor(sys);
    /* The velocities of the moved bodies, and of the joints that guide them, must be made
     * consistent again. */
    project_velocities(sys);
}

static void start_rates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_named_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double *rate = sys->now.rate + j->first_coordinate;

        for (int k = 0; k < lk_joint_traits[j->type].n_coordinates && j->needs_coordinate; k++)
            rate[k] = lk_evaluate_coordinate_rate(sys, j, k, sys->twist);
    }
}

/* Remove the round-off that @n refinements have added to the multipliers of redundant rows, and
 * that no motion removes. One more refinement shows the amount per refinement for each multiplier.
 */
static void drop_unreachable(struct lk_system *sys, int n)
{
    double *before = sys->next.lambda;

    memcpy(before, sys->now.lambda, (size_t)sys->n_rows * sizeof(double));
    lk_project_accelerations(sys, &sys->now, NULL);
    for (int r = 0; r < sys->n_rows; r++)
        sys->now.lambda[r] = before[r] - n * (sys->now.lambda[r] - before[r]);
}

/* Add the accelerations of bodies without inertia, computed with the artificial mass of W. */
static void push_massless(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        const struct lk_twist *g = &sys->residual[b];
        struct lk_twist *a = &sys->now.motion[b].a;
        double turn[3];

        lk_sym_mul(sys->W[b].inertia, g->w, turn);
        for (int i = 0; i < 3; i++) {
            a->v[i] -= quad->massless[0][b % 4] * sys->W[b].mass * g->v[i];
            a->w[i] -= quad->massless[1][b % 4] * turn[i];
        }
    }
}

/* Add the accelerations due to the joints, with the present poses, velocities and factor. */
static void constrain_accelerations(struct lk_system *sys)
{
    double change = 0;
    int n = 0;

    for (; refines_on(sys, n, true, &change); n++)
        lk_project_accelerations(sys, &sys->now, NULL);
    drop_unreachable(sys, n);
}

#define LOAD_ROUNDS 8 /* the normal forces change with the friction by its coefficient at most */

/* Let the friction of bearings follow the reactions of the start. */
static void follow_loads(struct lk_system *sys, bool is_balanced)
{
    for (int round = 0; round < LOAD_ROUNDS && sys->has_bearings; round++) {
        lk_bearings_refer(sys, &sys->now);
        free_accelerations(sys, is_balanced); /* its multipliers are 0: the loads are kept */
        constrain_accelerations(sys);
    }
}

/* Compute accelerations and multipliers. Forces on bodies without inertia reach the others through
 * the joints, because the artificial mass in W passes them on. If these bodies are out of balance
 * in a direction in which they are free, their acceleration is not defined, and they have none. */
static void find_accelerations(struct lk_system *sys, bool is_balanced)
{
    free_accelerations(sys, is_balanced);
    push_massless(sys);
    constrain_accelerations(sys);
    if (sys->n_massless > 0 && massless_imbalance(sys) >= MASSLESS_BALANCED) {
        free_accelerations(sys, is_balanced);
        constrain_accelerations(sys);
    }
    follow_loads(sys, is_balanced);
}

void lk_start_beside(struct lk_system *sys)
{
    lk_signals_take(sys, sys->now.inputs);
    lk_modal_settle(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
    start_coordinates(sys);
    lk_wind_up_settle(sys);
    lk_evaluate_jacobians(sys);
    lk_tyres_rest(sys);
    couple_compliant_rows(sys, 0);
    lk_start_renew(sys);
    project_velocities(sys);
    start_rates(sys);
    lk_blocks_settle(sys);
    find_accelerations(sys, sys->starts_balanced);
}

/* return whether a rigid row has no effect except through its E, because planar reduction
 * already prevents the motion that it forbids */
static bool has_idle_rows(const struct lk_system *sys)
{
    bool has = false;

    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < lk_rigid_rows(&sys->joint[i]); r++)
            has |= sys->scale[sys->joint[i].row + r] <= sys->regular[sys->joint[i].row + r];
    return has;
}

/* Determine from the pivots of the factor at the start whether rows are redundant, and how many
 * solves the multipliers of outputs need. Independent rows are never near a singular pose. */
static void find_redundancy(struct lk_system *sys)
{
    double smallest = lk_fronts_smallest_pivot(&sys->fronts, sys->scale);

    sys->is_redundant =
        !sys->rows_are_independent && (smallest < LK_DEPENDENT || has_idle_rows(sys));
    sys->n_least = sys->rows_are_independent       ? 1
                   : sys->is_redundant             ? 3
                   : smallest < LK_NEARLY_SINGULAR ? 4
                                                   : 2;
}

/* Compute velocities for the assembled positions. */
static void find_velocities(struct lk_system *sys, bool is_balanced)
{
    lk_start_renew(sys);
    fit_velocities(sys);
    if (!is_balanced) /* otherwise the forces are in balance at rest */
        fit_massless_velocities(sys);
    start_rates(sys);
    lk_blocks_settle(sys);
}

/* Prepare the first step. Call when the accelerations are known. */
static void begin_steps(struct lk_system *sys)
{
    struct lk_balance *balance = sys->now.balance;

    couple_compliant_rows(sys, 1);
    lk_start_renew(sys);
    measure_gaps(sys, 1, &balance->residual_position);
    lk_loads_energies(sys, &sys->now, &balance->kinetic, &balance->potential);
    sys->unwrapping = 0.5 * sys->h;
    lk_start_begin(sys);
}

int lk_start_consistent(struct lk_system *sys, struct lk_error *ret_error)
{
    int r = lk_start_assemble(sys, ret_error);

    if (r != 0)
        return r;
    for (int i = 0; i < sys->n_joints; i++)
        if (!lk_is_compliant(&sys->joint[i]))
            absorb_misfit(sys, &sys->joint[i]);
    if (sys->batches)
        lk_batches_fill(sys);
    start_coordinates(sys);
    lk_wind_up_refer(sys, &sys->now);
    lk_blocks_settle(sys);
    if (sys->starts_balanced)
        r = lk_equilibrium_find(sys, start_coordinates, ret_error);
    if (r != 0)
        return r;
    find_velocities(sys, sys->starts_balanced);
    find_accelerations(sys, sys->starts_balanced);
    find_redundancy(sys);
    if (spend_round(sys))
        return -ECANCELED;
    begin_steps(sys);
    return 0;
}

double lk_start_size(const struct lk_system *sys)
{
    return model_size(sys);
}

/* Refuse poses with large gaps, which are no poses of the mechanism at time 0. Examples are a
 * gear whose coordinates have turned by more than half a turn, or a drive whose coordinate
 * belongs to another time. */
static int check_near(struct lk_system *sys, double size, struct lk_error *ret_error)
{
    char gaps[256];
    double gap;

    if (measure_drawn(sys, size, &gap) < ASSEMBLY_NEAR)
        return 0;
    list_gaps(sys, size, gaps, sizeof(gaps));
    lk_error_set(ret_error,
                 "the poses leave gaps at %s; expected poses that nearly close the joints, with "
                 "drives as at time 0, and coordinates of gears and screws within half a turn",
                 gaps[0] ? gaps : "joints that are not finite");
    return LK_E_ASSEMBLY;
}

int lk_start_again(struct lk_system *sys, double size, struct lk_error *ret_error)
{
    int r;

    sys->unwrapping = 0;
    lk_evaluate_poses(sys, &sys->now);
    start_coordinates(sys);
    r = check_near(sys, size, ret_error);
    if (r == 0)
        r = assemble(sys, size, ASSEMBLY_CLOSED, ret_error);
    if (r == 0) {
        start_coordinates(sys);
        lk_wind_up_refer(sys, &sys->now);
        lk_blocks_settle(sys);
        find_velocities(sys, false);
        find_accelerations(sys, false);
    }
    begin_steps(sys);
    return r;
}
