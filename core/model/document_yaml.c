/* SPDX-License-Identifier: Apache-2.0 */
/* Parses YAML text into a tree, from the events of libyaml. No other part of the library uses
 * libyaml.
 *
 * This file uses libyaml, not libcyaml on top of libyaml, because libcyaml 1.3 cannot describe a
 * map with free keys (bodies: {crank: ...}), and its messages contain no column. It uses events,
 * not libyaml's own document, because libyaml resolves anchors, aliases and tags before a program
 * can see them in the document. */
#include "document_tree.h"
#include "linkage/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* struct parser - state of the parser. @n_documents: number of documents seen so far */
struct parser {
    yaml_parser_t yaml;
    struct lk_builder *builder;
    int n_documents;
};

static struct lk_place place_of(yaml_mark_t mark)
{
    return (struct lk_place){(int)mark.line + 1, (int)mark.column + 1};
}

static int refuse_text(struct parser *p, yaml_mark_t mark, const char *text)
{
    return lk_builder_refuse(p->builder, place_of(mark), text);
}

/* Return the line and column of byte @offset of @text; columns count characters. */
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

/* Finds a tab in the indentation of line @line (from 0), because an editor shows tabs as blanks. */
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

/* Return the size of the UTF-8 byte order mark at the start of @text, 0 if there is none. */
static size_t size_of_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Reports where libyaml stopped: its reader reports an offset, its scanner and parser report
 * line and column. */
static int refuse_syntax(struct parser *p, const char *text, size_t size)
{
    const yaml_parser_t *yaml = &p->yaml;
    yaml_mark_t tab;
    char line[256];

    if (yaml->error == YAML_MEMORY_ERROR)
        return -ENOMEM;
    if (yaml->error == YAML_READER_ERROR) {
        snprintf(line, sizeof(line), "%s, expected printable UTF-8", yaml->problem);
        return refuse_text(p, mark_of(text, size, yaml->problem_offset), line);
    }
    if (find_tab(text, size, yaml->problem_mark.line, &tab))
        return refuse_text(p, tab, "a tab indents this line, expected spaces");
    snprintf(line, sizeof(line), "%s%s%s, expected YAML",
             yaml->problem != NULL ? yaml->problem : "not readable", yaml->context ? " " : "",
             yaml->context ? yaml->context : "");
    return refuse_text(p, yaml->problem_mark, line);
}

/* Refuses anchors and tags: no model or configuration needs them, and a small text could expand to
 * a large one. */
static int check_plain(struct parser *p, const yaml_event_t *event, const yaml_char_t *anchor,
                       const yaml_char_t *tag)
{
    if (anchor != NULL)
        return refuse_text(p, event->start_mark,
                           "an anchor (&) is not supported, expected a value");
    if (tag != NULL)
        return refuse_text(p, event->start_mark, "a tag (!) is not supported, expected a value");
    return 0;
}

static int add_scalar(struct parser *p, const yaml_event_t *event)
{
    int result = check_plain(p, event, event->data.scalar.anchor, event->data.scalar.tag);

    return result != 0 ? result
                       : lk_builder_scalar(p->builder, place_of(event->start_mark),
                                           (const char *)event->data.scalar.value,
                                           event->data.scalar.length);
}

static int open_collection(struct parser *p, const yaml_event_t *event, enum lk_node_kind kind,
                           const yaml_char_t *anchor, const yaml_char_t *tag)
{
    int result = check_plain(p, event, anchor, tag);

    return result != 0 ? result : lk_builder_open(p->builder, place_of(event->start_mark), kind);
}

static int take_event(struct parser *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (p->n_documents++ > 0)
            return refuse_text(p, event->start_mark, "a second document starts here, expected one");
        return 0;
    case YAML_ALIAS_EVENT:
        return refuse_text(p, event->start_mark, "an alias (*) is not supported, expected a value");
    case YAML_SCALAR_EVENT:
        return add_scalar(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(p, event, LK_NODE_LIST, event->data.sequence_start.anchor,
                               event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_collection(p, event, LK_NODE_MAP, event->data.mapping_start.anchor,
                               event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return lk_builder_close(p->builder);
    default:
        return 0;
    }
}

static int build_tree(struct parser *p, const char *text, size_t size)
{
    int result = 0;

    for (bool done = false; !done && result == 0;) {
        yaml_event_t event;

        if (!yaml_parser_parse(&p->yaml, &event))
            return refuse_syntax(p, text, size);
        done = event.type == YAML_STREAM_END_EVENT;
        result = take_event(p, &event);
        yaml_event_delete(&event);
    }
    return result;
}

int lk_document_parse(const char *name, const char *text, size_t size,
                      struct lk_document **ret_document, struct lk_error *ret_error)
{
    struct lk_builder b = {.error = ret_error, .document = lk_document_new(name)};
    struct parser p = {.builder = &b};
    size_t skipped = 0;
    int result;

    if (b.document == NULL)
        return -ENOMEM;
    if (size > LK_DOCUMENT_SIZE_MAX) {
        result = refuse_text(&p, (yaml_mark_t){0}, "the text is too long, expected at most 4 MiB");
    } else if (!yaml_parser_initialize(&p.yaml)) {
        result = -ENOMEM;
    } else {
        yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
        /* libyaml requires an address even for an empty text */
        text = text ? text : "";
        skipped = size_of_mark(text, size);
        yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text + skipped,
                                     size - skipped);
        result = build_tree(&p, text + skipped, size - skipped);
        yaml_parser_delete(&p.yaml);
    }
    return lk_builder_finish(&b, result, ret_document);
}

int lk_document_text(const char *path, char **ret_text, size_t *ret_size,
                     struct lk_error *ret_error)
{
    /* read one byte more than the limit, so that the parser detects a file that is too long */
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
