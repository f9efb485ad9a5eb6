/* SPDX-License-Identifier: Apache-2.0 */
/* Report, as text for users, on how the compiler treats a model: rows of each joint in the step,
 * elimination of each body, elements in the matrix.
 *
 * Thread: any but the cycle.  RT: no; allocates. */
#ifndef LINKAGE_TREATMENT_H
#define LINKAGE_TREATMENT_H

#include "linkage/analysis.h"

/** struct lk_treated - treatment of one element of the model.
 * @where: "body chassis", "joint hinge", "force spring", "rows", "tree"
 * @how:   treatment of the element, as text
 * @is_plain: the element is treated according to its definition, without reductions */
struct lk_treated {
    char where[LK_TEXT_SIZE];
    char how[2 * LK_TEXT_SIZE];
    int is_plain;
};

/** struct lk_treatment - all elements: bodies, joints and forces in the order of the file.
 * @reductions: reductions that the system uses, bits of enum lk_reduction */
struct lk_treatment {
    unsigned reductions;
    int n;
    struct lk_treated *list;
};

/** lk_treatment_init() - report on @system, which was compiled from @model. Return: 0, -ENOMEM. */
int lk_treatment_init(const struct lk_model *model, const struct lk_system *system,
                      struct lk_treatment *ret);
void lk_treatment_fini(struct lk_treatment *treatment);

#endif
