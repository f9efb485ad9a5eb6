/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIGNMENT 4096
/* Size by which disk space is reserved in advance: a few seconds of a fast recording. */
#define AHEAD (UINT64_C(16) << 20)

int lkd_file_init(struct lkd_file *file, size_t capacity)
{
    *file = (struct lkd_file){.fd = -1, .may_reserve = true};
    file->capacity = (capacity + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (int i = 0; i < LKD_FILE_SLOTS; i++) {
        file->slot[i].data = aligned_alloc(ALIGNMENT, file->capacity);
        if (!file->slot[i].data)
            return -ENOMEM;
    }
    return 0;
}

int lkd_file_ring(struct lkd_file *file)
{
    struct iovec buffers[LKD_FILE_SLOTS];
    int r;

    r = io_uring_queue_init(2 * LKD_FILE_SLOTS, &file->ring, 0);
    if (r)
        return r;
    for (int i = 0; i < LKD_FILE_SLOTS; i++)
        buffers[i] = (struct iovec){.iov_base = file->slot[i].data, .iov_len = file->capacity};
    r = io_uring_register_buffers(&file->ring, buffers, LKD_FILE_SLOTS);
    if (r)
        io_uring_queue_exit(&file->ring);
    else
        file->uring = true;
    return r;
}

/* ---- io_uring ---- */

static void write_plainly(struct lkd_file *file, struct lkd_file_slot *slot)
{
    slot->result = lkd_file_put(file, slot->data + slot->written, slot->size - slot->written,
                                slot->offset + slot->written);
    if (slot->result == 0)
        slot->written = slot->size;
}

/* Submit the write of a slot. If the kernel does not accept the entry, it stays in the ring and
 * would be submitted later, when its buffer may contain other data. So it is turned into a
 * no-op. */
static void submit_slot(struct lkd_file *file, struct lkd_file_slot *slot)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&file->ring);

    if (!sqe) { /* the ring is full of no-ops */
        io_uring_submit(&file->ring);
        write_plainly(file, slot);
        return;
    }
    io_uring_prep_write_fixed(sqe, file->fd, slot->data + slot->written,
                              (unsigned int)(slot->size - slot->written),
                              slot->offset + slot->written, (int)(slot - file->slot));
    io_uring_sqe_set_data(sqe, slot);
    slot->flying = true;
    io_uring_submit(&file->ring);
    if (io_uring_sq_ready(&file->ring) == 0)
        return;
    io_uring_prep_nop(sqe);
    io_uring_sqe_set_data(sqe, NULL);
    slot->flying = false;
    write_plainly(file, slot);
}

static void complete_slot(struct lkd_file *file, struct lkd_file_slot *slot, int result)
{
    slot->flying = false;
    if (result == -EAGAIN) {
        write_plainly(file, slot);
        return;
    }
    if (result == -EINTR)
        result = 0;
    else if (result == 0)
        result = -ENOSPC; /* fewer bytes than requested, without an error */
    if (result < 0) {
        slot->result = result;
        return;
    }
    slot->written += (size_t)result;
    if (slot->written < slot->size)
        submit_slot(file, slot);
}

/* Process finished writes. With @wait, wait for at least one. */
static void reap_writes(struct lkd_file *file, bool wait)
{
    struct io_uring_cqe *cqe;
    int r = wait ? io_uring_wait_cqe(&file->ring, &cqe) : io_uring_peek_cqe(&file->ring, &cqe);

    while (r == 0) {
        struct lkd_file_slot *slot = io_uring_cqe_get_data(cqe);
        int result = cqe->res;

        io_uring_cqe_seen(&file->ring, cqe);
        if (slot)
            complete_slot(file, slot, result);
        r = io_uring_peek_cqe(&file->ring, &cqe);
    }
}

static bool is_done(const struct lkd_file_slot *slot)
{
    return !slot->flying && (slot->result || slot->written == slot->size);
}

/* ---- with io_uring or without ---- */

void lkd_file_fini(struct lkd_file *file)
{
    while (lkd_file_accept(file, true))
        ;
    if (file->uring)
        io_uring_queue_exit(&file->ring);
    for (int i = 0; i < LKD_FILE_SLOTS; i++)
        free(file->slot[i].data);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct lkd_file){.fd = -1};
}

struct lkd_file_slot *lkd_file_free_slot(struct lkd_file *file)
{
    for (int i = 0; i < LKD_FILE_SLOTS; i++)
        if (!file->slot[i].busy)
            return &file->slot[i];
    return NULL;
}

int lkd_file_reserve(struct lkd_file *file, uint64_t size)
{
    uint64_t end = file->next + size, from = file->reserved;
    int r;

    if (end <= from || !file->may_reserve)
        return 0;
    r = fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end + AHEAD - from));
    if (r == 0) {
        file->reserved = end + AHEAD;
        return 0;
    }
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
        file->may_reserve = false; /* not supported by this file system: a full disk is detected by
                                    * the writes */
        return 0;
    }
    r = fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from));
    if (r == 0)
        file->reserved = end;
    return r ? -errno : 0;
}

int lkd_file_put(struct lkd_file *file, const void *data, size_t size, uint64_t offset)
{
    const unsigned char *from = data;

    while (size > 0) {
        ssize_t n = pwrite(file->fd, from, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

void lkd_file_write(struct lkd_file *file, struct lkd_file_slot *slot, size_t size)
{
    slot->size = size;
    slot->offset = file->next;
    slot->written = 0;
    slot->result = 0;
    slot->busy = true;
    file->next += size;
    if (file->uring) {
        submit_slot(file, slot);
    } else {
        write_plainly(file, slot);
    }
    if (!file->sync)
        return;
    while (!is_done(slot))
        reap_writes(file, true);
    if (slot->result == 0 && fdatasync(file->fd))
        slot->result = -errno;
}

static struct lkd_file_slot *oldest(struct lkd_file *file)
{
    struct lkd_file_slot *found = NULL;

    for (int i = 0; i < LKD_FILE_SLOTS; i++) {
        struct lkd_file_slot *slot = &file->slot[i];

        if (slot->busy && (!found || slot->offset < found->offset))
            found = slot;
    }
    return found;
}

struct lkd_file_slot *lkd_file_accept(struct lkd_file *file, bool wait)
{
    struct lkd_file_slot *slot = oldest(file);

    if (!slot)
        return NULL;
    if (file->uring)
        reap_writes(file, false);
    while (wait && !is_done(slot))
        reap_writes(file, true);
    if (!is_done(slot))
        return NULL;
    slot->busy = false;
    return slot;
}

/* ---- changes by other programs ---- */

static bool has_hole(const struct lkd_file *file, uint64_t size)
{
    off_t hole = lseek(file->fd, 0, SEEK_HOLE);

    return hole >= 0 && (uint64_t)hole < size; /* false if the file system does not support this */
}

/* Return true if @path is missing or another file. If the folder cannot be read, this is unknown:
 * return false. */
static bool is_elsewhere(const char *path, const struct stat *own)
{
    struct stat there;

    if (stat(path, &there))
        return errno == ENOENT || errno == ENOTDIR;
    return there.st_ino != own->st_ino || there.st_dev != own->st_dev;
}

enum lkd_file_fate lkd_file_check(const struct lkd_file *file, const char *path, uint64_t size,
                                  bool closely)
{
    struct stat own;

    if (fstat(file->fd, &own))
        return LKD_FILE_THERE; /* unknown; the next write will report the reason */
    if (own.st_nlink == 0)
        return LKD_FILE_REMOVED;
    if ((uint64_t)own.st_size < size || (closely && has_hole(file, size)))
        return LKD_FILE_CUT;
    if (!is_elsewhere(path, &own))
        return LKD_FILE_THERE;
    /* the file may have been removed after the first fstat() */
    return !fstat(file->fd, &own) && own.st_nlink == 0 ? LKD_FILE_REMOVED : LKD_FILE_MOVED;
}

const char *lkd_file_fate_text(enum lkd_file_fate fate)
{
    switch (fate) {
    case LKD_FILE_REMOVED:
        return "the file was removed";
    case LKD_FILE_CUT:
        return "the file was cut";
    case LKD_FILE_MOVED:
        return "the file is not at its place any more";
    case LKD_FILE_THERE:
        break;
    }
    return "";
}
