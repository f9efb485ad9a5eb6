/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "linkage/document.h"
#include "realtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lkd_config_default(struct lkd_config *ret_config)
{
    *ret_config = (struct lkd_config){
        .control = "tcp://127.0.0.1:5600",
        .inputs = "tcp://127.0.0.1:5601",
        .outputs = "tcp://127.0.0.1:5602",
        .wish = {.workers = 1, .core = LKD_CORE_AUTO, .priority = 80},
        .lock_memory = true,
        .wake = LKD_WAKE_SLEEP,
        .residual_position = 1e-3,
    };
}

/* An optional section: 0 and no node when it is not there. */
static int section(struct lk_node root, const char *key, const char *const allowed[],
                   struct lk_node *ret_node, struct lk_error *error)
{
    *ret_node = lk_node_get(root, key);
    if (lk_node_kind(*ret_node) == LK_NODE_NONE)
        return 0;
    return lk_node_check_keys(*ret_node, key, allowed, error);
}

static int read_endpoint(struct lk_node node, const char *key, char *ret, struct lk_error *error)
{
    struct lk_error reason;
    int r;

    r = lk_node_read_text_or(node, key, LKD_ENDPOINT_SIZE, ret, error);
    if (r)
        return r;
    r = lkd_endpoint_check(ret, &reason);
    if (r && lk_node_kind(lk_node_get(node, key)) != LK_NODE_NONE)
        return lk_node_refuse(lk_node_get(node, key), error, "%s", reason.text);
    return 0;
}

static int read_endpoints(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"control", "inputs", "outputs", NULL};
    struct lk_node node;
    int r;

    r = section(root, "endpoints", keys, &node, error);
    if (r || lk_node_kind(node) == LK_NODE_NONE)
        return r;
    if ((r = read_endpoint(node, "control", config->control, error)) ||
        (r = read_endpoint(node, "inputs", config->inputs, error)) ||
        (r = read_endpoint(node, "outputs", config->outputs, error)))
        return r;
    if (strcmp(config->control, config->inputs) == 0 ||
        strcmp(config->control, config->outputs) == 0 ||
        strcmp(config->inputs, config->outputs) == 0)
        return lk_node_refuse(node, error, "two endpoints are the same, expected three of them");
    return 0;
}

/* Return: the core that @text is, or -1. */
static int core_number(const char *text)
{
    char *end;
    long core = strtol(text, &end, 10);

    return *text < '0' || *text > '9' || *end || core > 1023 ? -1 : (int)core;
}

static int read_core(struct lk_node node, int *ret_core, struct lk_error *error)
{
    struct lk_node value = lk_node_get(node, "core");
    const char *text = lk_node_text(value);
    int core = core_number(text);

    if (lk_node_kind(value) == LK_NODE_NONE)
        return 0;
    if (strcmp(text, "auto") == 0) {
        *ret_core = LKD_CORE_AUTO;
        return 0;
    }
    if (strcmp(text, "none") == 0) {
        *ret_core = LKD_CORE_NONE;
        return 0;
    }
    if (core < 0)
        return lk_node_refuse(
            value, error, "'%s' is no core, expected auto, none or a number from 0 to 1023", text);
    *ret_core = core;
    return 0;
}

static int read_workers(struct lk_node node, struct lkd_wish *wish, struct lk_error *error)
{
    struct lk_node value = lk_node_get(node, "workers");
    long workers = wish->workers;
    int r;

    if (strcmp(lk_node_text(value), "auto") == 0) {
        wish->workers = LKD_WORKERS_AUTO;
        return 0;
    }
    r = lk_node_read_int_or(node, "workers", 1, LK_CREW_MAX, &workers, error);
    wish->workers = (int)workers;
    return r;
}

/* One core of the list, different from all before it. */
static int read_worker_core(struct lk_node item, struct lkd_wish *wish, struct lk_error *error)
{
    int core = core_number(lk_node_text(item));
    bool taken = core == wish->core;

    if (core < 0)
        return lk_node_refuse(item, error, "'%s' is no core, expected a number from 0 to 1023",
                              lk_node_text(item));
    for (int i = 0; i < wish->n_cores; i++)
        taken = taken || wish->worker_core[i] == core;
    if (taken)
        return lk_node_refuse(item, error, "core %d has a worker already, expected a core for each",
                              core);
    wish->worker_core[wish->n_cores++] = core;
    return 0;
}

static int read_worker_cores(struct lk_node node, struct lkd_wish *wish, struct lk_error *error)
{
    struct lk_node list = lk_node_get(node, "worker_cores");
    int n = lk_node_size(list), r = 0;

    if (lk_node_kind(list) == LK_NODE_NONE || strcmp(lk_node_text(list), "auto") == 0)
        return 0;
    if (lk_node_kind(list) != LK_NODE_LIST)
        return lk_node_refuse(list, error, "expected auto or a list of cores");
    if (wish->workers == LKD_WORKERS_AUTO ? n < 1 || n >= LK_CREW_MAX : n != wish->workers - 1)
        return lk_node_refuse(list, error, "%d cores for the workers beside the cycle, expected %d",
                              n, wish->workers == LKD_WORKERS_AUTO ? 1 : wish->workers - 1);
    for (int i = 0; i < n && r == 0; i++)
        r = read_worker_core(lk_node_at(list, i), wish, error);
    return r;
}

static int read_realtime(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"workers",     "core",    "worker_cores", "priority",
                                       "lock_memory", "require", "wake",         NULL};
    static const char *const wakes[] = {"sleep", NULL};
    long priority = config->wish.priority;
    struct lk_node node;
    int r, wake = 0;

    r = section(root, "realtime", keys, &node, error);
    if (r || lk_node_kind(node) == LK_NODE_NONE)
        return r;
    if ((r = read_workers(node, &config->wish, error)) ||
        (r = read_core(node, &config->wish.core, error)) ||
        (r = read_worker_cores(node, &config->wish, error)) ||
        (r = lk_node_read_int_or(node, "priority", 0, 99, &priority, error)) ||
        (r = lk_node_read_bool_or(node, "lock_memory", &config->lock_memory, error)) ||
        (r = lk_node_read_bool_or(node, "require", &config->require_realtime, error)))
        return r;
    config->wish.priority = (int)priority;
    if (lk_node_kind(lk_node_get(node, "wake")) == LK_NODE_NONE)
        return 0;
    r = lk_node_read_choice(node, "wake", wakes, &wake, error);
    config->wake = (enum lkd_wake)wake;
    return r;
}

static int read_limits(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"residual_position", NULL};
    struct lk_node node;
    int r;

    r = section(root, "limits", keys, &node, error);
    if (r || lk_node_kind(node) == LK_NODE_NONE)
        return r;
    r = lk_node_read_number_or(node, "residual_position", &config->residual_position, error);
    if (r == 0 && !(config->residual_position > 0))
        return lk_node_refuse(lk_node_get(node, "residual_position"), error,
                              "a limit of %g, expected a positive number",
                              config->residual_position);
    return r;
}

/* A relative path means: next to the configuration file. */
static int read_model(struct lk_node root, const char *config_path, char *ret_path,
                      struct lk_error *error)
{
    const char *slash = strrchr(config_path, '/');
    char model[PATH_MAX] = "";
    size_t folder = 0;
    int r;

    r = lk_node_read_text_or(root, "model", sizeof(model), model, error);
    if (r || !*model)
        return r;
    if (model[0] != '/' && slash)
        folder = (size_t)(slash - config_path) + 1;
    if (folder + strlen(model) >= PATH_MAX)
        return lk_node_refuse(lk_node_get(root, "model"), error, "the path is too long");
    memcpy(ret_path, config_path, folder);
    memcpy(ret_path + folder, model, strlen(model) + 1);
    return 0;
}

static int read_root(struct lk_node root, const char *path, struct lkd_config *config,
                     struct lk_error *error)
{
    static const char *const keys[] = {"linkaged", "endpoints", "model", "autostart",
                                       "realtime", "limits",    NULL};
    static const char *const versions[] = {"1", NULL};
    int r, version;

    if ((r = lk_node_check_keys(root, "the configuration", keys, error)) ||
        (r = lk_node_read_choice(root, "linkaged", versions, &version, error)) ||
        (r = read_endpoints(root, config, error)) ||
        (r = read_model(root, path, config->model, error)) ||
        (r = lk_node_read_bool_or(root, "autostart", &config->autostart, error)) ||
        (r = read_realtime(root, config, error)) || (r = read_limits(root, config, error)))
        return r;
    if (config->autostart && !*config->model)
        return lk_node_refuse(lk_node_get(root, "autostart"), error,
                              "autostart without a model, expected the key model");
    return 0;
}

int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error)
{
    struct lkd_config config;
    struct lk_document *document;
    int r;

    r = lk_document_read(path, &document, ret_error);
    if (r)
        return r;
    lkd_config_default(&config);
    r = read_root(lk_document_root(document), path, &config, ret_error);
    lk_document_free(document);
    if (r == 0)
        *ret_config = config;
    return r;
}
