/* SPDX-License-Identifier: Apache-2.0 */
/* Section `parts`: reads what a model includes, and adds its items to the model. */
#include "parts.h"
#include "linkage/nearest.h"
#include "maths/vec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPEAT_MAX 1024

/* struct including - one entry of the section. @node: its map, with the values for @index;
 * @name: as it is written */
struct including {
    const struct lk_source *source;
    struct lk_document *document;
    struct lk_node node;
    const char *name;
    int index;
    struct lk_copy *copy;
    struct lk_error *err;
};

/* ---- text with the index ---- */

/* Write @text with each '#', '#-1', '#+2' replaced by the index. */
static int put_index(struct including *in, struct lk_node node, const char *text,
                     char ret[LK_NAME_SIZE])
{
    char number[16];
    size_t used = 0;

    for (const char *at = text; *at != '\0';) {
        const char *piece = at;
        size_t size = 1;

        if (*at == '#' && in->index == 0)
            return lk_node_refuse(node, in->err,
                                  "'%.63s' has a '#' in a part that is not repeated, expected "
                                  "none, or 'repeat'",
                                  text);
        if (*at++ == '#') {
            char *end = (char *)(uintptr_t)at;
            bool has_sum = (*at == '-' || *at == '+') && at[1] >= '0' && at[1] <= '9';
            long sum = has_sum ? strtol(at, &end, 10) : 0;

            if (labs(sum) > REPEAT_MAX)
                return lk_node_refuse(node, in->err,
                                      "'%.63s' adds more than %d to the index, expected less", text,
                                      REPEAT_MAX);
            size = (size_t)snprintf(number, sizeof(number), "%ld", in->index + sum);
            piece = number;
            at = end;
        }
        if (used + size >= LK_NAME_SIZE)
            return lk_node_refuse(node, in->err, "'%.80s' is too long, expected at most %d bytes",
                                  text, LK_NAME_SIZE - 1);
        memcpy(ret + used, piece, size);
        used += size;
    }
    ret[used] = '\0';
    return 0;
}

/* ---- keys of an entry ---- */

static int read_pattern(struct including *in)
{
    struct lk_node node = lk_node_get(in->node, "names");
    char usual[LK_NAME_SIZE + 8], name[LK_NAME_SIZE], with_x[LK_NAME_SIZE];
    const char *text = lk_node_text(node);
    int result;

    snprintf(usual, sizeof(usual), "%.*s%s", LK_NAME_SIZE, in->name, in->index > 0 ? ".#.*" : ".*");
    result = put_index(in, node.index != 0 ? node : in->node, node.index != 0 ? text : usual, name);
    if (result != 0)
        return result;
    if (strchr(name, '*') == NULL || strchr(name, '*') != strrchr(name, '*') ||
        (in->index > 0 && node.index != 0 && strchr(text, '#') == NULL))
        return lk_node_refuse(node, in->err,
                              "names is '%.63s', expected one '*' for the name in the part%s", text,
                              in->index > 0 ? ", and a '#' for the index" : "");
    snprintf(with_x, sizeof(with_x), "%s", name);
    *strchr(with_x, '*') = 'x';
    if (!lk_is_name(with_x))
        return lk_node_refuse(node.index != 0 ? node : in->node, in->err,
                              "names is '%.63s', expected a letter or '_', then letters, digits, "
                              "'_', '-' and single dots, with one '*'",
                              name);
    memcpy(in->copy->pattern, name, sizeof(name));
    return 0;
}

static int read_placement(struct including *in)
{
    static const char *const planes[] = {"x", "y", "z", NULL};
    struct lk_placement *p = &in->copy->place;
    int normal = -1, result;

    *p = (struct lk_placement){.quaternion = {1, 0, 0, 0}, .mirror = {1, 1, 1}};
    result = lk_read_vector_or(in->node, "position", p->position, in->err);
    result =
        lk_also(result, lk_read_orientation_or(in->node, "orientation", p->quaternion, in->err));
    if (lk_node_get(in->node, "mirror").index != 0)
        result = lk_also(result, lk_node_read_choice(in->node, "mirror", planes, &normal, in->err));
    if (result != 0)
        return result;
    p->is_turned = p->quaternion[1] != 0 || p->quaternion[2] != 0 || p->quaternion[3] != 0;
    lk_quat_matrix(p->quaternion, p->rotation);
    p->is_mirrored = normal >= 0;
    if (normal >= 0)
        p->mirror[normal] = -1;
    return 0;
}

/* Read the ports that the part has, at first under their own names. */
static int read_own_ports(struct including *in, struct lk_node ports)
{
    struct lk_copy *c = in->copy;
    int result = 0;

    c->n_ports = 0;
    if (ports.index == 0)
        return 0;
    if (lk_node_kind(ports) != LK_NODE_LIST || lk_node_size(ports) > LK_PART_PORTS_MAX)
        return lk_node_refuse(ports, in->err, "ports is no list of at most %d names, expected one",
                              LK_PART_PORTS_MAX);
    for (int i = 0; i < lk_node_size(ports) && result == 0; i++, c->n_ports++) {
        result = lk_read_word(lk_node_at(ports, i), "port", c->port[i].name, in->err);
        memcpy(c->port[i].outside, c->port[i].name, LK_NAME_SIZE);
    }
    return result;
}

static int refuse_port(struct including *in, struct lk_node key)
{
    const char *words[LK_PART_PORTS_MAX + 1] = {NULL}, *nearest;
    const struct lk_copy *c = in->copy;

    for (int i = 0; i < c->n_ports; i++)
        words[i] = c->port[i].name;
    nearest = lk_nearest(lk_node_text(key), words);
    return lk_node_refuse(key, in->err, "the part has no port '%.63s'%s%s%s", lk_node_text(key),
                          nearest != NULL ? ", did you mean '" : ", expected one of its 'ports'",
                          nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* Read what the model gives for ports. */
static int read_given_ports(struct including *in)
{
    struct lk_node given = lk_node_get(in->node, "ports");
    struct lk_copy *c = in->copy;
    int result = 0;

    if (given.index != 0 && lk_node_kind(given) != LK_NODE_MAP)
        return lk_node_refuse(given, in->err, "ports is no map, expected PORT: NAME");
    for (int i = 0; i < lk_node_size(given) && result == 0; i++) {
        struct lk_node key = lk_node_key_at(given, i), value = lk_node_at(given, i);
        int port = 0;

        while (port < c->n_ports && strcmp(c->port[port].name, lk_node_text(key)) != 0)
            port++;
        if (port == c->n_ports)
            return refuse_port(in, key);
        result = put_index(in, value, lk_node_text(value), c->port[port].outside);
        if (result == 0 && !lk_is_name(c->port[port].outside))
            result = lk_node_refuse(value, in->err,
                                    "'%.63s' is no name, expected that of a body, "
                                    "joint, input or another item",
                                    c->port[port].outside);
    }
    return result;
}

/* Return whether the number at @path belongs to a whole model, so that those of a part do not
 * count. */
static bool is_of_model(const char *path)
{
    return strncmp(path, "gravity.", 8) == 0 || strncmp(path, "solver.", 7) == 0;
}

/* Return whether parameter @name of the part acts on such numbers alone. */
static bool acts_on_model(const struct lk_parameters *parameters, const char *name)
{
    for (int i = 0; i < parameters->n; i++) {
        const char *at = parameters->list[i].acts;
        bool all = *at != '\0' && !parameters->state[i].is_used;

        if (strcmp(parameters->list[i].name, name) != 0)
            continue;
        for (; *at != '\0' && all; at += *at == ' ') {
            all = is_of_model(at);
            at += strcspn(at, " ");
        }
        return all;
    }
    return false;
}

/* Refuse values that the entry gives for numbers of a whole model. */
static int check_settings(struct including *in, const struct lk_parameters *parameters)
{
    struct lk_node map = lk_node_get(in->node, "parameters");

    for (int i = 0; i < lk_node_size(map); i++) {
        const char *name = lk_node_text(lk_node_key_at(map, i));

        if (is_of_model(name) || acts_on_model(parameters, name))
            return lk_node_refuse(lk_node_key_at(map, i), in->err,
                                  "'%.63s' sets gravity or solver of a part, which do not count, "
                                  "expected them in the model",
                                  name);
    }
    return 0;
}

/* Read the values of parameters, which are settings of the part. */
static int read_settings(struct including *in, struct lk_settings *ret)
{
    struct lk_node map = lk_node_get(in->node, "parameters");
    int result = 0;

    if (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(map, in->err, "parameters is no map, expected NAME: NUMBER");
    for (int i = 0; i < lk_node_size(map) && result == 0; i++) {
        double value = 0;

        result = lk_read_number_node(lk_node_at(map, i), lk_node_text(lk_node_key_at(map, i)),
                                     &value, in->err);
        if (result == 0)
            result = lk_settings_add(ret, lk_node_text(lk_node_key_at(map, i)), value);
        if (result == -EINVAL || result == -E2BIG)
            return lk_node_refuse(lk_node_key_at(map, i), in->err,
                                  "'%.63s' is no parameter, expected a name or a path such as "
                                  "bodies.arm.mass, and at most %d",
                                  lk_node_text(lk_node_key_at(map, i)), LK_SETTINGS_MAX);
    }
    return result;
}

/* Read the points, which are settings of the part, too. */
static int read_points(struct including *in, struct lk_settings *ret)
{
    struct lk_node map = lk_node_get(in->node, "points");
    char path[LK_PATH_SIZE];
    int result = 0;

    if (map.index != 0 && lk_node_kind(map) != LK_NODE_MAP)
        return lk_node_refuse(map, in->err, "points is no map, expected NAME: [x, y, z]");
    for (int i = 0; i < lk_node_size(map) && result == 0; i++) {
        const char *name = lk_node_text(lk_node_key_at(map, i));
        double point[3] = {0};

        result = lk_read_vector_node(lk_node_at(map, i), name, point, in->err);
        for (int k = 0; k < 3 && result == 0; k++) {
            snprintf(path, sizeof(path), "points.%.63s.%d", name, k + 1);
            result = lk_settings_add(ret, path, point[k]);
        }
        if (result == -EINVAL || result == -E2BIG)
            return lk_node_refuse(lk_node_key_at(map, i), in->err,
                                  "'%.63s' is no point, expected a name, and at most %d", name,
                                  LK_SETTINGS_MAX / 3);
    }
    return result;
}

/* ---- the file ---- */

/* struct place - where the file of a part is. @path: to open;  @folder: of the file, for its own
 * parts;  @below: the same, below the folder of the document that includes it */
struct place {
    char path[LK_SOURCE_PATH];
    char folder[LK_SOURCE_PATH];
    char below[LK_SOURCE_PATH];
};

bool lk_source_find(const struct lk_source *source, const char *name, char ret[LK_SOURCE_PATH])
{
    const char *const roots[2] = {source->folder, source->library};

    for (int i = 0; i < 2 && roots[i] != NULL; i++) {
        size_t size = strlen(roots[i]);
        const char *between = size > 0 && roots[i][size - 1] == '/' ? "" : "/";
        int used = snprintf(ret, LK_SOURCE_PATH, "%s%s%s", roots[i], between, name);

        if (used >= 0 && used < LK_SOURCE_PATH && access(ret, F_OK) == 0)
            return true;
    }
    return false;
}

static int refuse_file(struct including *in, struct lk_node node, const char *name)
{
    return lk_node_refuse(node, in->err,
                          "the part '%.200s' is neither in %.80s%s%.80s, expected a file of the "
                          "model's folder and below",
                          name, in->source->folder, in->source->library != NULL ? " nor in " : "",
                          in->source->library != NULL ? in->source->library : "");
}

static int find_file(struct including *in, struct place *ret)
{
    const struct lk_source *source = in->source;
    struct lk_node node = lk_node_get(in->node, "file");
    const char *name = lk_node_text(node), *slash = strrchr(name, '/');
    int folder = slash != NULL ? (int)(slash + 1 - name) : 0;

    if (node.index == 0 || name[0] == '\0')
        return lk_node_refuse(node.index != 0 ? node : in->node, in->err,
                              "the key 'file' is missing, expected the name of a model's file");
    if (source->parse == NULL || source->folder == NULL)
        return lk_node_refuse(node, in->err,
                              "the part '%.200s' is not read for a text from elsewhere, expected "
                              "the text that 'linkage flatten' writes",
                              name);
    if (lk_check_file(node, "the model", name, in->err) != 0)
        return LK_E_TEXT;
    if (!lk_source_find(source, name, ret->path))
        return refuse_file(in, node, name);
    snprintf(ret->folder, sizeof(ret->folder), "%.*s",
             (int)(strlen(ret->path) - strlen(name)) + folder, ret->path);
    snprintf(ret->below, sizeof(ret->below), "%.*s", folder, name);
    return 0;
}

/* Note in each node that it belongs to the part, for messages. */
static int mark_nodes(struct lk_document *part, const char *name)
{
    char words[LK_PATH_SIZE + 16];
    long at;

    snprintf(words, sizeof(words), " (in part %s)", name);
    at = lk_document_add_text(part, words);
    for (size_t i = 1; i < part->n_nodes && at > 0; i++)
        part->nodes[i].part = (int)at;
    return at < 0 ? -ENOMEM : 0;
}

/* Note the file of each node that is copied from @part. */
static int mark_file(struct lk_document *part)
{
    long at = lk_document_add_text(part, part->name);

    for (size_t i = 1; i < part->n_nodes && at > 0; i++)
        if (part->nodes[i].file == 0)
            part->nodes[i].file = (int)at;
    return at < 0 ? -ENOMEM : 0;
}

/* Lower the part and copy its items. */
static int take_part(struct including *in, struct lk_document *part, const struct place *place,
                     const struct lk_source *source, struct lk_error *error)
{
    struct lk_node root = lk_document_root(part);
    struct lk_parameters parameters = {0};
    int result = mark_nodes(part, source->part);

    if (result == 0)
        result = lk_read_top(root, "a part", error);
    if (result == 0)
        result = lk_document_lower(part, source, LK_LOWER_ALL, &parameters, error);
    if (result == 0)
        result = check_settings(in, &parameters);
    lk_parameters_fini(&parameters);
    if (result == 0)
        result = read_own_ports(in, lk_node_get(root, "ports"));
    if (result == 0)
        result = mark_file(part);
    if (result != 0)
        return result;
    result = read_given_ports(in);
    in->copy->from = root;
    in->copy->folder = place->below;
    return result == 0 ? lk_part_copy(in->copy, error) : result;
}

static int include_file(struct including *in, const struct place *place,
                        const struct lk_settings *settings)
{
    char name[LK_PATH_SIZE], number[16] = "";
    struct lk_document *part = NULL;
    struct lk_source source = *in->source;
    struct lk_error error = {""};
    int result;

    if (in->index > 0)
        snprintf(number, sizeof(number), ".%d", in->index);
    snprintf(name, sizeof(name), "%.120s%s%.64s%s",
             in->source->part != NULL ? in->source->part : "", in->source->part != NULL ? "." : "",
             in->name, number);
    source.folder = place->folder;
    source.part = name;
    source.depth++;
    source.settings = settings->list;
    source.n = settings->n;
    result = in->source->parse(place->path, &part, &error);
    if (result == 0)
        result = take_part(in, part, place, &source, &error);
    /* errors of the entry itself were reported there */
    if (result > 0 && (part == NULL || lk_node_is_refused(lk_document_root(part)) ||
                       !lk_node_is_refused(in->node)))
        lk_document_adopt(in->node, part, &error);
    if (result > 0 && error.text[0] != '\0')
        *in->err = error;
    lk_document_free(part);
    return result;
}

/* ---- entries ---- */

/* Copy a value within the document, so that its expressions can be evaluated for each index. */
static int clone(struct lk_document *d, struct lk_node from, int *ret)
{
    int n = lk_node_kind(from) == LK_NODE_MAP ? 2 * lk_node_size(from) : lk_node_size(from);
    int result = lk_document_new_node(d, from, ret);
    int *entry;

    if (result != 0)
        return result;
    d->nodes[*ret] = d->nodes[from.index];
    if (lk_node_kind(from) == LK_NODE_SCALAR)
        return 0;
    entry = calloc((size_t)n + 1, sizeof(*entry));
    if (entry == NULL)
        return -ENOMEM;
    for (int i = 0; i < n && result == 0; i++)
        result = clone(d, (struct lk_node){d, d->entries[d->nodes[from.index].first + (size_t)i]},
                       &entry[i]);
    if (result == 0)
        result = lk_document_set_entries(d, *ret, lk_node_kind(from), entry, n);
    free(entry);
    return result;
}

static int include_once(struct including *in, const struct lk_parameters *parameters,
                        struct lk_node entry)
{
    static const char *const keys[] = {"file",   "names",      "position", "orientation", "mirror",
                                       "repeat", "parameters", "points",   "ports",       NULL};
    struct lk_settings settings = {0};
    struct place place;
    int result = clone(in->document, entry, &in->node.index);

    in->node.document = in->document;
    if (result == 0)
        result = lk_node_check_keys(in->node, "a part", keys, in->err);
    if (result == 0)
        result = lk_expressions_within(in->document, parameters, in->node, in->index, in->err);
    if (result == 0)
        result = read_pattern(in);
    if (result == 0)
        result = read_placement(in);
    if (result == 0)
        result = read_settings(in, &settings);
    if (result == 0)
        result = read_points(in, &settings);
    if (result == 0)
        result = find_file(in, &place);
    if (result == 0 &&
        (++*in->source->n_parts > LK_PARTS_MAX || in->source->depth >= LK_PARTS_DEPTH))
        result = lk_node_refuse(in->node, in->err,
                                "the model has more than %d parts, or parts within parts deeper "
                                "than %d, expected fewer; a part must not include itself",
                                LK_PARTS_MAX, LK_PARTS_DEPTH);
    if (result == 0)
        result = include_file(in, &place, &settings);
    lk_settings_fini(&settings);
    return result;
}

/* Read how often the part is repeated: a number, or [first, last]. 0, 0: it is not. */
static int read_repeat(struct lk_node entry, const struct lk_parameters *parameters, int range[2],
                       struct lk_error *err)
{
    struct lk_node node = lk_node_get(entry, "repeat");
    double value[2] = {1, 1};
    int result = 0;

    range[0] = range[1] = 0;
    if (node.index == 0)
        return 0;
    if (lk_node_kind(node) == LK_NODE_SCALAR && lk_node_text(node)[0] == '=')
        return lk_node_refuse(node, err, "repeat is an expression, expected a whole number");
    (void)parameters;
    result = lk_node_kind(node) == LK_NODE_LIST
                 ? lk_read_numbers_node(node, "repeat", 2, value, err)
                 : lk_read_number_node(node, "repeat", &value[1], err);
    if (result == 0 && !(value[0] >= 1 && value[1] >= value[0] && value[1] <= REPEAT_MAX &&
                         value[0] == floor(value[0]) && value[1] == floor(value[1])))
        result =
            lk_node_refuse(node, err, "repeat is %g to %g, expected whole numbers from 1 to %d",
                           value[0], value[1], REPEAT_MAX);
    range[0] = (int)value[0];
    range[1] = (int)value[1];
    return result;
}

static int include_entry(struct including *in, const struct lk_parameters *parameters,
                         struct lk_node key, struct lk_node entry)
{
    char name[LK_NAME_SIZE];
    int range[2], result = lk_read_word(key, "part", name, in->err);

    if (lk_node_kind(entry) != LK_NODE_MAP)
        return lk_node_refuse(entry, in->err, "a part is no map, expected {file: NAME, ...}");
    if (result == 0)
        result = read_repeat(entry, parameters, range, in->err);
    in->name = name;
    for (int i = range[0]; result == 0 && i <= range[1]; i++) {
        in->index = i;
        result = include_once(in, parameters, entry);
    }
    return result;
}

int lk_parts_include(struct lk_document *document, const struct lk_parameters *parameters,
                     const struct lk_source *source, struct lk_error *err)
{
    struct lk_node root = lk_document_root(document), parts = lk_node_get(root, "parts");
    struct lk_copy *copy;
    int n_parts = 0, result = 0;
    struct lk_source counted = *source;
    struct including in = {.source = &counted, .document = document, .err = err};

    if (parts.index == 0)
        return 0;
    if (lk_node_kind(parts) != LK_NODE_MAP)
        return lk_node_refuse(parts, err, "parts is no map, expected NAME: {file: ...}");
    if (counted.n_parts == NULL)
        counted.n_parts = &n_parts;
    copy = calloc(1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    copy->to = document;
    in.copy = copy;
    for (int i = 0; i < lk_node_size(parts) && lk_node_goes_on(parts, result); i++)
        result = lk_also(
            result, include_entry(&in, parameters, lk_node_key_at(parts, i), lk_node_at(parts, i)));
    for (int s = 0; s < LK_SECTIONS && result == 0; s++)
        result = lk_document_add_items(document, lk_sections[s], copy->entries[s], copy->n[s], err);
    lk_document_remove(document, root, "parts");
    for (int s = 0; s < LK_SECTIONS; s++)
        free(copy->entries[s]);
    free(copy);
    return result;
}
