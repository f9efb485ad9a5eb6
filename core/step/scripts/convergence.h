/* SPDX-License-Identifier: Apache-2.0 */
/* How the iterations of `rattle` converge, and what that tells of their last increment. */
#ifndef LK_STEP_SCRIPTS_CONVERGENCE_H
#define LK_STEP_SCRIPTS_CONVERGENCE_H

#include "maths/vec.h"
#include "step/executor.h"

/** struct lk_convergence - of the iterations of a step. @gram: products of two increments, [i][k]
 * for k = 1 .. i, and [0][0];  @inverse: of those with themselves, 0 where a measure sees nothing
 * @violation: largest one of the last iterate that counts;  @since: first increment that tells of
 * the matrix: those before had other stops act, or lk_rattle_leaks() */
struct lk_convergence {
    lk_measures gram[LK_ITERATIONS_MAX][LK_ITERATIONS_MAX];
    lk_measures inverse[LK_ITERATIONS_MAX];
    double violation;
    int since;
};

/** lk_rattle_contraction() - @product of an increment with one before, and @inverse of that one's
 * with itself: the part of it that the error of the matrix has made of that one, as far as both
 * measures agree. Increments at round-off tell nothing: at most 1 either way. */
LK_INLINE double lk_rattle_contraction(lk_measures product, lk_measures inverse)
{
    lk_measures part = product * inverse;
    bool turns_tell =
        inverse[LK_BY_TURNS] > 0 &&
        (fabs(part[LK_BY_TURNS]) < fabs(part[LK_BY_MASS]) || inverse[LK_BY_MASS] == 0);

    return lk_clamp(turns_tell ? part[LK_BY_TURNS] : part[LK_BY_MASS], 1);
}

#define LK_CONTRACTION_MAX 0.5 /* that is made use of at most */

/** lk_rattle_stretch() - factor on an increment whose contraction is @alpha. */
LK_INLINE double lk_rattle_stretch(double alpha)
{
    return 1 / (1 - lk_clamp(alpha, LK_CONTRACTION_MAX));
}

/** lk_rattle_look_back() - progress->alpha of increment @last, whose products with those before it
 * are known: the matrix is that of q_n, and where bodies turn fast it is wrong by as much as they
 * turn in a step (C. G. Broyden's update of the inverse, in the form of P. Deuflhard, Newton
 * Methods for Nonlinear Problems, 2004, algorithm QNERR). Return: the factor on the increment. */
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

/** lk_rattle_remember() - the products of increment @last once it is corrected, and times @part,
 * from those that were found, with itself as well. */
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

#define LK_WORSE_FROM 2     /* increments after which a violation that grows is taken back, */
#define LK_WORSE      2     /* times the one before, */
#define LK_WORSE_MIN  1e-10 /* if it is larger than this [m, rad] */

/** lk_rattle_grows() - whether @violation is so much worse than the @last one that the last of the
 * increments @done is taken back. */
LK_INLINE bool lk_rattle_grows(int done, double violation, double last)
{
    return done >= LK_WORSE_FROM && violation > LK_WORSE * last && violation > LK_WORSE_MIN;
}

#define LK_LEAKS     10    /* times the violation before the first increment, */
#define LK_LEAKS_MIN 1e-13 /* if it is larger than this [m, rad]: not round-off */

/** lk_rattle_leaks() - whether the first increment leaves a much larger @violation than the @last
 * one that it found: multipliers begin at 0, so it leaves E times all of them. The next increment
 * takes that back, and would pass for a contraction of -1: increments would be halved for nothing.
 * @done: increments so far */
LK_INLINE bool lk_rattle_leaks(int done, double violation, double last)
{
    return done == 1 && violation > LK_LEAKS * last && violation > LK_LEAKS_MIN;
}

#endif
