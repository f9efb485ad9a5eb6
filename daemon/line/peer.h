/* SPDX-License-Identifier: Apache-2.0 */
/* The sender of a message.
 *
 * With keys (see zap.h) ZeroMQ attaches the ZAP handler's answer about the connection to every
 * message: the property "User-Id", written by lkd_peer_user_id(). The client cannot change this
 * property: if two properties have the same name, that of the handler has precedence. */
#ifndef LKD_IO_PEER_H
#define LKD_IO_PEER_H

#include "linkage.pb-c.h"
#include <stdbool.h>
#include <stddef.h>

#define LKD_PEER_NAME_SIZE 64

/** struct lkd_peer - the sender of a message.
 * @role: rights of the sender
 * @name: name of the sender's key in the list of clients. "" if the endpoint has no keys; then
 *        every client has all rights */
struct lkd_peer {
    Linkage__V1__Role role;
    char name[LKD_PEER_NAME_SIZE];
};

/** lkd_peer_of() - Determine the sender of a message.
 * @keyed:   the receiving endpoint has keys; without keys every sender has ROLE_CONTROL
 * @user_id: property "User-Id" of the message, NULL: none. With keys, an unauthenticated sender has
 *           ROLE_UNSPECIFIED, which allows nothing. */
void lkd_peer_of(bool keyed, const char *user_id, struct lkd_peer *ret_peer);

/** lkd_peer_user_id() - Write the ZAP handler's text for a client: "bench/NAME".
 * @ret: @size bytes, LKD_PEER_USER_ID_SIZE is always enough */
#define LKD_PEER_USER_ID_SIZE (LKD_PEER_NAME_SIZE + 16)
void lkd_peer_user_id(const struct lkd_peer *peer, char *ret, size_t size);

#endif
