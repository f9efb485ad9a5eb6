/* SPDX-License-Identifier: Apache-2.0 */
/* The connection to the daemon, with keys if key files are given. */
#include "ctl.h"

int ctl_connect(const struct ctl_options *options, struct lk_client **ret_client)
{
    bool with_keys = options->server_key != NULL;
    struct lk_client_keyring keys;
    struct lk_error error;
    int code;

    if (with_keys != (options->key != NULL))
        return ctl_usage("--server-key and --key belong together");
    if (with_keys && lk_client_keyring_read(options->server_key, options->key, &keys, &error) != 0)
        return ctl_fail(options, &error);
    code = lk_client_open_with(options->endpoint, options->timeout_ms,
                               with_keys ? &keys.options : NULL, ret_client, &error);
    if (with_keys)
        lk_client_keyring_wipe(&keys);
    return code == 0 ? CTL_OK : ctl_report(options, code, &error);
}
