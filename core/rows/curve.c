/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/curve.h"
#include "maths/vec.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define SWEEPS 60   /* of Gauss and Seidel: each one reduces the error to less than a half */
#define STEPS  6    /* of Newton's method within a piece */
#define FLAT   1e-3 /* least second derivative in them, relative to that of a straight piece */

/* struct place - a point of the curve, and its derivatives with respect to u */
struct place {
    double at[2];
    double first[2];
    double second[2];
};

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static int after(const struct lk_curve *c, int i)
{
    return i + 1 < c->n ? i + 1 : 0;
}

static struct place place_at(const struct lk_curve *c, int i, double u)
{
    const struct lk_curve_knot *a = &c->knot[i], *b = &c->knot[after(c, i)];
    struct place ret;

    for (int k = 0; k < 2; k++) {
        double m0 = a->length * a->slope[k], m1 = a->length * b->slope[k], d = b->at[k] - a->at[k];
        double second = 3 * d - 2 * m0 - m1, third = m0 + m1 - 2 * d;

        ret.at[k] = a->at[k] + u * (m0 + u * (second + u * third));
        ret.first[k] = m0 + u * (2 * second + u * 3 * third);
        ret.second[k] = 2 * second + u * 6 * third;
    }
    return ret;
}

/* The slopes of both coordinates from the continuity of the second derivative at each point. */
void lk_curve_knots(int n, double (*point)[3], struct lk_curve_knot *ret)
{
    for (int i = 0; i < n; i++) {
        const double *at = point[i], *next = point[(i + 1) % n];

        ret[i] = (struct lk_curve_knot){.at = {at[0], at[1]},
                                        .length = lk_root((next[0] - at[0]) * (next[0] - at[0]) +
                                                          (next[1] - at[1]) * (next[1] - at[1]))};
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < n; i++) {
            const struct lk_curve_knot *a = &ret[(i + n - 1) % n], *b = &ret[(i + 1) % n];
            double p = 1 / a->length, q = 1 / ret[i].length;

            for (int k = 0; k < 2; k++) {
                double come = ret[i].at[k] - a->at[k], go = b->at[k] - ret[i].at[k];

                ret[i].slope[k] =
                    (3 * (come * p * p + go * q * q) - p * a->slope[k] - q * b->slope[k]) /
                    (2 * (p + q));
            }
        }
}

double lk_curve_hollow(const struct lk_curve *c, int *ret_at)
{
    double most = 0;

    *ret_at = 0;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k <= 2; k++) {
            struct place p = place_at(c, i, 0.5 * k);
            double speed = lk_root(dot(p.first, p.first));
            double hollow =
                (p.first[1] * p.second[0] - p.first[0] * p.second[1]) / (speed * speed * speed);

            *ret_at = hollow > most ? i : *ret_at;
            most = fmax(most, hollow);
        }
    return most;
}

/* Find the minimum of a function of the curve next to its lowest point, by Newton's method on its
 * derivative. @p: the function is half the square of the distance from here; NULL: it is the height
 * along @up */
static struct place minimum(const struct lk_curve *c, int lowest, const double *p, const double *up)
{
    const struct lk_curve_knot *knot = &c->knot[lowest];
    const double to[2] = {p ? knot->at[0] - p[0] : up[0], p ? knot->at[1] - p[1] : up[1]};
    int before = lowest > 0 ? lowest - 1 : c->n - 1;
    bool is_after = dot(to, knot->slope) <= 0;
    int i = is_after ? lowest : before;
    double u = is_after ? 0 : 1;
    struct place at = place_at(c, i, u);

    for (int k = 0; k < STEPS; k++) {
        const double arm[2] = {p ? at.at[0] - p[0] : up[0], p ? at.at[1] - p[1] : up[1]};
        double square = dot(at.first, at.first);
        double bend = dot(arm, at.second) + (p ? square : 0);

        u -= dot(arm, at.first) / lk_max(bend, FLAT * square);
        u = lk_min(lk_max(u, 0), 1);
        at = place_at(c, i, u);
    }
    return at;
}

double lk_curve_distance(const struct lk_curve *c, const double p[2], double n[2])
{
    double least = INFINITY, length;
    int nearest = 0;
    struct place at;

    for (int i = 0; i < c->n; i++) {
        const double d[2] = {c->knot[i].at[0] - p[0], c->knot[i].at[1] - p[1]};
        double square = dot(d, d);

        nearest = square < least ? i : nearest;
        least = lk_min(least, square);
    }
    at = minimum(c, nearest, p, NULL);
    length = lk_root(dot(at.first, at.first));
    n[0] = at.first[1] / length;
    n[1] = -at.first[0] / length;
    return n[0] * (p[0] - at.at[0]) + n[1] * (p[1] - at.at[1]);
}

void lk_curve_lowest(const struct lk_curve *c, const double up[2], double ret[2])
{
    double least = INFINITY;
    int lowest = 0;
    struct place at;

    for (int i = 0; i < c->n; i++) {
        double height = dot(c->knot[i].at, up);

        lowest = height < least ? i : lowest;
        least = lk_min(least, height);
    }
    at = minimum(c, lowest, NULL, up);
    ret[0] = at.at[0];
    ret[1] = at.at[1];
}
