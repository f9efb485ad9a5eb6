/* SPDX-License-Identifier: Apache-2.0 */
/* Section `shapes`: shapes for contacts, and for viewers, where they replace the shapes derived
 * from joints and masses. */
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* types and their keys: first those of enum lk_shape_kind, in its order */
#define HALF_SPACE_WIDTH     2    /* of the plate that viewers draw [m] */
#define HALF_SPACE_THICKNESS 0.01 /* of the plate, relative to its width */

enum { HALF_SPACE = LK_SHAPE_LINE + 1, CAPSULE, PROFILE };
static const char *const kinds[] = {"box",        "sphere",  "cylinder", "line",
                                    "half-space", "capsule", "profile",  NULL};
static const char *const keys[][10] = {
    {"type", "body", "frame", "color", "position", "orientation", "size", NULL},
    {"type", "body", "frame", "color", "position", "diameter", NULL},
    {"type", "body", "frame", "color", "position", "axis", "diameter", "length", NULL},
    {"type", "body", "frame", "color", "points", NULL},
    {"type", "body", "frame", "color", "position", "normal", "width", NULL},
    {"type", "body", "frame", "color", "position", "axis", "diameter", "length", NULL},
    {"type", "body", "frame", "color", "position", "orientation", "curve", "radii", "width", NULL},
};

static int read_box(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    struct lk_node size = lk_node_get(map, "size");
    int result = lk_read_vector(map, "size", shape->size, err);

    for (int i = 0; i < 3 && result == 0; i++)
        if (shape->size[i] < LK_POSITIVE_MIN)
            result = lk_node_refuse(lk_node_at(size, i), err,
                                    "entry %d of size is %.40s, expected an edge of more than 0 m",
                                    i + 1, lk_node_text(lk_node_at(size, i)));
    return lk_also(result, lk_read_orientation_or(map, "orientation", shape->orientation, err));
}

/* read the axis of a cylinder or the normal of a half-space, which is its z axis */
static int read_axis(struct lk_node map, const char *key, struct lk_shape_def *shape,
                     struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);
    double axis[3] = {0, 0, 1};
    int result = 0;

    if (node.index != 0)
        result = lk_read_direction_node(node, key, axis, err);
    lk_quaternion_to(axis, shape->orientation);
    return result;
}

static int read_round(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    int result = lk_read_positive(map, "diameter", &shape->size[0], err);

    shape->size[1] = shape->size[2] = shape->size[0];
    if (shape->kind == LK_SHAPE_SPHERE)
        return result;
    result = lk_also(result, lk_read_positive(map, "length", &shape->size[2], err));
    return lk_also(result, read_axis(map, "axis", shape, err));
}

/* Read a half-space, which viewers draw as a plate of the given width. */
static int read_half_space(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    int result;

    shape->size[0] = HALF_SPACE_WIDTH;
    result = lk_read_positive_or(map, "width", &shape->size[0], err);
    shape->size[1] = shape->size[0];
    shape->size[2] = HALF_SPACE_THICKNESS * shape->size[0];
    return lk_also(result, read_axis(map, "normal", shape, err));
}

static int read_points(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    struct lk_node list = lk_node_get(map, "points");
    int n = lk_node_size(list), result = 0;

    if (list.index == 0)
        return lk_node_refuse(map, err,
                              "the key 'points' is missing, expected a list of [x, y, z]");
    if (lk_node_kind(list) != LK_NODE_LIST || n < 2 || n > LK_POINTS_MAX)
        return lk_node_refuse(list, err, "points has %d entries, expected a list of 2 to %d", n,
                              LK_POINTS_MAX);
    shape->points = calloc((size_t)n, sizeof(*shape->points));
    if (shape->points == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && lk_node_goes_on(list, result); i++)
        result = lk_also(
            result, lk_read_vector_node(lk_node_at(list, i), "a point", shape->points[i], err));
    shape->n_points = n;
    return result;
}

/* Read the points of a profile: x and y, or radii at equal angles from the x axis. */
static int read_curve(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    struct lk_node radii = lk_node_get(map, "radii"), curve = lk_node_get(map, "curve");
    bool is_polar = radii.index != 0;
    struct lk_node list = is_polar ? radii : curve;
    int n = lk_node_size(list), result = 0;

    if ((radii.index != 0) == (curve.index != 0))
        return lk_node_refuse(map, err,
                              "expected one of the keys curve: [[x, y], ...] and radii: [r, ...]");
    if (lk_node_kind(list) != LK_NODE_LIST || n < LK_PROFILE_POINTS_MIN ||
        n > LK_PROFILE_POINTS_MAX)
        return lk_node_refuse(list, err, "the profile has %d points, expected a list of %d to %d",
                              n, LK_PROFILE_POINTS_MIN, LK_PROFILE_POINTS_MAX);
    shape->points = calloc((size_t)n, sizeof(*shape->points));
    if (shape->points == NULL)
        return -ENOMEM;
    shape->n_points = n;
    for (int i = 0; i < n && lk_node_goes_on(list, result); i++) {
        struct lk_node node = lk_node_at(list, i);
        double *at = shape->points[i], angle = 2 * M_PI * i / n, r = 0;

        result = lk_also(result, is_polar ? lk_read_number_node(node, "a radius", &r, err)
                                          : lk_read_numbers_node(node, "a point", 2, at, err));
        if (!is_polar)
            continue;
        if (result == 0 && r < LK_POSITIVE_MIN)
            result = lk_node_refuse(node, err, "radius %d is %.40s, expected more than 0 m", i + 1,
                                    lk_node_text(node));
        at[0] = r * cos(angle);
        at[1] = r * sin(angle);
    }
    return result;
}

/* Return twice the area of the triangle of three points, positive if they run counterclockwise. */
static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool do_cross(const double *a, const double *b, const double *c, const double *d)
{
    return turn_of(a, b, c) * turn_of(a, b, d) < 0 && turn_of(c, d, a) * turn_of(c, d, b) < 0;
}

/* Check that the polygon of a profile encloses an area, and make it run counterclockwise. */
static int check_curve(struct lk_node list, struct lk_shape_def *shape, struct lk_error *err)
{
    int n = shape->n_points;
    double(*p)[3] = shape->points, area = 0;

    for (int i = 0; i < n; i++) {
        const double *a = p[i], *b = p[(i + 1) % n];

        if (hypot(b[0] - a[0], b[1] - a[1]) < LK_POSITIVE_MIN)
            return lk_node_refuse(lk_node_at(list, i), err,
                                  "points %d and %d of the profile are the same, expected a curve "
                                  "without repeated points, which is closed by itself",
                                  i + 1, (i + 1) % n + 1);
        area += turn_of(p[0], a, b);
        for (int k = i + 2; k < n - (i == 0); k++)
            if (do_cross(a, b, p[k], p[(k + 1) % n]))
                return lk_node_refuse(lk_node_at(list, k), err,
                                      "the profile crosses itself after its points %d and %d",
                                      i + 1, k + 1);
    }
    for (int i = 0; i < n / 2 && area < 0; i++) {
        double kept[3];

        memcpy(kept, p[i], sizeof(kept));
        memcpy(p[i], p[n - 1 - i], sizeof(kept));
        memcpy(p[n - 1 - i], kept, sizeof(kept));
    }
    return 0;
}

static int read_profile(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    struct lk_node radii = lk_node_get(map, "radii");
    int result = read_curve(map, shape, err);

    if (result == 0)
        result = check_curve(radii.index != 0 ? radii : lk_node_get(map, "curve"), shape, err);
    result = lk_also(result, lk_read_positive(map, "width", &shape->size[2], err));
    return lk_also(result, lk_read_orientation_or(map, "orientation", shape->orientation, err));
}

static int read_color(struct lk_node map, struct lk_shape_def *shape, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "color");
    int n = lk_node_size(node), result;

    shape->color[3] = 1;
    if (node.index == 0)
        return 0;
    result = lk_read_numbers(map, "color", n == 4 ? 4 : 3, shape->color, err);
    for (int i = 0; i < n && result == 0; i++)
        if (shape->color[i] < 0 || shape->color[i] > 1)
            result = lk_node_refuse(lk_node_at(node, i), err,
                                    "entry %d of color is %.40s, expected red, green, blue and "
                                    "opacity from 0 to 1",
                                    i + 1, lk_node_text(lk_node_at(node, i)));
    shape->has_color = result == 0;
    return result;
}

/* Read the position of a shape. The default is the centre of mass, or the origin for a shape
 * fixed to the ground. */
static int read_place(struct lk_node map, const struct lk_model *model, struct lk_shape_def *shape,
                      struct lk_error *err)
{
    struct lk_node body = lk_node_get(map, "body");
    int result = 0;

    if (body.index != 0)
        result = lk_read_any_body(body, model, true, &shape->body, err);
    else
        result = lk_node_refuse(map, err, "the key 'body' is missing, expected a body or ground");
    result = lk_also(result, lk_read_frame_or(map, "frame", &shape->frame, err));
    if (result == 0 && shape->body >= 0 && shape->frame == LK_FRAME_WORLD)
        memcpy(shape->position, model->bodies[shape->body].position, sizeof(shape->position));
    return lk_also(result, lk_read_vector_or(map, "position", shape->position, err));
}

static int read_shape(struct lk_node key, struct lk_node map, const struct lk_model *model,
                      struct lk_shape_def *shape, struct lk_error *err)
{
    int type = 0, result = lk_read_name(key, "shape", shape->name, err), typed;

    shape->body = LK_GROUND;
    shape->orientation[0] = 1;
    typed = lk_read_type(map, "a shape", kinds, &type, err);
    if (typed != 0)
        return lk_also(result, typed);
    shape->is_half_space = type == HALF_SPACE;
    shape->is_capsule = type == CAPSULE;
    shape->is_profile = type == PROFILE;
    shape->kind = type == HALF_SPACE ? LK_SHAPE_BOX
                  : type == CAPSULE  ? LK_SHAPE_CYLINDER
                  : type == PROFILE  ? LK_SHAPE_LINE
                                     : (enum lk_shape_kind)type;
    result = lk_also(result, lk_node_check_keys(map, "a shape", keys[type], err));
    result = lk_also(result, read_place(map, model, shape, err));
    result = lk_also(result, read_color(map, shape, err));
    if (shape->is_half_space)
        return lk_also(result, read_half_space(map, shape, err));
    if (shape->is_profile)
        return lk_also(result, read_profile(map, shape, err));
    if (shape->kind == LK_SHAPE_LINE)
        return lk_also(result, read_points(map, shape, err));
    return lk_also(result, shape->kind == LK_SHAPE_BOX ? read_box(map, shape, err)
                                                       : read_round(map, shape, err));
}

int lk_read_shapes(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "shapes", LK_SHAPES_MAX, sizeof(*model->shapes), &map,
                                 &model->shapes, &model->n_shapes, err);

    for (int i = 0; i < model->n_shapes && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_shape(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                            &model->shapes[i], err));
    return result;
}

void lk_free_shapes(struct lk_model *model)
{
    for (int i = 0; i < model->n_shapes; i++)
        free(model->shapes[i].points);
    free(model->shapes);
}
