/* SPDX-License-Identifier: Apache-2.0 */
/* The steps on batches compared with the same methods one by one (step/ali3.c, step/rattle.c), by
 * every supported engine, and what must not change a bit: reset and replay, refused steps, workers.
 *
 *     test_batches [FIRST LAST [TESTS]]     seeds of random mechanisms; the default ones without
 * them; a pattern of the tests' names
 *
 * Engines differ from the classical step only by round-off, whose amplification depends on the
 * mechanism (see test_random.c). It is measured: the classical step also runs from initial
 * configurations perturbed by the round-off of its size. NOISE times the differences of these runs
 * is allowed between engines: a step rounds about as many times as rows occur in a sum, and TRIALS
 * draws may all miss the worst direction. Values that the perturbation does not affect (a constant
 * load, say) may still differ by the rounding of sums: RELATIVE is 2e-16 for each of the STEPS *
 * ROUNDINGS operations that a value passes through in succession. */
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "figure.h"
#include "linkage/pool.h"
#include "pool_threads.h"
#include "sanitized.h"
#include "step/rattle.h"
#include "step/system.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS       20
#define ROUNDINGS   250 /* per step: three iterations, two projections, some 50 in each */
#define RELATIVE    (STEPS * ROUNDINGS * DBL_EPSILON)
#define REST        1e-3 /* [m, m/s ...]: smaller motion is round-off */
#define NOISE       30
#define TRIALS      3
#define SHOWN       40 /* number of bodies and joints of a mechanism that have outputs */
#define WORKERS_MAX 4

/* Quantities of one unit are compared with each other: of bodies, of joints, then output channels
 * by type, then health. */
enum kind {
    POSITION,
    ORIENTATION,
    VELOCITY,
    SPIN,
    ACCELERATION,
    SPIN_RATE,
    MULTIPLIER,
    REACTION_FORCE,
    REACTION_TORQUE,
    OUTPUTS,
    HEALTH = OUTPUTS + LK_OUTPUT_TYPES,
    RESIDUAL_POSITION = HEALTH,
    INCREMENT = HEALTH + (int)(offsetof(struct lk_health, increment) / sizeof(double)),
    KINDS = HEALTH + (int)(sizeof(struct lk_health) / sizeof(double))
};

static const char *name_of(int kind)
{
    static const char *const names[OUTPUTS] = {"position",   "orientation",    "velocity",
                                               "spin",       "acceleration",   "spin rate",
                                               "multiplier", "reaction force", "reaction torque"};
    static const char *const health[] = {
        "residual position", "residual velocity", "residual acceleration",
        "increment",         "kinetic",           "potential",
        "work input",        "work drive",        "work applied",
        "dissipated"};
    static char output[32];

    _Static_assert(sizeof(health) / sizeof(*health) == KINDS - HEALTH, "a name for each");
    if (kind < OUTPUTS)
        return names[kind];
    if (kind >= HEALTH)
        return health[kind - HEALTH];
    snprintf(output, sizeof(output), "output of type %d", kind - OUTPUTS);
    return output;
}

/* ---- a system by a named engine ---- */

/* outputs of every type that batches support, replacing those of the mechanism's own text */
static void put_outputs(FILE *f, const struct mechanism *m)
{
    static const char *const of_body[] = {"body-pose", "body-velocity", "body-acceleration"};
    static const char *const of_point[] = {"point-position", "point-velocity", "point-acceleration",
                                           "inertial-sensor"};
    static const char *const of_joint[] = {"joint-reaction", "joint-position", "joint-velocity",
                                           "joint-acceleration"};
    int body_stride = 1 + m->n_bodies / SHOWN, joint_stride = 1 + m->n_joints / SHOWN;

    fprintf(f, "outputs:\n  e: {type: energy}\n  w: {type: work}\n  r: {type: residual}\n");
    for (int b = 0; b < m->n_bodies; b += body_stride) {
        const double *x = m->body[b].x;

        fprintf(f, "  a%d: {type: %s, body: b%d}\n", b, of_body[b / body_stride % 3], b);
        fprintf(f, "  p%d: {type: %s, body: b%d, point: [%.17g, %.17g, %.17g]}\n", b,
                of_point[b / body_stride % 4], b, x[0] + 0.1, x[1] - 0.1, x[2]);
    }
    for (int j = 0; j < m->n_joints && m->joint[j].type != LK_JOINT_GEAR; j += joint_stride)
        for (int k = 0; k < (lk_joint_traits[m->joint[j].type].n_coordinates > 0 ? 4 : 1); k++)
            fprintf(f, "  j%d_%d: {type: %s, joint: j%d}\n", j, k, of_joint[k], j);
}

/* what is tested; all tests run once for each */
static const struct lk_formulation *formulation = &lk_formulation_ali3;

static int order = 2;

static int by_ali3(void **state)
{
    (void)state;
    formulation = &lk_formulation_ali3;
    return 0;
}

static int by_rattle(void **state)
{
    (void)state;
    formulation = &lk_formulation_rattle;
    return 0;
}

static char *text_of(const struct mechanism *m)
{
    struct mechanism asked = *m;
    char *own, *text = NULL, *end;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    asked.formulation = formulation->name;
    asked.is_soft &= formulation == &lk_formulation_ali3; /* rattle refuses it */
    own = mechanism_text(&asked);
    end = strstr(own, "outputs:\n");
    assert_non_null(f);
    assert_non_null(end);
    fwrite(own, 1, (size_t)(end - own), f);
    put_outputs(f, m);
    assert_int_equal(fclose(f), 0);
    free(own);
    return text;
}

/* the first sequence of a higher order is stepped one by one */
static void assert_engine(const struct mechanism *m, const struct lk_system *sys,
                          const char *engine)
{
    if (strcmp(engine, "none") == 0 || sys->n_sequences > 1)
        assert_null(sys->batches);
    else if (!sys->batches || strcmp(sys->batches->engine->name, engine) != 0)
        fail_msg("seed %llu: not stepped by %s", (unsigned long long)m->seed, engine);
}

/* @engine: its name, or "none" */
static struct lk_system *compile(const struct mechanism *m, const char *engine)
{
    char *text = text_of(m);
    struct lk_model *model = NULL;
    struct lk_system *sys = NULL;
    struct lk_error error = {0};

    if (lk_model_read_text("figure", text, strlen(text), &model, &error) ||
        lk_system_new(model,
                      &(struct lk_options){.engine = engine, .order = order == 2 ? 0 : order}, &sys,
                      &error))
        fail_msg("seed %llu: %s", (unsigned long long)m->seed, error.text);
    lk_model_free(model);
    free(text);
    assert_true(lk_steps_by(sys, formulation));
    assert_engine(m, sys, engine);
    for (int k = 0; k < sys->n_sequences - 1; k++)
        assert_engine(m, sys->sequence[k], engine);
    return sys;
}

static double *new_inputs(const struct lk_system *sys)
{
    double *inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));

    assert_non_null(inputs);
    return inputs;
}

/* ---- the result of a run ---- */

/** struct record - @status: of the last step; */
struct record {
    int status;
    int steps;
    int n[KINDS];
    double *value[KINDS];
};

static void put(struct record *r, int kind, const double *values, int n)
{
    if (n == 0)
        return;
    r->value[kind] = realloc(r->value[kind], (size_t)(r->n[kind] + n) * sizeof(double));
    assert_non_null(r->value[kind]);
    memcpy(r->value[kind] + r->n[kind], values, (size_t)n * sizeof(double));
    r->n[kind] += n;
}

static void free_record(struct record *r)
{
    for (int k = 0; k < KINDS; k++)
        free(r->value[k]);
}

static void take_channels(const struct lk_system *sys, struct record *ret)
{
    double *values = calloc((size_t)lk_system_output_size(sys) + 1, sizeof(double));

    assert_non_null(values);
    lk_system_outputs(sys, values);
    for (int i = 0; i < sys->n_outputs; i++)
        put(ret, OUTPUTS + (int)sys->output[i].type, values + sys->output[i].offset,
            sys->output[i].size);
    free(values);
}

static struct record take_record(const struct lk_system *sys)
{
    struct record r = {0};
    struct lk_health health;

    for (int b = 0; b < sys->n_named_bodies; b++) {
        struct lk_body_state s;

        lk_system_body_state(sys, b, &s);
        put(&r, POSITION, s.position, 3);
        put(&r, ORIENTATION, s.orientation, 4);
        put(&r, VELOCITY, s.velocity, 3);
        put(&r, SPIN, s.angular_velocity, 3);
        put(&r, ACCELERATION, s.acceleration, 3);
        put(&r, SPIN_RATE, s.angular_acceleration, 3);
    }
    put(&r, MULTIPLIER, sys->now.lambda, sys->n_rows);
    for (int j = 0; j < sys->n_named_joints; j++) {
        double reaction[6];

        lk_system_joint_reaction(sys, j, reaction);
        put(&r, REACTION_FORCE, reaction, 3);
        put(&r, REACTION_TORQUE, reaction + 3, 3);
    }
    take_channels(sys, &r);
    lk_system_health(sys, &health);
    for (int k = HEALTH; k < KINDS; k++)
        put(&r, k, (const double *)&health + (k - HEALTH), 1);
    return r;
}

/* inputs jump from step to step, with one step without a jump in between */
static struct record run(const struct mechanism *m, const char *engine)
{
    struct lk_system *sys = compile(m, engine);
    double *inputs = new_inputs(sys);
    struct dice dice = {m->seed};
    struct record ret;
    int r = 0, step;

    for (step = 0; step < STEPS && r == 0; step++) {
        if (step % 3 != 2)
            mechanism_inputs(m, &dice, inputs);
        r = lk_system_step(sys, inputs);
    }
    ret = take_record(sys);
    ret.status = r;
    ret.steps = step;
    free(inputs);
    lk_system_free(sys);
    return ret;
}

/* ---- the measure of round-off ---- */

static double size_of(const struct mechanism *m)
{
    double size = 1;

    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(m->body[b].x[i]));
    return size;
}

/* the initial configuration, perturbed by @noise; @back: the original */
static struct record run_beside(struct mechanism *m, struct dice *dice, double noise)
{
    size_t size = (size_t)m->n_bodies * sizeof(*m->body);
    struct mechanism_body *back = malloc(size);
    struct record ret;

    assert_non_null(back);
    memcpy(back, m->body, size);
    for (int b = 0; b < m->n_bodies; b++) {
        for (int i = 0; i < 3; i++)
            m->body[b].x[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 3; i++)
            m->body[b].v[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 3; i++)
            m->body[b].w[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 4; i++)
            m->body[b].q[i] += dice_uniform(dice, -noise, noise);
    }
    ret = run(m, "none");
    memcpy(m->body, back, size);
    free(back);
    return ret;
}

static double largest(const double *a, const double *b, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - (b ? b[i] : 0)) <= ret))
            ret = fabs(a[i] - (b ? b[i] : 0));
    return ret;
}

/* magnitude of the terms of a quantity; the energy balance is a small difference of energies */
static double size_in(const struct record *r, int kind)
{
    double size = largest(r->value[kind], NULL, r->n[kind]);

    if (kind == OUTPUTS + LK_OUTPUT_WORK)
        size = fmax(size, size_in(r, OUTPUTS + LK_OUTPUT_ENERGY));
    return size;
}

/* worst of all mechanisms, relative to the allowed difference */
static double worst[KINDS];
static int n_compared, n_refused;

static void compare(const struct record *classical, const struct record *by_engine,
                    const double noise[KINDS], const char *what)
{
    if (classical->status != by_engine->status || classical->steps != by_engine->steps)
        fail_msg("%s: step %d returns %d, the classical step %d %d", what, by_engine->steps,
                 by_engine->status, classical->steps, classical->status);
    for (int k = 0; k < KINDS; k++) {
        int n = classical->n[k];
        double difference, size, part;

        assert_int_equal(n, by_engine->n[k]);
        if (n == 0)
            continue;
        difference = largest(by_engine->value[k], classical->value[k], n);
        size = size_in(classical, k);
        part = difference > 0 ? difference / (RELATIVE * fmax(size, REST) + NOISE * noise[k]) : 0;
        worst[k] = part <= worst[k] ? worst[k] : part;
        if (!(part <= 1))
            fail_msg("%s: %s differs by %.2g, largest is %.2g, noise %.2g", what, name_of(k),
                     difference, size, noise[k]);
    }
}

/* rows that hold the same share a force by their E, of which round-off is known to this part; only
 * where there are such rows */
static double known_share;

/* every engine compared with none; @m: may move too fast for its step, which all then refuse */
static void compare_engines(struct mechanism *m, const char *what)
{
    struct record classical = run(m, "none");
    struct dice dice = {m->seed};
    double noise[KINDS] = {0}, roundoff = DBL_EPSILON * size_of(m);

    /* poses are only known to that, so are violations, and the last Newton increments */
    noise[RESIDUAL_POSITION] = noise[INCREMENT] = noise[OUTPUTS + LK_OUTPUT_RESIDUAL] = roundoff;
    for (int k = 0; k < 4; k++) {
        static const int shared[] = {MULTIPLIER, REACTION_FORCE, REACTION_TORQUE,
                                     OUTPUTS + LK_OUTPUT_JOINT_REACTION};

        noise[shared[k]] = known_share * size_in(&classical, shared[k]);
    }
    for (int t = 0; t < TRIALS; t++) {
        struct record beside = run_beside(m, &dice, roundoff);

        for (int k = 0; k < KINDS && beside.steps == classical.steps; k++)
            noise[k] = fmax(noise[k], largest(beside.value[k], classical.value[k], classical.n[k]));
        free_record(&beside);
    }
    for (int i = 0; lk_engines[i]; i++) {
        struct record by_engine;
        char where[160];

        if (!lk_engines[i]->is_supported())
            continue;
        by_engine = run(m, lk_engines[i]->name);
        snprintf(where, sizeof(where), "%s by %s", what, lk_engines[i]->name);
        compare(&classical, &by_engine, noise, where);
        free_record(&by_engine);
    }
    n_compared++;
    n_refused += classical.status != 0;
    free_record(&classical);
    mechanism_free(m);
}

static void compare_figure(enum figure figure, enum figure_joints joints, int n)
{
    char what[120];

    snprintf(what, sizeof(what), "%s of %d, joints %d", figure_names[figure], n, joints);
    compare_engines(figure_make(figure, joints, n, (uint64_t)n), what);
}

/* ---- engines ---- */

static void test_chains(void **state)
{
    static const int large[] = {63, 64, 65, 127, 130, 1000};

    (void)state;
    for (int n = 1; n <= 40; n += THINNED) {
        compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, n);
        compare_figure(FIGURE_CHAIN, FIGURE_REVOLUTE, n);
    }
    for (size_t i = 0; i < sizeof(large) / sizeof(*large); i += THINNED) {
        compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, large[i]);
        compare_figure(FIGURE_CHAIN, FIGURE_REVOLUTE, large[i]);
    }
}

/* a closed figure of random joints is rigid or inconsistent */
static int is_sound(int figure, int joints)
{
    if (figure == FIGURE_RING || figure == FIGURE_LADDER || figure == FIGURE_GRID)
        return joints == FIGURE_SPHERICAL || joints == FIGURE_PARALLEL;
    return 1;
}

static void test_figures(void **state)
{
    static const int sizes[] = {1, 3, 10, 16, 26, 64};

    (void)state;
    for (int figure = FIGURE_ANCHORED; figure < FIGURE_COUNT; figure++)
        for (int joints = 0; joints < FIGURE_JOINTS; joints++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i += THINNED)
                if (is_sound(figure, joints))
                    compare_figure((enum figure)figure, (enum figure_joints)joints, sizes[i]);
}

static long first_seed, last_seed = 100;

static void compare_random(unsigned keeps)
{
    int refused = n_refused, compared = n_compared;

    for (long seed = first_seed; seed < last_seed; seed += THINNED) {
        struct dice dice = {(uint64_t)seed};
        int n = (int)dice_spread(&dice, 1, 61);
        enum mechanism_kind kind = seed % 3 == 2 ? MECHANISM_FREE : MECHANISM_MIXED;
        struct mechanism *m = mechanism_make((uint64_t)seed, kind, n);
        char what[80];

        figure_tame(m, keeps);
        snprintf(what, sizeof(what), "seed %ld, %d bodies, elements %u", seed, n, keeps);
        compare_engines(m, what);
    }
    /* one in twenty may be too fast for its step */
    assert_true(20 * (n_refused - refused) <= n_compared - compared);
}

static void test_random_mechanisms(void **state)
{
    (void)state;
    compare_random(0);
}

/* rows that are found one by one: each sort of element alone, then all of them */
static void test_elements(void **state)
{
    (void)state;
    known_share = DBL_EPSILON / LK_RATTLE_REGULARISATION;
    compare_random(FIGURE_KEEPS_JOINTS);
    compare_random(FIGURE_KEEPS_DRIVES);
    compare_random(FIGURE_KEEPS_LAWS);
    compare_random(FIGURE_KEEPS_ALL);
    known_share = 0;
}

/* bodies without inertia about one axis, which a hinge across it holds */
static void test_thin_bodies(void **state)
{
    static const int sizes[] = {2, 9, 33, 64};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct mechanism *m = figure_make(FIGURE_CHAIN, FIGURE_REVOLUTE, sizes[i], i);
        char what[80];

        for (int b = 1; b < m->n_bodies; b += 4) {
            double moment = m->body[b].inertia[0];

            memcpy(m->body[b].inertia, (double[6]){0, moment, moment}, 6 * sizeof(double));
        }
        snprintf(what, sizeof(what), "chain of %d with thin bodies", sizes[i]);
        compare_engines(m, what);
    }
}

/* gears between bodies that the ground carries */
static void test_gears(void **state)
{
    static const int sizes[] = {14, 56, 7 * 17};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct mechanism *m = figure_make(FIGURE_LIMBS, FIGURE_REVOLUTE, sizes[i], i);
        char what[80];

        figure_gear(m);
        snprintf(what, sizeof(what), "limbs of %d with gears", sizes[i]);
        compare_engines(m, what);
    }
}

/* the longer sequences of a higher order are in lanes */
static void test_orders(void **state)
{
    static const int sizes[] = {3, 10, 26};

    (void)state;
    for (order = 4; order <= 6; order += 2)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            compare_figure(FIGURE_CHAIN, FIGURE_SPHERICAL, sizes[i]);
            compare_figure(FIGURE_LIMBS, FIGURE_ALTERNATING, sizes[i]);
            compare_figure(FIGURE_LADDER, FIGURE_PARALLEL, sizes[i]);
        }
    order = 2;
}

/* ---- the same bits ---- */

static size_t bits_size(const struct lk_system *sys)
{
    return sys->state_size + (size_t)lk_system_output_size(sys);
}

/* @to: the state, then the outputs */
static void take_bits(const struct lk_system *sys, double *to)
{
    memcpy(to, sys->now.block, sys->state_size * sizeof(double));
    lk_system_outputs(sys, to + sys->state_size);
}

/** struct tape - bits after every one of STEPS steps. */
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

/* inputs that a step refuses without a trace: not finite, rotating a body by more than half a turn,
 * overflowing during the step */
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

/* @offends: a refused step before every other one */
static struct tape play(struct lk_system *sys, const struct mechanism *m, int offends)
{
    struct tape t = new_tape(sys);
    double *inputs = new_inputs(sys);
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

/** struct sample - mechanisms whose lanes are full, nearly full, and mostly empty. */
static const struct sample {
    enum figure figure;
    enum figure_joints joints;
    int n;
    enum { PLAIN, SOFT, DRIVEN } furniture;
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
};

#define SAMPLES (sizeof(samples) / sizeof(*samples))

static struct mechanism *make_sample(size_t i)
{
    struct mechanism *m = figure_make(samples[i].figure, samples[i].joints, samples[i].n, i + 1);

    /* ali3 has neither in lanes */
    if (samples[i].furniture != PLAIN && formulation == &lk_formulation_rattle)
        figure_furnish(m, samples[i].furniture == DRIVEN);
    return m;
}

static void test_replay(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);

            if (lk_engines[e]->is_supported())
                replay(m, lk_engines[e]->name);
            mechanism_free(m);
        }
}

/* the classical step refuses in the same way */
static void test_replay_without(void **state)
{
    struct mechanism *m = make_sample(1);

    (void)state;
    replay(m, "none");
    mechanism_free(m);
}

#define GOES_ON 3    /* steps after the exchange */
#define APART   1e-9 /* [m, rad]; what a state lacks would show at once */

/* a run by an engine goes on one by one, from its state alone */
static void exchange(struct mechanism *m, const char *engine)
{
    struct lk_system *lanes = compile(m, engine), *single = compile(m, "none");
    double *inputs = new_inputs(lanes);

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
    for (size_t i = 0; i < SAMPLES; i++)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);

            if (lk_engines[e]->is_supported())
                exchange(m, lk_engines[e]->name);
            mechanism_free(m);
        }
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
    for (size_t i = 0; i < SAMPLES; i += SANITIZED ? 3 : 1)
        for (int e = 0; lk_engines[e]; e++) {
            struct mechanism *m = make_sample(i);
            struct tape one;

            if (!lk_engines[e]->is_supported()) {
                mechanism_free(m);
                continue;
            }
            one = play_with(m, lk_engines[e]->name, 1, &tasks);
            most = tasks > most ? tasks : most;
            for (int n = 2; n <= WORKERS_MAX && tasks > 2; n++)
                assert_same_tape(&one, play_with(m, lk_engines[e]->name, n, &tasks),
                                 lk_engines[e]->name, "by more workers");
            free(one.bits);
            mechanism_free(m);
        }
    assert_true(SANITIZED || most > WORKERS_MAX);
}

/* ---- copies ---- */

#define COPY 7 /* bodies of a limb */

/* parents first, at rest: the same in every limb */
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

/* as many copies of a mechanism as there are lanes take as many blocks as one */
static void test_copies(void **state)
{
    (void)state;
    for (int e = 0; lk_engines[e]; e++)
        for (int furnished = 0; furnished < 2 && lk_engines[e]->is_supported(); furnished++) {
            struct mechanism *m =
                figure_make(FIGURE_LIMBS, FIGURE_REVOLUTE, COPY * lk_engines[e]->lanes, 1);
            struct lk_system *sys;

            stand_in_order(m);
            for (int j = 0; j < m->n_joints && furnished; j++)
                m->joint[j].drive[m->joint[j].n_drives++] = (struct mechanism_drive){
                    .type = LK_DRIVE_HARMONIC, .amplitude = 0.05, .omega = 3};
            sys = compile(m, lk_engines[e]->name);
            assert_int_equal(sys->batches->n_bodies, COPY);
            assert_int_equal(sys->batches->n_joints, (1 + furnished) * COPY);
            assert_int_equal(sys->batches->n_fronts, COPY - 1 + furnished);
            lk_system_free(sys);
            mechanism_free(m);
        }
}

/* ---- the choice ---- */

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
}

#define EACH_FORMULATION(test)                                                                     \
    {#test ", ali3", test, by_ali3, NULL, NULL},                                                   \
    {                                                                                              \
#test ", rattle", test, by_rattle, NULL, NULL                                              \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engines),
        EACH_FORMULATION(test_chains),
        EACH_FORMULATION(test_figures),
        EACH_FORMULATION(test_random_mechanisms),
        EACH_FORMULATION(test_replay),
        EACH_FORMULATION(test_replay_without),
        EACH_FORMULATION(test_exchange),
        EACH_FORMULATION(test_workers),
        {"test_elements, rattle", test_elements, by_rattle, NULL, NULL},
        {"test_thin_bodies, rattle", test_thin_bodies, by_rattle, NULL, NULL},
        {"test_gears, rattle", test_gears, by_rattle, NULL, NULL},
        {"test_copies, rattle", test_copies, by_rattle, NULL, NULL},
        {"test_orders, rattle", test_orders, by_rattle, NULL, NULL},
    };
    int r;

    if (argc >= 3) {
        first_seed = atol(argv[1]);
        last_seed = atol(argv[2]);
    }
    if (argc == 4)
        cmocka_set_test_filter(argv[3]);
    r = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d mechanisms, %d refused; of what is allowed at most:", n_compared, n_refused);
    for (int k = 0; k < KINDS; k++)
        if (worst[k] > 0)
            printf(" %s %.2g", name_of(k), worst[k]);
    printf("\n");
    return r;
}
