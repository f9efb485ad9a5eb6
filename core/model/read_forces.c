/* SPDX-License-Identifier: Apache-2.0 */
/* Section `forces`: force elements other than gravity and inputs. */
#include "reader.h"

#include <string.h>

#define WITH_COORDINATE (1u << LK_JOINT_REVOLUTE | 1u << LK_JOINT_PRISMATIC)

static const char *const types[] = {"joint-spring-damper", "constant-force", "constant-torque",
                                    NULL};

/* in the order of lk_force_type */
static const struct {
    const char *what;
    const char *keys[8];
} kinds[LK_FORCE_TYPES] = {
    {"a joint-spring-damper", {"type", "joint", "stiffness", "damping", "rest", NULL}},
    {"a constant-force", {"type", "body", "point", "force", "frame", NULL}},
    {"a constant-torque", {"type", "body", "torque", "frame", NULL}},
};

static int read_spring(struct lk_node map, const struct lk_model *model, struct lk_force_def *force,
                       struct lk_error *err)
{
    int result = lk_read_joint_key(map, "joint", model, WITH_COORDINATE, &force->joint, err);

    if (result == 0)
        result = lk_read_number_or(map, "stiffness", 0, &force->stiffness, err);
    if (result == 0)
        result = lk_read_number_or(map, "damping", 0, &force->damping, err);
    if (result == 0)
        result = lk_read_number_or(map, "rest", -LK_NUMBER_MAX, &force->rest, err);
    return result;
}

static int read_constant(struct lk_node map, const struct lk_model *model,
                         struct lk_force_def *force, struct lk_error *err)
{
    int result = lk_read_body_key(map, "body", model, &force->body, err);

    if (result != 0)
        return result;
    memcpy(force->point, model->bodies[force->body].position, sizeof(force->point));
    result = lk_read_vector_or(map, "point", force->point, err);
    if (result == 0)
        result = lk_read_vector(map, force->type == LK_FORCE_CONSTANT_FORCE ? "force" : "torque",
                                force->vector, err);
    if (result == 0)
        result = lk_read_frame_or(map, "frame", &force->frame, err);
    return result;
}

static int read_force(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_force_def *force, struct lk_error *err)
{
    static const char *const any[] = {"type",  "joint", "stiffness", "damping", "rest", "body",
                                      "point", "force", "torque",    "frame",   NULL};
    int type = 0;
    int result = lk_read_name(key, "force", force->name, err);

    if (result == 0 && lk_node_kind(map) != LK_NODE_MAP)
        result = lk_node_check_keys(map, "a force", any, err);
    if (result == 0)
        result = lk_node_read_choice(map, "type", types, &type, err);
    if (result == 0)
        result = lk_node_check_keys(map, kinds[type].what, kinds[type].keys, err);
    if (result != 0)
        return result;
    force->type = (enum lk_force_type)type;
    force->joint = force->body = -1;
    return type == LK_FORCE_JOINT_SPRING_DAMPER ? read_spring(map, model, force, err)
                                                : read_constant(map, model, force, err);
}

int lk_read_forces(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "forces", LK_FORCES_MAX, sizeof(*model->forces), &map,
                                 &model->forces, &model->n_forces, err);

    for (int i = 0; i < model->n_forces && result == 0; i++)
        result =
            read_force(lk_node_key_at(map, i), lk_node_at(map, i), model, &model->forces[i], err);
    return result;
}
