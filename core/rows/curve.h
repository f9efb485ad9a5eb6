/* SPDX-License-Identifier: Apache-2.0 */
/* A closed curve in a plane, such as the outline of a cam: a cubic spline through given points.
 *
 * Between two points the curve is a cubic polynomial of u from 0 to 1. Its first and second
 * derivatives with respect to the distance of the points are continuous, at the last point too (C.
 * de Boor, A Practical Guide to Splines, 1978, chapter 4). So a cam has no jumps in the
 * acceleration of its follower. The points run counterclockwise: the inside is to their left. */
#ifndef LK_ROWS_CURVE_H
#define LK_ROWS_CURVE_H

/** struct lk_curve_knot - a point of the curve. @at: [m];  @slope: derivative with respect to the
 * distance between points [1];  @length: distance to the next point [m] */
struct lk_curve_knot {
    double at[2];
    double slope[2];
    double length;
};

struct lk_curve {
    int n;
    const struct lk_curve_knot *knot;
};

/** lk_curve_knots() - compute slopes and lengths of a curve through @n points, @n >= 3, different
 * from their neighbours. @point: in the plane, only x and y are read. Not for the cycle. */
void lk_curve_knots(int n, double (*point)[3], struct lk_curve_knot *ret);

/** lk_curve_hollow() - return the largest inward curvature of the curve [1/m], 0 for a convex one.
 * @ret_at: the point after which it is found. Not for the cycle. */
double lk_curve_hollow(const struct lk_curve *curve, int *ret_at);

/** lk_curve_distance() - return the distance of @p from the curve, negative inside [m].
 * @n: outward normal at the nearest point. The work is the same for every @p. RT: yes. */
double lk_curve_distance(const struct lk_curve *curve, const double p[2], double n[2]);

/** lk_curve_lowest() - compute the point of a convex curve that is farthest against @up, in the
 * plane of the curve. The work is the same for every @up. RT: yes. */
void lk_curve_lowest(const struct lk_curve *curve, const double up[2], double ret[2]);

#endif
