/* SPDX-License-Identifier: Apache-2.0 */
/* Mobilities of shown ports: acceleration or velocity per force at the place where a bench acts. */
#ifndef LK_STEP_OUTPUTS_MOBILITY_H
#define LK_STEP_OUTPUTS_MOBILITY_H

#include "step/system.h"

/** lk_ports_show() - mobilities at the present poses, with the factor that belongs to them, into
 * @state: a unit of force at a port gives its place the acceleration Q^T (W - W Phi_q^T (Phi_q W
 * Phi_q^T)^-1 Phi_q W) Q. Springs and dampers have no say in that, and stops that do not push.
 * One solve for each, two where rows may depend on each other. RT: yes. */
LK_RT void lk_ports_show(struct lk_system *system, struct lk_state *state);

#endif
