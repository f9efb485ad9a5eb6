/* SPDX-License-Identifier: Apache-2.0 */
/* Reference lines and profiles of OpenDRIVE files. */
#include "xodr.h"

#include <math.h>

#define TURN_MAX                                                                                   \
    0.5 /* largest turn over which five points integrate a spiral to round-off [rad]               \
         */

int xodr_last(const void *records, int n, size_t size, double s)
{
    int low = -1, high = n;

    while (high - low > 1) {
        int middle = (low + high) / 2;
        const double *first = (const void *)((const char *)records + (size_t)middle * size);

        if (*first <= s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double cubic(const double c[4], double d)
{
    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

static double cubic_slope(const double c[4], double d)
{
    return c[1] + d * (2 * c[2] + d * 3 * c[3]);
}

double xodr_value(const struct xodr_profile *p, double s)
{
    int i = xodr_last(p->at, p->n, sizeof(*p->at), s);

    return i < 0 ? 0 : cubic(p->at[i].c, s - p->at[i].s);
}

/* The five points of Gauss's rule between -1 and 1, and their weights. */
#define POINTS 5
static const double gauss[POINTS][2] = {{-0.9061798459386640, 0.2369268850561891},
                                        {-0.5384693101056831, 0.4786286704993665},
                                        {0, 0.5688888888888889},
                                        {0.5384693101056831, 0.4786286704993665},
                                        {0.9061798459386640, 0.2369268850561891}};

/* return the turn of a piece over the distance @d from its start [rad] */
static double turn(const struct xodr_piece *p, double d)
{
    double rate = (p->curvature[1] - p->curvature[0]) / p->length;

    return d * (p->curvature[0] + 0.5 * rate * d);
}

/* Integrate the direction of a line, an arc or a spiral from its start to @d, by Gauss's rule of
 * five points in parts that turn little (a spiral has no closed form). */
static void integrate(const struct xodr_piece *p, double d, double ret[2])
{
    double most = fmax(fabs(p->curvature[0]), fabs(p->curvature[1])) * fabs(d);
    int parts = 1 + (int)(most / TURN_MAX);
    double half = 0.5 * d / parts;

    ret[0] = ret[1] = 0;
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < POINTS; k++) {
            double angle = p->heading + turn(p, half * (2 * i + 1 + gauss[k][0]));

            ret[0] += half * gauss[k][1] * cos(angle);
            ret[1] += half * gauss[k][1] * sin(angle);
        }
}

/* ---- cubics of a parameter ---- */

#define PARTS 4 /* of a piece, in each of which five points integrate its length */

/* return the speed |dr/dp| of a piece at the parameter @at */
static double speed_at(const struct xodr_piece *p, double at)
{
    return hypot(cubic_slope(p->u, at), cubic_slope(p->v, at));
}

/* return the length of a piece from its start to the parameter @to [m] */
static double length_to(const struct xodr_piece *p, double to)
{
    double half = 0.5 * to / PARTS, sum = 0;

    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < POINTS; k++)
            sum += half * gauss[k][1] * speed_at(p, half * (2 * i + 1 + gauss[k][0]));
    return sum;
}

/* Find the parameter at the distance @d along a piece, whose length is stretched to the one that
 * the file says, by Newton's method. @ret_rate: its rate of change with d */
static double parameter_at(const struct xodr_piece *p, double d, double *ret_rate)
{
    double stretch = length_to(p, p->range) / p->length, at = p->range * d / p->length, speed;

    for (int i = 0; i < 4; i++) {
        speed = fmax(speed_at(p, at), 1e-9);
        at = fmin(fmax(at - (length_to(p, at) - stretch * d) / speed, 0), p->range);
    }
    *ret_rate = stretch / fmax(speed_at(p, at), 1e-9);
    return at;
}

void xodr_along(const struct xodr_piece *p, double d, double point[2], double tangent[2])
{
    double inside = fmin(fmax(d, 0), p->length), c = cos(p->heading), s = sin(p->heading);

    if (p->kind == XODR_PARAM) {
        double rate, at = parameter_at(p, inside, &rate), u = cubic(p->u, at), v = cubic(p->v, at);
        double du = rate * cubic_slope(p->u, at), dv = rate * cubic_slope(p->v, at);

        point[0] = c * u - s * v;
        point[1] = s * u + c * v;
        tangent[0] = c * du - s * dv;
        tangent[1] = s * du + c * dv;
    } else {
        double angle = p->heading + turn(p, inside);

        integrate(p, inside, point);
        tangent[0] = cos(angle);
        tangent[1] = sin(angle);
    }
    point[0] += p->x + (d - inside) * tangent[0];
    point[1] += p->y + (d - inside) * tangent[1];
}
