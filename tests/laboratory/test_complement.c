/* SPDX-License-Identifier: Apache-2.0 */
/* All variants of formulation complement give the same accelerations, those of the equations of
 * motion, in every orientation coordinate; and the same motion, that of the references. */
#include "cmocka_all.h"
#include "complement_run.h"
#include "laboratory/coordinates.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {
    "strut",           "strut-redundant", "four-bar-vertical", "closed-loop-four",
    "slider-crank-3d", "double-pendulum"};
#define N_MODELS (sizeof(models) / sizeof(models[0]))

static double scale_of(const double *x, int n)
{
    double ret = 1;

    for (int i = 0; i < n; i++)
        ret = fmax(ret, fabs(x[i]));
    return ret;
}

static double difference(const double *a, const double *b, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= ret))
            ret = fabs(a[i] - b[i]);
    return ret;
}

/* [M Phi_q^T; Phi_q 0] [v'; lambda] = [Q; -gamma] at the last evaluation, minimum-norm solution:
 * v', which is unique, and the multipliers of minimum norm. @ret: n_velocities + n_rows. */
static void dense_solution(struct lk_mechanics *m, double *ret)
{
    int n = m->n_velocities, rows = m->n_rows, size = n + rows, rank;
    double *A = calloc((size_t)size * (size_t)size, sizeof(double));
    double *J = calloc((size_t)n * (size_t)rows + 1, sizeof(double));
    double *M = calloc((size_t)n * (size_t)n, sizeof(double)), *values = calloc((size_t)size, 8);

    assert_true(A && J && M && values);
    lk_mechanics_mass(m, M);
    lk_mechanics_jacobian(m, J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[j * size + i] = M[i * n + j];
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++)
            A[(n + r) * size + i] = A[i * size + n + r] = J[r * n + i];
    lk_mechanics_forces(m, (struct lk_twist *)ret);
    lk_mechanics_gamma(m, ret + n);
    for (int r = 0; r < rows; r++)
        ret[n + r] = -ret[n + r];
    assert_int_equal(
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, size, size, 1, A, size, ret, size, values, 1e-11, &rank),
        0);
    free(A);
    free(J);
    free(M);
    free(values);
}

/* accelerations and multipliers of a run at its state */
static void solution_of(struct run *run, double *ret)
{
    assert_int_equal(lk_equations_complement.write(run->c, run->t, run->y), 0);
    memcpy(ret, run->c->a, (size_t)run->mechanics->n_velocities * sizeof(double));
    lk_equations_complement.lambda(run->c, ret + run->mechanics->n_velocities);
}

/* at the start and at other consistent states; closes the run */
static void check_accelerations(struct run *run, const char *name)
{
    int n = run->mechanics->n_velocities + run->mechanics->n_rows;
    double found[256], expected[256];

    for (unsigned seed = 0; seed < 5; seed++) {
        double bound;

        run->t = 0.2 * seed;
        if (seed > 0)
            run_scatter(run, seed, 0.3);
        solution_of(run, found);
        dense_solution(run->mechanics, expected);
        bound = 1e-9 * scale_of(expected, n);
        if (difference(found, expected, n) > bound)
            fail_msg("%s, %s, orientation %d, state %u: %g, bound %g", name, run->c->method->name,
                     run->c->orientation, seed, difference(found, expected, n), bound);
    }
    run_close(run);
}

/* Random states stay away from singular poses: smallest singular values above 1e-3 of the largest.
 * Methods that use Phi_q^T Phi_q or Phi_q M^-1 Phi_q^T square them, which leaves ten digits. */
static void accelerations_are_those_of_the_dense_equations(void **state)
{
    static const enum lk_orientation orientations[] = {
        LK_ORIENTATION_LIE, LK_ORIENTATION_PARAMETERS, LK_ORIENTATION_ANGLES};

    (void)state;
    for (size_t i = 0; i < N_MODELS; i++)
        for (const char *const *variant = lk_complement_variants; *variant; variant++)
            for (int k = 0; k < 3; k++)
                if (orientations[k] != LK_ORIENTATION_PARAMETERS ||
                    strncmp(*variant, "wang-huston", 11) != 0) {
                    struct run run;

                    run_start(models[i], *variant, orientations[k], LK_STABILISATION_NONE, &run);
                    check_accelerations(&run, models[i]);
                }
}

/* q'' of angles and Euler parameters compared with differences of q' along the motion.
 * Accelerations of the bodies do not show an error in L' q', since it cancels there. */
static void check_second_derivatives(struct run *run)
{
    const double dt = 1e-5;
    int n_positions = run->c->n_positions, bodies = run->mechanics->n_bodies;
    double rates[2][128], slope[128], y[256];

    run_scatter(run, 3, 0.3);
    assert_int_equal(run_rate(run, slope), 0);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < run->n; i++)
            y[i] = run->y[i] + (side == 0 ? -dt : dt) * slope[i];
        lk_coordinates_rates(run->c->orientation, bodies, y, y + n_positions, rates[side]);
    }
    for (int i = 0; i < n_positions; i++)
        slope[i] = (rates[1][i] - rates[0][i]) / (2 * dt);
    if (difference(run->c->q2, slope, n_positions) > 1e-7 * scale_of(slope, n_positions))
        fail_msg("orientation %d: %g", run->c->orientation,
                 difference(run->c->q2, slope, n_positions));
    run_close(run);
}

static void second_derivatives_are_those_of_the_coordinates(void **state)
{
    static const enum lk_orientation orientations[] = {LK_ORIENTATION_PARAMETERS,
                                                       LK_ORIENTATION_ANGLES, LK_ORIENTATION_EULER};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct run run;

        run_turned("strut", "qr", orientations[k], LK_STABILISATION_NONE, &run);
        check_second_derivatives(&run);
    }
}

/* accelerations once more, in Euler's own angles, as in the paper */
static void euler_angles_change_nothing(void **state)
{
    (void)state;
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        struct run run;

        run_turned("strut-redundant", *variant, LK_ORIENTATION_EULER, LK_STABILISATION_NONE, &run);
        check_accelerations(&run, "strut-redundant, turned");
    }
}

/* rheonomic rows have a Phi_t, and additional terms in Gamma */
static void drives_are_rows(void **state)
{
    static const char drive[] =
        "axis: [1, 0, 0], coordinate: 0, drive: {harmonic: {amplitude: 0.3, omega: 2}}}";

    (void)state;
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        struct lk_error error = {0};
        struct run run;

        if (run_open("strut", "axis: [1, 0, 0]}", drive, *variant, LK_ORIENTATION_ANGLES,
                     LK_STABILISATION_NONE, &run, &error) != 0)
            fail_msg("%s: %s", *variant, error.text);
        assert_int_equal(run.mechanics->n_rows, 27);
        check_accelerations(&run, "strut, arm driven");
    }
}

/* a body without mass and inertia whose motion the others determine has accelerations too */
static void bodies_may_be_massless(void **state)
{
    static const char heavy[] = "arm:\n    mass: 1.0\n    inertia: [0.1, 0.1, 0.1]";
    static const char light[] = "arm:\n    mass: 0\n    inertia: [0, 0, 0]";

    (void)state;
    for (const char *const *variant = lk_complement_variants; *variant; variant++) {
        struct lk_error error = {0};
        struct run run;

        if (strncmp(*variant, "wang-huston", 11) == 0)
            continue;
        if (run_open("strut", heavy, light, *variant, LK_ORIENTATION_LIE, LK_STABILISATION_NONE,
                     &run, &error) != 0)
            fail_msg("%s: %s", *variant, error.text);
        check_accelerations(&run, "strut, arm without mass");
    }
}

/* ---- motion ---- */

/* positions of all bodies in the row of time @t of a reference; @ret: 3 per body, NAN if absent */
static void reference_at(const char *model, const struct lk_mechanics *m, double t, double *ret)
{
    static char header[8192], line[8192];
    char path[128], *name_at = header, *value_at = line;
    FILE *f;

    snprintf(path, sizeof(path), "tests/reference/%s/reference.csv", model);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(fgets(header, sizeof(header), f));
    do
        assert_non_null(fgets(line, sizeof(line), f));
    while (atof(line) < t - 1e-9);
    fclose(f);
    assert_true(fabs(atof(line) - t) < 1e-9);
    for (int i = 0; i < 3 * m->n_bodies; i++)
        ret[i] = NAN;
    for (char *name = strsep(&name_at, ","); name; name = strsep(&name_at, ",")) {
        double value = atof(strsep(&value_at, ","));
        char *dot = strchr(name, '.');
        int body;

        if (!dot || dot[1] < 'x' || dot[1] > 'z' || dot[2] != ' ')
            continue;
        *dot = '\0';
        body = lk_system_body_index(m->system, name);
        if (body >= 0)
            ret[3 * body + dot[1] - 'x'] = value;
    }
}

/* largest distance of a run's positions from @expected, as far as it is known */
static double distance(const struct run *run, const double *expected)
{
    double found[64], ret = 0;

    run_positions(run, found);
    for (int i = 0; i < 3 * run->mechanics->n_bodies; i++)
        if (!isnan(expected[i]))
            ret = fmax(ret, fabs(found[i] - expected[i]));
    return ret;
}

/* error at @t of a run with steps of @h */
static double error_of(const char *model, const char *reference, const char *variant,
                       enum lk_orientation orientation, double h, double t)
{
    double expected[64], ret;
    struct run run;

    run_start(model, variant, orientation, LK_STABILISATION_NONE, &run);
    reference_at(reference, run.mechanics, t, expected);
    run_to(&run, h, t);
    ret = distance(&run, expected);
    run_close(&run);
    return ret;
}

/** struct motion - a reference, a time in its table, and a step at which the error of the method of
 * order 4 is well above round-off */
struct motion {
    const char *model;
    const char *reference;
    double h;
    double t;
};

static const struct motion motions[] = {{"strut", "strut", 0.02, 1.0},
                                        {"strut-redundant", "strut", 0.02, 1.0},
                                        {"four-bar-vertical", "four-bar-vertical", 0.025, 0.6},
                                        {"closed-loop-four", "closed-loop-four", 0.025, 0.5},
                                        {"slider-crank-3d", "slider-crank-3d", 0.005, 0.2},
                                        {"double-pendulum", "double-pendulum", 0.025, 0.5}};
#define N_MOTIONS (sizeof(motions) / sizeof(motions[0]))

/* halving the step divides the error by 16; between 8 and 40 with terms of higher order */
static void motion_is_that_of_the_references(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MOTIONS; i++) {
        const struct motion *m = &motions[i];
        double coarse = error_of(m->model, m->reference, "qr", LK_ORIENTATION_LIE, m->h, m->t);
        double fine = error_of(m->model, m->reference, "qr", LK_ORIENTATION_LIE, m->h / 2, m->t);

        if (!(fine < 1e-5 && coarse / fine > 8 && coarse / fine < 40))
            fail_msg("%s: errors %g and %g with half the step", m->model, coarse, fine);
    }
}

/* the same equations: results differ by round-off, which half a second of this motion amplifies by
 * less than a thousand */
static void variants_move_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MOTIONS; i++)
        for (const char *const *variant = lk_complement_variants; *variant; variant++) {
            const struct motion *m = &motions[i];
            double expected[64];
            struct run first, run;

            run_start(m->model, "qr", LK_ORIENTATION_LIE, LK_STABILISATION_NONE, &first);
            run_start(m->model, *variant, LK_ORIENTATION_LIE, LK_STABILISATION_NONE, &run);
            run_to(&first, m->h, m->t);
            run_to(&run, m->h, m->t);
            run_positions(&first, expected);
            if (distance(&run, expected) > 1e-11)
                fail_msg("%s, %s: %g from qr", m->model, *variant, distance(&run, expected));
            run_close(&first);
            run_close(&run);
        }
}

/* the error is of order 4 in every orientation coordinate */
static void orientations_move_alike(void **state)
{
    static const enum lk_orientation orientations[] = {LK_ORIENTATION_PARAMETERS,
                                                       LK_ORIENTATION_ANGLES};

    (void)state;
    for (int k = 0; k < 2; k++) {
        double coarse = error_of("strut", "strut", "qr", orientations[k], 0.02, 1);
        double fine = error_of("strut", "strut", "qr", orientations[k], 0.01, 1);

        if (!(fine < 1e-6 && coarse / fine > 8 && coarse / fine < 40))
            fail_msg("orientation %d: errors %g and %g", orientations[k], coarse, fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_are_those_of_the_dense_equations),
        cmocka_unit_test(second_derivatives_are_those_of_the_coordinates),
        cmocka_unit_test(euler_angles_change_nothing),
        cmocka_unit_test(drives_are_rows),
        cmocka_unit_test(bodies_may_be_massless),
        cmocka_unit_test(motion_is_that_of_the_references),
        cmocka_unit_test(variants_move_alike),
        cmocka_unit_test(orientations_move_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
