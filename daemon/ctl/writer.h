/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of files in a separate thread, so that a disk that does not respond blocks only this
 * thread. All functions are called from the control thread. */
#ifndef LKD_CTL_WRITER_H
#define LKD_CTL_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lkd_writer;

#define LKD_STEM_SIZE (PATH_MAX + 128) /* bytes of a stem, including its terminating zero */

/** lkd_writer_new() - Start the thread. It inherits the affinity of the caller and has normal
 * priority.
 * Return: 0, negative errno. */
int lkd_writer_new(struct lkd_writer **ret_writer);

/** lkd_writer_give() - Queue @text, @size bytes, for a new file. The file is named @stem followed
 * by @suffix. If that name exists, "-2", "-3" and so on is inserted between them. Success and
 * failure are logged.
 * @text: on the heap; owned by the writer from now on, even if the queue is full */
void lkd_writer_give(struct lkd_writer *writer, const char *stem, const char *suffix, char *text,
                     size_t size);

/** lkd_writer_await() - Wait until the queue is written. After a time-out, further calls return at
 * once until the disk responds again.
 * @ns: longest wait.
 * Return: true if the queue is written. */
bool lkd_writer_await(struct lkd_writer *writer, int64_t ns);

/** lkd_writer_free() - Write the queue and end the thread. @writer may be NULL. If the disk does
 * not respond within ten seconds, the rest is logged as lost. */
void lkd_writer_free(struct lkd_writer *writer);

#endif
