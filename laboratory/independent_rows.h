/* SPDX-License-Identifier: Apache-2.0 */
/* Independent rows of a model: solvers of the constrained equations keep these and omit the others;
 * formulations that find multipliers of minimum norm keep all.
 *
 * The rows of Phi_q, with rotations scaled to metres by the arm of the mechanism and each divided
 * by its length, go through a QR decomposition with column pivoting of the transpose (Businger,
 * Golub, Linear least squares solutions by Householder transformations, 1965): the pivots are the
 * independent rows. If several choices are possible, the choice is good near the pose at which it
 * was made. */
#ifndef LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H
#define LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H

#include "methods/mechanics/mechanics.h"

/** struct lk_independent_rows - @n: rank;  @row: indices of the rows, first the @n independent ones
 * in ascending order, then the others;  @n_rows: of the model
 * @margin: smallest kept pivot relative to the largest: how independent they are, 0 to 1
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

/** lk_independent_rows_new() - memory for the rows of @mechanics, and the first choice at its last
 * evaluation. Not for the cycle. Return: 0, -ENOMEM. */
int lk_independent_rows_new(const struct lk_mechanics *mechanics, struct lk_independent_rows **ret);

/** lk_independent_rows_choose() - chooses again, at the last evaluation. Return: 0: unchanged; 1:
 * other rows or another number; -ENOMEM. */
int lk_independent_rows_choose(struct lk_independent_rows *rows,
                               const struct lk_mechanics *mechanics);

/** lk_independent_rows_keep() - chooses as many rows as before, whatever the current rank (drift
 * makes redundant rows independent, a singular pose dependent), and the same ones while their
 * margin is at least a tenth of the best, so that rows change rarely. Return: as
 * lk_independent_rows_choose(). */
int lk_independent_rows_keep(struct lk_independent_rows *rows,
                             const struct lk_mechanics *mechanics);

/** lk_independent_rows_pick() - @ret[i] = @all[row[i]], @width numbers a row; n rows. @ret may be
 * @all. */
void lk_independent_rows_pick(const struct lk_independent_rows *rows, int width, const double *all,
                              double *ret);

/** lk_independent_rows_spread() - the inverse for multipliers: @ret has n_rows, zero for dependent
 * rows. */
void lk_independent_rows_spread(const struct lk_independent_rows *rows, const double *lambda,
                                double *ret);

/** lk_independent_rows_share() - multipliers of all rows with the same Phi_q^T lambda and minimal
 * sum of (weight lambda)^2. @jacobian: Phi_q, n_rows * n_velocities, row-major; @weight: of each
 * row, above zero; @lambda: n_rows, zero for dependent rows, overwritten. Return: 0, -ENOMEM. */
int lk_independent_rows_share(const struct lk_independent_rows *rows, int n_velocities,
                              const double *jacobian, const double *weight, double *lambda);

/** lk_independent_rows_gather() - the inverse: multipliers of the n chosen rows, zero elsewhere,
 * with the same effect as @lambda of all rows. */
int lk_independent_rows_gather(const struct lk_independent_rows *rows, int n_velocities,
                               const double *jacobian, double *lambda);

/** lk_independent_rows_free() - NULL is allowed. */
void lk_independent_rows_free(struct lk_independent_rows *rows);

#endif
