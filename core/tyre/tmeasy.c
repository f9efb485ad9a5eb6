/* SPDX-License-Identifier: Apache-2.0 */
/* TMeasy: G. Rill, Road Vehicle Dynamics, 2011; the curves as in S. Frank, TMeasyExternal, 2025.
 * The slips of TMeasy are divided by the speed of rolling r |Omega|, not by the speed of the wheel:
 * kappa and -tan alpha of struct lk_tyre_slip are sx and sy here. Longitudinal and lateral slip are
 * normalised; one curve over the generalised slip yields the force. */
#include "maths/vec.h"
#include "tyre/tyre.h"

#define LOAD_MIN 1e-3 /* least load / nominal load: below it curves have constant shape */
#define LOAD_MAX 4

/** struct curve - curve of one direction, or of a generalised one, at the present load */
struct curve {
    double initial;
    double slip_max;
    double force_max;
    double slip_slide;
    double force_slide;
};

/* return the value at @z times the nominal load: a parabola through zero and both given
 * values */
static double force_at(const double y[2], double z)
{
    return lk_max(0.1 * z * y[0], z * (2 * y[0] - 0.5 * y[1] - (y[0] - 0.5 * y[1]) * z));
}

static double slip_at(const double s[2], double z)
{
    return lk_max(0.1 * s[0], s[0] + (s[1] - s[0]) * (z - 1));
}

static struct curve curve_at(const struct lk_tyre_curve *c, double z, double friction)
{
    return (struct curve){
        .initial = force_at(c->initial, z),
        .slip_max = slip_at(c->slip_max, z) * friction,
        .force_max = force_at(c->force_max, z) * friction,
        .slip_slide = slip_at(c->slip_slide, z) * friction,
        .force_slide = force_at(c->force_slide, z) * friction,
    };
}

/* Compute the factors that normalise both slips. */
static void normalise(const struct curve c[2], double ret[2])
{
    double lead[2] = {c[0].force_max / c[0].initial, c[1].force_max / c[1].initial};

    for (int i = 0; i < 2; i++)
        ret[i] = c[i].slip_max / (c[0].slip_max + c[1].slip_max) + lead[i] / (lead[0] + lead[1]);
}

/* compute the curve in the direction (cos, sin) of the normalised slips */
static struct curve generalise(const struct curve c[2], const double norm[2], const double dir[2])
{
    const double *x = &c[0].initial, *y = &c[1].initial;
    double both[5];

    for (int i = 0; i < 5; i++) {
        double is_force = i == 2 || i == 4, is_slope = i == 0;
        double a = x[i] * (is_slope ? norm[0] : is_force ? 1 : 1 / norm[0]) * dir[0];
        double b = y[i] * (is_slope ? norm[1] : is_force ? 1 : 1 / norm[1]) * dir[1];

        both[i] = lk_root(a * a + b * b);
    }
    return (struct curve){.initial = lk_max(2 * both[2] / both[1], both[0]),
                          .slip_max = both[1],
                          .force_max = both[2],
                          .slip_slide = both[3],
                          .force_slide = both[4]};
}

/* Return the force between the peak and sliding. The curve consists of two parabolas, or of one
 * cubic if the parabolas would meet beyond the start of sliding. */
static double fall(const struct curve *g, double s)
{
    double steep = g->force_max / g->slip_max;
    double A = steep * steep / (g->initial * g->slip_max);
    double drop = g->force_max - g->force_slide, width = g->slip_slide - g->slip_max;
    double meet = g->slip_max + drop / (A * width);

    if (meet >= g->slip_slide) {
        double y = (s - g->slip_max) / width;

        return g->force_max - drop * y * y * (3 - 2 * y);
    }
    if (s <= meet)
        return g->force_max - A * (s - g->slip_max) * (s - g->slip_max);
    return g->force_slide + A * (meet - g->slip_max) / (g->slip_slide - meet) *
                                (g->slip_slide - s) * (g->slip_slide - s);
}

/* Return the force divided by the slip. */
static double secant(const struct curve *g, double s)
{
    if (s < g->slip_max) {
        double x = s / g->slip_max;

        return g->initial / (1 + x * (x + g->initial * g->slip_max / g->force_max - 2));
    }
    return (s >= g->slip_slide ? g->force_slide : fall(g, s)) / s;
}

/* return the ratio of pneumatic trail and length of the contact. With increasing slip the ratio
 * falls to zero, changes its sign, and ends at zero. */
static double trail_at(const struct lk_tyre_tmeasy *p, double z, double size)
{
    double zero = slip_at(p->trail_zero, z), end = slip_at(p->trail_end, z), u = size / end;
    double sum = zero + end;

    if (size >= end)
        return 0;
    return slip_at(p->trail, z) *
           (1 + u * u / (zero * zero) *
                    (-(2 * zero * zero + sum * sum) +
                     size * (2 * sum * sum / end - size * (2 * zero + end) / end)));
}

void lk_tyre_tmeasy(const struct lk_tyre_tmeasy *p, const struct lk_tyre_slip *slip,
                    struct lk_tyre_forces *ret)
{
    double z = lk_min(LOAD_MAX, lk_max(LOAD_MIN, slip->load / p->load));
    double share =
        lk_min(1, slip->load / (LOAD_MIN * p->load)); /* light loads: force proportional to load */
    struct curve c[2] = {curve_at(&p->curve[0], z, slip->friction),
                         curve_at(&p->curve[1], z, slip->friction)};
    double norm[2], n[2], s, f, length, trail;
    double dir[2] = {1, 0};
    struct curve g;

    normalise(c, norm);
    n[0] = slip->kappa / norm[0];
    n[1] = -slip->slope / norm[1];
    s = lk_root(n[0] * n[0] + n[1] * n[1]);
    for (int i = 0; i < 2 && s > 0; i++)
        dir[i] = n[i] / s;
    g = generalise(c, norm, dir);
    f = secant(&g, s) * share;
    length = 2 * lk_root(p->radius * slip->load / p->stiffness);
    trail = length * trail_at(p, z, fabs(slip->slope)) * fabs(dir[1]);
    *ret = (struct lk_tyre_forces){
        .fx = f * n[0],
        .fy = f * n[1],
        .my = -p->rolling * slip->load * p->radius,
        .mz = -trail * f * n[1],
        .secant = {f / norm[0], f / norm[1]},
        .stiffness = {c[0].initial * share, c[1].initial * share},
        .grip = c[1].force_max * share,
    };
}
