/* SPDX-License-Identifier: Apache-2.0 */
/* Borders of lanes as lines, for pictures of a road. */
#include "xodr.h"

#include <math.h>
#include <stdlib.h>

#define STEP       2.0    /* least distance of points [m] */
#define POINTS_MAX 200000 /* largest number of points: longer roads get a longer step */

/** struct lines - lines that are being made. @lost: out of memory */
struct lines {
    int n;
    int room;
    bool lost;
    struct lk_road_point *at;
};

static void add_point(struct lines *l, double x, double y, double z)
{
    if (l->n == l->room) {
        int room = 2 * l->room + 256;
        struct lk_road_point *more = realloc(l->at, (size_t)room * sizeof(*more));

        l->lost |= more == NULL;
        if (more == NULL)
            return;
        l->at = more;
        l->room = room;
    }
    l->at[l->n++] = (struct lk_road_point){{(float)x, (float)y, (float)z}};
}

/* add border @k of section @i from one station to the next, @n of them from @from to @to */
static void add_border(struct lines *l, const struct xodr_road *r, int i, int k, double from,
                       double to, int n)
{
    add_point(l, NAN, 0, 0);
    for (int m = 0; m <= n; m++) {
        /* at its end a section still has its own lanes */
        double s = from + (to - from) * fmin((double)m / n, 1 - 1e-9);
        double t[2 * XODR_LANES_MAX + 1], tangent[2];
        struct xodr_place place;

        xodr_borders(r, i, s, t);
        if (xodr_at(r, s, t[k], &place, tangent))
            add_point(l, place.x, place.y, place.z);
    }
}

static void add_section(struct lines *l, const struct xodr_road *r, int i, double step)
{
    double from = r->section[i].s;
    double to = i + 1 < r->n_sections ? fmin(r->section[i + 1].s, r->length) : r->length;
    int borders = r->section[i].n[0] + r->section[i].n[1] + 1;
    int n = 1 + (int)((to - from) / step);

    for (int k = 0; k < borders && to > from; k++)
        add_border(l, r, i, k, from, to, n);
}

int xodr_lines(const struct xodr *xodr, struct lk_road_point **ret)
{
    struct lines l = {.n = 0};
    double length = 0;

    for (int i = 0; i < xodr->n; i++) {
        const struct xodr_road *r = &xodr->road[i];

        for (int k = 0; k < r->n_sections; k++)
            length += r->length / r->n_sections * (r->section[k].n[0] + r->section[k].n[1] + 1);
    }
    for (int i = 0; i < xodr->n; i++)
        for (int k = 0; k < xodr->road[i].n_sections; k++)
            add_section(&l, &xodr->road[i], k, fmax(STEP, length / POINTS_MAX));
    if (l.lost) {
        free(l.at);
        return -1;
    }
    *ret = l.at;
    return l.n;
}
