/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a system: its size, its layout, and the calls that fill it. */
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "compile/fill.h"
#include "solve/complementarity.h"
#include "step/elements/contacts.h"
#include "step/elements/elements.h"
#include "step/elements/tyres.h"
#include "step/executor.h"
#include "step/outputs/reactions.h"
#include "step/scripts/extrapolate.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int input_size(const struct lk_model *m)
{
    struct lk_channel c;
    int size = 0;

    for (int i = 0; i < m->n_inputs; i++) {
        lk_channels_describe_input(m, &m->inputs[i], size, &c);
        size += c.size;
    }
    return size;
}

static void layout_state(struct lk_system *sys, struct lk_state *state, struct lk_arena *arena)
{
    size_t motion = (size_t)sys->n_bodies * sizeof(struct lk_motion) / sizeof(double);
    size_t mode = (size_t)sys->n_modes * sizeof(struct lk_mode_state) / sizeof(double);
    size_t lambda = (size_t)sys->n_rows, coordinate = (size_t)sys->n_coordinates;
    size_t rate = coordinate;
    size_t inputs = (size_t)(sys->input_size + sys->net.n_blocks);
    size_t samples = (size_t)sys->n_drives * sizeof(struct lk_drive_samples) / sizeof(double);
    size_t tangent = (size_t)sys->n_laws, wind = 2 * (size_t)sys->n_winds;
    size_t shown = (size_t)sys->n_shown;
    size_t balance = sizeof(struct lk_balance) / sizeof(double), own = (size_t)sys->n_own;
    size_t waves = (size_t)sys->n_waves, blocks = (size_t)sys->net.size;
    size_t carcass = (size_t)sys->n_tyres * sizeof(struct lk_carcass) / sizeof(double);
    size_t contact = (size_t)sys->n_contacts * sizeof(struct lk_contact_state) / sizeof(double);

    sys->state_size = motion + mode + lambda + coordinate + rate + inputs + tangent + wind + shown +
                      samples + balance + carcass + contact + waves + blocks + own;
    state->block = lk_arena_take(arena, sys->state_size, sizeof(double));
    if (!arena->base)
        return;
    state->motion = (struct lk_motion *)state->block;
    state->mode = (struct lk_mode_state *)(state->block + motion);
    state->lambda = state->block + motion + mode;
    state->coordinate = state->lambda + lambda;
    state->rate = state->coordinate + coordinate;
    state->inputs = state->rate + rate;
    state->tangent = state->inputs + inputs;
    state->wind = state->tangent + tangent;
    state->shown = state->wind + wind;
    state->samples = (struct lk_drive_samples *)(state->shown + shown);
    state->balance = (struct lk_balance *)(state->shown + shown + samples);
    state->carcass = (struct lk_carcass *)(state->shown + shown + samples + balance);
    state->contact =
        (struct lk_contact_state *)(state->shown + shown + samples + balance + carcass);
    state->waves = state->shown + shown + samples + balance + carcass + contact;
    state->blocks = state->waves + waves;
    state->own = state->blocks + blocks;
}

static size_t jacobian_size(const struct lk_draft_block *b)
{
    return (size_t)lk_jacobian_size(b->n_sides, lk_jacobian_pad(b->n_rows),
                                    lk_joint_is_point(b->type, b->kind));
}

static void layout_jacobians(struct lk_system *sys, const struct lk_draft *d,
                             struct lk_arena *arena)
{
    size_t size = 0;
    double *values;

    for (int i = 0; i < sys->n_joints; i++)
        size += jacobian_size(&d->blocks[i]);
    values = lk_arena_take(arena, size, sizeof(double));
    for (int i = 0; i < sys->n_joints && arena->base; i++) {
        const struct lk_draft_block *b = &d->blocks[i];

        sys->jacobian[i] = (struct lk_jacobian){
            .J = values,
            .pad = lk_jacobian_pad(b->n_rows),
            .is_point = lk_joint_is_point(b->type, b->kind),
            .first = lk_joint_types[b->type]->first,
        };
        values += jacobian_size(b);
    }
}

/* Return the topology of the fronts without compliant rows. */
static struct lk_topology rigid_topology(const struct lk_draft *d)
{
    struct lk_topology rigid = d->topology;

    rigid.n_rows = d->n_rigid;
    return rigid;
}

static void layout_rigid(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    struct lk_topology rigid = rigid_topology(d);

    lk_fronts_layout(&sys->rigid_fronts, &rigid, &d->plan, sys->jacobian, arena);
}

/* Lay out the memory of a system in the order of its use in a step. Names and channels, which no
 * step reads, come last. */
static int layout_system(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    const struct lk_model *m = d->model;
    size_t bodies = (size_t)sys->n_bodies, joints = (size_t)sys->n_joints;
    size_t places = bodies + 1 + (size_t)sys->n_frames;

    layout_state(sys, &sys->now, arena);
    layout_state(sys, &sys->next, arena);
    sys->body = lk_arena_take(arena, bodies + 1, sizeof(*sys->body));
    sys->W = lk_arena_take(arena, bodies + 1, sizeof(*sys->W));
    sys->sW = lk_arena_take(arena, bodies + 1, sizeof(*sys->sW));
    sys->side = lk_arena_take(arena, LK_SIDES_MAX * joints, sizeof(*sys->side));
    sys->first_side = lk_arena_take(arena, bodies + 1, sizeof(*sys->first_side));
    sys->first_law_side = lk_arena_take(arena, bodies, sizeof(*sys->first_law_side));
    sys->joint = lk_arena_take(arena, joints, sizeof(*sys->joint));
    sys->regular = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->rigid = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->pose = lk_arena_take(arena, places, sizeof(*sys->pose));
    sys->twist = lk_arena_take(arena, places, sizeof(*sys->twist));
    sys->residual = lk_arena_take(arena, places, sizeof(*sys->residual));
    sys->correction = lk_arena_take(arena, places, sizeof(*sys->correction));
    sys->sW_now = lk_arena_take(arena, bodies + 1, sizeof(*sys->sW_now));
    sys->quad = lk_arena_take(arena, (bodies + 3) / 4, sizeof(*sys->quad));
    sys->jacobian = lk_arena_take(arena, joints, sizeof(*sys->jacobian));
    layout_jacobians(sys, d, arena);
    sys->solution =
        lk_arena_take(arena, (size_t)(sys->n_rows + LK_MOTION_ROWS * d->plan.n_hubs) + LK_ROWS_PAD,
                      sizeof(double));
    lk_fronts_layout(&sys->fronts, &d->topology, &d->plan, sys->jacobian, arena);
    if (sys->leaves_laws)
        layout_rigid(sys, d, arena);
    lk_fill_modal_layout(sys, d, arena);
    lk_fill_laws_layout(sys, d, arena);
    sys->line = lk_arena_take(arena, (size_t)sys->n_lines, sizeof(*sys->line));
    lk_fill_blocks_layout(sys, m, arena);
    lk_fill_drives_layout(sys, d, arena);
    lk_fill_tyres_layout(sys, d, arena);
    lk_fill_contact_layout(sys, m, arena);
    if (d->batches) {
        struct lk_batches *batches = lk_batches_layout(d->batches, sys, arena);

        sys->batches = batches;
    }
    sys->executor = sys->batches ? &d->batches->engine->executor[sys->formulation->script]
                                 : lk_executors_one[sys->formulation->script];
    lk_elements_layout(sys, arena);
    sys->progress = lk_arena_take(arena, 1, sizeof(*sys->progress));
    sys->scale = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->cut = lk_arena_take(arena, (size_t)sys->n_named_joints, sizeof(*sys->cut));
    sys->hanging = lk_arena_take(arena, bodies, sizeof(int));
    sys->hanging_at = lk_arena_take(arena, bodies, sizeof(int));
    sys->followed = lk_arena_take(arena, (size_t)sys->n_named_joints, sizeof(int));
    sys->load = lk_arena_take(arena, (size_t)m->n_forces, sizeof(*sys->load));
    sys->input = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input));
    sys->output = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output));
    sys->port = lk_arena_take(arena, (size_t)sys->n_shown_ports, sizeof(*sys->port));
    layout_state(sys, &sys->start, arena);
    sys->input_channel = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input_channel));
    sys->output_channel = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output_channel));
    sys->body_name = lk_arena_take(arena, bodies, sizeof(*sys->body_name));
    sys->joint_name = lk_arena_take(arena, joints, sizeof(*sys->joint_name));
    return sys->formulation->layout ? sys->formulation->layout(sys, &d->topology, &d->plan, arena)
                                    : 0;
}

int lk_fill_hard_stops(const struct lk_system *sys)
{
    int n = 0;

    for (int i = 0; i < sys->n_laws; i++)
        for (int k = 0; k < sys->law[i].n_terms && sys->law[i].is_hard; k++)
            n += sys->term[sys->law[i].first_term + k].kind == LK_TERM_STOP;
    return n;
}

/* Count the operations of the last factorisation of a step (after the iterations, or in an explicit
 * step), and of a solve with that factor. */
static void last_factor_flops(const struct lk_system *sys, const struct lk_draft *d,
                              double *ret_factor, double *ret_solve)
{
    struct lk_topology rigid = rigid_topology(d);

    *ret_factor = d->plan.factor_flops;
    *ret_solve = d->plan.solve_flops;
    if (sys->leaves_laws)
        lk_plan_work(&rigid, &d->plan, ret_factor, ret_solve);
}

/* Count the operations of a step of `rattle`. Independent rows need one solve, other rows need two.
 * Each hard stop needs solves for the response to a unit force on it, for positions and for
 * velocities. Further solves are for the forces of the stops in each iteration, two impulses and
 * the reactions. */
static double rattle_flops(const struct lk_system *sys, const struct lk_draft *d)
{
    int n = lk_fill_hard_stops(sys), parts = sys->rows_are_independent ? 1 : 2;
    int in_iterations = d->iterations + parts - 1, after = 1 + 2 * parts;
    double factor, solve;

    last_factor_flops(sys, d, &factor, &solve);
    in_iterations += n > 0 ? n + d->iterations : 0;
    after += n > 0 ? parts * n + 3 * parts : 0;
    return (lk_draft_factors(d) - 1) * d->plan.factor_flops + factor +
           in_iterations * d->plan.solve_flops + after * solve + lk_draft_modal_flops(d) +
           (n > 0 ? (d->iterations + 6) * lk_complementarity_flops(n) : 0);
}

static void summarise_system(struct lk_system *sys, const struct lk_draft *d, size_t memory)
{
    struct lk_summary *s = &sys->summary;
    double factor, solve;

    last_factor_flops(sys, d, &factor, &solve);
    s->n_bodies = sys->n_named_bodies;
    s->iterations = sys->iterations;
    s->n_joints = sys->n_named_joints;
    for (int b = 0; b < sys->n_named_bodies; b++) {
        s->n_split += d->n_parts[b] > 1;
        s->n_parts += d->n_parts[b] > 1 ? d->n_parts[b] : 0;
    }
    s->n_in_plane = d->n_in_plane;
    sys->n_held = d->n_held;
    s->n_rows_compliant = sys->n_rows - s->n_rows_rigid;
    s->n_sways = sys->n_sways;
    s->n_blocks = sys->net.n_blocks;
    s->n_block_states = sys->net.n_states;
    s->tree_depth = d->plan.depth;
    s->tree_fronts = d->plan.n_fronts;
    s->largest_front = d->plan.largest;
    s->step_flops = lk_draft_flops(d);
    if (d->formulation == &lk_formulation_rattle)
        s->step_flops = rattle_flops(sys, d);
    if (sys->formulation->own_size && sys->formulation->is_explicit)
        s->step_flops = 0; /* the equations of this formulation do not use the tree */
    else if (sys->formulation->is_explicit)
        s->step_flops = 4 * factor + (sys->n_inputs > 0 ? 10 : 9) * solve;
    sys->project_flops =
        d->plan.factor_flops +
        (sys->formulation->extrapolation ? sys->formulation->extrapolation->n_solves : 4) *
            d->plan.solve_flops;
    s->memory = memory;
}

static void count_shown(const struct lk_model *m, struct lk_system *ret)
{
    for (int i = 0; i < m->n_outputs; i++) {
        struct lk_channel c;

        if (m->outputs[i].type != LK_OUTPUT_MOBILITY && m->outputs[i].type != LK_OUTPUT_PORT_WORK)
            continue;
        lk_channels_describe_output(m, &m->outputs[i], 0, &c);
        ret->n_shown_ports++;
        ret->n_shown += c.size;
    }
}

/* Return a system with the constants that determine the size of memory. */
static struct lk_system shape_of(const struct lk_draft *d)
{
    const struct lk_model *m = d->model;
    struct lk_system shape = {
        .formulation = d->batches ? d->formulation->in_lanes : d->formulation,
        .h = d->h,
        .s = d->h * d->h / 4,
        .penalty = m->solver.penalty,
        .iterations = d->iterations,
        .n_solves = lk_draft_solves(d),
        .starts_balanced = m->starts_balanced,
        .leak_always = m->solver.soft_redundancy,
        .n_bodies = d->n_bodies,
        .n_named_bodies = m->n_bodies,
        .n_frames = d->n_frames,
        .n_joints = d->n_blocks,
        .n_named_joints = m->n_joints,
        .n_coordinates = d->n_coordinates,
        .n_drives = m->n_drives,
        .n_tyres = m->n_tyres,
        .n_roads = m->n_roads,
        .n_inputs = m->n_inputs,
        .n_outputs = m->n_outputs,
        .input_size = input_size(m),
    };

    if (shape.formulation->own_size)
        shape.n_own = shape.formulation->own_size(d->n_bodies);
    shape.n_modals = m->n_modals;
    for (int i = 0; i < m->n_modals; i++)
        shape.n_modes += m->modals[i].n;
    shape.n_laws = lk_draft_laws(d);
    for (int i = 0; i < d->n_blocks; i++)
        shape.n_rows += d->n_rows[i];
    shape.leaves_laws =
        shape.formulation->leaves_laws && shape.n_laws > 0; /* lk_fill_dampers() may clear it */
    for (int i = 0; i < m->n_inputs; i++)
        shape.n_jumps += lk_input_is_load(m->inputs[i].type);
    for (int i = 0; i < m->n_forces; i++)
        shape.n_stops += m->forces[i].type == LK_FORCE_STOP;
    for (int i = 0; i < m->n_forces; i++) {
        shape.n_lines += m->forces[i].type == LK_FORCE_LINE;
        shape.n_waves += lk_fill_line_size(&m->forces[i], d->h);
    }
    shape.n_contacts = lk_model_points(m, m->n_forces);
    for (int i = 0; i < m->n_forces; i++)
        shape.n_winds += m->forces[i].has_wind_up;
    shape.n_jumps += shape.n_stops;
    lk_fill_blocks_count(m, d->h, &shape.net);
    count_shown(m, &shape);
    return shape;
}

/* The layout runs twice: first to count the memory, then to place the arrays. A system uses no
 * other memory. */
int lk_fill_create(const struct lk_draft *d, struct lk_system **ret_system,
                   struct lk_error *ret_error)
{
    struct lk_system shape = shape_of(d);
    struct lk_arena arena = {0};
    struct lk_system *sys;
    int r;

    sys = lk_arena_take(&arena, 1, sizeof(*sys));
    r = layout_system(&shape, d, &arena);
    if (r != 0)
        return r;
    arena.base = aligned_alloc(LK_CACHE_LINE, arena.used);
    if (!arena.base)
        return -ENOMEM;
    memset(arena.base, 0, arena.used);
    arena.used = 0;
    sys = lk_arena_take(&arena, 1, sizeof(*sys));
    *sys = shape;
    r = layout_system(sys, d, &arena);
    if (r == 0)
        r = lk_fill_system(sys, d, ret_error);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    summarise_system(sys, d, arena.used);
    *ret_system = sys;
    return 0;
}
