/* SPDX-License-Identifier: Apache-2.0 */
/* Gears, racks and differentials: joints that relate the coordinates of other joints. These
 * other joints may be declared before or after the coupling. */
#include "reader.h"

#include <string.h>

int lk_read_coupled(struct lk_node node, const struct lk_model *model, enum lk_coordinate_kind kind,
                    int *ret_joint, int *ret_coordinate, struct lk_error *err)
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

/* Return the kind of coordinates that a gear relates: angles, or displacements if the first joint
 * slides without turning. */
static enum lk_coordinate_kind kind_of_gear(struct lk_node entry, const struct lk_model *model)
{
    struct lk_node name = lk_node_kind(entry) == LK_NODE_MAP ? lk_node_get(entry, "joint") : entry;

    for (int i = 0; i < model->n_joints; i++) {
        const struct lk_joint_traits *traits = &lk_joint_traits[model->joints[i].type];

        if (strcmp(model->joints[i].name, lk_node_text(name)) == 0 && traits->n_coordinates > 0 &&
            !traits->is_angle)
            return LK_COORDINATE_LENGTH;
    }
    return LK_COORDINATE_ANGLE;
}

/* Check that no joint occurs twice among the coupled joints. */
static int check_different(struct lk_node list, const struct lk_model *model,
                           const struct lk_joint_def *joint, int n, struct lk_error *err)
{
    for (int k = 1; k < n; k++)
        for (int i = 0; i < k; i++)
            if (joint->joint[i] == joint->joint[k])
                return lk_node_refuse(list, err, "'%s' is coupled with itself, expected %s joints",
                                      model->joints[joint->joint[i]].name,
                                      n == 2 ? "two" : "three");
    return 0;
}

static int read_joints(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                       struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "joints");
    enum lk_coordinate_kind kind = LK_COORDINATE_ANGLE;
    int n = lk_coupled_joints(joint->type);

    if (list.index == 0)
        return lk_node_refuse(map, err, "the key 'joints' is missing, expected a list of %d joints",
                              n);
    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != n)
        return lk_node_refuse(list, err, "joints is not a list of %d joints, expected %s", n,
                              n == 2 ? "[first, second]" : "[first, second, third]");
    if (joint->type == LK_JOINT_GEAR)
        kind = kind_of_gear(lk_node_at(list, 0), model);
    for (int k = 0; k < n; k++) {
        bool is_length = k == 1 && joint->type == LK_JOINT_RACK;
        int result =
            lk_read_coupled(lk_node_at(list, k), model, is_length ? LK_COORDINATE_LENGTH : kind,
                            &joint->joint[k], &joint->coupled[k], err);

        if (result != 0)
            return result;
    }
    return check_different(list, model, joint, n, err);
}

int lk_read_coupling(struct lk_node map, const struct lk_model *model, struct lk_joint_def *joint,
                     struct lk_error *err)
{
    const char *ratio = joint->type == LK_JOINT_RACK ? "radius" : "ratio";
    int result = read_joints(map, model, joint, err);

    return result != 0 ? result : lk_read_nonzero(map, ratio, &joint->ratio, err);
}
