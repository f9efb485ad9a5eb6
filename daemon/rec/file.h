/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks on their way to the disk.
 *
 * There are LKD_FILE_SLOTS buffers: one is being filled while the others are written, by io_uring
 * from registered memory, or by pwrite() on the spot. Each write goes to an offset of its own, so
 * they may end in any order; they are accepted in the order of the file. What io_uring does not
 * take at once is written plainly.
 *
 * Space is reserved ahead, so that what ends a file always has room, also on a disk that is full by
 * then: the summary is never what does not fit.
 *
 * The file is the daemon's alone; somebody else may remove it, cut it or put another one in its
 * place all the same, and no write fails by that: lkd_file_look() tells. */
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

/** enum lkd_file_fate - what became of a file.
 * @LKD_FILE_MOVED: it is whole, but has another name or is behind another file of its name */
enum lkd_file_fate { LKD_FILE_THERE, LKD_FILE_REMOVED, LKD_FILE_CUT, LKD_FILE_MOVED };

/** lkd_file_init() - no file yet: @fd is set before the first write and becomes its own.
 * @capacity: bytes of a slot.  Return: 0, -ENOMEM. */
int lkd_file_init(struct lkd_file *file, size_t capacity);
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

/** lkd_file_look() - is the file still what was written? Three calls of the kernel that write
 * nothing.
 * @path: that it was opened by;  @size: bytes that have been accepted
 * @closely: look for holes within them, too: who cut it may have been followed by a write that was
 * under way.
 * Return: see above. */
enum lkd_file_fate lkd_file_look(const struct lkd_file *file, const char *path, uint64_t size,
                                 bool closely);
/** lkd_file_fate_text() - "the file was removed" and so on. Static text. */
const char *lkd_file_fate_text(enum lkd_file_fate fate);

/** lkd_file_put() - write @data at @offset, in place. Return: 0, negative errno. */
int lkd_file_put(struct lkd_file *file, const void *data, size_t size, uint64_t offset);

#endif
