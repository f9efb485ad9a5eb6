/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody names: models, configurations, keys, recordings, references, evidence.
 *
 * Only regular files are read. A pipe that nobody writes to would hold its reader for ever, a
 * device may never end, and opening one may act on it; a folder has no text. What was opened is
 * looked at, not what the path leads to by then. */
#ifndef LINKAGE_FILE_H
#define LINKAGE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** lk_file_open() - open for reading; never blocks on what is no regular file.
 * Thread: any.
 * Return: a descriptor, or negative errno; -EISDIR: a folder; -EMEDIUMTYPE: a pipe, a socket or a
 * device. */
int lk_file_open(const char *path);

/** lk_file_read() - the text of a whole file.
 * @max:      bytes that are read at most: one more than a caller allows shows that a file is too
 * long
 * @ret_text: on the heap, a zero behind its @ret_size bytes; free() it
 * Thread: any.
 * Return: 0, or negative errno, see lk_file_open(). */
int lk_file_read(const char *path, size_t max, char **ret_text, size_t *ret_size);

/** lk_file_create() - a new file for writing, with the permissions @mode: nothing that is there
 * already is written to, be it through a link. Thread: any. Return: a descriptor, or negative errno
 * (-EEXIST: something of that name is there). */
int lk_file_create(const char *path, mode_t mode);

/** lk_file_error() - why a file was not read, for people: as strerror(), and what it is that is no
 * file. @error: negative errno */
const char *lk_file_error(int error);

#ifdef __cplusplus
}
#endif

#endif
