/* SPDX-License-Identifier: Apache-2.0 */
#include "complement_run.h"
#include "cmocka_all.h"
#include "laboratory/coordinates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 16384

static const struct lk_equations *const equations = &lk_equations_complement;

static void read_text(const char *path, char *text)
{
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    text[fread(text, 1, TEXT_MAX - 1, f)] = '\0';
    fclose(f);
}

/* @ret: @text with every @from replaced by @to */
static void replace_all(const char *text, const char *from, const char *to, char *ret)
{
    size_t n = 0;

    for (const char *at = from ? strstr(text, from) : NULL; at; at = strstr(text, from)) {
        n += (size_t)sprintf(ret + n, "%.*s%s", (int)(at - text), text, to);
        text = at + strlen(from);
    }
    snprintf(ret + n, 2 * TEXT_MAX - n, "%s", text);
}

static struct lk_mechanics *mechanics_of(const char *name, const char *from, const char *to)
{
    static char text[TEXT_MAX], replaced[2 * TEXT_MAX];
    struct lk_mechanics *ret = NULL;
    struct lk_model *model;
    struct lk_error error;
    char path[128];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    read_text(path, text);
    replace_all(text, from, to, replaced);
    if (lk_model_read_text(path, replaced, strlen(replaced), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_mechanics_new(model, 0, &ret, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    lk_model_free(model);
    return ret;
}

int run_open(const char *model, const char *from, const char *to, const char *variant,
             enum lk_orientation orientation, enum lk_stabilisation stabilisation, struct run *ret,
             struct lk_error *ret_error)
{
    const struct lk_equations_options options = {.variant = variant,
                                                 .orientation = orientation,
                                                 .stabilisation = stabilisation,
                                                 .baumgarte = {10, 10}};
    void *self = NULL;
    int r;

    *ret = (struct run){.mechanics = mechanics_of(model, from, to)};
    r = equations->open(ret->mechanics, &options, &self, ret_error);
    if (r != 0) {
        lk_mechanics_free(ret->mechanics);
        return r;
    }
    ret->c = self;
    ret->n = equations->size(self);
    ret->y = calloc(10 * (size_t)ret->n, sizeof(double));
    assert_non_null(ret->y);
    ret->work = ret->y + ret->n;
    equations->read(self, ret->y);
    return 0;
}

void run_start(const char *model, const char *variant, enum lk_orientation orientation,
               enum lk_stabilisation stabilisation, struct run *ret)
{
    struct lk_error error = {0};

    if (run_open(model, NULL, NULL, variant, orientation, stabilisation, ret, &error) != 0)
        fail_msg("%s, %s: %s", model, variant, error.text);
}

void run_turned(const char *model, const char *variant, enum lk_orientation orientation,
                enum lk_stabilisation stabilisation, struct run *ret)
{
    static const char ball[] = "inertia: [0.1, 0.1, 0.1]";
    static const char turned[] =
        "inertia: [0.1, 0.1, 0.1]\n    orientation: {axis: [1, 2, 0.5], angle: 1.2}";
    struct lk_error error = {0};

    if (run_open(model, ball, turned, variant, orientation, stabilisation, ret, &error) != 0)
        fail_msg("%s, %s: %s", model, variant, error.text);
}

void run_close(struct run *run)
{
    equations->close(run->c);
    lk_mechanics_free(run->mechanics);
    free(run->y);
}

int run_rate(struct run *run, double *ret)
{
    return equations->rate(run->c, run->t, run->y, ret);
}

static double largest(const double *x, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        ret = fmax(ret, fabs(x[i]));
    return ret;
}

/* after a step to y: projects, and updates the largest violations of the rows */
static int settle_step(struct run *run)
{
    int rows = run->mechanics->n_rows, n_positions = run->c->n_positions, r;
    double *phi = calloc((size_t)rows + 1, sizeof(double));

    assert_non_null(phi);
    r = equations->settle(run->c, run->t, run->y);
    lk_coordinates_write(run->mechanics, run->c->orientation, run->y, run->y + n_positions);
    lk_mechanics_evaluate(run->mechanics, run->t);
    lk_mechanics_violation(run->mechanics, phi);
    run->position = fmax(run->position, largest(phi, rows));
    lk_mechanics_rates(run->mechanics, phi);
    run->velocity = fmax(run->velocity, largest(phi, rows));
    free(phi);
    return r;
}

int run_step(struct run *run, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double *k = run->work, *y = k + run->n, *sum = y + run->n;
    int r = 0;

    memset(sum, 0, (size_t)run->n * sizeof(double));
    for (int s = 0; s < 4 && r == 0; s++) {
        for (int i = 0; i < run->n; i++)
            y[i] = run->y[i] + (s > 0 ? at[s] * h * k[i] : 0);
        r = equations->rate(run->c, run->t + at[s] * h, y, k);
        for (int i = 0; i < run->n; i++)
            sum[i] += weight[s] / 6 * k[i];
    }
    if (r != 0)
        return r;
    for (int i = 0; i < run->n; i++)
        run->y[i] += h * sum[i];
    run->t += h;
    return settle_step(run);
}

void run_to(struct run *run, double h, double t)
{
    while (run->t < t - 0.5 * h) {
        int r = run_step(run, h);

        if (r != 0)
            fail_msg("%s: %d at %g s", run->c->method->name, r, run->t);
    }
}

/* stages of Dormand, Prince, A family of embedded Runge-Kutta formulae, 1980; the coefficients of
 * the seventh are the weights, so its row gives the result */
static const double nodes[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double stages[7][6] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
static const double errors[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                 -17253. / 339200, 22. / 525, -1. / 40};

/* one attempt; @y: result. Return: error relative to the tolerance, or NAN if f fails */
static double try_step(struct run *run, double h, double tolerance, double *y)
{
    double *k = run->work + run->n, worst = 0;
    int n = run->n;

    for (int s = 0; s < 7; s++) {
        for (int i = 0; i < n; i++) {
            y[i] = run->y[i];
            for (int j = 0; j < s; j++)
                y[i] += h * stages[s][j] * k[j * n + i];
        }
        if (equations->rate(run->c, run->t + nodes[s] * h, y, k + s * n) != 0)
            return NAN;
    }
    for (int i = 0; i < n; i++) {
        double error = 0;

        for (int s = 0; s < 7; s++)
            error += h * errors[s] * k[s * n + i];
        worst = fmax(worst, fabs(error) / (tolerance * fmax(1, fabs(run->y[i]))));
    }
    return worst;
}

int run_adaptive(struct run *run, double tolerance, double t, unsigned long rates_max,
                 unsigned long *ret_rates)
{
    double h = 1e-3, *y = run->work;

    *ret_rates = 0;
    while (run->t < t && *ret_rates < rates_max) {
        double length = fmin(h, t - run->t), error = try_step(run, length, tolerance, y);
        int r = 0;

        *ret_rates += 7;
        if (isnan(error))
            error = 1e5;
        if (error <= 1) {
            memcpy(run->y, y, (size_t)run->n * sizeof(double));
            run->t = length < h ? t : run->t + length;
            r = settle_step(run);
        }
        if (r != 0)
            return r;
        h = length * fmin(5, fmax(0.1, 0.8 * pow(fmax(error, 1e-10), -0.2)));
    }
    return 0;
}

void run_positions(const struct run *run, double *ret)
{
    int bodies = run->mechanics->n_bodies, size = run->c->n_positions / bodies;

    for (int b = 0; b < bodies; b++)
        memcpy(ret + 3 * b, run->y + size * b, 3 * sizeof(double));
}

void run_scatter(struct run *run, unsigned seed, double size)
{
    int n = run->mechanics->n_velocities, n_positions = run->c->n_positions;
    double *v = run->y + n_positions, *d = run->work;

    equations->read(run->c, run->y);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        d[i] = size * ((double)(seed >> 8) / (1 << 23) - 1);
        seed = seed * 1664525u + 1013904223u;
        v[i] += (double)(seed >> 8) / (1 << 23) - 1;
    }
    lk_coordinates_move(run->c->orientation, run->mechanics->n_bodies, run->y, d, run->y);
    assert_int_equal(lk_complement_newton(run->c, run->t, run->y, v, 1), 0);
}
