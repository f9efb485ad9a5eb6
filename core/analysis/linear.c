/* SPDX-License-Identifier: Apache-2.0 */
/* Small motions about the start: see linkage/modes.h. */
#include "analysis/linear.h"
#include "compile/compile.h"
#include "compile/contact_springs.h"
#include "linkage/modes.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <errno.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOTIONS_MAX 1000
/* differences of poses [rad, arms of the mechanism], and of velocities [the same per second] */
#define NUDGE       1e-5
#define NUDGE_INPUT 1e-4  /* change of an input, relative to its range or to 1 */
#define TOUCHES     1e-6  /* gap that may be closed [m] */
#define LEAST_FORCE 1e-30 /* least normal force of a contact that touches [N] */
#define STILL       1e-9  /* speed that counts as rest [m/s] */
#define RESTS_MAX   20    /* steps of Newton's method to the place of rest */

/* ---- states near the start ---- */

static void restore(struct lk_linear_work *w)
{
    memcpy(w->sys->now.block, w->base, w->sys->state_size * sizeof(double));
}

void lk_linear_move_body(struct lk_system *sys, int b, const double *move, double amount)
{
    struct lk_motion *m = &sys->now.motion[b];
    double turn[3], dq[4], q[4];

    for (int k = 0; k < 3; k++) {
        m->x[k] += amount * move[k];
        turn[k] = amount * move[3 + k];
    }
    lk_rotation_exp(turn, dq);
    lk_quat_mul(dq, m->q, q);
    lk_quat_normalise(q);
    memcpy(m->q, q, sizeof(q));
}

static void push_body(struct lk_system *sys, int b, const double *move, double amount)
{
    struct lk_motion *m = &sys->now.motion[b];
    double turn[3];

    lk_rotate_back(sys->pose[b].R, move + 3, turn);
    for (int k = 0; k < 3; k++) {
        m->v.v[k] += amount * move[k];
        m->v.w[k] += amount * turn[k];
    }
}

/* move the modes by @amount, or change their rates */
static void move_modes(const struct lk_linear_work *w, bool are_rates, const double *motion,
                       double amount)
{
    struct lk_system *sys = w->sys;

    for (int k = 0; k < sys->n_modes; k++) {
        struct lk_mode_state *mode = &sys->now.mode[k];

        *(are_rates ? &mode->v : &mode->q) += amount * motion[6 * sys->n_bodies + k];
    }
}

static int size_of_look(const struct lk_linear_work *w)
{
    return 2 * w->n + w->l->n_outputs + w->sys->net.n_states;
}

/* Set the forces of the contacts that touch at the start. They stick, or slide without friction,
 * and do not open: small motions are linear. */
static void press(struct lk_linear_work *w)
{
    struct lk_system *sys = w->sys;

    lk_modal_settle(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        double *lambda = sys->now.lambda + sys->joint[c->joint].row, x[3];
        bool sticks = lk_contacts_friction(c, sys->now.inputs) > 0;

        lk_contact_deflections(sys, i, (const double(*)[3])w->anchor[i], x);
        for (int r = 0; r < 3 && lambda[2] < -LEAST_FORCE; r++)
            lambda[r] = r == 2 || sticks ? x[r] / (2 * c->soft[r]) : 0;
    }
}

/* evaluate velocities, accelerations, outputs and rates of blocks of the present state near the
 * start. @ret: n, n, outputs, states of blocks */
static void look(struct lk_linear_work *w, double *ret)
{
    struct lk_system *sys = w->sys;

    if (sys->n_contacts > 0)
        press(w);
    lk_start_beside(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        double *v = ret + 6 * b, *a = ret + w->n + 6 * b;

        memcpy(v, m->v.v, 3 * sizeof(double));
        memcpy(a, m->a.v, 3 * sizeof(double));
        lk_rotate(sys->pose[b].R, m->v.w, v + 3);
        lk_rotate(sys->pose[b].R, m->a.w, a + 3);
    }
    for (int k = 0; k < sys->n_modes; k++) {
        ret[6 * sys->n_bodies + k] = sys->now.mode[k].v;
        ret[w->n + 6 * sys->n_bodies + k] = sys->now.mode[k].a;
    }
    lk_system_outputs(sys, ret + 2 * w->n);
    lk_blocks_rates(sys, ret + 2 * w->n + w->l->n_outputs);
}

enum change { POSITION, RATE, INPUT, STATE };

/* Return the motion of coordinate @i, or of its rate. */
static const double *motion_of(const struct lk_linear_work *w, enum change change, int i)
{
    return (change == POSITION ? &w->place : &w->rate)->N + (size_t)i * (size_t)w->n;
}

static void look_beside(struct lk_linear_work *w, enum change change, int i, double amount,
                        double *ret)
{
    struct lk_system *sys = w->sys;
    const double *motion = change <= RATE ? motion_of(w, change, i) : NULL;

    restore(w);
    lk_evaluate_poses(sys, &sys->now);
    for (int b = 0; b < sys->n_bodies && change == POSITION; b++)
        lk_linear_move_body(sys, b, motion + 6 * b, amount);
    if (change == POSITION && w->is_turning) { /* with the rates of the frame there */
        memset(w->turned, 0, (size_t)w->n * sizeof(double));
        lk_linear_add_turn(w, 1, motion, w->turned);
        for (int b = 0; b < sys->n_bodies; b++)
            push_body(sys, b, w->turned + 6 * b, amount);
    }
    for (int b = 0; b < sys->n_bodies && change == RATE; b++)
        push_body(sys, b, motion + 6 * b, amount);
    if (change <= RATE)
        move_modes(w, change == RATE, motion, amount);
    if (change == INPUT)
        sys->now.inputs[i] += amount;
    if (change == STATE)
        sys->now.blocks[i] += amount;
    look(w, ret);
}

/* compute central differences, in w->side[0] */
static void differ(struct lk_linear_work *w, enum change change, int i, double amount)
{
    int size = size_of_look(w);

    look_beside(w, change, i, amount, w->side[0]);
    look_beside(w, change, i, -amount, w->side[1]);
    for (int k = 0; k < size; k++)
        w->side[0][k] = (w->side[0][k] - w->side[1][k]) / (2 * amount);
}

/* Add spin x rotation of @motion to @moves, because motions are in world axes, in which the axis of
 * a rotor is fixed. */
static void add_spin(const struct lk_linear_work *w, const double *motion, double *moves)
{
    for (int b = 0; b < w->sys->n_bodies; b++) {
        double turned[3];

        lk_cross(w->spin[b], motion + 6 * b + 3, turned);
        for (int k = 0; k < 3; k++)
            moves[6 * b + 3 + k] += turned[k];
    }
}

/* ---- the matrices ---- */

static double size_of_motion(const struct lk_linear_work *w, const double *motion)
{
    double size = w->sys->arm > 0 ? w->sys->arm : 1, largest = 0;
    int bodies = 6 * w->sys->n_bodies;

    for (int k = 0; k < bodies; k++)
        largest = lk_max(largest, fabs(motion[k]) / (k % 6 < 3 ? size : 1));
    for (int i = 0; i < w->sys->n_modals; i++)
        for (int k = 0; k < w->sys->modal[i].n; k++) {
            double q = motion[bodies + w->sys->modal[i].at + k];

            largest =
                lk_max(largest, fabs(q) / (size * sqrt(w->sys->body[w->sys->modal[i].body].mass)));
        }
    return largest > 0 ? largest : 1;
}

static void fill_output(struct lk_linear_work *w, double *matrix, int n_columns, int column)
{
    for (int i = 0; i < w->l->n_outputs; i++)
        matrix[(size_t)i * (size_t)n_columns + (size_t)column] = w->side[0][2 * w->n + i];
}

/* fill the rows of the rates of blocks */
static void fill_rates(struct lk_linear_work *w, double *matrix, int n_columns, int column)
{
    const double *rates = w->side[0] + 2 * w->n + w->l->n_outputs;

    for (int i = 0; i < w->sys->net.n_states; i++)
        matrix[(size_t)(w->l->n_motions + w->l->n_rates + i) * (size_t)n_columns + (size_t)column] =
            rates[i];
}

/* Fill the rows of accelerations: the rates of rates. */
static void fill_accelerations(struct lk_linear_work *w, double *matrix, int n_columns, int column)
{
    double *z = w->coordinates;

    lk_linear_project(w, &w->rate, w->side[0] + w->n, z);
    for (int k = 0; k < w->l->n_rates; k++)
        matrix[(size_t)(w->l->n_motions + k) * (size_t)n_columns + (size_t)column] = z[k];
}

/* Compute the rates of all coordinates for the column of coordinate @i, or of its rate, and their
 * motion. */
static void find_rates(struct lk_linear_work *w, enum change change, int i, double *z,
                       double *motion)
{
    const double *moved = motion_of(w, change, i);

    memcpy(motion, change == POSITION ? w->side[0] : moved, (size_t)w->n * sizeof(double));
    if (change == POSITION) {
        add_spin(w, moved, motion);
        lk_linear_add_turn(w, -1, moved, motion);
    }
    lk_linear_project(w, &w->place, motion, z);
    /* by the choice of the motion, without round-off */
    for (int k = 0; k < w->rate.n && change == RATE; k++)
        z[k] = k == i;
    memset(motion, 0, (size_t)w->n * sizeof(double));
    for (int c = 0; c < w->place.n; c++)
        for (int k = 0; k < w->n; k++)
            motion[k] += z[c] * w->place.N[(size_t)c * (size_t)w->n + (size_t)k];
}

/* Fill the column of coordinate @i, or of its rate. The deviation of the velocities is S dq + N r,
 * with r the rates and S the velocities of look() at a nearby pose: the spins turned with the
 * bodies and projected. So N r' = a - S dq', and the projection of S is in the space of the rows,
 * of which N has no part: only the turned spins remain. In axes that turn by w, the deviation of
 * velocities d has d' = a - w x d, and S dq contains w x dq. */
static void fill_state(struct lk_linear_work *w, enum change change, int i)
{
    struct lk_linear *l = w->l;
    int column = change == POSITION ? i : l->n_motions + i;
    double *z = w->coordinates, *motion = w->side[1];

    differ(w, change, i, w->nudge / size_of_motion(w, motion_of(w, change, i)));
    find_rates(w, change, i, z, motion);
    for (int k = 0; k < l->n_motions; k++)
        l->A[(size_t)k * (size_t)l->n_states + (size_t)column] = z[k];
    add_spin(w, motion, w->side[0] + w->n);
    lk_linear_add_turn(w, -1, w->side[0], w->side[0] + w->n);
    lk_linear_add_turn(w, -1, motion, w->side[0] + w->n);
    fill_accelerations(w, l->A, l->n_states, column);
    fill_rates(w, l->A, l->n_states, column);
    fill_output(w, l->C, l->n_states, column);
}

/* Fill the column of state @i of the blocks. */
static void fill_block(struct lk_linear_work *w, int i)
{
    struct lk_linear *l = w->l;
    int column = l->n_motions + l->n_rates + i;

    differ(w, STATE, i, NUDGE * lk_max(1, fabs(w->sys->start.blocks[i])));
    fill_accelerations(w, l->A, l->n_states, column);
    fill_rates(w, l->A, l->n_states, column);
    fill_output(w, l->C, l->n_states, column);
}

static double range_of(const struct lk_channel *c)
{
    return isfinite(c->high - c->low) && c->high > c->low ? c->high - c->low : 1;
}

static void fill_inputs(struct lk_linear_work *w)
{
    struct lk_linear *l = w->l;
    int n;
    const struct lk_channel *channel = lk_system_input_channels(w->sys, &n);

    for (int c = 0; c < n; c++)
        for (int k = 0; k < channel[c].size; k++) {
            int column = channel[c].offset + k;

            differ(w, INPUT, column, NUDGE_INPUT * range_of(&channel[c]));
            fill_accelerations(w, l->B, l->n_inputs, column);
            fill_rates(w, l->B, l->n_inputs, column);
            fill_output(w, l->D, l->n_inputs, column);
        }
}

static void fill_matrices(struct lk_linear_work *w)
{
    struct lk_linear *l = w->l;
    double *z = w->coordinates;

    for (int i = 0; i < l->n_motions; i++)
        fill_state(w, POSITION, i);
    for (int i = 0; i < l->n_rates; i++)
        fill_state(w, RATE, i);
    for (int i = 0; i < w->sys->net.n_states; i++)
        fill_block(w, i);
    fill_inputs(w);
    lk_linear_project(w, &w->rate, w->rest, z);
    for (int i = 0; i < l->n_rates; i++)
        l->unrest = lk_max(l->unrest, fabs(z[i]));
}

/* ---- linearisation ---- */

static double *take(size_t rows, size_t columns)
{
    return calloc(rows * columns + 1, sizeof(double));
}

static int take_matrices(struct lk_linear_work *w)
{
    struct lk_linear *l = w->l;
    const struct lk_net *net = &w->sys->net;
    size_t f = (size_t)l->n_motions, x = f + (size_t)l->n_rates + (size_t)net->n_states;
    size_t u = (size_t)l->n_inputs, y = (size_t)l->n_outputs, size = (size_t)size_of_look(w);

    l->n_states = (int)x;
    l->n_bodies = w->sys->n_named_bodies;
    l->A = take(x, x);
    l->B = take(x, u);
    l->C = take(y, x);
    l->D = take(y, u);
    l->mass = take(f, f);
    l->motion = take(f, 6 * (size_t)l->n_bodies);
    l->momentum = take(f, 6 * (size_t)l->n_bodies);
    l->n_bends = w->sys->n_modes;
    l->bend = take(f, (size_t)l->n_bends);
    l->bend_momentum = take(f, (size_t)l->n_bends);
    l->bend_body = calloc((size_t)l->n_bends + 1, sizeof(*l->bend_body));
    w->is_idle = calloc(f + 1, sizeof(*w->is_idle));
    w->coordinates = take(1, f);
    w->rest = take(1, size);
    w->side[0] = take(1, size);
    w->side[1] = take(1, size);
    w->turned = take(1, size);
    l->block = calloc((size_t)net->n_states + 1, sizeof(*l->block));
    w->base = take(1, w->sys->state_size);
    w->spin = calloc((size_t)w->sys->n_bodies + 1, sizeof(*w->spin));
    w->anchor = calloc((size_t)w->sys->n_contacts + 1, sizeof(*w->anchor));
    return l->block && l->A && l->B && l->C && l->D && l->mass && l->motion && l->momentum &&
                   l->bend && l->bend_momentum && l->bend_body && w->coordinates && w->is_idle &&
                   w->rest && w->side[0] && w->side[1] && w->turned && w->base && w->spin &&
                   w->anchor
               ? 0
               : -ENOMEM;
}

static void name_states(struct lk_linear_work *w)
{
    const struct lk_net *net = &w->sys->net;

    for (int i = 0; i < net->n_blocks; i++)
        for (int k = 0; k < net->block[i].n_states; k++)
            w->l->block[net->block[i].state + k] = net->name[i];
}

/* Store the present state after lk_start_beside(), with its spin and accelerations. */
static int take_base(struct lk_linear_work *w)
{
    struct lk_system *sys = w->sys;
    size_t n = (size_t)w->n;

    if (!sys->starts_balanced)
        lk_tyres_hold(sys);
    for (int i = 0; i < sys->n_contacts; i++)
        lk_contact_anchor(sys, i, w->anchor[i]);
    memcpy(w->base, sys->now.block, sys->state_size * sizeof(double));
    look(w, w->side[0]);
    memcpy(w->base, sys->now.block, sys->state_size * sizeof(double));
    for (int b = 0; b < sys->n_bodies; b++)
        memcpy(w->spin[b], w->side[0] + 6 * b + 3, 3 * sizeof(double));
    memcpy(w->rest, w->side[0] + n, n * sizeof(double));
    lk_linear_add_turn(w, -1, w->side[0], w->rest);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(w->rest[i]))
            return -EINVAL;
    return 0;
}

static int find_coordinates(struct lk_linear_work *w, struct lk_error *error)
{
    int r = lk_linear_find_coordinates(w);

    if (r < 0 || (r == 0 && w->l->n_motions <= MOTIONS_MAX))
        return r;
    lk_error_set(error, "too many degrees of freedom for dense matrices; expected at most %d",
                 MOTIONS_MAX);
    return LK_E_MODEL;
}

static int refuse_rolling(const struct lk_system *sys, struct lk_error *error)
{
    struct lk_extent extent;

    lk_system_extent(sys, &extent);
    if (sys->n_tyres == 0 || extent.speed < STILL)
        return 0;
    lk_error_set(error,
                 "body '%s' moves at %.3g m/s: small motions of a model with tyres are those of a "
                 "stand; expected bodies at rest, or --still",
                 sys->body_name[extent.fastest], extent.speed);
    return LK_E_MODEL;
}

/* Only an equilibrium determines the forces of contacts. */
static int refuse_contacts(const struct lk_system *sys, struct lk_error *error)
{
    for (int i = 0; i < sys->n_contacts && !sys->starts_balanced; i++) {
        double anchor[2][3], x[3];

        lk_contact_anchor(sys, i, anchor);
        lk_contact_deflections(sys, i, (const double(*)[3])anchor, x);
        if (x[2] > TOUCHES)
            continue;
        lk_error_set(error,
                     "contact '%s' touches, and its force is not known; expected 'start: "
                     "equilibrium' in the model",
                     sys->joint_name[sys->contact[i].joint]);
        return LK_E_MODEL;
    }
    return 0;
}

/* rotate all bodies about the axis of the frame by LK_LINEAR_TURN */
static void turn_all(struct lk_linear_work *w)
{
    struct lk_system *sys = w->sys;
    double move[6], turn[4], E[9];

    for (int k = 0; k < 3; k++)
        move[3 + k] = LK_LINEAR_TURN / lk_norm(w->frame) * w->frame[k];
    lk_rotation_exp(move + 3, turn);
    lk_quat_matrix(turn, E);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->now.motion[b];
        double arm[3], there[3], speed[3];

        lk_sub(m->x, w->pivot, arm);
        lk_rotate(E, arm, there);
        lk_rotate(E, m->v.v, speed);
        lk_sub(there, arm, move);
        memcpy(m->v.v, speed, sizeof(speed));
        lk_linear_move_body(sys, b, move, 1);
    }
}

/* Check that all turns with the frame: in a state near the start, of which all coordinates and
 * rates differ from those of the start, accelerations turn with the mechanism. */
static int check_turn(struct lk_linear_work *w, struct lk_error *error)
{
    struct lk_system *sys = w->sys;
    double *beside;
    int r = lk_linear_check_speeds(w, w->side[0], error);

    if (r != 0)
        return r;
    beside = malloc((sys->state_size + 1) * sizeof(*beside));
    if (!beside)
        return -ENOMEM;
    restore(w);
    lk_evaluate_poses(sys, &sys->now);
    lk_linear_scatter(w);
    memcpy(beside, sys->now.block, sys->state_size * sizeof(*beside));
    look(w, w->side[0]);
    memcpy(sys->now.block, beside, sys->state_size * sizeof(*beside));
    turn_all(w);
    look(w, w->side[1]);
    restore(w);
    lk_evaluate_poses(sys, &sys->now);
    free(beside);
    return lk_linear_check_turn(w, w->side[0] + w->n, w->side[1] + w->n, error);
}

static int linearise(struct lk_linear_work *w, struct lk_error *error)
{
    int r = refuse_rolling(w->sys, error);

    lk_evaluate_poses(w->sys, &w->sys->now);
    lk_evaluate_jacobians(w->sys);
    if (r == 0)
        r = refuse_contacts(w->sys, error);
    if (r == 0)
        r = find_coordinates(w, error);
    if (r == 0)
        r = take_matrices(w);
    if (r == 0)
        r = lk_linear_find_motions(w);
    if (r == 0)
        r = lk_linear_weigh(w, error);
    if (r == 0)
        r = take_base(w);
    if (r == 0 && w->is_turning)
        r = check_turn(w, error);
    if (r == 0) {
        name_states(w);
        fill_matrices(w);
        lk_linear_keep_motions(w);
        r = lk_linear_drop_idle(w, error);
    }
    return r;
}

static void stop_bodies(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        sys->now.motion[b].v = (struct lk_twist){0};
    for (int k = 0; k < sys->n_modes; k++)
        sys->now.mode[k].v = 0;
}

/* release all but the frame */
static void free_work(struct lk_linear_work *w)
{
    lk_linear_free_motions(w);
    free(w->base);
    free(w->spin);
    free(w->anchor);
    free(w->coordinates);
    free(w->is_idle);
    free(w->rest);
    free(w->turned);
    free(w->side[0]);
    free(w->side[1]);
    w->base = w->coordinates = w->rest = w->turned = w->side[0] = w->side[1] = NULL;
    w->place = w->rate = (struct lk_moves){0};
    w->spin = NULL;
    w->anchor = NULL;
    w->is_idle = NULL;
}

/* Linearise about the present state, and in axes that turn about the place of rest near it. */
static int seek(struct lk_linear_work *w, struct lk_error *error)
{
    const struct lk_linear empty = {.n_inputs = w->sys->input_size,
                                    .n_outputs = w->sys->output_size};
    int r, idle = 0;

    *w->l = empty;
    r = linearise(w, error);
    for (int i = 0; i < RESTS_MAX && r == 0 && w->is_turning && idle < 2; i++) {
        double before = w->l->unrest;

        r = lk_linear_rest(w, error);
        free_work(w);
        lk_linear_fini(w->l);
        *w->l = empty;
        if (r == 0)
            r = linearise(w, error);
        idle = w->l->unrest < before / 2 ? 0 : idle + 1; /* one step may go too far */
    }
    free_work(w);
    return r;
}

int lk_linear_init(struct lk_system *system, bool at_rest, struct lk_linear *ret,
                   struct lk_error *ret_error)
{
    const struct lk_linear_options options = {.at_rest = at_rest};

    return lk_linear_init_with(system, &options, ret, ret_error);
}

int lk_linear_init_with(struct lk_system *system, const struct lk_linear_options *options,
                        struct lk_linear *ret, struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_linear l = {0};
    struct lk_linear_work w = {.sys = system,
                               .l = &l,
                               .n = 6 * system->n_bodies + system->n_modes,
                               .nudge = options->nudge > 0 ? options->nudge * NUDGE : NUDGE};
    int r = 0;

    if (system->summary.n_in_plane > 0)
        return -EINVAL;
    if (options->at_rest)
        stop_bodies(system);
    if (options->turning)
        r = lk_linear_turn(&w, options->turning, ret_error);
    lk_modal_weigh_by(system, LK_MODAL_ALL);
    if (r == 0)
        r = seek(&w, ret_error);
    lk_modal_weigh_by(system, LK_MODAL_FREE);
    lk_system_reset(system);
    if (r != 0)
        lk_linear_fini(&l);
    else
        *ret = l;
    return r;
}

void lk_linear_fini(struct lk_linear *l)
{
    free(l->coordinate);
    free(l->block);
    free(l->A);
    free(l->B);
    free(l->C);
    free(l->D);
    free(l->motion);
    free(l->momentum);
    free(l->bend);
    free(l->bend_momentum);
    free(l->bend_body);
    free(l->mass);
    *l = (struct lk_linear){0};
}
