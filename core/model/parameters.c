/* SPDX-License-Identifier: Apache-2.0 */
/* Reads section `parameters`, and applies values from outside. */
#include "parameters.h"
#include "beams.h"
#include "linkage/nearest.h"
#include "maths/arithmetic.h"
#include "modes.h"
#include "parts.h"
#include "reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct entry - a parameter while it is read. @map: its node in the file;  @has_value: the file
 * or a setting gives its value;  @is_set: a setting gives its value;  @is_checked: against its
 * limits;  @is_learned: at one of its paths */
struct entry {
    struct lk_node map;
    bool has_value;
    bool is_set;
    bool is_checked;
    bool is_learned;
};

/* struct work - working state; @entry: one for each parameter */
struct work {
    struct lk_document *document;
    struct lk_parameters *parameters;
    struct entry *entry;
    const struct lk_setting *settings;
    int n_settings;
};

/* enum phase - points and parts come first, because parts take their numbers from them */
enum phase { EARLY, LATE };

static enum phase phase_of(const char *path)
{
    return strncmp(path, "points.", 7) == 0 || strncmp(path, "parts.", 6) == 0 ? EARLY : LATE;
}

void lk_decimal_text(double value, locale_t c_locale, char ret[32])
{
    locale_t before = uselocale(c_locale);
    double back;

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(ret, 32, "%.*g", digits, value);
        if (lk_decimal(ret, c_locale, &back) && back == value)
            break;
    }
    uselocale(before);
}

static void words_of(const char *path, const char *text, char *ret, size_t size)
{
    snprintf(ret, size, "parameter %s = %s", path, text);
}

/* ---- paths ---- */

/* Return whether no setting may change @path: the version, and the section of parameters. */
static bool is_apart(const char *path)
{
    return strncmp(path, "parameters.", 11) == 0 || strcmp(path, "linkage") == 0;
}

/* Return whether @path may be a new key: in an item of a section and below, and in the solver, but
 * not the name of an item. */
static bool may_be_new(const char *path)
{
    const char *dot = strchr(path, '.');

    return dot != NULL && (strncmp(path, "solver.", 7) == 0 || strchr(dot + 1, '.') != NULL);
}

/* Find the number at @path in @node, and the map that contains it in @parent. */
static int find(struct lk_document *d, const char *path, struct lk_node *parent,
                struct lk_node *node, struct lk_error *err)
{
    struct lk_node root = lk_document_root(d);
    double value;
    int result;

    if (strncmp(path, "solver.", 7) == 0 && lk_node_get(root, "solver").index == 0) {
        result = lk_document_put_map(d, root, "solver", root, parent);
        if (result != 0)
            return result;
    }
    result = lk_document_find(d, path, parent, node, err);
    if (result != 0)
        return result;
    if (is_apart(path))
        return lk_node_refuse(root, err, "parameter %s: expected the path of a number of the model",
                              path);
    if (node->index == 0)
        return may_be_new(path) ? 0 : lk_document_refuse_last(*parent, path, err);
    if (lk_node_kind(*node) == LK_NODE_SCALAR &&
        (lk_decimal(lk_node_text(*node), d->c_locale, &value) || lk_node_text(*node)[0] == '\0' ||
         lk_node_text(*node)[0] == '='))
        return 0;
    if (lk_node_kind(*node) == LK_NODE_SCALAR)
        return lk_node_refuse(*node, err,
                              "parameter %s: there stands '%.40s', expected the path of a number",
                              path, lk_node_text(*node));
    return lk_node_refuse(
        *node, err,
        "parameter %s is a %s, expected the path of a number in it, "
        "such as %s.%.40s",
        path, lk_node_kind(*node) == LK_NODE_LIST ? "list" : "map", path,
        lk_node_kind(*node) == LK_NODE_LIST ? "1" : lk_node_text(lk_node_key_at(*node, 0)));
}

static int put(struct lk_document *d, const char *path, double value, const char *whose,
               struct lk_error *err)
{
    char text[32], words[LK_PATH_SIZE + 48];
    const char *dot = strrchr(path, '.');
    struct lk_node parent = {d, 0}, node = {d, 0};
    int result = find(d, path, &parent, &node, err);

    if (result != 0)
        return result;
    lk_decimal_text(value, d->c_locale, text);
    words_of(whose, text, words, sizeof(words));
    if (node.index != 0)
        return lk_document_replace(d, node, text, words);
    return lk_document_put(d, parent, dot != NULL ? dot + 1 : path, text, words);
}

/* ---- the section ---- */

/* Append one path of `acts` to the text of all paths. */
static int read_path(struct lk_node node, struct lk_parameter *p, struct lk_error *err)
{
    const char *path = lk_node_text(node);
    size_t before = strlen(p->acts);
    char *acts;

    if (lk_node_kind(node) != LK_NODE_SCALAR || !lk_is_path(path) || strchr(path, '.') == NULL ||
        is_apart(path))
        return lk_node_refuse(node, err,
                              "acts is '%.40s', expected a path such as bodies.arm.mass, or a list "
                              "of them",
                              path);
    acts = realloc((char *)p->acts, before + strlen(path) + 2);
    if (acts == NULL)
        return -ENOMEM;
    sprintf(acts + before, "%s%s", before > 0 ? " " : "", path);
    p->acts = acts;
    return 0;
}

static int read_acts(struct lk_node map, struct lk_parameter *p, struct lk_error *err)
{
    struct lk_node acts = lk_node_get(map, "acts");
    char *none = calloc(1, 1);
    int result = none == NULL ? -ENOMEM : 0;

    p->acts = none;
    if (result == 0 && acts.index == 0 && lk_node_get(map, "value").index != 0)
        return 0; /* for expressions */
    if (result == 0 && (acts.index == 0 || (lk_node_kind(acts) == LK_NODE_LIST &&
                                            (lk_node_size(acts) == 0 || lk_node_size(acts) > 64))))
        return lk_node_refuse(acts.index == 0 ? map : acts, err,
                              "acts is missing or of another length, expected 1 to 64 paths such "
                              "as bodies.arm.mass, or a value for expressions");
    if (result == 0 && lk_node_kind(acts) != LK_NODE_LIST)
        return read_path(acts, p, err);
    for (int i = 0; i < lk_node_size(acts) && result == 0; i++)
        result = read_path(lk_node_at(acts, i), p, err);
    return result;
}

static int read_range(struct lk_node map, struct lk_parameter *p, struct lk_error *err)
{
    double limits[2] = {-INFINITY, INFINITY};
    int result = lk_node_read_numbers_or(map, "limits", 2, limits, err);

    p->low = limits[0];
    p->high = limits[1];
    if (result == 0 && lk_node_get(map, "limits").index != 0 && !(limits[0] <= limits[1]))
        return lk_node_refuse(lk_node_get(map, "limits"), err,
                              "limits of %g to %g, expected a lowest and a highest value",
                              limits[0], limits[1]);
    return result;
}

static int read_entry(struct lk_node key, struct entry *e, struct lk_parameter *p,
                      struct lk_error *err)
{
    static const char *const keys[] = {"acts", "value", "unit", "limits", "rate", "tunable", NULL};
    bool is_tunable = false;
    int result = lk_read_word(key, "parameter", p->name, err);

    result = lk_also(result, lk_node_check_keys(e->map, "a parameter", keys, err));
    result = lk_also(result, read_acts(e->map, p, err));
    result = lk_also(result, read_range(e->map, p, err));
    result = lk_also(result, lk_node_read_text_or(e->map, "unit", sizeof(p->unit), p->unit, err));
    result = lk_also(result, lk_node_read_number_or(e->map, "value", &p->value, err));
    result = lk_also(result, lk_node_read_bool_or(e->map, "tunable", &is_tunable, err));
    e->has_value = lk_node_get(e->map, "value").index != 0;
    p->is_tunable = is_tunable;
    if (result == 0 && strcmp(p->name, "pi") == 0)
        return lk_node_refuse(key, err, "'pi' is a number in expressions, expected another name");
    if (result == 0 && is_tunable && p->acts[0] == '\0')
        return lk_node_refuse(e->map, err, "a tunable parameter that acts nowhere, expected acts");
    if (result == 0 && is_tunable && (isinf(p->low) || isinf(p->high)))
        return lk_node_refuse(e->map, err,
                              "a tunable parameter without limits, expected limits: [low, high]");
    if (result == 0 && !is_tunable && lk_node_get(e->map, "rate").index != 0)
        return lk_node_refuse(lk_node_get(e->map, "rate"), err,
                              "a rate of a parameter that is not tunable, expected tunable: true "
                              "beside it");
    return result;
}

static int read_section(struct work *w, struct lk_error *err)
{
    struct lk_node map = {w->document, 0};
    int result = lk_read_section(lk_document_root(w->document), "parameters", LK_PARAMETERS_MAX,
                                 sizeof(*w->parameters->list), &map, &w->parameters->list,
                                 &w->parameters->n, err);

    if (result != 0 || w->parameters->n == 0)
        return result;
    w->entry = calloc((size_t)w->parameters->n, sizeof(*w->entry));
    w->parameters->state = calloc((size_t)w->parameters->n, sizeof(*w->parameters->state));
    if (w->entry == NULL || w->parameters->state == NULL)
        return -ENOMEM;
    for (int i = 0; i < w->parameters->n && lk_node_goes_on(map, result); i++) {
        w->entry[i].map = lk_node_at(map, i);
        result = lk_also(
            result, read_entry(lk_node_key_at(map, i), &w->entry[i], &w->parameters->list[i], err));
    }
    return result;
}

/* ---- settings ---- */

bool lk_parameter_acts_at(const struct lk_parameter *p, const char *path, bool *ret_alone)
{
    size_t size = strlen(path);

    *ret_alone = strchr(p->acts, ' ') == NULL;
    for (const char *at = p->acts; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, path, size) == 0 && (at[size] == ' ' || at[size] == '\0'))
            return true;
    }
    return false;
}

static int refuse_name(const struct work *w, const char *name, struct lk_error *err)
{
    struct lk_node root = lk_document_root(w->document);
    const char *names[LK_PARAMETERS_MAX + 1] = {NULL}, *nearest;

    for (int i = 0; i < w->parameters->n; i++)
        names[i] = w->parameters->list[i].name;
    nearest = lk_nearest(name, names);
    if (nearest != NULL)
        return lk_node_refuse(root, err, "there is no parameter '%.63s', did you mean '%s'?", name,
                              nearest);
    return lk_node_refuse(root, err,
                          "there is no parameter '%.63s', expected a name of the section "
                          "parameters or a path such as bodies.arm.mass",
                          name);
}

/* Find the parameter that @path names, or that acts at @path. Return: its index, or -1: none, or an
 * error, which is in @ret_result. */
static int parameter_of(const struct work *w, const char *path, int *ret_result,
                        struct lk_error *err)
{
    bool is_alone;

    *ret_result = 0;
    for (int i = 0; i < w->parameters->n; i++) {
        const struct lk_parameter *p = &w->parameters->list[i];

        if (strcmp(p->name, path) == 0)
            return i;
        if (!lk_parameter_acts_at(p, path, &is_alone))
            continue;
        if (!is_alone)
            *ret_result = lk_node_refuse(w->entry[i].map, err,
                                         "parameter %s: '%s' acts there and elsewhere, expected "
                                         "that name instead",
                                         path, p->name);
        return i;
    }
    if (strchr(path, '.') == NULL)
        *ret_result = refuse_name(w, path, err);
    return -1;
}

/* Put the setting of a path into the document. */
static int put_setting(struct work *w, int i, enum phase phase, struct lk_error *err)
{
    const struct lk_setting *s = &w->settings[i];
    int result, which = parameter_of(w, s->path, &result, err);

    return result != 0 || which >= 0 || phase_of(s->path) != phase
               ? result
               : put(w->document, s->path, s->value, s->path, err);
}

/* Check a setting, and take the value of a parameter. */
static int take_setting(struct work *w, int i, struct lk_error *err)
{
    const struct lk_setting *s = &w->settings[i];
    struct lk_node root = lk_document_root(w->document);
    int result, which;

    if (!lk_is_path(s->path))
        return lk_node_refuse(
            root, err, "parameter '%.80s': expected a path such as bodies.arm.mass", s->path);
    if (!isfinite(s->value))
        return lk_node_refuse(root, err, "parameter %s: expected a finite number", s->path);
    for (int k = 0; k < i; k++)
        if (strcmp(w->settings[k].path, s->path) == 0)
            return lk_node_refuse(root, err, "parameter %s is given twice, expected once", s->path);
    which = parameter_of(w, s->path, &result, err);
    if (result != 0 || which < 0)
        return result;
    if (w->entry[which].is_set)
        return lk_node_refuse(root, err, "parameter %s is given twice, expected once", s->path);
    w->entry[which].is_set = w->entry[which].has_value = true;
    w->parameters->list[which].value = s->value;
    return 0;
}

/* ---- values ---- */

/* Read the value at the paths of @p, which must be the same at all paths. */
static int find_value(struct work *w, const struct entry *e, struct lk_parameter *p,
                      const char *path, bool is_first, struct lk_error *err)
{
    struct lk_node parent = {w->document, 0}, node = {w->document, 0};
    double value;
    int result = find(w->document, path, &parent, &node, err);

    if (result != 0)
        return result;
    if (node.index == 0 || !lk_decimal(lk_node_text(node), w->document->c_locale, &value))
        return lk_node_refuse(e->map, err,
                              "there is no number at %s, expected one, or a value of the parameter",
                              path);
    if (!is_first && value != p->value)
        return lk_node_refuse(e->map, err,
                              "%s is %g and elsewhere the parameter is %g, expected a value of the "
                              "parameter",
                              path, value, p->value);
    p->value = value;
    return 0;
}

/* Add the input of a tunable parameter, and {input: NAME} at @path. */
static int tune(struct work *w, const struct entry *e, const struct lk_parameter *p,
                const char *path, struct lk_error *err)
{
    struct lk_node parent = {w->document, 0}, node = {w->document, 0};
    const char *dot = strrchr(path, '.');
    int result;

    if (!lk_path_may_be_tuned(lk_document_root(w->document), path))
        return lk_node_refuse(e->map, err,
                              "%s cannot be tuned while it runs, expected a stiffness, damping, "
                              "rest or scale of a spring, the scale of a friction, the friction "
                              "of a road or tyre, an entry of gravity, or no tunable",
                              path);
    result = find(w->document, path, &parent, &node, err);
    if (result == 0 && node.index == 0)
        result = lk_document_put_map(w->document, parent, dot + 1, e->map, &node);
    else if (result == 0)
        lk_document_clear_to_map(w->document, node);
    return result == 0 ? lk_document_put(w->document, node, "input", p->name, NULL) : result;
}

static int add_input(struct work *w, const struct entry *e, const struct lk_parameter *p,
                     struct lk_error *err)
{
    struct lk_document *d = w->document;
    struct lk_node root = lk_document_root(d), inputs = lk_node_get(root, "inputs"), input, limits;
    char text[32], low[32], high[32];
    double rate = INFINITY;
    int result = 0;

    if (inputs.index == 0)
        result = lk_document_put_map(d, root, "inputs", e->map, &inputs);
    else if (lk_node_kind(inputs) != LK_NODE_MAP)
        return 0; /* the reader of inputs reports this error */
    if (result == 0 && lk_node_get(inputs, p->name).index != 0)
        return lk_node_refuse(e->map, err,
                              "'%s' is the name of an input, too, expected another name of the "
                              "tunable parameter",
                              p->name);
    if (result == 0)
        result = lk_document_put_map(d, inputs, p->name, e->map, &input);
    if (result == 0)
        result = lk_document_put(d, input, "type", "signal", NULL);
    lk_decimal_text(p->value, d->c_locale, text);
    if (result == 0)
        result = lk_document_put(d, input, "initial", text, NULL);
    if (result == 0)
        result = lk_document_put_map(d, input, "limits", e->map, &limits);
    lk_decimal_text(p->low, d->c_locale, low);
    lk_decimal_text(p->high, d->c_locale, high);
    if (result == 0)
        result = lk_document_to_range(d, limits, low, high);
    if (result == 0)
        result = lk_node_read_number_or(e->map, "rate", &rate, err);
    if (result != 0 || isinf(rate))
        return result;
    lk_decimal_text(rate, d->c_locale, text);
    return lk_document_put(d, input, "rate", text, NULL);
}

/* Call @act for each path of @phase. */
static int at_each_path(struct work *w, int i, enum phase phase,
                        int (*act)(struct work *w, int i, const char *path, struct lk_error *err),
                        struct lk_error *err)
{
    const char *at = w->parameters->list[i].acts;
    int result = 0;

    while (*at != '\0' && result == 0) {
        size_t size = strcspn(at, " ");
        char path[LK_PATH_SIZE];

        snprintf(path, sizeof(path), "%.*s", (int)size, at);
        if (phase == EARLY && phase_of(path) == EARLY)
            w->parameters->state[i].is_used = true;
        if (phase_of(path) == phase)
            result = act(w, i, path, err);
        at += size + (at[size] == ' ');
    }
    return result;
}

static int learn_at(struct work *w, int i, const char *path, struct lk_error *err)
{
    struct lk_parameter *p = &w->parameters->list[i];
    const char *unit = lk_path_unit(lk_document_root(w->document), path);
    struct entry *e = &w->entry[i];
    bool is_first = !e->is_learned;

    e->is_learned = true;
    if (is_first && p->unit[0] == '\0' && strcmp(unit, "?") != 0)
        snprintf(p->unit, sizeof(p->unit), "%s", unit);
    if (p->unit[0] != '\0' && strcmp(unit, "?") != 0 && strcmp(unit, p->unit) != 0)
        return lk_node_refuse(e->map, err,
                              "%s is in %s and the parameter in %s, expected the same unit", path,
                              unit, p->unit);
    return e->has_value ? 0 : find_value(w, e, p, path, is_first, err);
}

static int act_at(struct work *w, int i, const char *path, struct lk_error *err)
{
    struct lk_parameter *p = &w->parameters->list[i];

    return p->is_tunable ? tune(w, &w->entry[i], p, path, err)
                         : put(w->document, path, p->value, p->name, err);
}

/* Act at the paths of @phase. @acts: false: find the values alone */
static int act(struct work *w, int i, enum phase phase, bool acts, struct lk_error *err)
{
    struct lk_parameter *p = &w->parameters->list[i];
    struct lk_parameter_state *state = &w->parameters->state[i];
    struct entry *e = &w->entry[i];
    int result = at_each_path(w, i, phase, learn_at, err);

    state->is_known |= e->has_value || phase == LATE;
    if (result == 0 && state->is_known && !e->is_checked &&
        !(p->value >= p->low && p->value <= p->high))
        return lk_node_refuse(e->map, err, "parameter %s is %g, expected %g to %g", p->name,
                              p->value, p->low, p->high);
    e->is_checked |= state->is_known;
    /* a value that comes from the file remains as written */
    if (result == 0 && acts && (e->has_value || p->is_tunable))
        result = at_each_path(w, i, phase, act_at, err);
    return result == 0 && acts && phase == LATE && p->is_tunable ? add_input(w, e, p, err) : result;
}

/* Return whether the parameter has become numbers, so that a flat text has no use for it. */
static bool is_spent(const struct work *w, int i)
{
    return w->parameters->state[i].is_used || w->parameters->list[i].acts[0] == '\0';
}

/* Remove the spent parameters, and write the values of the others from outside to the section. */
static int finish_section(struct work *w, bool is_flat, struct lk_error *err)
{
    struct lk_node map = lk_node_get(lk_document_root(w->document), "parameters");
    int result = 0;

    for (int i = 0; i < w->parameters->n && result == 0; i++) {
        const struct lk_parameter *p = &w->parameters->list[i];
        struct lk_node value = lk_node_get(w->entry[i].map, "value");
        char text[32];

        if (is_spent(w, i)) {
            result = is_flat ? act(w, i, LATE, true, err) : 0;
            lk_document_remove(w->document, map, p->name);
        } else if (w->entry[i].is_set) {
            lk_decimal_text(p->value, w->document->c_locale, text);
            result = value.index != 0
                         ? lk_document_replace(w->document, value, text, NULL)
                         : lk_document_put(w->document, w->entry[i].map, "value", text, NULL);
        }
    }
    return result;
}

static int take_settings(struct work *w, struct lk_error *err)
{
    struct lk_node root = lk_document_root(w->document);
    int result = 0;

    if (w->n_settings > LK_SETTINGS_MAX)
        return lk_node_refuse(root, err, "%d parameters are given, expected at most %d",
                              w->n_settings, LK_SETTINGS_MAX);
    for (int i = 0; i < w->n_settings && result >= 0 && lk_node_goes_on(root, result); i++)
        result = lk_also(result, result == 0 ? take_setting(w, i, err) : 0);
    return result;
}

static int run_phase(struct work *w, enum phase phase, bool acts, struct lk_error *err)
{
    int result = 0;

    for (int i = 0; i < w->n_settings && result == 0; i++)
        result = put_setting(w, i, phase, err);
    for (int i = 0; i < w->parameters->n && result == 0; i++)
        result = act(w, i, phase, acts, err);
    return result;
}

int lk_document_lower(struct lk_document *document, const struct lk_source *source,
                      enum lk_lowering how, struct lk_parameters *ret, struct lk_error *err)
{
    LK_ARITHMETIC;
    struct work w = {.document = document,
                     .parameters = ret,
                     .settings = source->settings,
                     .n_settings = source->n};
    struct lk_node root = lk_document_root(document);
    bool has_parts = lk_node_get(root, "parts").index != 0 || lk_modes_are_in_files(document);
    bool is_flat = how == LK_LOWER_FLAT;
    int result;

    *ret = (struct lk_parameters){0};
    if (lk_node_kind(root) != LK_NODE_MAP)
        return 0; /* the reader of the model reports this error */
    result = read_section(&w, err);
    if (result == 0)
        result = take_settings(&w, err);
    if (result == 0)
        result = run_phase(&w, EARLY, true, err);
    if (result == 0 && has_parts)
        result = lk_expressions_of_points(document, ret, err);
    if (result == 0)
        result = lk_parts_include(document, ret, source, err);
    if (result == 0)
        result = run_phase(&w, LATE, !is_flat, err);
    if (result == 0)
        result = lk_expressions_apply(document, ret, err);
    if (result == 0 && (has_parts || is_flat))
        result = finish_section(&w, is_flat, err);
    if (result == 0 && is_flat)
        result = lk_expressions_without_points(document);
    if (result == 0 && how != LK_LOWER_NUMBERS)
        result = lk_modes_include(document, source, err);
    if (result == 0 && how == LK_LOWER_ALL)
        result = lk_beams_expand(document, err);
    free(w.entry);
    return result;
}

void lk_parameters_fini(struct lk_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++)
        free((char *)parameters->list[i].acts);
    free(parameters->list);
    free(parameters->state);
    *parameters = (struct lk_parameters){0};
}
