/* SPDX-License-Identifier: Apache-2.0 */
/* What will hang on a body once the mechanism hangs, wherever it starts: a bound of the forces in
 * its joints that follows from masses and joints alone. Offline. */
#ifndef LK_COMPILE_HANGING_H
#define LK_COMPILE_HANGING_H

#include "step/system.h"
#include <stdbool.h>

/** lk_hanging_weight() - weight of all that has a way to the ground over body @b alone, without its
 * own [N]. A load that swings pulls with up to three times that. @scratch: n_bodies. */
double lk_hanging_weight(const struct lk_system *system, int b, bool *scratch);

/** lk_hanging_stiffness() - K of body @b, as in lk_tension_of(), when @weight pulls at each of its
 * joints along the way to its centre of mass [N m/rad]. Body axes, xx yy zz xy xz yz. */
void lk_hanging_stiffness(const struct lk_system *system, int b, double weight, double ret[6]);

#endif
