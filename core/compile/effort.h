/* SPDX-License-Identifier: Apache-2.0 */
/* Work counter of a compilation, and its cancellation.
 *
 * The long loops of the compiler count their work in units of some nanoseconds. A unit is a visit
 * to a joint of an assembly or to a pair of joints, or ten operations of a factorisation. The sum
 * depends on the model alone. Every LK_EFFORT_BETWEEN units the caller's is_cancelled() is called.
 *
 * The counter is per thread, so that auxiliary systems compiled for the same model count too.
 * The cycle has no counter. */
#ifndef LK_COMPILE_EFFORT_H
#define LK_COMPILE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* units between two calls of is_cancelled(); they take less than 1 ms */
#define LK_EFFORT_BETWEEN 100000

/** struct lk_effort - counter of one compilation.
 * @is_cancelled: see linkage/compile.h;  @context: its argument
 * @spent:        units counted so far;  @asked: value of @spent at the last call of is_cancelled()
 * @is_over:      is_cancelled() returned true: the compilation ends with -ECANCELED */
struct lk_effort {
    bool (*is_cancelled)(void *context);
    void *context;
    uint64_t spent;
    uint64_t asked;
    bool is_over;
};

/** lk_effort_begin() - make @effort the counter of this thread; NULL: count nothing.
 * Return: the previous counter of the thread, which the caller must restore. */
struct lk_effort *lk_effort_begin(struct lk_effort *effort);

/** lk_effort_spend() - count @work units. Return: true: end with -ECANCELED. */
bool lk_effort_spend(uint64_t work);

#endif
