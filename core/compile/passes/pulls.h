/* SPDX-License-Identifier: Apache-2.0 */
/* The largest force that may act in a joint, a rod or a spring of a model while it runs: from the
 * limits of its inputs and from all that pulls. It decides whose tension the step follows. */
#ifndef LK_COMPILE_PULLS_H
#define LK_COMPILE_PULLS_H

#include "model/model.h"
#include <stdbool.h>

/** LK_PULLS_SWING - by how much more than its weight a load pulls that swings;  LK_PULLS_ANY - what
 * has no limits is taken to accelerate all bodies so [m/s^2]. */
#define LK_PULLS_SWING 3
#define LK_PULLS_ANY   100

/** lk_pulls_signal() - largest size of a signal: of input or block @at, or of the constant @value
 * if
 * @at is negative; INFINITY where nothing bounds it. Offline. */
double lk_pulls_signal(const struct lk_model *model, int at, double value);

/** lk_pulls_gravity() - largest size of gravity [m/s^2], LK_PULLS_ANY where an input without limits
 * gives it. Offline. */
double lk_pulls_gravity(const struct lk_model *model);

/** lk_pulls_most() - the weight whose loads pull as hard, when they swing, as anything may [N]: the
 * weight of all bodies, or, if @whirls, what keeps them on their circles; or a third of that with
 * all that forces, inputs, springs, dampers, impedances, maps, stops, winds and drives may pull.
 * Springs and stops pull as far as the energy goes that is stored in them or moves at the start; a
 * drive by an input is taken to reach its rate within an eighth of its range. Offline. */
double lk_pulls_most(const struct lk_model *model, bool whirls);

#endif
