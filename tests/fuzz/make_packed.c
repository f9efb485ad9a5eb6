/* SPDX-License-Identifier: Apache-2.0 */
/* Writes seeds of fuzz_packed. usage: make_packed MODEL OUTPUT [MODEL OUTPUT]... */
#include "linkage/errors.h"
#include "model/packed.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    for (int i = 1; i + 1 < argc; i += 2) {
        struct lk_errors errors;
        char *bytes = NULL;
        size_t size = 0;
        FILE *f;

        if (lk_model_pack(argv[i], &bytes, &size, &errors) != 0)
            return 1;
        f = fopen(argv[i + 1], "wb");
        if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
            return 1;
        free(bytes);
    }
    return 0;
}
