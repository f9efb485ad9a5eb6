/* SPDX-License-Identifier: Apache-2.0 */
#include "by_engines.h"
#include "cmocka_all.h"
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "largest.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS     ENGINES_STEPS
#define ROUNDINGS 250 /* per step: 3 iterations and 2 projections with about 50 each */
#define RELATIVE  (STEPS * ROUNDINGS * DBL_EPSILON)
#define REST      1e-3 /* [m, m/s ...]: smaller motion is round-off */
#define NOISE     30
#define TRIALS    3
#define SHOWN     40 /* largest number of bodies and of joints that have outputs */

/* Kinds of quantities. Differences are judged separately for each kind: quantities of bodies, of
 * joints, outputs by type, then health. */
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
    RESIDUAL_VELOCITY =
        HEALTH + (int)(offsetof(struct lk_health, residual_velocity) / sizeof(double)),
    INCREMENT = HEALTH + (int)(offsetof(struct lk_health, increment) / sizeof(double)),
    KINETIC = HEALTH + (int)(offsetof(struct lk_health, kinetic) / sizeof(double)),
    WORK_DRIVE = HEALTH + (int)(offsetof(struct lk_health, work_drive) / sizeof(double)),
    WORK_APPLIED = HEALTH + (int)(offsetof(struct lk_health, work_applied) / sizeof(double)),
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
        "dissipated",        "port gap",          "taken"};
    static char output[32];

    _Static_assert(sizeof(health) / sizeof(*health) == KINDS - HEALTH, "a name for each");
    if (kind < OUTPUTS)
        return names[kind];
    if (kind >= HEALTH)
        return health[kind - HEALTH];
    snprintf(output, sizeof(output), "output of type %d", kind - OUTPUTS);
    return output;
}

/* ---- compiling a system for a named engine ---- */

/* Write outputs of each type that batches support. They replace those of the mechanism's own
 * text. */
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
    for (int j = 0; j < m->n_joints; j += joint_stride)
        for (int k = 0; lk_coupled_joints(m->joint[j].type) == 0 &&
                        k < (lk_joint_traits[m->joint[j].type].n_coordinates > 0 ? 4 : 1);
             k++)
            fprintf(f, "  j%d_%d: {type: %s, joint: j%d}\n", j, k, of_joint[k], j);
}

const struct lk_formulation *engines_formulation = &lk_formulation_ali3;
int engines_order = 2;

int engines_by_ali3(void **state)
{
    (void)state;
    engines_formulation = &lk_formulation_ali3;
    return 0;
}

int engines_by_rattle(void **state)
{
    (void)state;
    engines_formulation = &lk_formulation_rattle;
    return 0;
}

int engines_by_rk4(void **state)
{
    (void)state;
    engines_formulation = &lk_formulation_rk4;
    return 0;
}

static char *text_of(const struct mechanism *m)
{
    struct mechanism asked = *m;
    char *own, *text = NULL, *end;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    asked.formulation = engines_formulation->name;
    /* other formulations and higher orders refuse soft redundancy */
    asked.is_soft &= engines_formulation == &lk_formulation_ali3 && engines_order == 2;
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

static void assert_engine(const struct subject *s, const struct lk_system *sys, const char *engine)
{
    if (strcmp(engine, "none") == 0)
        assert_null(sys->batches);
    else if (!sys->batches || strcmp(sys->batches->engine->name, engine) != 0)
        fail_msg("seed %llu: not stepped by %s", (unsigned long long)s->seed, engine);
}

/* Perturb the initial configuration by random numbers up to @noise. */
static void perturb(struct lk_model *m, struct dice *dice, double noise)
{
    for (int b = 0; b < m->n_bodies; b++) {
        struct lk_body_def *body = &m->bodies[b];

        for (int i = 0; i < 3; i++)
            body->position[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 3; i++)
            body->velocity[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 3; i++)
            body->angular_velocity[i] += dice_uniform(dice, -noise, noise);
        for (int i = 0; i < 4; i++)
            body->orientation[i] += dice_uniform(dice, -noise, noise);
    }
}

static struct lk_model *read_model(const struct subject *s)
{
    char *text = s->mechanism ? text_of(s->mechanism) : strdup(s->text);
    struct lk_model *model = NULL;
    struct lk_error error = {0};

    assert_non_null(text);
    if (lk_model_read_text("figure", text, strlen(text), &model, &error))
        fail_msg("seed %llu: %s", (unsigned long long)s->seed, error.text);
    free(text);
    return model;
}

static struct lk_system *compile_model(const struct subject *s, const struct lk_model *model,
                                       const char *engine)
{
    const struct lk_options options = {.engine = engine,
                                       .order = engines_order == 2 ? 0 : engines_order};
    const struct lk_compile_request how = {.formulation = engines_formulation,
                                           .without = LK_REDUCTION_HUBS};
    struct lk_system *sys = NULL;
    struct lk_error error = {0};

    if (lk_compile(model, &options, how, &sys, &error) != 0)
        fail_msg("seed %llu: %s", (unsigned long long)s->seed, error.text);
    assert_true(lk_steps_by(sys, engines_formulation));
    assert_engine(s, sys, engine);
    for (int k = 0; k < sys->n_sequences - 1; k++)
        assert_engine(s, sys->sequence[k], engine);
    return sys;
}

/* Compile a perturbed model for steps one by one. The model is unchanged afterwards. */
static struct lk_system *compile_beside(const struct subject *s, struct lk_model *model,
                                        struct dice *dice, double noise)
{
    size_t size = (size_t)model->n_bodies * sizeof(*model->bodies);
    struct lk_body_def *drawn = malloc(size + 1);
    struct lk_system *sys;

    assert_non_null(drawn);
    memcpy(drawn, model->bodies, size);
    perturb(model, dice, noise);
    sys = compile_model(s, model, "none");
    memcpy(model->bodies, drawn, size);
    free(drawn);
    return sys;
}

struct lk_system *engines_compile(const struct subject *s, const char *engine)
{
    struct lk_model *model = read_model(s);
    struct lk_system *sys = compile_model(s, model, engine);

    lk_model_free(model);
    return sys;
}

double *engines_new_inputs(const struct lk_system *sys)
{
    double *inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));

    assert_non_null(inputs);
    return inputs;
}

#define PART 0.1 /* part of a channel's limits that may be a jump */

void engines_draw_inputs(const struct subject *s, const struct lk_system *sys, struct dice *dice,
                         double *ret)
{
    const struct lk_channel *channel;
    int n;

    if (s->mechanism) {
        mechanism_inputs(s->mechanism, dice, ret);
        return;
    }
    channel = lk_system_input_channels(sys, &n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < channel[i].size; k++) {
            double low = fmax(PART * channel[i].low, -1), high = fmin(PART * channel[i].high, 1);

            ret[channel[i].offset + k] = channel[i].initial + dice_uniform(dice, low, high);
        }
}

/* ---- the result of a run ---- */

/** struct record - the values of each kind after a run. @status: result of the last step */
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

/* Run a system with inputs that jump in two of three steps. Free @sys. */
static struct record run(const struct subject *s, struct lk_system *sys)
{
    double *inputs = engines_new_inputs(sys);
    struct dice dice = {s->seed};
    struct record ret;
    int r = 0, step;

    for (step = 0; step < STEPS && r == 0; step++) {
        if (step % 3 != 2)
            engines_draw_inputs(s, sys, &dice, inputs);
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

static double size_of(const struct lk_system *sys)
{
    double size = 1;

    for (int b = 0; b < sys->n_named_bodies; b++)
        for (int i = 0; i < 3; i++)
            size = fmax(size, fabs(sys->start.motion[b].x[i]));
    return size;
}

/* Return the magnitude of the terms of a quantity. The energy balance is a small difference of
 * energies, and the work of loads is a small sum of positive and negative work. */
static double size_in(const struct record *r, int kind)
{
    double size = largest(r->value[kind], NULL, r->n[kind]);

    if (kind == WORK_APPLIED)
        size = fmax(size, size_in(r, KINETIC));

    if (kind == OUTPUTS + LK_OUTPUT_WORK)
        size = fmax(size, size_in(r, OUTPUTS + LK_OUTPUT_ENERGY));
    return size;
}

/* largest difference of all runs, relative to the allowed one */
static double worst[KINDS];
int engines_compared, engines_refused, engines_unfit;

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
double engines_known_share;

/* Measure the effect of round-off alone on each kind of quantity.
 * @time: duration of the run [s] */
static void measure_noise(const struct subject *s, struct lk_model *model,
                          const struct record *classical, double time, double roundoff,
                          double noise[KINDS])
{
    static const int shared[] = {MULTIPLIER, REACTION_FORCE, REACTION_TORQUE,
                                 OUTPUTS + LK_OUTPUT_JOINT_REACTION};
    struct dice dice = {s->seed};

    /* poses have this round-off, and so have violations and the last Newton increments */
    noise[RESIDUAL_POSITION] = noise[INCREMENT] = roundoff;
    for (int k = 0; k < 4; k++)
        noise[shared[k]] = engines_known_share * size_in(classical, shared[k]);
    /* the work of drives is proportional to their multipliers */
    noise[WORK_DRIVE] = noise[OUTPUTS + LK_OUTPUT_WORK] =
        noise[MULTIPLIER] * fmax(size_in(classical, VELOCITY), size_in(classical, SPIN)) * time;
    for (int t = 0; t < TRIALS; t++) {
        struct record beside = run(s, compile_beside(s, model, &dice, roundoff));

        for (int k = 0; k < KINDS && beside.steps == classical->steps; k++)
            noise[k] =
                fmax(noise[k], largest(beside.value[k], classical->value[k], classical->n[k]));
        free_record(&beside);
    }
    /* within a part of a step, the trapezoidal rule divides displacements by h twice */
    if (engines_formulation == &lk_formulation_ali3 && engines_order > 2) {
        double per_s = DBL_EPSILON * (engines_order - 1) * STEPS / time;

        noise[ACCELERATION] = fmax(noise[ACCELERATION], per_s * size_in(classical, VELOCITY));
        noise[SPIN_RATE] = fmax(noise[SPIN_RATE], per_s * size_in(classical, SPIN));
    }
    /* rates of rows have the round-off of velocities */
    noise[RESIDUAL_VELOCITY] =
        fmax(fmax(noise[VELOCITY], noise[SPIN]),
             DBL_EPSILON * fmax(size_in(classical, VELOCITY), size_in(classical, SPIN)));
    noise[OUTPUTS + LK_OUTPUT_RESIDUAL] =
        fmax(fmax(noise[RESIDUAL_POSITION], noise[RESIDUAL_VELOCITY]), noise[INCREMENT]);
    /* the number of whole turns of an angle is found by extrapolation of its rate over half a
     * step */
    noise[OUTPUTS + LK_OUTPUT_JOINT_POSITION] +=
        0.5 * time / STEPS * noise[OUTPUTS + LK_OUTPUT_JOINT_VELOCITY];
}

/* Return true if `rk4` and higher orders accept the model, whose motion must be slow enough for the
 * step. */
static bool is_fit(const struct lk_model *model)
{
    struct lk_system *sys = NULL;
    struct lk_error error = {0};
    struct lk_options options = {.engine = "none", .order = engines_order > 2 ? engines_order : 0};
    bool is_too_fast;

    if ((engines_formulation != &lk_formulation_rk4 && engines_order == 2) ||
        lk_system_new(model, &options, &sys, &error) == 0) {
        lk_system_free(sys);
        return true;
    }
    is_too_fast = strstr(error.text, "a step, expected at most") != NULL;
    if (!is_too_fast)
        fail_msg("%s", error.text);
    return false;
}

void engines_compare(const struct subject *s, const char *what)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    struct lk_model *model = read_model(s);
    double noise[KINDS] = {0}, roundoff, time;
    struct record classical;
    struct lk_system *sys;

    if (!is_fit(model)) {
        engines_unfit++;
        lk_model_free(model);
        return;
    }
    sys = compile_model(s, model, "none");
    roundoff = DBL_EPSILON * size_of(sys);
    time = STEPS * sys->h;
    classical = run(s, sys);
    measure_noise(s, model, &classical, time, roundoff, noise);
    lk_engines_here(here);
    for (int i = 0; here[i]; i++) {
        struct record by_engine = run(s, compile_model(s, model, here[i]->name));
        char where[160];

        snprintf(where, sizeof(where), "%s by %s", what, here[i]->name);
        compare(&classical, &by_engine, noise, where);
        free_record(&by_engine);
    }
    engines_compared++;
    engines_refused += classical.status != 0;
    free_record(&classical);
    lk_model_free(model);
}

void engines_compare_mechanism(struct mechanism *m, const char *what)
{
    engines_compare(&(struct subject){.mechanism = m, .seed = m->seed}, what);
    mechanism_free(m);
}

void engines_report(void)
{
    printf("%d mechanisms, %d refused, %d unfit for rk4; of what is allowed at most:",
           engines_compared, engines_refused, engines_unfit);
    for (int k = 0; k < KINDS; k++)
        if (worst[k] > 0)
            printf(" %s %.2g", name_of(k), worst[k]);
    printf("\n");
}
