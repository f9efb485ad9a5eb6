/* SPDX-License-Identifier: Apache-2.0 */
/* Static equilibrium: poses in which the forces on all bodies are in balance. */
#ifndef LK_COMPILE_EQUILIBRIUM_H
#define LK_COMPILE_EQUILIBRIUM_H

#include "step/system.h"

/* largest number of directions of all bodies and rigid rows together */
#define LK_EQUILIBRIUM_MAX 1500

/** lk_equilibrium_find() - move the bodies of system->now, whose joints are closed, until the
 * forces on each body are in balance at rest. Velocities remain unchanged (angular velocities in
 * body axes). Writes system->equilibrium.
 * @coordinates: callback that updates the coordinates of system->now from its poses
 * Return: 0; LK_E_ASSEMBLY: not found, @ret_error names the unbalanced force; -ENOMEM, -ECANCELED.
 */
int lk_equilibrium_find(struct lk_system *system, void (*coordinates)(struct lk_system *),
                        struct lk_error *ret_error);

#endif
