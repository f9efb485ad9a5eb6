/* SPDX-License-Identifier: Apache-2.0 */
#include "security.h"
#include "log.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int lkd_security_open(struct lkd_security *security, void *context)
{
    struct lkd_clients *clients = security->clients;
    int n = clients ? clients->n : 0, r;

    lkd_peer_expect_keys(clients != NULL);
    if (!clients)
        return 0;
    security->clients = NULL;
    r = lkd_zap_new(context, clients, &security->zap);
    if (r == 0)
        lkd_log(LKD_C_KEYS_LOADED, "keys needed: %d clients in %s", n, security->path);
    return r;
}

void lkd_security_options(const struct lkd_security *security, struct lkd_socket_options *options)
{
    options->secret_key = security->zap ? security->secret : NULL;
    options->zap = security->zap;
}

int lkd_security_start(struct lkd_security *security)
{
    explicit_bzero(security->secret, sizeof(security->secret));
    return security->zap ? lkd_zap_start(security->zap) : 0;
}

void lkd_security_reload(struct lkd_security *security)
{
    struct lkd_clients *clients;
    struct lk_error error = {0};
    int r, n;

    if (!security || !security->zap) {
        lkd_log(LKD_C_RELOAD_REFUSED, "nothing to read again: the endpoints have no keys");
        return;
    }
    r = lkd_clients_read(security->path, security->owner, &clients, &error);
    if (r == 0 && clients->n == 0) { /* cut short, or half written */
        lk_error_set(&error, "%s: names no client", security->path);
        free(clients);
        r = LK_E_TEXT;
    }
    if (r) {
        lkd_log(LKD_C_RELOAD_REFUSED, "the old list of clients stays: %s",
                r < 0 ? strerror(-r) : error.text);
        return;
    }
    n = clients->n;
    lkd_zap_replace(security->zap, clients);
    lkd_log(LKD_C_KEYS_LOADED, "%d clients in %s from now on; who is connected stays so", n,
            security->path);
}

uint64_t lkd_security_turned_away(const struct lkd_security *security)
{
    return security && security->zap ? lkd_zap_turned_away(security->zap) : 0;
}

void lkd_security_close(struct lkd_security *security)
{
    lkd_zap_stop(security->zap);
    free(security->clients);
    explicit_bzero(security->secret, sizeof(security->secret));
    security->zap = NULL;
    security->clients = NULL;
}
