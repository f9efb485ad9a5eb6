/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/implicit/radau.h"

#include <math.h>
#include <string.h>

#define MOST_FIXED 30 /* largest number of Newton iterations of a fixed step */

/* Nodes are (4 - sqrt 6) / 10, (4 + sqrt 6) / 10 and 1. The inverse of the Runge-Kutta matrix is
 * T diag(GAMMA, ALPHA +- i OMEGA) T^-1. */
#define ROOT6 2.449489742783178098197284
static const double node[3] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double estimate[3] = {-(13 + 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3};
static const double T[3][3] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
};
static const double T_inverse[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};

static const double GAMMA = 3.6378342527444957322;
static const double ALPHA = 2.6810828736277521338;
static const double OMEGA = 3.0504301992474105694;

/* ---- the Newton iteration ---- */

/* Compute @ret = @basis @x, where @x and @ret consist of three blocks of n numbers. */
static void change_basis(const double basis[3][3], int n, const double *x, double *ret)
{
    for (int i = 0; i < n; i++) {
        double a = x[i], b = x[n + i], c = x[2 * n + i];

        for (int k = 0; k < 3; k++)
            ret[k * n + i] = basis[k][0] * a + basis[k][1] * b + basis[k][2] * c;
    }
}

/* Return the Lagrange polynomial of node @l at @x, and its derivative. Node 0 is the start of the
 * step; nodes 1 to 3 are those of the method. */
static double lagrange(int l, double x, double *ret_slope)
{
    static const double at[4] = {0, (4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
    double value = 1, slope = 0;

    for (int m = 0; m < 4; m++) {
        if (m == l)
            continue;
        slope = slope * (x - at[m]) / (at[l] - at[m]) + value / (at[l] - at[m]);
        value *= (x - at[m]) / (at[l] - at[m]);
    }
    *ret_slope = slope;
    return value;
}

/* Predict the stages from the previous collocation polynomial, or by y if there is none. */
static void predict_stages(struct lk_radau *s, double h)
{
    int n = s->n;

    memset(s->z, 0, 3 * (size_t)n * sizeof(double));
    for (int k = 0; k < 3 && s->has_past; k++) {
        double x = 1 + node[k] * h / s->h_old;

        for (int l = 1; l < 4; l++) {
            double slope, weight = lagrange(l, x, &slope) - (l == 3 ? 1 : 0);

            for (int i = 0; i < n; i++)
                s->z[k * n + i] += weight * s->past[(l - 1) * n + i];
        }
    }
    change_basis(T_inverse, n, s->z, s->w);
}

/* Compute dw = T^-1 g(stages) minus the transformed inverse of the Runge-Kutta matrix times B w /
 * h. */
static int evaluate_residual(struct lk_radau *s, double h)
{
    int n = s->n;
    double *d = s->dw, *Bw = s->Bw;

    for (int k = 0; k < 3; k++) {
        int r;

        for (int i = 0; i < n; i++)
            s->stage[i] = s->y[i] + s->z[k * n + i];
        r = s->dae->rate(s->dae, s->t + node[k] * h, s->stage, d + k * n);
        if (r != 0)
            return r;
        lk_dae_mass(s->dae, s->w + k * n, Bw + k * n);
    }
    change_basis(T_inverse, n, d, d);
    for (int i = 0; i < n; i++) {
        d[i] -= GAMMA / h * Bw[i];
        d[n + i] -= (ALPHA * Bw[n + i] - OMEGA * Bw[2 * n + i]) / h;
        d[2 * n + i] -= (ALPHA * Bw[2 * n + i] + OMEGA * Bw[n + i]) / h;
    }
    return 0;
}

/* Make one Newton iteration.
 * @ret_size: norm of the increment, relative to the tolerance */
static int iterate_newton(struct lk_radau *s, double h, double *ret_size)
{
    int n = s->n, r = evaluate_residual(s, h);
    double sum = 0;

    if (r != 0)
        return r;
    s->dae->problem->counts.iterations++;
    lk_newton_solve(&s->newton, s->dw);
    lk_newton_solve_twisted(&s->newton, s->dw + n, s->dw + 2 * n);
    for (int k = 0; k < 3; k++) {
        double size = lk_dae_norm(n, s->dw + k * n, s->weight);

        sum += size * size;
    }
    for (int i = 0; i < 3 * n; i++)
        s->w[i] += s->dw[i];
    change_basis(T, n, s->w, s->z);
    *ret_size = sqrt(sum / 3);
    return 0;
}

/** struct progress - convergence of the iteration.
 * @n:          number of increments so far
 * @size:       norm of the last increment
 * @rate:       rate of contraction
 * @last_ratio: ratio of the last two increments */
struct progress {
    int n;
    double size;
    double rate;
    double last_ratio;
};

/* Update the rate of contraction: the geometric mean of the last two ratios. */
static void observe_contraction(struct progress *p, double size)
{
    if (p->n++ > 0) {
        double ratio = size / fmax(p->size, 1e-300);

        p->rate = p->n == 2 ? ratio : sqrt(ratio * p->last_ratio);
        p->last_ratio = ratio;
    }
    p->size = size;
}

int lk_radau_solve(struct lk_radau *s, double h, int *ret_iterations, double *ret_ratio)
{
    int is_fixed = !(s->dae->problem->tolerance > 0), most = is_fixed ? MOST_FIXED : LK_RADAU_MOST;
    struct progress p = {.rate = s->theta > 0 ? fmax(s->theta, 1e-8) : 0.5};
    double size, left = 0;

    *ret_ratio = 0.5;
    predict_stages(s, h);
    for (int i = 1; i <= most; i++) {
        int r = iterate_newton(s, h, &size);

        if (r != 0 || !isfinite(size))
            return r ? r : LK_E_STALLED;
        observe_contraction(&p, size);
        if (i > 1 && p.rate >= 0.99)
            return is_fixed && size < 1 ? 0 : LK_E_STALLED;
        left = size * p.rate / (1 - p.rate);
        *ret_iterations = i;
        if ((i > 1 && left <= s->kappa) || size <= 1e-3 * s->kappa) {
            s->theta = i > 1 ? p.rate : s->theta;
            return 0;
        }
        if (i > 1 && !is_fixed && left * pow(p.rate, most - 1 - i) > s->kappa) {
            double far = left * pow(p.rate, most - 1 - i) / s->kappa;

            *ret_ratio = 0.8 * pow(fmax(1e-4, fmin(20, far)), -1.0 / (4 + most - 1 - i));
            return LK_E_STALLED;
        }
    }
    return is_fixed && size < 1 ? 0 : LK_E_STALLED;
}

/* ---- error estimate and preparation of a step ---- */

/* Compute the error (GAMMA / h B - dg/dy)^-1 (g0 + B sum estimate z / h). If @again is set, a large
 * error is estimated a second time, with g0 evaluated at y plus the first estimate. */
double lk_radau_error(struct lk_radau *s, double h, int again)
{
    int n = s->n;
    double *e = s->stage, *Bz = s->dw, *combined = s->dw + n, error;

    for (int i = 0; i < n; i++)
        combined[i] =
            (estimate[0] * s->z[i] + estimate[1] * s->z[n + i] + estimate[2] * s->z[2 * n + i]) / h;
    lk_dae_mass(s->dae, combined, Bz);
    for (int i = 0; i < n; i++)
        e[i] = Bz[i] + s->g[i];
    lk_newton_solve(&s->newton, e);
    error = lk_dae_norm(n, e, s->weight);
    if (!(error >= 1) || !again)
        return error;
    for (int i = 0; i < n; i++)
        combined[i] = s->y[i] + e[i];
    if (s->dae->rate(s->dae, s->t, combined, e) != 0)
        return error;
    for (int i = 0; i < n; i++)
        e[i] += Bz[i];
    lk_newton_solve(&s->newton, e);
    return lk_dae_norm(n, e, s->weight);
}

int lk_radau_get_ready(struct lk_radau *s, double h)
{
    int r = 0;

    if (s->n_steps == 0 && !s->has_jacobian)
        r = s->dae->rate(s->dae, s->t, s->y, s->g);
    if (r == 0 && !s->has_jacobian) {
        r = lk_newton_evaluate_jacobian(&s->newton, s->dae, s->t, s->y, s->g);
        s->has_jacobian = s->is_fresh = 1;
        s->has_factors = 0;
    }
    if (r == 0 && (!s->has_factors || s->h_factors != h)) {
        r = lk_newton_factor(&s->newton, s->dae, GAMMA / h, (ALPHA + I * OMEGA) / h);
        s->has_factors = 1;
        s->h_factors = h;
    }
    lk_dae_weights(s->dae, s->tolerance, h, s->y, s->weight);
    return r;
}

void lk_radau_interpolate(const struct lk_radau *s, double t, double *ret, double *ret_slope)
{
    int n = s->n;
    double h = s->t - s->t_begin;

    for (int i = 0; i < n; i++) {
        ret[i] = s->begin[i];
        ret_slope[i] = 0;
    }
    for (int l = 1; l < 4; l++) {
        double slope, weight = lagrange(l, (t - s->t_begin) / h, &slope);

        for (int i = 0; i < n; i++) {
            ret[i] += weight * s->past[(l - 1) * n + i];
            ret_slope[i] += slope / h * s->past[(l - 1) * n + i];
        }
    }
}

void lk_radau_move(struct lk_radau *s, double h)
{
    int n = s->n;

    memcpy(s->begin, s->y, (size_t)n * sizeof(double));
    s->t_begin = s->t;
    for (int i = 0; i < n; i++) {
        s->y[i] += s->z[2 * n + i];
        s->slope[i] =
            (T[2][0] * GAMMA * s->w[i] + ALPHA * s->w[n + i] - OMEGA * s->w[2 * n + i]) / h;
    }
    memcpy(s->past, s->z, 3 * (size_t)n * sizeof(double));
    s->h_old = h;
    s->has_past = 1;
}
