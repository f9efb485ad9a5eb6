/* SPDX-License-Identifier: Apache-2.0 */
#include "security.h"
#include "log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

int lkd_security_read(const struct lkd_config *config, uid_t owner,
                      struct lkd_security *ret_security, struct lk_error *ret_error)
{
    int r;

    *ret_security = (struct lkd_security){.owner = owner};
    if (!*config->secret_key)
        return 0;
    if (!zmq_has("curve")) {
        lk_error_set(ret_error, "security: this machine's libzmq cannot encrypt (no CURVE)");
        return LK_E_TEXT;
    }
    r = lk_key_read(config->secret_key, LK_KEY_SECRET, owner, ret_security->secret, ret_error);
    if (r == 0)
        r = lkd_clients_read(config->clients, owner, &ret_security->clients, ret_error);
    if (r)
        return r;
    memcpy(ret_security->path, config->clients, sizeof(ret_security->path));
    return 0;
}

void lkd_security_serve(struct lkd_security *security, struct lkd_line *line)
{
    if (security->clients)
        lkd_log(LKD_C_KEYS_LOADED, "keys needed: %d clients in %s", security->clients->n,
                security->path);
    lkd_security_close(security);
    security->line = line;
}

void lkd_security_reload(struct lkd_security *security)
{
    struct lkd_clients *clients;
    struct lk_error error = {0};
    char news[PATH_MAX + 128];
    int r;

    if (!security || !*security->path) {
        lkd_log(LKD_C_RELOAD_REFUSED, "nothing to read again: the endpoints have no keys");
        return;
    }
    r = lkd_clients_read(security->path, security->owner, &clients, &error);
    if (r == 0 && clients->n == 0) { /* the file is probably truncated or incomplete */
        lk_error_set(&error, "%s: names no client", security->path);
        free(clients);
        r = LK_E_TEXT;
    }
    if (r) {
        lkd_log(LKD_C_RELOAD_REFUSED, "the old list of clients stays: %s",
                r < 0 ? strerror(-r) : error.text);
        return;
    }
    snprintf(news, sizeof(news), "%d clients in %s from now on; who is connected stays so",
             clients->n, security->path);
    lkd_line_replace(security->line, clients, news);
    free(clients);
}

void lkd_security_close(struct lkd_security *security)
{
    free(security->clients);
    explicit_bzero(security->secret, sizeof(security->secret));
    security->clients = NULL;
}
