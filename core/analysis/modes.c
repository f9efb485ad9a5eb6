/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of small motions, and their shapes. */
#include "linkage/modes.h"
#include "maths/arithmetic.h"
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* largest residual of an eigenpair; the round-off of LAPACK is far below this value */
#define RESIDUAL_MAX 1e-10

/* Return the largest shift or rotation of a body in the motion @z. @ret_re, @ret_im: its phase */
static double largest_motion(const struct lk_linear *l, const double *z, double *ret_re,
                             double *ret_im)
{
    int n = 6 * l->n_bodies;
    double largest = 0;

    for (int k = 0; k < n; k++) {
        double re = 0, im = 0;

        for (int i = 0; i < l->n_motions; i++) {
            double part = l->motion[(size_t)i * (size_t)n + (size_t)k];

            re += z[2 * i] * part;
            im += z[2 * i + 1] * part;
        }
        if (hypot(re, im) > largest * (1 + 1e-9)) {
            largest = hypot(re, im);
            *ret_re = re;
            *ret_im = im;
        }
    }
    return largest;
}

/* Divide @z by its largest motion, which becomes real and 1. */
static void scale(const struct lk_linear *l, double *z)
{
    double re = 1, im = 0, size = largest_motion(l, z, &re, &im);

    for (int i = 0; i < l->n_motions && size > 0; i++) {
        double a = z[2 * i], b = z[2 * i + 1];

        z[2 * i] = (a * re + b * im) / (size * size);
        z[2 * i + 1] = (b * re - a * im) / (size * size);
    }
}

/* Add a mode. @vector: real part of all states, then the imaginary part */
static int take_mode(const struct lk_linear *l, double re, double im, const double *vector,
                     struct lk_mode *ret)
{
    double size = hypot(re, im);

    *ret = (struct lk_mode){re, im, size / (2 * M_PI), size > 0 ? -re / size : 0,
                            calloc(2 * (size_t)l->n_motions + 1, sizeof(double))};
    if (!ret->shape)
        return -ENOMEM;
    for (int i = 0; i < l->n_motions; i++) {
        ret->shape[2 * i] = vector[i];
        ret->shape[2 * i + 1] = im > 0 ? vector[l->n_states + i] : 0;
    }
    scale(l, ret->shape);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct lk_mode *x = a, *y = b;

    if (x->frequency != y->frequency)
        return x->frequency < y->frequency ? -1 : 1;
    return x->re < y->re ? 1 : x->re > y->re ? -1 : 0;
}

/* Return the unit of the rates: a power of two, so that scaling is exact, near the square root
 * of the largest entry of A from a coordinate to an acceleration. With this unit, no entry of A
 * is much larger than the fastest rate of the motions, so that one tolerance suits all
 * residuals. */
static double unit_of_rates(const struct lk_linear *l)
{
    size_t n = (size_t)l->n_states, f = (size_t)l->n_motions;
    double largest = 0;
    int exponent;

    for (size_t i = 0; i < (size_t)l->n_rates; i++)
        for (size_t k = 0; k < f; k++)
            largest = fmax(largest, fabs(l->A[(f + i) * n + k]));
    if (!(largest > 0) || !isfinite(largest))
        return 1;
    frexp(sqrt(largest), &exponent);
    return ldexp(1, exponent);
}

static bool is_rate(const struct lk_linear *l, size_t state)
{
    return (int)state >= l->n_motions && (int)state < l->n_motions + l->n_rates;
}

/* Compute A with the rates in @unit. */
static void scale_matrix(const struct lk_linear *l, double unit, double *ret)
{
    size_t n = (size_t)l->n_states;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            ret[i * n + k] =
                l->A[i * n + k] * (is_rate(l, k) ? unit : 1) / (is_rate(l, i) ? unit : 1);
}

/* Return |A v - w v| of the vector v = @re + i @im, relative to (|A| + |w|) |v|. */
static double residual_of(const double *A, size_t n, double w_re, double w_im, const double *re,
                          const double *im)
{
    double size = 0, length = 0, left = 0;

    for (size_t i = 0; i < n; i++) {
        double a = -w_re * re[i] + w_im * im[i], b = -w_re * im[i] - w_im * re[i];

        for (size_t k = 0; k < n; k++) {
            a += A[i * n + k] * re[k];
            b += A[i * n + k] * im[k];
            size += A[i * n + k] * A[i * n + k];
        }
        left += a * a + b * b;
        length += re[i] * re[i] + im[i] * im[i];
    }
    return sqrt(left / length) / (sqrt(size) + hypot(w_re, w_im));
}

/** struct pairs - eigenvalues and eigenvectors in the form of dgeev.
 * @re, @im: parts of each eigenvalue of the scaled @A
 * @V: vectors in columns; the real and imaginary part of a pair are in two columns
 * @copy: copy of A, which is overwritten;  @vector: two vectors of n */
struct pairs {
    double *A;
    double *copy;
    double *V;
    double *re;
    double *im;
    double *scale;
    double *vector;
};

static int init_pairs(struct pairs *p, size_t n)
{
    p->A = malloc((n * n + 1) * sizeof(double));
    p->copy = malloc((n * n + 1) * sizeof(double));
    p->V = malloc((n * n + 1) * sizeof(double));
    p->re = calloc(n + 1, sizeof(double));
    p->im = calloc(n + 1, sizeof(double));
    p->scale = calloc(n + 1, sizeof(double));
    p->vector = calloc(2 * n + 1, sizeof(double));
    return p->A && p->copy && p->V && p->re && p->im && p->scale && p->vector ? 0 : -ENOMEM;
}

static void free_pairs(struct pairs *p)
{
    free(p->A);
    free(p->copy);
    free(p->V);
    free(p->re);
    free(p->im);
    free(p->scale);
    free(p->vector);
}

/* Compute eigenvalues and eigenvectors. @balance: argument of dgeevx: 'B': scale rows and columns
 * to similar sizes; 'P': no scaling */
static int solve_pairs(struct pairs *p, size_t n, char balance)
{
    lapack_int low, high;
    double norm, none;

    memcpy(p->copy, p->A, n * n * sizeof(double));
    return LAPACKE_dgeevx(LAPACK_ROW_MAJOR, balance, 'N', 'V', 'N', (int)n, p->copy, (int)n, p->re,
                          p->im, NULL, (int)n, p->V, (int)n, &low, &high, p->scale, &norm, &none,
                          &none) == 0
               ? 0
               : -EINVAL;
}

/* Copy the vector of eigenvalue @i, in the units of the states. Return: 0, -EDOM: the vector is no
 * eigenvector. */
static int take_vector(const struct lk_linear *l, const struct pairs *p, size_t i, double unit)
{
    size_t n = (size_t)l->n_states;
    double *re = p->vector, *im = re + n;

    for (size_t k = 0; k < n; k++) {
        re[k] = p->V[k * n + i];
        im[k] = p->im[i] > 0 ? p->V[k * n + i + 1] : 0;
    }
    if (!(residual_of(p->A, n, p->re[i], p->im[i], re, im) <= RESIDUAL_MAX))
        return -EDOM;
    for (size_t k = 0; k < 2 * n; k++)
        p->vector[k] *= is_rate(l, k % n) ? unit : 1;
    return 0;
}

/* Copy all modes. Return: number of modes, -EINVAL, -EDOM, -ENOMEM. The caller releases @modes
 * with the modes found so far. */
static int take_modes(const struct lk_linear *l, struct pairs *p, double unit, char balance,
                      struct lk_mode *modes)
{
    size_t n = (size_t)l->n_states;
    int n_modes = 0, r = n > 0 ? solve_pairs(p, n, balance) : 0;

    /* check all vectors before memory is allocated for the first mode */
    for (size_t i = 0; i < n && r == 0; i++)
        r = p->im[i] < 0 ? 0 : take_vector(l, p, i, unit);
    for (size_t i = 0; i < n && r == 0; i++) {
        if (p->im[i] < 0)
            continue;
        take_vector(l, p, i, unit);
        r = take_mode(l, p->re[i], p->im[i], p->vector, &modes[n_modes++]);
    }
    if (r == 0)
        return n_modes;
    for (int i = 0; i < n_modes; i++)
        free(modes[i].shape);
    return r;
}

/* Balancing preserves the digits of slow motions in the presence of stiff ones. But a round-off
 * entry in the column of a free coordinate may lead to scale factors of 1e13 and wrong vectors. If
 * a pair fails its check, the problem is solved again without balancing. */
int lk_modes_find(const struct lk_linear *l, struct lk_mode **ret_modes)
{
    LK_ARITHMETIC;
    size_t n = (size_t)l->n_states;
    struct lk_mode *modes = calloc(n + 1, sizeof(*modes));
    struct pairs p;
    double unit = unit_of_rates(l);
    int r = init_pairs(&p, n);

    if (r == 0 && modes) {
        scale_matrix(l, unit, p.A);
        r = take_modes(l, &p, unit, 'B', modes);
        if (r == -EDOM)
            r = take_modes(l, &p, unit, 'P', modes);
    } else {
        r = -ENOMEM;
    }
    free_pairs(&p);
    if (r < 0) {
        free(modes);
        return r;
    }
    qsort(modes, (size_t)r, sizeof(*modes), compare);
    *ret_modes = modes;
    return r;
}

void lk_modes_free(struct lk_mode *modes, int n_modes)
{
    for (int i = 0; i < n_modes && modes; i++)
        free(modes[i].shape);
    free(modes);
}
