/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a packed model from a file of YAML. */
#include "document_tree.h"
#include "linkage/crc.h"
#include "linkage/file.h"
#include "model/packed.h"
#include "reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write the nodes in the order of the text. They were created in this order: a collection comes
 * before its entries. */
static void write_tree(const struct lk_document *d, FILE *to)
{
    for (size_t i = 1; i < d->n_nodes; i++) {
        const struct lk_tree_node *node = &d->nodes[i];

        fprintf(to, "%c %d %d %d%c",
                node->kind == LK_NODE_MAP    ? 'm'
                : node->kind == LK_NODE_LIST ? 'l'
                                             : 's',
                node->line, node->column, node->n, node->kind == LK_NODE_SCALAR ? ' ' : '\n');
        if (node->kind == LK_NODE_SCALAR)
            fprintf(to, "%s\n", d->text + node->first);
    }
}

static int write_part(FILE *to, const char *what, const char *name, const char *bytes, size_t size)
{
    fprintf(to, "%s %zu%s%s\n", what, size, name[0] != '\0' ? " " : "", name);
    fwrite(bytes, 1, size, to);
    return fputc('\n', to) == EOF ? -ENOMEM : 0;
}

static bool is_first_of_its_name(const struct lk_model *model, int road)
{
    for (int i = 0; i < road; i++)
        if (model->roads[i].kind == LK_ROAD_GRID &&
            strcmp(model->roads[i].file, model->roads[road].file) == 0)
            return false;
    return true;
}

static int write_files(const struct lk_model *model, const char *path, FILE *to,
                       struct lk_error *err)
{
    int folder = strrchr(path, '/') != NULL ? (int)(strrchr(path, '/') + 1 - path) : 0;
    int n = 0, result = 0;

    for (int i = 0; i < model->n_roads && result == 0; i++) {
        char file[PATH_MAX], *bytes = NULL;
        size_t size = 0;

        if (model->roads[i].kind != LK_ROAD_GRID || !is_first_of_its_name(model, i))
            continue;
        snprintf(file, sizeof(file), "%.*s%s", folder, path, model->roads[i].file);
        result = lk_file_read(file, LK_PACKED_SIZE_MAX, &bytes, &size);
        if (result == 0 && ++n > LK_PACKED_FILES_MAX)
            result = -E2BIG;
        if (result == 0)
            result = write_part(to, "file", model->roads[i].file, bytes, size);
        else if (result != -ENOMEM)
            lk_error_set(err, "%s: %s", file, lk_file_error(result));
        free(bytes);
    }
    return result == 0 || result == -ENOMEM ? result : LK_E_TEXT;
}

static int write_all(const struct lk_document *document, const struct lk_model *model,
                     const char *path, FILE *to, struct lk_error *err)
{
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    char *tree = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&tree, &size);

    fputs("linkage packed 1\n", to);
    write_part(to, "name", "", name, strlen(name) < 255 ? strlen(name) : 255);
    if (memory == NULL)
        return -ENOMEM;
    write_tree(document, memory);
    if (fclose(memory) != 0)
        return -ENOMEM;
    write_part(to, "tree", "", tree, size);
    free(tree);
    return write_files(model, path, to, err);
}

/* Read the document at @path, or that of its flat text if it has parts. */
static int read_flat(const char *path, struct lk_document **ret_document, struct lk_error *err,
                     struct lk_errors *errors)
{
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    size_t size = 0;
    char *text = NULL;
    int is_flat, result = lk_model_text(path, NULL, 0, &is_flat, &text, &size, errors);

    if (result > 0)
        *err = errors->line[0];
    if (result == 0)
        result = lk_document_parse(is_flat ? name : path, text, size, ret_document, err);
    free(text);
    return result;
}

int lk_model_pack(const char *path, char **ret_bytes, size_t *ret_size, struct lk_errors *ret)
{
    struct lk_document *document = NULL;
    struct lk_model *model = NULL;
    struct lk_error error = {""};
    char *bytes = NULL;
    size_t size = 0;
    FILE *to = NULL;
    int result = lk_model_read_file_all(path, &model, ret);

    if (result != 0)
        return result;
    result = read_flat(path, &document, &error, ret);
    if (result == 0 && (to = open_memstream(&bytes, &size)) == NULL)
        result = -ENOMEM;
    if (result == 0)
        result = write_all(document, model, path, to, &error);
    if (to != NULL && fflush(to) == 0 && result == 0)
        fprintf(to, "crc %08x\n", (unsigned)lk_crc32(0, bytes, size));
    if (to != NULL && fclose(to) != 0 && result == 0)
        result = -ENOMEM;
    lk_document_errors(document, result, &error, ret);
    lk_document_free(document);
    lk_model_free(model);
    if (result == 0) {
        *ret_bytes = bytes;
        *ret_size = size;
    } else {
        free(bytes);
    }
    return result;
}
