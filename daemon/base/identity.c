/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

uint64_t lkd_random_id(void)
{
    uint64_t id = 0;

    /* getrandom() never truncates reads of eight bytes. Without random numbers the daemon must not
     * continue. */
    while (id == 0)
        if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
            abort();
    return id;
}

uint64_t lkd_daemon_id(void)
{
    static uint64_t id;

    if (id == 0)
        id = lkd_random_id();
    return id;
}
