/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a document as YAML: an item of a section on a line, or on several where it is long. */
#include "document_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 120 /* columns of a line, unless one value is longer */

/* struct writer - @column: of the next character;  @indent: of lines that continue an item */
struct writer {
    FILE *to;
    int column;
    int indent;
};

static void put_text(struct writer *w, const char *text)
{
    w->column += (int)strlen(text);
    fputs(text, w->to);
}

static bool is_plain(const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-+./";

    return text[0] != '\0' && strspn(text, plain) == strlen(text) && strcmp(text, "-") != 0 &&
           strncmp(text, "---", 3) != 0 && strcmp(text, "...") != 0;
}

/* Write a scalar, between quotes where YAML would read it otherwise. */
static void put_scalar(struct writer *w, const char *text)
{
    char escaped[8];

    if (is_plain(text)) {
        put_text(w, text);
        return;
    }
    put_text(w, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            snprintf(escaped, sizeof(escaped), "\\x%02x", c);
        else
            snprintf(escaped, sizeof(escaped), "%c", c);
        put_text(w, escaped);
    }
    put_text(w, "\"");
}

/* Return the number of columns of @node on one line, at least @enough if it is longer. */
static int width_of(struct lk_node node, int enough)
{
    int width = lk_node_kind(node) == LK_NODE_SCALAR ? (int)strlen(lk_node_text(node)) : 0;

    for (int i = 0; i < lk_node_size(node) && width < enough; i++)
        width += 2 + (int)strlen(lk_node_text(lk_node_key_at(node, i))) +
                 width_of(lk_node_at(node, i), enough) +
                 (lk_node_kind(node) == LK_NODE_MAP ? 2 : 0);
    return width;
}

static void break_line(struct writer *w)
{
    fprintf(w->to, "\n%*s", w->indent, "");
    w->column = w->indent;
}

/* Write @node in YAML's flow style, in brackets. The recursion is as deep as the nesting of the
 * document, which the reader limits. */
static void put_flow(struct writer *w, struct lk_node node)
{
    bool is_map = lk_node_kind(node) == LK_NODE_MAP;

    if (lk_node_kind(node) == LK_NODE_SCALAR) {
        put_scalar(w, lk_node_text(node));
        return;
    }
    put_text(w, is_map ? "{" : "[");
    for (int i = 0; i < lk_node_size(node); i++) {
        struct lk_node entry = lk_node_at(node, i);
        const char *key = lk_node_text(lk_node_key_at(node, i));

        if (i > 0)
            put_text(w, ",");
        if (w->column + (int)strlen(key) + width_of(entry, WIDTH) > WIDTH && w->column > w->indent)
            break_line(w);
        else if (i > 0)
            put_text(w, " ");
        if (is_map) {
            put_scalar(w, key);
            put_text(w, ": ");
        }
        put_flow(w, entry);
    }
    put_text(w, is_map ? "}" : "]");
}

static void put_line(struct writer *w, int indent, struct lk_node key, struct lk_node value)
{
    fprintf(w->to, "%*s", indent, "");
    w->column = indent;
    w->indent = indent + 2;
    put_scalar(w, lk_node_text(key));
    put_text(w, ": ");
    put_flow(w, value);
    fputc('\n', w->to);
}

static bool has_maps(struct lk_node node)
{
    return lk_node_kind(node) == LK_NODE_MAP && lk_node_size(node) > 0 &&
           lk_node_kind(lk_node_at(node, 0)) != LK_NODE_SCALAR;
}

int lk_document_write(const struct lk_document *document, char **ret_text, size_t *ret_size)
{
    struct lk_node root = lk_document_root(document);
    struct writer w = {.to = open_memstream(ret_text, ret_size)};

    if (w.to == NULL)
        return -ENOMEM;
    for (int i = 0; i < lk_node_size(root); i++) {
        struct lk_node key = lk_node_key_at(root, i), value = lk_node_at(root, i);

        if (!has_maps(value)) {
            put_line(&w, 0, key, value);
            continue;
        }
        put_scalar(&w, lk_node_text(key));
        fputs(":\n", w.to);
        for (int k = 0; k < lk_node_size(value); k++)
            put_line(&w, 2, lk_node_key_at(value, k), lk_node_at(value, k));
    }
    return fclose(w.to) == 0 ? 0 : -ENOMEM;
}
