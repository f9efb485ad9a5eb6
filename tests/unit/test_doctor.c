/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor on simulated machines: on a perfect one every check is ok, and each single defect
 * fails its own check only. */
#include "doctor.h"
#include "fixture.h"
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CHECKS_MAX 64
#define CPU        "sys/devices/system/cpu/"
#define KERNEL     "proc/sys/kernel/"

/* A tuned machine with four cores, of which 2 and 3 are for real time. */
static const char *const perfect[][2] = {
    {KERNEL "osrelease", "6.12.9-rt\n"},
    {KERNEL "sched_rt_runtime_us", "950000\n"},
    {KERNEL "sched_rt_period_us", "1000000\n"},
    {KERNEL "numa_balancing", "0\n"},
    {KERNEL "timer_migration", "0\n"},
    {KERNEL "watchdog", "1\n"},
    {KERNEL "nmi_watchdog", "0\n"},
    {KERNEL "watchdog_cpumask", "0-1\n"},
    {"proc/version", "Linux version 6.12.9-rt (a@b) #1 SMP PREEMPT_RT\n"},
    {"proc/stat", "cpu  10 0 10 1000 0 0 0 0 0 0\n"},
    {"proc/cmdline", "root=/dev/sda1 isolcpus=domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 quiet\n"},
    {"proc/cpuinfo", "model name\t: Example\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n"},
    {"proc/meminfo", "SwapTotal:          0 kB\n"},
    {"proc/self/cgroup", "1:cpu,cpuacct:/rig\n0::/rig.slice/daemon\n"},
    {"proc/self/status", "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-1\n"},
    {"proc/self/limits", "Limit   Soft   Hard   Units\n"
                         "Max locked memory         8388608    unlimited   bytes\n"
                         "Max realtime priority     95         95\n"},
    {"proc/irq/default_smp_affinity", "3\n"},
    {"proc/irq/30/effective_affinity_list", "1\n"},
    {"proc/irq/30/eth0/none", ""},
    {"proc/irq/31/effective_affinity_list", "2\n"}, /* an interrupt without a handler */
    {"proc/2/task/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0 1 0 0 "
                           "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
    {"proc/2/task/2/status", "Name:\tkthreadd\nCpus_allowed_list:\t0-1\n"},
    /* a thread that the kernel has bound to one core, FIFO 99 */
    {"proc/21/task/21/stat",
     "21 (migration/2) S 2 0 0 0 -1 69238848 0 0 0 0 0 0 0 0 -100 0 1 0 9 0 "
     "0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 2 99 1 0 0 0\n"},
    {"proc/21/task/21/status", "Cpus_allowed_list:\t2\n"},
    /* a thread of a user process, lower priority */
    {"proc/40/task/41/stat", "41 (a) (b) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 -51 0 1 0 9 0 0 1 0 "
                             "0 0 0 0 0 0 0 0 0 0 0 0 2 50 1 0 0 0\n"},
    {"proc/40/task/41/status", "Cpus_allowed_list:\t0-3\n"},
    {"sys/kernel/realtime", "1\n"},
    {"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
    {"sys/kernel/mm/ksm/run", "0\n"},
    {"sys/kernel/debug/sched/fair_server/cpu2/runtime", "50000000\n"},
    {"sys/kernel/debug/sched/fair_server/cpu2/period", "1000000000\n"},
    {"sys/kernel/debug/sched/fair_server/cpu3/runtime", "0\n"},
    {"sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", "950000\n"},
    {"sys/fs/cgroup/rig.slice/cpuset.cpus.effective", "0-3\n"},
    {"sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
    {"sys/devices/system/node/node0/cpulist", "0-1\n"},
    {"sys/devices/system/node/node1/cpulist", "2-3\n"},
    {CPU "online", "0-3\n"},
    {CPU "isolated", "2-3\n"},
    {CPU "nohz_full", "2-3\n"},
    {CPU "cpu2/topology/thread_siblings_list", "2\n"},
    {CPU "cpu3/topology/thread_siblings_list", "3\n"},
    {CPU "cpu2/cpufreq/scaling_governor", "performance\n"},
    {CPU "cpu3/cpufreq/scaling_governor", "performance\n"},
    {CPU "cpu2/cpuidle/state0/latency", "0\n"},
    {CPU "cpu2/cpuidle/state0/name", "POLL\n"},
    {CPU "cpu2/cpuidle/state1/latency", "2\n"},
    {CPU "cpu2/cpuidle/state1/name", "C1\n"},
    {CPU "cpu2/cpuidle/state2/latency", "133\n"},
    {CPU "cpu2/cpuidle/state2/disable", "1\n"},
    {CPU "cpu2/cpuidle/state2/name", "C6\n"},
    {CPU "cpu3/cpuidle/state0/latency", "0\n"},
};
#define N_PERFECT (sizeof(perfect) / sizeof(perfect[0]))

static int setup(void **state)
{
    fixture_setup(state);
    for (size_t i = 0; i < N_PERFECT; i++)
        fixture_write(*state, perfect[i][0], perfect[i][1]);
    return 0;
}

static const char *perfect_text(const char *path)
{
    for (size_t i = 0; i < N_PERFECT; i++)
        if (strcmp(perfect[i][0], path) == 0)
            return perfect[i][1];
    return NULL;
}

/* Return the results of probes on a perfect machine. */
static struct doctor_probes good_probes(void)
{
    struct doctor_probes probes = {
        .known = true,
        .clock_s = 20e-9,
        .resolution_s = 1e-9,
        .ptp = {.state = LK_PTP_SLAVE, .timed = true, .following = true, .offset_ns = -12},
        .ptp_socket = "/run/ptp4l",
        .file_system = "ext4",
        .free_bytes = (uint64_t)100 << 30,
        .n_spins = 2,
        .spins = {{.core = 2, .seconds = 1, .largest_s = 5e-6},
                  {.core = 3, .seconds = 1, .largest_s = 21e-6, .gaps = 1}},
        .interrupts = {.known = true, .seconds = 1},
    };

    return probes;
}

static struct doctor_options options_of(const struct fixture *fixture)
{
    struct doctor_options options = {
        .root = fixture->root, .directory = "/var/lib/rig", .priority = 80, .probe_s = 1};

    CPU_ZERO(&options.cores);
    return options;
}

/* Check which checks are not ok: all must have the verdict @verdict and a remedy. The checks of
 * libraries depend on this machine and are excluded.
 * @ids: "id id", in print order */
static void assert_turned(const struct doctor *doctor, const char *ids, enum doctor_verdict verdict)
{
    struct doctor_finding findings[CHECKS_MAX];
    char turned[512] = "";

    assert_true(doctor_n_checks <= CHECKS_MAX);
    doctor_examine(doctor, findings);
    for (int i = 0; i < doctor_n_checks; i++) {
        const struct doctor_finding *f = &findings[i];

        assert_string_not_equal(f->value, "");
        if (f->verdict == DOCTOR_OK || strcmp(f->check->id, "libraries") == 0) {
            assert_string_equal(f->verdict == DOCTOR_OK ? f->remedy : "", "");
            continue;
        }
        text_add(turned, sizeof(turned), "%s%s", turned[0] != '\0' ? " " : "", f->check->id);
        if (f->verdict != verdict)
            fail_msg("%s: verdict %d, not %d: %s", f->check->id, f->verdict, verdict, f->value);
        if (verdict == DOCTOR_NOT_KNOWN)
            continue;
        assert_string_not_equal(f->cost, "");
        assert_string_not_equal(f->remedy, "");
    }
    assert_string_equal(turned, ids);
}

static void read_good(struct doctor *doctor, const struct doctor_options *options)
{
    doctor_read_machine(options, doctor);
    doctor->probes = good_probes();
}

static void test_perfect(void **state)
{
    struct doctor_options options = options_of(*state);
    struct doctor_finding findings[CHECKS_MAX];
    struct doctor doctor;
    int counts[DOCTOR_VERDICTS];

    read_good(&doctor, &options);
    assert_string_equal(doctor.cores_text, "2-3");
    assert_string_equal(doctor.others_text, "0-1");
    assert_turned(&doctor, "", DOCTOR_OK);
    doctor.probes.known = false; /* libraries are then not checked either */
    doctor_examine(&doctor, findings);
    doctor_count(findings, counts);
    assert_int_equal(counts[DOCTOR_WARN] + counts[DOCTOR_FAIL], 0);
    assert_int_equal(doctor_exit_of(&doctor, counts), DOCTOR_EXIT_OK);
}

/* Without probes, only the checks that need them have no verdict. */
static void test_root_only(void **state)
{
    struct doctor_options options = options_of(*state);
    struct doctor doctor;

    doctor_read_machine(&options, &doctor);
    assert_turned(&doctor,
                  "interrupts dma_latency priority memlock clock ptp io_uring directory spin",
                  DOCTOR_NOT_KNOWN);
}

/* Defects: each replaces one file, and "" deletes it. @id: the check that must fail. */
static const struct {
    const char *path, *text, *id;
    enum doctor_verdict verdict;
} defects[] = {
    {"sys/kernel/realtime", "0\n", "kernel", DOCTOR_WARN},
    {"proc/cpuinfo", "flags\t: fpu hypervisor constant_tsc nonstop_tsc\n", "virtual_machine",
     DOCTOR_WARN},
    {"proc/cpuinfo", "flags\t: fpu tsc nonstop_tsc\n", "tsc", DOCTOR_WARN},
    {"proc/cpuinfo", "flags\t: fpu tsc constant_tsc\n", "tsc", DOCTOR_WARN},
    {CPU "online", "0-1,3\n", "cores", DOCTOR_FAIL},
    {CPU "online", "2-3\n", "cores", DOCTOR_FAIL},
    {CPU "isolated", "2\n", "isolated", DOCTOR_WARN},
    {CPU "isolated", "\n", "isolated", DOCTOR_WARN},
    {CPU "nohz_full", "3\n", "nohz_full", DOCTOR_WARN},
    {CPU "nohz_full", "", "nohz_full", DOCTOR_WARN},
    {"sys/fs/cgroup/rig.slice/cpuset.cpus.effective", "0-2\n", "cpuset", DOCTOR_FAIL},
    {CPU "cpu3/topology/thread_siblings_list", "1,3\n", "siblings", DOCTOR_WARN},
    {CPU "cpu2/topology/thread_siblings_list", "2-3\n", "siblings", DOCTOR_WARN},
    {CPU "cpu2/topology/thread_siblings_list", "", NULL, DOCTOR_OK}, /* core 3's list is enough */
    {"proc/irq/default_smp_affinity", "f\n", "irq_default", DOCTOR_WARN},
    {"proc/irq/default_smp_affinity", "00000000,00000008\n", "irq_default", DOCTOR_WARN},
    {"proc/irq/default_smp_affinity", "ffffffff,00000003\n", NULL, DOCTOR_OK},
    {"proc/irq/30/effective_affinity_list", "3\n", "irq_affinity", DOCTOR_WARN},
    {"proc/irq/31/timer/none", "", NULL, DOCTOR_OK},
    {CPU "cpu3/cpufreq/scaling_governor", "powersave\n", "governor", DOCTOR_WARN},
    {CPU "cpu3/cpufreq/scaling_governor", "", "governor", DOCTOR_NOT_KNOWN},
    {KERNEL "sched_rt_runtime_us", "500000\n", "throttling", DOCTOR_WARN},
    {KERNEL "sched_rt_runtime_us", "0\n", "throttling", DOCTOR_FAIL},
    {KERNEL "sched_rt_runtime_us", "-1\n", NULL, DOCTOR_OK},
    {KERNEL "sched_rt_runtime_us", "some\n", "throttling", DOCTOR_NOT_KNOWN},
    {"sys/kernel/debug/sched/fair_server/cpu2/runtime", "200000000\n", "fair_server", DOCTOR_WARN},
    {"sys/kernel/debug/sched/fair_server/cpu2/runtime", "", "fair_server", DOCTOR_NOT_KNOWN},
    {"sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", "0\n", "rt_group", DOCTOR_FAIL},
    {"sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", "", NULL, DOCTOR_OK},
    {"sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "clocksource",
     DOCTOR_FAIL},
    {"sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n",
     "clocksource", DOCTOR_FAIL},
    {"proc/meminfo", "SwapTotal:  2048 kB\n", NULL, DOCTOR_OK}, /* all memory is locked */
    {"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "huge_pages",
     DOCTOR_WARN},
    {"sys/kernel/mm/ksm/run", "1\n", "ksm", DOCTOR_WARN},
    {"sys/kernel/mm/ksm/run", "", NULL, DOCTOR_OK},
    {KERNEL "numa_balancing", "1\n", "numa_balancing", DOCTOR_WARN},
    {KERNEL "timer_migration", "1\n", "timer_migration", DOCTOR_WARN},
    {"sys/devices/system/node/node0/cpulist", "0-2\n", "numa_node", DOCTOR_WARN},
    {KERNEL "watchdog_cpumask", "0-3\n", "watchdog", DOCTOR_WARN},
    {KERNEL "watchdog_cpumask", "", "watchdog", DOCTOR_WARN}, /* without a mask: all cores */
    {"proc/2/task/2/status", "Cpus_allowed_list:\t0-3\n", "kernel_threads", DOCTOR_WARN},
    {"proc/40/task/41/stat",
     "41 (a) (b) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 -51 0 1 0 9 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 "
     "2 "
     "81 2 0 0 0\n",
     "foreign_tasks", DOCTOR_WARN},
    {"proc/40/task/41/stat",
     "41 (a) (b) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 -51 0 1 0 9 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 "
     "2 "
     "80 1 0 0 0\n",
     "foreign_tasks", DOCTOR_WARN}, /* a thread of another rig */
    {"proc/40/task/41/stat",
     "41 (a) (b) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 -51 0 1 0 9 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 "
     "2 "
     "79 1 0 0 0\n",
     NULL, DOCTOR_OK},
    {"proc/40/task/41/stat", "41 (a", NULL, DOCTOR_OK},
};

static void test_defects(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;

    lk_host_parse_cpus("2-3", &options.cores);
    for (size_t i = 0; i < sizeof(defects) / sizeof(defects[0]); i++) {
        const char *before = perfect_text(defects[i].path);
        const char *id = defects[i].id != NULL ? defects[i].id : "";

        if (defects[i].text[0] == '\0' && before != NULL)
            fixture_delete(fixture, defects[i].path);
        else
            fixture_write(fixture, defects[i].path, defects[i].text);
        read_good(&doctor, &options);
        /* interrupt 31 now has a handler, so its affinity matters */
        if (strstr(defects[i].path, "irq/31/timer") != NULL)
            assert_turned(&doctor, "irq_affinity", DOCTOR_WARN);
        else
            assert_turned(&doctor, id, defects[i].verdict);
        if (before != NULL)
            fixture_write(fixture, defects[i].path, before);
        else
            fixture_write(fixture, "proc/irq/31/effective_affinity_list", "0\n");
    }
}

/* Return the exit status, and in @ret_line the last line of the text. */
static int last_line(struct doctor *doctor, char *ret_line, size_t size)
{
    struct doctor_finding findings[CHECKS_MAX];
    int counts[DOCTOR_VERDICTS];
    char *text = NULL, *last;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);

    assert_non_null(file);
    doctor_ask_daemon(doctor);
    doctor_examine(doctor, findings);
    doctor_print_text(file, doctor, findings);
    fclose(file);
    assert_true(n > 1);
    text[n - 1] = '\0';
    last = strrchr(text, '\n');
    snprintf(ret_line, size, "%s", last + 1);
    free(text);
    doctor_count(findings, counts);
    return doctor_exit_of(doctor, counts);
}

/* If the daemon refuses to arm, the machine is not fit, and the text quotes the refusal. */
static void test_daemon(void **state)
{
#define REFUSES "the daemon refuses to arm without --allow-degraded: "
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;
    char line[1024];

    read_good(&doctor, &options);
    assert_int_not_equal(last_line(&doctor, line, sizeof(line)), DOCTOR_EXIT_FAIL);
    assert_string_equal(line, "the daemon arms");
    doctor.probes.fifo = EPERM;
    doctor.probes.pin = EINVAL;
    doctor.probes.pin_core = 3;
    assert_int_equal(last_line(&doctor, line, sizeof(line)), DOCTOR_EXIT_FAIL);
    assert_string_equal(line, REFUSES "no real-time priority 80: Operation not permitted; worker 2 "
                                      "is not pinned to core 3: Invalid argument");
    fixture_write(fixture, "sys/kernel/realtime", "0\n");
    fixture_write(fixture, CPU "isolated", "3\n");
    fixture_write(fixture, CPU "cpu3/topology/thread_siblings_list", "1,3\n");
    fixture_write(fixture, "proc/self/limits",
                  "Limit   Soft   Hard   Units\n"
                  "Max locked memory         8388608    8388608    bytes\n");
    lk_host_parse_cpus("2-3", &options.cores);
    read_good(&doctor, &options);
    assert_int_equal(last_line(&doctor, line, sizeof(line)), DOCTOR_EXIT_FAIL);
    assert_string_equal(line,
                        REFUSES "memory is not locked: Operation not permitted; no real-time "
                                "kernel: Linux 6.12.9-rt is not PREEMPT_RT; core 2 is shared: not "
                                "isolated, other programs may run on it; core 3 is shared: "
                                "hardware threads 1,3 are one core");
}

/* A core that the cycle of another rig uses is reported. */
static void test_taken(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;
    int fd = lk_host_lock_core(fixture->root, 3, LK_HOST_ALONE);
    char line[1024];

    assert_true(fd >= 0);
    read_good(&doctor, &options);
    assert_turned(&doctor, "taken", DOCTOR_WARN);
    doctor_ask_daemon(&doctor);
    assert_false(doctor_is_refused(&doctor)); /* core 2 is free */
    CPU_SET(3, &options.cores);
    read_good(&doctor, &options);
    assert_int_equal(last_line(&doctor, line, sizeof(line)), DOCTOR_EXIT_FAIL);
    assert_non_null(strstr(line, "the daemon does not start: core 3 is taken by "));
    CPU_ZERO(&options.cores);
    close(fd);
    read_good(&doctor, &options);
    assert_turned(&doctor, "", DOCTOR_OK);
}

/* Deep idle states are a defect unless the daemon may inhibit them. */
static void test_idle(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;

    fixture_write(fixture, CPU "cpu2/cpuidle/state2/disable", "0\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "", DOCTOR_OK);
    doctor.probes.latency = EACCES;
    assert_turned(&doctor, "idle_states dma_latency", DOCTOR_WARN);
    fixture_write(fixture, CPU "cpu2/cpuidle/state2/disable", "1\n");
    assert_turned(&doctor, "dma_latency", DOCTOR_WARN);
}

static void test_rcu(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;

    fixture_write(fixture, "proc/cmdline", "rcu_nocbs 2-3 xrcu_nocbs=2-3\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "", DOCTOR_OK); /* nohz_full implies rcu_nocbs */
    fixture_write(fixture, CPU "nohz_full", "2\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "nohz_full rcu_nocbs", DOCTOR_WARN);
    fixture_write(fixture, "proc/cmdline", "rcu_nocbs=all\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "nohz_full", DOCTOR_WARN);
}

static void test_core_0(void **state)
{
    struct doctor_options options = options_of(*state);
    struct doctor_finding findings[CHECKS_MAX];
    struct doctor doctor;

    lk_host_parse_cpus("0,2", &options.cores);
    read_good(&doctor, &options);
    doctor_examine(&doctor, findings);
    assert_string_equal(findings[2].check->id, "cores");
    assert_int_equal(findings[2].verdict, DOCTOR_WARN);
    lk_host_parse_cpus("7", &options.cores);
    read_good(&doctor, &options);
    doctor_examine(&doctor, findings);
    assert_int_equal(findings[2].verdict, DOCTOR_FAIL);
    assert_non_null(strstr(findings[2].value, "core 7 is not online"));
}

/* Without isolated cores, the doctor examines the last core that this process may use, or the last
 * one online. */
static void test_choice(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;

    fixture_write(fixture, CPU "isolated", "\n");
    doctor_read_machine(&options, &doctor);
    assert_string_equal(doctor.cores_text, "1");
    assert_string_equal(doctor.others_text, "0,2-3");
    fixture_delete(fixture, "proc/self/status");
    doctor_read_machine(&options, &doctor);
    assert_string_equal(doctor.cores_text, "3");
}

/* Each failing probe alone gives the verdict of its check. */
static void test_probes(void **state)
{
    struct doctor_options options = options_of(*state);
    struct doctor good, d;

    read_good(&good, &options);
#define expect(change, id, verdict)                                                                \
    do {                                                                                           \
        d = good;                                                                                  \
        change;                                                                                    \
        assert_turned(&d, id, verdict);                                                            \
    } while (0)
    expect(d.probes.fifo = EPERM, "priority", DOCTOR_FAIL);
    expect(d.probes.fifo = EPERM; d.limits.rtprio = 0, "priority", DOCTOR_FAIL);
    expect(d.probes.lock = ENOMEM, "memlock", DOCTOR_FAIL);
    expect(d.limits.memlock_bytes = 8L << 20, "memlock", DOCTOR_FAIL);
    expect(d.limits.memlock_bytes = 1L << 30, "memlock", DOCTOR_WARN);
    expect(d.limits.memlock_bytes = 8L << 20; d.limits.may_lock = true, "", DOCTOR_OK);
    expect(d.limits.memlock_bytes = 1L << 30; d.host.swap_kib = 4096, "memlock swap", DOCTOR_WARN);
    expect(d.probes.uring = ENOSYS, "io_uring", DOCTOR_WARN);
    expect(d.probes.pin = EINVAL; d.probes.pin_core = 3, "cpuset", DOCTOR_FAIL);
    expect(d.probes.clock_s = 400e-9, "clock", DOCTOR_WARN);
    expect(d.probes.resolution_s = 4e-3, "clock", DOCTOR_FAIL);
    expect(d.probes.ptp_socket = "", "ptp", DOCTOR_NOT_KNOWN);
    expect(d.probes.ptp.state = LK_PTP_UNKNOWN;
           d.probes.ptp_error = -EACCES, "ptp", DOCTOR_NOT_KNOWN);
    expect(d.probes.ptp.state = LK_PTP_LISTENING, "ptp", DOCTOR_WARN);
    expect(d.probes.ptp.state = LK_PTP_MASTER, "", DOCTOR_OK);
    expect(d.probes.directory = EACCES, "directory", DOCTOR_FAIL);
    expect(d.probes.directory_is_remote = true, "directory", DOCTOR_WARN);
    expect(d.probes.free_bytes = 1000, "directory", DOCTOR_WARN);
    expect(d.probes.spins[1].largest_s = 5e-3, "spin", DOCTOR_WARN);
    expect(d.probes.spins[0].gaps = 11, "spin", DOCTOR_WARN);
    expect(d.probes.spins[0].error = EINVAL, "spin", DOCTOR_WARN);
    expect(d.probes.n_spins = 0, "spin", DOCTOR_NOT_KNOWN);
    expect(d.probes.interrupts.devices = 3, "interrupts", DOCTOR_WARN);
    expect(d.probes.interrupts.all = 3, "", DOCTOR_OK);
    expect(d.probes.interrupts.known = false, "interrupts", DOCTOR_NOT_KNOWN);
#undef expect
}

/* Swap is a defect if it is unknown whether memory can be locked. */
static void test_swap_unknown(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor_finding findings[CHECKS_MAX];
    struct doctor doctor;
    int counts[DOCTOR_VERDICTS];

    fixture_write(fixture, "proc/meminfo", "SwapTotal:  2097152 kB\n");
    doctor_read_machine(&options, &doctor);
    doctor_examine(&doctor, findings);
    doctor_count(findings, counts);
    assert_int_equal(counts[DOCTOR_WARN], 1);
    assert_int_equal(counts[DOCTOR_FAIL], 0);
    doctor_ask_daemon(&doctor);
    assert_int_equal(doctor_exit_of(&doctor, counts), DOCTOR_EXIT_WARN);
    doctor.probes = good_probes();
    doctor.probes.fifo = EPERM;
    doctor_examine(&doctor, findings);
    doctor_count(findings, counts);
    doctor_ask_daemon(&doctor);
    assert_int_equal(doctor_exit_of(&doctor, counts), DOCTOR_EXIT_FAIL);
}

/* Before Linux 6.12 the RT throttle is checked instead of the fair server, which did not exist. */
static void test_old_kernel(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor doctor;

    fixture_delete(fixture, "sys/kernel/debug/sched/fair_server/cpu2/runtime");
    fixture_write(fixture, KERNEL "osrelease", "6.1.0-rt\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "", DOCTOR_OK);
    fixture_write(fixture, KERNEL "osrelease", "6.12.0\n");
    read_good(&doctor, &options);
    assert_turned(&doctor, "fair_server", DOCTOR_NOT_KNOWN);
}

/* If no file exists there is no verdict; random bytes in every file do no harm. */
static void test_nothing(void **state)
{
    const struct fixture *fixture = *state;
    struct doctor_options options = options_of(fixture);
    struct doctor_finding findings[CHECKS_MAX];
    struct doctor doctor;
    int counts[DOCTOR_VERDICTS];
    struct fixture empty;

    fixture_open(&empty);
    options.root = empty.root;
    doctor_read_machine(&options, &doctor);
    doctor_examine(&doctor, findings);
    doctor_count(findings, counts);
    assert_int_equal(counts[DOCTOR_NOT_KNOWN], doctor_n_checks);
    fixture_close(&empty);

    options.root = fixture->root;
    for (int k = 0; k < 3; k++) {
        static const char *const rubbish[] = {"\n", "?-,:(\xff\n)", "99999999999999999999999\n"};

        for (size_t i = 0; i < N_PERFECT; i++)
            fixture_write(fixture, perfect[i][0], rubbish[k]);
        doctor_read_machine(&options, &doctor);
        doctor_examine(&doctor, findings);
    }
}

/* The printed text contains only checks that are not ok, and the last line. */
static void test_text(void **state)
{
    struct doctor_options options = options_of(*state);
    struct doctor_finding findings[CHECKS_MAX];
    struct doctor doctor;
    char *text = NULL;
    size_t size = 0;
    FILE *file;

    options.quiet = true;
    read_good(&doctor, &options);
    doctor.probes.fifo = EPERM;
    doctor.limits.rtprio = 20;
    doctor_examine(&doctor, findings);
    for (int i = 0; i < doctor_n_checks; i++)
        if (strcmp(findings[i].check->id, "libraries") == 0)
            findings[i].verdict = DOCTOR_OK;
    file = open_memstream(&text, &size);
    doctor_print_text(file, &doctor, findings);
    fclose(file);
    assert_true(
        strncmp(text, "fail     priority        SCHED_FIFO 80 refused: Operation not ", 62) == 0);
    assert_non_null(strstr(text, "(limit rtprio is 20)\n"));
    assert_non_null(strstr(text, "\n                   mend: as a service: LimitRTPRIO=95"));
    assert_non_null(strstr(text, "\n36 ok, 0 warn, 1 fail, 0 unknown: not fit\n"));
    assert_null(strstr(text, "kernel"));
    free(text);
}

/* The real probes on this machine return some plausible result. */
static void test_live(void **state)
{
    struct doctor_options options = {.root = "", .directory = "/", .priority = 1, .probe_s = 0.05};
    struct doctor doctor;
    int policy = sched_getscheduler(0);

    (void)state;
    CPU_ZERO(&options.cores);
    doctor_read_machine(&options, &doctor);
    doctor_try(&doctor);
    assert_true(doctor.probes.known);
    assert_true(doctor.probes.clock_s > 1e-9 && doctor.probes.clock_s < 1e-3);
    assert_true(doctor.probes.n_spins >= 1);
    assert_string_not_equal(doctor.probes.file_system, "");
    if (doctor.probes.spins[0].error == 0) {
        assert_true(doctor.probes.spins[0].seconds >= 0.05);
        assert_true(doctor.probes.spins[0].largest_s > 0.0 || doctor.probes.spins[0].gaps == 0);
    }
    /* no child process remains, and this thread is unchanged */
    assert_int_equal(sched_getscheduler(0), policy);
}

int main(void)
{
#define on_machine(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        on_machine(test_perfect), on_machine(test_root_only),    on_machine(test_defects),
        on_machine(test_daemon),  on_machine(test_taken),        on_machine(test_idle),
        on_machine(test_rcu),     on_machine(test_core_0),       on_machine(test_choice),
        on_machine(test_probes),  on_machine(test_swap_unknown), on_machine(test_old_kernel),
        on_machine(test_nothing), on_machine(test_text),         cmocka_unit_test(test_live),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
