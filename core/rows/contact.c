/* SPDX-License-Identifier: Apache-2.0 */
/* Contact: three rows, always compliant: two tangential velocities and the normal velocity of side
 * 1 relative to side 0 at the point of contact. The value of the third row is the gap; no
 * coordinate has the rates of the others, so their value is zero. The multipliers are minus the
 * forces on side 1: the third one is never positive. The law is in step/elements/contacts.c. */
#include "rows/contact.h"
#include "rows/rows.h"
#include "tyre/road.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define NEAR    1e-12 /* distance below which a direction is not defined [m] */
#define BORDER  1e-9  /* width of the border of a face, relative to its half edge */
#define LEVEL   1e-6  /* tilt below which a cylinder stands on its end [rad] */
#define NO_ROAD 1     /* gap beyond the end of a road [m] */
#define FEET    3     /* steps to the point of a road below a ball */
/* cosine of the largest angle between two faces in contact, times -1 */
#define LEAST_SLOPE (-0.5)

/* compute a vector in the axes of a shape */
static void to_axes(double axes[3][3], const double v[3], double ret[3])
{
    for (int k = 0; k < 3; k++)
        ret[k] = lk_dot(axes[k], v);
}

static void from_axes(double axes[3][3], const double v[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = axes[0][i] * v[0] + axes[1][i] * v[1] + axes[2][i] * v[2];
}

/* return the length of @d, and compute its direction; @or_else: direction if the length is 0 */
static double direction_of(const double d[3], const double or_else[3], double ret[3])
{
    double length = lk_norm(d);

    for (int i = 0; i < 3; i++)
        ret[i] = length > NEAR ? d[i] / length : or_else[i];
    return length;
}

/* ---- distance of the point @p from a surface, and its normal, both in the axes of the shape ----
 */

/* Return the height over a plane. Beside the part of it that exists, and far below it, there is no
 * surface, and the distance is more than 0. */
static double from_plane(const double size[3], const double p[3], double n[3])
{
    double outside = lk_max(fabs(p[0]) - size[0], fabs(p[1]) - size[1]);

    n[0] = n[1] = 0;
    n[2] = 1;
    outside = lk_max(outside, -p[2] - size[2]);
    return outside > 0 ? lk_max(fabs(p[2]), outside) : p[2];
}

static double from_capsule(const double size[3], const double p[3], double n[3])
{
    static const double sideways[3] = {1, 0, 0};
    const double d[3] = {p[0], p[1], p[2] - lk_clamp(p[2], size[2])};

    return direction_of(d, sideways, n) - size[0];
}

/* Return the distance from a box whose half edges are @size. Inside, it is the distance from the
 * nearest face. */
static double from_box(const double size[3], const double p[3], double n[3])
{
    double beyond[3], out[3], length, most = -INFINITY;
    int face = 0;

    for (int i = 0; i < 3; i++) {
        beyond[i] = fabs(p[i]) - size[i];
        out[i] = copysign(lk_max(beyond[i], 0), p[i]);
        face = beyond[i] > most ? i : face;
        most = lk_max(most, beyond[i]);
    }
    const double nearest[3] = {face == 0 ? copysign(1, p[0]) : 0, face == 1 ? copysign(1, p[1]) : 0,
                               face == 2 ? copysign(1, p[2]) : 0};

    length = direction_of(out, nearest, n);
    return most > 0 ? length : most;
}

/* the same as a box in the plane of the axis */
static double from_cylinder(const double size[3], const double p[3], double n[3])
{
    double r = lk_root(p[0] * p[0] + p[1] * p[1]), out[3], distance;
    const double flat[3] = {r, 0, p[2]}, half[3] = {size[0], INFINITY, size[2]};
    double c = r > NEAR ? p[0] / r : 1, s = r > NEAR ? p[1] / r : 0;

    distance = from_box(half, flat, out);
    n[0] = c * out[0];
    n[1] = s * out[0];
    n[2] = out[2];
    return distance;
}

/* A profile has no surface beside its width. */
static double from_profile(const struct lk_contact_shape *s, const double p[3], double n[3])
{
    double outside = fabs(p[2]) - s->size[2], distance = lk_curve_distance(&s->curve, p, n);

    n[2] = 0;
    return outside > 0 ? lk_max(fabs(distance), outside) : distance;
}

/* Return the distance from the tangent plane at the point of the road below @p along its normal,
 * which is found in a fixed number of steps. */
static double from_road(const struct lk_road *road, const double p[3], double n[3])
{
    double foot[3] = {p[0], p[1], p[2]}, distance = 0;
    bool is_there = true;

    for (int k = 0; k < FEET; k++) {
        struct lk_road_plane plane;
        double arm[3];

        is_there = lk_road_at(road, LK_TRACK_LEFT, foot, &plane);
        lk_sub(p, plane.point, arm);
        distance = lk_dot(arm, plane.normal);
        for (int i = 0; i < 3; i++) {
            n[i] = plane.normal[i];
            foot[i] = p[i] - distance * n[i];
        }
    }
    return is_there ? distance : NO_ROAD;
}

static double from_surface(const struct lk_contact_shape *s, const double p[3], double n[3])
{
    switch (s->kind) {
    case LK_CONTACT_ROAD:
        return from_road(s->road, p, n);
    case LK_CONTACT_PROFILE:
        return from_profile(s, p, n);
    case LK_CONTACT_HALF_SPACE:
        return from_plane(s->size, p, n);
    case LK_CONTACT_BOX:
        return from_box(s->size, p, n);
    case LK_CONTACT_CYLINDER:
        return from_cylinder(s->size, p, n);
    default: /* a sphere is a capsule of length 0 */
        return from_capsule(s->size, p, n);
    }
}

/* ---- the ball of side 1 ---- */

/* compute the point of the segment m + x a, |x| <= half, that is nearest to the segment of a
 * capsule along the z axis, both in the axes of this capsule */
static void nearest_to_segment(const double m[3], const double a[3], double half, double length,
                               double ret[3])
{
    /* minimise |m + x a - y e_z|: two equations, and their limits one after the other */
    double away = 1 - a[2] * a[2], along = lk_dot(m, a);
    double x = away > NEAR ? (a[2] * m[2] - along) / away : 0, y;

    x = lk_clamp(x, half);
    y = lk_clamp(m[2] + x * a[2], length);
    x = lk_clamp(a[2] * y - along, half);
    for (int i = 0; i < 3; i++)
        ret[i] = m[i] + x * a[i];
}

/* return the axis of a box whose sign bit @bit of the number of a corner of face @face gives */
static int axis_of_bit(int face, int bit)
{
    return bit == 0 ? (face == 0) : 2 - (face == 2);
}

/* Return how far an edge of a face runs from its end @from until it enters the other face, of half
 * edges @size; INFINITY: it does not. @along: its direction, @length: its length */
static double way_to_enter(const double size[3], const double from[3], const double along[3],
                           double length)
{
    double in = 0, out = length;

    for (int k = 0; k < 2; k++) {
        double rate = copysign(lk_max(fabs(along[k]), NEAR), along[k]);
        double a = (-size[k] - from[k]) / rate, b = (size[k] - from[k]) / rate;

        in = lk_max(in, lk_min(a, b));
        out = lk_min(out, lk_max(a, b));
    }
    return in <= out ? in : INFINITY;
}

/* Move the corner @ret of the face of a box to a point where both faces overlap: straight to the
 * border of the other face, along the own face, or if that leads out of the own face, along the
 * edge that enters the other face first. So four points bear what the corners of the overlap would
 * bear, but for a part of it where one corner alone hangs over. Without an overlap the corner stays
 * beside the other face. @m, @axes: of the box, in the axes of the other face */
static void overlap(const struct lk_contact_pair *pair, const double m[3], double axes[3][3],
                    double ret[3])
{
    const struct lk_contact_shape *s = &pair->shape[1];
    const double *size = pair->shape[0].size;
    int axis = abs(pair->corners) - 1;
    double sign = pair->corners > 0 ? 1 : -1, slope = sign * axes[axis][2], arm[3];
    double at[3] = {lk_clamp(ret[0], size[0]), lk_clamp(ret[1], size[1]), 0}, way[2], along[2][3];
    bool is_over = slope < LEAST_SLOPE, is_first;

    at[2] = ret[2] - sign * (axes[axis][0] * (at[0] - ret[0]) + axes[axis][1] * (at[1] - ret[1])) /
                         lk_min(slope, LEAST_SLOPE);
    for (int i = 0; i < 3; i++)
        arm[i] = at[i] - m[i];
    for (int k = 0; k < 3; k++)
        is_over &= k == axis || fabs(lk_dot(axes[k], arm)) <= s->size[k] * (1 + BORDER);
    for (int e = 0; e < 2; e++) {
        int k = axis_of_bit(axis, e);

        for (int i = 0; i < 3; i++)
            along[e][i] = (pair->point >> e) & 1 ? -axes[k][i] : axes[k][i];
        way[e] = way_to_enter(size, ret, along[e], 2 * s->size[k]);
    }
    is_first = way[0] <= way[1];
    way[0] = lk_min(way[0], way[1]);
    way[0] = isinf(way[0]) ? 0 : way[0];
    for (int i = 0; i < 3; i++)
        ret[i] = is_over ? at[i] : ret[i] + way[0] * (is_first ? along[0][i] : along[1][i]);
}

/* Compute a point of the rims of a cylinder, relative to its centre. Points 0 and 1 are the lowest
 * ones of both rims, so they are the ends of the line on which a lying cylinder rolls. Points 2 and
 * 3 are a third of the lower rim away from the lowest point there, so that a standing cylinder has
 * three points. A tilt below LEVEL does not define the lowest point: then the points are fixed to
 * the cylinder. @axes: of the cylinder;  @up: normal; both in the axes of the surface */
static void on_rim(const struct lk_contact_pair *pair, double axes[3][3], const double up[3],
                   double ret[3])
{
    const double *a = axes[2], *size = pair->shape[1].size;
    double rise = lk_dot(up, a), down[3], across[3];
    double end = pair->point < 2 ? 1 - 2 * pair->point : copysign(1, -rise), tilt, c, s;

    for (int i = 0; i < 3; i++)
        down[i] = rise * a[i] - up[i];
    tilt = lk_norm(down);
    for (int i = 0; i < 3; i++)
        down[i] = tilt > LEVEL ? down[i] / tilt : axes[0][i];
    lk_cross(a, down, across);
    c = pair->point < 2 ? 1 : -0.5;
    s = pair->point < 2 ? 0 : (2 * pair->point - 5) * 0.8660254037844386;
    for (int i = 0; i < 3; i++)
        ret[i] = end * size[2] * a[i] + size[0] * (c * down[i] + s * across[i]);
}

/* Compute the lowest point of a profile in the middle of its width, relative to its centre. @axes
 * and @up as for on_rim() */
static void on_profile(const struct lk_contact_shape *s, double axes[3][3], const double up[3],
                       double ret[3])
{
    const double plane[2] = {lk_dot(up, axes[0]), lk_dot(up, axes[1])};
    double at[2];

    lk_curve_lowest(&s->curve, plane, at);
    for (int i = 0; i < 3; i++)
        ret[i] = at[0] * axes[0][i] + at[1] * axes[1][i];
}

/* Return whether the ball is a point of side 1 that depends on the pose of both sides. */
static bool is_moving(const struct lk_contact_pair *pair)
{
    return pair->shape[1].kind == LK_CONTACT_CYLINDER ||
           pair->shape[1].kind == LK_CONTACT_PROFILE ||
           (pair->shape[0].kind == LK_CONTACT_CAPSULE &&
            pair->shape[1].kind == LK_CONTACT_CAPSULE) ||
           (pair->corners != 0 && !isinf(pair->shape[0].size[0]));
}

/* compute the normal of the surface below the centre of side 1, in the axes of the surface */
static void upwards(const struct lk_contact_shape *s, const double centre[3], double ret[3])
{
    ret[0] = ret[1] = 0;
    ret[2] = 1;
    if (s->kind == LK_CONTACT_ROAD)
        from_road(s->road, centre, ret);
}

/* Compute the centre of a ball that is_moving(), in the axes of the surface. @surface: its axes,
 * world;  @centre: of the shape of side 1, in the axes of the surface */
static void move_ball(const struct lk_contact_pair *pair, const struct lk_pose *pose,
                      double surface[3][3], const double centre[3], double ret[3])
{
    const struct lk_contact_shape *s = &pair->shape[1];
    double axes[3][3], world[3], up[3];

    for (int k = 0; k < 3; k++) {
        lk_rotate(pose->R, s->axes[k], world);
        to_axes(surface, world, axes[k]);
    }
    if (s->kind == LK_CONTACT_CAPSULE)
        nearest_to_segment(centre, axes[2], s->size[2], pair->shape[0].size[2], ret);
    else if (s->kind == LK_CONTACT_BOX)
        overlap(pair, centre, axes, ret);
    else {
        upwards(&pair->shape[0], centre, up);
        if (s->kind == LK_CONTACT_CYLINDER)
            on_rim(pair, axes, up, ret);
        else
            on_profile(s, axes, up, ret);
        for (int i = 0; i < 3; i++)
            ret[i] += centre[i];
    }
}

void lk_contact_ball(struct lk_contact_pair *pair)
{
    const struct lk_contact_shape *s = &pair->shape[1];
    double local[3] = {0};
    int face = abs(pair->corners) - 1;

    if (s->kind == LK_CONTACT_CAPSULE && pair->shape[0].kind != LK_CONTACT_CAPSULE)
        local[2] = pair->point == 0 ? s->size[2] : -s->size[2];
    for (int i = 0; i < 3 && s->kind == LK_CONTACT_BOX; i++)
        if (i == face)
            local[i] = pair->corners > 0 ? s->size[i] : -s->size[i];
        else
            local[i] = (pair->point >> (face < 0 ? i : i == axis_of_bit(face, 1))) & 1
                           ? s->size[i]
                           : -s->size[i];
    for (int i = 0; i < 3; i++)
        pair->ball[i] = s->centre[i] + s->axes[0][i] * local[0] + s->axes[1][i] * local[1] +
                        s->axes[2][i] * local[2];
    pair->radius = s->kind == LK_CONTACT_SPHERE || s->kind == LK_CONTACT_CAPSULE ? s->size[0] : 0;
}

/* compute two tangents: one across the axis that is farthest from @n */
static void tangents(const double n[3], double t[2][3])
{
    int k = 0;
    double length;

    for (int i = 1; i < 3; i++)
        k = fabs(n[i]) < fabs(n[k]) ? i : k;
    for (int i = 0; i < 3; i++)
        t[0][i] = (i == k) - n[k] * n[i];
    length = 1 / lk_norm(t[0]);
    for (int i = 0; i < 3; i++)
        t[0][i] *= length;
    lk_cross(n, t[0], t[1]);
}

/* compute the point @local of side 1, from the centre of mass of side 0 and in the axes @surface of
 * the surface, relative to its centre @origin */
static void see(const struct lk_pose *const *pose, double surface[3][3], const double origin[3],
                const double local[3], double ret[3])
{
    double arm[3];

    lk_rotate(pose[1]->R, local, arm);
    for (int i = 0; i < 3; i++) /* positions relative to side 0: no digits are lost far away */
        arm[i] += (pose[1]->x[i] - pose[0]->x[i]) - origin[i];
    to_axes(surface, arm, ret);
}

void lk_contact_place(const struct lk_contact_pair *pair, const struct lk_pose *const *pose,
                      struct lk_contact_place *ret)
{
    const struct lk_contact_shape *s = &pair->shape[0];
    double surface[3][3], origin[3], ball[3], n[3], t[2][3];

    for (int k = 0; k < 3; k++)
        lk_rotate(pose[0]->R, s->axes[k], surface[k]);
    lk_rotate(pose[0]->R, s->centre, origin);
    see(pose, surface, origin, pair->ball, ball);
    if (is_moving(pair)) {
        double centre[3];

        see(pose, surface, origin, pair->shape[1].centre, centre);
        move_ball(pair, pose[1], surface, centre, ball);
    }
    ret->gap = from_surface(s, ball, n) - pair->radius;
    tangents(n, t);
    from_axes(surface, t[0], ret->axes[0]);
    from_axes(surface, t[1], ret->axes[1]);
    from_axes(surface, n, ret->axes[2]);
    from_axes(surface, ball, ret->at);
    for (int i = 0; i < 3; i++)
        ret->at[i] += origin[i] - pair->radius * ret->axes[2][i];
}

void lk_contact_rates(const struct lk_contact_place *place, const struct lk_pose *const *pose,
                      const struct lk_twist *const *twist, double ret[3])
{
    double relative[3] = {0};

    for (int s = 0; s < 2; s++) {
        double w[3], arm[3], swing[3];

        lk_rotate(pose[s]->R, twist[s]->w, w);
        for (int i = 0; i < 3; i++)
            arm[i] = place->at[i] - (s == 0 ? 0 : pose[1]->x[i] - pose[0]->x[i]);
        lk_cross(w, arm, swing);
        for (int i = 0; i < 3; i++)
            relative[i] -= lk_jacobian_sign(s) * (twist[s]->v[i] + swing[i]);
    }
    for (int r = 0; r < 3; r++)
        ret[r] = lk_dot(place->axes[r], relative);
}

/* ---- rows ---- */

static void rows_of(const struct lk_joint *j, const struct lk_pose *const *pose, double J[3][2][6])
{
    struct lk_contact_place place;

    lk_contact_place(j->pair, pose, &place);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 2; s++) {
            double arm[3], moment[3], turn[3];

            for (int i = 0; i < 3; i++)
                arm[i] = place.at[i] - (s == 0 ? 0 : pose[1]->x[i] - pose[0]->x[i]);
            lk_cross(arm, place.axes[r], moment);
            lk_rotate_back(pose[s]->R, moment, turn);
            for (int i = 0; i < 3; i++) {
                J[r][s][i] = -lk_jacobian_sign(s) * place.axes[r][i];
                J[r][s][3 + i] = -lk_jacobian_sign(s) * turn[i];
            }
        }
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    struct lk_contact_place place;

    lk_contact_place(j->pair, pose, &place);
    phi[0] = phi[1] = 0;
    phi[2] = place.gap;
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[3][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, J[r][s]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[3][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < 3; i++) {
                sum[s]->v[i] += lambda[r] * J[r][s][i];
                sum[s]->w[i] += lambda[r] * J[r][s][3 + i];
            }
}

const struct lk_joint_type_ops lk_joint_contact = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
};
