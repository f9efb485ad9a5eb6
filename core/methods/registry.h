/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the formulations other than ali3, rattle and rk4: ali3 in Euler parameters, and the
 * formulations with fixed work per step that share the step of explicit.c. Most of them use joint
 * coordinates. */
#ifndef LK_METHODS_REGISTRY_H
#define LK_METHODS_REGISTRY_H

#include "compile/compile.h"
#include "methods/mechanics/equations.h"
#include "model/formulations.h"

extern const struct lk_formulation lk_formulation_euler;
extern const struct lk_formulation lk_formulation_euler_as_printed;
extern const struct lk_formulation lk_formulation_explicit; /* step of all LK_FORMULATIONS_FIXED */

#define LK_FORMULATION_EXTERN(name, symbol) extern const struct lk_equations symbol;
LK_FORMULATIONS_FIXED(LK_FORMULATION_EXTERN)
#undef LK_FORMULATION_EXTERN

/** lk_equations_find_fixed() - find a formulation that has fixed work per step. In registry.c.
 * @name:        with or without ":variant"
 * @ret_variant: the text after the colon, or ""
 * Return: NULL: there is no such formulation or variant. */
const struct lk_equations *lk_equations_find_fixed(const char *name, const char **ret_variant);

/** lk_formulation_why_offline() - return the reason why the daemon refuses formulation @name.
 * Return: NULL: the daemon accepts @name, or no formulation has this name. */
const char *lk_formulation_why_offline(const char *name);

#endif
