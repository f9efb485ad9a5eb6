/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles and steps the machines of tests/physics/machines/. */
#ifndef TESTS_PHYSICS_MACHINES_H
#define TESTS_PHYSICS_MACHINES_H

#include "step/system.h"

#define FORMULATION     "rattle"
#define MACHINE(name)   "tests/physics/machines/" name ".yaml"
#define REFERENCE(name) "tests/reference/machines/" name ".csv"
#define SOLVER          "solver: {step: 0.001}", "solver: {formulation: " FORMULATION "}"

/** machine() - Compile the model of @path with texts replaced (trajectory_model()). Fail the test
 * if the model is refused.
 * @h:          step [s]
 * @iterations: 0: default of the formulation */
struct lk_system *machine(const char *path, const char *const *replace, double h, int iterations);

/** machine_output() - Return a component of the output @name. */
double machine_output(const struct lk_system *system, const char *name, int component);

/** machine_advance() - Make @steps steps, none of which may fail. */
void machine_advance(struct lk_system *system, int steps, const double *inputs);

#endif
