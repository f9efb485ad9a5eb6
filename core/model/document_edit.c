/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a document by values from outside: replaced numbers, new keys. New nodes are stored
 * after all other nodes. Messages state the position of the parent for a new node. */
#include "document_tree.h"
#include "linkage/nearest.h"
#include "linkage/parameters.h"
#include "parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 160 /* most bytes of the names that a message lists */

/* Write the keys of @map as "a, b, c", as many as fit. */
static void list_keys(struct lk_node map, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < lk_node_size(map); i++) {
        const char *key = lk_node_text(lk_node_key_at(map, i));

        if (used + strlen(key) + sizeof(", ...") > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", key);
    }
}

/* Report that @part of @path is not in @map, with a similar key or the list of keys. */
static int refuse_part(struct lk_node map, const char *path, const char *part, struct lk_error *err)
{
    int n = lk_node_size(map);
    const char **keys = calloc((size_t)n + 1, sizeof(*keys)), *nearest;
    char listed[LISTED];

    if (keys == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        keys[i] = lk_node_text(lk_node_key_at(map, i));
    nearest = lk_nearest(part, keys);
    list_keys(map, listed, sizeof(listed));
    if (nearest != NULL)
        lk_node_refuse(map, err, "parameter %s: there is no '%s' here, did you mean '%.63s'?", path,
                       part, nearest);
    else
        lk_node_refuse(map, err, "parameter %s: there is no '%s' here, expected one of %s", path,
                       part, listed);
    free(keys);
    return LK_E_TEXT;
}

static int entry_of_list(struct lk_node list, const char *path, const char *part,
                         struct lk_node *ret, struct lk_error *err)
{
    int n = lk_node_size(list);
    long i = strspn(part, "0123456789") == strlen(part) && strlen(part) < 8 ? atol(part) : 0;

    if (i < 1 || i > n)
        return lk_node_refuse(list, err,
                              "parameter %s: '%s' is no place in this list, expected 1 to %d", path,
                              part, n);
    *ret = lk_node_at(list, (int)i - 1);
    return 0;
}

struct lk_node lk_document_take_key(struct lk_node map, const char *path, size_t *ret_size)
{
    struct lk_node ret = {map.document, 0};

    *ret_size = strcspn(path, ".");
    for (int i = 0; i < lk_node_size(map) && lk_node_kind(map) == LK_NODE_MAP; i++) {
        const char *key = lk_node_text(lk_node_key_at(map, i));
        size_t size = strlen(key);

        if ((ret.index != 0 && size <= *ret_size) || size == 0 || strncmp(path, key, size) != 0 ||
            (path[size] != '.' && path[size] != '\0'))
            continue;
        ret = lk_node_at(map, i);
        *ret_size = size;
    }
    return ret;
}

int lk_document_find(struct lk_document *document, const char *path, struct lk_node *ret_parent,
                     struct lk_node *ret_node, struct lk_error *err)
{
    struct lk_node node = lk_document_root(document);
    const char *at = path;

    while (at != NULL) {
        char part[LK_NAME_SIZE];
        size_t size;
        struct lk_node next = lk_document_take_key(node, at, &size);
        int result = 0;

        snprintf(part, sizeof(part), "%.*s", (int)size, at);
        at = at[size] == '.' ? at + size + 1 : NULL;
        if (lk_node_kind(node) == LK_NODE_LIST)
            result = entry_of_list(node, path, part, &next, err);
        else if (lk_node_kind(node) != LK_NODE_MAP)
            result = lk_node_refuse(node, err, "parameter %s: there is nothing below '%.40s' here",
                                    path, lk_node_text(node));
        if (result == 0 && next.index == 0 && at != NULL)
            result = refuse_part(node, path, part, err);
        if (result != 0)
            return result;
        *ret_parent = node;
        *ret_node = node = next;
    }
    return 0;
}

int lk_document_refuse_last(struct lk_node parent, const char *path, struct lk_error *err)
{
    const char *dot = strrchr(path, '.');

    return refuse_part(parent, path, dot != NULL ? dot + 1 : path, err);
}

long lk_document_add_text(struct lk_document *d, const char *text)
{
    size_t size = strlen(text) + 1, at = d->n_text;

    if (lk_document_grow(&d->text, &d->room_text, d->n_text, size, 1) != 0)
        return -ENOMEM;
    memcpy(d->text + at, text, size);
    d->n_text += size;
    return (long)at;
}

/* Store @words in the form in which messages append them to a value: " (words)". @ret: offset of
 * this text, or 0. */
static int add_words(struct lk_document *d, const char *words, int *ret)
{
    char text[LK_PATH_SIZE + 64];
    long at;

    *ret = 0;
    if (words == NULL)
        return 0;
    snprintf(text, sizeof(text), " (%s)", words);
    at = lk_document_add_text(d, text);
    *ret = at > 0 ? (int)at : 0;
    return at < 0 ? -ENOMEM : 0;
}

int lk_document_set_scalar(struct lk_document *d, int index, const char *text, int setting)
{
    long at = lk_document_add_text(d, text);

    if (at < 0)
        return -ENOMEM;
    d->nodes[index].kind = LK_NODE_SCALAR;
    d->nodes[index].first = (size_t)at;
    d->nodes[index].n = (int)strlen(text);
    d->nodes[index].setting = setting;
    return 0;
}

int lk_document_new_node(struct lk_document *d, struct lk_node place, int *ret)
{
    if (lk_document_grow(&d->nodes, &d->room_nodes, d->n_nodes, 1, sizeof(*d->nodes)) != 0)
        return -ENOMEM;
    *ret = (int)d->n_nodes++;
    d->nodes[*ret] = (struct lk_tree_node){.kind = LK_NODE_MAP,
                                           .line = lk_node_line(place),
                                           .column = lk_node_column(place),
                                           .file = d->nodes[place.index].file,
                                           .part = d->nodes[place.index].part};
    return 0;
}

/* The entries of @map move to the end of the array, so that one may follow them. */
int lk_document_append_pair(struct lk_document *d, int map, int key, int value)
{
    struct lk_tree_node *node = &d->nodes[map];
    size_t n = 2 * (size_t)node->n;

    if (lk_document_grow(&d->entries, &d->room_entries, d->n_entries, n + 2, sizeof(*d->entries)) !=
        0)
        return -ENOMEM;
    if (n > 0)
        memcpy(d->entries + d->n_entries, d->entries + node->first, n * sizeof(*d->entries));
    node->first = d->n_entries;
    d->entries[d->n_entries + n] = key;
    d->entries[d->n_entries + n + 1] = value;
    d->n_entries += n + 2;
    node->n++;
    return 0;
}

static int add_pair(struct lk_document *d, struct lk_node map, const char *key,
                    struct lk_node place, int setting, int *ret_value)
{
    int key_node = 0;
    int result = lk_document_new_node(d, place, &key_node);

    if (result == 0)
        result = lk_document_set_scalar(d, key_node, key, setting);
    if (result == 0)
        result = lk_document_new_node(d, place, ret_value);
    return result == 0 ? lk_document_append_pair(d, map.index, key_node, *ret_value) : result;
}

int lk_document_set_entries(struct lk_document *d, int index, enum lk_node_kind kind,
                            const int *entries, int n)
{
    int result = lk_document_grow(&d->entries, &d->room_entries, d->n_entries, (size_t)n,
                                  sizeof(*d->entries));

    if (result != 0)
        return result;
    d->nodes[index].kind = kind;
    d->nodes[index].first = d->n_entries;
    d->nodes[index].n = kind == LK_NODE_MAP ? n / 2 : n;
    if (n > 0)
        memcpy(d->entries + d->n_entries, entries, (size_t)n * sizeof(*entries));
    d->n_entries += (size_t)n;
    return 0;
}

void lk_document_remove(struct lk_document *d, struct lk_node map, const char *key)
{
    struct lk_tree_node *node = &d->nodes[map.index];
    int *entry = d->entries + node->first;

    for (int i = 0; i < lk_node_size(map); i++) {
        if (strcmp(lk_node_text(lk_node_key_at(map, i)), key) != 0)
            continue;
        memmove(entry + 2 * i, entry + 2 * i + 2, 2 * (size_t)(node->n - i - 1) * sizeof(*entry));
        node->n--;
        return;
    }
}

int lk_document_put_value(struct lk_document *d, int map, struct lk_node place, const char *key,
                          int value)
{
    int node = 0, result = lk_document_new_node(d, place, &node);

    if (result == 0)
        result = lk_document_set_scalar(d, node, key, 0);
    return result == 0 ? lk_document_append_pair(d, map, node, value) : result;
}

int lk_document_put_word(struct lk_document *d, int map, struct lk_node place, const char *key,
                         const char *word)
{
    int value = 0, result = lk_document_new_node(d, place, &value);

    if (result == 0)
        result = lk_document_set_scalar(d, value, word, 0);
    return result == 0 ? lk_document_put_value(d, map, place, key, value) : result;
}

int lk_document_put_number(struct lk_document *d, int map, struct lk_node place, const char *key,
                           double number)
{
    char text[32];

    lk_decimal_text(number, d->c_locale, text);
    return lk_document_put_word(d, map, place, key, text);
}

int lk_document_new_list(struct lk_document *d, struct lk_node place, const double *number,
                         const char *const word[2], int n, int *ret)
{
    int entry[6] = {0}, result = lk_document_new_node(d, place, ret);
    char text[32];

    for (int i = 0; i < n && result == 0; i++) {
        if (number != NULL)
            lk_decimal_text(number[i], d->c_locale, text);
        result = lk_document_new_node(d, place, &entry[i]);
        if (result == 0)
            result = lk_document_set_scalar(d, entry[i], number != NULL ? text : word[i], 0);
    }
    return result == 0 ? lk_document_set_entries(d, *ret, LK_NODE_LIST, entry, n) : result;
}

int lk_document_put_numbers(struct lk_document *d, int map, struct lk_node place, const char *key,
                            const double *number, int n)
{
    int value = 0, result = lk_document_new_list(d, place, number, NULL, n, &value);

    return result == 0 ? lk_document_put_value(d, map, place, key, value) : result;
}

int lk_document_put_quaternion(struct lk_document *d, int map, struct lk_node place,
                               const double q[4])
{
    int value = 0, result = lk_document_new_node(d, place, &value);

    if (result == 0)
        result = lk_document_put_numbers(d, value, place, "quaternion", q, 4);
    return result == 0 ? lk_document_put_value(d, map, place, "orientation", value) : result;
}

int lk_document_put(struct lk_document *d, struct lk_node map, const char *key, const char *text,
                    const char *words)
{
    int value = 0, setting;
    int result = add_words(d, words, &setting);

    if (result == 0)
        result = add_pair(d, map, key, map, setting, &value);
    return result == 0 ? lk_document_set_scalar(d, value, text, setting) : result;
}

int lk_document_put_map(struct lk_document *d, struct lk_node map, const char *key,
                        struct lk_node place, struct lk_node *ret)
{
    int value = 0;
    int result = add_pair(d, map, key, place, 0, &value);

    *ret = (struct lk_node){d, value};
    return result;
}

int lk_document_replace(struct lk_document *d, struct lk_node node, const char *text,
                        const char *words)
{
    int setting;
    int result = add_words(d, words, &setting);

    return result == 0 ? lk_document_set_scalar(d, node.index, text, setting) : result;
}

void lk_document_clear_to_map(struct lk_document *d, struct lk_node node)
{
    d->nodes[node.index].kind = LK_NODE_MAP;
    d->nodes[node.index].first = 0;
    d->nodes[node.index].n = 0;
}

int lk_document_to_range(struct lk_document *d, struct lk_node node, const char *low,
                         const char *high)
{
    const char *const text[2] = {low, high};
    int entry[2] = {0, 0}, result = 0;

    for (int i = 0; i < 2 && result == 0; i++) {
        result = lk_document_new_node(d, node, &entry[i]);
        if (result == 0)
            result = lk_document_set_scalar(d, entry[i], text[i], 0);
    }
    return result == 0 ? lk_document_set_entries(d, node.index, LK_NODE_LIST, entry, 2) : result;
}

int lk_document_add_items(struct lk_document *d, const char *section, const int *entries, size_t n,
                          struct lk_error *err)
{
    struct lk_node root = lk_document_root(d), map = lk_node_get(root, section);
    size_t own = 2 * (size_t)lk_node_size(map);
    int *all, result = 0;

    if (n == 0 ||
        (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP && lk_node_text(map)[0] != '\0'))
        return 0; /* the reader of the section refuses it */
    if (map.index == 0)
        result = lk_document_put_map(d, root, section, root, &map);
    all = calloc(own + n, sizeof(*all));
    if (all == NULL)
        return -ENOMEM;
    if (own > 0)
        memcpy(all, d->entries + d->nodes[map.index].first, own * sizeof(*all));
    memcpy(all + own, entries, n * sizeof(*all));
    if (result == 0)
        result = lk_document_set_entries(d, map.index, LK_NODE_MAP, all, (int)(own + n));
    if (result == 0)
        result = lk_document_check_keys(d, all, (int)((own + n) / 2), err);
    free(all);
    return result;
}
