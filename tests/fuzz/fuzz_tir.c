/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a tyre property file: it is refused with lines that name the place, or gives a law
 * that can be evaluated. */
#include "model/tir.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct lk_errors *errors)
{
    if (errors->n < 1 || errors->n > LK_ERRORS_MAX)
        abort();
    for (int i = 0; i < errors->n; i++)
        if (strncmp(errors->line[i].text, "fuzz:", 5) != 0 || strchr(errors->line[i].text, '\n'))
            abort();
}

static void check_law(const struct lk_tir *tir)
{
    static const double slips[] = {0, 0.03, -0.4, 5};
    struct lk_tyre_law law = {.kind = tir->kind, .of.magic = tir->magic};
    struct lk_tyre_forces f;

    for (int i = 0; i < 4; i++) {
        struct lk_tyre_slip slip = {.load = 3000,
                                    .kappa = slips[i],
                                    .slope = slips[3 - i],
                                    .camber = 0.05,
                                    .speed = 20,
                                    .friction = 1};

        lk_tyre_evaluate(&law, &slip, &f);
        if (strlen(tir->unused) >= sizeof(tir->unused) || tir->n_unused < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *text = malloc(size > 0 ? size : 1);
    struct lk_errors errors;
    struct lk_tir tir;

    if (!text)
        abort();
    memcpy(text, data, size);
    if (lk_tir_read("fuzz", text, size, &tir, &errors) != 0)
        check_lines(&errors);
    else
        check_law(&tir);
    free(text);
    return 0;
}
