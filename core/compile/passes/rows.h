/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a model: a pass of the draft. */
#ifndef LK_COMPILE_PASSES_ROWS_H
#define LK_COMPILE_PASSES_ROWS_H

#include "compile/draft.h"

/* bodies in blocks before parts are placed: bodies of the model, the ground, then frames */
#define LK_FRAME_CODE(k) (-2 - (k))

/** lk_rows_find() - make the blocks of rows between the bodies of the model, in the order that
 * draft.h states. Planar reduction removes rows (plane.h), unless the step includes the geometric
 * stiffness of some body (tensions.h), which needs the inertia in all directions. Sets blocks,
 * plane, n_in_plane, n_held, tension, is_tense, n_sways, n_frames and frame_of of @draft.
 * Return: 0, -ENOMEM. */
int lk_rows_find(struct lk_draft *draft);

/** lk_rows_add_block() - append a block, with the ground on both sides until the caller sets its
 * bodies. */
struct lk_draft_block *lk_rows_add_block(struct lk_draft *draft, enum lk_joint_type type,
                                         int joint);

#endif
