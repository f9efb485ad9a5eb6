/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "config_read.h"
#include "linkage/document.h"
#include "proof.h"
#include "realtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

void lkd_config_default(struct lkd_config *ret_config)
{
    *ret_config = (struct lkd_config){
        .control = "tcp://127.0.0.1:5600",
        .inputs = "tcp://127.0.0.1:5601",
        .outputs = "tcp://127.0.0.1:5602",
        .wish = {.workers = 1, .core = LKD_CORE_AUTO, .priority = 80},
        .exchange = {.priority = LKD_PRIORITY_AUTO, .core = LKD_CORE_AUTO},
        .lock_memory = true,
        .cycle = lkd_settings_default(),
        .lease_ns = NS_PER_S,
        .proof_steps = 100000,
        .proof_time_ns = 10 * NS_PER_S,
        .watchdog_ns = NS_PER_S,
        .record = LKD_RECORD_CONFIG_DEFAULT,
        .outputs_divisor = 1,
        .line_memory = UINT64_C(256) << 20,
        .villas = {.divisor = 1},
    };
}

int lkd_config_section(struct lk_node root, const char *key, const char *const allowed[],
                       struct lk_node *ret_node, struct lk_error *error)
{
    *ret_node = lk_node_get(root, key);
    if (lk_node_kind(*ret_node) == LK_NODE_NONE)
        return 0;
    return lk_node_check_keys(*ret_node, key, allowed, error);
}

int lkd_config_choice_or(struct lk_node node, const char *key, const char *const choices[],
                         int *ret_choice, struct lk_error *error)
{
    if (lk_node_kind(lk_node_get(node, key)) == LK_NODE_NONE)
        return 0;
    return lk_node_read_choice(node, key, choices, ret_choice, error);
}

int lkd_config_between(struct lk_node node, const char *key, double low, double high, double *ret,
                       struct lk_error *error)
{
    int r = lk_node_read_number_or(node, key, ret, error);

    if (r == 0 && !(*ret >= low && *ret <= high))
        return lk_node_refuse(lk_node_get(node, key), error, "%g, expected %g to %g", *ret, low,
                              high);
    return r;
}

static int read_endpoint(struct lk_node node, const char *key, bool keyed, char *ret,
                         struct lk_error *error)
{
    struct lk_error reason;
    int r;

    r = lk_node_read_text_or(node, key, LKD_ENDPOINT_SIZE, ret, error);
    if (r)
        return r;
    r = keyed ? lkd_endpoint_check_keyed(ret, &reason) : lkd_endpoint_check(ret, &reason);
    if (r && lk_node_kind(lk_node_get(node, key)) != LK_NODE_NONE)
        return lk_node_refuse(lk_node_get(node, key), error, "%s", reason.text);
    return 0;
}

static int read_endpoints(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"control", "inputs", "outputs", NULL};
    bool keyed = lkd_config_has_keys(root);
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "endpoints", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, read_endpoint(node, "control", keyed, config->control, error));
    r = lk_also(r, read_endpoint(node, "inputs", keyed, config->inputs, error));
    r = lk_also(r, read_endpoint(node, "outputs", keyed, config->outputs, error));
    if (r)
        return r;
    if (strcmp(config->control, config->inputs) == 0 ||
        strcmp(config->control, config->outputs) == 0 ||
        strcmp(config->inputs, config->outputs) == 0)
        return lk_node_refuse(node, error, "two endpoints are the same, expected three of them");
    return 0;
}

/* Return the number of the core in @text, or -1 if it is no number up to 1023. */
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
    r = lk_node_read_int_or(node, "workers", 1, LK_POOL_MAX, &workers, error);
    wish->workers = (int)workers;
    return r;
}

/* Read one core of the list, which must differ from all cores before it. */
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
    if (wish->workers == LKD_WORKERS_AUTO ? n < 1 || n >= LK_POOL_MAX : n != wish->workers - 1)
        return lk_node_refuse(list, error, "%d cores for the workers beside the cycle, expected %d",
                              n, wish->workers == LKD_WORKERS_AUTO ? 1 : wish->workers - 1);
    for (int i = 0; i < n && lk_node_goes_on(list, r); i++)
        r = lk_also(r, read_worker_core(lk_node_at(list, i), wish, error));
    return r;
}

/* Read the margin: `auto`, or the time before the grid point at which the cycle wakes. */
static int read_margin(struct lk_node node, int64_t *ret_margin_ns, struct lk_error *error)
{
    struct lk_node value = lk_node_get(node, "spin_margin_us");
    double margin_us = 0;
    int r;

    if (lk_node_kind(value) == LK_NODE_NONE || strcmp(lk_node_text(value), "auto") == 0)
        return 0;
    r = lk_node_read_number(node, "spin_margin_us", &margin_us, error);
    if (r)
        return r;
    if (!(margin_us >= 1 && margin_us <= 40000))
        return lk_node_refuse(
            value, error,
            "a margin of %g us, expected auto or 1 to 40000 us, and at most %g of "
            "the period",
            margin_us, LKD_MARGIN_PART);
    *ret_margin_ns = (int64_t)(margin_us * 1e3);
    return 0;
}

static int read_realtime(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"workers",     "core",     "worker_cores", "priority",
                                       "lock_memory", "degraded", "wake",         "spin_margin_us",
                                       "share_core",  NULL};
    static const char *const wakes[] = {"sleep", "hybrid", "spin", NULL};
    static const char *const degraded[] = {"refuse", "allow", NULL};
    long priority = config->wish.priority;
    int r, wake = (int)config->cycle.wake, allow = config->allow_degraded;
    struct lk_node node;

    r = lkd_config_section(root, "realtime", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, read_core(node, &config->wish.core, error));
    r = lk_also(r, read_workers(node, &config->wish, error));
    if (r == 0) /* needs core and workers */
        r = read_worker_cores(node, &config->wish, error);
    r = lk_also(r, lk_node_read_int_or(node, "priority", 0, 99, &priority, error));
    r = lk_also(r, lk_node_read_bool_or(node, "share_core", &config->share_core, error));
    r = lk_also(r, lk_node_read_bool_or(node, "lock_memory", &config->lock_memory, error));
    r = lk_also(r, lkd_config_choice_or(node, "degraded", degraded, &allow, error));
    r = lk_also(r, lkd_config_choice_or(node, "wake", wakes, &wake, error));
    r = lk_also(r, read_margin(node, &config->cycle.margin_ns, error));
    if (r)
        return r;
    config->wish.priority = (int)priority;
    config->allow_degraded = allow != 0;
    config->cycle.wake = (enum lkd_wake)wake;
    return 0;
}

static bool is_of_cycle(const struct lkd_wish *wish, int core)
{
    bool is = core == wish->core;

    for (int i = 0; i < wish->n_cores; i++)
        is = is || core == wish->worker_core[i];
    return core >= 0 && is;
}

/* Read section `exchange`. Call after reading section `realtime`, with which it must be
 * consistent. */
static int read_exchange(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"priority", "core", NULL};
    struct lkd_thread_wish *wish = &config->exchange;
    struct lk_node node;
    long priority = LKD_PRIORITY_AUTO;
    int r;

    r = lkd_config_section(root, "exchange", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    if (strcmp(lk_node_text(lk_node_get(node, "priority")), "auto") != 0)
        r = lk_also(r, lk_node_read_int_or(node, "priority", 0, 98, &priority, error));
    r = lk_also(r, read_core(node, &wish->core, error));
    if (r)
        return r;
    wish->priority = (int)priority;
    if (priority > 0 && priority >= config->wish.priority)
        return lk_node_refuse(lk_node_get(node, "priority"), error,
                              "priority %ld is not below the cycle's (realtime: {priority: %d}), "
                              "which waits for nobody",
                              priority, config->wish.priority);
    if (is_of_cycle(&config->wish, wish->core))
        return lk_node_refuse(lk_node_get(node, "core"), error,
                              "core %d is the cycle's, expected auto or another one", wish->core);
    return 0;
}

static int read_budget(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"steps", "time", "share", "late_wakeup", NULL};
    long steps = (long)config->proof_steps;
    double time = (double)config->proof_time_ns * 1e-9;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "budget", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r,
                lk_node_read_int_or(node, "steps", LKD_PROOF_STEPS_MIN, 100000000, &steps, error));
    r = lk_also(r, lkd_config_between(node, "time", 0.01, 3600, &time, error));
    r = lk_also(r,
                lkd_config_between(node, "share", 0.01, 0.95, &config->cycle.budget_share, error));
    r = lk_also(r, lkd_config_between(node, "late_wakeup", 0.001, 1,
                                      &config->cycle.late_wakeup_share, error));
    if (r)
        return r;
    config->proof_steps = (uint64_t)steps;
    config->proof_time_ns = (int64_t)(time * 1e9);
    return 0;
}

static int read_overrun(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {
        "action", "catch_up", "ignore_first", "fault_in_a_row", "fault_in_window", "window", NULL};
    static const char *const actions[] = {"continue", "catch-up", NULL};
    struct lkd_overrun_policy *policy = &config->cycle.overrun;
    long catch_up = (long)policy->catch_up, first = (long)policy->ignore_first,
         row = (long)policy->in_a_row, m = (long)policy->in_window, window = (long)policy->window;
    int r, action = (int)policy->action;
    struct lk_node node;

    r = lkd_config_section(root, "overrun", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_choice_or(node, "action", actions, &action, error));
    r = lk_also(r, lk_node_read_int_or(node, "catch_up", 1, 1000, &catch_up, error));
    r = lk_also(r, lk_node_read_int_or(node, "ignore_first", 0, 1000000, &first, error));
    r = lk_also(r, lk_node_read_int_or(node, "fault_in_a_row", 0, 1000000, &row, error));
    r = lk_also(r,
                lk_node_read_int_or(node, "fault_in_window", 0, LKD_OVERRUN_WINDOW_MAX, &m, error));
    r = lk_also(r, lk_node_read_int_or(node, "window", 1, 1000000000, &window, error));
    if (r)
        return r;
    if (m > window)
        return lk_node_refuse(
            lk_node_get(node, "fault_in_window"), error,
            "%ld overruns in a window of %ld grid points, expected at most as many "
            "as it has",
            m, window);
    *policy = (struct lkd_overrun_policy){(enum lkd_overrun_action)action,
                                          catch_up,
                                          (uint64_t)first,
                                          (uint64_t)row,
                                          (uint64_t)m,
                                          (uint64_t)window};
    return 0;
}

static int read_watchdog(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"time", NULL};
    double time = (double)config->watchdog_ns * 1e-9;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "watchdog", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lk_node_read_number_or(node, "time", &time, error));
    if (r == 0 && time != 0 && !(time >= 0.3 && time <= 3600))
        return lk_node_refuse(lk_node_get(node, "time"), error,
                              "a time of %g s, expected 0.3 to 3600 s, or 0 for no watchdog", time);
    config->watchdog_ns = (int64_t)(time * 1e9);
    return r;
}

static int read_on_fault(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"outputs", "exit", NULL};
    static const char *const outputs[] = {"hold", "zero", NULL};
    int r, zero = config->cycle.zero_outputs;
    struct lk_node node;

    r = lkd_config_section(root, "on_fault", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_choice_or(node, "outputs", outputs, &zero, error));
    config->cycle.zero_outputs = zero != 0;
    return r ? r : lk_node_read_bool_or(node, "exit", &config->exit_on_fault, error);
}

int lkd_config_path(struct lk_node node, const char *key, const char *config_path, char *ret_path,
                    struct lk_error *error)
{
    const char *slash = strrchr(config_path, '/');
    char path[PATH_MAX] = "";
    size_t folder = 0;
    int r;

    r = lk_node_read_text_or(node, key, sizeof(path), path, error);
    if (r || !*path)
        return r;
    if (path[0] != '/' && slash)
        folder = (size_t)(slash - config_path) + 1;
    if (folder + strlen(path) >= PATH_MAX)
        return lk_node_refuse(lk_node_get(node, key), error, "the path is too long");
    memcpy(ret_path, config_path, folder);
    memcpy(ret_path + folder, path, strlen(path) + 1);
    return 0;
}

static int read_evidence(struct lk_node root, const char *config_path, struct lkd_config *config,
                         struct lk_error *error)
{
    static const char *const keys[] = {"directory", NULL};
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "evidence", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    return lk_also(r, lkd_config_path(node, "directory", config_path, config->evidence, error));
}

static int read_snapshots(struct lk_node root, const char *config_path, struct lkd_config *config,
                          struct lk_error *error)
{
    static const char *const keys[] = {"directory", NULL};
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "snapshots", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    return lk_also(r, lkd_config_path(node, "directory", config_path, config->snapshots, error));
}

/* Read the folder of the road files that models name. */
static int read_roads(struct lk_node root, const char *config_path, struct lkd_config *config,
                      struct lk_error *error)
{
    static const char *const keys[] = {"directory", NULL};
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "roads", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    return lk_also(r, lkd_config_path(node, "directory", config_path, config->cycle.roads, error));
}

static int read_ptp(struct lk_node root, const char *config_path, struct lkd_config *config,
                    struct lk_error *error)
{
    static const char *const keys[] = {"socket", "domain", NULL};
    char path[PATH_MAX] = "/var/run/ptp4l";
    long domain = 0;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "ptp", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_path(node, "socket", config_path, path, error));
    r = lk_also(r, lk_node_read_int_or(node, "domain", 0, LK_PTP_DOMAIN_MAX, &domain, error));
    if (r)
        return r;
    if (strlen(path) >= sizeof(config->ptp.socket))
        return lk_node_refuse(lk_node_get(node, "socket"), error,
                              "%zu characters with its folder, expected at most %zu for a socket",
                              strlen(path), sizeof(config->ptp.socket) - 1);
    memcpy(config->ptp.socket, path, strlen(path) + 1);
    config->ptp.domain = (int)domain;
    return 0;
}

static int read_root(struct lk_node root, const char *path, struct lkd_config *config,
                     struct lk_error *error)
{
    static const char *const keys[] = {
        "linkaged",   "endpoints", "model",     "autostart", "mode",   "realtime", "budget",
        "overrun",    "watchdog",  "on_fault",  "evidence",  "policy", "inputs",   "security",
        "privileges", "villas",    "outputs",   "motion",    "record", "line",     "exchange",
        "cueing",     "roads",     "snapshots", "ptp",       NULL};
    static const char *const versions[] = {"1", NULL};
    /* names in the order of enum lkd_mode */
    static const char *const modes[] = {"realtime", "lockstep", "asap", NULL};
    int r, version, mode = config->mode;

    r = lk_node_check_keys(root, "the configuration", keys, error);
    if (lk_node_kind(root) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lk_node_read_choice(root, "linkaged", versions, &version, error));
    r = lk_also(r, read_endpoints(root, config, error));
    r = lk_also(r, lkd_config_path(root, "model", path, config->model, error));
    r = lk_also(r, lk_node_read_bool_or(root, "autostart", &config->autostart, error));
    r = lk_also(r, lkd_config_choice_or(root, "mode", modes, &mode, error));
    r = lk_also(r, read_realtime(root, config, error));
    r = lk_also(r, read_exchange(root, config, error));
    r = lk_also(r, read_budget(root, config, error));
    r = lk_also(r, read_overrun(root, config, error));
    r = lk_also(r, read_watchdog(root, config, error));
    r = lk_also(r, read_on_fault(root, config, error));
    r = lk_also(r, lkd_config_security(root, path, config, error));
    r = lk_also(r, lkd_config_privileges(root, config, error));
    r = lk_also(r, read_evidence(root, path, config, error));
    r = lk_also(r, read_roads(root, path, config, error));
    r = lk_also(r, read_snapshots(root, path, config, error));
    r = lk_also(r, read_ptp(root, path, config, error));
    r = lk_also(r, lkd_config_policy(root, config, error));
    r = lk_also(r, lkd_config_inputs(root, config, error));
    r = lk_also(r, lkd_config_outputs(root, config, error));
    r = lk_also(r, lkd_config_cueing(root, config, error));
    r = lk_also(r, lkd_config_motion(root, config, error));
    r = lk_also(r, lkd_config_villas(root, config, error));
    r = lk_also(r, lkd_config_line(root, config, error));
    r = lk_also(r, lkd_config_record(root, path, config, error));
    config->cueing.recorded = *config->record.directory;
    if (r)
        return r;
    config->mode = (enum lkd_mode)mode;
    if (config->autostart && !*config->model)
        return lk_node_refuse(lk_node_get(root, "autostart"), error,
                              "autostart without a model, expected the key model");
    return 0;
}

int lkd_config_read_all(const char *path, struct lkd_config *ret_config,
                        struct lk_errors *ret_errors)
{
    struct lkd_config config;
    struct lk_document *document = NULL;
    struct lk_error error;
    int r;

    r = lk_document_read(path, &document, &error);
    if (r == 0) {
        lkd_config_default(&config);
        snprintf(config.source, sizeof(config.source), "%s", path);
        r = read_root(lk_document_root(document), path, &config, &error);
    }
    lk_document_errors(document, r, &error, ret_errors);
    lk_document_free(document);
    if (r == 0)
        *ret_config = config;
    return r;
}

int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error)
{
    struct lk_errors errors;
    int r = lkd_config_read_all(path, ret_config, &errors);

    if (errors.n > 0)
        *ret_error = errors.line[0];
    return r;
}
