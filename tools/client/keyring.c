/* SPDX-License-Identifier: Apache-2.0 */
/* Keys from files: proto/keys.h reads one key; this file derives the three keys of a client from
 * two files. */
#include "client.h"
#include "keys.h"

#include <string.h>
#include <unistd.h>
#include <zmq.h>

_Static_assert(LK_CLIENT_KEY_SIZE == LK_KEY_SIZE, "a key is a key");

int lk_client_keyring_read(const char *server_file, const char *own_file,
                           struct lk_client_keyring *ret_keyring, struct lk_error *ret_error)
{
    struct lk_client_keyring read = {0};
    int r = lk_key_read(server_file, LK_KEY_PUBLIC, geteuid(), read.server_key, ret_error);

    if (r == 0)
        r = lk_key_read(own_file, LK_KEY_SECRET, geteuid(), read.secret_key, ret_error);
    if (r == 0 && zmq_curve_public(read.public_key, read.secret_key) != 0) {
        lk_error_set(ret_error, "this machine's libzmq cannot encrypt (no CURVE)");
        r = LK_CLIENT_E_KEYS;
    }
    if (r == 0) {
        *ret_keyring = read;
        ret_keyring->options = (struct lk_client_options){
            ret_keyring->server_key, ret_keyring->public_key, ret_keyring->secret_key};
    }
    lk_client_keyring_wipe(&read);
    return r == 0 ? 0 : LK_CLIENT_E_KEYS;
}

void lk_client_keyring_wipe(struct lk_client_keyring *keyring)
{
    explicit_bzero(keyring, sizeof(*keyring));
}
