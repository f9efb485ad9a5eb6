/* SPDX-License-Identifier: Apache-2.0 */
/* A function given by points, with cubic Hermite polynomials between the points. All functions are
 * pure and RT safe: the work is the same for every argument. */
#ifndef LK_MATHS_TABLE_H
#define LK_MATHS_TABLE_H

#include "maths/hot.h"

/** struct lk_points - @n points: abscissae @x (ascending), values @y and slopes @slope. */
struct lk_points {
    int n;
    const double *x;
    const double *y;
    const double *slope;
};

/** struct lk_piece - the polynomial y0 + u (m0 + u (b + u c)) of an interval. @i: index of
 * the interval;  @w: its width;  @u: relative position in it, 0 to 1 */
struct lk_piece {
    int i;
    double w;
    double u;
    double y0;
    double m0;
    double b;
    double c;
};

#define LK_POINTS_COUNTED 32 /* longer tables are bisected to this number of intervals */

/** lk_points_interval() - return the interval that contains @x, with the same work for every
 * x. Each bisection depends on the result of the previous bisection. The final count of points
 * has no such dependency and is vectorised. */
LK_INLINE int lk_points_interval(int n, const double *points, double x)
{
    lk_four_mask below = {0}; /* -1 for each point that is not above x */
    int low = 0, width = n - 1, i = 1, count = 0;

    for (; width > LK_POINTS_COUNTED; width -= width / 2)
        low += x >= points[low + width / 2] ? width / 2 : 0;
    for (; i + 4 <= width; i += 4)
        below += (lk_four_mask)(*(const lk_four *)&points[low + i] <= x);
    for (; i < width; i++)
        count += x >= points[low + i];
    return low + count - (int)(below[0] + below[1] + below[2] + below[3]);
}

/** lk_points_piece() - return the polynomial at @x, which must lie between the first and the last
 * point. */
LK_INLINE struct lk_piece lk_points_piece(const struct lk_points *p, double x)
{
    int i = lk_points_interval(p->n, p->x, x);
    double w = p->x[i + 1] - p->x[i], u = (x - p->x[i]) / w;
    double y0 = p->y[i], y1 = p->y[i + 1], m0 = w * p->slope[i], m1 = w * p->slope[i + 1];

    return (struct lk_piece){i, w, u, y0, m0, 3 * (y1 - y0) - 2 * m0 - m1, 2 * (y0 - y1) + m0 + m1};
}

LK_INLINE double lk_piece_value(const struct lk_piece *p)
{
    return p->y0 + p->u * (p->m0 + p->u * (p->b + p->u * p->c));
}

LK_INLINE double lk_piece_slope(const struct lk_piece *p)
{
    return (p->m0 + p->u * (2 * p->b + p->u * 3 * p->c)) / p->w;
}

#endif
