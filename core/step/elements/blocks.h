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
 * A stage is solved block by block, each after those that it takes of, with a factor that is found
 * before the first step; at a limit a state ends there. Blocks that take of each other are solved
 * together: with such a factor where they are linear, else by Newton iterations with the true
 * Jacobian, in which a state is held at a limit while its rate leads out (an active set). Where no
 * block has a sensor all three solutions of a step are one, and what nothing takes is not shown.
 * Same work in each step but for the pivots. */
#ifndef LK_STEP_BLOCKS_H
#define LK_STEP_BLOCKS_H

#include "linkage/error.h"
#include "linkage/kinds.h"
#include "linkage/linkage.h"
#include "maths/hot.h"
#include "solve/lu.h"
#include <stdbool.h>

struct lk_system;
struct lk_state;

/* gamma: place of the first stage in a step, and weight of the second one in its mean */
#define LK_NET_GAMMA  0.29289321881345248
#define LK_NET_NEWTON 3 /* iterations of a loop that is curved */

/** struct lk_net_source - @at: in the inputs, sensors or blocks;  @value: of a number */
struct lk_net_source {
    enum lk_net_kind kind;
    int at;
    double value;
};

/** struct lk_net_sensor - a place or its rate: a coordinate, @at in lk_state.coordinate, or the
 * distance of two points, the row of @law; -1: the other one
 * @is_answered: a push acts on this row: what the push has depends on the sensor within the step */
struct lk_net_sensor {
    int at;
    int law;
    int is_rate;
    bool is_answered;
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

/** struct lk_net_group - one block, or blocks that take of each other, whose states are solved
 * together: @n of lk_net.order from @first on, @n_states of lk_net.state_of from @first_state on
 * @matrix: where its factor is in lk_net.matrix
 * @is_loop: they take of each other;  @is_curved: in a loop with curves or limits */
struct lk_net_group {
    int first;
    int n;
    int first_state;
    int n_states;
    int matrix;
    bool is_loop;
    bool is_curved;
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

/** struct lk_net - all blocks of a system, and scratch.
 * @group: in which they are solved, each after those that it takes of;  @order: of the blocks, in
 * which their outputs follow from each other;  @state_of: the states in the order of the groups
 * @is_linear: without curves and limits;  @is_shown: something takes what blocks have at the end of
 * a step;  @step: h gamma [s]
 * @size: of lk_state.blocks: states, what is shown, rates of all sensors a step before, rings
 * @slope: of outputs by each source
 * @acting: inputs of the model, then the mean of each block
 * @y, @f: of the last evaluation
 * @matrix, @scale: factors of I - h gamma df/dz of all groups;  @base: of the right-hand side,
 * without f;  @right: one of them;  @column: of a matrix;  @is_held: of each state: at a limit
 * @dz, @inner, @outer: changes of states, of outputs of one group, of all outputs
 * @place, @speed: of what each sensor sees as the step begins
 * @from, @to, @mean, @at: sensors at the ends of a step, their mean, at a stage
 * @by_states, @by_sensor: n_sensors x n_blocks: outputs at the end of the step by each sensor, by
 * way of the states there, and directly;  @by_mean, @by_end, @by_place: of one of them by each
 * sensor */
struct lk_net {
    int n_blocks;
    int n_groups;
    int n_states;
    int n_sources;
    int n_sensors;
    int n_pushes;
    bool is_linear;
    bool is_shown;
    int size;
    double step;
    struct lk_net_block *block;
    struct lk_net_group *group;
    int *order;
    int *state_of;
    struct lk_net_source *source;
    struct lk_net_sensor *sensor;
    struct lk_net_push *push;
    double *numbers;
    double *slope;
    char (*unit)[LK_UNIT_SIZE];
    char (*name)[LK_NAME_SIZE];
    double *acting;
    double *y;
    double *f;
    double *matrix;
    struct lk_lu_scale scale;
    bool *is_held;
    double *base;
    double *right;
    double *column;
    double *dz;
    double *inner;
    double *outer;
    double *place;
    double *speed;
    double *from;
    double *to;
    double *mean;
    double *at;
    double *by_states;
    double *by_sensor;
    double *by_mean;
    double *by_end;
    double *by_place;
    double *delayed;
    struct lk_net_stage stage[2];
};

/** lk_net_value() - what source @i gives, with the outputs @y of all blocks. RT: yes. */
LK_RT double lk_net_value(const struct lk_net *net, int i, const double *y,
                          const struct lk_net_signals *at);
/** lk_net_outputs() - net->y at @z, and slopes there. RT: yes. */
LK_RT void lk_net_outputs(struct lk_net *net, const double *z, const struct lk_net_signals *at);
/** lk_net_rates() - net->f at @z, for the outputs in net->y. RT: yes. */
LK_RT void lk_net_rates(struct lk_net *net, const double *z, const struct lk_net_signals *at);
/** lk_net_differentiate() - by how much the outputs of the last lk_net_outputs() change with
 * @sensor, states held. @ret: n_blocks. RT: yes. */
LK_RT void lk_net_differentiate(struct lk_net *net, int sensor, double *ret);
/** lk_net_follow() - the same by way of the states at the end of the step, of which the last
 * lk_net_step() has found how they change with @sensor. @ret: n_blocks. RT: yes. */
LK_RT void lk_net_follow(struct lk_net *net, int sensor, double *ret);
/** lk_net_step() - both stages from @z with the signals of each; stage 2 has z1.
 * @is_tangent: with what they change with the sensors that pushes answer to. RT: yes. */
LK_RT void lk_net_step(struct lk_net *net, const double *z, const struct lk_net_signals at[2],
                       bool is_tangent);
/** lk_net_prepare() - for steps of @h [s]: factors of all groups but curved ones, and what a linear
 * net changes with the sensors. Call when all blocks, sensors and pushes are set.
 * Return: -1; a state for which a step of @h has no solution. */
LK_RT int lk_net_prepare(struct lk_net *net, double h);

/** lk_blocks_prepare() - when all of the system is set but its start: lk_net_prepare(). */
LK_RT int lk_blocks_prepare(struct lk_system *system);
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
/** lk_blocks_shown() - what blocks show in @state, n_blocks; of a delay what it gives. RT: yes. */
LK_RT double *lk_blocks_shown(const struct lk_system *system, const struct lk_state *state);
/** lk_blocks_rest() - net->y and net->f of system->now as if nothing moved, with what delays give
 * there. @ret_behind: n_blocks: by how much what a delay takes is more than what it gives. RT: yes.
 */
LK_RT void lk_blocks_rest(struct lk_system *system, double *ret_behind);
/** lk_blocks_push() - all that takes of blocks takes @y of them, at once, until the next step.
 * RT: yes. */
LK_RT void lk_blocks_push(struct lk_system *system, const double *y);

#endif
