/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4` on batches: bodies, joints, sweeps, the step. The method is that of
 * step/scripts/rk4.c, equation by equation; what follows laws pulls at bodies as loads do. Without
 * include guard on purpose, see lanes_inl.h. */

/* ---- bodies ---- */

/* derivatives of the stage under way into the sum; returns them in @rate. @is_first: it is the
 * start of the step */
LK_INLINE void add_rates(lanes_t *f, double weight, bool is_first, lanes_t rate[12])
{
    const lanes_t *v = f + (is_first ? LK_BODY_OLD_V : LK_RK4_STAGE_V);

    lk_rk4_rates_lanes(f + LK_RK4_THETA, is_first, v, f + LK_BODY_OLD_A, rate);
    for (int i = 0; i < 12; i++) {
        lanes_t before = is_first ? (lanes_t){0} : f[LK_RK4_SUM + i];

        f[LK_RK4_SUM + i] = before + weight * rate[i];
    }
}

/* pose, weights and twist of the stage, @h times @by after the start of the step */
LK_INLINE void show_stage(lanes_t *f, const lanes_t by[12], double h)
{
    lanes_t turn[4], u[3];

    lk_rk4_advance_lanes(h, by, f + LK_BODY_OLD_V, u, f + LK_RK4_THETA, f + LK_RK4_STAGE_V);
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    place(f, u, turn, f + LK_BODY_X);
    turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = f[LK_RK4_STAGE_V + i];
    rotate(f + LK_BODY_R, f + LK_RK4_STAGE_V + 3, f + LK_BODY_V + 3);
}

/* the new state, open still; weights stay those of the last stage */
LK_INLINE void take_sum(lanes_t *f, double h)
{
    lanes_t turn[4], u[3], v[6];

    lk_rk4_advance_lanes(h, f + LK_RK4_SUM, f + LK_BODY_OLD_V, u, f + LK_RK4_THETA, v);
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    lk_moved_state_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, u, turn, f + LK_BODY_OLD_X,
                         f + LK_BODY_OLD_Q);
    for (int i = 0; i < 6; i++)
        f[LK_BODY_OLD_V + i] = v[i];
    show_unclosed_pose(f);
}

/* from stage @k, whose accelerations are known, to the next one or to the new state */
static __attribute__((noinline)) void advance_bodies(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block, int k,
                                                     struct watch *watch)
{
    lanes_t *f = block_at(p, p->bodies[block].at), rate[12];
    const lanes_t *theta = f + LK_RK4_THETA;

    add_rates(f, lk_rk4_weight[k], k == 0, rate);
    if (k < LK_RK4_STAGES - 1)
        show_stage(f, rate, lk_rk4_when[k + 1] * sys->h);
    else
        take_sum(f, sys->h);
    watch->widest = lk_max_lanes(watch->widest, lk_inner_lanes(theta, theta));
}

/* ---- joints ---- */

/* the Jacobian at the pose of the stage, gamma, and what the multipliers pull */
LK_INLINE void stage_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][18];
    const lanes_t *const body[2] = {view(p, &j->body[0], 0, 18, buffer[0]),
                                    view(p, &j->body[1], 0, 18, buffer[1])};
    const lanes_t *const twist[2] = {body[0] + LK_BODY_V, body[1] + LK_BODY_V};
    struct place_of at;

    locate(k, f, body, &at);
    jacobian(k, &at, f + lk_kind_jacobian(k));
    gamma_rows(k, &at, twist, f + lk_kind_x(k));
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

static void stage_single(const struct run *run, int block)
{
    const struct lk_batch_joints *j = &run->p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(run->p, j->at);

    lk_singles_turn(run->sys, run->p, block, false);
    lk_singles_gamma(run->sys, run->p, block);
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

static void stage_joints(const struct run *run, int block)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];

    if (__builtin_expect(j->kind >= LK_KIND_SINGLE, 0)) {
        stage_single(run, block);
        return;
    }

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        stage_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j);                                         \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

/* ---- sweeps ---- */

LK_INLINE void rk4_bodies_up(const struct run *run, enum rk4_up up, int t, int block)
{
    struct lk_system *sys = run->sys;
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (up) {
    case RK4_BEGIN:
        advance_bodies(sys, p, block, 0, watch);
        /* fall through */
    case RK4_ROWS:
        show_field(run, block, LK_BODY_X);
        show_twist_in(run, block, LK_RK4_STAGE_V);
        break;
    case RK4_OPEN:
        show_field(run, block, LK_BODY_NOW_X);
        show_twist_in(run, block, LK_BODY_OLD_V);
        break;
    case RK4_SETTLE:
        show_field(run, block, LK_BODY_X);
        break;
    case RK4_RATES:
        show_twist_in(run, block, LK_BODY_OLD_V);
        break;
    case RK4_STAGE:
    case RK4_NEW:
        accelerate_freely(sys, p, block, up == RK4_NEW);
        break;
    case RK4_RATES_AGAIN:
        show_motion(p, block, LK_BODY_OLD_V);
        break;
    case RK4_AGAIN:
        show_motion(p, block, LK_BODY_OLD_A);
        break;
    case RK4_STORE:
        store_bodies(run, block, watch);
        break;
    case RK4_REST:
    case RK4_PROJECT:
    case RK4_CONTRADICTION:
    case RK4_CONTRADICTION_LAST:
        break;
    }
}

/* The right-hand side of the next solve: @weight E times the solution, lk_project_contradictions()
 */
LK_INLINE void contradict(const struct lk_batches *p, int block, double weight)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(p, j->at);

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_kind_x(k) + r] *= weight * f[lk_kind_regular(k) + r];
}

LK_INLINE void rk4_joints_up(const struct run *run, enum rk4_up up, int t, int block)
{
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (up) {
    case RK4_BEGIN:
    case RK4_ROWS:
        stage_joints(run, block);
        break;
    case RK4_STAGE:
    case RK4_NEW:
    case RK4_AGAIN:
        seek(run, block, SEEK_ACCELERATIONS, 0);
        break;
    case RK4_CONTRADICTION:
        contradict(p, block, 1);
        break;
    case RK4_CONTRADICTION_LAST:
        contradict(p, block, 1 - LK_LEAST_SOLVES);
        break;
    case RK4_OPEN:
        open_joints(run, block);
        break;
    case RK4_SETTLE:
        settle_all(run, block, true, watch);
        break;
    case RK4_PROJECT:
        seek(run, block, SEEK_VELOCITIES, 0);
        break;
    case RK4_RATES:
        rates_of_state(run, block, watch);
        begin_multipliers(p, block, !run->sys->rows_are_independent);
        break;
    case RK4_RATES_AGAIN:
        rates_of_state(run, block, watch);
        break;
    case RK4_STORE:
        store_multipliers(run, block, 1, false, watch);
        break;
    case RK4_REST:
        break;
    }
}

static void rk4_up(const struct run *run, int t, int what)
{
    const enum rk4_up up = (enum rk4_up)what;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool factors = up == RK4_STAGE || up == RK4_PROJECT;
    bool solves = factors || up == RK4_CONTRADICTION || up == RK4_CONTRADICTION_LAST ||
                  up == RK4_OPEN || up == RK4_NEW || up == RK4_AGAIN;

    if (up == RK4_REST)
        return;
    EACH_UP(task, rk4_bodies_up(run, up, t, index), rk4_joints_up(run, up, t, index),
            if (solves) upward(p, index, factors ? FACTOR_AND_ASSEMBLE : ASSEMBLE,
                               block_at(p, task->scratch)))
}

LK_INLINE void rk4_bodies_down(const struct run *run, enum rk4_down down, int t, int block)
{
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (down) {
    case RK4_ADVANCE:
        project_bodies(p, block, LK_BODY_OLD_A);
        advance_bodies(run->sys, p, block, run->sys->progress->stage, watch);
        break;
    case RK4_CLOSE:
    case RK4_CLOSE_LAST:
        close_poses(p, block, down == RK4_CLOSE_LAST, watch);
        break;
    case RK4_TWISTS:
        project_bodies(p, block, LK_BODY_OLD_V);
        break;
    case RK4_ACCELERATIONS:
        project_bodies(p, block, LK_BODY_OLD_A);
        break;
    case RK4_STAY:
        break;
    }
}

static void rk4_down(const struct run *run, int t, int what)
{
    const enum rk4_down down = (enum rk4_down)what;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool accelerates = down == RK4_ADVANCE || down == RK4_ACCELERATIONS;
    double scale = accelerates ? run->sys->s : 0;

    if (down == RK4_STAY)
        return;
    EACH_DOWN(task, rk4_bodies_down(run, down, t, index), take_solution(p, index, scale),
              downward(p, index, block_at(p, task->scratch)))
}

/* the state, whose accelerations inputs change */
static void rk4_take(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys, rk4_down, rk4_up);

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int b = 0; b < p->n_joints; b++) {
        rates_of_state(&run, b, run.watch);
        begin_multipliers(p, b, false);
    }
}

/* those that collect into a struct watch begin with the first stage */
static void rk4_sweep(struct lk_system *sys, int down, int up)
{
    const struct lk_batches *p = sys->batches;
    struct run run = new_run(sys, rk4_down, rk4_up);

    if (up == RK4_BEGIN)
        memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    sweep(&run, down, up);
}

/* -Q of the bodies that loads act on, those that follow laws among them. @field: of the twists;
 * Return: powers of the laws */
static struct lk_law_powers take_stage_loads(struct lk_system *sys, const struct lk_batches *p,
                                             double t, const double *inputs, int field)
{
    struct lk_law_powers laws;

    if (p->n_soft > 0) /* laws follow coordinates, all of which are found */
        show_motions(sys, p, field);
    for (int i = 0; i < p->n_loaded && p->n_soft == 0; i++)
        show_twist(sys, p, p->loaded[i], field);
    laws = lk_singles_follow(sys, p);
    put_loads(sys, p, t, inputs, LK_FREE_LOAD);
    return laws;
}

static struct lk_law_powers rk4_follow(struct lk_system *sys, double t, const double *inputs)
{
    return take_stage_loads(sys, sys->batches, t, inputs,
                            sys->progress->is_stage ? LK_RK4_STAGE_V : LK_BODY_OLD_V);
}

static void give_all_multipliers(struct lk_system *sys)
{
    const struct run run = new_run(sys, NULL, NULL);

    show_multipliers(&run);
}

/* residuals, energies and what is watched, of `ali3` and `rk4` */
static int store_state(struct lk_system *sys)
{
    const struct run run = new_run(sys, NULL, NULL);

    sys->batches->n_phases = 0;
    keep_balance(&run);
    show_watched(sys, sys->batches, &sys->next);
    return judge(&run);
}
