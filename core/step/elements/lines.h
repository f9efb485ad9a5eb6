/* SPDX-License-Identifier: Apache-2.0 */
/* Transmission lines, see lines.c. */
#ifndef LK_STEP_ELEMENTS_LINES_H
#define LK_STEP_ELEMENTS_LINES_H

#include "step/system.h"

/** lk_lines_force() - return the force along the coordinate of an end of a line, as the mean
 * over the last step [N, N m]. RT: yes. */
LK_RT double lk_lines_force(const struct lk_system *system, const struct lk_line *line, int end);

#endif
