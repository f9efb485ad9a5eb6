/* SPDX-License-Identifier: Apache-2.0 */
/* Start of a line process, and reader of its standard error: libzmq writes a line there before it
 * aborts. The process does not share the daemon's standard descriptors, so it cannot damage
 * them. */
#ifndef LKD_LINE_BIRTH_H
#define LKD_LINE_BIRTH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** struct lkd_words - standard error of a line process.
 * @fd:          read end of a pipe, -1: none
 * @line:        the incomplete last line, @n bytes
 * @descriptors: the process has reported that it has no descriptors left */
struct lkd_words {
    int fd;
    bool descriptors;
    size_t n;
    char line[200];
};

/** lkd_spawn() - Start this program as a line process.
 * @orders:    the socket end for orders that the process gets
 * @priority:  SCHED_FIFO priority, 0 for normal; if the kernel refuses it, no process is started
 * @ret_words: standard error of the process; close with lkd_words_close(), also after an error
 * Return: 0, negative errno. */
int lkd_spawn(int orders, int priority, pid_t *ret_pid, struct lkd_words *ret_words);

/** lkd_words_hear() - Log the text written so far, a bounded amount per call. */
void lkd_words_hear(struct lkd_words *words);
/** lkd_words_close() - Log the remaining text and close the pipe. Does nothing if there is no
 * pipe. */
void lkd_words_close(struct lkd_words *words);

#endif
