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
 * side by side. It keeps no state from one step to the next. What a sequence is not told must not
 * differ in kind, or it would not cancel: E of rigid rows is the same part of the diagonal in all
 * of them, and see settle(). */
#include "step/extrapolate.h"
#include "maths/vec.h"
#include <stdio.h>
#include <string.h>

#define DECAY_MAX    2.0 /* c / m h of a damped motion: critical damping at 1 rad a step */
#define POWER_ROUNDS 100

/* of the sequences with h, h/2, h/3 */
static const double weights[2][3] = {{-1.0 / 3, 4.0 / 3, 0}, {1.0 / 12, -4.0 / 3, 9.0 / 4}};

/* [rad] of a mode in a step. Order 3 lets an undamped mode grow by 1.2e-5 a step at the limit, 6e-4
 * at 1; order 4 damps it up to 1.7, then both run away: by 5/3 and 3.7 a step for a stiff mode. */
static const double swing_max[2] = {0.5, 1.0};
#define SWING_MAX_RK4 1.0 /* damps 0.7 % a step; runs away from 2.8 on */

/* ---- accelerations that belong to a state ---- */

/* E of compliant rows: of the state, or so large that a projection leaves them alone */
static void couple_laws(struct lk_system *sys, int coupled)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] =
            coupled ? sys->now.tangent[i] : LK_DECOUPLED;
}

/* a = W (Q - gyroscopic - Phi_q^T lambda) of sys->now, with what springs and dampers do there;
 * where there is no inertia accelerations do not follow from forces and stay */
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

/* Accelerations and multipliers that a plain step leaves behind go with its velocities before they
 * are projected, and with what springs had of the projections: they are c h^2 beside those of the
 * state. A sequence that begins with those of a combined state would find that in its first step,
 * an error c h^3 / n^3 that no combination takes away. So where forces depend on velocities, or
 * rows on springs, sub-steps begin with what belongs to the state: forces, then the projection with
 * rigid rows only. */
static void settle(struct lk_system *sys, const double *inputs)
{
    apply_forces(sys, inputs);
    couple_laws(sys, 0);
    if (sys->n_laws > 0)
        lk_evaluate_factor(sys);
    lk_project_accelerations(sys, &sys->now, NULL);
    couple_laws(sys, 1);
}

/* ---- sequences ---- */

/* whether a step looks at poses, Jacobians or the factor that the last one left behind */
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
    *from->books = *sys->now.books;
    from->books->steps *= parts;
    if (looks_back(sequence))
        lk_start_renew(sequence);
    for (int i = 0; i < parts && r == 0; i++) {
        r = lk_system_step(sequence, inputs);
        if (r == 0 && sequence->settles && i < parts - 1)
            settle(sequence, inputs);
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
    struct lk_books *books = sys->next.books;

    for (int b = 0; b < sys->n_bodies; b++) {
        combine_orientation(sys, weight, b);
        combine(sys, weight, sys->next.motion[b].x, 3);
        combine(sys, weight, sys->next.motion[b].v.v, 12);
    }
    combine(sys, weight, sys->next.lambda, (size_t)sys->n_rows);
    combine(sys, weight, &books->work_input, 4);
    for (int k = 0; k < sys->order - 2; k++)
        books->increment = lk_max(books->increment, sys->sequence[k]->now.books->increment);
}

/* ---- projection ---- */

/* dq = -s W Phi_q^T sigma, sigma from rhs Phi (0 for compliant rows) */
static void project_positions(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        lk_evaluate_violation(sys, i, sys->solution + j->row);
        for (int r = j->n_rigid; r < j->n_rows; r++)
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

/* ---- when a model is compiled ---- */

/* stiffness or damping of a law, which is linear, or steepest where nothing slips */
static double tangent_of(const struct lk_system *sys, int i, int is_damping)
{
    struct lk_law_value f;

    lk_law_evaluate(&sys->law[i], sys->term, 0, -sys->law[i].carry, 1, &f);
    return is_damping ? f.damping : f.stiffness;
}

/* whether sub-steps have to settle: bodies with unequal moments, springs, dampers */
static int has_feedback(const struct lk_system *sys)
{
    int found = 0;

    for (int i = 0; i < sys->n_laws; i++)
        found |= tangent_of(sys, i, 0) > 0 || tangent_of(sys, i, 1) > 0;
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *J = sys->body[b].inertia;

        found |= J[0] != J[1] || J[1] != J[2] || J[3] != 0 || J[4] != 0 || J[5] != 0;
    }
    return found;
}

void lk_extrapolate_adopt(const struct lk_system *sys, struct lk_system *seq)
{
    seq->winding = 0.5 * seq->h;
    seq->is_part = 1;
    seq->settles = has_feedback(seq);
    for (int i = 0; i < sys->n_joints; i++) {
        memcpy(seq->joint[i].p, sys->joint[i].p, sizeof(sys->joint[i].p));
        memcpy(seq->joint[i].f, sys->joint[i].f, sizeof(sys->joint[i].f));
    }
    for (int r = 0; r < sys->n_rows; r++)
        seq->regular[r] = sys->regular[r] * (seq->s / sys->s);
    for (int i = 0; i < seq->n_laws; i++) {
        const struct lk_law *law = &seq->law[i];
        struct lk_law_value f;

        lk_law_evaluate(law, seq->term, 0, -law->carry, 1, &f);
        seq->now.tangent[i] = lk_law_regular(&f, seq->h);
        seq->regular[seq->joint[law->joint].row + law->row] = seq->now.tangent[i];
    }
}

/* what no step of higher order can follow, as "friction 'brake'", or "" */
static void find_kink(const struct lk_model *m, char *text, size_t room)
{
    for (int i = 0; i < m->n_forces && !text[0]; i++) {
        const struct lk_force_def *f = &m->forces[i];
        const char *kind = f->type == LK_FORCE_FRICTION                       ? "friction"
                           : f->type == LK_FORCE_STOP                         ? "the stop"
                           : f->stiffness_table >= 0 || f->damping_table >= 0 ? "the table of"
                                                                              : NULL;

        if (kind && f->type <= LK_FORCE_STOP)
            snprintf(text, room, "%s '%s'", kind, f->name);
    }
    for (int i = 0; i < m->n_drives && !text[0]; i++)
        if (m->drives[i].type == LK_DRIVE_INPUT)
            snprintf(text, room, "a drive of '%s' from an input",
                     m->joints[m->drives[i].joint].name);
    if (!text[0] && m->solver.coordinates != LK_COORDINATES_LIE)
        snprintf(text, room, "coordinates: euler-parameters");
    if (!text[0] && m->solver.soft_redundancy)
        snprintf(text, room, "redundancy: soft");
}

static int lacks_inertia(const struct lk_system *sys, int b)
{
    const struct lk_quad *q = &sys->quad[b / 4];
    int lane = b % 4;

    return q->massless[0][lane] > 0 || q->massless[1][lane] > 0 || q->thin[0][lane] != 0 ||
           q->thin[1][lane] != 0 || q->thin[2][lane] != 0;
}

/* a body whose accelerations do not follow from forces; -1: none */
static int find_massless(const struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        if (lacks_inertia(sys, b))
            return sys->body[b].of;
    return -1;
}

/* the same as it makes a mechanism swing or brake: where a formulation takes bodies without
 * inertia, a spring at one of them is in balance and swings with nothing */
static double tangent_at_work(const struct lk_system *sys, int i, int is_damping)
{
    const struct lk_joint *j = &sys->joint[sys->law[i].joint];

    for (int s = 0; s < j->n_sides && sys->formulation->is_explicit; s++)
        if (j->body[s] < sys->n_bodies && lacks_inertia(sys, j->body[s]))
            return 0;
    return tangent_of(sys, i, is_damping);
}

/* s a, of every body, under the forces @lambda of compliant rows, rigid rows holding:
 * s a = s W (Phi_q^T lambda - Phi_q^T sigma); the factor is one of the rigid rows alone */
static void respond(struct lk_system *sys, const double *lambda)
{
    lk_evaluate_transpose(sys, lambda, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *a = &sys->residual[b];
        double turn[3];

        lk_sym_mul(sys->sW[b].inertia, a->w, turn);
        for (int i = 0; i < 3; i++) {
            a->v[i] *= sys->sW[b].mass;
            a->w[i] = turn[i];
        }
    }
    lk_evaluate_clear_frames(sys, sys->residual);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, i, sys->residual, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = r < j->n_rigid ? rates[r] : 0;
    }
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sys->residual[b].v[i] -= sys->correction[b].v[i];
            sys->residual[b].w[i] -= sys->correction[b].w[i];
        }
}

/* one round of the power iteration, @u := K^1/2 Phi A Phi^T K^1/2 u over the compliant rows, A the
 * inverse mass that rigid rows leave; returns by how much |u| = 1 has grown, @ret_law: of the most
 */
static double grow(struct lk_system *sys, int is_damping, double *u, int *ret_law)
{
    double square = 0, most = 0;

    memset(sys->next.lambda, 0, (size_t)sys->n_rows * sizeof(double));
    for (int i = 0; i < sys->n_laws; i++)
        sys->next.lambda[sys->joint[sys->law[i].joint].row + sys->law[i].row] =
            sqrt(tangent_at_work(sys, i, is_damping)) * u[i];
    respond(sys, sys->next.lambda);
    for (int i = 0; i < sys->n_laws; i++) {
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, sys->law[i].joint, sys->residual, rates);
        u[i] = sqrt(tangent_at_work(sys, i, is_damping)) * rates[sys->law[i].row] / sys->s;
        square += u[i] * u[i];
        if (fabs(u[i]) > most) {
            most = fabs(u[i]);
            *ret_law = i;
        }
    }
    for (int i = 0; i < sys->n_laws && square > 0; i++)
        u[i] /= sqrt(square);
    return sqrt(square);
}

/* Square of the fastest frequency of all springs at work on the whole mechanism as it starts
 * [rad^2/s^2], or the fastest rate at which its dampers stop a motion [1/s]. */
static double fastest(struct lk_system *sys, int is_damping, int *ret_law)
{
    double *u = sys->next.tangent, found = 0;

    for (int i = 0; i < sys->n_laws; i++) {
        u[i] = cos(i) / sqrt(sys->n_laws); /* no mode of a mechanism is like this */
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
    }
    lk_evaluate_factor(sys);
    for (int round = 0; round < POWER_ROUNDS && sys->n_laws > 0; round++)
        found = grow(sys, is_damping, u, ret_law);
    lk_start_renew(sys);
    return found;
}

/* the element that gives a law most of its stiffness or damping, or the joint that is compliant */
static const char *name_of_law(const struct lk_system *sys, const struct lk_model *m, int i,
                               int is_damping)
{
    const struct lk_law *law = &sys->law[i];
    const struct lk_term *found = &sys->term[law->first_term];

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        const struct lk_term *t = &sys->term[k];

        if (is_damping ? t->damping > found->damping : t->stiffness > found->stiffness)
            found = t;
    }
    return found->force >= 0 ? m->forces[found->force].name : sys->joint_name[law->joint];
}

int lk_extrapolate_check(struct lk_system *sys, const struct lk_model *model,
                         struct lk_error *ret_error)
{
    int is_explicit = sys->formulation->is_explicit, takes_massless = lk_explicit_massless(sys);
    const char *instead = is_explicit ? "formulation ali3" : "order 2";
    char kink[LK_NAME_SIZE + 40] = "", what[LK_NAME_SIZE + 16];
    double swing, decay, most = is_explicit ? SWING_MAX_RK4 : swing_max[sys->order - 3];
    int spring = 0, damper = 0, massless = is_explicit ? find_massless(sys) : -1;

    if (is_explicit)
        snprintf(what, sizeof(what), "formulation %s", model->solver.formulation);
    else
        snprintf(what, sizeof(what), "order %d", sys->order);
    find_kink(model, kink, sizeof(kink));
    if (!kink[0] && massless >= 0 && !takes_massless)
        snprintf(kink, sizeof(kink), "body '%s', which lacks inertia",
                 model->bodies[massless].name);
    if (kink[0]) {
        lk_error_set(ret_error, "%s is for smooth motion, expected %s with %s", what, instead,
                     kink);
        return LK_E_MODEL;
    }
    swing = sqrt(fastest(sys, 0, &spring)) * sys->h;
    decay = fastest(sys, 1, &damper) * sys->h;
    if (swing <= most && decay <= DECAY_MAX)
        return 0;
    if (swing > most)
        lk_error_set(ret_error,
                     "%s with a step of %g s, but '%s' oscillates at %.3g rad/s, that is %.3g rad "
                     "a step, expected at most %g; a step of %.2g s would do, or %s",
                     what, sys->h, name_of_law(sys, model, spring, 0), swing / sys->h, swing, most,
                     0.95 * sys->h * most / swing, instead);
    else
        lk_error_set(ret_error,
                     "%s with a step of %g s, but '%s' decays at a rate of %.3g 1/s, that is "
                     "%.3g a step, expected at most %g; a step of %.2g s would do, or %s",
                     what, sys->h, name_of_law(sys, model, damper, 1), decay / sys->h, decay,
                     DECAY_MAX, 0.95 * sys->h * DECAY_MAX / decay, instead);
    return LK_E_MODEL;
}
