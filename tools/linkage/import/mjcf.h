/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's compiler in a separate process, so that a crash caused by a file ends only that
 * process; and the shapes of the compiled model. */
#ifndef TOOLS_LINKAGE_IMPORT_MJCF_H
#define TOOLS_LINKAGE_IMPORT_MJCF_H

#include "import.h"

#include <libxml/tree.h>
#include <mujoco/mujoco.h>

/** mjcf_compile() - Compile @text, the content of @path, with MuJoCo, including defaults, included
 * files and meshes from the folder of @path. Elements of later versions that do not matter to a
 * mechanism are removed. Warnings become notes. If the compiler prints, exits, crashes or never
 * ends, one note reports it. Do not call while other threads run. @root: root element of the same
 * text
 * Return: the model, to be freed with mj_deleteModel(); NULL after a note. */
mjModel *mjcf_compile(const char *path, const char *text, size_t size, const xmlNode *root,
                      struct notes *notes);

/* struct mjcf_drawn - result of mjcf_draw_body(). @n_boxes: meshes and ellipsoids drawn as boxes */
struct mjcf_drawn {
    int n_boxes;
    struct undrawn undrawn;
};

/** mjcf_draw_body() - Add the shapes of a body to the robot.
 * @link: link of the body; @shift: from the frame of the body to that of the link, see struct reading
 * @drawn: in and out: counts */
void mjcf_draw_body(const mjModel *m, int body, int link, const double shift[3],
                    struct robot *robot, struct mjcf_drawn *drawn);

#endif
