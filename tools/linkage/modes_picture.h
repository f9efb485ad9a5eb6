/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a mode: the mechanism at rest in a pale colour, and displaced in the shape of the
 * mode; or a page that moves it. */
#ifndef TOOLS_LINKAGE_MODES_PICTURE_H
#define TOOLS_LINKAGE_MODES_PICTURE_H

#include "linkage/modes.h"

/** draw_mode() - Draw mode @number of @model, from 1 on.
 * @system: in the state at which @linear was computed
 * @svg:    file for a picture, or NULL
 * @html:   file for a page with a period of the mode, without its damping, or NULL
 * Return: false after an error message. */
bool draw_mode(const struct lk_model *model, const struct lk_system *system,
               const struct lk_linear *linear, const struct lk_mode *mode, int number,
               const char *svg, const char *html);

#endif
