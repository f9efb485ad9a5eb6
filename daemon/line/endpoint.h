/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that the daemon may listen on, and its listening sockets. The daemon owns these
 * sockets, so they outlive the line process that serves them (line/line.h). Clients that connect
 * during a restart of the line process wait. An address has one of three forms:
 * "tcp://127.x.y.z:port", "ipc://path", and, with keys only, any other "tcp://a.b.c.d:port".
 * Without keys, addresses that other machines can reach are refused, because anybody could connect.
 * The path of an ipc address must not exist, or be a socket without a listener. */
#ifndef LKD_IO_ENDPOINT_H
#define LKD_IO_ENDPOINT_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>

#define LKD_ENDPOINT_SIZE 128 /* bytes with the terminating zero */

/** lkd_endpoint_check() - Check whether the daemon may listen on @endpoint without keys. Checks the
 * text and, for ipc, the type of an existing file at the path. Opens no socket.
 * Return: 0, or LK_E_TEXT (@ret_error: the fault, and the expected form). */
int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error);
/** lkd_endpoint_check_keyed() - Check whether the daemon may listen on @endpoint, if clients need
 * keys. */
int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error);

/** lkd_endpoint_listen() - Listen on @endpoint. If the address is in use, retry for two seconds,
 * because a killed daemon may still be releasing it.
 * @open: other machines may reach the endpoint
 * Return: 0, or LK_E_TEXT (in use or not allowed, see @ret_error). */
int lkd_endpoint_listen(const char *endpoint, bool open, int *ret_fd, struct lk_error *ret_error);

/** lkd_endpoint_mend() - Make @fd listen on @endpoint again after another process has used it; the
 * descriptor number is kept. If listening fails, @fd is replaced by a new socket, and clients
 * waiting for accept must reconnect.
 * Return: 0, or LK_E_TEXT (@ret_error: the reason; retry later). */
int lkd_endpoint_mend(const char *endpoint, bool open, int fd, struct lk_error *ret_error);

/** lkd_endpoint_close() - Stop listening, and remove the path of an ipc endpoint. */
void lkd_endpoint_close(const char *endpoint, int fd);

#endif
