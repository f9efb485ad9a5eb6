/* SPDX-License-Identifier: Apache-2.0 */
/* Signals in the bytes of a frame, and what protects them. Thread: any. RT: nothing here allocates
 * or calls the kernel. */
#ifndef TOOLS_CAN_BITS_H
#define TOOLS_CAN_BITS_H

#include "dbc.h"

/** can_bits_read(), can_bits_write() - the raw bits of a signal, which has to lie within @data. */
uint64_t can_bits_read(const uint8_t *data, const struct dbc_signal *signal);
void can_bits_write(uint8_t *data, const struct dbc_signal *signal, uint64_t raw);

/** can_value_of() - what the bits mean, in the unit of the signal. More than 53 bits are rounded to
 * a double. */
double can_value_of(const struct dbc_signal *signal, uint64_t raw);
/** can_raw_of() - the bits of a value, rounded to the nearest, or of the nearest value that they
 * can express and that is within the range of the signal.
 * @ret_raw: always written;  Return: whether @value was within. */
bool can_raw_of(const struct dbc_signal *signal, double value, uint64_t *ret_raw);
/** can_resolution() - by how much bits can miss a value. [unit of the signal] */
double can_resolution(const struct dbc_signal *signal, double value);

/** enum can_checksum - how the bytes of a frame are protected, see can_checksum_names. */
enum can_checksum { CAN_XOR, CAN_CRC8_J1850, CAN_CRC8_H2F, CAN_CHECKSUMS };

/** can_checksum_names - "xor", "crc8-j1850" .., NULL-terminated. */
extern const char *const can_checksum_names[CAN_CHECKSUMS + 1];

/** can_checksum_of() - over @before, then over @data but for the byte @own, where it stands itself.
 */
uint8_t can_checksum_of(enum can_checksum kind, const uint8_t *before, int n_before,
                        const uint8_t *data, int n, int own);

#endif
