/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of the methods for bodies, see equations_inl.h: for one body (lk_...) and for four
 * side by side (lk_..._four, quads.h); an engine has them for its lanes (lk_..._lanes). All for the
 * cycle, RT: yes. */
#ifndef LK_STEP_EQUATIONS_H
#define LK_STEP_EQUATIONS_H

#include "maths/vec.h"
#include <stdbool.h>
#include <stddef.h>

/* Part of the change of the turn from step to step whose tension acts in both half kicks of
 * `rattle`. What swings faster than a step turns back and forth, and is damped as by 2 d K theta;
 * what turns on, with all that hangs on it or on a hub, is not, nor is a slow swing. */
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
