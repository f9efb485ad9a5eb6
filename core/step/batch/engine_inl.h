/* SPDX-License-Identifier: Apache-2.0 */
/* The step on batches, for one kind of processor: a file that defines LK_LANES and LK_ENGINE
 * includes this once. Here is what the formulations share: loads, multipliers, tasks by several
 * workers. Their steps are in ali3_inl.h and rattle_inl.h. */
#include "linkage/pool.h"
#include "maths/lanes_inl.h"
#include "step/batch/rare.h"
#include "step/batch/singles.h"
#include "step/extrapolate.h"
#include "step/rattle.h"
#include <string.h>

#include "step/batch/bodies_inl.h"
#include "step/batch/rattle_bodies_inl.h"
#include "step/batch/rattle_closing_inl.h"

#include "step/batch/joints_inl.h"
#include "step/batch/rattle_joints_inl.h"

#include "step/batch/fronts_inl.h"

/* ---- what is outside of lanes: loads ---- */

/* the pose of body @b, one body of its block; @field: X or NOW_X */
LK_INLINE void show_pose(struct lk_system *sys, const struct lk_batches *p, int b, int field)
{
    const double *f = p->values + p->place[b] + field * LK_LANES;

    for (int i = 0; i < 3; i++)
        sys->pose[b].x[i] = f[i * LK_LANES];
    for (int i = 0; i < 9; i++)
        sys->pose[b].R[i] = f[(3 + i) * LK_LANES];
}

/* -Q (force: world, torque: body axes) of the loads on each body in p->loaded at time @t, without
 * gravity, into sys->residual; @field: of the poses, X or NOW_X */
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

/* ---- multipliers, one joint after another in the state ---- */

/* @scale: of the multipliers in lanes; those of soft rows add to what their laws say */
LK_INLINE void store_multipliers(struct lk_system *sys, const struct lk_batches *p, int block,
                                 double scale, struct watch *watch)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    const lanes_t *lambda = block_at(p, j->at + lk_kind_lambda(k));
    int rows = lk_kind_rows(k);

    for (int r = 0; r < rows; r++)
        watch->finite += lambda[r] * 0.0;
    for (int l = 0; l < LK_LANES; l++) {
        double *to = sys->next.lambda + j->row[l];

        for (int r = 0; r < rows && j->joint[l] >= 0 && p->carries && !lk_lane_is_soft(j->kind);
             r++)
            to[r] = LANE(block_at(p, j->at)[lk_soft_lambda(k) + r], l) +
                    scale * ((const double *)&lambda[r])[l];
        for (int r = 0; r < rows && j->joint[l] >= 0 && !(p->carries && !lk_lane_is_soft(j->kind));
             r++)
            to[r] =
                (lk_lane_is_soft(j->kind) ? to[r] : 0) + scale * ((const double *)&lambda[r])[l];
    }
}

/* ---- tasks ---- */

/* @call for every block of @what in @task */
#define EACH(what_, task, call)                                                                    \
    for (int i_ = (task)->first_op; i_ < (task)->first_op + (task)->n_ops; i_++) {                 \
        int index = p->ops[i_].index;                                                              \
        if (p->ops[i_].what == (what_))                                                            \
            call;                                                                                  \
    }

/** struct run - a step under way. Each task collects into a struct watch of its own. @do_task: one
 * task's part of the current phase;  @n_phases: done so far */
struct run {
    struct lk_system *sys;
    const struct lk_batches *p;
    struct watch *watch;
    void (*do_task)(const struct run *run, int task);
    int n_phases;
};

/* a worker's share: consecutive tasks, so that their memory stays with one core */
static void do_share(void *context, int worker)
{
    const struct run *run = context;
    int n = run->p->n_tasks - 1, size = lk_pool_size(run->sys->pool);

    for (int t = n * worker / size; t < n * (worker + 1) / size; t++)
        run->do_task(run, t);
}

/* progress of a step without a pool, see lk_probe */
LK_INLINE void tell(const struct run *run, int t)
{
    if (__builtin_expect(run->sys->probe != NULL, 0))
        run->sys->probe(run->sys->probe_context, run->n_phases, t);
}

/* all tasks but the top; the order among them does not matter */
static void share_out(struct run *run)
{
    int n = run->p->n_tasks - 1;

    if (n > 1 && run->sys->pool && lk_pool_size(run->sys->pool) > 1) {
        lk_pool_run(run->sys->pool, do_share, run);
        return;
    }
    tell(run, -1);
    for (int t = 0; t < n; t++) {
        run->do_task(run, t);
        tell(run, t);
    }
    run->n_phases++;
}

/* ---- results ---- */

static double largest(lanes_t x)
{
    double most = 0;

    for (int l = 0; l < LK_LANES; l++)
        most = lk_max(most, LANE(x, l));
    return most;
}

static double total(lanes_t x)
{
    double sum = 0;

    for (int l = 0; l < LK_LANES; l++)
        sum += LANE(x, l);
    return sum;
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

/* poses and twists of the watched bodies, which are those of @state, into those of the system */
static void show_watched(struct lk_system *sys, const struct lk_batches *p,
                         const struct lk_state *state)
{
    for (int i = 0; i < p->n_watched; i++) {
        int b = p->watched[i];

        show_pose(sys, p, b, LK_BODY_X);
        sys->twist[b] = state->motion[b].v;
    }
}

/* whether the new state is one. Return: 0, LK_E_TURN, LK_E_NOT_FINITE */
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

#include "step/batch/ali3_inl.h"
#include "step/batch/rattle_inl.h"

const struct lk_engine LK_ENGINE = {
    .name = LK_ENGINE_NAME,
    .lanes = LK_LANES,
    .is_supported = LK_ENGINE_SUPPORTED,
    .ali3 = {ali3_step, ali3_renew},
    .rattle = {rattle_step, rattle_renew},
    .finish = rattle_finish,
    .hold = rattle_hold,
};
