/* SPDX-License-Identifier: Apache-2.0 */
/* A document as a tree, built node by node by the parsers of texts (document_yaml.c, packed.c).
 *
 * The text may come from a socket, so every limit is checked before memory is used: number of
 * nodes, nesting. No function is recursive. */
#include "document_tree.h"
#include "linkage/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lk_document_grow(void *array_pointer, size_t *room, size_t n, size_t more, size_t size)
{
    void **array = array_pointer;
    size_t wanted = n + more > 2 * *room ? n + more : 2 * *room;
    void *larger;

    if (n + more <= *room)
        return 0;
    larger = realloc(*array, wanted * size);
    if (larger == NULL)
        return -ENOMEM;
    *array = larger;
    *room = wanted;
    return 0;
}

int lk_builder_refuse(struct lk_builder *b, struct lk_place place, const char *text)
{
    lk_error_set(b->error, "%s:%d:%d: %s", b->document->name, place.line, place.column, text);
    return LK_E_TEXT;
}

static int add_node(struct lk_builder *b, enum lk_node_kind kind, struct lk_place place,
                    int *ret_index)
{
    struct lk_document *d = b->document;

    if (d->n_nodes > LK_DOCUMENT_NODES_MAX)
        return lk_builder_refuse(b, place, "too many values, expected at most 1048576");
    if (lk_document_grow(&d->nodes, &d->room_nodes, d->n_nodes, 1, sizeof(*d->nodes)) != 0 ||
        lk_document_grow(&b->pending, &b->room_pending, b->n_pending, 1, sizeof(*b->pending)) != 0)
        return -ENOMEM;
    *ret_index = (int)d->n_nodes++;
    d->nodes[*ret_index] =
        (struct lk_tree_node){.kind = kind, .line = place.line, .column = place.column};
    b->pending[b->n_pending++] = *ret_index;
    return 0;
}

static bool expects_key(const struct lk_builder *b)
{
    int top = b->depth - 1;

    return top >= 0 && b->document->nodes[b->open[top]].kind == LK_NODE_MAP &&
           (b->n_pending - b->base[top]) % 2 == 0;
}

int lk_builder_scalar(struct lk_builder *b, struct lk_place place, const char *value, size_t size)
{
    struct lk_document *d = b->document;
    int index = 0, result;

    if (memchr(value, '\0', size) != NULL)
        return lk_builder_refuse(b, place, "a text contains a zero byte, expected none");
    result = add_node(b, LK_NODE_SCALAR, place, &index);
    if (result != 0)
        return result;
    if (lk_document_grow(&d->text, &d->room_text, d->n_text, size + 1, 1) != 0)
        return -ENOMEM;
    d->nodes[index].first = d->n_text;
    d->nodes[index].n = (int)size;
    memcpy(d->text + d->n_text, value, size);
    d->text[d->n_text + size] = '\0';
    d->n_text += size + 1;
    return 0;
}

int lk_builder_open(struct lk_builder *b, struct lk_place place, enum lk_node_kind kind)
{
    int index = 0, result;

    if (b->depth == LK_DOCUMENT_DEPTH_MAX)
        return lk_builder_refuse(b, place, "nested too deeply, expected at most 16 levels");
    if (expects_key(b))
        return lk_builder_refuse(b, place, "a list or map is used as a key, expected a name");
    result = add_node(b, kind, place, &index);
    if (result != 0)
        return result;
    b->open[b->depth] = index;
    b->base[b->depth] = b->n_pending;
    b->depth++;
    return 0;
}

/* Compare keys by text, then by position, so that equal keys are neighbours in the order of the
 * text. */
static int compare_keys(const void *first, const void *second, void *document)
{
    const struct lk_document *d = document;
    int a = *(const int *)first;
    int b = *(const int *)second;
    int order = strcmp(d->text + d->nodes[a].first, d->text + d->nodes[b].first);

    return order != 0 ? order : a - b;
}

/* Sorts the keys, O(n log n): a hostile map may have half a million of them. */
int lk_document_check_keys(struct lk_document *d, const int *entries, int n, struct lk_error *err)
{
    int *keys = malloc((size_t)(n > 0 ? n : 1) * sizeof(*keys));
    int repeated = 0;
    int before = 0, file, is_elsewhere;

    if (keys == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        keys[i] = entries[2 * i];
    qsort_r(keys, (size_t)n, sizeof(*keys), compare_keys, d);
    for (int i = 1; i < n; i++) {
        if (strcmp(d->text + d->nodes[keys[i - 1]].first, d->text + d->nodes[keys[i]].first) == 0 &&
            (repeated == 0 || keys[i] < repeated)) {
            repeated = keys[i];
            before = keys[i - 1];
        }
    }
    free(keys);
    if (repeated == 0)
        return 0;
    file = d->nodes[before].file;
    is_elsewhere = file > 0 || d->nodes[repeated].file > 0;
    return lk_node_refuse((struct lk_node){d, repeated}, err,
                          "'%.63s' is given twice, expected once (it is in %s%s%d already)",
                          d->text + d->nodes[repeated].first,
                          !is_elsewhere ? "line "
                          : file > 0    ? d->text + file
                                        : d->name,
                          is_elsewhere ? ":" : "", d->nodes[before].line);
}

int lk_builder_close(struct lk_builder *b)
{
    struct lk_document *d = b->document;
    struct lk_tree_node *node = &d->nodes[b->open[--b->depth]];
    size_t base = b->base[b->depth];
    size_t n = b->n_pending - base;

    if (lk_document_grow(&d->entries, &d->room_entries, d->n_entries, n, sizeof(*d->entries)) != 0)
        return -ENOMEM;
    node->first = d->n_entries;
    node->n = (int)(node->kind == LK_NODE_MAP ? n / 2 : n);
    if (n > 0)
        memcpy(d->entries + d->n_entries, b->pending + base, n * sizeof(*d->entries));
    d->n_entries += n;
    b->n_pending = base;
    if (node->kind != LK_NODE_MAP || n == 0)
        return 0;
    return lk_document_check_keys(d, d->entries + node->first, node->n, b->error);
}

struct lk_document *lk_document_new(const char *name)
{
    struct lk_document *d = calloc(1, sizeof(*d));

    if (d == NULL)
        return NULL;
    d->name = strdup(name);
    d->refusals = calloc(1, sizeof(*d->refusals));
    d->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    d->n_nodes = 1; /* node 0 is "no such node" */
    if (d->name == NULL || d->refusals == NULL || d->c_locale == (locale_t)0 ||
        lk_document_grow(&d->nodes, &d->room_nodes, 0, 64, sizeof(*d->nodes)) != 0) {
        lk_document_free(d);
        return NULL;
    }
    d->nodes[0] = (struct lk_tree_node){.kind = LK_NODE_NONE};
    return d;
}

int lk_builder_finish(struct lk_builder *b, int result, struct lk_document **ret_document)
{
    free(b->pending);
    if (result == 0)
        *ret_document = b->document;
    else
        lk_document_free(b->document);
    return result;
}

static uint64_t hash_node(const struct lk_document *document, int index, uint64_t hash)
{
    const struct lk_tree_node *node = &document->nodes[index];
    const int shape[] = {(int)node->kind, node->n};

    hash = lk_hash(hash, shape, sizeof(shape));
    return node->kind == LK_NODE_SCALAR
               ? lk_hash(hash, document->text + node->first, (size_t)node->n)
               : hash;
}

/* visit nodes in the order of the tree, so that values set from outside count at their position */
uint64_t lk_document_hash(const struct lk_document *document)
{
    struct {
        int index;
        int next; /* index of the next entry to visit */
    } open[LK_DOCUMENT_DEPTH_MAX + 3];
    uint64_t hash = LK_HASH_BEGIN;
    int depth = 0;

    if (document->n_nodes < 2)
        return hash;
    open[depth].index = 1;
    open[depth++].next = 0;
    hash = hash_node(document, 1, hash);
    while (depth > 0) {
        const struct lk_tree_node *node = &document->nodes[open[depth - 1].index];
        int entries = node->kind == LK_NODE_MAP ? 2 * node->n : node->n;

        if (node->kind == LK_NODE_SCALAR || open[depth - 1].next == entries) {
            depth--;
            continue;
        }
        open[depth].index = document->entries[node->first + (size_t)open[depth - 1].next++];
        open[depth].next = 0;
        hash = hash_node(document, open[depth++].index, hash);
    }
    return hash;
}

void lk_document_free(struct lk_document *document)
{
    if (document == NULL)
        return;
    if (document->c_locale != (locale_t)0)
        freelocale(document->c_locale);
    free(document->name);
    free(document->refusals);
    free(document->nodes);
    free(document->entries);
    free(document->text);
    free(document);
}
