/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels on rails in the formulations of the literature: a contact is a row for which none of them
 * has coordinates, and creep is a force that depends on velocities. */
#include "cmocka_all.h"
#include "linkage/laboratory.h"
#include "model/model.h"
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

/* ---- creep that follows the contact force ---- */

#define LOAD  78.8724 /* of the model: normal force of its coefficients [N] .. */
#define LIMIT 9.46469 /* .. and limit */

static struct lk_laboratory *open_wheelset(const char *formulation, int follows_load,
                                           const char *integrator)
{
    struct lk_method method = {.formulation = formulation,
                               .integrator = integrator,
                               .stabilisation = "projection",
                               .tolerance = 1e-9};
    struct lk_model *model = NULL;
    struct lk_laboratory *laboratory = NULL;
    struct lk_error error = {""};

    if (lk_model_read_file("config/models/wheelset.yaml", &model, &error) != 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < model->n_forces; i++)
        model->forces[i].follows_load = follows_load;
    if (lk_laboratory_open(model, &method, &laboratory, &error) != 0)
        fail_msg("%s: %s", formulation, error.text);
    lk_model_free(model);
    return laboratory;
}

/* At the start both slip alike: L tanh(x) with constant coefficients is p L tanh(p^(2/3) x / p) at
 * a normal force of p loads, and both forces together are at most p L. The contact of the left
 * wheel is along (0, sin, cos) of the cone, but for the roll; what counts is the length of its
 * force. */
static void creep_follows_the_contact_force(void **state)
{
    struct lk_laboratory *constant = open_wheelset("absolute", 0, "dormand-prince"),
                         *following = open_wheelset("absolute", 1, "dormand-prince");
    const struct lk_system *a = lk_laboratory_system(constant),
                           *b = lk_laboratory_system(following);
    double p = hypot(read_output(b, "left_load", 1), read_output(b, "left_load", 2)) / LOAD;
    double part[2], sum = 0;

    (void)state;
    assert_true(fabs(p - 1) > 5e-3);
    for (int k = 0; k < 2; k++) {
        part[k] = tanh(atanh(read_output(a, "left_creep_force", k) / LIMIT) / cbrt(p));
        sum += part[k] * part[k];
    }
    for (int k = 0; k < 2; k++) {
        double right = p * LIMIT * part[k] / fmax(sqrt(sum), 1),
               x = read_output(a, "left_creep_force", k);

        assert_true(k == 1 || fabs(right - x) > 1e-3);
        if (!(fabs(read_output(b, "left_creep_force", k) - right) < 1e-9))
            fail_msg("creep %d is %.12g, not %.12g N", k, read_output(b, "left_creep_force", k),
                     right);
    }
    lk_laboratory_close(constant);
    lk_laboratory_close(following);
}

/* The iteration on the contact force leaves nothing of where it began: another integrator, with
 * other stages, finds the same motion; one with constant coefficients another. */
static void load_dependent_creep_depends_on_the_state_alone(void **state)
{
    static const char *const integrators[] = {"dormand-prince", "radau", "dormand-prince"};
    double shift[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_laboratory *lab = open_wheelset("absolute", i < 2, integrators[i]);
        struct lk_error error = {""};

        if (lk_laboratory_advance(lab, END, NULL, &error) != 0)
            fail_msg("%s: %s", integrators[i], error.text);
        shift[i] = read_output(lk_laboratory_system(lab), "wheelset_pose", 1);
        lk_laboratory_close(lab);
    }
    assert_true(fabs(shift[0] - shift[1]) < 1e-8);
    assert_true(fabs(shift[0] - shift[2]) > 1e-6);
}

/* At the limit of the forces, after 0.5 s, the power of the rails depends on the multipliers, in
 * the middle of a step as well. */
static void work_of_creep_by_load_balances(void **state)
{
    struct lk_laboratory *lab = open_wheelset("absolute", 1, "dormand-prince");
    const struct lk_system *sys = lk_laboratory_system(lab);
    struct lk_error error = {""};

    (void)state;
    if (lk_laboratory_advance(lab, 1, NULL, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(read_output(sys, "work", 1) > 1);
    if (!(fabs(read_output(sys, "work", 4)) < 2e-3 * read_output(sys, "work", 1)))
        fail_msg("%g of %g J", read_output(sys, "work", 4), read_output(sys, "work", 1));
    lk_laboratory_close(lab);
}

static void other_formulations_refuse_creep_by_load(void **state)
{
    static const char *const formulations[] = {"dca", "hdca", "recursive", "complement:qr"};
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    (void)state;
    assert_int_equal(lk_model_read_file("config/models/wheelset.yaml", &model, &error), 0);
    model->forces[1].follows_load = 1;
    for (size_t i = 0; i < sizeof(formulations) / sizeof(formulations[0]); i++) {
        struct lk_method method = {.formulation = formulations[i], .integrator = "dormand-prince"};
        struct lk_laboratory *laboratory = NULL;

        assert_int_equal(lk_laboratory_open(model, &method, &laboratory, &error), LK_E_MODEL);
        assert_string_equal(error.text, "creep 'right_creep' follows its load, expected "
                                        "formulation rattle, ali3 or absolute");
    }
    lk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_agree),
        cmocka_unit_test(creep_follows_the_contact_force),
        cmocka_unit_test(load_dependent_creep_depends_on_the_state_alone),
        cmocka_unit_test(work_of_creep_by_load_balances),
        cmocka_unit_test(other_formulations_refuse_creep_by_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
