/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of one point of contact between the shapes of two bodies.
 *
 * Side 0 has the surface. Side 1 has a ball, which may have the radius 0: a sphere, an end of a
 * capsule, a corner of a box, a point of a rim or of a profile. With the distance d of the centre m
 * of the ball from the surface, the outward normal n of the surface there and the radius r,
 *
 *     gap = d - r,    P = m - r n
 *
 * P is the point of contact. The gradient of the gap is n, but for points of two faces, which move
 * along an edge: there to the angle between both faces. So the rate of the gap is the velocity of P
 * as a point of side 1 relative to side 0, along n (C. Ericson, Real-Time Collision Detection,
 * 2005, chapter 5, for the distances of points and segments). */
#ifndef LK_ROWS_CONTACT_H
#define LK_ROWS_CONTACT_H

#include "rows/curve.h"
#include "rows/joint.h"

#define LK_CONTACT_POINTS_MAX 8 /* largest number of points of a pair of shapes */

/** struct lk_contact_shape - a shape fixed to a body.
 * @centre: from the centre of mass [m];  @axes: unit vectors, body axes. The axis of a capsule or
 *          cylinder, and the normals of a half-space and of the plane of a profile, are axes[2];
 *          the centre of a half-space is a point on its plane; a road has the axes of its body
 * @size:   [m]. Sphere: {radius};  capsule, cylinder: {radius, -, half length of the axis};  box:
 *          half edges;  half-space: half edges of the part of the plane that exists, and the depth
 *          down to which it acts; INFINITY: no limit;  profile: {-, -, half width}
 * @curve: of a profile;  @road: of a road */
struct lk_contact_shape {
    enum lk_contact_kind kind;
    double centre[3];
    double axes[3][3];
    double size[3];
    struct lk_curve curve;
    const struct lk_road *road;
};

/** struct lk_contact_pair - a point of contact. @shape: of side 0, the surface, and of side 1
 * @point: index of the point among those of the pair
 * @corners: axis of the box of side 1 whose face has the corners, +1 .. +3 or -1 .. -3; 0: all
 *           eight corners
 * @ball:  m, from the centre of mass of side 1, body axes [m]. Between two capsules and two faces,
 *           and for the rim of a cylinder and for a profile, it depends on the poses, and @ball is
 *           where it begins;  @radius: r [m] */
struct lk_contact_pair {
    struct lk_contact_shape shape[2];
    int point;
    int corners;
    double ball[3];
    double radius;
};

/** struct lk_contact_place - a point of contact at one pose; vectors in world axes.
 * @gap: [m];  @at: P, from the centre of mass of side 0 [m]
 * @axes: two tangents and n, right-handed */
struct lk_contact_place {
    double gap;
    double at[3];
    double axes[3][3];
};

/** lk_contact_place() - compute the point of contact of @pair at the poses of its two sides. The
 * tangents follow the surface: they may turn about n when n has turned far. RT: yes. */
void lk_contact_place(const struct lk_contact_pair *pair, const struct lk_pose *const *pose,
                      struct lk_contact_place *ret);

/** lk_contact_rates() - compute the rates of the three rows of a point [m/s] at @place, for the
 * twists of both sides. RT: yes. */
void lk_contact_rates(const struct lk_contact_place *place, const struct lk_pose *const *pose,
                      const struct lk_twist *const *twist, double ret[3]);

/** lk_contact_ball() - set ball and radius of @pair from its shapes. Not for the cycle. */
void lk_contact_ball(struct lk_contact_pair *pair);

#endif
