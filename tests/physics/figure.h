/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms of a known shape for tests of the step on batches: many similar parts, also with a
 * disturbance of the similarity. Batches support everything in them. They are random from a seed
 * and closed by construction, as in mechanism.h. */
#ifndef TESTS_PHYSICS_FIGURE_H
#define TESTS_PHYSICS_FIGURE_H

#include "mechanism.h"

/* names and shapes, see parent_of() and close_loops() */
#define FIGURES(X)                                                                                 \
    X(CHAIN, "chain")                                                                              \
    X(ANCHORED, "chain with joints to the ground in its middle")                                   \
    X(STAR, "star")                                                                                \
    X(BINARY, "binary tree")                                                                       \
    X(TERNARY, "ternary tree")                                                                     \
    X(LIMBS, "limbs alike")                                                                        \
    X(GROUPS, "chains that hang on nothing")                                                       \
    X(LOOSE, "bodies without joints beside a chain")                                               \
    X(RING, "ring")                                                                                \
    X(LADDER, "ladder")                                                                            \
    X(GRID, "grid")                                                                                \
    X(TWICE, "chain with every joint there twice")

enum figure {
#define X(NAME, TEXT) FIGURE_##NAME,
    FIGURES(X)
#undef X
        FIGURE_COUNT
};

extern const char *const figure_names[FIGURE_COUNT];

/** enum figure_joints - types of joints: all of one type; PARALLEL: revolute joints about one
 * direction; ALTERNATING: all types in turn; ANY: all types at random */
enum figure_joints {
    FIGURE_SPHERICAL,
    FIGURE_REVOLUTE,
    FIGURE_PARALLEL,
    FIGURE_ALTERNATING,
    FIGURE_ANY,
    FIGURE_JOINTS
};

/** figure_make() - Make a figure of @n bodies. Loads are constant and harmonic. Inputs are a force
 * on a body, a torque on another one, and one along the first joint with an angle and the first
 * with a length. Never returns NULL. Release with mechanism_free(). */
struct mechanism *figure_make(enum figure figure, enum figure_joints joints, int n, uint64_t seed);

/** figure_furnish() - Add springs, dampers and friction to joints with one coordinate.
 * @drives: also add drives; a figure with loops could not satisfy them */
void figure_furnish(struct mechanism *mechanism, int drives);

/** figure_stop() - Add hard end stops to some joints with one coordinate, which the mechanism hits
 * at once. */
void figure_stop(struct mechanism *mechanism);

/** figure_gear() - Add a gear between each two of the joints to the ground that measure an
 * angle. */
void figure_gear(struct mechanism *mechanism);

/** figure_gear_apart() - Add gears between revolute joints at any place, of up to four bodies.
 * @seed: seed of the choice of gears */
void figure_gear_apart(struct mechanism *mechanism, uint64_t seed);

/** enum figure_keeps - elements of a random mechanism beyond the joints of rows/table.h, loads and
 * inputs of forces: joints with other rows; drives; all laws but end stops; gears and racks; end
 * stops; bodies without inertia with the springs that hold them */
enum figure_keeps {
    FIGURE_KEEPS_JOINTS = 1,
    FIGURE_KEEPS_DRIVES = 2,
    FIGURE_KEEPS_LAWS = 4,
    FIGURE_KEEPS_COUPLINGS = 8,
    FIGURE_KEEPS_STOPS = 16,
    FIGURE_KEEPS_MASSLESS = 32,
    FIGURE_KEEPS_ALL = 63
};

/** figure_tame() - Remove from a random mechanism the elements that are not in @keeps. Replace
 * other joints with revolute and spherical ones. */
void figure_tame(struct mechanism *mechanism, unsigned keeps);

/** figure_ease() - Remove the elements that `rk4` does not accept. It accepts springs and dampers
 * that are slow enough for the step, no friction and no tables, and drives that depend on time
 * only. */
void figure_ease(struct mechanism *mechanism);

#endif
