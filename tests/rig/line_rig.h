/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's handling of benches for a small loaded model, without threads, sockets and runs:
 *
 *     input    scalars  limits        initial  rate            stale
 *     torque   1        -10 to 10     1        any             ramp
 *     push     3        -100 to 100   0        any             zero
 *     motor    1        any           0        0.5 a step      hold
 *
 * line_rig_fresh() resets the state between fuzz inputs; only allocated memory is reused. */
#ifndef FUZZ_LINE_RIG_H
#define FUZZ_LINE_RIG_H

#include "commands.h"
#include "inputs.h"
#include "rig.h"

extern struct lkd_inputs line_inputs;
extern struct lkd_rig line_rig;
extern struct lkd_commands line_commands;

/** line_rig_fresh() - Reset the state: READY, no claims, no injections, no streams. The first call
 * loads the model. A failure ends the program. */
void line_rig_fresh(void);

/** line_rig_is_safe() - Return true if a request can be executed here, because it creates no thread
 * and loads no model. */
bool line_rig_is_safe(const Linkage__V1__ControlRequest *request);

/** line_rig_request() - Execute a request, if it is safe. Return: its reply, valid until the next
 * call; NULL: not executed. */
const Linkage__V1__ControlReply *line_rig_request(Linkage__V1__Role role, const uint8_t *data,
                                                  size_t size);

#endif
