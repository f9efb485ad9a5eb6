/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 as in zip, gzip and zlib (polynomial 0xedb88320, reflected), without a dependency on such
 * a library. It detects accidental damage, not deliberate changes. */
#ifndef LINKAGE_CRC_H
#define LINKAGE_CRC_H

#include <stddef.h>
#include <stdint.h>

/** lk_crc32() - continue the checksum @crc, initially 0, over @size bytes. Thread: any. */
uint32_t lk_crc32(uint32_t crc, const void *bytes, size_t size);

/** lk_crc32_join() - compute the checksum of two texts in sequence from the checksum of each.
 * @size: bytes of the second text */
uint32_t lk_crc32_join(uint32_t first, uint32_t second, size_t size);

#endif
