/* SPDX-License-Identifier: Apache-2.0 */
/* What elements keep of a step of `rattle` while it is under way. */
#ifndef LK_STEP_ELEMENTS_ELEMENTS_H
#define LK_STEP_ELEMENTS_ELEMENTS_H

#include "step/elements/stops.h"

/** struct lk_element_work - @value: of each law's row at q_n;  @rate: of each law's row by the half
 * kick alone, where the system closes_dampers;  @power: that soft stops and closed dampers take at
 * q_n, with what else acts along their coordinates [W] */
struct lk_element_work {
    double *value;
    double *rate;
    double power;
    struct lk_stops stops;
};

/** lk_elements_layout() - memory of system->elements. */
void lk_elements_layout(struct lk_system *system, struct lk_arena *arena);

#endif
