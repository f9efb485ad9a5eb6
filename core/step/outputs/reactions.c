/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions of joints, see reactions.h. */
#include "step/outputs/reactions.h"
#include "maths/vec.h"
#include "step/elements/loads.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/system.h"
#include <math.h>
#include <string.h>

/** struct wrench - resultant on bodies that are cut free, world axes, about the point @about. */
struct wrench {
    double force[3];
    double torque[3];
    double about[3];
};

/** struct block_now - Jacobian and bodies' poses of a joint in system->now. */
struct block_now {
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD];
    struct lk_pose place[LK_SIDES_MAX];
    struct lk_jacobian jacobian;
};

static void places_of(const struct lk_system *sys, const struct lk_joint *j,
                      struct lk_pose place[LK_SIDES_MAX], const struct lk_pose *ret[LK_SIDES_MAX])
{
    for (int s = 0; s < LK_SIDES_MAX; s++) {
        lk_evaluate_pose_of(sys, j->body[s], &place[s]);
        ret[s] = &place[s];
    }
}

static void evaluate_block(const struct lk_system *sys, int block, struct block_now *ret)
{
    const struct lk_joint *j = &sys->joint[block];
    const struct lk_pose *at[LK_SIDES_MAX];

    memset(ret->values, 0, sizeof(ret->values));
    ret->jacobian = sys->jacobian[block];
    ret->jacobian.J = ret->values;
    places_of(sys, j, ret->place, at);
    lk_joint_jacobian(j, at, ret->jacobian);
}

/* return Phi_q^T lambda of a joint on one side: force in world axes, torque in body axes */
static struct lk_twist pull_of(const struct lk_system *sys, const struct lk_joint *j,
                               const struct block_now *block, int side)
{
    struct lk_twist sum = {0};

    for (int r = 0; r < j->n_rows; r++) {
        double row[6], l = sys->now.lambda[j->row + r];

        lk_jacobian_row(block->jacobian, side, r, row);
        for (int i = 0; i < 3; i++) {
            sum.v[i] += row[i] * l;
            sum.w[i] += row[3 + i] * l;
        }
    }
    return sum;
}

/* add @sign times a force and torque to @sum. @on: force (world axes) and torque (body axes) on the
 * body, whose pose is @pose */
static void add(const struct lk_pose *pose, const struct lk_twist *on, double sign,
                struct wrench *sum)
{
    double arm[3], moment[3], turn[3];

    lk_sub(pose->x, sum->about, arm);
    lk_cross(arm, on->v, moment);
    lk_rotate(pose->R, on->w, turn);
    for (int i = 0; i < 3; i++) {
        sum->force[i] += sign * on->v[i];
        sum->torque[i] += sign * (moment[i] + turn[i]);
    }
}

static bool is_cut_free(const struct lk_system *sys, const struct lk_cut *cut, int body)
{
    return body < sys->n_bodies && sys->hanging_at[body] >= cut->first &&
           sys->hanging_at[body] < cut->end;
}

/* add M a and the gyroscopic torque, less the weight */
static void add_inertia(const struct lk_system *sys, int b, struct wrench *sum)
{
    const struct lk_body *body = &sys->body[b];
    const struct lk_motion *m = &sys->now.motion[b];
    struct lk_pose pose;
    struct lk_twist on;
    double Jal[3];

    lk_evaluate_pose_of(sys, b, &pose);
    lk_gyroscopic(body->inertia, m->v.w, on.w);
    lk_sym_mul(body->inertia, m->a.w, Jal);
    for (int i = 0; i < 3; i++) {
        on.v[i] = body->mass * (m->a.v[i] - sys->gravity[i]);
        on.w[i] += Jal[i];
    }
    add(&pose, &on, 1, sum);
}

static void add_load(const struct lk_system *sys, const struct lk_cut *cut, const struct lk_load *l,
                     const double vector[3], double scale, struct wrench *sum)
{
    struct lk_pose pose;
    struct lk_twist on;

    if (!is_cut_free(sys, cut, l->body))
        return;
    lk_evaluate_pose_of(sys, l->body, &pose);
    lk_loads_wrench(l, pose.R, vector, &on);
    add(&pose, &on, -scale, sum);
}

static void add_loads(const struct lk_system *sys, const struct lk_cut *cut, struct wrench *sum)
{
    double t = lk_system_time(sys);

    for (int i = 0; i < sys->n_loads; i++)
        add_load(sys, cut, &sys->load[i], sys->load[i].vector, lk_loads_scale(&sys->load[i], t),
                 sum);
}

static void add_along(const struct lk_system *sys, const struct lk_cut *cut,
                      const struct lk_input *in, double value, struct wrench *sum)
{
    const struct lk_joint *j = &sys->joint[in->joint];
    struct lk_pose place[LK_SIDES_MAX];
    const struct lk_pose *at[LK_SIDES_MAX];
    struct lk_twist on[2];

    places_of(sys, j, place, at);
    lk_loads_along(j, at, in->which, on);
    for (int s = 0; s < 2; s++)
        if (is_cut_free(sys, cut, j->body[s]))
            add(&place[s], &on[s], -value, sum);
}

static void add_inputs(const struct lk_system *sys, const struct lk_cut *cut, struct wrench *sum)
{
    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];
        const double *value = sys->now.inputs + in->offset;

        if (lk_input_is_along(in->type))
            add_along(sys, cut, in, value[0], sum);
        else if (lk_input_is_load(in->type))
            add_load(sys, cut, &in->load, value, 1, sum);
    }
}

/* add the forces of rows across the cut; forces within the cut cancel */
static void add_rows(const struct lk_system *sys, const struct lk_cut *cut, struct wrench *sum)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        struct block_now block;
        int n_within = 0;

        for (int s = 0; s < j->n_sides; s++)
            n_within += is_cut_free(sys, cut, j->body[s]);
        if (n_within == 0 || n_within == j->n_sides || j->n_rows == 0)
            continue;
        evaluate_block(sys, i, &block);
        for (int s = 0; s < j->n_sides; s++)
            if (is_cut_free(sys, cut, j->body[s])) {
                struct lk_twist on = pull_of(sys, j, &block, s);

                add(&block.place[s], &on, 1, sum);
            }
    }
}

/* compute the resultant of the omitted rows of a joint on the bodies that are cut free */
static void balance(const struct lk_system *sys, const struct lk_cut *cut, struct wrench *sum)
{
    double along;

    for (int k = cut->first; k < cut->end; k++)
        add_inertia(sys, sys->hanging[k], sum);
    add_loads(sys, cut, sum);
    add_inputs(sys, cut, sum);
    add_rows(sys, cut, sum);
    along = lk_dot(cut->normal, sum->torque);
    for (int i = 0; i < 3; i++) {
        sum->torque[i] -= along * cut->normal[i];
        sum->force[i] *= cut->is_in_place;
    }
}

bool lk_reaction_is_known(const struct lk_system *sys, int joint)
{
    const struct lk_joint *j = &sys->joint[joint];

    if (j->is_known)
        return lk_is_compliant(j) || sys->n_held == 0 || !sys->is_redundant;
    return sys->cut[joint].first < sys->cut[joint].end && !sys->is_redundant;
}

/* compute the reaction of the rows of a joint, -Phi_q^T lambda, at the joint's point on its
 * second body */
static void act_by_rows(const struct lk_system *sys, int block, struct wrench *ret)
{
    const struct lk_joint *j = &sys->joint[block];
    const int second = !j->is_exchanged;
    struct block_now at;
    struct lk_twist pull;

    *ret = (struct wrench){0};
    evaluate_block(sys, block, &at);
    pull = pull_of(sys, j, &at, second);
    lk_rotate(at.place[second].R, j->p[second], ret->about);
    for (int i = 0; i < 3; i++)
        ret->about[i] += at.place[second].x[i];
    add(&at.place[second], &pull, -1, ret);
}

void lk_reaction_of_rows(const struct lk_system *sys, int block, double ret[6])
{
    struct wrench by_rows;

    act_by_rows(sys, block, &by_rows);
    memcpy(ret, by_rows.force, sizeof(by_rows.force));
    memcpy(ret + 3, by_rows.torque, sizeof(by_rows.torque));
}

void lk_reaction(const struct lk_system *sys, int joint, double ret[6])
{
    const struct lk_joint *j = &sys->joint[joint];
    const struct lk_cut *cut = &sys->cut[joint];
    struct wrench by_rows, left_out = {0};
    double sign = cut->side == !j->is_exchanged ? 1 : -1;

    for (int i = 0; i < 6; i++)
        ret[i] = j->of[0] ? 0 : NAN;
    if (j->of[0] || !lk_reaction_is_known(sys, joint))
        return;
    act_by_rows(sys, joint, &by_rows);
    memcpy(left_out.about, by_rows.about, sizeof(left_out.about));
    if (!j->is_known)
        balance(sys, cut, &left_out);
    for (int i = 0; i < 3; i++) {
        ret[i] = by_rows.force[i] + sign * left_out.force[i];
        ret[3 + i] = by_rows.torque[i] + sign * left_out.torque[i];
    }
}
