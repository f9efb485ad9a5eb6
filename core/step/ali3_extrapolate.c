/* SPDX-License-Identifier: Apache-2.0 */
/* Order 3 and 4 of `ali3`, see extrapolate.c.
 *
 * The error of a step, as a function of h, is e2 h^2 + e3 h^3 + e4 h^4 + ..., with odd powers
 * because the projections make the step unsymmetric. The combinations
 *
 *     order 3:  -1/3 z(h) + 4/3 z(h/2)
 *     order 4:  1/12 z(h) - 4/3 z(h/2) + 9/4 z(h/3)
 *
 * are free of e2, and of e2 and e3. Errors must have the same expansion in h in all
 * sequences, or they would not cancel: E of rigid rows is the same fraction of the diagonal in all
 * of them, and see settle_accelerations(). */
#include "maths/vec.h"
#include "step/extrapolate.h"

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

/* whether a step uses poses, Jacobians or the factor of the previous one */
static int looks_back(const struct lk_system *sys)
{
    return sys->n_jumps + sys->n_loads + sys->n_laws + sys->n_drives > 0;
}

static void begin_sequence(const struct lk_system *sys, struct lk_system *sequence)
{
    (void)sys;
    if (looks_back(sequence))
        lk_start_renew(sequence);
}

static void finish_combination(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    /* the factor is still that of the first sequence: near enough for a Newton iteration */
    lk_evaluate_twists(sys, &sys->next);
    for (int i = 0; i < LK_EXTRAPOLATE_ROUNDS; i++)
        lk_extrapolate_project(sys);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
    lk_project_velocities(sys, &sys->next);
    lk_project_accelerations(sys, &sys->next, NULL);
}

const struct lk_extrapolation lk_extrapolation_ali3 = {
    .by = {{3, {-1.0 / 3, 4.0 / 3, 0}, 0.5}, {4, {1.0 / 12, -4.0 / 3, 9.0 / 4}, 1.0}},
    .n_solves = LK_EXTRAPOLATE_ROUNDS + 2,
    .begin = begin_sequence,
    .settle = settle_accelerations,
    .finish = finish_combination,
};
