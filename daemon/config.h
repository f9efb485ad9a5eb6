/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration, config/linkaged.yaml. config/README.md documents every key. */
#ifndef LKD_CONFIG_H
#define LKD_CONFIG_H

#include "endpoint.h"
#include "linkage/error.h"
#include "placement.h"
#include <limits.h>
#include <stdbool.h>

/** enum lkd_wake - how the cycle waits. */
enum lkd_wake { LKD_WAKE_SLEEP };

/** struct lkd_config - all keys.
 * @model:             path of a model, made relative to the working directory; "" for none
 * @wish:              workers, their cores and priority
 * @residual_position: [m or rad] */
struct lkd_config {
    char control[LKD_ENDPOINT_SIZE];
    char inputs[LKD_ENDPOINT_SIZE];
    char outputs[LKD_ENDPOINT_SIZE];
    char model[PATH_MAX];
    bool autostart;
    struct lkd_wish wish;
    bool lock_memory;
    bool require_realtime;
    enum lkd_wake wake;
    double residual_position;
};

/** lkd_config_default() - every key at its default. */
void lkd_config_default(struct lkd_config *ret_config);

/** lkd_config_read() - the defaults, overwritten by the file at @path.
 * Return: 0, LK_E_TEXT (@ret_error: "file:line:column: ..."), -ENOMEM. */
int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error);

#endif
