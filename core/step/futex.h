/* SPDX-License-Identifier: Apache-2.0 */
/* Sleep on a word of memory until another thread changes it and wakes the sleepers; futex(2). */
#ifndef LK_STEP_FUTEX_H
#define LK_STEP_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** lk_futex_wait() - sleep while *@word is @value, until woken or until @until_ns on
 * CLOCK_MONOTONIC (0: no timeout). May wake spuriously.
 * Return: whether the wait timed out. */
static inline bool lk_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / 1000000000,
                                   .tv_nsec = until_ns % 1000000000};

    /* not FUTEX_WAIT, whose timeout is relative */
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, until_ns ? &until : NULL,
                   NULL, FUTEX_BITSET_MATCH_ANY) != 0 &&
           errno == ETIMEDOUT;
}

/** lk_futex_wake() - wake all threads that sleep on @word. */
static inline void lk_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/** lk_relax() - hint to the processor that a thread spins while it waits. */
static inline void lk_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::
                         : "memory"); /* `yield` does nothing on a core with only one
                                       * hardware thread */
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#endif
