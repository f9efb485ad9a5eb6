/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's arithmetic as this library wants it, whatever the caller has set: round to
 * nearest, no traps, denormal numbers taken as zero.
 *
 * Multipliers that decay towards zero end as denormals, on which arithmetic is some hundred times
 * slower, and bits depend on whether they are zero. The setting is one of each thread; so every
 * public function that computes begins with
 *
 *     LK_ARITHMETIC;
 *
 * which acts until the function returns, by whatever way, and then gives the caller's setting
 * back. Brackets may lie within each other; each costs 15 ns on a processor of the Zen 3 kind.
 *
 * What is computed goes through memory: the compiler may move arithmetic between registers across
 * the bracket, but no load and no store. A function that returns a number as its value therefore
 * needs another one, which it calls within the bracket, and which is not inlined. */
#ifndef LK_MATHS_ARITHMETIC_H
#define LK_MATHS_ARITHMETIC_H

#include <stdint.h>

/* of x86: all traps masked (0x1f80), results that are denormal zero (0x8000), and operands (0x40)
 */
#define LK_ARITHMETIC_MXCSR 0x9fc0u
/* of ARM: denormals are zero (FZ) */
#define LK_ARITHMETIC_FPCR (UINT64_C(1) << 24)

/** lk_arithmetic_enter() - the library's setting on the calling thread.
 * Thread: any.  RT: yes.
 * Return: the setting before, for lk_arithmetic_leave(). */
static inline uint64_t lk_arithmetic_enter(void)
{
#if defined(__SSE2__)
    const uint32_t wanted = LK_ARITHMETIC_MXCSR;
    uint32_t before;

    __asm__ volatile("stmxcsr %0" : "=m"(before) : : "memory");
    __asm__ volatile("ldmxcsr %0" : : "m"(wanted) : "memory");
    return before;
#elif defined(__aarch64__)
    uint64_t before;

    __asm__ volatile("mrs %0, fpcr" : "=r"(before) : : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(LK_ARITHMETIC_FPCR) : "memory");
    return before;
#else
    return 0;
#endif
}

/** lk_arithmetic_leave() - back to what lk_arithmetic_enter() found.  RT: yes. */
static inline void lk_arithmetic_leave(const uint64_t *before)
{
#if defined(__SSE2__)
    const uint32_t old = (uint32_t)*before;

    __asm__ volatile("ldmxcsr %0" : : "m"(old) : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(*before) : "memory");
#else
    (void)before;
#endif
}

/* the bracket: from here to the end of the block */
#define LK_ARITHMETIC                                                                              \
    __attribute__((cleanup(lk_arithmetic_leave))) const uint64_t arithmetic_before =               \
        lk_arithmetic_enter()

#endif
