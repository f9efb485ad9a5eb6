/* SPDX-License-Identifier: Apache-2.0 */
/* The steps on batches, bit for bit: reset and replay, refused steps and the number of workers must
 * not change a bit; a run can be continued one by one; equal limbs fill the lanes; the available
 * engines. */
#include "by_engines.h"
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "largest.h"
#include "linkage/pool.h"
#include "pool_threads.h"
#include "sanitized.h"
#include "step/scripts/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS       ENGINES_STEPS
#define WORKERS_MAX 4

static struct lk_system *compile(const struct mechanism *m, const char *engine)
{
    return engines_compile(&(struct subject){.mechanism = m, .seed = m->seed}, engine);
}

/* ---- the same bits ---- */

static size_t bits_size(const struct lk_system *sys)
{
    return sys->state_size + (size_t)lk_system_output_size(sys);
}

/* Copy the state, then the outputs, to @to. */
static void take_bits(const struct lk_system *sys, double *to)
{
    memcpy(to, sys->now.block, sys->state_size * sizeof(double));
    lk_system_outputs(sys, to + sys->state_size);
}

/** struct tape - the bits after each of STEPS steps */
struct tape {
    size_t size;
    double *bits;
};

static struct tape new_tape(const struct lk_system *sys)
{
    struct tape t = {.size = bits_size(sys)};

    t.bits = calloc(STEPS * t.size, sizeof(double));
    assert_non_null(t.bits);
    return t;
}

/* Offer inputs that a step refuses without any effect: not finite, rotating a body by more than
 * half a turn, or overflowing during the step. */
static void offend(struct lk_system *sys, double *inputs, int step)
{
    static const double wrong[] = {NAN, INFINITY, 1e12, -1e12, 1e200, 1e307};
    const int n = lk_system_input_size(sys);
    double value = wrong[step % (int)(sizeof(wrong) / sizeof(*wrong))];
    double *offence = calloc((size_t)n, sizeof(double));
    uint64_t steps = lk_system_step_count(sys);
    int r;

    assert_non_null(offence);
    memcpy(offence, inputs, (size_t)n * sizeof(double));
    for (int i = isfinite(value) ? 0 : n / 2; i < n; i += isfinite(value) ? 1 : n)
        offence[i] = value;
    r = lk_system_step(sys, offence);
    if (isfinite(value) && fabs(value) < 1e100)
        assert_int_equal(r, LK_E_TURN);
    else if (!isfinite(value))
        assert_int_equal(r, LK_E_NOT_FINITE);
    else
        assert_true(r == LK_E_TURN || r == LK_E_NOT_FINITE);
    assert_int_equal(steps, lk_system_step_count(sys));
    free(offence);
}

/* Record a run. @offends: make a refused step before every other one */
static struct tape play(struct lk_system *sys, const struct mechanism *m, int offends)
{
    struct tape t = new_tape(sys);
    double *inputs = engines_new_inputs(sys);
    struct dice dice = {m->seed};
    int r;

    for (int step = 0; step < STEPS; step++) {
        if (step % 3 != 2)
            mechanism_inputs(m, &dice, inputs);
        if (offends && step % 2 == 1)
            offend(sys, inputs, step / 2);
        r = lk_system_step(sys, inputs);
        if (r != 0)
            fail_msg("%s of %d: step %d returns %d",
                     sys->batches ? sys->batches->engine->name : "none", m->n_bodies, step, r);
        take_bits(sys, t.bits + (size_t)step * t.size);
    }
    free(inputs);
    return t;
}

static void assert_same_tape(const struct tape *a, struct tape b, const char *engine,
                             const char *what)
{
    assert_int_equal(a->size, b.size);
    for (size_t i = 0; i < STEPS * a->size; i++)
        if (memcmp(&a->bits[i], &b.bits[i], sizeof(double)) != 0)
            fail_msg("%s: other bits %s, step %zu, value %zu of %zu: %.17g, %.17g", engine, what,
                     i / a->size, i % a->size, a->size, a->bits[i], b.bits[i]);
    free(b.bits);
}

static void replay(struct mechanism *m, const char *engine)
{
    struct lk_system *sys = compile(m, engine);
    struct tape first = play(sys, m, 0);

    lk_system_reset(sys);
    assert_same_tape(&first, play(sys, m, 0), engine, "after a reset");
    lk_system_reset(sys);
    assert_same_tape(&first, play(sys, m, 1), engine, "after refused steps");
    lk_system_reset(sys);
    assert_same_tape(&first, play(sys, m, 0), engine, "after a reset after refused steps");
    free(first.bits);
    lk_system_free(sys);
}

/** struct sample - mechanisms whose lanes are full, nearly full, or mostly empty */
static const struct sample {
    enum figure figure;
    enum figure_joints joints;
    int n;
    enum { PLAIN, SOFT, DRIVEN, STOPPED } furniture;
} samples[] = {
    {FIGURE_CHAIN, FIGURE_SPHERICAL, 9},
    {FIGURE_CHAIN, FIGURE_REVOLUTE, 130},
    {FIGURE_LIMBS, FIGURE_ALTERNATING, 45},
    {FIGURE_LIMBS, FIGURE_ALTERNATING, 7 * 30},
    {FIGURE_ANCHORED, FIGURE_ANY, 60},
    {FIGURE_STAR, FIGURE_ANY, 41},
    {FIGURE_LADDER, FIGURE_PARALLEL, 80},
    {FIGURE_TWICE, FIGURE_REVOLUTE, 90},
    {FIGURE_GROUPS, FIGURE_ANY, 100},
    {FIGURE_TERNARY, FIGURE_SPHERICAL, 364},
    {FIGURE_CHAIN, FIGURE_REVOLUTE, 130, DRIVEN},
    {FIGURE_LIMBS, FIGURE_ALTERNATING, 7 * 30, DRIVEN},
    {FIGURE_LADDER, FIGURE_PARALLEL, 80, SOFT},
    {FIGURE_STAR, FIGURE_ANY, 41, SOFT},
    {FIGURE_LIMBS, FIGURE_ALTERNATING, 7 * 30, STOPPED},
};

#define SAMPLES (sizeof(samples) / sizeof(*samples))
#define NEXT    (SANITIZED ? 2 : 1) /* stride in the samples: a sanitizer needs fewer */

static struct mechanism *make_sample(size_t i)
{
    struct mechanism *m = figure_make(samples[i].figure, samples[i].joints, samples[i].n, i + 1);

    /* rk4 does not support stops and friction */
    if (samples[i].furniture == STOPPED && engines_formulation != &lk_formulation_rk4)
        figure_stop(m);
    else if (samples[i].furniture != PLAIN)
        figure_furnish(m, samples[i].furniture == DRIVEN);
    if (engines_formulation == &lk_formulation_rk4)
        figure_ease(m);
    return m;
}

static void test_replay(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i += NEXT)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);

            if (lk_engines[e]->is_supported())
                replay(m, lk_engines[e]->name);
            mechanism_free(m);
        }
}

/* The classical step refuses such inputs in the same way. */
static void test_replay_without(void **state)
{
    struct mechanism *m = make_sample(1);

    (void)state;
    replay(m, "none");
    mechanism_free(m);
}

#define GOES_ON 3    /* number of steps after the exchange */
#define APART   1e-9 /* [m, rad]; an incomplete state would differ more */

/* Continue a run of an engine one by one, from its state alone. */
static void exchange(struct mechanism *m, const char *engine)
{
    struct lk_system *lanes = compile(m, engine), *single = compile(m, "none");
    double *inputs = engines_new_inputs(lanes);

    free(play(lanes, m, 0).bits);
    assert_int_equal(lanes->state_size, single->state_size);
    memcpy(single->now.block, lanes->now.block, lanes->state_size * sizeof(double));
    lk_start_resume(single);
    for (int i = 0; i < GOES_ON; i++) {
        assert_int_equal(lk_system_step(lanes, inputs), 0);
        assert_int_equal(lk_system_step(single, inputs), 0);
    }
    for (int b = 0; b < lanes->n_bodies; b++) {
        const struct lk_motion *x = &lanes->now.motion[b], *y = &single->now.motion[b];

        assert_true(largest(x->x, y->x, 3) < APART && largest(x->q, y->q, 4) < APART);
        assert_true(largest(x->v.v, y->v.v, 3) < APART && largest(x->v.w, y->v.w, 3) < APART);
    }
    free(inputs);
    lk_system_free(lanes);
    lk_system_free(single);
}

static void test_exchange(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i += NEXT)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);

            if (lk_engines[e]->is_supported())
                exchange(m, lk_engines[e]->name);
            mechanism_free(m);
        }
}

/* Assert that a mechanism with stops has hit them: it has lost energy. */
static void assert_hit(const struct lk_system *sys)
{
    struct lk_health health;

    lk_system_health(sys, &health);
    assert_true(sys->n_stops == 0 || health.dissipated > 0);
}

static struct tape play_with(const struct mechanism *m, const char *engine, int n_workers,
                             int *ret_tasks)
{
    struct lk_system *sys = compile(m, engine);
    struct pool_threads *threads;
    struct tape ret;

    assert_int_equal(pool_threads_start(n_workers, NULL, &threads), 0);
    lk_system_set_pool(sys, pool_threads_pool(threads));
    ret = play(sys, m, 0);
    assert_hit(sys);
    lk_system_set_pool(sys, NULL);
    pool_threads_stop(threads);
    *ret_tasks = sys->batches->n_tasks;
    lk_system_free(sys);
    return ret;
}

static void test_workers(void **state)
{
    int most = 0, tasks;

    (void)state;
    for (size_t i = 0; i < SAMPLES; i += NEXT)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);
            struct tape one;

            if (!lk_engines[e]->is_supported()) {
                mechanism_free(m);
                continue;
            }
            one = play_with(m, lk_engines[e]->name, 1, &tasks);
            most = tasks > most ? tasks : most;
            if (tasks > 2)
                assert_same_tape(
                    &one, play_with(m, lk_engines[e]->name, i % 2 == 0 ? 2 : WORKERS_MAX, &tasks),
                    lk_engines[e]->name, "by more workers");
            free(one.bits);
            mechanism_free(m);
        }
    assert_true(SANITIZED || most > WORKERS_MAX);
}

/* ---- synchronisations ---- */

/* The estimated cost of a step with several workers assumes as many synchronisations as the step
 * makes. Inputs that may jump need two more. */
static void test_meetings(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    struct mechanism *m = make_sample(1);
    struct lk_system *sys;
    double *inputs;

    (void)state;
    lk_engines_here(here);
    sys = compile(m, here[0]->name);
    inputs = engines_new_inputs(sys);
    assert_true(sys->n_inputs > 0);
    assert_int_equal(lk_system_step(sys, inputs), 0);
    assert_int_equal(sys->batches->n_phases, sys->batches->effort.n_phases + 2);
    free(inputs);
    lk_system_free(sys);
    mechanism_free(m);
}

/* ---- equal limbs ---- */

#define LIMB 7 /* bodies of a limb */

/* Order the bodies of all limbs equally, parents first, and set them at rest. */
static void stand_in_order(struct mechanism *m)
{
    for (int j = 0; j < m->n_joints; j++) {
        struct mechanism_joint *joint = &m->joint[j], old = *joint;

        for (int s = 0; s < 2 && old.body[0] > old.body[1]; s++) {
            joint->body[s] = old.body[1 - s];
            memcpy(joint->point[s], old.point[1 - s], sizeof(old.point[0]));
            memcpy(joint->axis[s], old.axis[1 - s], sizeof(old.axis[0]));
        }
    }
    for (int b = 0; b < m->n_bodies; b++)
        memset(m->body[b].w, 0, sizeof(m->body[b].w));
}

/* As many equal limbs as there are lanes need as many blocks as one limb. */
static void test_limbs(void **state)
{
    (void)state;
    for (int e = 0; lk_engines[e]; e++)
        for (int furnished = 0; furnished < 2 && lk_engines[e]->is_supported(); furnished++) {
            struct mechanism *m =
                figure_make(FIGURE_LIMBS, FIGURE_REVOLUTE, LIMB * lk_engines[e]->lanes, 1);
            struct lk_system *sys;

            stand_in_order(m);
            for (int j = 0; j < m->n_joints && furnished; j++)
                m->joint[j].drive[m->joint[j].n_drives++] = (struct mechanism_drive){
                    .type = LK_DRIVE_HARMONIC, .amplitude = 0.05, .omega = 3};
            sys = compile(m, lk_engines[e]->name);
            assert_int_equal(sys->batches->n_bodies, LIMB);
            assert_int_equal(sys->batches->n_joints, (1 + furnished) * LIMB);
            assert_int_equal(sys->batches->n_fronts, LIMB - 1 + furnished);
            lk_system_free(sys);
            mechanism_free(m);
        }
}

/* ---- available engines ---- */

static void test_engines(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    struct lk_error error = {0};
    int n = 0;

    (void)state;
    lk_engines_here(here);
    for (int i = 0; lk_engines[i]; i++) {
        const char *name = lk_engines[i]->name;

        if (!lk_engines[i]->is_supported()) {
            assert_null(lk_engine_find(name));
            assert_int_equal(lk_engine_check(name, &error), LK_E_MODEL);
            continue;
        }
        assert_ptr_equal(here[n++], lk_engines[i]);
        assert_ptr_equal(lk_engine_find(name), lk_engines[i]);
        assert_int_equal(lk_engine_check(name, &error), 0);
    }
    assert_null(here[n]);
    assert_int_equal(lk_engine_check("auto", &error) + lk_engine_check("none", &error), 0);
    assert_int_equal(lk_engine_check("fast", &error), LK_E_MODEL);
    assert_non_null(
        strstr(error.text, "the engine is 'fast', expected one of this processor and build: "));
    assert_non_null(strstr(error.text, "-Dengines=all"));
}

#define BY(test, name)                                                                             \
    {                                                                                              \
#test ", " #name, test, engines_by_##name, NULL, NULL                                      \
    }
#define EACH_FORMULATION(test) BY(test, ali3), BY(test, rattle), BY(test, rk4)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        EACH_FORMULATION(test_replay),
        EACH_FORMULATION(test_replay_without),
        EACH_FORMULATION(test_exchange),
        EACH_FORMULATION(test_workers),
        BY(test_meetings, ali3),
        BY(test_meetings, rk4),
        BY(test_limbs, rattle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
