/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams sent by the cycle's own thread after the outputs, in the idle time of the period:
 * `send_from: cycle`. They leave a fraction of a millisecond earlier than from the exchange thread
 * and do not depend on its scheduling.
 *
 * The cost is a system call in the cycle; doc/reference/sending.md has measurements. The socket is
 * connected before the run and non-blocking. The budget proof at arming does not include this
 * time. */
#ifndef LKD_IO_MOTION_CYCLE_H
#define LKD_IO_MOTION_CYCLE_H

#include "motion.h"

/** lkd_motion_after_cycle() - Send the datagrams that are due in a stepping cycle. Has the type
 * `lkd_cycle_after`.
 * @context: struct lkd_motions
 * Thread: cycle.  RT: one non-blocking system call per receiver. */
void lkd_motion_after_cycle(const struct lkd_cycle *cycle, void *context);

#endif
