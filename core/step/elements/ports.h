/* SPDX-License-Identifier: Apache-2.0 */
/* Values of force elements that inputs set, and the work of benches at ports; see ports.c. */
#ifndef LK_STEP_ELEMENTS_PORTS_H
#define LK_STEP_ELEMENTS_PORTS_H

#include "step/system.h"

/** lk_signals_take() - set the values of terms, and gravity, from @inputs: scales, stiffness,
 * damping, rest, push. RT: yes. */
LK_RT void lk_signals_take(struct lk_system *system, const double *inputs);
/** lk_ports_gap() - return the largest difference between the work at a port and the work that its
 * bench reports [J]. RT: yes. */
LK_RT double lk_ports_gap(const struct lk_system *system);
#endif
