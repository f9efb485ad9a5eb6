/* SPDX-License-Identifier: Apache-2.0 */
/* Parses YAML text into a tree, from the events of libyaml.
 *
 * libyaml itself rather than libcyaml on top of it: libcyaml 1.3 cannot describe a map with free
 * keys (bodies: {crank: ...}), and its messages carry no column. Events rather than libyaml's own
 * document: libyaml resolves anchors, aliases and tags before the document shows them.
 *
 * The text may come from a socket, so every limit is checked before memory is used: size, number of
 * nodes, nesting. No function is recursive. */
#include "document_tree.h"
#include "linkage/file.h"
#include "linkage/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* struct builder - a tree under construction.
 * open:    lists and maps not yet closed, outermost first
 * pending: entries of all open collections; those of open[i] start at base[i] */
struct builder {
    yaml_parser_t yaml;
    struct lk_document *document;
    struct lk_error *error;
    int open[LK_DOCUMENT_DEPTH_MAX];
    size_t base[LK_DOCUMENT_DEPTH_MAX];
    int depth;
    int *pending;
    size_t n_pending, room_pending;
    int n_documents;
};

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

static int refuse_text(struct builder *b, yaml_mark_t mark, const char *text)
{
    lk_error_set(b->error, "%s:%zu:%zu: %s", b->document->name, mark.line + 1, mark.column + 1,
                 text);
    return LK_E_TEXT;
}

/* Line and column of byte @offset of @text; columns count characters. */
static yaml_mark_t mark_of(const char *text, size_t size, size_t offset)
{
    yaml_mark_t mark = {0};

    for (size_t i = 0; i < offset && i < size; i++) {
        if (text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

/* Finds a tab in the indentation of line @line (from 0), which an editor shows as blanks. */
static bool find_tab(const char *text, size_t size, size_t line, yaml_mark_t *ret)
{
    size_t at = 0, column = 0;

    for (; line > 0 && at < size; at++)
        line -= text[at] == '\n';
    while (at + column < size && text[at + column] == ' ')
        column++;
    if (line > 0 || at + column >= size || text[at + column] != '\t')
        return false;
    *ret = mark_of(text, size, at + column);
    return true;
}

/* Size of the UTF-8 byte order mark at the start of @text, 0 if there is none. */
static size_t size_of_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Reports where libyaml stopped: its reader gives an offset, its scanner and parser give a place.
 */
static int refuse_syntax(struct builder *b, const char *text, size_t size)
{
    const yaml_parser_t *yaml = &b->yaml;
    yaml_mark_t tab;
    char line[256];

    if (yaml->error == YAML_MEMORY_ERROR)
        return -ENOMEM;
    if (yaml->error == YAML_READER_ERROR) {
        snprintf(line, sizeof(line), "%s, expected printable UTF-8", yaml->problem);
        return refuse_text(b, mark_of(text, size, yaml->problem_offset), line);
    }
    if (find_tab(text, size, yaml->problem_mark.line, &tab))
        return refuse_text(b, tab, "a tab indents this line, expected spaces");
    snprintf(line, sizeof(line), "%s%s%s, expected YAML",
             yaml->problem != NULL ? yaml->problem : "not readable", yaml->context ? " " : "",
             yaml->context ? yaml->context : "");
    return refuse_text(b, yaml->problem_mark, line);
}

static int add_node(struct builder *b, enum lk_node_kind kind, yaml_mark_t mark, int *ret_index)
{
    struct lk_document *d = b->document;

    if (d->n_nodes > LK_DOCUMENT_NODES_MAX)
        return refuse_text(b, mark, "too many values, expected at most 1048576");
    if (lk_document_grow(&d->nodes, &d->room_nodes, d->n_nodes, 1, sizeof(*d->nodes)) != 0 ||
        lk_document_grow(&b->pending, &b->room_pending, b->n_pending, 1, sizeof(*b->pending)) != 0)
        return -ENOMEM;
    *ret_index = (int)d->n_nodes++;
    d->nodes[*ret_index] = (struct lk_tree_node){
        .kind = kind, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
    b->pending[b->n_pending++] = *ret_index;
    return 0;
}

/* Refuses anchors and tags: no model or configuration needs them, and a small text could expand to
 * a large one. */
static int check_plain(struct builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                       const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse_text(b, event->start_mark,
                           "an anchor (&) is not supported, expected a value");
    if (tag != NULL)
        return refuse_text(b, event->start_mark, "a tag (!) is not supported, expected a value");
    return 0;
}

static bool expects_key(const struct builder *b)
{
    int top = b->depth - 1;

    return top >= 0 && b->document->nodes[b->open[top]].kind == LK_NODE_MAP &&
           (b->n_pending - b->base[top]) % 2 == 0;
}

static int add_scalar(struct builder *b, const yaml_event_t *event)
{
    struct lk_document *d = b->document;
    const char *value = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    int result = check_plain(b, event, event->data.scalar.anchor, event->data.scalar.tag);
    int index;

    if (result == 0 && memchr(value, '\0', size) != NULL)
        result = refuse_text(b, event->start_mark, "a text contains a zero byte, expected none");
    if (result == 0)
        result = add_node(b, LK_NODE_SCALAR, event->start_mark, &index);
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

static int open_collection(struct builder *b, const yaml_event_t *event, enum lk_node_kind kind,
                           const yaml_char_t *anchor, const yaml_char_t *tag)
{
    int result = check_plain(b, event, anchor, tag);
    int index;

    if (result != 0)
        return result;
    if (b->depth == LK_DOCUMENT_DEPTH_MAX)
        return refuse_text(b, event->start_mark, "nested too deeply, expected at most 16 levels");
    if (expects_key(b))
        return refuse_text(b, event->start_mark, "a list or map is used as a key, expected a name");
    result = add_node(b, kind, event->start_mark, &index);
    if (result != 0)
        return result;
    b->open[b->depth] = index;
    b->base[b->depth] = b->n_pending;
    b->depth++;
    return 0;
}

/* Orders keys by text, then by place, so that equal keys are neighbours in the order of the text.
 */
static int compare_keys(const void *first, const void *second, void *document)
{
    const struct lk_document *d = document;
    int a = *(const int *)first;
    int b = *(const int *)second;
    int order = strcmp(d->text + d->nodes[a].first, d->text + d->nodes[b].first);

    return order != 0 ? order : a - b;
}

/* Sorts the keys, O(n log n): a hostile map may have half a million of them. */
static int check_duplicates(struct builder *b, const int *entries, int n)
{
    const struct lk_document *d = b->document;
    int *keys = malloc((size_t)(n > 0 ? n : 1) * sizeof(*keys));
    int repeated = 0;
    int before = 0;

    if (keys == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        keys[i] = entries[2 * i];
    qsort_r(keys, (size_t)n, sizeof(*keys), compare_keys, b->document);
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
    return lk_node_refuse((struct lk_node){d, repeated}, b->error,
                          "'%.63s' is given twice, expected once (it is in line %d already)",
                          d->text + d->nodes[repeated].first, d->nodes[before].line);
}

static int close_collection(struct builder *b)
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
    return check_duplicates(b, d->entries + node->first, node->n);
}

static int take_event(struct builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->n_documents++ > 0)
            return refuse_text(b, event->start_mark, "a second document starts here, expected one");
        return 0;
    case YAML_ALIAS_EVENT:
        return refuse_text(b, event->start_mark, "an alias (*) is not supported, expected a value");
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, event, LK_NODE_LIST, event->data.sequence_start.anchor,
                               event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, event, LK_NODE_MAP, event->data.mapping_start.anchor,
                               event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(b);
    default:
        return 0;
    }
}

static int build_tree(struct builder *b, const char *text, size_t size)
{
    int result = 0;

    for (bool done = false; !done && result == 0;) {
        yaml_event_t event;

        if (!yaml_parser_parse(&b->yaml, &event))
            return refuse_syntax(b, text, size);
        done = event.type == YAML_STREAM_END_EVENT;
        result = take_event(b, &event);
        yaml_event_delete(&event);
    }
    return result;
}

static struct lk_document *document_new(const char *name)
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

int lk_document_parse(const char *name, const char *text, size_t size,
                      struct lk_document **ret_document, struct lk_error *ret_error)
{
    struct builder b = {.error = ret_error, .document = document_new(name)};
    size_t skipped = 0;
    int result;

    if (b.document == NULL)
        return -ENOMEM;
    if (size > LK_DOCUMENT_SIZE_MAX) {
        result = refuse_text(&b, (yaml_mark_t){0}, "the text is too long, expected at most 4 MiB");
    } else if (!yaml_parser_initialize(&b.yaml)) {
        result = -ENOMEM;
    } else {
        yaml_parser_set_encoding(&b.yaml, YAML_UTF8_ENCODING);
        /* libyaml requires an address even for an empty text */
        text = text ? text : "";
        skipped = size_of_mark(text, size);
        yaml_parser_set_input_string(&b.yaml, (const unsigned char *)text + skipped,
                                     size - skipped);
        result = build_tree(&b, text + skipped, size - skipped);
        yaml_parser_delete(&b.yaml);
    }
    free(b.pending);
    if (result == 0)
        *ret_document = b.document;
    else
        lk_document_free(b.document);
    return result;
}

int lk_document_text(const char *path, char **ret_text, size_t *ret_size,
                     struct lk_error *ret_error)
{
    /* one byte above the limit, so that the parser detects a file that is too long */
    int result = lk_file_read(path, LK_DOCUMENT_SIZE_MAX + 1, ret_text, ret_size);

    if (result == 0 || result == -ENOMEM)
        return result;
    lk_error_set(ret_error, "%s: cannot be read (%s), expected a YAML file", path,
                 lk_file_error(result));
    return LK_E_TEXT;
}

int lk_document_read(const char *path, struct lk_document **ret_document,
                     struct lk_error *ret_error)
{
    size_t size = 0;
    char *text;
    int result = lk_document_text(path, &text, &size, ret_error);

    if (result != 0)
        return result;
    result = lk_document_parse(path, text, size, ret_document, ret_error);
    free(text);
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

/* in the order of the tree, which is that of what has been set, too */
uint64_t lk_document_hash(const struct lk_document *document)
{
    struct {
        int index;
        int next; /* of its entries */
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
