/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of bodies and rows of joints, at the poses and twists in the scratch of a system. */
#include "step/kinematics.h"
#include "step/kinematics_inl.h"
#include "step/system.h"
#include <string.h>

void lk_evaluate_poses(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &state->motion[b];
        struct lk_pose *pose = &sys->pose[b];

        for (int i = 0; i < 3; i++)
            pose->x[i] = m->x[i];
        lk_quat_matrix(m->q, pose->R);
    }
    lk_modal_place(sys, state);
}

void lk_evaluate_pose_of(const struct lk_system *sys, int body, struct lk_pose *ret)
{
    *ret = sys->pose[body];
    if (body < sys->n_bodies) {
        memcpy(ret->x, sys->now.motion[body].x, sizeof(ret->x));
        lk_quat_matrix(sys->now.motion[body].q, ret->R);
    }
}

void lk_evaluate_twists(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++)
        sys->twist[b] = state->motion[b].v;
}

/* return the angle @value plus the number of whole turns that makes it nearest to @near */
LK_INLINE double unwrap(double value, double near)
{
    double off = value - near;

    return near + (fabs(off) <= M_PI ? off : remainder(off, 2 * M_PI));
}

double lk_evaluate_coordinate_near(const struct lk_system *sys, const struct lk_joint *joint,
                                   int which, double near)
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, joint);
    double value = lk_joint_ops(joint->type)->coordinate(joint, pose, which);

    if (lk_joint_coordinate_is_angle(joint->type, which))
        value = unwrap(value, near);
    return value;
}

double lk_evaluate_coordinate_rate(const struct lk_system *sys, const struct lk_joint *joint,
                                   int which, const struct lk_twist *twist)
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, joint);
    double J[2][6], rate = 0;

    lk_joint_ops(joint->type)->coordinate_jacobian(joint, pose, which, J);
    for (int s = 0; s < 2; s++) {
        const struct lk_twist *t = &twist[joint->body[s]];

        rate += lk_dot(J[s], t->v) + lk_dot(J[s] + 3, t->w);
    }
    return rate;
}

/* return the prediction of coordinate @at at the end of the step, where its rate is @rate */
LK_INLINE double predicted(const struct lk_system *sys, int at, double rate)
{
    return sys->now.coordinate[at] + sys->unwrapping * (sys->now.rate[at] + rate);
}

double lk_evaluate_coordinate(const struct lk_system *sys, const struct lk_joint *joint, int which,
                              double *ret_rate)
{
    *ret_rate = lk_evaluate_coordinate_rate(sys, joint, which, sys->twist);
    return lk_evaluate_coordinate_near(sys, joint, which,
                                       predicted(sys, joint->first_coordinate + which, *ret_rate));
}

/* return J a + dJ/dt v of a coordinate */
double lk_evaluate_coordinate_acceleration(const struct lk_system *sys,
                                           const struct lk_state *state, const struct lk_joint *j,
                                           int which)
{
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    const struct lk_twist *const twist[2] = LK_TWO_SIDES(sys->twist, j);
    double J[2][6];
    double sum = lk_joint_ops(j->type)->coordinate_gamma(j, pose, twist, which);

    lk_joint_ops(j->type)->coordinate_jacobian(j, pose, which, J);
    for (int s = 0; s < 2; s++) {
        int body = j->body[s];

        if (body < sys->n_bodies)
            sum +=
                lk_dot(J[s], state->motion[body].a.v) + lk_dot(J[s] + 3, state->motion[body].a.w);
    }
    return sum;
}

/** struct wound - a coordinate: the value at a pose, and the number of whole @turns to be added, 0
 * for lengths. */
struct wound {
    double value;
    double turns;
};

static struct wound wind(const struct lk_system *sys, const struct lk_joint *joint, int which)
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, joint);
    struct wound w = {.value = lk_joint_ops(joint->type)->coordinate(joint, pose, which)};

    if (lk_joint_coordinate_is_angle(joint->type, which)) {
        double rate = lk_evaluate_coordinate_rate(sys, joint, which, sys->twist);
        double near = predicted(sys, joint->first_coordinate + which, rate);

        w.turns = rint((unwrap(w.value, near) - w.value) / (2 * M_PI));
    }
    return w;
}

/* Return the violation of a coupling. Whole turns are multiplied separately, with the ratio split
 * into a high and a low part. The result is exact for millions of turns, whereas the round-off of
 * unwrapped angles would grow with the angle. */
static double coupling_violation(const struct lk_system *sys, const struct lk_joint *j)
{
    struct wound first = wind(sys, j->of[0], j->which[0]);
    struct wound second = wind(sys, j->of[1], j->which[1]);
    double high = (float)j->ratio, low = j->ratio - high;

    if (j->of[2]) {
        struct wound third = wind(sys, j->of[2], j->which[2]);

        second.value += third.value;
        second.turns += third.turns;
    }
    return second.value - j->ratio * first.value - j->offset +
           2 * M_PI * (second.turns - high * first.turns - low * first.turns);
}

/* return the violation of a coordinate row or of a coupling */
static double coordinate_violation(const struct lk_system *sys, const struct lk_joint *j)
{
    double rate;

    if (j->of[1])
        return coupling_violation(sys, j);
    return lk_evaluate_coordinate(sys, j->of[0], j->which[0], &rate) -
           (j->kind == LK_ROWS_DRIVEN ? sys->drive[j->drive].value : j->offset);
}

void lk_evaluate_violation(const struct lk_system *sys, int i, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);

    if (j->of[0])
        ret[0] = coordinate_violation(sys, j);
    else if (lk_is_compliant(j))
        lk_joint_violation(j, pose, ret);
    else
        lk_joint_ops(j->type)->violation(j, pose, ret);
}

void lk_keep_coordinates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_followed; i++) {
        const struct lk_joint *j = &sys->joint[sys->followed[i]];

        for (int k = 0; k < lk_joint_traits[j->type].n_coordinates; k++) {
            int at = j->first_coordinate + k;

            sys->next.coordinate[at] = lk_evaluate_coordinate(sys, j, k, &sys->next.rate[at]);
        }
    }
}

void lk_evaluate_gamma(const struct lk_system *sys, int i, double *ret)
{
    gamma_of_joint(sys, i, ret);
}

void lk_evaluate_row_rates(const struct lk_system *sys, int j, const struct lk_twist *twist,
                           double *ret)
{
    rates_of_joint(sys, j, twist, ret);
}

void lk_evaluate_accelerations(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++)
        sys->residual[b] = state->motion[b].a;
    sys->residual[sys->n_bodies] = (struct lk_twist){0};
    for (int k = 0; k < sys->n_frames; k++) {
        const double *a = sys->frame[k].acceleration;

        sys->residual[sys->n_bodies + 1 + k] =
            (struct lk_twist){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    }
}

void lk_evaluate_clear_frames(const struct lk_system *sys, struct lk_twist *array)
{
    for (int b = sys->n_bodies; b <= sys->n_bodies + sys->n_frames; b++)
        array[b] = (struct lk_twist){0};
}

/* compute @scale s W of the forces collected on bodies with modes */
static void weigh_modal(const struct lk_system *sys, double scale, struct lk_twist *ret)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];
        struct lk_flexible_force *f = m->force;

        lk_flexible_weigh(m->flexible, f);
        for (int k = 0; k < 3; k++) {
            f->v[k] *= scale;
            f->w[k] *= scale;
        }
        for (int k = 0; k < m->n; k++)
            f->q[k] *= scale;
        lk_modal_spread(m, f, ret);
    }
}

void lk_evaluate_weigh(const struct lk_system *sys, const struct lk_inverse_mass *W,
                       struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_modals; i++)
        lk_modal_collect(&sys->modal[i], sum);
    for (int b = 0; b < sys->n_bodies; b++) {
        double turn[3];

        lk_sym_mul(W[b].inertia, sum[b].w, turn);
        for (int i = 0; i < 3; i++) {
            sum[b].v[i] *= W[b].mass;
            sum[b].w[i] = turn[i];
        }
    }
    weigh_modal(sys, W == sys->W ? 1 / sys->s : 1, sum);
    lk_evaluate_clear_frames(sys, sum);
}

/* compute Phi_q^T lambda of all bodies, from the sides of each body from index @from on */
static void transpose_of_bodies(const struct lk_system *sys, const int *from, const double *lambda,
                                struct lk_twist *ret)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        double sum[6];

        transpose_of_body(sys, from[b], sys->first_side[b + 1], lambda, sum);
        ret[b] = (struct lk_twist){{sum[0], sum[1], sum[2]}, {sum[3], sum[4], sum[5]}};
    }
}

void lk_evaluate_transpose(const struct lk_system *sys, const double *lambda, struct lk_twist *ret)
{
    transpose_of_bodies(sys, sys->first_side, lambda, ret);
}

void lk_evaluate_law_forces(const struct lk_system *sys, const double *lambda, struct lk_twist *ret)
{
    transpose_of_bodies(sys, sys->first_law_side, lambda, ret);
}
