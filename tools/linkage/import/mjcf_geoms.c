/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of MJCF for viewers. MuJoCo's own viewer draws the groups 0 to 2 unless told otherwise;
 * higher groups are collision shapes by convention. They are drawn for bodies that have no other
 * shape. An ellipsoid and a mesh are drawn as their bounding boxes. Planes and height fields are
 * omitted. */
#include "mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_SHOWN 2 /* last group that MuJoCo's viewer shows */

static bool has_shape_shown(const mjModel *m, int body)
{
    for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++)
        if (m->geom_group[g] <= GROUP_SHOWN)
            return true;
    return false;
}

/* A colour of a geom overrides that of its material. MuJoCo's default is not a colour of the file.
 */
static void find_color(const mjModel *m, int g, struct shape *shape)
{
    static const float standard[] = {0.5f, 0.5f, 0.5f, 1};
    const float *color = m->geom_rgba + 4 * g;

    if (memcmp(color, standard, sizeof(standard)) == 0)
        color = m->geom_matid[g] >= 0 ? m->mat_rgba + 4 * m->geom_matid[g] : NULL;
    shape->has_color = color != NULL;
    for (int i = 0; i < 4 && color != NULL; i++)
        shape->color[i] = fmin(fmax((double)color[i], 0), 1);
}

static bool draw_mesh(struct robot *robot, const mjModel *m, int mesh, const struct shape *shape)
{
    double low[3], high[3];

    if (mesh < 0 || m->mesh_vertnum[mesh] == 0)
        return false;
    for (int i = 0; i < 3; i++) {
        const float *x = m->mesh_vert + 3 * m->mesh_vertadr[mesh] + i;

        low[i] = high[i] = (double)*x;
        for (int k = 1; k < m->mesh_vertnum[mesh]; k++) {
            low[i] = fmin(low[i], (double)x[3 * k]);
            high[i] = fmax(high[i], (double)x[3 * k]);
        }
    }
    return robot_box_of(robot, shape, low, high);
}

/* Draw geom @g. Sizes of MuJoCo are radii and half lengths. */
static bool draw(struct robot *robot, const mjModel *m, int g, struct shape *shape)
{
    const mjtNum *size = m->geom_size + 3 * g;

    find_color(m, g, shape);
    for (int i = 0; i < 3; i++)
        shape->size[i] = 2 * size[i];
    switch (m->geom_type[g]) {
    case mjGEOM_SPHERE:
        shape->kind = LK_SHAPE_SPHERE;
        shape->size[1] = shape->size[2] = shape->size[0];
        return robot_shape(robot, shape);
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
        shape->kind = LK_SHAPE_CYLINDER;
        shape->size[2] = shape->size[1];
        shape->size[1] = shape->size[0];
        return m->geom_type[g] == mjGEOM_CAPSULE ? robot_capsule(robot, shape)
                                                 : robot_shape(robot, shape);
    case mjGEOM_BOX:
    case mjGEOM_ELLIPSOID:
        shape->kind = LK_SHAPE_BOX;
        return robot_shape(robot, shape);
    case mjGEOM_MESH:
        return draw_mesh(robot, m, m->geom_dataid[g], shape);
    default:
        return false;
    }
}

static const char *type_of(const mjModel *m, int g)
{
    static const char *const names[] = {[mjGEOM_PLANE] = "plane",
                                        [mjGEOM_HFIELD] = "hfield",
                                        [mjGEOM_SPHERE] = "sphere",
                                        [mjGEOM_CAPSULE] = "capsule",
                                        [mjGEOM_ELLIPSOID] = "ellipsoid",
                                        [mjGEOM_CYLINDER] = "cylinder",
                                        [mjGEOM_BOX] = "box",
                                        [mjGEOM_MESH] = "mesh"};
    int type = m->geom_type[g];

    return type >= 0 && type < (int)(sizeof(names) / sizeof(names[0])) ? names[type] : "geom";
}

void mjcf_draw_body(const mjModel *m, int body, int link, const double shift[3],
                    struct robot *robot, struct mjcf_drawn *drawn)
{
    bool all = !has_shape_shown(m, body);

    for (int g = m->body_geomadr[body]; g < m->body_geomadr[body] + m->body_geomnum[body]; g++) {
        double length = mju_norm(m->geom_quat + 4 * g, 4);
        struct shape shape = {.link = link, .at = frame_unity};
        bool is_boxed = m->geom_type[g] == mjGEOM_MESH || m->geom_type[g] == mjGEOM_ELLIPSOID;

        if (!all && m->geom_group[g] > GROUP_SHOWN)
            continue;
        for (int i = 0; i < 3; i++)
            shape.at.r[i] = m->geom_pos[3 * g + i] + shift[i];
        for (int i = 0; i < 4 && length > 0; i++)
            shape.at.q[i] = m->geom_quat[4 * g + i] / length;
        if (!draw(robot, m, g, &shape))
            undrawn_add(&drawn->undrawn, type_of(m, g));
        else
            drawn->n_boxes += is_boxed;
    }
}
