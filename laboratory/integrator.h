/* SPDX-License-Identifier: Apache-2.0 */
/* Integrators of the laboratory. Each integrator is one file with one table. integrators.c lists
 * all of them.
 *
 * Some integrate y' = f(t, y) of any formulation. Others integrate the constrained equations of
 * motion
 *
 *     q' = K(q) v,  M v' = Q(t, q, v) - w x J w - Phi_q^T lambda,  Phi(t, q) = 0
 *
 * in absolute coordinates directly. Their variant selects the index (generalized-alpha:index-2).
 * Such integrators can be combined with the formulation `absolute` only. */
#ifndef LK_METHODS_LABORATORY_INTEGRATOR_H
#define LK_METHODS_LABORATORY_INTEGRATOR_H

#include "methods/mechanics/equations.h"

/** struct lk_lab_counts - counts of the work done.
 * @steps:    accepted steps
 * @rejected: steps that were repeated because of their error or because an iteration did not
 *            converge
 * @rates:    evaluations of the right-hand side or the residual
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
 * @equations, @self:   an open formulation; its rate() is f
 * @mechanics:          the constrained equations, for the integrators that use them; NULL: only f
 *                      is available
 * @variant:            text after the colon of the integrator's name, or ""
 * @step:               step of fixed-step methods, first step of methods with error control [s]
 * @tolerance:          relative tolerance of methods with error control; 0: fixed steps
 * @absolute_tolerance: absolute tolerance; 0: equal to @tolerance; see lk_problem_floor()
 * @spectral_radius:    spectral radius of the alpha methods at infinite frequency, 0 to 1; 0: the
 *                      default of the method
 * @kappa:              error at which the Newton iteration of implicit methods ends, relative to
 *                      the tolerance; 0: the default of the method (M. Arnold, DAE aspects of
 *                      multibody system dynamics, 2016, Examples 10 and 11)
 * @has_coarse_interpolant: set by open() of an integrator whose show() is much less accurate than
 *                      its steps; steps then end at the times passed to advance()
 * @may_pass:           the last step may end after the time passed to advance()
 * @is_showing:         the state being accepted is an output of show(), not the end of a step
 * @accepted:           callback after each accepted step, with @context; the mechanics then has the
 *                      new state (after lk_mechanics_accept()) */
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

/** lk_problem_floor() - return the ratio of absolute to relative tolerance. An error is compared
 * with tolerance (floor + |y|). */
static inline double lk_problem_floor(const struct lk_problem *p)
{
    return p->absolute_tolerance > 0 && p->tolerance > 0 ? p->absolute_tolerance / p->tolerance : 1;
}

/** struct lk_integrator - table of functions of an integrator.
 * @name:              name on the command line
 * @variants:          see struct lk_equations
 * @constrained:       the integrator integrates the constrained equations in absolute coordinates,
 *                     not y' = f
 * @has_error_control: the integrator supports a tolerance; without a tolerance it makes fixed
 *                     steps, or refuses the method
 * @takes_radius, @takes_kappa: the integrator uses spectral_radius or kappa of struct lk_problem;
 *                     unused settings are refused
 * @takes_resal:       the integrator supports LK_ORIENTATION_RESAL
 * @changes_steps:     problem->step may change between two calls of advance()
 * @open:              allocate the integrator in @ret. Returns 0, -ENOMEM, LK_E_MODEL: it does not
 *                     fit the problem; @ret_error gives the reason
 * @advance:           integrate to time @t [s] exactly, or to the end of the first step after @t if
 *                     problem->may_pass. Calls problem->accepted() after every accepted step.
 *                     Returns 0, LK_E_SINGULAR, LK_E_NOT_FINITE, LK_E_STALLED with a message in
 *                     @ret_error
 * @show:              dense output: accept the state at time @t within the last step, from the
 *                     interpolant of the method, while problem->is_showing is set. Before the call
 *                     the caller restores the mechanics to the start of the step, and afterwards to
 *                     its end. NULL: the method has no interpolant. Returns as advance() */
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

/** lk_integrators - all integrators, NULL-terminated; in integrators.c. */
extern const struct lk_integrator *const lk_integrators[];

/** lk_problem_begin() - compute the first sample with the formulation, if the formulation computes
 * multipliers itself. If the initial state has no solution, the first step returns the error.
 * Return: 0, -ENOMEM. */
int lk_problem_begin(struct lk_problem *problem);

/** lk_problem_accept() - accept y at time @t as the new state: call settle(), write(), lambda(),
 * lk_mechanics_accept(), then accepted(). For integrators of y' = f. settle() changes @y in
 * place. */
int lk_problem_accept(struct lk_problem *problem, double t, double *y, struct lk_error *ret_error);

#endif
