/* SPDX-License-Identifier: Apache-2.0 */
#include "bits.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const can_checksum_names[] = {[CAN_XOR] = "xor",
                                          [CAN_CRC8_J1850] = "crc8-j1850",
                                          [CAN_CRC8_H2F] = "crc8-h2f",
                                          [CAN_CHECKSUMS] = NULL};

/* struct part - the bits of a signal within one byte. The @n bits from bit @shift of the byte on
 * are the bits from @place of the raw value on. */
struct part {
    int byte;
    int shift;
    int n;
    int place;
};

/* Return the bits of the signal in the byte that contains bit @done, counted from the first bit of
 * the signal. */
static struct part part_at(const struct dbc_signal *s, int done)
{
    int at = dbc_first_bit(s) + done, left = s->bits - done;
    struct part p = {.byte = at / 8, .n = 8 - at % 8 < left ? 8 - at % 8 : left};

    p.shift = s->is_motorola ? 8 - at % 8 - p.n : at % 8;
    p.place = s->is_motorola ? left - p.n : done;
    return p;
}

uint64_t can_bits_read(const uint8_t *data, const struct dbc_signal *signal)
{
    uint64_t raw = 0;

    for (int done = 0; done < signal->bits;) {
        struct part p = part_at(signal, done);

        raw |= (uint64_t)(data[p.byte] >> p.shift & ((1 << p.n) - 1)) << p.place;
        done += p.n;
    }
    return raw;
}

void can_bits_write(uint8_t *data, const struct dbc_signal *signal, uint64_t raw)
{
    for (int done = 0; done < signal->bits;) {
        struct part p = part_at(signal, done);
        int mask = (1 << p.n) - 1;

        data[p.byte] = (uint8_t)((data[p.byte] & ~(mask << p.shift)) |
                                 ((int)(raw >> p.place & (uint64_t)mask) << p.shift));
        done += p.n;
    }
}

/* ---- values ---- */

static double float_of(const struct dbc_signal *signal, uint64_t raw)
{
    uint32_t bits = (uint32_t)raw;
    float single;
    double number;

    if (signal->kind == DBC_DOUBLE) {
        memcpy(&number, &raw, sizeof(number));
        return number;
    }
    memcpy(&single, &bits, sizeof(single));
    return (double)single;
}

double can_value_of(const struct dbc_signal *signal, uint64_t raw)
{
    uint64_t sign = UINT64_C(1) << (signal->bits - 1);
    double number;

    if (signal->kind != DBC_INTEGER)
        number = float_of(signal, raw);
    else if (signal->is_signed && (raw & sign) != 0)
        number = -(double)(~raw & (sign - 1)) - 1;
    else
        number = (double)raw;
    return number * signal->factor + signal->offset;
}

static uint64_t raw_of_float(const struct dbc_signal *s, double number, bool *within)
{
    uint64_t raw = 0;
    float single;

    if (!(fabs(number) <= (s->kind == DBC_FLOAT ? (double)FLT_MAX : DBL_MAX))) {
        *within = false;
        number = copysign(s->kind == DBC_FLOAT ? (double)FLT_MAX : DBL_MAX, number);
    }
    if (s->kind == DBC_DOUBLE) {
        memcpy(&raw, &number, sizeof(raw));
        return raw;
    }
    single = (float)number;
    memcpy(&raw, &single, sizeof(single)); /* on a little-endian machine */
    return raw;
}

static uint64_t raw_of_integer(const struct dbc_signal *s, double number, bool *within)
{
    int high_bits = s->is_signed ? s->bits - 1 : s->bits;
    double high = ldexp(1, high_bits), low = s->is_signed ? -high : 0;
    uint64_t mask = s->bits == 64 ? UINT64_MAX : (UINT64_C(1) << s->bits) - 1;
    uint64_t top = high_bits == 64 ? UINT64_MAX : (UINT64_C(1) << high_bits) - 1;

    number = round(number);
    if (number >= high) {
        *within = false;
        return top;
    }
    if (number < low) {
        *within = false;
        number = low;
    }
    if (number >= 0)
        return (uint64_t)number & mask;
    return (((uint64_t)-number ^ UINT64_MAX) + 1) & mask;
}

bool can_raw_of(const struct dbc_signal *signal, double value, uint64_t *ret_raw)
{
    bool within = true;

    if (signal->low < signal->high) {
        double nearest = fmin(fmax(value, signal->low), signal->high);

        within = fabs(nearest - value) <= can_resolution(signal, value);
        value = nearest;
    }
    if (isnan(value)) {
        within = false;
        value = 0;
    }
    value = (value - signal->offset) / signal->factor;
    *ret_raw = signal->kind == DBC_INTEGER ? raw_of_integer(signal, value, &within)
                                           : raw_of_float(signal, value, &within);
    return within;
}

double can_resolution(const struct dbc_signal *signal, double value)
{
    if (signal->kind == DBC_INTEGER)
        return fabs(signal->factor) / 2;
    return fabs(value) * (signal->kind == DBC_FLOAT ? 0x1p-23 : 0x1p-52);
}

/* ---- checksums ---- */

/* Update a CRC of 8 bits with one byte, highest bit first. As in AUTOSAR's specification of its CRC
 * library, both CRCs begin with all bits set and are inverted at the end. */
static uint8_t crc8(uint8_t polynomial, uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ polynomial : crc << 1);
    return crc;
}

static uint8_t sum_byte(enum can_checksum kind, uint8_t sum, uint8_t byte)
{
    if (kind == CAN_XOR)
        return sum ^ byte;
    return crc8(kind == CAN_CRC8_J1850 ? 0x1d : 0x2f, sum, byte);
}

uint8_t can_checksum_of(enum can_checksum kind, const uint8_t *before, int n_before,
                        const uint8_t *data, int n, int own)
{
    uint8_t ends = kind == CAN_XOR ? 0 : 0xff, sum = ends;

    for (int i = 0; i < n_before; i++)
        sum = sum_byte(kind, sum, before[i]);
    for (int i = 0; i < n; i++)
        if (i != own)
            sum = sum_byte(kind, sum, data[i]);
    return sum ^ ends;
}
