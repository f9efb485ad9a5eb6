/* SPDX-License-Identifier: Apache-2.0 */
/* Ordinary differential equations whose solution is known, in the form of a formulation without a
 * mechanism, for tests of integrators alone. */
#ifndef TESTS_LABORATORY_KNOWN_EQUATIONS_H
#define TESTS_LABORATORY_KNOWN_EQUATIONS_H

#include "laboratory/integrator.h"
#include "linkage/laboratory.h"

#define KNOWN_MAX 3

/** struct known - state of a run.
 * @rate_fails_after: rate() is singular from this time on [s]
 * @t, @y: of the last state accepted, @n_accepted: how many there were */
struct known {
    double rate_fails_after;
    double t;
    double y[KNOWN_MAX];
    unsigned long long n_accepted;
};

/** known_smooth - y1' = -2 t y1^2, (y2, y3)' = 2 t (-y3, y2): 1 / (1 + t^2), cos t^2, sin t^2.
 * known_circle - the last two, which settle() puts back on the circle.
 * known_stiff - y' = -1e6 (y - cos t) - sin t: cos t (A. Prothero, A. Robinson, On the stability
 *               and accuracy of one-step methods for solving stiff systems, 1974).
 * known_blow_up - y' = y^2: 1 / (1 - t), which has no value at 1 s. */
extern const struct lk_equations known_smooth;
extern const struct lk_equations known_circle;
extern const struct lk_equations known_stiff;
extern const struct lk_equations known_blow_up;

/** struct known_run - @integrator: "radau", "arkode-erk:order-8" .. */
struct known_run {
    struct lk_problem problem;
    const struct lk_integrator *integrator;
    void *self;
    struct known known;
};

/** known_open() - fails the test if it cannot be. The run must not move. */
void known_open(struct known_run *run, const struct lk_equations *equations, const char *integrator,
                double step, double tolerance);
void known_close(struct known_run *run);

/** known_error() - largest error of the state accepted last. */
double known_error(const struct known_run *run);

/** known_find() - an integrator of y' = f by its name, and its variant, "" where it has none. */
const struct lk_integrator *known_find(const char *name, const char **ret_variant);

#endif
