/* SPDX-License-Identifier: Apache-2.0 */
/* The three sweeps of the recursive formalism. Each visits every body once: forward for the
 * kinematics, backward for condensed masses and forces, forward for accelerations. */
#include "methods/formulations/recursive.h"
#include "methods/formulations/recursive_six_inl.h"
#include <string.h>

/* ---- forward: kinematics ---- */

void lk_recursive_place(struct lk_recursive *r, double t, const double *q, const double *nu)
{
    lk_relative_place(r->relative, q, nu);
    lk_mechanics_evaluate(r->mechanics, t);
    for (int b = 0; b < r->n_bodies; b++) {
        const struct lk_relative_joint *on = &r->relative->on[b];
        struct lk_recursive_body *body = &r->body[b];

        lk_sub(r->mechanics->system->pose[b].x, on->point, body->arm);
        memset(body->shift, 0, sizeof(body->shift));
        if (on->parent < r->n_bodies)
            lk_sub(on->point, r->relative->on[on->parent].point, body->shift);
    }
}

/* ---- backward: masses ---- */

/* Compute the part of the condensed mass that the joint transmits to the parent, M - U D U^T
 * (17a). */
static void pass_mass(const struct lk_recursive_body *body, int n, double ret[36])
{
    memcpy(ret, body->M, sizeof(body->M));
    for (int c = 0; c < n; c++) {
        double DU[6] = {0};

        for (int k = 0; k < n; k++)
            for (int i = 0; i < 6; i++)
                DU[i] += body->D[c][k] * body->U[k][i];
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++)
                ret[6 * i + k] -= body->U[c][i] * DU[k];
    }
}

/* Add the mass and moments of the subtree of a body to those of the parent, about O of the
 * parent. */
static void add_extent(const double d[3], const double e[5], double sum[5])
{
    sum[0] += e[0];
    sum[4] += e[4] + 2 * lk_dot(d, e + 1) + e[0] * lk_dot(d, d);
    for (int i = 0; i < 3; i++)
        sum[1 + i] += e[1 + i] + e[0] * d[i];
}

static void own_extent(const struct lk_body *body, const double arm[3], double ret[5])
{
    const double at_com[5] = {body->mass, 0, 0, 0,
                              body->inertia[0] + body->inertia[1] + body->inertia[2]};

    memset(ret, 0, 5 * sizeof(double));
    add_extent(arm, at_com, ret);
}

/* Compute the magnitude of the diagonal of H^T M H as if the subtree of the body were rigid. A
 * point mass on a rotation axis would give 0. Its distance counts as a thousandth of the
 * mechanism's length. */
void lk_recursive_scale(const struct lk_recursive *r, int b, double *ret)
{
    const struct lk_relative_joint *on = &r->relative->on[b];
    const double *extent = r->body[b].extent;
    double arm = r->mechanics->system->arm;

    for (int c = 0; c < on->n_v; c++) {
        const double *H = on->H[c];

        ret[c] = extent[0] * lk_dot(H, H) +
                 (extent[4] + 1e-6 * extent[0] * arm * arm) * lk_dot(H + 3, H + 3);
    }
}

/* Compute U, the pseudo-inverse D and the null directions of one joint.
 * Return: number of null directions; -1: H^T M H is singular, although may_lack is 0. */
static int project(struct lk_recursive *r, int b)
{
    const struct lk_relative_joint *on = &r->relative->on[b];
    struct lk_recursive_body *body = &r->body[b];
    double A[6][6], scale[6];

    for (int c = 0; c < on->n_v; c++)
        lk_six_mass_times(body->M, on->H[c], body->U[c]);
    for (int c = 0; c < on->n_v; c++)
        for (int k = 0; k < on->n_v; k++)
            A[c][k] = lk_six_dot(on->H[c], body->U[k]);
    if (!body->may_lack)
        return lk_small_inverse(on->n_v, A, body->D) == 0 ? 0 : -1;
    lk_recursive_scale(r, b, scale);
    return lk_small_pseudo_inverse(on->n_v, A, scale, body->D, body->Z);
}

static void start_masses(struct lk_recursive *r)
{
    const struct lk_system *sys = r->mechanics->system;

    for (int b = 0; b < r->n_bodies; b++) {
        lk_six_mass_of(&sys->body[b], sys->pose[b].R, r->body[b].arm, r->body[b].M);
        own_extent(&sys->body[b], r->body[b].arm, r->body[b].extent);
    }
}

/* Process one body of the backward sweep.
 * Return: as project(). */
static int condense_body(struct lk_recursive *r, int b)
{
    const struct lk_relative_joint *on = &r->relative->on[b];
    struct lk_recursive_body *body = &r->body[b];
    double passed[36];
    int n_null = project(r, b);

    if (n_null < 0 || on->parent >= r->n_bodies)
        return n_null;
    pass_mass(body, on->n_v, passed);
    lk_six_add_mass(body->shift, passed, r->body[on->parent].M);
    add_extent(body->shift, body->extent, r->body[on->parent].extent);
    return n_null;
}

int lk_recursive_condense(struct lk_recursive *r)
{
    start_masses(r);
    for (int k = r->n_bodies - 1; k >= 0; k--) {
        int b = r->relative->order[k];

        if (condense_body(r, b) != r->body[b].n_null)
            return LK_E_SINGULAR;
    }
    return 0;
}

int lk_recursive_ranks(struct lk_recursive *r)
{
    start_masses(r);
    r->n_null = 0;
    for (int k = r->n_bodies - 1; k >= 0; k--) {
        int b = r->relative->order[k], n_null = condense_body(r, b);

        if (n_null < 0)
            return LK_E_SINGULAR;
        r->body[b].n_null = n_null;
        r->body[b].at_null = r->n_null;
        r->n_null += n_null;
    }
    return 0;
}

/* ---- forces ---- */

/* Compute the angular velocity with @raw, and the bias. The bias is the derivative of V = X
 * V_parent + H nu along the placed motion with nu' = 0, where V and nu belong to @raw. The placed
 * rates and @raw differ by a null motion, which moves no mass. Therefore both give every body the
 * same momentum. */
static void find_bias(struct lk_recursive *r, int b, const double *raw)
{
    const struct lk_relative_joint *on = &r->relative->on[b];
    struct lk_recursive_body *body = &r->body[b];
    double shift_rate[3], turn[3] = {0, 0, 0};

    memset(body->w_raw, 0, sizeof(body->w_raw));
    if (on->parent < r->n_bodies) {
        memcpy(body->w_raw, r->body[on->parent].w_raw, sizeof(body->w_raw));
        lk_sub(on->point_rate, r->relative->on[on->parent].point_rate, shift_rate);
        lk_cross(body->w_raw, shift_rate, turn);
    }
    for (int i = 0; i < 3; i++) {
        body->bias[i] = turn[i];
        body->bias[3 + i] = 0;
    }
    for (int c = 0; c < on->n_v; c++) {
        for (int i = 0; i < 6; i++)
            body->bias[i] += on->H_rate[c][i] * raw[on->at_v + c];
        for (int i = 0; i < 3; i++)
            body->w_raw[i] += on->H[c][3 + i] * raw[on->at_v + c];
    }
}

/* Compute the force and torque on a body at its O, minus velocity-dependent inertia forces: m w_raw
 * x (w x arm), and J (w x w_raw). The second term occurs because the body axes, in which the
 * angular velocity is given, rotate too. */
static void own_force(struct lk_recursive *r, int b)
{
    const struct lk_system *sys = r->mechanics->system;
    const double *R = sys->pose[b].R;
    struct lk_recursive_body *body = &r->body[b];
    double w[3], swing[3], centripetal[3], turn[3], turn_body[3], Jt[3], torque[3], at_com[6];

    lk_rotate(R, sys->next.motion[b].v.w, w);
    lk_cross(w, body->arm, swing);
    lk_cross(body->w_raw, swing, centripetal);
    lk_cross(w, body->w_raw, turn);
    lk_rotate_back(R, turn, turn_body);
    lk_sym_mul(sys->body[b].inertia, turn_body, Jt);
    for (int i = 0; i < 3; i++) {
        at_com[i] = r->force[b].v[i] - sys->body[b].mass * centripetal[i];
        Jt[i] += r->force[b].w[i];
    }
    lk_rotate(R, Jt, torque);
    memcpy(at_com + 3, torque, sizeof(torque));
    memset(body->p, 0, sizeof(body->p));
    lk_six_add_wrench(body->arm, at_com, body->p);
}

void lk_recursive_load(struct lk_recursive *r, const double *raw)
{
    lk_mechanics_forces(r->mechanics, r->force);
    for (int k = 0; k < r->n_bodies; k++)
        find_bias(r, r->relative->order[k], raw);
    for (int b = 0; b < r->n_bodies; b++)
        own_force(r, b);
}

/* Compute t = D (H^T p - U^T bias), the joint acceleration if the parent does not accelerate. */
static void find_joint_part(const struct lk_relative_joint *on, struct lk_recursive_body *body,
                            int with_bias)
{
    double along[LK_RELATIVE_DOF_MAX];

    for (int c = 0; c < on->n_v; c++)
        along[c] =
            lk_six_dot(on->H[c], body->p) - (with_bias ? lk_six_dot(body->U[c], body->bias) : 0);
    for (int c = 0; c < on->n_v; c++) {
        body->t[c] = 0;
        for (int k = 0; k < on->n_v; k++)
            body->t[c] += body->D[c][k] * along[k];
    }
}

void lk_recursive_gather(struct lk_recursive *r, int with_bias)
{
    for (int k = r->n_bodies - 1; k >= 0; k--) {
        int b = r->relative->order[k];
        const struct lk_relative_joint *on = &r->relative->on[b];
        struct lk_recursive_body *body = &r->body[b];
        double passed[6], Mb[6];

        find_joint_part(on, body, with_bias);
        if (on->parent >= r->n_bodies)
            continue;
        lk_six_mass_times(body->M, body->bias, Mb);
        for (int i = 0; i < 6; i++)
            passed[i] = body->p[i] - (with_bias ? Mb[i] : 0);
        for (int c = 0; c < on->n_v; c++)
            for (int i = 0; i < 6; i++)
                passed[i] -= body->U[c][i] * body->t[c];
        lk_six_add_wrench(body->shift, passed, r->body[on->parent].p);
    }
}

/* ---- forward: accelerations ---- */

/* Compute the acceleration or velocity of the parent at the O of body @b. */
static void from_parent(const struct lk_recursive *r, int b, double ret[6])
{
    int parent = r->relative->on[b].parent;

    memset(ret, 0, 6 * sizeof(double));
    if (parent < r->n_bodies)
        lk_six_shift(r->body[b].shift, r->body[parent].a, ret);
}

/* Compute the joint rates due to the motion @V of the parent: -D U^T V. */
static void follow_parent(const struct lk_relative_joint *on, const struct lk_recursive_body *body,
                          const double V[6], double *ret)
{
    double along[LK_RELATIVE_DOF_MAX];

    for (int c = 0; c < on->n_v; c++)
        along[c] = lk_six_dot(body->U[c], V);
    for (int c = 0; c < on->n_v; c++) {
        ret[c] = 0;
        for (int k = 0; k < on->n_v; k++)
            ret[c] -= body->D[c][k] * along[k];
    }
}

void lk_recursive_accelerate(struct lk_recursive *r, int with_bias, double *ret_nu_rate)
{
    for (int k = 0; k < r->n_bodies; k++) {
        int b = r->relative->order[k];
        const struct lk_relative_joint *on = &r->relative->on[b];
        struct lk_recursive_body *body = &r->body[b];
        double V[6], *rate = ret_nu_rate + on->at_v;

        from_parent(r, b, V);
        follow_parent(on, body, V, rate);
        for (int i = 0; i < 6; i++)
            body->a[i] = V[i] + (with_bias ? body->bias[i] : 0);
        for (int c = 0; c < on->n_v; c++) {
            rate[c] += body->t[c];
            for (int i = 0; i < 6; i++)
                body->a[i] += on->H[c][i] * rate[c];
        }
    }
}

/* Solve M nu = sum of H^T (momentum of each body) for nu. */
void lk_recursive_fit_rates(struct lk_recursive *r, const double *q, double *ret_nu)
{
    const struct lk_system *sys = r->mechanics->system;

    lk_recursive_place(r, r->mechanics->time, q, ret_nu);
    if (lk_recursive_condense(r) != 0)
        return; /* evaluations also fail in this pose, and report it */
    for (int b = 0; b < r->n_bodies; b++) {
        const struct lk_twist *v = &sys->now.motion[b].v;
        struct lk_recursive_body *body = &r->body[b];
        double at_com[6], spin[3];

        lk_sym_mul(sys->body[b].inertia, v->w, spin);
        for (int i = 0; i < 3; i++)
            at_com[i] = sys->body[b].mass * v->v[i];
        lk_rotate(sys->pose[b].R, spin, at_com + 3);
        memset(body->p, 0, sizeof(body->p));
        lk_six_add_wrench(body->arm, at_com, body->p);
    }
    lk_recursive_gather(r, 0);
    lk_recursive_accelerate(r, 0, ret_nu);
}

void lk_recursive_drift(struct lk_recursive *r, const double *zeta, double *nu)
{
    for (int k = 0; k < r->n_bodies; k++) {
        int b = r->relative->order[k];
        const struct lk_relative_joint *on = &r->relative->on[b];
        struct lk_recursive_body *body = &r->body[b];
        double rate[LK_RELATIVE_DOF_MAX];

        from_parent(r, b, body->a);
        follow_parent(on, body, body->a, rate);
        for (int c = 0; c < on->n_v; c++) {
            for (int z = 0; z < body->n_null; z++)
                rate[c] += body->Z[z][c] * zeta[body->at_null + z];
            nu[on->at_v + c] += rate[c];
            for (int i = 0; i < 6; i++)
                body->a[i] += on->H[c][i] * rate[c];
        }
    }
}

void lk_recursive_inverse(struct lk_recursive *r, const double *nu_rate, double *ret)
{
    const struct lk_system *sys = r->mechanics->system;
    double M[36], Ma[6];

    for (int k = 0; k < r->n_bodies; k++) {
        int b = r->relative->order[k];
        const struct lk_relative_joint *on = &r->relative->on[b];
        struct lk_recursive_body *body = &r->body[b];

        from_parent(r, b, body->a);
        for (int i = 0; i < 6; i++)
            body->a[i] += body->bias[i];
        for (int c = 0; c < on->n_v; c++)
            for (int i = 0; i < 6; i++)
                body->a[i] += on->H[c][i] * nu_rate[on->at_v + c];
    }
    for (int b = 0; b < r->n_bodies; b++) {
        lk_six_mass_of(&sys->body[b], sys->pose[b].R, r->body[b].arm, M);
        lk_six_mass_times(M, r->body[b].a, Ma);
        for (int i = 0; i < 6; i++)
            r->body[b].p[i] = Ma[i] - r->body[b].p[i];
    }
    for (int k = r->n_bodies - 1; k >= 0; k--) {
        int b = r->relative->order[k];
        const struct lk_relative_joint *on = &r->relative->on[b];

        for (int c = 0; c < on->n_v; c++)
            ret[on->at_v + c] = lk_six_dot(on->H[c], r->body[b].p);
        if (on->parent < r->n_bodies)
            lk_six_add_wrench(r->body[b].shift, r->body[b].p, r->body[on->parent].p);
    }
}
