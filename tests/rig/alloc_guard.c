/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_guard.h"
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* glibc's internal names of the functions that this file replaces */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static _Thread_local bool armed;
static _Thread_local unsigned long calls;

void alloc_guard_arm(void)
{
    calls = 0;
    armed = true;
}

unsigned long alloc_guard_disarm(void)
{
    armed = false;
    return calls;
}

static void count(void)
{
    if (armed)
        calls++;
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count();
    return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
    count();
    return __libc_realloc(block, size);
}

void free(void *block)
{
    count();
    __libc_free(block);
}

void *memalign(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    void *block;

    count();
    block = __libc_memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}
