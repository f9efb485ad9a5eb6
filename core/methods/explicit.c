/* SPDX-License-Identifier: Apache-2.0 */
/* Step of the formulations in core/methods/formulations: the classical Runge-Kutta method of order
 * 4 on y' = f(t, y). A step has four evaluations of f, a fifth at its end for the accelerations of
 * the new state, and another before the step if a model has both inputs and drives. This step is
 * for smooth motion only, see lk_extrapolate_check(). If a formulation does not compute
 * multipliers, they are computed with the factor of the system, as in rk4.c. */
#include "maths/vec.h"
#include "methods/registry.h"
#include "step/elements/loads.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include "step/system.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAGES 4

/** struct stepper - memory of a step.
 * @self:   the open formulation
 * @n:      size of y
 * @k:      f at each stage
 * @y:      state at a stage, then at the end of the step
 * @lambda: multipliers of the rigid rows */
struct stepper {
    const struct lk_equations *equations;
    void *self;
    struct lk_mechanics *mechanics;
    int n;
    double *k[STAGES];
    double *y;
    double *lambda;
};

static const double when[STAGES] = {0, 0.5, 0.5, 1};
static const double weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

static void explicit_close(struct lk_system *sys)
{
    struct stepper *e = sys->formulation_data;

    if (!e)
        return;
    if (e->self)
        e->equations->close(e->self);
    lk_mechanics_free(e->mechanics);
    free(e->y);
    free(e);
    sys->formulation_data = NULL;
}

static int take_memory(struct lk_system *sys, struct stepper *e, struct lk_error *ret_error)
{
    size_t n = (size_t)e->equations->size(e->self), rows = (size_t)e->mechanics->n_rows;
    double *place;

    if ((int)n > sys->n_own) {
        lk_error_set(ret_error, "formulation %s keeps %zu numbers, expected at most %d",
                     e->equations->name, n, sys->n_own);
        return LK_E_MODEL;
    }
    place = calloc((STAGES + 1) * n + rows + 1, sizeof(*place));
    if (!place)
        return -ENOMEM;
    e->n = (int)n;
    e->y = place;
    for (size_t i = 0; i < STAGES; i++)
        e->k[i] = place + (i + 1) * n;
    e->lambda = place + (STAGES + 1) * n;
    return 0;
}

/* Write the state @y at time @t to system->next: motion with accelerations, and multipliers. */
static int write_next_state(struct lk_system *sys, struct stepper *e, double t, const double *y)
{
    int r = e->equations->write(e->self, t, y);

    if (r != 0)
        return r;
    if (e->equations->lambda) {
        e->equations->lambda(e->self, e->lambda);
        lk_mechanics_take_multipliers(e->mechanics, e->lambda);
    } else {
        lk_mechanics_complete(e->mechanics);
    }
    for (int i = 0; i < e->n; i++)
        sys->next.own[i] = y[i];
    return 0;
}

/* Compute the first sample of a run with the formulation itself, so that multipliers of redundant
 * rows and rates of bodies without inertia agree with later samples. If the initial state has no
 * solution, the first step returns the error. */
static void begin_run(struct lk_system *sys, struct stepper *e)
{
    e->equations->read(e->self, e->y);
    lk_mechanics_start(e->mechanics);
    for (int i = 0; i < e->n; i++)
        sys->now.own[i] = e->y[i];
    if (write_next_state(sys, e, 0, e->y) == 0 && lk_step_account(sys) == 0)
        lk_step_swap(sys);
    lk_start_renew(sys);
}

static int explicit_prepare(struct lk_system *sys, const char *name, struct lk_error *ret_error)
{
    struct lk_equations_options options = {.orientation = LK_ORIENTATION_LIE};
    struct stepper *e = calloc(1, sizeof(*e));
    int r;

    if (!e)
        return -ENOMEM;
    sys->formulation_data = e;
    e->equations = lk_equations_find_fixed(name, &options.variant);
    sys->takes_massless = e->equations->takes_massless;
    lk_system_decouple_laws(sys);
    r = lk_mechanics_over(sys, &e->mechanics);
    if (r == 0)
        r = e->equations->open(e->mechanics, &options, &e->self, ret_error);
    if (r == 0)
        r = take_memory(sys, e, ret_error);
    if (r == 0)
        begin_run(sys, e);
    return r;
}

/* Return an upper bound for the size of y with @n bodies: positions, orientations, and velocities
 * or momenta. */
static int own_size(int n)
{
    return 14 * n + 8;
}

static int run_stages(const struct lk_system *sys, struct stepper *e, double t)
{
    double h = sys->h;
    int r = 0;

    for (int k = 0; k < STAGES && r == 0; k++) {
        for (int i = 0; i < e->n; i++)
            e->y[i] = sys->now.own[i] + (k > 0 ? when[k] * h * e->k[k - 1][i] : 0);
        r = e->equations->rate(e->self, t + when[k] * h, e->y, e->k[k]);
    }
    for (int i = 0; i < e->n; i++) {
        double sum = 0;

        for (int k = 0; k < STAGES; k++)
            sum += weight[k] * e->k[k][i];
        e->y[i] = sys->now.own[i] + h * sum;
    }
    return r;
}

/* Correct the work of drives after a jump of the inputs. The jump changes the power of drives at
 * once, but the trapezoidal rule of the step starts from the multipliers before the jump. */
static int book_jump(struct lk_system *sys, struct stepper *e, double t, double before)
{
    int r;

    if (sys->n_inputs == 0 || sys->n_drives == 0)
        return 0;
    r = write_next_state(sys, e, t, sys->now.own);
    sys->next.balance->work_drive +=
        0.5 * sys->h * (lk_loads_drive_power(sys, sys->next.lambda, 0) - before);
    return r;
}

/* Return whether all bodies turn by less than half a turn in the step, estimated from the mean of
 * the angular velocities at its start and end. */
static int turns_are_small(const struct lk_system *sys)
{
    double widest = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        const double *old = sys->now.motion[b].v.w, *new = sys->next.motion[b].v.w;

        widest = lk_max(widest, 0.5 * sys->h * (lk_norm(old) + lk_norm(new)));
    }
    return widest < M_PI;
}

static int explicit_step(struct lk_system *sys, const double *inputs)
{
    struct stepper *e = sys->formulation_data;
    double t = sys->now.balance->steps * sys->h, end = (sys->now.balance->steps + 1) * sys->h;
    struct lk_powers before;
    int r;

    e->mechanics->inputs = inputs;
    lk_loads_powers(sys, &sys->now, t, inputs, &before); /* poses of sys->now */
    lk_mechanics_start(e->mechanics);
    for (int k = 0; k < sys->input_size; k++) /* replace the inputs of the last step */
        sys->next.inputs[k] = inputs[k];
    r = book_jump(sys, e, t, before.drive);
    if (r == 0)
        r = run_stages(sys, e, t);
    if (r == 0 && e->equations->settle)
        r = e->equations->settle(e->self, end, e->y);
    if (r == 0)
        r = write_next_state(sys, e, end, e->y);
    if (r == 0 && !turns_are_small(sys))
        r = LK_E_TURN;
    if (r == 0)
        lk_mechanics_book(e->mechanics, end, &before);
    sys->next.balance->steps = sys->now.balance->steps; /* lk_system_step() counts steps */
    return r;
}

static int shares_work(const struct lk_system *sys)
{
    const struct stepper *e = sys->formulation_data;

    return e->equations->shares_work;
}

const struct lk_formulation lk_formulation_explicit = {
    .name = "explicit",
    .step = explicit_step,
    .prepare = explicit_prepare,
    .close = explicit_close,
    .own_size = own_size,
    .wants_plain = 1,
    .wants_wide_tree = 1,
    .shares_work = shares_work,
    .is_explicit = 1,
    .order = 4,
    .solves_once = 1,
};
