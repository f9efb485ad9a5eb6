/* SPDX-License-Identifier: Apache-2.0 */
/* See modal.h. */
#include "step/modal.h"
#include "maths/vec.h"
#include "step/equations.h"
#include "step/system.h"
#include <string.h>

/* ---- places of nodes ---- */

double lk_modal_size(const struct lk_modal *m)
{
    double size = 0;

    for (int a = 0; a < m->n_nodes; a++)
        size = lk_max(size, lk_norm(m->node[a].place));
    return size;
}

/* Add the quadratic form of the pairs at @q. */
LK_INLINE void add_second(const struct lk_mode_pairs *pairs, const double *q, double ret[6])
{
    lk_four sum[2] = {{ret[0], ret[1], ret[2], ret[3]}, {ret[4], ret[5], 0, 0}};

    for (int i = 0; i < pairs->n; i++) {
        const struct lk_mode_pair *p = &pairs->pair[i];
        double both = p->half * q[p->k] * q[p->l];

        sum[0] += both * p->value[0];
        sum[1] += both * p->value[1];
    }
    memcpy(ret, sum, 6 * sizeof(double));
}

/* Compute r and phi of a node. */
static void place_node(const struct lk_modal *m, struct lk_modal_node *a, const double *q)
{
    for (int i = 0; i < 6; i++) {
        const double *shape = a->shape + i * m->flexible->pad;

        a->now[i] = i < 3 ? a->place[i] : 0;
        for (int k = 0; k < m->n; k++)
            a->now[i] += shape[k] * q[k];
    }
    add_second(&a->second, q, a->now);
}

void lk_modal_put(struct lk_system *sys, const struct lk_modal *m, const double *q)
{
    const struct lk_pose *body = &sys->pose[m->body];

    memmove(m->q, q, (size_t)m->n * sizeof(double));
    for (int i = 0; i < m->n_nodes; i++) {
        struct lk_pose *pose = &sys->pose[m->node[i].body];
        const double *place = m->node[i].now;
        double arm[3], turn[4], E[9];

        place_node(m, &m->node[i], q);
        lk_rotate(body->R, place, arm);
        lk_rotation_exp(place + 3, turn);
        lk_quat_matrix(turn, E);
        for (int k = 0; k < 3; k++) {
            pose->x[k] = body->x[k] + arm[k];
            for (int c = 0; c < 3; c++)
                pose->R[3 * k + c] = body->R[3 * k] * E[c] + body->R[3 * k + 1] * E[3 + c] +
                                     body->R[3 * k + 2] * E[6 + c];
        }
    }
}

void lk_modal_place(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_modals; i++) {
        struct lk_modal *m = &sys->modal[i];

        for (int k = 0; k < m->n; k++)
            m->q[k] = state->mode[m->at + k].q;
        lk_modal_put(sys, m, m->q);
    }
}

void lk_modal_orient(const struct lk_modal *m, int node, const double q[4], double ret[4])
{
    double turn[4];

    lk_rotation_exp(m->node[node].now + 3, turn);
    lk_quat_mul(q, turn, ret);
    lk_quat_normalise(ret);
}

/* ---- the tangent of the rotation ---- */

/* coefficients of (1 - cos a) / a^2 and (a - sin a) / a^3 in y = a^2 */
static const double of_square[] = {1.0 / 2,
                                   -1.0 / 24,
                                   1.0 / 720,
                                   -1.0 / 40320,
                                   1.0 / 3628800,
                                   -1.0 / 479001600,
                                   1.0 / 87178291200,
                                   -1.0 / 20922789888000,
                                   1.0 / 6.402373705728e15,
                                   -1.0 / 2.43290200817664e18};
static const double of_cube[] = {1.0 / 6,
                                 -1.0 / 120,
                                 1.0 / 5040,
                                 -1.0 / 362880,
                                 1.0 / 39916800,
                                 -1.0 / 6227020800,
                                 1.0 / 1307674368000,
                                 -1.0 / 355687428096000,
                                 1.0 / 1.21645100408832e17,
                                 -1.0 / 5.109094217170944e19};
#define TERMS 10

/* Return the series of @c at @y, or its derivative. */
static double series(const double *c, double y, bool is_derivative)
{
    double sum = 0;

    for (int i = TERMS - 1; i >= (is_derivative ? 1 : 0); i--)
        sum = sum * y + (is_derivative ? i : 1) * c[i];
    return sum;
}

/* Compute T(phi) x, with phi' = x the angular velocity of exp(phi) in its own axes:
 * x - a phi x x + b phi x (phi x x). */
static void tangent(const double phi[3], const double x[3], double ret[3])
{
    double y = lk_dot(phi, phi), a = series(of_square, y, false), b = series(of_cube, y, false);
    double once[3], twice[3];

    lk_cross(phi, x, once);
    lk_cross(phi, once, twice);
    for (int i = 0; i < 3; i++)
        ret[i] = x[i] - a * once[i] + b * twice[i];
}

/* Compute dT/dt phi' for the rate @x = phi'. */
static void tangent_rate(const double phi[3], const double x[3], double ret[3])
{
    double y = lk_dot(phi, phi), rate = 2 * lk_dot(phi, x);
    double a = rate * series(of_square, y, true), b = rate * series(of_cube, y, true);
    double cube = series(of_cube, y, false), once[3], twice[3], more[3];

    lk_cross(phi, x, once);
    lk_cross(phi, once, twice);
    lk_cross(x, once, more);
    for (int i = 0; i < 3; i++)
        ret[i] = -a * once[i] + b * twice[i] + cube * more[i];
}

/* ---- inertia ---- */

void lk_modal_inertia(const struct lk_modal *m, const double *q, double ret[6])
{
    memcpy(ret, m->first[m->n], 6 * sizeof(double));
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < 6; i++)
            ret[i] += m->first[k][i] * q[k];
    add_second(&m->second, q, ret);
}

/* compute the products of @w with which w . S w is a sum over xx yy zz xy xz yz */
LK_INLINE void products_of(const double w[3], lk_four ret[2])
{
    ret[0] = (lk_four){w[0] * w[0], w[1] * w[1], w[2] * w[2], 2 * w[0] * w[1]};
    ret[1] = (lk_four){2 * w[0] * w[2], 2 * w[1] * w[2], 0, 0};
}

LK_INLINE double sum_of(lk_four x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* return w . S w of the symmetric matrix @S */
static double square(const double S[6], const double w[3])
{
    return S[0] * w[0] * w[0] + S[1] * w[1] * w[1] + S[2] * w[2] * w[2] +
           2 * (S[3] * w[0] * w[1] + S[4] * w[0] * w[2] + S[5] * w[1] * w[2]);
}

void lk_modal_slopes(const struct lk_modal *m, const double *q, const double w[3], double *ret)
{
    lk_four by[2];

    products_of(w, by);
    for (int k = 0; k < m->n; k++)
        ret[k] = square(m->first[k], w);
    for (int i = 0; i < m->second.n; i++) {
        const struct lk_mode_pair *p = &m->second.pair[i];
        double value = p->half * sum_of(p->value[0] * by[0] + p->value[1] * by[1]);

        ret[p->k] += value * q[p->l];
        ret[p->l] += value * q[p->k];
    }
}

void lk_modal_cross(const struct lk_modal *m, const double *a, const double *b, double ret[3])
{
    lk_four sum = {0};

    for (int i = 0; i < m->second.n; i++) {
        const struct lk_mode_pair *p = &m->second.pair[i];

        sum += (a[p->k] * b[p->l] - a[p->l] * b[p->k]) * p->value[2];
    }
    memcpy(ret, &sum, 3 * sizeof(double));
}

void lk_modal_pull(const struct lk_modal *m, double scale, const double *a, const double w[3],
                   double *ret)
{
    const lk_four by = {scale * w[0], scale * w[1], scale * w[2], 0};

    for (int i = 0; i < m->second.n; i++) {
        const struct lk_mode_pair *p = &m->second.pair[i];
        double value = sum_of(p->value[2] * by);

        ret[p->l] += value * a[p->k];
        ret[p->k] -= value * a[p->l];
    }
}

/* Compute H(q), column by column: H_l = sum_k q_k beta_kl. */
static void coupling_of(const struct lk_modal *m)
{
    int pad = m->flexible->pad;

    memset(m->coupling, 0, 3 * (size_t)pad * sizeof(double));
    for (int i = 0; i < m->second.n; i++) {
        const struct lk_mode_pair *p = &m->second.pair[i];

        for (int c = 0; c < 3; c++) {
            m->coupling[c * pad + p->l] += m->q[p->k] * p->value[2][c];
            m->coupling[c * pad + p->k] -= m->q[p->l] * p->value[2][c];
        }
    }
}

/* return D^-1 of a mode */
static double weight_of(const struct lk_system *sys, const struct lk_modal *m, int k)
{
    if (m->weights == LK_MODAL_STIFF)
        return m->is_static[k] ? 0.5 / (sys->s * (m->stiffness[k] + m->damping[k] / sys->h))
                               : 1 / (1 + sys->s * (m->stiffness[k] + 2 / sys->h * m->decay[k]));
    return m->is_static[k] && m->weights == LK_MODAL_FREE ? LK_MODAL_SLIGHT : 1;
}

/* return whether the inertia of a mode couples with the rotation */
static bool couples(const struct lk_modal *m, int k)
{
    return m->weights != LK_MODAL_FREE || !m->is_static[k];
}

/* Compute W from J and H. */
static void invert(const struct lk_system *sys, struct lk_modal *m)
{
    struct lk_flexible *f = m->flexible;
    bool is_held = m->weights == LK_MODAL_HELD, is_rigid = m->weights >= LK_MODAL_RIGID;
    double J[6];

    memcpy(J, m->inertia, sizeof(J));
    for (int k = 0; k < m->n; k++) {
        f->weight[k] = is_rigid ? 0 : weight_of(sys, m, k);
        for (int i = 0; i < 3; i++)
            f->coupling[i * f->pad + k] =
                couples(m, k) ? f->weight[k] * m->coupling[i * f->pad + k] : 0;
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                J[lk_sym_at(i, j)] -= m->coupling[i * f->pad + k] * f->coupling[j * f->pad + k];
    }
    lk_sym_inverse(J, f->inertia);
    for (int i = 0; i < 6; i++)
        f->inertia[i] *= is_held ? 0 : sys->s;
    f->mass = is_held ? 0 : sys->s / sys->body[m->body].mass;
}

/* ---- Jacobians ---- */

static void slope_of(const struct lk_modal *m, int node, double *ret)
{
    const struct lk_mode_pairs *pairs = &m->node[node].second;
    int pad = m->flexible->pad;

    memcpy(ret, m->node[node].shape, 6 * (size_t)pad * sizeof(double));
    for (int i = 0; i < pairs->n; i++) {
        const struct lk_mode_pair *p = &pairs->pair[i];

        for (int c = 0; c < 6; c++) {
            ret[c * pad + p->k] += p->half * p->value[c / 4][c % 4] * m->q[p->l];
            ret[c * pad + p->l] += p->half * p->value[c / 4][c % 4] * m->q[p->k];
        }
    }
}

static void jacobian_of(const struct lk_system *sys, struct lk_modal *m, int node)
{
    const double *R = sys->pose[m->body].R;
    struct lk_flexible_node *to = &m->flexible->node[node];
    int pad = m->flexible->pad;
    double *slope = m->slope + (size_t)node * 6 * (size_t)pad, turn[4], E[9];
    const double *place = m->node[node].now;

    slope_of(m, node, slope);
    lk_rotation_exp(place + 3, turn);
    lk_quat_matrix(turn, E);
    for (int c = 0; c < 3; c++) {
        double unit[3] = {c == 0, c == 1, c == 2}, arm[3], world[3];

        lk_cross(unit, place, arm);
        lk_rotate(R, arm, world);
        for (int i = 0; i < 3; i++) {
            to->turn[3 * i + c] = world[i];
            to->spin[3 * i + c] = E[3 * c + i];
        }
    }
    for (int k = 0; k < m->n; k++) {
        const double shift[3] = {slope[k], slope[pad + k], slope[2 * pad + k]};
        const double bend[3] = {slope[3 * pad + k], slope[4 * pad + k], slope[5 * pad + k]};
        double move[3], rate[3];

        lk_rotate(R, shift, move);
        tangent(place + 3, bend, rate);
        for (int i = 0; i < 3; i++) {
            to->move[i * pad + k] = move[i];
            to->bend[i * pad + k] = rate[i];
        }
    }
}

void lk_modal_jacobians(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        struct lk_modal *m = &sys->modal[i];

        for (int node = 0; node < m->n_nodes; node++)
            jacobian_of(sys, m, node);
        lk_modal_inertia(m, m->q, m->inertia);
        coupling_of(m);
        invert(sys, m);
    }
}

void lk_modal_weigh_by(struct lk_system *sys, enum lk_modal_weights weights)
{
    for (int i = 0; i < sys->n_modals; i++) {
        sys->modal[i].weights = weights;
        invert(sys, &sys->modal[i]);
    }
}

/* ---- forces and motions ---- */

void lk_modal_collect(const struct lk_modal *m, const struct lk_twist *on)
{
    struct lk_flexible_force *force = m->force;

    for (int i = 0; i < 3; i++) {
        force->v[i] = on[m->body].v[i];
        force->w[i] = on[m->body].w[i];
    }
    memset(force->q, 0, (size_t)m->n * sizeof(double));
    for (int a = 0; a < m->n_nodes; a++)
        lk_flexible_gather(m->flexible, a, &on[m->node[a].body], force);
}

void lk_modal_spread(const struct lk_modal *m, const struct lk_flexible_force *motion,
                     struct lk_twist *ret)
{
    for (int i = 0; i < 3; i++) {
        ret[m->body].v[i] = motion->v[i];
        ret[m->body].w[i] = motion->w[i];
    }
    for (int a = 0; a < m->n_nodes; a++)
        lk_flexible_spread(m->flexible, a, motion, &ret[m->node[a].body]);
}

/* compute velocities, or accelerations, of the nodes in @state from those of body and modes */
static void spread_state(const struct lk_modal *m, struct lk_state *state, bool is_acceleration)
{
    struct lk_flexible_force motion = {.q = m->force->q};
    const struct lk_motion *body = &state->motion[m->body];
    const struct lk_twist *t = is_acceleration ? &body->a : &body->v;

    memcpy(motion.v, t->v, sizeof(motion.v));
    memcpy(motion.w, t->w, sizeof(motion.w));
    for (int k = 0; k < m->n; k++)
        motion.q[k] = is_acceleration ? state->mode[m->at + k].a : state->mode[m->at + k].v;
    for (int a = 0; a < m->n_nodes; a++) {
        struct lk_motion *node = &state->motion[m->node[a].body];

        lk_flexible_spread(m->flexible, a, &motion, is_acceleration ? &node->a : &node->v);
    }
}

void lk_modal_follow(struct lk_system *sys, struct lk_state *state)
{
    for (int i = 0; i < sys->n_modals; i++)
        spread_state(&sys->modal[i], state, false);
}

void lk_modal_settle(struct lk_system *sys, struct lk_state *state)
{
    if (sys->n_modals == 0)
        return;
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_motion *body = &state->motion[sys->modal[i].body];

        memcpy(sys->pose[sys->modal[i].body].x, body->x, sizeof(body->x));
        lk_quat_matrix(body->q, sys->pose[sys->modal[i].body].R);
    }
    lk_modal_place(sys, state);
    lk_modal_jacobians(sys);
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int a = 0; a < m->n_nodes; a++) {
            struct lk_motion *node = &state->motion[m->node[a].body];

            memcpy(node->x, sys->pose[m->node[a].body].x, sizeof(node->x));
            lk_modal_orient(m, a, state->motion[m->body].q, node->q);
        }
    }
    lk_modal_follow(sys, state);
}

/* Add the accelerations of the nodes that velocities make, with no acceleration of the body. */
static void add_gamma(const struct lk_system *sys, const struct lk_modal *m, struct lk_state *state)
{
    const double *w = state->motion[m->body].v.w, *R = sys->pose[m->body].R;
    const struct lk_mode_state *mode = state->mode + m->at;
    int pad = m->flexible->pad;

    for (int a = 0; a < m->n_nodes; a++) {
        const double *slope = m->slope + (size_t)a * 6 * (size_t)pad;
        const struct lk_mode_pairs *pairs = &m->node[a].second;
        struct lk_twist *to = &state->motion[m->node[a].body].a;
        const double *place = m->node[a].now;
        double rate[6] = {0}, second[6] = {0}, local[3], world[3], once[3], spun[3];
        double turned[3], own[3], spin[3], gyro[3], changed[3];

        for (int c = 0; c < 6; c++)
            for (int k = 0; k < m->n; k++)
                rate[c] += slope[c * pad + k] * mode[k].v;
        for (int i = 0; i < pairs->n; i++) {
            const struct lk_mode_pair *p = &pairs->pair[i];
            double both = 2 * p->half * mode[p->k].v * mode[p->l].v;

            for (int c = 0; c < 6; c++)
                second[c] += both * p->value[c / 4][c % 4];
        }
        lk_cross_twice(w, place, spun);
        lk_cross(w, rate, once);
        for (int i = 0; i < 3; i++)
            local[i] = spun[i] + 2 * once[i] + second[i];
        lk_rotate(R, local, world);
        tangent(place + 3, rate + 3, own);      /* T phi' */
        tangent(place + 3, second + 3, turned); /* T phi'' of velocities */
        tangent_rate(place + 3, rate + 3, changed);
        for (int i = 0; i < 3; i++) {
            spin[i] = 0;
            for (int k = 0; k < 3; k++)
                spin[i] += m->flexible->node[a].spin[3 * i + k] * w[k];
        }
        lk_cross(own, spin, gyro); /* d/dt exp(phi)^T w = - (T phi') x exp(phi)^T w */
        for (int i = 0; i < 3; i++) {
            to->v[i] += world[i];
            to->w[i] += turned[i] + changed[i] - gyro[i];
        }
    }
}

void lk_modal_accelerate(struct lk_system *sys, const struct lk_modal *m, const struct lk_twist *on,
                         struct lk_state *state)
{
    struct lk_flexible_force *f = m->force;
    struct lk_motion *body = &state->motion[m->body];
    struct lk_mode_state *mode = state->mode + m->at;
    const double *w = body->v.w;
    double *rate = m->step->v, *slope = m->step->slope, momentum[3], more[3], turn[3],
           change[6] = {0};

    lk_modal_collect(m, on);
    for (int k = 0; k < m->n; k++)
        rate[k] = mode[k].v;
    /* J' w + w x (J w + H q'), with J' = sum dJ/dq_k q_k' */
    lk_sym_mul(m->inertia, w, momentum);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < m->n; k++)
            momentum[i] += m->coupling[i * m->flexible->pad + k] * rate[k];
    lk_cross(w, momentum, more);
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < 6; i++)
            change[i] += m->first[k][i] * rate[k];
    for (int i = 0; i < m->second.n; i++) {
        const struct lk_mode_pair *p = &m->second.pair[i];
        double part = p->half * (m->q[p->k] * rate[p->l] + m->q[p->l] * rate[p->k]);

        for (int c = 0; c < 6; c++)
            change[c] += part * p->value[c / 4][c % 4];
    }
    lk_sym_mul(change, w, turn);
    lk_modal_slopes(m, m->q, w, slope);
    lk_modal_pull(m, 2, rate, w, f->q);
    for (int i = 0; i < 3; i++)
        f->w[i] += more[i] + turn[i];
    for (int k = 0; k < m->n; k++)
        f->q[k] += m->stiffness[k] * m->q[k] + m->damping[k] * rate[k] - 0.5 * slope[k];
    lk_flexible_weigh(m->flexible, f);
    for (int i = 0; i < 3; i++) {
        body->a.v[i] = -1 / sys->s * f->v[i];
        body->a.w[i] = -1 / sys->s * f->w[i];
    }
    for (int k = 0; k < m->n; k++)
        mode[k].a = -1 / sys->s * f->q[k];
    spread_state(m, state, true);
    add_gamma(sys, m, state);
}

/* Return whether J - H D^-1 H^T is positive definite, as that of any body is, and its diagonal no
 * less than LK_MODAL_LEAST of J0. */
static bool has_inertia(const struct lk_modal *m)
{
    const double *J = m->inertia, *J0 = m->first[m->n], *I = m->flexible->inertia;
    double minor = I[0] * I[1] - I[3] * I[3];
    double determinant =
        I[2] * minor - I[0] * I[5] * I[5] - I[1] * I[4] * I[4] + 2 * I[3] * I[4] * I[5];

    for (int c = 0; c < 3; c++)
        if (!(J[c] > LK_MODAL_LEAST * J0[c]))
            return false;
    return I[0] > 0 && minor > 0 && determinant > 0;
}

bool lk_modal_is_small(const struct lk_system *sys)
{
    double most = 0;

    for (int i = 0; i < sys->n_modals; i++)
        for (int a = 0; a < sys->modal[i].n_nodes; a++) {
            const double *phi = sys->modal[i].node[a].now + 3;

            most = lk_max(most, lk_dot(phi, phi));
        }
    for (int i = 0; i < sys->n_modals; i++)
        most = has_inertia(&sys->modal[i]) ? most : 1;
    return most < 1;
}

/* ---- energy ---- */

double lk_modal_kinetic(const struct lk_system *sys, const struct lk_state *state)
{
    double sum = 0;

    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        const struct lk_mode_state *mode = state->mode + m->at;
        const double *w = state->motion[m->body].v.w;
        double *q = m->step->u, *v = m->step->v, J[6], cross[3];

        for (int k = 0; k < m->n; k++) {
            q[k] = mode[k].q;
            v[k] = mode[k].v;
            sum += m->is_static[k] ? 0 : 0.5 * v[k] * v[k];
        }
        lk_modal_inertia(m, q, J);
        lk_modal_cross(m, q, v, cross);
        for (int c = 0; c < 6; c++)
            J[c] -= m->first[m->n][c];
        sum += 0.5 * square(J, w) + lk_dot(w, cross);
    }
    return sum;
}

double lk_modal_elastic(const struct lk_system *sys, const struct lk_state *state)
{
    double sum = 0;

    for (int i = 0; i < sys->n_modals; i++)
        for (int k = 0; k < sys->modal[i].n; k++) {
            double q = state->mode[sys->modal[i].at + k].q;

            sum += 0.5 * sys->modal[i].stiffness[k] * q * q;
        }
    return sum;
}
