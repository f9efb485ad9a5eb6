/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the items of a part into the document that includes it: renamed, moved, mirrored. */
#include "maths/vec.h"
#include "parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lk_sections[LK_SECTIONS] = {"bodies", "joints", "roads",  "laws",    "forces",
                                              "blocks", "inputs", "shapes", "outputs", "points"};

/* what a value names: a reference. @section: that contains @key, NULL: any;  @first, @second: where
 * the name is looked up */
static const struct {
    const char *section;
    const char *key;
    const char *first;
    const char *second;
} references[] = {
    {NULL, "bodies", "bodies", NULL},
    {NULL, "body", "bodies", NULL},
    {NULL, "joints", "joints", NULL},
    {NULL, "joint", "joints", NULL},
    {NULL, "input", "inputs", "blocks"},
    {"blocks", "inputs", "inputs", "blocks"},
    {NULL, "block", "blocks", NULL},
    {NULL, "road", "roads", NULL},
    {NULL, "law", "laws", NULL},
    {"outputs", "force", "forces", NULL},
    {"forces", "shapes", "shapes", NULL},
    {"blocks", "position", "joints", NULL},
    {"blocks", "velocity", "joints", NULL},
    {"blocks", "length", "forces", NULL},
    {"blocks", "length_rate", "forces", NULL},
};

/* places and directions that a model leaves out, in the axes of the world. @types: that have the
 * key, NULL: all;  @body: with this body alone */
static const struct {
    const char *section;
    const char *types;
    const char *body;
    const char *key;
    enum lk_move move;
    double value[3];
} defaults[] = {
    {"roads", NULL, NULL, "point", LK_MOVE_PLACE, {0, 0, 0}},
    {"roads", NULL, NULL, "normal", LK_MOVE_DIRECTION, {0, 0, 1}},
    {"roads", "profile grid", NULL, "direction", LK_MOVE_DIRECTION, {1, 0, 0}},
    {"shapes",
     "box sphere cylinder capsule half-space profile",
     "ground",
     "position",
     LK_MOVE_PLACE,
     {0, 0, 0}},
    {"shapes", "cylinder capsule", NULL, "axis", LK_MOVE_DIRECTION, {0, 0, 1}},
    {"shapes", "half-space", NULL, "normal", LK_MOVE_DIRECTION, {0, 0, 1}},
};

/* items with an orientation, which is that of the world where it is left out */
static const struct {
    const char *section;
    const char *type;
} oriented[] = {
    {"bodies", NULL}, {"forces", "bushing"}, {"forces", "drag"}, {"shapes", "box profile"}};

/* struct item - the item being copied. @keys: of the value being copied, a dot before each */
struct item {
    struct lk_copy *c;
    struct lk_node map;
    const char *section;
    const char *type;
    bool is_local; /* places and directions are in the axes of its body */
    char keys[LK_PATH_SIZE];
    struct lk_error *err;
};

/* ---- nodes ---- */

static int copy_offset(struct lk_copy *c, int from, int *last_from, int *last_to, int *ret)
{
    long at;

    if (from != *last_from) {
        at = from == 0 ? 0 : lk_document_add_text(c->to, c->from.document->text + from);
        if (at < 0)
            return -ENOMEM;
        *last_from = from;
        *last_to = (int)at;
    }
    *ret = *last_to;
    return 0;
}

/* Append a node to the target, with the place and the words of @from. */
static int new_node(struct lk_copy *c, struct lk_node from, int *ret)
{
    const struct lk_tree_node *old = &from.document->nodes[from.index];
    int result, setting = 0, file = 0, part = 0, none_from = 0, none_to = 0;

    if (c->to->n_nodes > LK_DOCUMENT_NODES_MAX)
        return LK_E_TEXT;
    result = lk_document_new_node(c->to, (struct lk_node){c->to, 0}, ret);
    if (result == 0)
        result = copy_offset(c, old->file, &c->last_file.from, &c->last_file.to, &file);
    if (result == 0)
        result = copy_offset(c, old->part, &c->last_part.from, &c->last_part.to, &part);
    if (result == 0)
        result = copy_offset(c, old->setting, &none_from, &none_to, &setting);
    if (result != 0)
        return result;
    c->to->nodes[*ret] = (struct lk_tree_node){.kind = LK_NODE_MAP,
                                               .line = old->line,
                                               .column = old->column,
                                               .file = file,
                                               .part = part,
                                               .setting = setting};
    return 0;
}

static int new_scalar(struct lk_copy *c, struct lk_node from, const char *text, int *ret)
{
    int result = new_node(c, from, ret);

    return result != 0 ? result
                       : lk_document_set_scalar(c->to, *ret, text, c->to->nodes[*ret].setting);
}

static int new_number(struct lk_copy *c, struct lk_node from, double value, int *ret)
{
    char text[32];

    lk_decimal_text(value == 0 ? 0 : value, c->to->c_locale, text); /* no -0 */
    return new_scalar(c, from, text, ret);
}

static int new_numbers(struct lk_copy *c, struct lk_node from, const double *value, int n, int *ret)
{
    int entry[6] = {0}, result = new_node(c, from, ret);

    for (int i = 0; i < n && result == 0; i++)
        result = new_number(c, from, value[i], &entry[i]);
    return result == 0 ? lk_document_set_entries(c->to, *ret, LK_NODE_LIST, entry, n) : result;
}

/* ---- names ---- */

static int refuse_name(struct item *it, struct lk_node node, const char *name)
{
    return lk_node_refuse(node, it->err, "the name '%.80s' is too long, expected at most %d bytes",
                          name, LK_NAME_SIZE - 1);
}

/* Write the name in the model of the item @name of the part. */
static int rename_item(struct item *it, struct lk_node node, const char *name,
                       char ret[LK_NAME_SIZE])
{
    const char *star = strchr(it->c->pattern, '*');
    char text[3 * LK_NAME_SIZE];

    snprintf(text, sizeof(text), "%.*s%.*s%s", (int)(star - it->c->pattern), it->c->pattern,
             LK_NAME_SIZE, name, star + 1);
    if (strlen(text) >= LK_NAME_SIZE)
        return refuse_name(it, node, text);
    memcpy(ret, text, strlen(text) + 1);
    return 0;
}

static bool is_in(struct lk_node root, const char *section, const char *name)
{
    return section != NULL && lk_node_get(lk_node_get(root, section), name).index != 0;
}

static int rename_reference(struct item *it, struct lk_node node, int reference,
                            char ret[LK_NAME_SIZE])
{
    const char *name = lk_node_text(node), *first = references[reference].first;
    const struct lk_copy *c = it->c;

    if (is_in(c->from, first, name) || is_in(c->from, references[reference].second, name))
        return rename_item(it, node, name, ret);
    for (int i = 0; i < c->n_ports; i++)
        if (strcmp(c->port[i].name, name) == 0) {
            memcpy(ret, c->port[i].outside, LK_NAME_SIZE);
            return 0;
        }
    if (strcmp(first, "bodies") == 0 && strcmp(name, "ground") == 0) {
        memcpy(ret, "ground", sizeof("ground"));
        return 0;
    }
    return rename_item(it, node, name, ret);
}

/* Return the kind of reference at @key, or -1. */
static int reference_at(const char *section, const char *key)
{
    for (int i = 0; i < (int)(sizeof(references) / sizeof(references[0])); i++)
        if (strcmp(references[i].key, key) == 0 &&
            (references[i].section == NULL || strcmp(references[i].section, section) == 0))
            return i;
    return -1;
}

/* ---- placement ---- */

static double handedness(const struct lk_placement *p)
{
    return p->is_mirrored ? -1 : 1;
}

static void move_vector(const struct item *it, enum lk_move move, const double v[3], double ret[3])
{
    const struct lk_placement *p = &it->c->place;
    bool is_local = it->is_local && (move != LK_MOVE_PLACE || strcmp(it->section, "shapes") == 0);
    double sign = move == LK_MOVE_AXIAL ? handedness(p) : 1;

    for (int i = 0; i < 3; i++) {
        ret[i] = sign * p->mirror[i] * v[i];
        if (p->is_turned && !is_local) {
            ret[i] = 0;
            for (int k = 0; k < 3; k++)
                ret[i] += p->rotation[3 * i + k] * sign * p->mirror[k] * v[k];
        }
        if (move == LK_MOVE_PLACE && !is_local)
            ret[i] += p->position[i];
    }
}

/* M J M: the products of inertia across the mirror change sign. */
static void mirror_inertia(const struct lk_placement *p, double inertia[6])
{
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};

    for (int i = 0; i < 3; i++)
        inertia[3 + i] *= p->mirror[pair[i][0]] * p->mirror[pair[i][1]];
}

/* q -> R (M q M): the vector part of M q M is axial. */
static void move_quaternion(const struct item *it, const double q[4], double ret[4])
{
    const struct lk_placement *p = &it->c->place;
    double a[4] = {1, 0, 0, 0}, b[4] = {q[0]};

    if (!it->is_local)
        memcpy(a, p->quaternion, sizeof(a));
    for (int i = 0; i < 3; i++)
        b[i + 1] = handedness(p) * p->mirror[i] * q[i + 1];
    lk_quat_mul(a, b, ret);
}

/* ---- values ---- */

static int copy_value(struct item *it, struct lk_node from, const char *key, int *ret);

/* Copy a list of three numbers that moves, or the name of a point in its place. */
static int copy_vector(struct item *it, struct lk_node from, enum lk_move move, int *ret)
{
    double v[3], moved[3];
    int result = lk_read_vector_node(from, "a vector", v, it->err);

    if (result != 0)
        return result;
    move_vector(it, move, v, moved);
    return new_numbers(it->c, from, moved, 3, ret);
}

static int copy_inertia(struct item *it, struct lk_node from, int *ret)
{
    int n = lk_node_size(from) == 6 ? 6 : 3;
    double inertia[6] = {0};
    int result = lk_read_numbers_node(from, "inertia", n, inertia, it->err);

    if (result != 0)
        return result;
    mirror_inertia(&it->c->place, inertia);
    return new_numbers(it->c, from, inertia, n, ret);
}

/* Copy an orientation as a quaternion. @map: that contains it */
static int copy_orientation(struct item *it, struct lk_node map, struct lk_node from, int *ret)
{
    double q[4] = {1, 0, 0, 0}, moved[4];
    int result = lk_read_orientation_or(map, "orientation", q, it->err), entry[2] = {0};

    move_quaternion(it, q, moved);
    if (result == 0)
        result = new_node(it->c, from, ret);
    if (result == 0)
        result = new_scalar(it->c, from, "quaternion", &entry[0]);
    if (result == 0)
        result = new_numbers(it->c, from, moved, 4, &entry[1]);
    return result == 0 ? lk_document_set_entries(it->c->to, *ret, LK_NODE_MAP, entry, 2) : result;
}

static bool is_word(struct lk_node node)
{
    double value;

    return lk_node_kind(node) == LK_NODE_SCALAR && lk_node_text(node)[0] != '\0' &&
           !lk_decimal(lk_node_text(node), node.document->c_locale, &value);
}

/* Return whether @node is a vector: three numbers, or the name of a point. Three names are a list
 * of points. */
static bool is_vector(struct lk_node node)
{
    bool is_list = lk_node_kind(node) == LK_NODE_LIST && lk_node_size(node) == 3;

    for (int i = 0; i < 3 && is_list; i++)
        is_list =
            lk_node_kind(lk_node_at(node, i)) == LK_NODE_SCALAR && !is_word(lk_node_at(node, i));
    return is_list || is_word(node);
}

static int copy_scalar(struct item *it, struct lk_node from, const char *key, int *ret)
{
    const struct lk_placement *p = &it->c->place;
    const char *text = lk_node_text(from);
    int reference = reference_at(it->section, key), result = 0;
    char changed[PATH_MAX + LK_NAME_SIZE];

    if (reference >= 0 && is_word(from)) {
        result = rename_reference(it, from, reference, changed);
        text = changed;
    } else if (p->is_mirrored && strcmp(key, "faces") == 0 && strlen(text) == 2) {
        /* the axes of a mirrored shape are right-handed: one of them points the other way */
        int axis = text[1] - 'x';
        bool turns = axis >= 0 && axis < 3 && p->mirror[axis] < 0;

        snprintf(changed, sizeof(changed), "%c%c", turns ? (text[0] == '+' ? '-' : '+') : text[0],
                 text[1]);
        text = changed;
    } else if (p->is_mirrored && strcmp(key, "side") == 0 && strcmp(it->type, "tyre") == 0) {
        text = strcmp(text, "left") == 0 ? "right" : strcmp(text, "right") == 0 ? "left" : text;
    } else if (strcmp(key, "file") == 0 && strcmp(it->section, "roads") == 0 && text[0] != '/') {
        snprintf(changed, sizeof(changed), "%s%s", it->c->folder, text);
        text = changed;
    }
    return result != 0 ? result : new_scalar(it->c, from, text, ret);
}

static int copy_list(struct item *it, struct lk_node from, const char *key, int *ret)
{
    int n = lk_node_size(from), result = new_node(it->c, from, ret);
    int *entry = calloc((size_t)n + 1, sizeof(*entry));

    if (entry == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && result == 0; i++)
        result = copy_value(it, lk_node_at(from, i), key, &entry[i]);
    if (result == 0)
        result = lk_document_set_entries(it->c->to, *ret, LK_NODE_LIST, entry, n);
    free(entry);
    return result;
}

static int copy_pair(struct item *it, struct lk_node map, int i, int entry[2])
{
    struct lk_node key_node = lk_node_key_at(map, i), value = lk_node_at(map, i);
    char key[LK_NAME_SIZE];
    size_t used = strlen(it->keys);
    int result;

    snprintf(key, sizeof(key), "%s", lk_node_text(key_node));
    snprintf(it->keys + used, sizeof(it->keys) - used, ".%s", key);
    result = new_scalar(it->c, key_node, key, &entry[0]);
    if (result == 0)
        result = strcmp(key, "orientation") == 0 && map.index == it->map.index &&
                         (it->c->place.is_turned || lk_node_get(value, "axis").index == 0)
                     ? copy_orientation(it, map, value, &entry[1])
                     : copy_value(it, value, key, &entry[1]);
    it->keys[used] = '\0';
    return result;
}

static int copy_map(struct item *it, struct lk_node from, int *ret)
{
    int n = lk_node_size(from), result = new_node(it->c, from, ret);
    int *entry = calloc(2 * (size_t)n + 1, sizeof(*entry));

    if (entry == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && result == 0; i++)
        result = copy_pair(it, from, i, &entry[2 * i]);
    if (result == 0)
        result = lk_document_set_entries(it->c->to, *ret, LK_NODE_MAP, entry, 2 * n);
    free(entry);
    return result;
}

/* Copy the value of @key, or an entry of its list. Recursive as deep as a document may be. */
static int copy_value(struct item *it, struct lk_node from, const char *key, int *ret)
{
    enum lk_move move = lk_item_move(it->section, it->type, it->keys + (it->keys[0] == '.'));
    double value;

    if (move == LK_MOVE_INERTIA)
        return copy_inertia(it, from, ret);
    if (move == LK_MOVE_HANDED && it->c->place.is_mirrored) {
        int result = lk_node_number(from, key, &value, it->err);

        return result != 0 ? result : new_number(it->c, from, -value, ret);
    }
    if (move != LK_MOVE_NONE && is_vector(from))
        return copy_vector(it, from, move, ret);
    if (lk_node_kind(from) == LK_NODE_SCALAR)
        return copy_scalar(it, from, key, ret);
    return lk_node_kind(from) == LK_NODE_LIST ? copy_list(it, from, key, ret)
                                              : copy_map(it, from, ret);
}

/* ---- items ---- */

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);

    for (const char *at = words; size > 0 && (at = strstr(at, word)) != NULL; at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

static int put_pair(struct item *it, int map, const char *key, int value)
{
    int key_node = 0, result = new_scalar(it->c, it->map, key, &key_node);

    return result == 0 ? lk_document_append_pair(it->c->to, map, key_node, value) : result;
}

static int put_default(struct item *it, int map, int i)
{
    const double *v = defaults[i].value;
    double moved[3];
    int value = 0, result;

    move_vector(it, defaults[i].move, v, moved);
    if (moved[0] == v[0] && moved[1] == v[1] && moved[2] == v[2])
        return 0;
    result = new_numbers(it->c, it->map, moved, 3, &value);
    return result == 0 ? put_pair(it, map, defaults[i].key, value) : result;
}

static bool is_missing(const struct item *it, const char *section, const char *types,
                       const char *body, const char *key)
{
    return strcmp(section, it->section) == 0 && (types == NULL || has_word(types, it->type)) &&
           (body == NULL || strcmp(lk_node_text(lk_node_get(it->map, "body")), body) == 0) &&
           lk_node_get(it->map, key).index == 0;
}

/* Write what the part leaves out, where it would not be the same in the model. */
static int put_defaults(struct item *it, int map)
{
    int value = 0, result = 0;

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]) && result == 0; i++)
        if (is_missing(it, defaults[i].section, defaults[i].types, defaults[i].body,
                       defaults[i].key))
            result = put_default(it, map, (int)i);
    for (size_t i = 0; i < sizeof(oriented) / sizeof(oriented[0]) && it->c->place.is_turned; i++) {
        if (result != 0 || it->is_local ||
            !is_missing(it, oriented[i].section, oriented[i].type, NULL, "orientation"))
            continue;
        result = copy_orientation(it, it->map, it->map, &value);
        if (result == 0)
            result = put_pair(it, map, "orientation", value);
    }
    return result;
}

/* @is_mirror: the mirror alone is the reason */
static int refuse_item(struct item *it, bool is_mirror, const char *what, const char *expected)
{
    return lk_node_refuse(it->map, it->err, "%s in a part that is %s, expected %s", what,
                          is_mirror || !it->c->place.is_turned ? "mirrored" : "turned", expected);
}

static bool is_type(const struct item *it, const char *section, const char *types)
{
    return strcmp(it->section, section) == 0 && has_word(types, it->type);
}

/* Return whether @map names the angle of a cylindrical joint of the part, by `coordinate: angle`,
 * or a torque about its axis. */
static bool names_angle(const struct item *it, struct lk_node map)
{
    static const char *const keys[] = {"joint", "position", "velocity"};
    bool is_angle = strcmp(lk_node_text(lk_node_get(map, "coordinate")), "angle") == 0 ||
                    strcmp(lk_node_text(lk_node_get(map, "type")), "joint-torque") == 0;

    for (int i = 0; i < 3 && is_angle; i++) {
        struct lk_node joint = lk_node_get(lk_node_get(it->c->from, "joints"),
                                           lk_node_text(lk_node_get(map, keys[i])));

        if (strcmp(lk_node_text(lk_node_get(joint, "type")), "cylindrical") == 0)
            return true;
    }
    return false;
}

/* Return whether the angle of a cylindrical joint is used in @node or below. */
static bool takes_angle(const struct item *it, struct lk_node node)
{
    bool found = lk_node_kind(node) == LK_NODE_MAP && names_angle(it, node);

    for (int i = 0; i < lk_node_size(node) && !found; i++)
        found = takes_angle(it, lk_node_at(node, i));
    return found;
}

/* The displacement of a cylindrical joint is along its axis, the angle about it: in a mirror one of
 * the two changes its sign. */
static bool has_angle(const struct item *it)
{
    static const char *const keys[] = {"coordinate", "start", "drive"};

    for (int i = 0; i < 3; i++)
        if (lk_node_get(lk_node_get(it->map, keys[i]), "angle").index != 0)
            return true;
    return false;
}

/* Return whether the driven fixed joint moves otherwise in the part than in the model: along and
 * about the axes of the world. A mirror keeps shifts along its plane, and the turn about its
 * normal. */
static bool is_pose_changed(const struct item *it)
{
    static const char *const keys[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    struct lk_node drive = lk_node_get(it->map, "drive");
    const struct lk_placement *p = &it->c->place;

    if (!is_type(it, "joints", "fixed") || drive.index == 0)
        return false;
    for (int i = 0; i < 6; i++) {
        double sign = i < 3 ? p->mirror[i] : handedness(p) * p->mirror[i - 3];

        if (lk_node_get(drive, keys[i]).index != 0 && (p->is_turned || sign < 0))
            return true;
    }
    return false;
}

/* Refuse an item that refers to the axes of the world or has a sense of rotation, so that it cannot
 * be turned or mirrored. */
static int check_item(struct item *it)
{
    const struct lk_placement *p = &it->c->place;

    if (is_pose_changed(it))
        return refuse_item(it, false,
                           "a driven fixed joint, which moves along the axes of the world,",
                           "it in the model, or joints with axes");
    if (p->is_turned && is_type(it, "joints", "fixed spherical") &&
        lk_node_get(it->map, "compliance").index != 0)
        return refuse_item(it, false, "compliance along the axes of the world", "a bushing");
    if ((p->is_turned || p->is_mirrored) && is_type(it, "joints", "planar") &&
        lk_node_get(it->map, "direction").index == 0)
        return refuse_item(it, false, "a planar joint without a direction", "its direction");
    if (p->is_mirrored && is_type(it, "roads", "profile grid"))
        return refuse_item(it, true, "a road with a profile", "a plane, or the road in the model");
    if (p->is_mirrored && is_type(it, "shapes", "profile"))
        return refuse_item(it, true, "a profile", "the profile of the mirrored body in the model");
    if (p->is_mirrored && lk_node_get(it->map, "modes").index != 0)
        return refuse_item(it, true, "a body with modes",
                           "the modes of the mirrored body in the model");
    if (p->is_mirrored && ((is_type(it, "joints", "cylindrical") && has_angle(it)) ||
                           (strcmp(it->section, "outputs") != 0 && takes_angle(it, it->map))))
        return refuse_item(it, true,
                           "the angle of a cylindrical joint, whose sign is not that of its "
                           "mirror image,",
                           "a prismatic and a revolute joint");
    return 0;
}

static int copy_item(struct lk_copy *c, int section, struct lk_node key, struct lk_node map,
                     struct lk_error *err)
{
    struct lk_node frame = lk_node_get(map, "frame");
    struct item it = {.c = c,
                      .map = map,
                      .section = lk_sections[section],
                      .type = lk_node_text(lk_node_get(map, "type")),
                      .is_local = strcmp(lk_node_text(frame), "body") == 0,
                      .err = err};
    char name[LK_NAME_SIZE];
    int entry[2] = {0}, result = rename_item(&it, key, lk_node_text(key), name);

    if (result == 0)
        result = check_item(&it);
    if (result == 0)
        result = new_scalar(c, key, name, &entry[0]);
    if (result == 0)
        result = copy_value(&it, map, lk_sections[section], &entry[1]);
    if (result == 0 && lk_node_kind(map) == LK_NODE_MAP)
        result = put_defaults(&it, entry[1]);
    if (result == 0 && lk_document_grow(&c->entries[section], &c->room[section], c->n[section], 2,
                                        sizeof(*c->entries[section])) != 0)
        result = -ENOMEM;
    if (result != 0)
        return result;
    c->entries[section][c->n[section]++] = entry[0];
    c->entries[section][c->n[section]++] = entry[1];
    return 0;
}

int lk_part_copy(struct lk_copy *c, struct lk_error *err)
{
    int result = 0;

    c->last_file.from = c->last_part.from = 0;
    c->last_file.to = c->last_part.to = 0;
    for (int s = 0; s < LK_SECTIONS; s++) {
        struct lk_node map = lk_node_get(c->from, lk_sections[s]);

        if (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP)
            return lk_node_refuse(map, err, "%s is no map, expected a map from names",
                                  lk_sections[s]);
        for (int i = 0; i < lk_node_size(map) && lk_node_goes_on(map, result); i++)
            result =
                lk_also(result, copy_item(c, s, lk_node_key_at(map, i), lk_node_at(map, i), err));
    }
    if (result >= 0 && c->to->n_nodes > LK_DOCUMENT_NODES_MAX)
        return lk_node_refuse(c->from, err, "too many values, expected at most %u",
                              LK_DOCUMENT_NODES_MAX);
    return result;
}
