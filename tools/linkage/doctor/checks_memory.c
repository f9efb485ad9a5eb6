/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of clock and memory. */
#include "doctor.h"

#include <string.h>

#define CLOCK_SLOW_S     100e-9 /* without a system call a reading takes 20 to 40 ns */
#define RESOLUTION_BAD_S 1e-6
#define NODES            64

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Return true on an x86 processor: all of them have this feature flag, and no other processor lists
 * it. */
static bool is_x86(const struct doctor *d)
{
    return lk_host_has_flag(d->root, "fpu");
}

void check_clocksource(const struct doctor *d, struct doctor_finding *f)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", NULL};
    const char *name = d->host.clocksource;
    bool good = strcmp(name, "tsc") == 0 || (!is_x86(d) && !is_one_of(name, slow));

    if (name[0] == '\0')
        return;
    found(f, good ? DOCTOR_OK : DOCTOR_FAIL, "%s", name);
    costs(f, "every look at the clock takes a microsecond or more where it took 30 ns, or its rate "
             "is not the processor's own; a cycle looks a dozen times");
    mend(f, "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource; "
            "if that is refused, boot with tsc=reliable clocksource=tsc (sudo dmesg | grep -i tsc "
            "says why it was dropped)");
}

/* Check the PTP clock. The cycle does not depend on PTP, but a comparison of times of two machines
 * does. */
void check_ptp(const struct doctor *d, struct doctor_finding *f)
{
    const struct doctor_probes *p = &d->probes;
    char clock[LK_PTP_CLOCK_SIZE];

    if (!p->known || p->ptp_socket[0] == '\0') {
        found(f, DOCTOR_NOT_KNOWN,
              !p->known ? "not tried: this is another root" : "no ptp4l runs here");
        return;
    }
    lk_ptp_clock_name(p->ptp.grandmaster, clock);
    if (p->ptp.state == LK_PTP_UNKNOWN)
        found(f, DOCTOR_NOT_KNOWN, "%s: %s", p->ptp_socket,
              p->ptp_error ? strerror(-p->ptp_error) : "no answer");
    else if (p->ptp.state == LK_PTP_SLAVE && p->ptp.timed)
        found(f, DOCTOR_OK, "SLAVE, %lld ns from its master, grandmaster %s",
              (long long)p->ptp.offset_ns, clock);
    else
        found(f, p->ptp.state == LK_PTP_MASTER ? DOCTOR_OK : DOCTOR_WARN, "%s",
              lk_ptp_state_name(p->ptp.state));
    costs(f, "one-way times between this machine and a bench mean nothing; round trips do");
    mend(f, "the log of ptp4l says what it waits for; a key `ptp` in the configuration puts its "
            "state into `linkagectl status`");
}

void check_tsc(const struct doctor *d, struct doctor_finding *f)
{
    bool constant = lk_host_has_flag(d->root, "constant_tsc");
    bool nonstop = lk_host_has_flag(d->root, "nonstop_tsc");

    if (!is_x86(d)) {
        if (d->host.processor[0] != '\0')
            found(f, DOCTOR_NOT_KNOWN, "not on this kind of processor");
        return;
    }
    if (constant && nonstop)
        found(f, DOCTOR_OK, "constant_tsc, nonstop_tsc");
    else
        found(f, DOCTOR_WARN, "the processor lacks %s%s%s", constant ? "" : "constant_tsc",
              constant || nonstop ? "" : " and ", nonstop ? "" : "nonstop_tsc");
    costs(f, "the kernel may find the counter unsteady in the midst of a run and change to a slow "
             "clock");
    mend(f, "another processor; a virtual machine: pass it on (qemu: -cpu host,+invtsc); meanwhile "
            "boot with processor.max_cstate=1");
}

void check_clock(const struct doctor *d, struct doctor_finding *f)
{
    const struct doctor_probes *p = &d->probes;
    enum doctor_verdict verdict = DOCTOR_OK;

    if (!p->known) {
        found(f, DOCTOR_NOT_KNOWN, "not tried: this is another root");
        return;
    }
    if (p->resolution_s > RESOLUTION_BAD_S)
        verdict = DOCTOR_FAIL;
    else if (p->clock_s > CLOCK_SLOW_S)
        verdict = DOCTOR_WARN;
    found(f, verdict, "%.0f ns a reading, resolution %.0f ns", p->clock_s * 1e9,
          p->resolution_s * 1e9);
    costs(f, verdict == DOCTOR_FAIL ? "deadlines are kept no better than this resolution"
                                    : "a cycle looks at the clock a dozen times");
    mend(f, verdict == DOCTOR_FAIL
                ? "boot without highres=off, or a kernel with CONFIG_HIGH_RES_TIMERS=y"
                : "see clocksource; in containers and under debuggers the clock is slow, too");
}

/* Check swap space. It has no effect on locked memory, which is never swapped. */
void check_swap(const struct doctor *d, struct doctor_finding *f)
{
    bool locked = d->probes.known && d->probes.lock == 0 &&
                  (d->limits.memlock_bytes == DOCTOR_UNLIMITED || d->limits.may_lock);

    if (d->host.swap_kib < 0)
        return;
    if (d->host.swap_kib == 0)
        found(f, DOCTOR_OK, "off");
    else
        found(f, locked ? DOCTOR_OK : DOCTOR_WARN, "%ld MiB%s", d->host.swap_kib >> 10,
              locked ? ", locked memory stays out of it" : "");
    costs(f, "memory that is not locked can be on the disk when it is needed: milliseconds each");
    mend(f, "sudo swapoff -a, and take it out of /etc/fstab; or lift the limit of locked memory "
            "(check memlock)");
}

void check_huge_pages(const struct doctor *d, struct doctor_finding *f)
{
    const char *value = d->host.huge_pages;

    if (value[0] != '\0')
        found(f, strcmp(value, "always") == 0 ? DOCTOR_WARN : DOCTOR_OK, "%s", value);
    else if (doctor_is_read(d))
        found(f, DOCTOR_OK, "not in this kernel");
    costs(f,
          "the kernel collects and merges pages when it likes: a fault takes five times as long, "
          "and the memory of a running cycle is moved");
    mend(f, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled; for good: boot "
            "with transparent_hugepage=madvise");
}

/* Check a kernel switch that should be 0. If its file does not exist, the kernel lacks the
 * feature. */
static void check_off(const struct doctor *d, struct doctor_finding *f, const char *path)
{
    long value = doctor_number(d, "%s", path);

    if (value == DOCTOR_UNKNOWN && doctor_is_read(d))
        found(f, DOCTOR_OK, "not in this kernel");
    else if (value != DOCTOR_UNKNOWN)
        found(f, value == 0 ? DOCTOR_OK : DOCTOR_WARN, value == 0 ? "off" : "on (%ld)", value);
}

void check_ksm(const struct doctor *d, struct doctor_finding *f)
{
    check_off(d, f, "sys/kernel/mm/ksm/run");
    costs(f, "the kernel compares and merges pages; writing to a merged one is a fault, 10 us or "
             "more");
    mend(f, "echo 0 | sudo tee /sys/kernel/mm/ksm/run, and stop ksmtuned");
}

void check_numa_balancing(const struct doctor *d, struct doctor_finding *f)
{
    check_off(d, f, "proc/sys/kernel/numa_balancing");
    costs(f, "the kernel takes pages away on purpose to see who uses them: faults in the cycle");
    mend(f, "sudo sysctl kernel.numa_balancing=0");
}

void check_timer_migration(const struct doctor *d, struct doctor_finding *f)
{
    check_off(d, f, "proc/sys/kernel/timer_migration");
    costs(f, "timers of sleeping cores are moved to busy ones, and the core of a cycle that spins "
             "is a busy one");
    mend(f, "sudo sysctl kernel.timer_migration=0");
}

void check_numa_node(const struct doctor *d, struct doctor_finding *f)
{
    int n = 0, nodes = 0;
    int first = -1;

    for (int i = 0; i < NODES; i++) {
        cpu_set_t cores;

        if (!doctor_list(d, &cores, "sys/devices/system/node/node%d/cpulist", i))
            continue;
        nodes++;
        CPU_AND(&cores, &cores, &d->cores);
        if (CPU_COUNT(&cores) > 0 && n++ == 0)
            first = i;
    }
    if (nodes == 0)
        return;
    if (n <= 1)
        found(f, DOCTOR_OK, nodes == 1 ? "there is one node only" : "all cores on node %d", first);
    else
        found(f, DOCTOR_WARN, "cores %s lie on %d nodes", d->cores_text, n);
    costs(f, "workers reach each other's memory across nodes: every hand-over takes several times "
             "as long");
    mend(f,
         "cores of one node: realtime: {core, worker_cores} in the configuration, and start "
         "with: numactl --membind=%d",
         first);
}
