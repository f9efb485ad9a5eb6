/* SPDX-License-Identifier: Apache-2.0 */
/* What a rig says to its daemon before it is ready. Internal to the rig. */
#ifndef TOOLS_LATENCY_RIG_RUN_H
#define TOOLS_LATENCY_RIG_RUN_H

#include "rig.h"

/** lat_rig_load() - load the model and learn what its samples are.
 * Return: 0, 1 or negative errno (@ret_error says why). */
int lat_rig_load(struct lat_rig *rig, const char *name, const char *text,
                 struct lk_error *ret_error);

/** lat_rig_arm() - have the budget proven, and wait for it; a degraded machine is allowed, since
 * how bad it is is the question. Return: 0, -EINTR, 1 or another negative errno (@ret_error says
 * why). */
int lat_rig_arm(struct lat_rig *rig, uint32_t steps, struct lk_error *ret_error);

#endif
