/* SPDX-License-Identifier: Apache-2.0 */
/* Gears and racks: joints that relate the coordinates of two other joints. These may be declared
 * before or after them. */
#include "reader.h"

/* Reads one entry of `joints`: a name, or {joint, coordinate} if the joint has several coordinates.
 */
static int read_coupled(struct lk_node node, const struct lk_model *model,
                        enum lk_coordinate_kind kind, int *ret_joint, int *ret_coordinate,
                        struct lk_error *err)
{
    static const char *const keys[] = {"joint", "coordinate", NULL};
    bool is_map = lk_node_kind(node) == LK_NODE_MAP;
    struct lk_node name = is_map ? lk_node_get(node, "joint") : node;
    int result = is_map ? lk_node_check_keys(node, "a coupled joint", keys, err) : 0;

    if (result == 0)
        result = is_map ? lk_read_joint_key(node, model, ret_joint, err)
                        : lk_read_joint(node, model, ret_joint, err);
    if (result == 0 && lk_joint_is_coupling(model->joints[*ret_joint].type))
        result = lk_node_refuse(name, err,
                                "joint '%s' is a coupling itself, expected a joint between two "
                                "bodies",
                                model->joints[*ret_joint].name);
    if (result == 0)
        result = lk_check_coordinate(name, model, *ret_joint, kind, err);
    if (result != 0)
        return result;
    return lk_read_coordinate(node, model, kind, *ret_joint, ret_coordinate, err);
}

static int read_joints(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                       struct lk_error *err)
{
    struct lk_node pair = lk_node_get(map, "joints");

    if (pair.index == 0)
        return lk_node_refuse(map, err, "the key 'joints' is missing, expected a list of 2 joints");
    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, err,
                              "joints is not a list of 2 joints, expected [first, second]");
    for (int k = 0; k < 2; k++) {
        bool is_length = k == 1 && joint->type == LK_JOINT_RACK;
        int result = read_coupled(lk_node_at(pair, k), model,
                                  is_length ? LK_COORDINATE_LENGTH : LK_COORDINATE_ANGLE,
                                  &joint->joint[k], &joint->coupled[k], err);

        if (result != 0)
            return result;
    }
    if (joint->joint[0] == joint->joint[1])
        return lk_node_refuse(pair, err, "'%s' is coupled with itself, expected two joints",
                              model->joints[joint->joint[0]].name);
    return 0;
}

int lk_read_coupling(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                     struct lk_error *err)
{
    const char *ratio = joint->type == LK_JOINT_RACK ? "radius" : "ratio";
    int result = read_joints(map, model, joint, err);

    return result != 0 ? result : lk_read_nonzero(map, ratio, &joint->ratio, err);
}
