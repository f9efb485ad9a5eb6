/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the three endpoints, from the files that the section `security` names.
 *
 *     read      read the server's secret and the list of clients, before privileges are dropped
 *     serve     pass the secret and the list to the line process, also after each restart of it
 *     reload    read the list of clients again, on SIGHUP
 *
 * Thread: control, for all functions. */
#ifndef LKD_SECURITY_H
#define LKD_SECURITY_H

#include "config.h"
#include "line.h"

/** struct lkd_security - keys of the endpoints.
 * @path:    path of the list of clients, "" without keys
 * @owner:   permitted owner of the files, besides root
 * @secret:  secret key of the server; valid until it is passed to the line process
 * @clients: list of permitted clients, likewise
 * @line:    the line that received the keys */
struct lkd_security {
    char path[PATH_MAX];
    uid_t owner;
    char secret[LK_KEY_SIZE];
    struct lkd_clients *clients;
    struct lkd_line *line;
};

/** lkd_security_read() - Read the key files, if the configuration names any.
 * @owner: permitted owner of the files, besides root
 * Return: 0, LK_E_TEXT (@ret_error), -ENOMEM. */
int lkd_security_read(const struct lkd_config *config, uid_t owner,
                      struct lkd_security *ret_security, struct lk_error *ret_error);

/** lkd_security_serve() - Pass the keys, if any, to @line and wipe them in @security. */
void lkd_security_serve(struct lkd_security *security, struct lkd_line *line);

/** lkd_security_reload() - Read the list of clients again. If the new list is refused or empty, the
 * old list remains valid and the reason is logged. */
void lkd_security_reload(struct lkd_security *security);

/** lkd_security_close() - Wipe the keys and release @security. */
void lkd_security_close(struct lkd_security *security);

#endif
