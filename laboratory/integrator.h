/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators of the laboratory. Each is one file with one table; integrators.c lists them.
 *
 * Some integrate y' = f(t, y) of any formulation. Others integrate the constrained equations
 * of motion
 *     q' = K(q) v,  M v' = Q(t, q, v) - w x J w - Phi_q^T lambda,  Phi(t, q) = 0
 * in absolute coordinates directly, in the index given after the colon of their name
 * (generalized-alpha:index-2). They fit the formulation `absolute` only. */
#ifndef LK_METHODS_LABORATORY_INTEGRATOR_H
#define LK_METHODS_LABORATORY_INTEGRATOR_H

#include "methods/mechanics/equations.h"

/** struct lk_lab_counts - counts of the work done.
 * @steps: accepted steps;  @rejected: steps with too large an error or without convergence
 * @rates: evaluations of the right-hand side or the residual
 * @jacobians, @factorisations, @iterations: work of implicit methods */
struct lk_lab_counts {
    unsigned long long steps;
    unsigned long long rejected;
    unsigned long long rates;
    unsigned long long jacobians;
    unsigned long long factorisations;
    unsigned long long iterations;
};

/** struct lk_problem - the problem to integrate.
 * @equations, @self: an open formulation; its rate() is f
 * @mechanics: the constrained equations, for the integrators that use them; NULL: only f
 * @variant: text after the colon of the integrator's name, or ""
 * @step:    step of fixed-step methods, first step of methods with error control [s]
 * @tolerance: relative tolerance of methods with error control; 0: fixed steps
 * @floor:   absolute tolerance as a multiple of it: an error is compared with tolerance (floor +
 * |y|)
 * @spectral_radius: spectral radius of the alpha methods at infinite frequency, 0 to 1; 0: their
 *          default
 * @kappa:   error at which the Newton iteration of implicit methods ends, relative to the
 *           tolerance; 0: the method's own (M. Arnold, DAE aspects of multibody system dynamics,
 *           2016, Examples 10 and 11)
 * @has_coarse_interpolant: set by open() of an integrator whose show() is much less accurate than
 * its steps: its steps end at the times of advance()
 * @may_pass: steps need not end at the time of advance(): the step that contains it is completed
 * @is_showing: the state being accepted is one of show(): it is not the end of a step
 * @accepted: callback after each accepted step, with @context; at the call the mechanics has the
 *            new state (after lk_mechanics_accept()) */
struct lk_problem {
    const struct lk_equations *equations;
    void *self;
    struct lk_mechanics *mechanics;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
    const char *variant;
    double step;
    double tolerance;
    double absolute_tolerance;
    double spectral_radius;
    double kappa;
    int has_coarse_interpolant;
    int may_pass;
    int is_showing;
    void (*accepted)(void *context);
    void *context;
    struct lk_lab_counts counts;
};

/** lk_problem_floor() - return the absolute tolerance as a multiple of the relative one. */
static inline double lk_problem_floor(const struct lk_problem *p)
{
    return p->absolute_tolerance > 0 && p->tolerance > 0 ? p->absolute_tolerance / p->tolerance : 1;
}

/** struct lk_integrator - @name: as on the command line;  @variants: see struct lk_equations
 * @constrained: the integrator integrates the constrained equations in absolute coordinates, not
 *               y' = f
 * @has_error_control: it supports a tolerance; without a tolerance it makes fixed steps, or refuses
 * @takes_radius, @takes_kappa: it uses spectral_radius, kappa of struct lk_problem; unused settings
 *          are refused
 * @takes_resal: it supports LK_ORIENTATION_RESAL
 * @changes_steps: problem->step may change between two calls of advance()
 * @open:    Return: 0, -ENOMEM, LK_E_MODEL (misfit, in @ret_error)
 * @advance: to time @t [s], exactly, or to the end of the first step that passes @t if
 *           problem->may_pass; every accepted step is reported through accepted() of
 *           struct lk_problem. Return: 0, LK_E_SINGULAR, LK_E_NOT_FINITE, LK_E_STALLED with a
 *           message in @ret_error
 * @show:    dense output: accept the state at time @t within the last step, by the interpolant of
 *           the method, while problem->is_showing. The caller restores the mechanics to the start
 *           of the step before, and to its end afterwards. NULL: none. Return: as advance */
struct lk_integrator {
    const char *name;
    const char *const *variants;
    const char *paper;
    int constrained;
    int has_error_control;
    int takes_radius;
    int takes_kappa;
    int takes_resal;
    int changes_steps;
    int (*open)(struct lk_problem *problem, void **ret, struct lk_error *ret_error);
    void (*close)(void *self);
    int (*advance)(void *self, double t, struct lk_error *ret_error);
    int (*show)(void *self, double t, struct lk_error *ret_error);
};

/** lk_integrators - NULL-terminated; in integrators.c. */
extern const struct lk_integrator *const lk_integrators[];

/** lk_problem_begin() - compute the first sample with the formulation, if it computes multipliers
 * itself. If the start has no solution, the first step returns the error. Return: 0, -ENOMEM. */
int lk_problem_begin(struct lk_problem *problem);

/** lk_problem_accept() - accept y at time @t as the new state: call settle(), write(), lambda(),
 * lk_mechanics_accept(), then accepted(). For integrators of y' = f; @y is settled in place. */
int lk_problem_accept(struct lk_problem *problem, double t, double *y, struct lk_error *ret_error);

#endif
