/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a packed model; everything is checked before it is used. */
#include "model/packed.h"
#include "document_tree.h"
#include "linkage/crc.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "linkage packed 1\n"
#define CRC_LINE   13 /* bytes of "crc 01234567\n" */

/* struct cursor - remaining bytes */
struct cursor {
    const char *at;
    const char *end;
};

static bool take_word(struct cursor *c, const char *word)
{
    size_t size = strlen(word);

    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0)
        return false;
    c->at += size;
    return true;
}

/* Read a number below 2^30 and the character @end that follows. */
static bool take_number(struct cursor *c, char end, int *ret)
{
    const char *begin = c->at;
    int value = 0;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - begin < 9)
        value = 10 * value + (*c->at++ - '0');
    if (c->at == begin || c->at == c->end || *c->at != end)
        return false;
    c->at++;
    *ret = value;
    return true;
}

/* Skip @size bytes and a line feed. Return: the first of these bytes, or NULL. */
static const char *take_bytes(struct cursor *c, int size)
{
    const char *begin = c->at;

    if (c->end - c->at <= size || c->at[size] != '\n')
        return NULL;
    c->at += size + 1;
    return begin;
}

/* struct parts - sections of a packed model */
struct parts {
    char name[256];
    struct cursor tree;
    struct lk_packed_files files;
};

static bool take_file(struct cursor *c, struct lk_packed_files *files)
{
    struct lk_packed_file *f = &files->file[files->n];
    const char *line;
    int size, name;

    if (files->n == LK_PACKED_FILES_MAX || !take_number(c, ' ', &size))
        return false;
    line = memchr(c->at, '\n', (size_t)(c->end - c->at));
    name = line != NULL && line - c->at < (int)sizeof(files->names[0]) ? (int)(line - c->at) : -1;
    if (name <= 0 || take_bytes(c, name) == NULL)
        return false;
    memcpy(files->names[files->n], line - name, (size_t)name);
    files->names[files->n][name] = '\0';
    f->name = files->names[files->n];
    f->size = (size_t)size;
    f->bytes = take_bytes(c, size);
    files->n += f->bytes != NULL;
    return f->bytes != NULL;
}

static bool check_sum(const char *bytes, size_t size)
{
    char line[CRC_LINE + 1];

    if (size < CRC_LINE)
        return false;
    snprintf(line, sizeof(line), "crc %08x\n", (unsigned)lk_crc32(0, bytes, size - CRC_LINE));
    return memcmp(bytes + size - CRC_LINE, line, CRC_LINE) == 0;
}

static bool take_parts(const char *bytes, size_t size, struct parts *p)
{
    struct cursor c = {bytes, bytes + size - CRC_LINE};
    const char *part;
    int n;

    if (!take_word(&c, FIRST_LINE "name ") || !take_number(&c, '\n', &n) ||
        n >= (int)sizeof(p->name) || (part = take_bytes(&c, n)) == NULL)
        return false;
    memcpy(p->name, part, (size_t)n);
    p->name[n] = '\0';
    if (!take_word(&c, "tree ") || !take_number(&c, '\n', &n) || (part = take_bytes(&c, n)) == NULL)
        return false;
    p->tree = (struct cursor){part, part + n};
    while (take_word(&c, "file "))
        if (!take_file(&c, &p->files))
            return false;
    return c.at == c.end;
}

/* Read one node; @left: number of missing nodes of the open collections, by depth. */
static int take_node(struct cursor *c, struct lk_builder *b, int left[LK_DOCUMENT_DEPTH_MAX + 1])
{
    struct lk_place place;
    const char *text;
    char kind;
    int n, result;

    if (c->end - c->at < 2)
        return -EBADMSG;
    kind = *c->at;
    c->at += 2;
    if (c->at[-1] != ' ' || !take_number(c, ' ', &place.line) ||
        !take_number(c, ' ', &place.column) || !take_number(c, kind == 's' ? ' ' : '\n', &n))
        return -EBADMSG;
    left[b->depth]--;
    if (kind == 's') {
        text = take_bytes(c, n);
        return text == NULL ? -EBADMSG : lk_builder_scalar(b, place, text, (size_t)n);
    }
    if (kind != 'm' && kind != 'l')
        return -EBADMSG;
    result = lk_builder_open(b, place, kind == 'm' ? LK_NODE_MAP : LK_NODE_LIST);
    if (result == 0)
        left[b->depth] = kind == 'm' ? 2 * n : n;
    return result;
}

static int take_tree(struct cursor *c, struct lk_builder *b)
{
    int left[LK_DOCUMENT_DEPTH_MAX + 1] = {1}, result = 0;

    if (c->at == c->end)
        return 0; /* a text without content */
    while (result == 0 && (b->depth > 0 || left[0] > 0)) {
        if (left[b->depth] == 0)
            result = lk_builder_close(b);
        else
            result = take_node(c, b, left);
    }
    return result == 0 && c->at != c->end ? -EBADMSG : result;
}

static int refuse(struct lk_error *err)
{
    lk_error_set(err, "not a packed model of this version, or damaged, expected what linkage "
                      "fmu writes");
    return LK_E_TEXT;
}

static int unpack(const char *bytes, size_t size, struct parts *parts,
                  struct lk_document **ret_document, struct lk_error *err)
{
    struct lk_builder b = {.error = err};
    int result;

    memset(parts, 0, sizeof(*parts));
    if (size > LK_PACKED_SIZE_MAX || !check_sum(bytes, size) || !take_parts(bytes, size, parts))
        return refuse(err);
    b.document = lk_document_new(parts->name);
    if (b.document == NULL)
        return -ENOMEM;
    result = take_tree(&parts->tree, &b);
    if (result == -EBADMSG)
        result = refuse(err);
    return lk_builder_finish(&b, result, ret_document);
}

int lk_model_read_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                         struct lk_model **ret_model, struct lk_errors *ret_errors)
{
    struct parts *parts = malloc(sizeof(*parts));
    struct lk_document *document = NULL;
    struct lk_error error;
    int result = -ENOMEM;

    if (parts != NULL)
        result = unpack(bytes, size, parts, &document, &error);
    result = lk_model_from_document(
        result, document,
        &(struct lk_source){
            .files = parts != NULL ? &parts->files : NULL, .settings = settings, .n = n},
        &error, ret_model, ret_errors);
    free(parts);
    return result;
}

int lk_numbers_new_packed(const char *bytes, size_t size, const struct lk_setting *settings, int n,
                          struct lk_numbers **ret_numbers, struct lk_errors *ret_errors)
{
    struct parts *parts = malloc(sizeof(*parts));
    struct lk_document *document = NULL;
    struct lk_error error;
    int result = -ENOMEM;

    if (parts != NULL)
        result = unpack(bytes, size, parts, &document, &error);
    free(parts);
    return lk_numbers_from_document(result, document,
                                    &(struct lk_source){.settings = settings, .n = n}, &error,
                                    ret_numbers, ret_errors);
}
