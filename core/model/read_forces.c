/* SPDX-License-Identifier: Apache-2.0 */
/* Section `forces`: force elements other than gravity and inputs. */
#include "reader.h"

#include <math.h>
#include <string.h>

#define KEYS_LAW "stiffness", "damping", "stiffness_table", "damping_table"

/* Reads a number, or a table in its place. */
static int read_number_or_table(struct lk_node map, const char *key, const char *table_key,
                                const char *x, struct lk_model *model, double *ret, int *ret_table,
                                struct lk_error *err)
{
    struct lk_node table = lk_node_get(map, table_key);
    int result;

    if (table.index != 0 && lk_node_get(map, key).index != 0)
        return lk_node_refuse(table, err, "both %s and %s are given, expected one of them", key,
                              table_key);
    result = lk_read_number_or(map, key, 0, ret, err);
    return lk_also(result, lk_read_table(map, table_key, x, "force", true, model, ret_table, err));
}

static int read_law(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                    struct lk_error *err)
{
    int result = read_number_or_table(map, "stiffness", "stiffness_table", "deflection", model,
                                      &force->stiffness, &force->stiffness_table, err);

    return lk_also(result, read_number_or_table(map, "damping", "damping_table", "rate", model,
                                                &force->damping, &force->damping_table, err));
}

static int read_coordinate(struct lk_node map, const struct lk_model *model,
                           struct lk_force_def *force, struct lk_error *err)
{
    return lk_read_coordinate_key(map, model, LK_COORDINATE_ANY, &force->joint, &force->coordinate,
                                  err);
}

static int read_joint_spring(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                             struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    result = lk_also(result, read_law(map, model, force, err));
    result = lk_also(result, lk_read_number_or(map, "rest", -LK_NUMBER_MAX, &force->rest, err));
    return result;
}

static int read_spring(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                       struct lk_error *err)
{
    double distance;
    int points;
    int result = lk_read_pair(map, "a force", model, force->body, err);

    force->rest = NAN; /* initial distance */
    points = lk_read_both(map, "points", lk_read_vector_node, force->point, err);
    if (points == 0)
        points = lk_check_apart(map, force->point, &distance, err);
    result = lk_also(result, points);
    result = lk_also(result, read_law(map, model, force, err));
    result = lk_also(result, lk_read_number_or(map, "rest_length", 0, &force->rest, err));
    return result;
}

static int read_bushing(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                        struct lk_error *err)
{
    int result = lk_read_pair(map, "a force", model, force->body, err);

    result = lk_also(result, lk_read_vector(map, "point", force->point[0], err));
    memcpy(force->point[1], force->point[0], sizeof(force->point[1]));
    result = lk_also(result, lk_read_orientation_or(map, "orientation", force->orientation, err));
    return lk_also(result, lk_read_compliance(map, 6, &force->compliance, err));
}

static int read_creep(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                      struct lk_error *err)
{
    int result = lk_read_joint_key(map, model, &force->joint, err);

    if (result == 0 && model->joints[force->joint].type != LK_JOINT_CONE_ON_RAIL)
        return lk_node_refuse(lk_node_get(map, "joint"), err,
                              "joint '%s' is of type %s, expected a cone-on-rail",
                              model->joints[force->joint].name,
                              lk_joint_traits[model->joints[force->joint].type].name);
    if (result == 0)
        memcpy(force->body, model->joints[force->joint].body, sizeof(force->body));
    force->limit = INFINITY;
    result = lk_also(result, lk_read_number(map, "longitudinal", 0, &force->coefficient[0], err));
    result = lk_also(result, lk_read_number(map, "lateral", 0, &force->coefficient[1], err));
    result = lk_also(result, lk_read_positive(map, "speed", &force->speed, err));
    result = lk_also(result,
                     lk_read_number_or(map, "rail_speed", -LK_NUMBER_MAX, &force->rail_speed, err));
    result = lk_also(result, lk_read_positive_or(map, "limit", &force->limit, err));
    return lk_also(result, lk_read_positive_or(map, "load", &force->load, err));
}

/* Reads the spring through which friction holds: an empty map takes what the step allows. */
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

static int read_friction(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                         struct lk_error *err)
{
    int result = read_coordinate(map, model, force, err);

    force->stribeck = 0.01;
    result = lk_also(result, lk_read_positive(map, "coulomb", &force->coulomb, err));
    force->stick = force->coulomb;
    result = lk_also(result, lk_read_number_or(map, "stick", force->coulomb, &force->stick, err));
    result = lk_also(result, lk_read_positive_or(map, "stribeck", &force->stribeck, err));
    result = lk_also(result, lk_read_number_or(map, "creep", 0, &force->creep, err));
    result = lk_also(result, read_wind_up(map, force, err));
    force->scale = 1;
    result = lk_also(result, lk_read_number_or_signal(map, "scale", 0, model, &force->scale,
                                                      &force->scale_input, err));
    result = lk_also(result, lk_read_number_or(map, "damping", 0, &force->damping, err));
    return result;
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
    int result = lk_read_body_key(map, "body", model, &force->body[0], err);

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

static const char *const types[] = {"joint-spring-damper",
                                    "spring-damper",
                                    "bushing",
                                    "creep",
                                    "friction",
                                    "stop",
                                    "constant-force",
                                    "constant-torque",
                                    "harmonic-force",
                                    "harmonic-torque",
                                    "tyre",
                                    NULL};

/* in the order of lk_force_type */
static const struct {
    const char *what;
    const char *keys[15];
    int (*read)(struct lk_node, struct lk_model *, struct lk_force_def *, struct lk_error *);
} kinds[LK_FORCE_TYPES] = {
    {"a joint-spring-damper",
     {"type", "joint", "coordinate", KEYS_LAW, "rest", NULL},
     read_joint_spring},
    {"a spring-damper", {"type", "bodies", "points", KEYS_LAW, "rest_length", NULL}, read_spring},
    {"a bushing",
     {"type", "bodies", "point", "orientation", "stiffness", "damping", NULL},
     read_bushing},
    {"a creep",
     {"type", "joint", "longitudinal", "lateral", "speed", "rail_speed", "limit", "load", NULL},
     read_creep},
    {"a friction",
     {"type", "joint", "coordinate", "coulomb", "stick", "stribeck", "creep", "wind_up", "scale",
      "damping", NULL},
     read_friction},
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
      "deflection", "carcass", "bore", "friction", "law", NULL},
     lk_read_tyre},
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
