/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML text as a tree. Every node stores its line and column.
 *
 * The parser is libyaml. This header adds typed access: a wrong value yields one error line,
 * "file:line:column: what is wrong, what was expected". The same functions read models
 * (core/model) and the configuration of the daemon, so both report errors alike.
 *
 * A document collects its errors, so that a reader can continue after an error and report all of
 * them. A reader reads independent values one after another and combines the results with
 * lk_also().
 *
 * Limits: a text of at most LK_DOCUMENT_SIZE_MAX bytes and LK_DOCUMENT_NODES_MAX nodes, one
 * document, nesting of at most LK_DOCUMENT_DEPTH_MAX, no anchors, aliases, tags or duplicate keys.
 * Numbers are decimal and finite, and do not depend on the locale. A byte order mark of UTF-8
 * before the text is skipped. */
#ifndef LINKAGE_DOCUMENT_H
#define LINKAGE_DOCUMENT_H

#include "linkage/errors.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_DOCUMENT_SIZE_MAX  (4u << 20)
#define LK_DOCUMENT_NODES_MAX (1u << 20)
#define LK_DOCUMENT_DEPTH_MAX 16

struct lk_document;

/** struct lk_node - reference to a node of a document; a value type, valid as long as the document.
 * @document: the document of the node
 * @index:    number of the node; 1: the root; 0: "no such node" */
struct lk_node {
    const struct lk_document *document;
    int index;
};

/** enum lk_node_kind - type of a node. */
enum lk_node_kind { LK_NODE_NONE, LK_NODE_SCALAR, LK_NODE_LIST, LK_NODE_MAP };

/** lk_document_parse() - parse a text.
 * @name: name of the text in messages, usually a file name; copied
 * @text: @size bytes, need not be terminated, not used after the call; NULL is allowed if @size is
 *        0
 * Return: 0, LK_E_TEXT (not YAML, or beyond the limits above), -ENOMEM. */
int lk_document_parse(const char *name, const char *text, size_t size,
                      struct lk_document **ret_document, struct lk_error *ret_error);

/** lk_document_text() - read the text of the file at @path, to be parsed.
 * @ret_text: @ret_size bytes on the heap, and a zero; free() it
 * Return: 0, LK_E_TEXT (unreadable, or not a regular file), -ENOMEM. */
int lk_document_text(const char *path, char **ret_text, size_t *ret_size,
                     struct lk_error *ret_error);

/** lk_document_read() - parse the file at @path. Return: as lk_document_parse(); LK_E_TEXT
 * also if the file cannot be read (the error line gives the reason). */
int lk_document_read(const char *path, struct lk_document **ret_document,
                     struct lk_error *ret_error);

/** lk_document_hash() - compute a hash of all words and numbers and their structure, but not of
 * comments and layout: 64 bits, FNV-1a. It is not secure against deliberate collisions. */
uint64_t lk_document_hash(const struct lk_document *document);

/** lk_document_free() - free @document, which may be NULL. */
void lk_document_free(struct lk_document *document);

/** lk_document_root() - return the outermost node; "no such node" for a text without content. */
struct lk_node lk_document_root(const struct lk_document *document);

/** lk_node_kind() - return the kind of @node; LK_NODE_NONE for "no such node". */
enum lk_node_kind lk_node_kind(struct lk_node node);
/** lk_node_line(), lk_node_column() - return line and column of @node in the text, both
 * counted from 1; 0 for "no such node". */
int lk_node_line(struct lk_node node);
int lk_node_column(struct lk_node node);

/** lk_node_refuse() - write "name:line:column: <format>" for @node; "no such node" of a document
 * stands for its first line. The document keeps the first LK_ERRORS_MAX lines.
 * Return: always LK_E_TEXT, so that a reader can return it at once. */
int lk_node_refuse(struct lk_node node, struct lk_error *ret_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** lk_node_is_refused() - return whether @node or any node within it was refused; for the root:
 * whether any node of the document was refused. */
bool lk_node_is_refused(struct lk_node node);

/** lk_node_goes_on() - return whether a reader of a list should continue with the next entry:
 * @result, the outcome of the entries so far, is not negative, and there is room for more error
 * lines. */
bool lk_node_goes_on(struct lk_node node, int result);

/** lk_also() - combine the outcomes of two values that were both read. Return: the first failure;
 * but a negative errno has precedence over an LK_E code. */
static inline int lk_also(int first, int second)
{
    return first < 0 || (first > 0 && second >= 0) ? first : second;
}

/** lk_document_errors() - return all errors, in the order of the text.
 * @result: outcome of the reader
 * @error:  the line to report if @result is positive and the document has no error line
 * @ret_errors: written; without lines if @result is 0 or negative */
void lk_document_errors(const struct lk_document *document, int result,
                        const struct lk_error *error, struct lk_errors *ret_errors);

/** lk_node_size() - return the number of entries of a list or map, else 0. */
int lk_node_size(struct lk_node node);
/** lk_node_at() - return entry @i of a list, or the value of entry @i of a map, in the order
 * of the text. */
struct lk_node lk_node_at(struct lk_node node, int i);
/** lk_node_key_at() - return the key node of entry @i of a map. */
struct lk_node lk_node_key_at(struct lk_node node, int i);
/** lk_node_get() - return the value of @key in a map, or "no such node". */
struct lk_node lk_node_get(struct lk_node node, const char *key);
/** lk_node_text() - return the text of a scalar, terminated; "" for anything else. */
const char *lk_node_text(struct lk_node node);

/** lk_node_check_keys() - refuse @node unless it is a map whose keys are all in @allowed.
 * @what:    name of the map in the message, as "a joint of type revolute"
 * @allowed: NULL-terminated; the message lists them, the nearest one first. Each unknown key is an
 *           error of its own
 * Return: 0 or LK_E_TEXT. */
int lk_node_check_keys(struct lk_node node, const char *what, const char *const allowed[],
                       struct lk_error *ret_error);

/** lk_node_number() - read @node itself as a finite number; @what is its name in the message.
 * lk_node_numbers() - read @node itself as a list of exactly @n finite numbers. Return: 0,
 * LK_E_TEXT. */
int lk_node_number(struct lk_node node, const char *what, double *ret, struct lk_error *err);
int lk_node_numbers(struct lk_node node, const char *what, int n, double *ret,
                    struct lk_error *err);

/* Typed access. Each function looks up @key in the map @node. If the key is missing, a function
 * whose name ends in _or returns 0 and does not change *ret; the others report an error at the
 * position of the map.
 * Return: 0 or LK_E_TEXT. */
int lk_node_read_number(struct lk_node node, const char *key, double *ret, struct lk_error *err);
int lk_node_read_number_or(struct lk_node node, const char *key, double *ret, struct lk_error *err);
int lk_node_read_int_or(struct lk_node node, const char *key, long min, long max, long *ret,
                        struct lk_error *err);
int lk_node_read_bool_or(struct lk_node node, const char *key, bool *ret, struct lk_error *err);
/** lk_node_read_numbers() - read a list of exactly @n finite numbers. */
int lk_node_read_numbers(struct lk_node node, const char *key, int n, double *ret,
                         struct lk_error *err);
int lk_node_read_numbers_or(struct lk_node node, const char *key, int n, double *ret,
                            struct lk_error *err);
/** lk_node_read_text() - read a scalar of 1 to @size - 1 bytes. */
int lk_node_read_text(struct lk_node node, const char *key, size_t size, char *ret,
                      struct lk_error *err);
int lk_node_read_text_or(struct lk_node node, const char *key, size_t size, char *ret,
                         struct lk_error *err);
/** lk_node_read_choice() - read a scalar that must be one of @choices (NULL-terminated); *ret
 * is the index of the choice. */
int lk_node_read_choice(struct lk_node node, const char *key, const char *const choices[], int *ret,
                        struct lk_error *err);

#ifdef __cplusplus
}
#endif
#endif
