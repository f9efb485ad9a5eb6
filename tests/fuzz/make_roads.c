/* SPDX-License-Identifier: Apache-2.0 */
/* Writes seeds of fuzz_road: height fields with one tile and with two tiles, with a hole. */
#include "model/road_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double wavy(void *context, const double p[2])
{
    return context != NULL && p[0] > 3 && p[0] < 5 ? NAN : 0.1 * sin(p[0]) + 0.05 * p[1];
}

static int write_field(const char *path, int cells, void *context)
{
    const struct lk_road_grid like = {.step = {0.125, 0.25}, .cells = {cells, 9}, .quantum = 1e-6};
    struct lk_road_file road;
    void *bytes;
    size_t size;
    FILE *f = fopen(path, "wb");
    int bad = f == NULL || lk_road_file_build(&like, wavy, context, &road, NULL) != 0 ||
              lk_road_file_bytes(&road.grid, 0, NULL, &bytes, &size) != 0;

    if (bad)
        return 1;
    bad = fwrite(bytes, 1, size, f) != size;
    free(bytes);
    lk_road_file_free(&road);
    return fclose(f) != 0 || bad;
}

int main(int argc, char *argv[])
{
    int yes = 1;

    return argc != 3 || write_field(argv[1], 20, NULL) || write_field(argv[2], 80, &yes);
}
