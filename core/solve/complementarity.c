/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/complementarity.h"
#include "maths/vec.h"
#include <stdbool.h>
#include <string.h>

#define SWEEPS       4
#define PIVOTS(n)    ((n) < 3 ? 3 * (n) + 2 : (n) + 8)
#define PIVOT_MIN    1e-14 /* smallest pivot, relative to the diagonal of A */
#define VIOLATED_MIN 1e-13 /* least violation, relative to the largest term of its row */

/* Perform one projected Gauss-Seidel sweep. */
static void sweep(int n, const double *A, const double *b, const double *lower, const double *upper,
                  double *x)
{
    for (int i = 0; i < n; i++) {
        double d = b[i] + A[i * n + i] * x[i];

        for (int k = 0; k < n; k++)
            d -= A[i * n + k] * x[k];
        x[i] = (d > upper[i] ? d - upper[i] : d < lower[i] ? d - lower[i] : 0) / A[i * n + i];
    }
}

/* four doubles at any address */
typedef double four __attribute__((vector_size(32), aligned(8)));

/* Compute y += part x. */
static void add_scaled(int n, double part, const double *x, double *y)
{
    int i = 0;

    for (; i + 3 < n; i += 4)
        *(four *)(y + i) += part * *(const four *)(x + i);
    for (; i < n; i++)
        y[i] += part * x[i];
}

/* compute y += A x for a symmetric A; four columns at a time */
static void add_product(int n, const double *A, const double *x, double *y)
{
    int k = 0;

    for (; k + 3 < n; k += 4) {
        const double *a = A + k * n, *b = a + n, *c = b + n, *d = c + n;
        int i = 0;

        for (; i + 3 < n; i += 4)
            *(four *)(y + i) +=
                *(const four *)(a + i) * x[k] + *(const four *)(b + i) * x[k + 1] +
                (*(const four *)(c + i) * x[k + 2] + *(const four *)(d + i) * x[k + 3]);
        for (; i < n; i++)
            y[i] += a[i] * x[k] + b[i] * x[k + 1] + (c[i] * x[k + 2] + d[i] * x[k + 3]);
    }
    for (; k < n; k++)
        add_scaled(n, x[k], A + k * n, y);
}

/* Perform one principal pivot (A. W. Tucker, Principal pivotal transforms of square matrices,
 * 1963). T, initially A, becomes [A_aa^-1, A_aa^-1 A_ao; -A_oa A_aa^-1, Schur complement] for the
 * active contacts a and the other contacts o. Each pivot activates or deactivates one contact.
 * @which: the contact, or -1: do the same work without changing T;  @least: lower bound of the
 *         pivot */
static void exchange(int n, int which, double least, double *T)
{
    int p = which < 0 ? 0 : which;
    double on = which < 0 ? 0 : 1, inverse = which < 0 ? 1 : 1 / lk_max(T[p * n + p], least);
    double *restrict row = T + p * n;

    row[p] = which < 0 ? row[p] : 1;
    for (int k = 0; k < n; k++)
        row[k] *= inverse;
    for (int i = 0; i < n; i++) {
        double part = i == p ? 0 : on * T[i * n + p];

        T[i * n + p] *= i == p ? 1 : 1 - on;
        add_scaled(n, -part, row, T + i * n);
    }
}

/* Compute d = b - A x, and in @size an upper bound of the largest term in each row of d. The bound
 * uses |A_ik| <= root_i root_k, because A is positive definite. @root: square roots of the diagonal
 * of A */
static void find_distances(int n, const double *A, const double *b, const double *root,
                           const double *x, double *d, double *size)
{
    double most = 0;

    for (int i = 0; i < n; i++) {
        d[i] = -b[i];
        most = lk_max(most, root[i] * fabs(x[i]));
    }
    add_product(n, A, x, d);
    for (int i = 0; i < n; i++) {
        d[i] = -d[i];
        size[i] = lk_max(fabs(b[i]), root[i] * most);
    }
}

/* activate the contact that violates its limit most. Return: its index, or -1 */
static int add_most_violated(int n, const double *d, const double *size, const double *lower,
                             const double *upper, double *acts)
{
    double most = 0;
    int which = -1;

    for (int i = 0; i < n; i++) {
        double past = lk_max(d[i] - upper[i], lower[i] - d[i]);

        if (acts[i] == 0 && past > VIOLATED_MIN * size[i] && past > most) {
            most = past;
            which = i;
        }
    }
    if (which >= 0)
        acts[which] = d[which] > upper[which] ? 1 : -1;
    return which;
}

/* Compute the multipliers y = x + A_aa^-1 (d - limits), with which the active contacts are at their
 * limits. For the other contacts, y = 0. @beyond: d - limits */
static void solve_acting(int n, const double *T, const double *d, const double *lower,
                         const double *upper, const double *acts, const double *x, double *beyond,
                         double *y)
{
    for (int i = 0; i < n; i++) {
        beyond[i] = acts[i] > 0 ? d[i] - upper[i] : acts[i] < 0 ? d[i] - lower[i] : 0;
        y[i] = x[i];
    }
    add_product(n, T, beyond, y);
    for (int i = 0; i < n; i++)
        y[i] = acts[i] != 0 ? y[i] : 0;
}

/* Move x towards the solution @y of the active contacts, until one of them would pull; that contact
 * becomes inactive. Return: its index, or -1 */
static int approach(int n, const double *y, double *x, double *acts)
{
    double part = 1;
    int first = -1;

    for (int i = 0; i < n; i++) {
        double to = x[i] / (x[i] - y[i]);

        if (acts[i] * y[i] < 0 && to < part) {
            part = to;
            first = i;
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] += part * (y[i] - x[i]);
        if (i == first || acts[i] * x[i] <= 0)
            x[i] = 0;
    }
    if (first >= 0)
        acts[first] = 0;
    return first;
}

void lk_complementarity_solve(int n, const double *A, const double *b, const double *lower,
                              const double *upper, double *x, double *scratch)
{
    double *T = scratch, *y = T + n * n, *acts = y + n, *d = acts + n, *size = d + n,
           *root = size + n;
    bool is_added = false;
    int changed = -1;

    for (int i = 0; i < SWEEPS; i++)
        sweep(n, A, b, lower, upper, x);
    memcpy(T, A, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        root[i] = sqrt(A[i * n + i]);
        acts[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
        exchange(n, acts[i] != 0 ? i : -1, PIVOT_MIN * A[i * n + i], T);
    }
    for (int pivot = 0; pivot < PIVOTS(n); pivot++) {
        find_distances(n, A, b, root, x, d, size);
        if (is_added)
            changed = add_most_violated(n, d, size, lower, upper, acts);
        exchange(n, changed, is_added && changed >= 0 ? PIVOT_MIN * A[changed * (n + 1)] : 0, T);
        solve_acting(n, T, d, lower, upper, acts, x, size, y);
        changed = approach(n, y, x, acts);
        is_added = changed < 0;
    }
}

double lk_complementarity_flops(int n)
{
    double square = 2.0 * n * n;

    return square * (SWEEPS + n + PIVOTS(n) * 3);
}
