/* SPDX-License-Identifier: Apache-2.0 */
/* MJCF for a later MuJoCo than the one that reads. */
#ifndef TOOLS_LINKAGE_IMPORT_MJCF_NEWER_H
#define TOOLS_LINKAGE_IMPORT_MJCF_NEWER_H

#include "mjcf.h"

/** enum mjcf_newer - outcome. MJCF_NOT_NEWER: all of it is in the schema; MJCF_REFUSED: it has what
 * cannot be left out, each was told; MJCF_WITHOUT: there is a text without */
enum mjcf_newer { MJCF_NOT_NEWER, MJCF_REFUSED, MJCF_WITHOUT };

/** typedef mjcf_newer_tell - a line about the file. @kind: 'e': an error, 'w': a warning, 's': what
 * was done;  @line: of the file, 0: none */
typedef void mjcf_newer_tell(char kind, long line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** mjcf_without_newer() - the document of @root without elements and attributes that the schema of
 * the MuJoCo that reads does not have, and that are no part of a mechanism; included files are put
 * in place. Allocates and does not release: for a process that ends.
 * @folder: of the file, with its slash
 * @ret_text, @ret_size: written for MJCF_WITHOUT */
enum mjcf_newer mjcf_without_newer(const xmlNode *root, const char *folder, mjcf_newer_tell *tell,
                                   char **ret_text, size_t *ret_size);

#endif
