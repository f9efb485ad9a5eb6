/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams from the cycle's own thread, at its end, in the slack of the period: `send_from:
 * cycle`. They are sent a fraction of a millisecond earlier than by the exchange thread and do not
 * depend on its scheduling.
 *
 * The cost is a system call in the cycle; config/README.md has measurements. The socket is
 * connected and non-blocking before the run. The budget proof at arming does not include this
 * time. */
#ifndef LKD_IO_MOTION_CYCLE_H
#define LKD_IO_MOTION_CYCLE_H

#include "motion.h"

/** lkd_motion_after_cycle() - Send the datagrams that are due in a stepping cycle. Has the type
 * `lkd_cycle_after`. @context: struct lkd_motions Thread: cycle. RT: one non-blocking system call
 * per receiver. */
void lkd_motion_after_cycle(const struct lkd_cycle *cycle, void *context);

#endif
