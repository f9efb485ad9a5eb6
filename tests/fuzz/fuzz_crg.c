/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an OpenCRG file: it is refused with lines that name the place, or gives a surface
 * whose heights are finite or missing. */
#include "model/crg.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct lk_errors *errors, int least)
{
    if (errors->n < least || errors->n > LK_ERRORS_MAX)
        abort();
    for (int i = 0; i < errors->n; i++)
        if (strncmp(errors->line[i].text, "fuzz:", 5) != 0 || strchr(errors->line[i].text, '\n'))
            abort();
}

static void look_around(const struct lk_crg *crg)
{
    struct lk_crg_surface *surface;
    double gap, low[2], high[2], heights[2];

    if (lk_crg_surface_new(crg, 0.5, &surface, &gap) != 0)
        abort();
    lk_crg_surface_box(surface, low, high, heights);
    for (int k = 0; k < 25; k++) {
        double place[2] = {low[0] + k % 5 / 4.0 * (high[0] - low[0]),
                           low[1] + k / 5 / 4.0 * (high[1] - low[1])};

        if (isinf(lk_crg_surface_at(surface, place)))
            abort();
    }
    lk_crg_surface_free(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *bytes = malloc(size > 0 ? size : 1);
    struct lk_errors errors;
    struct lk_crg crg;

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    if (lk_crg_read("fuzz", bytes, size, &crg, &errors) != 0) {
        check_lines(&errors, 1);
    } else {
        look_around(&crg);
        check_lines(&crg.notes, 0);
        lk_crg_free(&crg);
    }
    free(bytes);
    return 0;
}
