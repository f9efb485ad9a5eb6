/* SPDX-License-Identifier: Apache-2.0 */
/* Section `joints`: what connects which bodies, and where it is in the drawing. */
#include "reader.h"

#include <string.h>

#define KEYS_COMMON "type", "bodies", "point", "points"

/* struct joint_kind - what the file says about a type of joint; in the order of lk_joint_type. */
static const struct joint_kind {
    const char *what;
    const char *keys[8];
    bool has_axis;
} kinds[LK_JOINT_TYPES] = {
    {"a revolute joint", {KEYS_COMMON, "axis", "axes", "coordinate", NULL}, true},
    {"a spherical joint", {KEYS_COMMON, NULL}, false},
    {"a prismatic joint", {KEYS_COMMON, "axis", "axes", "coordinate", NULL}, true},
    {"a fixed joint", {KEYS_COMMON, NULL}, false},
};

static int read_pair(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                     struct lk_error *err)
{
    struct lk_node pair = lk_node_get(map, "bodies");
    int result;

    if (pair.index == 0)
        return lk_node_refuse(map, err, "the key 'bodies' is missing, expected a list of 2 bodies");
    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, err,
                              "bodies is not a list of 2 names, expected [first, "
                              "second]");
    for (int side = 0; side < 2; side++) {
        result = lk_read_body(lk_node_at(pair, side), model, true, &joint->body[side], err);
        if (result != 0)
            return result;
    }
    if (joint->body[0] == joint->body[1])
        return lk_node_refuse(pair, err,
                              "a joint has '%s' on both sides, expected two different "
                              "bodies",
                              lk_node_text(lk_node_at(pair, 0)));
    return 0;
}

/* @one: one vector for both bodies; @two: a list of one for each, for a drawing in which the bodies
 * are apart. Exactly one of the two keys must be there. */
static int read_sides(struct lk_node map, const char *one, const char *two, double ret[2][3],
                      int (*read)(struct lk_node, const char *, double[3], struct lk_error *),
                      struct lk_error *err)
{
    struct lk_node single = lk_node_get(map, one);
    struct lk_node pair = lk_node_get(map, two);
    int result;

    if (single.index == 0 && pair.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected %s or %s", one, one,
                              two);
    if (single.index != 0 && pair.index != 0)
        return lk_node_refuse(pair, err, "both %s and %s are given, expected one of them", one,
                              two);
    if (single.index != 0) {
        result = read(single, one, ret[0], err);
        memcpy(ret[1], ret[0], sizeof(ret[0]));
        return result;
    }
    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, err,
                              "%s is not a list of 2 vectors, expected one for each "
                              "body",
                              two);
    result = read(lk_node_at(pair, 0), two, ret[0], err);
    return result != 0 ? result : read(lk_node_at(pair, 1), two, ret[1], err);
}

static int read_joint(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_joint_def *joint, struct lk_error *err)
{
    static const char *const types[] = {"revolute", "spherical", "prismatic", "fixed", NULL};
    static const char *const any[] = {KEYS_COMMON, "axis", "axes", "coordinate", NULL};
    int type = 0;
    int result = lk_read_name(key, "joint", joint->name, err);

    if (result == 0 && lk_node_kind(map) != LK_NODE_MAP)
        result = lk_node_check_keys(map, "a joint", any, err);
    if (result == 0)
        result = lk_node_read_choice(map, "type", types, &type, err);
    if (result == 0)
        result = lk_node_check_keys(map, kinds[type].what, kinds[type].keys, err);
    if (result == 0)
        result = read_pair(map, model, joint, err);
    if (result == 0)
        result = read_sides(map, "point", "points", joint->point, lk_read_vector_node, err);
    if (result == 0 && kinds[type].has_axis)
        result = read_sides(map, "axis", "axes", joint->axis, lk_read_direction_node, err);
    if (result == 0)
        result = lk_read_number_or(map, "coordinate", -LK_NUMBER_MAX, &joint->coordinate, err);
    joint->type = (enum lk_joint_type)type;
    return result;
}

int lk_read_joints(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "joints", LK_JOINTS_MAX, sizeof(*model->joints), &map,
                                 &model->joints, &model->n_joints, err);

    for (int i = 0; i < model->n_joints && result == 0; i++)
        result =
            read_joint(lk_node_key_at(map, i), lk_node_at(map, i), model, &model->joints[i], err);
    return result;
}
