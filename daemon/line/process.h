/* SPDX-License-Identifier: Apache-2.0 */
/* The line process: all of libzmq, away from the daemon.
 *
 * libzmq 4.3.4 ends its process where a peer takes a name that it was about to give away, where a
 * peer with heartbeats dies at the wrong moment, and where a message of endless parts has used up
 * the memory. Here that costs the connections: the daemon starts another of these, with the same
 * listening sockets and channels, and clients come back by themselves.
 *
 * It is the daemon's own program, started with LKD_LINE_ARGUMENT, without
 * capabilities, with a limit on its memory. What it needs comes over LKD_LINE_FD: see orders.h. It
 * ends when the daemon does. */
#ifndef LKD_LINE_PROCESS_H
#define LKD_LINE_PROCESS_H

/** lkd_line_main() - be one. Return: exit status. */
int lkd_line_main(void);

#endif
