/* SPDX-License-Identifier: Apache-2.0 */
/* Compile a model within bounds, for programs that do other work meanwhile.
 *
 * lk_system_new() of linkage.h takes as long as the model needs: usually milliseconds, seconds for
 * thousands of joints in loops. */
#ifndef LINKAGE_COMPILE_H
#define LINKAGE_COMPILE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_bounds - bounds of a compilation. All zero: none.
 * @flops_max:    the compiler refuses a model whose step takes more floating point operations with
 *                LK_E_MODEL, before it solves anything; 0: no bound
 * @is_cancelled: the compiling thread calls it with @context every few milliseconds, except within
 *                a factorisation (less than half the operations of a step); once it returns true,
 *                compiling ends with -ECANCELED. NULL: compiling cannot be ended
 * @spent:        written: the work of compiling, in joints visited and tens of operations. Depends
 *                on the model and the options only */
struct lk_bounds {
    double flops_max;
    bool (*is_cancelled)(void *context);
    void *context;
    uint64_t spent;
};

/** lk_system_new_within() - lk_system_new() within bounds.
 * @bounds: NULL: none
 * Thread: any but the cycle.  RT: no.
 * Return: as lk_system_new(), -ECANCELED. */
int lk_system_new_within(const struct lk_model *model, const struct lk_options *options,
                         struct lk_bounds *bounds, struct lk_system **ret_system,
                         struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
