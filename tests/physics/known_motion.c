/* SPDX-License-Identifier: Apache-2.0 */
#include "known_motion.h"
#include "cmocka_all.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *formulation = "auto";

void step_with(const char *name)
{
    formulation = name;
}

struct lk_system *compile_text(const char *text, double h)
{
    struct lk_options options = {.step = h};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("mechanism", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

struct lk_system *compile(const char *model_text, double h)
{
    static char text[1 << 16];
    struct lk_system *sys;

    if (strstr(model_text, "\nsolver:")) /* the text has a solver section of its own */
        snprintf(text, sizeof(text), "%s", model_text);
    else
        snprintf(text, sizeof(text), "%ssolver: {formulation: %s}\n", model_text, formulation);
    assert_true(strlen(text) + 1 < sizeof(text));
    sys = compile_text(text, h);
    assert_true(lk_system_output_size(sys) <= OUTPUTS_MAX);
    return sys;
}

int offset_of(const struct lk_system *sys, const char *name)
{
    int n;
    const struct lk_channel *channel = lk_system_output_channels(sys, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(channel[i].name, name) == 0)
            return channel[i].offset;
    fail_msg("no output '%s'", name);
    return 0;
}

double read_output(const struct lk_system *sys, const char *name, int component)
{
    double values[OUTPUTS_MAX];

    lk_system_outputs(sys, values);
    return values[offset_of(sys, name) + component];
}

/* Integrate from @t to @t + @span with the classical Runge-Kutta method. */
void integrate(const struct mechanism *m, double t, double span, double *y)
{
    int steps = (int)ceil(span / SUBSTEP);
    double d = span / steps;

    for (int i = 0; i < steps && m->rhs; i++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double k[4][8] = {{0}}, place[8];

        for (int stage = 0; stage < 4; stage++) {
            for (int c = 0; c < m->n; c++)
                place[c] = y[c] + (stage > 0 ? at[stage] * d * k[stage - 1][c] : 0);
            m->rhs(t + (i + at[stage]) * d, place, k[stage]);
        }
        for (int stage = 0; stage < 4; stage++)
            for (int c = 0; c < m->n; c++)
                y[c] += weight[stage] * d / 6 * k[stage][c];
    }
}

static int count_quantities(const struct mechanism *m)
{
    int n = 0;

    while (n < QUANTITIES_MAX && m->quantity[n].output)
        n++;
    return n;
}

/* Compute the largest error of each quantity over a run, including the start. */
void measure(const struct mechanism *m, double h, double *worst)
{
    struct lk_system *sys = compile(m->text, h);
    int n = count_quantities(m), steps = (int)lround(m->end / h);
    double y[8], values[OUTPUTS_MAX], exact[QUANTITIES_MAX], inputs[8] = {0};

    memcpy(y, m->start, sizeof(y));
    memset(worst, 0, QUANTITIES_MAX * sizeof(double));
    assert_true(lk_system_input_size(sys) <= 8);
    for (int i = 0;; i++) {
        lk_system_outputs(sys, values);
        m->observe(i * h, y, exact);
        for (int q = 0; q < n; q++) {
            int at = offset_of(sys, m->quantity[q].output) + m->quantity[q].component;

            worst[q] = fmax(worst[q], fabs(values[at] - exact[q]));
        }
        if (i == steps)
            break;
        assert_int_equal(lk_system_step(sys, inputs), 0);
        integrate(m, i * h, h, y);
    }
    lk_system_free(sys);
}

double bound_of(const struct mechanism *m, double size)
{
    double x = m->rate * m->h;

    return size * x * x * (1 + m->rate * m->end / 12);
}

/* Check that errors are of second order and below their bound. */
void check_order_two(const struct mechanism *m)
{
    double coarse[QUANTITIES_MAX], fine[QUANTITIES_MAX];
    int n = count_quantities(m), failed = 0;

    measure(m, m->h, coarse);
    measure(m, 0.5 * m->h, fine);
    for (int q = 0; q < n; q++) {
        const struct quantity *of = &m->quantity[q];
        double bound = bound_of(m, of->size);
        int falls = coarse[q] < ROUNDOFF * of->size || coarse[q] > LEAST_RATIO * fine[q];

        if (falls && coarse[q] < bound && !SHOW_ALL)
            continue;
        failed += !(falls && coarse[q] < bound);
        printf("    %s %s[%d]: error %.2e at h, %.2e at h/2 (ratio %.2f), bound %.2e\n",
               falls && coarse[q] < bound ? "ok " : "BAD", of->output, of->component, coarse[q],
               fine[q], coarse[q] / fine[q], bound);
    }
    assert_int_equal(failed, 0);
}

/* Check that errors are round-off for any step size. */
void check_exact(const struct mechanism *m)
{
    double worst[QUANTITIES_MAX];
    int n = count_quantities(m), failed = 0;

    measure(m, m->h, worst);
    for (int q = 0; q < n; q++) {
        const struct quantity *of = &m->quantity[q];

        if (worst[q] < ROUNDOFF * of->size && !SHOW_ALL)
            continue;
        failed += worst[q] >= ROUNDOFF * of->size;
        printf("    %s[%d]: error %.2e of %.2e\n", of->output, of->component, worst[q], of->size);
    }
    assert_int_equal(failed, 0);
}
