/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `recursive` with bodies that all have mass: references, the equations of motion
 * computed in other ways, the work; and its small dense matrices. test_massless.c has bodies
 * without mass. */
#include "../cmocka_all.h"
#include "../physics/reference_cases.h"
#include "methods/formulations/recursive.h"
#include "methods/registry.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE_MAX_Y 2000

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g, expected %.17g within %g", value, expected, tolerance);
}

/* ---- references, through the daemon's fixed step ---- */

static void errors_of(const char *name, const char *formulation, double h, double end,
                      struct trajectory *ret)
{
    struct reference_case c = *reference_case(name);
    const char *replace[REPLACE_MAX + 1];
    char to[80];
    int n = 0;

    for (; c.replace && c.replace[n]; n++)
        replace[n] = c.replace[n];
    snprintf(to, sizeof(to), "solver: {formulation: '%s', ", formulation);
    replace[n] = "solver: {";
    replace[n + 1] = to;
    replace[n + 2] = NULL;
    c.replace = replace;
    c.begin = 0.01; /* the start is not from the formulation: 4e-8 N error with the slender crank */
    c.end = end;
    trajectory_run(&c, h, 0, ret);
}

/* order 4: halving the step divides the error by 16 */
static void check_order(const char *name, const char *formulation, double h, double end)
{
    struct trajectory coarse, fine;

    errors_of(name, formulation, h, end, &coarse);
    errors_of(name, formulation, h / 2, end, &fine);
    for (int q = POSITION; q <= REACTION; q++) {
        double ratio = coarse.error[q] / fine.error[q];

        if (isnan(ratio))
            continue; /* the reference lacks it */
        if (!(ratio > 11 && ratio < 27) || !(coarse.error[q] < 2e-3))
            fail_msg("%s, %s, h = %g: error %g of quantity %d falls by %g", name, formulation, h,
                     coarse.error[q], q, ratio);
    }
}

static void test_trees(void **state)
{
    (void)state;
    check_order("pendulum", "recursive", 0.01, 2);
    check_order("double-pendulum", "recursive", 0.01, 2);
    check_order("double-pendulum", "recursive:full-rank", 0.01, 2);
    check_order("heavy-top", "recursive", 0.005, 1);
    check_order("free-body", "recursive", 0.01, 5);
    check_order("chain-8", "recursive", 0.01, 2);
}

static void test_long_chain(void **state)
{
    struct trajectory coarse, fine;

    (void)state;
    errors_of("chain-128", "recursive", 0.01, 1, &coarse);
    errors_of("chain-128", "recursive", 0.005, 1, &fine);
    assert_true(coarse.error[POSITION] < 1e-5);
    assert_true(coarse.error[POSITION] / fine.error[POSITION] > 11);
    assert_true(fine.violation[0] < 1e-12); /* joint coordinates satisfy the joints exactly */
}

static void test_loops(void **state)
{
    (void)state;
    check_order("closed-loop-four", "recursive", 0.01, 2);
    check_order("closed-loop-four", "recursive:projected", 0.01, 2);
    check_order("strut", "recursive", 0.01, 2);
    check_order("slider-crank-3d", "recursive", 0.001, 0.5);
    check_order("slider-crank-slender", "recursive", 0.001, 0.5);
    check_order("ladder-2", "recursive:projected", 0.01, 2);
}

/* rows drift without projection; with it they hold to round-off, redundant ones too */
static void test_projection(void **state)
{
    struct trajectory drifting, projected;

    (void)state;
    errors_of("closed-loop-four", "recursive", 0.01, 5, &drifting);
    errors_of("closed-loop-four", "recursive:projected", 0.01, 5, &projected);
    assert_true(drifting.violation[0] > 1e-8);
    assert_true(projected.violation[0] < 1e-13 && projected.violation[1] < 1e-13);
    errors_of("four-bar", "recursive:projected", 0.01, 10, &projected);
    assert_true(projected.violation[0] < 1e-13 && projected.violation[1] < 1e-13);
    assert_true(projected.error[POSITION] < 1e-6);
}

/* ---- one evaluation compared with other ways ---- */

struct bench {
    struct lk_mechanics *mechanics;
    void *self;
    int n;
    double y[SIZE_MAX_Y];
};

static void set_up(struct lk_model *model, struct bench *b)
{
    const struct lk_equations_options options = {.variant = ""};
    struct lk_error error;

    if (lk_mechanics_new(model, 0, &b->mechanics, &error) != 0 ||
        lk_equations_recursive.open(b->mechanics, &options, &b->self, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    b->n = lk_equations_recursive.size(b->self);
    assert_in_range(b->n, 1, SIZE_MAX_Y);
    lk_equations_recursive.read(b->self, b->y);
}

static void tear_down(struct bench *b)
{
    lk_equations_recursive.close(b->self);
    lk_mechanics_free(b->mechanics);
}

/* any state near the start, settled: unit quaternions, balanced forces on bodies without mass */
static void scatter(struct bench *b, unsigned seed)
{
    lk_equations_recursive.read(b->self, b->y);
    for (int i = 0; i < b->n; i++)
        b->y[i] += 0.3 * noise(&seed);
    for (int k = 0; k < 6; k++) /* lengths converge quadratically */
        assert_int_equal(lk_equations_recursive.settle(b->self, 0.1, b->y), 0);
}

static const char *const trees[] = {
    "pendulum",  "double-pendulum",       "heavy-top",        "chain-8",
    "free-body", "small-mass-oscillator", "small-mass-chain", "small-mass-chain-guided"};

static struct lk_model *shipped(const char *name)
{
    char path[100];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    return trajectory_model(path, NULL);
}

static void test_residual(void **state)
{
    static struct bench b;
    static double rate[SIZE_MAX_Y], left[SIZE_MAX_Y];

    (void)state;
    for (size_t m = 0; m < sizeof(trees) / sizeof(*trees); m++) {
        set_up(shipped(trees[m]), &b);
        for (unsigned seed = 1; seed <= 5; seed++) {
            double size = 1;

            scatter(&b, seed);
            assert_int_equal(lk_equations_recursive.rate(b.self, 0.1, b.y, rate), 0);
            for (int i = 0; i < b.n; i++)
                size = fmax(size, fabs(rate[i]));
            assert_int_equal(lk_equations_recursive.residual(b.self, 0.1, b.y, rate, left), 0);
            for (int i = 0; i < b.n; i++)
                if (!(fabs(left[i]) < 1e-12 * size))
                    fail_msg("%s: residual %d is %g, rates up to %g", trees[m], i, left[i], size);
            rate[b.n - 1] += 1;
            lk_equations_recursive.residual(b.self, 0.1, b.y, rate, left);
            assert_true(fabs(left[b.n - 1]) > 1e-4 || strstr(trees[m], "oscillator"));
        }
        tear_down(&b);
    }
}

/* M a + Phi_q^T lambda = Q with the accelerations and multipliers of write() and lambda() */
static void test_balance_of_every_body(void **state)
{
    static const char *const names[] = {"double-pendulum",  "heavy-top", "chain-8",        "strut",
                                        "closed-loop-four", "four-bar",  "slider-crank-3d"};
    static struct bench b;
    static struct lk_twist force[200];
    static double lambda[1000];

    (void)state;
    for (size_t m = 0; m < sizeof(names) / sizeof(*names); m++) {
        struct lk_mechanics_block block;

        set_up(shipped(names[m]), &b);
        if (m < 3)
            scatter(&b, 7);
        assert_int_equal(lk_equations_recursive.write(b.self, 0, b.y), 0);
        lk_equations_recursive.lambda(b.self, lambda);
        lk_mechanics_forces(b.mechanics, force);
        for (int i = 0; i < b.mechanics->n_blocks; i++) {
            lk_mechanics_read_block(b.mechanics, i, &block);
            for (int s = 0; s < block.n_sides; s++)
                for (int r = 0; r < block.n_rows; r++)
                    for (int k = 0; k < 3; k++) {
                        double l = lambda[block.first_row + r];

                        force[block.body[s]].v[k] -= l * block.J[s][r][k];
                        force[block.body[s]].w[k] -= l * block.J[s][r][3 + k];
                    }
        }
        for (int k = 0; k < b.mechanics->n_bodies; k++) {
            const struct lk_twist *a = &lk_mechanics_motion(b.mechanics)[k].a;
            const struct lk_body *body = &b.mechanics->system->body[k];
            double torque[3];

            lk_sym_mul(body->inertia, a->w, torque);
            for (int i = 0; i < 3; i++) {
                assert_near(force[k].v[i], body->mass * a->v[i], 1e-9);
                assert_near(force[k].w[i], torque[i], 1e-9);
            }
        }
        tear_down(&b);
    }
}

/* ---- work: three sweeps, so time is linear in the number of bodies ---- */

/* a chain of @n sliding blocks, every other one without mass, or of hinged links */
static struct lk_model *chain_of(int n, int is_light)
{
    struct lk_model *model = NULL;
    struct lk_error error;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fprintf(f, "linkage: 1\nname: chain\nbodies:\n");
    for (int i = 1; i <= n; i++) {
        int mass = is_light ? i % 2 == 0 : 1;

        fprintf(f, "  b%d: {mass: %d, inertia: [%d, %d, %d], position: [%d, 0, 0]}\n", i, mass,
                mass, mass, mass, i);
    }
    fprintf(f, "joints:\n");
    for (int i = 1; i <= n; i++) {
        char before[16] = "ground";

        if (i > 1)
            snprintf(before, sizeof(before), "b%d", i - 1);
        fprintf(f, "  j%d: {type: %s, bodies: [%s, b%d], point: [%d.5, 0, 0], axis: [%d, 0, %d]}\n",
                i, is_light ? "prismatic" : "revolute", before, i, i - 1, is_light, !is_light);
    }
    fprintf(f, "forces:\n");
    for (int i = 1; i <= n; i++)
        fprintf(f, "  f%d: {type: joint-spring-damper, joint: j%d, stiffness: 10, damping: 1}\n", i,
                i);
    fprintf(f, "solver: {formulation: ali3, step: 0.001}\n");
    assert_int_equal(fclose(f), 0);
    if (lk_model_read_text("chain", text, size, &model, &error) != 0)
        fail_msg("%s", error.text);
    free(text);
    return model;
}

/* CPU time of one evaluation [s], the minimum of several */
static double time_of(int n, int is_light)
{
    static struct bench b;
    static double rate[SIZE_MAX_Y];
    double least = INFINITY;

    set_up(chain_of(n, is_light), &b);
    for (int k = 0; k < 12; k++) {
        struct timespec from, to;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int i = 0; i < 10; i++)
            lk_equations_recursive.rate(b.self, 0, b.y, rate);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        least = fmin(least, (double)(to.tv_sec - from.tv_sec) +
                                1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    tear_down(&b);
    return least / 10;
}

/* four times the bodies take four times as long, not sixteen */
static void test_work(void **state)
{
    (void)state;
    for (int is_light = 0; is_light < 2; is_light++) {
        double few = time_of(32, is_light), more = time_of(64, is_light);
        double many = time_of(128, is_light);

        printf("%s: %.3g us with 32 bodies, %.3g us with 64, %.3g us with 128\n",
               is_light ? "every other body without mass" : "links", 1e6 * few, 1e6 * more,
               1e6 * many);
        assert_true(many < 8 * few);
    }
}

/* ---- small dense matrices ---- */

static void random_semidefinite(int n, int rank, unsigned *seed, double A[6][6])
{
    double B[6][6];

    for (int i = 0; i < n; i++)
        for (int k = 0; k < rank; k++)
            B[i][k] = noise(seed);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            A[i][k] = 0;
            for (int j = 0; j < rank; j++)
                A[i][k] += B[i][j] * B[k][j];
        }
}

static double product(int n, double A[6][6], double B[6][6], int i, int k)
{
    double sum = 0;

    for (int j = 0; j < n; j++)
        sum += A[i][j] * B[j][k];
    return sum;
}

/* with equal scales the four Moore-Penrose conditions, which make it unique */
static void test_pseudo_inverse(void **state)
{
    static const double one[6] = {1, 1, 1, 1, 1, 1};
    unsigned seed = 5;

    (void)state;
    for (int n = 1; n <= 6; n++)
        for (int rank = 0; rank <= n; rank++) {
            double A[6][6], P[6][6], null[6][6], AP[6][6], PA[6][6];

            random_semidefinite(n, rank, &seed, A);
            assert_int_equal(lk_small_pseudo_inverse(n, A, one, P, null), n - rank);
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++) {
                    AP[i][k] = product(n, A, P, i, k);
                    PA[i][k] = product(n, P, A, i, k);
                }
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++) {
                    assert_near(product(n, AP, A, i, k), A[i][k], 1e-9);
                    assert_near(AP[i][k], AP[k][i], 1e-9);
                    assert_near(PA[i][k], PA[k][i], 1e-9);
                }
            for (int z = 0; z < n - rank; z++)
                for (int i = 0; i < n; i++) {
                    double sum = 0;

                    for (int k = 0; k < n; k++)
                        sum += A[i][k] * null[z][k];
                    assert_near(sum, 0, 1e-12);
                }
        }
}

static void test_semidefinite_solve(void **state)
{
    unsigned seed = 9;

    (void)state;
    for (int rank = 1; rank <= 6; rank++) {
        double A[6][6], F[36], x[6], b[6] = {0}, scale[6];
        int order[6];

        random_semidefinite(6, rank, &seed, A);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++) {
                F[6 * i + k] = A[i][k];
                b[i] += A[i][k] * (k + 1);
            }
        for (int i = 0; i < 6; i++)
            scale[i] = 1;
        memcpy(x, b, sizeof(x));
        lk_semidefinite_solve(6, F, scale, order, x);
        for (int i = 0; i < 6; i++) {
            double sum = 0;

            for (int k = 0; k < 6; k++)
                sum += A[i][k] * x[k];
            assert_near(sum, b[i], 1e-8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_balance_of_every_body),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_pseudo_inverse),
        cmocka_unit_test(test_semidefinite_solve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
