/* SPDX-License-Identifier: Apache-2.0 */
/* Sets roads and tyres from the initial configuration, in the axes of their bodies. */
#include "compile/fill.h"
#include "maths/vec.h"
#include "step/elements/tyres.h"
#include <string.h>

/* Count the numbers of the profiles of all roads: x, y, slope, and an area that is not used. */
static size_t profile_size(const struct lk_model *m)
{
    size_t size = 0;

    for (int i = 0; i < m->n_roads; i++)
        for (int k = 0; k < LK_TRACKS && m->roads[i].kind == LK_ROAD_PROFILE; k++)
            size += 4 * (size_t)m->tables[m->roads[i].profile[k]].n;
    return size;
}

/* Return the bytes of the index of a grid. Its tiles begin at the next cache line. */
static size_t index_size(const struct lk_road_grid *grid)
{
    size_t size = (size_t)lk_road_grid_places(grid) * sizeof(*grid->index);

    return (size + LK_CACHE_LINE - 1) / LK_CACHE_LINE * LK_CACHE_LINE;
}

/* return the bytes of the coefficients of friction of a grid */
static size_t grip_size(const struct lk_road_grid *grid)
{
    return grid->grip != NULL ? (size_t)grid->n_tiles * LK_ROAD_CELLS : 0;
}

static size_t grid_size(const struct lk_model *m)
{
    size_t size = 0;

    for (int i = 0; i < m->n_roads; i++) {
        const struct lk_road_grid *grid = &m->roads[i].grid.grid;

        if (m->roads[i].kind == LK_ROAD_GRID)
            size +=
                index_size(grid) + (size_t)grid->n_tiles * sizeof(*grid->tile) + grip_size(grid);
    }
    return size;
}

void lk_fill_tyres_layout(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    struct lk_tyre_now *now;

    sys->profiles = lk_arena_take(arena, profile_size(d->model), sizeof(double));
    sys->grids = lk_arena_take(arena, grid_size(d->model), 1);
    sys->road = lk_arena_take(arena, (size_t)sys->n_roads, sizeof(*sys->road));
    sys->tyre = lk_arena_take(arena, (size_t)sys->n_tyres, sizeof(*sys->tyre));
    now = lk_arena_take(arena, (size_t)sys->n_tyres, sizeof(*now));
    for (int i = 0; i < sys->n_tyres && arena->base; i++)
        sys->tyre[i].now = now + i;
}

/* return the index in the system of the body to which a road is fixed */
static int carrier_of(const struct lk_system *sys, const struct lk_road_def *def)
{
    return def->body == LK_GROUND ? sys->n_bodies : def->body;
}

/* fill a profile with slope 0 at both ends, because the road continues level beyond them */
static double *fill_profile(const struct lk_table *table, double *at, struct lk_points *ret)
{
    int n = table->n;
    double *x = at, *y = x + n, *slope = y + n, *area = slope + n;

    memcpy(x, table->x, (size_t)n * sizeof(double));
    memcpy(y, table->y, (size_t)n * sizeof(double));
    lk_table_slopes(n, x, y, slope, area);
    slope[0] = slope[n - 1] = 0;
    *ret = (struct lk_points){n, x, y, slope};
    return area + n;
}

static char *fill_grid(const struct lk_road_grid *grid, char *at, struct lk_road_grid *ret)
{
    size_t tiles = (size_t)grid->n_tiles * sizeof(*grid->tile);
    char *tile = at + index_size(grid), *grip = tile + tiles;

    memcpy(at, grid->index, (size_t)lk_road_grid_places(grid) * sizeof(*grid->index));
    memcpy(tile, grid->tile, tiles);
    *ret = *grid;
    ret->index = (const int32_t *)(const void *)at;
    ret->tile = (const struct lk_road_tile *)(const void *)tile;
    if (grid->grip != NULL) {
        memcpy(grip, grid->grip, grip_size(grid));
        ret->grip = (const uint8_t *)grip;
    }
    return grip + grip_size(grid);
}

void lk_fill_roads(struct lk_system *sys, const struct lk_draft *d)
{
    double *at = sys->profiles;
    char *grids = sys->grids;

    for (int i = 0; i < d->model->n_roads; i++) {
        const struct lk_road_def *def = &d->model->roads[i];
        const struct lk_pose *pose = &sys->pose[carrier_of(sys, def)];
        struct lk_road *road = &sys->road[i];
        double arm[3];

        road->kind = def->kind;
        road->samples = def->samples;
        road->ends = def->ends;
        lk_sub(def->point, pose->x, arm);
        lk_rotate_back(pose->R, arm, road->point);
        lk_rotate_back(pose->R, def->normal, road->normal);
        lk_rotate_back(pose->R, def->direction, road->direction);
        for (int k = 0; k < LK_TRACKS && def->kind == LK_ROAD_PROFILE; k++)
            at = fill_profile(&d->model->tables[def->profile[k]], at, &road->profile[k]);
        if (def->kind == LK_ROAD_GRID)
            grids = fill_grid(&def->grid.grid, grids, &road->grid);
    }
}

void lk_fill_tyre_joint(struct lk_system *sys, const struct lk_model *m, int force,
                        struct lk_joint *j)
{
    const struct lk_force_def *f = &m->forces[force];
    const struct lk_tyre_def *def = &m->tyres[f->tyre];
    const struct lk_joint_def *axle = &m->joints[f->joint];
    const struct lk_pose *wheel = &sys->pose[j->body[1]];
    double arm[3];

    lk_sub(axle->point[1], wheel->x, arm);
    lk_rotate_back(wheel->R, arm, j->p[1]);
    lk_rotate_back(wheel->R, axle->axis[1], j->f[1][2]);
    j->tyre = f->tyre;
    j->plane = &sys->tyre[f->tyre].now->plane;
    j->radius = def->radius;
    j->is_by_centre = def->is_by_centre;
}

/* Set the vertical stiffness of a tyre as in MF 6.1: N = S (q1 x + Q_FZ2 x^2)(1 + PFZ1 dp) F0
 * with x = rho / R0, and S = 1 + Q_V2 R0 / V0 |Omega| - (Q_FCX Fx / F0)^2 - (Q_FCY Fy / F0)^2
 * (Besselink et al., 2010). */
static void fill_stiffness(struct lk_tyre *t, const struct lk_tyre_def *def)
{
    const struct lk_tyre_magic *m = &def->law.of.magic;
    double F0, dp, root;

    t->stiffness[0] = def->stiffness;
    if (def->law.kind != LK_TYRE_MF61)
        return;
    F0 = m->LFZO * m->FNOMIN;
    dp = m->NOMPRES > 0 ? (m->pressure - m->NOMPRES) / m->NOMPRES : 0;
    root = def->stiffness * def->radius / F0;
    root = sqrt(fmax(root * root - 4 * m->Q_FZ2, 0));
    t->stiffness[0] = root * F0 / def->radius * (1 + m->PFZ1 * dp);
    t->stiffness[1] = m->Q_FZ2 * F0 / (def->radius * def->radius) * (1 + m->PFZ1 * dp);
    t->swell = m->Q_V2 * def->radius / m->LONGVL;
    t->sag[0] = m->Q_FCX / F0;
    t->sag[1] = m->Q_FCY / F0;
}

static struct lk_grip grip_of(const struct lk_system *sys, double value, int input)
{
    return (struct lk_grip){.value = value, .input = input >= 0 ? lk_fill_signal(sys, input) : -1};
}

static void fill_tyre(struct lk_system *sys, const struct lk_model *m, int block, int force)
{
    int index = m->forces[force].tyre;
    const struct lk_tyre_def *def = &m->tyres[index];
    const struct lk_road_def *road = &m->roads[def->road];
    struct lk_tyre *t = &sys->tyre[index];

    *t = (struct lk_tyre){
        .now = t->now,
        .joint = block,
        .road = def->road,
        .track = def->track,
        .law = def->law,
        .radius = def->radius,
        .width = def->width,
        .damping = def->damping,
        .rim_depth = def->rim_stiffness > 0 ? def->radius - def->rim_radius : INFINITY,
        .rim_stiffness = def->rim_stiffness,
        .delay = {def->lag[0], def->lag[1], def->bore[0] > 0 ? def->bore[1] / def->bore[0] : 0},
        .length = {def->length[0], def->length[1]},
        .carcass = {def->carcass[0], def->carcass[1]},
        .bore = def->bore[0],
        .is_by_centre = def->is_by_centre,
        .speed = def->law.kind == LK_TYRE_TMEASY ? def->law.of.tmeasy.speed : 0,
        .ground = def->ground >= 0 ? lk_fill_signal(sys, def->ground) : -1,
        .grip = {grip_of(sys, road->friction, road->friction_input),
                 grip_of(sys, def->friction, def->friction_input)},
    };
    fill_stiffness(t, def);
    sys->is_tuned |= t->ground >= 0;
}

void lk_fill_tyres(struct lk_system *sys, const struct lk_draft *d)
{
    for (int i = 0; i < d->n_blocks; i++)
        if (d->blocks[i].type == LK_JOINT_TYRE)
            fill_tyre(sys, d->model, i, d->blocks[i].force);
}
