/* SPDX-License-Identifier: Apache-2.0 */
/* Ports: impedances whose parameters are inputs, the work of each input, the mobility at the point
 * where it acts, and outputs that are predicted ahead; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "maths/vec.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS 10.0

/* a mass of 10 kg on a guide with two ports */
static const char rig[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  mass: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0], "
                      "velocity: [1, 0, 0]}\n"
                      "joints:\n"
                      "  guide: {type: prismatic, bodies: [ground, mass], point: [0, 0, 0], "
                      "axis: [1, 0, 0]}\n"
                      "forces:\n"
                      "  port: {type: impedance, joint: guide, force: {input: push}, stiffness: "
                      "{input: k}, damping: {input: c}, rest: {input: rest}}\n"
                      "  other: {type: impedance, joint: guide, force: {input: more}, "
                      "stiffness: 0, damping: 0, rest: 0.5}\n"
                      "inputs:\n"
                      "  push: {type: signal}\n"
                      "  k: {type: signal}\n"
                      "  c: {type: signal}\n"
                      "  rest: {type: signal}\n"
                      "  more: {type: signal}\n"
                      "outputs:\n"
                      "  x: {type: joint-position, joint: guide}\n"
                      "  v: {type: joint-velocity, joint: guide}\n"
                      "  port_force: {type: force, force: port}\n"
                      "  other_force: {type: force, force: other}\n"
                      "  energy: {type: energy}\n"
                      "  work: {type: work}\n";

/** struct said - the inputs of the rig in their order, as a bench sends them */
struct said {
    double push;
    double k;
    double c;
    double rest;
    double more;
};

static void go(struct lk_system *sys, const struct said *said)
{
    assert_int_equal(lk_system_step(sys, &said->push), 0);
}

static struct said said_at(int step)
{
    static const double stiff[] = {0, 1e4, 1e6, 1e2, 1e8, 0};
    int phase = step / 100 % 6;

    return (struct said){
        .push = 5 * sin(0.01 * step),
        .k = stiff[phase],
        .c = phase % 2 == 0 ? 20 : 0,
        .rest = phase == 3 ? 0.02 : -0.01,
        .more = phase == 5 ? -3 : 1,
    };
}

/* m (v1 - v0) / h = push - k ((x0 + x1) / 2 - rest) - c (x1 - x0) / h, x1 - x0 = h (v0 + v1) / 2 */
static void step_of_rule(const struct said *s, double h, double *x, double *v)
{
    double a = (s->push + s->more - s->k * (*x + 0.5 * h * *v - s->rest) - s->c * *v) /
               (MASS + 0.25 * h * h * s->k + 0.5 * h * s->c);

    *x += h * *v + 0.5 * h * h * a;
    *v += h * a;
}

/* Parameters that change at any time by six powers of ten act according to the implicit rule of
 * springs. The energy balance contains the same work that the bench computes for itself. */
static void constants_change_at_any_time(void **state)
{
    const double h = 0.001;
    double x = 0, v = 1, work = 0, largest = 0;
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(rig, h);
    for (int i = 0; i < 1800; i++) {
        struct said s = said_at(i);
        double before = read_output(sys, "x", 0), after, mean;

        go(sys, &s);
        step_of_rule(&s, h, &x, &v);
        after = read_output(sys, "x", 0);
        mean =
            s.push + s.more - s.k * (0.5 * (before + after) - s.rest) - s.c * (after - before) / h;
        work += mean * (after - before);
        largest = fmax(largest, fabs(work));
        assert_true(fabs(after - x) < 1e-9 * fmax(fabs(x), 1));
        assert_true(fabs(read_output(sys, "v", 0) - v) < 1e-9 * fmax(fabs(v), 1));
        assert_true(fabs(read_output(sys, "other_force", 0) - s.more) < 1e-12);
        assert_true(fabs(read_output(sys, "work", 0) - work) < 1e-13 * largest);
        assert_true(fabs(read_output(sys, "work", 1)) == 0);
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-9 * largest);
        /* continue from the state of the model, so that round-off of this rule does not
         * accumulate */
        x = after;
        v = read_output(sys, "v", 0);
    }
    assert_true(largest > 1);
    lk_system_free(sys);
}

/* However stiff the bench is, the energy of the oscillation is constant. */
static void nothing_grows(void **state)
{
    static const double stiff[] = {1, 1e4, 1e5, 1e6, 1e9, 1e12};

    (void)state;
    step_with("rattle");
    for (int k = 0; k < 6; k++) {
        struct said s = {.k = stiff[k]};
        struct lk_system *sys = compile(rig, 0.001);
        double largest = 0;

        for (int i = 0; i < 10000; i++) {
            go(sys, &s);
            largest = fmax(largest, fabs(read_output(sys, "v", 0)));
        }
        assert_true(largest < 1 + 1e-6);
        assert_true(largest > 0.9);
        lk_system_free(sys);
    }
}

/* Return the largest error within a second for the mass on a spring of the bench whose end moves as
 * A sin(w t). The end of the spring has its position at the middle of each step. */
static double error_of(double h)
{
    const double k = 1e3, A = 0.01, w = 25, w0 = sqrt(k / MASS);
    /* x = P sin(w t) + Q sin(w0 t) */
    const double P = A / (1 - w * w / (w0 * w0)), Q = (1 - P * w) / w0;
    struct said s = {.k = k};
    struct lk_system *sys;
    double worst = 0;

    step_with("rattle");
    sys = compile(rig, h);
    for (int i = 0; i < (int)lround(1 / h); i++) {
        double t = (i + 1) * h;

        s.rest = A * sin(w * (i + 0.5) * h);
        go(sys, &s);
        worst = fmax(worst, fabs(read_output(sys, "x", 0) - P * sin(w * t) - Q * sin(w0 * t)));
    }
    lk_system_free(sys);
    return worst;
}

static void follows_a_moving_rest_with_order_two(void **state)
{
    double coarse = error_of(0.001), fine = error_of(0.0005);

    (void)state;
    assert_true(coarse < 1e-5);
    assert_true(coarse / fine > 3.8 && coarse / fine < 4.2);
}

/* a four-bar with a spring of the model, or with the equivalent spring of a bench */
static const char loop[] =
    HEAD("[0, -9.81, 0]") "bodies:\n"
                          "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
                          "  coupler: {mass: 1, inertia: [1, 1, 1], position: [0.6, 1, 0]}\n"
                          "  rocker: {mass: 1, inertia: [1, 1, 1], position: [1.2, 0.5, 0]}\n"
                          "joints:\n"
                          "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: "
                          "[0, 0, 1]}\n"
                          "  b: {type: revolute, bodies: [crank, coupler], point: [0, 1, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  c: {type: revolute, bodies: [coupler, rocker], point: [1.2, 1, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  d: {type: revolute, bodies: [rocker, ground], point: [1.2, 0, 0], "
                          "axis: [0, 0, 1]}\n"
                          "forces:\n"
                          "  turn: {%s}\n"
                          "outputs:\n"
                          "  x: {type: joint-position, joint: a}\n"
                          "  v: {type: joint-velocity, joint: a}\n"
                          "  load: {type: joint-reaction, joint: c}\n"
                          "  force: {type: force, force: turn}\n"
                          "%s"
                          "solver: {step: 0.001, formulation: %s, engine: %s, order: %d}\n";

static struct lk_system *compile_loop(const char *force, const char *inputs, const char *how,
                                      const char *engine, int order)
{
    char text[4096];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    snprintf(text, sizeof(text), loop, force, inputs, how, engine, order);
    assert_int_equal(lk_model_read_text("loop", text, strlen(text), &model, &error), 0);
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

/* Compare a spring of the model with the equivalent spring of a bench, for several ways of
 * stepping. @sign: sign of the spring's force relative to that of the bench */
static void compare_springs(const char *spring, const char *bench_text, const double inputs[3],
                            double sign)
{
    static const struct {
        const char *how;
        const char *engine;
        int order;
    } by[] = {{"rattle", "none", 2}, {"rattle", "lanes", 2}, {"ali3", "none", 2}};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    char said[512];

    snprintf(said, sizeof(said),
             "inputs:\n  k: {type: signal, initial: %g}\n  c: {type: signal, initial: %g}\n"
             "  rest: {type: signal, initial: %g}\n",
             inputs[0], inputs[1], inputs[2]);
    lk_engines_here(here);
    for (int k = 0; k < 3; k++) {
        struct lk_system *model, *bench;
        double expected[OUTPUTS_MAX], found[OUTPUTS_MAX];
        const char *engine = strcmp(by[k].engine, "lanes") == 0 ? here[0]->name : by[k].engine;

        model = compile_loop(spring, "", by[k].how, engine, by[k].order);
        bench = compile_loop(bench_text, said, by[k].how, engine, by[k].order);
        for (int i = 0; i < 400; i++) { /* later steps pass a change point */
            assert_int_equal(lk_system_step(model, NULL), 0);
            assert_int_equal(lk_system_step(bench, inputs), 0);
            lk_system_outputs(model, expected);
            lk_system_outputs(bench, found);
            expected[8] *= sign;
            for (int n = 0; n < 9; n++)
                assert_true(fabs(found[n] - expected[n]) <= 1e-9 * fmax(fabs(expected[n]), 1));
        }
        lk_system_free(model);
        lk_system_free(bench);
    }
}

static void same_as_a_spring_of_the_model(void **state)
{
    (void)state;
    compare_springs("type: joint-spring-damper, joint: a, stiffness: 180, damping: 0.4, rest: -0.6",
                    "type: impedance, joint: a, stiffness: {input: k}, damping: {input: c}, "
                    "rest: {input: rest}",
                    (const double[]){180, 0.4, -0.6}, 1);
    compare_springs("type: spring-damper, bodies: [crank, rocker], points: [[0.1, 0.7, 0.2], "
                    "[1.2, 0.2, 0]], stiffness: 300, damping: 2, rest_length: 0.7",
                    "type: impedance, bodies: [crank, rocker], points: [[0.1, 0.7, 0.2], "
                    "[1.2, 0.2, 0]], stiffness: {input: k}, damping: {input: c}, rest: {input: "
                    "rest}",
                    (const double[]){300, 2, 0.7}, -1);
}

/* After a reset a run has the same bits, and a refused step changes none. */
static void begins_again_with_the_same_bits(void **state)
{
    double expected[OUTPUTS_MAX], found[OUTPUTS_MAX];
    struct said wrong = {.k = NAN};
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(rig, 0.001);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 450; i++) {
            struct said s = said_at(i);

            go(sys, &s);
            if (round == 1 && i % 50 == 0)
                assert_int_equal(lk_system_step(sys, &wrong.push), LK_E_NOT_FINITE);
        }
        lk_system_outputs(sys, round == 0 ? expected : found);
        lk_system_reset(sys);
    }
    assert_memory_equal(found, expected, (size_t)lk_system_output_size(sys) * sizeof(double));
    lk_system_free(sys);
}

/* The step treats negative parameters as 0: springs with negative stiffness and dampers that drive
 * are not supported. */
static void negative_constants_count_as_none(void **state)
{
    struct said s = {.k = -1e6, .c = -1e3};
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(rig, 0.001);
    for (int i = 0; i < 1000; i++)
        go(sys, &s);
    assert_true(fabs(read_output(sys, "x", 0) - 1) < 1e-9);
    lk_system_free(sys);
}

/* ---- mobility and work ---- */

/* a crank and a rocker of unequal lengths, with redundant rows, driven by a torque and loaded at
 * the coupler */
static const char uneven[] =
    HEAD("[0, -9.81, 0]") "bodies:\n"
                          "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 0.25, 0], "
                          "angular_velocity: [0, 0, 3]}\n"
                          "  coupler: {mass: 2, inertia: [1, 2, 3], position: [0.6, 0.7, 0]}\n"
                          "  rocker: {mass: 3, inertia: [1, 1, 1], position: [1.2, 0.5, 0]}\n"
                          "joints:\n"
                          "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: "
                          "[0, 0, 1]}\n"
                          "  b: {type: revolute, bodies: [crank, coupler], point: [0, 0.5, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  c: {type: revolute, bodies: [coupler, rocker], point: [1.2, 1, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  d: {type: revolute, bodies: [rocker, ground], point: [1.2, 0, 0], "
                          "axis: [0, 0, 1]}\n"
                          "forces:\n"
                          "  port: {type: impedance, joint: a, stiffness: {input: k}}\n"
                          "inputs:\n"
                          "  motor: {type: joint-torque, joint: a}\n"
                          "  push: {type: body-force, body: coupler, point: [1, 1, 0]}\n"
                          "  k: {type: signal}\n"
                          "outputs:\n"
                          "  x: {type: joint-position, joint: a}\n"
                          "  v: {type: joint-velocity, joint: a}\n"
                          "  of_motor: {type: mobility, input: motor}\n"
                          "  of_port: {type: mobility, force: port}\n"
                          "  of_push: {type: mobility, input: push}\n"
                          "  tip: {type: point-velocity, body: coupler, point: [1, 1, 0]}\n"
                          "  by_motor: {type: port-work, input: motor}\n"
                          "  by_push: {type: port-work, input: push}\n"
                          "  by_port: {type: port-work, force: port}\n"
                          "  energy: {type: energy}\n"
                          "  work: {type: work}\n";

static bool is_close(double found, double expected, double scale)
{
    return fabs(found - expected) <= scale * fmax(fabs(expected), 1);
}

/* With one degree of freedom, the mobility at each point is rate^2 / 2 T; a spring at the port does
 * not affect it. The mobility of a vector force has the components of the velocity of its point. */
static void mobility_of_one_freedom(void **state)
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(uneven, 0.001);
    for (int i = 0; i < 2000; i++) {
        double twice = 2 * read_output(sys, "energy", 0), v = read_output(sys, "v", 0);
        const double inputs[] = {20 * cos(0.002 * i), 1, -2, 3, i < 1000 ? 0 : 30};

        assert_true(is_close(read_output(sys, "of_motor", 0), v * v / twice, 1e-9));
        assert_true(is_close(read_output(sys, "of_port", 0), v * v / twice, 1e-9));
        for (int k = 0; k < 6; k++)
            assert_true(is_close(read_output(sys, "of_push", k),
                                 read_output(sys, "tip", pair[k][0]) *
                                     read_output(sys, "tip", pair[k][1]) / twice,
                                 1e-9));
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
    lk_system_free(sys);
}

/* ---- between two points ---- */

/* a loop with redundant rows, and a bar that only the bench connects to it */
static const char apart[] =
    HEAD("[0, -9.81, 0]") "bodies:\n"
                          "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 0.25, 0], "
                          "angular_velocity: [0, 0, 3]}\n"
                          "  coupler: {mass: 2, inertia: [1, 2, 3], position: [0.6, 0.7, 0]}\n"
                          "  rocker: {mass: 3, inertia: [1, 1, 1], position: [1.2, 0.5, 0]}\n"
                          "  bar: {mass: 0.5, inertia: [0.03, 0.05, 0.07], position: [0.3, 2, 1], "
                          "angular_velocity: [1, 2, 3]}\n"
                          "joints:\n"
                          "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: "
                          "[0, 0, 1]}\n"
                          "  b: {type: revolute, bodies: [crank, coupler], point: [0, 0.5, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  c: {type: revolute, bodies: [coupler, rocker], point: [1.2, 1, 0], "
                          "axis: [0, 0, 1]}\n"
                          "  d: {type: revolute, bodies: [rocker, ground], point: [1.2, 0, 0], "
                          "axis: [0, 0, 1]}\n"
                          "forces:\n"
                          "  port: {type: impedance, bodies: [coupler, bar], points: [[0.9, 0.8, "
                          "0.1], [0.2, 2.1, 0.9]], force: {input: push}, stiffness: {input: k}, "
                          "damping: {input: c}}\n"
                          "inputs:\n"
                          "  push: {type: signal}\n"
                          "  k: {type: signal}\n"
                          "  c: {type: signal}\n"
                          "outputs:\n"
                          "  mobility: {type: mobility, force: port}\n"
                          "  by_port: {type: port-work, force: port}\n"
                          "  force: {type: force, force: port}\n"
                          "  one: {type: point-position, body: coupler, point: [0.9, 0.8, 0.1]}\n"
                          "  other: {type: point-position, body: bar, point: [0.2, 2.1, 0.9]}\n"
                          "  work: {type: work}\n";

static double distance_of_points(struct lk_system *sys)
{
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double d = read_output(sys, "other", i) - read_output(sys, "one", i);

        sum += d * d;
    }
    return sqrt(sum);
}

#define COLUMNS 24 /* columns of four bodies */

/* Solve A x = b with pivoting; A and b are overwritten. Null pivots give x = 0. */
static void eliminate(int n, double *A, double *b)
{
    int row_of[COLUMNS], used[COLUMNS] = {0};

    for (int c = 0; c < n; c++) {
        int best = -1;

        for (int r = 0; r < n; r++)
            if (!used[r] && (best < 0 || fabs(A[r * n + c]) > fabs(A[best * n + c])))
                best = r;
        row_of[c] = best >= 0 && fabs(A[best * n + c]) > 1e-9 ? best : -1;
        if (row_of[c] < 0)
            continue;
        used[best] = 1;
        for (int r = 0; r < n; r++) {
            double f = A[r * n + c] / A[best * n + c];

            for (int k = c; k < n && r != best; k++)
                A[r * n + k] -= f * A[best * n + k];
            b[r] -= r != best ? f * b[best] : 0;
        }
    }
    for (int c = 0; c < n; c++)
        A[c] = row_of[c] < 0 ? 0 : b[row_of[c]] / A[row_of[c] * n + c];
    memcpy(b, A, (size_t)n * sizeof(*b));
}

static void apply_W(const struct lk_system *sys, const double *row, double *ret)
{
    for (int body = 0; body < sys->n_bodies; body++, row += 6, ret += 6) {
        for (int i = 0; i < 3; i++)
            ret[i] = sys->W[body].mass * row[i];
        lk_sym_mul(sys->W[body].inertia, row + 3, ret + 3);
    }
}

static double product(const double *a, const double *b)
{
    double sum = 0;

    for (int k = 0; k < COLUMNS; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Return the mobility computed with full matrices: D (W - W J^T (J W J^T)^-1 J W) D^T, where D is
 * the row between the points. */
static double dense_mobility(const struct lk_system *sys, int port)
{
    double J[COLUMNS][COLUMNS] = {{0}}, D[COLUMNS] = {0}, WD[COLUMNS], WJ[COLUMNS];
    double A[COLUMNS * COLUMNS], b[COLUMNS], before[COLUMNS], sum;
    int m = 0;

    for (int i = 0; i < sys->n_joints; i++)
        for (int r = 0; r < sys->joint[i].n_rows; r++) {
            double *row = i == port ? D : J[m];

            for (int s = 0; s < 2; s++)
                if (sys->joint[i].body[s] < sys->n_bodies)
                    lk_jacobian_row(sys->jacobian[i], s, r, row + 6 * sys->joint[i].body[s]);
            m += i != port;
        }
    assert_true(m == 12 && 6 * sys->n_bodies == COLUMNS);
    apply_W(sys, D, WD);
    for (int r = 0; r < m; r++) {
        apply_W(sys, J[r], WJ);
        before[r] = b[r] = product(J[r], WD);
        for (int c = 0; c < m; c++)
            A[c * m + r] = product(J[c], WJ);
    }
    eliminate(m, A, b);
    sum = product(D, WD);
    for (int r = 0; r < m; r++)
        sum -= before[r] * b[r];
    return sum;
}

/* The port has the mobility of its direction, and its work is that of the change of distance. Both
 * are compared with independent computations. */
static void between_two_points(void **state)
{
    const double h = 0.001;
    double work = 0, largest = 0;
    struct lk_system *sys;
    int port = -1;

    (void)state;
    step_with("rattle");
    sys = compile(apart, h);
    for (int i = 0; i < sys->n_joints; i++)
        port = sys->joint[i].type == LK_JOINT_DISTANCE ? i : port;
    for (int i = 0; i < 1500; i++) {
        const double inputs[] = {5 * cos(0.003 * i), i < 700 ? 30 : 1e4, i < 300 ? 0 : 2};
        double x = distance_of_points(sys), way, force, rest = sqrt(0.49 + 1.69 + 0.64);

        if (i % 50 == 0)
            assert_true(is_close(read_output(sys, "mobility", 0), dense_mobility(sys, port), 1e-7));
        assert_int_equal(lk_system_step(sys, inputs), 0);
        way = distance_of_points(sys) - x;
        force = inputs[0] - inputs[1] * (x + 0.5 * way - rest) - inputs[2] * way / h;
        work += force * way;
        largest = fmax(largest, fabs(work));
        assert_true(fabs(read_output(sys, "by_port", 0) - work) < 1e-10 * largest + 1e-13);
        assert_true(fabs(read_output(sys, "work", 0) - work) < 1e-10 * largest + 1e-13);
    }
    assert_true(largest > 0.5);
    /* the energy of the model equals the work of the port, to the order of the step */
    assert_true(fabs(read_output(sys, "work", 4)) < 1e-3 * largest);
    lk_system_free(sys);
}

/* a free bar, and two of three links: several degrees of freedom */
static const char free_links[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  bar: {mass: 2, inertia: [0.3, 0.5, 0.7], position: [0, 0, 0], "
                      "angular_velocity: [1, 2, 3]}\n"
                      "  arm: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [5, 0, 0]}\n"
                      "  hand: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [6, 0, 0], "
                      "angular_velocity: [0, 0, 2]}\n"
                      "joints:\n"
                      "  shoulder: {type: spherical, bodies: [ground, arm], point: [4.5, 0, 0]}\n"
                      "  elbow: {type: revolute, bodies: [arm, hand], point: [5.5, 0, 0], axis: "
                      "[0, 0, 1]}\n"
                      "inputs:\n"
                      "  push: {type: body-force, body: bar, point: [0.4, 0, 0], frame: body}\n"
                      "  turn: {type: body-torque, body: bar, frame: body}\n"
                      "  grip: {type: body-force, body: hand, point: [6.5, 0, 0]}\n"
                      "outputs:\n"
                      "  of_push: {type: mobility, input: push}\n"
                      "  of_turn: {type: mobility, input: turn}\n"
                      "  of_grip: {type: mobility, input: grip}\n"
                      "  tip: {type: point-velocity, body: hand, point: [6.5, 0, 0]}\n";

static void mobility_of_a_free_body(void **state)
{
    /* 1 / m + (p x)^T J^-1 (p x) with p = (0.4, 0, 0) */
    static const double push[6] = {0.5, 0.5 + 0.16 / 0.7, 0.5 + 0.16 / 0.5, 0, 0, 0};
    static const double turn[6] = {1 / 0.3, 1 / 0.5, 1 / 0.7, 0, 0, 0};
    const double inputs[9] = {0};
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(free_links, 0.001);
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 6; k++) {
            assert_true(is_close(read_output(sys, "of_push", k), push[k], 1e-12));
            assert_true(is_close(read_output(sys, "of_turn", k), turn[k], 1e-12));
        }
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
    lk_system_free(sys);
}

/* The velocity after a step with a force is its impulse times the mean of the mobilities at both
 * ends of the step, up to terms with h.
 * Return: largest difference */
static double error_by_steps(double h)
{
    static const int component[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double worst = 0;
    int steps = (int)lround(0.2 / h);

    for (int k = 0; k < 3; k++) {
        double mobility[3], tip[2][3], inputs[9] = {0};

        for (int sign = 0; sign < 2; sign++) {
            struct lk_system *sys = compile(free_links, h);

            for (int i = 0; i < steps; i++) {
                const double turning[9] = {[6] = 3, [8] = 1};

                assert_int_equal(lk_system_step(sys, turning), 0);
            }
            for (int l = 0; l < 3; l++)
                mobility[l] = 0.5 * read_output(sys, "of_grip", component[k][l]);
            memset(inputs, 0, sizeof(inputs));
            inputs[6 + k] = sign == 0 ? -1 : 1;
            assert_int_equal(lk_system_step(sys, inputs), 0);
            for (int l = 0; l < 3; l++) {
                mobility[l] += 0.5 * read_output(sys, "of_grip", component[k][l]);
                tip[sign][l] = read_output(sys, "tip", l);
            }
            lk_system_free(sys);
        }
        for (int l = 0; l < 3; l++)
            worst = fmax(worst, fabs((tip[1][l] - tip[0][l]) / (2 * h) - mobility[l]));
    }
    return worst;
}

static void mobility_by_differences_of_the_step(void **state)
{
    double coarse, fine;

    (void)state;
    step_with("rattle");
    coarse = error_by_steps(0.001);
    fine = error_by_steps(0.0005);
    /* gyroscopic forces of the additional velocity cause a term with h */
    assert_true(coarse < 5e-3);
    assert_true(fabs(2 * fine - coarse) < 1e-5);
}

/* The sum of the work of all inputs is that of the model, and each part is what its bench
 * computes. */
static void each_input_has_its_work(void **state)
{
    double motor = 0, push = 0, port = 0, largest = 0;
    const double h = 0.001;
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(uneven, h);
    for (int i = 0; i < 1500; i++) {
        const double inputs[] = {20 * cos(0.002 * i), 1, -2, 3, 50};
        double x = read_output(sys, "x", 0), v = read_output(sys, "v", 0), tip[3], way;

        for (int k = 0; k < 3; k++)
            tip[k] = read_output(sys, "tip", k);
        assert_int_equal(lk_system_step(sys, inputs), 0);
        way = read_output(sys, "x", 0) - x;
        motor += 0.5 * h * inputs[0] * (v + read_output(sys, "v", 0));
        for (int k = 0; k < 3; k++)
            push += 0.5 * h * inputs[1 + k] * (tip[k] + read_output(sys, "tip", k));
        port -= 50 * (x + 0.5 * way) * way;
        largest = fmax(largest, fabs(motor) + fabs(push) + fabs(port));
        assert_true(fabs(read_output(sys, "by_motor", 0) - motor) < 1e-11 * largest);
        assert_true(fabs(read_output(sys, "by_push", 0) - push) < 1e-11 * largest);
        assert_true(fabs(read_output(sys, "by_port", 0) - port) < 1e-11 * largest);
        assert_true(fabs(read_output(sys, "work", 0) - motor - push - port) < 1e-11 * largest);
    }
    assert_true(largest > 1);
    lk_system_reset(sys);
    assert_true(read_output(sys, "by_motor", 0) == 0 && read_output(sys, "by_port", 0) == 0);
    lk_system_free(sys);
}

/* ---- prediction ---- */

static const char swinging[] = HEAD(
    "[0, -9.81, 0]") "bodies:\n"
                     "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
                     "joints:\n"
                     "  pin: {type: revolute, bodies: [ground, bob], point: [0, 0, 0], axis: "
                     "[0, 0, 1]}\n"
                     "outputs:\n"
                     "  x: {type: joint-position, joint: pin}\n"
                     "  v: {type: joint-velocity, joint: pin}\n"
                     "  p: {type: point-position, body: bob, point: [1, 0.3, 0]}\n"
                     "  w: {type: point-velocity, body: bob, point: [1, 0.3, 0]}\n"
                     "  xa: {type: joint-position, joint: pin, ahead: %g}\n"
                     "  va: {type: joint-velocity, joint: pin, ahead: %g}\n"
                     "  pa: {type: point-position, body: bob, point: [1, 0.3, 0], ahead: %g}\n"
                     "  wa: {type: point-velocity, body: bob, point: [1, 0.3, 0], ahead: %g}\n";

/* Compute the largest error of each prediction of @steps times 0.1 ms, during a swing. */
static void errors_ahead(int steps, double worst[4])
{
    static const char *const names[4] = {"x", "v", "p", "w"};
    static const char *const aheads[4] = {"xa", "va", "pa", "wa"};
    double said[4][3][64] = {{{0}}}, ahead = 1e-4 * steps;
    char text[2048];
    struct lk_system *sys;

    snprintf(text, sizeof(text), swinging, ahead, ahead, ahead, ahead);
    sys = compile(text, 1e-4);
    for (int i = 0; i < 10000; i++) {
        for (int q = 0; q < 4; q++)
            for (int k = 0; k < (q < 2 ? 1 : 3); k++) {
                double *slot = &said[q][k][i % steps];

                if (i >= steps)
                    worst[q] = fmax(worst[q], fabs(*slot - read_output(sys, names[q], k)));
                *slot = read_output(sys, aheads[q], k);
            }
        assert_int_equal(lk_system_step(sys, NULL), 0);
    }
    lk_system_free(sys);
}

/* The error of positions has the third power of the time ahead, that of velocities the second. */
static void what_is_ahead_comes(void **state)
{
    double coarse[4] = {0}, fine[4] = {0};

    (void)state;
    step_with("rattle");
    errors_ahead(40, coarse);
    errors_ahead(20, fine);
    for (int q = 0; q < 4; q++) {
        double expected = q % 2 == 0 ? 8 : 4;

        assert_true(coarse[q] / fine[q] > 0.9 * expected && coarse[q] / fine[q] < 1.1 * expected);
        assert_true(coarse[q] < (q % 2 == 0 ? 4e-6 : 3e-3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_change_at_any_time),
        cmocka_unit_test(nothing_grows),
        cmocka_unit_test(follows_a_moving_rest_with_order_two),
        cmocka_unit_test(same_as_a_spring_of_the_model),
        cmocka_unit_test(begins_again_with_the_same_bits),
        cmocka_unit_test(negative_constants_count_as_none),
        cmocka_unit_test(mobility_of_one_freedom),
        cmocka_unit_test(between_two_points),
        cmocka_unit_test(mobility_of_a_free_body),
        cmocka_unit_test(mobility_by_differences_of_the_step),
        cmocka_unit_test(each_input_has_its_work),
        cmocka_unit_test(what_is_ahead_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
