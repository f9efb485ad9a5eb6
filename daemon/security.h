/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of the three endpoints, from the files that the section `security` names.
 *
 *     read    the server's secret and the list of clients; as long as the daemon may read them
 *     open    the ZAP handler is there, before any socket is bound
 *     start   it answers; the secret is wiped, the sockets have it
 *     reload  on SIGHUP: the list again
 *
 * All calls from the control thread. */
#ifndef LKD_SECURITY_H
#define LKD_SECURITY_H

#include "config.h"
#include "zap.h"

/** struct lkd_security - @path: of the list, "" without keys;  @owner: of the files, besides root
 * @secret: until the start;  @clients: until the handler has them */
struct lkd_security {
    char path[PATH_MAX];
    uid_t owner;
    char secret[LK_KEY_SIZE];
    struct lkd_clients *clients;
    struct lkd_zap *zap;
};

/** lkd_security_read() - the files, when the configuration names any.
 * @owner: who may own them, besides root
 * Return: 0, LK_E_TEXT (@ret_error), -ENOMEM. */
int lkd_security_read(const struct lkd_config *config, uid_t owner,
                      struct lkd_security *ret_security, struct lk_error *ret_error);

/** lkd_security_open() - before any bind in @context; does nothing without keys.
 * Return: 0, negative errno. */
int lkd_security_open(struct lkd_security *security, void *context);

/** lkd_security_options() - what a socket needs to be bound with keys, or without. */
void lkd_security_options(const struct lkd_security *security, struct lkd_socket_options *options);

/** lkd_security_start() - after the binds. Return: 0, negative errno. */
int lkd_security_start(struct lkd_security *security);

/** lkd_security_reload() - read the list of clients again; where that is refused, or the list is
 * empty, the old one stays and the log says why. */
void lkd_security_reload(struct lkd_security *security);

/** lkd_security_turned_away() - connections since the start; NULL is allowed. */
uint64_t lkd_security_turned_away(const struct lkd_security *security);

/** lkd_security_close() - after the sockets were closed. */
void lkd_security_close(struct lkd_security *security);

#endif
