/* SPDX-License-Identifier: Apache-2.0 */
/* One block of memory, laid out by one routine that runs twice: first to compute the size,
 * then to place the arrays.
 *
 * With base NULL, lk_arena_take() only counts and returns NULL. With the block allocated, it
 * returns zeroed memory aligned to a cache line. The layout routine must not dereference this
 * memory. */
#ifndef LK_MATHS_ARENA_H
#define LK_MATHS_ARENA_H

#include <stddef.h>

#define LK_CACHE_LINE 64

struct lk_arena {
    char *base;
    size_t used;
};

/** lk_arena_take() - allocate @n elements of @size bytes from @arena. */
static inline void *lk_arena_take(struct lk_arena *arena, size_t n, size_t size)
{
    size_t bytes = (n * size + LK_CACHE_LINE - 1) / LK_CACHE_LINE * LK_CACHE_LINE;
    void *memory = arena->base ? arena->base + arena->used : NULL;

    arena->used += bytes;
    return memory;
}

#endif
