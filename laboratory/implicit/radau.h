/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of Radau IIA with three stages, see radau.c: prediction, solution and error
 * estimate. */
#ifndef LK_METHODS_LABORATORY_IMPLICIT_RADAU_H
#define LK_METHODS_LABORATORY_IMPLICIT_RADAU_H

#include "laboratory/implicit/newton.h"

#define LK_RADAU_MOST 7 /* largest number of Newton iterations of a step with error control */

/** struct lk_radau - a run.
 * @has_jacobian:      the Jacobian may be used for the next step
 * @is_fresh:          the Jacobian was evaluated at the current state
 * @has_factors:       the factors are valid for steps of length @h_factors
 * @has_past:          @past contains the collocation polynomial of the last step: its values at the
 *                     nodes, minus y
 * @t_begin, @begin:   time and state at the start of the last accepted step
 * @h:                 the next step [s]
 * @h_old, @error_old: length and error of the previous accepted step, for the predictive rule of
 *                     the step control
 * @theta:             contraction of the last Newton iteration
 * @tolerance, @kappa: values in use, after defaults
 * @y, @g:             state, and g at this state
 * @weight:            see lk_dae_weights()
 * @slope:             y' at the end of the step
 * @z:                 stages minus y, 3 n numbers
 * @w:                 @z in the basis of the Newton iteration
 * @dw:                increment of @w
 * @Bw:                B @w */
struct lk_radau {
    struct lk_dae *dae;
    struct lk_newton newton;
    int n;
    int n_steps;
    int has_jacobian;
    int is_fresh;
    int has_factors;
    int has_past;
    double t;
    double t_begin;
    double h;
    double h_factors;
    double h_old;
    double error_old;
    double theta;
    double tolerance;
    double kappa;
    double *y;
    double *g;
    double *weight;
    double *stage;
    double *slope;
    double *z;
    double *w;
    double *dw;
    double *Bw;
    double *past;
    double *begin;
    double *memory;
};

/** lk_radau_get_ready() - prepare the Jacobian, the factors and the weights for a step of length
 * @h.
 * Return: 0, LK_E_SINGULAR. */
int lk_radau_get_ready(struct lk_radau *s, double h);

/** lk_radau_solve() - compute z and w of a step of length @h.
 * @ret_ratio: after a failure, ratio of a step that may converge to @h
 * Return: 0; LK_E_STALLED: no convergence; LK_E_SINGULAR. */
int lk_radau_solve(struct lk_radau *s, double h, int *ret_iterations, double *ret_ratio);

/** lk_radau_error() - estimate the error of the solved step of length @h, relative to the
 * tolerance.
 * @again: if the error is too large, filter its stiff components a second time */
double lk_radau_error(struct lk_radau *s, double h, int again);

/** lk_radau_interpolate() - compute y and y' at time @t within the last accepted step from its
 * collocation polynomial.
 * @ret, @ret_slope: y, y' */
void lk_radau_interpolate(const struct lk_radau *s, double t, double *ret, double *ret_slope);

/** lk_radau_move() - move y to the end of the step of length @h, compute the slope at the end, and
 * store the stages for the next prediction. */
void lk_radau_move(struct lk_radau *s, double h);

#endif
