/* SPDX-License-Identifier: Apache-2.0 */
/* Order 3 and 4 by extrapolation (Deuflhard, Hairer, Zugck, One-step and extrapolation methods for
 * differential-algebraic systems, 1987; here for the projected trapezoidal rule).
 *
 * The error of the plain step, as a function of h, is e2 h^2 + e3 h^3 + e4 h^4 + ..., with odd
 * powers because the projections make the step unsymmetric. From one state the same stretch is
 * stepped once with h, twice with h/2 and for order 4 three times with h/3; the combinations
 *
 *     order 3:  -1/3 z(h) + 4/3 z(h/2)
 *     order 4:  1/12 z(h) - 4/3 z(h/2) + 9/4 z(h/3)
 *
 * are free of e2, and of e2 and e3. Positions, velocities, accelerations, multipliers and works are
 * combined as they are, orientations as rotation vectors from the finest sequence. What the joints
 * ask for is not linear: positions, velocities and accelerations are projected once more.
 *
 * Each sequence but the first is a system of its own, compiled from the same model with its own
 * step: it shares nothing with the others but the state that it begins with, so sequences may run
 * side by side. It keeps no state from one step to the next. Errors must have the same expansion in
 * h in all sequences, or they would not cancel: E of rigid rows is the same fraction of the
 * diagonal in all of them, and see settle_accelerations(). */
#include "step/extrapolate.h"
#include "maths/vec.h"
#include <string.h>

/* of the sequences with h, h/2, h/3 */
static const double weights[2][3] = {{-1.0 / 3, 4.0 / 3, 0}, {1.0 / 12, -4.0 / 3, 9.0 / 4}};

/* ---- accelerations that belong to a state ---- */

/* E of compliant rows: of the state, or so large that a projection leaves them alone */
static void couple_laws(struct lk_system *sys, int coupled)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] =
            coupled ? sys->now.tangent[i] : LK_DECOUPLED;
}

/* a = W (Q - gyroscopic - Phi_q^T lambda) of sys->now, with the forces of springs and dampers;
 * where there is no inertia, accelerations do not follow from forces and stay unchanged */
static void apply_forces(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f;
        double rate, x = lk_loads_law_place(sys, &sys->now, law, &rate);

        lk_law_evaluate(law, sys->term, x, rate, 1, &f);
        sys->now.lambda[sys->joint[law->joint].row + law->row] = f.elastic + f.dissipative;
    }
    lk_evaluate_transpose(sys, sys->now.lambda, sys->residual);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_loads_subtract(sys, lk_system_time(sys), inputs, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        const struct lk_twist *g = &sys->residual[b];
        struct lk_motion *m = &sys->now.motion[b];
        double Jw[3], torque[3], turn[3];

        lk_sym_mul(sys->body[b].inertia, m->v.w, Jw);
        lk_cross(m->v.w, Jw, torque);
        for (int i = 0; i < 3; i++)
            torque[i] += g->w[i];
        lk_sym_mul(sys->W[b].inertia, torque, turn);
        for (int i = 0; i < 3; i++) {
            m->a.v[i] = quad->massless[0][b % 4] > 0 ? m->a.v[i] : -sys->W[b].mass * g->v[i];
            m->a.w[i] = quad->massless[1][b % 4] > 0 ? m->a.w[i] : -turn[i];
        }
    }
}

/* Accelerations and multipliers at the end of a plain step correspond to its velocities before the
 * projection, and include the springs' response to the projections: they differ from those of the
 * state by c h^2. A sequence started from a combined state would show this difference in its first
 * step, an error c h^3 / n^3 that no combination cancels. So if forces depend on velocities, or
 * rows on springs, sub-steps begin with values of the state: forces, then the projection with rigid
 * rows only. */
static void settle_accelerations(struct lk_system *sys, const double *inputs)
{
    apply_forces(sys, inputs);
    couple_laws(sys, 0);
    if (sys->n_laws > 0)
        lk_evaluate_factor(sys);
    lk_project_accelerations(sys, &sys->now, NULL);
    couple_laws(sys, 1);
}

/* ---- sequences ---- */

/* whether a step uses poses, Jacobians or the factor of the previous one */
static int looks_back(const struct lk_system *sys)
{
    return sys->n_jumps + sys->n_loads + sys->n_laws + sys->n_drives > 0;
}

/* from sys->now through @parts steps of @sequence */
static int run_sequence(const struct lk_system *sys, struct lk_system *sequence, int parts,
                        const double *inputs)
{
    struct lk_state *from = &sequence->now;
    int r = 0;

    /* all but E of laws, which depends on the step */
    memcpy(from->block, sys->now.block,
           (size_t)(sys->now.tangent - sys->now.block) * sizeof(double));
    *from->balance = *sys->now.balance;
    from->balance->steps *= parts;
    if (looks_back(sequence))
        lk_start_renew(sequence);
    for (int i = 0; i < parts && r == 0; i++) {
        r = lk_system_step(sequence, inputs);
        if (r == 0 && sequence->settles && i < parts - 1)
            settle_accelerations(sequence, inputs);
    }
    return r;
}

/* ---- combination ---- */

/* @ret, of the first sequence, becomes the combination of @n doubles; @part: where they begin */
static void combine(const struct lk_system *sys, const double *weight, const double *part, size_t n)
{
    size_t at = (size_t)(part - sys->next.block);
    double *first = sys->next.block + at;

    for (size_t i = 0; i < n; i++) {
        double sum = weight[0] * first[i];

        for (int k = 0; k < sys->order - 2; k++)
            sum += weight[k + 1] * sys->sequence[k]->now.block[at + i];
        first[i] = sum;
    }
}

/* q = q_fine exp(sum of weight log(q_fine^-1 q)) */
static void combine_orientation(const struct lk_system *sys, const double *weight, int b)
{
    const double *fine = sys->sequence[sys->order - 3]->now.motion[b].q;
    const double inverse[4] = {fine[0], -fine[1], -fine[2], -fine[3]};
    double *q = sys->next.motion[b].q, sum[3] = {0}, turn[4], theta[3];

    for (int k = 0; k < sys->order - 2; k++) {
        lk_quat_mul(inverse, k == 0 ? q : sys->sequence[k - 1]->now.motion[b].q, turn);
        lk_rotation_log(turn, theta);
        for (int i = 0; i < 3; i++)
            sum[i] += weight[k] * theta[i];
    }
    lk_rotation_exp(sum, turn);
    lk_quat_mul(fine, turn, q);
    lk_quat_normalise(q);
}

static void combine_states(struct lk_system *sys)
{
    const double *weight = weights[sys->order - 3];
    struct lk_balance *balance = sys->next.balance;

    for (int b = 0; b < sys->n_bodies; b++) {
        combine_orientation(sys, weight, b);
        combine(sys, weight, sys->next.motion[b].x, 3);
        combine(sys, weight, sys->next.motion[b].v.v, 12);
    }
    combine(sys, weight, sys->next.lambda, (size_t)sys->n_rows);
    combine(sys, weight, &balance->work_input, 4);
    for (int k = 0; k < sys->order - 2; k++)
        balance->increment = lk_max(balance->increment, sys->sequence[k]->now.balance->increment);
}

/* ---- projection ---- */

/* dq = -s W Phi_q^T sigma, sigma from rhs Phi (0 for compliant rows) */
static void project_positions(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        lk_evaluate_violation(sys, i, sys->solution + j->row);
        for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
            sys->solution[j->row + r] = 0;
    }
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->next.motion[b];
        double theta[3], dq[4], q[4];

        for (int i = 0; i < 3; i++) {
            m->x[i] -= sys->correction[b].v[i];
            theta[i] = -sys->correction[b].w[i];
        }
        lk_rotation_exp(theta, dq);
        lk_quat_mul(m->q, dq, q);
        for (int i = 0; i < 4; i++)
            m->q[i] = q[i];
    }
}

int lk_extrapolate(struct lk_system *sys, const double *inputs)
{
    for (int k = 0; k < sys->order - 2; k++) {
        int r = run_sequence(sys, sys->sequence[k], k + 2, inputs);

        if (r != 0)
            return r;
    }
    combine_states(sys);
    /* the factor is still that of the first sequence: near enough for a Newton iteration */
    lk_evaluate_twists(sys, &sys->next);
    for (int i = 0; i < LK_EXTRAPOLATE_ROUNDS; i++)
        project_positions(sys);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
    lk_project_velocities(sys, &sys->next);
    lk_project_accelerations(sys, &sys->next, NULL);
    return lk_step_account(sys);
}
