/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle`: RATTLE on the rotation group, solved in multiplier space over the tree. It
 * is symmetric and symplectic, of order 2: what turns keeps turning (H. C. Andersen, Rattle: a
 * velocity version of the Shake algorithm, 1983; E. Hairer, C. Lubich, G. Wanner, Geometric
 * Numerical Integration, VII.1.4).
 *
 * The state is pose and velocity. Half a kick at q_n, with multipliers that close the positions at
 * q_n+1, then half a kick at q_n+1, with multipliers that close the velocities there. With s =
 * h^2/4, W = M^-1, u = x - x_n, R = R_n exp(theta), and the Jacobian of q_n in all places,
 *
 *     g_x  = 2/h m (u/h - v_n) - Q_x + (Phi_q^T lambda)_x
 *     g_th = 2/h (D(theta) J theta/h - J w_n) - Q_th + (Phi_q^T lambda)_th
 *     (E + s Phi_q W Phi_q^T) dlambda = Phi/2 - s Phi_q W g
 *     dq = -2 s W (Phi_q^T dlambda + g),     lambda += dlambda
 *
 * D(theta) is the transposed inverse of the tangent of exp, so that angular momentum is carried
 * over exactly (N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin Integrators on Lie Groups, Part I,
 * 2009); it contains the gyroscopic term. The factor of the pose that the iterations end at closes
 * the positions, projects the velocities, gives accelerations and reactions of the new state, and
 * is the factor of the next step. That pose differs from the closed one by round-off or little
 * more; it is part of the state, so that a step finds the same bits after a reset.
 *
 * A compliant row has one multiplier in both half kicks, its law over the step (lk_law_step()), and
 * is in the matrix of the iterations alone: a model that has such rows needs a factor more. */
#include "maths/vec.h"
#include "step/quads.h"
#include "step/tension.h"
#include <stdbool.h>
#include <string.h>

#define WORSE_FROM 2     /* increments after which a violation that grows is taken back, */
#define WORSE      2     /* times the one before, */
#define WORSE_MIN  1e-10 /* if it is larger than this [m, rad] */
#define WORSE_PART 0.1   /* and than this part of the one of the prediction */
#define ALPHA_MAX  0.5   /* contraction that is made use of at most */
#define TENSE_LATE 0.1   /* of it moved from the end of a step to its start, beyond one half */
#define LIGHT      1e-3  /* of the mass of the heaviest neighbour, */
#define OVERDAMPED 20    /* and h c / m: the velocity follows from the positions */

/** struct iterate - what an increment changes of four bodies: @u, @turn, @theta as in struct
 * lk_quad;  @kick: s W (Phi_q^T lambda - Q) at q_n */
struct iterate {
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
    lk_four kick[6];
};

/** struct half_kicks - four bodies. @weight: m W, 1, or 0 where there is no mass;  @drawn: 1 where
 * the velocity follows from the positions, of the translation and the rotation, see is_drawn();
 * @sW: of the inertia;  @tension: K, see tension.h, and @start_sW: s (J + s K)^-1;  @momentum: h J
 * w_n;  @kick: see struct iterate;  @kept: the last iterate but one */
struct half_kicks {
    lk_four weight;
    lk_four drawn[2];
    lk_four sW[6];
    lk_four start_sW[6];
    lk_four tension[6];
    lk_four momentum[3];
    lk_four kick[6];
    struct iterate kept;
};

/** struct increment - of four bodies in one iteration: @dq, and @correction: s W Phi_q^T dlambda */
struct increment {
    lk_four dq[6];
    lk_four correction[6];
};

/** struct rattle - scratch. @increment: of all iterations, one after another, with their
 * @multipliers, n_rows each, and @square: dq . M dq; @lambda: of the last iterate but one, n_rows;
 * @value: of each law's row at q_n;  @load: -Q at q_n+1, as lk_system.residual;  @violation:
 * largest one of the last iterate, @predicted: of the first one;  @ends: 1 once an iterate was
 * taken back: later increments are 0;  @tense: bodies whose tension is followed, with the @root of
 * their J and their own @free_sW */
struct rattle {
    struct half_kicks *quad;
    struct increment *increment;
    double *multipliers;
    double *square;
    double *lambda;
    double *value;
    struct lk_twist *load;
    double violation;
    double predicted;
    bool ends;
    int n_tense;
    int *tense;
    double (*root)[6];
    struct lk_inverse_mass *free_sW;
};

/** struct own - what the state of a body has besides its motion. @x, @q: pose of the last factor;
 * @moved: u and theta of the last step;  @bent: their difference from those before, by h^2 */
struct own {
    double x[3];
    double q[4];
    double moved[6];
    double bent[6];
};

LK_INLINE struct own *own_of(const struct lk_state *state)
{
    return (struct own *)state->own;
}

/* ---- from the state to the scratch ---- */

static int rattle_own_size(int n_bodies)
{
    return n_bodies * (int)LK_STRIDE(struct own);
}

static int rattle_layout(struct lk_system *sys, const struct lk_topology *topology,
                         const struct lk_plan *plan, struct lk_arena *arena)
{
    struct rattle *r = lk_arena_take(arena, 1, sizeof(*r));
    size_t quads = ((size_t)sys->n_bodies + 3) / 4;
    struct half_kicks *quad = lk_arena_take(arena, quads, sizeof(*quad));
    size_t n = (size_t)sys->iterations;
    struct increment *increment = lk_arena_take(arena, n * quads, sizeof(*increment));
    double *multipliers = lk_arena_take(arena, n * (size_t)sys->n_rows, sizeof(double));
    double *square = lk_arena_take(arena, n, sizeof(double));
    double *lambda = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    int *tense = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*tense));
    double(*root)[6] = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*root));
    struct lk_inverse_mass *free_sW = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*free_sW));
    double *value = lk_arena_take(arena, (size_t)sys->n_laws, sizeof(double));
    struct lk_twist *load =
        lk_arena_take(arena, (size_t)sys->n_bodies + 1 + (size_t)sys->n_frames, sizeof(*load));

    (void)topology;
    (void)plan;
    if (arena->base)
        *r = (struct rattle){.quad = quad,
                             .increment = increment,
                             .multipliers = multipliers,
                             .square = square,
                             .lambda = lambda,
                             .value = value,
                             .tense = tense,
                             .root = root,
                             .free_sW = free_sW,
                             .load = load};
    sys->formulation_data = r;
    return 0;
}

/** struct damped - of a body: @damping: of all compliant rows at it [N s/m], [N m s];  @heaviest:
 * the largest mass [kg] and moment of inertia [kg m^2] of its neighbours */
struct damped {
    double damping[2];
    double heaviest[2];
};

static double mean_moment(const struct lk_body *body)
{
    return (body->inertia[0] + body->inertia[1] + body->inertia[2]) / 3;
}

/* of what damps at any rate; friction and stops let go */
static double damping_at_rest(const struct lk_system *sys, const struct lk_law *law)
{
    struct lk_law_value f = {0};

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (sys->term[i].kind != LK_TERM_FRICTION && sys->term[i].kind != LK_TERM_STOP)
            lk_term_evaluate(&sys->term[i], 0, law->carry, &f);
    return f.damping;
}

static struct damped dampers_at(const struct lk_system *sys, int b)
{
    struct damped d = {{0}, {0}};

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int s = 0; s < j->n_sides; s++) {
            for (int k = 0; k < j->n_sides && j->body[s] == b; k++) {
                const struct lk_body *other = &sys->body[j->body[k]];

                if (j->body[k] >= sys->n_bodies)
                    d.heaviest[0] = d.heaviest[1] = INFINITY;
                else if (j->body[k] != b) {
                    d.heaviest[0] = lk_max(d.heaviest[0], other->mass);
                    d.heaviest[1] = lk_max(d.heaviest[1], mean_moment(other));
                }
            }
            for (int row = 0; row < j->n_rows && j->body[s] == b && lk_is_compliant(j); row++) {
                double J[6], damping = damping_at_rest(sys, &sys->law[j->law + row]);

                lk_jacobian_row(sys->jacobian[i], s, row, J);
                d.damping[0] += damping * lk_dot(J, J);
                d.damping[1] += damping * lk_dot(J + 3, J + 3);
            }
        }
    }
    return d;
}

/* Whether dampers draw a light body along: the mean velocity of a step is right then, but what is
 * left of the impulses at its end rings. @part: 0: translation, 1: rotation. */
static bool is_drawn(const struct lk_system *sys, int b, int part)
{
    struct damped d = dampers_at(sys, b);
    double inertia = part == 0 ? sys->body[b].mass : mean_moment(&sys->body[b]);

    return inertia == 0 ||
           (inertia < LIGHT * d.heaviest[part] && sys->h * d.damping[part] > OVERDAMPED * inertia);
}

static void find_drawn(struct lk_system *sys, struct rattle *r)
{
    for (int lane = 0; lane < (sys->n_bodies + 3) / 4 * 4; lane++)
        for (int part = 0; part < 2; part++)
            r->quad[lane / 4].drawn[part][lane % 4] =
                is_drawn(sys, lane < sys->n_bodies ? lane : sys->n_bodies - 1, part);
}

static void find_tense(struct lk_system *sys, struct rattle *r)
{
    r->n_tense = 0;
    for (int b = 0; b < sys->n_bodies; b++)
        if (lk_tension_bound(sys, b) > LK_TENSE &&
            lk_tension_root(sys->body[b].inertia, r->root[r->n_tense])) {
            r->free_sW[r->n_tense] = sys->sW[b];
            r->tense[r->n_tense++] = b;
        }
}

/* a state that was not stepped to: the factor of its own pose, as much motion as it has now */
static void rattle_begin(struct lk_system *sys)
{
    struct rattle *r = sys->formulation_data;

    find_drawn(sys, r);
    find_tense(sys, r);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        struct own *own = &own_of(&sys->now)[b];

        memcpy(own->x, m->x, sizeof(own->x));
        memcpy(own->q, m->q, sizeof(own->q));
        for (int i = 0; i < 3; i++) {
            double kick[2];

            for (int part = 0; part < 2; part++)
                kick[part] = 0.5 * sys->h * (1 - r->quad[b / 4].drawn[part][b % 4]);
            own->moved[i] = sys->h * (m->v.v[i] - kick[0] * m->a.v[i]);
            own->moved[3 + i] = sys->h * (m->v.w[i] - kick[1] * m->a.w[i]);
            own->bent[i] = m->a.v[i];
            own->bent[3 + i] = m->a.w[i];
        }
    }
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        lk_four mass;

        lk_gather(&l, &sys->W[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
        lk_gather(&l, sys->sW[0].inertia, LK_STRIDE(struct lk_inverse_mass), 6, r->quad[k].sW);
        memcpy(r->quad[k].start_sW, r->quad[k].sW, sizeof(r->quad[k].sW));
        r->quad[k].weight = sys->quad[k].mass * mass;
    }
    for (int i = 0; i < sys->n_laws; i++)
        sys->now.tangent[i] = LK_DECOUPLED;
}

/* E of compliant rows in the factor of velocities and accelerations: they are not in it, but where
 * a hard stop holds one of them */
static void release_laws(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++) {
        double *regular = &sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row];

        *regular = LK_DECOUPLED;
        if (sys->law[i].stop.is_impact)
            lk_loads_hold_stop(sys, &sys->law[i]);
        sys->next.tangent[i] = *regular;
    }
}

/* poses, Jacobians and factor of the pose that the iterations ended at */
static void factor_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct own *own = &own_of(state)[b];

        memcpy(sys->pose[b].x, own->x, sizeof(own->x));
        lk_quat_matrix(own->q, sys->pose[b].R);
    }
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = state->tangent[i];
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
}

static void rattle_renew(struct lk_system *sys)
{
    lk_drives_evaluate(sys, &sys->now);
    factor_unclosed(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_evaluate_jacobians(sys);
}

/* Multipliers of rigid rows in the second half kick are what the projection finds. Those of the
 * first are as good a guess, but for a part that loads no body at q_n, large near a singular pose.
 */
static void forget_rigid(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int row = 0; row < j->n_rows && !lk_is_compliant(j); row++)
            sys->next.lambda[j->row + row] = 0;
    }
}

/* ---- positions: half a kick at q_n ---- */

/* s W g of four bodies; @with_twists: also their velocities at the end of the step, as far as known
 */
LK_INLINE void momentum_residual(struct lk_system *sys, const struct lk_lanes *l,
                                 const struct lk_quad *quad, const struct half_kicks *half)
{
    lk_four g[6], Jtheta[3], turned[3], pull[3], change[3], v[6];

    lk_sym_mul_four(quad->inertia, quad->theta, Jtheta);
    lk_dexp_inverse_four(quad->theta, Jtheta, turned);
    for (int i = 0; i < 3; i++)
        turned[i] -= half->momentum[i];
    lk_sym_mul_four(half->tension, quad->theta, pull);
    for (int i = 0; i < 3; i++)
        turned[i] = 0.5 / sys->s * turned[i] + (0.5 + TENSE_LATE) * pull[i];
    lk_sym_mul_four(half->start_sW, turned, change);
    for (int i = 0; i < 3; i++) {
        g[i] = 0.5 * half->weight * (quad->u[i] - sys->h * quad->v_old[i]) + half->kick[i];
        g[3 + i] = change[i] + half->kick[3 + i];
    }
    lk_scatter(l, g, LK_STRIDE(struct lk_twist), 6, sys->residual[0].v);
    for (int i = 0; i < 6 && sys->needs_twists; i++)
        v[i] = 2 / sys->h * (i < 3 ? quad->u[i] : quad->theta[i - 3]) - quad->v_old[i];
    if (sys->needs_twists)
        lk_scatter(l, v, LK_STRIDE(struct lk_twist), 6, sys->twist[0].v);
}

/* the last acceleration about an axis without inertia is undetermined */
LK_INLINE void drop_along(const lk_four axis[3], lk_four vector[3])
{
    lk_four along = lk_inner_four(axis, vector);

    for (int i = 0; i < 3; i++)
        vector[i] -= along * axis[i];
}

/* the kick without multipliers, system->residual, into the lanes, as s W g has it */
LK_INLINE void take_kick(const struct lk_system *sys, const struct lk_lanes *l,
                         struct half_kicks *half)
{
    lk_four sum[6], mass, turn[3];

    lk_gather(l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
    lk_gather(l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
    lk_sym_mul_four(half->start_sW, sum + 3, turn);
    for (int i = 0; i < 3; i++) {
        half->kick[i] = mass * sum[i];
        half->kick[3 + i] = turn[i];
    }
}

/* The change of tension over a step, as far as it is too stiff for the step, acts at its start:
 * s (J + s K)^-1 in place of s W, and (1/2 + d) K theta more there, (1/2 - d) less at its end. */
static void take_tension(struct lk_system *sys, struct rattle *r)
{
    for (int i = 0; i < r->n_tense; i++) {
        int b = r->tense[i];
        struct half_kicks *half = &r->quad[b / 4];
        const double *J = sys->body[b].inertia;
        double all[6], K[6], sum[6];

        lk_tension_of(sys, b, all);
        lk_tension_part(r->root[i], sys->s, all, K);
        for (int k = 0; k < 6; k++)
            sum[k] = J[k] + sys->s * K[k];
        lk_sym_inverse(sum, sys->sW[b].inertia);
        for (int k = 0; k < 6; k++) {
            sys->sW[b].inertia[k] *= sys->s;
            /* lanes beyond the last body repeat it */
            for (int lane = b % 4; lane < (b == sys->n_bodies - 1 ? 4 : b % 4 + 1); lane++) {
                half->tension[k][lane] = K[k];
                half->start_sW[k][lane] = sys->sW[b].inertia[k];
            }
        }
    }
}

static void leave_tension(struct lk_system *sys, const struct rattle *r)
{
    for (int i = 0; i < r->n_tense; i++)
        sys->sW[r->tense[i]] = r->free_sW[i];
}

/* x + h v + h^2/2 a, likewise for the turn, with the acceleration of the half kick that led here:
 * multipliers and accelerations of the state may be large near a singular pose. Return: whether
 * every turn is less than half a turn. */
static bool predict(struct lk_system *sys, struct rattle *r)
{
    double h = sys->h;
    lk_four widest = {0};

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        lk_four Jw[3];

        lk_gather(&l, sys->now.motion[0].x, LK_STRIDE(struct lk_motion), 3, quad->x_old);
        lk_gather(&l, sys->now.motion[0].q, LK_STRIDE(struct lk_motion), 4, quad->q_old);
        lk_gather(&l, sys->now.motion[0].v.v, LK_STRIDE(struct lk_motion), 6, quad->v_old);
        lk_gather(&l, own_of(&sys->now)->moved, LK_STRIDE(struct own), 6, quad->a_old);
        lk_sym_mul_four(quad->inertia, quad->v_old + 3, Jw);
        for (int i = 0; i < 6; i++)
            quad->a_old[i] =
                2 / h * (1 - r->quad[k].drawn[i / 3]) * (quad->v_old[i] - 1 / h * quad->a_old[i]);
        if (r->n_tense > 0)
            lk_gather(&l, sys->now.motion[0].a.v, LK_STRIDE(struct lk_motion), 6, quad->a_old);
        for (int i = 0; i < 3; i++) {
            quad->u[i] = h * quad->v_old[i] + 0.5 * h * h * quad->start_a[0] * quad->a_old[i];
            quad->theta[i] =
                h * quad->v_old[3 + i] + 0.5 * h * h * quad->start_a[1] * quad->a_old[3 + i];
            r->quad[k].momentum[i] = h * Jw[i];
        }
        widest = lk_max_four(widest, lk_inner_four(quad->theta, quad->theta));
        lk_rotation_exp_four(quad->theta, quad->turn);
        take_kick(sys, &l, &r->quad[k]);
        lk_quad_place(sys, &l, quad);
        momentum_residual(sys, &l, quad, &r->quad[k]);
    }
    return lk_largest_lane(widest) < M_PI * M_PI;
}

/* rows without a coordinate whose rate they are: by the mean of their Jacobians at both ends */
static void slip_rates(const struct lk_system *sys, int i, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, sys->jacobian[i].pad, 0};

    lk_joint_jacobian(j, pose, jacobian);
    for (int row = 0; row < j->n_rows; row++)
        ret[row] = 0;
    for (int s = 0; s < j->n_sides; s++) {
        const struct lk_twist *t = &sys->twist[j->body[s]], *old = t;
        double first[6], last[6];

        if (j->body[s] < sys->n_bodies)
            old = &sys->now.motion[j->body[s]].v;
        for (int row = 0; row < j->n_rows; row++) {
            lk_jacobian_row(sys->jacobian[i], s, row, first);
            lk_jacobian_row(jacobian, s, row, last);
            for (int k = 0; k < 3; k++) {
                ret[row] += 0.25 * (first[k] + last[k]) * (t->v[k] + old->v[k]);
                ret[row] += 0.25 * (first[3 + k] + last[3 + k]) * (t->w[k] + old->w[k]);
            }
        }
    }
}

/* (f - lambda) E of the compliant rows of a joint; E from the tangent at the predicted pose */
static void compliant_rows(struct lk_system *sys, const struct rattle *r, int i, bool is_first)
{
    const struct lk_joint *j = &sys->joint[i];
    double phi[LK_ROWS_MAX], slip[LK_ROWS_MAX];

    lk_evaluate_violation(sys, i, phi);
    if (j->type == LK_JOINT_CREEP)
        slip_rates(sys, i, slip);
    for (int row = 0; row < j->n_rows; row++) {
        const struct lk_law *law = &sys->law[j->law + row];
        double before = r->value[j->law + row], *regular = &sys->regular[j->row + row];
        double rate = j->type == LK_JOINT_CREEP ? slip[row] : (phi[row] - before) / sys->h;
        struct lk_law_value f;

        lk_law_step(law, sys->term, before, phi[row], rate, &f);
        if (is_first)
            *regular = lk_law_regular(&f, sys->h);
        sys->solution[j->row + row] =
            (f.elastic + f.dissipative - sys->next.lambda[j->row + row]) * *regular;
    }
}

/* Phi of the rigid rows, times @part, into the right-hand side. Return: the largest |Phi|. */
static double violations(struct lk_system *sys, double part)
{
    double largest = 0;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double *phi = sys->solution + j->row;

        if (lk_is_compliant(j)) {
            for (int row = 0; row < j->n_rows; row++)
                phi[row] = 0;
            continue;
        }
        lk_evaluate_violation(sys, i, phi);
        for (int row = 0; row < j->n_rows; row++) {
            largest = lk_max(largest, fabs(phi[row]));
            phi[row] *= part;
        }
    }
    return largest;
}

LK_INLINE lk_four select_four(lk_four_mask mask, lk_four yes, lk_four no)
{
    return (lk_four)(((lk_four_mask)yes & mask) | ((lk_four_mask)no & ~mask));
}

/* @is_back: the kept iterate takes the place of the present one; else the present one is kept. The
 * work is the same. */
static void keep_iterate(struct lk_system *sys, struct rattle *r, bool is_back)
{
    long long all = is_back ? -1 : 0;
    lk_four_mask mask = {all, all, all, all};

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        struct half_kicks *half = &r->quad[k];
        struct iterate *kept = &half->kept;

#define KEEP(field, n)                                                                             \
    for (int i = 0; i < (n); i++)                                                                  \
    kept->field[i] = quad->field[i] = select_four(mask, kept->field[i], quad->field[i])
        KEEP(u, 3);
        KEEP(turn, 4);
        KEEP(theta, 3);
#undef KEEP
        for (int i = 0; i < 6; i++)
            kept->kick[i] = half->kick[i] = select_four(mask, kept->kick[i], half->kick[i]);
        lk_quad_place(sys, &l, quad);
        momentum_residual(sys, &l, quad, half);
    }
    for (int row = 0; row < sys->n_rows; row++)
        r->lambda[row] = sys->next.lambda[row] = is_back ? r->lambda[row] : sys->next.lambda[row];
}

/* Near a singular pose the matrix of q_n is no Newton matrix: a violation that grows is taken back,
 * and the iterations end there. @done: increments so far; system->solution holds Phi / 2. */
static void take_back(struct lk_system *sys, struct rattle *r, int done, double violation)
{
    bool grows;

    r->predicted = done == 0 ? violation : r->predicted;
    grows = done >= WORSE_FROM && violation > WORSE * r->violation && violation > WORSE_MIN &&
            violation > WORSE_PART * r->predicted;
    r->ends |= grows;
    keep_iterate(sys, r, r->ends);
    r->violation = r->ends ? r->violation : violation;
}

/* a . M b of two increments of all bodies */
static double inner_increments(const struct lk_system *sys, const struct increment *a,
                               const struct increment *b)
{
    double sum = 0;

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        const struct lk_quad *quad = &sys->quad[k];
        lk_four turned[3], product;

        lk_sym_mul_four(quad->inertia, b[k].dq + 3, turned);
        product = quad->mass * lk_inner_four(a[k].dq, b[k].dq) + lk_inner_four(a[k].dq + 3, turned);
        for (int i = 0; i < 4 && 4 * k + i < sys->n_bodies; i++)
            sum += product[i];
    }
    return sum;
}

/* a += part b, with the multipliers that go with them */
static void add_increment(const struct lk_system *sys, double part, const struct increment *b,
                          const double *lambda, struct increment *a)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++)
        for (int i = 0; i < 6; i++) {
            a[k].dq[i] += part * b[k].dq[i];
            a[k].correction[i] += part * b[k].correction[i];
        }
    for (int row = 0; row < sys->n_rows; row++)
        sys->solution[row] += part * lambda[row];
}

/* dq = -2 (s W Phi_q^T dlambda + s W g) of all bodies, corrected by what the increments before tell
 * of the matrix: it is that of q_n, and where bodies turn fast it is wrong by as much as they turn
 * in a step (C. G. Broyden's update of the inverse, in the form of P. Deuflhard, Newton Methods for
 * Nonlinear Problems, 2004, algorithm QNERR). Return: the factor on the increment. */
static double find_increment(struct lk_system *sys, struct rattle *r, int iteration)
{
    size_t quads = ((size_t)sys->n_bodies + 3) / 4, rows = (size_t)sys->n_rows;
    struct increment *now = r->increment + (size_t)iteration * quads;
    double alpha = 0;

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        lk_four residual[6];

        lk_gather(&l, sys->correction[0].v, LK_STRIDE(struct lk_twist), 6, now[k].correction);
        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, residual);
        for (int i = 0; i < 6; i++)
            now[k].dq[i] = -2.0 * (now[k].correction[i] + residual[i]);
    }
    /* M says nothing of bodies without inertia */
    for (int i = 0; i < iteration && sys->n_massless == 0; i++) {
        const struct increment *before = r->increment + (size_t)i * quads;

        alpha = r->square[i] > 0 ? inner_increments(sys, before, now) / r->square[i] : 0;
        alpha = fmin(fmax(alpha, -1), 1); /* increments at round-off tell nothing */
        if (i < iteration - 1)
            add_increment(sys, alpha, before + quads, r->multipliers + (size_t)(i + 1) * rows, now);
    }
    return 1 / (1 - fmin(fmax(alpha, -ALPHA_MAX), ALPHA_MAX));
}

/* the new poses and s W g */
static void apply_increment(struct lk_system *sys, struct rattle *r, int iteration, double part)
{
    size_t quads = ((size_t)sys->n_bodies + 3) / 4, rows = (size_t)sys->n_rows;
    struct increment *now = r->increment + (size_t)iteration * quads;
    double *multipliers = r->multipliers + (size_t)iteration * rows;
    lk_four largest = {0};

    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        struct half_kicks *half = &r->quad[k];
        for (int i = 0; i < 6; i++) {
            now[k].dq[i] *= part;
            now[k].correction[i] *= part;
            half->kick[i] += now[k].correction[i];
            largest = lk_max_four(largest, lk_max_four(now[k].dq[i], -now[k].dq[i]));
        }
        for (int i = 0; i < 3; i++)
            quad->u[i] += now[k].dq[i];
        for (int i = 0; i < 3; i++)
            quad->theta[i] += now[k].dq[3 + i];
        lk_rotation_exp_four(quad->theta, quad->turn);
        lk_quad_place(sys, &l, quad);
        momentum_residual(sys, &l, quad, half);
    }
    for (size_t row = 0; row < rows; row++) {
        multipliers[row] = part * sys->solution[row];
        sys->next.lambda[row] += multipliers[row];
    }
    r->square[iteration] = inner_increments(sys, now, now);
    sys->next.balance->increment = lk_largest_lane(largest);
}

static void iterate(struct lk_system *sys, struct rattle *r, int iteration)
{
    double part;

    lk_evaluate_clear_frames(sys, sys->residual);
    take_back(sys, r, iteration, violations(sys, 0.5));
    for (int i = 0; i < sys->n_joints && sys->n_laws > 0; i++)
        if (lk_is_compliant(&sys->joint[i]))
            compliant_rows(sys, r, i, iteration == 0);
    if (iteration == 0 && sys->n_laws + r->n_tense > 0)
        lk_evaluate_factor(sys);
    lk_evaluate_reduce(sys);
    lk_evaluate_correction(sys);
    part = find_increment(sys, r, iteration);
    apply_increment(sys, r, iteration, r->ends ? 0 : part);
}

/* ---- closing: the factor of q_n+1 ---- */

/* the motion of the step as a pose; quaternions lose their round-off */
static void write_poses(const struct lk_system *sys, double *x, double *q, size_t stride)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        lk_four place[3], turned[4], scale;

        for (int i = 0; i < 3; i++)
            place[i] = quad->x_old[i] + quad->u[i];
        lk_quat_mul_four(quad->q_old, quad->turn, turned);
        scale = 1.5 - 0.5 * (turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] +
                             turned[3] * turned[3]);
        for (int i = 0; i < 4; i++)
            turned[i] *= scale;
        lk_scatter(&l, place, stride, 3, x);
        lk_scatter(&l, turned, stride, 4, q);
    }
}

/* dq = -s W Phi_q^T kappa */
static void close_positions(struct lk_system *sys)
{
    write_poses(sys, own_of(&sys->next)->x, own_of(&sys->next)->q, LK_STRIDE(struct own));
    release_laws(sys);
    factor_unclosed(sys, &sys->next);
    violations(sys, 1);
    lk_evaluate_correction(sys);
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        struct lk_quad *quad = &sys->quad[k];
        lk_four correction[6], dtheta[3], dq[4], turn[4], moved[6];

        lk_gather(&l, sys->correction[0].v, LK_STRIDE(struct lk_twist), 6, correction);
        for (int i = 0; i < 3; i++) {
            quad->u[i] -= correction[i];
            dtheta[i] = -correction[3 + i];
        }
        lk_rotation_exp_four(dtheta, dq);
        lk_quat_mul_four(quad->turn, dq, turn);
        for (int i = 0; i < 4; i++)
            quad->turn[i] = turn[i];
        lk_rotation_log_four(turn, quad->theta);
        for (int i = 0; i < 3; i++) {
            moved[i] = quad->u[i];
            moved[3 + i] = quad->theta[i];
        }
        lk_scatter(&l, moved, LK_STRIDE(struct own), 6, own_of(&sys->next)->moved);
        lk_gather(&l, own_of(&sys->now)->moved, LK_STRIDE(struct own), 6, correction);
        for (int i = 0; i < 6; i++)
            correction[i] = 1 / (sys->h * sys->h) * (moved[i] - correction[i]);
        lk_scatter(&l, correction, LK_STRIDE(struct own), 6, own_of(&sys->next)->bent);
    }
    write_poses(sys, sys->next.motion[0].x, sys->next.motion[0].q, LK_STRIDE(struct lk_motion));
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
}

/* ---- velocities: half a kick at q_n+1 ---- */

/* (3 u - u_last) / 2h, of order 2 without forces: where there is no inertia, velocities do not
 * follow from impulses */
LK_INLINE void mean_velocities(const struct lk_quad *quad, const lk_four last[6], double h,
                               lk_four ret[6])
{
    for (int i = 0; i < 6; i++)
        ret[i] = 0.5 / h * (3 * (i < 3 ? quad->u[i] : quad->theta[i - 3]) - last[i]);
}

static void kick_velocities(struct lk_system *sys, struct rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        const struct half_kicks *half = &r->quad[k];
        lk_four sum[6], mass, last[6], mean[6], v[6], back[3], Jtheta[3], momentum[3], pull[3],
            missing[3];
        double h = sys->h;

        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
        lk_gather(&l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
        lk_gather(&l, own_of(&sys->now)->moved, LK_STRIDE(struct own), 6, last);
        mean_velocities(quad, last, h, mean);
        lk_sym_mul_four(quad->inertia, quad->theta, Jtheta);
        for (int i = 0; i < 3; i++)
            back[i] = -quad->theta[i];
        lk_dexp_inverse_four(back, Jtheta, momentum);
        lk_sym_mul_four(half->tension, quad->theta, pull);
        for (int i = 0; i < 3; i++) {
            v[i] = 1 / h * quad->u[i] - 2 / h * mass * sum[i];
            momentum[i] = 1 / (h * sys->s) * momentum[i] -
                          2 / h * (sum[3 + i] - (0.5 - TENSE_LATE) * pull[i]);
        }
        lk_sym_mul_four(half->sW, momentum, v + 3);
        for (int i = 0; i < 3; i++)
            missing[i] = mean[3 + i] - v[3 + i];
        for (int i = 0; i < 6; i++)
            v[i] += half->drawn[i / 3] * (mean[i] - v[i]);
        for (int i = 0; i < 3 && sys->n_thin > 0; i++)
            v[3 + i] += lk_inner_four(quad->thin, missing) * quad->thin[i];
        lk_scatter(&l, v, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].v.v);
    }
}

/* Phi_q^T @lambda - Q into system->residual */
static void sum_forces(struct lk_system *sys, const double *lambda, const struct lk_twist *load)
{
    lk_evaluate_transpose(sys, lambda, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sys->residual[b].v[i] += load[b].v[i];
            sys->residual[b].w[i] += load[b].w[i];
        }
    lk_evaluate_clear_frames(sys, sys->residual);
}

/* Multipliers of rigid rows that hold the forces on bodies without inertia at the present pose:
 * with the factor of all bodies, whose artificial masses hardly count beside the others. */
static void balance_massless(struct lk_system *sys, const struct rattle *r)
{
    if (sys->n_massless == 0)
        return;
    sum_forces(sys, sys->next.lambda, r->load);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        struct lk_twist *g = &sys->residual[b];
        double turn[3];

        lk_sym_mul(sys->sW[b].inertia, g->w, turn);
        for (int i = 0; i < 3; i++) {
            g->v[i] *= quad->massless[0][b % 4] * sys->sW[b].mass;
            g->w[i] = quad->massless[1][b % 4] * turn[i];
        }
    }
    memset(sys->solution, 0, (size_t)sys->n_rows * sizeof(double));
    lk_evaluate_reduce(sys);
    lk_fronts_solve(&sys->fronts, sys->solution);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int row = j->row; row < j->row + lk_rigid_rows(j); row++)
            sys->next.lambda[row] += sys->solution[row];
    }
}

static void evaluate_loads(struct lk_system *sys, double t, const double *inputs,
                           struct lk_twist *ret)
{
    memset(ret, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*ret));
    lk_loads_subtract(sys, t, inputs, ret);
}

/* ---- accelerations and reactions of the new state; nothing else enters ---- */

/* multipliers of compliant rows by their laws; those of rigid rows begin at 0, but where bodies
 * without inertia pass forces on: there the balance of forces is that of the half kick */
static void start_multipliers(struct lk_system *sys, const struct lk_state *state)
{
    if (sys->n_massless == 0)
        forget_rigid(sys);
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f;
        double rate, x = lk_loads_law_place(sys, state, law, &rate);

        lk_law_evaluate(law, sys->term, x, rate, !law->is_hard, &f);
        sys->next.lambda[sys->joint[law->joint].row + law->row] = f.elastic + f.dissipative;
    }
}

/* a = -W (gyroscopic + system->residual) */
static void free_accelerations(struct lk_system *sys, const struct rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        lk_four sum[6], mass, v[6], a[6], Jw[3], torque[3], bent[6], last[6];

        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
        lk_gather(&l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
        lk_gather(&l, sys->twist[0].v, LK_STRIDE(struct lk_twist), 6, v);
        lk_sym_mul_four(quad->inertia, v + 3, Jw);
        lk_cross_four(v + 3, Jw, torque);
        for (int i = 0; i < 3; i++)
            torque[i] += sum[3 + i];
        lk_sym_mul_four(r->quad[k].sW, torque, a + 3);
        for (int i = 0; i < 3; i++) {
            a[i] = -1 / sys->s * mass * sum[i];
            a[3 + i] = -1 / sys->s * a[3 + i];
        }
        lk_gather(&l, own_of(&sys->next)->bent, LK_STRIDE(struct own), 6, bent);
        lk_gather(&l, own_of(&sys->now)->bent, LK_STRIDE(struct own), 6, last);
        for (int i = 0; i < 6; i++)
            a[i] += quad->massless[i / 3] * (2 * bent[i] - last[i] - a[i]);
        if (sys->n_thin > 0)
            drop_along(quad->thin, a + 3);
        lk_scatter(&l, a, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].a.v);
    }
}

/* @which: where the velocities or accelerations of the bodies of system->next begin */
static void subtract_corrections(const struct lk_system *sys, double *which)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *t = (struct lk_twist *)(which + (size_t)b * LK_STRIDE(struct lk_motion));

        for (int i = 0; i < 3; i++) {
            t->v[i] -= sys->correction[b].v[i];
            t->w[i] -= sys->correction[b].w[i];
        }
    }
}

static void project_accelerations(struct lk_system *sys, struct rattle *r)
{
    lk_evaluate_acceleration_violation(sys, &sys->next, NULL);
    lk_evaluate_refined(sys, r->lambda);
    subtract_corrections(sys, sys->next.motion[0].a.v);
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->s * sys->solution[row];
}

static void project_velocities(struct lk_system *sys, struct rattle *r)
{
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_velocity_violation(sys);
    lk_evaluate_refined(sys, r->lambda);
    subtract_corrections(sys, sys->next.motion[0].v.v);
    lk_evaluate_twists(sys, &sys->next);
}

/* accelerations and multipliers of system->next, whose poses, velocities and coordinates are
 * @state's; @load: -Q */
static void accelerate(struct lk_system *sys, struct rattle *r, const struct lk_state *state)
{
    start_multipliers(sys, state);
    balance_massless(sys, r);
    sum_forces(sys, sys->next.lambda, r->load);
    free_accelerations(sys, r);
    project_accelerations(sys, r);
}

/* ---- hard stops ---- */

/* Decide what hard stops do in the step from the accelerations that the state has with the inputs
 * of the step, without stops. One of several may press a coordinate against another: those are
 * decided from the accelerations that the first ones leave. */
static void decide_stops(struct lk_system *sys, struct rattle *r)
{
    for (int i = 0; i < sys->n_laws; i++) {
        sys->law[i].stop = (struct lk_stop){0};
        sys->law[i].stops_act = 0;
    }
    for (int again = 0; again < (sys->n_stops > 1 ? 2 : 1); again++) {
        release_laws(sys);
        lk_evaluate_factor(sys);
        accelerate(sys, r, &sys->now);
        lk_loads_decide_stops(sys, again);
    }
}

static int rattle_step(struct lk_system *sys, const double *inputs)
{
    struct rattle *r = sys->formulation_data;
    double t = lk_system_time(sys);
    bool turns_are_small;

    for (int i = 0; i < sys->input_size; i++)
        sys->next.inputs[i] = inputs[i];
    evaluate_loads(sys, t, inputs, r->load);
    for (int i = 0; i < sys->n_laws; i++) {
        double rate;

        r->value[i] = lk_loads_law_place(sys, &sys->now, &sys->law[i], &rate);
    }
    if (sys->n_stops > 0)
        decide_stops(sys, r);
    memcpy(sys->next.lambda, sys->now.lambda, (size_t)sys->n_rows * sizeof(double));
    if (sys->n_massless == 0)
        forget_rigid(sys);
    sum_forces(sys, sys->next.lambda, r->load);
    take_tension(sys, r);
    lk_drives_advance(sys, inputs);
    turns_are_small = predict(sys, r);
    r->violation = INFINITY;
    r->ends = false;
    for (int i = 0; i < sys->iterations; i++)
        iterate(sys, r, i);
    take_back(sys, r, sys->iterations, violations(sys, 0.5));
    leave_tension(sys, r);
    close_positions(sys);
    evaluate_loads(sys, t + sys->h, inputs, r->load);
    if (sys->n_massless == 0)
        forget_rigid(sys);
    balance_massless(sys, r);
    sum_forces(sys, sys->next.lambda, r->load);
    kick_velocities(sys, r);
    project_velocities(sys, r);
    if (sys->n_laws > 0)
        lk_keep_coordinates(sys);
    if (sys->n_stops > 0)
        lk_bounce(sys, &sys->next);
    accelerate(sys, r, &sys->next);
    return turns_are_small ? 0 : LK_E_TURN;
}

const struct lk_formulation lk_formulation_rattle = {
    .name = "rattle",
    .step = rattle_step,
    .layout = rattle_layout,
    .own_size = rattle_own_size,
    .begin = rattle_begin,
    .renew = rattle_renew,
    .order = 2,
    .iterations = 5,
    .regularisation = 4,
};
