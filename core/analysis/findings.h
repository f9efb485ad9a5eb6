/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of linkage/findings.h: one file each for bodies, blocks, the start and the
 * step. */
#ifndef LK_ANALYSIS_FINDINGS_H
#define LK_ANALYSIS_FINDINGS_H

#include "linkage/findings.h"
#include "model/model.h"
#include "step/system.h"
#include <stdbool.h>

/** struct lk_inspection - state of an inspection of a model.
 * @bounds: limits of the inspection, or NULL;  @flops: operations so far of its expensive parts
 * @room:   capacity of @found;  @result: 0, -ENOMEM after a failed allocation */
struct lk_inspection {
    const struct lk_model *model;
    struct lk_system *sys;
    const struct lk_mobility *mobility;
    const struct lk_bounds *bounds;
    double flops;
    struct lk_findings found;
    int room;
    int result;
};

/** lk_finding_add() - append a finding; @format: its text. Return: the finding, to which
 * lk_finding_number() adds numbers; NULL if the list is full or memory is exhausted. */
struct lk_finding *lk_finding_add(struct lk_inspection *in, const char *id, const char *where,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/** lk_finding_number() - add a number; @finding may be NULL. */
void lk_finding_number(struct lk_finding *finding, const char *name, const char *unit,
                       double value);

/** lk_inspection_may() - return whether the bounds allow @flops more operations, and count them
 * as used. */
bool lk_inspection_may(struct lk_inspection *in, double flops);

/** lk_finding_joint() - write "joint pin (crank, coupler)" of block @i; @text: LK_TEXT_SIZE bytes,
 * returned. */
const char *lk_finding_joint(const struct lk_system *sys, int i, char *text);

/** lk_inspect_bodies() - check inertias, centres of mass, free bodies; reads only the model.
 * lk_inspect_start() - check gaps, velocities and stops at the start. lk_inspect_step() - find
 * motions too fast for the step. lk_inspect_blocks() - find blocks that couple coordinates too fast
 * for the step. */
void lk_inspect_bodies(struct lk_inspection *in);
void lk_inspect_start(struct lk_inspection *in);
void lk_inspect_step(struct lk_inspection *in);
void lk_inspect_blocks(struct lk_inspection *in);

#endif
