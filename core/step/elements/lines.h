/* SPDX-License-Identifier: Apache-2.0 */
/* Transmission lines, see lines.c. */
#ifndef LK_STEP_ELEMENTS_LINES_H
#define LK_STEP_ELEMENTS_LINES_H

#include "step/system.h"

/** lk_lines_take() - the waves that reach both ends of all lines in the step from system->now. RT:
 * yes. */
LK_RT void lk_lines_take(struct lk_system *system);
/** lk_lines_keep() - system->next, whose coordinates are known, gets what its step has sent. RT:
 * yes. */
LK_RT void lk_lines_keep(struct lk_system *system);
/** lk_lines_energy() - of what is under way in all lines of @state [J]. RT: yes. */
LK_RT double lk_lines_energy(const struct lk_system *system, const struct lk_state *state);
/** lk_lines_force() - along the coordinate of an end, mean of the last step [N, N m]. RT: yes. */
LK_RT double lk_lines_force(const struct lk_system *system, const struct lk_line *line, int end);

#endif
