/* SPDX-License-Identifier: Apache-2.0 */
/* The speed of a mechanism relative to its step (linkage/pace.h): known frequencies, sufficient
 * numbers of iterations, and that the analysis returns the system to its start. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/pace.h"
#include "linkage/state.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES "tests/physics/machines/"
#define MODELS   "config/models/"

/** struct subject - a model and its pace */
struct subject {
    struct lk_model *model;
    struct lk_system *system;
    struct lk_findings findings;
    struct lk_pace pace;
};

static struct subject look_at(const char *path, int iterations, const struct lk_pace_rate *rate)
{
    const struct lk_options options = {.iterations = iterations};
    struct subject s = {0};
    struct lk_error error;

    if (lk_model_read_file(path, &s.model, &error) != 0 ||
        lk_system_new(s.model, &options, &s.system, &error) != 0 ||
        lk_pace_init(s.model, s.system, rate, rate != NULL, &s.findings, &s.pace, &error) != 0)
        fail_msg("%s: %s", path, error.text);
    return s;
}

static void forget(struct subject *s)
{
    lk_findings_fini(&s->findings);
    lk_system_free(s->system);
    lk_model_free(s->model);
}

static int count(const struct subject *s, const char *id)
{
    int n = 0;

    for (int i = 0; i < s->findings.n; i++)
        n += strcmp(s->findings.list[i].id, id) == 0;
    return n;
}

static void assert_close(double value, double expected, double part)
{
    if (!(fabs(value - expected) <= part * fabs(expected)))
        fail_msg("%.9g, expected %.9g", value, expected);
}

/* ---- frequencies ---- */

static void test_nutation(void **state)
{
    struct subject s = look_at(MACHINES "gimbal.yaml", 0, NULL);

    (void)state;
    assert_close(s.pace.nutation.rate, 1008, 1e-3);
    assert_string_equal(s.pace.nutation.where, "rotor");
    assert_close(s.pace.turn[0].turn, 1, 1e-5);
    assert_true(s.pace.spring.rate == 0);
    forget(&s);
}

/* One radian per step about a fixed hinge is no nutation. */
static void test_fixed_axis(void **state)
{
    struct subject s = look_at(MACHINES "rotor.yaml", 0, NULL);

    (void)state;
    assert_true(s.pace.nutation.rate == 0);
    assert_close(s.pace.turn[0].turn, 0.314159265, 1e-6);
    assert_int_equal(s.pace.n_turns, 1);
    forget(&s);
}

static void test_spring(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nbodies:\n"
        "  box: {mass: 4, inertia: [1, 1, 1], position: [0, 0, 0]}\njoints:\n"
        "  guide: {type: prismatic, bodies: [ground, box], point: [0, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n  s: {type: joint-spring-damper, joint: guide, stiffness: 1e4, damping: 6}\n";
    struct subject s = {0};
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_model_read_text("m", text, strlen(text), &s.model, &error), 0);
    assert_int_equal(lk_system_new(s.model, NULL, &s.system, &error), 0);
    assert_int_equal(lk_pace_init(s.model, s.system, NULL, 0, &s.findings, &s.pace, &error), 0);
    assert_close(s.pace.spring.rate, 50, 1e-6);
    assert_close(s.pace.damper.rate, 1.5, 1e-6);
    assert_string_equal(s.pace.spring.where, "s");
    forget(&s);
}

/* ---- energy ---- */

/* Return the difference between the largest and the least energy, relative to the mean, over as
 * many steps as the analysis simulates. */
static double swing_of_energy(double step)
{
    const struct lk_options options = {.step = step};
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;
    double least = INFINITY, most = 0;

    assert_int_equal(lk_model_read_file(MACHINES "crank.yaml", &model, &error), 0);
    assert_int_equal(lk_system_new(model, &options, &system, &error), 0);
    for (int i = 0; i < LK_PACE_AHEAD; i++) {
        struct lk_health health;

        assert_int_equal(lk_system_step(system, NULL), 0);
        lk_system_health(system, &health);
        least = fmin(least, health.kinetic + health.potential);
        most = fmax(most, health.kinetic + health.potential);
    }
    lk_system_free(system);
    lk_model_free(model);
    return (most - least) / (0.5 * (most + least));
}

/* The energy of a crank at 3000 rpm oscillates by the predicted amount, and by 1e-3 at the
 * suggested step. For a balanced rotor and for a mechanism at rest the prediction is zero. */
static void test_energy_swing(void **state)
{
    struct subject crank = look_at(MACHINES "crank.yaml", 0, NULL);
    struct subject rotor = look_at(MACHINES "rotor.yaml", 0, NULL);
    struct subject still = look_at(MODELS "mass-spring.yaml", 0, NULL);
    double swing = swing_of_energy(1e-3), calm = swing_of_energy(crank.pace.calm_step);

    (void)state;
    print_message("swing %.3g, foretold %.3g; at %.3g s %.3g\n", swing, crank.pace.energy_swing,
                  crank.pace.calm_step, calm);
    assert_close(crank.pace.energy_swing, swing, 0.15);
    assert_close(calm, LK_PACE_SWING, 0.15);
    assert_true(rotor.pace.energy_swing < 1e-9 && still.pace.energy_swing == 0);
    assert_true(still.pace.calm_step == 0);
    forget(&crank);
    forget(&rotor);
    forget(&still);
}

/* ---- given rates ---- */

static void test_given_rate(void **state)
{
    const struct lk_pace_rate rate = {"pin_a", 100};
    struct subject s = look_at(MODELS "four-bar.yaml", 0, &rate);

    (void)state;
    assert_close(s.pace.turn[0].turn, 0.1, 0.02);
    assert_true(s.pace.needed >= 3 && s.pace.needed <= 5);
    assert_int_equal(s.findings.n, 0);
    forget(&s);
}

/* Check that a given rate is refused. @text: a model; NULL: that of @path */
static void refuses_rate(const char *path, const char *text, const char *joint)
{
    const struct lk_pace_rate rate = {joint, 1};
    struct lk_findings findings = {0};
    struct lk_model *model;
    struct lk_system *system;
    struct lk_pace pace;
    struct lk_error error = {0};
    int r = text ? lk_model_read_text(path, text, strlen(text), &model, &error)
                 : lk_model_read_file(path, &model, &error);

    assert_int_equal(r, 0);
    assert_int_equal(lk_system_new(model, NULL, &system, &error), 0);
    assert_int_equal(lk_pace_init(model, system, &rate, 1, &findings, &pace, &error), -ENOENT);
    assert_non_null(strstr(error.text, joint));
    lk_system_free(system);
    lk_model_free(model);
}

static void test_wrong_rates(void **state)
{
    static const char driven[] =
        "linkage: 1\nname: m\nbodies:\n"
        "  arm: {mass: 4, inertia: [1, 1, 1], position: [0, 0, 0]}\njoints:\n"
        "  pin: {type: revolute, bodies: [ground, arm], point: [0.1, 0, 0], axis: [0, 0, 1],\n"
        "    drive: {harmonic: {amplitude: 0.1, omega: 1}}}\n";

    (void)state;
    refuses_rate(MODELS "four-bar.yaml", NULL, "pin_x");
    refuses_rate(MODELS "chain-8.yaml", NULL, "joint1"); /* spherical */
    refuses_rate("driven", driven, "pin");
}

static void test_half_a_turn(void **state)
{
    const struct lk_pace_rate rate = {"pin_a", 3300};
    struct subject s = look_at(MODELS "four-bar.yaml", 0, &rate);

    (void)state;
    assert_int_equal(s.pace.status, LK_E_TURN);
    assert_int_equal(count(&s, "step-fails"), 1);
    forget(&s);
}

/* ---- iterations ---- */

/* Return the permanent change of energy in a second of a crank at 3000 rpm: the mean of the last
 * tenth relative to that of the first. */
static double trend(int iterations)
{
    struct subject s = look_at(MACHINES "crank.yaml", iterations, NULL);
    double mean[2] = {0};

    for (int i = 0; i < 1000; i++) {
        struct lk_health health;

        assert_int_equal(lk_system_step(s.system, NULL), 0);
        lk_system_health(s.system, &health);
        if (i < 100 || i >= 900)
            mean[i >= 900] += health.kinetic + health.potential;
    }
    forget(&s);
    return mean[1] / mean[0] - 1;
}

/* The suggested number of iterations is sufficient for a run. */
static void test_iterations(void **state)
{
    struct subject few = look_at(MACHINES "crank.yaml", 3, NULL);
    struct subject own = look_at(MACHINES "crank.yaml", 0, NULL);
    const double all = trend(15);

    (void)state;
    assert_int_equal(count(&few, "too-few-iterations"), 1);
    assert_true(few.pace.needed > 3);
    assert_int_equal(count(&own, "too-few-iterations"), 0);
    assert_int_equal(own.pace.needed, 4); /* at the start; 5 later in the run */
    assert_int_equal(own.pace.needed_ahead, 5);
    assert_true(own.pace.contraction < 0.1);
    print_message("trend of 2, 3, 4, 5, 6 iterations less that of 15: %.1e %.1e %.1e %.1e %.1e\n",
                  trend(2) - all, trend(3) - all, trend(4) - all, trend(5) - all, trend(6) - all);
    assert_true(fabs(trend(3) - all) > 1e-4 && fabs(trend(own.pace.needed_ahead) - all) < 1e-7);
    forget(&few);
    forget(&own);
}

/* The iterations that suffice for a car driving straight do not suffice if its rack moves back and
 * forth quickly. */
static void test_inputs_thrown_about(void **state)
{
    struct subject few = look_at(MODELS "iltis.yaml", 3, NULL);
    struct subject own = look_at(MODELS "iltis.yaml", 0, NULL);

    (void)state;
    assert_true(few.pace.needed > 0 && few.pace.needed <= 3);
    assert_int_equal(few.pace.needed_ahead, 4);
    assert_int_equal(count(&few, "too-few-iterations"), 1);
    assert_int_equal(own.pace.needed_ahead, 3);
    assert_int_equal(count(&own, "too-few-iterations"), 0);
    forget(&few);
    forget(&own);
}

/* A step after the analysis has the same bits as one without it. */
static void test_leaves_no_trace(void **state)
{
    static const char *const paths[] = {MACHINES "crank.yaml", MACHINES "gimbal.yaml",
                                        MODELS "sedan.yaml", MODELS "chain-128.yaml"};

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        struct subject s = look_at(paths[i], 0, NULL);
        struct lk_system *other;
        struct lk_error error;
        size_t size = lk_system_state_size(s.system);
        double *inputs = calloc((size_t)lk_system_input_size(s.system) + 1, sizeof(double));
        void *a = malloc(size), *b = malloc(size);

        assert_true(inputs && a && b);
        assert_int_equal(lk_system_new(s.model, NULL, &other, &error), 0);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(lk_system_step(s.system, inputs), 0);
            assert_int_equal(lk_system_step(other, inputs), 0);
        }
        lk_system_state_get(s.system, a);
        lk_system_state_get(other, b);
        assert_memory_equal(a, b, size);
        lk_system_free(other);
        free(inputs);
        free(a);
        free(b);
        forget(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nutation),
        cmocka_unit_test(test_fixed_axis),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_energy_swing),
        cmocka_unit_test(test_given_rate),
        cmocka_unit_test(test_wrong_rates),
        cmocka_unit_test(test_half_a_turn),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_inputs_thrown_about),
        cmocka_unit_test(test_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
