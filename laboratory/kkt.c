/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/kkt.h"
#include "maths/vec.h"
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows have length 1, so the first pivot is 1. Near a singular pose, a small pivot amplifies errors
 * of the state, but dropping its direction causes an error of the pivot times a force. The value is
 * a compromise. Example: Dormand-Prince with projection and a tolerance of 1e-10 on the vertical
 * four-bar. With 1e-8 the mechanism leaves its rhombus in the aligned pose; with 1e-5 it passes
 * this pose. */
#define DEPENDENT 1e-5
#define ROOT      10 /* numbers per body in struct lk_kkt.root */

static size_t area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* ---- M = L L^T of a body: sqrt(m) I, and the lower triangle of J ---- */

static int factor_body(const struct lk_body *body, double *root)
{
    if (!(body->mass > 0))
        return 1;
    root[0] = sqrt(body->mass);
    for (int i = 0; i < 9; i++)
        root[1 + i] = body->inertia[lk_sym_at(i / 3, i % 3)];
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', 3, root + 1, 3) != 0;
}

/* Compute x = L^-1 f for one body. */
static void body_down(const double *root, const double *f, double *x)
{
    const double *L = root + 1;

    for (int i = 0; i < 3; i++) {
        double sum = f[3 + i];

        for (int k = 0; k < i; k++)
            sum -= L[3 * i + k] * x[3 + k];
        x[i] = f[i] / root[0];
        x[3 + i] = sum / L[4 * i];
    }
}

/* Compute a = L^-T x for one body. */
static void body_up(const double *root, const double *x, double *a)
{
    const double *L = root + 1;

    for (int i = 2; i >= 0; i--) {
        double sum = x[3 + i];

        for (int k = i + 1; k < 3; k++)
            sum -= L[3 * k + i] * a[3 + k];
        a[i] = x[i] / root[0];
        a[3 + i] = sum / L[4 * i];
    }
}

static void down(const struct lk_kkt *kkt, const double *f, double *x)
{
    for (int b = 0; b < kkt->n / 6; b++)
        body_down(kkt->root + ROOT * b, f + 6 * b, x + 6 * b);
}

static void up(const struct lk_kkt *kkt, const double *x, double *a)
{
    for (int b = 0; b < kkt->n / 6; b++)
        body_up(kkt->root + ROOT * b, x + 6 * b, a + 6 * b);
}

void lk_kkt_weight(const struct lk_kkt *kkt, const double *f, double *ret)
{
    down(kkt, f, ret);
    up(kkt, ret, ret);
}

void lk_kkt_mass(const struct lk_kkt *kkt, const double *a, double *ret)
{
    for (int b = 0; b < kkt->n / 6; b++) {
        const double *L = kkt->root + ROOT * b + 1, *from = a + 6 * b;
        double m = L[-1] * L[-1], x[3];

        for (int i = 0; i < 3; i++) {
            x[i] = 0;
            for (int k = i; k < 3; k++)
                x[i] += L[3 * k + i] * from[3 + k];
        }
        for (int i = 0; i < 3; i++) {
            ret[6 * b + i] = m * from[i];
            ret[6 * b + 3 + i] = 0;
            for (int k = 0; k <= i; k++)
                ret[6 * b + 3 + i] += L[3 * i + k] * x[k];
        }
    }
}

/* ---- allocation ---- */

static int take_memory(struct lk_kkt *kkt)
{
    int n = kkt->n, m = kkt->m, most = n > m ? n : m;

    kkt->G = calloc(area(m, n) + 1, sizeof(double));
    kkt->H = calloc(area(m, n) + 1, sizeof(double));
    kkt->Y = calloc(area(m, n) + 1, sizeof(double));
    kkt->root = calloc(area(ROOT, n / 6) + 1, sizeof(double));
    kkt->length = calloc(area(m, 1) + 1, sizeof(double));
    kkt->tau_q = calloc(area(most, 1) + 1, sizeof(double));
    kkt->tau_z = calloc(area(most, 1) + 1, sizeof(double));
    kkt->x = calloc(area(most, 1) + 1, sizeof(double));
    kkt->w = calloc(area(most, 1) + 1, sizeof(double));
    kkt->u = calloc(area(most, 1) + 1, sizeof(double));
    kkt->c = calloc(area(m, 1) + 1, sizeof(double));
    kkt->pivot = calloc(area(m, 1) + 1, sizeof(int));
    kkt->swaps = calloc(area(m, 1) + 1, sizeof(int));
    return kkt->G && kkt->H && kkt->Y && kkt->root && kkt->length && kkt->tau_q && kkt->tau_z &&
                   kkt->x && kkt->w && kkt->u && kkt->c && kkt->pivot && kkt->swaps
               ? 0
               : -ENOMEM;
}

int lk_kkt_new(struct lk_mechanics *mechanics, struct lk_kkt **ret, struct lk_error *ret_error)
{
    struct lk_kkt *kkt = calloc(1, sizeof(*kkt));
    const struct lk_system *sys = mechanics->system;

    if (!kkt)
        return -ENOMEM;
    *kkt = (struct lk_kkt){
        .mechanics = mechanics, .n = mechanics->n_velocities, .m = mechanics->n_rows};
    if (take_memory(kkt) != 0) {
        lk_kkt_free(kkt);
        return -ENOMEM;
    }
    for (int b = 0; b < mechanics->n_bodies; b++) {
        if (factor_body(&sys->body[b], kkt->root + ROOT * b) == 0)
            continue;
        lk_error_set(ret_error,
                     "body '%s' has no mass, or no inertia about some axis, expected some in "
                     "absolute coordinates, or formulation rattle or recursive",
                     lk_system_body_name(sys, b));
        lk_kkt_free(kkt);
        return LK_E_MODEL;
    }
    *ret = kkt;
    return 0;
}

void lk_kkt_free(struct lk_kkt *kkt)
{
    if (!kkt)
        return;
    free(kkt->G);
    free(kkt->H);
    free(kkt->Y);
    free(kkt->root);
    free(kkt->length);
    free(kkt->tau_q);
    free(kkt->tau_z);
    free(kkt->x);
    free(kkt->w);
    free(kkt->u);
    free(kkt->c);
    free(kkt->pivot);
    free(kkt->swaps);
    free(kkt);
}

/* ---- factor ---- */

/* Compute the scaled rows H, row-major, which LAPACK reads as the column-major H^T. */
static int scale_rows(struct lk_kkt *kkt)
{
    for (int r = 0; r < kkt->m; r++) {
        double *row = kkt->H + area(r, kkt->n), sum = 0;

        down(kkt, kkt->G + area(r, kkt->n), row);
        for (int i = 0; i < kkt->n; i++)
            sum += row[i] * row[i];
        if (!isfinite(sum))
            return LK_E_NOT_FINITE;
        kkt->length[r] = sum > 0 ? sqrt(sum) : 1;
        for (int i = 0; i < kkt->n; i++)
            row[i] /= kkt->length[r];
    }
    return 0;
}

/* Return the rank: the number of pivots above DEPENDENT. */
static int find_rank(const struct lk_kkt *kkt)
{
    int most = kkt->m < kkt->n ? kkt->m : kkt->n, rank = 0;

    while (rank < most && fabs(kkt->H[area(rank, kkt->n + 1)]) > DEPENDENT)
        rank++;
    return rank;
}

int lk_kkt_factor(struct lk_kkt *kkt)
{
    int n = kkt->n, m = kkt->m, r;

    kkt->rank = 0;
    if (m == 0)
        return 0;
    lk_mechanics_jacobian(kkt->mechanics, kkt->G);
    r = scale_rows(kkt);
    if (r != 0)
        return r;
    memset(kkt->pivot, 0, area(m, 1) * sizeof(int));
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, m, kkt->H, n, kkt->pivot, kkt->tau_q) != 0)
        return LK_E_NOT_FINITE;
    kkt->rank = find_rank(kkt);
    if (kkt->rank > 0 && kkt->rank < m)
        LAPACKE_dtzrzf(LAPACK_COL_MAJOR, kkt->rank, m, kkt->H, n, kkt->tau_z);
    return 0;
}

/* ---- the factors of H^T P = Q [T 0] Z ---- */

static void apply_q(const struct lk_kkt *kkt, char trans, double *x)
{
    int k = kkt->n < kkt->m ? kkt->n : kkt->m;

    LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', trans, kkt->n, 1, k, kkt->H, kkt->n, kkt->tau_q, x,
                   kkt->n);
}

static void apply_z(const struct lk_kkt *kkt, char trans, double *u)
{
    if (kkt->rank < kkt->m)
        LAPACKE_dormrz(LAPACK_COL_MAJOR, 'L', trans, kkt->m, 1, kkt->rank, kkt->m - kkt->rank,
                       kkt->H, kkt->n, kkt->tau_z, u, kkt->m);
}

static void solve_t(const struct lk_kkt *kkt, char trans, double *x)
{
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', trans, 'N', kkt->rank, 1, kkt->H, kkt->n, x, kkt->n);
}

/* Compute the first rank entries of Q^T x, which G a = c determines, into kkt->u. */
static void prescribe_entries(struct lk_kkt *kkt, const double *c)
{
    for (int i = 0; i < kkt->m; i++) {
        int r = kkt->pivot[i] - 1;

        kkt->u[i] = c[r] / kkt->length[r];
    }
    apply_z(kkt, 'N', kkt->u);
    solve_t(kkt, 'T', kkt->u);
}

/* Compute lambda = D^-1 P Z^T [s; 0], where s are the first rank numbers of kkt->u. */
static void find_multipliers(struct lk_kkt *kkt, double *ret)
{
    for (int i = kkt->rank; i < kkt->m; i++)
        kkt->u[i] = 0;
    apply_z(kkt, 'T', kkt->u);
    for (int i = 0; i < kkt->m; i++) {
        int r = kkt->pivot[i] - 1;

        ret[r] = kkt->u[i] / kkt->length[r];
    }
}

/* ---- solve ---- */

static void start_free(struct lk_kkt *kkt, const double *force)
{
    if (force)
        down(kkt, force, kkt->x);
    else
        memset(kkt->x, 0, area(kkt->n, 1) * sizeof(double));
}

void lk_kkt_solve(struct lk_kkt *kkt, const double *force, const double *c, double *ret_a,
                  double *ret_lambda)
{
    start_free(kkt, force);
    if (kkt->rank == 0) {
        up(kkt, kkt->x, ret_a);
        for (int i = 0; i < kkt->m && ret_lambda; i++)
            ret_lambda[i] = 0;
        return;
    }
    prescribe_entries(kkt, c);
    apply_q(kkt, 'T', kkt->x);
    for (int i = 0; i < kkt->rank; i++) {
        double y = kkt->u[i];

        kkt->u[i] = kkt->x[i] - y;
        kkt->x[i] = y;
    }
    apply_q(kkt, 'N', kkt->x);
    up(kkt, kkt->x, ret_a);
    if (!ret_lambda)
        return;
    solve_t(kkt, 'N', kkt->u);
    find_multipliers(kkt, ret_lambda);
}

void lk_kkt_basis(struct lk_kkt *kkt, double *ret)
{
    for (int k = 0; k < kkt->rank; k++) {
        for (int i = 0; i < kkt->rank; i++)
            kkt->u[i] = i == k;
        find_multipliers(kkt, ret + area(k, kkt->m));
    }
}

/* Add @factor @before^T @lambda to @sum. */
static void add_transpose(const struct lk_kkt *kkt, const double *before, const double *lambda,
                          double factor, double *sum)
{
    for (int r = 0; r < kkt->m; r++)
        for (int i = 0; i < kkt->n; i++)
            sum[i] += factor * lambda[r] * before[area(r, kkt->n) + (size_t)i];
}

/* Compute K = Q_1^T M^-1/2 before^T B^T in the first rank rows of Y. K equals T if both poses are
 * the same. */
static void between_matrix(struct lk_kkt *kkt, const double *before)
{
    int n = kkt->n, m = kkt->m, r = kkt->rank;

    for (int i = 0; i < m; i++) {
        int row = kkt->pivot[i] - 1;
        double *column = kkt->Y + area(i, n);

        down(kkt, before + area(row, n), column);
        for (int k = 0; k < n; k++)
            column[k] /= kkt->length[row];
    }
    if (r < m)
        LAPACKE_dormrz(LAPACK_COL_MAJOR, 'R', 'T', n, m, r, m - r, kkt->H, n, kkt->tau_z, kkt->Y,
                       n);
    LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', n, r, n < m ? n : m, kkt->H, n, kkt->tau_q, kkt->Y,
                   n);
}

int lk_kkt_solve_between(struct lk_kkt *kkt, const double *before, const double *force,
                         const double *c, double *ret_a, double *ret_lambda)
{
    int r = kkt->rank;

    if (r == 0) {
        lk_kkt_solve(kkt, force, c, ret_a, ret_lambda);
        return 0;
    }
    between_matrix(kkt, before);
    prescribe_entries(kkt, c);
    start_free(kkt, force);
    apply_q(kkt, 'T', kkt->x);
    for (int i = 0; i < r; i++)
        kkt->u[i] = kkt->x[i] - kkt->u[i];
    if (LAPACKE_dgesv(LAPACK_COL_MAJOR, r, 1, kkt->Y, kkt->n, kkt->swaps, kkt->u, kkt->m) != 0)
        return LK_E_SINGULAR;
    find_multipliers(kkt, ret_lambda);
    memcpy(kkt->w, force, area(kkt->n, 1) * sizeof(double));
    add_transpose(kkt, before, ret_lambda, -1, kkt->w);
    lk_kkt_weight(kkt, kkt->w, ret_a);
    return 0;
}
