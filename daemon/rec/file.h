/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks on their way to the disk.
 *
 * There are LKD_FILE_SLOTS buffers: one is being filled while the others are written, by io_uring
 * from registered memory, or by pwrite() on the spot. Each write goes to an offset of its own, so
 * they may end in any order; they are accepted in the order of the file.
 *
 * Space is reserved ahead, so that what ends a file always has room, also on a disk that is full by
 * then: the summary is never what does not fit. */
#ifndef LKD_REC_FILE_H
#define LKD_REC_FILE_H

#include "record_config.h"
#include <liburing.h>

#define LKD_FILE_SLOTS 3

/** struct lkd_file_slot - a buffer.
 * @busy: handed over, not accepted yet;  @flying: the kernel has it
 * @written: so many of its @size bytes at @offset are
 * @result: 0, or negative errno of the write */
struct lkd_file_slot {
    unsigned char *data;
    size_t size;
    uint64_t offset;
    size_t written;
    bool busy;
    bool flying;
    int result;
};

/** struct lkd_file - see above.
 * @next:     offset of the next write;  @reserved: up to which the disk has given its word
 * @may_reserve: the file system can do that
 * @uring:    writes go through @ring;  @sync: see struct lkd_record_config */
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

/** lkd_file_init() - for the empty file @fd, which becomes its own. @capacity: bytes of a slot.
 * Return: 0, -ENOMEM. */
int lkd_file_init(struct lkd_file *file, int fd, size_t capacity);
/** lkd_file_ring() - use io_uring from now on. Return: 0, negative errno: it is not to be had. */
int lkd_file_ring(struct lkd_file *file);
/** lkd_file_fini() - wait for what is under way, close, release. */
void lkd_file_fini(struct lkd_file *file);

/** lkd_file_free_slot() - a buffer that nobody uses, or NULL. */
struct lkd_file_slot *lkd_file_free_slot(struct lkd_file *file);

/** lkd_file_reserve() - room for @size bytes more than what has been handed over.
 * Return: 0, or negative errno: the disk is full. */
int lkd_file_reserve(struct lkd_file *file, uint64_t size);
/** lkd_file_write() - hand over @size bytes of a slot, for the end of the file. Without io_uring,
 * and with @sync, they are written when this returns. Errors come with lkd_file_accept(). */
void lkd_file_write(struct lkd_file *file, struct lkd_file_slot *slot, size_t size);
/** lkd_file_accept() - the oldest slot that is under way, when it is done. @wait: until it is.
 * Return: it, no longer busy, its @result known; NULL when none is done. */
struct lkd_file_slot *lkd_file_accept(struct lkd_file *file, bool wait);

/** lkd_file_put() - write @data at @offset, in place. Return: 0, negative errno. */
int lkd_file_put(struct lkd_file *file, const void *data, size_t size, uint64_t offset);

#endif
