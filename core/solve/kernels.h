/* SPDX-License-Identifier: Apache-2.0 */
/* Dense kernels of one front. F is column-major with n rows, lower triangle; the first e rows and
 * columns are eliminated. fronts.c instantiates them with constant n and e for the sizes that
 * chains and loops of the shipped joints need, so that loops unroll, and once for any size. */
#ifndef LK_SOLVE_KERNELS_H
#define LK_SOLVE_KERNELS_H

#include "maths/hot.h"
#include <stddef.h>

/* L D L^T of the first e columns, Schur complement in the rest; D^-1 replaces D */
LK_INLINE void eliminate(double *restrict F, int n, int e)
{
#pragma GCC unroll 16
    for (int k = 0; k < e; k++) {
        double *restrict column = F + (ptrdiff_t)k * n;
        double inverse = 1 / column[k];

#pragma GCC unroll 16
        for (int j = k + 1; j < n; j++) {
            double *restrict target = F + (ptrdiff_t)j * n;
            double l = column[j] * inverse;

#pragma GCC unroll 16
            for (int i = j; i < n; i++)
                target[i] -= column[i] * l;
        }
        column[k] = inverse;
#pragma GCC unroll 16
        for (int i = k + 1; i < n; i++)
            column[i] *= inverse;
    }
}

/* L21 := L21 L11^-1, which is A21 A11^-1 */
LK_INLINE void fold_remaining(double *restrict F, int n, int e)
{
#pragma GCC unroll 16
    for (int k = e - 2; k >= 0; k--) {
        double *restrict column = F + (ptrdiff_t)k * n;

#pragma GCC unroll 16
        for (int j = k + 1; j < e; j++) {
            const double *restrict later = F + (ptrdiff_t)j * n;

#pragma GCC unroll 16
            for (int i = e; i < n; i++)
                column[i] -= later[i] * column[j];
        }
    }
}

/* L11 := L11^-1, unit lower; last row first, as a row reads only L of the rows above */
LK_INLINE void invert_eliminated(double *restrict F, int n, int e)
{
#pragma GCC unroll 16
    for (int i = e - 1; i > 0; i--)
#pragma GCC unroll 16
        for (int j = i - 1; j >= 0; j--) {
            double sum = F[i + (ptrdiff_t)j * n];

#pragma GCC unroll 16
            for (int k = j + 1; k < i; k++)
                sum += F[i + (ptrdiff_t)k * n] * F[k + (ptrdiff_t)j * n];
            F[i + (ptrdiff_t)j * n] = -sum;
        }
}

/** lk_kernel_factor() - partial L D L^T, stored for the shortest dependency chain in the solve:
 * L11^-1 (unit lower) and D^-1 (diagonal) in the eliminated block, U = A21 A11^-1 below it, and the
 * Schur complement A22 - U A12 in the lower triangle behind it. F must be positive definite; a zero
 * pivot gives non-finite values, and the step is rejected. RT: yes. */
LK_INLINE void lk_kernel_factor(double *restrict F, int n, int e)
{
    eliminate(F, n, e);
    fold_remaining(F, n, e);
    invert_eliminated(F, n, e);
}

/** lk_kernel_forward() - t2 := t2 - U t1, then t1 := A11^-1 t1. RT: yes. */
LK_INLINE void lk_kernel_forward(const double *restrict F, int n, int e, double *restrict t)
{
#pragma GCC unroll 16
    for (int k = 0; k < e; k++)
#pragma GCC unroll 16
        for (int i = e; i < n; i++)
            t[i] -= F[i + (ptrdiff_t)k * n] * t[k];
            /* t1 := L11^-T D^-1 L11^-1 t1; last row first, as a row reads only those above */
#pragma GCC unroll 16
    for (int i = e - 1; i >= 0; i--) {
#pragma GCC unroll 16
        for (int k = 0; k < i; k++)
            t[i] += F[i + (ptrdiff_t)k * n] * t[k];
    }
#pragma GCC unroll 16
    for (int i = 0; i < e; i++)
        t[i] *= F[i + (ptrdiff_t)i * n];
#pragma GCC unroll 16
    for (int k = 0; k < e; k++)
#pragma GCC unroll 16
        for (int i = k + 1; i < e; i++)
            t[k] += F[i + (ptrdiff_t)k * n] * t[i];
}

/** lk_kernel_backward() - t1 := t1 - U^T t2; t2 is kept. RT: yes. */
LK_INLINE void lk_kernel_backward(const double *restrict F, int n, int e, double *restrict t)
{
#pragma GCC unroll 16
    for (int k = 0; k < e; k++) {
        double sum = 0;

#pragma GCC unroll 16
        for (int i = e; i < n; i++)
            sum += F[i + (ptrdiff_t)k * n] * t[i];
        t[k] -= sum;
    }
}

#endif
