/* SPDX-License-Identifier: Apache-2.0 */
/* Sections, names, and references by name. A reference to nothing is mostly a slip of the pen, so
 * the refusal lists the nearest names first. */
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 6 /* names that a message lists */

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

static bool is_name(const char *text)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char later[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
    size_t size = strlen(text);

    return size > 0 && size < LK_NAME_SIZE && strchr(first, text[0]) != NULL &&
           strspn(text, later) == size;
}

int lk_read_name(struct lk_node node, const char *what, char name[LK_NAME_SIZE],
                 struct lk_error *err)
{
    const char *text = lk_node_text(node);

    if (!is_name(text))
        return lk_node_refuse(
            node, err,
            "'%.70s' is no name for a %s, expected a letter or '_', then letters, "
            "digits, '_' or '-', at most %d in all",
            text, what, LK_NAME_SIZE - 1);
    memcpy(name, text, strlen(text) + 1);
    return 0;
}

/* Edits (insert, delete, replace a letter) that turn @a into @b; both shorter than LK_NAME_SIZE. */
static int edit_distance(const char *a, const char *b)
{
    int row[LK_NAME_SIZE];
    int n = (int)strlen(b);

    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];

        row[0] = i + 1;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i] != b[j - 1]);

            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}

/* Writes the names nearest to @word; @names are @n names @stride bytes apart. */
static void list_nearest(const char *word, const char *names, size_t stride, int n, char *text,
                         size_t size)
{
    int best[LISTED], distance[LISTED], found = 0;
    size_t used = 0;

    for (int i = 0; i < n; i++) {
        int d = edit_distance(word, names + (size_t)i * stride);
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

/* Index of the name that scalar @node holds, among @n names @stride bytes apart. */
static int read_reference(struct lk_node node, const char *what, const char *names, size_t stride,
                          int n, const char *also, int *ret, struct lk_error *err)
{
    const char *text = lk_node_text(node);
    char word[LK_NAME_SIZE];
    char list[LISTED * (LK_NAME_SIZE + 2) + 32];

    for (int i = 0; i < n; i++) {
        if (strcmp(text, names + (size_t)i * stride) == 0) {
            *ret = i;
            return 0;
        }
    }
    if (lk_node_kind(node) != LK_NODE_SCALAR)
        return lk_node_refuse(node, err, "%s is a %s, expected the name of a %s", what,
                              lk_node_kind(node) == LK_NODE_LIST ? "list" : "map", what);
    snprintf(word, sizeof(word), "%.40s", text);
    list_nearest(word, names, stride, n, list, sizeof(list));
    if (n == 0)
        snprintf(list, sizeof(list), "no reference, as there is no %s", what);
    return lk_node_refuse(node, err, "unknown %s '%s', expected %s%s", what, word, also, list);
}

int lk_read_body(struct lk_node node, const struct lk_model *model, bool ground, int *ret_body,
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

int lk_read_body_key(struct lk_node map, const char *key, const struct lk_model *model,
                     int *ret_body, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, key);

    if (node.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected the name of a body",
                              key);
    return lk_read_body(node, model, false, ret_body, err);
}

int lk_read_joint_key(struct lk_node map, const char *key, const struct lk_model *model,
                      unsigned allowed, int *ret_joint, struct lk_error *err)
{
    static const char *const types[LK_JOINT_TYPES] = {"revolute", "spherical", "prismatic",
                                                      "fixed"};
    struct lk_node node = lk_node_get(map, key);
    int joint = -1;
    int result;

    if (node.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected the name of a joint",
                              key);
    result = read_reference(node, "joint", model->n_joints > 0 ? model->joints[0].name : NULL,
                            sizeof(model->joints[0]), model->n_joints, "", &joint, err);
    if (result != 0)
        return result;
    if (allowed != 0 && (allowed & 1u << model->joints[joint].type) == 0) {
        bool revolute = (allowed & 1u << LK_JOINT_REVOLUTE) != 0;
        bool prismatic = (allowed & 1u << LK_JOINT_PRISMATIC) != 0;

        return lk_node_refuse(node, err, "joint '%s' is %s, expected a %s%s%s joint",
                              model->joints[joint].name, types[model->joints[joint].type],
                              revolute ? "revolute" : "", revolute && prismatic ? " or " : "",
                              prismatic ? "prismatic" : "");
    }
    *ret_joint = joint;
    return 0;
}
