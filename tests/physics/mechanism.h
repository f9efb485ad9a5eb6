/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms for property tests. They are made from a seed, stored as data so that they can
 * be moved, shuffled and mirrored, and written as the text of a model file, so that the reader is
 * tested as well.
 *
 * Each initial configuration is closed by construction: a joint has one place, which is the same
 * for both of its bodies, whatever other joints connect them. Velocities are random; the library
 * projects them. */
#ifndef TESTS_PHYSICS_MECHANISM_H
#define TESTS_PHYSICS_MECHANISM_H

#include "linkage/linkage.h"
#include "model/model.h"

/** struct dice - a generator of random numbers (splitmix64) with the same results on each
 * machine */
struct dice {
    uint64_t state;
};

double dice_uniform(struct dice *dice, double from, double to);
/** dice_spread() - Return a random number whose logarithm is uniformly distributed. */
double dice_spread(struct dice *dice, double from, double to);
/** dice_below() - Return a random integer from 0 to @n - 1. */
int dice_below(struct dice *dice, int n);
int dice_chance(struct dice *dice, double probability);
/** dice_unit() - Compute a uniformly distributed unit vector of @n numbers. */
void dice_unit(struct dice *dice, double *ret, int n);

/** enum mechanism_kind - MIXED: everything that the reader supports; MOVABLE: the same without
 * references to world axes; FREE: rigid joints, not attached to the ground, no gravity and no other
 * load */
enum mechanism_kind { MECHANISM_MIXED, MECHANISM_MOVABLE, MECHANISM_FREE };

#define MECHANISM_DRIVES 2 /* largest number of drives at one joint */
#define MECHANISM_POINTS 5 /* number of points of a table */

struct mechanism_body {
    double mass;
    double inertia[6];
    double x[3];
    double q[4];
    double v[3];
    double w[3]; /* world axes */
};

/** struct mechanism_drive - see struct lk_drive_def
 * @input: index of the input channel */
struct mechanism_drive {
    enum lk_drive_type type;
    int coordinate;
    int input;
    double period;
    double time[MECHANISM_POINTS];
    double value[MECHANISM_POINTS];
    double offset;
    double amplitude;
    double omega;
    double phase;
};

/** struct mechanism_joint - see struct lk_joint_def; the ground is LK_GROUND
 * @can_mirror: exchanging the bodies changes nothing to which other elements refer */
struct mechanism_joint {
    enum lk_joint_type type;
    int body[2];
    double point[2][3];
    double axis[2][3];
    double direction[3];
    double coordinate[LK_COORDINATES_MAX];
    double pitch;
    int joint[2];
    int which[2];
    double ratio;
    int has_compliance;
    struct lk_compliance compliance;
    int can_mirror;
    int n_drives;
    struct mechanism_drive drive[MECHANISM_DRIVES];
};

/** struct mechanism_force - a force element, see struct lk_force_def
 * @x, @y: points of a stiffness table, if @has_table */
struct mechanism_force {
    enum lk_force_type type;
    int joint;
    int coordinate;
    int body[2];
    double point[2][3];
    double stiffness;
    double damping;
    double rest;
    int has_table;
    double x[MECHANISM_POINTS];
    double y[MECHANISM_POINTS];
    double vector[3];
    enum lk_frame frame;
    double q[4];
    struct lk_compliance compliance;
    double coulomb;
    double stick;
    double lower;
    double upper;
    double onset;
    double omega;
    double phase;
};

/** struct mechanism_input - an input channel
 * @base: value without effect
 * @size: deviation from @base that accelerates its body moderately */
struct mechanism_input {
    enum lk_input_type type;
    int joint;
    int coordinate;
    int body;
    double point[3];
    double base;
    double size;
};

/** struct mechanism - a mechanism. Bodies are named b0, b1 ..., joints j0, j1 ... according to
 * their index here. Their order in the file is @body_order and @joint_order. */
struct mechanism {
    uint64_t seed;
    double gravity[3];
    double step;
    int iterations;
    int is_soft;             /* solver option `redundancy: soft` */
    const char *formulation; /* NULL: ali3 */
    const char *engine;      /* engine in struct lk_options; NULL: that of the model */
    int all_rows;            /* option of struct lk_options */
    int hides_reactions;     /* there is no output of reactions */
    int n_bodies;
    int n_joints;
    int n_forces;
    int n_inputs;
    struct mechanism_body *body;
    struct mechanism_joint *joint;
    struct mechanism_force *force;
    struct mechanism_input *input;
    int *body_order;
    int *joint_order;
};

/** mechanism_make() - Make @n_bodies bodies in one or more mechanisms, with trees, loops and
 * duplicate joints. The same @seed gives the same mechanism. Never returns NULL; aborts if memory
 * is exhausted. */
struct mechanism *mechanism_make(uint64_t seed, enum mechanism_kind kind, int n_bodies);
void mechanism_free(struct mechanism *mechanism);

/** mechanism_move() - Rotate everything about the origin by @q, then shift it. */
void mechanism_move(struct mechanism *mechanism, const double q[4], const double shift[3]);
/** mechanism_shuffle() - Change the order of bodies and joints in the file. */
void mechanism_shuffle(struct mechanism *mechanism, struct dice *dice);
/** mechanism_mirror() - Exchange the bodies of each joint, [b, a] for [a, b]. Axes are reversed so
 * that the coordinates keep their meaning. */
void mechanism_mirror(struct mechanism *mechanism);

/** mechanism_text() - Return the model file, which the caller frees. */
char *mechanism_text(const struct mechanism *mechanism);
/** mechanism_compile() - Read the text and compile it. If it is refused, print the reason and
 * return NULL. */
struct lk_system *mechanism_compile(const struct mechanism *mechanism);
/** mechanism_smoothen() - Remove all inputs, and elements with kinks (friction, stops). */
void mechanism_smoothen(struct mechanism *mechanism);
/** mechanism_inputs() - Draw random values for all input channels. */
void mechanism_inputs(const struct mechanism *mechanism, struct dice *dice, double *ret);

#endif
