/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a model within bounds: for programs that have other things to do meanwhile.
 *
 * lk_system_new() of linkage.h takes as long as the model asks for: milliseconds mostly, seconds
 * for thousands of joints in loops. */
#ifndef LINKAGE_COMPILE_H
#define LINKAGE_COMPILE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_bounds - of a compilation. All zero: none.
 * @flops_max:    a model whose step takes more floating point operations is refused with LK_E_MODEL
 *                before anything is solved; 0: no bound
 * @is_cancelled: asked with @context by the thread that compiles, every few milliseconds but for
 *                one factorisation at a time (less than half the operations of a step); once it
 *                says true, compiling ends with -ECANCELED. NULL: nobody ends it
 * @spent:        written: what compiling took, in looks at joints and tens of operations. Depends
 *                on the model and the options alone */
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
