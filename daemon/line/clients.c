/* SPDX-License-Identifier: Apache-2.0 */
#include "clients.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Position of a line in a list of clients, for error messages. */
struct place {
    const char *name;
    int line;
    struct lk_error *error;
};

static int refuse_line(const struct place *place, const char *what)
{
    lk_error_set(place->error, "%s:%d: %s", place->name, place->line, what);
    return LK_E_TEXT;
}

static bool is_word(const struct lk_key_words *words, int i, const char *word)
{
    return words->length[i] == strlen(word) && memcmp(words->word[i], word, strlen(word)) == 0;
}

static int read_role(const struct lk_key_words *words, Linkage__V1__Role *ret_role)
{
    if (is_word(words, 0, "read"))
        *ret_role = LINKAGE__V1__ROLE__ROLE_READ;
    else if (is_word(words, 0, "bench"))
        *ret_role = LINKAGE__V1__ROLE__ROLE_BENCH;
    else if (is_word(words, 0, "control"))
        *ret_role = LINKAGE__V1__ROLE__ROLE_CONTROL;
    else
        return LK_E_TEXT;
    return 0;
}

static int read_client(const struct place *place, const struct lk_key_words *words,
                       struct lkd_client *ret_client)
{
    *ret_client = (struct lkd_client){0};
    if (words->n != 3)
        return refuse_line(place, "expected three words: ROLE NAME PUBLICKEY");
    if (read_role(words, &ret_client->peer.role))
        return refuse_line(place, "unknown role, expected read, bench or control");
    if (!lk_key_name_is_valid(words->word[1], words->length[1]))
        return refuse_line(place, "not a name, expected 1 to 63 letters, digits, '.', '_' or '-'");
    if (!lk_key_is_valid(words->word[2], words->length[2]))
        return refuse_line(place, "not a public key, expected 40 characters of Z85");
    memcpy(ret_client->peer.name, words->word[1], words->length[1]);
    memcpy(ret_client->key, words->word[2], LK_KEY_LENGTH);
    return 0;
}

/* Refuse a key or a name that the list already contains: a key with two roles, or a name with two
 * keys, would be ambiguous. */
static int check_unique(const struct place *place, const struct lkd_clients *clients,
                        const struct lkd_client *client)
{
    for (int i = 0; i < clients->n; i++) {
        if (strcmp(clients->client[i].key, client->key) == 0)
            return refuse_line(place, "this key is in the list already");
        if (strcmp(clients->client[i].peer.name, client->peer.name) == 0)
            return refuse_line(place, "this name is in the list already");
    }
    return 0;
}

int lkd_clients_parse(const char *name, const char *text, size_t size,
                      struct lkd_clients *ret_clients, struct lk_error *ret_error)
{
    struct lk_key_words words = {0};
    size_t offset = 0;

    ret_clients->n = 0;
    while (lk_key_next_line(text, size, &offset, &words)) {
        const struct place place = {name, words.line, ret_error};
        struct lkd_client client;
        int r;

        r = read_client(&place, &words, &client);
        if (r == 0)
            r = check_unique(&place, ret_clients, &client);
        if (r == 0 && ret_clients->n == LKD_CLIENTS_MAX)
            r = refuse_line(&place, "too many clients, expected 512 at most");
        if (r)
            return r;
        ret_clients->client[ret_clients->n++] = client;
    }
    return 0;
}

int lkd_clients_read(const char *path, uid_t owner, struct lkd_clients **ret_clients,
                     struct lk_error *ret_error)
{
    struct lkd_clients *clients;
    size_t size = 0;
    char *text;
    int r;

    r = lk_key_file_read(path, LK_KEY_PUBLIC, owner, &text, &size, ret_error);
    if (r)
        return r;
    clients = calloc(1, sizeof(*clients));
    r = clients ? lkd_clients_parse(path, text, size, clients, ret_error) : -ENOMEM;
    lk_key_file_free(text, size);
    if (r)
        free(clients);
    else
        *ret_clients = clients;
    return r;
}

const struct lkd_peer *lkd_clients_find(const struct lkd_clients *clients, const char *key)
{
    for (int i = 0; i < clients->n; i++)
        if (strcmp(clients->client[i].key, key) == 0)
            return &clients->client[i].peer;
    return NULL;
}
