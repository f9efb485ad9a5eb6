/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and named points of a model: each "=..." becomes its value, before the sections are
 * read. An expression sees the parameters with the values that they have now, and the points that
 * stand above it. */
#include "document_tree.h"
#include "expression.h"
#include "linkage/nearest.h"
#include "maths/arithmetic.h"
#include "parameters.h"
#include "parts.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN "%.60s" /* how much of an expression a message quotes */

/* struct scope - what names stand for. @n_points: points that are known so far;  @node: of the
 * expression, for messages;  @index: of a part that is repeated, 0: none */
struct scope {
    struct lk_document *document;
    const struct lk_parameters *parameters;
    int index;
    struct lk_node points;
    int n_points;
    struct lk_node node;
    struct lk_error *error;
};

static bool is_word(const char *word, const char *name, size_t size)
{
    return strlen(word) == size && strncmp(word, name, size) == 0;
}

static int refuse_name(struct scope *s, const char *name, size_t size)
{
    int n = s->parameters->n, n_points = lk_node_size(s->points);
    const char **words = calloc((size_t)(n + n_points) + 1, sizeof(*words)), *nearest;
    char word[LK_NAME_SIZE];

    if (words == NULL)
        return -ENOMEM;
    snprintf(word, sizeof(word), "%.*s", (int)(size < sizeof(word) ? size : sizeof(word) - 1),
             name);
    for (int i = 0; i < n; i++)
        words[i] = s->parameters->list[i].name;
    for (int i = 0; i < n_points; i++)
        words[n + i] = lk_node_text(lk_node_key_at(s->points, i));
    nearest = lk_nearest(word, words);
    lk_node_refuse(s->node, s->error, "'" SHOWN "': there is no '%s'%s%s%s", lk_node_text(s->node),
                   word, nearest != NULL ? ", did you mean '" : "", nearest != NULL ? nearest : "",
                   nearest != NULL ? "'?"
                                   : ", expected a name of parameters, or POINT.x of points");
    free(words);
    return LK_E_TEXT;
}

static int find_component(struct scope *s, const char *name, size_t size, size_t dot, double *ret)
{
    int component = size == dot + 2 ? name[dot + 1] - 'x' : -1;

    if (component < 0 || component > 2)
        return lk_node_refuse(s->node, s->error, "'" SHOWN "': expected .x, .y or .z of a point",
                              lk_node_text(s->node));
    for (int i = 0; i < lk_node_size(s->points); i++) {
        if (!is_word(lk_node_text(lk_node_key_at(s->points, i)), name, dot))
            continue;
        if (i >= s->n_points)
            return lk_node_refuse(s->node, s->error,
                                  "'" SHOWN
                                  "': point '%.*s' is not above, expected points that are",
                                  lk_node_text(s->node), (int)dot, name);
        return lk_node_number(lk_node_at(lk_node_at(s->points, i), component), "a point", ret,
                              s->error);
    }
    return refuse_name(s, name, dot);
}

static int find_name(void *data, const char *name, size_t size, double *ret)
{
    const char *dot = memrchr(name, '.', size);
    struct scope *s = data;

    if (dot != NULL)
        return find_component(s, name, size, (size_t)(dot - name), ret);
    if (s->index > 0 && is_word("index", name, size)) {
        for (int i = 0; i < s->parameters->n; i++)
            if (strcmp(s->parameters->list[i].name, "index") == 0)
                return lk_node_refuse(s->node, s->error,
                                      "'" SHOWN "': 'index' is a parameter and the index of the "
                                      "repeated part, expected another name of the parameter",
                                      lk_node_text(s->node));
        *ret = s->index;
        return 0;
    }
    for (int i = 0; i < s->parameters->n; i++) {
        const struct lk_parameter *p = &s->parameters->list[i];

        if (!is_word(p->name, name, size))
            continue;
        if (p->is_tunable)
            return lk_node_refuse(s->node, s->error,
                                  "'" SHOWN "': parameter '%s' is tunable, expected one that is "
                                  "constant while the model runs",
                                  lk_node_text(s->node), p->name);
        if (!s->parameters->state[i].is_known)
            return lk_node_refuse(s->node, s->error,
                                  "'" SHOWN "': the value of parameter '%s' is that of a number of "
                                  "the whole model, expected a parameter with a value",
                                  lk_node_text(s->node), p->name);
        s->parameters->state[i].is_used = true;
        *ret = p->value;
        return 0;
    }
    return refuse_name(s, name, size);
}

/* Replace an expression by its value. */
static int evaluate(struct scope *s, struct lk_node node)
{
    const char *text = lk_node_text(node), *why = NULL;
    struct lk_expression_names names = {find_name, s};
    char words[LK_EXPRESSION_MAX + 32], number[32];
    double value = 0;
    size_t at;
    int result;

    s->node = node;
    result = lk_expression(text + 1, s->document->c_locale, &names, &value, &why, &at);
    if (why != NULL)
        return lk_node_refuse(node, s->error, "'" SHOWN "': %s, before '%.20s'", text, why,
                              text[1 + at] != '\0' ? text + 1 + at : "the end");
    if (result != 0)
        return result;
    snprintf(words, sizeof(words), "%.100s", text);
    lk_decimal_text(value, s->document->c_locale, number);
    return lk_document_replace(s->document, node, number, words);
}

static bool is_expression(struct lk_node node)
{
    return lk_node_kind(node) == LK_NODE_SCALAR && lk_node_text(node)[0] == '=';
}

/* Evaluate the expressions among the entries of a list or map, but not those within them. */
static int evaluate_entries(struct scope *s, struct lk_node node)
{
    int result = 0;

    for (int i = 0; i < lk_node_size(node) && lk_node_goes_on(node, result); i++)
        if (is_expression(lk_node_at(node, i)))
            result = lk_also(result, evaluate(s, lk_node_at(node, i)));
    return result;
}

static int read_points(struct scope *s)
{
    int result = 0;

    if (s->points.index != 0 && lk_node_kind(s->points) != LK_NODE_MAP)
        return lk_node_refuse(s->points, s->error, "points are no map, expected NAME: [x, y, z]");
    for (int i = 0; i < lk_node_size(s->points) && lk_node_goes_on(s->points, result); i++) {
        struct lk_node point = lk_node_at(s->points, i);
        char name[LK_NAME_SIZE];
        double ignored[3];

        s->n_points = i;
        result =
            lk_also(result, lk_read_name(lk_node_key_at(s->points, i), "point", name, s->error));
        result = lk_also(result, evaluate_entries(s, point));
        if (result == 0)
            result = lk_read_numbers_node(point, name, 3, ignored, s->error);
    }
    s->n_points = lk_node_size(s->points);
    return result;
}

static struct scope scope_of(struct lk_document *document, const struct lk_parameters *parameters,
                             struct lk_error *err)
{
    return (struct scope){.document = document,
                          .parameters = parameters,
                          .points = lk_node_get(lk_document_root(document), "points"),
                          .error = err};
}

int lk_expressions_of_points(struct lk_document *document, const struct lk_parameters *parameters,
                             struct lk_error *err)
{
    LK_ARITHMETIC;
    struct scope s = scope_of(document, parameters, err);

    return read_points(&s);
}

static int evaluate_within(struct scope *s, struct lk_node node)
{
    int result = evaluate_entries(s, node);

    for (int i = 0; i < lk_node_size(node) && lk_node_goes_on(node, result); i++)
        result = lk_also(result, evaluate_within(s, lk_node_at(node, i)));
    return result;
}

int lk_expressions_within(struct lk_document *document, const struct lk_parameters *parameters,
                          struct lk_node node, int index, struct lk_error *err)
{
    LK_ARITHMETIC;
    struct scope s = scope_of(document, parameters, err);

    s.n_points = lk_node_size(s.points);
    s.index = index;
    return evaluate_within(&s, node);
}

int lk_expressions_apply(struct lk_document *document, const struct lk_parameters *parameters,
                         struct lk_error *err)
{
    int result = lk_expressions_of_points(document, parameters, err);

    return result < 0 ? result
                      : lk_also(result, lk_expressions_within(document, parameters,
                                                              lk_document_root(document), 0, err));
}

/* ---- points without names, for flat texts ---- */

/* struct named - values that may name points. @section, @type: of the item; @keys: of the value, a
 * dot before each */
struct named {
    struct lk_document *document;
    struct lk_node points;
    const char *section;
    const char *type;
    char keys[LK_PATH_SIZE];
};

static bool may_name_point(const struct named *n)
{
    static const char *const others[] = {
        "area", "size", "from", "to", "through", "nodes", "velocity", "angular_velocity", "up"};
    const char *key = n->keys + (n->keys[0] == '.');

    if (lk_item_move(n->section, n->type, key) != LK_MOVE_NONE)
        return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (is_word(others[i], key, strcspn(key, ".")))
            return true;
    return false;
}

/* Replace the names of points in @node by their numbers. Recursive as deep as a document may be. */
static int replace_names(struct named *n, struct lk_node node)
{
    struct lk_node point = {n->document, 0};
    bool is_map = lk_node_kind(node) == LK_NODE_MAP;
    size_t used = strlen(n->keys);
    int result = 0;

    if (lk_node_kind(node) == LK_NODE_SCALAR && may_name_point(n))
        point = lk_node_get(n->points, lk_node_text(node));
    if (point.index != 0) {
        const int entry[3] = {lk_node_at(point, 0).index, lk_node_at(point, 1).index,
                              lk_node_at(point, 2).index};

        return lk_document_set_entries(n->document, node.index, LK_NODE_LIST, entry, 3);
    }
    for (int i = 0; i < lk_node_size(node) && result == 0; i++) {
        if (is_map)
            snprintf(n->keys + used, sizeof(n->keys) - used, ".%.64s",
                     lk_node_text(lk_node_key_at(node, i)));
        result = replace_names(n, lk_node_at(node, i));
        n->keys[used] = '\0';
    }
    return result;
}

int lk_expressions_without_points(struct lk_document *document)
{
    struct lk_node root = lk_document_root(document);
    struct named n = {.document = document, .points = lk_node_get(root, "points")};
    int result = 0;

    for (int s = 0; s < lk_node_size(root) && n.points.index != 0; s++) {
        struct lk_node section = lk_node_at(root, s);

        n.section = lk_node_text(lk_node_key_at(root, s));
        for (int i = 0; i < lk_node_size(section) && result == 0; i++) {
            struct lk_node item = lk_node_at(section, i);

            n.type = lk_node_text(lk_node_get(item, "type"));
            if (lk_node_kind(item) == LK_NODE_MAP)
                result = replace_names(&n, item);
        }
    }
    lk_document_remove(document, root, "points");
    return result;
}
