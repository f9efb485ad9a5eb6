/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of kernel and cores: kernel version, isolation of the cores, other users of the cores. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#define BOOT "GRUB_CMDLINE_LINUX in /etc/default/grub, then: sudo update-grub && sudo reboot"

void check_kernel(const struct doctor *d, struct doctor_finding *f)
{
    if (d->host.realtime == LK_HOST_UNKNOWN)
        return;
    if (d->host.realtime == LK_HOST_YES)
        found(f, DOCTOR_OK, "%s with PREEMPT_RT", d->host.kernel);
    else
        found(f, DOCTOR_WARN, "%s without PREEMPT_RT", d->host.kernel);
    costs(f, "a wake-up waits for whatever the kernel does just then: mostly microseconds, "
             "milliseconds at worst, without a bound; linkaged calls the machine degraded");
    mend(f, "Debian: sudo apt install linux-image-rt-amd64 && sudo reboot; Ubuntu: sudo pro enable "
            "realtime-kernel; else a kernel built with CONFIG_PREEMPT_RT=y");
}

/* Return the share of all time that the hypervisor gave to other guests [percent]; below 0:
 * unknown. */
static double read_stolen(const struct doctor *d)
{
    unsigned long long t[8];
    double sum = 0.0;
    char text[256];

    lk_host_read_text(d->root, "proc/stat", text, sizeof(text));
    if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
               &t[4], &t[5], &t[6], &t[7]) != 8)
        return -1.0;
    for (int i = 0; i < 8; i++)
        sum += (double)t[i];
    return sum > 0.0 ? 100.0 * (double)t[7] / sum : -1.0;
}

void check_virtual_machine(const struct doctor *d, struct doctor_finding *f)
{
    double stolen = read_stolen(d);

    if (d->host.virtual_machine == LK_HOST_UNKNOWN)
        return;
    if (d->host.virtual_machine == LK_HOST_NO) {
        found(f, DOCTOR_OK, "no hypervisor");
        return;
    }
    found(f, DOCTOR_WARN, "a virtual machine");
    if (stolen >= 0.0)
        text_add(f->value, sizeof(f->value), ", %.2g %% of its time stolen since it started",
                 stolen);
    costs(f, "figures are not representative: the hypervisor may stop any core for milliseconds, "
             "and nothing inside sees it coming");
    mend(f, "run on the bare machine; else give each virtual core one of its own, for instance: "
            "virsh vcpupin DOMAIN VCPU CORE");
}

void check_cores(const struct doctor *d, struct doctor_finding *f)
{
    cpu_set_t rest;
    char list[DOCTOR_LIST];

    if (CPU_COUNT(&d->online) == 0)
        return;
    CPU_XOR(&rest, &d->online, &d->cores);
    CPU_AND(&rest, &rest, &d->online);
    costs(f,
          "normal threads starve for up to a second where every core has a real-time thread, and "
          "linkaged carries samples at normal priority: late under load");
    mend(f, "keep one core for all else: linkage doctor --core LIST, and realtime: {core: N} in "
            "the configuration of linkaged");
    if (doctor_missing(d, &d->online, list)) {
        found(f, DOCTOR_FAIL, "core %s is not online", list);
        costs(f, "nothing can run there");
        mend(f, "echo 1 | sudo tee /sys/devices/system/cpu/cpu%d/online, or --core with another",
             list[0] != '\0' ? (int)strtol(list, NULL, 10) : 0);
    } else if (CPU_COUNT(&rest) == 0) {
        found(f, DOCTOR_FAIL, "core %s: no core is left for anything else", d->cores_text);
    } else if (CPU_ISSET(0, &d->cores)) {
        found(f, DOCTOR_WARN, "core %s%s", d->cores_text,
              CPU_COUNT(&d->cores) > 1 ? ", core 0 among them" : "");
        costs(f, "core 0 does the kernel's own work: time keeping, interrupts without a wish");
    } else {
        found(f, DOCTOR_OK, "core %s of %d", d->cores_text, CPU_COUNT(&d->online));
    }
}

void check_isolated(const struct doctor *d, struct doctor_finding *f)
{
    char list[DOCTOR_LIST];

    if (!doctor_is_read(d))
        return;
    if (doctor_missing(d, &d->host.isolated, list))
        found(f, DOCTOR_WARN, "core %s is open to every task", list);
    else
        found(f, DOCTOR_OK, "core %s", d->cores_text);
    costs(f, "other tasks are put on the core: caches are lost, and kernel code on their behalf "
             "holds up the cycle; linkaged calls the machine degraded");
    mend(f, "add isolcpus=domain,managed_irq,%s to " BOOT, d->cores_text);
}

void check_nohz_full(const struct doctor *d, struct doctor_finding *f)
{
    char list[DOCTOR_LIST];

    if (!doctor_is_read(d))
        return;
    if (doctor_missing(d, &d->host.nohz_full, list))
        found(f, DOCTOR_WARN, "core %s has a timer tick", list);
    else
        found(f, DOCTOR_OK, "core %s", d->cores_text);
    costs(f, "the tick stops the cycle 100 to 1000 times a second for some microseconds");
    mend(f, "add nohz_full=%s to " BOOT " (needs a kernel with CONFIG_NO_HZ_FULL)", d->cores_text);
}

/* Read the cores in the parameter @name of the kernel's command line.
 * Return: false if the parameter is missing. */
static bool read_parameter(const struct doctor *d, const char *name, cpu_set_t *ret_cpus)
{
    char text[4096];
    size_t n = strlen(name);

    CPU_ZERO(ret_cpus);
    lk_host_read_text(d->root, "proc/cmdline", text, sizeof(text));
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += n) {
        if ((at != text && at[-1] != ' ') || at[n] != '=')
            continue;
        if (strncmp(at + n + 1, "all", 3) == 0)
            *ret_cpus = d->online;
        else
            lk_host_parse_cpus(at + n + 1, ret_cpus);
        return true;
    }
    return false;
}

void check_rcu_nocbs(const struct doctor *d, struct doctor_finding *f)
{
    cpu_set_t cores;
    char list[DOCTOR_LIST];

    if (!doctor_is_read(d))
        return;
    read_parameter(d, "rcu_nocbs", &cores);
    CPU_OR(&cores, &cores, &d->host.nohz_full); /* such a core also offloads its RCU callbacks */
    if (doctor_missing(d, &cores, list))
        found(f, DOCTOR_WARN, "core %s runs callbacks of the kernel", list);
    else
        found(f, DOCTOR_OK, "core %s", d->cores_text);
    costs(f, "memory that the kernel frees late (RCU) is freed on the core, in bursts of some ten "
             "microseconds");
    mend(f, "add rcu_nocbs=%s to " BOOT, d->cores_text);
}

/* Read the cores of the control group of this process: version 2, or the cpuset hierarchy of
 * version 1. If the group has no file for its cores, those of its parent apply. */
static bool read_group(const struct doctor *d, cpu_set_t *ret_cpus)
{
    char path[512], line[512];
    FILE *file;
    bool done = false;

    snprintf(path, sizeof(path), "%.400s/proc/self/cgroup", d->root);
    file = fopen(path, "re");
    while (file != NULL && !done && fgets(line, sizeof(line), file) != NULL) {
        const char *kind = strchr(line, ':');
        bool v1 = kind != NULL && strncmp(kind, ":cpuset:", 8) == 0;
        char *group = kind != NULL ? strchr(kind + 1, ':') : NULL;

        if (group == NULL || (!v1 && strncmp(line, "0::", 3) != 0))
            continue;
        group++;
        group[strcspn(group, "\n")] = '\0';
        do {
            done = doctor_list(d, ret_cpus, "sys/fs/cgroup%s%.150s/%s", v1 ? "/cpuset" : "", group,
                               v1 ? "cpuset.effective_cpus" : "cpuset.cpus.effective");
            if (strrchr(group, '/') != NULL)
                *strrchr(group, '/') = '\0';
            else
                break;
        } while (!done);
    }
    if (file != NULL)
        fclose(file);
    return done;
}

void check_cpuset(const struct doctor *d, struct doctor_finding *f)
{
    cpu_set_t group;
    bool is_known = read_group(d, &group);
    char list[DOCTOR_LIST] = "";

    costs(f, "the cycle cannot be pinned there (EINVAL): it would run anywhere, or not at all");
    mend(f,
         "let the control group have it, for instance: sudo systemctl set-property "
         "linkaged.service AllowedCPUs=%s,%s, or leave AllowedCPUs unset",
         d->others_text, d->cores_text);
    if (is_known && doctor_missing(d, &group, list))
        found(f, DOCTOR_FAIL, "core %s is outside the cpuset of this process", list);
    else if (d->probes.known && d->probes.pin != 0)
        found(f, DOCTOR_FAIL, "core %d refuses to be pinned to: %s", d->probes.pin_core,
              strerror(d->probes.pin));
    else if (is_known || d->probes.known)
        found(f, DOCTOR_OK, "core %s may be pinned to", d->cores_text);
}

/* Check the siblings that share a physical core with a checked core. An isolated sibling that is
 * not checked itself is idle and has no effect. */
void check_siblings(const struct doctor *d, struct doctor_finding *f)
{
    char list[DOCTOR_LIST];
    bool is_known = false;

    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        cpu_set_t siblings;

        lk_host_siblings(d->root, i, &siblings);
        is_known |= CPU_COUNT(&siblings) > 0;
        CPU_CLR(i, &siblings);
        for (int k = 0; k < CPU_SETSIZE; k++)
            if (CPU_ISSET(k, &d->host.isolated) && !CPU_ISSET(k, &d->cores))
                CPU_CLR(k, &siblings);
        if (CPU_COUNT(&siblings) == 0)
            continue;
        lk_host_format_cpus(&siblings, list, sizeof(list));
        found(f, DOCTOR_WARN, "core %d shares its hardware with %s", i, list);
        costs(f, "what runs on the sibling takes turns with the cycle: a step takes up to twice as "
                 "long, when is not to be foretold");
        mend(f,
             "for one of them: echo 0 | sudo tee /sys/devices/system/cpu/cpu%ld/online; or all: "
             "echo off | sudo tee /sys/devices/system/cpu/smt/control",
             strtol(list, NULL, 10));
        return;
    }
    if (is_known)
        found(f, DOCTOR_OK, "core %s has no sibling", d->cores_text);
}
