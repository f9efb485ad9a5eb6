/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of contacts share: models from text, steps, and values with a tolerance. */
#ifndef TEST_CONTACT_PARTS_H
#define TEST_CONTACT_PARTS_H

#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define OUT   256
#define G     9.81
#define SLOPE "[4.905, 0, -8.49570921110433]" /* 30 degrees */

static inline void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

static inline struct lk_system *compile(const char *text, double step)
{
    struct lk_options options = {.step = step};
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;

    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, &options, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

static inline void steps(struct lk_system *system, int n, const double *inputs, double *ret)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(lk_system_step(system, inputs), 0);
    lk_system_outputs(system, ret);
}

#endif
