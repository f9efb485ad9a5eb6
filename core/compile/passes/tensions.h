/* SPDX-License-Identifier: Apache-2.0 */
/* Find the bodies whose tension may be so large that they swing across it faster than the step can
 * resolve, see step/elements/tension.h. A pass of the draft, which uses only masses, lever arms and
 * loads of the model. */
#ifndef LK_COMPILE_TENSIONS_H
#define LK_COMPILE_TENSIONS_H

#include "compile/draft.h"

/** lk_tensions_find() - compute the largest s K / J of each body of the model, where K is its
 * geometric stiffness. The force is the result of lk_pulls_most(), or, for a body with a single
 * joint, the weight of all bodies. The force acts at the longest lever arm from the centre of mass
 * to a joint. The blocks of @draft refer to bodies of the model.
 * @ret: s K / J of each body of the model [1]. Return: number of bodies above LK_TENSE, -ENOMEM. */
int lk_tensions_find(const struct lk_draft *draft, double *ret);

#endif
