/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the formulations that only the laboratory has, and lk_lab_equations, which also includes
 * the formulations with fixed work per step. */
#ifndef LK_METHODS_LABORATORY_METHODS_H
#define LK_METHODS_LABORATORY_METHODS_H

#include "laboratory/integrator.h"
#include "methods/registry.h"

#define LK_FORMULATION_EXTERN(name, symbol, why) extern const struct lk_equations symbol;
LK_FORMULATIONS_OFFLINE(LK_FORMULATION_EXTERN)
#undef LK_FORMULATION_EXTERN

/** lk_lab_equations - all formulations with equations, NULL-terminated; in registry.c. */
extern const struct lk_equations *const lk_lab_equations[];

#endif
