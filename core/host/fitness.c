/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the real-time requirements of a run. linkaged checks the resources that it was granted;
 * linkage doctor checks the resources that it has tried. */
#include "linkage/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void lack(struct lk_host_lacks *lacks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void lack(struct lk_host_lacks *lacks, const char *format, ...)
{
    va_list args;

    if (lacks->n == LK_HOST_LACKS_MAX)
        return;
    va_start(args, format);
    vsnprintf(lacks->text[lacks->n++], LK_HOST_LACK_SIZE, format, args);
    va_end(args);
}

static void judge_memory(const struct lk_host_facts *facts, struct lk_host_lacks *lacks)
{
    if (facts->memory_error == -ENOTSUP)
        lack(lacks, "memory is not locked: lock_memory is false in the configuration");
    else if (facts->memory_error)
        lack(lacks, "memory is not locked: %s", strerror(-facts->memory_error));
}

static void judge_priority(const struct lk_host_facts *facts, struct lk_host_lacks *lacks)
{
    if (facts->priority == 0)
        lack(lacks, "no real-time priority: priority is 0 in the configuration");
    else if (facts->priority_error)
        lack(lacks, "no real-time priority %d: %s", facts->priority,
             strerror(-facts->priority_error));
}

static void judge_cores(const struct lk_host_facts *facts, struct lk_host_lacks *lacks)
{
    int worker = facts->core_worker;

    if (facts->core_error && worker > 0)
        lack(lacks, "worker %d is not pinned to core %d: %s", worker + 1, facts->core[worker],
             strerror(-facts->core_error));
    else if (facts->core_error)
        lack(lacks, "the cycle is not pinned to core %d: %s", facts->core[0],
             strerror(-facts->core_error));
    else if (facts->n_cores > 0 && facts->core[0] < 0)
        lack(lacks, "the cycle has no core of its own: %s",
             facts->core_wished ? "there is only one" : "core is none in the configuration");
}

/* Check what else may run on a core: other programs, unless the core is isolated; and a sibling
 * hardware thread, which uses half of the core. */
static void judge_company(const struct lk_host_facts *facts, int core, struct lk_host_lacks *lacks)
{
    char list[LK_HOST_TEXT];
    cpu_set_t siblings;

    if (core < 0)
        return;
    if (!CPU_ISSET((size_t)core, &facts->host->isolated))
        lack(lacks, "core %d is shared: not isolated, other programs may run on it", core);
    lk_host_siblings(facts->root, core, &siblings);
    if (CPU_COUNT(&siblings) < 2)
        return;
    lk_host_format_cpus(&siblings, list, sizeof(list));
    lack(lacks, "core %d is shared: hardware threads %s are one core", core, list);
}

void lk_host_judge(const struct lk_host_facts *facts, struct lk_host_lacks *ret_lacks)
{
    ret_lacks->n = 0;
    judge_memory(facts, ret_lacks);
    if (facts->host->realtime != LK_HOST_YES)
        lack(ret_lacks, "no real-time kernel: %s is not PREEMPT_RT", facts->host->kernel);
    if (!facts->threads)
        return;
    judge_priority(facts, ret_lacks);
    judge_cores(facts, ret_lacks);
    for (int k = 0; k < facts->n_cores; k++)
        judge_company(facts, facts->core[k], ret_lacks);
}
