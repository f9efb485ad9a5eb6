/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders of tests, and files in them. Failures do not end the test; they are returned.
 */
#ifndef TESTS_RIG_FOLDER_H
#define TESTS_RIG_FOLDER_H

#include <stddef.h>

#define RIG_FOLDER 64 /* bytes of its path */

/** rig_folder_make() - make a temporary folder in TMPDIR, if set and short, else in /tmp.
 * @name:    prefix of its name
 * Return: 0, negative errno. */
int rig_folder_make(const char *name, char ret_path[RIG_FOLDER]);

/** rig_folder_remove() - remove a folder with its content; does not follow links.
 * Return: 0, negative errno. */
int rig_folder_remove(const char *path);

/** rig_text_read() - read the first MiB of a file.
 * Return: the text, "" if there is no file, NULL without memory; free() it. */
char *rig_text_read(const char *path);

#endif
