/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

void lkd_machine_init(struct lkd_machine *machine, int memory_error)
{
    *machine = (struct lkd_machine){.memory_error = memory_error};
    lk_host_read("", &machine->host);
}

void lkd_machine_judge(struct lkd_machine *machine, const struct lkd_config *config,
                       const struct lkd_placement *placement, int n_workers,
                       const struct lkd_grant *grant)
{
    struct lk_host_facts facts = {
        .root = "",
        .host = &machine->host,
        .memory_error = machine->memory_error,
        .threads = grant != NULL,
        .priority = config->wish.priority,
        .core = placement->core,
        .n_cores = n_workers,
        .core_wished = config->wish.core == LKD_CORE_AUTO,
    };

    if (grant) {
        facts.priority_error = grant->priority_error;
        facts.core_error = grant->core_error;
        facts.core_worker = grant->core_worker;
    }
    lk_host_judge(&facts, &machine->lacks);
}
