/* SPDX-License-Identifier: Apache-2.0 */
/* Lists all numbers of the text of a model, with their paths. */
#include "document_tree.h"
#include "parameters.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct lk_numbers - all numbers. @list[i].path and @parameter: on the heap */
struct lk_numbers {
    struct lk_number *list;
    int n;
    size_t room;
};

/* struct walk - state of the search. @path: path of the present node;  @used: number of its
 * bytes */
struct walk {
    struct lk_node root;
    const struct lk_parameters *parameters;
    struct lk_numbers *numbers;
    char path[LK_PATH_SIZE];
};

static const char *parameter_at(const struct lk_parameters *parameters, const char *path)
{
    bool is_alone;

    for (int i = 0; i < parameters->n; i++)
        if (lk_parameter_acts_at(&parameters->list[i], path, &is_alone))
            return parameters->list[i].name;
    return "";
}

static int add_number(struct walk *w, double value)
{
    struct lk_numbers *all = w->numbers;
    size_t n = (size_t)all->n;
    struct lk_number *next;

    if (lk_document_grow(&all->list, &all->room, n, 1, sizeof(*all->list)) != 0)
        return -ENOMEM;
    next = &all->list[n];
    *next = (struct lk_number){.path = strdup(w->path),
                               .parameter = strdup(parameter_at(w->parameters, w->path)),
                               .unit = lk_path_unit(w->root, w->path),
                               .value = value,
                               .may_be_tuned = lk_path_may_be_tuned(w->root, w->path)};
    all->n++;
    return next->path == NULL || next->parameter == NULL ? -ENOMEM : 0;
}

/* Set the last element of the path, after its first @used bytes. Return: its new length, 0: too
 * long. */
static size_t extend(struct walk *w, size_t used, struct lk_node node, int i)
{
    size_t room = sizeof(w->path) - used;
    const char *dot = used > 0 ? "." : "";
    int size =
        lk_node_kind(node) == LK_NODE_MAP
            ? snprintf(w->path + used, room, "%s%s", dot, lk_node_text(lk_node_key_at(node, i)))
            : snprintf(w->path + used, room, "%s%d", dot, i + 1);

    return size > 0 && (size_t)size < room ? used + (size_t)size : 0;
}

/* Add a number: a scalar that the reader accepts as a number, or {input: NAME} of a tunable
 * parameter, with the value of this parameter. */
static int look_at(struct walk *w, struct lk_node node)
{
    const struct lk_parameters *p = w->parameters;
    struct lk_node input = lk_node_get(node, "input");
    double value;

    if (lk_node_kind(node) == LK_NODE_SCALAR)
        return lk_decimal(lk_node_text(node), node.document->c_locale, &value)
                   ? add_number(w, value)
                   : 0;
    for (int i = 0; i < p->n && input.index != 0; i++)
        if (p->list[i].is_tunable && strcmp(p->list[i].name, lk_node_text(input)) == 0)
            return add_number(w, p->list[i].value);
    return 0;
}

static bool is_left_out(const struct walk *w, const char *key)
{
    struct lk_node input = lk_node_get(lk_node_get(w->root, "inputs"), key);

    for (int i = 0; i < w->parameters->n; i++) /* inputs that were made from a tunable parameter */
        if (w->parameters->list[i].is_tunable && input.index != 0 &&
            strcmp(w->parameters->list[i].name, key) == 0)
            return true;
    return false;
}

/* Return whether a point is that of a part, which no setting can move: the part has used it. */
static bool is_point_of_part(const struct walk *w, struct lk_node point)
{
    return strncmp(w->path, "points.", 7) == 0 && point.document->nodes[point.index].part != 0;
}

static int walk_all(struct walk *w)
{
    struct {
        struct lk_node node;
        int next;
        size_t used;
    } open[LK_DOCUMENT_DEPTH_MAX + 3] = {{.node = w->root}};
    int depth = 1, result = 0;

    while (depth > 0 && result == 0) {
        struct lk_node node = open[depth - 1].node, child;
        int i = open[depth - 1].next++;
        size_t used;

        if (i >= lk_node_size(node)) {
            depth--;
            continue;
        }
        child = lk_node_at(node, i);
        used = extend(w, open[depth - 1].used, node, i);
        if (used == 0 || strcmp(w->path, "parameters") == 0 || strcmp(w->path, "linkage") == 0 ||
            strcmp(w->path, "name") == 0 ||
            (strncmp(w->path, "inputs.", 7) == 0 && is_left_out(w, w->path + 7)) ||
            is_point_of_part(w, child))
            continue;
        result = look_at(w, child);
        if (lk_node_size(child) > 0) {
            open[depth].node = child;
            open[depth].next = 0;
            open[depth++].used = used;
        }
    }
    return result;
}

int lk_numbers_from_document(int result, struct lk_document *document,
                             const struct lk_source *source, struct lk_error *error,
                             struct lk_numbers **ret_numbers, struct lk_errors *ret_errors)
{
    struct lk_numbers *numbers = calloc(1, sizeof(*numbers));
    struct lk_parameters parameters = {0};

    if (result == 0 && numbers == NULL)
        result = -ENOMEM;
    if (result == 0)
        result = lk_document_lower(document, source, LK_LOWER_NUMBERS, &parameters, error);
    if (result == 0)
        result = walk_all(&(struct walk){
            .root = lk_document_root(document), .parameters = &parameters, .numbers = numbers});
    lk_document_errors(document, result, error, ret_errors);
    lk_parameters_fini(&parameters);
    lk_document_free(document);
    if (result == 0)
        *ret_numbers = numbers;
    else
        lk_numbers_free(numbers);
    return result;
}

const struct lk_number *lk_numbers_list(const struct lk_numbers *numbers, int *ret_n)
{
    *ret_n = numbers->n;
    return numbers->list;
}

void lk_numbers_free(struct lk_numbers *numbers)
{
    if (numbers == NULL)
        return;
    for (int i = 0; i < numbers->n; i++) {
        free((char *)numbers->list[i].path);
        free((char *)numbers->list[i].parameter);
    }
    free(numbers->list);
    free(numbers);
}
