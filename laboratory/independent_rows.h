/* SPDX-License-Identifier: Apache-2.0 */
/* Independent rows of a model. Solvers of the constrained equations keep the independent rows and
 * omit the dependent rows. Formulations that compute multipliers of minimum norm keep all rows.
 *
 * The rows of Phi_q are scaled: rotations to metres with the arm of the mechanism, then each row to
 * length 1. Then the transpose is decomposed by QR with column pivoting (Businger, Golub, Linear
 * least squares solutions by Householder transformations, 1965). The pivot columns are the
 * independent rows. If several choices are possible, the choice is good near the pose at which it
 * was made. */
#ifndef LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H
#define LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H

#include "methods/mechanics/mechanics.h"

/** struct lk_independent_rows - independent rows of a model. Members after @margin are private.
 * @n:      number of independent rows (the rank)
 * @n_rows: number of rows of the model
 * @row:    indices of all rows: first the @n independent rows in ascending order, then the
 *          dependent rows
 * @margin: smallest pivot of the chosen rows relative to the largest, 0 (dependent) to 1 */
struct lk_independent_rows {
    int n;
    int n_rows;
    int *row;
    double margin;
    double arm;
    double *transpose;
    double *tau;
    int *pivot;
    int *best;
};

/** lk_independent_rows_new() - allocate memory for the rows of @mechanics, and choose rows at its
 * last evaluation. Not for the cycle. Return: 0, -ENOMEM. */
int lk_independent_rows_new(const struct lk_mechanics *mechanics, struct lk_independent_rows **ret);

/** lk_independent_rows_choose() - choose rows again, at the last evaluation of @mechanics.
 * Return: 0: unchanged; 1: the choice or the number of rows changed; -ENOMEM. */
int lk_independent_rows_choose(struct lk_independent_rows *rows,
                               const struct lk_mechanics *mechanics);

/** lk_independent_rows_keep() - choose as many rows as before, even if the rank at the current pose
 * is different. (Drift makes redundant rows independent; a singular pose makes rows dependent.) The
 * chosen rows are kept if their margin is at least a tenth of the best margin, so that they change
 * rarely.
 * Return: as lk_independent_rows_choose(). */
int lk_independent_rows_keep(struct lk_independent_rows *rows,
                             const struct lk_mechanics *mechanics);

/** lk_independent_rows_pick() - copy the values of the independent rows: @ret[i] = @all[row[i]]
 * for n rows, @width numbers per row. @ret may be @all. */
void lk_independent_rows_pick(const struct lk_independent_rows *rows, int width, const double *all,
                              double *ret);

/** lk_independent_rows_spread() - copy multipliers of the independent rows to an array of all rows.
 * @lambda: n multipliers
 * @ret:    n_rows multipliers, zero for dependent rows */
void lk_independent_rows_spread(const struct lk_independent_rows *rows, const double *lambda,
                                double *ret);

/** lk_independent_rows_share() - distribute the multipliers of the independent rows over all rows,
 * with the same Phi_q^T lambda and the smallest sum of (weight lambda)^2.
 * @jacobian: Phi_q, n_rows x n_velocities, row-major
 * @weight:   weight of each row, above zero
 * @lambda:   n_rows; in: zero for dependent rows; out: the distributed multipliers
 * Return: 0, -ENOMEM. */
int lk_independent_rows_share(const struct lk_independent_rows *rows, int n_velocities,
                              const double *jacobian, const double *weight, double *lambda);

/** lk_independent_rows_gather() - replace multipliers of all rows with multipliers of the n
 * independent rows, with the same effect Phi_q^T lambda and zero for all dependent rows. The
 * inverse of lk_independent_rows_share().
 * Return: 0, -ENOMEM. */
int lk_independent_rows_gather(const struct lk_independent_rows *rows, int n_velocities,
                               const double *jacobian, double *lambda);

/** lk_independent_rows_free() - free @rows, which may be NULL. */
void lk_independent_rows_free(struct lk_independent_rows *rows);

#endif
