/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4`: the classical Runge-Kutta method of order 4 on the same coordinates, with the
 * same rows, tree and projections as `ali3`. For smooth motion, without stiff springs and without
 * bodies that have no inertia: lk_extrapolate_check() refuses the rest.
 *
 * At every stage the accelerations follow from M a + Phi_q^T lambda = Q, Phi_q a + d2Phi/dt2 = 0:
 * the forces with the last multipliers, then the projection, whose correction of the multipliers
 * makes them exact up to E. Springs and dampers are forces here; their rows are not in the factor.
 * Orientations are R_old exp(theta), theta' = w + theta x w / 2 + theta x (theta x w) / 12
 * (H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, 1999), so that quaternions are
 * never added. Stages violate the rows by O(h^2), where redundant rows contradict each other: that
 * part of their multipliers is taken out. The step violates them by O(h^5), which projections
 * remove: positions with the factor of the last stage, then velocities with a fresh one, which also
 * serves the accelerations and multipliers of the new state and the start of the next step.
 *
 * Four factors and seven solves, fifteen where rows are redundant: hardly more than a step of
 * `ali3`, which is of order 2. */
#include "step/scripts/rk4.h"
#include "step/elements/loads.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/step.h"
#include <stdbool.h>

/** struct stage - of a body: @rate: derivative of x, theta, v, w in the stage under way; @sum: of
 * all stages so far, weighted;  @theta: of the stage */
struct stage {
    double rate[12];
    double sum[12];
    double theta[3];
};

/* accelerations and multipliers of system->next, at time @t; the factor is that of its poses.
 * Return: powers of the laws there */
static struct lk_law_powers find_accelerations(struct lk_system *sys, double t,
                                               const double *inputs)
{
    struct lk_law_powers laws;

    if (sys->n_laws > 0)
        lk_keep_coordinates(sys);
    laws = lk_loads_accelerate(sys, &sys->next, t, inputs);
    lk_project_accelerations(sys, &sys->next, NULL);
    return laws;
}

/* The same for the end of a step. Where rows are redundant it starts from lambda = 0: corrections
 * of the last multipliers would let those of redundant rows drift with the poses. So they are of
 * minimum norm, as after the three iterations of `ali3`; refinement removes the effect of E. Where
 * they are not, E is round-off: what corrects the multipliers of the last stage is exact. */
static struct lk_law_powers accelerate_anew(struct lk_system *sys, double t, const double *inputs)
{
    struct lk_law_powers laws;

    for (int r = 0; r < sys->n_rows && !sys->rows_are_independent; r++)
        sys->next.lambda[r] = 0;
    laws = find_accelerations(sys, t, inputs);
    for (int i = 1; i < LK_RK4_REFINEMENTS && !sys->rows_are_independent; i++)
        lk_project_accelerations(sys, &sys->next, NULL);
    return laws;
}

/* drives, poses, twists, Jacobians and factor of system->next, @part of a step after system->now */
static void evaluate_stage(struct lk_system *sys, double part)
{
    sys->next.balance->steps = sys->now.balance->steps + part;
    lk_drives_evaluate(sys, &sys->next);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_evaluate_rigid_factor(sys);
}

/* system->next := system->now + @h times @by, x theta v w of a body; @ret_theta: the turn */
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

/* derivatives of a stage, with the accelerations that it has now, into its sum */
static void add_rates(const struct lk_motion *m, double w, struct stage *s)
{
    lk_rk4_rates(s->theta, false, (const double *)&m->v, (const double *)&m->a, s->rate);
    for (int i = 0; i < 12; i++)
        s->sum[i] += w * s->rate[i];
}

void lk_rk4_correct_balance(struct lk_system *sys, double t, double share, const double *inputs,
                            const struct lk_law_powers *laws)
{
    struct lk_balance *balance = sys->next.balance;
    struct lk_powers p;

    if (sys->n_inputs + sys->n_loads + sys->n_laws + sys->n_drives == 0)
        return;
    if (laws)
        lk_loads_powers_with(sys, &sys->next, t, inputs, laws, &p);
    else
        lk_loads_powers(sys, &sys->next, t, inputs, &p);
    balance->work_input += share * p.input;
    balance->work_drive += share * p.drive;
    balance->work_applied += share * p.applied;
    balance->dissipated += share * p.damping;
}

/* all stages but the first: returns whether every turn is less than half a turn */
static bool run_stages(struct lk_system *sys, const double *inputs)
{
    struct stage *stages = sys->formulation_data;
    double h = sys->h, start = sys->now.balance->steps, widest = 0;

    for (int k = 0; k < LK_RK4_STAGES; k++) {
        if (k > 0) {
            double t = (start + lk_rk4_when[k]) * h;
            struct lk_law_powers laws;

            evaluate_stage(sys, lk_rk4_when[k]);
            laws = find_accelerations(sys, t, inputs);
            if (sys->is_redundant)
                lk_project_contradictions(sys, &sys->next);
            lk_rk4_correct_balance(sys, t, lk_rk4_weight[k] * h, inputs, &laws);
        }
        for (int b = 0; b < sys->n_bodies; b++) {
            struct stage *s = &stages[b];

            add_rates(&sys->next.motion[b], lk_rk4_weight[k], s);
            if (k < LK_RK4_STAGES - 1)
                advance_body(sys, b, lk_rk4_when[k + 1] * h, s->rate, s->theta);
            else
                advance_body(sys, b, h, s->sum, s->theta);
            widest = lk_max(widest, lk_dot(s->theta, s->theta));
        }
    }
    return widest < M_PI * M_PI;
}

/* the first stage is system->now, with the accelerations of the last step, corrected for a jump of
 * the inputs, as are the multipliers, with the factor of the last step */
static void begin_step(struct lk_system *sys, const double *inputs)
{
    struct stage *stages = sys->formulation_data;
    double t = sys->now.balance->steps * sys->h;

    for (int b = 0; b < sys->n_bodies; b++) {
        stages[b] = (struct stage){0};
        sys->next.motion[b] = sys->now.motion[b];
    }
    if (sys->n_inputs > 0) {
        struct lk_law_powers laws;

        lk_rk4_correct_balance(sys, t, -0.5 * sys->h, inputs, NULL);
        laws = find_accelerations(sys, t, inputs);
        lk_rk4_correct_balance(sys, t, lk_rk4_weight[0] * sys->h, inputs, &laws);
    } else {
        lk_rk4_correct_balance(sys, t, (lk_rk4_weight[0] - 0.5) * sys->h, inputs, NULL);
    }
}

static int rk4_step(struct lk_system *sys, const double *inputs)
{
    double end = (sys->now.balance->steps + 1) * sys->h;
    struct lk_law_powers laws;
    bool turns_are_small;

    begin_step(sys, inputs);
    turns_are_small = run_stages(sys, inputs);
    for (int b = 0; b < sys->n_bodies; b++)
        lk_quat_normalise(sys->next.motion[b].q);
    lk_evaluate_twists(sys, &sys->next);
    for (int i = 0; i < LK_RK4_ROUNDS; i++) /* the factor of the last stage is O(h^3) away */
        sys->next.balance->increment = lk_project_positions(sys);
    evaluate_stage(sys, 1);
    lk_project_velocities(sys, &sys->next);
    laws = accelerate_anew(sys, end, inputs);
    lk_rk4_correct_balance(sys, end, -0.5 * sys->h, inputs, &laws);
    sys->next.balance->steps = sys->now.balance->steps; /* counted by who called */
    return turns_are_small ? 0 : LK_E_TURN;
}

int lk_rk4_prepare(struct lk_system *sys, const char *name, struct lk_error *ret_error)
{
    (void)name;
    (void)ret_error;
    lk_system_decouple_laws(sys);
    return 0;
}

static void rk4_renew(struct lk_system *sys)
{
    lk_start_renew(sys);
    lk_evaluate_rigid_factor(sys);
}

static int rk4_layout(struct lk_system *sys, const struct lk_topology *topology,
                      const struct lk_plan *plan, struct lk_arena *arena)
{
    (void)topology;
    (void)plan;
    sys->formulation_data = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(struct stage));
    return 0;
}

const struct lk_formulation lk_formulation_rk4 = {
    .name = "rk4",
    .step = rk4_step,
    .in_lanes = &lk_formulation_rk4_lanes,
    .layout = rk4_layout,
    .prepare = lk_rk4_prepare,
    .renew = rk4_renew,
    .is_explicit = 1,
    .order = 4,
    .regularisation = LK_RK4_REGULARISATION,
    .solves_once = 1,
    .leaves_laws = 1,
    .steps_in_plane = 1,
};
