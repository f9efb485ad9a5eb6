/* SPDX-License-Identifier: Apache-2.0 */
/* A model run against a reference trajectory, column by column. */
#ifndef TESTS_PHYSICS_TRAJECTORY_H
#define TESTS_PHYSICS_TRAJECTORY_H

#include "linkage/linkage.h"

/** enum quantity - what a column is about; errors are kept apart for each. */
enum quantity { POSITION, VELOCITY, REACTION, QUANTITIES };

/** struct force_column - columns "<prefix>x" .. "<prefix>z" hold the reaction of @joint. */
struct force_column {
    const char *prefix;
    const char *joint;
};

/** struct reference_case - a model and what it must do.
 * @model, @csv: files, relative to the source folder
 * @replace:     pairs of texts replaced in the model, NULL-terminated, or NULL
 * @body:        the body of columns without a prefix
 * @forces:      up to three reactions
 * @skip_column, @skip_below: rows where |sin(column)| is smaller carry no usable reaction
 * @end:         last time compared [s] */
struct reference_case {
    const char *name;
    const char *model;
    const char *csv;
    const char *const *replace;
    const char *body;
    struct force_column forces[3];
    const char *skip_column;
    double skip_below;
    double end;
};

/** trajectory_model() - read a model with texts replaced; fails the test when it is refused. */
struct lk_model *trajectory_model(const char *path, const char *const *replace);

/** trajectory_errors() - largest error of every quantity over the run with step @h [s] (NAN for a
 * quantity that the reference does not have). Positions count metres and half radians. */
void trajectory_errors(const struct reference_case *c, double h, int iterations,
                       double ret[QUANTITIES]);

#endif
