/* SPDX-License-Identifier: Apache-2.0 */
/* Complementarity problem of unilateral contacts. Solutions are checked against its conditions, and
 * on piles, where sweeps alone would converge slowly. */
#include "cmocka_all.h"
#include "solve/complementarity.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define N_MAX 32

static uint64_t dice = 1;

/* Return a pseudo-random number, -1 to 1. */
static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)dice / 9.3e18;
}

/** struct contacts - a complementarity problem and its solution @x */
struct contacts {
    int n;
    double A[N_MAX * N_MAX];
    double b[N_MAX];
    double lower[N_MAX];
    double upper[N_MAX];
    double x[N_MAX];
};

/* Return the largest violation of any of the conditions. */
static double violation_of(const struct contacts *c)
{
    double largest = 0;

    for (int i = 0; i < c->n; i++) {
        double d = c->b[i], past;

        for (int k = 0; k < c->n; k++)
            d -= c->A[i * c->n + k] * c->x[k];
        past = c->x[i] > 0   ? fabs(d - c->upper[i])
               : c->x[i] < 0 ? fabs(d - c->lower[i])
                             : fmax(fmax(d - c->upper[i], c->lower[i] - d), 0);
        largest = fmax(largest, past);
    }
    return largest;
}

/* Return the objective x A x / 2 - b x + sum(max(lower x, upper x)), which the solution
 * minimises. */
static double sum_of(const struct contacts *c)
{
    double sum = 0;

    for (int i = 0; i < c->n; i++) {
        sum -= c->b[i] * c->x[i];
        sum += c->x[i] > 0 ? c->upper[i] * c->x[i] : c->x[i] < 0 ? c->lower[i] * c->x[i] : 0;
        for (int k = 0; k < c->n; k++)
            sum += 0.5 * c->x[i] * c->A[i * c->n + k] * c->x[k];
    }
    return sum;
}

/* Make a random problem: A = B B^T of rank @rank plus 1e-3 on the diagonal; some limits are
 * infinite. */
static void make_random(struct contacts *c, int n, int rank)
{
    double B[N_MAX * N_MAX];

    c->n = n;
    for (int i = 0; i < n * rank; i++)
        B[i] = draw();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            c->A[i * n + k] = i == k ? 1e-3 : 0;
            for (int m = 0; m < rank; m++)
                c->A[i * n + k] += B[i * rank + m] * B[k * rank + m];
        }
    for (int i = 0; i < n; i++) {
        c->b[i] = draw();
        c->upper[i] = draw() > 0.3 ? (double)INFINITY : 0.2 * fabs(draw());
        c->lower[i] = draw() > 0.3 ? -(double)INFINITY : -0.2 * fabs(draw());
        c->x[i] = draw();
    }
}

static void solve(struct contacts *c)
{
    double scratch[N_MAX * (N_MAX + 5)];

    lk_complementarity_solve(c->n, c->A, c->b, c->lower, c->upper, c->x, scratch);
}

/* Few contacts, also more contacts than directions (rank). The objective is at most 0, its value
 * without any push. */
static void random_contacts_are_solved(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct contacts c;

        make_random(&c, 1 + i % 12, 1 + i % 7);
        solve(&c);
        assert_true(sum_of(&c) <= 0);
        assert_true(violation_of(&c) < 1e-9);
    }
}

/* A falling pile of masses of 1 kg: only the lowest contact hits, but all contacts must push. */
static void a_pile_is_held(void **state)
{
    struct contacts c = {.n = N_MAX};

    (void)state;
    for (int i = 0; i < c.n; i++) {
        c.A[i * c.n + i] = i == 0 ? 1 : 2;
        if (i > 0)
            c.A[i * c.n + i - 1] = c.A[(i - 1) * c.n + i] = -1;
        c.b[i] = i == 0 ? 1 : 0;
        c.upper[i] = 0;
        c.lower[i] = -(double)INFINITY;
    }
    solve(&c);
    assert_true(violation_of(&c) < 1e-12);
    for (int i = 0; i < c.n; i++)
        assert_true(fabs(c.x[i] - (c.n - i)) < 1e-9);
}

static void none_pushes_within_the_limits(void **state)
{
    struct contacts c;

    (void)state;
    make_random(&c, 6, 6);
    for (int i = 0; i < 6; i++) {
        c.b[i] *= 0.1;
        c.lower[i] = -0.1;
        c.upper[i] = 0.1;
    }
    solve(&c);
    for (int i = 0; i < 6; i++)
        assert_true(c.x[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_contacts_are_solved),
        cmocka_unit_test(a_pile_is_held),
        cmocka_unit_test(none_pushes_within_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
