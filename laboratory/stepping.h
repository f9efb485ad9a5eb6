/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that integrators of y' = f share: the start, and steps that end at the requested
 * time. */
#ifndef LK_METHODS_LABORATORY_STEPPING_H
#define LK_METHODS_LABORATORY_STEPPING_H

#include "laboratory/integrator.h"

/** lk_stepping_start() - read y of the last accepted state.
 * @ret_n: size of y
 * @ret_y: the values; the caller frees the array
 * Return: 0, -ENOMEM. */
int lk_stepping_start(struct lk_problem *problem, int *ret_n, double **ret_y);

/** lk_stepping_time() - return the time of the last accepted state [s]. */
double lk_stepping_time(const struct lk_problem *problem);

/** lk_stepping_rate() - evaluate f and count the evaluation. Return: 0, LK_E_SINGULAR. */
int lk_stepping_rate(struct lk_problem *problem, double t, const double *y, double *ret);

/** lk_stepping_is_there() - return whether time @now equals @t up to round-off, or is later. */
int lk_stepping_is_there(double now, double t);

/** lk_stepping_cut() - choose a step of at most @h from @now towards
 * @t: the remaining time, half of the remaining time, or @h. This choice avoids a tiny last step
 *     before @t. */
double lk_stepping_cut(double now, double t, double h);

/** lk_stepping_length() - return the length of a step with error control: @h if steps may pass @t,
 * else the length from lk_stepping_cut().
 * lk_stepping_end() - return the end of this step. The end is @t without round-off if the step was
 * cut to end there. */
double lk_stepping_length(const struct lk_problem *problem, double now, double t, double h);
double lk_stepping_end(const struct lk_problem *problem, double now, double t, double h);

/** lk_stepping_divide() - return the number of equal steps from @now to @t with a length of at most
 * @h. */
int lk_stepping_divide(double now, double t, double h);

/** lk_stepping_singular() - write the message for an error of a formulation's rate(). Return:
 * @code. */
int lk_stepping_singular(const char *integrator, double now, int code, struct lk_error *ret_error);

/** lk_stepping_is_stalled() - return whether a step @h from @now is too small to advance time, or
 * is NaN. */
int lk_stepping_is_stalled(double now, double h);

/** lk_stepping_stalled() - write the message for a stalled step.
 * @what: the cause
 * Return: LK_E_STALLED. */
int lk_stepping_stalled(const char *integrator, double now, double h, const char *what,
                        struct lk_error *ret_error);

/** lk_stepping_needs_tolerance() - check that the problem has a tolerance.
 * Return: 0, LK_E_MODEL with a message in @ret_error. */
int lk_stepping_needs_tolerance(const struct lk_problem *problem, const char *name,
                                struct lk_error *ret_error);

/** lk_stepping_settles() - return the bits of enum lk_settling of the problem's formulation. */
int lk_stepping_settles(const struct lk_problem *problem);

/** lk_stepping_refuse_settled() - refuse a formulation that changes the state after a step in a way
 * that a multistep method cannot include in its history.
 * @projects: the method includes projections in its history
 * Return: LK_E_MODEL with a message, else 0. */
int lk_stepping_refuse_settled(const struct lk_problem *problem, const char *name, int projects,
                               struct lk_error *ret_error);

#endif
