/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in lanes: forces of joints, poses, states. For `ali3`, also residuals and increments. For
 * `ali3` and `rk4`, also accelerations of free bodies and the position correction of a state. The
 * equations are those of step/equations_inl.h. There is no include guard, see lanes_inl.h. */

/** struct watch - extremes and sums collected during a step, one for each task. */
struct watch {
    lanes_t widest;    /* largest square of the rotation in the step */
    lanes_t increment; /* largest component in the last iteration */
    lanes_t position;  /* largest violations */
    lanes_t velocity;
    lanes_t kinetic;
    lanes_t potential;
    lanes_t finite; /* 0, or NaN if the new state is not finite */
};
_Static_assert(sizeof(struct watch) == LK_WATCHES * sizeof(lanes_t), "memory of the watches");

/* compute force and torque of a pin, whose axis @z is constant at every call; @R as in
 * pull() */
LK_INLINE void pull_pin(const struct lk_batches *p, const struct lk_batch_side *s, int z,
                        const lanes_t *R, int takes_lambda, lanes_t force[3], lanes_t torque[3])
{
    int x = lk_point_axis(z, 1), y = lk_point_axis(z, 2);
    double sign = s->side == 0 ? 1 : -1;
    lanes_t buffer[6], l[2], arm[3];
    const lanes_t *read[2]; /* multipliers, arm */

    view_two(p, &s->joint, takes_lambda ? s->lambda : s->x, R ? s->arm_own : s->arm, R ? 3 : 2,
             buffer, read);
    for (int i = 0; i < 2; i++)
        l[i] = sign * read[0][i];
    if (R)
        rotate(R, read[1], arm);
    force[x] += l[0];
    force[y] += l[1];
    torque[z] += (R ? arm[x] : read[1][0]) * l[1] - (R ? arm[y] : read[1][1]) * l[0];
}

/* compute Phi_q^T lambda over the sides at each body; without @takes_lambda, Phi_q^T of the
 * solution.
 * @R: orientation of the bodies at their present poses; NULL: use the Jacobian that the joints
 *     store */
LK_INLINE void pull(const struct lk_batches *p, const struct lk_batch_bodies *b, const lanes_t *R,
                    int takes_lambda, lanes_t force[3], lanes_t torque[3])
{
    for (int i = 0; i < 3; i++)
        force[i] = torque[i] = (lanes_t){0};
    for (int n = b->first_side; n < b->first_side + b->n_sides; n++) {
        const struct lk_batch_side *s = &p->sides[n];
        double sign = s->side == 0 ? 1 : -1;
        lanes_t buffer[9];

        if (s->point == LK_POINTS_XYZ) {
            lanes_t l[3], cross[3], turned[3];
            const lanes_t *read[2]; /* multipliers, arm */

            view_two(p, &s->joint, takes_lambda ? s->lambda : s->x, R ? s->arm_own : s->arm, 3,
                     buffer, read);
            for (int i = 0; i < 3; i++)
                l[i] = sign * read[0][i];
            if (R)
                rotate(R, read[1], turned);
            lk_cross_lanes(R ? turned : read[1], l, cross);
            for (int i = 0; i < 3; i++) {
                force[i] += l[i];
                torque[i] += cross[i];
            }
        } else if (s->point == LK_POINTS_YZ) {
            pull_pin(p, s, 0, R, takes_lambda, force, torque);
        } else if (s->point == LK_POINTS_ZX) {
            pull_pin(p, s, 1, R, takes_lambda, force, torque);
        } else if (s->point == LK_POINTS_XY) {
            pull_pin(p, s, 2, R, takes_lambda, force, torque);
        }
        if (s->n_scatter == 3) {
            const lanes_t *scatter = view(p, &s->joint, s->scatter, 3, buffer);

            for (int i = 0; i < 3; i++)
                torque[i] += sign * scatter[i];
        } else if (s->n_scatter == 6) {
            const lanes_t *scatter = view(p, &s->joint, s->scatter, 6, buffer);

            for (int i = 0; i < 3; i++) {
                force[i] += scatter[i];
                torque[i] += scatter[3 + i];
            }
        } else if (s->n_scatter == 9) {
            const lanes_t *scatter = view(p, &s->joint, s->scatter, 9, buffer);

            for (int i = 0; i < 3; i++) {
                force[i] += sign * scatter[i];
                torque[i] += scatter[3 + 3 * s->side + i];
            }
        }
    }
}

/* compute x, R from the old state and the motion since then */
LK_INLINE void place(lanes_t *f, const lanes_t u[3], const lanes_t turn[4], lanes_t *pose)
{
    lk_moved_place_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, u, turn, pose, pose + 3);
}

/* compute velocities and accelerations; for directions without inertia, see differentiate() in
 * step/one/ali3.c */
LK_INLINE void differentiate(const struct lk_system *sys, const struct lk_batches *p,
                             const lanes_t *f, const lanes_t u[3], const lanes_t theta[3],
                             lanes_t v[6], lanes_t a[6])
{
    const lanes_t *massless = f + p->rare + LK_RARE_MASSLESS;
    double per_s = 1 / sys->h;

    lk_trapezoidal_lanes(sys->h, u, theta, f + LK_BODY_OLD_V, f + LK_BODY_OLD_A, v, a);
    for (int i = 0; i < 6 && __builtin_expect(p->rare != 0, 0); i++)
        a[i] += massless[i / 3] * (per_s * (v[i] - f[LK_BODY_OLD_V + i]) - a[i]);
}

/* compute M (a - gravity) + w x J w */
LK_INLINE void inertial_residual(const struct lk_system *sys, const struct lk_batches *p,
                                 lanes_t *f, const lanes_t u[3], const lanes_t theta[3])
{
    lanes_t v[6], a[6];

    differentiate(sys, p, f, u, theta, v, a);
    lk_inertial_force_lanes(f[LK_BODY_MASS], f + LK_BODY_J, sys->gravity, v, a, f + LK_BODY_V);
}

/* copy the twists of an iterate, for rows that depend on velocities */
static __attribute__((noinline)) void show_twists_of_turn(struct lk_system *sys,
                                                          const struct lk_batches *p, int block)
{
    const lanes_t *f = block_at(p, p->bodies[block].at), *u = f + LK_BODY_U;
    lanes_t theta[3], v[6], a[6];

    lk_rotation_log_lanes(f + LK_BODY_TURN, theta);
    differentiate(sys, p, f, u, theta, v, a);
    lk_singles_show_values(sys, p, block, (const double *)v);
}

/* compute the prediction h v + h^2/2 a of translation and rotation, with a smaller weight of
 * a if lk_fill_light() requires it */
LK_INLINE void look_ahead(const struct lk_system *sys, const struct lk_batches *p, lanes_t *f,
                          lanes_t ahead[6])
{
    if (__builtin_expect(p->rare != 0, 0)) {
        lk_drop_along_lanes(f + p->rare + LK_RARE_THIN, f + LK_BODY_OLD_A + 3);
        for (int i = 0; i < 6; i++)
            ahead[i] = lk_taylor_lanes(sys->h, f[p->rare + LK_RARE_AHEAD + i / 3],
                                       f[LK_BODY_OLD_V + i], f[LK_BODY_OLD_A + i]);
        return;
    }
    for (int i = 0; i < 6; i++)
        ahead[i] =
            lk_taylor_lanes(sys->h, 1 + (lanes_t){0}, f[LK_BODY_OLD_V + i], f[LK_BODY_OLD_A + i]);
}

static __attribute__((noinline)) void predict_bodies(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block,
                                                     struct watch *watch)
{
    lanes_t *f = block_at(p, p->bodies[block].at), ahead[6], turn[4];
    const lanes_t *u = ahead, *theta = ahead + 3;

    look_ahead(sys, p, f, ahead);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_U + i] = u[i];
    watch->widest = lk_max_lanes(watch->widest, lk_inner_lanes(theta, theta));
    lk_rotation_exp_lanes(theta, turn);
    for (int i = 0; i < 4; i++)
        f[LK_BODY_TURN + i] = turn[i];
    place(f, u, turn, f + LK_BODY_X);
    turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    inertial_residual(sys, p, f, u, theta);
}

/* compute g of the bodies and of their joints, then s W g; @pose: field of the present pose */
LK_INLINE void weigh_residual(const struct lk_batches *p, int block, int pose_field)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), force[3], torque[3], own[3];
    const lanes_t *pose = f + pose_field;

    pull(p, b, pose + 3, 1, force, torque);
    rotate_back(pose + 3, torque, own);
    for (int i = 0; i < 3; i++) {
        f[LK_BODY_V + i] = f[LK_BODY_SM] * (f[LK_BODY_V + i] + force[i]);
        own[i] += f[LK_BODY_V + 3 + i];
    }
    lk_sym_mul_lanes(f + LK_BODY_SJ, own, torque);
    rotate(f + LK_BODY_R, torque, f + LK_BODY_V + 3);
}

/* compute s W Phi_q^T of the solution */
LK_INLINE void correction(const struct lk_batches *p, const struct lk_batch_bodies *b,
                          const lanes_t *f, lanes_t ret[6])
{
    lanes_t torque[3];

    pull(p, b, NULL, 0, ret, torque);
    for (int i = 0; i < 3; i++)
        ret[i] *= f[LK_BODY_SM];
    lk_sym_mul_lanes(f + LK_BODY_A, torque, ret + 3);
}

/* set the new state: its pose, and its twist and acceleration before projection */
LK_INLINE void accept_motion(const struct lk_system *sys, const struct lk_batches *p, lanes_t *f,
                             const lanes_t u[3], const lanes_t turn[4], const lanes_t theta[3])
{
    lanes_t v[6], a[6];

    differentiate(sys, p, f, u, theta, v, a);
    lk_moved_state_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, u, turn, f + LK_BODY_OLD_X,
                         f + LK_BODY_OLD_Q);
    for (int i = 0; i < 6; i++) {
        f[LK_BODY_OLD_V + i] = v[i];
        f[LK_BODY_OLD_A + i] = a[i];
    }
}

/* compute pose, weights and twist of the state in OLD_* */
LK_INLINE void show_state(lanes_t *f)
{
    for (int i = 0; i < 3; i++) {
        f[LK_BODY_X + i] = f[LK_BODY_OLD_X + i];
        f[LK_BODY_V + i] = f[LK_BODY_OLD_V + i];
    }
    lk_quat_matrix_lanes(f + LK_BODY_OLD_Q, f + LK_BODY_R);
    turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    rotate(f + LK_BODY_R, f + LK_BODY_OLD_V + 3, f + LK_BODY_V + 3);
}

/* apply dq = -(s W Phi_q^T dlambda + s W g), then compute the new poses and g of the bodies */
static __attribute__((noinline)) void apply_increment(const struct lk_system *sys,
                                                      const struct lk_batches *p, int block,
                                                      int is_last, struct watch *watch)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at);
    lanes_t step[6], dtheta[3], u[3], turn[4], theta[3], largest = {0};

    correction(p, b, f, step);
    for (int i = 0; i < 6; i++)
        step[i] = -(step[i] + f[LK_BODY_V + i]);
    rotate_back(f + LK_BODY_R, step + 3, dtheta);
    lk_turn_on_lanes(f + LK_BODY_TURN, dtheta, turn);
    lk_rotation_log_lanes(turn, theta);
    for (int i = 0; i < 3; i++)
        u[i] = f[LK_BODY_U + i] + step[i];
    if (is_last) {
        for (int i = 0; i < 3; i++) {
            largest = lk_max_lanes(largest, lk_abs_lanes(step[i]));
            largest = lk_max_lanes(largest, lk_abs_lanes(dtheta[i]));
        }
        watch->increment = lk_max_lanes(watch->increment, largest);
        accept_motion(sys, p, f, u, turn, theta);
        show_state(f);
        return;
    }
    for (int i = 0; i < 3; i++)
        f[LK_BODY_U + i] = u[i];
    for (int i = 0; i < 4; i++)
        f[LK_BODY_TURN + i] = turn[i];
    place(f, u, turn, f + LK_BODY_NOW_X);
    inertial_residual(sys, p, f, u, theta);
}

/* apply v -= s W Phi_q^T sigma or a -= s W Phi_q^T kappa; @field: field of the state, OLD_V or
 * OLD_A */
static __attribute__((noinline)) void project_bodies(const struct lk_batches *p, int block,
                                                     int field)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), change[6];

    correction(p, b, f, change);
    for (int i = 0; i < 6; i++)
        f[LK_BODY_V + i] -= change[i];
    for (int i = 0; i < 3; i++)
        f[field + i] = f[LK_BODY_V + i];
    rotate_back(f + LK_BODY_R, f + LK_BODY_V + 3, f + field + 3);
}

/* copy the motion to V (world axes), for a projection; @field: OLD_V or OLD_A */
static __attribute__((noinline)) void show_motion(const struct lk_batches *p, int block, int field)
{
    lanes_t *f = block_at(p, p->bodies[block].at);

    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = f[field + i];
    rotate(f + LK_BODY_R, f + field + 3, f + LK_BODY_V + 3);
}

/* set NOW_X, NOW_R to the pose of the state, before the position correction */
LK_INLINE void show_unclosed_pose(lanes_t *f)
{
    for (int i = 0; i < 3; i++)
        f[LK_BODY_NOW_X + i] = f[LK_BODY_OLD_X + i];
    lk_quat_matrix_lanes(f + LK_BODY_OLD_Q, f + LK_BODY_NOW_R);
}

/* compute a = gravity - M^-1 (w x J w + Phi_q^T lambda - Q), to be projected. @is_new: for a new
 * state, not for a stage of `rk4` */
static __attribute__((noinline)) void
accelerate_freely(const struct lk_system *sys, const struct lk_batches *p, int block, bool is_new)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), force[3], torque[3], own[3], gyroscopic[3];
    const lanes_t *w = f + (is_new ? LK_BODY_OLD_V : LK_RK4_STAGE_V) + 3;
    double per_s = 1 / sys->s;

    pull(p, b, NULL, 1, force, torque);
    rotate_back(f + LK_BODY_R, torque, own);
    lk_gyroscopic_lanes(f + LK_BODY_J, w, gyroscopic);
    for (int i = 0; i < 3; i++) {
        force[i] += f[LK_FREE_LOAD + i] - f[LK_BODY_MASS] * sys->gravity[i];
        own[i] += gyroscopic[i] + f[LK_FREE_LOAD + 3 + i];
        f[LK_BODY_V + i] = -per_s * f[LK_BODY_SM] * force[i];
    }
    lk_sym_mul_lanes(f + LK_BODY_SJ, own, torque);
    for (int i = 0; i < 3; i++)
        torque[i] *= -per_s;
    rotate(f + LK_BODY_R, torque, f + LK_BODY_V + 3);
}

/* apply dq = -s W Phi_q^T sigma; @is_last: this is the last correction of the new state */
static __attribute__((noinline)) void close_poses(const struct lk_batches *p, int block,
                                                  bool is_last, struct watch *watch)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), step[6], turn[3], q[4], largest = {0};

    correction(p, b, f, step);
    rotate_back(f + LK_BODY_R, step + 3, turn);
    for (int i = 0; i < 3; i++) {
        largest = lk_max_lanes(largest, lk_abs_lanes(step[i]));
        largest = lk_max_lanes(largest, lk_abs_lanes(turn[i]));
        f[LK_BODY_OLD_X + i] -= step[i];
        turn[i] = -turn[i];
    }
    lk_turn_on_lanes(f + LK_BODY_OLD_Q, turn, q);
    for (int i = 0; i < 4; i++)
        f[LK_BODY_OLD_Q + i] = q[i];
    if (!is_last) {
        show_unclosed_pose(f);
        return;
    }
    watch->increment = lk_max_lanes(watch->increment, largest);
    show_state(f);
}

/* copy the state of the system, one body after another, to the lanes */
static void load_bodies(const struct lk_state *state, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at);

    for (int l = 0; l < LK_LANES; l++) {
        /* empty lanes are loaded too: a step that overflowed may have left NaN there */
        const struct lk_motion none = {.q = {1}};
        const struct lk_motion *m = b->body[l] < 0 ? &none : &state->motion[b->body[l]];

        for (int i = 0; i < 3; i++) {
            LANE(f[LK_BODY_OLD_X + i], l) = m->x[i];
            LANE(f[LK_BODY_OLD_V + i], l) = m->v.v[i];
            LANE(f[LK_BODY_OLD_V + 3 + i], l) = m->v.w[i];
            LANE(f[LK_BODY_OLD_A + i], l) = m->a.v[i];
            LANE(f[LK_BODY_OLD_A + 3 + i], l) = m->a.w[i];
        }
        for (int i = 0; i < 4; i++)
            LANE(f[LK_BODY_OLD_Q + i], l) = m->q[i];
    }
}

/* store @n <= 8 vectors as rows of LK_LANES arrays: @to[l] receives lane l of each vector */
LK_INLINE void store_rows(const lanes_t *from, int n, double *const to[LK_LANES])
{
#if LK_LANES == 8 && defined(__AVX512F__)
    __m512d a[8], b[8];

    for (int i = 0; i < 8; i++)
        a[i] = i < n ? (__m512d)from[i] : _mm512_setzero_pd();
    for (int i = 0; i < 8; i += 2) {
        b[i] = _mm512_unpacklo_pd(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_pd(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            a[i + k] = _mm512_shuffle_f64x2(b[i + k], b[i + k + 2], 0x88);
            a[i + k + 2] = _mm512_shuffle_f64x2(b[i + k], b[i + k + 2], 0xdd);
        }
    for (int k = 0; k < 4; k++) {
        __m512d low = _mm512_shuffle_f64x2(a[k], a[k + 4], 0x88);
        __m512d high = _mm512_shuffle_f64x2(a[k], a[k + 4], 0xdd);
        __mmask8 mask = (__mmask8)((1u << n) - 1);

        _mm512_mask_storeu_pd(to[k], mask, low);
        _mm512_mask_storeu_pd(to[4 + k], mask, high);
    }
#else
    for (int l = 0; l < LK_LANES; l++)
        for (int i = 0; i < n; i++)
            to[l][i] = ((const double *)&from[i])[l];
#endif
}

/* struct lk_motion has the fields in the order of OLD_X .. OLD_A */
#define MOTION_SIZE ((int)(sizeof(struct lk_motion) / sizeof(double)))
_Static_assert(LK_BODY_OLD_A + 6 - LK_BODY_OLD_X == sizeof(struct lk_motion) / sizeof(double),
               "a motion is the old state of a body");

/* test MOTION_SIZE vectors: return 0 in the lanes where all are finite, NaN in the others */
LK_INLINE lanes_t zero_if_finite(const lanes_t *motion)
{
    lanes_t sum[2] = {motion[0] * 0.0, motion[1] * 0.0};

#pragma GCC unroll 32
    for (int i = 2; i < MOTION_SIZE; i++)
        sum[i & 1] += motion[i] * 0.0;
    return sum[0] + sum[1];
}

/* store MOTION_SIZE vectors; @to is advanced */
LK_INLINE void store_motion(const lanes_t *from, double *to[LK_LANES])
{
#pragma GCC unroll 3
    for (int first = 0; first < MOTION_SIZE; first += 8) {
        store_rows(from + first, MOTION_SIZE - first < 8 ? MOTION_SIZE - first : 8, to);
        for (int l = 0; l < LK_LANES; l++)
            to[l] += 8;
    }
}
