/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4` on batches: bodies, joints, phases, the step. The method is that of step/rk4.c,
 * equation by equation; loads alone act beside the joints. Without include guard on purpose, see
 * lanes_inl.h. */

/* ---- bodies ---- */

/* derivatives of the stage under way into the sum; returns them in @rate. @is_first: it is the
 * start of the step */
LK_INLINE void add_rates(lanes_t *f, double weight, bool is_first, lanes_t rate[12])
{
    const lanes_t *v = f + (is_first ? LK_BODY_OLD_V : LK_RK4_STAGE_V), *w = v + 3;
    lanes_t once[3], twice[3];

    lk_cross_lanes(f + LK_RK4_THETA, w, once);
    lk_cross_lanes(f + LK_RK4_THETA, once, twice);
    for (int i = 0; i < 3; i++) {
        rate[i] = v[i];
        rate[3 + i] = w[i];
        if (!is_first)
            rate[3 + i] += 0.5 * once[i] + (1.0 / 12) * twice[i];
        rate[6 + i] = f[LK_BODY_OLD_A + i];
        rate[9 + i] = f[LK_BODY_OLD_A + 3 + i];
    }
    for (int i = 0; i < 12; i++) {
        lanes_t before = is_first ? (lanes_t){0} : f[LK_RK4_SUM + i];

        f[LK_RK4_SUM + i] = before + weight * rate[i];
    }
}

/* pose, weights and twist of the stage, @h times @by after the start of the step */
LK_INLINE void show_stage(lanes_t *f, const lanes_t by[12], double h)
{
    lanes_t turn[4], u[3];

    for (int i = 0; i < 3; i++) {
        u[i] = h * by[i];
        f[LK_RK4_THETA + i] = h * by[3 + i];
    }
    for (int i = 0; i < 6; i++)
        f[LK_RK4_STAGE_V + i] = f[LK_BODY_OLD_V + i] + h * by[6 + i];
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    place(f, u, turn, f + LK_BODY_X);
    turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = f[LK_RK4_STAGE_V + i];
    rotate(f + LK_BODY_R, f + LK_RK4_STAGE_V + 3, f + LK_BODY_V + 3);
}

/* the pose that the positions are closed from */
LK_INLINE void show_unclosed_pose(lanes_t *f)
{
    for (int i = 0; i < 3; i++)
        f[LK_BODY_NOW_X + i] = f[LK_BODY_OLD_X + i];
    lk_quat_matrix_lanes(f + LK_BODY_OLD_Q, f + LK_BODY_NOW_R);
}

/* the new state, open still; weights stay those of the last stage */
LK_INLINE void take_sum(lanes_t *f, double h)
{
    lanes_t turn[4], q[4], scale;

    for (int i = 0; i < 3; i++) {
        f[LK_BODY_OLD_X + i] += h * f[LK_RK4_SUM + i];
        f[LK_RK4_THETA + i] = h * f[LK_RK4_SUM + 3 + i];
    }
    for (int i = 0; i < 6; i++)
        f[LK_BODY_OLD_V + i] += h * f[LK_RK4_SUM + 6 + i];
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    lk_quat_mul_lanes(f + LK_BODY_OLD_Q, turn, q);
    scale = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        f[LK_BODY_OLD_Q + i] = q[i] * scale;
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

/* a = gravity - M^-1 (w x J w + Phi_q^T lambda - Q), to be projected. @is_new: of a state, not of a
 * stage */
static __attribute__((noinline)) void
accelerate_freely(const struct lk_system *sys, const struct lk_batches *p, int block, bool is_new)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), force[3], torque[3], own[3], Jw[3], gyroscopic[3];
    const lanes_t *w = f + (is_new ? LK_BODY_OLD_V : LK_RK4_STAGE_V) + 3;
    double per_s = 1 / sys->s;

    pull(p, b, NULL, 1, force, torque);
    rotate_back(f + LK_BODY_R, torque, own);
    lk_sym_mul_lanes(f + LK_BODY_J, w, Jw);
    lk_cross_lanes(w, Jw, gyroscopic);
    for (int i = 0; i < 3; i++) {
        force[i] += f[LK_RK4_LOAD + i] - f[LK_BODY_MASS] * sys->gravity[i];
        own[i] += gyroscopic[i] + f[LK_RK4_LOAD + 3 + i];
        f[LK_BODY_V + i] = -per_s * f[LK_BODY_SM] * force[i];
    }
    lk_sym_mul_lanes(f + LK_BODY_SJ, own, torque);
    for (int i = 0; i < 3; i++)
        torque[i] *= -per_s;
    rotate(f + LK_BODY_R, torque, f + LK_BODY_V + 3);
}

/* dq = -s W Phi_q^T sigma; @is_last: then the new state is closed */
static __attribute__((noinline)) void close_poses(const struct lk_batches *p, int block,
                                                  bool is_last, struct watch *watch)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), step[6], turn[3], dq[4], q[4], largest = {0};

    correction(p, b, f, step);
    rotate_back(f + LK_BODY_R, step + 3, turn);
    for (int i = 0; i < 3; i++) {
        largest = lk_max_lanes(largest, lk_abs_lanes(step[i]));
        largest = lk_max_lanes(largest, lk_abs_lanes(turn[i]));
        f[LK_BODY_OLD_X + i] -= step[i];
        turn[i] = -turn[i];
    }
    lk_rotation_exp_lanes(turn, dq);
    lk_quat_mul_lanes(f + LK_BODY_OLD_Q, dq, q);
    for (int i = 0; i < 4; i++)
        f[LK_BODY_OLD_Q + i] = q[i];
    if (!is_last) {
        show_unclosed_pose(f);
        return;
    }
    watch->increment = lk_max_lanes(watch->increment, largest);
    show_state(f);
}

/* ---- joints ---- */

/* the Jacobian at the pose of the stage, gamma, and what the multipliers pull */
LK_INLINE void stage_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][18];
    const lanes_t *const body[2] = {view(p, j->body[0], 0, 18, buffer[0]),
                                    view(p, j->body[1], 0, 18, buffer[1])};
    const lanes_t *const twist[2] = {body[0] + LK_BODY_V, body[1] + LK_BODY_V};
    struct place_of at;

    locate(k, f, body, &at);
    jacobian(k, &at, f + lk_kind_jacobian(k));
    gamma_rows(k, &at, twist, f + lk_kind_x(k));
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

/* what the multipliers of the new state pull before they are found; @forgets: none, so that those
 * of redundant rows are of minimum norm */
LK_INLINE void begin_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j, bool forgets)
{
    lanes_t *f = block_at(p, j->at), *lambda = f + lk_kind_lambda(k);

    for (int r = 0; r < lk_kind_rows(k) && forgets; r++)
        lambda[r] = (lanes_t){0};
    scatter_load(k, f + lk_kind_jacobian(k), lambda, f + lk_kind_scatter(k));
}

static void stage_joints(const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        stage_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j);                                         \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void begin_multipliers(const struct lk_batches *p, int block, bool forgets)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        begin_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j, forgets);                                \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void open_joints(const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        violate_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j, LK_BODY_NOW_X);                        \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

/* ---- phases ---- */

/** enum rk4_solve - what is solved for. STAGE: accelerations of a stage, with a factor of their
 * own; POSES: what closes them, with the factor of the last stage;  TWISTS: likewise, with that of
 * the new state;  NEW: accelerations of a state;  AGAIN: what those leave of their rows */
enum rk4_solve { RK4_STAGE, RK4_POSES, RK4_TWISTS, RK4_NEW, RK4_AGAIN };

/** struct rk4_run - a step under way. @solve, @is_up: current phase, or, where it @begins, the
 * first stage;  @stage: number;  @is_last: solution of its sort */
struct rk4_run {
    struct run run;
    enum rk4_solve solve;
    int stage;
    bool begins;
    bool is_up;
    bool is_last;
};

static void rk4_up(const struct rk4_run *now, int t)
{
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool is_fresh = now->solve == RK4_STAGE || now->solve == RK4_TWISTS;
    enum pass rows = now->solve == RK4_TWISTS ? VELOCITY : ACCELERATION;

    for (int i = task->first_op; i < task->first_op + task->n_ops; i++) {
        const struct lk_batch_op *op = &p->ops[i];

        switch (op->what) {
        case LK_BATCH_BODIES:
            if (now->solve == RK4_STAGE || now->solve == RK4_NEW)
                accelerate_freely(now->run.sys, p, op->index, now->solve == RK4_NEW);
            else if (now->solve == RK4_AGAIN)
                show_motion(p, op->index, LK_BODY_OLD_A);
            break;
        case LK_BATCH_JOINTS:
            if (now->solve != RK4_POSES)
                right_side(p, op->index, rows, 0);
            break;
        case LK_BATCH_FRONT:
            upward(p, op->index, is_fresh ? VELOCITY : ACCELERATION, block_at(p, task->scratch));
            break;
        }
    }
}

/* the solution at a block of bodies, and what is shown of them next */
static void move_bodies(const struct rk4_run *now, int block, struct watch *watch)
{
    const struct lk_batches *p = now->run.p;

    switch (now->solve) {
    case RK4_STAGE:
        project_bodies(p, block, LK_BODY_OLD_A);
        advance_bodies(now->run.sys, p, block, now->stage, watch);
        break;
    case RK4_POSES:
        close_poses(p, block, now->is_last, watch);
        break;
    case RK4_TWISTS:
        project_bodies(p, block, LK_BODY_OLD_V);
        break;
    case RK4_NEW:
    case RK4_AGAIN:
        project_bodies(p, block, LK_BODY_OLD_A);
        if (now->is_last)
            store_bodies(&now->run, block, watch);
        else
            show_motion(p, block, LK_BODY_OLD_V);
        break;
    }
}

static void rk4_down(const struct rk4_run *now, int t)
{
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    double scale = now->solve == RK4_POSES || now->solve == RK4_TWISTS ? 0 : now->run.sys->s;

    for (int i = task->first_op + task->n_ops - 1; i >= task->first_op; i--) {
        const struct lk_batch_op *op = &p->ops[i];

        switch (op->what) {
        case LK_BATCH_BODIES:
            move_bodies(now, op->index, &now->run.watch[t]);
            break;
        case LK_BATCH_JOINTS:
            take_solution(p, op->index, scale);
            break;
        case LK_BATCH_FRONT:
            downward(p, op->index, block_at(p, task->scratch));
            break;
        }
    }
}

/* the joints of a task once its bodies have moved: what is solved next asks for */
static void show_joints(const struct rk4_run *now, int t)
{
    const struct lk_batches *p = now->run.p;
    struct watch *watch = &now->run.watch[t];
    bool opens = now->stage == LK_RK4_STAGES - 1, forgets = !now->run.sys->rows_are_independent;

    switch (now->solve) {
    case RK4_STAGE:
        EACH(LK_BATCH_JOINTS, &p->tasks[t], opens ? open_joints(p, index) : stage_joints(p, index))
        break;
    case RK4_POSES:
        EACH(LK_BATCH_JOINTS, &p->tasks[t],
             now->is_last ? settle_joints(p, index, watch) : open_joints(p, index))
        break;
    case RK4_TWISTS:
        EACH(LK_BATCH_JOINTS, &p->tasks[t], gamma_joints(p, index, watch))
        EACH(LK_BATCH_JOINTS, &p->tasks[t], begin_multipliers(p, index, forgets))
        break;
    case RK4_NEW:
    case RK4_AGAIN:
        EACH(LK_BATCH_JOINTS, &p->tasks[t],
             now->is_last ? store_multipliers(&now->run, index, 1, watch)
                          : gamma_joints(p, index, watch))
        break;
    }
}

static void rk4_begin_bodies(const struct rk4_run *now, int t)
{
    const struct lk_batches *p = now->run.p;

    EACH(LK_BATCH_BODIES, &p->tasks[t],
         advance_bodies(now->run.sys, p, index, 0, &now->run.watch[t]))
}

/* one task's part of a phase */
static void rk4_phase(const struct run *run, int t)
{
    const struct rk4_run *now = (const struct rk4_run *)run;

    if (now->is_up) {
        rk4_up(now, t);
        return;
    }
    if (now->begins)
        rk4_begin_bodies(now, t);
    else
        rk4_down(now, t);
    show_joints(now, t);
}

/* the way down: bodies of the top first, its joints last */
static void rk4_move(struct rk4_run *now)
{
    int top = now->run.p->n_tasks - 1;

    now->is_up = false;
    if (now->begins)
        rk4_begin_bodies(now, top);
    else
        rk4_down(now, top);
    share_out(&now->run);
    show_joints(now, top);
}

static void rk4_solve(struct rk4_run *now, enum rk4_solve solve, int stage, bool is_last)
{
    now->solve = solve;
    now->stage = stage;
    now->is_last = is_last;
    now->begins = false;
    now->is_up = true;
    share_out(&now->run);
    rk4_up(now, now->run.p->n_tasks - 1);
    rk4_move(now);
}

/* ---- the step ---- */

/* -Q of the bodies that loads act on, and their twists from @field on, for the powers */
static void take_stage_loads(struct lk_system *sys, const struct lk_batches *p, double t,
                             const double *inputs, int field)
{
    sum_loads(sys, p, t, inputs, LK_BODY_X);
    for (int i = 0; i < p->n_loaded; i++) {
        int b = p->loaded[i];
        double *load = p->values + p->place[b] + LK_RK4_LOAD * LK_LANES;
        const double *v = p->values + p->place[b] + field * LK_LANES;

        for (int k = 0; k < 3; k++) {
            load[k * LK_LANES] = sys->residual[b].v[k];
            load[(3 + k) * LK_LANES] = sys->residual[b].w[k];
            sys->twist[b].v[k] = v[k * LK_LANES];
            sys->twist[b].w[k] = v[(3 + k) * LK_LANES];
        }
    }
}

/* the accelerations that a step begins with, where inputs may have jumped */
static void renew_accelerations(struct rk4_run *now, const double *inputs)
{
    struct lk_system *sys = now->run.sys;
    const struct lk_batches *p = now->run.p;

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int b = 0; b < p->n_joints; b++) {
        gamma_joints(p, b, now->run.watch);
        begin_multipliers(p, b, false);
    }
    take_stage_loads(sys, p, sys->now.balance->steps * sys->h, inputs, LK_BODY_OLD_V);
    rk4_solve(now, RK4_NEW, 0, false);
}

static int rk4_step(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct rk4_run now = {
        .run = {.sys = sys, .p = p, .watch = (struct watch *)p->watch, .do_task = rk4_phase}};
    double h = sys->h, start = sys->now.balance->steps, end = (start + 1) * h;
    int solves = sys->rows_are_independent ? 1 : LK_RK4_REFINEMENTS;

    lk_rk4_correct_balance(sys, start * h, (lk_rk4_weight[0] - 0.5) * h, inputs);
    if (sys->n_inputs > 0)
        renew_accelerations(&now, inputs);
    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    now.solve = RK4_STAGE;
    now.begins = true;
    rk4_move(&now);
    for (int k = 1; k < LK_RK4_STAGES; k++) {
        double t = (start + lk_rk4_when[k]) * h;

        take_stage_loads(sys, p, t, inputs, LK_RK4_STAGE_V);
        lk_rk4_correct_balance(sys, t, lk_rk4_weight[k] * h, inputs);
        rk4_solve(&now, RK4_STAGE, k, false);
    }
    for (int i = 1; i <= LK_RK4_ROUNDS; i++)
        rk4_solve(&now, RK4_POSES, 0, i == LK_RK4_ROUNDS);
    rk4_solve(&now, RK4_TWISTS, 0, false);
    take_stage_loads(sys, p, end, inputs, LK_BODY_OLD_V);
    lk_rk4_correct_balance(sys, end, -0.5 * h, inputs);
    for (int i = 1; i <= solves; i++)
        rk4_solve(&now, i == 1 ? RK4_NEW : RK4_AGAIN, 0, i == solves);
    keep_balance(&now.run, 0);
    show_watched(sys, p, &sys->next);
    return judge(&now.run, 0);
}
