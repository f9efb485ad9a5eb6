/* SPDX-License-Identifier: Apache-2.0 */
/* A height field over a plane: a grid of equal cells, stored in tiles, so that areas without a road
 * need no memory.
 *
 * Between its nodes the surface is bicubic, by convolution (R. G. Keys, Cubic Convolution
 * Interpolation for Digital Image Processing, 1981, a = -1/2): it interpolates every node, has
 * continuous slopes, and is exact for heights that are quadratic in either coordinate. Next to a
 * jump it overshoots by up to 7 % of the jump. The work is the same everywhere. Thread: any. RT:
 * yes. */
#ifndef LK_TYRE_ROAD_GRID_H
#define LK_TYRE_ROAD_GRID_H

#include <stdint.h>

#define LK_ROAD_TILE  64                 /* cells along the side of a tile */
#define LK_ROAD_NODES (LK_ROAD_TILE + 3) /* nodes along the side that determine the surface */
#define LK_ROAD_CELLS (LK_ROAD_TILE * LK_ROAD_TILE)
#define LK_ROAD_GRIP  0.01 /* unit of the coefficients of friction in cells */

/** struct lk_road_tile - 64 by 64 cells. @cells: bit i of word j: cell (i, j) has a surface
 * @count: heights of the nodes, starting with the nodes before the first cell, row by row, x
 *         increasing; one more entry is 0 */
struct lk_road_tile {
    uint64_t cells[LK_ROAD_TILE];
    int32_t count[LK_ROAD_NODES * LK_ROAD_NODES + 1];
};

/** struct lk_road_grid - a height field z = base + quantum * count over x and y [m]. @origin:
 * position of the first node;  @step: distance of the nodes;  @cells: number of cells in x and in
 * y
 * @index: index of each tile in @tile, or -1; row by row, x increasing; the last tile of a row
 *         may be partial
 * @tile:  the @n_tiles tiles
 * @grip:  coefficient of friction of each cell of each tile, row by row, in units of LK_ROAD_GRIP;
 *         NULL: 1 everywhere */
struct lk_road_grid {
    double origin[2];
    double step[2];
    double base;
    double quantum;
    int cells[2];
    int n_tiles;
    const int32_t *index;
    const struct lk_road_tile *tile;
    const uint8_t *grip;
};

/** lk_road_grid_tiles() - return the number of tiles in direction @i. lk_road_grid_places() -
 * return the number of tiles of the whole grid. RT: yes. */
static inline int lk_road_grid_tiles(const struct lk_road_grid *grid, int i)
{
    return (grid->cells[i] + LK_ROAD_TILE - 1) / LK_ROAD_TILE;
}
static inline int lk_road_grid_places(const struct lk_road_grid *grid)
{
    return lk_road_grid_tiles(grid, 0) * lk_road_grid_tiles(grid, 1);
}

/** struct lk_road_height - height @z [m] and its derivatives with respect to x and y.
 * @grip: coefficient of friction of the cell
 * @is_beyond: the place is outside the grid, and the values are those at the nearest edge */
struct lk_road_height {
    double z;
    double slope[2];
    double grip;
    int is_beyond;
};

/** lk_road_grid_at() - compute the surface at @place. Return: whether there is a surface. */
int lk_road_grid_at(const struct lk_road_grid *grid, const double place[2],
                    struct lk_road_height *ret);

#endif
