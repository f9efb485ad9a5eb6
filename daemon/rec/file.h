/* SPDX-License-Identifier: Apache-2.0 */
/* Writing chunks to disk.
 *
 * There are LKD_FILE_SLOTS buffers: one is filled while the others are written, by io_uring from
 * registered memory, or synchronously by pwrite(). Each write has its own offset, so writes may
 * complete in any order; they are accepted in the order of the file. Data that io_uring does not
 * accept at once is written by pwrite().
 *
 * Space is reserved in advance, so that the summary at the end of a file fits even if the disk is
 * full by then.
 *
 * Another process may remove, truncate or replace the file without making a write fail;
 * lkd_file_check() detects it. */
#ifndef LKD_REC_FILE_H
#define LKD_REC_FILE_H

#include "record_config.h"
#include <liburing.h>

#define LKD_FILE_SLOTS 3

/** struct lkd_file_slot - a buffer.
 * @busy:    the slot was submitted and not yet returned by lkd_file_accept()
 * @flying:  the kernel is executing the write
 * @written: number of the @size bytes at @offset that are already written
 * @result:  0, or negative errno of the write */
struct lkd_file_slot {
    unsigned char *data;
    size_t size;
    uint64_t offset;
    size_t written;
    bool busy;
    bool flying;
    int result;
};

/** struct lkd_file - a file that is written in chunks.
 * @next:        offset of the next write
 * @reserved:    end of the space that the file system has reserved
 * @may_reserve: the file system supports reservation
 * @uring:       writes go through @ring
 * @sync:        see struct lkd_record_config */
struct lkd_file {
    int fd;
    bool uring;
    bool sync;
    bool may_reserve;
    struct io_uring ring;
    struct lkd_file_slot slot[LKD_FILE_SLOTS];
    size_t capacity;
    uint64_t next;
    uint64_t reserved;
};

/** enum lkd_file_fate - state of a file on disk.
 * LKD_FILE_CUT: truncated. LKD_FILE_MOVED: complete, but renamed, or another file has its name. */
enum lkd_file_fate { LKD_FILE_THERE, LKD_FILE_REMOVED, LKD_FILE_CUT, LKD_FILE_MOVED };

/** lkd_file_init() - Initialise @file without a descriptor. Set @fd before the first write; @file
 * owns it from then on.
 * @capacity: bytes of a slot.
 * Return: 0, -ENOMEM. */
int lkd_file_init(struct lkd_file *file, size_t capacity);
/** lkd_file_ring() - Use io_uring for all further writes.
 * Return: 0, or negative errno if io_uring is not available. */
int lkd_file_ring(struct lkd_file *file);
/** lkd_file_fini() - Wait for pending writes, close the descriptor, and release the memory of
 * @file. */
void lkd_file_fini(struct lkd_file *file);

/** lkd_file_free_slot() - Return a free buffer, or NULL. */
struct lkd_file_slot *lkd_file_free_slot(struct lkd_file *file);

/** lkd_file_reserve() - Reserve disk space for @size bytes after the bytes submitted so far.
 * Return: 0, or negative errno: the disk is full. */
int lkd_file_reserve(struct lkd_file *file, uint64_t size);
/** lkd_file_write() - Submit @size bytes of a slot, to be appended to the file. Without io_uring,
 * and with @sync, the bytes are written when this function returns. lkd_file_accept() returns
 * errors. */
void lkd_file_write(struct lkd_file *file, struct lkd_file_slot *slot, size_t size);
/** lkd_file_accept() - Return the oldest pending slot if it is complete.
 * @wait: wait until the slot is complete
 * Return: the slot, no longer busy, with its @result; NULL if none is complete. */
struct lkd_file_slot *lkd_file_accept(struct lkd_file *file, bool wait);

/** lkd_file_check() - Check, with at most four system calls, that the file at @path is still the
 * file that was written.
 * @path:    path at which the file was opened
 * @size:    accepted bytes
 * @closely: also search the accepted bytes for holes: a write after a truncation restores the size,
 *           but leaves a hole
 * Return: enum lkd_file_fate. */
enum lkd_file_fate lkd_file_check(const struct lkd_file *file, const char *path, uint64_t size,
                                  bool closely);
/** lkd_file_fate_text() - Return a description such as "the file was removed", as static text. */
const char *lkd_file_fate_text(enum lkd_file_fate fate);

/** lkd_file_put() - Overwrite the file at @offset with @data. Return: 0, negative errno. */
int lkd_file_put(struct lkd_file *file, const void *data, size_t size, uint64_t offset);

#endif
