/* SPDX-License-Identifier: Apache-2.0 */
/* The table of checks, in the order in which they are printed, and functions that the checks
 * share. */
#include "doctor.h"

#include <stdarg.h>
#include <string.h>

const struct doctor_check doctor_checks[] = {
    {"kernel", "real-time kernel", check_kernel},
    {"virtual_machine", "bare machine", check_virtual_machine},
    {"cores", "judged cores", check_cores},
    {"isolated", "cores kept free of other tasks", check_isolated},
    {"nohz_full", "cores without a timer tick", check_nohz_full},
    {"rcu_nocbs", "cores without kernel callbacks", check_rcu_nocbs},
    {"cpuset", "cores that may be used", check_cpuset},
    {"siblings", "hardware threads of a core", check_siblings},
    {"irq_default", "where new interrupts go", check_irq_default},
    {"irq_affinity", "where interrupts go", check_irq_affinity},
    {"interrupts", "interrupts that came", check_interrupts},
    {"governor", "frequency of the cores", check_governor},
    {"idle_states", "deep sleep of the cores", check_idle_states},
    {"dma_latency", "deep sleep held off", check_dma_latency},
    {"throttling", "real-time throttling", check_throttling},
    {"fair_server", "share kept for normal tasks", check_fair_server},
    {"rt_group", "real-time group scheduling", check_rt_group},
    {"priority", "real-time priority", check_priority},
    {"memlock", "locked memory", check_memlock},
    {"clocksource", "clock", check_clocksource},
    {"tsc", "steady time stamp counter", check_tsc},
    {"clock", "reading the clock", check_clock},
    {"ptp", "clock that other machines share", check_ptp},
    {"swap", "swap", check_swap},
    {"huge_pages", "transparent huge pages", check_huge_pages},
    {"ksm", "merging of memory pages", check_ksm},
    {"numa_balancing", "moving of memory pages", check_numa_balancing},
    {"numa_node", "one memory node", check_numa_node},
    {"timer_migration", "timers of other cores", check_timer_migration},
    {"watchdog", "lock-up watchdog", check_watchdog},
    {"kernel_threads", "threads of the kernel", check_kernel_threads},
    {"taken", "cores that other rigs have", check_taken},
    {"foreign_tasks", "tasks of equal or higher priority", check_foreign_tasks},
    {"io_uring", "io_uring", check_io_uring},
    {"directory", "place for evidence", check_directory},
    {"spin", "gaps on the core", check_spin},
    {"libraries", "libraries", check_libraries},
};
const int doctor_n_checks = sizeof(doctor_checks) / sizeof(doctor_checks[0]);

void found(struct doctor_finding *finding, enum doctor_verdict verdict, const char *format, ...)
{
    va_list arguments;

    finding->verdict = verdict;
    va_start(arguments, format);
    vsnprintf(finding->value, sizeof(finding->value), format, arguments);
    va_end(arguments);
}

void costs(struct doctor_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(finding->cost, sizeof(finding->cost), format, arguments);
    va_end(arguments);
}

void mend(struct doctor_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(finding->remedy, sizeof(finding->remedy), format, arguments);
    va_end(arguments);
}

void doctor_examine(const struct doctor *doctor, struct doctor_finding *findings)
{
    for (int i = 0; i < doctor_n_checks; i++) {
        struct doctor_finding *f = &findings[i];

        memset(f, 0, sizeof(*f));
        f->check = &doctor_checks[i];
        found(f, DOCTOR_NOT_KNOWN, "cannot be found out here");
        f->check->run(doctor, f);
        if (f->verdict == DOCTOR_WARN || f->verdict == DOCTOR_FAIL)
            continue;
        f->cost[0] = '\0';
        f->remedy[0] = '\0';
    }
}

void doctor_count(const struct doctor_finding *findings, int counts[DOCTOR_VERDICTS])
{
    memset(counts, 0, DOCTOR_VERDICTS * sizeof(counts[0]));
    for (int i = 0; i < doctor_n_checks; i++)
        counts[findings[i].verdict]++;
}

int doctor_exit_of(const struct doctor *doctor, const int counts[DOCTOR_VERDICTS])
{
    if (counts[DOCTOR_FAIL] > 0 || doctor_is_refused(doctor))
        return DOCTOR_EXIT_FAIL;
    return counts[DOCTOR_WARN] > 0 ? DOCTOR_EXIT_WARN : DOCTOR_EXIT_OK;
}
