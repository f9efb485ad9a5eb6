/* SPDX-License-Identifier: Apache-2.0 */
/* Values of force elements that inputs give, and the work of benches at ports; see ports.c. */
#ifndef LK_STEP_ELEMENTS_PORTS_H
#define LK_STEP_ELEMENTS_PORTS_H

#include "step/system.h"

/** lk_signals_take() - values of terms from @inputs: scales, stiffness, damping, rest, push. RT:
 * yes. */
LK_RT void lk_signals_take(struct lk_system *system, const double *inputs);
/** lk_ports_gap() - the largest difference of a port's work from what its bench told [J]. RT: yes.
 */
LK_RT double lk_ports_gap(const struct lk_system *system);
#endif
