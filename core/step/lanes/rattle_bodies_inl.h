/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of `rattle` in lanes. The equations are those of step/equations_inl.h. Rotations of bodies
 * are in body axes, rotations in joints in world axes. There is no include guard, see
 * lanes_inl.h. */

/** struct sums - extremes and sums of a task in one phase. @violation: the largest |Phi| of its
 * rows;
 * @closing: work, see lk_one_book_closing();  @inner: products of an increment, before its
 * correction, with earlier increments and with itself, in each measure */
struct sums {
    lanes_t violation;
    lanes_t closing;
    lanes_t inner[LK_ITERATIONS_MAX][LK_MEASURES];
};
_Static_assert(sizeof(struct sums) == LK_SUMS * sizeof(lanes_t), "memory of the sums");

/* set the sums to 0; @n: number of products to be computed */
LK_INLINE void clear_sums(struct sums *sums, int n)
{
    sums->closing = (lanes_t){0};
    for (int k = 0; k < n; k++)
        for (int m = 0; m < LK_MEASURES; m++)
            sums->inner[k][m] = (lanes_t){0};
}

LK_INLINE lanes_t *increment_of(lanes_t *f, int iteration)
{
    return f + LK_RATTLE_INCREMENTS + 12 * iteration;
}

/* compute M b */
LK_INLINE void times_mass(const lanes_t *f, bool are_balls, const lanes_t *b, lanes_t Mb[6])
{
    for (int i = 0; i < 3; i++)
        Mb[i] = f[LK_BODY_MASS] * b[i];
    lk_times_moments_lanes(f + LK_BODY_J, are_balls, b + 3, Mb + 3);
}

LK_INLINE lanes_t inner_six(const lanes_t *a, const lanes_t *b)
{
    return lk_inner_lanes(a, b) + lk_inner_lanes(a + 3, b + 3);
}

/* compute s W Phi_q^T of lambda or of the solution; @R: the orientation of the Jacobian */
LK_INLINE void weigh_pull(const struct lk_batches *p, const struct lk_batch_bodies *b,
                          const lanes_t *f, const lanes_t *R, int takes_lambda, lanes_t ret[6])
{
    lanes_t torque[3], own[3];

    pull(p, b, NULL, takes_lambda, ret, torque);
    for (int i = 0; i < 3; i++)
        ret[i] *= f[LK_BODY_SM];
    rotate_back(R, torque, own);
    lk_times_moments_lanes(f + LK_BODY_SJ, b->are_balls, own, ret + 3);
}

/* compute -Q of gravity and loads */
LK_INLINE void sum_forces(const struct lk_system *sys, const lanes_t *f, lanes_t ret[6])
{
    for (int i = 0; i < 3; i++) {
        ret[i] = f[LK_RATTLE_LOAD + i] - f[LK_BODY_MASS] * sys->gravity[i];
        ret[3 + i] = f[LK_RATTLE_LOAD + 3 + i];
    }
}

/* compute the pose of the state in OLD_* */
LK_INLINE void show_closed(lanes_t *f)
{
    for (int i = 0; i < 3; i++)
        f[LK_BODY_X + i] = f[LK_BODY_OLD_X + i];
    lk_quat_matrix_lanes(f + LK_BODY_OLD_Q, f + LK_BODY_R);
}

/* compute pose and weights of the factor */
LK_INLINE void show_unclosed(const struct lk_batch_bodies *b, lanes_t *f)
{
    for (int i = 0; i < 3; i++)
        f[LK_BODY_NOW_X + i] = f[LK_RATTLE_FACTOR_X + i];
    lk_quat_matrix_lanes(f + LK_RATTLE_FACTOR_Q, f + LK_BODY_NOW_R);
    if (!b->are_linear)
        turn_symmetric(f + LK_BODY_NOW_R, f + LK_BODY_SJ, f + LK_BODY_A);
}

/* ---- positions: first half kick, at q_n ---- */

/* Compute the angular part of s W g of an iterate, in G. It is s W (2/h (D J theta/h - J w)
 * - Q + Phi_q^T lambda). An increment, before its correction, changes s W Phi_q^T lambda by
 * -(dq/2 + s W g), and all increments are sums of such changes. So s W g contains -theta/2 and,
 * in REST, the kick less the sum of these s W g. The translation is linear: its residual is 0
 * after the first increment, unless there is no mass. */
LK_INLINE void momentum_residual(const struct lk_system *sys, const struct lk_batches *p,
                                 lanes_t *f)
{
    const lanes_t *theta = f + LK_RATTLE_ITERATE + 3, *rest = f + LK_RATTLE_REST + 3;
    lanes_t momentum[3], torque[3], change[3];

    lk_sym_mul_lanes(f + LK_BODY_J, f + LK_BODY_OLD_V + 3, momentum);
    for (int i = 0; i < 3; i++)
        momentum[i] *= sys->h;
    lk_rattle_start_lanes(sys->s, f + LK_BODY_J, momentum, theta, torque);
    if (p->rare) {
        lanes_t more[3], pull[3];

        for (int i = 0; i < 3; i++)
            more[i] = theta[i] - f[LK_RATTLE_MOVED + 3 + i];
        lk_rattle_tension_start_lanes(f + p->rare + LK_RARE_TENSION, theta, more, pull);
        for (int i = 0; i < 3; i++)
            torque[i] += pull[i];
    }
    lk_sym_mul_lanes(f + LK_BODY_SJ, torque, change);
    for (int i = 0; i < 3; i++)
        f[LK_RATTLE_G + i] = change[i] - 0.5 * theta[i] + rest[i];
    rotate(f + LK_BODY_R, f + LK_RATTLE_G, f + LK_BODY_V + 3);
}

/* compute the angular part of s W g for the first iterate of linear bodies; it is 0 after
 * the first increment */
LK_INLINE void linear_momentum(const struct lk_system *sys, lanes_t *f)
{
    for (int i = 0; i < 3; i++)
        f[LK_RATTLE_G + i] = f[LK_RATTLE_REST + 3 + i] - 0.5 * sys->h * f[LK_BODY_OLD_V + 3 + i];
    rotate(f + LK_BODY_R, f + LK_RATTLE_G, f + LK_BODY_V + 3);
}

/* compute the translation of s W g: for the first iterate, and for all iterates if some
 * bodies have no mass */
LK_INLINE void momentum_translation(const struct lk_system *sys, const struct lk_batches *p,
                                    lanes_t *f)
{
    const lanes_t *u = f + LK_RATTLE_ITERATE, *rest = f + LK_RATTLE_REST;

    for (int i = 0; i < 3; i++) {
        lanes_t half = 0.5 * (u[i] - sys->h * f[LK_BODY_OLD_V + i]);

        if (p->carries)
            half *= 1.0 - f[p->rare + LK_RARE_MASSLESS];
        f[LK_BODY_V + i] = half - 0.5 * u[i] + rest[i];
    }
}

/* compute the pose of an iterate */
LK_INLINE void place_iterate(lanes_t *f)
{
    lanes_t turn[4];

    lk_rotation_exp_lanes(f + LK_RATTLE_ITERATE + 3, turn);
    place(f, f + LK_RATTLE_ITERATE, turn, f + LK_BODY_NOW_X);
}

/* collect the largest rotation; NaN if it is not finite. Beyond half a turn, a rotation vector is
 * ambiguous */
LK_INLINE void watch_turn(const lanes_t *theta, struct watch *watch)
{
    lanes_t square = lk_inner_lanes(theta, theta);

    watch->widest = lk_max_lanes(watch->widest, square) + square * 0.0;
}

/* predict without acceleration for light bodies; if tensions are included, use the accelerations of
 * the state */
LK_INLINE void predict_rare(const struct lk_system *sys, const struct lk_batches *p, lanes_t *f)
{
    const lanes_t *v = f + LK_BODY_OLD_V, *ahead = f + p->rare + LK_RARE_AHEAD;

    for (int i = 0; i < 6; i++)
        f[LK_RATTLE_ITERATE + i] =
            p->n_tense > 0
                ? lk_taylor_lanes(sys->h, ahead[i / 3], v[i], f[LK_BODY_OLD_A + i])
                : lk_rattle_ahead_lanes(sys->h, ahead[i / 3], v[i], f[LK_RATTLE_MOVED + i]);
}

static __attribute__((noinline)) void predict_motion(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), *u = f + LK_RATTLE_ITERATE, sum[6], turn[3];

    for (int i = 0; i < 6; i++)
        u[i] = lk_rattle_ahead_lanes(sys->h, 1 + (lanes_t){0}, f[LK_BODY_OLD_V + i],
                                     f[LK_RATTLE_MOVED + i]);
    if (p->rare)
        predict_rare(sys, p, f);
    sum_forces(sys, f, sum);
    lk_times_moments_lanes(f + LK_BODY_SJ, b->are_balls, sum + 3, turn);
    for (int i = 0; i < 3; i++) {
        f[LK_RATTLE_REST + i] = f[LK_BODY_SM] * sum[i] + 0.5 * u[i];
        f[LK_RATTLE_REST + 3 + i] = turn[i] + 0.5 * u[3 + i];
    }
    if (p->factors_twice)
        turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    place_iterate(f);
    momentum_translation(sys, p, f);
    if (b->are_linear)
        linear_momentum(sys, f);
    else
        momentum_residual(sys, p, f);
}

/* add the products of increment @iteration of a block, which is @dq, with earlier increments
 * and with itself */
LK_INLINE void multiply_increment(const struct lk_batches *p, int block, int iteration,
                                  const lanes_t dq[6], struct sums *sums)
{
    lanes_t *f = block_at(p, p->bodies[block].at);
    lanes_t Mdq[6];

    times_mass(f, p->bodies[block].are_balls, dq, Mdq);
    for (int k = 0; k < iteration; k++) {
        const lanes_t *other = increment_of(f, k);
        lanes_t by_mass = inner_six(other, Mdq), by_turns = lk_inner_lanes(other + 3, dq + 3);

        sums->inner[k][LK_BY_MASS] += by_mass;
        sums->inner[k][LK_BY_TURNS] += by_turns;
    }
    sums->inner[iteration][LK_BY_MASS] += inner_six(dq, Mdq);
    sums->inner[iteration][LK_BY_TURNS] += lk_inner_lanes(dq + 3, dq + 3);
}

/* compute dq = -2 (s W Phi_q^T dlambda + s W g) */
static __attribute__((noinline)) void find_increments(const struct lk_batches *p, int block,
                                                      int iteration, struct sums *sums)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), *now = increment_of(f, iteration), change[6], dq[6];

    weigh_pull(p, b, f, f + LK_BODY_R, 0, change);
    for (int i = 0; i < 3; i++) {
        dq[i] = -2.0 * (change[i] + f[LK_BODY_V + i]);
        dq[3 + i] = -2.0 * (change[3 + i] + f[LK_RATTLE_G + i]);
    }
    multiply_increment(p, block, iteration, dq, sums);
    for (int i = 0; i < 6; i++)
        now[i] = dq[i];
}

/* compute the next iterate from the last increment, corrected by earlier increments */
LK_INLINE void take_increment(const struct lk_progress *newton, lanes_t *f)
{
    int last = newton->done - 1;
    lanes_t *now = increment_of(f, last), *u = f + LK_RATTLE_ITERATE;

    for (int k = 1; k < last; k++)
        for (int i = 0; i < 6; i++)
            now[i] += newton->alpha[k - 1] * increment_of(f, k)[i];
    for (int i = 0; i < 6; i++) {
        now[i] *= newton->part;
        u[i] += now[i];
    }
    for (int i = 0; i < 6 && newton->goes_back; i++)
        u[i] -= increment_of(f, last - 1)[i];
}

/* subtract the effect of the last increment from REST, with the combination factors that were used
 * for the increments. @residual: residual of this increment;  @field: field of the stored residuals
 */
LK_INLINE void take_rest(const struct lk_progress *newton, lanes_t *f, const lanes_t residual[3],
                         int field)
{
    int last = newton->done - 1;

    for (int i = 0; i < 3; i++) {
        lanes_t taken = residual[i];

        for (int k = 1; k < last; k++)
            taken += newton->alpha[k - 1] * increment_of(f, k)[field + i];
        taken *= newton->part;
        increment_of(f, last)[field + i] = taken;
        f[LK_RATTLE_REST + field - 6 + i] -= taken;
    }
}

static __attribute__((noinline)) void iterate_bodies(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block,
                                                     const struct lk_progress *newton)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at);

    take_increment(newton, f);
    place_iterate(f);
    if (__builtin_expect(p->carries, 0)) {
        take_rest(newton, f, f + LK_BODY_V, 6);
        momentum_translation(sys, p, f);
    }
    for (int i = 0; i < 3 && newton->done == 1 && !p->carries; i++)
        f[LK_BODY_V + i] = (lanes_t){0};
    for (int i = 0; i < 3 && newton->done == 1 && b->are_linear; i++)
        f[LK_BODY_V + 3 + i] = f[LK_RATTLE_G + i] = (lanes_t){0};
    if (b->are_linear)
        return;
    take_rest(newton, f, f + LK_RATTLE_G, 9);
    momentum_residual(sys, p, f);
}

/* compute the last iterate */
static __attribute__((noinline)) void finish_bodies(const struct lk_batches *p, int block,
                                                    const struct lk_progress *newton,
                                                    struct watch *watch)
{
    lanes_t *f = block_at(p, p->bodies[block].at);
    const lanes_t *dq = increment_of(f, newton->done - 1);
    lanes_t largest = watch->increment;

    take_increment(newton, f);
    place_iterate(f);
    for (int i = 0; i < 6; i++)
        largest = lk_max_lanes(largest, lk_abs_lanes(dq[i]));
    watch->increment = largest;
}

/* set the pose of the factor to the last accepted iterate */
static __attribute__((noinline)) void unclose_bodies(const struct lk_batches *p, int block,
                                                     const struct lk_progress *newton,
                                                     struct watch *watch)
{
    lanes_t *f = block_at(p, p->bodies[block].at), *u = f + LK_RATTLE_ITERATE;

    for (int i = 0; i < 6 && newton->goes_back; i++)
        u[i] -= increment_of(f, newton->done - 1)[i];
    watch_turn(u + 3, watch);
    lk_rotation_exp_lanes(u + 3, f + LK_BODY_TURN);
    lk_moved_state_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, u, f + LK_BODY_TURN,
                         f + LK_RATTLE_FACTOR_X, f + LK_RATTLE_FACTOR_Q);
    show_unclosed(&p->bodies[block], f);
}

/* apply dq = -s W Phi_q^T kappa; compute the pose of the new state */
static __attribute__((noinline)) void close_bodies(const struct lk_system *sys,
                                                   const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), moved[6], change[6], turn[4];

    weigh_pull(p, b, f, f + LK_BODY_NOW_R, 0, change);
    for (int i = 0; i < 6 && lk_rattle_has_differences(sys); i++)
        f[p->rare + LK_RARE_LAST_CURVATURE + i] = f[LK_RATTLE_CURVATURE + i];
    lk_rattle_close_body_lanes(sys->h, change, f + LK_RATTLE_ITERATE, f + LK_BODY_TURN,
                               f + LK_RATTLE_MOVED, moved, turn, f + LK_RATTLE_CURVATURE);
    for (int i = 0; i < 6; i++)
        f[LK_RATTLE_MOVED + i] = moved[i];
    lk_moved_state_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, moved, turn, f + LK_BODY_OLD_X,
                         f + LK_BODY_OLD_Q);
    show_closed(f);
}

static void load_own(const struct lk_state *state, const struct lk_batches *p, int block);

/* load the state @from, one body after another. Its joints are not closed yet, and its pose is the
 * pose of the factor */
static __attribute__((noinline)) void reload_bodies(const struct lk_state *from,
                                                    const struct lk_batches *p, int block)
{
    lanes_t *f = block_at(p, p->bodies[block].at);

    load_bodies(from, p, block);
    load_own(from, p, block);
    show_unclosed(&p->bodies[block], f);
}

/* apply dq = -s W Phi_q^T kappa to a state whose joints are being closed */
static __attribute__((noinline)) void close_state(const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), change[6], q[4];

    weigh_pull(p, b, f, f + LK_BODY_NOW_R, 0, change);
    for (int i = 0; i < 3; i++) {
        f[LK_BODY_OLD_X + i] -= change[i];
        change[3 + i] = -change[3 + i];
    }
    lk_turn_on_lanes(f + LK_BODY_OLD_Q, change + 3, q);
    for (int i = 0; i < 4; i++)
        f[LK_BODY_OLD_Q + i] = q[i];
    show_closed(f);
}

/* Set LAST_CURVATURE to CURVATURE at the start of a step, because the state contains no
 * earlier curvature. */
LK_INLINE void reset_last_curvature(const struct lk_batches *p, int block)
{
    lanes_t *f = block_at(p, p->bodies[block].at);

    for (int i = 0; i < 6; i++)
        f[p->rare + LK_RARE_LAST_CURVATURE + i] = f[LK_RATTLE_CURVATURE + i];
}

/* ---- velocities: second half kick, at q_n+1; accelerations ---- */

/* subtract the torque of tension at the end of the step from the forces @sum */
LK_INLINE void subtract_tension(const struct lk_system *sys, const struct lk_batches *p,
                                const lanes_t *f, lanes_t sum[6])
{
    lanes_t more[3], pull[3];

    for (int i = 0; i < 3; i++)
        more[i] = sys->h * sys->h * f[LK_RATTLE_CURVATURE + 3 + i];
    lk_rattle_tension_end_lanes(f + p->rare + LK_RARE_TENSION, f + LK_RATTLE_MOVED + 3, more, pull);
    for (int i = 0; i < 3; i++)
        sum[3 + i] -= pull[i];
}

/* Write the difference of @motion from @other into SHOVE (world axes), for the rows of dampers. */
LK_INLINE void keep_difference(const struct lk_batches *p, lanes_t *f, const lanes_t *motion,
                               const lanes_t *other)
{
    lanes_t *ret = f + p->rare + LK_RARE_SHOVE, turn[3];

    for (int i = 0; i < 3; i++) {
        ret[i] = motion[i] - other[i];
        turn[i] = motion[3 + i] - other[3 + i];
    }
    rotate(f + LK_BODY_R, turn, ret + 3);
}

/* Replace velocities in directions without inertia by differences of positions; store v - v' for
 * dampers. */
LK_INLINE void replace_velocity(const struct lk_system *sys, const struct lk_batches *p, lanes_t *f)
{
    lanes_t seen[6], unused[6];

    lk_rattle_differences_lanes(sys->h, f + LK_RATTLE_MOVED, f + LK_RATTLE_CURVATURE,
                                f + p->rare + LK_RARE_LAST_CURVATURE, seen, unused);
    lk_rattle_replace_lanes(f + p->rare + LK_RARE_MASSLESS, f + p->rare + LK_RARE_THIN, seen,
                            f + LK_BODY_OLD_V);
    if (sys->closes_dampers)
        keep_difference(p, f, f + LK_BODY_OLD_V, seen);
}

static __attribute__((noinline)) void kick_bodies(const struct lk_system *sys,
                                                  const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), sum[6];
    const lanes_t *u = f + LK_RATTLE_MOVED, *theta = u + 3;

    sum_forces(sys, f, sum);
    if (p->rare)
        subtract_tension(sys, p, f, sum);
    lk_rattle_kick_body_lanes(sys->h, sys->s, b->are_balls, b->are_linear, f + LK_BODY_J,
                              f[LK_BODY_SM], f + LK_BODY_SJ, u, theta, sum, f + LK_BODY_OLD_V);
    if (lk_rattle_has_differences(sys))
        replace_velocity(sys, p, f);
    show_motion(p, block, LK_BODY_OLD_V);
}

/* apply v -= s W Phi_q^T sigma or a -= s W Phi_q^T kappa; @field: field of the state, OLD_V or
 * OLD_A */
LK_INLINE void subtract_pull(const struct lk_batches *p, int block, int field)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), change[6];

    weigh_pull(p, b, f, f + LK_BODY_R, 1, change);
    for (int i = 0; i < 6; i++)
        f[field + i] -= change[i];
}

/* replace the motion in SHOVE by s W Phi_q^T of the multipliers that resist it */
static __attribute__((noinline)) void hold_bodies(const struct lk_batches *p, int block,
                                                  int takes_lambda)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at);

    weigh_pull(p, b, f, f + LK_BODY_R, takes_lambda, f + p->rare + LK_RARE_SHOVE);
}

static __attribute__((noinline)) void project_motion(const struct lk_batches *p, int block)
{
    subtract_pull(p, block, LK_BODY_OLD_V);
    show_motion(p, block, LK_BODY_OLD_V);
}

static __attribute__((noinline)) void project_accelerations(const struct lk_batches *p, int block)
{
    subtract_pull(p, block, LK_BODY_OLD_A);
}

/* ---- bodies without inertia: see balance_massless() in step/one/velocities.c ---- */

/* add the scattered forces of joints to the loads of the body */
static __attribute__((noinline)) void add_pull(const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), force[3], torque[3], own[3];

    pull(p, b, NULL, 0, force, torque);
    rotate_back(f + LK_BODY_R, torque, own);
    for (int i = 0; i < 3; i++) {
        f[LK_RATTLE_LOAD + i] += force[i];
        f[LK_RATTLE_LOAD + 3 + i] += own[i];
    }
}

/* compute s W g in directions without inertia; 0 in other directions */
static __attribute__((noinline)) void shove_massless(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block)
{
    lanes_t *f = block_at(p, p->bodies[block].at), *shove = f + p->rare + LK_RARE_SHOVE;
    const lanes_t *massless = f + p->rare + LK_RARE_MASSLESS;
    lanes_t sum[6], turn[3];

    sum_forces(sys, f, sum);
    lk_sym_mul_lanes(f + LK_BODY_SJ, sum + 3, turn);
    for (int i = 0; i < 3; i++) {
        shove[i] = massless[0] * f[LK_BODY_SM] * sum[i];
        turn[i] *= massless[1];
    }
    rotate(f + LK_BODY_R, turn, shove + 3);
}

/* Replace accelerations in directions without inertia by differences of positions; store a -
 * a' for dampers. */
LK_INLINE void replace_acceleration(const struct lk_system *sys, const struct lk_batches *p,
                                    lanes_t *f)
{
    lanes_t *a = f + LK_BODY_OLD_A, seen[6], unused[6],
            no_axis[3] = {(lanes_t){0}, (lanes_t){0}, (lanes_t){0}};

    lk_rattle_differences_lanes(sys->h, f + LK_RATTLE_MOVED, f + LK_RATTLE_CURVATURE,
                                f + p->rare + LK_RARE_LAST_CURVATURE, unused, seen);
    lk_rattle_replace_lanes(f + p->rare + LK_RARE_MASSLESS, no_axis, seen, a);
    if (sys->closes_dampers)
        keep_difference(p, f, a, seen);
}

static __attribute__((noinline)) void accelerate_bodies(const struct lk_system *sys,
                                                        const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), *a = f + LK_BODY_OLD_A, sum[6];

    sum_forces(sys, f, sum);
    lk_free_acceleration_lanes(sys->s, b->are_balls, b->are_linear, f + LK_BODY_J, f[LK_BODY_SM],
                               f + LK_BODY_SJ, f + LK_BODY_OLD_V + 3, sum, a);
    if (lk_rattle_has_differences(sys))
        replace_acceleration(sys, p, f);
    if (p->rare)
        lk_drop_along_lanes(f + p->rare + LK_RARE_THIN, a + 3);
    for (int i = 0; i < 3; i++)
        f[LK_RATTLE_ACCELERATION + i] = a[i];
    rotate(f + LK_BODY_R, a + 3, f + LK_RATTLE_ACCELERATION + 3);
}

/* ---- the state ---- */

/* struct lk_rattle_own has its fields in the order of FACTOR_X .. CURVATURE, and the size of a
 * motion */
_Static_assert(sizeof(struct lk_rattle_own) == sizeof(struct lk_motion) &&
                   LK_RATTLE_CURVATURE + 6 - LK_RATTLE_FACTOR_X == MOTION_SIZE,
               "what is its own is stored like a motion");

static void load_own(const struct lk_state *state, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at);

    for (int l = 0; l < LK_LANES; l++) {
        const struct lk_rattle_own none = {.q = {1}};
        const double *own =
            (const double *)(b->body[l] < 0 ? &none : &lk_rattle_own(state)[b->body[l]]);

        for (int i = 0; i < MOTION_SIZE; i++)
            LANE(f[LK_RATTLE_FACTOR_X + i], l) = own[i];
        for (int i = 0; i < 6; i++)
            LANE(f[LK_RATTLE_LOAD + i], l) = 0;
    }
}

static __attribute__((noinline)) void store_own(const struct run *run, int block,
                                                struct watch *watch)
{
    const struct lk_batch_bodies *b = &run->p->bodies[block];
    const lanes_t *f = block_at(run->p, b->at);
    double *to[LK_LANES], sink[MOTION_SIZE];

    watch->finite += zero_if_finite(f + LK_RATTLE_FACTOR_X);
    for (int l = 0; l < LK_LANES; l++)
        to[l] = b->body[l] >= 0 ? (double *)&lk_rattle_own(&run->sys->next)[b->body[l]] : sink;
    store_motion(f + LK_RATTLE_FACTOR_X, to);
}
