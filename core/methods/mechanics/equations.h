/* SPDX-License-Identifier: Apache-2.0 */
/* A formulation as an ordinary differential equation y' = f(t, y), the interface for integrators.
 *
 * A formulation is one file (or folder) with one table of these functions and a line in
 * core/model/formulations.h. y holds whatever the formulation integrates (joint coordinates and
 * rates, canonical momenta, absolute coordinates); quaternions in it are plain numbers whose
 * derivative is q (0, w) / 2, and settle() makes them unit again. */
#ifndef LK_METHODS_MECHANICS_EQUATIONS_H
#define LK_METHODS_MECHANICS_EQUATIONS_H

#include "methods/mechanics/mechanics.h"

/** enum lk_orientation - how absolute coordinates describe an orientation: as the rotation group
 * itself, as four Euler parameters, or as three angles, which have a singularity: yaw, pitch, roll
 * (R = Rz Ry Rx, none at pitch +-90 degrees) or Euler's (R = Rz Rx Rz, none at nutation 0). On the
 * command line lie, parameters, angles, euler. */
enum lk_orientation {
    LK_ORIENTATION_LIE,
    LK_ORIENTATION_PARAMETERS,
    LK_ORIENTATION_ANGLES,
    LK_ORIENTATION_EULER,
    LK_ORIENTATION_RESAL
};

/** enum lk_stabilisation - how constraint drift is limited: not at all; Baumgarte's terms in the
 * accelerations; projection of positions and velocities after each accepted step; projection of
 * positions alone. */
enum lk_stabilisation {
    LK_STABILISATION_NONE,
    LK_STABILISATION_BAUMGARTE,
    LK_STABILISATION_PROJECTION,
    LK_STABILISATION_POSITION
};

/** struct lk_equations_options - options of open(). @variant: the text after the colon of the name,
 * or "";  @baumgarte: alpha and beta [1/s] of Phi'' + 2 alpha Phi' + beta^2 Phi = 0
 * @model: the compiled model, valid until open() returns; NULL in the daemon */
struct lk_equations_options {
    const char *variant;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
    double baumgarte[2];
    const struct lk_model *model;
};

/** enum lk_settling - bits: changes that settle() makes to y after a step. The history of a
 * multistep method does not contain these changes.
 *
 * LK_SETTLES_ROWS: projects the motion onto the rows
 * LK_SETTLES_IDLE: sets rates whose derivatives have no effect; a history remains valid
 * LK_SETTLES_MOMENTA: chooses other momenta for the same motion; a history becomes invalid */
enum lk_settling { LK_SETTLES_ROWS = 1, LK_SETTLES_IDLE = 2, LK_SETTLES_MOMENTA = 4 };

/** struct lk_equations - table of functions of a formulation
 * @name:    name on the command line, without variant
 * @variants: names after the colon, NULL-terminated, the first is the default; NULL: none
 * @paper:   description and source, a line for `linkage methods`
 * @why_not_fixed: why a step has no fixed work, so that the daemon refuses it; NULL: fixed work
 * @takes_massless: the formulation accepts bodies without inertia
 * @shares_work: workers share its loops, see methods/share.h
 * @settles: return the changes that settle() makes besides unit quaternions, bits of enum
 *           lk_settling; call after open(). NULL: none
 * @open:    allocate the formulation in @ret, which close() frees; the state of @mechanics is
 *           consistent. Not for the cycle. Return: 0, -ENOMEM, LK_E_MODEL: @ret_error states what
 *           the formulation does not support, and which formulation does
 * @size:    return the size of y
 * @read:    compute y of the last accepted state of the system
 * @rate:    compute f. Return: 0, LK_E_SINGULAR
 * @write:   write the motion of y to lk_mechanics_motion(), with accelerations, and evaluate at @t.
 *           Return: as rate()
 * @settle:  called after each step of an integrator, in place on @y: unit quaternions, projection,
 *           reset of impulses; may be NULL
 * @lambda:  copy the multipliers of the rows at the last write(), or NULL: lk_mechanics_accept()
 *           finds them
 * @residual: compute F(t, y, y'), which is 0 for a solution, for implicit solvers, @ret: size()
 *           numbers, or NULL: y' - f; is_algebraic: 1 for each component of y without derivative
 *           in F, or NULL: none
 * rate, write, settle, lambda: RT: yes where why_not_fixed is NULL. */
struct lk_equations {
    const char *name;
    const char *const *variants;
    const char *paper;
    const char *why_not_fixed;
    int takes_massless;
    int shares_work;
    int (*open)(struct lk_mechanics *mechanics, const struct lk_equations_options *options,
                void **ret, struct lk_error *ret_error);
    void (*close)(void *self);
    int (*size)(const void *self);
    void (*read)(void *self, double *y);
    int (*rate)(void *self, double t, const double *y, double *ret);
    int (*write)(void *self, double t, const double *y);
    int (*settle)(void *self, double t, double *y);
    int (*settles)(const void *self);
    void (*lambda)(void *self, double *ret);
    int (*residual)(void *self, double t, const double *y, const double *rate, double *ret);
    void (*is_algebraic)(void *self, int *ret);
};

#endif
