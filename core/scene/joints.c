/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of joints and of forces between two places. */
#include "maths/vec.h"
#include "model/reader.h"
#include "sketch.h"

#include <string.h>

/* sizes in units of the scene */
#define PIN   0.13 /* diameter of a hinge */
#define LONG  0.4  /* length of a hinge */
#define RAIL  2.0  /* length of a guide */
#define THIN  0.05
#define BLOCK 0.24

/* add a cylinder along an axis of body @side of @def */
static struct lk_shape *add_cylinder(struct lk_sketch *d, const struct lk_joint_def *def, int side,
                                     double diameter, double length)
{
    struct lk_shape *shape =
        lk_sketch_add(d, LK_SHAPE_CYLINDER, LK_PART_JOINT, def->body[side], def->name);
    double axis[3];

    lk_sketch_local(d, def->body[side], def->point[side], shape->position);
    lk_sketch_vector(d, def->body[side], def->axis[side], axis);
    lk_quaternion_to(axis, shape->orientation);
    shape->size[0] = shape->size[1] = diameter;
    shape->size[2] = length;
    return shape;
}

static struct lk_shape *add_block(struct lk_sketch *d, const struct lk_joint_def *def, int side,
                                  enum lk_shape_kind kind, double size)
{
    struct lk_shape *shape = lk_sketch_add(d, kind, LK_PART_JOINT, def->body[side], def->name);

    lk_sketch_local(d, def->body[side], def->point[side], shape->position);
    for (int k = 0; k < 3; k++)
        shape->size[k] = size;
    return shape;
}

static void add_wheel(struct lk_sketch *d, const struct lk_joint_def *def, double width)
{
    struct lk_shape *wheel = add_cylinder(d, def, 1, 2 * def->wheel_radius, width);

    wheel->part = LK_PART_WHEEL;
}

static void add_wheel_on_rail(struct lk_sketch *d, const struct lk_joint_def *def)
{
    add_wheel(d, def, 0.25 * def->wheel_radius);
    add_cylinder(d, def, 0, 2 * def->rail_radius, 8 * def->wheel_radius);
}

struct lk_shape *lk_sketch_span(struct lk_sketch *d, enum lk_shape_part part, const char *name,
                                const int body[2], const double point[2][3])
{
    struct lk_shape *shape = lk_sketch_add(d, LK_SHAPE_LINE, part, body[0], name);

    shape->to = body[1];
    for (int s = 0; s < 2; s++) {
        double local[3];

        lk_sketch_local(d, body[s], point[s], local);
        lk_sketch_add_point(d, local);
    }
    return shape;
}

static void add_joint(struct lk_sketch *d, const struct lk_joint_def *def)
{
    double u = d->scene->unit;
    struct lk_shape *shape;

    switch (def->type) {
    case LK_JOINT_REVOLUTE:
        add_cylinder(d, def, def->body[1] >= 0, PIN * u, LONG * u);
        break;
    case LK_JOINT_PRISMATIC:
    case LK_JOINT_CYLINDRICAL:
    case LK_JOINT_SCREW:
        add_cylinder(d, def, 0, THIN * u, RAIL * u);
        shape = add_cylinder(d, def, 1, BLOCK * u, 1.3 * BLOCK * u);
        if (def->type == LK_JOINT_PRISMATIC)
            shape->kind = LK_SHAPE_BOX;
        break;
    case LK_JOINT_POINT_ON_LINE:
        add_cylinder(d, def, 0, THIN * u, RAIL * u);
        add_block(d, def, 1, LK_SHAPE_SPHERE, PIN * u);
        break;
    case LK_JOINT_PLANAR:
        shape = add_cylinder(d, def, 0, RAIL * u, 0.02 * u);
        shape->color[3] = 0.4;
        add_block(d, def, 1, LK_SHAPE_SPHERE, PIN * u);
        break;
    case LK_JOINT_UNIVERSAL:
    case LK_JOINT_CONSTANT_VELOCITY:
        add_cylinder(d, def, 0, 0.6 * PIN * u, 0.8 * LONG * u);
        add_cylinder(d, def, 1, 0.6 * PIN * u, 0.8 * LONG * u);
        break;
    case LK_JOINT_CONE_ON_RAIL:
        add_wheel_on_rail(d, def);
        break;
    case LK_JOINT_DISTANCE:
        lk_sketch_span(d, LK_PART_ROD, def->name, def->body, def->point);
        break;
    case LK_JOINT_ROLLING:
        add_wheel(d, def, 0.1 * def->wheel_radius);
        break;
    case LK_JOINT_SKATE:
        add_cylinder(d, def, 1, LONG * u, 0.1 * PIN * u);
        break;
    case LK_JOINT_FIXED:
        add_block(d, def, def->body[1] >= 0, LK_SHAPE_BOX, PIN * u);
        break;
    case LK_JOINT_SPHERICAL:
        add_block(d, def, def->body[1] >= 0, LK_SHAPE_SPHERE, 1.2 * PIN * u);
        break;
    default: /* couplings have no position of their own */
        break;
    }
}

void lk_sketch_joints(struct lk_sketch *d)
{
    for (int i = 0; i < d->model->n_joints; i++)
        add_joint(d, &d->model->joints[i]);
}

/* draw a tyre as the shape of its wheel, for which no bars and no box are drawn */
static void add_tyre(struct lk_sketch *d, const struct lk_force_def *f)
{
    const struct lk_tyre_def *tyre = &d->model->tyres[f->tyre];
    const struct lk_joint_def *axle = &d->model->joints[f->joint];
    double width = tyre->width > 0 ? tyre->width : 0.5 * tyre->radius;
    struct lk_shape *shape;

    if (axle->body[1] < 0)
        return;
    if (d->is_given[axle->body[1]])
        return;
    shape = add_cylinder(d, axle, 1, 2 * tyre->radius, width);
    shape->part = LK_PART_WHEEL;
    memcpy(shape->name, f->name, sizeof(f->name));
    memcpy(shape->color, (double[]){0.22, 0.23, 0.25, 1}, sizeof(shape->color));
    d->is_given[axle->body[1]] = 1;
}

void lk_sketch_forces(struct lk_sketch *d)
{
    for (int i = 0; i < d->model->n_forces; i++) {
        const struct lk_force_def *f = &d->model->forces[i];

        if (f->type == LK_FORCE_TYRE) {
            add_tyre(d, f);
        } else if (lk_sketch_is_span(f)) {
            struct lk_shape *shape = lk_sketch_span(d, LK_PART_SPRING, f->name, f->body, f->point);

            shape->size[0] = 1.2 * PIN * d->scene->unit;
        } else if (f->type == LK_FORCE_BUSHING) {
            struct lk_shape *shape =
                lk_sketch_add(d, LK_SHAPE_BOX, LK_PART_SPRING, f->body[f->body[1] >= 0], f->name);

            lk_sketch_local(d, shape->body, f->point[f->body[1] >= 0], shape->position);
            for (int k = 0; k < 3; k++)
                shape->size[k] = BLOCK * d->scene->unit;
            shape->color[3] = 0.6;
        }
    }
}
