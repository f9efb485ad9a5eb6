/* SPDX-License-Identifier: Apache-2.0 */
/* Weight that a body will have to support once the mechanism hangs, for any start. This weight
 * bounds the forces in the joints of the body and depends on masses and joints alone. Offline. */
#ifndef LK_COMPILE_HANGING_H
#define LK_COMPILE_HANGING_H

#include "step/system.h"
#include <stdbool.h>

/** lk_hanging_weight() - compute the weight of all bodies that are connected to the ground only
 * through body @b, without the weight of @b [N]. A swinging load pulls with up to three times its
 * weight. @scratch: n_bodies. */
double lk_hanging_weight(const struct lk_system *system, int b, bool *scratch);

/** lk_hanging_stiffness() - compute the geometric stiffness K of body @b, as in lk_tension_of(), if
 * @weight [N] pulls at each of its joints along the line to its centre of mass [N m/rad].
 * @ret: body axes, xx yy zz xy xz yz */
void lk_hanging_stiffness(const struct lk_system *system, int b, double weight, double ret[6]);

#endif
