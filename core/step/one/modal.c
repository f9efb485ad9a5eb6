/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with modes in a step of `rattle`. The discrete Lagrangian
 *
 *     h T(u/h, theta/h, dq/h) - h (V_n + V_n+1) / 2
 *
 * with T of step/modal.h at J = (J_n + J_n+1) / 2 and q = (q_n + q_n+1) / 2 gives, with y = J theta
 * + sum q_n,k beta_kl q_n+1,l, the half kicks
 *
 *     h/2 g_th  = D(theta) y / h - J_n w_n - H_n q'_n                + h/2 f_th
 *     h/2 g_q,l = dq_l / h - theta . dJ_n/dq_l theta / 4h + theta . sum_k q_n+1,k beta_kl / h
 *                 - q'_n,l - w_n . H_n,l    + h/2 (omega^2 (q_n + q_n+1) / 2 + c dq / h + f_q)
 *
 * at q_n, with f = Phi_q^T lambda - Q on the coordinates, and likewise at q_n+1 the momenta from
 * which M^-1 gives the velocities. Stiffness and damping c (lk_modal.decay) act as the laws of
 * compliant rows do: their mean over the step in both half kicks, and in the matrix of the
 * iterations only. */
#include "step/one/modal.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <string.h>

/* The rate of a quasi-static mode is that of the last step, exactly, or momentum would leak. */
static void read_state(const struct lk_system *sys, const struct lk_modal *m)
{
    const struct lk_mode_state *mode = sys->now.mode + m->at;

    for (int k = 0; k < m->n; k++) {
        m->step->old[k] = mode[k].q;
        m->step->old_v[k] = m->is_static[k] ? 1 / sys->h * mode[k].moved : mode[k].v;
    }
}

/* predict the change of the modes, as bodies are predicted; a mode that swings within a step has no
 * smooth acceleration */
static void predict(const struct lk_system *sys, const struct lk_modal *m)
{
    const struct lk_mode_state *mode = sys->now.mode + m->at;
    double h = sys->h;

    for (int k = 0; k < m->n; k++) {
        bool is_slow = sys->s * (m->stiffness[k] + 2 / h * m->decay[k]) < 1;

        m->step->u[k] = lk_rattle_ahead(h, is_slow, mode[k].v, mode[k].moved);
    }
}

/* compute h times the momenta at q_n */
static void take_momenta(const struct lk_system *sys, const struct lk_modal *m)
{
    const double *w = sys->now.motion[m->body].v.w;
    struct lk_modal_step *step = m->step;
    double Jw[3], cross[3];

    lk_modal_inertia(m, step->old, step->inertia);
    lk_sym_mul(step->inertia, w, Jw);
    lk_modal_cross(m, step->old, step->old_v, cross);
    for (int i = 0; i < 3; i++)
        step->spin[i] = sys->h * (Jw[i] + cross[i]);
    for (int k = 0; k < m->n; k++)
        step->momentum[k] = sys->h * step->old_v[k];
    lk_modal_pull(m, sys->h, step->old, w, step->momentum);
}

static void keep_kick(const struct lk_modal *m)
{
    for (int i = 0; i < 3; i++) {
        m->step->kick[i] = m->force->v[i];
        m->step->kick[3 + i] = m->force->w[i];
    }
    memcpy(m->step->kick + 6, m->force->q, (size_t)m->n * sizeof(double));
}

void lk_one_modal_kick(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        read_state(sys, m);
        predict(sys, m);
        take_momenta(sys, m);
        lk_modal_collect(m, sys->residual);
    }
    lk_modal_weigh_by(sys, LK_MODAL_STIFF);
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        lk_flexible_weigh(m->flexible, m->force);
        keep_kick(m);
    }
}

/* write the motion of node @a within the step, from its pose, into the lanes of the bodies */
static void write_lane(struct lk_system *sys, const struct lk_modal *m, int a)
{
    int b = m->node[a].body, lane = b % 4, body = m->body;
    struct lk_quad *quad = &sys->quad[b / 4];
    const struct lk_motion *old = &sys->now.motion[b];
    const struct lk_quad *of = &sys->quad[body / 4];
    const double back[4] = {old->q[0], -old->q[1], -old->q[2], -old->q[3]};
    double turn[4], q[4], now[4], moved[4], theta[3];

    for (int i = 0; i < 4; i++)
        turn[i] = of->turn[i][body % 4];
    lk_quat_mul(sys->now.motion[body].q, turn, q);
    lk_modal_orient(m, a, q, now);
    lk_quat_mul(back, now, moved);
    lk_quat_normalise(moved);
    if (moved[0] < 0)
        for (int i = 0; i < 4; i++)
            moved[i] = -moved[i];
    lk_rotation_log(moved, theta);
    /* lanes beyond the last body repeat the last body */
    for (; lane < (b == sys->n_bodies - 1 ? 4 : b % 4 + 1); lane++) {
        for (int i = 0; i < 3; i++) {
            quad->u[i][lane] = sys->pose[b].x[i] - old->x[i];
            quad->theta[i][lane] = theta[i];
        }
        for (int i = 0; i < 4; i++)
            quad->turn[i][lane] = moved[i];
    }
}

void lk_one_modal_put(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++)
            m->step->y[k] = m->step->old[k] + m->step->u[k];
        lk_modal_put(sys, m, m->step->y);
        for (int a = 0; a < m->n_nodes; a++)
            write_lane(sys, m, a);
    }
}

/* compute y = J theta + sum q_n,k beta_kl q_n+1,l */
static void turn_momentum(const struct lk_modal *m, const double theta[3], double ret[3])
{
    double J[6], cross[3];

    lk_modal_inertia(m, m->q, J);
    for (int i = 0; i < 6; i++)
        J[i] = 0.5 * (m->step->inertia[i] + J[i]);
    lk_sym_mul(J, theta, ret);
    lk_modal_cross(m, m->step->old, m->q, cross);
    for (int i = 0; i < 3; i++)
        ret[i] += cross[i];
}

static void theta_of(const struct lk_system *sys, const struct lk_modal *m, double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = sys->quad[m->body / 4].theta[i][m->body % 4];
}

/* return the mean force of stiffness and damping on a mode over the step; of a quasi-static mode,
 * which has no other force but its loads, at the end of the step */
static double law_of(const struct lk_system *sys, const struct lk_modal *m, int k)
{
    const struct lk_modal_step *step = m->step;

    if (m->is_static[k])
        return m->stiffness[k] * (step->old[k] + step->u[k]) + m->damping[k] / sys->h * step->u[k];
    return m->stiffness[k] * (step->old[k] + 0.5 * step->u[k]) + m->decay[k] / sys->h * step->u[k];
}

static void residual_of(struct lk_system *sys, const struct lk_modal *m)
{
    const struct lk_quad *quad = &sys->quad[m->body / 4];
    struct lk_flexible_force *f = m->force;
    struct lk_modal_step *step = m->step;
    double theta[3], y[3], carried[3];
    int lane = m->body % 4;

    theta_of(sys, m, theta);
    turn_momentum(m, theta, y);
    lk_dexp_inverse(theta, y, carried);
    lk_modal_slopes(m, step->old, theta, step->slope);
    for (int k = 0; k < m->n; k++) {
        double moved = m->is_static[k] ? sys->h * step->old_v[k] : step->u[k];

        f->q[k] = 0.5 / sys->s * (moved - 0.25 * step->slope[k] - step->momentum[k]);
        f->q[k] += law_of(sys, m, k);
    }
    lk_modal_pull(m, 0.5 / sys->s, m->q, theta, f->q);
    for (int i = 0; i < 3; i++) {
        f->v[i] = 0;
        f->w[i] = 0.5 / sys->s * (carried[i] - step->spin[i]);
    }
    lk_flexible_weigh(m->flexible, f);
    for (int i = 0; i < 3; i++) {
        f->v[i] = 0.5 * (quad->u[i][lane] - sys->h * quad->v_old[i][lane]) + step->kick[i];
        f->w[i] += step->kick[3 + i];
    }
    for (int k = 0; k < m->n; k++)
        step->residual[k] = f->q[k] += step->kick[6 + k];
    lk_modal_spread(m, f, sys->residual);
}

/* compute the estimated velocities at the end of the step */
static void estimate_twists(struct lk_system *sys, const struct lk_modal *m)
{
    struct lk_flexible_force *motion = m->force;
    const struct lk_twist *body = &sys->twist[m->body];

    memcpy(motion->v, body->v, sizeof(motion->v));
    memcpy(motion->w, body->w, sizeof(motion->w));
    for (int k = 0; k < m->n; k++)
        motion->q[k] = 2 / sys->h * m->step->u[k] - m->step->old_v[k];
    lk_modal_spread(m, motion, sys->twist);
}

void lk_one_modal_residual(struct lk_system *sys)
{
    lk_one_modal_put(sys);
    for (int i = 0; i < sys->n_modals; i++) {
        residual_of(sys, &sys->modal[i]);
        if (sys->needs_twists)
            estimate_twists(sys, &sys->modal[i]);
    }
}

/* ---- increments ---- */

double lk_one_modal_multiply(struct lk_system *sys, int iteration, int before)
{
    double sum = 0;

    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        double *dq = m->step->dq + iteration * m->n;
        const double *other = m->step->dq + before * m->n;

        for (int k = 0; k < m->n; k++)
            sum += dq[k] * other[k];
    }
    return sum;
}

void lk_one_modal_find(struct lk_system *sys, int iteration)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        double *dq = m->step->dq + iteration * m->n;
        double *correction = m->step->correction + iteration * m->n;

        for (int k = 0; k < m->n; k++) {
            correction[k] = m->force->q[k];
            dq[k] = -2 * (correction[k] + m->step->residual[k]);
        }
    }
}

void lk_one_modal_blend(struct lk_system *sys, int iteration, int before, double alpha)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        lk_add_scaled(m->n, alpha, m->step->dq + before * m->n, m->step->dq + iteration * m->n);
        lk_add_scaled(m->n, alpha, m->step->correction + before * m->n,
                      m->step->correction + iteration * m->n);
    }
}

void lk_one_modal_apply(struct lk_system *sys, const struct lk_rattle_increment *increment,
                        int iteration, double part)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        double *dq = m->step->dq + iteration * m->n;
        double *correction = m->step->correction + iteration * m->n;

        for (int c = 0; c < 6; c++) /* scaled by @part already */
            m->step->kick[c] += increment[m->body / 4].correction[c][m->body % 4];
        for (int k = 0; k < m->n; k++) {
            dq[k] *= part;
            correction[k] *= part;
            m->step->kick[6 + k] += correction[k];
            m->step->u[k] += dq[k];
        }
    }
}

void lk_one_modal_keep(const struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals && !sys->progress->ends; i++)
        memcpy(sys->modal[i].step->kept, sys->modal[i].step->u,
               (size_t)sys->modal[i].n * sizeof(double));
}

void lk_one_modal_take_kept(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        memcpy(m->step->u, m->step->kept, (size_t)m->n * sizeof(double));
        for (int k = 0; k < m->n; k++) {
            sys->next.mode[m->at + k].unclosed = m->step->old[k] + m->step->u[k];
            m->step->law[k] = law_of(sys, m, k);
        }
    }
    lk_modal_weigh_by(sys, LK_MODAL_FREE);
}

void lk_one_modal_place_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_modals; i++) {
        struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++)
            m->step->y[k] = state->mode[m->at + k].unclosed;
        lk_modal_put(sys, m, m->step->y);
    }
}

/* ---- the end of the positions ---- */

/* write the closed motion of the lanes of a node into the state of `rattle` */
static void write_own(struct lk_system *sys, int b)
{
    const struct lk_quad *quad = &sys->quad[b / 4];
    struct lk_rattle_own *next = &lk_rattle_own(&sys->next)[b];
    const struct lk_rattle_own *now = &lk_rattle_own(&sys->now)[b];

    for (int i = 0; i < 6; i++) {
        next->moved[i] = (i < 3 ? quad->u[i] : quad->theta[i - 3])[b % 4];
        next->curvature[i] = 1 / (sys->h * sys->h) * (next->moved[i] - now->moved[i]);
    }
}

void lk_one_modal_close(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        const struct lk_motion *old = &sys->now.motion[m->body];
        const struct lk_quad *quad = &sys->quad[m->body / 4];
        struct lk_pose *pose = &sys->pose[m->body];
        double turn[4], q[4];

        for (int k = 0; k < m->n; k++) {
            struct lk_mode_state *next = &sys->next.mode[m->at + k];
            const struct lk_mode_state *now = &sys->now.mode[m->at + k];

            m->step->u[k] -= m->force->q[k];
            next->q = m->step->old[k] + m->step->u[k];
            next->moved = m->step->u[k];
            next->curvature = 1 / (sys->h * sys->h) * (next->moved - now->moved);
        }
        for (int c = 0; c < 4; c++)
            turn[c] = quad->turn[c][m->body % 4];
        lk_quat_mul(old->q, turn, q);
        lk_quat_normalise(q);
        lk_quat_matrix(q, pose->R);
        for (int c = 0; c < 3; c++)
            pose->x[c] = old->x[c] + quad->u[c][m->body % 4];
    }
    lk_one_modal_put(sys);
    for (int i = 0; i < sys->n_modals; i++)
        for (int a = 0; a < sys->modal[i].n_nodes; a++)
            write_own(sys, sys->modal[i].node[a].body);
}

/* ---- velocities ---- */

/* subtract H q' of quasi-static modes, whose rates are those of the step, from the momentum of the
 * rotation */
static void leave_static(const struct lk_system *sys, const struct lk_modal *m, double spin[3])
{
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < 3 && m->is_static[k]; i++)
            spin[i] -= m->coupling[i * m->flexible->pad + k] / sys->h * m->step->u[k];
}

/* return H_k w / D_k of a quasi-static mode, which W leaves out */
static double rate_of_turn(const struct lk_modal *m, int k, const double w[3])
{
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += m->coupling[i * m->flexible->pad + k] * w[i];
    return m->flexible->weight[k] * sum;
}

static void kick_body(struct lk_system *sys, const struct lk_modal *m)
{
    const struct lk_quad *quad = &sys->quad[m->body / 4];
    struct lk_motion *body = &sys->next.motion[m->body];
    struct lk_mode_state *mode = sys->next.mode + m->at;
    struct lk_flexible_force *f = m->force;
    struct lk_modal_step *step = m->step;
    double theta[3], back[3], y[3], carried[3], h = sys->h;

    lk_modal_collect(m, sys->residual);
    theta_of(sys, m, theta);
    turn_momentum(m, theta, y);
    for (int i = 0; i < 3; i++)
        back[i] = -theta[i];
    lk_dexp_inverse(back, y, carried);
    lk_modal_slopes(m, m->q, theta, step->slope);
    for (int k = 0; k < m->n; k++) {
        double moved = m->is_static[k] ? 0 : step->u[k];

        f->q[k] = 1 / h * (moved + 0.25 * step->slope[k]) - 0.5 * h * (step->law[k] + f->q[k]);
    }
    lk_modal_pull(m, 1 / h, step->old, theta, f->q);
    for (int i = 0; i < 3; i++) {
        double u = quad->u[i][m->body % 4];

        body->v.v[i] = 1 / h * u - 0.5 * h / sys->body[m->body].mass * f->v[i];
        f->w[i] = 1 / h * carried[i] - 0.5 * h * f->w[i];
    }
    leave_static(sys, m, f->w);
    lk_flexible_weigh(m->flexible, f);
    for (int i = 0; i < 3; i++)
        body->v.w[i] = 1 / sys->s * f->w[i];
    for (int k = 0; k < m->n; k++) {
        mode[k].v = 1 / sys->s * f->q[k];
        if (m->is_static[k])
            mode[k].v += 1 / h * step->u[k] - rate_of_turn(m, k, body->v.w);
    }
}

/* write the velocities, or accelerations, of the nodes minus differences of their positions to
 * system->correction, as for bodies: the rows of stiff dampers need them */
static void see_nodes(struct lk_system *sys, const struct lk_modal *m, bool is_acceleration)
{
    for (int a = 0; a < m->n_nodes; a++) {
        int b = m->node[a].body;
        const struct lk_rattle_own *next = &lk_rattle_own(&sys->next)[b];
        const struct lk_rattle_own *now = &lk_rattle_own(&sys->now)[b];
        const struct lk_motion *node = &sys->next.motion[b];
        const struct lk_twist *motion = is_acceleration ? &node->a : &node->v;
        double seen[2][6];

        lk_rattle_differences(sys->h, next->moved, next->curvature, now->curvature, seen[0],
                              seen[1]);
        for (int i = 0; i < 3; i++) {
            sys->correction[b].v[i] = motion->v[i] - seen[is_acceleration][i];
            sys->correction[b].w[i] = motion->w[i] - seen[is_acceleration][3 + i];
        }
    }
}

void lk_one_modal_velocities(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++)
        kick_body(sys, &sys->modal[i]);
    lk_modal_follow(sys, &sys->next);
    for (int i = 0; i < sys->n_modals && sys->closes_dampers; i++)
        see_nodes(sys, &sys->modal[i], false);
}

void lk_one_modal_free(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        lk_modal_accelerate(sys, &sys->modal[i], sys->residual, &sys->next);
        if (sys->closes_dampers)
            see_nodes(sys, &sys->modal[i], true);
    }
}

void lk_one_modal_subtract(struct lk_system *sys, struct lk_state *state, bool is_acceleration)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++) {
            struct lk_mode_state *mode = &state->mode[m->at + k];

            *(is_acceleration ? &mode->a : &mode->v) -= m->force->q[k];
        }
    }
}

void lk_one_modal_add(struct lk_system *sys, double scale)
{
    for (int i = 0; i < sys->n_modals; i++)
        for (int k = 0; k < sys->modal[i].n; k++)
            sys->next.mode[sys->modal[i].at + k].v += scale * sys->modal[i].force->q[k];
}

/* ---- the start ---- */

void lk_one_modal_begin(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++) {
            struct lk_mode_state *mode = &sys->now.mode[m->at + k];

            mode->unclosed = mode->q;
            mode->moved = sys->h * (mode->v - (m->is_static[k] ? 0 : 0.5 * sys->h * mode->a));
            mode->curvature = 0;
        }
    }
}
