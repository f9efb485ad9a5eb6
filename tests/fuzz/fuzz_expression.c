/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an expression: a finite value, or what is wrong and where. */
#include "linkage/error.h"
#include "model/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int find(void *data, const char *name, size_t size, double *ret)
{
    (void)data;
    if (size == 0)
        abort();
    *ret = 1.5;
    return name[0] == 'q' ? LK_E_MODEL : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static locale_t c_locale;
    const struct lk_expression_names names = {find, NULL};
    char *text = malloc(size + 1);
    const char *why = NULL;
    double value = NAN;
    size_t at = 0;
    int result;

    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    result = lk_expression(text, c_locale, &names, &value, &why, &at);
    if (at > strlen(text) || (result == 0) != (bool)isfinite(value) ||
        (result == LK_E_TEXT) != (why != NULL))
        abort();
    free(text);
    return 0;
}
