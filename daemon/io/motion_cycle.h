/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams from the cycle's own thread, at its end, in the slack that is left of the period:
 * `send_from: cycle`. They leave a millisecond's fraction earlier than from the exchange thread,
 * and do not depend on when that gets its turn.
 *
 * The price is a system call in the cycle, which README.md of the configuration has measured; the
 * socket is ready, connected and non-blocking before the run. It is not taken from the budget that
 * arming proves. */
#ifndef LKD_IO_MOTION_CYCLE_H
#define LKD_IO_MOTION_CYCLE_H

#include "motion.h"

/** lkd_motion_after_cycle() - send what is due of a cycle that steps; a `lkd_cycle_after`.
 * @context: struct lkd_motions
 * Thread: cycle.  RT: one system call a receiver that does not block. */
void lkd_motion_after_cycle(const struct lkd_cycle *cycle, void *context);

#endif
