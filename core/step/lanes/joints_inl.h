/* SPDX-License-Identifier: Apache-2.0 */
/* Joints in lanes: rows of rows/table.h. @k is a constant at every call, so that each joint type
 * has a separate instance. There is no include guard, see lanes_inl.h. */

#define ROWS_MAX     6
#define SQUARE_MAX   3
#define JACOBIAN_MAX (9 * ROWS_MAX) /* vectors */

/** struct place_of - a joint at its present poses, along the world axes: arms, gap, directions. */
struct place_of {
    lanes_t r[2][3];
    lanes_t d[3];
    lanes_t dir[2][3][3];
};

LK_INLINE void locate(const struct lk_joint_kind *k, const lanes_t *f, const lanes_t *const body[2],
                      struct place_of *at)
{
    for (int s = 0; s < 2; s++) {
        const lanes_t *R = body[s] + 3;

        rotate(R, f + lk_kind_points(k) + 3 * s, at->r[s]);
        for (int i = 0; i < k->n_dir[s]; i++)
            rotate(R, f + lk_kind_directions(k, s) + 3 * i, at->dir[s][i]);
    }
    for (int i = 0; i < 3; i++)
        at->d[i] = (body[0][i] - body[1][i]) + (at->r[0][i] - at->r[1][i]);
}

LK_INLINE void violation(const struct lk_joint_kind *k, const struct place_of *at, lanes_t *phi)
{
    int n = lk_kind_point_rows(k);

    for (int i = 0; i < n; i++)
        phi[i] = at->d[lk_kind_axis(k, i)];
    for (int i = 0; i < k->n_slide; i++)
        phi[n + i] = lk_inner_lanes(at->dir[0][k->slide[i]], at->d);
    n += k->n_slide;
    for (int i = 0; i < k->n_square; i++)
        phi[n + i] = lk_inner_lanes(at->dir[0][k->square[i][0]], at->dir[1][k->square[i][1]]);
}

/* compute the Jacobian in the form of the fields, see fields.h */
LK_INLINE void jacobian(const struct lk_joint_kind *k, const struct place_of *at, lanes_t *J)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < lk_kind_point_rows(k); i++)
            *J++ = at->r[s][lk_kind_axis(k, i)];
    for (int i = 0; i < k->n_slide; i++, J += 9) {
        const lanes_t *n = at->dir[0][k->slide[i]];
        lanes_t lever[3];

        for (int c = 0; c < 3; c++) {
            J[c] = n[c];
            lever[c] = at->d[c] - at->r[0][c];
        }
        lk_cross_lanes(n, lever, J + 3);
        lk_cross_lanes(n, at->r[1], J + 6); /* -(r1 x n) */
    }
    for (int i = 0; i < k->n_square; i++, J += 3)
        lk_cross_lanes(at->dir[0][k->square[i][0]], at->dir[1][k->square[i][1]], J);
}

/* compute J^T l in the form that is scattered to the bodies, see lk_kind_scatter() */
LK_INLINE void scatter_load(const struct lk_joint_kind *k, const lanes_t *J, const lanes_t *l,
                            lanes_t *scatter)
{
    lanes_t force[3], torque[2][3];

    for (int i = 0; i < 6 * LK_SIDES_MAX && lk_kind_sides(k) > 2; i++)
        scatter[i] = *l * J[i];
    if (lk_kind_sides(k) > 2)
        return;
    for (int i = 0; i < 3; i++)
        force[i] = torque[0][i] = torque[1][i] = (lanes_t){0};
    J += 2 * lk_kind_point_rows(k);
    l += lk_kind_point_rows(k);
    for (int i = 0; i < k->n_slide; i++, J += 9, l++)
        for (int c = 0; c < 3; c++) {
            force[c] += *l * J[c];
            torque[0][c] += *l * J[3 + c];
            torque[1][c] += *l * J[6 + c];
        }
    for (int i = 0; i < k->n_square; i++, J += 3, l++)
        for (int c = 0; c < 3; c++) {
            torque[0][c] += *l * J[c];
            torque[1][c] -= *l * J[c];
        }
    for (int i = 0; i < 3; i++) {
        if (k->n_slide > 0) {
            scatter[i] = force[i];
            scatter[3 + i] = torque[0][i];
            scatter[6 + i] = torque[1][i];
        } else if (k->n_square > 0) {
            scatter[i] = torque[0][i];
        }
    }
}

/* compute J t of two twists, along the world axes: velocity, angular velocity */
LK_INLINE void rates(const struct lk_joint_kind *k, const lanes_t *J, const lanes_t *t0,
                     const lanes_t *t1, lanes_t *ret)
{
    if (lk_kind_is_pin(k)) {
        int x = lk_kind_axis(k, 0), y = lk_kind_axis(k, 1), z = 3 + lk_kind_axis(k, 2);

        ret[0] = (t0[x] - t1[x]) + (t1[z] * J[3] - t0[z] * J[1]);
        ret[1] = (t0[y] - t1[y]) + (t0[z] * J[0] - t1[z] * J[2]);
        return;
    }
    if (k->point) {
        lanes_t c0[3], c1[3];

        lk_cross_lanes(t0 + 3, J, c0);
        lk_cross_lanes(t1 + 3, J + 3, c1);
        for (int i = 0; i < 3; i++)
            *ret++ = (t0[i] - t1[i]) + (c0[i] - c1[i]);
        J += 6;
    }
    for (int i = 0; i < k->n_slide; i++, J += 9) {
        lanes_t sum = {0};

        for (int c = 0; c < 3; c++)
            sum += J[c] * (t0[c] - t1[c]) + J[3 + c] * t0[3 + c] + J[6 + c] * t1[3 + c];
        *ret++ = sum;
    }
    for (int i = 0; i < k->n_square; i++, J += 3) {
        lanes_t sum = {0};

        for (int c = 0; c < 3; c++)
            sum += J[c] * (t0[3 + c] - t1[3 + c]);
        *ret++ = sum;
    }
}

/* compute the second derivative with all accelerations zero; t: twists of both sides */
LK_INLINE void gamma_rows(const struct lk_joint_kind *k, const struct place_of *at,
                          const lanes_t *const t[2], lanes_t *ret)
{
    lanes_t c[2][3], gap[3], rate[3], first[3], second[3], ab[3];

    if (lk_kind_is_pin(k)) {
        int z = 3 + lk_kind_axis(k, 2);

        for (int i = 0; i < 2; i++)
            ret[i] = t[1][z] * t[1][z] * at->r[1][lk_kind_axis(k, i)] -
                     t[0][z] * t[0][z] * at->r[0][lk_kind_axis(k, i)];
        return;
    }
    for (int s = 0; s < 2; s++)
        cross_twice(t[s] + 3, at->r[s], c[s]);
    for (int i = 0; i < 3; i++)
        gap[i] = c[0][i] - c[1][i];
    for (int i = 0; i < 3 && k->point; i++)
        *ret++ = gap[i];
    if (k->n_slide > 0) {
        for (int s = 0; s < 2; s++)
            lk_cross_lanes(t[s] + 3, at->r[s], c[s]);
        for (int i = 0; i < 3; i++)
            rate[i] = (t[0][i] - t[1][i]) + (c[0][i] - c[1][i]);
    }
    for (int i = 0; i < k->n_slide; i++) {
        const lanes_t *n = at->dir[0][k->slide[i]];

        lk_cross_lanes(t[0] + 3, n, first);
        cross_twice(t[0] + 3, n, second);
        *ret++ = lk_inner_lanes(second, at->d) + 2.0 * lk_inner_lanes(first, rate) +
                 lk_inner_lanes(n, gap);
    }
    for (int i = 0; i < 3; i++)
        ab[i] = t[0][3 + i] - t[1][3 + i];
    for (int i = 0; i < k->n_square; i++) {
        const lanes_t *u = at->dir[0][k->square[i][0]], *v = at->dir[1][k->square[i][1]];

        *ret++ = lk_inner_lanes(ab, u) * lk_inner_lanes(t[0] + 3, v) -
                 lk_inner_lanes(ab, v) * lk_inner_lanes(t[1] + 3, u) -
                 lk_inner_lanes(ab, ab) * lk_inner_lanes(u, v);
    }
}

/* ---- functions of a block of joints, by joint type ---- */

/** enum sought - quantity that the multipliers of a solve correct */
enum sought { SEEK_POSES, SEEK_VELOCITIES, SEEK_ACCELERATIONS };

/* compute Phi and Phi_q^T lambda at the present pose; @keep: at the predicted pose, store
 * the Jacobian */
LK_INLINE void evaluate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                             const struct lk_batch_joints *j, int keep)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12], now[6 + 9 * 2 + 3 * SQUARE_MAX];
    int pose = keep ? LK_BODY_X : LK_BODY_NOW_X;
    const lanes_t *const body[2] = {view(p, &j->body[0], pose, 12, buffer[0]),
                                    view(p, &j->body[1], pose, 12, buffer[1])};
    lanes_t *J = keep ? f + lk_kind_jacobian(k) : now;
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, f + lk_kind_x(k));
    jacobian(k, &at, J);
    scatter_load(k, J, f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

/* compute the Jacobian and the violation of the rows at the final pose */
LK_INLINE void settle_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                           const struct lk_batch_joints *j, struct watch *watch)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12], phi[ROWS_MAX];
    const lanes_t *const body[2] = {view(p, &j->body[0], 0, 12, buffer[0]),
                                    view(p, &j->body[1], 0, 12, buffer[1])};
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, phi);
    jacobian(k, &at, f + lk_kind_jacobian(k));
    for (int r = 0; r < lk_kind_rows(k); r++)
        watch->position = lk_max_lanes(watch->position, lk_abs_lanes(phi[r]));
    for (int r = 0; r < lk_kind_rows(k) && p->keeps_gaps; r++)
        f[lk_kind_gap(k) + r] = 0.5 * phi[r];
}

/* write gamma into the right-hand side; collect the largest remaining rate of the projected
 * velocities */
LK_INLINE void gamma_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j, struct watch *watch)
{
    lanes_t *f = block_at(p, j->at), buffer[2][18], left[ROWS_MAX];
    const lanes_t *const body[2] = {view(p, &j->body[0], 0, 18, buffer[0]),
                                    view(p, &j->body[1], 0, 18, buffer[1])};
    const lanes_t *const twist[2] = {body[0] + LK_BODY_V, body[1] + LK_BODY_V};
    struct place_of at;

    locate(k, f, body, &at);
    gamma_rows(k, &at, twist, f + lk_kind_x(k));
    rates(k, f + lk_kind_jacobian(k), twist[0], twist[1], left);
    for (int r = 0; r < lk_kind_rows(k); r++)
        watch->velocity = lk_max_lanes(watch->velocity, lk_abs_lanes(left[r]));
}

/* compute the right-hand side: Phi - s Phi_q W g (- E lambda), Phi_q v, or Phi_q a + gamma */
LK_INLINE void right_side_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                               const struct lk_batch_joints *j, enum sought sought, int leaks)
{
    lanes_t *f = block_at(p, j->at), buffer[2][6], rate[ROWS_MAX];
    const lanes_t *E = f + lk_kind_regular(k), *lambda = f + lk_kind_lambda(k);
    lanes_t *x = f + lk_kind_x(k);

    rates(k, f + lk_kind_jacobian(k), view(p, &j->body[0], LK_BODY_V, 6, buffer[0]),
          view(p, &j->body[1], LK_BODY_V, 6, buffer[1]), rate);
    for (int r = 0; r < lk_kind_rows(k); r++) {
        if (sought == SEEK_VELOCITIES)
            x[r] = rate[r];
        else if (sought == SEEK_ACCELERATIONS)
            x[r] += rate[r];
        else
            x[r] -= rate[r] + (leaks ? 1.0 : 0.0) * E[r] * lambda[r];
    }
}

/* add @scale times the solution to lambda, and compute Phi_q^T times the solution */
LK_INLINE void take_solution_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                                  const struct lk_batch_joints *j, double scale)
{
    lanes_t *f = block_at(p, j->at), *lambda = f + lk_kind_lambda(k), *x = f + lk_kind_x(k);

    for (int r = 0; r < lk_kind_rows(k); r++)
        lambda[r] += scale * x[r];
    scatter_load(k, f + lk_kind_jacobian(k), x, f + lk_kind_scatter(k));
}
