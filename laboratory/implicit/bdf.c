/* SPDX-License-Identifier: Apache-2.0 */
/* Backward differentiation of order 1 to 6 on the constrained equations of motion in every index,
 * see laboratory/implicit/dae.h. The derivative at the new time is that of the polynomial through
 * the new state and the last k states. The steps between these states may have different lengths.
 *
 *     B (w_0 y_n+1 + w_1 y_n + .. + w_k y_n+1-k) = g(t_n+1, y_n+1)
 *
 * M. Arnold, DAE aspects of multibody system dynamics, 2016, eq. (75). The step is fixed until the
 * run changes it. Example 9 of that paper examines the effect of such a change on the multipliers
 * of index-3. bdf-1 is the backward Euler method.
 *
 * Radau IIA with three stages in the stabilised index-2 form makes the first k - 1 steps. Its
 * positions and velocities are of order 5, which is accurate enough for the orders used here.
 * Multipliers have no history. */
#include "laboratory/coordinates.h"
#include "laboratory/implicit/newton.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_MAX 6
#define EXACT     1e-10 /* tolerance that scales increments */
#define EXACT_END 1e-3  /* fraction of EXACT at which the iteration ends */
#define MOST      30
#define SLOW      0.9 /* ratio of increments above which they no longer shrink and are round-off */

extern const struct lk_integrator lk_integrator_radau_dae;

/** struct bdf - a run.
 * @name:        name of the integrator
 * @starter:     Radau, used while the history is too short
 * @when, @past: times and values of the last n_past states, the newest first
 * @y:           the newest state, with its multipliers
 * @slope:       y' of the variables with a derivative
 * @z:           y_n+1 minus y
 * @c:           contribution of the history to y_n+1'
 * @g, @weight, @stage, @work: n numbers each */
struct bdf {
    struct lk_dae *dae;
    struct lk_newton newton;
    const char *name;
    void *starter;
    int order;
    int n;
    int n_past;
    double t;
    double when[ORDER_MAX];
    double *past[ORDER_MAX];
    double *y;
    double *slope;
    double *z;
    double *c;
    double *g;
    double *weight;
    double *stage;
    double *work;
    double *memory;
};

/* ---- open and close ---- */

static void drop_starter(struct bdf *s)
{
    if (s->starter)
        lk_integrator_radau_dae.close(s->starter);
    s->starter = NULL;
}

static void close_bdf(void *self)
{
    struct bdf *s = self;

    if (!s)
        return;
    drop_starter(s);
    lk_newton_drop(&s->newton);
    lk_dae_free(s->dae);
    free(s->y);
    free(s->slope);
    free(s->memory);
    free(s);
}

static int take_memory(struct bdf *s)
{
    size_t n = (size_t)s->dae->n;
    double *m = s->memory = calloc((ORDER_MAX + 6) * n + 1, sizeof(double));

    s->n = s->dae->n;
    if (lk_newton_take(&s->newton, s->n) < 0 || !m)
        return -ENOMEM;
    for (int i = 0; i < ORDER_MAX; i++)
        s->past[i] = m + (size_t)i * n;
    m += ORDER_MAX * n;
    s->z = m;
    s->c = m + n;
    s->g = m + 2 * n;
    s->weight = m + 3 * n;
    s->stage = m + 4 * n;
    s->work = m + 5 * n;
    return 0;
}

/* Store y as the newest state of the history. */
static void remember(struct bdf *s)
{
    double *oldest = s->past[ORDER_MAX - 1];

    for (int i = ORDER_MAX - 1; i > 0; i--) {
        s->past[i] = s->past[i - 1];
        s->when[i] = s->when[i - 1];
    }
    s->past[0] = oldest;
    s->when[0] = s->t;
    memcpy(oldest, s->y, (size_t)s->n * sizeof(double));
    s->n_past += s->n_past < s->order;
}

static int open_starter(struct bdf *s, struct lk_problem *problem, struct lk_error *ret_error)
{
    const char *variant = problem->variant;
    int r;

    if (s->order == 1)
        return 0;
    problem->variant = "ggl";
    r = lk_integrator_radau_dae.open(problem, &s->starter, ret_error);
    problem->variant = variant;
    return r;
}

static int open_order(struct lk_problem *problem, const char *name, int order, void **ret,
                      struct lk_error *ret_error)
{
    struct bdf *s = calloc(1, sizeof(*s));
    int r;

    if (!s)
        return -ENOMEM;
    s->name = name;
    s->order = order;
    r = lk_dae_over_constraints(problem, name, &s->dae, &s->y, &s->slope, ret_error);
    if (r == 0)
        r = take_memory(s);
    if (r == 0)
        r = open_starter(s, problem, ret_error);
    if (r != 0) {
        close_bdf(s);
        return r;
    }
    s->t = lk_stepping_time(problem);
    remember(s);
    *ret = s;
    return 0;
}

/* ---- a step ---- */

/* Compute the derivative at @t of the polynomial through (@t, y_n+1) and the history. Write the
 * contribution of the history to c. The code uses differences from y, so that short steps lose no
 * digits.
 * Return: w_0. */
static double differentiate(struct bdf *s, double t)
{
    double first = 0;

    memset(s->c, 0, (size_t)s->n * sizeof(double));
    for (int j = 0; j < s->order; j++) {
        double w = 1 / (s->when[j] - t);

        for (int m = 0; m < s->order; m++)
            w *= m == j ? 1 : (t - s->when[m]) / (s->when[j] - s->when[m]);
        for (int i = 0; i < s->n && j > 0; i++)
            s->c[i] += w * (s->past[j][i] - s->past[0][i]);
        first -= w;
    }
    return first;
}

/* Evaluate g at y + z. */
static int evaluate(struct bdf *s, double t)
{
    for (int i = 0; i < s->n; i++)
        s->stage[i] = s->y[i] + s->z[i];
    return s->dae->rate(s->dae, t, s->stage, s->g);
}

/* Make one iteration: z += (w_0 B - dg/dy)^-1 (g - B (w_0 z + c)), with w_0 in @first.
 * @ret_size: size of the increment
 * Return: 0, LK_E_SINGULAR */
static int iterate(struct bdf *s, double t, double first, double *ret_size)
{
    int r = evaluate(s, t);

    if (r != 0)
        return r;
    for (int i = 0; i < s->n; i++)
        s->stage[i] = first * s->z[i] + s->c[i];
    lk_dae_mass(s->dae, s->stage, s->work);
    for (int i = 0; i < s->n; i++)
        s->work[i] = s->g[i] - s->work[i];
    lk_newton_solve(&s->newton, s->work);
    for (int i = 0; i < s->n; i++)
        s->z[i] += s->work[i];
    s->dae->problem->counts.iterations++;
    *ret_size = lk_dae_norm(s->n, s->work, s->weight);
    return 0;
}

static int solve(struct bdf *s, double t, double first)
{
    double size = INFINITY;
    int r = evaluate(s, t);

    if (r == 0)
        r = lk_newton_evaluate_jacobian(&s->newton, s->dae, t, s->stage, s->g);
    if (r == 0)
        r = lk_newton_factor_real(&s->newton, s->dae, first);
    for (int i = 0; i < MOST && r == 0 && size > EXACT_END; i++) {
        double before = size;

        r = iterate(s, t, first, &size);
        if (r == 0 && (!isfinite(size) || (size >= 1 && i > 3 && size > before)))
            r = LK_E_STALLED;
        if (r == 0 && size < 1 && size > SLOW * before)
            return 0;
    }
    return r != 0 || size < 1 ? r : LK_E_STALLED;
}

/* Accept the end of the step as the new state. If other independent rows were chosen, their
 * multipliers replace the multipliers in y. */
static int take_step(struct bdf *s, double t, double first, struct lk_error *ret_error)
{
    int r;

    for (int i = 0; i < s->n; i++) {
        s->y[i] += s->z[i];
        s->slope[i] = s->dae->is_algebraic[i] ? 0 : first * s->z[i] + s->c[i];
    }
    s->t = t;
    s->dae->problem->counts.steps++;
    memcpy(s->work, s->y, (size_t)s->n * sizeof(double));
    r = s->dae->accept(s->dae, t, s->work, s->slope, ret_error);
    for (int i = 0; i < s->n && s->dae->is_new; i++)
        s->y[i] = s->dae->is_algebraic[i] ? s->work[i] : s->y[i];
    s->dae->is_new = 0;
    remember(s);
    return r;
}

static int step(struct bdf *s, double t, struct lk_error *ret_error)
{
    double first = differentiate(s, t), h = t - s->t;
    int r;

    for (int i = 0; i < s->n; i++)
        s->z[i] = h * s->slope[i];
    lk_dae_weights(s->dae, EXACT, h, s->y, s->weight);
    r = solve(s, t, first);
    if (r == LK_E_STALLED)
        lk_error_set(ret_error,
                     "integrator %s: t = %.9g s: the Newton iteration does not converge with a "
                     "step of %.3g s, expected a smaller step",
                     s->name, s->t, h);
    else if (r != 0)
        lk_stepping_singular(s->name, s->t, r, ret_error);
    return r == 0 ? take_step(s, t, first, ret_error) : r;
}

/* ---- advancing to a time ---- */

/* Make a step of Radau. The multipliers in y remain those of the initial state; they are only the
 * initial values of the first Newton iteration. */
static int start(struct bdf *s, double t, struct lk_error *ret_error)
{
    const struct lk_problem *p = s->dae->problem;
    int nq = lk_coordinates_size(p->orientation, p->mechanics->n_bodies);
    int r = lk_integrator_radau_dae.advance(s->starter, t, ret_error);

    if (r != 0)
        return r;
    lk_coordinates_read(p->mechanics, p->orientation, s->y, s->y + nq);
    for (int i = 0; i < s->n; i++)
        s->slope[i] = s->dae->is_algebraic[i] ? 0 : (s->y[i] - s->past[0][i]) / (t - s->t);
    s->t = t;
    remember(s);
    if (s->n_past == s->order)
        drop_starter(s);
    return 0;
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct bdf *s = self;
    int n, r = 0;
    double begin = s->t;

    if (lk_stepping_is_there(s->t, t))
        return 0;
    n = lk_stepping_divide(begin, t, s->dae->problem->step);
    for (int i = 1; i <= n && r == 0; i++) {
        double next = i == n ? t : begin + (t - begin) * i / n;

        r = s->n_past < s->order ? start(s, next, ret_error) : step(s, next, ret_error);
    }
    return r;
}

#define BDF(order)                                                                                 \
    static int open_##order(struct lk_problem *problem, void **ret, struct lk_error *ret_error)    \
    {                                                                                              \
        return open_order(problem, "bdf-" #order, order, ret, ret_error);                          \
    }                                                                                              \
    const struct lk_integrator lk_integrator_bdf_##order = {                                       \
        .name = "bdf-" #order,                                                                     \
        .variants = lk_dae_variants,                                                               \
        .paper =                                                                                   \
            "M. Arnold, DAE aspects of multibody system dynamics (2016), eq. (75), order " #order, \
        .constrained = 1,                                                                          \
        .changes_steps = 1,                                                                        \
        .takes_resal = 1,                                                                          \
        .open = open_##order,                                                                      \
        .close = close_bdf,                                                                        \
        .advance = advance,                                                                        \
    };

BDF(1)
BDF(2)
BDF(3)
BDF(4)
BDF(5)
BDF(6)
