/* SPDX-License-Identifier: Apache-2.0 */
/* Drag of a body in the air. Let V be the velocity of the body's point relative to the air, in body
 * axes, and c_i half the density times the drag area along axis i. Then
 *
 *     force_i = -c_i |V| V_i,    V_i = e_i . (v + w x arm - wind)
 *
 * Each axis is a compliant row with the rate e_i . (v + w x arm), see rows/air.c. The law of a row
 * needs |V| and the wind along its axis. The functions below set both before the rows of an element
 * are evaluated. */
#ifndef LK_STEP_AIR_H
#define LK_STEP_AIR_H

#include "step/system.h"

/** lk_air_follow() - set |V| and the wind in the laws of the drag element @j. @axes: axes of its
 * rows, world; @rates: rates of its rows. Cycle, RT: yes. */
void lk_air_follow(const struct lk_system *system, const struct lk_joint *j, double axes[3][3],
                   const double *rates);

/** lk_air_follow_pose() - set |V| and the wind in the laws of @joint with the axes of the
 * present pose. Does nothing if the joint is not a drag. Cycle, RT: yes. */
void lk_air_follow_pose(const struct lk_system *system, const struct lk_joint *j,
                        const double *rates);

#endif
