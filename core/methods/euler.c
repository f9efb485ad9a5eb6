/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` with `coordinates: euler-parameters`: the method in the form of the index-3
 * DCA paper (Nonlinear Dynamics, 2018), for comparison with ali3.c.
 *
 * Each body has seven coordinates, q = (x, p) with Euler parameters p. A penalty enforces Psi = p.p
 * - 1 = 0. The equations of motion are eqs. (7)-(9) and (12):
 *
 *     g = M q'' + Phi_q^T lambda + Psi_q^T mu - Q = 0,   M = diag(m, 4 G^T J G),   w = 2 G p'
 *
 * The trapezoidal rule is applied to the coordinates, eqs. (15), (16), with u = q - q_old:
 *
 *     q' = 2/h u - q_old',      q'' = 4/h^2 u - 4/h q_old' - q_old''
 *
 * A Newton iteration solves, with s = h^2/4, lambda += alpha Phi and mu += alpha Psi, eqs.
 * (21)-(27), (34):
 *
 *     (M + s Psi_q^T alpha Psi_q) dq + s Phi_q^T dlambda = -s (g + Psi_q^T alpha Psi)
 *     dlambda = alpha (Phi + Phi_q dq),                   dmu = alpha (Psi + Psi_q dq)
 *
 * (The paper misprints the sign of the last term of the first equation.) The recursion of
 * methods/delta.h solves these equations, and those of the mass-orthogonal projections, eqs.
 * (40)-(69).
 *
 * The variant `as-printed` follows the paper to the letter:
 *
 * - The rotation matrix is A(p) = |p|^2 R(p / |p|). Therefore rows depend on |p|, and their
 *   Jacobian has a component along p, dPhi/d|p| p / |p|.
 * - The state includes all seven components of q, q', q'', and mu (struct lk_euler_along).
 * - Every iteration factors the matrix. The projections use the last factor (sec. 3.3).
 * - Both projections begin with the coordinates after the iterations. Therefore gamma and nu belong
 *   to the velocities before their projection (sec. 3.5: the projections "may be performed
 *   independently of each other"). The multipliers are those of the iterations.
 * - The terms of gamma in p.p' times a rotation are omitted, because p.p' is of order h^3.
 *
 * The default differs from the paper in these points:
 *
 * - Rotation matrices are those of p / |p|. Then d theta = 2 G dp / |p|^2, and the Jacobian is
 *   [Phi_x, 2 Phi_theta G / |p|^2]. Its component along p is zero, because rows do not depend on
 *   |p|. The inverse of the 4 x 4 matrix of rotation is G^T J^-1 G / (4 |p|^4) + p p^T / (4 s alpha
 *   |p|^4). The dynamics are as in the paper at any |p|. At the start and end of a step |p| = 1 up
 *   to round-off.
 * - The projections factor the matrix at the final pose. They solve for the correction q' - q'*
 *   instead of q', which causes less round-off. The multipliers change by s kappa, as in ali3.c.
 * - alpha is 1/E of ali3.c for each row, unless the model sets a number. With such a number the
 *   multipliers do not decay as in ali3.c, because E lambda may then be a large violation.
 * - mu is not stored between steps, because mu = w.J w at a consistent state. */
#include "maths/vec.h"
#include "methods/euler_body.h"
#include "methods/registry.h"
#include "step/elements/air.h"
#include "step/elements/creep.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <stdbool.h>
#include <string.h>

#define Q     LK_EULER_Q
#define P     LK_EULER_P
#define ALONG ((int)(sizeof(struct lk_euler_along) / sizeof(double)))

/* Value of 1/alpha of the normalisation, relative to s times the mean of J^-1. The value affects
 * only |p| between two iterations, because there is no mass along p and no row depends on |p|. */
#define NORM_EPS 1e-8

/** struct euler - private state of this formulation.
 * @soft:  1/alpha of each row
 * @along: a component along p for each body; scratch */
struct euler {
    struct lk_euler_body *body;
    struct lk_delta delta;
    double *soft;
    double *along;
};

static bool is_printed(const struct lk_system *sys)
{
    return sys->formulation == &lk_formulation_euler_as_printed;
}

static size_t rows_of(const struct lk_topology *topology)
{
    size_t n = 0;

    for (int j = 0; j < topology->n_joints; j++)
        n += (size_t)topology->n_rows[j];
    return n;
}

static int euler_layout(struct lk_system *sys, const struct lk_topology *topology,
                        const struct lk_plan *plan, struct lk_arena *arena)
{
    struct euler *place = lk_arena_take(arena, 1, sizeof(*place));
    struct euler e = {0};
    int r;

    e.body = lk_arena_take(arena, (size_t)topology->n_bodies, sizeof(*e.body));
    e.soft = lk_arena_take(arena, rows_of(topology), sizeof(double));
    e.along = lk_arena_take(arena, (size_t)topology->n_bodies, sizeof(double));
    r = lk_delta_layout(&e.delta, topology, plan, arena);
    if (arena->base) {
        *place = e;
        sys->formulation_data = place;
    }
    return r;
}

/* ---- a body and its rows ---- */

/* Set q, q', q'' at the start of the step.
 * @a: accelerations; they differ from the accelerations in the state after a jump of an input */
static void load_body(const struct lk_system *sys, int b, const struct lk_twist *a,
                      struct lk_euler_body *body)
{
    const struct lk_motion *m = &sys->now.motion[b];
    struct lk_euler_along along;

    if (is_printed(sys))
        memcpy(&along, sys->now.own + b * ALONG, sizeof(along));
    else
        along = lk_euler_along_motion(m, &sys->body[b]);
    lk_euler_load(m, a, &along, body);
}

/* Scale the rotation matrix in sys->pose to A(p) = p.p R of the paper. */
static void scale_rotation(struct lk_system *sys, int b, const double p[4])
{
    double pp = lk_euler_inner(p, p);

    for (int i = 0; i < 9; i++)
        sys->pose[b].R[i] *= pp;
}

/* Compute q, q', q'' of body @b from u, and its pose and twist for the evaluation of joints. */
static void place_body(struct lk_system *sys, struct euler *e, int b)
{
    struct lk_euler_body *body = &e->body[b];
    double n[4], scale;

    lk_euler_trapezoidal(sys->h, body);
    scale = 1 / sqrt(lk_euler_inner(body->q + P, body->q + P));
    for (int i = 0; i < 4; i++)
        n[i] = scale * body->q[P + i];
    for (int i = 0; i < 3; i++)
        sys->pose[b].x[i] = body->q[i];
    lk_quat_matrix(n, sys->pose[b].R);
    if (is_printed(sys))
        scale_rotation(sys, b, body->q + P);
    sys->twist[b] = lk_euler_twist(body->q, body->v);
}

/* Compute Phi of joint @i with the rotation matrix of side @s times @scale. Rows of coordinates are
 * taken to be independent of it, as angles are. */
static void scaled_violation(const struct lk_system *sys, int i, int s, double scale, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    struct lk_pose scaled = sys->pose[j->body[s]];
    const struct lk_pose *pose[2] = LK_TWO_SIDES(sys->pose, j);

    for (int c = 0; c < 9; c++)
        scaled.R[c] *= scale;
    pose[s] = &scaled;
    if (lk_is_compliant(j))
        lk_joint_violation(j, pose, ret);
    else
        lk_joint_ops(j->type)->violation(j, pose, ret);
}

/* Add the components along p to the Jacobian of side @s of joint @i: dA/dp p = 2 A. A difference
 * over R (1 +- 1/64) is exact for rows that are linear in the rotation matrix of each side. */
static void add_rows_along(const struct lk_system *sys, struct euler *e, int i, int s)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_euler_body *body = &e->body[j->body[s]];
    double *phi = e->delta.phi + e->delta.phi_at[i] + s * j->n_rows * Q;
    double less[LK_ROWS_MAX], more[LK_ROWS_MAX];

    scaled_violation(sys, i, s, 1 - 1.0 / 64, less);
    scaled_violation(sys, i, s, 1 + 1.0 / 64, more);
    for (int r = 0; r < j->n_rows; r++)
        for (int k = 0; k < 4; k++)
            phi[r * Q + P + k] += 64 * (more[r] - less[r]) / body->pp * body->p[k];
}

/* Compute the component of Phi_q^T @x along p for every body, as a multiple of p: x . Phi_q p /
 * p.p. */
static void forces_along(const struct lk_system *sys, const struct euler *e, const double *x,
                         double *ret)
{
    for (int b = 0; b < sys->n_bodies; b++)
        ret[b] = 0;
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const double *phi = e->delta.phi + e->delta.phi_at[i];

        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < j->n_rows && j->body[s] < sys->n_bodies; r++) {
                const struct lk_euler_body *body = &e->body[j->body[s]];

                ret[j->body[s]] += x[j->row + r] / body->pp *
                                   lk_euler_inner(phi + (s * j->n_rows + r) * Q + P, body->p);
            }
    }
}

/* Add Phi_q (0, along p) to the right-hand side of the rigid rows. */
static void add_rates_along(struct lk_system *sys, const struct euler *e, const double *along)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const double *phi = e->delta.phi + e->delta.phi_at[i];

        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < lk_rigid_rows(j) && j->body[s] < sys->n_bodies; r++)
                sys->solution[j->row + r] +=
                    along[j->body[s]] *
                    lk_euler_inner(phi + (s * j->n_rows + r) * Q + P, e->body[j->body[s]].p);
    }
}

/* ---- the linear system ---- */

/* Compute [Phi_x, 0, 2 Phi_theta G / |p|^2] of joint @i for all sides that are bodies, and alpha.
 */
static void fill_joint(void *context, int i)
{
    struct lk_system *sys = context;
    struct euler *e = sys->formulation_data;
    const struct lk_joint *j = &sys->joint[i];
    double *phi = e->delta.phi + e->delta.phi_at[i];

    for (int s = 0; s < j->n_sides; s++)
        for (int r = 0; r < j->n_rows && j->body[s] < sys->n_bodies; r++) {
            const struct lk_euler_body *body = &e->body[j->body[s]];
            double *to = phi + (s * j->n_rows + r) * Q, row[6];

            lk_jacobian_row(sys->jacobian[i], s, r, row);
            for (int k = 0; k < 3; k++)
                to[k] = row[k];
            lk_euler_turn_to_rate(body->p, 2 / body->pp, row + 3, to + P);
        }
    for (int s = 0; s < j->n_sides && is_printed(sys) && !j->of[0]; s++)
        if (j->body[s] < sys->n_bodies)
            add_rows_along(sys, e, i, s);
    for (int r = j->row; r < j->row + j->n_rows; r++)
        e->soft[r] = sys->penalty > 0 && !lk_is_compliant(j) ? 1 / sys->penalty : sys->regular[r];
}

static void fill_body(void *context, int b)
{
    struct lk_system *sys = context;
    struct euler *e = sys->formulation_data;

    lk_euler_delta(&sys->sW[b], &e->body[b], e->delta.delta + b * Q * Q);
}

/* Factor the matrix at the present coordinates, with the Jacobians at this pose. */
static void factor_matrix(struct lk_system *sys, struct euler *e)
{
    lk_share(sys->pool, sys->n_bodies, fill_body, sys);
    lk_share(sys->pool, sys->n_joints, fill_joint, sys);
    lk_delta_factor(&e->delta, e->soft, sys->pool);
}

/* ---- Newton iterations ---- */

/* Return the right-hand side of a compliant row, which has the law lambda = f(Phi, dPhi/dt). The
 * residual of the law, scaled by 1/alpha, replaces Phi. 1/alpha is the inverse of the tangent of
 * the law at the predicted pose. For end stops see ali3.c. */
static double law_residual(struct lk_system *sys, const struct lk_joint *j, int r, double phi,
                           double rate, int iteration)
{
    const struct lk_law *law = &sys->law[j->law + r];
    double *regular = &sys->regular[j->row + r];
    struct lk_law_value f;

    if (law->is_nonlinear && iteration == 0) {
        lk_law_tangent(law, sys->term, phi, rate, &f);
        *regular = lk_law_regular(&f, sys->h);
        sys->next.tangent[law - sys->law] = *regular;
    }
    lk_law_evaluate(law, sys->term, phi, rate, law->now->stop.counts, &f);
    return (f.elastic + f.dissipative - sys->next.lambda[j->row + r]) * *regular;
}

/* Write Phi to the right-hand side, and add Phi_q^T lambda to the residuals of the bodies. Both use
 * the present pose, as do the Jacobians of the system. The recursion keeps the Jacobian of the last
 * factorisation. */
static void row_residual(struct lk_system *sys, int iteration)
{
    lk_evaluate_jacobians(sys);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_evaluate_transpose(sys, sys->next.lambda, sys->residual);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX], rates[LK_ROWS_PAD] = {0};

        lk_evaluate_violation(sys, i, phi);
        if (lk_is_compliant(j))
            lk_evaluate_row_rates(sys, i, sys->twist, rates);
        lk_air_follow_pose(sys, j, rates);
        lk_creep_follow_pose(sys, j, sys->next.lambda, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] =
                !lk_is_compliant(j) ? phi[r] : law_residual(sys, j, r, phi[r], rates[r], iteration);
    }
}

/* Subtract 1/alpha lambda from the rigid rows, so that multipliers of redundant rows decay, see
 * leak() in ali3.c. */
static void leak_multipliers(struct lk_system *sys, const struct euler *e)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = j->row; r < j->row + lk_rigid_rows(j); r++)
            sys->solution[r] -= e->soft[r] * sys->next.lambda[r];
    }
}

/* Return dmu of eq. (21). If no row acts along p, the equation of the increment reduces to -p.g /
 * (2 p.p) for every alpha. */
static double increment_of_mu(const struct lk_system *sys, const struct lk_euler_body *body,
                              const double *dq)
{
    double psi = lk_euler_inner(body->q + P, body->q + P) - 1;

    return is_printed(sys) ? (psi + 2 * lk_euler_inner(body->p, dq + P)) / body->soft
                           : -0.5 * lk_euler_inner(body->p, body->g + P) / body->pp;
}

/* Compute g and delta_i3 of body @b. */
static void weigh_body(void *context, int b)
{
    struct lk_system *sys = context;
    struct euler *e = sys->formulation_data;

    lk_euler_residual(&sys->body[b], &sys->residual[b], is_printed(sys) ? e->along[b] : 0,
                      &e->body[b]);
    lk_euler_bias(e->delta.delta + b * Q * Q, &e->body[b], e->delta.bias + b * Q);
}

/* Add the increments of body @b: u += dq, mu += dmu. */
static void move_body(void *context, int b)
{
    struct lk_system *sys = context;
    struct euler *e = sys->formulation_data;
    struct lk_euler_body *body = &e->body[b];
    const double *dq = e->delta.bias + b * Q;

    body->increment = 0;
    for (int i = 0; i < Q; i++) {
        body->u[i] += dq[i];
        body->increment = lk_max(body->increment, (i < P ? 1 : 2) * fabs(dq[i]));
    }
    body->mu += increment_of_mu(sys, body, dq);
    place_body(sys, e, b);
}

static void iterate_newton(struct lk_system *sys, struct euler *e, const double *inputs,
                           int iteration)
{
    double t = (sys->now.balance->steps + 1) * sys->h, largest = 0;

    row_residual(sys, iteration);
    lk_loads_subtract(sys, t, inputs, sys->residual);
    if (iteration == 0 || is_printed(sys))
        factor_matrix(sys, e);
    if (is_printed(sys))
        forces_along(sys, e, sys->next.lambda, e->along);
    if (sys->leak_always || (iteration == 0 && sys->penalty == 0))
        leak_multipliers(sys, e);
    lk_share(sys->pool, sys->n_bodies, weigh_body, sys);
    lk_delta_solve(&e->delta, sys->solution, sys->pool);
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] += sys->solution[r];
    lk_share(sys->pool, sys->n_bodies, move_body, sys);
    for (int b = 0; b < sys->n_bodies; b++)
        largest = lk_max(largest, e->body[b].increment);
    sys->next.balance->increment = largest;
}

/* ---- projections ---- */

/* Project rates of q. Write the correction to delta.bias and the multipliers to sys->solution. On
 * entry, the right-hand side in sys->solution contains the violations of the rows, and @along the
 * violation of the norm: p.p' or p.p'' + p'.p', over p.p. The bias of the norm is -along p for
 * every alpha. */
static void project_rates(struct lk_system *sys, struct euler *e)
{
    if (is_printed(sys))
        add_rates_along(sys, e, e->along);
    for (int b = 0; b < sys->n_bodies; b++) {
        double *bias = e->delta.bias + b * Q;

        for (int i = 0; i < 4; i++) {
            bias[i] = 0;
            bias[P + i] = -e->along[b] * e->body[b].p[i];
        }
    }
    lk_delta_solve(&e->delta, sys->solution, sys->pool);
}

/* Project the velocities, eqs. (40)-(54). The unknown is the correction q' - q'*. */
static void project_velocities(struct lk_system *sys, struct euler *e)
{
    lk_evaluate_velocity_violation(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        e->along[b] = lk_euler_along_body(&e->body[b]).rate;
    project_rates(sys, e);
    for (int b = 0; b < sys->n_bodies; b++) {
        for (int i = 0; i < Q; i++)
            e->body[b].v[i] += e->delta.bias[b * Q + i];
        sys->twist[b] = lk_euler_twist(e->body[b].q, e->body[b].v);
    }
}

/* Project the accelerations, eqs. (55)-(69). The unknown is the correction q'' - q''*.
 * @jump: see lk_evaluate_acceleration_violation() */
static void project_accelerations(struct lk_system *sys, struct euler *e,
                                  const struct lk_twist *jump)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_euler_body *body = &e->body[b];
        const double *p = body->q + P, *rate = body->v + P;

        sys->next.motion[b].a = lk_euler_twist(body->q, body->a);
        e->along[b] =
            (lk_euler_inner(p, body->a + P) + lk_euler_inner(rate, rate)) / lk_euler_inner(p, p);
        for (int i = 0; i < 3 && is_printed(sys); i++)
            sys->next.motion[b].a.w[i] += 2 * lk_euler_along_body(body).rate * sys->twist[b].w[i];
    }
    lk_evaluate_acceleration_violation(sys, &sys->next, jump);
    project_rates(sys, e);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < Q; i++)
            e->body[b].a[i] += e->delta.bias[b * Q + i];
    for (int r = 0; r < sys->n_rows && (jump || !is_printed(sys)); r++)
        sys->next.lambda[r] += sys->s * sys->solution[r];
}

/* ---- the step ---- */

/* Initialise sys->correction with the jumps of the loads at the start of a step. Inputs may jump
 * there and stops may open, as in ali3.c. Accelerations and multipliers then jump too. The
 * Jacobians are still valid for this pose. The matrix is factored again, so that a step depends on
 * the state only. */
static void begin_jumps(struct lk_system *sys, const double *inputs)
{
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->correction[b] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
}

/* Compute the accelerations after a jump: the projection of a + W dQ. On entry sys->correction
 * contains -dQ. */
static void jump_accelerations(struct lk_system *sys, struct euler *e)
{
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_euler_body *body = &e->body[b];
        struct lk_twist a = sys->now.motion[b].a, *jump = &sys->correction[b];
        double turn[3];

        lk_sym_mul(sys->W[b].inertia, jump->w, turn);
        for (int i = 0; i < 3; i++) {
            jump->v[i] *= -sys->W[b].mass;
            jump->w[i] = -turn[i];
            a.v[i] += jump->v[i];
            a.w[i] += jump->w[i];
        }
        load_body(sys, b, &a, body);
        for (int i = 0; i < Q; i++) {
            body->q[i] = body->old[0][i];
            body->v[i] = body->old[1][i];
            body->a[i] = body->old[2][i];
        }
    }
    factor_matrix(sys, e);
    project_accelerations(sys, e, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++)
        sys->next.motion[b].a = lk_euler_twist(e->body[b].q, e->body[b].a);
}

/* Compute the Jacobians at the start of the step, with the rotation matrix A(p) of the paper. */
static void scale_start(struct lk_system *sys, const struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++)
        scale_rotation(sys, b, e->body[b].old[0] + P);
    lk_evaluate_jacobians(sys);
}

static void absorb_jumps(struct lk_system *sys, struct euler *e, const double *inputs)
{
    if (is_printed(sys))
        scale_start(sys, e);
    if (sys->n_stops > 0) {
        lk_loads_release_stops(sys, 0);
        begin_jumps(sys, inputs);
        lk_loads_subtract_stops(sys, 0, sys->correction);
        jump_accelerations(sys, e);
        lk_loads_decide_stops(sys, 0);
        for (int r = 0; r < sys->n_rows; r++)
            sys->next.lambda[r] = sys->now.lambda[r];
    }
    begin_jumps(sys, inputs);
    lk_loads_subtract_stops(sys, 1, sys->correction);
    jump_accelerations(sys, e);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < Q; i++)
            e->body[b].old[2][i] = e->body[b].a[i];
    /* drives act against a jump from the start of the step; the trapezoidal rule assumes half of
     * it */
    sys->next.balance->work_drive += 0.5 * sys->h *
                                     (lk_loads_drive_power(sys, sys->next.lambda, 0) -
                                      lk_loads_drive_power(sys, sys->now.lambda, 0));
}

/* Predict the motion.
 * Return: whether every body turns by less than half a turn, the limit of ali3.c. */
static bool predict_motion(struct lk_system *sys, struct euler *e)
{
    double widest = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        widest = lk_max(widest, lk_euler_predict(sys->h, &e->body[b]));
        place_body(sys, e, b);
    }
    return widest < M_PI * M_PI;
}

/* Set the pose of the new state. The default form scales p to |p| = 1 up to round-off, and factors
 * the matrix at this pose. */
static void accept_pose(struct lk_system *sys, struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->next.motion[b];
        double *q = e->body[b].q, scale = 1 / sqrt(lk_euler_inner(q + P, q + P));

        for (int i = 0; i < 3; i++)
            m->x[i] = q[i];
        for (int i = 0; i < 4; i++) {
            m->q[i] = scale * q[P + i];
            q[P + i] = is_printed(sys) ? q[P + i] : m->q[i];
        }
        sys->twist[b] = lk_euler_twist(q, e->body[b].v);
    }
    lk_evaluate_poses(sys, &sys->next);
    for (int b = 0; b < sys->n_bodies && is_printed(sys); b++)
        scale_rotation(sys, b, e->body[b].q + P);
    lk_evaluate_jacobians(sys);
    lk_loads_slide(sys);
    if (sys->n_stops > 0)
        lk_loads_release_stops(sys, 1);
    if (!is_printed(sys))
        factor_matrix(sys, e);
    /* Phi_q delta Phi_q^T is the matrix of ali3.c, so the pivots come from the factor of ali3.c */
    if (sys->shows_condition)
        lk_evaluate_factor(sys);
}

static void accept_rates(struct lk_system *sys, const struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_euler_along along = lk_euler_along_body(&e->body[b]);

        sys->next.motion[b].v = sys->twist[b];
        sys->next.motion[b].a = lk_euler_twist(e->body[b].q, e->body[b].a);
        if (is_printed(sys))
            memcpy(sys->next.own + b * ALONG, &along, sizeof(along));
    }
}

/* Set the constants of body @b for this step, and the state at the start of the step. */
static void begin_body(const struct lk_system *sys, int b, struct lk_euler_body *body)
{
    const struct lk_quad *quad = &sys->quad[b / 4];
    const double *J = sys->sW[b].inertia;

    body->soft = sys->penalty > 0 ? 1 / sys->penalty : NORM_EPS * (J[0] + J[1] + J[2]) / 3;
    for (int i = 0; i < 2; i++) {
        body->start_a[i] = quad->start_a[i][b % 4];
        body->massless[i] = quad->massless[i][b % 4];
    }
    load_body(sys, b, &sys->now.motion[b].a, body);
}

/* Apply the restitution of impacts with the factor and the functions of ali3.c. */
static void apply_restitution(struct lk_system *sys, struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        sys->next.motion[b].v = sys->twist[b];
    }
    lk_evaluate_factor(sys);
    lk_keep_coordinates(sys);
    lk_evaluate_rebounds(sys);
    lk_evaluate_correction(sys);
    lk_bounce_back(sys, &sys->next);
    lk_evaluate_twists(sys, &sys->next);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_euler_body *body = &e->body[b];

        for (int i = 0; i < 3; i++)
            body->v[i] = sys->twist[b].v[i];
        lk_euler_turn_to_rate(body->q + P, 0.5, sys->twist[b].w, body->v + P);
    }
}

static int euler_step(struct lk_system *sys, const double *inputs)
{
    struct euler *e = sys->formulation_data;
    bool turns_are_small;

    for (int b = 0; b < sys->n_bodies; b++)
        begin_body(sys, b, &e->body[b]);
    if (sys->n_jumps > 0)
        absorb_jumps(sys, e, inputs);
    lk_drives_advance(sys, inputs);
    turns_are_small = predict_motion(sys, e);
    for (int i = 0; i < sys->iterations; i++)
        iterate_newton(sys, e, inputs, i);
    accept_pose(sys, e);
    if (is_printed(sys))
        project_accelerations(sys, e, NULL);
    project_velocities(sys, e);
    if (sys->n_stops > 0)
        apply_restitution(sys, e);
    if (!is_printed(sys))
        project_accelerations(sys, e, NULL);
    accept_rates(sys, e);
    if (is_printed(sys)) {
        lk_evaluate_poses(sys, &sys->next);
        lk_evaluate_jacobians(sys);
    }
    return turns_are_small ? 0 : LK_E_TURN;
}

static int own_size(int n_bodies)
{
    return n_bodies * ALONG;
}

/* Set the components along p for a state that is not the result of a step, such as the initial
 * state. */
static void begin_along(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_euler_along along = lk_euler_along_motion(&sys->now.motion[b], &sys->body[b]);

        memcpy(sys->now.own + b * ALONG, &along, sizeof(along));
    }
}

static int shares_work(const struct lk_system *sys)
{
    (void)sys;
    return 1;
}

const struct lk_formulation lk_formulation_euler = {
    .name = "ali3",
    .step = euler_step,
    .layout = euler_layout,
    .has_no_hubs = 1,
    .shares_work = shares_work,
    .wants_wide_tree = 1,
};

const struct lk_formulation lk_formulation_euler_as_printed = {
    .name = "ali3",
    .step = euler_step,
    .layout = euler_layout,
    .own_size = own_size,
    .begin = begin_along,
    .has_no_hubs = 1,
    .shares_work = shares_work,
    .wants_wide_tree = 1,
};
