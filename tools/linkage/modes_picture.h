/* SPDX-License-Identifier: Apache-2.0 */
/* A mode as a picture: the mechanism at rest, pale, and as the mode carries it. */
#ifndef TOOLS_LINKAGE_MODES_PICTURE_H
#define TOOLS_LINKAGE_MODES_PICTURE_H

#include "linkage/modes.h"

/** draw_mode() - mode @number of @model, from 1 on, into the SVG file at @path.
 * @system: at the start that @linear is about
 * Return: false after an error message. */
bool draw_mode(const struct lk_model *model, const struct lk_system *system,
               const struct lk_linear *linear, const struct lk_mode *mode, int number,
               const char *path);

#endif
