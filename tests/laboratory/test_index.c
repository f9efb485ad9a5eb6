/* SPDX-License-Identifier: Apache-2.0 */
/* What the index of the constrained equations does to implicit integrators: M. Arnold, DAE aspects
 * of multibody system dynamics, 2016. */
#include "cmocka_all.h"
#include "lab_case.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double order_of(double coarse, double fine)
{
    return log2(coarse / fine);
}

/* Radau IIA with 3 stages: positions of order 5 in any index; velocities 5, but 3 in index-3;
 * multipliers 5 in index-1, 3 in index-2 and ggl, 2 in index-3 (E. Hairer, G. Wanner, Solving
 * ordinary differential equations II, 1996, sections VII.4 and VII.8; E. Hairer, C. Lubich,
 * M. Roche, The numerical solution of differential-algebraic systems by Runge-Kutta methods, 1989).
 * Half an order is left to terms of the next one. */
static void multipliers_lose_order_with_the_index(void **state)
{
    static const struct {
        const char *integrator;
        double velocity;
        double multiplier;
    } expected[] = {{"radau:index-1", 5, 5},
                    {"radau:index-2", 5, 3},
                    {"radau:ggl", 5, 3},
                    {"radau:index-3", 3, 2}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct lab_run coarse = lab_case_of("ex8b", expected[i].integrator, 0.05, 0, 0, 2),
                       fine = lab_case_of("ex8b", expected[i].integrator, 0.025, 0, 0, 2);
        double velocity = order_of(coarse.error[VELOCITY], fine.error[VELOCITY]);
        double multiplier = order_of(coarse.error[REACTION], fine.error[REACTION]);

        printf("    orders %.2f, %.2f, %.2f\n",
               order_of(coarse.error[POSITION], fine.error[POSITION]), velocity, multiplier);
        assert_true(fabs(velocity - expected[i].velocity) < 0.5);
        assert_true(fabs(multiplier - expected[i].multiplier) < 0.5);
    }
}

/* Examples 10 and 11 on another model, the spatial slider-crank at a tolerance of 1e-6: solved as
 * it is, in index-3, with the usual end of Newton's iteration (kappa = 0.03), the error is far
 * above the tolerance. With kappa = 1e-5 it falls, by 770 times here, for more than twice the work.
 * In index-2 it is small to begin with. "Far" and "small" are a factor of 30 here, the root of what
 * there is between the two ends. */
static void index_3_needs_small_residuals(void **state)
{
    struct lab_run usual = lab_case_of("slider-crank-3d", "radau:index-3", 1e-3, 1e-6, 0.03, 2),
                   small = lab_case_of("slider-crank-3d", "radau:index-3", 1e-3, 1e-6, 1e-5, 2),
                   index_2 = lab_case_of("slider-crank-3d", "radau:index-2", 1e-3, 1e-6, 0.03, 2);

    (void)state;
    assert_true(usual.error[POSITION] > 1e3 * 1e-6);
    assert_true(small.error[POSITION] < usual.error[POSITION] / 30);
    assert_true(small.report.rates > 2 * usual.report.rates);
    assert_true(index_2.error[POSITION] < usual.error[POSITION] / 30);
    /* the multipliers are the worse for it in any case: order 2, and 3 */
    assert_true(index_2.error[REACTION] < small.error[REACTION]);
}

/* BDF with variable steps and order in index-3: a change of the step spoils the multipliers
 * (Example 9), which are worse than those of ggl by more than the index explains, the tolerance to
 * the power of 1/2. */
static void bdf_loses_multipliers_in_index_3(void **state)
{
    struct lab_run coarse = lab_case_of("ex8b", "ida:index-3", 1e-3, 1e-6, 0, 5),
                   fine = lab_case_of("ex8b", "ida:index-3", 1e-3, 1e-8, 0, 5),
                   stabilised = lab_case_of("ex8b", "ida:ggl", 1e-3, 1e-8, 0, 5);

    (void)state;
    printf("    reaction: %.1e at 1e-6, %.1e at 1e-8, ggl %.1e\n", coarse.error[REACTION],
           fine.error[REACTION], stabilised.error[REACTION]);
    assert_true(fine.error[POSITION] < coarse.error[POSITION] / 10);
    assert_true(fine.error[REACTION] > 30 * stabilised.error[REACTION]); /* of 10 to 15 N/m */
    assert_true(stabilised.error[REACTION] < 1e-3);
}

/* ---- axes that do not roll ---- */

static const char *const along_the_axle[] = {"inertia: [0.366, 0.0605, 0.366]",
                                             "inertia: [0.0605, 0.366, 0.366]\n    orientation: "
                                             "{axis: [0, 0, 1], angle: 1.5707963267948966}",
                                             NULL};

#define ROLLING_END 0.3

/* Return the steps to ROLLING_END of the wheelset, x along its axle; @ret: its state there;
 * @ret_load: force on the left rail [N] */
static unsigned long long roll(const struct lk_method *method, struct lk_body_state *ret,
                               double *ret_load)
{
    struct lk_model *model = trajectory_model("config/models/wheelset.yaml", along_the_axle);
    struct lk_laboratory *lab;
    struct lk_lab_report report;
    struct lk_error error;
    double reaction[6];

    if (lk_laboratory_open(model, method, &lab, &error) != 0 ||
        lk_laboratory_advance(lab, ROLLING_END, NULL, &error) != 0)
        fail_msg("%s: %s", method->integrator, error.text);
    lk_system_body_state(lk_laboratory_system(lab), 0, ret);
    assert_int_equal(lk_system_joint_reaction(lk_laboratory_system(lab), 0, reaction), 0);
    *ret_load = reaction[2];
    lk_laboratory_report(lab, &report);
    lk_laboratory_close(lab);
    lk_model_free(model);
    return report.steps;
}

/* The spin of the wheels, 300 rad/s, is no longer in the velocities that an integrator steps: it
 * takes a fifth of the steps and less, to the same state in the axes of the body. */
static void axes_that_do_not_roll_need_fewer_steps(void **state)
{
    static const struct lk_method right = {.formulation = "absolute",
                                           .integrator = "dormand-prince",
                                           .stabilisation = "projection",
                                           .tolerance = 1e-11};
    static const char *const integrators[] = {"radau:index-2", "radau:ggl", "radau:index-1",
                                              "ida:ggl"};
    struct lk_body_state exact, there;
    double load, exact_load;

    (void)state;
    roll(&right, &exact, &exact_load);
    for (int i = 0; i < 4; i++) {
        struct lk_method method = {.formulation = "absolute",
                                   .integrator = integrators[i],
                                   .tolerance = 1e-8,
                                   .absolute_tolerance = 1e-10};
        unsigned long long steps[2];
        double error[4] = {0};

        for (int k = 0; k < 2; k++) {
            method.orientation = k == 0 ? "lie" : "resal";
            steps[k] = roll(&method, &there, &load);
        }
        for (int k = 0; k < 3; k++) {
            error[0] = fmax(error[0], fabs(there.position[k] - exact.position[k]));
            error[1] = fmax(error[1], fabs(there.angular_velocity[k] - exact.angular_velocity[k]));
            error[2] =
                fmax(error[2], fabs(there.angular_acceleration[k] - exact.angular_acceleration[k]));
        }
        error[3] = fabs(load - exact_load);
        printf("    %-14s %llu steps, %llu that do not roll; %.1e m, %.1e rad/s, %.1e rad/s^2, "
               "%.1e N\n",
               integrators[i], steps[0], steps[1], error[0], error[1], error[2], error[3]);
        assert_true(5 * steps[1] < steps[0]);
        assert_true(error[0] < 1e-7 && error[1] < 1e-4 && error[2] < 0.05 && error[3] < 1e-2);
    }
}

/* other integrators take velocities along the axes of the bodies */
static void axes_that_do_not_roll_are_refused(void **state)
{
    static const struct {
        struct lk_method method;
        const char *path;
        const char *why;
    } cases[] = {
        {{.formulation = "absolute", .integrator = "rk4", .orientation = "resal"},
         "config/models/wheelset.yaml",
         "is for the constrained equations by radau"},
        {{.formulation = "absolute",
          .integrator = "radau:ggl",
          .orientation = "resal",
          .tolerance = 1e-6},
         "config/models/wheelset.yaml",
         "body wheelset has other inertia about its y axis"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        static const char *const none[] = {NULL};
        struct lk_model *model = trajectory_model(cases[i].path, none);
        struct lk_laboratory *lab;
        struct lk_error error = {""};

        assert_int_equal(lk_laboratory_open(model, &cases[i].method, &lab, &error), LK_E_MODEL);
        if (!strstr(error.text, cases[i].why))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].why);
        lk_model_free(model);
    }
}

/* ---- backward differentiation ---- */

/** struct bdf_case - @step: such that errors are above round-off and follow their leading term */
static const struct bdf_case {
    const char *integrator[3];
    int order;
    double step;
} bdfs[] = {
    {{"bdf-1:index-3", "bdf-1:index-2", "bdf-1:ggl"}, 1, 1e-3},
    {{"bdf-2:index-3", "bdf-2:index-2", "bdf-2:ggl"}, 2, 5e-3},
    {{"bdf-3:index-3", "bdf-3:index-2", "bdf-3:ggl"}, 3, 1e-2},
    {{"bdf-4:index-3", "bdf-4:index-2", "bdf-4:ggl"}, 4, 1.25e-2},
    {{"bdf-5:index-3", "bdf-5:index-2", "bdf-5:ggl"}, 5, 1.25e-2},
    {{"bdf-6:index-3", "bdf-6:index-2", "bdf-6:ggl"}, 6, 1.25e-2},
};

/* Positions and velocities of order k in every form (Arnold 2016, after eq. (75)); multipliers,
 * too, but for the first steps: those of Radau (order 3), and in index-3 those after it, whose past
 * is not that of the method. */
static void bdf_has_its_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bdfs) / sizeof(*bdfs); i++)
        for (int k = 0; k < 3; k++) {
            const char *name = bdfs[i].integrator[k];
            struct lab_run coarse = lab_case_of("ex8b", name, bdfs[i].step, 0, 0, 2),
                           fine = lab_case_of("ex8b", name, bdfs[i].step / 2, 0, 0, 2);
            double position = order_of(coarse.error[POSITION], fine.error[POSITION]),
                   velocity = order_of(coarse.error[VELOCITY], fine.error[VELOCITY]),
                   multiplier = order_of(coarse.error[REACTION], fine.error[REACTION]);

            printf("    orders %.2f, %.2f, %.2f\n", position, velocity, multiplier);
            assert_true(fabs(position - bdfs[i].order) < 0.5);
            assert_true(fabs(velocity - bdfs[i].order) < 0.5);
            assert_true(bdfs[i].order > 4 || k == 0 || fabs(multiplier - bdfs[i].order) < 0.5);
        }
}

/* force of the drive that moves a block along a slide, after a step of @h that follows one of
 * @before, to the time @t [N] */
static double driven_force(const char *integrator, double before, double h, double t)
{
    static const char text[] =
        "linkage: 1\nname: driven\ngravity: [0, 0, 0]\n"
        "bodies: {block: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
        "joints: {slide: {type: prismatic, bodies: [ground, block], axis: [1, 0, 0], "
        "point: [0, 0, 0], drive: {harmonic: {amplitude: 0.5, omega: 1}}}}\n"
        "outputs: {load: {type: drive-force, joint: slide}}\n"
        "solver: {formulation: ali3, step: 0.001}\n";
    struct lk_method method = lab_case_absolute;
    struct lk_laboratory *lab = NULL;
    struct lk_model *model = NULL;
    struct lk_error error = {""};
    double load;
    int r;

    method.integrator = integrator;
    method.step = before;
    if (lk_model_read_text("driven", text, strlen(text), &model, &error) != 0 ||
        lk_laboratory_open(model, &method, &lab, &error) != 0)
        fail_msg("%s", error.text);
    r = lk_laboratory_advance(lab, t, NULL, &error);
    if (r == 0 && h < before)
        r = lk_laboratory_change_step(lab, h, &error);
    if (r == 0 && h < before)
        r = lk_laboratory_advance(lab, t + h, NULL, &error);
    if (r != 0)
        fail_msg("%s", error.text);
    lk_system_outputs(lk_laboratory_system(lab), &load);
    lk_laboratory_close(lab);
    lk_model_free(model);
    return load;
}

/* Example 9: of the backward Euler method in index-3 the multiplier comes out (h_n + h_n-1) / 2 h_n
 * times too large after a change of the step: 500.5 from 10 ms to 0.01 ms, but for the change of
 * the force in 10 ms. In index-2 it does not. */
static void changed_steps_spoil_multipliers_of_index_3(void **state)
{
    double right = driven_force("bdf-2:ggl", 1e-3, 1e-3, 0.5);
    double spoiled = driven_force("bdf-1:index-3", 1e-2, 1e-5, 0.5) / right;
    double kept = driven_force("bdf-1:index-2", 1e-2, 1e-5, 0.5) / right;

    (void)state;
    printf("    %g, %g times\n", spoiled, kept);
    assert_true(fabs(spoiled - 500.5) < 0.02 * 500.5);
    assert_true(fabs(kept - 1) < 0.02);
}

/* Runs whose steps change keep their order: weights are those of the steps there are. */
static void bdf_follows_changed_steps(void **state)
{
    struct lk_method method = {.formulation = "absolute", .integrator = "rk4", .step = 1e-3};
    struct lk_laboratory *lab;
    struct lk_model *model = trajectory_model("config/models/double-pendulum.yaml", NULL);
    struct lk_error error = {""};
    struct lk_body_state ends[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        double h = i == 0 ? 1e-2 : 5e-3;

        method.integrator = i == 2 ? "half-explicit" : "bdf-4:ggl";
        method.step = i == 2 ? 1e-3 : h;
        assert_int_equal(lk_laboratory_open(model, &method, &lab, &error), 0);
        for (int k = 1; k <= 10 && i < 2; k++) { /* two lengths in turn */
            assert_int_equal(lk_laboratory_advance(lab, 0.06 * k - 0.02, NULL, &error), 0);
            assert_int_equal(lk_laboratory_change_step(lab, h / 2, &error), 0);
            assert_int_equal(lk_laboratory_advance(lab, 0.06 * k, NULL, &error), 0);
            assert_int_equal(lk_laboratory_change_step(lab, h, &error), 0);
        }
        assert_int_equal(lk_laboratory_advance(lab, 0.6, NULL, &error), 0);
        lk_system_body_state(lk_laboratory_system(lab), 1, &ends[i]);
        assert_true(i < 2 || lk_laboratory_change_step(lab, h, &error) == LK_E_MODEL);
        lk_laboratory_close(lab);
    }
    lk_model_free(model);
    printf("    %.2e, %.2e m\n", ends[0].position[0] - ends[2].position[0],
           ends[1].position[0] - ends[2].position[0]);
    assert_true(fabs(order_of(fabs(ends[0].position[0] - ends[2].position[0]),
                              fabs(ends[1].position[0] - ends[2].position[0])) -
                     4) < 0.7);
}

/* Equation (87c): Phi no longer adds up, in any integrator that has it by name; it does without. */
static void baumgarte_of_index_2_bounds_the_drift(void **state)
{
    static const char *const pairs[][2] = {
        {"bdf-2:index-2", "bdf-2:index-2-baumgarte"},

        {"generalized-alpha:index-2", "generalized-alpha:index-2-baumgarte"},
        {"hht-alpha:index-2", "hht-alpha:index-2-baumgarte"}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lab_run drifts = lab_case_of("ex8b", pairs[i][0], 0.025, 0, 0, 5),
                       held = lab_case_of("ex8b", pairs[i][1], 0.025, 0, 0, 5);

        printf("    %.1e, %.1e m\n", drifts.report.position, held.report.position);
        assert_true(held.report.position < 0.25 * drifts.report.position);
        assert_true(held.error[POSITION] < 1.5 * drifts.error[POSITION]);
    }
}

/* Phi of index-2 drifts by the error of positions, of index-1 too; ggl and index-3 hold it to the
 * end of Newton's iteration. */
static void ggl_holds_both_constraints(void **state)
{
    struct lab_run ggl = lab_case_of("double-pendulum", "radau:ggl", 1e-3, 1e-6, 0, 5),
                   index_2 = lab_case_of("double-pendulum", "radau:index-2", 0.02, 0, 0, 5),
                   index_1 = lab_case_of("double-pendulum", "radau:index-1", 0.02, 0, 0, 5),
                   fixed = lab_case_of("double-pendulum", "radau:ggl", 0.02, 0, 0, 5);

    (void)state;
    printf("    drift: %.1e, %.1e, %.1e, %.1e m; %.1e, %.1e, %.1e, %.1e m/s\n", ggl.report.position,
           index_2.report.position, index_1.report.position, fixed.report.position,
           ggl.report.velocity, index_2.report.velocity, index_1.report.velocity,
           fixed.report.velocity);
    assert_true(ggl.report.position < 1e-6 && ggl.report.velocity < 1e-5);
    /* fixed steps iterate to round-off: weights of 1e-10, ended at 1e-3 of them */
    assert_true(fixed.report.position < 1e-11 && fixed.report.velocity < 1e-10);
    assert_true(index_2.report.velocity < 1e-10);
    /* accelerations are the slope at the end of the step, of order 3 in these variables; they are
     * of size 10 */
    assert_true(ggl.report.acceleration < 1e-1 && fixed.report.acceleration < 1e-1);
    assert_true(index_2.report.position > 1e-10);
    assert_true(index_1.report.velocity > 1e-10 && index_1.report.position > 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_lose_order_with_the_index),
        cmocka_unit_test(index_3_needs_small_residuals),
        cmocka_unit_test(bdf_loses_multipliers_in_index_3),
        cmocka_unit_test(axes_that_do_not_roll_need_fewer_steps),
        cmocka_unit_test(axes_that_do_not_roll_are_refused),
        cmocka_unit_test(ggl_holds_both_constraints),
        cmocka_unit_test(bdf_has_its_order),
        cmocka_unit_test(changed_steps_spoil_multipliers_of_index_3),
        cmocka_unit_test(bdf_follows_changed_steps),
        cmocka_unit_test(baumgarte_of_index_2_bounds_the_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
