/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` with `coordinates: euler-parameters`: the method in the form of the index-3
 * DCA paper (Nonlinear Dynamics, 2018), for comparison with ali3.c.
 *
 * Each body has seven coordinates, q = (x, p) with Euler parameters p. A penalty enforces
 * Psi = p.p - 1 = 0. Equations of motion, eqs. (7)-(9) and (12):
 *
 *     g = M q'' + Phi_q^T lambda + Psi_q^T mu - Q = 0,   M = diag(m, 4 G^T J G),   w = 2 G p'
 *
 * Trapezoidal rule on the coordinates, eqs. (15), (16), with u = q - q_old:
 *
 *     q' = 2/h u - q_old',      q'' = 4/h^2 u - 4/h q_old' - q_old''
 *
 * One Newton iteration, s = h^2/4, lambda += alpha Phi and mu += alpha Psi, eqs. (21)-(27), (34):
 *
 *     (M + s Psi_q^T alpha Psi_q) dq + s Phi_q^T dlambda = -s (g + Psi_q^T alpha Psi)
 *     dlambda = alpha (Phi + Phi_q dq),                   dmu = alpha (Psi + Psi_q dq)
 *
 * (the sign of the last term is misprinted in the paper), solved by the recursion of
 * methods/delta.h. Mass-orthogonal projections with the same recursion, eqs. (40)-(69).
 *
 * Where this differs from the paper:
 *  - Rotation matrices are those of p / |p|. Then d theta = 2 G dp / |p|^2, the Jacobian is
 *    [Phi_x, 2 Phi_theta G / |p|^2], whose component along p is zero: rows do not depend on |p|.
 *    The inverse of the 4 x 4 matrix of rotation is
 *    G^T J^-1 G / (4 |p|^4) + p p^T / (4 s alpha |p|^4).
 *    Dynamics are as in the paper at any |p|. At the start and end of a step |p| = 1, up to
 *    round-off.
 *  - The projections have a fresh factor at the final pose, and they solve for the correction,
 *    q' - q'* instead of q', which is the same with less round-off. lambda += s kappa, as in
 *    ali3.c.
 *  - alpha is 1/E of ali3.c, row by row, unless the model sets a number. With such a number the
 *    multipliers do not leak (ali3.c), because E lambda may then be a large violation.
 *  - mu is not stored between steps: at a consistent state mu = w.J w. */
#include "maths/vec.h"
#include "methods/delta.h"
#include "step/elements/air.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/system.h"
#include <stdbool.h>

#define Q LK_DELTA_Q
#define P 4 /* index of p in the eight stored coordinates */

/* 1/alpha of the normalisation relative to s times the mean of J^-1. It affects only |p| between
 * two iterations: there is no mass along p, and no row depends on |p|. */
#define NORM_EPS 1e-8

/** struct euler_body - a body within a step.
 * @old:  q, q', q'' at the start of the step;  @u: q - q_old;  @q, @v, @a: q, q', q''
 * @g:    eq. (12);  @p: Euler parameters of the factor;  @pp: p.p;  @soft: 1/alpha of the
 *        normalisation
 * @start_a, @massless: see struct lk_quad */
struct euler_body {
    double old[3][Q];
    double u[Q];
    double q[Q];
    double v[Q];
    double a[Q];
    double g[Q];
    double p[4];
    double pp;
    double mu;
    double soft;
    double start_a[2];
    double massless[2];
};

/** struct euler - private state of this formulation. @soft: 1/alpha of each row. */
struct euler {
    struct euler_body *body;
    struct lk_delta delta;
    double *soft;
};

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
    r = lk_delta_layout(&e.delta, topology, plan, arena);
    if (arena->base) {
        *place = e;
        sys->formulation_data = place;
    }
    return r;
}

/* ---- Euler parameters ---- */

/* Compute r = scale p o (0, w), which is G^T w, where G belongs to p. */
LK_INLINE void turn_to_rate(const double p[4], double scale, const double w[3], double r[4])
{
    const double pure[4] = {0, w[0], w[1], w[2]};

    lk_quat_mul(p, pure, r);
    for (int i = 0; i < 4; i++)
        r[i] *= scale;
}

/* Compute w = scale G y, the vector part of conj(p) o y. */
LK_INLINE void rate_to_turn(const double p[4], double scale, const double y[4], double w[3])
{
    const double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    double r[4];

    lk_quat_mul(conjugate, y, r);
    for (int i = 0; i < 3; i++)
        w[i] = scale * r[i + 1];
}

LK_INLINE double inner4(const double a[4], const double b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/* Compute the six velocities of ali3.c from a rate of q: w = 2 G p' / |p|^2. */
static struct lk_twist twist_of(const double q[Q], const double rate[Q])
{
    struct lk_twist t = {{rate[0], rate[1], rate[2]}, {0}};

    rate_to_turn(q + P, 2 / inner4(q + P, q + P), rate + P, t.w);
    return t;
}

/* ---- a body within a step ---- */

/* Set q, q', q'' of a body: p' = 1/2 p o (0, w), p'' = 1/2 p o (0, al) - 1/4 w.w p. @a: may
 * differ from the accelerations in the state by an input jump */
static void load_body(const struct lk_motion *m, const struct lk_twist *a,
                      const struct lk_body *def, struct euler_body *body)
{
    double Jw[3];

    for (int i = 0; i < 3; i++) {
        body->old[0][i] = m->x[i];
        body->old[1][i] = m->v.v[i];
        body->old[2][i] = a->v[i];
    }
    turn_to_rate(m->q, 0.5, m->v.w, body->old[1] + P);
    turn_to_rate(m->q, 0.5, a->w, body->old[2] + P);
    for (int i = 0; i < 4; i++) {
        body->old[0][P + i] = m->q[i];
        body->old[2][P + i] -= 0.25 * lk_dot(m->v.w, m->v.w) * m->q[i];
    }
    lk_sym_mul(def->inertia, m->v.w, Jw);
    body->mu = lk_dot(m->v.w, Jw);
}

/* Apply the trapezoidal rule, eqs. (15), (16). See ali3.c for bodies without inertia. */
static void trapezoidal(double h, struct euler_body *body)
{
    double rate = 2 / h;

    for (int i = 0; i < Q; i++) {
        double change, a;

        body->q[i] = body->old[0][i] + body->u[i];
        body->v[i] = rate * body->u[i] - body->old[1][i];
        change = body->v[i] - body->old[1][i];
        a = rate * change - body->old[2][i];
        body->a[i] = a + body->massless[i / P] * (change / h - a);
    }
}

/* update the present coordinates, and the pose and motion that the joints use */
static void place_body(struct lk_system *sys, int b, struct euler_body *body)
{
    double n[4], scale;

    trapezoidal(sys->h, body);
    scale = 1 / sqrt(inner4(body->q + P, body->q + P));
    for (int i = 0; i < 4; i++)
        n[i] = scale * body->q[P + i];
    for (int i = 0; i < 3; i++)
        sys->pose[b].x[i] = body->q[i];
    lk_quat_matrix(n, sys->pose[b].R);
    sys->twist[b] = twist_of(body->q, body->v);
}

/* Compute g of eq. (12). @sum: Phi_q^T lambda - Q in the six directions of ali3.c */
static void body_residual(const struct lk_body *def, const struct lk_twist *sum,
                          struct euler_body *body)
{
    const double *p = body->q + P, *rate = body->v + P;
    double turn[3], J[3], inertial[4], gyroscopic[4], applied[4];

    rate_to_turn(p, 2, body->a + P, turn);
    lk_sym_mul(def->inertia, turn, J);
    turn_to_rate(p, 2, J, inertial); /* 4 G^T J G p'' */
    rate_to_turn(p, 2, rate, turn);
    lk_sym_mul(def->inertia, turn, J);
    turn_to_rate(rate, 4, J, gyroscopic); /* 8 G'^T J G p', eq. (8) */
    turn_to_rate(p, 2 / inner4(p, p), sum->w, applied);
    for (int i = 0; i < 3; i++)
        body->g[i] = def->mass * body->a[i] + sum->v[i];
    for (int i = 0; i < 4; i++)
        body->g[P + i] = (inertial[i] + gyroscopic[i]) + applied[i] + 2 * body->mu * p[i];
}

/* ---- the linear system ---- */

/* Compute delta of a body: -s (M + s Psi_q^T alpha Psi_q)^-1, eq. (26), at the present p. */
static void body_delta(const struct lk_inverse_mass *sW, struct euler_body *body, double *delta)
{
    const double *p = body->p;
    double scale;

    for (int i = 0; i < 4; i++)
        body->p[i] = body->q[P + i];
    body->pp = inner4(p, p);
    scale = -0.25 / (body->pp * body->pp);
    for (int i = 0; i < Q * Q; i++)
        delta[i] = 0;
    for (int i = 0; i < 3; i++)
        delta[i * (Q + 1)] = -sW->mass;
    for (int k = 0; k < 4; k++) {
        double unit[4] = {0}, turn[3], J[3], column[4];

        unit[k] = 1;
        rate_to_turn(p, 1, unit, turn);
        lk_sym_mul(sW->inertia, turn, J);
        turn_to_rate(p, 1, J, column);
        for (int i = 0; i < 4; i++)
            delta[(P + i) * Q + P + k] = scale * (column[i] + body->soft * p[i] * p[k]);
    }
}

/* Compute [Phi_x, 0, 2 Phi_theta G / |p|^2] for all sides that are bodies. */
static void fill_rows(struct lk_system *sys, struct euler *e)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double *phi = e->delta.phi + e->delta.phi_at[i];

        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < j->n_rows && j->body[s] < sys->n_bodies; r++) {
                const struct euler_body *body = &e->body[j->body[s]];
                double *to = phi + (s * j->n_rows + r) * Q, row[6];

                lk_jacobian_row(sys->jacobian[i], s, r, row);
                for (int k = 0; k < 3; k++)
                    to[k] = row[k];
                turn_to_rate(body->p, 2 / body->pp, row + 3, to + P);
            }
    }
}

/* factor the matrix at the present coordinates and the Jacobians of their pose */
static void factor_matrix(struct lk_system *sys, struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++)
        body_delta(&sys->sW[b], &e->body[b], e->delta.delta + b * Q * Q);
    fill_rows(sys, e);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = j->row; r < j->row + j->n_rows; r++)
            e->soft[r] =
                sys->penalty > 0 && !lk_is_compliant(j) ? 1 / sys->penalty : sys->regular[r];
    }
    lk_delta_factor(&e->delta, e->soft);
}

/* Compute delta_i3 of eq. (27), sign corrected: delta g - p Psi / (2 p.p); alpha cancels in the
 * last term. */
static void newton_bias(const double *delta, struct euler_body *body, double *bias)
{
    double psi = inner4(body->q + P, body->q + P) - 1;

    for (int i = 0; i < Q; i++) {
        double sum = 0;

        for (int k = 0; k < Q; k++)
            sum += delta[i * Q + k] * body->g[k];
        bias[i] = sum;
    }
    for (int i = 0; i < 4; i++)
        bias[P + i] -= 0.5 * psi / body->pp * body->p[i];
}

/* ---- Newton iterations ---- */

/* A compliant row has the law lambda = f(Phi, dPhi/dt): 1/alpha is the inverse of its tangent at
 * the predicted pose, and the residual of the law replaces Phi. For end stops see ali3.c. */
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

/* Write Phi to the right-hand side, and add Phi_q^T lambda to the sums of the bodies. Both, and
 * the Jacobians of the system, are those of the present pose. The recursion keeps the Jacobian
 * of the factor. */
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
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] =
                !lk_is_compliant(j) ? phi[r] : law_residual(sys, j, r, phi[r], rates[r], iteration);
    }
}

/* let multipliers of redundant rows decay at the rate at which they are generated, see ali3.c */
static void leak_multipliers(struct lk_system *sys, const struct euler *e)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = j->row; r < j->row + lk_rigid_rows(j); r++)
            sys->solution[r] -= e->soft[r] * sys->next.lambda[r];
    }
}

/* Add the increments: u += dq, mu += dmu. From the equations of the increment, dmu = -p.g / (2
 * p.p) for every alpha, because no other term acts along p. Return: the largest increment, in m
 * or rad. */
static double move_body(struct euler_body *body, const double *dq)
{
    double largest = 0;

    for (int i = 0; i < Q; i++) {
        body->u[i] += dq[i];
        largest = lk_max(largest, (i < P ? 1 : 2) * fabs(dq[i]));
    }
    body->mu -= 0.5 * inner4(body->p, body->g + P) / body->pp;
    return largest;
}

static void iterate_newton(struct lk_system *sys, struct euler *e, const double *inputs,
                           int iteration)
{
    double t = (sys->now.balance->steps + 1) * sys->h, largest = 0;

    row_residual(sys, iteration);
    lk_loads_subtract(sys, t, inputs, sys->residual);
    if (iteration == 0)
        factor_matrix(sys, e);
    if (sys->leak_always || (iteration == 0 && sys->penalty == 0))
        leak_multipliers(sys, e);
    for (int b = 0; b < sys->n_bodies; b++) {
        body_residual(&sys->body[b], &sys->residual[b], &e->body[b]);
        newton_bias(e->delta.delta + b * Q * Q, &e->body[b], e->delta.bias + b * Q);
    }
    lk_delta_solve(&e->delta, sys->solution);
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] += sys->solution[r];
    for (int b = 0; b < sys->n_bodies; b++) {
        largest = lk_max(largest, move_body(&e->body[b], e->delta.bias + b * Q));
        place_body(sys, b, &e->body[b]);
    }
    sys->next.balance->increment = largest;
}

/* ---- projections ---- */

/* Project the velocities, eqs. (40)-(54), solved for q' - q'*. The norm has the bias -p (p.p') /
 * p.p for every alpha. */
static void project_velocities(struct lk_system *sys, struct euler *e)
{
    lk_evaluate_velocity_violation(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct euler_body *body = &e->body[b];
        double *bias = e->delta.bias + b * Q;
        double rate = inner4(body->p, body->v + P) / body->pp;

        for (int i = 0; i < 4; i++) {
            bias[i] = 0;
            bias[P + i] = -rate * body->p[i];
        }
    }
    lk_delta_solve(&e->delta, sys->solution);
    for (int b = 0; b < sys->n_bodies; b++) {
        for (int i = 0; i < Q; i++)
            e->body[b].v[i] += e->delta.bias[b * Q + i];
        sys->twist[b] = twist_of(e->body[b].q, e->body[b].v);
    }
}

/* Project the accelerations, eqs. (55)-(69), solved for q'' - q''*. The norm has the bias -p
 * (p.p'' + p'.p') / p.p. */
static void project_accelerations(struct lk_system *sys, struct euler *e,
                                  const struct lk_twist *jump)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct euler_body *body = &e->body[b];
        double *bias = e->delta.bias + b * Q;
        double rate = (inner4(body->p, body->a + P) + inner4(body->v + P, body->v + P)) / body->pp;

        sys->next.motion[b].a = twist_of(body->q, body->a);
        for (int i = 0; i < 4; i++) {
            bias[i] = 0;
            bias[P + i] = -rate * body->p[i];
        }
    }
    lk_evaluate_acceleration_violation(sys, &sys->next, jump);
    lk_delta_solve(&e->delta, sys->solution);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < Q; i++)
            e->body[b].a[i] += e->delta.bias[b * Q + i];
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] += sys->s * sys->solution[r];
}

/* ---- the step ---- */

/* Compute the jumps at the start of a step. As in ali3.c, inputs may jump and stops may open
 * there, and accelerations and multipliers jump with them. The Jacobians are still valid for
 * this pose. The matrix is factored again, so that a step depends on the state only. */
static void begin_jumps(struct lk_system *sys, const double *inputs)
{
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->correction[b] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
}

/* Compute the projection of a + W dQ, where sys->correction holds -dQ. */
static void jump_accelerations(struct lk_system *sys, struct euler *e)
{
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct euler_body *body = &e->body[b];
        struct lk_twist a = sys->now.motion[b].a, *jump = &sys->correction[b];
        double turn[3];

        lk_sym_mul(sys->W[b].inertia, jump->w, turn);
        for (int i = 0; i < 3; i++) {
            jump->v[i] *= -sys->W[b].mass;
            jump->w[i] = -turn[i];
            a.v[i] += jump->v[i];
            a.w[i] += jump->w[i];
        }
        load_body(&sys->now.motion[b], &a, &sys->body[b], body);
        for (int i = 0; i < Q; i++) {
            body->q[i] = body->old[0][i];
            body->v[i] = body->old[1][i];
            body->a[i] = body->old[2][i];
        }
    }
    factor_matrix(sys, e);
    project_accelerations(sys, e, sys->correction);
    for (int b = 0; b < sys->n_bodies; b++)
        sys->next.motion[b].a = twist_of(e->body[b].q, e->body[b].a);
}

static void absorb_jumps(struct lk_system *sys, struct euler *e, const double *inputs)
{
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
    /* drives push against a jump from the beginning of the step, not from half of it */
    sys->next.balance->work_drive +=
        0.5 * sys->h *
        (lk_loads_drive_power(sys, &sys->next) - lk_loads_drive_power(sys, &sys->now));
}

/* Predict q + h q' + h^2/2 q'', without al for light bodies (ali3.c). Return: square of the
 * angle by which the body would turn. */
static double predict_body(double h, struct euler_body *body)
{
    struct lk_twist v = twist_of(body->old[0], body->old[1]);
    struct lk_twist a = twist_of(body->old[0], body->old[2]);
    double theta[3], dropped[4];

    turn_to_rate(body->old[0] + P, 0.5 * (1 - body->start_a[1]), a.w, dropped);
    for (int i = 0; i < 3; i++) {
        theta[i] = h * v.w[i] + 0.5 * h * h * body->start_a[1] * a.w[i];
        body->u[i] = h * body->old[1][i] + 0.5 * h * h * body->start_a[0] * body->old[2][i];
    }
    for (int i = 0; i < 4; i++)
        body->u[P + i] = h * body->old[1][P + i] + 0.5 * h * h * (body->old[2][P + i] - dropped[i]);
    return lk_dot(theta, theta);
}

/* Return: whether every turn is less than half a turn, which is the bound of ali3.c */
static bool predict_motion(struct lk_system *sys, struct euler *e)
{
    double widest = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        widest = lk_max(widest, predict_body(sys->h, &e->body[b]));
        place_body(sys, b, &e->body[b]);
    }
    return widest < M_PI * M_PI;
}

/* Set the pose of the state, |p| = 1 to round-off, and compute the factor at this pose. */
static void accept_pose(struct lk_system *sys, struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->next.motion[b];
        double *q = e->body[b].q, scale = 1 / sqrt(inner4(q + P, q + P));

        for (int i = 0; i < 3; i++)
            m->x[i] = q[i];
        for (int i = 0; i < 4; i++) {
            q[P + i] *= scale;
            m->q[i] = q[P + i];
        }
        sys->twist[b] = twist_of(q, e->body[b].v);
    }
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_loads_slide(sys);
    if (sys->n_stops > 0)
        lk_loads_release_stops(sys, 1);
    factor_matrix(sys, e);
    /* pivots of the factor: Phi_q delta Phi_q^T is the matrix of ali3.c */
    if (sys->shows_condition)
        lk_evaluate_factor(sys);
}

static void accept_rates(struct lk_system *sys, const struct euler *e)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        sys->next.motion[b].v = sys->twist[b];
        sys->next.motion[b].a = twist_of(e->body[b].q, e->body[b].a);
    }
}

/* Set the constants of body @b, and the state at the start of the step. */
static void begin_body(const struct lk_system *sys, int b, struct euler_body *body)
{
    const struct lk_quad *quad = &sys->quad[b / 4];
    const double *J = sys->sW[b].inertia;

    body->soft = sys->penalty > 0 ? 1 / sys->penalty : NORM_EPS * (J[0] + J[1] + J[2]) / 3;
    for (int i = 0; i < 2; i++) {
        body->start_a[i] = quad->start_a[i][b % 4];
        body->massless[i] = quad->massless[i][b % 4];
    }
    load_body(&sys->now.motion[b], &sys->now.motion[b].a, &sys->body[b], body);
}

/* Apply the restitution of impacts as in ali3.c, with the factor of ali3.c. */
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
        struct euler_body *body = &e->body[b];

        for (int i = 0; i < 3; i++)
            body->v[i] = sys->twist[b].v[i];
        turn_to_rate(body->q + P, 0.5, sys->twist[b].w, body->v + P);
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
    project_velocities(sys, e);
    if (sys->n_stops > 0)
        apply_restitution(sys, e);
    project_accelerations(sys, e, NULL);
    accept_rates(sys, e);
    return turns_are_small ? 0 : LK_E_TURN;
}

const struct lk_formulation lk_formulation_euler = {
    .name = "ali3",
    .step = euler_step,
    .layout = euler_layout,
    .has_no_hubs = 1,
};
