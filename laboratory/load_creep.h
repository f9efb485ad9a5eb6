/* SPDX-License-Identifier: Apache-2.0 */
/* Creep forces that follow the contact force: f = f(q, v, lambda).
 *
 * Kalker's coefficients are G c^2 C, where c^2, the contact area by Hertz, grows with the power
 * 2/3 of the normal force N; the creep forces are bounded by mu N (B. Simeon, C. Fuehrer, P.
 * Rentrop, Differential-algebraic equations in vehicle system dynamics, 1991). If a creep
 * element states the `load` for which its numbers hold, the laboratory uses the coefficients c
 * (N / load)^(2/3) and the limit multiplied by N / load. A lifted wheel has no creep forces. */
#ifndef LK_METHODS_LABORATORY_LOAD_CREEP_H
#define LK_METHODS_LABORATORY_LOAD_CREEP_H

#include "methods/mechanics/mechanics.h"
#include "model/model.h"

/** struct lk_load_creep - terms of one row of a creep element.
 * @term: index in the system;  @row: row of the contact among the rigid rows
 * @damping, @limit: values at the load @load [N] */
struct lk_load_creep {
    int term;
    int row;
    double damping;
    double limit;
    double load;
};

/** lk_load_creep_find() - list the terms of all creep elements with a load.
 * @ret: the list, which the caller frees
 * Return: 0, -ENOMEM, LK_E_MODEL: a contact has compliance, hence no multiplier; @ret_error
 * names the contact. */
int lk_load_creep_find(const struct lk_mechanics *mechanics, const struct lk_model *model,
                       struct lk_load_creep **ret, int *ret_n, struct lk_error *ret_error);

/** lk_load_creep_follow() - update coefficients and limits of @n rows from @lambda, the
 * multipliers of all rigid rows. */
void lk_load_creep_follow(struct lk_mechanics *mechanics, const struct lk_load_creep *rows, int n,
                          const double *lambda);

#endif
