/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/complementarity.h"
#include "maths/vec.h"
#include <stdbool.h>

#define SWEEPS       4
#define PIVOTS(n)    ((n) + 8)
#define PIVOT_MIN    1e-14 /* of a diagonal */
#define VIOLATED_MIN 1e-13 /* of the largest number in a row of b - A x */

/* one projected Gauss-Seidel sweep */
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

/* L D L^T of A among the contacts that act, the identity for the others */
static void factor_acting(int n, const double *A, const double *acts, double *L)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = acts[i] != 0 && acts[k] != 0 ? A[i * n + k] : i == k;

            for (int m = 0; m < k; m++)
                sum -= L[i * n + m] * L[k * n + m] * L[m * n + m];
            L[i * n + k] = i == k ? lk_max(sum, PIVOT_MIN * A[i * n + i]) : sum / L[k * n + k];
        }
}

static void solve_factored(int n, const double *L, double *y)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            y[i] -= L[i * n + k] * y[k];
    for (int i = n - 1; i >= 0; i--) {
        y[i] /= L[i * n + i];
        for (int k = i + 1; k < n; k++)
            y[i] -= L[k * n + i] * y[k];
    }
}

/* x towards the solution @y among the contacts that act, until one of them would pull; that one
 * acts no more. Return: whether none did. */
static bool approach(int n, const double *y, double *x, double *acts)
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
    return first < 0;
}

/* the contact that violates its limit most acts from now on */
static void add_most_violated(int n, const double *A, const double *b, const double *lower,
                              const double *upper, const double *x, double *acts)
{
    double most = 0;
    int which = -1;

    for (int i = 0; i < n; i++) {
        double d = b[i], size = fabs(b[i]), past;

        for (int k = 0; k < n; k++) {
            d -= A[i * n + k] * x[k];
            size = lk_max(size, fabs(A[i * n + k] * x[k]));
        }
        past = lk_max(d - upper[i], lower[i] - d);
        if (acts[i] == 0 && past > VIOLATED_MIN * size && past > most) {
            most = past;
            which = d > upper[i] ? i : -2 - i;
        }
    }
    if (which >= 0)
        acts[which] = 1;
    else if (which < -1)
        acts[-2 - which] = -1;
}

void lk_complementarity_solve(int n, const double *A, const double *b, const double *lower,
                              const double *upper, double *x, double *scratch)
{
    double *L = scratch, *y = L + n * n, *acts = y + n;

    for (int i = 0; i < SWEEPS; i++)
        sweep(n, A, b, lower, upper, x);
    for (int i = 0; i < n; i++)
        acts[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
    for (int pivot = 0; pivot < PIVOTS(n); pivot++) {
        factor_acting(n, A, acts, L);
        for (int i = 0; i < n; i++)
            y[i] = acts[i] > 0 ? b[i] - upper[i] : acts[i] < 0 ? b[i] - lower[i] : 0;
        solve_factored(n, L, y);
        if (approach(n, y, x, acts))
            add_most_violated(n, A, b, lower, upper, x, acts);
    }
}
