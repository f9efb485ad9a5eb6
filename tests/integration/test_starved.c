/* SPDX-License-Identifier: Apache-2.0 */
/* A process of higher real-time priority occupies the core of the cycle without end. The daemon
 * still answers, names that process, and continues when the process is gone. The daemon's other
 * threads and the test have another core. A further test starves the line process, and the daemon
 * waits for it. */
#include "../skip.h"
#include "benches.h"
#include "runs.h"
#include "spinner.h"
#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ABOVE 60 /* priority of the spinner; the cycle has 50 */

static int core;

/* Start a daemon whose cycle runs on @core and never sleeps. */
static void open_spinning(struct harness *h, const char *more)
{
    char config[256];

    if (core < 0)
        skip_because("it takes two cores and real-time priority",
                     "give it two cores; run it as root, or allow it with ulimit -r 80");
    snprintf(config, sizeof(config), "realtime: {core: %d, priority: 50, wake: spin}\n%s", core,
             more);
    harness_open(h, config);
    harness_load_model(h);
}

static void expect_named(const struct harness *h)
{
    runs_says(h->reply->text, SPINNER_NAME " (priority 60)");
}

static void test_arm(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    spinner = spinner_start(core, ABOVE);
    assert_int_equal(harness_ask_arm(&h, true, 1000)->result, RESULT(NO_REALTIME));
    expect_named(&h);
    harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    /* the threads of the first attempt still exist */
    assert_int_equal(harness_ask_arm(&h, true, 1000)->result, RESULT(INTERNAL));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_ask_arm(&h, true, 1000)->result != RESULT(OK))
        runs_nap();
    runs_await_state(&h, STATE(ARMED));
    harness_close(&h);
}

/* A spinner of lower priority does no harm, although the threads of the cycle start with normal
 * priority. */
static void test_arm_above(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    spinner = spinner_start(core, 40);
    harness_arm(&h);
    spinner_stop(spinner);
    harness_close(&h);
}

static void test_start(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    harness_arm(&h);
    spinner = spinner_start(core, ABOVE);
    harness_expect(&h, START, RESULT(NO_REALTIME), STATE(ARMED));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_command(&h, START)->result != RESULT(OK))
        runs_nap();
    runs_await_cycles(&h, 20);
    harness_close(&h);
}

/* A stop that the cycle could not execute is executed as soon as the cycle runs again. */
static void test_stop(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "watchdog: {time: 0}\n");
    harness_go(&h);
    runs_await_cycles(&h, 20);
    spinner = spinner_start(core, ABOVE);
    harness_expect(&h, STOP, RESULT(INTERNAL), STATE(RUNNING));
    runs_says(h.reply->text, "stands still");
    expect_named(&h);
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    spinner_stop(spinner);
    runs_await_state(&h, STATE(ARMED));
    harness_go(&h);
    runs_await_cycles(&h, 20);
    harness_close(&h);
}

/* The watchdog detects a proof without progress. The proof ends when it gets the core again. */
static void test_proof(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "budget: {steps: 100000000, time: 3600}\nwatchdog: {time: 0.5}\n");
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    runs_await_state(&h, STATE(ARMING));
    spinner = spinner_start(core, ABOVE);
    runs_await_state(&h, STATE(FAULT));
    harness_expect(&h, RESET, RESULT(INTERNAL), STATE(FAULT));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_command(&h, RESET)->result != RESULT(OK))
        runs_nap();
    harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    harness_close(&h);
}

/* ---- the line process ---- */

#define HOGS      8
#define HUNGRY_MS 7000 /* longer than the time-out of a hung line */

/* Give the line process the lowest scheduling weight on @core. The kernel gives the line the weight
 * 3 and each hog 88761. */
static void starve(pid_t line)
{
    const struct sched_param param = {0};
    char path[64];
    struct dirent *entry;
    cpu_set_t set;
    DIR *tasks;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    snprintf(path, sizeof(path), "/proc/%d/task", (int)line);
    tasks = opendir(path);
    assert_non_null(tasks);
    while ((entry = readdir(tasks))) {
        pid_t task = (pid_t)atoi(entry->d_name);

        if (task <= 0)
            continue;
        assert_int_equal(sched_setaffinity(task, sizeof(set), &set), 0);
        assert_int_equal(sched_setscheduler(task, SCHED_IDLE, &param), 0);
    }
    closedir(tasks);
}

/* Return how often the first thread of the line, which sends the answers, has been scheduled. */
static unsigned long turns_of(pid_t line)
{
    unsigned long turns = 0;
    char path[64];
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)line);
    in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%*u %*u %lu", &turns), 1);
    fclose(in);
    return turns;
}

/* Wait until the line has had no core for HUNGRY_MS without a break.
 * Return: false if it always got some time */
static bool await_hunger(pid_t line)
{
    unsigned long turns = turns_of(line);
    int hungry_ms = 0;

    for (int ms = 0; ms < SPINNER_MAX_S * 500 && hungry_ms < HUNGRY_MS; ms += 50) {
        unsigned long now;

        benches_nap(50);
        now = turns_of(line);
        hungry_ms = now == turns ? hungry_ms + 50 : 0;
        turns = now;
    }
    return hungry_ms >= HUNGRY_MS;
}

/* A line process without a core cannot answer, but the daemon must not restart it as hung. */
static void test_line(void **state)
{
    struct harness h;
    pid_t hog[HOGS], line;
    bool hungry;

    (void)state;
    if (core < 0)
        skip_because("it takes two cores and real-time priority",
                     "give it two cores; run it as root, or allow it with ulimit -r 80");
    harness_open(&h, NULL);
    line = harness_line(&h);
    for (int i = 0; i < HOGS; i++)
        hog[i] = spinner_start_greedy(core);
    starve(line);
    hungry = await_hunger(line);
    for (int i = 0; i < HOGS; i++)
        spinner_stop(hog[i]);
    if (hungry) {
        assert_int_equal(harness_command(&h, STATUS)->status->line_restarts, 0);
        assert_int_equal(harness_line(&h), line);
    }
    harness_close(&h);
    if (!hungry)
        skip_because("this kernel gives everybody some of a core",
                     "nothing: what it shows cannot happen on this kernel");
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arm),  cmocka_unit_test(test_arm_above), cmocka_unit_test(test_start),
        cmocka_unit_test(test_stop), cmocka_unit_test(test_proof),     cmocka_unit_test(test_line),
    };

    core = spinner_core();
    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
