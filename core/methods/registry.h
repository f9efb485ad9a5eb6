/* SPDX-License-Identifier: Apache-2.0 */
/* The steps beside ali3, and the formulations with fixed work a step in joint coordinates: part of
 * liblinkage. */
#ifndef LK_METHODS_REGISTRY_H
#define LK_METHODS_REGISTRY_H

#include "compile/compile.h"
#include "methods/mechanics/equations.h"
#include "model/formulations.h"

extern const struct lk_formulation lk_formulation_euler;
extern const struct lk_formulation lk_formulation_rk4;
extern const struct lk_formulation lk_formulation_explicit; /* of LK_FORMULATIONS_FIXED */

#define LK_FORMULATION_EXTERN(name, symbol) extern const struct lk_equations symbol;
LK_FORMULATIONS_FIXED(LK_FORMULATION_EXTERN)
#undef LK_FORMULATION_EXTERN

/** lk_equations_find_fixed() - the formulation that @name, with or without ":variant", asks for, or
 * NULL; in registry.c.  @ret_variant: what stands behind the colon, or "". */
const struct lk_equations *lk_equations_find_fixed(const char *name, const char **ret_variant);

/** lk_formulation_why_offline() - why the daemon does not run formulation @name, or NULL: it does,
 * or there is none of that name. */
const char *lk_formulation_why_offline(const char *name);

#endif
