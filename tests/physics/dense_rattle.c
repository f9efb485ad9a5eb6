/* SPDX-License-Identifier: Apache-2.0 */
/* The step `rattle` with full matrices, directly from the formulas at the top of
 * core/step/scripts/rattle.c. Decisions of the compiler are read from the system: whether dampers
 * are closed, and which bodies have geometric stiffness. */
#include "dense_parts.h"
#include "step/elements/elements.h"
#include "step/one/rattle.h"
#include "step/scripts/convergence.h"
#include "step/scripts/rattle.h"
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 20 /* largest number of iterations */

/** struct half_kicks - scratch memory of a step.
 * @Q:             loads
 * @sum:           Phi_q^T lambda - Q
 * @kick:          s W of @sum at q_n
 * @moved:         u and theta
 * @start:         Phi_q at q_n
 * @before:        Phi of each law's row at q_n
 * @K:             geometric stiffness K+, 3 x 3 for each body
 * @across, @last: for each row of a sway: its geometric stiffness K+, and its change in the last
 *                 step
 * @dq, @correction, @change: increments of all iterations, in q and lambda
 * @gap:           Phi / 2 of rigid rows that closing the positions at q_n has left
 * @kept_...:      the iterate before the last one
 * @since:         first increment that is used to estimate the contraction */
struct half_kicks {
    double *Q;
    double *sum;
    double *kick;
    double *moved;
    double *start;
    double *before;
    double (*K)[9];
    double *across;
    double *last;
    double *dq[STEPS_MAX];
    double *correction[STEPS_MAX];
    double *change[STEPS_MAX];
    double *gap;
    double *kept_moved;
    double *kept_kick;
    double *kept_lambda;
    double violation;
    int ends;
    int since;
};

static const struct lk_one_rattle *known(const struct dense *d)
{
    return d->sys->formulation_data;
}

/* weight of direction @i of all bodies, see struct lk_quad and struct lk_half_kicks */
static double massless(const struct dense *d, int i)
{
    return d->sys->quad[i / 24].massless[i / 3 % 2][i / 6 % 4];
}

static double thin(const struct dense *d, int i)
{
    return i % 6 < 3 ? 0 : d->sys->quad[i / 24].thin[i % 3][i / 6 % 4];
}

/* Set @v about the axis without inertia of each body to 0, or to that of @whole. */
static void settle_thin(const struct dense *d, const double *whole, double *v)
{
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double along = 0;

        for (int i = 6 * b + 3; i < 6 * b + 6; i++)
            along += thin(d, i) * ((whole ? whole[i] : 0) - v[i]);
        for (int i = 6 * b + 3; i < 6 * b + 6; i++)
            v[i] += along * thin(d, i);
    }
}

/* Compute the momentum of the displacement: translations m u; rotations D(sign theta) J theta, that
 * is, J theta pulled back by the tangent of exp at @sign theta. */
static void carried(const struct dense *d, const double *moved, double sign, double *ret)
{
    dense_block_product(d, d->M, moved, ret);
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double theta[3], once[3], twice[3], *y = ret + 6 * b + 3, t = 0, c;

        for (int i = 0; i < 3; i++) {
            theta[i] = sign * moved[6 * b + 3 + i];
            t += theta[i] * theta[i];
        }
        t = sqrt(t);
        c = t < 0.02 ? 1.0 / 12 + t * t / 720 : (1 - t / 2 / tan(t / 2)) / (t * t);
        dense_cross(theta, y, once);
        dense_cross(theta, once, twice);
        for (int i = 0; i < 3; i++)
            y[i] += 0.5 * once[i] + c * twice[i];
    }
}

/* Add @factor K (theta / 2 + @late (theta - theta of the last step)) to @g. */
static void add_tension(const struct dense *d, const struct half_kicks *k, double factor,
                        double late, double *g)
{
    for (int b = 0; b < d->sys->n_bodies; b++)
        for (int j = 0; j < 3; j++) {
            double theta = k->moved[6 * b + 3 + j];
            double more = theta - lk_rattle_own(&d->sys->now)[b].moved[3 + j];

            for (int i = 0; i < 3; i++)
                g[6 * b + 3 + i] += factor * k->K[b][3 * i + j] * (0.5 * theta + late * more);
        }
}

/* x += u, R := R exp(theta), starting from the state at the beginning of the step */
static void move(struct dense *d, const double *moved, double *x, double *q)
{
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double turn[4], length = 0;

        dense_quat_exp(moved + 6 * b + 3, turn);
        dense_quat_product(d->q_old + 4 * b, turn, q + 4 * b);
        for (int i = 0; i < 4; i++)
            length += q[4 * b + i] * q[4 * b + i];
        for (int i = 0; i < 4; i++)
            q[4 * b + i] /= sqrt(length);
        for (int i = 0; i < 3; i++)
            x[3 * b + i] = d->x_old[3 * b + i] + moved[6 * b + i];
    }
}

static void place(struct dense *d, const double *moved)
{
    move(d, moved, d->x, d->q);
    dense_set_poses(d, d->x, d->q);
    for (int i = 0; i < d->n; i++)
        d->v[i] = 2 / d->sys->h * moved[i] - d->v_old[i];
    dense_set_twists(d, d->v);
    dense_set_jacobian(d);
}

/* rhs := A^-1 rhs with the last factorisation of A */
static void solve_rows(struct dense *d)
{
    if (d->m > 0)
        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', d->m, 1, d->A, d->m, d->rhs, 1);
}

/* @ret := s W J^T rhs */
static void spread(struct dense *d, const double *J, double *ret)
{
    dense_transpose_product(d, J, d->rhs, d->g);
    dense_block_product(d, d->W, d->g, ret);
    for (int i = 0; i < d->n; i++)
        ret[i] *= d->sys->s;
}

/* Project velocities or accelerations @v. Iterative refinement: each further solution corrects the
 * error that E caused in the solution before. @weight: weights of the @n solutions */
static void project(struct dense *d, const double *weight, int n, double *v)
{
    double *sum = dense_zeros(d->m, sizeof(double));

    for (int part = 0; part < n; part++) {
        solve_rows(d);
        for (int r = 0; r < d->m; r++) {
            sum[r] += weight[part] * d->rhs[r];
            d->rhs[r] *= d->sys->rigid[r] > 0 ? d->E[r] : 0;
        }
    }
    for (int r = 0; r < d->m; r++)
        d->rhs[r] = sum[r];
    spread(d, d->J, d->dq);
    for (int i = 0; i < d->n; i++)
        v[i] -= d->dq[i];
    free(sum);
}

/* project with one step of iterative refinement */
static void project_twice(struct dense *d, double *v)
{
    project(d, (const double[2]){1, 1}, 2, v);
}

static void sum_forces(struct dense *d, struct half_kicks *k)
{
    dense_transpose_product(d, d->J, d->lambda, k->sum);
    for (int i = 0; i < d->n; i++)
        k->sum[i] -= k->Q[i];
}

static void forget_rigid(struct dense *d)
{
    for (int i = 0; i < d->sys->n_joints; i++)
        for (int r = 0; r < lk_rigid_rows(&d->sys->joint[i]); r++)
            d->lambda[d->sys->joint[i].row + r] = 0;
}

/* Balance the loads of bodies without inertia with the multipliers of their rows. The right-hand
 * side of all other rows is 0. */
static void balance_massless(struct dense *d, struct half_kicks *k)
{
    double *only = dense_zeros(d->n, sizeof(double));

    sum_forces(d, k);
    dense_block_product(d, d->W, k->sum, only);
    for (int i = 0; i < d->n; i++)
        only[i] *= d->sys->s * massless(d, i);
    dense_product(d, d->J, d->n, only, d->rhs);
    for (int r = 0; r < d->m; r++)
        d->rhs[r] = -d->rhs[r];
    solve_rows(d);
    for (int r = 0; r < d->m; r++)
        d->lambda[r] += d->rhs[r];
    free(only);
}

/* Compute the multipliers with which a half kick, or the accelerations, begin, and the sum of
 * forces. */
static void begin_multipliers(struct dense *d, struct half_kicks *k)
{
    if (d->sys->n_massless == 0)
        forget_rigid(d);
    else
        balance_massless(d, k);
    sum_forces(d, k);
}

/* ---- positions ---- */

/* Compute K+, the part of K that is too stiff for the step. The eigenvectors of K x = e J x are
 * orthonormal in J. */
static void stiff_part(const double K[9], const double J[9], double s, double ret[9])
{
    double X[9], B[9], e[3];

    memcpy(X, K, sizeof(X));
    memcpy(B, J, sizeof(B));
    memset(ret, 0, sizeof(X));
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'L', 3, X, 3, B, 3, e) != 0)
        abort();
    for (int k = 0; k < 3; k++) {
        double part = fmax(s * e[k], 0) * fmin(1, fmax(0, s * e[k] / 0.1 - 1)) / s, Jx[3] = {0};

        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                Jx[i] += J[3 * i + j] * X[3 * j + k];
        for (int i = 0; i < 9; i++)
            ret[i] += part * Jx[i / 3] * Jx[i % 3];
    }
}

/* Compute the geometric stiffness of body @b from the multipliers at its spherical joints: the sum
 * of (l.f) 1 - (l f^T + f l^T) / 2. A part of a split body has the mean of all its parts. */
static void tension_at(const struct dense *d, int b, double K[9])
{
    memset(K, 0, 9 * sizeof(double));
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];

        for (int side = 0; side < 2; side++) {
            double f[3] = {0}, inner = 0;
            const double *l = j->p[side];

            if (j->body[side] >= d->sys->n_bodies ||
                d->sys->body[j->body[side]].of != d->sys->body[b].of || j->of[0] ||
                !lk_joint_is_point(j->type, j->kind) || lk_is_compliant(j))
                continue;
            for (int n = 0; n < 3; n++)
                for (int r = 0; r < 3; r++)
                    f[n] += (side ? 1 : -1) * d->pose[b].R[3 * r + n] * d->lambda[j->row + r];
            for (int n = 0; n < 3; n++)
                inner += l[n] * f[n];
            for (int n = 0; n < 9; n++)
                K[n] +=
                    ((n % 4 == 0 ? inner : 0) - 0.5 * (l[n / 3] * f[n % 3] + f[n / 3] * l[n % 3])) /
                    d->sys->body[b].n_parts;
        }
    }
}

/* Compute K+ of the bodies with geometric stiffness, and (J + s K+)^-1 in W.
 * Return: W of all bodies without it */
static double (*take_tension(struct dense *d, struct half_kicks *k))[36]
{
    double(*own)[36] = dense_zeros(d->sys->n_bodies, sizeof(*own));

    memcpy(own, d->W, (size_t)d->sys->n_bodies * sizeof(*own));
    for (int i = 0; i < known(d)->n_tense; i++) {
        int b = known(d)->tense[i];
        double K[9], J[9], sum[9];

        for (int n = 0; n < 9; n++)
            J[n] = d->M[b][6 * (3 + n / 3) + 3 + n % 3];
        tension_at(d, b, K);
        stiff_part(K, J, d->sys->s, k->K[b]);
        for (int n = 0; n < 9; n++)
            sum[n] = J[n] + d->sys->s * k->K[b][n];
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', 3, sum, 3) != 0 ||
            LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', 3, sum, 3) != 0)
            abort();
        for (int n = 0; n < 9; n++)
            d->W[b][6 * (3 + n / 3) + 3 + n % 3] = sum[n / 3 > n % 3 ? n : 3 * (n % 3) + n / 3];
    }
    return own;
}

/* Compute K+ of rods and springs: tension over length, if it is too stiff for the step. */
static void take_sways(const struct dense *d, struct half_kicks *k)
{
    const struct lk_system *sys = d->sys;

    for (int i = 0; i < sys->n_sways; i++) {
        const struct lk_joint *j = &sys->joint[sys->sway[i].block];
        const struct lk_joint *along = &sys->joint[sys->sway[i].along];
        double length = along->length + (lk_is_compliant(along) ? k->before[along->law] : 0);
        double K = fmax(d->lambda[along->row] / length, 0);

        for (int r = 0; r < 3; r++) {
            double slow = K * sys->scale[j->row + r] / 0.1;

            k->across[j->law + r] = K * fmin(fmax(slow - 1, 0), 1);
            for (int n = 0; n < d->n; n++)
                k->last[j->law + r] += k->start[(j->row + r) * d->wide + n] *
                                       lk_rattle_own(&sys->now)[n / 6].moved[n % 6];
        }
    }
}

/* Compute the multipliers of sways for the second half kick. They are smaller than in the first
 * half kick by K+ delta. */
static void turn_sways(struct dense *d, const struct half_kicks *k)
{
    for (int i = 0; i < d->sys->n_sways; i++) {
        const struct lk_joint *j = &d->sys->joint[d->sys->sway[i].block];

        for (int r = 0; r < 3; r++) {
            double *lambda = &d->lambda[j->row + r];

            *lambda -= (*lambda + 0.1 * k->across[j->law + r] * k->last[j->law + r]) / 0.6;
        }
    }
}

/* Predict x + h v + h^2/2 a with the acceleration of the last half kick.
 * Return: 0, LK_E_TURN */
static int predict(struct dense *d, struct half_kicks *k)
{
    const struct lk_system *sys = d->sys;
    const double *last = lk_rattle_own(&sys->now)->moved;
    double h = sys->h;
    int r = 0;

    for (int i = 0; i < d->n; i++) {
        double moved = last[i / 6 * (int)LK_STRIDE(struct lk_rattle_own) + i % 6];
        double a = 2 / h * (d->v_old[i] - moved / h);

        if (known(d)->n_tense > 0)
            a = d->a_old[i];
        k->moved[i] =
            h * d->v_old[i] + 0.5 * h * h * sys->quad[i / 24].start_a[i / 3 % 2][i / 6 % 4] * a;
    }
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *theta = k->moved + 6 * b + 3;

        if (theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2] >= M_PI * M_PI)
            r = LK_E_TURN;
    }
    dense_block_product(d, d->W, k->sum, k->kick);
    for (int i = 0; i < d->n; i++)
        k->kick[i] *= sys->s;
    place(d, k->moved);
    return r;
}

/* Return the rate of a row from the mean of the Jacobians and the mean of the velocities at both
 * ends of the step. */
static double slip_rate(const struct dense *d, const struct half_kicks *k, int row)
{
    const double *now = (const double *)d->twist;
    double sum = 0;

    for (int i = 0; i < d->wide; i++)
        sum += 0.25 * (k->start[row * d->wide + i] + d->J[row * d->wide + i]) *
               (now[i] + (i < d->n ? d->v_old[i] : now[i]));
    return sum;
}

static void set_rows(struct dense *d, struct half_kicks *k, int iteration)
{
    const struct lk_system *sys = d->sys;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX];

        dense_violation(d, j, phi);
        for (int r = 0; r < j->n_rows; r++) {
            struct lk_law_value f;
            struct lk_law law;
            int row = j->row + r, at = j->law + r;

            if (!lk_is_compliant(j)) {
                d->rhs[row] = 0.5 * (phi[r] + dense_jitter(d));
                continue;
            }
            law = sys->law[at];
            lk_law_step(&law, sys->term, k->before[at], phi[r],
                        j->type == LK_JOINT_CREEP ? slip_rate(d, k, row)
                                                  : (phi[r] - k->before[at]) / sys->h,
                        &f);
            if (j->type == LK_JOINT_SWAY) {
                double delta = phi[r] - k->before[at], K = k->across[at];

                f = (struct lk_law_value){.elastic = K * (0.6 * delta - 0.1 * k->last[at]),
                                          .stiffness = 1.2 * K};
            }
            if (iteration == 0)
                d->E[row] = lk_law_regular(&f, sys->h);
            d->rhs[row] =
                (f.elastic + f.dissipative - d->lambda[row]) * d->E[row] + dense_jitter(d);
        }
    }
}

static double largest_violation(const struct dense *d)
{
    double largest = 0;

    for (int i = 0; i < d->sys->n_joints; i++) {
        double phi[LK_ROWS_MAX];

        dense_violation(d, &d->sys->joint[i], phi);
        for (int r = 0; r < lk_rigid_rows(&d->sys->joint[i]); r++)
            largest = fmax(largest, fabs(phi[r]));
    }
    return largest;
}

/* Discard an iterate whose violation has more than doubled after two or more increments, and keep
 * the one before. */
static void take_back(struct dense *d, struct half_kicks *k, int done)
{
    double violation = largest_violation(d);

    if (done >= 2 && violation > 2 * k->violation && violation > 1e-10)
        k->ends = 1;
    if (done == 1 && violation > 10 * k->violation && violation > 1e-13)
        k->since = 1; /* the first increment leaves a violation of E lambda */
    for (int i = 0; i < d->n; i++) {
        k->kept_moved[i] = k->moved[i] = k->ends ? k->kept_moved[i] : k->moved[i];
        k->kept_kick[i] = k->kick[i] = k->ends ? k->kept_kick[i] : k->kick[i];
    }
    for (int r = 0; r < d->m; r++)
        k->kept_lambda[r] = d->lambda[r] = k->ends ? k->kept_lambda[r] : d->lambda[r];
    k->violation = k->ends ? k->violation : violation;
    place(d, k->moved);
}

/* Return the inner product of two increments, weighed by the mass. @of_turns: unweighed, of
 * rotations only */
static double inner(const struct dense *d, const double *a, const double *b, int of_turns)
{
    double *Mb = dense_zeros(d->n, sizeof(double)), sum = 0;

    dense_block_product(d, d->M, b, Mb);
    for (int i = 0; i < d->n; i++)
        sum += of_turns ? a[i] * b[i] * (i % 6 >= 3) : a[i] * Mb[i];
    free(Mb);
    return sum;
}

/* Return the contraction from increment @a to increment @b: the smaller of two estimates. */
static double contraction(const struct dense *d, const double *a, const double *b)
{
    double ret[2] = {0};

    for (int m = 0; m < 2; m++) {
        double square = inner(d, a, a, m);

        ret[m] = square > 0 ? inner(d, a, b, m) / square : INFINITY;
    }
    if (fabs(ret[1]) < fabs(ret[0]))
        ret[0] = ret[1];
    return isinf(ret[0]) ? 0 : fmin(fmax(ret[0], -1), 1);
}

/* Improve an increment with the contraction that the increments before it have shown.
 * Return: factor of the increment */
static double improve(struct dense *d, struct half_kicks *k, int iteration)
{
    double alpha = 0;

    for (int i = k->since; i < iteration; i++) {
        alpha = contraction(d, k->dq[i], k->dq[iteration]);
        if (i == iteration - 1)
            break;
        for (int n = 0; n < d->n; n++) {
            k->dq[iteration][n] += alpha * k->dq[i + 1][n];
            k->correction[iteration][n] += alpha * k->correction[i + 1][n];
        }
        for (int r = 0; r < d->m; r++)
            d->rhs[r] += alpha * k->change[i + 1][r];
    }
    return 1 / (1 - fmin(fmax(alpha, -0.5), 0.5));
}

/* Compute the violation that remains after closing the positions at q_n. */
static void find_gaps(const struct dense *d, struct half_kicks *k)
{
    for (int i = 0; i < d->sys->n_joints; i++) {
        const struct lk_joint *j = &d->sys->joint[i];
        double phi[LK_ROWS_MAX];

        dense_violation(d, j, phi);
        for (int r = 0; r < lk_rigid_rows(j) && !d->sys->rows_are_independent; r++)
            k->gap[j->row + r] = 0.5 * phi[r];
    }
}

static int iterate(struct dense *d, struct half_kicks *k, int iteration)
{
    double h = d->sys->h, *g = dense_zeros(d->n, sizeof(double)), part;
    double *old = dense_zeros(d->n, sizeof(double)), *change = dense_zeros(d->m, sizeof(double));
    int r = 0;

    take_back(d, k, iteration);
    set_rows(d, k, iteration);
    if (iteration == 0 && d->sys->n_laws + known(d)->n_tense > 0) {
        memcpy(d->J, k->start, (size_t)(d->m * d->wide) * sizeof(double));
        r = dense_factor(d);
        dense_set_jacobian(d);
    }
    /* the right-hand side s W g */
    carried(d, k->moved, 1, g);
    dense_block_product(d, d->M, d->v_old, old);
    for (int i = 0; i < d->n; i++)
        g[i] = 2 / h * (g[i] / h - old[i]);
    add_tension(d, k, 1, 0.1, g);
    dense_block_product(d, d->W, g, old);
    for (int i = 0; i < d->n; i++)
        g[i] = d->sys->s * old[i] + k->kick[i];
    dense_product(d, k->start, d->n, g, change);
    for (int i = 0; i < d->m; i++)
        d->rhs[i] -= change[i] + k->gap[i];
    solve_rows(d);
    spread(d, k->start, k->correction[iteration]);
    for (int i = 0; i < d->n; i++)
        k->dq[iteration][i] = -2 * (k->correction[iteration][i] + g[i]);
    part = improve(d, k, iteration);
    part = k->ends ? 0 : part;
    for (int i = 0; i < d->n; i++) {
        k->dq[iteration][i] *= part;
        k->correction[iteration][i] *= part;
        k->moved[i] += k->dq[iteration][i];
        k->kick[i] += k->correction[iteration][i];
    }
    for (int i = 0; i < d->m; i++) {
        k->change[iteration][i] = part * d->rhs[i];
        d->lambda[i] += k->change[iteration][i];
    }
    place(d, k->moved);
    free(g);
    free(old);
    free(change);
    return r;
}

/* Set E of compliant rows so that they do not act in any factorisation but that of the
 * iterations. */
static void decouple_laws(struct dense *d)
{
    for (int i = 0; i < d->sys->n_laws; i++)
        d->E[d->sys->joint[d->sys->law[i].joint].row + d->sys->law[i].row] = LK_DECOUPLED;
}

/* Set E of strong dampers at the new pose to h / 2c, if h c / 2 m is large. */
static void close_dampers(struct dense *d, const struct half_kicks *k)
{
    const struct lk_system *sys = d->sys;

    decouple_laws(d);
    for (int i = 0; i < sys->n_laws && sys->closes_dampers; i++) {
        const struct lk_law *law = &sys->law[i];
        const struct lk_joint *j = &sys->joint[law->joint];
        bool slips = j->type == LK_JOINT_CREEP || j->type == LK_JOINT_AIR;
        double phi[LK_ROWS_MAX], rate = 0, c = 0, a;
        int row = j->row + law->row;

        dense_violation(d, j, phi);
        for (int n = 0; n < d->wide && slips; n++)
            rate += k->start[row * d->wide + n] * ((const double *)d->twist)[n];
        if (!slips)
            rate = (phi[law->row] - k->before[i]) / sys->h;
        for (int t = law->first_term; t < law->first_term + law->n_terms; t++) {
            struct lk_law_value f = {0};

            lk_term_evaluate(&sys->term[t], 0.5 * (phi[law->row] + k->before[i]),
                             rate + law->now->carry, &f);
            if (sys->term[t].kind != LK_TERM_FRICTION && sys->term[t].kind != LK_TERM_STOP)
                c += f.damping;
        }
        a = fmax(0.5 * sys->h * c * law->free_mobility - LK_RINGS_FROM, 0);
        if (a > 0)
            d->E[row] = fmin(0.5 * sys->h * (1 + a * a) / (c * a * a), LK_DECOUPLED);
    }
}

/* Factorise at the new pose and close the positions.
 * Return: 0, DENSE_INDEFINITE */
static int close_positions(struct dense *d, struct half_kicks *k)
{
    int r;

    close_dampers(d, k);
    r = dense_factor(d);
    memset(d->rhs, 0, (size_t)d->m * sizeof(double));
    for (int i = 0; i < d->sys->n_joints; i++) {
        double phi[LK_ROWS_MAX];

        dense_violation(d, &d->sys->joint[i], phi);
        for (int n = 0; n < lk_rigid_rows(&d->sys->joint[i]); n++)
            d->rhs[d->sys->joint[i].row + n] = phi[n] + dense_jitter(d);
    }
    solve_rows(d);
    spread(d, d->J, d->dq);
    for (int b = 0; b < d->sys->n_bodies; b++) {
        double *moved = k->moved + 6 * b, turn[4], back[4], once[4];

        for (int i = 0; i < 6; i++)
            d->dq[6 * b + i] = -d->dq[6 * b + i];
        dense_quat_exp(moved + 3, turn);
        dense_quat_exp(d->dq + 6 * b + 3, back);
        dense_quat_product(turn, back, once);
        dense_quat_log(once, moved + 3);
        for (int i = 0; i < 3; i++)
            moved[i] += d->dq[6 * b + i];
    }
    place(d, k->moved);
    return r;
}

/* ---- velocities and accelerations ---- */

/* Compute velocities and accelerations from differences of positions: those of a cubic through the
 * last four positions if the motion is smooth. */
static void differences(const struct dense *d, const struct half_kicks *k, double *v, double *a)
{
    const struct lk_rattle_own *own = lk_rattle_own(&d->sys->now);
    double h = d->sys->h;

    for (int part = 0; part < 2 * d->sys->n_bodies; part++) {
        const double *moved = k->moved + 3 * part, *last = own[part / 2].curvature + 3 * (part % 2);
        const double *before = own[part / 2].moved + 3 * (part % 2);
        double bent[3], both = 0, all = 1e-300, smooth;

        for (int i = 0; i < 3; i++) {
            bent[i] = (moved[i] - before[i]) / (h * h);
            both += bent[i] * last[i];
            all += bent[i] * bent[i] + last[i] * last[i];
        }
        smooth = fmax(2 * both, 0) / all;
        for (int i = 0; i < 3; i++) {
            double more = smooth * (bent[i] - last[i]);

            v[3 * part + i] = moved[i] / h + h * (smooth * bent[i] / 2 + more / 3);
            a[3 * part + i] = bent[i] + more;
        }
    }
}

/* Compute the violations of dampers: differences between the rates of @v and of @seen. */
static void violate_dampers(struct dense *d, const double *v, const double *seen)
{
    const struct lk_system *sys = d->sys;

    for (int i = 0; i < sys->n_laws && sys->closes_dampers; i++) {
        int row = sys->joint[sys->law[i].joint].row + sys->law[i].row;

        d->rhs[row] = 0;
        for (int n = 0; n < d->n; n++)
            d->rhs[row] += d->J[row * d->wide + n] * (v[n] - seen[n]);
    }
}

static void kick(struct dense *d, struct half_kicks *k)
{
    double h = d->sys->h, *seen = dense_zeros(d->n, sizeof(double));
    double *g = dense_zeros(d->n, sizeof(double)), *unused = dense_zeros(d->n, sizeof(double));

    begin_multipliers(d, k);
    carried(d, k->moved, -1, g);
    for (int i = 0; i < d->n; i++)
        g[i] = i % 6 < 3 ? -0.5 * h * k->sum[i] : g[i] / h - 0.5 * h * k->sum[i];
    add_tension(d, k, 0.5 * h, -0.1, g);
    dense_block_product(d, d->W, g, d->v);
    for (int i = 0; i < d->n; i++)
        d->v[i] += i % 6 < 3 ? k->moved[i] / h : 0;
    differences(d, k, seen, unused);
    settle_thin(d, seen, d->v);
    for (int i = 0; i < d->n; i++)
        d->v[i] += massless(d, i) * (seen[i] - d->v[i]);
    dense_set_twists(d, d->v);
    dense_velocity_violation(d);
    violate_dampers(d, d->v, seen);
    project_twice(d, d->v);
    dense_set_twists(d, d->v);
    free(seen);
    free(unused);
    free(g);
}

/* Compute the multipliers of compliant rows from their laws at the present poses and velocities. */
static void evaluate_laws(struct dense *d)
{
    const struct lk_system *sys = d->sys;

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        int row = sys->joint[law->joint].row + law->row;
        double phi[LK_ROWS_MAX], rate = 0;
        struct lk_law_value f;

        dense_violation(d, &sys->joint[law->joint], phi);
        for (int n = 0; n < d->wide; n++)
            rate += d->J[row * d->wide + n] * ((const double *)d->twist)[n];
        lk_law_evaluate(law, sys->term, phi[law->row], rate, !law->is_hard, &f);
        d->lambda[row] = f.elastic + f.dissipative;
    }
}

static void accelerate(struct dense *d, struct half_kicks *k)
{
    double *seen = dense_zeros(d->n, sizeof(double)), *unused = dense_zeros(d->n, sizeof(double));

    evaluate_laws(d);
    begin_multipliers(d, k);
    dense_add_gyroscopic(d, k->sum);
    dense_block_product(d, d->W, k->sum, d->dq);
    differences(d, k, unused, seen);
    for (int i = 0; i < d->n; i++)
        d->a[i] = massless(d, i) != 0 ? seen[i] : -d->dq[i];
    settle_thin(d, NULL, d->a);
    dense_acceleration_violation(d, d->a);
    violate_dampers(d, d->a, seen);
    /* with redundant rows, without the part of the violation that no motion can remove */
    if (d->sys->is_redundant)
        project(d, (const double[3]){1, 1, -2}, 3, d->a);
    else if (d->sys->n_least == 4) /* near a singular pose */
        project(d, (const double[4]){1, 1, 1, 1}, 4, d->a);
    else
        project_twice(d, d->a);
    for (int r = 0; r < d->m; r++)
        d->lambda[r] += d->sys->s * d->rhs[r];
    free(seen);
    free(unused);
}

/* ---- the step ---- */

static struct half_kicks make_scratch(const struct dense *d)
{
    int n = d->n, m = d->m;
    struct half_kicks k = {
        .Q = dense_zeros(n, sizeof(double)),
        .sum = dense_zeros(n, sizeof(double)),
        .kick = dense_zeros(n, sizeof(double)),
        .moved = dense_zeros(n, sizeof(double)),
        .start = dense_zeros(m * d->wide, sizeof(double)),
        .before = dense_zeros(d->sys->n_laws, sizeof(double)),
        .K = dense_zeros(d->sys->n_bodies, sizeof(*k.K)),
        .across = dense_zeros(d->sys->n_laws, sizeof(double)),
        .last = dense_zeros(d->sys->n_laws, sizeof(double)),
        .gap = dense_zeros(m, sizeof(double)),
        .kept_moved = dense_zeros(n, sizeof(double)),
        .kept_kick = dense_zeros(n, sizeof(double)),
        .kept_lambda = dense_zeros(m, sizeof(double)),
        .violation = INFINITY,
    };

    for (int i = 0; i < d->sys->iterations; i++) {
        k.dq[i] = dense_zeros(n, sizeof(double));
        k.correction[i] = dense_zeros(n, sizeof(double));
        k.change[i] = dense_zeros(m, sizeof(double));
    }
    return k;
}

static void free_scratch(const struct dense *d, struct half_kicks *k)
{
    void *all[] = {k->gap,       k->Q,           k->sum,    k->kick, k->moved,
                   k->start,     k->before,      k->across, k->last, k->kept_moved,
                   k->kept_kick, k->kept_lambda, k->K};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
    for (int i = 0; i < d->sys->iterations; i++) {
        free(k->dq[i]);
        free(k->correction[i]);
        free(k->change[i]);
    }
}

/* Read the state at the start of the step, and repeat the last factorisation of the step before.
 * Return: 0, DENSE_INDEFINITE */
static int read_state(struct dense *d, struct half_kicks *k)
{
    const struct lk_system *sys = d->sys;
    int r;

    memcpy(d->E, sys->regular, (size_t)d->m * sizeof(double));
    decouple_laws(d);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];
        const struct lk_rattle_own *own = &lk_rattle_own(&sys->now)[b];

        for (int i = 0; i < 4; i++) {
            double jitter = dense_jitter(d);

            d->q_old[4 * b + i] = m->q[i] + jitter;
            d->q[4 * b + i] = own->q[i] + jitter;
        }
        for (int i = 0; i < 3; i++) {
            double jitter = dense_jitter(d);

            d->x_old[3 * b + i] = m->x[i] + jitter;
            d->x[3 * b + i] = own->x[i] + jitter;
        }
        memcpy(d->v_old + 6 * b, &m->v, sizeof(m->v));
        memcpy(d->a_old + 6 * b, &m->a, sizeof(m->a));
    }
    memcpy(d->lambda, sys->now.lambda, (size_t)d->m * sizeof(double));
    dense_set_poses(d, d->x, d->q);
    dense_set_jacobian(d);
    r = dense_factor(d);
    dense_set_poses(d, d->x_old, d->q_old);
    dense_set_twists(d, d->v_old);
    dense_set_jacobian(d);
    memcpy(k->start, d->J, (size_t)(d->m * d->wide) * sizeof(double));
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_joint *j = &sys->joint[sys->law[i].joint];
        double phi[LK_ROWS_MAX];

        dense_violation(d, j, phi);
        k->before[i] =
            j->of[0] ? sys->now.coordinate[j->of[0]->first_coordinate + j->which[0]] - j->offset
                     : phi[sys->law[i].row];
    }
    return r;
}

/* Make the first half kick, at q_n.
 * Return: 0, LK_E_TURN, DENSE_INDEFINITE */
static int first_half(struct dense *d, const double *inputs, struct half_kicks *k)
{
    double(*own)[36];
    int r, turns;

    dense_set_drives(d, inputs, 0);
    dense_set_frames(d, d->v_old, d->a_old);
    r = read_state(d, k);
    dense_loads(d, (d->sys->now.balance->steps + 0.5) * d->sys->h, inputs, k->Q);
    find_gaps(d, k);
    own = take_tension(d, k);
    take_sways(d, k);
    if (d->sys->n_massless == 0)
        forget_rigid(d);
    sum_forces(d, k);
    dense_set_drives(d, inputs, 1);
    dense_set_frames(d, d->v, d->a);
    turns = predict(d, k);
    for (int i = 0; i < d->sys->iterations && r == 0; i++)
        r = iterate(d, k, i);
    take_back(d, k, d->sys->iterations);
    memcpy(d->W, own, (size_t)d->sys->n_bodies * sizeof(*own));
    free(own);
    return r != 0 ? r : turns;
}

int dense_rattle_step(struct dense *d, const double *inputs)
{
    struct half_kicks k = make_scratch(d);
    int r = first_half(d, inputs, &k);

    r = r != 0 ? r : close_positions(d, &k);
    if (r == 0) {
        dense_loads(d, (d->sys->now.balance->steps + 0.5) * d->sys->h, inputs, k.Q);
        turn_sways(d, &k);
        kick(d, &k);
        dense_loads(d, (d->sys->now.balance->steps + 1) * d->sys->h, inputs, k.Q);
        accelerate(d, &k);
    }
    free_scratch(d, &k);
    return r;
}
