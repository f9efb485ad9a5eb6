/* SPDX-License-Identifier: Apache-2.0 */
/* The formulations that a model file may name. To add one, write a folder or file in core/methods
 * and a line here.
 *
 * LK_FORMULATIONS_FIXED: formulations with fixed work per step; the daemon runs them with the
 * classical Runge-Kutta method (core/methods/explicit.c). LK_FORMULATIONS_OFFLINE: formulations
 * for `linkage run` and `linkage compare` only; the daemon refuses them with the reason given
 * here. */
#ifndef LK_MODEL_FORMULATIONS_H
#define LK_MODEL_FORMULATIONS_H

/* X(name, symbol of its struct lk_equations) */
#define LK_FORMULATIONS_FIXED(X)                                                                   \
    X("dca", lk_equations_dca)                                                                     \
    X("hdca", lk_equations_hdca)                                                                   \
    X("recursive", lk_equations_recursive)

/* X(name, symbol, why its step has no fixed work) */
#define LK_FORMULATIONS_OFFLINE(X)                                                                 \
    X("complement", lk_equations_complement,                                                       \
      "its null space comes from dense decompositions that iterate until they have converged")     \
    X("absolute", lk_equations_absolute,                                                           \
      "its multipliers come from a dense decomposition that grows with the cube of the model")

#endif
