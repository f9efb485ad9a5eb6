/* SPDX-License-Identifier: Apache-2.0 */
/* Section `forces`: force elements other than gravity and inputs. */
#include "reader.h"

#include <math.h>
#include <string.h>

#define KEYS_LAW "stiffness", "damping", "stiffness_table", "damping_table", "scale"

/* Refuse an input whose limits allow a negative stiffness or damping; without limits, set the
 * lower limit to 0. */
static int check_passive(struct lk_node map, const char *key, struct lk_input_def *input,
                         struct lk_error *err)
{
    if (input->limits[0] < 0 && !isinf(input->limits[0]))
        return lk_node_refuse(lk_node_get(lk_node_get(map, key), "input"), err,
                              "input '%s' has limits from %g on, expected 0 or more for a %s",
                              input->name, input->limits[0], key);
    input->limits[0] = fmax(input->limits[0], 0);
    return 0;
}

/* names of the values and of their inputs; units along and about an axis; smallest value */
static const struct {
    const char *key;
    const char *units[2];
    double min;
} port_values[LK_PORT_VALUES] = {
    {"force", {"N", "N m"}, -LK_NUMBER_MAX},
    {"stiffness", {"N/m", "N m/rad"}, 0},
    {"damping", {"N s/m", "N m s/rad"}, 0},
    {"rest", {"m", "rad"}, -LK_NUMBER_MAX},
};

/* Read a value that an input may set. @key: NULL: its usual name */
static int read_value(struct lk_node map, const char *key, enum lk_port_value which,
                      struct lk_model *model, struct lk_force_def *force, double *ret,
                      struct lk_error *err)
{
    int is_angle = force->joint >= 0 && lk_joint_coordinate_is_angle(
                                            model->joints[force->joint].type, force->coordinate);
    int result, *input = &force->port_input[which];

    key = key == NULL ? port_values[which].key : key;
    result = lk_read_number_or_signal(map, key, port_values[which].min,
                                      port_values[which].units[is_angle], model, ret, input, err);
    if (result != 0 || *input < 0 || *input >= model->n_inputs || port_values[which].min < 0)
        return result;
    return check_passive(map, key, &model->inputs[*input], err);
}

/* Reads a number, or a table in its place. */
static int read_number_or_table(struct lk_node map, enum lk_port_value which, const char *table_key,
                                const char *x, struct lk_model *model, struct lk_force_def *force,
                                double *ret, int *ret_table, struct lk_error *err)
{
    const char *key = port_values[which].key;
    struct lk_node table = lk_node_get(map, table_key);
    int result;

    if (table.index != 0 && lk_node_get(map, key).index != 0)
        return lk_node_refuse(table, err, "both %s and %s are given, expected one of them", key,
                              table_key);
    result = read_value(map, NULL, which, model, force, ret, err);
    return lk_also(result, lk_read_table(map, table_key, x, "force", true, model, ret_table, err));
}

static int read_law(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                    struct lk_error *err)
{
    struct lk_node scale = lk_node_get(map, "scale");
    int result =
        read_number_or_table(map, LK_PORT_STIFFNESS, "stiffness_table", "deflection", model, force,
                             &force->stiffness, &force->stiffness_table, err);

    result =
        lk_also(result, read_number_or_table(map, LK_PORT_DAMPING, "damping_table", "rate", model,
                                             force, &force->damping, &force->damping_table, err));
    force->scale = 1;
    if (result == 0 && scale.index != 0 && force->stiffness_table < 0 && force->damping_table < 0)
        return lk_node_refuse(scale, err,
                              "scale without a table, expected stiffness_table or damping_table");
    return lk_also(result, lk_read_number_or_signal(map, "scale", 0, "1", model, &force->scale,
                                                    &force->scale_input, err));
}

/* Read a callback, which has only a coordinate: its force is a function of the program that
 * compiles the model */
static int read_coordinate(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                           struct lk_error *err)
{
    return lk_read_coordinate_key(map, model, LK_COORDINATE_ANY, &force->joint, &force->coordinate,
                                  err);
}

static int read_joint_spring(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                             struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    result = lk_also(result, read_law(map, model, force, err));
    return lk_also(result, read_value(map, NULL, LK_PORT_REST, model, force, &force->rest, err));
}

/* Read two points of two bodies, and compute their distance. */
static int read_points(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                       double *ret_distance, struct lk_error *err)
{
    int result = lk_read_pair(map, "a force", model, force->body, err);
    int points = lk_read_both(map, "points", lk_read_vector_node, force->point, err);

    if (points == 0)
        points = lk_check_apart(map, force->point, ret_distance, err);
    return lk_also(result, points);
}

static int read_spring(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                       struct lk_error *err)
{
    double distance;
    int result = read_points(map, model, force, &distance, err);

    force->rest = NAN; /* initial distance */
    result = lk_also(result, read_law(map, model, force, err));
    result = lk_also(result,
                     read_value(map, "rest_length", LK_PORT_REST, model, force, &force->rest, err));
    if (result == 0 && force->rest < 0)
        return lk_node_refuse(lk_node_get(map, "rest_length"), err,
                              "rest_length is %g, expected at least 0", force->rest);
    return result;
}

static int read_bushing(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                        struct lk_error *err)
{
    int result = lk_read_pair(map, "a force", model, force->body, err);

    result = lk_also(result, lk_read_vector(map, "point", force->point[0], err));
    memcpy(force->point[1], force->point[0], sizeof(force->point[1]));
    result = lk_also(result, lk_read_orientation_or(map, "orientation", force->orientation, err));
    result = lk_also(result, lk_node_read_bool_or(map, "element", &force->is_element, err));
    return lk_also(result, lk_read_compliance(map, 6, &force->compliance, err));
}

/* @joint: of the force; NULL: its name is wrong */
static int read_follows_load(struct lk_node map, const struct lk_joint_def *joint,
                             struct lk_force_def *force, struct lk_error *err)
{
    static const char *const choices[] = {"false", "true", NULL};
    struct lk_node node = lk_node_get(map, "follows_load");
    int result = node.index == 0
                     ? 0
                     : lk_node_read_choice(map, "follows_load", choices, &force->follows_load, err);

    if (result != 0 || !force->follows_load)
        return result;
    if (!(force->load > 0))
        return lk_node_refuse(node, err,
                              "creep follows its load, but no load is given, expected the normal "
                              "force to which the coefficients belong");
    if (joint != NULL && joint->has_compliance)
        return lk_node_refuse(
            node, err,
            "creep follows the load of joint '%s', which has compliance, expected "
            "a rigid contact",
            joint->name);
    return 0;
}

static int read_creep(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                      struct lk_error *err)
{
    int result = lk_read_joint_key(map, model, &force->joint, err);
    const struct lk_joint_def *joint = result == 0 ? &model->joints[force->joint] : NULL;

    if (joint != NULL && joint->type != LK_JOINT_CONE_ON_RAIL)
        return lk_node_refuse(lk_node_get(map, "joint"), err,
                              "joint '%s' is of type %s, expected a cone-on-rail", joint->name,
                              lk_joint_traits[joint->type].name);
    if (joint != NULL)
        memcpy(force->body, joint->body, sizeof(force->body));
    force->limit = INFINITY;
    result = lk_also(result, lk_read_number(map, "longitudinal", 0, &force->coefficient[0], err));
    result = lk_also(result, lk_read_number(map, "lateral", 0, &force->coefficient[1], err));
    result = lk_also(result, lk_read_positive(map, "speed", &force->speed, err));
    result = lk_also(result,
                     lk_read_number_or(map, "rail_speed", -LK_NUMBER_MAX, &force->rail_speed, err));
    result = lk_also(result, lk_read_positive_or(map, "limit", &force->limit, err));
    result = lk_also(result, lk_read_positive_or(map, "load", &force->load, err));
    result = lk_also(result, lk_read_number_or(map, "spin", 0, &force->spin, err));
    if (result == 0 && force->spin > 0 && !(force->coefficient[1] > 0))
        result =
            lk_node_refuse(lk_node_get(map, "spin"), err,
                           "spin is more than 0, but lateral is 0, expected a lateral above 0");
    return lk_also(result, read_follows_load(map, joint, force, err));
}

/* Read the presliding spring of friction; an empty map means values as the step allows. */
static int read_wind_up(struct lk_node map, struct lk_force_def *force, struct lk_error *err)
{
    static const char *const keys[] = {"stiffness", "damping", NULL};
    struct lk_node node = lk_node_get(map, "wind_up");
    int result;

    force->wind_stiffness = force->wind_damping = NAN;
    if (node.index == 0)
        return 0;
    force->has_wind_up = 1;
    result = lk_node_check_keys(node, "wind_up", keys, err);
    result = lk_also(result, lk_read_positive_or(node, "stiffness", &force->wind_stiffness, err));
    result = lk_also(result, lk_read_number_or(node, "damping", 0, &force->wind_damping, err));
    if (lk_node_get(map, "creep").index != 0)
        return lk_also(result,
                       lk_node_refuse(lk_node_get(map, "creep"), err,
                                      "friction has both creep and wind_up, expected one of "
                                      "them: what winds up does not creep"));
    return result;
}

/* Read friction by the normal force of the joint. */
static int read_mu(struct lk_node map, const struct lk_model *model, struct lk_force_def *force,
                   struct lk_error *err)
{
    const struct lk_joint_def *joint = &model->joints[force->joint];
    bool is_angle = lk_joint_coordinate_is_angle(joint->type, force->coordinate);
    struct lk_node radius = lk_node_get(map, "radius");
    int result = lk_read_number(map, "mu", 0, &force->mu, err);

    if (joint->type != LK_JOINT_REVOLUTE && joint->type != LK_JOINT_PRISMATIC &&
        joint->type != LK_JOINT_CYLINDRICAL)
        return lk_node_refuse(lk_node_get(map, "joint"), err,
                              "joint '%s' is of type %s, expected a revolute, prismatic or "
                              "cylindrical one for friction by its normal force",
                              joint->name, lk_joint_traits[joint->type].name);
    force->has_mu = 1;
    force->mu_stick = force->mu;
    result = lk_also(result, lk_read_number_or(map, "mu_stick", force->mu, &force->mu_stick, err));
    result = lk_also(result, lk_read_positive_or(map, "length", &force->length, err));
    if (is_angle)
        return lk_also(result, lk_read_positive(map, "radius", &force->radius, err));
    return radius.index == 0
               ? result
               : lk_node_refuse(radius, err,
                                "the coordinate is a length, expected no radius; that of a pin is "
                                "for an angle");
}

/* Refuse keys that need mu. */
static int check_without_mu(struct lk_node map, struct lk_error *err)
{
    static const char *const keys[] = {"mu_stick", "radius", "length"};

    for (size_t i = 0; i < 3; i++)
        if (lk_node_get(map, keys[i]).index != 0)
            return lk_node_refuse(lk_node_get(map, keys[i]), err,
                                  "%s without mu, expected mu: the coefficient on the normal force "
                                  "of the joint",
                                  keys[i]);
    return 0;
}

static int read_friction(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                         struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    bool has_mu = lk_node_get(map, "mu").index != 0;

    force->stribeck = 0.01;
    if (has_mu && result == 0)
        result = read_mu(map, model, force, err);
    else if (!has_mu)
        result = lk_also(result, check_without_mu(map, err));
    result = lk_also(result, has_mu ? lk_read_number_or(map, "coulomb", 0, &force->coulomb, err)
                                    : lk_read_positive(map, "coulomb", &force->coulomb, err));
    force->stick = force->coulomb;
    result = lk_also(result, lk_read_number_or(map, "stick", force->coulomb, &force->stick, err));
    result = lk_also(result, lk_read_positive_or(map, "stribeck", &force->stribeck, err));
    result = lk_also(result, lk_read_number_or(map, "creep", 0, &force->creep, err));
    result = lk_also(result, read_wind_up(map, force, err));
    force->scale = 1;
    result = lk_also(result, lk_read_number_or_signal(map, "scale", 0, "1", model, &force->scale,
                                                      &force->scale_input, err));
    result = lk_also(result, lk_read_number_or(map, "damping", 0, &force->damping, err));
    return result;
}

/* Read the coordinate of an impedance: a coordinate of a joint, or the distance of two points. */
static int read_port_place(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                           struct lk_error *err)
{
    struct lk_node joint = lk_node_get(map, "joint"), bodies = lk_node_get(map, "bodies");
    struct lk_node coordinate = lk_node_get(map, "coordinate"), points = lk_node_get(map, "points");
    bool at_joint = joint.index != 0 || coordinate.index != 0;

    if (at_joint == (bodies.index != 0 || points.index != 0))
        return lk_node_refuse(map, err,
                              "expected either the key 'joint', with 'coordinate' where it has "
                              "several, or 'bodies' and 'points'");
    if (at_joint)
        return read_coordinate(map, model, force, err);
    return read_points(map, model, force, &force->port[LK_PORT_REST], err);
}

static int read_impedance(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                          struct lk_error *err)
{
    int result = read_port_place(map, model, force, err), inputs = 0;

    if (result != 0)
        return result;
    for (int i = 0; i < LK_PORT_VALUES; i++) {
        result = lk_also(result, read_value(map, NULL, (enum lk_port_value)i, model, force,
                                            &force->port[i], err));
        inputs += force->port_input[i] >= 0;
    }
    if (result == 0 && inputs == 0)
        return lk_node_refuse(map, err,
                              "an impedance without inputs, expected {input: NAME} for at least "
                              "one of force, stiffness, damping and rest, or a "
                              "joint-spring-damper");
    return result;
}

/* Read a map: the force over the rate of a coordinate and a level, such as the torque of an engine.
 */
static int read_map(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                    struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    if (lk_node_get(map, "level").index == 0)
        result = lk_also(result, lk_node_refuse(map, err,
                                                "the key 'level' is missing, expected {input: "
                                                "NAME} of type signal, or a number"));
    result = lk_also(result, lk_read_number_or_signal(map, "level", -LK_NUMBER_MAX, "1", model,
                                                      &force->scale, &force->scale_input, err));
    return lk_also(result, lk_read_map(map, "map", model, &force->map, err));
}

/* Read the flow into a transmission line for each unit of rate at its ends. */
static int read_ratio(struct lk_node map, double ratio[2], struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "ratio");
    int result;

    ratio[0] = 1;
    ratio[1] = -1;
    if (list.index == 0)
        return 0;
    result = lk_read_numbers(map, "ratio", 2, ratio, err);
    if (result == 0 && (ratio[0] == 0 || ratio[1] == 0))
        return lk_node_refuse(list, err, "a ratio of 0, expected two numbers other than 0");
    return result;
}

static int read_line(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                     struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "joints");
    int result = 0;

    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != 2)
        return lk_node_refuse(list.index == 0 ? map : list, err,
                              "expected joints: [first, second], the ends of the line");
    for (int k = 0; k < 2 && result == 0; k++)
        result = lk_read_coupled(lk_node_at(list, k), model, LK_COORDINATE_ANY,
                                 &force->line.joint[k], &force->line.coordinate[k], err);
    if (result == 0 && force->line.joint[0] == force->line.joint[1] &&
        force->line.coordinate[0] == force->line.coordinate[1])
        result =
            lk_node_refuse(list, err, "both ends of the line are at one coordinate, expected two");
    result = lk_also(result, lk_read_positive(map, "impedance", &force->line.impedance, err));
    result = lk_also(result, lk_read_positive(map, "delay", &force->line.delay, err));
    result = lk_also(result, read_ratio(map, force->line.ratio, err));
    return lk_also(result, lk_read_number_or(map, "load", -LK_NUMBER_MAX, &force->line.load, err));
}

static int read_range(struct lk_node map, struct lk_force_def *force, struct lk_error *err)
{
    struct lk_node upper = lk_node_get(map, "upper");
    int result;

    if (upper.index == 0 && lk_node_get(map, "lower").index == 0)
        return lk_node_refuse(map, err,
                              "the keys 'lower' and 'upper' are missing, expected one or both");
    force->lower = -INFINITY;
    force->upper = INFINITY;
    result = lk_read_number_or(map, "lower", -LK_NUMBER_MAX, &force->lower, err);
    result = lk_also(result, lk_read_number_or(map, "upper", -LK_NUMBER_MAX, &force->upper, err));
    if (result == 0 && force->lower >= force->upper)
        result = lk_node_refuse(upper, err, "upper is %.40s, expected more than lower, %g",
                                lk_node_text(upper), force->lower);
    return result;
}

static int read_stop(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                     struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    result = lk_also(result, read_range(map, force, err));
    result = lk_also(result, lk_read_positive(map, "stiffness", &force->stiffness, err));
    result = lk_also(result, lk_read_number_or(map, "damping", 0, &force->damping, err));
    result = lk_also(result, lk_read_number_or(map, "onset", 0, &force->onset, err));
    return result;
}

static int read_load(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                     struct lk_error *err)
{
    bool harmonic =
        force->type == LK_FORCE_HARMONIC_FORCE || force->type == LK_FORCE_HARMONIC_TORQUE;
    const char *vector = harmonic                                 ? "amplitude"
                         : force->type == LK_FORCE_CONSTANT_FORCE ? "force"
                                                                  : "torque";
    int result = lk_read_body_key(map, "body", model, false, &force->body[0], err);

    if (result == 0)
        memcpy(force->point[0], model->bodies[force->body[0]].position, sizeof(force->point[0]));
    result = lk_also(result, lk_read_vector_or(map, "point", force->point[0], err));
    result = lk_also(result, lk_read_vector(map, vector, force->vector, err));
    if (result == 0 && harmonic)
        result = lk_read_number(map, "omega", -LK_NUMBER_MAX, &force->omega, err);
    result = lk_also(result, lk_read_number_or(map, "phase", -LK_NUMBER_MAX, &force->phase, err));
    result = lk_also(result, lk_read_frame_or(map, "frame", &force->frame, err));
    return result;
}

/* Read the areas of a drag, and compute 1/2 density c A for each axis. */
static int read_areas(struct lk_node map, struct lk_force_def *force, struct lk_error *err)
{
    double area[3] = {0}, density = 1.2;
    int result = lk_read_vector(map, "area", area, err);

    result = lk_also(result, lk_read_positive_or(map, "density", &density, err));
    for (int i = 0; i < 3 && result == 0; i++) {
        if (area[i] < 0)
            return lk_node_refuse(lk_node_at(lk_node_get(map, "area"), i), err,
                                  "entry %d of area is %g, expected 0 or more", i + 1, area[i]);
        force->coefficient[i] = 0.5 * density * area[i];
    }
    return result;
}

static int read_drag(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                     struct lk_error *err)
{
    struct lk_node gust = lk_node_get(map, "gust");
    int result = lk_read_body_key(map, "body", model, false, &force->body[1], err);

    if (result == 0)
        memcpy(force->point[1], model->bodies[force->body[1]].position, sizeof(force->point[1]));
    result = lk_also(result, lk_read_vector_or(map, "point", force->point[1], err));
    memcpy(force->point[0], force->point[1], sizeof(force->point[0]));
    result = lk_also(result, lk_read_orientation_or(map, "orientation", force->orientation, err));
    result = lk_also(result, read_areas(map, force, err));
    result = lk_also(result, lk_read_vector_or(map, "wind", force->vector, err));
    force->scale = 1;
    if (gust.index != 0 && lk_node_get(map, "wind").index == 0)
        return lk_also(result, lk_node_refuse(gust, err,
                                              "gust is a factor on the wind, and 'wind' "
                                              "is missing"));
    return lk_also(result, lk_read_number_or_signal(map, "gust", -LK_NUMBER_MAX, "1", model,
                                                    &force->scale, &force->scale_input, err));
}

static const char *const types[] = {"joint-spring-damper",
                                    "spring-damper",
                                    "bushing",
                                    "creep",
                                    "friction",
                                    "impedance",
                                    "force-map",
                                    "callback",
                                    "line",
                                    "stop",
                                    "constant-force",
                                    "constant-torque",
                                    "harmonic-force",
                                    "harmonic-torque",
                                    "tyre",
                                    "drag",
                                    "contact",
                                    NULL};

/* force types, in the order of enum lk_force_type */
static const struct {
    const char *what;
    const char *keys[16];
    int (*read)(struct lk_node, struct lk_model *, struct lk_force_def *, struct lk_error *);
} kinds[LK_FORCE_TYPES] = {
    {"a joint-spring-damper",
     {"type", "joint", "coordinate", KEYS_LAW, "rest", NULL},
     read_joint_spring},
    {"a spring-damper", {"type", "bodies", "points", KEYS_LAW, "rest_length", NULL}, read_spring},
    {"a bushing",
     {"type", "bodies", "point", "orientation", "stiffness", "damping", "element", NULL},
     read_bushing},
    {"a creep",
     {"type", "joint", "longitudinal", "lateral", "speed", "rail_speed", "limit", "load", "spin",
      "follows_load", NULL},
     read_creep},
    {"a friction",
     {"type", "joint", "coordinate", "coulomb", "stick", "mu", "mu_stick", "radius", "length",
      "stribeck", "creep", "wind_up", "scale", "damping", NULL},
     read_friction},
    {"an impedance",
     {"type", "joint", "coordinate", "bodies", "points", "force", "stiffness", "damping", "rest",
      NULL},
     read_impedance},
    {"a force-map", {"type", "joint", "coordinate", "level", "map", NULL}, read_map},
    {"a callback", {"type", "joint", "coordinate", NULL}, read_coordinate},
    {"a line", {"type", "joints", "impedance", "delay", "ratio", "load", NULL}, read_line},
    {"a stop",
     {"type", "joint", "coordinate", "lower", "upper", "stiffness", "damping", "onset", NULL},
     read_stop},
    {"a constant-force", {"type", "body", "point", "force", "frame", NULL}, read_load},
    {"a constant-torque", {"type", "body", "torque", "frame", NULL}, read_load},
    {"a harmonic-force",
     {"type", "body", "point", "amplitude", "omega", "phase", "frame", NULL},
     read_load},
    {"a harmonic-torque",
     {"type", "body", "amplitude", "omega", "phase", "frame", NULL},
     read_load},
    {"a tyre",
     {"type", "joint", "road", "side", "radius", "width", "stiffness", "damping", "rim",
      "deflection", "carcass", "bore", "friction", "law", "ground", NULL},
     lk_read_tyre},
    {"a drag",
     {"type", "body", "point", "orientation", "area", "density", "wind", "gust", NULL},
     read_drag},
    {"a contact",
     {"type", "shapes", "road", "faces", "friction", "restitution", "stiffness", NULL},
     lk_read_contact},
};

static int read_force(struct lk_node key, struct lk_node map, struct lk_model *model,
                      struct lk_force_def *force, struct lk_error *err)
{
    int type = 0;
    int result = lk_read_name(key, "force", force->name, err);
    int typed = lk_read_type(map, "a force", types, &type, err);

    if (typed != 0)
        return lk_also(result, typed);
    result = lk_also(result, lk_node_check_keys(map, kinds[type].what, kinds[type].keys, err));
    force->type = (enum lk_force_type)type;
    force->joint = force->stiffness_table = force->damping_table = force->scale_input = -1;
    force->body[0] = force->body[1] = LK_GROUND;
    force->orientation[0] = 1;
    for (int i = 0; i < LK_PORT_VALUES; i++)
        force->port_input[i] = -1;
    return lk_also(result, kinds[type].read(map, model, force, err));
}

int lk_read_forces(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "forces", LK_FORCES_MAX, sizeof(*model->forces), &map,
                                 &model->forces, &model->n_forces, err);

    for (int i = 0; i < model->n_forces && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_force(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                            &model->forces[i], err));
    return result;
}
