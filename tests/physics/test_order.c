/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a higher order: the order of convergence on smooth motion, properties that are the same
 * as with a plain step, and refusals.
 *
 * An observed order is the mean over three halvings of the step. It differs from the true order by
 * the next term of the error, which is halved with each halving. 2.8 and 3.7 are required, never
 * less than is measured, and 5.5 of order 6, down to where round-off begins. Errors are limited by
 * round-off and by the effect of artificial masses: about 1e-12 m, far below the errors at the
 * finest step of the table. */
#include "alloc_guard.h"
#include "cmocka_all.h"
#include "linkage/energy.h"
#include "reference_cases.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALVINGS 3

/** struct method - a step of a higher order
 * @solver:      text in the solver section;  @order: the option that selects it, 0: none
 * @least_order: least mean order over the halvings
 * @error:       bound, relative to that of extrapolation of order 4 of `ali3`
 * @iterations:  replaces 3 iterations of a model
 * @has_floor:   its errors end at those of the reference */
static const struct method {
    const char *name;
    const char *solver;
    int order;
    double least_order;
    double error;
    int iterations;
    int has_floor;
} methods[] = {
    {"order 3", "solver: {formulation: ali3, order: 3, ", 3, 2.8, INFINITY, 3, 0},
    {"order 4", "solver: {formulation: ali3, order: 4, ", 4, 3.7, 1, 3, 0},
    /* a sixth of the time for up to twenty times the error; the four-bar reaches its order below 10
     * ms, and 3.65 is the mean from 20 ms on */
    {"rk4", "solver: {formulation: rk4, ", 0, 3.6, 25, 3, 0},
    /* half as many steps as order 4 */
    {"rattle 4", "solver: {formulation: rattle, order: 4, ", 4, 3.8, 15, 4, 1},
    {"rattle 6", "solver: {formulation: rattle, order: 6, ", 6, 5.5, 15, 4, 1},
};
#define METHODS (sizeof(methods) / sizeof(*methods))

/* ---- comparison with the reference trajectories ---- */

/** struct expectation - bounds of the errors of a case
 * @h:         coarsest step [s], @end: [s]
 * @tolerance: for order 4 at @h, in m, m/s, N, twice the measured value; those at finer steps
 *             result from the order, and those of order 3 are larger
 * @floor:     least error of order 6: round-off, and for reactions the digits of the reference */
struct expectation {
    const char *name;
    double h;
    double end;
    double tolerance[QUANTITIES];
    double floor[QUANTITIES];
};

static const struct expectation expectations[] = {
    {"double-pendulum", 0.02, 4, {2e-7, 8e-7, 3e-6}, {1e-12, 4e-12, 1e-11}},
    {"heavy-top", 0.01, 2, {6e-8, 3e-7, 3e-5}, {1e-12, 4e-12, 2e-9}},
    {"chain-8", 0.01, 3, {1.4e-7, 7e-7, 3e-6}, {1e-11, 1e-11, 2e-9}},
    /* seven hinges with axes in three directions: 12 rad/s */
    {"arm", 3.125e-3, 2, {5.8e-7, 5.4e-6, 2.2e-4}, {5e-12, 6e-11, 2e-9}},
    /* the aligned pose, with three redundant rows, is passed five times: the accuracy of order 6
     * depends on how close a step ends to this pose */
    {"four-bar", 0.02, 10, {7e-7, 3e-6, 1.6e-5}, {2e-9, 8e-9, 4e-8}},
    {"closed-loop-four", 0.01, 4, {4e-9, 1.8e-8, 1.2e-7}, {2e-13, 1e-12, 1e-11}},
    /* wheels that oscillate vertically at 130 rad/s */
    {"sprung-car", 2.5e-3, 2, {1.2e-7, 2.2e-5, 4.2e-3}, {1e-13, 2e-12, 6e-10}},
    /* a spring and a damper between bodies of a loop, as compliant rows */
    {"strut", 0.01, 3, {2.4e-9, 4.4e-9, 4e-8}, {2e-13, 1e-12, 1e-11}},
    /* a fast crank with unequal moments of inertia: gyroscopic torques */
    {"slider-crank-3d", 2.5e-3, 1, {2e-7, 4e-6, 4e-5}, {4e-12, 1e-10, 1e-7}},
};

/* Return the reference case with @method in the solver section of its model. @replace: memory for
 * the replaced texts */
static struct reference_case case_of(const struct expectation *e, const struct method *method,
                                     const char *replace[REPLACE_MAX + 3])
{
    struct reference_case c = *reference_case(e->name);
    int n = 0;

    for (; c.replace && c.replace[n]; n++)
        replace[n] = c.replace[n];
    replace[n++] = "solver: {";
    replace[n++] = method->solver;
    replace[n] = NULL;
    c.replace = replace;
    c.end = e->end;
    return c;
}

/* Return the mean order of errors at halved steps, as long as they are above @floor; INFINITY if
 * the second error is below. */
static double mean_order(const double error[HALVINGS + 1], double floor)
{
    int last = 0;

    while (last < HALVINGS && error[last + 1] > floor)
        last++;
    return last > 0 ? log2(error[0] / error[last]) / last : INFINITY;
}

static void converges_with(const struct expectation *e, const struct method *method)
{
    static const char *const names[QUANTITIES] = {"position", "velocity", "reaction"};
    const char *replace[REPLACE_MAX + 3];
    struct trajectory run[HALVINGS + 1];
    struct reference_case c = case_of(e, method, replace);

    for (int k = 0; k <= HALVINGS; k++)
        trajectory_run(&c, e->h / (1 << k), method->iterations, &run[k]);
    for (int q = 0; q < QUANTITIES; q++) {
        const double error[] = {run[0].error[q], run[1].error[q], run[2].error[q], run[3].error[q]};
        double found = mean_order(error, method->has_floor ? e->floor[q] : 0);

        printf("    %-16s %-8s %s %.2e %.2e %.2e %.2e  order %.2f\n", e->name, method->name,
               names[q], error[0], error[1], error[2], error[3], found);
        assert_true(found > method->least_order);
        assert_true(error[0] < method->error * e->tolerance[q]);
    }
    /* joints are as closed as after a plain step, which leaves 1e-15 m and a part E of the rate
     * that the projection removes; the combination leaves hardly any */
    for (int k = 0; k <= HALVINGS; k++) {
        assert_true(run[k].violation[0] < 1e-12);
        assert_true(run[k].violation[1] < 1e-11);
    }
}

static void follows_reference(void **state)
{
    for (size_t i = 0; i < METHODS; i++)
        converges_with(*state, &methods[i]);
}

/* The aligned pose is passed four times. A sub-step that ends x rad from it has the regularisation,
 * 2e-8, beside x^2, and omits this part of its correction. So the error of a step is at most the
 * whole correction, that is the error of a plain step. */
static void ladder_keeps_its_branch(void **state)
{
    const struct expectation e = {.name = "ladder-2", .end = 10};
    const char *replace[REPLACE_MAX + 3];
    struct trajectory run, plain;

    (void)state;
    for (int i = 0; i < 6; i++) {
        const struct method *method = &methods[1 + i % 2];
        struct reference_case c = case_of(&e, method, replace);
        double h = 10e-3 / (1 << (i / 2));

        trajectory_run(&c, h, 3, &run);
        trajectory_run(reference_case("ladder-2"), h, 3, &plain);
        printf("    ladder-2, %s, %g ms: %.2e m, %.2e m/s, rows %.1e m, %.1e m/s; plain %.2e m\n",
               method->name, 1e3 * h, run.error[POSITION], run.error[VELOCITY], run.violation[0],
               run.violation[1], plain.error[POSITION]);
        assert_true(run.error[POSITION] < 1e-2 * plain.error[POSITION]);
        assert_true(run.error[VELOCITY] < 1e-2 * plain.error[VELOCITY]);
        assert_true(run.violation[0] < 1e-12);
    }
}

/* ---- comparison with a far shorter step ---- */

#define STATES 64

/** struct end - the result of a run
 * @x, @n:   positions, velocities, reactions and coordinates, and their number
 * @balance: error of the energy balance [J] */
struct end {
    double x[STATES];
    int n;
    double balance;
};

static struct lk_system *compile(const char *model_text, double h, const struct method *method)
{
    struct lk_options options = {.step = h};
    char text[4096];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    snprintf(text, sizeof(text), "%s%s}\n", model_text, method->solver);
    if (lk_model_read_text("test", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static double balance(const struct lk_system *sys)
{
    struct lk_health h;

    lk_system_health(sys, &h);
    return lk_energy_balance(&h);
}

/* Compute a force that jumps twenty times a second and is constant in between. */
static void push(double t, double inputs[3])
{
    int stair = (int)floor(t * 20 + 1e-6);

    for (int i = 0; i < 3; i++)
        inputs[i] = 4 * cos(2.0 * stair + i);
}

static void run_to(const char *text, double h, const struct method *method, double end,
                   struct end *ret)
{
    struct lk_system *sys = compile(text, h, method);
    double inputs[3], start = balance(sys);
    struct lk_body_state s;

    ret->n = 0;
    while (lk_system_time(sys) < end - 0.5 * h) {
        push(lk_system_time(sys), inputs);
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
    for (int b = 0; lk_system_body_index(sys, b == 0 ? "a" : "b") >= 0 && b < 2; b++) {
        lk_system_body_state(sys, b, &s);
        memcpy(ret->x + ret->n, s.position, sizeof(s.position));
        memcpy(ret->x + ret->n + 3, s.velocity, sizeof(s.velocity));
        memcpy(ret->x + ret->n + 6, s.angular_velocity, sizeof(s.angular_velocity));
        lk_system_joint_reaction(sys, b, ret->x + ret->n + 9);
        ret->n += 15;
    }
    ret->balance = fabs(balance(sys) - start);
    lk_system_free(sys);
}

static double distance(const struct end *a, const struct end *b)
{
    double most = 0;

    for (int i = 0; i < a->n; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    return most;
}

static const char pushed[] = "linkage: 1\n"
                             "name: pushed\n"
                             "gravity: [0, -9.81, 0]\n"
                             "bodies:\n"
                             "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
                             "  b: {mass: 1, inertia: [0.2, 0.1, 0.25], position: [1, 0, 0.5]}\n"
                             "joints:\n"
                             "  one: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
                             "  two: {type: universal, bodies: [a, b], point: [1, 0, 0],"
                             " axes: [[0, 0, 1], [0, 1, 0]]}\n"
                             "inputs:\n"
                             "  push: {type: body-force, body: b, point: [1, 0, 1]}\n";

static const char driven[] =
    "linkage: 1\n"
    "name: driven\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.2, 0.1, 0.25], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  one: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 1],"
    " drive: {harmonic: {amplitude: 0.7, omega: 6}}}\n"
    "  two: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  spring: {type: joint-spring-damper, joint: two, stiffness: 20, damping: 0.8}\n"
    "  strap: {type: spring-damper, bodies: [ground, b], points: [[0, -2, 1], [2, 0, 0]],"
    " stiffness: 30, damping: 2}\n"
    "  wind: {type: harmonic-force, body: b, point: [2, 0, 0], amplitude: [0, 3, 5], omega: 9,"
    " phase: 0.3}\n"
    "inputs:\n"
    "  push: {type: body-force, body: b, point: [2, 0, 0]}\n";

/** struct contest - a model that each method runs
 * @h:             coarsest step, and that of order 6 [s];  @end: [s]
 * @floor:         error of order 6 due to round-off or to the reference, in the units of struct
 *                 end; a third of it for other orders
 * @floor_balance: error of the energy balance at any step [J] */
struct contest {
    const char *text;
    double h[2];
    double end;
    double floor;
    double floor_balance;
};

static void converges(const struct contest *c)
{
    struct end exact, run[HALVINGS + 1];

    run_to(c->text, c->h[0] / (1 << (HALVINGS + 1)), &methods[1], c->end, &exact);
    for (size_t m = 0; m < METHODS; m++) {
        double error[HALVINGS + 1], left, h = c->h[methods[m].order == 6];

        for (int k = 0; k <= HALVINGS; k++) {
            run_to(c->text, h / (1 << k), &methods[m], c->end, &run[k]);
            error[k] = distance(&run[k], &exact);
        }
        printf("    %-8s %.2e %.2e %.2e %.2e, balance %.2e %.2e %.2e %.2e J\n", methods[m].name,
               error[0], error[1], error[2], error[3], run[0].balance, run[1].balance,
               run[2].balance, run[3].balance);
        left = fmax(run[2].balance - c->floor_balance, 0);
        assert_true(mean_order(error, methods[m].order == 6 ? c->floor : c->floor / 3) >
                    methods[m].least_order);
        assert_true(log2(run[0].balance / left) / 2 > methods[m].least_order);
    }
}

static void an_input_may_jump(void **state)
{
    const struct contest c = {pushed, {0.01, 0.01}, 1, 4e-10, 1e-11};

    (void)state;
    converges(&c);
}

static void drives_springs_and_loads_keep_the_order(void **state)
{
    /* E causes an error of 1e-8 of the multiplier of a drive, which does some joules of work */
    const struct contest c = {driven, {0.01, 0.05}, 1, 4e-10, 2e-8};

    (void)state;
    converges(&c);
}

/* A spring pendulum: the bob slides on a rod with a ball joint. */
static const char sprung[] =
    "linkage: 1\n"
    "name: sprung\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0],"
    " angular_velocity: [1, 2, 0]}\n"
    "  b: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [1, 0, 0],"
    " angular_velocity: [1, 2, 0]}\n"
    "joints:\n"
    "  one: {type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
    "  two: {type: prismatic, bodies: [a, b], point: [1, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: joint-spring-damper, joint: two, stiffness: 200, damping: 0}\n";

/* A rotor of 50 rad/s on a cart that a drive moves. Its centre of mass is not on the axis, and it
 * has products of inertia. */
static const char carted[] =
    "linkage: 1\n"
    "name: carted\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.01, 0.02, 0.015, 0, 0.004, 0], position: [0.05, 0, 0.1],"
    " velocity: [0, 2.5, 0], angular_velocity: [0, 0, 50]}\n"
    "joints:\n"
    "  one: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0],"
    " drive: {harmonic: {amplitude: 0.2, omega: 8, phase: 0}}}\n"
    "  two: {type: revolute, bodies: [a, b], point: [0, 0, 0], axis: [0, 0, 1]}\n";

/* Four bars in a plane with three redundant rows, away from a singular pose. */
static const char closed[] =
    "linkage: 1\n"
    "name: closed\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0.5, 0],"
    " orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}, velocity: [-1, 0, 0],"
    " angular_velocity: [0, 0, 2]}\n"
    "  b: {mass: 2, inertia: [0.02, 0.3, 0.3], position: [1, 1, 0]}\n"
    "  c: {mass: 1, inertia: [0.01, 0.2, 0.2], position: [2, 0.5, 0]}\n"
    "joints:\n"
    "  one: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  two: {type: revolute, bodies: [a, b], point: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  three: {type: revolute, bodies: [b, c], point: [2, 1, 0], axis: [0, 0, 1]}\n"
    "  four: {type: revolute, bodies: [ground, c], point: [2.2, 0, 0], axis: [0, 0, 1]}\n";

static void machines_keep_the_order(void **state)
{
    const struct contest contests[] = {
        {sprung, {0.02, 0.02}, 1, 2e-9, 1e-11},
        {carted, {2e-3, 8e-3}, 1, 1e-7, 2e-10},
        {closed, {0.02, 0.04}, 0.4, 1e-10, 1e-11},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(contests) / sizeof(*contests); i++)
        converges(&contests[i]);
}

/* ---- an inconsistent configuration ---- */

#define DOOR(points)                                                                               \
    "linkage: 1\n"                                                                                 \
    "name: door\n"                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}\n"                           \
    "joints:\n"                                                                                    \
    "  low: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"            \
    "  high: {type: revolute, bodies: [ground, a], " points ", axis: [0, 0, 1]}\n"                 \
    "inputs:\n"                                                                                    \
    "  push: {type: body-force, body: a}\n"

/* The second hinge of a door is 1e-4 m too high on the door, so no pose closes it. The compiler
 * computes the constants of one side from the other side, and the shorter sequences must use the
 * same constants. Otherwise rows would conflict with a force of 1e-4 m / E. */
static void a_misfit_is_absorbed_once(void **state)
{
    struct end good, bent;

    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        run_to(DOOR("point: [0, 0, 1]"), 5e-3, &methods[m], 1, &good);
        run_to(DOOR("points: [[0, 0, 1], [0, 0, 1.0001]]"), 5e-3, &methods[m], 1, &bent);
        /* The door is half the misfit lower: relative errors of 1e-4 of a metre, and of forces of
         * about 40 N. In addition the round-off of redundant multipliers, 1e-16 m / E with E = 2e-8
         * s, s = (h / 3)^2 / 4, three times as much in the combination. */
        printf("    %s: largest difference %.2e\n", methods[m].name, distance(&good, &bent));
        assert_true(distance(&good, &bent) < 1e-4 * 40 + 3 * 1e-16 / (2e-8 * 25e-6 / 36));
    }
}

/* Two hinges can share the load of the door in infinitely many ways. All methods give the share of
 * minimum norm, whatever happened before. */
static void redundant_reactions_are_those_of_order_2(void **state)
{
    static const struct method plain = {"order 2", "solver: {formulation: ali3, ", 0, 2, 0};
    struct end expected, found;

    (void)state;
    run_to(DOOR("point: [0, 0, 1]"), 1e-3, &plain, 2, &expected);
    for (size_t m = 0; m < METHODS; m++) {
        run_to(DOOR("point: [0, 0, 1]"), 5e-3, &methods[m], 2, &found);
        printf("    %s: largest difference %.2e\n", methods[m].name, distance(&expected, &found));
        /* error of order 2 at 1 ms, h^2 w^2 t of forces of 40 N with w = 6 rad/s, and the noise */
        assert_true(distance(&expected, &found) < 1e-6 * 36 * 2 * 40 + 0.04);
    }
}

/* ---- atomic steps ---- */

static int same_bits(const struct lk_system *a, const struct lk_system *b)
{
    double out[2][64];

    memset(out, 0, sizeof(out));
    assert_true(lk_system_output_size(a) <= 64);
    lk_system_outputs(a, out[0]);
    lk_system_outputs(b, out[1]);
    return memcmp(out[0], out[1], sizeof(out[0])) == 0 &&
           lk_system_step_count(a) == lk_system_step_count(b);
}

static struct lk_system *shipped(const char *path, const struct method *method)
{
    const char *const replace[] = {"solver: {",
                                   method ? method->solver : "solver: {formulation: ali3, ", NULL};
    struct lk_options options = {.step = 5e-3};
    struct lk_model *model = trajectory_model(path, replace);
    struct lk_system *sys;
    struct lk_error error;

    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static const char *const with_inputs[] = {"config/models/double-pendulum.yaml",
                                          "config/models/four-bar.yaml"};

/* Make @n steps with inputs that jump. */
static void drive_on(struct lk_system *sys, int n)
{
    for (int i = 0; i < n; i++) {
        double inputs[3];

        push(lk_system_time(sys), inputs);
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
}

/* A run, the same run after a reset, and a run with refused steps give the same bits. Steps are
 * refused for an input that is not finite, and for one that would rotate a body by more than half a
 * turn. */
static void repeats_bit_for_bit(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2 * METHODS; m++) {
        struct lk_system *first = shipped(with_inputs[m % 2], &methods[m / 2]);
        struct lk_system *other = shipped(with_inputs[m % 2], &methods[m / 2]);
        const double none[3] = {NAN, 0, 0}, wild[3] = {1e9, -1e9, 1e9};

        drive_on(first, 100);
        for (int i = 0; i < 50; i++) {
            drive_on(other, 2);
            assert_int_equal(lk_system_step(other, none), LK_E_NOT_FINITE);
            assert_int_equal(lk_system_step(other, wild), LK_E_TURN);
        }
        assert_true(same_bits(first, other));
        drive_on(other, 7);
        lk_system_reset(other);
        assert_int_equal(lk_system_step_count(other), 0);
        drive_on(other, 100);
        assert_true(same_bits(first, other));
        assert_true(fabs(lk_system_time(first) - 100 * lk_system_step_size(first)) < 1e-15);
        lk_system_free(first);
        lk_system_free(other);
    }
}

#ifdef TEST_ALLOC_GUARD
static void steps_do_not_allocate(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        struct lk_system *sys = shipped(with_inputs[1], &methods[m]);

        alloc_guard_arm();
        for (int i = 0; i < 200; i++) {
            const double torque = i % 10;

            (void)lk_system_step(sys, &torque);
        }
        lk_system_reset(sys);
        assert_int_equal(alloc_guard_disarm(), 0);
        lk_system_free(sys);
    }
}
#endif

static struct lk_summary summary_of(const struct method *method)
{
    struct lk_system *sys = shipped(with_inputs[0], method);
    struct lk_summary summary;

    lk_system_summary(sys, &summary);
    lk_system_free(sys);
    return summary;
}

static void summary_tells_the_order(void **state)
{
    struct lk_summary plain = summary_of(NULL), third = summary_of(&methods[0]);
    struct lk_summary fourth = summary_of(&methods[1]), kutta = summary_of(&methods[2]);

    (void)state;
    assert_int_equal(plain.order, 2);
    assert_int_equal(third.order, 3);
    assert_int_equal(fourth.order, 4);
    assert_int_equal(kutta.order, 4);
    assert_true(kutta.step_flops > plain.step_flops && kutta.step_flops < 2 * plain.step_flops);
    /* three and six plain steps and a projection; two and three systems of equal size */
    assert_true(third.step_flops > 3 * plain.step_flops && third.step_flops < 4 * plain.step_flops);
    assert_true(fourth.step_flops > 6 * plain.step_flops &&
                fourth.step_flops < 7 * plain.step_flops);
    assert_true(2 * fourth.memory == 3 * third.memory);
}

/* ---- sub-steps ---- */

/* The directions of the rows of a hinge are attached to one of its bodies, depending on the
 * difference of their rotation in a step. The systems that make a half and a third of the step must
 * choose the same body. */
static void parts_of_a_step_have_the_same_rows(void **state)
{
    static const double rates[] = {0.5, 1.2, 1.8, 2.5, 4};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        struct lk_body_state end[3];

        for (int k = 0; k < 3; k++) {
            struct lk_options options = {.step = 1e-3, .order = k == 1 ? 0 : 4 + k};
            char text[1024];
            struct lk_model *model;
            struct lk_system *sys;
            struct lk_error error;

            snprintf(text, sizeof(text),
                     "linkage: 1\nname: pair\nsolver: {formulation: %s}\nbodies:\n"
                     "  heavy: {mass: 5, inertia: [0.3, 0.4, 0.5], position: [0, 0, 0],\n"
                     "    angular_velocity: [0, 0, %g]}\n"
                     "  light: {mass: 1, inertia: [0.03, 0.02, 0.04], position: [0.7, 0.2, 0.1]}\n"
                     "joints:\n"
                     "  hinge: {type: revolute, bodies: [heavy, light], point: [0.4, 0, 0],\n"
                     "    axis: [0, 0, 1]}\n",
                     options.order == 0 ? "rk4" : "rattle", rates[i]);
            if (lk_model_read_text("pair", text, strlen(text), &model, &error) != 0 ||
                lk_system_new(model, &options, &sys, &error) != 0)
                fail_msg("%s", error.text);
            for (int step = 0; step < 100; step++)
                assert_int_equal(lk_system_step(sys, NULL), 0);
            lk_system_body_state(sys, 1, &end[k]);
            lk_system_free(sys);
            lk_model_free(model);
        }
        for (int k = 0; k < 3; k += 2)
            for (int c = 0; c < 3; c++) {
                assert_true(fabs(end[k].position[c] - end[1].position[c]) < 1e-10);
                assert_true(fabs(end[k].velocity[c] - end[1].velocity[c]) < 1e-9);
                assert_true(fabs(end[k].angular_velocity[c] - end[1].angular_velocity[c]) < 1e-9);
            }
    }
}

/* ---- refusals ---- */

#define BODY                                                                                       \
    "linkage: 1\nname: m\nbodies:\n  a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
#define GUIDE                                                                                      \
    "joints:\n  guide: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]"
#define SPRING(k, c)                                                                               \
    "forces:\n  s: {type: joint-spring-damper, joint: guide, stiffness: " k ", damping: " c "}\n"

/* a rotor in two rings: it nutates at H / sqrt(J1 J2) = 105 rad/s */
#define GIMBAL                                                                                     \
    "linkage: 1\nname: gimbal\nbodies:\n"                                                          \
    "  outer: {mass: 1, inertia: [0.001, 0.001, 0.001], position: [0, 0, 0]}\n"                    \
    "  inner: {mass: 1, inertia: [0.001, 0.001, 0.001], position: [0, 0, 0]}\n"                    \
    "  rotor: {mass: 3, inertia: [0.003, 0.004, 0.002], position: [0, 0, 0],"                      \
    " angular_velocity: [0, 105, 0]}\n"                                                            \
    "joints:\n"                                                                                    \
    "  outer: {type: revolute, bodies: [ground, outer], point: [0, 0, 0], axis: [0, 0, 1]}\n"      \
    "  inner: {type: revolute, bodies: [outer, inner], point: [0, 0, 0], axis: [1, 0, 0]}\n"       \
    "  spin: {type: revolute, bodies: [inner, rotor], point: [0, 0, 0], axis: [0, 1, 0]}\n"

/* a top on its tip that rotates about an axis that is no principal axis */
#define TUMBLING(rate)                                                                             \
    "linkage: 1\nname: tumbling\nbodies:\n"                                                        \
    "  top: {mass: 1, inertia: [0.003, 0.003, 0.001], position: [0.08, 0, 0.06],"                  \
    " angular_velocity: [" rate "]}\n"                                                             \
    "joints:\n  tip: {type: spherical, bodies: [ground, top], point: [0, 0, 0]}\n"

/* a tonne on two rods of 1 kg, which oscillate across the tension: sqrt(2 m g / L / (2 m_rod /
 * 3)) */
#define HUNG                                                                                       \
    "linkage: 1\nname: hung\ngravity: [0, -9.81, 0]\nbodies:\n"                                    \
    "  upper: {mass: 1, inertia: [0.0833333, 0.001, 0.0833333], position: [0, -0.5, 0]}\n"         \
    "  lower: {mass: 1, inertia: [0.0833333, 0.001, 0.0833333], position: [0, -1.5, 0]}\n"         \
    "  load: {mass: 1000, inertia: [10, 10, 10], position: [0, -2, 0]}\n"                          \
    "joints:\n"                                                                                    \
    "  hook: {type: spherical, bodies: [ground, upper], point: [0, 0, 0]}\n"                       \
    "  knee: {type: spherical, bodies: [upper, lower], point: [0, -1, 0]}\n"                       \
    "  eye: {type: spherical, bodies: [lower, load], point: [0, -2, 0]}\n"

/* a load on links as long as those of HUNG, released from the horizontal: at the start there is no
 * tension */
#define LEVEL(knee)                                                                                \
    "linkage: 1\nname: level\ngravity: [0, -9.81, 0]\nbodies:\n"                                   \
    "  upper: {mass: 1, inertia: [0.001, 0.0833333, 0.0833333], position: [0.5, 0, 0]}\n"          \
    "  lower: {mass: 1, inertia: [0.001, 0.0833333, 0.0833333], position: [1.5, 0, 0]}\n"          \
    "  load: {mass: 1000, inertia: [10, 10, 10], position: [2, 0, 0]}\n"                           \
    "joints:\n"                                                                                    \
    "  hook: {type: spherical, bodies: [ground, upper], point: [0, 0, 0]}\n"                       \
    "  knee: {" knee ", bodies: [upper, lower], point: [1, 0, 0]}\n"                               \
    "  eye: {type: spherical, bodies: [lower, load], point: [2, 0, 0]}\n"

static const struct refusal {
    const char *text;
    int order;
    const char *line; /* NULL: accepted */
} refusals[] = {
    {BODY GUIDE "}\nsolver: {formulation: ali3}\n", 1,
     "order 1 with formulation ali3, did you mean 2? Expected 2, 3 or 4"},
    {BODY GUIDE "}\nsolver: {formulation: ali3}\n", 6,
     "order 6 with formulation ali3, did you mean 4? Expected 2, 3 or 4"},
    {BODY GUIDE "}\nsolver: {formulation: rattle}\n", 3,
     "order 3 with formulation rattle, did you mean 4? Expected 2, 4 or 6"},
    {BODY GUIDE "}\nsolver: {formulation: rattle}\n", 5,
     "order 5 with formulation rattle, did you mean 6? Expected 2, 4 or 6"},
    {BODY GUIDE "}\nforces:\n  f: {type: friction, joint: guide, coulomb: 1}\n", 3,
     "order 3 is for smooth motion, expected order 2 with friction 'f'"},
    {BODY GUIDE "}\nforces:\n  e: {type: stop, joint: guide, lower: -1, upper: 1, stiffness: 10}\n",
     4, "order 4 is for smooth motion, expected order 2 with the stop 'e'"},
    {BODY GUIDE "}\nforces:\n  t: {type: joint-spring-damper, joint: guide, damping: 1,"
                " stiffness_table: {deflection: [-1, 1], force: [-2, 2]}}\n",
     4, "order 4 is for smooth motion, expected order 2 with the table of 't'"},
    {BODY GUIDE ", drive: {input: u}}\ninputs:\n  u: {type: drive}\n", 4,
     "order 4 is for smooth motion, expected order 2 with a drive of 'guide' from an input"},
    {BODY GUIDE "}\nsolver: {coordinates: euler-parameters}\n", 3,
     "order 3 is for smooth motion, expected order 2 with coordinates: euler-parameters"},
    {BODY GUIDE "}\nsolver: {redundancy: soft}\n", 3,
     "order 3 is for smooth motion, expected order 2 with redundancy: soft"},
    {BODY GUIDE "}\nforces:\n  f: {type: friction, joint: guide, coulomb: 1}\n"
                "solver: {formulation: rk4}\n",
     0, "formulation rk4 is for smooth motion, expected formulation rattle with friction 'f'"},
    {BODY GUIDE "}\n" SPRING("78000", "0") "solver: {formulation: rk4}\n", 0, NULL},
    {BODY GUIDE "}\n" SPRING("88200", "0") "solver: {formulation: rk4}\n", 0,
     "formulation rk4 with a step of 0.01 s, but 's' oscillates at 210 rad/s, that is 2.1 rad a "
     "step, "
     "expected at most 2; a step of 0.009 s would do, or formulation rattle"},
    {"linkage: 1\nname: m\nbodies:\n  bar: {mass: 1, inertia: [0, 1, 1], position: [1, 0, "
     "0]}\njoints:\n"
     "  pin: {type: revolute, bodies: [ground, bar], point: [0, 0, 0], axis: [0, 0, 1]}\n"
     "solver: {formulation: rk4}\n",
     0,
     "formulation rk4 is for smooth motion, expected formulation rattle with body 'bar', which "
     "lacks "
     "inertia"},
    {BODY GUIDE "}\nsolver: {formulation: rk4}\n", 4,
     "order 4, expected none with formulation rk4"},
    /* sqrt(k / m) h = 0.95 and 1.05, 0.475 and 0.525 at 10 ms */
    {BODY GUIDE "}\n" SPRING("18050", "0") "solver: {formulation: ali3}\n", 4, NULL},
    {BODY GUIDE "}\n" SPRING("4512.5", "0"), 3, NULL},
    {BODY GUIDE "}\n" SPRING("5512.5", "0"), 3,
     "order 3 with a step of 0.01 s, but 's' oscillates at 52.5 rad/s, that is 0.525 rad a step, "
     "expected "
     "at most 0.5; a step of 0.009 s would do, or order 2"},
    {BODY GUIDE "}\n" SPRING("22050", "0") "solver: {formulation: ali3}\n", 4,
     "order 4 with a step of 0.01 s, but 's' oscillates at 105 rad/s, that is 1.05 rad a step, "
     "expected at "
     "most 1; a step of 0.009 s would do, or order 2"},
    /* c / m h = 1.9 and 2.1 */
    {BODY GUIDE "}\n" SPRING("1", "380"), 3, NULL},
    {BODY GUIDE "}\n" SPRING("1", "420"), 3,
     "order 3 with a step of 0.01 s, but 's' decays at a rate of 210 1/s, that is 2.1 a step, "
     "expected "
     "at most 2; a step of 0.009 s would do, or order 2"},
    /* for `rattle`: 0.475 and 0.525, 0.76 and 0.84 */
    {BODY GUIDE "}\n" SPRING("4512.5", "0") "solver: {formulation: rattle}\n", 4, NULL},
    {BODY GUIDE "}\n" SPRING("5512.5", "0") "solver: {formulation: rattle}\n", 4,
     "order 4 with a step of 0.01 s, but 's' oscillates at 52.5 rad/s, that is 0.525 rad a step, "
     "expected at most 0.5; a step of 0.009 s would do, or order 2"},
    {BODY GUIDE "}\n" SPRING("11552", "0") "solver: {formulation: rattle}\n", 6, NULL},
    {BODY GUIDE "}\n" SPRING("14112", "0") "solver: {formulation: rattle}\n", 6,
     "order 6 with a step of 0.01 s, but 's' oscillates at 84 rad/s, that is 0.84 rad a step, "
     "expected at most 0.8; a step of 0.009 s would do, or order 2"},
    {GIMBAL "solver: {formulation: rk4}\n", 0,
     "formulation rk4 with a step of 0.01 s, but body 'rotor' nutates at 105 rad/s, that is 1.05 "
     "rad "
     "a step, expected at most 1; a step of 0.009 s would do, or formulation rattle"},
    {GIMBAL "solver: {formulation: ali3}\n", 4,
     "order 4 with a step of 0.01 s, but body 'rotor' nutates at 105 rad/s, that is 1.05 rad a "
     "step, "
     "expected at most 1; a step of 0.009 s would do, or order 2"},
    {GIMBAL "solver: {formulation: rattle}\n", 6,
     "order 6 with a step of 0.01 s, but body 'rotor' nutates at 105 rad/s, that is 1.05 rad a "
     "step, "
     "expected at most 0.8; a step of 0.0072 s would do, or order 2"},
    {TUMBLING("75, 0, 56.25"), 6,
     "order 6 with a step of 0.01 s, but body 'top' turns out of balance at 93.8 rad/s, that is "
     "0.938 rad a step, expected at most 0.8; a step of 0.0081 s would do, or order 2"},
    {TUMBLING("60, 0, 45"), 6, NULL},
    {TUMBLING("60, 0, 45") "solver: {formulation: rk4}\n", 0,
     "formulation rk4 with a step of 0.01 s, but body 'top' turns out of balance at 75 rad/s, that "
     "is 0.75 rad a step, expected at most 0.7; a step of 0.0089 s would do, or formulation "
     "rattle"},
    {HUNG "solver: {formulation: rk4}\n", 0,
     "formulation rk4 with a step of 0.01 s, but body 'upper' swings across the tension in it at "
     "172 "
     "rad/s, that is 1.72 rad a step, expected at most 1; a step of 0.0055 s would do, or "
     "formulation "
     "rattle"},
    {HUNG "solver: {formulation: rattle}\n", 4,
     "order 4 with a step of 0.01 s, but body 'upper' swings across the tension in it at 172 "
     "rad/s, "
     "that is 1.72 rad a step, expected at most 0.5; a step of 0.0028 s would do, or order 2"},
    {LEVEL("type: spherical") "solver: {formulation: rattle}\n", 6,
     "order 6 with a step of 0.01 s, but body 'upper' swings across the weight that will hang on "
     "it at 172 rad/s, that is 1.72 rad a step, expected at most 0.8; a step of 0.0044 s would do, "
     "or order 2"},
    {LEVEL("type: revolute, axis: [0, 0, 1]") "solver: {formulation: rk4}\n", 0,
     "formulation rk4 with a step of 0.01 s, but body 'upper' swings across the weight that will "
     "hang on it at 172 rad/s, that is 1.72 rad a step, expected at most 1; a step of 0.0055 s "
     "would do, or formulation rattle"},
    /* the two links are one body, and the load fixes its end */
    {LEVEL("type: fixed") "solver: {formulation: rattle}\n", 6, NULL},
    {"linkage: 1\nname: m\nbodies:\n  bar: {mass: 1, inertia: [0, 1, 1], position: [1, 0, "
     "0]}\njoints:\n"
     "  pin: {type: revolute, bodies: [ground, bar], point: [0, 0, 0], axis: [0, 0, 1]}\n"
     "solver: {formulation: rattle}\n",
     4, "order 4 is for smooth motion, expected order 2 with body 'bar', which lacks inertia"},
    /* two springs in parallel, each of which would be accepted alone */
    {BODY GUIDE
     "}\n"
     "forces:\n  s: {type: joint-spring-damper, joint: guide, stiffness: 10000, damping: 0}\n"
     "  p: {type: spring-damper, bodies: [ground, a], points: [[-1, 0, 0], [0, 0, 0]],"
     " stiffness: 12050, damping: 0}\nsolver: {formulation: ali3}\n",
     4,
     "order 4 with a step of 0.01 s, but 'p' oscillates at 105 rad/s, that is 1.05 rad a step, "
     "expected at "
     "most 1; a step of 0.009 s would do, or order 2"},
};

static void refuses_what_is_not_smooth(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        const struct refusal *f = &refusals[i];
        struct lk_options options = {.step = 0.01, .order = f->order};
        struct lk_model *model;
        struct lk_system *sys = NULL;
        struct lk_error error = {0};
        int r;

        if (lk_model_read_text("m", f->text, strlen(f->text), &model, &error) != 0)
            fail_msg("%s", error.text);
        r = lk_system_new(model, &options, &sys, &error);
        if (f->line) {
            assert_string_equal(error.text, f->line);
            assert_int_equal(r, LK_E_MODEL);
            assert_null(sys);
        } else {
            assert_int_equal(r, 0);
        }
        lk_system_free(sys);
        lk_model_free(model);
    }
}

/* The reason for the limits. With z = i w h the plain rules multiply an undamped mode on a spring
 * by (1 + z/2n)/(1 - z/2n) per sub-step, n = 1, 2, 3. For the combination |R| - 1 is 1.24e-5 for
 * order 3 at w h = 0.5 and -4.5e-5 for order 4 at w h = 1; with `rattle` it is 1.24e-5 for order 4
 * at 0.5 and 3.9e-6 for order 6 at 0.8. This is the growth or decay per step of a mode just below
 * the limit. */
static void a_mode_at_the_limit_stays(void **state)
{
    static const char *const springs[METHODS] = {BODY GUIDE ", start: 0.1}\n" SPRING("4500", "0"),
                                                 BODY GUIDE ", start: 0.1}\n" SPRING("18050", "0"),
                                                 BODY GUIDE ", start: 0.1}\n" SPRING("18050", "0"),
                                                 BODY GUIDE ", start: 0.1}\n" SPRING("4500", "0"),
                                                 BODY GUIDE ", start: 0.1}\n" SPRING("12700", "0")};
    const double most[METHODS] = {exp(2 * 6000 * 1.24e-5), 1 + 1e-9, 1 + 1e-9,
                                  exp(2 * 6000 * 1.24e-5), exp(2 * 6000 * 3.9e-6)};
    const double least[METHODS] = {1 - 1e-9, exp(-2 * 6000 * 4.5e-5), exp(-2 * 6000 / 144.0),
                                   1 - 1e-9, 1 - 1e-9};

    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        struct lk_system *sys = compile(springs[m], 0.01, &methods[m]);
        double start = balance(sys), ratio;

        for (int i = 0; i < 6000; i++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        ratio = balance(sys) / start;
        printf("    %s at its limit: energy times %.3g in 6000 steps\n", methods[m].name, ratio);
        assert_true(ratio < most[m] && ratio > least[m]);
        lk_system_free(sys);
    }
}

/* Kutta's rule reduces the amplitude of an oscillation by 1 - |R(i y)| per step. The compiler notes
 * this from 1 rad on, and the step behaves so. */
static void a_spring_that_loses_its_swing_is_noted(void **state)
{
    static const struct {
        const char *text;
        const char *note;
        double left;
    } springs[] = {
        {BODY GUIDE ", start: 0.1}\n" SPRING("19800", "0"), "", 0.99408},
        {BODY GUIDE ", start: 0.1}\n" SPRING("45000", "0"),
         "'s' oscillates at 150 rad/s, 1.5 rad a step, in which formulation rk4 loses 5.9 % of its "
         "swing; a step of 0.0063 s keeps it",
         0.94143},
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_system *sys = compile(springs[i].text, 0.01, &methods[2]);
        double start = balance(sys), ratio;

        assert_string_equal(lk_system_note(sys), springs[i].note);
        for (int k = 0; k < 100; k++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        ratio = pow(balance(sys) / start, 1.0 / 200);
        printf("    of a swing a step leaves %.5f, expected %.5f\n", ratio, springs[i].left);
        assert_true(fabs(ratio - springs[i].left) < 0.02 * (1 - springs[i].left));
        lk_system_free(sys);
    }
}

#define LINK(i, m, J)                                                                              \
    "link_" #i ": {mass: 1, inertia: [0.02, 0.02, 0.02]",                                          \
        "link_" #i ": {mass: " m ", inertia: [" J ", " J ", " J "]"

/* A planar loop of four hinges on a body that tilts. At stages of rk4 the joints are not closed, so
 * redundant rows contradict each other. The position at 0.6 s is known from a loop without
 * redundant rows. */
static void a_carried_loop_agrees_with_itself(void **state)
{
    static const char text[] =
        "linkage: 1\nname: carried\ngravity: [0.5, -9.81, 1]\nbodies:\n"
        "  base: {mass: 4, inertia: [0.1, 0.12, 0.14, 0.01, 0.02, 0.01], position: [0.2, 0, 0]}\n"
        "  a: {mass: 1, inertia: [0.011, 0.022, 0.028, 0.001, 0.002, 0.003], position: [0.2, 0.1, "
        "0.1]}\n"
        "  b: {mass: 1, inertia: [0.01, 0.02, 0.028], position: [0.5, 0.1, 0.15]}\n"
        "  c: {mass: 1, inertia: [0.01, 0.02, 0.028], position: [0.6, -0.1, 0.2]}\n"
        "joints:\n"
        "  carry: {type: revolute, bodies: [ground, base], point: [0, 0.1, 0], axis: [1, 0, 0]}\n"
        "  p: {type: revolute, bodies: [base, a], point: [0, 0, 0.1], axis: [0, 0, 1]}\n"
        "  q: {type: revolute, bodies: [a, b], point: [0.35, 0.3, 0.1], axis: [0, 0, 1]}\n"
        "  r: {type: revolute, bodies: [b, c], point: [0.7, 0.1, 0.1], axis: [0, 0, 1]}\n"
        "  s: {type: revolute, bodies: [c, base], point: [0.5, -0.2, 0.1], axis: [0, 0, 1]}\n"
        "solver: {step: 0.001, formulation: rk4}\n";
    static const double right[3] = {0.335027447, -0.179234206, -0.038174254};
    static const char *const engines[] = {"none", "auto"};

    (void)state;
    for (int e = 0; e < 2; e++) {
        struct lk_body_state body;
        struct lk_system *sys;
        struct lk_model *model;
        struct lk_error error;

        assert_int_equal(lk_model_read_text("carried", text, strlen(text), &model, &error), 0);
        if (lk_system_new(model, &(struct lk_options){.engine = engines[e]}, &sys, &error))
            fail_msg("%s", error.text);
        lk_model_free(model);
        for (int i = 0; i < 600; i++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_body_state(sys, lk_system_body_index(sys, "b"), &body);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(body.position[i] - right[i]) < 2e-7);
        lk_system_free(sys);
    }
}

/* An arm whose links have ten times the mass of the link before, 1 mg to 1 kg. The rows of a chain
 * never depend on each other, so no regularisation opens its joints. With the regularisation of
 * redundant rows they would move apart at 1 mm/s. */
static void light_links_hold_a_heavy_end(void **state)
{
    static const char *const masses[] = {LINK(1, "1e-6", "2e-8"),
                                         LINK(2, "1e-5", "2e-7"),
                                         LINK(3, "1e-4", "2e-6"),
                                         LINK(4, "1e-3", "2e-5"),
                                         LINK(5, "1e-2", "2e-4"),
                                         LINK(6, "0.1", "2e-3"),
                                         "solver: {",
                                         "solver: {formulation: rk4, ",
                                         NULL};
    const struct lk_options options = {.step = 0.0005};
    struct lk_model *model = trajectory_model("tests/physics/machines/arm.yaml", masses);
    double position = 0, velocity = 0, start, drift = 0;
    struct lk_error error = {0};
    struct lk_system *sys;
    struct lk_health h;

    (void)state;
    if (lk_system_new(model, &options, &sys, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    start = balance(sys);
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_health(sys, &h);
        position = fmax(position, h.residual_position);
        velocity = fmax(velocity, h.residual_velocity);
        drift = fmax(drift, fabs(balance(sys) - start));
    }
    printf("    joints apart by %.1e m at %.1e m/s, energy off by %.1e J\n", position, velocity,
           drift);
    assert_true(position < 1e-11);
    assert_true(velocity < 1e-11);
    assert_true(drift < 5e-4);
    lk_system_free(sys);
}

int main(void)
{
    struct CMUnitTest tests[sizeof(expectations) / sizeof(*expectations) + 22];
    int n = 0;

    for (; n < (int)(sizeof(expectations) / sizeof(*expectations)); n++)
        tests[n] = (struct CMUnitTest){expectations[n].name, follows_reference, NULL, NULL,
                                       (void *)(uintptr_t)&expectations[n]};
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(ladder_keeps_its_branch);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(an_input_may_jump);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(drives_springs_and_loads_keep_the_order);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(machines_keep_the_order);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_misfit_is_absorbed_once);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(redundant_reactions_are_those_of_order_2);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_carried_loop_agrees_with_itself);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(light_links_hold_a_heavy_end);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(repeats_bit_for_bit);
#ifdef TEST_ALLOC_GUARD
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(steps_do_not_allocate);
#endif
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(summary_tells_the_order);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(parts_of_a_step_have_the_same_rows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(refuses_what_is_not_smooth);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_mode_at_the_limit_stays);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_spring_that_loses_its_swing_is_noted);
    return _cmocka_run_group_tests("order", tests, (size_t)n, NULL, NULL);
}
