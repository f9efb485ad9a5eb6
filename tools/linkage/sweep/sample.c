/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include "linkage/hash.h"
#include "maths/elementary.h"

#include <math.h>

#define ROUNDS 8 /* rounds of a Feistel network; four are enough (M. Luby, C. Rackoff, 1988) */

void sample_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = UINT64_C(0xd2511f53) * c[0], p1 = UINT64_C(0xcd9e8d57) * c[2];

        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)p0;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    for (int i = 0; i < 4; i++)
        ret[i] = c[i];
}

/* Return 64 random bits for a seed, a name and an index. */
static uint64_t draw(uint64_t seed, uint64_t name, uint64_t i)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)name,
                                 (uint32_t)(name >> 32)};
    uint32_t bits[4];

    sample_philox(counter, key, bits);
    return (uint64_t)bits[1] << 32 | bits[0];
}

double sample_uniform(uint64_t seed, uint64_t name, uint64_t i)
{
    /* Return the midpoint of one of 2^52 intervals; all midpoints are exact doubles. */
    return ((double)(draw(seed, name, i) >> 12) + 0.5) * 0x1p-52;
}

uint64_t sample_permuted(uint64_t seed, uint64_t name, uint64_t n, uint64_t i)
{
    uint64_t stream = lk_hash(name, "permutation", 11), mask;
    int half = 1;

    while (half < 16 && UINT64_C(1) << 2 * half < n)
        half++;
    mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;

        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (draw(seed, stream, round << 32 | right) & mask);

            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

double sample_stratified(uint64_t seed, uint64_t name, uint64_t n, uint64_t i)
{
    double u =
        ((double)sample_permuted(seed, name, n, i) + sample_uniform(seed, name, i)) / (double)n;

    return fmin(u, 1 - 0x1p-53); /* rounding may have given 1 */
}

/* Return c[0] + c[1] x + .. + c[7] x^7. */
static double polynomial(const double c[8], double x)
{
    double sum = c[7];

    for (int i = 6; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

double sample_normal(double u)
{
    static const double middle[2][8] = {
        {3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3,
         1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
         3.3430575583588128105e4, 2.5090809287301226727e3},
        {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
         2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
         5.2264952788528545610e3}};
    static const double flank[2][8] = {
        {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
         3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1,
         2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
         1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
         1.05075007164441684324e-9}};
    static const double tail[2][8] = {
        {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
         2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
         2.04426310338993978564e-15}};
    double q = u - 0.5, r;

    if (fabs(q) <= 0.425) {
        r = 0.180625 - q * q;
        return q * polynomial(middle[0], r) / polynomial(middle[1], r);
    }
    r = sqrt(-lk_log(q < 0 ? u : 1 - u));
    r = r <= 5 ? polynomial(flank[0], r - 1.6) / polynomial(flank[1], r - 1.6)
               : polynomial(tail[0], r - 5) / polynomial(tail[1], r - 5);
    return copysign(r, q);
}
