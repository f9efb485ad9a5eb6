/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 as zip, gzip and zlib have it (polynomial 0xedb88320, reflected): the library needs no
 * other one for it. Finds damage, not malice. */
#ifndef LINKAGE_CRC_H
#define LINKAGE_CRC_H

#include <stddef.h>
#include <stdint.h>

/** lk_crc32() - go on from @crc, 0 at first, over @size bytes. Thread: any. */
uint32_t lk_crc32(uint32_t crc, const void *bytes, size_t size);

/** lk_crc32_join() - of two texts one after the other, from that of each. @size: of the second. */
uint32_t lk_crc32_join(uint32_t first, uint32_t second, size_t size);

#endif
