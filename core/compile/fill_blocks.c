/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the blocks of a system from the blocks of the model. */
#include "compile/fill.h"
#include <math.h>
#include <string.h>

/* Return how many numbers a block stores: its matrices, or the points of its table with slopes
 * and an unused area. */
static size_t numbers_of(const struct lk_model *m, const struct lk_block_def *b)
{
    size_t n = (size_t)b->n_states, k = (size_t)b->n_sources;

    return n * n + n * k + n + k + (b->table >= 0 ? 4 * (size_t)m->tables[b->table].n : 0);
}

int lk_fill_delay_steps(const struct lk_block_def *b, double h)
{
    return (int)floor(b->time / h * (1 + 1e-12));
}

static bool is_pushed(const struct lk_model *m, const struct lk_force_def *f)
{
    return f->type == LK_FORCE_IMPEDANCE && f->port_input[LK_PORT_FORCE] >= m->n_inputs;
}

/* Return whether channels, pushes or delays use the outputs of blocks at the end of a step. */
static bool takes_shown(const struct lk_model *m, const struct lk_net *net)
{
    bool does = net->n_pushes > 0;

    for (int i = 0; i < m->n_outputs; i++)
        does |= m->outputs[i].type == LK_OUTPUT_BLOCK;
    for (int i = 0; i < m->n_blocks; i++)
        does |= m->blocks[i].kind == LK_BLOCK_DELAY;
    return does;
}

bool lk_fill_is_straight(const struct lk_block_def *b)
{
    bool has_limits = b->n_states > 0 && (isfinite(b->lower) || isfinite(b->upper));

    return b->kind == LK_BLOCK_DELAY || (b->kind == LK_BLOCK_LINEAR && !has_limits);
}

void lk_fill_blocks_count(const struct lk_model *m, double h, struct lk_net *ret)
{
    ret->is_linear = true;
    ret->n_blocks = m->n_blocks;
    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_block_def *b = &m->blocks[i];

        ret->n_states += b->n_states;
        ret->is_linear = ret->is_linear && lk_fill_is_straight(b);
        ret->size += b->kind == LK_BLOCK_DELAY ? 2 * (lk_fill_delay_steps(b, h) + 1) : 0;
        ret->n_sources += b->n_sources;
        for (int k = 0; k < b->n_sources; k++)
            ret->n_sensors += b->source[k].kind == LK_FROM_SENSOR;
    }
    for (int i = 0; i < m->n_forces; i++)
        ret->n_pushes += is_pushed(m, &m->forces[i]);
    ret->size += ret->n_states + ret->n_blocks + ret->n_sensors;
    ret->is_shown = takes_shown(m, ret);
}

static double *take(struct lk_arena *arena, int rows, int columns)
{
    return lk_arena_take(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

void lk_fill_blocks_layout(struct lk_system *sys, const struct lk_model *m, struct lk_arena *arena)
{
    struct lk_net *net = &sys->net;
    int n = net->n_states;
    size_t numbers = 0;

    for (int i = 0; i < m->n_blocks; i++)
        numbers += numbers_of(m, &m->blocks[i]);
    net->block = lk_arena_take(arena, (size_t)net->n_blocks, sizeof(*net->block));
    net->group = lk_arena_take(arena, (size_t)net->n_blocks, sizeof(*net->group));
    net->order = lk_arena_take(arena, (size_t)net->n_blocks, sizeof(*net->order));
    net->state_of = lk_arena_take(arena, (size_t)n, sizeof(*net->state_of));
    net->source = lk_arena_take(arena, (size_t)net->n_sources, sizeof(*net->source));
    net->sensor = lk_arena_take(arena, (size_t)net->n_sensors, sizeof(*net->sensor));
    net->push = lk_arena_take(arena, (size_t)net->n_pushes, sizeof(*net->push));
    net->name = lk_arena_take(arena, (size_t)net->n_blocks, sizeof(*net->name));
    net->unit = lk_arena_take(arena, (size_t)net->n_blocks, sizeof(*net->unit));
    net->scale.pivot = lk_arena_take(arena, (size_t)n, sizeof(*net->scale.pivot));
    net->is_held = lk_arena_take(arena, (size_t)n, sizeof(*net->is_held));
    net->numbers = lk_arena_take(arena, numbers, sizeof(double));
    net->slope = take(arena, net->n_sources, 1);
    net->acting = take(arena, net->n_blocks > 0, sys->input_size + net->n_blocks);
    net->matrix = take(arena, n, n);
    net->by_states = take(arena, net->n_sensors, net->n_blocks);
    net->by_sensor = take(arena, net->n_sensors, net->n_blocks);
    double **const by_block[] = {&net->y, &net->inner, &net->outer, &net->delayed};
    double **const by_state[] = {&net->f,  &net->base,       &net->right,        &net->column,
                                 &net->dz, &net->scale.rows, &net->scale.columns};
    double **const by_sensor[] = {&net->place,   &net->speed,  &net->from,
                                  &net->to,      &net->mean,   &net->at,
                                  &net->by_mean, &net->by_end, &net->by_place};
    for (size_t i = 0; i < sizeof(by_block) / sizeof(*by_block); i++)
        *by_block[i] = take(arena, net->n_blocks, 1);
    for (size_t i = 0; i < sizeof(by_state) / sizeof(*by_state); i++)
        *by_state[i] = take(arena, n, 1);
    for (size_t i = 0; i < sizeof(by_sensor) / sizeof(*by_sensor); i++)
        *by_sensor[i] = take(arena, net->n_sensors, 1);
    for (int i = 0; i < 2; i++) {
        net->stage[i].z = take(arena, n, 1);
        net->stage[i].dz = take(arena, n, net->n_sensors);
        net->stage[i].y = take(arena, net->n_blocks, 1);
        net->stage[i].dy = take(arena, net->n_blocks, net->n_sensors);
    }
}

int lk_fill_signal(const struct lk_system *sys, int input)
{
    return input < sys->n_inputs ? sys->input[input].offset
                                 : sys->input_size + input - sys->n_inputs;
}

void lk_fill_push(struct lk_system *sys, const struct lk_law *law, int block)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    sys->net.push[sys->net.n_pushes++] = (struct lk_net_push){
        .term = sys->n_terms - 1,
        .block = block,
        .at = j->of[0] ? j->of[0]->first_coordinate + j->which[0] : -1,
        .law = j->of[0] ? -1 : (int)(law - sys->law),
    };
}

static void fill_source(struct lk_system *sys, const struct lk_source_def *def,
                        struct lk_net_source *ret)
{
    struct lk_net *net = &sys->net;

    *ret = (struct lk_net_source){.kind = def->kind, .at = def->at, .value = def->value};
    if (def->kind == LK_FROM_INPUT)
        ret->at = sys->input[def->at].offset;
    if (def->kind != LK_FROM_SENSOR)
        return;
    ret->at = net->n_sensors;
    if (def->is_length) { /* lk_fill_lengths() sets the law */
        net->sensor[net->n_sensors++] =
            (struct lk_net_sensor){.at = -1, .law = def->at, .is_rate = def->is_rate};
        return;
    }
    net->sensor[net->n_sensors++] =
        (struct lk_net_sensor){.at = sys->joint[def->at].first_coordinate + def->coordinate,
                               .law = -1,
                               .is_rate = def->is_rate};
    sys->joint[def->at].needs_coordinate = 1;
}

void lk_fill_lengths(struct lk_system *sys)
{
    for (int k = 0; k < sys->net.n_sensors; k++) {
        struct lk_net_sensor *s = &sys->net.sensor[k];
        int force = s->law;

        for (int i = 0; i < sys->n_laws && force >= 0; i++)
            if (sys->law[i].n_terms > 0 && sys->term[sys->law[i].first_term].force == force)
                s->law = i;
    }
}

static double *copy(double *to, const double *from, int n, const double **ret)
{
    memcpy(to, from, (size_t)n * sizeof(double));
    *ret = to;
    return to + n;
}

/* Copy a table. Return: the first unused number after those of the table. */
static double *fill_table(const struct lk_table *table, bool is_monotone, double *at,
                          struct lk_net_block *ret)
{
    int n = table->n;

    at = copy(at, table->x, n, &ret->x);
    at = copy(at, table->y, n, &ret->y);
    ret->n_points = n;
    lk_table_slopes(n, ret->x, ret->y, at, at + n);
    ret->slope = is_monotone ? at : NULL;
    return at + 2 * (size_t)n;
}

static double *fill_block(struct lk_system *sys, const struct lk_model *m, int i, double *at)
{
    const struct lk_block_def *def = &m->blocks[i];
    struct lk_net_block *b = &sys->net.block[i];
    int n = def->n_states, k = def->n_sources;

    b->kind = def->kind;
    b->n_sources = k;
    b->n_states = n;
    b->lower = def->lower;
    b->upper = def->upper;
    at = copy(at, def->a, n * n, &b->a);
    at = copy(at, def->b, n * k, &b->b);
    at = copy(at, def->c, n, &b->c);
    at = copy(at, def->d, k, &b->d);
    if (def->table >= 0)
        at = fill_table(&m->tables[def->table], def->is_monotone, at, b);
    memcpy(sys->net.unit[i], def->unit, LK_UNIT_SIZE);
    memcpy(sys->net.name[i], def->name, LK_NAME_SIZE);
    memcpy(sys->now.blocks + b->state, def->initial, (size_t)n * sizeof(double));
    return at;
}

static void fill_delay(struct lk_system *sys, const struct lk_block_def *def, int i)
{
    struct lk_net_block *b = &sys->net.block[i];
    int n = 2 * (lk_fill_delay_steps(def, sys->h) + 1);

    b->steps = lk_fill_delay_steps(def, sys->h);
    b->part = fmin(fmax(def->time / sys->h - b->steps, 0), 1);
    sys->now.blocks[sys->net.n_states + i] = def->initial[0];
    for (int k = 0; k < n; k++)
        sys->now.blocks[b->ring + k] = def->initial[0];
}

int lk_fill_blocks_prepare(struct lk_system *sys, struct lk_error *ret_error)
{
    const struct lk_net *net = &sys->net;
    int weak = lk_blocks_prepare(sys), i = 0;

    if (weak < 0)
        return 0;
    while (weak >= net->block[i].state + net->block[i].n_states)
        i++;
    lk_error_set(
        ret_error,
        "block '%s': a step of %g s has no solution for what grows as fast as it; expected "
        "a smaller step, or a block that grows more slowly",
        net->name[i], sys->h);
    return LK_E_MODEL;
}

void lk_fill_blocks(struct lk_system *sys, const struct lk_model *m)
{
    struct lk_net *net = &sys->net;
    int source = 0, state = 0, ring = net->n_states + net->n_blocks + net->n_sensors;
    double *numbers = net->numbers;

    net->n_sensors = net->n_pushes = 0; /* counted again below */
    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_block_def *def = &m->blocks[i];

        net->block[i].first = source;
        net->block[i].state = state;
        net->block[i].ring = ring;
        numbers = fill_block(sys, m, i, numbers);
        state += def->n_states;
        for (int k = 0; k < def->n_sources; k++)
            fill_source(sys, &def->source[k], &net->source[source++]);
        if (def->kind == LK_BLOCK_DELAY) {
            fill_delay(sys, def, i);
            ring += 2 * (net->block[i].steps + 1);
        }
    }
    lk_fill_groups(net, m);
}
