/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle_rig.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct lkd_cycle *rig_cycle_new(const char *path, double step_s,
                                const struct lkd_settings *settings, struct lk_system **ret_system)
{
    const struct lk_options options = {.step = step_s};
    struct lk_error error = {0};
    struct lk_model *model;
    struct lkd_cycle *cycle;

    if (lk_model_read_file(path, &model, &error) ||
        lk_system_new(model, &options, ret_system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    assert_int_equal(lkd_cycle_new(*ret_system, settings, &cycle), 0);
    return cycle;
}

void rig_cycle_free(struct lkd_cycle *cycle, struct lk_system *system)
{
    lkd_cycle_free(cycle);
    lk_system_free(system);
}
