/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the kernel: throttling, priority, locked memory. */
#include "doctor.h"

#include <errno.h>
#include <string.h>

#define SHARE_MIN      0.9          /* share of a core that a cycle may need */
#define LOCK_MIN       (256L << 20) /* with a lower limit linkaged locks no memory */
#define PRIORITY_MOST  95           /* priority granted to the service */
#define FAIR_PERIOD_NS 1000000000L

/* Return true if the kernel is 6.12 or later, in which a fair server replaced the throttle. */
static bool has_fair_server(const struct doctor *d)
{
    return d->host.kernel_major > 6 || (d->host.kernel_major == 6 && d->host.kernel_minor >= 12);
}

void check_throttling(const struct doctor *d, struct doctor_finding *f)
{
    long runtime = d->host.rt_runtime_us;
    long period = d->host.rt_period_us;

    if (runtime == DOCTOR_UNKNOWN || (runtime >= 0 && period <= 0))
        return;
    costs(f, "a cycle that computes or spins for more than this share of the time loses the core "
             "until the next period begins: a gap of many cycles");
    mend(f, "sudo sysctl kernel.sched_rt_runtime_us=950000, or =-1 on isolated cores");
    if (runtime < 0) {
        found(f, DOCTOR_OK, "off");
    } else if (runtime == 0) {
        found(f, DOCTOR_FAIL, "no time for real-time tasks");
        costs(f, "real-time tasks are refused or never run");
    } else if ((double)runtime < SHARE_MIN * (double)period) {
        found(f, DOCTOR_WARN, "%ld of every %ld us", runtime, period);
    } else {
        found(f, DOCTOR_OK, "%ld of every %ld us%s", runtime, period,
              has_fair_server(d) ? ", by the fair server in this kernel" : "");
    }
}

void check_fair_server(const struct doctor *d, struct doctor_finding *f)
{
    static const char folder[] = "sys/kernel/debug/sched/fair_server/cpu%d/%s";

    if (!doctor_is_read(d) || d->host.kernel_major < 0)
        return;
    if (!has_fair_server(d)) {
        found(f, DOCTOR_OK, "not in this kernel");
        return;
    }
    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        long runtime = doctor_number(d, folder, i, "runtime");
        long period = doctor_number(d, folder, i, "period");

        if (runtime < 0) {
            found(f, DOCTOR_NOT_KNOWN,
                  "not readable; as set by default a cycle that needs more "
                  "than 95 %% of its core loses it for 50 ms in a second");
            return;
        }
        period = period > 0 ? period : FAIR_PERIOD_NS;
        if ((double)runtime > (1.0 - SHARE_MIN) * (double)period) {
            found(f, DOCTOR_WARN, "%ld of every %ld us on core %d", runtime / 1000, period / 1000,
                  i);
            costs(f, "as much of the core goes to normal tasks in one piece, if any wait for it");
            mend(f, "echo 50000000 | sudo tee /sys/kernel/debug/sched/fair_server/cpu%d/runtime",
                 i);
            return;
        }
        found(f, DOCTOR_OK,
              runtime == 0 ? "off"
                           : "%ld ms a second, left alone by a cycle below "
                             "90 %%",
              runtime / 1000000);
    }
}

/* Check the real-time budget of the control group. Real-time group scheduling exists only in
 * version 1 of control groups, where a new group has no budget. */
void check_rt_group(const struct doctor *d, struct doctor_finding *f)
{
    char path[512], line[512], group[256] = "";
    long runtime = DOCTOR_UNKNOWN;
    FILE *file;

    snprintf(path, sizeof(path), "%.400s/proc/self/cgroup", d->root);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *kind = strchr(line, ':');

        if (kind != NULL && (strncmp(kind, ":cpu:", 5) == 0 || strncmp(kind, ":cpu,", 5) == 0))
            snprintf(group, sizeof(group), "%.*s", (int)strcspn(strchr(kind + 1, ':') + 1, "\n"),
                     strchr(kind + 1, ':') + 1);
    }
    fclose(file);
    if (group[0] != '\0')
        runtime = doctor_number(d, "sys/fs/cgroup/cpu%.150s/cpu.rt_runtime_us", group);
    if (runtime == DOCTOR_UNKNOWN)
        found(f, DOCTOR_OK, "not in use");
    else
        found(f, runtime == 0 ? DOCTOR_FAIL : DOCTOR_OK, "%ld us for group %s", runtime, group);
    costs(f, "SCHED_FIFO is refused (EPERM) to every process of the group, whatever its rights");
    mend(f,
         "echo 950000 | sudo tee /sys/fs/cgroup/cpu%s/cpu.rt_runtime_us (parents first), or a "
         "kernel without CONFIG_RT_GROUP_SCHED",
         group);
}

void check_priority(const struct doctor *d, struct doctor_finding *f)
{
    int wanted = d->options->priority;

    if (!d->probes.known) {
        found(f, DOCTOR_NOT_KNOWN, "not tried: this is another root");
        return;
    }
    if (d->probes.fifo == 0) {
        found(f, DOCTOR_OK, "SCHED_FIFO %d granted", wanted);
        return;
    }
    found(f, DOCTOR_FAIL, "SCHED_FIFO %d refused: %s", wanted, strerror(d->probes.fifo));
    costs(f, "every other task may keep the cycle waiting, and the threads that carry samples, for "
             "milliseconds; linkaged calls the machine degraded");
    if (d->limits.may_prioritise || d->limits.rtprio >= wanted) {
        mend(f, "the limit allows it, so a filter or group forbids it: no RestrictRealtime and no "
                "~@resources in the unit, and see rt_group");
        return;
    }
    text_add(f->value, sizeof(f->value), " (limit rtprio is %ld)",
             d->limits.rtprio >= 0 ? d->limits.rtprio : 0);
    mend(f,
         "as a service: LimitRTPRIO=%d in the unit, linkaged.service has it; in a shell: echo "
         "\"$USER - rtprio %d\" | sudo tee /etc/security/limits.d/90-linkage-rtprio.conf, then "
         "log in again",
         wanted > PRIORITY_MOST ? wanted : PRIORITY_MOST,
         wanted > PRIORITY_MOST ? wanted : PRIORITY_MOST);
}

void check_memlock(const struct doctor *d, struct doctor_finding *f)
{
    long limit = d->limits.memlock_bytes;

    if (!d->probes.known) {
        found(f, DOCTOR_NOT_KNOWN, "not tried: this is another root");
        return;
    }
    costs(f, "a page that is fetched while a step runs costs 10 us from memory and milliseconds "
             "from a disk; linkaged calls the machine degraded");
    mend(f, "as a service: LimitMEMLOCK=infinity in the unit, linkaged.service has it; in a shell: "
            "echo \"$USER - memlock unlimited\" | sudo tee "
            "/etc/security/limits.d/90-linkage-memlock.conf, then log in again");
    if (d->probes.lock != 0) {
        found(f, DOCTOR_FAIL, "refused: %s", strerror(d->probes.lock));
        if (limit >= 0)
            text_add(f->value, sizeof(f->value), " (limit memlock is %ld KiB)", limit >> 10);
    } else if (limit < 0 || d->limits.may_lock) {
        found(f, DOCTOR_OK, "granted without a limit");
    } else {
        found(f, limit < LOCK_MIN ? DOCTOR_FAIL : DOCTOR_WARN, "granted up to %ld MiB",
              limit >> 20);
        text_add(f->cost, sizeof(f->cost), "; a model that needs more is not locked");
    }
}
