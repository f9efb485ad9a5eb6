/* SPDX-License-Identifier: Apache-2.0 */
/* View direction of the picture of a mechanism. */
#include "view.h"

#include <math.h>
#include <string.h>

#define FLAT 0.2 /* smaller extents, as a share of the size, count as flat */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

static double make_unit(double a[3])
{
    double length = sqrt(dot(a, a));

    for (int k = 0; k < 3 && length > 0; k++)
        a[k] /= length;
    return length;
}

/* Compute the extents of all centres and joints along the world's axes. */
static void measure(const struct lk_scene *scene, const double *poses, double ret[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};

    for (int i = -scene->n_bodies; i < scene->n_joints; i++)
        for (int side = 0; side < 2; side++) {
            const double origin[3] = {0, 0, 0};
            double place[3];

            if (i < 0)
                lk_scene_place(poses, i + scene->n_bodies, origin, place);
            else
                lk_scene_place(poses, scene->joint[i].body[side], scene->joint[i].point[side],
                               place);
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], place[k]);
                high[k] = fmax(high[k], place[k]);
            }
        }
    for (int k = 0; k < 3; k++)
        ret[k] = high[k] - low[k];
}

/* Compute two horizontal directions: @ahead is the world's x, or y if x points up; @away is
 * perpendicular to it. */
static void find_level(const double up[3], double ahead[3], double away[3])
{
    int axis = fabs(up[0]) > 0.9 ? 1 : 0;

    for (int k = 0; k < 3; k++)
        ahead[k] = (k == axis) - up[axis] * up[k];
    make_unit(ahead);
    cross(up, ahead, away);
}

/* Return the axis of the world along which a flat mechanism hardly extends; -1: the mechanism is
 * not flat. */
static int flat_axis(const double extent[3])
{
    int least = 0;
    double largest = fmax(extent[0], fmax(extent[1], extent[2]));

    for (int k = 1; k < 3; k++)
        if (extent[k] < extent[least])
            least = k;
    /* Bodies in a line are not flat either: they define no plane. */
    if (extent[least] > FLAT * largest ||
        extent[(least + 1) % 3] + extent[(least + 2) % 3] < 1.1 * largest)
        return -1;
    return least;
}

static void choose_direction(const struct lk_scene *scene, const double *poses, double back[3])
{
    double ahead[3], away[3], extent[3], front = 0.75, side = 0.55, above = 0.4;
    int flat;

    find_level(scene->up, ahead, away);
    measure(scene, poses, extent);
    flat = flat_axis(extent);
    if (flat >= 0 && fabs(scene->up[flat]) > 0.9) {
        above = 0.6;
    } else if (flat >= 0 && fabs(ahead[flat]) > 0.9) {
        front = 0.3, side = 0.92, above = 0.25;
    } else if (flat >= 0) {
        front = 0.92, side = 0.3, above = 0.25;
    }
    for (int k = 0; k < 3; k++)
        back[k] = -front * away[k] + side * ahead[k] + above * scene->up[k];
}

void camera_choose(struct camera *c, const struct lk_scene *scene, const double *poses,
                   const double *from)
{
    double ahead[3], away[3];

    if (from != NULL)
        memcpy(c->back, from, sizeof(c->back));
    else
        choose_direction(scene, poses, c->back);
    make_unit(c->back);
    cross(scene->up, c->back, c->right);
    if (make_unit(c->right) < 1e-3) { /* from straight above */
        find_level(scene->up, ahead, away);
        memcpy(c->right, ahead, sizeof(ahead));
    }
    cross(c->back, c->right, c->up);
    make_unit(c->up);
}

double camera_depth(const struct camera *c, const double place[3])
{
    return dot(place, c->back);
}

void camera_project(const struct camera *c, const double place[3], double ret[2])
{
    double arm[3];

    for (int k = 0; k < 3; k++)
        arm[k] = place[k] - c->center[k];
    ret[0] = c->middle[0] + c->scale * dot(arm, c->right);
    ret[1] = c->middle[1] - c->scale * dot(arm, c->up);
}
