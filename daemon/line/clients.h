/* SPDX-License-Identifier: Apache-2.0 */
/* The list of clients that may connect to the daemon. Each line names one client:
 *
 *     ROLE NAME PUBLICKEY  # comment
 *     bench  rig-a    Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
 *
 * ROLE is read, bench or control. Each role includes the rights of the roles before it. NAME
 * appears in the log and in `linkagectl inputs`. Each key and each name is unique. */
#ifndef LKD_IO_CLIENTS_H
#define LKD_IO_CLIENTS_H

#include "keys.h"
#include "peer.h"

#define LKD_CLIENTS_MAX 512

/** struct lkd_clients - list of @n clients, in the order of the file */
struct lkd_clients {
    int n;
    struct lkd_client {
        char key[LK_KEY_SIZE];
        struct lkd_peer peer;
    } client[LKD_CLIENTS_MAX];
};

/** lkd_clients_parse() - Parse a list of clients. @name: name of the text, for the error message
 * Return: 0, LK_E_TEXT (@ret_error: "name:line: ..."; @ret_clients is undefined). */
int lkd_clients_parse(const char *name, const char *text, size_t size,
                      struct lkd_clients *ret_clients, struct lk_error *ret_error);

/** lkd_clients_read() - Read the list in the file at @path, which others must not be able to write.
 * @owner: permitted owner, besides root
 * @ret_clients: on the heap, free() it
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lkd_clients_read(const char *path, uid_t owner, struct lkd_clients **ret_clients,
                     struct lk_error *ret_error);

/** lkd_clients_find() - Return the client with this public key (Z85), or NULL if the list does not
 * contain it. */
const struct lkd_peer *lkd_clients_find(const struct lkd_clients *clients, const char *key);

#endif
