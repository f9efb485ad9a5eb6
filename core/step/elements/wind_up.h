/* SPDX-License-Identifier: Apache-2.0 */
/* Friction with wind-up, see wind_up.c. */
#ifndef LK_STEP_ELEMENTS_WIND_UP_H
#define LK_STEP_ELEMENTS_WIND_UP_H

#include "step/system.h"

/** lk_wind_up_refer() - set the scratch values of frictions with wind-up from the wind-up and
 * coordinates of @state. RT: yes. */
LK_RT void lk_wind_up_refer(struct lk_system *system, const struct lk_state *state);
/** lk_wind_up_settle() - update the wind-up in system->now to the coordinates of system->now, at
 * rest. RT: yes. */
LK_RT void lk_wind_up_settle(struct lk_system *system);

#endif
