/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3`: index-3 augmented Lagrangian with the trapezoidal rule and mass-orthogonal
 * projections of velocities and accelerations, solved in multiplier space over the tree.
 *
 * Method: the index-3 divide-and-conquer paper ("index-3 DCA", Nonlinear Dynamics, 2018) seen
 * through the joints' own directions, on the rotation group. With s = h^2/4, W = M^-1 and the
 * dynamic residual g = M a + gyroscopic + Phi_q^T lambda - Q, one Newton iteration is
 *
 *     (E + s Phi_q W Phi_q^T) dlambda = Phi - s Phi_q W g
 *     dq = -s W (Phi_q^T dlambda + g),     lambda += dlambda
 *
 * One factor, at the predicted pose and with the Jacobian of that pose, serves all iterations; a
 * second one, at the final pose, serves both projections (stops need more, see decide_stops()). E
 * of a rigid row is a small relative regularisation; a compliant row lambda = f(Phi, dPhi/dt) has E
 * = 1 / (k + 2 c / h) with the tangent of its law at the predicted pose, and (f - lambda) E in
 * place of Phi.
 *
 * Trapezoidal rule, from x_old with u = x - x_old and theta = log(R_old^T R):
 *
 *     v = 2/h u - v_old,          a  = 4/h^2 u - 4/h v_old - a_old        (world)
 *     w = 2/h theta - w_old,      al = 4/h^2 theta - 4/h w_old - al_old   (body axes)
 *
 * Increments turn the body, R := R exp(dtheta), so that Phi_q is the exact derivative. u and the
 * turn R_old^T R are kept and updated apart from x and R: as differences of those they would carry
 * the round-off of large numbers, which 4/h^2 turns into noise of the accelerations. */
#include "step/scripts/ali3.h"
#include "maths/vec.h"
#include "step/elements/air.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/quads.h"
#include "step/scripts/extrapolate.h"
#include <stdbool.h>

/* next.a = now.a + W dQ, where sys->correction holds -dQ, and then W dQ itself */
static void jump_accelerations(struct lk_system *sys)
{
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *a = &sys->now.motion[b].a;
        struct lk_twist *jump = &sys->correction[b], *to = &sys->next.motion[b].a;
        double turn[3];

        lk_sym_mul(sys->W[b].inertia, jump->w, turn);
        for (int i = 0; i < 3; i++) {
            jump->v[i] *= -sys->W[b].mass;
            jump->w[i] = -turn[i];
            to->v[i] = a->v[i] + jump->v[i];
            to->w[i] = a->w[i] + jump->w[i];
        }
    }
}

static void begin_jumps(struct lk_system *sys, const double *inputs)
{
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->correction[b] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
}

/* decide the state of the stops in this step from the accelerations without stops */
static void decide_stops(struct lk_system *sys, const double *inputs)
{
    lk_loads_release_stops(sys, 0);
    lk_evaluate_factor(sys);
    begin_jumps(sys, inputs);
    lk_loads_subtract_stops(sys, 0, sys->correction);
    jump_accelerations(sys);
    lk_project_accelerations(sys, &sys->next, sys->correction);
    lk_loads_decide_stops(sys, 0);
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] = sys->now.lambda[r];
    lk_evaluate_factor(sys);
}

static void take_jumps(struct lk_system *sys, const double *inputs)
{
    begin_jumps(sys, inputs);
    lk_loads_subtract_stops(sys, 1, sys->correction);
    jump_accelerations(sys);
    lk_project_accelerations(sys, &sys->next, sys->correction);
}

/* An input is held over [t, t + h], so it may jump at t; and a stop that is left lets go at t.
 * Carry the accelerations and multipliers of the last step over the jump: M da + Phi_q^T dlambda =
 * dQ, Phi_q da = 0 (E dlambda / s for compliant rows). That is the projection of a + W dQ with the
 * factor of the final pose, which is still at hand, or made anew where there are stops. Without it
 * a jump would act half a step late. */
static void absorb_jumps(struct lk_system *sys, const double *inputs)
{
    if (sys->n_stops > 0)
        decide_stops(sys, inputs);
    if (sys->n_stops > 1) {
        take_jumps(sys, inputs);
        lk_loads_decide_stops(sys, 1);
        for (int r = 0; r < sys->n_rows; r++)
            sys->next.lambda[r] = sys->now.lambda[r];
        lk_evaluate_factor(sys);
    }
    take_jumps(sys, inputs);
    /* drives push against a jump from the beginning of the step, not from half of it */
    sys->next.balance->work_drive +=
        0.5 * sys->h *
        (lk_loads_drive_power(sys, &sys->next) - lk_loads_drive_power(sys, &sys->now));
}

/* Velocities and accelerations. Where there is no inertia nothing pulls the acceleration to the
 * right value and the trapezoidal rule would carry an error on with alternating sign for ever; it
 * is the difference of the velocities there. */
LK_INLINE void differentiate(const struct lk_quad *quad, double h, lk_four v[6], lk_four a[6])
{
    lk_trapezoidal_four(h, quad->u, quad->theta, quad->v_old, quad->a_old, v, a);
    for (int i = 0; i < 6; i++)
        a[i] += quad->massless[i / 3] * ((v[i] - quad->v_old[i]) / h - a[i]);
}

/* g = M (a - gravity) + w x J w of four bodies; @with_twists: their velocities too, which only
 * compliant rows and the projections look at */
LK_INLINE void inertial_residual(struct lk_system *sys, const struct lk_lanes *l,
                                 const struct lk_quad *quad, bool with_twists)
{
    lk_four v[6], a[6], g[6];

    differentiate(quad, sys->h, v, a);
    lk_inertial_force_four(quad->mass, quad->inertia, sys->gravity, v, a, g);
    lk_scatter(l, g, LK_STRIDE(struct lk_twist), 6, sys->residual[0].v);
    if (with_twists)
        lk_scatter(l, v, LK_STRIDE(struct lk_twist), 6, sys->twist[0].v);
}

/* x + h v + h^2/2 a, likewise for the turn; @start: whose accelerations to begin with.
 * Return: whether every turn is less than half a turn; beyond, the logarithm means another motion.
 */
static bool predict(struct lk_system *sys, const struct lk_state *start)
{
    double h = sys->h;
    lk_four widest = {0};

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];

        lk_gather(&l, sys->now.motion[0].x, LK_STRIDE(struct lk_motion), 3, quad->x_old);
        lk_gather(&l, sys->now.motion[0].q, LK_STRIDE(struct lk_motion), 4, quad->q_old);
        lk_gather(&l, sys->now.motion[0].v.v, LK_STRIDE(struct lk_motion), 6, quad->v_old);
        lk_gather(&l, start->motion[0].a.v, LK_STRIDE(struct lk_motion), 6, quad->a_old);
        lk_drop_along_four(quad->thin, quad->a_old + 3);
        for (int i = 0; i < 3; i++) {
            quad->u[i] = lk_taylor_four(h, quad->start_a[0], quad->v_old[i], quad->a_old[i]);
            quad->theta[i] =
                lk_taylor_four(h, quad->start_a[1], quad->v_old[3 + i], quad->a_old[3 + i]);
        }
        widest = lk_max_four(widest, lk_inner_four(quad->theta, quad->theta));
        lk_rotation_exp_four(quad->theta, quad->turn);
        lk_quad_place(sys, &l, quad);
        inertial_residual(sys, &l, quad, sys->needs_twists);
    }
    return lk_largest_lane(widest) < M_PI * M_PI;
}

/* E of the rows with a nonlinear law, with its tangent at the predicted pose */
LK_INLINE void renew_tangent(struct lk_system *sys, const struct lk_law *law, double x, double v,
                             double *regular)
{
    struct lk_law_value f;

    lk_law_tangent(law, sys->term, x, v, &f);
    *regular = lk_law_regular(&f, sys->h);
    sys->next.tangent[law - sys->law] = *regular;
}

void lk_ali3_follow_laws(struct lk_system *sys, int i, struct lk_jacobian jacobian, bool is_first)
{
    const struct lk_joint *j = &sys->joint[i];
    double phi[LK_ROWS_MAX], rates[LK_ROWS_MAX];

    lk_evaluate_violation(sys, i, phi);
    for (int r = 0; r < j->n_rows; r++) {
        rates[r] = 0;
        for (int s = 0; s < j->n_sides; s++) {
            const struct lk_twist *t = &sys->twist[j->body[s]];
            double row[6];

            lk_jacobian_row(jacobian, s, r, row);
            rates[r] += lk_dot(row, t->v) + lk_dot(row + 3, t->w);
        }
    }
    lk_air_follow_pose(sys, j, rates);
    for (int r = 0; r < j->n_rows; r++) {
        const struct lk_law *law = &sys->law[j->law + r];
        double *regular = &sys->regular[j->row + r];
        struct lk_law_value f;

        if (law->is_nonlinear && is_first)
            renew_tangent(sys, law, phi[r], rates[r], regular);
        lk_law_evaluate(law, sys->term, phi[r], rates[r], law->stops_act, &f);
        sys->solution[j->row + r] =
            (f.elastic + f.dissipative - sys->next.lambda[j->row + r]) * *regular;
    }
}

/* Compliant rows of a joint: their place in the right-hand side, and their part of Phi_q^T lambda.
 * A law is followed at the present pose, so its rows need the Jacobian of this pose, not the
 * factor's. */
static void compliant_rows(struct lk_system *sys, int i, int iteration)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, sys->jacobian[i].pad, 0};

    lk_joint_jacobian(j, pose, jacobian);
    lk_ali3_follow_laws(sys, i, jacobian, iteration == 0);
    for (int r = 0; r < j->n_rows; r++)
        for (int s = 0; s < j->n_sides; s++) {
            struct lk_twist *g = &sys->residual[j->body[s]];
            double row[6];

            lk_jacobian_row(jacobian, s, r, row);
            for (int k = 0; k < 3; k++) {
                g->v[k] += sys->next.lambda[j->row + r] * row[k];
                g->w[k] += sys->next.lambda[j->row + r] * row[3 + k];
            }
        }
}

/* a driven or coupled coordinate, whose value is unwrapped */
static void coordinate_row(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    struct lk_twist *const sum[LK_SIDES_MAX] = LK_SIDES(sys->residual, j);

    lk_evaluate_violation(sys, i, sys->solution + j->row);
    lk_joint_ops(j->type)->load(j, pose, sys->next.lambda + j->row, sum);
}

/* violations into the right-hand side, Phi_q^T lambda into g; both at the present poses */
static void row_residual(struct lk_system *sys, int iteration)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const struct lk_joint_type_ops *ops = lk_joint_ops(j->type);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_twist *const sum[2] = LK_TWO_SIDES(sys->residual, j);

        if (lk_is_compliant(j)) {
            compliant_rows(sys, i, iteration);
        } else if (j->of[0]) {
            coordinate_row(sys, i);
        } else {
            ops->violation(j, pose, sys->solution + j->row);
            ops->load(j, pose, sys->next.lambda + j->row, sum);
        }
    }
}

/* Subtract E lambda from the rigid rows, once a step: multipliers of redundant rows are forgotten
 * at the rate they are made and stay of minimum norm; the later iterations restore Phi = 0. */
static void leak(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = 0; r < lk_rigid_rows(j); r++)
            sys->solution[j->row + r] -= sys->regular[j->row + r] * sys->next.lambda[j->row + r];
    }
}

/* g := s W g, then the right-hand side loses Phi_q s W g with the Jacobian of the factor */
static void reduce_right_side(struct lk_system *sys)
{
    lk_evaluate_weigh(sys, sys->sW, sys->residual);
    lk_evaluate_reduce(sys, sys->residual);
}

/* dq = -(s W Phi_q^T dlambda + s W g), then the new poses and g of the bodies */
static void apply_increment(struct lk_system *sys, bool is_last)
{
    bool with_twists = is_last || sys->needs_twists;
    lk_four largest = {0};

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        lk_four correction[6], residual[6], dtheta[3], turn[4];

        lk_gather(&l, sys->correction[0].v, LK_STRIDE(struct lk_twist), 6, correction);
        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, residual);
        for (int i = 0; i < 3; i++) {
            lk_four dx = -(correction[i] + residual[i]);

            dtheta[i] = -(correction[3 + i] + residual[3 + i]);
            quad->u[i] += dx;
            largest = lk_max_four(largest, lk_max_four(dx, -dx));
            largest = lk_max_four(largest, lk_max_four(dtheta[i], -dtheta[i]));
        }
        lk_turn_on_four(quad->turn, dtheta, turn);
        for (int i = 0; i < 4; i++)
            quad->turn[i] = turn[i];
        lk_rotation_log_four(turn, quad->theta);
        lk_quad_place(sys, &l, quad);
        inertial_residual(sys, &l, quad, with_twists);
    }
    sys->next.balance->increment = lk_largest_lane(largest);
}

/* one Newton iteration, from the poses and g that the prediction or the last one left */
static void iterate(struct lk_system *sys, const double *inputs, int iteration)
{
    double t = (sys->now.balance->steps + 1) * sys->h;

    lk_evaluate_clear_frames(sys, sys->residual);
    row_residual(sys, iteration);
    lk_loads_subtract_applied(sys, t, inputs, sys->residual);
    if (iteration == 0) {
        lk_evaluate_jacobians(sys);
        lk_evaluate_factor(sys);
    }
    if (iteration == 0 || sys->leak_always)
        leak(sys);
    reduce_right_side(sys);
    lk_evaluate_correction(sys);
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] += sys->solution[r];
    apply_increment(sys, iteration == sys->iterations - 1);
}

/* the state at the final increments. The poses are then made anew from the state, not kept:
 * lk_start_renew() has to find the same bits after a refused step. */
static void accept_motion(struct lk_system *sys)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        lk_four x[3], q[4], v[6], a[6];

        lk_moved_state_four(quad->x_old, quad->q_old, quad->u, quad->turn, x, q);
        differentiate(quad, sys->h, v, a);
        lk_scatter(&l, x, LK_STRIDE(struct lk_motion), 3, sys->next.motion[0].x);
        lk_scatter(&l, q, LK_STRIDE(struct lk_motion), 4, sys->next.motion[0].q);
        lk_scatter(&l, v, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].v.v);
        lk_scatter(&l, a, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].a.v);
    }
}

static int ali3_step(struct lk_system *sys, const double *inputs)
{
    bool turns_are_small;

    if (sys->n_jumps > 0)
        absorb_jumps(sys, inputs);
    lk_drives_advance(sys, inputs);
    turns_are_small = predict(sys, sys->n_jumps > 0 ? &sys->next : &sys->now);
    for (int i = 0; i < sys->iterations; i++)
        iterate(sys, inputs, i);
    /* what the joints see of the final pose: a fresh factor, then both projections */
    accept_motion(sys);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_loads_slide(sys);
    if (sys->n_stops > 0)
        lk_loads_release_stops(sys, 1);
    lk_evaluate_factor(sys);
    lk_project_velocities(sys, &sys->next);
    if (sys->n_stops > 0) {
        lk_keep_coordinates(sys);
        lk_bounce(sys, &sys->next);
    }
    lk_project_accelerations(sys, &sys->next, NULL);
    return turns_are_small ? 0 : LK_E_TURN;
}

const struct lk_formulation lk_formulation_ali3 = {
    .name = "ali3",
    .step = ali3_step,
    .extrapolation = &lk_extrapolation_ali3,
    .in_lanes = &lk_formulation_ali3_lanes,
    .steps_in_plane = 1,
};
