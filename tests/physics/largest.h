/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PHYSICS_LARGEST_H
#define TESTS_PHYSICS_LARGEST_H

#include <math.h>

/** largest() - Return the largest of the @n differences |a - b|. @b: NULL: zeros. The result is not
 * finite if one value is not finite. */
static inline double largest(const double *a, const double *b, int n)
{
    double ret = 0;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - (b ? b[i] : 0)) <= ret))
            ret = fabs(a[i] - (b ? b[i] : 0));
    return ret;
}

#endif
