/* SPDX-License-Identifier: Apache-2.0 */
/* Executor `one` of `ali3`: the stages, for all bodies and rows. */
#include "step/elements/law_steps.h"
#include "step/elements/laws.h"
#include "step/elements/loads.h"
#include "step/executor.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/executors.h"
#include "step/one/quads.h"
#include "step/stages.h"

/* ---- jumps ---- */

/* compute next.a = a + W dQ with a of @from, where sys->correction contains -dQ on entry and W dQ
 * on return */
static void jump_accelerations(struct lk_system *sys, const struct lk_state *from)
{
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *a = &from->motion[b].a;
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

static void find_jumps(struct lk_system *sys, const double *inputs)
{
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->correction[b] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
}

static void ali3_jump(struct lk_system *sys, const double *inputs, int leaving)
{
    for (int r = 0; r < sys->n_rows && sys->n_stops > 0; r++)
        sys->next.lambda[r] = sys->now.lambda[r];
    find_jumps(sys, inputs);
    if (sys->n_stops > 0)
        lk_loads_subtract_stops(sys, leaving, sys->correction);
    jump_accelerations(sys, &sys->now);
}

/* ---- forces that follow normal forces ---- */

static void add_accelerations(struct lk_system *sys, double time)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->next.motion[b];

        for (int i = 0; i < 3; i++) {
            m->v.v[i] += time * m->a.v[i];
            m->v.w[i] += time * m->a.w[i];
        }
    }
}

/* Compute the change of creep by the normal forces of the present accelerations. The velocities
 * change with it, because the trapezoidal rule has half of the accelerations at the end of the
 * step: their part is removed here, and added again with the new accelerations. */
static void follow_up(struct lk_system *sys)
{
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->correction[b] = (struct lk_twist){0};
    lk_law_steps_change(sys, &sys->next, sys->correction);
    add_accelerations(sys, -0.5 * sys->h);
    jump_accelerations(sys, &sys->next);
    lk_evaluate_acceleration_violation(sys, &sys->next, sys->correction);
}

static void followed_down(struct lk_system *sys)
{
    lk_evaluate_solve(sys, sys->solution);
    lk_correct_accelerations(sys, &sys->next);
    add_accelerations(sys, 0.5 * sys->h);
    lk_evaluate_twists(sys, &sys->next);
}

/* ---- the iterations ---- */

/* Compute velocities and accelerations. In directions without inertia no equation determines the
 * acceleration, and the trapezoidal rule would keep an error with alternating sign. In these
 * directions the acceleration is the difference of the velocities divided by h. */
LK_INLINE void differentiate(const struct lk_quad *quad, double h, lk_four v[6], lk_four a[6])
{
    lk_trapezoidal_four(h, quad->u, quad->theta, quad->v_old, quad->a_old, v, a);
    for (int i = 0; i < 6; i++)
        a[i] += quad->massless[i / 3] * ((v[i] - quad->v_old[i]) / h - a[i]);
}

/* compute g = M (a - gravity) + w x J w of four bodies; @with_twists: also their velocities,
 * which only compliant rows and the projections use */
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

/* Predict the poses of all bodies. @start: state with the accelerations at the start of the step.
 * Return: whether every rotation is less than half a turn. Beyond half a turn, the logarithm is
 *         ambiguous. */
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

/* Evaluate rows that depend on their rates, compliant or nonholonomic: their right-hand side, and
 * their contribution to Phi_q^T lambda. A rate is evaluated at the present pose, so these rows need
 * the Jacobian at this pose, not at the pose of the factor. */
static void rows_with_rates(struct lk_system *sys, int i, bool is_first)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, sys->jacobian[i].pad, 0};

    lk_joint_jacobian(j, pose, jacobian);
    if (lk_is_compliant(j)) {
        lk_law_steps_follow_pose(sys, i, jacobian, is_first);
    } else {
        lk_evaluate_violation(sys, i, sys->solution + j->row);
        lk_law_steps_slide(sys, i, jacobian);
    }
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

/* evaluate a driven or coupled coordinate, whose value is unwrapped */
static void coordinate_row(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    struct lk_twist *const sum[LK_SIDES_MAX] = LK_SIDES(sys->residual, j);

    lk_evaluate_violation(sys, i, sys->solution + j->row);
    lk_joint_ops(j->type)->load(j, pose, sys->next.lambda + j->row, sum);
}

/* write violations into the right-hand side and Phi_q^T lambda into g; both at the present
 * poses */
static void row_residual(struct lk_system *sys, bool is_first)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const struct lk_joint_type_ops *ops = lk_joint_ops(j->type);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_twist *const sum[2] = LK_TWO_SIDES(sys->residual, j);

        if (lk_is_compliant(j) || lk_slip_rows(j) > 0) {
            rows_with_rates(sys, i, is_first);
        } else if (j->of[0]) {
            coordinate_row(sys, i);
        } else {
            ops->violation(j, pose, sys->solution + j->row);
            ops->load(j, pose, sys->next.lambda + j->row, sum);
        }
    }
}

/* Subtract E lambda from the rigid rows, once per step. Components of the multipliers that
 * redundancy leaves undetermined then decay as fast as round-off creates them, so that the
 * multipliers keep their minimum norm. The later iterations restore Phi = 0. */
static void leak(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = 0; r < lk_rigid_rows(j); r++)
            sys->solution[j->row + r] -= sys->regular[j->row + r] * sys->next.lambda[j->row + r];
    }
}

/* set g := s W g; subtract Phi_q s W g from the right-hand side, with the Jacobian of the
 * factor */
static void reduce_right_side(struct lk_system *sys)
{
    lk_evaluate_weigh(sys, sys->sW, sys->residual);
    lk_evaluate_reduce(sys, sys->residual);
}

/* apply dq = -(s W Phi_q^T dlambda + s W g), then compute the new poses and g of the bodies */
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

/* write the state after the last increment. The poses are then recomputed from the state:
 * lk_start_renew() must compute the same bits after a refused step. */
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

static void predict_up(struct lk_system *sys)
{
    sys->progress->is_small = predict(sys, sys->n_jumps > 0 ? &sys->next : &sys->now);
    lk_evaluate_clear_frames(sys, sys->residual);
    row_residual(sys, true);
}

static void evaluate_up(struct lk_system *sys)
{
    lk_evaluate_clear_frames(sys, sys->residual);
    row_residual(sys, false);
}

static void ali3_loads(struct lk_system *sys, double t, const double *inputs)
{
    lk_loads_subtract_applied(sys, t, inputs, sys->residual);
}

static void iterate_up(struct lk_system *sys)
{
    if (sys->progress->leaks)
        leak(sys);
    reduce_right_side(sys);
}

static void first_up(struct lk_system *sys)
{
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
    iterate_up(sys);
}

static void take_increment(struct lk_system *sys, bool is_last)
{
    lk_evaluate_correction(sys);
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] += sys->solution[r];
    apply_increment(sys, is_last);
}

static void increment_down(struct lk_system *sys)
{
    take_increment(sys, false);
}

static void last_increment_down(struct lk_system *sys)
{
    take_increment(sys, true);
    accept_motion(sys);
}

/* ---- the new state ---- */

static void settle_up(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
}

static void project_velocities_up(struct lk_system *sys)
{
    lk_evaluate_factor(sys);
    lk_evaluate_velocity_violation(sys);
}

static void velocities_down(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    lk_correct_velocities(sys, &sys->next);
}

static void project_accelerations_up(struct lk_system *sys)
{
    lk_evaluate_acceleration_violation(sys, &sys->next,
                                       sys->progress->jumps ? sys->correction : NULL);
}

static void accelerations_down(struct lk_system *sys)
{
    lk_evaluate_solve(sys, sys->solution);
    lk_correct_accelerations(sys, &sys->next);
}

static void twists_of_next(struct lk_system *sys)
{
    lk_evaluate_twists(sys, &sys->next);
}

static int ali3_store(struct lk_system *sys)
{
    return sys->progress->is_small ? 0 : LK_E_TURN;
}

/* ---- higher orders ---- */

static void open_up(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_rigid_violations(sys);
}

static void close_down(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    lk_correct_positions(sys, &sys->next);
}

/* set E of compliant rows so large that a projection does not change their multipliers */
static void decouple_laws(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
}

static void ali3_settle(struct lk_system *sys, const double *inputs)
{
    lk_loads_accelerate(sys, &sys->now, lk_time(sys), inputs);
    decouple_laws(sys);
    if (sys->n_laws > 0)
        lk_evaluate_factor(sys);
    lk_project_accelerations(sys, &sys->now, NULL);
    lk_start_take_tangents(sys);
}

static void (*const downs[ALI3_DOWNS])(struct lk_system *) = {
    [ALI3_INCREMENT] = increment_down,
    [ALI3_LAST_INCREMENT] = last_increment_down,
    [ALI3_VELOCITIES] = velocities_down,
    [ALI3_ACCELERATIONS] = accelerations_down,
    [ALI3_CLOSE] = close_down,
    [ALI3_CLOSE_LAST] = close_down,
    [ALI3_BOUNCED] = lk_evaluate_correction,
    [ALI3_FOLLOWED] = followed_down,
};

static void (*const ups[ALI3_UPS])(struct lk_system *) = {
    [ALI3_PREDICT] = predict_up,
    [ALI3_FIRST] = first_up,
    [ALI3_ITERATE] = iterate_up,
    [ALI3_EVALUATE] = evaluate_up,
    [ALI3_SETTLE] = settle_up,
    [ALI3_PROJECT_VELOCITIES] = project_velocities_up,
    [ALI3_PROJECT_ACCELERATIONS] = project_accelerations_up,
    [ALI3_RELOAD] = twists_of_next,
    [ALI3_OPEN] = open_up,
    [ALI3_FACTOR] = lk_evaluate_factor,
    [ALI3_BOUNCE] = lk_evaluate_rebounds,
    [ALI3_FOLLOW] = follow_up,
};

static void ali3_sweep(struct lk_system *sys, int down, int up)
{
    if (downs[down])
        downs[down](sys);
    if (ups[up])
        ups[up](sys);
}

const struct lk_executor lk_one_ali3 = {
    .renew = lk_start_renew,
    .sweep = ali3_sweep,
    .loads = ali3_loads,
    .jump = ali3_jump,
    .settle = ali3_settle,
    .fetch = twists_of_next,
    .store = ali3_store,
};
