/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that URDF cannot represent. A separate file lists them as pairs of coinciding frames. */
#include "import.h"

#include "linkage/document.h"

#include <stdlib.h>
#include <string.h>

struct loops {
    struct robot *robot;
    struct lk_error error;
};

/* Find the link that @node names, or the child link of the joint that it names. */
static int read_frame_name(struct loops *l, struct lk_node node, int *ret_link)
{
    const char *name = lk_node_text(node);
    int limb;

    *ret_link = robot_find_link(l->robot, name);
    if (*ret_link >= 0)
        return 0;
    limb = robot_find_limb(l->robot, name);
    if (limb < 0)
        return lk_node_refuse(node, &l->error, "'%s' is neither a link nor a joint of the robot",
                              name);
    *ret_link = l->robot->limbs[limb].child;
    return 0;
}

static int read_loop(struct loops *l, struct lk_node pair, struct lk_node type, int i)
{
    const char *kind = type.index != 0 ? lk_node_text(type) : "6d";
    struct limb *limb;
    char name[32];
    int a, b, result;

    if (lk_node_kind(pair) != LK_NODE_LIST || lk_node_size(pair) != 2)
        return lk_node_refuse(pair, &l->error, "a loop is not a pair of names, expected [A, B]");
    if (strcmp(kind, "6d") != 0 && strcmp(kind, "3d") != 0)
        return lk_node_refuse(type, &l->error, "type is '%s', expected 6d or 3d", kind);
    result = lk_also(read_frame_name(l, lk_node_at(pair, 0), &a),
                     read_frame_name(l, lk_node_at(pair, 1), &b));
    if (result != 0)
        return result;
    if (a == b)
        return lk_node_refuse(pair, &l->error, "a loop ties '%s' to itself, expected two frames",
                              l->robot->links[a].name);
    for (;; i++) {
        snprintf(name, sizeof(name), "loop_%d", i + 1);
        if (robot_find_limb(l->robot, name) < 0)
            break;
    }
    limb = robot_limb(l->robot, name);
    if (limb == NULL)
        return lk_node_refuse(pair, &l->error, "too many joints, expected at most %d",
                              IMPORT_ITEMS_MAX);
    limb->kind = kind[0] == '6' ? KIND_FIXED : KIND_SPHERICAL;
    limb->closes = true;
    limb->parent = a;
    limb->child = b;
    return 0;
}

static int read_loops(struct loops *l, struct lk_node root)
{
    struct lk_node pairs = lk_node_get(root, "closed_loop"), types = lk_node_get(root, "type");
    int result = 0;

    if (lk_node_kind(pairs) != LK_NODE_LIST)
        return lk_node_refuse(
            root, &l->error, "the key 'closed_loop' is missing, expected a list of pairs of names");
    if (types.index != 0 && lk_node_size(types) != lk_node_size(pairs))
        return lk_node_refuse(types, &l->error, "%d types for %d loops, expected one each",
                              lk_node_size(types), lk_node_size(pairs));
    for (int i = 0; i < lk_node_size(pairs) && lk_node_goes_on(pairs, result); i++) {
        struct lk_node type = types.index != 0 ? lk_node_at(types, i) : (struct lk_node){0};

        result = lk_also(result, read_loop(l, lk_node_at(pairs, i), type, i));
    }
    return result;
}

bool loops_read(const char *path, struct robot *robot, struct notes *notes)
{
    struct loops l = {.robot = robot};
    struct lk_document *document = NULL;
    struct lk_errors errors;
    int result = lk_document_read(path, &document, &l.error);

    if (document == NULL) {
        note(notes, NOTE_ERROR, 0, "%s", result > 0 ? l.error.text : "no memory");
        return false;
    }
    result = read_loops(&l, lk_document_root(document));
    lk_document_errors(document, result, &l.error, &errors);
    for (int i = 0; i < errors.n; i++)
        note(notes, NOTE_ERROR, 0, "%s", errors.line[i].text);
    lk_document_free(document);
    return result == 0;
}
