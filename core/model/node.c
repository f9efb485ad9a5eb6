/* SPDX-License-Identifier: Apache-2.0 */
/* Typed access to the nodes of a document, with one message for each kind of error.
 *
 * A message names the key, quotes the value (shortened, since the text is not trusted) and
 * states what was expected. */
#include "document_tree.h"
#include "linkage/nearest.h"
#include "maths/arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN "%.40s" /* how much of a value a message quotes */

static const struct lk_tree_node *tree_node(struct lk_node node)
{
    static const struct lk_tree_node none = {.kind = LK_NODE_NONE};

    return node.document != NULL ? &node.document->nodes[node.index] : &none;
}

struct lk_node lk_document_root(const struct lk_document *document)
{
    return (struct lk_node){document, document->n_nodes > 1 ? 1 : 0};
}

enum lk_node_kind lk_node_kind(struct lk_node node)
{
    return tree_node(node)->kind;
}

int lk_node_line(struct lk_node node)
{
    return tree_node(node)->line;
}

int lk_node_column(struct lk_node node)
{
    return tree_node(node)->column;
}

/* Return whether a missing key is probably in the map under a misspelt name. The misspelt name
 * has a message of its own. */
static bool is_consequence(struct lk_node node)
{
    for (int i = 0; i < node.document->refusals->n; i++) {
        for (int k = 0; lk_node_kind(node) == LK_NODE_MAP && k < lk_node_size(node); k++) {
            if (lk_node_key_at(node, k).index == node.document->refusals->line[i].node)
                return true;
        }
    }
    return false;
}

/* Store one message for a scalar or list, or several messages for a map: one for each of its
 * keys. */
static void keep_refusal(struct lk_node node, const struct lk_error *error)
{
    struct lk_refusals *refusals = node.document != NULL ? node.document->refusals : NULL;

    if (refusals == NULL || error == NULL || refusals->n == LK_ERRORS_MAX || is_consequence(node))
        return;
    for (int i = 0; i < refusals->n; i++) {
        if (refusals->line[i].node == node.index &&
            (lk_node_kind(node) != LK_NODE_MAP ||
             strcmp(refusals->line[i].error.text, error->text) == 0))
            return;
    }
    refusals->line[refusals->n++] = (struct lk_refusal){node.index, *error};
}

void lk_document_adopt(struct lk_node node, const struct lk_document *part,
                       const struct lk_error *error)
{
    const struct lk_refusals *refusals = part != NULL ? part->refusals : NULL;

    if (refusals == NULL || refusals->n == 0)
        keep_refusal(node, error);
    for (int i = 0; refusals != NULL && i < refusals->n; i++)
        keep_refusal(node, &refusals->line[i].error);
}

/* Return the name of the file that contains @node. */
static const char *file_of(struct lk_node node)
{
    int file = tree_node(node)->file;

    if (node.document == NULL)
        return "?";
    return file > 0 ? node.document->text + file : node.document->name;
}

int lk_node_refuse(struct lk_node node, struct lk_error *ret_error, const char *format, ...)
{
    const struct lk_tree_node *tree = tree_node(node);
    char text[sizeof(ret_error->text)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    lk_error_set(ret_error, "%.200s:%d:%d: %s%s%s", file_of(node), tree->line > 0 ? tree->line : 1,
                 tree->column > 0 ? tree->column : 1, text,
                 tree->setting > 0 ? node.document->text + tree->setting : "",
                 tree->part > 0 ? node.document->text + tree->part : "");
    keep_refusal(node, ret_error);
    return LK_E_TEXT;
}

/* Return the index of the last node within @node. Nodes have the order of the text. */
static int last_within(struct lk_node node)
{
    while (lk_node_size(node) > 0)
        node = lk_node_at(node, lk_node_size(node) - 1);
    return node.index;
}

bool lk_node_is_refused(struct lk_node node)
{
    const struct lk_refusals *refusals = node.document ? node.document->refusals : NULL;
    int last = last_within(node);

    if (refusals == NULL || node.index == 0)
        return false;
    for (int i = 0; i < refusals->n; i++) {
        if (node.index == 1 ||
            (refusals->line[i].node >= node.index && refusals->line[i].node <= last))
            return true;
    }
    return false;
}

bool lk_node_goes_on(struct lk_node node, int result)
{
    return result == 0 ||
           (result > 0 && node.document != NULL && node.document->refusals->n < LK_ERRORS_MAX);
}

static int compare_places(const void *first, const void *second)
{
    const struct lk_refusal *a = first, *b = second;

    return a->node - b->node;
}

void lk_document_errors(const struct lk_document *document, int result,
                        const struct lk_error *error, struct lk_errors *ret_errors)
{
    struct lk_refusals *refusals = document != NULL ? document->refusals : NULL;

    ret_errors->n = 0;
    if (result <= 0)
        return;
    if (refusals == NULL || refusals->n == 0) {
        ret_errors->line[ret_errors->n++] = *error;
        return;
    }
    qsort(refusals->line, (size_t)refusals->n, sizeof(refusals->line[0]), compare_places);
    for (int i = 0; i < refusals->n; i++)
        ret_errors->line[ret_errors->n++] = refusals->line[i].error;
}

int lk_node_size(struct lk_node node)
{
    const struct lk_tree_node *tree = tree_node(node);

    return tree->kind == LK_NODE_LIST || tree->kind == LK_NODE_MAP ? tree->n : 0;
}

/* Return entry @i in the array of entries of @node, which has @n entries. */
static struct lk_node entry(struct lk_node node, int i, int n)
{
    const struct lk_tree_node *tree = tree_node(node);

    if (i < 0 || i >= n)
        return (struct lk_node){node.document, 0};
    return (struct lk_node){node.document, node.document->entries[tree->first + (size_t)i]};
}

struct lk_node lk_node_at(struct lk_node node, int i)
{
    int n = lk_node_size(node);

    return lk_node_kind(node) == LK_NODE_MAP ? entry(node, i < n ? 2 * i + 1 : -1, 2 * n)
                                             : entry(node, i, n);
}

struct lk_node lk_node_key_at(struct lk_node node, int i)
{
    int n = lk_node_kind(node) == LK_NODE_MAP ? lk_node_size(node) : 0;

    return entry(node, i < n ? 2 * i : -1, 2 * n);
}

struct lk_node lk_node_get(struct lk_node node, const char *key)
{
    int n = lk_node_kind(node) == LK_NODE_MAP ? lk_node_size(node) : 0;

    for (int i = 0; i < n; i++) {
        if (strcmp(lk_node_text(lk_node_key_at(node, i)), key) == 0)
            return lk_node_at(node, i);
    }
    return (struct lk_node){node.document, 0};
}

const char *lk_node_text(struct lk_node node)
{
    const struct lk_tree_node *tree = tree_node(node);

    return tree->kind == LK_NODE_SCALAR ? node.document->text + tree->first : "";
}

/* Write a NULL-terminated list as "a, b, c", truncated to @size. */
static void join_words(const char *const words[], char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; words[i] != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", words[i]);
}

static bool is_among(const char *word, const char *const words[])
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* Report "@what is 'abc', expected ...". Lists, maps and empty values are described by their
 * kind. */
static int refuse_value(struct lk_node node, struct lk_error *err, const char *what,
                        const char *expected)
{
    enum lk_node_kind kind = lk_node_kind(node);

    if (kind == LK_NODE_SCALAR && lk_node_text(node)[0] != '\0')
        return lk_node_refuse(node, err, "%s is '" SHOWN "', expected %s", what, lk_node_text(node),
                              expected);
    return lk_node_refuse(node, err, "%s is %s, expected %s", what,
                          kind == LK_NODE_LIST  ? "a list"
                          : kind == LK_NODE_MAP ? "a map"
                                                : "empty",
                          expected);
}

static int refuse_missing(struct lk_node node, struct lk_error *err, const char *key,
                          const char *expected)
{
    return lk_node_refuse(node, err, "the key '%s' is missing, expected %s", key, expected);
}

static int refuse_key(struct lk_node key, const char *what, const char *const allowed[],
                      const char *keys, struct lk_error *err)
{
    const char *nearest = lk_nearest(lk_node_text(key), allowed);

    if (nearest == NULL)
        return lk_node_refuse(key, err, "unknown key '" SHOWN "' in %s, expected %s",
                              lk_node_text(key), what, keys);
    return lk_node_refuse(key, err, "unknown key '" SHOWN "' in %s, did you mean '%s'? Expected %s",
                          lk_node_text(key), what, nearest, keys);
}

int lk_node_check_keys(struct lk_node node, const char *what, const char *const allowed[],
                       struct lk_error *ret_error)
{
    char keys[256];
    char expected[sizeof(keys) + 32];
    struct lk_error further;
    int result = 0;

    join_words(allowed, keys, sizeof(keys));
    snprintf(expected, sizeof(expected), "a map with keys out of %s", keys);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return refuse_value(node, ret_error, what, expected);
    for (int i = 0; i < lk_node_size(node); i++) {
        struct lk_node key = lk_node_key_at(node, i);

        if (!is_among(lk_node_text(key), allowed) && lk_node_goes_on(node, result))
            result = refuse_key(key, what, allowed, keys, result == 0 ? ret_error : &further);
    }
    return result;
}

/* Return whether @s has the form [+-] digits [. digits] [e [+-] digits], with a digit before or
 * after the point. The other forms that strtod() accepts (hexadecimal, inf, nan, leading blanks)
 * are refused. */
static bool is_decimal(const char *s)
{
    int digits = 0;

    s += *s == '+' || *s == '-';
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    s += *s == '.';
    for (; isdigit((unsigned char)*s); s++)
        digits++;
    if (digits > 0 && (*s == 'e' || *s == 'E')) {
        s++;
        s += *s == '+' || *s == '-';
        if (!isdigit((unsigned char)*s))
            return false;
        while (isdigit((unsigned char)*s))
            s++;
    }
    return digits > 0 && *s == '\0';
}

bool lk_decimal(const char *text, locale_t c_locale, double *ret)
{
    double value;

    if (!is_decimal(text))
        return false;
    value = strtod_l(text, NULL, c_locale);
    if (!isfinite(value))
        return false;
    *ret = value;
    return true;
}

/* Return whether the text is a number, a blank and letters, such as "5 kg". */
static bool has_unit(struct lk_node node)
{
    const char *text = lk_node_kind(node) == LK_NODE_SCALAR ? lk_node_text(node) : "";
    size_t n = strcspn(text, " ");
    char number[64];
    double value;

    if (n >= sizeof(number) || text[n] != ' ' || !isalpha((unsigned char)text[n + 1]))
        return false;
    memcpy(number, text, n);
    number[n] = '\0';
    return lk_decimal(number, node.document->c_locale, &value);
}

int lk_node_number(struct lk_node node, const char *what, double *ret, struct lk_error *err)
{
    LK_ARITHMETIC;
    const char *text = lk_node_text(node);

    if (lk_node_kind(node) == LK_NODE_SCALAR && lk_decimal(text, node.document->c_locale, ret))
        return 0;
    return refuse_value(node, err, what,
                        has_unit(node) ? "a finite number without its unit" : "a finite number");
}

int lk_node_numbers(struct lk_node node, const char *what, int n, double *ret, struct lk_error *err)
{
    char expected[64];
    char name[96];

    snprintf(expected, sizeof(expected), "a list of %d numbers", n);
    if (lk_node_kind(node) != LK_NODE_LIST)
        return refuse_value(node, err, what, expected);
    if (lk_node_size(node) != n)
        return lk_node_refuse(node, err, "%s has %d entries, expected %s", what, lk_node_size(node),
                              expected);
    for (int i = 0; i < n; i++) {
        int result;

        snprintf(name, sizeof(name), "entry %d of %s", i + 1, what);
        result = lk_node_number(lk_node_at(node, i), name, &ret[i], err);
        if (result != 0)
            return result;
    }
    return 0;
}

int lk_node_read_number(struct lk_node node, const char *key, double *ret, struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);

    return value.index == 0 ? refuse_missing(node, err, key, "a finite number")
                            : lk_node_number(value, key, ret, err);
}

int lk_node_read_number_or(struct lk_node node, const char *key, double *ret, struct lk_error *err)
{
    return lk_node_get(node, key).index == 0 ? 0 : lk_node_read_number(node, key, ret, err);
}

int lk_node_read_int_or(struct lk_node node, const char *key, long min, long max, long *ret,
                        struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);
    const char *text = lk_node_text(value);
    size_t sign = text[0] == '+' || text[0] == '-';
    size_t digits = strspn(text + sign, "0123456789");
    char expected[80];
    long number;

    if (value.index == 0)
        return 0;
    snprintf(expected, sizeof(expected), "a whole number from %ld to %ld", min, max);
    if (digits == 0 || digits > 18 || text[sign + digits] != '\0')
        return refuse_value(value, err, key, expected);
    number = strtol(text, NULL, 10);
    if (number < min || number > max)
        return refuse_value(value, err, key, expected);
    *ret = number;
    return 0;
}

int lk_node_read_bool_or(struct lk_node node, const char *key, bool *ret, struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);
    bool is_true = strcmp(lk_node_text(value), "true") == 0;

    if (value.index == 0)
        return 0;
    if (!is_true && strcmp(lk_node_text(value), "false") != 0)
        return refuse_value(value, err, key, "true or false");
    *ret = is_true;
    return 0;
}

int lk_node_read_numbers(struct lk_node node, const char *key, int n, double *ret,
                         struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);
    char expected[64];

    if (value.index != 0)
        return lk_node_numbers(value, key, n, ret, err);
    snprintf(expected, sizeof(expected), "a list of %d numbers", n);
    return refuse_missing(node, err, key, expected);
}

int lk_node_read_numbers_or(struct lk_node node, const char *key, int n, double *ret,
                            struct lk_error *err)
{
    return lk_node_get(node, key).index == 0 ? 0 : lk_node_read_numbers(node, key, n, ret, err);
}

int lk_node_read_text(struct lk_node node, const char *key, size_t size, char *ret,
                      struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);
    size_t length = strlen(lk_node_text(value));
    char expected[64];

    snprintf(expected, sizeof(expected), "a text of 1 to %zu bytes", size - 1);
    if (value.index == 0)
        return refuse_missing(node, err, key, expected);
    if (length == 0 || length >= size)
        return refuse_value(value, err, key, expected);
    memcpy(ret, lk_node_text(value), length + 1);
    return 0;
}

int lk_node_read_text_or(struct lk_node node, const char *key, size_t size, char *ret,
                         struct lk_error *err)
{
    return lk_node_get(node, key).index == 0 ? 0 : lk_node_read_text(node, key, size, ret, err);
}

int lk_node_read_choice(struct lk_node node, const char *key, const char *const choices[], int *ret,
                        struct lk_error *err)
{
    struct lk_node value = lk_node_get(node, key);
    const char *nearest;
    char expected[400];

    for (int i = 0; value.index != 0 && choices[i] != NULL; i++) {
        if (lk_node_kind(value) == LK_NODE_SCALAR && strcmp(lk_node_text(value), choices[i]) == 0) {
            *ret = i;
            return 0;
        }
    }
    join_words(choices, expected, sizeof(expected));
    if (value.index == 0)
        return refuse_missing(node, err, key, expected);
    nearest = lk_nearest(lk_node_text(value), choices);
    if (nearest != NULL)
        return lk_node_refuse(value, err, "%s is '" SHOWN "', did you mean '%s'? Expected %s", key,
                              lk_node_text(value), nearest, expected);
    return refuse_value(value, err, key, expected);
}
