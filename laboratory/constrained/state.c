/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/constrained/state.h"
#include "laboratory/projection.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double *lk_constrained_zeros(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

static int take_memory(struct lk_constrained *s)
{
    s->q = lk_constrained_zeros(s->n_q);
    s->v = lk_constrained_zeros(s->n);
    s->a = lk_constrained_zeros(s->n);
    s->lambda = lk_constrained_zeros(s->m);
    s->force = lk_constrained_zeros(s->n);
    s->c = lk_constrained_zeros(s->m);
    s->move = lk_constrained_zeros(s->n);
    return s->q && s->v && s->a && s->lambda && s->force && s->c && s->move ? 0 : -ENOMEM;
}

int lk_constrained_init(struct lk_constrained *s, struct lk_problem *problem,
                        struct lk_error *ret_error)
{
    struct lk_mechanics *mechanics = problem->mechanics;
    int r;

    *s = (struct lk_constrained){
        .problem = problem,
        .mechanics = mechanics,
        .orientation = problem->orientation,
        .n = mechanics->n_velocities,
        .m = mechanics->n_rows,
        .n_q = lk_coordinates_size(problem->orientation, mechanics->n_bodies),
        .t = lk_system_time(mechanics->system),
    };
    r = take_memory(s);
    if (r == 0)
        r = lk_kkt_new(mechanics, &s->kkt, ret_error);
    if (r != 0)
        return r;
    lk_coordinates_read(mechanics, s->orientation, s->q, s->v);
    return lk_constrained_accelerate(s, s->t, s->q, s->v, s->a, s->lambda);
}

void lk_constrained_fini(struct lk_constrained *s)
{
    lk_kkt_free(s->kkt);
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->lambda);
    free(s->force);
    free(s->c);
    free(s->move);
}

void lk_constrained_evaluate(struct lk_constrained *s, double t, const double *q, const double *v)
{
    lk_coordinates_write(s->mechanics, s->orientation, q, v);
    lk_mechanics_evaluate(s->mechanics, t);
    s->problem->counts.rates++;
}

int lk_constrained_accelerate(struct lk_constrained *s, double t, const double *q, const double *v,
                              double *ret_a, double *ret_lambda)
{
    int r;

    lk_constrained_evaluate(s, t, q, v);
    r = lk_kkt_factor(s->kkt);
    s->problem->counts.factorisations++;
    if (r != 0)
        return r;
    lk_mechanics_gamma(s->mechanics, s->c);
    for (int i = 0; i < s->m; i++)
        s->c[i] = -s->c[i];
    lk_mechanics_forces(s->mechanics, (struct lk_twist *)s->force);
    lk_kkt_solve(s->kkt, s->force, s->c, ret_a, ret_lambda);
    return 0;
}

int lk_constrained_project(struct lk_constrained *s, double t)
{
    int r;

    if (s->problem->stabilisation != LK_STABILISATION_PROJECTION)
        return 0;
    r = lk_projection_positions(s->kkt, s->orientation, t, s->q, s->v, s->move, s->c);
    return r == 0 ? lk_projection_velocities(s->kkt, 0, s->v, s->move, s->c) : r;
}

int lk_constrained_explain(const struct lk_constrained *s, int r, struct lk_error *ret_error)
{
    if (r == LK_E_SINGULAR)
        lk_error_set(ret_error,
                     "t = %.9g s: the orientation of a body is where its angles are singular, or "
                     "the rows of the joints are, expected orientation lie, or projection",
                     s->t);
    else if (r == LK_E_STALLED)
        lk_error_set(
            ret_error,
            "t = %.9g s: Newton's method does not converge, expected a smaller step, or the "
            "variant ggl or index-2",
            s->t);
    else if (r > 0)
        lk_error_set(ret_error, "t = %.9g s: the state is not finite, expected a smaller step",
                     s->t);
    return r;
}

int lk_constrained_accept(struct lk_constrained *s, double t, struct lk_error *ret_error)
{
    int r;

    lk_coordinates_write(s->mechanics, s->orientation, s->q, s->v);
    for (int b = 0; b < s->mechanics->n_bodies; b++)
        memcpy(&lk_mechanics_motion(s->mechanics)[b].a, s->a + 6 * b, 6 * sizeof(double));
    r = lk_mechanics_accept(s->mechanics, t, s->lambda);
    if (r != 0)
        return lk_constrained_explain(s, r, ret_error);
    s->t = t;
    s->problem->counts.steps++;
    if (s->problem->accepted)
        s->problem->accepted(s->problem->context);
    return 0;
}

double lk_constrained_fixed_step(const struct lk_constrained *s, double end)
{
    double left = (end - s->t) / s->problem->step, steps = ceil(left - 1e-6);

    if (fabs(left - steps) < 1e-6)
        return s->problem->step;
    return (end - s->t) / steps;
}
