/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the daemon of a rig. Private header of the rig. */
#ifndef TOOLS_LATENCY_RIG_RUN_H
#define TOOLS_LATENCY_RIG_RUN_H

#include "rig.h"

/** lat_rig_load() - Load the model and read the layout of its samples.
 * Return: 0, 1 or negative errno (with @ret_error). */
int lat_rig_load(struct lat_rig *rig, const char *name, const char *text,
                 struct lk_error *ret_error);

/** lat_rig_arm() - Arm the daemon and wait for the budget proof. Degraded real-time properties are
 * allowed, because the measurement shows their effect.
 * Return: 0, -EINTR, 1 or another negative errno (with @ret_error). */
int lat_rig_arm(struct lat_rig *rig, uint32_t steps, struct lk_error *ret_error);

#endif
