/* SPDX-License-Identifier: Apache-2.0 */
/* Error-controlled integrators on models with references: work and precision, stiffness,
 * stabilisation, refusals. */
#include "cmocka_all.h"
#include "lab_case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- work and precision ---- */

/** struct precision - @end: of the compared motion [s];  @growth: amplification of a disturbance of
 * its start until then, including the size of its numbers */
struct precision {
    const char *name;
    double end;
    double growth;
};

/* four-bar-vertical ends before its singular pose. The growth of the double pendulum over 10 s is
 * from tests/reference/README.md; for the others it is their largest number, as only phases grow.
 * Velocities of the spatial slider-crank are 20 times its lengths. */
static const struct precision precisions[] = {
    {"double-pendulum", 3, 50},     {"heavy-top", 0.5, 10},        {"ex8b", 3, 10},
    {"four-bar-vertical", 0.9, 10}, {"slider-crank-3d", 0.5, 200}, {"strut", 1, 10},
};

/* Errors never rise as the tolerance falls, and fall by a thousand from 1e-6 to 1e-12, though with
 * large tolerances all steps may be those of the compared samples. */
static void follows_tolerance(const struct precision *p, const char *integrator)
{
    double first[2] = {0, 0}, before[2] = {INFINITY, INFINITY};

    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-2) {
        struct lab_run run = lab_case_of(p->name, integrator, 1e-3, tolerance, 0, p->end);

        for (int i = POSITION; i <= VELOCITY; i++) {
            assert_true(run.error[i] <= before[i]);
            first[i] = tolerance > 1e-7 ? run.error[i] : first[i];
            before[i] = run.error[i];
        }
    }
    for (int i = POSITION; i <= VELOCITY; i++)
        assert_true(before[i] < 1e-3 * first[i]);
}

static void precision_follows_tolerance(void **state)
{
    const struct precision *p = *state;

    follows_tolerance(p, "dormand-prince");
    follows_tolerance(p, "radau:ggl");
    follows_tolerance(p, "ida:ggl");
}

/* Every step errs by at most one tolerance, which the motion amplifies. */
static void is_a_reference(void **state)
{
    const struct precision *p = *state;
    struct lab_run run = lab_case_of(p->name, "dormand-prince", 1e-3, 1e-14, 0, p->end);
    double bound = p->growth * (double)run.report.steps * 1e-14;

    assert_true(run.error[POSITION] < bound);
    assert_true(run.error[VELOCITY] < bound);
    assert_true(run.error[POSITION] < 1e-12);
}

/* the other integrators of y' = f, on one model */
static void all_integrators_follow(void **state)
{
    static const char *const names[] = {
        "radau",      "radau:index-2", "radau:index-1", "cvode",      "cvode:adams",
        "ida",        "ida:index-2",   "ida:index-1",   "arkode-erk", "arkode-erk:order-8",
        "arkode-dirk"};
    const struct precision p = {"double-pendulum", 1, 50};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        follows_tolerance(&p, names[i]);
}

/* ---- light bodies, settled states, refusals ---- */

/* The rod of the point pendulum has no mass; its joints determine all of its motion except its
 * spin. */
static void massless_bodies_are_held_by_their_joints(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lab_run run =
            lab_case_of("point-horizontal", i ? "ida:ggl" : "radau:ggl", 1e-3, 1e-8, 0, 1);

        assert_true(run.error[POSITION] < 1e-5);
        assert_true(run.error[REACTION] < 1e-2);
        assert_true(run.report.steps < 2000);
    }
}

/* The light mass of 1e-5 kg vibrates at sqrt(2000 / 1e-5) / 2 pi = 2.3 kHz, damped; an explicit
 * method always takes some steps per period, an implicit one only until the vibration has decayed.
 */
static void implicit_methods_outrun_stiff_springs(void **state)
{
    static const char *const implicit[] = {"radau", "radau:ggl", "ida", "ida:ggl", "cvode"};
    double explicit =
        (double)lab_case_of("oscillator-5", "dormand-prince", 1e-4, 1e-5, 0, 1).report.rates;

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct lab_run run = lab_case_of("oscillator-5", implicit[i], 1e-4, 1e-5, 0, 1);

        assert_true((double)run.report.rates < explicit / 5);
        assert_true(run.error[POSITION] < 1e-3);
    }
}

static void orientations_agree(void **state)
{
    static const char *const orientations[] = {"parameters", "angles"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_method method = lab_case_absolute;
        struct lab_run run;

        method.integrator = i ? "radau:ggl" : "ida:ggl";
        method.orientation = orientations[i];
        method.tolerance = 1e-8;
        lab_case_run("double-pendulum", &method, 1, &run);
        printf("    %s: %.1e m\n", orientations[i], run.error[POSITION]);
        assert_true(run.error[POSITION] < 1e-5);
    }
}

/* BDF does not normalise quaternions; the term that restores their length must not disturb the
 * motion. After 10 s the error is the tolerance, amplified by 50. */
static void quaternions_keep_their_length(void **state)
{
    struct lab_run run = lab_case_of("double-pendulum", "ida:ggl", 1e-3, 1e-6, 0, 10);

    (void)state;
    assert_true(run.error[POSITION] < 50 * (double)run.report.steps * 1e-6);
}

/* BDF applies settle() as a projection, so that nothing drifts. */
static void bdf_takes_projections(void **state)
{
    struct lk_method projected = lab_case_absolute, printed = {.formulation = "hdca:as-printed",
                                                               .integrator = "cvode",
                                                               .tolerance = 1e-6};
    struct lab_run run;

    (void)state;
    projected.integrator = "cvode";
    projected.stabilisation = "projection";
    projected.tolerance = 1e-6;
    lab_case_run("slider-crank-3d", &projected, 0.5, &run);
    printf("    drift %.1e m, %.1e m, %llu steps\n", run.report.position, run.error[POSITION],
           run.report.steps);
    assert_true(run.report.position < 1e-12 && run.report.velocity < 1e-12);
    assert_true(run.error[POSITION] < 200 * (double)run.report.steps * 1e-6);
    lab_case_run("closed-loop-four", &printed, 1, &run);
    printf("    %.1e m, %llu steps\n", run.error[POSITION], run.report.steps);
    assert_true(run.error[POSITION] < 10 * (double)run.report.steps * 1e-6);
}

/* What a multistep method would silently omit is refused: the resets of hdca, which contradict its
 * history, and projections that it cannot apply. */
static void what_several_steps_leave_out_is_refused(void **state)
{
    static const struct {
        struct lk_method method;
        const char *says;
    } known[] = {
        {{.formulation = "hdca", .integrator = "cvode"}, "expected hdca:as-printed with it"},
        {{.formulation = "hdca:reset", .integrator = "cvode:bdf"}, "chooses its momenta anew"},
        {{.formulation = "hdca:reset", .integrator = "cvode:adams"}, "integrator cvode:adams"},
        {{.formulation = "hdca:reset", .integrator = "ida"}, "integrator ida goes on"},
        {{.formulation = "hdca:corrected", .integrator = "ida"}, "expected hdca:as-printed"},
        {{.formulation = "dca:corrected", .integrator = "cvode:adams"}, "or cvode:bdf"},
        {{.formulation = "recursive:projected", .integrator = "ida"}, "expected no projection"},
        {{.formulation = "absolute", .integrator = "ida", .stabilisation = "projection"},
         "expected no projection"},
        {{.formulation = "complement", .integrator = "cvode:adams", .stabilisation = "projection"},
         "expected no projection"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct lk_method method = known[i].method;
        struct lk_error error = {""};
        struct lab_run run;

        method.tolerance = 1e-6;
        if (lab_case_try("closed-loop-four", &method, 0.1, &run, &error) != LK_E_MODEL ||
            !strstr(error.text, known[i].says))
            fail_msg("%s, %s: '%s'", method.formulation, method.integrator, error.text);
    }
}

/* In index-3 with a tolerance of 1e-12, round-off dominates the error estimate of the first step.
 */
static void passes_on_what_sundials_says(void **state)
{
    struct lk_method method = lab_case_absolute;
    FILE *complaints = tmpfile();
    int standard = dup(STDERR_FILENO);
    struct lk_error error = {""};
    struct lab_run run;

    (void)state;
    assert_non_null(complaints);
    dup2(fileno(complaints), STDERR_FILENO);
    method.integrator = "ida:index-3";
    method.tolerance = 1e-12;
    assert_int_equal(lab_case_try("ex8b", &method, 1, &run, &error), LK_E_STALLED);
    fflush(stderr);
    dup2(standard, STDERR_FILENO);
    close(standard);
    printf("    %s\n", error.text);
    assert_non_null(strstr(error.text, "integrator ida: t = 0 s: SUNDIALS says: At t = 0"));
    assert_int_equal(lseek(fileno(complaints), 0, SEEK_END), 0);
    fclose(complaints);
}

static void says_what_does_not_fit(void **state)
{
    struct lk_method method = lab_case_absolute;
    struct lk_error error;
    struct lab_run run;

    (void)state;
    method.integrator = "ida:ggl";
    assert_int_equal(lab_case_try("ex8b", &method, 1, &run, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "tolerance"));
    method.tolerance = 1e-6;
    method.stabilisation = "projection";
    method.integrator = "radau:index-2";
    assert_int_equal(lab_case_try("ex8b", &method, 1, &run, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "stabilisation"));
    method.stabilisation = "none";
    method.integrator = "radau:index-1";
    assert_int_equal(lab_case_try("oscillator-0", &method, 1, &run, &error), LK_E_MODEL);
    assert_non_null(strstr(error.text, "light"));
}

#define N_PRECISIONS (sizeof(precisions) / sizeof(*precisions))

int main(void)
{
    struct CMUnitTest tests[2 * N_PRECISIONS + 9];
    int n = 0;

    for (size_t i = 0; i < N_PRECISIONS; i++) {
        void *p = (void *)(uintptr_t)&precisions[i];

        tests[n++] =
            (struct CMUnitTest){precisions[i].name, precision_follows_tolerance, NULL, NULL, p};
        tests[n++] = (struct CMUnitTest){precisions[i].name, is_a_reference, NULL, NULL, p};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(all_integrators_follow);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(implicit_methods_outrun_stiff_springs);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(massless_bodies_are_held_by_their_joints);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(quaternions_keep_their_length);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(bdf_takes_projections);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(what_several_steps_leave_out_is_refused);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(passes_on_what_sundials_says);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(orientations_agree);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(says_what_does_not_fit);
    return _cmocka_run_group_tests("precision", tests, (size_t)n, NULL, NULL);
}
