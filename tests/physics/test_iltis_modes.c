/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of the Iltis of the IAVSD benchmark at rest, computed with the step alone: fourteen
 * states from seven small disturbances, and the states some steps later, give the linear map of the
 * motion. */
#include "car.h"
#include "cmocka_all.h"
#include "compared.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHEELS 4
#define MODES  7 /* heave, pitch and roll of the body, and the wheels */
#define STATES (2 * MODES)
#define EPS    1e-4 /* disturbance [m/s], small enough to be linear */
#define FINE   1e-4 /* step [s] that gives all published digits */
#define WAIT   200  /* steps between the two states of a run */
#define AHEAD  50   /* steps that the map covers */
#define NEAR   0.01 /* tolerance [1/s] */

static const char *const corners[WHEELS] = {"fl", "fr", "rl", "rr"};

static double output(const struct lk_system *sys, const double *out, const char *kind,
                     const char *corner)
{
    char name[32];

    snprintf(name, sizeof(name), "%s_%s", kind, corner);
    return out[car_offset(sys, name)];
}

/* Read the coordinates of the motion and their rates. */
static void see(const struct lk_system *sys, double ret[STATES])
{
    double *out = calloc((size_t)lk_system_output_size(sys), sizeof(double)), angle[3];
    const double *pose = out + car_offset(sys, "chassis"), *v = out + car_offset(sys, "motion");

    assert_non_null(out);
    lk_system_outputs(sys, out);
    car_angles(pose + 3, angle);
    memcpy(ret, (double[]){pose[2], angle[0], angle[1]}, 3 * sizeof(double));
    memcpy(ret + MODES, (double[]){v[2], v[4], v[3]}, 3 * sizeof(double));
    for (int i = 0; i < WHEELS; i++) {
        ret[3 + i] = output(sys, out, "lift", corners[i]);
        ret[MODES + 3 + i] = output(sys, out, "lift_rate", corners[i]);
    }
    free(out);
}

/* Compute the states 0, AHEAD, WAIT and WAIT + AHEAD steps after the car got a velocity. */
static void disturb(const char *text, int mode, double size, double ret[4][STATES])
{
    const int at[4] = {0, AHEAD, WAIT, WAIT + AHEAD};
    const struct lk_options options = {.step = FINE};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    int step = 0;

    if (lk_model_read_text("iltis", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < model->n_bodies; i++) {
        struct lk_body_def *b = &model->bodies[i];

        memset(b->velocity, 0, sizeof(b->velocity));
        memset(b->angular_velocity, 0, sizeof(b->angular_velocity));
        if (mode >= 3 && strncmp(b->name, "wheel_", 6) == 0 &&
            strcmp(b->name + 6, corners[mode - 3]) == 0)
            b->velocity[2] = size;
        if (mode < 3 && strcmp(b->name, "chassis") == 0)
            *(mode == 0 ? &b->velocity[2] : &b->angular_velocity[2 - mode]) = size;
    }
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    for (int k = 0; k < 4; k++) {
        for (; step < at[k]; step++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        see(sys, ret[k]);
    }
    lk_system_free(sys);
}

/* Solve (A - shift B) x = b with pivoting. The columns of A and B are states. */
static void solve(double A[STATES][STATES], double complex shift, double B[STATES][STATES],
                  const double complex *b, double complex *x)
{
    double complex M[STATES][STATES + 1];

    for (int i = 0; i < STATES; i++) {
        for (int j = 0; j < STATES; j++)
            M[i][j] = A[i][j] - shift * B[i][j];
        M[i][STATES] = b[i];
    }
    for (int i = 0; i < STATES; i++) {
        int best = i;

        for (int r = i + 1; r < STATES; r++)
            best = cabs(M[r][i]) > cabs(M[best][i]) ? r : best;
        for (int k = 0; k <= STATES; k++) {
            double complex keep = M[i][k];

            M[i][k] = M[best][k];
            M[best][k] = keep;
        }
        for (int r = 0; r < STATES; r++) {
            double complex f = r == i ? 0 : M[r][i] / M[i][i];

            for (int k = i; k <= STATES; k++)
                M[r][k] -= f * M[i][k];
        }
    }
    for (int i = 0; i < STATES; i++)
        x[i] = M[i][STATES] / M[i][i];
}

/* Return the eigenvalue of A x = mu B x nearest to @mu, by inverse iteration. */
static double complex nearest(double A[STATES][STATES], double B[STATES][STATES], double complex mu)
{
    double complex x[STATES], y[STATES], b[STATES], shift = mu;

    for (int i = 0; i < STATES; i++)
        x[i] = 1 + 0.1 * i * I;
    for (int pass = 0; pass < 40; pass++) {
        double complex dot = 0, norm = 0;

        for (int i = 0; i < STATES; i++) {
            b[i] = 0;
            for (int j = 0; j < STATES; j++)
                b[i] += B[i][j] * x[j];
        }
        solve(A, shift, B, b, y);
        for (int i = 0; i < STATES; i++) {
            dot += conj(x[i]) * y[i];
            norm += conj(x[i]) * x[i];
        }
        mu = shift + norm / dot;
        for (int i = 0; i < STATES; i++)
            x[i] = y[i] / (cabs(dot) / creal(norm));
    }
    return mu;
}

static void write_model(char *text)
{
    car_read("config/models/iltis.yaml", text);
    car_stand_iltis(text);
    for (int i = 0; i < WHEELS; i++) {
        char rates[128];

        snprintf(rates, sizeof(rates),
                 "outputs:\n  lift_rate_%s: {type: joint-velocity, joint: leaf_%s}\n", corners[i],
                 corners[i]);
        car_replace(text, "outputs:\n", rates);
    }
}

/* Compute A = map B: columns are states, those of A are AHEAD steps later. Half the difference of
 * two disturbances with opposite signs has no second-order part. */
static void find_map(const char *text, double A[STATES][STATES], double B[STATES][STATES])
{
    for (int m = 0; m < MODES; m++) {
        double up[4][STATES], down[4][STATES];

        disturb(text, m, EPS, up);
        disturb(text, m, -EPS, down);
        for (int i = 0; i < STATES; i++)
            for (int k = 0; k < 2; k++) {
                B[i][2 * m + k] = (up[2 * k][i] - down[2 * k][i]) / EPS;
                A[i][2 * m + k] = (up[2 * k + 1][i] - down[2 * k + 1][i]) / EPS;
            }
    }
}

/* published values for the exact laws at rest, without side force */
static void swings_as_published(void **state)
{
    static const double complex published[MODES] = {
        -28.73 + 86.14 * I, -28.90 + 83.18 * I, -29.08 + 82.48 * I, -27.17 + 70.60 * I,
        -22.31 + 11.34 * I, -4.82 + 11.00 * I,  -3.78 + 9.58 * I};
    static char text[CAR_TEXT];
    static double A[STATES][STATES], B[STATES][STATES];
    const double t = AHEAD * FINE;

    (void)state;
    write_model(text);
    find_map(text, A, B);
    for (int m = 0; m < MODES; m++) {
        double complex is = clog(nearest(A, B, cexp(published[m] * t))) / t;

        compared_one("eigenvalues", "real part [1/s]", creal(published[m]), creal(is));
        compared_one("eigenvalues", "imaginary part [1/s]", cimag(published[m]), cimag(is));
        assert_true(cabs(is - published[m]) < NEAR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(swings_as_published)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
