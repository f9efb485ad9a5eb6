/* SPDX-License-Identifier: Apache-2.0 */
/* What M. Arnold, DAE aspects of multibody system dynamics (2016), says of half-explicit methods,
 * index reductions, drift and orientations, on shipped models and their references. */
#include "../cmocka_all.h"
#include "constrained_run.h"
#include <math.h>
#include <string.h>

#define ALPHA         .integrator = &lk_integrator_generalized_alpha
#define HHT           .integrator = &lk_integrator_hht_alpha
#define HALF_EXPLICIT .integrator = &lk_integrator_half_explicit

static void half_explicit_methods_are_of_order_5(void **state)
{
    static const enum lk_orientation kept[] = {LK_ORIENTATION_LIE, LK_ORIENTATION_PARAMETERS};
    static const char *const variants[] = {"index-2", "index-1"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            struct lab_method method = {HALF_EXPLICIT, .variant = variants[i],
                                        .orientation = kept[k]};

            lab_assert_orders(&lab_double_pendulum, method, 0.02, 1, 4.6, 5.8);
            lab_assert_orders(&lab_closed_loop, method, 0.02, 1, 4.6, 5.8);
            lab_assert_orders(&lab_heavy_top, method, 0.005, 1, 4.6, 5.8);
            lab_assert_orders(&lab_slider_crank, method, 0.005, 0.4, 4.3, 5.9);
        }
}

/* multipliers of stage 7 are of order 5 as well: Lambda_7 depends on the step before by a factor 0
 */
static void half_explicit_multipliers_converge(void **state)
{
    double order[LAB_QUANTITIES];

    (void)state;
    lab_orders(&lab_double_pendulum, (struct lab_method){HALF_EXPLICIT, .variant = "index-2"}, 0.02,
               1, order);
    assert_true(order[LAB_MULTIPLIER] > 4.6);
}

/* rows that depend on time: all methods agree on the reaction at the drive, each with its order;
 * index-1 is that of multipliers by the state, the twin that of index-2 */
static void driven_rows_are_followed(void **state)
{
    struct lab_method method = {HALF_EXPLICIT, .variant = "index-1", .step = 0.01};
    double a = lab_transient(&lab_driven_pendulum, &method, 30), b;

    (void)state;
    method.step = 0.005;
    b = lab_transient(&lab_driven_pendulum, &method, 60);
    assert_true(a < 1e-5 && a / b > 20 && a / b < 50);
    method = (struct lab_method){ALPHA, .variant = "ggl", .step = 0.01};
    a = lab_transient(&lab_driven_pendulum, &method, 30);
    method.step = 0.005;
    b = lab_transient(&lab_driven_pendulum, &method, 60);
    assert_true(a < 0.1 && a / b > 3.5 && a / b < 4.5);
}

/* errors follow the tolerance, and steps are not wasted */
static void half_explicit_steps_follow_the_tolerance(void **state)
{
    static const char *const variants[] = {"index-2", "index-1"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2) {
            struct lab_result r;

            lab_run_well(&lab_double_pendulum,
                         (struct lab_method){HALF_EXPLICIT, .variant = variants[i], .step = 0.01,
                                             .tolerance = tolerance},
                         0, 2, &r);
            assert_true(r.error[LAB_VELOCITY] < 20 * tolerance);
            assert_true(fabs(r.t - 2) < 1e-12);
            assert_true(r.counts.steps < 0.5 * pow(tolerance, -0.25) * 10);
        }
}

/* ---- drift ---- */

static double drift(const struct lk_integrator *integrator, const char *variant,
                    enum lk_stabilisation stabilisation, double end)
{
    struct lab_result r;

    lab_run_well(&lab_pendulum_ex8b,
                 (struct lab_method){.integrator = integrator,
                                     .variant = variant,
                                     .stabilisation = stabilisation,
                                     .baumgarte = {5, 5},
                                     .step = 0.02},
                 0, end, &r);
    return r.phi;
}

/* eq. (86), Fig. 14: violation of positions grows like t in index-2 and like t^2 in index-1, of
 * formulation absolute too, and not at all with projection */
static void drift_is_linear_or_quadratic(void **state)
{
    const struct lk_integrator *half = &lk_integrator_half_explicit;
    double growth;

    (void)state;
    growth = drift(half, "index-2", LK_STABILISATION_NONE, 8) /
             drift(half, "index-2", LK_STABILISATION_NONE, 4);
    assert_true(growth > 1.9 && growth < 2.1);
    growth = drift(half, "index-1", LK_STABILISATION_NONE, 8) /
             drift(half, "index-1", LK_STABILISATION_NONE, 4);
    assert_true(growth > 3.6 && growth < 4.4);
    growth = drift(NULL, "index-2", LK_STABILISATION_NONE, 8) /
             drift(NULL, "index-2", LK_STABILISATION_NONE, 4);
    assert_true(growth > 1.9 && growth < 2.2);
    growth = drift(NULL, "index-1", LK_STABILISATION_NONE, 10) /
             drift(NULL, "index-1", LK_STABILISATION_NONE, 6);
    assert_true(growth > 2.5); /* (10 / 6)^2 = 2.8 */
    assert_true(drift(half, "index-1", LK_STABILISATION_PROJECTION, 8) < 1e-15);
    assert_true(drift(half, "index-2", LK_STABILISATION_PROJECTION, 8) < 1e-15);
    assert_true(drift(NULL, "index-1", LK_STABILISATION_PROJECTION, 8) < 1e-15);
    assert_true(drift(NULL, "index-2", LK_STABILISATION_PROJECTION, 8) < 1e-15);
}

/* Baumgarte's terms stop the growth: index-1, and index-2 after eq. (87) */
static void baumgarte_bounds_the_drift(void **state)
{
    const struct lk_integrator *alpha = &lk_integrator_generalized_alpha;
    static const char *const variants[] = {"index-1", "index-2"};

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_true(drift(NULL, variants[i], LK_STABILISATION_BAUMGARTE, 8) <
                    1.3 * drift(NULL, variants[i], LK_STABILISATION_BAUMGARTE, 4));
    assert_true(drift(NULL, "index-1", LK_STABILISATION_BAUMGARTE, 8) <
                0.2 * drift(NULL, "index-1", LK_STABILISATION_NONE, 8));
    assert_true(drift(alpha, "index-2", LK_STABILISATION_BAUMGARTE, 8) <
                drift(alpha, "index-2", LK_STABILISATION_BAUMGARTE, 4));
    assert_true(drift(alpha, "index-2", LK_STABILISATION_BAUMGARTE, 8) <
                0.5 * drift(alpha, "index-2", LK_STABILISATION_NONE, 8));
}

/* ---- formulation absolute ---- */

static void absolute_is_an_ordinary_differential_equation(void **state)
{
    static const char *const variants[] = {"index-1", "index-2"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = LK_ORIENTATION_LIE; k <= LK_ORIENTATION_ANGLES; k++)
            for (int s = LK_STABILISATION_NONE; s <= LK_STABILISATION_PROJECTION; s++) {
                const struct lab_method method = {.variant = variants[i],
                                                  .orientation = (enum lk_orientation)k,
                                                  .stabilisation = (enum lk_stabilisation)s,
                                                  .baumgarte = {5, 5}};

                lab_assert_orders(&lab_double_pendulum, method, 0.01, 1, 3.6, 4.6);
            }
}

/* section 3.1, Remark 6: Euler angles have a singularity. The heavy top starts in that of yaw,
 * pitch and roll (pitch 90 degrees), the double pendulum in that of z-x-z (nutation 0). */
static void singular_angles_are_reported(void **state)
{
    static const struct {
        const struct lab_case *c;
        enum lk_orientation orientation;
    } at[] = {{&lab_heavy_top, LK_ORIENTATION_ANGLES},
              {&lab_double_pendulum, LK_ORIENTATION_EULER}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lab_result r;
        struct lab_method method = {HALF_EXPLICIT, .variant = "index-2",
                                    .orientation = at[i].orientation, .step = 0.005};

        lab_run(at[i].c, &method, 0, 1, &r);
        assert_int_equal(r.status, LK_E_SINGULAR);
        assert_non_null(strstr(r.text.text, "angles are singular"));
        method.integrator = NULL;
        method.variant = "index-1";
        lab_run(at[i].c, &method, 0, 1, &r);
        assert_int_equal(r.status, LK_E_SINGULAR);
    }
}

/* the same angles serve where they stay away from it: the top in z-x-z */
static void regular_angles_serve(void **state)
{
    struct lab_result r;

    (void)state;
    lab_run_well(&lab_heavy_top,
                 (struct lab_method){HALF_EXPLICIT, .variant = "index-2",
                                     .orientation = LK_ORIENTATION_EULER, .step = 0.005},
                 0, 1, &r);
    assert_true(r.error[LAB_POSITION] < 1e-8);
}

/* ---- redundant rows and singular poses ---- */

/* Four hinges, three redundant rows; all links come into line at 1.0137, 3.0411 and 5.0685 s. Order
 * 2 and 5 through them, and the rhombus is not left. */
static void aligned_four_bar_is_passed(void **state)
{
    static const char *const alpha[] = {"ggl", "index-3", "index-2"}, *const half[] = {"index-2",
                                                                                       "index-1"};
    struct lab_result r;

    (void)state;
    for (int i = 0; i < 3; i++)
        lab_assert_orders(&lab_four_bar, (struct lab_method){ALPHA, .variant = alpha[i]}, 0.01, 6,
                          1.9, 2.1);
    lab_assert_orders(&lab_four_bar, (struct lab_method){HALF_EXPLICIT, .variant = "index-2"}, 0.01,
                      6, 4.6, 5.4);
    for (int i = 0; i < 2; i++) {
        lab_run_well(&lab_four_bar,
                     (struct lab_method){HALF_EXPLICIT, .variant = half[i],
                                         .stabilisation = LK_STABILISATION_PROJECTION,
                                         .step = 0.01},
                     0, 6, &r);
        assert_true(r.error[LAB_POSITION] < 2e-9 && r.worst_phi < 2e-15);
    }
    /* steps that shrink towards the pose: rows are left out there before their noise counts */
    lab_run_well(&lab_four_bar,
                 (struct lab_method){HALF_EXPLICIT, .variant = "index-1",
                                     .stabilisation = LK_STABILISATION_PROJECTION, .step = 0.01,
                                     .tolerance = 1e-10},
                 0, 6, &r);
    assert_true(r.error[LAB_POSITION] < 1e-6);
}

/* ---- refusals ---- */

static void assert_refused(const char *model, const char *const *replace, struct lab_method method,
                           const char *why)
{
    struct lk_error error = {{0}};

    method.step = 0.01;
    assert_int_equal(lab_open(model, replace, &method, &error), LK_E_MODEL);
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const char *const slender[] = {"[4e-4, 4e-4, 1e-5]", "[4e-4, 4e-4, 0]", NULL};

    (void)state;
    assert_refused("slider-crank-3d", slender, (struct lab_method){ALPHA, .variant = "ggl"},
                   "body 'crank' has no mass, or no inertia about some axis");
    assert_refused("slider-crank-3d", slender, (struct lab_method){.variant = "index-1"},
                   "'crank'");
    assert_refused("heavy-top", NULL,
                   (struct lab_method){ALPHA, .variant = "ggl", .orientation = 2},
                   "expected orientation lie");
    assert_refused(
        "heavy-top", NULL,
        (struct lab_method){HHT, .variant = "index-3", .stabilisation = LK_STABILISATION_BAUMGARTE},
        "hht-alpha:index-2");
    assert_refused("heavy-top", NULL,
                   (struct lab_method){HALF_EXPLICIT, .variant = "index-2",
                                       .stabilisation = LK_STABILISATION_BAUMGARTE},
                   "expected stabilisation none or projection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_explicit_methods_are_of_order_5),
        cmocka_unit_test(half_explicit_multipliers_converge),
        cmocka_unit_test(driven_rows_are_followed),
        cmocka_unit_test(half_explicit_steps_follow_the_tolerance),
        cmocka_unit_test(drift_is_linear_or_quadratic),
        cmocka_unit_test(baumgarte_bounds_the_drift),
        cmocka_unit_test(absolute_is_an_ordinary_differential_equation),
        cmocka_unit_test(singular_angles_are_reported),
        cmocka_unit_test(regular_angles_serve),
        cmocka_unit_test(aligned_four_bar_is_passed),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
