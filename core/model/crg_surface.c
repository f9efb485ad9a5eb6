/* SPDX-License-Identifier: Apache-2.0 */
/* The surface of an OpenCRG file over the plane.
 *
 * The line consists of straight segments from row to row, called ways. Each row has a direction
 * across the line, the bisector of the ways before and behind it. A point between the directions of
 * two rows has the fraction u along the way and the distance v from the straight line. The height
 * is the sum of the height of the line, the banking times v, and the grid, linear in u and in v
 * (ASAM OpenCRG 1.2, 3.1 and 5.7). */
#include "box_tree.h"
#include "crg.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEAN_MIN   0.1   /* least cosine of half the turn at a row */
#define TWO_WAYS   0.01  /* least difference of heights at a crossing [m] */
#define LINE_STEP  2.0   /* least distance of points of a line for pictures [m] */
#define LINE_LEAST 40    /* points of a line of a short road, if it has so many rows */
#define LINE_ROWS  20000 /* largest number of points of such a line */
#define ROUNDING   1e-9  /* tolerance for a fraction of a way, and for v [m] */

/** struct knot - a row of the line: its position, height, banking, and unit direction across, to
 * the left. */
struct knot {
    double p[2];
    double z;
    double bank;
    double across[2];
};

/** struct found - a point on the road. @way: index of its way, -1: none; @u: fraction of the way;
 * @v: distance to the left [m] */
struct found {
    int way;
    double u;
    double v;
};

/** struct lk_crg_surface - the surface. @reach: largest distance of a point of the road from its
 * line [m]
 * @tree: boxes of the ways
 * @found: points on the road for the nodes of a patch */
struct lk_crg_surface {
    const struct lk_crg *crg;
    double margin;
    double reach;
    struct knot *knot;
    struct lk_box_tree tree;
    struct found *found;
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

/* return the change of coordinate @k (x, y, z) over way @way */
static double change_of(const struct lk_crg *c, int way, int k)
{
    double angle = heading_of(c, way);

    return c->step * (k == 0 ? cos(angle) : k == 1 ? sin(angle) : rise_of(c, way));
}

static double *coordinate_of(struct knot *knot, int k)
{
    return k < 2 ? &knot->p[k] : &knot->z;
}

/* Integrate coordinate @k of all rows from the start, and distribute the gap to the given end
 * linearly over them. Return: the gap, or 0 if no end is given. */
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

/* Compute the normal of the way from @a to @b, to the left. */
static void normal_of(const struct knot *a, const struct knot *b, double ret[2])
{
    double x = b->p[0] - a->p[0], y = b->p[1] - a->p[1], length = fmax(hypot(x, y), 1e-12);

    ret[0] = -y / length;
    ret[1] = x / length;
}

/* Find the direction across at each row: the bisector of the ways before and behind it, at which
 * both ways end. */
static void find_across(struct lk_crg_surface *s)
{
    int n = s->crg->n;

    for (int i = 0; i < n; i++) {
        int before = i > 0 ? i - 1 : 0, behind = i < n - 1 ? i : n - 2;
        double a[2], b[2], sum[2], length;

        normal_of(&s->knot[before], &s->knot[before + 1], a);
        normal_of(&s->knot[behind], &s->knot[behind + 1], b);
        for (int k = 0; k < 2; k++)
            sum[k] = a[k] + b[k];
        length = hypot(sum[0], sum[1]);
        for (int k = 0; k < 2; k++) /* a half turn has no bisector */
            s->knot[i].across[k] = length > 1e-6 ? sum[k] / length : b[k];
    }
}

/* ---- ways ---- */

/** struct way - a straight segment of the line and its area.
 * @along, @normal: unit vectors
 * @lean: change of the position along the way with v at both ends, because the directions across
 *        are oblique to the way
 * @low, @high: limits of the fraction of the way;  @side: limits of v [m] */
struct way {
    int index;
    double p[2];
    double along[2];
    double normal[2];
    double length;
    double lean[2];
    double low;
    double high;
    double side[2];
};

static struct way way_of(const struct lk_crg_surface *s, int index)
{
    const struct lk_crg *c = s->crg;
    const struct knot *p = &s->knot[index];
    double beyond = s->margin / c->step;
    struct way w = {
        .index = index,
        .p = {p->p[0], p->p[1]},
        .low = (index == 0 ? -beyond : 0) - ROUNDING,
        .high = (index == c->n - 2 ? 1 + beyond : 1) + ROUNDING,
        .side = {c->v[0] - s->margin - ROUNDING, c->v[c->n_v - 1] + s->margin + ROUNDING}};

    normal_of(p, p + 1, w.normal);
    w.along[0] = w.normal[1];
    w.along[1] = -w.normal[0];
    w.length = (p[1].p[0] - p->p[0]) * w.along[0] + (p[1].p[1] - p->p[1]) * w.along[1];
    for (int e = 0; e < 2; e++) {
        const double *across = p[e].across;

        w.lean[e] = (across[0] * w.along[0] + across[1] * w.along[1]) /
                    fmax(across[0] * w.normal[0] + across[1] * w.normal[1], LEAN_MIN);
    }
    return w;
}

/* Return the length of the way at @v [m]. It is negative on the inner side of a bend, beyond the
 * centre of the bend. */
static double length_at(const struct way *w, double v)
{
    return w->length + v * (w->lean[1] - w->lean[0]);
}

static struct lk_box box_of(const struct way *w)
{
    struct lk_box box = lk_box_empty();

    for (int i = 0; i < 4; i++) {
        double v = w->side[i % 2];
        double s = w->lean[0] * v + (i < 2 ? w->low : w->high) * length_at(w, v);
        double x = w->p[0] + s * w->along[0] + v * w->normal[0];
        double y = w->p[1] + s * w->along[1] + v * w->normal[1];

        lk_box_join(&box, &(struct lk_box){{x, y}, {x, y}});
    }
    return box;
}

static void find_boxes(struct lk_crg_surface *s)
{
    for (int i = 0; i < s->crg->n - 1; i++) {
        struct way w = way_of(s, i);
        struct lk_box box = box_of(&w);

        lk_box_tree_set(&s->tree, i, &box);
    }
    lk_box_tree_close(&s->tree);
}

int lk_crg_surface_new(const struct lk_crg *crg, double margin, struct lk_crg_surface **ret_surface,
                       double *ret_gap)
{
    struct lk_crg_surface *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return -ENOMEM;
    s->crg = crg;
    s->margin = margin;
    s->knot = calloc((size_t)crg->n, sizeof(*s->knot));
    s->found = calloc(LK_ROAD_PATCH_MAX, sizeof(*s->found));
    if (lk_box_tree_new(crg->n - 1, &s->tree) != 0 || s->knot == NULL || s->found == NULL) {
        lk_crg_surface_free(s);
        return -ENOMEM;
    }
    s->reach = margin + fmax(fabs(crg->v[0]), fabs(crg->v[crg->n_v - 1]));
    *ret_gap = hypot(draw(s, 0), draw(s, 1));
    draw(s, 2);
    for (int i = 0; i < crg->n; i++)
        s->knot[i].bank = crg->banking != NULL ? crg->banking[i] : or_zero(crg->bank[0]);
    find_across(s);
    find_boxes(s);
    *ret_surface = s;
    return 0;
}

void lk_crg_surface_free(struct lk_crg_surface *s)
{
    if (s == NULL)
        return;
    free(s->knot);
    lk_box_tree_free(&s->tree);
    free(s->found);
    free(s);
}

/* ---- the height ---- */

/* Return the index of the sections between which @v is, and the fraction of the way between
 * them. */
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

/* return @weight @value, but 0 for weight 0, because such a corner may be a hole (NAN) */
static double weighed(double weight, double value)
{
    return weight > 1e-9 ? weight * value : 0;
}

/* compute the height at the fraction @u of way @way, at @v; constant beyond borders and ends */
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

bool lk_crg_surface_height(const struct lk_crg_surface *s, double u, double v, double *ret)
{
    const struct lk_crg *c = s->crg;
    double at = u / c->step;
    int way = (int)fmin(fmax(floor(at), 0), c->n - 2);

    if (!(at >= -ROUNDING && at <= c->n - 1 + ROUNDING && v >= c->v[0] - ROUNDING &&
          v <= c->v[c->n_v - 1] + ROUNDING))
        return false;
    *ret = height_at(s, way, at - way, v);
    return true;
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

/* ---- patches ---- */

static double place_in(const struct lk_road_patch *patch, int k, int i)
{
    return patch->origin[k] + patch->step[k] * (patch->first[k] + i);
}

/* Find the first and last node in direction @k between @low and @high [m], limited to the patch. */
static void nodes_in(const struct lk_road_patch *patch, int k, double low, double high, int ret[2])
{
    double first = ceil((low - patch->origin[k]) / patch->step[k] - 1e-6) - patch->first[k];
    double last = floor((high - patch->origin[k]) / patch->step[k] + 1e-6) - patch->first[k];

    ret[0] = (int)fmin(fmax(first, 0), patch->n[k]);
    ret[1] = (int)fmin(fmax(last, -1), patch->n[k] - 1);
}

/* Narrow the interval of x from @range[0] to @range[1] so that @at + @slope x >= 0. */
static void cut(double at, double slope, double range[2])
{
    if (slope > 0)
        range[0] = fmax(range[0], -at / slope);
    else if (slope < 0)
        range[1] = fmin(range[1], -at / slope);
    else if (at < 0)
        range[1] = -INFINITY;
}

/* Find the interval of the row of nodes at @y within the area of @w, from @range[0] to
 * @range[1], relative to the beginning of the way [m]. Four straight lines bound it. */
static void range_at(const struct way *w, double y, double range[2])
{
    const double v[2] = {y * w->normal[1], w->normal[0]}, s[2] = {y * w->along[1], w->along[0]};
    double bend = w->lean[1] - w->lean[0];
    double low = w->lean[0] + w->low * bend, high = w->lean[0] + w->high * bend;

    cut(v[0] - w->side[0], v[1], range);
    cut(w->side[1] - v[0], -v[1], range);
    cut(s[0] - low * v[0] - w->low * w->length, s[1] - low * v[1], range);
    cut(high * v[0] + w->high * w->length - s[0], high * v[1] - s[1], range);
}

/* Assign @place to @w if it is within the area of @w; at a crossing, assign it to the nearer
 * line. */
static void find_place(struct lk_crg_surface *s, const struct way *w, const double place[2],
                       struct found *best)
{
    double d[2] = {place[0] - w->p[0], place[1] - w->p[1]};
    double v = d[0] * w->normal[0] + d[1] * w->normal[1];
    double u =
        (d[0] * w->along[0] + d[1] * w->along[1] - v * w->lean[0]) / fmax(length_at(w, v), 1e-12);
    struct found f = {w->index, u, v};

    if (!(u >= w->low && u <= w->high && v >= w->side[0] && v <= w->side[1]))
        return;
    if (best->way >= 0)
        note_crossing(s, best, &f, place);
    if (best->way < 0 || fabs(v) < fabs(best->v))
        *best = f;
}

/** struct search - a patch whose ways are being found. */
struct search {
    struct lk_crg_surface *surface;
    const struct lk_road_patch *patch;
};

static void find_way(void *context, int index)
{
    struct lk_crg_surface *s = ((struct search *)context)->surface;
    const struct lk_road_patch *patch = ((struct search *)context)->patch;
    struct way w = way_of(s, index);
    struct lk_box box = box_of(&w);
    int rows[2], columns[2];

    nodes_in(patch, 1, box.low[1], box.high[1], rows);
    for (int j = rows[0]; j <= rows[1]; j++) {
        double y = place_in(patch, 1, j), range[2] = {box.low[0] - w.p[0], box.high[0] - w.p[0]};

        range_at(&w, y - w.p[1], range);
        nodes_in(patch, 0, w.p[0] + range[0], w.p[0] + range[1], columns);
        for (int i = columns[0]; i <= columns[1]; i++)
            find_place(s, &w, (const double[]){place_in(patch, 0, i), y},
                       &s->found[j * patch->n[0] + i]);
    }
}

bool lk_crg_surface_patch(void *surface, const struct lk_road_patch *patch, double *z)
{
    struct lk_crg_surface *s = surface;
    struct search search = {s, patch};
    struct lk_box box;
    int n = patch->n[0] * patch->n[1];
    bool any = false;

    for (int k = 0; k < 2; k++) { /* one node more on each side, because nodes_in() rounds */
        box.low[k] = place_in(patch, k, -1);
        box.high[k] = place_in(patch, k, patch->n[k]);
    }
    if (!lk_box_touches(&s->tree.box[1], &box))
        return false;
    for (int i = 0; i < n; i++)
        s->found[i].way = -1;
    lk_box_tree_find(&s->tree, &box, find_way, &search);
    for (int i = 0; i < n; i++) {
        const struct found *f = &s->found[i];

        z[i] = f->way >= 0 ? height_at(s, f->way, f->u, f->v) : NAN;
        any |= !isnan(z[i]);
    }
    return any;
}

double lk_crg_surface_at(struct lk_crg_surface *s, const double place[2])
{
    const struct lk_road_patch patch = {
        .origin = {place[0], place[1]}, .step = {1, 1}, .n = {1, 1}};
    double z;

    return lk_crg_surface_patch(s, &patch, &z) ? z : NAN;
}

void lk_crg_surface_box(const struct lk_crg_surface *s, double ret_low[2], double ret_high[2],
                        double ret_heights[2])
{
    memcpy(ret_low, s->tree.box[1].low, 2 * sizeof(double));
    memcpy(ret_high, s->tree.box[1].high, 2 * sizeof(double));
    ret_heights[0] = INFINITY;
    ret_heights[1] = -INFINITY;
    for (int i = 0; i < s->crg->n; i++) {
        ret_heights[0] = fmin(ret_heights[0], s->knot[i].z);
        ret_heights[1] = fmax(ret_heights[1], s->knot[i].z);
    }
}

int lk_crg_surface_crossings(const struct lk_crg_surface *s, double ret_place[2])
{
    memcpy(ret_place, s->crossing, sizeof(s->crossing));
    return s->n_crossings;
}

int lk_crg_surface_lines(const struct lk_crg_surface *s, struct lk_road_point **ret)
{
    const struct lk_crg *c = s->crg;
    const double v[3] = {c->v[0], 0, c->v[c->n_v - 1]};
    int stride = (int)fmin(fmax(LINE_STEP / c->step, c->n / LINE_ROWS), c->n / LINE_LEAST) + 1;
    int n = 0;
    struct lk_road_point *line = calloc(3 * (size_t)(c->n / stride + 3), sizeof(*line));

    if (line == NULL)
        return -ENOMEM;
    for (int k = 0; k < 3; k++) {
        line[n++].at[0] = NAN;
        for (int row = 0;; row = row + stride < c->n - 1 ? row + stride : c->n - 1) {
            const struct knot *p = &s->knot[row];
            int way = row < c->n - 1 ? row : row - 1;
            double z = height_at(s, way, row - way, v[k]);

            line[n].at[0] = (float)(p->p[0] + v[k] * p->across[0]);
            line[n].at[1] = (float)(p->p[1] + v[k] * p->across[1]);
            line[n++].at[2] = isnan(z) ? (float)p->z : (float)z;
            if (row == c->n - 1)
                break;
        }
    }
    *ret = line;
    return n;
}
