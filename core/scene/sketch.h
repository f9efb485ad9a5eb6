/* SPDX-License-Identifier: Apache-2.0 */
/* A scene under construction: shapes are added one by one. */
#ifndef LK_SCENE_SKETCH_H
#define LK_SCENE_SKETCH_H

#include "linkage/scene.h"
#include "model/model.h"

/** struct lk_sketch - a scene under construction.
 * @scene: scene to fill;  @R: rotation matrix of each body in the initial configuration
 * @is_given: whether the body has shapes of the model, or is a wheel
 * @reach: largest distance from the body's centre of mass to a point where a joint or force acts
 *         [m]
 * @shape, @point: the shapes and points added so far, with memory for @shapes_max, @points_max
 * @failed: an allocation failed */
struct lk_sketch {
    const struct lk_model *model;
    struct lk_scene *scene;
    double (*R)[9];
    double *reach;
    unsigned char *is_given;
    struct lk_shape *shape;
    double (*point)[3];
    int shapes_max;
    int points_max;
    int failed;
};

/** struct lk_mount - a point where a joint or force acts on a body. @place: world, initial
 * configuration [m] */
struct lk_mount {
    int body;
    double place[3];
};

/** lk_sketch_is_span() - return whether a force acts between two points, as a spring does. */
static inline int lk_sketch_is_span(const struct lk_force_def *f)
{
    return f->type == LK_FORCE_SPRING_DAMPER || (f->type == LK_FORCE_IMPEDANCE && f->joint < 0);
}

/** lk_sketch_mounts() - find the points where joint or force @i of the model acts; forces are
 * counted after the joints. @ret: at most two points. Return: number of points. */
int lk_sketch_mounts(const struct lk_model *model, int i, struct lk_mount ret[2]);

/** lk_sketch_local(), lk_sketch_vector() - transform a point, or a vector, of the initial
 * configuration from world axes to the axes of @body. */
void lk_sketch_local(const struct lk_sketch *d, int body, const double world[3], double ret[3]);
void lk_sketch_vector(const struct lk_sketch *d, int body, const double world[3], double ret[3]);

/** lk_sketch_add() - add a shape of @body with size 0 at its centre of mass, in the colour of
 * @part. Return: the shape, for the caller to complete; never NULL. */
struct lk_shape *lk_sketch_add(struct lk_sketch *d, enum lk_shape_kind kind,
                               enum lk_shape_part part, int body, const char *name);
/** lk_sketch_add_point() - add a point to the last shape. */
void lk_sketch_add_point(struct lk_sketch *d, const double local[3]);
/** lk_sketch_paint() - set the colour of a body; neighbours in the file have different colours. */
void lk_sketch_paint(struct lk_shape *shape, int body, double opacity);

/** lk_sketch_span() - add a line between two bodies. @point: its ends, world, initial
 * configuration. Return: the shape. */
struct lk_shape *lk_sketch_span(struct lk_sketch *d, enum lk_shape_part part, const char *name,
                                const int body[2], const double point[2][3]);

void lk_sketch_bodies(struct lk_sketch *d);
void lk_sketch_given(struct lk_sketch *d);
void lk_sketch_joints(struct lk_sketch *d);
void lk_sketch_forces(struct lk_sketch *d);
void lk_sketch_roads(struct lk_sketch *d);

#endif
