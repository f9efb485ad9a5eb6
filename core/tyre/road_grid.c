/* SPDX-License-Identifier: Apache-2.0 */
#include "tyre/road_grid.h"
#include "maths/hot.h"
#include <math.h>

/** struct cubic - interpolation in one direction: @cell, and the weights of its four nodes and
 * their derivatives */
struct cubic {
    int cell;
    int is_beyond;
    double weight[4];
    double slope[4];
};

/* compute the cubic at @place, in cells from the first node */
static struct cubic find_cubic(double place, int cells)
{
    double inside = fmin(fmax(place, 0), cells), u;
    struct cubic c = {.is_beyond = inside != place};

    c.cell = (int)inside;
    c.cell -= c.cell == cells;
    u = inside - c.cell;
    c.weight[0] = 0.5 * u * (u * (2 - u) - 1);
    c.weight[1] = 0.5 * (2 + u * u * (3 * u - 5));
    c.weight[2] = 0.5 * u * (1 + u * (4 - 3 * u));
    c.weight[3] = 0.5 * u * u * (u - 1);
    c.slope[0] = 0.5 * (u * (4 - 3 * u) - 1);
    c.slope[1] = 0.5 * u * (9 * u - 10);
    c.slope[2] = 0.5 * (1 + u * (8 - 9 * u));
    c.slope[3] = 0.5 * u * (3 * u - 2);
    return c;
}

static void sum_nodes(const struct lk_road_grid *grid, const int32_t *node, const struct cubic c[2],
                      struct lk_road_height *ret)
{
    double z = 0, slope[2] = {0, 0};

    for (int k = 0; k < 4; k++, node += LK_ROAD_NODES) {
        double value = 0, rise = 0;

        for (int i = 0; i < 4; i++) {
            value += c[0].weight[i] * node[i];
            rise += c[0].slope[i] * node[i];
        }
        z += c[1].weight[k] * value;
        slope[0] += c[1].weight[k] * rise;
        slope[1] += c[1].slope[k] * value;
    }
    ret->z = grid->base + grid->quantum * z;
    for (int i = 0; i < 2; i++) /* beyond an edge the surface is level across the edge */
        ret->slope[i] = c[i].is_beyond ? 0 : grid->quantum * slope[i] / grid->step[i];
    ret->is_beyond = c[0].is_beyond | c[1].is_beyond;
}

int lk_road_grid_at(const struct lk_road_grid *grid, const double place[2],
                    struct lk_road_height *ret)
{
    struct cubic c[2];
    int tile[2], cell[2], index;
    const struct lk_road_tile *t;

    for (int i = 0; i < 2; i++) {
        c[i] = find_cubic((place[i] - grid->origin[i]) / grid->step[i], grid->cells[i]);
        tile[i] = c[i].cell / LK_ROAD_TILE;
        cell[i] = c[i].cell % LK_ROAD_TILE;
    }
    index = grid->index[tile[1] * lk_road_grid_tiles(grid, 0) + tile[0]];
    t = &grid->tile[index >= 0 ? index : 0]; /* without a tile: equal work on the first tile */
    sum_nodes(grid, t->count + cell[1] * LK_ROAD_NODES + cell[0], c, ret);
    ret->grip = 1;
    if (grid->grip) /* the model fixes this branch */
        ret->grip =
            LK_ROAD_GRIP *
            grid->grip[(index >= 0 ? index : 0) * LK_ROAD_CELLS + cell[1] * LK_ROAD_TILE + cell[0]];
    return index >= 0 && ((t->cells[cell[1]] >> cell[0]) & 1);
}
