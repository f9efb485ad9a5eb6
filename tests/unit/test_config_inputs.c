/* SPDX-License-Identifier: Apache-2.0 */
/* Sections `inputs` and `policy` of the configuration. */
#include "config_text.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct lkd_config read_ok(const char *text)
{
    struct lkd_config config;
    struct lk_error error;

    if (config_text_read_rest(text, &config, &error))
        fail_msg("%s", error.text);
    return config;
}

static void is_rule(const struct lkd_rule *rule, enum lkd_action action, double value, double ramp)
{
    assert_int_equal(rule->action, action);
    assert_true(rule->ramp_s == ramp);
    assert_true(isnan(value) ? isnan(rule->value) : rule->value == value);
}

static void test_defaults(void **state)
{
    struct lkd_config config = read_ok("");
    const struct lkd_policy *p = &config.cycle.policy;

    (void)state;
    assert_false(config.claims_optional);
    assert_int_equal(config.lease_ns, 1000000000);
    is_rule(&p->rule[LKD_CONDITION_LATE], LKD_ACTION_COUNT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_STALE], LKD_ACTION_RAMP, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_LOST], LKD_ACTION_RAMP, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_RESIDUAL], LKD_ACTION_FAULT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_ENERGY], LKD_ACTION_FAULT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_BOUNDS], LKD_ACTION_FAULT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_ENERGY_JUMP], LKD_ACTION_COUNT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_INCREMENT], LKD_ACTION_COUNT, NAN, 0.1);
    assert_true(p->position_limit == 1e8 && p->speed_limit == 1e5);
    assert_true(p->energy_jump.limit == 0.1 && p->energy_jump.fault == 0.9);
    is_rule(&p->rule[LKD_CONDITION_PIVOT], LKD_ACTION_COUNT, NAN, 0.1);
    assert_true(p->pivot_limit == 0.003);
    is_rule(&p->rule[LKD_CONDITION_TURN], LKD_ACTION_COUNT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_PORT], LKD_ACTION_COUNT, NAN, 0.1);
    assert_true(isinf(p->port_limit));
    is_rule(&p->rule[LKD_CONDITION_STRAIN], LKD_ACTION_COUNT, NAN, 0.1);
    assert_true(p->strain_limit == 0.02);
    is_rule(&p->rule[LKD_CONDITION_CONTACT], LKD_ACTION_COUNT, NAN, 0.1);
    assert_true(p->contact_limit == 0.1);
    assert_true(p->turn_limit == 0.7);
    assert_true(p->increment.limit == 1e-3 && p->increment.fault == 1);
    assert_int_equal(p->timeout_steps, 100);
    assert_true(p->residual_limit == 0.001);
    assert_true(isinf(p->energy_limit));
    assert_int_equal(p->recover_samples, 3);
    assert_int_equal(p->n_channels, 0);
}

static void test_words_and_maps(void **state)
{
    struct lkd_config config = read_ok("policy:\n"
                                       "  late: zero\n"
                                       "  stale: {action: hold, timeout: 7}\n"
                                       "  range: fault\n"
                                       "  not_finite: {action: zero, ramp: 0.5}\n"
                                       "  lost: {value: 0.25, ramp: 2}\n"
                                       "  residual: {action: count, limit: 0.5}\n"
                                       "  energy: {action: fault, limit: 3}\n"
                                       "  bounds: {action: hold, speed: 30}\n"
                                       "  energy_jump: {limit: 0.2, fault: 0}\n"
                                       "  increment: {action: fault, limit: 2, fault: 2}\n"
                                       "  pivot: {action: fault, limit: 0.5}\n"
                                       "  turn: {action: ramp, limit: 1.5}\n"
                                       "  port: {action: zero, limit: 2}\n"
                                       "  strain: {action: hold, limit: 0.05}\n"
                                       "  contact: {action: zero, limit: 0.5}\n"
                                       "  recover: 9\n"
                                       "inputs:\n"
                                       "  claims: optional\n"
                                       "  lease: 0.5\n"
                                       "  extrapolate: 0.25\n"
                                       "  channels: {a: hold, b: {extrapolate: 0}}\n");
    const struct lkd_policy *p = &config.cycle.policy;

    (void)state;
    assert_true(config.claims_optional);
    assert_int_equal(config.lease_ns, 500000000);
    is_rule(&p->rule[LKD_CONDITION_LATE], LKD_ACTION_ZERO, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_STALE], LKD_ACTION_HOLD, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_RANGE], LKD_ACTION_FAULT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_NOT_FINITE], LKD_ACTION_ZERO, NAN, 0.5);
    is_rule(&p->rule[LKD_CONDITION_LOST], LKD_ACTION_RAMP, 0.25, 2);
    is_rule(&p->rule[LKD_CONDITION_RESIDUAL], LKD_ACTION_COUNT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_ENERGY], LKD_ACTION_FAULT, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_BOUNDS], LKD_ACTION_HOLD, NAN, 0.1);
    is_rule(&p->rule[LKD_CONDITION_INCREMENT], LKD_ACTION_FAULT, NAN, 0.1);
    assert_true(p->position_limit == 1e8 && p->speed_limit == 30);
    assert_true(p->energy_jump.limit == 0.2 && isinf(p->energy_jump.fault));
    assert_true(p->increment.limit == 2 && p->increment.fault == 2);
    is_rule(&p->rule[LKD_CONDITION_PIVOT], LKD_ACTION_FAULT, NAN, 0.1);
    assert_true(p->pivot_limit == 0.5);
    is_rule(&p->rule[LKD_CONDITION_TURN], LKD_ACTION_RAMP, NAN, 0.1);
    assert_true(p->turn_limit == 1.5);
    is_rule(&p->rule[LKD_CONDITION_PORT], LKD_ACTION_ZERO, NAN, 0.1);
    assert_true(p->port_limit == 2);
    is_rule(&p->rule[LKD_CONDITION_STRAIN], LKD_ACTION_HOLD, NAN, 0.1);
    assert_true(p->strain_limit == 0.05);
    is_rule(&p->rule[LKD_CONDITION_CONTACT], LKD_ACTION_ZERO, NAN, 0.1);
    assert_true(p->contact_limit == 0.5);
    assert_true(p->horizon_s == 0.25);
    assert_true(p->channel[0].horizon_s == 0.25 && p->channel[1].horizon_s == 0);
    assert_int_equal(p->timeout_steps, 7);
    assert_true(p->residual_limit == 0.5);
    assert_true(p->energy_limit == 3);
    assert_int_equal(p->recover_samples, 9);
}

/* Settings that a channel omits are those of the policy, wherever `policy` is in the file. */
static void test_channels(void **state)
{
    struct lkd_config config =
        read_ok("inputs: {channels: {torque: fault, push: {value: -1, ramp: 0, timeout: 0},\n"
                "                    motor: {timeout: 5}}}\n"
                "policy: {stale: {action: ramp, value: 4, ramp: 0.3, timeout: 20}}\n");
    const struct lkd_policy *p = &config.cycle.policy;

    (void)state;
    assert_int_equal(p->n_channels, 3);
    assert_string_equal(p->channel[0].name, "torque");
    is_rule(&p->channel[0].rule, LKD_ACTION_FAULT, 4, 0.3);
    assert_int_equal(p->channel[0].timeout_steps, 20);
    is_rule(&p->channel[1].rule, LKD_ACTION_RAMP, -1, 0);
    assert_int_equal(p->channel[1].timeout_steps, 0);
    assert_string_equal(p->channel[2].name, "motor");
    is_rule(&p->channel[2].rule, LKD_ACTION_RAMP, 4, 0.3);
    assert_int_equal(p->channel[2].timeout_steps, 5);
}

static void refused(const char *text, const char *place, const char *words)
{
    struct lkd_config config;
    struct lk_error error;
    const char *at;

    assert_int_equal(config_text_read_rest(text, &config, &error), LK_E_TEXT);
    at = strstr(error.text, place);
    if (!at || !strstr(error.text, words))
        fail_msg("'%s' does not say '%s' at '%s'", error.text, words, place);
}

static void test_refusals(void **state)
{
    char text[4096];
    size_t n;

    (void)state;
    refused("policy: {late: stop}\n", ":2:16:", "fault");
    refused("policy: {later: hold}\n", ":2:10:", "later");
    refused("policy: {late: {action: hold, timeout: 5}}\n", ":2:31:", "timeout");
    refused("policy: {late: {limit: 5}}\n", ":2:17:", "limit");
    refused("policy: {stale: {timeout: -1}}\n", ":2:27:", "0");
    refused("policy: {stale: {timeout: 1.5}}\n", ":2:27:", "1.5");
    refused("policy: {lost: {ramp: -0.1}}\n", ":2:23:", "0 to 3600");
    refused("policy: {lost: {action: hold, value: 3}}\n", ":2:38:", "with ramp only");
    refused("policy: {residual: {limit: 0}}\n", ":2:28:", "positive");
    refused("policy: {residual: {limit: .nan}}\n", ":2:28:", "limit");
    refused("policy: {port: ramp}\n", ":2:16:", "without a limit");
    refused("policy: {bounds: {limit: 5}}\n", ":2:19:", "position");
    refused("policy: {bounds: {position: 0}}\n", ":2:29:", "positive");
    refused("policy: {bounds: {speed: -1}}\n", ":2:26:", "a speed of -1");
    refused("policy: {energy_jump: {limit: 0}}\n", ":2:31:", "positive");
    refused("policy: {energy_jump: {limit: 0.5, fault: 0.4}}\n", ":2:43:", "0 (never)");
    refused("policy: {energy_jump: {limit: 2}}\n", ":2:31:", "below the limit of 2");
    refused("policy: {pivot: {limit: 1}}\n", ":2:25:", "a share of less than 1");
    refused("policy: {turn: {limit: 0}}\n", ":2:24:", "positive");
    refused("policy: {turn: {fault: 2}}\n", ":2:17:", "limit");
    refused("policy: {increment: {fault: -1}}\n", ":2:29:", "at least the limit");
    refused("policy: {increment: {position: 1}}\n", ":2:22:", "limit");
    refused("policy: {recover: 0}\n", ":2:19:", "1");
    refused("policy: 3\n", ":2:9:", "policy");
    refused("inputs: {claims: maybe}\n", ":2:18:", "optional");
    refused("inputs: {lease: 0}\n", ":2:17:", "0.02 to 3600");
    refused("inputs: {extrapolate: -1}\n", ":2:23:", "0 to 10");
    refused("inputs: {channels: {torque: {extrapolate: 11}}}\n", ":2:43:", "0 to 10");
    refused("policy: {stale: {extrapolate: 1}}\n", ":2:18:", "extrapolate");
    refused("inputs: {channels: [torque]}\n", ":2:20:", "a map");
    refused("inputs: {channels: {torque: stop}}\n", ":2:29:", "count");
    refused("inputs: {channels: {torque: {limit: 3}}}\n", ":2:30:", "limit");
    refused("limits: {residual_position: 0.1}\n", ":2:1:", "limits");
    n = (size_t)snprintf(text, sizeof(text), "inputs:\n  channels:\n");
    for (int i = 0; i <= LKD_CHANNEL_RULES_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "    c%d: hold\n", i);
    refused(text, ":4:5:", "at most 64");
    snprintf(text, sizeof(text), "inputs:\n  channels:\n    %0*d: hold\n", LK_NAME_SIZE, 0);
    refused(text, ":4:", "at most 63");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_words_and_maps),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
