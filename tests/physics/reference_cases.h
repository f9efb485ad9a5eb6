/* SPDX-License-Identifier: Apache-2.0 */
/* The reference trajectories that the repository carries, and the models that must follow them. */
#ifndef TESTS_PHYSICS_REFERENCE_CASES_H
#define TESTS_PHYSICS_REFERENCE_CASES_H

#include "trajectory.h"

/** reference_case() - by name; fails the test when there is none. */
const struct reference_case *reference_case(const char *name);

#endif
