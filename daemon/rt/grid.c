/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"
#include <string.h>

#define HALF          (UINT64_C(1) << 63)
#define MANTISSA_BITS 52
#define BIAS          1075 /* bias of the exponent for an integer mantissa */

__extension__ typedef unsigned __int128 wide;

/* h = m 2^e with an integer m of 53 bits. The period in units of 2^-64 ns is h 10^9 2^64 = m 10^9
 * 2^(e + 64). It is an integer if h is at least 2^-20, because 10^9 contains the factor 2^9. */
struct lkd_grid lkd_grid_of(double step_s)
{
    uint64_t bits, mantissa;
    int shift;
    wide period;

    memcpy(&bits, &step_s, sizeof(bits));
    mantissa = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | UINT64_C(1) << MANTISSA_BITS;
    shift = (int)(bits >> MANTISSA_BITS) - BIAS + 64;
    period = (wide)mantissa * UINT64_C(1000000000);
    period = shift >= 0 ? period << shift : period >> -shift;
    return (struct lkd_grid){.whole_ns = (int64_t)(period >> 64), .part = (uint64_t)period};
}

int64_t lkd_grid_period(const struct lkd_grid *grid)
{
    return lkd_grid_at(grid, 1);
}

LK_RT int64_t lkd_grid_at(const struct lkd_grid *grid, int64_t k)
{
    return k * grid->whole_ns + (int64_t)(((wide)(uint64_t)k * grid->part + HALF) >> 64);
}

/* Start from an estimate with an error of at most two points and correct it. */
LK_RT int64_t lkd_grid_before(const struct lkd_grid *grid, int64_t when_ns)
{
    double period = (double)grid->whole_ns + (double)grid->part * 0x1p-64;
    int64_t k = (int64_t)((double)when_ns / period);

    while (k >= 0 && lkd_grid_at(grid, k) >= when_ns)
        k--;
    while (lkd_grid_at(grid, k + 1) < when_ns)
        k++;
    return k;
}
