/* SPDX-License-Identifier: Apache-2.0 */
/* A picture made of faces and lines in the world, drawn from the farthest to the nearest. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN  0.08 /* margin as a share of the page */
#define CAPTION 40   /* height of the text at the bottom [pixel] */

struct mark *picture_add(struct picture *p, enum mark_kind kind, const double color[4])
{
    static struct mark none;
    struct mark *mark;

    if (p->n == p->room) {
        int room = 2 * p->room + 1024;
        struct mark *grown = realloc(p->mark, (size_t)room * sizeof(*grown));

        if (grown == NULL) {
            p->failed = true;
            return &none;
        }
        p->mark = grown;
        p->room = room;
    }
    mark = &p->mark[p->n++];
    *mark = (struct mark){.kind = kind};
    memcpy(mark->color, color, sizeof(mark->color));
    return mark;
}

struct mark *picture_add_line(struct picture *p, const double a[3], const double b[3], double width,
                              const double color[4])
{
    struct mark *mark = picture_add(p, MARK_LINE, color);

    mark->n = 2;
    mark->width = width;
    memcpy(mark->at[0], a, sizeof(mark->at[0]));
    memcpy(mark->at[1], b, sizeof(mark->at[1]));
    return mark;
}

/* ---- scale ---- */

/* Find the extent of the marks along the page in units of the world. The ground is excluded. */
static bool find_borders(const struct picture *p, double low[2], double high[2])
{
    bool found = false;

    for (int k = 0; k < 2; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int i = 0; i < p->n; i++)
        for (int n = 0; n < p->mark[i].n && !p->mark[i].is_ground; n++) {
            double at[2];

            camera_project(&p->camera, p->mark[i].at[n], at);
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], at[k]);
                high[k] = fmax(high[k], at[k]);
            }
            found = true;
        }
    return found;
}

/* Compute the scale, and move the centre of the view to the middle of the marks. */
static void fit(struct picture *p)
{
    double low[2], high[2],
        room[2] = {p->width * (1 - 2 * MARGIN), (p->height - CAPTION) * (1 - 2 * MARGIN)};
    struct camera *c = &p->camera;

    c->scale = 1;
    c->middle[0] = c->middle[1] = 0;
    if (!find_borders(p, low, high)) {
        low[0] = low[1] = -1;
        high[0] = high[1] = 1;
    }
    c->scale =
        fmin(room[0] / fmax(high[0] - low[0], 1e-300), room[1] / fmax(high[1] - low[1], 1e-300));
    for (int k = 0; k < 3; k++)
        c->center[k] +=
            0.5 * (low[0] + high[0]) * c->right[k] - 0.5 * (low[1] + high[1]) * c->up[k];
    c->middle[0] = 0.5 * p->width;
    c->middle[1] = 0.5 * (p->height - CAPTION);
}

/* ---- page ---- */

/* Clip a line at one border of the page (Liang and Barsky, A New Concept and Method for Line
 * Clipping, 1984).
 * Return: true if a part of the line remains. */
static bool cut(double step, double room, double *from, double *to)
{
    double t;

    if (step == 0)
        return room >= 0;
    t = room / step;
    if (step < 0)
        *from = fmax(*from, t);
    else
        *to = fmin(*to, t);
    return *from <= *to;
}

static bool cut_line(const struct picture *p, struct mark *mark)
{
    double *a = mark->at[0], *b = mark->at[1], d[2] = {b[0] - a[0], b[1] - a[1]};
    double size[2] = {p->width, p->height}, from = 0, to = 1, start[2] = {a[0], a[1]};

    for (int k = 0; k < 2; k++)
        if (!cut(-d[k], start[k], &from, &to) || !cut(d[k], size[k] - start[k], &from, &to))
            return false;
    for (int k = 0; k < 2; k++) {
        b[k] = start[k] + to * d[k];
        a[k] = start[k] + from * d[k];
    }
    return true;
}

static void project(const struct picture *p, struct mark *mark)
{
    mark->depth = 0;
    for (int n = 0; n < mark->n; n++) {
        double at[2];

        mark->depth += camera_depth(&p->camera, mark->at[n]) / mark->n;
        camera_project(&p->camera, mark->at[n], at);
        memcpy(mark->at[n], at, sizeof(at));
    }
}

static int by_depth(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    if (x->layer != y->layer)
        return x->layer - y->layer;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

void picture_finish(struct picture *p)
{
    int kept = 0;

    fit(p);
    for (int i = 0; i < p->n; i++) {
        project(p, &p->mark[i]);
        if (p->mark[i].kind == MARK_LINE && !cut_line(p, &p->mark[i]))
            continue;
        if (kept != i)
            p->mark[kept] = p->mark[i];
        kept++;
    }
    p->n = kept;
    qsort(p->mark, (size_t)p->n, sizeof(*p->mark), by_depth);
}

void picture_note(struct picture *p, double x, double y, const char *text, const double color[4])
{
    struct mark *mark = picture_add(p, MARK_NOTE, color);

    mark->n = 1;
    mark->at[0][0] = x;
    mark->at[0][1] = y;
    snprintf(mark->text, sizeof(mark->text), "%s", text);
}

void picture_stroke(struct picture *p, double x0, double y0, double x1, double y1, double width,
                    const double color[4])
{
    struct mark *mark = picture_add(p, MARK_LINE, color);

    mark->n = 2;
    mark->width = width;
    mark->at[0][0] = x0;
    mark->at[0][1] = y0;
    mark->at[1][0] = x1;
    mark->at[1][1] = y1;
    if (!cut_line(p, mark))
        p->n--;
}
