/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of a document: shared by its builder (document.c), the parsers of texts
 * (document_yaml.c, packed.c) and node access (node.c). */
#ifndef LK_MODEL_DOCUMENT_TREE_H
#define LK_MODEL_DOCUMENT_TREE_H

#include "linkage/document.h"
#include <locale.h>

/** struct lk_tree_node - one node, in the order of the text.
 * @line, @column: position in the text, from 1
 * @first:         scalar: offset of its text in lk_document::text; list, map: offset of its entries
 *                 in lk_document::entries
 * @n:             scalar: number of bytes; list: of entries; map: of pairs, stored key, value, key,
 *          value
 * @setting:       for a value set from outside: offset in lk_document::text of the words that
 *                 messages add; 0: the value comes from the text
 * @file, @part:   for a node of a part: offsets in lk_document::text of the name of its file and of
 *                 the words that messages add; 0: the node belongs to the document itself */
struct lk_tree_node {
    enum lk_node_kind kind;
    int line;
    int column;
    size_t first;
    int n;
    int setting;
    int file;
    int part;
};

/** struct lk_refusal - one error message;  @node: index of the refused node. */
struct lk_refusal {
    int node;
    struct lk_error error;
};

/** struct lk_refusals - the first LK_ERRORS_MAX refusals, in the order found. */
struct lk_refusals {
    int n;
    struct lk_refusal line[LK_ERRORS_MAX];
};

/** struct lk_document - the tree in three growing arrays.
 * @nodes:    nodes[0] is "no such node", nodes[1] the root
 * @entries:  indices of nodes
 * @text:     terminated texts of the scalars
 * @refusals: errors that readers have reported so far
 * @c_locale: locale for numbers, independent of the locale of the program */
struct lk_document {
    char *name;
    struct lk_tree_node *nodes;
    int *entries;
    char *text;
    size_t n_nodes, n_entries, n_text;
    size_t room_nodes, room_entries, room_text;
    struct lk_refusals *refusals;
    locale_t c_locale;
};

/** lk_document_grow() - make room for @more elements of @size bytes in the array at @array_pointer,
 * which has @n elements. Return: 0, -ENOMEM. */
int lk_document_grow(void *array_pointer, size_t *room, size_t n, size_t more, size_t size);

/* ---- document.c: built in the order of the text ---- */

/** struct lk_place - position of a node in the text; both numbers count from 1. */
struct lk_place {
    int line;
    int column;
};

/** struct lk_builder - a tree under construction; initially all zero except @document and @error.
 * @open:    lists and maps not yet closed, outermost first
 * @pending: entries of all open collections; those of open[i] start at base[i] */
struct lk_builder {
    struct lk_document *document;
    struct lk_error *error;
    int open[LK_DOCUMENT_DEPTH_MAX];
    size_t base[LK_DOCUMENT_DEPTH_MAX];
    int depth;
    int *pending;
    size_t n_pending, room_pending;
};

/** lk_document_new() - create a document without nodes. @name: see lk_document_parse(). Return:
 * NULL if memory is exhausted. */
struct lk_document *lk_document_new(const char *name);

/** lk_builder_refuse() - write the error "name:line:column: <text>". Return: LK_E_TEXT. */
int lk_builder_refuse(struct lk_builder *b, struct lk_place place, const char *text);
/** lk_builder_scalar() - add a scalar of @size bytes as the next node.
 * lk_builder_open() - begin a list or a map as the next node.
 * lk_builder_close() - end the innermost list or map.
 * In a map, add each key and then its value. Return: 0; LK_E_TEXT: beyond the bounds of
 * linkage/document.h, or a key that is not a scalar or occurs twice; -ENOMEM. */
int lk_builder_scalar(struct lk_builder *b, struct lk_place place, const char *value, size_t size);
int lk_builder_open(struct lk_builder *b, struct lk_place place, enum lk_node_kind kind);
int lk_builder_close(struct lk_builder *b);
/** lk_document_check_keys() - refuse a key that occurs twice. @entries: keys and values of @n
 * pairs. Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_document_check_keys(struct lk_document *document, const int *entries, int n,
                           struct lk_error *err);
/** lk_builder_finish() - hand over the document; after a @result other than 0, free it. Return:
 * @result. */
int lk_builder_finish(struct lk_builder *b, int result, struct lk_document **ret_document);

/* ---- document_edit.c: values set from outside, before a reader runs ---- */

/** lk_document_find() - find the node at @path: names and list positions (from 1), joined by dots.
 * @ret_parent: parent of the last element;  @ret_node: "no such node" if only the last element
 *              is missing. Return: 0, LK_E_TEXT (the message contains the missing element and a
 *              similar key), -ENOMEM. */
int lk_document_find(struct lk_document *document, const char *path, struct lk_node *ret_parent,
                     struct lk_node *ret_node, struct lk_error *err);

/** lk_document_put() - set the value of @key in @map, which may be a new key, to the scalar @text.
 * @words: text added to messages about this value, "parameter mass = 3"; NULL: none. Return: 0,
 *         -ENOMEM. */
int lk_document_put(struct lk_document *document, struct lk_node map, const char *key,
                    const char *text, const char *words);
/** lk_document_put_map() - set the value of @key in @map to an empty map; @place: node whose
 * position messages state for the new map. */
int lk_document_put_map(struct lk_document *document, struct lk_node map, const char *key,
                        struct lk_node place, struct lk_node *ret);
/** lk_document_replace() - replace @node by the scalar @text. */
int lk_document_replace(struct lk_document *document, struct lk_node node, const char *text,
                        const char *words);
/** lk_document_to_range() - replace @node by the list [@low, @high]. */
int lk_document_to_range(struct lk_document *document, struct lk_node node, const char *low,
                         const char *high);
/** lk_document_add_text() - append @text to the texts. Return: its offset, or -ENOMEM. */
long lk_document_add_text(struct lk_document *document, const char *text);
/** lk_document_new_node() - append a node after all others: a map, with the place of @place.
 * lk_document_set_scalar() - make node @index a scalar. @setting: see struct lk_tree_node
 * lk_document_set_entries() - make node @index a list or map of @n entries; a map has two entries
 * for each of its n / 2 pairs. Return: 0, -ENOMEM. */
int lk_document_new_node(struct lk_document *document, struct lk_node place, int *ret);
int lk_document_set_scalar(struct lk_document *document, int index, const char *text, int setting);
int lk_document_set_entries(struct lk_document *document, int index, enum lk_node_kind kind,
                            const int *entries, int n);
/** lk_document_append_pair() - append the pair of nodes @key and @value to @map. */
int lk_document_append_pair(struct lk_document *document, int map, int key, int value);
/** lk_document_put_value() - append the key @key with the node @value to @map. In messages, new
 * nodes have the place of @place. lk_document_put_word(), _number(), _numbers() - the same with a
 * new value; at most six @n numbers. lk_document_put_quaternion() - the same with the key
 * `orientation`. lk_document_new_list() - append a list of @n numbers, or, if @number is NULL, of
 * words. Return: 0, -ENOMEM. */
int lk_document_put_value(struct lk_document *document, int map, struct lk_node place,
                          const char *key, int value);
int lk_document_put_word(struct lk_document *document, int map, struct lk_node place,
                         const char *key, const char *word);
int lk_document_put_number(struct lk_document *document, int map, struct lk_node place,
                           const char *key, double number);
int lk_document_put_numbers(struct lk_document *document, int map, struct lk_node place,
                            const char *key, const double *number, int n);
int lk_document_put_quaternion(struct lk_document *document, int map, struct lk_node place,
                               const double q[4]);
int lk_document_new_list(struct lk_document *document, struct lk_node place, const double *number,
                         const char *const word[2], int n, int *ret);
/** lk_document_add_items() - append pairs to a section, which may be new. @entries: @n keys and
 * values in turn. Return: 0, LK_E_TEXT (a key that is there already), -ENOMEM. */
int lk_document_add_items(struct lk_document *document, const char *section, const int *entries,
                          size_t n, struct lk_error *err);
/** lk_document_remove() - remove the pair with @key from @map, if there is one. */
void lk_document_remove(struct lk_document *document, struct lk_node map, const char *key);
/** lk_document_take_key() - find the longest key of @map that @path begins with, up to a dot or the
 * end: names of parts contain dots. @ret_size: bytes of the key, or of the first element of @path.
 * Return: the value of the key, or "no such node". */
struct lk_node lk_document_take_key(struct lk_node map, const char *path, size_t *ret_size);
/** lk_document_refuse_last() - report that the last element of @path is not in @parent, and suggest
 * a similar key. */
int lk_document_refuse_last(struct lk_node parent, const char *path, struct lk_error *err);
/** lk_document_clear_to_map() - replace @node by a map without entries. */
void lk_document_clear_to_map(struct lk_document *document, struct lk_node node);

/** lk_document_adopt() - keep the refusals of @part, or @error if it has none, as refusals of @node
 * of another document. */
void lk_document_adopt(struct lk_node node, const struct lk_document *part,
                       const struct lk_error *error);

/** lk_document_write() - write @document as YAML that is read as the same document.
 * @ret_text: @ret_size bytes on the heap, terminated. Return: 0, -ENOMEM. */
int lk_document_write(const struct lk_document *document, char **ret_text, size_t *ret_size);

/** lk_decimal() - parse all of @text as a finite decimal number, in the "C" locale @c_locale.
 * Return: whether @text is such a number. */
bool lk_decimal(const char *text, locale_t c_locale, double *ret);

#endif
