/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses the daemon may listen on, and the listening sockets, which are the daemon's own: they
 * stay when the process that serves them (line/line.h) does not, and who connects meanwhile waits.
 *
 * Three kinds: "tcp://127.x.y.z:port", "ipc://path", and, with keys only, any other
 * "tcp://a.b.c.d:port". Without keys nothing on the line says who may talk, so anything that other
 * machines could reach is refused. A path must be free or hold a socket that nobody listens on any
 * more. */
#ifndef LKD_IO_ENDPOINT_H
#define LKD_IO_ENDPOINT_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>

#define LKD_ENDPOINT_SIZE 128 /* bytes with the terminating zero */

/** lkd_endpoint_check() - may the daemon listen on @endpoint? Looks at the text and, for ipc, at
 * what lies at the path; opens nothing.
 * Return: 0, or LK_E_TEXT (@ret_error says what is wrong and what was expected). */
int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error);
/** lkd_endpoint_check_keyed() - the same where only clients with a key on the list are let in. */
int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error);

/** lkd_endpoint_listen() - listen on @endpoint.
 * @open: whether other machines may reach it
 * Return: 0, or LK_E_TEXT (in use, not allowed; @ret_error says which). */
int lkd_endpoint_listen(const char *endpoint, bool open, int *ret_fd, struct lk_error *ret_error);

/** lkd_endpoint_close() - listen no more, and take the path away. */
void lkd_endpoint_close(const char *endpoint, int fd);

#endif
