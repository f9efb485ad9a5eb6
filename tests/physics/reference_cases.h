/* SPDX-License-Identifier: Apache-2.0 */
/* The reference trajectories in the repository, and the models that must reproduce them. */
#ifndef TESTS_PHYSICS_REFERENCE_CASES_H
#define TESTS_PHYSICS_REFERENCE_CASES_H

#include "trajectory.h"

/** reference_case() - by name; fails the test if it does not exist. */
const struct reference_case *reference_case(const char *name);

#endif
