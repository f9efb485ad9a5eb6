/* SPDX-License-Identifier: Apache-2.0 */
/* Mobilities of ports that are outputs: acceleration or velocity per unit of force at the port. */
#ifndef LK_STEP_OUTPUTS_MOBILITY_H
#define LK_STEP_OUTPUTS_MOBILITY_H

#include "step/system.h"

/** lk_ports_show() - compute the mobilities at the present poses, with the factor of these
 * poses, into @state: a unit of force Q at a port accelerates the port by Q^T (W - W Phi_q^T
 * (Phi_q W Phi_q^T)^-1 Phi_q W) Q. Springs and dampers are not included, nor are stops that do
 * not push. One solve for each port, or two if rows may depend on each other. RT: yes. */
LK_RT void lk_ports_show(struct lk_system *system, struct lk_state *state);

#endif
