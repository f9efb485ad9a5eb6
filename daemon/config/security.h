/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the three endpoints, from the files that the section `security` names.
 *
 *     read    the server's secret and the list of clients; as long as the daemon may read them
 *     serve   the line process has both; it gets the secret again whenever it is started anew
 *     reload  on SIGHUP: the list again
 *
 * All calls from the control thread. */
#ifndef LKD_SECURITY_H
#define LKD_SECURITY_H

#include "config.h"
#include "line.h"

/** struct lkd_security - @path: of the list, "" without keys;  @owner: of the files, besides root
 * @secret, @clients: until the line has them;  @line: that has */
struct lkd_security {
    char path[PATH_MAX];
    uid_t owner;
    char secret[LK_KEY_SIZE];
    struct lkd_clients *clients;
    struct lkd_line *line;
};

/** lkd_security_read() - the files, when the configuration names any.
 * @owner: who may own them, besides root
 * Return: 0, LK_E_TEXT (@ret_error), -ENOMEM. */
int lkd_security_read(const struct lkd_config *config, uid_t owner,
                      struct lkd_security *ret_security, struct lk_error *ret_error);

/** lkd_security_serve() - @line serves with these keys, or without any: wiped here. */
void lkd_security_serve(struct lkd_security *security, struct lkd_line *line);

/** lkd_security_reload() - read the list of clients again; where that is refused, or the list is
 * empty, the old one stays and the log says why. */
void lkd_security_reload(struct lkd_security *security);

/** lkd_security_close() - wipe and release. */
void lkd_security_close(struct lkd_security *security);

#endif
