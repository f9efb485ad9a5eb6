/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: the first line as values from outside, and the rest as the model. They are refused
 * with lines, or give a model and a list of its numbers. */
#include "linkage/parameters.h"

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

static void check_numbers(const char *text, size_t size, const struct lk_settings *settings)
{
    struct lk_numbers *numbers = NULL;
    struct lk_errors errors;
    int n;

    if (lk_numbers_new("fuzz", text, size, settings->list, settings->n, &numbers, &errors) != 0) {
        check_lines(&errors);
        return;
    }
    for (const struct lk_number *x = lk_numbers_list(numbers, &n); n > 0; n--, x++)
        if (!isfinite(x->value) || strlen(x->path) >= LK_PATH_SIZE)
            abort();
    lk_numbers_free(numbers);
}

static void check_parameters(const struct lk_model *model)
{
    int n;

    for (const struct lk_parameter *p = lk_model_parameters(model, &n); n > 0; n--, p++)
        if (!(p->value >= p->low && p->value <= p->high))
            abort();
}

static void read_model(const char *text, size_t size, const struct lk_settings *settings)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;

    if (lk_model_read_text_with(NULL, "fuzz", text, size, settings->list, settings->n, &model,
                                &errors) != 0) {
        check_lines(&errors);
        return;
    }
    check_parameters(model);
    check_numbers(text, size, settings);
    lk_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *feed = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t line = feed ? (size_t)(feed - data) : 0, rest = feed ? size - line - 1 : size;
    char *first = calloc(line + 1, 1), *text = malloc(rest + 1);
    struct lk_settings settings = {0};
    struct lk_error error = {""};

    if (!first || !text)
        abort();
    memcpy(first, data, line);
    memcpy(text, data + (size - rest), rest);
    if (lk_settings_read(first, &settings, &error) == 0)
        read_model(text, rest, &settings);
    else if (error.text[0] == '\0' || strchr(error.text, '\n'))
        abort();
    lk_settings_fini(&settings);
    free(first);
    free(text);
    return 0;
}
