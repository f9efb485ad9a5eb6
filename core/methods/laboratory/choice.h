/* SPDX-License-Identifier: Apache-2.0 */
/* From the names of a method to what they stand for, and why two of them do not go together. */
#ifndef LK_METHODS_LABORATORY_CHOICE_H
#define LK_METHODS_LABORATORY_CHOICE_H

#include "linkage/laboratory.h"
#include "methods/laboratory/integrator.h"
#include "model/model.h"

/** struct lk_lab_own - a step of the library itself, as the daemon makes it, with its own
 * integrator.
 * @name: with variant;  @formulation, @coordinates, @order: of the solver section that asks for it
 * @paper: see struct lk_lab_name */
struct lk_lab_own {
    const char *name;
    const char *formulation;
    enum lk_coordinates coordinates;
    int order;
    const char *paper;
};

/** struct lk_lab_choice - a method, understood. Either @own, or @equations with @integrator; the
 * variants are static text or parts of the method's strings, "" where there is none.
 * @by_itself: the integrator takes the constrained equations, @equations is not to be opened */
struct lk_lab_choice {
    const struct lk_lab_own *own;
    const struct lk_equations *equations;
    const char *variant;
    const struct lk_integrator *integrator;
    const char *integrator_variant;
    int by_itself;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
};

/** lk_lab_choose() - @model: its solver section is what "" stands for.
 * Return: 0, LK_E_MODEL: a name that there is not, or what does not go together; @ret_error also
 * says what does. */
int lk_lab_choose(const struct lk_model *model, const struct lk_method *method,
                  struct lk_lab_choice *ret, struct lk_error *ret_error);

#endif
