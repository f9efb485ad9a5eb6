/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of the messages of a scene, field by field; schema.c has the field numbers. */
#include "mcap/protobuf.h"
#include "parts.h"

#include <math.h>
#include <string.h>

#define GROUND "ground"
#define THICK  2   /* width of lines [pixel] */
#define LEASH  0.1 /* slack of the view, as a share of the machine's size */
#define FAR    4   /* travel beyond which the view follows, in sizes of the machine */

static const double upright[4] = {1, 0, 0, 0};

/* field numbers of SceneEntity */
enum { CUBES = 8, SPHERES = 9, CYLINDERS = 10, LINES = 11 };

static void put_double(struct lk_mcap_buffer *message, uint32_t number, double value)
{
    unsigned char *to;
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    lk_pb_put_tag(message, number, LK_PB_64);
    to = lk_mcap_reserve(message, 8);
    if (to != NULL)
        lk_mcap_store_u64(to, bits);
}

static void put_doubles(struct lk_mcap_buffer *message, uint32_t number, const double *value, int n)
{
    struct lk_mcap_buffer inner = {.grows = true};

    for (int i = 0; i < n; i++)
        put_double(&inner, (uint32_t)i + 1, value[i]);
    lk_pb_put_message(message, number, &inner);
}

/* Write a quaternion. In foxglove messages the component w comes last. */
static void put_quaternion(struct lk_mcap_buffer *message, uint32_t number, const double q[4])
{
    put_doubles(message, number, (double[]){q[1], q[2], q[3], q[0]}, 4);
}

void lk_foxglove_put_time(struct lk_mcap_buffer *message, uint32_t number, uint64_t ns)
{
    struct lk_mcap_buffer inner = {.grows = true};

    lk_pb_put_number(&inner, 1, ns / 1000000000);
    lk_pb_put_number(&inner, 2, ns % 1000000000);
    lk_pb_put_message(message, number, &inner);
}

/* Write the transform of a frame in the frame of the ground. */
static void put_transform(struct lk_mcap_buffer *message, const char *frame,
                          const double position[3], const double orientation[4], uint64_t ns)
{
    struct lk_mcap_buffer transform = {.grows = true};

    lk_foxglove_put_time(&transform, 1, ns);
    lk_pb_put_text(&transform, 2, GROUND);
    lk_pb_put_text(&transform, 3, frame);
    put_doubles(&transform, 4, position, 3);
    put_quaternion(&transform, 5, orientation);
    lk_pb_put_message(message, 1, &transform);
}

void lk_foxglove_transforms(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                            const double *poses, uint64_t ns)
{
    for (int b = 0; b < scene->n_bodies; b++, poses += LK_POSE_SIZE)
        put_transform(message, scene->name[b], poses, poses + 3, ns);
}

static bool are_finite(const struct lk_scene *scene, const double *poses)
{
    for (int i = 0; i < scene->n_bodies * LK_POSE_SIZE; i++)
        if (!isfinite(poses[i]))
            return false;
    return scene->n_bodies > 0;
}

static bool is_held(const struct lk_scene *scene)
{
    for (int j = 0; j < scene->n_joints; j++)
        if (scene->joint[j].body[0] == LK_SCENE_WORLD || scene->joint[j].body[1] == LK_SCENE_WORLD)
            return true;
    return false;
}

/* Extend the box of all body positions so far.
 * Return: largest extent of the box along an axis [m]. */
static double widen(struct lk_foxglove_view *view, const struct lk_scene *scene,
                    const double *poses)
{
    double span = 0;

    for (int i = 0; i < 3; i++) {
        for (int b = 0; b < scene->n_bodies; b++) {
            double at = poses[b * LK_POSE_SIZE + i];
            bool is_first = !view->stands && b == 0;

            view->low[i] = is_first ? at : fmin(view->low[i], at);
            view->high[i] = is_first ? at : fmax(view->high[i], at);
        }
        span = fmax(span, view->high[i] - view->low[i]);
    }
    return span;
}

static void follow(struct lk_foxglove_view *view, const struct lk_scene *scene, const double *poses)
{
    double way[3], length, left;

    for (int i = 0; i < 3; i++) {
        double sum = 0;

        for (int b = 0; b < scene->n_bodies; b++)
            sum += poses[b * LK_POSE_SIZE + i];
        way[i] = sum / scene->n_bodies - view->at[i];
    }
    length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    left = view->stands ? length - LEASH * scene->size : length;
    for (int i = 0; i < 3 && left > 0; i++)
        view->at[i] += way[i] * left / length;
}

void lk_foxglove_view(struct lk_mcap_buffer *message, struct lk_foxglove_view *view,
                      const struct lk_scene *scene, const double *poses, uint64_t ns)
{
    if (are_finite(scene, poses)) {
        if (!view->stands)
            view->follows = !is_held(scene);
        view->follows = view->follows || widen(view, scene, poses) > FAR * scene->size;
        if (view->follows)
            follow(view, scene, poses);
        for (int i = 0; i < 3 && !view->follows; i++)
            view->at[i] = (view->low[i] + view->high[i]) / 2;
        view->stands = true;
    }
    put_transform(message, LK_FOXGLOVE_VIEW, view->at, upright, ns);
}

/* ---- shapes ---- */

static void put_pose(struct lk_mcap_buffer *message, uint32_t number, const double position[3],
                     const double orientation[4])
{
    struct lk_mcap_buffer pose = {.grows = true};

    put_doubles(&pose, 1, position, 3);
    put_quaternion(&pose, 2, orientation);
    lk_pb_put_message(message, number, &pose);
}

static void put_line(struct lk_mcap_buffer *entity, const double (*point)[3], int n,
                     const double color[4])
{
    static const double origin[3] = {0, 0, 0};
    struct lk_mcap_buffer line = {.grows = true};

    put_pose(&line, 2, origin, upright);
    put_double(&line, 3, THICK);
    lk_pb_put_number(&line, 4, 1);
    for (int i = 0; i < n; i++)
        put_doubles(&line, 5, point[i], 3);
    put_doubles(&line, 6, color, 4);
    lk_pb_put_message(entity, LINES, &line);
}

static void put_shape(struct lk_mcap_buffer *entity, const struct lk_scene *scene,
                      const struct lk_shape *s)
{
    static const uint32_t fields[] = {
        [LK_SHAPE_BOX] = CUBES, [LK_SHAPE_SPHERE] = SPHERES, [LK_SHAPE_CYLINDER] = CYLINDERS};
    struct lk_mcap_buffer body = {.grows = true};

    if (s->kind == LK_SHAPE_LINE) {
        put_line(entity, scene->point + s->first_point, s->n_points, s->color);
        return;
    }
    put_pose(&body, 1, s->position, s->orientation);
    put_doubles(&body, 2, s->size, 3);
    if (s->kind == LK_SHAPE_CYLINDER) {
        put_double(&body, 3, 1);
        put_double(&body, 4, 1);
    }
    put_doubles(&body, s->kind == LK_SHAPE_CYLINDER ? 5 : 3, s->color, 4);
    lk_pb_put_message(entity, fields[s->kind], &body);
}

static bool is_span(const struct lk_shape *s)
{
    return s->kind == LK_SHAPE_LINE && (s->part == LK_PART_ROD || s->part == LK_PART_SPRING);
}

static void begin_entity(struct lk_mcap_buffer *entity, const char *frame, const char *id,
                         uint64_t ns)
{
    lk_foxglove_put_time(entity, 1, ns);
    lk_pb_put_text(entity, 2, frame);
    lk_pb_put_text(entity, 3, id);
    lk_foxglove_put_time(entity, 4, 0); /* lifetime 0: the entity is permanent */
    lk_pb_put_number(entity, 5, 1);
}

void lk_foxglove_shapes(struct lk_mcap_buffer *message, const struct lk_scene *scene, uint64_t ns)
{
    for (int b = LK_SCENE_WORLD; b < scene->n_bodies; b++) {
        const char *frame = b == LK_SCENE_WORLD ? GROUND : scene->name[b];
        struct lk_mcap_buffer entity = {.grows = true};

        begin_entity(&entity, frame, frame, ns);
        for (int i = 0; i < scene->n_shapes; i++)
            if (scene->shape[i].body == b && !is_span(&scene->shape[i]))
                put_shape(&entity, scene, &scene->shape[i]);
        lk_pb_put_message(message, 2, &entity);
    }
}

bool lk_foxglove_spans(struct lk_mcap_buffer *message, const struct lk_scene *scene,
                       const double *poses, uint64_t ns)
{
    struct lk_mcap_buffer entity = {.grows = true};
    bool found = false;

    begin_entity(&entity, GROUND, "springs and rods", ns);
    for (int i = 0; i < scene->n_shapes; i++) {
        double point[LK_SPAN_POINTS][3];
        int n;

        if (!is_span(&scene->shape[i]))
            continue;
        n = lk_scene_span(scene, &scene->shape[i], poses, point);
        put_line(&entity, (const double(*)[3])point, n, scene->shape[i].color);
        found = true;
    }
    lk_pb_put_message(message, 2, &entity);
    return found;
}

/* ---- further messages of a live connection ---- */

void lk_foxglove_clear(struct lk_mcap_buffer *message, uint64_t ns)
{
    struct lk_mcap_buffer deletion = {.grows = true};

    lk_foxglove_put_time(&deletion, 1, ns);
    lk_pb_put_number(&deletion, 2, 1); /* type ALL */
    lk_pb_put_message(message, 1, &deletion);
}
