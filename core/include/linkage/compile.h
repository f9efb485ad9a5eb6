/* SPDX-License-Identifier: Apache-2.0 */
/* Compile a model within limits on work, for programs that must not be blocked for long.
 *
 * lk_system_new() of linkage.h takes as long as the model needs: usually milliseconds, but
 * seconds for thousands of joints in loops. */
#ifndef LINKAGE_COMPILE_H
#define LINKAGE_COMPILE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_bounds - limits of a compilation. All zero: no limits.
 * @flops_max:    a model whose step takes more floating point operations is refused with LK_E_MODEL
 *                before any factorisation; 0: no limit
 * @is_cancelled: called by the compiling thread with @context every few milliseconds, except
 *                within a factorisation (less than half the operations of a step). When it
 *                returns true, the compilation ends with -ECANCELED. NULL: the compilation
 *                cannot be cancelled
 * @spent:        output: work of the compilation, in joints visited and tens of operations. Depends
 *                on the model and the options only */
struct lk_bounds {
    double flops_max;
    bool (*is_cancelled)(void *context);
    void *context;
    uint64_t spent;
};

/** lk_system_new_within() - do the same as lk_system_new(), within limits.
 * @bounds: limits; NULL: no limits
 * Thread: any but the cycle.  RT: no.
 * Return: as lk_system_new(), -ECANCELED. */
int lk_system_new_within(const struct lk_model *model, const struct lk_options *options,
                         struct lk_bounds *bounds, struct lk_system **ret_system,
                         struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
