/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of a scene as faces and lines. */
#include "view.h"

#include <math.h>
#include <string.h>

#define SIDES   16 /* sides of a cylinder */
#define RINGS   8  /* rings of a sphere, from pole to pole */
#define PIECES  4  /* pieces of a long cylinder, which are sorted by depth separately */
#define AMBIENT 0.55

/* struct hand - a shape that is drawn, with the poses of all bodies.
 * @own: pose of the shape in its body */
struct hand {
    struct picture *picture;
    const struct lk_shape *shape;
    const double *poses;
    double own[7];
};

/* Transform a point of the shape, in units of its size, to the world. */
static void place(const struct hand *h, const double in[3], double ret[3])
{
    double scaled[3], local[3];

    for (int k = 0; k < 3; k++)
        scaled[k] = in[k] * h->shape->size[k];
    lk_scene_place(h->own, 0, scaled, local);
    lk_scene_place(h->poses, h->shape->body, local, ret);
}

/* Add a face, unless it faces away.
 * @in: corners in units of the size of the shape, counter-clockwise as seen from outside */
static void add_face(const struct hand *h, double in[][3], int n)
{
    const struct camera *c = &h->picture->camera;
    double at[FACE_POINTS][3], a[3], b[3], normal[3], length, light = 0, away = 0;
    struct mark *mark;

    for (int i = 0; i < n; i++)
        place(h, in[i], at[i]);
    for (int k = 0; k < 3; k++) {
        a[k] = at[n / 3][k] - at[0][k];
        b[k] = at[2 * n / 3][k] - at[0][k];
    }
    for (int k = 0; k < 3; k++)
        normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < 3 && length > 0; k++) {
        away += normal[k] / length * c->back[k];
        light += normal[k] / length * (0.75 * c->up[k] - 0.3 * c->right[k] + 0.6 * c->back[k]);
    }
    if (!(away > 0))
        return;
    mark = picture_add(h->picture, MARK_FACE, h->shape->color);
    mark->n = n;
    memcpy(mark->at, at, (size_t)n * sizeof(*at));
    for (int k = 0; k < 3; k++)
        mark->color[k] *= AMBIENT + (1 - AMBIENT) * fmax(0, light);
}

static void draw_box(const struct hand *h)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            double face[4][3];

            for (int i = 0; i < 4; i++) {
                /* Go around the face, in the opposite direction on the opposite side. */
                double first = i == 1 || i == 2 ? 0.5 : -0.5, second = i >= 2 ? 0.5 : -0.5;

                face[i][axis] = 0.5 * side;
                face[i][side > 0 ? u : v] = first;
                face[i][side > 0 ? v : u] = second;
            }
            add_face(h, face, 4);
        }
}

static void circle(double angle, double z, double radius, double ret[3])
{
    ret[0] = radius * cos(angle);
    ret[1] = radius * sin(angle);
    ret[2] = z;
}

static void draw_cylinder(const struct hand *h)
{
    bool is_long = h->shape->size[2] > 2 * h->shape->size[0];
    int pieces = is_long ? PIECES : 1;
    double top[SIDES][3], bottom[SIDES][3];

    for (int i = 0; i < SIDES; i++) {
        double a = 2 * M_PI * i / SIDES, b = 2 * M_PI * (i + 1) / SIDES;

        circle(a, 0.5, 0.5, top[i]);
        circle(-a, -0.5, 0.5, bottom[i]);
        for (int k = 0; k < pieces; k++) {
            double low = -0.5 + (double)k / pieces, high = -0.5 + (k + 1.0) / pieces, face[4][3];

            circle(a, low, 0.5, face[0]);
            circle(b, low, 0.5, face[1]);
            circle(b, high, 0.5, face[2]);
            circle(a, high, 0.5, face[3]);
            add_face(h, face, 4);
        }
    }
    add_face(h, top, SIDES);
    add_face(h, bottom, SIDES);
}

static void draw_sphere(const struct hand *h)
{
    for (int ring = 0; ring < RINGS; ring++)
        for (int i = 0; i < SIDES; i++) {
            double a = 2 * M_PI * i / SIDES, b = 2 * M_PI * (i + 1) / SIDES, face[4][3];
            double low = -M_PI_2 + M_PI * ring / RINGS, high = low + M_PI / RINGS;

            circle(a, 0.5 * sin(low), 0.5 * cos(low), face[0]);
            circle(b, 0.5 * sin(low), 0.5 * cos(low), face[1]);
            circle(b, 0.5 * sin(high), 0.5 * cos(high), face[2]);
            circle(a, 0.5 * sin(high), 0.5 * cos(high), face[3]);
            if (ring == 0) /* at the poles a face has three corners */
                memmove(face[1], face[2], 2 * sizeof(face[1]));
            add_face(h, face, ring == 0 || ring == RINGS - 1 ? 3 : 4);
        }
}

static void draw_lines(struct picture *picture, const struct lk_scene *scene,
                       const struct lk_shape *s, const double *poses)
{
    double before[3], at[3];

    for (int i = 0; i < s->n_points; i++) {
        struct mark *mark;

        lk_scene_place(poses, s->body, scene->point[s->first_point + i], at);
        if (i > 0) {
            mark = picture_add_line(picture, before, at, s->part == LK_PART_ROAD ? 1 : 2, s->color);
            mark->is_ground = s->part == LK_PART_ROAD;
        }
        memcpy(before, at, sizeof(at));
    }
}

static void draw_span(struct picture *picture, const struct lk_scene *scene,
                      const struct lk_shape *s, const double *poses)
{
    double at[LK_SPAN_POINTS][3];
    int n = lk_scene_span(scene, s, poses, at);

    for (int i = 1; i < n; i++)
        picture_add_line(picture, at[i - 1], at[i], s->part == LK_PART_ROD ? 3 : 2, s->color);
}

static void draw_frame(struct picture *picture, const double *poses, int body, double length)
{
    for (int axis = 0; axis < 3; axis++) {
        const double color[4] = {axis == 0 ? 0.85 : 0.1, axis == 1 ? 0.6 : 0.1,
                                 axis == 2 ? 0.9 : 0.1, 1};
        double tip[3] = {0, 0, 0}, origin[3] = {0, 0, 0}, at[2][3];

        tip[axis] = length;
        lk_scene_place(poses, body, origin, at[0]);
        lk_scene_place(poses, body, tip, at[1]);
        picture_add_line(picture, at[0], at[1], 2, color)->layer = 1;
    }
}

/* Return whether a body shows something besides its centre of mass and its box of inertia. */
static bool is_seen(const struct lk_scene *scene, int body)
{
    for (int i = 0; i < scene->n_shapes; i++) {
        const struct lk_shape *s = &scene->shape[i];

        if (s->part != LK_PART_BODY && s->part != LK_PART_CENTRE &&
            (s->body == body || s->to == body))
            return true;
    }
    return false;
}

void draw_scene(struct picture *picture, const struct lk_scene *scene, const double *poses)
{
    for (int i = 0; i < scene->n_shapes; i++) {
        const struct lk_shape *s = &scene->shape[i];
        struct hand h = {picture, s, poses, {0}};

        if (s->part == LK_PART_BODY && !picture->boxes && is_seen(scene, s->body))
            continue;
        memcpy(h.own, s->position, sizeof(s->position));
        memcpy(h.own + 3, s->orientation, sizeof(s->orientation));
        if (s->kind == LK_SHAPE_BOX)
            draw_box(&h);
        else if (s->kind == LK_SHAPE_CYLINDER)
            draw_cylinder(&h);
        else if (s->kind == LK_SHAPE_SPHERE)
            draw_sphere(&h);
        else if (s->part == LK_PART_ROD || s->part == LK_PART_SPRING)
            draw_span(picture, scene, s, poses);
        else
            draw_lines(picture, scene, s, poses);
    }
    for (int b = 0; b < scene->n_bodies && picture->frames; b++)
        draw_frame(picture, poses, b, 0.5 * scene->unit);
}
