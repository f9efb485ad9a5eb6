/* SPDX-License-Identifier: Apache-2.0 */
/* A start from poses and velocities of another run gives the same accelerations and the same
 * further motion. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/state.h"
#include "linkage/version.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MAX 64
#define BEFORE     300
#define AFTER      200

static struct lk_system *compile(const char *name, const struct lk_options *options)
{
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;
    char path[256];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    if (lk_model_read_file(path, &model, &error) != 0 ||
        lk_system_new(model, options, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

static void steps(struct lk_system *system, int n)
{
    double inputs[64] = {0};

    assert_true(lk_system_input_size(system) <= 64);
    for (int i = 0; i < n; i++)
        assert_int_equal(lk_system_step(system, inputs), 0);
}

static int states_of(const struct lk_system *system, struct lk_body_state states[BODIES_MAX])
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    assert_in_range(summary.n_bodies, 1, BODIES_MAX);
    for (int b = 0; b < summary.n_bodies; b++)
        lk_system_body_state(system, b, &states[b]);
    return summary.n_bodies;
}

/* Return the largest difference of the numbers from @from to @to of all bodies, relative to the
 * largest number. */
static double difference(const struct lk_body_state *a, const struct lk_body_state *b, int n,
                         size_t from, size_t to)
{
    double most = 0, size = 1e-3;

    for (int i = 0; i < n; i++)
        for (size_t k = from; k < to; k++) {
            most = fmax(most, fabs(((const double *)&a[i])[k] - ((const double *)&b[i])[k]));
            size = fmax(size, fabs(((const double *)&a[i])[k]));
        }
    return most / size;
}

#define POSE  offsetof(struct lk_body_state, velocity) / sizeof(double)
#define RATES offsetof(struct lk_body_state, acceleration) / sizeof(double)
#define ALL   sizeof(struct lk_body_state) / sizeof(double)

static void goes_on_as(const char *name, const char *engine, int order)
{
    struct lk_options options = {.engine = engine, .order = order, .all_rows = 1};
    struct lk_system *run = compile(name, &options), *again = compile(name, &options);
    struct lk_body_state there[BODIES_MAX], here[BODIES_MAX];
    struct lk_error error;
    int n;

    steps(run, BEFORE);
    steps(again, 17); /* any other state to restore from */
    n = states_of(run, there);
    if (lk_system_start_at(again, there, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    assert_int_equal(lk_system_step_count(again), 0);
    states_of(again, here);
    if (!(difference(there, here, n, 0, POSE) < 1e-9 &&
          difference(there, here, n, POSE, RATES) < 1e-7))
        fail_msg("%s: moved by %g, %g", name, difference(there, here, n, 0, POSE),
                 difference(there, here, n, POSE, RATES));
    if (!(difference(there, here, n, RATES, ALL) < 2e-3))
        fail_msg("%s: accelerations differ by %g", name, difference(there, here, n, RATES, ALL));
    steps(run, AFTER);
    steps(again, AFTER);
    states_of(run, there);
    states_of(again, here);
    if (!(difference(there, here, n, 0, POSE) < 1e-5))
        fail_msg("%s: %g apart after %d steps", name, difference(there, here, n, 0, POSE), AFTER);
    lk_system_reset(again);
    lk_system_reset(run);
    steps(run, 5);
    steps(again, 5);
    states_of(run, there);
    states_of(again, here);
    assert_memory_equal(there, here, (size_t)n * sizeof(*here));
    lk_system_free(run);
    lk_system_free(again);
}

static void a_run_goes_on(void **state)
{
    static const char *const names[] = {"pendulum",        "double-pendulum", "four-bar",
                                        "slider-crank-3d", "mass-spring",     "chain-8",
                                        "ladder-2",        "heavy-top",       "closed-loop-eight"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        goes_on_as(names[i], "none", 0);
        goes_on_as(names[i], "auto", 0);
    }
    goes_on_as("four-bar", "none", 4);
    goes_on_as("chain-8", "auto", 4);
}

/* Check that a start from the poses of a model's own start gives the same state, including forces
 * through bodies without inertia and the equilibrium of a car. */
static void own_start_is_met(const char *name, const char *engine)
{
    struct lk_options options = {.engine = engine, .all_rows = 1};
    struct lk_system *system = compile(name, &options);
    struct lk_body_state there[BODIES_MAX], here[BODIES_MAX];
    struct lk_error error;
    int n = states_of(system, there);

    steps(system, 20);
    if (lk_system_start_at(system, there, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    states_of(system, here);
    if (!(difference(there, here, n, 0, POSE) < 1e-9 &&
          difference(there, here, n, RATES, ALL) < 1e-5))
        fail_msg("%s: moved by %g, accelerations differ by %g", name,
                 difference(there, here, n, 0, POSE), difference(there, here, n, RATES, ALL));
    lk_system_free(system);
}

static void own_starts_are_met(void **state)
{
    static const char *const names[] = {"strut", "sedan",        "iltis",      "wheelset",
                                        "crane", "slider-crank", "damper-rig", "point-pendulum"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        own_start_is_met(names[i], "none");
        own_start_is_met(names[i], "auto");
    }
}

/* A chain whose poses are wrong by a millimetre and a milliradian, with velocities that its joints
 * do not permit: the start closes the joints. */
static void joints_are_closed(void **state)
{
    struct lk_options options = {.all_rows = 1};
    struct lk_system *system = compile("chain-8", &options);
    struct lk_body_state bodies[BODIES_MAX];
    struct lk_health health;
    struct lk_summary summary;
    struct lk_error error;
    int n = states_of(system, bodies);

    (void)state;
    for (int b = 0; b < n; b++) {
        double *q = bodies[b].orientation, size = 0;

        bodies[b].position[b % 3] += 1e-3;
        q[1 + b % 3] += 1e-3;
        for (int i = 0; i < 4; i++)
            size += q[i] * q[i];
        for (int i = 0; i < 4; i++)
            q[i] /= sqrt(size);
        bodies[b].velocity[b % 3] += 0.1;
    }
    assert_int_equal(lk_system_start_at(system, bodies, &error), 0);
    lk_system_health(system, &health);
    assert_true(health.residual_position < 1e-9);
    lk_system_summary(system, &summary);
    assert_true(summary.assembly_gap > 1e-4 && summary.velocity_change > 1e-2);
    steps(system, 100);
    lk_system_health(system, &health);
    assert_true(health.residual_position < 1e-9 && health.residual_velocity < 1e-9);
    lk_system_free(system);
}

static void refused_and_as_before(struct lk_system *system, const struct lk_body_state *bodies,
                                  int code, const char *words)
{
    size_t size = lk_system_state_size(system);
    char *before = malloc(size), *after = malloc(size);
    struct lk_error error = {""};

    assert_true(before && after);
    lk_system_state_get(system, before);
    assert_int_equal(lk_system_start_at(system, bodies, &error), code);
    if (!strstr(error.text, words))
        fail_msg("'%s' does not say '%s'", error.text, words);
    lk_system_state_get(system, after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
}

/* Refusals do not change the bits of further steps, one by one and in lanes. */
static void a_refusal_changes_nothing(void **state)
{
    static const char *const engines[] = {"none", "auto"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_options options = {.engine = engines[i], .all_rows = 1};
        struct lk_system *system = compile("chain-8", &options);
        struct lk_system *other = compile("chain-8", &options);
        struct lk_body_state bodies[BODIES_MAX], there[BODIES_MAX];
        int n;

        steps(system, 30);
        steps(other, 30);
        n = states_of(system, bodies);
        bodies[0].position[0] = 1e300;
        refused_and_as_before(system, bodies, LK_E_ASSEMBLY, "leave gaps at");
        states_of(system, bodies);
        bodies[3].velocity[1] = 1e200; /* finite, but not its square */
        refused_and_as_before(system, bodies, LK_E_STATE, "too large");
        steps(system, 30);
        steps(other, 30);
        states_of(system, bodies);
        states_of(other, there);
        assert_memory_equal(bodies, there, (size_t)n * sizeof(*there));
        lk_system_free(system);
        lk_system_free(other);
    }
}

/* A formulation whose coordinates are not those of the bodies refuses. */
static void other_coordinates_are_refused(void **state)
{
    struct lk_options options = {.all_rows = 1};
    struct lk_system *system = compile("small-mass-chain", &options);
    struct lk_body_state bodies[BODIES_MAX];

    (void)state;
    states_of(system, bodies);
    refused_and_as_before(system, bodies, LK_E_MODEL, "formulation");
    lk_system_free(system);
}

static void nonsense_is_refused(void **state)
{
    struct lk_options options = {.all_rows = 1};
    struct lk_system *system = compile("four-bar", &options), *plane = compile("four-bar", NULL);
    struct lk_body_state bodies[BODIES_MAX];

    (void)state;
    steps(system, 10);
    states_of(system, bodies);
    refused_and_as_before(plane, bodies, LK_E_MODEL, "all_rows");
    bodies[1].velocity[2] = NAN;
    refused_and_as_before(system, bodies, LK_E_STATE, "body 'coupler'");
    bodies[1].velocity[2] = 0;
    bodies[2].orientation[0] = 2;
    refused_and_as_before(system, bodies, LK_E_STATE, "body 'rocker'");
    states_of(system, bodies);
    bodies[0].position[0] += 1; /* too far to be closed */
    refused_and_as_before(system, bodies, LK_E_ASSEMBLY, "leave gaps at");
    steps(system, 10);
    lk_system_free(system);
    lk_system_free(plane);
}

static void names_are_found(void **state)
{
    struct lk_system *system = compile("four-bar", NULL);

    (void)state;
    assert_int_equal(lk_system_input_index(system, "motor"), 0);
    assert_int_equal(lk_system_input_index(system, "crank_angle"), -1);
    assert_true(lk_system_output_index(system, "crank_angle") >= 0);
    assert_string_equal(lk_version(), LK_VERSION);
    assert_string_equal(lk_status_text(0), "no error");
    for (int s = LK_E_TEXT; s <= LK_E_STATE; s++)
        assert_string_not_equal(lk_status_text(s), lk_status_text(1000));
    assert_string_equal(lk_status_text(-12), "out of memory");
    for (int s = LK_E_NOT_FINITE; s <= LK_E_SINGULAR; s++)
        assert_string_not_equal(lk_step_fault_text(s), lk_step_fault_text(LK_E_BENT));
    lk_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on),
        cmocka_unit_test(own_starts_are_met),
        cmocka_unit_test(joints_are_closed),
        cmocka_unit_test(a_refusal_changes_nothing),
        cmocka_unit_test(other_coordinates_are_refused),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(names_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
