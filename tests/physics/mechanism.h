/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms for property tests: made from a seed, kept as data so that they can be moved,
 * shuffled and mirrored, and written as the text of a model file so that the reader is tested too.
 *
 * Every initial configuration is closed by construction: a joint has one place, which agrees for
 * both of its bodies, however else they are connected. Velocities are random; the library projects
 * them. */
#ifndef TESTS_PHYSICS_MECHANISM_H
#define TESTS_PHYSICS_MECHANISM_H

#include "linkage/linkage.h"
#include "model/model.h"

/** struct dice - a generator of random numbers (splitmix64): the same on every machine. */
struct dice {
    uint64_t state;
};

double dice_uniform(struct dice *dice, double from, double to);
/** dice_spread() - logarithm evenly spread. */
double dice_spread(struct dice *dice, double from, double to);
/** dice_below() - 0 to @n - 1. */
int dice_below(struct dice *dice, int n);
int dice_chance(struct dice *dice, double probability);
/** dice_unit() - a uniformly distributed unit vector of @n numbers. */
void dice_unit(struct dice *dice, double *ret, int n);

/** enum mechanism_kind - MIXED: everything that the reader supports; MOVABLE: the same except
 * references to world axes; FREE: rigid, floating, no gravity and no other load. */
enum mechanism_kind { MECHANISM_MIXED, MECHANISM_MOVABLE, MECHANISM_FREE };

#define MECHANISM_DRIVES 2 /* at one joint */
#define MECHANISM_POINTS 5 /* of a table */

struct mechanism_body {
    double mass;
    double inertia[6];
    double x[3];
    double q[4];
    double v[3];
    double w[3]; /* world axes */
};

/** struct mechanism_drive - see struct lk_drive_def; @input: index of the input channel */
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

/** struct mechanism_joint - as in struct lk_joint_def; the ground is LK_GROUND. @can_mirror:
 * nothing refers to what changes when its bodies change places */
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

/** struct mechanism_force - a force element, as in struct lk_force_def; @table: stiffness by @x, @y
 */
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

/** struct mechanism_input - an input channel; @base: a value without effect; @size: a deviation
 * that moves its body moderately */
struct mechanism_input {
    enum lk_input_type type;
    int joint;
    int coordinate;
    int body;
    double point[3];
    double base;
    double size;
};

/** struct mechanism - bodies are named b0, b1 ..., joints j0, j1 ...: by their index here, not by
 * their place in the file, which is in @body_order and @joint_order. */
struct mechanism {
    uint64_t seed;
    double gravity[3];
    double step;
    int iterations;
    int is_soft;             /* redundancy: soft */
    const char *formulation; /* NULL: ali3 */
    const char *engine;      /* of struct lk_options; NULL: the model's */
    int all_rows;            /* likewise */
    int hides_reactions;     /* no output shows them */
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

/** mechanism_make() - @n_bodies bodies in one or more mechanisms: trees, loops, duplicate joints.
 * The same @seed gives the same mechanism. Never NULL: aborts if memory is exhausted. */
struct mechanism *mechanism_make(uint64_t seed, enum mechanism_kind kind, int n_bodies);
void mechanism_free(struct mechanism *mechanism);

/** mechanism_move() - rotates everything about the origin by @q, then shifts it. */
void mechanism_move(struct mechanism *mechanism, const double q[4], const double shift[3]);
/** mechanism_shuffle() - changes the order of bodies and joints in the file. */
void mechanism_shuffle(struct mechanism *mechanism, struct dice *dice);
/** mechanism_mirror() - exchanges the bodies of every joint, [b, a] for [a, b]; axes are reversed
 * so that the coordinates keep their meaning. */
void mechanism_mirror(struct mechanism *mechanism);

/** mechanism_text() - the model file, to be freed. */
char *mechanism_text(const struct mechanism *mechanism);
/** mechanism_compile() - reads the text and compiles it; prints a refusal and returns NULL. */
struct lk_system *mechanism_compile(const struct mechanism *mechanism);
/** mechanism_smoothen() - takes away what has kinks (friction, stops) and all inputs. */
void mechanism_smoothen(struct mechanism *mechanism);
/** mechanism_inputs() - random values for all input channels. */
void mechanism_inputs(const struct mechanism *mechanism, struct dice *dice, double *ret);

#endif
