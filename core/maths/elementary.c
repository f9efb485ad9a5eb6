/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions: the argument is reduced until its Taylor series is exact to round-off. */
#include "maths/elementary.h"
#include "maths/vec.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define ROUND     6755399441055744.0 /* 1.5 * 2^52: adding and subtracting it rounds to an integer */
#define TURNS_MAX 1e5 /* largest number of quarter turns for which the reduction is exact */

/* pi/2 and log 2 in parts: the first parts have trailing zeros, so that their multiples are
 * exact */
#define QUARTER_1 0x1.921fb544p+0
#define QUARTER_2 0x1.0b4611a6p-34
#define QUARTER_3 0x1.3198a2e037073p-69
#define LOG2_1    0x1.62e42feep-1
#define LOG2_2    0x1.a39ef35793c76p-33

/* Return c[0] + x (c[1] + ...), with @n coefficients. */
static inline double polynomial(double x, const double *c, int n)
{
    double sum = c[n - 1];

    for (int i = n - 2; i >= 0; i--)
        sum = c[i] + x * sum;
    return sum;
}

/* atan(k / 8), and pi/2 - atan(k / 8), each as a sum of two doubles */
static const double atan_eighths[2][9][2] = {
    {{0, 0},
     {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
     {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
     {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
     {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
     {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
     {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
     {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
     {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
    {{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
     {0x1.7249faa996a21p+0, 0x1.a8cc1e7480c68p-54},
     {0x1.5368c951e9cfdp+0, -0x1.96f47948a99f1p-54},
     {0x1.3647503caf55cp+0, 0x1.17e21d9a42c9ap-55},
     {0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
     {0x1.031f57e54adbep+0, 0x1.338b4259c0270p-54},
     {0x1.dac670561bb4fp-1, 0x1.a2b7f222f65e2p-55},
     {0x1.b434ee31013fdp-1, -0x1.0520d0701d877p-55},
     {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
};

static inline lk_four polynomial_four(lk_four x, const double *c, int n)
{
    lk_four sum = {c[n - 1], c[n - 1], c[n - 1], c[n - 1]};

    for (int i = n - 2; i >= 0; i--)
        sum = c[i] + x * sum;
    return sum;
}

static const lk_four_mask sign_bits = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};

void lk_atan_four(const lk_four *x, lk_four *ret)
{
    static const double c[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
    const lk_four largest = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX};
    lk_four t = (lk_four)((lk_four_mask)*x & ~sign_bits), k, point, u, first, rest, angle;
    lk_four_mask is_steep;

    t = lk_select_four(t < largest, t, largest);
    is_steep = t > 1;
    k = (8 * lk_select_four(is_steep, 1 / t, t) + ROUND) - ROUND;
    for (int i = 0; i < 4; i++) {
        const double *from = atan_eighths[is_steep[i] & 1][(int)k[i]];

        first[i] = from[0];
        rest[i] = from[1];
    }
    point = 0.125 * k;
    /* tangent of the difference from the angle of the table; for a steep t, both parts of the
     * quotient are multiplied by t, which avoids the rounding error of 1 / t */
    u = lk_select_four(is_steep, point * t - 1, t - point) /
        lk_select_four(is_steep, t + point, 1 + t * point);
    angle = first + (u + (u * u * u * polynomial_four(u * u, c, 6) + rest));
    *ret = (lk_four)((lk_four_mask)angle | ((lk_four_mask)*x & sign_bits));
}

double lk_atan(double x)
{
    lk_four all = {x, x, x, x};

    lk_atan_four(&all, &all);
    return all[0];
}

/* compute sine and cosine of r + @tail, |r| <= pi/4 + round-off */
static inline void sin_cos_eighth(lk_four r, lk_four tail, lk_four *ret_sin, lk_four *ret_cos)
{
    static const double s[] = {
        -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    static const double c[] = {
        1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    lk_four z = r * r, half = 0.5 * z, whole = 1 - half;

    *ret_sin = r + (r * z * polynomial_four(z, s, 8) + tail * whole);
    *ret_cos = whole + (((1 - whole) - half) + (z * z * polynomial_four(z, c, 7) - r * tail));
}

void lk_sin_cos_four(const lk_four *x, lk_four *ret_sin, lk_four *ret_cos)
{
    const lk_four most = {2 * TURNS_MAX, 2 * TURNS_MAX, 2 * TURNS_MAX, 2 * TURNS_MAX};
    lk_four above = lk_max_four(-most, *x), bounded = lk_select_four(above < most, above, most);
    lk_four rounded = bounded * 0x1.45f306dc9c883p-1 + ROUND, n = rounded - ROUND;
    lk_four first = bounded - n * QUARTER_1, second = n * QUARTER_2, r = first - second;
    lk_four tail = ((first - r) - second) - n * QUARTER_3, s, c;
    lk_four_mask quarter =
        (lk_four_mask)rounded; /* the last bits of rounded are the last bits of n */
    lk_four_mask is_odd = -(quarter & 1);

    sin_cos_eighth(r, tail, &s, &c);
    *ret_sin =
        (lk_four)((lk_four_mask)lk_select_four(is_odd, c, s) ^ ((quarter << 62) & sign_bits));
    *ret_cos =
        (lk_four)((lk_four_mask)lk_select_four(is_odd, s, c) ^ (((quarter + 1) << 62) & sign_bits));
}

void lk_sin_cos(double x, double *ret_sin, double *ret_cos)
{
    const lk_four all = {x, x, x, x};
    lk_four s, c;

    lk_sin_cos_four(&all, &s, &c);
    *ret_sin = s[0];
    *ret_cos = c[0];
}

static double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

double lk_exp(double x)
{
    static const double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                               1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                               1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    double bounded = lk_min(700, lk_max(-700, x));
    double n = (bounded * 0x1.71547652b82fep+0 + ROUND) - ROUND;
    double first = bounded - n * LOG2_1, second = n * LOG2_2, r = first - second;
    double tail = (first - r) - second;

    return (1 + (r + (r * r * polynomial(r, c, 12) + tail))) *
           double_of((uint64_t)((int)n + 1023) << 52);
}

/* With sqrt(1/2) <= m < sqrt 2, f = m - 1 and s = f / (2 + f): log m = 2 atanh s = f - s (f - 2/3
 * s^2 - 2/5 s^4 - ...), where f is exact. */
double lk_log(double x)
{
    static const double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                               2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    double bounded = lk_min(DBL_MAX, lk_max(DBL_MIN, x));
    uint64_t bits;
    int exponent;
    double f, s, z;

    memcpy(&bits, &bounded, sizeof(bits));
    exponent = (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    if (double_of(bits) > 1.4142135623730951) {
        bits -= UINT64_C(1) << 52;
        exponent++;
    }
    f = double_of(bits) - 1;
    s = f / (2 + f);
    z = s * s;
    return exponent * LOG2_1 + (f - (s * (f - z * polynomial(z, c, 10)) - exponent * LOG2_2));
}

double lk_power(double x, double y)
{
    return lk_exp(y * lk_log(x));
}
