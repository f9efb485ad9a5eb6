/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the model: transfer functions, sums, look-up tables, delays between inputs,
 * coordinates and forces, stepped with the mechanism.
 *
 * All blocks together are z' = f(z, u, s), y = g(z, u, s), with states z, outputs y, inputs u of
 * the model, and sensors s, which are coordinates and rates. A step is the stiffly accurate method
 * of two stages of R. Alexander (Diagonally implicit Runge-Kutta methods for stiff ODEs, 1977), of
 * order 2 and L-stable, with gamma = 1 - 1/sqrt(2):
 *
 *     Z1 = z0 + h gamma f(Z1)
 *     Z2 = z0 + h (1 - gamma) f(Z1) + h gamma f(Z2) = z1
 *
 * u and s are constant over the step: s is the mean of a coordinate, or its change over the step
 * divided by h. The mean of g over the step, (1 - gamma) g(Z1) + gamma g(Z2), acts on the
 * mechanism. The same weights give (z1 - z0) / h = mean of f exactly. Therefore the energy that a
 * motor draws from its circuit equals the work on its shaft to round-off, and an integrator of a
 * rate acts as a spring that conserves energy.
 *
 * The mean depends on s, hence on the end of the step. A push on a row is a function of the value
 * and rate of that row, linearised about the predicted end of the step. It is a term of the law of
 * the row (struct lk_answer), solved with the constraints, so that neither a stiff circuit nor a
 * stiff chamber limits the step. A push that depends on other coordinates uses their prediction, of
 * order 2. After the step the states are computed with the true s.
 *
 * With constant s, z1 is the state for the mean of s; a fast block lags by half a step. The next
 * step starts from this z1, because the coupled step is then stable for any stiffness and circuit.
 * Output values come from one more solution, with s linear in time. This solution has no other use.
 *
 * A stage is solved block by block, each after its sources, with a factor computed before the first
 * step; a state beyond a limit is set to the limit. Blocks in an algebraic loop are solved
 * together: with a constant factor if they are linear, else by Newton iterations with the true
 * Jacobian, in which a state stays at a limit while its rate points beyond the limit (active set).
 * If no block has a sensor, the three solutions of a step are the same. Values at the end of the
 * step are computed only if something uses them. The work of each step is the same, except for
 * pivoting. */
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

/* gamma: time from the start of a step to its first stage, divided by h; also the weight of
 * the second stage in the mean */
#define LK_NET_GAMMA  0.29289321881345248
#define LK_NET_NEWTON 3 /* Newton iterations of a nonlinear loop */

/** struct lk_net_source - a value that a block reads. @at: index in the inputs, sensors or blocks;
 * @value: value of a constant */
struct lk_net_source {
    enum lk_net_kind kind;
    int at;
    double value;
};

/** struct lk_net_sensor - a coordinate, or the distance of two points. @at: index of the
 * coordinate in lk_state.coordinate;  @law: law of the row that measures the distance; the
 * unused index is -1
 * @is_rate: the sensor is the rate of this quantity
 * @is_answered: a push acts on this row, so that the push depends on the sensor within the step */
struct lk_net_sensor {
    int at;
    int law;
    int is_rate;
    bool is_answered;
};

/** struct lk_net_block - a compiled block.
 * @first, @n_sources: its sources in lk_net.source
 * @state, @n_states: its states
 * @a, @b, @c, @d: LINEAR: z' = a z + b u, y = c z + d u
 * @lower, @upper: limits of its only state, or of SATURATION and DEAD_BAND
 * @n_points: TABLE: number of points @x, @y, with @slope, NULL: straight lines
 * @steps, @part: DELAY: whole steps, and the remaining fraction of a step, 0 to 1
 * @ring:   DELAY: index in lk_state.blocks of its stored means and samples, @steps + 1 numbers each
 */
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

/** struct lk_net_group - one block, or the blocks of an algebraic loop, whose states are
 * solved together. @first, @n: its blocks in lk_net.order;  @first_state, @n_states: its states
 * in lk_net.state_of
 * @matrix: index of its factor in lk_net.matrix
 * @is_loop: the blocks depend on each other;  @is_curved: a loop with curves or limits, hence
 *           nonlinear */
struct lk_net_group {
    int first;
    int n;
    int first_state;
    int n_states;
    int matrix;
    bool is_loop;
    bool is_curved;
};

/** struct lk_net_push - a term of a law whose value is the output of a block. @at, @law: the
 * row on which the term acts, as in struct lk_net_sensor */
struct lk_net_push {
    int term;
    int block;
    int at;
    int law;
};

/** struct lk_net_stage - states and outputs at one stage. @z: n_states, and @dz: n_states x
 * n_sensors: their derivatives with respect to the sensors;  @y: n_blocks, and @dy: n_blocks x
 * n_sensors */
struct lk_net_stage {
    double *z;
    double *dz;
    double *y;
    double *dy;
};

/** struct lk_net_signals - values that blocks read at one stage, beside their states. @delayed:
 * outputs of the delays, n_blocks */
struct lk_net_signals {
    const double *inputs;
    const double *sensors;
    const double *delayed;
};

/** struct lk_net - all blocks of a system, and scratch.
 * @group: in the order of solution, each after its sources;  @order: blocks in the order in
 * which their outputs are evaluated;  @state_of: states in the order of the groups
 * @is_linear: no block has curves or limits;  @is_shown: something uses the values of blocks at
 * the end of a step;  @step: h gamma [s]
 * @size: number of doubles of lk_state.blocks: states, output values, rates of all sensors in the
 *        previous step, rings of the delays
 * @slope: derivative of outputs with respect to each source
 * @acting: inputs of the model, then the mean of each block
 * @y, @f: outputs and rates of the last evaluation
 * @matrix, @scale: factors of I - h gamma df/dz of all groups
 * @base: terms of the right-hand side without f;  @right: one right-hand side
 * @column: one column of a matrix;  @is_held: whether each state is held at a limit
 * @dz: changes of states;  @inner: changes of the outputs of one group;  @outer: changes of all
 *      outputs
 * @place, @speed: value and rate of each sensor at the start of the step
 * @from, @to: sensors at both ends of a step;  @mean: their mean;  @at: sensors at a stage
 * @by_states, @by_sensor: n_sensors x n_blocks: derivatives of the outputs at the end of the
 * step with respect to each sensor, through the states at the end of the step, and directly;
 * @by_mean, @by_end,
 * @by_place: derivatives of one output with respect to each sensor */
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

/** lk_net_value() - return the value of source @i, with the outputs @y of all blocks. RT: yes. */
LK_RT double lk_net_value(const struct lk_net *net, int i, const double *y,
                          const struct lk_net_signals *at);
/** lk_net_outputs() - compute net->y and slopes at @z. RT: yes. */
LK_RT void lk_net_outputs(struct lk_net *net, const double *z, const struct lk_net_signals *at);
/** lk_net_rates() - compute net->f at @z, for the outputs in net->y. RT: yes. */
LK_RT void lk_net_rates(struct lk_net *net, const double *z, const struct lk_net_signals *at);
/** lk_net_differentiate() - compute the derivatives of the outputs of the last lk_net_outputs()
 * with respect to @sensor, with constant states. @ret: n_blocks. RT: yes. */
LK_RT void lk_net_differentiate(struct lk_net *net, int sensor, double *ret);
/** lk_net_follow() - compute the derivatives of the outputs of the last lk_net_outputs() with
 * respect to @sensor through the states at the end of the step. The last lk_net_step() has
 * computed the derivatives of the states. @ret: n_blocks. RT: yes. */
LK_RT void lk_net_follow(struct lk_net *net, int sensor, double *ret);
/** lk_net_step() - compute both stages from @z with the signals of each; stage 2 has z1.
 * @is_tangent: also compute the derivatives with respect to answered sensors. RT: yes. */
LK_RT void lk_net_step(struct lk_net *net, const double *z, const struct lk_net_signals at[2],
                       bool is_tangent);
/** lk_net_prepare() - compute the factors for steps of @h [s] of all groups but nonlinear loops,
 * and the derivatives of a linear net with respect to the sensors. Call when all blocks, sensors
 * and pushes are set.
 * Return: -1 on success, else the index of a state whose equation has no solution for the step @h.
 */
LK_RT int lk_net_prepare(struct lk_net *net, double h);

/** lk_blocks_prepare() - call lk_net_prepare() when the whole system except its start is set. */
LK_RT int lk_blocks_prepare(struct lk_system *system);
/** lk_blocks_begin() - compute the predicted means of all blocks at the start of a step, and the
 * answers of pushes to their rows. Return: @inputs, then the means. RT: yes. */
LK_RT const double *lk_blocks_begin(struct lk_system *system, const double *inputs);
/** lk_blocks_keep() - compute the states of the blocks in system->next from its coordinates, which
 * must be final. RT: yes. */
LK_RT void lk_blocks_keep(struct lk_system *system, const double *inputs);
/** lk_blocks_settle() - compute, at the start of a run, the pushes and the outputs of the blocks in
 * system->now, from states, coordinates and inputs. RT: yes. */
LK_RT void lk_blocks_settle(struct lk_system *system);
/** lk_blocks_refer() - set the pushes to their values in @state, between steps. RT: yes. */
LK_RT void lk_blocks_refer(struct lk_system *system, const struct lk_state *state);
/** lk_blocks_rates() - compute f of system->now, n_states. RT: yes. */
LK_RT void lk_blocks_rates(struct lk_system *system, double *ret);
/** lk_blocks_shown() - return the output values of the blocks in @state, n_blocks. RT: yes. */
LK_RT double *lk_blocks_shown(const struct lk_system *system, const struct lk_state *state);
/** lk_blocks_rest() - compute net->y and net->f of system->now with all rate sensors at 0 and the
 * stored outputs of delays. @ret_behind: n_blocks: source minus output of each delay; 0 for other
 * blocks.
 * RT: yes. */
LK_RT void lk_blocks_rest(struct lk_system *system, double *ret_behind);
/** lk_blocks_push() - set all values that depend on blocks to the outputs @y, until the next step.
 * RT: yes. */
LK_RT void lk_blocks_push(struct lk_system *system, const double *y);

#endif
