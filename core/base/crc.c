/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/crc.h"

#define POLYNOMIAL 0xedb88320u
#define SLICES     4 /* number of bytes processed at a time */

/* struct table - effect of a byte on the checksum, for each distance from the end of the
 * slice */
struct table {
    uint32_t of[SLICES][256];
};

/* Compute the table. Each call computes it again, in a few microseconds, so that threads
 * share no state. */
static void make_table(struct table *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;

        for (int bit = 0; bit < 8; bit++)
            sum = (sum >> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
        t->of[0][i] = sum;
    }
    for (int s = 1; s < SLICES; s++)
        for (int i = 0; i < 256; i++)
            t->of[s][i] = (t->of[s - 1][i] >> 8) ^ t->of[0][t->of[s - 1][i] & 0xff];
}

uint32_t lk_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    struct table t;

    make_table(&t);
    crc = ~crc;
    for (; size >= SLICES; size -= SLICES, at += SLICES)
        crc = t.of[3][(crc ^ at[0]) & 0xff] ^ t.of[2][((crc >> 8) ^ at[1]) & 0xff] ^
              t.of[1][((crc >> 16) ^ at[2]) & 0xff] ^ t.of[0][(crc >> 24) ^ at[3]];
    for (; size > 0; size--)
        crc = (crc >> 8) ^ t.of[0][(crc ^ *at++) & 0xff];
    return ~crc;
}

/* return a b modulo the polynomial; bit 31 is x^0 */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        product ^= a & bit ? b : 0;
        b = (b >> 1) ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return product;
}

uint32_t lk_crc32_join(uint32_t first, uint32_t second, size_t size)
{
    uint32_t factor = 1u << 23; /* x^8: shift by one byte */

    /* multiply by x^(8 size), with repeated squaring */
    for (; size > 0; size >>= 1) {
        if (size & 1)
            first = multiply(factor, first);
        factor = multiply(factor, factor);
    }
    return first ^ second;
}
