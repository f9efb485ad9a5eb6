/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates a pool; step/pool.c implements it. */
#include "step/pool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lk_pool_new(int n_workers, struct lk_pool **ret_pool)
{
    struct lk_pool *pool;
    size_t size;

    if (n_workers < 1 || n_workers > LK_POOL_MAX)
        return -EINVAL;
    size = sizeof(*pool) + (size_t)n_workers * sizeof(pool->lane[0]);
    pool = aligned_alloc(LK_CACHE_LINE, size);
    if (!pool)
        return -ENOMEM;
    memset(pool, 0, size);
    pool->n_workers = n_workers;
    *ret_pool = pool;
    return 0;
}

void lk_pool_free(struct lk_pool *pool)
{
    free(pool);
}
