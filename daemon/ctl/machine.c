/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lkd_machine_init(struct lkd_machine *machine, int memory_error)
{
    *machine = (struct lkd_machine){.memory_error = memory_error};
    lk_host_read("", &machine->host);
}

static void degrade(struct lkd_machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void degrade(struct lkd_machine *machine, const char *format, ...)
{
    va_list args;

    if (machine->n_degraded == LKD_DEGRADED_MAX)
        return;
    va_start(args, format);
    vsnprintf(machine->degraded[machine->n_degraded++], LKD_DEGRADED_SIZE, format, args);
    va_end(args);
}

static void judge_memory(struct lkd_machine *machine)
{
    if (machine->memory_error == -ENOTSUP)
        degrade(machine, "memory is not locked: lock_memory is false in the configuration");
    else if (machine->memory_error)
        degrade(machine, "memory is not locked: %s", strerror(-machine->memory_error));
}

static void judge_priority(struct lkd_machine *machine, int priority, int error)
{
    if (priority == 0)
        degrade(machine, "no real-time priority: priority is 0 in the configuration");
    else if (error)
        degrade(machine, "no real-time priority %d: %s", priority, strerror(-error));
}

static void judge_cores(struct lkd_machine *machine, const struct lkd_config *config,
                        const struct lkd_placement *placement, const struct lkd_grant *grant)
{
    int worker = grant->core_worker;

    if (grant->core_error && worker > 0)
        degrade(machine, "worker %d is not pinned to core %d: %s", worker + 1,
                placement->core[worker], strerror(-grant->core_error));
    else if (grant->core_error)
        degrade(machine, "the cycle is not pinned to core %d: %s", placement->core[0],
                strerror(-grant->core_error));
    else if (placement->core[0] == LKD_CORE_NONE)
        degrade(machine, "the cycle has no core of its own: %s",
                config->wish.core == LKD_CORE_AUTO ? "there is only one"
                                                   : "core is none in the configuration");
}

/* A core that is not isolated gets other programs, too; a sibling thread takes half of it. */
static void judge_company(struct lkd_machine *machine, int core)
{
    char list[LK_HOST_TEXT];
    cpu_set_t siblings;

    if (core < 0)
        return;
    if (!CPU_ISSET(core, &machine->host.isolated))
        degrade(machine, "core %d is shared: not isolated, other programs may run on it", core);
    lk_host_siblings("", core, &siblings);
    if (CPU_COUNT(&siblings) < 2)
        return;
    lk_host_format_cpus(&siblings, list, sizeof(list));
    degrade(machine, "core %d is shared: hardware threads %s are one core", core, list);
}

void lkd_machine_judge(struct lkd_machine *machine, const struct lkd_config *config,
                       const struct lkd_placement *placement, int n_workers,
                       const struct lkd_grant *grant)
{
    machine->n_degraded = 0;
    judge_memory(machine);
    if (machine->host.realtime != LK_HOST_YES)
        degrade(machine, "no real-time kernel: %s is not PREEMPT_RT", machine->host.kernel);
    if (!grant)
        return;
    judge_priority(machine, config->wish.priority, grant->priority_error);
    judge_cores(machine, config, placement, grant);
    for (int k = 0; k < n_workers; k++)
        judge_company(machine, placement->core[k]);
}
