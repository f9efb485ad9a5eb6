/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of clock frequency and idle states of the cores. */
#include "doctor.h"

#include <string.h>

#define IDLE_STATES     16
#define IDLE_LATENCY_US 10 /* idle states with less latency cause no more than the usual jitter */

void check_governor(const struct doctor *d, struct doctor_finding *f)
{
    char governor[32];

    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        lk_host_governor(d->root, i, governor, sizeof(governor));
        if (governor[0] == '\0') {
            found(f, DOCTOR_NOT_KNOWN, "frequencies are not the kernel's to set");
            return;
        }
        found(f, strcmp(governor, "performance") == 0 ? DOCTOR_OK : DOCTOR_WARN, "%s on core %d",
              governor, i);
        costs(f, "the core slows down while the cycle sleeps and starts each step slowly: step "
                 "times double or worse, now and then");
        mend(f,
             "echo performance | sudo tee "
             "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor (each judged core)",
             i);
        if (f->verdict != DOCTOR_OK)
            return;
    }
}

/* Return the latency of the deepest idle state that core @cpu may enter [us], or -1 if unknown. */
static long slowest_state(const struct doctor *d, int cpu, char *name, size_t size)
{
    static const char folder[] = "sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s";
    long slowest = -1;

    for (int i = 0; i < IDLE_STATES; i++) {
        char path[96];
        long latency = doctor_number(d, folder, cpu, i, "latency");

        if (latency < 0)
            break;
        if (doctor_number(d, folder, cpu, i, "disable") == 1 || latency <= slowest)
            continue;
        slowest = latency;
        snprintf(path, sizeof(path), folder, cpu, i, "name");
        lk_host_read_text(d->root, path, name, size);
    }
    return slowest;
}

/* Check the idle states. Deep states have no effect if the daemon can inhibit them through
 * /dev/cpu_dma_latency. */
void check_idle_states(const struct doctor *d, struct doctor_finding *f)
{
    bool held_off = d->probes.known && d->probes.latency == 0;
    long slowest = -1;
    char name[32] = "";

    for (int i = doctor_next_core(d, -1); i >= 0; i = doctor_next_core(d, i)) {
        char state[32] = "";
        long latency = slowest_state(d, i, state, sizeof(state));

        if (latency > slowest) {
            slowest = latency;
            memcpy(name, state, sizeof(name));
        }
    }
    if (slowest < 0)
        return;
    if (slowest <= IDLE_LATENCY_US)
        found(f, DOCTOR_OK, "deepest is %s, %ld us to wake up", name, slowest);
    else
        found(f, held_off ? DOCTOR_OK : DOCTOR_WARN, "deepest is %s, %ld us to wake up%s", name,
              slowest, held_off ? ", held off while linkaged runs" : "");
    costs(f, "a wake-up may be late by %ld us", slowest);
    mend(f,
         "make /dev/cpu_dma_latency writable for the daemon (check dma_latency), or boot with "
         "processor.max_cstate=1 intel_idle.max_cstate=0, or: sudo cpupower -c %s idle-set -D %d",
         d->cores_text, IDLE_LATENCY_US);
}

void check_dma_latency(const struct doctor *d, struct doctor_finding *f)
{
    if (!d->probes.known)
        return;
    if (d->probes.latency == 0)
        found(f, DOCTOR_OK, "/dev/cpu_dma_latency may be held at 0");
    else
        found(f, DOCTOR_WARN, "/dev/cpu_dma_latency: %s", strerror(d->probes.latency));
    costs(f,
          "cores fall asleep between cycles: p99 of the wake-up doubles, in virtual machines too");
    mend(f, "install 60-linkaged.rules (it comes with linkaged) to /etc/udev/rules.d and run as a "
            "member of group linkaged, then: sudo udevadm control --reload && sudo udevadm trigger "
            "/dev/cpu_dma_latency");
}
