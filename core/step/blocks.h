/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the model: transfer functions, sums, look-up tables, delays between inputs,
 * coordinates and forces, stepped with the mechanism.
 *
 * All blocks together are z' = f(z, u, s), y = g(z, u, s): states z, outputs y, inputs u of the
 * model, and sensors s, coordinates and rates. A step is the stiffly accurate method of two stages
 * of R. Alexander (Diagonally implicit Runge-Kutta methods for stiff ODEs, 1977), of order 2 and
 * L-stable, with gamma = 1 - 1/sqrt(2):
 *
 *     Z1 = z0 + h gamma f(Z1)
 *     Z2 = z0 + h (1 - gamma) f(Z1) + h gamma f(Z2) = z1
 *
 * u and s hold over the step: s is the mean of a coordinate, or its way over the step by h. What
 * acts on the mechanism is the mean of g over the step, (1 - gamma) g(Z1) + gamma g(Z2), which
 * satisfies (z1 - z0) / h = mean of f exactly: what a motor takes from its circuit it gives to its
 * shaft, to round-off, and an integrator of a rate is a spring that keeps its energy.
 *
 * The mean depends on s, hence on the end of the step. What pushes on a row is a function of that
 * row's own place and rate, linearised where the step is expected to go, and is a part of the law
 * of the row (struct lk_answer), solved with the constraints: so neither a stiff circuit nor a
 * stiff chamber limits the step. What depends on other coordinates takes them as expected, to
 * order 2. After the step the states follow from the true s.
 *
 * With s that holds, z1 is where the block goes for the mean of s; a fast one is half a step late.
 * z goes on from there, as the coupled step is stable then for any stiffness and circuit. What is
 * shown is found once more with s that moves evenly, and nothing follows from it.
 *
 * Newton iterations with the true Jacobian, one where all blocks are linear. A state with limits is
 * held at a limit while its rate leads out (an active set). Same work in each step but for the
 * pivots. */
#ifndef LK_STEP_BLOCKS_H
#define LK_STEP_BLOCKS_H

#include "linkage/error.h"
#include "linkage/kinds.h"
#include "linkage/linkage.h"
#include "maths/hot.h"
#include <stdbool.h>

struct lk_system;
struct lk_state;

/** struct lk_net_source - @at: in the inputs, sensors or blocks;  @value: of a number */
struct lk_net_source {
    enum lk_net_kind kind;
    int at;
    double value;
};

/** struct lk_net_sensor - a place or its rate: a coordinate, @at in lk_state.coordinate, or the
 * distance of two points, the row of @law; -1: the other one */
struct lk_net_sensor {
    int at;
    int law;
    int is_rate;
};

/** struct lk_net_block - a compiled block with the @n_sources from @first on.
 * @n_states from @state on;  @a, @b, @c, @d: LINEAR: z' = a z + b u, y = c z + d u
 * @lower, @upper: of its only state, or of SATURATION and DEAD_BAND
 * @n_points: TABLE: @x, @y, with @slope, NULL: straight lines
 * @steps, @part: DELAY: whole steps and the rest of one, 0 to 1;  @ring: of its means, then its
 * samples, @steps + 1 each, in lk_state.blocks */
struct lk_net_block {
    enum lk_block_kind kind;
    int first;
    int n_sources;
    int state;
    int n_states;
    const double *a;
    const double *b;
    const double *c;
    const double *d;
    double lower;
    double upper;
    int n_points;
    const double *x;
    const double *y;
    const double *slope;
    int steps;
    double part;
    int ring;
};

/** struct lk_net_push - a term of a law that a block feeds. @at, @law: of its row, as those of a
 * sensor */
struct lk_net_push {
    int term;
    int block;
    int at;
    int law;
};

/** struct lk_net_stage - blocks at one place. @z: n_states, and @dz: n_states x n_sensors: what
 * they change with the sensors;  @y: n_blocks, and @dy: n_blocks x n_sensors */
struct lk_net_stage {
    double *z;
    double *dz;
    double *y;
    double *dy;
};

/** struct lk_net_signals - what blocks take at one place beside their states. @delayed: n_blocks */
struct lk_net_signals {
    const double *inputs;
    const double *sensors;
    const double *delayed;
};

/** struct lk_net - all blocks of a system, and scratch. @order: in which their outputs follow from
 * each other;  @iterations: of a stage
 * @size: of lk_state.blocks: states, what is shown, rates of all sensors a step before, rings
 * @acting: inputs of the model, then the mean of each block
 * @y, @f: of the last evaluation, with their gradients @dy, @df, by states and sensors
 * @matrix, @pivot, @right: I - h gamma df/dz and a right-hand side;  @base: of it, without f;
 * @is_held: of each state: at a limit
 * @place, @speed: of what each sensor sees as the step begins
 * @from, @to, @mean, @at: sensors at the ends of a step, their mean, at a stage
 * @by_mean, @by_end, @by_place: slopes of an output by each sensor */
struct lk_net {
    int n_blocks;
    int n_states;
    int n_sensors;
    int n_pushes;
    int iterations;
    int size;
    struct lk_net_block *block;
    int *order;
    struct lk_net_source *source;
    struct lk_net_sensor *sensor;
    struct lk_net_push *push;
    double *numbers;
    char (*unit)[LK_UNIT_SIZE];
    char (*name)[LK_NAME_SIZE];
    double *acting;
    double *y;
    double *dy;
    double *f;
    double *df;
    double *matrix;
    int *pivot;
    bool *is_held;
    double *right;
    double *base;
    double *place;
    double *speed;
    double *from;
    double *to;
    double *mean;
    double *at;
    double *by_mean;
    double *by_end;
    double *by_place;
    double *delayed;
    struct lk_net_stage stage[2];
};

/** lk_net_value() - what source @i gives, with the outputs @y of all blocks. RT: yes. */
LK_RT double lk_net_value(const struct lk_net *net, int i, const double *y,
                          const struct lk_net_signals *at);
/** lk_net_evaluate() - net->y, net->f and their gradients at @z. RT: yes. */
LK_RT void lk_net_evaluate(struct lk_net *net, const double *z, const struct lk_net_signals *at);
/** lk_net_step() - both stages from @z over @h [s] with the signals of each; stage 2 has z1.
 * @is_tangent: with what they change with the sensors. RT: yes. */
LK_RT void lk_net_step(struct lk_net *net, double h, const double *z,
                       const struct lk_net_signals at[2], bool is_tangent);

/* gamma: place of the first stage in a step, and weight of the second one in its mean */
#define LK_NET_GAMMA 0.29289321881345248

/** lk_blocks_begin() - as a step begins: the means that act in it as far as they are known, and
 * what pushes answer to their rows. Return: @inputs, then the means. RT: yes. */
LK_RT const double *lk_blocks_begin(struct lk_system *system, const double *inputs);
/** lk_blocks_keep() - system->next, whose coordinates are known, gets the states of its blocks.
 * RT: yes. */
LK_RT void lk_blocks_keep(struct lk_system *system, const double *inputs);
/** lk_blocks_settle() - outputs of the blocks in system->now from their states, its coordinates and
 * inputs: what they push with at the start of a run. RT: yes. */
LK_RT void lk_blocks_settle(struct lk_system *system);
/** lk_blocks_refer() - what pushes have in @state, between steps. RT: yes. */
LK_RT void lk_blocks_refer(struct lk_system *system, const struct lk_state *state);
/** lk_blocks_rates() - f of system->now, n_states. RT: yes. */
LK_RT void lk_blocks_rates(struct lk_system *system, double *ret);

#endif
