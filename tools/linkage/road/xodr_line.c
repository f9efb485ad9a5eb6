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
    static const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    double most = fmax(fabs(p->curvature[0]), fabs(p->curvature[1])) * fabs(d);
    int parts = 1 + (int)(most / TURN_MAX);
    double half = 0.5 * d / parts;

    ret[0] = ret[1] = 0;
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < 5; k++) {
            double angle = p->heading + turn(p, half * (2 * i + 1 + at[k]));

            ret[0] += half * weight[k] * cos(angle);
            ret[1] += half * weight[k] * sin(angle);
        }
}

void xodr_along(const struct xodr_piece *p, double d, double point[2], double tangent[2])
{
    double inside = fmin(fmax(d, 0), p->length), c = cos(p->heading), s = sin(p->heading);

    if (p->kind == XODR_PARAM) {
        double scale = p->range / p->length, at = inside * scale;
        double u = cubic(p->u, at), v = cubic(p->v, at);
        double du = scale * cubic_slope(p->u, at), dv = scale * cubic_slope(p->v, at);

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
