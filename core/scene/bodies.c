/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of bodies: the shapes that the model defines; otherwise bars to the joints, the centre of
 * mass, and a box with the inertia of the body if such a box fits. */
#include "maths/vec.h"
#include "model/modes.h"
#include "model/reader.h"
#include "sketch.h"

#include <string.h>

#define BAR       0.08 /* thickness of bars, in units of the scene */
#define CENTRE    0.16 /* diameter of the centre of a body of mean mass */
#define BOX_REACH 3    /* a box is drawn up to this multiple of the reach of its body */

static void make_unit(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

/* add the hemispheres at the ends of capsule @index of the scene, as whole spheres */
static void add_ends(struct lk_sketch *d, int index, const struct lk_shape_def *def)
{
    double R[9];

    if (d->failed)
        return;
    lk_quat_matrix(d->shape[index].orientation, R);
    for (int end = -1; end <= 1 && !d->failed; end += 2) {
        struct lk_shape *ball =
            lk_sketch_add(d, LK_SHAPE_SPHERE, LK_PART_GIVEN, def->body, def->name);
        const struct lk_shape *capsule = &d->shape[index]; /* after the array has grown */

        memcpy(ball->color, capsule->color, sizeof(ball->color));
        for (int k = 0; k < 3; k++) {
            ball->size[k] = capsule->size[0];
            ball->position[k] = capsule->position[k] + 0.5 * end * capsule->size[2] * R[3 * k + 2];
        }
    }
}

/* add a shape of the model */
static void add_given(struct lk_sketch *d, const struct lk_shape_def *def)
{
    struct lk_shape *shape = lk_sketch_add(d, def->kind, LK_PART_GIVEN, def->body, def->name);
    double back[4], q[4];

    if (def->body >= 0)
        d->is_given[def->body] = 1;
    memcpy(shape->size, def->size, sizeof(shape->size));
    if (def->has_color)
        memcpy(shape->color, def->color, sizeof(shape->color));
    else /* nothing hides behind a plane */
        lk_sketch_paint(shape, def->body, def->is_half_space ? 0.3 : 1);
    for (int k = 0; k < def->n_points && !def->is_profile; k++) {
        double local[3];

        memcpy(local, def->points[k], sizeof(local));
        if (def->frame == LK_FRAME_WORLD)
            lk_sketch_local(d, def->body, def->points[k], local);
        lk_sketch_add_point(d, local);
    }
    if (def->frame == LK_FRAME_BODY || def->body < 0) {
        memcpy(shape->position, def->position, sizeof(shape->position));
        memcpy(shape->orientation, def->orientation, sizeof(shape->orientation));
        return;
    }
    lk_sketch_local(d, def->body, def->position, shape->position);
    memcpy(back, d->model->bodies[def->body].orientation, sizeof(back));
    for (int k = 1; k < 4; k++)
        back[k] = -back[k];
    lk_quat_mul(back, def->orientation, q);
    make_unit(q);
    memcpy(shape->orientation, q, sizeof(q));
}

/* Add the edges of a profile to its line: around one face, across, and around the other one. */
static void add_edges(struct lk_sketch *d, const struct lk_shape_def *def)
{
    int n = def->n_points;
    double R[9];

    lk_quat_matrix(def->orientation, R);
    for (int k = 0; k < 2 * (n + 1); k++) {
        const double *p = def->points[k % (n + 1) % n];
        const double arm[3] = {p[0], p[1], (k <= n ? 0.5 : -0.5) * def->size[2]};
        double at[3], local[3];

        lk_rotate(R, arm, at);
        for (int i = 0; i < 3; i++)
            at[i] += def->position[i];
        memcpy(local, at, sizeof(local));
        if (def->frame == LK_FRAME_WORLD)
            lk_sketch_local(d, def->body, at, local);
        lk_sketch_add_point(d, local);
    }
}

/* move the plate of a half-space below its plane */
static void lower(struct lk_shape *plate)
{
    double R[9];

    lk_quat_matrix(plate->orientation, R);
    for (int k = 0; k < 3; k++)
        plate->position[k] -= 0.5 * plate->size[2] * R[3 * k + 2];
}

void lk_sketch_given(struct lk_sketch *d)
{
    for (int i = 0; i < d->model->n_shapes; i++) {
        int index = d->scene->n_shapes;

        add_given(d, &d->model->shapes[i]);
        if (d->model->shapes[i].is_half_space && !d->failed)
            lower(&d->shape[index]);
        if (d->model->shapes[i].is_profile)
            add_edges(d, &d->model->shapes[i]);
        if (d->model->shapes[i].is_capsule)
            add_ends(d, index, &d->model->shapes[i]);
    }
}

/* compute the quaternion of a right-handed set of axes, the columns of @R */
static void quaternion_of(double R[3][3], double q[4])
{
    double trace = R[0][0] + R[1][1] + R[2][2];

    if (trace > 0) {
        q[0] = 1 + trace;
        q[1] = R[2][1] - R[1][2];
        q[2] = R[0][2] - R[2][0];
        q[3] = R[1][0] - R[0][1];
    } else {
        int i = R[0][0] >= R[1][1] && R[0][0] >= R[2][2] ? 0 : R[1][1] >= R[2][2] ? 1 : 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;

        q[0] = R[k][j] - R[j][k];
        q[1 + i] = 1 + R[i][i] - R[j][j] - R[k][k];
        q[1 + j] = R[i][j] + R[j][i];
        q[1 + k] = R[i][k] + R[k][i];
    }
    make_unit(q);
}

/* compute the box of uniform density with the mass and inertia of @def. Return: whether such
 * a box exists */
static int box_of(const struct lk_body_def *def, double size[3], double q[4])
{
    double moment[3], axes[3][3], sum, largest = 0;

    if (!(def->mass > 0))
        return 0;
    lk_principal_axes(def->inertia, moment, axes);
    sum = moment[0] + moment[1] + moment[2];
    for (int k = 0; k < 3; k++) {
        size[k] = sqrt(fmax(0, 6 * (sum - 2 * moment[k]) / def->mass));
        largest = fmax(largest, size[k]);
    }
    for (int k = 0; k < 3; k++)
        size[k] = fmax(size[k], 0.02 * largest);
    quaternion_of(axes, q);
    return largest > 0;
}

static void add_box(struct lk_sketch *d, int b)
{
    const struct lk_body_def *def = &d->model->bodies[b];
    double size[3], q[4], largest;
    struct lk_shape *shape;

    if (!box_of(def, size, q))
        return;
    largest = fmax(size[0], fmax(size[1], size[2]));
    if (d->reach[b] > 1e-6 * d->scene->size ? largest > BOX_REACH * d->reach[b]
                                            : largest > 2 * d->scene->size)
        return;
    shape = lk_sketch_add(d, LK_SHAPE_BOX, LK_PART_BODY, b, def->name);
    memcpy(shape->size, size, sizeof(size));
    memcpy(shape->orientation, q, sizeof(q));
    lk_sketch_paint(shape, b, 0.3);
}

static void add_centre(struct lk_sketch *d, int b, double mean)
{
    const struct lk_body_def *def = &d->model->bodies[b];
    struct lk_shape *shape;
    double size;

    if (!(def->mass > 0))
        return;
    size = d->scene->unit * fmin(2 * CENTRE, fmax(0.4 * CENTRE, CENTRE * cbrt(def->mass / mean)));
    shape = lk_sketch_add(d, LK_SHAPE_SPHERE, LK_PART_CENTRE, b, def->name);
    for (int k = 0; k < 3; k++)
        shape->size[k] = size;
    lk_sketch_paint(shape, b, 1);
}

/* return whether a bar of @body already ends at @local; only the last few bars are checked */
static int is_known(const struct lk_sketch *d, int body, const double local[3], double near)
{
    int first = d->scene->n_shapes - 64;

    for (int i = d->scene->n_shapes - 1; i >= 0 && i >= first; i--) {
        const struct lk_shape *s = &d->shape[i];
        double gap = 0;

        for (int k = 0; k < 3; k++)
            gap = fmax(gap, fabs(2 * s->position[k] - local[k]));
        if (s->part == LK_PART_BAR && s->body == body && gap <= near)
            return 1;
    }
    return 0;
}

static void add_bar(struct lk_sketch *d, const struct lk_mount *mount)
{
    double local[3], axis[3], length;
    struct lk_shape *shape;

    if (mount->body < 0 || d->is_given[mount->body])
        return;
    lk_sketch_local(d, mount->body, mount->place, local);
    length = lk_norm(local);
    if (!(length > 1e-6 * d->scene->size) || is_known(d, mount->body, local, 1e-6 * d->scene->size))
        return;
    shape = lk_sketch_add(d, LK_SHAPE_CYLINDER, LK_PART_BAR, mount->body,
                          d->model->bodies[mount->body].name);
    for (int k = 0; k < 3; k++) {
        axis[k] = local[k] / length;
        shape->position[k] = local[k] / 2;
    }
    lk_quaternion_to(axis, shape->orientation);
    shape->size[0] = shape->size[1] = fmin(BAR * d->scene->unit, 0.3 * length);
    shape->size[2] = length;
    lk_sketch_paint(shape, mount->body, 1);
}

/* return the square of the distance between two nodes, drawn */
static double between(const struct lk_sketch *d, const struct lk_modal_def *m, int i, int k)
{
    double way[3];

    lk_sub(d->model->bodies[m->node[i].body].position, d->model->bodies[m->node[k].body].position,
           way);
    return lk_dot(way, way);
}

/* Draw a body with modes as lines between its nodes, which bend with it: those of the shortest
 * tree, found node by node. @nearest: for each node, the nearest one in the tree, -1: it is in the
 * tree */
static void add_tree(struct lk_sketch *d, const struct lk_modal_def *m, int *nearest)
{
    const struct lk_body_def *bodies = d->model->bodies;

    nearest[0] = -1;
    for (int i = 1; i < m->n_nodes; i++)
        nearest[i] = 0;
    for (int n = 1; n < m->n_nodes; n++) {
        int best = -1, ends[2];
        double point[2][3];

        for (int i = 1; i < m->n_nodes; i++)
            if (nearest[i] >= 0 &&
                (best < 0 || between(d, m, i, nearest[i]) < between(d, m, best, nearest[best])))
                best = i;
        ends[0] = m->node[nearest[best]].body;
        ends[1] = m->node[best].body;
        memcpy(point[0], bodies[ends[0]].position, sizeof(point[0]));
        memcpy(point[1], bodies[ends[1]].position, sizeof(point[1]));
        lk_sketch_paint(
            lk_sketch_span(d, LK_PART_ROD, bodies[m->body].name, ends, (const double(*)[3])point),
            m->body, 1);
        nearest[best] = -1;
        for (int i = 1; i < m->n_nodes; i++)
            if (nearest[i] >= 0 && between(d, m, i, best) < between(d, m, i, nearest[i]))
                nearest[i] = best;
    }
}

void lk_sketch_bodies(struct lk_sketch *d)
{
    const struct lk_model *m = d->model;
    struct lk_mount mount[2];
    double sum = 0;
    int n = 0;

    for (int b = 0; b < m->n_bodies; b++) {
        sum += m->bodies[b].mass;
        n += m->bodies[b].mass > 0;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        if (m->bodies[b].kind == LK_BODY_MODAL &&
            !d->is_given[m->modals[m->bodies[b].modal].node[0].body]) {
            int nearest[LK_MODAL_NODES_MAX];

            add_tree(d, &m->modals[m->bodies[b].modal], nearest);
        }
        if (d->is_given[b] || m->bodies[b].kind != LK_BODY_RIGID)
            continue;
        add_box(d, b);
        add_centre(d, b, n > 0 ? sum / n : 1);
    }
    for (int i = 0; i < m->n_joints + m->n_forces; i++) {
        int mounts = lk_sketch_mounts(m, i, mount);

        for (int s = 0; s < mounts; s++)
            add_bar(d, &mount[s]);
    }
}
