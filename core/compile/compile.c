/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a model into a system: draft, arena, the initial configuration as first state. */
#include "compile/compile.h"
#include "compile/batch/batches.h"
#include "compile/batch/prices.h"
#include "compile/fill.h"
#include "compile/independence.h"
#include "maths/vec.h"
#include "step/extrapolate.h"
#include "step/tension.h"
#include "step/tyres.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRONTS_MAX     (1 << 27) /* largest total size of the fronts [doubles]: 1 GiB */
#define ROUNDOFF_FLOOR 1e-13     /* of the diagonal: an E above the round-off of elimination */
#define INDEPENDENT    1e-16     /* E of rows that never depend on each other, as eps: round-off */
#define SOFT_STIFFNESS 2e9       /* [N/m] of a joint with soft redundancy, as of steel parts */

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
    size_t lambda = (size_t)sys->n_rows, coordinate = (size_t)sys->n_coordinates;
    size_t rate = coordinate, inputs = (size_t)sys->input_size;
    size_t samples = (size_t)sys->n_drives * sizeof(struct lk_drive_samples) / sizeof(double);
    size_t tangent = (size_t)sys->n_laws, wind = (size_t)sys->n_winds;
    size_t balance = sizeof(struct lk_balance) / sizeof(double), own = (size_t)sys->n_own;
    size_t carcass = (size_t)sys->n_tyres * sizeof(struct lk_carcass) / sizeof(double);

    sys->state_size = motion + lambda + coordinate + rate + inputs + tangent + wind + samples +
                      balance + carcass + own;
    state->block = lk_arena_take(arena, sys->state_size, sizeof(double));
    if (!arena->base)
        return;
    state->motion = (struct lk_motion *)state->block;
    state->lambda = state->block + motion;
    state->coordinate = state->lambda + lambda;
    state->rate = state->coordinate + coordinate;
    state->inputs = state->rate + rate;
    state->tangent = state->inputs + inputs;
    state->wind = state->tangent + tangent;
    state->samples = (struct lk_drive_samples *)(state->wind + wind);
    state->balance = (struct lk_balance *)(state->wind + wind + samples);
    state->carcass = (struct lk_carcass *)(state->wind + wind + samples + balance);
    state->own = state->wind + wind + samples + balance + carcass;
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
        };
        values += jacobian_size(b);
    }
}

/* The order is that of use in a step; names and channels, which no step reads, come last. */
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
    sys->joint = lk_arena_take(arena, joints, sizeof(*sys->joint));
    sys->regular = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->rigid = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->pose = lk_arena_take(arena, places, sizeof(*sys->pose));
    sys->twist = lk_arena_take(arena, places, sizeof(*sys->twist));
    sys->residual = lk_arena_take(arena, places, sizeof(*sys->residual));
    sys->correction = lk_arena_take(arena, places, sizeof(*sys->correction));
    sys->quad = lk_arena_take(arena, (bodies + 3) / 4, sizeof(*sys->quad));
    sys->jacobian = lk_arena_take(arena, joints, sizeof(*sys->jacobian));
    layout_jacobians(sys, d, arena);
    sys->solution = lk_arena_take(arena, (size_t)sys->n_rows + LK_ROWS_PAD, sizeof(double));
    lk_fronts_layout(&sys->fronts, &d->topology, &d->plan, sys->jacobian, arena);
    lk_fill_laws_layout(sys, d, arena);
    lk_fill_drives_layout(sys, d, arena);
    lk_fill_tyres_layout(sys, d, arena);
    if (d->batches) {
        struct lk_batches *batches = lk_batches_layout(d->batches, sys, arena);

        sys->batches = batches;
    }
    sys->scale = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->followed = lk_arena_take(arena, (size_t)sys->n_named_joints, sizeof(int));
    sys->load = lk_arena_take(arena, (size_t)m->n_forces, sizeof(*sys->load));
    sys->input = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input));
    sys->output = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output));
    layout_state(sys, &sys->start, arena);
    sys->input_channel = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input_channel));
    sys->output_channel = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output_channel));
    sys->body_name = lk_arena_take(arena, bodies, sizeof(*sys->body_name));
    sys->joint_name = lk_arena_take(arena, joints, sizeof(*sys->joint_name));
    return sys->formulation->layout ? sys->formulation->layout(sys, &d->topology, &d->plan, arena)
                                    : 0;
}

/* the initial configuration of a body; the parts of a split body share one place */
static void fill_body(struct lk_system *sys, int b, const struct lk_body_def *def)
{
    struct lk_motion *m = &sys->now.motion[b];
    double R[9];

    memcpy(sys->body_name[b], def->name, LK_NAME_SIZE);
    memcpy(m->x, def->position, sizeof(m->x));
    memcpy(m->q, def->orientation, sizeof(m->q));
    memcpy(m->v.v, def->velocity, sizeof(m->v.v));
    lk_quat_matrix(m->q, R);
    lk_rotate_back(R, def->angular_velocity, m->v.w);
}

/* names for messages: joints have those of the model, other rows that of their origin */
static void name_joint(struct lk_system *sys, const struct lk_draft *d, int i)
{
    const struct lk_draft_block *b = &d->blocks[i];
    const char *name = b->joint >= 0   ? d->model->joints[b->joint].name
                       : b->force >= 0 ? d->model->forces[b->force].name
                                       : d->model->bodies[d->of[b->body[1]]].name;

    memcpy(sys->joint_name[i], name, LK_NAME_SIZE);
}

static void fill_coordinates(struct lk_system *sys, const struct lk_model *m)
{
    int at = 0;

    for (int i = 0; i < m->n_joints; i++) {
        sys->joint[i].first_coordinate = at;
        for (int k = 0; k < lk_joint_traits[m->joints[i].type].n_coordinates; k++)
            sys->now.coordinate[at++] = m->joints[i].coordinate[k];
    }
}

/* the sides of joints at each body; the ground has none */
static void fill_sides(struct lk_system *sys)
{
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        sys->first_side[b] = n;
        for (int i = 0; i < sys->n_joints; i++)
            for (int s = 0; s < sys->joint[i].n_sides; s++)
                if (sys->joint[i].body[s] == b)
                    sys->side[n++] =
                        lk_side_of(sys->jacobian[i], s, sys->joint[i].row, sys->joint[i].n_rows);
    }
    sys->first_side[sys->n_bodies] = n;
}

static void fill_loads(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        int is_torque = f->type == LK_FORCE_CONSTANT_TORQUE || f->type == LK_FORCE_HARMONIC_TORQUE;

        if (f->type < LK_FORCE_CONSTANT_FORCE || f->type == LK_FORCE_TYRE)
            continue;
        struct lk_load *l = &sys->load[sys->n_loads++];
        *l = lk_fill_load(sys, f->body[0], f->point[0], f->frame, is_torque);
        memcpy(l->vector, f->vector, sizeof(l->vector));
        l->is_harmonic = f->type == LK_FORCE_HARMONIC_FORCE || f->type == LK_FORCE_HARMONIC_TORQUE;
        l->omega = f->omega;
        l->phase = f->phase;
    }
}

static void fill_inputs(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0, at = 0; i < m->n_inputs; i++) {
        const struct lk_input_def *def = &m->inputs[i];
        struct lk_input *in = &sys->input[i];

        lk_channels_describe_input(m, def, at, &sys->input_channel[i]);
        *in = (struct lk_input){
            .type = def->type, .joint = def->joint, .which = def->coordinate, .offset = at};
        if (def->type == LK_INPUT_BODY_FORCE || def->type == LK_INPUT_BODY_TORQUE)
            in->load = lk_fill_load(sys, def->body, def->point, def->frame,
                                    def->type == LK_INPUT_BODY_TORQUE);
        if (def->type == LK_INPUT_SIGNAL) /* a number of the model until a bench sends another */
            sys->now.inputs[at] = def->initial;
        at += sys->input_channel[i].size;
    }
}

/* sets up the block and the terms of force element @force */
static void find_element(const struct lk_system *sys, int force, struct lk_output *out)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            if (sys->term[k].force != force || out->n_terms >= law->n_terms)
                continue;
            if (out->n_terms == 0) {
                out->joint = law->joint;
                out->term = k;
            }
            out->n_terms += law->joint == out->joint && law->row == 0;
        }
    }
}

static void fill_output(struct lk_system *sys, const struct lk_model *m, int i)
{
    const struct lk_output_def *def = &m->outputs[i];
    struct lk_output *out = &sys->output[i];
    double R[9];

    *out = (struct lk_output){
        .type = def->type, .joint = def->joint, .body = def->body, .offset = sys->output_size};
    lk_channels_describe_output(m, def, out->offset, &sys->output_channel[i]);
    out->size = sys->output_channel[i].size;
    sys->output_size += out->size;
    if (def->type == LK_OUTPUT_POINT_POSITION || def->type == LK_OUTPUT_POINT_VELOCITY ||
        def->type == LK_OUTPUT_POINT_ACCELERATION || def->type == LK_OUTPUT_INERTIAL_SENSOR)
        memcpy(out->point, lk_fill_load(sys, def->body, def->point, LK_FRAME_WORLD, 0).point,
               sizeof(out->point));
    if (def->type == LK_OUTPUT_INERTIAL_SENSOR) {
        lk_quat_matrix(def->orientation, R);
        for (int k = 0; k < 3; k++) {
            const double axis[3] = {R[k], R[3 + k], R[6 + k]};

            lk_rotate_back(sys->pose[def->body].R, axis, out->axes[k]);
        }
    }
    if (def->type == LK_OUTPUT_FORCE)
        find_element(sys, def->force, out);
    if (def->type == LK_OUTPUT_TYRE || def->type == LK_OUTPUT_TYRE_CONTACT)
        out->tyre = m->forces[def->force].tyre;
    if (def->type == LK_OUTPUT_JOINT_POSITION)
        sys->joint[def->joint].needs_coordinate = 1;
    sys->shows_condition |= def->type == LK_OUTPUT_CONDITION;
}

/* s Phi W Phi^T of row @r, one side of a joint */
static double row_diagonal(const struct lk_system *sys, int joint, int side, int r)
{
    int body = sys->joint[joint].body[side];
    double row[6], turn[3];

    if (body >= sys->n_bodies)
        return 0;
    lk_jacobian_row(sys->jacobian[joint], side, r, row);
    lk_sym_mul(sys->sW[body].inertia, row + 3, turn);
    return sys->sW[body].mass * lk_dot(row, row) + lk_dot(row + 3, turn);
}

static void fill_scales(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < sys->joint[i].n_rows; r++)
            for (int s = 0; s < sys->joint[i].n_sides; s++)
                sys->scale[sys->joint[i].row + r] += row_diagonal(sys, i, s, r);
}

/* The same for a body with its largest moment of inertia about every axis, and with its neighbour's
 * mass and moment where it has none. A slender axis, or the artificial mass in W, would make E so
 * large against the other bodies behind the joint that its rows became springs. */
static double rounded_diagonal(const struct lk_system *sys, int joint, int side, int r)
{
    int b = sys->joint[joint].body[side];
    const struct lk_body *body;
    double row[6], turn[3], moment, shift;

    if (b >= sys->n_bodies) /* the ground is not in the array of bodies */
        return 0;
    body = &sys->body[b];
    lk_jacobian_row(sys->jacobian[joint], side, r, row);
    lk_sym_mul(sys->sW[b].inertia, row + 3, turn);
    moment = lk_max(lk_max(body->inertia[0], body->inertia[1]), body->inertia[2]);
    shift = sys->sW[b].mass * (body->mass > 0 ? 1 : LK_ARTIFICIAL_MASS) * lk_dot(row, row);
    return shift + (moment > 0 ? sys->s / moment * lk_dot(row + 3, row + 3)
                               : LK_ARTIFICIAL_MASS * lk_dot(row + 3, turn));
}

double lk_fill_inverse_mass(const struct lk_system *sys, const struct lk_draft *d, int joint, int r)
{
    double sum = 0;

    for (int s = 0; s < sys->joint[joint].n_sides; s++) {
        int body = sys->joint[joint].body[s];

        if (body < sys->n_bodies)
            sum += rounded_diagonal(sys, joint, s, r) / d->n_parts[sys->body[body].of];
    }
    return sum / sys->s;
}

/* E of rigid rows: 2 eps times the smallest mean diagonal among the bodies, lengths and angles
 * separately; eps is the smallest that keeps the multipliers of redundant rows above round-off.
 * Beside a body without mass, whose artificial mass dominates the diagonal, E stays above the
 * round-off of the elimination. Rows that are independent need no more than round-off, if the step
 * asks for a regularisation at all. With soft redundancy every joint is as compliant as steel
 * parts. */
static void regularise_rows(struct lk_system *sys, int is_soft)
{
    double ratio = 1e-3 / sys->h;
    double own = sys->formulation->regularisation;
    double eps = own > 0 ? own : fmin(1e-8 * fmax(1, ratio * ratio), 1e-6);

    double floor = sys->rows_are_independent ? 0 : ROUNDOFF_FLOOR;

    if (sys->rows_are_independent)
        eps = INDEPENDENT;

    for (int i = 0; i < sys->n_joints; i++) {
        struct lk_joint *j = &sys->joint[i];
        const int bound[3] = {0, j->n_length, lk_rigid_rows(j)};

        for (int unit = 0; unit < 2 && !lk_is_compliant(j); unit++) {
            double least = INFINITY, all = 0;
            int n = bound[unit + 1] - bound[unit];

            for (int s = 0; s < j->n_sides && n > 0; s++) {
                double sum = 0;

                for (int r = bound[unit]; r < bound[unit + 1]; r++) {
                    sum += rounded_diagonal(sys, i, s, r);
                    all += row_diagonal(sys, i, s, r);
                }
                if (j->body[s] < sys->n_bodies && sum > 0)
                    least = fmin(least, sum / n);
            }
            double soft =
                unit == 0 ? 1 / SOFT_STIFFNESS : 1 / (SOFT_STIFFNESS * sys->arm * sys->arm);
            double E = fmax(2 * eps * (isinf(least) ? 0 : least), floor * all);

            for (int r = bound[unit]; r < bound[unit + 1]; r++)
                sys->regular[j->row + r] = sys->rigid[j->row + r] = is_soft ? fmax(E, soft) : E;
        }
    }
}

/* a length of the mechanism: the largest arm of a joint [m] */
static double longest_arm(const struct lk_system *sys)
{
    double longest = 0;

    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && !sys->joint[i].of[0]; s++)
            if (sys->joint[i].body[s] < sys->n_bodies)
                longest = lk_max(longest, lk_norm(sys->joint[i].p[s]));
    return longest > 0 ? longest : 1;
}

static void fill_needs(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        struct lk_joint *j = &sys->joint[i];

        for (int k = 0; k < LK_COUPLED_MAX; k++)
            if (j->of[k])
                sys->joint[j->of[k] - sys->joint].needs_coordinate = 1;
        sys->needs_twists |= lk_is_compliant(j) || j->of[0];
    }
    for (int i = 0; i < sys->n_named_joints; i++)
        if (sys->joint[i].needs_coordinate)
            sys->followed[sys->n_followed++] = i;
}

static int fill_system(struct lk_system *sys, const struct lk_draft *d, struct lk_error *ret_error)
{
    const struct lk_model *m = d->model;
    int r;

    sys->pose[sys->n_bodies] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(sys->gravity, m->gravity, sizeof(sys->gravity));
    for (int b = 0; b < sys->n_bodies; b++)
        fill_body(sys, b, &m->bodies[d->of[b]]);
    for (int b = 0; b < m->n_bodies; b++)
        sys->summary.total_mass += m->bodies[b].mass;
    lk_evaluate_poses(sys, &sys->now);
    lk_fill_frames(sys, d);
    lk_fill_roads(sys, d);
    for (int i = 0; i < sys->n_joints; i++) {
        lk_fill_joint(sys, d, i);
        name_joint(sys, d, i);
        sys->summary.n_rows_rigid += lk_rigid_rows(&sys->joint[i]);
    }
    sys->arm = longest_arm(sys);
    fill_coordinates(sys, m);
    fill_sides(sys);
    lk_fill_laws(sys, d);
    fill_loads(sys, m);
    fill_inputs(sys, m);
    lk_fill_tyres(sys, d);
    lk_fill_drives(sys, d);
    for (int i = 0; i < m->n_outputs; i++)
        fill_output(sys, m, i);
    fill_needs(sys);
    lk_fill_masses(sys, d);
    lk_evaluate_jacobians(sys);
    fill_scales(sys);
    if (sys->formulation->regularisation > 0) {
        r = lk_independence_find(sys, &sys->rows_are_independent);
        if (r < 0)
            return r;
    }
    regularise_rows(sys, m->solver.soft_redundancy);
    lk_fill_contacts(sys, d);
    lk_fill_light(sys);
    r = lk_fill_check_massless(sys, ret_error);
    if (sys->batches)
        lk_batches_fill(sys);
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    return r;
}

static void summarise_system(struct lk_system *sys, const struct lk_draft *d, size_t memory)
{
    struct lk_summary *s = &sys->summary;

    s->n_bodies = sys->n_named_bodies;
    s->iterations = sys->iterations;
    s->n_joints = sys->n_named_joints;
    for (int b = 0; b < sys->n_named_bodies; b++) {
        s->n_split += d->n_parts[b] > 1;
        s->n_parts += d->n_parts[b] > 1 ? d->n_parts[b] : 0;
    }
    s->n_rows_compliant = sys->n_rows - s->n_rows_rigid;
    s->tree_depth = d->plan.depth;
    s->tree_fronts = d->plan.n_fronts;
    s->largest_front = d->plan.largest;
    s->step_flops =
        lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops;
    if (sys->formulation->own_size && sys->formulation->is_explicit)
        s->step_flops = 0; /* its equations are not those of the tree */
    else if (sys->formulation->is_explicit)
        s->step_flops =
            4 * d->plan.factor_flops + (sys->n_inputs > 0 ? 10 : 9) * d->plan.solve_flops;
    sys->project_flops =
        d->plan.factor_flops +
        (sys->formulation->extrapolation ? sys->formulation->extrapolation->n_solves : 4) *
            d->plan.solve_flops;
    s->memory = memory;
}

/* the constants that determine the size of memory */
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
    for (int i = 0; i < d->n_blocks; i++) {
        shape.n_rows += d->n_rows[i];
        shape.n_laws += d->blocks[i].kind >= LK_ROWS_COMPLIANT ? d->n_rows[i] : 0;
    }
    for (int i = 0; i < m->n_inputs; i++)
        shape.n_jumps += lk_input_is_load(m->inputs[i].type);
    for (int i = 0; i < m->n_forces; i++)
        shape.n_stops += m->forces[i].type == LK_FORCE_STOP;
    for (int i = 0; i < m->n_forces; i++)
        shape.n_winds += m->forces[i].has_wind_up;
    shape.n_jumps += shape.n_stops;
    return shape;
}

static void name_prices(struct lk_system *sys, const struct lk_draft *d)
{
    sys->prices = d->prices;
    snprintf(sys->prices_name, sizeof(sys->prices_name), "%s%s", d->prices->name,
             d->has_own_prices ? "" : ", the nearest known");
}

/* first counts, then places: the only memory of a system */
static int create_system(const struct lk_draft *d, struct lk_system **ret_system,
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
    name_prices(sys, d);
    r = layout_system(sys, d, &arena);
    if (r == 0)
        r = fill_system(sys, d, ret_error);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    summarise_system(sys, d, arena.used);
    *ret_system = sys;
    return 0;
}

/* @flops_max: of a step, 0: no limit */
static int check_size(const struct lk_draft *d, double flops_max, struct lk_error *ret_error)
{
    double flops =
        lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops;
    double size = 0;

    if (flops_max > 0 && flops > flops_max) {
        lk_error_set(ret_error,
                     "a step of '%s' takes %.2g floating point operations, expected at most %.2g; "
                     "use fewer joints, or fewer loops of them",
                     d->model->name, flops, flops_max);
        return LK_E_MODEL;
    }

    for (int i = 0; i < d->plan.n_fronts; i++)
        size += (double)d->plan.fronts[i].rows * d->plan.fronts[i].rows;
    if (size <= FRONTS_MAX)
        return 0;
    lk_error_set(ret_error,
                 "the loops of '%s' are too dense: its largest front has %d rows and all fronts "
                 "need %.0f MiB, expected at most %d MiB; use fewer joints at one body",
                 d->model->name, d->plan.largest, size / (1 << 17), FRONTS_MAX / (1 << 17));
    return LK_E_MODEL;
}

static int check_options(const struct lk_draft *d, struct lk_error *ret_error)
{
    if (!(d->h >= LK_STEP_MIN && d->h <= LK_STEP_MAX)) {
        lk_error_set(ret_error, "a step of %g s, expected %g to %g s", d->h, LK_STEP_MIN,
                     LK_STEP_MAX);
        return LK_E_MODEL;
    }
    if (d->iterations < 1 || d->iterations > LK_ITERATIONS_MAX) {
        lk_error_set(ret_error, "%d iterations, expected 1 to %d", d->iterations,
                     LK_ITERATIONS_MAX);
        return LK_E_MODEL;
    }
    return 0;
}

static int order_of(const struct lk_model *model, const struct lk_options *options)
{
    return options && options->order != 0 ? options->order : model->solver.order;
}

/* the largest angle that a body turns by in a step, at the rates of the start [rad] */
static double largest_turn(const struct lk_model *model, double h)
{
    double most = 0;

    for (int i = 0; i < model->n_bodies; i++)
        most = fmax(most, lk_norm(model->bodies[i].angular_velocity));
    return most * h;
}

/* Newton iterations of a formulation, where nobody says. A matrix that is kept over the step is
 * wrong by as much as bodies turn: a top that tumbles by 0.5, 1, 1.5 rad needs 6, 7, 9 instead
 * of 5. */
static int own_iterations(const struct lk_formulation *f, const struct lk_model *model, int order,
                          double h)
{
    double turn = largest_turn(model, h);

    if (order > 2 && f->extrapolation && f->extrapolation->iterations != 0)
        return f->extrapolation->iterations;
    if (f == &lk_formulation_rattle)
        return f->iterations + (turn > 0.4) + (turn > 0.7) + 2 * (turn > 1.25);
    return f->iterations != 0 ? f->iterations : LK_ITERATIONS;
}

/* struct how - arguments of lk_compile(). @in_hold: adds rows that hold coordinates;  @is_plain:
 * see struct lk_draft;  @parts: divisor of the requested step */
struct how {
    struct lk_compile_how told;
    int in_hold;
    int is_plain;
    int parts;
};

/* The system by batches where there are any, else one by one. Where the tension of bodies is
 * followed, which the finished system tells, batches need other fields and are chosen again. */
static int create_either(struct lk_draft *d, const struct lk_engine *const *engines,
                         struct lk_system **ret_system, struct lk_error *ret_error)
{
    int r = create_system(d, ret_system, ret_error);

    if (r != 0 || !d->batches || d->formulation != &lk_formulation_rattle ||
        lk_tension_count(*ret_system) == 0)
        return r;
    lk_system_free(*ret_system);
    lk_batches_free(d->batches);
    d->batches = NULL;
    d->is_tense = true;
    r = lk_batches_draft(d, engines);
    if (r != 0)
        return r;
    return create_system(d, ret_system, ret_error);
}

/* The combination of sequences reads poses, rows and factors of the first one one by one; the
 * others, which take most of the steps, only hand over their states. */
static bool may_batch(const struct lk_draft *d, int order, int parts)
{
    return !d->is_plain && (order == 2 || (parts > 1 && d->formulation == &lk_formulation_rattle));
}

/* compiles the model; its initial configuration is not assembled yet */
static int compile_model(const struct lk_model *model, const struct lk_options *options,
                         struct how how, struct lk_system **ret_system, struct lk_error *ret_error)
{
    struct lk_draft d = {
        .model = model,
        .in_hold = how.in_hold,
        .is_plain = how.is_plain,
        .formulation = how.told.formulation,
    };
    const struct lk_engine *engines[LK_ENGINES_MAX + 1];
    struct lk_processor processor;
    int r;

    lk_engines_here(engines);
    lk_processor_here(&processor);
    d.prices = lk_prices_find(&processor, &d.has_own_prices);
    d.engine = options && options->engine ? options->engine : model->solver.engine;
    d.h = options && options->step != 0 ? options->step : model->solver.step;
    d.iterations = options && options->iterations != 0 ? options->iterations
                   : model->solver.iterations != 0
                       ? model->solver.iterations
                       : own_iterations(d.formulation, model, order_of(model, options), d.h);
    r = check_options(&d, ret_error);
    if (r == 0)
        r = lk_engine_check(d.engine, ret_error);
    if (r != 0)
        return r;
    d.h /= how.parts;
    r = lk_draft_init(&d);
    if (r == 0)
        r = check_size(&d, how.told.flops_max, ret_error);
    if (r == 0 && may_batch(&d, order_of(model, options), how.parts))
        r = lk_batches_draft(&d, engines);
    if (r == 0)
        r = create_either(&d, engines, ret_system, ret_error);
    lk_draft_fini(&d);
    if (r == -ENOMEM)
        lk_error_set(ret_error, "not enough memory to compile '%s'", model->name);
    return r;
}

/* a velocity turns with the body that the assembly turns; so does its angular velocity, which is
 * stored in body axes */
static void turn_velocity(struct lk_motion *m, const double q[4])
{
    double before[9], after[9], local[3];

    lk_quat_matrix(m->q, before);
    lk_quat_matrix(q, after);
    lk_rotate_back(before, m->v.v, local);
    lk_rotate(after, local, m->v.v);
}

/* Assembles with held coordinates: a separate system has rows for them and only assembles the
 * initial configuration; the running system copies its poses. */
static int assemble_held(const struct lk_model *model, const struct lk_options *options,
                         struct how how, struct lk_system *sys, double *ret_gap,
                         struct lk_error *ret_error)
{
    struct lk_system *held;
    unsigned hold = 0;
    int r;

    for (int i = 0; i < model->n_joints; i++)
        hold |= model->joints[i].hold;
    if (!hold)
        return 0;
    how = (struct how){{how.told.formulation, 0, 0}, .in_hold = 1, .is_plain = 1, .parts = 1};
    r = compile_model(model, options, how, &held, ret_error);
    if (r != 0)
        return r;
    r = lk_start_assemble(held, ret_error);
    /* the parts of bodies may differ, their poses do not */
    for (int b = 0; b < sys->n_bodies && r == 0; b++) {
        const struct lk_motion *from = &held->now.motion[sys->body[b].of];

        turn_velocity(&sys->now.motion[b], from->q);
        memcpy(sys->now.motion[b].x, from->x, sizeof(from->x));
        memcpy(sys->now.motion[b].q, from->q, sizeof(from->q));
    }
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    *ret_gap = held->summary.assembly_gap;
    /* also of joints that a gear turned along with a held one */
    for (int i = 0; i < sys->n_coordinates && r == 0; i++)
        sys->now.coordinate[i] = held->now.coordinate[i];
    lk_system_free(held);
    return r;
}

/* how @formulation reaches @order, or NULL */
static const struct lk_combination *find_combination(const struct lk_formulation *formulation,
                                                     int order)
{
    const struct lk_extrapolation *e = formulation->extrapolation;

    for (size_t i = 0; e && i < sizeof(e->by) / sizeof(*e->by); i++)
        if (e->by[i].order == order)
            return &e->by[i];
    return NULL;
}

/* compiles the systems that step the same interval in two and three parts, for a higher order */
static int add_sequences(const struct lk_model *model, const struct lk_options *options,
                         struct how how, struct lk_system *sys, struct lk_error *ret_error)
{
    struct lk_summary *summary = &sys->summary;
    double flops = summary->step_flops;
    int r = 0;

    for (int k = 1; k < LK_SEQUENCES_MAX && sys->combination->weight[k] != 0 && r == 0; k++) {
        how = (struct how){{how.told.formulation, 0, 0}, .parts = k + 1};
        r = compile_model(model, options, how, &sys->sequence[k - 1], ret_error);
        if (r != 0)
            break;
        sys->n_sequences++;
        lk_extrapolate_adopt(sys, sys->sequence[k - 1]);
        summary->step_flops += (k + 1) * flops;
        summary->memory += sys->sequence[k - 1]->summary.memory;
    }
    sys->is_part = 1;
    if (sys->formulation->begin)
        sys->formulation->begin(sys);
    summary->step_flops += sys->project_flops;
    return r;
}

/* the order that is asked for, of a system at its start */
static int raise_order(const struct lk_model *model, const struct lk_options *options,
                       struct how how, struct lk_system *sys, struct lk_error *ret_error)
{
    const struct lk_formulation *f = sys->formulation;
    int is_open = strcmp(model->solver.formulation, "auto") == 0;
    const char *name = is_open ? f->name : model->solver.formulation;
    int order = order_of(model, options), has_own = f->order != 0;
    int r = lk_solver_check_order(has_own ? name : f->name, order, ret_error);

    if (r != 0 || (!has_own && order == 2))
        return r;
    sys->order = order;
    sys->summary.order = has_own ? f->order : order;
    sys->combination = find_combination(f, order);
    r = f->prepare ? f->prepare(sys, name, ret_error) : 0;
    if (r == 0)
        r = lk_extrapolate_check(sys, model, ret_error);
    return r == 0 && sys->combination ? add_sequences(model, options, how, sys, ret_error) : r;
}

/* rattle follows the tension in bodies that are light for it, which takes a factor more */
static void note_tension(struct lk_system *sys)
{
    int n = lk_steps_by(sys, &lk_formulation_rattle) ? lk_tension_count(sys) : 0;

    if (n > 0 && sys->note[0] == '\0')
        snprintf(
            sys->note, sizeof(sys->note),
            "%d bodies are light for the weight that may hang on them: their tension is in the "
            "matrix of the step",
            n);
}

int lk_compile(const struct lk_model *model, const struct lk_options *options,
               struct lk_compile_how told, struct lk_system **ret_system,
               struct lk_error *ret_error)
{
    struct how how = {
        .told = told, .is_plain = told.is_bare || told.formulation->wants_plain, .parts = 1};
    struct lk_system *sys = NULL;
    double gap = 0;
    int r = compile_model(model, options, how, &sys, ret_error);

    if (r != 0)
        return r;
    sys->starts_balanced |= options && options->equilibrium;
    r = assemble_held(model, options, how, sys, &gap, ret_error);
    if (r == 0)
        r = lk_start_consistent(sys, ret_error);
    sys->order = sys->summary.order = 2;
    sys->n_sequences = 1;
    if (r == 0 && !told.is_bare)
        r = raise_order(model, options, how, sys, ret_error);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    note_tension(sys);
    sys->summary.assembly_gap = fmax(sys->summary.assembly_gap, gap);
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    *ret_system = sys;
    return 0;
}

void lk_system_free(struct lk_system *system)
{
    if (system && system->formulation->close)
        system->formulation->close(system);
    for (int k = 0; k < LK_SEQUENCES_MAX - 1 && system; k++)
        lk_system_free(system->sequence[k]);
    free(system);
}
