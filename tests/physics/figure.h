/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms of a known shape, for tests of the step on batches: many similar parts, and the same
 * with a disturbance of the similarity. Batches support everything in them. Random from a seed and
 * closed by construction, as in mechanism.h. */
#ifndef TESTS_PHYSICS_FIGURE_H
#define TESTS_PHYSICS_FIGURE_H

#include "mechanism.h"

/* name, shape: see parent_of() and close_loops() */
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

/** enum figure_joints - which joints: all of one kind, PARALLEL: revolutes about one direction,
 * ALTERNATING: all kinds in turn, ANY: all kinds at random. */
enum figure_joints {
    FIGURE_SPHERICAL,
    FIGURE_REVOLUTE,
    FIGURE_PARALLEL,
    FIGURE_ALTERNATING,
    FIGURE_ANY,
    FIGURE_JOINTS
};

/** figure_make() - @n bodies. Loads are constant and harmonic; there are inputs for the force on a
 * body, for the torque on another, for the first joint with an angle, and for the first with a
 * length. Never NULL. Release with mechanism_free(). */
struct mechanism *figure_make(enum figure figure, enum figure_joints joints, int n, uint64_t seed);

/** figure_furnish() - springs, dampers and friction at joints with one coordinate; @drives: and
 * drives, which a figure with loops does not follow. */
void figure_furnish(struct mechanism *mechanism, int drives);

/** figure_stop() - hard end stops at some joints with one coordinate, which they hit at once. */
void figure_stop(struct mechanism *mechanism);

/** figure_gear() - gears between each two of the joints to the ground that measure an angle. */
void figure_gear(struct mechanism *mechanism);

/** figure_gear_apart() - gears between revolute joints anywhere, of up to four bodies; @seed: which
 */
void figure_gear_apart(struct mechanism *mechanism, uint64_t seed);

/** enum figure_keeps - elements of a random mechanism beyond joints of rows/table.h, loads and
 * inputs of forces: joints with other rows, drives, whatever follows a law but end stops, gears and
 * racks, end stops, bodies without inertia (with what holds them, which are laws). */
enum figure_keeps {
    FIGURE_KEEPS_JOINTS = 1,
    FIGURE_KEEPS_DRIVES = 2,
    FIGURE_KEEPS_LAWS = 4,
    FIGURE_KEEPS_COUPLINGS = 8,
    FIGURE_KEEPS_STOPS = 16,
    FIGURE_KEEPS_MASSLESS = 32,
    FIGURE_KEEPS_ALL = 63
};

/** figure_tame() - removes from a random mechanism the elements that are not in @keeps; other
 * joints are replaced by revolute and spherical ones. */
void figure_tame(struct mechanism *mechanism, unsigned keeps);

/** figure_ease() - what `rk4` takes of the rest: springs and dampers that a step resolves, neither
 * friction nor tables, drives by functions of time alone. */
void figure_ease(struct mechanism *mechanism);

#endif
