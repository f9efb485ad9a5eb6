/* SPDX-License-Identifier: Apache-2.0 */
/* Writes files in a thread of its own: a disk that does not respond blocks that thread and nothing
 * else. All calls from the control thread. */
#ifndef LKD_CTL_WRITER_H
#define LKD_CTL_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lkd_writer;

#define LKD_STEM_SIZE (PATH_MAX + 128) /* bytes of one with its zero */

/** lkd_writer_new() - Start the thread, which inherits its affinity and has normal priority.
 * Return: 0, negative errno. */
int lkd_writer_new(struct lkd_writer **ret_writer);

/** lkd_writer_give() - queue @text, @size bytes, for a new file: @stem and @suffix, or, if that
 * name exists, @stem, "-2" and so on, and @suffix. Success and failure are logged.
 * @text: on the heap; owned by the writer from now on, even if the queue is full */
void lkd_writer_give(struct lkd_writer *writer, const char *stem, const char *suffix, char *text,
                     size_t size);

/** lkd_writer_await() - wait until the queue is written. After a time-out further calls do not wait
 * until the disk responds again.
 * @ns: longest wait.  Return: true if the queue is written. */
bool lkd_writer_await(struct lkd_writer *writer, int64_t ns);

/** lkd_writer_free() - write the queue and end the thread; NULL is allowed. If the disk does not
 * respond within ten seconds, the rest is logged as lost. */
void lkd_writer_free(struct lkd_writer *writer);

#endif
