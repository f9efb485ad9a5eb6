/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a crew; what it does is in step/crew.c. */
#include "step/crew.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lk_crew_new(int n_workers, struct lk_crew **ret_crew)
{
    struct lk_crew *crew;
    size_t size;

    if (n_workers < 1 || n_workers > LK_CREW_MAX)
        return -EINVAL;
    size = sizeof(*crew) + (size_t)n_workers * sizeof(crew->lane[0]);
    crew = aligned_alloc(LK_CACHE_LINE, size);
    if (!crew)
        return -ENOMEM;
    memset(crew, 0, size);
    crew->n_workers = n_workers;
    *ret_crew = crew;
    return 0;
}

void lk_crew_free(struct lk_crew *crew)
{
    free(crew);
}
