/* SPDX-License-Identifier: Apache-2.0 */
/* A body in seven coordinates; see euler.c for the equations. */
#include "methods/euler_body.h"

#define Q LK_EULER_Q
#define P LK_EULER_P

struct lk_twist lk_euler_twist(const double q[Q], const double rate[Q])
{
    struct lk_twist t = {{rate[0], rate[1], rate[2]}, {0}};

    lk_euler_rate_to_turn(q + P, 2 / lk_euler_inner(q + P, q + P), rate + P, t.w);
    return t;
}

struct lk_euler_along lk_euler_along_motion(const struct lk_motion *m, const struct lk_body *def)
{
    double Jw[3];

    lk_sym_mul(def->inertia, m->v.w, Jw);
    return (struct lk_euler_along){
        .norm = 1, .acceleration = -0.25 * lk_dot(m->v.w, m->v.w), .mu = lk_dot(m->v.w, Jw)};
}

struct lk_euler_along lk_euler_along_body(const struct lk_euler_body *body)
{
    const double *p = body->q + P;
    double pp = lk_euler_inner(p, p);

    return (struct lk_euler_along){.norm = sqrt(pp),
                                   .rate = lk_euler_inner(p, body->v + P) / pp,
                                   .acceleration = lk_euler_inner(p, body->a + P) / pp,
                                   .mu = body->mu};
}

/* Set p = |p| q, p' = 1/2 p o (0, w) + (p.p'/p.p) p, and p'' = 1/2 p o (0, al) + (p.p''/p.p) p. */
void lk_euler_load(const struct lk_motion *m, const struct lk_twist *a,
                   const struct lk_euler_along *along, struct lk_euler_body *body)
{
    double *p = body->old[0] + P;

    for (int i = 0; i < 3; i++) {
        body->old[0][i] = m->x[i];
        body->old[1][i] = m->v.v[i];
        body->old[2][i] = a->v[i];
    }
    for (int i = 0; i < 4; i++)
        p[i] = along->norm * m->q[i];
    lk_euler_turn_to_rate(p, 0.5, m->v.w, body->old[1] + P);
    lk_euler_turn_to_rate(p, 0.5, a->w, body->old[2] + P);
    for (int i = 0; i < 4; i++) {
        body->old[1][P + i] += along->rate * p[i];
        body->old[2][P + i] += along->acceleration * p[i];
    }
    body->mu = along->mu;
}

void lk_euler_trapezoidal(double h, struct lk_euler_body *body)
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

void lk_euler_residual(const struct lk_body *def, const struct lk_twist *sum, double along,
                       struct lk_euler_body *body)
{
    const double *p = body->q + P, *rate = body->v + P;
    double turn[3], J[3], inertial[4], gyroscopic[4], applied[4];

    lk_euler_rate_to_turn(p, 2, body->a + P, turn);
    lk_sym_mul(def->inertia, turn, J);
    lk_euler_turn_to_rate(p, 2, J, inertial); /* 4 G^T J G p'' */
    lk_euler_rate_to_turn(p, 2, rate, turn);
    lk_sym_mul(def->inertia, turn, J);
    lk_euler_turn_to_rate(rate, 4, J, gyroscopic); /* 8 G'^T J G p', eq. (8) */
    lk_euler_turn_to_rate(p, 2 / lk_euler_inner(p, p), sum->w, applied);
    for (int i = 0; i < 3; i++)
        body->g[i] = def->mass * body->a[i] + sum->v[i];
    for (int i = 0; i < 4; i++)
        body->g[P + i] = (inertial[i] + gyroscopic[i]) + applied[i] + (2 * body->mu + along) * p[i];
}

void lk_euler_delta(const struct lk_inverse_mass *sW, struct lk_euler_body *body, double *delta)
{
    const double *p = body->p;
    double scale;

    for (int i = 0; i < 4; i++)
        body->p[i] = body->q[P + i];
    body->pp = lk_euler_inner(p, p);
    scale = -0.25 / (body->pp * body->pp);
    for (int i = 0; i < Q * Q; i++)
        delta[i] = 0;
    for (int i = 0; i < 3; i++)
        delta[i * (Q + 1)] = -sW->mass;
    for (int k = 0; k < 4; k++) {
        double unit[4] = {0}, turn[3], J[3], column[4];

        unit[k] = 1;
        lk_euler_rate_to_turn(p, 1, unit, turn);
        lk_sym_mul(sW->inertia, turn, J);
        lk_euler_turn_to_rate(p, 1, J, column);
        for (int i = 0; i < 4; i++)
            delta[(P + i) * Q + P + k] = scale * (column[i] + body->soft * p[i] * p[k]);
    }
}

void lk_euler_bias(const double *delta, const struct lk_euler_body *body, double *bias)
{
    double psi = lk_euler_inner(body->q + P, body->q + P) - 1;

    for (int i = 0; i < Q; i++) {
        double sum = 0;

        for (int k = 0; k < Q; k++)
            sum += delta[i * Q + k] * body->g[k];
        bias[i] = sum;
    }
    for (int i = 0; i < 4; i++)
        bias[P + i] -= 0.5 * psi / body->pp * body->p[i];
}

double lk_euler_predict(double h, struct lk_euler_body *body)
{
    struct lk_twist v = lk_euler_twist(body->old[0], body->old[1]);
    struct lk_twist a = lk_euler_twist(body->old[0], body->old[2]);
    double theta[3], dropped[4];

    lk_euler_turn_to_rate(body->old[0] + P, 0.5 * (1 - body->start_a[1]), a.w, dropped);
    for (int i = 0; i < 3; i++) {
        theta[i] = h * v.w[i] + 0.5 * h * h * body->start_a[1] * a.w[i];
        body->u[i] = h * body->old[1][i] + 0.5 * h * h * body->start_a[0] * body->old[2][i];
    }
    for (int i = 0; i < 4; i++)
        body->u[P + i] = h * body->old[1][P + i] + 0.5 * h * h * (body->old[2][P + i] - dropped[i]);
    return lk_dot(theta, theta);
}
