/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of `rattle`: first half kick at q_n, iterations, and closing of the joints. */
#include "step/elements/law_steps.h"
#include "step/elements/tension.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/modal.h"
#include "step/one/rattle.h"
#include <string.h>

/* compute s W g of four bodies; if rows depend on velocities, also estimate the velocities
 * at the end of the step */
LK_INLINE void momentum_residual(struct lk_system *sys, const struct lk_lanes *l,
                                 const struct lk_quad *quad, const struct lk_half_kicks *half)
{
    lk_four g[6], torque[3], more[3], pull[3], change[3], v[6];

    lk_rattle_start_four(sys->s, quad->inertia, half->momentum, quad->theta, torque);
    for (int i = 0; i < 3; i++)
        more[i] = quad->theta[i] - half->last_turn[i];
    lk_rattle_tension_start_four(half->tension, quad->theta, more, pull);
    for (int i = 0; i < 3; i++)
        torque[i] += pull[i];
    lk_sym_mul_four(half->start_sW, torque, change);
    for (int i = 0; i < 3; i++) {
        g[i] = 0.5 * half->weight * (quad->u[i] - sys->h * quad->v_old[i]) + half->kick[i];
        g[3 + i] = change[i] + half->kick[3 + i];
    }
    lk_scatter(l, g, LK_STRIDE(struct lk_twist), 6, sys->residual[0].v);
    for (int i = 0; i < 6 && sys->needs_twists; i++)
        v[i] = 2 / sys->h * (i < 3 ? quad->u[i] : quad->theta[i - 3]) - quad->v_old[i];
    if (sys->needs_twists)
        lk_scatter(l, v, LK_STRIDE(struct lk_twist), 6, sys->twist[0].v);
}

/* copy the kick in system->residual to the lanes, in the form of s W g */
LK_INLINE void take_kick(const struct lk_system *sys, const struct lk_lanes *l,
                         struct lk_half_kicks *half)
{
    lk_four sum[6], mass, turn[3];

    lk_gather(l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
    lk_gather(l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
    lk_sym_mul_four(half->start_sW, sum + 3, turn);
    for (int i = 0; i < 3; i++) {
        half->kick[i] = mass * sum[i];
        half->kick[3 + i] = turn[i];
    }
}

/* Apply the part of the change of tension over a step that is too stiff for the step. The first
 * half kick uses s (J + s K)^-1 instead of s W, and contains K theta / 2 more; the second contains
 * K theta / 2 less. Both also contain d K (theta - theta of the last step), see LK_TENSION_LATE. */
static void take_tension(struct lk_system *sys, struct lk_one_rattle *r)
{
    if (r->n_tense > 0)
        lk_tension_all(sys, r->tension);
    for (int i = 0; i < r->n_tense; i++) {
        int b = r->tense[i];
        struct lk_half_kicks *half = &r->quad[b / 4];
        const double *J = sys->body[b].inertia;
        double K[6], sum[6];

        lk_tension_part(r->root[i], sys->s, r->tension[b], K);
        for (int k = 0; k < 6; k++)
            sum[k] = J[k] + sys->s * K[k];
        lk_sym_inverse(sum, sys->sW_now[b].inertia);
        for (int k = 0; k < 6; k++) {
            sys->sW_now[b].inertia[k] *= sys->s;
            /* lanes beyond the last body repeat the last body */
            for (int lane = b % 4; lane < (b == sys->n_bodies - 1 ? 4 : b % 4 + 1); lane++) {
                half->tension[k][lane] = K[k];
                half->start_sW[k][lane] = sys->sW_now[b].inertia[k];
            }
        }
    }
}

static void leave_tension(struct lk_system *sys, const struct lk_one_rattle *r)
{
    for (int i = 0; i < r->n_tense; i++)
        sys->sW_now[r->tense[i]] = sys->sW[r->tense[i]];
}

/* predict the motion of the step with the acceleration of the last half kick, or, if tensions are
 * included, with the acceleration of the state */
LK_INLINE void predict_motion(const struct lk_system *sys, const struct lk_lanes *l,
                              const struct lk_one_rattle *r, struct lk_half_kicks *half,
                              struct lk_quad *quad)
{
    lk_four moved[6], ahead[6];

    lk_gather(l, lk_rattle_own(&sys->now)->moved, LK_STRIDE(struct lk_rattle_own), 6, moved);
    memcpy(half->last_turn, moved + 3, sizeof(half->last_turn));
    if (r->n_tense > 0)
        lk_gather(l, sys->now.motion[0].a.v, LK_STRIDE(struct lk_motion), 6, quad->a_old);
    for (int i = 0; i < 6; i++) {
        lk_four part = quad->start_a[i / 3];

        ahead[i] = r->n_tense > 0 ? lk_taylor_four(sys->h, quad->start_a[i / 3], quad->v_old[i],
                                                   quad->a_old[i])
                                  : lk_rattle_ahead_four(sys->h, part, quad->v_old[i], moved[i]);
    }
    memcpy(quad->u, ahead, sizeof(quad->u));
    memcpy(quad->theta, ahead + 3, sizeof(quad->theta));
}

/* compute the first iterate, with the forces in system->residual */
static void predict_bodies(struct lk_system *sys, struct lk_one_rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        lk_four Jw[3];

        lk_gather(&l, sys->now.motion[0].x, LK_STRIDE(struct lk_motion), 3, quad->x_old);
        lk_gather(&l, sys->now.motion[0].q, LK_STRIDE(struct lk_motion), 4, quad->q_old);
        lk_gather(&l, sys->now.motion[0].v.v, LK_STRIDE(struct lk_motion), 6, quad->v_old);
        predict_motion(sys, &l, r, &r->quad[k], quad);
        lk_sym_mul_four(quad->inertia, quad->v_old + 3, Jw);
        for (int i = 0; i < 3; i++)
            r->quad[k].momentum[i] = sys->h * Jw[i];
        lk_rotation_exp_four(quad->theta, quad->turn);
        take_kick(sys, &l, &r->quad[k]);
        lk_quad_place(sys, &l, quad);
        momentum_residual(sys, &l, quad, &r->quad[k]);
    }
}

double lk_one_violations(struct lk_system *sys, double part)
{
    double largest = 0;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double *phi = sys->solution + j->row;

        if (lk_is_compliant(j)) {
            for (int row = 0; row < j->n_rows; row++)
                phi[row] = 0;
            continue;
        }
        lk_evaluate_violation(sys, i, phi);
        for (int row = 0; row < j->n_rows; row++) {
            largest = lk_max(largest, fabs(phi[row]));
            phi[row] *= part;
        }
    }
    return largest;
}

/* Compute the violations of an iterate, times 1/2. The value of nonholonomic rows is the mean of K
 * times the displacement of the step: the midpoint rule, and the same forwards and backwards in
 * time. */
static double iterate_violations(struct lk_system *sys)
{
    double largest = lk_one_violations(sys, 0.5);

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_MAX];

        if (lk_slip_rows(j) == 0)
            continue;
        lk_slip_rates(sys, i, rates);
        for (int row = j->n_rows - lk_slip_rows(j); row < j->n_rows; row++) {
            largest = lk_max(largest, fabs(sys->h * rates[row]));
            sys->solution[j->row + row] = 0.5 * sys->h * rates[row];
        }
    }
    return largest;
}

#define EACH_OF_ITERATE(X) X(u, 3) X(turn, 4) X(theta, 3)

/* Store the present iterate, unless the iterations have ended. After their end the stored iterate
 * is the result, and later iterates are ignored. The work is the same in both cases. */
static void keep_iterate(const struct lk_system *sys, struct lk_one_rattle *r)
{
    bool ends = sys->progress->ends;
    long long ended = ends ? -1 : 0;
    lk_four_mask mask = {ended, ended, ended, ended};
    int row = 0;

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        const struct lk_quad *quad = &sys->quad[k];
        struct lk_rattle_iterate *kept = &r->quad[k].kept;

#define KEEP(field, n)                                                                             \
    for (int i = 0; i < (n); i++)                                                                  \
        kept->field[i] = lk_select_four(mask, kept->field[i], quad->field[i]);
        EACH_OF_ITERATE(KEEP)
#undef KEEP
    }
    for (; row + 4 <= sys->n_rows; row += 4) {
        lk_four *kept = (lk_four *)&r->lambda[row];

        *kept = lk_select_four(mask, *kept, *(const lk_four *)&sys->next.lambda[row]);
    }
    for (; row < sys->n_rows; row++)
        r->lambda[row] = ends ? r->lambda[row] : sys->next.lambda[row];
    lk_one_modal_keep(sys);
}

/* restore the stored iterate */
static void take_kept(struct lk_system *sys, struct lk_one_rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_quad *quad = &sys->quad[k];

#define TAKE(field, n) memcpy(quad->field, r->quad[k].kept.field, (n) * sizeof(lk_four));
        EACH_OF_ITERATE(TAKE)
#undef TAKE
    }
    memcpy(sys->next.lambda, r->lambda, (size_t)sys->n_rows * sizeof(double));
    lk_one_modal_take_kept(sys);
}

/* compute dq = -2 (s W Phi_q^T dlambda + s W g) of a quad, before it is corrected */
LK_INLINE void start_increment(const struct lk_system *sys, int quad,
                               struct lk_rattle_increment *increment)
{
    struct lk_lanes l = lk_lanes_of(sys, quad);
    lk_four residual[6];

    lk_gather(&l, sys->correction[0].v, LK_STRIDE(struct lk_twist), 6, increment->correction);
    lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, residual);
    for (int i = 0; i < 6; i++)
        increment->dq[i] = -2.0 * (increment->correction[i] + residual[i]);
}

/* compute M dq and the rotations of a quad; 0 in lanes that repeat the last body */
LK_INLINE void weigh_increment(const struct lk_quad *quad, int n_bodies, const lk_four dq[6],
                               lk_four Mdq[6], lk_four turns[3])
{
    const lk_four_mask lane = {0, 1, 2, 3};
    lk_four_mask is_body = lane < n_bodies;

    for (int i = 0; i < 3; i++)
        Mdq[i] = quad->mass * dq[i];
    lk_sym_mul_four(quad->inertia, dq + 3, Mdq + 3);
    for (int i = 0; i < 6; i++)
        Mdq[i] = (lk_four)((lk_four_mask)Mdq[i] & is_body);
    for (int i = 0; i < 3; i++)
        turns[i] = (lk_four)((lk_four_mask)dq[3 + i] & is_body);
}

void lk_one_multiply_increment(struct lk_system *sys, int iteration)
{
    struct lk_one_rattle *r = sys->formulation_data;
    int quads = (sys->n_bodies + 3) / 4;
    lk_four sum[LK_ITERATIONS_MAX][LK_MEASURES];

    for (int k = 0; k <= iteration; k++)
        sum[k][LK_BY_MASS] = sum[k][LK_BY_TURNS] = (lk_four){0};
    for (int q = 0; q < quads; q++) {
        struct lk_rattle_increment *now = r->increment + (size_t)(iteration * quads + q);
        lk_four Mdq[6], turns[3];

        start_increment(sys, q, now);
        weigh_increment(&sys->quad[q], sys->n_bodies - 4 * q, now->dq, Mdq, turns);
        for (int k = 0; k <= iteration; k++) {
            const lk_four *dq = r->increment[(size_t)(k * quads + q)].dq;

            sum[k][LK_BY_MASS] += lk_inner_four(dq, Mdq) + lk_inner_four(dq + 3, Mdq + 3);
            sum[k][LK_BY_TURNS] += lk_inner_four(dq + 3, turns);
        }
    }
    for (int k = 0; k <= iteration; k++)
        for (int m = 0; m < LK_MEASURES; m++)
            sys->progress->product[k][m] =
                (sum[k][m][0] + sum[k][m][1]) + (sum[k][m][2] + sum[k][m][3]);
    if (sys->n_modals == 0)
        return;
    lk_one_modal_find(sys, iteration);
    for (int k = 0; k <= iteration; k++)
        sys->progress->product[k][LK_BY_MASS] += lk_one_modal_multiply(sys, iteration, k);
}

void lk_one_find_increment(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    if (sys->elements->stops.n == 0)
        lk_one_multiply_increment(sys, sys->progress->found - 1);
}

/* correct the last increment, and its multipliers, by earlier increments */
static void correct_increment(struct lk_system *sys, struct lk_one_rattle *r, int iteration)
{
    int quads = (sys->n_bodies + 3) / 4, rows = sys->n_rows;

    for (int i = 1; i < iteration; i++) {
        const double *lambda = r->multipliers + (size_t)(i * rows);
        double alpha = sys->progress->alpha[i - 1];
        const struct lk_rattle_increment *before = r->increment + (size_t)(i * quads);
        struct lk_rattle_increment *now = r->increment + (size_t)(iteration * quads);

        for (int q = 0; q < quads; q++)
            for (int c = 0; c < 6; c++) {
                now[q].dq[c] += alpha * before[q].dq[c];
                now[q].correction[c] += alpha * before[q].correction[c];
            }
        lk_add_scaled(rows, alpha, lambda, sys->solution);
        lk_one_modal_blend(sys, iteration, i, alpha);
    }
}

/* apply the increment, and compute the new poses and s W g */
static void apply_increment(struct lk_system *sys, struct lk_one_rattle *r, int iteration,
                            double part)
{
    size_t quads = ((size_t)sys->n_bodies + 3) / 4;
    struct lk_rattle_increment *now = r->increment + (size_t)iteration * quads;
    double *multipliers = r->multipliers + (size_t)iteration * (size_t)sys->n_rows;
    lk_four largest = {0};
    int row = 0;

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        struct lk_half_kicks *half = &r->quad[k];

        for (int i = 0; i < 6; i++) {
            now[k].dq[i] *= part;
            now[k].correction[i] *= part;
            half->kick[i] += now[k].correction[i];
            largest = lk_max_four(largest, lk_max_four(now[k].dq[i], -now[k].dq[i]));
        }
        for (int i = 0; i < 3; i++)
            quad->u[i] += now[k].dq[i];
        for (int i = 0; i < 3; i++)
            quad->theta[i] += now[k].dq[3 + i];
        lk_rotation_exp_four(quad->theta, quad->turn);
        lk_quad_place(sys, &l, quad);
        momentum_residual(sys, &l, quad, half);
    }
    if (sys->n_modals > 0) {
        lk_one_modal_apply(sys, now, iteration, part);
        lk_one_modal_residual(sys);
    }
    for (; row + 4 <= sys->n_rows; row += 4) {
        lk_four more = part * *(const lk_four *)&sys->solution[row];

        *(lk_four *)&multipliers[row] = more;
        *(lk_four *)&sys->next.lambda[row] += more;
    }
    for (; row < sys->n_rows; row++) {
        multipliers[row] = part * sys->solution[row];
        sys->next.lambda[row] += multipliers[row];
    }
    sys->next.balance->increment = lk_largest_lane(largest);
}

/* store the present iterate, and compute the next one from the last increment */
static void move_on(struct lk_system *sys, struct lk_one_rattle *r)
{
    int last = sys->progress->done - 1;

    keep_iterate(sys, r);
    correct_increment(sys, r, last);
    apply_increment(sys, r, last, sys->progress->part);
}

/* compute the right-hand side of the next increment */
static void seek_increment(struct lk_system *sys, struct lk_one_rattle *r, bool is_first)
{
    lk_evaluate_clear_frames(sys, sys->residual);
    r->violation = iterate_violations(sys);
    for (int i = 0; i < sys->n_joints && sys->n_laws > 0; i++)
        if (lk_is_compliant(&sys->joint[i]))
            lk_law_steps_follow(sys, i, is_first);
    /* contacts open and close from iterate to iterate */
    if (sys->n_contacts > 0 || (is_first && sys->n_laws + r->n_tense + sys->n_modals > 0))
        lk_evaluate_factor(sys);
    if (!sys->rows_are_independent)
        lk_add_scaled(sys->n_rows, -0.5, sys->gap, sys->solution);
    lk_evaluate_reduce(sys, sys->residual);
}

void lk_one_predict(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    lk_one_sum_forces(sys);
    take_tension(sys, r);
    lk_one_modal_kick(sys);
    predict_bodies(sys, r);
    lk_one_modal_residual(sys);
    seek_increment(sys, r, true);
}

void lk_one_iterate(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    move_on(sys, r);
    seek_increment(sys, r, false);
}

void lk_one_check(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    move_on(sys, r);
    r->violation = iterate_violations(sys);
}

/* return whether every rotation is below half a turn; false if one is not finite */
static bool turns_are_small(const struct lk_system *sys)
{
    lk_four_mask small = {-1, -1, -1, -1};

    for (int k = 0; 4 * k < sys->n_bodies; k++)
        small &= lk_inner_four(sys->quad[k].theta, sys->quad[k].theta) < M_PI * M_PI;
    return (small[0] & small[1] & small[2] & small[3]) != 0;
}

void lk_one_find_gaps(struct lk_system *sys)
{
    if (sys->rows_are_independent)
        return;
    lk_one_violations(sys, 1);
    memcpy(sys->gap, sys->solution, (size_t)sys->n_rows * sizeof(double));
}

void lk_one_count_gaps_anew(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints && !sys->rows_are_independent; i++)
        if (sys->joint[i].of[0] && !lk_is_compliant(&sys->joint[i]))
            lk_evaluate_violation(sys, i, sys->gap + sys->joint[i].row);
}

/* ---- closing the joints, with the factor of q_n+1 ---- */

static void write_poses(const struct lk_system *sys, double *x, double *q, size_t stride)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        lk_four place[3], turned[4];

        lk_moved_state_four(quad->x_old, quad->q_old, quad->u, quad->turn, place, turned);
        lk_scatter(&l, place, stride, 3, x);
        lk_scatter(&l, turned, stride, 4, q);
    }
}

void lk_one_book_closing(struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;
    double work = 0, left = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        const struct lk_body *body = &sys->body[b];
        const struct lk_twist *residual = &sys->residual[b];
        double u[6], v[6], K[6];

        for (int i = 0; i < 6; i++) {
            u[i] = (i < 3 ? quad->u[i] : quad->theta[i - 3])[b % 4];
            v[i] = quad->v_old[i][b % 4];
            K[i] = r->quad[b / 4].tension[i][b % 4];
        }
        work += lk_rattle_closing_work(sys->h, false, body->mass, body->inertia,
                                       (const double *)&sys->correction[b], u, v);
        left += lk_rattle_left_work(sys->s, body->inertia, K, residual->w, u + 3);
        left += 0.5 / sys->s * body->mass * lk_inner(residual->v, u);
    }
    sys->next.balance->closing += work + (sys->progress->ends ? 0 : left);
}

void lk_one_unclose(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    keep_iterate(sys, r);
    take_kept(sys, r);
    sys->progress->is_small = turns_are_small(sys);
    leave_tension(sys, r);
    write_poses(sys, lk_rattle_own(&sys->next)->x, lk_rattle_own(&sys->next)->q,
                LK_STRIDE(struct lk_rattle_own));
    lk_one_place_unclosed(sys, &sys->next);
    for (int i = 0; i < sys->n_joints && sys->n_laws > 0; i++)
        if (lk_is_compliant(&sys->joint[i]))
            lk_law_steps_release(sys, i);
}

void lk_one_matrix(struct lk_system *sys)
{
    lk_one_factor_unclosed(sys, &sys->next);
    lk_one_violations(sys, 1);
}

/* book the energy that included tensions dissipate in the step whose rotations are in system->quad
 */
static void book_tension(struct lk_system *sys, const struct lk_one_rattle *r)
{
    for (int i = 0; i < r->n_tense; i++) {
        int b = r->tense[i], lane = b % 4;
        double K[6], theta[3], more[3];

        for (int k = 0; k < 6; k++)
            K[k] = r->quad[b / 4].tension[k][lane];
        for (int k = 0; k < 3; k++) {
            theta[k] = sys->quad[b / 4].theta[k][lane];
            more[k] = theta[k] - r->quad[b / 4].last_turn[k][lane];
        }
        sys->next.balance->taken += lk_rattle_tension_takes(K, theta, more);
    }
}

/* close the joints: apply dq = -s W Phi_q^T kappa */
void lk_one_close(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->inputs = NULL;
    lk_evaluate_correction(sys);
    if (sys->books_closing)
        lk_one_book_closing(sys);
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        lk_four change[6], last[6], moved[6], turn[4], curvature[6];

        lk_gather(&l, sys->correction[0].v, LK_STRIDE(struct lk_twist), 6, change);
        lk_gather(&l, lk_rattle_own(&sys->now)->moved, LK_STRIDE(struct lk_rattle_own), 6, last);
        lk_rattle_close_body_four(sys->h, change, quad->u, quad->turn, last, moved, turn,
                                  curvature);
        memcpy(quad->u, moved, sizeof(quad->u));
        memcpy(quad->turn, turn, sizeof(quad->turn));
        memcpy(quad->theta, moved + 3, sizeof(quad->theta));
        lk_scatter(&l, moved, LK_STRIDE(struct lk_rattle_own), 6, lk_rattle_own(&sys->next)->moved);
        lk_scatter(&l, curvature, LK_STRIDE(struct lk_rattle_own), 6,
                   lk_rattle_own(&sys->next)->curvature);
    }
    lk_one_modal_close(sys);
    write_poses(sys, sys->next.motion[0].x, sys->next.motion[0].q, LK_STRIDE(struct lk_motion));
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_one_find_gaps(sys);
    book_tension(sys, r);
}
