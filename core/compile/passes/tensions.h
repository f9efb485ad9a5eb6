/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies may be under such a tension that they swing across it faster than the step, see
 * step/elements/tension.h. A pass of the draft: from masses, levers and loads of the model alone.
 */
#ifndef LK_COMPILE_TENSIONS_H
#define LK_COMPILE_TENSIONS_H

#include "compile/draft.h"

/** lk_tensions_find() - s K / J that each body of the model may meet: if lk_pulls_most() acts at
 * its longest lever from joint to joint, or the weight of all bodies at its only joint. The blocks
 * of @draft have the bodies of the model.
 * @ret: of each body of the model. Return: how many exceed LK_TENSE, -ENOMEM. */
int lk_tensions_find(const struct lk_draft *draft, double *ret);

#endif
