/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, 3x3 matrices and quaternions of the small fixed sizes that rigid bodies need.
 *
 * Matrices are row-major; R turns body vectors into world vectors. Symmetric 3x3 matrices are
 * stored as xx yy zz xy xz yz, like the inertia in a model file. Quaternions are (w, x, y, z). All
 * functions are pure, inline and safe on the cycle thread; results may not alias arguments. */
#ifndef LK_MATHS_VEC_H
#define LK_MATHS_VEC_H

#include "maths/hot.h"
#include <math.h>

/* return the larger of two numbers; @a when @b is not a number */
LK_INLINE double lk_max(double a, double b)
{
    return b > a ? b : a;
}

/* return the smaller of two numbers; @a when @b is not a number */
LK_INLINE double lk_min(double a, double b)
{
    return b < a ? b : a;
}

/* return @x clamped to [-@limit, @limit]; -@limit if x is not a number */
LK_INLINE double lk_clamp(double x, double limit)
{
    double above = lk_max(-limit, x);

    return above < limit ? above : limit;
}

LK_INLINE double lk_root(double x)
{
    return sqrt(x);
}

/* The functions below are always inlined, so the calling convention for vectors does not matter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

LK_INLINE lk_four lk_root_four(lk_four x)
{
    return (lk_four){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

/* select lane by lane: @yes where the mask is set, else @no */
LK_INLINE lk_four lk_select_four(lk_four_mask mask, lk_four yes, lk_four no)
{
    return (lk_four)(((lk_four_mask)yes & mask) | ((lk_four_mask)no & ~mask));
}

/* Compute lk_max(), lane by lane. */
LK_INLINE lk_four lk_max_four(lk_four a, lk_four b)
{
    return lk_select_four(b > a, b, a);
}

/* Compute y += a x for @n values. */
LK_INLINE void lk_add_scaled(int n, double a, const double *x, double *y)
{
    int i = 0;

    for (; i + 4 <= n; i += 4)
        *(lk_four *)&y[i] += a * *(const lk_four *)&x[i];
    for (; i < n; i++)
        y[i] += a * x[i];
}

/* Transpose a 4 x 4 matrix: lane i of vector k becomes lane k of vector i. */
LK_INLINE void lk_transpose_four(const lk_four v[4], lk_four ret[4])
{
    lk_four ab = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    lk_four AB = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    lk_four cd = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    lk_four CD = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);

    ret[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    ret[1] = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);
    ret[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ret[3] = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}

LK_INLINE double lk_largest_lane(lk_four x)
{
    return lk_max(lk_max(x[0], x[1]), lk_max(x[2], x[3]));
}

/* products and rotations, for one body and for four bodies side by side */
#define LK_REAL    double
#define LK_NAME(f) lk_##f
#include "maths/rotation_inl.h"
#undef LK_REAL
#undef LK_NAME
#define LK_REAL    lk_four
#define LK_NAME(f) lk_##f##_four
#include "maths/rotation_inl.h"
#undef LK_REAL
#undef LK_NAME
#pragma GCC diagnostic pop

/* return the index of entry (@i, @k) of a symmetric matrix */
LK_INLINE int lk_sym_at(int i, int k)
{
    return i == k ? i : i + k + 2;
}

LK_INLINE double lk_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LK_INLINE double lk_norm(const double a[3])
{
    return sqrt(lk_dot(a, a));
}

/* Compute the centripetal term r = w x (w x p). */
LK_INLINE void lk_cross_twice(const double w[3], const double p[3], double r[3])
{
    double wp = lk_dot(w, p);
    double ww = lk_dot(w, w);

    for (int i = 0; i < 3; i++)
        r[i] = w[i] * wp - p[i] * ww;
}

LK_INLINE void lk_sub(const double a[3], const double b[3], double r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = a[i] - b[i];
}

/* Compute r = R a. */
LK_INLINE void lk_rotate(const double R[9], const double a[3], double r[3])
{
    r[0] = R[0] * a[0] + R[1] * a[1] + R[2] * a[2];
    r[1] = R[3] * a[0] + R[4] * a[1] + R[5] * a[2];
    r[2] = R[6] * a[0] + R[7] * a[1] + R[8] * a[2];
}

/* Compute r = R^T a. */
LK_INLINE void lk_rotate_back(const double R[9], const double a[3], double r[3])
{
    r[0] = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
    r[1] = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
    r[2] = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
}

/* Compute r = S^-1, S symmetric and positive definite. */
LK_INLINE void lk_sym_inverse(const double S[6], double r[6])
{
    double cxx = S[1] * S[2] - S[5] * S[5];
    double cxy = S[4] * S[5] - S[3] * S[2];
    double cxz = S[3] * S[5] - S[4] * S[1];
    double inv = 1 / (S[0] * cxx + S[3] * cxy + S[4] * cxz);

    r[0] = cxx * inv;
    r[1] = (S[0] * S[2] - S[4] * S[4]) * inv;
    r[2] = (S[0] * S[1] - S[3] * S[3]) * inv;
    r[3] = cxy * inv;
    r[4] = cxz * inv;
    r[5] = (S[3] * S[4] - S[0] * S[5]) * inv;
}

#endif
