/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon as a service: start, notifications to systemd, signals, a second instance, its command
 * line. */
#include "process.h"
#include "runs.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void end_by(struct harness *h, int signal)
{
    pid_t pid = h->pid;

    h->pid = 0;
    kill(pid, signal);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    harness_notice(h, "STOPPING=1");
}

static void test_signals(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    end_by(&h, SIGINT);
    harness_close(&h);

    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    end_by(&h, SIGTERM);
    assert_true(harness_log_has(h.folder, "log", "run ended"));
    harness_close(&h);
}

/* All signals from outside whose default action ends or stops the process. Signals of a program
 * fault are not among them. */
static void test_signals_without_a_meaning(void **state)
{
    const int signals[] = {SIGUSR1, SIGUSR2, SIGALRM,  SIGVTALRM, SIGPROF, SIGIO,
                           SIGPWR,  SIGPIPE, SIGXFSZ,  SIGSTKFLT, SIGTSTP, SIGTTIN,
                           SIGTTOU, SIGHUP,  SIGRTMIN, SIGRTMAX};
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        kill(h.pid, signals[i]);
        harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    }
    end_by(&h, SIGTERM);
    assert_true(harness_log_has(h.folder, "log", "LK-1011"));
    assert_true(harness_log_has(h.folder, "log", "User defined signal 1 received, not used here"));
    assert_true(harness_log_has(h.folder, "log", "nothing to read again"));
    harness_close(&h);
}

static void test_signals_that_end(void **state)
{
    const int signals[] = {SIGQUIT, SIGXCPU};
    struct harness h;

    (void)state;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        harness_open(&h, NULL);
        end_by(&h, signals[i]);
        assert_true(harness_log_has(h.folder, "log", "received, shutting down"));
        harness_close(&h);
    }
}

static void test_shutdown_request(void **state)
{
    struct harness h;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    pid = h.pid;
    h.pid = 0;
    harness_expect(&h, SHUTDOWN, RESULT(OK), STATE(RUNNING));
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    harness_close(&h);
}

static void test_notices(void **state)
{
    struct harness h;

    (void)state;
    setenv("WATCHDOG_USEC", "400000", 1);
    harness_open(&h, NULL);
    unsetenv("WATCHDOG_USEC");
    harness_notice(&h, "STATUS=EMPTY");
    harness_notice(&h, "WATCHDOG=1");
    harness_load_model(&h);
    harness_notice(&h, "STATUS=READY, model four-bar");
    harness_go(&h);
    harness_notice(&h, "STATUS=RUNNING");
    for (int i = 0; i < 3; i++)
        harness_notice(&h, "WATCHDOG=1");
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    harness_notice(&h, "STATUS=PAUSED");
    harness_notice(&h, "WATCHDOG=1");
    harness_close(&h);
}

static void second_is_refused(struct harness *h, const char *config)
{
    char log[128];
    pid_t pid;

    snprintf(log, sizeof(log), "%s/log2", h->folder);
    pid = harness_spawn((const char *const[]){"-c", config, NULL}, log, -1);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 1);
    assert_true(harness_log_has(h->folder, "log2", "in use"));
    harness_expect(h, STATUS, RESULT(OK), STATE(EMPTY));
}

/* Start a daemon on three free TCP ports. Another process may use one of them since the search, so
 * up to 10 tries are made. */
static pid_t start_on_ports(struct harness *h, const char *path)
{
    struct harness tcp = {0};
    pid_t pid = 0;

    for (int tries = 0; tries < 10; tries++) {
        for (int i = 0; i < 3; i++)
            snprintf(tcp.endpoint[i], sizeof(tcp.endpoint[i]), "tcp://127.0.0.1:%d",
                     runs_free_port());
        harness_write_config(&tcp, path, NULL);
        pid = harness_spawn((const char *const[]){"-c", path, NULL}, h->log, h->notify_fd);
        for (int ms = 0; ms < PATIENCE_MS && rig_process_lives(pid); ms += 100)
            if (harness_notice_within(h, "READY=1", 100))
                return pid;
        rig_process_wait(pid, 0);
    }
    fail_msg("no start on ports of its own");
    return pid;
}

static void test_second_daemon(void **state)
{
    char path[128];
    struct harness h;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    second_is_refused(&h, h.config);

    /* over TCP: one daemon runs, and the second one needs the same ports */
    snprintf(path, sizeof(path), "%s/second.yaml", h.folder);
    pid = start_on_ports(&h, path);
    second_is_refused(&h, path);
    kill(pid, SIGTERM);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    harness_close(&h);
}

/* A daemon replaces a socket that a killed daemon has not removed. It replaces no other file. */
static void test_leftovers(void **state)
{
    char log[128], path[128];
    struct harness h;
    FILE *file;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    snprintf(log, sizeof(log), "%s/log2", h.folder);
    snprintf(path, sizeof(path), "%s/control", h.folder);
    kill(h.pid, SIGKILL);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 128 + SIGKILL);
    h.pid = harness_spawn((const char *const[]){"-c", h.config, NULL}, log, h.notify_fd);
    harness_notice(&h, "READY=1");
    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    kill(h.pid, SIGTERM);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 0);
    h.pid = 0;

    unlink(path);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    pid = harness_spawn((const char *const[]){"-c", h.config, NULL}, log, -1);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 1);
    assert_true(harness_log_has(h.folder, "log2", "other than a socket"));
    assert_true(harness_log_has(h.folder, "control", "precious"));
    harness_close(&h);
}

static void test_autostart(void **state)
{
    char more[512], model[] = "/tmp/linkaged-model-XXXXXX";
    struct harness h;

    (void)state;
    runs_slow_model(model);
    snprintf(more, sizeof(more),
             "model: %s\nautostart: true\nrealtime: {degraded: allow, priority: 0, core: "
             "none}\nbudget: {steps: 3000, share: 0.95}\n",
             model);
    harness_open(&h, more);
    harness_notice(&h, "STATUS=ARMING, model four-bar");
    harness_notice(&h, "STATUS=RUNNING, model four-bar");
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    harness_close(&h);
    unlink(model);
}

static int run_daemon(struct harness *h, const char *first, const char *second, const char *third)
{
    char log[128];

    snprintf(log, sizeof(log), "%s/log2", h->folder);
    unlink(log);
    return harness_wait(harness_spawn((const char *const[]){first, second, third, NULL}, log, -1),
                        PATIENCE_MS);
}

static void test_command_line(void **state)
{
    char path[128], more[512];
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    assert_int_equal(run_daemon(&h, "--help", NULL, NULL), 0);
    assert_true(harness_log_has(h.folder, "log2", "Usage: linkaged"));
    assert_int_equal(run_daemon(&h, "--version", NULL, NULL), 0);
    assert_int_equal(run_daemon(&h, "--frobnicate", NULL, NULL), 2);
    assert_int_equal(run_daemon(&h, "stray", NULL, NULL), 2);
    assert_int_equal(run_daemon(&h, "--config", NULL, NULL), 2);
    assert_int_equal(run_daemon(&h, "--check", NULL, NULL), 0);
    assert_int_equal(run_daemon(&h, "--config", "/no/such/file", NULL), 1);

    snprintf(path, sizeof(path), "%s/second.yaml", h.folder);
    snprintf(more, sizeof(more), "model: %s\n", harness_model());
    harness_write_config(&h, path, more);
    assert_int_equal(run_daemon(&h, "--check", "--config", path), 0);
    assert_true(harness_log_has(h.folder, "log2", "four-bar"));
    harness_write_config(&h, path, "model: no-such-model.yaml\n");
    assert_int_equal(run_daemon(&h, "--check", "--config", path), 1);
    harness_write_config(&h, path, "speling: 1\n");
    assert_int_equal(run_daemon(&h, "--config", path, NULL), 1);
    assert_true(harness_log_has(h.folder, "log2", "second.yaml:6:1: "));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_shutdown_request),
        cmocka_unit_test(test_signals_without_a_meaning),
        cmocka_unit_test(test_signals_that_end),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_second_daemon),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_autostart),
        cmocka_unit_test(test_command_line),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
