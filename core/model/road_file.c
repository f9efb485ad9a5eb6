/* SPDX-License-Identifier: Apache-2.0 */
#include "model/road_file.h"
#include "linkage/crc.h"
#include "linkage/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are copied as they are");
_Static_assert(sizeof(struct lk_road_tile) == 18472, "tiles have no padding");

static const char mark[8] = "LKROAD1\n";

#define NUMBER_MAX 1e9 /* largest magnitude of a coordinate [m] */

/** struct head - head of a file, in the layout of the file. */
struct head {
    char mark[8];
    double origin[2];
    double step[2];
    double base;
    double quantum;
    int32_t cells[2];
    int32_t n_tiles;
    uint32_t crc;
    int32_t has_grip;
    int32_t n_points;
};

_Static_assert(sizeof(struct head) == LK_ROAD_HEAD, "the head has no padding");

/* ---- read ---- */

static int refuse_head(struct lk_error *err, const char *what, double value, const char *expected)
{
    lk_error_set(err, "its %s is %g, expected %s", what, value, expected);
    return LK_E_TEXT;
}

static int check_head(const struct head *h, struct lk_error *err)
{
    if (memcmp(h->mark, mark, sizeof(mark)) != 0) {
        lk_error_set(err, "it is no road: it does not begin with LKROAD1, expected a file that "
                          "'linkage road' wrote");
        return LK_E_TEXT;
    }
    for (int i = 0; i < 2; i++) {
        if (!(fabs(h->origin[i]) <= NUMBER_MAX))
            return refuse_head(err, "first node", h->origin[i], "a place within 1e9 m");
        if (!(h->step[i] >= 1e-3 && h->step[i] <= 1e3))
            return refuse_head(err, "distance of nodes", h->step[i], "1 mm to 1 km");
        if (h->cells[i] < 1 || h->cells[i] > LK_ROAD_CELLS_MAX)
            return refuse_head(err, "number of cells", h->cells[i], "1 to 1000000");
    }
    if (!(fabs(h->base) <= NUMBER_MAX))
        return refuse_head(err, "base", h->base, "a height within 1e9 m");
    if (!(h->quantum >= 1e-12 && h->quantum <= 1e-3))
        return refuse_head(err, "quantum", h->quantum, "1e-12 to 1e-3 m");
    if (h->n_tiles < 1)
        return refuse_head(err, "number of tiles", h->n_tiles, "at least one");
    if (h->has_grip != 0 && h->has_grip != 1)
        return refuse_head(err, "mark of friction", h->has_grip, "0 or 1");
    if (h->n_points < 0)
        return refuse_head(err, "number of points of lines", h->n_points, "none or more");
    return 0;
}

static int check_index(const struct lk_road_file *f, struct lk_error *err)
{
    int places = lk_road_grid_places(&f->grid);

    for (int i = 0; i < places; i++)
        if (f->index[i] < -1 || f->index[i] >= f->grid.n_tiles) {
            lk_error_set(err, "place %d names tile %d, expected -1 to %d", i, (int)f->index[i],
                         f->grid.n_tiles - 1);
            return LK_E_TEXT;
        }
    return 0;
}

static int check_lines(const struct lk_road_file *f, struct lk_error *err)
{
    for (int i = 0; i < f->n_points; i++)
        for (int k = 0; k < 3; k++)
            if (!isnan(f->line[i].at[0]) && !(fabsf(f->line[i].at[k]) <= (float)NUMBER_MAX)) {
                lk_error_set(err, "point %d of its lines is %g, expected a place within 1e9 m", i,
                             (double)f->line[i].at[k]);
                return LK_E_TEXT;
            }
    return 0;
}

/* read the index and the tiles; their sizes are known from the head */
static int take_body(const struct head *h, const char *body, size_t size, struct lk_road_file *f,
                     struct lk_error *err)
{
    size_t places = (size_t)lk_road_grid_places(&f->grid);
    size_t tiles = (size_t)h->n_tiles * sizeof(*f->tile);
    size_t grips = h->has_grip ? (size_t)h->n_tiles * LK_ROAD_CELLS : 0;
    size_t lines = (size_t)h->n_points * sizeof(*f->line);
    size_t wanted = places * 4 + tiles + grips + lines;
    int result;

    if (size != wanted) {
        lk_error_set(err,
                     "it has %zu bytes after its head, expected %zu for %d tiles in %zu places",
                     size, wanted, (int)h->n_tiles, places);
        return LK_E_TEXT;
    }
    if (lk_crc32(0, body, size) != h->crc) {
        lk_error_set(err, "its checksum is not that of its content: it was damaged or changed");
        return LK_E_TEXT;
    }
    f->index = malloc(places * 4);
    f->tile = malloc(tiles);
    f->grip = grips > 0 ? malloc(grips) : NULL;
    f->line = malloc(lines + 1);
    if (f->index == NULL || f->tile == NULL || (grips > 0 && f->grip == NULL) || f->line == NULL)
        return -ENOMEM;
    memcpy(f->index, body, places * 4);
    memcpy(f->tile, body + places * 4, tiles);
    if (grips > 0)
        memcpy(f->grip, body + places * 4 + tiles, grips);
    memcpy(f->line, body + places * 4 + tiles + grips, lines);
    f->n_points = h->n_points;
    f->grid.index = f->index;
    f->grid.tile = f->tile;
    f->grid.grip = f->grip;
    result = check_index(f, err);
    return result != 0 ? result : check_lines(f, err);
}

int lk_road_file_take(const void *bytes, size_t size, struct lk_road_file *ret,
                      struct lk_error *err)
{
    struct lk_road_file f = {.size = size};
    struct head h = {.n_tiles = 0};
    int result;

    if (size > LK_ROAD_FILE_MAX) {
        lk_error_set(err, "it has more than %u MiB", LK_ROAD_FILE_MAX >> 20);
        return LK_E_TEXT;
    }
    memcpy(&h, bytes, size < sizeof(h) ? size : sizeof(h));
    result = check_head(&h, err);
    if (result != 0)
        return result;
    if (size < sizeof(h)) {
        lk_error_set(err, "it ends within its head, expected at least %zu bytes", sizeof(h));
        return LK_E_TEXT;
    }
    f.grid = (struct lk_road_grid){.base = h.base, .quantum = h.quantum, .n_tiles = h.n_tiles};
    for (int i = 0; i < 2; i++) {
        f.grid.origin[i] = h.origin[i];
        f.grid.step[i] = h.step[i];
        f.grid.cells[i] = h.cells[i];
    }
    result = take_body(&h, (const char *)bytes + sizeof(h), size - sizeof(h), &f, err);
    f.crc = lk_crc32(0, bytes, size);
    if (result == 0)
        *ret = f;
    else
        lk_road_file_free(&f);
    return result;
}

int lk_road_file_read(const char *path, struct lk_road_file *ret, struct lk_error *err)
{
    char *bytes;
    size_t size;
    int result = lk_file_read(path, LK_ROAD_FILE_MAX + 1, &bytes, &size);

    if (result == -ENOMEM)
        return result;
    if (result != 0) {
        lk_error_set(err, "%s", lk_file_error(result));
        return LK_E_TEXT;
    }
    result = lk_road_file_take(bytes, size, ret, err);
    free(bytes);
    return result;
}

/* ---- write ---- */

int lk_road_file_bytes(const struct lk_road_grid *grid, int n_points,
                       const struct lk_road_point *line, void **ret_bytes, size_t *ret_size)
{
    size_t places = (size_t)lk_road_grid_places(grid) * 4;
    size_t tiles = (size_t)grid->n_tiles * sizeof(*grid->tile);
    size_t grips = grid->grip != NULL ? (size_t)grid->n_tiles * LK_ROAD_CELLS : 0;
    size_t lines = (size_t)n_points * sizeof(*line), size = places + tiles + grips + lines;
    struct head h = {.base = grid->base,
                     .quantum = grid->quantum,
                     .n_tiles = grid->n_tiles,
                     .has_grip = grips > 0,
                     .n_points = n_points};
    char *bytes = malloc(sizeof(h) + size);

    if (bytes == NULL)
        return -ENOMEM;
    memcpy(h.mark, mark, sizeof(mark));
    for (int i = 0; i < 2; i++) {
        h.origin[i] = grid->origin[i];
        h.step[i] = grid->step[i];
        h.cells[i] = grid->cells[i];
    }
    memcpy(bytes + sizeof(h), grid->index, places);
    memcpy(bytes + sizeof(h) + places, grid->tile, tiles);
    if (grips > 0)
        memcpy(bytes + sizeof(h) + places + tiles, grid->grip, grips);
    if (lines > 0)
        memcpy(bytes + sizeof(h) + places + tiles + grips, line, lines);
    h.crc = lk_crc32(0, bytes + sizeof(h), size);
    memcpy(bytes, &h, sizeof(h));
    *ret_bytes = bytes;
    *ret_size = sizeof(h) + size;
    return 0;
}

void lk_road_file_free(struct lk_road_file *f)
{
    free(f->index);
    free(f->tile);
    free(f->grip);
    free(f->line);
    *f = (struct lk_road_file){.index = NULL};
}
