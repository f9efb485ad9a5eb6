/* SPDX-License-Identifier: Apache-2.0 */
/* Distance between the column values of two runs. */
#include "compare.h"

#include <math.h>

/* Return the sign by which a quaternion must be multiplied. Two quaternions describe the same
 * rotation; the one nearer to that of the reference is used. */
static double sign_of_turn(const struct compare_reference *r, const double *values,
                           const double *right, int first)
{
    double sum = 0;

    for (int i = first; i < r->n_columns; i++)
        if (r->columns[i].turn == r->columns[first].turn)
            sum += values[i] * right[i];
    return copysign(1, sum);
}

/* Compute the largest difference of each quantity in one sample. */
static void find_differences(const struct compare_reference *r, const double *values,
                             const double *right, double ret[COMPARE_QUANTITIES])
{
    double sign = 1;

    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        ret[q] = NAN;
    for (int i = 0; i < r->n_columns; i++) {
        const struct compare_column *c = &r->columns[i];
        double off = values[i] - right[i];

        if (c->turn >= 0 && (i == 0 || r->columns[i - 1].turn != c->turn))
            sign = sign_of_turn(r, values, right, i);
        if (c->turn >= 0)
            off = sign * values[i] - right[i];
        else if (c->source == COLUMN_ANGLE)
            off = remainder(off, 2 * M_PI);
        ret[c->quantity] = fmax(ret[c->quantity], fabs(off));
    }
}

static void keep_largest(double largest[COMPARE_QUANTITIES],
                         const double values[COMPARE_QUANTITIES])
{
    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        largest[q] = fmax(largest[q], values[q]); /* fmax() ignores NAN */
}

void compare_errors(const struct compare_reference *r, const double *values,
                    struct compare_run *run)
{
    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        run->worst[q] = run->end[q] = NAN;
    for (int k = 0; k < run->n_samples; k++) {
        size_t at = (size_t)k * (size_t)r->n_columns;

        find_differences(r, values + at, r->value + at, run->end);
        keep_largest(run->worst, run->end);
        run->error[k] = run->worst[COMPARE_POSITION];
    }
}

void compare_distance(const struct compare_reference *r, const double *values, const double *others,
                      double ret[COMPARE_QUANTITIES])
{
    double now[COMPARE_QUANTITIES];

    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        ret[q] = NAN;
    for (int k = 0; k < r->n_times; k++) {
        size_t at = (size_t)k * (size_t)r->n_columns;

        find_differences(r, values + at, others + at, now);
        keep_largest(ret, now);
    }
}
