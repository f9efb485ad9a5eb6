/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders of tests, and files in them. Failures do not end the test; they are returned.
 */
#ifndef TESTS_RIG_FOLDER_H
#define TESTS_RIG_FOLDER_H

#include <stddef.h>

#define RIG_FOLDER 64 /* bytes of its path */

/** rig_folder_make() - Make a temporary folder in TMPDIR, if this is set and short, otherwise in
 * /tmp. @name: prefix of the folder's name
 * Return: 0, negative errno. */
int rig_folder_make(const char *name, char ret_path[RIG_FOLDER]);

/** rig_folder_remove() - Remove a folder with its content; do not follow links.
 * Return: 0, negative errno. */
int rig_folder_remove(const char *path);

/** rig_text_read() - Read the first MiB of a file.
 * Return: the text, "" if there is no file, NULL without memory; free() it. */
char *rig_text_read(const char *path);

#endif
