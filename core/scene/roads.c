/* SPDX-License-Identifier: Apache-2.0 */
/* Roads as lines. A plane has no ends, so only its part around the mechanism is drawn. */
#include "maths/vec.h"
#include "sketch.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PLANE_LINES   11  /* number of lines in each direction */
#define PLANE_HALF    1.5 /* half of the drawn part's edge, in sizes of the mechanism */
#define PROFILE_MAX   1000
#define GRID_LINES    9
#define GRID_STATIONS 400
#define LINES_MAX     20000 /* points of the lines of a file beyond which some are left out */

/* struct ground - a road with its axes: along, to the left, up */
struct ground {
    const struct lk_road_def *road;
    double axis[3][3];
};

static void place_on(const struct ground *g, const double at[3], double ret[3])
{
    for (int k = 0; k < 3; k++)
        ret[k] = g->road->point[k] + at[0] * g->axis[0][k] + at[1] * g->axis[1][k] +
                 at[2] * g->axis[2][k];
}

static void add_at(struct lk_sketch *d, const struct ground *g, const double at[3])
{
    double world[3], local[3];

    place_on(g, at, world);
    lk_sketch_local(d, g->road->body, world, local);
    lk_sketch_add_point(d, local);
}

static void begin_line(struct lk_sketch *d, const struct ground *g)
{
    lk_sketch_add(d, LK_SHAPE_LINE, LK_PART_ROAD, g->road->body, g->road->name);
}

/* set the axes; a plane defines no direction along it, so an arbitrary one is chosen */
static void set_axes(struct ground *g)
{
    const struct lk_road_def *r = g->road;
    double along = lk_dot(r->direction, r->normal), first[3];

    for (int k = 0; k < 3; k++)
        first[k] = r->direction[k] - along * r->normal[k];
    if (lk_norm(first) < 0.1) {
        along = r->normal[1];
        for (int k = 0; k < 3; k++)
            first[k] = (k == 1) - along * r->normal[k];
    }
    along = lk_norm(first);
    for (int k = 0; k < 3; k++) {
        g->axis[0][k] = first[k] / along;
        g->axis[2][k] = r->normal[k];
    }
    lk_cross(g->axis[2], g->axis[0], g->axis[1]);
}

/* compute the mean position of the bodies in the initial configuration, in the axes of the road */
static void middle_of(const struct lk_sketch *d, const struct ground *g, double ret[3])
{
    double sum[3] = {0, 0, 0};

    for (int b = 0; b < d->model->n_bodies; b++)
        for (int k = 0; k < 3; k++)
            sum[k] += (d->model->bodies[b].position[k] - g->road->point[k]) / d->model->n_bodies;
    for (int k = 0; k < 3; k++)
        ret[k] = lk_dot(sum, g->axis[k]);
}

static void add_plane(struct lk_sketch *d, const struct ground *g)
{
    double middle[3], half = PLANE_HALF * d->scene->size;

    middle_of(d, g, middle);
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < PLANE_LINES; i++) {
            double at[3] = {0, 0, 0};

            begin_line(d, g);
            at[!way] = middle[!way] + half * (2.0 * i / (PLANE_LINES - 1) - 1);
            for (int end = -1; end <= 1; end += 2) {
                at[way] = middle[way] + end * half;
                add_at(d, g, at);
            }
        }
}

/* return the mean lateral position at which the wheels of a track roll; left is positive */
static double lateral_of(const struct lk_sketch *d, const struct ground *g, enum lk_track track)
{
    const struct lk_model *m = d->model;
    double sum = 0;
    int n = 0;

    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        double arm[3];

        if (f->type != LK_FORCE_TYRE || m->tyres[f->tyre].track != track ||
            &m->roads[m->tyres[f->tyre].road] != g->road)
            continue;
        lk_sub(m->joints[f->joint].point[1], g->road->point, arm);
        sum += lk_dot(arm, g->axis[1]);
        n++;
    }
    return n > 0 ? sum / n : (track == LK_TRACK_LEFT ? 0.5 : -0.5) * d->scene->unit;
}

static void add_profile(struct lk_sketch *d, const struct ground *g)
{
    for (int track = 0; track < LK_TRACKS; track++) {
        const struct lk_table *t = &d->model->tables[g->road->profile[track]];
        double lateral = lateral_of(d, g, (enum lk_track)track);
        int stride = 1 + t->n / PROFILE_MAX;

        begin_line(d, g);
        add_at(d, g, (double[]){t->x[0] - d->scene->size, lateral, t->y[0]});
        for (int i = 0; i < t->n; i += stride)
            add_at(d, g, (double[]){t->x[i], lateral, t->y[i]});
        add_at(d, g, (double[]){t->x[t->n - 1] + d->scene->size, lateral, t->y[t->n - 1]});
    }
}

/* add lines along the grid; a line ends at a hole, and the next line begins after it */
static void add_grid(struct lk_sketch *d, const struct ground *g)
{
    const struct lk_road_grid *grid = &g->road->grid.grid;

    for (int i = 0; i < GRID_LINES; i++) {
        int is_open = 0;

        for (int n = 0; n <= GRID_STATIONS; n++) {
            double at[3];
            struct lk_road_height height;

            at[0] = grid->origin[0] + grid->step[0] * grid->cells[0] * (double)n / GRID_STATIONS;
            at[1] = grid->origin[1] + grid->step[1] * grid->cells[1] * (i + 0.5) / GRID_LINES;
            if (!lk_road_grid_at(grid, at, &height)) {
                is_open = 0;
                continue;
            }
            if (!is_open)
                begin_line(d, g);
            is_open = 1;
            at[2] = height.z;
            add_at(d, g, at);
        }
    }
}

/* add the lines of the file of a grid */
static void add_lines(struct lk_sketch *d, const struct ground *g)
{
    const struct lk_road_file *f = &g->road->grid;
    int stride = 1 + f->n_points / LINES_MAX, last = 0;

    for (int i = 0; i < f->n_points; i++) {
        const float *at = f->line[i].at;
        bool is_end = i + 1 == f->n_points || isnan(f->line[i + 1].at[0]);

        if (isnan(at[0])) {
            begin_line(d, g);
            last = i + 1 - stride;
        } else if (i > 0 && (i - last >= stride || is_end)) {
            add_at(d, g, (double[]){at[0], at[1], at[2]});
            last = i;
        }
    }
}

void lk_sketch_roads(struct lk_sketch *d)
{
    for (int i = 0; i < d->model->n_roads; i++) {
        struct ground g = {.road = &d->model->roads[i]};

        set_axes(&g);
        if (g.road->kind == LK_ROAD_PLANE)
            add_plane(d, &g);
        else if (g.road->kind == LK_ROAD_PROFILE)
            add_profile(d, &g);
        else if (g.road->kind == LK_ROAD_EXTERNAL)
            continue; /* nothing is known of it */
        else if (g.road->grid.n_points > 0)
            add_lines(d, &g);
        else
            add_grid(d, &g);
    }
}
