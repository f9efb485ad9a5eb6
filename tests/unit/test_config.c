/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration: the shipped file equals the built-in defaults, and each kind of mistake has
 * one message with its line and column. */
#include "config_text.h"
#include "cores.h"
#include "realtime.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *shipped;
static void same_policy(const struct lkd_policy *a, const struct lkd_policy *b)
{
    for (int i = 0; i < LKD_CONDITIONS; i++) {
        assert_int_equal(a->rule[i].action, b->rule[i].action);
        assert_true(a->rule[i].ramp_s == b->rule[i].ramp_s);
        assert_true(isnan(a->rule[i].value) && isnan(b->rule[i].value));
    }
    assert_int_equal(a->timeout_steps, b->timeout_steps);
    assert_int_equal(a->recover_samples, b->recover_samples);
    assert_int_equal(a->n_channels, b->n_channels);
    assert_true(a->residual_limit == b->residual_limit);
    assert_true(a->energy_limit == b->energy_limit);
}

static void same_settings(const struct lkd_settings *a, const struct lkd_settings *b)
{
    assert_int_equal(a->wake, b->wake);
    assert_int_equal(a->margin_ns, b->margin_ns);
    assert_int_equal(a->overrun.action, b->overrun.action);
    assert_int_equal(a->overrun.catch_up, b->overrun.catch_up);
    assert_int_equal(a->overrun.ignore_first, b->overrun.ignore_first);
    assert_int_equal(a->overrun.in_a_row, b->overrun.in_a_row);
    assert_int_equal(a->overrun.in_window, b->overrun.in_window);
    assert_int_equal(a->overrun.window, b->overrun.window);
    assert_int_equal(a->zero_outputs, b->zero_outputs);
    assert_string_equal(a->roads, b->roads);
    same_policy(&a->policy, &b->policy);
    assert_true(a->budget_share == b->budget_share);
    assert_true(a->late_wakeup_share == b->late_wakeup_share);
}

static void test_shipped_file_is_the_default(void **state)
{
    struct lkd_config read, built_in;
    struct lk_error error;

    (void)state;
    assert_int_equal(lkd_config_read(shipped, &read, &error), 0);
    lkd_config_default(&built_in);
    assert_string_equal(read.control, built_in.control);
    assert_string_equal(read.inputs, built_in.inputs);
    assert_string_equal(read.outputs, built_in.outputs);
    assert_string_equal(read.model, built_in.model);
    assert_int_equal(read.autostart, built_in.autostart);
    assert_int_equal(read.mode, built_in.mode);
    assert_int_equal(read.wish.core, built_in.wish.core);
    assert_int_equal(read.wish.priority, built_in.wish.priority);
    assert_int_equal(read.wish.workers, built_in.wish.workers);
    assert_int_equal(read.wish.n_cores, 0);
    assert_int_equal(read.exchange.priority, LKD_PRIORITY_AUTO);
    assert_int_equal(built_in.exchange.priority, LKD_PRIORITY_AUTO);
    assert_false(read.newest_only);
    assert_int_equal(read.exchange.core, built_in.exchange.core);
    assert_int_equal(read.share_core, built_in.share_core);
    assert_int_equal(read.lock_memory, built_in.lock_memory);
    assert_int_equal(read.allow_degraded, built_in.allow_degraded);
    same_settings(&read.cycle, &built_in.cycle);
    assert_int_equal(read.claims_optional, built_in.claims_optional);
    assert_int_equal(read.lease_ns, built_in.lease_ns);
    assert_int_equal(read.proof_steps, built_in.proof_steps);
    assert_int_equal(read.proof_time_ns, built_in.proof_time_ns);
    assert_int_equal(read.watchdog_ns, built_in.watchdog_ns);
    assert_int_equal(read.exit_on_fault, built_in.exit_on_fault);
    assert_string_equal(read.evidence, built_in.evidence);
}

static void check_realtime_keys(const struct lkd_config *config)
{
    assert_int_equal(config->wish.core, 3);
    assert_int_equal(config->wish.priority, 12);
    assert_int_equal(config->wish.workers, 3);
    assert_int_equal(config->wish.n_cores, 2);
    assert_int_equal(config->wish.worker_core[0], 5);
    assert_int_equal(config->wish.worker_core[1], 0);
    assert_int_equal(config->exchange.priority, 11);
    assert_true(config->newest_only);
    assert_int_equal(config->exchange.core, 4);
    assert_true(config->share_core);
    assert_false(config->lock_memory);
    assert_true(config->allow_degraded);
    assert_int_equal(config->cycle.wake, LKD_WAKE_HYBRID);
    assert_int_equal(config->cycle.margin_ns, 40000);
}

static void test_all_keys(void **state)
{
    struct lkd_config config;
    struct lk_error error;
    char expected[128];

    (void)state;
    assert_int_equal(
        config_text_read(
            "linkaged: 1\n"
            "endpoints: {control: 'tcp://127.3.2.1:65535',\n"
            "            inputs: 'ipc:///tmp/linkaged-no-such/i',\n"
            "            outputs: 'ipc://@linkaged-o'}\n"
            "model: models/a.yaml\n"
            "autostart: true\n"
            "mode: lockstep\n"
            "realtime: {core: 3, priority: 12, workers: 3, worker_cores: [5, 0],\n"
            "           lock_memory: false, degraded: allow, wake: hybrid, share_core: true,\n"
            "           spin_margin_us: 40}\n"
            "exchange: {priority: 11, core: 4}\n"
            "outputs: {late: newest}\n"
            "budget: {steps: 5000, time: 2, share: 0.5, late_wakeup: 0.05}\n"
            "overrun: {action: catch-up, catch_up: 3, ignore_first: 10, fault_in_a_row: 4,\n"
            "          fault_in_window: 5, window: 50}\n"
            "watchdog: {time: 0.5}\n"
            "on_fault: {outputs: zero, exit: true}\n"
            "evidence: {directory: e/f}\n"
            "roads: {directory: tracks}\n"
            "policy: {residual: {limit: 0.5}}\n",
            &config, &error),
        0);
    assert_string_equal(config.control, "tcp://127.3.2.1:65535");
    assert_string_equal(config.inputs, "ipc:///tmp/linkaged-no-such/i");
    assert_string_equal(config.outputs, "ipc://@linkaged-o");
    snprintf(expected, sizeof(expected), "%s/models/a.yaml", config_folder);
    assert_string_equal(config.model, expected);
    assert_true(config.autostart);
    assert_int_equal(config.mode, LKD_MODE_LOCKSTEP);
    check_realtime_keys(&config);
    assert_int_equal(config.proof_steps, 5000);
    assert_int_equal(config.proof_time_ns, 2000000000);
    assert_true(config.cycle.budget_share == 0.5);
    assert_true(config.cycle.late_wakeup_share == 0.05);
    assert_int_equal(config.cycle.overrun.action, LKD_OVERRUN_CATCH_UP);
    assert_int_equal(config.cycle.overrun.catch_up, 3);
    assert_int_equal(config.cycle.overrun.ignore_first, 10);
    assert_int_equal(config.cycle.overrun.in_a_row, 4);
    assert_int_equal(config.cycle.overrun.in_window, 5);
    assert_int_equal(config.cycle.overrun.window, 50);
    assert_int_equal(config.watchdog_ns, 500000000);
    assert_true(config.cycle.zero_outputs);
    assert_true(config.exit_on_fault);
    snprintf(expected, sizeof(expected), "%s/e/f", config_folder);
    assert_string_equal(config.evidence, expected);
    snprintf(expected, sizeof(expected), "%s/tracks", config_folder);
    assert_string_equal(config.cycle.roads, expected);
    assert_true(config.cycle.policy.residual_limit == 0.5);
}

static void test_core_names_and_absolute_model(void **state)
{
    struct lkd_config config;
    struct lk_error error;

    (void)state;
    assert_int_equal(config_text_read("linkaged: 1\nrealtime: {core: none}\n", &config, &error), 0);
    assert_int_equal(config.wish.core, LKD_CORE_NONE);
    assert_int_equal(config_text_read("linkaged: 1\nmodel: /a/b.yaml\nrealtime: {core: auto}\n",
                                      &config, &error),
                     0);
    assert_int_equal(config.wish.core, LKD_CORE_AUTO);
    assert_string_equal(config.model, "/a/b.yaml");
}

static void test_workers_auto(void **state)
{
    struct lkd_config config;
    struct lk_error error;

    (void)state;
    assert_int_equal(
        config_text_read("linkaged: 1\nrealtime: {workers: auto, worker_cores: [7], priority: 0}\n",
                         &config, &error),
        0);
    assert_int_equal(config.wish.workers, LKD_WORKERS_AUTO);
    assert_int_equal(config.wish.n_cores, 1);
    assert_int_equal(config.wish.priority, 0);
    assert_int_equal(config_text_read("linkaged: 1\nrealtime: {workers: 64, worker_cores: auto}\n",
                                      &config, &error),
                     0);
    assert_int_equal(config.wish.workers, 64);
    assert_int_equal(config.wish.n_cores, 0);
}

/* A text is refused; the arguments are the text, the place of the mistake (line:column) and words
 * that must occur in the message. */
static void test_refusals(void **state)
{
    (void)state;
    config_text_refused("linkaged: 2\n", "1:11", "1");
    config_text_refused("endpoints: {}\n", "1:1", "linkaged");
    config_text_refused("linkaged: 1\nrealtme: {}\n", "2:1", "realtme");
    config_text_refused("linkaged: 1\nrealtime: {kore: 1}\n", "2:12", "kore");
    config_text_refused("linkaged: 1\nrealtime: 5\n", "2:11", "realtime");
    config_text_refused("linkaged: 1\nrealtime: {core: -1}\n", "2:18",
                        "expected auto, none or a number");
    config_text_refused("linkaged: 1\nrealtime: {core: 2x}\n", "2:18", "2x");
    config_text_refused("linkaged: 1\nrealtime: {priority: 100}\n", "2:22", "99");
    config_text_refused("linkaged: 1\nrealtime: {priority: -1}\n", "2:22", "0");
    config_text_refused("linkaged: 1\nrealtime: {wake: doze}\n", "2:18", "hybrid");
    config_text_refused("linkaged: 1\nrealtime: {spin_margin_us: 0}\n", "2:28",
                        "expected auto or 1");
    config_text_refused("linkaged: 1\nrealtime: {spin_margin_us: much}\n", "2:28", "number");
    config_text_refused("linkaged: 1\nrealtime: {degraded: maybe}\n", "2:22", "allow");
    config_text_refused("linkaged: 1\nbudget: {share: 1.5}\n", "2:17", "expected 0.01 to 0.95");
    config_text_refused("linkaged: 1\nbudget: {time: 0}\n", "2:16", "expected 0.01 to 3600");
    config_text_refused("linkaged: 1\nbudget: {steps: 0}\n", "2:17", "1");
    config_text_refused("linkaged: 1\noverrun: {action: skip}\n", "2:19", "catch-up");
    config_text_refused("linkaged: 1\noverrun: {fault_in_window: 9, window: 8}\n", "2:28",
                        "9 overruns");
    config_text_refused("linkaged: 1\noverrun: {fault_in_window: 257}\n", "2:28", "256");
    config_text_refused("linkaged: 1\nwatchdog: {time: 0.1}\n", "2:18", "0 for no watchdog");
    config_text_refused("linkaged: 1\non_fault: {outputs: random}\n", "2:21", "zero");
    config_text_refused("linkaged: 1\nevidence: {folder: x}\n", "2:12", "folder");
    config_text_refused("linkaged: 1\nroads: {folder: x}\n", "2:9", "folder");
    config_text_refused("linkaged: 1\nrealtime: {workers: 0}\n", "2:21", "1");
    config_text_refused("linkaged: 1\nrealtime: {workers: 65}\n", "2:21", "64");
    config_text_refused("linkaged: 1\nrealtime: {workers: two}\n", "2:21", "two");
    config_text_refused("linkaged: 1\nrealtime: {workers: 3, worker_cores: [1]}\n", "2:38",
                        "expected 2");
    config_text_refused("linkaged: 1\nrealtime: {worker_cores: [1]}\n", "2:26", "expected 0");
    config_text_refused("linkaged: 1\nrealtime: {workers: auto, worker_cores: []}\n", "2:41",
                        "expected 1");
    config_text_refused("linkaged: 1\nrealtime: {workers: 2, worker_cores: 1}\n", "2:38", "a list");
    config_text_refused("linkaged: 1\nrealtime: {workers: 2, worker_cores: [x]}\n", "2:39",
                        "'x' is no core");
    config_text_refused("linkaged: 1\nrealtime: {workers: 3, worker_cores: [4, 4]}\n", "2:42",
                        "core 4 has");
    config_text_refused("linkaged: 1\nexchange: {priority: 80}\n", "2:22", "not below the cycle's");
    config_text_refused("linkaged: 1\nrealtime: {priority: 0}\nexchange: {priority: 1}\n", "3:22",
                        "not below the cycle's (realtime: {priority: 0})");
    config_text_refused("linkaged: 1\nrealtime: {core: 2}\nexchange: {core: 2}\n", "3:18",
                        "core 2 is the cycle's");
    config_text_refused("linkaged: 1\nexchange: {priority: high}\n", "2:22", "high");
    config_text_refused("linkaged: 1\noutputs: {late: never}\n", "2:17", "every");
    config_text_refused("linkaged: 1\nexchange: {core: all}\n", "2:18", "'all' is no core");
    config_text_refused("linkaged: 1\nrealtime: {workers: 2, core: 6, worker_cores: [6]}\n", "2:48",
                        "core 6 has a worker already");
    config_text_refused("linkaged: 1\nlimits: {residual_position: 0.1}\n", "2:1", "limits");
    config_text_refused("linkaged: 1\nautostart: true\n", "2:12", "model");
    config_text_refused("linkaged: 1\nmode: fast\n", "2:7", "lockstep");
    config_text_refused("linkaged: 1\nautostart: perhaps\n", "2:12", "autostart");
}

static void test_endpoint_refusals(void **state)
{
    (void)state;
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://0.0.0.0:1'}\n", "2:22",
                        "loopback");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://192.168.0.1:1'}\n", "2:22",
                        "loopback");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://*:5600'}\n", "2:22", "numeric");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://127.0.0.1'}\n", "2:22", "port");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://127.0.0.1:0'}\n", "2:22",
                        "65535");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://127.0.0.1:99999'}\n", "2:22",
                        "65535");
    config_text_refused("linkaged: 1\nendpoints: {control: 'tcp://127.0.0.1:56o0'}\n", "2:22",
                        "65535");
    config_text_refused("linkaged: 1\nendpoints: {control: 'udp://127.0.0.1:1'}\n", "2:22", "ipc");
    config_text_refused("linkaged: 1\nendpoints: {control: 'ipc://'}\n", "2:22", "path");
    config_text_refused("linkaged: 1\nendpoints: {inputs: 'tcp://127.0.0.1:5600'}\n", "2:12",
                        "same");
    /* /tmp exists and is not a socket; binding would remove the file at this path */
    config_text_refused("linkaged: 1\nendpoints: {control: 'ipc:///tmp'}\n", "2:22",
                        "other than a socket");
}

static void test_long_ipc_path(void **state)
{
    char text[256], path[109];

    (void)state;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    snprintf(text, sizeof(text), "linkaged: 1\nendpoints: {control: 'ipc://%s'}\n", path);
    config_text_refused(text, "2:22", "too long");
}

static void test_no_file(void **state)
{
    struct lkd_config config;
    struct lk_error error;

    (void)state;
    assert_int_equal(lkd_config_read("/no/such/file.yaml", &config, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "/no/such/file.yaml"));
}

/* Return the priority that the exchange thread gets if @wished is requested and the cycle has
 * @priority. */
static int settle(int wished, int priority, const struct lkd_placement *placement, char why[256])
{
    struct lkd_thread_wish wish = {.priority = wished, .core = LKD_CORE_AUTO};
    struct lkd_config config;

    lkd_config_default(&config);
    config.wish.priority = priority;
    assert_int_equal(lkd_cores_settle_exchange(&config, placement, &wish, why, 256), 0);
    return wish.priority;
}

static void test_priority_of_exchange(void **state)
{
    struct lkd_placement one = {.n_workers = 1, .core = {LKD_CORE_NONE}}, all = {0};
    bool granted = lkd_realtime_try_fifo(40) == 0;
    cpu_set_t allowed, reachable;
    char why[256];

    (void)state;
    assert_int_equal(lkd_realtime_priority(), 0); /* the priority was only tried, not kept */
    assert_int_equal(lkd_realtime_cores(&allowed, &reachable), 0);
    for (int i = 0; i < CPU_SETSIZE && all.n_workers < LK_POOL_MAX; i++)
        if (CPU_ISSET((size_t)i, &allowed))
            all.core[all.n_workers++] = i;

    assert_int_equal(settle(LKD_PRIORITY_AUTO, 80, &all, why), 0);
    assert_string_equal(why, "there is no core beside the cycle's");
    assert_int_equal(settle(LKD_PRIORITY_AUTO, 0, &one, why), 0);
    assert_string_equal(why, "the cycle has no priority above it");
    if (all.n_workers > 1) {
        one.core[0] = all.core[0];
        assert_int_equal(settle(LKD_PRIORITY_AUTO, 80, &one, why), granted ? 40 : 0);
        assert_string_equal(why, granted ? "" : "SCHED_FIFO 40 refused: Operation not permitted");
    }
    /* a requested priority is not changed */
    assert_int_equal(settle(7, 80, &all, why), 7);
    assert_int_equal(settle(0, 80, &one, why), 0);
    assert_string_equal(why, "");
}

/* Each independent mistake of a file is reported; mistakes that follow from others are not. */
static void test_all_mistakes_are_told(void **state)
{
    static const char *const lines[] = {
        ":2:1: unknown key 'modle' in the configuration, did you mean 'model'?",
        ":3:22: priority is '200', expected a whole number from 0 to 99",
        ":4:3: unknown key 'wakeup' in realtime, did you mean 'wake'?",
        ":5:11: 'x' is no core",
        ":6:17: 2, expected 0.01 to 0.95",
        ":7:51: pose: expected a list of up to 6 outputs",
        ":8:28: limit is 'low', expected a finite number",
    };
    struct lkd_config config;
    struct lk_errors errors;
    struct lk_error error;

    (void)state;
    assert_int_equal(config_text_read("linkaged: 1\n"
                                      "modle: x.yaml\n"
                                      "realtime: {priority: 200,\n"
                                      "  wakeup: spin,\n"
                                      "    core: x, workers: 2, worker_cores: [3, 4]}\n"
                                      "budget: {share: 2}\n"
                                      "motion: [{endpoint: 'udp://127.0.0.1:5610', pose: 1}]\n"
                                      "policy: {residual: {limit: low}}\n",
                                      &config, &error),
                     LK_E_TEXT);
    assert_int_equal(lkd_config_read_all(config_file, &config, &errors), LK_E_TEXT);
    assert_string_equal(errors.line[0].text, error.text);
    for (int i = 0; i < errors.n && i < (int)(sizeof(lines) / sizeof(lines[0])); i++)
        assert_ptr_equal(strstr(errors.line[i].text, lines[i]),
                         errors.line[i].text + strlen(config_file));
    assert_int_equal(errors.n, sizeof(lines) / sizeof(lines[0]));
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_file_is_the_default),
        cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_core_names_and_absolute_model),
        cmocka_unit_test(test_workers_auto),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_endpoint_refusals),
        cmocka_unit_test(test_long_ipc_path),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_priority_of_exchange),
        cmocka_unit_test(test_all_mistakes_are_told),
    };

    shipped = argc > 1 ? argv[1] : "config/linkaged.yaml";
    return cmocka_run_group_tests(tests, config_text_open, config_text_close);
}
