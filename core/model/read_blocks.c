/* SPDX-License-Identifier: Apache-2.0 */
/* Section `blocks`: transfer functions, sums, tables, delays between inputs, coordinates and
 * forces. Names and numbers are read first, because force elements name blocks. The inputs of
 * blocks are read once all elements that they may name are known. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum block_type {
    GAIN,
    SUM,
    PRODUCT,
    INTEGRATOR,
    LAG,
    TRANSFER_FUNCTION,
    STATE_SPACE,
    TABLE,
    DELAY,
    SATURATION,
    DEAD_BAND,
    BLOCK_TYPES
};

static const char *const types[BLOCK_TYPES + 1] = {
    "gain",        "sum",   "product", "integrator", "lag",       "transfer-function",
    "state-space", "table", "delay",   "saturation", "dead-band", NULL};

/* ---- inputs of blocks ---- */

static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[0]) || (text[0] != '\0' && strchr("+-.", text[0]) != NULL);
}

static int take_block(const struct lk_model *model, int block, struct lk_source_def *ret)
{
    model->blocks[block].is_used = 1;
    *ret = (struct lk_source_def){.kind = LK_FROM_BLOCK, .at = block};
    return 0;
}

static int take_input(struct lk_node node, const struct lk_model *model, int input,
                      struct lk_source_def *ret, struct lk_error *err)
{
    enum lk_input_type type = model->inputs[input].type;

    if (type == LK_INPUT_BODY_FORCE || type == LK_INPUT_BODY_TORQUE)
        return lk_node_refuse(node, err, "input '%s' has three values, expected one with one",
                              model->inputs[input].name);
    model->inputs[input].is_used = 1;
    *ret = (struct lk_source_def){.kind = LK_FROM_INPUT, .at = input};
    return 0;
}

/* Read {position: JOINT} or {velocity: JOINT}, with the coordinate if the joint has several. */
static int read_sensor(struct lk_node map, bool is_rate, const struct lk_model *model,
                       struct lk_source_def *ret, struct lk_error *err)
{
    static const char *const keys[2][3] = {{"position", "coordinate", NULL},
                                           {"velocity", "coordinate", NULL}};
    struct lk_node node = lk_node_get(map, keys[is_rate][0]);
    int result = lk_node_check_keys(map, keys[is_rate][0], keys[is_rate], err);

    *ret = (struct lk_source_def){.kind = LK_FROM_SENSOR, .is_rate = is_rate};
    if (result == 0)
        result = lk_read_joint(node, model, &ret->at, err);
    if (result == 0)
        result = lk_check_coordinate(node, model, ret->at, LK_COORDINATE_ANY, err);
    return result != 0
               ? result
               : lk_read_coordinate(map, model, LK_COORDINATE_ANY, ret->at, &ret->coordinate, err);
}

/* Read {length: FORCE} or {length_rate: FORCE} of an element between two points */
static int read_length(struct lk_node map, bool is_rate, const struct lk_model *model,
                       struct lk_source_def *ret, struct lk_error *err)
{
    static const char *const keys[2][2] = {{"length", NULL}, {"length_rate", NULL}};
    struct lk_node node = lk_node_get(map, keys[is_rate][0]);
    int result = lk_node_check_keys(map, keys[is_rate][0], keys[is_rate], err);
    const struct lk_force_def *f;

    *ret = (struct lk_source_def){.kind = LK_FROM_SENSOR, .is_length = 1, .is_rate = is_rate};
    if (result == 0)
        result = lk_read_force(node, model, &ret->at, err);
    if (result != 0)
        return result;
    f = &model->forces[ret->at];
    if (f->type == LK_FORCE_SPRING_DAMPER || (f->type == LK_FORCE_IMPEDANCE && f->joint < 0))
        return 0;
    return lk_node_refuse(node, err,
                          "force '%s' has no length, expected a spring-damper or an impedance "
                          "between two points",
                          f->name);
}

/* Read a number, or the name of a block or an input. */
static int read_word(struct lk_node node, const struct lk_model *model, struct lk_source_def *ret,
                     struct lk_error *err)
{
    int block, result;

    for (int i = 0; i < model->n_inputs; i++)
        if (strcmp(model->inputs[i].name, lk_node_text(node)) == 0)
            return take_input(node, model, i, ret, err);
    if (!is_number(lk_node_text(node))) {
        result = lk_read_block(node, model, &block, err);
        return result != 0 ? result : take_block(model, block, ret);
    }
    *ret = (struct lk_source_def){.kind = LK_FROM_NUMBER};
    return lk_read_number_node(node, "input", &ret->value, err);
}

static int read_source(struct lk_node node, const struct lk_model *model, struct lk_source_def *ret,
                       struct lk_error *err)
{
    static const char *const any[] = {"block",  "input",       "position",   "velocity",
                                      "length", "length_rate", "coordinate", NULL};
    static const char *const of_block[] = {"block", NULL}, *const of_input[] = {"input", NULL};
    int at, result;

    if (lk_node_kind(node) == LK_NODE_SCALAR)
        return read_word(node, model, ret, err);
    for (int is_rate = 0; is_rate < 2; is_rate++)
        if (lk_node_get(node, is_rate ? "velocity" : "position").index != 0)
            return read_sensor(node, is_rate, model, ret, err);
    for (int is_rate = 0; is_rate < 2; is_rate++)
        if (lk_node_get(node, is_rate ? "length_rate" : "length").index != 0)
            return read_length(node, is_rate, model, ret, err);
    if (lk_node_get(node, "block").index != 0) {
        result = lk_node_check_keys(node, "block", of_block, err);
        if (result == 0)
            result = lk_read_block(lk_node_get(node, "block"), model, &at, err);
        return result != 0 ? result : take_block(model, at, ret);
    }
    if (lk_node_get(node, "input").index != 0) {
        result = lk_node_check_keys(node, "input", of_input, err);
        if (result == 0)
            result = lk_read_input_key(node, model, &at, err);
        return result != 0 ? result : take_input(lk_node_get(node, "input"), model, at, ret, err);
    }
    result = lk_node_check_keys(node, "what a block takes", any, err);
    return result != 0 ? result
                       : lk_node_refuse(node, err,
                                        "nothing is named, expected a number, the name of a block "
                                        "or an input, {position: JOINT}, {velocity: JOINT}, "
                                        "{length: FORCE} or {length_rate: FORCE}");
}

static int read_sources(struct lk_node map, const struct lk_model *model, struct lk_block_def *b,
                        struct lk_error *err)
{
    struct lk_node one = lk_node_get(map, "input"), list = lk_node_get(map, "inputs");
    int result = 0;

    if (one.index != 0)
        return read_source(one, model, &b->source[0], err);
    for (int i = 0; i < b->n_sources; i++)
        result = lk_also(result, read_source(lk_node_at(list, i), model, &b->source[i], err));
    return result;
}

/* ---- order ---- */

/** struct walk - depth-first search along dependences within a step. @seen: state of each block:
 * 1: in progress, 2: placed */
struct walk {
    const struct lk_model *model;
    int *way;
    int n;
    int placed;
    char *seen;
};

static bool passes(const struct lk_block_def *b, int source)
{
    if (b->source[source].kind != LK_FROM_BLOCK || b->kind == LK_BLOCK_DELAY)
        return false;
    return b->kind != LK_BLOCK_LINEAR || b->d[source] != 0;
}

static int refuse_loop(struct lk_node blocks, const struct walk *w, int from, struct lk_error *err)
{
    char chain[200] = "";
    size_t used = 0;

    for (int i = from; i <= w->n && used < sizeof(chain); i++)
        used += (size_t)snprintf(chain + used, sizeof(chain) - used, "%s%s", i > from ? " -> " : "",
                                 w->model->blocks[w->way[i < w->n ? i : from]].name);
    return lk_node_refuse(lk_node_key_at(blocks, w->way[from]), err,
                          "an algebraic loop: %s; expected a lag, an integrator or a delay in it",
                          chain);
}

/* Place block @i in the order of evaluation, after all blocks on whose outputs it depends
 * directly */
static int place(struct lk_node blocks, struct walk *w, int i, struct lk_error *err)
{
    struct lk_block_def *b = &w->model->blocks[i];

    if (w->seen[i] == 2)
        return 0;
    for (int k = 0; k < w->n && w->seen[i] == 1; k++)
        if (w->way[k] == i)
            return refuse_loop(blocks, w, k, err);
    w->seen[i] = 1;
    w->way[w->n++] = i;
    for (int k = 0; k < b->n_sources; k++) {
        int result = passes(b, k) ? place(blocks, w, b->source[k].at, err) : 0;

        if (result != 0)
            return result;
    }
    w->n--;
    w->seen[i] = 2;
    b->place = w->placed++;
    return 0;
}

static int sort(struct lk_node blocks, const struct lk_model *model, struct lk_error *err)
{
    int way[LK_BLOCKS_MAX];
    char seen[LK_BLOCKS_MAX] = {0};
    struct walk w = {.model = model, .way = way, .seen = seen};
    int result = 0;

    for (int i = 0; i < model->n_blocks && result == 0; i++)
        result = place(blocks, &w, i, err);
    return result;
}

int lk_read_block_sources(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, "blocks");
    int result = 0;

    for (int i = 0; i < model->n_blocks && lk_node_goes_on(root, result); i++)
        if (!lk_node_is_refused(lk_node_at(map, i)))
            result =
                lk_also(result, read_sources(lk_node_at(map, i), model, &model->blocks[i], err));
    return result != 0 || lk_node_is_refused(map) ? result : sort(map, model, err);
}

int lk_check_blocks(struct lk_node root, const struct lk_model *model, struct lk_error *err)
{
    struct lk_node map = lk_node_get(root, "blocks");

    for (int i = 0; i < model->n_blocks; i++)
        if (!model->blocks[i].is_used)
            return lk_node_refuse(lk_node_key_at(map, i), err,
                                  "block '%s' goes nowhere, expected a force element with {block: "
                                  "%s}, another block, or an output of type block",
                                  model->blocks[i].name, model->blocks[i].name);
    return 0;
}

/* ---- numbers ---- */

static int read_gain(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    return lk_read_number(map, "gain", -LK_NUMBER_MAX, &b->d[0], err);
}

/* read "+-": one sign for each of the inputs */
static int read_signs(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "signs");
    const char *text = lk_node_text(node);

    for (int i = 0; i < b->n_sources; i++)
        b->d[i] = node.index != 0 && text[0] != '\0' && strlen(text) > (size_t)i && text[i] == '-'
                      ? -1
                      : 1;
    if (node.index == 0 ||
        (strlen(text) == (size_t)b->n_sources && strspn(text, "+-") == strlen(text)))
        return 0;
    return lk_node_refuse(node, err,
                          "signs is '%.40s', expected '+' or '-' for each of the %d inputs, as in "
                          "\"+-\"",
                          text, b->n_sources);
}

/* Read the limits and initial value of the only state. */
static int read_state(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    double limits[2] = {-INFINITY, INFINITY};
    int result = lk_read_limits(map, limits, err);

    b->lower = limits[0];
    b->upper = limits[1];
    result =
        lk_also(result, lk_read_number_or(map, "initial", -LK_NUMBER_MAX, &b->initial[0], err));
    if (result == 0 && (b->initial[0] < limits[0] || b->initial[0] > limits[1]))
        return lk_node_refuse(map, err,
                              "an initial value of %g, expected one within the limits of %g to %g",
                              b->initial[0], limits[0], limits[1]);
    return result;
}

static int read_lag(struct lk_node map, bool is_integrator, struct lk_block_def *b,
                    struct lk_error *err)
{
    double gain = 1, time = 1;
    int result = lk_read_number_or(map, "gain", -LK_NUMBER_MAX, &gain, err);

    if (!is_integrator)
        result = lk_also(result, lk_read_positive(map, "time", &time, err));
    b->n_states = 1;
    b->a[0] = is_integrator ? 0 : -1 / time;
    b->b[0] = gain / time;
    b->c[0] = 1;
    return lk_also(result, read_state(map, b, err));
}

static int read_curve(struct lk_node map, struct lk_model *model, struct lk_block_def *b,
                      struct lk_error *err)
{
    static const char *const curves[] = {"linear", "monotone", NULL};
    int result = 0;

    if (lk_node_get(map, "curve").index != 0)
        result = lk_node_read_choice(map, "curve", curves, &b->is_monotone, err);
    if (lk_node_get(map, "table").index == 0)
        return lk_also(result, lk_node_refuse(map, err,
                                              "the key 'table' is missing, expected {input: "
                                              "[...], output: [...]}"));
    return lk_also(result,
                   lk_read_table(map, "table", "input", "output", false, model, &b->table, err));
}

static int read_delay(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    int result = lk_read_positive(map, "time", &b->time, err);

    return lk_also(result, lk_read_number_or(map, "initial", -LK_NUMBER_MAX, &b->initial[0], err));
}

static int read_range(struct lk_node map, struct lk_block_def *b, struct lk_error *err)
{
    double limits[2] = {0, 0};
    int result = lk_read_limits(map, limits, err);

    if (result == 0 && lk_node_get(map, "limits").index == 0)
        return lk_node_refuse(map, err, "the key 'limits' is missing, expected [lowest, highest]");
    b->lower = limits[0];
    b->upper = limits[1];
    return result;
}

static const struct {
    const char *what;
    const char *keys[9];
    enum lk_block_kind kind;
    bool takes_several;
} forms[BLOCK_TYPES] = {
    {"a gain", {"type", "input", "gain", "unit", NULL}, LK_BLOCK_LINEAR, false},
    {"a sum", {"type", "inputs", "signs", "unit", NULL}, LK_BLOCK_LINEAR, true},
    {"a product", {"type", "inputs", "unit", NULL}, LK_BLOCK_PRODUCT, true},
    {"an integrator",
     {"type", "input", "gain", "initial", "limits", "unit", NULL},
     LK_BLOCK_LINEAR,
     false},
    {"a lag",
     {"type", "input", "gain", "time", "initial", "limits", "unit", NULL},
     LK_BLOCK_LINEAR,
     false},
    {"a transfer-function", {"type", "input", "num", "den", "unit", NULL}, LK_BLOCK_LINEAR, false},
    {"a state-space",
     {"type", "inputs", "a", "b", "c", "d", "initial", "unit", NULL},
     LK_BLOCK_LINEAR,
     true},
    {"a table", {"type", "input", "table", "curve", "unit", NULL}, LK_BLOCK_TABLE, false},
    {"a delay", {"type", "input", "time", "initial", "unit", NULL}, LK_BLOCK_DELAY, false},
    {"a saturation", {"type", "input", "limits", "unit", NULL}, LK_BLOCK_SATURATION, false},
    {"a dead-band", {"type", "input", "limits", "unit", NULL}, LK_BLOCK_DEAD_BAND, false},
};

static int read_numbers(struct lk_node map, enum block_type type, struct lk_model *model,
                        struct lk_block_def *b, struct lk_error *err)
{
    switch (type) {
    case GAIN:
        return read_gain(map, b, err);
    case SUM:
        return read_signs(map, b, err);
    case INTEGRATOR:
    case LAG:
        return read_lag(map, type == INTEGRATOR, b, err);
    case TRANSFER_FUNCTION:
        return lk_read_transfer_function(map, b, err);
    case STATE_SPACE:
        return lk_read_state_space(map, b, err);
    case TABLE:
        return read_curve(map, model, b, err);
    case DELAY:
        return read_delay(map, b, err);
    case SATURATION:
    case DEAD_BAND:
        return read_range(map, b, err);
    default:
        return 0;
    }
}

/* count the inputs of a block; the inputs themselves are read later */
static int count_sources(struct lk_node map, bool takes_several, struct lk_block_def *b,
                         struct lk_error *err)
{
    const char *key = takes_several ? "inputs" : "input";
    struct lk_node node = lk_node_get(map, key);

    b->n_sources = takes_several ? lk_node_size(node) : 1;
    if (node.index == 0)
        return lk_node_refuse(map, err, "the key '%s' is missing, expected %s", key,
                              takes_several ? "a list of what the block takes"
                                            : "a number, the name of a block or an input, "
                                              "{position: JOINT}, {velocity: JOINT}, {length: "
                                              "FORCE} or {length_rate: FORCE}");
    if (takes_several && (lk_node_kind(node) != LK_NODE_LIST || b->n_sources < 1 ||
                          b->n_sources > LK_BLOCK_SOURCES_MAX))
        return lk_node_refuse(node, err, "inputs is not a list of 1 to %d, expected [first, ...]",
                              LK_BLOCK_SOURCES_MAX);
    return 0;
}

int lk_read_unit(struct lk_node map, char unit[LK_UNIT_SIZE], struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "unit");
    const char *text = lk_node_text(node);
    size_t plain = 0;

    strcpy(unit, "1");
    if (node.index == 0)
        return 0;
    while (isalnum((unsigned char)text[plain]) ||
           (text[plain] != '\0' && strchr(" /^()*-.%", text[plain]) != NULL))
        plain++;
    if (plain == 0 || text[plain] != '\0' || plain >= LK_UNIT_SIZE)
        return lk_node_refuse(node, err,
                              "unit is '%.40s', expected 1 to %d letters, digits, spaces or "
                              "/^()*-.%%",
                              text, LK_UNIT_SIZE - 1);
    memcpy(unit, text, plain + 1);
    return 0;
}

static int read_block(struct lk_node key, struct lk_node map, struct lk_model *model,
                      struct lk_block_def *b, struct lk_error *err)
{
    int type = -1, typed;
    int result = lk_read_name(key, "block", b->name, err);

    b->table = -1;
    for (int i = 0; i < model->n_inputs && result == 0; i++)
        if (strcmp(model->inputs[i].name, b->name) == 0)
            result = lk_node_refuse(key, err,
                                    "block '%s' has the name of an input, expected another name",
                                    lk_node_text(key));
    typed = lk_read_type(map, "a block", types, &type, err);
    if (typed != 0)
        return lk_also(result, typed);
    result = lk_also(result, lk_node_check_keys(map, forms[type].what, forms[type].keys, err));
    b->kind = forms[type].kind;
    b->lower = -INFINITY;
    b->upper = INFINITY;
    result = lk_also(result, lk_read_unit(map, b->unit, err));
    typed = count_sources(map, forms[type].takes_several, b, err);
    return lk_also(result,
                   typed != 0 ? typed : read_numbers(map, (enum block_type)type, model, b, err));
}

int lk_read_blocks(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int states = 0;
    int result = lk_read_section(root, "blocks", LK_BLOCKS_MAX, sizeof(*model->blocks), &map,
                                 &model->blocks, &model->n_blocks, err);

    for (int i = 0; i < model->n_blocks && lk_node_goes_on(root, result); i++) {
        result = lk_also(result, read_block(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                            &model->blocks[i], err));
        states += model->blocks[i].n_states;
    }
    if (result == 0 && states > LK_STATES_MAX)
        return lk_node_refuse(map, err, "blocks have %d states in all, expected at most %d", states,
                              LK_STATES_MAX);
    return result;
}
