/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of bodies and rows of joints, at the poses and twists in the scratch of a system. */
#include "step/elements/tyres.h"
#include "step/equations.h"
#include "step/system.h"
#include <stdbool.h>
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

LK_INLINE void jacobian_of_joint(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);

    if (lk_is_compliant(j) || j->of[1]) {
        const struct lk_pose *const all[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);

        lk_joint_jacobian(j, all, sys->jacobian[i]);
    } else {
        lk_joint_ops(j->type)->jacobian(j, pose, sys->jacobian[i]);
    }
}

void lk_evaluate_jacobians(struct lk_system *sys)
{
    lk_tyres_place(sys);
    for (int i = 0; i < sys->n_joints; i++)
        jacobian_of_joint(sys, i);
}

void lk_evaluate_factor(struct lk_system *sys)
{
    lk_fronts_factor(&sys->fronts, sys->regular, sys->sW);
    sys->laws_are_left = false;
}

void lk_evaluate_rigid_factor(struct lk_system *sys)
{
    if (!sys->leaves_laws) {
        lk_evaluate_factor(sys);
        return;
    }
    lk_fronts_factor(&sys->rigid_fronts, sys->regular, sys->sW);
    sys->laws_are_left = true;
}

void lk_evaluate_rigid(struct lk_system *sys)
{
    if (sys->leaves_laws) {
        for (int i = 0; i < sys->n_joints; i++)
            if (!lk_is_compliant(&sys->joint[i]))
                jacobian_of_joint(sys, i);
    } else {
        lk_evaluate_jacobians(sys);
    }
    lk_evaluate_rigid_factor(sys);
}

void lk_evaluate_solve(struct lk_system *sys, double *x)
{
    lk_fronts_solve(sys->laws_are_left ? &sys->rigid_fronts : &sys->fronts, x);
}

/* the angle @value with so many whole turns that it is nearest to @near */
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

/* coordinate @at of a state at the end of the step, where its rate is @rate */
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

/* J a + dJ/dt v */
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

/** struct wound - a coordinate as its pose has it, and the whole @turns beside that, 0 of lengths.
 */
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

/* The row of a coupling. Whole turns are counted apart: with two halves of the ratio they are exact
 * for millions of them, where unwrapped angles would leave the round-off of their size. */
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

/* a coordinate row or a coupling */
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

LK_INLINE void gamma_of_joint(const struct lk_system *sys, int i, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    const struct lk_twist *const twist[2] = LK_TWO_SIDES(sys->twist, j);

    if (j->of[1]) {
        const struct lk_pose *const all[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
        const struct lk_twist *const twists[LK_SIDES_MAX] = LK_SIDES(sys->twist, j);

        lk_joint_ops(j->type)->gamma(j, all, twists, ret);
    } else {
        lk_joint_ops(j->type)->gamma(j, pose, twist, ret);
    }
    if (j->kind == LK_ROWS_DRIVEN)
        ret[0] -= sys->drive[j->drive].acceleration;
}

void lk_evaluate_gamma(const struct lk_system *sys, int i, double *ret)
{
    gamma_of_joint(sys, i, ret);
}

/* Phi_q t of one joint, four rows at a time; @pad, @is_point and @first are constants where it
 * counts */
LK_INLINE void row_rates(struct lk_jacobian jacobian, int pad, int is_point, int first_axis,
                         const struct lk_twist *t0, const struct lk_twist *t1, double *ret)
{
    const double *turn0 = jacobian.J + (is_point ? 0 : 3) * pad;
    const double *turn1 = jacobian.J + (is_point ? 3 : 9) * pad;
    const int x = first_axis, y = lk_point_axis(x, 1), z = lk_point_axis(x, 2);

    for (int r = 0; r < pad; r += LK_PART) {
        lk_part first = {0}, second = {0};

        if (is_point && r < 4)
            first = LK_THREE(t0->v[x] - t1->v[x], t0->v[y] - t1->v[y], t0->v[z] - t1->v[z], r);
        for (int k = 0; k < 3; k++) {
            first += *(const lk_part *)&turn0[k * pad + r] * t0->w[k];
            second += *(const lk_part *)&turn1[k * pad + r] * t1->w[k];
            if (!is_point) {
                first += *(const lk_part *)&turn0[(k - 3) * pad + r] * t0->v[k];
                second += *(const lk_part *)&turn1[(k - 3) * pad + r] * t1->v[k];
            }
        }
        *(lk_part *)&ret[r] = first + second;
    }
}

LK_INLINE void rates_of_joint(const struct lk_system *sys, int j, const struct lk_twist *twist,
                              double *ret)
{
    const struct lk_joint *joint = &sys->joint[j];
    const struct lk_twist *t0 = &twist[joint->body[0]], *t1 = &twist[joint->body[1]];
    struct lk_jacobian jacobian = sys->jacobian[j];

    if (!jacobian.is_point)
        row_rates(jacobian, jacobian.pad, 0, 0, t0, t1, ret);
    else if (jacobian.pad == 8)
        row_rates(jacobian, 8, 1, 0, t0, t1, ret);
    else if (jacobian.first == 0)
        row_rates(jacobian, 4, 1, 0, t0, t1, ret);
    else
        row_rates(jacobian, 4, 1, jacobian.first, t0, t1, ret);
    /* couplings have one row and may have more bodies */
    for (int s = 2; s < joint->n_sides; s++) {
        double row[6];

        lk_jacobian_row(jacobian, s, 0, row);
        ret[0] += lk_dot(row, twist[joint->body[s]].v) + lk_dot(row + 3, twist[joint->body[s]].w);
    }
}

void lk_evaluate_row_rates(const struct lk_system *sys, int j, const struct lk_twist *twist,
                           double *ret)
{
    rates_of_joint(sys, j, twist, ret);
}

void lk_evaluate_weigh(const struct lk_system *sys, const struct lk_inverse_mass *W,
                       struct lk_twist *sum)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        double turn[3];

        lk_sym_mul(W[b].inertia, sum[b].w, turn);
        for (int i = 0; i < 3; i++) {
            sum[b].v[i] *= W[b].mass;
            sum[b].w[i] = turn[i];
        }
    }
    lk_evaluate_clear_frames(sys, sum);
}

void lk_evaluate_reduce(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (sys->laws_are_left && lk_is_compliant(j))
            continue;
        rates_of_joint(sys, i, sys->residual, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] -= rates[r];
    }
}

/** struct sums - six sums of products, each spread over four lanes until all rows are in; the
 * translation part of point rows is a vector of its own. */
struct sums {
    lk_four direction[6];
    lk_four point;
};

/* the first two lanes along the world axis @first and the one behind it */
LK_INLINE lk_four along_axes(lk_four pin, int first)
{
    const lk_four zero = {0};

    return first == 0   ? __builtin_shufflevector(pin, zero, 0, 1, 4, 4)
           : first == 1 ? __builtin_shufflevector(pin, zero, 4, 0, 1, 4)
                        : __builtin_shufflevector(pin, zero, 1, 4, 0, 4);
}

/* sums += J^T lambda of one side, four rows at a time; @pad, @is_point and @is_pin are constants
 * where it counts. Lanes beyond the rows meet zeros of the Jacobian. */
LK_INLINE void add_transpose(const struct lk_side *side, int pad, int is_point, bool is_pin,
                             const double *lambda, struct sums *sums)
{
    const double *turn = side->turn;

    for (int r = 0; r < pad; r += 4) {
        lk_four l = *(const lk_four *)&lambda[r];

        if (is_pin)
            sums->point += side->sign * along_axes(l, side->first);
        else if (is_point && r == 0)
            sums->point += side->sign * l;
        for (int k = 0; k < 3; k++) {
            sums->direction[3 + k] += *(const lk_four *)&turn[k * pad + r] * l;
            if (!is_point)
                sums->direction[k] += *(const lk_four *)&turn[(k - 3) * pad + r] * l;
        }
    }
}

/* the sums over the lanes of three vectors, in the first three lanes */
LK_INLINE void sum_lanes(const lk_four v[3], double ret[3])
{
    lk_four ab = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) +
                 __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    lk_four cc = __builtin_shufflevector(v[2], v[2], 0, 4, 2, 6) +
                 __builtin_shufflevector(v[2], v[2], 1, 5, 3, 7);
    lk_four abc =
        __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);

    for (int k = 0; k < 3; k++)
        ret[k] = abc[k];
}

/* Phi_q^T lambda of one body, over sides @from to @to of joints. @lambda is read up to LK_ROWS_PAD
 * beyond its last row. */
LK_INLINE void transpose_of_body(const struct lk_system *sys, int from, int to,
                                 const double *lambda, double ret[6])
{
    struct sums sums = {0};
    bool has_general = false;

    for (int i = from; i < to; i++) {
        const struct lk_side *side = &sys->side[i];
        const double *l = lambda + side->row;

        if (!side->is_point) {
            add_transpose(side, side->pad, 0, false, l, &sums);
            has_general = true;
        } else if (side->pad == 8) {
            add_transpose(side, 8, 1, false, l, &sums);
        } else if (side->n > 2) {
            add_transpose(side, 4, 1, false, l, &sums);
        } else {
            add_transpose(side, 4, 1, true, l, &sums);
        }
    }
    sum_lanes(sums.direction + 3, ret + 3);
    if (has_general)
        sum_lanes(sums.direction, ret);
    for (int k = 0; k < 3; k++)
        ret[k] = has_general ? ret[k] + sums.point[k] : sums.point[k];
}

/* of all bodies, from side @from of each on */
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

void lk_evaluate_correction(struct lk_system *sys)
{
    lk_evaluate_solve(sys, sys->solution);
    lk_evaluate_spread(sys);
}

void lk_evaluate_refined(struct lk_system *sys, double *scratch)
{
    lk_evaluate_solve(sys, sys->solution);
    if (!sys->rows_are_independent) {
        for (int r = 0; r < sys->n_rows; r++) {
            scratch[r] = sys->solution[r];
            sys->solution[r] *= sys->rigid[r];
        }
        lk_evaluate_solve(sys, sys->solution);
        for (int r = 0; r < sys->n_rows; r++)
            sys->solution[r] += scratch[r];
    }
    lk_evaluate_spread(sys);
}

void lk_evaluate_least(struct lk_system *sys, double *scratch)
{
    int last = sys->n_least - 1;

    if (last < 2) {
        lk_evaluate_refined(sys, scratch);
        return;
    }
    for (int part = 0; part <= last; part++) {
        double weight = part == last && sys->is_redundant ? -last : 1;

        lk_evaluate_solve(sys, sys->solution);
        for (int r = 0; r < sys->n_rows; r++) {
            scratch[r] = (part > 0 ? scratch[r] : 0) + weight * sys->solution[r];
            sys->solution[r] *= sys->rigid[r];
        }
    }
    memcpy(sys->solution, scratch, (size_t)sys->n_rows * sizeof(double));
    lk_evaluate_spread(sys);
}

void lk_evaluate_spread(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_inverse_mass *sW = &sys->sW[b];
        struct lk_twist *c = &sys->correction[b];
        double sum[6];

        transpose_of_body(sys, sys->first_side[b],
                          sys->laws_are_left ? sys->first_law_side[b] : sys->first_side[b + 1],
                          sys->solution, sum);
        for (int i = 0; i < 3; i++)
            c->v[i] = sW->mass * sum[i];
        lk_sym_mul(sW->inertia, sum + 3, c->w);
    }
}

static void subtract_correction(const struct lk_system *sys, int b, struct lk_twist *t)
{
    for (int i = 0; i < 3; i++) {
        t->v[i] -= sys->correction[b].v[i];
        t->w[i] -= sys->correction[b].w[i];
    }
}

void lk_evaluate_clear_frames(const struct lk_system *sys, struct lk_twist *array)
{
    for (int b = sys->n_bodies; b <= sys->n_bodies + sys->n_frames; b++)
        array[b] = (struct lk_twist){0};
}

double lk_restitution(const struct lk_system *sys, double sign, const struct lk_state *state,
                      double work)
{
    const struct lk_twist *bounce = sys->correction;
    double linear = 0, square = 0, kinetic, potential, left;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_body *body = &sys->body[b];
        double Jw[3];

        lk_sym_mul(body->inertia, bounce[b].w, Jw);
        linear += body->mass * lk_dot(bounce[b].v, state->motion[b].v.v) +
                  lk_dot(Jw, state->motion[b].v.w);
        square += 0.5 * (body->mass * lk_dot(bounce[b].v, bounce[b].v) + lk_dot(Jw, bounce[b].w));
    }
    lk_loads_energies(sys, state, &kinetic, &potential);
    linear *= sign;
    left = sys->now.balance->kinetic + sys->now.balance->potential - kinetic - potential + work;
    /* the largest part s up to 1 with s linear + s^2 square <= left */
    if (linear + square <= left || square <= 0)
        return 1;
    return left <= 0
               ? 0
               : lk_max((sqrt(linear * linear + 4 * square * left) - linear) / (2 * square), 0);
}

void lk_bounce_back(struct lk_system *sys, struct lk_state *state)
{
    double part = lk_restitution(sys, 1, state, 0);

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            state->motion[b].v.v[i] += part * sys->correction[b].v[i];
            state->motion[b].v.w[i] += part * sys->correction[b].w[i];
        }
}

void lk_bounce(struct lk_system *sys, struct lk_state *state)
{
    for (int r = 0; r < sys->n_rows; r++)
        sys->solution[r] = 0;
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        if (law->stop.is_impact)
            sys->solution[sys->joint[law->joint].row + law->row] = law->stop.rate;
    }
    lk_evaluate_correction(sys);
    lk_bounce_back(sys, state);
    lk_evaluate_twists(sys, state);
}

/* rows that rest on a hard stop are rigid in the projection of accelerations */
static void rest_on_stops(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_stops > 0 && !sys->laws_are_left; i++) {
        const struct lk_law *law = &sys->law[i];
        double rates[LK_ROWS_PAD], gamma[LK_ROWS_MAX];

        if (!law->stop.is_impact || law->stop.rate != 0)
            continue;
        rates_of_joint(sys, law->joint, sys->residual, rates);
        gamma_of_joint(sys, law->joint, gamma);
        sys->solution[sys->joint[law->joint].row + law->row] = rates[law->row] + gamma[law->row];
    }
}

/* rates of the rows of stops that are hit, as for rigid rows, so that the projection removes them;
 * lk_bounce() adds the restitution */
static void impact_rates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_stops > 0 && !sys->laws_are_left; i++) {
        const struct lk_law *law = &sys->law[i];
        double rates[LK_ROWS_PAD];

        if (!law->stop.is_impact)
            continue;
        rates_of_joint(sys, law->joint, sys->twist, rates);
        sys->solution[sys->joint[law->joint].row + law->row] = rates[law->row];
    }
}

void lk_evaluate_velocity_violation(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD] = {0};

        if (!lk_is_compliant(j))
            rates_of_joint(sys, i, sys->twist, rates);
        if (j->kind == LK_ROWS_DRIVEN)
            rates[0] -= sys->drive[j->drive].rate;
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = rates[r];
    }
    impact_rates(sys);
}

double lk_project_positions(struct lk_system *sys)
{
    double largest = 0;

    lk_evaluate_poses(sys, &sys->next);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        lk_evaluate_violation(sys, i, sys->solution + j->row);
        for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
            sys->solution[j->row + r] = 0;
    }
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *c = &sys->correction[b];
        const double theta[3] = {-c->w[0], -c->w[1], -c->w[2]};
        struct lk_motion *m = &sys->next.motion[b];
        double q[4];

        lk_turn_on(m->q, theta, q);
        for (int i = 0; i < 3; i++) {
            m->x[i] -= c->v[i];
            largest = lk_max(largest, lk_max(fabs(c->v[i]), fabs(c->w[i])));
        }
        for (int i = 0; i < 4; i++)
            m->q[i] = q[i];
    }
    return largest;
}

void lk_project_velocities(struct lk_system *sys, struct lk_state *state)
{
    lk_evaluate_velocity_violation(sys);
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        subtract_correction(sys, b, &sys->twist[b]);
        state->motion[b].v = sys->twist[b];
    }
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

void lk_evaluate_acceleration_violation(struct lk_system *sys, const struct lk_state *state,
                                        const struct lk_twist *jump)
{
    lk_evaluate_accelerations(sys, state);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD] = {0}, gamma[LK_ROWS_MAX] = {0};

        if (!lk_is_compliant(j)) {
            rates_of_joint(sys, i, sys->residual, rates);
            gamma_of_joint(sys, i, gamma);
        } else if (jump) {
            rates_of_joint(sys, i, jump, rates);
        }
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = rates[r] + gamma[r];
    }
    if (!jump)
        rest_on_stops(sys);
}

/* sys->solution, to the accelerations and multipliers of @state */
static void correct_accelerations(struct lk_system *sys, struct lk_state *state)
{
    lk_evaluate_spread(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        subtract_correction(sys, b, &state->motion[b].a);
    for (int r = 0; r < sys->n_rows; r++)
        state->lambda[r] += sys->s * sys->solution[r];
}

void lk_project_accelerations(struct lk_system *sys, struct lk_state *state,
                              const struct lk_twist *jump)
{
    lk_evaluate_acceleration_violation(sys, state, jump);
    lk_evaluate_solve(sys, sys->solution);
    correct_accelerations(sys, state);
}

void lk_project_contradictions(struct lk_system *sys, struct lk_state *state)
{
    for (int part = 1; part < LK_LEAST_SOLVES; part++) {
        double weight = part == LK_LEAST_SOLVES - 1 ? -part : 1;

        for (int r = 0; r < sys->n_rows; r++)
            sys->solution[r] *= sys->rigid[r];
        lk_evaluate_solve(sys, sys->solution);
        for (int r = 0; r < sys->n_rows; r++)
            sys->solution[r] *= weight;
        correct_accelerations(sys, state);
    }
}
