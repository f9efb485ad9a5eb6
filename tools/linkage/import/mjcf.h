/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's compiler, in a process of its own: whatever a file makes of it, it ends there. */
#ifndef TOOLS_LINKAGE_IMPORT_MJCF_H
#define TOOLS_LINKAGE_IMPORT_MJCF_H

#include "import.h"

#include <libxml/tree.h>
#include <mujoco/mujoco.h>

/** mjcf_compile() - @text, the content of @path, as MuJoCo understands it: with defaults, included
 * files and meshes beside @path. A file for a later version is read without what means nothing to a
 * mechanism. Its warnings are notes. It may print, exit, crash or never end: then there is one note
 * that says so. Not where other threads run. @root: of the same text Return: to be freed by
 * mj_deleteModel(); NULL after a note. */
mjModel *mjcf_compile(const char *path, const char *text, size_t size, const xmlNode *root,
                      struct notes *notes);

#endif
