/* SPDX-License-Identifier: Apache-2.0 */
/* Creep forces of wheels that depend on the contact force: f = f(q, v, lambda).
 *
 * Kalker's coefficients are G c^2 C. According to Hertz, the contact area c^2 grows with the power
 * 2/3 of the normal force N. The creep forces are bounded by mu N (B. Simeon, C. Fuehrer, P.
 * Rentrop, Differential-algebraic equations in vehicle system dynamics, 1991). If a creep element
 * gives the `load` to which its numbers apply, the laboratory uses the coefficients c (N /
 * load)^(2/3), and the limit multiplied by N / load. A lifted wheel has no creep forces. */
#ifndef LK_METHODS_LABORATORY_LOAD_CREEP_H
#define LK_METHODS_LABORATORY_LOAD_CREEP_H

#include "methods/mechanics/mechanics.h"
#include "model/model.h"

/** struct lk_load_creep - load dependence of one row of a creep element.
 * @term:            index of the term in the system
 * @row:             row of the contact among the rigid rows
 * @damping, @limit: coefficient and limit at the normal force @load [N] */
struct lk_load_creep {
    int term;
    int row;
    double damping;
    double limit;
    double load;
};

/** lk_load_creep_find() - list the rows of all creep elements with a load.
 * @ret: the list, which the caller frees
 * Return: 0, -ENOMEM, LK_E_MODEL: a contact is compliant and therefore has no multiplier;
 * @ret_error names the contact. */
int lk_load_creep_find(const struct lk_mechanics *mechanics, const struct lk_model *model,
                       struct lk_load_creep **ret, int *ret_n, struct lk_error *ret_error);

/** lk_load_creep_follow() - set coefficients and limits of @n rows for the contact forces in
 * @lambda, the multipliers of all rigid rows. */
void lk_load_creep_follow(struct lk_mechanics *mechanics, const struct lk_load_creep *rows, int n,
                          const double *lambda);

#endif
