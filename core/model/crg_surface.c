/* SPDX-License-Identifier: Apache-2.0 */
/* The surface of an OpenCRG file over the plane.
 *
 * The line is straight from row to row, at the heading of the way. At each row it has a direction
 * across, the mean of the ways before and behind; a place between two rows belongs to the fraction
 * u of the way between their two directions, at its distance v from the straight line. The height
 * is that of the line, and the banking times v, and the grid, linear in u and in v (ASAM
 * OpenCRG 1.2, 3.1 and 5.7). */
#include "crg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK    32   /* ways of the line that are looked for together */
#define BLOCK    64.0 /* side of the squares that share a list of chunks, of the width of the road */
#define TWO_WAYS 0.01 /* heights that differ by more are those of a crossing [m] */

/** struct knot - a row of the line: its place, height, banking, and direction across, to the left,
 * as long as to be at the distance 1 of the line */
struct knot {
    double p[2];
    double z;
    double bank;
    double across[2];
};

/** struct chunk - ways from @first to @last, both included, within @radius of @centre. */
struct chunk {
    int first;
    int last;
    double centre[2];
    double radius;
};

/** struct lk_crg_surface - @reach: distance of the farthest place of the road from its line
 * @near: chunks near the square @block, @n_near of them;  @hint: way of the last place */
struct lk_crg_surface {
    const struct lk_crg *crg;
    double margin;
    double reach;
    struct knot *knot;
    struct chunk *chunk;
    int n_chunks;
    int *near;
    int n_near;
    long block[2];
    int hint;
    int n_crossings;
    double crossing[2];
};

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* ---- the line ---- */

static double heading_of(const struct lk_crg *c, int way)
{
    if (c->phi != NULL)
        return c->phi[way + 1];
    if (isnan(c->heading[0]) && !isnan(c->x[1]) && !isnan(c->y[1]))
        return atan2(c->y[1] - or_zero(c->y[0]), c->x[1] - or_zero(c->x[0]));
    return or_zero(c->heading[0]);
}

static double rise_of(const struct lk_crg *c, int way)
{
    if (c->slope != NULL)
        return c->slope[way + 1];
    if (isnan(c->rise[0]) && !isnan(c->z0[1]))
        return (c->z0[1] - or_zero(c->z0[0])) / (c->step * (c->n - 1));
    return or_zero(c->rise[0]);
}

/* of coordinate @k (x, y, z) over way @way */
static double change_of(const struct lk_crg *c, int way, int k)
{
    double angle = heading_of(c, way);

    return c->step * (k == 0 ? cos(angle) : k == 1 ? sin(angle) : rise_of(c, way));
}

static double *coordinate_of(struct knot *knot, int k)
{
    return k < 2 ? &knot->p[k] : &knot->z;
}

/* coordinate @k of all rows, from the start; the distance from the given end is spread over them.
 * Return: that distance, or 0 without one */
static double draw(struct lk_crg_surface *s, int k)
{
    const struct lk_crg *c = s->crg;
    const double *const ends[3] = {c->x, c->y, c->z0};
    double from = or_zero(ends[k][0]), gap;

    *coordinate_of(&s->knot[0], k) = from;
    for (int i = 1; i < c->n; i++) {
        from += change_of(c, i - 1, k);
        *coordinate_of(&s->knot[i], k) = from;
    }
    gap = isnan(ends[k][1]) ? 0 : ends[k][1] - from;
    for (int i = 1; i < c->n; i++)
        *coordinate_of(&s->knot[i], k) += gap * i / (c->n - 1);
    return gap;
}

/* the normal of the way from @a to @b, to the left */
static void normal_of(const struct knot *a, const struct knot *b, double ret[2])
{
    double x = b->p[0] - a->p[0], y = b->p[1] - a->p[1], length = fmax(hypot(x, y), 1e-12);

    ret[0] = -y / length;
    ret[1] = x / length;
}

static void find_across(struct lk_crg_surface *s)
{
    int n = s->crg->n;

    for (int i = 0; i < n; i++) {
        int a = i > 0 ? i - 1 : 0, b = i < n - 1 ? i + 1 : n - 1;
        double own[2], mean[2], dot;

        normal_of(&s->knot[i < n - 1 ? i : n - 2], &s->knot[i < n - 1 ? i + 1 : n - 1], own);
        normal_of(&s->knot[a], &s->knot[b], mean);
        dot = fmax(own[0] * mean[0] + own[1] * mean[1], 0.1);
        for (int k = 0; k < 2; k++)
            s->knot[i].across[k] = mean[k] / dot;
    }
}

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static void find_chunks(struct lk_crg_surface *s)
{
    int ways = s->crg->n - 1;

    for (int i = 0; i < s->n_chunks; i++) {
        struct chunk *c = &s->chunk[i];

        c->first = i * CHUNK;
        c->last = (i + 1) * CHUNK < ways ? (i + 1) * CHUNK - 1 : ways - 1;
        memcpy(c->centre, s->knot[(c->first + c->last + 1) / 2].p, sizeof(c->centre));
        for (int k = c->first; k <= c->last + 1; k++)
            c->radius = fmax(c->radius, distance(s->knot[k].p, c->centre));
    }
}

int lk_crg_surface_new(const struct lk_crg *crg, double margin, struct lk_crg_surface **ret_surface,
                       double *ret_gap)
{
    struct lk_crg_surface *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return -ENOMEM;
    s->crg = crg;
    s->margin = margin;
    s->n_chunks = (crg->n - 2) / CHUNK + 1;
    s->knot = calloc((size_t)crg->n, sizeof(*s->knot));
    s->chunk = calloc((size_t)s->n_chunks, sizeof(*s->chunk));
    s->near = calloc((size_t)s->n_chunks, sizeof(*s->near));
    s->n_near = -1;
    if (s->knot == NULL || s->chunk == NULL || s->near == NULL) {
        lk_crg_surface_free(s);
        return -ENOMEM;
    }
    s->reach = margin + fmax(fabs(crg->v[0]), fabs(crg->v[crg->n_v - 1]));
    *ret_gap = hypot(draw(s, 0), draw(s, 1));
    draw(s, 2);
    for (int i = 0; i < crg->n; i++)
        s->knot[i].bank = crg->banking != NULL ? crg->banking[i] : or_zero(crg->bank[0]);
    find_across(s);
    find_chunks(s);
    *ret_surface = s;
    return 0;
}

void lk_crg_surface_free(struct lk_crg_surface *s)
{
    if (s == NULL)
        return;
    free(s->knot);
    free(s->chunk);
    free(s->near);
    free(s);
}

/* ---- the height ---- */

/* index of the sections between which @v is, and the fraction of the way */
static int section_of(const struct lk_crg *c, double v, double *ret_fraction)
{
    int low = 0, high = c->n_v - 1;

    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (v >= c->v[middle])
            low = middle;
        else
            high = middle;
    }
    *ret_fraction = fmin(fmax((v - c->v[low]) / (c->v[low + 1] - c->v[low]), 0), 1);
    return low;
}

/* a corner with no weight may be a hole */
static double weighed(double weight, double value)
{
    return weight > 1e-9 ? weight * value : 0;
}

/* at the fraction @u of way @way, at @v; beyond borders and ends as at them */
static double height_at(const struct lk_crg_surface *s, int way, double u, double v)
{
    const struct lk_crg *c = s->crg;
    double inside = fmin(fmax(v, c->v[0]), c->v[c->n_v - 1]), f, g = fmin(fmax(u, 0), 1);
    int k = section_of(c, inside, &f);
    const double *a = c->z + (size_t)way * (size_t)c->n_v + k, *b = a + c->n_v;
    const struct knot *p = &s->knot[way], *q = p + 1;
    double line = p->z + g * (q->z - p->z), bank = p->bank + g * (q->bank - p->bank);

    return line + bank * inside + weighed((1 - g) * (1 - f), a[0]) + weighed((1 - g) * f, a[1]) +
           weighed(g * (1 - f), b[0]) + weighed(g * f, b[1]);
}

/* where @place is along way @way: 0 to 1 between its rows;  @ret_v: to the left of it */
static double along(const struct lk_crg_surface *s, int way, const double place[2], double *ret_v)
{
    const struct knot *p = &s->knot[way], *q = p + 1;
    double n[2], a[2], b[2], v, length;

    normal_of(p, q, n);
    v = (place[0] - p->p[0]) * n[0] + (place[1] - p->p[1]) * n[1];
    for (int k = 0; k < 2; k++) {
        a[k] = p->p[k] + v * p->across[k];
        b[k] = q->p[k] + v * q->across[k];
    }
    *ret_v = v;
    /* along the way, which is the normal turned to the right */
    length = (b[0] - a[0]) * n[1] - (b[1] - a[1]) * n[0];
    return ((place[0] - a[0]) * n[1] - (place[1] - a[1]) * n[0]) / fmax(length, 1e-12);
}

/** struct found - a place on the road. @way: -1: none;  @u: fraction of it;  @v */
struct found {
    int way;
    double u;
    double v;
};

/* whether (u, v) on @way is on the road; before the first row and behind the last within the margin
 */
static int is_on(const struct lk_crg_surface *s, int way, double u, double v)
{
    const struct lk_crg *c = s->crg;
    double beyond = s->margin / c->step + 1e-9;
    double low = way == 0 ? -beyond : -1e-9, high = way == c->n - 2 ? 1 + beyond : 1 + 1e-9;

    return u >= low && u <= high && v >= c->v[0] - s->margin - 1e-9 &&
           v <= c->v[c->n_v - 1] + s->margin + 1e-9;
}

/* from way to way within a chunk, towards @place */
static struct found walk(const struct lk_crg_surface *s, const struct chunk *chunk,
                         const double place[2])
{
    int way = s->hint >= chunk->first && s->hint <= chunk->last ? s->hint
                                                                : (chunk->first + chunk->last) / 2;
    double u = 0, v = 0;

    for (int i = 0; i < 2 * CHUNK; i++) {
        u = along(s, way, place, &v);
        if (u < 0 && way > chunk->first)
            way--;
        else if (u > 1 && way < chunk->last)
            way++;
        else
            break;
    }
    return (struct found){is_on(s, way, u, v) ? way : -1, u, v};
}

/* chunks near the square of @place */
static void find_near(struct lk_crg_surface *s, const double place[2])
{
    double side = BLOCK * s->reach, centre[2], reach = s->reach + s->margin + side;
    long block[2];

    for (int k = 0; k < 2; k++) {
        block[k] = lrint(floor(place[k] / side));
        centre[k] = ((double)block[k] + 0.5) * side;
    }
    if (s->n_near >= 0 && block[0] == s->block[0] && block[1] == s->block[1])
        return;
    memcpy(s->block, block, sizeof(block));
    s->n_near = 0;
    for (int i = 0; i < s->n_chunks; i++)
        if (distance(centre, s->chunk[i].centre) < s->chunk[i].radius + 2 * reach)
            s->near[s->n_near++] = i;
}

static void note_crossing(struct lk_crg_surface *s, const struct found *a, const struct found *b,
                          const double place[2])
{
    double apart = fabs((a->way + a->u) - (b->way + b->u)) * s->crg->step;

    if (apart < 4 * s->reach ||
        fabs(height_at(s, a->way, a->u, a->v) - height_at(s, b->way, b->u, b->v)) < TWO_WAYS)
        return;
    if (s->n_crossings++ == 0)
        memcpy(s->crossing, place, sizeof(s->crossing));
}

double lk_crg_surface_at(void *surface, const double place[2])
{
    struct lk_crg_surface *s = surface;
    struct found best = {-1, 0, 0};

    find_near(s, place);
    for (int i = 0; i < s->n_near; i++) {
        const struct chunk *c = &s->chunk[s->near[i]];
        struct found f;

        if (distance(place, c->centre) > c->radius + 2 * s->reach)
            continue;
        f = walk(s, c, place);
        if (f.way >= 0 && best.way >= 0)
            note_crossing(s, &best, &f, place);
        if (f.way >= 0 && (best.way < 0 || fabs(f.v) < fabs(best.v)))
            best = f;
    }
    if (best.way < 0)
        return NAN;
    s->hint = best.way;
    return height_at(s, best.way, best.u, best.v);
}

void lk_crg_surface_box(const struct lk_crg_surface *s, double ret_low[2], double ret_high[2],
                        double ret_heights[2])
{
    const struct lk_crg *c = s->crg;
    const double side[2] = {c->v[0] - s->margin, c->v[c->n_v - 1] + s->margin};

    for (int k = 0; k < 2; k++) {
        ret_low[k] = INFINITY;
        ret_high[k] = -INFINITY;
    }
    ret_heights[0] = INFINITY;
    ret_heights[1] = -INFINITY;
    for (int i = 0; i < c->n; i++)
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 2; k++) {
                const struct knot *p = &s->knot[i];
                double at = p->p[k] + side[e] * p->across[k];

                if (i == 0 || i == c->n - 1) { /* and the margin behind the ends */
                    ret_low[k] = fmin(ret_low[k], at - s->margin);
                    ret_high[k] = fmax(ret_high[k], at + s->margin);
                }
                ret_low[k] = fmin(ret_low[k], at);
                ret_high[k] = fmax(ret_high[k], at);
                ret_heights[0] = fmin(ret_heights[0], p->z);
                ret_heights[1] = fmax(ret_heights[1], p->z);
            }
}

int lk_crg_surface_crossings(const struct lk_crg_surface *s, double ret_place[2])
{
    memcpy(ret_place, s->crossing, sizeof(s->crossing));
    return s->n_crossings;
}
