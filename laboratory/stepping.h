/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by integrators of y' = f: the start, and steps that end at the requested time. */
#ifndef LK_METHODS_LABORATORY_STEPPING_H
#define LK_METHODS_LABORATORY_STEPPING_H

#include "laboratory/integrator.h"

/** lk_stepping_start() - read y of the last accepted state. @ret_y: the values; the caller frees
 * the array. Return: 0, -ENOMEM. */
int lk_stepping_start(struct lk_problem *problem, int *ret_n, double **ret_y);

/** lk_stepping_time() - return the time of the last accepted state [s]. */
double lk_stepping_time(const struct lk_problem *problem);

/** lk_stepping_rate() - evaluate f and count the evaluation. Return: 0, LK_E_SINGULAR. */
int lk_stepping_rate(struct lk_problem *problem, double t, const double *y, double *ret);

/** lk_stepping_is_there() - return whether @now is @t up to round-off, or later. */
int lk_stepping_is_there(double now, double t);

/** lk_stepping_cut() - choose a step of at most @h towards @t: the remaining time, half of it, or
 * @h, so that the last step before @t is never tiny. */
double lk_stepping_cut(double now, double t, double h);

/** lk_stepping_length() - return the length of a step with error control: @h where steps may pass
 * @t, else that of lk_stepping_cut().
 * lk_stepping_end() - return the end of this step, which is @t exactly where it ends there. */
double lk_stepping_length(const struct lk_problem *problem, double now, double t, double h);
double lk_stepping_end(const struct lk_problem *problem, double now, double t, double h);

/** lk_stepping_divide() - return the number of equal steps to @t, of @h or slightly less. */
int lk_stepping_divide(double now, double t, double h);

/** lk_stepping_singular() - write the message for an error of a formulation's rate(). Return:
 * @code. */
int lk_stepping_singular(const char *integrator, double now, int code, struct lk_error *ret_error);

/** lk_stepping_is_stalled() - return whether @h is too small to advance time, or NaN. */
int lk_stepping_is_stalled(double now, double h);

/** lk_stepping_stalled() - write the message for a stalled step. @what: the cause. Return:
 * LK_E_STALLED. */
int lk_stepping_stalled(const char *integrator, double now, double h, const char *what,
                        struct lk_error *ret_error);

#endif
