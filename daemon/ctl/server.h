/* SPDX-License-Identifier: Apache-2.0 */
/* The control thread handles requests, signals and the watchdog in turn, so that a flood of
 * requests can neither delay a SIGTERM nor starve the watchdog. */
#ifndef LKD_CTL_SERVER_H
#define LKD_CTL_SERVER_H

#include "port.h"
#include "rig.h"

/** lkd_server_await_load() - Wait for the first load. Meanwhile serve signals, but no clients.
 * Return: 0 with the answer, -ECANCELED (a signal requests the end), negative errno. */
int lkd_server_await_load(struct lkd_rig *rig, int signal_fd, struct lkd_answer *ret_answer);

/** lkd_server_run() - Serve until a signal, a client or the rig (@exit_status) ends the daemon.
 * @port:      channel of requests and replies
 * @signal_fd: descriptor of the signals, see signals.h
 * Notices to systemd are: READY at the begin, WATCHDOG while the cycle makes progress or no run is
 * active, STATUS at each change of state, and STOPPING when the daemon ends.
 * Return: 0, negative errno. */
int lkd_server_run(struct lkd_rig *rig, struct lkd_port *port, int signal_fd);

#endif
