/* SPDX-License-Identifier: Apache-2.0 */
/* Largest force that may act in a joint, a rod or a spring of a model in a run, from the limits
 * of the inputs and from all loads. This force decides for which bodies, rods and springs the
 * step includes the geometric stiffness. */
#ifndef LK_COMPILE_PULLS_H
#define LK_COMPILE_PULLS_H

#include "model/model.h"
#include <stdbool.h>

/** LK_PULLS_SWING - largest pull of a swinging load, as a multiple of its weight.
 * LK_PULLS_ANY - acceleration of all bodies that is assumed for a load without limits [m/s^2]. */
#define LK_PULLS_SWING 3
#define LK_PULLS_ANY   100

/** lk_pulls_signal() - return the largest magnitude of a signal: of input or block @at, or of the
 * constant @value if @at is negative; INFINITY if it has no bound. Offline. */
double lk_pulls_signal(const struct lk_model *model, int at, double value);

/** lk_pulls_gravity() - return the largest magnitude of gravity [m/s^2]; LK_PULLS_ANY if an input
 * without limits sets it. Offline. */
double lk_pulls_gravity(const struct lk_model *model);

/** lk_pulls_most() - compute an equivalent weight [N]. When this weight swings, its pull is an
 * upper bound of all pulls in the model. The result is the larger of two values. The first is the
 * weight of all bodies or, with @whirls, the centripetal force of all bodies if that is larger.
 * The second is 1 / LK_PULLS_SWING times the sum of the first value and of the largest forces of
 * all force elements, inputs and drives. The energy at the start, stored and kinetic, bounds the
 * forces of springs and stops. A drive that follows an input is assumed to reach its rate within
 * an eighth of its range. Offline. */
double lk_pulls_most(const struct lk_model *model, bool whirls);

#endif
