/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of `rattle` in lanes; see joints_inl.h. There is no include guard, see lanes_inl.h.
 */

/* compute Phi at the pose of an iterate, and the right-hand side Phi/2 - s Phi_q W g with
 * the Jacobian of q_n, less the gap that no motion removes, if rows @leave such a gap. @rests: g
 * is 0 */
LK_INLINE void iterate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                            const struct lk_batch_joints *j, int rests, int leave,
                            struct sums *sums)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12], phi[ROWS_MAX], rate[ROWS_MAX];
    const lanes_t *const body[2] = {view(p, &j->body[0], LK_BODY_NOW_X, 12, buffer[0]),
                                    view(p, &j->body[1], LK_BODY_NOW_X, 12, buffer[1])};
    lanes_t *x = f + lk_kind_x(k), *gap = f + lk_kind_gap(k), twist[2][6];
    lanes_t most = sums->violation; /* local, so that it stays in a register */
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, phi);
    for (int r = 0; r < lk_kind_rows(k); r++)
        rate[r] = (lanes_t){0};
    if (!rests)
        rates(k, f + lk_kind_jacobian(k), view(p, &j->body[0], LK_BODY_V, 6, twist[0]),
              view(p, &j->body[1], LK_BODY_V, 6, twist[1]), rate);
    for (int r = 0; r < lk_kind_rows(k); r++) {
        most = lk_max_lanes(most, lk_abs_lanes(phi[r]));
        x[r] = 0.5 * phi[r] - rate[r];
        if (leave)
            x[r] -= gap[r];
    }
    sums->violation = most;
}

/* compute Phi and the Jacobian at the pose of the factor */
LK_INLINE void unclose_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                            const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12];
    const lanes_t *const body[2] = {view(p, &j->body[0], LK_BODY_NOW_X, 12, buffer[0]),
                                    view(p, &j->body[1], LK_BODY_NOW_X, 12, buffer[1])};
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, f + lk_kind_x(k));
    jacobian(k, &at, f + lk_kind_jacobian(k));
}

/* compute Phi at the pose in @field of the bodies */
LK_INLINE void violate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                            const struct lk_batch_joints *j, int field)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12];
    const lanes_t *const body[2] = {view(p, &j->body[0], field, 12, buffer[0]),
                                    view(p, &j->body[1], field, 12, buffer[1])};
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, f + lk_kind_x(k));
}

/* compute rates of the rows for the motion in @field of the bodies */
LK_INLINE void kick_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                         const struct lk_batch_joints *j, int field)
{
    lanes_t *f = block_at(p, j->at), buffer[2][6];

    rates(k, f + lk_kind_jacobian(k), view(p, &j->body[0], field, 6, buffer[0]),
          view(p, &j->body[1], field, 6, buffer[1]), f + lk_kind_x(k));
}

/* add Phi_q a to gamma */
LK_INLINE void accelerate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                               const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), *x = f + lk_kind_x(k), buffer[2][6], rate[ROWS_MAX];

    rates(k, f + lk_kind_jacobian(k), view(p, &j->body[0], LK_RATTLE_ACCELERATION, 6, buffer[0]),
          view(p, &j->body[1], LK_RATTLE_ACCELERATION, 6, buffer[1]), rate);
    for (int r = 0; r < lk_kind_rows(k); r++)
        x[r] += rate[r];
}

/** enum solved - use of a solution. ONCE: it acts on the bodies;  FIRST_PART: stored in
 * lambda for refinement;  MIDDLE_PART: added to lambda for further refinement;  BOTH_PARTS:
 * added to lambda, and the sum acts on the bodies;  LESS_TWICE: subtracted twice from lambda,
 * and the result acts on the bodies;  WHOLE: stored in lambda, and acts on the bodies;
 * LAST_PART: WHOLE if rows are independent, else BOTH_PARTS;  INCREMENT: as ONCE, in an
 * iteration. */
enum solved { ONCE, INCREMENT, FIRST_PART, MIDDLE_PART, BOTH_PARTS, LESS_TWICE, WHOLE, LAST_PART };

LK_INLINE void solved_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                           const struct lk_batch_joints *j, enum solved what)
{
    lanes_t *f = block_at(p, j->at), *lambda = f + lk_kind_lambda(k), *x = f + lk_kind_x(k);

    for (int r = 0; r < lk_kind_rows(k) && (what == FIRST_PART || what == WHOLE); r++)
        lambda[r] = x[r];
    for (int r = 0; r < lk_kind_rows(k) && (what == BOTH_PARTS || what == MIDDLE_PART); r++)
        lambda[r] += x[r];
    for (int r = 0; r < lk_kind_rows(k) && what == LESS_TWICE; r++)
        lambda[r] -= 2 * x[r];
    if (what != FIRST_PART && what != MIDDLE_PART)
        scatter_load(k, f + lk_kind_jacobian(k),
                     what == BOTH_PARTS || what == LESS_TWICE ? lambda : x, f + lk_kind_scatter(k));
}

/* compute the right-hand side of a refinement: E times the first part of a solution, in lambda, or,
 * if @is_later, E times the last part */
LK_INLINE void refine_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                           const struct lk_batch_joints *j, int is_later)
{
    lanes_t *f = block_at(p, j->at), *last = f + (is_later ? lk_kind_x(k) : lk_kind_lambda(k));

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_kind_x(k) + r] = f[lk_kind_regular(k) + r] * last[r];
}

/* ---- blocks whose rows are evaluated outside of the lanes, see singles.h ---- */

/* correct and apply the last increment of the multipliers, as for the bodies */
LK_INLINE void take_soft_increment(const struct lk_joint_kind *k, const struct lk_progress *newton,
                                   lanes_t *f)
{
    int last = newton->done - 1, n = lk_kind_rows(k);
    lanes_t *now = f + lk_soft_increment(k, last), *lambda = f + lk_soft_lambda(k);

    for (int i = 1; i < last; i++)
        for (int r = 0; r < n; r++)
            now[r] += newton->alpha[i - 1] * f[lk_soft_increment(k, i) + r];
    for (int r = 0; r < n; r++) {
        lanes_t before = f[(newton->ends ? lk_soft_kept(k) : lk_soft_lambda(k)) + r];

        now[r] *= newton->part;
        f[lk_soft_kept(k) + r] = before;
        lambda[r] = before + now[r];
    }
}

/* Compute J times the vectors in @field of the bodies of the joints @j, one joint per lane. */
LK_INLINE void rates_of_single(const struct lk_batches *p, const struct lk_batch_joints *j,
                               int field, lanes_t *ret)
{
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    const lanes_t *J = block_at(p, j->at) + lk_kind_jacobian(k);
    lanes_t buffer[2][6];

    if (lk_kind_sides(k) == 2) {
        rates(k, J, view(p, &j->body[0], field, 6, buffer[0]),
              view(p, &j->body[1], field, 6, buffer[1]), ret);
        return;
    }
    *ret = (lanes_t){0};
    for (int s = 0; s < LK_SIDES_MAX; s++)
        *ret += inner_six(J + 6 * s, view(p, &j->body[s], field, 6, buffer[0]));
}

static void iterate_one_by_one(const struct run *run, int block, struct sums *sums)
{
    const struct lk_system *sys = run->sys;
    const struct lk_progress *newton = sys->progress;
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    bool is_soft = lk_lane_is_soft(j->kind);
    lanes_t *f = block_at(p, j->at), *x = f + lk_kind_x(k), rate[ROWS_MAX];

    /* a further evaluation would change the relaxation lengths of tyres that the last increment has
     * used */
    if (is_soft && newton->done == sys->iterations)
        return;
    LANE(sums->violation, 0) = lk_max(
        LANE(sums->violation, 0), lk_singles_violate(run->sys, run->p, block, newton->done == 0));
    rates_of_single(p, j, LK_BODY_V, rate);
    for (int r = 0; r < lk_kind_rows(k); r++) {
        x[r] = (is_soft ? 1.0 : 0.5) * x[r] - rate[r];
        if (!is_soft && p->keeps_gaps)
            x[r] -= f[lk_kind_gap(k) + r];
    }
}

/* compute the rows at the pose of the factor. @newton: NULL if there were no iterations, so that
 * the tangents of system->next belong to the state */
static void unclose_one_by_one(struct lk_system *sys, const struct lk_batches *p, int block,
                               const struct lk_progress *newton)
{
    if (lk_lane_is_soft(p->joints[block].kind) && newton) {
        lk_singles_end(sys, p, block, newton->ends);
        lk_singles_release(sys, p, block);
    }
    lk_singles_close(sys, p, block);
    lk_singles_turn(sys, p, block, false);
}

/* compute the Jacobian at the closed pose, and the remaining violation; @knows_laws: the Jacobians
 * of soft rows are up to date */
static void settle_one_by_one(const struct run *run, int block, bool knows_laws,
                              struct watch *watch)
{
    bool is_soft = lk_lane_is_soft(run->p->joints[block].kind);

    lk_singles_turn(run->sys, run->p, block, is_soft && knows_laws);
    if (!is_soft)
        LANE(watch->position, 0) =
            lk_max(LANE(watch->position, 0), lk_singles_violate(run->sys, run->p, block, false));
}

/* compute the remaining Phi of rows that are evaluated outside of the lanes. Other joints have Phi
 * from the last step. Here it is computed again, because its last bits depend on unwrapped angles
 */
static void find_gaps_of_singles(const struct run *run)
{
    const struct lk_batches *p = run->p;

    for (int block = 0; block < p->n_joints && p->keeps_gaps; block++) {
        const struct lk_batch_joints *j = &p->joints[block];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        lanes_t *f = block_at(p, j->at);

        if (j->kind < LK_KIND_SINGLE || lk_lane_is_soft(j->kind))
            continue;
        lk_singles_violate(run->sys, run->p, block, false);
        for (int r = 0; r < lk_kind_rows(k); r++)
            f[lk_kind_gap(k) + r] = 0.5 * f[lk_kind_x(k) + r];
    }
}

/* compute dPhi/dt of the velocities; soft rows: 0 */
LK_INLINE void rates_single(const struct run *run, int block, lanes_t *ret)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];

    rates_of_single(p, j, LK_BODY_V, ret);
    if (!lk_lane_is_soft(j->kind))
        lk_singles_drift(run->sys, run->p, block, (double *)ret);
    for (int r = 0; r < lk_kind_rows(lk_lane_kind(j->kind)) && lk_lane_is_soft(j->kind); r++)
        ret[r] = (lanes_t){0};
}

static void kick_one_by_one(const struct run *run, int block, struct watch *watch)
{
    const struct lk_batch_joints *j = &run->p->joints[block];

    const struct lk_batches *p = run->p;
    lanes_t *x = block_at(p, j->at) + lk_kind_x(lk_lane_kind(j->kind)), rate[ROWS_MAX];

    settle_one_by_one(run, block, true, watch);
    rates_single(run, block, x);
    if (!lk_lane_is_soft(j->kind) || !run->sys->closes_dampers)
        return;
    rates_of_single(p, j, LK_BODY_V, rate);
    lk_singles_keep_rates(run->sys, run->p, block, (const double *)rate);
    rates_of_single(p, j, p->rare + LK_RARE_SHOVE, x);
}

/* write gamma into the right-hand side; collect the largest remaining rate of the projected
 * velocities */
static void gamma_one_by_one(const struct run *run, int block, struct watch *watch)
{
    lanes_t left[ROWS_MAX];

    rates_single(run, block, left);
    for (int r = 0; r < lk_kind_rows(lk_lane_kind(run->p->joints[block].kind)); r++)
        watch->velocity = lk_max_lanes(watch->velocity, lk_abs_lanes(left[r]));
    lk_singles_gamma(run->sys, run->p, block);
}

static void accelerate_one_by_one(const struct run *run, int block, struct watch *watch)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *x = block_at(p, j->at) + lk_kind_x(k), rate[ROWS_MAX];

    gamma_one_by_one(run, block, watch);
    if (lk_lane_is_soft(j->kind)) {
        if (run->sys->closes_dampers)
            rates_of_single(p, j, p->rare + LK_RARE_SHOVE, x);
        return;
    }
    rates_of_single(p, j, LK_RATTLE_ACCELERATION, rate);
    for (int r = 0; r < lk_kind_rows(k); r++)
        x[r] += rate[r];
}

/* store the increments of multipliers that are iterated */
LK_INLINE void keep_increment(const struct lk_joint_kind *k, const struct lk_batches *p,
                              const struct lk_batch_joints *j, int iteration)
{
    lanes_t *f = block_at(p, j->at);

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_soft_increment(k, iteration) + r] = f[lk_kind_x(k) + r];
}

/* set the forces of the multipliers at the start of the projection of accelerations;
 * @forgets: the multipliers are set to 0, so that the multipliers of redundant rows get minimum
 *           norm */
LK_INLINE void begin_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j, bool forgets)
{
    lanes_t *f = block_at(p, j->at), *lambda = f + lk_kind_lambda(k);

    for (int r = 0; r < lk_kind_rows(k) && forgets; r++)
        lambda[r] = (lanes_t){0};
    scatter_load(k, f + lk_kind_jacobian(k), lambda, f + lk_kind_scatter(k));
}

/* ---- functions of a block, see struct joint_work ---- */

LK_INLINE const struct lk_batch_joints *joints_at(const struct run *run, int block)
{
    return &run->p->joints[block];
}

LK_INLINE struct sums *sums_of(const struct run *run, int t)
{
    return (struct sums *)run->p->sums + t;
}

/* evaluate an iterate: Phi, and the right-hand side of its increment; first apply the last
 * increment to multipliers that are iterated */
LK_INLINE void go_on(const struct lk_joint_kind *k, const struct run *run, int block)
{
    const struct lk_progress *newton = run->sys->progress;
    const struct lk_batch_joints *j = joints_at(run, block);

    if (__builtin_expect(run->p->carries || lk_lane_is_soft(j->kind), 0) && newton->done > 0)
        take_soft_increment(k, newton, block_at(run->p, j->at));
}

ROWS_FN(iterate_rows)
{
    const struct lk_batch_joints *j = joints_at(run, block);

    go_on(k, run, block);
    iterate_kind(k, run->p, j, run->sys->progress->done > 0 && j->joins_linear, run->p->keeps_gaps,
                 sums_of(run, t));
}

STAGE_FN(iterate_single)
{
    go_on(lk_lane_kind(joints_at(run, block)->kind), run, block);
    iterate_one_by_one(run, block, sums_of(run, t));
}
#define WORK iterate
#include "step/lanes/each_kind_inl.h"

/* restore the multipliers of the last accepted iterate, if the last iterate was discarded.
 * stage->what: there were iterations */
LK_INLINE void end_carried(const struct lk_joint_kind *k, const struct run *run,
                           const struct stage *stage, int block)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    lanes_t *f = block_at(run->p, j->at);

    if (!stage->what || !run->p->carries || !run->sys->progress->ends || lk_lane_is_soft(j->kind))
        return;
    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_soft_lambda(k) + r] = f[lk_soft_kept(k) + r];
}

ROWS_FN(unclose_rows)
{
    end_carried(k, run, stage, block);
    unclose_kind(k, run->p, joints_at(run, block));
}

STAGE_FN(unclose_single)
{
    end_carried(lk_lane_kind(joints_at(run, block)->kind), run, stage, block);
    unclose_one_by_one(run->sys, run->p, block, stage->what ? run->sys->progress : NULL);
}
#define WORK unclose
#include "step/lanes/each_kind_inl.h"

/* compute Phi at the pose in X, of a state whose joints are being closed */
ROWS_FN(violate_rows)
{
    violate_kind(k, run->p, joints_at(run, block), LK_BODY_X);
}

STAGE_FN(violate_single)
{
    lk_singles_close(run->sys, run->p, block);
}
#define WORK violate
#include "step/lanes/each_kind_inl.h"

/* compute Phi at the pose in NOW_X; 0 for compliant rows */
ROWS_FN(open_rows)
{
    violate_kind(k, run->p, joints_at(run, block), LK_BODY_NOW_X);
}

STAGE_FN(open_single)
{
    const struct lk_batch_joints *j = joints_at(run, block);

    if (lk_lane_is_soft(j->kind))
        rates_single(run, block, block_at(run->p, j->at) + lk_kind_x(lk_lane_kind(j->kind)));
    else
        lk_singles_violate(run->sys, run->p, block, false);
}
#define WORK open
#include "step/lanes/each_kind_inl.h"

/* compute Jacobians at the closed pose; stage->what: the Jacobians of soft rows are up to date */
ROWS_FN(settle_rows)
{
    settle_kind(k, run->p, joints_at(run, block), &run->watch[t]);
}

STAGE_FN(settle_single)
{
    settle_one_by_one(run, block, stage->what, &run->watch[t]);
}
#define WORK settle
#include "step/lanes/each_kind_inl.h"

/* compute the Jacobian and the rates of the rows at the new pose */
ROWS_FN(kick_rows)
{
    settle_rows(k, run, stage, t, block);
    kick_kind(k, run->p, joints_at(run, block), LK_BODY_V);
}

STAGE_FN(kick_single)
{
    kick_one_by_one(run, block, &run->watch[t]);
}
#define WORK kick
#include "step/lanes/each_kind_inl.h"

/* compute gamma of the velocities of a state, and the remaining rates of the rows; @what:
 * multipliers at the start of the projection of accelerations, enum beginning */
enum beginning { JUST_RATES, GO_ON, FORGET };

LK_INLINE void begin_multipliers(const struct lk_joint_kind *k, const struct run *run,
                                 const struct stage *stage, int block)
{
    if (stage->what != JUST_RATES)
        begin_kind(k, run->p, joints_at(run, block),
                   stage->what == FORGET && !run->sys->rows_are_independent);
}

ROWS_FN(rate_rows)
{
    gamma_kind(k, run->p, joints_at(run, block), &run->watch[t]);
    begin_multipliers(k, run, stage, block);
}

STAGE_FN(rate_single)
{
    gamma_one_by_one(run, block, &run->watch[t]);
    begin_multipliers(lk_lane_kind(joints_at(run, block)->kind), run, stage, block);
}
#define WORK rate
#include "step/lanes/each_kind_inl.h"

/* compute Phi_q a + gamma */
ROWS_FN(accelerate_rows)
{
    gamma_kind(k, run->p, joints_at(run, block), &run->watch[t]);
    accelerate_kind(k, run->p, joints_at(run, block));
}

STAGE_FN(accelerate_single)
{
    accelerate_one_by_one(run, block, &run->watch[t]);
}
#define WORK accelerate
#include "step/lanes/each_kind_inl.h"

/* compute minus the rates of the motions in SHOVE */
LK_INLINE void turn_sign(const struct lk_joint_kind *k, const struct run *run, int block)
{
    lanes_t *x = block_at(run->p, joints_at(run, block)->at) + lk_kind_x(k);

    for (int r = 0; r < lk_kind_rows(k); r++)
        x[r] = -x[r];
}

ROWS_FN(shove_rows)
{
    kick_kind(k, run->p, joints_at(run, block), run->p->rare + LK_RARE_SHOVE);
    turn_sign(k, run, block);
}

STAGE_FN(shove_single)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    rates_of_single(run->p, j, run->p->rare + LK_RARE_SHOVE,
                    block_at(run->p, j->at) + lk_kind_x(k));
    turn_sign(k, run, block);
}
#define WORK shove
#include "step/lanes/each_kind_inl.h"

/* distribute a solution to the bodies; stage->what: enum solved */
ROWS_FN(solved_rows)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    enum solved what = (enum solved)stage->what;

    if (what == INCREMENT && __builtin_expect(run->p->carries || lk_lane_is_soft(j->kind), 0))
        keep_increment(k, run->p, j, run->sys->progress->found - 1);
    if (what == LAST_PART)
        what = run->sys->rows_are_independent ? WHOLE : BOTH_PARTS;
    solved_kind(k, run->p, j, what);
}

STAGE_FN(solved_single)
{
    solved_rows(lk_lane_kind(joints_at(run, block)->kind), run, stage, t, block);
}
#define WORK solved
#include "step/lanes/each_kind_inl.h"

/* compute E times the first part of a solution, or, if @what, E times the last part */
STAGE_FN(refine_any)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    refine_kind(k, run->p, j, stage->what);
    /* soft rows: E is intended, so there is nothing to refine */
    for (int r = 0; r < lk_kind_rows(k) && lk_lane_is_soft(j->kind); r++)
        block_at(run->p, j->at)[lk_kind_x(k) + r] = (lanes_t){0};
}

static const struct joint_work refine_work = {.any = refine_any};

/* compute the forces of the multipliers that are kept from step to step */
STAGE_FN(pull_any)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(run->p, j->at);

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_kind_x(k) + r] = lk_lane_is_soft(j->kind) ? (lanes_t){0} : f[lk_soft_lambda(k) + r];
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_x(k), f + lk_kind_scatter(k));
}

static const struct joint_work pull_work = {.any = pull_any};

/* add the solution to the multipliers that are kept from step to step; 0 in soft rows unless the
 * system has closes_dampers */
STAGE_FN(carry_any)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(run->p, j->at);

    for (int r = 0; r < lk_kind_rows(k) && !lk_lane_is_soft(j->kind); r++)
        f[lk_soft_lambda(k) + r] += f[lk_kind_x(k) + r];
    if (lk_lane_is_soft(j->kind))
        lk_singles_share(run->sys, run->p, block);
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_x(k), f + lk_kind_scatter(k));
}

static const struct joint_work carry_work = {.any = carry_any};

/* ---- functions for `ali3` and `rk4` ---- */

/* compute the right-hand side from V: s W g, velocities or accelerations; @leaks: less E lambda.
 * Compliant rows have no velocity constraint, and the right-hand side of their accelerations is set
 * already. */
static __attribute__((noinline)) void seek_one_by_one(const struct run *run, int block,
                                                      enum sought sought, int leaks)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(p, j->at), *x = f + lk_kind_x(k), rate[ROWS_MAX];

    if (sought == SEEK_VELOCITIES) {
        rates_single(run, block, x);
        return;
    }
    if (sought == SEEK_ACCELERATIONS && lk_lane_is_soft(j->kind))
        return;
    rates_of_single(p, j, LK_BODY_V, rate);
    for (int r = 0; r < lk_kind_rows(k); r++) {
        x[r] += sought == SEEK_POSES ? -rate[r] : rate[r];
        if (leaks && !lk_lane_is_soft(j->kind))
            x[r] -= f[lk_kind_regular(k) + r] * f[lk_kind_lambda(k) + r];
    }
}

/* set the right-hand side of rows whose stops are hit, or rest, as for rigid rows, see
 * impact_rates() in step/one/evaluate.c */
static void seek_impacts(const struct run *run, int block, enum sought sought)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    lanes_t rate[ROWS_MAX];

    if (run->sys->n_stops == 0 || run->sys->progress->jumps || !lk_lane_is_soft(j->kind))
        return;
    rates_of_single(run->p, j, LK_BODY_V, rate);
    lk_singles_hold(run->sys, run->p, block, sought == SEEK_ACCELERATIONS, (const double *)rate);
}

ROWS_FN(seek_poses_rows)
{
    right_side_kind(k, run->p, joints_at(run, block), SEEK_POSES, run->sys->progress->leaks);
}

STAGE_FN(seek_poses_single)
{
    seek_one_by_one(run, block, SEEK_POSES, run->sys->progress->leaks);
}
#define WORK seek_poses
#include "step/lanes/each_kind_inl.h"

ROWS_FN(seek_velocities_rows)
{
    right_side_kind(k, run->p, joints_at(run, block), SEEK_VELOCITIES, 0);
}

STAGE_FN(seek_velocities_single)
{
    seek_one_by_one(run, block, SEEK_VELOCITIES, 0);
    seek_impacts(run, block, SEEK_VELOCITIES);
}
#define WORK seek_velocities
#include "step/lanes/each_kind_inl.h"

ROWS_FN(seek_accelerations_rows)
{
    right_side_kind(k, run->p, joints_at(run, block), SEEK_ACCELERATIONS, 0);
}

STAGE_FN(seek_accelerations_single)
{
    seek_one_by_one(run, block, SEEK_ACCELERATIONS, 0);
    seek_impacts(run, block, SEEK_ACCELERATIONS);
}
#define WORK seek_accelerations
#include "step/lanes/each_kind_inl.h"

/* add @what (enum scale) times the solution to lambda, and compute Phi_q^T times the solution */
ROWS_FN(take_solution_rows)
{
    take_solution_kind(k, run->p, joints_at(run, block),
                       stage->what == SCALE_ONE ? 1
                       : stage->what == SCALE_S ? run->sys->s
                                                : 0);
}

STAGE_FN(take_solution_single)
{
    take_solution_rows(lk_lane_kind(joints_at(run, block)->kind), run, stage, t, block);
}
#define WORK take_solution
#include "step/lanes/each_kind_inl.h"
