/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption, and client certificates as login.
 *
 * Without encryption the gateway listens on loopback only. With --tls-clients a connection needs a
 * certificate of that authority, and a page needs no token. It may view; it may operate if the only
 * common name (CN) of its certificate is one of --operator. Browsers send a certificate on
 * connections of any site, so only pages of the gateway itself are accepted (`Origin`). Thread:
 * web. */
#ifndef TOOLS_GATEWAY_TLS_H
#define TOOLS_GATEWAY_TLS_H

#include "gateway.h"
#include "page.h"

/** tls_check() - Check that the options are consistent and the key is private. Return: 0, 1 with
 * @ret_error; 2 if the command line is wrong. */
int tls_check(const struct gate_options *options, struct lk_error *ret_error);
/** tls_fill() - Fill the TLS settings of the library. */
void tls_fill(const struct gate_options *options, struct lws_context_creation_info *info);
/** tls_role() - Return the role of a connection by its certificate, PAGE_NOBODY: it has none. */
enum page_role tls_role(const struct gate_options *options, struct lws *wsi);

#endif
