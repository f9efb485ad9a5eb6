/* SPDX-License-Identifier: Apache-2.0 */
/* A model run and compared with a reference trajectory, column by column. */
#ifndef TESTS_PHYSICS_TRAJECTORY_H
#define TESTS_PHYSICS_TRAJECTORY_H

#include "linkage/linkage.h"

/** enum quantity - kind of a column; each has its own error. */
enum quantity { POSITION, VELOCITY, REACTION, QUANTITIES };

/** struct force_column - columns "<prefix>x" .. "<prefix>z" are the force of @joint on its second
 * body, world axes; the model must have this order of bodies. */
struct force_column {
    const char *prefix;
    const char *joint;
};

#define FORCES_MAX  6
#define REPLACE_MAX 16 /* texts replaced in a model, counting both of a pair */

/** struct reference_case - a model and what it must do.
 * @model, @csv: files, relative to the source folder
 * @replace:     pairs of texts replaced in the model one after the other, NULL-terminated, or NULL
 * @rename:      pairs of a column's name and how the model calls it, NULL-terminated, or NULL:
 *               "body.x", "output.x", "body.phi" (angle about z), "joint.lambda" (tension a metre
 * of a rod from the origin to the centre of its second body)
 * @body:        the body of columns without a prefix
 * @forces:      reactions
 * @skip_column, @skip_at, @skip_below: rows where |sin(column - skip_at)| is smaller carry no
 * usable reaction
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

/** struct trajectory - what a run did.
 * @error:        largest error of every quantity (NAN when the reference does not have it);
 * positions count metres and half radians
 * @violation:    largest violation of a row's position [m or rad], velocity [m/s or rad/s] and,
 * where the model has a `condition` output, acceleration after any step
 * @energy_drift: largest change of energy, less work done and plus energy dissipated [J] */
struct trajectory {
    double error[QUANTITIES];
    double violation[3];
    double energy_drift;
};

/** trajectory_model() - reads a model with texts replaced; fails the test if it is refused. */
struct lk_model *trajectory_model(const char *path, const char *const *replace);

/** trajectory_run() - runs a case with step @h [s]; @iterations: 0 takes the model's. */
void trajectory_run(const struct reference_case *c, double h, int iterations,
                    struct trajectory *ret);

/** trajectory_errors() - the same, only the errors. */
void trajectory_errors(const struct reference_case *c, double h, int iterations,
                       double ret[QUANTITIES]);

/** trajectory_follow() - the errors of @system, which @advance moves.
 * @end: last time compared [s], at most the case's
 * @advance: to time @t [s], exactly. Return: 0, or the comparison ends
 * Return: 0, or that of @advance. */
int trajectory_follow(const struct reference_case *c, const struct lk_system *system, double end,
                      int (*advance)(void *context, double t), void *context,
                      double ret[QUANTITIES]);

#endif
