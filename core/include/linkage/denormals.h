/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's treatment of denormal numbers, a setting of each thread.
 *
 * Multipliers that decay towards zero end as denormals, on which arithmetic is some hundred times
 * slower. lk_system_step() therefore takes them as zero; a thread that computes around it may, too.
 */
#ifndef LINKAGE_DENORMALS_H
#define LINKAGE_DENORMALS_H

#include <stdint.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/** lk_denormals_flush() - take denormal operands and results as zero on the calling thread.
 * Thread: any.  RT: yes.
 * Return: the setting before, for lk_denormals_restore(). */
static inline uint64_t lk_denormals_flush(void)
{
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();

    _mm_setcsr(before | 0x8040u); /* FTZ (results) and DAZ (operands) */
    return before;
#elif defined(__aarch64__)
    uint64_t before;

    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24))); /* FZ */
    return before;
#else
    return 0;
#endif
}

/** lk_denormals_restore() - back to what lk_denormals_flush() found.  RT: yes. */
static inline void lk_denormals_restore(uint64_t before)
{
#if defined(__SSE2__)
    _mm_setcsr((unsigned)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}

#endif
