/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an OpenDRIVE file: it is refused with notes, or gives a surface whose heights are
 * finite or missing. */
#include "xodr.h"

#include "linkage/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 2000 /* [m]: what is longer costs a test its time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_around(const struct xodr *xodr)
{
    struct xodr_surface *surface = xodr_surface_new(xodr, 0.5, NAN);
    struct lk_road_patch patch = {.n = {5, 5}};
    double low[2], high[2], heights[2], z[25], mu[25];
    struct lk_road_point *line;

    if (surface == NULL)
        abort();
    xodr_surface_box(surface, low, high, heights);
    for (int k = 0; k < 2; k++) {
        patch.origin[k] = low[k];
        patch.step[k] = fmax((high[k] - low[k]) / 4, 1e-3);
    }
    if (xodr_surface_patch(surface, &patch, z))
        for (int k = 0; k < 25; k++)
            if (isinf(z[k]))
                abort();
    xodr_surface_frictions(surface, &patch, mu);
    if (xodr_lines(xodr, &line) < 0)
        abort();
    free(line);
    xodr_surface_free(surface);
}

static void check_notes(const struct notes *notes, bool is_good)
{
    if (is_good != (notes->n_errors == 0))
        abort();
    for (int i = 0; i < notes->n; i++)
        if (notes->note[i].text[0] == '\0' || !lk_text_is_clean(notes->note[i].text))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *bytes = malloc(size > 0 ? size : 1);
    struct notes notes = {.path = "/nowhere/fuzz"};
    double length = 0;
    struct xodr xodr;
    bool is_good;

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    is_good = xodr_read(bytes, size, &xodr, &notes);
    check_notes(&notes, is_good);
    for (int i = 0; i < xodr.n && is_good; i++)
        length += xodr.road[i].length;
    if (is_good && length < SHORT)
        look_around(&xodr);
    notes_free(&notes);
    xodr_free(&xodr);
    free(bytes);
    return 0;
}
