/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a mechanism that has loops, as one dense matrix, and its rank.
 *
 * A body that hangs by a single joint adds as many independent directions as that joint has rows,
 * so such bodies are taken away first, again and again; what remains are the loops. Each rigid row
 * becomes a column of unit length; each body has six rows, its translation in units of the distance
 * from its centre of mass to its farthest joint and its rotation. So neither units nor masses
 * decide the rank: a body without mass counts like any other. */
#ifndef LK_ANALYSIS_LOOPS_H
#define LK_ANALYSIS_LOOPS_H

#include "step/system.h"

#define LK_RANK_TOLERANCE 1e-8 /* of a column of unit length: below, a row says nothing new */

/** struct lk_loops - which rows of the mechanism are rows and columns of the matrix.
 * @n_columns:       rigid rows of the joints in loops
 * @n_rows:          six a body in loops
 * @column:          first column of each joint, -1: not in a loop;  @row: first row of each body,
 * -1
 * @joint_of_column: its inverse;  @body_of: the body of rows 6 i to 6 i + 5
 * @held_by:         outside the loops, the joint that each body hangs by; -1: none, it is free
 * @length:          unit of the translation of each body [m] */
struct lk_loops {
    const struct lk_system *sys;
    int n_columns;
    int n_rows;
    int *column;
    int *row;
    int *joint_of_column;
    int *body_of;
    int *held_by;
    double *length;
};

/** lk_loops_init() - find the loops. Return: 0, -ENOMEM. Release with lk_loops_fini(). */
int lk_loops_init(const struct lk_system *sys, struct lk_loops *ret_loops);
void lk_loops_fini(struct lk_loops *loops);

/** lk_loops_is_driven() - whether column @c is the row of a drive. */
int lk_loops_is_driven(const struct lk_loops *loops, int c);

/** enum lk_columns - which columns are filled; the others are zero. */
enum lk_columns { LK_COLUMNS_ALL, LK_COLUMNS_PASSIVE /* without drives */ };

/** lk_loops_matrix() - the matrix, column by column, with the bodies at @pose.
 * @ret_phi: violations in the measure of the columns; NULL is allowed */
void lk_loops_matrix(const struct lk_loops *loops, const struct lk_pose *pose,
                     enum lk_columns which, double *ret_A, double *ret_phi);

/** struct lk_rank - factors of a matrix, A P = Q R.
 * @A:     R and the reflections of Q;  @pivot: original column + 1 of each */
struct lk_rank {
    double *A;
    double *tau;
    int *pivot;
    int rank;
};

/** lk_rank_init() - matrix and its rank-revealing QR with column pivoting (LAPACK dgeqp3).
 * @tolerance: columns of which less is left are dependent
 * Return: 0, -ENOMEM, -EINVAL (not finite). Release with lk_rank_fini(). */
int lk_rank_init(const struct lk_loops *loops, const struct lk_pose *pose, enum lk_columns which,
                 double tolerance, struct lk_rank *ret_rank);
void lk_rank_fini(struct lk_rank *rank);

/** lk_rank_motions() - the motions that the factored rows allow, n_rows - rank of them,
 * orthonormal, n_rows values each, in the measure of the rows of the matrix. Return: 0, -ENOMEM;
 * free(). */
int lk_rank_motions(const struct lk_loops *loops, const struct lk_rank *rank, double **ret_motions);

#endif
