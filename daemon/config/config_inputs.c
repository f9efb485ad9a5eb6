/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `inputs` and `policy`: permitted senders of inputs, and actions on conditions. */
#include "config_read.h"
#include <math.h>
#include <string.h>

/* Names in the order of enum lkd_action. */
static const char *const actions[] = {"count", "hold", "ramp", "zero", "fault", NULL};

#define VALUE_MAX   1e15
#define RAMP_MAX    3600.0
#define HORIZON_MAX 10.0
#define STEPS_MAX   1000000000L

/* Read `action`, `value` and `ramp` of a map, if they are present. */
static int read_rule_keys(struct lk_node map, struct lkd_rule *rule, struct lk_error *error)
{
    bool has_value = lk_node_kind(lk_node_get(map, "value")) != LK_NODE_NONE;
    int r, action = (int)rule->action;
    double value = 0;

    r = lkd_config_choice_or(map, "action", actions, &action, error);
    r = lk_also(r, lkd_config_between(map, "value", -VALUE_MAX, VALUE_MAX, &value, error));
    r = lk_also(r, lkd_config_between(map, "ramp", 0, RAMP_MAX, &rule->ramp_s, error));
    if (r)
        return r;
    rule->action = (enum lkd_action)action;
    if (has_value && rule->action != LKD_ACTION_RAMP)
        return lk_node_refuse(lk_node_get(map, "value"), error,
                              "a value for '%s', expected it with ramp only", actions[action]);
    rule->value = has_value ? value : rule->value;
    return 0;
}

/* Read a rule: an action word, or a map with @keys. Keys that are missing leave the rule
 * unchanged. */
static int read_rule(struct lk_node parent, const char *key, const char *const keys[],
                     struct lkd_rule *rule, struct lk_error *error)
{
    struct lk_node node = lk_node_get(parent, key);
    int r, action = (int)rule->action;

    if (lk_node_kind(node) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(node) != LK_NODE_MAP) {
        r = lk_node_read_choice(parent, key, actions, &action, error);
        rule->action = (enum lkd_action)action;
        return r;
    }
    r = lk_node_check_keys(node, key, keys, error);
    return lk_also(r, read_rule_keys(node, rule, error));
}

static bool is_map(struct lk_node parent, const char *key)
{
    return lk_node_kind(lk_node_get(parent, key)) == LK_NODE_MAP;
}

static int read_timeout(struct lk_node map, uint64_t *ret_steps, struct lk_error *error)
{
    long steps = (long)*ret_steps;
    int r = lk_node_read_int_or(map, "timeout", 0, STEPS_MAX, &steps, error);

    *ret_steps = (uint64_t)steps;
    return r;
}

/* Read a positive limit.
 * @key: key of the map; the error message also uses it as the name of the value */
static int read_limit(struct lk_node map, const char *key, double *ret_limit,
                      struct lk_error *error)
{
    int r = lk_node_read_number_or(map, key, ret_limit, error);

    if (r == 0 && !(*ret_limit > 0))
        return lk_node_refuse(lk_node_get(map, key), error,
                              "a %s of %g, expected a positive number", key, *ret_limit);
    return r;
}

static int read_share(struct lk_node map, double *ret_limit, struct lk_error *error)
{
    int r = read_limit(map, "limit", ret_limit, error);

    if (r == 0 && !(*ret_limit < 1))
        return lk_node_refuse(lk_node_get(map, "limit"), error,
                              "a limit of %g, expected a share of less than 1", *ret_limit);
    return r;
}

/* Read `limit` and `fault`. The value of `fault` is 0 for never, or at least the limit. */
static int read_threshold(struct lk_node map, struct lkd_threshold *threshold,
                          struct lk_error *error)
{
    double fault = threshold->fault;
    int r = read_limit(map, "limit", &threshold->limit, error);

    r = lk_also(r, lk_node_read_number_or(map, "fault", &fault, error));
    if (r)
        return r;
    if (fault != 0 && !(fault >= threshold->limit))
        return lk_node_refuse(
            lk_node_kind(lk_node_get(map, "fault")) == LK_NODE_NONE ? lk_node_get(map, "limit")
                                                                    : lk_node_get(map, "fault"),
            error, "a fault at %g below the limit of %g, expected 0 (never) or at least the limit",
            fault, threshold->limit);
    threshold->fault = fault != 0 ? fault : INFINITY;
    return 0;
}

/* ---- policy ---- */

/* Keys of a condition without a limit. */
static const char *const plain_keys[] = {"action", "value", "ramp", NULL};
static const char *const stale_keys[] = {"action", "value", "ramp", "timeout", NULL};
static const char *const limit_keys[] = {"action", "value", "ramp", "limit", NULL};
static const char *const threshold_keys[] = {"action", "value", "ramp", "limit", "fault", NULL};
static const char *const bounds_keys[] = {"action", "value", "ramp", "position", "speed", NULL};

/* Read the limits in the map of a condition. */
static int read_limits(struct lk_node map, enum lkd_condition condition, struct lkd_policy *policy,
                       struct lk_error *error)
{
    int r;

    switch (condition) {
    case LKD_CONDITION_STALE:
        return read_timeout(map, &policy->timeout_steps, error);
    case LKD_CONDITION_RESIDUAL:
        return read_limit(map, "limit", &policy->residual_limit, error);
    case LKD_CONDITION_ENERGY:
        return read_limit(map, "limit", &policy->energy_limit, error);
    case LKD_CONDITION_ENERGY_JUMP:
        return read_threshold(map, &policy->energy_jump, error);
    case LKD_CONDITION_INCREMENT:
        return read_threshold(map, &policy->increment, error);
    case LKD_CONDITION_PIVOT:
        return read_share(map, &policy->pivot_limit, error);
    case LKD_CONDITION_PORT:
        return read_limit(map, "limit", &policy->port_limit, error);
    case LKD_CONDITION_STRAIN:
        return read_limit(map, "limit", &policy->strain_limit, error);
    case LKD_CONDITION_CONTACT:
        return read_limit(map, "limit", &policy->contact_limit, error);
    case LKD_CONDITION_TURN:
        return read_limit(map, "limit", &policy->turn_limit, error);
    case LKD_CONDITION_BOUNDS:
        r = read_limit(map, "position", &policy->position_limit, error);
        return lk_also(r, read_limit(map, "speed", &policy->speed_limit, error));
    default:
        return 0;
    }
}

static int read_condition(struct lk_node node, enum lkd_condition condition,
                          struct lkd_policy *policy, struct lk_error *error)
{
    static const struct {
        const char *key;
        const char *const *keys;
    } conditions[LKD_CONDITIONS] = {
        [LKD_CONDITION_LATE] = {"late", plain_keys},
        [LKD_CONDITION_STALE] = {"stale", stale_keys},
        [LKD_CONDITION_RANGE] = {"range", plain_keys},
        [LKD_CONDITION_NOT_FINITE] = {"not_finite", plain_keys},
        [LKD_CONDITION_LOST] = {"lost", plain_keys},
        [LKD_CONDITION_RESIDUAL] = {"residual", limit_keys},
        [LKD_CONDITION_ENERGY] = {"energy", limit_keys},
        [LKD_CONDITION_BOUNDS] = {"bounds", bounds_keys},
        [LKD_CONDITION_ENERGY_JUMP] = {"energy_jump", threshold_keys},
        [LKD_CONDITION_INCREMENT] = {"increment", threshold_keys},
        [LKD_CONDITION_PIVOT] = {"pivot", limit_keys},
        [LKD_CONDITION_TURN] = {"turn", limit_keys},
        [LKD_CONDITION_PORT] = {"port", limit_keys},
        [LKD_CONDITION_STRAIN] = {"strain", limit_keys},
        [LKD_CONDITION_CONTACT] = {"contact", limit_keys},
    };
    const char *key = conditions[condition].key;
    struct lk_node map = lk_node_get(node, key);
    int r = read_rule(node, key, conditions[condition].keys, &policy->rule[condition], error);

    return r || !is_map(node, key) ? r : read_limits(map, condition, policy, error);
}

/* Refuse an action without a limit: the limit is off by default, so the action would never
 * happen. */
static int check_limit(struct lk_node node, const char *key, enum lkd_action action, double limit,
                       struct lk_error *error)
{
    if (action == LKD_ACTION_COUNT || isfinite(limit))
        return 0;
    return lk_node_refuse(lk_node_get(node, key), error,
                          "an action without a limit, expected {action: ..., limit: J}");
}

int lkd_config_policy(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"late",     "stale",  "range",  "not_finite",  "lost",
                                       "residual", "energy", "bounds", "energy_jump", "increment",
                                       "pivot",    "turn",   "port",   "strain",      "contact",
                                       "recover",  NULL};
    struct lkd_policy *policy = &config->cycle.policy;
    long recover = (long)policy->recover_samples;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "policy", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    for (int i = 0; i < LKD_CONDITIONS && lk_node_goes_on(node, r); i++)
        r = lk_also(r, read_condition(node, (enum lkd_condition)i, policy, error));
    r = lk_also(r, lk_node_read_int_or(node, "recover", 1, 1000000, &recover, error));
    policy->recover_samples = (uint64_t)recover;
    return r ? r
             : check_limit(node, "port", policy->rule[LKD_CONDITION_PORT].action,
                           policy->port_limit, error);
}

/* ---- inputs ---- */

static int read_horizon(struct lk_node map, double *ret_s, struct lk_error *error)
{
    return lkd_config_between(map, "extrapolate", 0, HORIZON_MAX, ret_s, error);
}

/* Read the rule of a channel. Keys that are missing default to `policy: {stale: ...}` and to the
 * common `extrapolate`. */
static int read_channel(struct lk_node channels, int i, struct lkd_policy *policy,
                        struct lk_error *error)
{
    static const char *const keys[] = {"action", "value", "ramp", "timeout", "extrapolate", NULL};
    struct lkd_channel_rule *rule = &policy->channel[policy->n_channels];
    const char *name = lk_node_text(lk_node_key_at(channels, i));
    int r;

    if (strlen(name) >= sizeof(rule->name))
        return lk_node_refuse(lk_node_at(channels, i), error,
                              "a name of %zu bytes, expected at most %zu", strlen(name),
                              sizeof(rule->name) - 1);
    *rule = (struct lkd_channel_rule){
        .timeout_steps = policy->timeout_steps,
        .rule = policy->rule[LKD_CONDITION_STALE],
        .horizon_s = policy->horizon_s,
    };
    strcpy(rule->name, name);
    r = read_rule(channels, name, keys, &rule->rule, error);
    if (is_map(channels, name)) {
        r = lk_also(r, read_timeout(lk_node_at(channels, i), &rule->timeout_steps, error));
        r = lk_also(r, read_horizon(lk_node_at(channels, i), &rule->horizon_s, error));
    }
    policy->n_channels++;
    return r;
}

static int read_channels(struct lk_node node, struct lkd_policy *policy, struct lk_error *error)
{
    struct lk_node channels = lk_node_get(node, "channels");
    int n = lk_node_size(channels), r = 0;

    if (lk_node_kind(channels) == LK_NODE_NONE)
        return 0;
    if (lk_node_kind(channels) != LK_NODE_MAP)
        return lk_node_refuse(channels, error, "expected a map from names of inputs to rules");
    if (n > LKD_CHANNEL_RULES_MAX)
        return lk_node_refuse(channels, error, "%d channels, expected at most %d", n,
                              LKD_CHANNEL_RULES_MAX);
    for (int i = 0; i < n && lk_node_goes_on(channels, r); i++)
        r = lk_also(r, read_channel(channels, i, policy, error));
    return r;
}

int lkd_config_inputs(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"claims", "lease", "extrapolate", "channels", NULL};
    static const char *const claims[] = {"required", "optional", NULL};
    double lease_s = 1e-9 * (double)config->lease_ns;
    int r, optional = config->claims_optional;
    struct lk_node node;

    r = lkd_config_section(root, "inputs", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_choice_or(node, "claims", claims, &optional, error));
    r = lk_also(r, lkd_config_between(node, "lease", 0.02, 3600, &lease_s, error));
    r = lk_also(r, read_horizon(node, &config->cycle.policy.horizon_s, error));
    if (r)
        return r;
    config->claims_optional = optional != 0;
    config->lease_ns = (int64_t)(lease_s * 1e9);
    return read_channels(node, &config->cycle.policy, error);
}
