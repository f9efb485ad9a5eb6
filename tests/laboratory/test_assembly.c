/* SPDX-License-Identifier: Apache-2.0 */
/* The linear algebra of dca and hdca: small factors of any rank, and their results in assembly and
 * disassembly, compared with dense products. */
#include "../cmocka_all.h"
#include "../physics/trajectory.h"
#include "maths/vec.h"
#include "methods/relative/assembly.h"
#include "methods/relative/pseudo_inverse.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N        9
#define ROWS_MAX 100

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* ---- factors ---- */

/** struct factor - and its memory. */
struct factor {
    struct lk_pseudo_inverse inverse;
    double numbers[3 * N * N + 3 * N];
    int counts[2 * N];
};

/* K = S^-1 A A^T S^-1 of @rank, rows of very different scale; @ret_diagonal: S^-2 */
static void make_matrix(int rank, unsigned *seed, double K[N * N], double *ret_diagonal)
{
    double A[N][N], size[N];

    for (int i = 0; i < N; i++) {
        size[i] = pow(10, 3 * noise(seed));
        ret_diagonal[i] = size[i] * size[i];
        for (int k = 0; k < rank; k++)
            A[i][k] = noise(seed);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K[N * i + j] = 0;
            for (int k = 0; k < rank; k++)
                K[N * i + j] += size[i] * size[j] * A[i][k] * A[j][k];
        }
}

static void multiply(const double A[N * N], const double B[N * N], double ret[N * N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            ret[N * i + j] = 0;
            for (int k = 0; k < N; k++)
                ret[N * i + j] += A[N * i + k] * B[N * k + j];
        }
}

static void are_equal(const double *a, const double *b, double bound)
{
    double size = 0;

    for (int i = 0; i < N * N; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < N * N; i++)
        assert_true(fabs(a[i] - b[i]) <= bound * size);
}

static void are_symmetric(const double *a)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            assert_true(fabs(a[N * i + j] - a[N * j + i]) < 1e-9);
}

/* the four Penrose conditions on G = K^+, in scaled rows */
static void is_pseudo_inverse(int rank, unsigned *seed)
{
    double K[N * N], G[N * N] = {0}, KG[N * N], GK[N * N], three[N * N], diagonal[N];
    struct factor f;

    make_matrix(rank, seed, K, diagonal);
    lk_pseudo_inverse_init(&f.inverse, N, 1, f.numbers, f.counts);
    assert_int_equal(lk_pseudo_inverse_factor(&f.inverse, K, N, diagonal), 0);
    for (int j = 0; j < N; j++) {
        G[N * j + j] = 1;
        lk_pseudo_inverse_solve(&f.inverse, G + j, N);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double scale = sqrt(diagonal[i] * diagonal[j]);

            K[N * i + j] /= scale;
            G[N * i + j] *= scale;
        }
    multiply(K, G, KG);
    multiply(G, K, GK);
    are_symmetric(KG);
    are_symmetric(GK);
    multiply(KG, K, three);
    are_equal(three, K, 1e-10);
    multiply(GK, G, three);
    are_equal(three, G, 1e-9);
}

static void test_pseudo_inverse(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int rank = 1; rank <= N; rank++)
        for (int round = 0; round < 10; round++)
            is_pseudo_inverse(rank, &seed);
}

/* a joint whose rows all repeat others leaves only round-off, and carries no load */
static void test_nothing_left(void **state)
{
    double K[N * N], diagonal[N], x[N];
    unsigned seed = 3;
    struct factor f;

    (void)state;
    make_matrix(N, &seed, K, diagonal);
    for (int i = 0; i < N * N; i++)
        K[i] *= 1e-16;
    lk_pseudo_inverse_init(&f.inverse, N, 1, f.numbers, f.counts);
    assert_int_equal(lk_pseudo_inverse_factor(&f.inverse, K, N, diagonal), 0);
    for (int i = 0; i < N; i++)
        x[i] = noise(&seed);
    lk_pseudo_inverse_solve(&f.inverse, x, 1);
    for (int i = 0; i < N; i++)
        assert_true(x[i] == 0);
}

/* pivots below LK_PSEUDO_INVERSE_CUT relative to the rest count as zero, larger ones are used */
static void test_cut(void **state)
{
    double K[N * N] = {0}, diagonal[N], x[N];
    struct factor f;

    (void)state;
    for (int i = 0; i < N; i++)
        diagonal[i] = K[(N + 1) * i] = x[i] = 1;
    K[(N + 1) * 2] = 0.5 * LK_PSEUDO_INVERSE_CUT;
    K[(N + 1) * 5] = 2 * LK_PSEUDO_INVERSE_CUT;
    lk_pseudo_inverse_init(&f.inverse, N, 1, f.numbers, f.counts);
    assert_int_equal(lk_pseudo_inverse_factor(&f.inverse, K, N, diagonal), 0);
    lk_pseudo_inverse_solve(&f.inverse, x, 1);
    for (int i = 0; i < N; i++)
        assert_true(fabs(x[i] * K[(N + 1) * i] - (i == 2 ? 0 : 1)) < 1e-14);
}

/* where rows cannot be dependent, dependent rows are an error */
static void test_singular(void **state)
{
    double K[N * N] = {0}, diagonal[N];
    struct factor f;

    (void)state;
    for (int i = 0; i < N; i++)
        diagonal[i] = K[(N + 1) * i] = 1;
    lk_pseudo_inverse_init(&f.inverse, N, 0, f.numbers, f.counts);
    assert_int_equal(lk_pseudo_inverse_factor(&f.inverse, K, N, diagonal), 0);
    K[(N + 1) * 4] = -1e-3;
    assert_int_equal(lk_pseudo_inverse_factor(&f.inverse, K, N, diagonal), LK_E_SINGULAR);
}

/* ---- assembly ---- */

/* @ret = Phi_q W Phi_q^T y, dense; @ret_force: Phi_q^T y */
static void dense(struct lk_mechanics *m, const double *J, const double *y, double *ret,
                  double *ret_force)
{
    int n = m->n_velocities;

    for (int i = 0; i < n; i++) {
        ret_force[i] = 0;
        for (int r = 0; r < m->n_rows; r++)
            ret_force[i] += J[r * n + i] * y[r];
    }
    memset(ret, 0, (size_t)m->n_rows * sizeof(*ret));
    for (int b = 0; b < m->n_bodies; b++) {
        const struct lk_inverse_mass *W = &m->system->W[b];
        double turn[3];

        lk_sym_mul(W->inertia, ret_force + 6 * b + 3, turn);
        for (int r = 0; r < m->n_rows; r++)
            for (int i = 0; i < 3; i++)
                ret[r] += J[r * n + 6 * b + i] * W->mass * ret_force[6 * b + i] +
                          J[r * n + 6 * b + 3 + i] * turn[i];
    }
}

/* forces agree; multipliers of redundant rows need not */
static void solves(const char *name)
{
    char path[128];
    double y[ROWS_MAX], x[ROWS_MAX], again[ROWS_MAX], force[ROWS_MAX], found[ROWS_MAX], *J;
    struct lk_assembly *assembly = NULL;
    struct lk_mechanics *m = NULL;
    struct lk_model *model;
    struct lk_error error;
    unsigned seed = 11;

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    model = trajectory_model(path, NULL);
    assert_int_equal(lk_mechanics_new(model, 0, &m, &error), 0);
    assert_true(m->n_rows <= ROWS_MAX && m->n_velocities <= ROWS_MAX);
    J = calloc((size_t)(m->n_rows * m->n_velocities), sizeof(*J));
    assert_non_null(J);
    lk_mechanics_evaluate(m, 0);
    lk_mechanics_jacobian(m, J);
    assert_int_equal(lk_assembly_new(m, &assembly), 0);
    assert_int_equal(lk_assembly_factor(assembly), 0);
    for (int r = 0; r < m->n_rows; r++)
        y[r] = noise(&seed);
    dense(m, J, y, x, force);
    lk_assembly_solve(assembly, x);
    dense(m, J, x, again, found);
    for (int i = 0; i < m->n_velocities; i++)
        assert_true(fabs(found[i] - force[i]) < 1e-9);
    free(J);
    lk_assembly_free(assembly);
    lk_mechanics_free(m);
    lk_model_free(model);
}

static void test_assembly(void **state)
{
    static const char *const models[] = {"chain-8",  "four-bar",        "ladder-2",
                                         "strut",    "slider-crank-3d", "closed-loop-eight",
                                         "pendulum", "free-body",       "double-closed-loop-eight"};

    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
        solves(models[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pseudo_inverse),
        cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_assembly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
