/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts among the `forces`: two shapes of the section `shapes`, and how they touch. */
#include "reader.h"

#include <string.h>

#define PAIRS                                                                                      \
    "a sphere with any shape or road, a capsule with a capsule, or a box, cylinder, capsule or "   \
    "profile with a half-space or a face of a box, or with a road (not the profile)"

/* Return the shape of a contact that a shape of the model is, or -1: none. */
static int kind_of(const struct lk_shape_def *shape)
{
    switch (shape->kind) {
    case LK_SHAPE_BOX:
        return shape->is_half_space ? LK_CONTACT_HALF_SPACE : LK_CONTACT_BOX;
    case LK_SHAPE_SPHERE:
        return LK_CONTACT_SPHERE;
    case LK_SHAPE_CYLINDER:
        return shape->is_capsule ? LK_CONTACT_CAPSULE : LK_CONTACT_CYLINDER;
    default:
        return shape->is_profile ? LK_CONTACT_PROFILE : -1;
    }
}

static int read_shape(struct lk_node node, const struct lk_model *model, int *ret,
                      struct lk_error *err)
{
    int result = lk_read_shape(node, model, ret, err);

    if (result == 0 && kind_of(&model->shapes[*ret]) < 0)
        return lk_node_refuse(node, err, "shape '%s' is a line, expected one with a surface",
                              model->shapes[*ret].name);
    if (result == 0 && model->shapes[*ret].body >= 0 &&
        model->bodies[model->shapes[*ret].body].kind == LK_BODY_MODAL)
        return lk_node_refuse(node, err,
                              "shape '%s' is fixed to a body with modes, expected one of its nodes",
                              model->shapes[*ret].name);
    return result;
}

static void set_side(const struct lk_model *model, int shape, int side, struct lk_force_def *force)
{
    force->contact.shape[side] = shape;
    force->contact.kind[side] = (enum lk_contact_kind)kind_of(&model->shapes[shape]);
    force->body[side] = model->shapes[shape].body;
}

/* Read the road, which is the surface, and the shape on it. */
static int read_on_road(struct lk_node map, const struct lk_model *model,
                        struct lk_force_def *force, struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "shapes");
    int shape = 0, result = lk_read_road_key(map, model, &force->contact.road, err);
    const struct lk_road_def *road;

    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != 1)
        result = lk_also(result, lk_node_refuse(list.index == 0 ? map : list, err,
                                                "expected shapes: [name], the shape on the road"));
    else
        result = lk_also(result, read_shape(lk_node_at(list, 0), model, &shape, err));
    if (result != 0)
        return result;
    road = &model->roads[force->contact.road];
    if (road->kind == LK_ROAD_PROFILE && road->profile[0] != road->profile[1])
        return lk_node_refuse(lk_node_get(map, "road"), err,
                              "road '%s' has two tracks, expected one with the key left alone",
                              road->name);
    if (road->kind == LK_ROAD_EXTERNAL)
        return lk_node_refuse(
            lk_node_get(map, "road"), err,
            "road '%s' is external, which is under tyres alone; expected a plane, "
            "a profile or a grid",
            road->name);
    if (road->body == model->shapes[shape].body)
        return lk_node_refuse(list, err, "shape '%s' is fixed to the body of the road '%s'",
                              model->shapes[shape].name, road->name);
    force->contact.kind[0] = LK_CONTACT_ROAD;
    force->body[0] = road->body;
    set_side(model, shape, 1, force);
    return 0;
}

/* Read the two shapes, the surface first. @ret_order: position of each in the list */
static int read_shapes(struct lk_node map, const struct lk_model *model, struct lk_force_def *force,
                       int ret_order[2], struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "shapes");
    int shape[2], result = 0;

    ret_order[0] = ret_order[1] = 0;
    if (lk_node_get(map, "road").index != 0)
        return read_on_road(map, model, force, err);
    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != 2)
        return lk_node_refuse(list.index == 0 ? map : list, err,
                              "expected shapes: [first, second], two names of the section shapes, "
                              "or one of them and the key road");
    for (int s = 0; s < 2; s++)
        result = lk_also(result, read_shape(lk_node_at(list, s), model, &shape[s], err));
    if (result != 0)
        return result;
    if (model->shapes[shape[0]].body == model->shapes[shape[1]].body)
        return lk_node_refuse(list, err,
                              "the shapes '%s' and '%s' are fixed to the same body, expected two "
                              "bodies",
                              model->shapes[shape[0]].name, model->shapes[shape[1]].name);
    ret_order[0] = kind_of(&model->shapes[shape[0]]) > kind_of(&model->shapes[shape[1]]);
    ret_order[1] = !ret_order[0];
    force->contact.is_swapped = ret_order[0] == 1;
    for (int s = 0; s < 2; s++)
        set_side(model, shape[ret_order[s]], s, force);
    return 0;
}

static int read_face(struct lk_node node, int *ret, struct lk_error *err)
{
    static const char *const names[] = {"-x", "-y", "-z", "+x", "+y", "+z"};

    for (int i = 0; i < 6; i++)
        if (lk_node_kind(node) == LK_NODE_SCALAR && strcmp(lk_node_text(node), names[i]) == 0) {
            *ret = i < 3 ? -1 - i : i - 2;
            return 0;
        }
    return lk_node_refuse(node, err, "expected a face of the box, one of +x, -x, +y, -y, +z, -z");
}

/* Read the faces of the boxes, one for each box in the order of the list of shapes. */
static int read_faces(struct lk_node map, struct lk_force_def *force, const int order[2],
                      struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "faces");
    bool is_road = force->contact.kind[0] == LK_CONTACT_ROAD;
    int result = 0, n = 0, boxes = 0;

    for (int s = 0; s < 2; s++)
        boxes += force->contact.kind[s] == LK_CONTACT_BOX;
    if (list.index == 0)
        return 0;
    if (boxes == 0 || force->contact.kind[1] == LK_CONTACT_SPHERE)
        return lk_node_refuse(list, err,
                              "faces of a pair that does not need them, expected them for a box "
                              "with anything but a sphere");
    if (lk_node_kind(list) != LK_NODE_LIST || lk_node_size(list) != boxes)
        return lk_node_refuse(list, err, "expected a list of %d faces, one for each box", boxes);
    for (int i = is_road; i < 2; i++) {
        int side = is_road ? 1 : order[i];

        if (force->contact.kind[side] == LK_CONTACT_BOX)
            result =
                lk_also(result, read_face(lk_node_at(list, n++), &force->contact.face[side], err));
    }
    return result;
}

/* Return the number of points of a pair of shapes, the surface first; 0: such a pair is not
 * supported. A face of a box is a part of a half-space. */
static int points_of(const struct lk_force_def *force)
{
    enum lk_contact_kind surface = force->contact.kind[0], other = force->contact.kind[1];
    bool is_plane = surface == LK_CONTACT_HALF_SPACE || force->contact.face[0] != 0;
    bool is_ground = is_plane || surface == LK_CONTACT_ROAD;

    switch (other) {
    case LK_CONTACT_SPHERE:
        return 1;
    case LK_CONTACT_CAPSULE:
        return is_ground ? 2 : surface == LK_CONTACT_CAPSULE;
    case LK_CONTACT_CYLINDER:
        return is_ground ? 4 : 0;
    case LK_CONTACT_PROFILE:
        return is_plane;
    case LK_CONTACT_BOX:
        if (force->contact.face[1] != 0)
            return is_ground ? 4 : 0;
        return is_ground && force->contact.face[0] == 0 ? 8 : 0;
    default:
        return 0;
    }
}

static int check_pair(struct lk_node map, struct lk_force_def *force, struct lk_error *err)
{
    static const char *const names[LK_CONTACT_KINDS] = {"half-space", "road",    "box",   "profile",
                                                        "cylinder",   "capsule", "sphere"};
    const enum lk_contact_kind *kind = force->contact.kind;
    bool has_face = force->contact.face[0] != 0;

    force->contact.n_points = points_of(force);
    if (force->contact.n_points > 0)
        return 0;
    if (kind[0] == LK_CONTACT_BOX && !has_face)
        return lk_node_refuse(map, err,
                              "a contact of a %s with a box without a face, expected faces: [%s]",
                              names[kind[1]], kind[1] == LK_CONTACT_BOX ? "+z, -z" : "+z");
    return lk_node_refuse(lk_node_get(map, "shapes"), err,
                          "a contact of a %s with a %s, expected " PAIRS, names[kind[0]],
                          names[kind[1]]);
}

int lk_read_contact(struct lk_node map, struct lk_model *model, struct lk_force_def *force,
                    struct lk_error *err)
{
    int order[2], result = read_shapes(map, model, force, order, err);

    if (result == 0)
        result = read_faces(map, force, order, err);
    if (result == 0)
        result = check_pair(map, force, err);
    result = lk_also(result, lk_read_number_or_signal(map, "friction", 0, "1", model, &force->mu,
                                                      &force->scale_input, err));
    result =
        lk_also(result, lk_read_number_or(map, "restitution", 0, &force->contact.restitution, err));
    if (result == 0 && force->contact.restitution > 1)
        result = lk_node_refuse(lk_node_get(map, "restitution"), err,
                                "restitution is %g, expected 0 to 1", force->contact.restitution);
    return lk_also(result, lk_read_positive_or(map, "stiffness", &force->stiffness, err));
}
