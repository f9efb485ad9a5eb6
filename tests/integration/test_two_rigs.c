/* SPDX-License-Identifier: Apache-2.0 */
/* Two daemons on a machine: a core belongs to one daemon while this daemon lives. */
#include "../skip.h"
#include "harness.h"
#include "linkage/host.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Return the last core of this process, or -1 if there is only one or if a rig outside of the test
 * uses it. */
static int free_core(void)
{
    char holder[256];
    cpu_set_t allowed;
    int core = CPU_SETSIZE - 1;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < 2)
        return -1;
    while (!CPU_ISSET((size_t)core, &allowed))
        core--;
    for (int ms = 0; ms < PATIENCE_MS; ms += 100) {
        if (lk_host_core_holder("", core, holder, sizeof(holder)) == LK_HOST_UNLOCKED)
            return core;
        usleep(100000);
    }
    print_message("core %d: %s\n", core, holder);
    return -1;
}

static bool may_be_realtime(void)
{
    struct sched_param param = {.sched_priority = 80};
    bool may = sched_setscheduler(0, SCHED_FIFO, &param) == 0;

    param.sched_priority = 0;
    return may && sched_setscheduler(0, SCHED_OTHER, &param) == 0;
}

static void open_on(struct harness *h, int core)
{
    char realtime[64];

    snprintf(realtime, sizeof(realtime), "realtime: {core: %d}\n", core);
    harness_open(h, realtime);
}

/* Run --check for the configuration @path, with its output in @h->folder/log2.
 * Return: its exit status */
static int check(const struct harness *h, const char *path)
{
    char log[96];

    snprintf(log, sizeof(log), "%s/log2", h->folder);
    return harness_wait(
        harness_spawn((const char *const[]){"--check", "--config", path, NULL}, log, -1),
        PATIENCE_MS);
}

/* Start a second daemon on @core beside that of @h, with its own configuration and the log
 * @h->folder/log2.
 * Return: its exit status */
static int start_second(const struct harness *h, const char *core)
{
    struct harness second = *h;
    char path[96], log[96], realtime[64];

    for (int i = 0; i < 3; i++)
        snprintf(second.endpoint[i], sizeof(second.endpoint[i]), "ipc://%s/second-%d", h->folder,
                 i);
    snprintf(path, sizeof(path), "%s/second.yaml", h->folder);
    snprintf(log, sizeof(log), "%s/log2", h->folder);
    snprintf(realtime, sizeof(realtime), "realtime: {core: %s}\n", core);
    harness_write_config(&second, path, realtime);
    return harness_wait(harness_spawn((const char *const[]){"--config", path, NULL}, log, -1),
                        PATIENCE_MS);
}

static void test_refused(void **state)
{
    int core = free_core();
    char text[64], words[160];
    struct harness h;

    (void)state;
    if (core < 0)
        skip_because("it takes two cores, the last one without a rig",
                     "give it two cores, and end the rig on the last one");
    open_on(&h, core);
    snprintf(text, sizeof(text), "%d", core);
    assert_int_equal(start_second(&h, text), 1);
    snprintf(words, sizeof(words), "realtime: core %d is taken by process %d (", core, (int)h.pid);
    assert_true(harness_log_has(h.folder, "log2", words));
    assert_true(harness_log_has(h.folder, "log2", h.config));
    harness_close(&h);

    /* the core is free again */
    open_on(&h, core);
    harness_close(&h);
}

/* Start a process of the user nobody that locks the folder of @core.
 * Return: the process, which the caller must kill */
static pid_t obstruct(int core)
{
    int ready[2];
    char path[64], byte;
    pid_t pid;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", core);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open(path, O_RDONLY | O_DIRECTORY);

        if (setgid(65534) == 0 && setuid(65534) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
            prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

/* A lock of a foreign process does not prevent a rig from starting, and the daemon names the
 * process. */
static void test_obstructed(void **state)
{
    int core = free_core();
    char words[160];
    struct harness h;
    pid_t stranger;

    (void)state;
    if (core < 0 || geteuid() != 0)
        skip_because("it takes two cores, the last one without a rig, and another user",
                     "give it two cores, end the rig on the last one, and run it as root");
    stranger = obstruct(core);
    open_on(&h, core);
    snprintf(words, sizeof(words),
             "[LK-5011] core %d is not locked, another rig may take it, too: the lock of process "
             "%d (",
             core, (int)stranger);
    harness_await_log(&h, words, 1);
    harness_close(&h);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
}

/* --check reports the same without a start. A rig that runs with this configuration does not
 * conflict. */
static void test_checked(void **state)
{
    int core = free_core();
    char words[160], path[96];
    struct harness h;

    (void)state;
    if (core < 0)
        skip_because("it takes two cores, the last one without a rig",
                     "give it two cores, and end the rig on the last one");
    open_on(&h, core);
    assert_int_equal(check(&h, h.config), 0);
    snprintf(words, sizeof(words), "note: core %d has a rig of this configuration: process %d (",
             core, (int)h.pid);
    assert_true(harness_log_has(h.folder, "log2", words));

    snprintf(path, sizeof(path), "%s/other.yaml", h.folder);
    snprintf(words, sizeof(words), "realtime: {core: %d}\n", core);
    harness_write_config(&h, path, words);
    assert_int_equal(check(&h, path), 1);
    snprintf(words, sizeof(words), "realtime: core %d is taken by process %d (", core, (int)h.pid);
    assert_true(harness_log_has(h.folder, "log2", words));

    harness_write_config(&h, path, "realtime: {core: 1023}\n");
    assert_int_equal(check(&h, path), 1);
    assert_true(harness_log_has(h.folder, "log2", "realtime: there is no core 1023 that"));
    harness_close(&h);
}

/* Two cores: one has a rig, and all other threads run on the second one. */
static void test_auto(void **state)
{
    int core = free_core(), other = -1;
    cpu_set_t before, two;
    struct harness h;
    char words[96];

    (void)state;
    if (core < 0)
        skip_because("it takes two cores, the last one without a rig",
                     "give it two cores, and end the rig on the last one");
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    for (int i = 0; i < core; i++)
        other = CPU_ISSET((size_t)i, &before) ? i : other;
    CPU_ZERO(&two);
    CPU_SET((size_t)core, &two);
    CPU_SET((size_t)other, &two);
    assert_int_equal(sched_setaffinity(0, sizeof(two), &two), 0);
    harness_open(&h, "realtime: {core: auto}\n");
    assert_int_equal(start_second(&h, "auto"), 1);
    snprintf(words, sizeof(words), "core %d is taken by process %d (", core, (int)h.pid);
    assert_true(harness_log_has(h.folder, "log2", "core: auto finds no free core"));
    assert_true(harness_log_has(h.folder, "log2", words));
    harness_close(&h);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* Return the missed grid points of the rig of @h and the total number of its grid points. */
static void read_grid(struct harness *h, uint64_t *ret_lost, uint64_t *ret_points)
{
    const Linkage__V1__Status *s = harness_expect(h, STATUS, RESULT(OK), STATE(RUNNING));

    *ret_lost = s->skipped;
    *ret_points = s->skipped + s->cycles;
}

/* Run a proof of @proves beside the rig @runs.
 * @ret_lost: missed grid points of @runs
 * Return: grid points of @runs that passed during the proof */
static uint64_t prove_beside(struct harness *proves, struct harness *runs, uint64_t *ret_lost)
{
    uint64_t lost, points, lost_after, points_after;

    read_grid(runs, &lost, &points);
    assert_int_equal(harness_ask_arm(proves, true, 0)->result, RESULT(OK));
    while (harness_command(proves, STATUS)->status->state == STATE(ARMING))
        usleep(20000);
    read_grid(runs, &lost_after, &points_after);
    *ret_lost = lost_after - lost;
    points = points_after - points;
    printf("%d of %d grid points lost beside a proof\n", (int)*ret_lost, (int)points);
    assert_true(points > 1000);
    return points;
}

/* A proof on the core of a running rig pauses for the cycles of that rig. */
static void test_proof_leaves_gaps(void **state)
{
    uint64_t lost = 1, points = 0;
    struct harness runs, proves;
    char config[160];
    int core = free_core();

    (void)state;
    if (core < 0)
        skip_because("it takes two cores, the last one without a rig",
                     "give it two cores, and end the rig on the last one");
    if (!may_be_realtime())
        skip_because("it takes real-time priority",
                     "run it as root, or allow it with ulimit -r 80");
    snprintf(config, sizeof(config),
             "realtime: {core: %d, share_core: true}\nbudget: {steps: 1000000, time: 2}\n", core);
    harness_open(&runs, config);
    harness_load_model(&runs);
    harness_go(&runs);
    harness_open(&proves, config);
    harness_load_model(&proves);
    /* a machine that stands still meanwhile loses as many points, so 10 attempts are made */
    for (int i = 0; i < 10 && lost * 10 >= points; i++)
        points = prove_beside(&proves, &runs, &lost);
    assert_true(lost * 10 < points);
    harness_close(&proves);
    harness_close(&runs);
}

#define PRIORITY 40

/* struct seen - threads with the priority of the exchange, on its core
 * @n_line:   threads of the process @line, counted in one hexadecimal digit per name
 * @exchange: true if the thread of the daemon @process was found */
struct seen {
    int process;
    int line;
    int core;
    int n_line;
    bool exchange;
};

static void see(void *context, const struct lk_host_task *task)
{
    static const char *const carriers[] = {"lkd-inputs", "lkd-outputs", "ZMQbg/IO/1", "ZMQbg/IO/2"};
    struct seen *seen = context;

    if (task->policy != SCHED_FIFO ||
        (task->process != seen->line && task->process != seen->process))
        return;
    if (task->process == seen->line) /* all real-time threads of the line */
        assert_int_equal(task->priority, PRIORITY);
    if (task->priority != PRIORITY)
        return;
    assert_int_equal(CPU_COUNT(&task->allowed), 1);
    assert_true(CPU_ISSET((size_t)seen->core, &task->allowed));
    seen->exchange = seen->exchange || strcmp(task->name, "lkd-exchange") == 0;
    for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++)
        if (task->process == seen->line && strcmp(task->name, carriers[i]) == 0)
            seen->n_line += 1 << (4 * i);
}

static void expect_carriers(struct harness *h, int core)
{
    struct seen seen = {.process = (int)h->pid, .line = (int)harness_line(h), .core = core};
    const Linkage__V1__Status *status = harness_command(h, STATUS)->status;

    assert_int_equal(status->exchange_priority, PRIORITY);
    assert_true(seen.line > 0);
    lk_host_each_task("", true, see, &seen);
    assert_true(seen.exchange);
    assert_int_equal(seen.n_line, 0x1111);
}

/* Start a run with the cycle on the last core.
 * @rest: further text of the configuration
 * Return: the core */
static int run_on_last_core(struct harness *h, int priority, const char *rest)
{
    int core = free_core();
    char config[200];

    if (core <= 0)
        skip_because("it takes two cores, the last one without a rig",
                     "give it two cores, and end the rig on the last one");
    if (!may_be_realtime())
        skip_because("it takes real-time priority",
                     "run it as root, or allow it with ulimit -r 80");
    snprintf(config, sizeof(config), "realtime: {core: %d, share_core: true, priority: %d}\n%s",
             core, priority, rest);
    harness_open(h, config);
    harness_load_model(h);
    harness_go(h);
    assert_non_null(harness_sample(h, PATIENCE_MS));
    return core;
}

/* All threads that transport samples have the configured priority and core, also after a restart of
 * the line process. */
static void test_exchange(void **state)
{
    char exchange[80];
    struct harness h;
    int core;

    (void)state;
    snprintf(exchange, sizeof(exchange), "exchange: {priority: %d, core: %d}\n", PRIORITY,
             free_core() - 1);
    core = run_on_last_core(&h, 80, exchange);
    expect_carriers(&h, core - 1);
    assert_int_equal(kill(harness_line(&h), SIGKILL), 0);
    harness_await_log(&h, "line restarted", 1);
    expect_carriers(&h, core - 1);
    harness_close(&h);
}

/* Without a section the exchange has half the priority of the cycle. */
static void test_exchange_by_default(void **state)
{
    struct harness h;
    int core;

    (void)state;
    core = run_on_last_core(&h, 2 * PRIORITY, "");
    expect_carriers(&h, core - 1);
    assert_string_equal(harness_command(&h, STATUS)->status->exchange_normal, "");
    harness_close(&h);
}

/* If the priority is refused, this is logged once, and samples are still published. This test is
 * the last one, because the dropped right does not come back. */
static void test_exchange_refused(void **state)
{
    const struct rlimit none = {0};
    struct harness h;

    (void)state;
    prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0); /* rights that children of root may have */
    assert_int_equal(setrlimit(RLIMIT_RTPRIO, &none), 0);
    harness_open(&h, "realtime: {core: none}\nexchange: {priority: 40}\n");
    harness_load_model(&h);
    harness_go(&h);
    assert_non_null(harness_sample(&h, PATIENCE_MS));
    assert_int_equal(kill(harness_line(&h), SIGKILL), 0);
    harness_await_log(&h, "line restarted", 1);
    assert_non_null(harness_sample(&h, PATIENCE_MS));
    assert_int_equal(harness_command(&h, STATUS)->status->exchange_priority, 0);
    assert_int_equal(harness_log_count(&h, "exchange: priority 40 refused"), 1);
    assert_int_equal(harness_log_count(&h, "LK-5012"), 1);
    harness_close(&h);

    /* the configuration requests no priority, so nothing is logged, but the status names the reason
     * for its absence */
    harness_open(&h, "realtime: {core: none}\n");
    assert_string_equal(harness_command(&h, STATUS)->status->exchange_normal,
                        "SCHED_FIFO 40 refused: Operation not permitted");
    assert_int_equal(harness_log_count(&h, "LK-5012"), 0);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_obstructed),
        cmocka_unit_test(test_checked),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_proof_leaves_gaps),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_exchange_by_default),
        cmocka_unit_test(test_exchange_refused),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
