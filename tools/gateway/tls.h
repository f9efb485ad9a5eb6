/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption, and client certificates used as login.
 *
 * Without encryption the gateway listens on loopback only. With --tls-clients each connection needs
 * a certificate of that authority, and pages need no token. Every such page may view. It may also
 * operate if the only common name (CN) of its certificate is an argument of --operator. Browsers
 * send a certificate also on behalf of pages of other sites. Therefore only pages of the gateway
 * itself are accepted, which their header `Origin` identifies.
 * Thread: web. */
#ifndef TOOLS_GATEWAY_TLS_H
#define TOOLS_GATEWAY_TLS_H

#include "gateway.h"
#include "page.h"

/** tls_check() - Check that the options are consistent and that only the owner can read the key.
 * Return: 0; 1 with @ret_error; 2 with @ret_error if the command line is wrong. */
int tls_check(const struct gate_options *options, struct lk_error *ret_error);
/** tls_fill() - Fill the TLS settings of the library. */
void tls_fill(const struct gate_options *options, struct lws_context_creation_info *info);
/** tls_role() - Return the role of a connection according to its certificate. PAGE_NOBODY: no
 * certificate. */
enum page_role tls_role(const struct gate_options *options, struct lws *wsi);

#endif
