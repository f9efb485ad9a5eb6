/* SPDX-License-Identifier: Apache-2.0 */
/* From the drawing to a consistent start.
 *
 * Positions: Gauss-Newton on the rigid rows, dq = -W Phi_q^T (Phi_q W Phi_q^T)^-1 Phi, the smallest
 * motion in the measure of the mass. Velocities: mass-orthogonal projection. Accelerations and
 * multipliers: M a + Phi_q^T lambda = Q, Phi_q a + gamma = 0, refined until round-off so that the
 * regularisation leaves no trace; starting from zero the multipliers are of minimum norm. Compliant
 * rows are forces here: their regularisation is made so large that the solve leaves them alone. */
#include "maths/vec.h"
#include "step/system.h"

#define ASSEMBLY_ROUNDS   100
#define ASSEMBLY_ROUNDOFF 1e-14 /* times the size of the model: as closed as doubles can tell */
#define ASSEMBLY_ENOUGH                                                                            \
    1e-4                  /* times the size: closed up to a misfit that the joints can absorb      \
                           */
#define ASSEMBLY_TURN 0.3 /* largest turn of a round [rad] */
#define REFINEMENTS   8
#define DECOUPLED     1e100

/* E of the compliant rows: the working value, or so large that they are left alone */
static void couple_compliant_rows(struct lk_system *sys, int coupled)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        if (j->n_rows > j->n_rigid)
            sys->regular[j->row + j->n_rigid] =
                coupled ? fmin(1 / (j->stiffness + 2 * j->damping / sys->h), DECOUPLED) : DECOUPLED;
    }
}

/* largest distance of the drawing, but at least of one body's joint arms: the scale of a gap */
static double model_size(const struct lk_system *sys)
{
    double size = 0;

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = lk_max(size, fabs(sys->now.motion[b].x[i] - sys->now.motion[0].x[i]));
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2; s++)
            if (sys->joint[i].body[s] != sys->n_bodies)
                size = lk_max(size, lk_norm(sys->joint[i].p[s]));
    return size > 0 ? size : 1;
}

/* violations into the right-hand side; returns the largest, lengths in sizes of the model */
static double measure_gaps(struct lk_system *sys, double size, int *ret_joint, double *ret_gap)
{
    double worst = 0;

    *ret_joint = 0;
    *ret_gap = 0;
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const struct lk_pose *const pose[2] = {&sys->pose[j->body[0]], &sys->pose[j->body[1]]};
        double *phi = sys->solution + j->row;

        lk_joint_ops(j->type)->violation(j, pose, phi);
        for (int r = j->n_rigid; r < j->n_rows; r++)
            phi[r] = 0;
        for (int r = 0; r < j->n_rigid; r++) {
            double relative = fabs(phi[r]) / (r < j->n_length ? size : 1);

            /* a gap that is not a number is the worst and stays so */
            if (!(relative <= worst) && !isnan(worst)) {
                worst = relative;
                *ret_joint = i;
                *ret_gap = fabs(phi[r]);
            }
        }
    }
    return worst;
}

/* one round of Gauss-Newton, shortened so that no body turns too far */
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
    lk_evaluate_poses(sys, &sys->now);
}

static int assemble(struct lk_system *sys, struct lk_error *ret_error)
{
    double size = model_size(sys);
    double gap, relative, previous = INFINITY;
    int joint;

    lk_evaluate_poses(sys, &sys->now);
    relative = measure_gaps(sys, size, &joint, &gap);
    sys->summary.assembly_gap = gap;
    for (int i = 0; i < ASSEMBLY_ROUNDS && relative > ASSEMBLY_ROUNDOFF; i++) {
        /* closed as well as the drawing allows: rounds no longer help */
        if (relative < ASSEMBLY_ENOUGH && relative > 0.5 * previous)
            break;
        previous = relative;
        move_bodies(sys);
        relative = measure_gaps(sys, size, &joint, &gap);
    }
    if (relative < ASSEMBLY_ENOUGH)
        return 0;
    lk_error_set(
        ret_error,
        "joint '%s': a gap of %.3g %s is left after assembly, the drawing cannot be closed; "
        "expected points and axes that meet within %.1g m",
        sys->joint_name[joint], gap, "m or rad", ASSEMBLY_ENOUGH * size);
    return LK_E_ASSEMBLY;
}

/* direction of side 0 as side 1 sees it */
static void see_from_side_1(const struct lk_pose *const pose[2], const double in0[3], double ret[3])
{
    double world[3];

    lk_rotate(pose[0]->R, in0, world);
    lk_rotate_back(pose[1]->R, world, ret);
}

/* Take the constants of side 1 from side 0, so that a misfit of redundant joints too small to see
 * does not become forces too large to bear. The joint's coordinate keeps its value. */
static void absorb_misfit(struct lk_system *sys, int i)
{
    struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = {&sys->pose[j->body[0]], &sys->pose[j->body[1]]};
    const struct lk_joint_type_ops *ops = lk_joint_ops(j->type);
    double before = ops->coordinate ? ops->coordinate(j, pose) : 0;
    double P0[3], arm[3];

    lk_rotate(pose[0]->R, j->p[0], P0);
    for (int k = 0; k < 3; k++)
        arm[k] = P0[k] + pose[0]->x[k] - pose[1]->x[k];
    if (j->type == LK_JOINT_PRISMATIC) {
        double axis[3];

        lk_rotate(pose[0]->R, j->f[0][2], axis);
        for (int k = 0; k < 3; k++)
            arm[k] += axis[k] * (before - j->coordinate);
    }
    lk_rotate_back(pose[1]->R, arm, j->p[1]);
    if (j->type == LK_JOINT_REVOLUTE) {
        double axis[3], turn, *t1 = j->f[1][0];

        /* the axis comes from side 0, the angle stays with side 1 */
        see_from_side_1(pose, j->f[0][2], axis);
        turn = lk_dot(t1, axis);
        for (int k = 0; k < 3; k++)
            t1[k] -= turn * axis[k];
        turn = 1 / lk_norm(t1);
        for (int k = 0; k < 3; k++) {
            t1[k] *= turn;
            j->f[1][2][k] = axis[k];
        }
        lk_cross(axis, t1, j->f[1][1]);
    } else if (j->type != LK_JOINT_SPHERICAL) {
        for (int k = 0; k < 3; k++)
            see_from_side_1(pose, j->f[0][k], j->f[1][k]);
    }
}

static void fit_velocities(struct lk_system *sys)
{
    double change = 0;

    sys->twist[sys->n_bodies] = (struct lk_twist){0};
    for (int k = 0; k < REFINEMENTS; k++) {
        lk_evaluate_twists(sys, &sys->now);
        lk_project_velocities(sys, &sys->now);
    }
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *given = &sys->start.motion[b].v, *fit = &sys->now.motion[b].v;

        for (int i = 0; i < 3; i++)
            change = lk_max(change,
                            lk_max(fabs(fit->v[i] - given->v[i]), fabs(fit->w[i] - given->w[i])));
    }
    sys->summary.velocity_change = change;
}

/* compliant multipliers from their law, then a = W (Q - gyroscopic - their forces) */
static void free_accelerations(struct lk_system *sys)
{
    for (int r = 0; r < sys->n_rows; r++)
        sys->now.lambda[r] = 0;
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (j->n_rows == j->n_rigid)
            continue;
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
        sys->now.lambda[j->row + j->n_rigid] =
            j->stiffness * (sys->now.coordinate[i] - j->rest) + j->damping * rates[j->n_rigid];
    }
    lk_evaluate_transpose(sys, sys->now.lambda, sys->residual);
    lk_loads_subtract(sys, sys->now.inputs, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->now.motion[b];
        struct lk_twist *g = &sys->residual[b];
        double Jw[3], gyroscopic[3], turn[3];

        lk_sym_mul(sys->body[b].inertia, m->v.w, Jw);
        lk_cross(m->v.w, Jw, gyroscopic);
        for (int i = 0; i < 3; i++)
            g->w[i] += gyroscopic[i];
        lk_sym_mul(sys->W[b].inertia, g->w, turn);
        for (int i = 0; i < 3; i++) {
            m->a.v[i] = -sys->W[b].mass * g->v[i];
            m->a.w[i] = -turn[i];
        }
    }
}

void lk_start_renew(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
}

int lk_start_consistent(struct lk_system *sys, struct lk_error *ret_error)
{
    struct lk_books *books = sys->now.books;
    int joint, r;

    couple_compliant_rows(sys, 0);
    r = assemble(sys, ret_error);
    if (r != 0)
        return r;
    for (int i = 0; i < sys->n_joints; i++) {
        absorb_misfit(sys, i);
        if (sys->joint[i].needs_coordinate)
            sys->now.coordinate[i] = lk_evaluate_coordinate_near(sys, i, sys->now.coordinate[i]);
    }
    lk_start_renew(sys);
    fit_velocities(sys);
    for (int i = 0; i < sys->n_joints; i++)
        if (sys->joint[i].needs_coordinate)
            sys->now.rate[i] = lk_evaluate_coordinate_rate(sys, i);
    free_accelerations(sys);
    for (int k = 0; k < REFINEMENTS; k++)
        lk_project_accelerations(sys, &sys->now);
    couple_compliant_rows(sys, 1);
    lk_start_renew(sys);
    measure_gaps(sys, 1, &joint, &books->residual_position);
    lk_loads_energies(sys, &sys->now, &books->kinetic, &books->potential);
    return 0;
}
