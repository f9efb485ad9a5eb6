/* SPDX-License-Identifier: Apache-2.0 */
/* Picture of a mode: the mechanism at rest in a pale colour, and displaced in the shape of the
 * mode. */
#ifndef TOOLS_LINKAGE_MODES_PICTURE_H
#define TOOLS_LINKAGE_MODES_PICTURE_H

#include "linkage/modes.h"

/** draw_mode() - Draw mode @number of @model, from 1 on, into the SVG file at @path.
 * @system: in the state at which @linear was computed
 * Return: false after an error message. */
bool draw_mode(const struct lk_model *model, const struct lk_system *system,
               const struct lk_linear *linear, const struct lk_mode *mode, int number,
               const char *path);

#endif
