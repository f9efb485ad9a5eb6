/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler made of a model: which rows of a joint are in the step, how a body is
 * eliminated, which elements are in the matrix. In words, for people.
 *
 * Thread: any but the cycle.  RT: no; allocates. */
#ifndef LINKAGE_TREATMENT_H
#define LINKAGE_TREATMENT_H

#include "linkage/analysis.h"

/** struct lk_treated - an element of the model. @where: "body chassis", "joint hinge", "force
 * spring", "rows", "tree";  @how: what became of it;  @is_plain: nothing but what its definition
 * says */
struct lk_treated {
    char where[LK_TEXT_SIZE];
    char how[2 * LK_TEXT_SIZE];
    int is_plain;
};

/** struct lk_treatment - all of them, bodies, joints and forces in the order of the file.
 * @reductions: that the system uses, bits of enum lk_reduction */
struct lk_treatment {
    unsigned reductions;
    int n;
    struct lk_treated *list;
};

/** lk_treatment_init() - of @system, which was compiled from @model. Return: 0, -ENOMEM. */
int lk_treatment_init(const struct lk_model *model, const struct lk_system *system,
                      struct lk_treatment *ret);
void lk_treatment_fini(struct lk_treatment *treatment);

#endif
