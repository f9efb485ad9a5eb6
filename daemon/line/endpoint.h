/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that the daemon may listen on, and the listening sockets, which the daemon owns: they
 * outlive the process that serves them (line/line.h), and clients that connect meanwhile wait.
 *
 * Three kinds: "tcp://127.x.y.z:port", "ipc://path", and, with keys only, any other
 * "tcp://a.b.c.d:port". Without keys anybody could connect, so addresses that other machines reach
 * are refused. A path must be free or a socket without a listener. */
#ifndef LKD_IO_ENDPOINT_H
#define LKD_IO_ENDPOINT_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>

#define LKD_ENDPOINT_SIZE 128 /* bytes with the terminating zero */

/** lkd_endpoint_check() - whether the daemon may listen on @endpoint. Checks the text and, for ipc,
 * what exists at the path; opens nothing.
 * Return: 0, or LK_E_TEXT (@ret_error says what is wrong and what was expected). */
int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error);
/** lkd_endpoint_check_keyed() - the same for an endpoint with keys. */
int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error);

/** lkd_endpoint_listen() - listen on @endpoint.
 * @open: whether other machines may reach it
 * One that is in use is tried again for two seconds: a daemon that was killed may just be leaving
 * it. Return: 0, or LK_E_TEXT (in use, not allowed; @ret_error says which). */
int lkd_endpoint_listen(const char *endpoint, bool open, int *ret_fd, struct lk_error *ret_error);

/** lkd_endpoint_mend() - make @fd listen on @endpoint as before, whatever another process that had
 * it may have done to it; its number stays. If nothing else helps, it is replaced by a new socket:
 * clients that waited for accept have to reconnect.
 * Return: 0, or LK_E_TEXT (@ret_error says why not; try again later). */
int lkd_endpoint_mend(const char *endpoint, bool open, int fd, struct lk_error *ret_error);

/** lkd_endpoint_close() - stop listening, and remove the path. */
void lkd_endpoint_close(const char *endpoint, int fd);

#endif
