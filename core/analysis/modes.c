/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of small motions, and their shapes. */
#include "linkage/modes.h"
#include "maths/arithmetic.h"
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* largest shift or turn of a body in the motion @z, and its phase: @ret_re, @ret_im */
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

/* divided by that motion */
static void scale(const struct lk_linear *l, double *z)
{
    double re = 1, im = 0, size = largest_motion(l, z, &re, &im);

    for (int i = 0; i < l->n_motions && size > 0; i++) {
        double a = z[2 * i], b = z[2 * i + 1];

        z[2 * i] = (a * re + b * im) / (size * size);
        z[2 * i + 1] = (b * re - a * im) / (size * size);
    }
}

/* @vector: real part of all states, then the imaginary part */
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

int lk_modes_find(const struct lk_linear *l, struct lk_mode **ret_modes)
{
    LK_ARITHMETIC;
    size_t n = (size_t)l->n_states;
    double *A = malloc((n * n + 1) * sizeof(double)), *V = malloc((n * n + 1) * sizeof(double));
    double *re = calloc(n + 1, sizeof(double)), *im = calloc(n + 1, sizeof(double));
    struct lk_mode *modes = calloc(n + 1, sizeof(*modes));
    int n_modes = 0, r = A && V && re && im && modes ? 0 : -ENOMEM;

    if (r == 0 && n > 0) {
        memcpy(A, l->A, n * n * sizeof(double));
        r = LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'V', (int)n, A, (int)n, re, im, NULL, (int)n, V,
                          (int)n) == 0
                ? 0
                : -EINVAL;
    }
    for (size_t i = 0; i < n && r == 0; i++) {
        double *vector = A; /* no longer needed */

        if (im[i] < 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            vector[k] = V[k * n + i];
            vector[n + k] = im[i] > 0 ? V[k * n + i + 1] : 0;
        }
        r = take_mode(l, re[i], im[i], vector, &modes[n_modes]);
        n_modes += r == 0;
    }
    free(A);
    free(V);
    free(re);
    free(im);
    if (r != 0) {
        lk_modes_free(modes, n_modes);
        return r;
    }
    qsort(modes, (size_t)n_modes, sizeof(*modes), compare);
    *ret_modes = modes;
    return n_modes;
}

void lk_modes_free(struct lk_mode *modes, int n_modes)
{
    for (int i = 0; i < n_modes && modes; i++)
        free(modes[i].shape);
    free(modes);
}
