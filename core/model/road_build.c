/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a height field from a function, tile by tile. */
#include "model/road_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define AROUND    (LK_ROAD_NODES + 4) /* nodes of a tile plus a border of two, for extrapolation */
#define COUNT_MAX 2000000000.0

/** struct builder - state of the construction of a height field. @like: properties of the result
 * @node: heights of the present tile and its border [m], NAN: no road
 * @z: heights of those nodes that are within the grid, as @heights returns them
 * @room: capacity of f->tile in tiles */
struct builder {
    const struct lk_road_grid *like;
    lk_road_patches *heights;
    void *context;
    double z[LK_ROAD_PATCH_MAX];
    double node[AROUND][AROUND];
    struct lk_road_file f;
    int room;
};

/* Compute the heights of the tile at @column, @row and its border. Beyond an edge of the grid
 * the heights are mirrored, so that the slope across the edge is 0. Return: false if there is no
 * road. */
static bool fetch(struct builder *b, int column, int row)
{
    const struct lk_road_grid *g = b->like;
    const int begin[2] = {column * LK_ROAD_TILE - 3, row * LK_ROAD_TILE - 3};
    struct lk_road_patch patch;
    int from[2][AROUND]; /* index in the patch of each node around the tile */

    for (int k = 0; k < 2; k++) {
        int last = begin[k] + AROUND - 1;

        patch.origin[k] = g->origin[k];
        patch.step[k] = g->step[k];
        patch.first[k] = begin[k] > 0 ? begin[k] : 0;
        patch.n[k] = (last < g->cells[k] ? last : g->cells[k]) - patch.first[k] + 1;
        for (int i = 0; i < AROUND; i++) {
            int at = begin[k] + i;

            at = (at < 0 ? -at : at > g->cells[k] ? 2 * g->cells[k] - at : at) - patch.first[k];
            from[k][i] = at < 0 ? 0 : at > patch.n[k] - 1 ? patch.n[k] - 1 : at;
        }
    }
    if (!b->heights(b->context, &patch, b->z))
        return false;
    for (int j = 0; j < AROUND; j++)
        for (int i = 0; i < AROUND; i++)
            b->node[j][i] = b->z[from[1][j] * patch.n[0] + from[0][i]];
    return true;
}

/* Extrapolate a node without road: use the mean of linear extrapolations from eight directions,
 * or else the mean of its neighbours */
static double go_on(const struct builder *b, int i, int j)
{
    double sum[2] = {0, 0};
    int n[2] = {0, 0};

    for (int k = 0; k < 9; k++) {
        int di = k % 3 - 1, dj = k / 3 - 1;
        double near, far;

        if (k == 4)
            continue;
        near = b->node[j + dj][i + di];
        far = b->node[j + 2 * dj][i + 2 * di];
        if (!isnan(near) && !isnan(far)) {
            sum[0] += 2 * near - far;
            n[0]++;
        } else if (!isnan(near)) {
            sum[1] += near;
            n[1]++;
        }
    }
    return n[0] > 0 ? sum[0] / n[0] : n[1] > 0 ? sum[1] / n[1] : NAN;
}

/* return whether cell (i, j) of the tile at @column, @row is in the grid and has a surface */
static bool has_surface(const struct builder *b, int column, int row, int i, int j)
{
    if (column * LK_ROAD_TILE + i >= b->like->cells[0] ||
        row * LK_ROAD_TILE + j >= b->like->cells[1])
        return false;
    return !isnan(b->node[j + 3][i + 3]) && !isnan(b->node[j + 3][i + 4]) &&
           !isnan(b->node[j + 4][i + 3]) && !isnan(b->node[j + 4][i + 4]);
}

static int make_room(struct builder *b, struct lk_error *err)
{
    struct lk_road_tile *tile;

    if (((size_t)b->f.grid.n_tiles + 1) * sizeof(*tile) > LK_ROAD_FILE_MAX) {
        lk_error_set(err, "the road needs more than %u MiB, expected fewer or larger cells",
                     LK_ROAD_FILE_MAX >> 20);
        return LK_E_TEXT;
    }
    if (b->f.grid.n_tiles < b->room)
        return 0;
    b->room = b->room == 0 ? 16 : 2 * b->room;
    tile = realloc(b->f.tile, (size_t)b->room * sizeof(*tile));
    if (tile == NULL)
        return -ENOMEM;
    b->f.tile = tile;
    return 0;
}

static int fill_nodes(const struct builder *b, struct lk_road_tile *t, struct lk_error *err)
{
    for (int j = 0; j < LK_ROAD_NODES; j++)
        for (int i = 0; i < LK_ROAD_NODES; i++) {
            double z = b->node[j + 2][i + 2], count;

            z = isnan(z) ? go_on(b, i + 2, j + 2) : z;
            count = isnan(z) ? 0 : rint((z - b->like->base) / b->like->quantum);
            if (!(fabs(count) <= COUNT_MAX)) {
                lk_error_set(err, "a height of %g m, expected one within %g m of %g m", z,
                             COUNT_MAX * b->like->quantum, b->like->base);
                return LK_E_TEXT;
            }
            t->count[j * LK_ROAD_NODES + i] = (int32_t)count;
        }
    return 0;
}

static int build_tile(struct builder *b, int column, int row, int32_t *ret_index,
                      struct lk_error *err)
{
    struct lk_road_tile *t;
    uint64_t any = 0;
    int result;

    *ret_index = -1;
    if (!fetch(b, column, row))
        return 0;
    result = make_room(b, err);
    if (result != 0)
        return result;
    t = &b->f.tile[b->f.grid.n_tiles];
    memset(t, 0, sizeof(*t));
    for (int j = 0; j < LK_ROAD_TILE; j++) {
        for (int i = 0; i < LK_ROAD_TILE; i++)
            t->cells[j] |= (uint64_t)has_surface(b, column, row, i, j) << i;
        any |= t->cells[j];
    }
    *ret_index = any != 0 ? b->f.grid.n_tiles++ : -1;
    return any != 0 ? fill_nodes(b, t, err) : 0;
}

static int build_all(struct builder *b, struct lk_error *err)
{
    int columns = lk_road_grid_tiles(b->like, 0), rows = lk_road_grid_tiles(b->like, 1);
    int result = 0;

    if ((size_t)columns * (size_t)rows * 4 > LK_ROAD_FILE_MAX) {
        lk_error_set(err, "%d by %d cells are too many", b->like->cells[0], b->like->cells[1]);
        return LK_E_TEXT;
    }
    b->f.index = malloc((size_t)columns * (size_t)rows * 4);
    if (b->f.index == NULL)
        return -ENOMEM;
    for (int row = 0; row < rows && result == 0; row++)
        for (int column = 0; column < columns && result == 0; column++)
            result = build_tile(b, column, row, &b->f.index[row * columns + column], err);
    if (result == 0 && b->f.grid.n_tiles == 0) {
        lk_error_set(err, "no cell of the grid has a road");
        return LK_E_TEXT;
    }
    return result;
}

int lk_road_file_fill(const struct lk_road_grid *like, lk_road_patches *heights, void *context,
                      struct lk_road_file *ret, struct lk_error *err)
{
    struct builder *b = calloc(1, sizeof(*b));
    int result;

    if (b == NULL)
        return -ENOMEM;
    b->like = like;
    b->heights = heights;
    b->context = context;
    b->f.grid = *like;
    b->f.grid.n_tiles = 0;
    result = build_all(b, err);
    b->f.grid.index = b->f.index;
    b->f.grid.tile = b->f.tile;
    if (result == 0)
        *ret = b->f;
    else
        lk_road_file_free(&b->f);
    free(b);
    return result;
}

/** struct places - callback for the height at a point. */
struct places {
    lk_road_heights *heights;
    void *context;
};

static bool ask_each(void *context, const struct lk_road_patch *patch, double *z)
{
    const struct places *p = context;
    bool any = false;

    for (int j = 0; j < patch->n[1]; j++)
        for (int i = 0; i < patch->n[0]; i++) {
            double place[2] = {patch->origin[0] + patch->step[0] * (patch->first[0] + i),
                               patch->origin[1] + patch->step[1] * (patch->first[1] + j)};

            *z = p->heights(p->context, place);
            any |= !isnan(*z++);
        }
    return any;
}

int lk_road_file_build(const struct lk_road_grid *like, lk_road_heights *heights, void *context,
                       struct lk_road_file *ret, struct lk_error *err)
{
    struct places places = {heights, context};

    return lk_road_file_fill(like, ask_each, &places, ret, err);
}

/* ---- friction and area ---- */

static void rub_tile(const struct lk_road_grid *g, int tile, const double *mu, uint8_t *grip)
{
    for (int i = 0; i < LK_ROAD_CELLS; i++) {
        double value = isnan(mu[i]) ? 1 : mu[i];

        grip[g->index[tile] * LK_ROAD_CELLS + i] =
            (uint8_t)fmin(fmax(rint(value / LK_ROAD_GRIP), 0), UINT8_MAX);
    }
}

int lk_road_file_rub(struct lk_road_file *file, lk_road_patches *grips, void *context)
{
    struct lk_road_grid *g = &file->grid;
    double mu[LK_ROAD_CELLS];

    file->grip = calloc((size_t)g->n_tiles, LK_ROAD_CELLS);
    if (file->grip == NULL)
        return -ENOMEM;
    g->grip = file->grip;
    for (int tile = 0; tile < lk_road_grid_places(g); tile++) {
        const struct lk_road_patch patch = {
            .origin = {g->origin[0] + 0.5 * g->step[0], g->origin[1] + 0.5 * g->step[1]},
            .step = {g->step[0], g->step[1]},
            .first = {tile % lk_road_grid_tiles(g, 0) * LK_ROAD_TILE,
                      tile / lk_road_grid_tiles(g, 0) * LK_ROAD_TILE},
            .n = {LK_ROAD_TILE, LK_ROAD_TILE}};

        if (g->index[tile] < 0)
            continue;
        for (int i = 0; i < LK_ROAD_CELLS; i++)
            mu[i] = NAN;
        grips(context, &patch, mu);
        rub_tile(g, tile, mu, file->grip);
    }
    return 0;
}

double lk_road_area(lk_road_patches *heights, void *context, const double low[2],
                    const double high[2], double step)
{
    double z[LK_ROAD_CELLS], n = 0;
    int patches[2];

    for (int k = 0; k < 2; k++)
        patches[k] = (int)((high[k] - low[k]) / step / LK_ROAD_TILE) + 1;
    for (int i = 0; i < patches[0] * patches[1]; i++) {
        const struct lk_road_patch patch = {
            .origin = {low[0], low[1]},
            .step = {step, step},
            .first = {i % patches[0] * LK_ROAD_TILE, i / patches[0] * LK_ROAD_TILE},
            .n = {LK_ROAD_TILE, LK_ROAD_TILE}};

        if (!heights(context, &patch, z))
            continue;
        for (int k = 0; k < LK_ROAD_CELLS; k++) {
            double x = low[0] + step * (patch.first[0] + k % LK_ROAD_TILE);
            double y = low[1] + step * (patch.first[1] + k / LK_ROAD_TILE);

            n += !isnan(z[k]) && x <= high[0] && y <= high[1];
        }
    }
    return n * step * step;
}
