/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of a machine that are read from its system files. If a file is missing, the
 * property is unknown. */
#include "fixture.h"
#include "linkage/host.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const files[] = {
    "proc/sys/kernel/osrelease",
    "proc/sys/kernel/sched_rt_runtime_us",
    "proc/sys/kernel/sched_rt_period_us",
    "proc/version",
    "proc/cpuinfo",
    "proc/meminfo",
    "sys/kernel/realtime",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/nohz_full",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
};
#define N_FILES (sizeof(files) / sizeof(files[0]))

static void assert_cpus(const cpu_set_t *cpus, const char *list)
{
    char text[128];

    lk_host_format_cpus(cpus, text, sizeof(text));
    assert_string_equal(text, list);
}

static void assert_unknown(const char *root)
{
    struct lk_host host;
    char text[32];
    cpu_set_t cpus;

    memset(&host, 0x5a, sizeof(host));
    lk_host_read(root, &host);
    assert_int_equal(host.kernel_major, -1);
    assert_int_equal(host.kernel_minor, -1);
    assert_int_equal(host.n_cpus, -1);
    assert_int_equal(host.realtime, LK_HOST_UNKNOWN);
    assert_int_equal(host.virtual_machine, LK_HOST_UNKNOWN);
    assert_cpus(&host.isolated, "");
    assert_cpus(&host.nohz_full, "");
    assert_int_equal(host.rt_runtime_us, -2);
    assert_int_equal(host.rt_period_us, -1);
    assert_string_equal(host.huge_pages, "");
    assert_int_equal(host.swap_kib, -1);
    assert_string_equal(host.processor, "");
    lk_host_governor(root, 0, text, sizeof(text));
    assert_string_equal(text, "");
    lk_host_siblings(root, 0, &cpus);
    assert_cpus(&cpus, "");
    assert_false(lk_host_has_flag(root, "constant_tsc"));
}

static void test_missing(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host host;

    assert_unknown(fixture->root);
    assert_unknown("/nowhere/at/all");
    lk_host_read(fixture->root, &host);
    assert_string_equal(host.kernel, "");
    assert_string_equal(host.clocksource, "");
}

static void test_empty(void **state)
{
    const struct fixture *fixture = *state;

    for (size_t i = 0; i < N_FILES; i++)
        fixture_write(fixture, files[i], "");
    assert_unknown(fixture->root);
    for (size_t i = 0; i < N_FILES; i++)
        fixture_write(fixture, files[i], "\n");
    assert_unknown(fixture->root);
}

static void test_garbage(void **state)
{
    static const char *const texts[] = {"<?>\n",        "[",   "x1-2\n",
                                        "\xff\xfe\x01", "-\n", "99999999999x"};
    const struct fixture *fixture = *state;

    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < N_FILES; i++)
            fixture_write(fixture, files[i], texts[k]);
        assert_unknown(fixture->root);
    }
    /* these texts may be accepted as a list or a word, but must do no harm */
    for (size_t k = 3; k < sizeof(texts) / sizeof(texts[0]); k++) {
        struct lk_host host;

        for (size_t i = 0; i < N_FILES; i++)
            fixture_write(fixture, files[i], texts[k]);
        lk_host_read(fixture->root, &host);
        assert_int_equal(host.rt_runtime_us, -2);
        assert_int_equal(host.realtime, LK_HOST_UNKNOWN);
    }
}

/* Each file is a single line longer than any buffer. */
static void test_long(void **state)
{
    const struct fixture *fixture = *state;
    static char text[40000];
    struct lk_host host;

    memset(text, '7', sizeof(text) - 1);
    for (size_t i = 0; i < N_FILES; i++)
        fixture_write(fixture, files[i], text);
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.rt_runtime_us, -2);
    assert_int_equal(host.swap_kib, -1);
    assert_true(strlen(host.kernel) < sizeof(host.kernel));
}

static void test_realtime_machine(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host host;
    char text[32];
    cpu_set_t cpus;

    fixture_write(fixture, "proc/sys/kernel/osrelease", "6.1.0-28-rt-amd64\n");
    fixture_write(fixture, "proc/sys/kernel/sched_rt_runtime_us", "-1\n");
    fixture_write(fixture, "proc/sys/kernel/sched_rt_period_us", "1000000\n");
    fixture_write(fixture, "proc/cpuinfo",
                  "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\n"
                  "flags\t\t: fpu tsc constant_tsc nonstop_tsc\n\nprocessor\t: 1\n"
                  "model name\t: Other\n");
    fixture_write(fixture, "proc/meminfo", "MemTotal: 8000 kB\nSwapTotal:       2048 kB\n");
    fixture_write(fixture, "sys/kernel/realtime", "1\n");
    fixture_write(fixture, "sys/kernel/mm/transparent_hugepage/enabled",
                  "always [madvise] never\n");
    fixture_write(fixture, "sys/devices/system/cpu/online", "0-3\n");
    fixture_write(fixture, "sys/devices/system/cpu/isolated", "2-3\n");
    fixture_write(fixture, "sys/devices/system/cpu/nohz_full", "3\n");
    fixture_write(fixture, files[11], "tsc\n");
    fixture_write(fixture, "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
    fixture_write(fixture, "sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n");

    lk_host_read(fixture->root, &host);
    assert_string_equal(host.kernel, "Linux 6.1.0-28-rt-amd64");
    assert_int_equal(host.kernel_major, 6);
    assert_int_equal(host.kernel_minor, 1);
    assert_string_equal(host.processor, "Example CPU @ 3.00GHz");
    assert_int_equal(host.n_cpus, 4);
    assert_int_equal(host.realtime, LK_HOST_YES);
    assert_int_equal(host.virtual_machine, LK_HOST_NO);
    assert_cpus(&host.isolated, "2-3");
    assert_cpus(&host.nohz_full, "3");
    assert_string_equal(host.clocksource, "tsc");
    assert_int_equal(host.rt_runtime_us, -1);
    assert_int_equal(host.rt_period_us, 1000000);
    assert_string_equal(host.huge_pages, "madvise");
    assert_int_equal(host.swap_kib, 2048);
    lk_host_governor(fixture->root, 3, text, sizeof(text));
    assert_string_equal(text, "powersave");
    lk_host_siblings(fixture->root, 3, &cpus);
    assert_cpus(&cpus, "1,3");
    assert_true(lk_host_has_flag(fixture->root, "constant_tsc"));
    assert_true(lk_host_has_flag(fixture->root, "nonstop_tsc"));
    assert_false(lk_host_has_flag(fixture->root, "nonstop")); /* only a part of a flag */
}

static void test_virtual_machine(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host host;

    fixture_write(fixture, "proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n");
    fixture_write(fixture, "proc/version", "Linux version 6.18.4 (a@b) #1 SMP PREEMPT_DYNAMIC\n");
    fixture_write(fixture, "sys/devices/system/cpu/nohz_full", "(null)\n");
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.virtual_machine, LK_HOST_YES);
    assert_int_equal(host.realtime, LK_HOST_NO); /* the file is missing */
    assert_cpus(&host.nohz_full, "");

    fixture_write(fixture, "proc/cpuinfo", "Features\t: fp asimd\n"); /* no flags: unknown */
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.virtual_machine, LK_HOST_UNKNOWN);
    fixture_write(fixture, "sys/hypervisor/type", "xen\n");
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.virtual_machine, LK_HOST_YES);
}

/* Some kernels with PREEMPT_RT lack the file; the version then counts. If the file exists and
 * contains 0, the kernel is not real-time. */
static void test_realtime_by_version(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host host;

    fixture_write(fixture, "proc/version", "Linux version 6.12.1 (a@b) #1 SMP PREEMPT_RT Debian\n");
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.realtime, LK_HOST_YES);
    fixture_write(fixture, "sys/kernel/realtime", "0\n");
    lk_host_read(fixture->root, &host);
    assert_int_equal(host.realtime, LK_HOST_NO);
}

static void test_partition(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host host;

    fixture_write(fixture, "sys/devices/system/cpu/isolated", "3\n");
    fixture_write(fixture, "sys/fs/cgroup/cpuset.cpus.isolated", "1-2\n");
    lk_host_read(fixture->root, &host);
    assert_cpus(&host.isolated, "1-3");
}

static void test_parse(void **state)
{
    static const struct {
        const char *text, *list;
        int n;
    } rows[] = {
        {"", "", 0},
        {"0", "0", 1},
        {"1-3,8", "1-3,8", 4},
        {"3,2,1", "1-3", 3},
        {"5-4", "", 0},
        {"1,", "1", 1},
        {"2-", "", 0},
        {",1", "", 0},
        {"1,x,3", "1", 1},
        {" 1", "", 0},
        {"1-3 4", "1-3", 3},
        {"-1", "", 0},
        {"1022-9999", "1022-1023", 2},
        {"99999", "", 0},
        {"99999999999999999999", "", 0},
        {"0-3:1/2,7", "0-3", 4},
    };
    cpu_set_t cpus;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(lk_host_parse_cpus(rows[i].text, &cpus), rows[i].n);
        assert_cpus(&cpus, rows[i].list);
    }
}

static void test_format_short(void **state)
{
    char text[20];
    cpu_set_t cpus;

    (void)state;
    for (size_t size = 1; size <= sizeof(text); size++) {
        lk_host_parse_cpus("1000-1002,1004-1006,1008", &cpus);
        memset(text, 'x', sizeof(text));
        lk_host_format_cpus(&cpus, text, size);
        assert_true(strcmp(text, "") == 0 || strcmp(text, "1000-1002") == 0);
    }
}

static void test_read_text(void **state)
{
    const struct fixture *fixture = *state;
    char text[8], long_path[5000];

    fixture_write(fixture, "a/b", "one\ntwo\n");
    assert_int_equal(lk_host_read_text(fixture->root, "a/b", text, sizeof(text)), 3);
    assert_string_equal(text, "one");
    fixture_write(fixture, "a/b", "0123456789");
    assert_int_equal(lk_host_read_text(fixture->root, "a/b", text, sizeof(text)), 7);
    assert_string_equal(text, "0123456");
    assert_int_equal(lk_host_read_text(fixture->root, "a/c", text, sizeof(text)), -ENOENT);
    assert_string_equal(text, "");
    assert_int_equal(lk_host_read_text(fixture->root, "a", text, sizeof(text)), -EISDIR);
    assert_string_equal(text, "");
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    assert_int_equal(lk_host_read_text("", long_path, text, sizeof(text)), -ENAMETOOLONG);
}

/* Reading the files of this machine, whatever it is, gives plausible values. */
static void test_here(void **state)
{
    struct lk_host host;

    (void)state;
    lk_host_read("", &host);
    assert_true(strncmp(host.kernel, "Linux ", 6) == 0);
    assert_true(host.kernel_major >= 3);
    assert_true(host.n_cpus >= 1);
    assert_string_not_equal(host.processor, "");
}

/* ---- cores and threads of other processes ---- */

#define CORE_2 "sys/devices/system/cpu/cpu2/online"

static const char *holder(const struct fixture *fixture)
{
    static char text[256];

    return lk_host_core_holder(fixture->root, 2, text, sizeof(text)) != LK_HOST_UNLOCKED ? text
                                                                                         : NULL;
}

/* A core is locked by one process alone, or shared by several; closing the descriptor unlocks
 * it. */
static void test_lock(void **state)
{
    const struct fixture *fixture = *state;
    int first, second;

    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE), -ENOENT);
    assert_null(holder(fixture));
    fixture_write(fixture, CORE_2, "1\n");
    first = lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE);
    assert_true(first >= 0);
    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE), -EWOULDBLOCK);
    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_SHARED), -EWOULDBLOCK);
    close(first);
    assert_null(holder(fixture));

    first = lk_host_lock_core(fixture->root, 2, LK_HOST_SHARED);
    second = lk_host_lock_core(fixture->root, 2, LK_HOST_SHARED);
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE), -EWOULDBLOCK);
    close(second);
    close(first);
}

/* The owner is read from proc/locks and its command from proc/PID/cmdline. */
static void test_holder(void **state)
{
    const struct fixture *fixture = *state;
    char path[128], line[256];
    struct stat core;
    int fd;

    fixture_write(fixture, CORE_2, "1\n");
    snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu2", fixture->root);
    assert_int_equal(stat(path, &core), 0);
    fd = lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE);
    assert_true(fd >= 0);
    assert_string_equal(holder(fixture), "a process that cannot be seen from here");
    snprintf(line, sizeof(line),
             "1: POSIX  ADVISORY  WRITE 5 %02x:%02x:%lu 0 EOF\n"
             "2: FLOCK  ADVISORY  WRITE 6 %02x:%02x:%lu 0 EOF\n"
             "3: FLOCK  ADVISORY  WRITE 77 %02x:%02x:%lu 0 EOF\n",
             major(core.st_dev), minor(core.st_dev), core.st_ino, major(core.st_dev),
             minor(core.st_dev), core.st_ino + 1, major(core.st_dev), minor(core.st_dev),
             core.st_ino);
    fixture_write(fixture, "proc/locks", line);
    fixture_write(fixture, "proc/77/status", "Name:\tlinkaged\nUid:\t0\t0\t0\t0\n");
    assert_string_equal(holder(fixture), "process 77");
    fixture_write(fixture, "proc/77/cmdline", "linkaged --config\nrig.yaml");
    assert_string_equal(holder(fixture), "process 77 (linkaged --config?rig.yaml)");
    close(fd);
    assert_null(holder(fixture));
}

/* Anybody may lock the folder of a core. A lock is respected only if real and effective user of its
 * process are root or the user of this process. */
static void test_whose_lock_counts(void **state)
{
    const struct fixture *fixture = *state;
    const unsigned int me = geteuid(), other = me + 4711;
    const struct {
        unsigned int real;
        unsigned int effective;
        enum lk_host_lock lock;
    } users[] = {{0, 0, LK_HOST_LOCKED},
                 {me, me, LK_HOST_LOCKED},
                 {other, other, LK_HOST_OBSTRUCTED},
                 {other, 0, LK_HOST_OBSTRUCTED},
                 {0, other, LK_HOST_OBSTRUCTED}};
    char path[128], line[256], text[256];
    struct stat core;
    int fd;

    fixture_write(fixture, CORE_2, "1\n");
    snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu2", fixture->root);
    assert_int_equal(stat(path, &core), 0);
    fd = lk_host_lock_core(fixture->root, 2, LK_HOST_SHARED);
    assert_true(fd >= 0);
    fixture_write(fixture, "proc/77/cmdline", "sleep");
    for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
        const bool counts = users[i].lock == LK_HOST_LOCKED;

        snprintf(line, sizeof(line), "1: FLOCK ADVISORY WRITE 77 %02x:%02x:%lu 0 EOF\n",
                 major(core.st_dev), minor(core.st_dev), core.st_ino);
        fixture_write(fixture, "proc/locks", line);
        snprintf(line, sizeof(line), "Name:\tx\nUid:\t%u\t%u\t0\t0\n", users[i].real,
                 users[i].effective);
        fixture_write(fixture, "proc/77/status", line);
        close(fd);
        fd = lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE);
        assert_int_equal(lk_host_core_holder(fixture->root, 2, text, sizeof(text)), users[i].lock);
        snprintf(line, sizeof(line), " of user %u", users[i].real);
        assert_true((strstr(text, line) == NULL) == counts);
        assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_SHARED),
                         counts ? -EWOULDBLOCK : -EPERM);
    }
    /* a lock that is respected, beside one that is not */
    snprintf(line, sizeof(line),
             "1: FLOCK ADVISORY READ 77 %02x:%02x:%lu 0 EOF\n"
             "2: FLOCK ADVISORY READ 78 %02x:%02x:%lu 0 EOF\n",
             major(core.st_dev), minor(core.st_dev), core.st_ino, major(core.st_dev),
             minor(core.st_dev), core.st_ino);
    fixture_write(fixture, "proc/locks", line);
    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE), -EPERM);
    fixture_write(fixture, "proc/78/status", "Uid:\t0\t0\t0\t0\n");
    assert_int_equal(lk_host_lock_core(fixture->root, 2, LK_HOST_ALONE), -EWOULDBLOCK);
    close(fd);
}

#define THREAD(policy, priority)                                                                   \
    "8 (worker) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 -51 0 1 0 9 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 "   \
    "0 2 " priority " " policy " 0 0 0\n"
#define FIFO  "1"
#define OTHER "0"

static int find_rivals(const struct fixture *fixture, int own, struct lk_host_rivals *ret)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    CPU_SET(2, &cores);
    return lk_host_find_rivals(fixture->root, &cores, 50, own, ret);
}

/* A rival is a thread of another process that may run on one of the cores and has at least equal
 * priority. */
static void test_rivals(void **state)
{
    const struct fixture *fixture = *state;
    struct lk_host_rivals rivals;

    assert_int_equal(find_rivals(fixture, 0, &rivals), 0);
    fixture_write(fixture, "proc/7/task/8/stat", THREAD(FIFO, "50"));
    fixture_write(fixture, "proc/7/task/8/status", "Cpus_allowed_list:\t1-2\n");
    assert_int_equal(find_rivals(fixture, 0, &rivals), 1);
    assert_int_equal(rivals.n, 1);
    assert_int_equal(rivals.first, 8);
    assert_string_equal(rivals.names, "8 worker (priority 50)");
    assert_int_equal(find_rivals(fixture, 7, &rivals), 1);
    assert_int_equal(rivals.n, 0);
    assert_string_equal(rivals.names, "");

    fixture_write(fixture, "proc/7/task/8/status", "Cpus_allowed_list:\t1,3\n");
    find_rivals(fixture, 0, &rivals);
    assert_int_equal(rivals.n, 0);
    fixture_write(fixture, "proc/7/task/8/status", "Cpus_allowed_list:\t2\n");
    fixture_write(fixture, "proc/7/task/8/stat", THREAD(FIFO, "49"));
    find_rivals(fixture, 0, &rivals);
    assert_int_equal(rivals.n, 0);
    fixture_write(fixture, "proc/7/task/8/stat", THREAD(OTHER, "50"));
    find_rivals(fixture, 0, &rivals);
    assert_int_equal(rivals.n, 0);
}

int main(void)
{
#define test_in_folder(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        test_in_folder(test_missing),
        test_in_folder(test_empty),
        test_in_folder(test_garbage),
        test_in_folder(test_long),
        test_in_folder(test_realtime_machine),
        test_in_folder(test_virtual_machine),
        test_in_folder(test_realtime_by_version),
        test_in_folder(test_partition),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_format_short),
        test_in_folder(test_read_text),
        cmocka_unit_test(test_here),
        test_in_folder(test_lock),
        test_in_folder(test_whose_lock_counts),
        test_in_folder(test_holder),
        test_in_folder(test_rivals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
