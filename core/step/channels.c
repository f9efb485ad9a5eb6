/* SPDX-License-Identifier: Apache-2.0 */
/* Names, units and sizes of channels, and the values of outputs. */
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/system.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** struct shape - components and units of a channel type. */
struct shape {
    int size;
    const char *component[LK_COMPONENTS_MAX];
    const char *unit[LK_COMPONENTS_MAX];
};

#define SIX(p, q, r, s)                                                                            \
    {                                                                                              \
        6, {p "x", p "y", p "z", q "x", q "y", q "z"},                                             \
        {                                                                                          \
            r, r, r, s, s, s                                                                       \
        }                                                                                          \
    }

static const struct shape input_shapes[LK_INPUT_TYPES] = {
    [LK_INPUT_JOINT_TORQUE] = {1, {""}, {"N m"}},
    [LK_INPUT_JOINT_FORCE] = {1, {""}, {"N"}},
    [LK_INPUT_BODY_FORCE] = {3, {"x", "y", "z"}, {"N", "N", "N"}},
    [LK_INPUT_BODY_TORQUE] = {3, {"x", "y", "z"}, {"N m", "N m", "N m"}},
    [LK_INPUT_DRIVE] = {1, {""}, {"m"}},
};

/* those that a joint or a force element decides are left out here */
static const struct shape output_shapes[LK_OUTPUT_TYPES] = {
    [LK_OUTPUT_JOINT_REACTION] = SIX("f", "t", "N", "N m"),
    [LK_OUTPUT_BODY_POSE] = {7,
                             {"x", "y", "z", "qw", "qx", "qy", "qz"},
                             {"m", "m", "m", "1", "1", "1", "1"}},
    [LK_OUTPUT_BODY_VELOCITY] = SIX("v", "w", "m/s", "rad/s"),
    [LK_OUTPUT_BODY_ACCELERATION] = SIX("a", "al", "m/s^2", "rad/s^2"),
    [LK_OUTPUT_POINT_POSITION] = {3, {"x", "y", "z"}, {"m", "m", "m"}},
    [LK_OUTPUT_POINT_VELOCITY] = {3, {"vx", "vy", "vz"}, {"m/s", "m/s", "m/s"}},
    [LK_OUTPUT_POINT_ACCELERATION] = {3, {"ax", "ay", "az"}, {"m/s^2", "m/s^2", "m/s^2"}},
    [LK_OUTPUT_INERTIAL_SENSOR] = SIX("f", "w", "m/s^2", "rad/s"),
    [LK_OUTPUT_ENERGY] = {2, {"kinetic", "potential"}, {"J", "J"}},
    [LK_OUTPUT_WORK] = {5,
                        {"input", "dissipated", "drive", "applied", "balance"},
                        {"J", "J", "J", "J", "J"}},
    [LK_OUTPUT_RESIDUAL] = {3, {"position", "velocity", "increment"}, {"m", "m/s", "m"}},
    [LK_OUTPUT_CONDITION] = {3, {"pivot", "increment", "acceleration"}, {"1", "m", "m/s^2"}},
};

static void describe(const char *name, const struct shape *shape, int offset,
                     struct lk_channel *ret)
{
    *ret = (struct lk_channel){.size = shape->size,
                               .offset = offset,
                               .type = "",
                               .low = -INFINITY,
                               .high = INFINITY,
                               .rate = INFINITY};
    memcpy(ret->name, name, LK_NAME_SIZE);
    for (int i = 0; i < shape->size; i++) {
        ret->component[i] = shape->component[i];
        ret->unit[i] = shape->unit[i];
    }
}

static void set_frame(const struct lk_model *model, int body, enum lk_frame frame,
                      struct lk_channel *channel)
{
    if (frame == LK_FRAME_WORLD)
        snprintf(channel->frame, sizeof(channel->frame), "world");
    else
        snprintf(channel->frame, sizeof(channel->frame), "body %s", model->bodies[body].name);
}

void lk_channels_describe_input(const struct lk_model *model, const struct lk_input_def *def,
                                int offset, struct lk_channel *ret_channel)
{
    describe(def->name, &input_shapes[def->type], offset, ret_channel);
    if (def->type == LK_INPUT_DRIVE && def->is_angle)
        ret_channel->unit[0] = "rad";
    ret_channel->low = def->limits[0];
    ret_channel->high = def->limits[1];
    ret_channel->rate = def->rate;
    ret_channel->initial = def->initial;
    ret_channel->type = lk_input_type_name(def->type);
    if (def->type == LK_INPUT_BODY_FORCE || def->type == LK_INPUT_BODY_TORQUE)
        set_frame(model, def->body, def->frame, ret_channel);
}

/* the coordinates of a joint, or those that are driven; @angle, @length: units */
static struct shape coordinate_shape(const struct lk_model *model, int joint, int only_driven,
                                     const char *angle, const char *length)
{
    const struct lk_joint_traits *traits = &lk_joint_traits[model->joints[joint].type];
    struct shape shape = {0};

    for (int i = 0; i < traits->n_coordinates; i++) {
        int wanted = !only_driven;

        for (int d = 0; d < model->n_drives; d++)
            wanted |= model->drives[d].joint == joint && model->drives[d].coordinate == i;
        if (!wanted)
            continue;
        shape.component[shape.size] = traits->coordinate[i];
        shape.unit[shape.size++] =
            lk_joint_coordinate_is_angle(model->joints[joint].type, i) ? angle : length;
    }
    return shape;
}

static struct shape force_shape(const struct lk_model *model, const struct lk_force_def *force)
{
    int is_torque = 0;

    if (force->type == LK_FORCE_BUSHING)
        return (struct shape)SIX("f", "t", "N", "N m");
    if (force->type == LK_FORCE_CREEP)
        return (struct shape){2, {"longitudinal", "lateral"}, {"N", "N"}};
    if (force->type != LK_FORCE_SPRING_DAMPER)
        is_torque =
            lk_joint_coordinate_is_angle(model->joints[force->joint].type, force->coordinate);
    return (struct shape){1, {""}, {is_torque ? "N m" : "N"}};
}

static bool is_along_body(const struct lk_model *model, const struct lk_output_def *def)
{
    return memcmp(def->orientation, model->bodies[def->body].orientation,
                  sizeof(def->orientation)) == 0;
}

/* Those that are vectors. The axes of a sensor are those of its body unless it is mounted
 * otherwise, and a bushing has axes of its own. */
static void set_output_frame(const struct lk_model *model, const struct lk_output_def *def,
                             struct lk_channel *channel)
{
    switch (def->type) {
    case LK_OUTPUT_JOINT_REACTION:
    case LK_OUTPUT_BODY_POSE:
    case LK_OUTPUT_BODY_VELOCITY:
    case LK_OUTPUT_BODY_ACCELERATION:
    case LK_OUTPUT_POINT_POSITION:
    case LK_OUTPUT_POINT_VELOCITY:
    case LK_OUTPUT_POINT_ACCELERATION:
        set_frame(model, 0, LK_FRAME_WORLD, channel);
        return;
    case LK_OUTPUT_INERTIAL_SENSOR:
        if (is_along_body(model, def))
            set_frame(model, def->body, LK_FRAME_BODY, channel);
        else
            snprintf(channel->frame, sizeof(channel->frame), "sensor");
        return;
    default:
        return;
    }
}

void lk_channels_describe_output(const struct lk_model *model, const struct lk_output_def *def,
                                 int offset, struct lk_channel *ret_channel)
{
    struct shape shape = output_shapes[def->type];

    if (def->type == LK_OUTPUT_JOINT_POSITION)
        shape = coordinate_shape(model, def->joint, 0, "rad", "m");
    if (def->type == LK_OUTPUT_JOINT_VELOCITY)
        shape = coordinate_shape(model, def->joint, 0, "rad/s", "m/s");
    if (def->type == LK_OUTPUT_JOINT_ACCELERATION)
        shape = coordinate_shape(model, def->joint, 0, "rad/s^2", "m/s^2");
    if (def->type == LK_OUTPUT_DRIVE_FORCE)
        shape = model->joints[def->joint].type == LK_JOINT_FIXED
                    ? output_shapes[LK_OUTPUT_JOINT_REACTION]
                    : coordinate_shape(model, def->joint, 1, "N m", "N");
    if (def->type == LK_OUTPUT_FORCE)
        shape = force_shape(model, &model->forces[def->force]);
    describe(def->name, &shape, offset, ret_channel);
    ret_channel->type = lk_output_type_name(def->type);
    set_output_frame(model, def, ret_channel);
}

/* The force on the second body is -Phi_q1^T lambda of the joint's rows; its torque, which the rows
 * give about the centre of mass in body axes, is moved to the joint's point. */
static void joint_reaction(const struct lk_system *sys, int joint, double ret[6])
{
    const struct lk_joint *j = &sys->joint[joint];
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, sys->jacobian[joint].pad, sys->jacobian[joint].is_point};
    struct lk_pose place[2];
    const struct lk_pose *const at[LK_SIDES_MAX] = {&place[0], &place[1], NULL, NULL};
    const struct lk_pose *pose = &place[1];
    double torque[3] = {0}, world[3], arm[3], moment[3];

    memset(ret, 0, 6 * sizeof(double));
    for (int s = 0; s < 2; s++)
        lk_evaluate_pose_of(sys, j->body[s], &place[s]);
    if (!j->of[0])
        lk_joint_jacobian(j, at, jacobian);
    for (int r = 0; r < j->n_rows && !j->of[0]; r++) {
        double row[6], l = sys->now.lambda[j->row + r];

        lk_jacobian_row(jacobian, 1, r, row);
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

/* acceleration of a point of a body, world axes */
static void point_acceleration(const struct lk_system *sys, const struct lk_output *out,
                               double *ret)
{
    const struct lk_motion *m = &sys->now.motion[out->body];
    double tangential[3], local[3], world[3];

    lk_cross(m->a.w, out->point, tangential);
    lk_cross_twice(m->v.w, out->point, local);
    for (int i = 0; i < 3; i++)
        local[i] += tangential[i];
    lk_rotate(sys->pose[out->body].R, local, world);
    for (int i = 0; i < 3; i++)
        ret[i] = m->a.v[i] + world[i];
}

/* what an accelerometer and a gyroscope fixed to the body read: a - gravity and w, sensor axes */
static void inertial_sensor(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_motion *m = &sys->now.motion[out->body];
    double force[3], local[3];

    point_acceleration(sys, out, force);
    for (int i = 0; i < 3; i++)
        force[i] -= sys->gravity[i];
    lk_rotate_back(sys->pose[out->body].R, force, local);
    for (int i = 0; i < 3; i++) {
        ret[i] = lk_dot(out->axes[i], local);
        ret[3 + i] = lk_dot(out->axes[i], m->v.w);
    }
}

static void body_pose(const struct lk_system *sys, int body, double *ret)
{
    const struct lk_motion *m = &sys->now.motion[body];

    memcpy(ret, m->x, sizeof(m->x));
    memcpy(ret + 3, m->q, sizeof(m->q));
}

/* a velocity or an acceleration of a body, all in world axes */
static void body_twist(const struct lk_system *sys, int body, const struct lk_twist *t, double *ret)
{
    memcpy(ret, t->v, sizeof(t->v));
    lk_rotate(sys->pose[body].R, t->w, ret + 3);
}

static void joint_coordinates(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_joint *j = &sys->joint[out->joint];

    for (int i = 0; i < out->size; i++)
        ret[i] = out->type == LK_OUTPUT_JOINT_POSITION
                     ? sys->now.coordinate[j->first_coordinate + i]
                 : out->type == LK_OUTPUT_JOINT_VELOCITY
                     ? lk_evaluate_coordinate_rate(sys, j, i, sys->twist)
                     : lk_evaluate_coordinate_acceleration(sys, &sys->now, j, i);
}

/* A force element: what it does to the second body along its coordinate, or the tension between two
 * points. A row with one element has its multiplier, which converges better than the law of the
 * projected state; several elements in one row are told apart by their laws. */
static void element_force(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    const struct lk_joint *j = &sys->joint[out->joint];
    const struct lk_law *law = &sys->law[j->law];
    double sign = j->type == LK_JOINT_DISTANCE ? 1 : -1;

    if (out->n_terms == law->n_terms) {
        for (int r = 0; r < out->size; r++)
            ret[r] = sign * sys->now.lambda[j->row + r] + 0.0; /* no -0 */
        return;
    }
    double rate, x = lk_loads_law_place(sys, &sys->now, law, &rate);
    struct lk_law_value f = {0};

    for (int i = out->term; i < out->term + out->n_terms; i++)
        lk_term_evaluate(&sys->term[i], x, rate + law->carry, &f);
    ret[0] = sign * (f.elastic + f.dissipative);
}

static void drive_force(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    int n = 0;

    if (sys->joint[out->joint].body[0] > sys->n_bodies) {
        joint_reaction(sys, out->joint, ret);
        return;
    }
    for (int i = 0; i < lk_joint_traits[sys->joint[out->joint].type].n_coordinates; i++)
        for (int d = 0; d < sys->n_drives; d++)
            if (sys->drive[d].joint == out->joint && sys->drive[d].which == i)
                ret[n++] = 0.0 - sys->now.lambda[sys->joint[sys->drive[d].row_joint].row];
}

/* what the books of the state hold */
static void books_output(const struct lk_system *sys, enum lk_output_type type, double *ret)
{
    const struct lk_books *books = sys->now.books, *start = sys->start.books;

    switch (type) {
    case LK_OUTPUT_ENERGY:
        ret[0] = books->kinetic;
        ret[1] = books->potential;
        break;
    case LK_OUTPUT_WORK:
        ret[0] = books->work_input;
        ret[1] = books->dissipated;
        ret[2] = books->work_drive;
        ret[3] = books->work_applied;
        ret[4] = (books->kinetic + books->potential) - (start->kinetic + start->potential) -
                 (ret[0] + ret[2] + ret[3] - ret[1]);
        break;
    case LK_OUTPUT_RESIDUAL:
        ret[0] = books->residual_position;
        ret[1] = books->residual_velocity;
        ret[2] = books->increment;
        break;
    case LK_OUTPUT_CONDITION:
        ret[0] = lk_fronts_smallest_pivot(&sys->fronts, sys->scale);
        ret[1] = books->increment;
        ret[2] = books->residual_acceleration;
        break;
    default:
        break;
    }
}

static void evaluate_output(const struct lk_system *sys, const struct lk_output *out, double *ret)
{
    switch (out->type) {
    case LK_OUTPUT_JOINT_POSITION:
    case LK_OUTPUT_JOINT_VELOCITY:
    case LK_OUTPUT_JOINT_ACCELERATION:
        joint_coordinates(sys, out, ret);
        break;
    case LK_OUTPUT_JOINT_REACTION:
        joint_reaction(sys, out->joint, ret);
        break;
    case LK_OUTPUT_BODY_POSE:
        body_pose(sys, out->body, ret);
        break;
    case LK_OUTPUT_BODY_VELOCITY:
        body_twist(sys, out->body, &sys->now.motion[out->body].v, ret);
        break;
    case LK_OUTPUT_BODY_ACCELERATION:
        body_twist(sys, out->body, &sys->now.motion[out->body].a, ret);
        break;
    case LK_OUTPUT_POINT_POSITION:
        point_position(sys, out, ret);
        break;
    case LK_OUTPUT_POINT_VELOCITY:
        point_velocity(sys, out, ret);
        break;
    case LK_OUTPUT_POINT_ACCELERATION:
        point_acceleration(sys, out, ret);
        break;
    case LK_OUTPUT_INERTIAL_SENSOR:
        inertial_sensor(sys, out, ret);
        break;
    case LK_OUTPUT_FORCE:
        element_force(sys, out, ret);
        break;
    case LK_OUTPUT_DRIVE_FORCE:
        drive_force(sys, out, ret);
        break;
    case LK_OUTPUT_ENERGY:
    case LK_OUTPUT_WORK:
    case LK_OUTPUT_RESIDUAL:
    case LK_OUTPUT_CONDITION:
        books_output(sys, out->type, ret);
        break;
    case LK_OUTPUT_TYPES:
        break;
    }
}

void lk_system_joint_reaction(const struct lk_system *sys, int joint, double ret[6])
{
    LK_ARITHMETIC;

    joint_reaction(sys, joint, ret);
}

void lk_system_outputs(const struct lk_system *sys, double *values)
{
    LK_ARITHMETIC;

    for (int i = 0; i < sys->n_outputs; i++)
        evaluate_output(sys, &sys->output[i], values + sys->output[i].offset);
}
