/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of the methods for bodies, see equations_inl.h. Three variants: one body (lk_...),
 * four bodies in one vector (lk_..._four, quads.h), and the lanes of an engine (lk_..._lanes). All
 * functions are for the cycle, RT: yes. */
#ifndef LK_STEP_EQUATIONS_H
#define LK_STEP_EQUATIONS_H

#include "maths/vec.h"
#include <stdbool.h>
#include <stddef.h>

/* Damping factor d of a tension. Both half kicks of `rattle` contain d K (theta - theta'), where
 * theta' is the rotation of the last step. An oscillation with a period below a step changes its
 * direction in every step, so that d K (theta - theta'), about 2 d K theta, damps it. A steady
 * rotation and a slow oscillation have theta = theta' to leading order and are not damped. */
#define LK_TENSION_LATE 0.1

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi" /* always inlined, see vec.h */
#define LK_REAL    double
#define LK_NAME(f) lk_##f
#include "step/equations_inl.h"
#undef LK_REAL
#undef LK_NAME
#define LK_REAL    lk_four
#define LK_NAME(f) lk_##f##_four
#include "step/equations_inl.h"
#undef LK_REAL
#undef LK_NAME
#pragma GCC diagnostic pop

#endif
