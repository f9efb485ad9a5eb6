/* SPDX-License-Identifier: Apache-2.0 */
/* The step in lanes, for one type of processor. A file that defines LK_LANES and LK_ENGINE includes
 * this file once. It contains the common functions of all formulations: loads, multipliers, tasks
 * for several workers. The steps of the formulations are in ali3_inl.h, rattle_inl.h and rk4_inl.h.
 */
#include "linkage/pool.h"
#include "maths/lanes_inl.h"
#include "step/elements/drives.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/lanes/rare.h"
#include "step/lanes/singles.h"
#include "step/one/evaluate.h"
#include "step/rattle_state.h"
#include "step/stages.h"
#include <stdalign.h>
#include <string.h>

#define LK_REAL    lanes_t
#define LK_NAME(f) lk_##f##_lanes
#include "step/equations_inl.h"
#undef LK_REAL
#undef LK_NAME

#include "step/lanes/bodies_inl.h"

/** enum front_work - work on a front. On the way up: compute the factor, the right-hand side, or
 * both; on the way down: the solution */
enum front_work { FACTOR = 1, ASSEMBLE = 2, FACTOR_AND_ASSEMBLE = 3, SOLVE = 4 };

struct run;
struct stage;
typedef void stage_fn(const struct run *run, const struct stage *stage, int task, int block);

#define MAYBE __attribute__((unused))

/* STAGE_FN: head of a stage function; ROWS_FN: head of a function with an instance for each joint
 * type @k */
#define STAGE_FN(name)                                                                             \
    static void name(MAYBE const struct run *run, MAYBE const struct stage *stage, MAYBE int t,    \
                     MAYBE int block)
#define ROWS_FN(name)                                                                              \
    LK_INLINE void name(const struct lk_joint_kind *k, MAYBE const struct run *run,                \
                        MAYBE const struct stage *stage, MAYBE int t, MAYBE int block)

/** struct joint_work - function of a stage for a block of joints. @kind: instance for each joint
 * type of rows/table.h, which is a compile-time constant in the instance;  @single: for blocks
 * whose rows are evaluated outside of the lanes;  @any: for all blocks, instead of both */
struct joint_work {
    stage_fn *kind[LK_KINDS];
    stage_fn *single;
    stage_fn *any;
};

/** struct stage - functions of a stage for bodies, joints and fronts; NULL or 0: nothing to do.
 * @what: argument of these functions */
struct stage {
    stage_fn *bodies;
    const struct joint_work *joints;
    enum front_work fronts;
    int what;
};

/** enum scale - factor on a solution, or on the multipliers in lanes: 0, 1, s. S_MORE: s, and
 * the multipliers of soft rows are added to the forces of their laws */
enum scale { SCALE_NONE, SCALE_ONE, SCALE_S, SCALE_S_MORE };

/** struct run - a sweep in progress: its two stages. Each task collects into a separate
 * struct watch. Workers read this struct. */
struct run {
    struct lk_system *sys;
    const struct lk_batches *p;
    struct watch *watch;
    const struct stage *down;
    const struct stage *up;
};

LK_INLINE struct run new_run(struct lk_system *sys)
{
    return (struct run){
        .sys = sys, .p = sys->batches, .watch = (struct watch *)sys->batches->watch};
}

static __attribute__((noinline)) void store_bodies(const struct run *run, int block,
                                                   struct watch *watch)
{
    const struct lk_system *sys = run->sys;
    const struct lk_batches *p = run->p;
    const struct lk_batch_bodies *b = &p->bodies[block];
    const lanes_t *f = block_at(p, b->at);
    double *to[LK_LANES], sink[MOTION_SIZE];
    lanes_t Jw[3], twice;

    watch->finite += zero_if_finite(f + LK_BODY_OLD_X);
    for (int l = 0; l < LK_LANES; l++)
        to[l] = b->body[l] >= 0 ? (double *)&sys->next.motion[b->body[l]] : sink;
    store_motion(f + LK_BODY_OLD_X, to);
    lk_sym_mul_lanes(f + LK_BODY_J, f + LK_BODY_OLD_V + 3, Jw);
    twice = f[LK_BODY_MASS] * lk_inner_lanes(f + LK_BODY_OLD_V, f + LK_BODY_OLD_V) +
            lk_inner_lanes(f + LK_BODY_OLD_V + 3, Jw);
    watch->kinetic += 0.5 * twice;
    watch->potential -= f[LK_BODY_MASS] * (f[LK_BODY_OLD_X] * sys->gravity[0] +
                                           f[LK_BODY_OLD_X + 1] * sys->gravity[1] +
                                           f[LK_BODY_OLD_X + 2] * sys->gravity[2]);
}

#include "step/lanes/rattle_bodies_inl.h"
#include "step/lanes/rattle_closing_inl.h"

#include "step/lanes/joints_inl.h"
#include "step/lanes/rattle_joints_inl.h"

#include "step/lanes/fronts_inl.h"

/* ---- loads, computed outside of the lanes ---- */

/* copy the pose of body @b only, not of its whole block, to the system; @field: X or NOW_X */
LK_INLINE void show_pose(struct lk_system *sys, const struct lk_batches *p, int b, int field)
{
    const double *f = p->values + p->place[b] + field * LK_LANES;

    for (int i = 0; i < 3; i++)
        sys->pose[b].x[i] = f[i * LK_LANES];
    for (int i = 0; i < 9; i++)
        sys->pose[b].R[i] = f[(3 + i) * LK_LANES];
}

/* read six values of body @b from @field */
LK_INLINE void read_six(const struct lk_batches *p, int b, int field, struct lk_twist *ret)
{
    const double *v = p->values + p->place[b] + field * LK_LANES;

    for (int i = 0; i < 3; i++) {
        ret->v[i] = v[i * LK_LANES];
        ret->w[i] = v[(3 + i) * LK_LANES];
    }
}

/* copy the twist of body @b only, not of its whole block, to the system; @field: of a state or a
 * stage */
LK_INLINE void show_twist(struct lk_system *sys, const struct lk_batches *p, int b, int field)
{
    read_six(p, b, field, &sys->twist[b]);
}

/* copy poses and twists of the watched bodies to the system, before the new state is stored;
 * @field: of the twists */
static void show_motions(struct lk_system *sys, const struct lk_batches *p, int field)
{
    for (int i = 0; i < p->n_watched; i++) {
        show_pose(sys, p, p->watched[i], LK_BODY_X);
        show_twist(sys, p, p->watched[i], field);
    }
}

/* compute -Q (force: world, torque: body axes) of the loads on each body in p->loaded at time @t,
 * without gravity, into sys->residual; @field: field of the poses, X or NOW_X */
static void sum_loads(struct lk_system *sys, const struct lk_batches *p, double t,
                      const double *inputs, int field)
{
    if (p->n_loaded == 0)
        return;
    for (int i = 0; i < p->n_loaded; i++) {
        show_pose(sys, p, p->loaded[i], field);
        sys->residual[p->loaded[i]] = (struct lk_twist){0};
    }
    lk_loads_subtract_applied(sys, t, inputs, sys->residual);
}

/* copy sys->residual of the bodies in p->loaded to their lanes */
static void put_sums(struct lk_system *sys, const struct lk_batches *p, int field)
{
    for (int i = 0; i < p->n_loaded; i++) {
        double *f = p->values + p->place[p->loaded[i]] + field * LK_LANES;
        const struct lk_twist *load = &sys->residual[p->loaded[i]];

        for (int k = 0; k < 3; k++) {
            f[k * LK_LANES] = load->v[k];
            f[(3 + k) * LK_LANES] = load->w[k];
        }
    }
}

/* compute Phi_q^T lambda of soft rows - Q of the bodies in p->loaded, at the poses in X,
 * into their lanes; @field: LOAD */
static void put_loads(struct lk_system *sys, const struct lk_batches *p, double t,
                      const double *inputs, int field)
{
    sum_loads(sys, p, t, inputs, LK_BODY_X);
    lk_singles_pull(sys, p, sys->residual);
    put_sums(sys, p, field);
}

/* copy poses (@field: X or NOW_X) and twists of a block to the system, for rows that are evaluated
 * outside of the lanes */
LK_INLINE void show_field(const struct run *run, int block, int field)
{
    if (run->p->bodies[block].shown)
        lk_singles_show_pose(run->sys, run->p, block, field);
}

LK_INLINE void show_twist_in(const struct run *run, int block, int field)
{
    if (run->p->bodies[block].shown)
        lk_singles_show_twist(run->sys, run->p, block, field);
}

/* ---- multipliers, one joint after another in the state ---- */

STAGE_FN(store_multipliers)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    const lanes_t *lambda = block_at(p, j->at + lk_kind_lambda(k));
    bool is_soft = lk_lane_is_soft(j->kind), adds = stage->what == SCALE_S_MORE;
    double scale = stage->what == SCALE_ONE ? 1 : run->sys->s;
    int rows = lk_kind_rows(k);
    lanes_t zero = {0};

    for (int r = 0; r < rows; r++)
        zero += lambda[r] * 0.0;
    run->watch[t].finite += zero;
    for (int l = 0; l < LK_LANES; l++) {
        double *to = run->sys->next.lambda + j->row[l];

        if (j->joint[l] < 0)
            continue;
        for (int r = 0; r < rows && p->carries && !is_soft; r++)
            to[r] = LANE(block_at(p, j->at)[lk_soft_lambda(k) + r], l) +
                    scale * ((const double *)&lambda[r])[l];
        for (int r = 0; r < rows && !(p->carries && !is_soft); r++)
            to[r] = (adds && is_soft ? to[r] : 0) + scale * ((const double *)&lambda[r])[l];
    }
}

static const struct joint_work store_work = {.any = store_multipliers};

/* copy the multipliers of the rows of drives and of rows at moving frames, for the work of drives.
 * These rows are evaluated outside of the lanes */
static void show_multipliers(const struct run *run)
{
    const struct stage stage = {.what = SCALE_ONE};

    for (int b = 0; b < run->p->n_joints; b++)
        if (run->p->joints[b].kind >= LK_KIND_SINGLE)
            store_multipliers(run, &stage, 0, b);
}

/* ---- tasks ---- */

LK_INLINE void do_joints(const struct run *run, const struct stage *stage, int t, int block)
{
    const struct joint_work *work = stage->joints;
    int kind = run->p->joints[block].kind;

    (work->any         ? work->any
     : kind < LK_KINDS ? work->kind[kind]
                       : work->single)(run, stage, t, block);
}

/* perform @work on all joints, between two sweeps */
static void do_all_joints(const struct run *run, const struct joint_work *work, int what)
{
    const struct stage stage = {.joints = work, .what = what};

    for (int b = 0; b < run->p->n_joints; b++)
        do_joints(run, &stage, 0, b);
}

/* perform one operation of task @t, upwards or downwards */
LK_INLINE void do_operation(const struct run *run, const struct stage *stage, int t,
                            const struct lk_batch_op *op)
{
    const struct lk_batches *p = run->p;

    if (op->what == LK_BATCH_BODIES) {
        if (stage->bodies)
            stage->bodies(run, stage, t, op->index);
    } else if (op->what == LK_BATCH_JOINTS) {
        if (stage->joints)
            do_joints(run, stage, t, op->index);
    } else if (stage->fronts == SOLVE) {
        downward(p, op->index, block_at(p, p->tasks[t].scratch));
    } else if (stage->fronts) {
        upward(p, op->index, stage->fronts, block_at(p, p->tasks[t].scratch));
    }
}

static void go_up(const struct run *run, int t)
{
    const struct lk_batch_task *task = &run->p->tasks[t];

    for (int i = task->first_op; i < task->first_op + task->n_ops && run->up; i++)
        do_operation(run, run->up, t, &run->p->ops[i]);
}

static void go_down(const struct run *run, int t)
{
    const struct lk_batch_task *task = &run->p->tasks[t];

    for (int i = task->first_op + task->n_ops - 1; i >= task->first_op && run->down; i--)
        do_operation(run, run->down, t, &run->p->ops[i]);
}

LK_INLINE void do_task(const struct run *run, int t)
{
    go_down(run, t);
    go_up(run, t);
}

/* perform a worker's share: consecutive tasks, so that their memory stays with one core */
static void do_share(void *context, int what, int worker)
{
    const struct run *run = context;
    int n = run->p->n_tasks - 1, size = lk_pool_size(run->sys->pool);

    (void)what;
    for (int t = n * worker / size; t < n * (worker + 1) / size; t++)
        do_task(run, t);
}

/* perform all tasks except the top; the order among them does not matter */
static void share_out(struct run *run)
{
    int n = run->p->n_tasks - 1;

    if (n > 1 && run->sys->pool && lk_pool_size(run->sys->pool) > 1) {
        lk_pool_run(run->sys->pool, do_share, run, 0);
        return;
    }
    for (int t = 0; t < n; t++)
        do_task(run, t);
    run->sys->batches->n_phases++;
}

/* A solve is a sweep up the tree and one down. Between two joins of the workers each task performs
 * the down stage of one solve, then the up stage of the next. The top of the tree, which connects
 * the tasks, is first on the way down and last on the way up. Results of a task from its way up are
 * not read before the next join. @down, @up: NULL: nothing */
static void sweep(struct lk_system *sys, const struct stage *down, const struct stage *up)
{
    struct run run = new_run(sys);
    int top = run.p->n_tasks - 1;

    run.down = down;
    run.up = up;
    go_down(&run, top);
    share_out(&run);
    go_up(&run, top);
}

/* factor every front, in order */
static void factor_all(const struct lk_batches *p)
{
    for (int t = 0; t < p->n_tasks; t++)
        for (int i = p->tasks[t].first_op; i < p->tasks[t].first_op + p->tasks[t].n_ops; i++)
            if (p->ops[i].what == LK_BATCH_FRONT)
                upward(p, p->ops[i].index, FACTOR, block_at(p, p->tasks[t].scratch));
}

/* ---- results ---- */

/* return the largest value over the lanes, by repeated halving */
LK_INLINE double largest(lanes_t x)
{
    double most[LK_LANES];

    for (int l = 0; l < LK_LANES; l++)
        most[l] = lk_max(0, LANE(x, l));
    for (int n = LK_LANES / 2; n > 0; n /= 2)
        for (int l = 0; l < n; l++)
            most[l] = lk_max(most[l], most[l + n]);
    return most[0];
}

LK_INLINE double total(lanes_t x)
{
    double sum[LK_LANES];

    for (int l = 0; l < LK_LANES; l++)
        sum[l] = LANE(x, l);
    for (int n = LK_LANES / 2; n > 0; n /= 2)
        for (int l = 0; l < n; l++)
            sum[l] += sum[l + n];
    return sum[0];
}

static void keep_balance(const struct run *run)
{
    struct lk_balance *balance = run->sys->next.balance;

    balance->increment = balance->residual_position = balance->residual_velocity = 0;
    balance->kinetic = balance->potential = 0;
    for (int t = 0; t < run->p->n_tasks; t++) {
        const struct watch *w = &run->watch[t];

        balance->increment = lk_max(balance->increment, largest(w->increment));
        balance->residual_position = lk_max(balance->residual_position, largest(w->position));
        balance->residual_velocity = lk_max(balance->residual_velocity, largest(w->velocity));
        balance->kinetic += total(w->kinetic);
        balance->potential += total(w->potential);
    }
}

/* copy poses and twists of the watched bodies, which are equal to those of @state, to the
 * system */
static void show_watched(struct lk_system *sys, const struct lk_batches *p,
                         const struct lk_state *state)
{
    for (int i = 0; i < p->n_watched; i++) {
        int b = p->watched[i];

        show_pose(sys, p, b, LK_BODY_X);
        sys->twist[b] = state->motion[b].v;
    }
}

/* check the new state. Return: 0, LK_E_TURN, LK_E_NOT_FINITE */
static int judge(const struct run *run)
{
    double finite = 0;
    bool turns_are_small = true;

    for (int t = 0; t < run->p->n_tasks; t++) {
        for (int l = 0; l < LK_LANES; l++)
            turns_are_small &= LANE(run->watch[t].widest, l) < M_PI * M_PI;
        finite += total(run->watch[t].finite);
    }
    if (!turns_are_small)
        return LK_E_TURN;
    return finite == 0 ? 0 : LK_E_NOT_FINITE;
}

static void give_all_multipliers(struct lk_system *sys)
{
    const struct run run = new_run(sys);

    show_multipliers(&run);
}

/* store residuals, energies and watched bodies, and check the new state */
static int store_state(struct lk_system *sys)
{
    const struct run run = new_run(sys);

    keep_balance(&run);
    show_watched(sys, sys->batches, &sys->next);
    return judge(&run);
}

/* ---- scratch at the start of a step ---- */

/* Load the multipliers; set empty lanes to 0, because a step that overflowed may have left NaN
 * there. */
static void load_multipliers_of(const struct lk_system *sys, const struct lk_state *state,
                                const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    double *f = p->values + (j->at + lk_kind_lambda(k)) * LK_LANES;

    for (int l = 0; l < LK_LANES; l++)
        for (int r = 0; r < lk_kind_rows(k); r++)
            f[r * LK_LANES + l] =
                j->joint[l] < 0 ? 0 : state->lambda[sys->joint[j->joint[l]].row + r];
}

static void load_multipliers(const struct lk_system *sys, const struct lk_state *state,
                             const struct lk_batches *p)
{
    for (int b = 0; b < p->n_joints; b++)
        load_multipliers_of(sys, state, p, b);
}

/* compute the scratch at the start of a step of `ali3` or `rk4` from sys->now */
static void renew_factor(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    lk_drives_evaluate(sys, &sys->now);
    if (!sys->formulation->laws_are_loads) {
        lk_start_take_tangents(sys);
        lk_singles_regularise(sys, p);
    }
    for (int b = 0; b < p->n_bodies; b++) {
        load_bodies(&sys->now, p, b);
        show_state(block_at(p, p->bodies[b].at));
        lk_singles_show_pose(sys, p, b, LK_BODY_X);
        lk_singles_show_twist(sys, p, b, LK_BODY_OLD_V);
    }
    load_multipliers(sys, &sys->now, p);
    do_all_joints(&run, &settle_work, false);
    factor_all(p);
    show_watched(sys, p, &sys->now);
    lk_singles_turn_soft(sys, p);
}

#include "step/lanes/ali3_inl.h"
#include "step/lanes/rattle_inl.h"
#include "step/lanes/rk4_inl.h"

const struct lk_engine LK_ENGINE = {
    .name = LK_ENGINE_NAME,
    .lanes = LK_LANES,
    .is_supported = LK_ENGINE_SUPPORTED,
    .executor =
        {
            [LK_SCRIPT_RATTLE] =
                {
                    .renew = rattle_renew,
                    .begin = rattle_begin,
                    .carry = rattle_carry,
                    .take = rattle_take,
                    .sweep = rattle_sweep,
                    .violation = rattle_violation,
                    .multiply = rattle_multiply,
                    .push = rattle_push,
                    .hold = rattle_hold,
                    .loads = rattle_loads,
                    .give = rattle_give,
                    .give_multipliers = rattle_give_multipliers,
                    .fetch = rattle_fetch,
                    .store = store_state,
                },
            [LK_SCRIPT_ALI3] =
                {
                    .renew = ali3_renew,
                    .begin = ali3_begin,
                    .sweep = ali3_sweep,
                    .loads = ali3_loads,
                    .jump = ali3_jump,
                    .settle = ali3_settle,
                    .give = ali3_give,
                    .give_multipliers = give_all_multipliers,
                    .fetch = ali3_fetch,
                    .store = store_state,
                },
            [LK_SCRIPT_RK4] =
                {
                    .renew = renew_factor,
                    .take = rk4_take,
                    .sweep = rk4_sweep,
                    .follow = rk4_follow,
                    .give_multipliers = give_all_multipliers,
                    .store = store_state,
                },
        },
};
