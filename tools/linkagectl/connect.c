/* SPDX-License-Identifier: Apache-2.0 */
/* The connection, with keys if key files are given. */
#include "ctl.h"
#include "keys.h"

#include <string.h>
#include <unistd.h>
#include <zmq.h>

struct keys {
    char server[LK_KEY_SIZE];
    char public_key[LK_KEY_SIZE];
    char secret[LK_KEY_SIZE];
};

/* The public key of a client follows from its secret one. */
static int read_keys(const struct ctl_options *options, struct keys *ret_keys,
                     struct lk_error *ret_error)
{
    int r = lk_key_read(options->server_key, LK_KEY_PUBLIC, geteuid(), ret_keys->server, ret_error);

    if (r == 0)
        r = lk_key_read(options->key, LK_KEY_SECRET, geteuid(), ret_keys->secret, ret_error);
    if (r == 0 && zmq_curve_public(ret_keys->public_key, ret_keys->secret) != 0) {
        lk_error_set(ret_error, "this machine's libzmq cannot encrypt (no CURVE)");
        r = LK_E_TEXT;
    }
    return r;
}

int ctl_connect(const struct ctl_options *options, struct lk_client **ret_client)
{
    bool with_keys = options->server_key != NULL;
    struct keys keys;
    const struct lk_client_options copy = {keys.server, keys.public_key, keys.secret};
    struct lk_error error;
    int code;

    if (with_keys != (options->key != NULL))
        return ctl_usage("--server-key and --key belong together");
    if (with_keys && read_keys(options, &keys, &error) != 0)
        return ctl_fail(options, &error);
    code = lk_client_open_with(options->endpoint, options->timeout_ms, with_keys ? &copy : NULL,
                               ret_client, &error);
    if (with_keys)
        explicit_bzero(&keys, sizeof(keys));
    return code == 0 ? CTL_OK : ctl_report(options, code, &error);
}
