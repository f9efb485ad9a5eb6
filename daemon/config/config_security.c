/* SPDX-License-Identifier: Apache-2.0 */
#include "config_read.h"

int lkd_config_security(struct lk_node root, const char *config_path, struct lkd_config *config,
                        struct lk_error *error)
{
    static const char *const keys[] = {"secret_key", "clients", NULL};
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "security", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_path(node, "secret_key", config_path, config->secret_key, error));
    r = lk_also(r, lkd_config_path(node, "clients", config_path, config->clients, error));
    if (r)
        return r;
    if (!*config->secret_key || !*config->clients)
        return lk_node_refuse(node, error,
                              "security needs both secret_key and clients (linkagectl keygen "
                              "makes what belongs into the two files)");
    return 0;
}

bool lkd_config_has_keys(struct lk_node root)
{
    return lk_node_kind(lk_node_get(root, "security")) != LK_NODE_NONE;
}
