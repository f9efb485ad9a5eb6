/* SPDX-License-Identifier: Apache-2.0 */
/* Section `cueing`: washout and platform (core/cueing), and reports of the platform. */
#include "config_read.h"

static int read_report(struct lk_node node, struct lkd_cueing_config *cueing,
                       struct lk_error *error)
{
    char endpoint[32];

    cueing->hears = lk_node_kind(lk_node_get(node, "report")) != LK_NODE_NONE;
    return cueing->hears
               ? lkd_config_udp(node, "report", sizeof(endpoint), endpoint, &cueing->report, error)
               : 0;
}

int lkd_config_cueing(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    struct lkd_cueing_config *cueing = &config->cueing;
    struct lk_node node = lk_node_get(root, "cueing");
    double silent = 0.1;
    int r;

    if (lk_node_kind(node) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(node) != LK_NODE_MAP)
        return lk_node_check_keys(node, "cueing", (const char *[]){NULL}, error);
    cueing->present = true;
    r = lk_cueing_read(node, &cueing->names, &cueing->ride, error);
    r = lk_also(r, read_report(node, cueing, error));
    r = lk_also(r, lkd_config_between(node, "silent", 0.03, 10, &silent, error));
    cueing->silent_ns = (int64_t)(silent * 1e9);
    return r;
}
