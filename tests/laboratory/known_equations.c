/* SPDX-License-Identifier: Apache-2.0 */
#include "known_equations.h"
#include "cmocka_all.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define STIFFNESS 1e6

/* ---- what all share ---- */

static int size_three(const void *self)
{
    (void)self;
    return 3;
}

static int size_two(const void *self)
{
    (void)self;
    return 2;
}

static int size_one(const void *self)
{
    (void)self;
    return 1;
}

static int is_out_of_reach(const void *self, double t)
{
    const struct known *k = self;

    return t > k->rate_fails_after;
}

/* ---- each of them ---- */

static void read_smooth(void *self, double *y)
{
    (void)self;
    y[0] = y[1] = 1;
    y[2] = 0;
}

static int rate_smooth(void *self, double t, const double *y, double *ret)
{
    ret[0] = -2 * t * y[0] * y[0];
    ret[1] = -2 * t * y[2];
    ret[2] = 2 * t * y[1];
    return is_out_of_reach(self, t) ? LK_E_SINGULAR : 0;
}

static int write_smooth(void *self, double t, const double *y)
{
    struct known *k = self;

    k->t = t;
    memcpy(k->y, y, 3 * sizeof(double));
    return 0;
}

static void read_circle(void *self, double *y)
{
    (void)self;
    y[0] = 1;
    y[1] = 0;
}

static int rate_circle(void *self, double t, const double *y, double *ret)
{
    (void)self;
    ret[0] = -2 * t * y[1];
    ret[1] = 2 * t * y[0];
    return 0;
}

static int write_circle(void *self, double t, const double *y)
{
    struct known *k = self;

    /* settled: the next state is made from one that is on the circle */
    assert_true(fabs(hypot(y[0], y[1]) - 1) < 4 * DBL_EPSILON);
    k->t = t;
    memcpy(k->y, y, 2 * sizeof(double));
    return 0;
}

static int settle_circle(void *self, double t, double *y)
{
    double length = hypot(y[0], y[1]);

    (void)self, (void)t;
    y[0] /= length;
    y[1] /= length;
    return 0;
}

static void read_one(void *self, double *y)
{
    (void)self;
    y[0] = 1;
}

static int write_one(void *self, double t, const double *y)
{
    struct known *k = self;

    k->t = t;
    k->y[0] = y[0];
    return 0;
}

static int rate_stiff(void *self, double t, const double *y, double *ret)
{
    (void)self;
    ret[0] = -STIFFNESS * (y[0] - cos(t)) - sin(t);
    return 0;
}

static int rate_blow_up(void *self, double t, const double *y, double *ret)
{
    (void)self, (void)t;
    ret[0] = y[0] * y[0];
    return 0;
}

const struct lk_equations known_smooth = {.name = "smooth",
                                          .size = size_three,
                                          .read = read_smooth,
                                          .rate = rate_smooth,
                                          .write = write_smooth};
const struct lk_equations known_circle = {.name = "circle",
                                          .size = size_two,
                                          .read = read_circle,
                                          .rate = rate_circle,
                                          .write = write_circle,
                                          .settle = settle_circle};
const struct lk_equations known_stiff = {
    .name = "stiff", .size = size_one, .read = read_one, .rate = rate_stiff, .write = write_one};
const struct lk_equations known_blow_up = {.name = "blow-up",
                                           .size = size_one,
                                           .read = read_one,
                                           .rate = rate_blow_up,
                                           .write = write_one};

static double exact(const struct lk_equations *equations, double t, int i)
{
    if (equations == &known_stiff)
        return cos(t);
    if (equations == &known_circle)
        return i == 0 ? cos(t * t) : sin(t * t);
    return i == 0 ? 1 / (1 + t * t) : i == 1 ? cos(t * t) : sin(t * t);
}

/* ---- runs ---- */

const struct lk_integrator *known_find(const char *name, const char **ret_variant)
{
    size_t n = strcspn(name, ":");

    for (int i = 0; lk_integrators[i]; i++) {
        const struct lk_integrator *integrator = lk_integrators[i];

        if (strncmp(integrator->name, name, n) != 0 || integrator->name[n] ||
            integrator->constrained)
            continue;
        *ret_variant = name[n] ? name + n + 1 : integrator->variants ? integrator->variants[0] : "";
        return integrator;
    }
    fail_msg("no integrator %s", name);
    return NULL;
}

static void note_accepted(void *context)
{
    struct known *known = context;

    known->n_accepted++;
}

void known_open(struct known_run *run, const struct lk_equations *equations, const char *integrator,
                double step, double tolerance)
{
    const char *variant;
    struct lk_error error;

    memset(run, 0, sizeof(*run));
    run->known.rate_fails_after = INFINITY;
    run->integrator = known_find(integrator, &variant);
    run->problem = (struct lk_problem){
        .equations = equations,
        .self = &run->known,
        .variant = variant,
        .step = step,
        .tolerance = tolerance,
        .accepted = note_accepted,
        .context = &run->known,
    };
    if (run->integrator->open(&run->problem, &run->self, &error) != 0)
        fail_msg("%s: %s", integrator, error.text);
}

void known_close(struct known_run *run)
{
    run->integrator->close(run->self);
}

double known_error(const struct known_run *run)
{
    const struct lk_equations *e = run->problem.equations;
    double worst = 0;

    for (int i = 0; i < e->size(&run->known); i++)
        worst = fmax(worst, fabs(run->known.y[i] - exact(e, run->known.t, i)));
    return worst;
}
