/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the three endpoints, from the files that the section `security` names.
 *
 *     read    the server's secret and the list of clients, before privileges are dropped
 *     serve   hand both to the line process; it receives the secret again at each restart
 *     reload  read the list again, on SIGHUP
 *
 * All calls from the control thread. */
#ifndef LKD_SECURITY_H
#define LKD_SECURITY_H

#include "config.h"
#include "line.h"

/** struct lkd_security - @path: path of the list, "" without keys;  @owner: permitted owner of the
 * files, besides root
 * @secret, @clients: valid until handed to the line;  @line: the line that received them */
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

/** lkd_security_serve() - Hand the keys, if any, to @line and wipe them here. */
void lkd_security_serve(struct lkd_security *security, struct lkd_line *line);

/** lkd_security_reload() - read the list of clients again; if it is refused or empty, the old list
 * remains valid and the reason is logged. */
void lkd_security_reload(struct lkd_security *security);

/** lkd_security_close() - Wipe the keys and release @security. */
void lkd_security_close(struct lkd_security *security);

#endif
