/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the integrators of the constrained equations share: the state in absolute
 * coordinates, its accelerations and multipliers, fixed steps that end at the requested time,
 * and accepted states. */
#ifndef LK_METHODS_LABORATORY_CONSTRAINED_STATE_H
#define LK_METHODS_LABORATORY_CONSTRAINED_STATE_H

#include "laboratory/coordinates.h"
#include "laboratory/integrator.h"
#include "laboratory/kkt.h"

/** struct lk_constrained - the last accepted state, and scratch memory.
 * @q, @v, @a, @lambda: values at @t [s]; a is v'
 * @force, @c, @move:   scratch of n, m, n numbers */
struct lk_constrained {
    struct lk_problem *problem;
    struct lk_mechanics *mechanics;
    struct lk_kkt *kkt;
    enum lk_orientation orientation;
    int n;
    int m;
    int n_q;
    double t;
    double *q;
    double *v;
    double *a;
    double *lambda;
    double *force;
    double *c;
    double *move;
};

/** lk_constrained_init() - allocate memory, read the accepted state of the mechanics, and compute
 * consistent a and lambda.
 * Return: 0, -ENOMEM, LK_E_MODEL, LK_E_NOT_FINITE. Call lk_constrained_fini() also after an
 * error. */
int lk_constrained_init(struct lk_constrained *state, struct lk_problem *problem,
                        struct lk_error *ret_error);

/** lk_constrained_fini() - free the memory of @state. */
void lk_constrained_fini(struct lk_constrained *state);

/** lk_constrained_zeros() - allocate @n zeros. Return: NULL if memory is exhausted. */
double *lk_constrained_zeros(int n);

/** lk_constrained_evaluate() - evaluate the mechanics at @q, @v and time @t. Counts as an
 * evaluation of the right-hand side. */
void lk_constrained_evaluate(struct lk_constrained *state, double t, const double *q,
                             const double *v);

/** lk_constrained_accelerate() - compute the accelerations of the index-1 form at @t, @q, @v.
 * @ret_lambda: multipliers, or NULL: not needed.
 * Return: 0, LK_E_NOT_FINITE. */
int lk_constrained_accelerate(struct lk_constrained *state, double t, const double *q,
                              const double *v, double *ret_a, double *ret_lambda);

/** lk_constrained_project() - project @q and @v of the state onto the joint constraints, if the
 * problem requests projection. */
int lk_constrained_project(struct lk_constrained *state, double t);

/** lk_constrained_accept() - accept q, v, a, lambda as the state at @t. Return: 0,
 * LK_E_NOT_FINITE, LK_E_TURN with a message in @ret_error. */
int lk_constrained_accept(struct lk_constrained *state, double t, struct lk_error *ret_error);

/** lk_constrained_fixed_step() - return the length of equal steps to @end. The length is at most
 * the problem's step, and is exactly that step if the remaining time is a multiple of it. */
double lk_constrained_fixed_step(const struct lk_constrained *state, double end);

/** lk_constrained_explain() - write the message for the error code @r of a step from state->t.
 * Return: @r. */
int lk_constrained_explain(const struct lk_constrained *state, int r, struct lk_error *ret_error);

#endif
