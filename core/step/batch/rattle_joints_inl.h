/* SPDX-License-Identifier: Apache-2.0 */
/* Joints of `rattle` side by side; see joints_inl.h. Without include guard on purpose, see
 * lanes_inl.h. */

/* Phi at the pose of an iterate; the right-hand side Phi/2 - s Phi_q W g with the Jacobian of q_n,
 * less @leaves times what no motion removes, which is in lambda then */
LK_INLINE void iterate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                            const struct lk_batch_joints *j, int leaves, struct sums *sums)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12], phi[ROWS_MAX], rate[ROWS_MAX];
    const lanes_t *const body[2] = {view(p, j->body[0], LK_BODY_NOW_X, 12, buffer[0]),
                                    view(p, j->body[1], LK_BODY_NOW_X, 12, buffer[1])};
    lanes_t *x = f + lk_kind_x(k), *unreachable = f + lk_kind_lambda(k), twist[2][6];
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, phi);
    rates(k, f + lk_kind_jacobian(k), view(p, j->body[0], LK_BODY_V, 6, twist[0]),
          view(p, j->body[1], LK_BODY_V, 6, twist[1]), rate);
    for (int r = 0; r < lk_kind_rows(k); r++) {
        sums->violation = lk_max_lanes(sums->violation, lk_abs_lanes(phi[r]));
        x[r] = 0.5 * phi[r] - rate[r];
        if (leaves)
            x[r] -= unreachable[r];
    }
}

/* Phi and the Jacobian at the pose of the factor */
LK_INLINE void unclose_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                            const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][12];
    const lanes_t *const body[2] = {view(p, j->body[0], LK_BODY_NOW_X, 12, buffer[0]),
                                    view(p, j->body[1], LK_BODY_NOW_X, 12, buffer[1])};
    struct place_of at;

    locate(k, f, body, &at);
    violation(k, &at, f + lk_kind_x(k));
    jacobian(k, &at, f + lk_kind_jacobian(k));
}

/* the Jacobian and the rates of the rows at the new pose */
LK_INLINE void kick_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                         const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][6];

    rates(k, f + lk_kind_jacobian(k), view(p, j->body[0], LK_BODY_V, 6, buffer[0]),
          view(p, j->body[1], LK_BODY_V, 6, buffer[1]), f + lk_kind_x(k));
}

/* Phi_q a, to which gamma is added */
LK_INLINE void accelerate_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                               const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), *x = f + lk_kind_x(k), buffer[2][6], rate[ROWS_MAX];

    rates(k, f + lk_kind_jacobian(k), view(p, j->body[0], LK_RATTLE_ACCELERATION, 6, buffer[0]),
          view(p, j->body[1], LK_RATTLE_ACCELERATION, 6, buffer[1]), rate);
    for (int r = 0; r < lk_kind_rows(k); r++)
        x[r] += rate[r];
}

/** enum solved - what becomes of a solution. ONCE: it is what bodies ask for;  ONCE_AND_AGAIN:
 * likewise, and E times it is solved for;  FIRST_PART: that alone;  BOTH_PARTS: bodies ask for the
 * sum of both, in lambda;  LEFT: lambda is E times it. */
enum solved { ONCE, ONCE_AND_AGAIN, FIRST_PART, BOTH_PARTS, LEFT };

LK_INLINE void solved_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                           const struct lk_batch_joints *j, enum solved what)
{
    lanes_t *f = block_at(p, j->at), *lambda = f + lk_kind_lambda(k), *x = f + lk_kind_x(k);

    for (int r = 0; r < lk_kind_rows(k) && (what == FIRST_PART || what == ONCE_AND_AGAIN); r++)
        lambda[r] = x[r];
    for (int r = 0; r < lk_kind_rows(k) && what == LEFT; r++)
        lambda[r] = f[lk_kind_regular(k) + r] * x[r];
    for (int r = 0; r < lk_kind_rows(k) && what == BOTH_PARTS; r++)
        lambda[r] += x[r];
    if (what != FIRST_PART && what != LEFT)
        scatter_load(k, f + lk_kind_jacobian(k), what == BOTH_PARTS ? lambda : x,
                     f + lk_kind_scatter(k));
}

LK_INLINE void refine_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                           const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at);

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_kind_x(k) + r] = f[lk_kind_regular(k) + r] * f[lk_kind_lambda(k) + r];
}

/* ---- the instance for the kind of a block ---- */

static void iterate_joints(const struct lk_batches *p, int block, int leaves, struct sums *sums)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        iterate_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j, leaves, sums);                         \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void unclose_joints(const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        unclose_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j);                                       \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void kick_joints(const struct lk_batches *p, int block, struct watch *watch)
{
    const struct lk_batch_joints *j = &p->joints[block];

    settle_joints(p, block, watch);
#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        kick_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j);                                          \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void accelerate_joints(const struct lk_batches *p, int block, struct watch *watch)
{
    const struct lk_batch_joints *j = &p->joints[block];

    gamma_joints(p, block, watch);
#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        accelerate_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j);                                    \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void solved_joints(const struct lk_batches *p, int block, enum solved what)
{
    const struct lk_batch_joints *j = &p->joints[block];

#define CALL(NAME, ...)                                                                            \
    case LK_KIND_##NAME:                                                                           \
        solved_kind(&lk_joint_kinds[LK_KIND_##NAME], p, j, what);                                  \
        break;
    EACH_KIND(j, CALL)
#undef CALL
}

static void refine_joints(const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = &lk_joint_kinds[j->kind];

    refine_kind(k, p, j);
}
