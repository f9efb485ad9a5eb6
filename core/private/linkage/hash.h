/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a of 64 bits (Fowler, Noll, Vo; IETF draft-eastlake-fnv, section 2). It detects differences,
 * but is not secure against deliberate collisions. */
#ifndef LINKAGE_HASH_H
#define LINKAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LK_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/** lk_hash() - continue @hash, initially LK_HASH_BEGIN, over @size bytes. RT: yes. Return: the
 * hash. */
static inline uint64_t lk_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
