/* SPDX-License-Identifier: Apache-2.0 */
/* The Jacobian of the loops of a mechanism as one dense matrix, and its rank.
 *
 * The rows of the only joint of a body are always independent, so such bodies are removed first,
 * repeatedly; the loops remain. Each rigid row becomes a column of unit length. Each body has six
 * rows: translation in units of the distance from its centre of mass to its farthest joint, and
 * rotation. So the rank depends neither on units nor on masses; a body without mass needs no
 * special treatment. */
#ifndef LK_ANALYSIS_LOOPS_H
#define LK_ANALYSIS_LOOPS_H

#include "step/system.h"
#include <stdbool.h>

/* tolerance for a column of unit length: below it, the row is dependent */
#define LK_RANK_TOLERANCE 1e-8

/** struct lk_loops - map from joints and bodies to columns and rows of the matrix.
 * @n_columns:       rigid rows of the joints in loops
 * @n_rows:          six for each of @n_bodies bodies in loops, then one for each modal coordinate,
 *                   in units of lk_loops_mode_unit()
 * @column:          first column of each joint, -1: not in a loop;  @row: first row of each body,
 *          -1
 * @joint_of_column: joint of each column, -1: a node of a body with modes, which follows the
 *                   motion of the body and its modes by six columns;  @body_of: the body of rows 6
 * i to 6 i + 5
 * @held_by:         for bodies outside the loops, the only joint; -1: none, the body is free
 * @length:          unit of the translation of each body [m]
 * @is_held:         of lk_loops_beside(): bodies without rows, which do not move; else NULL */
struct lk_loops {
    const struct lk_system *sys;
    const bool *is_held;
    int n_columns;
    int n_rows;
    int n_bodies;
    int *column;
    int *row;
    int *joint_of_column;
    int *body_of;
    int *held_by;
    double *length;
};

/** lk_loops_init() - find the loops; with bodies that have modes as lk_loops_all(). Return: 0,
 * -ENOMEM, -EINVAL: planar reduction removed rows, so the remaining rows do not determine the rank.
 * Release with lk_loops_fini(). */
int lk_loops_init(const struct lk_system *sys, struct lk_loops *ret_loops);
void lk_loops_fini(struct lk_loops *loops);

/** lk_loops_all() - do the same as lk_loops_init(), but for all rigid joints and all bodies, in
 * loops or not. */
int lk_loops_all(const struct lk_system *sys, struct lk_loops *ret_loops);

/** lk_loops_beside() - do the same as lk_loops_all() with the bodies @is_held fixed in their pose.
 * @is_held: for each body; must outlive the result */
int lk_loops_beside(const struct lk_system *sys, const bool *is_held, struct lk_loops *ret_loops);

/** struct lk_loops_rows - rows of a joint.  @phi: violation, or value of a compliant row;  @row:
 * gradients with respect to each side: translation (world) and rotation (body axes) */
struct lk_loops_rows {
    double phi[LK_ROWS_PAD];
    double row[LK_ROWS_MAX][LK_SIDES_MAX][6];
};

/** lk_loops_rows() - compute the rows of joint @j, rigid or compliant, with the bodies at @pose.
 * The value of a coordinate row or a coupling is its change since sys->pose, at most half a turn.
 */
void lk_loops_rows(const struct lk_system *sys, const struct lk_pose *pose, int j,
                   struct lk_loops_rows *ret);

/** lk_loops_move() - move the bodies in loops by @amount times the motion @z.
 * @z:    n_rows values: for each body translation in units of its length (world), rotation vector
 *        [rad] (body axes)
 * @pose: of all bodies of the system */
void lk_loops_move(const struct lk_loops *loops, const double *z, double amount,
                   struct lk_pose *pose);

/** lk_loops_coordinate() - compute coordinate @which of joint @j with the bodies at @pose, angles
 * wrapped, and its gradient with respect to both sides.  Return: the coordinate [m or rad]. */
double lk_loops_coordinate(const struct lk_system *sys, const struct lk_pose *pose, int j,
                           int which, double ret_row[2][6]);

/** lk_loops_mode_unit() - return the unit of the modal coordinates of @modal: a length of its body
 * times the root of its mass. */
double lk_loops_mode_unit(const struct lk_loops *loops, const struct lk_modal *modal);

/** lk_loops_is_driven() - return whether column @c is a driven row. */
int lk_loops_is_driven(const struct lk_loops *loops, int c);

/** enum lk_columns - columns to fill; all other columns are zero.
 * PASSIVE: without drives;  HOLONOMIC: without K v = 0, so that motions are between poses */
enum lk_columns { LK_COLUMNS_ALL, LK_COLUMNS_PASSIVE, LK_COLUMNS_HOLONOMIC };

/** lk_loops_matrix() - compute the matrix, column by column, with the bodies at @pose.
 * @ret_phi: violations, in the scale of the columns; NULL is allowed */
void lk_loops_matrix(const struct lk_loops *loops, const struct lk_pose *pose,
                     enum lk_columns which, double *ret_A, double *ret_phi);

/** struct lk_rank - factors of a matrix, A P = Q R.
 * @A:     R and the reflections of Q;  @pivot: original index + 1 of each column */
struct lk_rank {
    double *A;
    double *tau;
    int *pivot;
    int rank;
};

/** lk_rank_init() - factor the matrix by rank-revealing QR with column pivoting (LAPACK dgeqp3).
 * @tolerance: a column is dependent if its remainder is smaller
 * Return: 0, -ENOMEM, -EINVAL (not finite). Release with lk_rank_fini(). */
int lk_rank_init(const struct lk_loops *loops, const struct lk_pose *pose, enum lk_columns which,
                 double tolerance, struct lk_rank *ret_rank);
void lk_rank_fini(struct lk_rank *rank);

/** lk_rank_motions() - compute the null space of the factored rows: n_rows - rank orthonormal
 * motions of n_rows values each, in the units of the matrix. Return: 0, -ENOMEM. Release
 * @ret_motions with free(). */
int lk_rank_motions(const struct lk_loops *loops, const struct lk_rank *rank, double **ret_motions);

#endif
