/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment of the cycle's workers to cores, decided before any thread exists.
 *
 * Two real-time threads that wait for each other on one core, or one on each core of the machine,
 * block everything else on these cores. Such a configuration is therefore refused, not degraded. A
 * single worker does not wait for others and may share a core. */
#ifndef LKD_RT_PLACEMENT_H
#define LKD_RT_PLACEMENT_H

#include "linkage/error.h"
#include "linkage/pool.h"
#include <sched.h>
#include <stdbool.h>

#define LKD_WORKERS_AUTO     0 /* as many workers as shorten the step of the model */
#define LKD_WORKERS_AUTO_MAX 4 /* largest number of cores that `auto` reserves */

/** struct lkd_wish - the request of the configuration.
 * @workers:     1 to LK_POOL_MAX, or LKD_WORKERS_AUTO
 * @core:        core of worker 0, which runs the cycle: LKD_CORE_AUTO, LKD_CORE_NONE or a number
 * @n_cores:     number of cores in @worker_core; 0: any cores
 * @worker_core: cores of the workers 1 to @n_cores, all different
 * @priority:    0 for normal threads, which may share cores */
struct lkd_wish {
    int workers;
    int core;
    int n_cores;
    int worker_core[LK_POOL_MAX - 1];
    int priority;
};

/** struct lkd_placement - the decision.
 * @n_workers: as requested; or the largest possible number, for LKD_WORKERS_AUTO
 * @chosen_by_model: a run uses only as many workers as shorten the step of its model
 * @core: core of each worker, or LKD_CORE_NONE */
struct lkd_placement {
    int n_workers;
    bool chosen_by_model;
    int core[LK_POOL_MAX];
};

/** struct lkd_cores - the available cores.
 * @allowed:   cores that the process runs on
 * @reachable: cores that its threads may be pinned to, see lkd_realtime_cores()
 * @isolated:  cores isolated by the kernel; `auto` chooses the last of them first
 * @taken:     cores locked by other rigs; `auto` avoids them */
struct lkd_cores {
    cpu_set_t allowed;
    cpu_set_t reachable;
    cpu_set_t isolated;
    cpu_set_t taken;
};

/** lkd_place() - Compute the placement.
 * Thread: control.  RT: no.
 * Return: 0, LK_E_MODEL (@ret_error: the missing resource and the available cores). */
int lkd_place(const struct lkd_wish *wish, const struct lkd_cores *cores,
              struct lkd_placement *ret_placement, struct lk_error *ret_error);

#endif
