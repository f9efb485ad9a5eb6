/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a mesh: STL, and OBJ. Bounds that are returned are finite and in order. */
#include "import.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    double low[3], high[3];

    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (int is_obj = 0; is_obj < 2; is_obj++) {
        if (!mesh_bounds(text, size, is_obj == 1, low, high))
            continue;
        for (int i = 0; i < 3; i++)
            if (!isfinite(low[i]) || !isfinite(high[i]) || low[i] > high[i])
                abort();
    }
    free(text);
    return 0;
}
