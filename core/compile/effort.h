/* SPDX-License-Identifier: Apache-2.0 */
/* What compiling a model has cost so far, and whether somebody wants it to end.
 *
 * The long loops of the compiler spend what they do as they go: a look at a joint of an assembly,
 * at a pair of them, ten operations of a factorisation count as one each, some nanoseconds. Sums of
 * them depend on the model alone. Now and then who asked for the model is asked whether to go on.
 *
 * There is one of them for a thread that compiles, so that what is compiled on the way to a model
 * counts as well, and none for the cycle. */
#ifndef LK_COMPILE_EFFORT_H
#define LK_COMPILE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LK_EFFORT_BETWEEN 100000 /* spent between two questions: below a millisecond */

/** struct lk_effort - of one compilation.
 * @is_cancelled: see linkage/compile.h
 * @asked:        what was spent when it was asked last
 * @is_over:      it said yes: all that is under way ends with -ECANCELED */
struct lk_effort {
    bool (*is_cancelled)(void *context);
    void *context;
    uint64_t spent;
    uint64_t asked;
    bool is_over;
};

/** lk_effort_begin() - from now on this thread counts in @effort; NULL: not at all.
 * Return: where it did before, to go back to. */
struct lk_effort *lk_effort_begin(struct lk_effort *effort);

/** lk_effort_spend() - Return: whether to end. */
bool lk_effort_spend(uint64_t work);

#endif
