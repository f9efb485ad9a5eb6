/* SPDX-License-Identifier: Apache-2.0 */
/* Encryption, and certificates of those who connect as their login.
 *
 * Without it the gateway listens on loopback alone. With --tls-clients nobody connects whose
 * certificate is not of that authority; a page then needs no token: it looks, or operates if the
 * common name (CN) of its certificate, of which there may be only one, is one of --operator.
 * Browsers show a certificate to whatever site asks for a connection, so only pages of the gateway
 * itself are let in (`Origin`). Thread: web. */
#ifndef TOOLS_GATEWAY_TLS_H
#define TOOLS_GATEWAY_TLS_H

#include "gateway.h"
#include "page.h"

/** tls_check() - that the options go together, and the key is private. Return: 0, 1 with
 * @ret_error; 2 where the command line is wrong. */
int tls_check(const struct gate_options *options, struct lk_error *ret_error);
/** tls_fill() - what the library wants to know. */
void tls_fill(const struct gate_options *options, struct lws_context_creation_info *info);
/** tls_role() - of a connection by its certificate, PAGE_NOBODY: it has none. */
enum page_role tls_role(const struct gate_options *options, struct lws *wsi);

#endif
