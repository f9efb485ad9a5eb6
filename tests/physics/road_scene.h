/* SPDX-License-Identifier: Apache-2.0 */
/* Roads for tests: height grids from functions, and their files in a folder. */
#ifndef ROAD_SCENE_H
#define ROAD_SCENE_H

#include "cmocka_all.h"
#include "linkage/file.h"
#include "model/road_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** road_scene_grid() - Make a grid of @cells cells of @step [m], beginning at @origin, with heights
 * from a function. */
static inline struct lk_road_file road_scene_grid(const double origin[2], const double step[2],
                                                  const int cells[2], lk_road_heights *heights)
{
    struct lk_road_grid like = {.origin = {origin[0], origin[1]},
                                .step = {step[0], step[1]},
                                .cells = {cells[0], cells[1]},
                                .quantum = 1.0 / (1 << 24)};
    struct lk_road_file file;
    struct lk_error error;

    if (lk_road_file_build(&like, heights, NULL, &file, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

/** road_scene_write() - Write the file of @grid as FOLDER/NAME. */
static inline void road_scene_write(const struct lk_road_grid *grid, const char *folder,
                                    const char *name)
{
    char path[256];
    void *bytes;
    size_t size;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(lk_road_file_bytes(grid, 0, NULL, &bytes, &size), 0);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    free(bytes);
}

#endif
