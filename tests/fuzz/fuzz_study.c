/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a study: it is refused with lines that name places, or its cases have finite values
 * within the bounds of the study. */
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct lk_errors *errors)
{
    if (errors->n < 1 || errors->n > LK_ERRORS_MAX)
        abort();
    for (int i = 0; i < errors->n; i++)
        if (strncmp(errors->line[i].text, "a/fuzz:", 7) != 0 || strchr(errors->line[i].text, '\n'))
            abort();
}

static void check_value(const struct study *s, int q, uint64_t i)
{
    const struct quantity *x = &s->quantity[q];
    double value = study_value(s, q, i);

    if (x->file != NULL ? !(value >= 0 && value < x->n && x->file[(int)value][0] != '\0')
                        : isnan(value))
        abort();
    if ((x->spread == SPREAD_UNIFORM || x->spread == SPREAD_LOG_UNIFORM) &&
        !(value >= x->low && value <= x->high))
        abort();
}

static void check_study(const struct study *s)
{
    if (s->cases < 1 || s->cases > STUDY_CASES_MAX || s->model == NULL || !(s->duration > 0))
        abort();
    for (int q = 0; q < s->n_quantities; q++)
        for (uint64_t k = 0; k < 5; k++)
            check_value(s, q, k * (s->cases - 1) / 4);
    for (int i = 0; i < s->n_checks; i++)
        if (!(s->check[i].low <= s->check[i].high))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct study *study = NULL;
    struct lk_errors errors;

    if (study_read_text("a/fuzz", (const char *)data, size, &study, &errors) != 0) {
        check_lines(&errors);
        return 0;
    }
    check_study(study);
    study_free(study);
    return 0;
}
