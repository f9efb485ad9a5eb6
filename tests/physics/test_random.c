/* SPDX-License-Identifier: Apache-2.0 */
/* The step over the tree compared with the step with full matrices, on random mechanisms.
 *
 *     test_random [FIRST LAST]     seeds; by default a thousand
 *
 * Both start each step from the same state, so a difference is that of one step. Its bound:
 * Violations are known up to the round-off of positions, u X with u = 2e-16 and X the size of the
 * mechanism. In a direction where s Phi_q W Phi_q^T has the value d, the solution amplifies noise n
 * to a motion of sqrt(d) n / (d + E), at most n / (2 sqrt E), and E is 2e-8 of the diagonal: up to
 * 3500 n in a position, 2/h and 4/h^2 times that in velocities and accelerations, less what the
 * projections remove. A multiplier alone, unlike its force, is only determined by E in redundant
 * directions and amplifies to n / E. And if the step is too long for a mechanism, the iterations
 * amplify any error. No formula covers all of this; so the dense step measures its own sensitivity:
 * it is repeated from poses perturbed by u X and with violations perturbed by u X, at random. NOISE
 * times the resulting difference is allowed between tree and dense step: a step rounds about as
 * many times as rows occur in a violation, and TRIALS draws may all miss the worst direction. In
 * addition 1e-9 of the largest value of its kind. */
#include "cmocka_all.h"
#include "dense_step.h"
#include "mechanism.h"
#include "sanitized.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATIVE 1e-9
#define REST     1e-3 /* [m, m/s ...]: smaller motion is round-off */
#define NOISE    30
#define TRIALS   3
#define STEPS    4

enum kind { POSITION, VELOCITY, ACCELERATION, FORCE, MULTIPLIER, KINDS };
static const char *const kind_names[] = {"position", "velocity", "acceleration", "force",
                                         "multiplier"};

/* worst of all mechanisms, relative to the allowed difference */
static double worst[KINDS];
static long worst_seed[KINDS];

/** struct result - state after a step, six numbers a body; forces are Phi_q^T lambda. */
struct result {
    double *value[KINDS];
    int n[KINDS];
};

static double *values(struct result *r, enum kind kind, int n)
{
    r->n[kind] = n;
    r->value[kind] = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(r->value[kind]);
    return r->value[kind];
}

static struct result make_result(const struct dense *d)
{
    struct result r;

    values(&r, POSITION, 7 * d->n / 6);
    values(&r, VELOCITY, d->n);
    values(&r, ACCELERATION, d->n);
    values(&r, FORCE, d->n);
    values(&r, MULTIPLIER, d->m);
    return r;
}

static void free_result(struct result *r)
{
    for (int k = 0; k < KINDS; k++)
        free(r->value[k]);
}

static struct result result_of_dense(const struct dense *d)
{
    struct result r = make_result(d);

    memcpy(r.value[POSITION], d->x, (size_t)d->n / 2 * sizeof(double));
    memcpy(r.value[POSITION] + d->n / 2, d->q, (size_t)d->n / 6 * 4 * sizeof(double));
    memcpy(r.value[VELOCITY], d->v, (size_t)d->n * sizeof(double));
    memcpy(r.value[ACCELERATION], d->a, (size_t)d->n * sizeof(double));
    memcpy(r.value[MULTIPLIER], d->lambda, (size_t)d->m * sizeof(double));
    dense_transpose(d, d->lambda, r.value[FORCE]);
    return r;
}

static struct result result_of_tree(const struct lk_system *sys, const struct dense *d)
{
    struct result r = make_result(d);

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];

        memcpy(r.value[POSITION] + 3 * b, m->x, sizeof(m->x));
        memcpy(r.value[POSITION] + d->n / 2 + 4 * b, m->q, sizeof(m->q));
        memcpy(r.value[VELOCITY] + 6 * b, &m->v, sizeof(m->v));
        memcpy(r.value[ACCELERATION] + 6 * b, &m->a, sizeof(m->a));
    }
    memcpy(r.value[MULTIPLIER], sys->now.lambda, (size_t)d->m * sizeof(double));
    dense_transpose(d, sys->now.lambda, r.value[FORCE]);
    return r;
}

/* NaN counts as the largest difference */
static double largest_difference(const double *a, const double *b, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - (b ? b[i] : 0)) <= largest))
            largest = fabs(a[i] - (b ? b[i] : 0));
    return largest;
}

/* @tree, @dense: results of both;  @beside: the dense one perturbed by round-off, TRIALS times */
static void compare(const struct result *tree, const struct result *dense,
                    const struct result beside[TRIALS], const char *where, long seed)
{
    for (int k = 0; k < KINDS; k++) {
        int n = tree->n[k];
        double difference = largest_difference(tree->value[k], dense->value[k], n);
        double size = largest_difference(dense->value[k], NULL, n);
        double noise = 0, part;

        for (int t = 0; t < TRIALS; t++)
            noise = fmax(noise, NOISE * largest_difference(beside[t].value[k], dense->value[k], n));
        part = difference > 0 ? difference / (RELATIVE * fmax(size, REST) + noise) : 0;

        if (!(part <= worst[k])) {
            worst[k] = part;
            worst_seed[k] = seed;
        }
        if (!(part <= 1))
            fail_msg("%s: %s differs by %.2g, largest is %.2g, noise %.2g", where, kind_names[k],
                     difference, size, noise);
    }
}

/* largest coordinate of a body, at least a metre: joints are up to that far from their bodies */
static double size_of(const struct lk_system *sys)
{
    double size = 1;

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(sys->now.motion[b].x[i]));
    return size;
}

/* whether a hard stop was hit: the dense step does not implement the change of velocities by an
 * impact */
static int has_impact(const struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        if (sys->law[i].stop.is_impact)
            return 1;
    return 0;
}

/* Return: 0, or the code with which both steps refuse */
static int compare_step(struct lk_system *sys, struct dense *d, const double *inputs, long seed,
                        int step)
{
    struct result dense, beside[TRIALS], tree;
    char where[80];
    int r;

    snprintf(where, sizeof(where), "seed %ld, %d bodies, step %d", seed, sys->n_bodies, step);
    d->noise = DBL_EPSILON * size_of(sys);
    for (int t = 0; t < TRIALS; t++) {
        if (dense_step(d, inputs) == DENSE_INDEFINITE)
            fail_msg("%s: the dense matrix is not positive definite", where);
        beside[t] = result_of_dense(d);
    }
    d->noise = 0;
    r = dense_step(d, inputs);
    dense = result_of_dense(d);
    if (lk_system_step(sys, inputs) != r)
        fail_msg("%s: the dense step returns %d, the step over the tree does not", where, r);
    tree = result_of_tree(sys, d);
    if (r == 0)
        if (!has_impact(sys))
            compare(&tree, &dense, beside, where, seed);
    free_result(&dense);
    free_result(&tree);
    for (int t = 0; t < TRIALS; t++)
        free_result(&beside[t]);
    return r;
}

static void compare_mechanism(long seed, int n_bodies)
{
    struct mechanism *m = mechanism_make((uint64_t)seed, MECHANISM_MIXED, n_bodies);
    struct lk_system *sys = mechanism_compile(m);
    struct dice dice = {(uint64_t)seed};
    struct dense *d;
    double *inputs;

    assert_non_null(sys);
    d = dense_new(sys);
    inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    assert_non_null(inputs);
    for (int step = 0, r = 0; step < STEPS && r == 0; step++) {
        mechanism_inputs(m, &dice, inputs);
        r = compare_step(sys, d, inputs, seed, step);
    }
    free(inputs);
    dense_free(d);
    lk_system_free(sys);
    mechanism_free(m);
}

static long first_seed, last_seed = 1000;

/* mostly small ones, in which every combination of types and topologies occurs */
static void small_mechanisms(void **state)
{
    (void)state;
    for (long seed = first_seed; seed < last_seed; seed += THINNED) {
        struct dice dice = {(uint64_t)seed};

        compare_mechanism(seed, (int)dice_spread(&dice, 1, 24));
    }
}

/* deep trees with fronts of every shape */
static void large_mechanisms(void **state)
{
    static const int sizes[] = {40, 60, 60, 80, 100, 120, 200};

    (void)state;
    for (int i = 0; i < (int)(sizeof(sizes) / sizeof(sizes[0])) / THINNED + (THINNED > 1); i++)
        compare_mechanism(first_seed + i, sizes[i]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_mechanisms),
        cmocka_unit_test(large_mechanisms),
    };
    int r;

    if (argc == 3) {
        first_seed = atol(argv[1]);
        last_seed = atol(argv[2]);
    }
    r = cmocka_run_group_tests(tests, NULL, NULL);
    for (int k = 0; k < KINDS; k++)
        printf("%s: at most %.2g of what is allowed, seed %ld\n", kind_names[k], worst[k],
               worst_seed[k]);
    return r;
}
