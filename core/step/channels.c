/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units and sizes of channels, and the values of outputs. */
#include "maths/vec.h"
#include "step/system.h"
#include <string.h>

/** struct shape - components and units of a channel type. */
struct shape {
    int size;
    const char *component[LK_COMPONENTS_MAX];
    const char *unit[LK_COMPONENTS_MAX];
};

static const struct shape input_shapes[LK_INPUT_TYPES] = {
    [LK_INPUT_JOINT_TORQUE] = {1, {""}, {"N m"}},
    [LK_INPUT_JOINT_FORCE] = {1, {""}, {"N"}},
    [LK_INPUT_BODY_FORCE] = {3, {"x", "y", "z"}, {"N", "N", "N"}},
    [LK_INPUT_BODY_TORQUE] = {3, {"x", "y", "z"}, {"N m", "N m", "N m"}},
};

static const struct shape output_shapes[LK_OUTPUT_TYPES] = {
    [LK_OUTPUT_JOINT_POSITION] = {1, {""}, {"rad"}},
    [LK_OUTPUT_JOINT_VELOCITY] = {1, {""}, {"rad/s"}},
    [LK_OUTPUT_JOINT_REACTION] = {6,
                                  {"fx", "fy", "fz", "tx", "ty", "tz"},
                                  {"N", "N", "N", "N m", "N m", "N m"}},
    [LK_OUTPUT_BODY_POSE] = {7,
                             {"x", "y", "z", "qw", "qx", "qy", "qz"},
                             {"m", "m", "m", "1", "1", "1", "1"}},
    [LK_OUTPUT_BODY_VELOCITY] = {6,
                                 {"vx", "vy", "vz", "wx", "wy", "wz"},
                                 {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"}},
    [LK_OUTPUT_POINT_POSITION] = {3, {"x", "y", "z"}, {"m", "m", "m"}},
    [LK_OUTPUT_POINT_VELOCITY] = {3, {"vx", "vy", "vz"}, {"m/s", "m/s", "m/s"}},
    [LK_OUTPUT_ENERGY] = {2, {"kinetic", "potential"}, {"J", "J"}},
    [LK_OUTPUT_WORK] = {2, {"input", "dissipated"}, {"J", "J"}},
    [LK_OUTPUT_RESIDUAL] = {3, {"position", "velocity", "increment"}, {"m", "m/s", "m"}},
};

static void describe(const char *name, const struct shape *shape, int offset,
                     struct lk_channel *ret)
{
    *ret = (struct lk_channel){.size = shape->size, .offset = offset};
    memcpy(ret->name, name, LK_NAME_SIZE);
    for (int i = 0; i < shape->size; i++) {
        ret->component[i] = shape->component[i];
        ret->unit[i] = shape->unit[i];
    }
}

void lk_channels_describe_input(const struct lk_input_def *def, int offset,
                                struct lk_channel *ret_channel)
{
    describe(def->name, &input_shapes[def->type], offset, ret_channel);
}

void lk_channels_describe_output(const struct lk_output_def *def, enum lk_joint_type joint_type,
                                 int offset, struct lk_channel *ret_channel)
{
    const struct lk_joint_type_ops *ops = lk_joint_ops(joint_type);

    describe(def->name, &output_shapes[def->type], offset, ret_channel);
    if (def->type == LK_OUTPUT_JOINT_POSITION)
        ret_channel->unit[0] = ops->unit;
    if (def->type == LK_OUTPUT_JOINT_VELOCITY)
        ret_channel->unit[0] = ops->rate_unit;
}

/* The force on the second body is -Phi_q1^T lambda of the rigid rows; its torque, which the rows
 * give about the centre of mass in body axes, is moved to the joint's point. */
void lk_system_joint_reaction(const struct lk_system *sys, int joint, double ret[6])
{
    const struct lk_joint *j = &sys->joint[joint];
    const struct lk_pose *pose = &sys->pose[j->body[1]];
    double torque[3] = {0}, world[3], arm[3], moment[3];

    memset(ret, 0, 6 * sizeof(double));
    for (int r = 0; r < j->n_rigid; r++) {
        double row[6], l = sys->now.lambda[j->row + r];

        lk_jacobian_row(sys->jacobian[joint], 1, r, row);
        for (int i = 0; i < 3; i++) {
            ret[i] -= row[i] * l;
            torque[i] -= row[3 + i] * l;
        }
    }
    lk_rotate(pose->R, torque, world);
    lk_rotate(pose->R, j->p[1], arm);
    lk_cross(arm, ret, moment);
    for (int i = 0; i < 3; i++)
        ret[3 + i] = world[i] - moment[i];
}

static void point_position(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_pose *pose = &sys->pose[out->body];
    double arm[3];

    lk_rotate(pose->R, out->point, arm);
    for (int i = 0; i < 3; i++)
        ret[i] = pose->x[i] + arm[i];
}

static void point_velocity(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_twist *t = &sys->twist[out->body];
    double local[3], world[3];

    lk_cross(t->w, out->point, local);
    lk_rotate(sys->pose[out->body].R, local, world);
    for (int i = 0; i < 3; i++)
        ret[i] = t->v[i] + world[i];
}

static void body_pose(const struct lk_system *sys, int body, double *ret)
{
    const struct lk_motion *m = &sys->now.motion[body];

    memcpy(ret, m->x, sizeof(m->x));
    memcpy(ret + 3, m->q, sizeof(m->q));
}

static void body_velocity(const struct lk_system *sys, int body, double *ret)
{
    const struct lk_twist *t = &sys->now.motion[body].v;

    memcpy(ret, t->v, sizeof(t->v));
    lk_rotate(sys->pose[body].R, t->w, ret + 3);
}

static void evaluate_output(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_books *books = sys->now.books;

    switch (out->type) {
    case LK_OUTPUT_JOINT_POSITION:
        ret[0] = sys->now.coordinate[out->joint];
        break;
    case LK_OUTPUT_JOINT_VELOCITY:
        ret[0] = lk_evaluate_coordinate_rate(sys, out->joint);
        break;
    case LK_OUTPUT_JOINT_REACTION:
        lk_system_joint_reaction(sys, out->joint, ret);
        break;
    case LK_OUTPUT_BODY_POSE:
        body_pose(sys, out->body, ret);
        break;
    case LK_OUTPUT_BODY_VELOCITY:
        body_velocity(sys, out->body, ret);
        break;
    case LK_OUTPUT_POINT_POSITION:
        point_position(sys, out, ret);
        break;
    case LK_OUTPUT_POINT_VELOCITY:
        point_velocity(sys, out, ret);
        break;
    case LK_OUTPUT_ENERGY:
        ret[0] = books->kinetic;
        ret[1] = books->potential;
        break;
    case LK_OUTPUT_WORK:
        ret[0] = books->work_input;
        ret[1] = books->dissipated;
        break;
    case LK_OUTPUT_RESIDUAL:
        ret[0] = books->residual_position;
        ret[1] = books->residual_velocity;
        ret[2] = books->increment;
        break;
    case LK_OUTPUT_TYPES:
        break;
    }
}

void lk_system_outputs(const struct lk_system *sys, double *values)
{
    for (int i = 0; i < sys->n_outputs; i++)
        evaluate_output(sys, &sys->output[i], values + sys->output[i].offset);
}
