/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in a static equilibrium. The states z of blocks and the outputs of delays are unknowns in
 * addition to the poses x, with the equations
 *
 *     f(z, x) = 0;    for a delay: input = output
 *
 * The outputs of blocks contribute to the forces. A state that would leave its limit is held at the
 * limit. The iteration uses dz / t = f + df with growing t, so that a state that no equation
 * determines keeps its value. */
#ifndef LK_COMPILE_REST_H
#define LK_COMPILE_REST_H

#include "step/system.h"
#include <stdbool.h>

/** struct lk_rest - the unknowns of the blocks.
 * @n: number of unknowns: states of blocks, then the output of each delay
 * @value: pointer to each unknown in the state;  @block: block of each unknown
 * @n_moves: directions of bodies;  @is_held: the unknown is at a limit
 * @y: outputs of blocks in the present pose;  @f: residual of each unknown, 0 if @is_held
 * @size: magnitude of the terms of f, from the last lk_rest_fill(), to make f relative
 * @y_by_pose: n_blocks x n_moves, dy/dq;  @pull: n_blocks x n_moves, d(forces on bodies)/dy
 * @other_y, @other_f, @behind: scratch */
struct lk_rest {
    struct lk_system *sys;
    int n;
    int n_moves;
    double **value;
    int *block;
    bool *is_held;
    double *y;
    double *f;
    double *size;
    double *y_by_pose;
    double *pull;
    double *other_y[2];
    double *other_f[2];
    double *behind;
    double *memory;
};

/** lk_rest_init() - collect the unknowns of the blocks in @system->now; @n_moves: directions of
 * bodies. Return: 0, -ENOMEM. Release with lk_rest_fini(). */
int lk_rest_init(struct lk_system *system, int n_moves, struct lk_rest *ret);
void lk_rest_fini(struct lk_rest *rest);
/** lk_rest_set() - compute y and f in the present pose, and apply y to the mechanism. */
void lk_rest_set(struct lk_rest *rest);
/** lk_rest_look() - compute y and f of the present state without any other change.
 * @ret_y: n_blocks values;  @ret_f: n values */
void lk_rest_look(struct lk_rest *rest, double *ret_y, double *ret_f);
/** lk_rest_push() - apply y to the mechanism, with @more added to the output of @block. */
void lk_rest_push(struct lk_rest *rest, int block, double more);
/** lk_rest_fill() - add the rows and columns of the unknowns to the matrix @A, @width wide, from
 * index @first on; df/dq must be in these rows already. Also add to the rows of the bodies the
 * change of y with the pose.
 * @time: t [s];  @length: length of the mechanism [m] */
void lk_rest_fill(struct lk_rest *rest, double *A, int width, int first, double time,
                  double length);
/** lk_rest_follow() - add @x to the unknowns, within limits. */
void lk_rest_follow(struct lk_rest *rest, const double *x);
/** lk_rest_left() - return the largest f relative to the magnitude of its terms; @ret_at: the
 * unknown of that f. */
double lk_rest_left(const struct lk_rest *rest, int *ret_at);
/** lk_rest_keep() - fill the history of each delay with its present output. */
void lk_rest_keep(struct lk_rest *rest);

#endif
