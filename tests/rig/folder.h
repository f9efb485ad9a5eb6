/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of a test's own, and texts in it. Nothing here ends a test: what is wrong is said by the
 * result. */
#ifndef TESTS_RIG_FOLDER_H
#define TESTS_RIG_FOLDER_H

#include <stddef.h>

#define RIG_FOLDER 64 /* bytes of its path */

/** rig_folder_make() - below TMPDIR, if that is set and short, else /tmp.
 * @name:    its name begins with that
 * Return: 0, negative errno. */
int rig_folder_make(const char *name, char ret_path[RIG_FOLDER]);

/** rig_folder_remove() - with all that is in it; links are not followed.
 * Return: 0, negative errno. */
int rig_folder_remove(const char *path);

/** rig_text_read() - the first MiB of a file, "" where there is none; to be freed.
 * Return: NULL without memory. */
char *rig_text_read(const char *path);

#endif
