/* SPDX-License-Identifier: Apache-2.0 */
/* Convergence of the iterations of `rattle`, and the resulting correction of increments. */
#ifndef LK_STEP_SCRIPTS_CONVERGENCE_H
#define LK_STEP_SCRIPTS_CONVERGENCE_H

#include "maths/vec.h"
#include "step/executor.h"

/** struct lk_convergence - history of the iterations of a step. @gram: products of two
 * increments, [i][k] for k = 1 .. i, and [0][0];  @inverse: inverse of the product of each
 * increment with itself, 0 if a measure is 0
 * @violation: largest violation of the last accepted iterate
 * @since: first increment that contains information about the error of the matrix. Earlier
 *         increments had other active stops, or lk_rattle_leaks() was true */
struct lk_convergence {
    lk_measures gram[LK_ITERATIONS_MAX][LK_ITERATIONS_MAX];
    lk_measures inverse[LK_ITERATIONS_MAX];
    double violation;
    int since;
};

/** lk_rattle_contraction() - return alpha, the multiple of an earlier increment that the error of
 * the matrix has added to the present increment, in the measure with the smaller value. @product:
 * product of both increments;  @inverse: inverse of the product of the earlier increment with
 * itself. Limited to -1 .. 1, because increments at round-off level contain no information. */
LK_INLINE double lk_rattle_contraction(lk_measures product, lk_measures inverse)
{
    lk_measures part = product * inverse;
    bool turns_tell =
        inverse[LK_BY_TURNS] > 0 &&
        (fabs(part[LK_BY_TURNS]) < fabs(part[LK_BY_MASS]) || inverse[LK_BY_MASS] == 0);

    return lk_clamp(turns_tell ? part[LK_BY_TURNS] : part[LK_BY_MASS], 1);
}

#define LK_CONTRACTION_MAX 0.5 /* largest contraction that is used */

/** lk_rattle_stretch() - return the factor on an increment whose contraction is @alpha. */
LK_INLINE double lk_rattle_stretch(double alpha)
{
    return 1 / (1 - lk_clamp(alpha, LK_CONTRACTION_MAX));
}

/** lk_rattle_look_back() - compute progress->alpha of increment @last from its products with
 * earlier increments. The matrix is computed at q_n; its error results from the rotation of the
 * bodies in the step. The correction is C. G. Broyden's update of the inverse, in the form of P.
 * Deuflhard, Newton Methods for Nonlinear Problems, 2004, algorithm QNERR. Return: the factor on
 * the increment. */
LK_INLINE double lk_rattle_look_back(const struct lk_convergence *restrict past,
                                     struct lk_progress *restrict progress, int last)
{
    double alpha = 0;

    for (int i = 0; i < last; i++)
        progress->alpha[i] = 0;
    for (int i = past->since; i < last; i++) {
        lk_measures product = progress->product[i];

        for (int k = 0; k < i; k++)
            product += progress->alpha[k] * past->gram[i][k + 1];
        alpha = progress->alpha[i] = lk_rattle_contraction(product, past->inverse[i]);
    }
    return lk_rattle_stretch(alpha);
}

/** lk_rattle_remember() - store the products of increment @last, corrected and multiplied by @part,
 * with all increments and itself. They are computed from the products before the correction. */
LK_INLINE void lk_rattle_remember(struct lk_convergence *restrict past,
                                  const struct lk_progress *restrict progress, int last,
                                  double part)
{
    lk_measures square = progress->product[last], inverse;

    for (int k = 1; k < last; k++) {
        lk_measures product = progress->product[k];

        for (int i = 1; i <= k; i++)
            product += progress->alpha[i - 1] * past->gram[k][i];
        for (int i = k + 1; i < last; i++)
            product += progress->alpha[i - 1] * past->gram[i][k];
        square += progress->alpha[k - 1] * (progress->product[k] + product);
        past->gram[last][k] = part * product;
    }
    square *= part * part;
    past->gram[last][last] = square;
    for (int m = 0; m < LK_MEASURES; m++)
        inverse[m] = square[m] > 0 ? 1 / square[m] : 0;
    past->inverse[last] = inverse;
}

#define LK_WORSE_FROM 2     /* least number of increments before an iterate is discarded */
#define LK_WORSE      2     /* ratio to the previous violation above which it is discarded */
#define LK_WORSE_MIN  1e-10 /* violation up to which no iterate is discarded [m, rad] */

/** lk_rattle_grows() - return whether @violation exceeds @last, the violation of the previous
 * iterate, so much that the last increment is discarded. @done: number of increments so far */
LK_INLINE bool lk_rattle_grows(int done, double violation, double last)
{
    return done >= LK_WORSE_FROM && violation > LK_WORSE * last && violation > LK_WORSE_MIN;
}

#define LK_LEAKS     10    /* ratio of the violation after the first increment to that before it */
#define LK_LEAKS_MIN 1e-13 /* smallest violation above round-off [m, rad] */

/** lk_rattle_leaks() - return whether the first increment leaves a much larger @violation than
 * @last, the violation before it. Multipliers begin at 0, so that the first increment leaves a
 * violation of E times all multipliers, and the next increment removes this violation. Without this
 * test, the next increment would look like a contraction of -1, and increments would be halved
 * without need.
 * @done: number of increments so far */
LK_INLINE bool lk_rattle_leaks(int done, double violation, double last)
{
    return done == 1 && violation > LK_LEAKS * last && violation > LK_LEAKS_MIN;
}

#endif
