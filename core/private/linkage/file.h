/* SPDX-License-Identifier: Apache-2.0 */
/* Files named by a user: models, configurations, keys, recordings, references, evidence.
 *
 * Only regular files are read. A pipe without a writer would block its reader for ever, a device
 * may never end, and opening a device may trigger an action; a folder has no text. The type is
 * checked with fstat() after open(), so a path that is replaced in between has no effect. */
#ifndef LINKAGE_FILE_H
#define LINKAGE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** lk_file_open() - open a file for reading; never blocks, whatever the path names.
 * Thread: any.
 * Return: a descriptor, or negative errno; -EISDIR: a folder; -EMEDIUMTYPE: a pipe, a socket or
 * a device. */
int lk_file_open(const char *path);

/** lk_file_watch() - call @watch with each file that lk_file_open() and lk_file_read() open, so that a
 * program knows its inputs; NULL: no longer. Thread: main, before others read files. */
void lk_file_watch(void (*watch)(int fd));

/** lk_file_read() - read the text of a whole file.
 * @max:      largest number of bytes to read. To detect a file that is too long, pass one byte
 *            more than allowed
 * @ret_text: on the heap, @ret_size bytes and a terminating zero; free() it
 * Thread: any.
 * Return: 0, or negative errno, see lk_file_open(). */
int lk_file_read(const char *path, size_t max, char **ret_text, size_t *ret_size);

/** lk_file_create() - create a new file for writing, with the permissions @mode. Never writes to an
 * existing file, not even through a link. Thread: any. Return: a descriptor, or negative errno
 * (-EEXIST: the name exists). */
int lk_file_create(const char *path, mode_t mode);

/** lk_file_write() - write all @size bytes to @fd, in as many calls as needed. Thread: any. Return:
 * 0, or negative errno: some of the bytes may be written. */
int lk_file_write(int fd, const void *bytes, size_t size);

/** lk_file_discard() - remove an incompletely written file, such as an empty file on a full disk.
 * Removes regular files only; errno remains unchanged. Thread: any. */
void lk_file_discard(const char *path);

/** lk_file_error() - return a text for users that says why a file was not read: strerror(), or the
 * type of the file if it is not a regular one. @error: negative errno */
const char *lk_file_error(int error);

#ifdef __cplusplus
}
#endif

#endif
