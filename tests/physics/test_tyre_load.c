/* SPDX-License-Identifier: Apache-2.0 */
/* The vertical force of Magic Formula 6.1: it increases with the spin and decreases with forces
 * along the road. A wheel whose axle is rotated by 0.04 rad rolls, brakes and slips sideways.
 * Finally its load is the weight, and its depth is that of the formula for this load, for any step;
 * the energy balance is closed. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "tyre_sets.h"
#include <stdio.h>
#include <string.h>

#define MASS 650

static const char text[] =
    "linkage: 1\n"
    "name: corner\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  fork: {mass: 630, inertia: [20, 20, 20], position: [0, 0, 0.38], velocity: [30, 0, 0]}\n"
    "  wheel: {mass: 20, inertia: [1, 1.7, 1], position: [0, 0, 0.38], velocity: [30, 0, 0],\n"
    "    angular_velocity: [-3.1, 77, 0]}\n"
    "joints:\n"
    "  guide: {type: planar, bodies: [ground, fork], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  axle: {type: revolute, bodies: [fork, wheel], point: [0, 0, 0.38], axis: [-0.04, 1, 0]}\n"
    "roads:\n"
    "  road: {type: plane}\n"
    "forces:\n"
    "  tyre: {type: tyre, joint: axle, road: road, side: left, radius: 0.3943, width: 0.2,\n"
    "    stiffness: 231170, damping: 12000, carcass: {length: [0.5, 0.6]}, law: {type: fiala,\n"
    "    slip_stiffness: 1e5, cornering_stiffness: 1e5, friction: [0.8, 1], rolling: 0}}\n"
    "  upright: {type: joint-spring-damper, joint: guide, coordinate: angle, stiffness: 1e6,\n"
    "    damping: 1e4}\n"
    "  brake: {type: friction, joint: axle, coulomb: 900, wind_up: {}}\n"
    "outputs:\n"
    "  spin: {type: joint-velocity, joint: axle}\n"
    "  force: {type: tyre, force: tyre}\n"
    "  contact: {type: tyre-contact, force: tyre}\n"
    "  energy: {type: energy}\n"
    "  work: {type: work}\n"
    "solver: {step: 0.001}\n";

enum { SPIN, FX, FY, FZ, DEPTH = 10, KINETIC = 14, BALANCE = 20, TAKEN, CLOSING, OUTPUTS };

static struct lk_system *make_wheel(const struct lk_tyre_law *law)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("wheel", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    model->tyres[0].law = *law;
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static double depth_alone(const struct lk_tyre_magic *m, double depth)
{
    const double x = depth / 0.3943, k = 231170 * 0.3943 / m->FNOMIN;

    return m->FNOMIN * x * (sqrt(k * k - 4 * m->Q_FZ2) + m->Q_FZ2 * x);
}

/* Return the load according to the formula, from the depth, the spin and the forces of the outputs,
 * plus the damper force, because the wheel sinks while it slows down. @before: outputs of the step
 * before */
static double by_formula(const struct lk_tyre_magic *m, const double *out, const double *before)
{
    double spin = fabs(out[SPIN]) * 0.3943 / m->LONGVL, x = m->Q_FCX * out[FX] / m->FNOMIN,
           y = m->Q_FCY * out[FY] / m->FNOMIN;

    return (1 + m->Q_V2 * spin - x * x - y * y) * depth_alone(m, out[DEPTH]) +
           12000 * (out[DEPTH] - before[DEPTH]) / 0.001;
}

static void make_law(struct lk_tyre_law *law)
{
    tyre_set_b(law);
    law->of.magic.Q_FCX = 0.3; /* the set's -0.02 has too little effect */
    law->of.magic.pressure = law->of.magic.NOMPRES;
}

static void load_follows_spin_and_forces(void **state)
{
    struct lk_tyre_law law;
    struct lk_system *sys;
    double before[OUTPUTS], out[OUTPUTS], weight = MASS * 9.81, wanted;

    (void)state;
    make_law(&law);
    sys = make_wheel(&law);
    assert_int_equal(lk_system_output_size(sys), OUTPUTS);
    for (int i = 0; i < 1500; i++) {
        lk_system_outputs(sys, before);
        assert_int_equal(lk_system_step(sys, NULL), 0);
    }
    lk_system_outputs(sys, out);
    wanted = by_formula(&law.of.magic, out, before);
    assert_true(out[FX] < -1500 && out[FY] > 2000 && out[SPIN] > 40);
    if (!(fabs(out[FZ] - weight) < 1e-4 * weight))
        fail_msg("%.9g N, its weight %.9g N", out[FZ], weight);
    if (!(fabs(out[FZ] - wanted) < 5e-5 * weight))
        fail_msg("%.9g N, by the formula %.9g N", out[FZ], wanted);
    assert_true(fabs(out[BALANCE]) < 1e-7 * out[KINETIC]);
    lk_system_free(sys);
}

/* The step is of order 2 with these terms as well. */
static void keeps_its_order(void **state)
{
    struct lk_tyre_law law;
    double x[4];

    (void)state;
    make_law(&law);
    for (int i = 0; i < 4; i++) {
        const int n = 200 << i;
        struct lk_system *sys;
        double out[OUTPUTS];
        struct lk_model *model;
        struct lk_error error;

        assert_int_equal(lk_model_read_text("wheel", text, strlen(text), &model, &error), 0);
        model->tyres[0].law = law;
        assert_int_equal(lk_system_new(model, &(struct lk_options){.step = 0.4 / n}, &sys, &error),
                         0);
        lk_model_free(model);
        for (int k = 0; k < n; k++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_outputs(sys, out);
        x[i] = out[SPIN] + 1e4 * out[DEPTH];
        lk_system_free(sys);
    }
    for (int i = 0; i < 2; i++) {
        double ratio = (x[i] - x[i + 1]) / (x[i + 1] - x[i + 2]);

        if (!(ratio > 3 && ratio < 5.5))
            fail_msg("ratio %g of %g", ratio, x[i] - x[i + 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_follows_spin_and_forces),
        cmocka_unit_test(keeps_its_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
