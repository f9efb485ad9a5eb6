/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model and compares it with a reference trajectory, column by column. */
#ifndef TESTS_PHYSICS_TRAJECTORY_H
#define TESTS_PHYSICS_TRAJECTORY_H

#include "linkage/linkage.h"

/** enum quantity - kinds of columns, each with its own error */
enum quantity { POSITION, VELOCITY, REACTION, QUANTITIES };

/** struct force_column - columns "<prefix>x" .. "<prefix>z" are the force of @joint on its second
 * body, in world axes. The model must have this order of bodies. */
struct force_column {
    const char *prefix;
    const char *joint;
};

#define FORCES_MAX  6
#define REPLACE_MAX 16 /* largest number of texts, two for each replacement */

/** struct reference_case - a model and the reference for its motion
 * @model, @csv: files, relative to the source folder
 * @replace:     pairs of texts replaced in the model one after the other, NULL-terminated, or NULL
 * @rename:      pairs of a column's name and its name in the model, NULL-terminated, or NULL:
 *               "body.x", "output.x", "body.phi" (angle about z), "joint.lambda" (tension per metre
 *               of a rod from the origin to the centre of its second body)
 * @body:        the body of columns without a prefix
 * @forces:      reactions
 * @skip_column, @skip_at, @skip_below: reactions are not compared in rows with |sin(column -
 *               skip_at)| below @skip_below
 * @begin, @end: first and last time compared [s] */
struct reference_case {
    const char *name;
    const char *model;
    const char *csv;
    const char *const *replace;
    const char *const *rename;
    const char *body;
    struct force_column forces[FORCES_MAX];
    const char *skip_column;
    double skip_at;
    double skip_below;
    double begin;
    double end;
};

/** struct trajectory - the result of a run
 * @error:        largest error of each quantity, NAN if the reference does not contain it;
 *                positions in metres and half radians
 * @violation:    largest violation of a row's position [m or rad], velocity [m/s or rad/s] and, if
 *                the model has a `condition` output, acceleration after any step
 * @energy_drift: largest change of energy, less the work done, plus the energy dissipated [J] */
struct trajectory {
    double error[QUANTITIES];
    double violation[3];
    double energy_drift;
};

/** trajectory_model() - Read a model with texts replaced. Fail the test if it is refused. */
struct lk_model *trajectory_model(const char *path, const char *const *replace);

/** trajectory_run() - Run a case with step @h [s].
 * @iterations: 0: those of the model */
void trajectory_run(const struct reference_case *c, double h, int iterations,
                    struct trajectory *ret);

/** trajectory_errors() - Run a case and return only the errors. */
void trajectory_errors(const struct reference_case *c, double h, int iterations,
                       double ret[QUANTITIES]);

/** trajectory_follow() - Compute the errors of @system, which @advance moves.
 * @end:     last time compared [s], at most that of the case
 * @advance: moves the system to time @t [s] exactly, and returns 0 or ends the comparison
 * Return: 0, or the value of @advance */
int trajectory_follow(const struct reference_case *c, const struct lk_system *system, double end,
                      int (*advance)(void *context, double t), void *context,
                      double ret[QUANTITIES]);

#endif
