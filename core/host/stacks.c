/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/stacks.h"

#include <pthread.h>
#include <sys/resource.h>

/* Raise the limit of the first thread. The kernel checks the limit when the stack grows, so the new
 * limit takes effect at once. */
static int prepare_first(struct lk_error *error)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LK_STACK_WANTED)
        return 0; /* RLIM_INFINITY is the largest value */
    limit.rlim_cur = limit.rlim_max < LK_STACK_WANTED ? limit.rlim_max : LK_STACK_WANTED;
    if (limit.rlim_cur < LK_STACK_LEAST) {
        lk_error_set(error, "the stack is limited to %lu KiB, expected %u at least (ulimit -s)",
                     (unsigned long)limit.rlim_cur / 1024, LK_STACK_LEAST / 1024);
        return LK_E_TEXT;
    }
    setrlimit(RLIMIT_STACK, &limit);
    return 0;
}

int lk_stacks_prepare(struct lk_error *ret_error)
{
    pthread_attr_t attributes;
    int result = prepare_first(ret_error);

    if (result != 0 || pthread_attr_init(&attributes) != 0)
        return result;
    pthread_attr_setstacksize(&attributes, LK_STACK_THREAD);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    return 0;
}
