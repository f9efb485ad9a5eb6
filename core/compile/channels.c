/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the names, units and sizes of channels. */
#include "compile/compile.h"
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
    [LK_INPUT_SIGNAL] = {1, {""}, {"1"}},
    [LK_INPUT_GROUND] = {5, {"x", "y", "z", "slope_x", "slope_y"}, {"m", "m", "m", "1", "1"}},
};

/* types whose unit depends on the joint or the force element have no unit here */
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
    [LK_OUTPUT_WORK] = {7,
                        {"input", "dissipated", "drive", "applied", "balance", "step", "closing"},
                        {"J", "J", "J", "J", "J", "J", "J"}},
    [LK_OUTPUT_RESIDUAL] = {3, {"position", "velocity", "increment"}, {"m", "m/s", "m"}},
    [LK_OUTPUT_TYRE] = SIX("f", "m", "N", "N m"),
    [LK_OUTPUT_TYRE_CONTACT] = {7,
                                {"kappa", "slope", "camber", "deflection", "x", "y", "z"},
                                {"1", "1", "1", "m", "m", "m", "m"}},
    [LK_OUTPUT_MODE] = {2, {"q", "rate"}, {"kg^0.5 m", "kg^0.5 m/s"}},
    [LK_OUTPUT_CONTACT] = {5,
                           {"gap", "normal", "friction", "slip", "residual"},
                           {"m", "N", "N", "m/s", "N"}},
    [LK_OUTPUT_PORT_WORK] = {1, {""}, {"J"}},
    [LK_OUTPUT_CONDITION] = {3, {"pivot", "increment", "acceleration"}, {"1", "m", "m/s^2"}},
};

static void describe_channel(const char *name, const struct shape *shape, int offset,
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

static void set_input_frame(const struct lk_model *model, const struct lk_input_def *def,
                            struct lk_channel *channel)
{
    if (def->type == LK_INPUT_BODY_FORCE || def->type == LK_INPUT_BODY_TORQUE)
        set_frame(model, def->body, def->frame, channel);
    if (def->type == LK_INPUT_GROUND)
        snprintf(channel->frame, sizeof(channel->frame), "world");
}

static struct shape input_shape(const struct lk_input_def *def)
{
    struct shape shape = input_shapes[def->type];

    if (def->type == LK_INPUT_DRIVE && def->is_angle)
        shape.unit[0] = "rad";
    if (def->type == LK_INPUT_SIGNAL && def->unit != NULL)
        shape.unit[0] = def->unit;
    return shape;
}

void lk_channels_describe_input(const struct lk_model *model, const struct lk_input_def *def,
                                int offset, struct lk_channel *ret_channel)
{
    struct shape shape = input_shape(def);

    describe_channel(def->name, &shape, offset, ret_channel);
    ret_channel->low = def->limits[0];
    ret_channel->high = def->limits[1];
    ret_channel->rate = def->rate;
    ret_channel->initial = def->initial;
    ret_channel->type = lk_input_type_name(def->type);
    set_input_frame(model, def, ret_channel);
}

/* Return the shape of the coordinates of a joint, or of its driven coordinates only. @angle,
 * @length: units */
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
    if (force->type == LK_FORCE_DRAG || force->type == LK_FORCE_CONTACT)
        return (struct shape){3, {"fx", "fy", "fz"}, {"N", "N", "N"}};
    if (force->type == LK_FORCE_LINE) {
        struct shape shape = {2, {"first", "second"}, {"N", "N"}};

        for (int k = 0; k < 2; k++)
            if (lk_joint_coordinate_is_angle(model->joints[force->line.joint[k]].type,
                                             force->line.coordinate[k]))
                shape.unit[k] = "N m";
        return shape;
    }
    if (force->joint >= 0)
        is_torque =
            lk_joint_coordinate_is_angle(model->joints[force->joint].type, force->coordinate);
    return (struct shape){1, {""}, {is_torque ? "N m" : "N"}};
}

static struct shape recovery_shape(const struct lk_model *model, const struct lk_output_def *def)
{
    static const struct shape stress = {7, {"xx", "yy", "zz", "xy", "xz", "yz", "mises"}, {NULL}};
    const struct lk_recovery_def *r =
        &model->modals[model->bodies[def->body].modal].recovery[def->mode];
    struct shape shape = {1, {""}, {NULL}};

    if (r->rows > 1)
        shape = stress;
    for (int i = 0; i < shape.size; i++)
        shape.unit[i] = r->unit;
    return shape;
}

/* Return the shape of a mobility: acceleration of a port per unit of force at that port. A mobility
 * is one number, or the entries of a symmetric tensor. */
static struct shape mobility_shape(const struct lk_model *model, const struct lk_output_def *def)
{
    static const struct shape tensor = {6, {"xx", "yy", "zz", "xy", "xz", "yz"}, {NULL}};
    enum lk_input_type type = def->input < 0 ? LK_INPUT_TYPES : model->inputs[def->input].type;
    bool is_torque = type == LK_INPUT_JOINT_TORQUE || type == LK_INPUT_BODY_TORQUE;
    struct shape shape = {1, {""}, {NULL}};

    if (type == LK_INPUT_BODY_FORCE || type == LK_INPUT_BODY_TORQUE)
        shape = tensor;
    if (def->input < 0) {
        const struct lk_force_def *f = &model->forces[def->force];

        is_torque = f->joint >= 0 &&
                    lk_joint_coordinate_is_angle(model->joints[f->joint].type, f->coordinate);
    }
    for (int i = 0; i < shape.size; i++)
        shape.unit[i] = is_torque ? "1/(kg m^2)" : "1/kg";
    return shape;
}

static bool is_along_body(const struct lk_model *model, const struct lk_output_def *def)
{
    return memcmp(def->orientation, model->bodies[def->body].orientation,
                  sizeof(def->orientation)) == 0;
}

/* Set the frame of a vector channel. A sensor uses the axes of its body unless it is mounted
 * otherwise; a bushing uses axes of its own. */
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
    case LK_OUTPUT_MOBILITY:
        if (def->input >= 0)
            set_input_frame(model, &model->inputs[def->input], channel);
        return;
    case LK_OUTPUT_INPUT:
        set_input_frame(model, &model->inputs[def->input], channel);
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
    if (def->type == LK_OUTPUT_PORT_WORK && def->told >= 0)
        shape = (struct shape){2, {"work", "gap"}, {"J", "J"}};
    if (def->type == LK_OUTPUT_MOBILITY)
        shape = mobility_shape(model, def);
    if (def->type == LK_OUTPUT_BLOCK)
        shape = (struct shape){1, {""}, {model->blocks[def->block].unit}};
    if (def->type == LK_OUTPUT_RECOVERY)
        shape = recovery_shape(model, def);
    if (def->type == LK_OUTPUT_INPUT)
        shape = input_shape(&model->inputs[def->input]);
    describe_channel(def->name, &shape, offset, ret_channel);
    ret_channel->ahead = def->ahead;
    ret_channel->type = lk_output_type_name(def->type);
    set_output_frame(model, def, ret_channel);
}
