/* SPDX-License-Identifier: Apache-2.0 */
/* Sections, names, and references by name. A reference to an unknown name is usually a typing
 * error, so the message lists the nearest names. */
#include "linkage/nearest.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 6 /* number of names that a message lists */

int lk_read_section(struct lk_node root, const char *key, int max, size_t size,
                    struct lk_node *ret_map, void *ret_array, int *ret_n, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, key);
    int n = lk_node_size(map);
    void *array = NULL;

    if (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(map, err, "%s is %s, expected a map from names to maps", key,
                              lk_node_kind(map) == LK_NODE_LIST ? "a list"
                              : lk_node_text(map)[0] == '\0'    ? "empty"
                                                                : "a text");
    if (n > max)
        return lk_node_refuse(map, err, "%s has %d entries, expected at most %d", key, n, max);
    if (n > 0) {
        array = calloc((size_t)n, size);
        if (array == NULL)
            return -ENOMEM;
    }
    *ret_map = map;
    memcpy(ret_array, &array, sizeof(array));
    *ret_n = n;
    return 0;
}

/* Return whether @text is a name of the characters @later, the first one no digit or sign. */
static bool is_word(const char *text, const char *later)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    size_t size = strlen(text);

    return size > 0 && size < LK_NAME_SIZE && strchr(first, text[0]) != NULL &&
           strspn(text, later) == size;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-"

bool lk_is_name(const char *text)
{
    size_t size = strlen(text);

    return is_word(text, LETTERS ".") && text[size - 1] != '.' && strstr(text, "..") == NULL;
}

int lk_read_name(struct lk_node node, const char *what, char name[LK_NAME_SIZE],
                 struct lk_error *err)
{
    const char *text = lk_node_text(node);

    if (!lk_is_name(text))
        return lk_node_refuse(
            node, err,
            "'%.70s' is no name for a %s, expected a letter or '_', then letters, "
            "digits, '_', '-' or single dots, at most %d in all",
            text, what, LK_NAME_SIZE - 1);
    memcpy(name, text, strlen(text) + 1);
    return 0;
}

int lk_read_word(struct lk_node node, const char *what, char word[LK_NAME_SIZE],
                 struct lk_error *err)
{
    const char *text = lk_node_text(node);

    if (!is_word(text, LETTERS))
        return lk_node_refuse(
            node, err,
            "'%.70s' is no name for a %s, expected a letter or '_', then letters, "
            "digits, '_' or '-', at most %d in all",
            text, what, LK_NAME_SIZE - 1);
    memcpy(word, text, strlen(text) + 1);
    return 0;
}

int lk_read_type(struct lk_node map, const char *what, const char *const types[], int *ret_type,
                 struct lk_error *err)
{
    /* the other keys depend on the type */
    static const char *const shape[] = {"type", "...", NULL};

    if (lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_check_keys(map, what, shape, err);
    return lk_node_read_choice(map, "type", types, ret_type, err);
}

/* Writes the names nearest to @word; @names are @n names @stride bytes apart. */
static void list_nearest(const char *word, const char *names, size_t stride, int n, char *text,
                         size_t size)
{
    int best[LISTED], distance[LISTED], found = 0;
    size_t used = 0;

    for (int i = 0; i < n; i++) {
        int d = lk_edit_distance(word, names + (size_t)i * stride);
        int at = found;

        while (at > 0 && distance[at - 1] > d)
            at--;
        if (at == LISTED)
            continue;
        found += found < LISTED;
        for (int k = found - 1; k > at; k--) {
            best[k] = best[k - 1];
            distance[k] = distance[k - 1];
        }
        best[at] = i;
        distance[at] = d;
    }
    text[0] = '\0';
    for (int k = 0; k < found; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "",
                                 names + (size_t)best[k] * stride);
    if (n > found)
        snprintf(text + used, size - used, " or another of %d", n);
}

static const char *article(const char *what)
{
    return what[0] == 'i' ? "an" : "a";
}

/* Return whether the joint, input or force @name was itself refused. Then its own message is
 * enough. */
static bool is_unfit(struct lk_node node, const char *what, const char *name)
{
    static const char *const whats[] = {"joint", "input", "force", "block"};
    static const char *const sections[] = {"joints", "inputs", "forces", "blocks"};
    struct lk_node root = lk_document_root(node.document);

    for (int i = 0; i < 4 && lk_node_is_refused(root); i++) {
        if (strcmp(what, whats[i]) == 0)
            return lk_node_is_refused(lk_node_get(lk_node_get(root, sections[i]), name));
    }
    return false;
}

/* Find the index of the name in scalar @node, among @n names @stride bytes apart. */
static int read_reference(struct lk_node node, const char *what, const char *names, size_t stride,
                          int n, const char *also, int *ret, struct lk_error *err)
{
    const char *text = lk_node_text(node);
    char word[LK_NAME_SIZE];
    char list[LISTED * (LK_NAME_SIZE + 2) + 32];

    for (int i = 0; i < n; i++) {
        if (strcmp(text, names + (size_t)i * stride) == 0) {
            *ret = i;
            return is_unfit(node, what, text) ? LK_E_TEXT : 0;
        }
    }
    if (n == 0 && lk_node_is_refused(lk_document_root(node.document)))
        return LK_E_TEXT; /* the section itself was refused */
    if (lk_node_kind(node) != LK_NODE_SCALAR)
        return lk_node_refuse(node, err, "%s is a %s, expected the name of %s %s", what,
                              lk_node_kind(node) == LK_NODE_LIST ? "list" : "map", article(what),
                              what);
    snprintf(word, sizeof(word), "%.40s", text);
    list_nearest(word, names, stride, n, list, sizeof(list));
    if (n == 0)
        snprintf(list, sizeof(list), "no reference, as there is no %s", what);
    return lk_node_refuse(node, err, "unknown %s '%s', expected %s%s", what, word, also, list);
}

int lk_read_any_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
                     struct lk_error *err)
{
    bool is_ground = strcmp(lk_node_text(node), "ground") == 0;

    if (is_ground && ground) {
        *ret_body = LK_GROUND;
        return 0;
    }
    if (is_ground)
        return lk_node_refuse(node, err, "the ground does not move, expected a body");
    return read_reference(node, "body", model->bodies[0].name, sizeof(model->bodies[0]),
                          model->n_bodies, ground ? "ground, " : "", ret_body, err);
}

int lk_read_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
                 struct lk_error *err)
{
    int result = lk_read_any_body(node, model, ground, ret_body, err);

    if (result == 0 && *ret_body >= 0 && model->bodies[*ret_body].kind == LK_BODY_MODAL) {
        const struct lk_modal_def *modal = &model->modals[model->bodies[*ret_body].modal];

        return lk_node_refuse(node, err,
                              "'%s' has modes and bends, so its name is no place on it, expected "
                              "one of its nodes, as '%s'",
                              lk_node_text(node), model->bodies[modal->node[0].body].name);
    }
    return result;
}

int lk_read_body_key(struct lk_node map, const char *key, const struct lk_model *model,
                     bool is_frame, int *ret_body, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);

    if (node.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected the name of a body",
                              key);
    return is_frame ? lk_read_any_body(node, model, false, ret_body, err)
                    : lk_read_body(node, model, false, ret_body, err);
}

int lk_read_pair(struct lk_node map, const char *what, const struct lk_model *model,
                 int ret_body[2], struct lk_error *err)
{
    struct lk_node pair = lk_node_get(map, "bodies");
    int result = 0;

    if (pair.index == 0)
        return lk_node_refuse(map, err, "the key 'bodies' is missing, expected a list of 2 bodies");
    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, err,
                              "bodies is not a list of 2 names, expected [first, "
                              "second]");
    for (int side = 0; side < 2; side++)
        result = lk_also(result,
                         lk_read_body(lk_node_at(pair, side), model, true, &ret_body[side], err));
    if (result != 0)
        return result;
    if (ret_body[0] == ret_body[1])
        return lk_node_refuse(pair, err, "%s has '%s' on both sides, expected two different bodies",
                              what, lk_node_text(lk_node_at(pair, 0)));
    return 0;
}

/* Do the same as read_reference() for the value of the required key @what in @map. */
static int read_reference_key(struct lk_node map, const char *what, const char *names,
                              size_t stride, int n, int *ret, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, what);

    if (node.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected the name of %s %s", what,
                              article(what), what);
    return read_reference(node, what, names, stride, n, "", ret, err);
}

int lk_read_joint(struct lk_node node, const struct lk_model *model, int *ret_joint,
                  struct lk_error *err)
{
    return read_reference(node, "joint", model->n_joints > 0 ? model->joints[0].name : NULL,
                          sizeof(model->joints[0]), model->n_joints, "", ret_joint, err);
}

int lk_read_shape(struct lk_node node, const struct lk_model *model, int *ret_shape,
                  struct lk_error *err)
{
    return read_reference(node, "shape", model->n_shapes > 0 ? model->shapes[0].name : NULL,
                          sizeof(model->shapes[0]), model->n_shapes, "", ret_shape, err);
}

int lk_read_block(struct lk_node node, const struct lk_model *model, int *ret_block,
                  struct lk_error *err)
{
    return read_reference(node, "block", model->n_blocks > 0 ? model->blocks[0].name : NULL,
                          sizeof(model->blocks[0]), model->n_blocks, "", ret_block, err);
}

int lk_read_force(struct lk_node node, const struct lk_model *model, int *ret_force,
                  struct lk_error *err)
{
    return read_reference(node, "force", model->n_forces > 0 ? model->forces[0].name : NULL,
                          sizeof(model->forces[0]), model->n_forces, "", ret_force, err);
}

int lk_read_joint_key(struct lk_node map, const struct lk_model *model, int *ret_joint,
                      struct lk_error *err)
{
    return read_reference_key(map, "joint", model->n_joints > 0 ? model->joints[0].name : NULL,
                              sizeof(model->joints[0]), model->n_joints, ret_joint, err);
}

int lk_read_input_key(struct lk_node map, const struct lk_model *model, int *ret_input,
                      struct lk_error *err)
{
    return read_reference_key(map, "input", model->n_inputs > 0 ? model->inputs[0].name : NULL,
                              sizeof(model->inputs[0]), model->n_inputs, ret_input, err);
}

int lk_read_force_key(struct lk_node map, const struct lk_model *model, int *ret_force,
                      struct lk_error *err)
{
    return read_reference_key(map, "force", model->n_forces > 0 ? model->forces[0].name : NULL,
                              sizeof(model->forces[0]), model->n_forces, ret_force, err);
}

int lk_read_road_key(struct lk_node map, const struct lk_model *model, int *ret_road,
                     struct lk_error *err)
{
    return read_reference_key(map, "road", model->n_roads > 0 ? model->roads[0].name : NULL,
                              sizeof(model->roads[0]), model->n_roads, ret_road, err);
}

int lk_read_law_key(struct lk_node map, const struct lk_model *model, int *ret_law,
                    struct lk_error *err)
{
    return read_reference_key(map, "law", model->n_laws > 0 ? model->laws[0].name : NULL,
                              sizeof(model->laws[0]), model->n_laws, ret_law, err);
}
