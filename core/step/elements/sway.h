/* SPDX-License-Identifier: Apache-2.0 */
/* Sway: how the tension in a rod, or in a spring between two points, turns back what swings across
 * it. A force F along a gap of length L changes by K = F / L times what the gap changes across it.
 * Light points of a rope under a large load swing faster than a step; where that may happen three
 * rows (rows/sway.c) take the change of the gap over the step, delta, into the matrix of the
 * iterations: with K+, what is too stiff for the step of K, they have
 *
 *     K+ (delta / 2 + d (delta - delta'))
 *
 * in the first half kick and K+ delta less in the second, delta' of the last step, as bodies have
 * for the tension of their joints (tension.h): d = LK_TENSION_LATE (equations.h). */
#ifndef LK_STEP_SWAY_H
#define LK_STEP_SWAY_H

#include "linkage/error.h"

struct lk_system;

/** struct lk_sway - rows of block @block, across what block @along holds: a rod or a spring. */
struct lk_sway {
    int block;
    int along;
};

#endif
