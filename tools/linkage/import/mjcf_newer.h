/* SPDX-License-Identifier: Apache-2.0 */
/* Reads MJCF that was written for a later version than the installed MuJoCo. */
#ifndef TOOLS_LINKAGE_IMPORT_MJCF_NEWER_H
#define TOOLS_LINKAGE_IMPORT_MJCF_NEWER_H

#include "mjcf.h"

/** enum mjcf_newer - outcome of mjcf_without_newer().
 * MJCF_NOT_NEWER: the schema contains all elements of the file. MJCF_REFUSED: the file has newer
 * elements that cannot be omitted; each is reported. MJCF_WITHOUT: a text without the newer
 * elements was made. */
enum mjcf_newer { MJCF_NOT_NEWER, MJCF_REFUSED, MJCF_WITHOUT };

/** typedef mjcf_newer_tell - callback for a message about the file.
 * @kind: 'e': error, 'w': warning, 's': information
 * @line: line of the file, 0: none */
typedef void mjcf_newer_tell(char kind, long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** mjcf_without_newer() - Write the document of @root without unknown elements and attributes:
 * those that the schema of the installed MuJoCo lacks and that are irrelevant to a mechanism.
 * Included files are inserted. Memory is not released, because the calling process ends soon.
 * @folder: folder of the file, with a slash at its end
 * @ret_text, @ret_size: written for MJCF_WITHOUT */
enum mjcf_newer mjcf_without_newer(const xmlNode *root, const char *folder, mjcf_newer_tell *tell,
                                   char **ret_text, size_t *ret_size);

#endif
