/* SPDX-License-Identifier: Apache-2.0 */
/* Computes principal moments by the cyclic Jacobi method. Its error is a few units in the last
 * place of the largest moment; the closed form from the cubic loses half the digits when moments
 * are equal. */
#include "reader.h"

#include <math.h>

/* Rotates the plane (p, q) of @a so that a[p][q] becomes zero, and rotates the columns of @v
 * likewise. */
static void rotate_plane(double a[3][3], double v[3][3], int p, int q)
{
    int r = 3 - p - q;
    double ratio, t, c, s, a_pq = a[p][q], a_rp = a[r][p], a_rq = a[r][q];

    if (a_pq == 0)
        return;
    ratio = (a[q][q] - a[p][p]) / (2 * a_pq);
    t = copysign(1, ratio) / (fabs(ratio) + hypot(ratio, 1));
    c = 1 / hypot(t, 1);
    s = t * c;
    a[p][p] -= t * a_pq;
    a[q][q] += t * a_pq;
    a[p][q] = a[q][p] = 0;
    a[r][p] = a[p][r] = c * a_rp - s * a_rq;
    a[r][q] = a[q][r] = s * a_rp + c * a_rq;
    for (int i = 0; i < 3; i++) {
        double v_ip = v[i][p], v_iq = v[i][q];

        v[i][p] = c * v_ip - s * v_iq;
        v[i][q] = s * v_ip + c * v_iq;
    }
}

static void order(double *low, double *high)
{
    double smaller = fmin(*low, *high);

    *high = fmax(*low, *high);
    *low = smaller;
}

void lk_principal_axes(const double inertia[6], double ret[3], double ret_axes[3][3])
{
    double a[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            ret_axes[i][k] = i == k;
    /* convergence is quadratic: four sweeps are enough; eight are a safety margin */
    for (int sweep = 0; sweep < 8; sweep++) {
        rotate_plane(a, ret_axes, 0, 1);
        rotate_plane(a, ret_axes, 0, 2);
        rotate_plane(a, ret_axes, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        ret[i] = a[i][i];
}

void lk_principal_moments(const double inertia[6], double ret[3])
{
    double axes[3][3];

    lk_principal_axes(inertia, ret, axes);
    order(&ret[0], &ret[1]);
    order(&ret[1], &ret[2]);
    order(&ret[0], &ret[1]);
}
