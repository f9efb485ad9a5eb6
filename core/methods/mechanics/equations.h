/* SPDX-License-Identifier: Apache-2.0 */
/* A formulation as an ordinary differential equation y' = f(t, y): the interface for integrators.
 *
 * A formulation is one file (or folder) with one table of these functions and a line in
 * core/model/formulations.h. y contains the variables that the formulation integrates (joint
 * coordinates and rates, canonical momenta, or absolute coordinates). Quaternions in y are plain
 * numbers with the derivative q (0, w) / 2. settle() scales them to unit length. */
#ifndef LK_METHODS_MECHANICS_EQUATIONS_H
#define LK_METHODS_MECHANICS_EQUATIONS_H

#include "methods/mechanics/mechanics.h"

/** enum lk_orientation - representation of an orientation in absolute coordinates, with its name on
 * the command line.
 *
 * - LIE: element of the rotation group (lie)
 * - PARAMETERS: four Euler parameters (parameters)
 * - ANGLES: yaw, pitch, roll, R = Rz Ry Rx, singular at pitch +-90 degrees (angles)
 * - EULER: precession, nutation, spin, R = Rz Rx Rz, singular at nutation 0 (euler)
 * - RESAL: yaw, pitch, roll, with angular velocities in axes that do not roll with the body; see
 *   laboratory/coordinates.h (resal) */
enum lk_orientation {
    LK_ORIENTATION_LIE,
    LK_ORIENTATION_PARAMETERS,
    LK_ORIENTATION_ANGLES,
    LK_ORIENTATION_EULER,
    LK_ORIENTATION_RESAL
};

/** enum lk_stabilisation - method that limits constraint drift: none; Baumgarte's terms in the
 * accelerations; projection of positions and velocities after each accepted step; projection of
 * positions only. */
enum lk_stabilisation {
    LK_STABILISATION_NONE,
    LK_STABILISATION_BAUMGARTE,
    LK_STABILISATION_PROJECTION,
    LK_STABILISATION_POSITION
};

/** struct lk_equations_options - options of open().
 * @variant:   the text after the colon of the name, or ""
 * @baumgarte: alpha and beta [1/s] of Phi'' + 2 alpha Phi' + beta^2 Phi = 0 */
struct lk_equations_options {
    const char *variant;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
    double baumgarte[2];
};

/** enum lk_settling - bits: kinds of changes that settle() makes to y after a step. A multistep
 * method needs this information, because its history does not contain these changes.
 *
 * - LK_SETTLES_ROWS: settle() projects the motion onto the rows
 * - LK_SETTLES_IDLE: settle() sets rates whose derivatives have no effect; a history remains valid
 * - LK_SETTLES_MOMENTA: settle() chooses other momenta for the same motion; a history becomes
 *   invalid */
enum lk_settling { LK_SETTLES_ROWS = 1, LK_SETTLES_IDLE = 2, LK_SETTLES_MOMENTA = 4 };

/** struct lk_equations - table of functions of a formulation.
 * RT: rate, write, settle and lambda are real-time safe if why_not_fixed is NULL.
 * @name:           name on the command line, without variant
 * @variants:       names after the colon, NULL-terminated; the first is the default; NULL: no
 *                  variants
 * @paper:          description and source, one line for `linkage methods`
 * @why_not_fixed:  reason why the work per step is not fixed, for which the daemon refuses the
 *                  formulation; NULL: fixed work
 * @takes_massless: the formulation accepts bodies without inertia
 * @takes_rolling:  the formulation accepts creep that follows the normal force of its contact, and
 *                  nonholonomic rows, of skates and rolling wheels
 * @shares_work:    workers share its loops, see methods/share.h
 * @open:           allocate the formulation in @ret; close() frees it. The state of @mechanics must
 *                  be consistent. Not for the cycle. Returns 0, -ENOMEM, or LK_E_MODEL; @ret_error
 *                  then states what the formulation does not support, and which formulation does
 * @size:           return the size of y
 * @read:           compute y of the last accepted state of the system
 * @rate:           compute f. Returns 0, LK_E_SINGULAR
 * @write:          write the motion of y, with accelerations, to lk_mechanics_motion(), and
 *                  evaluate at @t. Returns 0, LK_E_SINGULAR
 * @settle:         correct @y in place after each step of an integrator: unit quaternions,
 *                  projection, reset of impulses; may be NULL
 * @settles:        return the changes that settle() makes besides unit quaternions, bits of enum
 *                  lk_settling; call after open(). NULL: no changes
 * @lambda:         copy the multipliers of the rows at the last write(). NULL:
 *                  lk_mechanics_accept() computes them
 * @residual:       for implicit solvers: compute F(t, y, y'), which is 0 for a solution; @ret has
 *                  size() numbers. NULL: F = y' - f
 * @is_algebraic:   set 1 for each component of y whose derivative does not occur in F. NULL: no
 *                  such components */
struct lk_equations {
    const char *name;
    const char *const *variants;
    const char *paper;
    const char *why_not_fixed;
    int takes_massless;
    int takes_rolling;
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
