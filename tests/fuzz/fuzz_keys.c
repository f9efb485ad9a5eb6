/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of clients and as a key file: they are read, or refused with one line that
 * names the place. What is read consists only of keys, names and roles. */
#include "clients.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const char *text, size_t size)
{
    static struct lkd_clients clients;
    struct lk_error error = {0};

    if (lkd_clients_parse("list", text, size, &clients, &error)) {
        if (strncmp(error.text, "list:", 5) != 0 || strchr(error.text, '\n'))
            abort();
        return;
    }
    if (clients.n < 0 || clients.n > LKD_CLIENTS_MAX)
        abort();
    for (int i = 0; i < clients.n; i++) {
        const struct lkd_client *client = &clients.client[i];

        if (!lk_key_is_valid(client->key, strlen(client->key)) ||
            !lk_key_name_is_valid(client->peer.name, strlen(client->peer.name)) ||
            client->peer.role < LINKAGE__V1__ROLE__ROLE_READ ||
            client->peer.role > LINKAGE__V1__ROLE__ROLE_CONTROL ||
            lkd_clients_find(&clients, client->key) != &client->peer)
            abort();
    }
}

static void check_key(const char *text, size_t size)
{
    struct lk_error error = {0};
    char key[LK_KEY_SIZE];

    if (lk_key_parse("key", text, size, key, &error)) {
        if (strncmp(error.text, "key:", 4) != 0 || strchr(error.text, '\n'))
            abort();
    } else if (!lk_key_is_valid(key, strlen(key))) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* a copy of the exact size, so that a sanitizer detects a read beyond it */
    char *text = malloc(size > 0 ? size : 1);

    if (!text)
        abort();
    memcpy(text, data, size);
    check_list(text, size);
    check_key(text, size);
    free(text);
    return 0;
}
