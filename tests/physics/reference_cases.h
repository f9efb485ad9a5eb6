/* SPDX-License-Identifier: Apache-2.0 */
/* The reference trajectories in the repository, and the models that must reproduce them. */
#ifndef TESTS_PHYSICS_REFERENCE_CASES_H
#define TESTS_PHYSICS_REFERENCE_CASES_H

#include "trajectory.h"

/** reference_case() - Return a case by name. Fail the test if there is none. */
const struct reference_case *reference_case(const char *name);

#endif
