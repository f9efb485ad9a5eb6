/* SPDX-License-Identifier: Apache-2.0 */
/* What integrators of y' = f share: the start, how a step meets the time asked for. */
#ifndef LK_METHODS_LABORATORY_STEPPING_H
#define LK_METHODS_LABORATORY_STEPPING_H

#include "methods/laboratory/integrator.h"

/** lk_stepping_start() - y of the last accepted state. @ret_y: the caller frees it. Return: 0,
 * -ENOMEM. */
int lk_stepping_start(struct lk_problem *problem, int *ret_n, double **ret_y);

/** lk_stepping_time() - of the last accepted state [s]. */
double lk_stepping_time(const struct lk_problem *problem);

/** lk_stepping_rate() - f, counted. Return: 0, LK_E_SINGULAR. */
int lk_stepping_rate(struct lk_problem *problem, double t, const double *y, double *ret);

/** lk_stepping_is_there() - whether @now is @t but for round-off, or later. */
int lk_stepping_is_there(double now, double t);

/** lk_stepping_cut() - a step not longer than @h that meets @t: what is left, half of it, or @h.
 * So the last step before @t is never a tiny one. */
double lk_stepping_cut(double now, double t, double h);

/** lk_stepping_divide() - into how many equal steps, @h or a little shorter, the way to @t goes. */
int lk_stepping_divide(double now, double t, double h);

/** lk_stepping_singular() - the line of what rate() of a formulation returned, and that code. */
int lk_stepping_singular(const char *integrator, double now, int code, struct lk_error *ret_error);

/** lk_stepping_is_stalled() - @h is so small that it moves time no more, or not a number. */
int lk_stepping_is_stalled(double now, double h);

/** lk_stepping_stalled() - the line of it, and LK_E_STALLED. @what: what the integrator met. */
int lk_stepping_stalled(const char *integrator, double now, double h, const char *what,
                        struct lk_error *ret_error);

#endif
