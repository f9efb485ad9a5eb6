/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of a document: shared by who builds it (document.c), who reads texts
 * (document_yaml.c, packed.c) and node access (node.c). */
#ifndef LK_MODEL_DOCUMENT_TREE_H
#define LK_MODEL_DOCUMENT_TREE_H

#include "linkage/document.h"
#include <locale.h>

/** struct lk_tree_node - one node, in the order of the text.
 * @line, @column: place, from 1
 * @first:         scalar: offset of its text in lk_document::text; list, map: offset of its entries
 *                 in lk_document::entries
 * @n:             scalar: bytes; list: entries; map: pairs, stored key, value, key, value
 * @setting:       offset of the words that messages add in lk_document::text, of what was set from
 *                 outside; 0: as in the text */
struct lk_tree_node {
    enum lk_node_kind kind;
    int line;
    int column;
    size_t first;
    int n;
    int setting;
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
 * @refusals: what readers have refused so far
 * @c_locale: for numbers, whatever the locale of the program */
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

/** lk_document_grow() - makes room for @more elements of @size bytes in the array at @array_pointer
 * that holds @n. Return: 0, -ENOMEM. */
int lk_document_grow(void *array_pointer, size_t *room, size_t n, size_t more, size_t size);

/* ---- document.c: built in the order of the text ---- */

/** struct lk_place - of a node in the text, both from 1. */
struct lk_place {
    int line;
    int column;
};

/** struct lk_builder - a tree under construction; all zero but @document and @error at first.
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

/** lk_document_new() - one without a node, or NULL. @name: see lk_document_parse() */
struct lk_document *lk_document_new(const char *name);

/** lk_builder_refuse() - "name:line:column: <text>". Return: LK_E_TEXT. */
int lk_builder_refuse(struct lk_builder *b, struct lk_place place, const char *text);
/** lk_builder_scalar(), lk_builder_open(), lk_builder_close() - the next node: a scalar of @size
 * bytes; a list or a map; the end of the innermost one. In a map a key is followed by its value.
 * Return: 0, LK_E_TEXT (beyond the bounds of linkage/document.h, a key that is none or given
 * twice), -ENOMEM. */
int lk_builder_scalar(struct lk_builder *b, struct lk_place place, const char *value, size_t size);
int lk_builder_open(struct lk_builder *b, struct lk_place place, enum lk_node_kind kind);
int lk_builder_close(struct lk_builder *b);
/** lk_builder_finish() - the document, or after a @result other than 0 its end. Return: @result. */
int lk_builder_finish(struct lk_builder *b, int result, struct lk_document **ret_document);

/* ---- document_edit.c: what is set from outside, before a reader looks ---- */

/** lk_document_find() - the node at @path, names and positions in lists (from 1) between dots.
 * @ret_parent: what would hold the last one;  @ret_node: "no such node" where only the last one is
 * missing. Return: 0, LK_E_TEXT (what is not there, and what is like it), -ENOMEM. */
int lk_document_find(struct lk_document *document, const char *path, struct lk_node *ret_parent,
                     struct lk_node *ret_node, struct lk_error *err);

/** lk_document_put() - the scalar @text as the value of @key in @map, which may be new there.
 * @words: that messages about it add, "parameter mass = 3"; NULL: none. Return: 0, -ENOMEM. */
int lk_document_put(struct lk_document *document, struct lk_node map, const char *key,
                    const char *text, const char *words);
/** lk_document_put_map() - an empty map there, likewise; @place: where messages say that it is. */
int lk_document_put_map(struct lk_document *document, struct lk_node map, const char *key,
                        struct lk_node place, struct lk_node *ret);
/** lk_document_replace() - @node becomes the scalar @text. */
int lk_document_replace(struct lk_document *document, struct lk_node node, const char *text,
                        const char *words);
/** lk_document_to_range() - @node becomes the list [@low, @high]. */
int lk_document_to_range(struct lk_document *document, struct lk_node node, const char *low,
                         const char *high);
/** lk_document_refuse_last() - the last part of @path is not in @parent: what is like it. */
int lk_document_refuse_last(struct lk_node parent, const char *path, struct lk_error *err);
/** lk_document_clear_to_map() - @node becomes a map without entries. */
void lk_document_clear_to_map(struct lk_document *document, struct lk_node node);

/** lk_decimal() - all of @text as a finite decimal number, in the "C" locale @c_locale. Return:
 * whether it is one. */
bool lk_decimal(const char *text, locale_t c_locale, double *ret);

#endif
