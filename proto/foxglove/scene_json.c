/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_json.h"

static void put_numbers(struct lk_json *json, const char *key, const double *values, int n)
{
    lk_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        lk_json_rounded(json, NULL, values[i], 9);
    lk_json_close(json, ']');
}

static void put_shape(struct lk_json *json, const struct lk_scene *scene,
                      const struct lk_shape *shape)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "line"};
    static const char *const parts[] = {
        [LK_PART_GIVEN] = "given",   [LK_PART_BODY] = "body",     [LK_PART_BAR] = "bar",
        [LK_PART_CENTRE] = "centre", [LK_PART_JOINT] = "joint",   [LK_PART_WHEEL] = "wheel",
        [LK_PART_ROD] = "rod",       [LK_PART_SPRING] = "spring", [LK_PART_ROAD] = "road"};
    bool is_span = shape->part == LK_PART_ROD || shape->part == LK_PART_SPRING;

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "kind", is_span ? "span" : kinds[shape->kind]);
    lk_json_text(json, "part", parts[shape->part]);
    lk_json_text(json, "name", shape->name);
    lk_json_number(json, "body", shape->body);
    lk_json_number(json, "to", shape->to);
    lk_json_bool(json, "spring", shape->part == LK_PART_SPRING);
    put_numbers(json, "position", shape->position, 3);
    put_numbers(json, "orientation", shape->orientation, 4);
    put_numbers(json, "size", shape->size, 3);
    put_numbers(json, "color", shape->color, 4);
    lk_json_open(json, "points", '[');
    for (int i = 0; i < shape->n_points; i++)
        put_numbers(json, NULL, scene->point[shape->first_point + i], 3);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void put_joint(struct lk_json *json, const struct lk_scene_joint *joint)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", joint->name);
    lk_json_text(json, "type", joint->type);
    lk_json_number(json, "body", joint->body[0]);
    lk_json_number(json, "to", joint->body[1]);
    put_numbers(json, "point", joint->point[0], 3);
    if (joint->has_axis)
        put_numbers(json, "axis", joint->axis[0], 3);
    lk_json_close(json, '}');
}

static void put_arrow(struct lk_json *json, const struct lk_scene_arrow *arrow)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "channel", arrow->channel);
    lk_json_bool(json, "is_input", arrow->is_input != 0);
    lk_json_number(json, "body", arrow->body);
    lk_json_bool(json, "in_body_axes", arrow->in_body_axes != 0);
    put_numbers(json, "point", arrow->point, 3);
    lk_json_close(json, '}');
}

void lk_scene_json(struct lk_json *json, const struct lk_scene *scene)
{
    lk_json_open(json, "scene", '{');
    lk_json_number(json, "size", scene->size);
    put_numbers(json, "up", scene->up, 3);
    lk_json_open(json, "bodies", '[');
    for (int i = 0; i < scene->n_bodies; i++)
        lk_json_text(json, NULL, scene->name[i]);
    lk_json_close(json, ']');
    put_numbers(json, "poses", scene->drawn, scene->n_bodies * LK_POSE_SIZE);
    lk_json_open(json, "shapes", '[');
    for (int i = 0; i < scene->n_shapes; i++)
        put_shape(json, scene, &scene->shape[i]);
    lk_json_close(json, ']');
    lk_json_open(json, "joints", '[');
    for (int i = 0; i < scene->n_joints; i++)
        put_joint(json, &scene->joint[i]);
    lk_json_close(json, ']');
    lk_json_open(json, "arrows", '[');
    for (int i = 0; i < scene->n_arrows; i++)
        put_arrow(json, &scene->arrow[i]);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}
