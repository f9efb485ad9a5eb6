/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a height field, with a correct checksum: it is refused with a line, or gives a
 * surface with only finite values. */
#include "model/road_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const struct lk_road_grid *g)
{
    for (int k = 0; k < 64; k++) {
        double u = k % 8 / 6.0 - 0.1, v = k / 8 / 6.0 - 0.1;
        double place[2] = {g->origin[0] + u * g->step[0] * g->cells[0],
                           g->origin[1] + v * g->step[1] * g->cells[1]};
        struct lk_road_height h;

        lk_road_grid_at(g, place, &h);
        if (!isfinite(h.z) || !isfinite(h.slope[0]) || !isfinite(h.slope[1]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    struct lk_road_file road;
    struct lk_error error = {""};

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    if (size >= LK_ROAD_HEAD) {
        uint32_t crc = (uint32_t)crc32_z(0, bytes + LK_ROAD_HEAD, size - LK_ROAD_HEAD);

        memcpy(bytes + 68, &crc, sizeof(crc));
    }
    if (lk_road_file_take(bytes, size, &road, &error) == 0) {
        evaluate(&road.grid);
        lk_road_file_free(&road);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n') != NULL) {
        abort();
    }
    free(bytes);
    return 0;
}
