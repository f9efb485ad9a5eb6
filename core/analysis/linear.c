/* SPDX-License-Identifier: Apache-2.0 */
/* Small motions about the start: see linkage/modes.h. */
#include "analysis/loops.h"
#include "compile/compile.h"
#include "linkage/modes.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/tyres.h"
#include <errno.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#define MOTIONS_MAX 1000
#define NUDGE                                                                                      \
    1e-5 /* of a pose: radians, and arms of the mechanism; of velocities likewise a second */
#define NUDGE_INPUT 1e-4  /* of the range of an input, or of 1 */
#define NO_MASS     1e-12 /* of the largest in N^T M N, scaled to its diagonal */
#define STILL       1e-9  /* a speed [m/s] */

/** struct work - @base: block of the start;  @n: values of a motion, six a body
 * @spin: angular velocity of each body at the start, world
 * @N: n x f, column by column;  @MN: M N;  @mass: Cholesky factor of N^T M N
 * @rest: accelerations at the start, n;  @shown: outputs there
 * @up, @down: of two states beside it: change of velocity, accelerations, outputs */
struct work {
    struct lk_system *sys;
    struct lk_linear *l;
    double *base;
    int n;
    double (*spin)[3];
    double *N;
    double *MN;
    double *mass;
    double *rest;
    double *side[2];
};

/* ---- coordinates and the motions that belong to them ---- */

/* gradient of a free coordinate in the moves of all bodies, world axes; @row: n values, zero */
static void differentiate(const struct lk_system *sys, struct lk_free_coordinate c, double *row)
{
    if (c.joint < 0) {
        row[6 * c.body + c.direction] = 1;
        return;
    }
    const struct lk_joint *joint = &sys->joint[c.joint];
    const struct lk_pose *pose[LK_SIDES_MAX] = LK_TWO_SIDES(sys->pose, joint);
    double J[2][6];

    lk_joint_ops(joint->type)->coordinate_jacobian(joint, pose, c.which, J);
    for (int s = 0; s < 2; s++) {
        double *to = row + 6 * joint->body[s], turn[3];

        if (joint->body[s] >= sys->n_bodies)
            continue;
        lk_rotate(pose[s]->R, J[s] + 3, turn);
        for (int k = 0; k < 3; k++) {
            to[k] += J[s][k];
            to[3 + k] += turn[k];
        }
    }
}

/* the motions of @Z, in the measure of the loops and body axes, as moves in world axes */
static void show_motions(const struct lk_loops *loops, const double *Z, int f, double *N)
{
    const struct lk_system *sys = loops->sys;
    size_t n = 6 * (size_t)sys->n_bodies;

    for (int c = 0; c < f; c++)
        for (int b = 0; b < sys->n_bodies; b++) {
            const double *from = Z + (size_t)c * n + loops->row[b];
            double *to = N + (size_t)c * n + 6 * (size_t)b;

            for (int k = 0; k < 3; k++)
                to[k] = from[k] * loops->length[b];
            lk_rotate(sys->pose[b].R, from + 3, to + 3);
        }
}

/* N (G N)^-1, so that each coordinate changes by its own motion alone */
static int settle_motions(struct work *w)
{
    int f = w->l->n_motions, r = -ENOMEM;
    size_t n = (size_t)w->n, m = (size_t)f;
    double *row = calloc(n + 1, sizeof(double)), *G = calloc(m * m + 1, sizeof(double));
    double *T = calloc(m * n + 1, sizeof(double));
    int *pivot = calloc(m + 1, sizeof(int));

    if (!row || !G || !T || !pivot)
        goto end;
    for (int i = 0; i < f; i++) {
        memset(row, 0, n * sizeof(double));
        differentiate(w->sys, w->l->coordinate[i], row);
        for (int c = 0; c < f; c++)
            for (size_t k = 0; k < n; k++)
                G[(size_t)c + m * (size_t)i] += row[k] * w->N[(size_t)c * n + k]; /* transposed */
    }
    for (int c = 0; c < f; c++)
        for (size_t k = 0; k < n; k++)
            T[(size_t)c + m * k] = w->N[(size_t)c * n + k];
    /* (G N)^T X = N^T */
    r = f == 0 || LAPACKE_dgesv(LAPACK_COL_MAJOR, f, w->n, G, f, pivot, T, f) == 0 ? 0 : -EINVAL;
    for (int c = 0; c < f; c++)
        for (size_t k = 0; k < n; k++)
            w->N[(size_t)c * n + k] = T[(size_t)c + m * k];
end:
    free(row);
    free(G);
    free(T);
    free(pivot);
    return r;
}

/* ---- mass ---- */

/* M of body @b times a move in world axes */
static void weigh(const struct lk_system *sys, int b, const double *move, double *ret)
{
    double local[3], torque[3];

    for (int k = 0; k < 3; k++)
        ret[k] = sys->body[b].mass * move[k];
    lk_rotate_back(sys->pose[b].R, move + 3, local);
    lk_sym_mul(sys->body[b].inertia, local, torque);
    lk_rotate(sys->pose[b].R, torque, ret + 3);
}

static const char *body_of(const struct work *w, int motion)
{
    const struct lk_system *sys = w->sys;
    int most = 0;

    for (int i = 0; i < w->n; i++)
        if (fabs(w->N[(size_t)motion * (size_t)w->n + (size_t)i]) >
            fabs(w->N[(size_t)motion * (size_t)w->n + (size_t)most]))
            most = i;
    return sys->body_name[sys->body[most / 6].of];
}

/* N^T M N and its factor */
static int weigh_motions(struct work *w, struct lk_error *error)
{
    struct lk_linear *l = w->l;
    size_t n = (size_t)w->n, m = (size_t)l->n_motions;

    for (size_t c = 0; c < m; c++)
        for (int b = 0; b < w->sys->n_bodies; b++)
            weigh(w->sys, b, w->N + c * n + 6 * (size_t)b, w->MN + c * n + 6 * (size_t)b);
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += w->N[r * n + k] * w->MN[c * n + k];
            l->mass[r * m + c] = w->mass[r * m + c] = sum;
        }
    for (size_t c = 0; c < m; c++)
        if (!(l->mass[c * m + c] > 0)) {
            lk_error_set(error,
                         "body '%s' moves without any mass or inertia: its motion has no "
                         "frequency; expected a mass, or joints that tie it to bodies with one",
                         body_of(w, (int)c));
            return LK_E_MODEL;
        }
    if (m > 0 && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)m, w->mass, (int)m) != 0) {
        lk_error_set(error,
                     "bodies without mass or inertia can move alone; expected a mass for each "
                     "motion that the joints leave free");
        return LK_E_MODEL;
    }
    return 0;
}

/* (N^T M N)^-1 N^T M of @move */
static void project(const struct work *w, const double *move, double *ret)
{
    size_t n = (size_t)w->n;
    int f = w->l->n_motions;

    for (int c = 0; c < f; c++) {
        ret[c] = 0;
        for (size_t k = 0; k < n; k++)
            ret[c] += w->MN[(size_t)c * n + k] * move[k];
    }
    if (f > 0)
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', f, 1, w->mass, f, ret, f);
}

/* ---- states beside the start ---- */

static void restore(struct work *w)
{
    memcpy(w->sys->now.block, w->base, w->sys->state_size * sizeof(double));
}

/* body @b shifted and turned, its spin turned along */
static void move_body(struct lk_system *sys, int b, const double *move, double amount)
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

static int size_of_look(const struct work *w)
{
    return 2 * w->n + w->l->n_outputs + w->sys->net.n_states;
}

/* velocities, accelerations, outputs and rates of blocks of the state that was made beside the
 * start: n, n, outputs, states of blocks */
static void look(struct work *w, double *ret)
{
    struct lk_system *sys = w->sys;

    lk_start_beside(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        double *v = ret + 6 * b, *a = ret + w->n + 6 * b;

        memcpy(v, m->v.v, 3 * sizeof(double));
        memcpy(a, m->a.v, 3 * sizeof(double));
        lk_rotate(sys->pose[b].R, m->v.w, v + 3);
        lk_rotate(sys->pose[b].R, m->a.w, a + 3);
    }
    lk_system_outputs(sys, ret + 2 * w->n);
    lk_blocks_rates(sys, ret + 2 * w->n + w->l->n_outputs);
}

enum change { POSITION, RATE, INPUT, STATE };

static void look_beside(struct work *w, enum change change, int i, double amount, double *ret)
{
    struct lk_system *sys = w->sys;
    const double *motion = change <= RATE ? w->N + (size_t)i * (size_t)w->n : NULL;

    restore(w);
    lk_evaluate_poses(sys, &sys->now);
    for (int b = 0; b < sys->n_bodies && change == POSITION; b++)
        move_body(sys, b, motion + 6 * b, amount);
    for (int b = 0; b < sys->n_bodies && change == RATE; b++)
        push_body(sys, b, motion + 6 * b, amount);
    if (change == INPUT)
        sys->now.inputs[i] += amount;
    if (change == STATE)
        sys->now.blocks[i] += amount;
    look(w, ret);
}

/* central differences into w->side[0] */
static void differ(struct work *w, enum change change, int i, double amount)
{
    int size = size_of_look(w);

    look_beside(w, change, i, amount, w->side[0]);
    look_beside(w, change, i, -amount, w->side[1]);
    for (int k = 0; k < size; k++)
        w->side[0][k] = (w->side[0][k] - w->side[1][k]) / (2 * amount);
}

/* + spin x turn of a motion: moves are seen from the world, where the axis of a rotor stands */
static void add_spin(const struct work *w, int i, double *moves)
{
    for (int b = 0; b < w->sys->n_bodies; b++) {
        double turned[3];

        lk_cross(w->spin[b], w->N + (size_t)i * (size_t)w->n + 6 * b + 3, turned);
        for (int k = 0; k < 3; k++)
            moves[6 * b + 3 + k] += turned[k];
    }
}

/* ---- the matrices ---- */

static double size_of_motion(const struct work *w, int i)
{
    double size = w->sys->arm > 0 ? w->sys->arm : 1, largest = 0;

    for (int k = 0; k < w->n; k++)
        largest = lk_max(largest,
                         fabs(w->N[(size_t)i * (size_t)w->n + (size_t)k]) / (k % 6 < 3 ? size : 1));
    return largest > 0 ? largest : 1;
}

static void fill_output(struct work *w, double *matrix, int n_columns, int column)
{
    for (int i = 0; i < w->l->n_outputs; i++)
        matrix[(size_t)i * (size_t)n_columns + (size_t)column] = w->side[0][2 * w->n + i];
}

/* rows of the rates of blocks */
static void fill_rates(struct work *w, double *matrix, int n_columns, int column)
{
    const double *rates = w->side[0] + 2 * w->n + w->l->n_outputs;

    for (int i = 0; i < w->sys->net.n_states; i++)
        matrix[(size_t)(2 * w->l->n_motions + i) * (size_t)n_columns + (size_t)column] = rates[i];
}

/* the column of coordinate @i, or of its rate */
static void fill_state(struct work *w, enum change change, int i, double *z)
{
    struct lk_linear *l = w->l;
    int f = l->n_motions, column = change == POSITION ? i : f + i;
    size_t n = (size_t)l->n_states;

    differ(w, change, i, NUDGE / size_of_motion(w, i));
    if (change == POSITION) {
        add_spin(w, i, w->side[0]);
        project(w, w->side[0], z);
        for (int k = 0; k < f; k++)
            l->A[(size_t)k * n + (size_t)column] = z[k];
    } else {
        l->A[(size_t)i * n + (size_t)column] = 1;
        add_spin(w, i, w->side[0] + w->n);
    }
    project(w, w->side[0] + w->n, z);
    for (int k = 0; k < f; k++)
        l->A[(size_t)(f + k) * n + (size_t)column] = z[k];
    fill_rates(w, l->A, l->n_states, column);
    fill_output(w, l->C, l->n_states, column);
}

/* the column of state @i of the blocks */
static void fill_block(struct work *w, int i, double *z)
{
    struct lk_linear *l = w->l;
    int f = l->n_motions, column = 2 * f + i;

    differ(w, STATE, i, NUDGE * lk_max(1, fabs(w->sys->start.blocks[i])));
    project(w, w->side[0] + w->n, z);
    for (int k = 0; k < f; k++)
        l->A[(size_t)(f + k) * (size_t)l->n_states + (size_t)column] = z[k];
    fill_rates(w, l->A, l->n_states, column);
    fill_output(w, l->C, l->n_states, column);
}

static double range_of(const struct lk_channel *c)
{
    return isfinite(c->high - c->low) && c->high > c->low ? c->high - c->low : 1;
}

static void fill_inputs(struct work *w, double *z)
{
    struct lk_linear *l = w->l;
    int n, f = l->n_motions;
    const struct lk_channel *channel = lk_system_input_channels(w->sys, &n);

    for (int c = 0; c < n; c++)
        for (int k = 0; k < channel[c].size; k++) {
            int column = channel[c].offset + k;

            differ(w, INPUT, column, NUDGE_INPUT * range_of(&channel[c]));
            project(w, w->side[0] + w->n, z);
            for (int i = 0; i < f; i++)
                l->B[(size_t)(f + i) * (size_t)l->n_inputs + (size_t)column] = z[i];
            fill_rates(w, l->B, l->n_inputs, column);
            fill_output(w, l->D, l->n_inputs, column);
        }
}

static void fill_matrices(struct work *w)
{
    struct lk_linear *l = w->l;
    double *z = w->rest + size_of_look(w);

    for (int i = 0; i < l->n_motions; i++) {
        fill_state(w, POSITION, i, z);
        fill_state(w, RATE, i, z);
    }
    for (int i = 0; i < w->sys->net.n_states; i++)
        fill_block(w, i, z);
    fill_inputs(w, z);
    project(w, w->rest, z);
    for (int i = 0; i < l->n_motions; i++)
        l->unrest = lk_max(l->unrest, fabs(z[i]));
}

/* ---- the whole ---- */

static double *take(size_t rows, size_t columns)
{
    return calloc(rows * columns + 1, sizeof(double));
}

static int take_matrices(struct work *w)
{
    struct lk_linear *l = w->l;
    const struct lk_net *net = &w->sys->net;
    size_t f = (size_t)l->n_motions, n = (size_t)w->n, x = 2 * f + (size_t)net->n_states;
    size_t u = (size_t)l->n_inputs, y = (size_t)l->n_outputs, size = (size_t)size_of_look(w);

    l->n_states = 2 * l->n_motions + net->n_states;
    l->n_bodies = w->sys->n_named_bodies;
    l->A = take(x, x);
    l->B = take(x, u);
    l->C = take(y, x);
    l->D = take(y, u);
    l->mass = take(f, f);
    l->motion = take(f, 6 * (size_t)l->n_bodies);
    l->momentum = take(f, 6 * (size_t)l->n_bodies);
    w->N = take(n, f);
    w->MN = take(n, f);
    w->mass = take(f, f);
    w->rest = take(1, size + f);
    w->side[0] = take(1, size);
    w->side[1] = take(1, size);
    l->block = calloc((size_t)net->n_states + 1, sizeof(*l->block));
    w->base = take(1, w->sys->state_size);
    w->spin = calloc((size_t)w->sys->n_bodies + 1, sizeof(*w->spin));
    return l->block && l->A && l->B && l->C && l->D && l->mass && l->motion && l->momentum &&
                   w->N && w->MN && w->mass && w->rest && w->side[0] && w->side[1] && w->base &&
                   w->spin
               ? 0
               : -ENOMEM;
}

static void name_states(struct work *w)
{
    const struct lk_net *net = &w->sys->net;

    for (int i = 0; i < net->n_blocks; i++)
        for (int k = 0; k < net->block[i].n_states; k++)
            w->l->block[net->block[i].state + k] = net->name[i];
}

/* The present state with all that lk_start_beside() changes, its spin and accelerations. */
static int take_base(struct work *w)
{
    struct lk_system *sys = w->sys;
    size_t n = (size_t)w->n;

    if (!sys->starts_balanced)
        lk_tyres_hold(sys);
    memcpy(w->base, sys->now.block, sys->state_size * sizeof(double));
    look(w, w->side[0]);
    memcpy(w->base, sys->now.block, sys->state_size * sizeof(double));
    for (int b = 0; b < sys->n_bodies; b++)
        memcpy(w->spin[b], w->side[0] + 6 * b + 3, 3 * sizeof(double));
    memcpy(w->rest, w->side[0] + n, n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        if (!isfinite(w->rest[i]))
            return -EINVAL;
    return 0;
}

static int find_coordinates(struct work *w, struct lk_error *error)
{
    struct lk_mobility mobility;
    int r = lk_mobility_init(w->sys, &mobility);

    if (r != 0 || !mobility.coordinates || mobility.n_coordinates > MOTIONS_MAX) {
        if (r == 0)
            lk_mobility_fini(&mobility);
        lk_error_set(error, "too many degrees of freedom for dense matrices; expected at most %d",
                     MOTIONS_MAX);
        return r < 0 ? r : LK_E_MODEL;
    }
    w->l->coordinate = mobility.coordinates;
    w->l->n_motions = mobility.n_coordinates;
    mobility.coordinates = NULL;
    lk_mobility_fini(&mobility);
    return 0;
}

static int find_motions(struct work *w)
{
    struct lk_loops loops;
    struct lk_rank rank;
    double *Z = NULL;
    int r = lk_loops_all(w->sys, &loops);

    if (r != 0)
        return r;
    r = lk_rank_init(&loops, w->sys->pose, LK_COLUMNS_ALL, LK_RANK_TOLERANCE, &rank);
    if (r == 0) {
        r = loops.n_rows - rank.rank == w->l->n_motions ? lk_rank_motions(&loops, &rank, &Z)
                                                        : -EINVAL;
        lk_rank_fini(&rank);
    }
    if (r == 0) {
        show_motions(&loops, Z, w->l->n_motions, w->N);
        r = settle_motions(w);
    }
    free(Z);
    lk_loops_fini(&loops);
    return r;
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

/* of the bodies of the model; the parts of a split one add up */
static void keep_motions(struct work *w)
{
    struct lk_linear *l = w->l;
    size_t n = 6 * (size_t)l->n_bodies;

    for (int c = 0; c < l->n_motions; c++) {
        const double *N = w->N + (size_t)c * (size_t)w->n, *MN = w->MN + (size_t)c * (size_t)w->n;

        memcpy(l->motion + (size_t)c * n, N, n * sizeof(double));
        for (int b = 0; b < w->sys->n_bodies; b++)
            for (int k = 0; k < 6; k++)
                l->momentum[(size_t)c * n + (size_t)(6 * w->sys->body[b].of + k)] += MN[6 * b + k];
    }
}

static int linearise(struct work *w, struct lk_error *error)
{
    int r = refuse_rolling(w->sys, error);

    lk_evaluate_poses(w->sys, &w->sys->now);
    lk_evaluate_jacobians(w->sys);
    if (r == 0)
        r = find_coordinates(w, error);
    if (r == 0)
        r = take_matrices(w);
    if (r == 0)
        r = find_motions(w);
    if (r == 0)
        r = weigh_motions(w, error);
    if (r == 0)
        r = take_base(w);
    if (r == 0) {
        name_states(w);
        fill_matrices(w);
        keep_motions(w);
    }
    return r;
}

static void stop_bodies(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        sys->now.motion[b].v = (struct lk_twist){0};
}

int lk_linear_init(struct lk_system *system, bool at_rest, struct lk_linear *ret,
                   struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_linear l = {.n_inputs = system->input_size, .n_outputs = system->output_size};
    struct work w = {.sys = system, .l = &l, .n = 6 * system->n_bodies};
    int r;

    if (at_rest)
        stop_bodies(system);
    r = linearise(&w, ret_error);
    free(w.base);
    free(w.spin);
    free(w.N);
    free(w.MN);
    free(w.mass);
    free(w.rest);
    free(w.side[0]);
    free(w.side[1]);
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
    free(l->mass);
    *l = (struct lk_linear){0};
}
