/* SPDX-License-Identifier: Apache-2.0 */
/* Forward kinematics along the tree, and its inverse: rates from velocities and accelerations of
 * bodies. */
#include "maths/vec.h"
#include "methods/relative/private.h"
#include <math.h>
#include <string.h>

/* Compute the quaternion a b^-1. */
static void times_inverse(const double a[4], const double b[4], double ret[4])
{
    const double inverse[4] = {b[0], -b[1], -b[2], -b[3]};

    lk_quat_mul(a, inverse, ret);
}

static void about_third(double angle, double ret[4])
{
    ret[0] = cos(0.5 * angle);
    ret[1] = ret[2] = 0;
    ret[3] = sin(0.5 * angle);
}

/* ---- positions ---- */

/* Compute the relative pose of both frames: F1 = F0 turn and P1 = P0 + F0 shift. In the cross-piece
 * of a universal joint, the first axis is the third vector and the second axis is the first vector.
 * Half a turn about (1, 0, 1) swaps these two vectors. */
static void place_in_joint(const struct lk_relative_joint *j, const struct lk_relative_frames *f,
                           const double *q, double turn[4], double shift[3])
{
    static const double swap[4] = {0, M_SQRT1_2, 0, M_SQRT1_2};
    double first[4], second[4], both[4] = {0};

    turn[0] = 1;
    turn[1] = turn[2] = turn[3] = shift[0] = shift[1] = shift[2] = 0;
    if (j->kind == LK_RELATIVE_SPHERICAL || j->kind == LK_RELATIVE_FREE)
        return;
    for (int i = 0; i < j->n_q; i++)
        switch (j->measure[i]) {
        case LK_NO_MEASURE:
            break;
        case LK_ALONG_0:
        case LK_ALONG_1:
        case LK_ALONG_2:
            shift[j->measure[i] - LK_ALONG_0] = q[i] - f->zero[i];
            break;
        case LK_ABOUT_AXIS:
            about_third(q[i] - f->zero[i], turn);
            break;
        case LK_ABOUT_FIRST:
            about_third(q[i] - f->zero[i], first);
            lk_quat_mul(first, swap, both);
            break;
        case LK_ABOUT_SECOND:
            about_third(q[i] - f->zero[i], second);
            lk_quat_mul(both, second, turn);
            break;
        }
    if (j->kind == LK_RELATIVE_SCREW)
        shift[2] = f->pitch * (q[0] - f->zero[0]);
}

/* Scale a quaternion from an integrator to unit length. */
static void unit(const double q[4], double ret[4])
{
    double scale = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

    for (int i = 0; i < 4; i++)
        ret[i] = scale * q[i];
}

/* Compute the vectors of F0 and F1[2], world axes.
 * @in, @out: quaternions of the joint frames on the parent and on the body */
static void keep_axes(const struct lk_relative_joint *j, const double in[4], const double out[4],
                      struct lk_relative_frames *f)
{
    double F0[9], F1[9];

    lk_quat_matrix(j->is_reversed ? out : in, F0);
    lk_quat_matrix(j->is_reversed ? in : out, F1);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            f->axis[k][i] = F0[3 * i + k];
        f->second[i] = F1[3 * i + 2];
    }
}

static void place_on_joint(struct lk_relative *r, int b, const double *q,
                           const struct lk_motion *parent, struct lk_motion *m)
{
    struct lk_relative_scratch *s = r->scratch;
    struct lk_relative_joint *j = &r->on[b];
    struct lk_relative_frames *f = &s->frames[b];
    double in[4], out[4], turn[4], shift[3], arm[3];

    place_in_joint(j, f, q, turn, shift);
    if (j->kind == LK_RELATIVE_SPHERICAL)
        unit(q, turn);
    lk_quat_mul(parent->q, f->inboard, in);
    if (j->is_reversed && j->kind != LK_RELATIVE_SPHERICAL)
        times_inverse(in, turn, out);
    else
        lk_quat_mul(in, turn, out);
    keep_axes(j, in, out, f);
    times_inverse(out, f->outboard, m->q);
    unit(m->q, m->q);
    lk_quat_matrix(m->q, s->body[b].R);
    lk_rotate(s->body[j->parent].R, f->p_in, arm);
    for (int i = 0; i < 3; i++) {
        f->shift[i] = 0;
        for (int k = 0; k < 3; k++)
            f->shift[i] += shift[k] * f->axis[k][i];
        j->point[i] = parent->x[i] + arm[i] + (j->is_reversed ? -f->shift[i] : f->shift[i]);
    }
    lk_rotate(s->body[b].R, f->p_out, arm);
    lk_sub(j->point, arm, m->x);
}

static void place_free(struct lk_relative *r, int b, const double *q, struct lk_motion *m)
{
    struct lk_relative_scratch *s = r->scratch;

    memcpy(m->x, q, sizeof(m->x));
    memcpy(r->on[b].point, q, sizeof(m->x));
    unit(q + 3, m->q);
    lk_quat_matrix(m->q, s->body[b].R);
}

/* ---- velocities and accelerations ---- */

/* Compute the velocity V_body = V_parent + H nu at O, then the velocity of the centre of mass. */
static void move_joint(struct lk_relative *r, int b, const double *nu,
                       const struct lk_motion *parent, struct lk_motion *m)
{
    struct lk_relative_scratch *s = r->scratch;
    struct lk_relative_joint *j = &r->on[b];
    const struct lk_relative_body *in = &s->body[j->parent], *body = &s->body[b];
    double arm[3], lever[3], slide[3], wander[3];

    lk_relative_turn(r, b, nu);
    lk_relative_directions(r, b, nu, j);
    memset(j->bias, 0, sizeof(j->bias));
    memset(slide, 0, sizeof(slide));
    for (int c = 0; c < j->n_v; c++) {
        for (int i = 0; i < 6; i++)
            j->bias[i] += j->H_rate[c][i] * nu[c];
        for (int i = 0; i < 3; i++)
            slide[i] += j->H[c][i] * nu[c];
    }
    lk_cross(in->w, slide, wander);
    lk_sub(j->point, parent->x, arm);
    lk_cross(in->w, arm, lever);
    for (int i = 0; i < 3; i++) {
        j->bias[i] += wander[i];
        j->point_rate[i] = parent->v.v[i] + lever[i] + slide[i];
    }
    lk_sub(m->x, j->point, arm);
    lk_cross(body->w, arm, lever);
    for (int i = 0; i < 3; i++)
        m->v.v[i] = j->point_rate[i] + lever[i];
    lk_rotate_back(body->R, body->w, m->v.w);
}

/* state of the ground as a parent */
static const struct lk_motion ground = {.q = {1, 0, 0, 0}};

static const struct lk_motion *parent_of(const struct lk_relative *r, int b)
{
    int parent = r->on[b].parent;

    return parent == r->mechanics->n_bodies ? &ground : &lk_mechanics_motion(r->mechanics)[parent];
}

void lk_relative_place(struct lk_relative *r, const double *q, const double *nu)
{
    struct lk_motion *motion = lk_mechanics_motion(r->mechanics);

    for (int k = 0; k < r->mechanics->n_bodies; k++) {
        int b = r->order[k];
        const struct lk_relative_joint *j = &r->on[b];

        if (j->kind == LK_RELATIVE_FREE)
            place_free(r, b, q + j->at_q, &motion[b]);
        else
            place_on_joint(r, b, q + j->at_q, parent_of(r, b), &motion[b]);
        move_joint(r, b, nu + j->at_v, parent_of(r, b), &motion[b]);
    }
}

/* Add @sign times the relative acceleration of a point at @arm from the origin of a body: al x arm
 * + w x (w x arm). */
static void add_arm(const struct lk_relative_body *body, const double arm[3], double sign,
                    double sum[3])
{
    double turn[3], inward[3];

    lk_cross(body->al, arm, turn);
    lk_cross_twice(body->w, arm, inward);
    for (int i = 0; i < 3; i++)
        sum[i] += sign * (turn[i] + inward[i]);
}

void lk_relative_accelerate(struct lk_relative *r, const double *nu_rate)
{
    struct lk_relative_scratch *s = r->scratch;
    struct lk_motion *motion = lk_mechanics_motion(r->mechanics);

    for (int k = 0; k < r->mechanics->n_bodies; k++) {
        int b = r->order[k];
        const struct lk_relative_joint *j = &r->on[b];
        const struct lk_motion *parent = parent_of(r, b);
        double a[6], arm[3];

        memcpy(a, j->bias, sizeof(a));
        for (int c = 0; c < j->n_v; c++)
            for (int i = 0; i < 6; i++)
                a[i] += j->H[c][i] * nu_rate[j->at_v + c];
        lk_sub(j->point, parent->x, arm);
        add_arm(&s->body[j->parent], arm, 1, a);
        for (int i = 0; i < 3; i++) {
            s->body[b].al[i] = s->body[j->parent].al[i] + a[3 + i];
            motion[b].a.v[i] = parent->a.v[i] + a[i];
        }
        lk_sub(motion[b].x, j->point, arm);
        add_arm(&s->body[b], arm, 1, motion[b].a.v);
        lk_rotate_back(s->body[b].R, s->body[b].al, motion[b].a.w);
    }
}

/* ---- rates of coordinates ---- */

/* Compute q' = q (0, w) / 2. */
static void quaternion_rate(const double q[4], const double w[3], double ret[4])
{
    const double half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};

    lk_quat_mul(q, half, ret);
}

void lk_relative_rates(const struct lk_relative *r, const double *q, const double *nu, double *ret)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        int n_plain = j->kind == LK_RELATIVE_SPHERICAL ? 0 : j->n_v;

        if (j->kind == LK_RELATIVE_FREE)
            n_plain = 3;
        for (int i = 0; i < n_plain; i++)
            ret[j->at_q + i] = nu[j->at_v + i];
        if (n_plain < j->n_v)
            quaternion_rate(q + j->at_q + n_plain, nu + j->at_v + n_plain, ret + j->at_q + n_plain);
    }
}

void lk_relative_normalise(const struct lk_relative *r, double *q)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &r->on[b];

        if (j->kind == LK_RELATIVE_SPHERICAL || j->kind == LK_RELATIVE_FREE)
            unit(q + j->at_q + j->n_q - 4, q + j->at_q + j->n_q - 4);
    }
}

void lk_relative_move(const struct lk_relative *r, const double *from, const double *d, double *ret)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        int n_plain = j->kind == LK_RELATIVE_SPHERICAL ? 0 : j->n_v;
        double turn[4], turned[4];

        if (j->kind == LK_RELATIVE_FREE)
            n_plain = 3;
        for (int i = 0; i < n_plain; i++)
            ret[j->at_q + i] = from[j->at_q + i] + d[j->at_v + i];
        if (n_plain == j->n_v)
            continue;
        lk_rotation_exp(d + j->at_v + n_plain, turn);
        lk_quat_mul(from + j->at_q + n_plain, turn, turned);
        unit(turned, ret + j->at_q + n_plain);
    }
}

/* ---- back ---- */

/* Add @sign times the velocity or acceleration of the material point O of @body.
 * @extra: 1 for accelerations, to include w x (w x arm); 0 for velocities */
static void add_at_point(const struct lk_relative *r, const struct lk_relative_joint *j, int body,
                         const struct lk_twist *v, double extra, double sign, double sum[6])
{
    const struct lk_relative_body *b = &lk_relative_scratch_of(r)->body[body];
    double turn[3], arm[3], lever[3], inward[3];

    if (body == r->mechanics->n_bodies)
        return;
    lk_rotate(b->R, v[body].w, turn);
    lk_sub(j->point, lk_mechanics_motion(r->mechanics)[body].x, arm);
    lk_cross(turn, arm, lever);
    lk_cross_twice(b->w, arm, inward);
    for (int i = 0; i < 3; i++) {
        sum[i] += sign * (v[body].v[i] + lever[i] + extra * inward[i]);
        sum[3 + i] += sign * turn[i];
    }
}

void lk_relative_components(const struct lk_relative *r, const struct lk_twist *v, double *ret)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        double difference[6] = {0};

        add_at_point(r, j, b, v, 0, 1, difference);
        add_at_point(r, j, j->parent, v, 0, -1, difference);
        for (int c = 0; c < j->n_v; c++)
            ret[j->at_v + c] =
                lk_dot(j->dual[c], difference) + lk_dot(j->dual[c] + 3, difference + 3);
    }
}

void lk_relative_rate_components(const struct lk_relative *r, const struct lk_twist *a, double *ret)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++) {
        const struct lk_relative_joint *j = &r->on[b];
        double difference[6];

        for (int i = 0; i < 6; i++)
            difference[i] = -j->bias[i];
        add_at_point(r, j, b, a, 1, 1, difference);
        add_at_point(r, j, j->parent, a, 1, -1, difference);
        for (int c = 0; c < j->n_v; c++)
            ret[j->at_v + c] =
                lk_dot(j->dual[c], difference) + lk_dot(j->dual[c] + 3, difference + 3);
    }
}
