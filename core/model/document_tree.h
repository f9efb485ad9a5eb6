/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of a document: shared by the parser (document.c) and node access (node.c). */
#ifndef LK_MODEL_DOCUMENT_TREE_H
#define LK_MODEL_DOCUMENT_TREE_H

#include "linkage/document.h"
#include <locale.h>

/** struct lk_tree_node - one node, in the order of the text.
 * @line, @column: place, from 1
 * @first:         scalar: offset of its text in lk_document::text; list, map: offset of its entries
 *                 in lk_document::entries
 * @n:             scalar: bytes; list: entries; map: pairs, stored key, value, key, value */
struct lk_tree_node {
    enum lk_node_kind kind;
    int line;
    int column;
    size_t first;
    int n;
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

/** lk_decimal() - all of @text as a finite decimal number, in the "C" locale @c_locale. Return:
 * whether it is one. */
bool lk_decimal(const char *text, locale_t c_locale, double *ret);

#endif
