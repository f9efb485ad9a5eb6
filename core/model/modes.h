/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of modal bodies: bodies with modes, from a file or in the text of the model. */
#ifndef LK_MODEL_MODES_H
#define LK_MODEL_MODES_H

#include "document_tree.h"

#define LK_MODES_MAX       200  /* modes of a body */
#define LK_MODAL_NODES_MAX 256  /* nodes of a modal body */
#define LK_FREQUENCY_MIN   1e-6 /* lowest frequency of a mode [Hz] */
#define LK_MODAL_SLENDER   1e-9 /* least principal moment of a body with modes, of the largest */

struct lk_source;

/** lk_modes_include() - replace each entry of type `modal` in the section `flexible` of @document
 * by a body with the mass, inertia and modes of its file. Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_modes_include(struct lk_document *document, const struct lk_source *source,
                     struct lk_error *err);
/** lk_modes_are_in_files() - return whether an entry of `flexible` in @document names a file. */
bool lk_modes_are_in_files(struct lk_document *document);

#endif
