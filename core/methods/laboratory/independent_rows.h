/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a model are independent: solvers of the constrained equations keep these and leave
 * the rest out, where formulations that find multipliers of minimum norm keep all.
 *
 * The rows of Phi_q, rotations counted in metres at the arm of the mechanism, each divided by its
 * length, go through a QR decomposition with column pivoting of the transpose (Businger, Golub,
 * Linear least squares solutions by Householder transformations, 1965): the pivots are the rows.
 * Where a row may be left out for another, the choice is good near the pose it was made in. */
#ifndef LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H
#define LK_METHODS_LABORATORY_INDEPENDENT_ROWS_H

#include "methods/mechanics/mechanics.h"

/** struct lk_independent_rows - @n: rank;  @row: numbers of the rows, the first @n in ascending
 * order are the independent ones, then those left out;  @n_rows: of the model
 * @margin: smallest pivot kept, of the largest: how well they are independent, 0 to 1
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
 * look. Not for the cycle. Return: 0, -ENOMEM. */
int lk_independent_rows_new(const struct lk_mechanics *mechanics, struct lk_independent_rows **ret);

/** lk_independent_rows_choose() - anew, at the last evaluation. Return: 0: the same as before, 1:
 * others or another number; -ENOMEM. */
int lk_independent_rows_choose(struct lk_independent_rows *rows,
                               const struct lk_mechanics *mechanics);

/** lk_independent_rows_keep() - as many rows as before, whatever the rank is now (drift makes
 * redundant rows contradict each other, a singular pose is passed), and the same ones as long as
 * their margin is a tenth of the best: so rows change seldom. Return: as
 * lk_independent_rows_choose(). */
int lk_independent_rows_keep(struct lk_independent_rows *rows,
                             const struct lk_mechanics *mechanics);

/** lk_independent_rows_pick() - @ret[i] = @all[row[i]], @width numbers a row; n rows. @ret may be
 * @all. */
void lk_independent_rows_pick(const struct lk_independent_rows *rows, int width, const double *all,
                              double *ret);

/** lk_independent_rows_spread() - the opposite for multipliers: @ret has n_rows, zero where a row
 * was left out. */
void lk_independent_rows_spread(const struct lk_independent_rows *rows, const double *lambda,
                                double *ret);

/** lk_independent_rows_share() - multipliers of all rows with the same Phi_q^T lambda, those with
 * the least sum of (weight lambda)^2. @jacobian: Phi_q, n_rows * n_velocities, row-major;
 * @weight: of each row, above zero; @lambda: n_rows, zero where a row was left out, overwritten.
 * Return: 0, -ENOMEM. */
int lk_independent_rows_share(const struct lk_independent_rows *rows, int n_velocities,
                              const double *jacobian, const double *weight, double *lambda);

/** lk_independent_rows_gather() - the opposite: multipliers of the n rows chosen, zero elsewhere,
 * that do what @lambda of all rows does. */
int lk_independent_rows_gather(const struct lk_independent_rows *rows, int n_velocities,
                               const double *jacobian, double *lambda);

/** lk_independent_rows_free() - NULL is allowed. */
void lk_independent_rows_free(struct lk_independent_rows *rows);

#endif
