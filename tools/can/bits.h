/* SPDX-License-Identifier: Apache-2.0 */
/* Signals in the bytes of a frame, and checksums.
 * Thread: any.  RT: yes; no function allocates memory or calls the kernel. */
#ifndef TOOLS_CAN_BITS_H
#define TOOLS_CAN_BITS_H

#include "dbc.h"

/** can_bits_read(), can_bits_write() - Read or write the raw bits of a signal, which must lie
 * within @data. */
uint64_t can_bits_read(const uint8_t *data, const struct dbc_signal *signal);
void can_bits_write(uint8_t *data, const struct dbc_signal *signal, uint64_t raw);

/** can_value_of() - Convert raw bits to a value in the unit of the signal. Raw values of more than
 * 53 bits are rounded to the nearest double. */
double can_value_of(const struct dbc_signal *signal, uint64_t raw);
/** can_raw_of() - Convert a value to raw bits, rounded to the nearest number, and saturated to the
 * range of the bits and of the signal.
 * @ret_raw: always written.
 * Return: true if @value was within the range. */
bool can_raw_of(const struct dbc_signal *signal, double value, uint64_t *ret_raw);
/** can_resolution() - Return the rounding error of a value. [unit of the signal] */
double can_resolution(const struct dbc_signal *signal, double value);

/** enum can_checksum - checksum algorithms of a frame, see can_checksum_names. */
enum can_checksum { CAN_XOR, CAN_CRC8_J1850, CAN_CRC8_H2F, CAN_CHECKSUMS };

/** can_checksum_names - names of the checksum algorithms, such as "xor" and "crc8-j1850";
 * NULL-terminated. */
extern const char *const can_checksum_names[CAN_CHECKSUMS + 1];

/** can_checksum_of() - Compute the checksum over @before, then over @data except for the byte @own
 * of the checksum itself. */
uint8_t can_checksum_of(enum can_checksum kind, const uint8_t *before, int n_before,
                        const uint8_t *data, int n, int own);

#endif
