/* SPDX-License-Identifier: Apache-2.0 */
/* From a model to a system: topology, plan of the fronts, one arena, the drawing as first state. */
#include "maths/vec.h"
#include "step/system.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRONTS_MAX (1 << 27) /* doubles of all fronts together: 1 GiB */

/** struct draft - what compiling needs beside the system. */
struct draft {
    const struct lk_model *model;
    double h;
    int iterations;
    int (*joint_body)[2]; /* ground as n_bodies */
    int *n_rows;
    double (*spring)[2]; /* stiffness and damping at each joint, summed */
    struct lk_topology topology;
    struct lk_plan plan;
};

static int draft_topology(struct draft *d)
{
    const struct lk_model *m = d->model;
    size_t n = (size_t)m->n_joints + 1;

    d->joint_body = calloc(n, sizeof(*d->joint_body));
    d->n_rows = calloc(n, sizeof(*d->n_rows));
    d->spring = calloc(n, sizeof(*d->spring));
    if (!d->joint_body || !d->n_rows || !d->spring)
        return -ENOMEM;
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type != LK_FORCE_JOINT_SPRING_DAMPER)
            continue;
        d->spring[f->joint][0] += f->stiffness;
        d->spring[f->joint][1] += f->damping;
    }
    for (int j = 0; j < m->n_joints; j++) {
        for (int s = 0; s < 2; s++) {
            int body = m->joints[j].body[s];

            d->joint_body[j][s] = body == LK_GROUND ? m->n_bodies : body;
        }
        d->n_rows[j] =
            lk_joint_ops(m->joints[j].type)->n_rigid + (d->spring[j][0] > 0 || d->spring[j][1] > 0);
    }
    d->topology = (struct lk_topology){
        .n_bodies = m->n_bodies,
        .n_joints = m->n_joints,
        .body = (const int(*)[2])d->joint_body,
        .n_rows = d->n_rows,
    };
    return lk_plan_best(&d->topology, d->iterations + 2 + (m->n_inputs > 0), &d->plan);
}

static void draft_fini(struct draft *d)
{
    lk_plan_fini(&d->plan);
    free(d->joint_body);
    free(d->n_rows);
    free(d->spring);
}

static int input_size(const struct lk_model *m)
{
    struct lk_channel c;
    int size = 0;

    for (int i = 0; i < m->n_inputs; i++) {
        lk_channels_describe_input(&m->inputs[i], size, &c);
        size += c.size;
    }
    return size;
}

static void layout_state(struct lk_system *sys, struct lk_state *state, struct lk_arena *arena)
{
    size_t motion = (size_t)sys->n_bodies * sizeof(struct lk_motion) / sizeof(double);
    size_t lambda = (size_t)sys->n_rows, coordinate = (size_t)sys->n_joints;
    size_t rate = coordinate, inputs = (size_t)sys->input_size;
    size_t books = sizeof(struct lk_books) / sizeof(double);

    sys->state_size = motion + lambda + coordinate + rate + inputs + books;
    state->block = lk_arena_take(arena, sys->state_size, sizeof(double));
    if (!arena->base)
        return;
    state->motion = (struct lk_motion *)state->block;
    state->lambda = state->block + motion;
    state->coordinate = state->lambda + lambda;
    state->rate = state->coordinate + coordinate;
    state->inputs = state->rate + rate;
    state->books = (struct lk_books *)(state->inputs + inputs);
}

static void layout_jacobians(struct lk_system *sys, const struct draft *d, struct lk_arena *arena)
{
    size_t size = 0;
    double *values;

    for (int i = 0; i < sys->n_joints; i++) {
        int is_point = lk_joint_ops(d->model->joints[i].type)->is_point;

        size += (size_t)lk_jacobian_size(lk_jacobian_pad(d->n_rows[i]), is_point);
    }
    values = lk_arena_take(arena, size, sizeof(double));
    for (int i = 0; i < sys->n_joints && arena->base; i++) {
        struct lk_jacobian *jacobian = &sys->jacobian[i];

        *jacobian = (struct lk_jacobian){
            .J = values,
            .pad = lk_jacobian_pad(d->n_rows[i]),
            .is_point = lk_joint_ops(d->model->joints[i].type)->is_point,
        };
        values += lk_jacobian_size(jacobian->pad, jacobian->is_point);
    }
}

/* The order is the order of use in a step; names and channels, which no step reads, come last. */
static void layout(struct lk_system *sys, const struct draft *d, struct lk_arena *arena)
{
    const struct lk_model *m = d->model;
    size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints;

    layout_state(sys, &sys->now, arena);
    layout_state(sys, &sys->next, arena);
    sys->body = lk_arena_take(arena, bodies + 1, sizeof(*sys->body));
    sys->W = lk_arena_take(arena, bodies + 1, sizeof(*sys->W));
    sys->sW = lk_arena_take(arena, bodies + 1, sizeof(*sys->sW));
    sys->side = lk_arena_take(arena, 2 * joints, sizeof(*sys->side));
    sys->first_side = lk_arena_take(arena, bodies + 1, sizeof(*sys->first_side));
    sys->joint = lk_arena_take(arena, joints, sizeof(*sys->joint));
    sys->regular = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    sys->pose = lk_arena_take(arena, bodies + 1, sizeof(*sys->pose));
    sys->twist = lk_arena_take(arena, bodies + 1, sizeof(*sys->twist));
    sys->residual = lk_arena_take(arena, bodies + 1, sizeof(*sys->residual));
    sys->correction = lk_arena_take(arena, bodies + 1, sizeof(*sys->correction));
    sys->quad = lk_arena_take(arena, (bodies + 3) / 4, sizeof(*sys->quad));
    sys->jacobian = lk_arena_take(arena, joints, sizeof(*sys->jacobian));
    layout_jacobians(sys, d, arena);
    sys->solution = lk_arena_take(arena, (size_t)sys->n_rows + LK_ROWS_PAD, sizeof(double));
    lk_fronts_layout(&sys->fronts, &d->topology, &d->plan, sys->jacobian, arena);
    sys->load = lk_arena_take(arena, (size_t)m->n_forces, sizeof(*sys->load));
    sys->spring = lk_arena_take(arena, (size_t)m->n_forces, sizeof(*sys->spring));
    sys->input = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input));
    sys->output = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output));
    layout_state(sys, &sys->start, arena);
    sys->input_channel = lk_arena_take(arena, (size_t)m->n_inputs, sizeof(*sys->input_channel));
    sys->output_channel = lk_arena_take(arena, (size_t)m->n_outputs, sizeof(*sys->output_channel));
    sys->body_name = lk_arena_take(arena, bodies, sizeof(*sys->body_name));
    sys->joint_name = lk_arena_take(arena, joints, sizeof(*sys->joint_name));
}

static void fill_body(struct lk_system *sys, int b, const struct lk_body_def *def)
{
    struct lk_motion *m = &sys->now.motion[b];
    double R[9];

    memcpy(sys->body_name[b], def->name, LK_NAME_SIZE);
    sys->body[b].mass = def->mass;
    memcpy(sys->body[b].inertia, def->inertia, sizeof(def->inertia));
    sys->W[b].mass = 1 / def->mass;
    lk_sym_inverse(def->inertia, sys->W[b].inertia);
    sys->sW[b].mass = sys->s * sys->W[b].mass;
    for (int i = 0; i < 6; i++)
        sys->sW[b].inertia[i] = sys->s * sys->W[b].inertia[i];
    memcpy(m->x, def->position, sizeof(m->x));
    memcpy(m->q, def->orientation, sizeof(m->q));
    memcpy(m->v.v, def->velocity, sizeof(m->v.v));
    lk_quat_matrix(m->q, R);
    lk_rotate_back(R, def->angular_velocity, m->v.w);
}

static void fill_quads(struct lk_system *sys)
{
    for (int lane = 0; lane < (sys->n_bodies + 3) / 4 * 4; lane++) {
        const struct lk_body *body = &sys->body[lane < sys->n_bodies ? lane : sys->n_bodies - 1];
        struct lk_quad *quad = &sys->quad[lane / 4];

        quad->mass[lane % 4] = body->mass;
        for (int i = 0; i < 6; i++)
            quad->inertia[i][lane % 4] = body->inertia[i];
    }
}

/* three unit vectors, the third along @axis */
static void frame_of_axis(const double axis[3], double f[3][3])
{
    double pick[3] = {0, 0, 0};
    int smallest = 0;
    double length;

    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) < fabs(axis[smallest]))
            smallest = i;
    pick[smallest] = 1;
    lk_cross(axis, pick, f[0]);
    length = lk_norm(f[0]);
    for (int i = 0; i < 3; i++) {
        f[0][i] /= length;
        f[2][i] = axis[i];
    }
    lk_cross(f[2], f[0], f[1]);
}

/* @f turned the shortest way that takes its third vector into @axis (half a turn about f[0] where
 * both are opposite) */
static void turn_frame(double f[3][3], const double axis[3])
{
    double cosine = lk_dot(f[2], axis);
    double k[3];

    if (cosine < -1 + 1e-12) {
        for (int i = 0; i < 3; i++) {
            f[1][i] = -f[1][i];
            f[2][i] = axis[i];
        }
        return;
    }
    /* Rodrigues with k = f2 x axis: v + k x v + k x (k x v) / (1 + cos) */
    lk_cross(f[2], axis, k);
    for (int n = 0; n < 3; n++) {
        double once[3], twice[3];

        lk_cross(k, f[n], once);
        lk_cross(k, once, twice);
        for (int i = 0; i < 3; i++)
            f[n][i] += once[i] + twice[i] / (1 + cosine);
    }
}

/* the joint's point and frame as drawn, in the axes of either body */
static void fill_joint_sides(struct lk_system *sys, struct lk_joint *j,
                             const struct lk_joint_def *def)
{
    static const double world[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int has_axis = def->type == LK_JOINT_REVOLUTE || def->type == LK_JOINT_PRISMATIC;
    double f[3][3];

    memcpy(f, world, sizeof(f));
    if (has_axis)
        frame_of_axis(def->axis[0], f);
    for (int s = 0; s < 2; s++) {
        const struct lk_pose *pose = &sys->pose[j->body[s]];
        double arm[3];

        if (s == 1 && has_axis)
            turn_frame(f, def->axis[1]);
        lk_sub(def->point[s], pose->x, arm);
        lk_rotate_back(pose->R, arm, j->p[s]);
        for (int k = 0; k < 3; k++)
            lk_rotate_back(pose->R, f[k], j->f[s][k]);
    }
}

static void fill_joint(struct lk_system *sys, const struct draft *d, int i)
{
    const struct lk_joint_def *def = &d->model->joints[i];
    const struct lk_joint_type_ops *ops = lk_joint_ops(def->type);
    struct lk_joint *j = &sys->joint[i];

    memcpy(sys->joint_name[i], def->name, LK_NAME_SIZE);
    *j = (struct lk_joint){
        .type = def->type,
        .body = {d->joint_body[i][0], d->joint_body[i][1]},
        .n_rigid = ops->n_rigid,
        .n_rows = d->n_rows[i],
        .n_length = ops->n_length,
        .row = d->plan.row[i],
        .coordinate = def->coordinate,
        .stiffness = d->spring[i][0],
        .damping = d->spring[i][1],
    };
    fill_joint_sides(sys, j, def);
    if (def->type == LK_JOINT_PRISMATIC) {
        double travel[3];

        lk_sub(def->point[1], def->point[0], travel);
        j->coordinate -= lk_dot(def->axis[0], travel);
    }
    sys->now.coordinate[i] = def->coordinate;
}

/* the sides of joints at each body; those at the ground carry nothing */
static void fill_sides(struct lk_system *sys, const struct draft *d)
{
    int n = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        sys->first_side[b] = n;
        for (int i = 0; i < sys->n_joints; i++)
            for (int s = 0; s < 2; s++)
                if (sys->joint[i].body[s] == b)
                    sys->side[n++] =
                        lk_side_of(sys->jacobian[i], s, sys->joint[i].row, d->n_rows[i]);
    }
    sys->first_side[sys->n_bodies] = n;
}

static struct lk_load load_of(const struct lk_system *sys, int body, const double point[3],
                              enum lk_frame frame, int is_torque)
{
    struct lk_load l = {
        .body = body,
        .is_torque = is_torque,
        .in_body_frame = frame == LK_FRAME_BODY,
    };
    double arm[3];

    lk_sub(point, sys->pose[body].x, arm);
    lk_rotate_back(sys->pose[body].R, arm, l.point);
    return l;
}

/* Springs at one joint act as one compliant row: stiffness and damping add up, and the common rest
 * is the mean weighted by stiffness. */
static void fill_forces(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type == LK_FORCE_JOINT_SPRING_DAMPER) {
            struct lk_joint *j = &sys->joint[f->joint];

            sys->spring[sys->n_springs++] = (struct lk_spring){
                .joint = f->joint,
                .stiffness = f->stiffness,
                .damping = f->damping,
                .rest = f->rest,
            };
            if (j->stiffness > 0)
                j->rest += f->rest * f->stiffness / j->stiffness;
            j->needs_coordinate = 1;
            continue;
        }
        struct lk_load *l = &sys->load[sys->n_loads++];
        *l = load_of(sys, f->body, f->point, f->frame, f->type == LK_FORCE_CONSTANT_TORQUE);
        memcpy(l->vector, f->vector, sizeof(l->vector));
    }
}

static void fill_channels(struct lk_system *sys, const struct lk_model *m)
{
    for (int i = 0, at = 0; i < m->n_inputs; i++) {
        const struct lk_input_def *def = &m->inputs[i];
        struct lk_input *in = &sys->input[i];

        lk_channels_describe_input(def, at, &sys->input_channel[i]);
        *in = (struct lk_input){.type = def->type, .joint = def->joint, .offset = at};
        if (def->type == LK_INPUT_BODY_FORCE || def->type == LK_INPUT_BODY_TORQUE)
            in->load =
                load_of(sys, def->body, def->point, def->frame, def->type == LK_INPUT_BODY_TORQUE);
        at += sys->input_channel[i].size;
    }
    for (int i = 0; i < m->n_outputs; i++) {
        const struct lk_output_def *def = &m->outputs[i];
        struct lk_output *out = &sys->output[i];
        int on_joint =
            def->type == LK_OUTPUT_JOINT_POSITION || def->type == LK_OUTPUT_JOINT_VELOCITY;

        *out = (struct lk_output){
            .type = def->type, .joint = def->joint, .body = def->body, .offset = sys->output_size};
        lk_channels_describe_output(def, on_joint ? m->joints[def->joint].type : LK_JOINT_REVOLUTE,
                                    out->offset, &sys->output_channel[i]);
        if (def->type == LK_OUTPUT_POINT_POSITION || def->type == LK_OUTPUT_POINT_VELOCITY)
            memcpy(out->point, load_of(sys, def->body, def->point, LK_FRAME_WORLD, 0).point,
                   sizeof(out->point));
        if (def->type == LK_OUTPUT_JOINT_POSITION)
            sys->joint[def->joint].needs_coordinate = 1;
        sys->output_size += sys->output_channel[i].size;
    }
}

/* mean of s Phi W Phi^T over rows [from, to) of one side of a joint */
static double mean_diagonal(const struct lk_system *sys, int joint, int side, int from, int to)
{
    const struct lk_inverse_mass *W = &sys->W[sys->joint[joint].body[side]];
    double sum = 0;

    for (int r = from; r < to; r++) {
        double row[6], turn[3];

        lk_jacobian_row(sys->jacobian[joint], side, r, row);
        lk_sym_mul(W->inertia, row + 3, turn);
        sum += W->mass * lk_dot(row, row) + lk_dot(row + 3, turn);
    }
    return sys->s * sum / (to - from);
}

/* E of rigid rows: 2 eps times the smaller of the two bodies' mean diagonals, lengths and angles
 * apart; eps is the smallest that keeps the multipliers of redundant rows out of round-off */
static void regularise(struct lk_system *sys)
{
    double ratio = 1e-3 / sys->h;
    double eps = fmin(1e-8 * fmax(1, ratio * ratio), 1e-6);

    lk_evaluate_jacobians(sys);
    for (int i = 0; i < sys->n_joints; i++) {
        struct lk_joint *j = &sys->joint[i];
        const int bound[3] = {0, j->n_length, j->n_rigid};

        for (int unit = 0; unit < 2; unit++) {
            double mean = INFINITY;

            if (bound[unit] == bound[unit + 1])
                continue;
            for (int s = 0; s < 2; s++)
                if (j->body[s] != sys->n_bodies)
                    mean = fmin(mean, mean_diagonal(sys, i, s, bound[unit], bound[unit + 1]));
            for (int r = bound[unit]; r < bound[unit + 1]; r++)
                sys->regular[j->row + r] = 2 * eps * mean;
        }
    }
}

static void fill(struct lk_system *sys, const struct draft *d)
{
    const struct lk_model *m = d->model;

    sys->pose[sys->n_bodies] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(sys->gravity, m->gravity, sizeof(sys->gravity));
    for (int b = 0; b < m->n_bodies; b++) {
        fill_body(sys, b, &m->bodies[b]);
        sys->summary.total_mass += m->bodies[b].mass;
    }
    fill_quads(sys);
    lk_evaluate_poses(sys, &sys->now);
    for (int i = 0; i < m->n_joints; i++) {
        fill_joint(sys, d, i);
        sys->summary.n_rows_rigid += sys->joint[i].n_rigid;
    }
    fill_sides(sys, d);
    fill_forces(sys, m);
    fill_channels(sys, m);
    regularise(sys);
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
}

static void summarise(struct lk_system *sys, const struct draft *d, size_t memory)
{
    struct lk_summary *s = &sys->summary;
    int solves = sys->iterations + 2 + (sys->n_inputs > 0);

    s->n_bodies = sys->n_bodies;
    s->n_joints = sys->n_joints;
    s->n_rows_compliant = sys->n_rows - s->n_rows_rigid;
    s->tree_depth = d->plan.depth;
    s->tree_fronts = d->plan.n_fronts;
    s->largest_front = d->plan.largest;
    s->step_flops = 2 * d->plan.factor_flops + solves * d->plan.solve_flops;
    s->memory = memory;
}

/* counts, then places: the only memory of a system */
static int create(const struct draft *d, struct lk_system **ret_system)
{
    const struct lk_model *m = d->model;
    struct lk_system shape = {
        .h = d->h,
        .s = d->h * d->h / 4,
        .iterations = d->iterations,
        .n_bodies = m->n_bodies,
        .n_joints = m->n_joints,
        .n_inputs = m->n_inputs,
        .n_outputs = m->n_outputs,
        .input_size = input_size(m),
    };
    struct lk_arena arena = {0};
    struct lk_system *sys;

    for (int i = 0; i < m->n_joints; i++)
        shape.n_rows += d->n_rows[i];
    sys = lk_arena_take(&arena, 1, sizeof(*sys));
    layout(&shape, d, &arena);
    arena.base = aligned_alloc(LK_CACHE_LINE, arena.used);
    if (!arena.base)
        return -ENOMEM;
    memset(arena.base, 0, arena.used);
    arena.used = 0;
    sys = lk_arena_take(&arena, 1, sizeof(*sys));
    *sys = shape;
    layout(sys, d, &arena);
    fill(sys, d);
    summarise(sys, d, arena.used);
    *ret_system = sys;
    return 0;
}

static int check_size(const struct draft *d, struct lk_error *ret_error)
{
    double size = 0;

    for (int i = 0; i < d->plan.n_fronts; i++)
        size += (double)d->plan.fronts[i].rows * d->plan.fronts[i].rows;
    if (size <= FRONTS_MAX)
        return 0;
    lk_error_set(
        ret_error,
        "the joints of '%s' are too entangled: its largest dense block has %d rows and all "
        "need %.0f MiB, expected at most %d MiB; use fewer joints at one body",
        d->model->name, d->plan.largest, size / (1 << 17), FRONTS_MAX / (1 << 17));
    return LK_E_MODEL;
}

static int check_options(const struct draft *d, struct lk_error *ret_error)
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

int lk_system_new(const struct lk_model *model, const struct lk_options *options,
                  struct lk_system **ret_system, struct lk_error *ret_error)
{
    struct draft d = {.model = model};
    struct lk_system *sys = NULL;
    int r;

    d.h = options && options->step != 0 ? options->step : model->solver.step;
    d.iterations =
        options && options->iterations != 0 ? options->iterations : model->solver.iterations;
    r = check_options(&d, ret_error);
    if (r == 0)
        r = draft_topology(&d);
    if (r == 0)
        r = check_size(&d, ret_error);
    if (r == 0)
        r = create(&d, &sys);
    draft_fini(&d);
    if (r == -ENOMEM)
        lk_error_set(ret_error, "not enough memory to compile '%s'", model->name);
    if (r != 0)
        return r;
    sys->formulation = lk_formulation_find(model->solver.formulation);
    r = lk_start_consistent(sys, ret_error);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    *ret_system = sys;
    return 0;
}

void lk_system_free(struct lk_system *system)
{
    free(system);
}
