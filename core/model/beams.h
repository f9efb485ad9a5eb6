/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of beams: how a document becomes one of rigid bodies and bushings. */
#ifndef LK_MODEL_BEAMS_H
#define LK_MODEL_BEAMS_H

#include "beam_section.h"
#include "document_tree.h"

#define LK_BEAMS_MAX         256
#define LK_BEAM_ELEMENTS_MAX 1024

/** lk_beams_expand() - write the bodies, bushings and shapes of the section `flexible` into
 * @document, and replace references BEAM@FRACTION by the names of nodes and elements.
 *
 * A node is a rigid body with the mass of half the element on either side, at the middle of which a
 * bushing connects it with the next node. With the stiffnesses EA/L, 1 / (L^3/(12 EI) + L/(GA)),
 * GJ/L and EI/L in the axes of the section, the element has the stiffness matrix of the Timoshenko
 * beam (J. S. Przemieniecki, Theory of Matrix Structural Analysis, 1968, equation 5.116): small
 * deflections under loads at nodes are exact for any number of elements. Return: 0, LK_E_TEXT,
 * -ENOMEM. */
int lk_beams_expand(struct lk_document *document, struct lk_error *err);

#endif
