/* SPDX-License-Identifier: Apache-2.0 */
#include "can_model.h"
#include "linkage/linkage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_channels(struct can_side *side, const struct lk_channel *list, int n)
{
    for (int i = 0; i < n; i++)
        can_channels_add(side, list[i].name, list[i].size, list[i].component, list[i].unit,
                         list[i].low, list[i].high, list[i].initial);
}

int can_model_read(const char *path, struct can_channels *ret_channels,
                   char ret_title[DBC_NAME_SIZE], struct lk_error *ret_error)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    const struct lk_channel *list;
    int n, code = lk_model_read_file(path, &model, ret_error);

    if (code == 0)
        code = lk_system_new(model, NULL, &system, ret_error);
    if (code == 0) {
        list = lk_system_output_channels(system, &n);
        add_channels(&ret_channels->output, list, n);
        list = lk_system_input_channels(system, &n);
        add_channels(&ret_channels->input, list, n);
        ret_channels->step_s = lk_system_step_size(system);
        snprintf(ret_title, DBC_NAME_SIZE, "%s", lk_model_name(model));
    }
    if (ret_channels->output.failed || ret_channels->input.failed) {
        lk_error_set(ret_error, "%s: no room for its channels, at most %d numbers a side", path,
                     CAN_SCALARS_MAX);
        code = -E2BIG;
    }
    lk_system_free(system);
    lk_model_free(model);
    return code;
}
