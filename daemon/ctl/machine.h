/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the machine is fit for a run, or a run would be degraded. Control thread only. */
#ifndef LKD_CTL_MACHINE_H
#define LKD_CTL_MACHINE_H

#include "config.h"
#include "linkage/host.h"
#include "runner.h"

/** struct lkd_machine - the machine.
 * @host:         read once, at the start
 * @memory_error: outcome of locking memory, 0 or negative errno; -ENOTSUP: not requested
 * @lacks:        what a run would lack; if anything, it is degraded */
struct lkd_machine {
    struct lk_host host;
    int memory_error;
    struct lk_host_lacks lacks;
};

/** lkd_machine_init() - read the host, without a verdict yet. */
void lkd_machine_init(struct lkd_machine *machine, int memory_error);

/** lkd_machine_judge() - fill @lacks, see lk_host_judge().
 * @grant: what the threads of a run were granted, or NULL before there are any */
void lkd_machine_judge(struct lkd_machine *machine, const struct lkd_config *config,
                       const struct lkd_placement *placement, int n_workers,
                       const struct lkd_grant *grant);

#endif
