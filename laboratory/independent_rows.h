/* SPDX-License-Identifier: Apache-2.0 */
/* Independent rows of a model: solvers of the constrained equations keep the independent rows and
 * omit the others. Formulations that find multipliers of minimum norm keep all rows.
 *
 * The rows of Phi_q are scaled: rotations to metres with the arm of the mechanism, then each
 * row to length 1. A QR decomposition with column pivoting of the transpose follows (Businger,
 * Golub, Linear least squares solutions by Householder transformations, 1965); its pivots are
 * the independent rows. If several choices are possible, the choice is good near the pose at
 * which it was made. */
#ifndef LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H
#define LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H

#include "methods/mechanics/mechanics.h"

/** struct lk_independent_rows - independent rows of a model.
 * @n:      number of independent rows (the rank);  @n_rows: number of rows of the model
 * @row:    indices of all rows: first the @n independent rows in ascending order, then the others
 * @margin: how independent the chosen rows are, 0 to 1: smallest pivot of them relative to the
 *          largest
 * The rest is private. */
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
 * Return: 0: unchanged; 1: other rows, or another number of rows; -ENOMEM. */
int lk_independent_rows_choose(struct lk_independent_rows *rows,
                               const struct lk_mechanics *mechanics);

/** lk_independent_rows_keep() - choose as many rows as before, whatever the current rank is.
 * (Drift makes redundant rows independent; a singular pose makes rows dependent.) The chosen
 * rows remain as long as their margin is at least a tenth of the best margin, so that they
 * change rarely. Return: as lk_independent_rows_choose(). */
int lk_independent_rows_keep(struct lk_independent_rows *rows,
                             const struct lk_mechanics *mechanics);

/** lk_independent_rows_pick() - copy the values of the independent rows: @ret[i] = @all[row[i]]
 * for n rows, @width numbers per row. @ret may be @all. */
void lk_independent_rows_pick(const struct lk_independent_rows *rows, int width, const double *all,
                              double *ret);

/** lk_independent_rows_spread() - copy multipliers of the independent rows to all rows. @lambda:
 * n;  @ret: n_rows, zero for dependent rows. */
void lk_independent_rows_spread(const struct lk_independent_rows *rows, const double *lambda,
                                double *ret);

/** lk_independent_rows_share() - replace multipliers of the independent rows by multipliers of all
 * rows that have the same Phi_q^T lambda and the smallest sum of (weight lambda)^2.
 * @jacobian: Phi_q, n_rows x n_velocities, row-major;  @weight: weight of each row, above zero
 * @lambda: n_rows; in: zero for dependent rows; out: the shared multipliers
 * Return: 0, -ENOMEM. */
int lk_independent_rows_share(const struct lk_independent_rows *rows, int n_velocities,
                              const double *jacobian, const double *weight, double *lambda);

/** lk_independent_rows_gather() - replace multipliers of all rows by multipliers of the n chosen
 * rows, zero for all other rows, with the same effect Phi_q^T lambda. The inverse of
 * lk_independent_rows_share(). */
int lk_independent_rows_gather(const struct lk_independent_rows *rows, int n_velocities,
                               const double *jacobian, double *lambda);

/** lk_independent_rows_free() - free @rows, which may be NULL. */
void lk_independent_rows_free(struct lk_independent_rows *rows);

#endif
