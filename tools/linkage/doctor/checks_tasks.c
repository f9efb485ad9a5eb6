/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of other tasks that may run on the judged cores. */
#include "doctor.h"

#include <sched.h>
#include <string.h>

/* struct crowd - tasks of one type. */
struct crowd {
    const struct doctor *doctor;
    int n;
    char names[256];
};

static void add_task(struct crowd *crowd, const struct lk_host_task *task)
{
    if (++crowd->n > DOCTOR_WORST)
        return;
    text_add(crowd->names, sizeof(crowd->names), "%s%d %s", crowd->n > 1 ? ", " : "", task->id,
             task->name);
    if (task->priority > 0)
        text_add(crowd->names, sizeof(crowd->names), " (priority %d)", task->priority);
}

static bool may_come(const struct doctor *d, const struct lk_host_task *task)
{
    cpu_set_t both;

    CPU_AND(&both, &task->allowed, &d->cores);
    return CPU_COUNT(&both) > 0;
}

/* Add a kernel thread that may run on the judged cores. Threads that serve interrupts are included
 * although they are bound to a core, because they can be moved. */
static void see_kernel_thread(void *context, const struct lk_host_task *task)
{
    struct crowd *crowd = context;

    if (task->is_kernel && !task->per_core && may_come(crowd->doctor, task))
        add_task(crowd, task);
}

/* Write a mask in the format of the kernel: groups of 32 cores in hexadecimal, the group of the
 * highest cores first. */
static void write_mask(const cpu_set_t *cpus, char *text, size_t size)
{
    text[0] = '\0';
    for (int group = CPU_SETSIZE / 32 - 1; group >= 0; group--) {
        unsigned int bits = 0;

        for (int i = 0; i < 32; i++)
            bits |= CPU_ISSET(group * 32 + i, cpus) ? 1u << i : 0u;
        if (text[0] != '\0')
            text_add(text, size, ",%08x", bits);
        else if (bits != 0 || group == 0)
            text_add(text, size, "%x", bits);
    }
}

void check_kernel_threads(const struct doctor *d, struct doctor_finding *f)
{
    struct crowd crowd = {.doctor = d};
    char mask[CPU_SETSIZE / 4 + CPU_SETSIZE / 32 + 1];

    if (lk_host_each_task(d->root, false, see_kernel_thread, &crowd) == 0)
        return;
    if (crowd.n == 0) {
        found(f, DOCTOR_OK, "only those tied to core %s", d->cores_text);
        return;
    }
    found(f, DOCTOR_WARN, "%d may come to core %s: %s%s", crowd.n, d->cores_text, crowd.names,
          crowd.n > DOCTOR_WORST ? ", ..." : "");
    costs(f, "the kernel's own work is done between two cycles, and on a plain kernel within one: "
             "some ten microseconds");
    write_mask(&d->others, mask, sizeof(mask));
    mend(f,
         "for p in $(pgrep -P 2) 2; do sudo taskset -pc %s $p; done; echo %s | sudo tee "
         "/sys/devices/virtual/workqueue/cpumask (those tied to a core refuse; isolcpus=domain,%s "
         "does it from the start)",
         d->others_text, mask, d->cores_text);
}

/* Check for other rigs on the judged cores. The threads of a running rig are found, too, but a rig
 * that is only loaded can only be found by its lock. */
void check_taken(const struct doctor *d, struct doctor_finding *f)
{
    enum lk_host_lock lock;
    char holder[256];

    if (!doctor_is_read(d))
        return;
    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        lock = lk_host_core_holder(d->root, i, holder, sizeof(holder));
        if (lock == LK_HOST_UNLOCKED)
            continue;
        found(f, DOCTOR_WARN, "core %d by %s", i, holder);
        if (lock == LK_HOST_OBSTRUCTED) {
            costs(f, "linkaged starts there, and cannot keep other rigs off the core");
            mend(f, "end that process: only locks of root, of the rig's user and of the account "
                    "linkaged count");
            return;
        }
        costs(f, "linkaged refuses to start on a core that the cycle of another rig has");
        mend(f, "another core for one of them, linkage doctor --core LIST judges it: realtime: "
                "{core: N} in the configuration of linkaged");
        return;
    }
    found(f, DOCTOR_OK, "core %s by no rig", d->cores_text);
}

void check_foreign_tasks(const struct doctor *d, struct doctor_finding *f)
{
    struct lk_host_rivals rivals;

    if (lk_host_find_rivals(d->root, &d->cores, d->options->priority, 0, &rivals) == 0)
        return;
    if (rivals.n == 0) {
        found(f, DOCTOR_OK, "none of %d or above", d->options->priority);
        return;
    }
    found(f, DOCTOR_WARN, "%d of %d or above may come to core %s: %s", rivals.n,
          d->options->priority, d->cores_text, rivals.names);
    costs(f, "they stop the cycle for as long as they like");
    mend(f, "sudo taskset -pc %s %d for each, or a lower priority: sudo chrt -f -p 10 %d",
         d->others_text, rivals.first, rivals.first);
}

/* Check the two watchdogs of the kernel. One mask contains the cores of both. */
void check_watchdog(const struct doctor *d, struct doctor_finding *f)
{
    long soft = doctor_number(d, "proc/sys/kernel/watchdog");
    long hard = doctor_number(d, "proc/sys/kernel/nmi_watchdog");
    cpu_set_t cores, both;

    if (!doctor_is_read(d))
        return;
    if (soft <= 0 && hard <= 0) {
        found(f, DOCTOR_OK, soft == 0 || hard == 0 ? "off" : "not in this kernel");
        return;
    }
    if (!doctor_list(d, &cores, "proc/sys/kernel/watchdog_cpumask"))
        cores = d->online;
    CPU_AND(&both, &cores, &d->cores);
    if (CPU_COUNT(&both) == 0)
        found(f, DOCTOR_OK, "not on core %s", d->cores_text);
    else
        found(f, DOCTOR_WARN, "%s on core %s",
              hard == 1 ? "timers and non-maskable interrupts" : "timers", d->cores_text);
    costs(f, "a timer and a thread of highest priority every few seconds, some microseconds each; "
             "a cycle that spins can be taken for a lock-up");
    mend(f, "sudo sysctl kernel.watchdog_cpumask=%s kernel.nmi_watchdog=0", d->others_text);
}
