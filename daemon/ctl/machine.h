/* SPDX-License-Identifier: Apache-2.0 */
/* Check whether the machine is fit for real time, or a run would be degraded. Control thread
 * only. */
#ifndef LKD_CTL_MACHINE_H
#define LKD_CTL_MACHINE_H

#include "config.h"
#include "linkage/host.h"
#include "runner.h"

/** struct lkd_machine - properties of the machine.
 * @host:         properties of the host, read once, when the daemon starts
 * @memory_error: outcome of locking memory, 0 or negative errno; -ENOTSUP: not requested
 * @lacks:        missing real-time properties; if there are any, a run is degraded */
struct lkd_machine {
    struct lk_host host;
    int memory_error;
    struct lk_host_lacks lacks;
};

/** lkd_machine_init() - Read the properties of the host. @lacks remains empty until
 * lkd_machine_judge(). */
void lkd_machine_init(struct lkd_machine *machine, int memory_error);

/** lkd_machine_judge() - Fill @lacks with the missing real-time properties, see lk_host_judge().
 * @grant: properties granted to the threads of a run, or NULL before they exist */
void lkd_machine_judge(struct lkd_machine *machine, const struct lkd_config *config,
                       const struct lkd_placement *placement, int n_workers,
                       const struct lkd_grant *grant);

#endif
