/* SPDX-License-Identifier: Apache-2.0 */
/* The surface of the roads of an OpenDRIVE file over the plane.
 *
 * Reference lines are divided into chunks. A point belongs to a chunk if it lies between the
 * normals of the line at both ends of the chunk; the foot of its perpendicular is found by regula
 * falsi between them (the Illinois variant), from the rate (p - r(s)) . r'(s) = 0. */
#include "xodr.h"

#include "model/box_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK      2.0  /* largest length of a chunk [m] */
#define CHUNK_TURN 0.2  /* largest turn within a chunk [rad] */
#define GAP        0.01 /* largest gap between pieces and between roads that is closed [m] */
#define FOOT       1e-9 /* accuracy of the foot of a perpendicular [m] */
#define TWO_WAYS   0.01 /* least difference of heights at a crossing [m] */
#define CHUNKS_MAX 4000000

/** struct chunk - a part of a piece of a line, from @d[0] to @d[1] along the piece.
 * @point, @tangent: at both ends;  @beyond: how far a point may lie before and behind it [m]
 * @box: its area */
struct chunk {
    int road;
    int piece;
    double d[2];
    double point[2][2];
    double tangent[2][2];
    double beyond[2];
    struct lk_box box;
};

/** struct found - what lies at a node. @road: index, -1: nothing;  @beyond: distance to the road,
 * @aside: to its line [m] */
struct found {
    int road;
    double s;
    double beyond;
    double aside;
    double z;
    double mu;
};

/** struct xodr_surface - @reach: of each road, the largest distance of its borders from its line */
struct xodr_surface {
    const struct xodr *xodr;
    double margin;
    double ground;
    double *reach;
    int n_chunks;
    struct chunk *chunk;
    struct lk_box_tree tree;
    struct found *found;
    int n_crossings;
    double crossing[2];
};

/* ---- cross-sections ---- */

/** struct cut - a cross-section of a road at @s, and the point in it that is wanted. @section: its
 * lanes, or NULL;  @is_t: @wanted is t, else the distance beside the line in the plane [m]
 * Found: @t;  @aside: distance beside the line, to the left;  @z;  @mu;  @beyond: distance from the
 * road in the section */
struct cut {
    const struct xodr_road *road;
    const struct xodr_section *section;
    double s;
    double cosine;
    double sine;
    double elevation;
    double offset;
    bool is_t;
    double wanted;
    double t;
    double aside;
    double z;
    double mu;
    double beyond;
};

/* Return the shape of the group of pieces at the @s of piece @i, at @t: the last piece of the group
 * that begins before t. */
static double shape_of(const struct xodr_road *r, int i, double t)
{
    double s = r->shape[i].s;
    const struct xodr_cubic *c = NULL;

    while (i > 0 && r->shape[i - 1].s == s)
        i--;
    for (c = &r->shape[i].over_t; i < r->n_shapes && r->shape[i].s == s; i++)
        if (r->shape[i].over_t.s <= t)
            c = &r->shape[i].over_t;
    return xodr_value(&(struct xodr_profile){1, (struct xodr_cubic *)c}, fmax(t, c->s));
}

/* shapes are linear over s between the places where they are given */
static double shape_at(const struct xodr_road *r, double s, double t)
{
    int i = xodr_last(r->shape, r->n_shapes, sizeof(*r->shape), s);
    double part, here;

    if (i < 0)
        return 0;
    here = shape_of(r, i, t);
    if (i + 1 == r->n_shapes)
        return here;
    part = (s - r->shape[i].s) / (r->shape[i + 1].s - r->shape[i].s);
    return here + part * (shape_of(r, i + 1, t) - here);
}

/* return the height of the road at @t, without that of its lanes */
static double ground_at(const struct cut *c, double t)
{
    return c->elevation + t * c->sine + shape_at(c->road, c->s, t);
}

/* return the height of a lane above the road at the fraction @part between its borders */
static double kerb_at(const struct xodr_lane *lane, double s, double part)
{
    int i = xodr_last(lane->kerb, lane->n_kerbs, sizeof(*lane->kerb), s);
    const double *height;

    if (i < 0)
        return 0;
    height = lane->kerb[i].height;
    return height[0] + part * (height[1] - height[0]);
}

static double friction_of(const struct xodr_lane *lane, double s)
{
    int i = xodr_last(lane->friction, lane->n_frictions, sizeof(*lane->friction), s);

    return i < 0 ? NAN : lane->friction[i].mu;
}

/** struct border - a border between lanes: t, the distance beside the line, and the height of a
 * level lane outside it, NAN: the road outside it is not level */
struct border {
    double t;
    double aside;
    double level;
};

/* return the outer border of a lane with the inner border @in, on the side @way, 1 or -1 */
static struct border border_of(const struct cut *c, const struct xodr_lane *lane,
                               const struct border *in, int way)
{
    double width = xodr_value(&lane->width, c->s);
    double t = lane->has_border ? c->offset + width : in->t + way * fmax(width, 0);
    struct border out = {.level = NAN};

    out.t = way * fmax(way * t, way * in->t);
    out.aside = out.t * c->cosine;
    if (lane->is_level) {
        out.aside = in->aside + (out.t - in->t);
        out.level = isnan(in->level) ? ground_at(c, in->t) : in->level;
    }
    return out;
}

/* set the point at the fraction @part between two borders of a lane */
static void take(struct cut *c, const struct xodr_lane *lane, const struct border *in,
                 const struct border *out, double part)
{
    c->t = in->t + part * (out->t - in->t);
    c->aside = in->aside + part * (out->aside - in->aside);
    c->z = isnan(out->level) ? ground_at(c, c->t) : out->level;
    if (lane != NULL) {
        c->z += kerb_at(lane, c->s, part);
        c->mu = friction_of(lane, c->s);
    }
}

/* find the point among the lanes of one side, from the centre outwards */
static void walk(struct cut *c, const struct border *centre, int way)
{
    int side = way > 0 ? 0 : 1, n = c->section != NULL ? c->section->n[side] : 0;
    struct border in = *centre;

    take(c, NULL, &in, &in, 0);
    for (int i = 0; i < n; i++) {
        const struct xodr_lane *lane = &c->section->lane[side][i];
        struct border out = border_of(c, lane, &in, way);
        double from = c->is_t ? in.t : in.aside, to = c->is_t ? out.t : out.aside;
        double part = to != from ? fmin((c->wanted - from) / (to - from), 1) : 1;

        take(c, lane, &in, &out, part);
        in = out;
        if (part < 1)
            break;
    }
    c->beyond = fmax(way * (c->wanted - (c->is_t ? c->t : c->aside)), 0);
    if (c->is_t) { /* beyond its border the road goes on at the same height */
        c->aside += way * c->beyond * c->cosine;
        c->t += way * c->beyond;
    }
}

/* add OpenCRG files of the road; outside of their lines they have no effect */
static void add_grids(struct cut *c)
{
    for (int i = 0; i < c->road->n_crgs; i++) {
        const struct xodr_crg *g = &c->road->crg[i];
        double u = (g->is_reverse ? g->to - c->s : c->s - g->from) - g->offset[0];
        double v = c->t - g->offset[1], z;

        if (c->s < g->from || c->s > g->to ||
            !lk_crg_surface_height(g->surface, u, g->is_reverse ? -v : v, &z))
            continue;
        c->z = (g->replaces ? 0 : c->z) + g->offset[2] + g->scale * z;
    }
}

/* find the wanted point of a section at @s */
static void find_in_section(struct cut *c, const struct xodr_road *road, double s)
{
    int section = xodr_last(road->section, road->n_sections, sizeof(*road->section), s);
    double angle = xodr_value(&road->superelevation, s);
    struct border centre = {.level = NAN};

    c->road = road;
    c->s = s;
    c->section = section < 0 ? NULL : &road->section[section];
    c->cosine = cos(angle);
    c->sine = sin(angle);
    c->elevation = xodr_value(&road->elevation, s);
    c->offset = xodr_value(&road->lane_offset, s);
    c->mu = NAN;
    centre.t = c->offset;
    centre.aside = c->offset * c->cosine;
    walk(c, &centre, c->wanted >= (c->is_t ? centre.t : centre.aside) ? 1 : -1);
    add_grids(c);
}

/* ---- points ---- */

/* return the index of the piece at @s */
static int piece_at(const struct xodr_road *r, double s)
{
    int i = 0;

    while (i + 1 < r->n_pieces && r->piece[i + 1].s <= s)
        i++;
    return i;
}

bool xodr_at(const struct xodr_road *r, double s, double t, struct xodr_place *ret,
             double tangent[2])
{
    const struct xodr_piece *p = &r->piece[piece_at(r, s)];
    struct cut c = {.is_t = true, .wanted = t};
    double point[2], length;

    if (!(s >= 0 && s <= r->length + GAP))
        return false;
    xodr_along(p, s - p->s, point, tangent);
    find_in_section(&c, r, s);
    length = fmax(hypot(tangent[0], tangent[1]), 1e-12);
    *ret = (struct xodr_place){.x = point[0] - c.aside * tangent[1] / length,
                               .y = point[1] + c.aside * tangent[0] / length,
                               .z = c.z,
                               .mu = c.mu};
    return true;
}

int xodr_borders(const struct xodr_road *road, int section, double s,
                 double ret[2 * XODR_LANES_MAX + 1])
{
    const struct xodr_section *lanes = &road->section[section];
    struct cut c = {.is_t = true};
    int n = 0;

    find_in_section(&c, road, s);
    ret[lanes->n[1]] = c.offset;
    for (int side = 0; side < 2; side++) {
        struct border in = {.t = c.offset, .level = 0};

        for (int i = 0; i < lanes->n[side]; i++, n++) {
            in = border_of(&c, &lanes->lane[side][i], &in, side == 0 ? 1 : -1);
            ret[side == 0 ? lanes->n[1] + 1 + i : lanes->n[1] - 1 - i] = in.t;
        }
    }
    return n + 1;
}

/* ---- chunks ---- */

static int chunks_of(const struct xodr_piece *p)
{
    double turn = fmax(fabs(p->curvature[0]), fabs(p->curvature[1])) * p->length;

    return 1 + (int)fmin(fmax(p->length / CHUNK, turn / CHUNK_TURN), CHUNKS_MAX);
}

/* return the largest distance of a border from the line in the section at @s */
static double reach_at(const struct xodr_road *r, double s)
{
    double reach = 0;

    for (int way = -1; way <= 1; way += 2) {
        struct cut c = {.wanted = way * 1e9};

        find_in_section(&c, r, s);
        reach = fmax(reach, fabs(c.aside));
    }
    return reach;
}

static double reach_of(const struct xodr_road *r)
{
    double reach = 0;

    for (int i = 0; i < r->n_sections; i++)
        reach = fmax(reach, reach_at(r, r->section[i].s));
    for (int i = 0; i * 0.5 * CHUNK <= r->length; i++)
        reach = fmax(reach, reach_at(r, i * 0.5 * CHUNK));
    return 1.05 * reach;
}

/* make chunk @i of the @n of a piece */
static void make_chunk(struct xodr_surface *s, int road, int piece, int i, int n)
{
    const struct xodr_road *r = &s->xodr->road[road];
    const struct xodr_piece *p = &r->piece[piece];
    struct chunk *c = &s->chunk[s->n_chunks];

    *c = (struct chunk){
        .road = road,
        .piece = piece,
        .d = {p->length * i / n, p->length * (i + 1) / n},
        .box = lk_box_empty(),
    };
    if (i == 0)
        c->beyond[0] = GAP + (piece == 0 ? s->margin : 0);
    if (i == n - 1)
        c->beyond[1] = GAP + (piece == r->n_pieces - 1 ? s->margin : 0);
    for (int e = 0; e < 2; e++) {
        const double *at = c->point[e];
        double by = s->reach[road] + s->margin + c->beyond[e] + 0.1 * (c->d[1] - c->d[0]) + GAP;

        xodr_along(p, c->d[e], c->point[e], c->tangent[e]);
        lk_box_join(&c->box, &(struct lk_box){{at[0] - by, at[1] - by}, {at[0] + by, at[1] + by}});
    }
    lk_box_tree_set(&s->tree, s->n_chunks++, &c->box);
}

static bool make_chunks(struct xodr_surface *s)
{
    size_t n = 0;

    for (int i = 0; i < s->xodr->n; i++)
        for (int k = 0; k < s->xodr->road[i].n_pieces; k++)
            n += (size_t)chunks_of(&s->xodr->road[i].piece[k]);
    s->chunk = calloc(n, sizeof(*s->chunk));
    if (s->chunk == NULL || lk_box_tree_new((int)n, &s->tree) != 0)
        return false;
    for (int i = 0; i < s->xodr->n; i++) {
        const struct xodr_road *r = &s->xodr->road[i];

        s->reach[i] = reach_of(r);
        for (int k = 0; k < r->n_pieces; k++)
            for (int c = 0, m = chunks_of(&r->piece[k]); c < m; c++)
                make_chunk(s, i, k, c, m);
    }
    lk_box_tree_close(&s->tree);
    return true;
}

struct xodr_surface *xodr_surface_new(const struct xodr *xodr, double margin, double ground)
{
    struct xodr_surface *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->xodr = xodr;
    s->margin = margin;
    s->ground = ground;
    s->reach = calloc((size_t)xodr->n + 1, sizeof(*s->reach));
    s->found = calloc(LK_ROAD_PATCH_MAX, sizeof(*s->found));
    if (s->reach == NULL || s->found == NULL || !make_chunks(s)) {
        xodr_surface_free(s);
        return NULL;
    }
    return s;
}

void xodr_surface_free(struct xodr_surface *s)
{
    if (s == NULL)
        return;
    free(s->reach);
    free(s->chunk);
    free(s->found);
    lk_box_tree_free(&s->tree);
    free(s);
}

void xodr_surface_box(const struct xodr_surface *s, double low[2], double high[2],
                      double heights[2])
{
    memcpy(low, s->tree.box[1].low, 2 * sizeof(*low));
    memcpy(high, s->tree.box[1].high, 2 * sizeof(*high));
    heights[0] = INFINITY;
    heights[1] = -INFINITY;
    for (int i = 0; i < s->n_chunks; i++) {
        const struct xodr_road *r = &s->xodr->road[s->chunk[i].road];
        double z = xodr_value(&r->elevation, r->piece[s->chunk[i].piece].s + s->chunk[i].d[0]);

        heights[0] = fmin(heights[0], z);
        heights[1] = fmax(heights[1], z);
    }
}

/* ---- patches ---- */

/* return (p - r) . r' at the distance @d along a piece, for p = @place, and the point there */
static double rate_at(const struct xodr_piece *p, double d, const double place[2], double point[2],
                      double tangent[2])
{
    xodr_along(p, d, point, tangent);
    return (place[0] - point[0]) * tangent[0] + (place[1] - point[1]) * tangent[1];
}

/* return the rate at end @e of a chunk divided by |r'|: the distance from the normal there [m] */
static double past_end(const struct chunk *c, int e, const double place[2])
{
    const double *t = c->tangent[e];

    return ((place[0] - c->point[e][0]) * t[0] + (place[1] - c->point[e][1]) * t[1]) /
           fmax(hypot(t[0], t[1]), 1e-12);
}

/* Find the foot of the perpendicular from @place to a chunk. @past: distance past the normal at
 * both ends, of opposite signs unless the foot is beyond an end. Return: the distance along the
 * piece. */
static double foot_of(const struct xodr_piece *p, const struct chunk *c, const double place[2],
                      const double past[2], double point[2], double tangent[2])
{
    double a = c->d[0], b = c->d[1], fa, fb, d = a;

    if (past[0] <= 0 || past[1] >= 0) {
        d = past[0] <= 0 ? a + past[0] : b + past[1];
        rate_at(p, d, place, point, tangent);
        return d;
    }
    fa = rate_at(p, a, place, point, tangent);
    fb = rate_at(p, b, place, point, tangent);
    for (int i = 0, kept = 0; i < 60 && b - a > FOOT; i++) {
        double f;

        d = fa > fb ? (b * fa - a * fb) / (fa - fb) : 0.5 * (a + b);
        f = rate_at(p, d, place, point, tangent);
        if (fabs(f) <= FOOT)
            break;
        if (f > 0) {
            a = d;
            fa = f;
            fb *= kept > 0 ? 0.5 : 1; /* the same end has been kept twice */
            kept = 1;
        } else {
            b = d;
            fb = f;
            fa *= kept < 0 ? 0.5 : 1;
            kept = -1;
        }
    }
    return d;
}

/* Return the height at the distance @beyond from a road whose border has the height @z. The margin
 * goes over into level ground by a cubic, level at both ends. */
static double margin_at(const struct xodr_surface *s, double z, double beyond)
{
    double part = s->margin > 0 ? fmin(beyond / s->margin, 1) : 1;

    if (isnan(s->ground) || beyond <= 0)
        return z;
    return z + part * part * (3 - 2 * part) * (s->ground - z);
}

static void note_crossing(struct xodr_surface *s, const struct found *a, const struct found *b,
                          const double place[2])
{
    bool is_same = a->road == b->road && fabs(a->s - b->s) < 4 * s->reach[a->road] + CHUNK;

    if (is_same || a->beyond > 0 || b->beyond > 0 || fabs(a->z - b->z) < TWO_WAYS)
        return;
    if (s->n_crossings++ == 0)
        memcpy(s->crossing, place, sizeof(s->crossing));
}

/* assign @place to a chunk if it is within its area */
static void find_place(struct xodr_surface *s, const struct chunk *c, const double place[2],
                       struct found *best)
{
    const struct xodr_road *r = &s->xodr->road[c->road];
    const struct xodr_piece *p = &r->piece[c->piece];
    const double past[2] = {past_end(c, 0, place), past_end(c, 1, place)};
    double point[2], tangent[2], d, behind;
    struct cut cut = {.is_t = false};
    struct found f = {.road = c->road};

    if (past[0] < -c->beyond[0] || past[1] > c->beyond[1])
        return;
    d = foot_of(p, c, place, past, point, tangent);
    cut.wanted = ((place[1] - point[1]) * tangent[0] - (place[0] - point[0]) * tangent[1]) /
                 fmax(hypot(tangent[0], tangent[1]), 1e-12);
    f.s = fmin(fmax(p->s + fmin(fmax(d, 0), p->length), 0), r->length);
    find_in_section(&cut, r, f.s);
    behind = fmax(fmax(-d, d - p->length) - GAP, 0);
    f.beyond = fmax(cut.beyond - GAP * (cut.beyond < GAP), behind);
    f.aside = fabs(cut.wanted);
    f.z = margin_at(s, cut.z, f.beyond);
    f.mu = cut.mu;
    if (f.beyond > s->margin + FOOT)
        return;
    if (best->road >= 0)
        note_crossing(s, best, &f, place);
    if (best->road < 0 || f.beyond < best->beyond ||
        (f.beyond == best->beyond && f.aside < best->aside))
        *best = f;
}

static double node_at(const struct lk_road_patch *patch, int k, int i)
{
    return patch->origin[k] + patch->step[k] * (patch->first[k] + i);
}

/** struct search - a patch whose chunks are being found. @any: there is one */
struct search {
    struct xodr_surface *surface;
    const struct lk_road_patch *patch;
    bool any;
};

static void find_chunk(void *context, int item)
{
    struct search *search = context;
    struct xodr_surface *s = search->surface;
    const struct lk_road_patch *patch = search->patch;
    const struct chunk *c = &s->chunk[item];
    int from[2], to[2];

    for (int k = 0; k < 2; k++) {
        double low = (c->box.low[k] - node_at(patch, k, 0)) / patch->step[k];
        double high = (c->box.high[k] - node_at(patch, k, 0)) / patch->step[k];

        from[k] = (int)fmin(fmax(ceil(low), 0), patch->n[k]);
        to[k] = (int)fmin(fmax(floor(high), -1), patch->n[k] - 1);
    }
    search->any = true;
    for (int j = from[1]; j <= to[1]; j++)
        for (int i = from[0]; i <= to[0]; i++)
            find_place(s, c, (const double[]){node_at(patch, 0, i), node_at(patch, 1, j)},
                       &s->found[j * patch->n[0] + i]);
}

/* find what lies at each node of a patch. Return: whether there may be anything */
static bool find_patch(struct xodr_surface *s, const struct lk_road_patch *patch)
{
    struct search search = {s, patch, false};
    struct lk_box box;
    int n = patch->n[0] * patch->n[1];

    for (int k = 0; k < 2; k++) {
        box.low[k] = node_at(patch, k, -1);
        box.high[k] = node_at(patch, k, patch->n[k]);
    }
    for (int i = 0; i < n; i++)
        s->found[i].road = -1;
    lk_box_tree_find(&s->tree, &box, find_chunk, &search);
    return search.any;
}

bool xodr_surface_patch(void *surface, const struct lk_road_patch *patch, double *z)
{
    struct xodr_surface *s = surface;
    bool any = false;

    if (!find_patch(s, patch) && isnan(s->ground))
        return false;
    for (int i = 0; i < patch->n[0] * patch->n[1]; i++) {
        z[i] = s->found[i].road >= 0 ? s->found[i].z : s->ground;
        any |= !isnan(z[i]);
    }
    return any;
}

bool xodr_surface_frictions(void *surface, const struct lk_road_patch *patch, double *mu)
{
    struct xodr_surface *s = surface;
    bool any = false;

    if (!find_patch(s, patch))
        return false;
    for (int i = 0; i < patch->n[0] * patch->n[1]; i++) {
        mu[i] = s->found[i].road >= 0 ? s->found[i].mu : NAN;
        any |= !isnan(mu[i]);
    }
    return any;
}

int xodr_surface_crossings(const struct xodr_surface *s, double place[2])
{
    memcpy(place, s->crossing, sizeof(s->crossing));
    return s->n_crossings;
}
