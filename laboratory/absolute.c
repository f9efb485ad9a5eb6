/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute coordinates of all bodies as y' = f(t, y), y = (q, v):
 *
 *     index-1:  q' = K(q) v,  M v' + Phi_q^T lambda = Q - w x J w,  Phi'' = s
 *     index-2:  the same, with v projected onto Phi' = -alpha Phi before every evaluation, so that
 *               only positions drift: the underlying differential equation of the index-2 form
 * If creep follows the normal force of its contact, Q = Q(t, q, v, lambda), see
 * step/elements/creep.h: lambda is found by iteration.
 *
 * M. Arnold, DAE aspects of multibody system dynamics, 2016, eqs. (84) and (79). Stabilisation:
 *     none        s = 0, alpha = 0: positions drift like t^2, in index-2 like t
 *     baumgarte   index-1: s = -2 alpha Phi' - beta^2 Phi; index-2: eq. (87) with alpha
 *     projection  eqs. (89), (91) after each step
 * Rows may be redundant or become redundant: see kkt.h. */
#include "laboratory/coordinates.h"
#include "laboratory/methods.h"
#include "laboratory/projection.h"
#include "step/elements/creep.h"
#include "step/elements/laws.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS  60
#define SETTLED 1e-13 /* change of a converged multiplier, relative to 1 + |lambda| */

/* struct absolute - state of the formulation.
 * @follows_loads: creep depends on the multipliers
 * @last:      multipliers of the previous iteration
 * @decay:     alpha of index-2 [1/s]
 * @baumgarte: 2 alpha [1/s] and beta^2 [1/s^2] of index-1 */
struct absolute {
    struct lk_mechanics *mechanics;
    struct lk_kkt *kkt;
    enum lk_orientation orientation;
    int is_index_2;
    int projects;
    double decay;
    double baumgarte[2];
    int n_q;
    double *v;
    double *a;
    double *change;
    double *c;
    double *lambda;
    double *last;
    struct lk_twist *force;
    int follows_loads;
};

static void close_absolute(void *self)
{
    struct absolute *s = self;

    if (!s)
        return;
    lk_kkt_free(s->kkt);
    free(s->v);
    free(s->a);
    free(s->change);
    free(s->c);
    free(s->lambda);
    free(s->last);
    free(s->force);
    free(s);
}

static void choose_options(struct absolute *s, const struct lk_equations_options *options)
{
    int stabilised = options->stabilisation == LK_STABILISATION_BAUMGARTE;

    s->orientation = options->orientation;
    s->is_index_2 = options->variant && strcmp(options->variant, "index-2") == 0;
    s->projects = options->stabilisation == LK_STABILISATION_PROJECTION;
    if (stabilised && s->is_index_2)
        s->decay = options->baumgarte[0];
    if (stabilised && !s->is_index_2) {
        s->baumgarte[0] = 2 * options->baumgarte[0];
        s->baumgarte[1] = options->baumgarte[1] * options->baumgarte[1];
    }
}

static int follows_loads(const struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        if (sys->term[sys->law[i].first_term].kind == LK_TERM_CREEP &&
            sys->term[sys->law[i].first_term].contact >= 0)
            return 1;
    return 0;
}

static int open_absolute(struct lk_mechanics *mechanics, const struct lk_equations_options *options,
                         void **ret, struct lk_error *ret_error)
{
    struct absolute *s = calloc(1, sizeof(*s));
    size_t n = (size_t)mechanics->n_velocities + 1, m = (size_t)mechanics->n_rows + 1;
    int r;

    if (!s)
        return -ENOMEM;
    s->mechanics = mechanics;
    choose_options(s, options);
    s->n_q = lk_coordinates_size(s->orientation, mechanics->n_bodies);
    s->v = calloc(n, sizeof(double));
    s->a = calloc(n, sizeof(double));
    s->change = calloc(n, sizeof(double));
    s->c = calloc(m, sizeof(double));
    s->lambda = calloc(m, sizeof(double));
    s->last = calloc(m, sizeof(double));
    s->force = calloc((size_t)mechanics->n_bodies + 1, sizeof(*s->force));
    r = s->v && s->a && s->change && s->c && s->lambda && s->last && s->force ? 0 : -ENOMEM;
    if (r == 0)
        r = lk_kkt_new(mechanics, &s->kkt, ret_error);
    s->follows_loads = follows_loads(mechanics->system);
    if (r != 0) {
        close_absolute(s);
        return r;
    }
    *ret = s;
    return 0;
}

static int size_of_absolute(const void *self)
{
    const struct absolute *s = self;

    return s->n_q + s->mechanics->n_velocities;
}

static void read_absolute(void *self, double *y)
{
    const struct absolute *s = self;

    lk_coordinates_read(s->mechanics, s->orientation, y, y + s->n_q);
}

static void evaluate_state(const struct absolute *s, double t, const double *y, const double *v)
{
    lk_coordinates_write(s->mechanics, s->orientation, y, v);
    lk_mechanics_evaluate(s->mechanics, t);
}

/* Compute the right-hand side c of Phi_q v' = c: -gamma plus the stabilisation terms. */
static void prescribe_accelerations(struct absolute *s)
{
    int m = s->kkt->m;

    lk_mechanics_gamma(s->mechanics, s->c);
    for (int i = 0; i < m; i++)
        s->c[i] = -s->c[i];
    if (s->decay == 0 && s->baumgarte[0] == 0 && s->baumgarte[1] == 0)
        return;
    lk_mechanics_rates(s->mechanics, s->kkt->c);
    for (int i = 0; i < m; i++)
        s->c[i] -= (s->baumgarte[0] + s->decay) * s->kkt->c[i];
    lk_mechanics_violation(s->mechanics, s->kkt->c);
    for (int i = 0; i < m; i++)
        s->c[i] -= s->baumgarte[1] * s->kkt->c[i];
}

/* Return the largest change of the multipliers since the last iteration, and store the
 * multipliers. */
static double note_change(struct absolute *s)
{
    double change = 0;

    for (int i = 0; i < s->kkt->m; i++) {
        change = fmax(change, fabs(s->lambda[i] - s->last[i]) / (1 + fabs(s->lambda[i])));
        s->last[i] = s->lambda[i];
    }
    return change;
}

/* Give the normal forces in the multipliers to creep that follows them. */
static void hand_loads(struct absolute *s)
{
    struct lk_system *sys = s->mechanics->system;

    lk_mechanics_take_multipliers(s->mechanics, s->lambda);
    for (int i = 0; i < sys->n_joints; i++)
        lk_creep_take_load(sys, &sys->joint[i], sys->next.lambda);
}

/* Compute accelerations and multipliers. If forces depend on the multipliers, iterate to a fixed
 * point. The iteration converges fast, because creep acts in the contact plane and hardly changes
 * the contact force. */
static int balance_loads(struct absolute *s)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (s->follows_loads)
            hand_loads(s);
        lk_mechanics_forces(s->mechanics, s->force);
        lk_kkt_solve(s->kkt, (const double *)s->force, s->c, s->a, s->lambda);
        if (!s->follows_loads || note_change(s) < SETTLED)
            return 0;
    }
    return LK_E_SINGULAR;
}

/* Compute the velocities of y (projected with index-2), the accelerations and the multipliers. */
static int solve_state(struct absolute *s, double t, const double *y)
{
    int r = 0;

    memcpy(s->v, y + s->n_q, (size_t)s->kkt->n * sizeof(double));
    evaluate_state(s, t, y, s->v);
    if (s->is_index_2) {
        r = lk_projection_velocities(s->kkt, s->decay, s->v, s->change, s->c);
        evaluate_state(s, t, y, s->v);
    } else {
        r = lk_kkt_factor(s->kkt);
    }
    if (r != 0)
        return r;
    prescribe_accelerations(s);
    return balance_loads(s);
}

static int rate(void *self, double t, const double *y, double *ret)
{
    struct absolute *s = self;
    int r = solve_state(s, t, y);

    if (r != 0)
        return r;
    memcpy(ret + s->n_q, s->a, (size_t)s->kkt->n * sizeof(double));
    return lk_coordinates_rates(s->orientation, s->mechanics->n_bodies, y, s->v, ret);
}

static int write_absolute(void *self, double t, const double *y)
{
    struct absolute *s = self;
    int r = solve_state(s, t, y);

    for (int b = 0; b < s->mechanics->n_bodies && r == 0; b++)
        memcpy(&lk_mechanics_motion(s->mechanics)[b].a, s->a + 6 * b, 6 * sizeof(double));
    return r;
}

static int settle_state(void *self, double t, double *y)
{
    struct absolute *s = self;
    int r = 0;

    lk_coordinates_normalise(s->orientation, s->mechanics->n_bodies, y);
    if (s->projects)
        r = lk_projection_positions(s->kkt, s->orientation, t, y, y + s->n_q, s->change, s->c);
    else if (s->is_index_2)
        evaluate_state(s, t, y, y + s->n_q);
    if (r == 0 && (s->projects || s->is_index_2))
        r = lk_projection_velocities(s->kkt, s->decay, y + s->n_q, s->change, s->c);
    return r;
}

static int settles(const void *self)
{
    const struct absolute *s = self;

    return s->projects ? LK_SETTLES_ROWS : 0;
}

static void lambda(void *self, double *ret)
{
    const struct absolute *s = self;

    memcpy(ret, s->lambda, (size_t)s->kkt->m * sizeof(double));
}

static const char *const variants[] = {"index-1", "index-2", NULL};

const struct lk_equations lk_equations_absolute = {
    .name = "absolute",
    .variants = variants,
    .paper =
        "M. Arnold, DAE aspects of multibody system dynamics (2016), eqs. (84), (79), (87), (89)",
    .takes_rolling = 1,
    .why_not_fixed =
        "its multipliers come from a dense decomposition that grows with the cube of the model",
    .open = open_absolute,
    .close = close_absolute,
    .size = size_of_absolute,
    .read = read_absolute,
    .rate = rate,
    .write = write_absolute,
    .settle = settle_state,
    .settles = settles,
    .lambda = lambda,
};
