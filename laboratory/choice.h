/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the formulation and the integrator that a method names, and refuses combinations that do
 * not fit. */
#ifndef LK_METHODS_LABORATORY_CHOICE_H
#define LK_METHODS_LABORATORY_CHOICE_H

#include "laboratory/integrator.h"
#include "linkage/laboratory.h"
#include "model/model.h"

/** struct lk_lab_own - a time step of the library that includes its own integrator, as in the
 * daemon.
 * @name:  name with variant
 * @formulation, @coordinates, @order: values of the solver section that select this step
 * @paper: see struct lk_lab_name
 * @contact_rounds: see struct lk_options; above 0 the step is for models with contacts */
struct lk_lab_own {
    const char *name;
    const char *formulation;
    enum lk_coordinates coordinates;
    int order;
    const char *paper;
    int contact_rounds;
};

/** struct lk_lab_choice - a resolved method: either @own, or @equations with @integrator.
 * @variant, @integrator_variant: static text or part of a string in struct lk_method; "" for no
 *             variant
 * @by_itself: the integrator uses the constrained equations directly; do not open @equations */
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

/** lk_lab_choose() - resolve a method.
 * @model: its solver section determines the formulation if @method names none
 * Return: 0, LK_E_MODEL: an unknown name, or names that do not fit together; @ret_error also lists
 * valid names. */
int lk_lab_choose(const struct lk_model *model, const struct lk_method *method,
                  struct lk_lab_choice *ret, struct lk_error *ret_error);

#endif
