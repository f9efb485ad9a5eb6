/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations of liblinkage besides ali3: other steps, and formulations in joint coordinates
 * with fixed work per step. */
#ifndef LK_METHODS_REGISTRY_H
#define LK_METHODS_REGISTRY_H

#include "compile/compile.h"
#include "methods/mechanics/equations.h"
#include "model/formulations.h"

extern const struct lk_formulation lk_formulation_euler;
extern const struct lk_formulation lk_formulation_euler_as_printed;
extern const struct lk_formulation lk_formulation_explicit; /* of LK_FORMULATIONS_FIXED */

#define LK_FORMULATION_EXTERN(name, symbol) extern const struct lk_equations symbol;
LK_FORMULATIONS_FIXED(LK_FORMULATION_EXTERN)
#undef LK_FORMULATION_EXTERN

/** lk_equations_find_fixed() - find a formulation of fixed work; in registry.c. @name: with or
 * without ":variant";  @ret_variant: the text after the colon, or "". Return: NULL for none. */
const struct lk_equations *lk_equations_find_fixed(const char *name, const char **ret_variant);

/** lk_formulation_why_offline() - return the reason why the daemon refuses formulation @name; NULL:
 * the daemon runs it, or there is no such formulation. */
const char *lk_formulation_why_offline(const char *name);

#endif
