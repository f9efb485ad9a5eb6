/* SPDX-License-Identifier: Apache-2.0 */
/* The line process, which isolates libzmq from the daemon.
 *
 * libzmq 4.3.4 aborts its process in three cases: a peer takes a routing id that libzmq was about
 * to assign; a peer with heartbeats dies at the wrong moment; a message with endless parts exhausts
 * the memory. In a separate process, an abort loses only the connections: the daemon starts another
 * line process with the same listening sockets and channels, and clients reconnect by themselves.
 *
 * The line process runs the daemon's own program with LKD_LINE_ARGUMENT, without capabilities and
 * with a memory limit. It receives its set-up over LKD_LINE_FD (orders.h) and ends when the daemon
 * ends. */
#ifndef LKD_LINE_PROCESS_H
#define LKD_LINE_PROCESS_H

/** lkd_line_main() - Run a line process; called by main(). Return: exit status. */
int lkd_line_main(void);

#endif
