/* SPDX-License-Identifier: Apache-2.0 */
/* A model stepped by a formulation as the daemon does, and what it did. */
#ifndef TESTS_LABORATORY_SYSTEM_RUN_H
#define TESTS_LABORATORY_SYSTEM_RUN_H

#include "linkage/linkage.h"

#define SYSTEM_RUN_BODIES 24

/** struct system_run - @x: positions and velocities of all bodies at the end;  @worst: after any
 * step, violation of positions and velocities, change of energy [J] */
struct system_run {
    double x[6 * SYSTEM_RUN_BODIES];
    double worst[3];
};

/** system_run_model() - from text; fails the test when it is refused. */
struct lk_model *system_run_model(const char *text);

/** system_run() - inputs are zero.  Return: 0, or why the model is not compiled, in @error. */
int system_run(struct lk_model *model, const char *formulation, double h, double end,
               struct system_run *ret, struct lk_error *error);

/** system_run_well() - the same, which must work. */
void system_run_well(struct lk_model *model, const char *formulation, double h, double end,
                     struct system_run *ret);

/** system_run_difference() - largest, of positions and velocities at the end. */
double system_run_difference(const struct system_run *a, const struct system_run *b);

#endif
