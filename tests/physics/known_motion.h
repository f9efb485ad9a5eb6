/* SPDX-License-Identifier: Apache-2.0 */
/* Each type of joint, force, compliance and drive in a small mechanism whose motion is known: from
 * a closed form, or from the equation of motion in minimal coordinates, which is integrated here.
 *
 * A mechanism is stepped with h and h/2. The step is of second order, so each error (positions,
 * velocities, accelerations, forces) must decrease by a factor of about 4, and stay below a bound
 * derived from h. The error of the trapezoidal rule is h^2/12 of the third derivative per unit of
 * time. For a motion of amplitude A with rates up to w, that is A (w h)^2 w T / 12 after the time
 * T. The projections of one step add an error of order A (w h)^2. */
#ifndef TESTS_PHYSICS_KNOWN_MOTION_H
#define TESTS_PHYSICS_KNOWN_MOTION_H

#include "linkage/linkage.h"

#define QUANTITIES_MAX 24
#define OUTPUTS_MAX    64
#define G              9.81
#define SUBSTEP        1e-4 /* step of the integration in the test, of order 4 [s] */
#define LEAST_RATIO    3.3  /* of the errors with h and h/2; 4 for small h */
#define ROUNDOFF       1e-9 /* relative errors below this need not decrease */
#ifndef SHOW_ALL
#define SHOW_ALL 0 /* 1: print all errors, not only failures */
#endif

/** struct quantity - one scalar of an output
 * @size: magnitude of its values */
struct quantity {
    const char *output;
    int component;
    double size;
};

/** struct mechanism - a model and its motion
 * @rate:    fastest rate of the motion [1/s], for the bound
 * @rhs:     y' = rhs(t, y), starting from @start with @n values; NULL for a closed form
 * @observe: computes the quantities at time t */
struct mechanism {
    const char *text;
    double h;
    double end;
    double rate;
    int n;
    double start[8];
    void (*rhs)(double t, const double *y, double *dy);
    void (*observe)(double t, const double *y, double *ret);
    struct quantity quantity[QUANTITIES_MAX];
};

#define HEAD(gravity) "linkage: 1\nname: mechanism\ngravity: " gravity "\n"

/* a block of 2 kg on a guide along x */
#define SLIDER(gravity, joint_more, forces)                                                        \
    HEAD(gravity)                                                                                  \
    "bodies:\n"                                                                                    \
    "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0], velocity: [1, 0, 0]}\n"   \
    "joints:\n"                                                                                    \
    "  guide: {type: prismatic, bodies: [ground, block], point: [0.2, 0, 0], axis: [1, 0, "        \
    "0]" joint_more "}\n"                                                                          \
    "forces:\n" forces "outputs:\n"                                                                \
    "  x: {type: joint-position, joint: guide}\n"                                                  \
    "  v: {type: joint-velocity, joint: guide}\n"                                                  \
    "  a: {type: joint-acceleration, joint: guide}\n"                                              \
    "  work: {type: work}\n"

/** step_with() - Set the formulation of all systems that are compiled from now on; the default is
 * "auto". */
void step_with(const char *formulation);

/** compile_text() - Compile a model text with step @h, 0: the model's own. Fail the test if the
 * text is refused. */
struct lk_system *compile_text(const char *text, double h);

/** compile() - Compile a model text that has no solver section, with step @h. Fail the test if the
 * text is refused. */
struct lk_system *compile(const char *text, double h);

/** offset_of() - Return the position of an output among all outputs. */
int offset_of(const struct lk_system *sys, const char *name);

/** read_output() - Return the present value of one scalar of an output. */
double read_output(const struct lk_system *sys, const char *name, int component);

/** integrate() - Integrate from @t to @t + @span with the classical Runge-Kutta method. */
void integrate(const struct mechanism *m, double t, double span, double *y);

/** measure() - Compute the largest error of each quantity over a run, including the start. */
void measure(const struct mechanism *m, double h, double *worst);

/** bound_of() - Return the bound of errors of a quantity with magnitude @size. */
double bound_of(const struct mechanism *m, double size);

/** check_order_two() - Check that errors are of order 2 and below their bound. */
void check_order_two(const struct mechanism *m);

/** check_exact() - Check that errors are round-off for any step size. */
void check_exact(const struct mechanism *m);

#endif
