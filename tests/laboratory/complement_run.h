/* SPDX-License-Identifier: Apache-2.0 */
/* A model stepped by the classical Runge-Kutta method in any variant of formulation complement. */
#ifndef TESTS_LABORATORY_COMPLEMENT_RUN_H
#define TESTS_LABORATORY_COMPLEMENT_RUN_H

#include "laboratory/complement/complement.h"
#include "laboratory/methods.h"

/** struct run - an open formulation and its state. @c: what is behind it;  @n: of y;  @t: [s]
 * @position, @velocity: largest violations after any step [m, rad; 1/s] */
struct run {
    struct lk_mechanics *mechanics;
    struct lk_complement *c;
    double *y;
    double *work;
    int n;
    double t;
    double position;
    double velocity;
};

/** run_open() - config/models/@model.yaml; options except the variant may be zero.
 * @from, @to: a text of the model to be replaced wherever it occurs, or NULL
 * Return: of open(); its message in @ret_error. Fails the test if the model itself is refused. */
int run_open(const char *model, const char *from, const char *to, const char *variant,
             enum lk_orientation orientation, enum lk_stabilisation stabilisation, struct run *ret,
             struct lk_error *ret_error);

/** run_start() - the same, and fails the test on an error. Baumgarte's parameters are those of the
 * paper, 10. */
void run_start(const char *model, const char *variant, enum lk_orientation orientation,
               enum lk_stabilisation stabilisation, struct run *ret);

/** run_turned() - the same with the body frames of a strut rotated by 1.2 rad about (1, 2, 0.5), so
 * that Euler's angles z-x-z are regular. All inertias are spherical, so nothing else changes. */
void run_turned(const char *model, const char *variant, enum lk_orientation orientation,
                enum lk_stabilisation stabilisation, struct run *ret);
void run_close(struct run *run);

/** run_rate() - f at the state. */
int run_rate(struct run *run, double *ret);

/** run_step() - one step with projection and measurement. Return: 0, or the error of rate() or
 * settle(). */
int run_step(struct run *run, double h);

/** run_to() - steps of @h to @t; fails the test if a step fails. */
void run_to(struct run *run, double h, double t);

/** run_adaptive() - to @t with error control, Dormand-Prince 5(4), as in the paper's ode45:
 * relative and absolute @tolerance. Return: 0, or as run_step(); stops after @rates_max
 * evaluations.
 * @ret_rates: evaluations of f */
int run_adaptive(struct run *run, double tolerance, double t, unsigned long rates_max,
                 unsigned long *ret_rates);

/** run_positions() - x of all bodies, for any kind of orientation. @ret: 3 per body. */
void run_positions(const struct run *run, double *ret);

/** run_scatter() - moves to another consistent state: positions rotated and shifted by up to @size
 * at random, velocities of up to 1. */
void run_scatter(struct run *run, unsigned seed, double size);

#endif
