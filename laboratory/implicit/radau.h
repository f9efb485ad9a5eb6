/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of Radau IIA with three stages, see radau.c: prediction, solution, error. */
#ifndef LK_METHODS_LABORATORY_IMPLICIT_RADAU_H
#define LK_METHODS_LABORATORY_IMPLICIT_RADAU_H

#include "laboratory/implicit/newton.h"

#define LK_RADAU_MOST 7 /* most Newton iterations of a step with error control */

/** struct lk_radau - a run. @h: the next step;  @h_old, @error_old: step and error of the previous
 * accepted step, used by the predictive rule;  @theta: contraction of the last iteration
 * @has_jacobian: the Jacobian is that of the current state;  @has_factors: the factors are valid
 *          for steps of @h_factors
 * @has_past: @past is the collocation polynomial of the last step: values minus y at its nodes
 * @tolerance, @kappa: values in use, after defaults
 * @begin, @t_begin: state and time at the start of the last accepted step
 * @y, @g: state, and g at that state;  @weight: see lk_dae_weights()
 * @z, @w: stages minus y, and these differences in the basis of the Newton iteration;  @dw: an
 *         increment;  @Bw: B w; 3 n
 * @slope: y' at the end of the step */
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

/** lk_radau_get_ready() - prepare Jacobian and factors for a step @h, and weights. Return: 0,
 * LK_E_SINGULAR. */
int lk_radau_get_ready(struct lk_radau *s, double h);

/** lk_radau_solve() - compute z and w of a step @h. Return: 0; LK_E_STALLED: no convergence, or
 * LK_E_SINGULAR; then @ret_ratio times @h is a step that may converge. */
int lk_radau_solve(struct lk_radau *s, double h, int *ret_iterations, double *ret_ratio);

/** lk_radau_error() - estimate the error of the solved step @h, relative to the tolerance.
 * @again: if the error is too large, filter its stiff components once more. */
double lk_radau_error(struct lk_radau *s, double h, int again);

/** lk_radau_interpolate() - compute y in @ret and its derivative in @ret_slope at time @t within
 * the last accepted step, by its collocation polynomial. */
void lk_radau_interpolate(const struct lk_radau *s, double t, double *ret, double *ret_slope);

/** lk_radau_move() - move y to the end of the step, compute slope there, and store the stages for
 * the next prediction. */
void lk_radau_move(struct lk_radau *s, double h);

#endif
