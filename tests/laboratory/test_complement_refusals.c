/* SPDX-License-Identifier: Apache-2.0 */
/* Models and settings that formulation complement refuses, and its messages. */
#include "cmocka_all.h"
#include "complement_run.h"

#include <stdlib.h>
#include <string.h>

static void expect_refusal(const char *model, const char *from, const char *to, const char *variant,
                           enum lk_orientation orientation, const char *line)
{
    struct lk_error error = {0};
    struct run run;

    assert_int_equal(
        run_open(model, from, to, variant, orientation, LK_STABILISATION_NONE, &run, &error),
        LK_E_MODEL);
    assert_string_equal(error.text, line);
}

/* the paper, end of section 3.3.2: the mass matrix must be regular; that of Euler parameters is
 * singular, and so is that of a body without inertia. The other methods accept both. */
static void wang_huston_needs_a_regular_mass_matrix(void **state)
{
    struct run run;

    (void)state;
    expect_refusal("strut", NULL, NULL, "wang-huston", LK_ORIENTATION_PARAMETERS,
                   "formulation complement:wang-huston: the mass matrix of Euler parameters is "
                   "singular and has no inverse; take orientation lie, angles or euler, or another "
                   "variant");
    expect_refusal("strut", "inertia: [0.1, 0.1, 0.1]\n    position: [0, 0.35, 0.6]",
                   "inertia: [0.1, 0.1, 0]\n    position: [0, 0.35, 0.6]", "wang-huston",
                   LK_ORIENTATION_LIE,
                   "formulation complement:wang-huston: body rod has a singular mass matrix; give "
                   "it mass and inertia, or take another variant");
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        if (strncmp(*variant, "wang-huston", 11) == 0)
            continue;
        run_start("strut", *variant, LK_ORIENTATION_PARAMETERS, LK_STABILISATION_NONE, &run);
        assert_int_equal(run_step(&run, 1e-3), 0);
        run_close(&run);
    }
}

static void unknown_variant_is_refused(void **state)
{
    (void)state;
    expect_refusal("strut", NULL, NULL, "lu", LK_ORIENTATION_LIE,
                   "formulation complement: there is no variant 'lu'; qr is the default");
}

/* Euler's angles are singular at nutation 0: at the start of the strut, where all frames are
 * aligned with the world, and in any state; 1e-3 rad away they are regular. */
static void euler_angles_report_their_singularity(void **state)
{
    double rates[256];
    struct run run;

    (void)state;
    expect_refusal("strut", NULL, NULL, "qr", LK_ORIENTATION_EULER,
                   "formulation complement: the angles of body arm are singular at the start; turn "
                   "the frame of the body, or take orientation lie or parameters");
    run_turned("strut", "qr", LK_ORIENTATION_EULER, LK_STABILISATION_NONE, &run);
    run.y[4] = 1e-7;
    assert_int_equal(run_rate(&run, rates), LK_E_SINGULAR);
    assert_int_equal(run_step(&run, 1e-3), LK_E_SINGULAR);
    run.y[4] = 1e-3;
    assert_int_equal(run_rate(&run, rates), 0);
    run_close(&run);
}

/* all links of the four-bar are in line: the rank falls by one, and the accelerations are
 * undetermined */
static void singular_poses_are_reported(void **state)
{
    static const double turn[4] = {0.38268343236508977, 0, 0, -0.92387953251128674};

    (void)state;
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        double rates[256];
        struct run run;

        run_start("four-bar-vertical", *variant, LK_ORIENTATION_LIE, LK_STABILISATION_NONE, &run);
        memset(run.y, 0, (size_t)run.n * sizeof(double));
        run.y[1] = run.y[8] = -0.5;
        run.y[15] = 0.5;
        memcpy(&run.y[3], turn, sizeof(turn));
        memcpy(&run.y[17], turn, sizeof(turn));
        run.y[10] = 1;
        if (run_rate(&run, rates) != LK_E_SINGULAR)
            fail_msg("%s does not see it", *variant);
        run_close(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wang_huston_needs_a_regular_mass_matrix),
        cmocka_unit_test(unknown_variant_is_refused),
        cmocka_unit_test(euler_angles_report_their_singularity),
        cmocka_unit_test(singular_poses_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
