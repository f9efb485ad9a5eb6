/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels on rails in the formulations of the literature: a contact is a row for which none of them
 * has coordinates, and creep is a force that depends on velocities. */
#include "cmocka_all.h"
#include "linkage/laboratory.h"
#include <math.h>
#include <string.h>

#define END 0.5 /* [s]: the wheelset has moved by 5 mm, where all creep forces saturate */

static double read_output(const struct lk_system *sys, const char *name, int component)
{
    double values[64];
    int n;
    const struct lk_channel *channels = lk_system_output_channels(sys, &n);

    assert_true(lk_system_output_size(sys) <= 64);
    lk_system_outputs(sys, values);
    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0)
            return values[channels[i].offset + component];
    fail_msg("no output '%s'", name);
    return 0;
}

/* lateral shift, yaw part of the quaternion, vertical force on the left wheel, work of the rails */
static void run(const struct lk_method *method, double ret[4], struct lk_lab_report *ret_report)
{
    struct lk_model *model = NULL;
    struct lk_laboratory *laboratory = NULL;
    struct lk_error error = {""};

    if (lk_model_read_file("config/models/wheelset.yaml", &model, &error) != 0 ||
        lk_laboratory_open(model, method, &laboratory, &error) != 0 ||
        lk_laboratory_advance(laboratory, END, NULL, &error) != 0)
        fail_msg("%s: %s", method->formulation, error.text);
    ret[0] = read_output(lk_laboratory_system(laboratory), "wheelset_pose", 1);
    ret[1] = read_output(lk_laboratory_system(laboratory), "wheelset_velocity", 5);
    ret[2] = read_output(lk_laboratory_system(laboratory), "left_load", 2);
    ret[3] = read_output(lk_laboratory_system(laboratory), "work", 3);
    lk_laboratory_report(laboratory, ret_report);
    lk_laboratory_close(laboratory);
    lk_model_free(model);
}

/* Shift [m], yaw rate [rad/s], force [N], work [J]. The error of the tolerance, 1e-9 per step,
 * relative to numbers above 1, comes from some 500 steps with varying sign, and an error of 1e-9
 * m/s in the slip changes a force by 1e-6 N. The works are sums by the trapezoidal rule over the
 * steps of an integrator. */
static void formulations_agree(void **state)
{
    static const char *const formulations[] = {"dca", "hdca", "recursive", "complement:qr",
                                               "absolute:index-2"};
    static const double bound[4] = {1e-8, 1e-7, 2e-5, 1e-3};
    struct lk_method method = {.formulation = "absolute",
                               .integrator = "dormand-prince",
                               .stabilisation = "projection",
                               .tolerance = 1e-9};
    struct lk_lab_report report;
    double right[4], other[4];

    (void)state;
    run(&method, right, &report);
    assert_true(fabs(right[0]) > 1e-3 && right[3] > 0.5);
    for (size_t i = 0; i < sizeof(formulations) / sizeof(formulations[0]); i++) {
        method.formulation = formulations[i];
        run(&method, other, &report);
        for (int k = 0; k < 4; k++)
            if (!(fabs(other[k] - right[k]) < bound[k]))
                fail_msg("%s: quantity %d is %.12g, not %.12g", formulations[i], k, other[k],
                         right[k]);
        assert_true(report.position < 1e-12 && report.velocity < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
