/* SPDX-License-Identifier: Apache-2.0 */
/* Executor `one` of `rk4`: the stages, for all bodies and rows. */
#include "step/one/rk4.h"
#include "maths/arena.h"
#include "step/elements/drives.h"
#include "step/elements/loads.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/executors.h"
#include "step/stages.h"
#include <stdbool.h>

/** struct stage - Runge-Kutta stage of a body: @rate: derivative of x, theta, v, w in the
 * present stage;
 * @sum: weighted sum over all stages so far;  @theta: rotation of the stage */
struct stage {
    double rate[12];
    double sum[12];
    double theta[3];
};

/** struct one_rk4 - scratch. @weight: weight of the next solution in accelerations;  @widest:
 * square of the largest rotation of a stage [rad^2] */
struct one_rk4 {
    struct stage *stages;
    double weight;
    double widest;
};

int lk_one_rk4_layout(struct lk_system *sys, const struct lk_topology *topology,
                      const struct lk_plan *plan, struct lk_arena *arena)
{
    struct one_rk4 *r = lk_arena_take(arena, 1, sizeof(*r));
    struct stage *stages = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(struct stage));

    (void)topology;
    (void)plan;
    if (arena->base)
        *r = (struct one_rk4){.stages = stages, .weight = 1};
    sys->formulation_data = r;
    return 0;
}

/* set system->next := system->now + @h times the derivatives @by of x, theta, v, w of a
 * body;
 * @ret_theta: the rotation */
static void advance_body(struct lk_system *sys, int b, double h, const double by[12],
                         double ret_theta[3])
{
    const struct lk_motion *old = &sys->now.motion[b];
    struct lk_motion *m = &sys->next.motion[b];
    double u[3];

    lk_rk4_advance(h, by, (const double *)&old->v, u, ret_theta, (double *)&m->v);
    for (int i = 0; i < 3; i++)
        m->x[i] = old->x[i] + u[i];
    lk_turn_on(old->q, ret_theta, m->q);
}

/* add the weighted derivatives of a stage, with its present accelerations, to the sum */
static void add_rates(const struct lk_motion *m, double w, struct stage *s)
{
    lk_rk4_rates(s->theta, false, (const double *)&m->v, (const double *)&m->a, s->rate);
    for (int i = 0; i < 12; i++)
        s->sum[i] += w * s->rate[i];
}

/* advance from stage @k, whose accelerations are known, to the next stage or to the new
 * state */
static void advance_bodies(struct lk_system *sys, int k)
{
    struct one_rk4 *r = sys->formulation_data;

    for (int b = 0; b < sys->n_bodies; b++) {
        struct stage *s = &r->stages[b];

        add_rates(&sys->next.motion[b], lk_rk4_weight[k], s);
        if (k < LK_RK4_STAGES - 1)
            advance_body(sys, b, lk_rk4_when[k + 1] * sys->h, s->rate, s->theta);
        else
            advance_body(sys, b, sys->h, s->sum, s->theta);
        r->widest = lk_max(r->widest, lk_dot(s->theta, s->theta));
    }
}

/* set the first stage to system->now, with the accelerations of the last step */
static void begin(struct lk_system *sys)
{
    struct one_rk4 *r = sys->formulation_data;

    r->widest = 0;
    for (int b = 0; b < sys->n_bodies; b++) {
        r->stages[b] = (struct stage){0};
        sys->next.motion[b] = sys->now.motion[b];
    }
}

static void rows_up(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_jacobians(sys);
}

static void begin_up(struct lk_system *sys)
{
    advance_bodies(sys, 0);
    rows_up(sys);
}

static void new_up(struct lk_system *sys)
{
    lk_evaluate_acceleration_violation(sys, &sys->next, NULL);
}

static void stage_up(struct lk_system *sys)
{
    lk_evaluate_rigid_factor(sys);
    new_up(sys);
}

static void contradict(struct lk_system *sys, double weight)
{
    struct one_rk4 *r = sys->formulation_data;

    r->weight = weight;
    for (int row = 0; row < sys->n_rows; row++)
        sys->solution[row] *= sys->rigid[row];
}

static void contradiction_up(struct lk_system *sys)
{
    contradict(sys, 1);
}

static void last_contradiction_up(struct lk_system *sys)
{
    contradict(sys, 1 - LK_LEAST_SOLVES);
}

static void accelerations_down(struct lk_system *sys)
{
    struct one_rk4 *r = sys->formulation_data;

    lk_evaluate_solve(sys, sys->solution);
    for (int row = 0; row < sys->n_rows && r->weight != 1; row++)
        sys->solution[row] *= r->weight;
    r->weight = 1;
    lk_correct_accelerations(sys, &sys->next);
}

static void advance_down(struct lk_system *sys)
{
    int k = sys->progress->stage;

    accelerations_down(sys);
    advance_bodies(sys, k);
    for (int b = 0; b < sys->n_bodies && k == LK_RK4_STAGES - 1; b++)
        lk_quat_normalise(sys->next.motion[b].q);
}

static void open_up(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_rigid_violations(sys);
}

static void close_down(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    sys->next.balance->increment = lk_correct_positions(sys, &sys->next);
}

static void project_up(struct lk_system *sys)
{
    lk_evaluate_rigid_factor(sys);
    lk_evaluate_velocity_violation(sys);
}

static void twists_down(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    lk_correct_velocities(sys, &sys->next);
}

/* if rows may be redundant, the multipliers of the new state start from 0 */
static void rates_up(struct lk_system *sys)
{
    for (int r = 0; r < sys->n_rows && !sys->rows_are_independent; r++)
        sys->next.lambda[r] = 0;
}

static void renew(struct lk_system *sys)
{
    lk_start_renew(sys);
    lk_evaluate_rigid_factor(sys);
}

static struct lk_law_powers follow(struct lk_system *sys, double t, const double *inputs)
{
    if (sys->n_laws > 0)
        lk_keep_coordinates(sys);
    return lk_loads_accelerate(sys, &sys->next, t, inputs);
}

static int store(struct lk_system *sys)
{
    const struct one_rk4 *r = sys->formulation_data;

    return r->widest < M_PI * M_PI ? 0 : LK_E_TURN;
}

static void (*const downs[RK4_DOWNS])(struct lk_system *) = {
    [RK4_ADVANCE] = advance_down,
    [RK4_CLOSE] = close_down,
    [RK4_CLOSE_LAST] = close_down,
    [RK4_TWISTS] = twists_down,
    [RK4_ACCELERATIONS] = accelerations_down,
};

static void (*const ups[RK4_UPS])(struct lk_system *) = {
    [RK4_BEGIN] = begin_up,
    [RK4_ROWS] = rows_up,
    [RK4_STAGE] = stage_up,
    [RK4_CONTRADICTION] = contradiction_up,
    [RK4_CONTRADICTION_LAST] = last_contradiction_up,
    [RK4_OPEN] = open_up,
    [RK4_SETTLE] = rows_up,
    [RK4_PROJECT] = project_up,
    [RK4_RATES] = rates_up,
    [RK4_NEW] = new_up,
    [RK4_AGAIN] = new_up,
};

static void sweep(struct lk_system *sys, int down, int up)
{
    if (downs[down])
        downs[down](sys);
    if (ups[up])
        ups[up](sys);
}

const struct lk_executor lk_one_rk4 = {
    .renew = renew,
    .begin = begin,
    .sweep = sweep,
    .follow = follow,
    .knows_multipliers = true,
    .store = store,
};
