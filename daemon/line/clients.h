/* SPDX-License-Identifier: Apache-2.0 */
/* The list of clients that may talk to the daemon, one a line:
 *
 *     ROLE NAME PUBLICKEY  # comment
 *     bench  rig-a    Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
 *
 * ROLE is read, bench or control; each includes the rights of those before it. NAME appears in the
 * log and in `linkagectl inputs`. Each key and each name is unique. */
#ifndef LKD_IO_CLIENTS_H
#define LKD_IO_CLIENTS_H

#include "keys.h"
#include "peer.h"

#define LKD_CLIENTS_MAX 512

/** struct lkd_clients - @n of them, in the order of the file */
struct lkd_clients {
    int n;
    struct lkd_client {
        char key[LK_KEY_SIZE];
        struct lkd_peer peer;
    } client[LKD_CLIENTS_MAX];
};

/** lkd_clients_parse() - read a list.
 * @name: of the text, for the error
 * Return: 0, LK_E_TEXT (@ret_error: "name:line: ..."; @ret_clients is undefined). */
int lkd_clients_parse(const char *name, const char *text, size_t size,
                      struct lkd_clients *ret_clients, struct lk_error *ret_error);

/** lkd_clients_read() - Read the list in the file at @path, which others must not be able to write.
 * @owner: permitted owner, besides root
 * @ret_clients: on the heap, free() it
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lkd_clients_read(const char *path, uid_t owner, struct lkd_clients **ret_clients,
                     struct lk_error *ret_error);

/** lkd_clients_find() - Return the client with this key (Z85), NULL if there is none. */
const struct lkd_peer *lkd_clients_find(const struct lkd_clients *clients, const char *key);

#endif
