/* SPDX-License-Identifier: Apache-2.0 */
/* Section `joints`: the bodies that a joint connects, and its geometry in the initial
 * configuration. */
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS_COMMON     "type", "bodies", "point", "points", "compliance"
#define KEYS_AXIS       "axis", "axes"
#define KEYS_COORDINATE "coordinate", "start", "drive"

/* largest deviation from a right angle between the axes of a universal joint [rad] */
#define SQUARE_TOLERANCE 1e-3
#define HALF_ANGLE_MAX   1.5 /* largest half angle of a conical wheel [rad] */
#define CROSSING_MAX                                                                               \
    0.99 /* largest square of the cosine between axle and rail, and of the sine of the cone */
#define FOLDED_TOLERANCE 1e-6 /* least 1 + cosine of the bend of a constant-velocity joint */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Check that both axes of a universal joint are perpendicular. */
static int read_universal(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    int result = lk_read_both(map, "axes", lk_read_direction_node, joint->axis, err);
    double cosine = dot(joint->axis[0], joint->axis[1]);

    if (result == 0 && fabs(cosine) > SQUARE_TOLERANCE)
        return lk_node_refuse(lk_node_get(map, "axes"), err,
                              "axes are %.6g rad apart, expected a right angle (within %g rad)",
                              acos(fmax(-1, fmin(1, cosine))), SQUARE_TOLERANCE);
    return result;
}

/* Compute the component of @v perpendicular to the unit vector @n, normalised. Return: false if
 * it is zero. */
static bool make_square(const double v[3], const double n[3], double ret[3])
{
    double along = dot(v, n), length;

    for (int i = 0; i < 3; i++)
        ret[i] = v[i] - along * n[i];
    length = sqrt(dot(ret, ret));
    if (length < 1e-6)
        return false;
    for (int i = 0; i < 3; i++)
        ret[i] /= length;
    return true;
}

static int read_planar(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "direction");
    const double *normal = joint->axis[0];
    bool x_is_near = fabs(normal[0]) > 0.9;
    double direction[3] = {!x_is_near, x_is_near, 0};

    if (node.index != 0) {
        int result = lk_read_direction_node(node, "direction", direction, err);

        if (result != 0)
            return result;
    }
    if (!make_square(direction, normal, joint->direction))
        return lk_node_refuse(node, err,
                              "direction is along the axis, expected a vector in the plane");
    return 0;
}

/* Refuse shafts that point in opposite directions, because the twist between them is then
 * undefined. */
static int read_constant_velocity(struct lk_node map, struct lk_joint_def *joint,
                                  struct lk_error *err)
{
    double cosine = dot(joint->axis[0], joint->axis[1]);

    if (cosine < -1 + FOLDED_TOLERANCE)
        return lk_node_refuse(lk_node_get(map, "axes"), err,
                              "axes point against each other, expected those of two shafts that "
                              "run on from one another");
    return 0;
}

static int read_distance(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    int result = lk_read_both(map, "points", lk_read_vector_node, joint->point, err);

    if (result == 0)
        result = lk_check_apart(map, joint->point, &joint->length, err);
    return lk_also(result, lk_read_positive_or(map, "length", &joint->length, err));
}

/* Read a screw. The file states the lead per turn, as is usual. */
static int read_screw(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    int result = lk_read_nonzero(map, "pitch", &joint->pitch, err);

    joint->pitch /= 2 * M_PI;
    return result;
}

/* Read a cone on a rail. The axle must cross the rail; otherwise no normal of the rail has the
 * angle of the cone to the axle. */
static int read_cone_on_rail(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    struct lk_node angle = lk_node_get(map, "half_angle");
    double along, distance;
    int result = lk_read_both(map, "points", lk_read_vector_node, joint->point, err);

    if (result == 0)
        result = lk_check_apart(map, joint->point, &distance, err);
    result = lk_also(result, lk_read_both(map, "axes", lk_read_direction_node, joint->axis, err));
    result =
        lk_also(result, lk_read_number(map, "half_angle", -LK_NUMBER_MAX, &joint->half_angle, err));
    if (fabs(joint->half_angle) > HALF_ANGLE_MAX)
        result =
            lk_also(result, lk_node_refuse(angle, err, "half_angle is %.40s, expected %g to %g",
                                           lk_node_text(angle), -HALF_ANGLE_MAX, HALF_ANGLE_MAX));
    result = lk_also(result, lk_read_number(map, "rail_radius", 0, &joint->rail_radius, err));
    result = lk_also(result, lk_read_positive(map, "wheel_radius", &joint->wheel_radius, err));
    if (result != 0)
        return result;
    along = dot(joint->axis[0], joint->axis[1]);
    if (along * along > CROSSING_MAX - sin(joint->half_angle) * sin(joint->half_angle))
        return lk_node_refuse(lk_node_get(map, "axes"), err,
                              "axes of rail and axle are %.6g rad apart, too near for this "
                              "half_angle, expected an axle across the rail",
                              acos(fmin(1, fabs(along))));
    joint->length = joint->wheel_radius * cos(joint->half_angle) + joint->rail_radius;
    return 0;
}

/* Read a wheel that rolls on a plane. A wheel that lies flat has no lowest point. */
static int read_rolling(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    double along;
    int result = lk_read_both(map, "points", lk_read_vector_node, joint->point, err);

    result = lk_also(result, lk_read_both(map, "axes", lk_read_direction_node, joint->axis, err));
    result = lk_also(result, lk_read_positive(map, "wheel_radius", &joint->wheel_radius, err));
    if (result != 0)
        return result;
    along = dot(joint->axis[0], joint->axis[1]);
    if (along * along > CROSSING_MAX)
        return lk_node_refuse(lk_node_get(map, "axes"), err,
                              "axes of plane and axle are %.6g rad apart, so the wheel lies flat, "
                              "expected the normal of the plane and an axle across it",
                              acos(fmin(1, fabs(along))));
    joint->length = joint->wheel_radius;
    return 0;
}

/* struct joint_kind - keys that the file has for a type of joint; in the order of lk_joint_type.
 * @read_more: reads the keys that only this type has */
static const struct joint_kind {
    const char *keys[13];
    bool has_point;
    bool has_axis;
    int (*read_more)(struct lk_node, struct lk_joint_def *, struct lk_error *);
} kinds[LK_JOINT_IN_FILE] = {
    [LK_JOINT_REVOLUTE] = {{KEYS_COMMON, KEYS_AXIS, KEYS_COORDINATE, NULL}, true, true, NULL},
    [LK_JOINT_SPHERICAL] = {{KEYS_COMMON, NULL}, true, false, NULL},
    [LK_JOINT_PRISMATIC] = {{KEYS_COMMON, KEYS_AXIS, KEYS_COORDINATE, NULL}, true, true, NULL},
    [LK_JOINT_FIXED] = {{KEYS_COMMON, "drive", NULL}, true, false, NULL},
    [LK_JOINT_CYLINDRICAL] = {{KEYS_COMMON, KEYS_AXIS, KEYS_COORDINATE, NULL}, true, true, NULL},
    [LK_JOINT_UNIVERSAL] = {{KEYS_COMMON, "axes", KEYS_COORDINATE, NULL},
                            true,
                            false,
                            read_universal},
    [LK_JOINT_PLANAR] = {{KEYS_COMMON, KEYS_AXIS, "direction", KEYS_COORDINATE, NULL},
                         true,
                         true,
                         read_planar},
    [LK_JOINT_SCREW] = {{KEYS_COMMON, KEYS_AXIS, "pitch", KEYS_COORDINATE, NULL},
                        true,
                        true,
                        read_screw},
    [LK_JOINT_POINT_ON_LINE] = {{KEYS_COMMON, KEYS_AXIS, KEYS_COORDINATE, NULL}, true, true, NULL},
    [LK_JOINT_DISTANCE] = {{"type", "bodies", "points", "length", "compliance", NULL},
                           false,
                           false,
                           read_distance},
    [LK_JOINT_CONSTANT_VELOCITY] = {{KEYS_COMMON, KEYS_AXIS, NULL},
                                    true,
                                    true,
                                    read_constant_velocity},
    [LK_JOINT_CONE_ON_RAIL] = {{"type", "bodies", "points", "axes", "half_angle", "rail_radius",
                                "wheel_radius", "compliance", NULL},
                               false,
                               false,
                               read_cone_on_rail},
    [LK_JOINT_SKATE] = {{"type", "bodies", "point", "axis", NULL}, true, true, NULL},
    [LK_JOINT_ROLLING] = {{"type", "bodies", "points", "axes", "wheel_radius", NULL},
                          false,
                          false,
                          read_rolling},
    [LK_JOINT_GEAR] = {{"type", "joints", "ratio", "compliance", NULL}, false, false, NULL},
    [LK_JOINT_RACK] = {{"type", "joints", "radius", "compliance", NULL}, false, false, NULL},
    [LK_JOINT_DIFFERENTIAL] = {{"type", "joints", "ratio", "compliance", NULL}, false, false, NULL},
};

/* Read one number per row. A fixed joint has six numbers, along and about its axes. */
static int read_compliance(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    struct lk_node node = lk_node_get(map, "compliance");
    int result;

    if (node.index == 0)
        return 0;
    joint->has_compliance = 1;
    result = lk_node_check_keys(node, "compliance", keys, err);
    return lk_also(result, lk_read_compliance(node, lk_joint_traits[joint->type].n_rows,
                                              &joint->compliance, err));
}

static int read_type(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    const char *names[LK_JOINT_IN_FILE + 1];
    int type = 0;
    int result;

    for (int i = 0; i < LK_JOINT_IN_FILE; i++)
        names[i] = lk_joint_traits[i].name;
    names[LK_JOINT_IN_FILE] = NULL;
    result = lk_read_type(map, "a joint", names, &type, err);
    if (result != 0)
        return result;
    joint->type = (enum lk_joint_type)type;
    return 0;
}

static int check_keys(struct lk_node map, const struct lk_joint_def *joint, struct lk_error *err)
{
    char what[LK_NAME_SIZE];

    snprintf(what, sizeof(what), "a %s joint", lk_joint_traits[joint->type].name);
    return lk_node_check_keys(map, what, kinds[joint->type].keys, err);
}

/* Read point and axis of the joint in the initial configuration, and the keys of its type. */
static int read_geometry(struct lk_node map, struct lk_joint_def *joint, struct lk_error *err)
{
    const struct joint_kind *kind = &kinds[joint->type];
    int result = 0;

    if (kind->has_point)
        result = lk_read_sides(map, "point", "points", lk_read_vector_node, joint->point, err);
    if (kind->has_axis)
        result = lk_also(
            result, lk_read_sides(map, "axis", "axes", lk_read_direction_node, joint->axis, err));
    if (result == 0 && kind->read_more != NULL)
        result = kind->read_more(map, joint, err);
    return result;
}

/* Reads all joints except couplings. */
static int read_joint(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_joint_def *joint, struct lk_error *err)
{
    int result = lk_read_name(key, "joint", joint->name, err);
    int type;

    joint->body[0] = joint->body[1] = LK_GROUND;
    for (int k = 0; k < LK_COUPLED_MAX; k++)
        joint->joint[k] = -1;
    type = read_type(map, joint, err);
    if (type != 0)
        return lk_also(result, type);
    result = lk_also(result, check_keys(map, joint, err));
    if (!lk_joint_is_coupling(joint->type))
        result = lk_also(result, lk_read_pair(map, "a joint", model, joint->body, err));
    result = lk_also(result, read_geometry(map, joint, err));
    result = lk_also(
        result, lk_read_coordinates(map, "coordinate", joint->type, joint->coordinate, NULL, err));
    result = lk_also(
        result, lk_read_coordinates(map, "start", joint->type, joint->start, &joint->hold, err));
    return lk_also(result, read_compliance(map, joint, err));
}

int lk_read_joints(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "joints", LK_JOINTS_MAX, sizeof(*model->joints), &map,
                                 &model->joints, &model->n_joints, err);

    for (int i = 0; i < model->n_joints && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_joint(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                            &model->joints[i], err));
    for (int i = 0; i < model->n_joints && lk_node_goes_on(root, result); i++) {
        if (lk_joint_is_coupling(model->joints[i].type) && !lk_node_is_refused(lk_node_at(map, i)))
            result = lk_also(result,
                             lk_read_coupling(lk_node_at(map, i), model, &model->joints[i], err));
    }
    return result;
}
