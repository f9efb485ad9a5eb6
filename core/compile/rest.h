/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in a static equilibrium: their states and what delays give are unknowns beside the poses,
 *
 *     f(z, x) = 0;    of a delay: what it takes is what it gives
 *
 * and what they give is part of the forces. A state at a limit that would leave it rests there.
 * With dz / t = f + df, for a t that grows, what nothing holds stays where it is. */
#ifndef LK_COMPILE_REST_H
#define LK_COMPILE_REST_H

#include "step/system.h"
#include <stdbool.h>

/** struct lk_rest - @n: unknowns: states of blocks, then what each delay gives;  @value: where they
 * are;  @block: to which they belong;  @n_moves: directions of bodies
 * @y: outputs of blocks in the present pose, and @f: left of each unknown, 0 where it @is_held;
 * @size: of what f is made of, as far as known
 * @y_by_pose: n_blocks x n_moves, of y;  @pull: n_blocks x n_moves: of the forces on bodies, by y
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

/** lk_rest_init() - of the blocks in @system->now; with @n_moves. Return: 0, -ENOMEM. Release with
 * lk_rest_fini(). */
int lk_rest_init(struct lk_system *system, int n_moves, struct lk_rest *ret);
void lk_rest_fini(struct lk_rest *rest);
/** lk_rest_set() - y and f in the present pose; y acts from now on. */
void lk_rest_set(struct lk_rest *rest);
/** lk_rest_look() - the same beside it: nothing else changes. @ret_y, @ret_f: n_blocks, n */
void lk_rest_look(struct lk_rest *rest, double *ret_y, double *ret_f);
/** lk_rest_push() - y acts, that of @block and @more. */
void lk_rest_push(struct lk_rest *rest, int block, double more);
/** lk_rest_fill() - rows and columns of the unknowns into @A, @width wide, from @first on; the rows
 * have their part by pose already. Those of poses get what y changes with the pose.
 * @time: t [s];  @length: of the mechanism [m] */
void lk_rest_fill(struct lk_rest *rest, double *A, int width, int first, double time,
                  double length);
/** lk_rest_follow() - unknowns += @x, within limits. */
void lk_rest_follow(struct lk_rest *rest, const double *x);
/** lk_rest_left() - largest f of the size of what it is made of; @ret_at: which. */
double lk_rest_left(const struct lk_rest *rest, int *ret_at);
/** lk_rest_keep() - delays have given what they give for ever. */
void lk_rest_keep(struct lk_rest *rest);

#endif
