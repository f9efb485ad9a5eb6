/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packed model: they are refused with lines, or give a model. Each input is also
 * read with a corrected checksum, so that the checks after it are tested too. */
#include "linkage/crc.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "linkage/text.h"
#include "model/packed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SUM 13 /* bytes of the last line, the checksum */

static void try_bytes(const char *bytes, size_t size)
{
    struct lk_model *model = NULL;
    struct lk_numbers *numbers = NULL;
    struct lk_errors errors = {0};
    int result = lk_model_read_packed(bytes, size, NULL, 0, &model, &errors);

    if ((result != 0) != (errors.n > 0) || result < 0)
        abort();
    for (int i = 0; i < errors.n; i++)
        if (!lk_text_is_clean(errors.line[i].text))
            abort();
    lk_model_free(model);
    if (lk_numbers_new_packed(bytes, size, NULL, 0, &numbers, &errors) == 0)
        lk_numbers_free(numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[SUM + 1];
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *bytes = malloc(size > 0 ? size : 1);

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    try_bytes(bytes, size);
    if (size > SUM) {
        snprintf(line, sizeof(line), "crc %08x\n", (unsigned)lk_crc32(0, bytes, size - SUM));
        memcpy(bytes + size - SUM, line, SUM);
        try_bytes(bytes, size);
    }
    free(bytes);
    return 0;
}
