/* SPDX-License-Identifier: Apache-2.0 */
/* A scene from a model: sizes, then its shapes. */
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "sketch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* initial capacity of the lists of shapes and points, which more than double when full */
#define GROWTH 256

/* struct owned - a scene and the memory that its pointers refer to */
struct owned {
    struct lk_scene scene;
    char (*name)[LK_NAME_SIZE];
    double *mass;
    double *drawn;
    struct lk_scene_joint *joint;
    struct lk_shape *shape;
    double (*point)[3];
    struct lk_scene_arrow *arrow;
};

/* ---- shapes, one by one ---- */

static const double colors[][4] = {
    [LK_PART_GIVEN] = {0.6, 0.6, 0.65, 1},    [LK_PART_BODY] = {0.6, 0.6, 0.6, 0.3},
    [LK_PART_BAR] = {0.6, 0.6, 0.6, 1},       [LK_PART_CENTRE] = {0.2, 0.2, 0.2, 1},
    [LK_PART_JOINT] = {0.45, 0.47, 0.5, 1},   [LK_PART_WHEEL] = {0.22, 0.23, 0.25, 1},
    [LK_PART_ROD] = {0.35, 0.37, 0.4, 1},     [LK_PART_SPRING] = {0.1, 0.55, 0.35, 1},
    [LK_PART_ROAD] = {0.62, 0.62, 0.62, 0.8},
};

struct lk_shape *lk_sketch_add(struct lk_sketch *d, enum lk_shape_kind kind,
                               enum lk_shape_part part, int body, const char *name)
{
    static _Thread_local struct lk_shape none;
    struct lk_shape *shape;

    if (d->scene->n_shapes == d->shapes_max) {
        int more = 2 * d->shapes_max + GROWTH;
        struct lk_shape *grown = realloc(d->shape, (size_t)more * sizeof(*grown));

        if (grown == NULL) {
            d->failed = 1;
            return &none;
        }
        d->shape = grown;
        d->shapes_max = more;
    }
    shape = &d->shape[d->scene->n_shapes++];
    *shape = (struct lk_shape){.kind = kind,
                               .part = part,
                               .body = body,
                               .to = body,
                               .orientation = {1, 0, 0, 0},
                               .first_point = d->scene->n_points};
    memcpy(shape->color, colors[part], sizeof(shape->color));
    memcpy(shape->name, name, strlen(name) + 1);
    return shape;
}

void lk_sketch_add_point(struct lk_sketch *d, const double local[3])
{
    if (d->scene->n_points == d->points_max) {
        int more = 2 * d->points_max + GROWTH;
        double(*grown)[3] = realloc(d->point, (size_t)more * sizeof(*grown));

        if (grown == NULL) {
            d->failed = 1;
            return;
        }
        d->point = grown;
        d->points_max = more;
    }
    memcpy(d->point[d->scene->n_points++], local, sizeof(*d->point));
    d->shape[d->scene->n_shapes - 1].n_points++;
}

void lk_sketch_paint(struct lk_shape *shape, int body, double opacity)
{
    static const double palette[][3] = {
        {0.20, 0.40, 0.65}, {0.80, 0.45, 0.15}, {0.25, 0.55, 0.35}, {0.65, 0.25, 0.30},
        {0.45, 0.35, 0.62}, {0.55, 0.45, 0.20}, {0.15, 0.52, 0.58}, {0.62, 0.38, 0.55},
    };
    int n = (int)(sizeof(palette) / sizeof(*palette));

    if (body >= 0)
        memcpy(shape->color, palette[body % n], sizeof(palette[0]));
    shape->color[3] = opacity;
}

void lk_sketch_vector(const struct lk_sketch *d, int body, const double world[3], double ret[3])
{
    if (body < 0)
        memcpy(ret, world, 3 * sizeof(*ret));
    else
        lk_rotate_back(d->R[body], world, ret);
}

void lk_sketch_local(const struct lk_sketch *d, int body, const double world[3], double ret[3])
{
    double arm[3];

    if (body < 0) {
        memcpy(ret, world, 3 * sizeof(*ret));
        return;
    }
    lk_sub(world, d->model->bodies[body].position, arm);
    lk_rotate_back(d->R[body], arm, ret);
}

/* ---- sizes ---- */

int lk_sketch_mounts(const struct lk_model *m, int i, struct lk_mount ret[2])
{
    const int *body = NULL;
    double(*point)[3] = NULL;

    if (i < m->n_joints && lk_coupled_joints(m->joints[i].type) == 0) {
        body = m->joints[i].body;
        point = m->joints[i].point;
    } else if (i >= m->n_joints) {
        struct lk_force_def *f = &m->forces[i - m->n_joints];

        if (!lk_sketch_is_span(f) && f->type != LK_FORCE_BUSHING)
            return 0;
        body = f->body;
        point = f->point;
    }
    for (int s = 0; s < 2 && body != NULL; s++) {
        ret[s].body = body[s];
        memcpy(ret[s].place, point[s], sizeof(ret[s].place));
    }
    return body != NULL ? 2 : 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* struct box - bounding box of points in the initial configuration */
struct box {
    double low[3];
    double high[3];
};

static void widen(struct box *box, const double place[3])
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], place[k]);
        box->high[k] = fmax(box->high[k], place[k]);
    }
}

/* return the radius of gyration of the largest moment of all bodies: the size if there are no
 * joints */
static double size_by_inertia(const struct lk_model *m)
{
    double size = 0;

    for (int b = 0; b < m->n_bodies; b++) {
        const double *I = m->bodies[b].inertia;

        if (m->bodies[b].mass > 0)
            size = fmax(size, sqrt(fmax(I[0], fmax(I[1], I[2])) / m->bodies[b].mass));
    }
    return size;
}

static void measure_reach(struct lk_sketch *d, struct box *box)
{
    const struct lk_model *m = d->model;
    struct lk_mount mount[2];

    for (int i = 0; i < m->n_joints + m->n_forces; i++) {
        int n = lk_sketch_mounts(m, i, mount);

        for (int s = 0; s < n; s++) {
            double local[3];

            widen(box, mount[s].place);
            lk_sketch_local(d, mount[s].body, mount[s].place, local);
            if (mount[s].body >= 0)
                d->reach[mount[s].body] = fmax(d->reach[mount[s].body], lk_norm(local));
        }
    }
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        int wheel = f->type == LK_FORCE_TYRE ? m->joints[f->joint].body[1] : LK_GROUND;

        if (wheel < 0)
            continue;
        d->reach[wheel] = fmax(d->reach[wheel], m->tyres[f->tyre].radius);
        d->scene->size = fmax(d->scene->size, 2 * m->tyres[f->tyre].radius);
    }
}

/* return the median reach of the bodies with a reach above 0; @sorted: scratch, n_bodies */
static double median_reach(const struct lk_sketch *d, double *sorted)
{
    int n = 0;

    for (int b = 0; b < d->model->n_bodies; b++)
        if (d->reach[b] > 1e-6 * d->scene->size)
            sorted[n++] = d->reach[b];
    qsort(sorted, (size_t)n, sizeof(*sorted), ascending);
    return n > 0 ? sorted[n / 2] : 0;
}

static void measure(struct lk_sketch *d)
{
    const struct lk_model *m = d->model;
    double *sorted = calloc((size_t)m->n_bodies + 1, sizeof(*sorted)), extent[3], inertia;
    struct lk_scene *scene = d->scene;
    struct box box;

    if (sorted == NULL) {
        d->failed = 1;
        return;
    }
    memcpy(box.low, m->bodies[0].position, sizeof(box.low));
    memcpy(box.high, m->bodies[0].position, sizeof(box.high));
    for (int b = 0; b < m->n_bodies; b++)
        widen(&box, m->bodies[b].position);
    measure_reach(d, &box);
    lk_sub(box.high, box.low, extent);
    scene->size = fmax(scene->size, lk_norm(extent));
    inertia = size_by_inertia(m);
    if (!(scene->size > 1e-9 * inertia) || scene->size == 0)
        scene->size = inertia > 0 ? 2 * inertia : 1;
    scene->unit = median_reach(d, sorted);
    if (scene->unit == 0)
        scene->unit = inertia > 0 ? fmin(inertia, scene->size) : 0.1 * scene->size;
    free(sorted);
}

/* ---- the scene ---- */

static void set_up(const struct lk_model *m, double up[3])
{
    double g = lk_norm(m->gravity);

    for (int k = 0; k < 3; k++)
        up[k] = g > 0 ? -m->gravity[k] / g : k == 2;
}

static void copy_bodies(struct owned *o, struct lk_sketch *d)
{
    for (int b = 0; b < d->model->n_bodies; b++) {
        const struct lk_body_def *def = &d->model->bodies[b];
        double *pose = o->drawn + (ptrdiff_t)LK_POSE_SIZE * b;

        memcpy(o->name[b], def->name, sizeof(def->name));
        o->mass[b] = def->mass;
        memcpy(pose, def->position, sizeof(def->position));
        memcpy(pose + 3, def->orientation, sizeof(def->orientation));
        lk_quat_matrix(def->orientation, d->R[b]);
    }
}

static void copy_joint(struct lk_sketch *d, const struct lk_joint_def *def,
                       struct lk_scene_joint *ret)
{
    memcpy(ret->name, def->name, sizeof(def->name));
    ret->type = lk_joint_traits[def->type].name;
    ret->kind = (int)def->type;
    ret->is_soft = def->has_compliance;
    ret->length = def->length;
    ret->has_axis = 1;
    for (int s = 0; s < 2; s++) {
        ret->body[s] = def->body[s];
        lk_sketch_local(d, def->body[s], def->point[s], ret->point[s]);
        lk_sketch_vector(d, def->body[s], def->axis[s], ret->axis[s]);
        ret->has_axis &= lk_norm(def->axis[s]) > 0.5;
    }
}

static void copy_joints(struct owned *o, struct lk_sketch *d)
{
    for (int i = 0; i < d->model->n_joints; i++)
        if (lk_coupled_joints(d->model->joints[i].type) == 0)
            copy_joint(d, &d->model->joints[i], &o->joint[o->scene.n_joints++]);
}

/* add the force that a channel carries; @place: initial configuration, world */
static void add_arrow(struct owned *o, struct lk_sketch *d, const char *channel, int body,
                      const double place[3])
{
    struct lk_scene_arrow *arrow = &o->arrow[o->scene.n_arrows++];

    memcpy(arrow->channel, channel, strlen(channel) + 1);
    arrow->body = body;
    lk_sketch_local(d, body, place, arrow->point);
}

/* add the force of a contact on its second body, in the middle of its shape */
static void add_contact_arrow(struct owned *o, struct lk_sketch *d, const char *channel,
                              const struct lk_force_def *f)
{
    int second = f->contact.is_swapped ? 0 : 1;
    const struct lk_shape_def *def = &d->model->shapes[f->contact.shape[second]];

    add_arrow(o, d, channel, f->body[second], def->position);
    if (def->frame == LK_FRAME_BODY)
        memcpy(o->arrow[o->scene.n_arrows - 1].point, def->position, sizeof(def->position));
}

static void copy_arrows(struct owned *o, struct lk_sketch *d)
{
    const struct lk_model *m = d->model;

    for (int i = 0; i < m->n_inputs; i++) {
        const struct lk_input_def *def = &m->inputs[i];

        if (def->type != LK_INPUT_BODY_FORCE)
            continue;
        add_arrow(o, d, def->name, def->body, def->point);
        o->arrow[o->scene.n_arrows - 1].is_input = 1;
        o->arrow[o->scene.n_arrows - 1].in_body_axes = def->frame == LK_FRAME_BODY;
    }
    for (int i = 0; i < m->n_outputs; i++) {
        const struct lk_output_def *def = &m->outputs[i];

        if (def->type == LK_OUTPUT_JOINT_REACTION)
            add_arrow(o, d, def->name, m->joints[def->joint].body[1],
                      m->joints[def->joint].point[1]);
        if (def->type == LK_OUTPUT_FORCE && m->forces[def->force].type == LK_FORCE_CONTACT)
            add_contact_arrow(o, d, def->name, &m->forces[def->force]);
    }
}

static int prepare(struct owned *o, struct lk_sketch *d)
{
    size_t n = (size_t)d->model->n_bodies;

    o->name = calloc(n, sizeof(*o->name));
    o->mass = calloc(n, sizeof(*o->mass));
    o->drawn = calloc(n, LK_POSE_SIZE * sizeof(*o->drawn));
    o->joint = calloc((size_t)d->model->n_joints + 1, sizeof(*o->joint));
    o->arrow = calloc((size_t)(d->model->n_inputs + d->model->n_outputs) + 1, sizeof(*o->arrow));
    d->R = calloc(n, sizeof(*d->R));
    d->reach = calloc(n, sizeof(*d->reach));
    d->is_given = calloc(n, 1);
    return o->name && o->mass && o->drawn && o->joint && o->arrow && d->R && d->reach && d->is_given
               ? 0
               : -ENOMEM;
}

static void make(struct owned *o, struct lk_sketch *d)
{
    o->scene.n_bodies = d->model->n_bodies;
    set_up(d->model, o->scene.up);
    copy_bodies(o, d);
    copy_joints(o, d);
    copy_arrows(o, d);
    measure(d);
    lk_sketch_given(d);
    lk_sketch_forces(d);
    lk_sketch_bodies(d);
    lk_sketch_joints(d);
    lk_sketch_roads(d);
}

int lk_scene_new(const struct lk_model *model, struct lk_scene **ret_scene)
{
    LK_ARITHMETIC;
    struct owned *o = calloc(1, sizeof(*o));
    struct lk_sketch d = {.model = model, .scene = &o->scene};

    if (o == NULL)
        return -ENOMEM;
    if (prepare(o, &d) == 0)
        make(o, &d);
    else
        d.failed = 1;
    o->shape = d.shape;
    o->point = d.point;
    o->scene.name = (const char(*)[LK_NAME_SIZE])o->name;
    o->scene.mass = o->mass;
    o->scene.drawn = o->drawn;
    o->scene.joint = o->joint;
    o->scene.arrow = o->arrow;
    o->scene.shape = o->shape;
    o->scene.point = (const double(*)[3])o->point;
    free(d.R);
    free(d.reach);
    free(d.is_given);
    if (d.failed) {
        lk_scene_free(&o->scene);
        return -ENOMEM;
    }
    *ret_scene = &o->scene;
    return 0;
}

void lk_scene_free(struct lk_scene *scene)
{
    struct owned *o = (struct owned *)scene;

    if (o == NULL)
        return;
    free(o->name);
    free(o->mass);
    free(o->drawn);
    free(o->joint);
    free(o->arrow);
    free(o->shape);
    free(o->point);
    free(o);
}
