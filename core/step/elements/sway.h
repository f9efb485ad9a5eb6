/* SPDX-License-Identifier: Apache-2.0 */
/* Sway: geometric stiffness of a rod, or of a spring between two points, against motion across it.
 * If an end of a gap of length L moves across the gap, the force F along the gap changes by K = F /
 * L times this motion. Light points of a rope under a large load may swing with periods shorter
 * than a step. For such gaps, three rows (rows/sway.c) in the matrix of the iterations measure
 * delta, the change of the gap over the step. K+ is the part of K that is too stiff for the step.
 * The rows have the multipliers
 *
 *     K+ (delta / 2 + d (delta - delta'))
 *
 * in the first half kick and K+ delta less in the second. Here delta' is the change in the last
 * step, and d = LK_TENSION_LATE (equations.h). Bodies have the same terms for the tension of their
 * joints (tension.h). */
#ifndef LK_STEP_SWAY_H
#define LK_STEP_SWAY_H

#include "linkage/error.h"

struct lk_system;

/** struct lk_sway - geometric stiffness of a rod or spring. @block: index of the joint of the three
 * rows; @along: index of the joint of the rod or spring. */
struct lk_sway {
    int block;
    int along;
};

#endif
