/* SPDX-License-Identifier: Apache-2.0 */
/* The steps on the elimination tree, ali3 and rattle, compared with steps with full matrices, for
 * random mechanisms.
 *
 *     test_random [FIRST LAST]     seeds; by default a thousand for ali3, four hundred for rattle
 *
 * Both steps start from the same state, so a difference is that of one step. Its bound has the
 * following parts. Violations have the round-off of positions, u X with u = 2e-16 and X the size of
 * the mechanism. In a direction in which s Phi_q W Phi_q^T has the value d, the solution amplifies
 * noise n to a motion of sqrt(d) n / (d + E), at most n / (2 sqrt E), and E is 2e-8 of the
 * diagonal: up to 3500 n in a position, 2/h and 4/h^2 times this in velocities and accelerations,
 * less what the projections remove. A multiplier in a redundant direction, unlike its force, is
 * only determined by E and has the noise n / E. If the step is too long for a mechanism, the
 * iterations amplify any error. No formula includes all of this, so the dense step measures its own
 * sensitivity: it is repeated from poses and with violations that are randomly perturbed by u X.
 * NOISE times the resulting difference is allowed between tree and dense step, because a step
 * rounds about as many times as a violation has rows, and because TRIALS perturbations may all miss
 * the worst direction. In addition 1e-9 of the largest value of each kind is allowed. */
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

/** struct method - a step, and the equivalent step with full matrices
 * @worst:     largest difference of all mechanisms, relative to the allowed one, and its @seed
 * @last_seed: last seed of small mechanisms
 * @n_large:   number of large ones */
struct method {
    const char *formulation;
    int (*dense)(struct dense *, const double *inputs);
    long last_seed;
    int n_large;
    double worst[KINDS];
    long seed[KINDS];
};

/* Some of these mechanisms would get vector lanes on some processors; lanes are tested in
 * test_batches. */
static const char one_by_one[] = "none";

static struct method methods[] = {
    {.formulation = "ali3", .dense = dense_step, .last_seed = 1000, .n_large = 7},
    {.formulation = "rattle", .dense = dense_rattle_step, .last_seed = 400, .n_large = 4}};

/** struct result - the state after a step, six numbers per body; forces are Phi_q^T lambda */
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

/* Return the largest difference; a NaN counts as the largest. */
static double largest_difference(const double *a, const double *b, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - (b ? b[i] : 0)) <= largest))
            largest = fabs(a[i] - (b ? b[i] : 0));
    return largest;
}

/* Compare the results of both steps.
 * @tree, @dense: the results
 * @beside:       results of the dense step, perturbed by round-off TRIALS times */
static void compare(const struct result *tree, const struct result *dense,
                    const struct result beside[TRIALS], const char *where, struct method *method,
                    long seed)
{
    for (int k = 0; k < KINDS; k++) {
        int n = tree->n[k];
        double difference = largest_difference(tree->value[k], dense->value[k], n);
        double size = largest_difference(dense->value[k], NULL, n);
        double noise = 0, part;

        for (int t = 0; t < TRIALS; t++)
            noise = fmax(noise, NOISE * largest_difference(beside[t].value[k], dense->value[k], n));
        part = difference > 0 ? difference / (RELATIVE * fmax(size, REST) + noise) : 0;

        if (!(part <= method->worst[k])) {
            method->worst[k] = part;
            method->seed[k] = seed;
        }
        if (!(part <= 1))
            fail_msg("%s: %s differs by %.2g, largest is %.2g, noise %.2g", where, kind_names[k],
                     difference, size, noise);
    }
}

/* Return the largest coordinate of a body, at least 1 m, because joints may be that far from their
 * bodies. */
static double size_of(const struct lk_system *sys)
{
    double size = 1;

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(sys->now.motion[b].x[i]));
    return size;
}

/* Return 1 if a hard stop was hit: the dense step does not implement the change of velocities by an
 * impact. */
static int has_impact(const struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        if (sys->law[i].now->stop.is_impact)
            return 1;
    return 0;
}

/* Compare a step. Return 0, or the code with which both steps refuse. */
static int compare_step(struct lk_system *sys, struct dense *d, const double *inputs,
                        struct method *method, long seed, int step)
{
    struct result dense, beside[TRIALS], tree;
    char where[80];
    int r;

    snprintf(where, sizeof(where), "%s, seed %ld, %d bodies, step %d", method->formulation, seed,
             sys->n_bodies, step);
    d->noise = DBL_EPSILON * size_of(sys);
    for (int t = 0; t < TRIALS; t++) {
        if (method->dense(d, inputs) == DENSE_INDEFINITE)
            fail_msg("%s: the dense matrix is not positive definite", where);
        beside[t] = result_of_dense(d);
    }
    d->noise = 0;
    r = method->dense(d, inputs);
    dense = result_of_dense(d);
    if (lk_system_step(sys, inputs) != r)
        fail_msg("%s: the dense step returns %d, the step over the tree does not", where, r);
    tree = result_of_tree(sys, d);
    if (r == 0)
        if (!has_impact(sys))
            compare(&tree, &dense, beside, where, method, seed);
    free_result(&dense);
    free_result(&tree);
    for (int t = 0; t < TRIALS; t++)
        free_result(&beside[t]);
    return r;
}

static void compare_mechanism(struct method *method, long seed, int n_bodies)
{
    struct mechanism *m = mechanism_make((uint64_t)seed, MECHANISM_MIXED, n_bodies);
    struct lk_system *sys;
    struct dice dice = {(uint64_t)seed};
    struct dense *d;
    double *inputs;

    m->formulation = method->formulation;
    m->engine = one_by_one;
    m->all_rows = 1; /* the dense step has no planar reduction */
    if (method->dense == dense_rattle_step)
        m->is_soft = 0;
    sys = mechanism_compile(m);
    assert_non_null(sys);
    d = dense_new(sys);
    inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    assert_non_null(inputs);
    for (int step = 0, r = 0; step < STEPS && r == 0; step++) {
        mechanism_inputs(m, &dice, inputs);
        r = compare_step(sys, d, inputs, method, seed, step);
    }
    free(inputs);
    dense_free(d);
    lk_system_free(sys);
    mechanism_free(m);
}

static long first_seed;

/* Mostly small mechanisms, in which each combination of types and topologies occurs. */
static void small_mechanisms(void **state)
{
    struct method *method = *state;

    for (long seed = first_seed; seed < method->last_seed; seed += THINNED) {
        struct dice dice = {(uint64_t)seed};

        compare_mechanism(method, seed, (int)dice_spread(&dice, 1, 24));
    }
}

/* Deep trees with fronts of each shape. */
static void large_mechanisms(void **state)
{
    static const int sizes[] = {40, 60, 60, 80, 100, 120, 200};

    struct method *method = *state;

    for (int i = 0; i < method->n_large / THINNED + (THINNED > 1); i++)
        compare_mechanism(method, first_seed + i, sizes[i]);
}

/* Features that random mechanisms do not have: wheels and creep, geometric stiffness, discarded
 * iterates, dampers that move a light body. Each fifth of two hundred steps is compared. */
static void shipped_models(void **state)
{
    static const char *const paths[] = {
        "config/models/wheelset.yaml",
        "config/models/point-pendulum.yaml",
        "config/models/small-mass-chain.yaml",
        "config/models/four-bar.yaml",
        "tests/physics/machines/hoist.yaml",
        "tests/physics/machines/light-between.yaml",
        "tests/physics/machines/massless-nut.yaml",
        "tests/physics/machines/peaucellier.yaml",
        "tests/physics/machines/gimbal.yaml",
    };
    struct method *method = *state;

    for (int i = 0; i < (int)(sizeof(paths) / sizeof(paths[0])); i += THINNED) {
        struct lk_model *model = NULL;
        struct lk_system *sys = NULL;
        struct lk_error error;
        struct dense *d;
        double inputs[16] = {0};

        if (lk_model_read_file(paths[i], &model, &error) != 0)
            fail_msg("%s", error.text);
        snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s",
                 method->formulation);
        if (lk_system_new(model, &(struct lk_options){.engine = one_by_one, .all_rows = 1}, &sys,
                          &error) != 0)
            fail_msg("%s: %s", paths[i], error.text);
        d = dense_new(sys);
        for (int step = 0; step < 200; step++)
            assert_int_equal(step % 5 == 0 ? compare_step(sys, d, inputs, method, i, step)
                                           : lk_system_step(sys, inputs),
                             0);
        dense_free(d);
        lk_system_free(sys);
        lk_model_free(model);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        {"small, ali3", small_mechanisms, NULL, NULL, &methods[0]},
        {"large, ali3", large_mechanisms, NULL, NULL, &methods[0]},
        {"small, rattle", small_mechanisms, NULL, NULL, &methods[1]},
        {"large, rattle", large_mechanisms, NULL, NULL, &methods[1]},
        {"shipped, rattle", shipped_models, NULL, NULL, &methods[1]},
    };
    int r;

    if (argc == 3) {
        first_seed = atol(argv[1]);
        methods[0].last_seed = methods[1].last_seed = atol(argv[2]);
    }
    r = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        for (int k = 0; k < KINDS; k++)
            printf("%s, %s: at most %.2g of what is allowed, seed %ld\n", methods[i].formulation,
                   kind_names[k], methods[i].worst[k], methods[i].seed[k]);
    return r;
}
