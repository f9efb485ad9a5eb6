/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the equations of motion, each compared with differences of another, on shipped
 * models. */
#include "laboratory/coordinates.h"
#include "linkage/laboratory.h"
#include "model/model.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BODIES_MAX 160
#define ROWS_MAX   1000

static const char *const models[] = {"double-pendulum", "four-bar",  "slider-crank-3d", "strut",
                                     "mass-spring",     "heavy-top", "closed-loop-four"};

static struct lk_mechanics *mechanics_of(const char *name)
{
    struct lk_mechanics *m = NULL;
    struct lk_model *model;
    struct lk_error error;
    char path[128];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_mechanics_new(model, 0, &m, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    lk_model_free(model);
    return m;
}

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* any state near the start, consistent with the joints or not */
static void scatter(struct lk_mechanics *m, unsigned seed, double *q, double *v)
{
    double d[6 * BODIES_MAX];

    lk_coordinates_read(m, LK_ORIENTATION_LIE, q, v);
    for (int i = 0; i < m->n_velocities; i++) {
        d[i] = 0.2 * noise(&seed);
        v[i] += noise(&seed);
    }
    lk_coordinates_move(LK_ORIENTATION_LIE, m->n_bodies, q, d, q);
}

/* evaluates at @dt after @t along v, with accelerations @a, or none */
static void look_later(struct lk_mechanics *m, const double *q, const double *v, const double *a,
                       double t, double dt)
{
    double moved[7 * BODIES_MAX], faster[6 * BODIES_MAX], d[6 * BODIES_MAX];

    for (int i = 0; i < m->n_velocities; i++) {
        d[i] = dt * v[i] + (a ? 0.5 * dt * dt * a[i] : 0);
        faster[i] = v[i] + (a ? dt * a[i] : 0);
    }
    lk_coordinates_move(LK_ORIENTATION_LIE, m->n_bodies, q, d, moved);
    lk_coordinates_write(m, LK_ORIENTATION_LIE, moved, faster);
    lk_mechanics_evaluate(m, t + dt);
}

static void check_rates(struct lk_mechanics *m, const double *q, const double *v)
{
    double before[ROWS_MAX], after[ROWS_MAX], rates[ROWS_MAX], gamma[ROWS_MAX];
    const double dt = 1e-5, t = 0.3;

    look_later(m, q, v, NULL, t, -dt);
    lk_mechanics_violation(m, before);
    look_later(m, q, v, NULL, t, dt);
    lk_mechanics_violation(m, after);
    look_later(m, q, v, NULL, t, 0);
    lk_mechanics_rates(m, rates);
    for (int r = 0; r < m->n_rows; r++)
        assert_true(fabs((after[r] - before[r]) / (2 * dt) - rates[r]) < 1e-8);
    look_later(m, q, v, NULL, t, -dt);
    lk_mechanics_rates(m, before);
    look_later(m, q, v, NULL, t, dt);
    lk_mechanics_rates(m, after);
    look_later(m, q, v, NULL, t, 0);
    lk_mechanics_gamma(m, gamma);
    for (int r = 0; r < m->n_rows; r++)
        assert_true(fabs((after[r] - before[r]) / (2 * dt) - gamma[r]) < 1e-7);
}

static void check_jacobian(struct lk_mechanics *m, const double *q, const double *v)
{
    static double J[ROWS_MAX * 6 * BODIES_MAX];
    double rates[ROWS_MAX], own[ROWS_MAX];

    look_later(m, q, v, NULL, 0.3, 0);
    lk_mechanics_jacobian(m, J);
    lk_mechanics_rates(m, rates);
    lk_mechanics_explicit_rates(m, own);
    for (int r = 0; r < m->n_rows; r++) {
        double sum = own[r];

        for (int i = 0; i < m->n_velocities; i++)
            sum += J[r * m->n_velocities + i] * v[i];
        assert_true(fabs(sum - rates[r]) < 1e-12 * (1 + fabs(sum)));
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
        struct lk_mechanics *m = mechanics_of(models[i]);
        double q[7 * BODIES_MAX], v[6 * BODIES_MAX];

        scatter(m, (unsigned)i + 1, q, v);
        check_rates(m, q, v);
        check_jacobian(m, q, v);
        lk_mechanics_free(m);
    }
}

/* M a + Phi_q^T lambda = Q - w x J w and Phi_q a = -gamma in the results of complete() */
static void test_complete(void **state)
{
    static double J[ROWS_MAX * 6 * BODIES_MAX], M[36 * BODIES_MAX * BODIES_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof(models) / sizeof(*models); k++) {
        struct lk_mechanics *m = mechanics_of(models[k]);
        struct lk_twist force[BODIES_MAX];
        double lambda[ROWS_MAX], gamma[ROWS_MAX];
        int n = m->n_velocities;

        lk_mechanics_evaluate(m, 0);
        lk_mechanics_complete(m);
        for (int i = 0; i < m->n_blocks; i++)
            for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
                lambda[r] =
                    m->system->next.lambda[m->system->joint[m->block[i]].row + r - m->first_row[i]];
        lk_mechanics_jacobian(m, J);
        lk_mechanics_mass(m, M);
        lk_mechanics_gamma(m, gamma);
        lk_mechanics_forces(m, force);
        for (int i = 0; i < n; i++) {
            const struct lk_twist *f = &force[i / 6];
            double sum = i % 6 < 3 ? f->v[i % 6] : f->w[i % 6 - 3];
            double size = 1 + fabs(sum);

            for (int j = 0; j < n; j++) {
                const struct lk_twist *a = &lk_mechanics_motion(m)[j / 6].a;

                sum -= M[i * n + j] * (j % 6 < 3 ? a->v[j % 6] : a->w[j % 6 - 3]);
            }
            for (int r = 0; r < m->n_rows; r++) {
                sum -= J[r * n + i] * lambda[r];
                size += fabs(J[r * n + i] * lambda[r]);
            }
            assert_true(fabs(sum) < 1e-10 * size);
        }
        for (int r = 0; r < m->n_rows; r++) {
            double sum = gamma[r];

            for (int j = 0; j < n; j++) {
                const struct lk_twist *a = &lk_mechanics_motion(m)[j / 6].a;

                sum += J[r * n + j] * (j % 6 < 3 ? a->v[j % 6] : a->w[j % 6 - 3]);
            }
            assert_true(fabs(sum) < 1e-9);
        }
        lk_mechanics_free(m);
    }
}

/* q' by differences of the exponential map, for every kind of orientation */
static void test_coordinates(void **state)
{
    struct lk_mechanics *m = mechanics_of("double-pendulum");
    const double dt = 1e-6;

    (void)state;
    for (int o = LK_ORIENTATION_LIE; o <= LK_ORIENTATION_EULER; o++) {
        enum lk_orientation orientation = (enum lk_orientation)o;
        double q[14], v[12], d[12], before[14], after[14], rates[14], R[9], again[9];
        int n = lk_coordinates_size(orientation, 2);
        unsigned seed = (unsigned)o + 7;

        lk_coordinates_read(m, orientation, q, v);
        for (int i = 0; i < 12; i++) {
            d[i] = 0.7 * noise(&seed) + 0.3;
            v[i] = noise(&seed);
        }
        lk_coordinates_move(orientation, 2, q, d, q);
        assert_int_equal(lk_coordinates_rates(orientation, 2, q, v, rates), 0);
        for (int i = 0; i < 12; i++)
            d[i] = dt * v[i];
        lk_coordinates_move(orientation, 2, q, d, after);
        for (int i = 0; i < 12; i++)
            d[i] = -dt * v[i];
        lk_coordinates_move(orientation, 2, q, d, before);
        for (int i = 0; i < n; i++)
            assert_true(fabs((after[i] - before[i]) / (2 * dt) - rates[i]) < 1e-8);
        /* there and back */
        lk_coordinates_write(m, orientation, q, v);
        lk_mechanics_evaluate(m, 0);
        memcpy(R, m->system->pose[1].R, sizeof(R));
        assert_int_equal(lk_mechanics_accept(m, 0, NULL), 0);
        lk_coordinates_read(m, orientation, q, v);
        lk_coordinates_write(m, orientation, q, v);
        lk_mechanics_evaluate(m, 0);
        memcpy(again, m->system->pose[1].R, sizeof(again));
        for (int i = 0; i < 9; i++)
            assert_true(fabs(R[i] - again[i]) < 1e-13);
    }
    lk_mechanics_free(m);
}

/* angles are singular when the axis is vertical */
static void test_singular_angles(void **state)
{
    const double v[6] = {0, 0, 0, 1, 2, 3};
    double q[6] = {0, 0, 0, 0.3, M_PI / 2, 0.1}, rates[6];

    (void)state;
    assert_int_equal(lk_coordinates_rates(LK_ORIENTATION_ANGLES, 1, q, v, rates), LK_E_SINGULAR);
    assert_int_equal(lk_coordinates_rates(LK_ORIENTATION_EULER, 1, q, v, rates), 0);
    q[4] = 0;
    assert_int_equal(lk_coordinates_rates(LK_ORIENTATION_ANGLES, 1, q, v, rates), 0);
    assert_int_equal(lk_coordinates_rates(LK_ORIENTATION_EULER, 1, q, v, rates), LK_E_SINGULAR);
}

static struct lk_model *four_bar(void)
{
    struct lk_model *model;
    struct lk_error error;

    /* with a damper in one joint and a motor in another */
    if (lk_model_read_file("config/models/four-bar.yaml", &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static double balance_of_a_run(double step)
{
    const struct lk_method method = {.formulation = "recursive", .integrator = "rk4", .step = step};
    struct lk_model *model = four_bar();
    struct lk_laboratory *laboratory;
    struct lk_lab_report report;
    const double motor = 5;
    struct lk_error error;

    if (lk_laboratory_open(model, &method, &laboratory, &error) != 0 ||
        lk_laboratory_advance(laboratory, 0.5, &motor, &error) != 0)
        fail_msg("%s", error.text);
    lk_laboratory_report(laboratory, &report);
    lk_laboratory_close(laboratory);
    lk_model_free(model);
    return report.energy;
}

static double balance_in_the_daemon(double step)
{
    const struct lk_options options = {.step = step};
    struct lk_model *model = four_bar();
    struct lk_health before, after;
    struct lk_system *system;
    const double motor = 5;
    struct lk_error error;

    snprintf(model->solver.formulation, sizeof(model->solver.formulation), "recursive");
    if (lk_system_new(model, &options, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    lk_system_health(system, &before);
    while (lk_system_time(system) < 0.5 - 1e-9)
        assert_int_equal(lk_system_step(system, &motor), 0);
    lk_system_health(system, &after);
    lk_system_free(system);
    assert_true(after.work_input < -1 && after.dissipated > 0.01);
    return fabs(after.kinetic + after.potential + after.dissipated - after.work_input -
                before.kinetic - before.potential);
}

/* The works are as accurate as the motion: of order 4. */
static void test_balance(void **state)
{
    (void)state;
    assert_true(balance_of_a_run(0.01) < 1e-6);
    assert_true(balance_of_a_run(0.01) / balance_of_a_run(0.005) > 11);
    assert_true(balance_in_the_daemon(0.01) < 1e-6);
    assert_true(balance_in_the_daemon(0.01) / balance_in_the_daemon(0.005) > 11);
}

/* a tumbling body pushed along its own axes: the direction of the force changes between two states
 */
static double balance_of_a_tumble(double step)
{
    static const char text[] =
        "linkage: 1\nname: tumble\nbodies:\n"
        "  b: {mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 0], velocity: [0.3, 0.2, 0.1],\n"
        "    angular_velocity: [0.5, 3, 0.4]}\n"
        "forces:\n"
        "  push: {type: constant-force, body: b, force: [2, 1, 3], point: [0.1, 0.2, 0.3],\n"
        "    frame: body}\n";
    const struct lk_method method = {.formulation = "recursive", .integrator = "rk4", .step = step};
    struct lk_laboratory *laboratory;
    struct lk_lab_report report;
    struct lk_model *model;
    struct lk_error error;

    if (lk_model_read_text("tumble", text, strlen(text), &model, &error) != 0 ||
        lk_laboratory_open(model, &method, &laboratory, &error) != 0 ||
        lk_laboratory_advance(laboratory, 1, NULL, &error) != 0)
        fail_msg("%s", error.text);
    lk_laboratory_report(laboratory, &report);
    lk_laboratory_close(laboratory);
    lk_model_free(model);
    return report.energy;
}

static void test_balance_of_a_tumble(void **state)
{
    (void)state;
    assert_true(balance_of_a_tumble(0.02) < 1e-4);
    assert_true(balance_of_a_tumble(0.02) / balance_of_a_tumble(0.01) > 11);
}

/* velocities of light bodies are consistent with their dampers and guides */
static void test_start(void **state)
{
    static const char *const light[] = {"small-mass-chain", "small-mass-chain-guided"};

    (void)state;
    for (size_t i = 0; i < sizeof(light) / sizeof(*light); i++) {
        struct lk_mechanics *m = mechanics_of(light[i]);
        double rates[ROWS_MAX];

        lk_mechanics_evaluate(m, 0);
        lk_mechanics_rates(m, rates);
        for (int r = 0; r < m->n_rows; r++)
            assert_true(fabs(rates[r]) < 1e-12);
        lk_mechanics_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_coordinates), cmocka_unit_test(test_singular_angles),
        cmocka_unit_test(test_balance),     cmocka_unit_test(test_balance_of_a_tumble),
        cmocka_unit_test(test_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
