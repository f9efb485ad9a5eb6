/* SPDX-License-Identifier: Apache-2.0 */
/* Files of height fields (.road), which `linkage road` writes and roads of type grid use.
 *
 * A file is a head of 80 bytes, the index of the tiles, then the tiles, in the layout of struct
 * lk_road_grid; all numbers are little-endian:
 *
 *     0  "LKROAD1\n"
 *     8  x and y of the first node, distance of nodes in x and in y, base, quantum    six doubles
 *    56  cells in x, cells in y, tiles                                                three int32
 *    68  CRC-32 of all that follows the head                                               uint32
 *    72  1: coefficients of friction follow the tiles                                       int32
 *    76  points of lines, which follow these                                                int32
 *
 * The lines are for pictures: three floats x, y, z for each point [m]; the first point of a line
 * has the x NAN, and nothing else counts of it.
 *
 * Not for the cycle. */
#ifndef LK_MODEL_ROAD_FILE_H
#define LK_MODEL_ROAD_FILE_H

#include "linkage/error.h"
#include "tyre/road_grid.h"
#include <stdbool.h>
#include <stddef.h>

#define LK_ROAD_FILE_MAX  (64u << 20) /* bytes: 14 million cells in tiles */
#define LK_ROAD_CELLS_MAX 1000000     /* in each direction */
#define LK_ROAD_HEAD      80

/** struct lk_road_point - a point of a line for pictures, as in the file [m]. */
struct lk_road_point {
    float at[3];
};

/** struct lk_road_file - a height field and its memory. @crc: CRC-32 of the whole file, as gzip
 * computes it;  @size: size of the file [bytes];  @line: the @n_points points of lines, as in the
 * file */
struct lk_road_file {
    struct lk_road_grid grid;
    uint32_t crc;
    size_t size;
    int32_t *index;
    struct lk_road_tile *tile;
    uint8_t *grip;
    int n_points;
    struct lk_road_point *line;
};

/** lk_road_file_take() - decode a height field from the @size bytes of a file.
 * Return: 0; LK_E_TEXT: @ret_error states what is wrong, "its cells ..., expected ..."; -ENOMEM. */
int lk_road_file_take(const void *bytes, size_t size, struct lk_road_file *ret,
                      struct lk_error *ret_error);

/** lk_road_file_read() - read and decode the file at @path, as lk_road_file_take() does. */
int lk_road_file_read(const char *path, struct lk_road_file *ret, struct lk_error *ret_error);

/** lk_road_file_bytes() - encode @grid and @n_points points of lines as a file on the heap. Return:
 * 0, -ENOMEM. */
int lk_road_file_bytes(const struct lk_road_grid *grid, int n_points,
                       const struct lk_road_point *line, void **ret_bytes, size_t *ret_size);

/** lk_road_file_free() - release the memory of @file, which may be all zero. */
void lk_road_file_free(struct lk_road_file *file);

#define LK_ROAD_PATCH_MAX ((LK_ROAD_NODES + 4) * (LK_ROAD_NODES + 4))

/** struct lk_road_patch - a rectangle of nodes. @first: the number of its first node in x and in y;
 * node i is at @origin + @step * i [m];  @n: nodes in x and in y, LK_ROAD_PATCH_MAX at most */
struct lk_road_patch {
    double origin[2];
    double step[2];
    int first[2];
    int n[2];
};

/** typedef lk_road_patches - callback that computes the heights at the nodes of @patch [m], rows of
 * rising x; NAN: there is no road. Return: false if no node has a height; @z may then be unwritten.
 */
typedef bool lk_road_patches(void *context, const struct lk_road_patch *patch, double *z);

/** typedef lk_road_heights - callback that returns the height at a point [m]; NAN: there is no
 * road. */
typedef double lk_road_heights(void *context, const double place[2]);

/** lk_road_file_fill() - make a height field from its values at the nodes; @heights is called once
 * for each tile. A cell has a surface if its four nodes have heights; tiles without such cells are
 * omitted. The nodes around the surface are extrapolated linearly. At the edges of the grid nodes
 * are mirrored, so that the slope across an edge is 0.
 * @like: origin, step, cells and quantum of the result; base: a height near the heights of the road
 *        [m]
 * Return: 0; LK_E_TEXT: too large, or heights beyond the range of the quantum; -ENOMEM. */
int lk_road_file_fill(const struct lk_road_grid *like, lk_road_patches *heights, void *context,
                      struct lk_road_file *ret, struct lk_error *ret_error);

/** lk_road_file_rub() - set the coefficients of friction of @file from their values in the middle
 * of each cell. @grips: NAN: 1; values beyond 0 .. 2.55 are limited. Return: 0, -ENOMEM. */
int lk_road_file_rub(struct lk_road_file *file, lk_road_patches *grips, void *context);

/** lk_road_area() - compute the area between the corners @low and @high in which @heights gives a
 * height [m^2], sampled at points @step [m] apart. */
double lk_road_area(lk_road_patches *heights, void *context, const double low[2],
                    const double high[2], double step);

/** lk_road_file_build() - make a height field as lk_road_file_fill() does, with a function of a
 * point. */
int lk_road_file_build(const struct lk_road_grid *like, lk_road_heights *heights, void *context,
                       struct lk_road_file *ret, struct lk_error *ret_error);

#endif
