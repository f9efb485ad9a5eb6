/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of type `modal` in the section `flexible`: a file of modes becomes a body with `modes`.
 */
#include "maths/vec.h"
#include "modes.h"
#include "parameters.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct work - one entry. @key, @map: of it;  @file: the document of its file */
struct work {
    struct lk_document *d;
    const struct lk_source *source;
    struct lk_node key;
    struct lk_node map;
    struct lk_document *file;
    struct lk_error *err;
};

static bool is_modal(struct lk_node entry)
{
    return strcmp(lk_node_text(lk_node_get(entry, "type")), "modal") == 0;
}

/* ---- the file ---- */

static int find_file(const struct work *w, char path[LK_SOURCE_PATH])
{
    struct lk_node node = lk_node_get(w->map, "file");
    const char *name = lk_node_text(node);

    if (node.index == 0 || name[0] == '\0')
        return lk_node_refuse(node.index != 0 ? node : w->map, w->err,
                              "the key 'file' is missing, expected the name of a file of modes, as "
                              "'linkage flex' writes it");
    if (w->source->parse == NULL || w->source->folder == NULL)
        return lk_node_refuse(node, w->err,
                              "the file of modes '%.200s' is not read for a text from elsewhere, "
                              "expected the text that 'linkage flatten' writes",
                              name);
    if (lk_check_file(node, "the model", name, w->err) != 0)
        return LK_E_TEXT;
    if (lk_source_find(w->source, name, path))
        return 0;
    return lk_node_refuse(
        node, w->err,
        "there is no file '%.200s' beside the model, expected a file of modes, as "
        "'linkage flex' writes it",
        name);
}

/* Note for messages that node @index is node @from of the file. */
static void mark(struct work *w, int index, struct lk_node from, int file)
{
    const struct lk_tree_node *old = &from.document->nodes[from.index];

    w->d->nodes[index].line = old->line;
    w->d->nodes[index].column = old->column;
    w->d->nodes[index].file = file;
}

/* Copy a value of the file, with its place, into the document of the model. */
static int copy(struct work *w, struct lk_node from, int file, int *ret)
{
    int n = lk_node_kind(from) == LK_NODE_MAP ? 2 * lk_node_size(from) : lk_node_size(from);
    int result = lk_document_new_node(w->d, w->key, ret);
    int *entry;

    if (w->d->n_nodes > LK_DOCUMENT_NODES_MAX)
        return lk_node_refuse(w->key, w->err, "too many values, expected at most %u",
                              LK_DOCUMENT_NODES_MAX);
    if (result != 0)
        return result;
    mark(w, *ret, from, file);
    if (lk_node_kind(from) == LK_NODE_SCALAR)
        return lk_document_set_scalar(w->d, *ret, lk_node_text(from), 0);
    entry = calloc((size_t)n + 1, sizeof(*entry));
    if (entry == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && result == 0; i++) {
        struct lk_node next = {w->file,
                               w->file->entries[w->file->nodes[from.index].first + (size_t)i]};

        result = copy(w, next, file, &entry[i]);
    }
    if (result == 0)
        result = lk_document_set_entries(w->d, *ret, lk_node_kind(from), entry, n);
    free(entry);
    return result;
}

/* ---- the body ---- */

static int put(struct work *w, int map, const char *key, int value)
{
    return lk_document_put_value(w->d, map, w->key, key, value);
}

static int put_vector(struct work *w, int map, const char *key, const double v[3])
{
    return lk_document_put_numbers(w->d, map, w->key, key, v, 3);
}

/* Put the motion of the centre of mass, which is @offset from the origin of the file. */
static int put_motion(struct work *w, int body, const double offset[3])
{
    double place[3] = {0}, q[4] = {1}, v[3] = {0}, spin[3] = {0}, R[9], arm[3], turn[3];
    int result = lk_read_vector_or(w->map, "position", place, w->err);

    result = lk_also(result, lk_read_orientation_or(w->map, "orientation", q, w->err));
    result = lk_also(result, lk_read_vector_or(w->map, "velocity", v, w->err));
    result = lk_also(result, lk_read_vector_or(w->map, "angular_velocity", spin, w->err));
    if (result != 0)
        return result;
    lk_quat_matrix(q, R);
    lk_rotate(R, offset, arm);
    lk_cross(spin, arm, turn);
    for (int k = 0; k < 3; k++) {
        place[k] += arm[k];
        v[k] += turn[k];
    }
    result = put_vector(w, body, "position", place);
    if (result == 0)
        result = lk_document_put_quaternion(w->d, body, w->key, q);
    if (result == 0)
        result = put_vector(w, body, "velocity", v);
    return result == 0 ? put_vector(w, body, "angular_velocity", spin) : result;
}

/* Put the damping that the model states, the same for all modes. */
static int put_damping(struct work *w, struct lk_node root, int modes)
{
    int n = lk_node_size(lk_node_get(root, "frequency")), list = 0, result;
    double ratio = 0;
    char text[32];
    int *entry = calloc((size_t)n + 1, sizeof(*entry));

    if (entry == NULL)
        return -ENOMEM;
    result = lk_read_number_or(w->map, "damping", 0, &ratio, w->err);
    lk_decimal_text(ratio, w->d->c_locale, text);
    for (int i = 0; i < n && result == 0; i++) {
        result = lk_document_new_node(w->d, w->key, &entry[i]);
        if (result == 0)
            result = lk_document_set_scalar(w->d, entry[i], text, 0);
    }
    if (result == 0)
        result = lk_document_new_node(w->d, w->key, &list);
    if (result == 0)
        result = lk_document_set_entries(w->d, list, LK_NODE_LIST, entry, n);
    free(entry);
    return result == 0 ? put(w, modes, "damping", list) : result;
}

/* Write the place of each node from the centre of mass instead of the origin of the file. */
static int shift_nodes(struct work *w, int modes, const double center[3])
{
    struct lk_node nodes = lk_node_get((struct lk_node){w->d, modes}, "nodes");
    int result = 0;

    for (int i = 0; i < lk_node_size(nodes) && result == 0; i++) {
        struct lk_node node = lk_node_at(nodes, i), place = lk_node_get(node, "position");
        double p[3];

        /* the reader of bodies reports a node without a place */
        if (lk_node_kind(nodes) != LK_NODE_MAP || lk_node_kind(node) != LK_NODE_MAP ||
            lk_node_kind(place) != LK_NODE_LIST || lk_node_size(place) != 3)
            continue;
        if (lk_read_vector_node(place, "position", p, w->err) != 0)
            return LK_E_TEXT;
        for (int k = 0; k < 3 && result == 0; k++) {
            char text[32];

            lk_decimal_text(p[k] - center[k], w->d->c_locale, text);
            result = lk_document_replace(w->d, lk_node_at(place, k), text, NULL);
        }
    }
    return result;
}

/* Copy the value at @key of the file to @map, if there is one; the reader of bodies reports what is
 * missing. */
static int copy_key(struct work *w, struct lk_node root, const char *key, int map, int file)
{
    struct lk_node node = lk_node_get(root, key);
    int value = 0, result = node.index != 0 ? copy(w, node, file, &value) : 0;

    return result == 0 && node.index != 0 ? put(w, map, key, value) : result;
}

/* Write the body from the root of the file. */
static int add_body(struct work *w, struct lk_node root, int *entries)
{
    static const char *const keys[] = {"mass",          "center", "inertia", "frequency", "damping",
                                       "inertia_first", "second", "nodes",   "recovery",  NULL};
    static const char *const of_body[] = {"mass", "inertia", NULL};
    static const char *const of_modes[] = {"frequency", "inertia_first", "second",
                                           "nodes",     "recovery",      NULL};
    bool has_damping = lk_node_get(w->map, "damping").index != 0;
    int body = 0, modes = 0, key = 0;
    long file = lk_document_add_text(w->d, w->file->name);
    double center[3] = {0};
    int result = lk_node_check_keys(root, "a file of modes", keys, w->err);

    if (file < 0)
        return -ENOMEM;
    if (lk_node_kind(root) != LK_NODE_MAP)
        return result;
    result = lk_also(result, lk_read_vector_or(root, "center", center, w->err));
    if (result != 0)
        return result;
    result = lk_document_new_node(w->d, w->key, &body);
    if (result == 0)
        result = lk_document_new_node(w->d, w->key, &modes);
    if (result == 0)
        mark(w, modes, root, (int)file);
    for (int i = 0; of_body[i] != NULL && result == 0; i++)
        result = copy_key(w, root, of_body[i], body, (int)file);
    for (int i = 0; of_modes[i] != NULL && result == 0; i++)
        result = copy_key(w, root, of_modes[i], modes, (int)file);
    if (result == 0)
        result = has_damping ? put_damping(w, root, modes)
                             : copy_key(w, root, "damping", modes, (int)file);
    if (result == 0)
        result = put_motion(w, body, center);
    if (result == 0)
        result = put(w, body, "modes", modes);
    if (result == 0)
        result = shift_nodes(w, modes, center);
    if (result == 0)
        result = lk_document_new_node(w->d, w->key, &key);
    if (result == 0)
        result = lk_document_set_scalar(w->d, key, lk_node_text(w->key), 0);
    entries[0] = key;
    entries[1] = body;
    return result;
}

static int include(struct work *w, int *entries)
{
    static const char *const keys[] = {"type",     "file",    "position",         "orientation",
                                       "velocity", "damping", "angular_velocity", NULL};
    struct lk_error error = {""};
    char path[LK_SOURCE_PATH];
    int result = lk_node_check_keys(w->map, "a modal body", keys, w->err);

    if (result == 0)
        result = find_file(w, path);
    if (result == 0)
        result = w->source->parse(path, &w->file, &error);
    if (result == 0)
        result = add_body(w, lk_document_root(w->file), entries);
    if (result > 0 && (error.text[0] != '\0' ||
                       (w->file != NULL && lk_node_is_refused(lk_document_root(w->file)))))
        lk_document_adopt(w->map, w->file, &error);
    if (result > 0 && error.text[0] != '\0')
        *w->err = error;
    lk_document_free(w->file);
    w->file = NULL;
    return result;
}

/* ---- all entries ---- */

int lk_modes_include(struct lk_document *document, const struct lk_source *source,
                     struct lk_error *err)
{
    struct lk_node map = lk_node_get(lk_document_root(document), "flexible");
    int n = lk_node_kind(map) == LK_NODE_MAP ? lk_node_size(map) : 0, done = 0, result = 0;
    int *entries = calloc(2 * (size_t)n + 1, sizeof(*entries));

    if (entries == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && result == 0; i++) {
        struct work w = {document, source, lk_node_key_at(map, i), lk_node_at(map, i), NULL, err};

        if (is_modal(w.map))
            result = include(&w, entries + 2 * done++);
    }
    if (result == 0 && done > 0)
        result = lk_document_add_items(document, "bodies", entries, 2 * (size_t)done, err);
    map = lk_node_get(lk_document_root(document), "flexible");
    for (int i = n - 1; i >= 0 && result == 0 && done > 0; i--)
        if (is_modal(lk_node_at(map, i)))
            lk_document_remove(document, map, lk_node_text(lk_node_key_at(map, i)));
    if (result == 0 && done > 0 && lk_node_size(map) == 0)
        lk_document_remove(document, lk_document_root(document), "flexible");
    free(entries);
    return result;
}

bool lk_modes_are_in_files(struct lk_document *document)
{
    struct lk_node map = lk_node_get(lk_document_root(document), "flexible");

    for (int i = 0; i < lk_node_size(map) && lk_node_kind(map) == LK_NODE_MAP; i++)
        if (is_modal(lk_node_at(map, i)))
            return true;
    return false;
}
